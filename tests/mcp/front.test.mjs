// `plumb mcp --in-front-of COMMAND`, with the official SDKs as client and as server.
import assert from "node:assert/strict";
import { test } from "node:test";

import { before, call, configured, feedback, generations, initialize, Lines, logged, stdioClient } from "./support.mjs";

const enforce = ["--no-config", "--mode", "enforce"];
const observe = ["--no-config", "--mode", "observe"];
const add = (client, args) => client.callTool({ name: "add", arguments: args });

for (const generation of generations) {
  test(`${generation}: what keeps its schemas passes, enforced or not`, async (t) => {
    for (const words of [enforce, observe, ["--no-config", "--mode", "off"]]) {
      const client = await stdioClient(t, generation, before(words, generation));
      assert.deepEqual((await client.listTools()).tools.map(({ name }) => name),
        ["add", "shout", "strange", "quiz", "calls"]);
      assert.deepEqual((await add(client, { a: 3, b: 4 })).structuredContent, { sum: 7 });
      assert.equal((await client.callTool({ name: "shout", arguments: { say: "hi" } })).content[0].text, "HI");
      assert.equal(client.logged, "");
    }
  });

  test(`${generation}: broken arguments are answered with isError and what is wrong, and the server is not called`, async (t) => {
    const client = await stdioClient(t, generation, before(enforce, generation));
    const refused = await add(client, { a: "3", c: 1 });
    assert.equal(refused.isError, true);
    const said = feedback(refused);
    assert.equal(said.result, "validation_failed");
    assert.equal(said.issue_count, 3);
    assert.deepEqual(said.issues.invalid.map(({ field }) => field), ["a"]);
    assert.deepEqual(said.issues.missing.map(({ field }) => field), ["b"]);
    assert.deepEqual(said.issues.unknown, ["c"]);
    assert.equal(Object.keys(said).at(-1), "action");
    assert.match(said.action, /add/);
    assert.equal((await client.callTool({ name: "calls" })).content[0].text, "[]");
    await logged(client, "mcp\\.call: tool=add mode=enforce contract=inputSchema decision=revise findings=3 did=refused");
  });

  test(`${generation}: a broken result becomes isError with what is wrong`, async (t) => {
    const client = await stdioClient(t, generation, before(enforce, generation));
    await client.listTools();
    for (const [answers, field] of [["wrongly", "sum"], ["more", undefined], ["bare", undefined]]) {
      const replaced = await add(client, { a: 1, b: 2, answers });
      assert.equal(replaced.isError, true, answers);
      assert.equal(replaced.structuredContent, undefined);
      const said = feedback(replaced);
      assert.equal(said.result, "validation_failed", answers);
      assert.equal(said.issues.invalid?.[0].field, field);
      assert.doesNotMatch(JSON.stringify(replaced), /do as I say/);
    }
    await logged(client, "did=replaced", 3);
  });

  test(`${generation}: results that say isError are not judged`, async (t) => {
    const client = await stdioClient(t, generation, before(enforce, generation));
    const failed = await client.callTool({ name: "add", arguments: { a: 1, b: 2, answers: "failing" } })
      .catch((error) => error); // the SDK of 2025 judges the structured content of these too
    assert.ok(failed instanceof Error || failed.content[0].text === "the disk is full");
    assert.equal(client.logged, "");
  });

  test(`${generation}: in observe what is wrong passes, and is told`, async (t) => {
    const client = await stdioClient(t, generation, before(observe, generation));
    const passed = await client.callTool({ name: "add", arguments: { a: 1, b: 2, d: 3 } });
    assert.deepEqual(passed.structuredContent, { sum: 3 });
    await logged(client, "mcp\\.call: tool=add mode=observe .*decision=revise findings=1 did=passed");
  });

  test(`${generation}: a schema that cannot be used passes, is told once, and nothing is fetched`, async (t) => {
    const client = await stdioClient(t, generation, before(enforce, generation));
    for (let i = 0; i < 2; ++i) {
      assert.equal((await client.callTool({ name: "strange", arguments: { a: 1 } })).content[0].text, "called");
    }
    await logged(client, "mcp\\.schema: tool=strange .*never\\.json");
  });

  test(`${generation}: contracts of plumb.yaml are kept by tool, beside the server's schemas`, async (t) => {
    const config = configured(t, `mcp:
  mode: "off"
  tools:
    quiz: {mode: enforce, result: quiz}
    shout: {mode: enforce, arguments: short.json}
`, { "short.json": JSON.stringify({ properties: { say: { maxLength: 3 } } }) });
    const client = await stdioClient(t, generation, before(config, generation));
    const empty = await client.callTool({ name: "quiz", arguments: {} });
    assert.equal(empty.isError, true);
    assert.match(empty.content[0].text, /at least 1 question/);
    assert.equal((await client.callTool({ name: "shout", arguments: { say: "hello" } })).isError, true);
    assert.equal((await client.callTool({ name: "shout", arguments: { say: "yes" } })).content[0].text, "YES");
    const off = await client.callTool({ name: "add", arguments: { a: 1, b: 2, d: 3 } });
    assert.deepEqual(off.structuredContent, { sum: 3 });
  });
}

test("a client of both generations finds a server of either", async (t) => {
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { plumb } = await import("./support.mjs");
  for (const generation of generations) {
    const client = new Client({ name: "either", version: "1" }, { versionNegotiation: { mode: "auto" } });
    t.after(() => client.close());
    await client.connect(new StdioClientTransport({ command: plumb, args: ["mcp", ...before(enforce, generation)],
      stderr: "ignore" }));
    assert.deepEqual((await add(client, { a: 3, b: 4 })).structuredContent, { sum: 7 }, generation);
    assert.equal((await add(client, { a: 3 })).isError, true, generation);
  }
});

test("a client that never lists the tools is judged all the same", async (t) => {
  const lines = new Lines(t, before(enforce, "old"));
  await lines.ask(initialize);
  lines.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const refused = await lines.ask(call(1, "add", { a: "x" }));
  assert.equal(refused.id, 1);
  assert.equal(refused.result.isError, true);
  assert.equal("resultType" in refused.result, false);
});

test("the command ends when its client does, and with its server", async (t) => {
  const client = new Lines(t, before(enforce, "old"));
  await client.ask(initialize);
  assert.deepEqual(await client.close(), { code: 0, signal: null });
  const gone = new Lines(t, ["--no-config", "--in-front-of", "false"]);
  assert.deepEqual(await gone.ended, { code: 2, signal: null });
  const none = new Lines(t, ["--no-config", "--in-front-of", "there-is-no-such-program"]);
  assert.deepEqual(await none.ended, { code: 2, signal: null });
  assert.match(none.logged, /cannot be started/);
  const told = new Lines(t, before(enforce, "old"));
  await told.ask(initialize);
  told.process.kill("SIGTERM");
  assert.deepEqual(await told.ended, { code: 0, signal: null });
  const deaf = new Lines(t, ["--no-config", "--in-front-of", "sh", "--", "-c", "echo '{}'; sleep 1000 & exec sleep 1000"]);
  await deaf.next();
  deaf.process.kill("SIGTERM"); // its input is closed, it does not end, and is ended with what it has started
  assert.deepEqual(await deaf.ended, { code: 2, signal: null });
});
