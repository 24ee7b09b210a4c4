// The value so far of a stream: what was shown stays, and in the end it is what JSON.parse gives. Over every prefix of every
// golden case, cut everywhere.
import assert from "node:assert/strict";
import test from "node:test";
import { readCases } from "./cases.mjs";
import { cleanQuiz, faultyQuiz, importPackage, top } from "./support.mjs";

const { load } = await importPackage();
const plumb = await load();
const any = plumb.contract(true);
const encoder = new TextEncoder();

/** JSON.parse of bytes; undefined where they are no JSON. */
function parsed(bytes) {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}

/** Whether a key stands twice: then JSON.parse has fewer members than the text. */
function repeats(text) {
  const findings = any.check(text).findings;
  return findings.some(({ rule }) => rule === "duplicateKey");
}

/** That `later` says all that `early` says: complete places the same, growing ones longer. */
function staysIn(early, later, growing, at = "") {
  if (growing === undefined || !(growing === at || growing.startsWith(`${at}/`))) {
    assert.deepStrictEqual(later, early, `${at} was complete`);
    return;
  }
  assert.equal(typeof later, typeof early, at);
  if (typeof early === "string") {
    assert.ok(later.startsWith(early), `${at}: ${JSON.stringify(early)} was shown, then ${JSON.stringify(later)}`);
    return;
  }
  assert.equal(Array.isArray(later), Array.isArray(early), at);
  const keys = Object.keys(early);
  assert.deepEqual(Object.keys(later).slice(0, keys.length), keys, at);
  for (const key of keys) {
    staysIn(early[key], later[key], growing, `${at}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`);
  }
}

const copy = ({ value, state, growing }) => ({ value: copied(value), state, growing });
function copied(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  const own = {};
  for (const [key, one] of Object.entries(value)) {
    Object.defineProperty(own, key, { value: copied(one), writable: true, enumerable: true, configurable: true });
  }
  return own;
}

/** Every prefix on its own and byte by byte: the same, each in the next; the value in the end. (Of a long text, fifty.) */
function law(contract, bytes, options) {
  const step = bytes.length > 1500 ? Math.ceil(bytes.length / 50) : 1;
  const slow = contract.stream(options);
  let before = copy(slow.value());
  assert.deepEqual(before, { value: undefined, state: "empty", growing: undefined });
  for (let to = step; to < bytes.length + step; to += step) {
    slow.push(bytes.subarray(to - step, to));
    const now = copy(slow.value());
    const fresh = contract.stream(options);
    fresh.push(bytes.subarray(0, to));
    assert.deepStrictEqual(copy(fresh.value()), now, `the first ${to} bytes at once and in pieces`);
    fresh.dispose();
    if (before.value !== undefined) {
      staysIn(before.value, now.value, before.growing);
    }
    before = now;
  }
  const verdict = slow.end();
  const ended = copy(slow.value());
  if (before.value !== undefined) {
    staysIn(before.value, ended.value, before.growing);
  }
  return { verdict, ended };
}

test("every prefix of every golden case: what was shown stays, and the end is what JSON.parse gives", () => {
  let whole = 0;
  let broken = 0;
  const seen = new Set();
  for (const { artifacts, place } of readCases(top)) {
    for (const { bytes } of artifacts) {
      const key = bytes.toString("latin1");
      if (seen.has(key)) continue;
      seen.add(key);
      const expected = parsed(bytes);
      const { verdict, ended } = law(any, bytes);
      if (ended.state === "limit") {
        assert.ok(verdict.findings.some(({ rule }) => rule === "limit"), place);
      } else if (expected === undefined) {
        ++broken;
        assert.equal(ended.state, "broken", place);
      } else if (!repeats(bytes)) {
        ++whole;
        assert.deepStrictEqual(ended, { value: expected.value, state: "complete", growing: undefined }, place);
      }
    }
  }
  assert.ok(whole > 500 && broken > 10, `${whole} whole, ${broken} broken`);
});

