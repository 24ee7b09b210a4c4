// What the tests share: where things are, the package under test, the seed's artifacts.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
export const top = resolve(here, "../..");
export const npm = resolve(process.env.PLUMB_NPM ?? join(top, "build/npm"));
export const plumbBin = resolve(process.env.PLUMB_BIN ?? join(top, "build/bin/plumb"));
export const packageSource = join(top, "wasm/package");
/** What programs import and npm installs. */
export const packageName = JSON.parse(readFileSync(join(packageSource, "package.json"), "utf8")).name;

/** Makes the package importable from a folder: as a link to what was built or, with `copy`, as npm would have installed it. */
export function givePackage(folder, { copy = false } = {}) {
  const place = join(folder, "node_modules", packageName);
  mkdirSync(dirname(place), { recursive: true });
  if (copy) cpSync(npm, place, { recursive: true });
  else symlinkSync(npm, place, "dir");
}

/** The package as Node's conditions find it. */
export function importPackage() {
  return import(pathToFileURL(join(npm, "dist/node.js")).href);
}

/** A development dependency of wasm/package, which the tests use without an installation of their own. */
export async function tool(specifier) {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier);
  const { exports, main } = JSON.parse(readFileSync(toolPath(name, "package.json"), "utf8"));
  const pick = (entry) => (typeof entry === "object" ? pick(entry.import ?? entry.node ?? entry.default) : entry);
  const path = exports === undefined ? rest || main : pick(exports[`.${rest}`] ?? exports);
  return import(pathToFileURL(toolPath(name, path)).href);
}
export function toolPath(...parts) {
  return join(packageSource, "node_modules", ...parts);
}

/** The output of a native `plumb` command, whatever its exit code. */
export function native(words, input = "", env = process.env) {
  try {
    return {
      code: 0,
      out: execFileSync(plumbBin, words, { input, maxBuffer: 1 << 30, stdio: ["pipe", "pipe", "pipe"], env }),
    };
  } catch (error) {
    if (typeof error.status !== "number") {
      throw error;
    }
    return { code: error.status, out: error.stdout, err: error.stderr };
  }
}
/** The promise's value, or an error that says what took too long. */
export async function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}


/** The seed's first faulty quiz, as its document prints it. */
export const faultyQuiz = JSON.stringify(
  {
    questions: [
      {
        question: "What is photosynthesis?",
        options: ["Energy production", "Water absorption", "Carbon fixation"],
        correct_answer: "Energy production",
        explanation: "Photosynthesis produces energy for plants.",
      },
      {
        question: "Where does photosynthesis occur?",
        options: ["Mitochondria", "Mitochondria", "Nucleus", "Cell wall"],
        correct_answer: "Chloroplasts",
        explanation: "Chloroplasts contain chlorophyll.",
      },
    ],
  },
  null,
  2,
);
export const faultyQuizMessages = [
  "Question 1: Must have at least 4 options (has 3)",
  "Question 2: Options must be unique (found duplicates)",
  "Question 2: correct_answer 'Chloroplasts' must be one of the options",
];

/** A quiz without faults; `questions` of them, about 400 bytes each. */
export function cleanQuiz(questions) {
  const all = [];
  for (let i = 1; i <= questions; ++i) {
    all.push({
      question: `What is the name of part number ${i} of the cell \u2013 and what is it for?`,
      options: [`Nucleus ${i}`, `Mitochondrion ${i}`, `Cell wall ${i}`, `Chloroplast ${i}`],
      correct_answer: `Chloroplast ${i}`,
      explanation: `Part ${i} makes glucose from light, water and carbon dioxide.`,
    });
  }
  return JSON.stringify({ questions: all }, null, 2);
}

export const seedArtifacts = join(top, "tests/cases/seed");
export function seedArtifact(name) {
  return readFileSync(join(seedArtifacts, name), "utf8");
}

/** The module of runs with pipelines that only tests know, and the native host for the same ones. */
export const runsTestModule = join(top, "build/cmake/wasm/bin/plumb-runs-test.wasm");
export const runHost = join(top, "build/cmake/release/bin/run_host");
export const recordedRuns = join(top, "tests/cases/runs");

/** What run_host says: `words` are its arguments. */
export function nativeHost(words, input) {
  return execFileSync(runHost, words, { input, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Answers as run_host does. */
export function scripted({ request }) {
  const { phase, messages } = request;
  const text = phase === "plan" ? '{"chapters":["light"]}' : `re: ${messages[0].content.slice(0, 40)}`;
  return { value: { text, finish: "stop", usage: { input_tokens: 10, output_tokens: 5 } } };
}
