// The API as its types and README promise it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { cleanQuiz, faultyQuiz, faultyQuizMessages, importPackage, npm, tool, top } from "./support.mjs";

const { load, keywords, PlumbError } = await importPackage();
const plumb = await load();
const quiz = plumb.contract("quiz");

test("the seed's faulty quiz gives the seed's messages, in its order", () => {
  const verdict = quiz.check(faultyQuiz);
  assert.equal(verdict.valid, false);
  assert.equal(verdict.decision, "revise");
  assert.deepEqual(
    verdict.findings.map((finding) => finding.message),
    faultyQuizMessages,
  );
});

test("a finding's span is the place in the text, in bytes, UTF-16 units, lines and columns", () => {
  const text = '{\n "a": "\u{1F600}",\r\n "b": 5 }';
  const { findings } = plumb.contract({ properties: { b: { type: "string" } } }).check(text);
  assert.equal(findings.length, 1);
  const { span } = findings[0];
  assert.equal(text.slice(span.utf16From, span.utf16To), "5");
  assert.equal(new TextDecoder().decode(new TextEncoder().encode(text).slice(span.from, span.to)), "5");
  assert.deepEqual([span.line, span.column, span.lineTo, span.columnTo], [3, 7, 3, 8]);
});

test("text, bytes, an ArrayBuffer, a view and a value give the same verdict", () => {
  const bytes = new TextEncoder().encode(faultyQuiz);
  const padded = new Uint8Array(bytes.length + 10);
  padded.set(bytes, 5);
  const whole = quiz.check(faultyQuiz);
  assert.deepEqual(quiz.check(bytes), whole);
  assert.deepEqual(quiz.check(bytes.buffer), whole);
  assert.deepEqual(quiz.check(Buffer.from(bytes)), whole);
  assert.deepEqual(quiz.check(new DataView(padded.buffer, 5, bytes.length)), whole);
  const { text, ...rest } = quiz.check(JSON.parse(faultyQuiz));
  assert.equal(text, JSON.stringify(JSON.parse(faultyQuiz)));
  assert.deepEqual(rest, quiz.check(text));
});

test("a verdict is plain data: stringified, cloned and spread alike, small or large", () => {
  const many = JSON.stringify({ questions: Array.from({ length: 60 }, () => ({})) });
  for (const verdict of [quiz.check(cleanQuiz(1)), quiz.check(faultyQuiz), quiz.check(many)]) {
    const plain = JSON.parse(JSON.stringify(verdict));
    assert.deepEqual(structuredClone(verdict), plain);
    assert.deepEqual({ ...verdict }, plain);
    assert.deepEqual(Object.keys(verdict).slice(0, 9), [
      "contract",
      "hash",
      "valid",
      "decision",
      "findings",
      ...(verdict.more ? ["more"] : []),
      "edits",
      "undecided",
      "scorecard",
      ...(verdict.more ? [] : ["labels"]),
    ]);
  }
});

test("a verdict stringified is what render writes as jsonl", () => {
  for (const text of [cleanQuiz(1), faultyQuiz, "[", "", "null", '{"questions":[]}']) {
    const verdict = quiz.check(text);
    assert.equal(quiz.render(verdict, "jsonl"), `${JSON.stringify(verdict)}\n`);
  }
});

test("a verdict without anything to tell is written by the loader as the module would", () => {
  const any = plumb.contract(true);
  const verdict = any.check("1");
  assert.equal(any.render(verdict, "jsonl"), `${JSON.stringify(verdict)}\n`);
  assert.equal(verdict.hash, any.hash);
  assert.deepEqual([verdict.valid, verdict.decision], [true, "accept"]);
});

