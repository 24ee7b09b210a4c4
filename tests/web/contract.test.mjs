import { strict as assert } from "node:assert";
import { test } from "node:test";

import {
  builtIn,
  chooseContract,
  chooseExample,
  cursorIs,
  editCopy,
  focusIs,
  markedText,
  messages,
  openContract,
  settled,
  setUp,
  verdictTitle,
  write,
} from "./support.mjs";

const kit = setUp();

test("a built-in contract is shown as it is and cannot be edited", () =>
  kit.visit({}, async (page) => {
    await openContract(page);
    await page.locator("#contract-pane .cm-content").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText("{}");
    assert.match(await page.locator("#contract-pane .cm-line").nth(2).textContent(), /"\$id": "plumb:quiz"/);
    const names = await page.locator("#contract-choice optgroup").first().locator("option").allTextContents();
    for (const name of ["Flashcards", "Mindmap", "Quiz"]) assert.ok(names.includes(name), names.join());
    await chooseContract(page, "mindmap");
    await page.waitForFunction(
      () => document.querySelector(".problem .message")?.textContent === "Missing 'root' field",
    );
  }));

test("a copy of a built-in contract can be edited and judges at once", () =>
  kit.visit({}, async (page) => {
    await editCopy(page);
    await focusIs(page, "#contract-pane .cm-content");
    await write(page, "contract", builtIn("quiz").replace('"minItems": 4', '"minItems": 3'));
    await page.waitForFunction(() => document.querySelectorAll(".problem").length === 2);
    assert.ok(!(await messages(page)).some((message) => message.includes("at least")));
  }));

test("what is wrong with an own contract is shown at its place", () =>
  kit.visit({}, async (page) => {
    await editCopy(page);
    await write(page, "contract", '{\n  "type": "object",\n  "properties": {\n    "a": { "minItems": "four" }\n  }\n}');
    await settled(page, "The contract is not valid");
    assert.match(await page.locator("#contract-pane .foot-error").textContent(), /minItems/);
    assert.notEqual(await markedText(page, "contract", 0), "");
    assert.equal(await page.locator("#contract-pane .cm-gutterElement.pl-error").textContent(), "4");
    await page.getByLabel("Artifact, JSON").focus();
    await page.getByRole("button", { name: "Go to line 4" }).click();
    await focusIs(page, "#contract-pane .cm-content");
    await cursorIs(page, "contract", 4);

    await write(page, "contract", '{\n  "type": "object",,\n}');
    await page.waitForFunction(
      () => document.querySelector("#contract-pane .cm-gutterElement.pl-error")?.textContent === "2",
    );
    await settled(page, "The contract is not valid");

    await write(page, "contract", '{ "type": "object" }');
    await settled(page, "Accept");
    assert.equal(await page.locator("#contract-pane .pl-mark").count(), 0);
  }));

test("an own text is never taken for the name of a contract", () =>
  kit.visit({}, async (page) => {
    await editCopy(page);
    await write(page, "contract", "quiz");
    await settled(page, "The contract is not valid");
    await write(page, "contract", "false");
    await settled(page, "Revise");
  }));

test("a contract reads the context; a context that is no JSON is refused at its place", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "reply-context", "Revise");
    const all = await messages(page);
    assert.ok(all.includes("Order 3: 'A-9999' is none of the customer's orders"), all.join("\n"));
    await openContract(page);
    assert.match(await page.locator("#contract-pane .pane-foot").textContent(), /context:\/orders/);
    await write(page, "context", '{ "orders": ["A-1041", "A-1077", "A-9999"] }');
    await page.waitForFunction(
      () => ![...document.querySelectorAll(".problem .message")].some((one) => one.textContent.includes("A-9999")),
    );
    await write(page, "context", '{\n  "orders": [,]\n}');
    await settled(page, "The context is not valid");
    assert.equal(await page.locator("#context-body .cm-gutterElement.pl-error").textContent(), "2");
    // Closed, the context is not given: the rule is undecided and says what it wants.
    await page.getByRole("button", { name: "Context", exact: true }).click();
    await page.locator(".undecided", { hasText: "context:/orders" }).waitFor();
  }));

test("files can be dropped on the contract and on the artifact", () =>
  kit.visit({}, async (page) => {
    const drop = (selector, name, text) =>
      page.evaluate(
        ([wanted, fileName, content]) => {
          const data = new DataTransfer();
          data.items.add(new File([content], fileName, { type: "application/json" }));
          const target = document.querySelector(wanted);
          target.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true }));
          target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        },
        [selector, name, text],
      );
    await drop("#artifact-pane .cm-content", "a.json", '{"n": 3}');
    await page.waitForFunction(
      () => document.querySelector(".problem .message")?.textContent === "Missing 'questions' field",
    );
    await openContract(page);
    await drop("#contract-pane .cm-content", "c.json", '{"properties": {"n": {"maximum": 2}}}');
    await page.waitForFunction(() => document.querySelector(".problem .chip")?.textContent === "maximum");
    assert.equal(await page.locator("#contract-choice").inputValue(), "");
    await drop(".top", "nowhere.json", "{}");
    assert.equal(await verdictTitle(page), "Revise");
  }));

test("bytes that are no UTF-8 and mixed line ends are said", () =>
  kit.visit({}, async (page) => {
    const open = (bytes) =>
      page.setInputFiles("#artifact-pane input[type=file]", {
        name: "odd.json",
        mimeType: "application/json",
        buffer: Buffer.from(bytes),
      });
    await open([0x22, 0xff, 0x22]);
    await page.locator(".notice", { hasText: "not valid UTF-8" }).waitFor();
    await open('{\r\n"a": 1,\n"b": 2}');
    await page.locator(".notice", { hasText: "mixes line endings" }).waitFor();
    await open('{\r\n"a": 1}');
    await page.locator(".notice").waitFor({ state: "detached" });
  }));
