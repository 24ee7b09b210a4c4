// What is done to a valid document, one class after the other. A damage takes the document and a source of numbers, and
// gives the damaged text; undefined where the document has nothing to damage.

/** The tokens of a JSON text: {kind: "string"|"key"|"word"|"open"|"close"|"comma"|"colon", from, to}. */
export function tokens(text) {
  const found = [];
  const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [all] = match;
    const kind =
      all[0] === '"'
        ? "string"
        : all === "{" || all === "["
          ? "open"
          : all === "}" || all === "]"
            ? "close"
            : all === ","
              ? "comma"
              : all === ":"
                ? "colon"
                : "word";
    found.push({ kind, from: match.index, to: match.index + all.length, text: all });
    if (all === ":" && found.length > 1) {
      found[found.length - 2].kind = "key";
    }
  }
  return found;
}

const swap = (text, from, to, by) => text.slice(0, from) + by + text.slice(to);
const rebuilt = (text, change) => {
  let out = "";
  let at = 0;
  for (const token of tokens(text)) {
    out += text.slice(at, token.from) + change(token);
    at = token.to;
  }
  return out + text.slice(at);
};
const some = (r, list, count) => {
  const left = [...list];
  const out = [];
  while (left.length > 0 && out.length < count) {
    out.push(left.splice(r.below(left.length), 1)[0]);
  }
  return out.sort((a, b) => b.from - a.from);
};
const python = (string) => {
  const value = JSON.parse(string);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const inner = [...value]
    .map((c) =>
      c === quote || c === "\\"
        ? `\\${c}`
        : c === "\n"
          ? "\\n"
          : c === "\t"
            ? "\\t"
            : c,
    )
    .join("");
  return quote + inner + quote;
};
const before = [
  "Here is the JSON you asked for:\n\n",
  "Sure! ",
  "The result is: ",
  "I've created the quiz based on your notes.\n",
  'Here is the "final" version:\n',
  "**Answer**\n\n",
];
const behind = [
  "\n\nLet me know if you need anything else!",
  "\nHope this helps.",
  "\n\nNote: all facts come from the source.",
  '\n\nI kept the "easy" ones.',
];
const wrong = [
  "\n\nUse {name} as a placeholder, or see [1].",
  "\n\nAn alternative: {\"a\": 1}",
];
const isContainer = (text) => text[0] === "{" || text[0] === "[";
const byteText = (text, change) => {
  const out = change(Buffer.from(text));
  return out === undefined ? undefined : out.toString("utf8");
};
const printable = Array.from({ length: 95 }, (_, i) => 32 + i).concat(10);

