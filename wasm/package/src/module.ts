/**
 * One instance of plumb-check.wasm: text in, results out, and what to do when it traps. The C ABI is described at the
 * top of wasm/exports.cpp; the words of the frame are numbered there.
 */
import { PlumbError, type PlumbErrorCode } from "./error.js";
import type { Outcome } from "./verdict.js";

interface Exports {
  memory: WebAssembly.Memory;
  _initialize?: () => void;
  plumb_frame(): number;
  plumb_buffer(size: number): number;
  plumb_about(): void;
  plumb_explain(): void;
  plumb_contract_read(textSize: number, optionsSize: number): number;
  plumb_contract_free(contract: number): void;
  plumb_check_new(contract: number, contextSize: number, limitsSize: number): number;
  plumb_check_free(check: number): void;
  plumb_check_push(check: number, size: number): number;
  plumb_check_feed(check: number, size: number): void;
  plumb_check_signals(check: number): void;
  plumb_check_end(check: number, size: number, tell: number): void;
  plumb_check_reset(check: number): void;
  plumb_render(size: number): number;
}

const wordResult = 0;
const wordLength = 1;
const wordValid = 2;
const wordDecision = 3;
const wordDetail = 4;
const wordFindings = 5;
const wordSignals = 6;
const wordCertain = 7;
const wordTrap = 8;
const wordTrapLength = 9;
const wordCertainLength = 10;
const wordCount = 11;
const detailJson = 1;

/** The buffer that text passes through. Large text goes in pieces, so memory grows with what a check has to keep. */
const bufferSize = 256 * 1024;
/** A UTF-16 unit is at most three bytes of UTF-8. */
const pieceUnits = Math.floor(bufferSize / 3);
/** Below this, copying char codes is cheaper than a call of encodeInto. */
const shortUnits = 64;
/** Below this, copying bytes one by one is cheaper than a call of set. */
const shortBytes = 48;
/** Memory of an instance never shrinks; beyond this it is replaced by a fresh one. */
const grownBytes = 64 * 1024 * 1024;

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();
const loneSurrogate = /(?:^|[^\uD800-\uDBFF])[\uDC00-\uDFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])/;

/** Shared by all that has nothing to report. */
export const none: readonly never[] = /* @__PURE__ */ Object.freeze([]);

// The module imports nothing; an object is there for modules of a future version that import what they can do without.
const imports: WebAssembly.Imports = {};

export class Module {
  readonly #compiled: WebAssembly.Module;
  readonly #wasm: Exports;
  #bytes: Uint8Array;
  #frame: Uint32Array;
  readonly #frameAt: number;
  #bufferAt = 0;
  #bufferRoom = 0;
  #broken: PlumbError | undefined;

  private constructor(compiled: WebAssembly.Module, instance: WebAssembly.Instance) {
    this.#compiled = compiled;
    this.#wasm = instance.exports as unknown as Exports;
    this.#wasm._initialize?.();
    this.#frameAt = this.#wasm.plumb_frame();
    this.#bytes = new Uint8Array(this.#wasm.memory.buffer);
    this.#frame = new Uint32Array(this.#wasm.memory.buffer, this.#frameAt, wordCount);
  }

  static async start(compiled: WebAssembly.Module): Promise<Module> {
    return new Module(compiled, await WebAssembly.instantiate(compiled, imports));
  }

