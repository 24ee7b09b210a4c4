// Runs the official clients against the proxy: node tests/proxy/run.mjs [name...]
// PLUMB_BIN is the native command (default build/bin/plumb).
import { existsSync } from "node:fs";

import { runSuite } from "../node_suite.mjs";
import { here, plumb } from "./support.mjs";

runSuite({
  suite: "proxy",
  folder: here,
  quiet: true,
  wants: { [`the command is not built: ${plumb} (./dev build)`]: existsSync(plumb) },
});
