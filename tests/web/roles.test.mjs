// Roles as contracts in Check, the form of Intake, and <plumb-intake> in pages of other people.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { axe, builtIn, chooseContract, offlineReady, settled, setUp, web, write, until } from "./support.mjs";

const kit = setUp();
const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

const inElement = (page, ask, more) => page.locator("plumb-intake").evaluate(ask, more);
const verdictIs = (page, decision) =>
  page.waitForFunction((wanted) => document.querySelector("plumb-intake")?.verdict?.decision === wanted, decision);

test("intake: the scorecard fills as one types, and a good objective leaves nothing to ask", () =>
  kit.visit({ path: "/#intake", ready: false }, async (page) => {
    await page.locator("plumb-intake").waitFor();
    await verdictIs(page, "block");
    assert.match(await page.locator("plumb-intake .question").textContent(), /^What about electric cars in Norway do you/);
    assert.equal(await page.locator("plumb-intake .line[data-outcome=broken]").count(), 2);
    await page.getByLabel("Objective").fill("How many electric cars were sold in Norway in 2023?");
    await page.getByLabel("Criterion 2", { exact: true }).fill("The number is stated in cars.");
    await verdictIs(page, "accept");
    assert.equal(await page.locator("plumb-intake .ask").isVisible(), false);
    assert.equal(await page.locator("plumb-intake .line[data-outcome=broken]").count(), 0);
    await page.getByRole("button", { name: "Copy as a tool call" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())), {
      tool: "startResearch",
      arguments: {
        objective: "How many electric cars were sold in Norway in 2023?",
        successCriteria: ["At least three sources from 2023 or later are cited.", "The number is stated in cars."],
      },
    });
  }));

test("intake: two sentences become a choice of which is meant, and a constraint that is left out is asked for", () =>
  kit.visit({ path: "/#intake", ready: false }, async (page) => {
    await page.getByLabel("Objective").fill("Find the price of the Model 3. Compare it with the ID.4.");
    await page.locator("plumb-intake .options li").first().waitFor();
    assert.deepEqual(await page.locator("plumb-intake .options li").allTextContents(), [
      "Find the price of the Model 3.",
      "Compare it with the ID.4.",
    ]);
    await page.getByLabel("Criterion 2", { exact: true }).fill("The price is given with its date.");
    await page.getByLabel("Objective").fill("Find the price of the Model 3 in Graz.");
    await page.getByLabel(/^Constraints/).fill("Graz, in 2024");
    await page.locator("plumb-intake .question", { hasText: "limited to in 2024" }).waitFor();
  }));

test("intake: what stands in the fields stands in the address, and comes back with it", () =>
  kit.visit({ path: "/#intake", ready: false }, async (page) => {
    await page.getByLabel("Objective").fill("Wie hoch war der Strompreis in Österreich 2023? 🐙");
    await page.getByRole("button", { name: "Add a criterion" }).click();
    await page.getByLabel("Criterion 3", { exact: true }).fill("Preis in Euro");
    await page.waitForFunction(() =>
      atob(location.hash.slice("#intake/".length).replace(/-/g, "+").replace(/_/g, "/")).includes("Preis in Euro"),
    );
    await page.reload();
    await verdictIs(page, "block");
    assert.equal(await page.getByLabel("Objective").inputValue(), "Wie hoch war der Strompreis in Österreich 2023? 🐙");
    assert.equal(await page.getByLabel("Criterion 3", { exact: true }).inputValue(), "Preis in Euro");
  }));

test("intake: a criterion can be added and removed with the keyboard, four at most", () =>
  kit.visit({ path: "/#intake", ready: false }, async (page) => {
    await verdictIs(page, "block");
    const add = page.getByRole("button", { name: "Add a criterion" });
    await add.focus();
    await page.keyboard.press("Enter");
    assert.equal(await inElement(page, (one) => one.shadowRoot.activeElement.getAttribute("aria-label")), "Criterion 3");
    await add.focus();
    await page.keyboard.press("Enter");
    assert.equal(await add.isDisabled(), true);
    await page.getByRole("button", { name: "Remove criterion 4" }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("plumb-intake .criterion").count(), 3);
    assert.equal(await inElement(page, (one) => one.shadowRoot.activeElement.textContent), "Add a criterion");
  }));

