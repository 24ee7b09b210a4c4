export type * from "./intake.js" with { "resolution-mode": "import" };

/** Defines the element `plumb-intake` and gives its module. In an ES module: `import "@plumbline/plumbline/intake"`. */
export declare function intake(): Promise<
  typeof import("./intake.js", { with: { "resolution-mode": "import" } })
>;
