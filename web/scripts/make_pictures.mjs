// Makes the picture of the README from the real page, as `plumb serve` gives it.
//
//   node web/scripts/make_pictures.mjs      after ./dev build; docs/pictures/page.png is written
//
// PLUMB_BIN, PLUMB_WEB and PLUMB_CHROMIUM say which command, page and browser.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const plumb = resolve(process.env.PLUMB_BIN ?? join(top, "build/bin/plumb"));
const web = resolve(process.env.PLUMB_WEB ?? join(top, "build/web"));
const pictures = join(top, "docs/pictures");
const quiz = "tests/cases/seed/quiz_faulty.json";
const folder = mkdtempSync(join(tmpdir(), "plumb-pictures-"));
const browser = await chromium.launch({
  executablePath: process.env.PLUMB_CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
const server = spawn(plumb, ["serve", "--port", "0", "--web", web, "--store", join(folder, "runs.db")]);

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(await addressOf(server));
  await page.setInputFiles("#artifact-pane input[type=file]", join(top, quiz));
  await page.locator("#verdict-pane", { hasText: "Chloroplasts" }).waitFor({ timeout: 20_000 });
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: join(pictures, "page.png") });
} finally {
  server.kill();
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`docs/pictures/page.png: ${(readFileSync(join(pictures, "page.png")).length / 1024).toFixed(0)} KB`);

function addressOf(child) {
  return new Promise((found, failed) => {
    let said = "";
    const timer = setTimeout(() => failed(new Error(`plumb serve does not say where it is:\n${said}`)), 20_000);
    const read = (text) => {
      said += text;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (address !== null) {
        clearTimeout(timer);
        found(address[0]);
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
  });
}
