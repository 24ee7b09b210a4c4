// The place of runs: journals stepped through offline, runs made in the page, and jobs on a real server.
import { strict as assert } from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { axe, keptOffline, offlineReady, plumb, setUp, settled, top, web } from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const recorded = (name) => join(top, "tests/cases/runs", `${name}.ndjson`);
const entriesOf = (name) => readFileSync(recorded(name), "utf8").split("\n").filter((line) => line.startsWith('{"n":')).length;

// Opens the place.
const visit = (options, body) =>
  kit.visit({ path: "/#runs", ready: false, expectErrors: true, ...options }, async (page) => {
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    // On a narrow page the list is where the new run is on a wide one.
    await page.locator(".welcome h2:visible, .run-head h2:visible, .run-list-pane:visible").first().waitFor();
    await body(page);
    assert.deepEqual(wrong, []);
  });

async function open(page, name) {
  await page.getByLabel("Open a journal").first().setInputFiles(recorded(name));
  await page.locator(".run-head .run-status").waitFor();
}
const lines = (page) => page.locator(".log .log-text").allTextContents();
const linesAre = (page, wanted) =>
  page.waitForFunction(
    (all) => JSON.stringify([...document.querySelectorAll(".log .log-text")].map((one) => one.textContent)) === all,
    JSON.stringify(wanted),
  );
const position = async (page) => Number(await page.locator(".position b").textContent());
const atEntry = (page, n) =>
  page.waitForFunction((wanted) => document.querySelector(".position b")?.textContent === String(wanted), n);
// The state, and where it is one the phase.
const statusIs = (page, status) => page.locator(".run-title h2", { hasText: status }).waitFor();
const goTo = async (page, n) => {
  await page.getByLabel("Position in the journal").fill(String(n));
  await atEntry(page, n);
};

test("the seed's first trace: phases, log, findings and the repair as a diff", () =>
  visit({}, async (page) => {
    await open(page, "artifact_repaired");
    await statusIs(page, "completed");
    assert.equal(await page.getByRole("progressbar").getAttribute("aria-valuenow"), "100");
    const log = await lines(page);
    assert.deepEqual(
      [2, 4, 7, 9, 10, 12, 17].map((i) => log[i]),
      [
        "✓ Plan created: 2 concepts",
        "✓ Generated artifact: 2 questions",
        "  ✗ 3 violations found",
        "  ✗ 2 issues found",
        "⚠️  Validation failed: 3 structural violations, 2 semantic issues",
        "🔧 Repair attempt 1/2",
        "✓ Repair successful after 1 attempt(s)",
      ],
    );
    assert.deepEqual(await page.locator(".step button").allTextContents(), [
      "Plan, done",
      "Generate, done",
      "Validate, not passed",
      "Repair 1, done",
    ]);
    // The quiz as a quiz, and the repair as a diff.
    assert.equal(await page.locator(".quiz > li").count(), 2);
    await page.getByRole("button", { name: "What changed" }).click();
    const diff = page.locator(".diff");
    assert.ok((await diff.locator("del").allTextContents()).some((line) => line.includes('"Energy production",')));
    assert.ok((await diff.locator("ins").allTextContents()).some((line) => line.includes('"Mineral uptake"')));
    assert.match(await page.locator(".diff-tally").textContent(), /^\+8 −7 lines/);
    // What had been wrong.
    await page.getByRole("button", { name: "Generated", exact: true }).click();
    const found = await page.locator(".found li").allTextContents();
    assert.ok(found[0].startsWith("Question 1: Must have at least 4 options (has 3)"));
    assert.ok(found.some((line) => line.startsWith('Question 2: "Chloroplasts" not in options list')));
    assert.equal(found.length, 5);
  }));

