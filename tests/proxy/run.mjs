// Runs the official clients against the proxy: node tests/proxy/run.mjs [name...]
// PLUMB_BIN is the native command (default build/bin/plumb). With PLUMB_TEST_SHARED=1 against two that share (support.mjs).
import { existsSync } from "node:fs";

import { runSuite } from "../node_suite.mjs";
import { here, plumb, shared } from "./support.mjs";

runSuite({
  suite: shared ? "proxies that share" : "proxy",
  folder: here,
  quiet: true,
  wants: { [`the command is not built: ${plumb} (./dev build)`]: existsSync(plumb) },
});
