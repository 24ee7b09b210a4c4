// For each role of a research loop a decision that its gates stop, with what it was made from.
import { checking as t } from "../strings";

const json = (value: unknown): string => JSON.stringify(value, null, 2);

export interface RoleExample {
  id: string;
  contract: string;
  title: string;
  artifact: string;
  context: string;
}

const history = [
  {
    query: "How many electric cars were sold in Norway in 2023?",
    answer: "Norway registered 104,590 new battery-electric cars in 2023, a share of 82.4 % [1].",
    sources: [{ title: "OFV registrations 2023", url: "https://ofv.example/2023" }],
  },
  {
    query: "How many battery-electric cars were registered in Norway in 2023?",
    answer: "Norway registered 104,590 new battery-electric cars in 2023 [1].",
    sources: [{ title: "OFV registrations 2023", url: "https://ofv.example/2023" }],
  },
  {
    query: "What drives sales of electric cars in Norway?",
    answer: "Many factors play a role, and the market keeps changing in interesting ways.",
    sources: [],
  },
];

export const roleExamples: readonly RoleExample[] = [
  {
    id: "role-researcher",
    contract: "researcher-evaluate",
    title: t.exampleRoleResearcher,
    artifact: json({
      reasoning: "We should learn more before we decide.",
      decision: "continue",
      missing: { entity: "Norway", attribute: "VAT exemption", scope: "2023" },
      query: "more about electric cars in Norway",
      evidence_delta: "progress",
    }),
    context: json({ history }),
  },
  {
    id: "role-planner",
    contract: "brain-evaluate",
    title: t.exampleRolePlanner,
    artifact: json({
      decision: "continue",
      reasoning: "Two things are missing.",
      questions: [
        {
          question: "When did Norway exempt electric cars from VAT, and how much does it cost the state each year?",
          description: "Tells what share of the price advantage comes from tax.",
          goal: "The year and the law, from an official source.",
        },
        { question: "What is its market share?", description: "What is its market share?", goal: "Something useful." },
      ],
    }),
    context: json({ terms: ["tax", "price"] }),
  },
  {
    id: "role-search",
    contract: "search",
    title: t.exampleRoleSearch,
    artifact: json({
      answer: "Electric cars are popular in many countries, and experts expect that this will go on.",
      sources: [],
    }),
    context: json({ history: history.slice(0, 1) }),
  },
  {
    id: "role-intake",
    contract: "intake",
    title: t.exampleRoleIntake,
    artifact: json([
      { tool: "textInput", arguments: { message: "Which year do you mean? And which country?" } },
      { tool: "startResearch", arguments: { objective: "Explore electric cars.", successCriteria: ["Good answer"] } },
    ]),
    context: json({ constraints: ["Norway"], lookups: [] }),
  },
];
