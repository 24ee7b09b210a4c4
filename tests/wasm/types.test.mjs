// The types, as programs see them: ES module, CommonJS, bundler; strict, and declarations are checked too.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { givePackage, here, toolPath } from "./support.mjs";

const programs = [
  ["an ES module in Node, without the types of a page", "consumer.mts", { module: "NodeNext", lib: ["ES2022"] }],
  ["CommonJS in Node", "consumer.cts", { module: "NodeNext", lib: ["ES2022", "DOM"] }],
  ["a bundler", "bundled.ts", { module: "ESNext", moduleResolution: "Bundler", lib: ["ES2022", "DOM"] }],
];

for (const [what, file, options] of programs) {
  test(`the types hold for ${what}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "plumb-types-"));
    try {
      cpSync(join(here, "types", file), join(folder, file));
      givePackage(folder);
      const compilerOptions = {
        target: "ES2022",
        strict: true,
        noEmit: true,
        types: [],
        preserveSymlinks: true,
        ...options,
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
      execFileSync(process.execPath, [toolPath("typescript/bin/tsc"), "-p", folder], {
        encoding: "utf8",
        stdio: "pipe",
      });
    } catch (error) {
      assert.fail(error.stdout || error.message);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
