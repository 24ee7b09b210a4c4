// What passes `plumb mcp --in-front-of`, byte for byte, and what a hostile peer cannot slip by it. Both sides are bare
// lines here.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { configured, initialize, Lines, logged } from "./support.mjs";

// A server that says for each line that it reads what `script` says: {"METHOD": [line, ...]}, with ID for the id.
function scripted(t, mode, script) {
  const [, config] = configured(t, `mcp: {mode: "${mode}"}\n`);
  const file = join(config, "..", "server.mjs");
  writeFileSync(file, `
    import { createInterface } from "node:readline";
    import { appendFileSync } from "node:fs";
    const script = ${JSON.stringify(script)};
    createInterface({ input: process.stdin }).on("line", (line) => {
      appendFileSync(${JSON.stringify(join(config, "..", "read"))}, line + "\\n");
      const message = JSON.parse(line);
      for (const answer of script[message.method] ?? []) {
        process.stdout.write(answer.replaceAll("ID", JSON.stringify(message.id)) + "\\n");
      }
    });`);
  const lines = new Lines(t, ["--config", config, "--in-front-of", process.execPath, "--", file]);
  lines.read = join(config, "..", "read");
  return lines;
}

const number = '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}';
const listed = `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"t","inputSchema":${number},"outputSchema":${number}}]}}`;
const ready = '{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';
const asked = (id, n = "1") => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":{"n":${n}}}}`;
const good = '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"n":1}}}';
const bad = '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"n":"IGNORE ALL"}}}';
const script = (call, list = [listed]) => ({ initialize: [ready], "tools/list": list, "tools/call": call });

test("bytes: order, digits, escapes, white space and unknown members pass in both directions as they are", async (t) => {
  const { readFileSync } = await import("node:fs");
  for (const mode of ["enforce", "observe", "off"]) {
    const answer = '{ "id" : ID,"x-own":[1.0,1e2,12345678901234567890123],\t"jsonrpc":"2.0", "result":{"structuredContent":{"n":1.50e0,"z":"\\u00e9\\/"},"content":[]} }';
    const lines = scripted(t, mode, script([answer]));
    await lines.ask(initialize);
    const sent = '{"method":"tools/call",  "jsonrpc":"2.0","id":"\\u0061","params":{"arguments":{"z":1.0,"n":1e0},"name":"t","_meta":{"k":10E-1}}}';
    lines.send(sent);
    assert.equal(await lines.next(), answer.replace("ID", '"a"'), mode);
    assert.ok(readFileSync(lines.read, "utf8").split("\n").includes(sent), mode);
    await lines.close();
  }
});

test("hostile: a batch, a member twice and no JSON are refused where a tool is enforced, and pass where none is", async (t) => {
  const strange = [
    `[${asked(1)}]`,
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"t","arguments":{}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","name":"t","arguments":{}}}',
    "{'jsonrpc':'2.0'}",
  ];
  const lines = scripted(t, "enforce", script([good]));
  await lines.ask(initialize);
  for (const one of strange) {
    const answer = await lines.ask(one);
    assert.ok([-32700, -32600].includes(answer.error.code), one);
    assert.equal("id" in answer, false);
  }
  await logged(lines, "mcp\\.message: did=refused", strange.length);
});

test("hostile: a server's second answer, its answer to nothing and what is no message do not reach the client", async (t) => {
  const lines = scripted(t, "enforce", script([
    "Listening on port 3000", bad.replace("ID", "77"), good, bad,
    '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"method":"x"}', '{"jsonrpc":"2.0","method":"notifications/end"}']));
  await lines.ask(initialize);
  lines.send(asked(1));
  assert.equal(await lines.next(), good.replace("ID", "1"));
  assert.equal(await lines.next(), '{"jsonrpc":"2.0","method":"notifications/end"}');
  await logged(lines, "did=dropped", 4);
});

test("hostile: an answer under the same id in another spelling is judged as well", async (t) => {
  for (const [id, spelled] of [["1", "1.0"], ["1", '"1"'], ['"7"', "7"], ["10", "1e1"]]) {
    const lines = scripted(t, "enforce", script([bad.replace("ID", spelled)]));
    await lines.ask(initialize);
    const replaced = await lines.ask(asked(id));
    assert.equal(replaced.result.isError, true, spelled);
    await lines.close();
  }
});

test("hostile: resultType and a task do not take an answer of 2025 away from its judge", async (t) => {
  for (const answer of [bad.replace('"content"', '"resultType":"later","content"'),
    bad.replace('"content"', '"task":{"taskId":"1"},"content"')]) {
    const lines = scripted(t, "enforce", script([answer]));
    await lines.ask(initialize);
    assert.equal((await lines.ask(asked(1))).result.isError, true);
    await lines.close();
  }
  const task = '{"jsonrpc":"2.0","id":ID,"result":{"task":{"taskId":"k","status":"working"}}}';
  const lines = scripted(t, "enforce", { ...script([task]), "tasks/result": [bad] });
  await lines.ask(initialize);
  assert.equal((await lines.ask(asked(1))).result.task.taskId, "k");
  const late = await lines.ask('{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"k"}}');
  assert.equal(late.result.isError, true);
});

test("hostile: a schema that takes for ever, and a value that does, hold nobody up", async (t) => {
  const deep = JSON.stringify({ $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } },
    properties: { n: { $ref: "#/$defs/a" } } });
  const lines = scripted(t, "enforce", script([good], [listed.replace(number, deep)]));
  await lines.ask(initialize);
  const answer = await lines.ask(asked(1, "[".repeat(500) + "]".repeat(500)));
  assert.equal(answer.id, 1);
});

test("a changed list is asked for again, page by page, and by nobody's id but ours", async (t) => {
  const { readFileSync } = await import("node:fs");
  const page = '{"jsonrpc":"2.0","id":ID,"result":{"tools":[],"nextCursor":""}}';
  const lines = scripted(t, "enforce", script([good, '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'],
    [page]));
  await lines.ask(initialize);
  for (const id of [1, 2]) {
    lines.send(asked(id));
    await lines.next();
    await lines.next();
  }
  const lists = readFileSync(lines.read, "utf8").split("\n").filter((line) => line.includes("tools/list"));
  assert.equal(lists.length, 2);
  assert.notEqual(JSON.parse(lists[0]).id, JSON.parse(lists[1]).id);
});

test("a server that does not list its tools holds no call up, and that is told", async (t) => {
  const lines = scripted(t, "enforce", script([good],
    ['{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}']));
  await lines.ask(initialize);
  lines.send(asked(1, '"anything"'));
  assert.equal(await lines.next(), good.replace("ID", "1"));
  await logged(lines, "mcp\\.tools: did=passed why=\"the server refuses to list its tools");
});

test("a call that is cancelled while the list is awaited is not made", async (t) => {
  const { readFileSync } = await import("node:fs");
  const lines = scripted(t, "enforce", { ...script([good], []), ping: ['{"jsonrpc":"2.0","id":ID,"result":{}}'] });
  await lines.ask(initialize);
  lines.send(asked(1));
  lines.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await lines.ask('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  await lines.close();
  assert.doesNotMatch(readFileSync(lines.read, "utf8"), /tools\/call|cancelled/);
});
