// The places of a tree's nodes: the root at the left, each level a column as wide as its widest label.
import { hierarchy, tree as tidy } from "d3-hierarchy";

import type { Tree, TreeNode } from "./read_tree";

export interface Placed {
  node: TreeNode;
  level: number;
  x: number;
  y: number; // of its middle
  width: number;
}

export interface TreeLayout {
  placed: Placed[]; // by id
  width: number;
  height: number;
}

export const nodeHeight = 24;
const rowHeight = 31;
const columnGap = 28;
const margin = 12;
const widthMin = 44;
const widthMax = 150;
const characterWidth = 7;
const padding = 20;
const repeatRoom = 34;

export function widthOf(label: string): number {
  return Math.round(Math.min(Math.max(label.length * characterWidth + padding, widthMin), widthMax));
}

export function layOut(tree: Tree, faulty: (node: TreeNode) => boolean): TreeLayout {
  const root = tidy<TreeNode>()
    .nodeSize([rowHeight, 1])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.35))(hierarchy(tree.root));
  const columns: number[] = [];
  let top = Infinity;
  let bottom = -Infinity;
  const widths = new Map<TreeNode, number>();
  const repeats = tree.nodes.some((node) => node.sameAs && faulty(node));
  root.each(({ data, depth, x }) => {
    const width = widthOf(data.label) + (faulty(data) ? 18 : 0) + (data.more > 0 ? 30 : 0);
    widths.set(data, width);
    columns[depth] = Math.max(columns[depth] ?? 0, width);
    top = Math.min(top, x);
    bottom = Math.max(bottom, x);
  });
  const lefts: number[] = [];
  let left = margin;
  for (const width of columns) {
    lefts.push(left);
    left += width + columnGap;
  }
  const placed: Placed[] = [];
  root.each(({ data, depth, x }) => {
    placed[data.id] = {
      node: data,
      level: depth,
      x: lefts[depth] ?? 0,
      y: x - top + margin + nodeHeight / 2,
      width: widths.get(data) ?? widthMin,
    };
  });
  return {
    placed,
    width: left - columnGap + margin,
    height: bottom - top + nodeHeight + 2 * margin + (repeats ? repeatRoom - margin : 0),
  };
}

export function linkPath(from: Placed, to: Placed): string {
  const start = from.x + from.width;
  const middle = (start + to.x) / 2;
  return `M${start} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
}

// From a node back to the one whose label it repeats: an arc that hangs below both.
export function repeatPath(from: Placed, to: Placed): string {
  const x1 = from.x + from.width / 2;
  const x2 = to.x + to.width / 2;
  const y1 = from.y + nodeHeight / 2;
  const y2 = to.y + nodeHeight / 2;
  const low = Math.max(y1, y2) + repeatRoom;
  return `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2 + 3}`;
}
