import type { LiteralSource, LoadSource, Plumb } from "./index.js" with { "resolution-mode": "import" };

export type * from "./index.js" with { "resolution-mode": "import" };

/**
 * Starts the module. Without `source` it is found beside this file: read from disk in Node, fetched in browsers and
 * workers; `{ parts }` says what is wanted; with `{ module, authorModule, runsModule, budgetModule }` the modules come
 * from elsewhere. Each call gives an instance with memory of its own; one is enough for a program.
 */
export declare function load(): Promise<Plumb>;
export declare function load<const Given extends LoadSource>(source: Given & LiteralSource<Given>): Promise<Plumb>;

/** The one error that this package throws by itself; what the ES module throws is an instance of it too. */
export declare const PlumbError: typeof import("./index.js", { with: { "resolution-mode": "import" } }).PlumbError;
export type PlumbError = import("./index.js", { with: { "resolution-mode": "import" } }).PlumbError;
