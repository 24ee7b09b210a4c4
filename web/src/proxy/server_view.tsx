// The place of the server: its proxy, live (what is called, what it costs, what the contracts say, who is asked), and what
// it has for runs.
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { Icon } from "../panes/icons";
import { Words } from "../panes/words";
import { askPresence, presence, unreachable } from "../presence";
import { serverFacts, type ServerFacts } from "../runs/server";
import { view } from "../view";
import { Chart } from "./chart";
import { count, dollars, duration, share } from "./figures";
import "./proxy.css";
import { follow, type ProxyState } from "./server";
import { ByKeyAndModel, LastCalls, Models, Upstreams } from "./tables";

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
      <h4>Refused</h4>
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

// `there`: whether the server says that one runs, which is asked before it is followed.
function Proxy({ there }: { there: boolean }) {
  useEffect(() => {
    none.value = there ? "" : noProxy;
    if (!there) return undefined;
    return follow({
      state: take,
      none: (why) => (none.value = why === "absent" ? noProxy : why.problem),
      lost: () => (lost.value = true),
    });
  }, [there]);
  const now = state.value;
  return (
    <section class="server-part" aria-labelledby="proxy-title">
      <header class="proxy-head">
        <h3 id="proxy-title">Proxy</h3>
        {now && (
          <>
            <span class={`live ${paused.value ? "is-paused" : lost.value ? "is-lost" : ""}`}>
              {paused.value ? "paused" : lost.value ? "connection lost, trying again" : "live"}
            </span>
            <button type="button" class="button small" aria-pressed={paused.value} onClick={pauseOrGoOn}>
              <Icon name={paused.value ? "play" : "pause"} />
              {paused.value ? "Go on" : "Pause"}
            </button>
          </>
        )}
      </header>
      {now?.config.problem && (
        <p class="notice" role="alert">
          plumb.yaml was changed and cannot be taken; the settings before it stay. <Words text={now.config.problem} />
        </p>
      )}
      {now?.keys_problem && (
        <p class="notice" role="alert">
          Client keys: <Words text={now.keys_problem} />
        </p>
      )}
      {none.value && !now && <p class="hint proxy-none"><Words text={none.value} /></p>}
      {now && (
        <>
          <Figures now={now} />
          <Charts now={now} />
          {now.totals.calls === 0 ? (
            <p class="hint">No call yet: point a client at the proxy, and it is shown here.</p>
          ) : (
            <ByKeyAndModel state={now} />
          )}
          {now.calls.length > 0 && <LastCalls state={now} />}
          <Upstreams state={now} />
          <Models state={now} />
          <Refusals now={now} />
        </>
      )}
    </section>
  );
}

// Whom runs ask, and what they may read and work on.
function ForRuns() {
  const told = about.value;
  if (!told) return aboutProblem.value ? <p class="notice"><Words text={aboutProblem.value} /></p> : null;
  const byProvider = new Map<string, string[]>();
  for (const { phase, provider } of told.providers) {
    byProvider.set(provider, [...(byProvider.get(provider) ?? []), phase]);
  }
  const row = (name: string, all: readonly string[], none: string) => (
    <div>
      <dt>{name}</dt>
      <dd>{all.length > 0 ? all.map((one) => <code key={one}>{one}</code>) : <span class="hint"><Words text={none} /></span>}</dd>
    </div>
  );
  return (
    <section class="server-part" aria-labelledby="for-runs-title">
      <header class="proxy-head">
        <h3 id="for-runs-title">For runs</h3>
      </header>
      <dl class="server-facts">
        <div>
          <dt>Asked</dt>
          <dd>
            {[...byProvider].map(([provider, phases]) => (
              <span key={provider}>
                <code>{provider}</code> <span class="fact">for {phases.map((phase) => phase.replaceAll("_", " ")).join(", ")}</span>
              </span>
            ))}
            {byProvider.size === 0 && <span class="hint">whom each pipeline asks unless told otherwise</span>}
          </dd>
        </div>
        {row("May be named too", told.also, "no other provider")}
        {row("Folders to read", told.roots, "none (`plumb serve --root NAME=DIR`)")}
        {row("Repositories", told.repositories, "none (`plumb serve --repository NAME=DIR`)")}
        {row("Searches", told.searches ? ["yes"] : [], "none (`plumb serve --corpus DIR`)")}
      </dl>
    </section>
  );
}

const noProxy = "This server has no proxy. With `proxy:` in plumb.yaml, or `plumb serve --proxy 8788`, it is shown here.";
const about = signal<ServerFacts | null>(null);
const aboutProblem = signal("");

async function lookAbout(): Promise<void> {
  const told = await serverFacts();
  about.value = told !== null && typeof told !== "string" ? told : null;
  aboutProblem.value = typeof told === "string" ? told : "";
}

export function ServerView() {
  useEffect(() => void askPresence(), []);
  const there = presence.value;
  useEffect(() => {
    if (there === "present") void lookAbout();
  }, [there]);
  useSignalEffect(() => {
    if (view.value === "server") document.title = "Server – Plumbline";
  });
  return (
    <main class="proxy" aria-label="Server">
      <header class="proxy-head">
        <h2>Server</h2>
        {there === "present" && (
          <span class="fact">
            {location.host}
            {about.value && `, Plumbline ${about.value.version}`}
          </span>
        )}
      </header>
      {there === "absent" && (
        <p class="server-none">
          This page comes from a plain web server: there is no <code>plumb serve</code> behind it. Checks and runs without a
          model work here all the same. Start <code>plumb serve</code> and open the page from there to see its proxy,
          providers and models.
        </p>
      )}
      {there === "unreachable" && (
        <p class="notice server-lost" role="alert">
          {unreachable}{" "}
          <button type="button" class="link" onClick={() => void askPresence()}>
            Try again
          </button>
        </p>
      )}
      {about.value && <Proxy there={about.value.proxy} />}
      {there === "present" && <ForRuns />}
    </main>
  );
}
