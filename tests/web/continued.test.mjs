// A run that is made in the page survives its tab: killed at every entry, it goes on in another tab, or on a server, without a
// call being made twice, and comes to the same bytes.
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { axe, plumb, setUp } from "./support.mjs";

const kit = setUp();
const folder = mkdtempSync(join(tmpdir(), "plumb-page-continued-"));
const ended = [];
after(async () => {
  for (const end of ended) await end();
  rmSync(folder, { recursive: true, force: true });
});

const places = ["Chloroplasts", "Nucleus", "Cell wall", "Vacuole"];
const quote = "Photosynthesis occurs in chloroplasts.";
const quiz = (options) =>
  JSON.stringify({ questions: [{ question: "Where does photosynthesis occur?", options, correct_answer: "Chloroplasts", explanation: quote }] });
// What the model answers, by the phase that its prompt is of.
const answers = {
  plan: JSON.stringify({ concepts: [{ name: "Photosynthesis", chunk: 0, quote }] }),
  generate: quiz(places),
  judge: JSON.stringify({
    claims: ["answerable", "no-invention", "answer-correct"].map((rule) => ({ rule, at: "/questions/0", holds: true, chunk: 0, quote, reason: "It says so." })),
  }),
};
const phaseOf = ({ messages }) => ({ Plan: "plan", Write: "generate", Decide: "judge" })[messages.at(-1).content.split(" ")[0]];

let asked = [];
async function startModel() {
  const model = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const phase = phaseOf(JSON.parse(body));
    asked.push(phase);
    const event = (value) => response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "small", ...value })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    event({ choices: [{ index: 0, delta: { content: answers[phase] } }] });
    event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 } });
    response.end("data: [DONE]\n\n");
  });
  await new Promise((done) => model.listen(0, "127.0.0.1", done));
  ended.push(() => (model.closeAllConnections(), new Promise((done) => model.close(done))));
  return `http://127.0.0.1:${model.address().port}/v1`;
}

