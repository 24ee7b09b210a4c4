// What has changed between two texts, line by line: the fewest lines taken out and put in (Myers), bounded.
export interface Line {
  kind: "same" | "out" | "in";
  text: string;
}
// Lines that are the same and far from any change, as one.
export type Shown = Line | { kind: "skipped"; count: number };

// Beyond so many changes the rest is told as all out, all in.
const changesMax = 600;

export function diffLines(before: string, after: string): Line[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) ++head;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) ++tail;
  const same = (text: string): Line => ({ kind: "same", text });
  return [
    ...a.slice(0, head).map(same),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
}

function middle(a: string[], b: string[]): Line[] {
  const out = (text: string): Line => ({ kind: "out", text });
  const put = (text: string): Line => ({ kind: "in", text });
  const most = Math.min(a.length + b.length, changesMax);
  const reached: Int32Array[] = [];
  let furthest = new Int32Array(2 * most + 3);
  const middleAt = most + 1;
  for (let d = 0; d <= most; ++d) {
    reached.push(furthest.slice());
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[middleAt + k - 1]! < furthest[middleAt + k + 1]!);
      let x = down ? furthest[middleAt + k + 1]! : furthest[middleAt + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) ++x;
      furthest[middleAt + k] = x;
      if (x >= a.length && x - k >= b.length) return back(a, b, reached, middleAt, d);
    }
    furthest = furthest.slice();
  }
  return [...a.map(out), ...b.map(put)];
}

function back(a: string[], b: string[], reached: Int32Array[], middleAt: number, depth: number): Line[] {
  const lines: Line[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = depth; d >= 0; --d) {
    const furthest = reached[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && furthest[middleAt + k - 1]! < furthest[middleAt + k + 1]!);
    const from = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : furthest[middleAt + from]!;
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY && x > 0 && y > 0 && a[x - 1] === b[y - 1]) {
      lines.push({ kind: "same", text: a[--x]! });
      --y;
    }
    if (d > 0) {
      if (down) lines.push({ kind: "in", text: b[--y]! });
      else lines.push({ kind: "out", text: a[--x]! });
    }
  }
  return lines.reverse();
}

// With so many lines that are the same around each change.
export function around(lines: readonly Line[], context = 3): Shown[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach(({ kind }, index) => {
    if (kind === "same") return;
    for (let i = Math.max(0, index - context); i <= Math.min(lines.length - 1, index + context); ++i) near[i] = true;
  });
  const shown: Shown[] = [];
  lines.forEach((line, index) => {
    const last = shown[shown.length - 1];
    if (near[index]) shown.push(line);
    else if (last?.kind === "skipped") ++last.count;
    else shown.push({ kind: "skipped", count: 1 });
  });
  return shown;
}
