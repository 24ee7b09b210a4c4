// Valid documents, from a seed: artifacts that keep the built-in contracts, and general JSON. What is hard for whoever
// edits text is in them on purpose: quotes, apostrophes and typographic quotes in strings, JSON and code in strings,
// URLs, braces, mixed arrays, every layout.

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function numbers(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, pick: (list) => list[below(list.length)], chance: (p) => next() < p };
}

const words = (
  "the process energy light of cell membrane in a protein converts molecule glucose and oxygen carbon water enzyme " +
  "which produces under plant leaf root is absorbed by pigment reaction rate because electron chain résumé 光合作用 " +
  "naïve μm don't it's plants' cells' true false null None 1 12 3.5 -7"
).split(" ");
const hard = [
  'he said "hi" and left',
  'a 6" pipe, 12" wide',
  '"quoted whole"',
  'the so-called "light reaction"',
  'print("x", None)',
  '{"a": 1, "b": [2, 3]}',
  '["a", "b"]',
  'x, "y", z',
  "'single', 'quoted'",
  "the plants' leaves",
  "say “yes” or “no”",
  "it’s ‘fine’",
  "http://example.org/a//b?c={d}",
  "// no comment",
  "/* nor this */",
  "# a heading",
  "use {name} and [1]",
  "line\nbreak",
  "tab\tstop",
  "C:\\temp\\new",
  "```json\n{}\n```",
  ", starts with a comma",
  "ends with a comma,",
  "ends with a brace}",
  ": colon, then",
  "a: b, c: d",
  "",
  " ",
  "\u2028",
  "😀",
];

function text(r, least = 1) {
  if (r.chance(0.25)) {
    return r.pick(hard) || (least === 0 ? "" : "x");
  }
  const count = least + r.below(9);
  const parts = Array.from({ length: Math.max(count, 1) }, () => r.pick(words));
  if (r.chance(0.1)) {
    const at = r.below(parts.length);
    parts[at] = `"${parts[at]}"`;
  }
  return parts.join(" ") + (r.chance(0.3) ? r.pick([".", "?", "!", ","]) : "");
}

function solid(r) {
  const made = text(r);
  return made.trim() === "" ? "word" : made;
}

const makers = {
  quiz: (r) => ({
    questions: Array.from({ length: 1 + r.below(3) }, (_, i) => {
      const options = Array.from({ length: 4 + r.below(2) }, (_, k) => `${solid(r)} ${i}${k}`);
      return { question: solid(r), options, correct_answer: r.pick(options), explanation: solid(r) };
    }),
  }),
  flashcards: (r) => ({
    flashcards: Array.from({ length: 1 + r.below(5) }, (_, i) => ({
      front: `${solid(r)} ${i}`.slice(0, 100),
      back: solid(r).slice(0, 290),
    })),
  }),
  mindmap: (r) => {
    let label = 0;
    const node = (depth) => ({
      label: `${solid(r)} ${label++}`,
      children: depth === 0 ? [] : Array.from({ length: r.below(4) }, () => node(depth - 1)),
    });
    return { root: node(3) };
  },
};

function number(r) {
  const kind = r.below(6);
  return kind < 2
    ? r.below(10)
    : kind === 2
      ? -r.below(1000)
      : kind === 3
        ? r.below(100000) / 100
        : kind === 4
          ? r.below(1e9)
          : r.pick([1e21, 2.5e-7, 0, 1e5]);
}

function scalar(r) {
  const kind = r.below(10);
  return kind < 5 ? text(r, 0) : kind < 8 ? number(r) : kind === 8 ? r.chance(0.5) : null;
}

function value(r, depth) {
  const kind = depth === 0 ? 9 : r.below(10);
  if (kind < 3) {
    return object(r, depth - 1);
  }
  if (kind < 6) {
    return list(r, depth - 1);
  }
  return scalar(r);
}

function list(r, depth) {
  const size = r.below(5);
  const kind = r.below(4);
  const one = [() => text(r, 0), () => number(r), () => value(r, depth), () => scalar(r)][kind];
  return Array.from({ length: size }, one);
}

