// Calls that are under way now: which try it is, for how long, what limit it has, and when a retry is sent.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { durationText, type Call } from "./facts";
import { atNewest, calls, ended, origin } from "./state";
import { runs as t } from "../strings";

const tickMs = 500;
const shownMax = 6;
const now = signal(Date.now());

function Live({ call }: { call: Call }) {
  const elapsed = Math.max(0, now.value - call.sinceMs);
  const left = call.waitMs - elapsed;
  return (
    <li>
      <b>{call.phase}</b> {t.tryN(call.attempt)},{" "}
      {left > 0 ? t.retryIn(durationText(Math.ceil(left / 1000) * 1000)) : durationText(Math.floor(elapsed / 1000) * 1000)}
      {left <= 0 && call.limitMs > 0 && t.ofLimit(durationText(call.limitMs))}
    </li>
  );
}

export function LiveCalls() {
  const open = origin.value?.live && !ended.value && atNewest.value ? calls.value.filter(({ status }) => status === "in_progress") : [];
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  if (open.length === 0) return null;
  return (
    <ul class="live-calls" aria-label={t.callsNow}>
      {open.slice(0, shownMax).map((call) => (
        <Live key={call.key} call={call} />
      ))}
      {open.length > shownMax && <li>{t.andMore(open.length - shownMax)}</li>}
    </ul>
  );
}
