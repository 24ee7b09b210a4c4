import { strict as assert } from "node:assert";
import { test } from "node:test";

import {
  activeIs,
  axe,
  chooseExample,
  cursorIs,
  focusIs,
  hasFocus,
  openContract,
  settled,
  setUp,
  verdictTitle,
  write,
} from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at 1280 px, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      assert.deepEqual(await axe(page), [], "with problems");
      await page.keyboard.press("F8");
      assert.deepEqual(await axe(page), [], "with an active problem");
      await page.locator("#artifact-pane .pl-squiggle", { hasText: "Chloroplasts" }).hover();
      await page.locator(".pl-hover").waitFor();
      assert.deepEqual(await axe(page), [], "with a card");
      await page.mouse.move(2, 2);
      await chooseExample(page, "quiz-repaired", "Accept");
      assert.deepEqual(await axe(page), [], "without problems");
      await chooseExample(page, "reply-context", "Revise");
      assert.deepEqual(await axe(page), [], "with a context");
      await write(page, "contract", "{");
      await settled(page, "The contract is not valid");
      assert.deepEqual(await axe(page), [], "with a contract refused");
      await write(page, "contract", "{}");
      await write(page, "artifact", "");
      await settled(page, "Nothing to check yet");
      assert.deepEqual(await axe(page), [], "empty");
      for (const name of ["Tools", "Help"]) {
        await page.getByRole("button", { name, exact: true }).click();
        assert.deepEqual(await axe(page), [], `with ${name}`);
      }
      await page.getByRole("button", { name: "Keyboard" }).click();
      assert.deepEqual(await axe(page), [], "with the dialog");
    }));

  test(`axe finds nothing at 900 px, ${colorScheme}`, () =>
    kit.visit({ colorScheme, viewport: { width: 900, height: 760 } }, async (page) => {
      assert.deepEqual(await axe(page), [], "artifact");
      await openContract(page);
      assert.deepEqual(await axe(page), [], "contract");
    }));

  test(`axe finds nothing at 390 px, ${colorScheme}`, () =>
    kit.visit({ ...phone, colorScheme }, async (page) => {
      for (const name of ["Artifact", "Verdict"]) {
        await page.getByRole("tab", { name }).click();
        assert.deepEqual(await axe(page), [], name);
      }
      await openContract(page);
      assert.deepEqual(await axe(page), [], "Contract");
      await page.getByRole("button", { name: "Close the contract" }).click();
      await page.getByRole("button", { name: "Next problem" }).click();
      assert.deepEqual(await axe(page), [], "at a problem");
    }));
}

test("everything can be done with the keyboard alone", () =>
  kit.visit({}, async (page) => {
    const press = async (key, times = 1) => {
      for (let i = 0; i < times; ++i) await page.keyboard.press(key);
    };
    const tabTo = async (selector) => {
      for (let i = 0; i < 60; ++i) {
        if (await hasFocus(page, selector)) return;
        await press("Tab");
      }
      assert.fail(`Tab does not lead to ${selector}`);
    };
    // The skip link is the first stop, and is seen.
    await page.bringToFront();
    await page.waitForFunction(() => document.hasFocus() && document.activeElement === document.body);
    await press("Tab");
    const skip = page.locator(".skips a").first();
    await focusIs(page, ".skips a");
    assert.ok((await skip.boundingBox()).y >= 0);
    await press("Enter");
    await focusIs(page, "#artifact-pane");

    // Next and previous problem, around both ends.
    await press("F8");
    await activeIs(page, "Question 1: ");
    await cursorIs(page, "artifact", 5);
    await press("F8", 2);
    await cursorIs(page, "artifact", 21);
    await press("F8");
    await cursorIs(page, "artifact", 5);
    await press("Shift+F8");
    await cursorIs(page, "artifact", 21);

    // Tab leaves an editor; the list is one stop, with arrow keys inside.
    await tabTo(".problem-head");
    await activeIs(page, "Question 2: correct_answer");
    await press("Home");
    await activeIs(page, "Question 1: ");
    await press("ArrowDown");
    await activeIs(page, "Question 2: Options must be unique");
    await press("Enter");
    await focusIs(page, "#artifact-pane .cm-content");
    await cursorIs(page, "artifact", 15);

    // The link to the rule.
    await tabTo(".problem.active .details .link");
    await press("Enter");
    await focusIs(page, "#contract-pane .cm-content");

    // Another example, from the select.
    await tabTo("#artifact-pane select");
    const wanted = await page.locator("#artifact-pane select").evaluate((select) => {
      const names = [...select.options].map((option) => option.text);
      return names.findIndex((name) => name.startsWith("Mindmap, clean")) - select.selectedIndex;
    });
    await press(wanted < 0 ? "ArrowUp" : "ArrowDown", Math.abs(wanted));
    await settled(page, "Accept");

    // The bars between the panes, the theme, the dialog.
    await tabTo(".splitter[aria-controls=contract-pane]");
    const before = await page.locator("#contract-pane").evaluate((pane) => pane.clientWidth);
    await press("ArrowRight", 3);
    await page.waitForFunction((was) => document.querySelector("#contract-pane").clientWidth > was + 40, before);
    await page.keyboard.press("?");
    await page.locator("dialog.help").waitFor({ state: "visible" });
    await press("Escape");
    await page.locator("dialog.help").waitFor({ state: "hidden" });
  }));

