// The place of the server, with its proxy: real calls through a real server, whose model alone is scripted.
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { axe, offlineReady, plumb, seed, settled, setUp, web } from "./support.mjs";

const kit = setUp();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let folder;
let model;
let server;

// Answers at once; the name of the model says how.
async function scriptedModel() {
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { model: name } = JSON.parse(body);
    if (name === "refusing") {
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"error":{"message":"no","type":"invalid_request_error"}}');
      return;
    }
    const content = name === "quiz" ? seed("quiz_faulty.json") : "Hello.";
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: "x",
        object: "chat.completion",
        created: 1,
        model: name,
        choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
      }),
    );
  });
  await new Promise((listening) => http.listen(0, "127.0.0.1", listening));
  return {
    base: `http://127.0.0.1:${http.address().port}/v1`,
    end: () => (http.closeAllConnections(), new Promise((closed) => http.close(closed))),
  };
}

const config = (more = "") => `providers:
  near: {speaks: openai, base_url: "${model.base}"}
  gone: {speaks: openai, base_url: "http://127.0.0.1:1/v1"}
proxy:
  listen: 127.0.0.1:0
  prices: {near: {input: 2, output: 10}}
  retries: {max: 0}
  breaker: {failures: 1, open_ms: 3600000}
  models:
    fast: near/small
    careful: {to: gone/big, fallbacks: [near/big]}
    refusing: near/refusing
    quiz: near/quiz
${more}`;

