// The page in its places, as somebody who came to it today finds them: Check, Runs, and Server where there is one; tools and
// help beside them. Views are links; names are cut and nothing runs over the side.
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { axe, chooseExample, focusIs, openContract, plumb, settled, setUp, top, web, write, until } from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const tablet = { viewport: { width: 1024, height: 768 } };
const recorded = (name) => join(top, "tests/cases/runs", `${name}.ndjson`);
const openJournal = (page, name) => page.getByLabel("Open a journal").setInputFiles(recorded(name));

let folder;
let server;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumb-page-places-"));
  const child = spawn(plumb, ["serve", "--port", "0", "--web", web, "--store", join(folder, "runs.db"), "--root", `talks=${folder}`, "--log", "off"], {
    cwd: folder,
    env: { ...process.env, PLUMB_PROVIDER: "extract" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const over = new Promise((done) => child.once("exit", done));
  const line = await new Promise((told) => child.stdout.once("data", (data) => told(String(data))));
  server = { origin: new URL(/http:\/\/[^/\s]+/.exec(line)[0]).origin, end: () => (child.kill("SIGKILL"), over) };
});
after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function onServer(options, body) {
  const site = kit.site;
  kit.site = server;
  try {
    await kit.visit(options, body);
  } finally {
    kit.site = site;
  }
}

const begin = async (path, request) => {
  const answer = await fetch(server.origin + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  assert.ok(answer.ok, await answer.clone().text());
  return answer.json();
};

// What is seen of the page is on it: nothing is wider than the screen, no text is cut without a sign of it.
async function fits(page, name) {
  const { width, outside } = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth - innerWidth,
    outside: [...document.querySelectorAll(".top a, .top button, .check-bar *, .run-new a, .place-back")]
      .filter((one) => one.checkVisibility() && !one.closest("[popover]") && !one.closest(".visually-hidden"))
      .filter((one) => {
        const { left, right } = one.getBoundingClientRect();
        return right - left > 1 && (left < -0.5 || right > innerWidth + 0.5);
      })
      .map((one) => one.outerHTML.slice(0, 90)),
  }));
  assert.ok(width <= 0, `${name}: ${width} px too wide`);
  assert.deepEqual(outside, [], name);
}

for (const [size, options] of [
  ["390 px", phone],
  ["1024 px", tablet],
]) {
  test(`at ${size} every place, the tools and the help are seen and reached, with the keyboard too`, () =>
    onServer({ ...options }, async (page) => {
      const places = page.getByRole("navigation", { name: "Places" }).getByRole("link");
      await page.getByRole("link", { name: "Server", exact: true }).waitFor();
      assert.deepEqual(await places.allTextContents(), ["Check", "Runs", "Server"]);
      for (const [name, there] of [
        ["Runs", ".run-list-pane"],
        ["Server", ".proxy-none"],
        ["Check", "#artifact-pane"],
      ]) {
        const link = page.getByRole("link", { name, exact: true });
        await link.focus();
        await page.keyboard.press("Enter");
        await page.locator(there).waitFor();
        assert.equal(await link.getAttribute("aria-current"), "page");
        assert.equal(await page.locator('.views [aria-current="page"]').count(), 1);
        assert.equal(await page.getByRole("main").count(), 1);
        await fits(page, name);
        assert.deepEqual(await axe(page), [], name);
      }
      await page.getByRole("button", { name: "Tools" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: /^Budget/ }).focus();
      await page.keyboard.press("Enter");
      await page.locator("main.budget").waitFor();
      await fits(page, "Budget");
      assert.equal(await page.locator('.views [aria-current="page"]').count(), 0, "a tool is no place");
      await page.getByRole("button", { name: "Help" }).click();
      const help = page.getByRole("link", { name: /^Documentation/ });
      const docs = await page.evaluate(async (href) => {
        const answer = await fetch(href);
        return [answer.status, await answer.text()];
      }, await help.getAttribute("href"));
      assert.equal(docs[0], 200);
      assert.match(docs[1], /<h1 id="documentation">Documentation<\/h1>/);
      // Escape closes a menu, and the focus is where it was.
      await page.keyboard.press("Escape");
      await help.waitFor({ state: "hidden" });
      await focusIs(page, ".menu-button");
    }));
}

