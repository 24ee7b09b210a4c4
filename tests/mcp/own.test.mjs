// `plumb mcp`: our own tools, at standard input and output and over HTTP, with the official SDKs as clients.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  call, configured, feedback, generations, httpClient, initialize, Lines, newest, served, stdioClient, withHandshake,
} from "./support.mjs";

const quiz = { questions: [{ question: "Which?", options: ["a", "b", "c"], correct_answer: "d", explanation: "Because." }] };

// Each way that a client can come.
const ways = generations.flatMap((generation) => [
  [`${generation}, stdio`, (t, words = ["--no-config"]) => stdioClient(t, generation, words)],
  [`${generation}, http`, async (t, words = ["--no-config"]) => httpClient(t, generation, (await served(t, words)).url)],
]);

for (const [name, connect] of ways) {
  test(`${name}: the tools are listed, and each result keeps its own schema`, async (t) => {
    const client = await connect(t);
    const { tools } = await client.listTools(); // from here on the client judges results by their outputSchema
    assert.deepEqual(tools.map((tool) => tool.name), ["check", "explain", "derive", "lint", "edits", "samples"]);
    assert.ok(tools.every((tool) => tool.inputSchema.type === "object" && tool.outputSchema.type === "object" &&
      tool.annotations.readOnlyHint));
    const asked = {
      check: { contract: "quiz", artifact: quiz },
      explain: { rule: "memberOf" },
      derive: { contract: "quiz", target: "openai-strict" },
      lint: { contract: { type: "object", minItems: 3 }, targets: ["gbnf"] },
      edits: { text: "Sure:\n```json\n{\"a\": 1}\n```" },
      samples: { contract: "quiz", count: 2, kind: "minimal" },
    };
    const given = {};
    for (const [tool, args] of Object.entries(asked)) {
      const result = await client.callTool({ name: tool, arguments: args });
      assert.ok(!result.isError, `${tool}: ${result.content[0].text}`);
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
      assert.deepEqual(Object.keys(result.structuredContent), ["result", "data", "action"]);
      given[tool] = result.structuredContent.data;
    }
    assert.deepEqual(given.check.findings.map(({ rule }) => rule), ["minItems", "memberOf"]);
    assert.match(given.explain.meaning, /./);
    assert.match(given.derive.text, /"strict"/);
    assert.ok(given.lint.findings.length > 0);
    assert.equal(given.edits.text.trim(), "{\"a\": 1}");
    assert.equal(given.samples.samples.length, 2);
    for (const { artifact } of given.samples.samples) {
      const judged = await client.callTool({ name: "check", arguments: { contract: "quiz", artifact } });
      assert.equal(judged.structuredContent.data.valid, true);
    }
  });

  test(`${name}: what cannot be done is isError with what to do`, async (t) => {
    const client = await connect(t);
    const unknown = await client.callTool({ name: "check", arguments: { contract: "quizz", artifact: 1 } });
    assert.equal(unknown.isError, true);
    assert.match(unknown.content[0].text, /did you mean 'quiz'/);
    const broken = await client.callTool({ name: "derive", arguments: { contract: "quiz", target: "xml", more: 1 } });
    assert.equal(broken.isError, true);
    const said = feedback(broken);
    assert.deepEqual([said.issues.invalid[0].field, said.issues.unknown], ["target", ["more"]]);
    await assert.rejects(client.callTool({ name: "nothing", arguments: {} }), /Unknown tool/);
  });

  test(`${name}: contracts of plumb.yaml go by their names, and no file that a caller names is read`, async (t) => {
    const words = configured(t, "artifacts: {poem: poem.json}\n", { "poem.json": '{"type": "string", "maxLength": 3}' });
    const client = await connect(t, words);
    const judged = await client.callTool({ name: "check", arguments: { contract: "poem", artifact: "long" } });
    assert.deepEqual(judged.structuredContent.data.findings.map(({ rule }) => rule), ["maxLength"]);
    for (const contract of ["poem.json", "/etc/passwd", "../poem.json"]) {
      assert.equal((await client.callTool({ name: "lint", arguments: { contract } })).isError, true);
    }
  });
}

test("revisions: the one that is asked for where it is known, else the newest with a handshake", async (t) => {
  for (const [asked, given] of [[withHandshake, withHandshake], ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"], ["1999-01-01", withHandshake], [newest, withHandshake]]) {
    const lines = new Lines(t, ["--no-config"]);
    const answer = await lines.ask({ ...initialize, params: { ...initialize.params, protocolVersion: asked } });
    assert.equal(answer.result.protocolVersion, given);
    assert.deepEqual(await lines.close(), { code: 0, signal: null });
  }
  const lines = new Lines(t, ["--no-config"]);
  const meta = (version) => ({ "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {} });
  const discovered = await lines.ask({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: meta(newest) } });
  assert.equal(discovered.result.resultType, "complete");
  assert.deepEqual(discovered.result.supportedVersions, [newest, withHandshake, "2025-06-18", "2025-03-26"]);
  const unknown = await lines.ask({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { _meta: meta("2031-01-01") } });
  assert.equal(unknown.error.code, -32022);
  assert.equal(unknown.error.data.requested, "2031-01-01");
  const bare = await lines.ask({ jsonrpc: "2.0", id: 3, method: "tools/list",
    params: { _meta: { "io.modelcontextprotocol/protocolVersion": newest } } });
  assert.equal(bare.error.code, -32602);
});

test("http: headers that contradict the message, foreign Hosts and Origins, and other methods are refused", async (t) => {
  const { url } = await served(t, ["--no-config"]);
  const message = { ...call(1, "explain", { rule: "minItems" }) };
  message.params._meta = { "io.modelcontextprotocol/protocolVersion": newest,
    "io.modelcontextprotocol/clientCapabilities": {} };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream",
    "mcp-protocol-version": newest, "mcp-method": "tools/call", "mcp-name": "explain" };
  const post = async (more, body = message) => {
    const answer = await fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
    return [answer.status, answer.status === 202 ? null : await answer.json()];
  };
  assert.equal((await post({}))[0], 200);
  assert.equal((await post({ "mcp-name": `=?base64?${Buffer.from("explain").toString("base64")}?=` }))[0], 200);
  for (const wrong of [{ "mcp-name": "check" }, { "mcp-method": "tools/list" }, { "mcp-protocol-version": withHandshake }]) {
    const [status, body] = await post(wrong);
    assert.deepEqual([status, body.error.code, body.id], [400, -32020, 1]);
  }
  const [status, body] = await post({ "mcp-method": "prompts/list" },
    { ...message, method: "prompts/list" });
  assert.deepEqual([status, body.error.code], [404, -32601]);
  assert.equal((await post({ origin: "http://evil.example.com" }))[0], 403);
  assert.equal((await fetch(url)).status, 405);
  assert.equal((await fetch(`${url}/x`, { method: "POST", body: "{}" })).status, 404);
  const note = { jsonrpc: "2.0", method: "notifications/initialized" };
  assert.equal((await post({ "mcp-protocol-version": withHandshake }, note))[0], 202);
});
