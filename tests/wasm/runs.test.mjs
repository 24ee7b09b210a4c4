// Runs in the package, with pipelines that only tests know (tests/runs/pipelines.cpp): what is promised about storing,
// cancelling and failing, and that a journal means the same natively, in Node and in Chromium.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import {
  importPackage,
  nativeHost,
  npm,
  recordedRuns,
  runsTestModule,
  scripted,
  top,
  within,
} from "./support.mjs";

const { load, PlumbError } = await importPackage();
const plumb = await load({ runsModule: runsTestModule });
const shipped = await load();
const recorded = readdirSync(recordedRuns);
/** The module that has the pipeline of a recorded run. */
const plumbFor = (name) => (name.startsWith("tale_") ? plumb : shipped);
const journalOf = (name) => readFileSync(join(recordedRuns, name), "utf8");
const request = { title: "Light", chapters: 3 };
const waitMs = 60_000;

/** A clock of its own, so that journals do not depend on the machine. */
function clock(from = 1_760_000_000_000) {
  return () => ++from;
}
function start(options = {}, input = request) {
  return plumb.run("tale", input, { fulfil: scripted, now: clock(), id: "r1", ...options });
}
async function notesOf(run) {
  const notes = [];
  for await (const note of run) notes.push(note);
  return notes;
}
const outcome = (run) => within(waitMs, "the run", run.result);
const kinds = (run) => run.journal.lines.map((line) => JSON.parse(line).kind);

test("the notes of a run come in order, then its result", async () => {
  const run = await start();
  const notes = await within(waitMs, "the notes", notesOf(run));
  assert.deepEqual(
    notes.filter(({ kind }) => kind === "progress").map(({ value }) => value.progress),
    [0, 20, 60, 100],
  );
  assert.deepEqual([...notes].sort((a, b) => a.n - b.n), notes);
  const { state, value, error } = await run.result;
  assert.equal(state, "done");
  assert.equal(error, undefined);
  assert.equal(value.chapters[2], "re: Better: re: Write chapter 3 of Light");
  assert.deepEqual(run.view, { job_id: "r1", status: "ok", progress: 100, entries: run.journal.lines.length });
  assert.equal(run.log.at(-1).text, "\u2713 ok");
  // Whoever comes later hears all of it too.
  assert.deepEqual(await notesOf(run), notes);
});

test("the same replies in the same order give the same journal", async () => {
  const [first, second] = [await start(), await start()];
  await Promise.all([outcome(first), outcome(second)]);
  assert.equal(first.journal.text, second.journal.text);
});

test("an entry is stored before anything of it is used", async () => {
  const stored = new Set();
  const called = [];
  const run = await start({
    async onEntry({ n, line }) {
      await new Promise((done) => setTimeout(done, 1));
      stored.add(n);
      assert.equal(JSON.parse(line).n, n);
    },
    fulfil(effect) {
      const attempt = run.journal.lines.findIndex((line) => {
        const { kind, key } = JSON.parse(line);
        return kind === "attempt" && key === effect.key;
      });
      assert.ok(stored.has(attempt), `${effect.key} was called before its attempt was stored`);
      called.push(effect.key);
      return scripted(effect);
    },
  });
  for await (const note of run) assert.ok(stored.has(note.n));
  assert.equal((await run.result).state, "done");
  assert.equal(stored.size, run.journal.lines.length);
  assert.equal(new Set(called).size, called.length);
});

test("a store that fails ends the run here, and it goes on from what was stored", async () => {
  const lines = [];
  let calls = 0;
  const run = await start({
    fulfil: (effect) => (++calls, scripted(effect)),
    onEntry({ line, blobs }) {
      if (lines.length === 9) throw new Error("the disk is full");
      for (const { hash, text } of blobs) lines.push(JSON.stringify({ blob: hash, text }));
      lines.push(line);
    },
  });
  await assert.rejects(outcome(run), /the disk is full/);
  await assert.rejects(notesOf(run), /the disk is full/);
  const before = calls;
  const again = await start({ journal: lines.join("\n") });
  assert.equal((await outcome(again)).state, "done");
  assert.ok(calls === before);
  assert.equal((await plumb.replay(again.journal)).verify().same, true);
});

