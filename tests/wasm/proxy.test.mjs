// Runs whose model calls go through a real proxy to a scripted provider: what is streamed, stopped, counted and told of what
// goes wrong; and `<plumb-preview>` in Chromium, three lines from a text to a repaired quiz.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import { blocksOf } from "../docs_blocks.mjs";
import { Proxy, until } from "../proxy/support.mjs";
import { importPackage, npm, within } from "./support.mjs";

const { load } = await importPackage();
const plumb = await load();
const waitMs = 60_000;
const content = "Photosynthesis occurs in chloroplasts. Chlorophyll absorbs light. Water is split, and oxygen is released.";
const quote = "Photosynthesis occurs in chloroplasts.";
const question = (options, correct) => ({
  question: "Where does photosynthesis occur?",
  options,
  correct_answer: correct,
  explanation: "Photosynthesis occurs in chloroplasts.",
});
const places = ["Chloroplasts", "Nucleus", "Cell wall", "Vacuole"];
const faulty = JSON.stringify({ questions: [question(places.slice(0, 3), "Mitochondria")] });
const repaired = JSON.stringify({ questions: [question(places, "Chloroplasts")] });
const plan = JSON.stringify({ concepts: [{ name: "Photosynthesis", chunk: 0, quote }] });
const claims = JSON.stringify({
  claims: ["answerable", "no-invention", "answer-correct"].map((rule) => ({ rule, at: "/questions/0", holds: true, chunk: 0, quote, reason: "It says so." })),
});
const contract = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };

const serverToken = "0123456789abcdef0123456789abcdef";
let proxy;
let pages;
let folder;
let browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumb-via-"));
  // Pages are known before the proxy, which lists their origin.
  pages = await serve({ "/npm/": join(npm, "dist"), "/page/": folder }, {});
  proxy = await Proxy.start(`  origins: ["${pages.origin}"]\n`, { PLUMB_TOKEN: serverToken });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await proxy?.stop();
  await pages?.close();
  rmSync(folder, { recursive: true });
});

const fulfil = (more = {}) => plumb.viaProxy(proxy.origin, { model: "openai", ...more });
/** The phases in which a provider was asked, by what their messages begin with. */
const formats = () => proxy.asked().map(({ response_format: format }) => format?.json_schema?.name);
/** One model call of a run, as a boundary makes it: its reply. */
async function called(options = {}, request = {}) {
  const run = await plumb.run("boundary", { contract: { ...contract, rules: [{ id: "r", ask: "Is it?" }] }, items: [{ n: 1 }], ...request }, { fulfil: fulfil(options) });
  await within(waitMs, "a run", run.result);
  const reply = run.journal.lines.map((_, n) => run.journal.entry(n)).find(({ kind }) => kind === "reply");
  return { reply, run };
}

test("a run is made through the proxy: streamed, under the contract's schema, repaired, with what it took", async () => {
  proxy.script({ text: plan }, { text: faulty }, { text: claims }, { text: repaired }, { text: claims });
  const run = await plumb.run("artifact", { artifact_type: "quiz", content }, { fulfil: fulfil() });
  const told = { text: "", finding: [], usage: 0 };
  run.follow(({ request }, kind, value) => {
    if (kind === "text" && request.phase === "generate") told.text += value;
    if (kind === "finding" && request.phase === "generate") told.finding.push(value.rule);
    if (kind === "usage") ++told.usage;
  });
  const { state, value, error } = await within(waitMs, "the run", run.result);
  assert.equal(state, "done", error?.message);
  assert.deepEqual(value.artifact.questions[0].options, places);
  assert.equal(told.text, faulty);
  assert.deepEqual(told.finding, ["minItems", "memberOf"]);
  assert.equal(told.usage, proxy.asked().length);
  assert.deepEqual(new Set(formats()), new Set(["plan-quiz", "quiz", "judge-claims"]));
  const replies = run.journal.lines.map((_, n) => run.journal.entry(n)).filter(({ kind }) => kind === "reply");
  assert.ok(replies.every(({ data }) => data.usage.input_tokens === 21 && data.usage.output_tokens === 34 && data.finish === "stop"));
  assert.equal(value.tokens, replies.length * 55);
  assert.equal((await plumb.replay(run.journal)).verify().same, true);
});

