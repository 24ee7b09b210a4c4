// The view of budgets: a window by its parts, dragged and typed; what is cut and why; pressure; models; links; and the
// element `plumb-budget` in a page of its own.
import { strict as assert } from "node:assert";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { test } from "node:test";

import { axe, setUp, top, web } from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const visit = (options, body) =>
  kit.visit({ path: "/#budget", ready: false, ...options }, async (page) => {
    await page.locator("plumb-budget .verdict").waitFor();
    await body(page);
  });

const said = (page) => page.locator("plumb-budget .verdict").textContent();
const saidIs = (page, part) => page.locator("plumb-budget .verdict", { hasText: part }).waitFor();
const cuts = async (page) =>
  (await page.locator("plumb-budget .cuts li").evaluateAll((rows) => rows.map((row) => `${row.className} ${row.querySelector("q").textContent}`)));
const valueOf = (page) => page.evaluate(() => document.querySelector("plumb-budget").value);
const elementsAre = (page, count) =>
  page.waitForFunction((wanted) => document.querySelector("plumb-budget").value.elements.length === wanted, count);

test("the seed's window of 32,000 tokens: conventions are dropped first, and it is said why", () =>
  visit({}, async (page) => {
    assert.match(await said(page), /^Trimmed.*17,200 tokens are wanted and 15,000 are there/s);
    assert.deepEqual((await cuts(page)).filter((row) => !row.startsWith("whole")), [
      "trimmed store/blob.go",
      "dropped Table-driven tests",
      "dropped One package, one idea",
    ]);
    const reasons = await page.locator("plumb-budget .cuts small").allTextContents();
    assert.match(reasons[0], /trimmed when all conventions are dropped/);
    assert.match(reasons[1], /conventions are dropped first/);
    await page.getByRole("spinbutton", { name: "Window" }).fill("37000");
    await saidIs(page, "everything is in");
    await page.getByRole("spinbutton", { name: "Window" }).fill("16000");
    await saidIs(page, "Too large");
    assert.match(await said(page), /exceeds the 1,400 tokens for context by 1,000/);
  }));

test("with forced colours the parts of the bar, and the legend, keep the colours that tell them apart", () =>
  visit({ forcedColors: "active" }, async (page) => {
    const colours = await page
      .locator("plumb-budget .legend i")
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).background));
    assert.ok(new Set(colours).size >= 7, colours.join(" "));
  }));

test("a part and the window are dragged, and moved with keys", () =>
  visit({}, async (page) => {
    const window = page.locator("plumb-budget").getByRole("slider", { name: "Window" });
    const bar = await page.locator("plumb-budget .bar").boundingBox();
    const box = await window.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - bar.width / 4, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    const dragged = (await valueOf(page)).window;
    assert.ok(dragged > 20000 && dragged < 27000, String(dragged));
    await page.waitForFunction((tokens) => document.querySelector("#budget-window").value === String(tokens), dragged);
    const output = page.locator("plumb-budget").getByRole("slider", { name: "Output", exact: true });
    await output.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const step = Math.round(dragged / 100);
    assert.equal((await valueOf(page)).output, 1000 + 2 * step);
    assert.equal(await output.getAttribute("aria-valuenow"), String(1000 + 2 * step));
    assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.dataset.member), "output");
    await page.keyboard.press("Home");
    assert.equal((await valueOf(page)).output, 0);
  }));

test("elements are changed, added and taken out, and the answer follows", () =>
  visit({}, async (page) => {
    await page.getByLabel("Tokens of store/blob.go").fill("1000");
    await saidIs(page, "everything is in");
    await page.getByLabel("Kind of Comments").selectOption("convention");
    await page.getByRole("button", { name: "Add an item" }).click();
    await elementsAre(page, 9);
    await page.getByRole("button", { name: "Remove Naming" }).click();
    await elementsAre(page, 8);
    const { elements } = await valueOf(page);
    assert.deepEqual(elements.map((one) => one.kind), [
      "sop", "convention", "decision", "file_summary", "file_summary", "convention", "convention", "file_summary",
    ]);
  }));

