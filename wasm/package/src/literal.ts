/**
 * What a program may write where it calls: a schema, the name of a built-in contract, the modules to load. Types alone. A mistake
 * that the call would refuse does not compile, and neither does a keyword that is nearly one (`requierd`), which a contract read from
 * a text only warns of. What is not written in the program, a `Schema` or a string, passes: it is looked at when it is read.
 */
import type { ResponseLike, Sources } from "./source.js";
import type { EditClass, EditLevel, Severity } from "./verdict.js";

/** A type that nothing has, and why. */
interface Mistake<Why extends string> {
  readonly mistake: Why;
}

/** The built-in contracts. */
export type BuiltInName =
  "brain-evaluate" | "flashcards" | "intake" | "mindmap" | "quiz" | "researcher-evaluate" | "search";

type TypeName = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";
type Texts = string | readonly string[];
type Fold = readonly ("trim" | "lowercase")[];
type Bound = number | string;
type Bounded = { readonly in?: Texts; readonly equals?: Bound; readonly min?: Bound; readonly max?: Bound };

/** Keywords whose values are of one form. */
interface Plain {
  readonly $schema: string;
  readonly $id: string;
  readonly $ref: string;
  readonly $dynamicRef: string;
  readonly type: TypeName | readonly TypeName[];
  readonly enum: readonly unknown[];
  readonly multipleOf: number;
  readonly maximum: number;
  readonly minimum: number;
  readonly exclusiveMaximum: number | boolean; // boolean in draft-04
  readonly exclusiveMinimum: number | boolean;
  readonly pattern: string;
  readonly format: string;
  readonly uniqueItems: boolean;
  readonly required: readonly string[];
  readonly dependentRequired: Readonly<Record<string, readonly string[]>>;
  readonly itemLabel: string | { readonly text: string; readonly prefix?: boolean };
  readonly errorMessage: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly severity: Severity;
  readonly stopAt: readonly string[];
  readonly rules: readonly Rule[];
  readonly memberOf: {
    readonly in: Texts;
    readonly by?: string;
    readonly fold?: Fold;
    readonly match?: readonly { readonly this: string; readonly that: string }[];
  };
  readonly distinct:
    | boolean
    | {
        readonly from?: string;
        readonly children?: string;
        readonly by?: string;
        readonly fold?: Fold;
        readonly report?: "once" | "each";
      };
  readonly acyclic: { readonly from: string; readonly children: string; readonly by: string; readonly fold?: Fold };
  readonly countOf: Bounded;
  readonly sumOf: Bounded;
  readonly sameSetAs: { readonly in: Texts; readonly by?: string; readonly fold?: Fold };
  readonly notBlank: boolean;
  readonly length: { readonly fold?: Fold; readonly min?: number; readonly max?: number };
  readonly avoids: readonly (
    "vague" | "exploratory" | "opinion" | "vibe" | "search-operators" | "keyword-soup" | "bare-topic" | "unanchored"
  )[];
  readonly singleUnknown: boolean;
  readonly mentions: { readonly all?: Texts; readonly any?: Texts };
  readonly facts: {
    readonly within?: number;
    readonly min?: number;
    readonly kinds?: readonly ("number" | "date" | "name" | "countable" | "url" | "quote" | "evidence")[];
  };
  readonly novel: { readonly in: Texts; readonly fold?: Fold };
  readonly quotedFrom: { readonly in: Texts; readonly min?: number };
  readonly role: {
    readonly purpose?: string;
    readonly reads?: readonly string[];
    readonly may?: readonly { readonly effect: string; readonly max?: number; readonly when?: string }[];
  };
  readonly itemId: string;
  readonly edits: EditLevel | Readonly<Partial<Record<EditClass, EditLevel>>>;
}

interface Rule {
  readonly id: string;
  readonly title?: string;
  readonly check?: unknown;
  readonly ask?: string;
  readonly each?: string;
  readonly severity?: Severity;
  readonly blocks?: boolean;
  readonly action?: string;
  readonly label?: unknown;
}

/** Whole numbers from 0. */
type Count =
  | "maxContains"
  | "maxItems"
  | "maxLength"
  | "maxProperties"
  | "maxSentences"
  | "minContains"
  | "minItems"
  | "minLength"
  | "minProperties";
/** One schema. */
type One =
  | "additionalItems"
  | "additionalProperties"
  | "contains"
  | "else"
  | "if"
  | "not"
  | "propertyNames"
  | "then"
  | "unevaluatedItems"
  | "unevaluatedProperties";
/** A list of schemas. */
type List = "allOf" | "anyOf" | "oneOf" | "prefixItems";
/** Schemas by name. */
type ByName = "patternProperties" | "pointers" | "properties" | "dependentSchemas" | "$defs" | "definitions";
/** What takes any value, or is somebody's note. */
type Any =
  | "const"
  | "contentEncoding"
  | "contentMediaType"
  | "contentSchema"
  | "default"
  | "dependencies"
  | "deprecated"
  | "description"
  | "example"
  | "examples"
  | "id"
  | "readOnly"
  | "title"
  | "writeOnly";
