/**
 * The vocabulary that Plumbline adds to JSON Schema, in the order of docs/contract-reference.md. The list itself is the
 * module's: scripts/build.mjs asks it and writes keywords.js.
 */
export declare const keywords: readonly string[];
