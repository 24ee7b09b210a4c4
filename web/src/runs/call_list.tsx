// Every call that the run has made up to the position: what was asked, what came back, what it took.
import { signal } from "@preact/signals";

import { Words } from "../panes/words";
import type { Call } from "./facts";
import { durationText, pretty } from "./facts";
import { calls, goTo } from "./state";
import { line } from "./timeline";
import { lineWidth } from "./time_line";
import { runs as t } from "../strings";

// What a million tokens cost, as whoever looks knows it; empty: not known.
const price = signal({ input: "", output: "" });

function moneyOf(all: readonly Call[]): string {
  const [input, output] = [Number(price.value.input), Number(price.value.output)];
  if (price.value.input === "" || price.value.output === "" || !(input >= 0) || !(output >= 0)) return "";
  const sum = all.reduce((money, call) => money + call.input * input + call.output * output, 0) / 1e6;
  return t.money(sum.toFixed(sum < 1 ? 4 : 2));
}

function Prices({ all }: { all: readonly Call[] }) {
  const field = (name: "input" | "output", label: string) => (
    <label>
      {label}
      <input
        type="number"
        min={0}
        step="any"
        value={price.value[name]}
        onInput={(event) => (price.value = { ...price.value, [name]: event.currentTarget.value })}
      />
    </label>
  );
  const sum = moneyOf(all);
  return (
    <div class="prices" role="group" aria-label={t.prices}>
      <span>{t.prices}</span>
      {field("input", t.priceIn)}
      {field("output", t.priceOut)}
      {sum && <b>{t.allCalls(sum)}</b>}
    </div>
  );
}

// When it was under way, on the line of the run.
function Fall({ call }: { call: Call }) {
  const { at } = line.value;
  const from = at[call.n] ?? 0;
  const to = at[call.repliedAt ?? at.length - 1] ?? from;
  const share = (x: number): string => `${((x / lineWidth) * 100).toFixed(2)}%`;
  return (
    <span class="fall" aria-hidden="true">
      <span class={["ok", "in_progress"].includes(call.status) ? "" : "bad"} style={{ left: share(from), width: `max(2px, ${share(to - from)})` }} />
    </span>
  );
}

function Cost({ call }: { call: Call }) {
  const about = call.estimated ? "≈ " : "";
  return (
    <span class="fact cost">
      {call.tookMs !== null && `${durationText(call.tookMs)} · `}
      {call.input + call.output > 0
        ? t.inOut(about, call.input, call.output)
        : call.repliedAt !== null && t.noTokens}
      {call.input + call.output > 0 && moneyOf([call]) && ` · ${moneyOf([call])}`}
    </span>
  );
}

function One({ call }: { call: Call }) {
  const bad = !["ok", "in_progress"].includes(call.status);
  return (
    <details class="call">
      <summary>
        <span class={`call-dot ${bad ? "bad" : call.status === "ok" ? "ok" : "open"}`} aria-hidden="true" />
        <b>{call.phase}</b>
        {call.attempt > 1 && <span class="chip">{t.tried(call.attempt)}</span>}
        {call.status !== "ok" && <span class="chip">{call.status.replace("_", " ")}</span>}
        {call.model && <span class="chip">{call.model}</span>}
        <Cost call={call} />
        <Fall call={call} />
      </summary>
      <p class="call-where">
        <button type="button" class="link" onClick={() => goTo(call.n)}>
          {t.sentAt(call.n)}
        </button>
        {call.repliedAt !== null && (
          <button type="button" class="link" onClick={() => goTo(call.repliedAt ?? 0)}>
            {t.answeredAt(call.repliedAt)}
          </button>
        )}
        <code class="fact">{call.key}</code>
      </p>
      {call.error && <p class="notice"><Words text={call.error} /></p>}
      {call.stopped && (
        <p class="saved">
          {t.stoppedEarly(call.stopped.why)}
          {call.stopped.received_bytes !== undefined && t.afterBytes(call.stopped.received_bytes)}
          {call.stopped.saved_tokens !== undefined && (
            <b>{t.tokensSaved(call.stopped.saved_tokens)}</b>
          )}
        </p>
      )}
      {call.messages.length === 0 && (
        <pre tabIndex={0} aria-label={t.request}>
          {pretty(call.request)}
        </pre>
      )}
      {call.messages.map((message, index) => (
        <section key={index} class={`message role-${message.role}`}>
          <h3>{message.role}</h3>
          <pre tabIndex={0} aria-label={t.messageOf(message.role)}>
            {message.content}
          </pre>
        </section>
      ))}
      {call.repliedAt !== null && (
        <section class="message role-answer">
          <h3>{t.answerTitle}</h3>
          <pre tabIndex={0} aria-label={t.answer}>
            {pretty(call.answer)}
          </pre>
        </section>
      )}
    </details>
  );
}

export function CallList() {
  const all = calls.value;
  if (all.length === 0) return <p class="hint empty-part">{t.noCallsYet}</p>;
  return (
    <div class="calls">
      {all.some(({ input, output }) => input + output > 0) && <Prices all={all} />}
      {all.map((call) => (
        <One key={call.key} call={call} />
      ))}
    </div>
  );
}