test("models by phase, and a token that is asked for before each call", async () => {
  proxy.script({ text: '{"rejected_items": []}' });
  let tokens = 0;
  const seen = [];
  const own = (url, init) => (seen.push(init.headers.authorization), fetch(url, init));
  const { reply } = await called({ model: (phase) => (phase === "validate" ? "openai" : "none"), token: async () => `t${++tokens}`, fetch: own });
  assert.equal(reply.status, "ok");
  assert.deepEqual(seen, ["Bearer t1"]);
});

test("errors come by class, with what the proxy says", async () => {
  const failures = [
    [[{ status: 401, message: "no" }], "server", true],
    [[{ status: 429, retryAfter: 1 }], "rate_limited", true],
    [[{ status: 400, message: "the prompt is odd" }], "bad_request", false, /the prompt is odd/],
    [[{ status: 500 }], "server", true],
    [[{ text: '{"rejected_items": [1, 2, 3, 4]}', cut: 1 }], undefined, true],
  ];
  for (const [script, kind, retryable, message] of failures) {
    proxy.script(...script);
    const { reply } = await called();
    assert.equal(reply.status, "failed", JSON.stringify(script));
    if (kind !== undefined) assert.equal(reply.data.class, kind, JSON.stringify(reply));
    assert.equal(reply.data.retryable, retryable, JSON.stringify(reply));
    if (message !== undefined) assert.match(reply.error, message);
  }
  const { reply: unknown } = await called({ model: "openai", fetch: (url, init) => fetch(url.replace("/chat/completions", "/nothing"), init) });
  assert.deepEqual([unknown.data.class, unknown.data.status, unknown.data.retryable], ["not_found", 404, false]);
  const nowhere = plumb.viaProxy("http://127.0.0.1:9", { model: "m" });
  const run = await plumb.run("boundary", { contract: { ...contract, rules: [{ id: "r", ask: "Is it?" }] }, items: [{ n: 1 }] }, { fulfil: nowhere });
  await run.result;
  assert.match(run.view.cycles[0].call_error, /the proxy cannot be reached/);
});

test("a degenerate answer is stopped, and so is the first error that nothing mends where the run asks for it", async () => {
  proxy.script({ text: `{"rejected_items": [${" ".repeat(200_000)}]}`, piece: 500, gap_ms: 1 });
  const { reply } = await called();
  assert.deepEqual([reply.status, reply.data.finish, reply.data.stopped.why, reply.data.usage.estimated], ["ok", "stopped", "degenerate", true]);
  await until(() => proxy.upstream.left("real") === 1, "the provider is left");
  assert.ok(proxy.upstream.sent("real") < 100_000, String(proxy.upstream.sent("real")));

  const long = JSON.stringify({ questions: [question(places.slice(0, 3), "Nucleus"), ...Array.from({ length: 50 }, () => question(places, "Nucleus"))] });
  proxy.script({ text: plan }, { text: long, piece: 40, gap_ms: 1 }, { text: repaired }, { text: claims });
  const run = await plumb.run("artifact", { artifact_type: "quiz", content, early_stop: "finding" }, { fulfil: fulfil() });
  await within(waitMs, "the run", run.result);
  const stopped = run.journal.lines.map((_, n) => run.journal.entry(n)).filter(({ data }) => data?.stopped).map(({ data }) => data.stopped);
  assert.deepEqual([stopped[0].why, stopped[0].rule, stopped[0].at], ["finding", "minItems", "/questions/0/options"]);
});

