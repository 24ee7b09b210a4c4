// Contracts as Standard Schemas and Standard JSON Schemas, and the values of verdicts.
import assert from "node:assert/strict";
import test from "node:test";
import { readCases } from "./cases.mjs";
import { cleanQuiz, faultyQuiz, faultyQuizMessages, importPackage, seedArtifact, tool, top } from "./support.mjs";

const { load, PlumbError } = await importPackage();
const plumb = await load();
const author = await plumb.author();
const quiz = plumb.contract("quiz");
const dialects = { draft7: "draft-07", "draft-07": "draft-07", "2019-09": "2019-09", "2020-12": "2020-12" };
const targets = ["draft-2020-12", "draft-07"];
const pointer = (path) => path.map((one) => `/${String(one).replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");

test("a contract is a Standard Schema: right values come back, wrong ones with the findings' messages and places", () => {
  const { version, vendor, validate } = quiz["~standard"];
  assert.deepEqual([version, vendor], [1, "plumbline"]);
  const good = JSON.parse(cleanQuiz(3));
  assert.deepEqual(validate(good), { value: good });
  const value = JSON.parse(faultyQuiz);
  const { issues } = validate(value);
  assert.deepEqual(
    issues.map(({ message }) => message),
    faultyQuizMessages,
  );
  const { findings } = quiz.check(value);
  assert.deepEqual(
    issues.map(({ path }) => pointer(path)),
    findings.map(({ at }) => at),
  );
  assert.deepEqual(issues[1].path, ["questions", 1, "options"]);
  const odd = plumb.contract({ additionalProperties: { type: "array", items: { type: "number" } } })["~standard"];
  assert.deepEqual(odd.validate({ "a/b~c": [1, "x"], 7: [] }).issues[0].path, ["a/b~c", 1]);
});

test("a string is a value there, and not JSON text", () => {
  const { validate } = plumb.contract({ type: "string" })["~standard"];
  assert.deepEqual(validate("[]"), { value: "[]" });
  assert.equal(validate([]).issues.length, 1);
  assert.equal(plumb.contract({ type: "array" }).check("[]").valid, true);
});

test("nothing passes that was not looked at: misuse, missing context and limits are issues", () => {
  const any = plumb.contract({});
  const circle = {};
  circle.self = circle;
  for (const [value, message] of [
    [undefined, /undefined/],
    [Promise.resolve({}), /promise/],
    [new Map(), /Map/],
    [circle, /JSON/],
    [1n, /BigInt/],
  ]) {
    const { issues } = any["~standard"].validate(value);
    assert.match(issues[0].message, message);
  }
  const known = plumb.contract({ memberOf: { in: "context:/known/*" } });
  assert.match(known["~standard"].validate("a").issues[0].message, /memberOf could not be decided: .*context:\/known/);
  const given = known.standard({ context: { known: ["a"] } })["~standard"];
  assert.deepEqual(given.validate("a"), { value: "a" });
  assert.equal(given.validate("b").issues.length, 1);
  const bounded = any.standard({ limits: { depthMax: 2 } })["~standard"];
  assert.equal(bounded.validate([[[[1]]]]).issues.length, 1);
  const judged = plumb.contract({ rules: [{ id: "kind", title: "Kind", ask: "Is it kind?" }] });
  assert.deepEqual(judged["~standard"].validate("a"), { value: "a" });
});

test("its JSON Schema is the author module's, for every built-in contract and every case", () => {
  const count = { same: 0, refusedByBoth: 0, refused: 0, refusedByTheirs: 0, more: 0 };
  const contracts = plumb.contracts.map(({ name }) => [name, () => plumb.contract(name)]);
  for (const { place, contract, documents, options, refused } of readCases(top)) {
    if (contract !== undefined && !refused) {
      contracts.push([place, () => plumb.contract(contract, { documents, dialect: dialects[options.dialect] ?? "2020-12" })]);
    }
  }
  for (const [name, make] of contracts) {
    let contract;
    try {
      contract = make();
    } catch {
      continue; // it wants options that are not looked at here
    }
    let theirs;
    let left = false;
    try {
      const { text, residual } = author.derive(contract, "openai");
      theirs = JSON.parse(text).json_schema.schema;
      left = residual.some(({ keyword }) => /^(?:oneOf|not|if|contains|unevaluated.*)$/.test(keyword));
    } catch {
      // The native part refuses it, and names a place.
    }
    let mine;
    try {
      const { $schema, ...schema } = contract["~standard"].jsonSchema.output({ target: "draft-2020-12" });
      assert.match($schema, /2020-12/);
      mine = schema;
    } catch (error) {
      assert.ok(error instanceof PlumbError, `${name}: ${error.stack}`);
      assert.match(error.message, /^[\w$-]+ at \/.* cannot be written as JSON Schema draft-2020-12: /, name);
      ++count[theirs === undefined ? "refusedByBoth" : "refused"];
      continue;
    }
    if (theirs === undefined) {
      assert.match(contract.text, /"\$ref"/, name); // a part of another document, whose root nothing refers to
      ++count.refusedByTheirs;
      continue;
    }
    if (left) {
      ++count.more; // theirs leaves the whole oneOf or if out, and ours says some of it
      continue;
    }
    assert.deepEqual(mine, theirs, name);
    ++count.same;
  }
  assert.ok(count.same > 200, JSON.stringify(count));
  assert.ok(count.refused < count.same / 10, JSON.stringify(count));
  console.log(`           ${JSON.stringify(count)}`);
});

test("what a contract accepts ajv accepts by its JSON Schema, in either draft; and shape is refused there too", async () => {
  const load2020 = await tool("ajv/dist/2020.js");
  const load7 = await tool("ajv");
  const Ajv = {
    "draft-2020-12": (load2020.default ?? load2020).default ?? load2020.default,
    "draft-07": (load7.default ?? load7).default ?? load7.default,
  };
  for (const target of targets) {
    const ajv = new Ajv[target]({ strict: false, validateFormats: false });
    const check = ajv.compile(quiz["~standard"].jsonSchema.input({ target }));
    assert.equal(check(JSON.parse(seedArtifact("quiz_repaired.json"))), true);
    assert.equal(check(JSON.parse(faultyQuiz)), false); // three options
    for (const { name } of plumb.contracts) {
      const contract = plumb.contract(name);
      const valid = ajv.compile(contract["~standard"].jsonSchema.input({ target }));
      for (const { artifact } of author.sample(contract, { kind: "rich", count: 5 }).made) {
        assert.ok(valid(JSON.parse(artifact)), `${name}: ${ajv.errorsText(valid.errors)}`);
      }
    }
  }
});

test("draft 7 says in its own words what it can, and throws what it cannot", () => {
  const derive = (schema) => {
    const { $schema, ...made } = plumb.contract(schema)["~standard"].jsonSchema.input({ target: "draft-07" });
    return made;
  };
  assert.deepEqual(derive({ prefixItems: [true, { type: "null" }], items: false }), {
    items: [true, { type: "null" }],
    additionalItems: false,
  });
  assert.deepEqual(derive({ dependentRequired: { a: ["b"] }, dependentSchemas: { a: { minProperties: 3 } } }), {
    dependencies: { a: { required: ["b"], allOf: [{ minProperties: 3 }] } },
  });
  assert.deepEqual(derive({ properties: { a: { $ref: "#/$defs/b", maximum: 3 } }, $defs: { b: { minimum: 1 } } }), {
    properties: { a: { maximum: 3, allOf: [{ $ref: "#/definitions/b" }] } },
    definitions: { b: { minimum: 1 } },
  });
  assert.deepEqual(derive({ oneOf: [{ notBlank: true }, { type: "null" }] }), { allOf: [{ anyOf: [{}, { type: "null" }] }] });
  for (const [schema, keyword] of [
    [{ unevaluatedProperties: false }, "unevaluatedProperties"],
    [{ contains: true, minContains: 2 }, "minContains"],
    [{ contains: true, maxContains: 2 }, "maxContains"],
    [{ not: { properties: { a: { notBlank: true } } } }, "notBlank"],
    [{ contains: { $ref: "#/$defs/a" }, maxContains: 3, $defs: { a: { distinct: true } } }, "distinct"],
    [{ if: { properties: { a: { notBlank: true } } }, then: false }, "notBlank"],
    [{ $dynamicRef: "#a", $defs: { a: { $dynamicAnchor: "a" } } }, "$dynamicRef"],
  ]) {
    assert.throws(() => derive(schema), { code: "invalid_argument", message: new RegExp(`^${keyword.replace("$", "\\$")} at /`) });
  }
  assert.throws(() => quiz["~standard"].jsonSchema.input({ target: "openapi-3.0" }), { message: /draft-2020-12 and draft-07/ });
});

test("a Standard JSON Schema of another library becomes a contract, and one that cannot be turned is told", () => {
  const foreign = (input) => ({ "~standard": { version: 1, vendor: "other", jsonSchema: { input } } });
  const asked = [];
  const contract = plumb.contract(foreign((options) => (asked.push(options), { type: "string", minLength: 2 })));
  assert.deepEqual(asked, [{ target: "draft-2020-12" }]);
  assert.equal(contract.check('"a"').findings[0].rule, "minLength");
  assert.throws(
    () =>
      plumb.contract(
        foreign(() => {
          throw new Error("a date cannot be represented");
        }),
      ),
    { code: "invalid_contract", message: /schema of other cannot .*: a date/ },
  );
  const again = plumb.contract(quiz);
  assert.deepEqual([again.hash, again.name], [quiz.hash, "quiz"]);
});

test("a valid verdict has the value of what was judged, and no other has one", () => {
  const text = cleanQuiz(2);
  const value = JSON.parse(text);
  const bytes = new TextEncoder().encode(text);
  for (const artifact of [text, bytes, value, bytes.buffer]) {
    const verdict = quiz.check(artifact);
    assert.deepEqual(verdict.value, value);
    assert.equal(verdict.value, verdict.value);
    assert.ok(!("value" in JSON.parse(JSON.stringify(verdict))));
    assert.deepEqual(structuredClone(verdict).value, undefined);
  }
  const later = quiz.check(bytes);
  bytes.fill(32); // whoever gave them may use them again
  assert.deepEqual(later.value, value);
  const faulty = quiz.check(faultyQuiz);
  assert.equal(faulty.value, undefined);
  assert.ok(faulty.findings.every(({ message, provided }) => message.length > 0 && provided !== undefined));
  const fenced = quiz.check("```json\n" + text + "\n```", { edits: "certain" });
  assert.deepEqual(fenced.value, value);
  const harmless = plumb.contract({}).check('{"__proto__": {"a": 1}}').value;
  assert.deepEqual(Object.keys(harmless), ["__proto__"]);
  assert.equal({}.a, undefined);
});

test("a stream's verdict has the same value however it was cut, as text or as bytes", () => {
  const text = JSON.stringify({ "🌱": ["ü", "\u0000", 1.5e300, "🌱".repeat(400)] });
  const any = plumb.contract({});
  for (const size of [1, 2, 3, 7, 1 << 20]) {
    const stream = any.stream();
    for (let from = 0; from < text.length; from += size) stream.push(text.slice(from, from + size));
    assert.deepEqual(stream.end().value, JSON.parse(text));
    const pushed = any.stream();
    const bytes = new TextEncoder().encode(text);
    for (let from = 0; from < bytes.length; from += size) pushed.push(bytes.slice(from, from + size));
    assert.deepEqual(pushed.end().value, JSON.parse(text));
  }
  const long = any.stream();
  long.push("[");
  const megabyte = `"${"a".repeat((1 << 20) - 3)}",`;
  for (let i = 0; i < 65; ++i) long.push(megabyte);
  long.push("1]");
  const verdict = long.end();
  assert.equal(verdict.valid, true);
  assert.throws(() => verdict.value, { code: "limit", message: /64 MB/ });
});
