// Stories in the worker: one that is open, as its phases' notes and, where it is sound so far, its story.json.
import type { Plumb, StoryBook, StoryNote, StoryVerdict } from "@plumbline/plumbline";

import type { StoryAsk, StoryOpened } from "./messages";
import { worker as t } from "../strings";

interface Opened {
  notes: readonly StoryNote[];
  story: StoryBook | undefined;
}

const isJournal = (text: string): boolean => /^\s*\{"(?:n|blob)":/.test(text);

function outcome(verdict: StoryVerdict): Pick<StoryOpened, "decision" | "valid" | "findings" | "undecided" | "play"> {
  const { decision, valid, findings, undecided, play } = verdict;
  return { decision, valid, findings, undecided, play };
}

// Of JSON that may break off.
function titleOf(text: string): string {
  try {
    const { title } = JSON.parse(text) as { title?: unknown };
    return typeof title === "string" ? title : "";
  } catch {
    return "";
  }
}

export class StoryOfWorker {
  private opened: Opened = { notes: [], story: undefined };

  constructor(private readonly plumb: Plumb) {}

  async do(ask: StoryAsk): Promise<unknown> {
    const story = await this.plumb.story();
    switch (ask.what) {
      case "story_open":
        return this.open(ask.text);
      case "story_fold":
        return story.fold(this.opened.notes, ask.phases);
      case "story_read":
        return story.read(this.known(), ask.at, ask.take);
      case "story_ship":
        return story.ship(this.known(), ask.format, { drafts: true });
    }
  }

  private known(): StoryBook {
    if (!this.opened.story) throw new Error(t.notReadable);
    return this.opened.story;
  }

  private async open(text: string): Promise<StoryOpened> {
    if (isJournal(text)) return this.openJournal(text);
    const story = await this.plumb.story();
    const form = story.form(text);
    if (form === "outline") {
      const made = story.make(text);
      this.opened = { notes: made.notes, story: made.story };
      return { title: titleOf(text), of: t.anOutline, phases: made.notes.map(told), readable: made.story !== undefined, ...outcome(made) };
    }
    const checked = story.check(text);
    const readable = form === "story.json";
    this.opened = { notes: [], story: readable ? (JSON.parse(text) as StoryBook) : undefined };
    return { title: checked.title, of: checked.format, phases: [], readable, ...outcome(checked) };
  }

  private async openJournal(text: string): Promise<StoryOpened> {
    const story = await this.plumb.story();
    const replay = await this.plumb.replay(text);
    try {
      if (replay.pipeline !== "story") throw new Error(t.otherPipeline(replay.pipeline));
      const begun = replay.entries[0]?.data as { input?: { outline?: { title?: string } } };
      const notes = replay.entries.filter(({ kind, name }) => kind === "note" && name === "story_phase").map(({ data }) => data as StoryNote);
      const outline = begun.input?.outline ?? {};
      const judged = story.judge(outline, notes);
      const findings = judged.findings.map((one) => ({ ...one, line: 0 })); // the journal's outline has no lines
      const made = { ...judged, findings };
      this.opened = { notes, story: made.story };
      return { title: outline.title ?? "", of: t.aRun, phases: notes.map(told), readable: made.story !== undefined, ...outcome(made) };
    } finally {
      replay.dispose();
    }
  }
}

function told({ stage, phase, status, detail, warnings, left_out, mutations }: StoryNote): StoryOpened["phases"][number] {
  const changes = mutations.slice(0, 200).map(({ operation, target, to, rationale }) => ({
    text: `${operation.replace("_", " ")} ${target}${to ? ` → ${to}` : ""}`,
    why: rationale,
  }));
  return { name: `${stage}/${phase}`, status, detail, warnings, left_out, changes, more: mutations.length - changes.length };
}
