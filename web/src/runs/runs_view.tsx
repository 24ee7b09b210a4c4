// The view of runs: start one, open one, step through it.
import { useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { PaneFrame } from "../panes/drop_zone";
import { FileButton } from "../panes/file_button";
import { Icon } from "../panes/icons";
import { Problem } from "../panes/problem";
import { addressedRun, view } from "../view";
import { takeRuns } from "./engine";
import "./runs.css";
import { Stage } from "./stage";
import { StartForm, startExample, takeSource } from "./start_form";
import { busy, lookForServer, noServer, openFile, openFromServer, opened, origin, problem, server } from "./state";
import { onRunsKey } from "./timeline";

const isJournal = (file: File): boolean => /\.(ndjson|jsonl|journal)$/i.test(file.name);

const OpenJournal = () => (
  <FileButton
    large
    title="Open a journal"
    label="Open a journal"
    accept=".ndjson,.jsonl,.journal,.json,application/x-ndjson"
    onFile={(file) => void openFile(file)}
  />
);

function when(at: string): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return today
    ? date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

const stateWords = { waiting: "under way", done: "done", failed: "failed", cancelled: "cancelled" };

function ServerRuns() {
  const runs = server.value;
  if (!runs) {
    if (noServer.value !== "none") return noServer.value ? <p class="hint">{noServer.value}</p> : null;
    return (
      <p class="hint">
        This page's server keeps no runs. With <code>plumb serve</code> they are listed here.
      </p>
    );
  }
  return (
    <section class="server-runs" aria-labelledby="server-runs-title">
      <header>
        <h3 id="server-runs-title">On the server</h3>
        <button
          type="button"
          class="button ghost small"
          aria-label="Look again"
          title="Look again"
          onClick={() => void lookForServer()}
        >
          <Icon name="restart" />
        </button>
      </header>
      {runs.length === 0 ? (
        <p class="hint">None yet.</p>
      ) : (
        <ul>
          {runs.map((run) => (
            <li key={run.id}>
              <button
                type="button"
                class={`server-run is-${run.state}`}
                aria-current={origin.value?.from === "server" && origin.value.name === run.id ? "true" : undefined}
                onClick={() => void openFromServer(run.id)}
              >
                <span class="run-dot" aria-hidden="true" />
                <code>{run.id}</code>
                <span class="fact">
                  {run.problem ? "waits" : stateWords[run.state]}
                  {run.decision === "accept_unverified" && ", not verified"}
                  {run.decision === "completed_partial" && `, ${run.kept} of ${run.asked} kept`} ·{" "}
                  {when(run.created_at)}
                </span>
                {run.forked_from && <span class="fact run-waits">a fork of {run.forked_from}</span>}
                {run.problem && <span class="run-waits">{run.problem}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Welcome() {
  return (
    <div class="welcome">
      <svg class="welcome-rule" viewBox="0 0 320 56" aria-hidden="true">
        <path class="rule-edge" d="M4 44h312" />
        {Array.from({ length: 40 }, (_, i) => (
          <path key={i} class="rule-mark" d={`M${4 + i * 8} 44v-${i % 5 === 0 ? 14 : 7}`} />
        ))}
        <path class="rule-line" d="M204 4v22" />
        <path class="bob" d="M199 26h10l2 7-7 11-7-11z" />
      </svg>
      <h2>See how an artifact comes about</h2>
      <p>
        A run plans, generates, checks and repairs. Everything that it asked and everything that came back stands in its
        journal: step through it forward and back, see each repair as a diff, each call with its messages, and what it
        cost.
      </p>
      <div class="welcome-acts">
        <button type="button" class="button primary" onClick={startExample}>
          <Icon name="play" />
          Make a quiz from a short text
        </button>
        <OpenJournal />
      </div>
      <p class="hint">A journal can be dropped here too. It is read in this browser, with the same core, offline.</p>
    </div>
  );
}

export function RunsView() {
  useEffect(() => {
    document.addEventListener("keydown", onRunsKey);
    void lookForServer();
    void takeRuns();
    const id = addressedRun();
    if (id) void openFromServer(id);
    return () => document.removeEventListener("keydown", onRunsKey);
  }, []);
  useSignalEffect(() => {
    if (view.value === "runs") document.title = opened.value ? `Run ${opened.value.id} – Plumbline` : "Runs – Plumbline";
  });
  const open = origin.value !== null && (opened.value !== null || origin.value.live || busy.value !== "");
  return (
    <main class={`runs ${open ? "is-open" : ""}`}>
      <PaneFrame
        id="run-start-pane"
        class="start-pane"
        label="Start a run"
        onFile={(file) => void (isJournal(file) ? openFile(file) : takeSource(file))}
        dropHint="Drop a source here"
      >
        <header class="pane-head">
          <h2>Make an artifact</h2>
        </header>
        <div class="start-body">
          <StartForm />
          <div class="start-more">
            {open && <OpenJournal />}
            <ServerRuns />
          </div>
        </div>
      </PaneFrame>
      <PaneFrame
        id="run-pane"
        class="run-pane"
        label="Run"
        onFile={(file) => void openFile(file)}
        dropHint="Drop a journal here"
      >
        <Problem of={problem} />
        {opened.value ? <Stage /> : open ? <p class="hint empty-part">{busy.value || "Beginning…"}</p> : <Welcome />}
      </PaneFrame>
    </main>
  );
}
