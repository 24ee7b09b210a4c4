/** What a call will cost, in words, before it is made. */

/** Dollars for a million tokens. */
export interface Price {
  in: number;
  out: number;
}

/** "2 10": what a million tokens cost, in and out. */
export function priceOf(text: string | null): Price | undefined {
  const [input = Number.NaN, output = Number.NaN] = (text ?? "").trim().split(/\s+/).map(Number);
  return input >= 0 && output >= 0 ? { in: input, out: output } : undefined;
}

const grouped = (tokens: number): string => tokens.toLocaleString("en");
export const dollars = (sum: number): string => `$${sum.toFixed(sum < 0.01 ? 4 : 2)}`;

export function costWords(input: number, output: number, price: Price | undefined): string {
  const money = price && `, ${dollars((input * price.in + output * price.out) / 1e6)} at most`;
  return `about ${grouped(input)} tokens in, at most ${grouped(output)} out${money ?? ""}`;
}

export function tookWords({ input_tokens: input = 0, output_tokens: output = 0, estimated }: { input_tokens?: number; output_tokens?: number; estimated?: boolean }, price: Price | undefined): string {
  const money = price && `, ${dollars((input * price.in + output * price.out) / 1e6)}`;
  return `${estimated ? "about " : ""}${grouped(input)} tokens in, ${grouped(output)} out${money ?? ""}`;
}
