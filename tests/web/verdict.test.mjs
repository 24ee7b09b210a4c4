import { strict as assert } from "node:assert";
import { test } from "node:test";

import {
  activeIs,
  builtIn,
  chooseExample,
  cursorIs,
  focusIs,
  idOf,
  markedText,
  messages,
  openContract,
  seed,
  settled,
  setUp,
  verdictTitle,
  write,
} from "./support.mjs";

const kit = setUp();

const faultyQuiz = [
  "Question 1: Must have at least 4 options (has 3)",
  "Question 2: Options must be unique (found duplicates)",
  "Question 2: correct_answer 'Chloroplasts' must be one of the options",
];

// From the first `[` after the n-th "options" to the `]` that closes it.
function optionsOf(text, n) {
  let at = -1;
  for (let i = 0; i < n; ++i) at = text.indexOf('"options"', at + 1);
  const from = text.indexOf("[", at);
  return text.slice(from, text.indexOf("]", from) + 1);
}

test("the page begins with the faulty quiz and gives its three messages in their order", () =>
  kit.visit({}, async (page) => {
    assert.equal(await verdictTitle(page), "Revise");
    assert.deepEqual(await messages(page), faultyQuiz);
    assert.match(await page.locator(".tally").textContent(), /3 errors/);
    assert.match(await page.locator(".hash").getAttribute("title"), /^sha256:[0-9a-f]{64} /);
  }));

test("the examples give the messages of their rules", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "flashcards-faulty", "Revise");
    assert.deepEqual(await messages(page), [
      "Flashcard 1: Back too long (354 chars, max 300)",
      "Duplicate term found: 'ATP'",
    ]);
    await chooseExample(page, "mindmap-cycle", "Revise");
    const mindmap = await messages(page);
    assert.ok(
      mindmap.includes("Cycle detected: node 'photosynthesis' appears in its own ancestry"),
      mindmap.join("\n"),
    );
    assert.ok(mindmap.includes("Duplicate label found: 'photosynthesis'"), mindmap.join("\n"));
    await chooseExample(page, "quiz-faulty-2", "Revise");
    const quiz = await messages(page);
    assert.ok(quiz.includes("Question 1: Question text cannot be empty"), quiz.join("\n"));
    assert.ok(quiz.includes("Question 1: Option 3 must be a string"), quiz.join("\n"));
    assert.ok(quiz.includes("Question 2: Missing 'correct_answer' field"), quiz.join("\n"));
    assert.ok(quiz.includes("Question 3: Must be a dictionary"), quiz.join("\n"));
    for (const clean of ["quiz-repaired", "flashcards-repaired", "mindmap-clean"]) {
      await chooseExample(page, clean, "Accept");
      assert.deepEqual(await messages(page), []);
    }
    await chooseExample(page, "quiz-cut-off", "Revise");
    assert.ok((await messages(page)).length > 0);
  }));

test("squiggles lie at the exact ranges of the findings", () =>
  kit.visit({}, async (page) => {
    const text = seed("quiz_faulty.json");
    assert.equal(await markedText(page, "artifact", await idOf(page, faultyQuiz[0])), optionsOf(text, 1));
    assert.equal(await markedText(page, "artifact", await idOf(page, faultyQuiz[1])), optionsOf(text, 2));
    assert.equal(await markedText(page, "artifact", await idOf(page, faultyQuiz[2])), '"Chloroplasts"');
  }));

test("ranges are right after text outside the basic plane and with CRLF", () =>
  kit.visit({}, async (page) => {
    const text = [
      '{"questions": [{"question": "🌱 Was nützt 光?",',
      ' "options": ["🌞", "b", "c", "d"],',
      ' "correct_answer": "🌚",',
      ' "explanation": "–"}]}',
    ].join("\r\n");
    await page.setInputFiles("#artifact-pane input[type=file]", {
      name: "crlf.json",
      mimeType: "application/json",
      buffer: Buffer.from(text, "utf8"),
    });
    await page.waitForFunction(() => document.querySelectorAll(".problem").length === 1);
    const message = "Question 1: correct_answer '🌚' must be one of the options";
    assert.deepEqual(await messages(page), [message]);
    assert.equal(await markedText(page, "artifact", await idOf(page, message)), '"🌚"');
    await page.click(".problem-head");
    // What is said of bytes is about the file as it is: CRLF counts two.
    const decided = Number(
      /after (\d+) bytes/.exec((await page.locator(".details").textContent()).replace(/,/g, ""))[1],
    );
    assert.ok(decided >= Buffer.byteLength(text.slice(0, text.indexOf('"🌚"') + 4)), `decided after ${decided}`);
    assert.equal(
      await page
        .locator(".line-place")
        .textContent()
        .then((place) => place.match(/\d+:\d+/)[0]),
      "3:20",
    );
  }));

