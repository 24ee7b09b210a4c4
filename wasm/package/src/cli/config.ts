/** plumb.yaml: which contract a file has. The same file that the native command reads; see docs/getting-started.md. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { PlumbError } from "../error.js";
import type { Plumb } from "../plumb.js";
import { Glob } from "./glob.js";
import { absolutePath, slashes, whyNot } from "./inputs.js";
import { didYouMean } from "./nearest.js";
import { commands } from "./options.js";
import { readYaml, YamlError, type YamlNode } from "./yaml.js";

export interface ContractEntry {
  globs: Glob[];
  /** Of `!GLOB`. */
  except: Glob[];
  /** A built-in's name, or a path that works from the working directory. */
  contract: string;
  context: string | undefined;
}

export interface Config {
  /** As it is shown. */
  path: string;
  /** Absolute, with a `/` at its end. */
  directory: string;
  contracts: ContractEntry[];
  /** URI and path. */
  documents: [string, string][];
  failOn: string | undefined;
  format: string | undefined;
}

const bytesMax = 1 << 20;
const check = commands.find((command) => command.path === "check")!;
const choicesOf = (option: string): readonly string[] => check.options.find((one) => one.name === option)!.choices!;

/** The nearest plumb.yaml (or plumb.yml) in the working directory and those above it. */
export function findConfig(): string | undefined {
  for (let directory = process.cwd(); ; directory = dirname(directory)) {
    for (const name of ["/plumb.yaml", "/plumb.yml"]) {
      const candidate = slashes(directory).replace(/\/?$/, name);
      if (existsSync(candidate)) {
        return shownPath(candidate);
      }
    }
    if (directory === dirname(directory)) {
      return undefined;
    }
  }
}

/** Relative to the working directory where it lies below it. */
function shownPath(absolute: string): string {
  const below = slashes(relative(process.cwd(), absolute));
  return below === "" || below.startsWith("../") || isAbsolute(below) ? absolute : below;
}

export function readConfig(path: string, plumb: Plumb): Config {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new PlumbError("unavailable", whyNot(path, error), { where: path });
  }
  if (text.length > bytesMax) {
    throw new PlumbError("limit", `has more than ${bytesMax} bytes, too much for this use`, { where: path });
  }
  const absolute = absolutePath(path);
  const config: Config = {
    path,
    directory: absolute.slice(0, absolute.lastIndexOf("/") + 1),
    contracts: [],
    documents: [],
    failOn: undefined,
    format: undefined,
  };
  try {
    readDocument(readYaml(text), config, plumb);
  } catch (error) {
    if (error instanceof YamlError) {
      throw new PlumbError("invalid_argument", error.message, { where: path, line: error.line, column: error.column });
    }
    throw error;
  }
  return config;
}

function readDocument(root: YamlNode, config: Config, plumb: Plumb): void {
  if (root.kind !== "map" && root.kind !== "nothing") {
    throw wrong(root, `the file must be a map, not ${kindOf(root)}`);
  }
  // The native command has more of them, which mean nothing here.
  const known = [
    "contracts", "documents", "prompts", "artifacts", "fail_on", "format", "store", "providers", "limits", "runs", "budget",
    "proxy",
  ];
  const members = membersOf(root, known, "");
  const contracts = members.get("contracts");
  if (contracts !== undefined) {
    if (contracts.kind !== "list") {
      throw wrong(
        contracts,
        `'contracts' must be a list of entries, each with 'files' and 'contract', not ${kindOf(contracts)}`,
      );
    }
    for (const entry of contracts.value as YamlNode[]) {
      config.contracts.push(readEntry(entry, config, plumb));
    }
  }
  const documents = members.get("documents");
  if (documents !== undefined) {
    if (documents.kind !== "map") {
      throw wrong(documents, `'documents' must be a map from URI to file, not ${kindOf(documents)}`);
    }
    for (const [uri, path] of membersOf(documents, undefined, "")) {
      config.documents.push([uri, resolved(textOf(path, uri), config)]);
    }
  }
  config.failOn = oneOf(members.get("fail_on"), "fail_on", choicesOf("--fail-on"));
  config.format = oneOf(members.get("format"), "format", choicesOf("--format"));
}

