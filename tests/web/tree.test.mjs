import { strict as assert } from "node:assert";
import { test } from "node:test";

import { activeIs, axe, chooseExample, cursorIs, editCopy, focusIs, seed, settled, setUp, write } from "./support.mjs";

const kit = setUp();

const labels = (page) => page.locator("#artifact-pane .node:visible .node-label").allTextContents();
const node = (page, name) => page.getByRole("treeitem", { name });

test("a mindmap is drawn as a tree, a quiz is not", () =>
  kit.visit({}, async (page) => {
    assert.equal(await page.locator(".tree-panel").count(), 0);
    await chooseExample(page, "mindmap-clean", "Accept");
    const map = JSON.parse(await page.locator("#artifact-pane > .editor-host .cm-content").innerText());
    const walk = (one) => [one.label, ...one.children.flatMap(walk)];
    assert.deepEqual((await labels(page)).sort(), walk(map.root).sort());
    // A line from each node to its parent, and each level to the right of the one before.
    assert.equal(await page.locator(".tree .branch").count(), walk(map.root).length - 1);
    assert.equal(await page.locator(".tree .repeat").count(), 0);
    const left = async (name) => (await node(page, name).boundingBox()).x;
    assert.ok((await left(map.root.label)) < (await left(map.root.children[0].label)));
    await chooseExample(page, "quiz-faulty", "Revise");
    assert.equal(await page.locator(".tree-panel").count(), 0);
  }));

test("faults are marked in the tree, a repeated label is tied to the first", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "mindmap-cycle", "Revise");
    assert.equal(await page.locator(".node.faulty").count(), 2);
    await node(page, /^photosynthesis, 2 problems: Cycle detected: node 'photosynthesis'/).waitFor();
    await node(page, /^Chlorophyll, 1 problem: Duplicate label found: 'Chlorophyll'/).waitFor();
    assert.equal(await page.locator(".tree .repeat.cycle").count(), 1);
    assert.equal(await page.locator(".tree .repeat:not(.cycle)").count(), 1);
    assert.match(await page.locator(".tree-panel .hint").textContent(), /6 nodes, 4 levels, 2 with problems/);
  }));

test("tree, editor and problem list lead to each other", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "mindmap-cycle", "Revise");
    await node(page, /^Chlorophyll, 1 problem/).click();
    await focusIs(page, "#artifact-pane .cm-content");
    await cursorIs(page, "artifact", 24);
    await activeIs(page, "Duplicate label found: 'Chlorophyll'");
    await page.locator(".problem-head").first().click();
    await page.waitForFunction(
      () => document.querySelector(".node.current .node-label")?.textContent === "photosynthesis",
    );
    await node(page, "Light reactions").click();
    await cursorIs(page, "artifact", 20);
    assert.equal(await page.locator(".problem.active").count(), 0);
    await page.locator("#artifact-pane .cm-line", { hasText: '"Chloroplast"' }).click();
    await page.waitForFunction(
      () => document.querySelector(".node.current .node-label")?.textContent === "Chloroplast",
    );
  }));

test("the tree can be gone about with the keyboard", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "mindmap-cycle", "Revise");
    const here = () => page.evaluate(() => document.activeElement.querySelector(".node-label")?.textContent);
    await page.locator('.node[tabindex="0"]').focus();
    assert.equal(await page.locator('.node[tabindex="0"]').count(), 1);
    const walk = async (key, label) => {
      await page.keyboard.press(key);
      assert.equal(await here(), label, key);
    };
    assert.equal(await here(), "Photosynthesis");
    await walk("ArrowRight", "Light reactions");
    await walk("ArrowDown", "Chlorophyll");
    await walk("ArrowUp", "Light reactions");
    await walk("ArrowUp", "Chloroplast");
    await walk("ArrowRight", "Chlorophyll");
    await walk("ArrowRight", "photosynthesis");
    await walk("ArrowRight", "photosynthesis");
    await walk("ArrowLeft", "Chlorophyll");
    await walk("Home", "Photosynthesis");
    await walk("End", "photosynthesis");
    await page.keyboard.press("Enter");
    await focusIs(page, "#artifact-pane .cm-content");
    await cursorIs(page, "artifact", 12);
    // Alone, and back to the text when a place in it is wanted.
    await page.getByRole("button", { name: "Show only the tree" }).click();
    assert.equal(await page.locator("#artifact-pane > .editor-host").isVisible(), false);
    await page.keyboard.press("F8");
    await page.locator("#artifact-pane > .editor-host").waitFor();
    await page.getByRole("button", { name: "Tree", exact: true }).click();
    assert.equal(await page.locator(".node").count(), 0);
  }));

test("the tree is there while the text is broken, and its nodes come with a stream", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "mindmap-cycle", "Revise");
    const text = seed("mindmap_cycle.json");
    await write(page, "artifact", text.slice(0, text.indexOf('"Light reactions"') + 17));
    await page.waitForFunction(() => document.querySelectorAll(".node").length === 5);
    await chooseExample(page, "mindmap-cycle", "Revise");
    await page.waitForFunction(() => document.querySelectorAll(".node").length === 6);
    await page.getByRole("button", { name: "Stream it" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    const first = (await labels(page)).length;
    assert.ok(first < 6, `${first} nodes have come`);
    await page.getByRole("combobox", { name: /^Speed/ }).selectOption("0");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.locator(".elapsed", { hasText: "streamed" }).waitFor();
    assert.equal((await labels(page)).length, 6);
  }));

test("an own contract says what its tree is, and a large tree is drawn in part", () =>
  kit.visit({}, async (page) => {
    await editCopy(page);
    await write(
      page,
      "contract",
      '{"properties": {"plan": {"acyclic": {"from": "/top", "children": "/parts/*/part", "by": "/name"}}}}',
    );
    const part = (name, parts) => ({ name, parts: parts.map((one) => ({ part: one })) });
    const wide = Array.from({ length: 700 }, (_, n) => part(`p${n}`, []));
    await write(page, "artifact", JSON.stringify({ plan: { top: part("all", wide) } }));
    await settled(page, "Accept");
    await page.locator(".tree-panel .hint", { hasText: "701 nodes, 2 levels, 500 drawn" }).waitFor();
    assert.equal(await page.locator(".node").count(), 500);
    await page.locator(".node-more", { hasText: "+201" }).waitFor();
    await write(page, "artifact", JSON.stringify({ plan: { top: part("A", [part("b", [part("A", [])])]) } }));
    await settled(page, "Revise");
    await node(page, /^A, 1 problem/).waitFor();
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at a tree, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      await chooseExample(page, "mindmap-cycle", "Revise");
      await page.keyboard.press("F8");
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: "Show only the tree" }).click();
      await page.setViewportSize({ width: 390, height: 844 });
      assert.deepEqual(await axe(page), [], "alone at 390 px");
    }));
}
