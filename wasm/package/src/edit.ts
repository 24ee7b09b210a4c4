/**
 * `<plumb-edit contract="quiz">`: a text area that judges what is in it. What breaks the contract is underlined and listed; a problem
 * leads to its place, and offers what would mend it. No dependency, no framework.
 *
 *     <plumb-edit contract="quiz" name="quiz"></plumb-edit>
 *
 *     import "@plumbline/plumbline/edit";
 *     document.querySelector("plumb-edit").value = answer;
 *
 * docs/page.md has its attributes, properties, events, parts and custom properties.
 */
import type { Contract, Schema } from "./contract.js";
import { fixesOf, type Fix } from "./edit/fixes.js";
import { style } from "./edit/style.js";
import { differingLines, Versions, type EditVersion } from "./edit/versions.js";
import { element, flushLeft, sheetOf } from "./elements/dom.js";
import { tellForm } from "./elements/field.js";
import { Judge } from "./elements/judge.js";
import { giveNameBack, nameLandmark } from "./elements/landmark.js";
import { ProblemList, problemsMax } from "./elements/problems.js";
import { countWords, decisionWords, plural } from "./elements/words.js";
import { PlumbError } from "./error.js";
import type { CompleteFinding, Verdict } from "./verdict.js";

export type { EditVersion };
export type EditState = "empty" | "loading" | "judged" | "failed";

/** What the element dispatches; all bubble and leave shadow trees. `input` and `change` come as from any field. */
export interface EditEvents {
  "plumb-verdict": CustomEvent<Verdict>;
  /** The contract or the context was refused, or the module cannot be had. */
  "plumb-error": CustomEvent<PlumbError>;
  /** Somebody has chosen a problem. */
  "plumb-select": CustomEvent<CompleteFinding>;
  /** A fix was made, or undone. */
  "plumb-fix": CustomEvent<{ readonly title: string; readonly text: string; readonly undone: boolean }>;
}

const waitMs = 120;
/** Looking for fixes leaves the page to itself again after so long. */
const sliceMs = 12;

// Where there is no document (a server that renders pages) the module can still be imported.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

