// Runs in the page with a model through a proxy: a real `plumb serve` with its proxy, whose model alone is scripted.
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";

import { axe, plumb, setUp, top } from "./support.mjs";

const kit = setUp();
let folder;
let model;
let server;
let proxy;
let asked = [];
let answers = [];
let held; // a call waits for it before it is answered
let busy = 0; // so many calls are refused: the provider has too much to do

// With the first visit: the proxy lists the origin of the site.
let started;
async function start() {
  model = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push(JSON.parse(body));
    if (busy-- > 0) {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "40" });
      response.end('{"error":{"message":"too much to do","type":"rate_limit_error"}}');
      return;
    }
    const content = answers.shift() ?? "{}";
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (text) => response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, delta: { content: text } }] })}\n\n`);
    send(content.slice(0, content.length / 2));
    await held;
    send(content.slice(content.length / 2));
    response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await new Promise((done) => model.listen(0, "127.0.0.1", done));
  folder = mkdtempSync(join(tmpdir(), "plumb-page-through-"));
  writeFileSync(
    join(folder, "plumb.yaml"),
    `providers:
  near: {speaks: openai, base_url: "http://127.0.0.1:${model.address().port}/v1"}
proxy:
  listen: 127.0.0.1:0
  origins: ["${kit.site.origin}"]
  models: {fast: near/small}