test("stepping back and forward shows what was known then, with buttons, keys and the slider", () =>
  visit({}, async (page) => {
    await open(page, "artifact_repaired");
    const end = await position(page);
    assert.equal(end, entriesOf("artifact_repaired") - 1);
    await page.keyboard.press("Home");
    await atEntry(page, 0);
    await statusIs(page, "running");
    assert.equal((await lines(page)).length, 1);
    await page.keyboard.press("ArrowRight");
    await atEntry(page, 1);
    await statusIs(page, "planning");
    await page.keyboard.press("ArrowLeft");
    await atEntry(page, 0);
    await page.keyboard.press("Shift+ArrowRight");
    assert.equal((await lines(page)).length, 2);
    await page.getByRole("button", { name: "Last entry" }).click();
    await atEntry(page, end);
    await page.getByRole("button", { name: "One entry back" }).click();
    await atEntry(page, end - 1);
    await goTo(page, 8);
    await statusIs(page, "generating");
    assert.equal(await page.getByRole("progressbar").getAttribute("aria-valuenow"), "20");
    assert.equal(await page.locator(".whole-text, .diff").count(), 0);
    await page.locator(".empty-part", { hasText: "No artifact yet" }).waitFor();
    // A line of the log leads to its entry.
    await page.keyboard.press("End");
    await atEntry(page, end);
    await page.getByRole("button", { name: /3 violations found/ }).click();
    await page.locator(".found li", { hasText: "Must have at least 4 options" }).waitFor();
    // Every position by itself, forward and back, is the same.
    const seen = [];
    for (let n = 0; n <= end; ++n) {
      await goTo(page, n);
      seen.push(await lines(page));
    }
    for (let n = end; n >= 0; n -= 4) {
      await goTo(page, n);
      assert.deepEqual(await lines(page), seen[n], `entry ${n}`);
    }
  }));

test("calls show their messages and answers, tokens, and what early stop has saved", () =>
  visit({}, async (page) => {
    await open(page, "artifact_stopped");
    assert.match(await page.locator(".run-facts").textContent(), /4 calls.*tokens of 60,336.*about 1,180 tokens saved/);
    await page.getByRole("tab", { name: "Calls" }).click();
    const calls = page.locator(".call");
    assert.equal(await calls.count(), 4);
    await calls.nth(1).locator("summary").click();
    await calls.nth(1).locator(".saved", { hasText: "Stopped early (degenerate) after 700 bytes" }).waitFor();
    assert.match(await calls.nth(1).getByLabel("Message of user").textContent(), /Photosynthesis is the process/);
    assert.match(await calls.nth(1).getByLabel("Answer").textContent(), /"questions"/);
    await calls.nth(1).getByRole("button", { name: "sent at" }).click();
    assert.equal(await calls.count(), 2);
    await calls.nth(1).locator("summary", { hasText: "in progress" }).waitFor();
    await page.getByRole("tab", { name: "Entry" }).click();
    assert.match(await page.getByLabel("The entry").textContent(), /"kind": "attempt"/);
  }));

test("two repairs, and a failure for good, are shown as they are", () =>
  visit({}, async (page) => {
    await open(page, "artifact_repaired_twice");
    assert.deepEqual(await page.locator(".versions [aria-pressed]").allTextContents(), ["Generated", "Repair 1", "Repair 2"]);
    await open(page, "artifact_failed");
    await statusIs(page, "failed");
    assert.match(await page.locator(".run-error").textContent(), /^Validation failed after 2 repair attempts\. Violations: \[\]/);
    assert.ok((await page.locator(".versions").textContent()).includes("not kept"));
  }));

test("a run is made again in the page, and comes to the same bytes, or it is told where not", () =>
  visit({}, async (page) => {
    await open(page, "artifact_repaired");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".again.good", { hasText: `Same ${entriesOf("artifact_repaired")} entries, byte for byte` }).waitFor();
    const changed = readFileSync(recorded("artifact_repaired"), "utf8").replace('"words":"2 questions"', '"words":"3 questions"');
    await page.getByLabel("Open a journal").first().setInputFiles({
      name: "changed.jsonl",
      mimeType: "application/x-ndjson",
      buffer: Buffer.from(changed),
    });
    await page.locator(".log", { hasText: "3 questions" }).waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".again.bad", { hasText: "Differs at entry" }).waitFor();
  }));

