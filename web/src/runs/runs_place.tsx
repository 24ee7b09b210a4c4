// The place of runs: the list of all of them, and beside it one of them as what it is shown as, or a new one. On a small
// screen one of both.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

import { PaneFrame } from "../panes/drop_zone";
import { FileButton } from "../panes/file_button";
import { Icon } from "../panes/icons";
import { Problem } from "../panes/problem";
import { address, linkTo, view } from "../view";
import { takeRuns } from "./engine";
import { RunList } from "./run_list";
import "./place.css";
import { listProblem, lookForServer, openFile } from "./state";

export function RunsPlace({ children }: { children: ComponentChildren }) {
  useEffect(() => {
    void lookForServer();
    void takeRuns();
  }, []);
  const bare = address.value === linkTo("runs");
  // What is more than a journal needs the room of the list on all but large screens.
  const rendered = view.value !== "runs";
  return (
    <main class={`place ${bare ? "is-list" : rendered ? "is-rendered" : ""}`}>
      <PaneFrame
        id="run-list-pane"
        class="run-list-pane"
        label="Runs"
        onFile={(file) => void openFile(file)}
        dropHint="Drop a journal here"
      >
        <header class="pane-head">
          <h2>Runs</h2>
          <div class="pane-tools">
            <FileButton
              label="Open a journal"
              title="Open"
              accept=".ndjson,.jsonl,.journal,.json,application/x-ndjson"
              onFile={(file) => void openFile(file)}
            />
            <button
              type="button"
              class="button ghost small"
              aria-label="Look again"
              title="Look again"
              onClick={() => void lookForServer()}
            >
              <Icon name="restart" />
            </button>
          </div>
        </header>
        <div class="run-new">
          <a class="button primary" href={linkTo("runs", "new")}>
            <Icon name="add" />
            New run
          </a>
        </div>
        <Problem of={listProblem} />
        <RunList />
      </PaneFrame>
      <div class="place-view">
        <a class="place-back" href={linkTo("runs")}>
          <Icon name="left" />
          All runs
        </a>
        {children}
      </div>
    </main>
  );
}
