/**
 * Where the items of a boundary stand while its run goes on, read from the journal: what is judged, what was sent back and
 * why. So functions are asked with items, and not with the prompts that a model gets.
 */
import type { Journal } from "./journal.js";

/** Why an item was sent back. */
export interface Rejection {
  /** The rule that it breaks: a rule of the contract, or a keyword. */
  readonly rule: string;
  readonly reason: string;
  readonly suggestion?: string;
  /** What the rule's `action` says to do. */
  readonly action?: string;
  /** Why the last revision of this item was not used. */
  readonly unusable?: string;
}

/** @internal */
export interface Standing {
  id: string;
  name: string;
  value: unknown;
  upstream: unknown;
  why: Rejection | undefined;
  unusable: string;
}

/** @internal */
export interface Rule {
  readonly id: string;
  readonly title?: string;
  readonly ask?: string;
  readonly action?: string;
}

interface Rejected extends Rejection {
  i: number;
}
interface Gated {
  rejected: Rejected[];
  open: number[];
  batches: number[];
  too_large: number[];
}
interface Revision {
  values: unknown[];
  skipped?: string;
}

/**
 * The part of a crossing that a key stands in, and which call of it: "validate~2:1" is the second call of the judge in its
 * cycle, "revise-1.4:0" the revision of the fifth rejected item.
 */
function placeOf(key: string): { part: string; at: number } | undefined {
  const [, part, item, call] = /^boundary-items\/(gate|validate|revise)(?:~\d+)?(?:-\d+\.(\d+))?(?::(\d+))?$/.exec(key) ?? [];
  return part === undefined ? undefined : { part, at: Number((part === "revise" ? item : call) ?? 0) };
}

/** @internal */
export class CrossingItems {
  readonly #journal: Journal;
  readonly #pointer: string;
  readonly rules: readonly Rule[];
  #items: Standing[] = [];
  #next = 0;
  #cycle = -1;
  #batches: Standing[][] = [];
  #rejected: Standing[] | undefined;
  #revisions: Revision[] = [];

  constructor(journal: Journal, pointer: string, rules: readonly Rule[]) {
    this.#journal = journal;
    this.#pointer = pointer;
    this.rules = rules;
  }

  /** The items that one call of the judge is about, with the number of the cycle. */
  judged(key: string): { items: readonly Standing[]; cycle: number } | undefined {
    this.#read();
    const place = placeOf(key);
    const items = place?.part === "validate" ? this.#batches[place.at] : undefined;
    return items && { items, cycle: this.#cycle };
  }

  /** The rejected item that one revision is about. */
  revised(key: string): { item: Standing; cycle: number } | undefined {
    this.#read();
    const place = placeOf(key);
    const item = place?.part === "revise" ? this.#sentBack()[place.at] : undefined;
    return item && { item, cycle: this.#cycle + 1 };
  }

  /** Catches up with what has been journalled. */
  #read(): void {
    for (const { lines } = this.#journal; this.#next < lines.length; ++this.#next) {
      if (this.#next === 0) {
        this.#begin();
      } else if (lines[this.#next]!.includes('"kind":"scope"')) {
        const { key = "", data } = this.#journal.entry(this.#next);
        const place = placeOf(key);
        if (place?.part === "gate") {
          this.#gated(data as Gated);
        } else if (place?.part === "validate") {
          this.#reject((data as Gated).rejected);
        } else if (place !== undefined) {
          this.#revisions[place.at] = data as Revision;
        }
      }
    }
  }

  #begin(): void {
    const { input } = this.#journal.entry(0).data as { input: { items: unknown[]; upstream?: unknown } };
    const { items, upstream = null } = input;
    this.#items = items.map((value, i) => ({
      id: String(i + 1),
      name: this.#nameOf(value),
      value,
      upstream: Array.isArray(upstream) ? upstream[i] : upstream,
      why: undefined,
      unusable: "",
    }));
  }

  /** Each cycle has one gate, and a call of the judge only where something is left to judge. */
  #gated({ rejected, open, batches, too_large: tooLarge }: Gated): void {
    ++this.#cycle;
    if (this.#revisions.length > 0) {
      this.#takeRevisions();
    }
    this.#reject(rejected);
    const large = new Set(tooLarge);
    let next = 0;
    this.#batches = batches.map((size) => {
      const batch: Standing[] = [];
      while (batch.length < size) {
        const i = open[next++]!;
        if (!large.has(i)) {
          batch.push(this.#items[i]!);
        }
      }
      return batch;
    });
  }

  #reject(rejected: readonly Rejected[]): void {
    for (const { i, rule, reason, suggestion = "", action = "" } of rejected) {
      const todo = action || this.rules.find(({ id }) => id === rule)?.action;
      this.#items[i]!.why = { rule, reason, ...(suggestion && { suggestion }), ...(todo && { action: todo }) };
    }
    this.#rejected = undefined;
  }

  #sentBack(): Standing[] {
    return (this.#rejected ??= this.#items.filter(({ why }) => why !== undefined));
  }

  #takeRevisions(): void {
    let next = 0;
    this.#items = this.#items.flatMap((item) => {
      const { values = [], skipped = "" } = (item.why === undefined ? undefined : this.#revisions[next++]) ?? {};
      if (values.length === 0) {
        item.unusable = skipped;
        return [item];
      }
      return values.map((value, k) => ({
        ...item,
        id: values.length > 1 ? `${item.id}.${k + 1}` : item.id,
        name: this.#nameOf(value),
        value,
        why: undefined,
        unusable: "",
      }));
    });
    this.#revisions = [];
    this.#rejected = undefined;
  }

  /** What the pointer names in a value; empty where that is no text and no number. */
  #nameOf(value: unknown): string {
    let found: unknown = this.#pointer === "" ? undefined : value;
    for (const token of this.#pointer.split("/").slice(1)) {
      const member = token.replace(/~1/g, "/").replace(/~0/g, "~");
      found = typeof found === "object" && found !== null && Object.hasOwn(found, member) ? (found as never)[member] : undefined;
    }
    return typeof found === "string" || typeof found === "number" ? String(found) : "";
  }
}
