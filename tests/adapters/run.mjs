// Runs the tests with the published packages: node tests/adapters/run.mjs [name...]. PLUMB_NPM is the built package.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runSuite } from "../node_suite.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const npm = resolve(process.env.PLUMB_NPM ?? join(here, "../../build/npm"));
runSuite({
  suite: "adapters",
  folder: here,
  wants: {
    [`the package is not built: ${npm} (./dev build)`]: existsSync(join(npm, "dist/node.js")),
    "the published packages are not installed (./dev test adapters)": existsSync(join(here, "node_modules/zod")),
    [`Node 22 or later is wanted, and this is ${process.version}`]: Number(process.versions.node.split(".")[0]) >= 22,
  },
});
