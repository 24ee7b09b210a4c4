/** One instance of plumb-check.wasm: contracts read, artifacts judged. Its exports are described in wasm/exports.cpp. */
import { PlumbError } from "./error.js";
import {
  encodeExactly,
  encodeWtf8,
  encoder,
  Instance,
  isHighSurrogate,
  isWellFormed,
  type Kind,
  type SharedExports,
} from "./instance.js";
import { type CopyUnits, unitsCopier, unitsMax } from "./string_units.js";
import type { GrowingValue } from "./value.js";
import type { Outcome } from "./verdict.js";

interface Exports extends SharedExports {
  plumb_about(): void;
  plumb_contract_read(textSize: number, optionsSize: number): number;
  plumb_contract_free(contract: number): void;
  plumb_check_new(contract: number, contextSize: number, limitsSize: number): number;
  plumb_check_free(check: number): void;
  plumb_units(): number;
  plumb_utf8(count: number, from: number): number;
  plumb_check_push(check: number, size: number): number;
  plumb_check_feed(check: number, size: number): void;
  plumb_check_signals(check: number): void;
  plumb_check_value(check: number, size: number): number;
  plumb_check_whole(check: number, size: number): void;
  plumb_check_end(check: number, size: number, tell: number): void;
  plumb_check_reset(check: number): void;
  plumb_feedback(size: number): number;
  plumb_clarify?(size: number): number;
  plumb_measure?(size: number): number;
}

const wordLength = 1;
const wordValid = 2;
const wordDecision = 3;
const wordDetail = 4;
const wordFindings = 5;
const wordSignals = 6;
const wordCertain = 7;
const wordCertainLength = 10;
const wordText = 11;
const wordTextLength = 12;
const detailJson = 1;
const detailMore = 2;
const detailSignals = 4;
const detailKept = 8;
const detailSame = 16;

/** A text up to this size is given to the module in one call, which is faster. */
const wholeSize = 4 * 1024 * 1024;
/** A larger one goes in pieces of this size, so that memory grows with what a check has to keep and not with the text. */
const pieceSize = 256 * 1024;
/** A UTF-16 unit is at most three bytes of UTF-8. */
const pieceUnits = Math.floor(pieceSize / 3);
/** Below this, encoding here is cheaper than a call of encodeInto. */
const shortUnits = 256;
/** Below this, copying bytes one by one is cheaper than a call of set. */
const shortBytes = 48;
/** What plumb_check_value gives where nothing was added. */
const nothingNew = "[0]";
/** Shared by all that has nothing to report. */
export const none: readonly never[] = /* @__PURE__ */ Object.freeze([]);

const kind: Kind = {
  file: "plumb-check.wasm",
  mark: "plumb_check_new",
  again: "Call load() for a new one, and read contracts again with it.",
};

export class Module extends Instance<Exports> {
  #copyUnits: CopyUnits | undefined;
  /** Where units are copied to; 0 until it was tried whether this engine can. */
  #unitsAt = 0;

  private constructor(compiled: WebAssembly.Module, instance: WebAssembly.Instance) {
    super(kind, compiled, instance);
  }

  static async start(compiled: WebAssembly.Module): Promise<Module> {
    return new Module(compiled, await Instance.instantiate(compiled));
  }

  /** This instance, or a fresh one when it has grown. */
  freshIfGrown(): Module {
    const fresh = this.freshInstance();
    return fresh === undefined ? this : new Module(...fresh);
  }

  about(): { version: string; contracts: { name: string; text: string }[] } {
    this.usable();
    try {
      this.wasm.plumb_about();
    } catch (error) {
      throw this.trapped(error);
    }
    return JSON.parse(this.result());
  }

  readContract(text: Uint8Array, options: object): { number: number; info: unknown } {
    const number = this.#with(text, options, (a, b) => this.wasm.plumb_contract_read(a, b));
    if (number === 0) {
      throw this.error();
    }
    return { number, info: JSON.parse(this.result()) };
  }

  newCheck(contract: number, context: string, limits: object): number {
    const number = this.#with(encodeExactly(context), limits, (a, b) => this.wasm.plumb_check_new(contract, a, b));
    if (number === 0) {
      throw this.error();
    }
    return number;
  }

  /** Frees contracts and checks. Never throws: a broken instance has nothing left to free. */
  free(contract: number, checks: readonly number[]): void {
    if (this.broken) {
      return;
    }
    try {
      for (const check of checks) {
        this.wasm.plumb_check_free(check);
      }
      if (contract !== 0) {
        this.wasm.plumb_contract_free(contract);
      }
    } catch (error) {
      this.trapped(error);
    }
  }

