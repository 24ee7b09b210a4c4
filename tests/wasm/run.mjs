// Runs the package's tests: node tests/wasm/run.mjs [name...]
// PLUMB_NPM is the built package (default build/npm), PLUMB_BIN the native command (default build/bin/plumb).
import { existsSync } from "node:fs";
import { join } from "node:path";

import { runSuite } from "../node_suite.mjs";
import { executablePath } from "./browser.mjs";
import { here, npm, plumbBin, runHost } from "./support.mjs";

runSuite({
  suite: "npm",
  folder: here,
  wants: {
    [`the package is not built: ${npm} (./dev build)`]: existsSync(join(npm, "dist/node.js")),
    [`the command is not built: ${plumbBin} (./dev build)`]: existsSync(plumbBin),
    [`the host of the runs' tests is not built: ${runHost} (./dev test npm)`]: existsSync(runHost),
    [`there is no Chromium at ${executablePath}; install it or set PLUMB_CHROMIUM`]: existsSync(executablePath),
  },
});
