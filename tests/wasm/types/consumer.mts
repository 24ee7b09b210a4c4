// What a TypeScript program sees; compiled, not run. Each @ts-expect-error is a misuse that must not compile.
import {
  keywords,
  load,
  PlumbError,
  type Artifact,
  type Author,
  type Budget,
  type BudgetAnswer,
  type Contract,
  type Decision,
  type DeepPartial,
  type Effect,
  type Explanation,
  type Finding,
  type LintReport,
  type Note,
  type Plumb,
  type Position,
  type Replayed,
  type RunResult,
  type Samples,
  type Schema,
  type StandardJsonSchemaLike,
  type Stream,
  type StreamedValue,
  type ValueChange,
  type ValueState,
  type Verdict,
  type WindowAnswer,
} from "@plumbline/plumbline";

const plumb: Plumb = await load();
await load("https://example.org/plumb-check.wasm");
await load(new Uint8Array(8));
// @ts-expect-error a number is no source
await load(5);

const quiz: Contract = plumb.contract("quiz");
plumb.contract({ type: "object" }, { documents: { "https://example.org/a": true, b: "{}" }, dialect: "draft-07" });
plumb.contract(true, { assertFormats: true, name: "any", uri: "https://example.org/" });
// @ts-expect-error no such dialect
plumb.contract(true, { dialect: "draft-3" });
// @ts-expect-error no such option
plumb.contract(true, { assertFormat: true });
// @ts-expect-error a list is no schema
plumb.contract(["a"]);

const verdict: Verdict = quiz.check("{}", { context: { a: 1 }, limits: { depthMax: 5 } });
quiz.check(new Uint8Array(2));
quiz.check({ any: ["value", 1, null] });
// @ts-expect-error no such limit
quiz.check("{}", { limits: { depth: 5 } });
const decision: Decision = verdict.decision;
// @ts-expect-error no such decision
const wrong: boolean = decision === "maybe";
for (const finding of verdict.findings) {
  const place: [number, number] = [finding.span.line, finding.span.column];
  const label: string | undefined = finding.item;
  const partial: boolean | undefined = finding.partial;
  void [place, label, partial];
}
// @ts-expect-error a verdict is not changed
verdict.valid = true;

const stream: Stream = quiz.stream({ context: "{}" });
const certain: readonly Finding[] = stream.push("{");
stream.push(new Uint8Array(1));
// @ts-expect-error a number is no chunk
stream.push(5);
const detail: string | undefined = stream.signals[0]?.detail;
const soFar: StreamedValue = stream.value();
const valueState: ValueState = soFar.state;
const changes: readonly ValueChange[] = stream.changes();
const place: "growing" | "complete" | undefined = stream.stateAt("/questions/0");
const end: Verdict = stream.end();
void [certain, detail, end, wrong, soFar.growing, valueState, changes[0]?.added, place];
{
  const typed = plumb.contract<{ kind: "easy" | "hard"; items: { n: number; tags?: readonly string[] }[]; on: boolean | null }>("x").stream();
  const partial = typed.value().value;
  const kind: string | undefined = partial?.kind; // half of a word is no word yet
  const n: number | undefined = partial?.items?.[0]?.n;
  const tag: string | undefined = partial?.items?.[0]?.tags?.[0];
  const on: boolean | null | undefined = partial?.on;
  // @ts-expect-error it may be half of a word
  const known: "easy" | "hard" | undefined = partial?.kind;
  // @ts-expect-error it may not be there yet
  partial?.items[0];
  // @ts-expect-error a value is not changed
  typed.value().value = {};
  const inferred = plumb.contract({ type: "object", properties: { a: { type: "array", items: { enum: [1, 2] } } } }).stream();
  const items: (1 | 2)[] | undefined = inferred.value().value?.a;
  const whole: DeepPartial<{ a: [number, string] }> = { a: [1] };
  void [kind, n, tag, on, known, items, whole];
}

const feedback: string = quiz.render(verdict, "llm", { tool: "submit_quiz" });
plumb.render([{ file: "a", verdict }], "json");
// @ts-expect-error reports are the author module's
quiz.render(verdict, "sarif");
const author: Author = await plumb.author();
const text: string = author.render(verdict, "text", { color: true, file: "a.json" });
author.render([{ file: "a", verdict }], "sarif");
// @ts-expect-error no such format
author.render(verdict, "yaml");
const meaning: string | undefined = author.explain("minItems")?.meaning;
const rules: readonly Explanation[] = author.explanations;
const { made: samples, notMade }: Samples = author.sample(quiz, { kind: "broken", rule: "minItems", seed: 7 });
const broken: string | undefined = samples[0]?.artifact ?? notMade[0]?.reason;
const lint: LintReport = author.lint({ type: "string" }, { file: "a.json" });
const edits: number | undefined = lint.findings[0]?.fix?.edits.length;
// @ts-expect-error no such kind
author.sample(quiz, { kind: "good" });
void [broken, edits];
const names: readonly string[] = plumb.contracts.map((one) => one.name);
const words: readonly string[] = keywords;
const version: string = plumb.version;
void [feedback, meaning, rules, text, names, words, version, plumb.keywords];

try {
  quiz.dispose();
} catch (error) {
  if (error instanceof PlumbError) {
    const code: "invalid_argument" | "invalid_contract" | "not_found" | "limit" | "unavailable" | "trap" = error.code;
    const line: number = error.line;
    void [code, line];
  }
}
{
  using contract = plumb.contract("quiz");
  using open = contract.stream();
  open.push("");
}

