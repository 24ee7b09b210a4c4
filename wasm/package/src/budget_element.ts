/**
 * `<plumb-budget>`: a model's window as a bar, what is cut and why, and how full it gets over a run. Parts and the window
 * can be dragged, or moved with the arrow keys. No dependency, no framework; it loads plumb-budget.wasm and nothing else.
 *
 *     <plumb-budget value='{"window": 32000, "task_output": 3200, "elements": [...]}'></plumb-budget>
 *
 *     import "@plumbline/plumbline/budget";
 *     document.querySelector("plumb-budget").addEventListener("plumb-budget-change", (event) => save(event.detail));
 *
 * docs/budget.md has its attributes, properties, events and custom properties.
 */
import { startBudget, type Budget } from "./budget.js";
import type { AssembleAnswer, AssembleRequest, BudgetAnswer, PressureRequest } from "./budgeting.js";
import { segmentsOf, type Segment } from "./budget_view/bar.js";
import { html, sheetOf } from "./budget_view/dom.js";
import { gauge } from "./budget_view/gauge.js";
import { style } from "./budget_view/style.js";
import { costWords, priceOf, tookWords } from "./cost.js";
import { PlumbError } from "./error.js";
import type { Effect, Reply, RunOptions } from "./run.js";
import { compiled, type Finder, type Source } from "./source.js";

export type { Budget, BudgetOperation } from "./budget.js";
export type * from "./budgeting.js";

const finder: Finder = {
  readDefault: () => fetch(new URL("./plumb-budget.wasm", import.meta.url)),
  readFrom: (source) => fetch(source),
};

/** Starts plumb-budget.wasm alone, without what judges artifacts: from beside this file, or from `source`. */
export async function loadBudget(source?: Source | PromiseLike<Source>): Promise<Budget> {
  return startBudget(await compiled(finder, "plumb-budget.wasm", source));
}

/** What the element shows: a request to `assemble`, and the readings of a run. */
export interface BudgetValue extends AssembleRequest {
  readings?: PressureRequest["readings"];
  thresholds?: PressureRequest["thresholds"];
}

/** A call of a model: what `fulfil` is asked, and what is counted. */
export interface BudgetRequest {
  messages: readonly { role: string; content: string }[];
  output_tokens_max?: number;
  /** More of the request: `phase`, `temperature`, `format`, ... */
  [more: string]: unknown;
}

/** What a call will cost: estimated, and at most. */
export interface BudgetCost {
  input_tokens: number;
  output_tokens_max: number;
}

export interface BudgetEvents {
  /** What came of the call that the button makes. */
  "plumb-reply": CustomEvent<Reply>;
  /** A part or the window was moved: the whole value as it is now. */
  "plumb-budget-change": CustomEvent<BudgetValue>;
  /** What `assemble` answered to the value. */
  "plumb-budget-answer": CustomEvent<BudgetAnswer<AssembleAnswer>>;
  /** The module cannot be had, or the value is no JSON. */
  "plumb-error": CustomEvent<PlumbError>;
}

type Member = NonNullable<Segment["member"]> | "window";

const defaults: Record<Exclude<Member, "window">, number> = {
  system: 2000,
  task_output: 0,
  working_memory: 6000,
  output: 1000,
};
const titles: Record<string, string> = {
  fits: "Fits",
  trimmed: "Trimmed",
  too_large: "Too large",
  unknown: "Unknown window",
};
const limitMs = 600_000;
const grouped = (tokens: number): string => tokens.toLocaleString("en");

let shared: Promise<Budget> | undefined;

