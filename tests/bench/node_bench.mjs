// node node_bench.mjs DATA-FOLDER CONTRACTS-FOLDER PACKAGE-FOLDER [ONLY]: one JSON row a line.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { contractNames, run } from './measure.mjs';

const [data, contractsFolder, packageFolder, only = ''] = process.argv.slice(2);
const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
const entry = manifest.exports['.'].import.default;
const { load } = await import(pathToFileURL(join(packageFolder, entry)));
const contracts = {};
for (const name of contractNames) contracts[name] = await readFile(join(contractsFolder, `${name}.json`), 'utf8');
await run({
  load,
  contracts,
  only,
  moduleBytes: new Uint8Array(await readFile(join(packageFolder, manifest.exports['./plumb-check.wasm'].default))),
  bytesOf: async (name) => new Uint8Array(await readFile(join(data, `${name}.json`))),
  report: (row) => console.log(JSON.stringify({ host: 'node', ...row })),
});
