/** What a bundler or runtime gives for the import of the module: its URL, its bytes or a `WebAssembly.Module`. */
declare const module: string | Uint8Array | object;
export default module;