test("a cancelled run leaves the provider; an answer in which nothing comes has its time", async () => {
  proxy.script({ text: "x".repeat(4000), piece: 4, gap_ms: 50 });
  const abort = new AbortController();
  const request = { contract: { ...contract, rules: [{ id: "r", ask: "Is it?" }] }, items: [{ n: 1 }] };
  const run = await plumb.run("boundary", request, { fulfil: fulfil(), signal: abort.signal });
  run.follow((_, kind) => kind === "text" && abort.abort());
  assert.equal((await within(waitMs, "the run", run.result)).state, "cancelled");
  await until(() => proxy.upstream.left("real") === 1, "the provider is left");

  proxy.script({ hang: true });
  const { reply } = await called({}, { limits_ms: { validate: 300 } });
  assert.equal(reply.status, "timed_out");
  await until(() => proxy.upstream.left("real") === 1, "the provider is left");
});

test("what is no model call goes to `others`", async () => {
  const effect = (kind) => ({ kind, request: {}, key: ":0", signal: new AbortController().signal });
  assert.match((await fulfil()(effect("search"))).error, /give `others` to answer 'search'/);
  assert.deepEqual(await fulfil({ others: () => "found" })(effect("search")), { value: { text: "found" } });
});

// --- In a page ------------------------------------------------------------------------------------------------------------

/** A page with this program under a strict policy, as far as it is shown. */
async function shown(program) {
  const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self' ${proxy.origin}`;
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" content="${policy}">
      <title>page</title><h1>Quiz</h1><plumb-preview format="quiz"></plumb-preview><script type="module" src="program.js"></script></html>`,
  );
  writeFileSync(
    join(folder, "program.js"),
    `import { load } from "/npm/index.js";
     import "/npm/preview.js";
     const preview = document.querySelector("plumb-preview");
     const { url, content, topic, token } = ${JSON.stringify({ url: proxy.origin, content, topic: "plants" })};
     const model = "openai";
     const states = new Set();
     const timer = setInterval(() => states.add(preview.shadowRoot.textContent.includes("Mitochondria") ? "faulty" : "other"), 20);
     try {
       ${program}
       window.outcome = { valid: verdict.valid, decision: verdict.decision };
     } catch (error) {
       window.outcome = { error: error.message, code: error.code };
     }
     clearInterval(timer);
     window.outcome.states = [...states];
     document.title = "done";`,
  );
  const page = await browser.context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${pages.origin}/page/index.html`);
  // Modules are compiled anew for each page, which takes its time on a machine that is busy.
  await page.waitForFunction(() => document.title === "done", undefined, { timeout: 3 * waitMs });
  assert.deepEqual(errors, []);
  return page;
}
const lines = blocksOf("docs/page.md").find((block) => block.includes("preview.run("));

test("page.md: three lines from a text to a repaired quiz, drawn while it is written", async () => {
  assert.equal(lines.trimEnd().split("\n").length, 3);
  proxy.script({ text: plan }, { text: faulty, piece: 8, gap_ms: 10 }, { text: claims }, { text: repaired, piece: 8, gap_ms: 5 }, { text: claims });
  const page = await shown(lines);
  const { valid, states, error } = await page.evaluate(() => window.outcome);
  assert.equal(error, undefined);
  assert.equal(valid, true);
  assert.ok(states.includes("faulty"), "the first version was not shown while it was written");
  for (const [width, colorScheme] of [[1440, "light"], [1440, "dark"], [390, "light"], [390, "dark"]]) {
    await page.setViewportSize({ width, height: 700 });
    await page.emulateMedia({ colorScheme });
    const { text, wide } = await page.evaluate(() => ({
      text: document.querySelector("plumb-preview").shadowRoot.textContent,
      wide: document.documentElement.scrollWidth > innerWidth,
    }));
    assert.ok(places.every((place) => text.includes(place)) && !text.includes("Mitochondria"), text);
    assert.equal(wide, false, `${width} is too narrow`);
    if (process.env.PLUMB_PICTURES) await page.screenshot({ path: join(process.env.PLUMB_PICTURES, `run-${width}-${colorScheme}.png`) });
  }
  await page.close();
});

