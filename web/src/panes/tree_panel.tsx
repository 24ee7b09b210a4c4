// The artifact drawn as a tree, where its contract says that it is one: faults marked, tied to the editor and to the
// problem list. One stop for Tab; arrow keys go about as the tree is drawn, Enter goes to the place in the text.
import { computed, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Finding } from "@plumbline/plumbline";

import { activeFinding, arrivedTo, cursorAt, goToNode, shown, tree, treeSize } from "../studio";
import { layOut, linkPath, nodeHeight, repeatPath, type Placed } from "../tree/layout";
import { nodeAround, nodeAt, type Tree, type TreeNode } from "../tree/read_tree";
import { messageOf } from "./finding_card";
import { Icon, SeverityIcon } from "./icons";
import { checking as t } from "../strings";

const faults = computed(() => {
  const byNode = new Map<TreeNode, Finding[]>();
  const now = tree.value;
  if (!now) return byNode;
  for (const finding of shown.value) {
    const node = nodeAt(now, finding.at);
    if (node) byNode.set(node, [...(byNode.get(node) ?? []), finding]);
  }
  return byNode;
});

// The node of the active problem, else the one around the cursor.
const currentNode = computed(() => {
  const now = tree.value;
  if (!now) return null;
  const active = activeFinding.value;
  return (active && nodeAt(now, active.at)) ?? nodeAround(now, cursorAt.value);
});

function neighbour(placed: readonly Placed[], from: TreeNode, key: string): TreeNode | null {
  const here = placed[from.id];
  switch (key) {
    case "ArrowLeft":
      return from.parent;
    case "ArrowRight":
      return from.children[Math.floor((from.children.length - 1) / 2)] ?? null;
    case "Home":
      return placed[0]?.node ?? null;
    case "End":
      return placed.at(-1)?.node ?? null;
    case "ArrowUp":
    case "ArrowDown": {
      if (!here) return null;
      const down = key === "ArrowDown";
      let best: Placed | null = null;
      for (const one of placed) {
        if (one.level !== here.level || (down ? one.y <= here.y : one.y >= here.y)) continue;
        if (!best || Math.abs(one.y - here.y) < Math.abs(best.y - here.y)) best = one;
      }
      return best?.node ?? null;
    }
    default:
      return null;
  }
}

const zoomMin = 0.78;

function NodeBox({ placed, current, tabStop }: { placed: Placed; current: boolean; tabStop: boolean }) {
  const { node, level, x, y, width } = placed;
  const found = faults.value.get(node) ?? [];
  const worst = found.find(({ severity }) => severity === "error") ?? found[0];
  const siblings = node.parent?.children ?? [node];
  const here = arrivedTo.value === null || node.from < arrivedTo.value;
  const words = found.map(messageOf).join("; ");
  return (
    <div
      class={`node ${worst ? `faulty sev-edge-${worst.severity}` : ""} ${current ? "current" : ""} ${
        node.labelled ? "" : "bare"
      }`}
      style={{ left: `${x}px`, top: `${y - nodeHeight / 2}px`, width: `${width}px`, height: `${nodeHeight}px` }}
      hidden={!here}
      role="treeitem"
      data-node={node.id}
      tabIndex={tabStop ? 0 : -1}
      aria-level={level + 1}
      aria-posinset={siblings.indexOf(node) + 1}
      aria-setsize={siblings.length}
      aria-selected={current}
      aria-label={t.nodeName(node.label, found.length, words, node.more)}
      title={words || (node.label.length > 20 ? node.label : undefined)}
      onClick={() => goToNode(node, worst?.id)}
    >
      {worst && <SeverityIcon severity={worst.severity} />}
      <span class="node-label">{node.label === "" ? t.emptyLabel : node.label}</span>
      {node.more > 0 && <span class="node-more">+{node.more.toLocaleString("en")}</span>}
    </div>
  );
}

