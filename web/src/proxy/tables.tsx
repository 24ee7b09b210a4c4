// Who calls what, who is asked, and the last calls.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

import { Icon, SeverityIcon } from "../panes/icons";
import { Words } from "../panes/words";
import { clock, count, dollars, duration, share } from "./figures";
import { foundIn, type Call, type Found, type ProxyState, type Row, type Upstream } from "./server";
import { server as t } from "../strings";

// A table that scrolls in its own frame, which the keyboard can reach.
function Frame({ title, note, children }: { title: string; note?: string | undefined; children: ComponentChildren }) {
  return (
    <section class="proxy-part">
      <h4>
        {title}
        {note && <span class="fact">{note}</span>}
      </h4>
      <div class="table-frame" tabIndex={0} role="region" aria-label={title}>
        {children}
      </div>
    </section>
  );
}

export function ByKeyAndModel({ state }: { state: ProxyState }) {
  const rows = state.rows;
  const more = state.rows_in_all - rows.length;
  return (
    <Frame title={t.byKeyAndModel} note={more > 0 ? t.moreRows(count(more)) : undefined}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.columnKey}</th>
            <th scope="col">{t.columnModel}</th>
            <th scope="col" class="number">{t.columnCalls}</th>
            <th scope="col" class="number">{t.columnFailed}</th>
            <th scope="col" class="number">{t.columnTokensIn}</th>
            <th scope="col" class="number">{t.out}</th>
            <th scope="col" class="number">{t.columnCost}</th>
            <th scope="col" class="number">{t.columnAccepted}</th>
            <th scope="col" class="number">{t.columnStopped}</th>
            <th scope="col" class="number">{t.columnFirstByte}</th>
            <th scope="col" class="number">{t.columnDuration}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row: Row) => (
            <tr key={`${row.key}/${row.model}`}>
              <th scope="row">
                {row.name || row.key}
                {row.name && row.name !== row.key && <code class="fact">{row.key}</code>}
              </th>
              <td>{row.model}</td>
              <td class="number">{count(row.calls)}</td>
              <td class={`number ${row.failed > 0 ? "is-bad" : ""}`}>{count(row.failed)}</td>
              <td class="number">{count(row.input_tokens)}</td>
              <td class="number">{count(row.output_tokens)}</td>
              <td class="number">{dollars(row.usd)}</td>
              <td class="number">{share(row.accepted, row.accepted + row.rejected)}</td>
              <td class="number">{count(row.early_stops)}</td>
              <td class="number">{duration(row.first_byte_ms)}</td>
              <td class="number">{duration(row.took_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Frame>
  );
}

function breakerWords(one: Upstream): string {
  if (one.breaker === "closed") return t.inUse;
  const models = one.left_alone.slice(0, 3).join(", ") + (one.left_alone.length > 3 ? ", ..." : "");
  if (one.breaker === "half-open") return t.retrying(models);
  return t.skippedFor(duration(one.open_for_ms), models);
}

export function Upstreams({ state }: { state: ProxyState }) {
  return (
    <Frame title={t.providers}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.columnProvider}</th>
            <th scope="col">{t.columnState}</th>
            <th scope="col" class="number">{t.columnNow}</th>
            <th scope="col" class="number">{t.columnRequests}</th>
            <th scope="col" class="number">{t.columnFailed}</th>
            <th scope="col">{t.columnLastFailure}</th>
          </tr>
        </thead>
        <tbody>
          {state.upstreams.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                {one.name}
                <code class="fact">{one.address}</code>
              </th>
              <td>
                <span class={`breaker is-${one.breaker}`}>{breakerWords(one)}</span>
              </td>
              <td class="number">{count(one.calls)}</td>
              <td class="number">{count(one.tries)}</td>
              <td class={`number ${one.failures > 0 ? "is-bad" : ""}`}>{count(one.failures)}</td>
              <td>{one.last_failure ? t.failureAt(one.last_failure.replace("_", " "), clock(one.last_failure_at)) : t.noOther}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Frame>
  );
}

const resultWords = {
  answered: t.answered,
  refused: t.refused,
  failed: t.failed,
  cut: t.cutOff,
  client_left: t.clientLeft,
};

function verdictWords(call: Call): string {
  if (call.decision === "") return "–";
  const words = call.decision.replaceAll("_", " ");
  return call.findings > 0 ? t.withFindings(words, call.findings) : words;
}

export function Models({ state }: { state: ProxyState }) {
  const models = state.models ?? [];
  if (models.length === 0) return null;
  return (
    <Frame title={t.models}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.columnAlias}</th>
            <th scope="col">{t.columnTarget}</th>
            <th scope="col">{t.columnFallback}</th>
          </tr>
        </thead>
        <tbody>
          {models.map((one) => (
            <tr key={one.name}>
              <th scope="row">{one.name === "*" ? t.anyOther : one.name}</th>
              <td>{one.to.join(", ")}</td>
              <td>{one.fallbacks.join(", ") || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Frame>
  );
}

// The call that is open, and what was found in its answer.
const opened = signal("");
const found = signal<Found[] | string | null>(null);

async function open(id: string): Promise<void> {
  opened.value = opened.value === id ? "" : id;
  found.value = null;
  if (opened.value !== id) return;
  const told = await foundIn(id);
  if (opened.value === id) found.value = told;
}

function Findings({ call }: { call: Call }) {
  const all = found.value;
  const more = typeof all === "object" && all ? call.findings - all.length : 0;
  return (
    <div class="call-found">
      {all === null ? (
        <p class="hint">{t.loading}</p>
      ) : typeof all === "string" ? (
        <p class="notice"><Words text={all} /></p>
      ) : all.length === 0 ? (
        <p class="hint">{call.contract ? t.nothingFound : t.noContract}</p>
      ) : (
        <ul aria-label={t.problemsOf(call.id)}>
          {all.map((one, i) => (
            <li key={i}>
              <SeverityIcon severity={one.severity} />
              <code>{one.rule}</code>
              <span>
                {t.at} <code>{one.at || t.wholeAnswer}</code>
              </span>
              {one.place && (
                <span class="fact">
                  {t.rule} <code>{one.place}</code>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="hint">{t.andMore(count(more))}</p>}
      <p class="hint">
        {call.contract && t.contractMode(call.contract, call.mode)}
        <Words text={t.callKept(call.id)} />
      </p>
    </div>
  );
}

export function LastCalls({ state }: { state: ProxyState }) {
  return (
    <Frame title={t.lastCalls} note={state.calls.length === 100 ? t.lastHundred : undefined}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.columnAt}</th>
            <th scope="col">{t.columnKey}</th>
            <th scope="col">{t.columnModel}</th>
            <th scope="col">{t.columnSentTo}</th>
            <th scope="col">{t.columnResult}</th>
            <th scope="col">{t.columnVerdict}</th>
            <th scope="col" class="number">{t.tokens}</th>
            <th scope="col" class="number">{t.columnCost}</th>
            <th scope="col" class="number">{t.columnDuration}</th>
          </tr>
        </thead>
        <tbody>
          {state.calls.map((call) => [
            <tr key={call.id} class={opened.value === call.id ? "is-open" : ""}>
              <th scope="row">
                <button
                  type="button"
                  class="call-open"
                  aria-expanded={opened.value === call.id}
                  aria-label={t.problemsOfCallAt(clock(call.at))}
                  onClick={() => void open(call.id)}
                >
                  <Icon name={opened.value === call.id ? "down" : "forward"} />
                  <time dateTime={new Date(call.at).toISOString()}>{clock(call.at)}</time>
                </button>
              </th>
              <td>
                <code>{call.key}</code>
              </td>
              <td>{call.model}</td>
              <td>
                {call.replayed ? t.replayedCall : call.target || "–"}
                {call.tries > 1 && <span class="fact">{t.tries(call.tries)}</span>}
              </td>
              <td class={call.result === "answered" ? "" : "is-bad"}>
                {resultWords[call.result]}
                {call.error && <code class="fact">{call.error}</code>}
              </td>
              <td class={call.decision.startsWith("accept") || call.decision === "" ? "" : "is-bad"}>
                {verdictWords(call)}
                {call.stopped_early && <span class="fact">{t.stoppedEarlySeries}</span>}
              </td>
              <td class="number">
                {call.estimated && <abbr title={t.estimated}>≈</abbr>}
                {count(call.input_tokens)} + {count(call.output_tokens)}
              </td>
              <td class="number">{dollars(call.usd)}</td>
              <td class="number">{duration(call.ms)}</td>
            </tr>,
            opened.value === call.id && (
              <tr key={`${call.id} found`} class="call-row-found">
                <td colSpan={9}>
                  <Findings call={call} />
                </td>
              </tr>
            ),
          ])}
        </tbody>
      </table>
    </Frame>
  );
}
