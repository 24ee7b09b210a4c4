// What a stream is played with, and what it shows: how far it has come, where it would have been stopped, what that saves.
import type { PieceUnit } from "../tokens";
import {
  finishStream,
  findings,
  jumpTo,
  outcome,
  playOrPause,
  restartStream,
  setPace,
  stepStream,
} from "../studio";
import { pace, paces, saved, streaming, type Streaming } from "../streaming";
import { messageOf } from "./finding_card";
import { Icon, SeverityIcon } from "./icons";
import { checking as t } from "../strings";

const percent = (share: number): string => `${Math.round(share * 100)}%`;

function Controls({ phase }: { phase: Streaming["phase"] }) {
  const playing = phase === "playing";
  const underWay = playing || phase === "paused";
  return (
    <div class="stream-controls">
      <div class="button-row" role="group" aria-label={t.play}>
        <button type="button" class="button small" aria-label={t.fromBeginning} onClick={restartStream}>
          <Icon name="restart" />
        </button>
        <button
          type="button"
          class="button small primary"
          aria-label={playing ? t.pause : t.play}
          title={t.keyF9}
          onClick={playOrPause}
        >
          <Icon name={playing ? "pause" : "play"} />
        </button>
        <button
          type="button"
          class="button small"
          aria-label={pace.value.unit === "tokens" ? t.oneToken : t.oneCharacter}
          title={t.keyShiftF9}
          onClick={stepStream}
        >
          <Icon name="step" />
        </button>
        <button type="button" class="button small" aria-label={t.toEnd} disabled={!underWay} onClick={finishStream}>
          <Icon name="stop" />
        </button>
      </div>
      <label class="select">
        <span class="visually-hidden">{t.speed}</span>
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
        <span class="visually-hidden">{t.speedUnit}</span>
        <select
          value={pace.value.unit}
          onChange={(event) => setPace({ ...pace.value, unit: event.currentTarget.value as PieceUnit })}
        >
          <option value="tokens">{t.tokensPerSecond}</option>
          <option value="characters">{t.charactersPerSecond}</option>
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
          ? t.playHint
          : now.phase === "ended"
            ? t.neverStopped
            : t.notStoppedYet}
      </p>
    );
  }
  const because = stop.because;
  const finding = "id" in because ? findings.value.find(({ id }) => id === because.id) : undefined;
  return (
    <div class="stop-text">
      <p>
        <strong>{t.couldStopAt(stop.bytes)}</strong>
        {gain.bytes === 0 ? (
          t.stopSavesNothing
        ) : (
          <>
            {t.stopSaves}
            <strong class="gain">{percent(gain.share)}</strong>
            {t.bytesAndTokens(gain.bytes, gain.tokens)}
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
    <section class="stream-bar" aria-label={t.streamBar}>
      <div class="stream-line">
        <Controls phase={now.phase} />
        <span class="fact arrived" title={t.aboutTokenCount(now.arrived.tokens)}>
          {now.phase === "ready"
            ? ""
            : t.bytesOf(now.arrived.bytes, now.total.bytes)}
        </span>
      </div>
      <Track now={now} />
      <Because now={now} />
    </section>
  );
}
