// Findings in an editor: squiggles at their exact ranges, coloured line numbers, and look-ups by place and by id. Marks
// move with the text while it is edited, until the next verdict replaces them.
import { StateEffect, StateField, RangeSetBuilder, type ChangeDesc, type Text } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  GutterMarker,
  WidgetType,
  gutterLineClass,
  type DecorationSet,
} from "@codemirror/view";
import type { Range, RangeSet } from "@codemirror/state";
import type { Severity } from "@plumbline/plumbline";

export interface Mark {
  id: number;
  from: number;
  to: number;
  severity: Severity;
}

interface Marks {
  marks: readonly Mark[]; // in document order
  activeId: number | null;
  decorations: DecorationSet;
  lines: RangeSet<GutterMarker>;
}

export const setMarks = StateEffect.define<Mark[]>();
export const setActiveMark = StateEffect.define<number | null>();

const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

// A place without any text: the end of the document, an empty line.
class PointWidget extends WidgetType {
  constructor(private readonly mark: Mark) {
    super();
  }
  override eq(other: PointWidget): boolean {
    return other.mark.id === this.mark.id && other.mark.severity === this.mark.severity;
  }
  override toDOM(): HTMLElement {
    const point = document.createElement("span");
    point.className = `pl-point pl-${this.mark.severity}`;
    point.dataset.finding = String(this.mark.id);
    return point;
  }
}

class LineMarker extends GutterMarker {
  override elementClass: string;
  constructor(private readonly severity: Severity) {
    super();
    this.elementClass = `pl-line pl-${severity}`;
  }
  override eq(other: LineMarker): boolean {
    return other.severity === this.severity;
  }
}

const lineMarkers: Record<Severity, LineMarker> = {
  error: new LineMarker("error"),
  warning: new LineMarker("warning"),
  info: new LineMarker("info"),
};

// A value of more lines than this is tinted in part; nobody sees its end together with its beginning.
const activeLinesMax = 2000;

function decorate(doc: Text, marks: readonly Mark[], activeId: number | null): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const mark of marks) {
    if (mark.from === mark.to) {
      ranges.push(Decoration.widget({ widget: new PointWidget(mark), side: 1 }).range(mark.from));
      continue;
    }
    const active = mark.id === activeId ? " pl-active" : "";
    const attributes = { "data-finding": String(mark.id) };
    const first = doc.lineAt(mark.from);
    const wide = mark.to > first.to;
    const shape = wide ? "pl-wide" : "pl-squiggle";
    ranges.push(
      Decoration.mark({ class: `pl-mark ${shape} pl-${mark.severity}${active}`, attributes }).range(mark.from, mark.to),
    );
    if (!wide) continue;
    if (mark.id === activeId) {
      const tint = Decoration.line({ class: `pl-active-line pl-${mark.severity}` });
      const until = Math.min(doc.lineAt(mark.to).number, first.number + activeLinesMax);
      for (let number = first.number; number <= until; ++number) ranges.push(tint.range(doc.line(number).from));
    }
    // A squiggle under many lines would hide them: a value of several lines gets one under its two ends.
    const last = doc.lineAt(mark.to);
    const lastFrom = Math.max(last.from + (/^\s*/.exec(last.text)?.[0].length ?? 0), last.from);
    const end = Decoration.mark({ class: `pl-squiggle pl-${mark.severity}` });
    if (first.to > mark.from) ranges.push(end.range(mark.from, first.to));
    if (mark.to > lastFrom) ranges.push(end.range(lastFrom, mark.to));
  }
  return Decoration.set(ranges, true);
}

function markLines(doc: Text, marks: readonly Mark[]): RangeSet<GutterMarker> {
  const worst = new Map<number, Severity>();
  for (const mark of marks) {
    const line = doc.lineAt(mark.from).from;
    const known = worst.get(line);
    if (known === undefined || rank[mark.severity] < rank[known]) worst.set(line, mark.severity);
  }
  const builder = new RangeSetBuilder<GutterMarker>();
  for (const [from, severity] of [...worst].sort((a, b) => a[0] - b[0])) builder.add(from, from, lineMarkers[severity]);
  return builder.finish();
}

function build(doc: Text, given: readonly Mark[], activeId: number | null): Marks {
  const marks = [...given].sort((a, b) => a.from - b.from || b.to - a.to || a.id - b.id);
  return { marks, activeId, decorations: decorate(doc, marks, activeId), lines: markLines(doc, marks) };
}

function moved(now: Marks, changes: ChangeDesc): Marks {
  return {
    ...now,
    marks: now.marks.map((mark) => {
      const from = changes.mapPos(mark.from, 1);
      return { ...mark, from, to: Math.max(from, changes.mapPos(mark.to, -1)) };
    }),
    decorations: now.decorations.map(changes),
    lines: now.lines.map(changes),
  };
}

export const markField = StateField.define<Marks>({
  create: (state) => build(state.doc, [], null),
  update(now, transaction) {
    let next = transaction.docChanged ? moved(now, transaction.changes) : now;
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) next = build(transaction.newDoc, effect.value, next.activeId);
      if (effect.is(setActiveMark) && effect.value !== next.activeId) {
        next = { ...next, activeId: effect.value, decorations: decorate(transaction.newDoc, next.marks, effect.value) };
      }
    }
    return next;
  },
  provide: (field) => [
    EditorView.decorations.from(field, (now) => now.decorations),
    gutterLineClass.from(field, (now) => now.lines),
  ],
});

// The marks that hold a position, the smallest first: what is most likely meant.
export function marksAt(marks: readonly Mark[], position: number): Mark[] {
  return marks
    .filter((mark) => mark.from <= position && position <= mark.to)
    .sort((a, b) => a.to - a.from - (b.to - b.from) || a.id - b.id);
}
