// A text that passes through a JudgingStream, as pieces of text or of bytes.
import assert from "node:assert/strict";
import test from "node:test";
import { cut, good, JudgingStream, judgeValue, quiz, why, wrong } from "./support.mjs";

const pieces = (made) => ReadableStream.from(cut(JSON.stringify(made)));
async function read(stream) {
  let text = "";
  for await (const piece of stream) text += typeof piece === "string" ? piece : Buffer.from(piece).toString("latin1");
  return text;
}

test("text passes through unchanged, and its verdict is there at the end", async () => {
  for (const made of [good, wrong]) {
    const heard = [];
    const judging = new JudgingStream(quiz, { onFinding: ({ message }) => heard.push(message) });
    assert.equal(await read(pieces(made).pipeThrough(judging)), JSON.stringify(made));
    const verdict = await judging.verdict;
    assert.equal(verdict.valid, made === good);
    assert.deepEqual(heard, made === good ? [] : [why]);
  }
});

test("the value so far is told while it passes, with what has changed", async () => {
  const shown = [];
  const texts = new Map();
  const judging = new JudgingStream(quiz, {
    onValue({ value, state }, changes) {
      shown.push([JSON.stringify(value).length, state]);
      for (const { at, added } of changes) if (added !== undefined) texts.set(at, (texts.get(at) ?? "") + added);
    },
  });
  await read(pieces(good).pipeThrough(judging));
  assert.equal((await judging.verdict).valid, true);
  assert.ok(shown.length > 20);
  assert.deepEqual(shown.map(([length]) => length), shown.map(([length]) => length).sort((a, b) => a - b));
  assert.deepEqual(shown.at(-1), [JSON.stringify(good).length, "complete"]);
  assert.equal(texts.get("/questions/0/explanation"), good.questions[0].explanation);
});

test("bytes of a response pass through it", async () => {
  const judging = new JudgingStream(quiz);
  const passed = new Response(new Response(JSON.stringify(good)).body.pipeThrough(judging));
  assert.deepEqual(await passed.json(), good);
  assert.deepEqual((await judging.verdict).value, good);
});

test("with stopEarly the first error breaks it, and its source is cancelled", async () => {
  let cancelled;
  const parts = cut(JSON.stringify({ questions: [wrong.questions[0], ...Array(50).fill(good.questions[0])] }));
  const source = new ReadableStream({
    pull: (controller) => (parts.length > 0 ? controller.enqueue(parts.shift()) : controller.close()),
    cancel: (reason) => (cancelled = reason),
  });
  const judging = new JudgingStream(quiz, { stopEarly: true });
  await assert.rejects(read(source.pipeThrough(judging)), { code: "limit", message: `stopped: ${why}`, where: "/questions/0/correct_answer" });
  await assert.rejects(judging.verdict, { message: `stopped: ${why}` });
  assert.ok(parts.length > 100, `${parts.length} pieces were never read`);
  assert.equal(cancelled?.code, "limit");
});

test("a stream that is given up has no verdict", async () => {
  const broken = new JudgingStream(quiz);
  const failing = new ReadableStream({
    start: (controller) => controller.enqueue("{"),
    pull: (controller) => controller.error(new Error("cut")),
  });
  await assert.rejects(read(failing.pipeThrough(broken)), /cut/);
  await assert.rejects(broken.verdict, /cut/);
  const left = new JudgingStream(quiz);
  const reader = pieces(good).pipeThrough(left).getReader();
  await reader.read();
  await reader.cancel(new Error("enough"));
  await assert.rejects(left.verdict, /enough|given up/);
});

test("a value that was parsed already has a verdict", () => {
  assert.equal(judgeValue(quiz, good).valid, true);
  assert.equal(judgeValue(quiz, JSON.stringify(good)).valid, false, "a string is a value there");
});
