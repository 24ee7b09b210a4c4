/**
 * What would mend a finding in place. Whatever is offered was tried: the text that it makes was judged, the finding is gone, and
 * nothing else breaks for it.
 */
import type { CheckOptions, Contract } from "../contract.js";
import type { CompleteFinding, Edit, EditClass, Verdict } from "../verdict.js";
import { JsonText, type Place } from "./json_text.js";

export interface Fix {
  /** What it does: "Use “Chloroplasts” as an option". */
  readonly title: string;
  /** The whole text that it makes. */
  readonly text: string;
  /** What is to be written there by hand. */
  readonly select?: readonly [from: number, to: number];
}

type Candidate = Fix & { readonly scaffold?: boolean };
type Json = { readonly [key: string]: unknown };

const fixesMax = 3;
const findingsMax = 50;
const unitsMax = 1 << 18;
const wordsMax = 40;

const classes: Record<EditClass, string> = {
  fence: "remove the code fence",
  prose: "remove the words around it",
  thinking: "remove the thinking",
  severalValues: "keep the first value",
  envelope: "take it out of its envelope",
  comment: "remove the comment",
  trailingComma: "remove the trailing comma",
  extraComma: "remove the second comma",
  missingComma: "add the comma",
  missingColon: "add the colon",
  missingEnd: "close what is open",
  wrongBracket: "write the right bracket",
  singleQuotes: "write double quotes",
  typographicQuotes: "write double quotes",
  innerQuote: "escape the quote",
  controlInString: "escape the character",
  badEscape: "correct the escape",
  suspectEscape: "double the backslash",
  escapedQuotes: "remove the backslashes before quotes",
  joinedStrings: "join the strings",
  ellipsis: "remove the ellipsis",
  unquotedKey: "quote the key",
  pythonLiteral: "write it as JSON does",
  missingZero: "write the zero",
  oddSpace: "write plain spaces",
  listOfOne: "make it a list",
  numberInString: "make it a number",
  booleanInString: "make it true or false",
  enumSpelling: "spell it as the contract does",
  doubleEncoded: "take the JSON out of the text",
  nullMember: "remove the null",
};

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const errors = (verdict: Verdict): number =>
  verdict.findings.filter(({ severity, shadowedBy }) => severity === "error" && shadowedBy === undefined).length;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const folded = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.trim().toLowerCase()) : JSON.stringify(value);

function named(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const cut = text.length > wordsMax ? `${text.slice(0, wordsMax)}…` : text;
  return typeof value === "string" ? `“${cut}”` : cut;
}

/** Fixes by the ids of findings, as they are found: looking for them may be left at any time. */
export function* fixesOf(
  contract: Contract,
  options: CheckOptions,
  text: string,
  verdict: Verdict,
): Generator<readonly [id: number, fixes: readonly Fix[]]> {
  if (text.length > unitsMax) {
    return;
  }
  const maker = new Maker(contract, options, text, verdict);
  const open = verdict.findings.filter(({ shadowedBy }) => shadowedBy === undefined);
  for (const finding of open.slice(0, findingsMax)) {
    yield [finding.id, maker.fixes(finding)];
  }
}

class Maker {
  readonly #json: JsonText | undefined;
  readonly #schema: unknown;
  readonly #edits: readonly Edit[];

  constructor(
    readonly contract: Contract,
    readonly options: CheckOptions,
    readonly text: string,
    readonly verdict: Verdict,
  ) {
    try {
      JSON.parse(text);
      this.#json = new JsonText(text);
    } catch {
      this.#json = undefined;
    }
    this.#schema = JSON.parse(contract.text);
    this.#edits = contract.check(text, { ...options, edits: "certain" }).edits;
  }

  fixes(finding: CompleteFinding): Fix[] {
    const kept: Fix[] = [];
    for (const candidate of this.#candidates(finding)) {
      if (kept.length === fixesMax) {
        break;
      }
      if (candidate.text !== this.text && !kept.some(({ text, title }) => text === candidate.text || title === candidate.title) && this.#mends(finding, candidate)) {
        kept.push(candidate);
      }
    }
    return kept;
  }

