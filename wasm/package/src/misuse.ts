/**
 * What is given by mistake and would be judged as something else: a promise, a response or a schema object of another
 * library is `{}` as JSON, and so keeps most contracts. It is refused by its name, with what to give instead.
 */
import { PlumbError } from "./error.js";

/** The members that tell what an object is. */
interface Known {
  then?: unknown;
  json?: unknown;
  text?: unknown;
  arrayBuffer?: unknown;
  status?: unknown;
  headers?: unknown;
  getReader?: unknown;
  next?: unknown;
  safeParse?: unknown;
  _def?: unknown;
  validateSync?: unknown;
  isJoi?: unknown;
  $_root?: unknown;
  toJSON?: unknown;
  [Symbol.asyncIterator]?: unknown;
  "~standard"?: { vendor?: unknown };
}

const isFunction = (value: unknown): boolean => typeof value === "function";

function mistaken(value: object, schema: boolean): [name: string, remedy: string] | undefined {
  const known = value as Known;
  const vendor = known["~standard"]?.vendor;
  const zod = vendor === "zod" || (isFunction(known.safeParse) && known._def !== undefined);
  if (zod) {
    return [
      "a zod schema",
      schema
        ? "zod's from 4.2 on are taken as they are; else give the JSON Schema that z.toJSONSchema(schema) makes of it"
        : "it belongs into plumb.contract(), and what it is about comes here",
    ];
  }
  if (typeof vendor === "string") {
    return [
      vendor === "plumbline" ? "a contract" : `a schema of ${vendor}`,
      schema
        ? "it is no Standard JSON Schema (valibot has toStandardJsonSchema); give the JSON Schema that it can be turned into"
        : "it belongs into plumb.contract(), and what it is about comes here",
    ];
  }
  if (isFunction(known.validateSync) || known.isJoi === true || known.$_root !== undefined) {
    return ["a schema object of another library", "give a JSON Schema"];
  }
  if (isFunction(known.then)) {
    return ["a promise", "await it first"];
  }
  if (isFunction(known.json) && isFunction(known.text)) {
    return known.status === undefined
      ? ["a request", "give `await request.text()`"]
      : ["a response", "give `await response.text()`"];
  }
  if (isFunction(known.arrayBuffer) && isFunction(known.text)) {
    return ["a blob", "give `await blob.text()`"];
  }
  if (isFunction(known.getReader) || isFunction(known[Symbol.asyncIterator])) {
    return ["a stream", schema ? "read it first" : "push its pieces to contract.stream()"];
  }
  if (isFunction(known.toJSON)) {
    return undefined; // it says itself what it is as JSON
  }
  if (value instanceof Map) {
    return ["a Map", "give Object.fromEntries(map)"];
  }
  if (value instanceof Set) {
    return ["a Set", "give [...set]"];
  }
  if (value instanceof Error) {
    return ["an Error", "give its `message`, or what was caught instead"];
  }
  if (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer) {
    return ["a SharedArrayBuffer", "give new Uint8Array(buffer).slice()"];
  }
  if (isFunction(known.next) && Symbol.iterator in value) {
    return ["an iterator", "give [...iterator]"];
  }
  return undefined;
}

/**
 * Throws where `value` is one of them.
 * @internal
 */
export function refuseMistaken(value: unknown, what: string, schema = false): void {
  // A schema of arktype is a function.
  if ((typeof value !== "object" && !(typeof value === "function" && "~standard" in value)) || value === null) {
    return;
  }
  const found = mistaken(value, schema);
  if (found !== undefined) {
    const [name, remedy] = found;
    throw new PlumbError("invalid_argument", `${what} is ${name}, which holds nothing as JSON; ${remedy}`);
  }
}

/**
 * Throws where a value that was written as JSON has a function in it, which JSON leaves out.
 * @internal
 */
export function refuseFunctions(value: unknown, what: string, schema: boolean, at = ""): void {
  if (typeof value === "object" && value !== null && !isFunction((value as Known).toJSON)) {
    for (const [key, inner] of Object.entries(value)) {
      if (isFunction(inner)) {
        refuseMistaken(value, `${what}, at ${at},`, schema);
        throw new PlumbError("invalid_argument", `${what} has a function at ${at}/${key}`);
      }
      refuseFunctions(inner, what, schema, `${at}/${key}`);
    }
  }
}

/**
 * Throws where a name is none of those that there are.
 * @internal
 */
export function refuseOther(what: string, name: string, known: readonly string[]): void {
  if (!known.includes(name)) {
    throw new PlumbError("invalid_argument", `there is no ${what} "${name}"; there are ${known.join(", ")}`);
  }
}

/**
 * Throws where an option is given that there is not: it would be passed over.
 * @internal
 */
export function refuseUnknown(given: object, known: string): void {
  Object.keys(given).forEach((name) => refuseOther("option", name, known.split(" ")));
}

/**
 * Throws where a piece of a stream is neither text nor bytes.
 * @internal
 */
export function refusePiece(chunk: unknown): never {
  refuseMistaken(chunk, "the piece");
  const remedy =
    chunk == null
      ? 'an event has no text: push(delta ?? "")'
      : typeof chunk === "object"
        ? "push its text, such as chunk.choices[0].delta.content, or JSON.stringify(value)"
        : "push String(value)";
  const name = chunk === null ? "null" : Array.isArray(chunk) ? "an array" : typeof chunk;
  throw new PlumbError("invalid_argument", `push takes text, or bytes of UTF-8, and not ${name}; ${remedy}`);
}
