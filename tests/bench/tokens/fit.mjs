// node fit.mjs FOLDER COUNTER [--write FILE]: fits the weights of the estimate of tokens and prints what it errs by.
//
// FOLDER holds train.jsonl and test.jsonl (corpus.py), COUNTER is the program token_features. For each encoding the
// weights minimise the squared relative error over the chunks for training, every class counting alike, with a ridge
// that keeps what was hardly seen small: conjugate gradients on the normal equations, without any chance. --write
// writes the table that core/text/token_weights.cpp is.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GptEncoding } from "gpt-tokenizer/GptEncoding";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";
import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";

const [folder, counter, option, target] = process.argv.slice(2);
const encodings = {
  o200k_base: GptEncoding.getEncodingApi("o200k_base", () => o200k),
  cl100k_base: GptEncoding.getEncodingApi("cl100k_base", () => cl100k),
};
const ridge = Number(process.env.RIDGE ?? 1e-5);
const few = 100; // a class of fewer texts counts less, so that nothing is learned by heart
const steps = Number(process.env.STEPS ?? 400);

function texts(half) {
  return readFileSync(join(folder, `${half}.jsonl`), "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

// Counting 20,000 chunks takes a minute, so it is kept beside them.
function reference(half, rows) {
  const file = join(folder, `${half}.counts.json`);
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, "utf8"));
    if (kept.length === rows.length) return kept;
  }
  const counts = rows.map((row) =>
    Object.fromEntries(Object.entries(encodings).map(([name, api]) => [name, api.encode(row.text, { disallowedSpecial: new Set() }).length])));
  writeFileSync(file, JSON.stringify(counts));
  return counts;
}

/** The counts of all texts, row by row in one piece: those of row i stand from starts[i] to starts[i + 1]. */
function featured(rows) {
  const pieces = [];
  for (const { text } of rows) {
    const bytes = Buffer.from(text, "utf8");
    pieces.push(Buffer.from(`${bytes.length}\n`), bytes);
  }
  const out = execFileSync(counter, { input: Buffer.concat(pieces), maxBuffer: 1 << 30 }).toString().trimEnd().split("\n");
  const [prior, firm] = [1, 2].map((line) => Float64Array.from(out[line].trim().split(" "), Number));
  const ridges = firm.map((times) => ridge * times);
  const starts = new Uint32Array(out.length - 2);
  const features = [];
  const counts = [];
  for (let i = 1; i + 2 < out.length; ++i) {
    for (const pair of out[i + 2].trim().split(" ")) {
      const [feature, count] = pair.split(":");
      features.push(Number(feature));
      counts.push(Number(count));
    }
    starts[i] = features.length;
  }
  return { size: Number(out[0]), prior, ridges, rows: rows.length, starts, features: Uint32Array.from(features), counts: Float64Array.from(counts) };
}

function costs(data, weights) {
  const out = new Float64Array(data.rows);
  for (let i = 0; i < data.rows; ++i) {
    let sum = 0;
    for (let k = data.starts[i]; k < data.starts[i + 1]; ++k) sum += data.counts[k] * weights[data.features[k]];
    out[i] = sum;
  }
  return out;
}

function fit(data, y, weight) {
  const { size, rows, starts, features, counts, ridges } = data;
  const add = (into, values) => {
    for (let i = 0; i < rows; ++i) {
      const value = values[i] * weight[i];
      for (let k = starts[i]; k < starts[i + 1]; ++k) into[features[k]] += value * counts[k];
    }
    return into;
  };
  const apply = (v) => {
    const out = add(new Float64Array(size), costs(data, v));
    for (let f = 0; f < size; ++f) out[f] += ridges[f] * v[f];
    return out;
  };
  const scale = Float64Array.from(ridges);
  for (let i = 0; i < rows; ++i) {
    for (let k = starts[i]; k < starts[i + 1]; ++k) scale[features[k]] += weight[i] * counts[k] * counts[k];
  }
  const x = new Float64Array(size);
  const r = add(new Float64Array(size), y);
  let p = r.map((value, f) => value / scale[f]);
  let rz = r.reduce((sum, value, f) => sum + (value * value) / scale[f], 0);
  for (let step = 0; step < steps; ++step) {
    const ap = apply(p);
    let pap = 0;
    for (let f = 0; f < size; ++f) pap += p[f] * ap[f];
    if (pap === 0) break;
    const alpha = rz / pap;
    let next = 0;
    for (let f = 0; f < size; ++f) {
      x[f] += alpha * p[f];
      r[f] -= alpha * ap[f];
      next += (r[f] * r[f]) / scale[f];
    }
    for (let f = 0; f < size; ++f) p[f] = r[f] / scale[f] + (next / rz) * p[f];
    rz = next;
  }
  return x;
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];

