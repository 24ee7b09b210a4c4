// Mistakes that do not compile, and what looks like one and does. Each line is a program of its own to the compiler; what does not
// compile and can be tried is also refused, or warned of, when it runs.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { givePackage, importPackage, tool } from "./support.mjs";

const refused = [
  // Where modules are.
  'load({ moduel: "/x.wasm" })',
  'load({ parts: ["autor"] })',
  'load({ parts: "text" })',
  'load({ parts: ["text"], modul: "/x.wasm" })',
  "load({ module: 5 })",
  "load(5)",
  "load(() => new Uint8Array(8))",
  // Names, options.
  'plumb.contract("quizz")',
  'plumb.contract("Quiz")',
  'plumb.contract("quiz", { assertFormat: true })',
  'plumb.contract("quiz", { dialect: "draft-3" })',
  'quiz.check("{}", { edit: "certain" })',
  'quiz.check("{}", { edits: "all" })',
  'quiz.check("{}", { edits: { fences: "certain" } })',
  'quiz.check("{}", { limits: { depth: 5 } })',
  "quiz.check(undefined)",
  "quiz.check(fetched)",
  "quiz.stream().push(5)",
  'author.sample(quiz, { kind: "rich", rule: "minItems" })',
  'author.sample(quiz, { kind: "minimal", rule: { rule: "minItems" } })',
  'author.sample(quiz, { count: "2" })',
  "author.sample(quiz, { sed: 1 })",
  // Keywords that are nearly one.
  'plumb.contract({ type: "object", requierd: ["a"] })',
  "plumb.contract({ proprties: {} })",
  'plumb.contract({ type: "array", minItem: 4 })',
  "plumb.contract({ minLenght: 3 })",
  'plumb.contract({ properties: { a: { enums: ["a"] } } })',
  "plumb.contract({ items: { notblank: true } })",
  "plumb.contract({ anyOf: [{ patern: \"a\" }] })",
  // Values of keywords.
  'plumb.contract({ type: "objekt" })',
  'plumb.contract({ type: ["string", "nul"] })',
  'plumb.contract({ type: "array", minItems: "4" })',
  "plumb.contract({ maxLength: -1 })",
  "plumb.contract({ maxItems: 1.5 })",
  'plumb.contract({ minimum: "1" })',
  'plumb.contract({ required: "a" })',
  'plumb.contract({ enum: "a" })',
  "plumb.contract({ properties: [] })",
  'plumb.contract({ items: "string" })',
  "plumb.contract({ anyOf: [] })",
  "plumb.contract({ pattern: 5 })",
  'plumb.contract({ additionalProperties: "no" })',
  'plumb.contract({ $ref: "#/$defs/a", $defs: { a: { oneOf: [{ type: "strng" }] } } })',
  'plumb.contract({ memberOf: "1/options/*" })',
  'plumb.contract({ memberOf: { inn: "1/options/*" } })',
  'plumb.contract({ distinct: { report: "all" } })',
  'plumb.contract({ severity: "fatal" })',
  'plumb.contract({ rules: [{ title: "a" }] })',
];