export const damages = {
  "code fence": ({ text }, r) => `${r.pick(["```json", "```", "```JSON"])}\n${text}\n\`\`\``,
  "code fence, not closed": ({ text }) => (isContainer(text) ? `\`\`\`json\n${text}\n` : undefined),
  "text before": ({ text }, r) => (isContainer(text) ? r.pick(before) + text : undefined),
  "text behind": ({ text }, r) => (isContainer(text) ? text + r.pick(behind) : undefined),
  "text and fence": ({ text }, r) => `${r.pick(before)}\`\`\`json\n${text}\n\`\`\`${r.pick(behind)}`,
  "text with braces": ({ text }, r) => (isContainer(text) ? text + r.pick(wrong) : undefined),
  "comma too many": ({ text }, r) => {
    const all = tokens(text);
    const closes = all.filter((t, i) => t.kind === "close" && all[i - 1].kind !== "open");
    const chosen = some(r, closes, 1 + r.below(2));
    const put = (out, { from }) => {
      const end = out.slice(0, from).trimEnd().length;
      return swap(out, end, end, ",");
    };
    return chosen.length === 0 ? undefined : chosen.reduce(put, text);
  },
  "comma missing": ({ text }, r) => {
    // Between two digits a comma stays: without it the numbers are one, which nobody can see ("one byte lost" has it).
    const commas = tokens(text).filter((t) => t.kind === "comma" && !/^\d,\d/.test(text.slice(t.from - 1, t.to + 1)));
    const chosen = some(r, commas, 1 + r.below(2));
    return chosen.length === 0 ? undefined : chosen.reduce((out, { from, to }) => swap(out, from, to, ""), text);
  },
  "single quotes (Python)": ({ text }) =>
    text.includes('"') ? rebuilt(text, (t) => (t.text[0] === '"' ? python(t.text) : t.text)) : undefined,
  "typographic quotes": ({ text }) =>
    text.includes('"') ? rebuilt(text, (t) => (t.text[0] === '"' ? `“${t.text.slice(1, -1)}”` : t.text)) : undefined,
  "keys without quotes": ({ text }) => {
    let any = false;
    const out = rebuilt(text, (t) => {
      const bare = t.kind === "key" && /^"[A-Za-z_$][\w$]*"$/.test(t.text);
      any ||= bare;
      return bare ? t.text.slice(1, -1) : t.text;
    });
    return any ? out : undefined;
  },
  "Python literals": ({ text }) => {
    const names = { true: "True", false: "False", null: "None" };
    const out = rebuilt(text, (t) => names[t.text] ?? t.text);
    return out === text ? undefined : out;
  },
  "Python repr": ({ text }) => {
    const names = { true: "True", false: "False", null: "None" };
    return rebuilt(text, (t) => (t.text[0] === '"' ? python(t.text) : (names[t.text] ?? t.text)));
  },
  comments: ({ text }, r) => {
    const places = tokens(text).filter((t) => t.kind === "comma" || t.kind === "open");
    const chosen = some(r, places, 1 + r.below(2));
    const comment = () => r.pick([" // as asked\n", " /* see notes */ ", ' // the "best" one\n', "\n// next\n", " # why\n"]);
    return chosen.length === 0 ? undefined : chosen.reduce((out, { to }) => swap(out, to, to, comment()), text);
  },
  "inner quotes not escaped": ({ text }, r) => {
    const strings = tokens(text).filter((t) => t.text[0] === '"' && t.text.includes('\\"'));
    if (strings.length === 0) {
      return undefined;
    }
    const one = r.pick(strings);
    const inner = one.text.slice(1, -1).replace(/\\(.)/g, (all, c) => (c === '"' ? '"' : all));
    return swap(text, one.from, one.to, `"${inner}"`);
  },
  "one inner quote not escaped": ({ text }, r) => {
    const places = [];
    for (const t of tokens(text)) {
      for (let i = t.from; t.text[0] === '"' && i < t.to; ++i) {
        if (text[i] === "\\") {
          if (text[i + 1] === '"') {
            places.push(i);
          }
          ++i;
        }
      }
    }
    const at = r.pick(places);
    return at === undefined ? undefined : swap(text, at, at + 1, "");
  },
  "line breaks in strings": ({ text }) => {
    const out = rebuilt(text, (t) => (t.kind === "string" ? t.text.replace(/(?<!\\)((?:\\\\)*)\\n/g, "$1\n") : t.text));
    return out === text ? undefined : out;
  },
  "tabs in strings": ({ text }) => {
    const out = rebuilt(text, (t) => (t.kind === "string" ? t.text.replace(/(?<!\\)((?:\\\\)*)\\t/g, "$1\t") : t.text));
    return out === text ? undefined : out;
  },
  "apostrophes escaped": ({ text }) => {
    const out = rebuilt(text, (t) => (t.kind === "string" ? t.text.replaceAll("'", "\\'") : t.text));
    return out === text ? undefined : out;
  },
  "no-break spaces": ({ text }, r) => {
    const gaps = tokens(text).filter((t) => text[t.to] === " ");
    const chosen = some(r, gaps, 1 + r.below(4));
    return chosen.length === 0 ? undefined : chosen.reduce((out, { to }) => swap(out, to, to + 1, "\u00a0"), text);
  },
  "colon missing": ({ text }, r) => {
    const chosen = some(r, tokens(text).filter((t) => t.kind === "colon"), 1 + r.below(2));
    return chosen.length === 0 ? undefined : chosen.reduce((out, { from, to }) => swap(out, from, to, ""), text);
  },
  "zero missing": ({ text }) => {
    const out = rebuilt(text, (t) => (t.kind === "word" ? t.text.replace(/^0\./, ".") : t.text));
    return out === text ? undefined : out;
  },
  "last brace missing": ({ text }) => (isContainer(text) ? text.trimEnd().slice(0, -1) : undefined),
  "encoded twice": ({ text, contract }) => (contract === undefined ? undefined : JSON.stringify(text)),
  "call of a tool": ({ text, contract }, r) =>
    contract === undefined
      ? undefined
      : r.chance(0.5)
        ? `{"name": "submit_${contract}", "arguments": ${text}}`
        : `{"type": "function", "name": "submit", "parameters": ${text}}`,
  "thinking with braces": ({ text }, r) =>
    isContainer(text) ? `<think>\nPerhaps {"a": 1}, or ${r.pick(["[1, 2]", "{x}", text])}.\n</think>\n\n${text}` : undefined,
  "two answers": ({ text }, r) => text + r.pick(["\n", " ", "\n\n"]) + text,
  envelope: ({ text, contract }, r) =>
    contract === undefined
      ? undefined
      : r.chance(0.5)
        ? `{"${r.pick([contract, "result", "answer"])}": ${text}}`
        : `{"type": "object", "properties": ${text}}`,
  "cut by 1 to 3 bytes": ({ text }, r) => byteText(text, (b) => b.subarray(0, b.length - 1 - r.below(3))),
  "cut anywhere": ({ text }, r) => byteText(text, (b) => b.subarray(0, 1 + r.below(Math.max(b.length - 1, 1)))),
  "first byte lost": ({ text }) => text.slice(1),
  "one byte lost": ({ text }, r) =>
    byteText(text, (b) => {
      const at = r.below(b.length);
      return Buffer.concat([b.subarray(0, at), b.subarray(at + 1)]);
    }),
  "one byte added": ({ text }, r) =>
    byteText(text, (b) => {
      const at = r.below(b.length + 1);
      return Buffer.concat([b.subarray(0, at), Buffer.from([r.pick(printable)]), b.subarray(at)]);
    }),
  "one byte changed": ({ text }, r) =>
    byteText(text, (b) => {
      const out = Buffer.from(b);
      out[r.below(b.length)] = r.pick(printable);
      return out;
    }),
  "two bytes swapped": ({ text }, r) =>
    byteText(text, (b) => {
      const out = Buffer.from(b);
      const at = r.below(Math.max(b.length - 1, 1));
      [out[at], out[at + 1]] = [out[at + 1] ?? 32, out[at]];
      return out;
    }),
  "one mark lost": ({ text }, r) => {
    const marks = [...text.matchAll(/["[\]{},:\\]/g)];
    return marks.length === 0 ? undefined : lose(text, r.pick(marks).index);
  },
  "one mark added": ({ text }, r) => {
    const at = r.below(text.length + 1);
    return text.slice(0, at) + r.pick([..."\"'[]{},:\\/#`"]) + text.slice(at);
  },
  "one mark changed": ({ text }, r) => {
    const marks = [...text.matchAll(/["[\]{},:\\\d]/g)];
    return marks.length === 0 ? undefined : swapAt(text, r.pick(marks).index, r.pick([..."\"'[]{},:\\/# \n1"]));
  },
  "mark and neighbour swapped": ({ text }, r) => {
    const marks = [...text.matchAll(/["[\]{},:\\]/g)].filter(({ index }) => index > 0);
    if (marks.length === 0) {
      return undefined;
    }
    const { index } = r.pick(marks);
    const at = r.chance(0.5) && index + 1 < text.length ? index : index - 1;
    return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
  },
};

// What models do to values that the contract asks for in another form: each leaves JSON. Of documents that keep `record`.
const quoted = (r) => (t) => (t.kind === "word" && r.chance(0.7) ? `"${t.text}"` : t.text);
// Members of `record` and its links that may be left out and may not be null.
const optional = { 1: ["note", "count", "urgent", "tags", "flags", "parent", "links"], 2: ["weight", "back", "label"] };

export const formDamages = {
  "number in a string": ({ text }, r) => rebuilt(text, (t) => (/^-?\d/.test(t.text) ? quoted(r)(t) : t.text)),
  // `mode` takes the texts too: there a boolean in quotes is another value, which nobody can see.
  "boolean in a string": ({ text }, r) => {
    const all = tokens(text);
    return rebuilt(text, (t) => {
      const key = all[all.findIndex(({ from }) => from === t.from) - 2]?.text;
      return /^(true|false)$/.test(t.text) && key !== '"mode"' ? quoted(r)(t) : t.text;
    });
  },
  "boolean in a string (Python)": ({ text }, r) => {
    const all = tokens(text);
    return rebuilt(text, (t) => {
      const key = all[all.findIndex(({ from }) => from === t.from) - 2]?.text;
      const python = { ...t, text: t.text[0].toUpperCase() + t.text.slice(1) };
      return /^(true|false)$/.test(t.text) && key !== '"mode"' ? quoted(r)(python).replace(/^(True|False)$/, t.text) : t.text;
    });
  },
  "null for what is absent": ({ text, value }, r) => {
    // Each object of the text, in its order, with the members that it lacks.
    const lacks = (object, level) => optional[level].filter((key) => !(key in object) && r.chance(0.4));
    const links = Object.entries(value).flatMap(([key, one]) => (key === "parent" ? [one] : key === "links" ? one : []));
    const objects = [[value, 1], ...links.map((one) => [one, 2])];
    let at = 0;
    let out = "";
    let done = 0;
    const all = tokens(text);
    for (const [i, token] of all.entries()) {
      if (token.text !== "{") continue;
      const [object, level] = objects[at++];
      const empty = all[i + 1].text === "}";
      for (const key of lacks(object, level)) {
        const first = empty || r.chance(0.4);
        // In front, or behind the first member.
        const comma = first ? undefined : firstComma(all.slice(i + 1));
        const place = comma?.kind === "comma" ? comma.to : token.to;
        if (place < done) continue;
        out += `${text.slice(done, place)}${r.pick(["", " ", "\n  "])}"${key}": null${empty ? "" : ","}`;
        done = place;
        if (empty) break;
      }
    }
    return out + text.slice(done);
  },
};

// Of the object or array whose tokens begin here.
function firstComma(tokens) {
  let depth = 0;
  return tokens.find((token) => {
    depth += token.kind === "open" ? 1 : token.kind === "close" ? -1 : 0;
    return depth < 0 || (depth === 0 && token.kind === "comma");
  });
}

function lose(text, at) {
  return text.slice(0, at) + text.slice(at + 1);
}

function swapAt(text, at, by) {
  return text.slice(0, at) + by + text.slice(at + 1);
}