async function serve(how = ["--config", join(folder, "plumb.yaml")], port = 0) {
  const child = spawn(
    plumb,
    ["serve", "--port", String(port), "--web", web, "--store", join(folder, `runs${port}${how.length}.db`), ...how, "--log", "off"],
    { env: { ...process.env, PLUMB_PROVIDER: "extract", XDG_STATE_HOME: folder }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const over = new Promise((done) => child.once("exit", done));
  const lines = await new Promise((told, failed) => {
    let text = "";
    over.then((code) => failed(new Error(`plumb serve has ended with ${code}`)));
    child.stdout.on("data", (data) => {
      text += data;
      if (text.split("\n").length > how.length) told(text.split("\n"));
    });
  });
  const [origin, proxy] = lines.slice(0, how.length).map((line) => new URL(/http:\/\/[^/\s]+/.exec(line)[0]).origin);
  return { origin, proxy, end: () => (child.kill("SIGKILL"), over) };
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumb-page-proxy-"));
  model = await scriptedModel();
  writeFileSync(join(folder, "plumb.yaml"), config());
  server = await serve();
});
after(async () => {
  await server?.end();
  await model?.end();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function call(name, headers = {}) {
  const answer = await fetch(`${server.proxy}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: name, messages: [{ role: "user", content: "Hi." }], max_tokens: 10 }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const visit = (options, body) => {
  const site = kit.site;
  kit.site = server;
  return kit
    .visit({ path: "/#server", ready: false, ...options }, async (page) => {
      await page.locator(".figures").waitFor();
      await body(page);
    })
    .finally(() => (kit.site = site));
};

// Text as people read it: parts by a blank.
const figure = async (page, name) =>
  (await page.locator(".figure", { has: page.locator(`dt:text-is("${name}")`) }).locator("dd > *").allTextContents()).join(" ");
const rowOf = async (page, table, first) => {
  const row = page.getByRole("region", { name: table }).locator("tbody tr").filter({ has: page.locator("th", { hasText: first }) });
  return row.first().locator("td").allTextContents();
};

test("calls, tokens, cost, verdicts, providers and refusals are shown as they were", async () => {
  for (let i = 0; i < 3; ++i) assert.equal(await call("fast"), 200);
  assert.equal(await call("careful"), 200);
  assert.equal(await call("refusing"), 400);
  assert.equal(await call("unheard-of"), 404);
  assert.equal(await call("quiz", { "x-plumb-contract": "quiz", "x-plumb-mode": "observe" }), 200);
  await visit({}, async (page) => {
    await page.locator(".live", { hasText: "live" }).waitFor();
    assert.match(await figure(page, "Calls"), /^6 0 in progress$/);
    assert.match(await figure(page, "Failed"), /^1 1 refused$/);
    assert.match(await figure(page, "Tokens"), /^7,500 5,000 in, 2,500 out$/);
    assert.match(await figure(page, "Cost"), /^\$0\.04 0 keys$/);
    assert.match(await figure(page, "Verdicts"), /^0\.0 % accepted of 1$/);
    const fast = await page.locator("tr", { has: page.locator('td:text-is("fast")') }).first().locator("th, td").allTextContents();
    assert.deepEqual(fast.slice(0, 8), ["local", "fast", "3", "0", "3,000", "1,500", "$0.02", "–"]);
    const near = await rowOf(page, "Providers", "near");
    assert.deepEqual(near.slice(0, 5), ["in use", "0", "6", "1", near[4]]);
    assert.match(near[4], /^bad request at /);
    const gone = await rowOf(page, "Providers", "gone");
    assert.match(gone[0], /^skipped for /);
    assert.match(gone[4], /^unreachable at /);
    assert.match(await page.locator(".codes").textContent(), /model_not_found 1/);
    const calls = page.getByRole("region", { name: "Last calls" }).locator("tbody tr");
    assert.equal(await calls.count(), 6);
    const words = await calls.allTextContents();
    assert.match(words[0], /quiz.*revise, 3 problems/);
    assert.match(words[1], /refusing.*failed/);
    assert.match(words[2], /careful.*near\/big2 tries/);
    assert.match(await page.getByRole("img", { name: /^Calls: / }).getAttribute("aria-label"), /refused 1 in ten minutes/);
    // Charts are said in words.
    assert.match(await page.getByRole("img", { name: /^Tokens: in 5,000 in ten minutes, out 2,500/ }).getAttribute("aria-label"), /Tokens/);
  });
});

test("a call that is made while one looks is shown; paused it waits, and comes when one goes on", async () => {
  await visit({}, async (page) => {
    const calls = async () => Number((await figure(page, "Calls")).split(" ")[0]);
    const shows = (wanted) =>
      page.waitForFunction((n) => document.querySelector(".figure b")?.textContent === String(n), wanted);
    const first = await calls();
    await call("fast");
    await shows(first + 1);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator(".live", { hasText: "paused" }).waitFor();
    const heard = page.waitForEvent("console", (message) => message.text() === "heard");
    await page.evaluate((wanted) => {
      const source = new EventSource("/v1/proxy/events");
      source.addEventListener("state", ({ data }) => {
        if (JSON.parse(data).totals.calls !== wanted) return;
        source.close();
        setTimeout(() => console.log("heard"), 1500);
      });
    }, first + 2);
    await call("fast");
    await heard;
    assert.equal(await calls(), first + 1);
    await page.getByRole("button", { name: "Resume" }).click();
    await shows(first + 2);
  });
});

test("a plumb.yaml that cannot be taken is told of, and so is one that can", async () => {
  await visit({}, async (page) => {
    writeFileSync(join(folder, "plumb.yaml"), config("  limtis: {}\n"));
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.match(await alert.textContent(), /The previous settings stay in force\..*plumb\.yaml:\d+:\d+: unknown key 'limtis'.*did you mean 'limits'/);
    assert.deepEqual(await axe(page), []);
    writeFileSync(join(folder, "plumb.yaml"), config());
    await alert.waitFor({ state: "detached" });
  });
});

for (const [name, options] of [
  ["a wide screen", { viewport: { width: 1280, height: 800 } }],
  ["a phone", phone],
]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`on ${name}, ${colorScheme}: nothing is cut off, and axe finds nothing`, async () => {
      await visit({ ...options, colorScheme }, async (page) => {
        assert.deepEqual(await axe(page), []);
        const { wide, room } = await page.evaluate(() => ({
          wide: document.querySelector("main.proxy").scrollWidth,
          room: document.querySelector("main.proxy").clientWidth,
        }));
        assert.ok(wide <= room, `${wide} > ${room}`);
        // Every part has the room that it needs: in a column, what may shrink is shrunk to nothing.
        const pressed = await page.evaluate(() =>
          [...document.querySelectorAll("main.proxy > *")]
            .filter((one) => one.clientHeight + 1 < one.scrollHeight || one.clientHeight < 20)
            .map((one) => one.className),
        );
        assert.deepEqual(pressed, []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        const shots = process.env.PLUMB_SHOTS;
        if (shots) await page.screenshot({ path: join(shots, `proxy-${name.split(" ")[1]}-${colorScheme}.png`) });
        // The tables scroll in their own frames, by the keyboard too.
        const frame = page.getByRole("region", { name: "Last calls" });
        await frame.focus();
        assert.ok(await frame.evaluate((one) => one === document.activeElement));
      });
    });
  }
}

test("with forced colours a chart's legend still says which colour is what", () =>
  visit({ forcedColors: "active" }, async (page) => {
    const tones = await page
      .locator(".chart", { has: page.locator(".chart-title", { hasText: "Calls" }) })
      .locator(".chart-legend span")
      .evaluateAll((all) => all.map((one) => getComputedStyle(one, "::before").backgroundColor));
    assert.equal(new Set(tones).size, 3, tones.join(" "));
  }));

test("it is a place where there is a server: by name, by address, also the old one, and back", async () => {
  const site = kit.site;
  kit.site = server;
  try {
    await kit.visit({}, async (page) => {
      await page.getByRole("link", { name: "Server", exact: true }).click();
      await page.locator(".figures").waitFor();
      assert.match(page.url(), /#server$/);
      assert.equal(await page.title(), "Server – Plumbline");
      await page.goBack();
      await page.locator("#verdict-pane").waitFor();
      assert.equal(await page.locator("main.proxy").count(), 0);
      await page.goto(`${server.origin}/#proxy`);
      await page.locator(".figures").waitFor();
    });
  } finally {
    kit.site = site;
  }
});

