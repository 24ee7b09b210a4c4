// A page of another origin streams through the proxy, with no key of its own; one that is not allowed cannot.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { Proxy, seed, test } from "./support.mjs";

let pages;
let proxy;
let browser;
before(async () => {
  pages = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>a page</title>");
  });
  await new Promise((done) => pages.listen(0, "127.0.0.1", done));
  proxy = await Proxy.start(`  origins: ["http://127.0.0.1:${pages.address().port}"]\n`);
  browser = await chromium.launch({
    executablePath: process.env.PLUMB_CHROMIUM ?? "/usr/bin/chromium",
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
});
after(async () => {
  await browser?.close();
  await proxy?.stop();
  pages.close();
});

// What the page gets of a stream, piece by piece.
function streamed(origin) {
  return (async () => {
    const response = await fetch(`${origin}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-plumb-contract": "quiz", "x-plumb-mode": "hold-back", "x-plumb-events": "on" },
      body: JSON.stringify({ model: "openai", stream: true, messages: [{ role: "user", content: "A quiz." }] }),
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let reads = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return { status: response.status, reads, text };
      }
      ++reads;
      text += value;
    }
  })();
}

test("a page of an allowed origin streams an answer that keeps its contract", async () => {
  proxy.script({ text: seed("quiz_faulty") }, { text: seed("quiz_repaired"), gap_ms: 1 });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${pages.address().port}/`);
  const got = await page.evaluate(streamed, proxy.origin);
  assert.equal(got.status, 200);
  const chunks = got.text.split("\n\n").filter((event) => event.startsWith("data: {")).map((event) => JSON.parse(event.slice(6)));
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
  assert.equal(text, seed("quiz_repaired"));
  assert.equal(chunks.at(-1).plumb.valid, true);
  assert.ok(got.text.endsWith("data: [DONE]\n\n"));
});

test("a page of another origin is refused by its browser", async () => {
  proxy.script({ text: "x" });
  const page = await browser.newPage();
  await page.goto(`http://localhost:${pages.address().port}/`);
  await assert.rejects(page.evaluate(streamed, proxy.origin), /Failed to fetch/);
  assert.equal(proxy.asked().length, 0);
});