test("a recorded workflow comes out the same in the page, with what a person said of it", () =>
  visit({}, async (page) => {
    await open(page, "workflow_reviewed");
    await page.locator(".log", { hasText: "approved by Ada: the test belongs to it" }).waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".again.good", { hasText: `Same ${entriesOf("workflow_reviewed")} entries, byte for byte` }).waitFor();
  }));

test("a run of a pipeline that the page does not know can be looked at; what is no journal is refused", () =>
  visit({}, async (page) => {
    await page.getByLabel("Open a journal").first().setInputFiles(recorded("tale_signed"));
    await page.locator(".log-none", { hasText: "does not know the pipeline “tale”" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Verify" }).count(), 0);
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.locator(".call", { hasText: "plan" }).waitFor();
    await page.getByLabel("Open a journal").first().setInputFiles({
      name: "no.jsonl",
      mimeType: "application/x-ndjson",
      buffer: Buffer.from('{"neither":1}\n'),
    });
    await page.locator("[role=alert]", { hasText: "neither an entry of a journal" }).waitFor();
  }));

test("a quiz is made in the page, offline, saved, and opened again", () =>
  visit({ serviceWorkers: "allow" }, async (page) => {
    await offlineReady(page);
    await keptOffline(page, /plumb-runs.*\.wasm$/);
    await page.context().setOffline(true);
    kit.site.down = true;
    try {
      await page.getByRole("button", { name: "Example" }).click();
      await page.getByRole("spinbutton", { name: "Questions" }).fill("3");
      await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
      await statusIs(page, "completed");
      const log = await lines(page);
      assert.ok(log.includes("✓ Generated artifact: 3 questions"), log.join("\n"));
      assert.match(await page.locator(".run-facts").textContent(), /3 calls.*no tokens/);
      assert.equal(await page.locator(".quiz > li").count(), 3);
      await page.getByRole("button", { name: "JSON", exact: true }).click();
      assert.match(await page.locator("#run-part pre[aria-label=Artifact]").textContent(), /"made_by": "extract"/);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save" }).click(),
      ]);
      const text = readFileSync(await download.path(), "utf8");
      assert.equal(JSON.parse(text.trim().split("\n").at(-1)).kind, "end");
      await goTo(page, 1);
      assert.notDeepEqual(await lines(page), log);
      await page.getByLabel("Open a journal").first().setInputFiles({
        name: "again.jsonl",
        mimeType: "application/x-ndjson",
        buffer: Buffer.from(text),
      });
      await linesAre(page, log);
    } finally {
      kit.site.down = false;
    }
  }));

test("a run that cannot be begun says why, and can be begun when the network is back", () =>
  visit({ serviceWorkers: "block" }, async (page) => {
    await page.route(/plumb-runs.*\.wasm$/, (route) => route.abort());
    await page.getByRole("button", { name: "Example" }).click();
    await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
    await page.locator(".start [role=alert]", { hasText: "plumb-runs.wasm" }).waitFor();
    await page.unroute(/plumb-runs.*\.wasm$/);
    await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
    await statusIs(page, "completed");
  }));

test("a source that says too little fails as it should, and an empty one is not sent", () =>
  visit({}, async (page) => {
    await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
    await page.locator(".start [role=alert]", { hasText: "There is no source yet" }).waitFor();
    await page.getByLabel("Source", { exact: true }).fill("Photosynthesis occurs in plants.");
    await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
    await statusIs(page, "failed");
    assert.match(await page.locator(".run-error").textContent(), /^Validation failed after 2 repair attempts/);
  }));

