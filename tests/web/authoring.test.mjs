// A contract is written in the page: completion, what keywords mean, and the way to a shared link.
import { strict as assert } from "node:assert";
import { test } from "node:test";

import { axe, editCopy, messages, openContract, settled, setUp, write } from "./support.mjs";

const kit = setUp();

async function own(page, text) {
  await openContract(page);
  const copy = page.getByRole("button", { name: "Edit a copy" });
  if (await copy.isVisible()) await copy.click();
  await write(page, "contract", "");
  // Help is loaded when the editor is first used; each bracket and quote brings its partner.
  await page.waitForFunction(() =>
    document.querySelector("#contract-pane .cm-content").getAttribute("aria-autocomplete"),
  );
  await write(page, "contract", text);
}
// A list that has only just opened takes no key: it may have been meant for the text.
const settle = (page) => page.waitForTimeout(150);

// Puts the cursor where the text has `|`.
async function place(page, text) {
  const at = text.indexOf("|");
  await own(page, text.replace("|", ""));
  await page.keyboard.press("Control+Home");
  const before = text.slice(0, at).split("\n");
  for (let i = 1; i < before.length; ++i) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Home");
  await page.keyboard.press("Home");
  for (let i = 0; i < before.at(-1).length; ++i) await page.keyboard.press("ArrowRight");
}
const list = (page) => page.locator(".pl-completion li .cm-completionLabel");
async function offers(page, text) {
  await place(page, text);
  await page.keyboard.press("Control+Space");
  await page.locator(".pl-completion li").first().waitFor();
  const all = await list(page).allTextContents();
  await page.keyboard.press("Escape");
  return all;
}
const contractText = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("#contract-pane .cm-line")].map((line) => line.textContent).join("\n"),
  );

test("keywords are offered where a schema stands, with what they mean", () =>
  kit.visit({}, async (page) => {
    await place(page, '{ "items": { | } }');
    await page.keyboard.type("maxS");
    await page.locator(".pl-completion li", { hasText: "maxSentences" }).waitFor();
    await page.locator(".cm-completionInfo", { hasText: "at most this many sentences" }).waitFor();
    await settle(page);
    await page.keyboard.press("Enter");
    assert.equal(await contractText(page), '{ "items": { "maxSentences":  } }');
    await page.keyboard.type("2");
    assert.equal(await contractText(page), '{ "items": { "maxSentences": 2 } }');
  }));

test("what is offered fits the place", () =>
  kit.visit({}, async (page) => {
    const root = await offers(page, "{ | }");
    for (const name of ["type", "properties", "memberOf", "distinct", "rules", "unevaluatedProperties", "$defs"]) {
      assert.ok(root.includes(name), `${name} in ${root}`);
    }
    assert.ok(!root.includes("definitions"), "what was replaced is not offered");
    const second = await offers(page, '{ "type": "string", | }');
    assert.ok(!second.includes("type") && second.includes("pattern"), "what stands there is not offered again");
    assert.deepEqual((await offers(page, '{ "type": | }')).sort(), [
      "array", "boolean", "integer", "null", "number", "object", "string",
    ]); // prettier-ignore
    assert.deepEqual((await offers(page, '{ "distinct": { "report": "|" } }')).sort(), ["each", "once"]);
    assert.deepEqual((await offers(page, '{ "distinct": { | } }')).sort(), [
      "by",
      "children",
      "fold",
      "from",
      "report",
    ]);
    assert.deepEqual((await offers(page, '{ "rules": [ { "id": "a", | } ] }')).sort(), [
      "action", "ask", "blocks", "check", "each", "label", "severity", "title",
    ]); // prettier-ignore
    assert.ok(
      (await offers(page, '{ "rules": [ { "check": { | } } ] }')).includes("minItems"),
      "a schema within a rule",
    );
    assert.deepEqual(await offers(page, '{ "notBlank": | }'), ["false", "true"]);
    assert.deepEqual(await offers(page, '{ "required": ["a", |], "properties": { "a": {}, "b": {}, "c": {} } }'), [
      "b",
      "c",
    ]);
    assert.deepEqual(await offers(page, '{ "$defs": { "node": {} }, "items": { "$ref": "|" } }'), [
      "#",
      "#/$defs/node",
    ]);
    assert.deepEqual(await offers(page, '{ "type": "array", "minItems": 3, "stopAt": [|] }'), ["minItems", "type"]);
    const texts = await offers(page, '{ "minItems": 3, "errorMessage": { | } }');
    assert.ok(texts.includes("minItems"), texts.join());
    // In a list of members every name is one's own.
    await place(page, '{ "properties": { | } }');
    await page.keyboard.type("ty");
    await page.waitForTimeout(400);
    assert.equal(await page.locator(".pl-completion").count(), 0);
  }));

test("the mouse over a keyword tells what it means; a member of that name is no keyword", () =>
  kit.visit({}, async (page) => {
    await own(page, '{ "properties": { "format": { "pattern": "^a" } } }');
    // The marks of lint come a little later and draw the text anew: the mouse has to rest on what is there then.
    await page.locator("#contract-pane .pl-squiggle").first().waitFor();
    await page.locator("#contract-pane .tok-propertyName", { hasText: "pattern" }).hover();
    await page.locator(".keyword-card", { hasText: "ECMA-262" }).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.mouse.move(2, 2);
    await page.locator(".keyword-card").waitFor({ state: "detached" });
    await page.locator("#contract-pane .tok-propertyName", { hasText: "format" }).hover();
    await page.waitForTimeout(700);
    assert.equal(await page.locator(".keyword-card").count(), 0);
  }));

test("a contract is written from nothing, judges an artifact, and is shared by a link", () =>
  kit.visit({}, async (page) => {
    await editCopy(page);
    await write(page, "contract", "");
    await page.waitForFunction(() =>
      document.querySelector("#contract-pane .cm-content").getAttribute("aria-autocomplete"),
    );
    const pick = async (typed, label) => {
      await page.keyboard.type(typed, { delay: 15 });
      await page.locator(".pl-completion li[aria-selected=true]", { hasText: label }).waitFor();
      await settle(page);
      await page.keyboard.press("Enter");
    };
    await page.keyboard.type("{");
    await pick("type", "type");
    await page.locator(".pl-completion li", { hasText: "array" }).waitFor();
    await pick("arr", "array");
    await page.keyboard.type(", ");
    await pick("minIt", "minItems");
    await page.keyboard.type("2, ");
    await pick("items", "items");
    await pick("notB", "notBlank");
    await pick("tr", "true");
    await write(page, "artifact", '["a"]');
    await settled(page, "Revise");
    assert.equal(await contractText(page), '{"type": "array", "minItems": 2, "items": {"notBlank": true}}');
    assert.deepEqual(await messages(page), ["Must have at least 2 items (has 1)"]);
    await page.getByRole("button", { name: "Share" }).click();
    await page.waitForFunction(() => document.querySelector(".share-text").value !== "");
    const other = await page.context().newPage();
    await other.goto(await page.locator(".share-text").inputValue());
    await settled(other, "Revise");
    await other.locator(".problem", { hasText: "Must have at least 2 items (has 1)" }).waitFor();
    await other.close();
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at the completion, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      await place(page, "{ | }");
      await page.keyboard.type("m");
      await page.locator(".cm-completionInfo").waitFor();
      assert.deepEqual(await axe(page), []);
    }));
}
