// The official JSON Schema test suite through the package, each artifact whole and once more byte by byte. The suite is
// found beside the checkout or by PLUMB_SCHEMA_SUITE; it is data to read and is not part of this project.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import test from "node:test";
import { parts } from "./raw_json.mjs";
import { importPackage, top } from "./support.mjs";

const suite = resolve(process.env.PLUMB_SCHEMA_SUITE ?? join(top, "../shared/json-schema-test-suite"));
const absent = existsSync(join(suite, "tests"))
  ? false
  : "the JSON Schema test suite is not there; put it beside the checkout or set PLUMB_SCHEMA_SUITE";
const drafts = [
  ["draft2020-12", "2020-12"],
  ["draft2019-09", "2019-09"],
  ["draft7", "draft-07"],
  ["draft6", "draft-06"],
  ["draft4", "draft-04"],
  ["v1", "v1"],
];
/** What is not run, and why: `file: group: test` -> reason. */
const skips = new Map([]);

/** Keywords that are only proposed for version 1 are not read. */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== "proposals")
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .filter((path) => path.endsWith(".json"))
    .sort();
}

const documents = {};
if (!absent) {
  for (const path of filesBelow(join(suite, "remotes"))) {
    const name = relative(join(suite, "remotes"), path);
    // Documents of a draft that is not read would only be in the way.
    if (!name.startsWith("draft3/")) {
      documents[`http://localhost:1234/${name}`] = readFileSync(path, "utf8");
    }
  }
}

const { load } = await importPackage();

for (const [folder, dialect] of drafts) {
  test(`the official suite, ${folder}: whole and byte by byte`, { skip: absent }, async (t) => {
    const plumb = await load();
    const wrong = [];
    const count = { groups: 0, tests: 0, skipped: 0 };
    for (const path of filesBelow(join(suite, "tests", folder))) {
      const name = relative(join(suite, "tests", folder), path);
      for (const group of parts(readFileSync(path, "utf8"))) {
        const { description, schema, tests } = parts(group);
        const what = `${name}: ${JSON.parse(description)}`;
        ++count.groups;
        let contract;
        try {
          // As text, in bytes: a schema `true` or a number in it stays as the suite writes it.
          contract = plumb.contract(Buffer.from(schema), {
            dialect,
            documents,
            assertFormats: /optional\/format\//.test(name),
          });
        } catch (error) {
          wrong.push(`${what}: not read: ${error.message} (${error.where})`);
          count.tests += parts(tests).length;
          continue;
        }
        for (const one of parts(tests)) {
          const { description: title, data, valid } = parts(one);
          const full = `${what}: ${JSON.parse(title)}`;
          if (skips.has(full)) {
            ++count.skipped;
            continue;
          }
          ++count.tests;
          const bytes = Buffer.from(data);
          const whole = contract.check(bytes);
          if (whole.valid !== JSON.parse(valid)) {
            wrong.push(`${full}: is ${valid}, said ${whole.valid}`);
          }
          const stream = contract.stream();
          for (let i = 0; i < bytes.length; ++i) {
            stream.push(bytes.subarray(i, i + 1));
          }
          if (JSON.stringify(stream.end()) !== JSON.stringify(whole)) {
            wrong.push(`${full}: byte by byte gives another verdict`);
          }
        }
        contract.dispose();
      }
    }
    const kinds = `${count.tests} tests in ${count.groups} groups, each whole and byte by byte`;
    t.diagnostic(`${folder}: ${kinds}, ${wrong.length} wrong, ${count.skipped} skipped`);
    assert.ok(count.tests > 500);
    assert.deepEqual(wrong, []);
  });
}