const accepted = [
  "load()",
  "load(undefined)",
  'load("https://example.org/plumb-check.wasm")',
  'load(new URL("https://example.org/plumb-check.wasm"))',
  "load(new Uint8Array(8))",
  'load(fetch("/x.wasm"))',
  "load(wasmModule)",
  'load({ parts: ["text", "author"] })',
  'load({ module: "/x.wasm", authorModule: () => fetch("/y.wasm") })',
  "load({ parts: [], module: bytes })",
  'plumb.contract("quiz")',
  'plumb.contract<Quiz>("quiz").check("{}").value?.questions',
  "plumb.contract(someName)",
  "plumb.contract<Quiz>(someName)",
  'plumb.contract(\'{"type": "objekt"}\')',
  'plumb.contract("\\n  {}")',
  'plumb.contract("true")',
  "plumb.contract(new Uint8Array(2))",
  "plumb.contract(true)",
  "plumb.contract({})",
  "plumb.contract(someSchema)",
  "plumb.contract(someNameOrSchema)",
  "plumb.contract(readOfAFile)",
  "wrapped<Quiz>(someSchema)",
  'plumb.contract({ $schema: "https://json-schema.org/draft/2020-12/schema", $id: "https://example.org/a", type: "object" })',
  'plumb.contract({ type: ["string", "null"], minLength: 1, pattern: "^a" })',
  'plumb.contract({ type: "array", minItems: 0, maxItems: 4, items: { $ref: "#/$defs/a" }, $defs: { a: true } })',
  'plumb.contract({ "x-foo": 1, $comment: "a", $lint: true, nullable: true, discriminator: { propertyName: "a" } })',
  'plumb.contract({ type: "string", example: "a", examples: ["a"], title: "A", description: "a" })',
  'plumb.contract({ if: { required: ["a"] }, then: false, else: { not: {} } })',
  "plumb.contract({ exclusiveMinimum: true, minimum: 1 }, { dialect: \"draft-04\" })",
  'plumb.contract({ dependencies: { a: ["b"], c: { type: "object" } } }, { dialect: "draft-07" })',
  'plumb.contract({ items: [{ type: "string" }, true], additionalItems: false }, { dialect: "draft-07" })',
  'plumb.contract({ properties: { requierd: { type: "string" }, type: { const: "objekt" } } })',
  'plumb.contract({ const: { requierd: 1 }, default: { type: "objekt" }, enum: [{ minItems: "4" }] })',
  'plumb.contract({ memberOf: { in: "1/options/*", fold: ["trim"] }, errorMessage: { memberOf: "no option" } })',
  'plumb.contract({ memberOf: { in: ["a", "b"], match: [{ this: "/a", that: "/b" }] } })',
  'plumb.contract({ distinct: { from: "/root", children: "/children/*", by: "/label", report: "each" } })',
  'plumb.contract({ rules: [{ id: "a", ask: "Is it?", each: "/a/*", severity: "warning", blocks: true }] })',
  'plumb.contract({ countOf: { in: "/a/*", equals: "/n" }, sumOf: { in: "/a/*", max: 5 }, edits: { fence: "certain" } })',
  'plumb.contract({ avoids: ["vague"], length: { min: 2 }, facts: { min: 1, kinds: ["number"] }, mentions: { any: "/a" } })',
  "plumb.contract(foreign)",
  "plumb.contract(quiz)",
  'quiz.check("{}", { edits: { default: "certain", innerQuote: "guess" }, limits: { depthMax: 5 } })',
  "quiz.check({ questions: [] })",
  'author.sample(quiz, { rule: "minItems" })',
  'author.sample(quiz, { kind: "broken", rule: "/properties/questions/minItems" })',
  "author.sample(quiz, { rule: author.breakableRules(quiz)[0] })",
  'author.sample(quiz, { kind: "rich", seed: 4, count: 2 })',
];

const declared = `
import { load, type Author, type Contract, type Plumb, type Schema, type StandardJsonSchemaLike } from "@plumbline/plumbline";
interface Quiz { questions: { question: string }[] }
declare const plumb: Plumb, author: Author, quiz: Contract, bytes: Uint8Array, wasmModule: WebAssembly.Module, fetched: Promise<string>;
declare const someName: string, someSchema: Schema, someNameOrSchema: string | Schema, foreign: StandardJsonSchemaLike<{ a: number }>;
const readOfAFile = { type: "object", properties: { a: { type: "string", minLength: 1, severity: "warning" } }, required: ["a"] };
function wrapped<T>(schema: Schema): Contract<T> { return plumb.contract<T>(schema); }
void [load, plumb, author, quiz, bytes, wasmModule, fetched, someName, someSchema, someNameOrSchema, foreign, readOfAFile, wrapped];
`;

const folder = mkdtempSync(join(tmpdir(), "plumb-mistakes-"));
after(() => rmSync(folder, { recursive: true }));

test("each mistake does not compile, and what is none does", async () => {
  givePackage(folder);
  const file = join(folder, "all.mts");
  const snippets = [...refused, ...accepted];
  writeFileSync(file, `${declared}${snippets.map((one) => `void (${one});`).join("\n")}\n`);
  const { default: ts } = await tool("typescript");
  const options = {
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    strict: true, exactOptionalPropertyTypes: false, noEmit: true, types: [], preserveSymlinks: true,
  };
  const program = ts.createProgram([file], options);
  const wrong = new Map();
  for (const found of ts.getPreEmitDiagnostics(program)) {
    assert.equal(found.file?.fileName, file, ts.flattenDiagnosticMessageText(found.messageText, " "));
    const { line } = found.file.getLineAndCharacterOfPosition(found.start);
    wrong.set(line - declared.split("\n").length + 1, ts.flattenDiagnosticMessageText(found.messageText, " "));
  }
  const compiled = refused.filter((_, i) => !wrong.has(i));
  assert.deepEqual(compiled, [], "these compile");
  const rejected = accepted.map((one, i) => [one, wrong.get(refused.length + i)]).filter(([, why]) => why !== undefined);
  assert.deepEqual(rejected, [], "these do not");
  assert.ok(refused.length >= 40 && accepted.length >= 40);
  // It says what was meant.
  const told = (snippet) => wrong.get(refused.indexOf(snippet));
  assert.match(told('plumb.contract({ type: "object", requierd: ["a"] })'), /did you mean required\?/);
  assert.match(told('load({ moduel: "/x.wasm" })'), /no such option of load\(\)/);
});

