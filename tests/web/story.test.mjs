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

function made(outline, name, more = []) {
  const out = join(folder, name);
  execFileSync(plumb, ["story", "make", outline, "-o", out, "--quiet", ...more], { stdio: ["ignore", "ignore", "inherit"] });
  return { html: join(out, "story.html"), book: JSON.parse(readFileSync(join(out, "story.json"), "utf8")) };
}

// Opens the file in a browser that is offline; whatever is asked for besides, and every error, fails the test. Where
// something is to be `blocked`, it is asked for, and the policy must stop it.
async function reading(file, body, blocked) {
  const context = await kit.browser.newContext({ offline: true });
  const wrong = [];
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  page.on("request", (request) => request.url() !== url && wrong.push(`asks for ${request.url()}`));
  if (blocked) {
    page.on("requestfailed", (request) => {
      if (/csp/i.test(request.failure().errorText)) wrong.splice(wrong.indexOf(`asks for ${request.url()}`), 1);
    });
  }
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && !(blocked && /Content Security Policy/.test(message.text())) && wrong.push(message.text()));
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
      document.body.style.display = "none"; // nobody looks, and Chromium throttles a history at this speed
      history.pushState = () => {};
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

test("the reader's place is saved, a reload keeps it, and Back goes one passage back, also after a reload", async () => {
  const { html, book } = made(join(top, "docs/examples/lighthouse.yaml"), "kept");
  await reading(html, async (page) => {
    assert.ok(await page.getByRole("heading", { name: book.title }).isVisible());
    await page.getByRole("button", { name: "Begin", exact: true }).click();
    const places = [(await shown(page)).passage];
    assert.equal(places[0], book.start);
    for (let i = 0; i < 3; ++i) {
      await page.keyboard.press("1");
      places.push((await shown(page)).passage);
    }
    const there = await shown(page);
    assert.equal(new Set(places).size, 4);
    assert.equal(await page.locator("#saved").textContent(), "Your place is saved in this browser.");
    await page.reload();
    assert.deepEqual(await shown(page), there);
    await page.goBack();
    assert.equal((await shown(page)).passage, places[2]);
    await page.reload();
    await page.goBack();
    assert.equal((await shown(page)).passage, places[1]);
    await page.goForward();
    assert.equal((await shown(page)).passage, places[2]);
    await page.getByRole("button", { name: "Back" }).click();
    await page.waitForFunction((id) => document.getElementById("passage").dataset.passage === id, places[1]);
    await page.keyboard.press("z");
    await page.waitForFunction((id) => document.getElementById("passage").dataset.passage === id, places[0]);
    assert.ok(await page.locator("#undo").isDisabled());
    await page.goBack();
    assert.ok(await page.locator("#cover").isVisible());

    // Another window goes on from there, and takes back what this one did.
    await page.getByRole("button", { name: "Continue" }).click();
    await page.keyboard.press("1");
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Continue" }).click();
    assert.equal((await shown(other)).passage, places[1]);
    await other.keyboard.press("z");
    assert.equal((await shown(other)).passage, places[0]);
    assert.ok(await other.locator("#passage").isVisible());

    // Beginning again asks, and can be taken back.
    await other.keyboard.press("1");
    await other.getByRole("button", { name: "Begin again" }).click();
    await other.getByRole("button", { name: "Keep reading" }).click();
    assert.equal((await shown(other)).passage, places[1]);
    await other.getByRole("button", { name: "Begin again" }).click();
    await other.locator("#again").click();
    assert.equal((await shown(other)).passage, book.start);
    await other.keyboard.press("z");
    await other.waitForFunction((id) => document.getElementById("passage").dataset.passage === id, places[1]);
  });
});

test("the keyboard chooses, the new passage has the focus, and text size and colours are kept", async () => {
  const { html, book } = made(join(top, "docs/examples/lighthouse.yaml"), "keys");
  await reading(html, async (page) => {
    await page.locator("#fresh").click();
    const focused = () => page.evaluate(() => document.activeElement.tagName + " " + document.activeElement.textContent);
    assert.equal(await focused(), "H2 Passage 1");
    await page.keyboard.press("ArrowDown");
    const label = (await shown(page)).labels[0];
    assert.equal(await focused(), `BUTTON ${label}`);
    await page.keyboard.press("Enter");
    assert.notEqual((await shown(page)).passage, book.start);
    assert.equal(await focused(), "H2 Passage 2");
    assert.equal(await page.evaluate(() => document.querySelectorAll("[aria-live]").length), 0);

    const size = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = [await size(), await paper()];
    await page.locator("#settings summary").click();
    await page.getByRole("button", { name: "Larger text" }).click();
    await page.getByRole("button", { name: "dark" }).click();
    const after = [await size(), await paper()];
    assert.ok(parseFloat(after[0]) > parseFloat(before[0]));
    assert.notEqual(after[1], before[1]);
    await page.reload();
    assert.deepEqual([await size(), await paper()], after);
  });
});

test("emphasis is shown, an entity's look follows the paragraph that names it, and a theme and words are used", async () => {
  const outline = {
    title: "T",
    author: "A. Writer",
    language: "de",
    entities: [{ id: "ada", category: "character", name: "Ada", overlays: [{ when: ["a/x"], details: { coat: "wet" } }] }],
    dilemmas: [{ id: "a", question: "?", policy: "flavor", answers: [{ id: "x", description: "X", default: true }, { id: "y", description: "Y" }] }],
    beats: [
      { id: "start", summary: "S.", prose: "It is *so* 2*3*4." },
      { id: "one", label: "Go *on*", summary: "One.", prose: "One.", paths: ["a/x"], commits: ["a"] },
      { id: "two", label: "Other", summary: "Two.", prose: "Two.", paths: ["a/y"], commits: ["a"] },
      { id: "meet", label: "Meet", summary: "M.", prose: "Rain.\n\nAda waits.\n\nNight.", entities: ["ada"] },
    ],
  };
  const file = join(folder, "themed.json");
  writeFileSync(file, JSON.stringify(outline));
  writeFileSync(join(folder, "theme.css"), ":root { --paper: rgb(1, 2, 3) }\r\nbody { background-image: url(http://127.0.0.1:9/x.png) }\n");
  writeFileSync(join(folder, "words.yaml"), "begin: Los\n");
  const { html } = made(file, "themed", ["--theme", join(folder, "theme.css"), "--words", join(folder, "words.yaml")]);
  const texts = (page) => page.locator("#passage .text p").allTextContents();
  await reading(
    html,
    async (page) => {
      assert.equal(await page.locator(".author").textContent(), "A. Writer");
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(1, 2, 3)");
      await page.getByRole("button", { name: "Los" }).click();
      assert.deepEqual(await texts(page), ["It is so 2*3*4."]);
      assert.deepEqual(await page.locator("#passage em").allTextContents(), ["so", "on"]);
      await page.keyboard.press("1");
      await page.keyboard.press("1");
      assert.deepEqual(await texts(page), ["Rain.", "Ada waits.", "Ada, wet.", "Night."]);
      await page.getByRole("button", { name: "Von vorn beginnen" }).click();
      await page.locator("#again").click();
      await page.keyboard.press("2");
      await page.keyboard.press("1");
      assert.deepEqual(await texts(page), ["Rain.", "Ada waits.", "Night."]);
    },
    true, // the theme's picture
  );
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
    await page.locator("#fresh").click();
    const first = await shown(page);
    assert.equal(first.text, hostile);
    assert.ok(first.labels.includes(outline.beats[1].label));
    assert.equal(await page.evaluate(() => document.images.length), 0);
  });
});