  /**
   * This instance, or a fresh one of the same module when it has grown. An environment that allows no synchronous
   * instantiation keeps the old one, whose memory is used again.
   */
  freshIfGrown(): Module {
    if (this.#wasm.memory.buffer.byteLength <= grownBytes || this.#broken !== undefined) {
      return this;
    }
    try {
      return new Module(this.#compiled, new WebAssembly.Instance(this.#compiled, imports));
    } catch {
      return this;
    }
  }

  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  about(): { version: string; contracts: { name: string; text: string }[] } {
    this.#usable();
    try {
      this.#wasm.plumb_about();
    } catch (error) {
      throw this.#trapped(error);
    }
    return JSON.parse(this.#result());
  }

  explanations(): unknown[] {
    this.#usable();
    try {
      this.#wasm.plumb_explain();
    } catch (error) {
      throw this.#trapped(error);
    }
    return JSON.parse(this.#result());
  }

  readContract(text: Uint8Array, options: object): { number: number; info: unknown } {
    const number = this.#with(text, options, (a, b) => this.#wasm.plumb_contract_read(a, b));
    if (number === 0) {
      throw this.#error();
    }
    return { number, info: JSON.parse(this.#result()) };
  }

  newCheck(contract: number, context: string, limits: object): number {
    const number = this.#with(encodeExactly(context), limits, (a, b) => this.#wasm.plumb_check_new(contract, a, b));
    if (number === 0) {
      throw this.#error();
    }
    return number;
  }

  /** Frees contracts and checks. Never throws: a broken instance has nothing left to free. */
  free(contract: number, checks: readonly number[]): void {
    if (this.#broken !== undefined) {
      return;
    }
    try {
      for (const check of checks) {
        this.#wasm.plumb_check_free(check);
      }
      if (contract !== 0) {
        this.#wasm.plumb_contract_free(contract);
      }
    } catch (error) {
      this.#trapped(error);
    }
  }

  /** The verdict over the whole text; the check is then ready for the next one. */
  checkText(check: number, text: string): Outcome {
    this.#usable();
    try {
      let from = 0;
      while (text.length - from > pieceUnits) {
        const to = pieceEnd(text, from);
        this.#wasm.plumb_check_feed(check, this.#writePiece(text.slice(from, to)));
        from = to;
      }
      this.#wasm.plumb_check_end(check, this.#writePiece(from === 0 ? text : text.slice(from)), 0);
    } catch (error) {
      throw this.#trapped(error);
    }
    return this.#outcome();
  }

  checkBytes(check: number, bytes: Uint8Array): Outcome {
    this.#usable();
    try {
      let from = 0;
      while (bytes.length - from > bufferSize) {
        this.#wasm.plumb_check_feed(check, this.#writeBytes(bytes.subarray(from, from + bufferSize)));
        from += bufferSize;
      }
      this.#wasm.plumb_check_end(check, this.#writeBytes(from === 0 ? bytes : bytes.subarray(from)), 0);
    } catch (error) {
      throw this.#trapped(error);
    }
    return this.#outcome();
  }

  /** Findings that have become certain with this text, as the module wrote them. */
  pushText(check: number, text: string): readonly unknown[] {
    this.#usable();
    let all: readonly unknown[] = none;
    for (let from = 0; from < text.length;) {
      const to = pieceEnd(text, from);
      let count: number;
      try {
        count = this.#wasm.plumb_check_push(
          check,
          this.#writePiece(from === 0 && to === text.length ? text : text.slice(from, to)),
        );
      } catch (error) {
        throw this.#trapped(error);
      }
      if (count !== 0) {
        all = joined(all, JSON.parse(this.#result()));
      }
      from = to;
    }
    return all;
  }

  pushBytes(check: number, bytes: Uint8Array): readonly unknown[] {
    this.#usable();
    let all: readonly unknown[] = none;
    for (let from = 0; from < bytes.length; from += bufferSize) {
      let count: number;
      try {
        count = this.#wasm.plumb_check_push(
          check,
          this.#writeBytes(bytes.length <= bufferSize ? bytes : bytes.subarray(from, from + bufferSize)),
        );
      } catch (error) {
        throw this.#trapped(error);
      }
      if (count !== 0) {
        all = joined(all, JSON.parse(this.#result()));
      }
    }
    return all;
  }

  /** How many signals the last push had seen raised. */
  get signalCount(): number {
    return this.#words()[wordSignals]!;
  }

  signals(check: number): unknown[] {
    this.#usable();
    try {
      this.#wasm.plumb_check_signals(check);
    } catch (error) {
      throw this.#trapped(error);
    }
    return JSON.parse(this.#result());
  }

  /** The end of a stream: the verdict, and the findings that became certain with the end. */
  end(check: number): { outcome: Outcome; certain: readonly unknown[] } {
    this.#usable();
    try {
      this.#wasm.plumb_check_end(check, 0, 1);
    } catch (error) {
      throw this.#trapped(error);
    }
    const words = this.#words();
    const certain =
      words[wordFindings] === 0 ? none : JSON.parse(this.#text(words[wordCertain]!, words[wordCertainLength]!));
    return { outcome: this.#outcome(), certain };
  }

  reset(check: number): void {
    this.#usable();
    try {
      this.#wasm.plumb_check_reset(check);
    } catch (error) {
      throw this.#trapped(error);
    }
  }

  /** `request` is JSON text; see plumb_render. */
  render(request: string): string {
    const bytes = encodeExactly(request);
    this.#usable();
    let known: number;
    try {
      const at = this.#buffer(bytes.length);
      this.#memory().set(bytes, at);
      known = this.#wasm.plumb_render(bytes.length);
    } catch (error) {
      throw this.#trapped(error);
    }
    if (known === 0) {
      throw this.#error();
    }
    return this.#result();
  }

  #with(first: Uint8Array, second: object, call: (firstSize: number, secondSize: number) => number): number {
    this.#usable();
    const options = encodeExactly(JSON.stringify(second));
    try {
      const at = this.#buffer(first.length + options.length);
      const memory = this.#memory();
      memory.set(first, at);
      memory.set(options, at + first.length);
      return call(first.length, options.length);
    } catch (error) {
      throw this.#trapped(error);
    }
  }

  /** Writes a piece that fits the buffer; the number of bytes. */
  #writePiece(piece: string): number {
    const at = this.#buffer(bufferSize);
    const memory = this.#memory();
    if (piece.length < shortUnits) {
      let i = 0;
      for (; i < piece.length; ++i) {
        const unit = piece.charCodeAt(i);
        if (unit > 0x7f) {
          break;
        }
        memory[at + i] = unit;
      }
      if (i === piece.length) {
        return i;
      }
    }
    const target = memory.subarray(at, at + bufferSize);
    if (isWellFormed(piece)) {
      return encoder.encodeInto(piece, target).written;
    }
    return encodeWtf8(piece, target);
  }

  #writeBytes(bytes: Uint8Array): number {
    const at = this.#buffer(bufferSize);
    const memory = this.#memory();
    const size = bytes.length;
    if (size < shortBytes) {
      for (let i = 0; i < size; ++i) {
        memory[at + i] = bytes[i]!;
      }
    } else {
      memory.set(bytes, at);
    }
    return size;
  }

  /** The address of the buffer. What a large request took is given back with the next small one. */
  #buffer(size: number): number {
    if (size > this.#bufferRoom) {
      this.#bufferAt = this.#wasm.plumb_buffer(size);
      this.#bufferRoom = size <= bufferSize ? size : 0;
    }
    return this.#bufferAt;
  }

  #outcome(): Outcome {
    const words = this.#words();
    const detail = words[wordDetail]!;
    return {
      valid: words[wordValid] === 1,
      decision: words[wordDecision]!,
      json: detail === 0 ? undefined : this.#result(),
      unusual: detail > detailJson,
    };
  }

  #result(): string {
    const words = this.#words();
    return this.#text(words[wordResult]!, words[wordLength]!);
  }

  #text(from: number, length: number): string {
    return decoder.decode(this.#memory().subarray(from, from + length));
  }

  #error(): PlumbError {
    const told = JSON.parse(this.#result()) as {
      code: PlumbErrorCode;
      message: string;
      where: string;
      line: number;
      column: number;
    };
    return new PlumbError(told.code, told.message, told);
  }

  // Memory that has grown is another buffer; a view of the old one is empty.
  #memory(): Uint8Array {
    if (this.#bytes.length === 0) {
      this.#bytes = new Uint8Array(this.#wasm.memory.buffer);
      this.#frame = new Uint32Array(this.#wasm.memory.buffer, this.#frameAt, wordCount);
    }
    return this.#bytes;
  }

  #words(): Uint32Array {
    this.#memory();
    return this.#frame;
  }

  #usable(): void {
    if (this.#broken !== undefined) {
      throw new PlumbError("trap", this.#broken.message, {}, this.#broken);
    }
  }

  /** Whatever is thrown while the module runs leaves it in a state that nobody knows. */
  #trapped(error: unknown): PlumbError {
    const words = this.#words();
    const told = words[wordTrap] === 0 ? "" : `: ${this.#text(words[wordTrap]!, words[wordTrapLength]!)}`;
    const what = error instanceof Error ? error.message : String(error);
    this.#broken = new PlumbError(
      "trap",
      `The Plumbline module has trapped (${what}${told}) and its instance is not used again. ` +
        "Call load() for a new one, and read contracts again with it.",
      {},
      error,
    );
    return this.#broken;
  }
}

