import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import { givePackage } from "../wasm/support.mjs";
import { axe, chooseExample, editCopy, messages, openContract, plumb, settled, setUp, write } from "./support.mjs";

const kit = setUp();

const open = async (page, form) => {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("tab", { name: form }).click();
  await page.waitForFunction(() => document.querySelector(".share-text").value !== "");
};
const told = (page) => page.locator(".share-text").inputValue();
// A link as the page makes it, from any bytes.
const packed = (value) => Buffer.concat([Buffer.from([1]), deflateSync(Buffer.from(value))]).toString("base64url");

const contract =
  '{\n  "type": "array",\n  "title": "Größen – `${x}` \\\\",\n  "items": { "type": "integer", "maximum": 3 }\n}';
const artifact = "[1, 2,\n 30, \"🌱 `${y}` \\\\ 'PLUMB'\"]\nPLUMB\n";

async function ownWork(page) {
  await editCopy(page);
  await write(page, "contract", contract);
  await write(page, "artifact", artifact);
  await page.locator(".problem", { hasText: "Must be at most 3" }).waitFor();
}

test("a link brings contract, artifact and context to another page, and asks no server for it", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "reply-context", "Revise");
    const before = await messages(page);
    await open(page, "Link");
    const link = await told(page);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.locator(".dialog .said", { hasText: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    const other = await page.context().newPage();
    await other.goto(link);
    await settled(other, "Revise");
    assert.deepEqual(await messages(other), before);
    await other.locator("#context-body .cm-content", { hasText: "A-1041" }).waitFor();
    assert.ok(
      kit.site.asked.every((path) => !path.includes("p=")),
      "what is shared is asked of nobody",
    );
    // The address is the work's until the work is changed.
    assert.ok(other.url().includes("#p="));
    await write(other, "artifact", "[]");
    await other.waitForFunction(() => location.hash === "");
    await other.close();
  }));

