// The official conformance suite: on our own server, what a server of tools has to do; and on a server of the SDK,
// whatever it does by itself it does behind `plumb mcp --in-front-of` too.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

import { here, served } from "./support.mjs";

// It needs a Node of its own: the suite uses what Node 20 does not have.
const node = join(here, "node_modules/.bin/node");
const suite = join(here, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

function scenario(url, name) {
  return new Promise((done) => {
    const child = spawn(node, [suite, "server", "--url", url, "--scenario", name], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => { said += data; });
    }
    child.on("exit", (code) => done({ code, said }));
  });
}

test("our own server passes what concerns a server of tools", async (t) => {
  const { url } = await served(t, ["--no-config"]);
  for (const name of ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]) {
    const { code, said } = await scenario(url, name);
    assert.equal(code, 0, `${name}: ${said}`);
  }
});

test("a server of the SDK passes behind the front as it does by itself", async (t) => {
  const child = spawn(process.execPath, [join(here, "conformant.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const behind = await new Promise((done) => child.stdout.on("data", (data) => done(String(data).trim())));
  const { url, ...port } = await served(t, ["--no-config", "--mode", "enforce", "--in-front-of", behind]);
  for (const name of ["server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-image",
    "tools-call-error", "tools-call-with-logging", "tools-call-with-progress", "tools-call-sampling",
    "tools-call-elicitation", "json-schema-2020-12", "server-sse-multiple-streams"]) {
    const alone = await scenario(behind, name);
    const guarded = await scenario(url, name);
    assert.equal(alone.code, 0, `${name} by itself: ${alone.said}`);
    assert.equal(guarded.code, 0, `${name}: ${guarded.said} ${port.logged}`);
  }
});
