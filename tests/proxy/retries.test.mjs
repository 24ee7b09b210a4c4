// How many upstream calls one call of a client costs when it fails: client by failure. The table of
// docs/proxy-reference.md ("Retries, and what a call costs") is this one.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText } from "ai";
import OpenAI from "openai";
import { Proxy, seed, test, top, until } from "./support.mjs";

const tries = 3; // of the proxy: 1 + retries.max
const content = "Make a quiz.";
const headers = { "x-plumb-contract": "quiz" };
let proxy;
before(async () => { proxy = await Proxy.start("  breaker: {failures: 100000, window: 10s, open: 100ms}\n"); });
after(() => proxy.stop());

// Each makes one call, with the family's own retries and no waiting between them where it can be set.
const families = {
  openai: (origin, more) =>
    new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", defaultHeaders: more }).chat.completions
      .create({ model: "openai", messages: [{ role: "user", content }] }),
  "openai responses": (origin, more) =>
    new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", defaultHeaders: more }).responses
      .create({ model: "responses", input: content }),
  anthropic: (origin, more) =>
    new Anthropic({ baseURL: origin, apiKey: "none", defaultHeaders: more }).messages
      .create({ model: "anthropic", max_tokens: 500, messages: [{ role: "user", content }] }),
  "ai with openai": (origin, more) =>
    generateText({ model: createOpenAI({ baseURL: `${origin}/v1`, apiKey: "none", headers: more }).chat("openai"), prompt: content }),
  "ai with anthropic": (origin, more) =>
    generateText({ model: createAnthropic({ baseURL: `${origin}/v1`, apiKey: "none", headers: more })("anthropic"), prompt: content }),
};
// LangChain's clients share this caller, which decides by the status alone. Two tries are enough to see it.
const caller = join(top, "tests/adapters/node_modules/@langchain/core/dist/utils/async_caller.js");
if (existsSync(caller)) {
  const { AsyncCaller } = await import(pathToFileURL(caller));
  families.langchain = (origin, more) =>
    new AsyncCaller({ maxRetries: 1 }).call(() =>
      new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", maxRetries: 0, defaultHeaders: more }).chat.completions
        .create({ model: "openai", messages: [{ role: "user", content }] }));
}
// The official clients obey x-should-retry; the others ask so often. (LangChain does not ask again after a 429.)
const asks = { "ai with openai": 3, "ai with anthropic": 3, langchain: 2 };
const asked = (family, status) => (family === "langchain" && status === 429 ? 1 : asks[family] ?? 1);

for (const [family, call] of Object.entries(families)) {
  test(`retries: ${family}: a contract that is not kept costs one call and its repairs`, async () => {
    proxy.script({ text: `${seed("quiz_faulty").slice(0, 40)}}` });
    await assert.rejects(call(proxy.origin, headers));
    assert.equal(proxy.asked().length, 3);
    await assert.rejects(call(proxy.origin, { ...headers, "x-plumb-budget": "attempts=1" }));
    assert.equal(proxy.asked().length, 4);
  });

  for (const status of [429, 500, 503]) {
    test(`retries: ${family}: a provider's ${status} costs the proxy's tries, once for those who obey`, async () => {
      proxy.script({ status, message: "not now" });
      await assert.rejects(call(proxy.origin, {}));
      assert.equal(proxy.asked().length, tries * asked(family, status));
      proxy.script({ status, message: "not now" });
      await assert.rejects(call(proxy.origin, { "x-plumb-budget": "attempts=1" }));
      assert.equal(proxy.asked().length, asked(family, status));
    });
  }
}

test("retries: a refusal that no try mends is made once by every family", async () => {
  for (const [family, call] of Object.entries(families)) {
    proxy.script({ status: 400, message: "no such parameter" });
    await assert.rejects(call(proxy.origin, {}), family);
    assert.equal(proxy.asked().length, 1, family);
  }
});

test("retries: a client sees what its call cost", async () => {
  const client = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 0 });
  proxy.script({ status: 500, message: "not now" }, { text: "Hello." });
  const { response } = await client.chat.completions
    .create({ model: "openai", messages: [{ role: "user", content }] }).withResponse();
  assert.equal(response.headers.get("x-plumb-attempts"), "2");
  assert.equal(response.headers.get("x-plumb-tokens"), "55");
  await until(() => proxy.asked().length === 2, "both tries were asked");
});
