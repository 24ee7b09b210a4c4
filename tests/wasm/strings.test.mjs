// Strings on their way into the module: with the engine's string builtins where it has them, else with the encoder. The
// text that is judged must be the string, however long, whatever is in it, and wherever a piece of it ends.
import assert from "node:assert/strict";
import test from "node:test";
import { importPackage } from "./support.mjs";

const { load } = await importPackage();
const plumb = await load();

// The verdict tells where the second member stands, in bytes and in UTF-16 units: so it says how many there were.
const contract = plumb.contract({ properties: { b: { type: "integer" } } });

function place(inside) {
  const text = `{"a":"${inside}","b":"x"}`;
  const [finding] = contract.check(text).findings;
  return [finding.span.from, finding.span.utf16From, finding.rule];
}

test("strings of every kind and length are judged as they are", () => {
  const characters = ["a", "é", "\u0800", "€", "\uD7FF", "\uE000", "\uFFFD", "\uFFFF", "\u{1F600}", "\u{10FFFF}"];
  const lengths = [0, 1, 3, 4, 5, 15, 16, 17, 240, 256, 300, 16370, 16383, 16384, 16385, 32768, 90_000, 300_000];
  for (const length of lengths) {
    for (const character of characters) {
      for (const shift of ["", "b"]) {
        const inside = shift + character.repeat(length);
        const bytes = new TextEncoder().encode(inside).length;
        assert.deepEqual(place(inside), [bytes + 13, inside.length + 13, "type"]);
      }
    }
  }
});

test("a pair of surrogates may stand at any unit, also where a piece ends", () => {
  for (const at of [16374, 16375, 16376, 16377, 16378, 16379, 16380]) {
    const inside = `${"a".repeat(at)}\u{1F600}${"é".repeat(20)}`;
    assert.deepEqual(place(inside), [at + 4 + 40 + 13, inside.length + 13, "type"]);
  }
});

test("half a pair is told, wherever it stands, and what is around it is kept", () => {
  for (const length of [0, 300, 16376, 16377, 16378, 40_000]) {
    for (const half of ["\uD83D", "\uDE00", "\uDE00\uD83D"]) {
      const { findings } = contract.check(`{"a":"${"a".repeat(length)}${half}é","b":1}`);
      assert.ok(findings.length > 0, `${length} ${escape(half)}`);
      assert.equal(findings[0].span.from <= length + 6, true);
    }
  }
});

test("a string that is put together of many, and a part of a longer one", () => {
  let text = '{"a":"';
  for (let i = 0; i < 3000; ++i) text += `${i}€`;
  text += '","b":1}';
  assert.equal(contract.check(text).valid, true);
  assert.equal(contract.check(`xxxxx${text}yyyyy`.slice(5, -5)).valid, true);
});

test("what the module makes of a string is what the encoder makes of it", () => {
  let state = 12345;
  const next = (bound) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % bound;
  for (let round = 0; round < 60; ++round) {
    let inside = "";
    const size = next(4000) + 200;
    while (inside.length < size) {
      const kind = next(20);
      inside += kind < 16 ? "plain text, ".slice(next(10)) : String.fromCodePoint(kind < 18 ? 0x80 + next(0xd000) : 0x10000 + next(0x1000));
    }
    const text = `{"a":"${inside}"}`;
    const exact = plumb.contract({ properties: { a: { const: inside } } });
    assert.equal(exact.check(text).valid, true);
    assert.deepEqual(exact.check(text), exact.check(new TextEncoder().encode(text)));
  }
});
