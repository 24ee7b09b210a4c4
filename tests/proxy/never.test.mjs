// docs/proxy-never.md: every sentence of it is a test here, and every test a sentence of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { join } from "node:path";
import { Proxy, test, top } from "./support.mjs";

let proxy;
before(async () => { proxy = await Proxy.start(); });
after(() => proxy.stop());

const page = readFileSync(join(top, "docs/proxy-never.md"), "utf8");
const sentences = page.split("\n").filter((line) => line.startsWith("- ")).map((line) => line.slice(2));
const tested = new Set();

const paths = { openai: "/v1/chat/completions", anthropic: "/v1/messages", responses: "/v1/responses" };
// What is in every body of that wire; `more` follows it as it is written.
const body = {
  openai: (more, messages = '[{"role":"user","content":"x"}]') => `{"model":"openai","messages":${messages}${more}}`,
  anthropic: (more, messages = '[{"role":"user","content":"x"}]') => `{"model":"anthropic","max_tokens":9,"messages":${messages}${more}}`,
  responses: (more, messages = '[{"role":"user","content":"x"}]') => `{"model":"responses","input":${messages}${more}}`,
};
const real = (wire, text) => text.replace(`"model":"${wire}"`, '"model":"real"');

// The provider gets what was sent, but for the model's name.
async function passes(wire, text, headers = {}) {
  proxy.script({ text: "fine" });
  const response = await fetch(proxy.origin + paths[wire], {
    method: "POST", headers: { "content-type": "application/json", ...headers }, body: text,
  });
  const answer = await response.text();
  assert.equal(response.status, 200, answer);
  assert.equal(proxy.asked().texts[0], real(wire, text));
  return { response, answer };
}
const never = (sentence, run) => {
  assert.ok(sentences.includes(sentence), sentence);
  tested.add(sentence);
  test(`never: ${sentence}`, async () => {
    for (const wire of Object.keys(paths)) {
      await run(wire);
    }
  });
};

const tool = {
  openai: (name, schema = '{"type":"object"}') => `{"type":"function","function":{"name":"${name}","parameters":${schema}}}`,
  anthropic: (name, schema = '{"type":"object"}') => `{"name":"${name}","input_schema":${schema}}`,
  responses: (name, schema = '{"type":"object"}') => `{"type":"function","name":"${name}","parameters":${schema}}`,
};

never("The order of tools is never changed.", (wire) =>
  passes(wire, body[wire](`,"tools":[${["zeta", "alpha", "mid"].map((name) => tool[wire](name)).join(",")}]`)));
never("The order of members, in objects of any depth, is never changed.", (wire) =>
  passes(wire, body[wire](',"zz":{"b":{"y":1,"x":2},"a":[{"d":1,"c":2}]},"aa":1')));
never("The digits of a number are never changed: `1.0`, `1e2` and integers of thirty digits arrive as they were written.", (wire) =>
  passes(wire, body[wire](',"temperature":1.0,"odd":[1e2,-0.0,0.10,123456789012345678901234567890]')));
never("White space and line ends between members are never changed.", (wire) =>
  passes(wire, body[wire](' ,\r\n\t"odd" : [ 1 ,\n2 ]\n')));
never("Escapes in a text are never changed: `\\u00e9` stays `\\u00e9`, and `\\/` stays `\\/`.", (wire) =>
  passes(wire, body[wire]("", '[{"role":"user","content":"caf\\u00e9 a\\/b \\ud83d\\ude00 \\t"}]')));
never("A member that the proxy does not know is never taken away.", (wire) =>
  passes(wire, body[wire](',"of_tomorrow":{"a":null},"x-odd":[]')));
never("A message is never added, taken away, joined or put elsewhere.", (wire) =>
  passes(wire, body[wire]("", '[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":""},' +
    '{"role":"user","content":"a"}]')));
never("No word is ever added to what you ask, whatever contract the answer is held to.", async (wire) => {
  for (const mode of ["observe", "enforce"]) {
    proxy.script({ text: "no quiz" });
    const text = body[wire]("");
    await (await fetch(proxy.origin + paths[wire], {
      method: "POST", body: text, headers: { "content-type": "application/json", "x-plumb-contract": "quiz", "x-plumb-mode": mode },
    })).text();
    // A binding contract wants a stream, so that a broken answer can be stopped: nothing else is different.
    const asked = { ...proxy.asked()[0] };
    delete asked.stream;
    delete asked.stream_options;
    assert.deepEqual(asked, JSON.parse(real(wire, text)));
  }
});
never("A schema is never rewritten, whatever its keywords.", (wire) => passes(wire, body[wire](`,"tools":[${tool[wire]("t",
  '{"type":"object","properties":{"a":{"minimum":1.50,"maxLength":3}},"if":{},"then":{},"x-odd":1}')}]`)));
never("No setting is ever added: no temperature, no seed, no limit of tokens.", async (wire) => {
  await passes(wire, body[wire](""));
  proxy.script({ text: "fine" });
  const text = body[wire](',"stream":true');
  await (await fetch(proxy.origin + paths[wire], { method: "POST", body: text, headers: { "content-type": "application/json" } })).text();
  const asked = { ...proxy.asked()[0] };
  if (wire === "openai") {
    assert.deepEqual(asked.stream_options, { include_usage: true });
    delete asked.stream_options;
  }
  assert.deepEqual(asked, JSON.parse(real(wire, text)));
});
never("An image, a file or a recording is never fetched, scaled or encoded again.", (wire) => {
  const parts = {
    openai: '[{"type":"image_url","image_url":{"url":"http://127.0.0.1:1/a.png"}},{"type":"input_audio","input_audio":{"data":"AA+/","format":"wav"}}]',
    anthropic: '[{"type":"image","source":{"type":"url","url":"http://127.0.0.1:1/a.png"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA+/"}}]',
    responses: '[{"type":"input_image","image_url":"http://127.0.0.1:1/a.png"},{"type":"input_file","file_data":"data:application/pdf;base64,AA+/"}]',
  };
  return passes(wire, body[wire]("", `[{"role":"user","content":${parts[wire]}}]`));
});
never("A cookie, your key, and any header that is not listed never reach a provider.", async (wire) => {
  await passes(wire, body[wire](""), { cookie: "session=1", authorization: "Bearer mine", "x-odd": "1", "x-plumb-mode": "" });
  const { headers } = proxy.asked();
  assert.equal(headers.cookie, undefined);
  assert.equal(headers["x-odd"], undefined);
  assert.ok(!JSON.stringify(headers).includes("mine"));
});
never("A request without a contract, a format or a tool is never judged.", async (wire) => {
  const { response, answer } = await passes(wire, body[wire](""));
  assert.equal(response.headers.get("x-plumb-verdict"), null);
  assert.equal(answer, proxy.upstream.bytes("real"));
});

test("never: every sentence of the page is tested", () => {
  assert.deepEqual(sentences.filter((sentence) => !tested.has(sentence)), []);
});
