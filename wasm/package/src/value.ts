/** The value of a stream that is still arriving, built of the steps that the module tells (core/json/growth.hpp). */

/**
 * What there is of a `T` while it arrives: members may be missing, lists may be short. A string may be half of itself, so that
 * one of several known words is any string; a number, true, false or null is whole.
 */
export type DeepPartial<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? DeepPartial<Item>[]
    : T extends object
      ? { [Key in keyof T]?: DeepPartial<T[Key]> }
      : T;

/**
 * - `empty`: no value has begun
 * - `growing`: it arrives
 * - `complete`: it has ended; only white space may follow
 * - `broken`: the text is no JSON, or ended too early: the value stays as it was there
 * - `limit`: `depthMax` or `bytesMax` was reached, or a number has more than 200,000 digits: likewise
 */
export type ValueState = "empty" | "growing" | "complete" | "broken" | "limit";

/** Of one place in the value: what is `complete` does not change any more. */
export type PlaceState = "growing" | "complete";

export interface StreamedValue<T = unknown> {
  /**
   * What has arrived: always the same lists and objects, which grow; undefined as long as there is nothing. Look at it, and
   * do not change it.
   */
  readonly value: DeepPartial<T> | undefined;
  readonly state: ValueState;
  /**
   * JSON Pointer of the innermost place that is growing. All that holds it grows too, and nothing else does: the rest of the
   * value is complete. Undefined where nothing grows. In a value that is `broken` or at a `limit`: where it stopped.
   */
  readonly growing: string | undefined;
}

/** What has become of one place since the changes were last asked for. */
export interface ValueChange {
  /** JSON Pointer. */
  readonly at: string;
  readonly state: PlaceState;
  /** What is there now. */
  readonly value: unknown;
  /** Of a string: what has come since. */
  readonly added?: string;
}

type Container = unknown[] | Record<string, unknown>;
type Change = { -readonly [Key in keyof ValueChange]: ValueChange[Key] };

/** A list or object that is open. */
interface Open {
  readonly container: Container;
  readonly at: string;
  /** Of the child that came last. */
  key: string | number;
  /** Its own change, if it began in this round. */
  change: Change | undefined;
  round: number;
}

/** The steps, as core/json/growth.hpp numbers them. */
const stepEnd = 0;
const stepObject = 1;
const stepList = 2;
const stepKey = 3;
const stepWhole = 4;
const stepText = 5;
const stepMore = 6;

const states: readonly ValueState[] = ["growing", "complete", "broken", "limit"];
const hasOwn = Object.prototype.hasOwnProperty;

/** @internal */
export class GrowingValue<T> {
  #value: unknown;
  readonly #open: Open[] = [];
  /** The string that is open, and where. */
  #text: string | undefined;
  #textAt = "";
  #textChange: Change | undefined;
  /**
   * A key that occurs twice: what was shown first stays, so the second is passed over. -1: its value comes next; else the
   * levels that are open in it.
   */
  #passed = 0;
  #state: ValueState = "empty";
  #told: StreamedValue<T> | undefined;
  /** Kept from the first time on that somebody asks for them. */
  #changes: Change[] | undefined;
  #round = 0;

  /** What the module told: a state and the steps since the last time. */
  take(state: number, steps: readonly unknown[]): void {
    for (let i = 1; i < steps.length;) {
      const step = steps[i++] as number;
      if (this.#passed !== 0) {
        i += this.#pass(step);
        continue;
      }
      switch (step) {
        case stepEnd:
          this.#end();
          break;
        case stepObject:
          this.#begin({});
          break;
        case stepList:
          this.#begin([]);
          break;
        case stepKey:
          this.#key(steps[i++] as string);
          break;
        case stepWhole: {
          const value = steps[i++];
          this.#put(value);
          if (this.#changes !== undefined) {
            this.#changes.push(found(this.#childAt(), "complete", value));
          }
          break;
        }
        case stepText:
          this.#text = "";
          this.#put("");
          this.#textAt = this.#childAt();
          this.#textChange = this.#tell({ at: this.#textAt, state: "growing", value: "", added: "" });
          this.#grow(steps[i++] as string);
          break;
        case stepMore:
          this.#grow(steps[i++] as string);
          break;
      }
    }
    const now = state === 0 && this.#value === undefined ? "empty" : states[state]!;
    if (steps.length > 1 || now !== this.#state) {
      this.#told = undefined;
    }
    this.#state = now;
  }

