/** `plumbline check`: the native command's, from WebAssembly. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { CheckOptions, Contract, ContractOptions, Limits } from "../contract.js";
import { PlumbError } from "../error.js";
import type { Plumb } from "../plumb.js";
import type { ReportFormat } from "../render.js";
import type { Finding, Signal, Verdict } from "../verdict.js";
import { entryFor, findConfig, readConfig, type Config } from "./config.js";
import { absolutePath, collectConfigured, collectInputs, whyNot, type InputFile } from "./inputs.js";
import { Usage, type Arguments } from "./options.js";
import { Progress } from "./progress.js";
import { exitUndecided, Report, type ReportSettings } from "./report.js";
import { findContract, readingOptions, readText, tellWarnings, type NamedContract } from "./sources.js";
import { complain, cyan, dim, note, red, styleFor, yellow, type Style } from "./terminal.js";

const chunkBytes = 256 * 1024;
/** Feedback for a model shows values of artifacts up to this size. */
const shownBytesMax = 1 << 20;
/** More clean files than this are only counted. */
const listedFilesMax = 20;
/** A line longer than this is judged piece by piece while it is read. */
const lineBytesMax = 4 * 1024 * 1024;

export async function runCheck(plumb: Plumb, said: Arguments): Promise<number> {
  if (said.has("--config") && said.has("--no-config")) {
    throw new Usage("'--config' and '--no-config' exclude each other");
  }
  const configPath = said.text("--config") ?? (said.has("--no-config") ? undefined : findConfig());
  const config = configPath === undefined ? undefined : readConfig(configPath, plumb);
  const settings = reportSettings(said, config);
  const limits: Limits = {
    depthMax: said.number("--max-depth", 1024, 1, 1_000_000),
    bytesMax: said.size("--max-bytes", 2 ** 30, 2 ** 40),
  };
  said.number("--jobs", 1, 1, 256);
  const wantedContract = said.text("--contract");
  const stream = said.has("--stream");
  if (stream) {
    requireStream(said, settings.format);
  }
  if (wantedContract === undefined && config === undefined) {
    throw new Usage(
      "no contract: give '--contract NAME|FILE', or a plumb.yaml here or above that says which file has which; " +
        "'plumbline contracts list' shows the built-in ones",
    );
  }
  if (said.words.length === 0 && !stream) {
    if (wantedContract !== undefined) {
      throw new Usage("no PATH: give files, directories, quoted globs, or - for standard input");
    }
    if (config!.contracts.length === 0) {
      throw new Usage(`no PATH, and '${config!.path}' has no 'contracts'`);
    }
  }

  const edits = editsOf(said.list("--edits"), plumb);
  const slots = new Slots(plumb, readingOptions(said, config?.documents ?? []), limits, edits, settings.quiet);
  const named = wantedContract === undefined ? undefined : slots.slot(wantedContract, said.text("--context"));
  if (stream) {
    const report = await Report.open(plumb, settings);
    checkStream(named!, report);
    report.close();
    return report.exitCode;
  }

  const options = { allLines: said.has("--lines"), exclude: said.list("--exclude") };
  const inputs = said.words.length === 0 ? collectConfigured(config!, options) : collectInputs(said.words, options);
  const assigned: { file: InputFile; slot: Slot }[] = [];
  let unmatched = 0;
  for (const file of inputs.files) {
    if (named !== undefined) {
      assigned.push({ file, slot: named });
      continue;
    }
    const entry = file.path === "-" ? undefined : entryFor(config!, absolutePath(file.path));
    if (entry !== undefined) {
      assigned.push({ file, slot: slots.slot(entry.contract, said.text("--context") ?? entry.context) });
    } else if (!file.named) {
      ++unmatched;
    } else {
      inputs.problems.push({
        path: file.path,
        message:
          file.path === "-"
            ? "needs '--contract NAME|FILE'"
            : `no entry of ${config!.path} matches it; add one, or give '--contract NAME|FILE'`,
      });
    }
  }
  settings.listClean = !settings.quiet && assigned.length <= listedFilesMax && !assigned.some((one) => one.file.lines);

  const report = await Report.open(plumb, settings);
  slots.read.forEach((one) => report.contractWarnings(one));
  report.progress = new Progress(settings.quiet, assigned.length);
  for (const { path, message } of inputs.problems) {
    report.problem(path, message, named?.contract);
  }
  for (const { file, slot } of assigned) {
    try {
      const artifacts = file.lines ? checkLines(file.path, slot, report) : checkFile(file.path, slot, report);
      if (artifacts === 0) {
        report.problem(file.path, "holds no artifact: every line is blank", slot.contract);
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) {
        throw error;
      }
      report.problem(file.path, error.message, slot.contract);
    }
    ++report.filesDone;
  }
  report.finish();
  if (unmatched > 0 && !settings.quiet) {
    const [files, were] = unmatched === 1 ? ["file matches", "was"] : ["files match", "were"];
    note(`${unmatched} ${files} no entry of ${config!.path} and ${were} left out`);
  }
  if (inputs.leftOut > 0 && !settings.quiet) {
    const [files, were] = inputs.leftOut === 1 ? ["file or directory", "was"] : ["files and directories", "were"];
    note(`${inputs.leftOut} ${files} ${were} left out by --exclude or '!GLOB'`);
  }
  if (assigned.length === 0 && inputs.problems.length === 0) {
    complain(`nothing was checked: no file matches ${config?.path ?? "what was named"}`);
    return exitUndecided;
  }
  return report.exitCode;
}

