// What was written here earlier, to be had again; kept in this browser, cleared and switched off here.
import { signal } from "@preact/signals";

import { clearPast, forget, past, pastNotice, pastOn, pastUnits, switchPast, type Entry } from "../past";
import { decisionWords, restore } from "../studio";
import { Dialog } from "./dialog";
import { Icon } from "./icons";
import { page as t } from "../strings";

export const historyOpen = signal(false);

const dayMs = 24 * 60 * 60 * 1000;

function when(at: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const today = new Date();
  if (date.toDateString() === today.toDateString()) return time;
  if (date.toDateString() === new Date(today.getTime() - dayMs).toDateString()) return t.yesterday(time);
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}

const beginning = (text: string): string => text.slice(0, 400).replace(/\s+/g, " ").trim().slice(0, 90);

function Row({ entry }: { entry: Entry }) {
  const { decision } = entry;
  const words =
    decision === undefined ? t.notChecked : decision ? decisionWords[decision].title : t.contractRefused;
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
            {entry.problems > 0 && `, ${t.nProblems(entry.problems)}`}
          </span>
        </span>
        <code class="past-text">{beginning(entry.artifact) || t.noArtifact}</code>
        <time class="fact" dateTime={new Date(entry.at).toISOString()}>
          {when(entry.at)}
        </time>
      </button>
      <button
        type="button"
        class="button ghost small"
        aria-label={t.forget(entry.title, when(entry.at))}
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
            ? t.historyEmpty
            : t.historyOff}
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
          {t.keepHistory}
        </label>
        <span class="fact past-size">
          {entries.length > 0 && t.historySize(entries.length, Math.ceil(pastUnits() / 1024))}
        </span>
        <button type="button" class="button" disabled={entries.length === 0} onClick={clearPast}>
          {t.clear}
        </button>
      </footer>
    </>
  );
}

export function HistoryDialog() {
  return (
    <Dialog open={historyOpen} title={t.history} class="history">
      <Body />
    </Dialog>
  );
}