test("a call opens to what was found in its answer, by rule and place, and says nothing of the answer", async () => {
  assert.equal(await call("quiz", { "x-plumb-contract": "quiz", "x-plumb-mode": "observe" }), 200);
  assert.equal(await call("fast"), 200);
  await visit({}, async (page) => {
    const calls = page.getByRole("region", { name: "Last calls" });
    const open = (name) => calls.locator("tr", { hasText: name }).first().getByRole("button");
    await open("quiz").focus();
    await page.keyboard.press("Enter");
    const found = page.locator(".call-found");
    await found.locator("li").first().waitFor();
    const words = await found.locator("li").allTextContents();
    assert.equal(words.length, 3);
    assert.match(words[0], /minItems.*\/questions\/0\/options.*rule.*\/properties\/questions/);
    assert.ok(!(await found.textContent()).includes("Chloroplasts"), "nothing of the answer");
    assert.equal(await open("quiz").getAttribute("aria-expanded"), "true");
    assert.deepEqual(await axe(page), []);
    await open("fast").click();
    await found.getByText("This call had no contract.").waitFor();
    assert.equal(await found.count(), 1);
    await open("fast").click();
    await found.waitFor({ state: "detached" });
  });
});

test("models and providers are listed, and what runs may use", () =>
  visit({}, async (page) => {
    const models = page.getByRole("region", { name: "Models" });
    const careful = models.locator("tr", { hasText: "careful" });
    assert.deepEqual(await careful.locator("td").allTextContents(), ["gone/big", "near/big"]);
    await page.getByRole("heading", { name: "For runs" }).waitFor();
    assert.match(await page.locator(".server-facts").textContent(), /extract.*plumb serve --corpus DIR/);
  }));

test("absent: where the page comes from a plain web server there is no place of a server, and its address says so", () =>
  kit.visit({}, async (page) => {
    await page.waitForFunction(() => localStorage.getItem("plumbline-server") === null);
    assert.deepEqual(await page.locator(".views a").allTextContents(), ["Check", "Runs"]);
    await page.goto(`${kit.site.origin}/#server`);
    await page.locator(".server-none", { hasText: "a plain web server" }).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await page.locator(".server-words", { hasText: "This page's server stores no runs." }).waitFor();
  }));

test("without a proxy the server says how there would be one", async () => {
  const site = kit.site;
  kit.site = await serve(["--no-config"]);
  try {
    await kit.visit({ path: "/#server", ready: false, expectErrors: true }, async (page) => {
      const words = page.locator(".proxy-none", { hasText: "plumb serve --proxy 8788" });
      await words.waitFor();
      // Commands and keys are shown as code, not between backticks.
      assert.deepEqual(await words.locator("code").allTextContents(), ["proxy:", "plumb serve --proxy 8788"]);
      await page.locator(".server-facts code", { hasText: "plumb serve --root NAME=DIR" }).waitFor();
      assert.ok(!(await page.locator("main.proxy").textContent()).includes("`"));
      assert.deepEqual(await axe(page), []);
    });
  } finally {
    await kit.site.end();
    kit.site = site;
  }
});

test("unreachable: a server that was there and is gone is told apart from none, and is found again", async () => {
  const site = kit.site;
  const first = await serve(["--no-config"]);
  kit.site = first;
  let again;
  try {
    await kit.visit({ expectErrors: true, serviceWorkers: "allow" }, async (page) => {
      await page.getByRole("link", { name: "Server", exact: true }).waitFor();
      await offlineReady(page);
      await first.end();
      await page.reload();
      await settled(page);
      // It is still a place: there was a server before.
      await page.getByRole("link", { name: "Server", exact: true }).click();
      await page.locator(".server-lost", { hasText: "does not answer" }).waitFor();
      assert.equal(await page.locator(".server-none").count(), 0);
      assert.deepEqual(await axe(page), []);
      await page.getByRole("link", { name: "Runs", exact: true }).click();
      await page.locator(".server-words", { hasText: "does not answer" }).waitFor();
      again = await serve(["--no-config"], new URL(first.origin).port);
      await page.locator(".server-words").getByRole("button", { name: "Retry" }).click();
      await page.locator(".server-words").waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Server", exact: true }).click();
      await page.getByRole("heading", { name: "For runs" }).waitFor();
    });
  } finally {
    await again?.end();
    kit.site = site;
  }
});
