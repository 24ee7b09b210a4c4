/** The commands of `plumbline` and their options: those of the native `plumb`, read from one table. */
import { didYouMean } from "./nearest.js";

export interface OptionSpec {
  name: string;
  letter?: string;
  /** What the option takes; a flag takes nothing. */
  value?: string;
  choices?: readonly string[];
  default?: string;
  repeats?: boolean;
  help: string;
}

export interface CommandSpec {
  path: string;
  summary: string;
  description: string;
  argument?: { name: string; required: boolean; repeats: boolean };
  options: readonly OptionSpec[];
  examples: readonly string[];
}

const help: OptionSpec = { name: "--help", letter: "h", help: "Show this help." };

const reading: readonly OptionSpec[] = [
  {
    name: "--dialect",
    value: "DRAFT",
    choices: ["2020-12", "2019-09", "draft-07", "draft-06", "draft-04", "v1"],
    default: "2020-12",
    help: "The JSON Schema dialect of a contract without `$schema`. v1 is not published yet and must be chosen here.",
  },
  {
    name: "--assert-formats",
    help: "Report values that do not match `format`. By default `format` is only an annotation.",
  },
  {
    name: "--schema",
    value: "URI=FILE",
    repeats: true,
    help: "A document that the contract refers to by this URI. Nothing is ever fetched.",
  },
];

const look: readonly OptionSpec[] = [
  { name: "--ascii", help: "Use only ASCII symbols. Default in a locale that is not UTF-8." },
  {
    name: "--color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    default: "auto",
    help: "Use colours. `auto`: on a terminal, unless NO_COLOR is set.",
  },
];

