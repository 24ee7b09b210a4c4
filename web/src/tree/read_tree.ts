// The tree in an artifact, read from the editor's syntax tree: it is there while the text is broken, cut off or still
// arriving, and every node knows its place in the text.
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

import { isValue, keyOf, valueIn } from "../editor/pointer";
import { folded, type TreeRule } from "./tree_rule";
import { checking as t } from "../strings";

export interface TreeNode {
  id: number;
  pointer: string;
  label: string;
  // What has no label shows what it is instead.
  labelled: boolean;
  from: number;
  to: number;
  // Where the cursor goes: the label, else the value.
  at: number;
  parent: TreeNode | null;
  children: TreeNode[];
  // Children that are not drawn.
  more: number;
  // The earlier node with the same label: an ancestor makes it a cycle.
  sameAs: { node: TreeNode; ancestor: boolean } | null;
}

export interface Tree {
  root: TreeNode;
  nodes: TreeNode[]; // parents before their children
  levels: number;
  more: number;
  // The editor has read the text to its end; a large text is read in parts, and there is more to come.
  whole: boolean;
}

// What can still be looked at; the rest is counted.
const nodesMax = 500;
const levelsMax = 60;
const parseMsMax = 200;
const labelUnitsMax = 200;

interface Found {
  node: SyntaxNode;
  pointer: string;
}

const escaped = (key: string): string => key.replace(/~/g, "~0").replace(/\//g, "~1");

function step(state: EditorState, { node, pointer }: Found, token: string): Found[] {
  const found: Found[] = [];
  if (node.name === "Object") {
    for (const property of node.getChildren("Property")) {
      const key = keyOf(state, property);
      const value = valueIn(property);
      if (key === null || !value || (token !== "*" && key !== token)) continue;
      found.push({ node: value, pointer: `${pointer}/${escaped(key)}` });
      if (token !== "*") break;
    }
  } else if (node.name === "Array") {
    let index = 0;
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (!isValue(child)) continue;
      if (token === "*" || token === String(index)) found.push({ node: child, pointer: `${pointer}/${index}` });
      ++index;
    }
  }
  return found;
}

function walk(state: EditorState, from: Found, tokens: readonly string[]): Found[] {
  let now = [from];
  for (const token of tokens) now = now.flatMap((one) => step(state, one, token));
  return now;
}

function textOf(state: EditorState, node: SyntaxNode): string {
  const raw = state.sliceDoc(node.from, Math.min(node.to, node.from + labelUnitsMax));
  if (node.name !== "String") return raw.split("\n", 1)[0] ?? "";
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw.replace(/^"|"$/g, "");
  }
}

const kinds: Record<string, string> = { Object: t.noLabel, Array: t.aList, Null: "null" };

export function readTree(state: EditorState, rule: TreeRule): Tree | null {
  const parsed = ensureSyntaxTree(state, state.doc.length, parseMsMax);
  const syntax = parsed ?? syntaxTree(state);
  const top = valueIn(syntax.topNode);
  const start = top && walk(state, { node: top, pointer: "" }, rule.from)[0];
  if (!start) return null;
  const nodes: TreeNode[] = [];
  let levels = 0;
  let more = 0;
  const make = ({ node, pointer }: Found, parent: TreeNode | null, level: number): TreeNode => {
    const label = walk(state, { node, pointer }, rule.by)[0]?.node;
    const labelled = label !== undefined && /^(String|Number|True|False)$/.test(label.name);
    const text = labelled ? textOf(state, label) : (kinds[node.name] ?? textOf(state, node));
    const made: TreeNode = {
      id: nodes.length,
      pointer,
      label: text,
      labelled: labelled && text.trim() !== "",
      from: node.from,
      to: node.to,
      at: label?.from ?? node.from,
      parent,
      children: [],
      more: 0,
      sameAs: null,
    };
    nodes.push(made);
    levels = Math.max(levels, level + 1);
    return made;
  };
  // Level by level, so that what is left out of a large tree is what lies deepest.
  const root = make(start, null, 0);
  let row: { made: TreeNode; found: Found }[] = [{ made: root, found: start }];
  for (let level = 1; row.length > 0; ++level) {
    const next: typeof row = [];
    for (const { made, found } of row) {
      const children = walk(state, found, rule.children);
      const room = level >= levelsMax ? 0 : Math.max(0, nodesMax - nodes.length);
      for (const child of children.slice(0, room)) {
        const one = make(child, made, level);
        made.children.push(one);
        next.push({ made: one, found: child });
      }
      made.more = Math.max(0, children.length - room);
      more += made.more;
    }
    row = next;
  }
  findRepeats(nodes, rule);
  return { root, nodes, levels, more, whole: parsed !== null };
}

// In the order of the text, as the rules are judged: the later of two is the one that repeats.
function findRepeats(nodes: readonly TreeNode[], rule: TreeRule): void {
  const seen = new Map<string, TreeNode>();
  for (const node of [...nodes].sort((a, b) => a.from - b.from)) {
    if (!node.labelled) continue;
    const key = folded(node.label, rule.fold);
    for (let up = node.parent; up && !node.sameAs; up = up.parent) {
      if (up.labelled && folded(up.label, rule.fold) === key) node.sameAs = { node: up, ancestor: true };
    }
    const first = seen.get(key);
    if (first && !node.sameAs) node.sameAs = { node: first, ancestor: false };
    if (!first) seen.set(key, node);
  }
}

// The node that a pointer leads to or into.
export function nodeAt(tree: Tree, pointer: string): TreeNode | null {
  let best: TreeNode | null = null;
  for (const node of tree.nodes) {
    const inside = pointer === node.pointer || pointer.startsWith(`${node.pointer}/`);
    if (inside && (!best || node.pointer.length > best.pointer.length)) best = node;
  }
  return best;
}

// The innermost node around a place in the text.
export function nodeAround(tree: Tree, position: number): TreeNode | null {
  let best: TreeNode | null = null;
  for (const node of tree.nodes) {
    if (node.from <= position && position <= node.to && (!best || node.from >= best.from)) best = node;
  }
  return best;
}
