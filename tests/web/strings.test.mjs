// The texts of the page are in web/src/strings, ready for translators: components have none of their own, and every text
// that is there is shown somewhere.
import { strict as assert } from "node:assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { tool } from "../wasm/support.mjs";
import { top } from "./support.mjs";

const { default: ts } = await tool("typescript");
const source = join(top, "web/src");
const files = readdirSync(source, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
const parsed = (name, text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
const read = (name) => parsed(name, readFileSync(join(source, name), "utf8"));

const hasWords = (text) => /\p{L}/u.test(text);
// Attributes that people read or hear; a component's own have the same names.
const shown = new Set(["title", "label", "placeholder", "alt", "summary", "caption", "dropHint", "none", "note", "why"]);
const isShown = (name) => shown.has(name) || /^aria-(label|description|valuetext|roledescription|placeholder)$/.test(name);

/** The literal texts that an expression may come to; those that it only compares, looks up or gives to others are none. */
function literals(node) {
  if (ts.isStringLiteralLike(node)) return hasWords(node.text) ? [node] : [];
  if (ts.isTemplateExpression(node)) {
    const own = [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].some(hasWords);
    return own ? [node] : node.templateSpans.flatMap((span) => literals(span.expression));
  }
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(literals);
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return literals(node.expression);
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return literals(node.right);
    const either = [ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.PlusToken];
    return either.includes(kind) ? [node.left, node.right].flatMap(literals) : [];
  }
  return [];
}

/** What a component shows and has not from the strings, each with its line. */
function textsOf(file) {
  const found = [];
  const visit = (node) => {
    if (ts.isJsxText(node) && hasWords(node.text)) found.push(node);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) found.push(...literals(node.expression));
    if (ts.isJsxAttribute(node) && node.initializer && isShown(node.name.getText())) {
      const { initializer } = node;
      found.push(...(ts.isJsxExpression(initializer) ? literals(initializer.expression) : literals(initializer)));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.map((node) => `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText().trim()}`);
}

test("components have no text of their own", () => {
  const components = files.filter((name) => name.endsWith(".tsx"));
  assert.ok(components.length > 30);
  assert.deepEqual(components.flatMap((name) => textsOf(read(name))), []);
});

test("a component that has a text of its own is found", () => {
  const wrong = [
    "<p>Held against</p>",
    '<p title="Close" />',
    '<p aria-label={open ? "Close" : t.open} />',
    "<p placeholder={`About ${n}`} />",
    '<p>{n > 0 && "more"}</p>',
    '<p>{name || "nobody"}</p>',
    "<p>{`${n} more`}</p>",
  ];
  for (const text of wrong) assert.equal(textsOf(parsed("wrong.tsx", text)).length, 1, text);
  const right = ['<p class="held">{t.heldAgainst(n)} · {"\\n"}</p>', "<p title={t.close} id={`run-${n}`} />", '<p>{kind === "quiz" && t.quiz}</p>'];
  for (const text of right) assert.deepEqual(textsOf(parsed("right.tsx", text)), [], text);
});

test("every text is shown somewhere, and none is missing", () => {
  const texts = (name) => read(`strings/${name}.ts`).statements.flatMap((one) => (ts.isVariableStatement(one) ? one.declarationList.declarations.map((each) => each.name.getText()) : []));
  const known = new Map();
  for (const one of read("strings/index.ts").statements) {
    if (ts.isExportDeclaration(one)) known.set(one.exportClause.name.text, new Set(texts(one.moduleSpecifier.text.slice(2))));
  }
  const unused = new Map([...known].map(([view, all]) => [view, new Set(all)]));
  for (const name of files.filter((file) => !file.startsWith("strings/"))) {
    const file = read(name);
    const names = new Map();
    for (const one of file.statements) {
      if (!ts.isImportDeclaration(one) || !/\/strings$/.test(one.moduleSpecifier.text)) continue;
      for (const each of one.importClause.namedBindings.elements) names.set(each.name.text, (each.propertyName ?? each.name).text);
    }
    const visit = (node) => {
      if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && names.has(node.expression.text)) {
        const view = names.get(node.expression.text);
        assert.ok(known.get(view).has(node.name.text), `${name}: ${view} has no ${node.name.text}`);
        unused.get(view).delete(node.name.text);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  assert.deepEqual([...unused].flatMap(([view, all]) => [...all].map((one) => `${view}.${one}`)), []);
});
