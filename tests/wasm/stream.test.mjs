// A stream is more and smaller inputs: how the bytes are split changes nothing.
import assert from "node:assert/strict";
import test from "node:test";
import { cleanQuiz, faultyQuiz, importPackage } from "./support.mjs";

const { load } = await importPackage();
const plumb = await load();
const quiz = plumb.contract("quiz");
const encoder = new TextEncoder();

const artifacts = [
  ["quiz", faultyQuiz],
  ["quiz", cleanQuiz(2)],
  ["quiz", '{"questions":[{"question":"\u{1F600} \u00e9 \\ud83d\\ude00","options":[1,"a"]}]} trailing'],
  ["quiz", '{"questions":['],
  ["flashcards", '{"flashcards":[{"front":"ATP","back":"x"},{"front":" atp","back":""},{"front":"A"}]}'],
  ["mindmap", '{"root":{"label":"A","children":[{"label":"B","children":[{"label":"A","children":[]}]}]}}'],
];

/** Everything a stream tells: the findings of each push by the byte that made them certain, and the verdict. */
function judge(contract, chunks) {
  const stream = contract.stream();
  const certain = [];
  for (const chunk of chunks) {
    certain.push(...stream.push(chunk));
  }
  const verdict = stream.end();
  certain.push(...stream.last);
  return { certain, verdict };
}

/** Findings in the order in which they became certain; completed ones come again under their id and are left out. */
function firsts(certain) {
  const seen = new Set();
  return certain
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .map(({ id, rule, at, decidedAt }) => [id, rule, at, decidedAt]);
}

test("byte by byte, unit by unit and in any two parts: the same findings in the same order, the same verdict", () => {
  for (const [name, text] of artifacts) {
    const contract = plumb.contract(name);
    const bytes = encoder.encode(text);
    const whole = contract.check(text);
    const expected = judge(
      contract,
      [...bytes].map((byte) => Uint8Array.of(byte)),
    );
    assert.deepEqual(expected.verdict, whole);
    assert.deepEqual(firsts(judge(contract, text.split("")).certain), firsts(expected.certain));
    for (let at = 0; at <= bytes.length; ++at) {
      const { certain, verdict } = judge(contract, [bytes.subarray(0, at), bytes.subarray(at)]);
      assert.deepEqual(verdict, whole);
      assert.deepEqual(firsts(certain), firsts(expected.certain));
    }
    for (let at = 0; at <= text.length; ++at) {
      assert.deepEqual(judge(contract, [text.slice(0, at), text.slice(at)]).verdict, whole);
    }
  }
});

test("findings come by the byte that makes them certain, never before and never after", () => {
  const bytes = encoder.encode(faultyQuiz);
  const stream = quiz.stream();
  for (let i = 0; i < bytes.length; ++i) {
    for (const finding of stream.push(bytes.subarray(i, i + 1))) {
      if (!finding.partial) {
        assert.ok(finding.decidedAt <= i + 1);
        assert.ok(finding.message.length > 0);
      } else {
        assert.equal(finding.decidedAt, i + 1);
      }
    }
  }
  assert.equal(stream.end().findings.length, 3);
});

test("a finding certain before its value has ended comes again, completed, under its id", () => {
  const contract = plumb.contract({ maxLength: 3 });
  const stream = contract.stream();
  const first = stream.push('"abcd');
  assert.deepEqual(
    first.map((finding) => [finding.rule, finding.partial]),
    [["maxLength", true]],
  );
  const second = stream.push('efg"');
  assert.deepEqual(
    second.map((finding) => [finding.id, finding.partial]),
    [[first[0].id, undefined]],
  );
  assert.match(second[0].message, /7/);
  assert.deepEqual(stream.end().findings, second);
  const cut = contract.stream();
  cut.push('"abcd');
  assert.match(cut.end().findings.find((finding) => finding.rule === "maxLength").message, /at least 4/);
});

test("two halves of a surrogate pair in two chunks are one character, a half alone is a finding", () => {
  const any = plumb.contract({ maxLength: 1 });
  const good = any.stream();
  good.push('"\uD83D');
  good.push("");
  good.push("\uDE00");
  good.push('"');
  assert.equal(good.end().valid, true);
  const bad = any.stream();
  bad.push('"\uD83D');
  bad.push('x"');
  assert.equal(bad.end().valid, false);
  const mixed = any.stream();
  mixed.push('"\uD83D');
  mixed.push(encoder.encode('"'));
  assert.equal(mixed.end().valid, false);
  const last = any.stream();
  last.push('"\uD83D');
  assert.equal(last.end().valid, false);
});

test("several streams and checks of one contract do not disturb each other", () => {
  const a = quiz.stream();
  const b = quiz.stream();
  const half = Math.floor(faultyQuiz.length / 2);
  a.push(faultyQuiz.slice(0, half));
  b.push('{"questions":');
  assert.equal(quiz.check(cleanQuiz(1)).valid, true);
  a.push(faultyQuiz.slice(half));
  b.push("[]}");
  assert.deepEqual(a.end(), quiz.check(faultyQuiz));
  assert.deepEqual(b.end(), quiz.check('{"questions":[]}'));
});

test("a stream that has ended says so; one that was given up leaves nothing behind", () => {
  const stream = quiz.stream();
  stream.push("{}");
  stream.end();
  assert.throws(() => stream.push(" "), { code: "invalid_argument", message: /ended/ });
  assert.throws(() => stream.end(), { code: "invalid_argument" });
  const given = quiz.stream();
  given.push("nonsense");
  given.dispose();
  given.dispose();
  assert.throws(() => given.push(" "), { code: "invalid_argument" });
  assert.equal(quiz.check(cleanQuiz(1)).valid, true);
});

test("a degenerate stream raises a signal early, beside the verdict", () => {
  const stream = plumb.contract(true).stream();
  let pushed = 0;
  while (stream.signals.length === 0 && pushed < 1 << 20) {
    stream.push(pushed === 0 ? "[1" : " ".repeat(64));
    pushed += 64;
  }
  assert.ok(stream.signals.length > 0, "no signal in 1 MB of white space");
  assert.equal(stream.signals[0].kind, "degenerate");
  assert.ok(stream.signals[0].atByte <= pushed);
  stream.push("]");
  const verdict = stream.end();
  assert.equal(verdict.valid, true);
  assert.deepEqual(verdict.signals, stream.signals);
});

test("large chunks give what small ones give", () => {
  const text = cleanQuiz(3000).replace("Nucleus 2999", "Chloroplast 2999");
  const whole = judge(quiz, [text]);
  const pieces = judge(quiz, text.match(/[^]{1,1000}/g));
  const bytes = judge(quiz, [encoder.encode(text)]);
  assert.deepEqual(pieces, whole);
  assert.deepEqual(bytes, whole);
  assert.deepEqual(whole.verdict, quiz.check(text));
});
