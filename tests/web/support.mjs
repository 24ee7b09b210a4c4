// A static server for the built page, a Chromium to look at it, and ways to ask the page what it shows.
//
// The server sends the strictest policy under which the page is to work, and keeps a list of what was asked for. Every
// page that is opened here fails its test when it raises an error, breaks the policy or asks another origin for
// anything.
import { strict as assert } from "node:assert";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize, resolve } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
export const top = resolve(here, "../..");
export const web = resolve(process.env.PLUMB_WEB ?? join(top, "build/web"));
export const plumb = resolve(process.env.PLUMB_BIN ?? join(top, "build/bin/plumb"));
export const npm = resolve(process.env.PLUMB_NPM ?? join(top, "build/npm"));
// Chromium without a window of its own, which takes less than half of the time; else the whole one.
const shell = "/usr/bin/chromium-headless-shell";
export const chromiumPath = process.env.PLUMB_CHROMIUM ?? (existsSync(shell) ? shell : "/usr/bin/chromium");

// PLUMB_SLOWER=6 gives the page a sixth of the processor: a test that reads what is not there yet is found by it.
const slower = Number(process.env.PLUMB_SLOWER ?? 1);

const require = createRequire(join(top, "web/package.json"));
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const seed = (name) => readFileSync(join(top, "tests/cases/seed", name), "utf8");
export const builtIn = (name) => readFileSync(join(top, "core/contracts", `${name}.json`), "utf8");

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join("; ");

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".json": "application/json",
};

// `asked` is every path that was asked for; a kind of file in `refused` gets the status 503; `replaced` has other texts
// for paths; a site that is `down` answers nothing. What `api` takes (it gives true then) is its own.
export class Site {
  asked = [];
  refused = new Set();
  replaced = new Map();
  down = false;
  api = undefined;
  // Other origins that its policy lets the page call.
  reaches = [];

  async start() {
    this.server = createServer((request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url, "http://page").pathname));
      this.asked.push(path);
      const file = join(web, path.endsWith("/") ? `${path}index.html` : path);
      const other = this.replaced.get(path);
      if (this.api?.(request, response)) {
        // It has answered, or will.
      } else if (this.api !== undefined && (path === "/server.json" || path === "/v1/runs")) {
        // Where there is an interface there is a server that has it.
        response.writeHead(200, { "content-type": "application/json" });
        response.end(path === "/v1/runs" ? '{"runs":[]}' : '{"server":"plumb"}');
      } else if (this.down) {
        request.destroy();
      } else if (this.refused.has(extname(file))) {
        response.writeHead(503).end();
      } else if (other === undefined && (!file.startsWith(web) || !existsSync(file) || !statSync(file).isFile())) {
        response.writeHead(404).end();
      } else {
        response.writeHead(200, {
          "content-type": types[extname(file)] ?? "application/octet-stream",
          "content-security-policy": policy.replace("connect-src 'self'", ["connect-src 'self'", ...this.reaches].join(" ")),
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
        });
        response.end(other ?? readFileSync(file));
      }
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.origin = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections?.();
    return new Promise((done) => this.server.close(done));
  }
}

async function launch() {
  const asRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      ...(asRoot ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

// One site and one browser for the tests of a file. The page's service worker would fetch and keep every file once more in
// each test: only tests about it have it, with `serviceWorkers: "allow"` here or in visit().
export function setUp(everyVisit = {}) {
  const kit = {};
  before(async () => {
    kit.site = await new Site().start();
    kit.browser = await launch();
  });
  after(async () => {
    await kit.browser?.close();
    await kit.site?.stop();
  });

  // Opens the page, runs `body`, and holds it to its promises; `expectErrors` is for tests that break it on purpose.
  kit.visit = async (options, body) => {
    const { expectErrors = false, path = "/", ready = path === "/", ...contextOptions } = options;
    const context = await kit.browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      serviceWorkers: "block",
      ...everyVisit,
      ...contextOptions,
    });
    const wrong = [];
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(kit.site.origin) && !url.startsWith("data:") && !url.startsWith("blob:")) {
        wrong.push(`asks another origin: ${url}`);
      }
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20000 * slower);
    if (slower > 1) {
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
    }
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") wrong.push(`console: ${message.text()}`);
    });
    try {
      await page.goto(kit.site.origin + path);
      if (ready) await settled(page);
      await body(page);
      if (!expectErrors) assert.deepEqual(wrong, []);
    } finally {
      await context.close();
    }
  };
  return kit;
}

// --- Asking and acting ------------------------------------------------------------------------------------------

