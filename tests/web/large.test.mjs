// Large artifacts stay quick to write in, and what cannot be kept or read is told before it is lost.
import { strict as assert } from "node:assert";
import { test } from "node:test";

import { setUp, settled, write } from "./support.mjs";

const kit = setUp();
const questions = (count) =>
  Array.from({ length: count }, (_, i) => ({ question: `What is question number ${i} about?`, options: ["one", "two", "three", "four"], correct_answer: "one", explanation: "Because one is the first of them all." }));
const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
const keyMs = 100;
const keys = 11;

for (const [how, indent] of [
  ["on lines", 1],
  ["on one line", undefined],
]) {
  test(`a key in an artifact of 5 MB ${how} is shown in less than ${keyMs} ms`, () =>
    kit.visit({}, async (page) => {
      const text = JSON.stringify({ questions: questions(indent ? 24000 : 31000) }, null, indent);
      assert.ok(text.length > 5_000_000, `${text.length}`);
      await page.locator("#artifact-pane input[type=file]").first().setInputFiles(file("big.json", text));
      await settled(page);
      await page.locator("#artifact-pane > .editor-host .cm-content").focus();
      await page.evaluate(() => {
        window.took = [];
        addEventListener(
          "keydown",
          (event) => event.key === " " && requestAnimationFrame(() => setTimeout(() => window.took.push(performance.now() - event.timeStamp))),
          true,
        );
      });
      await page.keyboard.press("ArrowRight");
      for (let i = 0; i < keys; ++i) {
        await page.keyboard.press(" ");
        await page.waitForFunction((count) => window.took.length === count, i + 1);
        await page.waitForTimeout(150);
      }
      const took = (await page.evaluate(() => window.took)).sort((a, b) => a - b);
      const median = took[(keys - 1) / 2];
      if (process.env.PLUMB_FIGURES) console.log(`${how}: ${took.map(Math.round).join(" ")}`);
      assert.ok(median < keyMs, `${took.map(Math.round).join(" ")} ms`);
      // What was typed is there.
      const line = await page.locator("#artifact-pane > .editor-host .cm-line").first().textContent();
      assert.ok(line.startsWith(`{${" ".repeat(keys)}`), line.slice(0, 40));
    }));
}

test("that an artifact is too large to be kept is told, and leaving the page asks; a small one is there again", () =>
  kit.visit({}, async (page) => {
    await page.locator("#artifact-pane input[type=file]").first().setInputFiles(file("big.json", JSON.stringify({ questions: questions(31000) })));
    await settled(page);
    await page.locator("#artifact-pane .notice", { hasText: "too large to be kept in the browser. A reload loses it." }).waitFor();
    // A browser asks only where something was done on the page.
    await page.locator("#artifact-pane > .editor-host .cm-content").click();
    const asked = new Promise((told) => page.once("dialog", (dialog) => (told(dialog.type()), void dialog.dismiss())));
    await page.evaluate(() => setTimeout(() => location.reload()));
    assert.equal(await asked, "beforeunload");
    await write(page, "artifact", '{"questions": [1]}');
    await page.locator("#artifact-pane .notice", { hasText: "too large" }).waitFor({ state: "detached" });
    await page.reload();
    await page.locator("#artifact-pane .cm-line", { hasText: '{"questions": [1]}' }).waitFor();
  }));

test("documents and pictures are refused with what to do, and what was open stays", () =>
  kit.visit({}, async (page) => {
    const before = await page.locator("#artifact-pane .cm-line").first().textContent();
    for (const [name, bytes, said] of [
      ["essay.docx", [0x50, 0x4b, 3, 4, 20, 0], "essay.docx is a document or an archive, not text. Open it in its program, save it as plain text"],
      ["old.doc", [0xd0, 0xcf, 0x11, 0xe0, 0xa1], "old.doc is a document"],
      ["board.png", [0x89, 0x50, 0x4e, 0x47, 13, 10], "board.png is a picture. Type or copy its text"],
      ["photo.jpeg", [0xff, 0xd8, 0xff, 0xe0], "photo.jpeg is a picture"],
      ["paper.pdf", [...Buffer.from("%PDF-1.7")], "paper.pdf is a PDF. Copy its text"],
    ]) {
      await page.locator("#artifact-pane input[type=file]").first().setInputFiles({ name, mimeType: "", buffer: Buffer.from(bytes) });
      await page.locator("#artifact-pane .notice", { hasText: said }).waitFor();
      assert.equal(await page.locator("#artifact-pane .cm-line").first().textContent(), before);
    }
    await page.goto(`${kit.site.origin}/#runs/new/quiz`);
    await page.getByLabel("Open a source").setInputFiles({ name: "essay.docx", mimeType: "", buffer: Buffer.from([0x50, 0x4b, 3, 4, 20, 0]) });
    await page.locator(".start [role=alert]", { hasText: "essay.docx is a document" }).waitFor();
    assert.equal(await page.locator("#run-source").inputValue(), "");
  }));
