// Anthropic's own client through the proxy, with a provider of each wire behind it.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { Proxy, named, seed, test, until, wires } from "./support.mjs";

let proxy;
let client;
before(async () => {
  proxy = await Proxy.start();
  client = new Anthropic({ baseURL: proxy.origin, apiKey: "none", maxRetries: 0 });
});
after(() => proxy.stop());

const ask = (wire, more = {}) => ({ model: wire, max_tokens: 1000, messages: [{ role: "user", content: "Please." }], ...more });
const faulty = seed("quiz_faulty");
const repaired = seed("quiz_repaired");
const tool = {
  name: "weather", description: "The weather",
  input_schema: { type: "object", required: ["city"], properties: { city: { type: "string" } } },
};
const quiz = (mode) => ({ headers: { "x-plumb-contract": "quiz", "x-plumb-mode": mode } });
const quizTold = (mode) => ({ headers: { ...quiz(mode).headers, "x-plumb-events": "on" } });

for (const wire of wires) {
  {
    const it = named(`anthropic over ${wire}`);
    it("a whole answer has its text, stop reason and usage", async () => {
      proxy.script({ text: "Grüße 😀" });
      const answer = await client.messages.create(ask(wire, { system: "Be brief.", stop_sequences: ["END"] }));
      assert.equal(answer.content[0].text, "Grüße 😀");
      assert.equal(answer.stop_reason, "end_turn");
      assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [21, 34]);
    });

    it("a stream gives the same message", async () => {
      proxy.script({ text: "one two three four five", piece: 3 });
      const stream = client.messages.stream(ask(wire));
      const seen = [];
      stream.on("text", (text) => seen.push(text));
      const message = await stream.finalMessage();
      assert.equal(message.content[0].text, "one two three four five");
      assert.equal(seen.join(""), "one two three four five");
      assert.equal(message.usage.output_tokens, 34);
      assert.ok(message.usage.input_tokens > 0);
    });

    it("calls of tools come whole, and their results go back", async () => {
      proxy.script({ calls: [{ name: "weather", arguments: '{"city":"Bonn"}' }, { name: "weather", arguments: '{"city":"Köln"}' }] },
        { text: "Both are sunny." });
      const first = await client.messages.stream(ask(wire, { tools: [tool] })).finalMessage();
      assert.equal(first.stop_reason, "tool_use");
      const calls = first.content.filter((block) => block.type === "tool_use");
      assert.deepEqual(calls.map((call) => call.input.city), ["Bonn", "Köln"]);
      const second = await client.messages.create(ask(wire, {
        tools: [tool],
        messages: [
          { role: "user", content: "Please." },
          { role: "assistant", content: first.content },
          { role: "user", content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: "sunny" })) },
        ],
      }));
      assert.equal(second.content[0].text, "Both are sunny.");
    });

    it("observe passes the faulty quiz on and reports it", async () => {
      proxy.script({ text: faulty });
      const { data, response } = await client.messages.create(ask(wire), quiz("observe")).withResponse();
      assert.equal(data.content[0].text, faulty);
      assert.equal(data.plumb.verdict.findings.length, 3);
      assert.equal(response.headers.get("x-plumb-verdict"), "invalid");
    });

    it("enforce gives the repaired quiz, in a stream as well", async () => {
      proxy.script({ text: faulty }, { text: repaired });
      const answer = await client.messages.create(ask(wire), quiz("enforce"));
      assert.equal(answer.content[0].text, repaired);
      assert.equal(answer.plumb.attempts, 1);
      proxy.script({ text: faulty, gap_ms: 2 }, { text: repaired });
      const message = await client.messages.stream(ask(wire), quiz("enforce")).finalMessage();
      assert.equal(message.content[0].text, repaired);
      await until(() => proxy.upstream.left("real") === 1, "the provider was left");
    });

    it("hold-back goes on with the same stream after a repair", async () => {
      const cut = repaired.indexOf("},\n    {") + 1;
      const half = repaired.slice(0, cut) + faulty.slice(faulty.indexOf("},\n    {") + 1);
      proxy.script({ text: half, gap_ms: 1 }, { text: repaired });
      const stream = client.messages.stream(ask(wire), quiz("hold-back"));
      const seen = [];
      stream.on("text", (text) => seen.push(text));
      const message = await stream.finalMessage();
      assert.equal(seen[0], repaired.slice(0, cut));
      assert.deepEqual(JSON.parse(message.content[0].text), JSON.parse(repaired));
    });

    it("before the end of a stream stands what was done: an event for those who ask, else a comment", async () => {
      for (const told of [true, false]) {
        proxy.script({ text: faulty }, { text: repaired });
        const headers = told ? quizTold("enforce") : quiz("enforce");
        const response = await client.messages.create(ask(wire, { stream: true }), headers).asResponse();
        const text = await response.text();
        const events = [...text.matchAll(/^event: (\w+)$/gm)].map((match) => match[1]);
        assert.deepEqual(events.slice(told ? -3 : -2), told ? ["message_delta", "plumb", "message_stop"] : ["message_delta", "message_stop"]);
        assert.equal(events.includes("plumb"), told);
        const plumb = told ? JSON.parse(text.match(/^event: plumb\ndata: (.*)$/m)[1]).plumb : JSON.parse(text.match(/^: plumb (.*)$/m)[1]);
        assert.equal(plumb.attempts, 1);
        assert.equal(plumb.valid, true);
      }
    });

    it("what no repair mends is an error with the findings", async () => {
      proxy.script({ text: faulty });
      await assert.rejects(client.messages.create(ask(wire), quiz("enforce")), (error) => {
        assert.equal(error.status, 406);
        assert.equal(error.error.error.type, "contract_error");
        assert.ok(error.error.error.plumb.verdict.findings.length > 0);
        return true;
      });
      proxy.script({ text: faulty });
      await assert.rejects(client.messages.stream(ask(wire), quiz("hold-back")).finalMessage(), /does not keep the contract/);
    });

    it("leaving stops the provider", async () => {
      proxy.script({ text: "word ".repeat(10_000), gap_ms: 5 });
      const stream = client.messages.stream(ask(wire));
      await assert.rejects(async () => {
        stream.on("text", () => stream.abort());
        await stream.finalMessage();
      });
      await until(() => proxy.upstream.left("real") === 1, "the provider was left");
    });

    it("a stream that breaks off does not look complete", async () => {
      proxy.script({ text: "never to be finished", cut: 2 });
      await assert.rejects(client.messages.stream(ask(wire)).finalMessage());
    });
  }
}

test("anthropic: a setting that the provider's wire has no word for is left out, and the answer names it", async () => {
  proxy.script({ text: "x" });
  const { response } = await client.messages.create(ask("openai", { top_k: 5 })).withResponse();
  assert.equal(response.headers.get("x-plumb-lost"), "top_k");
  assert.equal(proxy.asked()[0].top_k, undefined);
});

test("anthropic: what the provider's wire cannot carry is refused by name", async () => {
  proxy.script({ text: "x" });
  await assert.rejects(client.messages.create(ask("openai", { mcp_servers: [{ type: "url", url: "https://x.example" }] })), (error) => {
    assert.ok(error instanceof Anthropic.BadRequestError);
    assert.match(error.message, /mcp_servers/);
    return true;
  });
  assert.equal(proxy.asked().length, 0);
});
