/**
 * `<plumb-intake>`: an objective and its success criteria, with the scorecard that Intake holds them against, filled in
 * while they are typed; the one question that it would ask instead of starting; and the tool call that follows.
 *
 *     <plumb-intake objective="Explore electric cars."></plumb-intake>
 *
 *     import "@plumbline/plumbline/intake";
 *     const intake = document.querySelector("plumb-intake");
 *     intake.addEventListener("plumb-verdict", () => console.log(intake.verdict.decision, intake.toolCall));
 *
 * With `intake.fulfil = plumb.viaProxy(url, { model, token })` a model writes the form, or judges what the rules leave open;
 * what the call will cost is shown before it is made.
 *
 * No dependency, no framework. docs/roles.md has its attributes, properties, events and parts.
 */
import type { Contract } from "./contract.js";
import { PlumbError } from "./error.js";
import { load } from "./index.js";
import type { Asker, Came, IntakeCost, JudgedRule } from "./intake/asker.js";
import { intakeStyle } from "./intake/style.js";
import type { Plumb } from "./plumb.js";
import type { Clarification } from "./roles.js";
import type { RunOptions } from "./run.js";
import type { ScorecardLine, Verdict } from "./verdict.js";

/** A tool call of Intake. */
export type IntakeCall =
  | { tool: "startResearch"; arguments: { objective: string; successCriteria: string[] } }
  | Clarification;

/** What the element dispatches; all bubble and leave shadow trees. */
export interface IntakeEvents {
  "plumb-verdict": CustomEvent<Verdict>;
  /** What came of a call of the model. */
  "plumb-reply": CustomEvent<IntakeReply>;
  "plumb-error": CustomEvent<PlumbError>;
}

export type { IntakeCost, JudgedRule } from "./intake/asker.js";

/** What a model has answered: a call of a tool, or what it judged; and what that took. */
export type IntakeReply = Came;

const criteriaMax = 4;
const waitMs = 80;
const signs = { holds: "✓", broken: "✗", undecided: "?" } as const;
const outcomes = { holds: "Pass", broken: "Fail", undecided: "Open" } as const;

let sheet: CSSStyleSheet | undefined;
const modules = new Map<string, Promise<{ plumb: Plumb; contract: Contract }>>();

function moduleAt(address: string): Promise<{ plumb: Plumb; contract: Contract }> {
  let module = modules.get(address);
  if (module === undefined) {
    module = load(address === "" ? undefined : address).then((plumb) => ({ plumb, contract: plumb.contract("intake") }));
    module.catch(() => modules.delete(address));
    modules.set(address, module);
  }
  return module;
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  part: string,
  text = "",
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (part !== "") {
    made.setAttribute("part", part);
    made.className = part;
  }
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  return made;
}

