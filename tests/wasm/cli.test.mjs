// `plumbline check` is the native command, from WebAssembly: the same report, byte for byte, and the same exit code.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { after } from "node:test";
import { cleanQuiz, faultyQuiz, faultyQuizMessages, npm, plumbBin } from "./support.mjs";

const cli = join(npm, "dist/cli.js");
const folder = mkdtempSync(join(tmpdir(), "plumb-cli-"));
after(() => rmSync(folder, { recursive: true }));
const env = { ...process.env, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };

function put(path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const flashcards = '{"flashcards":[{"front":"ATP","back":"x"},{"front":" atp","back":""}]}';
put("faulty.json", faultyQuiz);
put("clean.json", cleanQuiz(2));
put("broken.json", '{"questions": [');
put("empty.json", "");
put("deep.json", "[".repeat(2000));
put("latin1.json", Buffer.from([0x22, 0xe9, 0x22]));
put("big.json", cleanQuiz(2000));
put(
  "lines.jsonl",
  `${JSON.stringify(JSON.parse(faultyQuiz))}\n\n${JSON.stringify(JSON.parse(cleanQuiz(1)))}\r\n  \n[]`,
);
put("blank.jsonl", " \n\n");
put("long.jsonl", `[]\n{"questions":"${"x".repeat(5 << 20)}"}\n{}\n`);
put("out/a/quiz-1.json", faultyQuiz);
put("out/b/quiz-2.json", cleanQuiz(1));
put("out/b/cards.json", flashcards);
put("out/b/notes.txt", "no");
put("out/.hidden/quiz-3.json", "{}");
put("out/node_modules/quiz-4.json", "{}");
put("warns.json", '{"$comment":"c","items":{"type":"string","severity":"warning"}}');
put("typo.json", '{"type":"array","minItem":3}');
put("info.json", '{"items":{"type":"string","severity":"info"}}');
put("list.json", "[1,2]");
put("wants.json", '{"memberOf":{"in":"context:/all/*"}}');
put("context.json", '{"all":["a"]}');
put("a.json", '"a"');
put("bad_contract.json", '{\n "type": 5 }');
put("refers.json", '{"$ref":"https://example.org/s"}');
put("s.json", '{"type":"object"}');
put("near.json", '{"minItem": 1}');
put(
  "project/plumb.yaml",
  `# which contract a file has
contracts:
  - files: ["made/quiz-*.json", made/deep/**/*.json]
    contract: quiz
  - files: made/*.json
    contract: ../warns.json
documents:
  https://example.org/s: ../s.json
fail_on: warning
format: jsonl
`,
);
put("project/made/quiz-1.json", faultyQuiz);
put("project/made/deep/er/x.json", cleanQuiz(1));
put("project/made/list.json", "[1]");
put("project/made/other.txt", "x");
put("project/sub/keep.json", "{}");
put("badyaml/plumb.yaml", "contracts:\n  - file: a\n    contract: quiz\n");
put("emptyyaml/plumb.yaml", "# nothing\n");
symlinkSync("nowhere.json", join(folder, "broken_link.json"));

function run(program, words, { input = "", cwd = "", ...user } = {}) {
  const { status, stdout, stderr } = spawnSync(program[0], [...program.slice(1), ...words], {
    cwd: join(folder, cwd),
    env,
    input,
    maxBuffer: 1 << 28,
    ...user,
  });
  return { code: status, out: stdout.toString("latin1"), err: stderr.toString("utf8") };
}
const ours = (words, options) => run([process.execPath, cli], words, options);
const theirs = (words, options) => run([plumbBin], words, options);

const formats = ["text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"];
const compared = [
  ...formats.map((format) => [`format ${format}`, ["check", "-c", "quiz", "-f", format, "faulty.json", "clean.json"]]),
  ...formats.map((format) => [
    `one file, format ${format}`,
    ["check", "-c", "quiz", `--format=${format}`, "faulty.json"],
  ]),
  ["a clean file", ["check", "-c", "quiz", "clean.json"]],
  [
    "broken, empty, deep and badly encoded files",
    ["check", "-c", "quiz", "broken.json", "empty.json", "deep.json", "latin1.json"],
  ],
  ["a large file", ["check", "-c", "quiz", "-f", "jsonl", "big.json"]],
  ["what is taken out", ["check", "-c", "quiz", "-f", "jsonl", "out", "faulty.json", "!out/b/", "--exclude", "quiz-1.*"]],
  ["all taken out", ["check", "-c", "quiz", "faulty.json", "!faulty.json"]],
  ["JSON lines", ["check", "-c", "quiz", "-f", "jsonl", "lines.jsonl"]],
  ["JSON lines as text", ["check", "-c", "quiz", "lines.jsonl"]],
  ["JSON lines, a line beyond the buffer", ["check", "-c", "quiz", "-f", "jsonl", "long.jsonl"]],
  ["JSON lines, all blank", ["check", "-c", "quiz", "-f", "jsonl", "blank.jsonl"]],
  ["--lines", ["check", "-c", "quiz", "--lines", "-f", "jsonl", "list.json"]],
  ["a directory", ["check", "-c", "quiz", "out"]],
  ["a directory with a slash, quiet", ["check", "-c", "quiz", "-q", "./out//"]],
  ["globs", ["check", "-c", "quiz", "-f", "jsonl", "out/**/quiz-?.json", "out/{a,b}/*[!s].json"]],
  ["a glob for hidden names", ["check", "-c", "quiz", "-f", "jsonl", "out/.hidden/*.json"]],
  ["a file twice", ["check", "-c", "quiz", "-f", "jsonl", "faulty.json", "./faulty.json", "*.json"]],
  [
    "what is not there",
    ["check", "-c", "quiz", "-f", "jsonl", "nowhere.json", "no*where", "clean.json", "broken_link.json"],
  ],
  ["standard input", ["check", "-c", "quiz", "-"], { input: faultyQuiz }],
  ["--stream as text", ["check", "-c", "quiz", "--stream"], { input: faultyQuiz }],
  ["--stream as jsonl", ["check", "-c", "quiz", "--stream", "-f", "jsonl"], { input: faultyQuiz }],
  ["colours", ["check", "-c", "quiz", "--color", "always", "faulty.json", "clean.json"]],
  ["ASCII", ["check", "-c", "quiz", "--ascii", "faulty.json", "clean.json"]],
  [
    "ASCII and colours, streamed",
    ["check", "-c", "quiz", "--ascii", "--color=always", "--stream"],
    { input: faultyQuiz },
  ],
  ["llm with a tool", ["check", "-c", "quiz", "-f", "llm", "--tool", "submit", "faulty.json"]],
  ["llm with an action", ["check", "-c", "quiz", "-f", "llm", "--action", "Do it.", "faulty.json"]],
  ["a warning about the contract", ["check", "-c", "typo.json", "-f", "json", "list.json"]],
  ["an artifact as the contract", ["check", "-c", "clean.json", "typo.json"]],
  ["a warning", ["check", "-c", "warns.json", "list.json"]],
  ["a warning that fails", ["check", "-c", "warns.json", "--fail-on", "warning", "list.json"]],
  ["an info", ["check", "-c", "info.json", "--fail-on", "warning", "list.json"]],
  ["an info that fails", ["check", "-c", "info.json", "--fail-on", "info", "list.json"]],
  ["--fail-on never", ["check", "-c", "quiz", "--fail-on", "never", "faulty.json"]],
  ["--exit-zero", ["check", "-c", "quiz", "--exit-zero", "faulty.json"]],
  ["context", ["check", "-c", "wants.json", "--context", "context.json", "a.json", "list.json"]],
  ["context that is wanted", ["check", "-c", "wants.json", "a.json"]],
  ["a document", ["check", "-c", "refers.json", "--schema", "https://example.org/s=s.json", "a.json", "clean.json"]],
  [
    "limits",
    ["check", "-c", "quiz", "--max-depth", "3", "--max-bytes", "1K", "-f", "jsonl", "clean.json", "deep.json"],
  ],
  ["plumb.yaml", ["check"], { cwd: "project" }],
  ["plumb.yaml found above", ["check", "../made/quiz-1.json", "keep.json"], { cwd: "project/sub" }],
  ["plumb.yaml and a directory", ["check", "-f", "text", "."], { cwd: "project" }],
  ["plumb.yaml named", ["check", "--config", "project/plumb.yaml"]],
  ["an unknown key in plumb.yaml", ["check"], { cwd: "badyaml" }],
  ["a plumb.yaml with nothing in it", ["check"], { cwd: "emptyyaml" }],
  ["no contract", ["check", "faulty.json"]],
  ["no path", ["check", "-c", "quiz"]],
  ["a contract that is none", ["check", "-c", "bad_contract.json", "a.json"]],
  ["a contract that is not there", ["check", "-c", "quizz", "a.json"]],
  ["a near miss in a contract", ["check", "-c", "near.json", "a.json"]],
  ["an unknown option", ["check", "--formt", "json"]],
  ["an unknown format", ["check", "-c", "quiz", "-f", "yaml", "a.json"]],
  ["an unknown command", ["chekc"]],
  ["contracts check", ["contracts", "check", "warns.json", "near.json", "bad_contract.json"]],
  ["contracts check --strict", ["contracts", "check", "--strict", "near.json"]],
  ["contracts list", ["contracts", "list"]],
  ["contracts list --json", ["contracts", "list", "--json"]],
  ["contracts show --json", ["contracts", "show", "--json", "quiz"]],
  ["version", ["version"]],
];

for (const [what, words, options] of compared) {
  test(`as the native command: ${what}`, () => {
    const mine = ours(words, options);
    const native = theirs(words, options);
    assert.equal(mine.out, native.out, `standard output\n${mine.err}`);
    assert.equal(mine.code, native.code, `exit code; ${mine.err}`);
    assert.equal(mine.err === "", native.err === "", `standard error\n${mine.err}\n${native.err}`);
  });
}

test("the seed's faulty quiz: its messages in its order, exit code 1", () => {
  const { code, out } = ours(["check", "-c", "quiz", "faulty.json"]);
  assert.equal(code, 1);
  const text = Buffer.from(out, "latin1").toString("utf8");
  const places = faultyQuizMessages.map((message) => text.indexOf(message));
  assert.ok(
    places.every((place, i) => place > (places[i - 1] ?? -1)),
    text,
  );
});

test("--output writes the report to a file", () => {
  const { code, out } = ours(["check", "-c", "quiz", "-f", "jsonl", "-o", "report.jsonl", "faulty.json"]);
  assert.deepEqual([code, out], [1, ""]);
  assert.match(readFileSync(join(folder, "report.jsonl"), "utf8"), /^\{"file":"faulty.json",.*\}\n$/);
  assert.equal(ours(["check", "-c", "quiz", "-o", "no/such/folder/x", "faulty.json"]).code, 2);
});

test("--stream tells a finding while the artifact is still being written", async () => {
  const child = spawn(process.execPath, [cli, "check", "-c", "quiz", "--stream"], { cwd: folder, env });
  let told = "";
  child.stdout.on("data", (data) => (told += data));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const first = faultyQuiz.indexOf('"correct_answer"');
  child.stdin.write(faultyQuiz.slice(0, first));
  for (let i = 0; i < 200 && !told.includes(faultyQuizMessages[0]); ++i) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(told.includes(faultyQuizMessages[0]), told);
  assert.ok(!told.includes(faultyQuizMessages[1]));
  child.stdin.end(faultyQuiz.slice(first));
  assert.equal(await ended, 1);
  assert.ok(told.includes(faultyQuizMessages[2]));
});

test("a reader that leaves ends the command without noise of its own", () => {
  const program = `"${process.execPath}" "${cli}" check -c quiz -f jsonl big.json big.json lines.jsonl | head -c 1 >/dev/null`;
  const { stderr } = spawnSync("sh", ["-c", program], { cwd: folder, env, encoding: "utf8" });
  assert.ok(!/ at |bug in plumb/.test(stderr), stderr);
});

test("--edits judges the text as edited, as the native command does", () => {
  put("fenced.json", `Here it is:\n\`\`\`json\n{"flashcards": [{"front": "ATP", "back": "Energy."}]}\n\`\`\`\n`);
  for (const options of [
    ["--edits", "certain"],
    ["--edits", "fence=none"],
    ["--edits", "colour=certain"],
    ["--edits", "sometimes"],
    [],
  ]) {
    const args = ["check", "-c", "flashcards", "-f", "jsonl", ...options, "fenced.json"];
    const mine = ours(args);
    const native = theirs(args);
    assert.equal(mine.code, native.code);
    assert.equal(mine.out, native.out);
    assert.equal(mine.err.replaceAll("plumbline", "plumb"), native.err);
  }
});

test("help names the options of the native command", () => {
  const options = (text) => [...new Set(text.match(/(?<=^ +(?:-\w, +)?)--[a-z-]+/gm))].sort();
  const mine = ours(["check", "--help"]);
  assert.equal(mine.code, 0);
  // What the native command alone does, as the help says.
  const nativeOnly = ["--calls", "--diff", "--fix", "--from", "--gitignore", "--max-steps", "--skip-unmatched", "--staged"];
  const wanted = options(theirs(["check", "--help"]).out).filter((option) => !nativeOnly.includes(option));
  assert.deepEqual(options(mine.out), wanted);
});

// Root reads everything, so it becomes nobody, where nobody may run the command.
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
if (user.uid !== undefined) chmodSync(folder, 0o755);
const notAllowed = run([process.execPath, cli], ["--version"], user).code !== 0 && "nobody but root may run the command where it is";
test("a file without the right to read it is told, and the rest goes on", { skip: notAllowed }, () => {
  put("locked.json", "{}");
  chmodSync(join(folder, "locked.json"), 0);
  const { code, out, err } = ours(["check", "-c", "quiz", "-f", "jsonl", "locked.json", "clean.json"], user);
  assert.equal(code, 2);
  assert.match(out, /"clean.json"/);
  assert.match(err, /permission denied/);
});

test("types: those that derive writes, for a build script, and an error with the place where there are none", () => {
  const run = (...words) => spawnSync(process.execPath, [cli, ...words], { cwd: folder, env, encoding: "utf8" });
  const written = run("types", "quiz");
  assert.deepEqual([written.status, written.stderr], [0, ""]);
  assert.equal(written.stdout, run("contracts", "derive", "quiz", "--to", "typescript", "-q").stdout);
  assert.match(written.stdout, /export (?:interface|type) Quiz/);
  assert.equal(run("types", "s.json", "-o", "s.d.ts").stdout, "");
  assert.match(readFileSync(join(folder, "s.d.ts"), "utf8"), /export/);
  const no = run("types", "bad_contract.json");
  assert.equal(no.status, 2);
  assert.match(no.stderr, /bad_contract\.json:2/);
  assert.equal(run("types", "s.json", "-o", "nowhere/s.d.ts").status, 2);
});
