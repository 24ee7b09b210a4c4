/** How the editor looks; elements/style.ts has what it shares with the other elements. */
import { frameStyle } from "../elements/style.js";

export const style = `${frameStyle}
.sides { display: grid; grid-template-columns: minmax(0, 1fr); border-top: 1px solid var(--line); }
.sides.two { grid-template-columns: repeat(auto-fit, minmax(min(100%, 20em), 1fr)); gap: 1px; background: var(--line); }
.side { display: flex; flex-direction: column; min-width: 0; background: var(--sheet); }
.side-head { display: none; padding: 0.35em 0.95em; border-bottom: 1px solid var(--line); color: var(--soft); font-size: 0.92em; }
.two .side-head { display: flex; flex-wrap: wrap; align-items: center; gap: 0.2em 0.7em; }
.scroll {
  position: relative; flex: 1; overflow: auto; min-height: 8em; max-height: var(--plumb-height, 26em);
  scrollbar-width: thin; scrollbar-color: var(--line) transparent;
}
.paper { position: relative; min-height: 100%; }
.field, .back, .old {
  display: block; box-sizing: border-box; width: 100%; margin: 0; padding: 0.6em 0.95em; border: 0; direction: ltr; text-align: left;
  font: 0.93em / 1.7 var(--mono); letter-spacing: normal; tab-size: 2; white-space: pre-wrap; overflow-wrap: anywhere; word-break: normal;
}
.back { min-height: 8em; color: transparent; pointer-events: none; forced-color-adjust: none; }
.field {
  position: absolute; inset: 0; height: 100%; overflow: hidden; resize: none; outline-offset: -3px;
  background: transparent; color: inherit; appearance: none; border-radius: 0;
}
.current-mark { background: color-mix(in srgb, var(--mark-own) 22%, transparent); }
.differs { background: color-mix(in srgb, var(--accent) 14%, transparent); }
.old .differs { background: color-mix(in srgb, var(--error) 14%, transparent); }

.fixes { display: flex; flex-wrap: wrap; gap: 0.4em; padding: 0 0.95em 0.6em; padding-inline-start: 2.4em; }
.tool {
  min-height: 1.9em; max-width: 100%; margin: 0; padding: 0.15em 0.7em; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet);
  color: var(--accent); font: inherit; font-size: 0.92em; text-align: start; overflow-wrap: anywhere; cursor: pointer;
}
.tool:hover { border-color: var(--accent); }
.done {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.3em 0.8em; padding: 0.4em 0.95em; border-top: 1px solid var(--line);
  background: var(--sheet-soft);
}
.choice { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3em 0.6em; padding: 0.45em 0.95em; border-top: 1px solid var(--line); color: var(--soft); }
.versions {
  max-width: 100%; margin: 0; padding: 0.2em 0.4em; border: 1px solid var(--line); border-radius: 6px; background: var(--sheet); color: var(--ink); font: inherit;
}
@media (pointer: coarse) { .tool { min-height: 2.75em; } }
@media (forced-colors: active) {
  .back .differs, .old .differs { outline: 1px dashed CanvasText; background: none; }
  .current-mark { outline: 2px solid Highlight; }
}
`;