`,
  );
  server = spawn(plumb, ["serve", "--port", "0", "--store", join(folder, "runs.db"), "--config", join(folder, "plumb.yaml"), "--log", "off"], {
    env: { ...process.env, PLUMB_PROVIDER: "extract", XDG_STATE_HOME: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  proxy = await new Promise((told, failed) => {
    let text = "";
    server.once("exit", (code) => failed(new Error(`plumb serve has ended with ${code}`)));
    server.stdout.on("data", (data) => {
      text += data;
      const origins = text.match(/http:\/\/[^/\s]+/g) ?? [];
      if (text.split("\n").length > 2 && origins.length > 1) told(new URL(origins[1]).origin);
    });
  });
  kit.site.reaches = [proxy];
}
after(async () => {
  server?.removeAllListeners("exit");
  server?.kill("SIGKILL");
  model?.closeAllConnections();
  model?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  asked = [];
  answers = [];
  held = undefined;
  busy = 0;
});

const visit = async (path, body) => {
  await (started ??= start());
  return kit.visit({ path, ready: false, expectErrors: true }, async (page) => {
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    await page.locator(".start").waitFor();
    await body(page);
    assert.deepEqual(wrong, []);
  });
};

async function through(page, url = proxy, name = "fast") {
  await page.getByLabel("Made by").selectOption({ label: "This page, with a model through a proxy" });
  await page.getByLabel("Address of the proxy").fill(url);
  await page.getByLabel("Model", { exact: true }).fill(name);
}
const state = (page, word) => page.locator(".run-status", { hasText: word }).waitFor();

test("a quiz is made in the page with a model through the proxy, its text shown as it comes, and its journal verified", () =>
  visit("/#runs/new/quiz", async (page) => {
    let release;
    held = new Promise((done) => (release = done));
    const quiz = readFileSync(join(top, "tests/cases/seed/quiz_repaired.json"), "utf8");
    answers = ['{"concepts":["photosynthesis process","chloroplast function"]}', quiz];
    await page.getByRole("button", { name: "Example" }).click();
    await through(page);
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
    // The call that is under way: its try, its time, its limit, its text.
    const live = page.getByRole("list", { name: "Calls in progress" });
    await live.getByText(/plan try 1, \d[\d.]* m?s of at most 10 min 0 s/).waitFor();
    await page.getByLabel("Text so far").getByText("concepts").waitFor();
    release();
    await state(page, /completed|failed/);
    assert.equal(await page.getByRole("list", { name: "Calls in progress" }).count(), 0);
    assert.equal(asked[0].model, "small");
    assert.match(JSON.stringify(asked[0].messages), /[Pp]hotosynthesis/);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".again.good").waitFor();
    // What it cost, by the prices that one knows.
    await page.getByRole("tab", { name: "Calls" }).click();
    const calls = await page.locator(".call").count();
    await page.getByLabel("in", { exact: true }).fill("2");
    await page.getByLabel("out", { exact: true }).fill("10");
    const sum = (calls * (1000 * 2 + 500 * 10)) / 1e6;
    await page.locator(".prices b", { hasText: `$${sum.toFixed(4)} for all calls` }).waitFor();
    assert.equal(await page.locator(".call .fall > span").count(), calls);
  }));

test("a call that is to be made again says when it is sent, and which try it is", () =>
  visit("/#runs/new/quiz", async (page) => {
    busy = 50;
    await page.getByRole("button", { name: "Example" }).click();
    await through(page);
    await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
    const live = page.getByRole("list", { name: "Calls in progress" });
    await live.getByText(/plan try 2, sent in \d[\d.]* s$/).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.locator(".call", { hasText: "tried 2 times" }).first().waitFor();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await state(page, "cancelled");
    assert.equal(await live.count(), 0);
  }));

test("a boundary is judged in the page with a model through the proxy", () =>
  visit("/#runs/new/boundary", async (page) => {
    answers = ['{"accepted_items":["1"],"rejected_items":[{"item_id":"2","rule":"concrete","rejection_reason":"It names no place."}]}', '{"items":[{"place":"search"}]}', '{"accepted_items":["2"],"rejected_items":[]}'];
    await page.getByRole("button", { name: "Check the items" }).click();
    await page.getByRole("alert").getByText("There is no contract yet.").waitFor();
    await page.getByLabel("Contract of one item, JSON").fill('{"type":"object","itemId":"/place","required":["place"],"rules":[{"id":"concrete","title":"Concrete","ask":"Does it name a place?"}]}');
    await page.getByLabel("Items, as").fill("no list");
    await page.getByRole("button", { name: "Check the items" }).click();
    await page.getByRole("alert").getByText("The items are not valid").waitFor();
    await page.getByLabel("Items, as").fill('{"place":"checkout"}\n{"place":"somewhere"}');
    await through(page);
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "Check the items" }).click();
    await state(page, "completed");
    await page.getByRole("tab", { name: "Boundary" }).waitFor();
    assert.deepEqual(await page.getByRole("list", { name: "Items" }).locator("> li b").allTextContents(), ["checkout", "search"]);
    assert.match(await page.locator(".run-of").textContent(), /^2 items: checkout, somewhere$/);
  }));

test("a story is grown in the page; the address and the model are asked for", () =>
  visit("/#runs/new/story", async (page) => {
    const entry = readFileSync(join(top, "tests/cases/runs/story_lighthouse.ndjson"), "utf8").split("\n").find((line) => line.startsWith('{"n":0,'));
    await page.getByLabel("Outline, JSON").fill(JSON.stringify(JSON.parse(entry).data.input.outline));
    await through(page, "nowhere", "");
    await page.getByRole("button", { name: "Make the story" }).click();
    await page.getByRole("alert").getByText("Enter the address of the proxy").waitFor();
    await page.getByLabel("Address of the proxy").fill(proxy);
    await page.getByRole("button", { name: "Make the story" }).click();
    await page.getByRole("alert").getByText("Enter the name of a model").waitFor();
    await page.getByLabel("Model", { exact: true }).fill("fast");
    await page.getByRole("button", { name: "Make the story" }).click();
    await state(page, "completed");
    await page.locator(".story-graph h3", { hasText: "passages in 8 arcs" }).waitFor();
  }));

test("a proxy that is not there, one that the policy forbids, and a model that it does not know are told of", () =>
  visit("/#runs/new/quiz", async (page) => {
    const again = async (url, name, said) => {
      await page.goto(`${kit.site.origin}/#runs/new/quiz`);
      await page.getByRole("button", { name: "Example" }).click();
      await through(page, url, name);
      await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
      await state(page, "failed");
      await page.locator(".run-error", { hasText: said }).waitFor();
    };
    await again(proxy, "unheard-of", /unheard-of/);
    await again("http://127.0.0.1:9", "fast", /This page may not call http:\/\/127\.0\.0\.1:9: the policy/);
  }));