test("what fulfil throws, or gives and is none, becomes a failed reply that says why", async () => {
  const odd = [
    () => {
      throw new Error("no such model");
    },
    () => Promise.reject(new TypeError("the network is gone")),
    () => undefined,
    () => ({ value: { words: 1 } }),
    () => ({ status: "fine", value: {} }),
    () => ({ value: { text: 1n } }),
    () => ({ error: "over", value: { class: "rate_limited", retryable: true, status: 429 } }),
    () => "a text is an answer",
  ];
  let next = 0;
  const run = await start({ fulfil: (effect) => (odd[next] ? odd[next++](effect) : scripted(effect)) });
  assert.equal((await outcome(run)).state, "done");
  const replies = run.journal.lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "reply");
  const by = (text) => replies.find(({ error }) => error?.includes(text));
  assert.deepEqual(by("no such model").data, { class: "unreachable", retryable: true, status: 0 });
  assert.equal(by("the network is gone").status, "failed");
  assert.equal(by("fulfil gave no value and no error").status, "failed");
  assert.equal(by("the reply is not what 'model' promises").status, "failed");
  assert.equal(by('the status "fine"').status, "failed");
  assert.equal(by("not JSON").status, "failed");
  assert.deepEqual(by("over").data, { class: "rate_limited", retryable: true, status: 429 });
  assert.ok(replies.some(({ data }) => data?.text === "a text is an answer"));
  assert.equal((await plumb.replay(run.journal)).verify().same, true);
});

test("an AbortSignal cancels the run, and what is under way is stopped", async () => {
  const stop = new AbortController();
  const stopped = [];
  const run = await start({
    signal: stop.signal,
    fulfil: (effect) => {
      if (effect.key === ":0") return scripted(effect);
      return new Promise((_, fail) =>
        effect.signal.addEventListener("abort", () => {
          stopped.push(effect.key);
          fail(effect.signal.reason);
        }),
      );
    },
  });
  for await (const { value } of run) {
    if (value.progress === 20) stop.abort();
  }
  assert.equal((await outcome(run)).state, "cancelled");
  assert.deepEqual(stopped.sort(), ["write.0:0", "write.1:0"]);
  assert.ok(kinds(run).includes("cancel"));
  assert.equal((await plumb.replay(run.journal)).verify().same, true);
  const before = await start({ signal: AbortSignal.abort("before it began") });
  assert.equal((await outcome(before)).state, "cancelled");
  assert.match(before.journal.text, /before it began/);
});

test("cancel() says why; afterwards nothing is taken any more", async () => {
  const run = await start({ fulfil: () => new Promise(() => {}) });
  run.cancel("enough");
  assert.equal((await outcome(run)).state, "cancelled");
  assert.match(run.journal.text, /"error":"enough"/);
  assert.equal(await run.signal("sign", 1), false);
  assert.throws(() => run.signal("sign", () => 1), /a value that is JSON/);
  run.cancel();
});

test("the slower of two that compete is stopped", async () => {
  const stopped = [];
  const run = await start({
    fulfil(effect) {
      if (effect.request.messages[0].content !== "A long title") return scripted(effect);
      effect.signal.addEventListener("abort", () => stopped.push(effect.key));
      return new Promise(() => {});
    },
  });
  assert.equal((await outcome(run)).state, "done");
  assert.equal(stopped.length, 1);
});

