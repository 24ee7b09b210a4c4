/**
 * A contract as a plain JSON Schema in one document, without the vocabulary: what the author module derives as `openai`, at
 * once and without that module. Taking a keyword out accepts more, so what a contract accepts this accepts too. Where that is
 * not so, `oneOf` becomes `anyOf`; below `not` and `if`, and where the draft has no such keyword, it throws and
 * names the keyword.
 */
import { PlumbError } from "./error.js";
import { keywords } from "./keywords.js";

export type JsonSchemaTarget = "draft-2020-12" | "draft-07";

type Node = Readonly<Record<string, unknown>>;
type Made = Record<string, unknown>;

interface Place {
  readonly schema: Node | boolean;
  /** Where references in it lead from. */
  readonly base: string;
  readonly pointer: string;
}

/** What is read: the texts, and what they were read with. */
export interface Written {
  readonly text: string;
  readonly documents: Readonly<Record<string, string>>;
  readonly uri?: string | undefined;
  readonly dialect?: string | undefined;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const one = words(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties",
);
const list = words("allOf anyOf oneOf prefixItems items");
const map = words("properties patternProperties dependentSchemas dependencies $defs definitions");
const plain = words(
  "type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems " +
    "uniqueItems maxProperties minProperties required dependentRequired minContains maxContains title description default " +
    "examples deprecated readOnly writeOnly format",
);
/** Where a schema that accepts more makes the whole accept less. */
const exact = words("not oneOf if contains unevaluatedItems unevaluatedProperties");
const notes = words("itemLabel errorMessage severity stopAt role itemId edits");
const vocabulary = /* @__PURE__ */ new Set(keywords.filter((keyword) => !notes.has(keyword)));
const isOurs = (key: string): boolean => vocabulary.has(key) || key.startsWith("x-plumb-");
const drafts: Readonly<Record<JsonSchemaTarget, string>> = {
  "draft-2020-12": "https://json-schema.org/draft/2020-12/schema",
  "draft-07": "http://json-schema.org/draft-07/schema#",
};
const depthMax = 100;

const isSchema = (value: unknown): value is Node | boolean =>
  typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
const token = (word: string): string => word.replace(/~/g, "~0").replace(/\//g, "~1");

export function jsonSchemaOf(written: Written, target: JsonSchemaTarget): Made {
  if (drafts[target] === undefined) {
    throw new PlumbError(
      "invalid_argument",
      `there is no JSON Schema "${String(target)}" of a contract; there are ${Object.keys(drafts).join(" and ")}`,
    );
  }
  return { $schema: drafts[target], ...new Copy(written, target).root() };
}

class Copy {
  readonly #target: JsonSchemaTarget;
  readonly #dialect: string | undefined;
  readonly #old: boolean;
  readonly #draft7: boolean;
  readonly #root: Place;
  /** By absolute URI, with `#pointer` or `#anchor` behind it. */
  readonly #places = new Map<string, Place>();
  readonly #bySchema = new Map<Node, Place>();
  readonly #documents: Readonly<Record<string, string>>;
  readonly #defined = new Map<string, Place>();

  constructor({ text, documents, uri, dialect }: Written, target: JsonSchemaTarget) {
    const schema = JSON.parse(text) as Node | boolean;
    const named = typeof schema === "object" && typeof schema.$schema === "string" ? schema.$schema : (dialect ?? "2020-12");
    this.#dialect = dialectOf(named);
    if (this.#dialect === undefined) {
      throw new PlumbError(
        "invalid_argument",
        `$schema at /$schema cannot be written as JSON Schema ${target}: the contract is of ${named}; contracts of 2020-12, 2019-09 and draft-07 can`,
      );
    }
    this.#target = target;
    this.#old = this.#dialect !== "2020-12";
    this.#draft7 = this.#dialect === "draft-07";
    this.#documents = documents;
    this.#root = this.#index(schema, uri ?? "", "");
  }

  root(): Made {
    let place = this.#root;
    for (let steps = 0; steps < depthMax; ++steps) {
      const counting = this.#counting(place);
      if (counting.length !== 1 || counting[0] !== "$ref") {
        break;
      }
      place = this.#referred(place);
    }
    const made = place.schema === false ? { not: {} } : this.#members(place, 0);
    const definitions: Made = {};
    for (const [name, defined] of this.#defined) {
      definitions[name] = this.#value(defined, 0); // more may be defined meanwhile
    }
    return this.#defined.size === 0 ? made : { ...made, [this.#definitions]: definitions };
  }

  get #definitions(): string {
    return this.#target === "draft-07" ? "definitions" : "$defs";
  }

  #refuse(keyword: string, place: Place, why: string): never {
    const where = `${place.pointer}/${token(keyword)}`;
    throw new PlumbError("invalid_argument", `${keyword} at ${where} cannot be written as JSON Schema ${this.#target}: ${why}`, {
      where,
    });
  }