test("a problem leads to its place, and the cursor to its problem", () =>
  kit.visit({}, async (page) => {
    await page.locator(".problem-head").nth(2).click();
    await focusIs(page, "#artifact-pane .cm-content");
    await cursorIs(page, "artifact", 21);
    await activeIs(page, faultyQuiz[2]);
    await page.locator("#artifact-pane .cm-line", { hasText: '"Nucleus"' }).click();
    await activeIs(page, faultyQuiz[1]);
    await page.locator("#artifact-pane .cm-line").nth(3).click();
    await page.waitForFunction(() => document.querySelector(".problem.active") === null);
  }));

test("the rule of the active problem is marked in the contract, and its link goes there", () =>
  kit.visit({}, async (page) => {
    await openContract(page);
    await page.locator(".problem-head").first().click();
    assert.equal(await page.locator("#contract-pane .pl-rule").textContent(), '"minItems": 4');
    await page.locator(".problem.active .details .link").click();
    await focusIs(page, "#contract-pane .cm-content");
    const line =
      builtIn("quiz")
        .split("\n")
        .findIndex((one) => one.includes('"minItems": 4')) + 1;
    await cursorIs(page, "contract", line);
  }));

test("the mouse over a squiggle shows the whole finding", () =>
  kit.visit({}, async (page) => {
    await page.locator("#artifact-pane .pl-squiggle", { hasText: "Chloroplasts" }).hover();
    const card = page.locator(".pl-hover");
    await card.waitFor();
    const text = await card.textContent();
    for (const part of [
      faultyQuiz[2],
      "memberOf",
      "Provided",
      "Allowed",
      '"Nucleus"',
      "/questions/1/correct_answer",
      "Decided",
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    await card.locator(".link").first().click();
    await focusIs(page, "#contract-pane .cm-content");
    assert.match(await page.locator("#contract-pane .cm-activeLine").first().textContent(), /"memberOf"/);
  }));

test("what is typed is judged, and only the last text counts", () =>
  kit.visit({}, async (page) => {
    await write(page, "artifact", '{"questions": []}');
    await page.waitForFunction(
      () => document.querySelector(".problem .message")?.textContent === "Quiz must have at least 1 question",
    );
    for (let i = 0; i < 12; ++i) await write(page, "artifact", i % 2 === 0 ? "[]" : '{"questions": 1}');
    await write(page, "artifact", seed("quiz_repaired.json"));
    await settled(page, "Accept");
    await page.waitForTimeout(400);
    assert.equal(await verdictTitle(page), "Accept");
    assert.deepEqual(await messages(page), []);
    assert.equal(await page.locator("#artifact-pane .pl-mark").count(), 0);
  }));

test("an empty artifact is nothing to check, and no fault", () =>
  kit.visit({}, async (page) => {
    await write(page, "artifact", "");
    await settled(page, "Nothing to check yet");
    assert.deepEqual(await messages(page), []);
    await page.getByRole("button", { name: "A faulty quiz" }).click();
    await settled(page, "Revise");
    assert.deepEqual(await messages(page), faultyQuiz);
  }));

test("the verdict can be copied as JSON and as feedback for a model", () =>
  kit.visit({}, async (page) => {
    const copy = async (format, said) => {
      await page.selectOption(".report select", format);
      await page.locator(".said", { hasText: said }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const json = JSON.parse(await copy("json", "Copied as JSON"));
    assert.match(JSON.stringify(json), /Must have at least 4 options \(has 3\)/);
    const feedback = JSON.parse(await copy("llm", "Copied as Feedback"));
    assert.equal(feedback.issue_count, 3);
    assert.equal(Object.keys(feedback).at(-1), "action");
  }));

test("an artifact of 1 MB is judged while the page stays awake", (context) =>
  kit.visit({}, async (page) => {
    await page.evaluate(() => {
      window.longestMs = window.awake = 0;
      let last = performance.now();
      const tick = () => {
        const now = performance.now();
        window.longestMs = Math.max(window.longestMs, now - last);
        last = now;
        window.awake += 1;
        setTimeout(tick, 10);
      };
      tick();
    });
    await chooseExample(page, "quiz-large", "Revise");
    assert.match(await page.locator(".tally").textContent(), /60 errors/);
    assert.equal(await page.locator(".problem").count(), 60);
    await page.evaluate(() => (window.longestMs = window.awake = 0));
    await page.getByLabel("Artifact, JSON").focus();
    await page.keyboard.press("Control+Home");
    for (let i = 0; i < 20; ++i) await page.keyboard.insertText(" ");
    await settled(page, "Revise");
    const { longestMs, awake } = await page.evaluate(() => ({ longestMs: window.longestMs, awake: window.awake }));
    context.diagnostic(`the longest wait of the page: ${longestMs.toFixed(0)} ms`);
    assert.ok(awake >= 3, `while 20 characters were written the page was awake ${awake} times`);
    await page.keyboard.press("F8");
    await activeIs(page, "Question 50: correct_answer 'none of them'");
    await page.keyboard.press("Shift+F8");
    await activeIs(page, "Question 3000: ");
    assert.equal(await page.locator("#artifact-pane .pl-mark.pl-active").textContent(), '"none of them"');
  }));