  #mends(finding: CompleteFinding, { text, scaffold }: Candidate): boolean {
    const now = this.contract.check(text, this.options);
    const same = (one: CompleteFinding): boolean =>
      one.rule === finding.rule && one.at === finding.at && one.property === finding.property && one.schemaLocation === finding.schemaLocation;
    if (now.findings.some(same)) {
      return false;
    }
    const [before, after] = [errors(this.verdict), errors(now)];
    return finding.severity === "error" && scaffold !== true ? after < before : after <= before;
  }

  *#candidates(finding: CompleteFinding): Generator<Candidate> {
    yield* this.#edited(finding);
    const json = this.#json;
    if (json === undefined) {
      return;
    }
    const { rule, at, allowed, span } = finding;
    if (rule === "duplicateKey") {
      const second = json.all.find(({ begin }) => begin === span.utf16From);
      if (second !== undefined) {
        yield { title: `Remove the second ${named(second.key)}`, text: json.remove(second) };
      }
      return;
    }
    const place = json.places.get(at);
    if (place === undefined) {
      return;
    }
    const keyword = this.#at(finding.schemaLocation);
    const schema = this.#at(finding.schemaLocation.slice(0, finding.schemaLocation.lastIndexOf("/")));
    if (rule === "memberOf" && isObject(keyword)) {
      yield* this.#asMember(json, place, keyword.in);
    }
    for (const value of allowed ?? []) {
      yield { title: `Use ${named(value)}`, text: json.replace(place, JSON.stringify(value)) };
    }
    switch (rule) {
      case "required":
      case "dependentRequired":
        yield* this.#missing(json, place, finding.property, schema);
        break;
      case "additionalProperties":
      case "unevaluatedProperties":
        yield* this.#renamed(json, place, schema);
        yield { title: `Remove ${named(place.key)}`, text: json.remove(place) };
        break;
      case "type":
        yield* this.#typed(json, place, keyword);
        break;
      case "distinct":
      case "uniqueItems":
        yield* this.#single(json, place);
        break;
      case "maxItems":
        if (typeof keyword === "number" && place.children.length > keyword && keyword > 0) {
          const over = place.children.length - keyword;
          const range = { from: place.children[keyword - 1]!.to, to: place.children.at(-1)!.to };
          yield { title: over === 1 ? "Remove the last item" : `Remove the last ${over} items`, text: json.replace(range, "") };
        }
        break;
      case "const":
        yield { title: `Use ${named(keyword)}`, text: json.replace(place, JSON.stringify(keyword)) };
        break;
      default:
        yield* this.#nearest(json, place, rule, keyword);
    }
  }

  /** What edits do: to all of a text that is no JSON, else to this value. */
  *#edited({ rule, at }: CompleteFinding): Generator<Candidate> {
    if (this.#json === undefined) {
      if (rule !== "syntax") {
        return;
      }
      for (const edits of ["certain", "guess"] as const) {
        const { text, edits: made } = this.contract.check(this.text, { ...this.options, edits });
        const words = [...new Set(made.filter(({ applied }) => applied).map((edit) => classes[edit.class]))];
        const more = words.length > 3 ? ` and ${words.length - 2} more` : "";
        if (text !== undefined && words.length > 0) {
          yield { title: capital(words.slice(0, more === "" ? 3 : 2).join(", ")) + more, text };
        }
      }
      return;
    }
    for (const edit of this.#edits) {
      if (edit.at === at) {
        yield { title: capital(classes[edit.class]), text: changed(this.text, edit.changes) };
      }
    }
  }

  /** The value becomes one of the list: instead of an item that is there twice, else beside the others. */
  *#asMember(json: JsonText, place: Place, where: unknown): Generator<Candidate> {
    for (const one of Array.isArray(where) ? where : [where]) {
      const found = typeof one === "string" ? /^(\d+)(\/.*)?\/\*$/.exec(one) : null;
      if (found === null) {
        continue;
      }
      const up = place.pointer.split("/");
      const list = json.places.get(up.slice(0, up.length - Number(found[1])).join("/") + (found[2] ?? ""));
      if (list?.kind !== "array") {
        continue;
      }
      const value = json.text.slice(place.from, place.to);
      const one_ = String(list.key);
      const item = one_.endsWith("s") ? one_.slice(0, -1) : "";
      const title =
        item === ""
          ? `Add ${named(json.value(place))} to ${one_}`
          : `Use ${named(json.value(place))} as ${/^[aeiou]/i.test(item) ? "an" : "a"} ${item}`;
      const seen = new Set<string>();
      for (const child of list.children) {
        const key = folded(json.value(child));
        if (seen.has(key)) {
          yield { title, text: json.replace(child, value) };
        }
        seen.add(key);
      }
      yield { title, text: json.append(list, value).text };
    }
  }

  *#missing(json: JsonText, place: Place, property: string | undefined, schema: unknown): Generator<Candidate> {
    if (property === undefined || place.kind !== "object") {
      return;
    }
    const known = isObject(schema) && isObject(schema.properties) ? this.#resolved(schema.properties[property]) : undefined;
    const value = JSON.stringify(blank(known));
    const { text, from, to } = json.append(place, value, property);
    const inner = /^["[{]/.test(value) ? 1 : 0;
    yield { title: `Add ${named(property)}`, text, select: [from + inner, to - inner], scaffold: true };
  }

  *#renamed(json: JsonText, place: Place, schema: unknown): Generator<Candidate> {
    const parent = place.parent;
    const names = isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
    const free = names.filter((name) => !parent!.children.some(({ key }) => key === name));
    const key = String(place.key);
    const near = free.filter((name) => distance(name.toLowerCase(), key.toLowerCase()) <= (name.length > 3 ? 2 : 1));
    for (const name of near) {
      const end = json.text.lastIndexOf('"', json.text.lastIndexOf(":", place.from)) + 1;
      yield { title: `Rename to ${named(name)}`, text: json.replace({ from: place.begin, to: end }, JSON.stringify(name)) };
    }
  }

  *#typed(json: JsonText, place: Place, wanted: unknown): Generator<Candidate> {
    const types = new Set(Array.isArray(wanted) ? wanted : [wanted]);
    const written = json.text.slice(place.from, place.to);
    const value = json.value(place);
    if (typeof value === "string" && (types.has("number") || types.has("integer")) && value.trim() !== "" && Number.isFinite(Number(value))) {
      yield { title: "Make it a number", text: json.replace(place, String(Number(value))) };
    }
    if (types.has("string") && place.kind === "scalar" && value !== null) {
      yield { title: "Make it text", text: json.replace(place, JSON.stringify(written)) };
    }
    if (types.has("array")) {
      yield { title: "Make it a list", text: json.replace(place, `[${written}]`) };
    }
    if (value === null && place.parent?.kind === "object") {
      yield { title: `Remove ${named(place.key)}`, text: json.remove(place) };
    }
  }

  *#single(json: JsonText, list: Place): Generator<Candidate> {
    const seen = new Set<string>();
    for (const child of list.children) {
      const value = json.value(child);
      if (seen.has(folded(value))) {
        yield { title: `Remove the second ${named(value)}`, text: json.remove(child) };
      }
      seen.add(folded(value));
    }
  }

  /** A value beside this one that the contract may accept. */
  *#nearest(json: JsonText, place: Place, rule: string, limit: unknown): Generator<Candidate> {
    const value = json.value(place);
    const use = (other: unknown, title = `Use ${named(other)}`): Candidate => ({
      title,
      text: json.replace(place, JSON.stringify(other)),
    });
    if (typeof value === "number" && typeof limit === "number") {
      switch (rule) {
        case "minimum":
        case "maximum":
          yield use(limit);
          break;
        case "exclusiveMinimum":
          yield use(limit + 1);
          break;
        case "exclusiveMaximum":
          yield use(limit - 1);
          break;
        case "multipleOf":
          yield use(Math.round(value / limit) * limit);
          break;
      }
    }
    if (typeof value === "string") {
      const most = isObject(limit) ? limit.max : limit;
      if ((rule === "maxLength" || rule === "length") && typeof most === "number") {
        yield use([...value].slice(0, most).join("").trimEnd(), `Cut to ${most} characters`);
      }
      const trimmed = value.trim();
      for (const other of [trimmed, trimmed.toLowerCase(), trimmed.toUpperCase(), trimmed.toLowerCase().replace(/\s+/g, "_"), trimmed.toLowerCase().replace(/\s+/g, "-")]) {
        if (other !== "") {
          yield use(other);
        }
      }
    }
  }

  #resolved(schema: unknown): unknown {
    const reference = isObject(schema) ? schema.$ref : undefined;
    return typeof reference === "string" && reference.startsWith("#/") ? this.#at(reference.slice(1)) : schema;
  }

  /** What is at a place of the contract's own text. */
  #at(pointer: string): unknown {
    let inside = this.#schema;
    for (const word of pointer.startsWith("/") ? pointer.slice(1).split("/") : []) {
      const key = word.replace(/~1/g, "/").replace(/~0/g, "~");
      inside = typeof inside === "object" && inside !== null ? (inside as Json)[key] : undefined;
    }
    return inside;
  }
}

/** What a member begins as. */
function blank(schema: unknown): unknown {
  if (!isObject(schema)) {
    return "";
  }
  for (const known of [schema.default, schema.const, Array.isArray(schema.enum) ? schema.enum[0] : undefined]) {
    if (known !== undefined) {
      return known;
    }
  }
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object":
      return {};
    case "array":
      return [];
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "";
  }
}

/** Changes are told in bytes. */
function changed(text: string, changes: Edit["changes"]): string {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let made = "";
  let at = 0;
  for (const { from, to, text: by } of changes) {
    made += decoder.decode(bytes.subarray(at, from)) + by;
    at = to;
  }
  return made + decoder.decode(bytes.subarray(at));
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
