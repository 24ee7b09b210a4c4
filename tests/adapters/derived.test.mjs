// Both laws of derived targets that are programs, with the library that runs them: what the contract accepts the target
// takes, and what the target takes and the residual accepts the contract accepts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";
import ts from "typescript";
import * as z from "zod";
import { lawCases } from "../wasm/derived_laws.mjs";
import { here, load } from "./support.mjs";

const plumb = await load();
const author = await plumb.author();

// Names that a language has for itself, texts that would end a literal or a comment, and circles of every kind.
const hostile = [
  {
    place: "names",
    contract: {
      $id: "plumb:class",
      type: "object",
      additionalProperties: false,
      required: ["class", "two words", "constructor", "", "1st", "model_fields", "copy", "ünï", "a_b", "a b", "list"],
      properties: Object.fromEntries(
        ["class", "two words", "constructor", "", "1st", "model_fields", "copy", "ünï", "a_b", "a b", "list", "toString", "_x", "json", "None", "str", "X", "field_x", "\u2028"].map(
          (key) => [key, { type: "integer" }],
        ),
      ),
    },
    artifacts: [
      { class: 1, "two words": 1, constructor: 1, "": 1, "1st": 1, model_fields: 1, copy: 1, ünï: 1, a_b: 1, "a b": 1, list: 1, json: 2, _x: 1, str: 1, X: 1, "\u2028": 0 },
    ],
  },
  {
    place: "texts",
    contract: {
      title: '*/ """ `${process.exit()}` \\',
      description: "\"\"\"\n'''\\N{BULLET} {x} # */ \u2028",
      type: "object",
      required: ["t"],
      properties: {
        t: { enum: ['"', "'", "\\", "\n", "${1}", "`", "\u2028", "\u0000", "😀", "*/"], description: '"""' },
        p: { type: "string", pattern: '^["\'\\\\/`]+$' },
        d: { type: "string", pattern: "^\\d{2}[\\w-]$", minLength: 3, maxLength: 3 },
      },
    },
    artifacts: [{ t: '"' }, { t: "\\", p: '"' }, { t: "\u0000", p: "\\/`" }, { t: "😀", d: "12x" }, { t: "*/", d: "1२x" }, { t: "\n", d: "12-" }],
  },
  {
    place: "circles",
    contract: {
      $ref: "#/$defs/Array",
      $defs: {
        Array: { type: "object", properties: { next: { $ref: "#/$defs/Array" }, list: { $ref: "#/$defs/str" }, map: { $ref: "#/$defs/None" } } },
        str: { type: "array", items: { anyOf: [{ $ref: "#/$defs/str" }, { type: "null" }, { $ref: "#/$defs/Array" }] } },
        None: { type: "object", additionalProperties: { $ref: "#/$defs/None" } },
      },
    },
    artifacts: [{ next: { next: {} } }, { list: [[null, []], { list: [null] }] }, { map: { a: { b: {} } } }, { map: { a: 1 } }, { list: [1] }, { next: [] }],
  },
  {
    place: "counts",
    contract: {
      type: "object",
      properties: {
        e: { type: "string", minLength: 2, maxLength: 2 },
        i: { type: "integer", multipleOf: 3, minimum: -3, exclusiveMaximum: 9 },
        n: { type: "number", minimum: 0.5, maximum: 2 },
        l: { type: "array", items: { type: "boolean" }, minItems: 1, maxItems: 2 },
        t: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: { type: "null" }, minItems: 1, maxItems: 3 },
        x: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 },
        c: { const: 1 },
        f: { enum: [true, 0, null, 1.5] },
      },
      additionalProperties: { type: "integer" },
    },
    artifacts: [
      { e: "😀😀", i: -3, n: 0.5, l: [true], t: ["a"], x: ["a", 1], c: 1, f: true },
      { e: "😀", i: 9 },
      { e: "ab", i: 100000000000000000000, n: 3 },
      { l: [], t: [] },
      { l: [true, true, true], t: ["a", 1, null, null], x: ["a", 1, 2] },
      { t: ["a", 1, null], x: ["a"], c: true, f: 1 },
      { c: 1.0, f: 0, other: 5 },
      { f: false, other: "5", i: "3" },
      { f: null, i: 3.5 },
    ],
  },
];

const known = new Map();
const cases = (target) => known.get(target) ?? known.set(target, [...casesOf(target)]).get(target);

// JavaScript, and Python's re, go back over a repetition of repetitions in every way there is: (a+)+ on thirty letters takes
// for ever. So does a union that leads back to itself in pydantic, which tries each of its members at each level.
const explodes = (text) => /\([^()]*[+*]\)[+*]/.test(text);

const levelsMax = 12;
function levels(text) {
  let at = 0;
  let most = 0;
  for (const letter of text) {
    at += "[{".includes(letter) ? 1 : "]}".includes(letter) ? -1 : 0;
    most = Math.max(most, at);
  }
  return most;
}

