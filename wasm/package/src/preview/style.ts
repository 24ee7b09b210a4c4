/** How a preview looks; elements/style.ts has what it shares with the other elements. */
import { frameStyle } from "../elements/style.js";

export const style = `${frameStyle}
.artifact {
  max-height: var(--plumb-height, 22em); overflow: auto; border-top: 1px solid var(--line);
  scrollbar-width: thin; scrollbar-color: var(--line) transparent;
  font: 0.93em / 1.6 var(--mono);
}
.lines { min-width: max-content; margin: 0; padding: 0.5em 0; list-style: none; }
.line { display: flex; padding-inline-end: 1em; scroll-margin: 3em 0; }
.number {
  flex: none; width: 3.6em; padding-inline-end: 1em; border-inline-start: 3px solid transparent; color: var(--soft);
  font-variant-numeric: tabular-nums; text-align: end; user-select: none;
}
.text { white-space: pre; tab-size: 2; }
.line.error { --mark: var(--error); }
.line.warning { --mark: var(--warning); }
.line.info { --mark: var(--info); }
.line:is(.error, .warning, .info) .number { border-inline-start-color: var(--mark); color: var(--mark); font-weight: 700; }
.line.current { background: color-mix(in srgb, var(--mark, var(--accent)) 12%, transparent); }
.more { margin: 0; padding: 0.3em 0.95em 0.6em; color: var(--soft); font-family: var(--plumb-font, system-ui, sans-serif); }

.shape {
  position: relative; max-height: var(--plumb-height, 22em); overflow: auto; padding: 0.7em 0.95em; border-top: 1px solid var(--line);
  scrollbar-width: thin; scrollbar-color: var(--line) transparent; overflow-wrap: anywhere;
}
.shape :is(ol, ul) { margin: 0; padding: 0; list-style: none; }
.shape p { margin: 0; }
.shape .more { padding-inline: 0; }
:is(.questions, .beats) { counter-reset: item; }
:is(.question, .beat) { counter-increment: item; }
:is(.question, .card, .dilemma, .beat) { padding: 0.5em 0.3em; }
:is(.question, .card, .dilemma, .beat) + :is(.question, .card, .dilemma, .beat), .beats { border-top: 1px solid var(--line); }
.asked, .front { font-weight: 620; }
:is(.question > .asked, .beat > .summary)::before { content: counter(item) ". "; color: var(--soft); font-variant-numeric: tabular-nums; }
.option { display: flex; flex-wrap: wrap; gap: 0 0.5em; padding-block: 0.12em; padding-inline: 1em 0.3em; }
.option .sign { color: var(--soft); }
.option.right .sign, .option.right .option-text { color: var(--ok); font-weight: 620; }
.answer { padding-inline-start: 1em; }
.explanation, .back, .prose { color: var(--soft); }
.prose { white-space: pre-line; }
.story-title { padding: 0.2em 0.3em; font-size: 1.12em; font-weight: 680; }
.beat > .label { color: var(--accent); }
.tree .tree { margin-inline-start: 0.5em; padding-inline-start: 0.9em; border-inline-start: 1px solid var(--line); }
.branch { padding: 0.1em 0.3em; }
.shape .marked {
  --mark: var(--error); padding-inline-start: 0.7em; border-inline-start: 3px solid var(--mark);
  background: color-mix(in srgb, var(--mark) 8%, transparent);
}
.branch > .label.marked { display: inline-block; }
.shape .marked.warning { --mark: var(--warning); }
.shape .marked.info { --mark: var(--info); }
.shape .current { outline: 2px solid var(--mark, var(--accent)); outline-offset: -2px; }
.why { display: block; flex-basis: 100%; color: var(--mark); font-size: 0.92em; font-weight: 400; unicode-bidi: plaintext; text-align: start; }
.why.warning { --mark: var(--warning); }
.why.error { --mark: var(--error); }
.why.info { --mark: var(--info); }
.edits { margin: 0; padding: 0.4em 0.95em; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.92em; }

@media (forced-colors: active) {
  .line.current { outline: 2px solid Highlight; outline-offset: -2px; }
}
`;