test("artifacts that are fine, one after the other: each has a verdict of its own, whatever was between them", () => {
  const fine = cleanQuiz(2);
  const other = plumb.contract({
    properties: { a: { rules: [{ id: "good", title: "Good", ask: "Is it good \u2028 and \u007f?" }] } },
    rules: [{ id: "three", ask: "Is it three?", check: { required: ["b"] } }],
  });
  const silent = plumb.contract({ properties: { questions: { maxItems: 3 } } });
  for (const contract of [quiz, other, plumb.contract("mindmap"), silent]) {
    const texts = contract === other ? ['{"a":1,"b":2}', '{"a":1,"b":3}', '{"b":3}', "{}", '{"a":2}'] : [fine, faultyQuiz, "1"];
    const alone = texts.map((text) => plumb.contract(contract.text, { name: contract.name }).check(text));
    for (const order of [[0, 0, 1, 0], [0, 1, 1, 0, 2, 0, 0, 2, 2, 1], [2, 2, 0, 0, 1, 0]]) {
      for (const i of order) {
        const stream = contract.stream();
        stream.push(texts[i]);
        for (const verdict of [contract.check(texts[i]), stream.end()]) {
          assert.deepEqual(verdict, alone[i]);
          assert.equal(JSON.stringify(verdict), JSON.stringify(alone[i]));
          assert.equal(contract.render(verdict, "jsonl", { file: "f" }), contract.render(alone[i], "jsonl", { file: "f" }));
          // What its reader does with one does not show in the next.
          verdict.findings.push({});
          verdict.undecided.forEach((one) => (one.rule = "mine"));
          verdict.undecided.length = 0;
          verdict.scorecard.forEach((one) => (one.outcome = "holds"));
          verdict.labels.mine = "x";
        }
      }
    }
  }
});

test("verdicts stay as they are when other artifacts are checked after them", () => {
  const first = quiz.check(faultyQuiz);
  quiz.check("[]");
  quiz.check(cleanQuiz(3));
  assert.deepEqual(
    first.findings.map((finding) => finding.message),
    faultyQuizMessages,
  );
});

test("texts larger than the buffer are judged whole, also when a pair of surrogates stands at the edge", () => {
  const any = plumb.contract({ items: { type: "integer" } });
  for (const pad of [0, 1, 2, 3]) {
    const text = `${" ".repeat(pad)}[1,"${"\u{1F600}".repeat(200_000)}",2]`;
    const verdict = any.check(text);
    assert.deepEqual(
      verdict.findings.map((finding) => [
        finding.rule,
        text.slice(finding.span.utf16From, finding.span.utf16To).length,
      ]),
      [["type", 400_002]],
    );
    assert.deepEqual(any.check(new TextEncoder().encode(text)), verdict);
  }
});

test("a lone surrogate is a finding, never U+FFFD in silence", () => {
  const any = plumb.contract(true);
  assert.equal(any.check('"\uFFFD"').valid, true);
  for (const lone of ['"a\uD800b"', '"\uDC00"', '"\uD800\uD800\uDC00"', `"${"x".repeat(100)}\uDFFF"`, '"\\ud800"']) {
    const verdict = any.check(lone);
    assert.equal(verdict.valid, false, JSON.stringify(lone));
    assert.ok(verdict.findings.length >= 1);
    assert.equal(any.render(verdict, "jsonl"), `${JSON.stringify(verdict)}\n`);
  }
});

test("a lone surrogate in a value is a finding too, however it is written", async () => {
  const plumb = await load();
  const any = plumb.contract(true);
  const values = [
    [`a\uD800b`, "loneSurrogate"],
    [{ [`${"x".repeat(300)}\uDFFF`]: "\u{1F600}" }, "loneSurrogate"],
  ];
  if ("rawJSON" in JSON) {
    values.push([JSON.rawJSON(`"${"x".repeat(300)}\uD800"`), "syntax"]);   // no escape, so no UTF-8 either
  }
  for (const [value, rule] of values) {
    const verdict = any.check([value]);
    assert.equal(verdict.valid, false);
    assert.deepEqual(verdict.findings.map((one) => one.rule), [rule]);
    assert.equal(verdict.text.includes("\uFFFD"), false);
  }
  assert.equal(any.check(["\u{1F600}".repeat(300)]).valid, true);
});

test("bytes that are no UTF-8 are a finding", () => {
  const verdict = plumb.contract(true).check(new Uint8Array([0x22, 0xff, 0x22]));
  assert.equal(verdict.valid, false);
  assert.deepEqual(
    verdict.findings.map((finding) => finding.rule),
    ["syntax"],
  );
});

