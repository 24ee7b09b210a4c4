// Runs the tests of bundlers and runtimes: node tests/bundlers/run.mjs [name...]. PLUMB_NPM is the built package.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runSuite } from "../node_suite.mjs";
import { executablePath } from "../wasm/browser.mjs";
import { npm } from "../wasm/support.mjs";

const here = dirname(fileURLToPath(import.meta.url));
runSuite({
  suite: "bundlers",
  folder: here,
  timeoutMinutes: 15,
  wants: {
    [`the package is not built: ${npm} (./dev build)`]: existsSync(join(npm, "dist/node.js")),
    "the bundlers are not installed (./dev test bundlers)": existsSync(join(here, "node_modules/webpack")),
    [`there is no Chromium at ${executablePath}; install it or set PLUMB_CHROMIUM`]: existsSync(executablePath),
    [`Node 22 or later is wanted, and this is ${process.version}`]: Number(process.versions.node.split(".")[0]) >= 22,
  },
});
