/** From what was said on the command line to the files that are checked: sorted by path, each once. */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Config } from "./config.js";
import { Glob } from "./glob.js";
import { reasonOf } from "./terminal.js";

export interface InputFile {
  /** As it is shown; "-" is standard input. */
  path: string;
  /** One artifact a line. */
  lines: boolean;
  /** Said itself, not found in a directory or by a glob. */
  named: boolean;
}

export interface InputProblem {
  path: string;
  message: string;
}

export interface Inputs {
  files: InputFile[];
  problems: InputProblem[];
  /** Files, and directories with all that is in them, by what was taken out. */
  leftOut: number;
}

export interface InputOptions {
  /** Every file holds one artifact a line. */
  allLines: boolean;
  exclude: readonly string[];
}

/** Absolute, without `.` and `..`, with `/` between segments. */
export function absolutePath(path: string): string {
  return slashes(resolve(path));
}

export function slashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

/** `./a//b/` -> `a/b`; `..` stays. */
function tidy(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  return path.startsWith("/") ? `/${segments.join("/")}` : segments.join("/") || ".";
}

const linesName = /\.(?:jsonl|ndjson)$/i;
const artifactName = /\.(?:json|jsonl|ndjson)$/i;

interface Excluded {
  glob: Glob;
  directoriesOnly: boolean;
  /** Held against the last name of a path. */
  anyDepth: boolean;
}

