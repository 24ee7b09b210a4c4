// The token of a server that requires one: asked for, and kept in this tab until it is closed.
import { signal } from "@preact/signals";

const key = "plumbline-token";

function kept(): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export const serverToken = signal(kept());
// The server has refused what was sent: a token is asked for.
export const tokenWanted = signal(false);

export function useToken(token: string): void {
  serverToken.value = token;
  tokenWanted.value = false;
  try {
    sessionStorage.setItem(key, token);
  } catch {
    // Not kept: it is asked for again after a reload.
  }
}

// As fetch, for routes of the server that this page came from.
export async function fetchServer(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (serverToken.value) headers.set("authorization", `Bearer ${serverToken.value}`);
  const answer = await fetch(new URL(path, location.origin), { cache: "no-store", ...init, headers });
  if (answer.status === 401) tokenWanted.value = true;
  return answer;
}

interface Events {
  readonly readyState: number;
  onerror: ((this: EventSource, event: Event) => unknown) | null;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

// As an EventSource. That one can send no token, so with one the stream is read here.
export function eventsOf(path: string): Events {
  return serverToken.value ? (new TokenEvents(path) as Events) : new EventSource(new URL(path, location.origin));
}

const againMs = 1000;
const bufferMax = 64 * 1024 * 1024;

class TokenEvents extends EventTarget {
  readyState: number = EventSource.CONNECTING;
  onerror: ((this: EventSource, event: Event) => unknown) | null = null;
  private readonly abort = new AbortController();
  private last = "";

  constructor(private readonly path: string) {
    super();
    void this.follow();
  }

  close(): void {
    this.readyState = EventSource.CLOSED;
    this.abort.abort();
  }

  private closed(): boolean {
    return this.readyState === EventSource.CLOSED;
  }

  private failed(forGood: boolean): void {
    if (this.closed()) return;
    this.readyState = forGood ? EventSource.CLOSED : EventSource.CONNECTING;
    this.onerror?.call(this as unknown as EventSource, new Event("error"));
  }

  private async follow(): Promise<void> {
    while (!this.closed()) {
      try {
        const answer = await fetchServer(this.path, {
          headers: { accept: "text/event-stream", ...(this.last && { "last-event-id": this.last }) },
          signal: this.abort.signal,
        });
        if (!answer.ok || !answer.body) return this.failed(true);
        this.readyState = EventSource.OPEN;
        await this.read(answer.body);
      } catch {
        // The connection is lost, or was closed here.
      }
      this.failed(false);
      if (!this.closed()) await new Promise((done) => setTimeout(done, againMs));
    }
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? "";
      if (text.length > bufferMax) throw new RangeError();
      blocks.forEach((block) => this.hear(block));
    }
  }

  private hear(block: string): void {
    const fields = new Map<string, string[]>();
    for (const line of block.split(/\r?\n/)) {
      const [, name = "", value = ""] = /^([^:]+):? ?(.*)$/s.exec(line) ?? [];
      fields.set(name, [...(fields.get(name) ?? []), value]);
    }
    const data = fields.get("data")?.join("\n");
    this.last = fields.get("id")?.at(-1) ?? this.last;
    if (data !== undefined && !this.closed()) {
      this.dispatchEvent(new MessageEvent(fields.get("event")?.at(-1) ?? "message", { data, lastEventId: this.last }));
    }
  }
}
