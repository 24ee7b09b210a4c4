// What may go where in a contract, read from the meta-schemas of JSON Schema 2020-12 and of the vocabulary.
import applicator from "../../../core/contracts/meta/draft2020-12.applicator.json";
import content from "../../../core/contracts/meta/draft2020-12.content.json";
import core from "../../../core/contracts/meta/draft2020-12.core.json";
import formatAnnotation from "../../../core/contracts/meta/draft2020-12.format-annotation.json";
import metaData from "../../../core/contracts/meta/draft2020-12.meta-data.json";
import unevaluated from "../../../core/contracts/meta/draft2020-12.unevaluated.json";
import validation from "../../../core/contracts/meta/draft2020-12.validation.json";
import vocabulary from "../../../core/contracts/meta/vocabulary.json";

type Schema = { [keyword: string]: unknown };

// A schema together with the document that its references are about.
interface Placed {
  schema: Schema;
  document: Schema;
}

const documents = [
  validation,
  applicator,
  vocabulary,
  metaData,
  core,
  unevaluated,
  content,
  formatAnnotation,
] as unknown as Schema[];

const roots: Placed[] = documents.map((document) => ({ schema: document, document }));

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lookUp(document: Schema, pointer: string): unknown {
  let value: unknown = document;
  for (const token of pointer.replace(/^#\/?/, "").split("/")) {
    if (token === "") continue;
    if (!isObject(value)) return undefined;
    value = value[token];
  }
  return value;
}

const levelsMax = 12;

// A schema with all that it refers to or is made of.
function open(placed: readonly Placed[], level = 0): Placed[] {
  if (level > levelsMax) return [];
  return placed.flatMap(({ schema, document }) => {
    const all: Placed[] = [{ schema, document }];
    if (typeof schema.$dynamicRef === "string") all.push(...(level > 0 ? roots : open(roots, levelsMax)));
    if (typeof schema.$ref === "string" && schema.$ref.startsWith("#")) {
      const target = lookUp(document, schema.$ref);
      if (isObject(target)) all.push(...open([{ schema: target, document }], level + 1));
    }
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const parts = schema[keyword];
      if (!Array.isArray(parts)) continue;
      all.push(
        ...open(
          parts.filter(isObject).map((part) => ({ schema: part, document })),
          level + 1,
        ),
      );
    }
    return all;
  });
}

function step(placed: readonly Placed[], token: string, inArray: boolean): Placed[] {
  const next: Placed[] = [];
  const add = (value: unknown, document: Schema): void => {
    if (isObject(value)) next.push({ schema: value, document });
  };
  for (const { schema, document } of placed) {
    if (inArray) {
      add(schema.items, document);
      continue;
    }
    const { properties } = schema;
    if (isObject(properties) && properties[token] !== undefined) add(properties[token], document);
    else add(schema.additionalProperties, document);
  }
  return open(next);
}

export interface Step {
  token: string;
  inArray: boolean;
}

export interface Member {
  name: string;
  // An own word of the meta-schema about it.
  description: string;
  // What its value is: the first that the meta-schema allows.
  type: string;
}

export interface Allowed {
  // There is a schema here, so there may be any keyword.
  isSchema: boolean;
  members: Member[];
  values: unknown[];
  types: string[];
}

function typesOf(placed: readonly Placed[]): string[] {
  const types = new Set<string>();
  for (const { schema } of open(placed)) {
    const { type } = schema;
    for (const one of Array.isArray(type) ? type : [type]) if (typeof one === "string") types.add(one);
    if (schema.enum !== undefined || schema.const !== undefined) types.add("value");
  }
  return [...types];
}

const old = new Set(["definitions", "dependencies", "$recursiveAnchor", "$recursiveRef"]);

// What may go at a path of a contract.
export function allowedAt(path: readonly Step[]): Allowed {
  let here = open(roots);
  for (const { token, inArray } of path) here = step(here, token, inArray);
  const members = new Map<string, Member>();
  const values: unknown[] = [];
  const types = new Set<string>();
  for (const { schema, document } of here) {
    for (const [name, member] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      if (old.has(name) || members.has(name)) continue;
      const placed = isObject(member) ? [{ schema: member, document }] : [];
      const description = isObject(member) && typeof member.description === "string" ? member.description : "";
      members.set(name, { name, description, type: typesOf(placed)[0] ?? "" });
    }
    if (Array.isArray(schema.enum)) values.push(...(schema.enum as unknown[]));
    if (schema.const !== undefined) values.push(schema.const);
    const { type } = schema;
    for (const one of Array.isArray(type) ? type : [type]) if (typeof one === "string") types.add(one);
  }
  const isSchema = here.some(({ schema }) => roots.some((root) => root.schema === schema));
  return { isSchema, members: [...members.values()], values: [...new Set(values)], types: [...types] };
}
