// Blocks of the documentation that use published packages do what their pages say.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { Agent, run, setTracingDisabled, tool as agentTool, Usage } from "@openai/agents";
import { StandardSchemaOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { tool as langchainTool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { chat } from "@tanstack/ai";
import { BaseTextAdapter } from "@tanstack/ai/adapters";
import * as ai from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import OpenAI from "openai";
import { blocksOf, follow, followText } from "../docs_blocks.mjs";
import { cut, format, good, judge, JudgingStream, load, mcpValidator, plumb, provider, quiz, textOf, values, wrong } from "./support.mjs";
import * as adapters from "./support.mjs";

setTracingDisabled(true);
const find = async (name) => (name === "@plumbline/plumbline" ? { load } : name === "@plumbline/plumbline/adapters" ? adapters : import(name));

let model;
let openai;
before(async () => {
  model = await provider();
  openai = new OpenAI({ apiKey: "none", baseURL: `${model.url}/v1`, maxRetries: 0 });
});
after(() => model.close());

test("frameworks.md: what a model is told, and what providers enforce", async () => {
  const { format: made } = await follow("docs/frameworks.md", 0, {}, ["format"], find);
  assert.deepEqual([made.prompt, made.schema, made.responseFormat], [format.prompt, format.schema, format.responseFormat]);
});

test("frameworks.md: the openai package", async () => {
  model.answers.push(JSON.stringify(good));
  const input = [{ role: "user", content: "A quiz, please." }];
  const { output_parsed } = await follow("docs/frameworks.md", 1, { openai, model: "m", input, format }, ["output_parsed"], find);
  assert.deepEqual(output_parsed, good);
});

test("frameworks.md: the AI SDK", async () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  const finishReason = { unified: "stop", raw: "stop" };
  const text = JSON.stringify(good);
  const chunks = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    ...cut(text).map((delta) => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
    { type: "finish", finishReason, usage },
  ];
  const scripted = new MockLanguageModelV3({
    doGenerate: async () => ({ content: [{ type: "text", text }], finishReason, usage, warnings: [] }),
    doStream: async () => ({ stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }),
  });
  const { generateObject, generateText, Output, streamText } = ai;
  const given = { generateObject, generateText, Output, streamText, judge, quiz, format, model: scripted, prompt: "A quiz.", show() {} };
  const { object, output, verdict } = await follow("docs/frameworks.md", 2, given, ["object", "output", "verdict"], find);
  assert.deepEqual([object, output, verdict.valid], [good, good, true]);
});

test("frameworks.md: agents and tools of @openai/agents", async () => {
  const answer = { output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: JSON.stringify(good) }] }] };
  const scripted = { getResponse: async () => ({ usage: new Usage(), ...answer }) };
  const contract = plumb.contract({ type: "object", required: ["n"], additionalProperties: false, properties: { n: { type: "integer" } } });
  const made = [];
  const given = {
    Agent: function (settings) { made.push(new Agent(settings)); },
    tool: (settings) => made.push(agentTool(settings)),
    name: "maker", description: "makes", format, model: scripted, contract, execute: async () => "done",
  };
  await follow("docs/frameworks.md", 3, given, [], find);
  assert.deepEqual((await run(made[0], "A quiz.")).finalOutput, good);
  assert.equal(made[1].type, "function");
});

test("frameworks.md: chains and tools of LangChain", async () => {
  const scripted = new FakeListChatModel({ responses: [JSON.stringify(good)] });
  const prompt = ChatPromptTemplate.fromMessages([["user", "{about}"]]);
  const [chain, tool] = blocksOf("docs/frameworks.md")[4].trim().split("\n");
  const made = await followText(`const chain = ${chain}`, { prompt, model: scripted, StandardSchemaOutputParser, quiz }, ["chain"], find);
  assert.deepEqual(await made.chain.invoke({ about: "A quiz." }), good);
  const given = { tool: langchainTool, call: async () => "called", name: "check", description: "checks a quiz", quiz };
  const { it } = await followText(`const it = ${tool}`, given, ["it"], find);
  assert.equal(await it.invoke(good), "called");
});

test("frameworks.md: chat() of TanStack AI", async () => {
  class Scripted extends BaseTextAdapter {
    name = "scripted";
    constructor() {
      super({}, "m");
    }
    async structuredOutput() {
      return { data: good, rawText: JSON.stringify(good) };
    }
    async *chatStream() {
      const base = { threadId: "t", runId: "r", timestamp: Date.now(), model: "m" };
      yield { ...base, type: "RUN_STARTED" };
      yield { ...base, type: "RUN_FINISHED", finishReason: "stop" };
    }
  }
  const messages = [{ role: "user", content: "A quiz, please." }];
  const { answer } = await follow("docs/frameworks.md", 5, { chat, adapter: new Scripted(), messages, format }, ["answer"], find);
  assert.deepEqual(answer, good);
});

test("frameworks.md: a client of the Model Context Protocol", async () => {
  await follow("docs/frameworks.md", 6, { Client, info: { name: "c", version: "1" }, mcpValidator, plumb }, [], find);
});

test("frameworks.md: streams are checked while they arrive, and so are their values", async () => {
  const stream = () => new ReadableStream({
    start(controller) {
      for (const piece of cut(JSON.stringify(wrong))) controller.enqueue(piece);
      controller.close();
    },
  });
  const lines = blocksOf("docs/frameworks.md")[7].trim().split("\n");
  const found = [];
  const { verdict } = await followText(lines[0], { judge, quiz, stream: stream(), onFinding: (finding) => found.push(finding.rule), onText() {} }, ["verdict"], find);
  assert.deepEqual([verdict.valid, found[0]], [false, "memberOf"]);   // then the text was cut
  let text = "";
  await followText(lines[1], { textOf, stream: stream(), show: (piece) => (text += piece) }, [], find);
  assert.equal(text, JSON.stringify(wrong));
  const upstream = { body: stream().pipeThrough(new TextEncoderStream()) };
  const { judging, response } = await followText(lines.slice(2).join("\n"), { JudgingStream, quiz, upstream, onFinding() {} }, ["judging", "response"], find);
  assert.equal(await response.text(), text);
  assert.equal((await judging.verdict).valid, false);

  const shown = [];
  const given = { values, judge, JudgingStream, quiz, onValue() {}, show: (value) => shown.push(JSON.stringify(value)) };
  const so_far = blocksOf("docs/frameworks.md")[8].trim().split("\n");
  await followText(so_far[0], { ...given, stream: stream() }, [], find);
  assert.ok(new Set(shown).size > 5);
  await followText(so_far.slice(1).join("\n"), { ...given, stream: stream() }, ["verdict", "judging"], find);
});

test("proxy.md: a client of the openai package asks a proxy, and names the contract", async () => {
  model.answers.push(JSON.stringify(good));
  class At extends OpenAI {
    constructor({ baseURL, ...rest }) {
      super({ ...rest, baseURL: baseURL.replace("http://127.0.0.1:8788", model.url) });
    }
  }
  const { answer } = await follow("docs/proxy.md", 0, {}, ["answer"], async (name) => (name === "openai" ? { default: At } : find(name)));
  assert.deepEqual(JSON.parse(answer.choices[0].message.content), good);
});
