// Vercel's ai with its providers for OpenAI and Anthropic through the proxy.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateObject, generateText, stepCountIs, streamObject, streamText, tool } from "ai";
import { z } from "zod";
import { Proxy, named, seed, test, until, wires } from "./support.mjs";

let proxy;
let clients;
before(async () => {
  proxy = await Proxy.start();
  const headers = {};
  clients = {
    openai: (model, more = headers) => createOpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", headers: more }).chat(model),
    anthropic: (model, more = headers) => createAnthropic({ baseURL: `${proxy.origin}/v1`, apiKey: "none", headers: more })(model),
  };
});
after(() => proxy.stop());

const faulty = seed("quiz_faulty");
const repaired = seed("quiz_repaired");
const quiz = (mode) => ({ "x-plumb-contract": "quiz", "x-plumb-mode": mode });
const weather = tool({ description: "The weather", inputSchema: z.object({ city: z.string() }), execute: async () => "sunny" });
// Parts that the client could not read are reported here, and not by what it gives.
const fails = {
  onError: ({ error }) => {
    throw error;
  },
};
const usual = { prompt: "Please.", maxRetries: 0, maxOutputTokens: 1000 };

for (const client of ["openai", "anthropic"]) {
  for (const wire of wires) {
    {
    const it = named(`ai (${client}) over ${wire}`);
      it("a text, whole and streamed", async () => {
        proxy.script({ text: "Grüße 😀" });
        assert.equal((await generateText({ model: clients[client](wire), ...usual })).text, "Grüße 😀");
        const stream = streamText({ model: clients[client](wire), ...usual, ...fails });
        let text = "";
        for await (const piece of stream.textStream) {
          text += piece;
        }
        assert.equal(text, "Grüße 😀");
        assert.equal((await stream.usage).outputTokens, 34);
      });

      it("a tool is called and the answer follows", async () => {
        proxy.script({ calls: [{ name: "weather", arguments: '{"city":"Bonn"}' }] }, { text: "Sunny." });
        const answer = streamText({
          model: clients[client](wire), ...usual, stopWhen: stepCountIs(3),
          ...fails, tools: { weather },
        });
        assert.equal(await answer.text, "Sunny.");
        assert.equal(proxy.asked().length, 2);
      });

      it("a text beside tools that are offered is whole and valid", async () => {
        proxy.script({ text: "No tool is needed." });
        const stream = streamText({ model: clients[client](wire), ...usual, ...fails, tools: { weather } });
        assert.equal(await stream.text, "No tool is needed.");
        const response = await fetch(`${proxy.origin}/v1/chat/completions`, {
          method: "POST", headers: { "content-type": "application/json" },
          body: JSON.stringify({
            model: wire, messages: [{ role: "user", content: "Please." }],
            tools: [{ type: "function", function: { name: "weather", parameters: { type: "object", required: ["city"] } } }],
          }),
        });
        assert.equal(response.headers.get("x-plumb-verdict"), "valid");
        assert.equal((await response.json()).plumb.valid, true);
      });

      it("a contract that is not kept is told once, as 406, and nobody is asked again", async () => {
        for (const mode of ["enforce", "hold-back"]) {
          proxy.script({ text: faulty.slice(0, 40) + "}" });
          const errors = [];
          const stream = streamText({
            model: clients[client](wire, quiz(mode)), ...usual, maxRetries: 2, onError: ({ error }) => errors.push(error),
          });
          await assert.rejects(async () => assert.equal(await stream.text, ""));
          assert.equal(errors.length, 1);
          assert.equal(errors[0].statusCode, 406, errors[0]);
          assert.match(errors[0].message, /does not keep the contract quiz/);
          assert.equal(proxy.asked().length, 3, "one call and two repairs");
        }
      });

      it("enforce and hold-back give the repaired quiz", async () => {
        for (const mode of ["enforce", "hold-back"]) {
          proxy.script({ text: faulty }, { text: repaired });
          const stream = streamText({ model: clients[client](wire, quiz(mode)), ...usual, ...fails });
          assert.deepEqual(JSON.parse(await stream.text), JSON.parse(repaired));
        }
      });

      it("leaving stops the provider", async () => {
        proxy.script({ text: "word ".repeat(10_000), gap_ms: 5 });
        const leaving = new AbortController();
        const stream = streamText({ model: clients[client](wire), ...usual, abortSignal: leaving.signal });
        for await (const piece of stream.textStream) {
          if (piece) {
            leaving.abort();
          }
        }
        await until(() => proxy.upstream.left("real") === 1, "the provider was left");
      });
    }
  }
}

for (const client of ["openai", "anthropic"]) {
  test(`ai (${client}): an object of a schema is streamed without a part that the client cannot read`, async () => {
    // Of Anthropic's wire the schema is a tool that must be called, which Ollama cannot be made to do.
    for (const wire of client === "openai" ? wires : ["openai", "anthropic"]) {
      const text = '{"name":"Ada"}';
      proxy.script(client === "openai" || wire === "anthropic" ? { text } : { calls: [{ name: "json", arguments: text }] });
      const answer = streamObject({ model: clients[client](wire), ...usual, ...fails, schema: z.object({ name: z.string() }) });
      let parts = 0;
      for await (const part of answer.fullStream) {
        assert.notEqual(part.type, "error");
        ++parts;
      }
      assert.ok(parts > 0);
    }
  });
}

test("ai: an object of a schema", async () => {
  proxy.script({ text: '{"name":"Ada"}' });
  const answer = await generateObject({ model: clients.openai("openai"), ...usual, schema: z.object({ name: z.string() }) });
  assert.deepEqual(answer.object, { name: "Ada" });
});