test("dropped files: a journal is opened, a text becomes the source", () =>
  visit({}, async (page) => {
    const drop = (selector, name, text) =>
      page.evaluate(
        ([to, called, content]) => {
          const data = new DataTransfer();
          data.items.add(new File([content], called));
          document.querySelector(to).dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        },
        [selector, name, text],
      );
    await drop("#run-start-pane", "chapter.md", "# Light\n\nLight is what the eye sees.");
    await page.waitForFunction(() => document.querySelector("#run-source").value.startsWith("# Light"));
    await drop("#run-list-pane", "run.ndjson", readFileSync(recorded("artifact_extract"), "utf8"));
    await statusIs(page, "completed");
    await drop("#run-pane", "run.jsonl", readFileSync(recorded("artifact_failed"), "utf8"));
    await statusIs(page, "failed");
    await page.getByRole("link", { name: "New run" }).click();
    await drop("#run-start-pane", "run.jsonl", readFileSync(recorded("artifact_repaired"), "utf8"));
    await statusIs(page, "completed");
  }));

test("Check and the runs keep what they have while the other is seen, and the address leads to each", () =>
  kit.visit({}, async (page) => {
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await page.locator(".welcome").waitFor();
    assert.match(page.url(), /#runs$/);
    assert.equal(await page.getByRole("main").count(), 1);
    await open(page, "artifact_repaired");
    await page.getByRole("link", { name: "Check", exact: true }).click();
    await settled(page, "Revise");
    assert.equal(await page.getByRole("main").count(), 1);
    await page.goBack();
    await statusIs(page, "completed");
    await page.goBack();
    await page.locator(".welcome").waitFor();
    await page.goBack();
    await settled(page, "Revise");
  }));

for (const colorScheme of ["light", "dark"]) {
  for (const [size, options] of [
    ["1280 px", {}],
    ["900 px", { viewport: { width: 900, height: 760 } }],
    ["390 px", phone],
  ]) {
    test(`axe finds nothing in runs at ${size}, ${colorScheme}`, () =>
      visit({ ...options, colorScheme }, async (page) => {
        assert.deepEqual(await axe(page), [], "nothing open");
        await open(page, "artifact_repaired");
        assert.deepEqual(await axe(page), [], "a run, its quiz");
        await page.getByRole("button", { name: "What changed" }).click();
        assert.deepEqual(await axe(page), [], "a run, its repair as a diff");
        await page.getByRole("button", { name: "Generated", exact: true }).click();
        assert.deepEqual(await axe(page), [], "findings");
        await page.getByRole("tab", { name: "Calls" }).click();
        await page.locator(".call summary").first().click();
        assert.deepEqual(await axe(page), [], "calls");
        await open(page, "artifact_failed");
        assert.deepEqual(await axe(page), [], "failed");
        const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
      }));
  }
}

test("everything in runs can be reached with the keyboard, and the focus is seen", () =>
  visit({}, async (page) => {
    await open(page, "artifact_repaired");
    await page.getByRole("button", { name: "What changed" }).click();
    await page.locator(".views a").first().focus();
    const reached = new Set();
    const unseen = [];
    for (let i = 0; i < 70; ++i) {
      await page.keyboard.press("Tab");
      const told = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const style = getComputedStyle(element.closest(".segments label") ?? element);
        const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
        return [element.id || element.getAttribute("aria-label") || element.textContent.trim().slice(0, 30), seen];
      });
      if (told === null) break;
      reached.add(told[0]);
      if (!told[1]) unseen.push(told[0]);
    }
    for (const wanted of ["New run", "Verify", "First entry", "Position in the journal", "Log", "run-artifact-tab", "What changed"]) {
      assert.ok(reached.has(wanted), `${wanted} is not reached: ${[...reached].join(", ")}`);
    }
    assert.deepEqual(unseen, []);
  }));

// ---- A real server

