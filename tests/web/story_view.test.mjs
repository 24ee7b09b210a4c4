// The view of stories: a recorded run at any of its phases, read to each ending, and what is wrong shown where it is.
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { recordedPath, recordedStory } from "../recorded.mjs";
import { axe, plumb, setUp, top, web } from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const folder = mkdtempSync(join(tmpdir(), "plumb-story-view-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const lighthouse = recordedStory("story_lighthouse");

// There is no server behind this site, so the look for its runs is answered with 404, which a browser logs as an error.
const visit = (options, body) =>
  kit.visit({ path: "/#story", ready: false, expectErrors: true, ...options }, async (page) => {
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    await page.locator(".story h2").waitFor();
    await body(page);
    assert.deepEqual(wrong, []);
  });

const label = (page, text) => page.locator(".story-head .label", { hasText: text }).waitFor();
const rows = (page) => page.locator(".story-row > button");
const open = (page, name, text) =>
  page.getByLabel("Open a story, an outline or a journal").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
async function example(page) {
  await page.getByRole("button", { name: "Example" }).click();
  await label(page, "accept");
}

test("story: any phase of the recorded run is folded again, with its changes, by keyboard", () =>
  visit({}, async (page) => {
    await example(page);
    const { notes } = lighthouse;
    const slider = page.getByRole("slider", { name: "Position in the journal" });
    await page.locator(".story-phase", { hasText: `${notes.at(-1).stage}/${notes.at(-1).phase}` }).waitFor();
    await page.locator(".story-graph h3", { hasText: "passages in 8 arcs" }).waitFor();
    const shows = () => page.locator(".story-phase strong").textContent();
    await slider.focus();
    for (let at = notes.length; at > 1; --at) {
      for (let tries = 0, was = await shows(); tries < 9 && (await shows()) === was; ++tries) {
        await page.keyboard.press("ArrowLeft");
        await page.waitForTimeout(60);
      }
      const { stage, phase, mutations } = notes[at - 2];
      await page.locator(".story-phase", { hasText: `${stage}/${phase}` }).filter({ hasText: `${mutations.length} change` }).waitFor();
    }
    // At the beginning there is no graph yet, later beats without arcs, then with them, then passages. (It is drawn after
    // the phase is named.)
    await rows(page).first().waitFor({ state: "detached" });
    assert.equal(await rows(page).count(), 0);
    await page.keyboard.press("End");
    await page.locator(".story-graph h3", { hasText: "passages in 8 arcs" }).waitFor();
    await page.keyboard.press("Home");
    await page.locator(".story-phase").waitFor({ state: "detached" });
  }));

test("story: a reader comes to each of the endings, beside the codewords held, and back", async () => {
  execFileSync(plumb, ["story", "make", join(top, "docs/examples/lighthouse.yaml"), "-o", folder, "--quiet"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const book = JSON.parse(readFileSync(join(folder, "story.json"), "utf8"));
  // The shortest way to each ending, as the numbers of the choices that are open, by the story's own rules.
  const passage = new Map(book.passages.map((one) => [one.id, one]));
  const arrive = (id, held) => [...new Set([...held, ...passage.get(id).grants])].sort();
  const ways = new Map();
  const seen = new Set();
  let border = [{ id: book.start, held: arrive(book.start, []), steps: [] }];
  while (border.length > 0) {
    const next = [];
    for (const { id, held, steps } of border) {
      if (passage.get(id).ending && !ways.has(id)) ways.set(id, { steps, held });
      const open = passage.get(id).ways.map((way) => way.find((route) => route.requires.every((word) => held.includes(word)))).filter(Boolean);
      for (const [which, { to }] of open.entries()) {
        const there = { id: to, held: arrive(to, held), steps: [...steps, { which, to }] };
        const key = JSON.stringify([there.id, there.held]);
        if (!seen.has(key)) next.push(there);
        seen.add(key);
      }
    }
    border = next;
  }
  assert.equal(ways.size, 4);
  await visit({}, async (page) => {
    await example(page);
    const here = page.locator(".story-reader article .hint code");
    for (const [ending, { steps, held }] of ways) {
      await page.getByRole("button", { name: "From the beginning" }).click();
      await here.filter({ hasText: new RegExp(`^${book.start}$`) }).waitFor();
      for (const { which, to } of steps) {
        await page.locator(".story-ways button").nth(which).click();
        await here.filter({ hasText: new RegExp(`^${to}$`) }).waitFor();
      }
      assert.equal(await here.textContent(), ending);
      await page.locator(".story-end").waitFor();
      const words = held.map((word) => word.replace("__", "/").replace("_committed", "")).sort();
      assert.deepEqual((await page.locator(".story-held code").allTextContents()).sort(), words);
      assert.equal(await page.locator(".story-row.is-here .story-id").textContent(), ending);
    }
    await page.locator(".story-reader").getByRole("button", { name: "Back" }).click();
    assert.ok((await page.locator(".story-ways button").count()) > 0);
  });
});

test("story: a trap that the journal's story has is told, at its passage and with the way into it", () =>
  visit({}, async (page) => {
    await page.getByLabel("Open a story, an outline or a journal").setInputFiles(recordedPath("story_trap"));
    await page.locator(".story-head .label.is-bad").waitFor();
    const tint = (of) => page.locator(of).evaluate((one) => getComputedStyle(one).backgroundColor);
    assert.notEqual(await tint(".story-head .label"), await tint(".story-head .button >> nth=0"));
    const marked = page.locator(".story-row", { has: page.locator(".story-found.is-error") }).first();
    await marked.locator("button").click();
    assert.match(await marked.locator(".story-chosen .is-error").first().textContent(), /^Error: .*not an ending/s);
    assert.ok((await page.locator(".story-findings li").count()) > 0);
    assert.doesNotMatch(await page.locator(".story-findings").innerText(), /line \d/); // a journal's outline has none
    assert.match(await page.locator(".story-findings").innerText(), /What is shut then: at 'keep_watch'/);
    assert.equal(await page.getByRole("heading", { name: "Export" }).count(), 0);
  }));

test("story: an outline as JSON is grown in the page, and taken along as the files that the command writes", () =>
  visit({ acceptDownloads: true }, async (page) => {
    await open(page, "outline.json", JSON.stringify(lighthouse.outline));
    await label(page, "accept");
    assert.equal(await page.locator(".story-head h2").textContent(), lighthouse.outline.title);
    execFileSync(plumb, ["story", "make", join(top, "docs/examples/lighthouse.yaml"), "-o", folder, "--quiet"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    for (const format of ["html", "twee", "json", "gamebook"]) {
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name: format, exact: true }).click();
      const download = await waiting;
      const name = download.suggestedFilename();
      assert.equal(readFileSync(await download.path(), "utf8"), readFileSync(join(folder, name), "utf8"), name);
    }
  }));

test("story: a story.json is read in whatever order its members stand", () =>
  visit({}, async (page) => {
    execFileSync(plumb, ["story", "make", join(top, "docs/examples/lighthouse.yaml"), "-o", folder, "--quiet"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const book = JSON.parse(readFileSync(join(folder, "story.json"), "utf8"));
    const turned = Object.fromEntries(Object.entries(book).reverse());
    await open(page, "turned.json", JSON.stringify(turned));
    await label(page, "accept");
    await page.locator(".story-head", { hasText: "story.json" }).waitFor();
    assert.equal(await page.locator(".story-reader article .hint code").textContent(), book.start);
  }));

test("story: a foreign Twee file is checked, each finding with its line, and texts run nothing", () =>
  visit({}, async (page) => {
    const twee = [
      ":: StoryTitle", "A <b>bold</b> title", "", ":: Start", "You stand here. [[North|Cave]] [[South|Nowhere]]", "", ":: Cave",
      '<img src=x onerror="document.title=1"> dark', "", ":: Attic", "nobody comes here", ""].join("\n");
    await open(page, "cave.twee", twee);
    await page.locator(".story-head .label").waitFor();
    const said = await page.locator(".story-findings").innerText();
    assert.match(said, /Nowhere.*line 5/s);
    assert.match(said, /Attic.*line 10/s);
    assert.equal(await page.locator(".story-head h2").textContent(), "A <b>bold</b> title");
    await open(page, "back.twee", `${twee.replace("[[South|Nowhere]]", "<<if $lit>>[[Attic]]<</if>>").replace("dark", "dark [[Start]] <<back>>")}`);
    await label(page, "undecided");
    await page.getByText("Undecided: 2 places were not read, the first at line 8, column 1.").waitFor();
    assert.notEqual(await page.title(), "1");
    assert.equal(await page.locator(".story img").count(), 0);
  }));

test("story: what is no story is refused in words, and what was open stays", () =>
  visit({}, async (page) => {
    await example(page);
    await page.getByLabel("Open a story, an outline or a journal").setInputFiles(recordedPath("artifact_failed"));
    await page.getByRole("alert").filter({ hasText: "This journal is of a run of artifact, not of a story." }).waitFor();
    await open(page, "notes.twee", "Only a note.");
    await page.getByRole("alert").filter({ hasText: "is not Twee" }).waitFor();
    assert.equal(await page.locator(".story-head h2").textContent(), lighthouse.outline.title);
    await open(page, "graph.json", '{"version": "5.0", "nodes": {}, "edges": []}');
    await page.getByRole("alert").filter({ hasText: "is a graph of an older kind of project, which is not understood" }).waitFor();
    await open(page, "tale.yaml", "title: A\ndilemmas: []\n");
    await page.getByRole("alert").filter({ hasText: "is an outline in YAML" }).waitFor();
    assert.equal(await page.locator(".story-head h2").textContent(), lighthouse.outline.title);
    await open(page, "odd.json", '{"title": ["x"], "format": 5}');
    await label(page, "revise");
    assert.equal(await page.locator(".story-head h2").textContent(), "Story");
    // An outline that breaks off is one, with a finding at its line.
    await open(page, "outline.json", "{");
    await page.getByText("The text ends before the value is complete").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    await example(page);
    assert.equal(await page.getByRole("alert").count(), 0);
  }));

test("story: a run of the server is opened from the list and from a link", async () => {
  const project = join(folder, "project");
  const store = join(project, "journal.db");
  execFileSync(plumb, ["story", "make", join(top, "docs/examples/lighthouse.yaml"), "--project", project, "--quiet"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const server = spawn(plumb, ["serve", "--port", "0", "--web", web, "--store", store, "--log", "off"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise((done) => server.on("exit", done));
  const told = await new Promise((done) => server.stdout.once("data", (data) => done(String(data))));
  const context = await kit.browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    await page.goto(`${/http:\/\/[^/\s]+/.exec(told)[0]}/#runs`);
    const line = page.locator(".server-run", { hasText: lighthouse.outline.title });
    assert.match(await line.textContent(), /Story.*completed/);
    await line.click();
    await label(page, "accept");
    assert.match(page.url(), /#story\/.+/);
    const other = await context.newPage();
    await other.goto(page.url());
    await label(other, "accept");
    assert.equal(await other.locator(".story-head h2").textContent(), lighthouse.outline.title);
  } finally {
    await context.close();
    server.kill();
    await ended;
  }
});

for (const colorScheme of ["light", "dark"]) {
  for (const size of [{ viewport: { width: 1440, height: 900 } }, phone]) {
    const width = size.viewport.width;
    test(`story: at ${width} px, ${colorScheme}: no violation, nothing wider than the page`, () =>
      visit({ colorScheme, ...size }, async (page) => {
        const look = async (name) => {
          assert.deepEqual(await axe(page), [], name);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert.ok(wide <= 0, `${name}: ${wide} px too wide`);
          if (process.env.PLUMB_SHOTS) {
            await page.screenshot({ path: join(process.env.PLUMB_SHOTS, `story_${name}_${width}_${colorScheme}.png`), fullPage: true });
          }
        };
        await look("nothing");
        await example(page);
        await rows(page).first().click();
        await page.locator(".story-chosen").waitFor();
        await page.locator(".story-ways button").first().click();
        await look("example");
        const cut = await page.locator(".story-kind").evaluateAll((all) =>
          all.filter((one) => one.getBoundingClientRect().right > one.closest(".story-rows").getBoundingClientRect().right).map((one) => one.textContent));
        assert.deepEqual(cut, [], "what a passage is stands in its row");
        await page.getByLabel("Open a story, an outline or a journal").setInputFiles(recordedPath("story_trap"));
        await page.locator(".story-found.is-error").first().waitFor();
        await look("trap");
      }));
  }
}
