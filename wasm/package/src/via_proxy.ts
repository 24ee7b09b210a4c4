/**
 * Model calls of a run through a proxy (`plumb serve --proxy`), which has the key of the provider: streamed, checked while
 * they arrive, stopped early, and with usage and errors in the journal as the server's own runs have them.
 */
import type { Contract, Schema, Stream } from "./contract.js";
import type { Plumb } from "./plumb.js";
import type { Effect, Reply, RunOptions } from "./run.js";
import { eventsOf, streamEnd, type ByteStream } from "./sse.js";
import type { Finding } from "./verdict.js";

/** The platform's `fetch`, where there is one: not every program has its types. */
type Fetch = typeof globalThis extends { fetch: infer F } ? F : never;

export interface ViaProxyOptions {
  /** A name that the proxy knows (`proxy.models` in plumb.yaml), for all calls or by their phase. */
  model: string | ((phase: string) => string);
  /** The client key. A function is asked before each call. */
  token?: string | (() => string | PromiseLike<string>);
  /** Does what is no model call: the searches of a research run, the files of a discovery. */
  others?: RunOptions["fulfil"];
  /** Instead of the platform's. */
  fetch?: Fetch;
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}
interface Part {
  type?: string;
  text?: string;
  url?: string;
  media_type?: string;
  data?: string;
}
interface Message {
  role: string;
  content?: string | null | Part[];
  calls?: { id?: string; name?: string; arguments?: unknown }[];
  call_id?: string;
}
interface ModelRequest {
  phase?: string;
  messages?: Message[];
  tools?: { name?: string; description?: string; parameters?: unknown; strict?: boolean }[];
  tool_choice?: string | { name?: string };
  calls_in_parallel?: boolean;
  format?: "json" | { schema?: unknown; name?: string; strict?: boolean };
  contract?: string;
  early_stop?: "none" | "degenerate" | "finding";
  temperature?: number;
  output_tokens_max?: number;
  stop?: string[];
  idle_ms?: number;
  wait_ms?: number;
}
interface Failure {
  message?: unknown;
  type?: unknown;
  code?: unknown;
}
/** A chunk of a streamed completion, or a completion that came as a whole. */
interface Chunk {
  model?: unknown;
  error?: Failure | string;
  choices?: { index?: number; finish_reason?: string | null; delta?: Delta; message?: Delta }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number } | null;
    completion_tokens_details?: { reasoning_tokens?: number } | null;
  } | null;
}
interface Delta {
  content?: string | null;
  refusal?: string | null;
  reasoning?: string | null;
  reasoning_content?: string | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[];
}

/** What ends a call without an answer. */
class Failed {
  constructor(
    readonly message: string,
    readonly kind: string,
    readonly status = 0,
    readonly more: { code?: string; retry_after_ms?: number } = {},
    readonly retryable = retried.has(kind),
  ) {}
}
const retried = /* @__PURE__ */ new Set(["rate_limited", "overloaded", "server", "malformed", "cut", "timed_out", "unreachable"]);

/** What a status means; as the command reads it. */
const ofStatus: Readonly<Record<number, string>> = {
  400: "bad_request",
  401: "unauthorised",
  402: "forbidden",
  403: "forbidden",
  404: "not_found",
  406: "bad_request",
  408: "timed_out",
  409: "server",
  425: "server",
  429: "rate_limited",
  499: "cut",
  503: "overloaded",
  504: "timed_out",
  529: "overloaded",
};
const never = /* @__PURE__ */ new Set(["insufficient_quota", "billing_hard_limit_reached", "credit_balance_exhausted", "request_over_limit"]);

/** @internal */
export async function viaProxy(plumb: Plumb, url: string, options: ViaProxyOptions, effect: Effect): Promise<Reply> {
  if (effect.kind !== "model") {
    const { others } = options;
    return others === undefined
      ? { error: `viaProxy answers model calls; give \`others\` to answer '${effect.kind}'` }
      : asReply(await others(effect));
  }
  const request = effect.request as ModelRequest;
  const answer: Answer = { text: "", thinking: "", refusal: "", calls: [], finish: "none", model: "", bytes: 0, usage: undefined, stopped: undefined };
  try {
    await ask(plumb, url, options, effect, request, answer);
    const { text, finish, stopped } = answer;
    return { value: { text, finish: stopped ? "stopped" : finish, ...told(answer, request), ...(stopped && { stopped }) } };
  } catch (error) {
    const failed = error instanceof Failed ? error : new Failed(error instanceof Error ? error.message : String(error), "bad_request");
    const { message, kind, status, more, retryable } = failed;
    const what = answer.bytes > 0 ? { text: answer.text, ...told(answer, request) } : {};
    return {
      status: kind === "timed_out" && status === 0 ? "timed_out" : "failed",
      error: `${url}: ${message}`,
      value: { class: kind, retryable, status, ...more, ...what },
    };
  }
}