const folders = [];
const servers = [];
after(async () => {
  for (const server of servers) await server.end("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

// `plumb serve` on a store of its own; `again` starts another one on the same store and port.
async function serve(variables = {}, store = undefined, port = 0, more = []) {
  if (store === undefined) {
    folders.push(mkdtempSync(join(tmpdir(), "plumb-page-runs-")));
    store = join(folders.at(-1), "runs.db");
  }
  const server = spawn(plumb, ["serve", "--port", String(port), "--web", web, "--store", store, "--log-level", "error", ...more], {
    env: { ...process.env, PLUMB_PROVIDER: "extract", ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const over = new Promise((done) => server.once("exit", done));
  const line = await new Promise((told, failed) => {
    let text = "";
    const late = setTimeout(() => failed(new Error("plumb serve has not said where it listens")), 60_000);
    over.then((code) => failed(new Error(`plumb serve has ended with ${code}`)));
    server.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) {
        clearTimeout(late);
        told(text);
      }
    });
  });
  const { origin, port: own } = new URL(/http:\/\/[^/\s]+/.exec(line)[0]);
  const told = {
    origin,
    async end(signal) {
      server.kill(signal);
      await over;
    },
    again: () => serve(variables, store, own, more),
  };
  servers.push(told);
  return told;
}

// Pieces come one after the other, as a model's do.
const dripMs = 20;

// A model that streams what `answer` gives for a call, and holds the rest back from a piece that is a promise on.
async function scriptedModel(answer) {
  const seen = { calls: 0, left: 0, asked: [] };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => seen.asked.push(body));
    const call = seen.calls++;
    response.writeHead(200, { "content-type": "text/event-stream" });
    let done = false;
    response.on("close", () => (seen.left += done ? 0 : 1));
    (async () => {
      for (const piece of answer(call)) {
        await new Promise((on) => setTimeout(on, dripMs));
        if (typeof piece !== "string") {
          await piece;
          continue;
        }
        const chunk = { choices: [{ index: 0, delta: { content: piece } }] };
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      }
      done = true;
      response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`);
    })();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    seen,
    variables: {
      PLUMB_PROVIDER: "openai/scripted",
      OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`,
      OPENAI_API_KEY: "none",
    },
    end: () => (server.closeAllConnections(), new Promise((closed) => server.close(closed))),
  };
}

// The view of runs as that server serves it; the console tells of connections that are cut on purpose.
async function visitServer(server, body, there = ".server-runs", path = "/#runs") {
  const site = kit.site;
  kit.site = server;
  try {
    await kit.visit({ path, ready: false, expectErrors: true }, async (page) => {
      const wrong = [];
      page.on("pageerror", (error) => wrong.push(error.message));
      await page.locator(there).first().waitFor();
      await body(page);
      assert.deepEqual(wrong, []);
    });
  } finally {
    kit.site = site;
  }
}

const plan = '{"concepts":["photosynthesis process","chloroplast function"]}';

// Begins a quiz on the server: without its facts, the page would make it by itself.
async function beginThere(page) {
  await page.getByRole("button", { name: "Example" }).click();
  await page.locator(".start .hint", { hasText: "sent to this page's server" }).waitFor();
  await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
}

// A promise, and what keeps it.
function hold() {
  let release;
  const held = new Promise((done) => (release = done));
  return { held, release };
}

// What a call says while it is under way is not told again. So the plan is held until the page follows the run, and the quiz
// until the page has heard of its call: by then the server tells it everything.
async function followed(page, before) {
  await page.locator(".live").waitFor();
  before.plan.release();
  await statusIs(page, "generating");
  before.quiz.release();
}

test("a job under way: its text and findings as they come, and cancel reaches the model", async () => {
  const before = { plan: hold(), quiz: hold() };
  const { held, release } = hold();
  const faulty = readFileSync(join(top, "tests/cases/seed/quiz_faulty.json"), "utf8");
  const model = await scriptedModel((call) =>
    call === 0 ? [before.plan.held, plan] : [before.quiz.held, ...faulty.slice(0, 500).match(/[^]{1,40}/g), held, faulty.slice(500)],
  );
  const server = await serve(model.variables);
  try {
    await visitServer(server, async (page) => {
      await beginThere(page);
      await followed(page, before);
      await page.locator(".heard li", { hasText: "Must have at least 4 options" }).waitFor();
      await page.getByLabel("Text so far").getByText('"What is photosynthesis?"').waitFor();
      await page.locator(".live").waitFor();
      // Looking back while it goes on, and following again.
      await page.getByRole("button", { name: "First entry" }).click();
      await statusIs(page, "running");
      await page.getByRole("button", { name: "Follow" }).click();
      await statusIs(page, "generating");
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: "Cancel", exact: true }).click();
      await statusIs(page, "cancelled");
      await page.locator(".server-run.is-cancelled").waitFor();
      assert.equal(await page.getByRole("button", { name: "Cancel", exact: true }).count(), 0);
    });
    for (let i = 0; i < 200 && model.seen.left === 0; ++i) await new Promise((done) => setTimeout(done, 50));
    assert.equal(model.seen.left, 1, "the call was left");
    assert.equal(model.seen.calls, 2);
  } finally {
    [before.plan, before.quiz, { release }].forEach((one) => one.release());
    await model.end();
  }
});

