// What goes over to a provider of another wire of a schema that the client wants enforced, and who judges the rest.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import OpenAI from "openai";
import { Proxy, test } from "./support.mjs";

let proxy;
let client;
before(async () => {
  proxy = await Proxy.start();
  client = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 0 });
});
after(() => proxy.stop());

const messages = [{ role: "user", content: "Please." }];
const schema = {
  type: "object", required: ["tags", "age"],
  properties: {
    tags: { type: "array", minItems: 3, items: { type: "string", maxLength: 5 } }, age: { type: "integer", minimum: 18 },
    note: { type: "string" },
  },
};
const format = { type: "json_schema", json_schema: { name: "person", strict: true, schema } };
const short = { tags: ["much too long"], age: 3 };
const lostOf = (response) => new Set((response.headers.get("x-plumb-lost") ?? "").split(", "));

test("between: Anthropic is sent what its strict tools take of a schema, and the rest is judged", async () => {
  proxy.script({ text: JSON.stringify(short) });
  const { data, response } = await client.chat.completions.create({ model: "anthropic", messages, response_format: format }).withResponse();
  const [tool] = proxy.asked()[0].tools;
  assert.equal(tool.strict, true);
  assert.equal(tool.input_schema.additionalProperties, false);
  assert.deepEqual(tool.input_schema.required, ["tags", "age"]);
  assert.equal(tool.input_schema.properties.tags.minItems, 1);
  const properties = JSON.stringify(tool.input_schema).replace(/"description":"[^"]*"/g, "");
  assert.doesNotMatch(properties, /maxLength|minimum|"minItems":3/);
  assert.deepEqual(lostOf(response), new Set(["response_format.minItems", "response_format.maxLength", "response_format.minimum"]));
  assert.equal(response.headers.get("x-plumb-verdict"), "invalid");
  assert.deepEqual(data.plumb.verdict.findings.map((finding) => finding.rule).sort(), ["maxLength", "minItems", "minimum"]);
});

test("between: the same for tools, and for responses", async () => {
  const parameters = schema;
  proxy.script({ calls: [{ name: "keep", arguments: JSON.stringify(short) }] });
  const { data, response } = await client.chat.completions.create({
    model: "anthropic", messages, tools: [{ type: "function", function: { name: "keep", strict: true, parameters } }],
  }).withResponse();
  assert.equal(proxy.asked()[0].tools[0].strict, true);
  assert.ok(lostOf(response).has("tools.minimum"));
  assert.equal(data.plumb.calls[0].verdict.valid, false);
  proxy.script({ text: JSON.stringify(short) });
  const told = await client.responses.create({
    model: "anthropic", input: "Please.", text: { format: { type: "json_schema", name: "person", strict: true, schema } },
  }).withResponse();
  assert.equal(proxy.asked()[0].tools[0].strict, true);
  assert.ok(lostOf(told.response).has("text.maxLength"));
  assert.equal(told.data.plumb.valid, false);
});

test("between: enforce repairs what Anthropic does not enforce", async () => {
  const good = { tags: ["a", "b", "c"], age: 20 };
  proxy.script({ text: JSON.stringify(short) }, { text: JSON.stringify(good) });
  const answer = await client.chat.completions.create({ model: "anthropic", messages, response_format: format },
    { headers: { "x-plumb-mode": "enforce" } });
  assert.deepEqual(JSON.parse(answer.choices[0].message.content), good);
  assert.equal(answer.plumb.valid, true);
});

test("between: a schema that has no such form is shown whole, and the client is told that nobody enforces it", async () => {
  const tree = { type: "object", properties: { next: { $ref: "#" } } };
  proxy.script({ text: '{"next":{}}' });
  const { response } = await client.chat.completions.create({
    model: "anthropic", messages, response_format: { type: "json_schema", json_schema: { name: "tree", strict: true, schema: tree } },
  }).withResponse();
  assert.equal(proxy.asked()[0].tools[0].strict, undefined);
  assert.deepEqual(lostOf(response), new Set(["response_format.strict"]));
  // Without strict nothing was asked to be enforced.
  const plain = await client.chat.completions.create({
    model: "anthropic", messages, response_format: { type: "json_schema", json_schema: { name: "person", schema } },
  }).withResponse();
  assert.deepEqual(proxy.asked()[1].tools[0].input_schema, { ...schema });
  assert.equal(plain.response.headers.get("x-plumb-lost"), null);
});

test("between: OpenAI is sent what its strict mode takes of Anthropic's formats and tools, and the rest is judged", async () => {
  const post = async (more) => {
    const response = await fetch(`${proxy.origin}/v1/messages`, { method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-plumb-mode": "observe" },
      body: JSON.stringify({ model: "openai", max_tokens: 100, messages, ...more }) });
    assert.equal(response.status, 200);
    await response.text();
    return response;
  };
  const left = ["maxLength", "minItems", "minimum"];
  for (const [name, member] of [["output_format", { output_format: { type: "json_schema", schema } }],
    ["output_config", { output_config: { format: { type: "json_schema", schema } } }]]) {
    proxy.script({ text: JSON.stringify({ ...short, note: "x" }) });
    const response = await post(member);
    const sent = proxy.asked()[0].response_format.json_schema;
    assert.equal(sent.strict, true);
    assert.deepEqual(sent.schema.required, ["tags", "age", "note"]);
    assert.equal(sent.schema.additionalProperties, false);
    const lost = lostOf(response);
    assert.ok([...lost].every((one) => left.includes(one.replace(`${name}.`, ""))), [...lost].join());
    for (const keyword of left) {
      assert.equal(lost.has(`${name}.${keyword}`), !JSON.stringify(sent.schema).includes(`"${keyword}"`), keyword);
    }
    assert.equal(response.headers.get("x-plumb-verdict"), "invalid");
  }
  proxy.script({ text: "No call." });
  await post({ tools: [{ name: "keep", strict: true, input_schema: schema }] });
  assert.equal(proxy.asked()[0].tools[0].function.strict, true);
  const tree = { type: "object", properties: { n: { type: "object", additionalProperties: { type: "string" } } } };
  proxy.script({ text: "{}" });
  const whole = await post({ output_format: { type: "json_schema", schema: tree } }); // a map: closed, it would be empty
  assert.deepEqual(lostOf(whole), new Set(["output_format.strict"]));
  assert.notEqual(proxy.asked()[0].response_format?.json_schema?.strict, true);
  proxy.script({ text: "[]" });
  const list = await post({ output_format: { type: "json_schema", schema: { type: "array", items: { type: "string" } } } });
  assert.deepEqual(lostOf(list), new Set(["output_format.strict"]));
});