test("a contract as text keeps its numbers; as a value it is what JSON.stringify writes", () => {
  const exact = plumb.contract('{"maximum": 12345678901234567890123}');
  assert.equal(exact.check("12345678901234567890123").valid, true);
  assert.equal(exact.check("12345678901234567890124").valid, false);
  assert.equal(plumb.contract({ maximum: 3 }).text, '{"maximum":3}');
  assert.equal(plumb.contract(new TextEncoder().encode(' {"maximum": 3} ')).text, ' {"maximum": 3} ');
});

test("an invalid contract is refused with the place", () => {
  const text = '{\n  "properties": {\n    "a": { "minItems": -1 }\n  }\n}';
  assert.throws(
    () => plumb.contract(text),
    (error) => {
      assert.ok(error instanceof PlumbError);
      assert.equal(error.code, "invalid_contract");
      assert.equal(error.where, "/properties/a/minItems");
      assert.equal(error.line, 3);
      assert.ok(error.message.length > 10);
      return true;
    },
  );
  assert.throws(() => plumb.contract("{ nonsense"), { code: "invalid_contract" });
});

test("a name that is not there tells what is there", () => {
  assert.throws(() => plumb.contract("quizz"), { code: "not_found", message: /quiz/ });
  assert.throws(() => plumb.contract("[1]"), { code: "not_found" });
  assert.throws(() => plumb.contract(undefined), { name: "PlumbError" });
});

test("documents are found by their URI, and nothing is fetched", () => {
  const schema = { $ref: "https://example.org/card.json" };
  assert.throws(() => plumb.contract(schema), { code: /invalid_contract|not_found/ });
  const card = plumb.contract(schema, { documents: { "https://example.org/card.json": { type: "string" } } });
  assert.equal(card.check('"a"').valid, true);
  assert.equal(card.check("1").valid, false);
  const exact = plumb.contract(schema, { documents: { "https://example.org/card.json": '{"const": 1e400}' } });
  assert.equal(exact.check("10e399").valid, true);
});

test("options: dialect, assertFormats, name", () => {
  const tuple = { items: [{ type: "integer" }] };
  assert.equal(plumb.contract(tuple, { dialect: "draft-07" }).check('["a"]').valid, false);
  assert.throws(() => plumb.contract(tuple, { dialect: "2020-12" }), { code: "invalid_contract" });
  assert.throws(() => plumb.contract(tuple, { dialect: "draft-3" }), { code: "invalid_argument" });
  const date = { format: "date" };
  assert.equal(plumb.contract(date).check('"yesterday"').valid, true);
  assert.equal(plumb.contract(date, { assertFormats: true }).check('"yesterday"').valid, false);
  assert.equal(plumb.contract(true, { name: "anything" }).check("1").contract, "anything");
  assert.equal(plumb.contract({ $id: "plumb:mine" }).name, "mine");
});

test("context: a rule reads it; without it the rule is undecided and says what it wants", () => {
  const contract = plumb.contract({ type: "string", memberOf: { in: "context:/queries/*" } });
  assert.deepEqual(contract.context, ["context:/queries/*"]);
  assert.equal(contract.check('"a"', { context: { queries: ["a", "b"] } }).valid, true);
  assert.equal(contract.check('"c"', { context: '{"queries":["a","b"]}' }).valid, false);
  assert.equal(contract.check('"a"', { context: { queries: ["a", "b"] } }).valid, true);
  const without = contract.check('"a"');
  assert.equal(without.decision, "undecided");
  assert.equal(without.undecided[0].wantsContext, "context:/queries/*");
  assert.throws(() => contract.check('"a"', { context: "{" }), { name: "PlumbError", line: 1 });
});

test("limits: reaching one is a finding and the decision undecided", () => {
  const any = plumb.contract(true);
  const deep = "[".repeat(50) + "]".repeat(50);
  assert.equal(any.check(deep).decision, "accept");
  const verdict = any.check(deep, { limits: { depthMax: 10 } });
  assert.equal(verdict.decision, "undecided");
  assert.deepEqual(
    verdict.findings.map((finding) => finding.rule),
    ["limit"],
  );
  assert.equal(any.check(deep).decision, "accept");
  assert.equal(any.check('"abcdef"', { limits: { bytesMax: 4 } }).decision, "undecided");
  assert.throws(() => any.check("1", { limits: { depthMax: 1.5 } }), { code: "invalid_argument" });
  assert.throws(() => any.check("1", { limits: { depthMax: -1 } }), { code: "invalid_argument" });
});

