// Edits in the package: the option, the verdict's edits, the edited text, and the same in a stream.
import assert from "node:assert/strict";
import test from "node:test";
import { cleanQuiz, importPackage } from "./support.mjs";

const { load } = await importPackage();
const plumb = await load();
const quiz = plumb.contract("quiz");
const anything = plumb.contract({});
const clean = cleanQuiz(2);
const fenced = `Here it is:\n\n\`\`\`json\n${clean}\n\`\`\`\nHope this helps!`;

test("without the option nothing is edited; with it every edit is told and the text that was judged is given", () => {
  const plain = quiz.check(fenced);
  assert.equal(plain.valid, false);
  assert.deepEqual(plain.edits, []);
  assert.equal(plain.text, undefined);
  const edited = quiz.check(fenced, { edits: "certain" });
  assert.equal(edited.valid, true);
  assert.deepEqual(
    edited.edits.map((edit) => [edit.class, edit.certain, edit.applied]),
    [
      ["prose", true, true],
      ["fence", true, true],
      ["prose", true, true],
    ],
  );
  assert.deepEqual(JSON.parse(edited.text), JSON.parse(clean));
  assert.deepEqual(quiz.check(new TextEncoder().encode(fenced), { edits: "certain" }), edited);
  assert.equal(quiz.check(clean, { edits: "certain" }).text, undefined);
});

test("the changes of the edits that were made give the text that was judged", () => {
  const text = "{'a': True, b: [1, {} {}],} // done";
  const verdict = anything.check(text, { edits: "guess" });
  const changes = verdict.edits
    .flatMap((edit) => (edit.applied ? edit.changes : []))
    .sort((a, b) => a.from - b.from || a.to - b.to);
  let out = "";
  let at = 0;
  for (const { from, to, text: instead } of changes) {
    out += text.slice(at, from) + instead;
    at = to;
  }
  assert.equal(out + text.slice(at), verdict.text);
  assert.deepEqual(JSON.parse(verdict.text), { a: true, b: [1, {}, {}] });
});

test("a guess is offered, and made where it is allowed for its class alone", () => {
  const text = '["he said "hi" there"]';
  const offered = anything.check(text, { edits: "certain" });
  assert.equal(offered.valid, false);
  assert.deepEqual(
    offered.edits.map((edit) => [edit.class, edit.applied]),
    [
      ["innerQuote", false],
      ["innerQuote", false],
    ],
  );
  assert.equal(offered.text, undefined);
  const made = anything.check(text, { edits: { innerQuote: "guess" } });
  assert.deepEqual(JSON.parse(made.text), ['he said "hi" there']);
  assert.throws(() => anything.check(text, { edits: { innerQuotes: "guess" } }), /did you mean 'innerQuote'/);
  assert.throws(() => anything.check(text, { edits: "always" }), /none, certain and guess/);
});

test("a stream with edits gives the verdict of the whole text, however it is cut, also in the middle of an escape", () => {
  for (const text of [fenced, '```json\n{"a": "\\ud83d\\ude00"}\n```', "{'a': 'é', \"b\": \"\\u00e9\",}", '{"a": "\\u00']) {
    const contract = text === fenced ? quiz : anything;
    const whole = contract.check(text, { edits: "certain" });
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 3, 16, 1000]) {
      const stream = contract.stream({ edits: "certain" });
      for (let i = 0; i < bytes.length; i += size) {
        stream.push(bytes.subarray(i, i + size));
      }
      assert.deepEqual(stream.end(), whole, `${text} in pieces of ${size}`);
    }
  }
});

test("a text of several pieces is edited as a whole", () => {
  const long = `[\n${Array.from({ length: 30000 }, (_, i) => `  {'n': ${i}, 'word': 'x'},`).join("\n")}\n]`;
  const verdict = anything.check(long, { edits: "certain" });
  assert.equal(verdict.valid, true);
  assert.equal(verdict.edits.length, 1000);
  assert.equal(verdict.edits.length + verdict.moreEdits, 30000 * 3 + 1);
  assert.equal(JSON.parse(verdict.text).length, 30000);
});
