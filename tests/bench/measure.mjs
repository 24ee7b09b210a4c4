// The measurement that Node and Chromium share. Each side gets the same bytes (or the same string) and gives a verdict.
import { ajvSides, zodSides } from './peers.mjs';

export const files = [
  ['quiz', 'quiz_10'], ['quiz', 'quiz_8kb'], ['quiz', 'quiz_1000'], ['quiz', 'quiz_20000'],
  ['flashcards', 'flashcards_10'], ['flashcards', 'flashcards_1000'], ['flashcards', 'flashcards_20000'],
  ['mindmap', 'mindmap_50'], ['mindmap', 'mindmap_5000'], ['mindmap', 'mindmap_100000'],
];
export const contractNames = ['quiz', 'flashcards', 'mindmap'];

// Milliseconds a call, the median over rounds; the sides take turns, so that what else the machine does hits all alike.
function measure(sides, { rounds = 7, roundMs = 60 } = {}) {
  const runs = new Map();
  for (const [name, run] of Object.entries(sides)) {
    const started = performance.now();
    let calls = 0;
    do {
      run();
      ++calls;
    } while (performance.now() - started < roundMs * 2);   // also the warm-up
    runs.set(name, { run, calls: Math.max(1, Math.round(calls / 2)), times: [] });
  }
  for (let round = 0; round < rounds; ++round) {
    for (const one of runs.values()) {
      const started = performance.now();
      for (let i = 0; i < one.calls; ++i) one.run();
      one.times.push((performance.now() - started) / one.calls);
    }
  }
  const result = {};
  for (const [name, one] of runs) {
    one.times.sort((a, b) => a - b);
    result[name] = one.times[one.times.length >> 1];
  }
  return result;
}

// What the valid file says when its last filled text is blank: every side must notice.
function damaged(contract, text) {
  const key = { quiz: '"explanation": "', flashcards: '"back": "', mindmap: '"label": "' }[contract];
  const from = text.lastIndexOf(key) + key.length;
  let to = from;
  while (text[to] !== '"') to += text[to] === '\\' ? 2 : 1;
  return `${text.slice(0, from)} ${text.slice(to)}`;
}

// load: the package's; bytesOf(name): a file's bytes; moduleBytes: plumb-check.wasm; report(row): called for each row.
export async function run({ load, contracts, bytesOf, moduleBytes, report, only = '' }) {
  const plumb = await load(moduleBytes);
  const ajv = ajvSides(contracts);
  const zod = zodSides();
  const decoder = new TextDecoder();

  for (const [contractName, file] of files) {
    if (!file.includes(only)) continue;
    const bytes = await bytesOf(file);
    const text = decoder.decode(bytes);
    const contract = plumb.contract(contractName);
    const bad = damaged(contractName, text);
    const badBytes = new TextEncoder().encode(bad);
    const says = {
      plumb: [contract.check(bytes).valid, contract.check(text).valid, contract.check(badBytes).valid,
        contract.check(bad).valid],
      ajv: [ajv[contractName](JSON.parse(text)), true, ajv[contractName](JSON.parse(bad)), false],
      zod: [zod[contractName](JSON.parse(text)), true, zod[contractName](JSON.parse(bad)), false],
    };
    for (const [side, [a, b, c, d]] of Object.entries(says)) {
      if (!a || !b || c || d) throw new Error(`${file}: ${side} gives a wrong verdict: ${[a, b, c, d]}`);
    }
    // As a reader gives them: each piece is there before the stream sees it.
    const pieces = [];
    for (let i = 0; i < bytes.length; i += 20) pieces.push(bytes.slice(i, i + 20));
    const inPieces = () => {
      const stream = contract.stream();
      for (const piece of pieces) stream.push(piece);
      return stream.end().valid;
    };
    // The same, with the value so far shown after each piece.
    const shown = () => {
      const stream = contract.stream();
      for (const piece of pieces) {
        stream.push(piece);
        stream.value();
      }
      return stream.end().valid;
    };
    // A value that was parsed already: judged as JSON.stringify writes it.
    const value = JSON.parse(text);
    const written = JSON.stringify(value);
    const times = measure({
      'plumb bytes': () => contract.check(bytes).valid,
      'plumb string': () => contract.check(text).valid,
      'plumb 20 bytes': inPieces,
      'value each piece': shown,
      'ajv bytes': () => ajv[contractName](JSON.parse(decoder.decode(bytes))),
      'ajv string': () => ajv[contractName](JSON.parse(text)),
      'plumb value': () => contract.check(value).valid,
      'plumb written': () => contract.check(written).valid,
      'ajv value': () => ajv[contractName](value),
      stringify: () => JSON.stringify(value),
      // What a caller would do by hand: a string that was just written is in pieces, which whoever reads it first puts together.
      'by hand': () => contract.check(JSON.stringify(value)).valid,
      'zod bytes': () => zod[contractName](JSON.parse(decoder.decode(bytes))),
      'zod string': () => zod[contractName](JSON.parse(text)),
    });
    for (const [side, ms] of Object.entries(times)) report({ side, file, bytes: bytes.length, ms });
    report({ side: 'stringify and written', file, bytes: bytes.length, ms: times.stringify + times['plumb written'] });
  }

  const quiz = contracts.quiz;
  const large = decoder.decode(await bytesOf('schema_1mb'));
  const compile = (schema, options) => () => {
    const contract = plumb.contract(schema, options);
    contract.dispose();
  };
  const compiled = measure({
    'contract/quiz': compile(JSON.parse(quiz), { name: 'quiz_bench' }),
    'contract/schema_1mb': compile(new TextEncoder().encode(large), { name: 'schema_1mb' }),
  });
  for (const [side, ms] of Object.entries(compiled)) report({ side, file: '', bytes: 0, ms });
  // Instantiated from the module's bytes, as a page does that has just fetched them; never warm.
  const loads = [];
  for (let i = 0; i < 9; ++i) {
    const fresh = moduleBytes.slice();
    const started = performance.now();
    await load(fresh);
    loads.push(performance.now() - started);
  }
  loads.sort((a, b) => a - b);
  report({ side: 'load', file: '', bytes: moduleBytes.length, ms: loads[loads.length >> 1] });
}