test("findings beyond the limit are counted by rule", () => {
  const verdict = plumb
    .contract({ items: { type: "string" } })
    .check(`[${"1,".repeat(99)}1]`, { limits: { findingsMax: 10 } });
  assert.equal(verdict.findings.length, 10);
  assert.deepEqual(verdict.more, { type: 90 });
});

test("values that JSON cannot hold are refused with a reason", () => {
  const any = plumb.contract(true);
  const circle = {};
  circle.self = circle;
  for (const value of [undefined, () => 1, Symbol("s"), 1n, circle]) {
    assert.throws(() => any.check(value), { name: "PlumbError", code: "invalid_argument" });
  }
  assert.equal(any.check(null).text, "null");
});

test("what is given by mistake is refused by its name, and never valid", async () => {
  const any = plumb.contract({});
  const refused = (call, message) => assert.throws(call, { name: "PlumbError", code: "invalid_argument", message });
  const zod = { _def: {}, safeParse: () => undefined, "~standard": { vendor: "zod" } };
  for (const [value, message] of [
    [Promise.resolve("{}"), /a promise, .*; await it first/],
    [new Response("{}"), /a response, .*await response\.text\(\)/],
    [new Request("http://127.0.0.1/", { method: "POST", body: "{}" }), /a request, .*await request\.text\(\)/],
    [new Blob(["{}"]), /a blob, /],
    [new ReadableStream(), /a stream, .*contract\.stream\(\)/],
    [zod, /a zod schema, .*(?:z\.toJSONSchema|plumb\.contract\(\))/],
    [{ "~standard": { vendor: "valibot" } }, /a schema of valibot, .*(?:toStandardJsonSchema|plumb\.contract\(\))/],
    [new Map([["a", 1]]), /Object\.fromEntries/],
    [new Set([1]), /\[\.\.\.set\]/],
    [new Error("x"), /an Error/],
    [[1].values(), /an iterator/],
  ]) {
    refused(() => any.check(value), message);
    refused(() => any.check("{}", { context: value }), /the context is /);
    refused(() => plumb.contract(value), /a contract is /);
  }
  refused(() => any.check(undefined), /undefined/);
  const stream = any.stream();
  refused(() => stream.push(undefined), /push\(delta \?\? ""\)/);
  refused(() => stream.push(null), /not null/);
  refused(() => stream.push({ choices: [] }), /chunk\.choices\[0\]\.delta\.content/);
  refused(() => stream.push(Promise.resolve("1")), /a promise/);
  refused(() => stream.push(1), /String\(value\)/);
  refused(() => plumb.render(Promise.resolve(any.check("1")), "jsonl"), /a verdict is a promise/);
  stream.push("1");
  assert.equal(stream.end().valid, true); // what was refused left nothing behind
  assert.equal(any.check(new Date(0)).text, '"1970-01-01T00:00:00.000Z"');
});

test("the contracts that are built in can be listed, read and used", () => {
  assert.ok(plumb.contracts.length >= 3);
  for (const { name, title, text } of plumb.contracts) {
    assert.ok(title.length > 0);
    const contract = plumb.contract(name);
    assert.equal(contract.name, name);
    assert.equal(contract.title, title);
    assert.equal(contract.text, text);
    assert.match(contract.hash, /^sha256:[0-9a-f]{64}$/);
    assert.equal(plumb.contract(text).hash, contract.hash);
    assert.deepEqual(contract.warnings, []);
  }
  assert.deepEqual(
    plumb.contracts.map((one) => one.name),
    plumb.contracts.map((one) => one.name).sort(),
  );
});