test("each element has its type by its tag, and its events have theirs", async () => {
  const own = join(folder, "elements");
  givePackage(own);
  const file = join(own, "all.mts");
  writeFileSync(
    file,
    `import "@plumbline/plumbline/preview"; import "@plumbline/plumbline/edit"; import "@plumbline/plumbline/intake"; import "@plumbline/plumbline/budget";
    import type { Plumb } from "@plumbline/plumbline";
    declare const plumb: Plumb;
    const preview = document.querySelector("plumb-preview")!, edit = document.createElement("plumb-edit");
    const intake = document.querySelector("plumb-intake")!, budget = document.createElement("plumb-budget");
    preview.addEventListener("plumb-finding", ({ detail }) => detail.decidedAt satisfies number);
    edit.addEventListener("plumb-fix", ({ detail }) => detail.title satisfies string);
    intake.addEventListener("plumb-verdict", ({ detail }) => detail.valid satisfies boolean);
    intake.addEventListener("plumb-reply", ({ detail }) => detail.call?.tool);
    budget.addEventListener("plumb-budget-change", ({ detail }) => detail.elements.length satisfies number);
    budget.addEventListener("plumb-reply", ({ detail }) => detail.error satisfies string | undefined);
    preview.fail("cut off");
    intake.fulfil = budget.fulfil = plumb.viaProxy("https://proxy.example.org", { model: "fast", token: () => "t" });
    budget.request = { messages: [{ role: "user", content: "a" }], output_tokens_max: 5 };
    void [intake.cost?.input_tokens, budget.cost?.output_tokens_max, intake.judged[0]?.holds];
    // @ts-expect-error no such member
    preview.addEventListener("plumb-finding", ({ detail }) => detail.decided);
    // @ts-expect-error a verdict has no title
    edit.addEventListener("plumb-verdict", ({ detail }) => detail.title);
    // @ts-expect-error a function
    intake.fulfil = "https://proxy.example.org";
    // @ts-expect-error messages are a list
    budget.request = { messages: "a" };
    // @ts-expect-error read-only
    intake.cost = null;
    // @ts-expect-error no such member
    preview.contrakt = "quiz";
    export {};`,
  );
  const { default: ts } = await tool("typescript");
  const program = ts.createProgram([file], { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], strict: true, noEmit: true, types: [], preserveSymlinks: true });
  assert.deepEqual(ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " ")), []);
});

test("the names that compile are those of the built-in contracts", async () => {
  const { load } = await importPackage();
  const file = join(folder, "names.mts");
  const names = (await load()).contracts.map(({ name }) => name);
  writeFileSync(file, `import type { BuiltInName } from "@plumbline/plumbline";
    type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
    export const same: Same<BuiltInName, ${names.map((name) => JSON.stringify(name)).join(" | ")}> = true;`);
  givePackage(join(folder, "names"));
  const { default: ts } = await tool("typescript");
  const program = ts.createProgram([file], { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], strict: true, noEmit: true, types: [], preserveSymlinks: true });
  assert.deepEqual(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText), []);
});

test("what does not compile is refused when it runs, or the contract warns of it", async () => {
  const { load } = await importPackage();
  const plumb = await load();
  const author = await plumb.author();
  const quiz = plumb.contract("quiz");
  const fetched = Promise.resolve("{}");
  for (const snippet of refused) {
    const run = new Function("load", "plumb", "author", "quiz", "fetched", `return (${snippet});`);
    let told;
    try {
      const made = await run(load, plumb, author, quiz, fetched);
      told = made?.warnings?.map(({ message }) => message).join("; ");
    } catch (error) {
      told = error.message;
      assert.ok(/Plumb/.test(error.name), `${snippet}: ${error}`);
    }
    assert.ok(told, `${snippet} passes`);
  }
});
