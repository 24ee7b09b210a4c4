/**
 * A contract where a model is called: what it is told, the format that the provider enforces, and a text that is judged while it
 * arrives. Nothing of a framework is imported; each takes what is here by its own standard.
 *
 *     const format = forModel(await plumb.author(), quiz);
 *     const { output } = await generateText({ model, system: format.prompt, output: Output.object({ schema: format }), ... });
 *     const verdict = await judge(quiz, streamText({ ... }), { onFinding: show });
 *
 * docs/frameworks.md has a recipe for each that is tested.
 */
import type { Author } from "./author.js";
import type { CheckOptions, Contract, ContractOptions, Schema, Stream } from "./contract.js";
import { PlumbError } from "./error.js";
import type { Plumb } from "./plumb.js";
import { checkValue, type StandardProps } from "./standard.js";
import type { StreamedValue, ValueChange } from "./value.js";
import type { Finding, Judged } from "./verdict.js";

/** A contract as providers that enforce a schema take it. It is a Standard JSON Schema, so frameworks take it as it is. */
export interface ModelFormat<T> {
  /** What the contract wants, in words: for the system prompt. */
  readonly prompt: string;
  /** Letters, digits, `-` and `_`. */
  readonly name: string;
  /** The schema that the provider enforces: the author module's target `openai-strict`. */
  readonly schema: Record<string, unknown>;
  /** `response_format` of OpenAI's chat completions. */
  readonly responseFormat: {
    readonly type: "json_schema";
    readonly json_schema: { readonly name: string; readonly strict: true; readonly schema: Record<string, unknown> };
  };
  /** `text.format` of OpenAI's responses, and `outputType` of its agents. */
  readonly textFormat: {
    readonly type: "json_schema";
    readonly name: string;
    readonly strict: true;
    readonly schema: Record<string, unknown>;
  };
  /** Its JSON Schema is `schema`, for each target; what it validates is the whole contract. */
  readonly "~standard": StandardProps<T>;
}

/** Throws a `PlumbError` with the place where providers cannot enforce the contract (a list at the top, say). */
export function forModel<T>(author: Author, contract: Contract<T>, options: CheckOptions = {}): ModelFormat<T> {
  const prompt = author.derive(contract, "prompt").text;
  const derived = JSON.parse(author.derive(contract, "openai-strict").text) as ModelFormat<T>["responseFormat"];
  const { name, schema } = derived.json_schema;
  const jsonSchema = (): Record<string, unknown> => structuredClone(schema);
  return {
    prompt,
    name,
    schema,
    responseFormat: { type: "json_schema", json_schema: { name, strict: true, schema } },
    textFormat: { type: "json_schema", name, strict: true, schema },
    "~standard": { ...contract.standard(options)["~standard"], jsonSchema: { input: jsonSchema, output: jsonSchema } },
  };
}

/** What the Model Context Protocol's SDK takes as `jsonSchemaValidator`. */
export interface McpValidator {
  getValidator<T>(schema: object): (
    input: unknown,
  ) =>
    | { valid: true; data: T; errorMessage: undefined }
    | { valid: false; data: undefined; errorMessage: string };
}

/** A validator for clients and servers of the Model Context Protocol: `new Client(info, { jsonSchemaValidator })`. */
export function mcpValidator(plumb: Plumb, options: ContractOptions = {}): McpValidator {
  return {
    getValidator<T>(schema: object) {
      const contract = plumb.contract<T>(schema as Schema, options);
      return (input) => {
        const result = contract["~standard"].validate(input);
        if (result.issues === undefined) {
          return { valid: true, data: result.value, errorMessage: undefined };
        }
        const told = result.issues.map(({ message, path }) =>
          path.length === 0 ? message : `${path.map((one) => `/${String(one)}`).join("")}: ${message}`,
        );
        return { valid: false, data: undefined, errorMessage: told.join("; ") };
      };
    },
  };
}

/** What a text may come from: pieces of it, a provider's events, or a result that has them as `textStream`. */
export type TextSource =
  | AsyncIterable<unknown>
  | Iterable<unknown>
  | { getReader(): { read(): Promise<{ done: boolean; value?: unknown }>; cancel?(reason?: unknown): Promise<void> } }
  | { readonly textStream: AsyncIterable<string> };

export interface TextOptions {
  /** "text" (the default), or what a model writes as the input of its first tool call. */
  of?: "text" | "tool";
}

/* An event of any of the wires, by the members that tell. */
interface Event {
  type?: unknown;
  delta?: unknown;
  text?: unknown;
  textDelta?: unknown;
  inputTextDelta?: unknown;
  error?: unknown;
  response?: { error?: { message?: unknown } | null };
  choices?: readonly {
    index?: number;
    delta?: { content?: unknown; tool_calls?: readonly { index?: number; function?: { arguments?: unknown } }[] };
  }[];
  content?: unknown;
}

/**
 * The pieces of text in what a client streams: strings and bytes; chunks of OpenAI's chat completions, events of its responses
 * and of Anthropic's messages; parts of the AI SDK, events of AG-UI, messages of LangChain. An event that tells of an error is
 * thrown, and a stream in which no event has text is an error too: it is not an empty answer.
 */