function reportSettings(said: Arguments, config: Config | undefined): ReportSettings {
  const format = (said.text("--format") ?? config?.format ?? "text") as ReportFormat;
  if (format !== "llm" && (said.has("--tool") || said.has("--action"))) {
    throw new Usage("'--tool' and '--action' are for '--format llm'");
  }
  const output = said.text("--output");
  const style = styleFor(said, 1);
  if (output !== undefined && (said.text("--color") ?? "auto") === "auto") {
    style.color = false;
  }
  return {
    format,
    failOn: said.text("--fail-on") ?? config?.failOn ?? "error",
    exitZero: said.has("--exit-zero"),
    quiet: said.has("--quiet"),
    listClean: !said.has("--quiet"),
    style,
    tool: said.text("--tool"),
    action: said.text("--action"),
    output,
  };
}

/** `--edits LEVEL` for all classes of edits, `--edits CLASS=LEVEL` for one; a class alone has the others at `certain`. */
function editsOf(said: readonly string[], plumb: Plumb): CheckOptions["edits"] {
  const levels: Record<string, string> = {};
  for (const one of said) {
    const sign = one.indexOf("=");
    const name = sign < 0 ? "default" : one.slice(0, sign);
    const set = { [name]: one.slice(sign + 1) } as NonNullable<CheckOptions["edits"]>;
    try {
      plumb.contract(true).stream({ edits: set }).dispose(); // the core knows the classes and levels
    } catch (error) {
      if (error instanceof PlumbError && error.code !== "trap") {
        throw new Usage(`'--edits ${one}': ${error.message}`);
      }
      throw error;
    }
    Object.assign(levels, set);
    if (name !== "default" && (levels["default"] ?? "none") === "none") {
      levels["default"] = "certain";
    }
  }
  return said.length === 0 ? undefined : (levels as CheckOptions["edits"]);
}

function requireStream(said: Arguments, format: ReportFormat): void {
  if (said.words.length > 0 && !(said.words.length === 1 && said.words[0] === "-")) {
    throw new Usage("'--stream' reads standard input; give no PATH, or -");
  }
  if (said.has("--lines")) {
    throw new Usage("'--stream' reads one artifact; it does not go with '--lines'");
  }
  if (format !== "text" && format !== "jsonl") {
    throw new Usage(`'--stream' writes text or jsonl, not ${format}`);
  }
  if (!said.has("--contract")) {
    throw new Usage("'--stream' needs '--contract NAME|FILE'");
  }
}

