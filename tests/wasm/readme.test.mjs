// What the README's first screen says: its commands, its pictures, and what each of its programs gives.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { cleanQuiz, native, npm, top } from "./support.mjs";

const readme = readFileSync(join(top, "README.md"), "utf8");
const first = readme.slice(0, readme.indexOf("\n## What it says"));
const blocks = (language) => [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text]) => text);

test("the first screen has the two commands, which ./dev knows, and pictures that are there", () => {
  const help = execFileSync(join(top, "dev"), ["help"], { encoding: "utf8" });
  for (const command of ["run", "test"]) {
    assert.match(first, new RegExp(`^\\./dev ${command}\\b`, "m"));
    assert.match(help, new RegExp(`^  ${command}\\b`, "m"));
  }
  const pictures = [...first.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path);
  assert.equal(pictures.length, 2);
  for (const path of pictures) {
    const bytes = readFileSync(join(top, path));
    assert.deepEqual([...bytes.subarray(1, 4)], [..."PNG"].map((one) => one.charCodeAt(0)));
    assert.ok(bytes.length < 300 * 1024, `${path}: ${bytes.length} bytes`);
  }
});

test("every page that the README links to is there", () => {
  for (const [, path] of readme.matchAll(/\]\(([\w./-]+?)(?:#[\w-]+)?\)/g)) {
    assert.ok(existsSync(join(top, path)), path);
  }
});

test("what it shows of `plumb check` is what the command prints", () => {
  const shown = blocks("console").find((text) => text.includes("plumb check --contract quiz"));
  const { code, out } = native(["check", "--contract", "quiz", join(top, "tests/cases/seed/quiz_faulty.json")], "", {
    ...process.env,
    LC_ALL: "C.UTF-8", // a minimal machine has no locale, where the command writes ASCII
  });
  assert.equal(code, 1);
  const words = (text) => text.replaceAll(`${top}/`, "").replace(/ +/g, " ").trim();
  assert.equal(words(out.toString()), words(shown.slice(shown.indexOf("\n"))));
});

test("the first screen's program gives what it says, on a machine that has the package", () => {
  const [program] = blocks("js");
  const folder = mkdtempSync(join(tmpdir(), "plumb-readme-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(npm, join(folder, "node_modules/plumbline"), "dir");
    const run = (answer) => {
      writeFileSync(
        join(folder, "program.mjs"),
        `const answer = ${JSON.stringify(answer)};\n${program}\nconsole.log(verdict.valid, verdict.findings.length);\n`,
      );
      return execFileSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8" }).trim();
    };
    assert.equal(run(cleanQuiz(2)), "true 0");
    assert.equal(run('{"questions": []}'), "false 1");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
