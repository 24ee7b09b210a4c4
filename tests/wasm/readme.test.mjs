// The README fits one screen; its commands, its picture and its program are what it says. tests/native/docs_test.py runs the rest.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { cleanQuiz, npm, top } from "./support.mjs";

const readme = readFileSync(join(top, "README.md"), "utf8");
const blocks = (language) => [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, text]) => text);

test("the README is one screen: at most 65 lines, ten links and a picture", () => {
  assert.ok(readme.split("\n").length <= 65);
  assert.ok([...readme.matchAll(/(?<!!\[[^\]]*)\]\([\w./#-]+\)/g)].length <= 10);
});

test("the README has the two commands, which ./dev knows, and a picture that is there", () => {
  const help = execFileSync(join(top, "dev"), ["help"], { encoding: "utf8" });
  for (const command of ["run", "test"]) {
    assert.match(readme, new RegExp(`^\\./dev ${command}\\b`, "m"));
    assert.match(help, new RegExp(`^  ${command}\\b`, "m"));
  }
  const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path);
  assert.equal(pictures.length, 1);
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

test("the README's program gives what it says, on a machine that has the package", () => {
  const [program] = blocks("js");
  const folder = mkdtempSync(join(tmpdir(), "plumb-readme-"));
  try {
    mkdirSync(join(folder, "node_modules/@plumbline"), { recursive: true });
    symlinkSync(npm, join(folder, "node_modules/@plumbline/plumbline"), "dir");
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
