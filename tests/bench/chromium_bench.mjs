// node chromium_bench.mjs DATA-FOLDER CONTRACTS-FOLDER PACKAGE-FOLDER [ONLY]: one JSON row a line, measured in a page.
import { readFile, rm, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { contractNames } from './measure.mjs';
import { entry } from './package_entry.mjs';

const [data, contractsFolder, packageFolder, only = ''] = process.argv.slice(2);
const modulePath = await entry(packageFolder, './plumb-check.wasm');
const scratch = await mkdtemp(join(tmpdir(), 'plumb-bench-'));
await build({
  entryPoints: [fileURLToPath(new URL('measure.mjs', import.meta.url))],
  outfile: join(scratch, 'measure.js'),
  bundle: true, format: 'esm', platform: 'browser', minify: true, logLevel: 'error',
});
// The package as a page would ship it: through a bundler, with the browser's conditions.
await build({
  entryPoints: [await entry(packageFolder, '.', ['browser'])],
  outfile: join(scratch, 'plumb.js'),
  bundle: true, format: 'esm', platform: 'browser', minify: true, logLevel: 'error',
});

const page = `<!doctype html><title>bench</title><script type="module">
  import { run } from '/measure.js';
  import { load } from '/plumb.js';
  const bytesOf = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  const contracts = {};
  for (const name of ${JSON.stringify(contractNames)}) {
    contracts[name] = await (await fetch('/contracts/' + name + '.json')).text();
  }
  try {
    await run({ load, contracts, only: ${JSON.stringify(only)}, moduleBytes: await bytesOf('/module.wasm'),
      bytesOf: (name) => bytesOf('/data/' + name + '.json'),
      report: (row) => console.log(JSON.stringify({ host: 'chromium', ...row })) });
    console.log('done');
  } catch (error) {
    console.log('failed: ' + (error && error.stack || error));
  }
</script>`;
const folders = { data, contracts: contractsFolder };
const types = { js: 'text/javascript', json: 'application/json', wasm: 'application/wasm' };
const server = createServer(async (request, response) => {
  try {
    const path = normalize(new URL(request.url, 'http://127.0.0.1').pathname);
    if (path === '/favicon.ico') {
      response.writeHead(204).end();
      return;
    }
    if (path === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      return;
    }
    const [, first, second] = path.split('/');
    const file = first === 'module.wasm' ? modulePath
      : second === undefined ? join(scratch, first) : join(folders[first] ?? scratch, second);
    const body = await readFile(file);
    response.writeHead(200, { 'content-type': types[path.split('.').pop()] ?? 'application/octet-stream' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });

const browser = await chromium.launch({
  executablePath: process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])],
});
let code = 0;
try {
  const tab = await browser.newPage();
  await new Promise((resolve) => {
    tab.on('pageerror', (error) => { console.error(String(error)); code = 1; resolve(); });
    tab.on('console', (message) => {
      const text = message.text();
      if (text === 'done') resolve();
      else if (text.startsWith('{')) console.log(text);
      else {
        console.error(text);
        if (text.startsWith('failed')) { code = 1; resolve(); }
      }
    });
    tab.goto(`http://127.0.0.1:${server.address().port}/`).catch((error) => { console.error(error); code = 1; resolve(); });
  });
} finally {
  await browser.close();
  server.close();
  await rm(scratch, { recursive: true, force: true });
}
process.exit(code);
