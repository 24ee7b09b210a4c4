// The three hosts held together: every golden case and every plain artifact through the native command, the package in
// Node and the package in Chromium, as JSON lines, compared byte for byte.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import test, { after } from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import { filesBelow, readCases } from "./cases.mjs";
import { importPackage, npm, plumbBin, top, within } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "plumb-differential-"));
after(() => rmSync(folder, { recursive: true }));

/** What the command has an option for; other limits of a case are set to their defaults in all hosts. */
const toLimits = { depth_max: "depthMax", bytes_max: "bytesMax" };
const dialects = { draft4: "draft-04", draft6: "draft-06", draft7: "draft-07", "draft-07": "draft-07", "2019-09": "2019-09", "2020-12": "2020-12", v1: "v1" };

/** Groups of artifacts under one contract, each with what all three hosts are given. */
function groups() {
  const all = [];
  for (const one of readCases(top)) {
    const builtIn = !/^\s*(?:\{|true|false)/.test(one.contract);
    const options = { name: builtIn ? one.contract : nameFor(one.contract), documents: one.documents };
    const limits = {};
    let edits;
    for (const [name, value] of Object.entries(one.options)) {
      if (name === "dialect") {
        options.dialect = dialects[value];
        assert.ok(options.dialect, `${one.place}: ${value}`);
      } else if (name === "assert_formats") {
        options.assertFormats = value !== "false";
      } else if (name === "edits") {
        edits = value;
      } else if (toLimits[name] !== undefined) {
        limits[toLimits[name]] = Number(value);
      }
    }
    if (options.name === undefined) {
      delete options.name;
    }
    const files = one.artifacts.map(({ bytes }, i) => ({ file: `${i}.json`, bytes }));
    all.push({ place: one.place, contract: one.contract, builtIn, options, limits, edits, context: one.context, files });
  }
  // Plain artifacts, by their names, each under every built-in contract.
  const plain = filesBelow(join(top, "tests/cases")).filter((path) => path.endsWith(".json"));
  for (const contract of ["flashcards", "mindmap", "quiz"]) {
    const files = plain.map((path, i) => ({ file: `${i}.json`, bytes: readFileSync(path), from: relative(top, path) }));
    all.push({
      place: `plain artifacts under ${contract}`,
      contract,
      builtIn: true,
      options: { name: contract },
      limits: {},
      files,
    });
  }
  return all;
}

/** As the command names a contract in a file contract.json. */
function nameFor(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && "$id" in value ? undefined : "contract";
  } catch {
    return "contract";
  }
}

