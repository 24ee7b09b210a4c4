/** `plumbline explain`. */
import type { Author } from "../author.js";
import { PlumbError } from "../error.js";
import { didYouMean } from "./nearest.js";
import { wrapped, type Arguments } from "./options.js";
import { exitClean } from "./report.js";
import { bold, columnsOf, cyan, dim, styleFor, writeAll, type Style } from "./terminal.js";

export function runExplain(author: Author, said: Arguments): number {
  const style = styleFor(said, 1);
  const columns = Math.min(columnsOf(process.stdout), 100);
  const [wanted] = said.words;
  if (wanted === undefined) {
    writeAll(1, allRules(author, style, columns));
    return exitClean;
  }
  const one = author.explain(wanted);
  if (one === undefined) {
    const near = didYouMean(
      wanted,
      author.explanations.map((each) => each.rule),
    );
    throw new PlumbError(
      "not_found",
      `no rule is called '${wanted}'${near}; 'plumbline explain' lists those of every contract, and 'plumbline contracts ` +
        "show NAME' shows a contract's own",
    );
  }
  let text = `${bold(one.rule, style)}  ${dim(one.kind, style)}\n\n${wrapped(one.meaning, 0, columns)}\n\n`;
  for (const [name, says] of [
    ["decides", one.decides],
    ["fix", one.fix],
  ] as const) {
    if (says !== undefined) {
      text += `${cyan(name.padEnd(9), style)} ${wrapped(says, 10, columns)}\n`;
    }
  }
  if (one.contract !== undefined) {
    text += `\n${cyan("contract ", style)} ${one.contract}\n`;
    text += `${cyan(one.breaks === true ? "breaks   " : "fits     ", style)} ${one.artifact}\n`;
  }
  writeAll(1, text);
  return exitClean;
}

function allRules(author: Author, style: Style, columns: number): string {
  let text = "";
  let last = "";
  for (const { rule, kind, meaning } of author.explanations) {
    if (kind !== last) {
      text += `${text === "" ? "" : "\n"}${bold(kind, style)}\n`;
      last = kind;
    }
    const first = meaning.split(". ", 1)[0]!;
    const line = `  ${cyan(rule, style)}${" ".repeat(Math.max(22 - rule.length, 1))}  ${wrapped(first, 26, columns)}`;
    text += `${line}${line.endsWith(".") ? "" : "."}\n`;
  }
  return `${text}\n'plumbline explain RULE' tells when a rule decides and how to fix what breaks it.\n`;
}