export const commands: readonly CommandSpec[] = [
  {
    path: "check",
    summary: "Check artifacts against their contracts",
    description:
      "Checks each artifact against its contract. Each problem is reported with its rule, its place (file, line " +
      "and column), the value found and what is required.\n\nPATH is a file, a directory, a quoted glob (*, ?, " +
      "[abc], {a,b}, ** for any directories), '!GLOB' to exclude, or - for standard input. A directory is searched " +
      "for *.json, *.jsonl and *.ndjson, without hidden directories and node_modules. A .jsonl or .ndjson file " +
      "holds one artifact per line, named FILE:LINE. Files are read in pieces, so memory use does not depend on " +
      "their size.\n\nThe contract comes from --contract, or from the globs in plumb.yaml, which is looked for " +
      "here and in the directories above. Without PATH, everything named in plumb.yaml is checked.\n\n" +
      "Only the native command applies edits (--fix), reads git's index and .gitignore files, limits steps, reads " +
      "recorded model calls and skips files that plumb.yaml does not name.\n\n" +
      "Exit code 0: no finding at or above --fail-on; 1: there are some; 2: something could not be decided or read, wrong " +
      "usage, or a bug. 2 wins over 1.",
    argument: { name: "PATH", required: false, repeats: true },
    options: [
      {
        name: "--contract",
        letter: "c",
        value: "NAME|FILE",
        help: "The name of a built-in contract, or a contract file.",
      },
      { name: "--context", value: "FILE", help: "A JSON document for the contract's `context:` pointers." },
      {
        name: "--format",
        letter: "f",
        value: "FORMAT",
        choices: ["text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"],
        default: "text",
        help:
          "text: for people. short: FILE:LINE:COLUMN for each finding. json: one document. jsonl: one verdict per " +
          "line. sarif: SARIF 2.1.0. junit: XML. github: workflow commands. llm: feedback for a model.",
      },
      {
        name: "--output",
        letter: "o",
        value: "FILE",
        help: "Write the report to this file instead of standard output.",
      },
      {
        name: "--tool",
        value: "NAME",
        help: "With --format llm: the tool that the model should call again with corrected data.",
      },
      { name: "--action", value: "TEXT", help: "With --format llm: what the model should do, in your own words." },
      {
        name: "--fail-on",
        value: "LEVEL",
        choices: ["error", "warning", "info", "never"],
        default: "error",
        help: "The lowest severity that gives exit code 1.",
      },
      {
        name: "--edits",
        value: "LEVEL|CLASS=LEVEL",
        default: "none",
        repeats: true,
        help: "Check the text as edited: none, certain or guess, for all classes of edits or for one.",
      },
      { name: "--exit-zero", help: "Exit with 0 even if there are findings. Exit code 2 stays 2." },
      {
        name: "--quiet",
        letter: "q",
        help: "Print only findings: no valid artifacts, summary, notes or progress.",
      },
      {
        name: "--stream",
        help:
          "Read one artifact from standard input as it arrives. Print each finding as soon as it is certain, with " +
          "the byte that decided it, then the verdict. With --format text or jsonl.",
      },
      { name: "--lines", help: "Read one artifact per line from every input, whatever its name." },
      ...reading,
      {
        name: "--max-depth",
        value: "N",
        default: "1024",
        help: "Maximum nesting depth; exceeding it is reported as `limit`.",
      },
      {
        name: "--max-bytes",
        value: "N",
        default: "1G",
        help: "Maximum bytes of one artifact (K, M or G); exceeding it is reported as `limit`.",
      },
      {
        name: "--jobs",
        letter: "j",
        value: "N",
        help: "Accepted for compatibility with the native command; artifacts are checked one by one here.",
      },
      {
        name: "--exclude",
        value: "GLOB",
        repeats: true,
        help:
          "Exclude matching files, and everything below a matching directory. A pattern with a / is a path; " +
          "without one, a name at any depth. Also: PATH '!GLOB'.",
      },
      { name: "--config", value: "FILE", help: "Read this file instead of looking for plumb.yaml." },
      { name: "--no-config", help: "Do not look for plumb.yaml." },
      ...look,
      help,
    ],
    examples: [
      "plumbline check --contract quiz answer.json",
      "plumbline check --contract flashcards 'out/**/cards-*.jsonl' --format jsonl",
      "model | plumbline check --contract quiz --stream",
      "plumbline check",
    ],
  },
  {
    path: "contracts list",
    summary: "List the built-in contracts and those of plumb.yaml",
    description: "Prints one line per contract: name, title, and the hash that verdicts carry.",
    options: [...look, { name: "--json", help: "Print one JSON document." }, help],
    examples: ["plumbline contracts list"],
  },
  {
    path: "contracts show",
    summary: "Show a contract's source",
    description: "Prints the source of a built-in contract, or of a valid contract file.",
    argument: { name: "NAME|FILE", required: true, repeats: false },
    options: [...reading, { name: "--json", help: "The contract's text; the only form there is here." }, ...look, help],
    examples: ["plumbline contracts show quiz > my-quiz.json"],
  },
  {
    path: "contracts check",
    summary: "Check that files are valid contracts, and report where and why not",
    description:
      "Errors and warnings are printed as FILE:LINE:COLUMN. Exit code 0: all files are valid contracts; 1: some " +
      "are not; 2: a file could not be read.",
    argument: { name: "FILE", required: true, repeats: true },
    options: [...reading, { name: "--strict", help: "Exit with 1 for warnings too." }, ...look, help],
    examples: ["plumbline contracts check contracts/*.json"],
  },
  {
    path: "contracts derive",
    summary: "Generate prompts, provider schemas, grammars and types from a contract",
    description:
      "Prints the target on standard output. Standard error reports its cost in tokens, the rules that the target " +
      "does not enforce, and the values that it forbids though the contract allows them, each with its place in " +
      "the contract. Every value that the target allows and the residual contract accepts is accepted by the " +
      "contract.\n\nIf the target cannot express the contract, the error names the place, with exit code 2.",
    argument: { name: "NAME|FILE", required: true, repeats: false },
    options: [
      {
        name: "--to",
        letter: "t",
        value: "TARGET",
        choices: [
          "prompt", "openai-strict", "openai", "anthropic", "gemini", "gbnf", "json-schema", "typescript", "zod", "pydantic", "page",
          "html",
        ],
        help:
          "prompt: text for a model. openai-strict, openai: a response_format. anthropic: a tool definition. " +
          "gemini: a responseSchema. gbnf: a grammar for llama.cpp. json-schema: for any validator, with our " +
          "keywords as x-plumb-NAME. typescript: types. zod, pydantic: schemas for these libraries. page, html: " +
          "documentation.",
      },
      {
        name: "--residual",
        help: "Instead of the target, print a contract with the rules that the target does not enforce.",
      },
      {
        name: "--format",
        letter: "f",
        value: "FORMAT",
        choices: ["text", "json"],
        default: "text",
        help: "text: the target alone. json: target, residual, its contract, narrowings and tokens in one document.",
      },
      { name: "--quiet", letter: "q", help: "Print only errors on standard error." },
      ...reading,
      ...look,
      help,
    ],
    examples: ["plumbline contracts derive quiz --to openai-strict", "plumbline contracts derive quiz --to typescript -q"],
  },
  {
    path: "types",
    summary: "Write the TypeScript types of a contract",
    description:
      "The same as contracts derive --to typescript, without a word about what types cannot say: for a build script. The type " +
      "goes with plumb.contract<Type>(...), whose verdicts then have a value of that type.",
    argument: { name: "NAME|FILE", required: true, repeats: false },
    options: [
      { name: "--output", letter: "o", value: "FILE", help: "Write it there instead of on standard output." },
      ...reading,
      ...look,
      help,
    ],
    examples: ["plumbline types quiz", "plumbline types my-quiz.json --output src/quiz.ts"],
  },
  {
    path: "explain",
    summary: "Explain a rule, and how to fix a value that breaks it",
    description:
      "RULE is a JSON Schema keyword (minItems), a keyword of the Plumbline vocabulary (memberOf), or a built-in kind " +
      "of finding (syntax, duplicateKey, limit). Without RULE, all are listed.",
    argument: { name: "RULE", required: false, repeats: false },
    options: [...look, help],
    examples: ["plumbline explain distinct", "plumbline explain"],
  },
  {
    path: "version",
    summary: "Print the version",
    description: "Prints the version of plumbline.",
    options: [help],
    examples: [],
  },
];

