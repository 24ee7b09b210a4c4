// node hosts.mjs PLUMB-BINARY PACKAGE-FOLDER CORPUS-FOLDER SECONDS [SEED]: damaged artifacts through the native command
// and through the package in Node; the verdicts must be the same bytes.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { entry } from '../bench/package_entry.mjs';

const [binary, packageFolder, corpus, seconds = '60', seedText = '1'] = process.argv.slice(2);
let state = BigInt(seedText);
function next(bound) {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let z = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return Number((z ^ (z >> 31n)) % BigInt(bound));
}

const { load } = await import(pathToFileURL(await entry(packageFolder, '.', ['node'])));
const plumb = await load();
const names = ['quiz', 'flashcards', 'mindmap'];
const contracts = Object.fromEntries(names.map((name) => [name, plumb.contract(name)]));

// The artifacts of the engine's corpus: what follows the line `---`.
const starts = [];
for (const name of (await readdir(corpus)).sort()) {
  const bytes = await readFile(join(corpus, name));
  const at = bytes.indexOf('\n---\n');
  starts.push(at < 0 ? bytes : bytes.subarray(at + 5));
}
const scraps = ['"', '{', '}', '[', ']', ',', ':', ' ', '\n', '\\', '\\u00e9', '\\ud83d', 'é', '\u{1F600}', 'null', 'true', '-1e400',
  '1.0', '0', '""', '" "', '{"a":1}', '\0', '\xff', '"label":', '"question":', '"options":', '"front":', '\r\n'];
function damaged(bytes) {
  let out = Buffer.from(bytes);
  const times = next(5);
  for (let i = 0; i < times; ++i) {
    const at = next(out.length + 1);
    const size = next(12);
    const kind = next(4);
    const scrap = Buffer.from(scraps[next(scraps.length)], 'latin1');
    const utf8 = Buffer.from(scraps[next(scraps.length)], 'utf8');
    if (kind === 0) out = Buffer.concat([out.subarray(0, at), out.subarray(Math.min(out.length, at + size))]);
    else if (kind === 1) out = Buffer.concat([out.subarray(0, at), next(8) === 0 ? scrap : utf8, out.subarray(at)]);
    else if (kind === 2) {
      const from = next(out.length + 1);
      out = Buffer.concat([out.subarray(0, at), out.subarray(from, from + next(80)), out.subarray(at)]);
    } else out = out.subarray(0, Math.max(1, at));
  }
  return out.subarray(0, 20000);
}

const folder = await mkdtemp(join(tmpdir(), 'plumb-hosts-'));
let compared = 0;
let differences = 0;
const until = Date.now() + Number(seconds) * 1000;
try {
  while (Date.now() < until && differences < 10) {
    const name = names[next(names.length)];
    const artifacts = Array.from({ length: 64 }, () => damaged(starts[next(starts.length)]));
    const paths = artifacts.map((_, i) => join(folder, `${String(i).padStart(3, '0')}.json`));
    await Promise.all(artifacts.map((bytes, i) => writeFile(paths[i], bytes)));
    const out = execFileSync(binary, ['check', '--contract', name, '--format', 'jsonl', '--exit-zero', ...paths],
      { encoding: 'utf8', maxBuffer: 1 << 28 });
    const native = new Map();
    for (const line of out.split('\n')) {
      if (line !== '') native.set(JSON.parse(line).file, line);
    }
    for (let i = 0; i < artifacts.length; ++i) {
      const verdict = contracts[name].check(new Uint8Array(artifacts[i]));
      const wasm = plumb.render({ file: paths[i], verdict }, 'jsonl').trimEnd();
      compared += 1;
      if (native.get(paths[i]) !== wasm) {
        differences += 1;
        console.log(`contract ${name}, artifact (base64): ${artifacts[i].toString('base64')}`);
        console.log(`native: ${native.get(paths[i])}\nwasm:   ${wasm}`);
      }
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(`hosts: ${compared} artifacts compared, ${differences} differences (seed ${seedText})`);
process.exit(differences > 0 || compared === 0 ? 1 : 0);
