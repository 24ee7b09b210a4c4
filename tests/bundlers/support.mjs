// An app of its own that uses the package as it is installed, and commands that run with a bound.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { faultyQuiz, faultyQuizMessages, givePackage, npm, top } from "../wasm/support.mjs";

export { npm, top };
export const here = dirname(fileURLToPath(import.meta.url));
export const bin = (name) => join(here, "node_modules/.bin", name);
export const expected = { messages: faultyQuizMessages, same: true, lint: "no-contract", pipelines: true };

const judge = `
const text = ${JSON.stringify(faultyQuiz)};
export async function judge(plumb) {
  const quiz = plumb.contract("quiz");
  const stream = quiz.stream();
  for (const chunk of text.match(/[^]{1,7}/g)) stream.push(chunk);
  const whole = quiz.check(text);
  const author = await plumb.author();
  return {
    messages: whole.findings.map((one) => one.message),
    same: JSON.stringify(stream.end()) === JSON.stringify(whole),
    lint: author.lint("{]").findings[0].rule,
    pipelines: (await plumb.pipelines()).length > 0,
  };
}`;

/** A folder with the package copied in, as npm would have installed it. */
export function newApp(files, packages = []) {
  const folder = mkdtempSync(join(tmpdir(), "plumb-app-"));
  givePackage(folder, { copy: true });
  for (const name of packages) {
    symlinkSync(join(here, "node_modules", name), join(folder, "node_modules", name), "dir");
  }
  const all = { "package.json": '{"name":"app","version":"1.0.0","type":"module","private":true}', "judge.js": judge, ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** What a command says; it is ended when it takes too long. */
export function run(command, words, { cwd, seconds = 120, env = {} }) {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      words,
      { cwd, timeout: seconds * 1000, killSignal: "SIGKILL", encoding: "utf8", env: { ...process.env, CI: "1", NO_COLOR: "1", ...env } },
      (error, stdout, stderr) =>
        error === null
          ? resolve(stdout)
          : reject(new Error(`${command}: ${error.killed ? `more than ${seconds} s` : "failed"}\n${stdout}${stderr}`)),
    );
  });
}
