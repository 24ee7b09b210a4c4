// An open run: what it has come to, its rule to step along, its log, and what there is to see at the position.
import { useRef } from "preact/hooks";

import { Icon } from "../panes/icons";
import { Words } from "../panes/words";
import { CallList } from "./call_list";
import { Continuing } from "./continuing";
import { durationText, tokensText, type Step } from "./facts";
import { ForkForm } from "./fork_form";
import { canFork, forking, forkProblem, leftBehind } from "./forking";
import { comparing, Comparison, startComparing } from "./comparison";
import { LiveCalls } from "./live_calls";
import { LogLines } from "./log_lines";
import {
  busy,
  calls,
  cancel,
  ended,
  entries,
  entry,
  forkedFrom,
  goOnWithServer,
  goTo,
  journalText,
  notice,
  opened,
  origin,
  part,
  replayed,
  shownView,
  steps,
  snapshot,
  stateShown,
  verify,
  waitsFor,
  type Part,
} from "./state";
import { linkTo } from "../view";
import { kindOf, type Kind } from "./kinds";
import { isLess, stateWords, type RunState } from "./run_state";
import { nameOf, typeWord } from "./run_title";
import { Timeline } from "./timeline";
import { runs as t } from "../strings";

const tones: Record<RunState, string> = {
  running: "tone-plain",
  waits: "tone-undecided",
  completed: "tone-accept",
  failed: "tone-block",
  cancelled: "tone-undecided",
};
// What says no more than the state does.
const barePhases = new Set(["pending", "running", "waiting", "asking"]);

const nameShown = () =>
  nameOf(opened.value?.pipeline ?? "", (entries.value[0]?.data as { input?: unknown } | undefined)?.input);
const kindShown = (): Kind | null => kindOf(opened.value?.pipeline ?? "", nameShown().type);

function StepMark({ step }: { step: Step }) {
  const said = { waiting: t.toCome, active: t.inProgress, done: t.done, failed: t.notPassed }[step.state];
  const { n } = step;
  return (
    <li class={`step is-${step.state}`} aria-current={step.state === "active" ? "step" : undefined}>
      <button type="button" disabled={n === null} onClick={() => n !== null && goTo(n)}>
        <span class="step-sign" aria-hidden="true">
          {step.state === "done" && <Icon name="check" />}
          {step.state === "failed" && <Icon name="close" />}
        </span>
        {step.name}
        <span class="visually-hidden">, {said}</span>
      </button>
    </li>
  );
}