test("an effect has the time that is left since its first attempt, across hosts", async () => {
  const now = clock();
  let left;
  const first = await start({ now, fulfil: ({ deadlineMs }) => ((left = deadlineMs), new Promise(() => {})) });
  await new Promise((done) => setTimeout(done, 20));
  assert.ok(left > 59_000 && left <= 60_000, `${left}`);
  const seen = [];
  const later = await start({
    journal: first.journal,
    now: () => now() + 30_000,
    fulfil: (effect) => (seen.push([effect.deadlineMs, effect.attempt]), scripted(effect)),
  });
  assert.equal((await outcome(later)).state, "done");
  assert.ok(seen[0][0] > 25_000 && seen[0][0] < 30_000 && seen[0][1] === 2, `${seen[0]}`);
  const tooLate = await start({ journal: first.journal, now: () => now() + 90_000 });
  assert.equal((await outcome(tooLate)).state, "done");
  const plan = tooLate.journal.lines.map((line) => JSON.parse(line)).find(({ kind }) => kind === "reply");
  assert.deepEqual([plan.key, plan.status], [":0", "timed_out"]);
  first.cancel();
});

test("a deadline that passes is the reply timed_out", async () => {
  let then = 1_760_000_000_000;
  const waited = await start({
    now: () => then,
    fulfil(effect) {
      if (effect.deadlineMs === 0) return scripted(effect);
      assert.ok(effect.deadlineMs <= 50, `${effect.deadlineMs}`);
      return new Promise(() => {});
    },
    onEntry({ line }) {
      if (line.includes('"kind":"attempt"')) then += 59_950;
    },
  });
  assert.equal((await outcome(waited)).state, "done");
  assert.match(waited.journal.text, /"status":"timed_out","error":"no reply within 60000 ms"/);
});

test("signals are journalled when they come, and a run that waits for one goes on", async () => {
  const run = await start({}, { ...request, sign: true });
  for await (const { kind } of run) {
    if (kind === "title") assert.equal(await run.signal("sign", { by: "é" }), true);
  }
  assert.equal((await outcome(run)).state, "done");
  assert.match(run.journal.text, /"kind":"signal","name":"sign","data":{"by":"é"}/);
});

