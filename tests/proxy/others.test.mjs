// What clients ask for beside answers: counts of tokens, embeddings, models; and what is not here, told in their own form.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { Proxy, test } from "./support.mjs";

let proxy;
let openai;
let anthropic;
before(async () => {
  proxy = await Proxy.start();
  openai = new OpenAI({ baseURL: `${proxy.origin}/v1`, apiKey: "none", maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: proxy.origin, apiKey: "none", maxRetries: 0 });
});
after(() => proxy.stop());

const messages = [{ role: "user", content: "How many tokens are this?" }];

test("others: tokens are counted by a provider that counts, and estimated and marked elsewhere", async () => {
  proxy.script({});
  assert.equal((await anthropic.messages.countTokens({ model: "anthropic", messages })).input_tokens, 4711);
  assert.deepEqual(proxy.asked()[0], { model: "real", messages });
  for (const model of ["openai", "ollama", "responses"]) {
    const { data, response } = await anthropic.messages.countTokens({ model, messages }).withResponse();
    assert.ok(data.input_tokens > 5 && data.input_tokens < 100, `${data.input_tokens}`);
    assert.equal(response.headers.get("x-plumb-estimated"), "input_tokens");
  }
  assert.equal(proxy.asked().length, 1);
});

test("others: where a provider turns out not to count, an estimate is told; a model that it has not is still told so", async () => {
  for (const status of [404, 405, 501]) {
    proxy.script({ status, message: "no such path" });
    const { data, response } = await anthropic.messages.countTokens({ model: "anthropic", messages }).withResponse();
    assert.ok(data.input_tokens > 5 && data.input_tokens < 100, `${status}: ${data.input_tokens}`);
    assert.equal(response.headers.get("x-plumb-estimated"), "input_tokens");
  }
  proxy.script({ status: 404, message: "model: real" });
  await assert.rejects(anthropic.messages.countTokens({ model: "anthropic", messages }), Anthropic.NotFoundError);
});

test("others: embeddings come as the provider made them, and Anthropic has none", async () => {
  proxy.script({});
  for (const model of ["openai", "ollama"]) {
    const answer = await openai.embeddings.create({ model, input: ["one", "two"], encoding_format: "base64" });
    assert.equal(answer.data[0].embedding, "AACAPw==");
    assert.equal(answer.usage.prompt_tokens, 7);
  }
  await assert.rejects(openai.embeddings.create({ model: "anthropic", input: "x" }),
    (error) => error.status === 400 && /embeddings/.test(error.message));
});

test("others: they count in limits", async () => {
  const limited = await Proxy.start("  limits: {requests_per_minute: 3}\n");
  try {
    limited.script({});
    const client = new OpenAI({ baseURL: `${limited.origin}/v1`, apiKey: "none", maxRetries: 0 });
    const counter = new Anthropic({ baseURL: limited.origin, apiKey: "none", maxRetries: 0 });
    await client.embeddings.create({ model: "openai", input: "x" });
    await counter.messages.countTokens({ model: "anthropic", messages });
    await counter.messages.countTokens({ model: "openai", messages });
    await assert.rejects(client.embeddings.create({ model: "openai", input: "x" }), OpenAI.RateLimitError);
    await assert.rejects(counter.messages.countTokens({ model: "openai", messages }), Anthropic.RateLimitError);
  } finally {
    await limited.stop();
  }
});

test("others: models are listed in both forms", async () => {
  const names = [];
  for await (const model of openai.models.list()) {
    names.push(model.id);
  }
  const others = [];
  for await (const model of anthropic.models.list()) {
    others.push(model.id);
    assert.equal(model.type, "model");
  }
  assert.deepEqual(names, others);
  assert.ok(names.includes("responses") && names.includes("the-providers-own"), names.join(" "));
  assert.equal((await anthropic.models.retrieve("openai")).display_name, "openai");
  assert.equal((await openai.models.retrieve("openai")).object, "model");
  await assert.rejects(anthropic.models.retrieve("none"), (error) => error.status === 404 && error.error.type === "error");
});

test("others: what is not here is told by its name, in the client's own form", async () => {
  await assert.rejects(openai.files.list(), (error) => error.status === 404 && error.code === "not_found" && /\/v1\/files is not served/.test(error.message));
  await assert.rejects(openai.audio.speech.create({ model: "openai", voice: "alloy", input: "x" }), /\/v1\/audio is not served/);
  await assert.rejects(openai.images.generate({ prompt: "x" }), /\/v1\/images is not served/);
  await assert.rejects(anthropic.messages.batches.list(), (error) => error.status === 404 && error.error.error.type === "not_found_error" &&
    /\/v1\/messages\/batches is not served/.test(error.message));
  const wrong = await fetch(`${proxy.origin}/v1/messages`, { headers: { "anthropic-version": "2023-06-01" } });
  assert.equal(wrong.status, 405);
  assert.equal((await wrong.json()).type, "error");
});

test("others: images, files and audio in messages pass as they are where both speak the same", async () => {
  proxy.script({ text: "seen" });
  const content = [
    { type: "text", text: "x" },
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
    { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
    { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
  ];
  await openai.chat.completions.create({ model: "openai", messages: [{ role: "user", content }] });
  assert.deepEqual(proxy.asked()[0].messages[0].content, content);
  const blocks = [
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" }, citations: { enabled: true } },
    { type: "image", source: { type: "file", file_id: "file_1" } },
  ];
  await anthropic.messages.create({ model: "anthropic", max_tokens: 9, messages: [{ role: "user", content: blocks }] });
  assert.deepEqual(proxy.asked()[1].messages[0].content, blocks);
  const parts = [{ type: "input_file", file_id: "file_1" }, { type: "input_image", file_id: "file_2", detail: "low" }];
  await openai.responses.create({ model: "responses", input: [{ role: "user", content: parts }] });
  assert.deepEqual(proxy.asked()[2].input[0].content, parts);
  // ... and are refused by their place where a provider speaks otherwise.
  await assert.rejects(openai.chat.completions.create({ model: "anthropic", messages: [{ role: "user", content }] }), /content\/2/);
  await assert.rejects(openai.responses.create({ model: "openai", input: [{ role: "user", content: parts }] }), /\/input\/0\/content\/0/);
});