test("the pressure over a run is drawn, with its colour and what it calls for", () =>
  visit({}, async (page) => {
    const pressure = page.locator("plumb-budget .pressure");
    assert.match(await pressure.textContent(), /22,900 of 32,000 tokens, 71.56 %: consider a checkpoint, and pause/);
    assert.equal(await page.locator("plumb-budget .gauge circle").count(), 5);
    await page.locator("textarea").fill("1000 2000 nonsense 27201/27300");
    await page.locator("plumb-budget .pressure", { hasText: "force a checkpoint" }).waitFor();
    assert.equal(await page.locator("plumb-budget .gauge circle").count(), 3);
    await page.locator("textarea").fill("");
    await page.locator("plumb-budget .gauge").waitFor({ state: "detached" });
  }));

test("the readings of a run are taken from its journal", () =>
  visit({}, async (page) => {
    await page.getByLabel("Open a run's journal").last().setInputFiles(join(top, "tests/cases/runs/artifact_repaired.ndjson"));
    await page.waitForFunction(() => {
      const { readings } = document.querySelector("plumb-budget").value;  // the example has as many
      return readings.length === 5 && readings.every((one) => typeof one === "object");
    });
    const { readings } = await valueOf(page);
    assert.ok(readings.every((one) => one.estimated > 100 || one.reported > 100), JSON.stringify(readings));
    await page.getByLabel("Open a run's journal").last().setInputFiles(join(top, "README.md"));
    await page.getByRole("alert").filter({ hasText: "README.md holds no model answer" }).waitFor();
  }));

test("models are compared, and one of them gives its window", () =>
  visit({}, async (page) => {
    const row = page.locator(".budget-models tr", { hasText: "gpt-4 " }).or(page.locator("tr", { has: page.getByRole("rowheader", { name: "gpt-4", exact: true }) }));
    assert.match(await row.first().textContent(), /8,192.*too large/);
    await page.getByLabel("Use the window of").selectOption({ label: "gpt-4o (128,000)" });
    await saidIs(page, "everything is in");
    assert.equal((await valueOf(page)).window, 128000);
  }));

test("a link holds the whole budget, and one that was cut off is said to be", () =>
  visit({}, async (page) => {
    await page.getByRole("spinbutton", { name: "Window" }).fill("23456");
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.locator(".budget-said", { hasText: "Copied" }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.waitForFunction(() => location.hash.startsWith("#budget/"));
    const other = await page.context().newPage();
    await other.goto(link);
    await other.locator("plumb-budget .verdict").waitFor();
    assert.equal((await valueOf(other)).window, 23456);
    await other.goto(`${link.slice(0, -31)}`);
    await other.getByRole("alert").filter({ hasText: "incomplete" }).waitFor();
    await other.close();
  }));

for (const [name, options] of [
  ["wide", {}],
  ["narrow", phone],
]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`nothing is out of reach or out of sight: ${name}, ${colorScheme}`, () =>
      visit({ ...options, colorScheme }, async (page) => {
        if (process.env.PLUMB_SHOTS) {
          await page.screenshot({ path: join(process.env.PLUMB_SHOTS, `budget_${name}_${colorScheme}.png`) });
        }
        assert.deepEqual(await axe(page), []);
        const [scroll, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(scroll <= shown, `${scroll} of ${shown}`);
      }));
  }
}

test("the element works in any page, with its own module and nothing else", async () => {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://page").pathname);
    if (path === "/") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(`<!doctype html><html lang="en"><title>t</title><script type="module" src="/plumb-budget.js"></script>
        <plumb-budget value='{"window": 1000, "system": 100, "working_memory": 0, "output": 100,
          "elements": [{"kind": "convention", "id": "c", "tokens": 651}]}'></plumb-budget>
        <plumb-budget id="bad" value='{"window": -1, "elements": []}'></plumb-budget>`);
      return;
    }
    const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    if (path === "/favicon.ico") return void response.writeHead(204).end();
    asked.push(path);
    response.writeHead(200, { "content-type": type }).end(readFileSync(join(web, "embed", path)));
  });
  const asked = [];
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const page = await kit.browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.locator("plumb-budget .verdict").first().waitFor();
    assert.match(await page.locator("plumb-budget .verdict").first().textContent(), /Trimmed.*651 tokens are wanted and 650/s);
    assert.match(await page.locator("#bad").locator(".wrong").textContent(), /\/window: must not be below 0/);
    assert.deepEqual(asked.sort(), ["/plumb-budget.js", "/plumb-budget.wasm"]);
  } finally {
    await page.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});