function* casesOf(target) {
  for (const { place, contract: schema, artifacts } of hostile) {
    const contract = plumb.contract(schema);
    const derived = author.derive(contract, target);
    const rest = plumb.contract(derived.residualContract);
    const texts = new Set(artifacts.map((one) => JSON.stringify(one)));
    for (const one of artifacts) {
      for (const key of Object.keys(one)) {
        for (const other of [null, "other", 7, true, [], {}, 1.5]) texts.add(JSON.stringify({ ...one, [key]: other }));
        const { [key]: _, ...without } = one;
        texts.add(JSON.stringify(without)).add(JSON.stringify({ ...one, another: "x" }));
      }
    }
    const tried = [...texts].map((text) => ({ text, accepted: contract.check(text).valid, byRest: rest.check(text).valid }));
    yield { place, derived, tried: tried.filter(({ accepted, byRest }) => accepted || byRest) };
  }
  for (const one of lawCases(plumb, author, target)) {
    if (explodes(one.derived.text)) continue;
    yield target === "pydantic" ? { ...one, tried: one.tried.filter(({ text }) => levels(text) <= levelsMax) } : one;
  }
}

function hold({ place, derived }, { text, accepted }, taken, count) {
  const told = `${place}\n${derived.text}\n${text}`;
  if (accepted && !taken) {
    const why = derived.narrows.filter(({ kind }) => kind !== "long numbers" || /\d{16}|\d[eE]|\.0/.test(text));
    assert.ok(why.length > 0, `the target refuses what the contract accepts: ${told}`);
    ++count.narrowed;
  } else if (!accepted) {
    assert.ok(!taken, `target and residual take what the contract refuses: ${told}`);
    ++count.refused;
  } else {
    ++count.taken;
  }
}

test("zod: takes every artifact that the contract accepts, and what it takes is right but for the residual", () => {
  const count = { contracts: 0, taken: 0, refused: 0, narrowed: 0 };
  for (const one of cases("zod")) {
    ++count.contracts;
    const { outputText } = ts.transpileModule(one.derived.text, { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
    const root = /export const (\w+)(?:: [^=]*)? = (?![^]*^export const )/m.exec(one.derived.text)[1];
    const code = outputText.replace(/^import .*$/m, "").replace(/^export \{\};$/m, "").replace(/^export const /gm, "const ");
    const schema = new Function("z", `${code}\nreturn ${root};`)(z);
    for (const tried of one.tried) {
      const value = JSON.parse(tried.text);
      const result = schema.safeParse(value);
      hold(one, tried, result.success, count);
      if (result.success) {
        assert.deepEqual(result.data, value, `${one.place}: zod changed ${tried.text}\n${one.derived.text}`);
      }
    }
  }
  assert.ok(count.taken > 300 && count.refused > 300, JSON.stringify(count));
  console.log(`zod: ${JSON.stringify(count)}`);
});

test("zod: what is written compiles, and its types are those of the contract", () => {
  const files = new Map();
  for (const { derived } of cases("zod")) {
    if (files.size < 60) files.set(join(here, `derived_${files.size}.ts`), derived.text);
  }
  files.set(
    join(here, "derived_use.ts"),
    `${author.derive(plumb.contract("mindmap"), "zod").text}
const label: string | undefined = Mindmap.parse({}).root.children?.[0]?.label;
// @ts-expect-error a label is a text
const wrong: number = Mindmap.parse({}).root.label;
export { label, wrong };
`,
  );
  const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [], skipLibCheck: true };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  const source = host.getSourceFile.bind(host);
  const program = ts.createProgram([...files.keys()], options, {
    ...host,
    fileExists: (path) => files.has(path) || host.fileExists(path),
    readFile: (path) => files.get(path) ?? read(path),
    getSourceFile: (path, version) => (files.has(path) ? ts.createSourceFile(path, files.get(path), version) : source(path, version)),
  });
  const wrong = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}\n${files.get(file?.fileName)}`);
  assert.deepEqual(wrong.slice(0, 3), []);
});

const python = (input, ...words) => spawnSync("python3", [join(here, "pydantic_run.py"), ...words], { input, encoding: "utf8", maxBuffer: 1 << 28 });
const version = python("", "--version").stdout?.trim() ?? "";

test("pydantic: what is written is Python", { skip: version === "" && "there is no python3" }, () => {
  const modules = [...cases("pydantic")].map(({ derived }) => ({ text: derived.text }));
  const { stdout, stderr } = python(modules.map((one) => JSON.stringify(one)).join("\n"), "--compile");
  assert.equal(stdout.trim(), String(modules.length), stderr);
});

test(
  "pydantic: takes every artifact that the contract accepts, and what it takes is right but for the residual",
  { skip: !version.startsWith("2.") && `pydantic 2 is not installed for python3, which has: ${version || "no pydantic"}` },
  () => {
    const all = [...cases("pydantic")];
    const lines = all.map(({ derived, tried }) => JSON.stringify({ text: derived.text, artifacts: tried.map(({ text }) => text) }));
    const { stdout, stderr, status } = python(lines.join("\n"), "--run");
    assert.equal(status, 0, stderr);
    const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(answers.length, all.length);
    const count = { contracts: all.length, taken: 0, refused: 0, narrowed: 0 };
    for (const [i, one] of all.entries()) {
      assert.ok(answers[i].error === undefined, `${one.place}: ${answers[i].error}\n${one.derived.text}`);
      for (const [k, tried] of one.tried.entries()) {
        hold(one, tried, answers[i].taken[k], count);
      }
    }
    assert.ok(count.taken > 300 && count.refused > 300, JSON.stringify(count));
    console.log(`pydantic ${version}: ${JSON.stringify(count)}`);
  },
);
