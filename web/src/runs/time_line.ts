// Where the entries of a journal lie on its line: at their times, so that a long call is a long bar. A pause in which no
// call was under way is drawn short, with its length beside it; a journal of a moment is drawn entry by entry.
import type { Entry } from "@plumbline/plumbline";

export const lineWidth = 1000;
const lanesMax = 4;
// Shorter than this is nothing to be seen.
const momentMs = 40;
// A pause is drawn no longer than the larger of these.
const pauseMs = 2000;
const pauseShare = 0.06;

export interface Bar {
  from: number; // entries
  to: number;
  lane: number;
  bad: boolean;
}

export interface Line {
  // Of each entry, from 0 to lineWidth.
  at: readonly number[];
  bars: readonly Bar[];
  pauses: readonly { n: number; to: number; ms: number }[]; // the entries that it lies between
}

export function lineOf(entries: readonly Entry[]): Line {
  const last = entries.length - 1;
  const took = last < 0 ? 0 : entries[last]!.at - entries[0]!.at;
  const bars: Bar[] = [];
  const open = new Map<string, Bar>();
  const busy: boolean[] = [];
  const lanes: boolean[] = [];
  entries.forEach(({ kind, key = "", status }, n) => {
    if (kind === "attempt" && !open.has(key)) {
      const free = lanes.findIndex((taken) => !taken);
      const lane = free < 0 ? lanes.length : free;
      lanes[lane] = true;
      const bar = { from: n, to: last, lane: lane % lanesMax, bad: false };
      open.set(key, bar);
      bars.push(bar);
    } else if (kind === "reply") {
      const bar = open.get(key);
      if (bar) {
        bar.to = n;
        bar.bad = status !== undefined && status !== "ok";
        lanes[bar.lane] = false;
        open.delete(key);
      }
    }
    busy.push(open.size > 0);
  });
  if (took < momentMs) return { at: entries.map((_, n) => (last > 0 ? (n / last) * lineWidth : 0)), bars, pauses: [] };
  const gaps = entries.slice(1).map(({ at }, n) => Math.max(0, at - entries[n]!.at));
  const working = gaps.reduce((sum, gap, n) => sum + (busy[n] ? gap : Math.min(gap, pauseMs)), 0);
  const cap = Math.max(pauseMs, working * pauseShare);
  const pauses: { n: number; to: number; ms: number }[] = [];
  gaps.forEach((ms, n) => {
    if (busy[n] || ms <= cap) return;
    const before = pauses.at(-1);
    if (before?.to === n) Object.assign(before, { to: n + 1, ms: before.ms + ms });
    else pauses.push({ n, to: n + 1, ms });
  });
  const drawn = gaps.map((gap, n) => (busy[n] ? gap : Math.min(gap, cap)));
  const whole = drawn.reduce((sum, one) => sum + one, 0) || 1;
  let sum = 0;
  const at = [0, ...drawn.map((one) => ((sum += one) / whole) * lineWidth)];
  return { at, bars, pauses };
}

// The entry that lies nearest; of several at one place the last.
export function nearest(at: readonly number[], x: number): number {
  let found = 0;
  at.forEach((one, n) => {
    if (Math.abs(one - x) <= Math.abs(at[found]! - x)) found = n;
  });
  return found;
}
