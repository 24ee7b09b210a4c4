// <plumb-preview> in pages of other people, and the three examples.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { axe, npm, seed, setUp, web } from "./support.mjs";

const kit = setUp();

const faultyQuiz = [
  "Question 1: Must have at least 4 options (has 3)",
  "Question 2: Options must be unique (found duplicates)",
  "Question 2: correct_answer 'Chloroplasts' must be one of the options",
];

// A page with nothing but the script; `body` is put into it.
async function bare(body, act, options = {}) {
  kit.site.replaced.set("/examples/bare.html", bareHtml);
  await kit.visit({ path: "/examples/bare.html", ...options }, async (page) => {
    await page.evaluate((html) => document.body.insertAdjacentHTML("beforeend", html), body);
    await act(page, page.locator("plumb-preview").first());
  });
}
const bareHtml =
  '<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><title>Bare</title>' +
  '<link rel="icon" href="data:,"><script type="module" src="../embed/plumb-preview.js"></script><body></body></html>';
const judged = (preview) =>
  preview.evaluate(
    (element) =>
      element.state === "judged" ||
      element.state === "failed" ||
      new Promise((done) => {
        element.addEventListener("plumb-verdict", done, { once: true });
        element.addEventListener("plumb-error", done, { once: true });
      }).then(() => true),
  );
const problems = (preview) =>
  preview.evaluate((element) =>
    [...element.shadowRoot.querySelectorAll("[part~=message]")].map((one) => one.lastChild.textContent),
  );
const marked = (preview) =>
  preview.evaluate((element) => [...element.shadowRoot.querySelectorAll("mark")].map((one) => one.textContent));

test("the preview needs at most 60 KB gzip of script beside the module", () => {
  const script = readFileSync(join(web, "embed/plumb-preview.js"));
  const size = gzipSync(script, { level: 9 }).length;
  console.log(`           ${(size / 1024).toFixed(1)} KB gzip`);
  assert.ok(size <= 60 * 1024, `${size} bytes`);
  assert.ok(size > 5 * 1024, "it is the whole of it");
  assert.doesNotMatch(script.toString(), /from\s*"|import\s*"/, "one file");
});

test("a value that is set gives the verdict, its problems and its places", () =>
  bare('<plumb-preview contract="quiz"></plumb-preview>', async (page, preview) => {
    const text = seed("quiz_faulty.json");
    await preview.evaluate((element, value) => {
      window.heard = [];
      for (const name of ["plumb-finding", "plumb-verdict", "plumb-error"]) {
        document.addEventListener(name, (event) =>
          window.heard.push([name, event.detail.message ?? event.detail.decision]),
        );
      }
      element.value = value;
    }, text);
    await judged(preview);
    assert.deepEqual(await problems(preview), faultyQuiz);
    assert.deepEqual(await page.evaluate(() => window.heard), [
      ...faultyQuiz.map((message) => ["plumb-finding", message]),
      ["plumb-verdict", "revise"],
    ]);
    assert.equal((await marked(preview)).at(-1), '"Chloroplasts"');
    const shown = await preview.evaluate((element) =>
      [...element.shadowRoot.querySelectorAll(".text")].map((one) => one.textContent).join("\n"),
    );
    assert.equal(shown, text);
    assert.match(await preview.evaluate((element) => element.shadowRoot.textContent), /Revise3 errorsQuiz/);
    // A problem leads to its place, and is told.
    await preview.evaluate((element) =>
      element.addEventListener("plumb-select", (event) => (window.chosen = event.detail.at)),
    );
    await preview.getByRole("button", { name: faultyQuiz[2] }).click();
    assert.equal(await page.evaluate(() => window.chosen), "/questions/1/correct_answer");
    assert.match(
      await preview.evaluate((element) => element.shadowRoot.querySelector(".current").textContent),
      /Chloroplasts/,
    );
  }));

