// Runs the official clients and servers of MCP against `plumb mcp`: node tests/mcp/run.mjs [name...]
// PLUMB_BIN is the native command (default build/bin/plumb).
import { existsSync } from "node:fs";

import { runSuite } from "../node_suite.mjs";
import { here, plumb } from "./support.mjs";

runSuite({
  suite: "mcp",
  folder: here,
  quiet: true,
  wants: { [`the command is not built: ${plumb} (./dev build)`]: existsSync(plumb) },
});
