// Strings of every kind in Node, whose older versions have no string builtins for modules, and in Chromium, which has.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import { judgeStrings } from "./string_cases.mjs";
import { here, importPackage, npm, within } from "./support.mjs";

test("strings are judged as they are: in Node", async () => {
  const { load } = await importPackage();
  assert.ok(judgeStrings(await load()) > 300);
});

test("strings are judged as they are: in Chromium, by way of its string builtins", async () => {
  const server = await serve(
    { "/npm/": join(npm, "dist"), "/": here },
    {
      "/": `<!doctype html><meta charset="utf-8"><title>t</title><script type="module">
        import { load } from "/npm/index.js";
        import { judgeStrings } from "/string_cases.mjs";
        import { unitsCopier } from "/npm/string_units.js";
        const copies = unitsCopier(new WebAssembly.Memory({ initial: 1 })) !== undefined;
        load().then((plumb) => { globalThis.result = [copies, judgeStrings(plumb)]; })
          .catch((error) => { globalThis.failed = String(error); });
      </script>`,
    },
  );
  const browser = await startBrowser();
  try {
    const page = await browser.context.newPage();
    await page.goto(`${server.origin}/`);
    await page.waitForFunction("globalThis.result || globalThis.failed", undefined, { timeout: 60_000, polling: 100 });
    const [failed, result] = await within(60_000, "the page's result", page.evaluate("[globalThis.failed, globalThis.result]"));
    assert.equal(failed, undefined);
    assert.equal(result[0], true, "Chromium has string builtins");
    assert.ok(result[1] > 300);
  } finally {
    await browser.close();
    await server.close();
  }
});
