export type * from "./budget_element.js" with { "resolution-mode": "import" };

/** Defines the element `plumb-budget` and gives its module. In an ES module: `import "@plumbline/plumbline/budget"`. */
export declare function budget(): Promise<
  typeof import("./budget_element.js", { with: { "resolution-mode": "import" } })
>;
