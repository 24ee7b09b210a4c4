import { strict as assert } from "node:assert";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { chooseExample, editCopy, messages, offlineReady, settled, setUp, web, write } from "./support.mjs";

const kit = setUp({ serviceWorkers: "allow" });

test("after it has loaded the page asks nobody for anything", () =>
  kit.visit({}, async (page) => {
    await offlineReady(page);
    await page.waitForTimeout(300);
    const before = [...kit.site.asked];
    assert.ok(
      before.some((path) => path.endsWith(".wasm")),
      before.join(),
    );
    await chooseExample(page, "mindmap-cycle", "Revise");
    await write(page, "artifact", '{"questions": []}');
    await editCopy(page);
    await write(page, "contract", '{ "$ref": "https://example.com/schema.json" }');
    await settled(page, "The contract is not valid");
    await page.getByRole("button", { name: /theme/ }).click();
    await page.waitForTimeout(300);
    // What helps with a contract of one's own is fetched when there is one.
    const asked = kit.site.asked.filter((path) => !/plumb-author-/.test(path));
    assert.deepEqual(asked, before);
  }));

test("what was written is kept in the history of this browser, and nowhere else", () =>
  kit.visit({}, async (page) => {
    await write(page, "artifact", '{"secret": "tell nobody"}');
    await page.waitForFunction(() => localStorage.getItem("plumbline-history")?.includes("tell nobody"));
    const kept = await page.evaluate(async () =>
      JSON.stringify([
        { ...localStorage, "plumbline-history": "", "plumbline-last": "" },
        { ...sessionStorage, "plumbline-last": "" },
        document.cookie,
        location.href,
        await indexedDB.databases(),
        await caches.keys(),
      ]),
    );
    assert.ok(!kept.includes("secret") && !kept.includes("nobody"), kept);
  }));

test("no inline script, no other origin, no eval in what was built", () => {
  const html = readFileSync(join(web, "index.html"), "utf8");
  assert.match(html, /script-src 'self' 'wasm-unsafe-eval'/);
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)/);
  assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//);
});

test("the page without the modules weighs at most 216 KB gzip, and a view that is loaded later at most its own bound", () => {
  const files = readdirSync(web, { recursive: true }).map((name) => join(web, String(name)));
  const weigh = (wanted) =>
    files
      .filter((file) => !["docs", "embed", "examples"].includes(relative(web, file).split(sep)[0]))
      .filter((file) => statSync(file).isFile() && !/\.(wasm|map|br|gz)$/.test(file))
      .filter((file) => wanted(/[/\\](\w+_view|runs_worker|story_worker|story|server|state|runs_place|research_gates|story_lighthouse|discovery_example|budget|via_proxy|kept|listed|asker)-[^/\\]*$/.exec(file)?.[1]))
      .map((file) => gzipSync(readFileSync(file), { level: 9 }).length)
      .reduce((sum, size) => sum + size, 0) / 1024;
  const page = weigh((view) => view === undefined);
  assert.ok(page <= 216, `${page.toFixed(1)} KB`);
  assert.ok(page > 20, "the files were found");
  // `budget`, `server` and `state` (of runs) are what views share.
  const bounds = [
    ["runs_place", 5],
    ["runs_view", 27],
    ["state", 7],
    ["server", 2],
    ["research_view", 10],
    ["research_gates", 48],
    ["discovery_view", 11],
    ["discovery_example", 4],
    ["server_view", 7],
    ["budget_view", 16],
    ["budget", 2.8],
    ["story_view", 9],
    ["runs_worker", 1.5],
    ["story_worker", 1.5],
    ["story", 2.5],
    ["story_lighthouse", 30],
    ["intake_view", 20.8],
    ["via_proxy", 4],
    ["kept", 1],
    ["listed", 1.2],
    ["asker", 3],
  ];
  for (const [name, most] of bounds) {
    const size = weigh((view) => view === name);
    assert.ok(size <= most && size > 0.5, `${name}: ${size.toFixed(1)} KB`);
  }
});

test("without its module the page says so, and tries again when asked", async () => {
  kit.site.refused.add(".wasm");
  try {
    await kit.visit({ ready: false, expectErrors: true }, async (page) => {
      await settled(page, "Checker not loaded");
      assert.match(await page.locator(".verdict-words .sense").textContent(), /503/);
      kit.site.refused.clear();
      await page.getByRole("button", { name: "Retry" }).click();
      await settled(page, "Revise");
      assert.equal((await messages(page)).length, 3);
    });
  } finally {
    kit.site.refused.clear();
  }
});
