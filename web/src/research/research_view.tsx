// The view of research: ask, see rounds, questions, searches and gates as they come, and read the report with what each
// claim is quoted from.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "../panes/icons";
import { indexing } from "../runs/state";
import { metricsText, placeOf, quoteIn, secondsOf, words, type Asked, type Citation, type Cycle, type Found, type Gate, type Intake } from "./found";
import "./research.css";
import { answer, busy, found, live, stop } from "./state";
import { research as t } from "../strings";

const said = signal("");
const opened = signal<number | null>(null); // the citation whose passage is shown

function Chat() {
  const seen = found.value;
  return (
    <section class="chat" aria-labelledby="chat-title">
      <h3 id="chat-title">{t.intake}</h3>
      {seen && (
        <ol aria-label={t.conversation}>
          <li class="from-user">{seen.question}</li>
          {seen.intake.map((one, i) => (
            <Said key={i} one={one} />
          ))}
        </ol>
      )}
      {seen?.asks && <Answering seen={seen} />}
    </section>
  );
}

function Said({ one }: { one: Intake }) {
  if (one.kind === "intake_answer") return <li class="from-user">{one.answer || t.nothing}</li>;
  if (one.kind === "lookup") return <li class="from-intake">{t.lookedUp(one.query ?? "", one.summary || t.nothingFound)}</li>;
  if (one.objective)
    return (
      <li class="from-intake">
        <strong>{t.objective}</strong> {one.objective}
        <ul>
          {one.success_criteria?.map((criterion) => (
            <li key={criterion}>{criterion}</li>
          ))}
        </ul>
      </li>
    );
  return <li class="from-intake">{one.message}</li>;
}

function Answering({ seen }: { seen: Found }) {
  const asks = seen.asks!;
  if (!live.value) return <p class="hint">{t.waitsForAnswer}</p>;
  if (asks.options && asks.options.length > 0)
    return (
      <div class="choices" role="group" aria-label={asks.question}>
        {asks.options.map((option) => (
          <button key={option} type="button" class="button" disabled={busy.value} onClick={() => void answer(option)}>
            {option}
          </button>
        ))}
      </div>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const text = said.value.trim();
        said.value = "";
        if (text) void answer(text);
      }}
    >
      <label>
        {t.yourAnswer}
        <input value={said.value} onInput={(event) => (said.value = event.currentTarget.value)} autoComplete="off" />
      </label>
      <button type="submit" class="button primary" disabled={busy.value || !said.value.trim()}>
        {t.answer}
      </button>
    </form>
  );
}

function GateLine({ gate }: { gate: Gate }) {
  return (
    <li class={`gate is-${gate.outcome}`}>
      <p>
        <span class="gate-mark">{gate.outcome}</span> <strong>{gate.title || gate.rule}</strong>{" "}
        <span class="fact">
          {gate.role} · {gate.rule}
        </span>
      </p>
      <p class="fact">{gate.message}</p>
      {gate.action && <p class="fact">→ {gate.action}</p>}
    </li>
  );
}

function Gates({ list, label }: { list: Gate[]; label: string }) {
  if (list.length === 0) return null;
  return (
    <details class="gates">
      <summary>
        {t.gatesFired(list.length, label)}
      </summary>
      <ul>
        {list.map((gate, i) => (
          <GateLine key={i} gate={gate} />
        ))}
      </ul>
    </details>
  );
}

const tones: Record<string, string> = {
  progress: "good",
  new: "good",
  cited: "good",
  no_change: "warned",
  near_duplicate: "warned",
  weakly_cited: "warned",
  dead_end: "bad",
  duplicate: "bad",
  uncited: "bad",
};
const Label = ({ text }: { text: string }) => <span class={`label is-${tones[text] ?? "plain"}`}>{words(text)}</span>;

// Statements, each on a line after a dash; what comes otherwise is shown as it is.
function Digest({ text }: { text: string }) {
  const lines = text.split("\n");
  if (!lines.every((line) => line.startsWith("- "))) return <p class="digest">{text}</p>;
  return (
    <ul class="digest">
      {lines.map((line, i) => (
        <li key={i}>{line.slice(2)}</li>
      ))}
    </ul>
  );
}

