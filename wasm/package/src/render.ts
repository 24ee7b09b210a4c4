/** Verdicts as text. What programs and models read is written here; reports are the author module's (author.ts). */
import type { Module } from "./module.js";
import { PlumbError } from "./error.js";
import { refuseMistaken } from "./misuse.js";
import { jsonText, keptText, verdictJson, type Severity, type Verdict } from "./verdict.js";

/** What programs and models read. */
export type Format = "json" | "jsonl" | "llm";

/** Those and what people and other tools read, for the author module. */
export type ReportFormat = Format | "text" | "short" | "scorecard" | "sarif" | "junit" | "github";

/** A verdict with the name of the file it is about. */
export interface FileVerdict {
  file: string;
  verdict: Verdict;
}

export interface RenderOptions {
  /** The name of the file, where one verdict is given without. */
  file?: string;
  /** `llm`: the caller's tool, for "Call NAME() with corrected data". */
  tool?: string;
  /** `llm`: what to do next, instead. */
  action?: string;
  /**
   * `llm`: the text that was judged, from which the values are shown. Not needed for what `check` was given, needed for
   * what was streamed.
   */
  text?: string;
  /**
   * `json`: what is told of the contracts, as a JSON list.
   * @internal
   */
  warnings?: string;
}

/** One verdict, one with its file, or many. */
export type Verdicts = Verdict | FileVerdict | readonly FileVerdict[];

const formats: readonly Format[] = ["json", "jsonl", "llm"];
const reports: readonly ReportFormat[] = ["text", "short", "scorecard", "sarif", "junit", "github"];

/** @internal */
export function isPlain(format: ReportFormat): format is Format {
  return (formats as readonly ReportFormat[]).includes(format);
}

/** @internal */
export function noSuchFormat(format: string): PlumbError {
  return new PlumbError(
    "invalid_argument",
    `there is no format "${format}"; there are ${[...reports, ...formats].join(", ")}`,
  );
}

/** @internal */
export function listed(verdicts: Verdicts, { file }: RenderOptions): readonly FileVerdict[] {
  const all: readonly (Verdict | FileVerdict)[] = Array.isArray(verdicts) ? verdicts : [verdicts];
  return all.map((one) => {
    refuseMistaken(one, "a verdict");
    return "verdict" in one ? one : { file: file ?? "", verdict: one };
  });
}

/** @internal */
export function render(module: Module, verdicts: Verdicts, format: Format, options: RenderOptions): string {
  const all = listed(verdicts, options);
  switch (format) {
    case "json":
      return documentOf(all, options.warnings);
    case "jsonl":
      return all.map((one) => `${withFile(one)}\n`).join("");
    case "llm": {
      const { tool, action } = options;
      return all
        .map(({ verdict }) => {
          const head = JSON.stringify({ tool, action, text: options.text ?? keptText(verdict) }).slice(0, -1);
          return module.feedback(`${head === "{" ? "{" : `${head},`}"verdict":${verdictJson(verdict)}}`);
        })
        .join("");
    }
    default:
      throw (reports as readonly string[]).includes(format)
        ? new PlumbError(
            "invalid_argument",
            `the format "${String(format)}" is the author module's: (await plumb.author()).render(...)`,
          )
        : noSuchFormat(String(format));
  }
}

/**
 * The JSON of a verdict with the member `file` in front.
 * @internal
 */
export function withFile({ file, verdict }: FileVerdict): string {
  const json = verdictJson(verdict);
  return file === "" ? json : `{"file":${jsonText(file)},${json.slice(1)}`;
}

/** One document of all verdicts, with their counts at its end. */
function documentOf(all: readonly FileVerdict[], warnings: string | undefined): string {
  const count = { error: 0, warning: 0, info: 0 };
  const summary = { artifacts: all.length, valid: 0, invalid: 0, undecided: 0, errors: 0, warnings: 0, infos: 0 };
  let more = 0;
  for (const { verdict } of all) {
    summary.valid += verdict.valid ? 1 : 0;
    summary.undecided += verdict.decision === "undecided" ? 1 : 0;
    for (const { shadowedBy, severity } of verdict.findings) {
      count[severity satisfies Severity] += shadowedBy === undefined ? 1 : 0;
    }
    for (const uncounted of Object.values(verdict.more ?? {})) {
      more += uncounted;
    }
  }
  summary.invalid = all.length - summary.valid;
  [summary.errors, summary.warnings, summary.infos] = [count.error, count.warning, count.info];
  const verdicts = all.length === 0 ? "" : `\n${all.map(withFile).join(",\n")}\n`;
  const told = warnings === undefined ? "" : `"warnings":${warnings},`;
  return `{"verdicts":[${verdicts}],${told}"summary":${JSON.stringify(more === 0 ? summary : { ...summary, more })}}\n`;
}
