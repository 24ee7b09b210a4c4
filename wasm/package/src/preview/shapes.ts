/**
 * An artifact as what it is: a quiz, cards, a tree, a story; also while it arrives. Whatever is complete is drawn once, so
 * that a reader's place and selection stay. What is no such thing is shown as JSON.
 */
import { element, sign, spoken } from "../elements/dom.js";
import { findingWords } from "../elements/words.js";
import type { Finding, Severity } from "../verdict.js";

export const shapes = ["quiz", "cards", "tree", "story"] as const;
export type Shape = (typeof shapes)[number];

/** A page is for looking at: what is beyond this is counted. */
const shownMax = 500;
const severities: readonly Severity[] = ["error", "warning", "info"];

type Json = { readonly [key: string]: unknown };
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** A line of somebody's text, in the direction of its own writing. */
function line<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  part: string,
  value: unknown,
): HTMLElementTagNameMap[Name] {
  const made = element(name, part, text(value ?? ""));
  made.dir = "auto";
  return made;
}

interface Drawn {
  readonly item: HTMLElement;
  /** Places in it. */
  readonly places: ReadonlyMap<string, HTMLElement>;
}

interface Shown {
  finding: Finding;
  target: HTMLElement;
  why: HTMLElement;
}

/** Elements by the place of what they show. */
export class ShapeView {
  readonly root = element("div", "shape");
  readonly #more = element("p", "more");
  #places = new Map<string, HTMLElement>();
  /** Items that are complete. */
  readonly #complete = new Map<string, Drawn>();
  readonly #lists = new Map<string, HTMLElement>();
  #growing: string | undefined;
  #left = shownMax;
  #unseen = 0;
  readonly #findings = new Map<number, Finding>();
  readonly #shown = new Map<number, Shown>();

