// The openai package: a contract in its helpers, in both of its APIs, and its streams judged while they arrive.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import OpenAI from "openai";
import { standardResponseFormat, standardTextFormat } from "openai/helpers/standard-schema";
import Anthropic from "@anthropic-ai/sdk";
import { format, good, judge, plumb, provider, quiz, readValues, textOf, values, why, wrong } from "./support.mjs";

let model;
let openai;
before(async () => {
  model = await provider();
  openai = new OpenAI({ apiKey: "none", baseURL: `${model.url}/v1`, maxRetries: 0 });
});
after(() => model.close());

const input = [{ role: "user", content: "A quiz, please." }];

test("standardTextFormat: responses.parse sends the strict schema, and its result keeps the contract", async () => {
  const ask = () =>
    openai.responses.parse({ model: "m", instructions: format.prompt, input, text: { format: standardTextFormat(format, format.name) } });
  model.answers.push(JSON.stringify(good), JSON.stringify(wrong));
  const { output_parsed } = await ask();
  assert.deepEqual(output_parsed, good);
  const sent = model.asked.at(-1);
  assert.equal(sent.text.format.strict, true);
  assert.deepEqual(sent.text.format.schema, format.schema);
  assert.match(sent.instructions, /correct_answer/);
  await assert.rejects(ask(), (error) => error.message.includes(why));
});

test("standardResponseFormat: chat.completions.parse likewise; and the format by itself is what is sent", async () => {
  const ask = () =>
    openai.chat.completions.parse({ model: "m", messages: input, response_format: standardResponseFormat(format, format.name) });
  model.answers.push(JSON.stringify(good), JSON.stringify(wrong), JSON.stringify(good));
  assert.deepEqual((await ask()).choices[0].message.parsed, good);
  const helped = model.asked.at(-1).response_format;
  await assert.rejects(ask(), (error) => error.message.includes(why));
  await openai.chat.completions.create({ model: "m", messages: input, response_format: format.responseFormat });
  assert.deepEqual(model.asked.at(-1).response_format.json_schema.schema, helped.json_schema.schema);
});

test("a contract whose schema is strict already goes into the helper as it is", async () => {
  const point = plumb.contract({
    type: "object",
    required: ["x"],
    additionalProperties: false,
    properties: { x: { type: "integer", multipleOf: 3 } },
  });
  const ask = () => openai.responses.parse({ model: "m", input, text: { format: standardTextFormat(point, "point") } });
  model.answers.push('{"x": 9}', '{"x": 8}');
  assert.deepEqual((await ask()).output_parsed, { x: 9 });
  await assert.rejects(ask(), /multiple of 3/);
});

for (const [wire, open] of [
  ["chat completions", () => openai.chat.completions.create({ model: "m", messages: input, stream: true })],
  ["responses", () => openai.responses.create({ model: "m", input, stream: true })],
  [
    "Anthropic's messages",
    () => new Anthropic({ apiKey: "none", baseURL: model.url }).messages.create({ model: "m", max_tokens: 99, messages: input, stream: true }),
  ],
]) {
  test(`a stream of ${wire} is judged while it arrives`, async () => {
    model.answers.push(JSON.stringify(wrong), JSON.stringify(good), JSON.stringify(wrong));
    const heard = [];
    let arrived = "";
    const verdict = await judge(quiz, await open(), {
      onFinding: ({ message, rule }) => heard.push([message ?? rule, arrived.length]),
      onText: (piece) => (arrived += piece),
    });
    assert.equal(arrived, JSON.stringify(wrong));
    assert.deepEqual(verdict.findings.map(({ message }) => message), [why]);
    assert.equal(heard[0][0], why);
    assert.ok(heard[0][1] < arrived.length - 10, "before the end");
    assert.deepEqual((await judge(quiz, await open())).value, good);
    let pieces = 0;
    const early = await judge(quiz, await open(), { stopEarly: true, onText: () => ++pieces });
    assert.equal(early.valid, false);
    assert.ok(pieces < JSON.stringify(wrong).length / 7, "the rest was not read");
  });

  test(`the value so far of a stream of ${wire}`, async () => {
    model.answers.push(JSON.stringify(good), JSON.stringify(good));
    assert.deepEqual((await readValues(values(quiz, await open()), good)).value, good);
    for await (const { value, state, growing } of values(quiz, await open())) {
      if (value?.questions?.[0]?.options?.length === 2) {
        assert.equal(state, "growing");
        assert.match(growing, /^\/questions\/0\/options/);
        break; // whoever has seen enough leaves
      }
    }
  });
}

test("a stream that tells of an error, or has no text, is no empty answer", async () => {
  const events = async function* (...all) {
    yield* all;
  };
  const read = async (source, options) => {
    let text = "";
    for await (const piece of textOf(source, options)) text += piece;
    return text;
  };
  await assert.rejects(read(events({ type: "text-delta", text: "[" }, { type: "error", error: new Error("gone") })), {
    code: "unavailable",
    message: /gone/,
  });
  await assert.rejects(read(events({ error: { message: "overloaded" } })), { message: /overloaded/ });
  await assert.rejects(read(events({ type: "response.failed", response: { error: { message: "no" } } })), { message: /: no/ });
  await assert.rejects(read(events({ type: "ping" }, { some: "thing" })), { code: "invalid_argument", message: /of 2 events none has text/ });
  await assert.rejects(read(events(5)), { code: "invalid_argument" });
  assert.equal(
    await read(
      events(
        { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: "{" } },
        { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: "}" } }] } }] },
      ),
      { of: "tool" },
    ),
    "{}",
  );
  const calls = ['{"n": [1, ', "22", "]}"].map((partial_json) => ({ type: "content_block_delta", delta: { type: "input_json_delta", partial_json } }));
  const inputs = [];
  for await (const { value } of values(plumb.contract(true), events(...calls), { of: "tool" })) inputs.push(JSON.stringify(value));
  assert.deepEqual(inputs, ['{"n":[1]}', '{"n":[1,22]}', '{"n":[1,22]}']);
  assert.equal(await read(new Response("[1]").body.pipeThrough(new TextDecoderStream())), "[1]");
});