// Waits until the verdict pane shows a verdict (with this title), and no check is under way.
export async function settled(page, title) {
  await page.waitForFunction((wanted) => {
    const pane = document.querySelector("#verdict-pane");
    if (!pane || pane.classList.contains("busy")) return false;
    const heading = pane.querySelector(".verdict-words h2")?.textContent;
    return wanted === undefined ? pane.querySelector(".tally") !== null : heading === wanted;
  }, title);
}

// Waits until the page's service worker has taken over.
export const offlineReady = (page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) {
      await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
    }
  });

// Until an asynchronous function of the page gives true. (waitForFunction() takes the promise itself for true.)
export async function until(page, wanted, given) {
  for (let tries = 0; tries < 200; tries++) {
    if (await page.evaluate(wanted, given)) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`never came true: ${wanted}`);
}

// Until a file of the page is kept.
export const keptOffline = (page, pattern) =>
  until(
    page,
    async (source) => {
      for (const name of await caches.keys()) {
        const kept = await (await caches.open(name)).keys();
        if (kept.some(({ url }) => new RegExp(source).test(url))) return true;
      }
      return false;
    },
    pattern.source,
  );

export const verdictTitle = (page) => page.locator("#verdict-pane .verdict-words h2").textContent();

export const messages = (page) => page.locator(".problem .message").allTextContents();

export async function chooseExample(page, id, title) {
  await page.selectOption("#artifact-pane .pane-head select", id);
  await settled(page, title);
}

const content = {
  artifact: "#artifact-pane > .editor-host .cm-content",
  contract: "#contract-pane .cm-content",
  context: "#context-body .cm-content",
};

// The contract is in a drawer.
export async function openContract(page) {
  const toggle = page.locator("#contract-toggle");
  if ((await toggle.getAttribute("aria-expanded")) !== "true") await toggle.click();
  await page.locator("#contract-pane").waitFor();
}

export async function editCopy(page) {
  await openContract(page);
  await page.getByRole("button", { name: "Edit a copy" }).click();
}

export async function chooseContract(page, name) {
  await page.selectOption("#contract-choice", name);
}

export async function write(page, role, text) {
  if (role === "contract") await openContract(page);
  await page.locator(content[role]).focus();
  await page.keyboard.press("Control+a");
  if (text === "") await page.keyboard.press("Delete");
  else await page.keyboard.insertText(text);
}

// The text under a finding's mark in an editor, over all its lines.
export function markedText(page, role, id) {
  return page.evaluate(
    ([selector, wanted]) => {
      const lines = [];
      for (const line of document.querySelectorAll(`${selector} .cm-line`)) {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        let text = null;
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          if (node.parentElement.closest(`[data-finding="${wanted}"]`)) text = (text ?? "") + node.data;
        }
        if (text !== null) lines.push(text);
      }
      return lines.join("\n");
    },
    [content[role], String(id)],
  );
}

// The id of the problem whose message is this.
export async function idOf(page, message) {
  const id = await page.locator(".problem-head", { hasText: message }).first().getAttribute("data-problem");
  assert.ok(id, `there is no problem "${message}"`);
  return id;
}

// Waits until the active problem is the one whose message begins so.
export const activeIs = (page, beginning) =>
  page.waitForFunction(
    (wanted) => document.querySelector(".problem.active .message")?.textContent.startsWith(wanted),
    beginning,
  );

// Waits until the cursor is in the line of that number.
export async function cursorIs(page, role, line) {
  const gutter = page.locator(`${content[role]} >> xpath=../..`).locator(".cm-lineNumbers .cm-activeLineGutter");
  await gutter
    .filter({ hasText: new RegExp(`^${line}$`) })
    .waitFor()
    .catch(async () => assert.fail(`the cursor of ${role} is in line ${await gutter.textContent()}, not ${line}`));
}

export const hasFocus = (page, selector) =>
  page.evaluate((wanted) => document.activeElement?.closest(wanted) !== null, selector);

// Waits until the focus is there.
export const focusIs = (page, selector) =>
  page
    .waitForFunction((wanted) => document.activeElement?.closest(wanted) !== null, selector)
    .catch(async () =>
      assert.fail(`the focus is not in ${selector} but at ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))}`),
    );

export async function axe(page) {
  await page.evaluate(axeSource);
  const result = await page.evaluate(() =>
    // eslint-disable-next-line no-undef
    axe.run(document, { resultTypes: ["violations"] }),
  );
  return result.violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.target} ${node.any[0]?.message ?? node.failureSummary}`).join(" | ")}`,
  );
}
