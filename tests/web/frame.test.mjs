// One frame for all runs: a state, a line with real times, log, calls and entry, whatever the run makes and wherever its
// journal is from.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { axe, setUp, top } from "./support.mjs";

const kit = setUp();
const recorded = (name) => join(top, "tests/cases/runs", `${name}.ndjson`);

const visit = (options, body) =>
  kit.visit({ path: "/#runs", ready: false, expectErrors: true, ...options }, async (page) => {
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    await page.locator(".welcome h2:visible, .run-list-pane:visible").first().waitFor();
    await body(page);
    assert.deepEqual(wrong, []);
  });

async function open(page, name) {
  await page.getByLabel("Open a journal").first().setInputFiles(recorded(name));
  const id = /"run":"(r\w+)"/.exec(readFileSync(recorded(name), "utf8").replaceAll('\\"', '"'))[1];
  await page.locator(".run-id", { hasText: id }).waitFor();
  await page.locator(".position", { hasText: /^(\d+) \/ \1/ }).waitFor();
}

for (const [name, tabs, state] of [
  ["artifact_repaired", ["Quiz", "Calls", "Entry"], "completed"],
  ["artifact_failed", ["Quiz", "Calls", "Entry"], "failed"],
  ["boundary_revised", ["Boundary", "Calls", "Entry"], "completed"],
  ["workflow_reviewed", ["Workflow", "Calls", "Entry"], "completed"],
  ["research_gates", ["Research", "Log", "Calls", "Entry"], "completed"],
  ["discovery_reviewed", ["Discovery", "Log", "Calls", "Entry"], "completed"],
  ["story_lighthouse", ["Story", "Log", "Calls", "Entry"], "completed"],
  ["tale_cancelled", ["Calls", "Entry"], "cancelled"],
]) {
  test(`frame: ${name} has one state, one line, and its kind first`, () =>
    visit({}, async (page) => {
      await open(page, name);
      const shown = await page.getByRole("tablist", { name: "Views of the run" }).getByRole("tab").allTextContents();
      assert.deepEqual(shown.map((one) => one.replace(/\d+$/, "")), tabs);
      assert.equal(await page.locator(".run-status").textContent(), state);
      assert.equal(await page.getByRole("slider").count(), 1, "there is no second player");
      assert.equal(await page.getByText("No artifact yet").count(), 0);
      assert.equal(await page.locator("text=/^(done|in progress|pending|accepted)$/").locator("visible=true").locator("xpath=ancestor::header").count(), 0);
      assert.equal(await page.getByRole("button", { name: "Save" }).count(), 1);
      assert.equal(await page.getByRole("button", { name: "Verify" }).count(), name.startsWith("tale") ? 0 : 1);
      await page.getByRole("tab", { name: "Entry" }).click();
      assert.match(await page.getByLabel("The entry").textContent(), /"kind": "end"/);
      await page.getByRole("button", { name: "First entry" }).click();
      await page.locator(".position b", { hasText: /^0$/ }).waitFor();
      await page.locator(".run-status", { hasText: "running" }).waitFor();
      assert.match(await page.getByLabel("The entry").textContent(), /"kind": "begin"/);
    }));
}

test("frame: a boundary shows items, verdicts and cycles, a title, and no green over what was held back", () =>
  visit({}, async (page) => {
    await open(page, "boundary_revised");
    assert.match(await page.locator(".run-of").textContent(), /^5 items: order page, somewhere, lists$/);
    assert.equal(await page.locator(".run-head.tone-accept").count(), 0);
    await page.locator(".run-head .notice", { hasText: "1 item held back, 1 item passed with a warning" }).waitFor();
    const items = page.getByRole("list", { name: "Items" }).locator("> li");
    assert.equal(await items.count(), 6);
    const held = items.filter({ hasText: "cart page" });
    assert.match(await held.textContent(), /held back.*item 4, rejected 3 times, revised twice.*minLength/s);
    await held.locator("summary").click();
    await held.getByLabel("Value of cart page").waitFor();
    const cycles = page.getByRole("list", { name: "Cycles" }).locator("> li");
    assert.equal(await cycles.count(), 3);
    assert.match(await cycles.nth(1).textContent(), /^After revision 1: 3 accepted, 1 rejected, 1 revision could not be used/);
    assert.deepEqual(await axe(page), []);
    // In the list as well: its title and no plain "completed" dot.
    const line = page.locator(".server-run", { hasText: "5 items: order page" });
    assert.match(await line.locator(".run-line-facts").textContent(), /^Boundary.*completed/);
    assert.equal(await line.evaluate((one) => one.classList.contains("is-less")), true);
  }));

test("frame: the line is drawn by time: a long call is a long bar, and a pause without a call is short and says how long it was", () =>
  visit({}, async (page) => {
    await open(page, "boundary_revised");
    const widths = await page.locator(".marks .bar").evaluateAll((all) => all.map((one) => Number(one.getAttribute("width"))));
    assert.equal(widths.length, 8);
    // The four revisions of the first cycle begin together and end one after the other: 0.8, 1.6, 2.4 and 3.2 of 6.4 s.
    const share = widths.map((one) => Math.round((one / 1000) * 6.443 * 10) / 10);
    assert.deepEqual(share.slice(0, 5), [0.8, 0.8, 1.6, 2.4, 3.2]);
    assert.match(await page.locator(".position-time").textContent(), /^6\.4 s of 6\.4 s$/);
    // A click leads to what lies there: half of the time.
    const box = await page.locator(".scrubber").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator(".position-time", { hasText: /^3\.2 s of/ }).waitFor();
    // A person was waited for five minutes in this one.
    await open(page, "discovery_reviewed");
    await page.locator(".pause-length", { hasText: "min" }).first().waitFor();
  }));

test("frame: any entry of a discovery, a research and a story shows what was known then", () =>
  visit({}, async (page) => {
    await open(page, "discovery_reviewed");
    await page.locator(".chain").first().waitFor();
    await page.keyboard.press("Home");
    await page.locator(".chain").first().waitFor({ state: "detached" });
    await page.keyboard.press("End");
    await page.locator(".chain").first().waitFor();
    await page.getByRole("tab", { name: "Log" }).click();
    await page.locator(".log li").first().waitFor();
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.locator(".call").first().waitFor();
    await open(page, "story_lighthouse");
    await page.getByRole("tab", { name: "Story" }).click();
    await page.locator(".story-graph h3", { hasText: "passages in 8 arcs" }).waitFor();
    await page.getByRole("button", { name: "First entry" }).click();
    await page.locator(".story-phase").waitFor({ state: "detached" });
  }));
