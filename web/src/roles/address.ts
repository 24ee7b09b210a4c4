// What a view shows, as JSON in its address: `#intake/` and base64url of UTF-8. The address changes as one types, so a
// reload loses nothing and a copied address is a link; what is behind # is sent to no server.
const unitsMax = 60_000;

export function shownIn(view: string): Record<string, unknown> {
  const mark = `#${view}/`;
  if (!location.hash.startsWith(mark)) return {};
  const code = location.hash.slice(mark.length);
  if (code.length > unitsMax || !/^[A-Za-z0-9_-]*$/.test(code)) return {};
  try {
    const bytes = Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (unit) => unit.charCodeAt(0));
    const told: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return told !== null && typeof told === "object" ? (told as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

// Too much for an address stays out of it.
export function putInAddress(view: string, shown: Record<string, unknown>): void {
  let text = "";
  for (const unit of new TextEncoder().encode(JSON.stringify(shown))) text += String.fromCharCode(unit);
  const code = btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  history.replaceState(null, "", code.length > unitsMax ? `#${view}` : `#${view}/${code}`);
}
