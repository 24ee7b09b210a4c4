/** The name of an element's landmark: no two of a page are the same. */
const named = new Map<string, HTMLElement>();

/** `frame` gets the name, or that with a number where another one has it. */
export function nameLandmark(frame: HTMLElement, name: string): void {
  const known = frame.getAttribute("aria-label") ?? "";
  if ((known === name || known.startsWith(`${name} `)) && named.get(known) === frame) {
    return;
  }
  giveNameBack(frame);
  for (let n = 1; ; ++n) {
    const own = n === 1 ? name : `${name} ${n}`;
    const other = named.get(own);
    if (other === undefined || !other.isConnected) {
      named.set(own, frame);
      frame.setAttribute("aria-label", own);
      return;
    }
  }
}

export function giveNameBack(frame: HTMLElement): void {
  const name = frame.getAttribute("aria-label") ?? "";
  if (named.get(name) === frame) {
    named.delete(name);
  }
}
