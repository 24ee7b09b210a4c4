// The Model Context Protocol's SDK: its client holds a tool's results against their schema with our validator.
import assert from "node:assert/strict";
import test from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { good, mcpValidator, plumb, quiz, why, wrong } from "./support.mjs";

test("the client refuses a result that breaks its contract, in the contract's words", async () => {
  const answers = [good, wrong];
  const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  const schema = quiz["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const full = { ...JSON.parse(quiz.text), type: "object" };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "quiz", inputSchema: { type: "object" }, outputSchema: full }],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => {
    const structuredContent = answers.shift();
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
  const client = new Client({ name: "c", version: "1" }, { jsonSchemaValidator: mcpValidator(plumb) });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  await client.listTools();
  assert.deepEqual((await client.callTool({ name: "quiz" })).structuredContent, good);
  await assert.rejects(client.callTool({ name: "quiz" }), (error) => error.message.includes(why));
  await client.close();
  assert.equal(schema.type, "object");
});

test("the validator by itself: values, places, and a schema that is none", () => {
  const validate = mcpValidator(plumb).getValidator({ type: "object", properties: { n: { type: "integer" } } });
  assert.deepEqual(validate({ n: 1 }), { valid: true, data: { n: 1 }, errorMessage: undefined });
  const { valid, data, errorMessage } = validate({ n: "1" });
  assert.deepEqual([valid, data], [false, undefined]);
  assert.match(errorMessage, /^\/n: /);
  assert.equal(validate(undefined).valid, false);
  assert.throws(() => mcpValidator(plumb).getValidator({ type: "objct" }), { code: "invalid_contract" });
});
