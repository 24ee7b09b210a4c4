// The view of discovery: people decide. The server is a script that speaks the routes of docs/discovery.md and keeps to
// their rules; what it shows is made up.
import { strict as assert } from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { axe, plumb, setUp, top } from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const pointer = (source_id, source_type) => ({ source_type, source_id, retrieved_at: "2026-01-01T00:00:00Z", confidence: "high" });

const opportunity = (number, more = {}) => ({
  idx: number - 1,
  opportunity_id: `O${number}`,
  rank: number,
  rationale: `Reason ${number}.`,
  flags: [],
  stage: "prioritization",
  unverified: [],
  warnings: [],
  brief: {
    problem_statement: `Problem ${number}`,
    affected_area: "src/pay.ts",
    counterfactual: "Refunds",
    explorer_coverage: "all",
    evidence: [pointer("c1", "intercom")],
    source_findings: ["F1"],
  },
  solution: { proposed_solution: `Solution ${number}`, success_metrics: { baseline: 9, target: 0 }, evidence: [pointer("gone", "other")] },
  spec: {
    approach: `Approach ${number}`,
    effort_estimate: "2 days",
    dependencies: "None",
    acceptance_criteria: ["one charge", "one mail"],
    constraints: "None",
    risks: [{ description: "Lost answers", severity: "low", mitigation: "Expiry" }],
  },
  infeasible: null,
  decision: null,
  conversation: [{ stage: "solution_validation", round: 1, agent: "Validation", text: "Approve." }],
  ...more,
});

const discovery = () => ({
  run_id: "r-one",
  status: "running",
  current_stage: "human_review",
  stages: [
    { stage: "exploration", attempt: 1, status: "completed" },
    { stage: "solution_validation", attempt: 2, status: "completed", sent_back_from: "feasibility_risk", send_back_reason: "No limit." },
  ],
  coverage: { explorers: [{ agent_name: "customer_voice", available: 12, reviewed: 10, skipped: 2, skipped_why: [{ why: "is no JSON", count: 2, where: "a.ndjson:7" }] }] },
  findings: [{ id: "F1", pattern_name: "Paid twice", description: "People pay twice.", severity_assessment: "high", affected_users_estimate: "9 of 200", confidence: "high", evidence: [pointer("c1", "intercom")] }],
  evidence: { c1: { source: "conversations", path: "a.ndjson", line: 3, text: "I was <b>charged</b> twice." } },
  boundaries: [
    { boundary: "briefs", agent: "SolutionDesigner", producer: "OpportunityPM", attempt: 1, produced: 3, accepted: 2, warned: 1, failed: 0, unverified: 0, validation_rejections: 1, validation_retries: 2, cycles: [{ cycle: 0, accepted: 2, rejected: 1, rejected_item_ids: ["O3"], rejections: [{ id: "O3", reason: "No surface." }] }] },
    { boundary: "specs", agent: "TPMAgent", producer: "FeasibilityDesigner", attempt: 1, produced: 4, accepted: 4, warned: 0, failed: 0, unverified: 4, validation_rejections: 1, validation_retries: 1, cycles: [] },
  ],
  opportunities: [
    opportunity(1),
    opportunity(2, { unverified: ["briefs", "solutions", "specs"], revised_from: "O7" }),
    opportunity(3, { rank: 3, warnings: ["Rejected after 2 retries: no surface"], spec: null, left_out: "no assessment was given" }),
  ],
  left_out: [{ stage: "opportunity_framing", id: "O4", why: "no evidence" }],
  signals: [],
  result: null,
  error: "",
});

// The journal of the scripted run: it has begun.
const recorded = readFileSync(join(top, "tests/cases/runs/discovery_reviewed.ndjson"), "utf8").split("\n");
const begun = `${recorded.slice(0, recorded.findIndex((line) => line.startsWith('{"n":0,')) + 1).join("\n")}\n`.replace("rdddddddddddddddddddd", "r-one");

// What the routes do, with what was sent to them.
class Script {
  view = discovery();
  sent = [];
  // Said to the next that decides: somebody else was faster.
  faster = "";

