// OpenAI's responses through the proxy: its own client with its stream helpers, and the Agents SDK, with a provider of each
// wire behind it, one that has responses among them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { Agent, OpenAIProvider, Runner, setTraceProcessors, tool as agentTool } from "@openai/agents";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { Proxy, named, plumb, responseWires, seed, test, wires } from "./support.mjs";

let proxy;
let client;
before(async () => {
  setTraceProcessors([]);
  proxy = await Proxy.start();
  client = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 0 });
});
after(() => proxy.stop());

const input = "Please.";
const textOf = (answer) => answer.output.flatMap((item) => item.content ?? []).map((part) => part.text).join("");
const faulty = seed("quiz_faulty");
const repaired = seed("quiz_repaired");
const weather = {
  type: "function", name: "weather", description: "The weather", strict: true,
  parameters: { type: "object", required: ["city"], additionalProperties: false, properties: { city: { type: "string" } } },
};
// Blanks, escapes and the order of members as no serialiser would write them.
const reasoning = '{"id":"rs_1", "type":"reasoning","summary":[],"encrypted_content":"gAAA\\/b\\u003d\\u003d", "zeta":1.50}';
const held = (mode, more = {}) => ({ headers: { "x-plumb-contract": "quiz", "x-plumb-mode": mode, ...more } });
const raw = async (body, headers = {}) => {
  const response = await fetch(`${proxy.origin}/v1/responses`, {
    method: "POST", headers: { "content-type": "application/json", ...headers }, body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { response, text: await response.text() };
};
const eventsOf = (text) => text.split("\n\n").filter((one) => one.startsWith("event:")).map((one) => JSON.parse(one.slice(one.indexOf("data: ") + 6)));

// What official clients rely on, and more than they check.
function lawful(events) {
  assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, i) => i), "sequence numbers have no gap");
  const items = new Map();
  const texts = new Map();
  for (const event of events) {
    if (event.type === "response.output_item.added") {
      items.set(event.output_index, event.item.id);
    } else if (event.item_id !== undefined) {
      assert.equal(event.item_id, items.get(event.output_index), event.type);
    }
    if (event.type.endsWith(".delta")) {
      texts.set(event.item_id, (texts.get(event.item_id) ?? "") + event.delta);
    } else if (event.type === "response.output_text.done") {
      assert.equal(event.text, texts.get(event.item_id));
    } else if (event.type === "response.function_call_arguments.done") {
      assert.equal(event.arguments, texts.get(event.item_id));
    } else if (event.type === "response.output_item.done") {
      assert.equal(event.item.id, items.get(event.output_index));
    }
  }
  const last = events.at(-1);
  assert.equal(last.type, "response.completed");
  assert.deepEqual(last.response.output.map((item) => item.id), [...items.values()]);
  assert.equal(events[0].response.id, last.response.id);
  return last.response;
}

