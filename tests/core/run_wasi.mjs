// Runs a WebAssembly program of the tests under Node: node run_wasi.mjs PROGRAM.wasm [ARGUMENTS]
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { WASI } from 'node:wasi';

// The program's end is an exception through this script's own frames, minutes after they were compiled. V8 drops the
// bytecode of functions that have not been called for long, of these too, and then looks for their handlers in it
// (Node 20: a segmentation fault at the end, with every test passed).
setFlagsFromString('--no-flush-bytecode');

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