test("the keywords are those of the vocabulary's meta-schema, and all that ajv has to be told for the built-in contracts", async () => {
  const { properties } = JSON.parse(readFileSync(join(top, "core/contracts/meta/vocabulary.json"), "utf8"));
  assert.deepEqual([...keywords].sort(), Object.keys(properties).sort());
  assert.ok(Object.isFrozen(keywords));
  assert.deepEqual(plumb.keywords, keywords);
  const { default: imported } = await tool("ajv/dist/2020.js");
  const Ajv2020 = imported.default ?? imported;
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false, strictRequired: false });
  ajv.addVocabulary([...keywords]);
  for (const { text } of plumb.contracts) {
    assert.equal(typeof ajv.compile(JSON.parse(text)), "function");
  }
});

test("a near miss of a keyword is a warning with the place", () => {
  const { warnings } = plumb.contract({ type: "array", minItem: 3 });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0].message, /minItems/);
  assert.equal(warnings[0].at, "/minItem");
});

test("render: json, jsonl and feedback, with file, tool and action", () => {
  const verdict = quiz.check(faultyQuiz);
  assert.equal(JSON.parse(quiz.render(verdict, "json", { file: "a" })).verdicts[0].file, "a");
  assert.equal(JSON.parse(quiz.render(verdict, "jsonl", { file: "a" })).file, "a");
  const feedback = JSON.parse(quiz.render(verdict, "llm", { tool: "submit_quiz" }));
  assert.equal(feedback.issue_count, 3);
  assert.match(feedback.action, /submit_quiz/);
  const [options] = JSON.parse(faultyQuiz).questions.map((question) => question.options);
  assert.deepEqual(JSON.parse(feedback.issues.invalid[0].provided), options); // the value itself, not its size
  const streamed = quiz.stream();
  streamed.push(faultyQuiz);
  assert.deepEqual(JSON.parse(quiz.render(streamed.end(), "llm", { tool: "submit_quiz", text: faultyQuiz })), feedback);
  assert.equal(JSON.parse(quiz.render(verdict, "llm", { action: "Write it anew." })).action, "Write it anew.");
  assert.throws(() => quiz.render(verdict, "yaml"), { code: "invalid_argument", message: /sarif/ });
  assert.throws(() => quiz.render(verdict, "sarif"), { code: "invalid_argument", message: /author\(\)/ });
});

test("render: the text of a value that was judged is not written, nor lost from the verdict", () => {
  const { text, ...written } = quiz.check({});
  assert.equal(text, "{}");
  assert.deepEqual(JSON.parse(quiz.render(quiz.check({}), "jsonl")), written);
  const clean = plumb.contract(true).check({});
  assert.equal("text" in JSON.parse(plumb.render(structuredClone(clean), "jsonl")), false);
});

test("author: every format, with file and style", async () => {
  const verdict = quiz.check(faultyQuiz);
  const author = await plumb.author();
  assert.equal(await plumb.author(), author);
  const text = author.render(verdict, "text", { file: "quiz.json" });
  for (const message of faultyQuizMessages) {
    assert.ok(text.includes(message));
  }
  assert.ok(text.includes("quiz.json:"));
  assert.ok(!text.includes("\x1b["));
  assert.ok(author.render(verdict, "text", { color: true }).includes("\x1b["));
  assert.match(author.render(verdict, "text", { ascii: true }), /^[\x00-\x7f]*$/);
  assert.equal(JSON.parse(author.render(verdict, "sarif", { file: "a" })).version, "2.1.0");
  assert.match(author.render(verdict, "junit", { file: "a" }), /^<\?xml/);
  assert.match(author.render(verdict, "github", { file: "a" }), /^::error file=a,/);
  for (const format of ["json", "jsonl", "llm"]) {
    assert.equal(author.render(verdict, format), quiz.render(verdict, format));
  }
  assert.throws(() => author.render(verdict, "yaml"), { code: "invalid_argument" });
});

test("author: what a rule means", async () => {
  const author = await plumb.author();
  const one = author.explain("minItems");
  assert.equal(one.rule, "minItems");
  assert.equal(plumb.contract(one.contract).check(one.artifact).findings[0].rule, "minItems");
  assert.equal(author.explain("no such rule"), undefined);
  assert.ok(author.explanations.length > 60);
});

