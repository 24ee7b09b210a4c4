// A boundary around functions: what they are asked, what comes of their answers, that its journal is the pipeline's own and
// goes on from every entry, and that its laws hold whatever the functions do.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import { blocksOf, followText } from "../docs_blocks.mjs";
import { importPackage, native, npm, within } from "./support.mjs";

const { load, PlumbError } = await importPackage();
const plumb = await load();
const contract = {
  type: "object",
  required: ["from", "text"],
  itemId: "/name",
  properties: { from: { type: "integer" }, text: { type: "string", minLength: 1 }, name: { type: "string" } },
  rules: [
    { id: "clear", title: "Clear", ask: "Can it be understood?", action: "Say more." },
    { id: "single", ask: "Is it one thing?" },
  ],
};
const given = [
  { from: 0, text: "a", name: "first" },
  { from: 1, text: "", name: "empty" },
  { from: 2, text: "c", name: "same" },
  { from: 3, text: "d", name: "same" },
];
const program = blocksOf("docs/frameworks.md").find((block) => block.includes("plumb.boundary("));
const now = () => 1_760_000_000_000;
const reject = (items, rule = "clear") => items.map(({ id }) => ({ id, rule, reason: "It is vague." }));

test("rules go first; the judge gets the rest, revisions go back to it, and nothing else does", async () => {
  const asked = [];
  const crossing = await plumb.boundary(given, {
    contract,
    upstream: ["u0", "u1", "u2", "u3"],
    context: { topic: "t" },
    judge(items, { cycle, rules, context }) {
      asked.push([cycle, items.map(({ id, name, item }) => [id, name, item.text])]);
      assert.deepEqual(rules.map(({ id, ask }) => [id, ask]), [["clear", "Can it be understood?"], ["single", "Is it one thing?"]]);
      assert.deepEqual(context, { topic: "t" });
      return { rejected: reject(items.filter(({ item }) => "ct".includes(item.text))) };
    },
    revise(item, rejection, upstream, { cycle, id }) {
      asked.push([cycle, id, rejection, upstream]);
      if (item.text === "") return [{ ...item, text: "t" }, { ...item, text: "u" }];
      item.text = "better"; // what it was given is its own
      return item;
    },
  });
  const vague = { rule: "clear", reason: "It is vague.", action: "Say more." };
  const rule = { rule: "minLength", reason: "/text: Must have at least 1 character (has 0)" };
  assert.deepEqual(asked, [
    [0, [["1", "first", "a"], ["3", "same", "c"], ["4", "same", "d"]]],
    [1, "2", rule, "u1"],
    [1, "3", vague, "u2"],
    [1, [["2.1", "empty", "t"], ["2.2", "empty", "u"], ["3", "same", "better"]]],
    [2, "2.1", vague, "u1"],
    [2, [["2.1", "empty", "better"]]],
  ]);
  assert.equal(crossing.decision, "accept");
  assert.deepEqual(crossing.items.map(({ from, text }) => [from, text]), [[0, "a"], [1, "better"], [1, "u"], [2, "better"], [3, "d"]]);
  assert.deepEqual([crossing.warned, crossing.heldBack, crossing.unverified], [[], [], []]);
  assert.deepEqual(crossing.qualityFlags, { items_produced: 4, validation_rejections: 2, validation_retries: 2 });
  assert.deepEqual(crossing.cycles.map(({ rejected }) => rejected), [2, 1, 0]);
});

test("what is rejected to the end passes with a warning; what never had its structure is held back", async () => {
  const notes = [];
  const crossing = await plumb.boundary(given, {
    contract,
    judge: (items, { spent }) => (spent({ input_tokens: 7, output_tokens: 2 }), { rejected: reject(items.filter(({ id }) => id === "3"), "single") }),
    revise: () => ({ from: "nine" }),
    onNote: ({ kind }) => notes.push(kind),
  });
  assert.equal(crossing.decision, "revise");
  const [warning] = crossing.warned;
  assert.deepEqual(
    [warning.index, warning.at, warning.rule, warning.warning],
    [2, 2, "single", "Rejected after 2 retries: It is vague."],
  );
  assert.deepEqual(crossing.items[2], warning.item);
  // A revision of what was broken anyway is taken; it stays broken.
  assert.deepEqual(crossing.heldBack.map(({ index, rule }) => [index, rule]), [[1, "required"]]);
  assert.deepEqual(crossing.items.map(({ from }) => from), [0, 3, 2]);
  assert.equal(crossing.tokens, 9);
  assert.equal(notes.filter((kind) => kind === "INPUT_VALIDATION").length, 3);
});

