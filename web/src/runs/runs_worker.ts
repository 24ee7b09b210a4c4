// Runs in the worker: one journal that is looked at, and one run in the page.
import type { Plumb, Replay, Run } from "@plumbline/plumbline";

import type { StoryOfWorker } from "../story/story_worker";
import type { FromRuns, RunsAsk, ToRuns } from "./messages";
import { worker as t } from "../strings";

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class RunsOfWorker {
  private replay: Replay | undefined;
  private looked: Replay | undefined;
  private run: Run | undefined;
  private story: Promise<StoryOfWorker> | undefined; // loaded when first wanted

  constructor(
    private readonly plumb: Plumb,
    private readonly post: (message: FromRuns) => void,
  ) {}

  answer({ id, ask }: ToRuns): void {
    this.do(ask).then(
      (answer) => this.post({ kind: "runs_told", id, told: answer }),
      (error: unknown) => this.post({ kind: "runs_refused", id, message: told(error) }),
    );
  }

  private async do(ask: RunsAsk): Promise<unknown> {
    switch (ask.what) {
      case "open": {
        const opened = await this.plumb.replay(ask.text);
        this.replay?.dispose();
        this.replay = opened;
        const { id, pipeline, known, entries, log } = opened;
        return { id, pipeline, known, entries, log };
      }
      case "at": {
        const { view, tokens } = this.opened().at(ask.n);
        return { view, tokens };
      }
      case "look_open": {
        const opened = await this.plumb.replay(ask.text);
        this.looked?.dispose();
        this.looked = opened;
        return { pipeline: opened.pipeline, entries: opened.entries.length };
      }
      case "look_at":
        if (!this.looked) throw new Error(t.noJournal);
        return this.looked.at(ask.n).view;
      case "verify":
        return this.opened().verify();
      case "start":
        return this.start(ask.id, ask.request);
      case "cancel":
        this.run?.cancel(t.cancelledHere);
        return null;
      case "story_open":
      case "story_fold":
      case "story_read":
      case "story_ship":
        this.story ??= import("../story/story_worker").then((loaded) => new loaded.StoryOfWorker(this.plumb));
        return (await this.story).do(ask);
    }
  }

  private opened(): Replay {
    if (!this.replay) throw new Error(t.noJournal);
    return this.replay;
  }

  private async start(id: string, request: object): Promise<null> {
    this.run?.cancel(t.replacedHere);
    const providers = { plan: "extract", generate: "extract", judge: "extract", repair: "extract" };
    const run = await this.plumb.run(
      "artifact",
      { ...request, providers },
      {
        id,
        // A task of its own, so that what is stored is shown before the next call begins to work.
        fulfil: (effect) => new Promise((done) => setTimeout(() => done(this.plumb.extract(effect)), 0)),
        onEntry: ({ line, blobs }) => {
          const texts = blobs.map(({ hash, text }) => JSON.stringify({ blob: hash, text }));
          this.post({ kind: "run_stored", run: id, lines: [...texts, line] });
        },
      },
    );
    this.run = run;
    run.result.then(
      () => this.post({ kind: "run_ended", run: id, message: "" }),
      (error: unknown) => this.post({ kind: "run_ended", run: id, message: told(error) }),
    );
    return null;
  }
}
