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
 * No dependency, no framework. docs/roles.md has its attributes, properties, events and parts.
 */
import type { Contract } from "./contract.js";
import { PlumbError } from "./error.js";
import { load } from "./index.js";
import { intakeStyle } from "./intake/style.js";
import type { Plumb } from "./plumb.js";
import type { Clarification } from "./roles.js";
import type { ScorecardLine, Verdict } from "./verdict.js";

/** A tool call of Intake. */
export type IntakeCall =
  | { tool: "startResearch"; arguments: { objective: string; successCriteria: string[] } }
  | Clarification;

/** What the element dispatches; all bubble and leave shadow trees. */
export interface IntakeEvents {
  "plumb-verdict": CustomEvent<Verdict>;
  "plumb-error": CustomEvent<PlumbError>;
}

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
  readonly #status = make("div", "visually-hidden", "", { role: "status" });
  #verdict: Verdict | null = null;
  #call: IntakeCall | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wanted = 0;

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
    card.append(make("h2", "title", "Scorecard", { id: "card-title" }), this.#decision, this.#lines, this.#ask, this.#copy);
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
      const asks = plumb.clarify(verdict);
      this.#verdict = verdict;
      this.#call = asks ?? (verdict.valid ? start : null);
      this.#draw(verdict, asks);
      this.dispatchEvent(new CustomEvent("plumb-verdict", { detail: verdict, bubbles: true, composed: true }));
    } catch (error) {
      const told = error instanceof PlumbError ? error : new PlumbError("trap", String(error));
      this.#decision.textContent = `The checker could not be loaded: ${told.message}`;
      this.#decision.dataset.tone = "error";
      this.dispatchEvent(new CustomEvent("plumb-error", { detail: told, bubbles: true, composed: true }));
    }
  }

  #draw(verdict: Verdict, asks: Clarification | null): void {
    const untouched = this.objective.trim() === "" && this.criteria.length === 0;
    const open = verdict.scorecard.some((line) => line.outcome === "undecided");
    const words = untouched
      ? "Enter an objective."
      : !verdict.valid
        ? "Research may not start yet."
        : open
          ? "Research may start. A judge, or you, settles the open rules."
          : "Research may start.";
    this.#decision.textContent = words;
    this.#decision.dataset.tone = untouched ? "plain" : verdict.valid ? "ok" : "error";
    if (this.#status.textContent !== words) this.#status.textContent = words;
    const other = verdict.findings.filter((one) => !verdict.scorecard.some((line) => line.id === one.rule));
    this.#lines.replaceChildren(
      ...(untouched ? [] : other).map((one) =>
        this.#line("broken", one.message ?? one.rule, one.at === "" ? "" : one.at.replace(/^\/0\/arguments\//, ""), ""),
      ),
      ...verdict.scorecard.filter((line) => line.id !== "one-tool-call").map((line) => this.#scored(line, verdict)),
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

  #scored(line: ScorecardLine, verdict: Verdict): HTMLElement {
    const criterion = /\/successCriteria\/(\d+)$/.exec(line.at ?? "");
    const title = criterion ? `${line.title} (criterion ${Number(criterion[1]) + 1})` : (line.title ?? line.id);
    const ask = verdict.undecided.find((one) => one.rule === line.id && one.at === line.at)?.ask;
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
