// Runs in the worker: one journal that is looked at, and one run in the page.
import type { Effect, Plumb, Replay, Reply, Run } from "@plumbline/plumbline";

import type { StoryOfWorker } from "../story/story_worker";
import type { FromRuns, RunsAsk, RunsCalls, ToRuns } from "./messages";
import { worker as t } from "../strings";

const told = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class RunsOfWorker {
  private replay: Replay | undefined;
  private looked: Replay | undefined;
  private run: Run | undefined;
  private kept = (): void => undefined;
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
        const { id, pipeline, entries } = opened;
        return { id, pipeline, entries, tokens: opened.at(entries.length - 1).tokens };
      }
      case "look_at":
        if (!this.looked) throw new Error(t.noJournal);
        return this.looked.at(ask.n).view;
      case "verify":
        return this.opened().verify();
      case "start":
        return this.start(ask);
      case "kept":
        this.kept();
        return null;
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

  private async start({ id, pipeline, request = {}, journal, via, asked = [] }: RunsCalls["start"]["ask"]): Promise<null> {
    this.run?.cancel(t.replacedHere);
    const extract = { fulfil: (effect: Effect) => new Promise<Reply>((done) => setTimeout(() => done(this.plumb.extract(effect)), 0)) };
    const withModel = via && { fulfil: reaching(this.plumb.viaProxy(via.url, { model: via.model, ...(via.token && { token: via.token }) }), via.url) };
    const input = via ? request : { ...request, ...withoutModel[pipeline] };
    const run = await this.plumb.run(pipeline, journal === undefined ? input : undefined, {
      ...(journal === undefined ? { id } : { journal }),
      // A task of its own, so that what is stored is shown before the next call begins to work.
      ...(withModel ?? extract),
      onEntry: ({ line, blobs }) => {
        const texts = blobs.map(({ hash, text }) => JSON.stringify({ blob: hash, text }));
        const kept = new Promise<void>((done) => (this.kept = done));
        this.post({ kind: "run_stored", run: id, lines: [...texts, line] });
        return kept;
      },
    });
    run.follow(({ key }, what, data) => {
      if (what === "text" || what === "finding") this.post({ kind: "run_told", run: id, key, what, data: what === "text" ? { text: data } : data });
    });
    this.run = run;
    if (asked.length > 0) void run.signal("asked_of", { chosen_by: t.thisPage, asked });
    run.result.then(
      () => this.post({ kind: "run_ended", run: id, message: "" }),
      (error: unknown) => this.post({ kind: "run_ended", run: id, message: told(error) }),
    );
    return null;
  }
}

// Who is asked in each phase, where no model is.
const withoutModel: Readonly<Record<string, object>> = {
  artifact: { providers: { plan: "extract", generate: "extract", judge: "extract", repair: "extract" } },
  boundary: { providers: { validate: "extract", revise: "extract" } },
};

// The policy of this page's server may keep it from other addresses; fetch itself says only that it failed.
function reaching(fulfil: (effect: Effect) => PromiseLike<Reply>, url: string): (effect: Effect) => Promise<Reply> {
  let kept = false;
  addEventListener("securitypolicyviolation", ({ blockedURI }) => (kept ||= blockedURI.startsWith(new URL(url).origin)));
  return async (effect) => {
    const reply = await fulfil(effect);
    await new Promise((done) => setTimeout(done, 0));
    return kept && reply.error ? { ...reply, error: t.keptByPolicy(new URL(url).origin) } : reply;
  };
}