test("a link to a contract alone, and a link opened over own work, which can be had back", () =>
  kit.visit({}, async (page) => {
    await ownWork(page);
    await open(page, "Link");
    const whole = await told(page);
    await page.getByLabel("Include the artifact").uncheck();
    await page.waitForFunction((was) => {
      const { length } = document.querySelector(".share-text").value;
      return length > 0 && length < was;
    }, whole.length);
    const alone = await told(page);
    await page.keyboard.press("Escape");
    await write(page, "artifact", '["mine"]');
    await page.waitForFunction(() => document.querySelectorAll(".problem").length === 1);
    await page.evaluate((link) => (location.href = link), alone);
    await settled(page, "Nothing to check yet");
    await openContract(page);
    await page.locator("#contract-pane .cm-line", { hasText: "Größen" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await settled(page, "Revise");
    await page.locator("#artifact-pane .cm-line", { hasText: '["mine"]' }).waitFor();
    await page.evaluate((link) => (location.href = link), whole);
    await page.locator("#artifact-pane .cm-line", { hasText: "🌱" }).waitFor();
  }));

test("a broken, unknown or too large link is told, and changes nothing", () =>
  kit.visit({}, async (page) => {
    const before = await messages(page);
    const good = packed(JSON.stringify({ c: "quiz", a: "[]" }));
    const bomb = packed(Buffer.alloc(20 * 1024 * 1024, 32));
    const cases = {
      [good.slice(0, -6)]: "is incomplete",
      [good.slice(0, 12) + (good[12] === "A" ? "B" : "A") + good.slice(13)]: "is incomplete",
      "%%%": "is incomplete",
      "": "is incomplete",
      [packed("no JSON")]: "is incomplete",
      [packed('{"c": 1, "a": "x"}')]: "is incomplete",
      [packed("null")]: "is incomplete",
      [Buffer.from([7, 1, 2, 3]).toString("base64url")]: "version 7",
      ["A".repeat(100_001)]: "too large: 100,001 characters",
      [bomb]: "more than 8 MB",
      [packed(JSON.stringify({ c: "nothing", a: "[]" }))]: 'names the contract "nothing", which this page does not have',
    };
    for (const [code, words] of Object.entries(cases)) {
      await page.evaluate((hash) => (location.hash = hash), `#p=${code}`);
      await page.locator(".notice", { hasText: words }).waitFor();
      assert.deepEqual(await messages(page), before, words);
      assert.equal(await page.evaluate(() => location.hash), "");
    }
    // At the start of a page as well.
    const other = await page.context().newPage();
    await other.goto(`${kit.site.origin}/#p=${good.slice(0, -6)}`);
    await settled(other, "Revise");
    await other.locator(".notice", { hasText: "incomplete" }).waitFor();
    await other.close();
  }));

test("what is too large for a link is said so", () =>
  kit.visit({}, async (page) => {
    await chooseExample(page, "quiz-large", "Revise");
    await page.getByRole("button", { name: "Share" }).click();
    // 1 MB of questions that are much alike can be packed; random bytes cannot.
    await page.waitForFunction(() => /characters\./.test(document.querySelector(".share-note").textContent));
    await page.keyboard.press("Escape");
    const noise = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ((n * 2654435761) % 4294967296) ^ (n << 7)));
    await page.setInputFiles("#artifact-pane input[type=file]", {
      name: "noise.json",
      mimeType: "application/json",
      buffer: Buffer.from(noise),
    });
    await page.getByRole("button", { name: "Share" }).click();
    await page.locator(".share-note", { hasText: "too large for a link" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Copy", exact: true }).isDisabled(), true);
  }));

// Runs what the page gives in a folder of its own, with `plumb` on the path, in a locale that has the page's characters
// (the command writes ASCII where the locale has no others).
function inFolder(act) {
  const folder = mkdtempSync(join(tmpdir(), "plumb-share-"));
  try {
    return act(folder, { ...process.env, PATH: `${dirname(plumb)}:${process.env.PATH}`, LC_ALL: "C.UTF-8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const shell = (command, folder, env) => {
  try {
    return execFileSync("bash", ["-c", command], { cwd: folder, env, encoding: "utf8" });
  } catch (error) {
    return error.stdout;
  }
};

const works = [
  ["own contract", ownWork],
  ["context", (page) => chooseExample(page, "reply-context", "Revise")],
  ["built-in contract", (page) => chooseExample(page, "quiz-faulty", "Revise")],
];

test("the command line that is copied gives the page's findings", () =>
  kit.visit({}, async (page) => {
    for (const [name, begin] of works) {
      await begin(page);
      const all = await messages(page);
      await open(page, "Command line");
      const command = await told(page);
      await page.keyboard.press("Escape");
      const output = inFolder((folder, env) => shell(command, folder, env));
      for (const message of all) assert.ok(output.includes(message), `${name}: ${message} in\n${output}`);
    }
  }));

test("the program that is copied gives the page's verdict", () =>
  kit.visit({}, async (page) => {
    for (const [name, begin] of works) {
      await begin(page);
      const all = await messages(page);
      await open(page, "JavaScript");
      const program = await told(page);
      await page.keyboard.press("Escape");
      const output = inFolder((folder) => {
        givePackage(folder);
        writeFileSync(join(folder, "check.mjs"), program);
        return execFileSync(process.execPath, ["check.mjs"], { cwd: folder, encoding: "utf8" });
      });
      assert.match(output, /^revise\n/, name);
      for (const message of all) assert.ok(output.includes(message), `${name}: ${message} in\n${output}`);
    }
  }));

test("the request that is copied gives the page's verdict", () =>
  kit.visit({}, async (page) => {
    const server = spawn(plumb, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const origin = await new Promise((found, failed) => {
        let all = "";
        server.on("exit", () => failed(new Error(`plumb serve has ended: ${all}`)));
        server.stdout.on("data", (part) => {
          all += part;
          const address = /http:\/\/[^\s/]+/.exec(all);
          if (address) found(address[0]);
        });
      });
      for (const [name, begin] of works) {
        await begin(page);
        const all = await messages(page);
        await open(page, "HTTP");
        const request = await told(page);
        await page.keyboard.press("Escape");
        const command = request.replace(/http:\/\/[^\s]+(?=\/v1\/check)/, origin);
        const verdict = JSON.parse(inFolder((folder, env) => shell(command, folder, env)));
        const counted = verdict.findings.filter(({ shadowedBy }) => shadowedBy === undefined);
        assert.deepEqual(
          counted.map(({ message }) => message),
          all,
          name,
        );
      }
    } finally {
      server.kill();
    }
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at what is shared, ${colorScheme}`, () =>
    kit.visit({ colorScheme }, async (page) => {
      await open(page, "Link");
      assert.deepEqual(await axe(page), [], "link");
      await page.getByRole("tab", { name: "Link" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(() => document.querySelector(".share-text").value.includes("import"));
      assert.deepEqual(await axe(page), [], "code");
      await page.setViewportSize({ width: 390, height: 844 });
      assert.deepEqual(await axe(page), [], "at 390 px");
    }));
}

test("a link to a run that was cut off inside an escape says that there is no such run", async () => {
  for (const [view, said] of [
    ["runs", "nosuch%%"],
    ["research", "nosuch%%"],
    ["discovery", "nosuch%%"],
  ]) {
    await kit.visit({ path: `/#${view}/nosuch%%`, ready: false, expectErrors: true }, async (page) => {
      const wrong = [];
      page.on("pageerror", (error) => wrong.push(error.message));
      await page.getByRole("alert").filter({ hasText: said }).waitFor();
      await page.reload();
      await page.getByRole("alert").filter({ hasText: said }).waitFor();
      assert.deepEqual(wrong, []);
    });
  }
});