function Drawing({ drawn }: { drawn: Tree }) {
  const host = useRef<HTMLDivElement>(null);
  const known = faults.value;
  const layout = useMemo(() => layOut(drawn, (node) => known.has(node)), [drawn, known]);
  const current = currentNode.value;
  useSignalEffect(() => {
    const node = currentNode.value;
    const box = node && host.current?.querySelector<HTMLElement>(`[data-node="${node.id}"]`);
    box?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  // A little smaller, where that brings all of it into view.
  const [zoom, setZoom] = useState(1);
  useLayoutEffect(() => {
    const measure = () => {
      const room = (host.current?.clientWidth ?? layout.width) / layout.width;
      setZoom(Math.min(1, Math.max(zoomMin, room)));
    };
    const watch = new ResizeObserver(measure);
    if (host.current) watch.observe(host.current);
    measure();
    return () => watch.disconnect();
  }, [layout.width]);
  const move = (event: KeyboardEvent) => {
    const box = (event.target as HTMLElement).closest<HTMLElement>("[data-node]");
    const node = box && drawn.nodes[Number(box.dataset.node)];
    if (!node) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      goToNode(node, known.get(node)?.[0]?.id);
      return;
    }
    const next = neighbour(layout.placed, node, event.key);
    if (!next) return;
    event.preventDefault();
    const target = host.current?.querySelector<HTMLElement>(`[data-node="${next.id}"]`);
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const place = (node: TreeNode) => layout.placed[node.id];
  const arrived = arrivedTo.value;
  return (
    <div class="tree-scroll" ref={host} onKeyDown={move}>
      <div
        class="tree"
        role="tree"
        aria-label={t.artifactTree}
        style={{ width: `${layout.width}px`, height: `${layout.height}px`, zoom }}
      >
        <svg width={layout.width} height={layout.height} aria-hidden="true">
          {drawn.nodes.map((node) => {
            const from = node.parent && place(node.parent);
            const to = place(node);
            if (!from || !to || (arrived !== null && node.from >= arrived)) return null;
            return <path key={node.id} class="branch" d={linkPath(from, to)} />;
          })}
          {drawn.nodes.map((node) => {
            const from = node.sameAs && place(node);
            const to = node.sameAs && place(node.sameAs.node);
            if (!from || !to || !known.has(node)) return null;
            return (
              <path
                key={node.id}
                class={`repeat ${node.sameAs?.ancestor ? "cycle" : ""}`}
                d={repeatPath(from, to)}
                marker-end="url(#repeat-end)"
              />
            );
          })}
          <defs>
            <marker
              id="repeat-end"
              viewBox="0 0 8 8"
              refX="6.5"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0.8L7 4 0 7.2z" />
            </marker>
          </defs>
        </svg>
        {layout.placed.map((placed) => (
          <NodeBox
            key={placed.node.id}
            placed={placed}
            current={placed.node === current}
            tabStop={placed.node === (current ?? drawn.root)}
          />
        ))}
      </div>
    </div>
  );
}

export function TreePanel() {
  const drawn = tree.value;
  if (!drawn) return null;
  const size = treeSize.value;
  const faulty = faults.value.size;
  return (
    <section class={`tree-panel tree-${size}`} aria-label={t.tree}>
      <div class="context-bar">
        <button
          type="button"
          class="link context-toggle"
          aria-expanded={size !== "closed"}
          onClick={() => (treeSize.value = size === "closed" ? "half" : "closed")}
        >
          <Icon name={size === "closed" ? "up" : "down"} />
          {t.tree}
        </button>
        <span class="hint">
          {t.nNodes(drawn.nodes.length + drawn.more)}, {t.nLevels(drawn.levels)}
          {faulty > 0 && t.faultyNodes(faulty)}
          {drawn.more > 0 && t.drawnNodes(drawn.nodes.length)}
        </span>
        {size !== "closed" && (
          <button
            type="button"
            class="button ghost small tree-grow"
            aria-label={size === "full" ? t.showText : t.showTree}
            title={size === "full" ? t.showText : t.showTree}
            onClick={() => (treeSize.value = size === "full" ? "half" : "full")}
          >
            <Icon name={size === "full" ? "shrink" : "grow"} />
          </button>
        )}
      </div>
      {size !== "closed" && <Drawing drawn={drawn} />}
    </section>
  );
}