/** Wrong usage: told on standard error, exit code 2. */
export class Usage extends Error {}

export class Arguments {
  readonly values = new Map<string, string[]>();
  readonly words: string[] = [];

  constructor(readonly command: CommandSpec) {}

  has(option: string): boolean {
    return this.values.has(option);
  }
  text(option: string): string | undefined {
    return this.values.get(option)?.at(-1);
  }
  list(option: string): readonly string[] {
    return this.values.get(option) ?? [];
  }
  /** A whole number within bounds. */
  number(option: string, otherwise: number, min: number, max: number): number {
    const given = this.text(option);
    if (given === undefined) {
      return otherwise;
    }
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (!(value >= min && value <= max)) {
      throw new Usage(`'${option} ${given}': must be a whole number from ${min} to ${max}`);
    }
    return value;
  }
  /** The same with K, M or G for 1024, its square and its cube. */
  size(option: string, otherwise: number, max: number): number {
    const given = this.text(option);
    if (given === undefined) {
      return otherwise;
    }
    const parts = /^(\d+)([KMG]?)$/i.exec(given);
    const value = parts === null ? 0 : Number(parts[1]) * 1024 ** " KMG".indexOf(parts[2]!.toUpperCase() || " ");
    if (value === 0 || value > max) {
      throw new Usage(
        `'${option} ${given}': must be a size such as 65536, 64K, 16M or 1G, at most ${Math.floor(max / (1 << 20))}M`,
      );
    }
    return value;
  }
}

/** What was said: a command with its arguments, or a wish for help. */
export type Said =
  | { wants: "run"; arguments: Arguments }
  | { wants: "help"; about: CommandSpec | string; asked: boolean }
  | { wants: "version" };

export function understand(words: readonly string[]): Said {
  const [first, second] = words;
  if (first === undefined) {
    return { wants: "help", about: "", asked: false };
  }
  if (first === "--help" || first === "-h" || first === "help") {
    const about = commands.find((command) => command.path === words.slice(1).join(" "));
    return { wants: "help", about: about ?? "", asked: true };
  }
  if (first === "--version" || first === "-V") {
    return { wants: "version" };
  }
  let command = commands.find((one) => one.path === first);
  let rest = words.slice(1);
  if (command === undefined) {
    const group = commands.filter((one) => one.path.startsWith(`${first} `));
    if (group.length === 0) {
      const known = [...new Set(commands.map((one) => one.path.split(" ")[0]!))];
      throw new Usage(
        first.startsWith("-")
          ? `unknown option '${first}'; options come after a command: plumbline check ${first} ...`
          : `unknown command '${first}'${didYouMean(first, known)}; commands are ${listed(known)}`,
      );
    }
    if (second === undefined || second === "--help" || second === "-h") {
      return { wants: "help", about: first, asked: second !== undefined };
    }
    command = group.find((one) => one.path === `${first} ${second}`);
    rest = words.slice(2);
    if (command === undefined) {
      const known = group.map((one) => one.path.split(" ")[1]!);
      throw new Usage(`unknown command '${first} ${second}'${didYouMean(second, known)}; it is ${listed(known)}`);
    }
  }
  return read(command, rest);
}

