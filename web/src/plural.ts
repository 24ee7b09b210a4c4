// "1 error", "2 errors", "3 searches": a number with what it counts.
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export const count = (n: number): string => n.toLocaleString("en");
