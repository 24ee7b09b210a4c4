// The HTML that `plumb story make` writes, read in Chromium from a file: it goes where the story says, asks for nothing,
// runs nothing that its texts hold, and keeps the reader's place.
import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

import { plumb, setUp, top } from "./support.mjs";

const kit = setUp();
const folder = mkdtempSync(join(tmpdir(), "plumb-story-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function made(outline, name) {
  const out = join(folder, name);
  execFileSync(plumb, ["story", "make", outline, "-o", out, "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
  return { html: join(out, "story.html"), book: JSON.parse(readFileSync(join(out, "story.json"), "utf8")) };
}

// Opens the file in a browser that is offline; whatever is asked for besides, and every error, fails the test.
async function reading(file, body) {
  const context = await kit.browser.newContext({ offline: true });
  const wrong = [];
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  page.on("request", (request) => request.url() !== url && wrong.push(`asks for ${request.url()}`));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("dialog", (dialog) => {
    wrong.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  try {
    await page.goto(url);
    await body(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(wrong, []);
}

const shown = (page) =>
  page.evaluate(() => {
    const main = document.getElementById("passage");
    return {
      passage: main.dataset.passage,
      held: main.dataset.held,
      text: main.querySelector(".text").textContent,
      labels: [...main.querySelectorAll("button")].map((button) => button.textContent),
    };
  });

// What the story's rules say: words are granted on arrival, a way is its first route whose words are held.
function arrive(book, id, held) {
  const passage = book.passages.find((one) => one.id === id);
  return { passage, held: [...new Set([...held, ...passage.grants])].sort() };
}
const open = (state) => state.passage.ways.map((way) => way.find((route) => route.requires.every((word) => state.held.includes(word)))).filter(Boolean);

test("a thousand random readings in the browser go where the story goes, to every ending", async () => {
  const { html, book } = made(join(top, "docs/examples/lighthouse.yaml"), "lighthouse");
  const readings = [];
  let random = 17;
  const endings = new Set();
  for (let i = 0; i < 1000; ++i) {
    let state = arrive(book, book.start, []);
    const steps = [];
    while (!state.passage.ending) {
      const ways = open(state);
      assert.ok(ways.length > 0 && steps.length < 200);
      random ^= random << 13;
      random ^= random >>> 17;
      random ^= random << 5;
      const which = (random >>> 0) % ways.length;
      state = arrive(book, ways[which].to, state.held);
      steps.push({ which, count: ways.length, passage: state.passage.id, held: state.held.join(" ") });
    }
    endings.add(state.passage.id);
    readings.push(steps);
  }
  assert.equal(endings.size, 4);
  await reading(html, async (page) => {
    const wrong = await page.evaluate((all) => {
      const main = document.getElementById("passage");
      for (const [number, steps] of all.entries()) {
        document.getElementById("again").click();
        for (const step of steps) {
          const buttons = main.querySelectorAll("button");
          if (buttons.length !== step.count) return `reading ${number}: ${buttons.length} choices at ${main.dataset.passage}`;
          buttons[step.which].click();
          if (main.dataset.passage !== step.passage || main.dataset.held !== step.held) {
            return `reading ${number}: at ${main.dataset.passage} with ${main.dataset.held}, not ${step.passage} with ${step.held}`;
          }
        }
        if (!main.querySelector(".ending")) return `reading ${number} does not end`;
      }
      return "";
    }, readings);
    assert.equal(wrong, "");
  });
});

test("where the reader stands is kept under the story's hash, and beginning again begins", async () => {
  const { html, book } = made(join(top, "docs/examples/lighthouse.yaml"), "kept");
  await reading(html, async (page) => {
    assert.equal((await shown(page)).passage, book.start);
    await page.locator("#passage button").first().click();
    const there = await shown(page);
    assert.notEqual(there.passage, book.start);
    await page.reload();
    assert.deepEqual(await shown(page), there);
    await page.locator("#again").click();
    assert.equal((await shown(page)).passage, book.start);
  });
});

test("texts are shown letter for letter, and nothing that they hold is run", async () => {
  const hostile = `</script><script>alert(1)</script><img src=x onerror="alert(2)"> <!-- & &amp; \u2028 $x <<set>> [[a]]`;
  const outline = {
    title: hostile.slice(0, 60),
    dilemmas: [{ id: "a", question: "?", policy: "hard", answers: [{ id: "x", description: "X", default: true }, { id: "y", description: "Y" }] }],
    beats: [
      { id: "start", summary: hostile, prose: hostile },
      { id: "one", label: hostile.slice(0, 100), summary: "One.", prose: hostile, paths: ["a/x"], commits: ["a"] },
      { id: "two", label: "Other", summary: "Two.", prose: "Two.", paths: ["a/y"], commits: ["a"] },
    ],
  };
  const file = join(folder, "hostile.json");
  writeFileSync(file, JSON.stringify(outline));
  const { html } = made(file, "hostile");
  await reading(html, async (page) => {
    const first = await shown(page);
    assert.equal(first.text, hostile);
    assert.ok(first.labels.includes(outline.beats[1].label));
    assert.equal(await page.evaluate(() => document.images.length), 0);
  });
});
