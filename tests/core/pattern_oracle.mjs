// Compares the patterns with those of Node's own engine (V8) on generated patterns and texts.
//
//   node tests/core/pattern_oracle.mjs PROGRAM [SEED] [PATTERNS]
//
// PROGRAM is tests/core/pattern_oracle.cpp, compiled with core/text/{pattern*,unicode*}.cpp and core/require.cpp. Ends
// with 1 when the two disagree. Seed and number are the report of a failure.
//
// Known and left out: V8 lets \B match between the two halves of a surrogate pair, where ECMA-262 never looks.
import { spawnSync } from 'node:child_process';

const [program, seed = '1', count = '20000'] = process.argv.slice(2);
if (program === undefined) {
  console.error('usage: node pattern_oracle.mjs PROGRAM [SEED] [PATTERNS]');
  process.exit(2);
}

let state = BigInt(seed);
const below = (n) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number(state >> 33n) % n;
};
const pick = (list) => list[below(list.length)];

const atoms = ['a', 'b', 'é', '中', '😀', '.', '[ab]', '[^a]', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '[\\w-]', '[a-é]',
  '[^\\d中]', '\\u{1F600}', '\\uD83D\\uDE00', '\\uD83D', '[\\uD800-\\uDFFF]', '[^]', '[]', '\\p{L}', '\\P{L}',
  '[\\p{Lu}\\d]', '\\x61', '\\u4e2d', '\\cJ', '\\n', '\\/', '\\.', '-', '_', '1', '\\0', '[\\b]', '[-a]', '[a-]',
  '[\\s\\S]', '\\p{Script=Han}', '\\p{sc=Grek}'];
const oldAtoms = ['[\\w-.]', '[a-\\d]', '[\\s-\\d]', ']', '}', '{', '{a}', 'a{,2}', 'a{1'];
const oddAtoms = ['{', '}', ']', '(', ')', '\\1', '\\k<n>', '(?<n>a)', '[b-a]', '[\\d-a]', '\\a', '[', '\\', '(?', '\\u{', '\\x6',
  '\\p{Foo}', '\\c', '\\8'];
const repeats = ['*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '??', '{2}?'];
const oddRepeats = ['{3,1}', '{', '**', '{,2}', '{1', '{a}'];
const assertions = ['^', '$', '\\b', '\\B'];
const looks = ['(?=a)', '(?!b)', '(?<=a)', '(?<!b)'];
const letters = ['a', 'b', 'é', '中', '😀', '\ud83d', '\ude00', '1', '_', '-', ' ', '\n', 'A', 'α', '\0', '.', '/', '\b'];

function generate(depth) {
  let out = '';
  for (let terms = 1 + below(3); terms > 0; --terms) {
    const choice = below(20);
    if (choice < 3) {
      out += pick(below(10) === 0 ? looks : assertions);
      continue;
    }
    if (choice < 7 && depth > 0) {
      out += ['(', '(?:', `(?<x${below(9)}>`][below(3)] + generate(depth - 1);
      out += (below(2) === 0 ? `|${generate(depth - 1)}` : '') + ')';
    } else {
      out += pick(below(25) === 0 ? oddAtoms : below(40) === 0 ? oldAtoms : atoms);
    }
    if (below(3) === 0) {
      out += pick(below(25) === 0 ? oddRepeats : repeats);
    }
  }
  return out;
}

// UTF-8, with lone surrogates in their three-byte form.
function hexadecimal(text) {
  const bytes = [];
  for (const character of text) {
    const c = character.codePointAt(0);
    if (c < 0x80) bytes.push(c);
    else if (c < 0x800) bytes.push(0xc0 | c >> 6, 0x80 | c & 63);
    else if (c < 0x10000) bytes.push(0xe0 | c >> 12, 0x80 | c >> 6 & 63, 0x80 | c & 63);
    else bytes.push(0xf0 | c >> 18, 0x80 | c >> 12 & 63, 0x80 | c >> 6 & 63, 0x80 | c & 63);
  }
  return Buffer.from(bytes).toString('hex');
}

const cases = [];
for (let i = 0; i < Number(count); ++i) {
  let pattern = generate(2);
  if (below(8) === 0) {
    pattern = `^${pick(['(?=', '(?!'])}${generate(1)})${pattern}`;
  }
  const texts = [''];
  for (let k = 0; k < 12; ++k) {
    let text = '';
    for (let n = 1 + below(6); n > 0; --n) {
      text += pick(letters);
    }
    texts.push(text);
  }
  cases.push({ pattern, texts });
}

const input = cases.map(({ pattern, texts }) => [pattern, ...texts].map(hexadecimal).join(' ')).join('\n') + '\n';
const run = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
if (run.status !== 0) {
  console.error(`${program} ended with ${run.status ?? run.signal}`);
  process.exit(1);
}
const answers = run.stdout.split('\n');

// Escapes of the old syntax are read as their character here and refused there.
const modern = (pattern) => pattern.replace(/\\([^])/gu, (all, c) => (c === '-' || c === '_' || c > '\x7f' ? c : all));

// What has another meaning without the flag u, or is read there only by rules that are not ours: escapes of letters, octal
// escapes, back-references that name no group, look-ahead that is repeated.
const isWithFlag = (pattern) =>
  /\\[pPkukc]|\\x(?![0-9a-f]{2})|\\[a-zA-Z](?<!\\[bBcdDfknpPrsStuvwWx])|\\[0-9]|[^\0-\uffff]|\(\?<?[=!]/u.test(pattern);
const beyond = /[^\0-\uffff]|[\ud800-\udfff]/u;

const counts = { compared: 0, old: 0, 'no regular expression': 0, refused: 0, disagree: 0 };
const disagree = (...what) => {
  if (++counts.disagree <= 20) console.log(...what);
};
cases.forEach(({ pattern, texts }, i) => {
  const answer = answers[i];
  let peer = null;
  let old = false;
  try {
    peer = new RegExp(modern(pattern), 'u');
  } catch {
    old = !isWithFlag(pattern);
  }
  try {
    peer ??= old ? new RegExp(modern(pattern)) : null;
  } catch {
    // no regular expression
  }
  if (answer.startsWith('S')) {
    counts['no regular expression'] += 1;
    if (peer !== null) disagree('refused here only:', JSON.stringify(pattern), answer);
  } else if (peer === null) {
    disagree('accepted here only:', JSON.stringify(pattern), answer);
  } else if (answer.startsWith('R')) {
    counts.refused += 1;
  } else {
    counts.compared += 1;
    counts.old += old ? 1 : 0;
    texts.forEach((text, k) => {
      if (old && beyond.test(text)) return;
      if (pattern.includes('\\B') && text.includes('😀')) return;
      if (peer.test(text) !== (answer[k] === '1')) {
        disagree('another answer:', JSON.stringify(pattern), JSON.stringify(text), 'V8:', peer.test(text));
      }
    });
  }
});
console.log(counts);
process.exit(counts.disagree === 0 ? 0 : 1);