  answer(request, response) {
    const path = new URL(request.url, "http://page").pathname;
    if (path === "/v1/runs/r-one/events") {
      // Nothing happens by itself; the stream ends when the page leaves.
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": here\n\n");
      return true;
    }
    if (path.endsWith("/journal")) {
      const there = path === "/v1/runs/r-one/journal";
      response.writeHead(there ? 200 : 404, { "content-type": there ? "application/x-ndjson" : "application/problem+json" });
      response.end(there ? begun : JSON.stringify({ title: "Not Found", detail: `there is no run ${path.split("/")[3]}` }));
      return true;
    }
    if (!path.startsWith("/api/discovery/runs")) return false;
    void this.route(request, path.split("/").slice(4), response);
    return true;
  }

  async route(request, [run, what, id], response) {
    const say = (status, body) => {
      response.writeHead(status, { "content-type": status < 400 ? "application/json" : "application/problem+json" });
      response.end(JSON.stringify(body));
    };
    if (request.method === "GET") {
      if (run === undefined) return say(200, { runs: [{ id: "r-one", created_at: "2026-01-01T00:00:00Z", status: this.view.status, current_stage: this.view.current_stage }] });
      return run === "r-one" ? say(200, this.view) : say(404, { title: "Not Found", detail: `there is no run ${run}` });
    }
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    this.sent.push([what === "opportunities" ? `decide ${id}` : what, body]);
    if (what === "opportunities") {
      const one = this.view.opportunities.find((other) => other.opportunity_id === id);
      if (!one) return say(404, { title: "Not Found", detail: `There is no opportunity '${id}' in this run.` });
      if (this.faster) {
        one.decision = { decision: "rejected", reasoning: "No.", by: this.faster, at: "2026-01-01T00:00:00Z" };
        this.faster = "";
      }
      if (one.decision && !body.revises) return say(409, { title: "Conflict", detail: `${one.decision.by} has decided already: ${one.decision.decision}` });
      one.decision = { ...body, at: "2026-01-01T00:00:00Z" };
    } else if (what === "rank") {
      this.view.opportunities.sort((a, b) => body.order.indexOf(a.opportunity_id) - body.order.indexOf(b.opportunity_id));
      this.view.opportunities.forEach((one, i) => Object.assign(one, { idx: i, rank: i + 1 }));
    } else {
      this.view.status = "completed";
    }
    return say(200, {});
  }
}

let script;
beforeEach(() => {
  script = new Script();
  kit.site.api = (request, response) => script.answer(request, response);
});
afterEach(() => {
  kit.site.api = undefined;
});

const at = { path: "/#discovery/r-one", ready: false };
const open = (page) => page.locator(".chain").waitFor();
const listed = (page) => page.locator(".opportunity-title").allTextContents();
const decided = (page, text) => page.locator(".told", { hasText: text }).waitFor();

async function decide(page, name, why) {
  await page.getByRole("radio", { name }).check();
  await page.getByLabel(/^Reason/).fill(why);
}

test("discovery: what an opportunity came from stands side by side, and its evidence is one click away", () =>
  kit.visit(at, async (page) => {
    await open(page);
    const leads = await page.locator(".artifact-card").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    assert.deepEqual(leads, ["Findings", "Brief", "Solution", "Specification"]);
    const tops = await page.locator(".artifact-card").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    assert.equal(new Set(tops).size, 1, "side by side");
    await page.locator(".artifact-card", { hasText: "Brief" }).getByRole("button", { name: "c1" }).click();
    const quote = page.locator(".evidence figure");
    assert.equal(await quote.locator("blockquote").textContent(), "I was <b>charged</b> twice.");
    assert.equal(await quote.locator("code").textContent(), "conversations · a.ndjson:3");
    // Evidence that does not exist is said to be none; an object where a text was wanted is shown all the same.
    await page.locator(".artifact-card", { hasText: "Solution" }).getByRole("button", { name: "gone" }).click();
    await page.getByText("No evidence has the id gone.").waitFor();
    assert.match(await page.locator(".artifact-card", { hasText: "Solution 1" }).textContent(), /"baseline": 9/);
    assert.match(await page.locator(".artifact-card", { hasText: "Approach 1" }).textContent(), /one charge\s+one mail/);
  }));

