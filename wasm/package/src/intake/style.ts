/** The style of <plumb-intake>. Colours and type are custom properties, so that a page can set its own. */
export const intakeStyle = `
:host {
  --plumb-ink: light-dark(#1a2026, #e9ebe5);
  --plumb-ink-2: light-dark(#46515b, #b6bfc6);
  --plumb-sheet: light-dark(#fbfbf8, #151a20);
  --plumb-field: light-dark(#ffffff, #1b2129);
  --plumb-rule: light-dark(#b9beb5, #3d4853);
  --plumb-act: light-dark(#1d4fbf, #8fb6ff);
  --plumb-ok: light-dark(#17693d, #6fd19a);
  --plumb-error: light-dark(#b4231a, #ff8d80);
  --plumb-open: light-dark(#835400, #f0bd5c);
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
  gap: 1rem;
  padding: 1rem;
  background: var(--plumb-sheet);
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
h2, h3, p, ol, ul, fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
ol, ul { list-style: none; }
.form, .card {
  display: flex; flex-direction: column; gap: 0.5rem; min-width: 0;
  color: var(--plumb-ink); font: 0.9375rem/1.5 system-ui, sans-serif;
}
label, legend { color: var(--plumb-ink-2); font-size: 0.8125rem; font-weight: 600; padding: 0; }
textarea, input {
  width: 100%; padding: 0.5rem 0.6rem; border: 1px solid var(--plumb-rule); border-radius: 6px;
  background: var(--plumb-field); color: inherit; font: inherit;
}
textarea { resize: vertical; min-height: 5rem; }
:is(textarea, input, button):focus-visible { outline: 2px solid var(--plumb-act); outline-offset: 1px; }
.criteria { display: flex; flex-direction: column; gap: 0.4rem; margin: 0.35rem 0; }
.criteria li { display: flex; gap: 0.4rem; }
button {
  min-height: 2.25rem; padding: 0.3rem 0.8rem; border: 1px solid var(--plumb-rule); border-radius: 6px;
  background: var(--plumb-field); color: inherit; font: inherit; cursor: pointer;
}
button:disabled { color: var(--plumb-ink-2); cursor: default; opacity: 0.7; }
.remove { flex: none; width: 2.25rem; padding: 0; }
.add, .copy { align-self: start; }
.title { font-size: 1rem; }
.decision { font-weight: 650; }
.decision[data-tone="ok"] { color: var(--plumb-ok); }
.decision[data-tone="error"] { color: var(--plumb-error); }
.lines { display: flex; flex-direction: column; gap: 0.55rem; }
.line { display: grid; grid-template-columns: 1.4rem minmax(0, 1fr); overflow-wrap: anywhere; }
.sign { font-weight: 700; }
.line[data-outcome="holds"] .sign { color: var(--plumb-ok); }
.line[data-outcome="broken"] .sign { color: var(--plumb-error); }
.line[data-outcome="undecided"] .sign { color: var(--plumb-open); }
.line-title { font-weight: 550; }
.reason, .action { color: var(--plumb-ink-2); font-size: 0.875rem; }
.ask { padding: 0.7rem 0.8rem; border: 1px solid var(--plumb-rule); border-left: 3px solid var(--plumb-act); border-radius: 6px; }
.ask h3 { color: var(--plumb-ink-2); font-size: 0.8125rem; }
.question { font-size: 1.0625rem; overflow-wrap: anywhere; }
.options { margin-top: 0.3rem; padding-left: 1rem; list-style: disc; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
