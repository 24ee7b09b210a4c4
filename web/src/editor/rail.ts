// The plumb line along the right edge of an editor: a thread with a tick level with each finding, and a bob at its end.
// While an artifact arrives as a stream the bob hangs at the last line that is there. For eyes and mouse only: the
// problem list says the same to everyone.
import { EditorView, ViewPlugin, type PluginValue, type ViewUpdate } from "@codemirror/view";
import type { Severity } from "@plumbline/plumbline";

import { markField, setActiveMark, setMarks } from "./marks";
import { arrivedField, setArrived } from "./arrival";

interface Layout {
  ticks: { y: number; severity: Severity; id: number; active: boolean }[];
  bob: number;
}

const tickHeight = 3;
const bobHeight = 20;

class Rail implements PluginValue {
  private readonly dom = document.createElement("div");
  private readonly thread = document.createElement("div");
  private readonly bob = document.createElement("div");
  private readonly ticks = document.createElement("div");
  private drawn = "";

  constructor(
    private readonly view: EditorView,
    onJump: (id: number) => void,
  ) {
    this.dom.className = "pl-rail";
    this.dom.setAttribute("aria-hidden", "true");
    this.thread.className = "pl-thread";
    this.bob.className = "pl-bob";
    this.dom.append(this.thread, this.bob, this.ticks);
    this.ticks.addEventListener("mousedown", (event) => {
      const id = (event.target as HTMLElement).dataset.tick;
      if (id === undefined) return;
      event.preventDefault();
      onJump(Number(id));
    });
    view.dom.append(this.dom);
    this.draw();
  }

  update(update: ViewUpdate): void {
    const changed = update.transactions.some((transaction) =>
      transaction.effects.some((effect) => effect.is(setMarks) || effect.is(setActiveMark) || effect.is(setArrived)),
    );
    if (changed || update.docChanged || update.geometryChanged) this.draw();
  }

  destroy(): void {
    this.dom.remove();
  }

  private draw(): void {
    this.view.requestMeasure({ key: this, read: () => this.measure(), write: (layout) => this.write(layout) });
  }

  // Level with the lines where the whole text is in view, else in proportion to its height.
  private measure(): Layout {
    const { view } = this;
    const height = Math.max(1, view.scrollDOM.clientHeight);
    const content = Math.max(1, view.contentHeight);
    const scale = content > height ? (height - bobHeight) / content : 1;
    const level = (position: number): number => {
      const block = view.lineBlockAt(Math.min(position, view.state.doc.length));
      return Math.round((view.documentPadding.top + block.top + Math.min(block.height, 20) / 2) * scale);
    };
    const { marks, activeId } = view.state.field(markField);
    const byLevel = new Map<number, Layout["ticks"][number]>();
    for (const mark of marks) {
      const y = Math.floor(level(mark.from) / tickHeight) * tickHeight;
      const active = mark.id === activeId;
      const known = byLevel.get(y);
      if (!known || active || (mark.severity === "error" && !known.active)) {
        byLevel.set(y, { y, severity: mark.severity, id: mark.id, active });
      }
    }
    const arrived = view.state.field(arrivedField).position;
    const end = level(arrived ?? view.state.doc.length);
    return { ticks: [...byLevel.values()], bob: Math.min(Math.max(end, 8), height - bobHeight) };
  }

  private write(layout: Layout): void {
    const key = JSON.stringify(layout);
    if (key === this.drawn) return;
    this.drawn = key;
    this.thread.style.height = `${layout.bob}px`;
    this.bob.style.transform = `translateY(${layout.bob}px)`;
    this.ticks.replaceChildren(
      ...layout.ticks.map(({ y, severity, id, active }) => {
        const tick = document.createElement("div");
        tick.className = `pl-tick pl-${severity}${active ? " pl-active" : ""}`;
        tick.style.transform = `translateY(${y - 6}px)`;
        tick.dataset.tick = String(id);
        return tick;
      }),
    );
  }
}

export function rail(onJump: (id: number) => void) {
  return ViewPlugin.define((view) => new Rail(view, onJump));
}
