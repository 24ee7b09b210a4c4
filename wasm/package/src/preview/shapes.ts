/** An artifact as what it is: a quiz, cards, a tree. What is no such thing is shown as JSON. */
import type { Finding, Severity } from "../verdict.js";
import { element } from "./artifact_view.js";

export type Shape = "quiz" | "cards" | "tree";

/** A page is for looking at: what is beyond this is counted. */
const shownMax = 500;
const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

type Json = { readonly [key: string]: unknown };
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Elements by the place of what they show. */
export class ShapeView {
  readonly root = element("div", "shape");
  readonly #places = new Map<string, HTMLElement>();
  #left = shownMax;
  #unseen = 0;

  clear(): void {
    this.#places.clear();
    this.#left = shownMax;
    this.#unseen = 0;
    this.root.replaceChildren();
  }

  /** False where the artifact is not of that shape. */
  show(shape: Shape, value: unknown): boolean {
    this.clear();
    const made = !isObject(value)
      ? undefined
      : shape === "quiz"
        ? this.#each(value.questions, "/questions", "questions", (one, at) => this.#question(one, at))
        : shape === "cards"
          ? this.#each(value.flashcards, "/flashcards", "cards", (one, at) => this.#card(one, at))
          : isObject(value.root)
            ? element("ul", "tree", this.#branch(value.root, "/root"))
            : undefined;
    if (made === undefined) {
      return false;
    }
    this.root.append(made);
    if (this.#unseen > 0) {
      this.root.append(element("p", "more", `and ${this.#unseen.toLocaleString("en")} more`));
    }
    return true;
  }

  /** At what the finding is about, or the nearest thing around it. */
  mark({ at, id, severity, message }: Finding): void {
    const target = this.#at(at);
    if (target === undefined) {
      return;
    }
    const marked = (["error", "warning", "info"] as const).find((one) => target.classList.contains(one));
    if (marked === undefined || rank[severity] < rank[marked]) {
      target.classList.remove("error", "warning", "info");
      target.classList.add("marked", severity);
      target.setAttribute("part", `${target.className.split(" ")[0]} ${severity}`);
    }
    target.dataset.finding ??= String(id);
    target.append(element(/^[OU]L$/.test(target.tagName) ? "li" : "span", `why ${severity}`, message ?? ""));
  }

  reveal({ at }: Finding): void {
    this.root.querySelector(".current")?.classList.remove("current");
    const target = this.#at(at);
    if (target !== undefined) {
      target.classList.add("current");
      this.root.scrollTop = Math.max(0, target.offsetTop - this.root.offsetTop - this.root.clientHeight / 2);
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

  #placed<Made extends HTMLElement>(at: string, made: Made): Made {
    this.#places.set(at, made);
    return made;
  }

  #each(
    all: unknown,
    at: string,
    part: string,
    make: (one: Json, at: string) => HTMLElement,
  ): HTMLElement | undefined {
    if (!isList(all)) {
      return undefined;
    }
    const list = element("ol", part);
    all.forEach((one, i) => {
      if (this.#left-- > 0) {
        const item = isObject(one) ? make(one, `${at}/${i}`) : element("li", "other", text(one));
        list.append(this.#placed(`${at}/${i}`, item));
      } else {
        ++this.#unseen;
      }
    });
    return this.#placed(at, list);
  }

  #question(one: Json, at: string): HTMLElement {
    const made = element("li", "question", this.#placed(`${at}/question`, element("p", "asked", text(one.question ?? ""))));
    const options = this.#placed(`${at}/options`, element("ul", "options"));
    if (isList(one.options)) {
      one.options.slice(0, shownMax).forEach((option, i) => {
        const right = option === one.correct_answer;
        const sign = element("span", "sign", right ? "✓" : "○");
        sign.setAttribute("aria-hidden", "true");
        const item = element("li", right ? "option right" : "option", sign, element("span", "option-text", text(option)));
        if (right) {
          const spoken = element("span", "visually-hidden", " (correct)");
          spoken.removeAttribute("part");
          item.append(spoken);
        }
        options.append(this.#placed(`${at}/options/${i}`, item));
      });
    }
    made.append(options);
    if (!isList(one.options) || !one.options.includes(one.correct_answer)) {
      made.append(this.#placed(`${at}/correct_answer`, element("p", "answer", `Answer: ${text(one.correct_answer ?? "")}`)));
    }
    if (one.explanation !== undefined) {
      made.append(this.#placed(`${at}/explanation`, element("p", "explanation", text(one.explanation))));
    }
    return made;
  }

  #card(one: Json, at: string): HTMLElement {
    return element(
      "li",
      "card",
      this.#placed(`${at}/front`, element("p", "front", text(one.front ?? ""))),
      this.#placed(`${at}/back`, element("p", "back", text(one.back ?? ""))),
    );
  }

  #branch(one: Json, at: string): HTMLElement {
    const made = this.#placed(at, element("li", "branch"));
    made.append(this.#placed(`${at}/label`, element("span", "label", text(one.label ?? ""))));
    if (isList(one.children) && one.children.length > 0) {
      const list = element("ul", "tree");
      one.children.forEach((child, i) => {
        if (isObject(child) && this.#left-- > 0) {
          list.append(this.#branch(child, `${at}/children/${i}`));
        } else {
          ++this.#unseen;
        }
      });
      made.append(list);
    }
    return made;
  }
}
