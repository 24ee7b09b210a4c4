// What the tests share: the package, a contract, and a model that is scripted, on the wires of OpenAI and Anthropic.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
export const top = resolve(here, "../..");
export const npm = resolve(process.env.PLUMB_NPM ?? join(top, "build/npm"));
const part = (name) => import(pathToFileURL(join(npm, "dist", name)).href);

export const { load, PlumbError } = await part("node.js");
export const { forModel, judge, judgeValue, JudgingStream, mcpValidator, textOf, values } = await part("adapters.js");

export const plumb = await load();
export const quiz = plumb.contract("quiz");
export const format = forModel(await plumb.author(), quiz);

const question = {
  question: "Where does photosynthesis occur?",
  options: ["Mitochondria", "Ribosomes", "Nucleus", "Chloroplasts"],
  correct_answer: "Chloroplasts",
  explanation: "Chloroplasts contain chlorophyll.",
};
/** What keeps the contract. */
export const good = { questions: [question] };
/** What keeps the schema that a provider enforces, and not the contract. */
export const wrong = { questions: [{ ...question, correct_answer: "Leaves" }] };
export const why = "Question 1: correct_answer 'Leaves' must be one of the options";

export const cut = (text, size = 7) => text.match(new RegExp(`[^]{1,${size}}`, "g"));

/**
 * Reads values while they arrive, and holds that there were many, each in the next, whose last is the whole one. Gives the
 * verdict.
 */
export async function readValues(arriving, whole) {
  const shown = [];
  let verdict;
  for await (const one of arriving) {
    shown.push(JSON.stringify(one.value) ?? "");
    verdict = one.verdict;
  }
  assert.deepEqual(JSON.parse(shown.at(-1)), whole);
  assert.ok(shown.length > 20, `${shown.length} values`);
  const open = (text) => text.replace(/["\]}]+$/, "");
  shown.reduce((before, now) => (assert.ok(now.startsWith(open(before)), `${before} was shown, then ${now}`), now));
  return verdict;
}

/** A provider on loopback: `asked` has the bodies of the requests, `answers` what is answered, one after the other. */
export async function provider() {
  const asked = [];
  const answers = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const given = JSON.parse(body);
    asked.push(given);
    const text = answers.shift();
    const wire = request.url.includes("/messages") ? anthropic : request.url.includes("/responses") ? responses : chat;
    if (given.stream) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of wire.events(text)) {
        response.write(`${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
      }
      response.end(wire === chat ? "data: [DONE]\n\n" : "");
    } else {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(wire.whole(text)));
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    asked,
    answers,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  };
}

const chat = {
  whole: (content) => ({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content, refusal: null } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  events: (text) => [
    ...[{ role: "assistant", content: "" }, ...cut(text).map((content) => ({ content }))].map((delta) => ({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: null }],
    })),
    { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ],
};
const responses = {
  whole: (text) => ({
    id: "r",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    error: null,
    output: [{ type: "message", id: "o", status: "completed", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }],
  }),
  events: (text) => [
    { type: "response.created", sequence_number: 0, response: { ...responses.whole(""), status: "in_progress", output: [] } },
    {
      type: "response.output_item.added",
      sequence_number: 1,
      output_index: 0,
      item: { type: "message", id: "o", status: "in_progress", role: "assistant", content: [] },
    },
    {
      type: "response.content_part.added",
      sequence_number: 2,
      item_id: "o",
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "", annotations: [] },
    },
    ...cut(text).map((delta, i) => ({
      type: "response.output_text.delta",
      sequence_number: 3 + i,
      item_id: "o",
      output_index: 0,
      content_index: 0,
      delta,
    })),
    { type: "response.completed", sequence_number: 9999, response: responses.whole(text) },
  ],
};
const anthropic = {
  whole: (text) => ({
    id: "a",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  events: (text) => [
    { type: "message_start", message: { ...anthropic.whole(""), content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...cut(text).map((piece) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ],
};
