// What the server tells of itself, and of its proxy: GET /v1/proxy and its events (docs/proxy.md, "Seeing").
import { lostServer, unreachable } from "../presence";
import { eventsOf, fetchServer } from "../server_token";
import { messages, server as t } from "../strings";

export interface Counts {
  calls: number;
  failed: number;
  input_tokens: number;
  output_tokens: number;
  usd: number;
  accepted: number;
  rejected: number;
  early_stops: number;
}

export interface Totals extends Counts {
  tokens_saved: number;
  retries: number;
  replayed: number;
}

export interface Row extends Totals {
  key: string;
  name: string;
  model: string;
  first_byte_ms: number;
  took_ms: number;
}

export interface Step extends Counts {
  at: number;
  refused: number;
  p50_ms: number;
  p95_ms: number;
}

export interface Upstream {
  name: string;
  address: string;
  breaker: "closed" | "open" | "half-open";
  open_for_ms: number;
  left_alone: string[];
  calls: number;
  tries: number;
  failures: number;
  last_failure: string;
  last_failure_at: number;
}

export interface Call {
  id: string;
  at: number;
  key: string;
  model: string;
  target: string;
  result: "answered" | "refused" | "failed" | "cut" | "client_left";
  status: number;
  error: string;
  ms: number;
  first_byte_ms: number;
  tries: number;
  input_tokens: number;
  output_tokens: number;
  estimated: boolean;
  usd: number;
  contract: string;
  mode: string;
  decision: string;
  findings: number;
  stopped_early: boolean;
  replayed: boolean;
}

// Who is asked for a name that clients ask for.
export interface Model {
  name: string;
  to: string[];
  fallbacks: string[];
}

// What was wrong with the answer of a call, in words of its contract.
export interface Found {
  rule: string;
  severity: "error" | "warning" | "info";
  at: string;
  place: string;
}

export interface ProxyState {
  at: number;
  config: { file: string; taken_at: number; problem: string };
  keys_problem?: string;
  keys: number;
  open: number;
  totals: Totals;
  rows_in_all: number;
  rows: Row[];
  upstreams: Upstream[];
  models?: Model[];
  refused: Record<string, number>;
  idempotency: { entries: number };
  steps: Step[];
  calls: Call[];
}

export interface Hearing {
  state(state: ProxyState): void;
  // No proxy to hear of: there is none; or why not.
  none(why: "absent" | { problem: string }): void;
  lost(): void;
}

const wantsToken = messages.needsToken;

// Asks once, since an event stream does not say why it was refused; then follows. What it gives stops it.
export function follow(hear: Hearing): () => void {
  let source: ReturnType<typeof eventsOf> | undefined;
  let stopped = false;
  const begin = async (): Promise<void> => {
    let answer: Response;
    try {
      answer = await fetchServer("/v1/proxy");
    } catch {
      lostServer();
      return hear.none({ problem: unreachable });
    }
    if (stopped) return;
    const json = answer.headers.get("content-type")?.includes("json") ?? false;
    if (answer.status === 401) return hear.none({ problem: wantsToken });
    if (answer.status === 404) return hear.none("absent");
    if (!answer.ok || !json) return hear.none({ problem: messages.serverAnswered(answer.status) });
    hear.state((await answer.json()) as ProxyState);
    if (stopped) return;
    source = eventsOf("/v1/proxy/events");
    source.addEventListener("state", ({ data }: MessageEvent<string>) => hear.state(JSON.parse(data) as ProxyState));
    source.onerror = () => hear.lost();
  };
  void begin();
  return () => {
    stopped = true;
    source?.close();
  };
}

// What was found in the answer of one of the last calls; a sentence where that is not to be had any more.
export async function foundIn(id: string): Promise<Found[] | string> {
  try {
    const answer = await fetchServer(`/v1/proxy/calls/${encodeURIComponent(id)}`);
    if (answer.status === 404) return t.callGone;
    if (!answer.ok) return messages.serverAnswered(answer.status);
    return ((await answer.json()) as { found: Found[] }).found;
  } catch {
    return unreachable;
  }
}
