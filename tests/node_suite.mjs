// Runs the *.test.mjs files of a folder as one suite, and prints what passed as all suites do.
//
//   runSuite({ suite: "proxy", folder: here, wants: { "the command is not built: ...": existsSync(plumb) } });
//
// `wants`: what must be there; the first that is not is said, and the suite has failed. Words of the command line choose
// files. A test's name is followed by what it printed. With `quiet` whatever a file prints to standard error is a
// failure of its own: libraries tell there what they catch.
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "node:test";

const indent = (text) => text.replace(/^(?=.)/gm, "           ");

export function runSuite({ suite, folder, wants, concurrency = 1, timeoutMinutes = 6, quiet = false }) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const lastLine = () => `suite ${suite}: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
  const missing = Object.entries(wants).find(([, there]) => !there);
  if (missing) {
    count.failed = 1;
    console.log(missing[0]);
    console.log(lastLine());
    process.exitCode = 1;
    return;
  }
  const wanted = process.argv.slice(2);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".test.mjs") && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
    .sort()
    .map((name) => join(folder, name));
  let title = "";
  const entitle = (file) => {
    const name = file === undefined ? "" : basename(file, ".test.mjs");
    if (name !== "" && name !== title) {
      title = name;
      console.log(name);
    }
  };
  run({ files, concurrency, timeout: timeoutMinutes * 60 * 1000 })
    .on("test:pass", ({ name, skip, file, details }) => {
      if (name.endsWith(".test.mjs")) {
        return; // Node 18 counts the file too
      }
      entitle(file);
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
      const { error } = details;
      if (name.endsWith(".test.mjs") && error?.failureType === "subtestsFailed") {
        return;
      }
      entitle(file);
      ++count.failed;
      console.log(`  FAILED   ${name}\n${indent(String(error?.cause?.stack ?? error?.cause ?? error))}`);
    })
    .on("test:diagnostic", ({ message, file }) => {
      if (file !== undefined) {
        console.log(indent(message));
      }
    })
    .on("test:stdout", ({ message }) => process.stdout.write(indent(message)))
    .on("test:stderr", ({ message, file }) => {
      process.stdout.write(indent(message));
      if (quiet && message.trim() !== "") {
        entitle(file);
        ++count.failed;
        console.log("  FAILED   nothing is printed to standard error");
      }
    })
    .once("end", () => {
      console.log(lastLine());
      process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
    })
    .resume();
}