test("with edits the value is that of the text that is judged: fences, prose and mended pieces", () => {
  let edited = 0;
  for (const { artifacts, place, contract, documents, options, refused } of readCases(top)) {
    if (options.edits === undefined || refused) continue;
    const under = plumb.contract(contract, { documents });
    for (const level of ["certain", "guess"]) {
      for (const { bytes } of artifacts) {
        const { verdict, ended } = law(under, bytes, { edits: level });
        const judged = encoder.encode(verdict.text ?? bytes.toString("utf8"));
        const expected = parsed(judged);
        const edits = verdict.edits.some(({ applied }) => applied);
        if (expected !== undefined && (verdict.text !== undefined || !edits) && !repeats(judged)) {
          edited += edits ? 1 : 0;
          assert.deepStrictEqual(ended, { value: expected.value, state: "complete", growing: undefined }, `${place} ${level}`);
        } else if (expected === undefined) {
          assert.ok(["broken", "limit"].includes(ended.state), `${place} ${level}: ${ended.state}`);
        }
      }
    }
  }
  assert.ok(edited > 40, `${edited} edited`);
  const answer = 'Here is the quiz:\n\n```json\n{"a": [1, 2,], "b": \'x\'}\n```\nHave fun!';
  const { ended } = law(any, encoder.encode(answer), { edits: "guess" });
  assert.deepEqual(ended, { value: { a: [1, 2], b: "x" }, state: "complete", growing: undefined });
  const stream = any.stream({ edits: "certain" });
  stream.push("Sure! Here it is:\n");
  assert.deepEqual(stream.value(), { value: undefined, state: "empty", growing: undefined });
  stream.push('```json\n{"title": "Cel');
  assert.deepEqual(stream.value(), { value: { title: "Cel" }, state: "growing", growing: "/title" });
});

test("a wrapped answer is the answer within, as the contract has it", () => {
  const quiz = plumb.contract("quiz");
  const made = JSON.parse(cleanQuiz(2));
  const { verdict, ended } = law(quiz, encoder.encode(JSON.stringify({ quiz: made })), { edits: "guess" });
  assert.equal(verdict.valid, true);
  assert.deepEqual(ended.value, verdict.value);
  assert.deepEqual(ended.value, made);
});

test("escapes, surrogate pairs and characters of several bytes are never shown by halves", () => {
  const text = '["\\u00e9\\ud83d\\ude00\\n\\"\\\\", "\u{1F600}\u20AC\u00E9", "\\ud83d", "\\ud83dx\\ude00", {"\\u0061\\ud83d\\ude00": "a\\/b"}]';
  const bytes = encoder.encode(text);
  const whole = JSON.parse(text);
  const shown = new Set();
  const { ended } = law(any, bytes);
  assert.deepStrictEqual(ended.value, whole);
  for (let to = 0; to <= bytes.length; ++to) {
    const stream = any.stream();
    stream.push(bytes.subarray(0, to));
    for (const one of stream.value().value ?? []) if (typeof one === "string") shown.add(one);
    stream.dispose();
  }
  const first = [..."\u00e9\u{1F600}\n\"\\"].reduce((all, one) => [...all, all.at(-1) + one], [""]);
  const second = [..."\u{1F600}\u20AC\u00E9"].reduce((all, one) => [...all, all.at(-1) + one], [""]);
  assert.deepEqual(shown, new Set([...first, ...second, "\ud83d", "\ud83dx", "\ud83dx\ude00"]));
});

test("as strings of JavaScript, cut in any two places, also within a pair", () => {
  const text = '{"a": "\u{1F600}\u{1F601}", "\u{1F602}": ["\\ud83d\\ude00"]}';
  for (let a = 0; a <= text.length; ++a) {
    for (let b = a; b <= text.length; ++b) {
      const stream = any.stream();
      for (const piece of [text.slice(0, a), text.slice(a, b), text.slice(b)]) {
        stream.push(piece);
        const { value } = stream.value();
        for (const one of [value?.a, Object.keys(value ?? {})[1]]) assert.ok(one === undefined || one.isWellFormed?.() !== false);
      }
      stream.end();
      assert.deepEqual(stream.value(), { value: JSON.parse(text), state: "complete", growing: undefined });
    }
  }
});