test("the focus can always be seen", () =>
  kit.visit({}, async (page) => {
    const unseen = [];
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press("Tab");
      // An editor learns of its focus a moment later.
      await page
        .waitForFunction(
          () => {
            const editor = document.activeElement?.closest(".cm-content")?.closest(".cm-editor");
            return !editor || getComputedStyle(editor, "::after").borderTopWidth !== "0px";
          },
          null,
          { timeout: 5000 },
        )
        .catch(() => {});
      const told = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        if (element.closest(".cm-content")) {
          const ring = getComputedStyle(element.closest(".cm-editor"), "::after");
          return ring.borderTopWidth !== "0px" ? "" : "editor";
        }
        if (element.classList.contains("splitter")) {
          return getComputedStyle(element, "::before").height === "64px" ? "" : "splitter";
        }
        const style = getComputedStyle(element);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
          ? ""
          : element.outerHTML.slice(0, 120);
      });
      if (told === null) break;
      if (told !== "") unseen.push(told);
    }
    assert.deepEqual(unseen, []);
  }));

test("the verdict is told to screen readers once it has settled", () =>
  kit.visit({}, async (page) => {
    const status = page.locator("#app > [role=status]");
    await page.waitForFunction(() => document.querySelector("#app > [role=status]").textContent === "Revise: 3 errors");
    await chooseExample(page, "quiz-repaired", "Accept");
    await page.waitForFunction(
      () => document.querySelector("#app > [role=status]").textContent === "Accept: no problems",
    );
    assert.equal(await status.count(), 1);
    for (const role of ["banner", "main"]) assert.equal(await page.getByRole(role).count(), 1, role);
    await openContract(page);
    for (const name of ["Contract", "Artifact", "Verdict"]) {
      assert.equal(await page.getByRole("region", { name, exact: true }).count(), 1, name);
    }
  }));

test("the theme follows the system until it is chosen, and the choice is kept", () =>
  kit.visit({ colorScheme: "dark" }, async (page) => {
    const lightness = () =>
      page.evaluate(() =>
        getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).slice(0, 3).map(Number),
      );
    assert.ok(Math.max(...(await lightness())) < 60, "dark as the system says");
    await page.getByRole("button", { name: "Use the light theme" }).click();
    assert.ok(Math.min(...(await lightness())) > 200, "light when chosen");
    await page.reload();
    await settled(page);
    assert.ok(Math.min(...(await lightness())) > 200, "light again after a reload");
    await page.getByRole("button", { name: "Use the dark theme" }).click();
    assert.ok(Math.max(...(await lightness())) < 60);
    await page.emulateMedia({ colorScheme: "light" });
    assert.ok(Math.max(...(await lightness())) < 60, "a choice outlasts the system");
  }));

