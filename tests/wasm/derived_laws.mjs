// What the laws of a derived target are tried on: the golden cases, each with its artifacts and those with one thing
// changed, and what contract and residual say of them.
import assert from "node:assert/strict";
import { readCases } from "./cases.mjs";
import { top } from "./support.mjs";

const dialects = { draft4: "draft-04", draft6: "draft-06", draft7: "draft-07", "draft-07": "draft-07", "2019-09": "2019-09", "2020-12": "2020-12", v1: "v1" };

/** One thing changed in a value, each at another place: what rules about shape are there to refuse. */
function* changed(value) {
  for (const other of [null, "other", 7, [], {}, true]) {
    yield other;
  }
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      yield value.filter((_, at) => at !== i);
      for (const one of changed(item)) {
        yield value.map((old, at) => (at === i ? one : old));
      }
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const { [key]: _, ...rest } = value;
      yield rest;
      for (const one of changed(item)) {
        yield { ...value, [key]: one };
      }
    }
  }
}

/** How deep a value nests. The compiler's parser calls itself some ten times a level, and its stack is the engine's. */
function depth(value) {
  return typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
}

/**
 * {place, derived, tried: [{text, accepted}]} of every case that the target can express. A value that neither the residual nor
 * the contract takes says nothing of the target and is left out; one that the contract takes is taken by the residual.
 */
export function* lawCases(plumb, author, target) {
  for (const one of readCases(top)) {
    if (one.refused || Object.keys(one.documents).length > 0) {
      continue;
    }
    const reading = {
      dialect: dialects[one.options.dialect],
      assertFormats: one.options.assert_formats === "true",
    };
    const contract = plumb.contract(one.contract, reading);
    let derived;
    try {
      derived = author.derive(contract, target);
    } catch (error) {
      assert.match(error.message, /no value can keep this contract/, one.place);
      continue;
    }
    const rest = plumb.contract(derived.residualContract, reading);
    const texts = new Set();
    for (const { bytes } of one.artifacts) {
      let value;
      try {
        value = JSON.parse(bytes.toString("utf8"));
      } catch {
        continue;
      }
      if (bytes.length > 3000 || depth(value) > 50) {
        continue;
      }
      texts.add(JSON.stringify(value));
      for (const other of changed(value)) {
        if (texts.size < 60) {
          texts.add(JSON.stringify(other));
        }
      }
    }
    const tried = [];
    for (const text of texts) {
      const options = { context: one.context };
      const accepted = contract.check(text, options).valid;
      if (accepted || rest.check(text, options).valid) {
        assert.ok(!accepted || rest.check(text, options).valid, `${one.place}: the residual refuses ${text}`);
        tried.push({ text, accepted });
      }
    }
    yield { place: one.place, derived, tried };
  }
}