  /**
   * The verdict over the whole text; the check is then ready for the next one. `wellFormed`: the text is known to have no lone
   * surrogate, so that nobody need look.
   */
  checkText(check: number, text: string, wellFormed = false): Outcome {
    this.usable();
    try {
      if (text.length <= wholeSize) {
        this.wasm.plumb_check_whole(check, this.#writeText(text, wellFormed));
      } else {
        for (let from = 0; from < text.length;) {
          const to = pieceEnd(text, from);
          this.wasm.plumb_check_feed(check, this.#writeText(text.slice(from, to), wellFormed));
          from = to;
        }
        this.wasm.plumb_check_end(check, 0, 0);
      }
    } catch (error) {
      throw this.trapped(error);
    }
    return this.#outcome();
  }

  checkBytes(check: number, bytes: Uint8Array): Outcome {
    this.usable();
    try {
      if (bytes.length <= wholeSize) {
        this.wasm.plumb_check_whole(check, this.#writeBytes(bytes));
      } else {
        for (let from = 0; from < bytes.length; from += pieceSize) {
          this.wasm.plumb_check_feed(check, this.#writeBytes(bytes.subarray(from, from + pieceSize)));
        }
        this.wasm.plumb_check_end(check, 0, 0);
      }
    } catch (error) {
      throw this.trapped(error);
    }
    return this.#outcome();
  }

  /**
   * Findings that have become certain with this text, as the module wrote them. `pushed` is called with the size of each piece
   * that it goes in by.
   */
  pushText(check: number, text: string, pushed?: (size: number) => void): readonly unknown[] {
    this.usable();
    let all: readonly unknown[] = none;
    for (let from = 0; from < text.length;) {
      const to = pieceEnd(text, from);
      let count: number;
      try {
        count = this.wasm.plumb_check_push(
          check,
          this.#writeText(from === 0 && to === text.length ? text : text.slice(from, to)),
        );
      } catch (error) {
        throw this.trapped(error);
      }
      if (count !== 0) {
        all = joined(all, JSON.parse(this.result()));
      }
      pushed?.(to - from);
      from = to;
    }
    return all;
  }

  pushBytes(check: number, bytes: Uint8Array, pushed?: (size: number) => void): readonly unknown[] {
    this.usable();
    let all: readonly unknown[] = none;
    for (let from = 0; from < bytes.length; from += pieceSize) {
      let count: number;
      try {
        count = this.wasm.plumb_check_push(
          check,
          this.#writeBytes(bytes.length <= pieceSize ? bytes : bytes.subarray(from, from + pieceSize)),
        );
      } catch (error) {
        throw this.trapped(error);
      }
      if (count !== 0) {
        all = joined(all, JSON.parse(this.result()));
      }
      pushed?.(Math.min(pieceSize, bytes.length - from));
    }
    return all;
  }

  /**
   * What the value has grown by since the last call. The first one needs all that was pushed before, in as many calls as it
   * has parts.
   */
  grow(check: number, value: GrowingValue<unknown>, earlier?: string | Uint8Array): void {
    this.usable();
    let from = 0;
    do {
      let to = from;
      let state: number;
      try {
        let size = 0;
        if (typeof earlier === "string") {
          to = pieceEnd(earlier, from);
          size = this.#writeText(earlier.slice(from, to));
        } else if (earlier !== undefined) {
          to = Math.min(from + pieceSize, earlier.length);
          size = this.#writeBytes(earlier.subarray(from, to));
        }
        state = this.wasm.plumb_check_value(check, size);
      } catch (error) {
        throw this.trapped(error);
      }
      value.take(state, this.words()[wordLength] === nothingNew.length ? none : JSON.parse(this.result()));
      from = to;
    } while (from < (earlier?.length ?? 0));
  }

  /** How many signals the last push had seen raised. */
  get signalCount(): number {
    return this.words()[wordSignals]!;
  }

  signals(check: number): unknown[] {
    this.usable();
    try {
      this.wasm.plumb_check_signals(check);
    } catch (error) {
      throw this.trapped(error);
    }
    return JSON.parse(this.result());
  }

  /** The end of a stream: the verdict, and the findings that became certain with the end. */
  end(check: number): { outcome: Outcome; certain: readonly unknown[] } {
    this.usable();
    try {
      this.wasm.plumb_check_end(check, 0, 1);
    } catch (error) {
      throw this.trapped(error);
    }
    const words = this.words();
    const certain =
      words[wordFindings] === 0 ? none : JSON.parse(this.text(words[wordCertain]!, words[wordCertainLength]!));
    return { outcome: this.#outcome(), certain };
  }

  reset(check: number): void {
    this.usable();
    try {
      this.wasm.plumb_check_reset(check);
    } catch (error) {
      throw this.trapped(error);
    }
  }

  /** `request` is JSON text; see plumb_feedback. */
  feedback(request: string): string {
    return this.answer((size) => this.wasm.plumb_feedback(size), request);
  }

  /** `verdict` is JSON text; see plumb_clarify. */
  clarify(verdict: string): string {
    return this.#ofTexts(this.wasm.plumb_clarify, verdict);
  }

  /** `history` is JSON text; see plumb_measure. */
  measure(history: string): string {
    return this.#ofTexts(this.wasm.plumb_measure, history);
  }

  /** False of plumb-schema.wasm: rules about texts, edits and what roles ask are not in it. */
  get readsTexts(): boolean {
    return this.wasm.plumb_clarify !== undefined;
  }

  #ofTexts(call: ((size: number) => number) | undefined, request: string): string {
    if (call === undefined) {
      throw new PlumbError("unavailable", 'this was loaded without the part "text"; load({ parts: ["text"] }) has it');
    }
    return this.answer(call, request);
  }

  #with(first: Uint8Array, second: object, call: (firstSize: number, secondSize: number) => number): number {
    this.usable();
    const options = encodeExactly(JSON.stringify(second));
    try {
      const at = this.buffer(first.length + options.length);
      const memory = this.memory();
      memory.set(first, at);
      memory.set(options, at + first.length);
      return call(first.length, options.length);
    } catch (error) {
      throw this.trapped(error);
    }
  }

  /** Writes a text into the buffer as UTF-8; the number of bytes. */
  #writeText(text: string, wellFormed = false): number {
    const units = text.length;
    if (units < shortUnits) {
      const at = this.buffer(3 * units);
      return encodeWtf8(text, this.memory(), at);
    }
    if (this.#unitsAt === 0) {
      this.#unitsAt = this.wasm.plumb_units();
      this.#copyUnits = unitsCopier(this.wasm.memory);
    }
    if (this.#copyUnits !== undefined) {
      return this.#writeUnits(text, this.#copyUnits);
    }
    if (!wellFormed && !isWellFormed(text)) {
      const at = this.buffer(3 * units);
      return encodeWtf8(text, this.memory(), at);
    }
    // Most text needs little more than a byte a unit; where it needs more, room for the most that the rest can need.
    let room = units <= pieceUnits ? 3 * units : units + (units >> 3);
    let at = this.buffer(room);
    const { read, written } = encoder.encodeInto(text, this.memory().subarray(at, at + room));
    if (read === units) {
      return written;
    }
    room = written + 3 * (units - read);
    at = this.buffer(room, written);
    return written + encoder.encodeInto(text.slice(read), this.memory().subarray(at + written, at + room)).written;
  }

  /** The same where the engine copies units: the module makes UTF-8 of them, piece by piece while they are in the cache. */
  #writeUnits(text: string, copy: CopyUnits): number {
    const units = text.length;
    const room = units <= pieceUnits ? 3 * units : units + (units >> 3);
    let written = 0;
    for (let from = 0; from < units;) {
      const to = pieceEnd(text, from, unitsMax);
      this.buffer(Math.max(room, written + 3 * (to - from)), written);
      const count = copy(to - from === units ? text : text.slice(from, to), this.#unitsAt);
      written += this.wasm.plumb_utf8(count, written);
      from = to;
    }
    return written;
  }

  #writeBytes(bytes: Uint8Array): number {
    const size = bytes.length;
    const at = this.buffer(size);
    const memory = this.memory();
    if (size < shortBytes) {
      for (let i = 0; i < size; ++i) {
        memory[at + i] = bytes[i]!;
      }
    } else {
      memory.set(bytes, at);
    }
    return size;
  }

  #outcome(): Outcome {
    const words = this.words();
    const detail = words[wordDetail]!;
    return {
      valid: words[wordValid] === 1,
      decision: words[wordDecision]!,
      json: (detail & detailJson) === 0 ? undefined : this.result(),
      unusual: (detail & (detailMore | detailSignals)) !== 0,
      kept: (detail & detailKept) !== 0,
      same: (detail & detailSame) !== 0,
      text: words[wordTextLength] === 0 ? undefined : this.text(words[wordText]!, words[wordTextLength]!),
    };
  }
}

/** The end of a piece that begins at `from`: never between the two halves of a pair. */
function pieceEnd(text: string, from: number, most = pieceUnits): number {
  const to = Math.min(from + most, text.length);
  return to < text.length && isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to;
}

function joined(first: readonly unknown[], second: unknown[]): readonly unknown[] {
  return first.length === 0 ? second : first.concat(second);
}
