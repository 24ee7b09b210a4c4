// The server that this page came from, where it is one that keeps runs.
import { askPresence, lostServer, unreachable } from "../presence";
import { eventsOf, fetchServer } from "../server_token";
import { messages as t } from "../strings";

// What a run has come to: docs/runs.md.
export type Outcome = "accepted" | "accepted_with_warnings" | "partial" | "undecided" | "failed" | "outage" | "cancelled";

export interface ServerRun {
  id: string;
  pipeline: string;
  // What it makes, and of what.
  type?: string;
  title?: string;
  state: "waiting" | "done" | "failed" | "cancelled";
  error?: string;
  // Why a run that waits does not go on there.
  problem?: string;
  decision?: string;
  asked?: number;
  kept?: number;
  outcome?: Outcome;
  created_at: string;
  updated_at: string;
  entries: number;
  forked_from?: string;
  // A person is asked something (listed.ts).
  asks?: boolean;
}

// What a fork changes: where it is cut, which part is made anew, another input, other texts for pins.
export interface ForkWish {
  at?: number;
  redo?: string[];
  input?: unknown;
  pins?: Record<string, unknown>;
}

// Whom runs ask on the server, and what they may read and work on there.
export interface ServerFacts {
  version: string;
  providers: { phase: string; provider: string }[];
  also: string[];
  roots: string[];
  repositories: string[];
  searches: boolean;
  proxy: boolean;
}

export interface RunPage {
  runs: ServerRun[];
  next: string; // the cursor of the page behind it; empty: this is the last one
}

const listed = 50;

// What a problem of RFC 9457 says, or the status.
async function problemOf(answer: Response): Promise<string> {
  try {
    const { title, detail } = (await answer.json()) as { title?: string; detail?: string };
    return detail ?? title ?? t.serverAnswered(answer.status);
  } catch {
    return t.serverAnswered(answer.status);
  }
}

async function request(path: string, init?: RequestInit): Promise<Response> {
  const answer = await fetchServer(path, init);
  if (!answer.ok) throw new Error(await problemOf(answer));
  return answer;
}

const wantsToken = t.needsToken;

// Null where there is no server of ours; a sentence where it cannot be reached, or does not let this page see it.
async function seen<Told>(path: string, read: (json: unknown) => Told | null): Promise<Told | string | null> {
  const there = await askPresence();
  if (there === "absent") return null;
  if (there === "unreachable") return unreachable;
  try {
    const answer = await fetchServer(path);
    if (answer.status === 401) return wantsToken;
    if (!answer.headers.get("content-type")?.includes("json")) return null;
    return answer.ok ? read(await answer.json()) : await problemOf(answer);
  } catch {
    lostServer();
    return unreachable;
  }
}

// A page of the runs, newest first.
export const serverRuns = (cursor = ""): Promise<RunPage | string | null> =>
  seen(`/v1/runs?limit=${listed}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, (json) => {
    const { runs, next_cursor: next = "" } = json as { runs?: ServerRun[]; next_cursor?: string };
    return Array.isArray(runs) ? { runs, next } : null;
  });

export const serverFacts = (): Promise<ServerFacts | string | null> =>
  seen("/v1/server", (json) => json as ServerFacts);

export async function journalOf(id: string): Promise<string> {
  return (await request(`/v1/runs/${encodeURIComponent(id)}/journal`)).text();
}

const posted = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

// Begins a run; the routes of pipelines call its id by several names.
export async function beginRun(path: string, body: object): Promise<string> {
  const told = (await (await request(path, posted(body))).json()) as { id?: string; run_id?: string; job_id?: string };
  return told.id ?? told.run_id ?? told.job_id ?? "";
}

export async function act(path: string, body: object): Promise<void> {
  await request(path, posted(body));
}

export async function cancelRun(id: string): Promise<void> {
  await act(`/v1/runs/${encodeURIComponent(id)}/cancel`, {});
}

// Lets a run go on with the providers of this server, whomever it was begun with. Its journal notes it.
export async function goOnHere(id: string): Promise<void> {
  await act(`/v1/runs/${encodeURIComponent(id)}/resume`, { here: true });
}

// A new run that begins with what this one had settled; `left` are finished parts that it does not enter.
export async function forkRun(id: string, wish: ForkWish): Promise<{ id: string; left: string[] }> {
  const answer = await request(`/v1/runs/${encodeURIComponent(id)}/fork`, posted(wish));
  return (await answer.json()) as { id: string; left: string[] };
}

export interface Following {
  stored(lines: string[]): void;
  // What is told inside a call, while it is under way.
  told(json: string): void;
  ended(): void;
  lost(message: string): void;
  // Too slow for the server: what comes next has to be asked for.
  dropped(): void;
}

// Follows a run from entry `from` on. The browser comes back by itself with the id of the last event, so that nothing is
// missed and nothing comes twice; what this gives stops it.
export function follow(id: string, from: number, hear: Following): () => void {
  const source = eventsOf(`/v1/runs/${encodeURIComponent(id)}/events?from=${from}`);
  source.addEventListener("entry", ({ data }: MessageEvent<string>) => {
    const { entry, texts = {} } = JSON.parse(data) as { entry: unknown; texts?: Record<string, string> };
    const blobs = Object.entries(texts).map(([blob, text]) => JSON.stringify({ blob, text }));
    hear.stored([...blobs, JSON.stringify(entry)]);
  });
  source.addEventListener("told", ({ data }: MessageEvent<string>) => hear.told(data));
  const over = (): void => {
    source.close();
    hear.ended();
  };
  source.addEventListener("end", over);
  source.addEventListener("dropped", () => {
    source.close();
    hear.dropped();
  });
  source.onerror = () => {
    // Closed: the server has nothing more for us, or is not there; otherwise the browser tries again.
    if (source.readyState === EventSource.CLOSED) over();
    else hear.lost(t.connectionLost);
  };
  return () => source.close();
}
