// What a stream is played with, and what it shows: how far it has come, where it would have been stopped, what that saves.
import type { PieceUnit } from "../tokens";
import {
  finishStream,
  findings,
  jumpTo,
  outcome,
  playOrPause,
  plural,
  restartStream,
  setPace,
  stepStream,
} from "../studio";
import { pace, paces, saved, streaming, type Streaming } from "../streaming";
import { messageOf } from "./finding_card";
import { Icon, SeverityIcon } from "./icons";

const percent = (share: number): string => `${Math.round(share * 100)}%`;

function Controls({ phase }: { phase: Streaming["phase"] }) {
  const playing = phase === "playing";
  const underWay = playing || phase === "paused";
  return (
    <div class="stream-controls">
      <div class="button-row" role="group" aria-label="Play">
        <button type="button" class="button small" aria-label="From the beginning" onClick={restartStream}>
          <Icon name="restart" />
        </button>
        <button
          type="button"
          class="button small primary"
          aria-label={playing ? "Pause" : "Play"}
          title="F9"
          onClick={playOrPause}
        >
          <Icon name={playing ? "pause" : "play"} />
        </button>
        <button
          type="button"
          class="button small"
          aria-label={pace.value.unit === "tokens" ? "One token more" : "One character more"}
          title="Shift F9"
          onClick={stepStream}
        >
          <Icon name="step" />
        </button>
        <button type="button" class="button small" aria-label="To the end" disabled={!underWay} onClick={finishStream}>
          <Icon name="stop" />
        </button>
      </div>
      <label class="select">
        <span class="visually-hidden">Speed</span>
        <select
          value={String(pace.value.rate)}
          onChange={(event) => setPace({ ...pace.value, rate: Number(event.currentTarget.value) })}
        >
          {paces.map(({ rate, title }) => (
            <option key={rate} value={String(rate)}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="select">
        <span class="visually-hidden">Unit of the speed</span>
        <select
          value={pace.value.unit}
          onChange={(event) => setPace({ ...pace.value, unit: event.currentTarget.value as PieceUnit })}
        >
          <option value="tokens">tokens/s</option>
          <option value="characters">characters/s</option>
        </select>
      </label>
    </div>
  );
}

function Track({ now }: { now: Streaming }) {
  const total = Math.max(1, now.total.bytes);
  return (
    <div class="track" aria-hidden="true">
      <div class="track-arrived" style={{ transform: `scaleX(${now.arrived.bytes / total})` }} />
      {now.stop && (
        <>
          <div class="track-spared" style={{ left: percent(now.stop.bytes / total) }} />
          <div class="track-stop" style={{ left: `${(now.stop.bytes / total) * 100}%` }} />
        </>
      )}
    </div>
  );
}

function Because({ now }: { now: Streaming }) {
  const { stop } = now;
  const gain = saved.value;
  if (!stop || !gain) {
    return (
      <p class="stop-text">
        {now.phase === "ready"
          ? "Play it, and see when each finding becomes certain."
          : now.phase === "ended"
            ? "Nothing would have stopped it."
            : "Nothing would have stopped it so far."}
      </p>
    );
  }
  const because = stop.because;
  const finding = "id" in because ? findings.value.find(({ id }) => id === because.id) : undefined;
  return (
    <div class="stop-text">
      <p>
        <strong>Stopped after byte {stop.bytes.toLocaleString("en")}</strong>
        {gain.bytes === 0 ? (
          ", at its end: nothing saved."
        ) : (
          <>
            {": "}
            <strong class="gain">{percent(gain.share)} saved</strong>
            {`, ${plural(gain.bytes, "byte")}, ≈ ${plural(gain.tokens, "token")}`}
          </>
        )}
      </p>
      <p class="stop-because">
        <SeverityIcon severity={finding ? "error" : "warning"} />
        {finding ? (
          <button
            type="button"
            class="link quiet"
            disabled={outcome.value.kind === "streaming"}
            onClick={() => jumpTo(finding.id)}
          >
            {messageOf(finding)}
          </button>
        ) : (
          <span>{"detail" in because ? because.detail : ""}</span>
        )}
      </p>
    </div>
  );
}

export function StreamBar() {
  const now = streaming.value;
  if (!now) return null;
  return (
    <section class="stream-bar" aria-label="Stream">
      <div class="stream-line">
        <Controls phase={now.phase} />
        <span class="fact arrived" title={`about ${plural(now.arrived.tokens, "token")}`}>
          {now.phase === "ready"
            ? ""
            : `${now.arrived.bytes.toLocaleString("en")} of ${plural(now.total.bytes, "byte")}`}
        </span>
      </div>
      <Track now={now} />
      <Because now={now} />
    </section>
  );
}
