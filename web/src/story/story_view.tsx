// The view of stories: the graph as lanes with findings at their passages, any phase again, and the story to read beside
// the codewords held.
import { untracked, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { StoryFinding, StoryRow } from "@plumbline/plumbline";

import { PaneFrame } from "../panes/drop_zone";
import { FileButton } from "../panes/file_button";
import { plural } from "../plural";
import { hereRuns } from "../runs/here";
import { address, linkTo } from "../view";
import type { ShipFormat } from "./messages";
import {
  again,
  back,
  before,
  chosen,
  download,
  findingsAt,
  graph,
  live,
  openAddressed,
  openExample,
  openFile,
  opened,
  phases,
  problem,
  reading,
  showPhases,
  take,
} from "./state";
import "./story.css";

const laneWidth = 12;
const rowHeight = 34;
const formats: readonly ShipFormat[] = ["html", "twee", "json", "gamebook"];
const kinds: Record<StoryRow["kind"], string> = {
  start: "start",
  ending: "ending",
  residue: "residue",
  variant: "variant of an ending",
  beside: "beside",
  passage: "",
  beat: "",
};

// A codeword, or the path that it is of, as the author of an outline writes it: "lamp/keep".
const written = (word: string): string => word.replace(/^(\w+?)__(\w+?)(?:_committed)?$/, "$1/$2");

function Tools() {
  return (
    <div class="story-tools">
      {live.value && (
        <a class="button" href={linkTo("runs", live.value)} title="Step through its journal, fork it">
          Journal
        </a>
      )}
      <button type="button" class="button" onClick={() => void openExample()}>
        Example
      </button>
      <FileButton
        large
        label="Open a story, an outline or a journal"
        title="Open a story"
        accept=".json,.ndjson,.journal,.twee,.tw,.html,.txt"
        onFile={(file) => void openFile(file)}
      />
    </div>
  );
}

function Stepper() {
  const all = opened.value?.phases ?? [];
  if (all.length === 0) return null;
  const at = phases.value;
  const shown = all[at - 1];
  return (
    <section class="story-phases" aria-labelledby="story-phases-title">
      <h3 id="story-phases-title">Phases</h3>
      <div class="story-stepper">
        <button type="button" class="button small" disabled={at <= 1} onClick={() => void showPhases(at - 1)}>
          Earlier
        </button>
        <input
          type="range"
          aria-label="Phase"
          aria-valuetext={shown?.name}
          min={1}
          max={all.length}
          value={at}
          onInput={(event) => void showPhases(event.currentTarget.valueAsNumber)}
        />
        <button type="button" class="button small" disabled={at >= all.length} onClick={() => void showPhases(at + 1)}>
          Later
        </button>
        <span class="fact">
          {at} of {all.length}
        </span>
      </div>
      {shown && (
        <>
          <p class="story-phase" role="status">
            <strong>{shown.name}</strong> {shown.status}, {plural(shown.changes.length + shown.more, "change")}
            {shown.detail && `; ${shown.detail}`}
          </p>
          {Object.entries(shown.left_out).map(([kind, count]) => (
            <p key={kind} class="hint">
              Left out, since no model was asked: {count} {kind}
            </p>
          ))}
          {shown.warnings.map((warning) => (
            <p key={warning} class="is-warning">
              {warning}
            </p>
          ))}
          {shown.changes.length > 0 && (
            <details>
              <summary>Changes of the graph</summary>
              <ul class="story-changes">
                {shown.changes.map(({ text, why }, i) => (
                  <li key={i}>
                    <code>{text}</code> <span class="hint">{why}</span>
                  </li>
                ))}
                {shown.more > 0 && <li class="hint">and {shown.more} more</li>}
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
        {lanes.of === "passages" ? plural(lanes.rows.length + lanes.cut, "passage") : plural(lanes.rows.length + lanes.cut, "beat")}
        {lanes.arcs.length > 0 && ` in ${plural(lanes.arcs.length, "arc")}`}
      </h3>
      <p class="hint">
        {lanes.arcs.length > 0
          ? `Each lane is an arc, one answer for each dilemma${spine >= 0 ? `; lane ${spine + 1} takes every default` : ""}.`
          : "Arcs are enumerated in a later phase."}
      </p>
      <ol class="story-rows" aria-label={lanes.of === "passages" ? "Passages" : "Beats"}>
        {lanes.rows.map((row, i) => (
          <Row key={row.id} row={row} index={i} rows={lanes.rows} spans={spans} arcs={lanes.arcs.length} />
        ))}
      </ol>
      {lanes.cut > 0 && <p class="hint">and {lanes.cut} more that are not drawn</p>}
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
        {row.draft && <span class="story-kind">draft</span>}
        {worst && <span class={`story-found is-${worst}`}>{plural(found.length, "finding")}</span>}
        {arcs > 0 && (
          <span class="visually-hidden">{row.arcs.length > 0 ? `on ${row.arcs.length} of ${plural(arcs, "arc")}` : "on no arc of its own"}</span>
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
      {row.for && <p class="hint">For readers on {written(row.for)}</p>}
      {row.grants && row.grants.length > 0 && <p class="hint">Grants {row.grants.map(written).join(", ")}</p>}
      {found.map((one, i) => (
        <Finding key={i} one={one} />
      ))}
      {row.choices && row.choices.length > 0 && (
        <ul aria-label={`Choices at ${row.id}`}>
          {row.choices.map((choice, i) => (
            <li key={i}>
              “{choice.label}” → <code>{choice.to}</code>
              {choice.requires.length > 0 && <span class="hint"> asks for {choice.requires.map(written).join(", ")}</span>}
              {choice.routing && <span class="hint"> (variant)</span>}
              {choice.back && <span class="hint"> (back)</span>}
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
      {one.severity === "error" ? "Error: " : one.severity === "warning" ? "Warning: " : ""}
      {one.message} <code>{one.rule}</code>
      {one.line > 0 && ` line ${one.line}`}
    </p>
  );
}

function Findings() {
  const all = opened.value?.findings ?? [];
  const play = opened.value?.play;
  return (
    <section aria-labelledby="story-findings-title">
      <h3 id="story-findings-title">{all.length === 0 ? "No findings" : plural(all.length, "finding")}</h3>
      {play && play.states > 0 && (
        <p class="hint">
          {plural(play.states, "state")} walked, {play.endings_reached} of {plural(play.endings, "ending")} reached
        </p>
      )}
      <ul class="story-findings">
        {all.slice(0, 200).map((one, i) => (
          <li key={i}>
            <Finding one={one} />
          </li>
        ))}
        {opened.value?.undecided.slice(0, 200).map(({ reason }, i) => (
          <li key={`undecided ${i}`}>Undecided: {reason}</li>
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
      <h3 id="story-reader-title">Read</h3>
      <article aria-live="polite">
        <p class="hint">
          <code>{at.passage}</code>
          {at.draft && " draft"}
        </p>
        {at.text.split("\n\n").map((part, i) => (
          <p key={i} class="story-text">
            {part}
          </p>
        ))}
        {at.ending && <p class="story-end">The end.</p>}
      </article>
      <ul class="story-ways" aria-label="Ways on">
        {at.ways.map(({ way, route, label, to }) => (
          <li key={`${way}.${route}`}>
            <button type="button" class="button" title={to} onClick={() => void take(way, route)}>
              {label || "Continue"}
            </button>
          </li>
        ))}
      </ul>
      {at.ways.length === 0 && !at.ending && <p class="is-error">No way on is open here, and it is no ending.</p>}
      <h4>Codewords held</h4>
      {at.held.length === 0 ? (
        <p class="hint">none</p>
      ) : (
        <ul class="story-held" aria-label="Codewords held">
          {at.held.map((word) => (
            <li key={word}>
              <code>{written(word)}</code>
            </li>
          ))}
        </ul>
      )}
      <div class="story-tools">
        <button type="button" class="button small" disabled={before.value.length === 0} onClick={back}>
          Back
        </button>
        <button type="button" class="button small" onClick={() => void again()}>
          From the beginning
        </button>
      </div>
    </section>
  );
}

export function StoryView() {
  useEffect(() => {
    document.title = "Story – Plumbline";
  }, []);
  useSignalEffect(() => {
    void address.value;
    void hereRuns.value;
    untracked(() => void openAddressed());
  });
  const seen = opened.value;
  return (
    <div class="story">
      <PaneFrame class="story-pane" id="story-pane" label="Story" onFile={(file) => void openFile(file)} dropHint="Drop a story here">
        <header class="story-head">
          <h2>{seen?.title || "Story"}</h2>
          {seen && <span class={`label is-${seen.decision === "accept" ? "good" : seen.valid ? "warned" : "bad"}`}>{seen.decision.replaceAll("_", " ")}</span>}
          {seen && <span class="fact">{seen.of}</span>}
          <Tools />
        </header>
        {problem.value && (
          <p class="notice" role="alert">
            {problem.value}
          </p>
        )}
        {!seen && (
          <p class="hint">
            Open an outline as JSON, the journal of a story, story.json or a Twee file, or look at the example. Nothing leaves this page.
          </p>
        )}
        {seen && (
          <div class="story-columns">
            <div class="story-graph">
              <Stepper />
              <Graph />
            </div>
            <div class="story-beside">
              <Reader />
              <Findings />
              {seen.readable && seen.valid && (
                <section aria-labelledby="story-ship-title">
                  <h3 id="story-ship-title">Take it along</h3>
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
      </PaneFrame>
    </div>
  );
}
