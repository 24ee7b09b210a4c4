/** Elements in one step. */
type Attributes = Record<string, string | number>;

export function html<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

export function svg(name: string, attributes: Attributes, ...children: (Node | string)[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

/** A style as declarations, which every content security policy allows; as an attribute few do. */
function setAll(made: HTMLElement | SVGElement, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "style") {
      made.style.cssText = String(value);
    } else {
      made.setAttribute(key, String(value));
    }
  }
}

const sheets = new Map<string, CSSStyleSheet>();

/** The one sheet of that text. */
export function sheetOf(text: string): CSSStyleSheet {
  let sheet = sheets.get(text);
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(text, sheet);
  }
  return sheet;
}
