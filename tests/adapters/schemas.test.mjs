// Schemas of other libraries become contracts, whose findings have places and bytes; and are typed by them.
import { type } from "arktype";
import assert from "node:assert/strict";
import test from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import * as z from "zod";
import * as z3 from "zod/v3";
import { plumb } from "./support.mjs";

const schemas = {
  zod: z.object({ name: z.string().min(2), tags: z.array(z.enum(["a", "b"])).optional() }),
  valibot: toStandardJsonSchema(v.object({ name: v.pipe(v.string(), v.minLength(2)), tags: v.optional(v.array(v.picklist(["a", "b"]))) })),
  arktype: type({ name: "string >= 2", "tags?": "('a' | 'b')[]" }),
};

for (const [library, schema] of Object.entries(schemas)) {
  test(`a schema of ${library} is a contract`, () => {
    const contract = plumb.contract(schema);
    const verdict = contract.check('{"name": "Ada", "tags": ["a"]}');
    assert.deepEqual([verdict.valid, verdict.value], [true, { name: "Ada", tags: ["a"] }]);
    const { findings } = contract.check('{"name": "A", "tags": ["c"]}');
    assert.deepEqual(findings.map(({ at }) => at), ["/name", "/tags/0"]);
    assert.equal(findings[1].span.column, 24);
    assert.throws(() => contract.check(schema), { code: "invalid_argument", message: /belongs into plumb\.contract\(\)/ });
  });
}

test("a transform is judged before it, and a schema without a JSON Schema is told", () => {
  const trimmed = plumb.contract(z.object({ n: z.string().transform(Number) }));
  assert.equal(trimmed.check('{"n": "5"}').valid, true);
  assert.equal(trimmed.check('{"n": 5}').valid, false);
  assert.throws(() => plumb.contract(z.object({ when: z.date() })), { code: "invalid_contract", message: /schema of zod .*[Dd]ate/ });
  assert.throws(() => plumb.contract(z3.object({})), { code: "invalid_argument", message: /zod.*z\.toJSONSchema/ });
  assert.throws(() => plumb.contract(v.string()), { code: "invalid_argument", message: /valibot.*toStandardJsonSchema/ });
});