test("an artifact that is pushed gives its findings as they become certain, and the same verdict however it is cut", () =>
  bare('<plumb-preview contract="quiz"></plumb-preview>', async (page, preview) => {
    const text = seed("quiz_faulty.json");
    for (const size of [1, 7, 1000]) {
      const told = await preview.evaluate(
        async (element, [value, units]) => {
          const heard = [];
          const listen = (event) => heard.push([event.detail.decidedAt, element.value.length]);
          element.addEventListener("plumb-finding", listen);
          for (let from = 0; from < value.length; from += units) {
            element.push(value.slice(from, from + units));
            if (from % (units * 16) === 0) await new Promise((done) => setTimeout(done));
          }
          const state = element.state;
          const verdict = await element.end();
          element.removeEventListener("plumb-finding", listen);
          return { heard, state, decision: verdict.decision, messages: verdict.findings.map(({ message }) => message) };
        },
        [text, size],
      );
      assert.equal(told.state, "arriving");
      assert.equal(told.decision, "revise");
      assert.deepEqual(told.messages, faultyQuiz, `pieces of ${size}`);
      assert.equal(told.heard.length, 3);
      for (const [decidedAt, arrived] of told.heard) assert.ok(arrived >= decidedAt);
      if (size === 1) assert.ok(told.heard[0][1] < text.length, "certain before it was whole");
      assert.deepEqual(await problems(preview), faultyQuiz);
      assert.equal((await marked(preview)).at(-1), '"Chloroplasts"');
    }
  }));

test("bytes that are cut within a character, and CRLF that is cut in two", () =>
  bare("<plumb-preview></plumb-preview>", async (page, preview) => {
    const told = await preview.evaluate(async (element) => {
      element.contract = { items: { maxLength: 1 } };
      const bytes = new TextEncoder().encode('["🌱",\r\n"🌱🌱"]');
      for (const byte of bytes) element.push(Uint8Array.of(byte));
      const verdict = await element.end();
      return { value: element.value, at: verdict.findings.map(({ at }) => at) };
    });
    assert.deepEqual(told, { value: '["🌱",\r\n"🌱🌱"]', at: ["/1"] });
    assert.deepEqual(await marked(preview), ['"🌱🌱"']);
    await preview.evaluate(async (element) => {
      for (const piece of ['["a",\r', '\n"bb"]']) element.push(piece);
      await element.end();
    });
    assert.deepEqual(await marked(preview), ['"bb"']);
    assert.equal(await preview.evaluate((element) => element.shadowRoot.querySelectorAll(".line").length), 2);
  }));

test("a newer artifact replaces one that is under way, and a stream that is given up rejects", () =>
  bare('<plumb-preview contract="quiz"></plumb-preview>', async (page, preview) => {
    const told = await preview.evaluate(async (element) => {
      const heard = [];
      element.addEventListener("plumb-verdict", (event) => heard.push(event.detail.findings[0]?.message));
      element.value = "[]";
      element.value = '{"questions": []}';
      await new Promise((done) => element.addEventListener("plumb-verdict", done, { once: true }));
      element.push('{"questions"');
      const ending = element.end().then(
        () => "ended",
        (error) => error.message,
      );
      element.value = '{"questions": 1}';
      const why = await ending;
      await new Promise((done) => setTimeout(done, 100));
      return { heard, why };
    });
    assert.deepEqual(told.heard, ["Quiz must have at least 1 question", "'questions' must be a list"]);
    assert.match(told.why, /another artifact/);
  }));

test("what cannot be judged is told, in the page and as an event", () =>
  bare('<plumb-preview contract="quizz" value="[]"></plumb-preview>', async (page, preview) => {
    await judged(preview);
    const note = () => preview.evaluate((element) => element.shadowRoot.querySelector("[part~=note]").textContent);
    assert.match(await note(), /there is no built-in contract "quizz"/);
    assert.equal(await preview.evaluate((element) => element.state), "failed");
    await preview.evaluate((element) => element.setAttribute("contract", '{"minItems": "x"}'));
    await page.waitForFunction(() =>
      /minItems/.test(document.querySelector("plumb-preview").shadowRoot.querySelector("[part~=note]").textContent),
    );
    await preview.evaluate((element) => element.setAttribute("contract", '{"minItems": 1}'));
    await page.waitForFunction(() => document.querySelector("plumb-preview").state === "judged");
    assert.deepEqual(await problems(preview), ["Must have at least 1 item (has 0)"]);
    // Its context, and none.
    const wrong = await preview.evaluate(async (element) => {
      element.contract = { memberOf: { in: "context:/known/*" } };
      element.context = { known: [1, 2] };
      element.value = 3;
      await new Promise((done) => element.addEventListener("plumb-verdict", done, { once: true }));
      return element.verdict.decision;
    });
    assert.equal(wrong, "revise");
    await preview.evaluate((element) => element.removeAttribute("contract"));
    await preview.evaluate((element) => (element.contract = undefined));
    await page.waitForFunction(() => document.querySelector("plumb-preview").state === "failed");
    assert.match(await note(), /no contract is named; there are .*quiz/);
  }));