/** A contract with the context its checks read. */
interface Slot {
  contract: Contract;
  options: CheckOptions;
}

/** Contracts are read once for each pair of contract and context that some file needs. */
class Slots {
  readonly #known = new Map<string, Slot>();
  readonly read: NamedContract[] = [];

  constructor(
    private readonly plumb: Plumb,
    private readonly reading: ContractOptions,
    private readonly limits: Limits,
    private readonly edits: CheckOptions["edits"],
    private readonly quiet: boolean,
  ) {}

  slot(contract: string, context: string | undefined): Slot {
    const key = JSON.stringify([contract, context]);
    let slot = this.#known.get(key);
    if (slot === undefined) {
      const named = findContract(this.plumb, contract, this.reading);
      if (!this.quiet) {
        tellWarnings(named);
      }
      if (named.contract.withoutKeywords) {
        throw new PlumbError(
          "invalid_argument",
          "everything keeps this contract, as none of its members is a keyword: is it the artifact? '--contract' takes " +
            "the contract, PATH the artifacts",
          { where: contract },
        );
      }
      this.read.push(named);
      slot = { contract: named.contract, options: { limits: this.limits } };
      if (this.edits !== undefined) {
        slot.options.edits = this.edits;
      }
      if (context !== undefined) {
        const text = readText(context).toString("utf8");
        if (text === "") {
          throw new PlumbError("invalid_argument", "is empty: a context must be a JSON document", { where: context });
        }
        slot.options.context = text;
        try {
          named.contract.stream(slot.options).dispose();
        } catch (error) {
          if (error instanceof PlumbError && error.code !== "trap") {
            throw new PlumbError(error.code, error.message, { where: context, line: error.line, column: error.column });
          }
          throw error;
        }
      }
      this.#known.set(key, slot);
    }
    return slot;
  }
}

class Unreadable extends Error {}

/** The bytes of a file in pieces, or of standard input for "-". A piece is valid until the next; `slice` keeps it. */
function* pieces(path: string): Generator<Uint8Array> {
  const buffer = new Uint8Array(chunkBytes);
  let descriptor = 0;
  try {
    if (path !== "-") {
      descriptor = openSync(path, "r");
      if (fstatSync(descriptor).isDirectory()) {
        throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
      }
    }
    for (;;) {
      let size: number;
      try {
        size = readSync(descriptor, buffer, 0, chunkBytes, null);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EAGAIN") {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2); // standard input that does not block
          continue;
        }
        if (code === "EOF") {
          return; // how Windows ends a pipe
        }
        throw error;
      }
      if (size === 0) {
        return;
      }
      yield buffer.subarray(0, size);
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === undefined ? error : new Unreadable(whyNot(path, error));
  } finally {
    if (descriptor > 2) {
      closeSync(descriptor);
    }
  }
}

function checkFile(path: string, { contract, options }: Slot, report: Report): number {
  const stream = contract.stream(options);
  let held: Uint8Array[] = []; // most files are one piece
  let heldBytes = 0;
  const heldMax = report.settings.format === "llm" ? shownBytesMax : chunkBytes - 1;
  let pushed = false;
  try {
    for (const piece of pieces(path)) {
      heldBytes += piece.length;
      if (heldBytes <= heldMax) {
        held.push(piece.slice());
        continue;
      }
      held.forEach((one) => stream.push(one));
      held = [];
      stream.push(piece);
      pushed = true;
    }
  } catch (error) {
    stream.dispose();
    throw error;
  }
  if (pushed) {
    report.verdict(path, stream.end());
  } else {
    stream.dispose();
    report.verdict(path, contract.check(held.length === 1 ? held[0]! : Buffer.concat(held), options));
  }
  return 1;
}