test("a request that has drifted is noted, and under strict it ends the run", async () => {
  const half = journalOf("tale_half.ndjson").replace(/("kind":"attempt","key":":0","name":"model","hash":"sha256:)..../, "$10000");
  const noted = await start({ journal: half });
  assert.equal((await outcome(noted)).state, "done");
  assert.ok(kinds(noted).includes("drift"));
  const strict = await start({ journal: half, strict: true });
  const { state, error } = await outcome(strict);
  assert.equal(state, "failed");
  assert.match(error.message, /journal_mismatch/);
});

test("texts of the caller take the place of built-in ones and are pinned", async () => {
  const contract = '{"type":"object","required":["nothing"]}';
  const run = await start({ contracts: { plan: contract } });
  const notes = await notesOf(run);
  assert.equal(notes.find(({ kind }) => kind === "planned").value, false);
  assert.deepEqual(run.journal.entry(0).data.pins[0].text, JSON.parse(contract));
  await assert.rejects(start({ contracts: { quiz: "{}" } }), /'plan' is not among the contracts that were given/);
});

test("what can never work is refused at once, with what to do", async () => {
  await assert.rejects(plumb.run("sonnet", {}, { fulfil: scripted }), (error) => {
    assert.ok(error instanceof PlumbError);
    assert.equal(error.code, "not_found");
    return /there is no pipeline 'sonnet'; there are: tale, steps/.test(error.message);
  });
  await assert.rejects(start({}, { chapters: 1 }), (error) => error.where === "/title");
  await assert.rejects(plumb.run("tale", request, {}), /a run needs `fulfil`/);
  await assert.rejects(plumb.run("steps", {}, { fulfil: scripted, journal: journalOf("tale_half.ndjson") }), /not of "steps"/);
  await assert.rejects(plumb.replay("{}\n"), (error) => error.line === 1);
  await assert.rejects(plumb.replay(""), /no entry/);
  const cut = journalOf("tale_half.ndjson").slice(0, -20);
  await assert.rejects(plumb.replay(cut), /no JSON/);
});

test("a module that cannot be had is told of when a run is wanted, and may be had later", async () => {
  let there = false;
  const late = await load({
    runsModule: () => (there ? readFileSync(runsTestModule) : Promise.reject(new Error("offline"))),
  });
  assert.equal(late.contract("quiz").check("{}").valid, false);
  await assert.rejects(late.pipelines(), /offline/);
  there = true;
  assert.equal((await late.pipelines())[0].name, "tale");
  const wrong = await load({ runsModule: readFileSync(join(npm, "dist/plumb-author.wasm")) });
  await assert.rejects(wrong.pipelines(), /it is not plumb-runs\.wasm/);
  const rejected = await load({ runsModule: Promise.reject(new Error("never asked for")) });
  assert.equal(rejected.contract("quiz").check("{}").valid, false);
});

test("extract answers model calls from their task, without a model", async () => {
  const chunks = ["Light is what the eye sees. Glucose is a sugar. Chloroplasts are the place of photosynthesis."];
  const reply = await plumb.extract({
    kind: "model",
    request: { phase: "plan", messages: [], task: { name: "artifact.plan", kind: "flashcards", chunks } },
  });
  assert.equal(reply.status, "ok");
  assert.equal(reply.value.provider, "extract");
  assert.ok(JSON.parse(reply.value.text).terms.length > 0);
  assert.match((await plumb.extract({ kind: "model", request: {} })).error, /this request has none/);
  assert.match((await plumb.extract({ kind: "search", request: {} })).error, /not 'search'/);
});

test("a replay steps forward and back, and says what was under way and what it had cost", async () => {
  const replay = await plumb.replay(journalOf("tale_signed.ndjson"));
  const forward = [];
  for (let position = replay.forward(); position; position = replay.forward()) forward.push(position);
  assert.equal(forward.length, replay.length);
  const back = [replay.at(replay.length - 1)];
  for (let position = replay.back(); position; position = replay.back()) back.push(position);
  assert.deepEqual(back.reverse(), forward);
  for (const { n, entry, view, log, wanted, tokens } of forward) {
    assert.equal(entry.n, n);
    assert.equal(view.entries, n + 1);
    assert.ok(log.every((line) => line.entry <= n));
    const replies = replay.entries.slice(0, n + 1).filter(({ kind, data }) => kind === "reply" && data?.usage);
    assert.deepEqual(tokens, { calls: replies.length, input: 10 * replies.length, output: 5 * replies.length, saved: 0, estimated: false });
    assert.ok(wanted.length <= 2);
  }
  assert.equal(forward[2].wanted[0].key, ":0");
  assert.equal(forward[2].wanted[0].request.messages[0].content, "Plan a story called Light");
  assert.deepEqual(forward.at(-1).notes.at(-1).value, { phase: "done", progress: 100 });
  assert.throws(() => replay.at(replay.length), /there is no entry/);
  replay.dispose();
  assert.throws(() => replay.at(0), /disposed/);
});

test("recorded runs come out the same in Node, and a changed byte is found", async () => {
  assert.ok(recorded.length >= 10);
  for (const name of recorded) {
    const replay = await plumbFor(name).replay(journalOf(name));
    assert.deepEqual(replay.verify(), { same: true, entries: replay.length }, name);
  }
  const changed = journalOf("tale_signed.ndjson").replace('"progress":60', '"progress":61');
  const told = (await plumb.replay(changed)).verify();
  assert.equal(told.same, false);
  assert.match(told.stored, /"progress":61/);
  assert.match(told.now, /"progress":60/);
});

test("a recorded run of a pipeline that the module does not know can still be looked at", async () => {
  const replay = await shipped.replay(journalOf("tale_signed.ndjson"));
  assert.equal(replay.known, false);
  assert.equal(replay.at(5).view, null);
  assert.ok(replay.at(5).tokens.calls > 0);
  assert.throws(() => replay.verify(), /there is no pipeline 'tale'/);
});

test("a run that was begun in Node goes on natively, from every entry, and the other way", async () => {
  const whole = await start();
  assert.equal((await outcome(whole)).state, "done");
  assert.equal(nativeHost(["replay"], whole.journal.text), `same ${whole.journal.lines.length}\n`);
  const { lines, blobs } = whole.journal;
  for (let count = 1; count < lines.length; count += 5) {
    const cut = { lines: lines.slice(0, count), blobs };
    const texts = [...blobs].map(([blob, text]) => JSON.stringify({ blob, text }));
    const native = nativeHost(["resume", "1760000900000"], [...texts, ...cut.lines, ""].join("\n"));
    const replay = await plumb.replay(native);
    assert.deepEqual(replay.verify(), { same: true, entries: replay.length }, `Node until ${count}`);
    assert.deepEqual(replay.entries.at(-1).data, (await whole.result).value);
    replay.dispose();
    // The other way: natively as far as that, then here; no stored reply is asked for again.
    const begun = nativeHost(["start", "tale", "r2", "1760000000000", String(count)], JSON.stringify(request));
    const answered = new Set();
    for (const line of begun.trim().split("\n").map((one) => JSON.parse(one))) {
      if (line.kind === "reply") answered.add(line.key);
    }
    const here = await plumb.run("tale", undefined, {
      journal: begun,
      now: clock(1_760_000_900_000),
      fulfil(effect) {
        assert.ok(!answered.has(effect.key), `${effect.key} was answered natively`);
        return scripted(effect);
      },
    });
    assert.equal((await outcome(here)).state, "done");
    assert.equal(here.id, "r2");
    assert.equal(nativeHost(["replay"], here.journal.text), `same ${here.journal.lines.length}\n`);
  }
});

test("an artifact is made in Node with extract alone, and natively it is the same run", async () => {
  const content = readFileSync(join(top, "docs/examples/chapter.md"), "utf8");
  const run = await shipped.run("artifact", { artifact_type: "quiz", content }, { fulfil: shipped.extract });
  const { state, value } = await outcome(run);
  assert.equal(state, "done");
  assert.equal(value.artifact.made_by, "extract");
  assert.equal(shipped.contract("quiz").check(value.artifact).valid, true);
  assert.equal(run.view.status, "completed");
  assert.equal((await shipped.replay(run.journal)).verify().same, true);
  const short = await shipped.run(
    "artifact",
    { artifact_type: "quiz", content: "Photosynthesis occurs in plants." },
    { fulfil: shipped.extract },
  );
  const failed = await outcome(short);
  assert.equal(failed.state, "failed");
  assert.match(failed.error.message, /^Validation failed after 2 repair attempts\. Violations: \[/);
  // The recorded run of the same chapter has the same requests: what extract says is the same bytes on every host.
  const native = await shipped.replay(journalOf("artifact_extract.ndjson"));
  const said = (entries) => entries.filter(({ kind }) => kind === "reply").map(({ key, data }) => [key, data.text]);
  assert.deepEqual(said(run.journal.lines.map((_, n) => run.journal.entry(n))), said(native.entries));
});

test("one prompt of the caller's own takes the place of the built-in one, the others stay; so does an own type", async () => {
  const content = "Light is what the eye sees. Glucose is a sugar. Chloroplasts are the place of photosynthesis.";
  const begun = async (request, options) => {
    const run = await shipped.run("artifact", request, { fulfil: () => new Promise(() => {}), ...options });
    run.cancel();
    await outcome(run);
    return Object.fromEntries(run.journal.entry(0).data.pins.map(({ name, text }) => [name, text]));
  };
  const usual = await begun({ artifact_type: "quiz", content }, {});
  const judge = `${usual["prompt-judge"]}\nAnswer with great care.\n`;
  const own = await begun({ artifact_type: "quiz", content }, { prompts: { "artifact-judge": judge } });
  assert.equal(own["prompt-judge"], judge);
  assert.equal(own["prompt-plan"], usual["prompt-plan"]);
  const contracts = { haiku: '{"type":"object","required":["lines"]}' };
  await assert.rejects(begun({ artifact_type: "haiku", content }, { contracts }), (error) => error.where === "/artifact_type");
  const prompts = { "artifact-plan-haiku": usual["prompt-plan"] };
  const haiku = await begun({ artifact_type: "haiku", content }, { contracts, prompts });
  // The number that the plan's prompt allows is written into the contract that the run is pinned to.
  const { properties, ...pinned } = haiku.contract;
  assert.deepEqual(pinned, JSON.parse(contracts.haiku));
  assert.equal(properties.questions.maxItems, 5);
  assert.equal(haiku["prompt-generate"], usual["prompt-generate"]);
});

test("many runs at once share a module, and what they took is given back", async () => {
  const runs = await Promise.all(Array.from({ length: 100 }, (_, i) => start({ id: `r${i}` })));
  const ends = await Promise.all(runs.map(outcome));
  assert.ok(ends.every(({ state }) => state === "done"));
  assert.equal(new Set(runs.map((run) => run.id)).size, 100);
});

test("an id is made where none is given, and never twice", async () => {
  const runs = await Promise.all([1, 2].map(() => plumb.run("tale", request, { fulfil: scripted })));
  for (const { id } of runs) assert.match(id, /^r[a-z2-7]{20}$/);
  assert.notEqual(runs[0].id, runs[1].id);
  await Promise.all(runs.map(outcome));
});

// ---- Chromium

let browser;
let server;
before(async () => {
  browser = await startBrowser();
  server = await serve(
    { "/npm/": join(npm, "dist"), "/wasm/": join(top, "build/cmake/wasm/bin"), "/runs/": recordedRuns },
    { "/": "<!doctype html><meta charset=utf-8><title>t</title>" },
  );
});
after(async () => {
  await browser?.close();
  await server?.close();
});

test("recorded runs come out the same in Chromium, and each position as in Node", async () => {
  const page = await browser.context.newPage();
  await page.goto(`${server.origin}/`);
  const told = await within(
    waitMs,
    "Chromium replaying",
    page.evaluate(async (names) => {
      const { load } = await import("/npm/index.js");
      const shipped = await load();
      const plumb = await load({ runsModule: "/wasm/plumb-runs-test.wasm" });
      const out = {};
      for (const name of names) {
        const replay = await (name.startsWith("tale_") ? plumb : shipped).replay(await (await fetch(`/runs/${name}`)).text());
        out[name] = { verify: replay.verify(), positions: replay.entries.map(({ n }) => JSON.stringify(replay.at(n))) };
      }
      return out;
    }, recorded),
  );
  await page.close();
  for (const name of recorded) {
    const replay = await plumbFor(name).replay(journalOf(name));
    assert.deepEqual(told[name].verify, { same: true, entries: replay.length }, name);
    assert.deepEqual(told[name].positions, replay.entries.map(({ n }) => JSON.stringify(replay.at(n))), name);
  }
});

test("the same run in Chromium gives the same journal as in Node", async () => {
  const page = await browser.context.newPage();
  await page.goto(`${server.origin}/`);
  const text = await within(
    waitMs,
    "Chromium running",
    page.evaluate(
      async ([input, script]) => {
        const { load } = await import("/npm/index.js");
        const plumb = await load({ runsModule: "/wasm/plumb-runs-test.wasm" });
        let now = 1_760_000_000_000;
        const fulfil = new Function(`return ${script}`)();
        const run = await plumb.run("tale", input, { fulfil, now: () => ++now, id: "r1" });
        await run.result;
        return run.journal.text;
      },
      [request, scripted.toString()],
    ),
  );
  await page.close();
  const here = await start();
  await outcome(here);
  assert.equal(text, here.journal.text);
});
