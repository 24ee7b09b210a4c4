// node runs_bench.mjs MODULE: what a step of a run costs in WebAssembly, with a module of tests (plumb-runs-test.wasm) and its
// pipeline `steps`: one question after the other, each with 2,000 bytes out and 2,000 back, two entries each.
//
//   step    the pipeline is called again and nothing is new: what a step costs beyond what is new
//   round   a reply goes in, is stored, the run goes on, the next request comes out, its attempt is stored
//   verify  a stored journal is read, and its requests are held against what the pipeline asks now, once
import { readFileSync } from "node:fs";

const compiled = new WebAssembly.Module(readFileSync(process.argv[2]));
const decoder = new TextDecoder();
const encoder = new TextEncoder();
const sizes = [200, 2000];
const meant = { step: { 200: 0.5, 2000: 2 }, verify: { 2000: 200 } };
const filling = "y".repeat(2000);

function fresh() {
  const { exports: wasm } = new WebAssembly.Instance(compiled, {});
  wasm._initialize();
  const frame = wasm.plumb_frame();
  const put = (...texts) => {
    const all = texts.map((text) => encoder.encode(text));
    let at = wasm.plumb_buffer(Math.max(1, all.reduce((sum, { length }) => sum + length, 0)), 0);
    for (const bytes of all) {
      new Uint8Array(wasm.memory.buffer).set(bytes, at);
      at += bytes.length;
    }
    return all.map(({ length }) => length);
  };
  const result = () => {
    const [at, length] = new Uint32Array(wasm.memory.buffer, frame, 2);
    return decoder.decode(new Uint8Array(wasm.memory.buffer, at, length));
  };
  const take = (run) => (wasm.plumb_run_take(run), result());
  return { wasm, put, result, take };
}

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const rows = [];
const row = (what, entries, ms) => {
  const mark = meant[what]?.[entries];
  const miss = mark !== undefined && ms > mark ? " !" : "";
  rows.push(
    `${what.padEnd(8)}${String(entries).padStart(8)}${ms.toFixed(3).padStart(12)}${(mark === undefined ? "-" : `${mark}`).padStart(10)}${miss}`,
  );
};

const { wasm, put, result, take } = fresh();
const request = { pipeline: "steps", id: "r1", request: { count: 5000, bytes: 2000 }, now: 1 };
if (wasm.plumb_run_start(put(JSON.stringify(request))[0]) === 0) throw new Error(result());
const { run } = JSON.parse(result());
const lines = [take(run)];
let entries = 1;
let now = 1;
let rounds = [];
wasm.plumb_run_step(run, ++now);
for (const size of sizes) {
  while (entries < size) {
    const from = performance.now();
    wasm.plumb_run_wanted(run);
    const [{ key }] = JSON.parse(result());
    if (wasm.plumb_run_attempt(run, put(key)[0], ++now) !== 1) throw new Error("not attempted");
    const attempt = take(run);
    const reply = JSON.stringify({ key, status: "ok", value: { text: filling } });
    if (wasm.plumb_run_reply(run, put(reply)[0], ++now) !== 1) throw new Error("not taken");
    const stored = take(run);
    wasm.plumb_run_step(run, ++now);
    rounds.push(performance.now() - from);
    lines.push(attempt, stored);
    entries += 2;
  }
  row("round", size, median(rounds.slice(-50)));
  const times = [];
  for (let i = 0; i < 200; ++i) {
    const from = performance.now();
    wasm.plumb_run_step(run, ++now);
    times.push(performance.now() - from);
  }
  row("step", size, median(times));
}
const loaded = [];
for (let i = 0; i < 5; ++i) {
  const other = fresh();
  const from = performance.now();
  if (other.wasm.plumb_run_resume(...other.put(lines.join(""), '{"now":1}')) === 0) throw new Error(other.result());
  other.wasm.plumb_run_step(JSON.parse(other.result()).run, ++now);
  loaded.push(performance.now() - from);
}
row("verify", sizes.at(-1), median(loaded));

console.log(`${"runs".padEnd(8)}${"entries".padStart(8)}${"ms".padStart(12)}${"at most".padStart(10)}`);
console.log(rows.join("\n"));