const keys = ["a", "b2", "name", "is_ok", "first-name", "with space", "ünï", "type", "properties", "id", "x.y", "1", "items"];
function object(r, depth) {
  const made = {};
  for (let i = r.below(5); i >= 0; --i) {
    made[r.chance(0.05) ? text(r, 0) : r.pick(keys)] = value(r, depth);
  }
  return made;
}

function general(r) {
  const kind = r.below(20);
  return kind === 0 ? scalar(r) : kind < 8 ? list(r, 3) : object(r, 3);
}

function layout(r, made) {
  const kind = r.below(4);
  if (kind === 0) {
    return JSON.stringify(made);
  }
  if (kind === 1) {
    // one line, with blanks, as models write short answers
    return JSON.stringify(made, null, 1)
      .replace(/\n */g, " ")
      .replace(/([[{]) /g, "$1")
      .replace(/ ([\]}])/g, "$1");
  }
  return JSON.stringify(made, null, kind === 2 ? 2 : "    ");
}

/** What a call of a tool is held to: members of every kind, asked for and not, nullable and not. */
export const record = {
  type: "object",
  additionalProperties: false,
  required: ["id", "active", "checked", "amount"],
  properties: {
    id: { type: "string" },
    active: { type: "boolean" },
    checked: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    amount: { type: ["number", "null"] },
    note: { type: "string" },
    count: { type: "integer" },
    urgent: { enum: [true, false] },
    mode: { oneOf: [{ type: "boolean" }, { enum: ["auto", "true", "false"] }] },
    due: { anyOf: [{ type: "string" }, { type: "null" }] },
    tags: { type: "array", items: { type: "string" } },
    flags: { type: "array", items: { type: "boolean" } },
    parent: { $ref: "#/$defs/link" },
    links: { type: "array", items: { $ref: "#/$defs/link" } },
  },
  $defs: {
    link: {
      type: "object",
      required: ["to"],
      properties: { to: { type: "string" }, weight: { type: "number" }, back: { type: "boolean" }, label: { type: "string" } },
    },
  },
};
const link = (r) => {
  const made = { to: text(r, 0) };
  if (r.chance(0.4)) made.weight = number(r);
  if (r.chance(0.6)) made.back = r.chance(0.5);
  if (r.chance(0.4)) made.label = r.pick(["true", "null", "5", text(r, 0)]);
  return made;
};

/** A document that keeps `record`. */
export function recordDocument(r) {
  const may = {
    note: () => r.pick(["true", "null", "1", text(r, 0)]),
    count: () => r.below(1000),
    urgent: () => r.chance(0.5),
    mode: () => r.pick([true, false, "auto", "true"]),
    due: () => r.pick([null, "null", text(r, 0)]),
    tags: () => Array.from({ length: r.below(3) }, () => r.pick(["true", text(r, 0)])),
    flags: () => Array.from({ length: r.below(3) }, () => r.chance(0.5)),
    parent: () => link(r),
    links: () => Array.from({ length: r.below(3) }, () => link(r)),
  };
  const members = [
    ["id", text(r, 0)],
    ["active", r.chance(0.5)],
    ["checked", r.pick([true, false, null])],
    ["amount", r.pick([null, number(r)])],
    ...Object.entries(may).flatMap(([key, make]) => (r.chance(0.5) ? [[key, make()]] : [])),
  ];
  for (let i = members.length - 1; i > 0; --i) {
    const k = r.below(i + 1);
    [members[i], members[k]] = [members[k], members[i]];
  }
  const made = Object.fromEntries(members);
  return { contract: "record", text: layout(r, made), value: made };
}

/** {contract, text, value}: `contract` is the name of a built-in one, or undefined for general JSON. */
export function document(r) {
  const kind = r.below(6);
  const contract = ["quiz", "flashcards", "mindmap"][kind];
  const made = contract === undefined ? general(r) : makers[contract](r);
  return { contract, text: layout(r, made), value: made };
}