function CycleLine({ one }: { one: Cycle }) {
  const failed = one.status === "error" || one.status === "rate_limited";
  return (
    <li>
      <p class="query">
        <Icon name="search" />
        <span>{one.query}</span>
      </p>
      <p class="labels">
        {failed ? (
          <span class="label is-bad">{one.status === "rate_limited" ? t.tooManySearches : t.searchFailed}</span>
        ) : (
          [one.evidence_delta, one.novelty, one.grounding].map((label) => <Label key={label} text={label} />)
        )}
        {one.rewritten && <span class="label is-warned">{t.nextRewritten}</span>}
        {one.disagrees && <span class="label is-warned">{t.labelsDisagree}</span>}
      </p>
      {one.disagrees && one.own_labels && (
        <p class="fact">
          {t.ownLabels(Object.values(one.own_labels).map(words).join(", "))}
        </p>
      )}
      {failed && one.error && <p class="is-bad">{one.error}</p>}
      {one.answer && <Digest text={one.answer} />}
      {one.sources.length > 0 && <p class="fact">{one.sources.map(placeOf).join(", ")}</p>}
      <p class="fact">
        {one.decision}: {one.reasoning}
      </p>
    </li>
  );
}

function QuestionCard({ one }: { one: Asked }) {
  const failed = one.searches.filter(({ status }) => status === "error" || status === "rate_limited").length;
  return (
    <article class={`asked-question is-${one.state}`} aria-label={t.questionN(one.number)}>
      <h4>
        <span class="number">{one.number}</span> {one.text}
      </h4>
      <p class="fact">{one.goal}</p>
      <ol class="cycles">
        {one.cycles.map((cycle) => (
          <CycleLine key={cycle.cycle} one={cycle} />
        ))}
      </ol>
      <Gates list={one.gates} label={t.onQuestion(one.number)} />
      {one.done ? (
        <p class={!one.done.answered ? "is-bad" : one.done.missing ? "is-warned" : "is-good"}>
          {one.done.answered
            ? t.answered(one.done.confidence, Boolean(one.done.missing))
            : t.notAnswered}
          {one.done.missing && t.missing(one.done.missing)}
          <span class="fact">
            {" "}
            {t.nSearches(one.searches.length)}
            {failed > 0 ? t.nFailed(failed) : ""}, {secondsOf(one.ms ?? 0)}, {t.endedBy(words(one.done.ended))}
          </span>
        </p>
      ) : (
        <p class="fact">{t.inProgress}</p>
      )}
    </article>
  );
}