/** The number of artifacts. */
function checkLines(path: string, slot: Slot, report: Report): number {
  let artifacts = 0;
  let number = 1;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let long: { stream: ReturnType<Contract["stream"]>; blank: boolean } | undefined;

  const judge = (verdict: Verdict): void => {
    report.verdict(`${path}:${number}`, verdict);
    ++artifacts;
  };
  const lineEnds = (last: Uint8Array): void => {
    if (long !== undefined) {
      long.blank &&= isBlank(last);
      long.stream.push(last);
      long.blank ? long.stream.dispose() : judge(long.stream.end());
      long = undefined;
    } else {
      let line = held.length === 0 ? last : Buffer.concat([...held, last]);
      if (line.at(-1) === 13) {
        line = line.subarray(0, -1);
      }
      if (!isBlank(line)) {
        judge(slot.contract.check(line, slot.options));
      }
    }
    held = [];
    heldBytes = 0;
    ++number;
  };

  for (const piece of pieces(path)) {
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      lineEnds(piece.subarray(from, end));
      from = end + 1;
    }
    const rest = piece.slice(from);
    if (long !== undefined) {
      long.blank &&= isBlank(rest);
      long.stream.push(rest);
    } else if (rest.length > 0) {
      held.push(rest);
      heldBytes += rest.length;
      if (heldBytes > lineBytesMax) {
        long = { stream: slot.contract.stream(slot.options), blank: true };
        for (const part of held) {
          long.blank &&= isBlank(part);
          long.stream.push(part);
        }
        held = [];
      }
    }
    report.flush(); // what is judged is told, however slowly the next line comes
  }
  if (heldBytes > 0) {
    lineEnds(new Uint8Array(0));
  }
  return artifacts;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

/** One artifact from standard input, judged while it comes. */
function checkStream({ contract, options }: Slot, report: Report): void {
  const { format, style, quiet } = report.settings;
  const stream = contract.stream(options);
  let signalsTold = 0;
  const tell = (certain: readonly Finding[]): void => {
    for (const finding of certain) {
      report.put(format === "jsonl" ? `${JSON.stringify({ certain: finding })}\n` : findingLine(finding, style));
    }
    for (; signalsTold < stream.signals.length; ++signalsTold) {
      const signal = stream.signals[signalsTold]!;
      report.put(format === "jsonl" ? `${JSON.stringify({ signal })}\n` : signalLine(signal, style));
    }
    report.flush();
  };
  for (const piece of pieces("-")) {
    tell(stream.push(piece));
  }
  const verdict = stream.end();
  tell(stream.last);
  if (format === "text" && !quiet && verdict.findings.length > 0) {
    report.put("\n");
  }
  report.verdict("-", verdict);
}

function findingLine(finding: Finding, style: Style): string {
  const mark =
    finding.severity === "error"
      ? red(style.ascii ? "x" : "\u2717", style)
      : finding.severity === "warning"
        ? yellow(style.ascii ? "!" : "\u26a0", style)
        : cyan(style.ascii ? "i" : "\u2139", style);
  let says: string;
  if (finding.message !== undefined && finding.message !== "") {
    says = tame(finding.message, style);
  } else {
    // Certain, though the value is still being written: its message waits for the true numbers.
    says = finding.item === undefined ? "" : `${tame(finding.item, style)}: `;
    says += tame(finding.requirement ?? finding.rule, style) + dim(style.ascii ? " ..." : " \u2026", style);
  }
  const byte = dim(String(finding.decidedAt).padStart(8), style);
  return `${byte} ${mark} ${says}  ${dim(`${tame(finding.at || "/", style)}  ${finding.rule}`, style)}\n`;
}

function signalLine(signal: Signal, style: Style): string {
  const byte = dim(String(signal.atByte).padStart(8), style);
  const mark = yellow(style.ascii ? "!" : "\u26a0", style);
  return `${byte} ${mark} ${tame(signal.kind, style)}: ${tame(signal.detail ?? "", style)}\n`;
}

/** What comes out of an artifact must neither break a line nor send a command to a terminal. */
function tame(text: string, style: Style): string {
  return text.replace(style.ascii ? /[\x00-\x1f\x7f-\u{10ffff}]/gu : /[\x00-\x1f\x7f]/g, (character) =>
    [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}
