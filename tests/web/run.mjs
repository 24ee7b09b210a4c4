// Runs the tests of the page: node tests/web/run.mjs [name...]
// PLUMB_WEB is the built page (default build/web). Needs Chromium; PLUMB_CHROMIUM names another one.
import { existsSync } from "node:fs";
import { join } from "node:path";

import { runSuite } from "../node_suite.mjs";
import { chromiumPath, here, plumb, web } from "./support.mjs";

runSuite({
  suite: "web",
  folder: here,
  wants: {
    [`the page is not built: ${web} (./dev build)`]: existsSync(join(web, "index.html")),
    [`the command is not built: ${plumb} (./dev build)`]: existsSync(plumb),
    [`there is no Chromium at ${chromiumPath}; install it or set PLUMB_CHROMIUM`]: existsSync(chromiumPath),
  },
  concurrency: 2,
  timeoutMinutes: 10,
});
