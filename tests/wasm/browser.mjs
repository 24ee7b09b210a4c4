// Chromium, as the tests start it, and a server for what it loads.
import { createServer } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { tool, within } from "./support.mjs";

export const executablePath = process.env.PLUMB_CHROMIUM ?? "/usr/bin/chromium";

export async function startBrowser() {
  const imported = await tool("playwright-core");
  const { chromium } = imported.default ?? imported;
  const stepMs = 60_000;
  const chromiumProcess = await chromium.launchServer({
    executablePath,
    headless: true,
    timeout: stepMs,
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  // A browser that is asked to end and does not, on a machine that is busy, is ended.
  const close = async () => {
    try {
      await within(stepMs, "Chromium ending", chromiumProcess.close());
    } catch {
      await chromiumProcess.kill();
    }
  };
  try {
    const connected = await chromium.connect(chromiumProcess.wsEndpoint(), { timeout: stepMs });
    const context = await within(stepMs, "Chromium opening a context", connected.newContext());
    context.setDefaultTimeout(stepMs);
    return { context, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".css": "text/css",
  ".wasm": "application/wasm",
};

/** Serves folders under paths of their own: {"/npm/": folder}. `pages`: path -> text, HTML unless its name says otherwise. */
export async function serve(folders, pages = {}, headers = {}) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    if (pages[path] !== undefined) {
      response.writeHead(200, { "content-type": types[extname(path)] ?? types[".html"], ...headers }).end(pages[path]);
      return;
    }
    for (const [prefix, folder] of Object.entries(folders)) {
      const file = join(folder, path.slice(prefix.length));
      if (path.startsWith(prefix) && existsSync(file) && statSync(file).isFile()) {
        response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
        response.end(readFileSync(file));
        return;
      }
    }
    response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections(); // browsers hold connections open that they never use
      await closed;
    },
  };
}
