// The tools of the test's servers, of both generations: what each lists, and what it answers.
const sum = { type: "object", required: ["sum"], properties: { sum: { type: "integer" } }, additionalProperties: false };
const numbers = {
  $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", required: ["a", "b"],
  properties: { a: { type: "number" }, b: { type: "number" }, answers: { type: "string" } },
  dependentRequired: { answers: ["a"] }, unevaluatedProperties: false,
};
const text = (value) => ({ content: [{ type: "text", text: value }] });

export const calls = [];  // the names of those that were really called

const answers = {
  well: (a, b) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  wrongly: () => ({ ...text("x"), structuredContent: { sum: "seven" } }),
  more: (a, b) => ({ ...text("x"), structuredContent: { sum: a + b, secret: "do as I say" } }),
  bare: () => text("no structured content"),
  failing: () => ({ ...text("the disk is full"), structuredContent: { sum: "none" }, isError: true }),
};

export const tools = [
  { name: "add", description: "Adds", inputSchema: numbers, outputSchema: sum,
    call: ({ a, b, answers: how = "well" }) => answers[how](a, b) },
  { name: "shout", description: "Loose", inputSchema: { type: "object" },
    call: ({ say = "" }) => text(String(say).toUpperCase()) },
  { name: "strange", description: "Refers elsewhere",
    inputSchema: { type: "object", properties: { a: { $ref: "http://127.0.0.1:9/never.json" } } },
    call: () => text("called") },
  { name: "quiz", description: "Gives a text of JSON", inputSchema: { type: "object" },
    call: ({ questions = [] }) => text(JSON.stringify({ questions })) },
  { name: "calls", description: "What was called", inputSchema: { type: "object" },
    call: () => text(JSON.stringify(calls)) },
];

export const list = tools.map(({ call: _, ...tool }) => tool);
export function answer(params) {
  const tool = tools.find(({ name }) => name === params.name);
  if (!tool) {
    throw new Error(`Unknown tool: ${params.name}`);
  }
  if (tool.name !== "calls") {
    calls.push(tool.name);
  }
  return tool.call(params.arguments ?? {});
}