  /** The same object as long as nothing is new. */
  get soFar(): StreamedValue<T> {
    return (this.#told ??= {
      value: this.#value as DeepPartial<T> | undefined,
      state: this.#state,
      growing: this.#text === undefined ? this.#open.at(-1)?.at : this.#textAt,
    });
  }

  /** The first time: all that there is. */
  changes(): readonly ValueChange[] {
    const changes = this.#changes ?? this.#all();
    this.#changes = [];
    this.#textChange = undefined;
    ++this.#round;
    return changes;
  }

  stateAt(pointer: string): PlaceState | undefined {
    let inside = this.#value;
    if (inside === undefined || (pointer !== "" && !pointer.startsWith("/"))) {
      return undefined;
    }
    for (const word of pointer.split("/").slice(1)) {
      const key = word.replace(/~1/g, "/").replace(/~0/g, "~");
      if (typeof inside !== "object" || inside === null || !hasOwn.call(inside, key) || (Array.isArray(inside) && key === "length")) {
        return undefined;
      }
      inside = (inside as Record<string, unknown>)[key];
    }
    const { growing } = this.soFar;
    return growing !== undefined && (growing === pointer || growing.startsWith(`${pointer}/`)) ? "growing" : "complete";
  }

  /** One step in what is passed over; how many steps belong to it. */
  #pass(step: number): number {
    if (step === stepObject || step === stepList || step === stepText) {
      this.#passed = this.#passed < 0 ? 1 : this.#passed + 1;
    } else if (step === stepEnd) {
      --this.#passed;
    } else if (this.#passed < 0) {
      this.#passed = 0; // a whole value
    }
    return step === stepEnd || step === stepObject || step === stepList ? 0 : 1;
  }

  #key(key: string): void {
    const { container } = this.#open.at(-1)!;
    if (hasOwn.call(container, key)) {
      this.#passed = -1;
    } else {
      this.#open.at(-1)!.key = key;
    }
  }

  #put(value: unknown): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#value = value;
    } else if (Array.isArray(parent.container)) {
      parent.key = parent.container.push(value) - 1;
    } else if (parent.key in parent.container) {
      // `__proto__` and whatever else objects have from elsewhere: a member of its own, as JSON.parse makes it
      Object.defineProperty(parent.container, parent.key, { value, writable: true, enumerable: true, configurable: true });
    } else {
      parent.container[parent.key] = value;
    }
  }

  #begin(container: Container): void {
    this.#put(container);
    const at = this.#childAt();
    const change = this.#tell({ at, state: "growing", value: container });
    this.#open.push({ container, at, key: "", change, round: this.#round });
  }

  #end(): void {
    if (this.#text !== undefined) {
      const change = this.#textChange;
      if (change === undefined) {
        this.#tell({ at: this.#textAt, state: "complete", value: this.#text, added: "" });
      } else {
        change.state = "complete";
      }
      this.#text = this.#textChange = undefined;
      return;
    }
    const { container, at, change, round } = this.#open.pop()!;
    if (change !== undefined && round === this.#round) {
      change.state = "complete";
    } else {
      this.#tell({ at, state: "complete", value: container });
    }
  }

  #grow(piece: string): void {
    const parent = this.#open.at(-1);
    this.#text += piece;
    if (parent === undefined) {
      this.#value = this.#text;
    } else {
      (parent.container as Record<string, unknown>)[parent.key] = this.#text; // it has a member of its own there
    }
    if (this.#textChange === undefined) {
      this.#textChange = this.#tell({ at: this.#textAt, state: "growing", value: this.#text, added: piece });
    } else {
      this.#textChange.value = this.#text;
      this.#textChange.added += piece;
    }
  }

  /** Where the child that came last is. (Such texts share their beginnings, so that each costs what it adds.) */
  #childAt(): string {
    const parent = this.#open.at(-1);
    return parent === undefined ? "" : pointerTo(parent.at, parent.key);
  }

  #tell(change: Change): Change | undefined {
    this.#changes?.push(change);
    return this.#changes === undefined ? undefined : change;
  }

  /** A change for each place that there is, in the order of the text. */
  #all(): Change[] {
    const open = new Set<unknown>(this.#open.map(({ container }) => container));
    const last = this.#open.at(-1);
    const all: Change[] = [];
    const left: { at: string; value: unknown; grows: boolean }[] = [];
    if (this.#value !== undefined) {
      left.push({ at: "", value: this.#value, grows: last === undefined && this.#text !== undefined });
    }
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const { at, value, grows } = one;
      all.push(found(at, grows || open.has(value) ? "growing" : "complete", value));
      if (typeof value === "object" && value !== null) {
        const first = left.length;
        const textIn = this.#text !== undefined && value === last?.container ? String(last.key) : undefined;
        for (const [key, child] of Object.entries(value)) {
          left.push({ at: pointerTo(at, key), value: child, grows: key === textIn });
        }
        reverse(left, first);
      }
    }
    return all;
  }
}

function found(at: string, state: PlaceState, value: unknown): Change {
  return typeof value === "string" ? { at, state, value, added: value } : { at, state, value };
}

function pointerTo(at: string, key: string | number): string {
  return `${at}/${typeof key === "string" && /[~/]/.test(key) ? key.replace(/~/g, "~0").replace(/\//g, "~1") : key}`;
}

function reverse(list: unknown[], from: number): void {
  for (let i = from, j = list.length - 1; i < j; ++i, --j) {
    [list[i], list[j]] = [list[j], list[i]];
  }
}
