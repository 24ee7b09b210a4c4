// What the tests share: the command with a data port, a scripted provider behind it, and the clients in front of it.
//
// A client may catch what it cannot read, print it and go on (the AI SDK does so with AI_TypeValidationError): what is
// printed during a test is its failure.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
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

// With PLUMB_TEST_SHARED=1 a proxy is two that share by a nats-server, and connections go to one and the other in turn.
export const shared = process.env.PLUMB_TEST_SHARED === "1";

async function listening(server) {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server.address().port;
}

async function startNats(folder) {
  const free = createServer();
  const port = await listening(free);
  await new Promise((done) => free.close(done));
  const process = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", join(folder, "nats")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise((done, failed) => {
    process.stderr.on("data", (data) => String(data).includes("Server is ready") && done());
    process.on("error", failed);
  });
  return { process, address: `nats://127.0.0.1:${port}/tests` };
}

// A port whose connections go to `ports` in turn.
async function startTurns(ports) {
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (from) => {
    const to = connect({ port: ports[turn++ % ports.length], host: "127.0.0.1", allowHalfOpen: true });
    for (const [one, other] of [[from, to], [to, from]]) {
      one.on("error", () => other.destroy());
      one.on("close", () => one.readableEnded || other.destroy());
      one.pipe(other);
    }
  });
  return { server, port: await listening(server) };
}

// A model's name is WIRE-NAME: the provider of that wire is asked for NAME.
export class Proxy {
  static async start(more = "", variables = {}) {
    const proxy = new Proxy();
    proxy.upstream = await Upstream.start();
    proxy.folder = mkdtempSync(join(tmpdir(), "plumb-proxy-"));
    proxy.nats = shared ? await startNats(proxy.folder) : undefined;
    const base = `http://127.0.0.1:${proxy.upstream.port}`;
    writeFileSync(join(proxy.folder, "plumb.yaml"), `providers:
  one: {speaks: openai, base_url: "${base}/v1", key_env: PROVIDER_KEY}
  two: {speaks: anthropic, base_url: "${base}", key_env: PROVIDER_KEY}
  three: {speaks: ollama, base_url: "${base}"}
  four: {speaks: openai, base_url: "${base}/v1", key_env: PROVIDER_KEY, responses: true}
proxy:
  listen: 127.0.0.1:0${shared ? `\n  share: ${proxy.nats.address}` : ""}
  retries: {max: 2, backoff_ms: 1, backoff_max_ms: 20}
  models:
    openai: one/real
    anthropic: two/real
    ollama: three/real
    responses: four/real
    "*": one
${more}`);
    proxy.log = "";
    proxy.processes = [];
    if (!shared) {
      proxy.origin = await proxy.serve("one", variables);
      return proxy;
    }
    const origins = [];
    for (const name of ["one", "two"]) {
      origins.push(await proxy.serve(name, variables));
    }
    proxy.turns = await startTurns(origins.map((origin) => Number(new URL(origin).port)));
    proxy.origin = `http://127.0.0.1:${proxy.turns.port}`;
    return proxy;
  }
  async serve(name, variables) {
    const state = join(this.folder, name);
    mkdirSync(state);
    const one = spawn(plumb, ["serve", "--port", "0", "--store", join(state, "runs.db"), "--config",
      join(this.folder, "plumb.yaml")], {
      env: { ...process.env, PROVIDER_KEY: "sk-the-providers-own-key", XDG_STATE_HOME: state, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.processes.push(one);
    one.stderr.on("data", (data) => { this.log += data; });
    return new Promise((done, failed) => {
      let told = "";
      one.stdout.on("data", (data) => {
        told += data;
        const lines = [...told.matchAll(/http:\/\/[^\s]*:\d+/g)];
        if (lines.length >= 2) {
          this.control ??= lines[0][0];
          done(lines[1][0]);
        }
      });
      one.on("exit", (code) => failed(new Error(`plumb serve ended with ${code}: ${this.log}`)));
    });
  }
  async stop() {
    for (const one of this.processes) {
      one.removeAllListeners("exit");
      const ended = new Promise((done) => one.on("exit", done));
      one.kill("SIGTERM");
      await ended;
    }
    this.upstream.stop();
    this.turns?.server.close();
    this.nats?.process.kill("SIGKILL");
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
