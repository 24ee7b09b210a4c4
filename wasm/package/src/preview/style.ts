/**
 * How a preview looks unless the page says otherwise: custom properties for colours, type and sizes, `::part` for the rest.
 * Light and dark follow the page's `color-scheme`.
 */
export const style = `
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
  display: block;
  overflow: hidden;
  border: 1px solid var(--line);
  border-radius: var(--plumb-radius, 10px);
  background: var(--sheet);
  color: var(--ink);
  font: 400 var(--plumb-size, 0.875rem) / 1.45 var(--plumb-font, system-ui, sans-serif);
  text-align: start;
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[hidden] { display: none !important; }

.head {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1em 0.7em;
  padding: 0.65em 0.95em; border-left: 4px solid var(--tone, var(--line)); background: var(--sheet-soft);
}
.decision { color: var(--tone, var(--ink)); font-size: 1.12em; font-weight: 680; letter-spacing: -0.01em; }
.counts { font-weight: 550; }
.title { margin-left: auto; color: var(--soft); font-size: 0.92em; }
.tone-ok { --tone: var(--ok); }
.tone-warning { --tone: var(--warning); }
.tone-error { --tone: var(--error); }
.arriving .decision::after {
  display: inline-block; width: 0.45em; height: 0.95em; margin-left: 0.35em; background: var(--accent);
  vertical-align: -0.08em; content: "";
}

.artifact {
  max-height: var(--plumb-height, 22em); overflow: auto; border-top: 1px solid var(--line);
  scrollbar-width: thin; scrollbar-color: var(--line) transparent;
  font: 0.93em / 1.6 var(--plumb-mono, ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace);
}
.lines { min-width: max-content; margin: 0; padding: 0.5em 0; list-style: none; }
.line { display: flex; padding-right: 1em; scroll-margin: 3em 0; }
.number {
  flex: none; width: 3.6em; padding-right: 1em; color: var(--soft); font-variant-numeric: tabular-nums;
  text-align: right; user-select: none;
}
.text { white-space: pre; tab-size: 2; }
.line.error { --mark: var(--error); }
.line.warning { --mark: var(--warning); }
.line.info { --mark: var(--info); }
.line:is(.error, .warning, .info) .number { color: var(--mark); font-weight: 700; box-shadow: inset 3px 0 var(--mark); }
.line.current { background: color-mix(in srgb, var(--mark, var(--accent)) 12%, transparent); }
mark {
  background: none; color: inherit; text-decoration: underline wavy var(--mark-own) 1.5px;
  text-decoration-skip-ink: none; text-underline-offset: 0.22em;
}
mark.error { --mark-own: var(--error); }
mark.warning { --mark-own: var(--warning); }
mark.info { --mark-own: var(--info); }
.more { margin: 0; padding: 0.3em 0.95em 0.6em; color: var(--soft); font-family: var(--plumb-font, system-ui, sans-serif); }

.shape {
  position: relative; max-height: var(--plumb-height, 22em); overflow: auto; padding: 0.7em 0.95em; border-top: 1px solid var(--line);
  scrollbar-width: thin; scrollbar-color: var(--line) transparent; overflow-wrap: anywhere;
}
.shape :is(ol, ul) { margin: 0; padding: 0; list-style: none; }
.shape p { margin: 0; }
.questions { counter-reset: question; }
.question { counter-increment: question; padding: 0.5em 0.3em; }
.question + .question, .card + .card { border-top: 1px solid var(--line); }
.asked { font-weight: 620; }
.asked::before { content: counter(question) ". "; color: var(--soft); font-variant-numeric: tabular-nums; }
.option { display: flex; flex-wrap: wrap; gap: 0 0.5em; padding: 0.12em 0.3em 0.12em 1em; }
.option .sign { color: var(--soft); }
.option.right .sign, .option.right .option-text { color: var(--ok); font-weight: 620; }
.answer { padding-left: 1em; }
.explanation, .back { color: var(--soft); }
.card { padding: 0.5em 0.3em; }
.front { font-weight: 620; }
.tree .tree { margin-left: 0.5em; padding-left: 0.9em; border-left: 1px solid var(--line); }
.branch { padding: 0.1em 0.3em; }
.shape .marked { --mark: var(--error); padding-left: 0.7em; box-shadow: inset 3px 0 var(--mark); background: color-mix(in srgb, var(--mark) 8%, transparent); }
.label.marked { display: inline-block; }
.shape .marked.warning { --mark: var(--warning); }
.shape .marked.info { --mark: var(--info); }
.shape .current { outline: 2px solid var(--mark, var(--accent)); outline-offset: -2px; }
.why { display: block; flex-basis: 100%; color: var(--mark); font-size: 0.92em; }
.why.warning { --mark: var(--warning); }
.why.error { --mark: var(--error); }
.why.info { --mark: var(--info); }
.edits { margin: 0; padding: 0.4em 0.95em; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.92em; }

.problems { margin: 0; padding: 0; border-top: 1px solid var(--line); list-style: none; }
.problems > li + li { border-top: 1px solid var(--line); }
.problem {
  display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 0.6em; align-items: baseline; width: 100%;
  padding: 0.5em 0.95em; border: 0; background: none; color: inherit; font: inherit; text-align: start; cursor: pointer;
}
.problem:hover, .problem[aria-current] { background: var(--sheet-soft); }
.sign { color: var(--mark); font-weight: 700; }
.problem.error { --mark: var(--error); }
.problem.warning { --mark: var(--warning); }
.problem.info { --mark: var(--info); }
.message { overflow-wrap: anywhere; }
.place { color: var(--soft); font-size: 0.9em; font-variant-numeric: tabular-nums; }
.note { margin: 0; padding: 0.6em 0.95em; border-top: 1px solid var(--line); color: var(--soft); }
`;
