// Runs the official clients against the proxy: node tests/proxy/run.mjs [name...]
// PLUMB_BIN is the native command (default build/bin/plumb).
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { here, plumb } from "./support.mjs";

if (!existsSync(plumb)) {
  console.log(`the command is not built: ${plumb} (./dev build)`);
  console.log("suite proxy: 0 passed, 1 failed, 0 skipped");
  process.exit(1);
}
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.mjs") && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .sort()
  .map((name) => join(here, name));

const count = { passed: 0, failed: 0, skipped: 0 };
run({ files, concurrency: 1, timeout: 6 * 60 * 1000 })
  .on("test:pass", ({ name, skip, details }) => {
    if (name.endsWith(".test.mjs")) {
      return; // Node 18 counts the file too
    }
    if (skip !== undefined && skip !== false) {
      ++count.skipped;
      console.log(`  skipped  ${name}: ${skip}`);
    } else {
      ++count.passed;
      console.log(`  passed   ${name} (${Math.round(details.duration_ms)} ms)`);
    }
  })
  .on("test:fail", ({ name, details }) => {
    if (name.endsWith(".test.mjs") && details.error?.failureType === "subtestsFailed") {
      return;
    }
    ++count.failed;
    const { error } = details;
    console.log(`  FAILED   ${name}\n${String(error?.cause?.stack ?? error?.cause ?? error).replace(/^/gm, "           ")}`);
  })
  .on("test:stdout", ({ message }) => process.stdout.write(message.replace(/^(?=.)/gm, "           ")))
  .on("test:stderr", ({ message }) => process.stdout.write(message.replace(/^(?=.)/gm, "           ")))
  .once("end", () => {
    console.log(`suite proxy: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
  })
  .resume();
