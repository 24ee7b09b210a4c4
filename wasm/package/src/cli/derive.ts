/** `plumbline contracts derive` and `plumbline types`. */
import { writeFileSync } from "node:fs";
import type { Author, Derived, Target } from "../author.js";
import type { Contract } from "../contract.js";
import { PlumbError } from "../error.js";
import type { Plumb } from "../plumb.js";
import { commands, Usage, type Arguments } from "./options.js";
import { exitClean } from "./report.js";
import { findContract, readingOptions } from "./sources.js";
import { bold, cyan, dim, styleFor, writeAll, type Style } from "./terminal.js";

export function runContractsDerive(plumb: Plumb, author: Author, said: Arguments): number {
  const wanted = said.words[0]!;
  const { contract } = findContract(plumb, wanted, readingOptions(said, []));
  const target = said.text("--to");
  if (target === undefined) {
    const known = commands.find((one) => one.path === "contracts derive")!.options[0]!.choices!;
    throw new Usage(`say what to derive with --to: ${known.join(", ")}`);
  }
  const derived = deriveFor(author, contract, target as Target, wanted);
  if (said.text("--format") === "json") {
    writeAll(1, `${JSON.stringify(derived, null, 2)}\n`);
  } else if (said.has("--residual")) {
    writeAll(1, derived.residualContract);
  } else {
    if (!said.has("--quiet")) {
      writeAll(2, told(derived, styleFor(said, 2)));
    }
    writeAll(1, derived.text);
  }
  return exitClean;
}

export function runTypes(plumb: Plumb, author: Author, said: Arguments): number {
  const wanted = said.words[0]!;
  const { contract } = findContract(plumb, wanted, readingOptions(said, []));
  const { text } = deriveFor(author, contract, "typescript", wanted);
  const file = said.text("--output");
  if (file === undefined) {
    writeAll(1, text);
  } else {
    try {
      writeFileSync(file, text);
    } catch (error) {
      throw new Usage(`${file}: ${(error as Error).message}`);
    }
  }
  return exitClean;
}

function deriveFor(author: Author, contract: Contract, target: Target, wanted: string): Derived {
  try {
    return author.derive(contract, target);
  } catch (error) {
    if (error instanceof PlumbError && error.code !== "trap") {
      throw new Usage(`${wanted}${error.where === "" ? "" : ` ${error.where}`}: ${error.message}`);
    }
    throw error;
  }
}

function told(derived: Derived, style: Style): string {
  const { likely, safe } = derived.tokens;
  let out = `${bold(derived.target, style)}: about ${likely} tokens, at most ${safe}\n`;
  if (derived.residual.length > 0) {
    out += "not enforced (--residual gives these as a contract):\n";
  }
  for (const { keyword, schemaLocation, sentence } of derived.residual) {
    out += `  ${cyan(keyword, style)} ${dim(schemaLocation, style)}  ${sentence}\n`;
  }
  if (derived.narrows.length > 0) {
    out += "forbidden though the contract allows it:\n";
  }
  for (const { kind, schemaLocation, sentence } of derived.narrows) {
    out += `  ${cyan(kind, style)} ${dim(schemaLocation, style)}  ${sentence}\n`;
  }
  return out;
}
