/**
 * Random bytes from the host. Browsers, workers and Node from 19 on have them as `crypto`; for Node 18 its entry gives
 * them.
 */
type Fill = (bytes: Uint8Array<ArrayBuffer>) => unknown;

let fill: Fill = (bytes) => crypto.getRandomValues(bytes);

export function useRandom(from: Fill): void {
  fill = from;
}

export function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  fill(bytes);
  return bytes;
}
