// Memory is used again; what nobody refers to is freed; an instance that has grown is replaced.
import assert from "node:assert/strict";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { cleanQuiz, faultyQuiz, importPackage } from "./support.mjs";

const { load } = await importPackage();
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Lets finalizers run. */
async function settle() {
  for (let i = 0; i < 3; ++i) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("ten thousand checks need no more memory than the first", async () => {
  const plumb = await load();
  const quiz = plumb.contract("quiz");
  const clean = cleanQuiz(20);
  for (let i = 0; i < 200; ++i) {
    quiz.check(clean);
    quiz.check(faultyQuiz, { context: { round: i % 20 } });
    quiz.stream().end();
  }
  const before = plumb.memoryBytes;
  for (let i = 0; i < 5000; ++i) {
    quiz.check(clean);
    quiz.check(faultyQuiz, { context: { round: i % 20 } });
    const stream = quiz.stream();
    stream.push(clean.slice(0, 500));
    i % 2 === 0 ? stream.end() : stream.dispose();
  }
  assert.equal(plumb.memoryBytes, before);
});

test("contracts and streams that nobody refers to are freed: more of them than can live at once", async () => {
  const plumb = await load();
  for (let i = 0; i < 70_000; ++i) {
    plumb.contract({ const: i }).stream().push("1");
    if (i % 500 === 499) {
      await settle();
    }
  }
  assert.ok(plumb.memoryBytes < 64 * 1024 * 1024, `${plumb.memoryBytes} bytes`);
});

// Skipped, and to be mended: reading 65,536 contracts one after another takes minutes.
const slow = "reading 65,536 contracts takes minutes";
test("contracts that are kept beyond the bound are refused with what to do", { skip: slow }, async () => {
  const plumb = await load();
  const kept = [];
  assert.throws(
    () => {
      for (let i = 0; i <= 65_536; ++i) {
        kept.push(plumb.contract(true));
      }
    },
    { code: "limit", message: /dispose/ },
  );
  for (const contract of kept) {
    contract.dispose();
  }
  assert.equal(plumb.contract(true).check("1").valid, true);
});

test("an instance that has grown beyond 64 MB is replaced, and contracts go on in the new one", async () => {
  const plumb = await load();
  const unique = plumb.contract({ uniqueItems: true });
  const quiz = plumb.contract("quiz");
  const open = quiz.stream();
  open.push(faultyQuiz.slice(0, 300));
  const before = plumb.memoryBytes;
  const large = `[${Array.from({ length: 100_000 }, (_, i) => `"${"item".repeat(120)} ${i}"`).join(",")}]`;
  assert.equal(unique.check(large).valid, true);
  assert.ok(plumb.memoryBytes <= before + (16 << 20), `${plumb.memoryBytes} bytes are kept`);
  assert.equal(unique.check("[1,1]").valid, false);
  assert.equal(quiz.check(faultyQuiz).findings.length, 3);
  open.push(faultyQuiz.slice(300));
  assert.deepEqual(open.end(), quiz.check(faultyQuiz));
});
