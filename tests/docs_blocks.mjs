// Runs a block of JavaScript of a documentation page as it is printed.
//
//   const { verdict } = await follow("docs/edits.md", 0, { quiz, text }, ["verdict"], find);
//
// The first block of the page, with these names in scope; what comes back are the names that it defines. `find` imports a
// package by its name. tests/wasm/docs.test.mjs holds that every block is followed by a test.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const top = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The blocks of a page in a language, in their order. */
export const blocksOf = (page, language = "js") =>
  [...readFileSync(join(top, page), "utf8").matchAll(new RegExp(`^ *\`\`\`${language}\\n([^]*?)^ *\`\`\``, "gm"))].map(([, text]) => text);

const AsyncFunction = (async () => {}).constructor;

/** A module's text as the body of an asynchronous function. */
const asBody = (text) =>
  text
    .replace(/^import "([^"]+)";/gm, 'await $find("$1");')
    .replace(/^import \{([^}]+)\} from "([^"]+)";/gm, (_, names, from) => `const {${names.replace(/ as /g, ": ")}} = await $find("${from}");`)
    .replace(/^import (\w+) from "([^"]+)";/gm, 'const { default: $1 } = await $find("$2");');

export async function followText(text, given, gives, find) {
  const names = Object.keys(given);
  const body = new AsyncFunction("$find", ...names, `${asBody(text)}\nreturn { ${gives.join(", ")} };`);
  return body(find, ...names.map((name) => given[name]));
}

export function follow(page, number, given, gives, find) {
  const block = blocksOf(page)[number];
  if (block === undefined) throw new Error(`${page} has no block ${number} of JavaScript`);
  return followText(block, given, gives, find);
}