test("a rule that is observed rejects nothing, and is counted", async () => {
  const items = [{ from: 0, text: "a" }, { from: 1, text: "b" }];
  const judge = (asked) => ({ rejected: reject(asked.slice(0, 1)) });
  for (const [observe, warned, observed] of [[undefined, 1, 0], [["clear"], 0, 1], [["single"], 1, 0], [["*"], 0, 1]]) {
    const crossing = await plumb.boundary(items, { contract, judge, observe });
    assert.equal(crossing.items.length, 2);
    assert.equal(crossing.warned.length, warned, `${observe}`);
    assert.equal(crossing.cycles[0].observed ?? 0, observed, `${observe}`);
  }
});

test("a judge may say an item's name where no other has it, and a number for an id", async () => {
  const judge = (said) => () => ({ accepted: [4], rejected: [{ id: said, rule: "clear", reason: "vague" }] });
  const warned = async (said) => (await plumb.boundary(given.slice(2), { contract, judge: judge(said) })).warned.map(({ index }) => index);
  assert.deepEqual(await warned("2"), [1]);
  assert.deepEqual(await warned(2), [1]);
  assert.deepEqual(await warned("same"), []);
  const { warned: named } = await plumb.boundary(given, { contract, judge: judge("first") });
  assert.deepEqual(named.map(({ id, name }) => [id, name]), [["1", "first"]]);
});

test("a judge that fails leaves its items unverified, and why is in the cycle", async () => {
  const answers = [
    [() => { throw new Error("no model"); }, /judge: no model/],
    [() => Promise.reject("down"), /judge: down/],
    [() => undefined, /no list `rejected`/],
    [() => ({ rejected: "all" }), /no list `rejected`/],
    [() => ({ rejected: [], accepted: [{ toString: 1 }, 7n] }), undefined],
    [() => new Promise(() => {}), /no reply within 20 ms/],
  ];
  for (const [judge, why] of answers) {
    const crossing = await within(10_000, "a boundary", plumb.boundary(given, { contract, judge, limitsMs: { judge: 20 } }));
    assert.deepEqual(crossing.items.map(({ from }) => from), [0, 2, 3]);
    assert.equal(crossing.unverified.length, why === undefined ? 0 : 3, judge.toString());
    if (why !== undefined) {
      assert.match(crossing.cycles[0].call_error, why);
      assert.deepEqual(crossing.unverified.map(({ index, at }) => [index, at]), [[0, 0], [2, 1], [3, 2]]);
    }
  }
  // A rejection without a rule of the contract, or without a reason, does not count.
  const crossing = await plumb.boundary(given, {
    contract,
    judge: () => ({ rejected: [{ id: "1", rule: "pretty", reason: "r" }, { id: "3", rule: "clear" }, null, 5, { id: "99", rule: "clear", reason: "r" }] }),
  });
  assert.deepEqual([crossing.warned, crossing.unverified.map(({ id }) => id)], [[], ["1", "3"]]);
});

test("what can never work is refused before anything is asked", async () => {
  const judge = () => assert.fail("it was asked");
  const refused = [
    [() => plumb.boundary({}, { contract }), /list of items/],
    [() => plumb.boundary([], {}), /needs options with a `contract`/],
    [() => plumb.boundary([], { contract, judge: 3 }), /`judge` is a function/],
    [() => plumb.boundary([], { contract: { type: "object" }, judge }), /no rule with `ask`/],
    [() => plumb.boundary([], { contract: "no-such" }), /no built-in contract "no-such"/],
    [() => plumb.boundary([1], { contract, upstream: [1, 2] }), /`upstream` is one value/],
    [() => plumb.boundary([1], { contract, limitsMs: { judge: -1 } }), /whole number of milliseconds/],
  ];
  for (const [call, message] of refused) {
    await assert.rejects(call, (error) => error instanceof PlumbError && message.test(error.message), message.source);
  }
});

