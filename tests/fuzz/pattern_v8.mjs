// node pattern_v8.mjs ANSWERS-PROGRAM SECONDS [SEED]: random regular expressions and texts, V8's answer beside ours.
//
// What we refuse to run (look-behind, back-references, look-ahead inside) is counted, not compared. What the old syntax
// allows and `u` does not is ours to accept with a warning: an escaped character that is no letter and no digit.
import { spawn } from 'node:child_process';

const [program, seconds = '60', seedText = '1'] = process.argv.slice(2);

let state = BigInt(seedText);
function next(bound) {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let z = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return Number((z ^ (z >> 31n)) % BigInt(bound));
}
const pick = (list) => list[next(list.length)];

const atoms = ['a', 'b', 'A', '0', '_', ' ', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '[a-c]', '[^a]', '[\\d_]',
  '[^\\w]', '[\\s\\S]', '[]', '[^]', '\\.', '\\/', '\\-', '\\n', '\\t', '\\0', '\\cJ', '\\x41', '\\u00e9', '\\u{1F600}',
  '\\uD83D\\uDE00', '\\p{L}', '\\P{L}', '\\p{Lu}', '\\p{Script=Greek}', '\\p{sc=Han}', '\\p{White_Space}', '\\p{Nd}',
  '[\\p{L}\\d]', '[^\\p{Alphabetic}]', 'é', '漢', '😀', '[é-ü]', '[😀-😂]', '\\p{ASCII}', '\\p{Any}', '\\p{Emoji}',
  '\\p{scx=Hira}', '[a\\-z]', '[-a]', '[\\b]', '\\v', '\\f', '\\r'];
const broken = ['(', ')', '[', '*', '{', '}', '\\', '\\u{', '\\p{Nope}', 'a{2,1}', '(?<n>a)(?<n>b)', '\\q', '\\8', '[z-a]',
  '(?=a)*', '(?<=a)', '\\1', '(?!b)', '(?<x>a)\\k<x>', '\\xZ', '(?i:a)', 'a**', '\\c1', '\\u12'];
const quantifiers = ['', '', '', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,}', '*?', '+?', '{0}', '{2,2}?'];
const assertions = ['^', '$', '\\b', '\\B'];
function expression(depth) {
  const parts = [];
  const count = 1 + next(4);
  for (let i = 0; i < count; ++i) {
    const kind = next(20);
    if (kind === 0) parts.push('|');
    else if (kind === 1) parts.push(pick(assertions));
    else if (kind === 2 && depth < 3) parts.push(`(${expression(depth + 1)})${pick(quantifiers)}`);
    else if (kind === 3 && depth < 3) parts.push(`(?:${expression(depth + 1)})${pick(quantifiers)}`);
    else if (kind === 4 && depth < 3) parts.push(`(?<n${next(1000)}>${expression(depth + 1)})${pick(quantifiers)}`);
    else if (kind === 5 && next(4) === 0) parts.push(pick(broken));
    else parts.push(pick(atoms) + pick(quantifiers));
  }
  return parts.join('');
}
function pattern() {
  const kind = next(10);
  if (kind === 0) return `^(?=${expression(1)})${expression(1)}`;
  if (kind === 1) return `^(?!${expression(1)})(?=${expression(1)})${expression(1)}$`;
  if (kind < 5) return `^${expression(0)}$`;
  return expression(0);
}
// V8's Unicode may be newer than ours: characters whose properties have stayed as they were.
const letters = ['a', 'b', 'c', 'A', 'Z', '0', '9', '_', ' ', '\n', '\r', '\t', '\u2028', '\u00a0', '\ufeff', '-', '.', 'é',
  'ü', '漢', 'Ω', 'ж', '😀', '😁', '\u0301', '\0', '/', '٣', 'ー', 'ひ'];
const text = () => Array.from({ length: next(9) }, () => pick(letters)).join('');

// By `u`, only syntax characters and / may follow a backslash by themselves; the rest of punctuation is accepted here.
const strict = (source) => source.replace(/\\(.)/gsu, (escape, character) =>
  /[A-Za-z0-9\\^$.*+?()[\]{}|/]/.test(character) ? escape : character === '-' ? '\\x2d' : character);

const hex = (string) => Buffer.from(string, 'utf8').toString('hex');
const answers = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
let waiting = '';
let deliver = () => {};
answers.stdout.on('data', (chunk) => {
  waiting += chunk;
  deliver();
});
let ended = false;
answers.on('exit', () => { ended = true; deliver(); });
async function ask(questions) {
  answers.stdin.write(questions.map(([p, t]) => `${hex(p)} ${hex(t)}\n`).join(''));
  for (;;) {
    const lines = waiting.split('\n');
    if (lines.length > questions.length) {
      waiting = lines.slice(questions.length).join('\n');
      return lines.slice(0, questions.length);
    }
    if (ended) throw new Error(`the program ended after ${waiting}`);
    await new Promise((resolve) => { deliver = resolve; });
  }
}

const counts = { compared: 0, invalid: 0, refused: 0 };
const differences = [];
const until = Date.now() + Number(seconds) * 1000;
while (Date.now() < until && differences.length < 20) {
  const questions = [];
  for (let i = 0; i < 200; ++i) {
    const source = pattern();
    for (let k = 0; k < 3; ++k) questions.push([source, text()]);
  }
  const ours = await ask(questions);
  questions.forEach(([source, subject], i) => {
    let theirs;
    try {
      theirs = new RegExp(strict(source), 'u').test(subject) ? '1' : '0';
    } catch {
      theirs = 'invalid';
    }
    if (ours[i] === 'refused') counts.refused += 1;
    else if (ours[i] === theirs) counts[theirs === 'invalid' ? 'invalid' : 'compared'] += 1;
    else differences.push({ pattern: source, text: subject, ours: ours[i], v8: theirs });
  });
}
answers.stdin.end();
for (const one of differences) console.log(JSON.stringify(one));
console.log(`pattern_v8: ${counts.compared} answers compared, ${counts.invalid} invalid on both sides, `
  + `${counts.refused} refused, ${differences.length} differences (seed ${seedText})`);
process.exit(differences.length > 0 || counts.compared === 0 ? 1 : 0);
