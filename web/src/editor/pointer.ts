// From a JSON Pointer to the place in a text, by the editor's own syntax tree: it also works while the text is broken
// further down.
import { ensureSyntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

const parseMsMax = 400;

// The key (or the item) that the pointer names, and the whole member with its value.
export interface Place {
  name: { from: number; to: number };
  whole: { from: number; to: number };
}

export function isValue(node: SyntaxNode): boolean {
  return /^(Object|Array|String|Number|True|False|Null)$/.test(node.name);
}

export function valueIn(node: SyntaxNode): SyntaxNode | null {
  for (let child = node.firstChild; child; child = child.nextSibling) if (isValue(child)) return child;
  return null;
}

export function keyOf(state: EditorState, property: SyntaxNode): string | null {
  const name = property.getChild("PropertyName");
  if (!name) return null;
  try {
    return JSON.parse(state.sliceDoc(name.from, name.to)) as string;
  } catch {
    return null;
  }
}

// The deepest place on the way of the pointer that is in the text: a missing member leads to its object.
export function findPointer(state: EditorState, pointer: string): Place | null {
  const tree = ensureSyntaxTree(state, state.doc.length, parseMsMax);
  let value = tree && valueIn(tree.topNode);
  if (!value) return null;
  let place: Place = { name: { from: value.from, to: Math.min(value.from + 1, value.to) }, whole: value };
  const tokens = pointer.split("/").slice(1);
  for (const token of tokens) {
    let key = token.replace(/~1/g, "/").replace(/~0/g, "~");
    try {
      key = decodeURIComponent(key);
    } catch {
      // A percent sign that encodes nothing is part of the key.
    }
    let next: SyntaxNode | null = null;
    if (value.name === "Object") {
      for (const property of value.getChildren("Property")) {
        if (keyOf(state, property) !== key) continue;
        const name = property.getChild("PropertyName");
        next = valueIn(property);
        if (name) place = { name: { from: name.from, to: name.to }, whole: { from: property.from, to: property.to } };
        break;
      }
    } else if (value.name === "Array") {
      let index = Number(key);
      for (let child: SyntaxNode | null = value.firstChild; child; child = child.nextSibling) {
        if (!isValue(child) || index-- > 0) continue;
        next = child;
        place = { name: { from: child.from, to: Math.min(child.to, state.doc.lineAt(child.from).to) }, whole: child };
        break;
      }
    }
    if (!next) break;
    value = next;
  }
  return place;
}
