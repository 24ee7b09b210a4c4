/** Modules that a runtime or a bundler compiles. */
declare module "*.wasm" {
  const module: unknown;
  export default module;
}
declare module "*.wasm?module" {
  const module: unknown;
  export default module;
}
