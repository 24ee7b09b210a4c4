// Makes the documentation of the page: each docs/*.md as a page of its own in docs/, with docs/README.md as the index, so
// that Help leads to the documentation of this version, also without a network.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(web, process.env.PLUMB_WEB_OUT ?? "../build/web", "docs");
const source = resolve(web, "../docs");

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
// As the places where the files are read make their anchors.
const anchor = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

// A link to a file beside it leads to its page; one to what is not there (the sources) stays a text.
function leads(href) {
  if (/^(https?:|#)/.test(href)) return href;
  const [file, hash] = href.split("#");
  const tail = hash === undefined ? "" : `#${hash}`;
  if (file === "README.md") return `index.html${tail}`;
  if (/^[\w-]+\.md$/.test(file) && existsSync(join(source, file))) return file.replace(/\.md$/, ".html") + tail;
  if (file.endsWith(".md")) return null;
  if (file.startsWith("examples/") && existsSync(join(source, file))) return `../${file}`;
  return null;
}

let tables = 0; // of the page that is made

const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchor(text.replace(/[`*]/g, ""))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code({ text, lang }) {
      return `<pre tabindex="0"${lang ? ` data-language="${escaped(lang.split(/\s/)[0])}"` : ""}><code>${escaped(text)}</code></pre>\n`;
    },
    table(token) {
      // A head that says nothing is none.
      const named = (cell, tag) => (cell.text.trim() === "" ? "td" : tag);
      const cells = (row, tag) =>
        row.map((cell) => `<${named(cell, tag)}>${this.parser.parseInline(cell.tokens)}</${named(cell, tag)}>`).join("");
      const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
      return `<div class="table" tabindex="0" role="region" aria-label="Table ${++tables}"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
    },
    link({ href, tokens }) {
      const to = leads(href);
      const words = this.parser.parseInline(tokens);
      return to === null ? words : `<a href="${escaped(to)}">${words}</a>`;
    },
    image({ href, text }) {
      return `<img src="${escaped(href)}" alt="${escaped(text)}">`;
    },
    html({ text }) {
      return text.startsWith("<!--") ? "" : escaped(text);
    },
  },
});

const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1].replace(/[`*]/g, "") ?? "Plumbline";

const page = (title, body, list) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'">
<title>${escaped(title)} – Plumbline</title>
<link rel="icon" href="../icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="docs.css">
<script src="../theme.js"></script>
</head>
<body>
<header><a href="../index.html">Plumbline</a> <a href="index.html">Documentation</a></header>
<div class="columns">
<nav aria-label="Documentation"><ul>
${list}
</ul></nav>
<main>
${body}
</main>
</div>
</body>
</html>
`;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const texts = new Map(
  readdirSync(source)
    .filter((name) => name.endsWith(".md"))
    .map((name) => [basename(name, ".md"), readFileSync(join(source, name), "utf8")]),
);
const index = texts.get("README");
texts.delete("README");
// The pages in the order of the index; one that the index does not name comes last.
const named = [...index.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name).filter((name) => texts.has(name));
const order = [...new Set([...named, ...[...texts.keys()].sort()])];
const listFor = (shown) =>
  order
    .map((name) => `<li><a href="${name}.html"${name === shown ? ' aria-current="page"' : ""}>${escaped(titleOf(texts.get(name)))}</a></li>`)
    .join("\n");
for (const [name, text] of texts) {
  tables = 0;
  writeFileSync(join(out, `${name}.html`), page(titleOf(text), marked.parse(text), listFor(name)));
}
tables = 0;
writeFileSync(join(out, "index.html"), page("Documentation", marked.parse(index), listFor("")));
copyFileSync(join(web, "docs.css"), join(out, "docs.css"));
if (existsSync(join(source, "pictures"))) cpSync(join(source, "pictures"), join(out, "pictures"), { recursive: true });
console.log(`web: ${texts.size} pages of documentation`);
