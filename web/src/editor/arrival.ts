// How much of the text has arrived, while it is played as a stream: what is still to come is dimmed.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

export const setArrived = StateEffect.define<number | null>();

class Cursor extends WidgetType {
  override eq(): boolean {
    return true;
  }
  override toDOM(): HTMLElement {
    const cursor = document.createElement("span");
    cursor.className = "pl-arrival";
    return cursor;
  }
}

interface Arrived {
  position: number | null;
  decorations: DecorationSet;
}

function build(position: number | null, length: number): Arrived {
  if (position === null) return { position, decorations: Decoration.none };
  const at = Math.min(position, length);
  const ranges = [Decoration.widget({ widget: new Cursor(), side: -1 }).range(at)];
  if (at < length) ranges.push(Decoration.mark({ class: "pl-unread" }).range(at, length));
  return { position: at, decorations: Decoration.set(ranges, true) };
}

export const arrivedField = StateField.define<Arrived>({
  create: (state) => build(null, state.doc.length),
  update(now, transaction) {
    let next = transaction.docChanged ? build(now.position, transaction.newDoc.length) : now;
    for (const effect of transaction.effects) {
      if (effect.is(setArrived)) next = build(effect.value, transaction.newDoc.length);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field, (now) => now.decorations),
});
