/** Contracts by name or file, with the options and documents that all of them are read with. */
import { readFileSync } from "node:fs";
import type { Contract, ContractOptions, Dialect } from "../contract.js";
import { PlumbError } from "../error.js";
import type { Plumb } from "../plumb.js";
import { whyNot } from "./inputs.js";
import { didYouMean } from "./nearest.js";
import { Usage, type Arguments } from "./options.js";
import { writeAll } from "./terminal.js";

export function readText(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlumbError(code === "ENOENT" ? "not_found" : "unavailable", whyNot(path, error), { where: path }, error);
  }
}

/** What --dialect, --assert-formats, --schema and plumb.yaml's documents say; a --schema with the same URI wins. */
export function readingOptions(said: Arguments, configured: readonly [string, string][]): ContractOptions {
  const wanted = new Map<string, string>();
  for (const given of said.list("--schema")) {
    const sign = given.indexOf("=");
    if (sign <= 0 || sign + 1 === given.length) {
      throw new Usage(`'--schema ${given}': must be URI=FILE`);
    }
    if (!wanted.has(given.slice(0, sign))) {
      wanted.set(given.slice(0, sign), given.slice(sign + 1));
    }
  }
  for (const [uri, path] of configured) {
    if (!wanted.has(uri)) {
      wanted.set(uri, path);
    }
  }
  const documents: Record<string, string> = {};
  for (const [uri, path] of wanted) {
    documents[uri] = readText(path).toString("utf8");
  }
  return {
    dialect: (said.text("--dialect") ?? "2020-12") as Dialect,
    assertFormats: said.has("--assert-formats"),
    documents,
  };
}

export interface NamedContract {
  contract: Contract;
  /** The file, or "" for a built-in. */
  source: string;
}

/** A built-in's name, else a file. A name wins over a file of the same name: write ./NAME for the file. */
export function findContract(plumb: Plumb, nameOrFile: string, options: ContractOptions): NamedContract {
  const names = plumb.contracts.map((one) => one.name);
  if (names.includes(nameOrFile)) {
    return { contract: plumb.contract(nameOrFile, options), source: "" };
  }
  let text: Buffer;
  try {
    text = readText(nameOrFile);
  } catch (error) {
    if (error instanceof PlumbError && error.code === "not_found" && !nameOrFile.includes("/")) {
      throw new PlumbError(
        "not_found",
        `no built-in contract and no file has this name${didYouMean(nameOrFile, names)}; built in are ${names.join(", ") || "none"}`,
        { where: nameOrFile },
      );
    }
    throw error;
  }
  return { contract: readContractFile(plumb, nameOrFile, text, options), source: nameOrFile };
}

export function readContractFile(plumb: Plumb, path: string, text: Buffer, options: ContractOptions): Contract {
  // What a verdict calls a contract without `$id`: the file's own name without directories and endings.
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/^(.[^.]*)\..*$/s, "$1");
  try {
    return plumb.contract(text, hasId(text) ? options : { ...options, name });
  } catch (error) {
    if (error instanceof PlumbError && error.code !== "trap" && error.where !== path) {
      const at = error.where === "" ? "" : ` (at ${error.where})`;
      throw new PlumbError(
        error.code,
        error.message + at,
        { where: path, line: error.line, column: error.column },
        error,
      );
    }
    throw error;
  }
}

function hasId(text: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(text.toString("utf8"));
    return typeof value === "object" && value !== null && Object.hasOwn(value, "$id");
  } catch {
    return false;
  }
}

export function warningLines({ contract, source }: NamedContract): string[] {
  return contract.warnings.map(({ message, at, line, column }) => {
    const place = line > 0 ? `:${line}:${column}` : "";
    return `${source === "" ? contract.name : source}${place}: warning: ${message}${at === "" ? "" : ` (at ${at})`}\n`;
  });
}

export function tellWarnings(named: NamedContract): void {
  for (const line of warningLines(named)) {
    writeAll(2, line);
  }
}