for (const wire of responseWires) {
  const it = named(`responses over ${wire}`);
  it("a whole answer has its text and usage", async () => {
    proxy.script({ text: "Grüße 😀" });
    const answer = await client.responses.create({ model: wire, input, store: false });
    assert.equal(answer.output_text, "Grüße 😀");
    assert.equal(answer.status, "completed");
    assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [21, 34]);
  });

  it("a stream keeps the protocol's laws, and the helper gives the same answer", async () => {
    proxy.script({ text: "one two three four five", piece: 3 });
    const stream = client.responses.stream({ model: wire, input, store: false });
    const events = [];
    stream.on("event", ({ parsed_arguments: _, snapshot: __, ...event }) => events.push(event));
    const answer = await stream.finalResponse();
    assert.equal(textOf(answer), "one two three four five");
    assert.equal(lawful(events).output[0].content[0].text, "one two three four five");
  });

  it("a structured answer is parsed, and what we say of it is no event", async () => {
    proxy.script({ text: '{"name":"Ada","age":36}' });
    const answer = await client.responses.parse({
      model: wire, input, store: false, text: { format: zodTextFormat(z.object({ name: z.string(), age: z.number() }), "person") },
    });
    assert.deepEqual(answer.output_parsed, { name: "Ada", age: 36 });
    assert.equal(answer.plumb.decision, "accept");
    const { text } = await raw({
      model: wire, input, stream: true, store: false,
      text: { format: { type: "json_schema", name: "n", schema: { type: "object", required: ["name"] } } },
    });
    lawful(eventsOf(text));
    assert.match(text, /\n: plumb \{"valid":true/);
  });

  it("calls of tools come with their ids, and the conversation goes on with their results", async () => {
    proxy.script({ calls: [{ name: "weather", arguments: '{"city":"Bonn"}' }, { name: "weather", arguments: '{"city":"Köln"}' }] },
      { text: "Both are sunny." });
    const stream = client.responses.stream({ model: wire, input, tools: [weather], store: false });
    const events = [];
    stream.on("event", ({ snapshot: _, ...event }) => events.push(event));
    const first = await stream.finalResponse();
    lawful(events);
    assert.deepEqual(first.output.map((item) => JSON.parse(item.arguments).city), ["Bonn", "Köln"]);
    const second = await client.responses.create({
      model: wire, store: false, tools: [weather],
      input: [{ role: "user", content: input }, ...first.output.map(({ parsed_arguments: _, ...item }) => item),
        ...first.output.map((item) => ({ type: "function_call_output", call_id: item.call_id, output: "sunny" }))],
    });
    assert.equal(second.output_text, "Both are sunny.");
    assert.equal(JSON.stringify(proxy.asked()[1]).match(/sunny/g).length, 2);
  });

  it("enforce gives the repaired quiz, whole and in a stream", async () => {
    proxy.script({ text: faulty }, { text: repaired });
    const { data, response } = await client.responses.create({ model: wire, input, store: false }, held("enforce")).withResponse();
    assert.equal(data.output_text, repaired);
    assert.equal(data.plumb.attempts, 1);
    assert.equal(response.headers.get("x-plumb-verdict"), "valid");
    assert.match(JSON.stringify(proxy.asked()[1]), /Must have at least 4 options \(has 3\)/);
    proxy.script({ text: faulty, gap_ms: 1 }, { text: repaired });
    const { text } = await raw({ model: wire, input, stream: true, store: false }, held("enforce").headers);
    assert.equal(lawful(eventsOf(text)).output[0].content[0].text, repaired);
    assert.match(text, /\n: plumb \{"valid":true/);
  });

  it("hold-back gives a prefix of one quiz at every moment", async () => {
    const cut = repaired.indexOf("},\n    {") + 1;
    const half = repaired.slice(0, cut) + faulty.slice(faulty.indexOf("},\n    {") + 1);
    proxy.script({ text: half, gap_ms: 1 }, { text: repaired });
    const { text } = await raw({ model: wire, input, stream: true, store: false }, held("hold-back", { "x-plumb-events": "on" }).headers);
    const events = eventsOf(text);
    const told = events.filter((event) => event.type === "response.plumb");
    assert.equal(told[0].plumb.valid, true);
    const response = lawful(events.filter((event) => event.type !== "response.plumb"));
    assert.deepEqual(JSON.parse(response.output[0].content[0].text), JSON.parse(repaired));
    assert.equal(events.find((event) => event.type === "response.output_text.delta").delta, repaired.slice(0, cut));
  });

  it("what no repair mends is an error that the client throws", async () => {
    proxy.script({ text: faulty });
    await assert.rejects(client.responses.create({ model: wire, input, store: false }, held("enforce")), (error) => {
      assert.equal(error.status, 406);
      assert.equal(error.code, "contract_not_kept");
      return true;
    });
    const cut = repaired.indexOf("},\n    {") + 1;
    proxy.script({ text: repaired.slice(0, cut) + faulty.slice(faulty.indexOf("},\n    {") + 1) }, { text: "no" });
    const { text } = await raw({ model: wire, input, stream: true, store: false }, held("hold-back").headers);
    const events = eventsOf(text);
    assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, i) => i));
    assert.equal(events.at(-1).type, "error");
    assert.equal(events.at(-1).error.code, "contract_not_kept");
    await assert.rejects(client.responses.stream({ model: wire, input, store: false }, held("hold-back")).finalResponse());
  });

  it("the Agents SDK drives a tool and gets its answer", async () => {
    proxy.script({ calls: [{ name: "weather", arguments: '{"city":"Bonn"}' }] }, { text: "It is sunny in Bonn." });
    const asked = [];
    const agent = new Agent({
      name: "Forecaster", model: wire, instructions: "Say what the weather is.", modelSettings: { store: false },
      tools: [agentTool({ name: "weather", description: "The weather", parameters: z.object({ city: z.string() }),
        execute: async ({ city }) => (asked.push(city), "sunny") })],
    });
    const modelProvider = new OpenAIProvider({ baseURL: `${proxy.origin}/v1`, apiKey: "none", useResponses: true });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    assert.equal((await runner.run(agent, "What is it like in Bonn?")).finalOutput, "It is sunny in Bonn.");
    proxy.script({ calls: [{ name: "weather", arguments: '{"city":"Köln"}' }] }, { text: "It rains." });
    const streamed = await runner.run(agent, "And in Köln?", { stream: true });
    let text = "";
    for await (const piece of streamed.toTextStream()) {
      text += piece;
    }
    await streamed.completed;
    assert.deepEqual([text, streamed.finalOutput, asked], ["It rains.", "It rains.", ["Bonn", "Köln"]]);
  });
}

