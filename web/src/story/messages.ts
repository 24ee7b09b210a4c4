// What the view of stories and its worker say to each other.
import type { StoryFinding, StoryGraph, StoryPlay, StoryReading } from "@plumbline/plumbline";

export interface StoryOpened {
  title: string;
  of: string; // "an outline", "a run", "story.json", "SugarCube"
  decision: string;
  valid: boolean;
  findings: readonly StoryFinding[];
  undecided: readonly { reason: string }[];
  play: StoryPlay;
  readable: boolean;
  phases: readonly {
    name: string;
    status: string;
    detail: string;
    warnings: readonly string[];
    left_out: Readonly<Record<string, number>>;
    changes: readonly { text: string; why: string }[];
    more: number;
  }[];
}

export type ShipFormat = "twee" | "html" | "json" | "gamebook";

export interface StoryCalls {
  story_open: { ask: { text: string }; told: StoryOpened };
  story_fold: { ask: { phases: number }; told: StoryGraph };
  story_read: {
    ask: { at?: { passage: string; held: readonly string[] }; take?: { way: number; route: number } };
    told: StoryReading;
  };
  story_ship: { ask: { format: ShipFormat }; told: { file: string; text: string } };
}

export type StoryAsk = { [What in keyof StoryCalls]: { what: What } & StoryCalls[What]["ask"] }[keyof StoryCalls];
