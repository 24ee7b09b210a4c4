// node page_bench.mjs PLUMB WEB [TIMES]: how long somebody waits for the first verdict of the page on a slow line: a fresh
// browser, 1.6 Mbit/s down, 0.75 up, 150 ms there and back, files as `plumb serve` gives them. The line is Chromium's own
// (Network.emulateNetworkConditions), so bytes count as they are sent, compressed.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [plumb, web, times = '5'] = process.argv.slice(2);
const lines = [
  ['1.6 Mbit/s, 150 ms', { downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8, latency: 150 }],
  ['no bound', null],
];
const goalMs = 3000;

const folder = await mkdtemp(join(tmpdir(), 'plumb-page-bench-'));
const server = spawn(plumb, ['serve', '--port', '0', '--web', web, '--store', join(folder, 'runs.db'), '--log', 'off'], {
  cwd: folder, stdio: ['ignore', 'pipe', 'inherit'],
});
const origin = await new Promise((told, failed) => {
  server.once('exit', (code) => failed(new Error(`plumb serve has ended with ${code}`)));
  server.stdout.once('data', (data) => told(new URL(/http:\/\/[^/\s]+/.exec(String(data))[0]).origin));
});
const browser = await chromium.launch({
  executablePath: process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])],
});

// Milliseconds to the first paint and to the first verdict, and what came over the line until then.
async function visit(line) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
    if (line) {
      const slow = { method: 'Network.emulateNetworkConditions', params: { offline: false, ...line } };
      // The worker that checks loads its files over such a line too.
      session.on('Target.attachedToTarget', ({ sessionId }) => {
        [{ method: 'Network.enable' }, slow, { method: 'Runtime.runIfWaitingForDebugger' }].forEach((message, id) =>
          session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, ...message }) }).catch(() => {}));
      });
      await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: false });
      await session.send(slow.method, slow.params);
    }
    await page.goto(origin, { waitUntil: 'commit' });
    const verdict = await page.waitForFunction(
      () => document.querySelector('#verdict-pane .tally') !== null && performance.now(), null, { polling: 20, timeout: 60_000 });
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
    const sent = await page.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, one) => sum + one.transferSize, 0));
    return { paint, verdict: await verdict.jsonValue(), bytes: Math.max(bytes, sent) };
  } finally {
    await context.close();
  }
}

const median = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];
try {
  console.log('the page, to its first verdict | first paint | first verdict | on the line');
  for (const [name, line] of lines) {
    const visits = [];
    for (let i = 0; i < Number(times); ++i) visits.push(await visit(line));
    const of = (key) => median(visits.map((one) => one[key]));
    const late = line && of('verdict') > goalMs ? ` ! (at most ${goalMs} ms)` : '';
    console.log(`${name} | ${of('paint').toFixed(0)} ms | ${of('verdict').toFixed(0)} ms${late} | ${(of('bytes') / 1024).toFixed(0)} KB`);
  }
} finally {
  await browser.close();
  server.kill();
  await rm(folder, { recursive: true, force: true });
}
