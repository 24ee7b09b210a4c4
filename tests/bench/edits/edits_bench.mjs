// edits_bench.mjs PACKAGE [DOCUMENTS] [SEED]: every class of damage on seeded valid documents, and what comes of it with
// certain edits, with guesses, and with npm jsonrepair. Writes a Markdown table. Fails when a certain edit has changed
// what a text meant, or when a text that was not damaged was edited.
//
// "exact": accepted, and the value is that of the undamaged document. "flagged": not accepted. "different": accepted with
// another value, and nobody was told. Damaged texts that are valid JSON themselves are in a table of their own: no tool
// can see those, a contract's rules can.
import { isDeepStrictEqual } from "node:util";
import { jsonrepair } from "jsonrepair";
import { entry } from "../package_entry.mjs";
import { damages, formDamages } from "./damages.mjs";
import { document, numbers, record, recordDocument } from "./documents.mjs";

const [npm, count = "5000", seed = "1"] = process.argv.slice(2);
const { load } = await import(await entry(npm, ".", ["node"]));
const plumb = await load();
const anything = plumb.contract({});
const contracts = Object.fromEntries(["quiz", "flashcards", "mindmap"].map((name) => [name, plumb.contract(name)]));
contracts.record = plumb.contract(record);

function parsed(text) {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** With edits: "exact", "flagged" or "different". */
function ours(contract, damaged, value, edits) {
  const verdict = contract.check(damaged, { edits });
  if (!verdict.valid) {
    return "flagged";
  }
  return isDeepStrictEqual(JSON.parse(verdict.text ?? damaged), value) ? "exact" : "different";
}

function theirs(damaged, value) {
  let repaired;
  try {
    repaired = jsonrepair(damaged);
  } catch {
    return "flagged";
  }
  const result = parsed(repaired);
  return result === undefined ? "flagged" : isDeepStrictEqual(result.value, value) ? "exact" : "different";
}

// What is done here leaves JSON, which the contract says is in the wrong form.
const isOfForm = new Set(Object.keys(formDamages));
const isStillJson = new Set(["envelope", "encoded twice", "call of a tool", ...isOfForm]);
const counts = () => ({ exact: 0, flagged: 0, different: 0 });
const rows = Object.fromEntries(
  [...Object.keys(damages), ...isOfForm].map((name) => [
    name,
    { texts: 0, certain: counts(), bare: counts(), guess: counts(), peer: counts(), valid: 0, ruled: 0, caught: 0 },
  ]),
);
const wrong = [];
let documents = 0;
function damageAll(made, r, damages) {
  const contract = made.contract === undefined ? anything : contracts[made.contract];
  const value = JSON.parse(made.text);
  const clean = contract.check(made.text, { edits: "certain" });
  if (!clean.valid || clean.edits.length !== 0) {
    wrong.push(`document ${documents} is not accepted as it is: ${made.text}\n  ${JSON.stringify(clean.findings[0] ?? clean.edits)}`);
    return;
  }
  for (const [name, damage] of Object.entries(damages)) {
    const damaged = damage(made, r);
    if (damaged === undefined || damaged === made.text) {
      continue;
    }
    const row = rows[name];
    const itself = isStillJson.has(name) ? undefined : parsed(damaged);
    if (itself !== undefined) {
      if (!isDeepStrictEqual(itself.value, value)) {
        ++row.valid;
        if (made.contract !== undefined) {
          ++row.ruled;
          row.caught += contract.check(damaged, { edits: "certain" }).valid ? 0 : 1;
        }
      }
      continue;
    }
    ++row.texts;
    const certain = ours(contract, damaged, value, "certain");
    ++row.certain[certain];
    // The same without a contract's help: the edits of the text alone. (What is JSON still is right without one.)
    const bare = isStillJson.has(name) ? certain : ours(anything, damaged, value, "certain");
    ++row.bare[bare];
    if (certain === "different" || bare === "different") {
      wrong.push(`document ${documents}, ${name}\n  was:  ${made.text}\n  is:   ${damaged}\n  read: ${(certain === "different" ? contract : anything).check(damaged, { edits: "certain" }).text}`);
    }
    ++row.guess[ours(contract, damaged, value, "guess")];
    ++row.peer[theirs(damaged, value)];
  }
}
for (; documents < Number(count); ++documents) {
  const r = numbers(Number(seed) * 1_000_003 + documents);
  damageAll(document(r), r, damages);
  // From numbers of their own, so that the rows above stay what they are.
  const of = numbers(Number(seed) * 1_000_003 + documents + 500_000_000);
  damageAll(recordDocument(of), of, formDamages);
}

const share = (n, of) => (of === 0 ? "–" : n === 0 ? "0" : `${((100 * n) / of).toFixed(n * 1000 < of ? 2 : 1)} %`);
const line = (cells) => console.log(`| ${cells.join(" | ")} |`);
console.log(`${documents} valid documents, seed ${seed}; damaged texts that are no valid JSON, in per cent of each class\n`);
line(["damage", "texts", "certain: exact", "flagged", "**different**", "guess: exact", "different", "jsonrepair: exact", "different"]);
line(["---", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:"]);
const total = { texts: 0, certain: 0, bare: 0, guess: 0, peer: 0, valid: 0, ruled: 0, caught: 0 };
for (const [name, row] of Object.entries(rows)) {
  const { texts, certain, bare, guess, peer } = row;
  const cell = (n) => share(n, texts);
  line([name, texts, cell(certain.exact), cell(certain.flagged), cell(Math.max(certain.different, bare.different)), cell(guess.exact), cell(guess.different), cell(peer.exact), cell(peer.different)]);
  total.texts += texts;
  total.certain += certain.different;
  total.bare += bare.different;
  total.guess += guess.different;
  total.peer += peer.different;
  for (const key of ["valid", "ruled", "caught"]) {
    total[key] += row[key];
  }
}
console.log(`\n${total.texts} texts; silently different: ${Math.max(total.certain, total.bare)} with certain edits, ${total.guess} with guesses, ${total.peer} with jsonrepair\n`);
console.log("Damaged texts that are valid JSON with another value (no tool can see these):\n");
line(["damage", "texts", "with a contract", "caught by its rules"]);
line(["---", "--:", "--:", "--:"]);
for (const [name, row] of Object.entries(rows)) {
  if (row.valid > 0) {
    line([name, row.valid, row.ruled, share(row.caught, row.ruled)]);
  }
}
line(["all", total.valid, total.ruled, share(total.caught, total.ruled)]);
if (wrong.length > 0) {
  console.error(`\n${wrong.length} wrong:\n${wrong.slice(0, 12).join("\n")}`);
  process.exitCode = 1;
}
