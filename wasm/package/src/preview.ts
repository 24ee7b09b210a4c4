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
import type { CheckOptions, Contract, Schema, Stream } from "./contract.js";
import { element, flushLeft, sheetOf } from "./elements/dom.js";
import { tellForm } from "./elements/field.js";
import { Judge } from "./elements/judge.js";
import { giveNameBack, nameLandmark } from "./elements/landmark.js";
import { ProblemList, problemsMax } from "./elements/problems.js";
import { countWords, decisionWords, editWords, plural } from "./elements/words.js";
import { PlumbError } from "./error.js";
import { ArtifactView } from "./preview/artifact_view.js";
import { formatted, writtenSoFar, type Formatted } from "./preview/formatted.js";
import { showRun, showStream, type Followed } from "./preview/following.js";
import { shapes, ShapeView, type Shape } from "./preview/shapes.js";
import { style } from "./preview/style.js";
import type { Run } from "./run.js";
import type { StreamedValue } from "./value.js";
import type { Finding, Verdict } from "./verdict.js";

export type PreviewState = "loading" | "empty" | "arriving" | "judged" | "failed";

/** What the element dispatches; all bubble and leave shadow trees. */
export interface PreviewEvents {
  /** A finding has become certain. */
  "plumb-finding": CustomEvent<Finding>;
  "plumb-verdict": CustomEvent<Verdict>;
  /** The contract or the context was refused, the module cannot be had, or `fail` was called. */
  "plumb-error": CustomEvent<PlumbError>;
  /** Somebody has chosen a problem. */
  "plumb-select": CustomEvent<Finding>;
}