// Where there is no document (a server that renders pages) the module can still be imported.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export class PlumbIntake extends Base {
  static readonly observedAttributes = ["objective", "module"];

  readonly #objective = make("textarea", "objective", "", { id: "objective", rows: "3", spellcheck: "true" });
  readonly #criteria = make("ol", "criteria");
  readonly #constraints = make("input", "constraints", "", { id: "constraints", autocomplete: "off" });
  readonly #add = make("button", "add", "Add a criterion", { type: "button" });
  readonly #lines = make("ul", "lines");
  readonly #decision = make("p", "decision");
  readonly #ask = make("section", "ask", "", { "aria-labelledby": "ask-title" });
  readonly #copy = make("button", "copy", "Copy as a tool call", { type: "button" });
  readonly #model = make("div", "model", "", { hidden: "" });
  readonly #status = make("div", "visually-hidden", "", { role: "status" });
  #verdict: Verdict | null = null;
  #call: IntakeCall | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wanted = 0;
  #fulfil: RunOptions["fulfil"] | undefined;
  /** Asks it, and knows what it judged and asked of the words that are in the form now. */
  #asker: Asker | undefined;
  #starting: Promise<Asker> | undefined;

  constructor() {
    super();
    const shadow = this.attachShadow({ mode: "open", delegatesFocus: true });
    if (sheet === undefined) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(intakeStyle);
    }
    shadow.adoptedStyleSheets = [sheet];
    const form = make("div", "form");
    const criteria = make("fieldset", "criteria-box");
    criteria.append(make("legend", "", "Success criteria, one to four"), this.#criteria, this.#add);
    form.append(
      make("label", "", "Objective", { for: "objective" }),
      this.#objective,
      criteria,
      make("label", "", "Constraints (comma-separated)", { for: "constraints" }),
      this.#constraints,
    );
    const card = make("section", "card", "", { "aria-labelledby": "card-title" });
    card.append(make("h2", "title", "Scorecard", { id: "card-title" }), this.#decision, this.#lines, this.#ask, this.#model, this.#copy);
    shadow.append(form, card, this.#status);
    this.#setCriteria([""]);
    shadow.addEventListener("input", () => this.#changed());
    this.#add.addEventListener("click", () => {
      this.#setCriteria([...this.#fields().map((one) => one.value), ""]);
      this.#fields().at(-1)?.focus();
      this.#changed();
    });
    this.#copy.addEventListener("click", () => void this.#copyCall());
  }

  connectedCallback(): void {
    moduleAt(this.getAttribute("module") ?? "").catch(() => undefined);
    this.#changed();
  }

  attributeChangedCallback(name: string, _before: string | null, now: string | null): void {
    if (name === "objective") this.objective = now ?? "";
    else this.#changed();
  }

  get objective(): string {
    return this.#objective.value;
  }
  set objective(text: string) {
    this.#objective.value = text;
    this.#changed();
  }
  get criteria(): string[] {
    return this.#fields()
      .map((one) => one.value)
      .filter((one) => one.trim() !== "");
  }
  set criteria(all: readonly string[]) {
    this.#setCriteria(all.length === 0 ? [""] : all.slice(0, criteriaMax));
    this.#changed();
  }
  get constraints(): string[] {
    return this.#constraints.value
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
  }
  set constraints(all: readonly string[]) {
    this.#constraints.value = all.join(", ");
    this.#changed();
  }
  /** The verdict on what is in the fields; null until there is one. */
  get verdict(): Verdict | null {
    return this.#verdict;
  }
  /** What Intake would do: start, or ask. */
  get toolCall(): IntakeCall | null {
    return this.#call;
  }
  /** Makes the calls of a model, as of a run: `plumb.viaProxy(url, { model, token })`. */
  get fulfil(): RunOptions["fulfil"] | undefined {
    return this.#fulfil;
  }
  set fulfil(fulfil: RunOptions["fulfil"] | undefined) {
    this.#fulfil = fulfil;
    this.#model.hidden = fulfil === undefined;
    this.#changed();
  }
  /** What a model judged of the rules that were open. */
  get judged(): readonly JudgedRule[] {
    return this.#asker?.judged ?? [];
  }
  /** What `ask()` will cost; null where there is nothing to ask. */
  get cost(): IntakeCost | null {
    return this.#asker?.cost ?? null;
  }

  /** Asks the model what the button asks. Rejects where nothing came of it. */
  async ask(): Promise<IntakeReply> {
    const asker = await this.#starting;
    if (!asker) throw new PlumbError("invalid_argument", "no `fulfil`");
    return asker.ask();
  }

  #fields(): HTMLInputElement[] {
    return [...this.#criteria.querySelectorAll("input")];
  }

  #setCriteria(all: readonly string[]): void {
    this.#criteria.replaceChildren(
      ...all.map((text, index) => {
        const field = make("input", "criterion", "", { "aria-label": `Criterion ${index + 1}`, autocomplete: "off" });
        field.value = text;
        const row = make("li", "");
        const remove = make("button", "remove", "×", { type: "button", "aria-label": `Remove criterion ${index + 1}` });
        remove.hidden = all.length === 1;
        remove.addEventListener("click", () => {
          this.#setCriteria(this.#fields().flatMap((one) => (one === field ? [] : [one.value])));
          this.#changed();
          this.#add.focus();
        });
        row.append(field, remove);
        return row;
      }),
    );
    this.#add.disabled = all.length >= criteriaMax;
  }

  #changed(): void {
    if (!this.isConnected) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#judge(), waitMs);
  }

  async #judge(): Promise<void> {
    const wanted = ++this.#wanted;
    try {
      const { plumb, contract } = await moduleAt(this.getAttribute("module") ?? "");
      if (wanted !== this.#wanted) return;
      const start = {
        tool: "startResearch" as const,
        arguments: { objective: this.objective, successCriteria: this.criteria },
      };
      const { constraints } = this;
      const context = constraints.length === 0 ? undefined : { constraints };
      const verdict = contract.check([start], context === undefined ? {} : { context });
      if (this.#fulfil !== undefined) this.#asker = await (this.#starting ??= this.#startAsker(plumb, contract));
      if (wanted !== this.#wanted) return;
      this.#asker?.hear();
      const untouched = this.#untouched();
      const asks = untouched ? null : (this.#asker?.asked ?? plumb.clarify(verdict));
      const refused = this.judged.some(({ holds }) => !holds);
      this.#verdict = verdict;
      this.#call = asks ?? (verdict.valid && !refused ? start : null);
      this.#draw(verdict, asks);
      void this.#asker?.look(this.#fulfil, verdict);
      this.dispatchEvent(new CustomEvent("plumb-verdict", { detail: verdict, bubbles: true, composed: true }));
    } catch (error) {
      const told = error instanceof PlumbError ? error : new PlumbError("trap", String(error));
      this.#decision.textContent = `The checker could not be loaded: ${told.message}`;
      this.#decision.dataset.tone = "error";
      this.dispatchEvent(new CustomEvent("plumb-error", { detail: told, bubbles: true, composed: true }));
    }
  }

  async #startAsker(plumb: Plumb, contract: Contract): Promise<Asker> {
    const { Asker } = await import("./intake/asker.js");
    return new Asker({
      plumb,
      contract,
      box: this.#model,
      element: this,
      say: (words) => (this.#status.textContent = words),
      again: () => this.#judge(),
    });
  }

  #untouched(): boolean {
    return this.objective.trim() === "" && this.criteria.length === 0;
  }

  #judgement({ id, at = "" }: ScorecardLine): JudgedRule | undefined {
    return this.judged.find((one) => one.rule === id && one.at === at);
  }

  #draw(verdict: Verdict, asks: Clarification | null): void {
    const untouched = this.#untouched();
    const open = verdict.scorecard.some((line) => line.outcome === "undecided" && !this.#judgement(line));
    const refused = this.judged.some(({ holds }) => !holds);
    const words = untouched
      ? "Enter an objective."
      : !verdict.valid || refused
        ? "Research may not start yet."
        : open
          ? "Research may start. A judge, or you, settles the open rules."
          : "Research may start.";
    this.#decision.textContent = words;
    this.#decision.dataset.tone = untouched ? "plain" : verdict.valid && !refused ? "ok" : "error";
    if (this.#status.textContent !== words) this.#status.textContent = words;
    const other = verdict.findings.filter((one) => !verdict.scorecard.some((line) => line.id === one.rule));
    this.#lines.replaceChildren(
      ...(untouched ? [] : other).map((one) =>
        this.#line("broken", one.message ?? one.rule, one.at === "" ? "" : one.at.replace(/^\/0\/arguments\//, ""), ""),
      ),
      ...verdict.scorecard.filter((line) => line.id !== "one-tool-call").map((line) => this.#scored(line, verdict, untouched)),
    );
    this.#ask.replaceChildren();
    this.#ask.hidden = asks === null || untouched;
    if (asks !== null && !untouched) {
      const list = make("ul", "options");
      list.append(...(asks.arguments.options ?? []).map(({ label }) => make("li", "", label)));
      this.#ask.append(
        make("h3", "", "Question to ask", { id: "ask-title" }),
        make("p", "question", asks.arguments.message),
        ...(asks.arguments.options === undefined ? [] : [list]),
      );
    }
    this.#copy.disabled = this.#call === null || untouched;
  }

  /** Of an empty form nothing holds. */
  #scored(line: ScorecardLine, verdict: Verdict, untouched: boolean): HTMLElement {
    const criterion = /\/successCriteria\/(\d+)$/.exec(line.at ?? "");
    const title = criterion ? `${line.title} (criterion ${Number(criterion[1]) + 1})` : (line.title ?? line.id);
    const ask = verdict.undecided.find((one) => one.rule === line.id && one.at === line.at)?.ask;
    const judged = this.#judgement(line);
    if (untouched) return this.#line("undecided", title, "", "");
    if (judged) return this.#line(judged.holds ? "holds" : "broken", title, `A judge: ${judged.reason}`, judged.holds ? "" : (line.action ?? ""));
    const reason = line.outcome === "broken" ? (line.reason ?? "") : line.asks && ask ? `For a judge: ${ask}` : "";
    return this.#line(line.outcome, title, reason, line.outcome === "broken" ? (line.action ?? "") : "");
  }

  #line(outcome: keyof typeof signs, title: string, reason: string, action: string): HTMLElement {
    const line = make("li", "line");
    line.dataset.outcome = outcome;
    const sign = make("span", "sign", signs[outcome], { "aria-hidden": "true" });
    const text = make("div", "");
    const head = make("p", "line-title");
    head.append(make("span", "visually-hidden", `${outcomes[outcome]}: `), title);
    text.append(head);
    if (reason !== "") text.append(make("p", "reason", reason));
    if (action !== "") text.append(make("p", "action", `→ ${action}`));
    line.append(sign, text);
    return line;
  }

  async #copyCall(): Promise<void> {
    if (this.#call === null) return;
    let told = "Copied";
    try {
      await navigator.clipboard.writeText(JSON.stringify(this.#call, null, 2));
    } catch {
      told = "Could not copy";
    }
    this.#copy.textContent = told;
    this.#status.textContent = told;
    setTimeout(() => (this.#copy.textContent = "Copy as a tool call"), 1500);
  }
}

if (typeof customElements !== "undefined" && customElements.get("plumb-intake") === undefined) {
  customElements.define("plumb-intake", PlumbIntake);
}

export interface PlumbIntake {
  addEventListener<Name extends keyof IntakeEvents>(
    type: Name,
    listener: (this: PlumbIntake, event: IntakeEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "plumb-intake": PlumbIntake;
  }
}
