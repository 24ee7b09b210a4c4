// The place of runs: the list of all of them, and beside it one of them as what it is shown as, or a new one. On a small
// screen one of both.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

import { PaneFrame } from "../panes/drop_zone";
import { FileButton } from "../panes/file_button";
import { Icon } from "../panes/icons";
import { Problem } from "../panes/problem";
import { watchPresence } from "../presence";
import { address, linkTo, view } from "../view";
import { takeRuns } from "./engine";
import { RunList } from "./run_list";
import "./place.css";
import { listProblem, lookForServer, openFile } from "./state";
import { runList as t } from "../strings";

export function RunsPlace({ children }: { children: ComponentChildren }) {
  useEffect(() => {
    void lookForServer();
    void takeRuns();
    return watchPresence(() => void lookForServer());
  }, []);
  const bare = address.value === linkTo("runs");
  // What is more than a journal needs the room of the list on all but large screens.
  const rendered = view.value !== "runs";
  return (
    <main class={`place ${bare ? "is-list" : rendered ? "is-rendered" : ""}`}>
      <PaneFrame
        id="run-list-pane"
        class="run-list-pane"
        label={t.runs}
        onFile={(file) => void openFile(file)}
        dropHint={t.dropJournal}
      >
        <header class="pane-head">
          <h2>{t.runs}</h2>
          <div class="pane-tools">
            <FileButton
              label={t.openJournal}
              title={t.open}
              accept=".ndjson,.jsonl,.journal,.json,application/x-ndjson"
              onFile={(file) => void openFile(file)}
            />
            <button
              type="button"
              class="button ghost small"
              aria-label={t.refresh}
              title={t.refresh}
              onClick={() => void lookForServer()}
            >
              <Icon name="restart" />
            </button>
          </div>
        </header>
        <div class="run-new">
          <a class="button primary" href={linkTo("runs", "new")}>
            <Icon name="add" />
            {t.newRun}
          </a>
        </div>
        <Problem of={listProblem} />
        <RunList />
      </PaneFrame>
      <div class="place-view">
        <a class="place-back" href={linkTo("runs")}>
          <Icon name="left" />
          {t.allRuns}
        </a>
        {children}
      </div>
    </main>
  );
}
