import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Decision, Verdict } from "@plumbline/plumbline";

import { reportFormats, type ReportFormat } from "../messages";
import {
  busy,
  choosePreset,
  copyReport,
  counts,
  countsText,
  decisionWords,
  isShown,
  jumpToRefusal,
  measured,
  mends,
  outcome,
  retry,
  shown,
  stopCheck,
} from "../studio";
import { PaneFrame } from "./drop_zone";
import { EditsSection } from "./edits_section";
import { Pointer, SchemaLink } from "./finding_card";
import { Icon, Instrument, OutcomeIcon, SeverityIcon, type Lean } from "./icons";
import { ProblemList } from "./problem_list";
import { checking as t } from "../strings";

const leans: Record<Decision, Lean> = {
  accept: "true",
  accept_with_warnings: "slight",
  accept_unverified: "open",
  undecided: "open",
  revise: "off",
  block: "far",
};

const formatTitles: Record<ReportFormat, string> = {
  text: t.formatText,
  json: t.formatJson,
  sarif: t.formatSarif,
  junit: t.formatJunit,
  github: t.formatGithub,
  llm: t.formatLlm,
};

function State({
  lean,
  title,
  children,
  tone,
}: {
  lean: Lean;
  title: string;
  children: ComponentChildren;
  tone: string;
}) {
  return (
    <div class={`verdict-head tone-${tone}`}>
      <Instrument lean={lean} swing={title} />
      <div class="verdict-words">
        <h2>{title}</h2>
        {children}
      </div>
    </div>
  );
}

// Appears when a check takes long enough to be noticed.
function Patience() {
  const long = useSignal(false);
  const isBusy = busy.value;
  useEffect(() => {
    long.value = false;
    if (!isBusy) return undefined;
    const timer = setTimeout(() => (long.value = true), 3000);
    return () => clearTimeout(timer);
  }, [isBusy]);
  if (!isBusy || !long.value) return null;
  return (
    <p class="notice">
      {t.stillChecking}{" "}
      <button type="button" class="link" onClick={stopCheck}>
        {t.stop}
      </button>
    </p>
  );
}

function Tally() {
  const { error, warning, info } = counts.value;
  return (
    <ul class="tally" aria-label={t.counts}>
      {error > 0 && (
        <li class="sev-error">
          <SeverityIcon severity="error" /> {t.nErrors(error)}
        </li>
      )}
      {warning > 0 && (
        <li class="sev-warning">
          <SeverityIcon severity="warning" /> {t.nWarnings(warning)}
        </li>
      )}
      {info > 0 && (
        <li class="sev-info">
          <SeverityIcon severity="info" /> {t.nNotes(info)}
        </li>
      )}
      {error + warning + info === 0 && (
        <li class="sev-none">
          <OutcomeIcon outcome="holds" /> {t.noProblems}
        </li>
      )}
      {mends.value && (
        <li>
          <button
            type="button"
            class="link"
            onClick={() => document.querySelector("#edits")?.scrollIntoView({ block: "start" })}
          >
            {t.fixesAvailable(mends.value.edits.length, (mends.value.guess ?? mends.value.certain)?.problems ?? 0)}
          </button>
        </li>
      )}
    </ul>
  );
}

