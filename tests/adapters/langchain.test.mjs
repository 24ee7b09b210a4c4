// @langchain/core: a contract as a structured output, a tool's schema and an output parser; its streams judged.
import assert from "node:assert/strict";
import test from "node:test";
import { StandardSchemaOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { format, good, judge, plumb, quiz, readValues, values, why, wrong } from "./support.mjs";

test("prompt, model and parser from one contract", async () => {
  const model = new FakeListChatModel({ responses: [JSON.stringify(good), JSON.stringify(wrong)] });
  const prompt = ChatPromptTemplate.fromMessages([
    ["system", "{wanted}"],
    ["user", "{about}"],
  ]);
  const chain = prompt.pipe(model).pipe(StandardSchemaOutputParser.fromSerializableSchema(quiz));
  const ask = () => chain.invoke({ wanted: format.prompt, about: "A quiz, please." });
  assert.deepEqual(await ask(), good);
  await assert.rejects(ask(), (error) => error.message.includes(why));
  assert.deepEqual(toJsonSchema(format), format.schema);
});

test("a tool takes the contract's JSON Schema, and judges its input by it", async () => {
  const three = plumb.contract({ type: "object", required: ["n"], properties: { n: { type: "integer", multipleOf: 3 } } });
  const schema = three["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const third = tool(({ n }) => String(n / 3), { name: "third", description: "a third", schema });
  assert.equal(await third.invoke({ n: 9 }), "3");
  await assert.rejects(third.invoke({ n: 8 }), /schema/i);
});

test("a stream of messages is judged while it arrives", async () => {
  const model = new FakeListChatModel({ responses: [JSON.stringify(wrong)] });
  const verdict = await judge(quiz, await model.stream("A quiz, please."));
  assert.deepEqual(verdict.findings.map(({ message }) => message), [why]);
  const again = new FakeListChatModel({ responses: [JSON.stringify(good)] });
  assert.equal((await readValues(values(quiz, await again.stream("A quiz, please.")), good)).valid, true);
});