for (const wire of wires) {
  test(`responses over ${wire}: what only a provider that keeps responses can do is refused by name`, async () => {
    proxy.script({ text: "x" });
    for (const [member, value] of [["previous_response_id", "resp_1"], ["store", true], ["background", true], ["conversation", "conv_1"]]) {
      const { response, text } = await raw({ model: wire, input, [member]: value });
      assert.equal(response.status, 400, text);
      assert.match(JSON.parse(text).error.message, new RegExp(`/${member}`));
    }
    assert.equal(proxy.asked().length, 0);
    const { response } = await raw({ model: wire, input: [{ role: "user", content: input }, JSON.parse(reasoning)], include: ["reasoning.encrypted_content"] });
    assert.match(response.headers.get("x-plumb-lost"), /include/);
    assert.match(response.headers.get("x-plumb-lost"), /input\.reasoning/);
  });
}

test("responses: bytes pass as they came, in both directions", async () => {
  proxy.script({ text: "Grüße 😀", reasoning });
  const body = `{ "model" : "responses",\n "input":[ ${reasoning}, {"role":"user","content":"x"} ],"temperature":1.0,"seed_of_tomorrow":1e2 }`;
  const whole = await raw(body);
  assert.equal(whole.text, proxy.upstream.bytes("real"));
  assert.equal(proxy.asked().texts[0], body.replace('"responses"', '"real"'));
  const stream = await raw(body.replace("{ ", '{ "stream":true,'));
  assert.equal(stream.text, proxy.upstream.bytes("real"));
  assert.ok(stream.text.includes(reasoning));
});

test("responses: reasoning comes byte for byte where the answer is written anew", async () => {
  for (const stream of [true, false]) {
    proxy.script({ text: faulty, reasoning }, { text: repaired });
    const { text } = await raw({ model: "responses", input, stream }, held("enforce").headers);
    assert.equal(text.split(reasoning).length - 1, stream ? 3 : 1);
    const response = stream ? lawful(eventsOf(text)) : JSON.parse(text);
    assert.deepEqual(response.output.map((item) => item.id), ["rs_1", "msg_up"]);
    assert.deepEqual(response.metadata, { from: "upstream" });
    assert.equal(proxy.asked()[1].store, false, "a repair is not kept");
  }
});

