// Every call that the run has made up to the position: what was asked, what came back, what it took.
import { Words } from "../panes/words";
import type { Call } from "./facts";
import { pretty } from "./facts";
import { calls, goTo } from "./state";

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

function Cost({ call }: { call: Call }) {
  const about = call.estimated ? "≈ " : "";
  return (
    <span class="fact cost">
      {call.tookMs !== null && `${seconds(call.tookMs)} · `}
      {call.input + call.output > 0
        ? `${about}${call.input.toLocaleString("en")} in, ${call.output.toLocaleString("en")} out`
        : call.repliedAt !== null && "no tokens"}
    </span>
  );
}

function One({ call }: { call: Call }) {
  const bad = !["ok", "under way"].includes(call.status);
  return (
    <details class="call">
      <summary>
        <span class={`call-dot ${bad ? "bad" : call.status === "ok" ? "ok" : "open"}`} aria-hidden="true" />
        <b>{call.phase}</b>
        {call.attempt > 1 && <span class="chip">tried {call.attempt} times</span>}
        {call.status !== "ok" && <span class="chip">{call.status.replace("_", " ")}</span>}
        {call.model && <span class="chip">{call.model}</span>}
        <Cost call={call} />
      </summary>
      <p class="call-where">
        <button type="button" class="link" onClick={() => goTo(call.n)}>
          asked at {call.n}
        </button>
        {call.repliedAt !== null && (
          <button type="button" class="link" onClick={() => goTo(call.repliedAt ?? 0)}>
            answered at {call.repliedAt}
          </button>
        )}
        <code class="fact">{call.key}</code>
      </p>
      {call.error && <p class="notice"><Words text={call.error} /></p>}
      {call.stopped && (
        <p class="saved">
          Stopped early ({call.stopped.why})
          {call.stopped.received_bytes !== undefined && ` after ${call.stopped.received_bytes.toLocaleString("en")} bytes`}
          {call.stopped.saved_tokens !== undefined && (
            <b>: about {call.stopped.saved_tokens.toLocaleString("en")} tokens saved</b>
          )}
        </p>
      )}
      {call.messages.length === 0 && (
        <pre tabIndex={0} aria-label="Request">
          {pretty(call.request)}
        </pre>
      )}
      {call.messages.map((message, index) => (
        <section key={index} class={`message role-${message.role}`}>
          <h3>{message.role}</h3>
          <pre tabIndex={0} aria-label={`Message of ${message.role}`}>
            {message.content}
          </pre>
        </section>
      ))}
      {call.repliedAt !== null && (
        <section class="message role-answer">
          <h3>answer</h3>
          <pre tabIndex={0} aria-label="Answer">
            {pretty(call.answer)}
          </pre>
        </section>
      )}
    </details>
  );
}

export function CallList() {
  const all = calls.value;
  if (all.length === 0) return <p class="hint empty-part">Nothing has been asked yet at this position.</p>;
  return (
    <div class="calls">
      {all.map((call) => (
        <One key={call.key} call={call} />
      ))}
    </div>
  );
}
