export type * from "./react.js" with { "resolution-mode": "import" };

/** The same hook as the ES module's. */
export declare const usePlumb: typeof import("./react.js", { with: { "resolution-mode": "import" } }).usePlumb;
/** The same components as the ES module's. */
export declare const Preview: typeof import("./react.js", { with: { "resolution-mode": "import" } }).Preview;
export declare const Edit: typeof import("./react.js", { with: { "resolution-mode": "import" } }).Edit;