test("members named as what objects have anyway are members like others", () => {
  const text = '{"__proto__": {"polluted": true, "x": "ab"}, "constructor": {"prototype": {"y": 1}}, "toString": "z", "hasOwnProperty": 1, "": 2, "a/b~c": [3]}';
  const { ended } = law(any, encoder.encode(text));
  assert.deepStrictEqual(ended.value, JSON.parse(text));
  assert.deepEqual(Object.keys(ended.value), ["__proto__", "constructor", "toString", "hasOwnProperty", "", "a/b~c"]);
  const stream = any.stream();
  for (const unit of text) {
    stream.push(unit);
    stream.value();
    stream.changes();
  }
  const { value } = stream.value();
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.getOwnPropertyDescriptor(value, "__proto__").value, { polluted: true, x: "ab" });
  assert.equal({}.polluted, undefined);
  assert.equal(Object.prototype.toString.call({}), "[object Object]");
  assert.equal(stream.stateAt("/__proto__/x"), "complete");
  assert.equal(stream.stateAt("/a~1b~0c/0"), "complete");
  assert.equal(stream.stateAt("/__proto__/toString"), undefined);
});

test("of a key that stands twice the first member stays, whatever the second is", () => {
  for (const second of ["2", '"bcd"', "[1,[2],{\"a\":3}]", '{"a":{"b":[]},"c":"d"}', "null", '""', "[]"]) {
    const { verdict, ended } = law(any, encoder.encode(`{"a": "x", "a": ${second}, "b": [5], "a": 6, "c": {"d": 1, "d": ${second}, "e": 2}}`));
    assert.equal(verdict.valid, false);
    assert.deepEqual(ended, { value: { a: "x", b: [5], c: { d: 1, e: 2 } }, state: "complete", growing: undefined });
  }
});

test("states: of the value, and of each place in it", () => {
  const stream = any.stream();
  const soFar = () => {
    const { value, state, growing } = stream.value();
    return [value, state, growing];
  };
  stream.push("  ");
  assert.deepEqual(soFar(), [undefined, "empty", undefined]);
  stream.push("{");
  assert.deepEqual(soFar(), [{}, "growing", ""]);
  stream.push('"a": "x", "b": {"c": [1, 2');
  assert.deepEqual(soFar(), [{ a: "x", b: { c: [1] } }, "growing", "/b/c"]);
  assert.deepEqual(["", "/a", "/b", "/b/c", "/b/c/0", "/b/c/1", "/z", "a", "/b/c/length"].map((at) => stream.stateAt(at)), [
    "growing", "complete", "growing", "growing", "complete", undefined, undefined, undefined, undefined,
  ]);
  stream.push('], "d": tru');
  assert.deepEqual(soFar(), [{ a: "x", b: { c: [1, 2] } }, "growing", "/b"]);
  stream.push('e, "e": "y');
  assert.deepEqual(soFar(), [{ a: "x", b: { c: [1, 2], d: true, e: "y" } }, "growing", "/b/e"]);
  stream.push('"}}');
  assert.deepEqual(soFar(), [{ a: "x", b: { c: [1, 2], d: true, e: "y" } }, "complete", undefined]);
  assert.equal(stream.stateAt(""), "complete");
  stream.push(" x");
  assert.deepEqual(soFar(), [{ a: "x", b: { c: [1, 2], d: true, e: "y" } }, "broken", undefined]);
  assert.equal(stream.end().valid, false);
  const number = any.stream();
  number.push("12");
  assert.equal(number.value().value, undefined);
  assert.equal(number.end().valid, true);
  assert.deepEqual(number.value(), { value: 12, state: "complete", growing: undefined });
});

test("a text that breaks or ends too early: the value stops there and says so", () => {
  const broken = any.stream();
  broken.push('{"a": ["x", "yz');
  broken.push("\u0001more\"], ");
  broken.push('"b": 1}');
  assert.deepEqual(broken.value(), { value: { a: ["x", "yz"] }, state: "broken", growing: "/a/1" });
  broken.end();
  assert.deepEqual(broken.value(), { value: { a: ["x", "yz"] }, state: "broken", growing: "/a/1" });
  const cut = any.stream();
  cut.push('{"a": 12');
  cut.value();
  cut.end();
  assert.deepEqual(cut.value(), { value: {}, state: "broken", growing: "" });
});

