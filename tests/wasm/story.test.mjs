// Stories in the package: what the command makes, made here, and read, folded and exported to the same bytes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { recordedStory } from "../recorded.mjs";
import { importPackage, top } from "./support.mjs";

const { load } = await importPackage();
const plumb = await load();
const story = await plumb.story();
const folder = mkdtempSync(join(tmpdir(), "plumb-story-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const lighthouse = recordedStory("story_lighthouse");

test("an outline gives the notes that a run's journal has, and the files that the command writes", () => {
  const made = story.make(lighthouse.outline);
  assert.equal(made.valid, true);
  assert.deepEqual(made.notes, lighthouse.notes);
  execFileSync(join(top, "build/bin/plumb"), ["story", "make", join(top, "docs/examples/lighthouse.yaml"), "-o", folder, "--quiet"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const format of ["twee", "html", "json", "gamebook"]) {
    const { file, text } = story.ship(made.story, format);
    assert.equal(text, readFileSync(join(folder, file), "utf8"), file);
  }
});

test("any phase is folded from the notes, with the hash that its note names, and an arc is a lane", () => {
  const { notes } = lighthouse;
  notes.forEach((note, i) => assert.equal(story.fold(notes, i + 1).hash, note.hash));
  const { lanes } = story.fold(notes);
  assert.equal(lanes.of, "passages");
  assert.equal(lanes.arcs.length, 8);
  assert.equal(lanes.arcs.filter((arc) => arc.spine).length, 1);
  for (const row of lanes.rows) {
    for (const choice of row.choices) assert.ok(lanes.rows.some((one) => one.id === choice.to));
    // What readers meet only for what they did before is beside the beats: no arc goes through it by itself.
    assert.equal(["beside", "residue", "variant"].includes(row.kind), row.arcs.length === 0, row.id);
  }
  assert.equal(story.fold(notes, 9).lanes.of, "beats");
  assert.throws(() => story.fold([{ ...notes[0], hash: "sha256:0" }]), /is not the one that its note names/);
});

test("a reader goes where the story goes, to every ending", () => {
  const { story: book } = story.make(lighthouse.outline);
  const endings = new Set();
  let random = 17;
  for (let i = 0; i < 300; ++i) {
    let at = story.read(book);
    for (let step = 0; !at.ending; ++step) {
      assert.ok(at.ways.length > 0 && step < 100, at.passage);
      random = (Math.imul(random, 1103515245) + 12345) >>> 0;
      at = story.read(book, at, at.ways[(random >>> 16) % at.ways.length]);
    }
    endings.add(at.passage);
  }
  assert.equal(endings.size, 4);
  assert.throws(() => story.read(book, { passage: book.start, held: [] }, { way: 99, route: 0 }), /not open there/);
  assert.throws(() => story.read(book, { passage: "nowhere", held: [] }), /no passage 'nowhere'/);
});

test("a gate that locks the reader in is found, with the way into the trap", () => {
  const { outline, notes } = recordedStory("story_trap");
  const told = story.judge(outline, notes);
  assert.equal(told.valid, false);
  assert.equal(told.play.traps.length, 1);
  const way = told.play.traps[0].way.map((step) => step.passage);
  assert.equal(way.at(-1), "keep_watch");
  assert.ok(told.findings.some((one) => one.rule === "play_trap" && one.node === "passage::keep_watch"));
});

test("Twee is checked with line and column, and what is no story throws", () => {
  const told = story.check(':: StoryData\n{"ifid":"F0F0","format":"SugarCube"}\n\n:: Start\nGo [[on->Nowhere]].\n');
  const broken = told.findings.find((one) => one.rule === "broken_link");
  assert.deepEqual([broken.line, broken.severity], [5, "error"]);
  assert.throws(() => story.check("nothing of a story"), /is not Twee/);
  for (const call of ["form", "check", "make"]) {
    assert.throws(() => story[call]('{"nodes":{},"edges":[]}'), /is a graph of an older kind of project/);
    assert.throws(() => story[call]("title: A\ndilemmas: []\n"), /is an outline in YAML/);
  }
  const open = story.check(":: StoryTitle\nBack & forth\n\n:: Start\n<<if $lit>>[[End]]<</if>> <<back>>\n\n:: End\nx\n");
  assert.deepEqual([open.title, open.decision], ["Back & forth", "undecided"]);
  assert.match(open.undecided[0].reason, /could not be read/);
  assert.match(open.undecided.at(-1).reason, /^1 place was not read: line 5, column /);
  const { unread, ...reached } = open.coverage;
  assert.deepEqual(reached, { passages: 2, passages_reached: 1, endings: 1, endings_reached: 0 });
  assert.deepEqual(unread.map(({ node, line }) => [node, line]), [["passage::Start", 5]]);
  assert.equal(story.form(JSON.stringify(lighthouse.outline)), "outline");
  assert.throws(() => story.answer("sing", {}), /there are contract, make, form, check, fold/);
});

test("GROW of 500 nodes and 1,000 edges in WebAssembly", (t) => {
  const beats = Array.from({ length: 170 }, (_, i) => ({ id: `b${i}`, summary: `Beat ${i}.`, prose: `Prose of ${i}.`, label: `To ${i}` }));
  const dilemmas = ["a", "b", "c"].map((id) => ({
    id, question: "?", policy: "soft", payoff_budget: 1, residue_weight: "light",
    answers: ["x", "y"].map((answer) => ({ id: answer, description: answer, default: answer === "x" })),
  }));
  dilemmas.forEach(({ id }, d) => {
    for (const answer of ["y", "x"]) {
      beats.splice(20 + d * 30, 0, { id: `${id}_${answer}`, summary: answer, prose: answer, label: answer, paths: [`${id}/${answer}`], commits: [id] });
    }
  });
  const outline = { title: "Many", size: "long", dilemmas, beats };
  const first = story.make(outline);
  const graph = story.fold(first.notes);
  const nodes = Object.entries(graph.counts).reduce((sum, [name, count]) => sum + (name === "edges" ? 0 : count), 0);
  assert.ok(nodes >= 500 && graph.counts.edges >= 1000, `${nodes} nodes, ${graph.counts.edges} edges`);
  const times = Array.from({ length: 9 }, () => {
    const from = performance.now();
    story.make(outline);
    return performance.now() - from;
  }).sort((a, b) => a - b);
  t.diagnostic(`${nodes} nodes, ${graph.counts.edges} edges: made, judged and played in ${times[4].toFixed(1)} ms (median of 9)`);
});
