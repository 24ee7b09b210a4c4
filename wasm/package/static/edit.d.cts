export type * from "./edit.js" with { "resolution-mode": "import" };

/** Defines the element `plumb-edit` and gives its module. In an ES module: `import "@plumbline/plumbline/edit"`. */
export declare function edit(): Promise<
  typeof import("./edit.js", { with: { "resolution-mode": "import" } })
>;
