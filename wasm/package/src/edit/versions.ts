/** Versions of a text, and the lines in which two of them differ. */

export interface EditVersion {
  /** "As given", "Edited", or what a fix did. */
  readonly label: string;
  readonly text: string;
}

const versionsMax = 20;
/** Beyond so many pairs of lines all that is between the first and the last change differs. */
const pairsMax = 4_000_000;

export class Versions {
  #all: EditVersion[] = [];

  get all(): readonly EditVersion[] {
    return this.#all;
  }

  /** Unless it is the last one already. The first stays, however many come. */
  keep(label: string, text: string): void {
    if (this.#all.at(-1)?.text !== text) {
      this.#all.push({ label, text });
      if (this.#all.length > versionsMax) {
        this.#all.splice(1, 1);
      }
    }
  }
}

/** The numbers of the lines that only one of the two has. */
export function differingLines(before: string, after: string): { before: Set<number>; after: Set<number> } {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    ++head;
  }
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) {
    ++tail;
  }
  const [rows, columns] = [a.length - head - tail, b.length - head - tail];
  const out = { before: new Set<number>(), after: new Set<number>() };
  const width = columns + 1;
  const small = rows * columns <= pairsMax;
  // The longest list of lines that both have, from each place on.
  const common = new Uint32Array(small ? (rows + 1) * width : 0);
  for (let i = rows - 1; small && i >= 0; --i) {
    for (let j = columns - 1; j >= 0; --j) {
      common[i * width + j] =
        a[head + i] === b[head + j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (small && i < rows && j < columns && a[head + i] === b[head + j]) {
      ++i;
      ++j;
    } else if (i < rows && (j === columns || !small || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      out.before.add(head + i++);
    } else {
      out.after.add(head + j++);
    }
  }
  return out;
}
