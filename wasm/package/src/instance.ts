/**
 * One instance of a module of ours: text in, results out, and what to do when it traps. The C ABI is described in
 * wasm/abi.hpp; the words of the frame are numbered there.
 */
import { PlumbError, type PlumbErrorCode } from "./error.js";

/** What every module exports. */
export interface SharedExports {
  memory: WebAssembly.Memory;
  _initialize?: () => void;
  plumb_frame(): number;
  plumb_buffer(size: number, kept: number): number;
}

const wordResult = 0;
const wordLength = 1;
const wordTrap = 8;
const wordTrapLength = 9;
const wordCount = 13;

/** The buffer that text passes through is at least so large, and this is what the module keeps of it between calls. */
const bufferLeast = 256 * 1024;
const bufferKept = 1024 * 1024;
/** Memory of an instance never shrinks; beyond this it is replaced by a fresh one. */
const grownBytes = 64 * 1024 * 1024;

export const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();
const loneSurrogate = /(?:^|[^\uD800-\uDBFF])[\uDC00-\uDFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])/;

// The modules import nothing; an object is there for modules of a future version that import what they can do without.
const imports: WebAssembly.Imports = {};

/** What tells one module from the other. */
export interface Kind {
  /** Its file. */
  readonly file: string;
  /** A function that no other module exports. */
  readonly mark: string;
  /** How to get another instance after a trap. */
  readonly again: string;
}

export class Instance<Exports extends SharedExports> {
  protected readonly wasm: Exports;
  readonly #compiled: WebAssembly.Module;
  readonly #kind: Kind;
  #bytes: Uint8Array;
  #frame: Uint32Array;
  readonly #frameAt: number;
  #bufferAt = 0;
  #bufferRoom = 0;
  #broken: PlumbError | undefined;

  constructor(kind: Kind, compiled: WebAssembly.Module, instance: WebAssembly.Instance) {
    if (!(kind.mark in instance.exports)) {
      throw new Error(`it is not ${kind.file}`);
    }
    this.#kind = kind;
    this.#compiled = compiled;
    this.wasm = instance.exports as unknown as Exports;
    this.wasm._initialize?.();
    this.#frameAt = this.wasm.plumb_frame();
    this.#bytes = new Uint8Array(this.wasm.memory.buffer);
    this.#frame = new Uint32Array(this.wasm.memory.buffer, this.#frameAt, wordCount);
  }

  static instantiate(compiled: WebAssembly.Module): Promise<WebAssembly.Instance> {
    return WebAssembly.instantiate(compiled, imports);
  }

  get memoryBytes(): number {
    return this.wasm.memory.buffer.byteLength;
  }

  /** It has trapped and is not used again. */
  get broken(): boolean {
    return this.#broken !== undefined;
  }

  /**
   * When this instance has grown, a fresh one of the same module; else undefined, as in an environment that allows no
   * synchronous instantiation: that keeps the old one, whose memory is used again.
   */
  protected freshInstance(): [WebAssembly.Module, WebAssembly.Instance] | undefined {
    if (this.#broken !== undefined || this.memory().length <= grownBytes) {
      return undefined;
    }
    try {
      return [this.#compiled, new WebAssembly.Instance(this.#compiled, imports)];
    } catch {
      return undefined;
    }
  }

  /** A call that is a function of its request: the text it answers with. */
  protected answer(call: (size: number) => number, request: string): string {
    const bytes = encodeExactly(request);
    this.usable();
    let known: number;
    try {
      const at = this.buffer(bytes.length);
      this.memory().set(bytes, at);
      known = call(bytes.length);
    } catch (error) {
      throw this.trapped(error);
    }
    if (known === 0) {
      throw this.error();
    }
    return this.result();
  }

  /**
   * The address of a buffer of that size; the first `kept` bytes of what was in it stay. What a large request took is
   * given back with the next small one.
   */
  protected buffer(size: number, kept = 0): number {
    if (size > this.#bufferRoom) {
      const wanted = Math.max(size, bufferLeast);
      this.#bufferAt = this.wasm.plumb_buffer(wanted, kept);
      this.#bufferRoom = wanted <= bufferKept ? wanted : 0;
    }
    return this.#bufferAt;
  }

  protected result(): string {
    const words = this.words();
    return this.text(words[wordResult]!, words[wordLength]!);
  }

  protected text(from: number, length: number): string {
    return decoder.decode(this.memory().subarray(from, from + length));
  }

  protected error(): PlumbError {
    const told = JSON.parse(this.result()) as {
      code: PlumbErrorCode;
      message: string;
      where: string;
      line: number;
      column: number;
    };
    return new PlumbError(told.code, told.message, told);
  }

  // Memory that has grown is another buffer; a view of the old one is empty.
  protected memory(): Uint8Array {
    if (this.#bytes.length === 0) {
      this.#bytes = new Uint8Array(this.wasm.memory.buffer);
      this.#frame = new Uint32Array(this.wasm.memory.buffer, this.#frameAt, wordCount);
    }
    return this.#bytes;
  }

  protected words(): Uint32Array {
    this.memory();
    return this.#frame;
  }

  protected usable(): void {
    if (this.#broken !== undefined) {
      throw new PlumbError("trap", this.#broken.message, {}, this.#broken);
    }
  }

  /** Whatever is thrown while the module runs leaves it in a state that nobody knows. */
  protected trapped(error: unknown): PlumbError {
    const words = this.words();
    const told = words[wordTrap] === 0 ? "" : `: ${this.text(words[wordTrap]!, words[wordTrapLength]!)}`;
    const what = error instanceof Error ? error.message : String(error);
    this.#broken = new PlumbError(
      "trap",
      `The Plumbline module has trapped (${what}${told}) and its instance is not used again. ${this.#kind.again}`,
      {},
      error,
    );
    return this.#broken;
  }
}

export function isWellFormed(text: string): boolean {
  const own = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return own === undefined ? !loneSurrogate.test(text) : own.call(text);
}

/**
 * Writes the text at `from`, where there is room: UTF-8 in which a lone surrogate is three bytes of its own, so that the
 * module finds it.
 */
export function encodeWtf8(text: string, target: Uint8Array, from: number): number {
  let at = from;
  for (let i = 0; i < text.length; ++i) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      target[at++] = unit;
      continue;
    }
    if (unit < 0x800) {
      target[at++] = 0xc0 | (unit >> 6);
    } else {
      const point = isHighSurrogate(unit) ? text.codePointAt(i)! : unit;
      if (point < 0x10000) {
        target[at++] = 0xe0 | (unit >> 12);
        target[at++] = 0x80 | ((unit >> 6) & 0x3f);
      } else {
        target[at++] = 0xf0 | (point >> 18);
        target[at++] = 0x80 | ((point >> 12) & 0x3f);
        target[at++] = 0x80 | ((point >> 6) & 0x3f);
        target[at++] = 0x80 | (point & 0x3f);
        ++i;
        continue;
      }
    }
    target[at++] = 0x80 | (unit & 0x3f);
  }
  return at - from;
}

export function encodeExactly(text: string): Uint8Array {
  if (isWellFormed(text)) {
    return encoder.encode(text);
  }
  const target = new Uint8Array(text.length * 3);
  return target.subarray(0, encodeWtf8(text, target, 0));
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