/** The end of a piece that begins at `from`: never between the two halves of a pair. */
function pieceEnd(text: string, from: number): number {
  const to = Math.min(from + pieceUnits, text.length);
  return to < text.length && isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to;
}

function joined(first: readonly unknown[], second: unknown[]): readonly unknown[] {
  return first.length === 0 ? second : first.concat(second);
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isWellFormed(text: string): boolean {
  const own = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return own === undefined ? !loneSurrogate.test(text) : own.call(text);
}

/** UTF-8 in which a lone surrogate is written as three bytes of its own, so that the module finds it. */
function encodeWtf8(text: string, target: Uint8Array): number {
  let at = 0;
  for (let i = 0; i < text.length; ++i) {
    const point = text.codePointAt(i)!;
    if (point < 0x80) {
      target[at++] = point;
    } else if (point < 0x800) {
      target[at++] = 0xc0 | (point >> 6);
      target[at++] = 0x80 | (point & 0x3f);
    } else if (point < 0x10000) {
      target[at++] = 0xe0 | (point >> 12);
      target[at++] = 0x80 | ((point >> 6) & 0x3f);
      target[at++] = 0x80 | (point & 0x3f);
    } else {
      target[at++] = 0xf0 | (point >> 18);
      target[at++] = 0x80 | ((point >> 12) & 0x3f);
      target[at++] = 0x80 | ((point >> 6) & 0x3f);
      target[at++] = 0x80 | (point & 0x3f);
      ++i;
    }
  }
  return at;
}

export function encodeExactly(text: string): Uint8Array {
  if (isWellFormed(text)) {
    return encoder.encode(text);
  }
  const target = new Uint8Array(text.length * 3);
  return target.subarray(0, encodeWtf8(text, target));
}