export async function* textOf(source: TextSource, options: TextOptions = {}): AsyncGenerator<string | Uint8Array> {
  const tool = options.of === "tool";
  let events = 0;
  let texts = 0;
  for await (const event of iterate(source)) {
    if (typeof event === "string" || event instanceof Uint8Array) {
      ++texts;
      yield event;
      continue;
    }
    if (typeof event !== "object" || event === null) {
      throw new PlumbError("invalid_argument", `a stream of text has pieces and events, and not ${typeof event}`);
    }
    ++events;
    refuseError(event as Event);
    const text = tool ? toolPiece(event as Event) : textPiece(event as Event);
    if (typeof text === "string") {
      ++texts;
      if (text !== "") {
        yield text;
      }
    }
  }
  if (events > 0 && texts === 0) {
    throw new PlumbError(
      "invalid_argument",
      `of ${events} events none has ${tool ? "a tool's input" : "text"}; give the pieces of text themselves`,
    );
  }
}

function textPiece(event: Event): unknown {
  if (event.choices !== undefined) {
    return event.choices.find(({ index }) => (index ?? 0) === 0)?.delta?.content ?? undefined;
  }
  switch (event.type) {
    case "response.output_text.delta": // OpenAI's responses
    case "TEXT_MESSAGE_CONTENT": // AG-UI
      return event.delta;
    case "content_block_delta": // Anthropic
      return (event.delta as { text?: unknown } | undefined)?.text;
    case "text-delta": // AI SDK
      return event.text ?? event.textDelta ?? event.delta;
    case undefined:
    case "ai":
      return typeof event.content === "string" ? event.content : typeof event.text === "string" ? event.text : undefined;
    default:
      return undefined;
  }
}

function toolPiece(event: Event): unknown {
  if (event.choices !== undefined) {
    const calls = event.choices.find(({ index }) => (index ?? 0) === 0)?.delta?.tool_calls;
    return calls?.find(({ index }) => (index ?? 0) === 0)?.function?.arguments;
  }
  switch (event.type) {
    case "response.function_call_arguments.delta":
    case "TOOL_CALL_ARGS":
    case "tool-input-delta":
      return event.delta ?? event.inputTextDelta;
    case "content_block_delta":
      return (event.delta as { partial_json?: unknown } | undefined)?.partial_json;
    default:
      return undefined;
  }
}

function refuseError(event: Event): void {
  if (!["error", "response.failed", "RUN_ERROR"].includes(event.type as string) && !(event.error && event.choices === undefined)) {
    return;
  }
  const error = event.error ?? event.response?.error ?? event;
  const message = (error as { message?: unknown }).message;
  throw new PlumbError(
    "unavailable",
    `the model's stream ended with an error: ${typeof message === "string" ? message : JSON.stringify(error)}`,
    {},
    error,
  );
}

function iterate(source: TextSource): AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof source === "string") {
    return [source];
  }
  if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    return source;
  }
  if ("textStream" in source) {
    return source.textStream;
  }
  if (!("getReader" in source)) {
    throw new PlumbError("invalid_argument", "a text comes from a stream, or from what has one as `textStream`");
  }
  return (async function* () {
    const reader = source.getReader();
    let ended = false;
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        yield next.value;
      }
      ended = true;
    } finally {
      if (!ended) {
        await reader.cancel?.();
      }
    }
  })();
}

export interface JudgeOptions<T = unknown> extends CheckOptions, TextOptions {
  /** Each finding, the moment it is certain. */
  onFinding?: (finding: Finding) => void;
  /** Each piece, after it was judged. */
  onText?: (piece: string | Uint8Array) => void;
  /** The value so far (`stream.value()`) and what has changed in it, after each piece that changed it. */
  onValue?: (soFar: StreamedValue<T>, changes: readonly ValueChange[]) => void;
  /** Ends the stream with the first error that is certain, or the first signal that it has become degenerate. */
  stopEarly?: boolean;
}

/** Judges a text while it arrives. With `stopEarly` the verdict may be on a text that was cut there. */
export async function judge<T>(contract: Contract<T>, source: TextSource, options: JudgeOptions<T> = {}): Promise<Judged<T>> {
  const { onValue, ...rest } = options;
  const stream = streamOf(contract, rest);
  const tellValue = valueTeller(stream, onValue);
  const judging = pushAll(stream, source, rest);
  try {
    for (;;) {
      const { done, value: verdict } = await judging.next();
      tellValue?.();
      if (done === true) {
        return verdict;
      }
    }
  } finally {
    await judging.return(undefined as never);
  }
}

/** What `values` gives: with the last one comes the verdict. */
export type JudgedValue<T = unknown> = StreamedValue<T> & { readonly verdict?: Judged<T> };

/**
 * The value so far, each time that something of it has arrived, and in the end once more with the verdict:
 *
 *     for await (const { value, verdict } of values(quiz, stream)) show(value, verdict);
 *
 * It is always the same object, which grows.
 */
