/**
 * `<plumb-preview contract="quiz">`: an artifact, its verdict and its problems in any page, also while the artifact is
 * still arriving. No dependency, no framework; one script beside the module.
 *
 *     <plumb-preview contract="quiz"></plumb-preview>
 *
 *     import "@plumbline/plumbline/preview";
 *     const preview = document.querySelector("plumb-preview");
 *     for await (const chunk of answer) preview.push(chunk);
 *     const verdict = await preview.end();
 *
 * docs/page.md has its attributes, properties, events, parts and custom properties.
 */
import type { Contract, Schema, Stream } from "./contract.js";
import { PlumbError } from "./error.js";
import { load } from "./index.js";
import type { Plumb } from "./plumb.js";
import { ArtifactView, element } from "./preview/artifact_view.js";
import { formatted } from "./preview/formatted.js";
import { showRun, showStream, type Followed } from "./preview/following.js";
import { ShapeView, type Shape } from "./preview/shapes.js";
import { style } from "./preview/style.js";
import type { CheckOptions } from "./contract.js";
import type { Run } from "./run.js";
import type { Decision, Edit, Finding, Verdict } from "./verdict.js";

export type PreviewState = "loading" | "empty" | "arriving" | "judged" | "failed";

/** What the element dispatches; all bubble and leave shadow trees. */
export interface PreviewEvents {
  /** A finding has become certain. */
  "plumb-finding": CustomEvent<Finding>;
  "plumb-verdict": CustomEvent<Verdict>;
  /** The contract or the context was refused, or the module cannot be had. */
  "plumb-error": CustomEvent<PlumbError>;
  /** Somebody has chosen a problem. */
  "plumb-select": CustomEvent<Finding>;
}

const words: Record<Decision, { title: string; tone: string }> = {
  accept: { title: "Accept", tone: "ok" },
  accept_with_warnings: { title: "Accept, with warnings", tone: "warning" },
  accept_unverified: { title: "Accept, unverified", tone: "warning" },
  undecided: { title: "Undecided", tone: "warning" },
  revise: { title: "Revise", tone: "error" },
  block: { title: "Block", tone: "error" },
};
const signs = { error: "✗", warning: "!", info: "i" } as const;
const severityWords = { error: "Error: ", warning: "Warning: ", info: "Note: " } as const;
const problemsMax = 200;

/** One module a page and address, shared by all previews; another attempt after a failure. */
const modules = new Map<string, Promise<Plumb>>();

function moduleAt(address: string): Promise<Plumb> {
  let module = modules.get(address);
  if (module === undefined) {
    module = load(address === "" ? undefined : address);
    module.catch(() => modules.delete(address));
    modules.set(address, module);
  }
  return module;
}

function plural(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

/** "Edited: 2 × trailingComma, fence". */
function editWords(edits: readonly Edit[]): string {
  const count = new Map<string, number>();
  for (const { class: kind } of edits) {
    count.set(kind, (count.get(kind) ?? 0) + 1);
  }
  return `Edited: ${[...count].map(([kind, n]) => (n === 1 ? kind : `${n} × ${kind}`)).join(", ")}`;
}

/** A text between tags is indented as its page is; that is not part of it. */
function flushLeft(text: string): string {
  const lines = text
    .replace(/^(?:[ \t]*\r?\n)+/, "")
    .trimEnd()
    .split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)![0].length);
  const indent = Math.min(...indents);
  return Number.isFinite(indent) ? lines.map((line) => line.slice(indent)).join("\n") : "";
}

/** Previews by the name that each has on the page: no two landmarks have the same. */
const named = new Map<string, PlumbPreview>();

let sheet: CSSStyleSheet | undefined;