function tool(text: string, act: () => void): HTMLButtonElement {
  const made = element("button", "tool", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

export class PlumbEdit extends Base {
  static readonly formAssociated = true;
  static readonly observedAttributes = ["contract", "value", "context", "module", "required", "label", "readonly"];

  readonly #internals: ElementInternals;
  readonly #judge = new Judge(this);
  readonly #frame = element("section", "preview");
  readonly #head = element("header", "head");
  readonly #decision = element("strong", "decision");
  readonly #counts = element("span", "counts");
  readonly #title = element("span", "title");
  readonly #sides = element("div", "sides");
  readonly #old = element("pre", "old");
  readonly #oldName = element("span", "version");
  readonly #oldSide: HTMLElement;
  readonly #scroll = element("div", "scroll");
  readonly #back = element("pre", "back");
  readonly #field = element("textarea", "field");
  readonly #done = element("div", "done");
  readonly #doneText = element("span", "done-text");
  readonly #problems: ProblemList;
  readonly #choice = element("label", "choice", "Compare with");
  readonly #versions = element("select", "versions");
  readonly #note = element("p", "note");
  readonly #status = element("div", "visually-hidden");

  #given: string | Schema | undefined; // by the property
  #contextGiven: unknown;
  #wanted = 0; // counts the texts; an answer about an older one is dropped
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: EditState = "empty";
  #verdict: Verdict | null = null;
  #failure: PlumbError | undefined;
  #fixes = new Map<number, readonly Fix[]>();
  #kept = new Versions();
  #compared: EditVersion | undefined;
  #current: number | undefined;
  /** Fixes that can be undone, as long as the text is the one that they made. */
  #made: { readonly before: string; readonly after: string; readonly title: string }[] = [];
  #first: string | undefined; // what a reset goes back to

  constructor() {
    super();
    this.#internals = this.attachInternals();
    const shadow = this.attachShadow({ mode: "open", delegatesFocus: true });
    shadow.adoptedStyleSheets = [sheetOf(style)];
    this.#problems = new ProblemList((id) => {
      const finding = this.findings.find((one) => one.id === id);
      if (finding !== undefined) {
        this.select(id);
        this.#tell("plumb-select", finding);
      }
    });
    this.#head.append(this.#decision, this.#counts, this.#title);
    const field = this.#field;
    field.spellcheck = false;
    field.autocapitalize = "off";
    field.setAttribute("aria-label", "Artifact");
    field.setAttribute("autocomplete", "off");
    field.setAttribute("autocorrect", "off");
    this.#back.setAttribute("aria-hidden", "true");
    this.#scroll.append(element("div", "paper", this.#back, field));
    this.#old.tabIndex = 0;
    this.#old.setAttribute("role", "group");
    this.#old.setAttribute("aria-label", "Version");
    const back = tool("Go back to this", () => this.#compared && this.#change(this.#compared.text, "Went back", undefined));
    this.#oldSide = element("div", "side", element("div", "side-head", this.#oldName, back), element("div", "scroll", this.#old));
    const now = element("div", "side", element("div", "side-head", "Now"), this.#scroll);
    this.#sides.append(this.#oldSide, now);
    this.#done.append(this.#doneText, tool("Undo", () => this.undo()));
    this.#choice.append(this.#versions);
    this.#status.setAttribute("role", "status");
    this.#status.removeAttribute("part");
    this.#frame.append(this.#head, this.#sides, this.#done, this.#problems.root, this.#choice, this.#note, this.#status);
    shadow.append(this.#frame);

    field.addEventListener("input", () => this.#edited());
    field.addEventListener("change", () => {
      this.#kept.keep("Edited", field.value);
      this.#drawVersions(); // only these: a click that takes the focus away must find the fix that it was on
      this.dispatchEvent(new Event("change", { bubbles: true })); // it does not leave a shadow tree by itself
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "F8") {
        event.preventDefault();
        this.#selectNext(event.shiftKey ? -1 : 1);
      }
    });
    this.#versions.addEventListener("change", () => {
      const chosen = Number(this.#versions.value);
      this.compare(chosen < 0 ? undefined : chosen);
    });
    this.#draw();
  }

  connectedCallback(): void {
    this.#judge.prepare();
    const own = this.querySelector('script[type="application/schema+json"]')?.textContent;
    if (typeof own === "string" && own.trim() !== "") {
      this.#given ??= own;
    }
    const script = this.querySelector('script[type="application/json"]');
    const text = flushLeft(script?.textContent ?? (own === undefined ? this.textContent : "") ?? "");
    if (this.#first === undefined && text !== "") {
      this.value = text;
    }
    this.#draw();
    this.#checkSoon(0);
  }

  disconnectedCallback(): void {
    giveNameBack(this.#frame);
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) {
      return;
    }
    if (name === "value") {
      this.value = now ?? "";
    } else if (name === "readonly") {
      this.#field.readOnly = now !== null;
      this.#draw();
    } else if (name === "label" || name === "required") {
      this.#draw();
    } else {
      this.#checkSoon(0);
    }
  }

  get state(): EditState {
    return this.#state;
  }
  /** The verdict on the text; null while there is none. */
  get verdict(): Verdict | null {
    return this.#verdict;
  }
  get findings(): readonly CompleteFinding[] {
    return (this.#verdict?.findings ?? []).filter((one) => one.shadowedBy === undefined);
  }

  /** The text. A value that is no string is written as JSON. */
  get value(): string {
    return this.#field.value;
  }
  set value(artifact: unknown) {
    const text = typeof artifact === "string" ? artifact : (JSON.stringify(artifact, null, 2) ?? "");
    this.#first ??= text;
    this.#field.value = text;
    this.#scroll.scrollTop = 0;
    this.#made = [];
    if (text !== "") {
      this.#kept.keep("As given", this.#field.value);
    }
    this.#edited();
  }

  /** The name of a built-in contract, a schema, or its text. */
  get contract(): string | Schema | undefined {
    return this.#given ?? this.getAttribute("contract") ?? undefined;
  }
  set contract(contract: string | Schema | undefined) {
    this.#given = contract;
    this.#checkSoon(0);
  }

  /** What the contract's `context:` pointers read: JSON text or a value. */
  get context(): unknown {
    return this.#contextGiven ?? this.getAttribute("context") ?? undefined;
  }
  set context(context: unknown) {
    this.#contextGiven = context;
    this.#checkSoon(0);
  }

  /** What can be compared and gone back to: as given, before and after each fix, and what was typed. */
  get versions(): readonly EditVersion[] {
    return this.#kept.all;
  }
  /** Keeps the text as a version. */
  keep(label = "Kept"): void {
    this.#kept.keep(label, this.value);
    this.#draw();
  }
  /** Shows a version beside the text, by its place in `versions`; without one, the text alone. */
  compare(version?: number): void {
    this.#compared = version === undefined ? undefined : this.#kept.all.at(version);
    this.#draw();
    // Both at the first line that differs.
    for (const side of [this.#old, this.#back]) {
      const first = side.querySelector<HTMLElement>(".differs");
      const box = side.closest<HTMLElement>(".scroll")!;
      box.scrollTop = first === null ? 0 : Math.max(0, first.offsetTop - box.clientHeight / 3);
    }
  }

  /** What is offered for a finding; found soon after the verdict. */
  fixes(id: number): readonly Fix[] {
    return this.#fixes.get(id) ?? [];
  }
  /** Makes what is offered. */
  fix(id: number, number = 0): void {
    const fix = this.#fixes.get(id)?.[number];
    if (fix !== undefined) {
      this.#change(fix.text, fix.title, fix.select);
    }
  }
  /** Takes the last fix back, unless something was typed since. */
  undo(): void {
    const last = this.#made.at(-1);
    if (last !== undefined && last.after === this.value) {
      this.#put(last.before);
      this.#made.pop();
      this.#edited();
      this.#tell("plumb-fix", { title: last.title, text: last.before, undone: true });
    }
  }

  /** Goes to the place of a finding, which is selected there. */
  select(id: number): void {
    const finding = this.findings.find((one) => one.id === id);
    if (finding === undefined) {
      return;
    }
    const { utf16From, utf16To } = finding.span;
    this.#current = id;
    this.#drawBack();
    this.#problems.select(id);
    this.#field.focus({ preventScroll: true });
    this.#field.setSelectionRange(utf16From, Math.max(utf16To, utf16From));
    const mark = this.#back.querySelector<HTMLElement>(`[data-finding="${id}"]`);
    if (mark !== null) {
      this.#scroll.scrollTop = Math.max(0, mark.offsetTop - this.#scroll.clientHeight / 3);
    }
  }

  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }
  get validity(): ValidityState {
    return this.#internals.validity;
  }
  get validationMessage(): string {
    return this.#internals.validationMessage;
  }
  checkValidity(): boolean {
    return this.#internals.checkValidity();
  }
  reportValidity(): boolean {
    return this.#internals.reportValidity();
  }
  formResetCallback(): void {
    this.value = this.#first ?? "";
  }

  // --- The text -----------------------------------------------------------------------------------------------------

  #edited(): void {
    ++this.#wanted;
    this.#verdict = null;
    this.#failure = undefined;
    this.#fixes.clear();
    this.#current = undefined;
    this.#state = this.value.trim() === "" ? "empty" : "loading";
    this.#drawBack();
    tellForm(this.#internals, this.#fieldState);
    this.#checkSoon(waitMs);
  }

  #change(text: string, title: string, select: Fix["select"]): void {
    const before = this.value;
    this.#kept.keep("Edited", before);
    this.#put(text);
    this.#made.push({ before, after: this.value, title });
    this.#kept.keep(title, this.value);
    if (select !== undefined) {
      this.#field.focus();
      this.#field.setSelectionRange(...select);
    }
    this.#edited();
    this.#tell("plumb-fix", { title, text, undone: false });
  }

  /** Puts a text in place of the other as somebody would type it, so that the browser can undo it too. */
  #put(text: string): void {
    const now = this.value;
    let from = 0;
    while (from < now.length && from < text.length && now[from] === text[from]) {
      ++from;
    }
    let tail = 0;
    while (tail < now.length - from && tail < text.length - from && now.at(-1 - tail) === text.at(-1 - tail)) {
      ++tail;
    }
    const piece = text.slice(from, text.length - tail);
    const field = this.#field;
    field.focus({ preventScroll: true });
    field.setSelectionRange(from, now.length - tail);
    const typed = !field.readOnly && document.execCommand(piece === "" ? "delete" : "insertText", false, piece);
    if (!typed || this.value !== text) {
      field.value = text;
      this.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    }
  }

  #checkSoon(wait: number): void {
    clearTimeout(this.#timer);
    if (this.isConnected) {
      this.#timer = setTimeout(() => void this.#check(), wait);
    }
  }

  async #check(): Promise<void> {
    const mine = ++this.#wanted;
    this.#failure = undefined;
    this.#fixes.clear();
    if (this.value.trim() === "") {
      this.#state = "empty";
      this.#verdict = null;
      this.#draw();
      return;
    }
    try {
      const contract = await this.#judge.read();
      if (mine !== this.#wanted) {
        return;
      }
      const verdict = contract.check(this.value, this.#judge.options());
      this.#verdict = verdict;
      this.#state = "judged";
      this.#draw();
      this.#tell("plumb-verdict", verdict);
      void this.#findFixes(contract, verdict, mine);
    } catch (error) {
      if (mine === this.#wanted) {
        this.#failure = this.#judge.failure(error);
        this.#verdict = null;
        this.#state = "failed";
        this.#draw();
        this.#tell("plumb-error", this.#failure);
      }
    }
  }

  async #findFixes(contract: Contract, verdict: Verdict, mine: number): Promise<void> {
    if (this.#field.readOnly) {
      return;
    }
    let since = performance.now();
    for (const [id, fixes] of fixesOf(contract, this.#judge.options(), this.value, verdict)) {
      if (mine !== this.#wanted) {
        return;
      }
      this.#fixes.set(id, fixes);
      this.#offer(id, fixes);
      if (performance.now() - since > sliceMs) {
        await new Promise((done) => setTimeout(done));
        since = performance.now();
      }
    }
  }

  // --- What is seen of it ----------------------------------------------------------------------------------------------

  #tell<Name extends keyof EditEvents>(name: Name, detail: EditEvents[Name]["detail"]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  get #fieldState(): Parameters<typeof tellForm>[1] {
    return {
      state: this.#state,
      text: this.value,
      verdict: this.#verdict,
      findings: this.findings,
      failure: this.#failure?.message,
      required: this.hasAttribute("required"),
      anchor: this.#field,
    };
  }

  #selectNext(step: number): void {
    const { findings } = this;
    const at = this.#field.selectionStart;
    const places = [...findings].sort((a, b) => a.span.utf16From - b.span.utf16From);
    const known = places.findIndex(({ id }) => id === this.#current);
    const before = places.filter(({ span }) => span.utf16From < at).length;
    const near = step > 0 ? before % Math.max(1, places.length) : before - 1;
    const next = places[known >= 0 ? (known + step + places.length) % places.length : Math.max(0, near)];
    if (next !== undefined) {
      this.select(next.id);
    }
  }

  #offer(id: number, fixes: readonly Fix[]): void {
    const item = this.#problems.itemOf(id);
    item?.querySelector(".fixes")?.remove();
    if (item !== undefined && fixes.length > 0) {
      const list = element("div", "fixes", ...fixes.map((fix) => tool(fix.title, () => this.#change(fix.text, fix.title, fix.select))));
      list.dir = "auto";
      item.append(list);
    }
  }

  /** Under the text: the same text, unseen, with its lines under what is wrong. */
  #drawBack(): void {
    const text = this.value;
    const differs = this.#compared === undefined ? undefined : differingLines(this.#compared.text, text);
    paint(this.#back, text, differs?.after, this.findings.slice(0, problemsMax), this.#current);
    if (this.#compared !== undefined) {
      paint(this.#old, this.#compared.text, differs!.before, [], undefined);
    }
  }

  #draw(): void {
    const { findings } = this;
    const verdict = this.#verdict;
    let title = { empty: "Nothing yet", loading: "Checking", judged: "", failed: "Not checked" }[this.#state];
    let tone = this.#state === "failed" ? "error" : "";
    if (verdict !== null) {
      ({ title, tone } = decisionWords(verdict));
    }
    const counts = verdict === null ? "" : countWords(findings) || "no problems";
    this.#head.className = `head ${tone === "" ? "" : `tone-${tone}`}`;
    this.#decision.textContent = title;
    this.#counts.textContent = counts;
    this.#title.textContent = this.#judge.title;
    if (this.isConnected) {
      nameLandmark(this.#frame, (this.getAttribute("label") ?? this.#judge.title) || "Artifact");
      this.#field.setAttribute("aria-label", this.#frame.getAttribute("aria-label")!);
    }
    this.#field.setAttribute("aria-invalid", String(verdict !== null && !verdict.valid));
    this.#drawBack();
    this.#problems.show(findings);
    this.#problems.root.hidden = findings.length === 0;
    findings.forEach(({ id }) => this.#offer(id, this.#fixes.get(id) ?? []));
    const last = this.#made.at(-1);
    this.#done.hidden = last === undefined || last.after !== this.value;
    this.#doneText.textContent = last?.title ?? "";
    this.#drawVersions();
    const more = findings.length - problemsMax;
    this.#note.textContent = this.#failure?.message ?? (more > 0 ? `and ${plural(more, "problem")} more` : "");
    this.#note.hidden = this.#note.textContent === "";
    if (this.#state !== "loading") {
      const said = this.#failure?.message ?? (verdict === null ? "" : `${title}: ${counts}`);
      if (this.#status.textContent !== said) {
        this.#status.textContent = said;
      }
    }
    tellForm(this.#internals, this.#fieldState);
  }

  #drawVersions(): void {
    const all = this.#kept.all;
    const chosen = this.#compared === undefined ? -1 : all.indexOf(this.#compared);
    const names = ["no version", ...all.map(({ label }, i) => `${i + 1}. ${label}`)];
    if (this.#versions.dataset.names !== names.join("\n")) {
      this.#versions.replaceChildren(...names.map((name, i) => new Option(name, String(i - 1))));
      this.#versions.dataset.names = names.join("\n");
    }
    this.#versions.value = String(chosen);
    this.#choice.hidden = all.length < 2 && this.#compared === undefined;
    this.#oldSide.hidden = this.#compared === undefined;
    this.#oldName.textContent = this.#compared?.label ?? "";
    this.#sides.classList.toggle("two", this.#compared !== undefined);
  }
}

/** A text in its pieces: those that a finding is about, and lines that another version has not. */
function paint(
  target: HTMLElement,
  text: string,
  lines: ReadonlySet<number> | undefined,
  findings: readonly CompleteFinding[],
  current: number | undefined,
): void {
  const ranges: { from: number; to: number }[] = [];
  if (lines !== undefined && lines.size > 0) {
    let from = 0;
    text.split("\n").forEach((line, i) => {
      if (lines.has(i)) {
        ranges.push({ from, to: from + line.length });
      }
      from += line.length + 1;
    });
  }
  const marks = findings.map(({ id, severity, span: { utf16From: from, utf16To: to } }) => ({ id, severity, from, to: Math.max(to, from + 1) }));
  const cuts = new Set([0, text.length]);
  for (const { from, to } of [...ranges, ...marks]) {
    cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
  }
  const places = [...cuts].sort((a, b) => a - b);
  const pieces: (Node | string)[] = [];
  let next = 0; // ranges come in order
  for (let i = 0; i + 1 < places.length; ++i) {
    const [from, to] = [places[i]!, places[i + 1]!];
    const piece = text.slice(from, to);
    while (next < ranges.length && ranges[next]!.to <= from) {
      ++next;
    }
    const differs = ranges[next] !== undefined && ranges[next]!.from <= from;
    // Of several the shortest, which says most exactly what is wrong.
    const over = marks.filter((mark) => mark.from <= from && mark.to >= to).sort((a, b) => a.to - a.from - (b.to - b.from))[0];
    if (over !== undefined) {
      const made = element("mark", `mark ${over.severity}`);
      // What lines begin with is not underlined.
      made.append(...(piece.includes("\n") ? piece.split(/(\n[ \t]*)/).map((part) => (part.startsWith("\n") ? part : element("u", "", part))) : [piece]));
      made.dataset.finding = String(over.id);
      made.classList.toggle("current-mark", over.id === current);
      made.classList.toggle("differs", differs);
      pieces.push(made);
    } else if (differs) {
      pieces.push(element("span", "differs", piece));
    } else {
      pieces.push(piece);
    }
  }
  target.replaceChildren(...pieces, "\u200b"); // a last line that is empty has its height
}

export interface PlumbEdit {
  addEventListener<Name extends keyof EditEvents>(
    type: Name,
    listener: (this: PlumbEdit, event: EditEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "plumb-edit": PlumbEdit;
  }
}

if (globalThis.customElements !== undefined && customElements.get("plumb-edit") === undefined) {
  customElements.define("plumb-edit", PlumbEdit);
}