// Runs.
declare function ask(body: string, signal: Effect["signal"]): Promise<string>;
const model = async ({ request, signal }: Effect) => ({ value: { text: await ask(JSON.stringify(request), signal) } });
const run = await plumb.run("artifact", { artifact_type: "quiz" }, { fulfil: model });
for await (const note of run) {
  const told: [number, string, unknown] = [note.n, note.kind, note.value];
  void (told satisfies unknown as Note[] | unknown);
}
const ended: RunResult = await run.result;
const state: "done" | "failed" | "cancelled" = ended.state;
await plumb.run("artifact", {}, { fulfil: plumb.extract, journal: run.journal, onEntry: ({ line }) => void line });
await plumb.run("artifact", {}, { fulfil: () => "a text", journal: run.journal.text, strict: true });
// @ts-expect-error somebody has to fulfil
await plumb.run("artifact", {}, {});
// @ts-expect-error a number is no reply
await plumb.run("artifact", {}, { fulfil: () => 5 });
// @ts-expect-error no such status
await plumb.run("artifact", {}, { fulfil: () => ({ status: "fine" }) });
const replay = await plumb.replay({ lines: run.journal.lines, blobs: run.journal.blobs });
const position: Position = replay.at(0);
const saved: number = position.tokens.saved;
const replayed: Replayed = replay.verify();
void [state, saved, replayed.same, run.cancel(), (await plumb.pipelines())[0]?.purpose];
const budget: Budget = await plumb.budget();
const left: BudgetAnswer<WindowAnswer> = budget.window({ model: "gpt-4o", system: 2000, task: "a text", output: 1000 });
if (left.valid) {
  const available: number | null = left.available;
  void available;
} else {
  const place: string | undefined = left.findings[0]?.at;
  void place;
}
const shares = budget.shares({ total: 8000, sources: [{ id: "a", severity: "error", parent: 500, chunks: [] }] });
void (shares.valid && shares.shares.error.share);
// @ts-expect-error no such severity
budget.shares({ total: 1, sources: [{ id: "a", severity: "fatal" }] });
// @ts-expect-error the readings of a run are a list
budget.pressure({ window: 1000, readings: 5 });

// What is given by mistake does not compile, nor does what may be anything.
declare const anything: unknown;
// @ts-expect-error a promise is not awaited
quiz.check(Promise.resolve("{}"));
// @ts-expect-error it may be anything
quiz.check(anything);
// @ts-expect-error nothing at all
quiz.check(undefined);
// @ts-expect-error a Map holds nothing as JSON
quiz.check(new Map([["a", 1]]));
// @ts-expect-error a function
quiz.check(() => "{}");
// @ts-expect-error a contract is no artifact
quiz.check(quiz);
// @ts-expect-error a stream is pushed
quiz.check((async function* () {})());
interface Answer {
  then: string;
  text: string;
}
declare const answer: Answer;
quiz.check(answer);
quiz.check(anything as Artifact);
quiz.check(JSON.parse("{}"));

// Values: of a type that is said, or that a schema says.
interface Quiz {
  questions: { question: string; options: string[] }[];
}
const typed = plumb.contract<Quiz>("quiz").check("{}");
if (typed.valid) {
  const first: string | undefined = typed.value.questions[0]?.options[0];
  void first;
} else {
  const why: string[] = typed.findings.map(({ message }) => message.trim());
  void why;
}
// @ts-expect-error there is perhaps no value
typed.value.questions;
const inferred = plumb.contract({
  type: "object",
  required: ["name", "kind", "tags", "next"],
  properties: {
    name: { type: "string" },
    kind: { enum: ["a", "b", 3] },
    age: { type: ["integer", "null"] },
    tags: { type: "array", items: { $ref: "#/$defs/tag" } },
    next: { anyOf: [{ $ref: "#" }, { type: "null" }] },
    loose: { properties: { a: { type: "string" } } },
  },
  $defs: { tag: { const: "red" } },
});
type Inferred = NonNullable<ReturnType<typeof inferred.check>["value"]>;
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const name: Same<Inferred["name"], string> = true;
const kind: Same<Inferred["kind"], "a" | "b" | 3> = true;
const age: Same<Inferred["age"], number | null | undefined> = true;
const tags: Same<Inferred["tags"], "red"[]> = true;
const loose: Same<Inferred["loose"], unknown> = true; // without a type beside it a member may be anything
declare const made: Inferred;
const next: string | undefined = made.next?.next?.name;
void [name, kind, age, tags, loose, next];
const wide: unknown = plumb.contract({ type: "object" } as Schema).check("{}").value;
const texts: Verdict<string[]> = plumb.contract({ type: "array", items: { type: "string" } }).stream().end();
void [wide, texts];

// Standard Schema, both ways.
const result = inferred["~standard"].validate(anything);
const kept: string | undefined = result.issues === undefined ? result.value.name : result.issues[0]?.message;
declare const foreign: StandardJsonSchemaLike<{ a: number }>;
const turned = plumb.contract(foreign).check("{}");
const a: number | undefined = turned.valid ? turned.value.a : undefined;
const asked: Record<string, unknown> = inferred["~standard"].jsonSchema.input({ target: "draft-07" });
void [kept, a, asked];
