/** The element's own style. Colours can be set from outside: docs/budget.md lists the custom properties. */
export const style = `
:host {
  display: block;
  color-scheme: inherit;
  container-type: inline-size;
  --ink: var(--plumb-ink, light-dark(#1a2026, #e9ebe5));
  --ink-2: var(--plumb-ink-2, light-dark(#46515b, #b6bfc6));
  --line: var(--plumb-line, light-dark(#b9beb5, #3d4853));
  --sheet: var(--plumb-sheet, light-dark(#fbfbf8, #151a20));
  --focus: var(--plumb-focus, light-dark(#1d4fbf, #8fb6ff));
  --system: light-dark(#4d5b8c, #8796cf);
  --task_output: light-dark(#8a5a12, #dcae5c);
  --sop: light-dark(#17693d, #6fd19a);
  --decision: light-dark(#1f7a74, #72cfc8);
  --file_summary: light-dark(#4a8a3a, #a5d68f);
  --convention: light-dark(#7f9a52, #cbdda3);
  --free: light-dark(#dfe5dc, #232b33);
  --working_memory: light-dark(#1d4fbf, #8fb6ff);
  --output: light-dark(#7a3a86, #d8a6e6);
  --margin: light-dark(#9aa29a, #55616c);
  --green: light-dark(#17693d, #6fd19a);
  --yellow: light-dark(#8a6d00, #f0d35c);
  --orange: light-dark(#a04a00, #ffae66);
  --red: light-dark(#b4231a, #ff8d80);
  --critical: light-dark(#7d0f2b, #ff6b94);
}
[part="body"] { color: var(--ink); font: 0.875rem/1.45 system-ui, sans-serif; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
h4 { margin: 1.1rem 0 0.4rem; font-size: 0.875rem; }
p { margin: 0; }
.verdict { display: flex; gap: 0.5rem; align-items: baseline; flex-wrap: wrap; margin-bottom: 0.7rem; }
.verdict b { padding: 0.05rem 0.55rem; border: 1.5px solid currentColor; border-radius: 999px; white-space: nowrap; }
.is-fits b { color: var(--green); }
.is-trimmed b { color: var(--orange); }
.is-too_large b, .is-wrong b { color: var(--red); }
.is-unknown b { color: var(--ink-2); }
.bar { position: relative; height: 3.4rem; margin-right: 14px; touch-action: none; }
.part { position: absolute; inset-block: 0; overflow: hidden; border-right: 1px solid var(--sheet); }
.part.convention, .part.file_summary, .part.free { border-right: 0; }
.part.margin {
  background: repeating-linear-gradient(135deg, var(--margin) 0 5px, transparent 5px 10px);
  outline: 1px solid var(--margin); outline-offset: -1px;
}
.edge { position: absolute; inset-block: -0.3rem; width: 2px; background: var(--ink); }
.over {
  position: absolute; inset-block: 0;
  background: repeating-linear-gradient(45deg, var(--red) 0 4px, transparent 4px 9px);
}
.handle {
  position: absolute; inset-block: -0.3rem; width: 24px; margin-left: -12px; padding: 0; border: 0; background: none;
  cursor: ew-resize; touch-action: none; z-index: 1;
}
.handle::after {
  content: ""; position: absolute; inset-block: 0.75rem; left: 10px; width: 4px; border-radius: 3px;
  background: var(--sheet); border: 1px solid var(--ink);
}
.handle.window { z-index: 2; }
.handle.window::after { inset-block: 0; background: var(--ink); }
.handle:focus-visible { outline: 2px solid var(--focus); outline-offset: -4px; border-radius: 6px; }
.scale { display: flex; justify-content: space-between; margin: 0.35rem 14px 0 0; color: var(--ink-2);
  font-variant-numeric: tabular-nums; font-size: 0.75rem; }
ul { list-style: none; margin: 0; padding: 0; }
.legend { display: grid; grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); gap: 0.15rem 1.2rem;
  margin-top: 0.6rem; }
.legend li { display: flex; gap: 0.5rem; align-items: center; }
.legend i { width: 0.8rem; height: 0.8rem; border-radius: 3px; flex: none; border: 1px solid var(--line); }
.legend span { flex: 1; }
.legend b, .cuts b { font-weight: 600; font-variant-numeric: tabular-nums; }
.cuts li { display: grid; grid-template-columns: 4.6rem 1fr auto; gap: 0.1rem 0.7rem; padding: 0.35rem 0;
  border-top: 1px solid var(--line); }
.cuts li > small { grid-column: 2 / -1; color: var(--ink-2); font-size: 0.8125rem; }
.cuts em { font-style: normal; font-weight: 600; }
.cuts .dropped em { color: var(--red); }
.cuts .trimmed em { color: var(--orange); }
.cuts .whole em { color: var(--green); }
.cuts q { quotes: none; overflow-wrap: anywhere; }
.gauge { display: block; width: 100%; height: 9rem; overflow: visible; }
.gauge text { font: 11px system-ui, sans-serif; fill: var(--ink-2); }
.gauge .line { fill: none; stroke: var(--ink); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.gauge .limit { stroke: var(--line); stroke-width: 1; stroke-dasharray: 3 3; }
.now { display: flex; gap: 0.4rem 1.4rem; flex-wrap: wrap; margin-top: 0.4rem; }
.now span { color: var(--ink-2); }
.wrong { color: var(--red); }
.call { display: flex; gap: 0.3rem 0.8rem; align-items: center; flex-wrap: wrap; margin-top: 1rem; }
.call p { color: var(--ink-2); }
.send {
  min-height: 2.25rem; padding: 0.3rem 0.8rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--sheet); color: inherit; font: inherit; cursor: pointer;
}
.send:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
@media (forced-colors: active) {
  .part { border: 1px solid CanvasText; } .edge { background: CanvasText; }
  .part, .over, .legend i { forced-color-adjust: none; }
}
@container (max-width: 30rem) { .legend { grid-template-columns: 1fr; } }
`;
