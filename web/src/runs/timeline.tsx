// The journal as a mason's rule: a mark for each entry, the bob at the position. Stepped with the buttons, the slider or
// the arrow keys.
import { useRef } from "preact/hooks";

import { Icon } from "../panes/icons";
import { entries, entry, following, goTo, last, origin, playing, playOrPause, position, stepBy, stepLine } from "./state";
import { runs as t } from "../strings";

const marksMax = 240;
const heights: Record<string, number> = { attempt: 9, reply: 14, note: 6, scope: 10, end: 18, begin: 18, cancel: 18 };

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

function Marks() {
  const all = entries.value;
  const each = Math.max(1, Math.ceil(all.length / marksMax));
  const shown = all.filter((one, index) => index % each === 0 || one.kind === "end" || one.kind === "cancel");
  const most = Math.max(1, last.value);
  return (
    <svg class="marks" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
      {shown.map(({ n, kind, status }) => (
        <path
          key={n}
          class={`mark-${kind} ${status && status !== "ok" ? "bad" : ""} ${n <= position.value ? "past" : ""}`}
          d={`M${((n / most) * 1000).toFixed(1)} 20v-${heights[kind] ?? 6}`}
        />
      ))}
    </svg>
  );
}

export function Timeline() {
  const slider = useRef<HTMLInputElement>(null);
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
      <div class="scrubber">
        <Marks />
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