test("intake: the form opens in Check, under its contract, with its constraints as the context", () =>
  kit.visit({ path: "/#intake", ready: false }, async (page) => {
    await verdictIs(page, "block");
    await page.getByLabel(/^Constraints/).fill("Graz");
    await page.getByRole("button", { name: "Open in Check" }).click();
    await settled(page, "Block");
    assert.equal(await page.locator("#contract-choice").inputValue(), "intake");
    assert.match(await page.locator("#context-body .cm-content").textContent(), /Graz/);
    assert.match(await page.locator("#artifact-pane > .editor-host .cm-content").textContent(), /startResearch/);
    await page.getByRole("link", { name: "Fill in a form" }).click();
    await page.locator("plumb-intake").waitFor();
  }));

const line = (page, title) => page.locator(".scorecard li", { hasText: title });

test("roles are contracts in Check: one brings its example with its context, gates, labels and what the history measures", () =>
  kit.visit({}, async (page) => {
    const roles = await page.locator('#contract-choice optgroup[label="Roles of a research loop"] option').allTextContents();
    assert.equal(roles.length, 4, roles.join());
    await chooseContract(page, "researcher-evaluate");
    await settled(page, "Block");
    for (const [title, word] of [
      ["query-not-vague", "Fails"],
      ["query-specific", "Fails"],
      ["missing-named", "Fails"],
      ["stop-discipline", "Fails"],
      ["query-natural", "Passes"],
    ]) {
      const rule = titleOf("researcher-evaluate", title);
      assert.equal(await line(page, rule).first().locator(".out-word").textContent(), word, rule);
    }
    assert.match(await page.locator("#context-body .cm-content").textContent(), /history/);
    await page.locator(".history-table td[data-delta]").first().waitFor();
    assert.deepEqual(await page.locator(".history-table td[data-delta]").allTextContents(), ["progress", "no change", "no change"]);
    assert.match(await page.locator(".verdict-body .labels").textContent(), /evidence_delta\s*no_change/);
    await page.locator(".verdict-meta select").selectOption("llm");
    await until(page, async () => (await navigator.clipboard.readText()).includes("validation_failed"));
  }));

test("roles: each shows its own gates, and a decision that is mended passes them", () =>
  kit.visit({}, async (page) => {
    for (const [name, rule] of [
      ["brain-evaluate", "standalone"],
      ["search", "sources-present"],
      ["intake", "one-tool-call"],
    ]) {
      await chooseContract(page, name);
      await line(page, titleOf(name, rule)).filter({ hasText: "Fails" }).first().waitFor();
    }
    await write(page, "artifact", '[{"tool":"textInput","arguments":{"message":"Which year do you mean?"}}]');
    await page.waitForFunction(() => /^Accept/.test(document.querySelector(".verdict-words h2")?.textContent ?? ""));
    await write(page, "context", "{");
    await settled(page, "The context is not valid");
    await write(page, "context", "");
    await page.waitForFunction(() => /^Accept/.test(document.querySelector(".verdict-words h2")?.textContent ?? ""));
  }));

test("roles: an own decision stays when its contract is chosen, and the context opens for it", () =>
  kit.visit({}, async (page) => {
    await write(page, "artifact", '{"answer": "42", "sources": []}');
    await chooseContract(page, "search");
    await line(page, titleOf("search", "sources-present")).filter({ hasText: "Fails" }).first().waitFor();
    assert.ok(await page.locator("#context-body").isVisible());
  }));

