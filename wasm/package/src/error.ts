/** What went wrong, for code; the message is for people. */
export type PlumbErrorCode =
  /** The caller gave something that can never work. */
  | "invalid_argument"
  /** A contract that is no contract; `where` is the JSON Pointer of the place. */
  | "invalid_contract"
  /** A name, a document or a file that is not there. */
  | "not_found"
  /** A stated bound was reached. */
  | "limit"
  /** The world did not do what it was asked: the module could not be fetched or started. */
  | "unavailable"
  /** The module met a bug or ran out of memory or stack. Its instance is not used again: call `load()` for a new one. */
  | "trap";

/** Tells an error of ours whichever copy of the package made it: that for require() has a class of its own. */
const brand = /* @__PURE__ */ Symbol.for("plumbline.PlumbError");

/** The one error that this package throws by itself. Findings about an artifact are never errors: see `Verdict`. */
export class PlumbError extends Error {
  override readonly name = "PlumbError";
  readonly code: PlumbErrorCode;
  /** A JSON Pointer, a URI or a file; empty where there is no place. */
  readonly where: string;
  /** From 1; 0 where there is no place. */
  readonly line: number;
  /** From 1, in UTF-16 units; 0 where there is no place. */
  readonly column: number;

  constructor(
    code: PlumbErrorCode,
    message: string,
    place: { where?: string; line?: number; column?: number } = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.where = place.where ?? "";
    this.line = place.line ?? 0;
    this.column = place.column ?? 0;
    Object.defineProperty(this, brand, { value: true });
  }

  static override [Symbol.hasInstance](one: unknown): boolean {
    return typeof one === "object" && one !== null && (one as { [brand]?: unknown })[brand] === true;
  }
}