test("the server is killed while a job is under way: the page comes back to the next one, misses nothing, repeats nothing", async () => {
  let killed = false;
  const before = { plan: hold(), quiz: hold() };
  const { held, release } = hold();
  const good = readFileSync(join(top, "tests/cases/seed/quiz_repaired.json"), "utf8");
  const model = await scriptedModel((call) =>
    call === 0 ? [before.plan.held, plan] : killed ? [good] : [before.quiz.held, ...good.slice(0, 200).match(/[^]{1,20}/g), held],
  );
  const first = await serve(model.variables);
  try {
    await visitServer(first, async (page) => {
      await beginThere(page);
      await followed(page, before);
      await page.locator(".heard pre", { hasText: "photosynthesis" }).waitFor();
      await first.end("SIGKILL");
      await page.locator(".run-head .notice", { hasText: "Reconnecting" }).waitFor();
      killed = true;
      release();
      await first.again();
      await page.locator(".run-status", { hasText: /completed|failed/ }).waitFor({ timeout: 60_000 });
      const numbers = await page.evaluate(() => document.querySelector(".position").textContent);
      assert.match(numbers, /^(\d+) \/ \1/);
      await page.locator(".log .log-text", { hasText: /✅ Job|→ Error/ }).waitFor(); // the log comes after the status
      const log = await lines(page);
      assert.equal(log.filter((line) => line.includes("Phase 2")).length, 1);
      await page.getByRole("button", { name: "Verify" }).click();
      await page.locator(".again.good").waitFor();
    });
  } finally {
    [before.plan, before.quiz, { release }].forEach((one) => one.release());
    await model.end();
  }
});

test("a job on the server: started, followed to its end, listed, opened again, and the same as it was stored", async () => {
  await visitServer(await serve(), async (page) => {
    await page.locator(".server-runs", { hasText: "None yet." }).waitFor();
    await beginThere(page);
    await statusIs(page, "completed");
    await page.locator(".log .log-text", { hasText: "✅ Job" }).waitFor(); // the log comes after the status
    const log = await lines(page);
    assert.ok(log.some((line) => line.startsWith("✓ Generated artifact: 5 questions")), log.join("\n"));
    const id = await page.locator(".run-id").textContent();
    assert.match(page.url(), new RegExp(`#runs/${id}$`));
    const line = page.locator(`.server-run.is-completed[data-run="${id}"]`);
    await line.waitFor();
    assert.equal(await line.locator(".run-type").textContent(), "Quiz");
    assert.equal(await line.getAttribute("aria-current"), "page");
    assert.equal(await page.getByRole("button", { name: "Cancel", exact: true }).count(), 0);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".again.good").waitFor();
    // By its address, in a page of its own.
    await page.reload();
    await statusIs(page, "completed");
    await linesAre(page, log);
    // What the server refuses is told in its words.
    await page.getByRole("link", { name: "New run" }).click();
    await page.getByLabel("Source", { exact: true }).fill("\u0001\u0002\u0003\u0004\u0005\u0006");
    await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
    await page.locator(".start [role=alert]").waitFor();
  });
});

