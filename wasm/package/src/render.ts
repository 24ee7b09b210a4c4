import type { Module } from "./module.js";
import { PlumbError } from "./error.js";
import { verdictJson, type Verdict } from "./verdict.js";

export type Format = "text" | "json" | "jsonl" | "sarif" | "junit" | "github" | "llm";

/** A verdict with the name of the file it is about. */
export interface FileVerdict {
  file: string;
  verdict: Verdict;
}

export interface RenderOptions {
  /** The name of the file, where one verdict is given without. */
  file?: string;
  /** `text`: ANSI colours. */
  color?: boolean;
  /** `text`: no symbols outside ASCII. */
  ascii?: boolean;
  /** `llm`: the caller's tool, for "Call NAME() with corrected data". */
  tool?: string;
  /** `llm`: what to do next, instead. */
  action?: string;
}

const formats: readonly Format[] = ["text", "json", "jsonl", "sarif", "junit", "github", "llm"];

/** @internal */
export function render(
  module: Module,
  verdicts: Verdict | FileVerdict | readonly FileVerdict[],
  format: Format,
  options: RenderOptions,
): string {
  if (!formats.includes(format)) {
    throw new PlumbError("invalid_argument", `there is no format "${format}"; there are ${formats.join(", ")}`);
  }
  const all: readonly (Verdict | FileVerdict)[] = Array.isArray(verdicts) ? verdicts : [verdicts];
  return renderJson(
    module,
    all.map((one) =>
      "verdict" in one ? withFile(one.file, verdictJson(one.verdict)) : withFile(options.file ?? "", verdictJson(one)),
    ),
    format,
    options,
  );
}

/**
 * The JSON of a verdict with the member `file` in front.
 * @internal
 */
export function withFile(file: string, verdictJson: string): string {
  return `{"file":${JSON.stringify(file)},${verdictJson.slice(1)}`;
}

/**
 * The same for verdicts that are JSON already; `summary` is the end of a text report.
 * @internal
 */
export function renderJson(
  module: Module,
  verdicts: readonly string[],
  format: Format | "summary",
  { color, ascii, tool, action }: RenderOptions,
): string {
  const head = JSON.stringify({ format, color, ascii, tool, action });
  return module.render(`${head.slice(0, -1)},"verdicts":[${verdicts.join(",")}]}`);
}
