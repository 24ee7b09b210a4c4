// How much of the text has arrived, while it is played as a stream: what is still to come is not seen. And where the
// stream would have been stopped: what would never have been written is tinted.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

export const setArrived = StateEffect.define<number | null>();
export const setStop = StateEffect.define<number | null>();

class Point extends WidgetType {
  constructor(private readonly name: string) {
    super();
  }
  override eq(other: Point): boolean {
    return other.name === this.name;
  }
  override toDOM(): HTMLElement {
    const point = document.createElement("span");
    point.className = this.name;
    return point;
  }
}

interface Arrived {
  position: number | null;
  stop: number | null;
  decorations: DecorationSet;
}

function build(position: number | null, stop: number | null, length: number): Arrived {
  const ranges = [];
  const at = position === null ? null : Math.min(position, length);
  if (at !== null) {
    ranges.push(Decoration.widget({ widget: new Point("pl-arrival"), side: -1 }).range(at));
    if (at < length) ranges.push(Decoration.mark({ class: "pl-unread" }).range(at, length));
  }
  if (stop !== null && stop <= length) {
    ranges.push(Decoration.widget({ widget: new Point("pl-stop"), side: 1 }).range(stop));
    const end = at ?? length;
    if (stop < end) ranges.push(Decoration.mark({ class: "pl-spared" }).range(stop, end));
  }
  return { position: at, stop, decorations: Decoration.set(ranges, true) };
}

export const arrivedField = StateField.define<Arrived>({
  create: (state) => build(null, null, state.doc.length),
  update(now, transaction) {
    const { length } = transaction.newDoc;
    // A text that has been changed was not the one that was stopped.
    let next = transaction.docChanged ? build(now.position, null, length) : now;
    for (const effect of transaction.effects) {
      if (effect.is(setArrived)) next = build(effect.value, next.stop, length);
      if (effect.is(setStop)) next = build(next.position, effect.value, length);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field, (now) => now.decorations),
});
