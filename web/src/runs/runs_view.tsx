// A run as its journal, or a new one.
import { useSignalEffect, untracked } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { PaneFrame } from "../panes/drop_zone";
import { Problem } from "../panes/problem";
import { address, addressedNames, view } from "../view";
import { hereRuns } from "./here";
import { NewRun, takeSource } from "./new_run";
import "./runs.css";
import { Stage } from "./stage";
import { busy, openAddressed, openFile, opened, problem } from "./state";
import { onRunsKey } from "./timeline";

const isJournal = (file: File): boolean => /\.(ndjson|jsonl|journal)$/i.test(file.name);

export function RunsView() {
  useEffect(() => {
    document.addEventListener("keydown", onRunsKey);
    return () => document.removeEventListener("keydown", onRunsKey);
  }, []);
  useSignalEffect(() => {
    void address.value;
    void hereRuns.value;
    if (view.value === "runs") untracked(openAddressed);
  });
  const [name = ""] = address.value.startsWith("#runs") ? addressedNames("runs") : [];
  const isNew = name === "" || name === "new";
  useSignalEffect(() => {
    const [shown = "new"] = address.value.startsWith("#runs/") ? addressedNames("runs") : [];
    document.title = shown !== "new" && opened.value ? `Run ${opened.value.id} – Plumbline` : "Runs – Plumbline";
  });
  return (
    <div class={`runs ${isNew ? "" : "is-open"}`}>
      {isNew ? (
        <PaneFrame
          id="run-start-pane"
          class="start-pane"
          label="New run"
          onFile={(file) => void (isJournal(file) ? openFile(file) : takeSource(file))}
          dropHint="Drop a source or a journal here"
        >
          <NewRun />
        </PaneFrame>
      ) : (
        <PaneFrame
          id="run-pane"
          class="run-pane"
          label="Run"
          onFile={(file) => void openFile(file)}
          dropHint="Drop a journal here"
        >
          <Problem of={problem} />
          {opened.value ? <Stage /> : <p class="hint empty-part">{busy.value || (problem.value ? "" : "Beginning…")}</p>}
        </PaneFrame>
      )}
    </div>
  );
}
