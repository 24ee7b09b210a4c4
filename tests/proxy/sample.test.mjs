// OpenAI's and Anthropic's own clients against `plumb serve --sample`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { named, plumb } from "./support.mjs";

let server;
let origin;
let openai;
let anthropic;
before(async () => {
  server = spawn(plumb, ["serve", "--sample", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  origin = await new Promise((done, failed) => {
    let told = "";
    server.stdout.on("data", (data) => {
      told += data;
      const found = told.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (found) {
        done(found[0]);
      }
    });
    server.on("exit", (code) => failed(new Error(`plumb serve --sample ended with ${code}`)));
  });
  openai = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "any", maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: origin, apiKey: "any", maxRetries: 0 });
});
after(async () => {
  server.removeAllListeners("exit");
  const ended = new Promise((done) => server.on("exit", done));
  server.kill("SIGTERM");
  assert.equal(await ended, 0);
});

const messages = [{ role: "user", content: "Copper conducts heat. Iron rusts in wet air." }];
const Recipe = z.object({ name: z.string(), steps: z.array(z.object({ text: z.string(), minutes: z.number() })) });
const tool = {
  type: "function",
  function: {
    name: "weather", description: "The weather", strict: true,
    parameters: { type: "object", required: ["city"], additionalProperties: false, properties: { city: { type: "string" } } },
  },
};

{
  const it = named("openai's client at a sample");
  it("is answered in the words of its prompt, whole and in a stream", async () => {
    const answer = await openai.chat.completions.create({ model: "obedient", messages });
    assert.match(answer.choices[0].message.content, /Copper|Iron/);
    assert.ok(answer.usage.completion_tokens > 0);
    const stream = await openai.chat.completions.create({
      model: "obedient", messages, stream: true, stream_options: { include_usage: true },
    });
    let text = "";
    let usage;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, answer.choices[0].message.content);
    assert.ok(usage.prompt_tokens > 0);
  });

  it("gets structured outputs that its own parser takes", async () => {
    for (const model of ["obedient", "obedient-smallest", "obedient-largest-4"]) {
      const answer = await openai.beta.chat.completions.parse({
        model, messages, response_format: zodResponseFormat(Recipe, "recipe"),
      });
      assert.ok(Array.isArray(answer.choices[0].message.parsed.steps));
    }
  });

  it("gets calls of tools, and an answer after their results", async () => {
    const first = await openai.chat.completions.create({ model: "obedient", messages, tools: [tool], tool_choice: "required" });
    const call = first.choices[0].message.tool_calls[0];
    assert.equal(first.choices[0].finish_reason, "tool_calls");
    assert.equal(typeof JSON.parse(call.function.arguments).city, "string");
    const second = await openai.chat.completions.create({
      model: "obedient", tools: [tool],
      messages: [...messages, first.choices[0].message, { role: "tool", tool_call_id: call.id, content: "It rains." }],
    });
    assert.equal(second.choices[0].finish_reason, "stop");
  });

  it("is refused what OpenAI refuses, with its own error", async () => {
    const schema = { type: "object", properties: { a: { type: "string", minLength: 2 } }, required: ["a"], additionalProperties: false };
    const format = { type: "json_schema", json_schema: { name: "a", strict: true, schema } };
    await assert.rejects(openai.chat.completions.create({ model: "obedient", messages, response_format: format }),
      (error) => error instanceof OpenAI.BadRequestError && /minLength/.test(error.message) &&
        error.headers["x-sample-refusal"] === "openai-keyword");
    await assert.rejects(openai.chat.completions.create({ model: "gpt-4o", messages }), OpenAI.NotFoundError);
  });

  it("meets errors, limits, pages and cuts as errors of its own kind", async () => {
    const ask = (model, stream = false) => openai.chat.completions.create({ model, messages, stream });
    await assert.rejects(ask("down-limited"), OpenAI.RateLimitError);
    await assert.rejects(ask("down-overloaded"), OpenAI.InternalServerError);
    await assert.rejects(ask("down-page"), OpenAI.InternalServerError);
    await assert.rejects(ask("down-dropped"), OpenAI.APIConnectionError);
    const stream = await ask("down-halfway", true);
    await assert.rejects(async () => { for await (const _ of stream); });
  });

  it("is declined by a refusal, and cut at its limit of tokens", async () => {
    const declined = await openai.chat.completions.create({ model: "refusing", messages });
    assert.match(declined.choices[0].message.refusal, /cannot/);
    const cut = await openai.chat.completions.create({ model: "obedient-largest", messages, max_completion_tokens: 8 });
    assert.equal(cut.choices[0].finish_reason, "length");
  });

  it("lists its models", async () => {
    const names = (await openai.models.list()).data.map((one) => one.id);
    assert.ok(names.includes("sloppy"));
  });
}

{
  const it = named("anthropic's client at a sample");
  const ask = (more = {}) => ({ model: "obedient", max_tokens: 1000, messages, ...more });
  const input_schema = tool.function.parameters;
  it("is answered whole and in a stream alike", async () => {
    const answer = await anthropic.messages.create(ask());
    assert.equal(answer.stop_reason, "end_turn");
    const streamed = await anthropic.messages.stream(ask()).finalMessage();
    assert.deepEqual(streamed.content[0].text, answer.content[0].text);
    assert.ok(streamed.usage.output_tokens > 0);
  });

  it("gets calls of tools, streamed too, and strict ones are held to what is documented", async () => {
    const tools = [{ name: "weather", input_schema }];
    for (const stream of [false, true]) {
      const asked = ask({ tools, tool_choice: { type: "any" } });
      const answer = stream ? await anthropic.messages.stream(asked).finalMessage() : await anthropic.messages.create(asked);
      assert.equal(answer.stop_reason, "tool_use");
      assert.equal(typeof answer.content.find((one) => one.type === "tool_use").input.city, "string");
    }
    const bound = { type: "object", additionalProperties: false, properties: { n: { type: "integer", minimum: 1 } } };
    await assert.rejects(anthropic.messages.create(ask({ tools: [{ name: "n", strict: true, input_schema: bound }] })),
      (error) => error instanceof Anthropic.BadRequestError && /minimum/.test(error.message));
  });

  it("is declined, limited and overloaded in Anthropic's words", async () => {
    assert.equal((await anthropic.messages.create(ask({ model: "refusing" }))).stop_reason, "refusal");
    await assert.rejects(anthropic.messages.create(ask({ model: "down-limited" })), Anthropic.RateLimitError);
    await assert.rejects(anthropic.messages.create(ask({ model: "down-overloaded" })), (error) => error.status === 529);
    assert.ok((await anthropic.models.list()).data.length > 3);
  });
}
