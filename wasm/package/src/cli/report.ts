/** What `check` writes: verdicts in one of the formats, in order, and the exit code that follows from them. */
import { closeSync, openSync } from "node:fs";
import type { Author } from "../author.js";
import { PlumbError } from "../error.js";
import type { Plumb } from "../plumb.js";
import { isPlain, type FileVerdict, type ReportFormat } from "../render.js";
import { jsonText, type Severity, type Verdict } from "../verdict.js";
import type { NamedContract } from "./sources.js";
import type { Progress } from "./progress.js";
import { bold, complain, green, reasonOf, red, writeAll, yellow, type Style } from "./terminal.js";

export const exitClean = 0;
export const exitFindings = 1;
export const exitUndecided = 2;

export interface ReportSettings {
  format: ReportFormat;
  failOn: string;
  exitZero: boolean;
  quiet: boolean;
  /** text: a line for each artifact without findings. */
  listClean: boolean;
  style: Style;
  tool: string | undefined;
  action: string | undefined;
  /** A file; undefined for standard output. */
  output: string | undefined;
}

const keptMax = 1_000_000;
/** Text is written in pieces of about this size. */
const pieceUnits = 1 << 16;

export class Report {
  readonly #writer: { render: Author["render"] };
  readonly settings: ReportSettings;
  readonly #descriptor: number;
  readonly #kept: FileVerdict[] = [];
  readonly #warnings: object[] = [];
  #pending = "";
  readonly #totals = { artifacts: 0, invalid: 0, undecided: 0, error: 0, warning: 0, info: 0, more: 0, failing: 0 };
  #problems = 0;
  progress: Progress | undefined;
  filesDone = 0;

  /** Json, JSON lines and feedback need no author module. */
  static async open(plumb: Plumb, settings: ReportSettings): Promise<Report> {
    const plain = isPlain(settings.format);
    return new Report(plain ? (plumb as { render: Author["render"] }) : await plumb.author(), settings);
  }

  private constructor(writer: { render: Author["render"] }, settings: ReportSettings) {
    this.#writer = writer;
    this.settings = settings;
    this.#descriptor = 1;
    if (settings.output !== undefined && settings.output !== "-") {
      try {
        this.#descriptor = openSync(settings.output, "w");
      } catch (error) {
        throw new PlumbError("unavailable", `cannot be written: ${reasonOf(error)}`, { where: settings.output });
      }
    }
  }

  /** What is told of a contract; it is in reports that are one JSON document. */
  contractWarnings({ contract, source }: NamedContract): void {
    for (const { message, at, line, column } of contract.warnings) {
      const file = source === "" ? {} : { file: source };
      this.#warnings.push({ contract: contract.name, ...file, message, at, line, column });
    }
  }

  verdict(file: string, verdict: Verdict): void {
    this.#count(verdict);
    this.progress?.artifact(this.filesDone);
    const { format, listClean, style, tool, action } = this.settings;
    switch (format) {
      case "json":
      case "sarif":
      case "junit":
        this.#kept.push({ file, verdict });
        if (this.#kept.length > keptMax) {
          throw new PlumbError(
            "limit",
            "more than a million artifacts in one document; use --format jsonl, which is written as it comes",
          );
        }
        return;
      case "text":
        if (!listClean && verdict.decision === "accept" && verdict.findings.length === 0) {
          return;
        }
    }
    const given = { ...style, ...(tool === undefined ? {} : { tool }), ...(action === undefined ? {} : { action }) };
    this.put(this.#writer.render({ file, verdict }, format, given) + (format === "llm" ? "\n" : ""));
  }

  /** An input that could not be judged. */
  problem(file: string, message: string, contract: { name: string; hash: string } | undefined): void {
    ++this.#problems;
    this.flush();
    this.progress?.wipe();
    complain(file === "" ? message : `${file === "-" ? "standard input" : file}: ${message}`);
    if (["text", "short", "llm"].includes(this.settings.format)) {
      return;
    }
    this.verdict(file, {
      contract: contract?.name ?? "",
      hash: contract?.hash ?? "",
      valid: false,
      decision: "undecided",
      findings: [],
      edits: [],
      undecided: [{ rule: "input", at: "", schemaLocation: "", reason: message }],
      scorecard: [],
      labels: {},
    });
  }

  put(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= pieceUnits) {
      this.flush();
    }
  }

