// Pieces of a JSON text as they are written: JSON.parse would turn 1.0 into 1 and round long integers.

/** The members of an object or the items of an array, as texts; keys are decoded. */
export function parts(text) {
  const open = skip(text, 0);
  const isObject = text[open] === "{";
  const found = isObject ? {} : [];
  let at = skip(text, open + 1);
  while (text[at] !== "}" && text[at] !== "]") {
    let key;
    if (isObject) {
      const end = valueEnd(text, at);
      key = JSON.parse(text.slice(at, end));
      at = skip(text, skip(text, end) + 1);
    }
    const end = valueEnd(text, at);
    if (isObject) {
      found[key] = text.slice(at, end);
    } else {
      found.push(text.slice(at, end));
    }
    at = skip(text, end);
    if (text[at] === ",") {
      at = skip(text, at + 1);
    }
  }
  return found;
}

function skip(text, at) {
  while (" \t\r\n".includes(text[at])) {
    ++at;
  }
  return at;
}

function valueEnd(text, at) {
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') {
      for (++at; text[at] !== '"'; ++at) {
        at += text[at] === "\\" ? 1 : 0;
      }
      ++at;
    } else if (character === "{" || character === "[") {
      ++depth;
      ++at;
    } else if (character === "}" || character === "]") {
      --depth;
      ++at;
    } else if (depth > 0) {
      ++at;
    } else {
      while (at < text.length && !/[\s,\]}]/.test(text[at])) {
        ++at;
      }
    }
  } while (depth > 0);
  return at;
}
