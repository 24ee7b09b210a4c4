// Runs a WebAssembly program of the tests under Node: node run_wasi.mjs PROGRAM.wasm [ARGUMENTS]
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...args], returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, {
  wasi_snapshot_preview1: wasi.wasiImport,
  env: {
    emscripten_notify_memory_growth: () => {},
    __call_sighandler: () => { throw new Error('a signal was raised'); },
  },
});
process.exitCode = wasi.start(instance);
