// A CodeMirror editor for one JSON text. It knows places and marks, and nothing of checks.
//
// Positions. Findings count UTF-16 units of the text as it was checked; a document counts a line end as one. A text
// whose lines all end in CRLF keeps them (text() gives them back), and places are moved by one a line; a text with
// mixed line ends is changed to LF.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { jsonLanguage } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, StateEffect, Text, type Extension } from "@codemirror/state";
import {
  EditorView,
  closeHoverTooltips,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { Finding } from "@plumbline/plumbline";

import type { Refusal } from "../messages";
import { arrivedField, setArrived, setStop } from "./arrival";
import { markField, marksAt, setActiveMark, setMarks, type Mark } from "./marks";
import { findPointer, type Place } from "./pointer";
import { rail } from "./rail";
import { ruleField, setRuleMark } from "./rule_mark";

export interface EditorOptions {
  label: string;
  readOnly?: boolean;
  onChange: (doc: Text, byHand: boolean) => void;
  // The ids of the marks at the cursor, the innermost first, whenever it was moved by hand.
  onCursor?: (ids: number[], position: number) => void;
  // Fills a card about the marks under the mouse; returns what to call when it goes.
  showCard?: (ids: number[], into: HTMLElement) => () => void;
  onJump?: (id: number) => void;
  onFocus?: () => void;
}

// A contract or context that was refused has one mark of its own.
export const refusalId = 0;

const followedColumns = 240;
// In a line longer than this a letter is put into the text at once: read back from the page, as the editor does otherwise,
// the whole line would be compared for each.
const longLineUnits = 50_000;

function typeIntoLongLine(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  const { main, ranges } = state.selection;
  if (event.inputType !== "insertText" || !event.data || event.isComposing || view.composing || ranges.length > 1) return false;
  if (state.readOnly || state.doc.lineAt(main.head).length < longLineUnits) return false;
  event.preventDefault();
  view.dispatch(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

const setByPage = Annotation.define<boolean>();

export class JsonEditor {
  readonly view: EditorView;
  private readonly readOnly = new Compartment();
  private readonly lineEnds = new Compartment();
  private readonly wrap = new Compartment();
  private crlf = false;

  constructor(parent: HTMLElement, options: EditorOptions) {
    const { onCursor, showCard, onJump } = options;
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          highlightSpecialChars(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of("  "),
          bracketMatching(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          jsonLanguage,
          syntaxHighlighting(classHighlighter),
          search({ top: true }),
          keymap.of([{ key: "Escape", run: closeCards }, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
          EditorView.domEventHandlers({ beforeinput: typeIntoLongLine }),
          EditorView.contentAttributes.of({ "aria-label": options.label, spellcheck: "false", tabindex: "0" }),
          this.readOnly.of(readOnlyIs(options.readOnly ?? false)),
          this.lineEnds.of([]),
          this.wrap.of([]),
          markField,
          arrivedField,
          ruleField,
          ...(onJump ? [rail(onJump)] : []),
          ...(showCard ? [hoverCard(showCard)] : []),
          EditorView.updateListener.of((update) => {
            const byPage = update.transactions.some((transaction) => transaction.annotation(setByPage));
            if (update.focusChanged && update.view.hasFocus) options.onFocus?.();
            if (update.docChanged) options.onChange(update.state.doc, !byPage);
            if (onCursor && !byPage && (update.selectionSet || update.docChanged)) {
              onCursor(this.idsAtCursor(), update.state.selection.main.head);
            }
          }),
        ],
      }),
    });
  }

  // Something more that the editor can do.
  extend(extension: Extension): void {
    this.view.dispatch({ effects: StateEffect.appendConfig.of(extension) });
  }

  text(): string {
    return this.view.state.sliceDoc();
  }

  isBlank(): boolean {
    const { doc } = this.view.state;
    return doc.length < 4096 && doc.toString().trim() === "";
  }

  // Replaces the whole text, with the cursor at its start. Says so when the line ends had to be changed.
  setText(text: string): "kept line ends" | "changed line ends" {
    const returns = text.includes("\r");
    this.crlf = returns && !/\r(?!\n)|(?:^|[^\r])\n/.test(text);
    const mixed = returns && !this.crlf;
    const { view } = this;
    // Not state.toText(): that splits at the line ends of the text before this one.
    const insert = Text.of(text.split(/\r\n?|\n/));
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert },
      selection: { anchor: 0 },
      effects: [
        this.lineEnds.reconfigure(this.crlf ? EditorState.lineSeparator.of("\r\n") : []),
        setMarks.of([]),
        EditorView.scrollIntoView(0),
      ],
      annotations: setByPage.of(true),
    });
    return mixed ? "changed line ends" : "kept line ends";
  }

  // Changes parts of the text, as somebody at the keyboard would; places are UTF-16 units of text().
  change(changes: readonly { from: number; to: number; text: string }[]): void {
    this.view.dispatch({
      changes: changes.map(({ from, to, text }) => ({
        from: this.arrivedPlace(from),
        to: this.arrivedPlace(to),
        insert: Text.of(text.split(/\r\n?|\n/)),
      })),
      userEvent: "input.fix",
    });
  }

  setReadOnly(readOnly: boolean): void {
    this.view.dispatch({ effects: this.readOnly.reconfigure(readOnlyIs(readOnly)) });
  }

  setWrap(wrapped: boolean): void {
    this.view.dispatch({ effects: this.wrap.reconfigure(wrapped ? EditorView.lineWrapping : []) });
  }

  setMarks(findings: readonly Pick<Finding, "id" | "severity" | "span">[]): void {
    const marks = findings.map(({ id, severity, span }) => {
      const from = this.place(span.utf16From, span.line);
      const to = Math.max(from, this.place(span.utf16To, span.lineTo));
      return this.visible({ id, severity, from, to });
    });
    this.view.dispatch({ effects: setMarks.of(marks) });
  }

  setRefusal(refusal: Refusal | null): void {
    const marks: Mark[] = [];
    if (refusal) {
      const place = this.placeOfRefusal(refusal);
      if (place) marks.push(this.visible({ id: refusalId, severity: "error", ...place }));
    }
    this.view.dispatch({ effects: setMarks.of(marks) });
  }

  setActive(id: number | null): void {
    if (this.view.state.field(markField).activeId !== id) this.view.dispatch({ effects: setActiveMark.of(id) });
  }

  // The marks at the cursor, the innermost first. A mark over half of the text or more is meant on its first and last
  // line only: else every click would be in it.
  idsAtCursor(): number[] {
    const { doc, selection } = this.view.state;
    const { head } = selection.main;
    const line = doc.lineAt(head).number;
    return marksAt(this.view.state.field(markField).marks, head)
      .filter(({ from, to }) => {
        const first = doc.lineAt(from).number;
        const last = doc.lineAt(to).number;
        return line === first || line === last || (last - first) * 2 < doc.lines;
      })
      .map((mark) => mark.id);
  }

  // How much has arrived, and its place in the document; null ends the play.
  setArrived(utf16: number | null): number | null {
    if (utf16 === null) {
      this.view.dispatch({ effects: setArrived.of(null) });
      return null;
    }
    const position = this.arrivedPlace(utf16);
    // Downwards with the text; sideways only where a line goes on and on.
    const line = this.view.state.doc.lineAt(position);
    const seen = line.length > followedColumns ? position : line.from;
    this.view.dispatch({
      effects: [setArrived.of(position), EditorView.scrollIntoView(seen, { y: "nearest", yMargin: 80 })],
      annotations: setByPage.of(true),
    });
    return position;
  }

  // Where the stream would have been stopped; null takes the mark away.
  setStop(utf16: number | null): void {
    const position = utf16 === null ? null : this.arrivedPlace(utf16);
    if (this.view.state.field(arrivedField).stop === position) return;
    this.view.dispatch({ effects: setStop.of(position), annotations: setByPage.of(true) });
  }

  jumpToMark(id: number): void {
    const mark = this.view.state.field(markField).marks.find((one) => one.id === id);
    if (!mark) return;
    this.select(mark.from, mark.from);
    this.setActive(id);
  }

  jumpToPosition(position: number): void {
    const at = Math.min(position, this.view.state.doc.length);
    this.select(at, at);
  }

  // As jumpToPosition, with a place in UTF-16 units of text().
  jumpToPlace(utf16: number): void {
    this.jumpToPosition(this.arrivedPlace(utf16));
  }

  jumpToRefusal(): void {
    this.jumpToMark(refusalId);
  }

  jumpToPointer(pointer: string): void {
    const place = findPointer(this.view.state, pointer);
    if (place) this.select(place.name.from, place.name.to);
  }

  // Marks what the pointer names and brings it into view; null takes the mark away. Somebody who is at work here is not
  // disturbed.
  showRule(pointer: string | null): void {
    const place = pointer === null ? null : findPointer(this.view.state, pointer);
    const effects: StateEffect<unknown>[] = [setRuleMark.of(place && firstLine(this.view.state.doc, place))];
    if (place && !this.view.hasFocus) {
      effects.push(EditorView.scrollIntoView(place.name.to, { y: "center", x: "nearest", xMargin: 32 }));
    }
    this.view.dispatch({ effects, annotations: setByPage.of(true) });
  }

  // The id of the next or previous mark in the order of the text, from the given one or else from the cursor, around
  // both ends.
  neighbour(id: number | null, step: 1 | -1): number | undefined {
    const { marks } = this.view.state.field(markField);
    const at = marks.findIndex((mark) => mark.id === id);
    if (at >= 0) return marks[(at + step + marks.length) % marks.length]?.id;
    const head = this.view.state.selection.main.head;
    const next = step === 1 ? marks.find((mark) => mark.from >= head) : marks.findLast((mark) => mark.from <= head);
    return (next ?? marks.at(step === 1 ? 0 : -1))?.id;
  }

  hasFocus(): boolean {
    return this.view.hasFocus;
  }

  focus(): void {
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }

  private select(anchor: number, head: number): void {
    this.view.dispatch({
      selection: { anchor, head },
      effects: EditorView.scrollIntoView(anchor, { y: "center", x: "nearest", xMargin: 40 }),
      annotations: setByPage.of(true),
    });
    // On a touch screen focus would open the keyboard over what is to be seen.
    if (!matchMedia("(pointer: coarse)").matches) this.view.focus();
  }

  private place(utf16: number, line: number): number {
    const position = this.crlf ? utf16 - (line - 1) : utf16;
    return Math.min(Math.max(0, position), this.view.state.doc.length);
  }

  private arrivedPlace(utf16: number): number {
    const { doc } = this.view.state;
    if (!this.crlf) return Math.min(utf16, doc.length);
    let low = 1;
    let high = doc.lines;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (doc.line(middle).from + middle - 1 <= utf16) low = middle;
      else high = middle - 1;
    }
    const line = doc.line(low);
    return Math.min(utf16 - (low - 1), line.to);
  }

  // An empty place takes in the character before or after it, where there is one on its line.
  private visible(mark: Mark): Mark {
    if (mark.to > mark.from) return mark;
    const line = this.view.state.doc.lineAt(mark.from);
    if (mark.from < line.to) return { ...mark, to: mark.from + 1 };
    if (mark.from > line.from) return { ...mark, from: mark.from - 1 };
    return mark;
  }

  // The word at the line and column; where there is none, what the pointer names.
  private placeOfRefusal(refusal: Refusal): { from: number; to: number } | null {
    const { doc } = this.view.state;
    if (refusal.line >= 1 && refusal.line <= doc.lines) {
      const line = doc.line(refusal.line);
      const from = Math.min(line.from + Math.max(0, refusal.column - 1), line.to);
      const word = /^(?:"(?:[^"\\]|\\.)*"?|[-+.\w]+|\S)/.exec(doc.sliceString(from, line.to));
      return { from, to: from + (word?.[0].length ?? 0) };
    }
    return findPointer(this.view.state, refusal.at)?.name ?? null;
  }
}