// `plumb serve`, and the origins that it says it listens on.
async function serve(options, variables, origins) {
  const server = spawn(plumb, ["serve", "--port", "0", "--log", "off", ...options], {
    env: { ...process.env, XDG_STATE_HOME: folder, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const over = new Promise((done) => server.once("exit", done));
  ended.push(() => (server.kill("SIGKILL"), over));
  return new Promise((told, failed) => {
    let text = "";
    server.once("exit", (code) => failed(new Error(`plumb serve has ended with ${code}`)));
    server.stdout.on("data", (data) => {
      text += data;
      const found = text.split("\n").slice(0, -1).flatMap((line) => line.match(/http:\/\/[^/\s]+/g) ?? []);
      if (found.length >= origins) told(found);
    });
  });
}

// The page stops for good where its n-th entry is stored and before it is used: as if the tab were killed there.
const stopAfter = (n) => `{
  const put = IDBObjectStore.prototype.put;
  let left = ${n};
  IDBObjectStore.prototype.put = function (...given) {
    const request = put.apply(this, given);
    if (left-- === 0) {
      this.transaction.addEventListener("complete", () => (window.stopped = true));
      Object.defineProperty(this.transaction, "oncomplete", { set() {} });
    }
    return request;
  };
}`;

const state = (page, word) => page.locator(".run-status", { hasText: word }).waitFor();
async function fillProxy(page, proxy) {
  await page.getByLabel("Address of the proxy").fill(proxy);
  await page.getByLabel("Model", { exact: true }).fill("fast");
}
async function begin(page, proxy) {
  await page.locator(".start").waitFor();
  await page.getByLabel("Source", { exact: true }).fill("Photosynthesis occurs in chloroplasts. Chlorophyll absorbs light. Water is split.");
  await page.getByLabel("Questions", { exact: true }).fill("1");
  await page.getByLabel("Made by").selectOption({ label: "This page, with a model through a proxy" });
  await fillProxy(page, proxy);
  await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
}
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save" }).click()]);
  const text = readFileSync(await download.path(), "utf8");
  writeFileSync(join(folder, name), text);
  return text;
}
// All entries take minutes: by default every fifth is tried, and the first and the last (PLUMB_EVERY_ENTRY=1: each).
const every = process.env.PLUMB_EVERY_ENTRY === "1" ? 1 : 5;
const entriesOf = (text) => text.trim().split("\n").map((line) => JSON.parse(line)).filter((one) => one.kind);
const resultOf = (text) => JSON.stringify(entriesOf(text).at(-1).data);
// The replies of a model that a journal has.
const answered = (text) => {
  const entries = entriesOf(text);
  const models = new Set(entries.filter((one) => one.kind === "attempt" && one.name === "model").map(({ key }) => key));
  return entries.filter((one) => one.kind === "reply" && models.has(one.key)).length;
};

test("a run of the page is killed at entries from the first to the last: it goes on in another tab and on a server, no call is made twice, the bytes are the same", { timeout: 900_000 }, async () => {
  const model = await startModel();
  writeFileSync(
    join(folder, "plumb.yaml"),
    `providers:\n  near: {speaks: openai, base_url: "${model}"}\nproxy:\n  listen: 127.0.0.1:0\n  origins: ["${kit.site.origin}"]\n  models: {fast: near/small}\n`,
  );
  const [, proxy] = await serve(["--store", join(folder, "proxy.db"), "--config", join(folder, "plumb.yaml")], { PLUMB_PROVIDER: "extract" }, 2);
  kit.site.reaches = [proxy];
  const files = [];
  let whole;
  let calls;
  await kit.visit({ path: "/#runs/new/quiz", ready: false, expectErrors: true }, async (first) => {
    const context = first.context();
    await begin(first, proxy);
    await state(first, "completed");
    whole = await saved(first, "whole.jsonl");
    calls = asked.length;
    assert.deepEqual([...new Set(asked)].sort(), ["generate", "judge", "plan"]);
    const all = entriesOf(whole).length;
    for (let n = 0; n < all; n = n < all - 1 ? Math.min(n + every, all - 1) : all) {
      asked = [];
      const killed = await context.newPage();
      await killed.addInitScript(stopAfter(n));
      await killed.goto(`${kit.site.origin}/#runs/new/quiz`);
      await begin(killed, proxy);
      await killed.waitForFunction(() => window.stopped);
      const id = await killed.evaluate(() => location.hash.split("/").at(-1));
      const address = killed.url();
      await killed.close();

      const next = await context.newPage();
      await next.goto(n % 2 === 0 ? address : `${kit.site.origin}/#runs`);
      if (n % 2 === 1) await next.locator(`.server-run[data-run="${id}"]`).click();
      await next.locator(".position", { hasText: new RegExp(`^${n} / ${n}`) }).waitFor();
      if (n < all - 1) {
        await state(next, "waits for you");
        const half = await saved(next, `at-${n}.jsonl`);
        assert.equal(entriesOf(half).length, n + 1);
        files.push([id, join(folder, `at-${n}.jsonl`), answered(half)]);
        if (n === 1) assert.deepEqual(await axe(next), []);
        // The address and the model are those that it was begun with.
        assert.equal(await next.getByLabel("Address of the proxy").inputValue(), proxy);
        await next.getByRole("button", { name: "Continue in this page" }).click();
      }
      await state(next, "completed");
      const text = await saved(next, "again.jsonl");
      assert.equal(resultOf(text), resultOf(whole), `killed at entry ${n}`);
      assert.equal(asked.length, calls, `killed at entry ${n}: ${asked}`);
      await next.getByRole("button", { name: "Verify" }).click();
      await next.locator(".again.good").waitFor();
      await next.close();
    }
  });

  // Each of them on a server, as it was when its tab was killed; and back in a page.
  const store = join(folder, "server.db");
  execFileSync(plumb, ["runs", "import", "--store", store, ...files.map(([, file]) => file)]);
  asked = [];
  const [server] = await serve(["--store", store], { PLUMB_PROVIDER: "openai/scripted", OPENAI_BASE_URL: model, OPENAI_API_KEY: "none" }, 1);
  for (const [id, file, had] of files) {
    asked = [];
    const resumed = await fetch(`${server}/v1/runs/${id}/resume`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"here":true}' });
    // One that has no call left has ended by itself.
    assert.ok(resumed.ok || resumed.status === 409, await resumed.text());
    let text = "";
    for (let tries = 0; tries < 600 && !text.includes('"kind":"end"'); ++tries) {
      await new Promise((done) => setTimeout(done, 50));
      text = await (await fetch(`${server}/v1/runs/${id}/journal`)).text();
    }
    assert.equal(JSON.stringify(entriesOf(text).at(-1).data.artifact), JSON.stringify(entriesOf(whole).at(-1).data.artifact), file);
    assert.equal(asked.length, calls - had, `${file}: ${asked}`);
    writeFileSync(file, text);
  }
  await kit.visit({ path: "/#runs", ready: false, expectErrors: true }, async (page) => {
    for (const [id, file] of [files[0], files.at(-1)]) {
      await page.getByLabel("Open a journal").first().setInputFiles(file);
      await page.locator(".run-id", { hasText: id }).waitFor();
      await state(page, "completed");
      await page.getByRole("button", { name: "Verify" }).click();
      await page.locator(".again.good").waitFor();
    }
  });
});

test("another tab leaves a run alone that is under way, and what is removed or not to be kept is not kept", () =>
  kit.visit({ path: "/#runs/new/quiz", ready: false, expectErrors: true }, async (page) => {
    const kept = (of) =>
      of.evaluate(
        () =>
          new Promise((done) => {
            const opened = indexedDB.open("plumbline-runs");
            opened.onsuccess = () => {
              const all = opened.result.transaction("pieces").objectStore("pieces").count();
              all.onsuccess = () => (opened.result.close(), done(all.result));
            };
          }),
      );
    const context = page.context();
    const busy = await context.newPage();
    await busy.addInitScript(stopAfter(2));
    await busy.goto(`${kit.site.origin}/#runs/new/quiz`);
    await busy.getByRole("button", { name: "Make a quiz from a short text" }).click();
    await busy.waitForFunction(() => window.stopped);
    const id = await busy.evaluate(() => location.hash.split("/").at(-1));
    await page.reload();
    await page.locator(".start").waitFor();
    await page.getByText("None yet.").waitFor();
    await busy.close();
    await page.reload();
    const line = page.locator(`.server-run[data-run="${id}"]`);
    await line.getByText("waits for you").waitFor();
    await line.click();
    await page.getByRole("button", { name: "Continue in this page" }).click();
    await state(page, "completed");
    assert.ok((await kept(page)) > 3);
    await page.getByRole("button", { name: /^Remove .* from the list/ }).click();
    await page.waitForFunction(
      () => new Promise((done) => (indexedDB.open("plumbline-runs").onsuccess = ({ target: { result } }) => (result.transaction("pieces").objectStore("pieces").count().onsuccess = ({ target }) => (result.close(), done(target.result === 0))))),
    );
    await page.evaluate(() => localStorage.setItem("plumbline-history-off", "off"));
    await page.reload();
    await page.getByRole("link", { name: "New run" }).click();
    await page.getByRole("button", { name: "Make a quiz from a short text" }).click();
    await state(page, "completed");
    assert.equal(await kept(page), 0);
  }));
