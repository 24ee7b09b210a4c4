/** Findings as a list of buttons. A finding that stays keeps its element, so that neither focus nor place is lost. */
import type { Finding } from "../verdict.js";
import { element, sign, spoken } from "./dom.js";
import { findingWords } from "./words.js";

const signs = { error: "✗", warning: "!", info: "i" } as const;
const severityWords = { error: "Error: ", warning: "Warning: ", info: "Note: " } as const;
export const problemsMax = 200;

export class ProblemList {
  readonly root = element("ol", "problems");
  #known = new Map<number, { item: HTMLLIElement; key: string }>();

  /** `onSelect` has the id of the finding that somebody has chosen. */
  constructor(onSelect: (id: number) => void) {
    this.root.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("button[data-finding]");
      if (button !== null) {
        onSelect(Number(button.dataset.finding));
      }
    });
  }

  show(findings: readonly Finding[]): void {
    const known = this.#known;
    this.#known = new Map();
    const items = findings.slice(0, problemsMax).map((finding) => {
      const { id, severity, span } = finding;
      const text = findingWords(finding);
      const key = `${severity} ${span.line}:${span.column} ${text}`;
      const one = known.get(id) ?? { item: element("li", ""), key: "" };
      if (one.key !== key) {
        const message = element("span", "message", spoken(severityWords[severity]), text);
        const place = element("span", "place", `${span.line}:${span.column}`);
        place.title = `Line ${span.line}, column ${span.column}`;
        const button = element("button", `problem ${severity}`, sign(signs[severity]), message, place);
        button.type = "button";
        button.dataset.finding = String(id);
        one.item.replaceChildren(button);
        one.key = key;
      }
      this.#known.set(id, one);
      return one.item;
    });
    const now = [...this.root.children];
    if (now.length !== items.length || now.some((item, index) => item !== items[index])) {
      this.root.replaceChildren(...items);
    }
  }

  /** The list item of a finding. */
  itemOf(id: number): HTMLLIElement | undefined {
    return this.#known.get(id)?.item;
  }

  select(id: number): void {
    for (const button of this.root.querySelectorAll<HTMLElement>("button[data-finding]")) {
      if (button.dataset.finding === String(id)) {
        button.setAttribute("aria-current", "true");
      } else {
        button.removeAttribute("aria-current");
      }
    }
  }
}
