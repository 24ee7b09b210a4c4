// What the view of budgets holds: one value, which is in the address, so that a link is all there is to share.
import { signal } from "@preact/signals";
import type { AssembleElement, Budget, BudgetValue } from "@plumbline/plumbline/budget";

import { addressPart, addressedPart } from "../view";
import { example } from "./example";
import { budget as t } from "../strings";

export const value = signal<BudgetValue>(example);
export const budget = signal<Budget | null>(null);
export const problem = signal("");
export const linkUnitsMax = 100_000;

export function change(part: Partial<BudgetValue>): void {
  value.value = { ...value.value, ...part };
  keepInAddress();
}

export function changeElement(index: number, part: Partial<AssembleElement>): void {
  const elements = value.value.elements.map((one, i) => (i === index ? ({ ...one, ...part } as AssembleElement) : one));
  change({ elements });
}

// An SOP has a parent and chunks; any other kind has its tokens. The tokens stay what they were.
export function asKind(element: AssembleElement, kind: AssembleElement["kind"]): AssembleElement {
  if (kind === element.kind) return element;
  const { id } = element;
  const tokens = tokensOf(element);
  if (kind !== "sop") return { kind, id, tokens };
  const chunk = Math.max(1, Math.round(tokens / 4));
  return {
    kind,
    id,
    severity: "warning",
    parent: Math.max(0, tokens - 3 * chunk),
    chunks: [0, 1, 2].map((chunk_index) => ({ chunk_index, tokens: chunk })),
  };
}

export function tokensOf(element: AssembleElement): number {
  if (element.kind !== "sop") return element.tokens ?? 0;
  const parent = typeof element.parent === "number" ? element.parent : 0;
  return parent + (element.chunks ?? []).reduce((sum, one) => sum + (one.tokens ?? 0), 0);
}

let timer: ReturnType<typeof setTimeout> | undefined;

// Browsers refuse an address that is changed many times a second.
function keepInAddress(): void {
  clearTimeout(timer);
  timer = setTimeout(() => addressPart("budget", encoded(value.value)), 250);
}

function encoded(wanted: BudgetValue): string {
  const bytes = new TextEncoder().encode(JSON.stringify(wanted));
  let text = "";
  for (let from = 0; from < bytes.length; from += 0x8000) text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function linkOf(): string {
  return `${location.href.replace(/#.*$/, "")}#budget/${encoded(value.value)}`;
}

export function openAddress(): void {
  const code = addressedPart("budget");
  if (code === "" || code === encoded(value.value)) return;
  try {
    if (code.length > linkUnitsMax) throw new Error(t.tooLargeLink);
    const bytes = Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (unit) => unit.charCodeAt(0));
    const told = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as BudgetValue;
    if (typeof told !== "object" || told === null || !Array.isArray(told.elements)) throw new Error(t.noBudget);
    value.value = told;
    problem.value = "";
  } catch {
    problem.value = t.brokenLink;
  }
}
