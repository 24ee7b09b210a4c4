// The view of research: a recorded run stepped through, and questions asked of a real server over real documents.
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { axe, plumb, setUp, top, web } from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const recorded = join(top, "tests/cases/runs/research_gates.ndjson");

// Every rule of the roles' contracts that blocks, and what the pipeline itself holds its authors to.
function gatesOfTheRoles() {
  const found = ["question-new", "criteria-settled", "searches-min", "not-narrative"];
  const walk = (value) => {
    if (value === null || typeof value !== "object") return;
    if (value.blocks === true && typeof value.id === "string") found.push(value.id);
    Object.values(value).forEach(walk);
  };
  for (const role of ["intake", "brain-evaluate", "researcher-evaluate", "search"])
    walk(JSON.parse(readFileSync(join(top, "core/contracts", `${role}.json`), "utf8")));
  return found;
}

const visit = (options, body) =>
  kit.visit({ path: "/#research", ready: false, expectErrors: true, ...options }, async (page) => {
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    await page.locator(".start").waitFor();
    await body(page);
    assert.deepEqual(wrong, []);
  });

const status = (page, text) => page.locator(".run-status", { hasText: text }).waitFor();
async function example(page) {
  await page.getByRole("link", { name: "See an example" }).click();
  await page.locator(".research-report").waitFor();
  await status(page, "completed");
}

test("research: the recorded run shows every gate of the roles that fired, and what became of it", () =>
  visit({}, async (page) => {
    await example(page);
    for (const one of await page.locator("details.gates").all()) await one.evaluate((details) => (details.open = true));
    const text = await page.locator(".research").innerText();
    for (const rule of gatesOfTheRoles()) assert.ok(text.includes(`· ${rule}`), rule);
    assert.ok((await page.locator("li.gate").count()) > 20);
    assert.match(text, /Missing: release year of apt/);
    assert.match(text, /no change/);
  }));

test("research: a citation opens its passage with the quote marked, and a claim without one says so", () =>
  visit({}, async (page) => {
    await example(page);
    const citation = page.getByRole("button", { name: /^Source 1: history\.txt:4/ });
    await citation.focus();
    await page.keyboard.press("Enter");
    assert.equal(await citation.getAttribute("aria-expanded"), "true");
    assert.equal(await page.locator("blockquote mark").textContent(), "In 1998 the program apt came to Debian 2.1.");
    assert.match(await page.locator("blockquote .passage").textContent(), /Ian Murdock/);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("blockquote").count(), 0);
    await page.locator(".claims li", { hasText: "Everybody likes it." }).locator(".label", { hasText: "uncited" }).waitFor();
  }));

test("research: a run is replayed step by step with the keyboard, from the question to the report", () =>
  visit({}, async (page) => {
    await page.getByLabel("Open a journal").setInputFiles(recorded);
    await status(page, "completed");
    const slider = page.getByRole("slider", { name: "Position in the journal" });
    await slider.focus();
    await page.keyboard.press("Home");
    await status(page, "running");
    await page.locator(".asked-question").first().waitFor({ state: "detached" });
    await page.locator(".research-report").first().waitFor({ state: "detached" });
    await page.keyboard.press("PageUp");
    await page.keyboard.press("PageUp");
    await page.locator(".from-intake").first().waitFor();
    await page.keyboard.press("End");
    await page.locator(".research-report .claims li").first().waitFor();
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "Play line by line" }).click();
    await page.waitForFunction(() => Number(document.querySelector(".scrubber input").value) >= 3);
    await page.getByRole("button", { name: "Pause" }).click();
  }));

test("research: a journal of another pipeline opens as what it is, in the same frame", () =>
  visit({}, async (page) => {
    await page.getByLabel("Open a journal").setInputFiles(join(top, "tests/cases/runs/artifact_failed.ndjson"));
    await page.getByRole("tab", { name: "Quiz" }).waitFor();
    await status(page, "failed");
  }));

// A server with three documents.
async function serve(body) {
  const folder = mkdtempSync(join(tmpdir(), "plumb-research-page-"));
  mkdirSync(join(folder, "docs"));
  writeFileSync(
    join(folder, "docs/apt-get.md"),
    "# apt-get\n\nThe command apt-get handles packages.\n\nThe option --purge of apt-get removes configuration files together with the package.\n",
  );
  writeFileSync(join(folder, "docs/history.md"), "# History\n\nThe tool dpkg was written by Ian Murdock in 1994.\n");
  const server = spawn(
    plumb,
    ["serve", "--port", "0", "--web", web, "--corpus", join(folder, "docs"), "--index", join(folder, "index.db"),
      "--store", join(folder, "runs.db"), "--log", "off"],
    { cwd: folder, stdio: ["ignore", "pipe", "ignore"] },
  );
  const ended = new Promise((done) => server.on("exit", done));
  const line = await new Promise((done) => server.stdout.once("data", (data) => done(String(data))));
  try {
    await body(/http:\/\/[^/\s]+/.exec(line)[0]);
  } finally {
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

test("research: a question is asked in the page, clarified in the chat, answered with its source, and replayed", () =>
  serve(async (origin) => {
    const context = await kit.browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    try {
      await page.goto(`${origin}/#research`);
      await page.getByLabel("What do you want to find out?").fill("Explore apt-get.");
      await page.getByRole("button", { name: "Start" }).click();
      await page.locator(".from-intake", { hasText: "What about apt-get do you need to know" }).waitFor();
      await page.getByLabel("Your answer").fill("Which option of apt-get removes configuration files?");
      await page.keyboard.press("Enter");
      await status(page, "completed");
      await page.locator(".claims li", { hasText: "--purge" }).first().waitFor();
      await page.getByRole("button", { name: /^Source 1: apt-get\.md:5/ }).first().click();
      await page.locator("blockquote mark", { hasText: "--purge" }).waitFor();
      await page.getByRole("button", { name: "Verify" }).click();
      await page.locator(".again.good").waitFor();
      await page.getByRole("slider", { name: "Position in the journal" }).waitFor();
      await page.locator(".claims li", { hasText: "--purge" }).first().waitFor();
    } finally {
      await context.close();
    }
  }));

for (const colorScheme of ["light", "dark"]) {
  for (const size of [{ viewport: { width: 1280, height: 800 } }, phone]) {
    const width = size.viewport.width;
    test(`research: at ${width} px, ${colorScheme}: no violation, nothing wider than the page`, () =>
      visit({ colorScheme, ...size }, async (page) => {
        await example(page);
        await page.getByRole("button", { name: /^Source 1/ }).first().click();
        for (const one of await page.locator("details.gates").all()) await one.evaluate((details) => (details.open = true));
        assert.deepEqual(await axe(page), []);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
        if (process.env.PLUMB_SHOTS) {
          await page.screenshot({ path: join(process.env.PLUMB_SHOTS, `research_${width}_${colorScheme}.png`) });
        }
      }));
  }
}
