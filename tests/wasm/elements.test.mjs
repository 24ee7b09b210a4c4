// The elements in a page of somebody else's: its reset, a strict policy, Chromium. tests/web has what the built page adds.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { serve, startBrowser } from "./browser.mjs";
import { recordedStory } from "../recorded.mjs";
import { cleanQuiz, faultyQuiz, faultyQuizMessages, npm, top } from "./support.mjs";

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data:";
const reset =
  "*,*::before,*::after{box-sizing:border-box;margin:0;padding:0;border:0;font:inherit;color:inherit;background:none;" +
  "list-style:none;text-decoration:none;line-height:1.15}button{all:unset}body{color-scheme:light dark;font:14px Georgia,serif}";
const head =
  '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>t</title><link rel="icon" href="data:,">';
const scripts = ["preview", "edit", "intake", "budget_element"].map((name) => `<script type="module" src="/npm/${name}.js"></script>`).join("");
const pageOf = (body, more = "") => `<!doctype html><html lang="en">${head}${more}${scripts}<body><main><h1>Here</h1>${body}</main></body></html>`;

const pages = { "/reset.css": reset };
let site;
let browser;
before(async () => {
  site = await serve({ "/npm/": join(npm, "dist") }, pages, { "content-security-policy": policy });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

let count = 0;
/** A page with `body`, in which nothing may go wrong; `act` gets it and its first element. */
async function bare(body, act, { more = "", name = "plumb-preview", ...options } = {}) {
  const path = `/page${++count}`;
  pages[path] = pageOf(body, more);
  const page = await browser.context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  try {
    await page.setViewportSize(options.viewport ?? { width: 900, height: 700 });
    await page.emulateMedia({ colorScheme: "light", ...options.media });
    await page.goto(site.origin + path);
    await page.evaluate((name) => customElements.whenDefined(name).then(() => {}), name);
    await act(page, page.locator(name).first());
    assert.deepEqual(wrong, []);
  } finally {
    await page.close();
  }
}

/** Pushes a text in pieces, and tells what was seen of the element after each: `look` is a function of it. */
const streamed = (preview, text, look, { size = 9, end = true } = {}) =>
  preview.evaluate(
    async (element, [text, look, size, end]) => {
      const see = new Function("element", `return (${look})(element)`);
      const seen = [];
      for (let from = 0; from < text.length; from += size) {
        element.push(text.slice(from, from + size));
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        seen.push(see(element));
      }
      const verdict = end ? await element.end() : null;
      return { seen, last: see(element), decision: verdict?.decision };
    },
    [text, String(look), size, end],
  );
const judged = (preview) =>
  preview.evaluate(
    (element) =>
      ["judged", "failed"].includes(element.state) ||
      new Promise((done) => ["plumb-verdict", "plumb-error"].forEach((name) => element.addEventListener(name, () => done(), { once: true }))),
  );
const wrap = (json) => `Sure! Here is your quiz:\n\n\`\`\`json\n${json}\n\`\`\`\nLet me know if you need more.`;

test("a quiz draws itself while it streams: item by item, red where it breaks, and never what stands around it", () =>
  bare('<plumb-preview contract="quiz" format="quiz" edits="certain"></plumb-preview>', async (page, preview) => {
    const { seen, last, decision } = await streamed(preview, wrap(faultyQuiz), (element) => {
      const all = (selector) => [...element.shadowRoot.querySelectorAll(selector)];
      return {
        asked: all(".asked").map((one) => one.textContent),
        options: all(".option").length,
        red: all(".marked.error").length,
        whys: all(".why").map((one) => one.textContent),
        text: element.shadowRoot.querySelector(".preview").textContent,
        lines: all(".line").length,
        head: element.shadowRoot.querySelector(".decision").textContent,
      };
    });
    assert.equal(decision, "revise");
    for (const { text, lines } of [...seen, last]) {
      assert.doesNotMatch(text, /Sure!|```|Let me know/);
      assert.equal(lines, 0);
    }
    const counts = seen.map((one) => one.asked.length);
    assert.deepEqual([...new Set(counts)], [0, 1, 2]);
    assert.deepEqual(counts, [...counts].sort());
    const first = seen.map((one) => one.asked[0] ?? "").filter((one) => one !== "");
    assert.ok(new Set(first).size > 2, "the question grows");
    first.forEach((one) => assert.ok("What is photosynthesis?".startsWith(one), one));
    const early = seen.findIndex((one) => one.red > 0);
    assert.ok(early > 0 && early < seen.length - 10, `red at ${early} of ${seen.length}`);
    assert.equal(seen[early].asked.length, 1, "the first question breaks before the second is there");
    assert.equal(seen[early].head, "Streaming");
    assert.deepEqual(last.whys, faultyQuizMessages);
    assert.deepEqual(last.asked, ["What is photosynthesis?", "Where does photosynthesis occur?"]);
  }));

test("items that are complete stay the same elements, and an answer that is half a word is none", () =>
  bare('<plumb-preview contract="quiz" format="quiz"></plumb-preview>', async (page, preview) => {
    const text = cleanQuiz(4);
    const { seen } = await streamed(
      preview,
      text,
      (element) => {
        const first = element.shadowRoot.querySelector(".question");
        const questions = element.shadowRoot.querySelectorAll(".question");
        if (questions.length === 2) window.kept ??= first;
        return { same: window.kept === undefined || window.kept === first, answers: element.shadowRoot.querySelectorAll(".answer").length };
      },
      { size: 23 },
    );
    assert.ok(seen.every(({ same, answers }) => same && answers === 0));
    assert.equal(await page.evaluate(() => window.kept.isConnected), true);
  }));

test("cards, a tree and a story draw themselves too; JSON without its wrapping", async () => {
  const cards = { flashcards: [{ front: "ATP", back: "energy" }, { front: "NADPH", back: "electrons" }] };
  const tree = { root: { label: "Light", children: [{ label: "Wave", children: [{ label: "Length", children: [] }] }, { label: "light", children: [] }] } };
  const { outline } = recordedStory("story_lighthouse");
  for (const [contract, format, value, selector, most] of [
    ["flashcards", "cards", cards, ".card", 2],
    ["mindmap", "tree", tree, ".branch", 4],
    [readFileSync(join(top, "core/contracts/story/outline.json"), "utf8"), "story", outline, ".beat", outline.beats.length],
  ]) {
    await bare(`<plumb-preview format="${format}" edits="certain"></plumb-preview>`, async (page, preview) => {
      await preview.evaluate((element, contract) => (element.contract = contract), contract);
      const text = JSON.stringify(value, null, 2);
      const look = `(element) => ({ items: element.shadowRoot.querySelectorAll(${JSON.stringify(selector)}).length, lines: element.shadowRoot.querySelectorAll(".line").length })`;
      const { seen, last } = await streamed(preview, wrap(text), look, { size: Math.ceil(text.length / 40) });
      const counts = seen.map(({ items }) => items);
      assert.deepEqual(counts, [...counts].sort((a, b) => a - b), format);
      assert.ok(new Set(counts).size > 2, `${format}: ${counts}`);
      assert.deepEqual(last, { items: most, lines: 0 });
    });
  }
  await bare('<plumb-preview contract="quiz" edits="certain"></plumb-preview>', async (page, preview) => {
    const look = (element) => [...element.shadowRoot.querySelectorAll(".text")].map((one) => one.textContent).join("\n");
    const { seen, last } = await streamed(preview, wrap(faultyQuiz), look);
    [...seen, last].forEach((text, i) => assert.ok(faultyQuiz.startsWith(text.trimEnd()), `${i}: ${text}`));
    assert.equal(last.trimEnd(), faultyQuiz);
    const marks = await preview.evaluate((element) => [...element.shadowRoot.querySelectorAll("mark")].map((one) => one.textContent));
    assert.equal(marks.at(-1), '"Chloroplasts"');
  });
});

test("it starts at the top, and a reader who has gone to the end is kept there", () =>
  bare('<plumb-preview contract="quiz" format="quiz"></plumb-preview><plumb-preview id="text" contract="quiz"></plumb-preview>', async (page, preview) => {
    const whole = cleanQuiz(12);
    const top = (element) => (element.shadowRoot.querySelector(".shape:not([hidden])") ?? element.shadowRoot.querySelector(".artifact")).scrollTop;
    const { seen, last } = await streamed(preview, whole, top, { size: 300 });
    assert.deepEqual([...new Set([...seen, last])], [0]);
    const other = page.locator("#text");
    await other.evaluate((element, value) => (element.value = value), whole);
    await judged(other);
    assert.equal(await other.evaluate(top), 0);
    const kept = await preview.evaluate(async (element, text) => {
      const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      element.push(text.slice(0, 3000));
      await frame();
      const box = element.shadowRoot.querySelector(".shape");
      box.scrollTop = box.scrollHeight;
      element.push(text.slice(3000));
      await frame();
      const end = box.scrollTop + box.clientHeight >= box.scrollHeight - 8;
      const at = (box.scrollTop = 60);
      await element.end();
      return { end, stays: element.shadowRoot.querySelector(".shape").scrollTop === at };
    }, whole);
    assert.deepEqual(kept, { end: true, stays: true });
  }));

test("fail() says that a stream has broken off, keeps what came, and the next piece begins anew", () =>
  bare('<form><plumb-preview name="made" contract="quiz" format="quiz" edits="certain"></plumb-preview></form>', async (page, preview) => {
    const text = wrap(faultyQuiz);
    await streamed(preview, text.slice(0, 420), () => null, { end: false });
    const told = await preview.evaluate(async (element) => {
      const heard = [];
      element.addEventListener("plumb-error", ({ detail }) => heard.push([detail.code, detail.message, detail.cause?.message]));
      element.fail(new Error("The connection was lost."));
      const why = await element.end().catch((error) => error.message);
      const part = (name) => element.shadowRoot.querySelector(`[part~=${name}]`).textContent;
      return { heard, why, state: element.state, head: part("decision"), counts: part("counts"), note: part("note"), status: element.shadowRoot.querySelector("[role=status]").textContent,
        valid: element.checkValidity(), form: element.validationMessage, asked: element.shadowRoot.querySelectorAll(".asked").length, whys: element.shadowRoot.querySelectorAll(".why").length };
    });
    const lost = "The connection was lost.";
    assert.deepEqual(told, {
      heard: [["unavailable", lost, lost]], why: lost, state: "failed", head: "Broken off", counts: "1 error so far", note: lost, status: lost,
      valid: false, form: lost, asked: 2, whys: 1,
    });
    const { decision } = await streamed(preview, wrap(cleanQuiz(2)), () => null, { size: 100 });
    assert.match(decision, /^accept/);
    const last = await preview.evaluate(async (element) => {
      element.fail("Refused.");
      await new Promise((done) => element.addEventListener("plumb-error", done, { once: true }));
      const first = [element.state, element.shadowRoot.querySelector("[part~=note]").textContent, element.value];
      element.push('{"questions": []}');
      return [first, (await element.end()).decision];
    });
    assert.deepEqual(last, [["failed", "Refused.", ""], "revise"]);
  }));

test("an answer that ends too early keeps the items that came", () =>
  bare('<plumb-preview contract="quiz" format="quiz"></plumb-preview>', async (page, preview) => {
    const cut = faultyQuiz.slice(0, 500);
    const look = (element) => [element.shadowRoot.querySelectorAll(".question").length, element.shadowRoot.querySelectorAll(".line").length];
    const { last, decision } = await streamed(preview, cut, look, { size: 40 });
    assert.deepEqual([last, decision], [[2, 0], "revise"]);
    await preview.evaluate((element, value) => (element.value = value), cut);
    await judged(preview);
    assert.deepEqual(await preview.evaluate(look), [2, 0], "as it is shown when it is set");
  }));

test("rules that nobody was asked about are named beside the decision", () =>
  bare('<plumb-preview contract="quiz"></plumb-preview>', async (page, preview) => {
    const title = () => preview.evaluate((element) => element.shadowRoot.querySelector(".decision").textContent);
    const set = async (value, contract) => {
      await preview.evaluate((element, [value, contract]) => Object.assign(element, { value, contract }), [value, contract]);
      await judged(preview);
      return title();
    };
    assert.equal(await set(cleanQuiz(2), "quiz"), "Accept, 3 rules not judged");
    assert.equal(await set(faultyQuiz, "quiz"), "Revise");
    assert.equal(await set("1", { type: "integer" }), "Accept");
    assert.equal(await set("1", { maximum: 0, severity: "warning", rules: [{ id: "a", ask: "Is it?" }] }), "Accept, with warnings, 1 rule not judged");
  }));

test("plumb-edit: what is wrong is underlined, leads to its place, and is mended by a click and undone by another", () =>
  bare('<form><plumb-edit name="made" contract="quiz"></plumb-edit></form>', async (page, edit) => {
    await edit.evaluate((element, value) => (element.value = value), faultyQuiz);
    await judged(edit);
    const told = () =>
      edit.evaluate((element) => ({
        text: element.value,
        messages: [...element.shadowRoot.querySelectorAll(".message")].map((one) => one.lastChild.textContent),
        sent: new FormData(element.form).get("made"),
        valid: element.checkValidity(),
      }));
    assert.deepEqual(await told(), { text: faultyQuiz, messages: faultyQuizMessages, sent: faultyQuiz, valid: false });
    const marks = await edit.evaluate((element) => [...element.shadowRoot.querySelectorAll("mark")].map((one) => one.textContent));
    assert.equal(marks.at(-1), '"Chloroplasts"');
    // The squiggles are where the text is.
    const same = await edit.evaluate((element) => {
      const [field, back] = [".field", ".back"].map((name) => getComputedStyle(element.shadowRoot.querySelector(name)));
      return ["fontFamily", "fontSize", "lineHeight", "paddingLeft", "width", "letterSpacing", "whiteSpace", "overflowWrap"].filter((name) => field[name] !== back[name]);
    });
    assert.deepEqual(same, []);
    await edit.getByRole("button", { name: faultyQuizMessages[2] }).click();
    const chosen = await edit.evaluate((element) => {
      const field = element.shadowRoot.querySelector(".field");
      return [field.value.slice(field.selectionStart, field.selectionEnd), element.shadowRoot.activeElement === field];
    });
    assert.deepEqual(chosen, ['"Chloroplasts"', true]);
    await edit.getByRole("button", { name: "Use “Chloroplasts” as an option" }).first().click();
    await page.waitForFunction(() => document.querySelector("plumb-edit").verdict?.findings.length === 1);
    const fixed = await told();
    assert.deepEqual(fixed.messages, [faultyQuizMessages[0]]);
    assert.deepEqual(JSON.parse(fixed.text).questions[1].options, ["Mitochondria", "Chloroplasts", "Nucleus", "Cell wall"]);
    const versions = () => edit.evaluate((element) => element.versions.map(({ label }) => label));
    assert.deepEqual(await versions(), ["As given", "Use “Chloroplasts” as an option"]);
    // Side by side, with the lines that differ.
    await edit.getByLabel("Compare with").selectOption("0");
    const differing = await edit.evaluate((element) =>
      [".old", ".back"].map((name) => [...element.shadowRoot.querySelectorAll(`${name} .differs`)].map((one) => one.textContent.trim()).join("")),
    );
    assert.match(differing[0], /"Mitochondria",/);
    assert.match(differing[1], /"Chloroplasts",/);
    await edit.getByRole("button", { name: "Undo" }).click();
    await page.waitForFunction(() => document.querySelector("plumb-edit").verdict?.findings.length === 3);
    assert.equal((await told()).text, faultyQuiz);
  }, { name: "plumb-edit" }));

test("plumb-edit: what is offered was tried, whatever is wrong", () =>
  bare("<plumb-edit></plumb-edit>", async (page, edit) => {
    await edit.evaluate((element) => {
      element.contract = {
        type: "object",
        required: ["name", "kind"],
        additionalProperties: false,
        properties: {
          name: { type: "string" },
          kind: { enum: ["red", "green"] },
          n: { type: "integer", maximum: 5 },
          m: { type: "number" },
          tags: { type: "array", uniqueItems: true },
        },
      };
    });
    for (const [text, title, made] of [
      ['{"nmae": "a", "kind": "red"}', "Rename to “name”", { name: "a", kind: "red" }],
      ['{"name": "a", "kind": "gren"}', "Use “green”", { name: "a", kind: "green" }],
      ['{"name": "a"}', "Add “kind”", { name: "a", kind: "red" }],
      ['{"name": "a", "kind": "red", "n": 9}', "Use 5", { name: "a", kind: "red", n: 5 }],
      ['{"name": "ü", "kind": "red", "m": "4"}', "Make it a number", { name: "ü", kind: "red", m: 4 }],
      ['{"name": "a", "kind": "red", "tags": ["x", "x"]}', "Remove the second “x”", { name: "a", kind: "red", tags: ["x"] }],
      ['{"name": "a", "kind": "red", "other": 1}', "Remove “other”", { name: "a", kind: "red" }],
      ['```json\n{"name": "a", "kind": "red"}\n```', "Remove the code fence", { name: "a", kind: "red" }],
    ]) {
      await edit.evaluate((element, value) => (element.value = value), text);
      await edit.getByRole("button", { name: title }).first().click();
      await page.waitForFunction(() => document.querySelector("plumb-edit").verdict?.valid === true);
      assert.deepEqual(JSON.parse(await edit.evaluate((element) => element.value)), made, title);
    }
  }, { name: "plumb-edit" }));

test("a page's reset, 390 px, dark, forced colours and right to left leave the elements as they are", async () => {
  const body = '<plumb-preview contract="quiz" format="quiz"></plumb-preview><plumb-edit contract="quiz"></plumb-edit>' +
    '<plumb-intake objective="Explore electric cars."></plumb-intake><plumb-budget value=\'{"window": 1000, "elements": []}\'></plumb-budget>';
  const looks = async (more, options = {}) => {
    let found;
    await bare(body, async (page) => {
      await page.evaluate((value) => document.querySelectorAll("plumb-preview, plumb-edit").forEach((one) => (one.value = value)), faultyQuiz);
      await judged(page.locator("plumb-preview"));
      await judged(page.locator("plumb-edit"));
      await page.waitForFunction(() => document.querySelector("plumb-intake").verdict !== null && document.querySelector("plumb-budget").answer !== undefined);
      if (options.dir) await page.evaluate((dir) => (document.documentElement.dir = dir), options.dir);
      found = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth <= innerWidth,
        styles: [...document.querySelectorAll("plumb-preview, plumb-edit")].flatMap((one) =>
          [".preview", ".head", ".problem", ".decision"].map((name) => {
            const { borderTopWidth, lineHeight, fontSize, fontFamily, paddingTop } = getComputedStyle(one.shadowRoot.querySelector(name));
            return { borderTopWidth, lineHeight, fontSize, fontFamily, paddingTop };
          }),
        ),
        others: [["plumb-intake", "textarea", ".line-title", ".decision", "h2"], ["plumb-budget", ".verdict b", ".legend li", ".scale"]].flatMap(([name, ...parts]) =>
          parts.map((part) => {
            const { borderTopWidth, lineHeight, fontSize, fontFamily, paddingTop } = getComputedStyle(document.querySelector(name).shadowRoot.querySelector(part));
            return { borderTopWidth, lineHeight, fontSize, fontFamily, paddingTop };
          }),
        ),
        side: getComputedStyle(document.querySelector("plumb-preview").shadowRoot.querySelector(".head")).borderRightWidth,
        color: getComputedStyle(document.querySelector("plumb-preview").shadowRoot.querySelector(".preview")).backgroundColor,
      }));
    }, { more, ...options });
    return found;
  };
  const plain = await looks('<meta name="color-scheme" content="light dark">', { viewport: { width: 390, height: 800 } });
  assert.equal(plain.wide, true);
  assert.equal(plain.styles[0].borderTopWidth, "1px");
  const sheet = '<link rel="stylesheet" href="/reset.css">';
  const dark = await looks(sheet, { viewport: { width: 390, height: 800 }, media: { colorScheme: "dark" } });
  assert.deepEqual(dark.styles, plain.styles);
  assert.deepEqual(dark.others, plain.others);
  assert.deepEqual([dark.wide, dark.color !== plain.color], [true, true]);
  const turned = await looks(sheet, { viewport: { width: 390, height: 800 }, dir: "rtl", media: { forcedColors: "active" } });
  assert.deepEqual(turned.styles, plain.styles);
  assert.deepEqual(turned.others, plain.others);
  assert.deepEqual([turned.wide, turned.side], [true, "4px"]);
});

test("a policy without wasm-unsafe-eval is named as that", async () => {
  const strict = await serve({ "/npm/": join(npm, "dist") }, { "/": pageOf('<plumb-preview contract="quiz" value="[]"></plumb-preview>') }, {
    "content-security-policy": policy.replace(" 'wasm-unsafe-eval'", ""),
  });
  const page = await browser.context.newPage();
  try {
    await page.goto(`${strict.origin}/`);
    await page.waitForFunction(() => document.querySelector("plumb-preview").state === "failed");
    const note = await page.evaluate(() => document.querySelector("plumb-preview").shadowRoot.querySelector(".note").textContent);
    assert.match(note, /Content-Security-Policy.*'wasm-unsafe-eval'.*script-src/);
  } finally {
    await page.close();
    await strict.close();
  }
});