test("discovery: warnings and what was not judged are shown, in the list and above the chain", () =>
  kit.visit(at, async (page) => {
    await open(page);
    assert.match(await page.locator(".opportunity").nth(2).textContent(), /1 warning/);
    assert.match(await page.locator(".opportunity").nth(1).textContent(), /O2 from O7 .*not judged/);
    await page.locator(".opportunity").nth(2).click();
    await page.locator(".warnings", { hasText: "Rejected after 2 retries: no surface" }).waitFor();
    await page.locator(".chain", { hasText: "Left out: no assessment was given." }).waitFor();
    await page.locator(".opportunity").nth(1).click();
    await page.locator(".warnings", { hasText: "It passed the boundaries of briefs, solutions and specs without being judged." }).waitFor();
  }));

test("discovery: who failed is told above everything, with what it was about", () => {
  script.view.failures = [
    { stage: "prioritization", agent: "TPMAgent", why: "HTTP 401: Incorrect API key provided", opportunities: [] },
    { stage: "opportunity_framing", agent: "SolutionDesigner", why: "the answer is no JSON", opportunities: ["O1", "O2"] },
  ];
  return kit.visit(at, async (page) => {
    await open(page);
    const failed = page.getByRole("list", { name: "Failed" });
    assert.deepEqual(await failed.locator("li").allTextContents(), [
      "TPMAgent failed in prioritization: HTTP 401: Incorrect API key provided",
      "SolutionDesigner failed in opportunity framing for O1, O2: the answer is no JSON",
    ]);
    assert.ok((await failed.boundingBox()).y < (await page.locator(".opportunities").boundingBox()).y, "above the list");
    assert.deepEqual(await axe(page), []);
  });
});

test("discovery: each kind of decision is sent with what it needs, and nothing without a reason and a name", () =>
  kit.visit(at, async (page) => {
    await open(page);
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await page.getByText("Choose a decision.").waitFor();
    await page.getByRole("radio", { name: "Accept" }).check();
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await page.getByText("Give a reason.").waitFor();
    await page.getByRole("textbox", { name: "Reason" }).fill("It is worth it.");
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await page.getByText("Enter your name.").waitFor();
    assert.deepEqual(script.sent, []);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await decided(page, "O1: decision saved.");
    await page.locator(".standing", { hasText: "accepted by Ada" }).waitFor();
    await page.locator(".opportunity").nth(1).click();
    await decide(page, "Send back", "Name a limit.");
    await page.getByRole("combobox", { name: /^Stage/ }).selectOption("feasibility_risk");
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await decided(page, "O2: decision saved.");
    await page.locator(".opportunity").nth(2).click();
    await decide(page, "Change priority", "It is urgent.");
    await page.getByRole("spinbutton", { name: "Rank" }).fill("2");
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await decided(page, "O3: decision saved.");
    await decide(page, "Defer", "Later after all.");
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await page.locator(".standing", { hasText: "deferred by Ada" }).waitFor();
    assert.deepEqual(script.sent, [
      ["decide O1", { decision: "accepted", reasoning: "It is worth it.", by: "Ada" }],
      ["decide O2", { decision: "sent_back", reasoning: "Name a limit.", by: "Ada", send_back_to_stage: "feasibility_risk" }],
      ["decide O3", { decision: "priority_adjusted", reasoning: "It is urgent.", by: "Ada", adjusted_priority: 2 }],
      ["decide O3", { decision: "deferred", reasoning: "Later after all.", by: "Ada", revises: true }],
    ]);
  }));

