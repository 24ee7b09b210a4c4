export type * from "./preview.js" with { "resolution-mode": "import" };

/** Defines the element `plumb-preview` and gives its module. In an ES module: `import "@plumbline/plumbline/preview"`. */
export declare function preview(): Promise<
  typeof import("./preview.js", { with: { "resolution-mode": "import" } })
>;
