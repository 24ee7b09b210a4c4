// Completion in the contract editor: keywords where a schema is, members and values that the meta-schemas know, and
// names that occur elsewhere in the same contract. And what a keyword means, under the mouse.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap } from "@codemirror/view";
import type { Explanation } from "@plumbline/plumbline";

import { valueIn } from "../editor/pointer";
import { allowedAt, type Allowed } from "./meta";
import { holderOf, memberOf, namesIn, placeAt, type Place } from "./place";
import { checking as t } from "../strings";

export type Explain = (rule: string) => Explanation | undefined;

// What is most likely wanted comes first.
const boosts: Record<string, number> = {
  type: 9,
  properties: 8,
  required: 8,
  items: 7,
  description: 3,
  enum: 5,
  minItems: 4,
  title: 3,
  errorMessage: 4,
  notBlank: 4,
  itemLabel: 3,
  memberOf: 4,
  distinct: 4,
};

const formats = [
  "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
  "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
]; // prettier-ignore

const openings: Record<string, [string, string]> = {
  object: ["{", "}"],
  array: ["[", "]"],
  string: ['"', '"'],
};

function infoOf(explanation: Explanation | undefined, description: string): Completion["info"] {
  if (!explanation && description === "") return undefined;
  return () => card(explanation, description);
}

export function card(explanation: Explanation | undefined, description: string): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "keyword-card";
  const add = (name: string, text: string, kind: "p" | "pre" = "p"): void => {
    const part = document.createElement(kind);
    part.className = name;
    // Names of keywords are between backticks.
    text.split("`").forEach((words, index) => {
      if (kind === "pre" || index % 2 === 0) {
        part.append(words);
      } else {
        const code = document.createElement("code");
        code.textContent = words;
        part.append(code);
      }
    });
    dom.append(part);
  };
  if (explanation) {
    add("keyword-kind", explanation.kind);
    add("keyword-meaning", explanation.meaning);
    if (explanation.decides) add("keyword-decides", t.decides(explanation.decides));
    if (explanation.contract) add("keyword-example", explanation.contract, "pre");
  } else {
    add("keyword-meaning", description);
  }
  return dom;
}

// Puts in a name with the beginning of its value, the cursor where the value goes on.
function applyName(name: string, type: string, tail: number) {
  return (view: EditorView, completion: Completion, from: number, end: number): void => {
    const to = end + tail;
    const after = view.state.sliceDoc(to, Math.min(to + 40, view.state.doc.length));
    const key = JSON.stringify(name);
    if (/^\s*:/.test(after)) {
      view.dispatch({ changes: { from, to, insert: key }, selection: { anchor: from + key.length } });
      return;
    }
    const [before, behind] = openings[type] ?? ["", ""];
    const insert = `${key}: ${before}${behind}`;
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length - behind.length },
      userEvent: "input.complete",
      annotations: pickedCompletion.of(completion),
    });
  };
}

function applyValue(text: string, tail: number) {
  return (view: EditorView, completion: Completion, from: number, end: number): void =>
    view.dispatch({
      changes: { from, to: end + tail, insert: text },
      selection: { anchor: from + text.length },
      userEvent: "input.complete",
      annotations: pickedCompletion.of(completion),
    });
}

// `tail` is what is written behind the cursor and replaced too.
function names(state: EditorState, place: Place, allowed: Allowed, explain: Explain, tail: number): Completion[] {
  const there = new Set(namesIn(state, place.around));
  const members: Completion[] = allowed.members.map(({ name, description, type }) => {
    const explanation = allowed.isSchema ? explain(name) : undefined;
    const info = infoOf(explanation, description);
    return {
      label: name,
      type: "property",
      detail: explanation?.kind.replace(/^JSON Schema, /, "").replace(t.vocabulary, "vocabulary") ?? "",
      boost: boosts[name] ?? 0,
      apply: applyName(name, type, tail),
      ...(info && { info }),
    };
  });
  // Texts for findings: of the keywords beside it.
  if (place.path.at(-1)?.token === "errorMessage") {
    for (const name of namesIn(state, holderOf(place.around))) {
      if (!notKeywords.has(name)) members.push({ label: name, boost: 10, apply: applyName(name, "string", tail) });
    }
  }
  return members.filter(({ label }) => !there.has(label));
}