test("author: samples are accepted, broken ones break their rule alone, and a seed gives the same again", async () => {
  const author = await plumb.author();
  for (const kind of ["minimal", "rich"]) {
    const { made, notMade } = author.sample(quiz, { kind, count: 3, seed: 5 });
    assert.equal(made.length, 3);
    assert.equal(notMade.length, 0);
    for (const one of made) {
      assert.equal(quiz.check(one.artifact).findings.length, 0);
      assert.equal(author.sample(quiz, { kind, seed: one.seed }).made[0].artifact, one.artifact);
    }
  }
  const { made } = author.sample(quiz, { kind: "broken" });
  assert.equal(made.length, author.breakableRules(quiz).length);
  for (const one of made) {
    const findings = quiz.check(one.artifact).findings.filter((finding) => finding.shadowedBy === undefined);
    assert.deepEqual(
      findings.map((finding) => finding.schemaLocation),
      [one.schemaLocation],
    );
    assert.deepEqual(one.also, []);
  }
  const own = plumb.contract({ properties: { id: { memberOf: { in: "context:/ids/*" } } }, required: ["id"] });
  assert.equal(author.sample(own, { context: { ids: ["x7"] } }).made[0].artifact, '{"id":"x7"}');
  const one = author.sample(own, { kind: "minimal", indent: true }).made[0];
  assert.ok(JSON.parse(one.context).ids.includes(JSON.parse(one.artifact).id));
  assert.match(author.sample(plumb.contract(false)).notMade[0].reason, /false/);
  assert.throws(() => author.sample(quiz, { rule: "minItem" }), { code: "not_found", message: /did you mean/ });
  assert.throws(() => author.sample(quiz, { kind: "rich", rule: "minItems" }), { code: "invalid_argument" });
  assert.throws(() => author.sample(quiz, { seed: -1 }), { code: "invalid_argument" });
});

test("author: lint tells place, reason and fix, also of a text that is no contract", async () => {
  const author = await plumb.author();
  const text = '{\n  "type": "string",\n  "maxLength": 5,\n  "maximum": 3\n}';
  const report = author.lint(text, { file: "a.json" });
  assert.equal(report.file, "a.json");
  assert.equal(report.findings.length, 1);
  const [finding] = report.findings;
  assert.equal(finding.rule, "other-kind");
  assert.deepEqual([finding.at, finding.span.line, finding.span.column], ["/maximum", 4, 3]);
  assert.ok(finding.why.length > 20);
  const [edit] = finding.fix.edits;
  const fixed = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
  assert.equal(author.fix(text).text, fixed);
  assert.deepEqual(author.fix(text).done, ["Remove 'maximum' at /maximum"]);
  assert.equal(author.lint(fixed).findings.length, 0);
  assert.equal(author.lint({ type: "string", minLength: 9, maxLength: 5 }).findings[0].severity, "error");
  assert.equal(author.lint("{").findings[0].rule, "no-contract");
  assert.deepEqual(
    author.lint(quiz).findings.filter((one) => one.severity !== "info"),
    [],
  );
  for (const rule of author.lintRules) {
    const options = { targets: ["openai-strict"], promptTokensMax: 60 };
    assert.ok(author.lint(rule.bad, options).findings.some((one) => one.rule === rule.rule), rule.rule);
  }
});

test("render takes several verdicts with their files", async () => {
  const all = [
    { file: "a.json", verdict: quiz.check(faultyQuiz) },
    { file: "b.json", verdict: quiz.check(cleanQuiz(1)) },
  ];
  assert.equal(JSON.parse(plumb.render(all, "json")).verdicts.length, 2);
  assert.equal(plumb.render(all, "jsonl").split("\n").length, 3);
  const author = await plumb.author();
  assert.equal(JSON.parse(author.render(structuredClone(all), "sarif")).runs.length, 1);
});

test("a contract that was disposed of says so; streams that are open go on", () => {
  const contract = plumb.contract({ type: "string" });
  const stream = contract.stream();
  stream.push("1");
  contract.dispose();
  contract.dispose();
  assert.throws(() => contract.check("1"), { code: "invalid_argument", message: /disposed/ });
  assert.equal(stream.end().valid, false);
  if (typeof Symbol.dispose === "symbol") {
    assert.equal(typeof contract[Symbol.dispose], "function");
    assert.equal(typeof stream[Symbol.dispose], "function");
  }
});