// Where there is no document (a server that renders pages) the module can still be imported.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export class PlumbPreview extends Base {
  static readonly formAssociated = true;
  static readonly observedAttributes = ["contract", "value", "context", "module", "show", "required", "edits", "format", "label"];

  readonly #internals: ElementInternals;
  readonly #view: ArtifactView;
  readonly #shape = new ShapeView();
  readonly #frame = element("section", "preview");
  readonly #edited = element("p", "edits");
  readonly #head = element("header", "head");
  readonly #decision = element("strong", "decision");
  readonly #counts = element("span", "counts");
  readonly #title = element("span", "title");
  readonly #problems = element("ol", "problems");
  readonly #note = element("p", "note");
  readonly #status = element("div", "visually-hidden");
  readonly #watch: MutationObserver | undefined;

  #text = "";
  #decoder = new TextDecoder();
  #given: string | Schema | undefined; // by the property
  #contextGiven: unknown;
  #wanted = 0; // counts what has been asked for; an answer to anything older is dropped
  #state: PreviewState = "empty";
  #verdict: Verdict | null = null;
  #findings = new Map<number, Finding>();
  #contract: { key: unknown; plumb: Plumb; contract: Contract } | undefined;
  #stream: Stream | undefined;
  #queue: Promise<void> = Promise.resolve();
  #checkDue = false;
  #drawDue = false;
  #ownText = true; // nothing but the text between the tags has been given

  constructor() {
    super();
    this.#internals = this.attachInternals();
    const shadow = this.attachShadow({ mode: "open", delegatesFocus: true });
    if (sheet === undefined) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
    }
    shadow.adoptedStyleSheets = [sheet];
    this.#view = new ArtifactView();
    this.#head.append(this.#decision, this.#counts, this.#title);
    this.#status.setAttribute("role", "status");
    this.#status.removeAttribute("part");
    this.#problems.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("[data-finding]");
      const finding = button === null ? undefined : this.#findings.get(Number(button.dataset.finding));
      if (finding !== undefined) {
        this.select(finding.id);
        this.#tell("plumb-select", finding);
      }
    });
    this.#shape.root.tabIndex = 0;
    this.#shape.root.setAttribute("role", "group");
    this.#shape.root.setAttribute("aria-label", "Artifact");
    this.#frame.append(
      this.#head,
      this.#view.root,
      this.#shape.root,
      this.#edited,
      this.#problems,
      this.#note,
      this.#status,
    );
    shadow.append(this.#frame);
    this.#watch = new MutationObserver(() => this.#readChildren());
    this.#draw();
  }

  connectedCallback(): void {
    this.#watch?.observe(this, { childList: true, characterData: true, subtree: true });
    this.#readChildren();
    // The module is on its way while the page still decides what to show.
    moduleAt(this.getAttribute("module") ?? "").catch(() => undefined);
  }

  disconnectedCallback(): void {
    this.#watch?.disconnect();
    this.#giveNameBack();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) {
      return;
    }
    if (name === "value") {
      this.value = now ?? "";
    } else if (name === "show" || name === "label") {
      this.#draw();
    } else if (name === "format") {
      this.#drawArtifact();
      this.#draw();
    } else if (name === "required") {
      this.#tellForm();
    } else {
      this.#checkSoon();
    }
  }

  /** Where the element is. */
  get state(): PreviewState {
    return this.#state;
  }

  /** The verdict on the whole artifact; null until there is one. */
  get verdict(): Verdict | null {
    return this.#verdict;
  }

  /** What is certain by now; without what another finding hides. */
  get findings(): readonly Finding[] {
    return (this.#verdict?.findings ?? [...this.#findings.values()]).filter((one) => one.shadowedBy === undefined);
  }

  /** The artifact's text. A value that is no string is written as JSON. */
  get value(): string {
    return this.#text;
  }
  set value(artifact: unknown) {
    this.#ownText = false;
    this.#setText(typeof artifact === "string" ? artifact : (JSON.stringify(artifact, null, 2) ?? ""));
  }

  /** The name of a built-in contract, a schema, or its text. */
  get contract(): string | Schema | undefined {
    return this.#given ?? this.getAttribute("contract") ?? undefined;
  }
  set contract(contract: string | Schema | undefined) {
    this.#given = contract;
    this.#checkSoon();
  }

  /** What the contract's `context:` pointers read: JSON text or a value. */
  get context(): unknown {
    return this.#contextGiven ?? this.getAttribute("context") ?? undefined;
  }
  set context(context: unknown) {
    this.#contextGiven = context;
    this.#checkSoon();
  }

  /** With `edits`: the text that was judged, which is what a form sends; before that, and without, the artifact's own. */
  get text(): string {
    return this.#verdict?.text ?? this.#text;
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

  /** Judges the next piece of an artifact that is still being written; the first one begins it. */
  push(chunk: string | Uint8Array): void {
    if (this.#state !== "arriving") {
      this.#begin("arriving", "");
    }
    this.#ownText = false;
    const mine = this.#wanted;
    const text = typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true });
    this.#text += text;
    this.#view.append(text);
    this.#then(mine, async () => {
      this.#stream ??= (await this.#read()).stream(this.#checkOptions());
      if (mine === this.#wanted) {
        this.#found(this.#stream.push(chunk));
      }
    });
    this.#drawSoon();
  }

  /** The artifact is whole. The verdict is the one that the whole text would have been given. */
  async end(): Promise<Verdict> {
    if (this.#state !== "arriving") {
      this.#begin("arriving", "");
    }
    const mine = this.#wanted;
    let verdict: Verdict | undefined;
    let failure: unknown;
    this.#then(mine, async () => {
      this.#stream ??= (await this.#read()).stream(this.#checkOptions());
      if (mine === this.#wanted) {
        const stream = this.#stream;
        this.#stream = undefined;
        verdict = stream.end();
        this.#found(stream.last);
        this.#judged(verdict);
      }
    });
    await this.#queue;
    if (verdict === undefined) {
      failure =
        this.#failure ?? new PlumbError("invalid_argument", "another artifact was given before this one had ended");
      throw failure;
    }
    return verdict;
  }

  /** Shows an answer while it arrives: a response of `fetch`, or a client's stream. The verdict is that of `end()`. */
  from(source: Followed): Promise<Verdict> {
    return showStream(this, source);
  }

  /** Shows what a run makes, while models write it through `viaProxy`, and its result. Rejects if it comes to none. */
  run(run: Run): Promise<Verdict> {
    return showRun(this, run);
  }

  /** Empty, as at the beginning. */
  reset(): void {
    this.#ownText = false;
    this.#begin("empty", "");
    this.#draw();
  }

  /** Shows the place of a finding. */
  select(id: number): void {
    this.#view.reveal(id);
    const finding = this.#findings.get(id);
    if (finding !== undefined) {
      this.#shape.reveal(finding);
    }
    for (const button of this.#problems.querySelectorAll<HTMLElement>("[data-finding]")) {
      if (button.dataset.finding === String(id)) {
        button.setAttribute("aria-current", "true");
      } else {
        button.removeAttribute("aria-current");
      }
    }
  }

  formResetCallback(): void {
    this.reset();
  }

  // --- What is to be judged ---------------------------------------------------------------------------------------

  /** The artifact between the tags: as text, or in a script of type application/json; a contract likewise. */
  #readChildren(): void {
    const own = this.querySelector('script[type="application/schema+json"]')?.textContent;
    if (typeof own === "string" && own.trim() !== "" && own !== this.#given) {
      this.contract = own;
    }
    if (!this.#ownText) {
      return;
    }
    const script = this.querySelector('script[type="application/json"]');
    const text = flushLeft(script?.textContent ?? (own === undefined ? this.textContent : "") ?? "");
    if (text !== "" && text !== this.#text) {
      this.#setText(text);
    }
  }

  #setText(text: string): void {
    this.#begin(text.trim() === "" ? "empty" : "loading", text);
    this.#checkSoon();
  }

  #begin(state: PreviewState, text: string): void {
    ++this.#wanted;
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#decoder = new TextDecoder();
    this.#text = text;
    this.#state = state;
    this.#verdict = null;
    this.#failure = undefined;
    this.#findings.clear();
    this.#asGiven();
    this.#drawSoon();
  }

  /** Once for all that is set in one go: contract, context and value. */
  #checkSoon(): void {
    if (this.#checkDue || this.#state === "arriving") {
      return;
    }
    this.#checkDue = true;
    queueMicrotask(() => {
      this.#checkDue = false;
      if (this.#state === "arriving" || this.#text.trim() === "") {
        return;
      }
      this.#begin("loading", this.#text);
      const mine = this.#wanted;
      this.#then(mine, async () => {
        const contract = await this.#read();
        if (mine !== this.#wanted) {
          return;
        }
        const verdict = contract.check(this.#text, this.#checkOptions());
        this.#found(verdict.findings);
        this.#judged(verdict);
      });
    });
  }

  #failure: PlumbError | undefined;

  /** One thing after the other; what was asked for before something newer is not done any more. */
  #then(mine: number, step: () => Promise<void>): void {
    this.#queue = this.#queue.then(async () => {
      if (mine !== this.#wanted || this.#failure !== undefined) {
        return;
      }
      try {
        await step();
      } catch (error) {
        if (mine === this.#wanted) {
          this.#fail(error);
        }
      }
    });
  }

  async #read(): Promise<Contract> {
    const address = this.getAttribute("module") ?? "";
    const plumb = await moduleAt(address);
    const key = this.contract;
    if (key === undefined) {
      throw new PlumbError(
        "invalid_argument",
        `no contract is named; there are ${plumb.contracts.map(({ name }) => name).join(", ")}`,
      );
    }
    if (this.#contract?.key !== key || this.#contract.plumb !== plumb) {
      this.#contract?.contract.dispose();
      this.#contract = undefined;
      this.#contract = { key, plumb, contract: plumb.contract(key) };
    }
    return this.#contract.contract;
  }

  #checkOptions(): CheckOptions {
    const context = this.context;
    const edits = this.getAttribute("edits") ?? "";
    if (edits !== "" && edits !== "none" && edits !== "certain" && edits !== "guess") {
      throw new PlumbError("invalid_argument", `edits="${edits}": it is none, certain or guess`);
    }
    return {
      ...(context === undefined || context === "" ? {} : { context }),
      ...(edits === "" ? {} : { edits }),
    };
  }

  // --- What comes of it -------------------------------------------------------------------------------------------

  #found(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const isNew = !this.#findings.has(finding.id);
      this.#findings.set(finding.id, finding);
      if (finding.shadowedBy === undefined) {
        this.#view.mark(finding);
        if (isNew) {
          this.#tell("plumb-finding", finding);
        }
      }
    }
    if (findings.length > 0) {
      this.#drawSoon();
    }
  }

  #judged(verdict: Verdict): void {
    this.#state = "judged";
    this.#verdict = verdict;
    this.#drawArtifact();
    this.#draw();
    this.#tell("plumb-verdict", verdict);
  }

  #fail(error: unknown): void {
    const failure =
      error instanceof PlumbError
        ? error
        : new PlumbError("unavailable", error instanceof Error ? error.message : String(error), {}, error);
    if (failure.code === "trap") {
      // Its instance is not used again: the next artifact gets another one.
      modules.delete(this.getAttribute("module") ?? "");
      this.#contract = undefined;
    }
    this.#stream = undefined;
    this.#failure = failure;
    this.#state = "failed";
    this.#draw();
    this.#tell("plumb-error", failure);
  }

  #asGiven(): void {
    this.#shape.clear();
    this.#shape.root.hidden = true;
    this.#view.clear();
    this.#view.append(this.#text);
  }

  /** In the form that was asked for, once it is whole and sound as JSON; while it arrives, and else, as it was given. */
  #drawArtifact(): void {
    const format = this.getAttribute("format") ?? "";
    const verdict = this.#verdict;
    if (verdict === null) {
      return;
    }
    this.#asGiven();
    const findings = verdict.findings.filter((one) => one.shadowedBy === undefined);
    let value: unknown;
    try {
      value = JSON.parse(this.text);
    } catch {
      findings.forEach((finding) => this.#view.mark(finding));
      return;
    }
    if (["quiz", "cards", "tree"].includes(format) && this.#shape.show(format as Shape, value)) {
      this.#view.clear();
      this.#shape.root.hidden = false;
      findings.forEach((finding) => this.#shape.mark(finding));
      return;
    }
    const made = format === "" ? undefined : formatted(this.text);
    if (made === undefined) {
      findings.forEach((finding) => this.#view.mark(finding));
      return;
    }
    this.#view.clear();
    this.#view.append(made.text);
    for (const finding of findings) {
      let at = finding.at;
      while (!made.places.has(at) && at !== "") {
        at = at.slice(0, at.lastIndexOf("/"));
      }
      const [utf16From, utf16To] = made.places.get(at) ?? [0, 1];
      this.#view.mark({ ...finding, span: { ...finding.span, utf16From, utf16To } });
    }
  }

  /** The landmark's name: `label`, else the contract's title; a second one of that name is numbered. */
  #drawName(): void {
    const own = this.getAttribute("label") ?? this.#contract?.contract.title ?? "";
    const base = own === "" ? "Artifact" : own;
    const known = this.#frame.getAttribute("aria-label") ?? "";
    if ((known === base || known.startsWith(`${base} `)) && named.get(known) === this) {
      return;
    }
    this.#giveNameBack();
    for (let n = 1; ; ++n) {
      const name = n === 1 ? base : `${base} ${n}`;
      const other = named.get(name);
      if (other === undefined || !other.isConnected) {
        named.set(name, this);
        this.#frame.setAttribute("aria-label", name);
        return;
      }
    }
  }

  #giveNameBack(): void {
    const name = this.#frame.getAttribute("aria-label") ?? "";
    if (named.get(name) === this) {
      named.delete(name);
    }
  }

  #tell<Name extends keyof PreviewEvents>(name: Name, detail: PreviewEvents[Name]["detail"]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #drawSoon(): void {
    if (!this.#drawDue) {
      this.#drawDue = true;
      queueMicrotask(() => this.#drawDue && this.#draw());
    }
  }

  #draw(): void {
    this.#drawDue = false;
    const show = (this.getAttribute("show") ?? "head artifact problems").split(/\s+/);
    const findings = this.findings;
    const count = { error: 0, warning: 0, info: 0 };
    for (const { severity } of findings) {
      ++count[severity];
    }
    const told = [
      count.error > 0 ? plural(count.error, "error") : "",
      count.warning > 0 ? plural(count.warning, "warning") : "",
      count.info > 0 ? plural(count.info, "note") : "",
    ].filter((one) => one !== "");
    const verdict = this.#verdict;
    let title = "";
    let tone = "";
    if (verdict !== null) {
      ({ title, tone } = words[verdict.decision]);
    } else {
      title = { loading: "Loading", empty: "Nothing yet", arriving: "Streaming", failed: "Not checked", judged: "" }[
        this.#state
      ];
      tone = this.#state === "failed" || count.error > 0 ? "error" : "";
    }
    this.#head.className = `head ${tone === "" ? "" : `tone-${tone}`} ${this.#state === "arriving" ? "arriving" : ""}`;
    this.#decision.textContent = title;
    const counts = told.join(", ") || (this.#state === "judged" || this.#state === "arriving" ? "no problems" : "");
    this.#counts.textContent = this.#state === "arriving" ? `${counts} so far` : counts;
    this.#title.textContent = this.#contract?.contract.title || this.#contract?.contract.name || "";
    this.#head.hidden = !show.includes("head");
    const shaped = this.#shape.root.firstChild !== null;
    this.#view.root.hidden = !show.includes("artifact") || this.#text === "" || shaped;
    this.#shape.root.hidden = !show.includes("artifact") || !shaped;
    const edits = (verdict?.edits ?? []).filter(({ applied }) => applied);
    this.#edited.textContent = edits.length === 0 ? "" : editWords(edits);
    this.#edited.hidden = edits.length === 0 || !show.includes("head");
    if (this.isConnected) {
      this.#drawName();
    }
    this.#drawProblems(findings);
    this.#problems.hidden = !show.includes("problems") || findings.length === 0;
    const more = findings.length - problemsMax;
    this.#note.textContent = this.#failure?.message ?? (more > 0 ? `and ${plural(more, "problem")} more` : "");
    this.#note.hidden = this.#note.textContent === "";
    // Told once, when it has come to an end; a status that changes with every key is never heard.
    if (this.#state !== "arriving" && this.#state !== "loading") {
      const said = this.#failure?.message ?? (verdict === null ? "" : `${title}: ${counts}`);
      if (this.#status.textContent !== said) {
        this.#status.textContent = said;
      }
    }
    this.#tellForm();
  }

  /** Problems that are there stay the same elements: neither focus nor the reader's place is lost. */
  #drawProblems(findings: readonly Finding[]): void {
    const known = new Map<string, HTMLLIElement>();
    for (const item of this.#problems.querySelectorAll("li")) {
      known.set(item.dataset.id ?? "", item);
    }
    const items = findings.slice(0, problemsMax).map((finding) => {
      const { id, severity, span } = finding;
      const text = finding.message ?? `${finding.item === undefined ? "" : `${finding.item}: `}${finding.rule} …`;
      const item = known.get(String(id)) ?? element("li", "");
      const key = `${severity} ${span.line}:${span.column} ${text}`;
      if (item.dataset.key !== key) {
        const sign = element("span", "sign", signs[severity]);
        sign.setAttribute("aria-hidden", "true");
        const spoken = element("span", "visually-hidden", severityWords[severity]);
        spoken.removeAttribute("part");
        const message = element("span", "message", spoken, text);
        const place = element("span", "place", `${span.line}:${span.column}`);
        place.title = `Line ${span.line}, column ${span.column}`;
        const button = element("button", `problem ${severity}`, sign, message, place);
        button.type = "button";
        button.dataset.finding = String(id);
        item.replaceChildren(button);
        item.removeAttribute("part");
        item.dataset.id = String(id);
        item.dataset.key = key;
      }
      return item;
    });
    const now = [...this.#problems.children];
    if (now.length !== items.length || now.some((item, index) => item !== items[index])) {
      this.#problems.replaceChildren(...items);
    }
  }

  /** In a form: the text is its value, and only an artifact that keeps its contract can be submitted. */
  #tellForm(): void {
    const { states } = this.#internals;
    if (states !== undefined) {
      try {
        states.clear();
        states.add(this.#state);
        if (this.#verdict !== null) {
          states.add(this.#verdict.valid ? "valid" : "invalid");
        }
      } catch {
        // A browser of the time when states began with two dashes.
      }
    }
    this.#internals.setFormValue(this.text);
    const anchor = [this.#view.root, this.#shape.root, this.#problems].find((one) => !one.hidden);
    let flags: ValidityStateFlags = {};
    let message = "";
    if (this.#state === "empty") {
      if (this.hasAttribute("required")) {
        flags = { valueMissing: true };
        message = "There is no artifact yet.";
      }
    } else if (this.#verdict === null) {
      flags = { customError: true };
      message = this.#failure?.message ?? "The artifact is not complete yet.";
    } else if (!this.#verdict.valid) {
      flags = { customError: true };
      message = this.findings.find(({ severity }) => severity === "error")?.message ?? "It breaks its contract.";
    }
    if (message === "") {
      this.#internals.setValidity({});
    } else {
      this.#internals.setValidity(flags, message, anchor);
    }
  }
}

export interface PlumbPreview {
  addEventListener<Name extends keyof PreviewEvents>(
    type: Name,
    listener: (this: PlumbPreview, event: PreviewEvents[Name]) => void,
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
    "plumb-preview": PlumbPreview;
  }
}

if (globalThis.customElements !== undefined && customElements.get("plumb-preview") === undefined) {
  customElements.define("plumb-preview", PlumbPreview);
}