test("a module that cannot be had is told, and had on another attempt", async () => {
  kit.site.refused.add(".wasm");
  try {
    await bare(
      '<plumb-preview contract="quiz" value="[]"></plumb-preview>',
      async (page, preview) => {
        await judged(preview);
        assert.equal(await preview.evaluate((element) => element.state), "failed");
        kit.site.refused.clear();
        await preview.evaluate((element) => (element.value = '{"questions": []}'));
        await judged(preview);
        assert.deepEqual(await problems(preview), ["Quiz must have at least 1 question"]);
      },
      { expectErrors: true },
    );
  } finally {
    kit.site.refused.clear();
  }
});

test("a large artifact is judged whole and shown in part", () =>
  bare('<plumb-preview contract="quiz"></plumb-preview>', async (page, preview) => {
    await preview.evaluate((element) => {
      element.contract = { items: { maximum: 2999 } };
      element.value = Array.from({ length: 5000 }, (_, n) => n);
    });
    await judged(preview);
    const told = await preview.evaluate((element) => ({
      lines: element.shadowRoot.querySelectorAll(".line").length,
      more: element.shadowRoot.querySelector("[part~=more]").textContent,
      note: element.shadowRoot.querySelector("[part~=note]").textContent,
      problems: element.shadowRoot.querySelectorAll(".problem").length,
    }));
    assert.equal(told.lines, 2000);
    assert.equal(told.more, "and 3,002 more lines");
    assert.equal(told.problems, 200);
    assert.match(told.note, /and \d+ problems more/);
  }));

test("the page's custom properties and parts style it, and `show` chooses what is seen", () =>
  bare('<plumb-preview contract="quiz" value="[]"></plumb-preview>', async (page, preview) => {
    await judged(preview);
    await page.addStyleTag({
      content:
        "plumb-preview { --plumb-sheet: rgb(1, 2, 3); --plumb-error: rgb(4, 5, 6); --plumb-radius: 3px }" +
        "plumb-preview::part(decision) { letter-spacing: 7px } plumb-preview:state(invalid) { margin-top: 9px }",
    });
    const style = await preview.evaluate((element) => [
      getComputedStyle(element).backgroundColor,
      getComputedStyle(element).borderRadius,
      getComputedStyle(element).marginTop,
      getComputedStyle(element.shadowRoot.querySelector(".decision")).letterSpacing,
      getComputedStyle(element.shadowRoot.querySelector(".decision")).color,
    ]);
    assert.deepEqual(style, ["rgb(1, 2, 3)", "3px", "9px", "7px", "rgb(4, 5, 6)"]);
    await preview.evaluate((element) => element.setAttribute("show", "problems"));
    assert.equal(await preview.locator(".head").isVisible(), false);
    assert.equal(await preview.locator(".artifact").isVisible(), false);
    assert.equal(await preview.locator(".problem").isVisible(), true);
  }));

