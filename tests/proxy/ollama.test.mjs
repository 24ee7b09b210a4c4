// Ollama's own client: chats and prompts, whole and streamed, through providers of every kind.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { Ollama } from "ollama";
import { Proxy, test, wires } from "./support.mjs";

let proxy;
let ollama;
const clientWith = (headers) => new Ollama({ host: proxy.origin, headers });
before(async () => {
  proxy = await Proxy.start();
  ollama = clientWith({});
});
after(() => proxy.stop());

const collected = async (stream, piece) => {
  let text = "";
  let last;
  for await (const part of stream) {
    text += piece(part);
    last = part;
  }
  return { text, last };
};

test("ollama: a chat and a prompt are answered, whole and streamed, by every provider", async () => {
  for (const model of [...wires, "responses"]) {
    proxy.script({ text: "Bern is a town." });
    const messages = [{ role: "user", content: "Where?" }];
    const whole = await ollama.chat({ model, messages });
    assert.equal(whole.message.content, "Bern is a town.");
    assert.deepEqual([whole.done, whole.done_reason], [true, "stop"]);
    const chat = await collected(await ollama.chat({ model, messages, stream: true }), (part) => part.message.content);
    assert.equal(chat.text, "Bern is a town.");
    const prompt = await ollama.generate({ model, prompt: "Where?", system: "Be brief." });
    assert.equal(prompt.response, "Bern is a town.");
    assert.deepEqual([prompt.done, prompt.done_reason, prompt.message], [true, "stop", undefined]);
    const asked = proxy.asked().at(-1);
    assert.ok(JSON.stringify(asked).includes("Be brief.") && JSON.stringify(asked.messages).includes("Where?"));
    const told = await collected(await ollama.generate({ model, prompt: "Where?", stream: true }), (part) => part.response);
    assert.equal(told.text, "Bern is a town.");
    assert.deepEqual([told.last.done, told.last.done_reason], [true, "stop"]);
    assert.ok(told.last.eval_count > 0);
  }
});

test("ollama: the answer to a prompt is held to a contract", async () => {
  const held = clientWith({ "x-plumb-contract": "flashcards" });
  proxy.script({ text: "no cards" });
  for (const stream of [false, true]) {
    await assert.rejects(async () => {
      const answer = await held.generate({ model: "openai", prompt: "Make cards.", stream });
      if (stream) {
        await collected(answer, (part) => part.response);
      }
    }, /flashcards|contract|JSON/);
  }
});

test("ollama: what is not answered is an error in Ollama's form", async () => {
  proxy.script({ text: "x" });
  const before = proxy.asked().length;
  await assert.rejects(ollama.generate({ model: "openai", prompt: "x", raw: true }),
    (error) => error.status_code === 400 && error.message.includes("/api/chat"));
  await assert.rejects(ollama.generate({ model: "openai", prompt: "" }), (error) => error.status_code === 400 && error.message.includes("prompt"));
  await assert.rejects(ollama.show({ model: "openai" }), (error) => error.status_code === 404 && error.message.includes("'api/show' is not served"));
  assert.equal(proxy.asked().length, before);
});

test("ollama: the version and the models are told", async () => {
  assert.match((await ollama.version()).version, /^\d+\.\d+\.\d+$/);
  assert.ok((await ollama.list()).models.some((one) => one.name === "openai"));
});