test("a boundary is cancelled by its signal, with the signal's reason", async () => {
  const abort = new AbortController();
  const reason = new Error("enough");
  let stopped;
  const crossing = plumb.boundary(given, {
    contract,
    signal: abort.signal,
    judge: (_, { signal }) => new Promise(() => {
      stopped = new Promise((told) => signal.addEventListener("abort", told));
      abort.abort(reason);
    }),
  });
  await assert.rejects(within(10_000, "the boundary", crossing), (error) => error === reason);
  await within(10_000, "the judge's signal", stopped);
});

/** The functions of the tests of journals: the same answers for the same questions. */
function scripted(calls = []) {
  return {
    contract,
    judge(items, { cycle }) {
      calls.push(`judge ${cycle}`);
      return { accepted: [], rejected: reject(items.filter(({ item }) => item.from > 1 && !item.text.endsWith("!!"))) };
    },
    revise(item, _, upstream, { cycle, id }) {
      calls.push(`revise ${cycle} ${id}`);
      if (item.from === 3) return null;
      return { ...item, text: `${item.text}!` };
    },
  };
}

test("the journal is the pipeline's: the command repeats it to the byte, and any fulfil with these answers writes it", async () => {
  const crossing = await plumb.boundary(given, { ...scripted(), now, id: "r1" });
  const folder = mkdtempSync(join(tmpdir(), "plumb-boundary-"));
  try {
    const file = join(folder, "run.jsonl");
    writeFileSync(file, crossing.journal.text);
    const { code, out, err } = native(["runs", "replay", "--strict", file]);
    assert.equal(code, 0, String(err));
    assert.match(String(out), /every byte is the same/);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const replies = new Map();
  crossing.journal.lines.forEach((_, n) => {
    const { kind, key, status, error, data } = crossing.journal.entry(n);
    if (kind === "reply") replies.set(key, { status, ...(error && { error }), value: data });
  });
  const run = await plumb.run("boundary", { contract, items: given, judge: "client", revise: "client", providers: {} }, { fulfil: ({ key }) => replies.get(key), now, id: "r1" });
  await run.result;
  assert.ok(run.journal.text === crossing.journal.text, "the journals differ");
});

test("a boundary goes on from every entry, asks no function twice, and comes to the same", async () => {
  const calls = [];
  const stored = [];
  const whole = await plumb.boundary(given, {
    ...scripted(calls),
    id: "r1",
    onEntry({ line, blobs }) {
      stored.push([...blobs.map(({ hash, text }) => JSON.stringify({ blob: hash, text })), line].join("\n"));
    },
  });
  assert.equal(`${stored.join("\n")}\n`, whole.journal.text);
  for (let n = 1; n < stored.length; ++n) {
    const before = stored.slice(0, n);
    const answered = before.filter((text) => text.includes('"kind":"reply"')).length;
    const again = [];
    const crossing = await plumb.boundary(given, { ...scripted(again), journal: before.join("\n") });
    assert.equal(again.length, calls.length - answered, `from entry ${n}`);
    for (const part of ["decision", "items", "warned", "heldBack", "unverified", "qualityFlags"]) {
      assert.deepEqual(crossing[part], whole[part], `${part} from entry ${n}`);
    }
  }
  await assert.rejects(plumb.boundary(given.slice(1), { ...scripted(), journal: whole.journal }), /with other items/);
  const other = { ...contract, title: "Another" };
  await assert.rejects(plumb.boundary(given, { ...scripted(), contract: other, journal: whole.journal }), /with another contract/);
});

// --- Hostile functions ------------------------------------------------------------------------------------------------

/** Numbers from a seed (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
const odd = [undefined, null, 0, "", "text", [], {}, [[]], NaN, 12n, Symbol("s"), () => 1, new Map([[1, 2]]), { toJSON: () => { throw new Error("no"); } }];
const circle = {};
circle.self = circle;
odd.push(circle);

/**
 * A crossing with functions that a seed makes hostile, and the laws that it breaks. Each version of an item has a text of its
 * own, by which it is known wherever it turns up.
 */
async function crossHostile(seed) {
  const pick = random(seed);
  const slow = pick(10) === 0; // hangs and comes late; the others have all the time they want
  const items = Array.from({ length: pick(7) }, (_, from) => ({ from, text: pick(4) === 0 ? "" : `v${from}` }));
  const broken = [];
  const law = (holds, what) => holds || broken.push(what);
  const judgedTexts = new Set();
  const rejectedTexts = new Set();
  const revisedTimes = new Map();
  let made = 0;
  /** The answer as this seed gives it: at once, later, twice, too late or never. `told` is called with what counts. */
  const deliver = (answer, signal, told) => {
    const kind = pick(slow ? 7 : 4);
    const counted = () => (signal.aborted || told(), answer);
    if (kind === 0) return counted();
    if (kind === 1) return Promise.resolve().then(counted);
    if (kind === 2) return new Promise((done) => setTimeout(() => done(counted()), pick(3)));
    if (kind === 3) return { then: (done, fail) => (done(counted()), done({ rejected: [], accepted: odd }), fail(new Error("twice"))) };
    if (kind === 4) return new Promise(() => {});
    return new Promise((done) => setTimeout(() => done(counted()), 8 + pick(8)));
  };
  const options = {
    contract,
    ...(slow && { limitsMs: { judge: 6, revise: 6 } }),
    judge(asked, { cycle, signal }) {
      for (const { item } of asked) {
        law(!judgedTexts.has(item.text), `${item.text} is judged again without a revision`);
        law((cycle === 0) === /^v\d+$/.test(item.text), `${item.text} is judged in cycle ${cycle}`);
        judgedTexts.add(item.text);
      }
      const manner = pick(8);
      if (manner === 0) throw pick(2) === 0 ? new Error("down") : odd[pick(odd.length)];
      if (manner === 1) return deliver(odd[pick(odd.length)], signal, () => {});
      const chosen = asked.filter(() => pick(2) === 0);
      const rejected = chosen.map(({ id }) => ({ id: pick(4) === 0 ? Number(id) : id, rule: "clear", reason: "vague", suggestion: odd[pick(5)] }));
      const founded = chosen.filter(({ id }, i) => String(rejected[i].id) === id);
      if (manner === 2) rejected.push({ id: `${pick(99) + 50}`, rule: "clear", reason: "r" }, ...odd, { id: {}, rule: "clear", reason: "r" });
      if (manner === 3) rejected.push(...rejected);
      if (manner === 4) rejected.forEach((one) => (pick(2) === 0 ? (one.rule = odd[pick(9)]) : (one.reason = " ")));
      for (const one of asked) {
        if (pick(5) === 0) one.item.text = "changed by the judge";
      }
      const texts = founded.map(({ id }) => textOf.get(id)).filter(() => manner !== 4);
      return deliver({ accepted: pick(2) === 0 ? asked.map(({ id }) => id) : odd, rejected }, signal, () => texts.forEach((text) => rejectedTexts.add(text)));
    },
    revise(item, { rule, reason }, upstream, { signal }) {
      law(typeof rule === "string" && reason !== "", "a rejection without a rule or a reason");
      const times = (revisedTimes.get(item) ?? 0) + 1;
      law(times <= 2, `an item is revised ${times} times`);
      const manner = pick(8);
      if (manner === 0) throw odd[pick(odd.length)];
      if (manner === 1) return deliver(odd[pick(odd.length)], signal, () => {});
      if (manner === 2) return deliver({ ...item, text: 7 }, signal, () => {});
      const version = () => ({ ...item, text: pick(5) === 0 ? "" : `r${++made}` });
      if (manner === 3) return deliver(Array.from({ length: pick(8) }, version), signal, () => {});
      return deliver(version(), signal, () => {});
    },
  };
  // The judge of the test needs to know which version an id means.
  const textOf = new Map();
  const { judge } = options;
  options.judge = (asked, context) => {
    for (const { id, item } of asked) textOf.set(id, item.text);
    return judge(asked, context);
  };
  const crossing = await within(30_000, `seed ${seed}`, plumb.boundary(items, options));
  const rule = plumb.contract(contract);
  const accepted = crossing.items.slice(0, crossing.items.length - crossing.warned.length);
  const sorted = (list) => list.every((n, i) => i === 0 || list[i - 1] <= n);
  law(sorted(accepted.map(({ from }) => from)), "accepted items are out of order");
  law(sorted(crossing.warned.map(({ index }) => index)), "warned items are out of order");
  law(sorted(crossing.heldBack.map(({ index }) => index)), "held items are out of order");
  law(crossing.warned.every(({ at }, i) => at === accepted.length + i), "warned items do not follow the accepted ones");
  law(accepted.every(({ text }) => !rejectedTexts.has(text)), "a rejected item is among the accepted ones");
  law(crossing.items.every((item) => rule.check(item).valid), "an item that breaks its contract is in items");
  law(crossing.heldBack.every(({ item }) => !rule.check(item).valid), "a valid item is held back");
  const there = new Set([...crossing.items.map(({ from }) => from), ...crossing.heldBack.map(({ index }) => index)]);
  law(items.every(({ from }) => there.has(from)), "an item is lost");
  law(crossing.items.length + crossing.heldBack.length <= 5 * items.length, "there are items from nowhere");
  law(crossing.cycles.length <= 3 && (items.length === 0 || crossing.cycles.length > 0), "there are too many cycles");
  if (seed % 20 === 0) {
    law((await plumb.replay(crossing.journal)).verify().same, "the journal does not come to the same");
  }
  rule.dispose();
  return { broken, slow, told: JSON.stringify([crossing.items, crossing.warned, crossing.heldBack, crossing.unverified, crossing.cycles]) };
}

test("3,000 seeds of hostile functions break no law, and the same answers come to the same", { timeout: 600_000 }, async (t) => {
  const seeds = Number(process.env.PLUMB_SEEDS ?? 3000);
  let next = 0;
  const broken = [];
  const worker = async () => {
    for (let seed = next++; seed < seeds; seed = next++) {
      const first = await crossHostile(seed);
      broken.push(...first.broken.map((law) => `seed ${seed}: ${law}`));
      if (!first.slow && seed % 20 === 1) {
        const second = await crossHostile(seed);
        if (second.told !== first.told) broken.push(`seed ${seed}: another result from the same answers`);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  t.diagnostic(`${seeds} seeds, ${broken.length} laws broken`);
  assert.deepEqual(broken.slice(0, 10), []);
});

// --- The program of the documentation ------------------------------------------------------------------------------------

const briefs = [
  { area: "search", problem: "It finds nothing when a word has an accent" },
  { area: "checkout", problem: "It is slow and the total is wrong" },
  { area: "login", problem: "" },
];
const crossed = [
  [["search", "It finds nothing when a word has an accent"], ["checkout", "It is slow"], ["checkout", "the total is wrong"]],
  [],
  [["login", "minLength"]],
];

test("frameworks.md: one crossing is a program of at most 15 lines, in Node and in Chromium under a strict policy", async () => {
  assert.ok(program.trimEnd().split("\n").length <= 15);
  const told = `[items.map(({ area, problem }) => [area, problem]), warned.map(({ item }) => item.area), heldBack.map(({ item, rule }) => [item.area, rule])]`;
  const { outcome } = await followText(`${program}\nconst outcome = ${told};`, { briefs }, ["outcome"], () => import(join(npm, "dist/node.js")));
  assert.deepEqual(outcome, crossed);
  const folder = mkdtempSync(join(tmpdir(), "plumb-boundary-page-"));
  const page = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'">
    <title>t</title><script type="module" src="/page/program.js"></script>`;
  const server = await serve({ "/npm/": join(npm, "dist"), "/page/": folder }, { "/": page });
  const browser = await startBrowser();
  try {
    const script = `const briefs = ${JSON.stringify(briefs)};\n${program}\ndocument.title = JSON.stringify(${told});\n`;
    writeFileSync(join(folder, "program.js"), script.replace('"@plumbline/plumbline"', '"/npm/index.js"'));
    const tab = await browser.context.newPage();
    await tab.goto(`${server.origin}/`);
    await tab.waitForFunction(() => document.title !== "t");
    assert.deepEqual(JSON.parse(await tab.title()), crossed);
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