function elapsed(ms: number): string {
  if (ms < 0.95) return t.underOneMs;
  return ms < 100 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

function CopyHash({ hash }: { hash: string }) {
  const copied = useSignal(false);
  return (
    <button
      type="button"
      class="link hash"
      title={t.copyHash(hash)}
      onClick={async () => {
        await navigator.clipboard.writeText(hash).catch(() => undefined);
        copied.value = true;
        setTimeout(() => (copied.value = false), 1600);
      }}
    >
      <code>{hash.replace("sha256:", "").slice(0, 8)}…</code>
      <span class="visually-hidden">{copied.value ? t.hashCopied : t.copyContractHash}</span>
      <Icon name={copied.value ? "check" : "copy"} />
    </button>
  );
}

function Report() {
  const said = useSignal("");
  const copy = async (format: ReportFormat) => {
    const done = await copyReport(format);
    said.value = done ? t.copiedAs(formatTitles[format]) : t.notCopied;
    setTimeout(() => (said.value = ""), 2400);
  };
  return (
    <div class="report">
      <span role="status" class="said">
        {said.value}
      </span>
      <label class="select">
        <span class="visually-hidden">{t.copyVerdictAs}</span>
        <select
          value=""
          onChange={(event) => {
            const format = event.currentTarget.value as ReportFormat;
            event.currentTarget.value = "";
            void copy(format);
          }}
        >
          <option value="" disabled>
            {t.copyAs}
          </option>
          {reportFormats.map((format) => (
            <option key={format} value={format}>
              {formatTitles[format]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Section({ title, count, children }: { title: string; count?: number; children: ComponentChildren }) {
  return (
    <section class="verdict-section" aria-label={title}>
      <h3>
        {title}
        {count !== undefined && <span class="count">{count.toLocaleString("en")}</span>}
      </h3>
      {children}
    </section>
  );
}

const outcomeWords = { holds: t.passes, broken: t.fails, undecided: t.undecided } as const;
const linesMax = 200;

const placeOfRule = (rule: string, at: string | undefined): string => `${rule} ${at ?? ""}`;

// What the scorecard says of a rule is not said again below it: a question for a judge is shown at its line.
function Scorecard({ verdict }: { verdict: Verdict }) {
  const lines = verdict.scorecard.slice(0, linesMax);
  const asked = new Map(verdict.undecided.map((one) => [placeOfRule(one.rule, one.at), one]));
  return (
    <Section title={t.scorecard} count={verdict.scorecard.length}>
      <ul class="scorecard">
        {lines.map((line) => {
          const open = line.outcome === "undecided" ? asked.get(placeOfRule(line.id, line.at)) : undefined;
          const words = open?.ask ?? line.reason;
          return (
            <li key={placeOfRule(line.id, line.at)} class={`out-${line.outcome}`}>
              <OutcomeIcon outcome={line.outcome} />
              <span class="rule-title">{line.title || line.id}</span>
              {line.blocks && <span class="badge">{t.gate}</span>}
              {line.at && <Pointer pointer={line.at} />}
              <span class="out-word">
                {line.asks && line.outcome === "undecided" ? t.forJudge : outcomeWords[line.outcome]}
              </span>
              {line.outcome === "undecided" && (words || open) && (
                <p class="asked hint">
                  {words} {open?.schemaLocation !== undefined && <SchemaLink location={open.schemaLocation} />}
                </p>
              )}
            </li>
          );
        })}
      </ul>
      {verdict.scorecard.length > linesMax && (
        <p class="hint">{t.moreLines(verdict.scorecard.length - linesMax)}</p>
      )}
    </Section>
  );
}

function UndecidedRules({ verdict }: { verdict: Verdict }) {
  const told = new Set(verdict.scorecard.slice(0, linesMax).map(({ id, at }) => placeOfRule(id, at)));
  const all = verdict.undecided.filter(({ rule, at }) => !told.has(placeOfRule(rule, at)));
  const rules = all.slice(0, linesMax);
  if (all.length === 0) return null;
  return (
    <Section title={t.undecided} count={all.length}>
      <ul class="undecided">
        {rules.map((rule) => (
          <li key={`${rule.rule} ${rule.at}`}>
            <p>{rule.ask ?? rule.reason ?? rule.rule}</p>
            <p class="hint">
              <code class="chip">{rule.rule}</code>
              {rule.ask ? t.judgeQuestion : ""}
              {rule.wantsContext && (
                <>
                  {t.needsContext}
                  <code>{rule.wantsContext}</code>
                </>
              )}
              {rule.schemaLocation !== undefined && (
                <>
                  {" · "}
                  <SchemaLink location={rule.schemaLocation} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
      {all.length > linesMax && <p class="hint">{t.moreRules(all.length - linesMax)}</p>}
    </Section>
  );
}

// Where the contract is that of a role: what the searches in its context come to, so that its labels can be seen to follow.
function Measured() {
  const all = measured.value;
  if (!all) return null;
  return (
    <Section title={t.searchHistory}>
      <p class="hint">
        {t.searchesMeasured(all.searches, all.duplicate_queries, all.no_change_streak, all.facts, all.sources, all.domains)}
      </p>
      <div class="history-table" tabIndex={0} role="region" aria-label={t.searchesTable}>
        <table>
          <thead>
            <tr>
              {[t.columnSearch, t.columnEvidence, t.columnQuery, t.columnGrounding, t.columnFacts, t.columnSources].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {all.cycles.map((cycle, index) => (
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                <td data-delta={cycle.evidence_delta}>{cycle.evidence_delta.replaceAll("_", " ")}</td>
                <td>{cycle.novelty.replaceAll("_", " ")}</td>
                <td>{cycle.grounding.replaceAll("_", " ")}</td>
                <td class="number">{cycle.facts_new}</td>
                <td class="number">{cycle.sources_new}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function More({ verdict }: { verdict: Verdict }) {
  const more = Object.entries(verdict.more ?? {});
  const labels = Object.entries(verdict.labels);
  const signals = verdict.signals ?? [];
  return (
    <>
      {more.length > 0 && (
        <p class="hint more">
          {t.beyondListed}{" "}
          {more.map(([rule, count], index) => (
            <span key={rule}>
              {index > 0 && ", "}
              {t.countOfRule(count)}
              <code>{rule}</code>
            </span>
          ))}
        </p>
      )}
      {labels.length > 0 && (
        <Section title={t.labels}>
          <ul class="labels">
            {labels.map(([label, value]) => (
              <li key={label}>
                {label} <strong>{value}</strong>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {signals.length > 0 && (
        <Section title={t.signals} count={signals.length}>
          <ul class="undecided">
            {signals.map((one) => (
              <li key={`${one.kind} ${one.atByte}`}>
                <p>{one.detail || one.kind}</p>
                <p class="hint">{t.atByte(one.atByte)}</p>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Judged({ verdict, elapsedMs, streamed }: { verdict: Verdict; elapsedMs: number; streamed: boolean }) {
  const words = decisionWords[verdict.decision];
  return (
    <>
      <State lean={leans[verdict.decision]} title={words.title} tone={verdict.decision}>
        <p class="sense">{words.sense}</p>
        <Tally />
      </State>
      <div class="verdict-meta">
        <span class="fact">
          {verdict.contract} <CopyHash hash={verdict.hash} />
        </span>
        <span class="fact elapsed">
          {elapsed(elapsedMs)}
          {streamed && t.streamed}
        </span>
        <Report />
      </div>
      <div
        class="verdict-body"
        {...(shown.value.length === 0 && { tabIndex: 0, role: "group", "aria-label": t.rules })}
      >
        {shown.value.length > 0 && (
          <Section title={t.problems} count={shown.value.length}>
            <ProblemList />
          </Section>
        )}
        <EditsSection />
        {verdict.scorecard.length > 0 && <Scorecard verdict={verdict} />}
        <UndecidedRules verdict={verdict} />
        <Measured />
        <More verdict={verdict} />
      </div>
    </>
  );
}

function Body() {
  const now = outcome.value;
  switch (now.kind) {
    case "loading":
      return (
        <State lean="none" title={t.loadingTitle} tone="plain">
          <p class="sense">{t.loadingText}</p>
        </State>
      );
    case "unavailable":
      return (
        <State lean="far" title={t.notLoadedTitle} tone="block">
          <p class="sense">{now.message}</p>
          <p>
            <button type="button" class="button" onClick={retry}>
              {t.tryAgain}
            </button>
          </p>
        </State>
      );
    case "empty":
      return (
        <State lean="none" title={t.emptyTitle} tone="plain">
          <p class="sense">{t.emptyText}</p>
          <p class="starters">
            <button type="button" class="button small" onClick={() => choosePreset("quiz-faulty")}>
              {t.faultyQuiz}
            </button>
            <button type="button" class="button small" onClick={() => choosePreset("mindmap-clean")}>
              {t.cleanMindmap}
            </button>
          </p>
        </State>
      );
    case "contract_refused":
    case "context_refused":
      return (
        <State
          lean="open"
          title={now.kind === "contract_refused" ? t.contractUnusable : t.contextUnusable}
          tone="block"
        >
          <p class="sense">{now.refusal.message}</p>
          <p>
            <button type="button" class="button small" onClick={jumpToRefusal}>
              {now.refusal.line > 0
                ? t.goToLine(now.refusal.line, now.refusal.column)
                : t.goToPlace}
            </button>
          </p>
        </State>
      );
    case "broken_down":
      return (
        <State lean="far" title={t.endedEarly} tone="block">
          <p class="sense">{now.message}</p>
        </State>
      );
    case "streaming": {
      return (
        <>
          <State
            lean={counts.value.error > 0 ? "off" : "true"}
            title={t.streaming}
            tone={counts.value.error > 0 ? "revise" : "plain"}
          >
            <p class="sense">
              {t.streamedSoFar(countsText.value, Math.round(now.share * 100))}
            </p>
            <div class="progress" aria-hidden="true">
              <div style={{ transform: `scaleX(${now.share})` }} />
            </div>
            {now.signals.map((one) => (
              <p key={`${one.kind} ${one.atByte}`} class="notice">
                {one.detail || one.kind}
              </p>
            ))}
          </State>
          <div class="verdict-body">
            {shown.value.length > 0 && (
              <Section title={t.problemsSoFar} count={shown.value.length}>
                <ProblemList />
              </Section>
            )}
          </div>
        </>
      );
    }
    case "verdict":
      return <Judged verdict={now.verdict} elapsedMs={now.elapsedMs} streamed={now.streamed} />;
  }
}

export function VerdictPane() {
  return (
    <PaneFrame
      id="verdict-pane"
      label={t.verdict}
      class={`verdict-pane ${busy.value ? "busy" : ""}`}
      hidden={!isShown("verdict")}
    >
      <Patience />
      <Body />
    </PaneFrame>
  );
}