test("depth and size have bounds, which the state and the verdict tell", () => {
  for (const [options, text, value] of [
    [{ depthMax: 3 }, '[1, [[2], [[3]]], 4]', [1, [[2], []]]],
    [{ bytesMax: 12 }, '["abcdefghijklmn", 1]', ["abcdefghij"]],
  ]) {
    const { verdict, ended } = law(any, encoder.encode(text), { limits: options });
    assert.equal(ended.state, "limit");
    assert.deepEqual(ended.value, value);
    assert.equal(verdict.decision, "undecided");
  }
  const deep = 20_000;
  const text = "[".repeat(deep) + '"x"' + "]".repeat(deep);
  const stream = any.stream({ limits: { depthMax: deep } });
  const late = any.stream({ limits: { depthMax: deep } });
  for (let at = 0; at < text.length; at += 1000) {
    stream.push(text.slice(at, at + 1000));
    stream.value();
    stream.changes();
    late.push(text.slice(at, at + 1000));
  }
  late.value();
  assert.equal(late.changes().length, deep + 1);
  assert.equal(stream.value().state, "complete");
  let inside = stream.value().value;
  let levels = 0;
  for (; Array.isArray(inside); inside = inside[0]) ++levels;
  assert.deepEqual([levels, inside], [deep, "x"]);
});

test("it may be asked for at any time: the first time in the middle gives what the first time at the beginning gives", () => {
  const text = '{"a": "\u{1F600}x\u20AC", "b": [true, "\\ud83d\\ude00"], "c": -0}';
  const bytes = encoder.encode(text);
  const units = text.split("");
  for (const pieces of [units, [...bytes].map((byte) => Uint8Array.of(byte)), [text.slice(0, 9), bytes.subarray(encoder.encode(text.slice(0, 9)).length)]]) {
    for (let first = 0; first <= pieces.length; ++first) {
      const early = any.stream();
      const late = any.stream();
      pieces.forEach((piece, i) => {
        early.push(piece);
        late.push(piece);
        if (i >= first) assert.deepStrictEqual(copy(late.value()), copy(early.value()));
      });
      assert.deepStrictEqual(copy(late.value()), copy(early.value()));
      assert.deepStrictEqual(late.end(), early.end());
      assert.deepStrictEqual(late.value(), { value: JSON.parse(text), state: "complete", growing: undefined });
    }
  }
  // What is no UTF-8 is given again as it was.
  const wrong = any.stream();
  wrong.push(Uint8Array.of(0x5b, 0x22, 0x61, 0xe2, 0x82));
  wrong.push(encoder.encode('b", 1]'));
  assert.deepEqual(wrong.value(), { value: ["a"], state: "broken", growing: "/0" });
  const half = any.stream();
  half.push('["a\uD83D');
  half.push(encoder.encode('b", 1]'));
  assert.deepEqual(half.value(), { value: ["a"], state: "broken", growing: "/0" });
  const over = any.stream();
  over.push("[1]");
  over.end();
  assert.throws(() => over.value(), { code: "invalid_argument", message: /before it ends/ });
});

test("streams of one contract do not see each other's values, one after the other and at once", () => {
  const quiz = plumb.contract("quiz");
  const open = quiz.stream();
  open.push('{"questions": [');
  assert.deepEqual(open.value().value, { questions: [] });
  for (let i = 0; i < 20; ++i) {
    const stream = quiz.stream();
    if (i % 3 !== 0) stream.value();
    stream.push(i % 2 ? faultyQuiz : cleanQuiz(1));
    if (i % 5 === 4) {
      stream.dispose();
      continue;
    }
    assert.deepEqual(stream.end(), quiz.check(i % 2 ? faultyQuiz : cleanQuiz(1)));
    if (i % 3 !== 0) assert.deepEqual(stream.value().value, JSON.parse(i % 2 ? faultyQuiz : cleanQuiz(1)));
  }
  open.push("]}");
  open.end();
  assert.deepEqual(open.value(), { value: { questions: [] }, state: "complete", growing: undefined });
});