export function table(rows, estimate, actual, by = (row) => row.class) {
  const errors = new Map();
  rows.forEach((row, i) => {
    const key = by(row);
    if (!errors.has(key)) errors.set(key, []);
    errors.get(key).push((estimate[i] - actual[i]) / actual[i]);
  });
  return [...errors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => {
    const size = list.map(Math.abs).sort((a, b) => a - b);
    return {
      key,
      chunks: list.length,
      bias: list.reduce((a, b) => a + b, 0) / list.length,
      mean: size.reduce((a, b) => a + b, 0) / size.length,
      p95: quantile(size, 0.95),
      under: list.filter((e) => e < -0.1).length / list.length,
    };
  });
}

const percent = (x) => (100 * x).toFixed(1).padStart(6);
function print(title, lines) {
  console.log(title);
  for (const l of lines) {
    console.log(`  ${l.key.padEnd(14)} ${String(l.chunks).padStart(6)}  bias ${percent(l.bias)}  mean ${percent(l.mean)}  p95 ${percent(l.p95)}  under by >10 % ${percent(l.under)}`);
  }
}

const train = texts("train");
const test = texts("test");
const trainData = featured(train);
const testData = featured(test);
const trainCounts = reference("train", train);
const testCounts = reference("test", test);
const classes = {};
for (const row of train) classes[row.class] = (classes[row.class] ?? 0) + 1;
const weights = {};
for (const name of Object.keys(encodings)) {
  const y = trainCounts.map((c) => c[name]);
  const weight = train.map((row, i) => 1 / (y[i] * y[i] * Math.max(classes[row.class], few)));
  const started = Date.now();
  // What was never seen costs what is expected of its kind, not nothing.
  const expected = costs(trainData, trainData.prior);
  const w = fit(trainData, y.map((cost, i) => cost - expected[i]), weight).map((value, f) => value + trainData.prior[f]);
  weights[name] = w;
  print(`${name} train (${Date.now() - started} ms)`, table(train, costs(trainData, w), y));
  const z = testCounts.map((c) => c[name]);
  const estimate = costs(testData, w);
  print(`${name} test`, table(test, estimate, z));
  if (process.env.LANGS) print(`${name} test by language`, table(test, estimate, z, (row) => `${row.class} ${row.lang}`));
}
if (option === "--write") {
  // In steps of 28 thousandths, and nothing for less than 24: hardly anything is lost that can be measured, and the tables
  // are packed better.
  const stepped = (value) => (Math.abs(value) < 0.024 ? 0 : Math.round((value * 1000) / 28) * 28);
  const listed = (values) => {
    const lines = [];
    let line = "   ";
    for (const value of values) {
      const text = ` ${Math.max(-32000, Math.min(32000, stepped(value))) + 0},`;
      if (line.length + text.length > 120) {
        lines.push(line);
        line = "   ";
      }
      line += text;
    }
    return [...lines, line].join("\n");
  };
  writeFileSync(
    target,
    `// Fitted by tests/bench/tokens/fit.mjs; not to be edited.
// clang-format off
#include "core/text/token_weights.hpp"

#include "core/text/token_features.hpp"

namespace plumb::text::features {

${Object.entries(weights).map(([name, w]) => `const std::int16_t weights_${name}[] = {\n${listed(w)}\n};`).join("\n")}
const std::uint32_t weights_size = sizeof(weights_o200k_base) / sizeof(std::int16_t);
static_assert(sizeof(weights_o200k_base) / sizeof(std::int16_t) == count);
static_assert(sizeof(weights_cl100k_base) / sizeof(std::int16_t) == count);

}  // namespace plumb::text::features
`,
  );
}
