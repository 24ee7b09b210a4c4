// A run of a workflow as its plan: each task with its state and rounds, and what a person is asked, to be answered here.
import { signal } from "@preact/signals";

import { Icon } from "../panes/icons";
import { origin, shownView, tellRun } from "./state";
import { runs as t } from "../strings";

interface Gate {
  name?: string;
  outcome?: string;
  words?: string;
}
interface Round {
  changed?: string[];
  failed?: string;
  gates?: Gate[];
  review?: { by?: string; outcome?: string; reason?: string };
}
interface Task {
  id: string;
  state: string;
  why?: string;
  description?: string;
  acceptance?: string[];
  after?: string[];
  rounds?: Round[];
}
interface Asks {
  question?: string;
  options?: string[];
  task?: string;
  reason?: string;
}

const good = new Set(["approved", "landed"]);
const bad = new Set(["rejected", "failed", "halted"]);
const toneOf = (state: string): string => (good.has(state) ? "is-good" : bad.has(state) ? "is-bad" : "is-plain");

function RoundLine({ round, number }: { round: Round; number: number }) {
  const { changed = [], failed, gates = [], review } = round;
  return (
    <li>
      <p>
        {t.roundN(number)}:{" "}
        {failed ? <span class="is-bad">{failed}</span> : changed.length > 0 ? changed.slice(0, 8).join(", ") : t.nothingChangedHere}
        {changed.length > 8 && t.andMoreFiles(changed.length - 8)}
      </p>
      {gates.length > 0 && (
        <ul class="task-gates" aria-label={t.gatesOfRound(number)}>
          {gates.map((gate, i) => (
            <li key={i} class={gate.outcome === "passed" ? "is-good" : "is-bad"}>
              <Icon name={gate.outcome === "passed" ? "check" : "close"} />
              {gate.words ?? gate.name}
            </li>
          ))}
        </ul>
      )}
      {review && (
        <p class="fact">
          {t.reviewBy(review.by ?? "", review.outcome ?? "")}
          {review.reason && `: ${review.reason}`}
        </p>
      )}
    </li>
  );
}

const root = "/api/workflow";
const words = signal("");
const by = signal("");

function Answer({ asks, run }: { asks: Asks; run: string }) {
  const live = origin.value?.from === "server";
  const of = encodeURIComponent(run);
  return (
    <section class="task-asks" aria-label={t.decisionNeeded}>
      <p>
        <strong>{asks.question || t.waitsForDecision}</strong>
        {asks.task && <span class="fact"> {t.aboutTask(asks.task)}</span>}
      </p>
      {asks.reason && <p class="fact">{asks.reason}</p>}
      {live ? (
        <>
          <div class="task-fields">
            <label class="start-field">
              <span>{t.answerWords}</span>
              <input type="text" value={words.value} onInput={(event) => (words.value = event.currentTarget.value)} />
            </label>
            <label class="start-field">
              <span>{t.yourName}</span>
              <input type="text" value={by.value} onInput={(event) => (by.value = event.currentTarget.value)} />
            </label>
          </div>
          <div class="task-options" role="group" aria-label={t.answers}>
            {(asks.options ?? []).map((option) => (
              <button
                key={option}
                type="button"
                class="button small"
                onClick={() =>
                  void tellRun(option === "promote" ? `${root}/plans/${of}/promote` : `${root}/runs/${of}/answer`, {
                    ...(option !== "promote" && { decision: option }),
                    ...(words.value.trim() && { words: words.value.trim() }),
                    ...(by.value.trim() && { by: by.value.trim() }),
                    ...(asks.task && option !== "promote" && { task: asks.task }),
                  })
                }
              >
                {option.replaceAll("_", " ")}
              </button>
            ))}
          </div>
        </>
      ) : (
        <p class="hint">{t.answerElsewhere}</p>
      )}
    </section>
  );
}

export function WorkflowTasks() {
  const view = shownView.value as { run_id?: string; title?: string; branch?: string; tasks?: Task[]; asks?: Asks };
  const tasks = view.tasks ?? [];
  return (
    <div class="workflow">
      {view.title && (
        <p class="workflow-title">
          {view.title}
          {view.branch && (
            <span class="fact">
              {" "}
              {t.onBranch} <code>{view.branch}</code>
            </span>
          )}
        </p>
      )}
      {view.asks && <Answer asks={view.asks} run={view.run_id ?? ""} />}
      {tasks.length === 0 ? (
        <p class="hint">{t.noPlanHere}</p>
      ) : (
        <ol class="tasks" aria-label={t.tasks}>
          {tasks.map((task) => (
            <li key={task.id}>
              <p class="task-head">
                <code>{task.id}</code>
                <span class="task-title">{task.description}</span>
                <span class={`task-state ${toneOf(task.state)}`}>{task.state}</span>
              </p>
              {task.why && <p class="fact">{task.why}</p>}
              {(task.after?.length ?? 0) > 0 && <p class="fact">{t.afterTasks(task.after?.join(", ") ?? "")}</p>}
              {(task.acceptance?.length ?? 0) > 0 && (
                <ul class="task-acceptance" aria-label={t.acceptanceOf(task.id)}>
                  {task.acceptance?.map((one) => <li key={one}>{one}</li>)}
                </ul>
              )}
              {(task.rounds?.length ?? 0) > 0 && (
                <details open={!good.has(task.state)}>
                  <summary>{t.nRounds(task.rounds?.length ?? 0)}</summary>
                  <ol>
                    {task.rounds?.map((round, i) => <RoundLine key={i} round={round} number={i + 1} />)}
                  </ol>
                </details>
              )}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
