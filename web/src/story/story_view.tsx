// The view of stories: the graph as lanes with findings at their passages, any phase again, and the story to read beside
// the codewords held.
import { useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { StoryFinding, StoryRow } from "@plumbline/plumbline";

import { PaneFrame } from "../panes/drop_zone";
import { FileButton } from "../panes/file_button";
import type { ShipFormat } from "./messages";
import {
  again,
  back,
  before,
  chosen,
  download,
  findingsAt,
  graph,
  openExample,
  openFile,
  openFramed,
  opened,
  phases,
  problem,
  reading,
  showPhases,
  take,
} from "./state";
import "./story.css";
import { story as t } from "../strings";

const laneWidth = 12;
const rowHeight = 34;
const formats: readonly ShipFormat[] = ["html", "twee", "json", "gamebook"];
const kinds: Record<StoryRow["kind"], string> = {
  start: t.kindStart,
  ending: t.kindEnding,
  residue: t.kindResidue,
  variant: t.kindVariant,
  beside: t.kindBeside,
  passage: "",
  beat: "",
};

// A codeword, or the path that it is of, as the author of an outline writes it: "lamp/keep".
const written = (word: string): string => word.replace(/^(\w+?)__(\w+?)(?:_committed)?$/, "$1/$2");

function Tools() {
  return (
    <div class="story-tools">
      <button type="button" class="button" onClick={openExample}>
        {t.example}
      </button>
      <FileButton
        large
        label={t.openFile}
        title={t.openStory}
        accept=".json,.ndjson,.journal,.twee,.tw,.html,.txt"
        onFile={(file) => void openFile(file)}
      />
    </div>
  );
}

function Stepper({ framed }: { framed: boolean }) {
  const all = opened.value?.phases ?? [];
  if (all.length === 0) return null;
  const at = phases.value;
  const shown = all[at - 1];
  return (
    <section class="story-phases" aria-labelledby="story-phases-title">
      <h3 id="story-phases-title">{t.phases}</h3>
      {!framed && <div class="story-stepper">
        <button type="button" class="button small" disabled={at <= 1} onClick={() => void showPhases(at - 1)}>
          {t.earlier}
        </button>
        <input
          type="range"
          aria-label={t.phase}
          aria-valuetext={shown?.name}
          min={1}
          max={all.length}
          value={at}
          onInput={(event) => void showPhases(event.currentTarget.valueAsNumber)}
        />
        <button type="button" class="button small" disabled={at >= all.length} onClick={() => void showPhases(at + 1)}>
          {t.later}
        </button>
        <span class="fact">
          {t.phaseOf(at, all.length)}
        </span>
      </div>}
      {shown && (
        <>
          <p class="story-phase" role="status">
            <strong>{shown.name}</strong> {shown.status}, {t.nChanges(shown.changes.length + shown.more)}
            {shown.detail && `; ${shown.detail}`}
          </p>
          {Object.entries(shown.left_out).map(([kind, count]) => (
            <p key={kind} class="hint">
              {t.leftOut(count, kind)}
            </p>
          ))}
          {shown.warnings.map((warning) => (
            <p key={warning} class="is-warning">
              {warning}
            </p>
          ))}
          {shown.changes.length > 0 && (
            <details>
              <summary>{t.graphChanges}</summary>
              <ul class="story-changes">
                {shown.changes.map(({ text, why }, i) => (
                  <li key={i}>
                    <code>{text}</code> <span class="hint">{why}</span>
                  </li>
                ))}
                {shown.more > 0 && <li class="hint">{t.andMore(shown.more)}</li>}
              </ul>
            </details>
          )}
        </>
      )}
    </section>
  );
}

// The lanes of one row: a line for each arc that is under way there, a dot for each that goes through.
function Lanes({ index, rows, spans }: { index: number; rows: readonly StoryRow[]; spans: readonly (readonly [number, number])[] }) {
  const row = rows[index]!;
  const middle = rowHeight / 2;
  return (
    <svg class="story-lanes" width={spans.length * laneWidth} height={rowHeight} aria-hidden="true">
      {spans.map(([first, last], arc) => {
        if (index < first || index > last) return null;
        const x = arc * laneWidth + laneWidth / 2;
        return (
          <line key={arc} class={`lane lane-${arc % 4}`} x1={x} x2={x} y1={index === first ? middle : 0} y2={index === last ? middle : rowHeight} />
        );
      })}
      {row.arcs.map((arc) => (
        <circle key={arc} class={`dot lane-${arc % 4} is-${row.kind}`} cx={arc * laneWidth + laneWidth / 2} cy={middle} r="4" />
      ))}
    </svg>
  );
}

function spansOf(rows: readonly StoryRow[], arcs: number): [number, number][] {
  return Array.from({ length: arcs }, (_, arc) => {
    const at = rows.flatMap((row, i) => (row.arcs.includes(arc) ? [i] : []));
    return [at[0] ?? rows.length, at.at(-1) ?? -1];
  });
}

function Graph() {
  const lanes = graph.value?.lanes;
  if (!lanes || lanes.rows.length === 0) return null;
  const spans = spansOf(lanes.rows, lanes.arcs.length);
  const spine = lanes.arcs.findIndex((arc) => arc.spine);
  return (
    <section aria-labelledby="story-graph-title">
      <h3 id="story-graph-title">
        {lanes.of === "passages" ? t.nPassages(lanes.rows.length + lanes.cut) : t.nBeats(lanes.rows.length + lanes.cut)}
        {lanes.arcs.length > 0 && t.inArcs(lanes.arcs.length)}
      </h3>
      <p class="hint">
        {lanes.arcs.length > 0
          ? t.lanes(spine)
          : t.noArcsYet}
      </p>
      <ol class="story-rows" aria-label={lanes.of === "passages" ? t.passages : t.beats}>
        {lanes.rows.map((row, i) => (
          <Row key={row.id} row={row} index={i} rows={lanes.rows} spans={spans} arcs={lanes.arcs.length} />
        ))}
      </ol>
      {lanes.cut > 0 && <p class="hint">{t.moreNotDrawn(lanes.cut)}</p>}
    </section>
  );
}

function Row({ row, index, rows, spans, arcs }: { row: StoryRow; index: number; rows: readonly StoryRow[]; spans: [number, number][]; arcs: number }) {
  const found = findingsAt.value.get(row.id) ?? [];
  const worst = found.some((one) => one.severity === "error") ? "error" : found.length > 0 ? "warning" : "";
  const isChosen = chosen.value === row.id;
  const isHere = reading.value?.passage === row.id;
  return (
    <li class={`story-row${isHere ? " is-here" : ""}`}>
      <button
        type="button"
        aria-expanded={isChosen}
        aria-current={isHere ? "location" : undefined}
        onClick={() => (chosen.value = isChosen ? "" : row.id)}
      >
        <Lanes index={index} rows={rows} spans={spans} />
        <span class="story-id">{row.id}</span>
        {kinds[row.kind] && <span class={`story-kind is-${row.kind}`}>{kinds[row.kind]}</span>}
        {row.draft && <span class="story-kind">{t.draft}</span>}
        {worst && <span class={`story-found is-${worst}`}>{t.nFindings(found.length)}</span>}
        {arcs > 0 && (
          <span class="visually-hidden">{row.arcs.length > 0 ? t.onArcs(row.arcs.length, arcs) : t.onNoArc}</span>
        )}
      </button>
      {isChosen && <Chosen row={row} found={found} />}
    </li>
  );
}

function Chosen({ row, found }: { row: StoryRow; found: readonly StoryFinding[] }) {
  return (
    <div class="story-chosen">
      <p>{row.summary}</p>
      {row.for && <p class="hint">{t.forReaders(written(row.for))}</p>}
      {row.grants && row.grants.length > 0 && <p class="hint">{t.grants(row.grants.map(written).join(", "))}</p>}
      {found.map((one, i) => (
        <Finding key={i} one={one} />
      ))}
      {row.choices && row.choices.length > 0 && (
        <ul aria-label={t.choicesAt(row.id)}>
          {row.choices.map((choice, i) => (
            <li key={i}>
              “{choice.label}” → <code>{choice.to}</code>
              {choice.requires.length > 0 && <span class="hint"> {t.needs(choice.requires.map(written).join(", "))}</span>}
              {choice.routing && <span class="hint"> {t.variantMark}</span>}
              {choice.back && <span class="hint"> {t.backMark}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Finding({ one }: { one: StoryFinding }) {
  return (
    <p class={`is-${one.severity}`}>
      {one.severity === "error" ? t.error : one.severity === "warning" ? t.warning : ""}
      {one.message} <code>{one.rule}</code>
      {one.line > 0 && t.atLine(one.line)}
    </p>
  );
}

function Findings() {
  const all = opened.value?.findings ?? [];
  const play = opened.value?.play;
  return (
    <section aria-labelledby="story-findings-title">
      <h3 id="story-findings-title">{all.length === 0 ? t.noFindings : t.nFindings(all.length)}</h3>
      {play && play.states > 0 && (
        <p class="hint">
          {t.walked(play.states, play.endings_reached, play.endings)}
        </p>
      )}
      <ul class="story-findings">
        {all.slice(0, 200).map((one, i) => (
          <li key={i}>
            <Finding one={one} />
          </li>
        ))}
        {opened.value?.undecided.slice(0, 200).map(({ reason }, i) => (
          <li key={`undecided ${i}`}>{t.undecided(reason)}</li>
        ))}
      </ul>
    </section>
  );
}

function Reader() {
  const at = reading.value;
  if (!at) return null;
  return (
    <section class="story-reader" aria-labelledby="story-reader-title">
      <h3 id="story-reader-title">{t.read}</h3>
      <article aria-live="polite">
        <p class="hint">
          <code>{at.passage}</code>
          {at.draft && t.draftMark}
        </p>
        {at.text.split("\n\n").map((part, i) => (
          <p key={i} class="story-text">
            {part}
          </p>
        ))}
        {at.ending && <p class="story-end">{t.theEnd}</p>}
      </article>
      <ul class="story-ways" aria-label={t.choices}>
        {at.ways.map(({ way, route, label, to }) => (
          <li key={`${way}.${route}`}>
            <button type="button" class="button" title={to} onClick={() => void take(way, route)}>
              {label || t.continueOn}
            </button>
          </li>
        ))}
      </ul>
      {at.ways.length === 0 && !at.ending && <p class="is-error">{t.deadEnd}</p>}
      <h4>{t.codewords}</h4>
      {at.held.length === 0 ? (
        <p class="hint">{t.none}</p>
      ) : (
        <ul class="story-held" aria-label={t.codewords}>
          {at.held.map((word) => (
            <li key={word}>
              <code>{written(word)}</code>
            </li>
          ))}
        </ul>
      )}
      <div class="story-tools">
        <button type="button" class="button small" disabled={before.value.length === 0} onClick={back}>
          {t.back}
        </button>
        <button type="button" class="button small" onClick={() => void again()}>
          {t.restart}
        </button>
      </div>
    </section>
  );
}

function Story({ framed }: { framed: boolean }) {
  const seen = opened.value;
  return (
    <>
      <header class="story-head">
        <h2>{seen?.title || t.heading}</h2>
        {seen && <span class={`label is-${seen.decision === "accept" ? "good" : seen.valid ? "warned" : "bad"}`}>{seen.decision.replaceAll("_", " ")}</span>}
        {seen && !framed && <span class="fact">{seen.of}</span>}
        <Tools />
      </header>
      {problem.value && (
        <p class="notice" role="alert">
          {problem.value}
        </p>
      )}
      {!seen && !framed && <p class="hint">{t.openHint}</p>}
      {seen && (
        <div class="story-columns">
          <div class="story-graph">
            <Stepper framed={framed} />
            <Graph />
          </div>
          <div class="story-beside">
            <Reader />
            <Findings />
            {seen.readable && seen.valid && (
              <section aria-labelledby="story-ship-title">
                <h3 id="story-ship-title">{t.exportTitle}</h3>
                <div class="story-tools">
                  {formats.map((format) => (
                    <button key={format} type="button" class="button small" onClick={() => void download(format)}>
                      {format}
                    </button>
                  ))}
                </div>
              </section>
            )}
          </div>
        </div>
      )}
    </>
  );
}

// In the frame of a run, whose position chooses the phase.
export function StoryOfRun() {
  useSignalEffect(() => void openFramed());
  return (
    <div class="story">
      <Story framed />
    </div>
  );
}

// A story or an outline from a file.
export function StoryView() {
  useEffect(() => {
    document.title = t.title;
  }, []);
  return (
    <div class="story">
      <PaneFrame class="story-pane" id="story-pane" label={t.heading} onFile={(file) => void openFile(file)} dropHint={t.dropHere}>
        <Story framed={false} />
      </PaneFrame>
    </div>
  );
}