test("discovery: where somebody was faster it is said, and one decides what then", () =>
  kit.visit({ ...at, expectErrors: true }, async (page) => {
    await open(page);
    script.faster = "Bob";
    await decide(page, "Accept", "Yes.");
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Decide", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "Bob has decided already: rejected" }).waitFor();
    await page.locator(".standing", { hasText: "rejected by Bob" }).waitFor();
    await page.getByRole("button", { name: "Overwrite with mine" }).click();
    await page.locator(".standing", { hasText: "accepted by Ada" }).waitFor();
    assert.equal(script.sent.at(-1)[1].revises, true);
  }));

test("discovery: the order is changed with the keyboard alone, and the review completed", () =>
  kit.visit(at, async (page) => {
    await open(page);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Change the order" }).press("Enter");
    await page.locator(".opportunity").nth(2).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("Alt+ArrowUp");
    assert.deepEqual(await listed(page), ["Problem 3", "Problem 1", "Problem 2"]);
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Problem 3/);
    await page.getByRole("button", { name: "O1 down" }).press("Enter");
    assert.deepEqual(await listed(page), ["Problem 3", "Problem 2", "Problem 1"]);
    await page.getByRole("button", { name: "Save this order" }).press("Enter");
    await decided(page, "Order saved.");
    assert.deepEqual(script.sent, [["rank", { order: ["O3", "O2", "O1"], by: "Ada" }]]);
    await page.locator(".opportunity").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.locator("#chosen-title", { hasText: "Problem 2" }).waitFor();
    assert.match(await page.evaluate(() => location.hash), /^#discovery\/r-one\/O2$/);
    await page.getByRole("button", { name: "Complete the review" }).press("Enter");
    await decided(page, "The review is complete.");
    assert.equal(await page.getByRole("button", { name: "Decide", exact: true }).count(), 0);
  }));

test("discovery: boundaries tell rejections and retries of each producer, and mark who is sent back too often", () =>
  kit.visit(at, async (page) => {
    await open(page);
    const rows = page.getByRole("region", { name: "Boundaries" }).locator("tbody tr");
    assert.match(await rows.nth(0).textContent(), /briefsOpportunityPMSolutionDesigner3210/);
    assert.match(await rows.nth(0).textContent(), /1 of 3 rejectedO3O3: No surface\./);
    assert.match(await rows.nth(0).locator(".is-bad").textContent(), /^33 % marked$/);
    assert.equal(await rows.nth(1).locator("td.is-bad").count(), 0, "25 % is not marked");
    assert.match(await page.locator(".stages").textContent(), /Sent back from feasibility risk: No limit\./);
    assert.match(await page.getByRole("region", { name: "Coverage" }).textContent(), /2 is no JSON a\.ndjson:7/);
    assert.match(await page.locator(".left-out").textContent(), /O4 in opportunity framing: no evidence/);
  }));