// Where there is no document (a server that renders pages) the module can still be imported.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export class PlumbPreview extends Base {
  static readonly formAssociated = true;
  static readonly observedAttributes = ["contract", "value", "context", "module", "show", "required", "edits", "format", "label"];

  readonly #internals: ElementInternals;
  readonly #judge = new Judge(this);
  readonly #view: ArtifactView;
  readonly #shape: ShapeView;
  readonly #frame = element("section", "preview");
  readonly #edited = element("p", "edits");
  readonly #head = element("header", "head");
  readonly #decision = element("strong", "decision");
  readonly #counts = element("span", "counts");
  readonly #title = element("span", "title");
  readonly #problems: ProblemList;
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
  #stream: Stream | undefined;
  /** What has arrived as a value: of a stream, and of a text that is no whole JSON. */
  #soFar: StreamedValue | undefined;
  /** No more is pushed to what is arriving: it ends, or `fail` was called. */
  #closing = false;
  #brokenOff = false;
  #queue: Promise<void> = Promise.resolve();
  #checkDue = false;
  #drawDue = false;
  #growDue = false;
  #ownText = true; // nothing but the text between the tags has been given

  constructor() {
    super();
    this.#internals = this.attachInternals();
    const shadow = this.attachShadow({ mode: "open", delegatesFocus: true });
    shadow.adoptedStyleSheets = [sheetOf(style)];
    this.#view = new ArtifactView();
    this.#shape = new ShapeView();
    this.#problems = new ProblemList((id) => {
      const finding = this.#findings.get(id);
      if (finding !== undefined) {
        this.select(id);
        this.#tell("plumb-select", finding);
      }
    });
    this.#head.append(this.#decision, this.#counts, this.#title);
    this.#status.setAttribute("role", "status");
    this.#status.removeAttribute("part");
    this.#frame.append(
      this.#head,
      this.#view.root,
      this.#shape.root,
      this.#edited,
      this.#problems.root,
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
    this.#judge.prepare();
  }

  disconnectedCallback(): void {
    this.#watch?.disconnect();
    giveNameBack(this.#frame);
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) {
      return;
    }
    if (name === "value") {
      this.value = now ?? "";
    } else if (name === "show" || name === "label") {
      this.#draw();
    } else if (name === "format" || (name === "edits" && this.#state === "arriving")) {
      this.#asGiven();
      this.#grow();
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
    this.#arrive();
    this.#ownText = false;
    const mine = this.#wanted;
    const text = typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true });
    this.#text += text;
    if (!this.#drawn) {
      this.#view.append(text);
    }
    this.#then(mine, async () => {
      const stream = await this.#streaming(mine);
      if (stream !== undefined) {
        this.#found(stream.push(chunk));
        this.#growSoon();
      }
    });
    this.#drawSoon();
  }

  /** The artifact is whole. The verdict is the one that the whole text would have been given. */
  async end(): Promise<Verdict> {
    // A stream that has failed has no end: whoever asks for it is told why.
    if (!this.#brokenOff) {
      this.#arrive();
    }
    this.#closing = true;
    const mine = this.#wanted;
    let verdict: Verdict | undefined;
    this.#then(mine, async () => {
      const stream = await this.#streaming(mine);
      if (stream !== undefined) {
        this.#grow();
        this.#stream = undefined;
        verdict = stream.end();
        if (this.#soFar !== undefined) {
          this.#soFar = stream.value();
        }
        this.#found(stream.last);
        this.#judged(verdict);
      }
    });
    await this.#queue;
    if (verdict === undefined) {
      throw this.#failure ?? new PlumbError("invalid_argument", "another artifact was given before this one had ended");
    }
    return verdict;
  }

  /**
   * What was arriving does not go on: the connection is lost, the model refused. What has arrived stays, with its problems;
   * `reason`, a sentence or what was caught, is shown, and told with `plumb-error`.
   */
  fail(reason: unknown): void {
    this.#arrive();
    this.#closing = this.#brokenOff = true;
    const message = reason instanceof Error ? reason.message : typeof reason === "string" ? reason : "";
    const failure =
      reason instanceof PlumbError
        ? reason
        : new PlumbError("unavailable", message === "" ? "The answer broke off." : message, {}, reason);
    const mine = this.#wanted;
    this.#then(mine, async () => {
      // What came before is judged first, where that can be done.
      this.#grow();
      throw failure;
    });
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
    this.#problems.select(id);
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
    this.#soFar = undefined;
    this.#closing = this.#brokenOff = false;
    this.#decoder = new TextDecoder();
    this.#text = text;
    this.#state = state;
    this.#verdict = null;
    this.#failure = undefined;
    this.#findings.clear();
    this.#asGiven();
    this.#drawSoon();
  }

  /** Something arrives: a new artifact, unless one is on its way. */
  #arrive(): void {
    if (this.#state !== "arriving" || this.#closing) {
      this.#begin("arriving", "");
    }
  }

  /** The stream of what is arriving; nothing, where that is another artifact by now. */
  async #streaming(mine: number): Promise<Stream | undefined> {
    if (this.#stream === undefined) {
      const contract = await this.#judge.read();
      if (mine !== this.#wanted) {
        return undefined;
      }
      this.#stream = contract.stream(this.#judge.options());
    }
    return this.#stream;
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
        const contract = await this.#judge.read();
        if (mine !== this.#wanted) {
          return;
        }
        const options = this.#judge.options();
        const verdict = contract.check(this.#text, options);
        if (isShape(this.#format) && parsed(verdict.text ?? this.#text) === undefined) {
          this.#soFar = begun(contract, this.#text, options);
        }
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

  // --- What comes of it -------------------------------------------------------------------------------------------

  #found(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const isNew = !this.#findings.has(finding.id);
      this.#findings.set(finding.id, finding);
      if (finding.shadowedBy === undefined) {
        if (this.#drawn) {
          this.#shape.mark(finding);
        } else {
          this.#view.mark(finding);
        }
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
    const failure = this.#judge.failure(error);
    if (!this.#brokenOff) {
      this.#view.show(this.#text); // nothing is made of it
    }
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#failure = failure;
    this.#state = "failed";
    this.#draw();
    this.#tell("plumb-error", failure);
  }

  /** `quiz`, `cards`, `tree`, `story` or `json`; else the artifact is shown as it was given. */
  get #format(): Shape | "json" | "" {
    const format = this.getAttribute("format") ?? "";
    return format === "json" || isShape(format) ? format : "";
  }

  /** What is shown is made of the value, and not the text itself: so nobody sees what edits take out. */
  get #drawn(): boolean {
    const edits = this.getAttribute("edits") ?? "";
    return this.#format !== "" || (edits !== "" && edits !== "none");
  }

  #asGiven(): void {
    this.#shape.clear();
    this.#view.clear();
    if (!this.#drawn) {
      this.#view.append(this.#text);
      this.#view.markOnly(this.findings);
    }
  }

  #growSoon(): void {
    if (!this.#growDue && this.#drawn) {
      this.#growDue = true;
      // Nobody looks at a page that is hidden, and it has no frames.
      (document.hidden ? setTimeout : requestAnimationFrame)(() => {
        this.#growDue = false;
        this.#grow();
      });
    }
  }

  /** Draws what has arrived: nothing of it is ever taken back. */
  #grow(): void {
    if (this.#stream === undefined || !this.#drawn) {
      return;
    }
    this.#soFar = this.#stream.value();
    this.#drawSoFar();
    this.#draw();
  }

  /** False where there is nothing of that shape. */
  #drawSoFar(): boolean {
    const { value, growing } = this.#soFar!;
    const format = this.#format;
    if (value === undefined) {
      return false;
    }
    if (isShape(format)) {
      return this.#shape.show(format, value, growing) && this.#shape.size > 0;
    }
    this.#write(writtenSoFar(value, growing));
    return true;
  }

  /** Shows a text of our own, and in it what the findings are about. */
  #write({ text, places }: Formatted): void {
    this.#view.show(text);
    this.#view.markOnly(
      this.findings.map((finding) => {
        let { at } = finding;
        while (!places.has(at) && at !== "") {
          at = at.slice(0, at.lastIndexOf("/"));
        }
        const [utf16From, utf16To] = places.get(at) ?? [0, 1];
        return { ...finding, span: { ...finding.span, utf16From, utf16To } };
      }),
    );
  }

  /** What was judged, in the form that was asked for; a shape that is no whole JSON, as far as it goes; else as it was given. */
  #drawArtifact(): void {
    const verdict = this.#verdict;
    if (verdict === null) {
      return;
    }
    const format = this.#format;
    const whole = parsed(this.text);
    if (isShape(format)) {
      const shown = whole === undefined ? this.#soFar !== undefined && this.#drawSoFar() : this.#shape.show(format, whole.value);
      if (shown) {
        this.#view.clear();
        this.#shape.markOnly(this.findings);
        return;
      }
    }
    this.#shape.clear();
    const asWritten = format !== "json";
    const made =
      whole === undefined || (asWritten && this.text === this.#text) ? undefined : formatted(this.text, asWritten);
    if (made !== undefined) {
      this.#write(made);
    } else {
      this.#view.show(this.#text);
      this.#view.markOnly(this.findings);
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
    const { findings } = this;
    const told = countWords(findings);
    const verdict = this.#verdict;
    let title = "";
    let tone = "";
    if (verdict !== null) {
      ({ title, tone } = decisionWords(verdict));
    } else {
      const failed = this.#brokenOff ? "Broken off" : "Not checked";
      title = { loading: "Loading", empty: "Nothing yet", arriving: "Streaming", failed, judged: "" }[this.#state];
      tone = this.#state === "failed" || told.includes("error") ? "error" : "";
    }
    this.#head.className = `head ${tone === "" ? "" : `tone-${tone}`} ${this.#state === "arriving" ? "arriving" : ""}`;
    this.#decision.textContent = title;
    const open = this.#state === "arriving" || (this.#state === "failed" && this.#brokenOff);
    const counts = told || (this.#state === "judged" || open ? "no problems" : "");
    this.#counts.textContent = open ? `${counts} so far` : counts;
    this.#title.textContent = this.#judge.title;
    this.#head.hidden = !show.includes("head");
    const shaped = this.#shape.root.firstChild !== null;
    this.#view.root.hidden = !show.includes("artifact") || shaped || this.#view.isEmpty;
    this.#shape.root.hidden = !show.includes("artifact") || !shaped;
    const edits = (verdict?.edits ?? []).filter(({ applied }) => applied);
    this.#edited.textContent = edits.length === 0 ? "" : editWords(edits);
    this.#edited.hidden = edits.length === 0 || !show.includes("head");
    if (this.isConnected) {
      // The landmark's name: `label`, else the contract's title.
      nameLandmark(this.#frame, (this.getAttribute("label") ?? this.#judge.title) || "Artifact");
    }
    this.#problems.show(findings);
    this.#problems.root.hidden = !show.includes("problems") || findings.length === 0;
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

  /** In a form: the text is its value, and only an artifact that keeps its contract can be submitted. */
  #tellForm(): void {
    tellForm(this.#internals, {
      state: this.#state,
      text: this.text,
      verdict: this.#verdict,
      findings: this.findings,
      failure: this.#failure?.message,
      required: this.hasAttribute("required"),
      anchor: [this.#view.root, this.#shape.root, this.#problems.root].find((one) => !one.hidden),
    });
  }
}

function isShape(format: string): format is Shape {
  return shapes.includes(format as Shape);
}

/** The value of a text that is JSON. */
function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** What a stream would have shown of a text that is no whole JSON. */
function begun(contract: Contract, text: string, options: CheckOptions): StreamedValue {
  const stream = contract.stream(options);
  try {
    stream.push(text);
    return stream.value();
  } finally {
    stream.dispose();
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
