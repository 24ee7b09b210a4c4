// What was written here earlier, to be had again; kept in this browser, cleared and switched off here.
import { signal } from "@preact/signals";

import { clearPast, forget, past, pastNotice, pastOn, pastUnits, switchPast, type Entry } from "../past";
import { decisionWords, plural, restore } from "../studio";
import { Dialog } from "./dialog";
import { Icon } from "./icons";

export const historyOpen = signal(false);

const dayMs = 24 * 60 * 60 * 1000;

function when(at: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const today = new Date();
  if (date.toDateString() === today.toDateString()) return time;
  if (date.toDateString() === new Date(today.getTime() - dayMs).toDateString()) return `Yesterday ${time}`;
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}

const beginning = (text: string): string => text.slice(0, 400).replace(/\s+/g, " ").trim().slice(0, 90);

function Row({ entry }: { entry: Entry }) {
  const { decision } = entry;
  const words =
    decision === undefined ? "Not checked" : decision ? decisionWords[decision].title : "Contract refused";
  return (
    <li class={`past tone-${decision === undefined ? "undecided" : (decision ?? "block")}`}>
      <button
        type="button"
        class="past-restore"
        onClick={() => {
          historyOpen.value = false;
          restore(entry);
        }}
      >
        <span class="past-dot" aria-hidden="true" />
        <span class="past-title">
          {entry.title}
          <span class="fact">
            {words}
            {entry.problems > 0 && `, ${plural(entry.problems, "problem")}`}
          </span>
        </span>
        <code class="past-text">{beginning(entry.artifact) || "no artifact"}</code>
        <time class="fact" dateTime={new Date(entry.at).toISOString()}>
          {when(entry.at)}
        </time>
      </button>
      <button
        type="button"
        class="button ghost small"
        aria-label={`Forget ${entry.title}, ${when(entry.at)}`}
        onClick={() => forget(entry.id)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function Body() {
  const entries = past.value;
  return (
    <>
      {pastNotice.value && <p class="notice">{pastNotice.value}</p>}
      {entries.length === 0 ? (
        <p class="hint past-empty">
          {pastOn.value
            ? "Nothing yet. What you write or open here is kept, in this browser only."
            : "Switched off: nothing is kept."}
        </p>
      ) : (
        <ul class="past-list">
          {entries.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      <footer class="dialog-foot">
        <label class="check">
          <input type="checkbox" checked={pastOn.value} onChange={(event) => switchPast(event.currentTarget.checked)} />
          Keep a history in this browser
        </label>
        <span class="fact past-size">
          {entries.length > 0 && `${entries.length} of 40, ${Math.ceil(pastUnits() / 1024).toLocaleString("en")} KB`}
        </span>
        <button type="button" class="button" disabled={entries.length === 0} onClick={clearPast}>
          Clear
        </button>
      </footer>
    </>
  );
}

export function HistoryDialog() {
  return (
    <Dialog open={historyOpen} title="History" class="history">
      <Body />
    </Dialog>
  );
}
