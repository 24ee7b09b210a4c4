// node node_bench.mjs DATA-FOLDER CONTRACTS-FOLDER PACKAGE-FOLDER [ONLY]: one JSON row a line.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { contractNames, run } from './measure.mjs';
import { entry } from './package_entry.mjs';

const [data, contractsFolder, packageFolder, only = ''] = process.argv.slice(2);
const { load } = await import(pathToFileURL(await entry(packageFolder, '.', ['node'])));
const contracts = {};
for (const name of contractNames) contracts[name] = await readFile(join(contractsFolder, `${name}.json`), 'utf8');
await run({
  load,
  contracts,
  only,
  moduleBytes: new Uint8Array(await readFile(await entry(packageFolder, './plumb-check.wasm'))),
  bytesOf: async (name) => new Uint8Array(await readFile(join(data, `${name}.json`))),
  report: (row) => console.log(JSON.stringify({ host: 'node', ...row })),
});