interface Answer {
  text: string;
  thinking: string;
  refusal: string;
  calls: Call[];
  finish: string;
  model: string;
  bytes: number;
  usage: Chunk["usage"] | undefined;
  stopped: object | undefined;
}

function asReply(given: Reply | string): Reply {
  return typeof given === "string" ? { value: { text: given } } : given;
}

/** One call; `answer` is what has arrived, also where it throws. */
async function ask(
  plumb: Plumb,
  url: string,
  options: ViaProxyOptions,
  effect: Effect,
  request: ModelRequest,
  answer: Answer,
): Promise<void> {
  const abort = new AbortController();
  const leave = (): void => abort.abort();
  effect.signal.addEventListener("abort", leave, { once: true });
  if (effect.signal.aborted) {
    leave();
  }
  const idle = new Idle(request.idle_ms ?? 0, leave);
  try {
    const contract = contractOf(plumb, effect, request.contract);
    const body = JSON.stringify(await bodyOf(plumb, options, request, contract));
    await pause(request.wait_ms ?? 0, abort.signal);
    const token = typeof options.token === "function" ? await options.token() : options.token;
    idle.start();
    const response = await (options.fetch ?? fetch)(`${url.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body,
      signal: abort.signal,
    });
    if (!response.ok) {
      throw refusalOf(response.status, response.headers, await response.text());
    }
    const watch = new Watch(contract, request.early_stop);
    try {
      await read(response, watch, effect, idle, answer);
    } finally {
      watch.dispose();
    }
  } catch (error) {
    if (error instanceof Failed) {
      throw error;
    }
    if (idle.over) {
      throw new Failed(`nothing came for ${request.idle_ms} ms`, "timed_out");
    }
    if (effect.signal.aborted) {
      throw new Failed("the call was stopped", "cut");
    }
    if (answer.bytes > 0) {
      throw new Failed(`the answer broke off: ${error instanceof Error ? error.message : String(error)}`, "cut");
    }
    if (!(error instanceof TypeError)) {
      throw error;
    }
    const { origin } = globalThis as { origin?: string };
    const page = origin === undefined || origin === "null" ? "" : `, and whether it answers pages of ${origin} (\`origins\`)`;
    throw new Failed(`the proxy cannot be reached (${error.message}); see whether it runs${page}`, "unreachable");
  } finally {
    idle.stop();
    effect.signal.removeEventListener("abort", leave);
    abort.abort(); // what is still arriving is not read any more
  }
}

async function read(response: Response, watch: Watch, effect: Effect, idle: Idle, answer: Answer): Promise<void> {
  const streamed = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
  const events = streamed && response.body !== null ? eventsOf(response.body as ByteStream) : [await response.json()];
  let ended = !streamed;
  for await (const event of events) {
    idle.start();
    if (event === streamEnd) {
      ended = true;
      continue;
    }
    if (typeof event !== "object" || event === null) {
      throw new Failed("an event of the answer is no JSON", "malformed");
    }
    take(event as Chunk, effect, answer, (text) => (answer.stopped = watch.push(text, effect, answer.bytes)));
    if (answer.stopped !== undefined) {
      effect.tell("stopped", answer.stopped);
      return;
    }
  }
  if (!ended && answer.finish === "none") {
    throw new Failed("the answer ended before it was complete", "cut");
  }
  if (answer.usage) {
    effect.tell("usage", usageOf(answer.usage));
  }
}

function take(chunk: Chunk, effect: Effect, answer: Answer, onText: (text: string) => void): void {
  if (chunk.error) {
    throw failureOf(500, chunk.error);
  }
  answer.model ||= typeof chunk.model === "string" ? chunk.model : "";
  answer.usage = chunk.usage ?? answer.usage;
  for (const { index = 0, delta, message, finish_reason: finish } of chunk.choices ?? []) {
    const { content, refusal, reasoning_content: reasoning, reasoning: other, tool_calls: calls } = delta ?? message ?? {};
    if (index !== 0) {
      continue;
    }
    answer.refusal += refusal ?? "";
    const thought = reasoning ?? other;
    if (thought) {
      answer.thinking += thought;
      effect.tell("thinking", thought);
    }
    calls?.forEach((call, i) => {
      const known = (answer.calls[call.index ?? i] ??= { id: "", name: "", arguments: "" });
      known.id ||= call.id ?? "";
      known.name ||= call.function?.name ?? "";
      known.arguments += call.function?.arguments ?? "";
    });
    if (finish) {
      answer.finish = ["stop", "length", "tool_calls", "content_filter"].includes(finish) ? finish : "other";
    }
    if (content) {
      answer.text += content;
      answer.bytes += new TextEncoder().encode(content).length;
      effect.tell("text", content);
      onText(content);
    }
  }
}

/** What the text so far breaks, and whether the rest is worth waiting for. */
class Watch {
  readonly #stream: Stream | undefined;
  readonly #stop: ModelRequest["early_stop"];

  constructor(contract: Contract | undefined, stop: ModelRequest["early_stop"]) {
    this.#stop = stop ?? "degenerate";
    this.#stream = contract?.stream({ edits: "certain" });
  }

  /** Why the call is to be stopped. */
  push(text: string, effect: Effect, bytes: number): object | undefined {
    const findings = this.#stream?.push(text) ?? [];
    findings.forEach((finding) => effect.tell("finding", finding));
    const [signal] = this.#stream?.signals ?? [];
    if (signal !== undefined && this.#stop !== "none") {
      return { why: "degenerate", detail: signal.detail ?? signal.kind, decided_at: signal.atByte, received_bytes: bytes };
    }
    const finding = this.#stop === "finding" ? findings.find((one) => isFinal(one)) : undefined;
    return (
      finding && {
        why: "finding",
        detail: finding.message ?? `${finding.rule} at ${finding.at || "/"}`,
        rule: finding.rule,
        at: finding.at,
        decided_at: finding.decidedAt,
        received_bytes: bytes,
      }
    );
  }

  dispose(): void {
    this.#stream?.dispose();
  }
}

/** An error that no free fix mends: a value that is another in case or space alone from one that is allowed. */
function isFinal({ severity, shadowedBy, rule, partial, provided, allowed = [] }: Finding): boolean {
  if (severity !== "error" || shadowedBy !== undefined || rule === "limit") {
    return false;
  }
  const fold = (text: unknown): string => String(text).trim().toLowerCase();
  return rule !== "memberOf" || (partial !== true && !allowed.some((one) => fold(one) === fold(provided)));
}

function contractOf(plumb: Plumb, effect: Effect, name: string | undefined): Contract | undefined {
  if (name === undefined) {
    return plumb.contract(true);
  }
  const { pins = [] } = effect.journal.entry(0).data as { pins?: { name: string; text: unknown }[] };
  const pin = pins.find((one) => one.name === name);
  if (pin === undefined) {
    throw new Failed(`the run has no text named '${name}' for a contract`, "bad_request");
  }
  return plumb.contract(pin.text as Schema);
}

async function bodyOf(plumb: Plumb, options: ViaProxyOptions, request: ModelRequest, contract: Contract | undefined): Promise<object> {
  const { model } = options;
  const { phase = "", messages = [], tools, tool_choice: choice, temperature, output_tokens_max: most, stop } = request;
  return {
    model: typeof model === "function" ? model(phase) : model,
    messages: messages.map(messageOf),
    ...(tools?.length && {
      tools: tools.map(({ name, description, parameters = { type: "object", properties: {} }, strict }) => ({
        type: "function",
        function: { name, ...(description && { description }), parameters, ...(strict && { strict }) },
      })),
      ...(choice !== undefined && { tool_choice: typeof choice === "string" ? choice : { type: "function", function: choice } }),
      ...(request.calls_in_parallel === false && { parallel_tool_calls: false }),
    }),
    ...(await formatOf(plumb, request, contract)),
    ...(temperature !== undefined && { temperature }),
    ...(most !== undefined && { max_completion_tokens: most }),
    ...(stop?.length && { stop }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function messageOf({ role, content, calls, call_id: id }: Message): object {
  return {
    role,
    content: Array.isArray(content) ? content.map(partOf) : (content ?? (calls ? null : "")),
    ...(calls?.length && {
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}) },
      })),
    }),
    ...(role === "tool" && { tool_call_id: id }),
  };
}

