import { strict as assert } from "node:assert";
import { test } from "node:test";

import {
  activeIs,
  axe,
  chooseExample,
  idOf,
  markedText,
  messages,
  seed,
  setUp,
  settled,
  verdictTitle,
  write,
} from "./support.mjs";

const kit = setUp();

const faultyQuiz = [
  "Question 1: Must have at least 4 options (has 3)",
  "Question 2: Options must be unique (found duplicates)",
  "Question 2: correct_answer 'Chloroplasts' must be one of the options",
];

const pace = async (page, rate, unit = "tokens") => {
  await page.getByRole("combobox", { name: /^Speed/ }).selectOption(rate);
  await page.getByRole("combobox", { name: /^Unit of speed/ }).selectOption(unit);
};
const open = (page) => page.getByRole("button", { name: "Stream it" }).click();
const play = (page) => page.getByRole("button", { name: "Play", exact: true }).click();
const arrived = async (page) =>
  Number((await page.locator(".arrived").textContent()).replace(/,/g, "").match(/^\d+/)[0]);
const ended = (page) => page.locator(".elapsed", { hasText: "streamed" }).waitFor();

test("a stream gives the same verdict, its findings one after the other", () =>
  kit.visit({}, async (page) => {
    await page.evaluate(() => {
      window.seen = [];
      new MutationObserver(() => {
        const title = document.querySelector(".verdict-words h2")?.textContent;
        if (title === "Streaming") window.seen.push(document.querySelectorAll(".problem").length);
      }).observe(document.querySelector("#verdict-pane"), { subtree: true, childList: true, characterData: true });
    });
    await open(page);
    await pace(page, "0");
    await ended(page);
    assert.equal(await verdictTitle(page), "Revise");
    assert.deepEqual(await messages(page), faultyQuiz);
    const seen = await page.evaluate(() => window.seen);
    assert.deepEqual(
      [...seen].sort((a, b) => a - b),
      seen,
      "a finding is never taken back",
    );
    assert.ok(seen.includes(0) && seen.includes(1), `findings appear one by one: ${[...new Set(seen)]}`);
    assert.equal(await markedText(page, "artifact", await idOf(page, faultyQuiz[2])), '"Chloroplasts"');
    // The artifact can be edited again.
    await write(page, "artifact", seed("quiz_repaired.json"));
    await settled(page, "Accept");
    assert.equal(await page.locator(".pl-stop, .pl-spared, .pl-unread").count(), 0);
  }));

test("the byte at which it would have been stopped is that of the first certain error, at any pace", () =>
  kit.visit({}, async (page) => {
    const text = seed("quiz_faulty.json");
    const total = Buffer.byteLength(text);
    // The end of the first list of options: what minItems waits for.
    const byte = Buffer.byteLength(text.slice(0, text.indexOf("]") + 1));
    const share = `saving ${Math.round(((total - byte) / total) * 100)}%`;
    await open(page);
    for (const [rate, unit] of [
      ["1000", "tokens"],
      ["1000", "characters"],
      ["0", "tokens"],
    ]) {
      await pace(page, rate, unit);
      await page.getByRole("button", { name: "From the beginning" }).click();
      await page.locator(".gain").waitFor();
      await ended(page);
      const told = await page.locator(".stop-text").textContent();
      assert.ok(told.includes(`could have been stopped at byte ${byte}`), told);
      assert.ok(told.includes(share) && told.includes(`${total - byte} bytes`), told);
      assert.match(told, /≈ \d+ tokens/);
      assert.ok(told.includes(faultyQuiz[0]), told);
      assert.equal(await arrived(page), total);
    }
    const spared = await page.evaluate(() =>
      [...document.querySelectorAll("#artifact-pane .pl-spared")].map((one) => one.textContent).join(""),
    );
    assert.equal(spared.replace(/\s/g, ""), text.slice(text.indexOf("]") + 1).replace(/\s/g, ""));
    await page.locator(".stop-because .link").click();
    await activeIs(page, faultyQuiz[0]);
  }));

