// The examples of the picker. Most are the project's own cases, so that the page shows what the tests hold.
import flashcardsFaulty from "../../tests/cases/seed/flashcards_faulty.json?raw";
import flashcardsRepaired from "../../tests/cases/seed/flashcards_repair_2.json?raw";
import mindmapCycle from "../../tests/cases/seed/mindmap_cycle.json?raw";
import quizFaulty from "../../tests/cases/seed/quiz_faulty.json?raw";
import quizFaulty2 from "../../tests/cases/seed/quiz_faulty2.json?raw";
import quizRepaired from "../../tests/cases/seed/quiz_repaired.json?raw";
import mindmapClean from "./presets/mindmap_clean.json?raw";
import quizCutOff from "./presets/quiz_cut_off.json?raw";
import replyContext from "./presets/reply_context.json?raw";
import replyContract from "./presets/reply_contract.json?raw";
import { roleExamples } from "./presets/role_examples";
import replyWithContext from "./presets/reply_with_context.json?raw";
import type { ContractSource } from "./messages";
import { checking as t } from "./strings";

export interface Preset {
  id: string;
  group: string;
  title: string;
  contract: ContractSource;
  artifact: () => string;
  context?: string;
}

const quiz: ContractSource = { kind: "built_in", name: "quiz" };
const flashcards: ContractSource = { kind: "built_in", name: "flashcards" };
const mindmap: ContractSource = { kind: "built_in", name: "mindmap" };

// A quiz of about 1 MB whose every fiftieth question breaks a rule. Built when it is asked for; always the same.
function largeQuiz(): string {
  const questions: string[] = [];
  for (let n = 1; n <= 3000; ++n) {
    const place = n % 7 === 0 ? "“fine print”" : "first paragraph";
    const correct = n % 50 === 0 ? "none of them" : `Answer ${n}.1`;
    const options = [1, 2, 3, 4].map((o) => `        "Answer ${n}.${o}"`).join(",\n");
    questions.push(
      `    {\n      "question": "Question number ${n}: what follows from statement ${n} of the source?",\n` +
        `      "options": [\n${options}\n      ],\n      "correct_answer": "${correct}",\n` +
        `      "explanation": "Statement ${n} says so – see the ${place}."\n    }`,
    );
  }
  return `{\n  "questions": [\n${questions.join(",\n")}\n  ]\n}\n`;
}

export const presets: Preset[] = [
  { id: "quiz-faulty", group: t.groupQuiz, title: t.exampleQuizFaulty, contract: quiz, artifact: () => quizFaulty },
  {
    id: "quiz-faulty-2",
    group: t.groupQuiz,
    title: t.exampleQuizAll,
    contract: quiz,
    artifact: () => quizFaulty2,
  },
  {
    id: "quiz-cut-off",
    group: t.groupQuiz,
    title: t.exampleQuizCut,
    contract: quiz,
    artifact: () => quizCutOff,
  },
  { id: "quiz-repaired", group: t.groupQuiz, title: t.exampleQuizRepaired, contract: quiz, artifact: () => quizRepaired },
  { id: "quiz-large", group: t.groupQuiz, title: t.exampleQuizLarge, contract: quiz, artifact: largeQuiz },
  {
    id: "flashcards-faulty",
    group: t.groupFlashcards,
    title: t.exampleCardsFaulty,
    contract: flashcards,
    artifact: () => flashcardsFaulty,
  },
  {
    id: "flashcards-repaired",
    group: t.groupFlashcards,
    title: t.exampleCardsRepaired,
    contract: flashcards,
    artifact: () => flashcardsRepaired,
  },
  {
    id: "mindmap-cycle",
    group: t.groupMindmap,
    title: t.exampleMapCycle,
    contract: mindmap,
    artifact: () => mindmapCycle,
  },
  { id: "mindmap-clean", group: t.groupMindmap, title: t.exampleMapClean, contract: mindmap, artifact: () => mindmapClean },
  {
    id: "reply-context",
    group: t.ownContract,
    title: t.exampleReply,
    contract: { kind: "own", text: replyContract },
    artifact: () => replyWithContext,
    context: replyContext,
  },
  ...roleExamples.map(({ id, title, contract, artifact, context }) => ({
    id,
    group: t.researchRoles,
    title,
    contract: { kind: "built_in" as const, name: contract },
    artifact: () => artifact,
    context,
  })),
];
