/**
 * What the elements look like unless the page says otherwise: custom properties for colours, type and sizes, `::part` for the
 * rest. Light and dark follow the page's `color-scheme`.
 *
 * A page's own rules win over those of `:host`, also a reset (`* { border: 0 }`). So all that is seen is set on `.preview`, in the
 * element, which no rule of the page reaches; and what a page's text inherits is set there anew.
 */
export const frameStyle = `
:host {
  --ink: var(--plumb-ink, light-dark(#1a2026, #e9ebe5));
  --soft: var(--plumb-ink-soft, light-dark(#56616b, #9aa5ae));
  --sheet: var(--plumb-sheet, light-dark(#fbfbf8, #151a20));
  --sheet-soft: var(--plumb-sheet-soft, light-dark(#f3f4f0, #1b2129));
  --line: var(--plumb-line, light-dark(#d9dcd4, #2b333d));
  --accent: var(--plumb-accent, light-dark(#1d4fbf, #8fb6ff));
  --error: var(--plumb-error, light-dark(#b4231a, #ff8d80));
  --warning: var(--plumb-warning, light-dark(#835400, #f0bd5c));
  --info: var(--plumb-info, light-dark(#1c5c9e, #86bfff));
  --ok: var(--plumb-ok, light-dark(#17693d, #6fd19a));
  --mono: var(--plumb-mono, ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace);
  display: block;
  border-radius: var(--plumb-radius, 10px);
  background: var(--sheet);
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.preview {
  display: block; position: relative; overflow: hidden; min-width: 0;
  border: 1px solid var(--line); border-radius: var(--plumb-radius, 10px); background: var(--sheet); color: var(--ink);
  font: 400 var(--plumb-size, 0.875rem) / 1.45 var(--plumb-font, system-ui, sans-serif);
  text-align: start; text-indent: 0; text-shadow: none; text-transform: none; letter-spacing: normal; word-spacing: normal;
  white-space: normal; hyphens: manual; cursor: auto;
}
.head {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1em 0.7em;
  padding: 0.65em 0.95em; border-inline-start: 4px solid var(--tone, var(--line)); background: var(--sheet-soft);
}
.decision { color: var(--tone, var(--ink)); font-size: 1.12em; font-weight: 680; letter-spacing: -0.01em; }
:is(.decision, .counts, .title, .note, .edits, .done-text, .version) { unicode-bidi: plaintext; }
.counts { font-weight: 550; }
.title { margin-inline-start: auto; color: var(--soft); font-size: 0.92em; }
.tone-ok { --tone: var(--ok); }
.tone-warning { --tone: var(--warning); }
.tone-error { --tone: var(--error); }
.arriving .decision::after, .growing:not(:has(.growing))::after {
  display: inline-block; height: 0.95em; margin-inline-start: 0.35em; border-inline-start: 0.45em solid var(--accent);
  vertical-align: -0.08em; content: "";
}
mark {
  background: none; color: inherit; text-decoration: underline wavy var(--mark-own) 1.5px;
  text-decoration-skip-ink: none; text-underline-offset: 0.22em;
}
mark:has(> u) { text-decoration: none; }
mark > u { text-decoration: underline wavy var(--mark-own) 1.5px; text-decoration-skip-ink: none; }
mark.error { --mark-own: var(--error); }
mark.warning { --mark-own: var(--warning); }
mark.info { --mark-own: var(--info); }

.problems { margin: 0; padding: 0; border-top: 1px solid var(--line); list-style: none; }
.problems > li + li { border-top: 1px solid var(--line); }
.problem {
  display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 0.6em; align-items: baseline; width: 100%;
  margin: 0; padding: 0.5em 0.95em; border: 0; background: none; color: inherit; font: inherit; text-align: start; cursor: pointer;
}
.problem:hover, .problem[aria-current] { background: var(--sheet-soft); }
.sign { color: var(--mark); font-weight: 700; }
.problem.error { --mark: var(--error); }
.problem.warning { --mark: var(--warning); }
.problem.info { --mark: var(--info); }
.message { overflow-wrap: anywhere; unicode-bidi: plaintext; text-align: start; }
.place { direction: ltr; color: var(--soft); font-size: 0.9em; font-variant-numeric: tabular-nums; }
.note { margin: 0; padding: 0.6em 0.95em; border-top: 1px solid var(--line); color: var(--soft); overflow-wrap: anywhere; }

@media (forced-colors: active) {
  .head { border-inline-start-color: CanvasText; }
  .problem[aria-current] { outline: 2px solid Highlight; outline-offset: -2px; }
  .arriving .decision::after, .growing::after { border-inline-start-color: Highlight; }
}
`;
