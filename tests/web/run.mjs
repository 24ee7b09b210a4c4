// Runs the tests of the page: node tests/web/run.mjs [name...]
// PLUMB_WEB is the built page (default build/web). Needs Chromium; PLUMB_CHROMIUM names another one.
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "node:test";

import { chromiumPath, here, web } from "./support.mjs";

if (!existsSync(join(web, "index.html"))) {
  console.log(`the page is not built: ${web} (./dev build)`);
  console.log("suite web: 0 passed, 1 failed, 0 skipped");
  process.exit(1);
}
if (!existsSync(chromiumPath)) {
  console.log(`there is no Chromium at ${chromiumPath}; install it or set PLUMB_CHROMIUM`);
  console.log("suite web: 0 passed, 1 failed, 0 skipped");
  process.exit(1);
}

const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs") && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .sort()
  .map((name) => join(here, name));

const count = { passed: 0, failed: 0, skipped: 0 };
let current = "";

function title(from) {
  const name = from === undefined ? "" : basename(from, ".test.mjs");
  if (name !== "" && name !== current) {
    current = name;
    console.log(name);
  }
}

run({ files, concurrency: 2, timeout: 10 * 60 * 1000 })
  .on("test:pass", ({ name, skip, file, details }) => {
    if (name.endsWith(".test.mjs")) return; // Node 18 counts the file too
    title(file);
    if (skip !== undefined && skip !== false) {
      ++count.skipped;
      console.log(`  skipped  ${name}`);
      console.log(`skip: ${name}: ${skip}`);
    } else {
      ++count.passed;
      console.log(`  passed   ${name} (${Math.round(details.duration_ms)} ms)`);
    }
  })
  .on("test:fail", ({ name, file, details }) => {
    title(file);
    const { error } = details;
    if (name.endsWith(".test.mjs") && error?.failureType === "subtestsFailed") return;
    ++count.failed;
    const told = String(error?.cause?.stack ?? error?.cause ?? error);
    console.log(`  FAILED   ${name}\n${told.replace(/^/gm, "           ")}`);
  })
  .on("test:stderr", ({ message }) => process.stdout.write(message))
  .once("end", () => {
    console.log(`suite web: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
  })
  .resume();
