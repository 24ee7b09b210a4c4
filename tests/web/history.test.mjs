import { strict as assert } from "node:assert";
import { test } from "node:test";

import { axe, chooseExample, editCopy, messages, settled, setUp, write } from "./support.mjs";

const kit = setUp();

const entries = (page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem("plumbline-history") ?? "[]").map(({ artifact }) => artifact));
const kept = (page, count) =>
  page.waitForFunction(
    (wanted) => JSON.parse(localStorage.getItem("plumbline-history") ?? "[]").length === wanted,
    count,
  );
const open = (page) => page.getByRole("button", { name: "History" }).click();

async function work(page, text) {
  await write(page, "artifact", text);
  await page.waitForFunction(() => !document.querySelector("#verdict-pane").classList.contains("busy"));
  await settled(page);
}

test("what is written is kept, also over a reload, and can be had again", () =>
  kit.visit({}, async (page) => {
    assert.deepEqual(await entries(page), [], "an example is nobody's work");
    await work(page, '{"questions": []}');
    await kept(page, 1);
    await work(page, '{"questions": [1]}');
    await page.waitForFunction(() => localStorage.getItem("plumbline-history").includes("[1]"));
    assert.deepEqual(await entries(page), ['{"questions": [1]}'], "work that goes on is one entry");
    // Another example: what was there can be had back at once, and is kept.
    await chooseExample(page, "mindmap-clean", "Accept");
    await page.getByRole("button", { name: "Undo" }).click();
    await settled(page, "Revise");
    await page.locator("#artifact-pane .cm-line", { hasText: '{"questions": [1]}' }).waitFor();
    await chooseExample(page, "mindmap-clean", "Accept");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await work(page, '{"root": 1}');
    await kept(page, 2);
    await page.waitForFunction(() => JSON.parse(localStorage.getItem("plumbline-history"))[0].decision === "revise");
    await page.reload();
    await settled(page, "Revise");
    await open(page);
    assert.deepEqual(await page.locator(".past-text").allTextContents(), ['{"root": 1}', '{"questions": [1]}']);
    assert.match(await page.locator(".past-title").nth(0).textContent(), /Mindmap.*Revise, 1 problem/);
    await page.locator(".past-restore").nth(1).click();
    await page.waitForFunction(() => document.querySelector(".problem .message")?.textContent.includes("Question 1"));
    assert.deepEqual(await messages(page), ["Question 1: Must be a dictionary"]);
  }));

test("an own contract is kept with its artifact", () =>
  kit.visit({}, async (page) => {
    await editCopy(page);
    await write(page, "contract", '{"maximum": 2}');
    await work(page, "3");
    await kept(page, 1);
    await chooseExample(page, "quiz-faulty", "Revise");
    await open(page);
    await page.locator(".past-restore").click();
    await page.waitForFunction(() => document.querySelector(".problem .chip")?.textContent === "maximum");
    await page.locator("#contract-pane .cm-line", { hasText: '{"maximum": 2}' }).waitFor();
  }));

test("one entry can be forgotten, all can be cleared, and the history can be switched off", () =>
  kit.visit({}, async (page) => {
    await work(page, "[1]");
    await kept(page, 1);
    await chooseExample(page, "quiz-faulty", "Revise");
    await work(page, "[2]");
    await kept(page, 2);
    await open(page);
    await page
      .getByRole("button", { name: /^Forget/ })
      .first()
      .click();
    await kept(page, 1);
    assert.deepEqual(await entries(page), ["[1]"]);
    await page.getByRole("button", { name: "Clear" }).click();
    await kept(page, 0);
    await page.locator(".past-empty").waitFor();
    await page.getByLabel("Keep a history in this browser").uncheck();
    await page.keyboard.press("Escape");
    await work(page, '{"secret": "tell nobody"}');
    await page.waitForTimeout(1500);
    const everything = () =>
      page.evaluate(async () =>
        JSON.stringify([
          { ...localStorage },
          { ...sessionStorage },
          document.cookie,
          location.href,
          await indexedDB.databases(),
          await caches.keys(),
        ]),
      );
    assert.doesNotMatch(await everything(), /secret|nobody/);
    await page.reload();
    await settled(page, "Revise");
    await work(page, '{"secret": "tell nobody"}');
    await page.waitForTimeout(1500);
    assert.doesNotMatch(await everything(), /secret|nobody/, "off stays off");
  }));

test("the history is bounded, and what is too large for it is said", () =>
  kit.visit({}, async (page) => {
    await page.evaluate(() => {
      const entries = Array.from({ length: 60 }, (_, n) => ({
        id: 60 - n,
        at: Date.now() - n * 60_000_000,
        title: "Quiz",
        decision: "revise",
        problems: 1,
        contract: { kind: "built_in", name: "quiz" },
        artifact: `[${n}, "${"x".repeat(60_000)}"]`,
        context: null,
      }));
      localStorage.setItem("plumbline-history", JSON.stringify(entries));
    });
    await page.reload();
    await settled(page, "Revise");
    await work(page, "[-1]");
    await page.waitForFunction(() => localStorage.getItem("plumbline-history").startsWith('[{"contract"'));
    const all = await entries(page);
    assert.equal(all[0], "[-1]");
    assert.ok(all.length <= 40 && all.join("").length <= 1_500_000, `${all.length} entries`);
    await page.setInputFiles("#artifact-pane input[type=file]", {
      name: "large.json",
      mimeType: "application/json",
      buffer: Buffer.from(`["${"y".repeat(400_000)}"]`),
    });
    await settled(page, "Revise");
    await page.waitForTimeout(1200);
    await open(page);
    await page.locator(".notice", { hasText: "too large for the history" }).waitFor();
  }));

test("a history that was damaged is passed over", () =>
  kit.visit({}, async (page) => {
    for (const damage of ["{", '{"a": 1}', '[1, null, {"id": 1}]']) {
      await page.evaluate((text) => localStorage.setItem("plumbline-history", text), damage);
      await page.reload();
      await settled(page, "Revise");
      await open(page);
      await page.locator(".past-empty").waitFor();
      await page.keyboard.press("Escape");
    }
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at the history, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      await open(page);
      assert.deepEqual(await axe(page), [], "empty");
      await page.keyboard.press("Escape");
      await work(page, "[1]");
      await kept(page, 1);
      await chooseExample(page, "quiz-repaired", "Accept");
      assert.deepEqual(await axe(page), [], "with an offer");
      await open(page);
      assert.deepEqual(await axe(page), [], "with an entry");
    }));
}
