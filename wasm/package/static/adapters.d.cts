export type * from "./adapters.js" with { "resolution-mode": "import" };

/** Gives the module. In an ES module: `import { forModel } from "@plumbline/plumbline/adapters"`. */
export declare function adapters(): Promise<
  typeof import("./adapters.js", { with: { "resolution-mode": "import" } })
>;
