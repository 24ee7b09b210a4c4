// The views of Intake and of roles, and <plumb-intake> in pages of other people.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { axe, offlineReady, setUp, web } from "./support.mjs";

const kit = setUp();
const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

const inElement = (page, ask, more) => page.locator("plumb-intake").evaluate(ask, more);
const verdictIs = (page, decision) =>
  page.waitForFunction((wanted) => document.querySelector("plumb-intake")?.verdict?.decision === wanted, decision);
const outcomes = (page) =>
  page.locator(".role-card .lines li").evaluateAll((all) => all.map((one) => `${one.dataset.rule} ${one.dataset.outcome}`));
const gatesShow = (page, text) => page.locator(".role-card", { hasText: text }).waitFor();

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

test("roles: a researcher's decision shows its gates, its labels and what its history measures", () =>
  kit.visit({ path: "/#roles", ready: false }, async (page) => {
    await gatesShow(page, "Blocked");
    const lines = await outcomes(page);
    for (const one of ["query-not-vague broken", "query-specific broken", "missing-named broken", "stop-discipline broken"]) {
      assert.ok(lines.includes(one), `${one} in ${lines}`);
    }
    assert.ok(lines.includes("query-natural holds"));
    assert.deepEqual(await page.locator(".role-card td[data-delta]").allTextContents(), ["progress", "no_change", "no_change"]);
    assert.match(await page.locator(".role-card .labels").textContent(), /evidence deltano_change/);
    await page.getByText("What goes back to the model").click();
    assert.match(await page.locator(".role-card pre").textContent(), /"result": "validation_failed"[^]*Reject and require it/);
  }));

test("roles: each role shows its own gates, and a decision that is mended passes them", () =>
  kit.visit({ path: "/#roles", ready: false }, async (page) => {
    await gatesShow(page, "Blocked");
    for (const [title, broken] of [
      ["Planner", "standalone broken"],
      ["Search", "sources-present broken"],
      ["Intake", "one-tool-call broken"],
    ]) {
      await page.getByRole("button", { name: title, exact: true }).last().click();
      await page.waitForFunction(
        (wanted) =>
          [...document.querySelectorAll(".role-card .lines li")].some(
            (one) => `${one.dataset.rule} ${one.dataset.outcome}` === wanted,
          ),
        broken,
      );
    }
    await page.getByLabel("Decision, as JSON").fill('[{"tool":"textInput","arguments":{"message":"Which year do you mean?"}}]');
    await gatesShow(page, "Passes its gates");
    await page.getByLabel("Context: the history it was made from").fill("{");
    await page.locator(".role-card .notice").waitFor();
    await page.getByLabel("Context: the history it was made from").fill("");
    await gatesShow(page, "Passes its gates");
  }));

test("roles: an address leads to its decision, also one that was cut off", async () => {
  let hash = "";
  await kit.visit({ path: "/#roles", ready: false }, async (page) => {
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await gatesShow(page, "Sources are present");
    await page.waitForFunction(() => location.hash.length > 40);
    hash = await page.evaluate(() => location.hash);
  });
  await kit.visit({ path: `/${hash}`, ready: false }, (page) => gatesShow(page, "Sources are present"));
  await kit.visit({ path: `/${hash.slice(0, -9)}`, ready: false }, (page) => gatesShow(page, "Query is not vague"));
});

for (const view of ["intake", "roles"]) {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of screens) {
      test(`${view}: nothing stands against it for everybody, ${colorScheme}, ${viewport.width} wide`, () =>
        kit.visit({ path: `/#${view}`, ready: false, colorScheme, viewport }, async (page) => {
          if (view === "intake") await verdictIs(page, "block");
          else await gatesShow(page, "Blocked");
          assert.deepEqual(await axe(page), []);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${wide} pixels too wide`);
          const shots = process.env.PLUMB_SHOTS;
          if (shots) await page.screenshot({ path: join(shots, `${view}_${colorScheme}_${viewport.width}.png`) });
        }));
    }
  }
}

test("both views work offline once the page has been there", () =>
  kit.visit({}, async (page) => {
    await offlineReady(page);
    kit.site.down = true;
    try {
      await page.getByRole("button", { name: "Intake", exact: true }).click();
      await verdictIs(page, "block");
      await page.getByRole("button", { name: "Roles", exact: true }).click();
      await gatesShow(page, "Blocked");
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