test("a run is forked in the page: nothing settled is asked again, the old line stays, and the new one says where it comes from", async () => {
  const good = readFileSync(join(top, "tests/cases/seed/quiz_repaired.json"), "utf8");
  const model = await scriptedModel((call) => (call === 0 ? [plan] : [good]));
  try {
    await visitServer(await serve(model.variables), async (page) => {
      await beginThere(page);
      await statusIs(page, /completed|failed/);
      const old = await page.locator(".run-id").textContent();
      const journal = () => page.evaluate(async (id) => (await fetch(`/v1/runs/${id}/journal`)).text(), old);
      const before = await journal();
      assert.equal(await page.locator(".run-from").count(), 0);
      const calls = model.seen.calls;
      const changed = "Write the questions on one leg.";

      await page.getByRole("button", { name: "Fork", exact: true }).click();
      const form = page.getByRole("form", { name: "Fork the run" });
      await form.waitFor();
      assert.deepEqual(await form.getByLabel("Redo").locator("option").allTextContents().then((all) => all.slice(0, 3)), [
        "only what the changes below affect",
        "plan and everything after it",
        "generate and everything after it",
      ]);
      await form.getByLabel("Redo").selectOption("generate");
      // What is no JSON is told, and cannot be sent.
      await form.getByLabel("Change the input").check();
      await form.getByLabel("Input of the fork").fill("{");
      await form.getByRole("alert").getByText("The input is not valid JSON").waitFor();
      assert.ok(await form.getByRole("button", { name: "Start the fork" }).isDisabled());
      await form.getByLabel("Change the input").uncheck();
      // What the server refuses is told in its words, and the form keeps what was written.
      await form.getByLabel("Change the input").check();
      await form.getByLabel("Input of the fork").fill('{"artifact_type": 7}');
      await form.getByRole("button", { name: "Start the fork" }).click();
      await form.getByRole("alert").getByText(/input/).waitFor();
      await form.getByLabel("Change the input").uncheck();
      await form.getByLabel("Change the text of").selectOption("prompt-generate");
      const text = form.getByLabel("Text of prompt-generate");
      await text.fill(`${await text.inputValue()}\n${changed}`);
      assert.deepEqual(await axe(page), []);
      await form.getByRole("button", { name: "Start the fork" }).click();

      await page.locator(".run-from", { hasText: `a fork of ${old}` }).waitFor();
      await statusIs(page, /completed|failed/);
      const fresh = await page.locator(".run-id").textContent();
      assert.notEqual(fresh, old);
      const later = model.seen.asked.slice(calls);
      assert.ok(later[0].includes(changed), "the fork asks with the other prompt");
      assert.ok(!later.some((body) => body === model.seen.asked[0]), "the plan is not asked for again");
      await page.locator(`.server-run[data-run="${fresh}"]`).getByText(`a fork of ${old}`).waitFor();
      await page.getByRole("button", { name: "Verify" }).click();
      await page.locator(".again.good").waitFor();
      // Back to the old one, which is what it was.
      await page.locator(".run-from a").click();
      await page.waitForFunction((id) => document.querySelector(".run-id")?.textContent === id, old);
      assert.equal(await page.locator(".run-from").count(), 0);
      assert.equal(await journal(), before);
    });
  } finally {
    await model.end();
  }
});

test("a run that the server does not have is not forked in the page", () =>
  visit({}, async (page) => {
    await open(page, "artifact_repaired");
    await statusIs(page, "completed");
    assert.equal(await page.getByRole("button", { name: "Fork", exact: true }).count(), 0);
  }));

test("a run that is to ask others than the server has waits, with the reason in the list and when it is open, and goes on", async () => {
  folders.push(mkdtempSync(join(tmpdir(), "plumb-page-runs-")));
  const store = join(folders.at(-1), "runs.db");
  const half = join(folders.at(-1), "half.ndjson");
  const whole = readFileSync(recorded("artifact_extract"), "utf8").split("\n");
  writeFileSync(half, whole.slice(0, whole.findIndex((line) => line.includes('"key":"plan:0","status"'))).join("\n") + "\n");
  assert.equal(spawnSync(plumb, ["runs", "import", "--store", store, half]).status, 0);
  await visitServer(await serve({}, store), async (page) => {
    const listed = page.locator(".server-run.is-waits");
    await listed.locator(".run-waits", { hasText: "its journal does not say" }).waitFor();
    await listed.click();
    await page.locator(".run-held", { hasText: "it may continue only with the same choices" }).waitFor();
    await page.getByRole("button", { name: "Continue with this server's" }).click();
    await statusIs(page, "completed");
    await page.locator(".run-held").waitFor({ state: "detached" });
  });
});

