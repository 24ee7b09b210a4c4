// Codex, OpenAI's agent, against the proxy: only where PLUMB_CODEX is its command, which has 400 MB.
//   PLUMB_CODEX=/path/to/node_modules/.bin/codex node tests/proxy/run.mjs codex
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Proxy, test } from "./support.mjs";

const codex = process.env.PLUMB_CODEX;

for (const model of codex ? ["responses", "openai", "anthropic"] : []) {
  test(`codex: it asks, uses a tool and ends, with a provider of ${model}`, async (t) => {
    const proxy = await Proxy.start();
    t.after(() => proxy.stop());
    const home = mkdtempSync(join(tmpdir(), "plumb-codex-"));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const work = join(home, "work");
    mkdirSync(work);
    // What Codex does with tools of OpenAI's own no other provider can do: they are refused with their place.
    writeFileSync(join(home, "config.toml"), `model = "${model}"
model_provider = "plumb"
approval_policy = "never"
${model === "responses" ? "" : "web_search = \"disabled\"\n[agents]\nenabled = false\n"}
[model_providers.plumb]
name = "plumb"
base_url = "${proxy.origin}/v1"
wire_api = "responses"
env_key = "CLIENT_KEY"
request_max_retries = 0
stream_max_retries = 0
`);
    proxy.script({ calls: [{ name: "exec_command", arguments: JSON.stringify({ cmd: "echo from the proxy" }) }] },
      { text: "It was said." });
    const child = spawn(codex, ["exec", "--skip-git-repo-check", "--json", "Say it."], { cwd: work,
      env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, CLIENT_KEY: "none" }, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => { said += data; });
    }
    const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const code = await new Promise((done) => child.on("exit", done));
    clearTimeout(late);
    assert.equal(code, 0, said);
    assert.match(said, /"agent_message","text":"It was said\."/);
    assert.equal(proxy.asked().length, 2);
    assert.match(JSON.stringify(proxy.asked()[1]), /exec_command/);
  });
}