test("discovery: what plumb discover prints is shown, with evidence that stands in what was read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumb-page-discovery-"));
  try {
    const said = ["I was charged twice, the checkout page had an error", "Charged twice after the checkout page failed", "The export is cut at 10000 rows", "Export cut, rows are lost"];
    writeFileSync(join(folder, "talk.ndjson"), [...said, ...said].map((text, i) => JSON.stringify({ id: `c${i}`, text })).join("\n"));
    const done = spawnSync(plumb, ["discover", "--conversations", folder, "--json", "--review"], { encoding: "utf8", input: "", env: { ...process.env, PLUMB_PROVIDER: "extract", XDG_STATE_HOME: folder } });
    assert.notEqual(done.stdout, "", done.stderr);
    writeFileSync(join(folder, "view.json"), done.stdout);
    await kit.visit({ path: "/#discovery", ready: false }, async (page) => {
      await page.getByLabel("Open a discovery").setInputFiles(join(folder, "view.json"));
      await open(page);
      assert.ok((await listed(page)).length > 0);
      await page.locator(".artifact-card").first().locator(".evidence-chip").first().click();
      assert.ok(said.includes(await page.locator(".evidence blockquote").textContent()));
      assert.match(await page.locator(".evidence figcaption").textContent(), /talk\.ndjson:\d/);
      assert.match(await page.getByRole("region", { name: "Boundaries" }).textContent(), /OpportunityPM/);
      assert.deepEqual(await axe(page), []);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// A real server; what the page asks of its routes is handed on to it.
async function serve(folder) {
  const child = spawn(plumb, ["serve", "--port", "0", "--store", join(folder, "runs.db"), "--root", `talks=${folder}/talks`, "--log", "off"], {
    env: { ...process.env, PLUMB_PROVIDER: "extract", XDG_STATE_HOME: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const over = new Promise((done) => child.once("exit", done));
  const origin = await new Promise((told, failed) => {
    let text = "";
    over.then((code) => failed(new Error(`plumb serve has ended with ${code}`)));
    child.stdout.on("data", (data) => {
      text += data;
      const address = /http:\/\/[^/\s]+/.exec(text);
      if (address) told(address[0]);
    });
  });
  const ask = async (path, body) => {
    const answer = await fetch(origin + path, body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
  };
  // An event stream, as it comes, until either side leaves.
  const relay = async (request, response) => {
    const leaves = new AbortController();
    response.once("close", () => leaves.abort());
    try {
      const answer = await fetch(origin + request.url, { headers: { accept: "text/event-stream" }, signal: leaves.signal });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") });
      for await (const piece of answer.body) response.write(piece);
      response.end();
    } catch {
      response.destroy();
    }
  };
  return { ask, relay, end: () => (child.kill("SIGKILL"), over) };
}

test("discovery: on a real server a run is reviewed to its end, by two people", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumb-page-discovery-"));
  mkdirSync(join(folder, "talks"));
  const said = ["I was charged twice, the checkout page had an error", "Charged twice after the checkout page failed", "The export is cut at 10000 rows", "Export cut, rows are lost"];
  writeFileSync(join(folder, "talks/a.ndjson"), [...said, ...said].map((text, i) => JSON.stringify({ id: `c${i}`, text })).join("\n"));
  const server = await serve(folder);
  kit.site.api = (request, response) => {
    if (/^\/v1\/runs\/[^/]+\/events/.test(request.url)) return void server.relay(request, response) ?? true;
    if (!/^\/(api\/discovery\/|v1\/runs\?|v1\/runs\/[^/]+\/journal)/.test(request.url)) return false;
    void (async () => {
      let body = "";
      for await (const piece of request) body += piece;
      const { status, type, text } = await server.ask(request.url, body === "" ? undefined : JSON.parse(body));
      response.writeHead(status, { "content-type": type });
      response.end(text);
      // The page may still ask when the server is stopped at the end of the test: the page sees a closed connection.
    })().catch(() => response.destroy());
    return true;
  };
  try {
    const run = JSON.parse((await server.ask("/api/discovery/runs", { sources: { conversations: "talks" } })).text).run_id;
    const seen = async () => JSON.parse((await server.ask(`/api/discovery/runs/${run}`)).text);
    await kit.visit({ path: "/#runs", ready: false, expectErrors: true }, async (page) => {
      await page.locator(`.server-run[data-run="${run}"]`, { hasText: "Discovery" }).click();
      // The page looks again by itself until people are asked.
      await page.getByRole("button", { name: "Decide", exact: true }).waitFor();
      await page.getByLabel("Your name").fill("Ada");
      await page.locator(".opportunity").first().click();
      const first = (await seen()).opportunities[0].opportunity_id;
      assert.equal((await server.ask(`/api/discovery/runs/${run}/opportunities/${first}/decide`, { decision: "rejected", reasoning: "no", by: "Bob" })).status, 200);
      await decide(page, "Accept", "Yes.");
      await page.getByRole("button", { name: "Decide", exact: true }).click();
      const clash = page.getByRole("alert").filter({ hasText: "Bob has decided already: rejected" });
      if (await clash.or(page.locator(".standing", { hasText: "accepted by Ada" })).first().textContent().then((text) => text.includes("already")))
        await page.getByRole("button", { name: "Overwrite with mine" }).click();
      await page.locator(".standing", { hasText: "accepted by Ada" }).waitFor();
      await page.locator(".opportunity").nth(1).click();
      await decide(page, "Send back", "Name a limit first.");
      await page.getByRole("combobox", { name: /^Stage/ }).selectOption("feasibility_risk");
      await page.getByRole("button", { name: "Decide", exact: true }).click();
      await page.locator(".stages", { hasText: "Name a limit first." }).waitFor();
      await page.getByRole("button", { name: "Complete the review" }).waitFor();
      const ids = (await seen()).opportunities.map((one) => one.opportunity_id);
      await page.getByRole("button", { name: "Change the order" }).click();
      await page.getByRole("button", { name: `${ids[0]} down` }).click();
      await page.getByRole("button", { name: "Save this order" }).click();
      await decided(page, "Order saved.");
      assert.deepEqual((await seen()).opportunities.map((one) => one.opportunity_id).slice(0, 2), [ids[1], ids[0]]);
      await page.getByRole("button", { name: "Complete the review" }).click();
      await page.locator(".run-status", { hasText: "completed" }).waitFor();
    });
    assert.equal((await seen()).status, "completed");
  } finally {
    await server.end();
    rmSync(folder, { recursive: true });
  }
});

test("discovery: a file can be looked at and not decided on; one that is none says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumb-page-discovery-"));
  try {
    writeFileSync(join(folder, "view.json"), JSON.stringify({ view: discovery() }));
    writeFileSync(join(folder, "other.json"), '{"questions":[]}');
    writeFileSync(join(folder, "text.json"), "no");
    writeFileSync(join(folder, "bare.json"), '{"stages":[],"opportunities":[{"idx":0,"opportunity_id":"O1"}]}');
    await kit.visit({ path: "/#discovery", ready: false }, async (page) => {
      await page.getByRole("button", { name: "See an example" }).waitFor();
      const field = page.getByLabel("Open a discovery");
      await field.setInputFiles(join(folder, "view.json"));
      await open(page);
      assert.equal(await page.getByRole("radio").count(), 0);
      await page.getByText("Read-only.").waitFor();
      await field.setInputFiles(join(folder, "other.json"));
      await page.getByRole("alert").filter({ hasText: "not a discovery result" }).waitFor();
      await field.setInputFiles(join(folder, "text.json"));
      await page.getByRole("alert").filter({ hasText: "Not JSON." }).waitFor();
      await field.setInputFiles(join(folder, "bare.json"));
      await page.locator("#chosen-title", { hasText: "O1" }).waitFor();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("discovery: a run that is not there is told, and without a server the example is there", async () => {
  await kit.visit({ path: "/#discovery/r-none", ready: false, expectErrors: true }, async (page) => {
    await page.getByRole("alert").filter({ hasText: "r-none: there is no run r-none" }).waitFor();
  });
  kit.site.api = undefined;
  await kit.visit({ path: "/#discovery", ready: false, expectErrors: true }, async (page) => {
    await page.getByRole("button", { name: "See an example" }).click();
    await open(page);
    // The example has an address of its own.
    await page.reload();
    await open(page);
  });
});

for (const [name, options] of [
  ["a wide screen", {}],
  ["a phone", phone],
]) {
  test(`discovery: on ${name}, light and dark, axe finds nothing and nothing runs over the side`, async () => {
    for (const colorScheme of ["light", "dark"]) {
      await kit.visit({ ...at, ...options, colorScheme }, async (page) => {
        await open(page);
        await page.locator(".opportunity").nth(2).click();
        await page.locator(".evidence-chip").first().click();
        await page.getByRole("radio", { name: "Send back" }).check();
        await page.getByRole("button", { name: "Decide", exact: true }).click();
        await page.getByRole("button", { name: "Change the order" }).click();
        assert.deepEqual(await axe(page), []);
        const over = await page.evaluate(() => {
          const main = document.querySelector(".discovery");
          return [main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth];
        });
        assert.ok(over.every((one) => one <= 0), `over the side: ${over}`);
      });
    }
  });
}
