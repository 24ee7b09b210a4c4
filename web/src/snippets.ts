// The check on the page, as somebody would do it elsewhere: on the command line, in a program, over HTTP.
import type { Shared } from "./share";
import { page as t } from "./strings";

export interface Snippet {
  title: string;
  note: string;
  text: string;
}

// A larger artifact or contract is taken from a file.
// What programs import (wasm/package).
const packageName = "@plumbline/plumbline";
const inlineUnitsMax = 32_000;

// A line that ends a here-document and is not in the text.
function delimiter(text: string): string {
  let word = "PLUMB";
  while (text.split(/\r?\n/).includes(word)) word += "_";
  return word;
}

function here(command: string, text: string): string {
  const word = delimiter(text);
  return `${command} <<'${word}'\n${text.replace(/\n$/, "")}\n${word}\n`;
}

// A template string reads CRLF as LF; there, and where there are control characters, escapes say it exactly.
function literal(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (/[\r\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u2028\u2029\ufeff]/.test(text)) return JSON.stringify(text);
  return `\`${text.replace(/[\\`]|\$(?=\{)/g, (mark) => `\\${mark}`)}\``;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function commandLine({ contract, artifact, context }: Shared): Snippet {
  let text = "";
  if (contract.kind === "own") {
    if (contract.text.length <= inlineUnitsMax) text += here("cat > plumb-contract.json", contract.text);
  }
  if (context !== null && context.length <= inlineUnitsMax) text += here("cat > plumb-context.json", context);
  const name = contract.kind === "own" ? "plumb-contract.json" : contract.name;
  const check = `plumb check --contract ${name}${context === null ? "" : " --context plumb-context.json"}`;
  text += artifact.length <= inlineUnitsMax ? here(`${check} -`, artifact) : `${check} artifact.json\n`;
  return {
    title: t.commandLine,
    note: t.commandLineNote,
    text,
  };
}

export function javaScript({ contract, artifact, context }: Shared): Snippet {
  const read = (file: string): string => `await readFile("${file}", "utf8")`;
  const large = artifact.length > inlineUnitsMax;
  const own =
    contract.kind === "own"
      ? contract.text.length > inlineUnitsMax
        ? read("contract.json")
        : literal(contract.text)
      : "";
  const files = large || own.startsWith("await");
  const lines = [
    `import { load } from "${packageName}";`,
    ...(files ? ['import { readFile } from "node:fs/promises";'] : []),
    "",
    "const plumb = await load();",
    contract.kind === "own"
      ? `const contract = plumb.contract(${own});`
      : `const contract = plumb.contract(${JSON.stringify(contract.name)});`,
    `const artifact = ${large ? read("artifact.json") : literal(artifact)};`,
    ...(context === null ? [] : [`const context = ${literal(context)};`]),
    "",
    `const verdict = contract.check(artifact${context === null ? "" : ", { context }"});`,
    "console.log(verdict.decision);",
    "for (const { at, message } of verdict.findings) console.log(at, message);",
    "",
  ];
  return {
    title: t.javaScript,
    note: t.javaScriptNote(packageName),
    text: lines.join("\n"),
  };
}

export function http({ contract, artifact, context }: Shared, server: string): Snippet {
  const given = (text: string): string => (isJson(text) ? text.trim() : JSON.stringify(text));
  const members = [
    `"contract": ${contract.kind === "own" ? given(contract.text) : JSON.stringify(contract.name)}`,
    isJson(artifact) ? `"artifact": ${artifact.trim()}` : `"text": ${JSON.stringify(artifact)}`,
    ...(context === null ? [] : [`"context": ${given(context)}`]),
  ];
  const command = `curl -sS ${server}/v1/check -H 'content-type: application/json' --data-binary @-`;
  return {
    title: t.http,
    note: t.httpNote,
    text:
      artifact.length > inlineUnitsMax
        ? `jq -Rs '{${contract.kind === "own" ? "contract: $contract" : `contract: ${JSON.stringify(contract.name)}`}, text: .}'` +
          `${contract.kind === "own" ? ' --argjson contract "$(cat contract.json)"' : ""} artifact.json |\n  ${command}\n`
        : here(command, `{${members.join(",\n")}}`),
  };
}
