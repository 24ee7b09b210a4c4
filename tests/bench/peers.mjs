// What a JavaScript program would do without Plumbline: JSON.parse, then ajv for the schema and hand-written rules for
// what a schema cannot say; or zod for all of it. Each side is a function from a parsed value to "is it valid".
import Ajv2020 from 'ajv/dist/2020.js';
import * as z from 'zod';

const filled = (text) => typeof text === 'string' && text.trim() !== '';
const folded = (text) => text.trim().toLowerCase();

function quizRules(quiz) {
  let good = true;
  for (const one of quiz.questions) {
    if (!filled(one.question) || !filled(one.explanation)) good = false;
    const seen = new Set();
    for (const option of one.options) {
      if (!filled(option)) good = false;
      seen.add(folded(option));
    }
    if (seen.size !== one.options.length) good = false;
    if (!one.options.includes(one.correct_answer)) good = false;
  }
  return good;
}

// Lengths count code points, as the contract says.
function lengthOf(text) {
  const trimmed = text.trim();
  let count = 0;
  for (let i = 0; i < trimmed.length; ++i) {
    const unit = trimmed.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) ++count;
  }
  return count;
}

function flashcardRules(cards) {
  let good = true;
  const seen = new Set();
  for (const card of cards.flashcards) {
    if (!filled(card.front) || !filled(card.back)) good = false;
    if (lengthOf(card.front) < 2 || lengthOf(card.back) > 300) good = false;
    const front = folded(card.front);
    if (seen.has(front)) good = false;
    seen.add(front);
  }
  return good;
}

function mindmapRules(mindmap) {
  let good = true;
  const seen = new Set();
  const above = [];
  const visit = (node) => {
    if (!filled(node.label)) good = false;
    const label = node.label.toLowerCase();
    if (seen.has(label)) good = false;
    seen.add(label);
    if (above.includes(label)) good = false;
    above.push(label);
    for (const child of node.children) visit(child);
    above.pop();
  };
  visit(mindmap.root);
  return good;
}

const rules = { quiz: quizRules, flashcards: flashcardRules, mindmap: mindmapRules };

// `contracts`: name -> text. Our own keywords mean nothing to ajv; the rules above stand for them.
export function ajvSides(contracts) {
  const sides = {};
  for (const [name, text] of Object.entries(contracts)) {
    const validate = new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(text));
    sides[name] = (value) => validate(value) && rules[name](value);
  }
  return sides;
}

export function zodSides() {
  const text = z.string().refine(filled);
  const quiz = z.object({
    questions: z.array(z.object({
      question: text,
      options: z.array(text).min(4),
      correct_answer: z.string(),
      explanation: text,
    }).superRefine((one, context) => {
      if (new Set(one.options.map(folded)).size !== one.options.length) {
        context.addIssue({ code: 'custom', message: 'Options must be unique' });
      }
      if (!one.options.includes(one.correct_answer)) {
        context.addIssue({ code: 'custom', message: 'correct_answer must be one of the options' });
      }
    })).min(1),
  });
  const flashcards = z.object({
    flashcards: z.array(z.object({
      front: text.refine((front) => lengthOf(front) >= 2),
      back: text.refine((back) => lengthOf(back) <= 300),
    })).min(1).superRefine((cards, context) => {
      if (new Set(cards.map((card) => folded(card.front))).size !== cards.length) {
        context.addIssue({ code: 'custom', message: 'Duplicate term found' });
      }
    }),
  });
  const node = z.object({ label: text, get children() { return z.array(node); } });
  const mindmap = z.object({ root: node }).superRefine((map, context) => {
    if (!mindmapRules(map)) context.addIssue({ code: 'custom', message: 'Duplicate label found' });
  });
  const schemas = { quiz, flashcards, mindmap };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [
    name, (value) => schema.safeParse(value).success]));
}