function readEntry(node: YamlNode, config: Config, plumb: Plumb): ContractEntry {
  if (node.kind !== "map") {
    throw wrong(node, `an entry of 'contracts' must be a map with 'files' and 'contract', not ${kindOf(node)}`);
  }
  const members = membersOf(node, ["files", "contract", "context"], "in an entry of 'contracts'");
  const files = members.get("files");
  const named = members.get("contract");
  if (files === undefined) {
    throw wrong(node, "this entry of 'contracts' has no 'files': give it a glob");
  }
  if (named === undefined) {
    throw wrong(node, "this entry of 'contracts' has no 'contract': give it a name or a file");
  }
  if (files.kind === "list" && (files.value as YamlNode[]).length === 0) {
    throw wrong(files, "'files' is an empty list");
  }
  const globs: Glob[] = [];
  const except: Glob[] = [];
  for (const one of files.kind === "list" ? (files.value as YamlNode[]) : [files]) {
    const pattern = textOf(one, "files");
    const takenOut = pattern.startsWith("!");
    try {
      (takenOut ? except : globs).push(Glob.read(pattern.slice(takenOut ? 1 : 0)));
    } catch (error) {
      throw error instanceof YamlError ? error : wrong(one, (error as Error).message);
    }
  }
  if (globs.length === 0) {
    throw wrong(files, "'files' only takes files out: give it a glob without '!' too");
  }
  let contract = textOf(named, "contract");
  const builtIn = plumb.contracts.map((one) => one.name);
  if (!builtIn.includes(contract)) {
    const path = resolved(contract, config);
    if (!existsSync(path)) {
      throw wrong(
        named,
        `'${contract}' is neither a built-in contract nor a file (${path})${didYouMean(contract, builtIn)}`,
      );
    }
    contract = path.includes("/") ? path : `./${path}`;
  }
  const context = members.get("context");
  return { globs, except, contract, context: context === undefined ? undefined : resolved(textOf(context, "context"), config) };
}

/** The index of the entry for a file, given absolute. */
export function entryFor(config: Config, absolute: string): ContractEntry | undefined {
  if (!absolute.startsWith(config.directory)) {
    return undefined;
  }
  const below = absolute.slice(config.directory.length);
  const some = (globs: readonly Glob[]): boolean => globs.some((glob) => glob.matches(below));
  return config.contracts.find((entry) => some(entry.globs) && !some(entry.except));
}

/** A path in the file, as it works from the working directory. */
function resolved(path: string, config: Config): string {
  return shownPath(absolutePath(isAbsolute(path) ? path : config.directory + path));
}

function membersOf(map: YamlNode, known: readonly string[] | undefined, where: string): Map<string, YamlNode> {
  const members = new Map<string, YamlNode>();
  for (const { key, value } of (map.value ?? []) as { key: YamlNode; value: YamlNode }[]) {
    if (typeof key.value !== "string") {
      throw wrong(key, "a key must be a text");
    }
    if (known !== undefined && !known.includes(key.value)) {
      const near = didYouMean(key.value, known);
      throw wrong(key, `unknown key '${key.value}' ${where}${near}; known are ${known.join(", ")}`);
    }
    if (members.has(key.value)) {
      throw wrong(key, `the key '${key.value}' is there twice`);
    }
    members.set(key.value, value);
  }
  return members;
}

function textOf(node: YamlNode, key: string): string {
  if (typeof node.value !== "string" || node.value === "") {
    throw wrong(node, `'${key}' must be a text, not ${kindOf(node)}`);
  }
  return node.value;
}

function oneOf(node: YamlNode | undefined, key: string, choices: readonly string[]): string | undefined {
  if (node === undefined) {
    return undefined;
  }
  const text = textOf(node, key);
  if (!choices.includes(text)) {
    throw wrong(node, `'${key}: ${text}'${didYouMean(text, choices)}: must be one of ${choices.join(", ")}`);
  }
  return text;
}

function kindOf(node: YamlNode): string {
  return node.kind === "nothing" ? "nothing" : `a ${node.kind}`;
}

function wrong(node: YamlNode, message: string): YamlError {
  return new YamlError(message, node.line, node.column);
}