test("load takes a path, a URL, bytes, a response, a WebAssembly.Module and promises of them", async () => {
  const path = join(npm, "dist/plumb-check.wasm");
  const bytes = readFileSync(path);
  const response = () => new Response(bytes, { headers: { "content-type": "application/wasm" } });
  const sources = [
    path,
    new URL(`file://${path}`),
    bytes,
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    response(),
    new Response(bytes),
    await WebAssembly.compile(bytes),
    Promise.resolve(response()),
  ];
  for (const source of sources) {
    assert.equal((await load(source)).contract(true).check("1").valid, true);
  }
});

test("load takes both modules, from wherever each of them comes", async () => {
  const check = join(npm, "dist/plumb-check.wasm");
  const author = join(npm, "dist/plumb-author.wasm");
  const bytes = readFileSync(author);
  let called = 0;
  for (const given of [
    { module: check },
    { authorModule: author },
    { module: readFileSync(check), authorModule: bytes },
    { module: await WebAssembly.compile(readFileSync(check)), authorModule: await WebAssembly.compile(bytes) },
    { authorModule: Promise.resolve(new Response(bytes)) },
    { authorModule: () => (++called, new Response(bytes)) },
  ]) {
    const both = await load(given);
    assert.equal(called, 0);
    const verdict = both.contract(true).check("1");
    assert.match((await both.author()).render(verdict, "junit"), /^<\?xml/);
    await both.author();
  }
  assert.equal(called, 1);
});

test("author() says why it cannot, and may be tried again", async () => {
  const check = join(npm, "dist/plumb-check.wasm");
  for (const [given, message] of [
    [() => "/nowhere/plumb-author.wasm", /plumb-author\.wasm at \/nowhere\/plumb-author\.wasm cannot be read: .*load\(\{ authorModule: address \}\)/],
    [() => Promise.reject(new Error("offline")), /offline/],
    [() => check, /it is not plumb-author\.wasm/],
  ]) {
    const both = await load({ authorModule: given() });
    await assert.rejects(both.author(), { message });
    assert.equal(both.contract(true).check("1").valid, true);
  }
  await assert.rejects(load(join(npm, "dist/plumb-budget.wasm")), { code: "unavailable", message: /plumb-check\.wasm/ });
  let attempts = 0;
  const late = await load({
    authorModule: () => (++attempts === 1 ? new Response("gone", { status: 503 }) : join(npm, "dist/plumb-author.wasm")),
  });
  await assert.rejects(late.author(), { code: "unavailable", message: /503/ });
  assert.equal((await late.author()).explain("type").rule, "type");
});

test("load says why it cannot", async () => {
  await assert.rejects(load("/nowhere/plumb-check.wasm"), { name: "PlumbError", code: "unavailable" });
  await assert.rejects(load(new Uint8Array([1, 2, 3])), { name: "PlumbError", code: "unavailable" });
  await assert.rejects(load(new Response("gone", { status: 404 })), { code: "unavailable", message: /404/ });
  await assert.rejects(load({}), { code: "invalid_argument" });
  // Where it looked, what it found there, and what to do.
  await assert.rejects(load("/nowhere/plumb-check.wasm"), {
    where: "/nowhere/plumb-check.wasm",
    message: /^plumb-check\.wasm at \/nowhere\/plumb-check\.wasm cannot be read: .*load\(address\); docs\/bundlers\.md/,
  });
  await assert.rejects(load("data:text/html,<!doctype html><p>Not found"), {
    message: /at data:.* is no module that can be compiled .*begins with "<!doctype html><"\. Serve node_modules\/@plumbline\/plumbline/,
  });
  await assert.rejects(load(new Uint8Array([255, 216, 255, 1])), { message: /begins with ff d8 ff 01\./ });
  await assert.rejects(load(new Response("<html>", { headers: { "content-type": "application/wasm" } })), {
    message: /begins with "<html>"\./,
  });
  const other = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  await assert.rejects(load(other), { name: "PlumbError", code: "unavailable" });
});
