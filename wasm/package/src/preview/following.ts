/** What `<plumb-preview>` shows of a client's stream, and of a run. */
import { textOf, type TextSource } from "../adapters.js";
import type { Schema } from "../contract.js";
import { PlumbError } from "../error.js";
import type { Run } from "../run.js";
import { eventsOf, streamEnd, type ByteStream } from "../sse.js";
import type { Verdict } from "../verdict.js";

/** The element, as far as it is used here. */
export interface Shown {
  value: unknown;
  contract: string | Schema | undefined;
  push(chunk: string | Uint8Array): void;
  end(): Promise<Verdict>;
  reset(): void;
  fail?(reason: unknown): void;
}

/** A response of `fetch`, or any stream of text or of a provider's events. */
export type Followed = TextSource | Response;

export async function showStream(shown: Shown, source: Followed): Promise<Verdict> {
  shown.reset();
  try {
    for await (const piece of textOf(isResponse(source) ? await sourceOf(source) : source)) {
      shown.push(piece);
    }
  } catch (error) {
    shown.fail?.(error);
    throw error;
  }
  return shown.end();
}

function isResponse(source: Followed): source is Response {
  return typeof source === "object" && "headers" in source && "body" in source;
}

/** The text of an answer, however it was sent: as events, as JSON with the text in it, or as it is. */
async function sourceOf(response: Response): Promise<TextSource> {
  if (!response.ok) {
    throw new PlumbError("unavailable", failureIn(await response.text(), response.status), { where: response.url });
  }
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream") && response.body !== null) {
    return withoutEnd(eventsOf(response.body as ByteStream));
  }
  if (!type.startsWith("application/json")) {
    return response.body ?? [await response.text()];
  }
  const text = await response.text();
  return [answerIn(text) ?? text];
}

async function* withoutEnd(events: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
  for await (const event of events) {
    if (event !== streamEnd) {
      yield event;
    }
  }
}

/** The text in a completion that came as a whole; undefined where JSON is the artifact itself. */
function answerIn(text: string): string | undefined {
  const whole = JSON.parse(text) as { choices?: { message?: { content?: unknown } }[]; type?: unknown; content?: { text?: unknown }[] } | null;
  const content = whole?.choices?.[0]?.message?.content ?? (whole?.type === "message" ? whole.content?.map((one) => one.text ?? "").join("") : undefined);
  return typeof content === "string" ? content : undefined;
}

function failureIn(text: string, status: number): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    if (typeof error?.message === "string") {
      return error.message;
    }
  } catch {
    // no error of an interface
  }
  return `the answer has the status ${status}`;
}

/** Each version while a model writes it, and in the end the result. */
export async function showRun(shown: Shown, run: Run): Promise<Verdict> {
  let call = "";
  let last = "";
  shown.reset();
  const stop = run.follow(({ key, attempt, request }, kind, value) => {
    if (kind !== "text" || (request as { contract?: unknown }).contract !== "contract") {
      return;
    }
    if (call !== `${key} ${attempt}`) {
      call = `${key} ${attempt}`;
      last = "";
      shown.reset();
    }
    shown.contract ??= contractOf(run);
    last += value as string;
    shown.push(value as string);
  });
  try {
    const { state, value, error } = await run.result;
    shown.contract ??= contractOf(run);
    const result = resultOf(run, value);
    if (result !== undefined) {
      shown.reset();
      shown.push(JSON.stringify(result, null, 2));
      return await shown.end();
    }
    throw new PlumbError(error?.code ?? "unavailable", error?.message ?? `the run is ${state}`, { where: error?.where ?? "" });
  } catch (error) {
    if (last !== "") {
      await shown.end().catch(() => undefined); // the last version stays, with what is wrong with it
    } else {
      shown.fail?.(error);
    }
    throw error;
  } finally {
    stop();
  }
}

/** The artifact, the items that may be passed on, or what else the run has come to. */
function resultOf(run: Run, value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const { artifact, items } = value as { artifact?: unknown; items?: { passed?: string; value: unknown }[] };
  return pipelineOf(run) === "boundary" && items !== undefined
    ? items.filter(({ passed }) => passed !== "failed").map((one) => one.value)
    : (artifact ?? value);
}

function pipelineOf(run: Run): string | undefined {
  return run.journal.entry(0).name;
}

/** The contract of what the run makes: that which it is pinned to. */
function contractOf(run: Run): Schema {
  const { pins = [] } = run.journal.entry(0).data as { pins?: { name: string; text: Schema }[] };
  const pin = pins.find(({ name }) => name === "contract")?.text ?? true;
  return pipelineOf(run) === "boundary" ? { type: "array", items: pin } : pin;
}
