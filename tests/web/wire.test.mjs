// What goes over the wire from `plumb serve` to a browser whose cache is empty, counted byte by byte on its way.
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { openContract, plumb, setUp, settled, web } from "./support.mjs";

const kit = setUp();
const firstVerdictBytesMax = 400_000;

function addressOf(child) {
  return new Promise((found, failed) => {
    let said = "";
    const timer = setTimeout(() => failed(new Error(`plumb serve does not say where it is:\n${said}`)), 20_000);
    child.stdout.on("data", (text) => {
      said += text;
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
      if (port === null) return;
      clearTimeout(timer);
      found(Number(port[1]));
    });
  });
}

async function served(body) {
  const folder = mkdtempSync(join(tmpdir(), "plumb-wire-"));
  const server = spawn(plumb, ["serve", "--port", "0", "--web", web, "--store", join(folder, "runs.db")], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const counted = { bytes: 0, paths: [] };
  let relay;
  try {
    const port = await addressOf(server);
    relay = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      near.on("data", (bytes) => {
        counted.paths.push(...[...bytes.toString("latin1").matchAll(/^GET (\S+) HTTP/gm)].map((found) => found[1]));
        far.write(bytes);
      });
      far.on("data", (bytes) => {
        counted.bytes += bytes.length;
        near.write(bytes);
      });
      for (const [one, other] of [[near, far], [far, near]]) {
        one.on("close", () => other.destroy());
        one.on("error", () => other.destroy());
      }
    });
    await new Promise((listening) => relay.listen(0, "127.0.0.1", listening));
    await body(`http://127.0.0.1:${relay.address().port}/`, counted);
  } finally {
    relay?.close();
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the first verdict needs less than 400 KB, and what is not needed for it waits until it is used", () =>
  served(async (address, counted) => {
    const context = await kit.browser.newContext({ viewport: { width: 1280, height: 800 } });
    try {
      const page = await context.newPage();
      const answers = new Map();
      page.on("response", (response) => answers.set(new URL(response.url()).pathname, response.headers()));
      await page.goto(address);
      await settled(page, "Revise");
      const { bytes } = counted;
      assert.ok(bytes > 100_000 && bytes < firstVerdictBytesMax, `${bytes} bytes: ${counted.paths.join(" ")}`);
      const module = [...answers].find(([path]) => /plumb-check-.*\.wasm$/.test(path));
      const script = [...answers].find(([path]) => /\/index-.*\.js$/.test(path));
      assert.equal(script?.[1]["content-encoding"], "br");
      if (module) assert.equal(module[1]["content-type"], "application/wasm");
      // The service worker comes after it, and takes no module that nobody has used.
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      const later = (path) => /plumb-(?!check)/.test(path);
      assert.deepEqual(counted.paths.filter(later), []);
      await openContract(page);
      await page.getByRole("tab", { name: "Lint" }).click();
      await page.locator(".view-bar .fact", { hasText: /lint finding/ }).waitFor();
      assert.equal(counted.paths.filter(later).length, 1, counted.paths.join(" "));
    } finally {
      await context.close();
    }
  }));
