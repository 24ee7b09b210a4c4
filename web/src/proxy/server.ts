// What the server tells of its proxy: GET /v1/proxy and its events (docs/proxy.md, "Seeing").
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
  refused: Record<string, number>;
  idempotency: { entries: number };
  steps: Step[];
  calls: Call[];
}

export interface Hearing {
  state(state: ProxyState): void;
  // No proxy to hear of, and why.
  none(why: string): void;
  lost(): void;
}

const nowhere =
  "This page's server has no proxy. With `proxy:` in plumb.yaml, or `plumb serve --proxy 8788`, it is shown here.";

// Asks once, since an event stream does not say why it was refused; then follows. What it gives stops it.
export function follow(hear: Hearing): () => void {
  let source: EventSource | undefined;
  let stopped = false;
  const begin = async (): Promise<void> => {
    let answer: Response;
    try {
      answer = await fetch(new URL("/v1/proxy", location.origin), { cache: "no-store" });
    } catch {
      hear.none(nowhere);
      return;
    }
    if (stopped) return;
    const json = answer.headers.get("content-type")?.includes("json") ?? false;
    if (answer.status === 401) return hear.none("The server wants a token, which this page does not send.");
    if (!answer.ok || !json) return hear.none(nowhere);
    hear.state((await answer.json()) as ProxyState);
    if (stopped) return;
    source = new EventSource(new URL("/v1/proxy/events", location.origin));
    source.addEventListener("state", ({ data }: MessageEvent<string>) => hear.state(JSON.parse(data) as ProxyState));
    source.onerror = () => hear.lost();
  };
  void begin();
  return () => {
    stopped = true;
    source?.close();
  };
}
