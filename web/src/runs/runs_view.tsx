// A run as its journal, or a new one.
import { useSignalEffect, untracked } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { PaneFrame } from "../panes/drop_zone";
import { Problem } from "../panes/problem";
import { address, addressedNames, view } from "../view";
import { hereRuns } from "./here";
import { Standalone } from "./standalone";
import { NewRun, takeSource } from "./new_run";
import "./runs.css";
import { Stage } from "./stage";
import { busy, openAddressed, openFile, opened, problem } from "./state";
import { onRunsKey } from "./timeline";
import { runs as t } from "../strings";

function namesShown(): string[] {
  void address.value;
  return addressedNames(view.value);
}

const isJournal = (file: File): boolean => /\.(ndjson|jsonl|journal)$/i.test(file.name);

export function RunsView() {
  useEffect(() => {
    document.addEventListener("keydown", onRunsKey);
    return () => document.removeEventListener("keydown", onRunsKey);
  }, []);
  useSignalEffect(() => {
    void address.value;
    void hereRuns.value;
    untracked(openAddressed);
  });
  const shown = view.value;
  const [name = ""] = namesShown();
  const isNew = name === "" || name === "new";
  useSignalEffect(() => {
    const [named = "new"] = namesShown();
    document.title = named !== "new" && opened.value ? t.titleOf(opened.value.id) : t.title;
  });
  // Stories and discoveries are also looked at in files that are no journals.
  if ((shown === "story" && isNew) || (shown === "discovery" && (isNew || name === "example"))) return <Standalone of={shown} />;
  return (
    <div class={`runs ${isNew ? "" : "is-open"}`}>
      {isNew ? (
        <PaneFrame
          id="run-start-pane"
          class="start-pane"
          label={t.newRun}
          onFile={(file) => void (isJournal(file) ? openFile(file) : takeSource(file))}
          dropHint={t.dropSource}
        >
          <NewRun />
        </PaneFrame>
      ) : (
        <PaneFrame
          id="run-pane"
          class="run-pane"
          label={t.run}
          onFile={(file) => void openFile(file)}
          dropHint={t.dropJournal}
        >
          <Problem of={problem} />
          {opened.value ? <Stage /> : <p class="hint empty-part">{busy.value || (problem.value ? "" : t.starting)}</p>}
        </PaneFrame>
      )}
    </div>
  );
}
