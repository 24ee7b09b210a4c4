// A trap poisons the instance: every later call says so and how to get a new one. The traps here are real: the module's
// own assumption that numbers are in use is broken from inside a call.
import assert from "node:assert/strict";
import test from "node:test";
import { cleanQuiz, faultyQuiz, importPackage } from "./support.mjs";

const { load, PlumbError } = await importPackage();

/** What `start` starts, in which the next call of `name` traps, once armed. */
async function withTrap(name, start) {
  const real = WebAssembly.instantiate;
  let armed = false;
  WebAssembly.instantiate = async (...given) => {
    const { exports } = await real(...given);
    const trap = exports.plumb_render ?? exports.plumb_check_free; // no such size, no such number
    return { exports: { ...exports, [name]: (...words) => (armed ? trap(4_000_000) : exports[name](...words)) } };
  };
  try {
    return { started: await start(), arm: () => (armed = true), disarm: () => (armed = false) };
  } finally {
    WebAssembly.instantiate = real;
  }
}

function isTrap(error) {
  assert.ok(error instanceof PlumbError);
  assert.equal(error.code, "trap");
  assert.match(error.message, /the number is in use/, "what was broken");
  assert.match(error.message, /load\(\)/, "how to get a new one");
  return true;
}

test("a trap in check: every later call of every contract and stream of that instance throws", async () => {
  const { started: plumb, arm, disarm } = await withTrap("plumb_check_whole", load);
  const quiz = plumb.contract("quiz");
  const other = plumb.contract(true);
  const verdict = quiz.check(faultyQuiz);
  const stream = other.stream();
  arm();
  assert.throws(() => quiz.check(cleanQuiz(1)), isTrap);
  disarm();
  assert.throws(() => quiz.check(cleanQuiz(1)), isTrap);
  assert.throws(() => other.check("1"), isTrap);
  assert.throws(() => other.stream(), isTrap);
  assert.throws(() => stream.push("1"), isTrap);
  assert.throws(() => stream.end(), isTrap);
  assert.throws(() => plumb.contract(true), isTrap);
  assert.throws(() => plumb.render(verdict, "llm"), isTrap);
  quiz.dispose();
  assert.equal(verdict.findings.length, 3, "verdicts from before stay readable");
  assert.equal((await load()).contract("quiz").check(cleanQuiz(1)).valid, true, "a new instance is sound");
});

test("a trap in the author module: checks go on, and author() gives a fresh one", async () => {
  // Of two modules, and of one that does both: there each has an instance of its own.
  for (const parts of [undefined, ["author"]]) {
    const plumb = await load({ parts });
    const verdict = plumb.contract("quiz").check(faultyQuiz);
    const { started: author, arm, disarm } = await withTrap("plumb_render", () => plumb.author());
    const text = author.render(verdict, "text");
    arm();
    assert.throws(() => author.render(verdict, "text"), { code: "trap", message: /inside the buffer.*author\(\)/ });
    disarm();
    assert.throws(() => author.render(verdict, "text"), { code: "trap" });
    assert.throws(() => author.explanations, { code: "trap" });
    assert.deepEqual(plumb.contract("quiz").check(faultyQuiz), verdict);
    const fresh = await plumb.author();
    assert.notEqual(fresh, author);
    assert.equal(fresh.render(verdict, "text"), text);
  }
});

test("a trap while a contract is read, in push and in feedback poisons as well", async () => {
  for (const [name, act] of [
    ["plumb_contract_read", (plumb) => plumb.contract({})],
    ["plumb_check_new", (plumb) => plumb.contract(true).check("1", { context: 1 })],
    ["plumb_check_push", (plumb) => plumb.contract(true).stream().push("1")],
    ["plumb_clarify", (plumb) => plumb.clarify(plumb.contract("intake").check("[]"))],
    ["plumb_measure", (plumb) => plumb.measure([{ query: "a", answer: "b", sources: [] }])],
    ["plumb_feedback", (plumb) => plumb.render(plumb.contract(true).check("1"), "llm")],
  ]) {
    const { started: plumb, arm, disarm } = await withTrap(name, load);
    arm();
    assert.throws(() => act(plumb), isTrap, name);
    disarm();
    assert.throws(() => plumb.contract(true), isTrap, name);
  }
});