function partOf({ type, text, url, media_type: media, data }: Part): object {
  return type === "image" ? { type: "image_url", image_url: { url: url ?? `data:${media};base64,${data}` } } : { type: "text", text };
}

const formats = /* @__PURE__ */ new WeakMap<Plumb, Map<string, object>>();

/**
 * The schema that the provider enforces, derived from the contract; where there is none, or the module that derives is not
 * loaded, JSON for an object, else what the prompt says.
 */
async function formatOf(plumb: Plumb, { format, contract: name }: ModelRequest, contract: Contract | undefined): Promise<object> {
  if (format !== undefined) {
    return { response_format: format === "json" ? { type: "json_object" } : { type: "json_schema", json_schema: format } };
  }
  if (name === undefined || contract === undefined) {
    return {};
  }
  let known = formats.get(plumb);
  formats.set(plumb, (known ??= new Map()));
  let made = known.get(contract.hash);
  if (made === undefined) {
    made = jsonOf(contract);
    try {
      const author = await plumb.author();
      for (const target of ["openai-strict", "openai"] as const) {
        const { text, narrows } = author.derive(contract, target);
        const format = JSON.parse(text) as { json_schema?: { schema?: { type?: unknown } } };
        // A model that is held to less than an open place takes cannot answer what it is asked.
        if (format.json_schema?.schema?.type === "object" && !narrows.some(({ kind }) => kind === "open place")) {
          made = { response_format: format };
          break;
        }
      }
    } catch {
      // the prompt says it too
    }
    known.set(contract.hash, made);
  }
  return made;
}