type Known = keyof Plain | Count | One | List | ByName | Any | "items";

/** A text without one of its characters. Two texts that share such a one are an edit apart. */
type Shorter<Text extends string, Before extends string = ""> = Text extends `${infer First}${infer Rest}`
  ? `${Before}${Rest}` | Shorter<Rest, `${Before}${First}`>
  : never;
type Near<Text extends string> = Text | Shorter<Text>;
type MeantBy<Text extends string, Word = Known> = Word extends string
  ? [Extract<Near<Word>, Near<Text>>] extends [never]
    ? never
    : Word
  : never;

/** A keyword that nobody knows: refused where it is nearly one. */
type Unknown<Key> = Key extends `$${string}` | `x-${string}`
  ? unknown
  : Key extends `${infer _1}${infer _2}${infer _3}${infer Rest}` // shorter words are near too many
    ? Rest extends ""
      ? unknown
      : [MeantBy<Key & string>] extends [never]
        ? unknown
        : Mistake<`no such keyword; did you mean ${MeantBy<Key & string>}?`>
    : unknown;

/** Some part is of any text, as in what was read of a file: then it is looked at when it is read. */
type IsLoose<Value> = Value extends string
  ? string extends Value
    ? true
    : false
  : Value extends readonly (infer Item)[]
    ? IsLoose<Item>
    : Value extends object
      ? { [Key in keyof Value]: IsLoose<Value[Key]> }[keyof Value]
      : false;
/** A member that nobody has named is one too many. */
type Exactly<Value, Wanted> = Value extends readonly unknown[]
  ? unknown
  : Value extends object
    ? { readonly [Key in Exclude<keyof Value, AllKeys<Wanted>>]: Mistake<"no such member"> }
    : unknown;
type AllKeys<Type> = Type extends object ? keyof Type : never;
type Fits<Value, Wanted> = [Value] extends [Wanted]
  ? Exactly<Value, Wanted>
  : true extends IsLoose<Value>
    ? unknown
    : Wanted;

type WholeNumber<Value> = Value extends number
  ? `${Value}` extends `-${string}` | `${string}.${string}`
    ? Mistake<"a whole number, 0 or greater">
    : unknown
  : number;

type Items<Value> = Value extends readonly unknown[]
  ? { readonly [Key in keyof Value]: LiteralSchema<Value[Key]> }
  : LiteralSchema<Value>;
type Schemas<Value> = Value extends readonly []
  ? Mistake<"at least one schema">
  : Value extends readonly unknown[]
    ? { readonly [Key in keyof Value]: LiteralSchema<Value[Key]> }
    : readonly object[];
type Named<Value> = Value extends readonly unknown[]
  ? { readonly [name: string]: object }
  : Value extends object
    ? { readonly [Name in keyof Value]: LiteralSchema<Value[Name]> }
    : { readonly [name: string]: object };

type Member<Key, Value> = Key extends keyof Plain
  ? Fits<Value, Plain[Key]>
  : Key extends Count
    ? WholeNumber<Value>
    : Key extends One
      ? LiteralSchema<Value>
      : Key extends List
        ? Schemas<Value>
        : Key extends ByName
          ? Named<Value>
          : Key extends "items"
            ? Items<Value>
            : Key extends Any
              ? unknown
              : Unknown<Key>;

/** Nothing where a schema that is written in the program is one; else what is wrong with it, at its place. */
export type LiteralSchema<S> = S extends boolean
  ? unknown
  : S extends readonly unknown[] | string | number | null | undefined
    ? object | boolean
    : string extends keyof S
      ? unknown
      : { readonly [Key in keyof S]: Member<Key, S[Key]> };

type Trimmed<Text extends string> = Text extends `${" " | "\n" | "\r" | "\t"}${infer Rest}` ? Trimmed<Rest> : Text;

/** The same of what names a contract too: a name that there is, or the text of a schema. */
export type LiteralContract<Given> = Given extends string
  ? string extends Given
    ? unknown
    : Trimmed<Given> extends `{${string}` | `true${string}` | `false${string}`
      ? unknown
      : BuiltInName
  : Given extends Uint8Array | { readonly "~standard": object }
    ? unknown
    : LiteralSchema<Given>;

/** Nothing where what is given to `load` says where modules are; else what is wrong with it. */
export type LiteralSource<Given> = Given extends
  | undefined
  | string
  | ArrayBuffer
  | ArrayBufferView
  | ResponseLike
  | PromiseLike<unknown>
  | { readonly href: string }
  ? unknown
  : Given extends (...given: never) => unknown
    ? Mistake<"a function: give what it returns">
    : Given extends object
      ? { readonly [Key in keyof Given]: Key extends keyof Sources ? Sources[Key] | undefined : Mistake<"no such option of load()"> }
      : unknown;
