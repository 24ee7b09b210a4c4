// OpenAI's own client through the proxy, with a provider of each wire behind it.
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { after, before } from "node:test";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { Proxy, named, seed, shared, test, until, wires } from "./support.mjs";

let proxy;
let client;
before(async () => {
  proxy = await Proxy.start();
  client = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 0 });
});
after(() => proxy.stop());

const messages = [{ role: "user", content: "Please." }];
const faulty = seed("quiz_faulty");
const repaired = seed("quiz_repaired");
const tool = {
  type: "function",
  function: {
    name: "weather", description: "The weather", strict: true,
    parameters: { type: "object", required: ["city"], additionalProperties: false, properties: { city: { type: "string" } } },
  },
};
const quiz = (mode) => ({ headers: { "x-plumb-contract": "quiz", "x-plumb-mode": mode } });
const quizTold = (mode) => ({ headers: { ...quiz(mode).headers, "x-plumb-events": "on" } });

for (const wire of wires) {
  {
    const it = named(`openai over ${wire}`);
    it("a whole answer has its text, finish and usage", async () => {
      proxy.script({ text: "Grüße 😀" });
      const answer = await client.chat.completions.create({ model: wire, messages });
      assert.equal(answer.choices[0].message.content, "Grüße 😀");
      assert.equal(answer.choices[0].finish_reason, "stop");
      assert.deepEqual([answer.usage.prompt_tokens, answer.usage.completion_tokens], [21, 34]);
    });

    it("a stream gives the same text, and usage where it is asked for", async () => {
      proxy.script({ text: "one two three four five", piece: 3 });
      const stream = await client.chat.completions.create({
        model: wire, messages, stream: true, stream_options: { include_usage: true },
      });
      let text = "";
      let usage;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        usage = chunk.usage ?? usage;
      }
      assert.equal(text, "one two three four five");
      assert.equal(usage.completion_tokens, 34);
    });

    it("usage is kept from a stream that did not ask for it", async () => {
      proxy.script({ text: "hello" });
      const stream = await client.chat.completions.create({ model: wire, messages, stream: true });
      for await (const chunk of stream) {
        assert.equal(chunk.choices.length, 1);
        assert.ok(!chunk.usage);
      }
    });

    it("calls of tools come whole, and the conversation goes on with their results", async () => {
      proxy.script({ calls: [{ name: "weather", arguments: '{"city":"Bonn"}' }, { name: "weather", arguments: '{"city":"Köln"}' }] },
        { text: "Both are sunny." });
      const asked = [];
      const runner = client.beta.chat.completions.runTools({
        model: wire, messages, stream: true,
        tools: [{ type: "function", function: { ...tool.function, parse: JSON.parse, function: ({ city }) => (asked.push(city), "sunny") } }],
      });
      assert.equal(await runner.finalContent(), "Both are sunny.");
      assert.deepEqual(asked, ["Bonn", "Köln"]);
      assert.equal(proxy.asked().length, 2);
    });

    it("a structured answer is parsed, and observed by its own schema", async () => {
      proxy.script({ text: '{"name":"Ada","age":36}' });
      const answer = await client.beta.chat.completions.parse({
        model: wire, messages,
        response_format: zodResponseFormat(z.object({ name: z.string(), age: z.number() }), "person"),
      });
      assert.deepEqual(answer.choices[0].message.parsed, { name: "Ada", age: 36 });
      assert.equal(answer.plumb.decision, "accept");
      assert.equal(answer.plumb.mode, "observe");
    });

    it("observe passes the faulty quiz on and reports it", async () => {
      proxy.script({ text: faulty });
      const { data, response } = await client.chat.completions.create({ model: wire, messages }, quiz("observe")).withResponse();
      assert.equal(data.choices[0].message.content, faulty);
      assert.equal(data.plumb.verdict.findings.length, 3);
      assert.equal(response.headers.get("x-plumb-verdict"), "invalid");
      assert.equal(proxy.asked().length, 1);
    });

    it("enforce gives the repaired quiz, whole", async () => {
      proxy.script({ text: faulty }, { text: repaired });
      const { data, response } = await client.chat.completions.create({ model: wire, messages }, quiz("enforce")).withResponse();
      assert.equal(data.choices[0].message.content, repaired);
      assert.equal(data.plumb.attempts, 1);
      assert.equal(response.headers.get("x-plumb-verdict"), "valid");
      assert.equal(response.headers.get("x-plumb-decision"), "accept_unverified"); // the quiz has rules for a judge, and there is none
      const told = JSON.stringify(proxy.asked()[1]);
      assert.match(told, /Must have at least 4 options \(has 3\)/);
    });

    it("enforce gives the repaired quiz in a stream, and stops the first one early", async (context) => {
      proxy.script({ text: faulty, gap_ms: 2 }, { text: repaired });
      const stream = await client.chat.completions.create({ model: wire, messages, stream: true }, quizTold("enforce"));
      let text = "";
      let plumb;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        plumb = chunk.plumb ?? plumb;
      }
      assert.equal(text, repaired);
      assert.equal(plumb.stopped[0].rule, "minItems");
      await until(() => proxy.upstream.left("real") === 1, "the provider was left");
      const sent = proxy.upstream.sent("real") - repaired.length;
      assert.ok(sent < faulty.length - 200);
      context.diagnostic(`${wire}: ${sent} of ${faulty.length} characters of the faulty quiz were written; ${plumb.tokens.saved} tokens saved`);
    });

    it("hold-back gives a prefix of one quiz at every moment, and the whole of it at the end", async () => {
      const cut = repaired.indexOf("},\n    {") + 1;
      const half = repaired.slice(0, cut) + faulty.slice(faulty.indexOf("},\n    {") + 1);
      proxy.script({ text: half, gap_ms: 1 }, { text: repaired });
      const stream = await client.chat.completions.create({ model: wire, messages, stream: true }, quizTold("hold-back"));
      const texts = [];
      let plumb;
      for await (const chunk of stream) {
        texts.push(chunk.choices[0]?.delta.content ?? "");
        plumb = chunk.plumb ?? plumb;
      }
      assert.equal(texts.filter((text) => text !== "")[0], repaired.slice(0, cut));
      assert.deepEqual(JSON.parse(texts.join("")), JSON.parse(repaired));
      assert.equal(plumb.valid, true);
    });

    it("an Idempotency-Key is one call, whatever connection the client tries again on", async () => {
      proxy.script({ text: "once" });
      const each = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 0, httpAgent: new Agent({ keepAlive: false }) });
      const key = { headers: { "idempotency-key": `order-${wire}` } };
      const answers = [await each.chat.completions.create({ model: wire, messages }, key)];
      // Another proxy hears of the answer a moment after the client has it, and says so with a 409 until then; one alone never does.
      for (const deadline = Date.now() + 10_000; answers.length < 4;) {
        try {
          answers.push(await each.chat.completions.create({ model: wire, messages }, key));
        } catch (error) {
          assert.ok(shared && error instanceof OpenAI.ConflictError && Date.now() < deadline, error);
          assert.ok(Number(error.headers["retry-after"]) > 0, "when to come again is said");
        }
      }
      assert.equal(new Set(answers.map((answer) => answer.id)).size, 1);
      assert.equal(answers[3].choices[0].message.content, "once");
      assert.equal(proxy.asked().length, 1);
      await assert.rejects(each.chat.completions.create({ model: wire, messages, top_p: 0.5 }, key), OpenAI.UnprocessableEntityError);
    });

    it("what no repair mends is an error with the findings, not tried again by the client", async () => {
      proxy.script({ text: faulty });
      const again = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 2 });
      await assert.rejects(again.chat.completions.create({ model: wire, messages }, quiz("enforce")), (error) => {
        assert.equal(error.status, 406);
        assert.equal(error.code, "contract_not_kept");
        assert.equal(error.error.plumb.attempts, 2);
        assert.ok(error.error.plumb.verdict.findings.some((finding) => finding.rule === "minItems"));
        return true;
      });
      assert.equal(proxy.asked().length, 3);
    });

    it("in a stream that error is raised by the client", async () => {
      proxy.script({ text: faulty });
      await assert.rejects(client.chat.completions.create({ model: wire, messages, stream: true }, quiz("hold-back")), (error) => {
        assert.equal(error.status, 406);
        assert.match(error.message, /does not keep the contract quiz/);
        return true;
      });
      // Once something has been released it is an error event.
      const cut = repaired.indexOf("},\n    {") + 1;
      proxy.script({ text: repaired.slice(0, cut) + faulty.slice(faulty.indexOf("},\n    {") + 1) }, { text: faulty });
      const stream = await client.chat.completions.create({ model: wire, messages, stream: true }, quiz("hold-back"));
      await assert.rejects(async () => {
        for await (const chunk of stream) {
          assert.ok(chunk);
        }
      }, /does not keep the contract quiz/);
    });

    it("leaving stops the provider", async () => {
      proxy.script({ text: "word ".repeat(10_000), gap_ms: 5 });
      const stream = await client.chat.completions.create({ model: wire, messages, stream: true });
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content) {
          stream.controller.abort();
        }
      }
      await until(() => proxy.upstream.left("real") === 1, "the provider was left");
    });

    it("a provider that is busy is asked again, and one that refuses is not", async () => {
      proxy.script({ status: 503 }, { status: 500 }, { text: "at last" });
      const answer = await client.chat.completions.create({ model: wire, messages });
      assert.equal(answer.choices[0].message.content, "at last");
      assert.equal(proxy.asked().length, 3);
      proxy.script({ status: 401, message: "bad key sk-the-providers-own-key" });
      await assert.rejects(client.chat.completions.create({ model: wire, messages }), (error) => {
        assert.ok(!error.message.includes("own-key"), error.message);
        return true;
      });
      assert.equal(proxy.asked().length, 1);
    });

    it("a stream that breaks off does not look complete", async () => {
      proxy.script({ text: "never to be finished", cut: 2 });
      const stream = await client.chat.completions.create({ model: wire, messages, stream: true });
      await assert.rejects(async () => {
        for await (const chunk of stream) {
          assert.ok(chunk);
        }
      });
    });
  }
}

test("openai: a wrong plumb object is a clear error", async () => {
  await assert.rejects(client.chat.completions.create({ model: "openai", messages, plumb: { contrat: "quiz" } }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.match(error.message, /did you mean contract\?/);
    return true;
  });
});

test("openai: a conversation that cannot be written again is left out of a repair", async () => {
  proxy.script({ text: faulty }, { text: repaired });
  const heard = [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }] }];
  const answer = await client.chat.completions.create({ model: "openai", messages: heard }, quiz("enforce"));
  assert.equal(answer.choices[0].message.content, repaired);
  assert.equal(proxy.asked()[0].messages[0].content[0].type, "input_audio");
  assert.equal(proxy.asked()[1].messages.length, 2);
});

test("openai: models are listed", async () => {
  const names = [];
  for await (const model of client.models.list()) {
    names.push(model.id);
  }
  assert.ok(wires.every((wire) => names.includes(wire)), names.join(" "));
});
