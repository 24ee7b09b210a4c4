// A text cut into pieces of about the size of a model's tokens, and an estimate of their number: no single estimate
// serves every vocabulary, so what is said of tokens is always said with "about".
//
// A piece is a short word with the space before it, a part of a longer one, up to three digits, up to three marks, or
// white space in a row; scripts that vocabularies know less of are cut shorter.
const piece =
  / ?\p{sc=Latin}{1,8}|\p{sc=Han}| ?[\p{L}\p{M}]{1,3}| ?\p{N}{1,3}| ?[^\s\p{L}\p{M}\p{N}]{1,3}|\s+|[\uD800-\uDFFF]/gu;

export type PieceUnit = "tokens" | "characters";

export interface Pieces {
  readonly count: number;
  // Where each piece ends, in UTF-16 units and in bytes of UTF-8.
  readonly ends: Uint32Array;
  readonly byteEnds: Uint32Array;
}

export function bytesOf(text: string, from = 0, to = text.length): number {
  let bytes = 0;
  for (let i = from; i < to; ++i) {
    const unit = text.charCodeAt(i);
    // Each half of a surrogate pair counts two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
  }
  return bytes;
}

function collect(ends: number[], text: string): Pieces {
  const byteEnds = new Uint32Array(ends.length);
  let bytes = 0;
  let from = 0;
  ends.forEach((end, index) => {
    bytes += bytesOf(text, from, end);
    byteEnds[index] = bytes;
    from = end;
  });
  return { count: ends.length, ends: Uint32Array.from(ends), byteEnds };
}

export function tokensOf(text: string): Pieces {
  const ends: number[] = [];
  for (const match of text.matchAll(piece)) ends.push(match.index + match[0].length);
  return collect(ends, text);
}

// Characters, as people count them when they count quickly: code points.
export function charactersOf(text: string): Pieces {
  const ends: number[] = [];
  for (let i = 0; i < text.length;) {
    i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
    ends.push(i);
  }
  return collect(ends, text);
}

export const piecesOf = (text: string, unit: PieceUnit): Pieces =>
  unit === "tokens" ? tokensOf(text) : charactersOf(text);

// How many pieces have begun when this many units or bytes are there.
export function begunAt(ends: Uint32Array, place: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return place === 0 ? 0 : Math.min(low + 1, ends.length);
}

// The places of bytes, which rise, in UTF-16 units.
export function unitsAt(text: string, places: readonly number[]): number[] {
  let unit = 0;
  let byte = 0;
  return places.map((place) => {
    while (byte < place && unit < text.length) {
      const step = (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
      byte += bytesOf(text, unit, unit + step);
      unit += step;
    }
    return unit;
  });
}