/** What somebody has who only hears of changes. */
function follow(held, changes) {
  for (const { at, state, value, added } of changes) {
    const before = held.get(at);
    assert.notEqual(before?.state, "complete", `${at} changes after it was complete`);
    if (typeof value === "string") {
      assert.equal(value, (before?.value ?? "") + added, at);
    } else {
      assert.equal(added, undefined);
      assert.ok(before === undefined || before.value === value, at);
    }
    held.set(at, { value, state });
  }
}
function places(value, at = "") {
  const own = [[at, value]];
  return typeof value !== "object" || value === null
    ? own
    : own.concat(Object.keys(value).flatMap((key) => places(value[key], `${at}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`)));
}

test("changes since the last call: once a place, and together all that the value is", () => {
  const text = '{"a": ["\\n\u20ACabc", 1, [], {"b": null, "c~/d": "xy"}], "a": [7], "__proto__": "p", "e": [[true]]}';
  for (const size of [1, 2, 3, 5, 17, 1000]) {
    for (const [asks, begins] of [[1, 0], [3, 0], [1, 4], [2, 30]]) {
      const stream = any.stream();
      const held = new Map();
      let pushes = 0;
      for (let at = 0; at < text.length; at += size) {
        stream.push(text.slice(at, at + size));
        stream.value();
        if (++pushes >= begins && pushes % asks === 0) {
          const changes = stream.changes();
          assert.equal(new Set(changes.map((one) => one.at)).size, changes.length);
          follow(held, changes);
          assert.deepEqual([...held].sort(), places(stream.value().value).map(([at, value]) => [at, { value, state: stream.stateAt(at) }]).sort());
          assert.deepEqual(stream.changes(), []);
        }
      }
      stream.end();
      follow(held, stream.changes());
      assert.deepEqual([...held.keys()].sort(), places(stream.value().value).map(([at]) => at).sort());
      assert.ok([...held.values()].every(({ state }) => state === "complete"));
    }
  }
  const stream = any.stream();
  stream.push('["ab');
  assert.deepEqual(stream.changes(), [
    { at: "", state: "growing", value: ["ab"] },
    { at: "/0", state: "growing", value: "ab", added: "ab" },
  ]);
  stream.push('c", 5]');
  assert.deepEqual(stream.changes(), [
    { at: "/0", state: "complete", value: "abc", added: "c" },
    { at: "/1", state: "complete", value: 5 },
    { at: "", state: "complete", value: ["abc", 5] },
  ]);
});

test("each call costs what is new: what the module tells, and what is made of it", () => {
  const text = JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ id: i, text: `number ${i}: \u20AC\n`, tags: ["a", ""], on: true })));
  const { parse } = JSON;
  for (const [size, asksEach] of [[1, 1], [20, 1], [20, 50], [4096, 1], [1 << 20, 1]]) {
    let told = 0;
    let calls = 0;
    let changed = 0;
    const stream = any.stream();
    stream.value();
    stream.changes();
    JSON.parse = (given, ...more) => {
      told += given.length;
      return parse(given, ...more);
    };
    try {
      const value = () => {
        ++calls;
        const soFar = stream.value();
        changed += stream.changes().length;
        return soFar;
      };
      let first;
      for (let at = 0, i = 0; at < text.length; at += size) {
        stream.push(text.slice(at, at + size));
        if (++i % asksEach === 0) {
          const soFar = value();
          first ??= soFar.value;
          assert.equal(soFar.value, first, "it is always the same object");
          assert.equal(stream.value(), soFar, "nothing is new");
        }
      }
      value();
    } finally {
      JSON.parse = parse;
    }
    assert.deepEqual(stream.value().value, JSON.parse(text));
    assert.ok(told <= 4 * text.length + 12 * calls, `${told} characters told of ${text.length}`);
    assert.ok(changed <= 3000 * 14 + calls, `${changed} changes`);
  }
});

test("steps of a value that nobody looks at do not pile up in the module", async () => {
  const own = await load();
  const list = own.contract(true);
  const stream = list.stream();
  stream.value();
  const piece = `[${"1,".repeat(100_000)}1],`;
  stream.push("[");
  stream.push(piece);
  const before = own.memoryBytes;
  for (let i = 0; i < 30; ++i) stream.push(piece);
  stream.push("0]");
  assert.ok(own.memoryBytes <= before + (2 << 20), `${own.memoryBytes - before} bytes more`);
  assert.equal(stream.value().value.length, 32);
  assert.equal(stream.end().valid, true);
});
