// The golden cases, read as tests/native/case_file.hpp describes them: contract, documents, options, context, artifacts.
// What a case expects is compared by the native tests; here only the hosts are held against each other.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const header = /^(contract|options|context|artifact(?: [^:]*)?|expect|refused|warns):|^(document \S.*?):(?= |$)/;

/** [{place, contract, documents, options, context, artifacts: [{bytes}], refused}], in the order of the files. */
export function readCases(top) {
  const paths = filesBelow(join(top, "tests/cases")).filter((path) => path.endsWith(".case"));
  paths.push(join(top, "docs/contract-reference.md"));
  return paths.flatMap((path) => parse(readFileSync(path), relative(top, path), top));
}

export function filesBelow(folder) {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

function parse(file, path, top) {
  // Latin-1 keeps every byte; texts become UTF-8 again where they are used.
  const lines = file.toString("latin1").split("\n");
  const markdown = path.endsWith(".md");
  let inside = !markdown;
  const cases = [];
  let current;
  let section;
  const endSection = () => {
    if (section !== undefined) {
      take(current, section, strip(section.lines.join("\n").replace(/^\n/, "")), top);
    }
    section = undefined;
  };
  lines.forEach((line, i) => {
    if (markdown && line.startsWith("```")) {
      endSection();
      inside = !inside && line.startsWith("```case");
      return;
    }
    if (!inside) {
      return;
    }
    if (line.startsWith("===")) {
      endSection();
      current = {
        place: `${path}:${i + 1}`,
        name: utf8(line.slice(3).trim()),
        documents: {},
        options: {},
        artifacts: [],
      };
      cases.push(current);
      return;
    }
    const found = header.exec(line);
    if (found !== null && current !== undefined) {
      endSection();
      const name = found[1] ?? found[2];
      section = { name, lines: [line.slice(name.length + 1)] };
    } else {
      section?.lines.push(line);
    }
  });
  endSection();
  return cases;
}

function take(one, { name }, content, top) {
  if (name === "contract") {
    one.contract = utf8(content);
  } else if (name.startsWith("document ")) {
    one.documents[utf8(name.slice(9))] = utf8(content);
  } else if (name === "options") {
    for (const line of content.split("\n").map(strip).filter(Boolean)) {
      const blank = line.indexOf(" ");
      one.options[blank < 0 ? line : line.slice(0, blank)] = blank < 0 ? "" : line.slice(blank + 1);
    }
  } else if (name === "context") {
    one.context = utf8(content);
  } else if (name === "artifact") {
    one.artifacts.push({ bytes: Buffer.from(content, "latin1") });
  } else if (name === "artifact (escaped)") {
    one.artifacts.push({ bytes: Buffer.from(unescape(content), "latin1") });
  } else if (name.startsWith("artifact ")) {
    one.artifacts.push({ bytes: readFileSync(join(top, "tests/cases", name.slice(9))) });
  } else if (name === "refused") {
    one.refused = true;
  }
}

function strip(text) {
  return text.replace(/^[ \t]+/, "").replace(/[ \t\n]+$/, "");
}

function utf8(latin1) {
  return Buffer.from(latin1, "latin1").toString("utf8");
}

function unescape(text) {
  return text.replace(/\\(?:x([0-9A-Fa-f]{2})|\*(\d+)\{([^]*?)\}|([nrt\\]))/g, (_, hex, count, repeated, letter) =>
    hex !== undefined
      ? String.fromCharCode(parseInt(hex, 16))
      : count !== undefined
        ? repeated.repeat(Number(count))
        : { n: "\n", r: "\r", t: "\t", "\\": "\\" }[letter],
  );
}
