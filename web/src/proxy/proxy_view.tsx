// The live page of the proxy: what is called, what it costs, what the contracts say, who is asked.
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { Icon } from "../panes/icons";
import { view } from "../view";
import { Chart } from "./chart";
import { count, dollars, duration, share } from "./figures";
import "./proxy.css";
import { follow, type ProxyState } from "./server";
import { ByKeyAndModel, LastCalls, Upstreams } from "./tables";

const state = signal<ProxyState | null>(null);
const none = signal("");
const lost = signal(false);
const paused = signal(false);
// What came while it was paused: shown when it goes on.
let waiting: ProxyState | null = null;

function take(next: ProxyState): void {
  none.value = "";
  lost.value = false;
  if (paused.value) waiting = next;
  else state.value = next;
}

function pauseOrGoOn(): void {
  paused.value = !paused.value;
  if (!paused.value && waiting) state.value = waiting;
  waiting = null;
}

function Figure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        <b>{value}</b>
        {note && <span class="fact">{note}</span>}
      </dd>
    </div>
  );
}

// The median of the last minute with calls in it, by steps.
function lately(now: ProxyState): { p50: number; p95: number; calls: number } {
  const steps = now.steps.slice(-12).filter((step) => step.calls > 0);
  const sum = (of: (step: (typeof steps)[number]) => number): number => steps.reduce((all, step) => all + of(step), 0);
  const calls = sum((step) => step.calls);
  const mean = (of: (step: (typeof steps)[number]) => number): number =>
    calls === 0 ? 0 : sum((step) => of(step) * step.calls) / calls;
  return { p50: mean((step) => step.p50_ms), p95: mean((step) => step.p95_ms), calls };
}

function Figures({ now }: { now: ProxyState }) {
  const { totals } = now;
  const minute = lately(now);
  const refused = Object.values(now.refused).reduce((sum, one) => sum + one, 0);
  return (
    <dl class="figures">
      <Figure name="Calls" value={count(totals.calls)} note={`${count(now.open)} under way`} />
      <Figure
        name="Not answered"
        value={count(totals.failed)}
        note={refused > 0 ? `${count(refused)} refused` : "none refused"}
      />
      <Figure
        name="Tokens"
        value={count(totals.input_tokens + totals.output_tokens)}
        note={`${count(totals.input_tokens)} in, ${count(totals.output_tokens)} out`}
      />
      <Figure name="Cost" value={dollars(totals.usd)} note={`${count(now.keys)} ${now.keys === 1 ? "key" : "keys"}`} />
      <Figure
        name="Verdicts"
        value={share(totals.accepted, totals.accepted + totals.rejected)}
        note={`accepted of ${count(totals.accepted + totals.rejected)}`}
      />
      <Figure
        name="Stopped early"
        value={count(totals.early_stops)}
        note={`${count(totals.tokens_saved)} tokens saved`}
      />
      <Figure
        name="Latency"
        value={duration(minute.p50)}
        note={minute.calls > 0 ? `p95 ${duration(minute.p95)}, last minute` : "no call in the last minute"}
      />
      <Figure
        name="Given again"
        value={count(totals.replayed)}
        note={`${count(now.idempotency.entries)} answers kept`}
      />
    </dl>
  );
}

function Charts({ now }: { now: ProxyState }) {
  return (
    <div class="charts">
      <Chart
        title="Calls"
        steps={now.steps}
        kind="bars"
        show={count}
        series={[
          { name: "answered", tone: "calm", of: (step) => step.calls - step.failed },
          { name: "failed", tone: "bad", of: (step) => step.failed },
          { name: "refused", tone: "brass", of: (step) => step.refused },
        ]}
      />
      <Chart
        title="Time"
        steps={now.steps}
        kind="lines"
        show={duration}
        series={[
          { name: "p50", tone: "calm", of: (step) => step.p50_ms },
          { name: "p95", tone: "brass", of: (step) => step.p95_ms },
        ]}
      />
      <Chart
        title="Tokens"
        steps={now.steps}
        kind="bars"
        show={count}
        series={[
          { name: "in", tone: "calm", of: (step) => step.input_tokens },
          { name: "out", tone: "brass", of: (step) => step.output_tokens },
        ]}
      />
      <Chart
        title="Cost"
        steps={now.steps}
        kind="bars"
        show={dollars}
        series={[{ name: "cost", tone: "brass", of: (step) => step.usd }]}
      />
      <Chart
        title="Verdicts"
        steps={now.steps}
        kind="bars"
        show={count}
        series={[
          { name: "accepted", tone: "good", of: (step) => step.accepted },
          { name: "rejected", tone: "bad", of: (step) => step.rejected },
        ]}
      />
      <Chart
        title="Stopped early"
        steps={now.steps}
        kind="bars"
        show={count}
        series={[{ name: "stopped early", tone: "good", of: (step) => step.early_stops }]}
      />
    </div>
  );
}

function Refusals({ now }: { now: ProxyState }) {
  const codes = Object.entries(now.refused).sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return null;
  return (
    <section class="proxy-part">
      <h3>Refused</h3>
      <ul class="codes">
        {codes.map(([code, times]) => (
          <li key={code}>
            <code>{code}</code> {count(times)}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ProxyView() {
  useEffect(() => follow({ state: take, none: (why) => (none.value = why), lost: () => (lost.value = true) }), []);
  useSignalEffect(() => {
    if (view.value === "proxy") document.title = "Proxy – Plumbline";
  });
  const now = state.value;
  return (
    <main class="proxy" aria-label="Proxy">
      <header class="proxy-head">
        <h2>Proxy</h2>
        {now && (
          <>
            <span class={`live ${paused.value ? "is-paused" : lost.value ? "is-lost" : ""}`}>
              {paused.value ? "paused" : lost.value ? "connection lost, trying again" : "live"}
            </span>
            <button type="button" class="button" aria-pressed={paused.value} onClick={pauseOrGoOn}>
              <Icon name={paused.value ? "play" : "pause"} />
              {paused.value ? "Go on" : "Pause"}
            </button>
          </>
        )}
      </header>
      {now?.config.problem && (
        <p class="notice" role="alert">
          plumb.yaml was changed and cannot be taken; the settings before it stay. {now.config.problem}
        </p>
      )}
      {now?.keys_problem && (
        <p class="notice" role="alert">
          Client keys: {now.keys_problem}
        </p>
      )}
      {none.value && !now && <p class="hint proxy-none">{none.value}</p>}
      {now && (
        <>
          <Figures now={now} />
          <Charts now={now} />
          {now.totals.calls === 0 ? (
            <p class="hint">No call yet: point a client at the proxy, and it is shown here.</p>
          ) : (
            <ByKeyAndModel state={now} />
          )}
          <Upstreams state={now} />
          <Refusals now={now} />
          {now.calls.length > 0 && <LastCalls state={now} />}
        </>
      )}
    </main>
  );
}
