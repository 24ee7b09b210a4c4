// Runs the package's tests: node tests/wasm/run.mjs [name...]
// PLUMB_NPM is the built package (default build/npm), PLUMB_BIN the native command (default build/bin/plumb).
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "node:test";
import { here, npm } from "./support.mjs";

if (!existsSync(join(npm, "dist/node.js"))) {
  console.log(`the package is not built: ${npm} (./dev build)`);
  console.log("suite npm: 0 passed, 1 failed, 0 skipped");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs") && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .sort()
  .map((name) => join(here, name));

const count = { passed: 0, failed: 0, skipped: 0 };
let file = "";
run({ files, concurrency: 1, timeout: 6 * 60 * 1000 })
  .on("test:pass", ({ name, skip, file: from, details }) => {
    if (name.endsWith(".test.mjs")) {
      return; // Node 18 counts the file too
    }
    title(from);
    if (skip !== undefined && skip !== false) {
      ++count.skipped;
      console.log(`  skipped  ${name}: ${skip}`);
    } else {
      ++count.passed;
      console.log(`  passed   ${name} (${Math.round(details.duration_ms)} ms)`);
    }
  })
  .on("test:fail", ({ name, file: from, details }) => {
    title(from);
    if (name.endsWith(".test.mjs") && details.error?.failureType === "subtestsFailed") {
      return;
    }
    ++count.failed;
    const { error } = details;
    console.log(
      `  FAILED   ${name}\n${String(error?.cause?.stack ?? error?.cause ?? error).replace(/^/gm, "           ")}`,
    );
  })
  .on("test:stdout", ({ message }) => process.stdout.write(message.replace(/^(?=.)/gm, "           ")))
  .on("test:stderr", ({ message }) => process.stdout.write(message.replace(/^(?=.)/gm, "           ")))
  .on("test:diagnostic", ({ message, file: from }) => {
    if (from !== undefined) {
      console.log(`           ${message}`);
    }
  })
  .once("end", () => {
    console.log(`suite npm: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
  })
  .resume();

function title(from) {
  const name = from === undefined ? "" : basename(from, ".test.mjs");
  if (name !== file && name !== "") {
    file = name;
    console.log(name);
  }
}
