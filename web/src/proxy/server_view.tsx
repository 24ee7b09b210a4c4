// The place of the server: its proxy, live (what is called, what it costs, what the contracts say, who is asked), and what
// it has for runs.
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { Icon } from "../panes/icons";
import { Words } from "../panes/words";
import { askPresence, presence, unreachable, watchPresence } from "../presence";
import { serverFacts, type ServerFacts } from "../runs/server";
import { view } from "../view";
import { Chart } from "./chart";
import { count, dollars, duration, share } from "./figures";
import "./proxy.css";
import { follow, type ProxyState } from "./server";
import { ByKeyAndModel, LastCalls, Models, Upstreams } from "./tables";
import { server as t } from "../strings";

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
      <Figure name={t.calls} value={count(totals.calls)} note={t.inProgress(count(now.open))} />
      <Figure
        name={t.failedCalls}
        value={count(totals.failed)}
        note={refused > 0 ? t.nRefused(count(refused)) : t.noneRefused}
      />
      <Figure
        name={t.tokens}
        value={count(totals.input_tokens + totals.output_tokens)}
        note={t.inOut(count(totals.input_tokens), count(totals.output_tokens))}
      />
      <Figure name={t.cost} value={dollars(totals.usd)} note={t.nKeys(now.keys)} />
      <Figure
        name={t.verdicts}
        value={share(totals.accepted, totals.accepted + totals.rejected)}
        note={t.acceptedOf(count(totals.accepted + totals.rejected))}
      />
      <Figure
        name={t.stoppedEarly}
        value={count(totals.early_stops)}
        note={t.tokensSaved(count(totals.tokens_saved))}
      />
      <Figure
        name={t.latency}
        value={duration(minute.p50)}
        note={minute.calls > 0 ? t.p95LastMinute(duration(minute.p95)) : t.noCallLastMinute}
      />
      <Figure
        name={t.replayed}
        value={count(totals.replayed)}
        note={t.answersKept(count(now.idempotency.entries))}
      />
    </dl>
  );
}

function Charts({ now }: { now: ProxyState }) {
  return (
    <div class="charts">
      <Chart
        title={t.calls}
        steps={now.steps}
        kind="bars"
        show={count}
        series={[
          { name: t.answered, tone: "calm", of: (step) => step.calls - step.failed },
          { name: t.failed, tone: "bad", of: (step) => step.failed },
          { name: t.refused, tone: "brass", of: (step) => step.refused },
        ]}
      />
      <Chart
        title={t.time}
        steps={now.steps}
        kind="lines"
        show={duration}
        series={[
          { name: "p50", tone: "calm", of: (step) => step.p50_ms },
          { name: "p95", tone: "brass", of: (step) => step.p95_ms },
        ]}
      />
      <Chart
        title={t.tokens}
        steps={now.steps}
        kind="bars"
        show={count}
        series={[
          { name: t.inSeries, tone: "calm", of: (step) => step.input_tokens },
          { name: t.out, tone: "brass", of: (step) => step.output_tokens },
        ]}
      />
      <Chart
        title={t.cost}
        steps={now.steps}
        kind="bars"
        show={dollars}
        series={[{ name: t.costSeries, tone: "brass", of: (step) => step.usd }]}
      />
      <Chart
        title={t.verdicts}
        steps={now.steps}
        kind="bars"
        show={count}
        series={[
          { name: t.accepted, tone: "good", of: (step) => step.accepted },
          { name: t.rejected, tone: "bad", of: (step) => step.rejected },
        ]}
      />
      <Chart
        title={t.stoppedEarly}
        steps={now.steps}
        kind="bars"
        show={count}
        series={[{ name: t.stoppedEarlySeries, tone: "good", of: (step) => step.early_stops }]}
      />
    </div>
  );
}

function Refusals({ now }: { now: ProxyState }) {
  const codes = Object.entries(now.refused).sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return null;
  return (
    <section class="proxy-part">
      <h4>{t.refusedTitle}</h4>
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
        <h3 id="proxy-title">{t.proxy}</h3>
        {now && (
          <>
            <span class={`live ${paused.value ? "is-paused" : lost.value ? "is-lost" : ""}`}>
              {paused.value ? t.paused : lost.value ? t.connectionLost : t.live}
            </span>
            <button type="button" class="button small" aria-pressed={paused.value} onClick={pauseOrGoOn}>
              <Icon name={paused.value ? "play" : "pause"} />
              {paused.value ? t.resume : t.pause}
            </button>
          </>
        )}
      </header>
      {now?.config.problem && (
        <p class="notice" role="alert">
          {t.configRefused} <Words text={now.config.problem} />
        </p>
      )}
      {now?.keys_problem && (
        <p class="notice" role="alert">
          {t.clientKeys} <Words text={now.keys_problem} />
        </p>
      )}
      {none.value && !now && <p class="hint proxy-none"><Words text={none.value} /></p>}
      {now && (
        <>
          <Figures now={now} />
          <Charts now={now} />
          {now.totals.calls === 0 ? (
            <p class="hint">{t.noCallYet}</p>
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
        <h3 id="for-runs-title">{t.forRuns}</h3>
      </header>
      <dl class="server-facts">
        <div>
          <dt>{t.providersInUse}</dt>
          <dd>
            {[...byProvider].map(([provider, phases]) => (
              <span key={provider}>
                <code>{provider}</code> <span class="fact">{t.forPhases(phases.map((phase) => phase.replaceAll("_", " ")).join(", "))}</span>
              </span>
            ))}
            {byProvider.size === 0 && <span class="hint">{t.providersDefault}</span>}
          </dd>
        </div>
        {row(t.otherProviders, told.also, t.noOther)}
        {row(t.foldersToRead, told.roots, t.noFolders)}
        {row(t.repositories, told.repositories, t.noRepositories)}
        {row(t.searches, told.searches ? [t.yes] : [], t.noSearches)}
      </dl>
    </section>
  );
}

const noProxy = t.noProxy;
const about = signal<ServerFacts | null>(null);
const aboutProblem = signal("");

async function lookAbout(): Promise<void> {
  const told = await serverFacts();
  about.value = told !== null && typeof told !== "string" ? told : null;
  aboutProblem.value = typeof told === "string" ? told : "";
}

export function ServerView() {
  useEffect(() => {
    void askPresence();
    return watchPresence(() => undefined); // the signal tells of it
  }, []);
  const there = presence.value;
  useEffect(() => {
    if (there === "present") void lookAbout();
  }, [there]);
  useSignalEffect(() => {
    if (view.value === "server") document.title = t.title;
  });
  return (
    <main class="proxy" aria-label={t.server}>
      <header class="proxy-head">
        <h2>{t.server}</h2>
        {there === "present" && (
          <span class="fact">
            {location.host}
            {about.value && t.versionOf(about.value.version)}
          </span>
        )}
      </header>
      {there === "absent" && (
        <p class="server-none">
          <Words text={t.plainServer} />
        </p>
      )}
      {there === "unreachable" && (
        <p class="notice server-lost" role="alert">
          {unreachable}{" "}
          <button type="button" class="link" onClick={() => void askPresence()}>
            {t.retry}
          </button>
        </p>
      )}
      {about.value && <Proxy there={about.value.proxy} />}
      {there === "present" && <ForRuns />}
    </main>
  );
}