  /** Finds every schema and the names it can be referred to by. */
  #index(schema: Node | boolean, base: string, pointer: string): Place {
    let own = base;
    if (typeof schema === "object") {
      const id = typeof schema.$id === "string" && !(this.#draft7 && "$ref" in schema) ? schema.$id : undefined;
      if (id?.startsWith("#") === false) {
        own = absolute(id, base).replace(/#$/, "");
      }
      const place = { schema, base: own, pointer };
      if (typeof schema.$schema === "string" && pointer !== "" && dialectOf(schema.$schema) !== this.#dialect) {
        this.#refuse("$schema", place, "the contract uses several dialects");
      }
      this.#bySchema.set(schema, place);
      for (const name of [id?.startsWith("#") ? id.slice(1) : undefined, schema.$anchor]) {
        if (typeof name === "string") {
          this.#places.set(`${own}#${name}`, place);
        }
      }
      if (id?.startsWith("#") === false || pointer === "") {
        this.#places.set(own, place);
      }
      for (const [key, value] of Object.entries(schema)) {
        const below = `${pointer}/${token(key)}`;
        if (one.has(key) && isSchema(value)) {
          this.#index(value, own, below);
        } else if (list.has(key) && Array.isArray(value)) {
          value.forEach((item, i) => isSchema(item) && this.#index(item, own, `${below}/${i}`));
        } else if (map.has(key) && isSchema(value)) {
          for (const [name, item] of Object.entries(value)) {
            if (isSchema(item)) {
              this.#index(item, own, `${below}/${token(name)}`);
            }
          }
        }
      }
      return place;
    }
    return { schema, base: own, pointer };
  }

  #referred(place: Place): Place {
    const reference = (place.schema as Node).$ref as string;
    const [resource = "", fragment = ""] = absolute(reference, place.base).split("#", 2) as [string, string?];
    if (!this.#places.has(resource) && this.#documents[resource] !== undefined) {
      this.#places.set(resource, this.#index(JSON.parse(this.#documents[resource]) as Node | boolean, resource, ""));
    }
    const top = this.#places.get(resource);
    let found: Place | undefined;
    if (fragment === "" || fragment.startsWith("/")) {
      let value: unknown = top?.schema;
      for (const word of decodeURIComponent(fragment).split("/").slice(1)) {
        const key = word.replace(/~1/g, "/").replace(/~0/g, "~");
        value = typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Made)[key] : undefined;
      }
      if (top !== undefined && isSchema(value)) {
        found = (typeof value === "object" ? this.#bySchema.get(value) : undefined) ?? {
          schema: value,
          base: top.base,
          pointer: `${top.pointer}${fragment}`,
        };
      }
    } else {
      found = this.#places.get(`${resource}#${decodeURIComponent(fragment)}`);
    }
    return found ?? this.#refuse("$ref", place, `${reference} leads out of the contract`);
  }

