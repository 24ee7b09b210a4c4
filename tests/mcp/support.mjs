// What the tests share: the official SDKs as clients of `plumb mcp`, official servers behind it, and a client and a
// server of bare lines, where bytes are compared.
//
// Two generations: `old` is @modelcontextprotocol/sdk (revision 2025-11-25, with a handshake), `new` is
// @modelcontextprotocol/client and /server (2026-07-28, without).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export const here = dirname(fileURLToPath(import.meta.url));
export const top = resolve(here, "../..");
export const plumb = resolve(process.env.PLUMB_BIN ?? join(top, "build/bin/plumb"));
export const generations = ["old", "new"];
export const newest = "2026-07-28";
export const withHandshake = "2025-11-25";

// A folder with a plumb.yaml, for one test.
export function configured(t, text, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), "plumb-mcp-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries({ "plumb.yaml": text, ...files })) {
    writeFileSync(join(folder, name), content);
  }
  return ["--config", join(folder, "plumb.yaml")];
}

// The words after `plumb mcp` that put it in front of a server of tests/mcp/server.mjs.
export const before = (words, generation, ...more) =>
  [...words, "--in-front-of", process.execPath, "--", join(here, "server.mjs"), generation, ...more];

function made(generation) {
  const who = { name: "test", version: "1" };
  return generation === "old" ? new OldClient(who)
    : new NewClient(who, { versionNegotiation: { mode: { pin: newest } } });
}

// A connected client of `plumb mcp WORDS` at standard input and output, and what the command logged.
export async function stdioClient(t, generation, words) {
  const Transport = generation === "old" ? OldStdio : NewStdio;
  const transport = new Transport({ command: plumb, args: ["mcp", ...words], stderr: "pipe" });
  const client = made(generation);
  client.logged = "";
  transport.stderr.on("data", (data) => { client.logged += data; });
  t.after(() => client.close());
  await client.connect(transport);
  return client;
}

export async function httpClient(t, generation, url) {
  const Transport = generation === "old" ? OldHttp : NewHttp;
  const client = made(generation);
  t.after(() => client.close());
  await client.connect(new Transport(new URL(url)));
  return client;
}

// `plumb mcp --http 0 WORDS`: its address, and what it logged.
export async function served(t, words) {
  const child = spawn(plumb, ["mcp", "--http", "0", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const port = { logged: "" };
  child.stderr.on("data", (data) => { port.logged += data; });
  t.after(() => new Promise((done) => {
    child.on("exit", done);
    child.kill("SIGTERM");
  }));
  port.url = await new Promise((done, failed) => {
    let said = "";
    child.stdout.on("data", (data) => {
      said += data;
      const found = /http:\S+(?=\. )/.exec(said);
      if (found) {
        done(found[0]);
      }
    });
    child.on("exit", (code) => failed(new Error(`plumb mcp ended with ${code}: ${port.logged}`)));
  });
  child.removeAllListeners("exit");
  return port;
}

// A client of bare lines.
export class Lines {
  constructor(t, words) {
    this.process = spawn(plumb, ["mcp", ...words], { stdio: ["pipe", "pipe", "pipe"] });
    this.logged = "";
    this.rest = "";
    this.waiting = [];
    this.lines = [];
    this.process.stderr.on("data", (data) => { this.logged += data; });
    this.process.stdout.setEncoding("utf8").on("data", (data) => {
      this.rest += data;
      for (let end = this.rest.indexOf("\n"); end >= 0; end = this.rest.indexOf("\n")) {
        this.lines.push(this.rest.slice(0, end));
        this.rest = this.rest.slice(end + 1);
      }
      this.look();
    });
    this.ended = new Promise((done) => this.process.on("exit", (code, signal) => done({ code, signal })));
    this.process.stdin.on("error", () => {});
    t.after(() => this.process.kill("SIGKILL"));
  }
  look() {
    while (this.lines.length > 0 && this.waiting.length > 0) {
      this.waiting.shift()(this.lines.shift());
    }
  }
  send(line) {
    this.process.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  }
  next() {
    return new Promise((done, failed) => {
      const late = setTimeout(() => failed(new Error(`no line in 20 s; logged: ${this.logged}`)), 20_000);
      this.waiting.push((line) => {
        clearTimeout(late);
        done(line);
      });
      this.look();
    });
  }
  async ask(line) {
    this.send(line);
    return JSON.parse(await this.next());
  }
  close() {
    this.process.stdin.end();
    return this.ended;
  }
}

export const initialize = { jsonrpc: "2.0", id: 0, method: "initialize",
  params: { protocolVersion: withHandshake, capabilities: {}, clientInfo: { name: "bare", version: "1" } } };
export const call = (id, name, args) =>
  ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
// Until `of` has logged what fits, `count` times: standard error comes when it comes.
export async function logged(of, what, count = 1) {
  const found = () => (of.logged.match(new RegExp(what, "g")) ?? []).length;
  for (let waited = 0; found() < count && waited < 1000; ++waited) {
    await new Promise((done) => setTimeout(done, 10));
  }
  assert.equal(found(), count, of.logged);
}
// The feedback of a result that was refused or replaced.
export const feedback = (result) => JSON.parse(result.content[0].text);
