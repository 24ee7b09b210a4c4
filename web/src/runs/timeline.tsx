// The journal as a mason's rule: a mark for each entry, the bob at the position. Stepped with the buttons, the slider or
// the arrow keys.
import { computed } from "@preact/signals";
import { useRef } from "preact/hooks";

import { Icon } from "../panes/icons";
import { durationText } from "./facts";
import { entries, entry, following, goTo, last, origin, playing, playOrPause, position, stepBy, stepLine } from "./state";
import { lineOf, lineWidth, nearest } from "./time_line";
import { runs as t } from "../strings";

const marksMax = 240;
const heights: Record<string, number> = { note: 4, scope: 6, end: 20, begin: 20, cancel: 20 };
const laneHeight = 4.5;
const lineInset = 8; // px, on both sides
const left = (x: number): string => `calc(${lineInset}px + (100% - ${2 * lineInset}px) * ${(x / lineWidth).toFixed(4)})`;
const since = (at: number | undefined): number => (at ?? 0) - (entries.value[0]?.at ?? 0);

const words: Record<string, string> = {
  begin: t.entryBegin,
  attempt: t.entryAttempt,
  reply: t.entryReply,
  note: t.entryNote,
  scope: t.entryScope,
  version: t.entryVersion,
  drift: t.entryDrift,
  signal: t.entrySignal,
  cancel: t.entryCancel,
  end: t.entryEnd,
};

export const line = computed(() => lineOf(entries.value));

function Marks() {
  const all = entries.value;
  const { at, bars, pauses } = line.value;
  const each = Math.max(1, Math.ceil(all.length / marksMax));
  const shown = all.filter(({ kind }, n) => kind !== "attempt" && kind !== "reply" && (n % each === 0 || kind === "end" || kind === "cancel"));
  return (
    <svg class="marks" viewBox={`0 0 ${lineWidth} 20`} preserveAspectRatio="none" aria-hidden="true">
      {pauses.map(({ n, to }) => (
        <path key={`p${n}`} class="pause" d={`M${at[n]} 19h${at[to]! - at[n]!}`} />
      ))}
      {bars.slice(0, marksMax).map(({ from, to, lane, bad }) => (
        <rect
          key={`c${from}`}
          class={`bar ${bad ? "bad" : ""} ${from <= position.value ? "past" : ""}`}
          x={at[from]}
          y={lane * laneHeight}
          width={Math.max(2, at[to]! - at[from]!)}
          height={laneHeight - 1}
        />
      ))}
      {shown.map(({ n, kind, status }) => (
        <path
          key={n}
          class={`mark-${kind} ${status && status !== "ok" ? "bad" : ""} ${n <= position.value ? "past" : ""}`}
          d={`M${at[n]?.toFixed(1)} 20v-${heights[kind] ?? 4}`}
        />
      ))}
    </svg>
  );
}

export function Timeline() {
  const slider = useRef<HTMLInputElement>(null);
  const rule = useRef<HTMLDivElement>(null);
  const seek = (clientX: number) => {
    const box = rule.current?.getBoundingClientRect();
    if (box) goTo(nearest(line.value.at, ((clientX - box.left - lineInset) / (box.width - 2 * lineInset)) * lineWidth));
  };
  const now = entry.value;
  const what = now ? `${words[now.kind] ?? now.kind}${now.name ? `: ${now.name}` : ""}` : "";
  const step = (title: string, keys: string, icon: "first" | "back" | "forward" | "last", act: () => void, off: boolean) => (
    <button type="button" class="button ghost" aria-label={title} title={`${title} (${keys})`} disabled={off} onClick={act}>
      <Icon name={icon} />
    </button>
  );
  const atStart = position.value <= 0;
  const atEnd = position.value >= last.value;
  return (
    <div class="timeline">
      <div class="steppers" role="group" aria-label={t.stepThrough}>
        {step(t.firstEntry, t.keyHome, "first", () => goTo(0), atStart)}
        {step(t.entryBack, t.keyLeft, "back", () => stepBy(-1), atStart)}
        <button
          type="button"
          class="button ghost play"
          aria-label={playing.value ? t.pause : t.playLines}
          title={playing.value ? t.pause : t.playLines}
          disabled={last.value < 1}
          onClick={playOrPause}
        >
          <Icon name={playing.value ? "pause" : "play"} />
        </button>
        {step(t.entryForward, t.keyRight, "forward", () => stepBy(1), atEnd)}
        {step(t.lastEntry, t.keyEnd, "last", () => goTo(last.value), atEnd)}
      </div>
      <div
        class="scrubber"
        ref={rule}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          slider.current?.focus();
          seek(event.clientX);
        }}
        onPointerMove={(event) => event.buttons === 1 && seek(event.clientX)}
      >
        <Marks />
        {line.value.pauses.map(({ n, to, ms }) => {
          const [from = 0, end = 0] = [line.value.at[n], line.value.at[to]];
          return (
            <span key={n} class="pause-length" style={{ left: left(from), width: `${((end - from) / lineWidth) * 100}%` }} title={t.pauseOf(durationText(ms))}>
              <span>{durationText(ms)}</span>
            </span>
          );
        })}
        <span class="bob" style={{ left: left(line.value.at[position.value] ?? 0) }} aria-hidden="true" />
        <input
          ref={slider}
          type="range"
          min={0}
          max={Math.max(0, last.value)}
          value={position.value}
          aria-label={t.position}
          aria-valuetext={t.positionText(position.value, last.value, what)}
          onInput={(event) => goTo(event.currentTarget.valueAsNumber)}
        />
      </div>
      <p class="position">
        <b>{position.value}</b>
        <span class="fact"> / {Math.max(0, last.value)}</span>
        <span class="fact position-time">{t.timeOf(durationText(since(now?.at)), durationText(since(entries.value[last.value]?.at)))}</span>
        <span class="position-what">{what}</span>
      </p>
      {origin.value?.live && !following.value && (
        <button type="button" class="button small" onClick={() => goTo(last.value)}>
          {t.follow}
        </button>
      )}
    </div>
  );
}

// Arrow keys anywhere but where something is written or has arrow keys of its own.
export function onRunsKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || last.value < 0) return;
  const target = event.target as HTMLElement;
  if (target.closest("input, textarea, select, [role=tab], .cm-editor, dialog")) return;
  const acts: Record<string, () => void> = {
    ArrowLeft: () => (event.shiftKey ? stepLine(-1) : stepBy(-1)),
    ArrowRight: () => (event.shiftKey ? stepLine(1) : stepBy(1)),
    Home: () => goTo(0),
    End: () => goTo(last.value),
  };
  const act = acts[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
}
