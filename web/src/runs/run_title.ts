// What a run is called: what it is for, and of what. The server says it of its runs (native/outcome/run_name.hpp); of a
// journal in this page it is read here, in the same way.
import { journal } from "../strings";

type Stored = Record<string, unknown>;

const inside = (value: unknown, path: string): unknown =>
  path.split("/").reduce<unknown>((at, name) => (at !== null && typeof at === "object" ? (at as Stored)[name] : undefined), value);

const namings: Readonly<Record<string, readonly string[]>> = {
  artifact: ["chunks/0/headings/0", "chunks/0/text"],
  research: ["question"],
  discovery: ["target_domain"],
  story: ["outline/title"],
  workflow: ["plan/title", "idea", "plan/slug"],
};

const namedMax = 3;

// "5 items: order page, somewhere, lists": each item by its first text.
function titleOfItems(input: unknown): string {
  const items = inside(input, "items");
  if (!Array.isArray(items)) return "";
  const firstText = (item: unknown): string =>
    typeof item === "string" ? item : (Object.values((item ?? {}) as Stored).find((one): one is string => typeof one === "string") ?? "");
  return journal.titleOfItems(items.length, items.slice(0, namedMax).map(firstText).filter(Boolean).map(lineOf));
}

const titleMax = 100;

function lineOf(text: string): string {
  for (const line of text.split("\n", 50)) {
    const words = line.replace(/^[#*\->=_ \t\r]+/, "").trim();
    if (words !== "") return [...words].length > titleMax ? `${[...words].slice(0, titleMax - 1).join("")}…` : words;
  }
  return "";
}

export function nameOf(pipeline: string, input: unknown): { type: string; title: string } {
  const type = pipeline === "artifact" ? inside(input, "artifact_type") : pipeline;
  for (const path of namings[pipeline] ?? []) {
    const text = inside(input, path);
    const title = typeof text === "string" ? lineOf(text) : "";
    if (title !== "") return { type: String(type ?? pipeline), title };
  }
  return { type: String(type ?? pipeline), title: pipeline === "boundary" ? lineOf(titleOfItems(input)) : "" };
}

// "Quiz", "Research".
export const typeWord = (type: string): string => type.charAt(0).toUpperCase() + type.slice(1).replaceAll("_", " ");
