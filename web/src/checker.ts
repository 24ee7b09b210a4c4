// The page's side of the worker: one check at a time, the latest request only, answers to older ones dropped, and a new
// worker when the old one has broken down or was stopped.
import type { Ask, Asks, FromWorker, Input, ToWorker } from "./messages";
import { startWorker } from "./worker";
import { checking as t } from "./strings";

type Answer<Kind extends FromWorker["kind"]> = Extract<FromWorker, { kind: Kind }>;

export interface Listener {
  ready(answer: Answer<"ready">): void;
  unavailable(message: string): void;
  // The answer to the latest check or stream.
  answered(answer: Answer<"verdict" | "contract_refused" | "context_refused" | "stream_opened" | "certain">): void;
  // The worker has ended while it worked on the latest request; the next request starts another one.
  brokenDown(message: string): void;
  // From the moment a check is wanted until its answer is there.
  busy(busy: boolean): void;
}

// A first check waits this long for more typing; after a slow check the next one waits as long as that one took, and a
// large artifact is not checked more than half of the time.
const debounceMinMs = 60;
const debounceMaxMs = 1500;

export class Checker {
  private worker: Worker | undefined;
  private nextId = 1;
  private latest = 0;
  private wanted: { input: Input; artifact: () => string } | undefined;
  private due = false;
  private running: { id: number; sentAt: number } | undefined;
  private streamId = 0;
  private lastTookMs = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = new Map<number, (told: unknown) => void>();

  constructor(private readonly listener: Listener) {}

  start(): void {
    this.worker?.terminate();
    const worker = startWorker("plumbline");
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(event.data);
    // The worker's own file did not load or did not parse: nothing in it could tell us.
    worker.onerror = (event) => {
      event.preventDefault();
      this.listener.unavailable(event.message || t.workerNotStarted);
    };
    this.worker = worker;
    this.running = undefined;
    this.tellBusy();
  }

  // Wants a check of what `artifact` gives when the time has come. Whatever was wanted before is forgotten.
  check(input: Input, artifact: () => string, now = false): void {
    this.dropStream();
    this.latest = 0;
    this.wanted = { input, artifact };
    this.due = false;
    this.tellBusy();
    clearTimeout(this.timer);
    const wait = Math.min(Math.max(debounceMinMs, this.lastTookMs), debounceMaxMs);
    this.timer = setTimeout(
      () => {
        this.due = true;
        this.sendWanted();
      },
      now ? 0 : wait,
    );
  }

  // Forgets what is wanted; an answer that is under way will be dropped.
  forget(): void {
    this.dropStream();
    clearTimeout(this.timer);
    this.wanted = undefined;
    this.latest = 0;
    this.tellBusy();
  }

  // Ends a check that takes too long, together with its worker.
  stop(): void {
    this.forget();
    this.start();
  }

  openStream(input: Input): void {
    this.forget();
    this.streamId = this.latest = this.nextId++;
    this.send({ kind: "stream_open", id: this.streamId, input });
  }

  push(chunk: string): void {
    if (this.streamId) this.send({ kind: "stream_push", id: this.streamId, chunk });
  }

  endStream(): void {
    if (this.streamId) this.send({ kind: "stream_end", id: this.streamId });
    this.streamId = 0;
  }

  private dropStream(): void {
    if (this.streamId) this.send({ kind: "stream_drop", id: this.streamId });
    this.streamId = 0;
  }

  // Something beside the checks; null when it cannot be had.
  ask<What extends keyof Asks>(what: What, ask: Asks[What]["ask"]): Promise<Asks[What]["told"] | null> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.asked.set(id, (told) => resolve(told as Asks[What]["told"] | null));
      this.send({ kind: "ask", id, ask: { what, ...ask } as Ask });
    });
  }

  private send(request: ToWorker): void {
    this.worker?.postMessage(request);
  }

  private sendWanted(): void {
    if (!this.wanted || !this.due || this.running) return;
    const { input, artifact } = this.wanted;
    this.wanted = undefined;
    this.latest = this.nextId++;
    this.running = { id: this.latest, sentAt: performance.now() };
    this.tellBusy();
    this.send({ kind: "check", id: this.latest, input, artifact: artifact() });
  }

  private receive(answer: FromWorker): void {
    switch (answer.kind) {
      case "ready":
        this.listener.ready(answer);
        return;
      case "unavailable":
        this.listener.unavailable(answer.message);
        return;
      case "told":
        this.settle(answer.id, answer.told);
        return;
      default:
        break;
    }
    if (this.running?.id === answer.id) {
      this.lastTookMs = performance.now() - this.running.sentAt;
      this.running = undefined;
    }
    if (answer.kind === "broken_down") {
      const wasLatest = answer.id === this.latest || answer.id === 0;
      for (const id of [...this.asked.keys()]) this.settle(id, null);
      this.start();
      if (wasLatest) this.listener.brokenDown(answer.message);
    } else if (answer.id === this.latest) {
      this.listener.answered(answer);
    }
    this.sendWanted();
    this.tellBusy();
  }

  private tellBusy(): void {
    this.listener.busy(this.wanted !== undefined || this.running !== undefined);
  }

  private settle(id: number, told: unknown): void {
    this.asked.get(id)?.(told);
    this.asked.delete(id);
  }
}
