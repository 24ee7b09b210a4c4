import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { axe, chooseExample, messages, offlineReady, setUp, settled, web, write, until } from "./support.mjs";

const kit = setUp({ serviceWorkers: "allow" });

test("after one visit the page works with the network cut and the server gone", () =>
  kit.visit({}, async (page) => {
    await offlineReady(page);
    const first = await messages(page);
    kit.site.down = true;
    try {
      await page.context().setOffline(true);
      await page.reload();
      await settled(page, "Revise");
      assert.deepEqual(await messages(page), first);
      await chooseExample(page, "mindmap-cycle", "Revise");
      await page.locator(".node.faulty").first().waitFor();
      await write(page, "artifact", '{"root": 1}');
      await page.waitForFunction(() => document.querySelectorAll(".problem").length === 1);
      // A link opens, too: what it holds was never on a server.
      await page.getByRole("button", { name: "Share" }).click();
      await page.waitForFunction(() => document.querySelector(".share-text").value !== "");
      const link = await page.locator(".share-text").inputValue();
      const other = await page.context().newPage();
      await other.goto(link);
      await settled(other, "Revise");
      assert.equal((await messages(other)).length, 1);
      await other.close();
    } finally {
      await page.context().setOffline(false);
      kit.site.down = false;
    }
  }));

test("the service worker keeps the page's own files and no others", () =>
  kit.visit({ expectErrors: true }, async (page) => {
    await offlineReady(page);
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(
        names.map(async (name) => (await (await caches.open(name)).keys()).map((one) => one.url)),
      );
      return { names, paths: all.flat().map((url) => new URL(url).pathname) };
    });
    assert.equal(kept.names.length, 1);
    assert.ok(
      kept.paths.includes("/index.html") && kept.paths.some((path) => path.endsWith(".wasm")),
      kept.paths.join(),
    );
    assert.ok(
      kept.paths.every((path) => !/^\/(embed|examples)\//.test(path)),
      kept.paths.join(),
    );
    const answer = await page.evaluate(async () => (await fetch("nothing-of-ours.json")).status).catch(() => 0);
    assert.equal(answer, 404, "what is not the page's is asked of the server");
  }));

test("a newer version is offered, taken when wanted, and the work on the page goes with it", () =>
  kit.visit({}, async (page) => {
    await offlineReady(page);
    const script = readFileSync(join(web, "service_worker.js"), "utf8");
    const version = /const version = "([0-9a-f]{16})"/.exec(script)[1];
    try {
      kit.site.replaced.set("/service_worker.js", script.replace(version, "0123456789abcdef"));
      await write(page, "artifact", '{"questions": [7]}');
      await settled(page, "Revise");
      await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
      await page.locator(".toast", { hasText: "A newer version" }).waitFor();
      assert.deepEqual(await axe(page), []);
      await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Reload" }).click()]);
      await settled(page, "Revise");
      await page.locator("#artifact-pane .cm-line", { hasText: '{"questions": [7]}' }).waitFor();
      await until(page, async () => (await caches.keys()).join() === "plumbline-0123456789abcdef");
      assert.equal(await page.locator(".toast").count(), 0);
    } finally {
      kit.site.replaced.clear();
    }
  }));

test("a file that is not the one of its version is not taken", () =>
  kit.visit({ expectErrors: true }, async (page) => {
    await offlineReady(page);
    const before = await page.evaluate(() => caches.keys());
    const script = readFileSync(join(web, "service_worker.js"), "utf8");
    const version = /const version = "([0-9a-f]{16})"/.exec(script)[1];
    try {
      kit.site.replaced.set("/service_worker.js", script.replace(version, "fedcba9876543210"));
      kit.site.replaced.set("/theme.js", "// changed on its way");
      await page.evaluate(
        () =>
          new Promise((done) => {
            void navigator.serviceWorker.getRegistration().then((registration) => {
              registration.addEventListener("updatefound", () => {
                const { installing } = registration;
                installing.addEventListener("statechange", () => installing.state === "redundant" && done());
              });
              void registration.update().catch(() => undefined);
            });
          }),
      );
      assert.equal(await page.locator(".toast").count(), 0);
      await page.reload();
      await settled(page, "Revise");
      assert.ok((await page.evaluate(() => caches.keys())).includes(before[0]));
    } finally {
      kit.site.replaced.clear();
    }
  }));