const notKeywords = new Set([
  "errorMessage",
  "title",
  "description",
  "$schema",
  "$id",
  "$defs",
  "$comment",
  "itemLabel",
  "stopAt",
]);

function definitions(state: EditorState): string[] {
  const root = valueIn(syntaxTree(state).topNode);
  return namesIn(state, memberOf(state, root, "$defs")).map((name) => `#/$defs/${name}`);
}

function values(state: EditorState, place: Place, allowed: Allowed, tail: number): Completion[] {
  const keyword = place.path.filter(({ inArray }) => !inArray).at(-1)?.token ?? "";
  const inList = place.path.at(-1)?.inArray === true;
  const around = inList ? holderOf(place.around) : place.around;
  let found: unknown[] = [...allowed.values];
  if (allowed.types.includes("boolean") && !allowed.isSchema) found.push(true, false);
  if (keyword === "$ref" || keyword === "$dynamicRef") found = ["#", ...definitions(state)];
  if (keyword === "$schema") found = ["https://json-schema.org/draft/2020-12/schema"];
  if (keyword === "format") found = formats;
  if (keyword === "required" && inList) found = namesIn(state, memberOf(state, around, "properties"));
  if (keyword === "stopAt" && inList) found = namesIn(state, around).filter((name) => !notKeywords.has(name));
  if (inList && place.around) {
    const there = new Set<string>();
    for (let child = place.around.firstChild; child; child = child.nextSibling) {
      if (child.to <= place.from || child.from >= place.to) there.add(state.sliceDoc(child.from, child.to));
    }
    found = found.filter((one) => !there.has(JSON.stringify(one)));
  }
  return [...new Set(found)].map((value) => ({
    label: typeof value === "string" ? value : JSON.stringify(value),
    type: "constant",
    apply: applyValue(JSON.stringify(value), tail),
  }));
}

export function completeContract(explain: Explain) {
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos } = context;
    const place = placeAt(state, pos);
    if (!place) return null;
    // Names, without being asked for, only where one has been begun.
    if (!context.explicit && place.from === pos && place.wants === "name") return null;
    const allowed = allowedAt(place.path);
    const tail = Math.max(0, place.to - pos);
    const options =
      place.wants === "name" ? names(state, place, allowed, explain, tail) : values(state, place, allowed, tail);
    if (options.length === 0) return null;
    const quoted = state.sliceDoc(place.from, place.from + 1) === '"';
    return {
      from: place.from,
      // What is typed is compared without its quotes.
      options: quoted ? options.map((one) => ({ ...one, label: `"${one.label}"`, displayLabel: one.label })) : options,
      validFor: /^"?[\w$/#-]*"?$/,
    };
  };
}

function keywordHover(explain: Explain): Extension {
  return hoverTooltip(
    (view, position) => {
      const node = syntaxTree(view.state).resolveInner(position, 0);
      if (node.name !== "PropertyName") return null;
      const place = placeAt(view.state, node.from + 1);
      if (!place || place.wants !== "name" || !allowedAt(place.path).isSchema) return null;
      let name: string;
      try {
        name = JSON.parse(view.state.sliceDoc(node.from, node.to)) as string;
      } catch {
        return null;
      }
      const explanation = explain(name);
      if (!explanation) return null;
      return {
        pos: node.from,
        end: node.to,
        above: true,
        create: () => {
          const dom = document.createElement("div");
          dom.className = "pl-hover";
          const inner = document.createElement("div");
          inner.className = "cards";
          inner.append(card(explanation, ""));
          dom.append(inner);
          return { dom };
        },
      };
    },
    { hoverTime: 350 },
  );
}

// Everything that helps while a contract is written.
export function contractHelp(explain: Explain): Extension {
  return [
    autocompletion({
      override: [completeContract(explain)],
      icons: false,
      closeOnBlur: true,
      // After a name, what its value may be.
      activateOnCompletion: ({ type }) => type === "property",
      maxRenderedOptions: 120,
      tooltipClass: () => "pl-completion",
    }),
    closeBrackets(),
    keymap.of([...closeBracketsKeymap, ...completionKeymap]),
    keywordHover(explain),
  ];
}
