// A server of the SDK with the tools that the conformance suite asks for.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema, CreateMessageResultSchema, ElicitResultSchema, ListToolsRequestSchema, SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const pause = () => new Promise((done) => setTimeout(done, 20));
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const empty = { type: "object" };
const wants = (name) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });

const tools = {
  test_simple_text: [empty, () => text("This is a simple text response for testing.")],
  test_image_content: [empty, () => ({ content: [{ type: "image", data: pixel, mimeType: "image/png" }] })],
  test_error_handling: [empty, () => ({ ...text("This tool intentionally returns an error for testing"), isError: true })],
  test_tool_with_logging: [empty, async (_, { sendNotification }) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await sendNotification({ method: "notifications/message", params: { level: "info", data } });
      await pause();
    }
    return text("done");
  }],
  test_tool_with_progress: [empty, async (_, { sendNotification, _meta }) => {
    for (const progress of [0, 50, 100]) {
      await sendNotification({ method: "notifications/progress",
        params: { progressToken: _meta?.progressToken ?? 0, progress, total: 100 } });
      await pause();
    }
    return text("done");
  }],
  test_sampling: [wants("prompt"), async ({ prompt }, { sendRequest }) => {
    const { content } = await sendRequest({ method: "sampling/createMessage",
      params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 } },
    CreateMessageResultSchema);
    return text(`LLM response: ${content.text}`);
  }],
  test_elicitation: [wants("message"), async ({ message }, { sendRequest }) => {
    const given = await sendRequest({ method: "elicitation/create", params: { message, requestedSchema: {
      type: "object", properties: { username: { type: "string" }, email: { type: "string" } },
      required: ["username", "email"] } } }, ElicitResultSchema);
    return text(`User response: ${JSON.stringify(given)}`);
  }],
  json_schema_2020_12_tool: [{ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } }, additionalProperties: false },
  () => text("kept")],
};

function made() {
  const server = new Server({ name: "conformant", version: "1" }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, [inputSchema]]) => ({ name, description: name, inputSchema })) }));
  server.setRequestHandler(CallToolRequestSchema, (request, extra) =>
    tools[request.params.name][1](request.params.arguments ?? {}, extra));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  return server;
}

const sessions = new Map();
const server = createServer(async (request, response) => {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport) });
    await made().connect(transport);
  }
  await transport.handleRequest(request, response);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
