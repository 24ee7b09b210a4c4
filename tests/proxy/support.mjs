// What the tests share: the command with a data port, a scripted provider behind it, and the clients in front of it.
//
// A client may catch what it cannot read, print it and go on (the AI SDK does so with AI_TypeValidationError): what is
// printed during a test is its failure.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { test as plainTest } from "node:test";
import { format } from "node:util";
import { Upstream } from "./upstream.mjs";

export const here = dirname(fileURLToPath(import.meta.url));
export const top = resolve(here, "../..");
export const plumb = resolve(process.env.PLUMB_BIN ?? join(top, "build/bin/plumb"));
export const wires = ["openai", "anthropic", "ollama"];
// ... and a provider that has OpenAI's responses.
export const responseWires = ["responses", ...wires];
export const seed = (name) => readFileSync(join(top, "tests/cases/seed", `${name}.json`), "utf8");

// A model's name is WIRE-NAME: the provider of that wire is asked for NAME.
export class Proxy {
  static async start(more = "", variables = {}) {
    const proxy = new Proxy();
    proxy.upstream = await Upstream.start();
    proxy.folder = mkdtempSync(join(tmpdir(), "plumb-proxy-"));
    const base = `http://127.0.0.1:${proxy.upstream.port}`;
    writeFileSync(join(proxy.folder, "plumb.yaml"), `providers:
  one: {speaks: openai, base_url: "${base}/v1", key_env: PROVIDER_KEY}
  two: {speaks: anthropic, base_url: "${base}", key_env: PROVIDER_KEY}
  three: {speaks: ollama, base_url: "${base}"}
  four: {speaks: openai, base_url: "${base}/v1", key_env: PROVIDER_KEY, responses: true}
proxy:
  listen: 127.0.0.1:0
  retries: {max: 2, backoff_ms: 1, backoff_max_ms: 20}
  models:
    openai: one/real
    anthropic: two/real
    ollama: three/real
    responses: four/real
    "*": one
${more}`);
    proxy.process = spawn(plumb, ["serve", "--port", "0", "--store", join(proxy.folder, "runs.db"), "--config",
      join(proxy.folder, "plumb.yaml")], {
      env: { ...process.env, PROVIDER_KEY: "sk-the-providers-own-key", XDG_STATE_HOME: proxy.folder, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    proxy.log = "";
    proxy.process.stderr.on("data", (data) => { proxy.log += data; });
    proxy.origin = await new Promise((done, failed) => {
      let told = "";
      proxy.process.stdout.on("data", (data) => {
        told += data;
        const lines = [...told.matchAll(/http:\/\/[^\s]*:\d+/g)];
        if (lines.length >= 2) {
          done(lines[1][0]);
        }
      });
      proxy.process.on("exit", (code) => failed(new Error(`plumb serve ended with ${code}: ${proxy.log}`)));
    });
    return proxy;
  }
  async stop() {
    this.process.removeAllListeners("exit");
    const ended = new Promise((done) => this.process.on("exit", done));
    this.process.kill("SIGTERM");
    this.upstream.stop();
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
  script(...answers) {
    this.upstream.script("real", answers);
  }
  asked() {
    return this.upstream.asked("real");
  }
}

// Waits for a condition, with a bound that only a failure reaches.
export async function until(condition, what) {
  for (let i = 0; i < 600; ++i) {
    if (condition()) {
      return;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`it never came that ${what}`);
}

export const test = (name, body) =>
  plainTest(name, async (context) => {
    const printed = [];
    const before = { ...console };
    for (const level of ["log", "info", "warn", "error"]) {
      console[level] = (...said) => printed.push(`console.${level}: ${format(...said)}`);
    }
    try {
      await body(context);
      await new Promise((done) => setTimeout(done)); // what is caught late
    } finally {
      Object.assign(console, before);
    }
    assert.deepEqual(printed, [], "a client printed something");
  });

// Tests whose names begin with what they have in common.
export const named = (title) => (name, body) => test(`${title}: ${name}`, body);