test("a run that comes to nothing says why, and leaves the last version with its problems", async () => {
  proxy.script({ text: plan }, { text: faulty }, { text: claims }, { text: faulty });
  const page = await shown(lines);
  const { error } = await page.evaluate(() => window.outcome);
  assert.match(error, /Validation failed after 2 repair attempts/);
  const { text, findings } = await page.evaluate(() => {
    const preview = document.querySelector("plumb-preview");
    return { text: preview.text, findings: preview.findings.map(({ rule }) => rule) };
  });
  assert.equal(text, faulty);
  assert.deepEqual(findings, ["minItems", "memberOf"]);
  if (process.env.PLUMB_PICTURES) await page.screenshot({ path: join(process.env.PLUMB_PICTURES, "failed-1440-light.png") });
  await page.close();
});

test("preview.from shows a client's stream, a whole answer, plain text and an error", async () => {
  const ask = (body, headers = {}) => `await preview.from(await fetch(url + "/v1/chat/completions", { method: "POST",
    headers: ${JSON.stringify({ "content-type": "application/json", ...headers })},
    body: JSON.stringify({ model, messages: [{ role: "user", content: "A quiz." }], ...${JSON.stringify(body)} }) }))`;
  const quiz = 'preview.contract = "quiz";\n';
  for (const [program, answer, valid] of [
    [ask({ stream: true }), repaired, true],
    [ask({ stream: true }), faulty, false],
    [ask({}), repaired, true],
    [`await preview.from(new Response(${JSON.stringify(repaired)}))`, "", true],
    [`await preview.from(new Response(${JSON.stringify(repaired)}, { headers: { "content-type": "application/json" } }))`, "", true],
    [`await preview.from(${JSON.stringify([...faulty])})`, "", false],
  ]) {
    proxy.script({ text: answer, piece: 9 });
    const page = await shown(`${quiz}const verdict = ${program};`);
    const outcome = await page.evaluate(() => window.outcome);
    assert.equal(outcome.valid, valid, `${program}: ${JSON.stringify(outcome)}`);
    await page.close();
  }
  proxy.script({ status: 400, message: "the prompt is odd" });
  const page = await shown(`${quiz}const verdict = ${ask({ stream: true })};`);
  const outcome = await page.evaluate(() => window.outcome);
  assert.deepEqual([outcome.code, /the prompt is odd/.test(outcome.error)], ["unavailable", true]);
  await page.close();
});

// --- With a client token --------------------------------------------------------------------------------------------------

const written = JSON.stringify({
  tool: "startResearch",
  arguments: { objective: "How many battery electric cars were registered in Norway in 2024?", successCriteria: ["States the number of registrations in 2024.", "Cites Statistics Norway."] },
});

