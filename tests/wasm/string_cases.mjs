// Strings on their way into the module: what is judged must be the string, however long, whatever is in it, and wherever
// a piece of it ends. No host's own modules: this runs in Node and in a page. Throws where something is wrong; returns
// how many strings were judged.
export function judgeStrings(plumb) {
  let judged = 0;
  const wrong = (what, text) => {
    throw new Error(`${what}: ${text.length} units, ${JSON.stringify(text.slice(0, 40))}…`);
  };
  // The finding says where the second member is, in bytes and in units: so it says how many there were before it.
  const contract = plumb.contract({ properties: { b: { type: "integer" } } });
  const encoder = new TextEncoder();
  const judge = (inside) => {
    const text = `{"a":"${inside}","b":"x"}`;
    const { findings } = contract.check(text);
    const bytes = encoder.encode(inside).length;
    if (
      findings.length !== 1 ||
      findings[0].rule !== "type" ||
      findings[0].span.from !== bytes + 12 ||
      findings[0].span.utf16From !== inside.length + 12
    ) {
      wrong("the finding is another, or stands elsewhere", text);
    }
    ++judged;
  };

  const characters = ["a", "é", "\u0800", "€", "\uD7FF", "\uE000", "\uFFFF", "\u{1F600}", "\u{10FFFF}"];
  const lengths = [0, 1, 3, 4, 5, 15, 16, 17, 240, 256, 300, 16370, 16383, 16384, 16385, 32768, 90_000, 300_000];
  for (const length of lengths) {
    for (const character of characters) {
      judge(character.repeat(length));
      judge(`b${character.repeat(length)}`);
    }
  }
  for (let at = 16370; at < 16390; ++at) {
    judge(`${"a".repeat(at)}\u{1F600}${"é".repeat(20)}`); // a pair where a piece ends
  }

  // Half a pair is reported where it is: at its second byte, which no UTF-8 has.
  for (const length of [0, 300, 16376, 16377, 16378, 40_000]) {
    for (const half of ["\uD83D", "\uDE00", "\uDE00\uD83D"]) {
      const text = `{"a":"${"a".repeat(length)}${half}é","b":1}`;
      const [finding] = contract.check(text).findings;
      if (finding?.span.from !== length + 7) {
        wrong("half a pair is not told at its place", text);
      }
      ++judged;
    }
  }

  // Strings that are no single run of units in memory: put together of many, and a part of a longer one.
  let joined = '{"a":"';
  for (let i = 0; i < 3000; ++i) {
    joined += `${i}€`;
  }
  joined += '","b":1}';
  for (const text of [joined, `xxxxx${joined}yyyyy`.slice(5, -5)]) {
    if (!contract.check(text).valid) {
      wrong("it is valid", text);
    }
    ++judged;
  }

  // What the module makes of a string is what the encoder makes of it.
  let state = 12345;
  const next = (bound) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % bound;
  for (let round = 0; round < 60; ++round) {
    let inside = "";
    const size = next(4000) + 200;
    while (inside.length < size) {
      const kind = next(20);
      inside +=
        kind < 16
          ? "plain text, ".slice(next(10))
          : String.fromCodePoint(kind < 18 ? 0x80 + next(0xd000) : 0x10000 + next(0x1000));
    }
    const text = `{"a":"${inside}"}`;
    const exact = plumb.contract({ properties: { a: { const: inside } } });
    const [one, other] = [exact.check(text), exact.check(encoder.encode(text))];
    if (!one.valid || JSON.stringify(one) !== JSON.stringify(other)) {
      wrong("the string and its bytes differ", text);
    }
    exact.dispose();
    ++judged;
  }
  return judged;
}
