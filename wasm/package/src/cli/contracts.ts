/** `plumbline contracts list`, `show` and `check`. */
import { PlumbError } from "../error.js";
import type { Plumb } from "../plumb.js";
import { findConfig, readConfig } from "./config.js";
import type { Arguments } from "./options.js";
import { exitClean, exitFindings, exitUndecided } from "./report.js";
import { findContract, readContractFile, readingOptions, readText, tellWarnings, warningLines } from "./sources.js";
import { complain, cyan, dim, green, red, styleFor, writeAll } from "./terminal.js";

export function runContractsList(plumb: Plumb, said: Arguments): number {
  const path = findConfig();
  const config = path === undefined ? undefined : readConfig(path, plumb);
  const builtIn = plumb.contracts.map((one) => one.name);
  const files = (config?.contracts ?? []).map((entry) => entry.contract).filter((name) => !builtIn.includes(name));
  const reading = readingOptions(said, config?.documents ?? []);
  const all = [...builtIn, ...new Set(files)].map((name) => findContract(plumb, name, reading));
  if (said.has("--json")) {
    const listed = all.map(({ contract: { name, title, hash, context }, source }) => ({
      name,
      title,
      hash,
      ...(source === "" ? {} : { file: source }),
      context,
    }));
    writeAll(1, `${JSON.stringify(listed, null, 2)}\n`);
    return exitClean;
  }
  const style = styleFor(said, 1);
  const nameWidth = Math.max(...all.map(({ contract }) => contract.name.length));
  const titleWidth = Math.max(...all.map(({ contract }) => contract.title.length));
  for (const { contract, source } of all) {
    const name = cyan(contract.name.padEnd(nameWidth), style);
    const hash = dim(contract.hash.slice(0, 19), style);
    writeAll(1, `${name}  ${contract.title.padEnd(titleWidth)}  ${hash}${source === "" ? "" : `  ${source}`}\n`);
  }
  return exitClean;
}

export function runContractsShow(plumb: Plumb, said: Arguments): number {
  const named = findContract(plumb, said.words[0]!, readingOptions(said, []));
  tellWarnings(named);
  writeAll(1, named.contract.text.replace(/\n?$/, "\n"));
  return exitClean;
}

export function runContractsCheck(plumb: Plumb, said: Arguments): number {
  const reading = readingOptions(said, []);
  const style = styleFor(said, 1);
  let code = exitClean;
  for (const path of said.words) {
    let text: Buffer;
    try {
      text = readText(path);
    } catch (error) {
      complain(`${path}: ${(error as Error).message}`);
      code = exitUndecided;
      continue;
    }
    try {
      const contract = readContractFile(plumb, path, text, reading);
      for (const line of warningLines({ contract, source: path })) {
        writeAll(1, line);
      }
      if (contract.warnings.length > 0 && said.has("--strict")) {
        code = Math.max(code, exitFindings);
      }
      const good = green(style.ascii ? "a contract" : "\u2713 a contract", style);
      writeAll(1, `${path}: ${good}: ${contract.name}  ${dim(contract.hash.slice(0, 19), style)}\n`);
    } catch (error) {
      if (!(error instanceof PlumbError) || error.code === "trap") {
        throw error;
      }
      const place = error.line > 0 ? `:${error.line}:${Math.max(error.column, 1)}` : "";
      writeAll(1, `${path}${place}: ${red("error", style)}: ${error.message}\n`);
      code = Math.max(code, exitFindings);
    }
  }
  return code;
}
