// What comes of a contract, in the page: derived targets with what they leave out, lint with its fixes, and artifacts
// made from it.
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { test } from "node:test";

import { axe, chooseContract, focusIs, messages, npm, openContract, settled, setUp, write } from "./support.mjs";

const { load } = await import(join(npm, "dist/node.js"));
const plumb = await load();
const author = await plumb.author();
const kit = setUp();

// Names of keywords are between backticks, and are shown as code.
const plain = (text) => text.replace(/`/g, "");
const view = async (page, name) => {
  await openContract(page);
  await page.getByRole("tab", { name }).click();
};
const contractText = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#contract-pane .cm-line")].map((line) => line.textContent).join("\n"),
  );
async function own(page, text) {
  await openContract(page);
  const copy = page.getByRole("button", { name: "Edit a copy" });
  if (await copy.isVisible()) await copy.click();
  await write(page, "contract", text);
}

test("each target is the package's, with its residual and what it narrows", () =>
  kit.visit({}, async (page) => {
    await view(page, "Derived");
    const contract = plumb.contract("quiz");
    for (const target of ["prompt", "openai-strict", "openai", "anthropic", "gemini", "gbnf", "json-schema", "typescript", "zod", "pydantic", "page", "html"]) {
      const told = author.derive(contract, target);
      await page.selectOption(".view-bar select", target);
      await page.waitForFunction(
        (wanted) => document.querySelector(".derived-text")?.textContent === wanted,
        told.text,
      );
      const lines = await page.getByRole("region", { name: "Not enforced by the target" }).locator("li").count();
      assert.equal(lines, Math.min(told.residual.length, 200), target);
      const narrower = await page.getByRole("region", { name: "Stricter than the contract" }).locator("li").count();
      assert.equal(narrower, Math.min(told.narrows.length, 200), target);
    }
    await page.selectOption(".view-bar select", "openai-strict");
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.locator(".view-bar .said", { hasText: "Copied" }).waitFor();
    JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    // A rule that is left to check leads to its place in the contract.
    await page.getByRole("region", { name: "Not enforced by the target" }).locator(".link").first().click();
    await page.waitForFunction(() => document.activeElement?.closest("#contract-pane .cm-content") !== null);
    assert.ok(await page.locator("#contract-pane .cm-content").isVisible());
  }));

test("what is derived follows the contract", () =>
  kit.visit({}, async (page) => {
    await view(page, "Derived");
    await page.selectOption(".view-bar select", "typescript");
    await page.locator(".derived-text", { hasText: "questions" }).waitFor();
    await chooseContract(page, "mindmap");
    await page.locator(".derived-text", { hasText: "root" }).waitFor();
    await page.waitForFunction(() => !document.querySelector(".derived-text").textContent.includes("questions"));
  }));

test("lint marks what is worth a second look, tells why, and fixes it", () =>
  kit.visit({}, async (page) => {
    const text = '{\n  "type": "string",\n  "maxLength": 5,\n  "maximum": 3\n}';
    const report = author.lint(text);
    const found = report.findings.find(({ rule }) => rule === "other-kind");
    assert.ok(found?.fix?.certain, "the case is one");
    await own(page, text);
    await page.locator("#contract-pane .pl-squiggle").first().waitFor();
    await page
      .getByRole("tab", { name: /^Lint/ })
      .locator(".count", { hasText: String(report.findings.length) })
      .waitFor();
    await page.locator("#contract-pane .pl-squiggle", { hasText: "maximum" }).first().hover();
    await page.locator(".pl-hover .card", { hasText: plain(found.message) }).waitFor();
    assert.deepEqual(await axe(page), [], "a card");
    await page.mouse.move(2, 2);
    await view(page, /^Lint/);
    await page
      .locator(".lint-row", { hasText: plain(found.why) })
      .first()
      .waitFor();
    assert.deepEqual(await axe(page), [], "the list");
    await page
      .locator(".lint-row", { hasText: plain(found.message) })
      .getByRole("button", { name: found.fix.title })
      .click();
    await page.waitForFunction(
      () => !document.querySelector("#contract-pane .cm-content").textContent.includes("maximum"),
    );
    assert.equal(await contractText(page), author.fix(text).text);
    // As anything that is typed, it can be undone.
    await page.locator("#contract-pane .cm-content").focus();
    await page.keyboard.press("Control+z");
    assert.equal(await contractText(page), text);
    await view(page, /^Lint/);
    await page.getByRole("button", { name: /^Apply 1 safe fix/ }).click();
    await page.waitForFunction(
      () => !document.querySelector("#contract-pane .cm-content").textContent.includes("maximum"),
    );
    assert.equal(await contractText(page), author.fix(text).text);
  }));

test("a problem of lint leads to its place; a built-in contract has no fixes", () =>
  kit.visit({}, async (page) => {
    await own(page, '{\n  "type": "string",\n  "maxLength": 5,\n  "maximum": 3\n}');
    await view(page, /^Lint/);
    await page.locator(".lint-row .problem-head").first().click();
    await page.waitForFunction(() => document.activeElement?.closest("#contract-pane .cm-content") !== null);
    await focusIs(page, "#contract-pane .cm-content");
    await chooseContract(page, "quiz");
    await settled(page);
    await view(page, /^Lint/);
    await page.locator(".view-bar .fact").waitFor();
    assert.equal(await page.locator(".view-body .lint-why .button").count(), 0);
  }));

test("artifacts are made from the contract: valid ones, and one that breaks just a rule", () =>
  kit.visit({}, async (page) => {
    const select = "#artifact-pane .pane-head select";
    await page.locator(select).focus(); // what makes them is loaded when the list is first looked at
    await page.locator(`${select} option[value^="sample:minItems"]`).first().waitFor({ state: "attached" });
    for (const kind of ["minimal", "rich"]) {
      await page.selectOption(select, `sample:${kind}`);
      await settled(page, "Accept");
      assert.deepEqual(await messages(page), [], kind);
    }
    const before = await page.locator("#artifact-pane > .editor-host .cm-content").innerText();
    await page.getByRole("button", { name: "Make another one" }).click();
    await page.waitForFunction(
      (was) => document.querySelector("#artifact-pane > .editor-host .cm-content").innerText !== was,
      before,
    );
    const sites = author.breakableRules(plumb.contract("quiz"));
    const offered = await page.locator(`${select} optgroup[label="Made from the contract"] option`).count();
    assert.equal(offered, 2 + Math.min(sites.length, 80));
    for (const wanted of ["minItems", "memberOf", "distinct"]) {
      const site = sites.find(({ rule }) => rule === wanted);
      await page.selectOption(select, `sample:${site.rule} ${site.schemaLocation ?? ""} ${site.property ?? ""}`);
      await page.locator(".problem .chip", { hasText: wanted }).first().waitFor();
      assert.equal(await page.locator(".problem").count(), 1, wanted);
    }
    assert.ok(await page.evaluate(() => !localStorage.getItem("plumbline-history")), "what was made is nobody's work");
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at what is derived, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      await view(page, "Derived");
      await page.locator(".derived-text").waitFor();
      assert.deepEqual(await axe(page), []);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.locator("#contract-pane").waitFor();
      assert.deepEqual(await axe(page), [], "at 390 px");
      assert.ok((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= 390);
    }));
}
