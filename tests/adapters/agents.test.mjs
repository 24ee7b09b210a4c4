// @openai/agents: a contract is an agent's output type and a tool's parameters.
import assert from "node:assert/strict";
import test from "node:test";
import { Agent, run, setTracingDisabled, tool, Usage } from "@openai/agents";
import { format, good, plumb, quiz, why, wrong } from "./support.mjs";

setTracingDisabled(true);
const usage = () => new Usage();
const message = (text) => ({
  usage: usage(),
  output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] }],
});

function scripted(...answers) {
  const asked = [];
  return {
    asked,
    async getResponse(request) {
      asked.push(request);
      return answers.shift();
    },
    async *getStreamedResponse() {
      throw new Error("not streamed here");
    },
  };
}

for (const [what, outputType] of [
  ["a contract's format", format],
  ["a contract as it is", quiz],
]) {
  test(`${what} is an output type: prompt, schema and the whole contract`, async () => {
    const model = scripted(message(JSON.stringify(good)), message(JSON.stringify(wrong)));
    const agent = new Agent({ name: "maker", instructions: format.prompt, model, outputType });
    assert.deepEqual((await run(agent, "A quiz.")).finalOutput, good);
    assert.match(model.asked[0].systemInstructions, /correct_answer/);
    assert.equal(model.asked[0].outputType.type, "json_schema");
    assert.deepEqual(model.asked[0].outputType.schema.required, ["questions"]);
    const failed = await run(agent, "A quiz.").then(() => undefined, (error) => error);
    assert.ok(failed !== undefined, "a quiz that breaks its contract is no output");
    assert.ok(`${failed.message} ${failed.cause?.message ?? ""}`.includes(why) || /[Ii]nvalid output/.test(failed.message), failed.message);
  });
}

test("a contract is a tool's parameters: its input is judged before the tool is called", async () => {
  const parameters = plumb.contract({
    type: "object",
    required: ["n"],
    additionalProperties: false,
    properties: { n: { type: "integer", multipleOf: 3 } },
  });
  const called = [];
  const third = tool({ name: "third", description: "a third", parameters, execute: ({ n }) => (called.push(n), String(n / 3)) });
  const call = (callId, given) => ({
    usage: usage(),
    output: [{ type: "function_call", callId, name: "third", status: "completed", arguments: JSON.stringify(given) }],
  });
  const model = scripted(call("1", { n: 8 }), call("2", { n: 9 }), message("3"));
  const agent = new Agent({ name: "divider", instructions: "Divide.", model, tools: [third] });
  assert.equal((await run(agent, "9 / 3?")).finalOutput, "3");
  assert.deepEqual(called, [9]);
  assert.equal(model.asked[0].tools[0].parameters.properties.n.multipleOf, 3);
});