  flush(): void {
    if (this.#pending === "") {
      return;
    }
    const text = this.#pending;
    this.#pending = "";
    this.progress?.wipe();
    try {
      writeAll(this.#descriptor, text);
    } catch (error) {
      throw new PlumbError("unavailable", `the report cannot be written: ${reasonOf(error)}`, {
        where: this.settings.output ?? "standard output",
      });
    }
  }

  /** Writes what comes at the end. */
  finish(): void {
    const { format, quiet } = this.settings;
    if (format === "json" || format === "sarif" || format === "junit") {
      const warnings = format === "json" && this.#warnings.length > 0 ? { warnings: jsonText(this.#warnings) } : {};
      this.put(this.#writer.render(this.#kept, format, warnings));
    } else if (format === "text" && !quiet && this.#totals.artifacts > 1) {
      this.put(this.#summary());
    }
    this.close();
  }

  close(): void {
    this.flush();
    this.progress?.wipe();
    if (this.#descriptor > 2) {
      closeSync(this.#descriptor);
    }
  }

  get exitCode(): number {
    if (this.#problems > 0 || this.#totals.undecided > 0) {
      return exitUndecided;
    }
    return this.#totals.failing > 0 && !this.settings.exitZero ? exitFindings : exitClean;
  }

  #count(verdict: Verdict): void {
    const totals = this.#totals;
    const count = { error: 0, warning: 0, info: 0 };
    for (const finding of verdict.findings) {
      count[finding.severity] += finding.shadowedBy === undefined ? 1 : 0;
    }
    for (const severity of ["error", "warning", "info"] as const satisfies readonly Severity[]) {
      totals[severity] += count[severity];
    }
    for (const more of Object.values(verdict.more ?? {})) {
      totals.more += more;
    }
    ++totals.artifacts;
    totals.invalid += verdict.valid ? 0 : 1;
    totals.undecided += verdict.decision === "undecided" ? 1 : 0;
    const { failOn } = this.settings;
    const hasError = count.error > 0 || (!verdict.valid && verdict.decision !== "undecided");
    const fails =
      (failOn !== "never" && hasError) ||
      ((failOn === "warning" || failOn === "info") && count.warning > 0) ||
      (failOn === "info" && count.info > 0);
    totals.failing += fails ? 1 : 0;
  }

  #summary(): string {
    const { artifacts, invalid, undecided, error, warning, info, more } = this.#totals;
    const { style } = this.settings;
    const counts: string[] = [];
    if (error > 0) {
      counts.push(counted(error, "error"));
    }
    if (warning > 0) {
      counts.push(counted(warning, "warning"));
    }
    if (info > 0) {
      counts.push(`${info} info`);
    }
    if (more > 0) {
      counts.push(`${more} more not listed`);
    }
    let out: string;
    if (invalid > 0) {
      const mark = red(style.ascii ? "FAIL" : "\u274c", style);
      out = `${mark} ${bold(`${invalid} of ${counted(artifacts, "artifact")} invalid`, style)}`;
    } else {
      const mark =
        undecided > 0
          ? yellow(style.ascii ? "warn" : "\u26a0\ufe0f ", style)
          : green(style.ascii ? "ok  " : "\u2705", style);
      out = `${mark} ${bold(`${counted(artifacts, "artifact")} valid`, style)}`;
    }
    if (counts.length > 0) {
      out += `: ${counts.join(", ")}`;
    }
    if (undecided > 0) {
      out += `${style.ascii ? ", " : " \u00b7 "}${undecided} undecided`;
    }
    return `${out}\n`;
  }
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
