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

test("contracts that are kept beyond the bound are refused with what to do, and cost little until then", async () => {
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
  assert.equal(kept.length, 65_536);
  const each = plumb.memoryBytes / kept.length;
  assert.ok(each < 3000, `${each} bytes each`);
  for (const contract of kept) {
    contract.dispose();
  }
  assert.equal(plumb.contract(true).check("1").valid, true);
});

/** A started module, and the memories of its instances: the first and those that take its place. */
async function withMemories() {
  const { Instance, instantiate } = WebAssembly;
  const memories = [];
  const noted = (instance) => {
    memories.push(instance.exports.memory);
    return instance;
  };
  WebAssembly.instantiate = async (...given) => noted(await instantiate(...given));
  WebAssembly.Instance = new Proxy(Instance, { construct: (target, given) => noted(new target(...given)) });
  const plumb = await load();
  return {
    plumb,
    sizes: () => memories.map((memory) => memory.buffer.byteLength),
    restore: () => Object.assign(WebAssembly, { Instance, instantiate }),
  };
}

const keepsAll = 100_000; // items of 490 bytes, which uniqueItems has to remember
const large = `[${Array.from({ length: keepsAll }, (_, i) => `["${"item".repeat(120)} ${i}"]`).join(",")}]`;

test("an instance that has grown beyond 64 MB is replaced, and contracts go on in the new one", async () => {
  const { plumb, sizes, restore } = await withMemories();
  try {
    const unique = plumb.contract({ uniqueItems: true });
    const quiz = plumb.contract("quiz");
    const open = quiz.stream();
    open.push(faultyQuiz.slice(0, 300));
    const [before] = sizes();
    for (let times = 1; times <= 2; ++times) {
      assert.equal(unique.check(large).valid, true);
      assert.equal(sizes().length, times + 1, `instances of ${sizes()} bytes`);
      assert.ok(sizes().at(-2) > 64 << 20, `the one that was replaced has ${sizes().at(-2)} bytes`);
      assert.equal(plumb.memoryBytes, sizes().at(-1));
      assert.ok(plumb.memoryBytes <= before, `the new one has ${plumb.memoryBytes} bytes`);
    }
    assert.equal(unique.check("[1,1]").valid, false);
    assert.equal(quiz.check(faultyQuiz).findings.length, 3);
    open.push(faultyQuiz.slice(300));
    assert.deepEqual(open.end(), quiz.check(faultyQuiz));
    assert.equal(sizes().length, 3, "none is replaced that has not grown");
  } finally {
    restore();
  }
});

test("a text that is a byte longer needs no more memory than a little", async () => {
  const plumb = await load();
  const any = plumb.contract(true);
  const text = (size) => `"${"a".repeat(size - 2)}"`;
  const sized = (size) => {
    any.check(text(size));
    any.check(new Uint8Array(Buffer.from(text(size))));
    return plumb.memoryBytes;
  };
  for (let size = 1 << 16; size <= 1 << 22; size *= 2) {
    const memory = sized(size);
    assert.ok(sized(size + 1) <= memory + (4 << 20), `${size} bytes: ${memory}, one more: ${plumb.memoryBytes}`);
  }
  assert.ok(plumb.memoryBytes <= 32 << 20, `${plumb.memoryBytes} bytes`);
  for (let i = 0; i < 3; ++i) {
    sized(1 << 26); // in pieces
  }
  assert.ok(plumb.memoryBytes <= 32 << 20, `${plumb.memoryBytes} bytes`);
});

test("memory that grows grows in few steps", async () => {
  const { plumb, sizes, restore } = await withMemories();
  try {
    const unique = plumb.contract({ uniqueItems: true });
    const stream = unique.stream();
    const seen = new Set();
    for (let from = 0; from < large.length; from += 50_000) {
      stream.push(large.slice(from, from + 50_000));
      seen.add(sizes()[0]);
    }
    assert.equal(stream.end().valid, true);
    assert.ok(seen.size > 3 && seen.size < 40, `${seen.size} sizes`);
  } finally {
    restore();
  }
});

test("texts of every length around what is given whole, what goes in pieces and what the buffer keeps", async () => {
  const any = (await load()).contract({ type: "array", items: { type: "string", maxLength: 10 } });
  for (const edge of [255, 256, 87_381, 1 << 18, 1 << 20, 1 << 22]) {
    for (const fill of ["a", "\u00e9", "\u20ac", "\u{1f600}"]) {
      for (const more of [-1, 0, 1]) {
        const units = edge + more;
        const text = `["${fill.repeat(Math.floor((units - 5) / fill.length))}"`.padEnd(units - 1, " ");
        const bytes = new Uint8Array(Buffer.from(`${text}]`));
        const where = `${JSON.stringify(fill)}, ${units} units`;
        const verdict = any.check(`${text}]`);
        assert.equal(verdict.findings.length, 1, where);
        const { span } = verdict.findings[0];
        assert.equal(text.slice(span.utf16From, span.utf16To), text.trimEnd().slice(1), where);
        assert.deepEqual(any.check(bytes), verdict, where);
        assert.deepEqual(
          any.check(text).findings.map((finding) => finding.rule),
          ["syntax", "maxLength"],
          where,
        );
      }
    }
  }
});
