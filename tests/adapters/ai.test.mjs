// The AI SDK: generateObject, streamObject and text streams, with its own scripted model.
import assert from "node:assert/strict";
import test from "node:test";
import * as ai from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { cut, format, good, judge, plumb, quiz, readValues, values, why, wrong } from "./support.mjs";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finish = { unified: "stop", raw: "stop" };
const streamed = (text, ...more) => ({
  stream: simulateReadableStream({
    chunks: [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1" },
      ...cut(text).map((delta) => ({ type: "text-delta", id: "1", delta })),
      ...more,
      { type: "text-end", id: "1" },
      { type: "finish", finishReason: finish, usage },
    ],
    initialDelayInMs: null,
    chunkDelayInMs: null,
  }),
});
const scripted = (text) =>
  new MockLanguageModelV3({
    doGenerate: async () => ({ content: [{ type: "text", text }], finishReason: finish, usage, warnings: [] }),
    doStream: async () => streamed(text),
  });
const causes = (error) => (error === undefined || error === null ? "" : `${error.message} ${JSON.stringify(error.cause)} ${causes(error.cause)}`);

for (const [what, schema] of [
  ["a contract's format", format],
  ["a contract as it is", quiz],
]) {
  test(`generateObject with ${what}: the schema is sent, and the whole contract is kept`, async () => {
    const model = scripted(JSON.stringify(good));
    const { object } = await ai.generateObject({ model, schema, system: format.prompt, prompt: "A quiz, please." });
    assert.deepEqual(object, good);
    const [{ responseFormat, prompt }] = model.doGenerateCalls;
    assert.equal(responseFormat.type, "json");
    assert.deepEqual(responseFormat.schema.required, ["questions"]);
    assert.match(JSON.stringify(prompt), /correct_answer/);
    const failed = await ai
      .generateObject({ model: scripted(JSON.stringify(wrong)), schema, prompt: "A quiz, please.", maxRetries: 0 })
      .then(() => undefined, (error) => error);
    assert.ok(causes(failed).includes(why), causes(failed));
  });
}

test("streamObject: its object is the contract's, and a wrong one rejects", async () => {
  const ask = (made) => ai.streamObject({ model: scripted(JSON.stringify(made)), schema: format, prompt: "A quiz.", onError() {} });
  const right = ask(good);
  for await (const part of right.partialObjectStream) void part;
  assert.deepEqual(await right.object, good);
  const other = ask(wrong);
  for await (const part of other.partialObjectStream) void part;
  const failed = await other.object.then(() => undefined, (error) => error);
  assert.ok(causes(failed).includes(why), causes(failed));
});

test("Output.object takes it too", async () => {
  const { output } = await ai.generateText({ model: scripted(JSON.stringify(good)), output: ai.Output.object({ schema: format }), prompt: "A quiz." });
  assert.deepEqual(output, good);
});

test("a text stream is judged while it arrives, from the result, its pieces or its parts", async () => {
  const open = () => ai.streamText({ model: scripted(JSON.stringify(wrong)), prompt: "A quiz.", onError() {} });
  for (const source of [open(), open().textStream, open().fullStream]) {
    const early = [];
    let length = 0;
    const verdict = await judge(quiz, source, {
      onFinding: ({ message }) => early.push([message, length]),
      onText: (piece) => (length += piece.length),
    });
    assert.deepEqual(verdict.findings.map(({ message }) => message), [why]);
    assert.ok(early[0][1] < length);
  }
});

test("the value so far of a text stream, from the result, its pieces or its parts", async () => {
  const open = () => ai.streamText({ model: scripted(JSON.stringify(wrong)), prompt: "A quiz.", onError() {} });
  for (const source of [open(), open().textStream, open().fullStream]) {
    const verdict = await readValues(values(quiz, source), wrong);
    assert.deepEqual(verdict.findings.map(({ message }) => message), [why]);
  }
  const fenced = `Here you are:\n\`\`\`json\n${JSON.stringify(good, null, 1)}\n\`\`\`\n`;
  const { textStream } = ai.streamText({ model: scripted(fenced), prompt: "A quiz.", onError() {} });
  assert.equal((await readValues(values(quiz, textStream, { edits: "certain" }), good)).valid, true);
});

test("a stream of parts that ends with an error is an error", async () => {
  const model = new MockLanguageModelV3({ doStream: async () => streamed("[1", { type: "error", error: new Error("overloaded") }) });
  const { fullStream } = ai.streamText({ model, prompt: "A list.", onError() {}, maxRetries: 0 });
  await assert.rejects(judge(plumb.contract({}), fullStream), { code: "unavailable", message: /overloaded/ });
  const again = ai.streamText({ model, prompt: "A list.", onError() {}, maxRetries: 0 });
  await assert.rejects(readValues(values(plumb.contract({}), again.fullStream)), { code: "unavailable", message: /overloaded/ });
});
