// What is on the page is there again after a reload; and what is done with the artifact's text.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { axe, chooseExample, editCopy, settled, setUp, write } from "./support.mjs";

const kit = setUp();
const text = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#artifact-pane > .editor-host .cm-line")].map((line) => line.textContent).join("\n"),
  );
const kept = (page, words) =>
  page.waitForFunction((wanted) => sessionStorage.getItem("plumbline-last")?.includes(wanted), words);

test("artifact, own contract, context and settings are there again after a reload, and in another tab", () =>
  kit.visit({}, async (page) => {
    await editCopy(page);
    await write(page, "contract", '{"maximum": 2}');
    await write(page, "artifact", "3");
    await page.getByRole("button", { name: "Context" }).click();
    await write(page, "context", '{"a": 1}');
    await page.getByRole("button", { name: "Wrap" }).click();
    await kept(page, '{\\"a\\": 1}');
    await page.reload();
    await page.locator("#contract-pane .cm-line", { hasText: '{"maximum": 2}' }).waitFor(); // the example's verdict may come before
    await settled(page, "Revise");
    assert.equal(await text(page), "3");
    await page.locator("#context-body .cm-line", { hasText: '{"a": 1}' }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Wrap" }).getAttribute("aria-pressed"), "true");
    const other = await page.context().newPage();
    await other.goto(kit.site.origin);
    await other.locator("#contract-pane .cm-line", { hasText: '{"maximum": 2}' }).waitFor();
    await settled(other, "Revise");
    assert.equal(await text(other), "3");
    await other.close();
  }));

test("two tabs keep their own, and an example comes back as one", () =>
  kit.visit({}, async (page) => {
    await write(page, "artifact", "[1]");
    await kept(page, '"[1]"');
    const other = await page.context().newPage();
    await other.goto(kit.site.origin);
    await settled(other);
    await chooseExample(other, "mindmap-clean", "Accept");
    await kept(other, "mindmap-clean");
    await page.reload();
    await settled(page, "Revise");
    assert.equal(await text(page), "[1]");
    await other.reload();
    await settled(other, "Accept");
    assert.equal(await other.locator("#artifact-pane .pane-head select").inputValue(), "mindmap-clean");
  }));

test("what was cleared does not come back, nor what is switched off", () =>
  kit.visit({}, async (page) => {
    await write(page, "artifact", '["cleared"]');
    await kept(page, "cleared");
    await page.waitForFunction(() => localStorage.getItem("plumbline-history")?.includes("cleared"));
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.reload();
    await settled(page, "Revise");
    assert.match(await text(page), /Chloroplasts/);
    await page.getByRole("button", { name: "History" }).click();
    await page.getByLabel("Keep a history in this browser").uncheck();
    await page.keyboard.press("Escape");
    await write(page, "artifact", '["secret"]');
    await page.waitForTimeout(1200);
    await page.reload();
    await settled(page, "Revise");
    assert.match(await text(page), /Chloroplasts/);
  }));

test("a page whose browser keeps nothing, or something broken, works as on a first visit", () =>
  kit.visit({}, async (page) => {
    for (const broken of ["{", "7", '{"contract":{"kind":"own"},"artifact":1}', '{"artifact":"x"}']) {
      await page.evaluate((words) => {
        addEventListener("pagehide", () => {
          sessionStorage.setItem("plumbline-last", words);
          localStorage.setItem("plumbline-last", words);
        });
      }, broken);
      await page.reload();
      await settled(page, "Revise");
    }
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, name, { get: () => { throw new DOMException("denied", "SecurityError"); } });
      }
    });
    await page.reload();
    await settled(page, "Revise");
    await write(page, "artifact", "{}");
    await page.waitForTimeout(1200);
    await settled(page, "Revise");
  }));

test("an artifact is put on lines of its own without a change of its values, and is saved as it stands", () =>
  kit.visit({}, async (page) => {
    const written = '{"a":[],"n":1.50e+10,"b":{"c":[1,{}]},"a":"\\u0041, [x]: {y}"}';
    await write(page, "artifact", written);
    await page.getByRole("button", { name: "Format" }).click();
    await page.waitForFunction(() => document.querySelectorAll("#artifact-pane > .editor-host .cm-line").length > 3);
    assert.equal(
      await text(page),
      '{\n  "a": [],\n  "n": 1.50e+10,\n  "b": {\n    "c": [\n      1,\n      {}\n    ]\n  },\n  "a": "\\u0041, [x]: {y}"\n}\n',
    );
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "quiz.json");
    assert.equal(readFileSync(await download.path(), "utf8"), await text(page));
    await page.getByLabel("Artifact, JSON").focus();
    await page.keyboard.press("Control+z");
    assert.equal(await text(page), written);
    await write(page, "artifact", "{,}");
    await page.getByRole("button", { name: "Format" }).click();
    await page.getByRole("alert").filter({ hasText: "Not valid JSON" }).waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test("a stream of 6 MB begins without holding up the page", () =>
  kit.visit({}, async (page) => {
    const large = JSON.stringify(Array.from({ length: 60_000 }, (_, n) => `Sentence ${n}: ${"words of a text ".repeat(5)}`));
    assert.ok(large.length > 5_500_000);
    await page.setInputFiles("#artifact-pane input[type=file]", {
      name: "large.json",
      mimeType: "application/json",
      buffer: Buffer.from(large),
    });
    // The example that was there is to be revised too: the file has to have taken its place first.
    const size = `${large.length.toLocaleString("en-US")} characters`;
    await page.locator("#artifact-pane .size").filter({ hasText: size }).waitFor();
    await settled(page, "Revise");
    const longest = await page.evaluate(async () => {
      let longest = 0;
      let at = performance.now();
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - at);
        at = performance.now();
      }, 10);
      [...document.querySelectorAll("#artifact-pane button")].find((one) => one.textContent === "Stream it").click();
      const until = performance.now() + 15_000;
      while (!/^[1-9]/.test(document.querySelector(".arrived")?.textContent ?? "") && performance.now() < until) {
        await new Promise((next) => setTimeout(next, 20));
      }
      clearInterval(timer);
      return { longest, arrived: document.querySelector(".arrived").textContent };
    });
    assert.match(longest.arrived, /^[1-9].* of [\d,]{9,} bytes/);
    console.log(`# the longest wait of the page: ${longest.longest.toFixed(0)} ms`);
    assert.ok(longest.longest < 1500, `${longest.longest} ms`);
  }));
