// `plumb mcp --http --in-front-of URL`, with the official SDKs as client and as server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { feedback, generations, here, httpClient, initialize, Lines, logged, served, stdioClient } from "./support.mjs";

async function behind(t, generation) {
  const child = spawn(process.execPath, [join(here, "server.mjs"), generation, "http"],
    { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  return new Promise((done, failed) => {
    child.stdout.on("data", (data) => done(String(data).trim()));
    child.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
}
const front = (t, url, mode) => served(t, ["--no-config", "--mode", mode, "--in-front-of", url]);

for (const generation of generations) {
  test(`${generation}: arguments and results are judged, in enforce and in observe`, async (t) => {
    const url = await behind(t, generation);
    for (const mode of ["enforce", "observe"]) {
      const port = await front(t, url, mode);
      assert.match(port.url, /\/mcp$/);
      const client = await httpClient(t, generation, port.url);
      const good = await client.callTool({ name: "add", arguments: { a: 3, b: 4 } });
      assert.deepEqual(good.structuredContent, { sum: 7 });
      const extra = await client.callTool({ name: "add", arguments: { a: 3, b: 4, c: 5 } });
      assert.equal(extra.isError === true, mode === "enforce");
      await client.callTool({ name: "strange", arguments: { a: 1 } });
      await logged(port, "mcp\\.schema: tool=strange");
      if (mode === "observe") {
        continue;
      }
      assert.deepEqual(feedback(extra).issues.unknown, ["c"]);
      for (const answers of ["wrongly", "more", "bare"]) {
        const replaced = await client.callTool({ name: "add", arguments: { a: 1, b: 2, answers } });
        assert.equal(replaced.isError, true, answers);
        assert.equal(feedback(replaced).result, "validation_failed");
      }
      await logged(port, "did=refused");
      await logged(port, "did=replaced", 3);
    }
  });
}

for (const generation of generations) {
  test(`${generation}: a client at standard input and output reaches a server over HTTP, and is judged`, async (t) => {
    const url = await behind(t, generation);
    const client = await stdioClient(t, generation, ["--no-config", "--mode", "enforce", "--in-front-of", url]);
    assert.equal((await client.listTools()).tools.length, 5);
    for (let i = 0; i < 5; ++i) {
      assert.deepEqual((await client.callTool({ name: "add", arguments: { a: i, b: 4 } })).structuredContent, { sum: i + 4 });
    }
    assert.deepEqual(feedback(await client.callTool({ name: "add", arguments: { a: 3, b: 4, c: 5 } })).issues.unknown, ["c"]);
    const replaced = await client.callTool({ name: "add", arguments: { a: 1, b: 2, answers: "more" } });
    assert.equal(replaced.isError, true);
    await assert.rejects(client.callTool({ name: "none", arguments: {} }), /Unknown tool/);
  });
}

test("at standard input and output: session, revision and headers go with each request, and its end is told", async (t) => {
  const seen = [];
  const url = await scripted(t, (request, body) => {
    seen.push([request.method, body?.method, request.headers["mcp-session-id"], request.headers["mcp-protocol-version"],
      request.headers["x-key"]]);
    const result = (value) => JSON.stringify({ jsonrpc: "2.0", id: body.id, result: value }, null, 2);
    return request.method === "GET" ? [200, { "content-type": "text/event-stream" },
      ["data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n"]]
      : request.method === "DELETE" ? [200, {}, []]
        : body.method === "initialize" ? [200, { ...json, "mcp-session-id": "s7" }, [result({ protocolVersion: "2025-06-18" })]]
          : body.id === undefined ? [202, {}, []]
            : body.method === "tools/list" ? [200, json, [listed(body.id)]]
              : body.id === 4 ? [200, { "content-type": "text/event-stream" }, [": cut\n\n"]]
                : [404, json, ['{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no such session"}}']];
  });
  process.env.TEST_MCP_KEY = "k-1";
  const lines = new Lines(t, ["--no-config", "--mode", "enforce", "--in-front-of", url, "--header", "x-key=TEST_MCP_KEY"]);
  assert.equal((await lines.ask(initialize)).result.protocolVersion, "2025-06-18");
  lines.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  assert.deepEqual(JSON.parse(await lines.next()), { jsonrpc: "2.0", method: "notifications/x" }); // the server's own stream
  const others = [];
  const answer = async (message) => {
    lines.send(message);
    for (;;) {
      const line = JSON.parse(await lines.next());
      if (line.method !== "notifications/x") {
        return line;
      }
      others.push(line);
    }
  };
  const lost = await answer({ jsonrpc: "2.0", id: 3, method: "ping" });
  assert.deepEqual([lost.id, lost.error.code], [3, -32001]);
  const cut = await answer({ jsonrpc: "2.0", id: 4, method: "ping" });
  assert.deepEqual([cut.id, cut.error.code], [4, -32603]);
  assert.deepEqual(await lines.close(), { code: 0, signal: null });
  assert.deepEqual(seen[0], ["POST", "initialize", undefined, undefined, "k-1"]);
  assert.ok(seen.slice(1).every(([, , session, revision, key]) => session === "s7" && revision === "2025-06-18" && key === "k-1"));
  assert.equal(seen.at(-1)[0], "DELETE");
});

test("many clients without a session, each with the same ids, get their own answers", async (t) => {
  const port = await front(t, await behind(t, "new"), "enforce");
  const clients = await Promise.all(Array.from({ length: 8 }, () => httpClient(t, "new", port.url)));
  await Promise.all(clients.flatMap((client, i) => Array.from({ length: 10 }, async (_, k) => {
    const right = await client.callTool({ name: "add", arguments: { a: i, b: k } });
    assert.deepEqual(right.structuredContent, { sum: i + k });
    assert.equal((await client.callTool({ name: "add", arguments: { a: "x" } })).isError, true);
  })));
});

// A server of bare HTTP: `answer(request, body)` gives [status, headers, pieces].
async function scripted(t, answer) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => { body += data; });
    request.on("end", async () => {
      const [status, headers, pieces] = answer(request, body === "" ? null : JSON.parse(body));
      response.writeHead(status, headers);
      for (const piece of pieces) {
        response.write(piece);
        await new Promise((done) => setTimeout(done, 5));
      }
      response.end();
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close(() => {}) && server.closeAllConnections());
  return `http://127.0.0.1:${server.address().port}/mcp`;
}
const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const listed = (id) => JSON.stringify({ jsonrpc: "2.0", id,
  result: { tools: [{ name: "t", inputSchema: schema, outputSchema: schema }] } });
const json = { "content-type": "application/json" };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: { n: 1 } } };
const bad = '{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":"IGNORE ALL"}}}';
const post = (url, body, headers = {}) => fetch(url, { method: "POST", body: JSON.stringify(body),
  headers: { ...json, accept: "application/json, text/event-stream", ...headers } });

test("events pass byte for byte, split anywhere, but for the one that is broken", async (t) => {
  const events = [": hello\n\n", "id: 7\r\ndata: \r\n\r\n", "retry: 5\rdata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\r" +
    "data:  \"params\":{\"n\":1.0}}\r\r"];
  const stream = `${events.join("")}event: message\nid: 9\ndata: ${bad}\n\n`;
  for (const size of [1, 2, 3, 7, 1000]) {
    const url = await scripted(t, (request, body) => body.method === "tools/list" ? [200, json, [listed(body.id)]]
      : [200, { "content-type": "text/event-stream", "mcp-session-id": "s1", "x-more": "kept" },
        stream.match(new RegExp(`[^]{1,${size}}`, "g"))]);
    const { url: address } = await front(t, url, "enforce");
    const answer = await post(address, call);
    assert.equal(answer.headers.get("mcp-session-id"), "s1");
    assert.equal(answer.headers.get("x-more"), "kept");
    const text = await answer.text();
    assert.equal(text.slice(0, events.join("").length), events.join(""), `pieces of ${size}`);
    assert.doesNotMatch(text, /structuredContent/);
    assert.match(text, /id: 9/);
    assert.match(text, /"isError":true/);
  }
});

test("an answer on another stream of the session is judged, a late one of another session is not given", async (t) => {
  const url = await scripted(t, (request, body) => request.method === "GET"
    ? [200, { "content-type": "text/event-stream" }, [`data: ${bad}\n\n`, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n"]]
    : body.method === "tools/list" ? [200, json, [listed(body.id)]]
      : [200, { "content-type": "text/event-stream" }, ["id: 1\ndata:\n\n"]]);
  const { url: address } = await front(t, url, "enforce");
  await (await post(address, call, { "mcp-session-id": "a" })).text();
  const get = async (session) => (await fetch(address, { headers: { accept: "text/event-stream", "mcp-session-id": session } })).text();
  assert.equal(await get("b"), "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n");
  const own = await get("a");
  assert.match(own, /"isError":true/);
  assert.doesNotMatch(own, /structuredContent/);
});

test("a coding that nobody asked for, no message, a server that is down: 502; a refusal passes as it is", async (t) => {
  const answers = { coded: [200, { ...json, "content-encoding": "gzip" }, ["x"]], none: [200, json, ["{}"]],
    plain: [200, { "content-type": "text/plain" }, [bad]],
    refused: [401, { ...json, "www-authenticate": "Bearer x=\"y\"" }, ['{"error":"who?"}']] };
  const url = await scripted(t, (request, body) => body.method === "tools/list" ? [200, json, [listed(body.id)]]
    : answers[request.headers["x-case"]]);
  const { url: address } = await front(t, url, "enforce");
  for (const one of ["coded", "none"]) {
    const answer = await post(address, call, { "x-case": one });
    assert.equal(answer.status, 502, one);
    assert.equal((await answer.json()).error.code, -32603);
  }
  assert.match(await (await post(address, call, { "x-case": "plain" })).text(), /"isError":true/);
  const refused = await post(address, call, { "x-case": "refused" });
  assert.deepEqual([refused.status, refused.headers.get("www-authenticate"), await refused.text()],
    [401, "Bearer x=\"y\"", '{"error":"who?"}']);
  const down = await front(t, "http://127.0.0.1:9/mcp", "enforce");
  assert.equal((await post(down.url, initialize)).status, 502);
});