/** A client token, as one's own server gets it. */
async function clientToken(more = {}) {
  const answer = await fetch(`${proxy.control}/v1/client-tokens`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${serverToken}` },
    body: JSON.stringify({ origin: pages.origin, models: ["openai"], tokens: 20_000, ...more }),
  });
  const told = await answer.text();
  assert.ok(answer.ok, told);
  return JSON.parse(told);
}

/** The program of page.md, in a page under a strict policy. */
async function formShown(token, act) {
  const policy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self' ${proxy.origin}`;
  const program = blocksOf("docs/page.md").find((block) => block.includes("/intake"));
  writeFileSync(join(folder, "token.json"), JSON.stringify(token));
  writeFileSync(
    join(folder, "form.html"),
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" content="${policy}">
      <title>form</title><h1>Research</h1><plumb-intake price="2 10"></plumb-intake><script type="module" src="form.js"></script></html>`,
  );
  writeFileSync(
    join(folder, "form.js"),
    "const start = (call) => (window.started = call);\n" +
      program
        .replace(/"@plumbline\/plumbline\/intake"/, '"/npm/intake.js"')
        .replace(/"@plumbline\/plumbline"/, '"/npm/index.js"')
        .replace('"https://proxy.example.org"', JSON.stringify(proxy.origin))
        .replace('"fast"', '"openai"')
        .replace('"/token"', '"/page/token.json"'),
  );
  const page = await browser.context.newPage();
  page.setDefaultTimeout(3 * waitMs);
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  try {
    await page.goto(`${pages.origin}/page/form.html`);
    await act(page, page.locator("plumb-intake"));
    assert.deepEqual(wrong, []);
  } finally {
    await page.close();
  }
}
const ask = (page) => page.getByRole("button", { name: /Let the model/ });

test("page.md: with a client token a visitor types a request, sees the scorecard become true, what is asked back and what it costs", async () => {
  await formShown(await clientToken(), async (page, intake) => {
    // Of an empty form nothing holds, and nothing is asked.
    await intake.locator(".line").first().waitFor();
    assert.equal(await intake.locator(".line[data-outcome=holds]").count(), 0);
    assert.deepEqual(await intake.evaluate((one) => [one.toolCall, one.cost]), [null, null]);
    await page.getByLabel("Objective").fill("Explore electric cars.");
    await intake.locator(".cost", { hasText: /^The call: about \d+ tokens in, at most 700 out, \$0\.00\d+ at most\.$/ }).waitFor();
    const cost = await intake.evaluate((one) => one.cost);
    assert.ok(cost.what === "write" && cost.input_tokens > 200 && cost.input_tokens < 1000, JSON.stringify(cost));
    assert.equal(await intake.locator(".line[data-outcome=broken]").count() > 0, true);
    // First it asks back, then it writes.
    proxy.script({ text: JSON.stringify({ tool: "textInput", arguments: { message: "Which country is it about?", reason: "No place." } }) }, { text: "Sure:\n```json\n" + written + "\n```" });
    await ask(page).click();
    await intake.locator(".question", { hasText: "Which country is it about?" }).waitFor();
    await page.getByLabel("Objective").fill("Explore electric cars in Norway, 2024.");
    await intake.locator(".question", { hasText: "Which country" }).waitFor({ state: "detached" });
    await intake.locator(".cost", { hasText: /^The call:/ }).waitFor();
    await ask(page).click();
    await intake.locator(".cost", { hasText: /^It took .* tokens in, .* out, \$/ }).waitFor();
    assert.equal(await intake.evaluate((one) => one.objective), JSON.parse(written).arguments.objective);
    assert.equal(await intake.locator(".line[data-outcome=broken]").count(), 0);
    assert.equal((await page.evaluate(() => window.started)).tool, "startResearch");
    // What rules leave open is judged.
    const open = await intake.locator(".line[data-outcome=undecided]").count();
    assert.ok(open > 0);
    proxy.script({ text: JSON.stringify({ judged: Array.from({ length: open }, (_, n) => ({ n, holds: true, reason: "It says so." })) }) });
    await page.getByRole("button", { name: "Let the model judge the open rules" }).click();
    await intake.locator(".decision", { hasText: /^Research may start\.$/ }).waitFor();
    assert.equal(await intake.locator(".line[data-outcome=undecided]").count(), 0);
    assert.deepEqual(await intake.evaluate((one) => [one.judged.length, one.cost]), [open, null]);
    if (process.env.PLUMB_PICTURES) await page.screenshot({ path: join(process.env.PLUMB_PICTURES, "form.png") });
    // Of other words nothing was judged.
    await page.getByLabel("Objective").fill("How many battery electric cars were registered in Norway in 2023?");
    await intake.locator(".line[data-outcome=undecided]").first().waitFor();
    assert.equal(await intake.evaluate((one) => one.judged.length), 0);
  });
});

test("a client token of another origin, one that is spent and a model that it does not have are told of in the form", async () => {
  const refused = async (token, said) =>
    formShown(token, async (page, intake) => {
      await page.getByLabel("Objective").fill("Explore electric cars.");
      await intake.locator(".cost", { hasText: /^The call/ }).waitFor();
      await ask(page).click();
      await intake.locator(".cost[data-tone=error]", { hasText: said }).waitFor();
      assert.equal(await intake.evaluate((one) => one.objective), "Explore electric cars.");
    });
  await refused(await clientToken({ origin: "https://other.example.org" }), /for pages of https:\/\/other\.example\.org/);
  await refused(await clientToken({ tokens: 100 }), /client token/);
  await refused(await clientToken({ models: ["anthropic"] }), /openai/);
});
