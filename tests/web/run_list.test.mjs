// Finding runs in the list, and comparing two of them.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { axe, setUp, top } from "./support.mjs";

const kit = setUp();
const recorded = (name) => join(top, "tests/cases/runs", `${name}.ndjson`);
const file = (name, change = (text) => text) => ({ name: `${name}.ndjson`, mimeType: "application/x-ndjson", buffer: Buffer.from(change(readFileSync(recorded(name), "utf8"))) });

async function open(page, given) {
  await page.getByLabel("Open a journal").first().setInputFiles(given);
  await page.locator(".position", { hasText: /^(\d+) \/ \1/ }).waitFor();
}
// The id of a run stands in its journal once.
const renamed = (text, id) => text.replace(/"run":"r\w+"/, `"run":"${id}"`);

test("runs are found by text, kind, state and time", () =>
  kit.visit({ path: "/#runs", ready: false, expectErrors: true }, async (page) => {
    await open(page, file("artifact_failed", (text) => renamed(text, `r${"f".repeat(20)}`)));
    await page.goto(`${kit.site.origin}/#runs`);
    await open(page, file("boundary_revised"));
    await page.goto(`${kit.site.origin}/#runs`);
    // One of today.
    await page.getByRole("button", { name: "Make a quiz from a short text" }).click();
    await page.locator(".run-status", { hasText: "completed" }).waitFor();
    const shown = () => page.locator(".server-run .run-type").allTextContents();
    assert.deepEqual((await shown()).sort(), ["Boundary", "Quiz", "Quiz"]);
    const search = page.getByRole("search");
    await search.getByLabel("Search by text").fill("order lists");
    assert.deepEqual(await shown(), ["Boundary"]);
    await search.getByLabel("Search by text").fill("nothing of the kind");
    await page.getByText("No run matches.").waitFor();
    await search.getByLabel("Search by text").fill("");
    await search.getByLabel("State").selectOption("failed");
    assert.equal(await page.locator(".server-run").count(), 1);
    assert.match(await page.locator(".server-run").getAttribute("data-run"), /^rf+$/);
    await search.getByLabel("State").selectOption("");
    await search.getByLabel("Kind").selectOption("quiz");
    assert.deepEqual(await shown(), ["Quiz", "Quiz"]);
    await search.getByLabel("Time").selectOption("Last 24 hours");
    assert.equal(await page.locator(".server-run").count(), 1);
    assert.deepEqual(await axe(page), []);
  }));

test("two runs are compared: their figures, what they were given, and what they came to", () =>
  kit.visit({ path: "/#runs", ready: false, expectErrors: true }, async (page) => {
    await open(page, file("artifact_repaired_twice", (text) => renamed(text, `r${"t".repeat(20)}`)));
    await page.goto(`${kit.site.origin}/#runs`);
    await open(page, file("artifact_repaired"));
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("tab", { name: "Compare" }).waitFor();
    await page.getByLabel("Compare with").selectOption(`r${"t".repeat(20)}`);
    const figures = page.getByRole("region", { name: "Figures of both runs" });
    assert.deepEqual(await figures.locator("tbody tr").first().locator("th, td").allTextContents(), ["State", "completed", "completed"]);
    const calls = await figures.locator("tbody tr", { hasText: "Calls" }).locator("td").allTextContents();
    assert.ok(Number(calls[0]) > Number(calls[1]), calls.join());
    assert.ok((await page.locator(".compare .diff ins, .compare .diff del").count()) > 0);
    assert.deepEqual(await axe(page), []);
  }));