export async function* values<T>(
  contract: Contract<T>,
  source: TextSource,
  options: Omit<JudgeOptions<T>, "onValue"> = {},
): AsyncGenerator<JudgedValue<T>, void, void> {
  const stream = streamOf(contract, options);
  let told = stream.value();
  const judging = pushAll(stream, source, options);
  try {
    for (;;) {
      const { done, value: verdict } = await judging.next();
      const soFar = stream.value();
      if (done === true) {
        yield { ...soFar, verdict };
        return;
      }
      if (soFar !== told) {
        told = soFar;
        yield soFar;
      }
    }
  } finally {
    await judging.return(undefined as never);
  }
}

function streamOf<T>(contract: Contract<T>, options: Omit<JudgeOptions<T>, "onValue">): Stream<T> {
  const { of, onFinding, onText, stopEarly, ...check } = options;
  return contract.stream(check);
}

/** Comes back after each piece, and returns the verdict. Whoever leaves early calls `return`: that cancels the source. */
async function* pushAll<T>(
  stream: Stream<T>,
  source: TextSource,
  { of, onFinding, onText, stopEarly }: Omit<JudgeOptions<T>, "onValue">,
): AsyncGenerator<undefined, Judged<T>, void> {
  try {
    for await (const piece of textOf(source, of === undefined ? {} : { of })) {
      const findings = stream.push(piece);
      findings.forEach((finding) => onFinding?.(finding));
      onText?.(piece);
      yield undefined;
      if (stopEarly === true && (stream.signals.length > 0 || findings.some(({ severity }) => severity === "error"))) {
        break; // which cancels the source
      }
    }
    const verdict = stream.end();
    stream.last.forEach((finding) => onFinding?.(finding));
    return verdict;
  } finally {
    stream.dispose();
  }
}

/** Tells of the value so far, where there is something new; nothing where nobody asks for it. */
function valueTeller<T>(stream: Stream<T>, onValue: JudgeOptions<T>["onValue"]): (() => void) | undefined {
  if (onValue === undefined) {
    return undefined;
  }
  let told = stream.value();
  return () => {
    const soFar = stream.value();
    if (soFar !== told) {
      told = soFar;
      onValue(soFar, stream.changes());
    }
  };
}

/** The verdict on a value that a framework has parsed already. */
export function judgeValue<T>(contract: Contract<T>, value: unknown, options?: CheckOptions): Judged<T> {
  return checkValue(contract, value, options);
}

/**
 * Passes text on and judges it: `response.body.pipeThrough(stream)`. `verdict` is there when the last piece has passed; it
 * rejects where the stream was given up. With `stopEarly` the first error that is certain breaks the stream, with a
 * `PlumbError`.
 */
export class JudgingStream<T, Piece extends string | Uint8Array = string> {
  readonly readable: ReadableStream<Piece>;
  readonly writable: WritableStream<Piece>;
  readonly verdict: Promise<Judged<T>>;

  constructor(contract: Contract<T>, options: Omit<JudgeOptions<T>, "of" | "onText"> = {}) {
    const { onFinding, onValue, stopEarly, ...check } = options;
    const stream = contract.stream(check);
    const tellValue = valueTeller(stream, onValue);
    let settle: { resolve: (verdict: Judged<T>) => void; reject: (error: unknown) => void };
    this.verdict = new Promise((resolve, reject) => (settle = { resolve, reject }));
    this.verdict.catch(() => undefined); // whoever wants it is told
    const giveUp = (error: unknown): void => {
      stream.dispose();
      settle.reject(error ?? new PlumbError("unavailable", "the stream was given up before its end"));
    };
    const passing = new TransformStream<Piece, Piece>({
      transform(piece, controller) {
        let findings: readonly Finding[];
        try {
          findings = stream.push(piece);
        } catch (error) {
          giveUp(error);
          throw error;
        }
        findings.forEach((finding) => onFinding?.(finding));
        tellValue?.();
        const wrong = stopEarly === true ? findings.find(({ severity }) => severity === "error") : undefined;
        if (wrong !== undefined || (stopEarly === true && stream.signals.length > 0)) {
          const why = wrong?.message ?? (wrong === undefined ? "the stream has become degenerate" : `${wrong.rule} at ${wrong.at}`);
          const error = new PlumbError("limit", `stopped: ${why}`, { where: wrong?.at ?? "" });
          giveUp(error);
          throw error;
        }
        controller.enqueue(piece);
      },
      flush() {
        const verdict = stream.end();
        stream.last.forEach((finding) => onFinding?.(finding));
        tellValue?.();
        settle.resolve(verdict);
      },
    });
    this.readable = passing.readable;
    // A TransformStream tells nobody that its writer was aborted (`cancel` is new): so the writable end is watched here.
    const writer = passing.writable.getWriter();
    writer.closed.catch(giveUp);
    this.writable = new WritableStream<Piece>({
      write: async (piece) => {
        await writer.ready;
        await writer.write(piece);
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    });
  }
}