test("in a form it is a field: named, required, and sent only when the contract is kept", () =>
  bare('<form><plumb-preview name="made" contract="quiz" required></plumb-preview></form>', async (page, preview) => {
    const told = () =>
      preview.evaluate((element) => [
        element.checkValidity(),
        element.validationMessage,
        new FormData(element.form).get("made"),
      ]);
    assert.deepEqual(await told(), [false, "There is no artifact yet.", ""]);
    await preview.evaluate((element) => element.push('{"questions":'));
    assert.deepEqual(await told(), [false, "The artifact is not complete yet.", '{"questions":']);
    await preview.evaluate((element) => (element.value = '{"questions": []}'));
    await judged(preview);
    assert.deepEqual(await told(), [false, "Quiz must have at least 1 question", '{"questions": []}']);
    const good = seed("quiz_repaired.json");
    await preview.evaluate((element, value) => (element.value = value), good);
    await judged(preview);
    assert.deepEqual(await told(), [true, "", good]);
    await page.evaluate(() => document.forms[0].reset());
    assert.deepEqual(await told(), [false, "There is no artifact yet.", ""]);
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing at a preview, ${colorScheme}`, () =>
    bare(
      '<main><h1>Here</h1><plumb-preview contract="quiz"></plumb-preview></main>',
      async (page, preview) => {
        await preview.evaluate((element, value) => (element.value = value), seed("quiz_faulty.json"));
        await judged(preview);
        await preview.getByRole("button").first().click();
        assert.deepEqual(await axe(page), []);
      },
      { colorScheme },
    ));
}

test("edits: what a model wraps around JSON is edited and told, and a form sends what was judged", () =>
  bare('<form><plumb-preview name="made" contract="quiz" edits="certain"></plumb-preview></form>', async (page, preview) => {
    const good = seed("quiz_repaired.json");
    const wrapped = "Here it is:\n```json\n" + good + "\n```\n";
    const told = () =>
      preview.evaluate((element) => ({
        decision: element.verdict.decision,
        given: element.value,
        sent: new FormData(element.form).get("made"),
        edits: element.shadowRoot.querySelector("[part~=edits]").textContent,
      }));
    await preview.evaluate((element, value) => (element.value = value), wrapped);
    await judged(preview);
    const { decision, given, sent, edits } = await told();
    assert.equal(given, wrapped);
    assert.deepEqual(JSON.parse(sent), JSON.parse(good));
    assert.match(decision, /^accept/);
    assert.match(edits, /^Edited: .*fence/);
    await preview.evaluate(async (element, value) => {
      for (let from = 0; from < value.length; from += 9) element.push(value.slice(from, from + 9));
      await element.end();
    }, wrapped);
    assert.deepEqual(await told(), { decision, given, sent, edits });
    await preview.evaluate((element) => element.setAttribute("edits", "all"));
    await page.waitForFunction(() => document.querySelector("plumb-preview").state === "failed");
    assert.match(
      await preview.evaluate((element) => element.shadowRoot.querySelector("[part~=note]").textContent),
      /it is none, certain or guess/,
    );
  }));

test("format: a quiz is shown as a quiz, with marks at the options; cards and trees as what they are", () =>
  bare('<main><h1>Here</h1><plumb-preview contract="quiz" format="quiz"></plumb-preview></main>', async (page, preview) => {
    await preview.evaluate((element, value) => (element.value = value), seed("quiz_faulty.json"));
    await judged(preview);
    const texts = (selector) =>
      preview.evaluate(
        (element, wanted) => [...element.shadowRoot.querySelectorAll(wanted)].map((one) => one.textContent),
        selector,
      );
    assert.deepEqual(await texts(".asked"), ["What is photosynthesis?", "Where does photosynthesis occur?"]);
    assert.deepEqual(await texts(".option.right .option-text"), ["Energy production"]);
    assert.deepEqual(await texts(".options.error > .why"), faultyQuiz.slice(0, 2));
    assert.deepEqual(await texts(".answer.error > .why"), [faultyQuiz[2]]);
    assert.deepEqual(await texts(".line"), []);
    await preview.getByRole("button", { name: faultyQuiz[2] }).click();
    assert.deepEqual(await texts(".current > .why"), [faultyQuiz[2]]);
    assert.deepEqual(await axe(page), []);
    const show = (contract, format, value) =>
      preview.evaluate(
        async (element, [name, shape, artifact]) => {
          element.setAttribute("contract", name);
          element.setAttribute("format", shape);
          element.value = artifact;
          await new Promise((done) => element.addEventListener("plumb-verdict", done, { once: true }));
        },
        [contract, format, value],
      );
    await show("flashcards", "cards", { flashcards: [{ front: "ATP", back: "energy" }, { front: "NADPH", back: "" }] });
    assert.deepEqual(await texts(".front"), ["ATP", "NADPH"]);
    assert.equal((await texts(".back.error")).length, 1);
    await show("mindmap", "tree", { root: { label: "Light", children: [{ label: "Wave" }, { label: "light" }] } });
    assert.equal((await texts(".branch")).length, 3);
    assert.ok((await texts(".why")).length >= 1);
    assert.deepEqual(await axe(page), []);
    // What is of no such shape, or no JSON, is shown as it can be.
    await show("quiz", "quiz", []);
    assert.deepEqual(await texts(".text"), ["[]"]);
    await show("quiz", "quiz", '{"questions": [');
    assert.deepEqual(await texts(".text"), ['{"questions": [']);
  }));

test("format json: minified JSON on lines of its own, numbers as they were written, marks where the values stand then", () =>
  bare('<plumb-preview format="json"></plumb-preview>', async (page, preview) => {
    await preview.evaluate((element) => {
      element.contract = { properties: { a: { items: { maximum: 5 } } } };
      element.value = '{"a":[1,1e400,{"b/c":[]}],"q\\"":"x: {}"}';
    });
    await judged(preview);
    const shown = await preview.evaluate((element) =>
      [...element.shadowRoot.querySelectorAll(".text")].map((one) => one.textContent).join("\n"),
    );
    assert.equal(
      shown,
      '{\n  "a": [\n    1,\n    1e400,\n    {\n      "b/c": []\n    }\n  ],\n  "q\\"": "x: {}"\n}',
    );
    assert.deepEqual(await marked(preview), ["1e400"]);
  }));

test("each preview is one landmark, by a name of its own", () =>
  bare(
    '<main><h1>Here</h1><plumb-preview contract="quiz" value="[]"></plumb-preview>' +
      '<plumb-preview contract="quiz" value="{}"></plumb-preview>' +
      '<plumb-preview contract="quiz" label="The answer" value="1"></plumb-preview></main>',
    async (page) => {
      for (const one of await page.locator("plumb-preview").all()) await judged(one);
      const names = () =>
        page.evaluate(() =>
          [...document.querySelectorAll("plumb-preview")].map((one) =>
            one.shadowRoot.querySelector("section").getAttribute("aria-label"),
          ),
        );
      assert.deepEqual((await names()).sort(), ["Quiz", "Quiz 2", "The answer"]);
      assert.equal(await page.getByRole("region").count(), 3);
      assert.deepEqual(await axe(page), []);
      await page.evaluate(() => document.querySelector("plumb-preview").remove());
      await page.evaluate(() => document.querySelector("main").insertAdjacentHTML("beforeend", '<plumb-preview contract="quiz" value="[]"></plumb-preview>'));
      await judged(page.locator("plumb-preview").last());
      assert.equal(new Set(await names()).size, 3);
    },
  ));

test("under style-src 'self' the elements look as they do without it", async () => {
  const policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data:";
  const elements =
    '<plumb-preview contract="quiz" format="quiz"></plumb-preview><plumb-budget></plumb-budget>' +
    '<plumb-intake objective="Which framework is best?"></plumb-intake>';
  const looks = async (head) => {
    const scripts = ["preview", "budget", "intake"].map(
      (name) => `<script type="module" src="../embed/plumb-${name}.js"></script>`,
    );
    kit.site.replaced.set(
      "/examples/policy.html",
      `<!doctype html><html lang="en"><meta charset="utf-8">${head}<title>t</title><link rel="icon" href="data:,">` +
        `${scripts.join("")}<body>${elements}</body></html>`,
    );
    let found;
    await kit.visit({ path: "/examples/policy.html" }, async (page) => {
      const broken = [];
      await page.exposeFunction("broken", (what) => broken.push(what));
      await page.evaluate(() =>
        document.addEventListener("securitypolicyviolation", (event) => broken(`${event.violatedDirective} ${event.sourceFile}`)),
      );
      const preview = page.locator("plumb-preview");
      await preview.evaluate((element, value) => (element.value = value), seed("quiz_faulty.json"));
      await judged(preview);
      await page.waitForTimeout(300);
      found = await page.evaluate(() =>
        [...document.querySelectorAll("plumb-preview, plumb-budget, plumb-intake")].map((one) => {
          const style = getComputedStyle(one);
          const parts = [...one.shadowRoot.querySelectorAll("*")].map((part) => {
            const { color, padding, display, width } = getComputedStyle(part);
            return `${part.localName} ${color} ${padding} ${display} ${width}`;
          });
          return [style.borderRadius, style.display, ...parts];
        }),
      );
      assert.deepEqual(broken, []);
    });
    return found;
  };
  const free = await looks("");
  assert.deepEqual(await looks(`<meta http-equiv="content-security-policy" content="${policy}">`), free);
  assert.ok(free[0].length > 20);
});

test("the package's own file can be imported where there is no document", async () => {
  const { PlumbPreview } = await import(join(npm, "dist/preview.js"));
  assert.equal(typeof PlumbPreview, "function");
});

// Notes what an element says while the preview is in each state.
const listen = (page, selector, preview) =>
  page.evaluate(
    ([said, from]) => {
      window.seen = [];
      const target = document.querySelector(said);
      new MutationObserver(() =>
        window.seen.push(`${document.querySelector(from).state}: ${target.textContent}`),
      ).observe(target, { childList: true, characterData: true, subtree: true });
    },
    [selector, preview],
  );

// --- The examples -------------------------------------------------------------------------------------------------

test("example: a plain page", () =>
  kit.visit({ path: "/examples/plain.html" }, async (page) => {
    const written = page.locator("#written");
    await judged(written);
    assert.deepEqual(await problems(written), ["Flashcard 2: Back cannot be empty", "Duplicate term found: 'atp'"]);
    await listen(page, "#log", "#streamed");
    await page.getByRole("button", { name: "Let a quiz arrive" }).click();
    await page.locator("#log", { hasText: "revise: 2 findings" }).waitFor();
    const seen = await page.evaluate(() => window.seen);
    assert.ok(
      seen.some((one) => /^arriving: .*distinct at \/questions\/0\/options/.test(one)),
      seen.join("\n"),
    );
    assert.deepEqual(await axe(page), []);
  }));

test("example: React", () =>
  kit.visit({ path: "/examples/react/index.html" }, async (page) => {
    const preview = page.locator("plumb-preview");
    await page.locator("[role=status]", { hasText: "revise, 1 problems" }).first().waitFor();
    assert.deepEqual(await problems(preview), ["Duplicate label found: 'light reactions'"]);
    await preview.getByRole("button").click();
    await page.getByText("chosen: /root/children/1/label").waitFor();
    const text = await page.locator("textarea").inputValue();
    await page.locator("textarea").fill(text.replace("light reactions", "Calvin cycle"));
    await page.getByText("accept, 0 problems").waitFor();
    assert.deepEqual(await axe(page), []);
  }));

test("example: a form that is judged while a model writes into it", () =>
  kit.visit({ path: "/examples/form.html" }, async (page) => {
    const why = page.locator('.why[data-at="/correct_answer"]');
    await listen(page, '.why[data-at="/correct_answer"]', "plumb-preview");
    await page.getByRole("button", { name: "Ask the model" }).click();
    await why.filter({ hasText: "'Chloroplasts' is none of the options" }).waitFor();
    const seen = await page.evaluate(() => window.seen);
    assert.ok(
      seen.some((one) => one.startsWith("arriving: 'Chloroplasts' is none")),
      `before its end: ${seen.join("; ")}`,
    );
    assert.equal(await page.locator("[name=question]").inputValue(), "Where does photosynthesis take place?");
    await judged(page.locator("plumb-preview"));
    assert.equal(await page.locator("#send").isDisabled(), true);
    assert.deepEqual(await axe(page), []);
    await page.locator("[name=options]").fill("Mitochondria\nNucleus\nCell wall\nChloroplasts");
    await page.waitForFunction(() => !document.querySelector("#send").disabled);
    assert.equal(await why.textContent(), "");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#sent", { hasText: '"correct_answer": "Chloroplasts"' }).waitFor();
  }));