function readExcluded(said: string): Excluded {
  const pattern = said.replace(/(?<=.)\/$/, "").replace(/^\.\//, "");
  return { glob: Glob.read(pattern), directoriesOnly: /.\/$/.test(said), anyDepth: !pattern.includes("/") };
}

class Collector {
  readonly files: InputFile[] = [];
  readonly problems: InputProblem[] = [];
  readonly excluded: Excluded[] = [];
  leftOut = 0;
  private readonly allLines: boolean;

  constructor(options: InputOptions) {
    this.allLines = options.allLines;
    this.excluded.push(...options.exclude.map(readExcluded));
  }

  private excludes(path: string, isDirectory: boolean): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return this.excluded.some(
      (one) => (isDirectory || !one.directoriesOnly) && one.glob.matches(one.anyDepth ? name : path),
    );
  }

  /** Was what a search has found here taken out? */
  private filtered(path: string, isDirectory: boolean): boolean {
    const taken = this.excludes(path, isDirectory);
    this.leftOut += taken ? 1 : 0;
    return taken;
  }

  /** Was this file, or a directory that it is in? */
  private takenOut(path: string): boolean {
    const segments = path.split("/");
    return segments.some((_, i) => this.excludes(segments.slice(0, i + 1).join("/"), i + 1 < segments.length));
  }

  problem(path: string, message: string): void {
    this.problems.push({ path, message });
  }

  add(path: string, named: boolean): void {
    this.files.push({ path, lines: this.allLines || linesName.test(path), named });
  }

  walk(root: string, hiddenToo: boolean, wanted: (path: string) => boolean): void {
    const open = [{ path: root, depth: 0 }];
    for (let level = open.pop(); level !== undefined; level = open.pop()) {
      let entries;
      try {
        entries = readdirSync(level.path, { withFileTypes: true });
      } catch (error) {
        this.problem(level.path, `this directory cannot be read: ${reasonOf(error)}`);
        continue;
      }
      const prefix = level.path === "." ? "" : level.path.endsWith("/") ? level.path : `${level.path}/`;
      for (const entry of entries) {
        const full = prefix + entry.name;
        if (entry.isDirectory()) {
          if ((entry.name.startsWith(".") && !hiddenToo) || entry.name === "node_modules" || this.filtered(full, true)) {
            continue;
          }
          if (level.depth >= 256) {
            this.problem(full, "directories are nested more than 256 deep here: what is below is left out");
          } else {
            open.push({ path: full, depth: level.depth + 1 });
          }
        } else if ((entry.isFile() || entry.isSymbolicLink()) && wanted(full) && !this.filtered(full, false)) {
          let isFile = true; // a broken link is found again, with its reason, when it is opened
          try {
            isFile = statSync(full).isFile();
          } catch {}
          if (isFile) {
            this.add(full, false);
          }
        }
      }
    }
  }

  glob(glob: Glob, base: string, wanted: (path: string) => boolean): void {
    const hiddenToo = glob.pattern.includes("/.") || glob.pattern.startsWith(".");
    const roots = glob
      .roots()
      .map((root) => tidy(root === "" ? base : root.startsWith("/") ? root : `${base}/${root}`));
    for (const root of roots) {
      const inside = roots.some(
        (other) => other !== root && (other === "." ? !root.startsWith("/") : root.startsWith(`${other}/`)),
      );
      if (inside) {
        continue;
      }
      try {
        if (statSync(root).isDirectory()) {
          this.walk(root, hiddenToo, wanted);
        }
      } catch (error) {
        if (!["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) {
          this.problem(root, `cannot be read: ${reasonOf(error)}`);
        }
      }
    }
  }

  word(said: string): void {
    if (said === "-") {
      return this.add("-", true);
    }
    if (said === "") {
      return this.problem("''", "an empty path; give a file, a directory, a glob or -");
    }
    const given = slashes(said);
    let status;
    try {
      status = statSync(said);
    } catch (error) {
      return Glob.isPattern(given) ? this.pattern(given) : this.problem(said, whyNot(said, error));
    }
    const path = tidy(given);
    if (!status.isDirectory()) {
      if (this.takenOut(path)) {
        ++this.leftOut;
        return;
      }
      return this.add(path, true);
    }
    const before = this.files.length + this.problems.length + this.leftOut;
    this.walk(path, false, (file) => artifactName.test(file));
    if (this.files.length + this.problems.length + this.leftOut === before) {
      this.problem(path, "holds no *.json, *.jsonl or *.ndjson; name the files, or give a quoted glob");
    }
  }

  private pattern(said: string): void {
    let glob: Glob;
    try {
      glob = Glob.read(said);
    } catch (error) {
      return this.problem(said, (error as Error).message);
    }
    const before = this.files.length + this.problems.length + this.leftOut;
    this.glob(glob, ".", (file) => glob.matches(file));
    if (this.files.length + this.problems.length + this.leftOut === before) {
      this.problem(said, "no file matches this glob");
    }
  }

  finish(): Inputs {
    const order = (path: string): Buffer => Buffer.from(path);
    this.files.sort((a, b) => Buffer.compare(order(a.path), order(b.path)) || Number(b.named) - Number(a.named));
    const files = this.files.filter((file, i) => file.path !== this.files[i - 1]?.path);
    return { files, problems: this.problems, leftOut: this.leftOut };
  }
}

/** Why a path cannot be read. */
export function whyNot(path: string, error: unknown): string {
  let reason = reasonOf(error);
  try {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && lstatSync(path).isSymbolicLink()) {
      reason = "a symbolic link to something that is not there; remove or correct it";
    }
  } catch {}
  return `cannot be read: ${reason}`;
}

/** Files, directories, globs and "-"; `!GLOB` takes files out. */
export function collectInputs(words: readonly string[], options: InputOptions): Inputs {
  const takenOut = words.filter((said) => said.length > 1 && said.startsWith("!"));
  const collector = new Collector(options);
  for (const said of takenOut) {
    try {
      collector.excluded.push(readExcluded(said.slice(1)));
    } catch (error) {
      collector.problem(said, (error as Error).message);
    }
  }
  for (const said of words.filter((one) => !takenOut.includes(one))) {
    collector.word(said);
  }
  return collector.finish();
}

/** Everything that the globs of a plumb.yaml find. */
export function collectConfigured(config: Config, options: InputOptions): Inputs {
  const collector = new Collector(options);
  const here = absolutePath(".").replace(/\/?$/, "/");
  const base = config.directory.startsWith(here) ? tidy(`./${config.directory.slice(here.length)}`) : config.directory;
  for (const entry of config.contracts) {
    for (const glob of entry.globs) {
      collector.glob(glob, base, (file) => {
        const absolute = absolutePath(file);
        const below = absolute.slice(config.directory.length);
        const inside = absolute.startsWith(config.directory) && glob.matches(below);
        return inside && !entry.except.some((one) => one.matches(below));
      });
    }
  }
  return collector.finish();
}