test("an artifact that keeps its contract is never stopped", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "mindmap-clean", "Accept");
    await open(page);
    await pace(page, "0");
    await ended(page);
    assert.equal(await page.locator(".stop-text").textContent(), "Nothing would have stopped it.");
    assert.equal(await page.locator(".pl-stop").count(), 0);
  }));

test("a stream is paused, stepped token by token and character by character, and begun again", () =>
  kit.visit({}, async (page) => {
    await open(page);
    await pace(page, "50");
    await page.waitForFunction(() => /^[1-9]\d/.test(document.querySelector(".arrived").textContent));
    await page.keyboard.press("F9");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await page.waitForTimeout(150);
    const at = await arrived(page);
    await page.waitForTimeout(250);
    assert.equal(await arrived(page), at, "a pause holds");
    assert.equal(await verdictTitle(page), "Streaming");
    await page.keyboard.press("Shift+F9");
    await page.waitForFunction((was) => parseInt(document.querySelector(".arrived").textContent) > was, at);
    const after = await arrived(page);
    assert.ok(after - at <= 16, `one token is not ${after - at} bytes`);
    await pace(page, "50", "characters");
    await page.getByRole("button", { name: "One more character" }).click();
    await page.waitForFunction((was) => parseInt(document.querySelector(".arrived").textContent) === was + 1, after);
    await page.getByRole("button", { name: "From the beginning" }).click();
    await page.waitForFunction((was) => parseInt(document.querySelector(".arrived").textContent) < was, at);
    await page.getByRole("button", { name: "To the end" }).click();
    await settled(page, "Revise");
    assert.deepEqual(await messages(page), faultyQuiz);
    assert.equal(await page.locator(".pl-unread").count(), 0);
    await play(page);
    await page.getByRole("button", { name: "Stream it" }).click();
    await settled(page, "Revise");
    assert.equal(await page.locator(".stream-bar").count(), 0);
  }));

test("a character outside the basic plane is one character, and arrives whole", () =>
  kit.visit({}, async (page) => {
    await write(page, "artifact", '["🌱🌱"]');
    await page.waitForFunction(() => document.querySelectorAll(".problem").length === 1);
    await open(page);
    await pace(page, "5", "characters");
    await page.keyboard.press("F9");
    await page.getByRole("button", { name: "From the beginning" }).click();
    await page.keyboard.press("F9");
    const seen = [await arrived(page)];
    while (seen.at(-1) < 12) {
      const was = seen.at(-1);
      await page.keyboard.press("Shift+F9");
      await page.waitForFunction((last) => parseInt(document.querySelector(".arrived").textContent) > last, was);
      seen.push(await arrived(page));
    }
    assert.deepEqual(seen.slice(-5), [2, 6, 10, 11, 12].slice(-seen.slice(-5).length));
  }));

test("another artifact ends the stream", () =>
  kit.visit({}, async (page) => {
    await open(page);
    await pace(page, "5");
    await chooseExample(page, "quiz-repaired", "Accept");
    assert.equal(await page.locator(".pl-unread").count(), 0);
    assert.match(await page.locator(".stop-text").textContent(), /^Play it/);
    await write(page, "artifact", "[]");
    await settled(page, "Revise");
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at a stream, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      await open(page);
      await pace(page, "1000");
      await page.locator(".gain").waitFor();
      await page.keyboard.press("F9");
      assert.deepEqual(await axe(page), [], "under way");
      await pace(page, "0");
      await play(page).catch(() => undefined);
      await ended(page);
      assert.deepEqual(await axe(page), [], "at its end");
      await page.setViewportSize({ width: 390, height: 844 });
      assert.deepEqual(await axe(page), [], "at 390 px");
      assert.ok((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= 390);
    }));
}
