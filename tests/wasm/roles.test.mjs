// What the role contracts add to the package: clarify, measure, the report `scorecard`, and what they give for bad input.
import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { npm } from "./support.mjs";

const { load } = await import(join(npm, "dist/node.js"));
const plumb = await load();
const brief = (objective, successCriteria) => [{ tool: "startResearch", arguments: { objective, successCriteria } }];

test("clarify asks one question where the scorecard is broken, and none where it is not", () => {
  const intake = plumb.contract("intake");
  const asked = plumb.clarify(intake.check(brief("Explore electric cars.", ["A date is given."])));
  assert.deepEqual(asked, {
    tool: "textInput",
    arguments: {
      message: "What about electric cars do you need to know: a number, a date, a name or a comparison?",
      reason: "Objective is single-sentence and concrete",
    },
  });
  assert.equal(intake.check([asked]).valid, true);
  assert.equal(plumb.clarify(intake.check(brief("How tall is Mont Blanc in metres?", ["A number is given."]))), null);
});

test("measure gives what a check measures of a history", () => {
  const history = [
    { query: "How many cars?", answer: "104,590 cars in 2023 [1].", sources: [{ title: "OFV", url: "https://ofv.example" }] },
    { query: "Why?", answer: "It varies.", sources: [] },
  ];
  const measured = plumb.measure(history);
  assert.deepEqual([measured.searches, measured.no_change_streak, measured.last[0].evidence_delta], [2, 1, "no_change"]);
  assert.deepEqual(measured.cycles.map((one) => one.grounding), ["cited", "uncited"]);
  const verdict = plumb
    .contract("researcher-evaluate")
    .check({ reasoning: "-", decision: "done", query: "" }, { context: { history } });
  assert.equal(verdict.labels.evidence_delta, "no_change");
  for (const bad of [[], [null, 1, "x", { query: 5, sources: {} }]]) assert.equal(plumb.measure(bad).searches, bad.length);
});

test("a scorecard reads the same in the command and in the package", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumb-roles-"));
  const file = join(folder, "decision.json");
  const decision = brief("Learn about electric cars.", ["Good", "A date is given."]);
  writeFileSync(file, JSON.stringify(decision));
  const author = await plumb.author();
  const verdict = plumb.contract("intake").check(decision);
  const ours = author.render({ file, verdict }, "scorecard");
  assert.match(ours, /objective-concrete \/0\/arguments\/objective \(blocks\)\n      Must avoid: Learn about\n/);
  let theirs = "";
  try {
    execFileSync(process.env.PLUMB_BIN, ["check", "--contract", "intake", "--format", "scorecard", "--color", "never", file], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
  } catch (error) {
    theirs = error.stdout;
  }
  assert.equal(theirs, `${ours}  would ask: ${plumb.clarify(verdict).arguments.message}\n`);
});

test("an objective of a megabyte, in any script, is judged and never stops the module", () => {
  const intake = plumb.contract("intake");
  for (const piece of ["learn about it and so on ", "人工知能を探索する", "🐙", "\u202e\u2066", "ก", "a", "\u0000", "\ud800"]) {
    const objective = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const verdict = intake.check(brief(objective, ["A date is given.", ""]));
    assert.equal(verdict.valid, false, piece);
    assert.ok(verdict.findings.every((one) => one.provided === undefined || one.provided.length <= 500));
    plumb.clarify(verdict);
  }
});

test("a scorecard of 8 KB takes a few milliseconds at most", () => {
  const intake = plumb.contract("intake");
  const objective = "How many cars of type 5 did the firm in region 7 deliver in 2022, and at which price? ".repeat(92);
  const decision = JSON.stringify(brief(objective, ["A date is given."]));
  const took = [];
  for (let i = 0; i < 60; ++i) {
    const began = performance.now();
    intake.check(decision);
    took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  console.log(`           ${took[0].toFixed(2)} ms at best, ${took[30].toFixed(2)} ms in the middle`);
});
