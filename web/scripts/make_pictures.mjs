// Makes the pictures of the README from the real thing: the page as `plumb serve` gives it, and what `plumb check` prints.
//
//   node web/scripts/make_pictures.mjs      after ./dev build; docs/pictures/page.png and terminal.png are written
//
// PLUMB_BIN, PLUMB_WEB and PLUMB_CHROMIUM say which command, page and browser.
import { spawn, spawnSync } from "node:child_process";
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

  const words = ["check", "--contract", "quiz", "--color", "always", quiz];
  const { stdout } = spawnSync(plumb, words, { cwd: top, encoding: "utf8", env: { ...process.env, LANG: "C.UTF-8" } });
  if (!stdout.includes("Chloroplasts")) throw new Error(`plumb check did not say what it should:\n${stdout}`);
  await page.setViewportSize({ width: 1180, height: 200 });
  await page.setContent(
    `<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#151a20;color:#e9ebe5;font:15px/1.55 "DejaVu Sans Mono",monospace}` +
      `pre{margin:0;padding:18px 22px;font:inherit;white-space:pre}b{color:#9aa5ae;font-weight:400}</style>` +
      `<pre><b>$</b> plumb check --contract quiz ${quiz}\n${coloured(stdout)}</pre>`,
  );
  await page.locator("pre").screenshot({ path: join(pictures, "terminal.png") });
} finally {
  server.kill();
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const name of ["page.png", "terminal.png"]) {
  console.log(`docs/pictures/${name}: ${(readFileSync(join(pictures, name)).length / 1024).toFixed(0)} KB`);
}

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

/** ANSI colours as HTML. */
function coloured(text) {
  const colours = { 1: "font-weight:700", 2: "color:#9aa5ae", 31: "color:#ff8d80", 32: "color:#6fd19a", 33: "color:#f0bd5c", 36: "color:#8fb6ff" };
  return text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/\u274c/g, '<span style="color:#ff8d80">\u2716</span>') // not every machine has a font for the sign itself
    .replace(/\x1b\[([\d;]*)m/g, (_, codes) =>
      codes === "" || codes === "0" ? "</span>" : `<span style="${codes.split(";").map((code) => colours[code] ?? "").join(";")}">`,
    );
}
