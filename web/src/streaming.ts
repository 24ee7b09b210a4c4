// The artifact as a stream: how far it has come, and where whoever pays for it would have stopped it.
//
// A model is stopped at the first error that is certain, or when the stream is told to be degenerate. Findings say the
// byte after which they were certain, so the answer does not depend on how the text was cut into pieces.
import { computed, signal } from "@preact/signals";
import type { Finding, Signal } from "@plumbline/plumbline";

import type { Pace } from "./player";
import { begunAt, bytesOf, type Pieces } from "./tokens";

export interface Extent {
  bytes: number;
  tokens: number;
}

export interface Stop extends Extent {
  // What would have stopped it: a finding's id, or the words of a signal.
  because: { id: number } | { detail: string };
  // The same place in the text.
  utf16: number;
}

export interface Streaming {
  phase: "ready" | "playing" | "paused" | "ended";
  total: Extent;
  arrived: Extent;
  stop: Stop | null;
}

export const paces: { rate: number; title: string }[] = [
  { rate: 5, title: "5" },
  { rate: 20, title: "20" },
  { rate: 50, title: "50" },
  { rate: 100, title: "100" },
  { rate: 300, title: "300" },
  { rate: 1000, title: "1,000" },
  { rate: 0, title: "max" },
];

export const pace = signal<Pace>({ rate: 50, unit: "tokens" });
// null while nobody wants to see the artifact as a stream.
export const streaming = signal<Streaming | null>(null);

// What would have been saved: the part of the text after the stop.
export const saved = computed<(Extent & { share: number }) | null>(() => {
  const now = streaming.value;
  if (!now?.stop) return null;
  const bytes = now.total.bytes - now.stop.bytes;
  return {
    bytes,
    tokens: now.total.tokens - now.stop.tokens,
    share: now.total.bytes === 0 ? 0 : bytes / now.total.bytes,
  };
});

const nothing: Extent = { bytes: 0, tokens: 0 };

// A text measured once for all that is asked while it is played.
export class Measure {
  readonly total: Extent;

  constructor(
    private readonly text: string,
    private readonly tokens: Pieces,
  ) {
    this.total = { bytes: bytesOf(text), tokens: tokens.count };
  }

  upTo(utf16: number): Extent {
    const tokens = begunAt(this.tokens.ends, utf16);
    const piece = tokens - 1;
    const before = piece > 0 ? (this.tokens.byteEnds[piece - 1] ?? 0) : 0;
    const start = piece > 0 ? (this.tokens.ends[piece - 1] ?? 0) : 0;
    return { bytes: utf16 === 0 ? 0 : before + bytesOf(this.text, start, utf16), tokens };
  }

  // The place of a byte: its token has been written whole by then, for tokens come whole.
  atByte(byte: number): Extent & { utf16: number } {
    const tokens = begunAt(this.tokens.byteEnds, byte);
    const start = tokens > 1 ? (this.tokens.ends[tokens - 2] ?? 0) : 0;
    let at = start;
    let bytes = tokens > 1 ? (this.tokens.byteEnds[tokens - 2] ?? 0) : 0;
    while (bytes < byte && at < this.text.length) {
      const step = (this.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      bytes += bytesOf(this.text, at, at + step);
      at += step;
    }
    return { bytes: Math.min(byte, this.total.bytes), tokens, utf16: at };
  }
}

// The earliest moment at which somebody would have stopped it.
export function stopOf(measure: Measure, findings: readonly Finding[], signals: readonly Signal[]): Stop | null {
  let byte = Infinity;
  let because: Stop["because"] = { detail: "" };
  for (const { severity, shadowedBy, decidedAt, id } of findings) {
    if (severity !== "error" || shadowedBy !== undefined || decidedAt >= byte) continue;
    byte = decidedAt;
    because = { id };
  }
  for (const { atByte, detail, kind } of signals) {
    if (atByte >= byte) continue;
    byte = atByte;
    because = { detail: detail ?? kind };
  }
  return byte === Infinity ? null : { ...measure.atByte(byte), because };
}

export function readyToStream(): Streaming {
  return { phase: "ready", total: nothing, arrived: nothing, stop: null };
}