  constructor() {
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "Artifact");
  }

  clear(): void {
    this.#places.clear();
    this.#complete.clear();
    this.#lists.clear();
    this.#findings.clear();
    this.#shown.clear();
    this.root.replaceChildren();
  }

  /** The number of items that are drawn. */
  get size(): number {
    return shownMax - Math.max(0, this.#left) + this.#unseen;
  }

  /** False where the artifact is not of that shape. `growing`: the innermost place that is still arriving. */
  show(shape: Shape, value: unknown, growing?: string): boolean {
    this.#growing = growing;
    this.#left = shownMax;
    this.#unseen = 0;
    this.#places = new Map();
    const { scrollTop, clientHeight, scrollHeight } = this.root;
    const follow = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 8;
    const made = isObject(value) ? this.#parts(shape, value) : [];
    if (made.length === 0) {
      this.root.replaceChildren();
      return false;
    }
    this.#more.textContent = this.#unseen > 0 ? `and ${this.#unseen.toLocaleString("en")} more` : "";
    this.#more.hidden = this.#unseen === 0;
    put(this.root, [...made, this.#more]);
    this.root.querySelector(".growing")?.classList.remove("growing");
    if (growing !== undefined) {
      this.#at(growing)?.classList.add("growing");
    }
    this.#findings.forEach((finding) => this.#explain(finding));
    if (follow) {
      this.root.scrollTop = this.root.scrollHeight;
    }
    return true;
  }

  /** At what the finding is about, or the nearest thing around it. */
  mark(finding: Finding): void {
    this.#findings.set(finding.id, finding);
    this.#explain(finding);
  }

  /** These findings and no others. */
  markOnly(findings: readonly Finding[]): void {
    const wanted = new Set(findings.map(({ id }) => id));
    this.#findings.clear();
    for (const [id, { why, target }] of this.#shown) {
      if (!wanted.has(id)) {
        why.remove();
        color(target);
        this.#shown.delete(id);
      }
    }
    findings.forEach((finding) => this.mark(finding));
  }

  reveal({ at }: Finding): void {
    this.root.querySelector(".current")?.classList.remove("current");
    const target = this.#at(at);
    if (target !== undefined) {
      target.classList.add("current");
      this.root.scrollTop = Math.max(0, target.offsetTop - this.root.clientHeight / 2);
    }
  }

  /** The words of a finding, where it is by now: what it is about may have been drawn after it was certain. */
  #explain(finding: Finding): void {
    const target = this.#at(finding.at);
    const known = this.#shown.get(finding.id);
    if (target === undefined || (known?.target === target && known.finding === finding && target.contains(known.why))) {
      return;
    }
    known?.why.remove();
    const why = element(/^[OU]L$/.test(target.tagName) ? "li" : "span", `why ${finding.severity}`, findingWords(finding));
    target.append(why);
    this.#shown.set(finding.id, { finding, target, why });
    color(target);
    if (known !== undefined && known.target !== target) {
      color(known.target);
    }
  }

  #at(pointer: string): HTMLElement | undefined {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
      const found = this.#places.get(at);
      if (found !== undefined || at === "") {
        return found;
      }
    }
  }

  #isGrowing(at: string): boolean {
    return this.#growing !== undefined && (this.#growing === at || this.#growing.startsWith(`${at}/`));
  }

  #placed<Made extends HTMLElement>(at: string, made: Made): Made {
    this.#places.set(at, made);
    return made;
  }

  #parts(shape: Shape, value: Json): HTMLElement[] {
    const each = (name: string, part: string, make: (one: Json, at: string) => HTMLElement): HTMLElement[] =>
      isList(value[name]) ? [this.#each(value[name], `/${name}`, part, make)] : [];
    switch (shape) {
      case "quiz":
        return each("questions", "questions", (one, at) => this.#question(one, at));
      case "cards":
        return each("flashcards", "cards", (one, at) => this.#card(one, at));
      case "tree": {
        if (!isObject(value.root)) {
          return [];
        }
        const list = this.#list("", "ul", "tree");
        put(list, [this.#item("/root", value.root, (one, at) => this.#branch(one, at))]);
        return [list];
      }
      case "story": {
        const parts = [
          ...each("dilemmas", "dilemmas", (one, at) => this.#dilemma(one, at)),
          ...each("beats", "beats", (one, at) => this.#beat(one, at)),
        ];
        return typeof value.title === "string"
          ? [this.#placed("/title", line("p", "story-title", value.title)), ...parts]
          : parts;
      }
    }
  }

  /** A list that stays the same element. */
  #list(at: string, name: "ol" | "ul", part: string): HTMLElement {
    let list = this.#lists.get(at);
    if (list === undefined) {
      list = element(name, part);
      this.#lists.set(at, list);
    }
    return list;
  }

  #item(at: string, one: unknown, make: (one: Json, at: string) => HTMLElement): HTMLElement {
    --this.#left;
    const known = this.#complete.get(at);
    if (known !== undefined) {
      known.places.forEach((target, place) => this.#places.set(place, target));
      return known.item;
    }
    const around = this.#places;
    const places = (this.#places = new Map<string, HTMLElement>());
    const item = this.#placed(at, isObject(one) ? make(one, at) : line("li", "other", one));
    places.forEach((target, place) => around.set(place, target));
    this.#places = around;
    if (!this.#isGrowing(at)) {
      this.#complete.set(at, { item, places });
    }
    return item;
  }

  #each(all: readonly unknown[], at: string, part: string, make: (one: Json, at: string) => HTMLElement): HTMLElement {
    const list = this.#list(at, "ol", part);
    const items: HTMLElement[] = [];
    all.forEach((one, i) => {
      if (this.#left > 0) {
        items.push(this.#item(`${at}/${i}`, one, make));
      } else {
        ++this.#unseen;
      }
    });
    put(list, items);
    return this.#placed(at, list);
  }

  #question(one: Json, at: string): HTMLElement {
    const made = element("li", "question", this.#placed(`${at}/question`, line("p", "asked", one.question)));
    const options = this.#placed(`${at}/options`, element("ul", "options"));
    // A word that is still arriving may be the beginning of an option, and no answer yet.
    const answered = one.correct_answer !== undefined && !this.#isGrowing(`${at}/correct_answer`);
    if (isList(one.options)) {
      one.options.slice(0, shownMax).forEach((option, i) => {
        const right = answered && option === one.correct_answer;
        const item = element("li", right ? "option right" : "option", sign(right ? "✓" : "○"), line("span", "option-text", option));
        if (right) {
          item.append(spoken(" (correct)"));
        }
        options.append(this.#placed(`${at}/options/${i}`, item));
      });
    }
    made.append(options);
    if ((answered || !this.#isGrowing(at)) && (!isList(one.options) || !one.options.includes(one.correct_answer))) {
      const answer = element("p", "answer", `Answer: ${text(one.correct_answer ?? "")}`);
      made.append(this.#placed(`${at}/correct_answer`, answer));
    }
    if (one.explanation !== undefined) {
      made.append(this.#placed(`${at}/explanation`, line("p", "explanation", one.explanation)));
    }
    return made;
  }

  #card(one: Json, at: string): HTMLElement {
    return element(
      "li",
      "card",
      this.#placed(`${at}/front`, line("p", "front", one.front)),
      this.#placed(`${at}/back`, line("p", "back", one.back)),
    );
  }

  #branch(one: Json, at: string): HTMLElement {
    const made = element("li", "branch", this.#placed(`${at}/label`, line("span", "label", one.label)));
    if (isList(one.children) && one.children.length > 0) {
      const list = element("ul", "tree");
      one.children.forEach((child, i) => {
        if (isObject(child) && this.#left > 0) {
          list.append(this.#item(`${at}/children/${i}`, child, (inner, place) => this.#branch(inner, place)));
        } else {
          ++this.#unseen;
        }
      });
      made.append(list);
    }
    return made;
  }

  #dilemma(one: Json, at: string): HTMLElement {
    const made = element("li", "dilemma", this.#placed(`${at}/question`, line("p", "asked", one.question)));
    const answers = this.#placed(`${at}/answers`, element("ul", "answers"));
    if (isList(one.answers)) {
      one.answers.slice(0, shownMax).forEach((answer, i) => {
        const words = isObject(answer) ? answer.description : answer;
        answers.append(this.#placed(`${at}/answers/${i}`, line("li", "answer", words)));
      });
    }
    made.append(answers);
    return made;
  }

  #beat(one: Json, at: string): HTMLElement {
    const made = element("li", "beat");
    if (typeof one.label === "string") {
      made.append(this.#placed(`${at}/label`, line("p", "label", `→ ${one.label}`)));
    }
    made.append(this.#placed(`${at}/summary`, line("p", "summary", one.summary)));
    if (one.prose !== undefined) {
      made.append(this.#placed(`${at}/prose`, line("p", "prose", one.prose)));
    }
    return made;
  }
}

/** The children that are to be there, with as few changes as that takes. */
function put(list: HTMLElement, items: readonly HTMLElement[]): void {
  items.forEach((item, i) => {
    const there = list.children[i];
    if (there === undefined) {
      list.append(item);
    } else if (there !== item) {
      there.replaceWith(item);
    }
  });
  // What explains a list is its last children.
  for (const other of [...list.children].slice(items.length)) {
    if (!other.classList.contains("why")) {
      other.remove();
    }
  }
}

/** As the gravest of what is said about it. */
function color(target: HTMLElement): void {
  const whys = [...target.children].filter((one) => one.classList.contains("why"));
  const worst = severities.find((one) => whys.some((why) => why.classList.contains(one)));
  target.classList.remove("marked", ...severities);
  if (worst !== undefined) {
    target.classList.add("marked", worst);
  }
  const part = target.className.split(" ")[0]!;
  target.setAttribute("part", worst === undefined ? part : `${part} ${worst}`);
}
