// @tanstack/ai: a contract is the outputSchema of chat(); its events are judged while they arrive.
import assert from "node:assert/strict";
import test from "node:test";
import { chat } from "@tanstack/ai";
import { BaseTextAdapter } from "@tanstack/ai/adapters";
import { cut, format, good, judge, quiz, readValues, values, why, wrong } from "./support.mjs";

class Scripted extends BaseTextAdapter {
  name = "scripted";
  asked = [];
  constructor(text) {
    super({}, "m");
    this.text = text;
  }
  async *chatStream(options) {
    this.asked.push(options);
    const base = { threadId: "t", runId: "r", timestamp: Date.now(), model: "m" };
    yield { ...base, type: "RUN_STARTED" };
    yield { ...base, type: "TEXT_MESSAGE_START", messageId: "1", role: "assistant" };
    for (const delta of cut(this.text)) yield { ...base, type: "TEXT_MESSAGE_CONTENT", messageId: "1", delta };
    yield { ...base, type: "TEXT_MESSAGE_END", messageId: "1" };
    yield { ...base, type: "RUN_FINISHED", finishReason: "stop" };
  }
  async structuredOutput({ outputSchema, chatOptions }) {
    this.asked.push({ outputSchema, ...chatOptions });
    return { data: JSON.parse(this.text), rawText: this.text };
  }
}

test("chat() sends the contract's schema, and gives what keeps the whole contract", async () => {
  const ask = (made) => {
    const adapter = new Scripted(JSON.stringify(made));
    const messages = [{ role: "user", content: "A quiz, please." }];
    return [adapter, chat({ adapter, messages, systemPrompts: [format.prompt], outputSchema: format })];
  };
  const [adapter, answer] = ask(good);
  assert.deepEqual(await answer, good);
  const sent = adapter.asked.find(({ outputSchema }) => outputSchema !== undefined);
  assert.deepEqual(sent.outputSchema.required, ["questions"]);
  assert.match(JSON.stringify(sent.systemPrompts), /correct_answer/);
  const failed = await ask(wrong)[1].then(() => undefined, (error) => error);
  assert.ok(failed?.message.includes(why), failed?.message);
});

test("a stream of its events is judged while it arrives", async () => {
  const adapter = new Scripted(JSON.stringify(wrong));
  const verdict = await judge(quiz, chat({ adapter, messages: [{ role: "user", content: "A quiz." }] }));
  assert.deepEqual(verdict.findings.map(({ message }) => message), [why]);
  const events = chat({ adapter: new Scripted(JSON.stringify(good)), messages: [{ role: "user", content: "A quiz." }] });
  assert.equal((await readValues(values(quiz, events), good)).valid, true);
});
