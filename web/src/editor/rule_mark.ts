// The place in the contract that the active finding comes from.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

export const setRuleMark = StateEffect.define<{ from: number; to: number } | null>();

const ruleMark = Decoration.mark({ class: "pl-rule" });

export const ruleField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, transaction) {
    let next = now.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setRuleMark)) continue;
      const range = effect.value;
      next = range && range.from < range.to ? Decoration.set(ruleMark.range(range.from, range.to)) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});
