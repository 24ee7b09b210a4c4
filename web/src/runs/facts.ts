// What the page shows of a run: read from the entries up to a position, so that every position shows what was known then.
import type { Entry, Finding, Tokens } from "@plumbline/plumbline";
import { journal as t } from "../strings";

export interface Message {
  role: string;
  content: string;
}

// A call that was made, and what came of it.
export interface Call {
  key: string;
  kind: string;
  n: number; // of its attempt
  repliedAt: number | null; // entry
  phase: string;
  attempt: number;
  sinceMs: number;
  tookMs: number | null;
  limitMs: number; // 0: none
  waitMs: number; // before it is sent, where it repeats one that failed
  messages: Message[];
  request: unknown;
  status: string; // "in_progress" until there is a reply
  error: string;
  answer: string;
  model: string;
  input: number;
  output: number;
  estimated: boolean;
  stopped: Stopped | null;
}

export interface Stopped {
  why: string;
  received_bytes?: number;
  saved_tokens?: number;
}

// A version of the artifact, and what was found in it.
export interface Version {
  n: number; // of the entry that told of it
  title: string;
  text: string;
  findings: Finding[];
  semantic: string[];
  judged: boolean;
  judgeError: string;
  // Of a repair: it was better, and is what the run went on with.
  kept: boolean | null;
}

export interface Step {
  name: string;
  state: "waiting" | "active" | "done" | "failed";
  n: number | null; // where it began
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

// "plan:1" repeats "plan:0" where that has failed and a wait was set.
function triesBefore(calls: ReadonlyMap<string, Call>, key: string): number {
  const [, part, nth] = /^(.*):(\d+)$/.exec(key) ?? [];
  return nth === undefined ? 1 : (calls.get(`${part}:${Number(nth) - 1}`)?.attempt ?? 1);
}

export function callsUpTo(entries: readonly Entry[], n: number): Call[] {
  const calls = new Map<string, Call>();
  for (const entry of entries.slice(0, n + 1)) {
    const key = entry.key ?? "";
    if (entry.kind === "attempt") {
      const known = calls.get(key);
      if (known) {
        known.attempt = entry.count ?? known.attempt + 1;
        continue;
      }
      const request = record(entry.data);
      calls.set(key, {
        key,
        kind: entry.name ?? "",
        n: entry.n,
        repliedAt: null,
        phase: textOf(request.phase) || (entry.name ?? ""),
        attempt: numberOf(request.wait_ms) > 0 ? triesBefore(calls, key) + 1 : (entry.count ?? 1),
        sinceMs: entry.at,
        tookMs: null,
        limitMs: numberOf((entry as { deadline_ms?: unknown }).deadline_ms),
        waitMs: numberOf(request.wait_ms),
        messages: (Array.isArray(request.messages) ? request.messages : []).map((message: unknown) => {
          const { role, content } = record(message);
          return { role: textOf(role), content: typeof content === "string" ? content : JSON.stringify(content) };
        }),
        request: entry.data,
        status: "in_progress",
        error: "",
        answer: "",
        model: "",
        input: 0,
        output: 0,
        estimated: false,
        stopped: null,
      });
    } else if (entry.kind === "reply") {
      const call = calls.get(key);
      if (!call || call.repliedAt !== null) continue;
      const value = record(entry.data);
      const usage = record(value.usage);
      call.repliedAt = entry.n;
      call.tookMs = entry.at - call.sinceMs;
      call.status = entry.status ?? "ok";
      call.error = entry.error ?? "";
      call.answer = "text" in value ? textOf(value.text) : entry.data === undefined ? "" : pretty(entry.data);
      call.model = [textOf(value.provider), textOf(value.model)].filter((one, i, all) => one && one !== all[i - 1]).join("/");
      call.input = numberOf(usage.input_tokens);
      call.output = numberOf(usage.output_tokens);
      call.estimated = usage.estimated === true;
      call.stopped = value.stopped ? (value.stopped as Stopped) : null;
    } else if (entry.kind === "cancel" || entry.kind === "end") {
      for (const call of calls.values()) if (call.repliedAt === null) call.status = "stopped";
    }
  }
  return [...calls.values()];
}

export function versionsUpTo(entries: readonly Entry[], n: number): Version[] {
  const versions: Version[] = [];
  for (const { kind, name, data, n: own } of entries.slice(0, n + 1)) {
    if (kind !== "note") continue;
    const note = record(data);
    const attempt = numberOf(note.attempt);
    const last = versions[versions.length - 1];
    if (name === "structure") {
      const findings = record(note.verdict).findings;
      versions.push({
        n: own,
        title: attempt === 0 ? t.generated : t.repairN(attempt),
        text: pretty(note.text),
        findings: Array.isArray(findings) ? (findings as Finding[]) : [],
        semantic: [],
        judged: false,
        judgeError: "",
        kept: null,
      });
    } else if (name === "meaning" && last) {
      last.judged = note.judged === true;
      last.semantic = Array.isArray(note.semantic) ? (note.semantic as string[]) : [];
      last.judgeError = textOf(note.error);
    } else if (name === "freed") {
      versions.push({
        n: own,
        title: t.fixedFree,
        text: pretty(note.text),
        findings: [],
        semantic: last?.semantic ?? [],
        judged: last?.judged ?? false,
        judgeError: "",
        kept: null,
      });
    } else if (name === "repaired" && last) {
      last.kept = note.kept === true;
    }
  }
  return versions;
}

// The stages of a run that makes an artifact; empty for other pipelines.
export function stepsUpTo(entries: readonly Entry[], n: number): Step[] {
  if (entries[0]?.name !== "artifact") return [];
  const steps: Step[] = [t.plan, t.generate, t.validate, t.repair1, t.repair2].map((name) => ({
    name,
    state: "waiting",
    n: null,
  }));
  const set = (index: number, state: Step["state"], at: number): void => {
    const step = steps[index];
    if (!step) return;
    if (step.n === null) step.n = at;
    step.state = state;
  };
  for (const { kind, name, data, n: own, status } of entries.slice(0, n + 1)) {
    const note = record(data);
    if (kind === "note") {
      if (name === "phase") set(["plan", "generate", "validate"].indexOf(textOf(note.phase)), "active", own);
      else if (name === "planned") set(0, "done", own);
      else if (name === "made") set(1, "done", own);
      else if (name === "invalid") set(2, "failed", own);
      else if (name === "repair") set(2 + numberOf(note.attempt), "active", own);
      else if (name === "repaired") set(2 + numberOf(note.attempt), note.valid === true ? "done" : "failed", own);
      else if (name === "unrepaired") set(2 + numberOf(note.attempt), "failed", own);
    } else if (kind === "end") {
      for (const step of steps) if (step.state === "active") step.state = status === "ok" ? "done" : "failed";
    }
  }
  // A repair is drawn once there is one.
  return steps.filter(({ n }, index) => index < 3 || n !== null);
}

// JSON on several lines; anything else as it is.
export function pretty(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? "";
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

// Short enough for a label: "12 ms", "3.4 s", "2 min 5 s", "3 h 12 min".
export function durationText(ms: number): string {
  if (ms < 1000) return t.milliseconds(Math.max(0, Math.round(ms)));
  if (ms < 60_000) return t.seconds((ms / 1000).toFixed(1));
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? t.minutes(minutes, Math.floor((ms % 60_000) / 1000)) : t.hours(Math.floor(minutes / 60), minutes % 60);
}

export function tokensText(tokens: Tokens): string {
  const about = tokens.estimated ? t.about : "";
  return t.tokensOf(about, tokens.input + tokens.output);
}
