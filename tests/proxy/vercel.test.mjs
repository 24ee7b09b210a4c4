// Vercel's ai with its providers for OpenAI and Anthropic through the proxy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { Proxy, named, seed, until, wires } from "./support.mjs";

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
const usual = { prompt: "Please.", maxRetries: 0, maxOutputTokens: 1000 };

for (const client of ["openai", "anthropic"]) {
  for (const wire of wires) {
    {
    const it = named(`ai (${client}) over ${wire}`);
      it("a text, whole and streamed", async () => {
        proxy.script({ text: "Grüße 😀" });
        assert.equal((await generateText({ model: clients[client](wire), ...usual })).text, "Grüße 😀");
        const stream = streamText({ model: clients[client](wire), ...usual });
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
          tools: { weather: tool({ description: "The weather", inputSchema: z.object({ city: z.string() }), execute: async () => "sunny" }) },
        });
        assert.equal(await answer.text, "Sunny.");
        assert.equal(proxy.asked().length, 2);
      });

      it("enforce and hold-back give the repaired quiz", async () => {
        for (const mode of ["enforce", "hold-back"]) {
          proxy.script({ text: faulty }, { text: repaired });
          const stream = streamText({ model: clients[client](wire, quiz(mode)), ...usual });
          assert.deepEqual(JSON.parse(await stream.text), JSON.parse(repaired));
        }
      });

      it("leaving stops the provider", async () => {
        proxy.script({ text: "word ".repeat(10_000), gap_ms: 5 });
        const leaving = new AbortController();
        const stream = streamText({ model: clients[client](wire), ...usual, abortSignal: leaving.signal, onError: () => {} });
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

test("ai: an object of a schema", async () => {
  proxy.script({ text: '{"name":"Ada"}' });
  const answer = await generateObject({ model: clients.openai("openai"), ...usual, schema: z.object({ name: z.string() }) });
  assert.deepEqual(answer.object, { name: "Ada" });
});
