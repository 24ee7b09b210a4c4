/** An element whose class is also its part. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  part: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = part;
  if (part !== "") {
    made.setAttribute("part", part);
  }
  made.append(...children);
  return made;
}

/** Text that only a screen reader has. */
export function spoken(text: string): HTMLElement {
  const made = element("span", "visually-hidden", text);
  made.removeAttribute("part");
  return made;
}

/** A sign that a screen reader passes over. */
export function sign(text: string): HTMLElement {
  const made = element("span", "sign", text);
  made.setAttribute("aria-hidden", "true");
  return made;
}

const sheets = new Map<string, CSSStyleSheet>();

/** The one sheet of that text, for all elements of the page. */
export function sheetOf(text: string): CSSStyleSheet {
  let sheet = sheets.get(text);
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(text, sheet);
  }
  return sheet;
}

/** A text between tags is indented as its page is; that is not part of it. */
export function flushLeft(text: string): string {
  const lines = text
    .replace(/^(?:[ \t]*\r?\n)+/, "")
    .trimEnd()
    .split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)![0].length);
  const indent = Math.min(...indents);
  return Number.isFinite(indent) ? lines.map((line) => line.slice(indent)).join("\n") : "";
}
