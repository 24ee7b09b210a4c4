/** The type that a schema written in a program says: of the common keywords; what it does not say is `unknown`. */

/**
 * What artifacts of this schema are. Nothing is promised that is not checked: members without a `type` beside them are
 * `unknown`, and so is what only other keywords narrow.
 */
export type FromSchema<S, Root = S> = S extends true
  ? unknown
  : S extends false
    ? never
    : S extends { readonly $ref: infer Reference }
      ? FromReference<Reference, Root>
      : S extends { readonly const: infer Value }
        ? Plain<Value>
        : S extends { readonly enum: readonly (infer Value)[] }
          ? Plain<Value>
          : FromType<S, Root> & FromCombined<S, Root>;

type FromReference<Reference, Root> = Reference extends "#"
  ? FromSchema<Root, Root>
  : Reference extends `#/$defs/${infer Name}`
    ? Root extends { readonly $defs: { readonly [key in Name]: infer S } }
      ? FromSchema<S, Root>
      : unknown
    : Reference extends `#/definitions/${infer Name}`
      ? Root extends { readonly definitions: { readonly [key in Name]: infer S } }
        ? FromSchema<S, Root>
        : unknown
      : unknown;

type FromCombined<S, Root> = (S extends { readonly anyOf: readonly (infer Branch)[] } ? FromSchema<Branch, Root> : unknown) &
  (S extends { readonly oneOf: readonly (infer Branch)[] } ? FromSchema<Branch, Root> : unknown) &
  (S extends { readonly allOf: infer Branches } ? FromAll<Branches, Root> : unknown);

type FromAll<Branches, Root> = Branches extends readonly [infer First, ...infer Rest]
  ? FromSchema<First, Root> & FromAll<Rest, Root>
  : unknown;

type FromType<S, Root> = S extends { readonly type: readonly (infer Type)[] }
  ? Type extends unknown
    ? FromOneType<Type, S, Root>
    : never
  : S extends { readonly type: infer Type }
    ? FromOneType<Type, S, Root>
    : unknown;

type FromOneType<Type, S, Root> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? FromArray<S, Root>
          : Type extends "object"
            ? FromObject<S, Root>
            : unknown;

type FromArray<S, Root> = S extends { readonly prefixItems: unknown }
  ? unknown[]
  : S extends { readonly items: readonly unknown[] }
    ? unknown[]
    : S extends { readonly items: infer Items }
      ? FromSchema<Items, Root>[]
      : unknown[];

type FromObject<S, Root> = S extends { readonly properties: infer Properties }
  ? Together<
      {
        -readonly [Key in keyof Properties as Key extends Required<S> ? Key : never]: FromSchema<Properties[Key], Root>;
      } & {
        -readonly [Key in keyof Properties as Key extends Required<S> ? never : Key]?: FromSchema<Properties[Key], Root>;
      } & { [Key in Exclude<Required<S>, keyof Properties>]: unknown }
    >
  : S extends { readonly patternProperties: unknown }
    ? Record<string, unknown>
    : S extends { readonly additionalProperties: infer Rest }
      ? Record<string, FromSchema<Rest, Root>>
      : Together<Record<string, unknown> & { [Key in Required<S>]: unknown }>;

type Required<S> = S extends { readonly required: readonly (infer Key)[] } ? Key & string : never;

type Together<T> = { [Key in keyof T]: T[Key] };

type Plain<T> = T extends readonly unknown[] | object ? { -readonly [Key in keyof T]: Plain<T[Key]> } : T;