test("responses: one that is being written is read again by its id, from any event on", async () => {
  proxy.script({ text: "one two three four five six seven eight nine ten", piece: 2, gap_ms: 15 });
  const first = await client.responses.create({ model: "responses", input, stream: true, background: true });
  const seen = [];
  let id;
  for await (const event of first) {
    id ??= event.response?.id;
    seen.push(event);
    if (event.type === "response.output_text.delta" && seen.length > 8) {
      break; // the client leaves; the provider goes on
    }
  }
  const again = await client.responses.retrieve(id, { stream: true, starting_after: seen.at(-1).sequence_number });
  for await (const event of again) {
    seen.push(event);
  }
  assert.equal(lawful(seen).output[0].content[0].text, "one two three four five six seven eight nine ten");
  assert.equal(textOf(await client.responses.retrieve(id)), "one two three four five six seven eight nine ten");
  assert.ok(proxy.upstream.kept(id).asked[0].includes("starting_after="));
  await client.responses.del(id);
  await assert.rejects(client.responses.retrieve(id), OpenAI.NotFoundError);
});

test("responses: an answer that was held to a contract is not given again as the provider keeps it", async () => {
  proxy.script({ text: faulty }, { text: repaired });
  const answer = await client.responses.create({ model: "responses", input }, held("enforce"));
  await assert.rejects(client.responses.retrieve(answer.id), (error) => error.status === 404 && /held to a contract/.test(error.message));
  proxy.script({ text: "on" });
  assert.equal((await client.responses.create({ model: "responses", input, previous_response_id: answer.id })).output_text, "on");
});

test("responses: what is made in the background is not judged, and is refused under a contract", async () => {
  proxy.script({ text: "later" });
  const queued = await client.responses.create({
    model: "responses", input, background: true,
    text: { format: { type: "json_schema", name: "n", schema: { type: "object" } } },
  });
  assert.equal(queued.status, "queued");
  assert.equal(queued.plumb, undefined);
  assert.equal(textOf(await client.responses.retrieve(queued.id)), "later");
  await assert.rejects(client.responses.create({ model: "responses", input, background: true }, held("enforce")), /background/);
});

test("responses: nobody gets what was made for another client key, nor goes on from it", async () => {
  const keys = join(mkdtempSync(join(tmpdir(), "plumb-keys-")), "keys.json");
  const env = { ...process.env, PLUMB_KEYS: keys };
  const [ada, bob] = ["ada", "bob"].map((name) => {
    const made = spawnSync(plumb, ["keys", "create", name], { env, encoding: "utf8" });
    return new OpenAI({ baseURL: "http://nowhere", apiKey: /plumb_\w+/.exec(made.stdout)[0], maxRetries: 0 });
  });
  const keyed = await Proxy.start("", { PLUMB_KEYS: keys });
  try {
    ada.baseURL = bob.baseURL = `${keyed.origin}/v1`;
    keyed.script({ text: "Ada's" });
    const answer = await ada.responses.create({ model: "responses", input });
    assert.equal(textOf(await ada.responses.retrieve(answer.id)), "Ada's");
    const unknown = (error) => error.status === 404 && error.code === "response_not_found";
    await assert.rejects(bob.responses.retrieve(answer.id), unknown);
    await assert.rejects(bob.responses.retrieve(answer.id, { stream: true, starting_after: 0 }), unknown);
    await assert.rejects(bob.responses.del(answer.id), unknown);
    await assert.rejects(bob.responses.cancel(answer.id), unknown);
    await assert.rejects(bob.responses.inputItems.list(answer.id), unknown);
    const asked = keyed.asked().length;
    await assert.rejects(bob.responses.create({ model: "responses", input, previous_response_id: answer.id }),
      (error) => error.status === 400 && error.code === "previous_response_not_found");
    await assert.rejects(bob.responses.create({ model: "responses", input, conversation: "conv_1" }), /conversation/);
    assert.equal(keyed.asked().length, asked, "the provider was not asked");
    assert.equal(keyed.upstream.kept(answer.id).asked.length, 1);
    keyed.script({ text: "on" });
    assert.equal((await ada.responses.create({ model: "responses", input, previous_response_id: answer.id })).output_text, "on");
    assert.equal(keyed.asked()[0].previous_response_id, answer.id);
  } finally {
    await keyed.stop();
    rmSync(dirname(keys), { recursive: true });
  }
});