// Where there is no document (a server that renders pages) the module can still be imported.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export class PlumbBudget extends Base {
  static readonly observedAttributes = ["value", "readonly", "price"];
  #value: BudgetValue | undefined;
  /** What is wrong with the value: nothing is drawn of it. */
  #wrong: PlumbError | undefined;
  #fulfil: RunOptions["fulfil"] | undefined;
  #request: BudgetRequest | undefined;
  #abort: AbortController | undefined;
  #said = "";
  #budget: Budget | undefined;
  #root: ShadowRoot | undefined;
  #answer: BudgetAnswer<AssembleAnswer> | undefined;
  /** What the whole width stands for; kept while something is dragged. */
  #span = 0;
  #dragged: Member | undefined;

  get value(): BudgetValue {
    return this.#value ?? { elements: [] };
  }
  set value(value: BudgetValue) {
    this.#take(value, "the value must be an object");
  }
  /** A call to be made with what is in the window: it is counted, and its cost shown. */
  get request(): BudgetRequest | undefined {
    return this.#request;
  }
  set request(request: BudgetRequest | undefined) {
    this.#request = request;
    this.#said = "";
    this.#show();
  }
  /** Makes that call, as of a run: `plumb.viaProxy(url, { model, token })`. Without it there is no button. */
  get fulfil(): RunOptions["fulfil"] | undefined {
    return this.#fulfil;
  }
  set fulfil(fulfil: RunOptions["fulfil"] | undefined) {
    if (fulfil !== undefined && typeof fulfil !== "function") {
      throw new PlumbError("invalid_argument", "`fulfil` is a function, as plumb.viaProxy() gives one");
    }
    this.#fulfil = fulfil;
    this.#show();
  }
  /** What `send()` will cost; null without a request. */
  get cost(): BudgetCost | null {
    if (this.#budget === undefined || this.#request === undefined) return null;
    const { messages, output_tokens_max: most } = this.#request;
    const { model, models, encoding, output } = this.value;
    const about = { ...(model !== undefined && { model }), ...(models && { models }), ...(encoding && { encoding }) };
    const counted = this.#budget.tokens({ ...about, texts: messages.map(({ content }) => content) });
    const input = counted.valid ? (counted.texts ?? []).reduce((sum, one) => sum + one.safe, 0) : 0;
    return { input_tokens: input, output_tokens_max: most ?? (typeof output === "number" ? output : defaults.output) };
  }

  /** Makes the call. Resolves with the reply, also where it is an error. */
  async send(): Promise<Reply> {
    const [fulfil, request, cost] = [this.#fulfil, this.#request, this.cost];
    if (fulfil === undefined || request === undefined || cost === null || this.#abort !== undefined) {
      throw new PlumbError("invalid_argument", "there is no call to be made: set `request` and `fulfil`");
    }
    const abort = (this.#abort = new AbortController());
    this.#said = "The call is being made …";
    this.#show();
    const { output_tokens_max } = cost;
    const effect = { run: "budget", key: "call:0", kind: "model", request: { ...request, output_tokens_max }, deadlineMs: limitMs, attempt: 1, signal: abort.signal, tell: () => undefined };
    let reply: Reply;
    try {
      const given = await fulfil(effect as unknown as Effect);
      reply = typeof given === "string" ? { value: { text: given } } : given;
    } catch (error) {
      reply = { error: error instanceof Error ? error.message : String(error) };
    }
    this.#abort = undefined;
    const { usage } = (reply.value ?? {}) as { usage?: Parameters<typeof tookWords>[0] };
    this.#said = abort.signal.aborted ? "Stopped." : (reply.error ?? (usage ? `It took ${tookWords(usage, priceOf(this.getAttribute("price")))}.` : "It was answered."));
    this.#show();
    this.#tell("plumb-reply", reply);
    return reply;
  }

  #take(value: unknown, wrong: string): void {
    const fits = typeof value === "object" && value !== null && !Array.isArray(value);
    this.#value = fits ? (value as BudgetValue) : undefined;
    this.#wrong = fits || value === undefined ? undefined : new PlumbError("invalid_argument", wrong);
    if (this.#wrong) this.#tell("plumb-error", this.#wrong);
    this.#show();
  }

  get answer(): BudgetAnswer<AssembleAnswer> | undefined {
    return this.#answer;
  }

  connectedCallback(): void {
    if (this.#root === undefined) {
      this.#root = this.attachShadow({ mode: "open" });
      this.#root.adoptedStyleSheets = [sheetOf(style)];
      this.#root.append(html("div", { part: "body" }));
    }
    shared ??= loadBudget();
    shared.then(
      (budget) => {
        this.#budget = budget;
        this.#show();
      },
      (error: unknown) => {
        shared = undefined;
        this.#tell("plumb-error", error);
        this.#body().replaceChildren(html("p", { class: "wrong", role: "alert" }, String((error as Error).message)));
      },
    );
  }

  attributeChangedCallback(name: string, _: string | null, text: string | null): void {
    if (name !== "value") {
      this.#show();
      return;
    }
    let value: unknown;
    try {
      value = text === null ? undefined : JSON.parse(text);
    } catch {
      value = null;
    }
    this.#take(value, "the attribute `value` must be a JSON object");
  }

  #body(): HTMLElement {
    return this.#root!.lastElementChild as HTMLElement;
  }

  #tell(name: keyof BudgetEvents, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #show(): void {
    if (this.#budget === undefined || this.#root === undefined) return;
    if (this.#value === undefined) {
      this.#answer = undefined;
      const said = this.#wrong ? html("p", { class: "wrong", role: "alert" }, this.#wrong.message) : undefined;
      this.#body().replaceChildren(...(said ? [said] : []), ...this.#call());
      return;
    }
    const { readings, thresholds, ...request } = this.#value;
    const answer = this.#budget.assemble(request);
    this.#answer = answer;
    const focused = (this.#root.activeElement as HTMLElement | null)?.dataset.member;
    if (!answer.valid) {
      const list = answer.findings.map((one) => html("li", {}, `${one.at || "the value"}: ${one.message}`));
      this.#body().replaceChildren(
        html("div", { class: "verdict is-wrong" }, html("b", {}, "Not answered")),
        html("ul", { class: "wrong" }, ...list),
      );
    } else {
      const sections: Node[] = [
        html(
          "div",
          { class: `verdict is-${answer.fit}`, role: "status" },
          html("b", {}, titles[answer.fit]!),
          html("span", {}, answer.reason),
        ),
        this.#bar(answer),
        this.#legend(answer),
        this.#cuts(answer),
      ];
      if (readings !== undefined && readings.length > 0) sections.push(...this.#gauge(request, readings, thresholds));
      this.#body().replaceChildren(...sections, ...this.#call());
      // A handle that has the focus keeps it.
      if (focused !== undefined) this.#root.querySelector<HTMLElement>(`[data-member="${focused}"]`)?.focus();
    }
    this.#tell("plumb-budget-answer", answer);
  }

  /** What the call costs, and the button that makes it. */
  #call(): HTMLElement[] {
    const { cost } = this;
    if (cost === null) return [];
    const words = `The call: ${costWords(cost.input_tokens, cost.output_tokens_max, priceOf(this.getAttribute("price")))}.`;
    const row = html("div", { class: "call", part: "call" }, html("p", { class: "cost", part: "cost" }, words));
    if (this.#fulfil !== undefined) {
      const button = html("button", { type: "button", class: "send", part: "send" }, this.#abort ? "Stop" : "Make the call");
      button.addEventListener("click", () => void (this.#abort ? this.#abort.abort() : this.send()));
      row.prepend(button);
    }
    row.append(html("p", { class: "took", role: "status" }, this.#said));
    return [row];
  }

  #bar(answer: AssembleAnswer): HTMLElement {
    const segments = segmentsOf(answer);
    const sum = segments.reduce((all, one) => all + one.tokens, 0);
    const window = answer.window ?? sum;
    if (this.#dragged === undefined) this.#span = Math.max(window, sum, 1);
    const percent = (tokens: number): number => Math.min(100, (100 * tokens) / this.#span);
    const bar = html("div", { class: "bar", part: "bar", role: "group", "aria-label": "The window by its parts" });
    let at = 0;
    const handles: HTMLElement[] = [];
    for (const one of segments) {
      const from = percent(at);
      at += one.tokens;
      if (one.tokens > 0) {
        const style = `left: ${from}%; width: ${percent(at) - from}%; background-color: var(--${one.name})`;
        bar.append(
          html("div", {
            class: `part ${one.name}`,
            style: one.name === "margin" ? `left: ${from}%; width: ${percent(at) - from}%` : style,
            title: `${one.title}: ${grouped(one.tokens)} tokens`,
          }),
        );
      }
      if (one.member !== undefined) handles.push(this.#handle(one.member, one.title, one.tokens, percent(at)));
    }
    if (answer.window !== null) {
      bar.append(html("div", { class: "edge", style: `left: ${percent(window)}%` }));
      if (sum > window) {
        bar.append(html("div", { class: "over", style: `left: ${percent(window)}%; right: ${100 - percent(sum)}%` }));
      }
      handles.push(this.#handle("window", "Window", window, percent(window)));
    }
    if (!this.hasAttribute("readonly")) bar.append(...handles);
    const scale = html("div", { class: "scale" }, html("span", {}, "0"), html("span", {}, grouped(this.#span)));
    return html("div", {}, bar, scale);
  }

  #handle(member: Member, title: string, tokens: number, left: number): HTMLElement {
    const handle = html("button", {
      class: `handle ${member}`,
      type: "button",
      role: "slider",
      style: `left: ${left}%`,
      "data-member": member,
      "aria-label": title,
      "aria-valuemin": member === "window" ? 1 : 0,
      "aria-valuemax": Math.max(tokens, Math.round(this.#span * 2)),
      "aria-valuenow": tokens,
      "aria-valuetext": `${grouped(tokens)} tokens`,
    });
    handle.addEventListener("keydown", (event) => this.#onKey(event, member, tokens));
    handle.addEventListener("pointerdown", (event) => this.#onDrag(event, member, tokens));
    return handle;
  }

  #onKey(event: KeyboardEvent, member: Member, tokens: number): void {
    const window = typeof this.value.window === "number" ? this.value.window : this.#span;
    const step = Math.max(1, Math.round(window / (event.shiftKey ? 1000 : 100)));
    const next: Record<string, number> = {
      ArrowRight: tokens + step,
      ArrowUp: tokens + step,
      ArrowLeft: tokens - step,
      ArrowDown: tokens - step,
      PageUp: tokens + step * 10,
      PageDown: tokens - step * 10,
      Home: 0,
    };
    const wanted = next[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    this.#set(member, wanted);
  }

  #onDrag(event: PointerEvent, member: Member, tokens: number): void {
    const bar = this.#root!.querySelector(".bar");
    const width = bar?.getBoundingClientRect().width ?? 0;
    if (width === 0 || event.button !== 0) return;
    event.preventDefault();
    (event.currentTarget as HTMLElement).focus();
    this.#dragged = member;
    const from = event.clientX;
    const move = (moved: PointerEvent): void => {
      // The bar is drawn anew at each move, so the document listens, not the handle.
      this.#set(member, Math.round((tokens + ((moved.clientX - from) / width) * this.#span) / 10) * 10);
    };
    const end = (): void => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", end);
      document.removeEventListener("pointercancel", end);
      this.#dragged = undefined;
      this.#show();
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  #set(member: Member, tokens: number): void {
    const least = member === "window" ? 1 : 0;
    this.#value = { ...this.value, [member]: Math.min(Math.max(least, Math.round(tokens)), 1e12) };
    this.#show();
    this.#tell("plumb-budget-change", this.#value);
  }

  #legend(answer: AssembleAnswer): HTMLElement {
    const rows = segmentsOf(answer).filter((one) => one.tokens > 0 || (one.member !== undefined && defaults[one.member] > 0));
    return html(
      "ul",
      { class: "legend" },
      ...rows.map((one) =>
        html(
          "li",
          {},
          html("i", { style: `background-color: var(--${one.name})`, "aria-hidden": "true" }),
          html("span", {}, one.title),
          html("b", {}, grouped(one.tokens)),
        ),
      ),
    );
  }

  #cuts(answer: AssembleAnswer): HTMLElement {
    const words = { whole: "in", trimmed: "trimmed", dropped: "dropped" } as const;
    const list = answer.elements.map((one) => {
      const row = html(
        "li",
        { class: one.cut },
        html("em", {}, words[one.cut]),
        html("q", {}, one.id),
        html("b", {}, one.cut === "whole" ? grouped(one.tokens) : `${grouped(one.tokens)} of ${grouped(one.tokens_whole)}`),
      );
      if (one.reason !== undefined) row.append(html("small", {}, one.reason));
      return row;
    });
    return html(
      "section",
      { "aria-label": "Included" },
      ...(list.length > 0 ? [html("h4", {}, "Included"), html("ul", { class: "cuts" }, ...list)] : []),
    );
  }

  #gauge(
    request: AssembleRequest,
    readings: PressureRequest["readings"],
    thresholds: PressureRequest["thresholds"],
  ): Node[] {
    const { model, models, encoding, window, profile } = request;
    const asked = { model, models, encoding, window, profile, readings, thresholds } as PressureRequest;
    const answer = this.#budget!.pressure(asked);
    const title = html("h4", {}, "Pressure over the run");
    if (!answer.valid) {
      return [title, html("p", { class: "wrong" }, answer.findings.map((one) => `${one.at}: ${one.message}`).join("; "))];
    }
    const facts: [string, number | null, string][] = [
      ["per iteration", answer.tokens_per_iteration, ""],
      ["iterations left", answer.iterations_remaining_estimate, ""],
      ["until a pause", answer.iterations_until_pause, ""],
    ];
    return [
      title,
      html("p", { class: "pressure" }, answer.reason),
      gauge(answer, thresholds ?? {}),
      html(
        "div",
        { class: "now" },
        ...facts.map(([name, tokens]) =>
          html("p", {}, html("b", {}, tokens === null ? "–" : grouped(tokens)), " ", html("span", {}, name)),
        ),
      ),
    ];
  }
}

if (globalThis.customElements !== undefined && customElements.get("plumb-budget") === undefined) {
  customElements.define("plumb-budget", PlumbBudget);
}

export interface PlumbBudget {
  addEventListener<Name extends keyof BudgetEvents>(
    type: Name,
    listener: (this: PlumbBudget, event: BudgetEvents[Name]) => void,
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
    "plumb-budget": PlumbBudget;
  }
}
