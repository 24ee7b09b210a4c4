// A server of the official SDK at standard input and output, or over HTTP: node server.mjs old|new [http]
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { Server as NewServer, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Server as OldServer } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { answer, list } from "./tools.mjs";

const [generation, way] = process.argv.slice(2);
const who = { name: "behind", version: "1" };

function newServer() {
  const server = new NewServer(who, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: list }));
  server.setRequestHandler("tools/call", (request) => answer(request.params));
  return server;
}
function oldServer() {
  const server = new OldServer(who, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list }));
  server.setRequestHandler(CallToolRequestSchema, (request) => answer(request.params));
  return server;
}

const body = async (request) => {
  const pieces = [];
  for await (const piece of request) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};
const sessions = new Map();
// With sessions, as most servers of that generation have them.
async function oldHttp(request, response) {
  const known = sessions.get(request.headers["mcp-session-id"]);
  if (known) {
    await known.handleRequest(request, response);
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await oldServer().connect(transport);
  await transport.handleRequest(request, response);
}
const handler = createMcpHandler(newServer);
async function newHttp(request, response) {
  const sent = await body(request);
  const answered = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, {
    method: request.method, headers: request.headers, body: sent.length > 0 ? sent : undefined }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(Buffer.from(await answered.arrayBuffer()));
}

if (way === "http") {
  const server = createServer((request, response) => {
    (generation === "old" ? oldHttp : newHttp)(request, response).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else if (generation === "old") {
  await oldServer().connect(new StdioServerTransport());
} else {
  serveStdio(newServer);
}