test("the documentation that lies beside the page can be read: tables, links between its pages, light and dark", async () => {
  for (const options of [{ colorScheme: "light" }, { colorScheme: "dark", ...phone }]) {
    await kit.visit({ path: "/docs/index.html", ready: false, ...options }, async (page) => {
      await page.getByRole("main").getByRole("link", { name: "The page, and a preview in your own page" }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator("table td", { hasText: "repeats the run using its recorded replies" }).waitFor();
      await page.locator('main a[href="research.html"]').first().click();
      await page.waitForURL(/docs\/research\.html$/);
      assert.deepEqual(await axe(page), []);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
    });
  }
});

test("each view comes back with a reload, and Back leads through the places that were seen", () =>
  kit.visit({}, async (page) => {
    const way = ["#runs", "#runs/new/story", "#research/example", "#story/example", "#discovery/example", "#budget", "#check"];
    const shows = {
      "#runs": ".welcome h2",
      "#runs/new/story": ".kinds .on:has-text('Story')",
      "#research/example": ".research-report",
      "#story/example": ".story-rows",
      "#discovery/example": ".chain",
      "#budget": "main.budget",
      "#check": "#verdict-pane .tally",
    };
    for (const hash of way) {
      await page.evaluate((to) => (location.hash = to), hash);
      await page.locator(shows[hash]).first().waitFor();
      await page.reload();
      await page.locator(shows[hash]).first().waitFor();
      assert.ok((await page.evaluate(() => location.hash)).startsWith(hash), hash);
    }
    for (const hash of way.slice(0, -1).reverse()) {
      await page.goBack();
      await page.locator(shows[hash]).first().waitFor();
    }
  }));

test("Check: artifact and verdict come first, the contract is in a drawer that keeps what was written", () =>
  kit.visit({}, async (page) => {
    const box = (selector) => page.locator(selector).boundingBox();
    assert.ok(!(await page.locator("#contract-pane").isVisible()));
    const wide = (await box("#artifact-pane")).width;
    await page.keyboard.press("Tab");
    await page.locator("#contract-toggle").focus();
    await page.keyboard.press("Enter");
    await page.locator("#contract-pane").waitFor();
    assert.ok((await box("#artifact-pane")).width < wide, "it stands beside them");
    await page.getByRole("button", { name: "Edit a copy" }).click();
    await write(page, "contract", '{"maximum": 2}');
    await write(page, "artifact", "3");
    await settled(page, "Revise");
    await page.getByRole("button", { name: "Close the contract" }).focus();
    await page.keyboard.press("Escape");
    await focusIs(page, "#contract-toggle");
    assert.ok(!(await page.locator("#contract-pane").isVisible()));
    assert.equal((await box("#artifact-pane")).width, wide);
    assert.equal(await page.locator("#contract-choice").inputValue(), "");
    // A problem's rule opens it, and it is open again after a reload.
    await page.locator(".problem-head").first().click();
    await page.locator(".problem.active .details .link").click();
    await focusIs(page, "#contract-pane .cm-content");
    await page.waitForFunction(() => sessionStorage.getItem("plumbline-last")?.includes('"drawer":true'));
    await page.reload();
    await settled(page, "Revise");
    assert.ok(await page.locator("#contract-pane").isVisible());
  }));

test("at 390 px the drawer lies over the panes, and closing it shows what was there", () =>
  kit.visit(phone, async (page) => {
    await page.getByRole("tab", { name: /^Verdict/ }).click();
    await openContract(page);
    assert.equal(await page.locator(".pane:visible").count(), 1);
    await fits(page, "the drawer");
    await page.getByRole("button", { name: "Close the contract" }).click();
    assert.ok(await page.locator("#verdict-pane").isVisible());
    await openContract(page);
    await page.locator(".summary-text").click();
    assert.ok(await page.locator("#verdict-pane").isVisible());
  }));

const long = "How the very long title of a chapter about photosynthesis in the leaves of plants that grow at the edge of deserts is shown";

test("Runs: one list of all, each with its type, its title and its state; at 390 px long names are cut with an ellipsis", async () => {
  const entry = readFileSync(recorded("story_lighthouse"), "utf8").split("\n").find((line) => line.startsWith('{"n":0,'));
  const { outline } = JSON.parse(entry).data.input;
  await begin("/ai/artifact/generate", { artifact_type: "quiz", content: readFileSync(join(top, "docs/examples/chapter.md"), "utf8").replace(/^# .*$/m, `# ${long}`) });
  await begin("/ai/artifact/generate", { artifact_type: "mindmap", content: "Light is what the eye sees. A lamp gives light." });
  await begin("/api/story/projects", { outline });
  await onServer({ path: "/#runs", ready: false, ...phone }, async (page) => {
    const line = page.locator(".server-run", { hasText: long.slice(0, 30) });
    await line.waitFor();
    assert.match(await line.locator(".run-line-facts").textContent(), /^Quiz.*(completed|failed|running)/);
    const title = line.locator(".run-line-title");
    assert.equal(await title.evaluate((one) => getComputedStyle(one).textOverflow), "ellipsis");
    assert.ok(await title.evaluate((one) => one.scrollWidth > one.clientWidth), "it is cut");
    assert.ok((await line.getAttribute("title")).startsWith(long.slice(0, 90)), "and can be read, as far as the server tells it");
    await page.locator(".server-run", { hasText: "Mindmap" }).getByText(/^Light is what the eye sees/).waitFor();
    await page.locator(".server-run", { hasText: outline.title }).getByText("Story").waitFor();
    await fits(page, "list");
    assert.deepEqual(await axe(page), []);
    // It opens, and the list is one step back.
    await line.click();
    await page.locator(".run-head .run-status").waitFor();
    assert.ok(!(await page.locator(".run-list-pane").isVisible()));
    await fits(page, "run");
    await page.getByRole("link", { name: "All runs" }).click();
    await line.waitFor();
  });
});

test("a journal is opened as what it is, named by the address, and is there again after a reload", () =>
  kit.visit({ path: "/#runs", ready: false }, async (page) => {
    for (const [name, shows, hash] of [
      ["research_gates", ".research-report", /^#research\/here\/r/],
      ["story_lighthouse", ".story-rows", /^#story\/here\/r/],
      ["discovery_reviewed", ".chain", /^#discovery\/here\/r/],
      ["workflow_reviewed", ".tasks", /^#runs\/here\/r/],
      ["artifact_repaired", ".quiz", /^#runs\/here\/r/],
    ]) {
      await page.goto(`${kit.site.origin}/#runs`);
      await openJournal(page, name);
      await page.locator(shows).first().waitFor();
      assert.match(await page.evaluate(() => location.hash), hash, name);
    }
    await page.reload();
    await page.locator(".quiz > li").first().waitFor();
    // Either address of a run leads to the same frame.
    await page.goto(`${kit.site.origin}/#runs`);
    await openJournal(page, "discovery_reviewed");
    await page.locator(".chain").first().waitFor();   // until then the address is still the list's
    const id = (await page.evaluate(() => location.hash)).split("/").at(-1);
    await page.goto(`${kit.site.origin}/#runs/here/${id}`);
    await page.locator(".run-name", { hasText: "Discovery" }).waitFor();
    await page.locator(".chain").waitFor();
  }));

test("a workflow is shown as its tasks, with rounds, gates and what was said of them", () =>
  kit.visit({ path: "/#runs", ready: false }, async (page) => {
    await openJournal(page, "workflow_reviewed");
    const tasks = page.locator(".tasks > li");
    await tasks.nth(1).waitFor();
    assert.match(await tasks.nth(0).textContent(), /T1Errors carry their line.*landed/);
    await tasks.nth(0).locator("summary").click();
    await tasks.nth(0).locator(".task-gates li").first().waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test("New run offers all kinds; without a server it says who does them, and shows an example", () =>
  kit.visit({ path: "/#runs", ready: false }, async (page) => {
    await page.getByRole("link", { name: "New run" }).click();
    assert.deepEqual(await page.locator(".kind-title").allTextContents(), [
      "Quiz",
      "Flashcards",
      "Mindmap",
      "Boundary",
      "Research",
      "Discovery",
      "Story",
      "Workflow",
    ]);
    for (const kind of ["Research", "Discovery", "Workflow"]) {
      await page.locator(".kinds label", { hasText: kind }).click();
      await page.locator(".start-absent", { hasText: "plumb serve" }).waitFor();
      assert.match(await page.evaluate(() => location.hash), new RegExp(`^#runs/new/${kind.toLowerCase()}$`));
      assert.deepEqual(await axe(page), [], kind);
    }
    await page.locator(".kinds label", { hasText: "Research" }).click();
    await page.getByRole("link", { name: "See an example" }).click();
    await page.locator(".research-report").waitFor();
    for (const [kind, button] of [
      ["Mindmap", "Make a mindmap"],
      ["Flashcards", "Make flashcards"],
    ]) {
      await page.goto(`${kit.site.origin}/#runs/new/${kind.toLowerCase()}`);
      await page.getByRole("button", { name: "Example" }).click();
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.locator(".run-status", { hasText: /completed|failed/ }).waitFor();
      await page.locator(".server-run", { hasText: kind }).getByText("this page").waitFor();
    }
  }));

test("New run on a server: what is missing is said, what it refuses is told in its words, and a discovery begins", () =>
  onServer({ path: "/#runs/new/discovery", ready: false, expectErrors: true }, async (page) => {
    // The only folder is chosen already.
    await page.waitForFunction(() => [...document.querySelectorAll(".start-sources select")].some(({ value }) => value === "talks"));
    await page.getByLabel("Conversations").selectOption("");
    await page.getByRole("button", { name: "Start the discovery" }).click();
    await page.getByRole("alert").filter({ hasText: "Choose at least one source." }).waitFor();
    await page.goto(`${server.origin}/#runs/new/story`);
    await page.getByLabel("Outline, JSON").fill("{");
    await page.getByRole("button", { name: "Make the story" }).click();
    await page.getByRole("alert").filter({ hasText: "The outline is not valid JSON." }).waitFor();
    await page.getByLabel("Outline, JSON").fill("{}");
    await page.getByRole("button", { name: "Make the story" }).click();
    await page.getByRole("alert").filter({ hasText: /outline|dilemmas|title/ }).waitFor();
    await page.goto(`${server.origin}/#runs/new/workflow`);
    await page.getByText("This server has no repository").waitFor();
    await page.goto(`${server.origin}/#runs/new/discovery`);
    await page.getByLabel("What is it about?").fill("A shop on the web");
    await page.getByLabel("Conversations").selectOption("talks");
    await page.getByRole("button", { name: "Start the discovery" }).click();
    await page.waitForURL(/#discovery\/r/);
    await page.locator(".discovery-head").waitFor();
    await page.goto(`${server.origin}/#runs`);
    await page.locator(".server-run", { hasText: "A shop on the web" }).getByText("Discovery").waitFor();
  }));

test("a quiz is shown as a quiz, copied as one reads it, and opened in Check, where the work before can be had back", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "mindmap-clean", "Accept");
    await write(page, "artifact", '{"root": 1}');
    await settled(page, "Revise");
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await openJournal(page, "artifact_repaired");
    const quiz = page.locator(".quiz > li");
    await quiz.first().waitFor();
    assert.equal(await quiz.count(), 2);
    assert.equal(await quiz.first().locator(".is-right").count(), 1);
    assert.match(await quiz.first().locator(".is-right").textContent(), /light energy.*\(correct\)/s);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^1\. What is photosynthesis\?\n   a\) .*\n[^]*   Answer: [a-d]\) /);
    await page.getByRole("button", { name: "Copy JSON" }).click();
    await until(page, async () => JSON.parse(await navigator.clipboard.readText()).questions?.length === 2);
    for (const [title, name, begins] of [
      ["GIFT for Moodle", "quiz.gift.txt", /^\[html\]What is photosynthesis\?\{\n/],
      ["Review sheet", "quiz.html", /^<!doctype html>[^]*<td>\/questions\/0<\/td>[^]*Passage \d/],
    ]) {
      await page.getByRole("button", { name: "Download as" }).click();
      const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: title }).click()]);
      assert.equal(file.suggestedFilename(), name);
      assert.match(readFileSync(await file.path(), "utf8"), begins);
    }
    await page.getByRole("button", { name: "Open in Check" }).click();
    await settled(page);
    assert.match(await page.evaluate(() => location.hash), /^(#check)?$/);
    assert.equal(await page.locator("#contract-choice").inputValue(), "quiz");
    assert.match(await page.locator("#artifact-pane > .editor-host .cm-content").textContent(), /What is photosynthesis/);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("#artifact-pane .cm-line", { hasText: '{"root": 1}' }).waitFor();
    await page.goBack();
    await quiz.first().waitFor();
  }));