// A member whose value goes over many lines is marked by its name only.
function firstLine(doc: Text, { name, whole }: Place): { from: number; to: number } {
  return whole.to <= doc.lineAt(whole.from).to ? whole : name;
}

function readOnlyIs(readOnly: boolean) {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.editorAttributes.of({ class: readOnly ? "pl-editor pl-read-only" : "pl-editor" }),
    EditorView.contentAttributes.of({ "aria-readonly": String(readOnly) }),
  ];
}

function closeCards(view: EditorView): boolean {
  if (!view.dom.ownerDocument.querySelector(".pl-hover")) return false;
  view.dispatch({ effects: closeHoverTooltips });
  return true;
}

const cardsMax = 4;

function hoverCard(showCard: NonNullable<EditorOptions["showCard"]>) {
  return hoverTooltip(
    (view, position) => {
      const at = marksAt(view.state.field(markField).marks, position);
      const innermost = at[0];
      if (!innermost) return null;
      // A value of many lines is marked as a whole; its card would follow the mouse everywhere. Only its first and last
      // line show it, unless it is the active one.
      const { activeId } = view.state.field(markField);
      const line = view.state.doc.lineAt(position);
      const near = at.filter(
        (mark) => mark.id === activeId || (mark.from >= line.from && mark.from <= line.to) || mark.to <= line.to,
      );
      if (near.length === 0) return null;
      const from = Math.max(line.from, Math.max(...near.map((mark) => mark.from)));
      return {
        pos: Math.min(from, position),
        end: Math.max(position, Math.min(line.to, Math.min(...near.map((mark) => mark.to)))),
        above: true,
        create: () => {
          const dom = document.createElement("div");
          dom.className = "pl-hover";
          const destroy = showCard(
            near.slice(0, cardsMax).map((mark) => mark.id),
            dom,
          );
          return { dom, destroy };
        },
      };
    },
    { hoverTime: 220 },
  );
}