function Rounds({ seen }: { seen: Found }) {
  const elsewhere = seen.gates.filter(({ role }) => role === "intake" || role === "brain");
  return (
    <section class="rounds" aria-labelledby="rounds-title">
      <h3 id="rounds-title">{t.rounds}</h3>
      <Gates list={elsewhere} label={t.atIntake} />
      {seen.rounds.length === 0 && <p class="hint">{t.noneYet}</p>}
      <ol>
        {seen.rounds.map((round) => (
          <li key={round.round}>
            <p class="round-head">
              {t.roundN(round.round, round.decision)}
              {round.rewritten && <span class="label is-warned">{t.rewritten}</span>}
            </p>
            <p class="fact">{round.rationale}</p>
            {round.dropped?.map((one) => (
              <p key={one} class="fact">
                {t.dropped(one)}
              </p>
            ))}
            {seen.questions
              .filter((one) => one.round === round.round)
              .map((one) => (
                <QuestionCard key={one.number} one={one} />
              ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

const isOpen = (state?: string): boolean => state === "undecided" || state === "judge_only";

// The passage with its quote marked and in sight.
function Passage({ one }: { one: Citation }) {
  const text = useRef<HTMLParagraphElement>(null);
  const [at, end] = quoteIn(one.passage, one.quote);
  useEffect(() => {
    const mark = text.current?.querySelector("mark");
    if (text.current && mark) text.current.scrollTop = mark.offsetTop - 24;
  }, [one]);
  return (
    <blockquote id={`passage-${one.n}`} tabIndex={-1}>
      <p class="fact">
        {one.title}, {placeOf(one)}
      </p>
      <p class="passage" ref={text} tabIndex={0} role="region" aria-label={t.passageOf(one.n)}>
        {at < 0 ? (
          <>
            {one.passage}
            <br />
            <mark>{one.quote}</mark>
          </>
        ) : (
          <>
            {one.passage.slice(0, at)}
            <mark>{one.passage.slice(at, end)}</mark>
            {one.passage.slice(end)}
          </>
        )}
      </p>
    </blockquote>
  );
}

function Report({ seen }: { seen: Found }) {
  const { result } = seen;
  if (!result) return seen.error ? <p class="notice">{seen.error}</p> : null;
  const citations = result.citations ?? [];
  const nearest = result.nearest ?? [];
  return (
    <section class="research-report" aria-labelledby="report-title">
      <h3 id="report-title">{t.report}</h3>
      <p class="objective">{result.objective}</p>
      {result.ended !== "done" && (
        <p class="is-warned">
          {t.endedEarly(words(result.ended), result.error ?? "")}
          {result.retry_after_ms ? t.askAgainAfter(Math.ceil(result.retry_after_ms / 1000)) : ""}
        </p>
      )}
      {(result.claims ?? []).length === 0 && (
        <p>
          {nearest.length > 0
            ? t.noSourceSays
            : t.nothingQuoted}
        </p>
      )}
      <ul class="claims">
        {result.claims?.map((one, i) => (
          <li key={i}>
            {one.claim}{" "}
            {one.citations.map((n) => (
              <button
                key={n}
                type="button"
                class="citation"
                aria-expanded={opened.value === n}
                aria-label={t.sourceN(n, citations[n - 1] ? placeOf(citations[n - 1]!) : "")}
                onClick={() => (opened.value = opened.value === n ? null : n)}
              >
                {n}
              </button>
            ))}{" "}
            {one.grounding !== "cited" && <Label text={one.grounding} />}
            {one.citations.map((n) => {
              const citation = citations[n - 1];
              return opened.value === n && citation ? <Passage key={n} one={citation} /> : null;
            })}
          </li>
        ))}
      </ul>
      {nearest.length > 0 && (
        <>
          <h4>{t.nearest}</h4>
          <ul>
            {nearest.map((one) => (
              <li key={one.n}>
                {one.quote} <span class="fact">{placeOf(one)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h4>{t.criteria}</h4>
      <ul class="criteria">
        {result.success_criteria?.map((one) => (
          <li key={one.criterion} class={one.met ? "is-good" : isOpen(one.state) ? "is-warned" : "is-bad"}>
            {one.met ? t.met : one.state === "undecided" ? t.undecided : one.state === "judge_only" ? t.judgeOnly : t.unmet}
            {one.criterion}
            {one.state === "judge_only" && <span class="fact"> {t.judgeOnlyAbout}</span>}
          </li>
        ))}
      </ul>
      {result.metrics && (
        <p class="fact">
          {metricsText(result.metrics)}; {t.nCalls(seen.calls)}, {t.nTokens(seen.tokens_used)}
        </p>
      )}
    </section>
  );
}

export function ResearchView() {
  const seen = found.value;
  return (
    <div class="research">
      {(indexing.value || (live.value && !seen?.asks)) && (
        <p class="research-now" role="status">
          {indexing.value && t.indexing(indexing.value.done, indexing.value.all)}
          {live.value && (
            <button type="button" class="button small" title={t.stopAbout} onClick={() => void stop()}>
              {t.stop}
            </button>
          )}
        </p>
      )}
      <div class="research-columns">
        <Chat />
        <div class="research-course">
          {seen && <Report seen={seen} />}
          {seen && <Rounds seen={seen} />}
        </div>
      </div>
    </div>
  );
}
