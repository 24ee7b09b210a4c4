// Budgets in the package: the golden cases byte for byte in Node and Chromium, the typed methods, and what they throw.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import { importPackage, npm, top, within } from "./support.mjs";

const { load } = await importPackage();
const budget = await (await load()).budget();

/** [{title, operation, request, answer}], as tests/native/budget_cases_test.cpp reads them. */
function cases() {
  const folder = join(top, "tests/cases/budget");
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const docs = readFileSync(join(top, "docs/budget.md"), "utf8");
  files.push([...docs.matchAll(/^```budget\n([^]*?)^```/gm)].map((block) => block[1]).join(""));
  return files.flatMap((text) =>
    text
      .split(/^=== /m)
      .slice(1)
      .map((one) => {
        const lines = one.trimEnd().split("\n");
        const answer = lines.pop();
        const asked = lines.slice(1).join("\n");
        const operation = asked.slice(0, asked.indexOf(" "));
        return { title: lines[0], operation, request: asked.slice(operation.length + 1), answer };
      }),
  );
}

test("every golden case in Node, byte for byte", () => {
  const all = cases();
  assert.ok(all.length > 50);
  for (const { title, operation, request, answer } of all) {
    assert.equal(budget.answer(operation, request), answer, title);
  }
});

test("every golden case in Chromium, byte for byte", async () => {
  const server = await serve({ "/npm/": npm }, { "/": "<!doctype html><title>t</title>" });
  const browser = await startBrowser();
  try {
    const page = await browser.context.newPage();
    await page.goto(server.origin);
    const all = cases();
    const got = await within(
      60_000,
      "the cases in Chromium",
      page.evaluate(async (asked) => {
        const { loadBudget } = await import("/npm/dist/budget_element.js");
        const loaded = await loadBudget();
        return asked.map(({ operation, request }) => loaded.answer(operation, request));
      }, all),
    );
    all.forEach(({ title, answer }, i) => assert.equal(got[i], answer, title));
  } finally {
    await browser.close();
    await server.close?.();
  }
});

test("each operation is a method, and the worked example comes out", () => {
  const source = (severity) => ({ id: severity, severity, parent: 500, chunks: [{ chunk_index: 0, tokens: 9000 }] });
  const answer = budget.shares({ total: 8000, sources: ["error", "warning", "info"].map(source) });
  assert.ok(answer.valid);
  assert.deepEqual(
    [answer.shares.error.share, answer.shares.warning.share, answer.shares.info.share],
    [3250, 2275, 975],
  );
  for (const { name } of budget.operations) assert.equal(typeof budget[name], "function", name);
  assert.equal(budget.window({ window: 32000, system: 2000, task: 6000, output: 1000 }).available, 16600);
  assert.equal(budget.models().models.find((one) => one.name === "gpt-4o").context_window, 128000);
});

test("what is wrong with a request is told and not thrown", () => {
  for (const request of [null, undefined, 1, "x", [], { window: -1 }, { window: NaN, task: -5 }, { files: [{}] }]) {
    for (const { name } of budget.operations) {
      const answer = JSON.parse(budget.answer(name, JSON.stringify(request) ?? "null"));
      assert.equal(typeof answer.valid, "boolean");
    }
  }
  assert.equal(budget.window({ window: -1 }).findings[0].at, "/window");
  assert.throws(() => budget.answer("wages", "{}"), { code: "not_found", message: /there are tokens, window/ });
});

test("8 KB are budgeted at once, and a megabyte too", () => {
  const text = "Every question needs four options, and each of them differs. ".repeat(18000);
  const answer = budget.tokens({ text });
  assert.ok(answer.likely > 180_000 && answer.likely < 320_000, String(answer.likely));
});