test("roles: an address of before leads to its decision in Check, also one that was cut off", async () => {
  const state = { role: "search", artifact: '{"answer":"No idea.","sources":[]}', context: '{"history":[]}' };
  const hash = `#roles/${Buffer.from(JSON.stringify(state)).toString("base64url")}`;
  await kit.visit({ path: `/${hash}`, ready: false }, async (page) => {
    await line(page, titleOf("search", "sources-present")).filter({ hasText: "Fails" }).first().waitFor();
    assert.match(await page.locator("#artifact-pane > .editor-host .cm-content").textContent(), /No idea/);
  });
  for (const cut of [hash.slice(0, -9), "#roles"]) {
    await kit.visit({ path: `/${cut}`, ready: false }, (page) =>
      line(page, titleOf("researcher-evaluate", "query-not-vague")).first().waitFor(),
    );
  }
});

// A rule's title, wherever in the contract it is.
function titleOf(contract, id) {
  const within = (value) => {
    if (value === null || typeof value !== "object") return undefined;
    if (value.id === id && typeof value.title === "string") return value.title;
    for (const one of Object.values(value)) {
      const found = within(one);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return within(JSON.parse(builtIn(contract)));
}

for (const view of ["intake", "researcher-evaluate"]) {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of screens) {
      test(`${view}: nothing stands against it for everybody, ${colorScheme}, ${viewport.width} wide`, () =>
        kit.visit({ path: view === "intake" ? "/#intake" : "/", ready: false, colorScheme, viewport }, async (page) => {
          if (view === "intake") {
            await verdictIs(page, "block");
          } else {
            await settled(page);
            await chooseContract(page, view);
            await settled(page, "Block");
            if (viewport.width < 700) await page.getByRole("tab", { name: "Verdict" }).click();
          }
          assert.deepEqual(await axe(page), []);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${wide} pixels too wide`);
          const shots = process.env.PLUMB_SHOTS;
          if (shots) await page.screenshot({ path: join(shots, `${view}_${colorScheme}_${viewport.width}.png`) });
        }));
    }
  }
}

test("the form of Intake works offline once the page has been there", () =>
  kit.visit({ serviceWorkers: "allow" }, async (page) => {
    await offlineReady(page);
    kit.site.down = true;
    try {
      await page.getByRole("button", { name: "Tools" }).click();
      await page.getByRole("link", { name: /^Intake form/ }).click();
      await verdictIs(page, "block");
    } finally {
      kit.site.down = false;
    }
  }));

const bareHtml =
  '<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Bare</title>' +
  '<link rel="icon" href="data:,"><script type="module" src="../embed/plumb-intake.js"></script>' +
  '<body><main><h1>Bare</h1><plumb-intake objective="Explore the &lt;b&gt;world&lt;/b&gt; of wine."></plumb-intake></main></body></html>';

test("plumb-intake stands in any page, and tells its verdict", async () => {
  kit.site.replaced.set("/examples/intake.html", bareHtml);
  await kit.visit({ path: "/examples/intake.html", ready: false }, async (page) => {
    await verdictIs(page, "block");
    assert.deepEqual(await inElement(page, (one) => [one.toolCall.tool, one.objective]), [
      "textInput",
      "Explore the <b>world</b> of wine.",
    ]);
    assert.equal(await page.locator("plumb-intake b").count(), 0);
    const heard = await inElement(
      page,
      (one) =>
        new Promise((done) => {
          one.addEventListener("plumb-verdict", ({ detail }) => done(detail.decision), { once: true });
          one.objective = "How many bottles of wine did Austria export in 2022?";
          one.criteria = ["The number of bottles is stated."];
        }),
    );
    assert.equal(heard, "accept");
    assert.deepEqual(await axe(page), []);
  });
  const size = gzipSync(readFileSync(join(web, "embed/plumb-intake.js")), { level: 9 }).length;
  assert.ok(size <= 60 * 1024, `${size} bytes`);
});