function save(): void {
  const url = URL.createObjectURL(new Blob([journalText()], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${opened.value?.id ?? "run"}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function Again() {
  const told = replayed.value;
  if (!told) return null;
  if ("problem" in told) return <span class="again bad"><Words text={told.problem} /></span>;
  return told.same ? (
    <span class="again good">
      <Icon name="check" />
      {t.sameEntries(told.entries)}
    </span>
  ) : (
    <span class="again bad">
      {t.differsAt}{" "}
      <button type="button" class="link" onClick={() => goTo(told.entries)}>
        {t.entryLink(told.entries)}
      </button>
    </span>
  );
}

type Rate = { count: number; of: number };

// What of a result is less than it seems: not verified, a part of what was asked for, of a part of the source.
function caveats(view: Record<string, unknown>): string[] {
  const out: string[] = [];
  const number = (name: string): number => (typeof view[name] === "number" ? (view[name] as number) : 0);
  if (view.decision === "accept_unverified") {
    const why = typeof view.unverified_reason === "string" ? `: ${view.unverified_reason}` : "";
    out.push(t.notVerified(why));
  }
  if (number("asked") > 0) out.push(t.keptOf(number("kept"), number("asked")));
  const source = view.source as { passages?: number; read?: number; budget_wanted?: number } | undefined;
  if (source?.passages && source.read !== undefined && source.read < source.passages) {
    const more = source.budget_wanted ? t.budgetReadsAll(source.budget_wanted) : "";
    out.push(t.passagesLeftOut(source.passages - source.read, source.passages, more));
  }
  const judge = view.judge as { name: string; true_positive_rate: Rate; false_positive_rate: Rate } | undefined;
  if (judge) out.push(t.judgeRates(judge.name, judge.true_positive_rate, judge.false_positive_rate));
  const boundary = view.boundary as { warned?: number; failed?: number } | undefined;
  if (boundary?.failed || boundary?.warned) out.push(t.boundaryLess(boundary.failed ?? 0, boundary.warned ?? 0));
  if (Array.isArray(view.checks_not_run)) out.push(t.checksNotRun(view.checks_not_run.join(", ")));
  return out;
}

// The run that this one went on from: a way back to it where the server has it.
function ForkedFrom() {
  const from = forkedFrom.value;
  if (!from) return null;
  return (
    <span class="fact run-from">
      {t.forkOfStart}{" "}
      {origin.value?.from === "server" ? (
        <a class="link" href={linkTo("runs", from)}>
          {from}
        </a>
      ) : (
        <code>{from}</code>
      )}
    </span>
  );
}

function Head() {
  const run = opened.value;
  const view = shownView.value;
  const tokens = snapshot.value?.tokens;
  const known = typeof view.progress === "number";
  const progress = known ? (view.progress as number) : 0;
  const state = stateShown.value;
  const phase = state === "running" ? String(view.current_stage ?? view.status ?? "") : "";
  const error = typeof view.error === "string" && entry.value?.kind === "end" ? view.error : "";
  const name = nameShown();
  const tone = state === "completed" && isLess(view) ? "tone-undecided" : tones[state];
  const took = (entry.value?.at ?? 0) - (entries.value[0]?.at ?? 0);
  const budget = typeof view.token_budget === "number" ? view.token_budget : 0;
  return (
    <header class={`run-head ${tone}`}>
      <div class="run-title">
        <h2>
          <span class="run-name">{run ? typeWord(name.type) : t.run}</span>
          <span class="run-status">{stateWords[state]}</span>
          {phase && !barePhases.has(phase) && <span class="run-phase">{phase.replaceAll("_", " ")}</span>}
        </h2>
        {name.title && (
          <span class="run-of" title={name.title}>
            {name.title}
          </span>
        )}
        <code class="fact run-id">{run?.id}</code>
        <ForkedFrom />
        <div class="pane-tools">
          {origin.value?.live ? (
            <button type="button" class="button small" onClick={() => void cancel()}>
              <Icon name="stop" />
              {t.cancel}
            </button>
          ) : (
            run?.known && (
              <button
                type="button"
                class="button small"
                title={t.verifyAbout}
                disabled={busy.value !== ""}
                onClick={() => void verify()}
              >
                <Icon name="restart" />
                {t.verify}
              </button>
            )
          )}
          {canFork.value && (
            <button
              type="button"
              class="button small"
              aria-expanded={forking.value}
              title={t.forkTitle}
              onClick={() => {
                forkProblem.value = "";
                forking.value = !forking.value;
              }}
            >
              <Icon name="to" />
              {t.fork}
            </button>
          )}
          <button type="button" class="button small" aria-pressed={comparing.value} title={t.compareAbout} onClick={startComparing}>
            <Icon name="list" />
            <span class="may-hide">{t.compare}</span>
          </button>
          <button type="button" class="button small" disabled={entries.value.length === 0} onClick={save}>
            <Icon name="save" />
            <span class="may-hide">{t.save}</span>
          </button>
          <a class="button ghost small" aria-label={t.closeRun} title={t.close} href={linkTo("runs")}>
            <Icon name="close" />
          </a>
        </div>
      </div>
      {known && (
        <div class="run-progress">
          <div
            class="progress"
            role="progressbar"
            aria-label={t.progress}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={progress}
          >
            <div style={{ transform: `scaleX(${progress / 100})` }} />
          </div>
          <b>{progress}%</b>
        </div>
      )}
      {steps.value.length > 0 && (
        <ol class="steps" aria-label={t.phases}>
          {steps.value.map((step) => (
            <StepMark key={step.name} step={step} />
          ))}
        </ol>
      )}
      <p class="run-facts">
        <span>{durationText(took)}</span>
        {tokens && (
          <>
            <span>
              {t.nCalls(calls.value.length)}
            </span>
            <span>
              {tokens.input + tokens.output > 0 ? tokensText(tokens) : t.noTokens}
              {budget > 0 && t.ofBudget(budget)}
            </span>
            {tokens.saved > 0 && (
              <span class="saved">{t.savedByStop(tokens.saved)}</span>
            )}
          </>
        )}
        <Again />
      </p>
      <LiveCalls />
      {error && <p class="run-error"><Words text={error} /></p>}
      {caveats(view).map((one) => (
        <p class="notice" key={one}>
          <Words text={one} />
        </p>
      ))}
      {notice.value && <p class="notice"><Words text={notice.value} /></p>}
      {leftBehind.value?.run === run?.id && (leftBehind.value?.parts.length ?? 0) > 0 && (
        <p class="notice">{t.leftBehind(leftBehind.value?.parts.join(", ") ?? "")}</p>
      )}
      {forking.value && canFork.value && <ForkForm key={run?.id} />}
      <Continuing />
      {waitsFor.value && (
        <div class="notice run-held" role="status">
          <p>{waitsFor.value}</p>
          <button type="button" class="button small" onClick={() => void goOnWithServer()}>
            {t.continueHere}
          </button>
        </div>
      )}
    </header>
  );
}

const partTitles: Record<Exclude<Part, "artifact">, string> = { log: t.log, calls: t.calls, entry: t.entry, compare: t.compare };

function Log() {
  return (
    <section class="run-log" aria-label={t.runLog}>
      <LogLines />
      {origin.value?.live && !ended.value && (
        <p class="live">
          <span class="pulse" aria-hidden="true" />
          {t.inProgress}
        </p>
      )}
    </section>
  );
}

function Parts({ kind }: { kind: Kind | null }) {
  const bar = useRef<HTMLDivElement>(null);
  const names: Part[] = [...(kind ? (["artifact"] as const) : []), ...(kind?.wide ? (["log"] as const) : []), "calls", "entry", ...(comparing.value ? (["compare"] as const) : [])];
  const shown = names.includes(part.value) ? part.value : names[0]!;
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    part.value = names[(names.indexOf(shown) + by + names.length) % names.length]!;
    bar.current?.querySelector<HTMLElement>(`#run-${part.value}-tab`)?.focus();
  };
  return (
    <section class="run-part">
      <div class="tabs" role="tablist" aria-label={t.runParts} ref={bar} onKeyDown={move}>
        {names.map((one) => (
          <button
            key={one}
            id={`run-${one}-tab`}
            type="button"
            role="tab"
            aria-selected={shown === one}
            aria-controls="run-part"
            tabIndex={shown === one ? 0 : -1}
            onClick={() => (part.value = one)}
          >
            {one === "artifact" ? kind?.title : partTitles[one]}
            {one === "calls" && calls.value.length > 0 && <span class="count">{calls.value.length}</span>}
          </button>
        ))}
      </div>
      <div id="run-part" role="tabpanel" aria-labelledby={`run-${shown}-tab`} class={`part-body is-${shown}`}>
        {shown === "artifact" ? kind && <kind.Body /> : shown === "log" ? <Log /> : shown === "calls" ? <CallList /> : shown === "compare" ? <Comparison /> : <RawEntry />}
      </div>
    </section>
  );
}

function RawEntry() {
  return (
    <pre class="whole-text" tabIndex={0} aria-label={t.theEntry}>
      {JSON.stringify(entry.value, null, 2)}
    </pre>
  );
}

export function Stage() {
  const kind = kindShown();
  return (
    <>
      <Head />
      <Timeline />
      <div class={`run-body ${kind?.wide ? "is-wide" : ""}`}>
        {!kind?.wide && <Log />}
        <Parts kind={kind} />
      </div>
    </>
  );
}