test("at 390 px there is one pane at a time, a summary at the foot, and nothing is cut off", () =>
  kit.visit(phone, async (page) => {
    const width = () => page.evaluate(() => document.scrollingElement.scrollWidth);
    for (const name of ["Contract", "Artifact", "Verdict"]) {
      if (name === "Contract") {
        await openContract(page);
      } else {
        if (await page.locator("#contract-pane").isVisible()) await page.getByRole("button", { name: "Close the contract" }).click();
        await page.getByRole("tab", { name }).click();
        assert.equal(await page.getByRole("tab", { name }).getAttribute("aria-selected"), "true");
      }
      assert.ok((await width()) <= 390, `${name} is ${await width()} px wide`);
      assert.ok(await page.locator(`#${name.toLowerCase()}-pane`).isVisible());
      assert.equal(await page.locator(".pane:visible").count(), 1);
      const summary = await page.locator(".summary").boundingBox();
      assert.ok(summary.y + summary.height <= 844 + 1, "the summary is at the foot");
    }
    assert.match(await page.locator(".summary").textContent(), /Revise: 3 errors/);
    await page.getByRole("button", { name: "Next problem" }).click();
    assert.ok(await page.locator("#artifact-pane").isVisible());
    await page.locator(".summary-text", { hasText: "Question 1: Must have at least 4 options (has 3)" }).waitFor();
    await page.getByRole("button", { name: "Previous problem" }).click();
    await page.locator(".summary-text", { hasText: "correct_answer" }).waitFor();
    await page.locator(".summary-text").click();
    assert.equal(await verdictTitle(page), "Revise");
    await page.locator(".problem-head").first().click();
    assert.ok(await page.locator("#artifact-pane").isVisible());
    const small = await page.evaluate(() =>
      [...document.querySelectorAll("button, select")]
        .filter((one) => one.offsetParent !== null && !one.classList.contains("link"))
        .filter((one) => one.getBoundingClientRect().height < 32)
        .map((one) => one.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(small, [], "fingers need room");
  }));

test("with forced colours what is chosen is told apart from what beside it is not, in every place", () =>
  kit.visit({ forcedColors: "active", path: "/" }, async (page) => {
    // Of all that is chosen and seen: what looks the same as something of its kind beside it that is not.
    const alike = () =>
      page.evaluate(() => {
        const chosen =
          '[aria-current]:not([aria-current="false"]), [aria-pressed="true"], [aria-selected="true"], label:has(input[type="radio"]:checked)';
        const looks = (one) => {
          const { outlineStyle, outlineWidth, borderTopColor, borderTopWidth, borderTopStyle } = getComputedStyle(one);
          const mark = one.querySelector('input[type="radio"]');
          const seen = mark !== null && getComputedStyle(mark).opacity !== "0" ? `radio ${mark.checked}` : "";
          return [outlineStyle, outlineWidth, borderTopColor, borderTopWidth, borderTopStyle, seen].join(" ");
        };
        const found = [];
        for (const one of document.querySelectorAll(chosen)) {
          if (!one.checkVisibility()) continue;
          const within = one.closest("ul, ol, nav, fieldset, table, [role]:not(button, a, li)") ?? one.parentElement;
          const others = [...within.querySelectorAll(one.localName)].filter(
            (other) =>
              !other.matches(chosen) &&
              (other.parentElement === one.parentElement || other.className.split(" ")[0] === one.className.split(" ")[0]),
          );
          if (others.some((other) => looks(other) === looks(one))) found.push(one.outerHTML.slice(0, 120));
        }
        return found;
      });
    const place = async (hash, ready, example = false) => {
      await page.evaluate((to) => (location.hash = to), hash);
      if (example) await page.getByRole("button", { name: "Example" }).first().click();
      await page.locator(ready).first().waitFor();
      assert.deepEqual(await alike(), [], hash);
    };
    await openContract(page);
    await page.keyboard.press("F8");
    assert.deepEqual(await alike(), [], "check");
    await place("runs", ".kinds label.on");
    await page.getByText("Research", { exact: true }).first().click();
    assert.deepEqual(await alike(), [], "another kind of run");
    await place("discovery", ".opportunity[aria-current]", true);
    await place("story", '.story-row [aria-current="location"]', true);
    await place("budget", "plumb-budget");
  }));
