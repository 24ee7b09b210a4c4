/**
 * Standard Schema and Standard JSON Schema, version 1 (standardschema.dev): what frameworks take a schema of any library
 * by. A contract is one; and a schema of another library that is one becomes a contract.
 */
import type { CheckOptions, Contract } from "./contract.js";
import { PlumbError } from "./error.js";
import { jsonSchemaOf, type JsonSchemaTarget, type Written } from "./json_schema.js";
import type { Judged } from "./verdict.js";

export interface StandardIssue {
  readonly message: string;
  /** The finding's JSON Pointer, by its parts; those that lead into a list are numbers. */
  readonly path: readonly PropertyKey[];
}

export type StandardResult<T> =
  { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

export interface StandardJsonSchemaOptions {
  readonly target: JsonSchemaTarget | (string & {});
  readonly libraryOptions?: Readonly<Record<string, unknown>> | undefined;
}

/** What is under `~standard` of a contract. */
export interface StandardProps<T> {
  readonly version: 1;
  readonly vendor: "plumbline";
  readonly types?: { readonly input: T; readonly output: T } | undefined;
  /**
   * Judges a value; a string is a value too, and not JSON text. What is undecided for want of context, or for a limit, is an
   * issue: nothing passes that was not looked at. What only a judge can tell passes.
   */
  readonly validate: (value: unknown) => StandardResult<T>;
  /** The contract without the vocabulary. Throws a `PlumbError` that names what the draft cannot say. */
  readonly jsonSchema: {
    readonly input: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
    readonly output: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
  };
}

/** What a schema of another library has: zod 4.2, arktype 2.1.28, valibot's `toStandardJsonSchema(schema)`, and later. */
export interface StandardJsonSchemaLike<Input = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

/** @internal */
export function standardOf<T>(
  contract: Contract<T>,
  written: Written,
  options: CheckOptions | undefined,
): StandardProps<T> {
  const jsonSchema = ({ target }: StandardJsonSchemaOptions): Record<string, unknown> =>
    jsonSchemaOf(written, target as JsonSchemaTarget);
  return {
    version: 1,
    vendor: "plumbline",
    validate: (value) => standardResult(() => checkValue(contract, value, options), value),
    jsonSchema: { input: jsonSchema, output: jsonSchema },
  };
}

/**
 * The verdict on a value: a string is one too.
 * @internal
 */
export function checkValue<T>(contract: Contract<T>, value: unknown, options?: CheckOptions): Judged<T> {
  return contract.check(typeof value === "string" ? JSON.stringify(value) : (value as object), options);
}

/**
 * What was looked at and is right, or what is wrong.
 * @internal
 */
export function standardResult<T>(check: () => Judged<T>, value: unknown): StandardResult<T> {
  let verdict: Judged<T>;
  try {
    verdict = check();
  } catch (error) {
    if (error instanceof PlumbError && error.code === "invalid_argument") {
      return { issues: [{ message: error.message, path: [] }] }; // a promise, a circle, nothing at all
    }
    throw error;
  }
  if (verdict.valid && verdict.decision !== "undecided") {
    return { value: verdict.value };
  }
  const issues: StandardIssue[] = verdict.findings
    .filter(({ severity, shadowedBy }) => severity === "error" && shadowedBy === undefined)
    .map(({ message, at }) => ({ message, path: pathOf(at, value) }));
  if (issues.length === 0) {
    for (const { rule, at, wantsContext, reason } of verdict.undecided) {
      const why = wantsContext === undefined ? (reason ?? "") : `it wants ${wantsContext}`;
      if (why !== "") {
        issues.push({ message: `${rule} could not be decided: ${why}`, path: pathOf(at, value) });
      }
    }
  }
  return { issues: issues.length > 0 ? issues : [{ message: `the decision is ${verdict.decision}`, path: [] }] };
}

/** A JSON Pointer by its parts. */
function pathOf(at: string, value: unknown): PropertyKey[] {
  let inside = value;
  return at
    .split("/")
    .slice(1)
    .map((word) => {
      const key = word.replace(/~1/g, "/").replace(/~0/g, "~");
      const within = inside;
      inside = typeof within === "object" && within !== null ? (within as Record<string, unknown>)[key] : undefined;
      return Array.isArray(within) ? Number(key) : key;
    });
}

/**
 * The JSON Schema of a schema of another library; undefined where it is none.
 * @internal
 */
export function standardJsonSchema(schema: unknown): Record<string, unknown> | undefined {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) {
    return undefined;
  }
  const standard = (schema as Partial<StandardJsonSchemaLike>)["~standard"];
  if (typeof standard?.jsonSchema?.input !== "function") {
    return undefined;
  }
  try {
    return { ...standard.jsonSchema.input({ target: "draft-2020-12" }) }; // zod's has a ~standard of its own, hidden
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PlumbError(
      "invalid_contract",
      `the schema of ${standard.vendor} cannot be turned into a JSON Schema: ${why}`,
      {},
      error,
    );
  }
}
