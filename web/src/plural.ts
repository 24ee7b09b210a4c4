// "1 error", "2 errors", "3 searches": a number with what it counts.
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export const count = (n: number): string => n.toLocaleString("en");

// "rejected once", "revised 3 times".
export const times = (n: number): string => (n === 1 ? "once" : n === 2 ? "twice" : `${count(n)} times`);
