#!/usr/bin/env node
/** The command `plumbline`: `plumb check` and `plumb contracts` from WebAssembly, with the same output. */
import { runCheck } from "./cli/check.js";
import { runContractsCheck, runContractsList, runContractsShow } from "./cli/contracts.js";
import { runContractsDerive, runTypes } from "./cli/derive.js";
import { runExplain } from "./cli/explain.js";
import { helpText, understand, Usage } from "./cli/options.js";
import { exitClean, exitUndecided } from "./cli/report.js";
import { complain, writeAll } from "./cli/terminal.js";
import { PlumbError } from "./error.js";
import { load } from "./node.js";

async function run(words: readonly string[]): Promise<number> {
  const said = understand(words);
  if (said.wants === "help") {
    writeAll(said.asked ? 1 : 2, helpText(said.about));
    return said.asked ? exitClean : exitUndecided;
  }
  const plumb = await load();
  if (said.wants === "version") {
    writeAll(1, `plumb ${plumb.version}\n`);
    return exitClean;
  }
  switch (said.arguments.command.path) {
    case "check":
      return runCheck(plumb, said.arguments);
    case "contracts list":
      return runContractsList(plumb, said.arguments);
    case "contracts show":
      return runContractsShow(plumb, said.arguments);
    case "contracts check":
      return runContractsCheck(plumb, said.arguments);
    case "contracts derive":
      return runContractsDerive(plumb, await plumb.author(), said.arguments);
    case "types":
      return runTypes(plumb, await plumb.author(), said.arguments);
    case "explain":
      return runExplain(await plumb.author(), said.arguments);
    default:
      writeAll(1, `plumb ${plumb.version}\n`);
      return exitClean;
  }
}

/** "where:line:column: message", with what is known. */
function errorLine({ where, line, column, message }: PlumbError): string {
  const place = line > 0 ? `${where === "" ? "line " : `${where}:`}${line}${column > 0 ? `:${column}` : ""}` : where;
  return place === "" ? message : `${place}: ${message}`;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = exitUndecided;
  if (error instanceof Usage) {
    complain(error.message);
  } else if (error instanceof PlumbError) {
    complain(errorLine(error));
  } else {
    complain(`stopped by an error that nothing handles: ${error instanceof Error ? error.stack : String(error)}`);
    writeAll(2, "plumb: this is a bug in plumb, not in your data. Please report it with the line above.\n");
  }
}