test("a server that wants a token is told of, and runs are made in the page all the same", async () => {
  const server = await serve({ PLUMB_TOKEN: "0123456789abcdef0123456789abcdef" });
  await visitServer(
    server,
    async (page) => {
      await page.locator(".server-words", { hasText: "This server requires a token" }).waitFor();
      assert.equal(await page.locator("option[value=server]").count(), 0);
      await page.getByRole("button", { name: "Make a quiz from a short text" }).click();
      await statusIs(page, "completed");
      // It is asked for, refused where it is wrong, and then runs of the server are begun and followed with it.
      await page.getByLabel("Token of the server").fill("wrong");
      const refused = page.waitForResponse((answer) => answer.status() === 401);
      await page.getByRole("button", { name: "Use this token" }).click();
      await refused;
      await page.getByLabel("Token of the server").fill("0123456789abcdef0123456789abcdef");
      await page.getByRole("button", { name: "Use this token" }).click();
      await page.locator(".server-words").waitFor({ state: "detached" });
      await page.getByRole("link", { name: "New run" }).click();
      await page.getByRole("button", { name: "Example" }).click();
      await page.getByLabel("Made by").locator("option[value=server]").waitFor({ state: "attached" });
      await page.getByLabel("Made by").selectOption("server");
      await page.getByRole("button", { name: "Make a quiz", exact: true }).click();
      await statusIs(page, "completed");
      assert.match(page.url(), /#runs\/r\w+$/);
    },
    ".welcome",
  );
});

test("a server that goes is told of at once, and one that comes back is there again", async () => {
  const server = await serve();
  await visitServer(server, async (page) => {
    await page.locator(".server-runs", { hasText: "None yet." }).waitFor();
    await page.goto(`${server.origin}/#runs/new/discovery`);
    await page.getByText("This server has no folders to read").waitFor();
    await server.end("SIGKILL");
    const told = page.locator(".server-words", { hasText: /cannot be reached|does not answer/ });
    await told.waitFor({ timeout: 8000 });
    // What the server had said of itself is gone with it.
    await page.getByText("This server has no folders to read").waitFor({ state: "detached" });
    const next = await server.again();
    await told.waitFor({ state: "detached", timeout: 8000 });
    await page.getByText("This server has no folders to read").waitFor();
    await page.goto(`${server.origin}/#server`);
    await page.getByText("Folders").first().waitFor();
    await next.end("SIGKILL");
    await page.locator(".server-lost").waitFor({ timeout: 8000 });
  });
});

test("the list of a server names a boundary by its items, and says which run waits for a person", async () => {
  folders.push(mkdtempSync(join(tmpdir(), "plumb-page-runs-")));
  const store = join(folders.at(-1), "runs.db");
  const documents = mkdtempSync(join(folders.at(-1), "documents-"));
  writeFileSync(join(documents, "cars.txt"), "In 2024 Norway registered 114,400 battery electric cars.\n");
  assert.equal(spawnSync(plumb, ["runs", "import", "--store", store, recorded("boundary_revised")]).status, 0);
  const server = await serve({}, store, 0, ["--corpus", documents]);
  const begun = await fetch(`${server.origin}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pipeline: "research", request: { question: "Explore electric cars." } }),
  });
  assert.ok(begun.ok, await begun.text());
  await visitServer(server, async (page) => {
    const line = (type) => page.locator(".server-run", { has: page.locator(".run-type", { hasText: type }) });
    await line("Boundary").locator(".run-line-title", { hasText: /^5 items: order page, somewhere, lists$/ }).waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    await line("Research").locator(".run-line-facts", { hasText: "waits for you" }).waitFor();
    await line("Research").click();
    await statusIs(page, "waits for you");
  });
});
