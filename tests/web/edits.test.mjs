// Edits: what a model wrapped, cut or bent is shown with what would mend it, and mended when wanted.
import { strict as assert } from "node:assert";
import { test } from "node:test";

import { axe, messages, setUp, settled, write } from "./support.mjs";

const kit = setUp();

const inner = `{
  "questions": [
    {
      "question": "Was heißt 🌱?",
      "options": ["a", "b", "c", "d."],
      "correct_answer": "a",
      "explanation": "Because"
    }
  ]
}`;
const fenced = `Here is the quiz:\n\`\`\`json\n${inner.replace('"d."]', '"d.",]')}\n\`\`\`\n`;
const text = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#artifact-pane > .editor-host .cm-line")].map((line) => line.textContent).join("\n"),
  );
const titles = (page) => page.locator(".edit-head .link").allTextContents();
const bent = async (page, artifact) => {
  await write(page, "artifact", artifact);
  await page.locator(".edits").first().waitFor();
};

test("each edit is shown with its place and what it changes; fix all makes the certain ones", () =>
  kit.visit({}, async (page) => {
    await bent(page, fenced);
    assert.deepEqual(await titles(page), ["Text around the JSON", "Code fence", "Trailing comma"]);
    assert.equal(await page.locator(".edit").nth(2).locator("del").textContent(), ",");
    assert.match(await page.locator(".edit-all .fact").textContent(), /then: Accept/);
    await page.getByRole("button", { name: "Fix all", exact: true }).click();
    await settled(page, "Accept");
    assert.deepEqual(JSON.parse(await text(page)), JSON.parse(inner));
    assert.equal(await page.locator(".edits").count(), 0);
    // As anything that is typed, it can be undone.
    await page.getByLabel("Artifact, JSON").focus();
    await page.keyboard.press("Control+z");
    await settled(page, "Revise");
    assert.equal(await text(page), fenced);
  }));

test("one edit can be made alone, at its exact place after text outside the basic plane", () =>
  kit.visit({}, async (page) => {
    await bent(page, inner.replace('"d."]', '"d.",]').replace('"a",\n', '"a"\n'));
    assert.deepEqual(await titles(page), ["Trailing comma", "Missing comma"]);
    await page.getByRole("button", { name: /^Fix: Trailing comma/ }).click();
    await page.waitForFunction(() => document.querySelectorAll(".edit").length === 1);
    assert.equal(await text(page), inner.replace('"a",\n', '"a"\n'));
    await page.getByRole("button", { name: "Missing comma", exact: true }).click();
    await page.getByRole("button", { name: /^Fix: Missing comma/ }).click();
    await settled(page, "Accept");
    assert.equal(await text(page), inner);
  }));

test("a guess is told as one, and made only when asked for", () =>
  kit.visit({}, async (page) => {
    await bent(page, `\`\`\`\n${inner.replace('"Because"', "'Because'")}\n\`\`\``);
    await page.locator(".edit .badge", { hasText: "guess" }).waitFor();
    await page.getByRole("button", { name: "Fix all, including guesses" }).click();
    await settled(page, "Accept");
    assert.deepEqual(JSON.parse(await text(page)), JSON.parse(inner));
  }));

test("an artifact that needs no edits, or whose faults no edit mends, offers none", () =>
  kit.visit({}, async (page) => {
    await page.waitForTimeout(300);
    assert.equal(await page.locator(".edits").count(), 0);
    await write(page, "artifact", '{"questions": []}');
    await page.locator(".problem", { hasText: "at least 1 question" }).waitFor();
    await page.waitForTimeout(300);
    assert.equal(await page.locator(".edits").count(), 0);
    assert.deepEqual(await messages(page), ["Quiz must have at least 1 question"]);
  }));

test("CRLF stays CRLF when an edit is made", () =>
  kit.visit({}, async (page) => {
    await page.setInputFiles("#artifact-pane input[type=file]", {
      name: "crlf.json",
      mimeType: "application/json",
      buffer: Buffer.from(inner.replace('"d."]', '"d.",]').replace(/\n/g, "\r\n")),
    });
    await page.locator(".edits").first().waitFor();
    await page.getByRole("button", { name: /^Fix: Trailing comma/ }).click();
    await settled(page, "Accept");
    assert.equal(await text(page), inner);
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("tab", { name: "HTTP" }).click();
    await page.waitForFunction(() => document.querySelector(".share-text").value.includes("curl"));
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at edits, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      await bent(page, fenced);
      assert.deepEqual(await axe(page), []);
    }));
}
