// What a collector of OpenTelemetry is sent, read by OpenTelemetry's own protobuf definitions.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { createServer } from "node:http";

import OpenAI from "openai";

import { Proxy, seed, test } from "./support.mjs";

// The package does not export what its definitions were compiled to.
const require = createRequire(import.meta.url);
const { dirname, join } = require("node:path");
const definitions = require(join(dirname(require.resolve("@opentelemetry/otlp-transformer")), "generated/root.js"));
const { ExportTraceServiceRequest } = definitions.opentelemetry.proto.collector.trace.v1;

// Every member of `sent` has to be one that the definitions know: fromObject() passes over others. OTLP writes ids as
// hexadecimal text where JSON of protobuf has base64.
function decoded(sent) {
  const known = (value, message, at) => {
    if (Array.isArray(value)) {
      value.forEach((one, i) => known(one, Array.isArray(message) ? message[i] : undefined, `${at}/${i}`));
    } else if (value !== null && typeof value === "object") {
      for (const [name, member] of Object.entries(value)) {
        assert.ok(message !== undefined && Object.hasOwn(message, name), `${at}/${name} is in no definition`);
        known(member, message[name], `${at}/${name}`);
      }
    }
  };
  const binary = JSON.parse(JSON.stringify(sent), (name, value) =>
    ["traceId", "spanId", "parentSpanId"].includes(name) ? Buffer.from(value, "hex").toString("base64") : value);
  const message = ExportTraceServiceRequest.fromObject(binary);
  assert.equal(ExportTraceServiceRequest.verify(message), null);
  const read = ExportTraceServiceRequest.decode(ExportTraceServiceRequest.encode(message).finish());
  known(sent, read, "");
  return read;
}
const attributes = ({ attributes: all }) => Object.fromEntries(all.map(({ key, value }) =>
  [key, value.stringValue || value.doubleValue || (value.intValue ? Number(value.intValue) : value.boolValue ?? 0)]));

async function collector(t) {
  const requests = [];
  const waiting = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => { body += data; });
    request.on("end", () => {
      requests.push({ url: request.url, type: request.headers["content-type"], body: JSON.parse(body) });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
      waiting.shift()?.(requests.shift());
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => server.close() && server.closeAllConnections());
  return { port: server.address().port, next: () => requests.length > 0 ? Promise.resolve(requests.shift())
    : new Promise((done) => waiting.push(done)) };
}

for (const conventions of ["1.40", "1.36"]) {
  test(`a verdict is an event of the call's span, with names of ${conventions}`, async (t) => {
    const at = await collector(t);
    const proxy = await Proxy.start(`  telemetry: {otlp: "http://127.0.0.1:${at.port}", conventions: "${conventions}"}\n`);
    t.after(() => proxy.stop());
    const client = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 0 });
    const ask = async (text) => {
      proxy.script({ text });
      await client.chat.completions.create({ model: "openai", messages: [{ role: "user", content: "A quiz." }] },
        { headers: { "x-plumb-contract": "quiz", "x-plumb-mode": "observe" } });
      const { url, type, body } = await at.next();
      assert.deepEqual([url, type], ["/v1/traces", "application/json"]);
      const [{ scopeSpans: [scope] }] = decoded(body).resourceSpans;
      assert.equal(scope.schemaUrl, `https://opentelemetry.io/schemas/${conventions}.0`);
      assert.equal(scope.spans.length, 2);
      assert.equal(attributes(scope.spans[1])[conventions === "1.36" ? "gen_ai.system" : "gen_ai.provider.name"], "one");
      return scope.spans[0];
    };
    for (const [file, score, label] of [["quiz_repaired", 1, "accept"], ["quiz_faulty", 0, "revise"]]) {
      const span = await ask(seed(file));
      if (conventions === "1.36") {
        assert.deepEqual(span.events, []);
        continue;
      }
      assert.deepEqual(span.events.map(({ name }) => name), ["gen_ai.evaluation.result"]);
      const [event] = span.events;
      assert.equal(String(event.timeUnixNano), String(span.endTimeUnixNano));
      const told = attributes(event);
      assert.equal(told["gen_ai.evaluation.name"], "quiz");
      assert.equal(told["gen_ai.evaluation.score.value"], score);
      assert.equal(told["gen_ai.evaluation.score.label"], label);
      assert.match(told["gen_ai.evaluation.explanation"], score === 1 ? /^0 findings/ : /^\d+ findings: .*minItems/);
    }
  });
}
