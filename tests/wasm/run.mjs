// Runs the package's tests: node tests/wasm/run.mjs [name...]
// PLUMB_NPM is the built package (default build/npm), PLUMB_BIN the native command (default build/bin/plumb).
import { existsSync } from "node:fs";
import { join } from "node:path";

import { runSuite } from "../node_suite.mjs";
import { here, npm } from "./support.mjs";

runSuite({
  suite: "npm",
  folder: here,
  wants: { [`the package is not built: ${npm} (./dev build)`]: existsSync(join(npm, "dist/node.js")) },
});
