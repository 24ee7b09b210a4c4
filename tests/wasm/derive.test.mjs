// Derived targets in the package: the same bytes as from the native command, and types that are compiled and used.
import assert from "node:assert/strict";
import test from "node:test";
import { lawCases } from "./derived_laws.mjs";
import { importPackage, native, plumbBin, tool, top } from "./support.mjs";

const { load } = await importPackage();
const plumb = await load();
const author = await plumb.author();
const targets = [
  "prompt", "openai-strict", "openai", "anthropic", "gemini", "gbnf", "json-schema", "typescript", "zod", "pydantic", "page", "html",
];

test("derive: every target of every built-in contract is what the native command prints", () => {
  for (const { name } of plumb.contracts) {
    for (const target of targets) {
      const { out } = native(["contracts", "derive", name, "--to", target, "--format", "json"]);
      if (out.length === 0) {
        // A list of tool calls has no object at its root, as some providers want it; a tree is recursive, which
        // Anthropic's strict tools and Gemini do not take.
        const recursive = name === "mindmap" && (target === "anthropic" || target === "gemini");
        assert.ok(name === "intake" || recursive, `${name} ${target}`);
        assert.throws(() => author.derive(plumb.contract(name), target), name === "intake" ? /object/ : /recursive/);
        continue;
      }
      const derived = author.derive(plumb.contract(name), target);
      assert.deepEqual(derived, JSON.parse(out.toString()), `${name} ${target}`);
    }
  }
});

test("derive: the residual is a contract, and what is wrong is an error with the place", () => {
  const quiz = plumb.contract("quiz");
  const { residual, residualContract, narrows, tokens } = author.derive(quiz, "gbnf");
  assert.ok(residual.some(({ keyword }) => keyword === "memberOf"));
  assert.ok(narrows.some(({ kind }) => kind === "order of members"));
  assert.ok(tokens.safe >= tokens.likely && tokens.likely > 0);
  const rest = plumb.contract(residualContract);
  const options = '"options":["a","b","c","d"],"correct_answer":"e","explanation":"x"';
  const verdict = rest.check(`{"questions":[{"question":"q",${options}}]}`);
  assert.deepEqual(
    verdict.findings.map(({ rule }) => rule),
    ["memberOf"],
  );
  assert.throws(() => author.derive(quiz, "yaml"), { code: "invalid_argument", message: /prompt, openai-strict/ });
  const list = plumb.contract({ type: "object", properties: { a: { type: "array", prefixItems: [true, false] } } });
  assert.throws(() => author.derive(list, "openai-strict"), { where: "/properties/a" });
});

test("export: the same bytes as from the native command, of what is accepted alone", () => {
  const artifacts = {
    quiz: { questions: [{ question: "2 = ~{x}?", options: ["a", "b", "é 😀", "<d>"], correct_answer: "<d>", explanation: "e" }] },
    flashcards: { flashcards: [{ front: "#1", back: 'say "x"\n' }] },
    mindmap: { root: { label: "é & <b>", children: [{ label: "c", children: [] }] } },
  };
  for (const [name, format] of [
    ["quiz", "gift"], ["quiz", "moodle-xml"], ["flashcards", "anki"], ["flashcards", "csv"], ["mindmap", "opml"], ["mindmap", "freemind"],
  ]) {
    const artifact = JSON.stringify(artifacts[name]);
    const { text, extension } = author.export(plumb.contract(name), artifact, format);
    assert.equal(text, native(["export", "-", "--as", format], artifact).out.toString(), format);
    assert.match(extension, /^\./);
  }
  const quiz = plumb.contract("quiz");
  assert.throws(() => author.export(quiz, '{"questions":[]}', "gift"), { code: "invalid_argument", message: /only an accepted/ });
  assert.throws(() => author.export(quiz, JSON.stringify(artifacts.quiz), "csv"), { where: "/flashcards" });
  assert.throws(() => author.export(quiz, JSON.stringify(artifacts.quiz), "docx"), { message: /gift, moodle-xml/ });
  const run = { decision: "accept", evidence: [{ rule: "answerable", at: "/questions/0", chunk: 1, quote: "q" }] };
  assert.match(author.export(quiz, JSON.stringify(artifacts.quiz), "review", run).text, /Passage 1: “q”/);
});

test("derive: types take every artifact that the contract accepts, and what they take is right but for the residual", async () => {
  const { default: ts } = await tool("typescript");
  // One module a contract: its types, and each artifact assigned to them.
  const files = new Map();
  const wanted = [];
  for (const { place, derived, tried } of lawCases(plumb, author, "typescript")) {
    const root = /export (?:interface|type) (\w+)/.exec(derived.text)[1];
    const name = `/case${files.size}.ts`;
    let source = derived.text;
    let line = source.split("\n").length;
    for (const { text, accepted } of tried) {
      source += `export const v${line}: ${root} = ${text};\n`;
      wanted.push({ name, line, text, accepted, place, derived });
      ++line;
    }
    files.set(name, source);
  }
  const host = ts.createCompilerHost({});
  const readFile = host.readFile.bind(host);
  const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [], lib: ["lib.es2022.d.ts"] };
  const program = ts.createProgram([...files.keys()], options, {
    ...host,
    fileExists: (path) => files.has(path) || host.fileExists(path),
    readFile: (path) => files.get(path) ?? readFile(path),
    getSourceFile: (path, version) => {
      const text = files.get(path) ?? readFile(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, version);
    },
  });
  const wrong = new Set();
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    assert.ok(file !== undefined, String(messageText));
    const { line } = file.getLineAndCharacterOfPosition(start);
    const own = wanted.some((one) => one.name === file.fileName && one.line === line + 1);
    assert.ok(own, `${file.fileName}: the types do not compile: ${JSON.stringify(messageText)}\n${files.get(file.fileName)}`);
    wrong.add(`${file.fileName}:${line + 1}`);
  }
  const count = { taken: 0, refused: 0, narrowed: 0 };
  for (const { name, line, text, accepted, place, derived } of wanted) {
    const compiles = !wrong.has(`${name}:${line}`);
    const told = `${place}\n${derived.text}\n${text}`;
    if (accepted && !compiles) {
      assert.ok(derived.narrows.length > 0, `the types refuse what the contract accepts: ${told}`);
      ++count.narrowed;
    } else if (!accepted) {
      assert.ok(!compiles, `types and residual take what the contract refuses: ${told}`);
      ++count.refused;
    } else {
      ++count.taken;
    }
  }
  assert.ok(count.taken > 300 && count.refused > 300, JSON.stringify(count));
  console.log(`types: ${JSON.stringify(count)}`);
});
