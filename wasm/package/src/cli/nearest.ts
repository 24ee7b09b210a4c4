/** "Did you mean": the candidate nearest to a word that nobody knows. */

/** " (did you mean 'X'?)", or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const longer = Math.max(word.length, candidate.length);
    const near = longer <= 2 ? 0 : longer <= 4 ? 1 : longer <= 8 ? 2 : 3;
    const distance = editDistance(word.slice(0, 200).toLowerCase(), candidate.toLowerCase());
    if (distance <= near && distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best === undefined ? "" : ` (did you mean '${best}'?)`;
}

/** Characters inserted, left out, replaced or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    for (let j = 1; j <= b.length; ++j) {
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, before[j - 2]! + 1);
      }
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
