#include "core/story/reader_page.hpp"

namespace plumb::story {

const std::string_view reader_style = R"css(
:root {
  color-scheme: light dark;
  --paper: #fbf8f2; --ink: #24211d; --muted: #6a6257; --line: #ddd4c5; --accent: #8a3b1e; --lift: #f3ede2;
  --face: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", P052, Georgia, "Liberation Serif", serif;
  --measure: 33rem;
  font-size: 112.5%;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #17181b; --ink: #d9d4ca; --muted: #9e978b; --line: #35363b; --accent: #e2a682; --lift: #212227; }
}
:root[data-colours="light"] {
  color-scheme: light;
  --paper: #fbf8f2; --ink: #24211d; --muted: #6a6257; --line: #ddd4c5; --accent: #8a3b1e; --lift: #f3ede2;
}
:root[data-colours="dark"] {
  color-scheme: dark;
  --paper: #17181b; --ink: #d9d4ca; --muted: #9e978b; --line: #35363b; --accent: #e2a682; --lift: #212227;
}
@media (min-width: 48rem) { :root { font-size: 125%; } }
:root[data-size="-2"] { font-size: 87.5%; }
:root[data-size="-1"] { font-size: 100%; }
:root[data-size="1"] { font-size: 137.5%; }
:root[data-size="2"] { font-size: 162.5%; }
:root[data-size="3"] { font-size: 200%; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; max-width: calc(var(--measure) + 3rem); min-height: 100vh; min-height: 100dvh; padding: 0 1.5rem;
  display: flex; flex-direction: column; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 var(--face); font-kerning: normal; text-rendering: optimizeLegibility; overflow-wrap: anywhere;
}
h1, p, button, .author { unicode-bidi: plaintext; text-align: start; }
button, summary { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: .14rem solid var(--accent); outline-offset: .14rem; border-radius: .15rem; }
.quiet { color: var(--muted); font-size: .8rem; }
.quiet button, .quiet summary { padding: .45rem .2rem; }
.quiet button:hover, .quiet summary:hover { color: var(--accent); }

#bar { display: flex; align-items: baseline; gap: 1.2rem; padding: 1rem 0; border-bottom: 1px solid var(--line); }
#bar h1 { flex: 1; margin: 0; font: italic .85em/1.4 var(--face); }
#bar button:disabled { visibility: hidden; }
#settings { position: relative; }
#settings summary { list-style: none; }
#settings summary::-webkit-details-marker { display: none; }
#settings > div {
  position: absolute; inset-inline-end: 0; z-index: 1; width: max-content;
  max-width: min(19rem, calc(100vw - 3rem)); padding: .6rem 1rem;
  background: var(--paper); border: 1px solid var(--line); border-radius: .3rem;
  box-shadow: 0 .4rem 1.2rem rgb(0 0 0 / .16); overflow-wrap: normal;
}
#settings p { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1rem; margin: .2rem 0; }
#settings p span { flex: 1 0 auto; }
#settings button { min-width: 1.8rem; }
#settings [aria-pressed="true"] { color: var(--accent); text-decoration: underline; text-underline-offset: .25em; }
#settings .keys { display: block; border-top: 1px solid var(--line); padding-top: .5rem; }

#cover { flex: 1; display: flex; flex-direction: column; justify-content: center; padding: 3rem 0 22vh; }
#cover h1, #cover p { text-align: center; }
#cover h1 { margin: 0; font-size: 2.3rem; font-weight: normal; line-height: 1.15; text-wrap: balance; }
#cover .author { margin: 1rem 0 0; color: var(--muted); font-style: italic; }
#cover .rule { margin: 1.6rem 0; color: var(--accent); }
.buttons { display: flex; flex-wrap: wrap; justify-content: center; gap: .8rem; margin: 0; }
.buttons button { padding: .5rem 1.4rem; border: 1px solid var(--accent); border-radius: .3rem; text-align: center; }
#resume, #resume[hidden] + #fresh, #stay, .buttons button:hover { background: var(--accent); color: var(--paper); }