  /** The members of a schema that say something; where its findings do not break, none does. */
  #counting({ schema }: Place): string[] {
    if (typeof schema === "boolean" || schema.severity === "warning" || schema.severity === "info") {
      return [];
    }
    if (this.#draft7 && "$ref" in schema) {
      return ["$ref"];
    }
    return Object.keys(schema).filter(
      (key) =>
        (plain.has(key) && !isNote(key)) ||
        one.has(key) ||
        list.has(key) ||
        key === "$ref" ||
        key === "$dynamicRef" ||
        key === "$recursiveRef" ||
        (map.has(key) && key !== "$defs" && key !== "definitions") ||
        isOurs(key),
    );
  }

  /** A keyword that is left out of the copy, at this place or below; undefined where the copy says the same. */
  #left(place: Place, seen = new Set<Node>()): [keyword: string, place: Place] | undefined {
    const { schema } = place;
    if (typeof schema === "boolean" || seen.has(schema)) {
      return undefined;
    }
    seen.add(schema);
    if (schema.severity === "warning" || schema.severity === "info") {
      return ["severity", place];
    }
    for (const key of this.#counting(place)) {
      if (isOurs(key)) {
        return [key, place];
      }
      const below = key === "$ref" ? [this.#referred(place)] : map.has(key) || list.has(key) || one.has(key) ? this.#below(place, key) : [];
      for (const inner of below) {
        const left = this.#left(inner, seen);
        if (left !== undefined) {
          return left;
        }
      }
    }
    return undefined;
  }

  /** The schemas that stand under a keyword. */
  #below(place: Place, key: string): Place[] {
    const value = (place.schema as Node)[key];
    const single = one.has(key) && !Array.isArray(value);
    const all: [string, unknown][] = single ? [["", value]] : Object.entries(value as object);
    return all
      .filter((entry): entry is [string, Node | boolean] => isSchema(entry[1]))
      .map(([name, schema]) => this.#placeOf(schema, place, single ? `/${key}` : `/${key}/${token(name)}`));
  }

  #placeOf(schema: Node | boolean, within: Place, at: string): Place {
    const known = typeof schema === "object" ? this.#bySchema.get(schema) : undefined;
    return known ?? { schema, base: within.base, pointer: `${within.pointer}${at}` };
  }

  #value({ schema, ...place }: Place, depth: number): unknown {
    return typeof schema === "boolean" ? schema : this.#members({ schema, ...place }, depth + 1);
  }

  #members(place: Place, depth: number): Made {
    const { schema } = place;
    const made: Made = {};
    if (typeof schema === "boolean") {
      return made;
    }
    if (depth > depthMax) {
      throw new PlumbError("limit", `schemas are nested more than ${depthMax} deep`, { where: place.pointer });
    }
    const counting = new Set(this.#counting(place));
    const copy = (value: unknown, at: string): unknown =>
      isSchema(value) ? this.#value(this.#placeOf(value, place, at), depth) : value;
    const byPlace = this.#old && Array.isArray(schema.items);
    for (const [key, value] of Object.entries(schema)) {
      if (isNote(key)) {
        made[key] = value;
        continue;
      }
      const lacking = this.#old && (key === "prefixItems" || (this.#draft7 && /^(?:min|max)Contains$/.test(key)));
      if (!counting.has(key) || isOurs(key) || lacking || (key === "additionalItems" && !byPlace)) {
        continue;
      }
      if (key === "$dynamicRef" || key === "$recursiveRef") {
        this.#refuse(key, place, "refer with $ref");
      }
      const left = exact.has(key) && (key !== "contains" || "maxContains" in schema) ? this.#leftUnder(place, key) : undefined;
      if (left !== undefined && key === "oneOf") {
        // Branches that accept more may both hold; that one of them does stays true.
        const branches = (value as unknown[]).map((item, i) => copy(item, `/oneOf/${i}`));
        made.allOf = [...((made.allOf as unknown[] | undefined) ?? []), { anyOf: branches }];
        continue;
      }
      if (left !== undefined) {
        this.#refuse(...left, `it cannot be left out below ${key}`);
      }
      if (key === "$ref") {
        made.$ref = `#/${this.#definitions}/${this.#name(this.#referred(place))}`;
      } else if (one.has(key) && !Array.isArray(value)) {
        made[key === "additionalItems" ? "items" : key] = copy(value, `/${key}`);
      } else if (list.has(key) && Array.isArray(value)) {
        const copies = value.map((item, i) => copy(item, `/${key}/${i}`));
        if (key === "allOf") {
          made.allOf = [...((made.allOf as unknown[] | undefined) ?? []), ...copies];
        } else {
          made[key === "items" ? "prefixItems" : key] = copies;
        }
      } else if (map.has(key) && isSchema(value)) {
        const below = Object.entries(value).map(([name, item]) => [
          name,
          Array.isArray(item) ? { required: item } : copy(item, `/${key}/${token(name)}`),
        ]);
        made[key === "dependencies" && this.#old ? "dependentSchemas" : key] = Object.fromEntries(below) as Made;
      } else {
        made[key] = value;
      }
    }
    return this.#target === "draft-07" ? this.#asDraft7(made, place) : made;
  }

  #leftUnder(place: Place, key: string): [keyword: string, place: Place] | undefined {
    // What is not evaluated depends on all that is beside it.
    const below = key.startsWith("unevaluated") ? [place] : this.#below(place, key);
    return below.map((inner) => this.#left(inner)).find((left) => left !== undefined);
  }

  /** What 2020-12 says in other words; throws where draft 7 has none. */
  #asDraft7(schema: Made, place: Place): Made {
    const { $ref, prefixItems, items, dependentRequired, dependentSchemas, dependencies: own, minContains, ...made } = schema;
    for (const key of ["unevaluatedItems", "unevaluatedProperties", "maxContains"]) {
      if (key in made) {
        this.#refuse(key, place, "that draft has no such keyword");
      }
    }
    if (minContains !== undefined && minContains !== 1 && "contains" in made) {
      this.#refuse("minContains", place, "that draft has no such keyword");
    }
    if (prefixItems !== undefined) {
      made.items = prefixItems;
      if (items !== undefined) {
        made.additionalItems = items;
      }
    } else if (items !== undefined) {
      made.items = items;
    }
    const dependencies: Made = { ...(own as Made | undefined), ...(dependentRequired as Made | undefined) };
    for (const [name, value] of Object.entries((dependentSchemas as Made | undefined) ?? {})) {
      dependencies[name] = name in dependencies ? { required: dependencies[name], allOf: [value] } : value;
    }
    if (Object.keys(dependencies).length > 0) {
      made.dependencies = dependencies;
    }
    if ($ref !== undefined) {
      if (Object.keys(made).length === 0) {
        made.$ref = $ref;
      } else {
        made.allOf = [{ $ref }, ...((made.allOf as unknown[] | undefined) ?? [])]; // beside $ref nothing counts there
      }
    }
    return made;
  }

  #name(place: Place): string {
    const last = place.pointer === "" ? "contract" : place.pointer.slice(place.pointer.lastIndexOf("/") + 1);
    const base = last.replace(/[^A-Za-z0-9_-]/g, "_") || "contract";
    for (let n = 1; ; ++n) {
      const name = n === 1 ? base : `${base}_${n}`;
      const other = this.#defined.get(name);
      if (other === undefined || other.schema === place.schema) {
        this.#defined.set(name, place);
        return name;
      }
    }
  }
}

function dialectOf(named: string): string | undefined {
  return /2020-12|2019-09|draft-07/.exec(named)?.[0] ?? (named.startsWith("plumb:") ? "2020-12" : undefined);
}

function isNote(key: string): boolean {
  return /^(?:title|description|default|examples|deprecated|readOnly|writeOnly|format)$/.test(key);
}

/** A reference seen from a base; bases that are no hierarchy (`plumb:quiz`) take only a fragment. */
function absolute(reference: string, base: string): string {
  if (reference === "" || reference.startsWith("#")) {
    return base + reference;
  }
  try {
    return new URL(reference, base === "" ? undefined : base).href;
  } catch {
    return reference;
  }
}