/** JSON and nothing else, of which providers have only the form for objects. */
function jsonOf(contract: Contract): object {
  const { type } = JSON.parse(contract.text) as { type?: unknown };
  return type === "object" ? { response_format: { type: "json_object" } } : {};
}

/** What an answer is told with, beside its text. */
function told({ thinking, refusal, calls, model, usage, text }: Answer, request: ModelRequest): object {
  const estimated = {
    input_tokens: Math.ceil(JSON.stringify(request.messages ?? []).length / 4),
    output_tokens: Math.ceil((text.length + thinking.length) / 4),
    estimated: true,
  };
  return {
    ...(model && { model }),
    usage: usage ? usageOf(usage) : estimated,
    ...(refusal && { refusal }),
    ...(thinking && { thinking }),
    ...(calls.length > 0 && { calls: calls.filter(Boolean) }),
  };
}

function usageOf(usage: NonNullable<Chunk["usage"]>): object {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    input_tokens: usage.prompt_tokens ?? 0,
    output_tokens: usage.completion_tokens ?? 0,
    ...(cached > 0 && { cached_tokens: cached }),
    ...(reasoning > 0 && { reasoning_tokens: reasoning }),
  };
}

function refusalOf(status: number, headers: Headers, body: string): Failed {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  let said: Chunk | undefined;
  try {
    said = JSON.parse(body) as Chunk;
  } catch {
    // no error of an interface: its status is what there is
  }
  return failureOf(status, said?.error ?? `status ${status}`, Number.isFinite(seconds) ? seconds * 1000 : undefined);
}

function failureOf(status: number, error: Failure | string, retryAfterMs?: number): Failed {
  const { message, code, type } = typeof error === "string" ? { message: error, code: "", type: "" } : error;
  const word = typeof code === "string" && code !== "" ? code : typeof type === "string" ? type : "";
  const kind = ofStatus[status] ?? (status >= 400 && status < 500 ? "bad_request" : "server");
  const more = { ...(word && { code: word }), ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) };
  return new Failed(typeof message === "string" ? message : JSON.stringify(error), kind, status, more, retried.has(kind) && !never.has(word));
}

/** Ends a call in which nothing comes for so long. */
class Idle {
  over = false;
  readonly #ms: number;
  readonly #end: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, end: () => void) {
    this.#ms = ms;
    this.#end = end;
  }
  start(): void {
    clearTimeout(this.#timer);
    if (this.#ms > 0) {
      this.#timer = setTimeout(() => {
        this.over = true;
        this.#end();
      }, this.#ms);
    }
  }
  stop(): void {
    clearTimeout(this.#timer);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
    });
  }
}