/** The command's output for a group, or "refused" when the contract is none. */
async function throughCommand(group, number) {
  const place = join(folder, String(number));
  mkdirSync(place);
  const words = ["check", "--format", "jsonl", "--no-config", "--jobs", "1", "--quiet"];
  if (group.builtIn) {
    words.push("--contract", group.contract);
  } else {
    writeFileSync(join(place, "contract.json"), group.contract);
    words.push("--contract", "./contract.json");
  }
  Object.values(group.options.documents ?? {}).forEach((text, i) => {
    writeFileSync(join(place, `document${i}`), text);
    words.push("--schema", `${Object.keys(group.options.documents)[i]}=document${i}`);
  });
  if (group.context !== undefined) {
    writeFileSync(join(place, "context.json"), group.context);
    words.push("--context", "context.json");
  }
  if (group.options.dialect !== undefined) {
    words.push("--dialect", group.options.dialect);
  }
  if (group.options.assertFormats) {
    words.push("--assert-formats");
  }
  if (group.limits.depthMax !== undefined) {
    words.push("--max-depth", String(group.limits.depthMax));
  }
  if (group.limits.bytesMax !== undefined) {
    words.push("--max-bytes", String(group.limits.bytesMax));
  }
  if (group.edits !== undefined) {
    words.push("--edits", group.edits);
  }
  for (const { file, bytes } of group.files) {
    writeFileSync(join(place, file), bytes);
    words.push(file);
  }
  if (group.files.length === 0) {
    writeFileSync(join(place, "none.json"), "0");
    words.push("none.json");
  }
  const { out, err, code } = await new Promise((resolve, reject) => {
    execFile(plumbBin, words, { cwd: place, encoding: "buffer", maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      error !== null && typeof error.code !== "number"
        ? reject(error)
        : resolve({ out: stdout, err: stderr.toString(), code: error?.code ?? 0 }),
    );
  });
  rmSync(place, { recursive: true });
  if (code === 2 && out.length === 0) {
    return { refused: err };
  }
  // The command sorts its files by their names.
  const lines = new Map();
  for (const line of out.toString("latin1").split("\n").filter(Boolean)) {
    lines.set(/^\{"file":"([^"]*)"/.exec(line)[1], line);
  }
  return { lines: group.files.map(({ file }) => lines.get(file)) };
}

/** Runs in Node and, as text, in the page: one group through the package. */
function throughPackage(plumb, { contract: text, builtIn, options, limits, edits, context, files }) {
  let contract;
  try {
    contract = plumb.contract(builtIn ? text : new TextEncoder().encode(text), options);
  } catch (error) {
    return { refused: error.message };
  }
  try {
    const given = { limits, edits, ...(context === undefined ? {} : { context }) };
    return {
      lines: files.map(({ file, bytes }) => {
        const whole = contract.render(contract.check(bytes, given), "jsonl", { file });
        let other;
        try {
          const decoded = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
          other = contract.render(contract.check(decoded, given), "jsonl", { file });
        } catch {
          other = whole; // bytes that are no UTF-8 have no other form
        }
        const stream = contract.stream(given);
        for (let i = 0; i < bytes.length; i += 7) {
          stream.push(bytes.subarray(i, i + 7));
        }
        const pieces = contract.render(stream.end(), "jsonl", { file });
        // Bytes as characters, so that hosts are compared byte for byte.
        const latin1 = (line) =>
          Array.from(new TextEncoder().encode(line), (byte) => String.fromCharCode(byte))
            .join("")
            .trimEnd();
        return whole === other && whole === pieces
          ? latin1(whole)
          : `bytes, text and pieces differ:\n${latin1(whole)}\n${latin1(other)}\n${latin1(pieces)}`;
      }),
    };
  } catch (error) {
    return { refused: error.message };
  } finally {
    contract.dispose();
  }
}

const { load } = await importPackage();
const all = groups();
let fromCommand;

/** Differences, told with the place of the case. */
function compare(mine, theirs, name) {
  const wrong = [];
  let compared = 0;
  let refused = 0;
  all.forEach((group, i) => {
    // The command, which takes both from its words, asks whether they were swapped; the package warns.
    if (mine[i].refused?.includes("is it the artifact?")) return;
    if ((mine[i].refused === undefined) !== (theirs[i].refused === undefined)) {
      wrong.push(`${group.place}: refused by one: ${mine[i].refused ?? theirs[i].refused}`);
      return;
    }
    refused += mine[i].refused === undefined ? 0 : 1;
    (mine[i].lines ?? []).forEach((line, k) => {
      ++compared;
      if (line !== theirs[i].lines[k] || line === undefined) {
        wrong.push(`${group.place}: artifact ${k + 1}\n  ${name[0]}: ${line}\n  ${name[1]}: ${theirs[i].lines[k]}`);
      }
    });
  });
  return { wrong, compared, refused };
}


test("every case: the command and the package in Node give the same bytes", async (t) => {
  fromCommand = new Array(all.length);
  let next = 0;
  const work = async () => {
    for (let i = next++; i < all.length; i = next++) {
      fromCommand[i] = await throughCommand(all[i], i);
    }
  };
  await Promise.all([work(), work()]);
  const plumb = await load();
  const fromNode = all.map((group) => throughPackage(plumb, group));
  const { wrong, compared, refused } = compare(fromCommand, fromNode, ["command", "Node"]);
  t.diagnostic(
    `${all.length} groups, ${compared} artifacts compared, ${refused} contracts refused by both, ${wrong.length} differences`,
  );
  assert.ok(compared > 0);
  assert.equal(wrong.length, 0, wrong.slice(0, 20).join("\n"));
});

test("every case: whatever part the checks come with, they are the same; what reads texts says the part it wants", async (t) => {
  const plumb = await load();
  const expected = all.map((group) => throughPackage(plumb, group));
  for (const parts of [["author"], ["runs"]]) {
    const other = await load({ parts });
    const { wrong, compared } = compare(expected, all.map((group) => throughPackage(other, group)), ["check", parts[0]]);
    assert.ok(compared > 0);
    assert.equal(wrong.length, 0, wrong.slice(0, 20).join("\n"));
  }
  const least = await load({ parts: [] });
  const theirs = all.map((group) => throughPackage(least, group));
  const wantsTexts = theirs.map(({ refused }) => refused !== undefined && /load\(\{ parts: \["text"\] \}\)/.test(refused));
  const readsTexts = (group) =>
    (group.edits !== undefined && group.edits !== "none") ||
    /maxSentences|avoids|singleUnknown|mentions|facts|novel|quotedFrom/.test(JSON.stringify([group.contract, group.options.documents])) ||
    ["brain-evaluate", "intake", "researcher-evaluate", "search"].includes(group.contract);
  all.forEach((group, i) => {
    if (wantsTexts[i]) {
      assert.ok(readsTexts(group), `${group.place} reads no text: ${theirs[i].refused}`);
      theirs[i] = expected[i];
    }
  });
  const { wrong, compared } = compare(expected, theirs, ["check", "schema"]);
  const refused = wantsTexts.filter(Boolean).length;
  t.diagnostic(`${compared} artifacts compared, ${refused} of ${all.length} groups want the part of texts`);
  assert.ok(refused > 0 && refused < all.length / 2);
  assert.equal(wrong.length, 0, wrong.slice(0, 20).join("\n"));
});

/** Much more than a step takes on a machine that has other things to do. */
const stepMs = 120_000;

test("every case: the package in Chromium gives the bytes that it gives in Node", async (t) => {
  const plumb = await load();
  const fromNode = all.map((group) => throughPackage(plumb, group));
  const server = await serve({ "/npm/": join(npm, "dist") }, { "/": "<!doctype html><title>t</title>" });
  const browser = await startBrowser();
  try {
    const page = await browser.context.newPage();
    await page.goto(`${server.origin}/`);
    const started = page.evaluate(`import("/npm/index.js").then(({ load }) => load()).then((plumb) => {
      globalThis.plumb = plumb;
      globalThis.throughPackage = ${throughPackage};
    })`);
    await within(stepMs, "Chromium starting the module", started);
    const fromPage = [];
    for (let i = 0; i < all.length; i += 50) {
      const part = all.slice(i, i + 50).map(({ files, ...rest }) => ({
        ...rest,
        files: files.map(({ file, bytes }) => ({ file, base64: Buffer.from(bytes).toString("base64") })),
      }));
      const judged = page.evaluate(
        (given) =>
          given.map(({ files, ...rest }) =>
            globalThis.throughPackage(globalThis.plumb, {
              ...rest,
              files: files.map(({ file, base64 }) => ({
                file,
                bytes: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
              })),
            }),
          ),
        part,
      );
      fromPage.push(...(await within(stepMs, `Chromium judging groups ${i} to ${i + part.length}`, judged)));
    }
    const { wrong, compared } = compare(fromNode, fromPage, ["Node", "Chromium"]);
    t.diagnostic(`${all.length} groups, ${compared} artifacts compared, ${wrong.length} differences`);
    assert.ok(compared > 0);
    assert.equal(wrong.length, 0, wrong.slice(0, 20).join("\n"));
    if (fromCommand !== undefined) {
      assert.equal(compare(fromCommand, fromPage, ["command", "Chromium"]).wrong.length, 0);
    }
  } finally {
    await browser.close();
    await server.close();
  }
});
