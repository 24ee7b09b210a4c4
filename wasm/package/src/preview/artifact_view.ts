/**
 * The artifact as lines of text with its findings marked. Text is appended as it comes; only lines that change are drawn
 * again.
 */
import { element } from "../elements/dom.js";
import type { Finding, Severity } from "../verdict.js";

/** A page is for looking at: what is beyond this is counted, and judged all the same. */
const linesMax = 2000;
const lineUnitsMax = 4000;

const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

interface Line {
  from: number;
  text: string;
  element: HTMLElement;
}

interface Mark {
  id: number;
  severity: Severity;
  from: number;
  to: number;
}

export class ArtifactView {
  readonly root: HTMLElement;
  readonly #list = element("ol", "lines");
  readonly #more = element("p", "more");
  #lines: Line[] = [];
  #units = 0;
  #unseen = 0;
  #shown = "";
  // A line end that may be the first half of CRLF.
  #return = false;
  #marks: Mark[] = [];
  #current: number | undefined;

  constructor() {
    this.root = element("div", "artifact", this.#list, this.#more);
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "Artifact");
    this.#list.dir = "ltr"; // JSON is, whatever the page is
    this.clear();
  }

  clear(): void {
    this.#lines = [];
    this.#units = 0;
    this.#unseen = 0;
    this.#shown = "";
    this.#return = false;
    this.#marks = [];
    this.#current = undefined;
    this.#list.replaceChildren();
    this.#more.hidden = true;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** The whole text. Where it goes on from what is shown, that stays as it is, and so does the reader's place. */
  show(text: string): void {
    if (!text.startsWith(this.#shown)) {
      this.clear();
    }
    this.append(text.slice(this.#shown.length));
  }

  append(text: string): void {
    // It stays at the top; a reader who has gone to the end is kept there.
    const { scrollTop, clientHeight, scrollHeight } = this.root;
    const follow = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 8;
    let from = 0;
    const breaks = /\r\n|\r|\n/g;
    if (this.#return && text.startsWith("\n")) {
      // The second half of a line end that was counted already.
      from = breaks.lastIndex = 1;
      const last = this.#lines.at(-1);
      if (last !== undefined && this.#unseen === 0) {
        ++last.from;
      }
    }
    for (let match = breaks.exec(text); match !== null; match = breaks.exec(text)) {
      this.#extend(text.slice(from, match.index), this.#units + from);
      from = match.index + match[0].length;
      this.#begin(this.#units + from);
    }
    if (from < text.length) {
      this.#extend(text.slice(from), this.#units + from);
    }
    if (text !== "") {
      this.#return = text.endsWith("\r");
    }
    this.#units += text.length;
    this.#shown += text;
    this.#more.hidden = this.#unseen === 0;
    this.#more.textContent = `and ${this.#unseen.toLocaleString("en")} more lines`;
    if (follow) {
      this.root.scrollTop = this.root.scrollHeight;
    }
  }

  /** Marks these findings and no others. */
  markOnly(findings: readonly Finding[]): void {
    const before = this.#marks;
    this.#marks = [];
    for (const { from } of before) {
      const line = this.#lineAt(from);
      if (line !== undefined) {
        this.#draw(line);
      }
    }
    findings.forEach((finding) => this.mark(finding));
  }

  /** Marks a finding, or marks it anew when its value has ended. */
  mark(finding: Finding): void {
    const { id, severity, span } = finding;
    const known = this.#marks.findIndex((one) => one.id === id);
    const mark = { id, severity, from: span.utf16From, to: Math.max(span.utf16To, span.utf16From + 1) };
    if (known < 0) {
      this.#marks.push(mark);
    } else {
      this.#marks[known] = mark;
    }
    const line = this.#lineAt(mark.from);
    if (line !== undefined) {
      this.#draw(line);
    }
  }

  /** Shows the line of a finding. */
  reveal(id: number): void {
    const mark = this.#marks.find((one) => one.id === id);
    const line = mark && this.#lineAt(mark.from);
    if (this.#current !== undefined) {
      this.#lines[this.#current]?.element.classList.remove("current");
    }
    this.#current = line === undefined ? undefined : this.#lines.indexOf(line);
    if (line !== undefined) {
      line.element.classList.add("current");
      const top = line.element.offsetTop - this.root.offsetTop;
      this.root.scrollTop = Math.max(0, top - this.root.clientHeight / 2);
    }
  }

  #begin(from: number): void {
    if (this.#lines.length >= linesMax) {
      ++this.#unseen;
      return;
    }
    const number = element("span", "number", String(this.#lines.length + 1));
    number.setAttribute("aria-hidden", "true");
    const made = element("li", "line", number, element("span", "text"));
    this.#lines.push({ from, text: "", element: made });
    this.#list.append(made);
  }

  #extend(text: string, at: number): void {
    if (this.#lines.length === 0) {
      this.#begin(at);
    }
    const line = this.#lines.at(-1);
    if (line === undefined || this.#unseen > 0 || text === "") {
      return;
    }
    line.text += text.slice(0, Math.max(0, lineUnitsMax - line.text.length));
    this.#draw(line);
  }

  #lineAt(unit: number): Line | undefined {
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#lines[middle]!.from <= unit) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return this.#lines[low];
  }

  /** The text of a line, with what begins in it marked as far as the line goes. */
  #draw(line: Line): void {
    const end = line.from + line.text.length;
    const marks = this.#marks.filter(({ from }) => from >= line.from && from <= end);
    const target = line.element.lastElementChild!;
    line.element.classList.remove("error", "warning", "info");
    if (marks.length === 0) {
      target.textContent = line.text;
      return;
    }
    marks.sort((a, b) => rank[a.severity] - rank[b.severity]);
    line.element.classList.add(marks[0]!.severity);
    const cuts = new Set([line.from, end]);
    for (const { from, to } of marks) {
      cuts.add(from).add(Math.min(to, end));
    }
    const places = [...cuts].sort((a, b) => a - b);
    target.replaceChildren();
    for (let i = 0; i + 1 < places.length; ++i) {
      const [from, to] = [places[i]!, places[i + 1]!];
      const text = line.text.slice(from - line.from, to - line.from);
      const over = marks.find((mark) => mark.from <= from && mark.to >= to);
      if (over === undefined) {
        target.append(text);
      } else {
        const made = element("mark", `mark ${over.severity}`, text);
        made.dataset.finding = String(over.id);
        target.append(made);
      }
    }
  }
}
