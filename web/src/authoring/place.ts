// Where in a contract the cursor is: the way from its root, and whether a name or a value is wanted there.
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

import { isValue, keyOf, valueIn } from "../editor/pointer";
import type { Step } from "./meta";

export interface Place {
  // The steps to the object that holds the name, or to the value.
  path: Step[];
  wants: "name" | "value";
  // What is written there by now.
  from: number;
  to: number;
  // The object or array around it.
  around: SyntaxNode | null;
}

function pathTo(state: EditorState, node: SyntaxNode | null): Step[] {
  const path: Step[] = [];
  for (let at = node; at; at = at.parent) {
    if (at.name === "Property") {
      const key = keyOf(state, at);
      if (key !== null) path.unshift({ token: key, inArray: false });
    } else if (at.parent?.name === "Array" && isValue(at)) {
      path.unshift({ token: "*", inArray: true });
    }
  }
  return path;
}

// The word, quoted or not, that ends or goes on at the position.
function wordAt(state: EditorState, position: number): { from: number; to: number } {
  const line = state.doc.lineAt(position);
  const before = /"?[\w$-]*$/.exec(line.text.slice(0, position - line.from))?.[0].length ?? 0;
  const after = /^[\w$-]*"?/.exec(line.text.slice(position - line.from))?.[0].length ?? 0;
  return { from: position - before, to: position + after };
}

export function placeAt(state: EditorState, position: number): Place | null {
  const tree = syntaxTree(state);
  const node = tree.resolveInner(position, -1);
  const token = /^(String|PropertyName)$/.test(node.name) ? node : null;
  const word = token ? { from: token.from, to: token.to } : wordAt(state, position);
  if (token?.name === "PropertyName") {
    const around = token.parent?.parent ?? null;
    return { path: pathTo(state, around), wants: "name", ...word, around };
  }
  // The nearest object or array that is open at the start of the word.
  let around: SyntaxNode | null = tree.resolveInner(word.from, -1);
  if (token && (around === token || around.parent === token)) around = token.parent;
  let property: SyntaxNode | null = null;
  while (around && around.name !== "Object" && around.name !== "Array") {
    if (around.name === "Property") property = around;
    around = around.parent;
  }
  if (!around || around.from >= word.from) {
    const parent = around?.parent ?? null;
    if (!parent) return null;
    around = parent;
    while (around && around.name !== "Object" && around.name !== "Array") {
      if (around.name === "Property") property = around;
      around = around.parent;
    }
    if (!around) return null;
  }
  if (around.name === "Array")
    return { path: [...pathTo(state, around), { token: "*", inArray: true }], wants: "value", ...word, around };
  const text = state.sliceDoc(around.from, word.from);
  const mark = /[:,{]\s*$/.exec(text)?.[0][0];
  if (mark === ":") {
    const key = /"((?:[^"\\]|\\.)*)"\s*:\s*$/.exec(text)?.[1];
    const own = property && valueIn(property) === null ? property : null;
    const name = key ?? (own ? keyOf(state, own) : null);
    if (name === null || name === undefined) return null;
    return { path: [...pathTo(state, around), { token: name, inArray: false }], wants: "value", ...word, around };
  }
  return mark === "," || mark === "{" ? { path: pathTo(state, around), wants: "name", ...word, around } : null;
}

// The names of the members of an object.
export function namesIn(state: EditorState, object: SyntaxNode | null): string[] {
  if (object?.name !== "Object") return [];
  return object.getChildren("Property").flatMap((property) => keyOf(state, property) ?? []);
}

// A member of an object, by its name.
export function memberOf(state: EditorState, object: SyntaxNode | null, name: string): SyntaxNode | null {
  if (object?.name !== "Object") return null;
  for (const property of object.getChildren("Property")) if (keyOf(state, property) === name) return valueIn(property);
  return null;
}

// The object whose member holds the place.
export function holderOf(around: SyntaxNode | null): SyntaxNode | null {
  for (let at = around?.parent ?? null; at; at = at.parent) if (at.name === "Object") return at;
  return null;
}