function read(command: CommandSpec, words: readonly string[]): Said {
  const said = new Arguments(command);
  const path = command.path;
  for (let i = 0; i < words.length; ++i) {
    const word = words[i]!;
    if (word === "--") {
      said.words.push(...words.slice(i + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      said.words.push(word);
      continue;
    }
    let name = word;
    let value: string | undefined;
    if (word.startsWith("--")) {
      const sign = word.indexOf("=");
      if (sign > 0) {
        name = word.slice(0, sign);
        value = word.slice(sign + 1);
      }
    } else if (word.length > 2) {
      name = word.slice(0, 2);
      value = word.slice(2).replace(/^=/, "");
    }
    const option = command.options.find((one) => one.name === name || `-${one.letter}` === name);
    if (option === undefined) {
      const known = command.options.map((one) => one.name);
      throw new Usage(
        `unknown option '${name}' of 'plumbline ${path}'${didYouMean(name, known)}; see 'plumbline ${path} --help'`,
      );
    }
    if (option.name === "--help") {
      return { wants: "help", about: command, asked: true };
    }
    if (option.value === undefined) {
      if (value !== undefined) {
        throw new Usage(`'${name}' takes no value; see 'plumbline ${path} --help'`);
      }
      said.values.set(option.name, []);
      continue;
    }
    if (value === undefined) {
      value = words[++i];
      if (value === undefined) {
        throw new Usage(`'${name}' needs ${option.value}; see 'plumbline ${path} --help'`);
      }
    }
    if (option.choices !== undefined && !option.choices.includes(value)) {
      throw new Usage(`'${option.name} ${value}'${didYouMean(value, option.choices)}: must be ${listed(option.choices)}`);
    }
    const before = said.values.get(option.name) ?? [];
    if (before.length > 0 && option.repeats !== true) {
      throw new Usage(`'${option.name}' is given more than once`);
    }
    said.values.set(option.name, [...before, value]);
  }
  const { argument } = command;
  if (argument === undefined && said.words.length > 0) {
    throw new Usage(`'plumbline ${path}' does not take '${said.words[0]}'; see 'plumbline ${path} --help'`);
  }
  if (argument?.required === true && said.words.length === 0) {
    throw new Usage(`'plumbline ${path}' needs ${argument.name}; see 'plumbline ${path} --help'`);
  }
  if (argument?.repeats === false && said.words.length > 1) {
    throw new Usage(`'plumbline ${path}' takes one ${argument.name}; '${said.words[1]}' is one too many`);
  }
  return { wants: "run", arguments: said };
}

export function listed(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join("") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

export function helpText(about: CommandSpec | string): string {
  if (typeof about === "string") {
    const shown = commands.filter((command) => about === "" || command.path.startsWith(`${about} `));
    const lines = shown.map((command) => `  ${command.path.padEnd(18)}${command.summary}`);
    return `plumbline: is what the model produced good enough to pass on?\n\nCommands\n${lines.join("\n")}\n\n'plumbline COMMAND --help' tells more.\n`;
  }
  let text = `${about.summary}.\n\nUsage\n  plumbline ${about.path} [OPTIONS]`;
  if (about.argument !== undefined) {
    const { name, required, repeats } = about.argument;
    text += ` ${required ? "" : "["}${name}${repeats ? "..." : ""}${required ? "" : "]"}`;
  }
  text += `\n\n${wrapped(about.description, 0)}\n\nOptions\n`;
  for (const option of about.options) {
    const left = `${option.letter === undefined ? "    " : `-${option.letter}, `}${option.name} ${option.value ?? ""}`;
    const more = option.default === undefined ? "" : ` Default: ${option.default}.`;
    text += `  ${left.padEnd(28)}${wrapped(option.help + more, 30)}\n`;
  }
  return about.examples.length === 0
    ? text
    : `${text}\nExamples\n${about.examples.map((one) => `  ${one}\n`).join("")}`;
}

/** Lines of at most `columns`; all but the first after `indent` spaces. */
export function wrapped(text: string, indent: number, columns = 100): string {
  return text
    .split("\n")
    .map((paragraph) => {
      let line = "";
      let out = "";
      for (const word of paragraph.split(" ")) {
        if (line !== "" && indent + line.length + 1 + word.length > columns) {
          out += `${line}\n${" ".repeat(indent)}`;
          line = "";
        }
        line += (line === "" ? "" : " ") + word;
      }
      return out + line;
    })
    .join("\n");
}