#passage { flex: 1; padding: 2rem 0 1rem; }
#passage h2 { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
#passage h2:focus { outline: none; }
.text { hyphens: auto; }
.text p { margin: 0; white-space: pre-line; text-wrap: pretty; }
.text p + p { text-indent: 1.4em; }
.draft { border-inline-start: .2rem solid var(--line); padding-inline-start: 1rem; font-style: italic; }
.note { margin: 0 0 .6rem; }
.choices {
  list-style: none; margin: 2rem 0 0; padding: 0; counter-reset: choice; border-bottom: 1px solid var(--line);
}
.choices li { counter-increment: choice; border-top: 1px solid var(--line); }
.choices button {
  position: relative; display: block; width: 100%; padding: .75rem 2.4rem .75rem 2rem; line-height: 1.4;
  color: var(--accent);
}
.choices button:dir(rtl) { padding: .75rem 2rem .75rem 2.4rem; }
.choices button::before, .choices button::after {
  position: absolute; inset-inline-start: .5rem; color: var(--muted); font-size: .8em; line-height: 1.75;
}
.choices button::before { content: counter(choice); content: counter(choice) / ""; }
.choices button::after { content: "\2192"; content: "\2192" / ""; inset-inline: auto .6rem; }
.choices button:dir(rtl)::after { content: "\2190"; content: "\2190" / ""; }
.choices li:nth-child(n + 10) button::before, .choices li:only-child button::before { content: none; }
.choices li:only-child button { padding-inline-start: .5rem; }
.choices button:hover, .choices button:focus-visible { background: var(--lift); }
.choices button:hover::after, .choices button:focus-visible::after { color: var(--accent); }
.ending { margin: 2.5rem 0 0; text-align: center; color: var(--accent); letter-spacing: .1em; }
#foot { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.2rem; padding: 1rem 0 1.5rem; }
#foot span { flex: 1; }
dialog {
  max-width: min(24rem, calc(100vw - 2rem)); padding: 1.5rem; color: var(--ink); background: var(--paper);
  border: 1px solid var(--line); border-radius: .3rem;
}
dialog::backdrop { background: rgb(0 0 0 / .4); }
dialog p:first-child { margin: 0 0 1.2rem; }

@media (prefers-reduced-motion: no-preference) {
  .text, .choices, .ending { animation: appear .3s ease-out; }
  @keyframes appear { from { opacity: 0; } }
}
@media (forced-colors: active) {
  .choices button, .buttons button { border: 1px solid ButtonBorder; forced-color-adjust: auto; }
  .choices li { border: 0; margin: .3rem 0; }
  .choices { border: 0; }
  #settings button[aria-pressed="true"] { color: Highlight; }
}
@media print {
  :root { font-size: 11pt; --paper: #fff; --ink: #000; --muted: #444; --line: #999; --accent: #000; }
  body { max-width: none; min-height: 0; padding: 0; }
  #bar nav, #foot, dialog { display: none; }
  .choices { break-inside: avoid; }
}
)css";

const std::string_view gamebook_style = R"css(
@page { margin: 16mm 15mm 18mm; }
:root { color-scheme: light dark; --paper: #fbf8f2; --ink: #24211d; --line: #b9ae9c; }
@media (prefers-color-scheme: dark) { :root { --paper: #17181b; --ink: #d9d4ca; --line: #55565c; } }
body {
  max-width: 34rem; margin: 0 auto; padding: 0 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 1.1rem/1.5 "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", P052, Georgia,
    "Liberation Serif", serif;
  overflow-wrap: anywhere; orphans: 2; widows: 2;
}
h1, p, li { unicode-bidi: plaintext; text-align: start; }
.title { display: flex; flex-direction: column; min-height: 90vh; padding-top: 22vh; }
.title h1 { margin: 0; font-size: 2.3rem; font-weight: normal; line-height: 1.15; text-align: center; }
.title .author { margin: 1rem 0 0; font-style: italic; text-align: center; }
.title .rule, .end { text-align: center; }
.title .rules { margin: 3rem 0 1.5rem; }
.title .words { margin: 0; }
.lines { list-style: none; margin: 0; padding: 0; columns: 2; column-gap: 2rem; }
.lines li { height: 2.1rem; border-bottom: 1px solid var(--line); break-inside: avoid; }
section { margin: 0 0 2.4rem; }
section:target h2 { text-decoration: underline; text-underline-offset: .3em; }
h2 { margin: 0 0 .5rem; font-size: 1.1rem; text-align: center; break-after: avoid; }
.text { hyphens: auto; }
.text p { margin: 0; white-space: pre-line; }
.text p + p { text-indent: 1.4em; }
.note, .word { margin: 0 0 .5rem; font-style: italic; }
.draft { font-style: italic; }
.ways { list-style: none; margin: .7rem 0 0; padding: 0; break-inside: avoid; break-before: avoid; }
.ways li { margin: .2rem 0; padding-inline-start: 1.4em; text-indent: -1.4em; }
.ways a { color: inherit; font-weight: bold; }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --line: #888; }
  body { max-width: none; padding: 0; font-size: 10pt; line-height: 1.4; }
  .title { display: block; min-height: 0; padding-top: 45mm; break-after: page; }
  section { margin-bottom: 1.6rem; }
  .short { break-inside: avoid; }
  .ways a { text-decoration: none; }
}
@media print and (min-width: 155mm) {
  .sections { columns: 2; column-gap: 9mm; }
}
)css";

}  // namespace plumb::story
