// usePlumb in a component that is drawn again and again, as a text grows; and the types of the elements in JSX.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { parseHTML } from "linkedom";
import { givePackage } from "../wasm/support.mjs";
import { cut, good, here, plumb, quiz, why, wrong } from "./support.mjs";

const { window, document } = parseHTML("<!doctype html><html><body><div id=root></div></body></html>");
Object.assign(globalThis, { window, document, IS_REACT_ACT_ENVIRONMENT: true });

// An app of its own, in which the package finds its React.
const app = mkdtempSync(join(tmpdir(), "plumb-react-"));
after(() => rmSync(app, { recursive: true }));
mkdirSync(join(app, "node_modules/@types"), { recursive: true });
givePackage(app, { copy: true });
for (const name of ["react", "react-dom", "scheduler", "@types/react", "csstype"]) {
  symlinkSync(join(here, "node_modules", name), join(app, "node_modules", name), "dir");
}
writeFileSync(join(app, "package.json"), '{"name":"app","type":"module","private":true}');
writeFileSync(
  join(app, "app.js"),
  'export { usePlumb } from "@plumbline/plumbline/react"; export * as React from "react"; export { createRoot } from "react-dom/client";',
);
const { usePlumb, React, createRoot } = await import(join(app, "app.js"));
const { createElement, StrictMode, act } = React;

function drawn() {
  const root = createRoot(document.getElementById("root"));
  const seen = [];
  function Answer({ contract, text, options }) {
    const state = usePlumb(contract, text, options);
    seen.push(state);
    return createElement("p", null, state.state);
  }
  return {
    seen,
    last: () => seen.at(-1),
    async draw(contract, text, options) {
      await act(async () => root.render(createElement(StrictMode, null, createElement(Answer, { contract, text, options }))));
    },
    async end() {
      await act(async () => root.unmount());
    },
  };
}

test("findings come while the text grows, the verdict when it is done; only what is new is judged", async () => {
  const { draw, last, end } = drawn();
  await draw("quiz", "", { plumb });
  assert.equal(last().state, "empty");
  const text = JSON.stringify(wrong);
  let early = -1;
  for (let to = 0; to <= text.length; to += 9) {
    await draw("quiz", text.slice(0, to), { plumb });
    if (early < 0 && last().findings.length > 0) early = to;
  }
  assert.equal(last().state, "arriving");
  assert.ok(early > 0 && early < text.length - 9, "before the end");
  assert.equal(last().verdict, null);
  await draw("quiz", text, { plumb, done: true });
  assert.equal(last().state, "judged");
  assert.deepEqual(last().verdict.findings.map(({ message }) => message), [why]);
  assert.equal(document.querySelector("p").textContent, "judged");
  // Another answer begins anew, and a schema that is written in the component is the same one each time.
  for (const piece of ["[", "[1", "[1]"]) await draw({ type: "array", minItems: 2 }, piece, { plumb });
  await draw({ type: "array", minItems: 2 }, "[1]", { plumb, done: true });
  assert.deepEqual(last().findings.map(({ rule }) => rule), ["minItems"]);
  await draw({ type: "array", minItems: 2 }, "[1,2]", { plumb, done: true });
  assert.deepEqual([last().verdict.valid, last().verdict.value], [true, [1, 2]]);
  await end();
});

test("the value so far grows with the text, and is whole in the end", async () => {
  const { draw, last, end } = drawn();
  const text = `Here it is:\n${JSON.stringify(good)}`;
  await draw("quiz", "", { plumb, edits: "certain" });
  assert.deepEqual([last().value, last().valueState, last().growing], [undefined, "empty", undefined]);
  const lengths = [];
  for (let to = 0; to <= text.length; to += 9) {
    await draw("quiz", text.slice(0, to), { plumb, edits: "certain" });
    lengths.push(JSON.stringify(last().value ?? null).length);
    if (/"options":\["Mi[^"]*$/.test(text.slice(0, to))) {
      assert.ok("Mitochondria".startsWith(last().value.questions[0].options[0]));
      assert.deepEqual([last().valueState, last().growing], ["growing", "/questions/0/options/0"]);
    }
  }
  assert.deepEqual(lengths, [...lengths].sort((a, b) => a - b));
  await draw("quiz", text, { plumb, edits: "certain", done: true });
  assert.equal(last().verdict.valid, true);
  assert.deepEqual([last().value, last().valueState, last().growing], [good, "complete", undefined]);
  await draw("quiz", "[", { plumb, edits: "certain" });
  assert.deepEqual([last().value, last().valueState], [[], "growing"]);
  await draw("quiz", "[1,,", { plumb });
  await draw("quiz", "[1,,", { plumb, done: true });
  assert.deepEqual([last().value, last().valueState], [[1], "broken"]);
  await end();
});

test("a long text costs what is new: each piece is pushed once", async () => {
  let pushed = 0;
  const counting = {
    check: quiz.check,
    stream(options) {
      const stream = quiz.stream(options);
      const push = stream.push.bind(stream);
      stream.push = (piece) => ((pushed += piece.length), push(piece));
      return stream;
    },
  };
  const { draw, last, end } = drawn();
  const text = JSON.stringify({ questions: Array(40).fill(good.questions[0]) });
  let shown = "";
  for (const piece of cut(text, 50)) await draw(counting, (shown += piece), {});
  await draw(counting, text, { done: true });
  assert.equal(last().verdict.valid, true);
  assert.ok(pushed <= text.length * 2, `${pushed} of ${text.length} units`); // React's StrictMode begins everything twice
  await end();
});

test("what cannot be judged is told", async () => {
  const { draw, last, end } = drawn();
  await draw("quizz", "{}", { plumb });
  assert.equal(last().state, "failed");
  assert.equal(last().error.code, "not_found");
  await draw("quiz", "{}", { plumb: Promise.reject(new Error("no module")) });
  assert.match(String(last().error), /no module/);
  await end();
});

test("the hook can be required, and is the same", () => {
  const { usePlumb: required } = createRequire(join(app, "app.js"))("@plumbline/plumbline/react");
  assert.equal(typeof required, "function");
});

test("the elements and the hook have types in JSX", () => {
  writeFileSync(
    join(app, "view.tsx"),
    `import { useRef } from "react";
import { usePlumb } from "@plumbline/plumbline/react";
import type { PlumbPreview } from "@plumbline/plumbline/preview";

export function View({ text }: { text: string }) {
  const preview = useRef<PlumbPreview>(null);
  const { verdict, findings, value } = usePlumb<{ questions: string[] }>("quiz", text, { done: true, edits: "certain" });
  const early: string | undefined = value?.questions?.[0];
  const first: string | undefined = verdict?.valid ? verdict.value.questions[0] : findings[0]?.message;
  return (
    <section title={first ?? early}>
      <plumb-preview ref={preview} contract="quiz" value={text} edits="certain" format="quiz" className="x" />
      <plumb-intake objective="What?" />
      <plumb-budget readonly />
    </section>
  );
}
// @ts-expect-error no such element
export const wrong = <plumb-previw />;
`,
  );
  const options = { strict: true, jsx: "react-jsx", module: "ESNext", moduleResolution: "Bundler", target: "ES2022", noEmit: true };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...options, types: [] }, files: ["view.tsx"] }));
  try {
    execFileSync(process.execPath, [join(here, "node_modules/typescript/bin/tsc"), "-p", app], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    assert.fail(error.stdout);
  }
});
