// Plays a text as a model writes it, piece after piece at a chosen pace. It knows the time and nothing of checks: `feed`
// is given each part, and the next one waits until `fed` says that it has been taken in.
import { begunAt, tokensOf, type Pieces, type PieceUnit } from "./tokens";

export interface Pace {
  // Pieces a second; 0 is as fast as it goes.
  rate: number;
  unit: PieceUnit;
}

const tickMs = 33;
// At full speed a text of any length is there after about this many ticks: fast, and still to be followed.
const fullSpeedTicks = 80;
// A page that was asleep does not make up for the time.
const catchUpMaxMs = 250;
// Steps asked for while the last one is being taken in.
const stepsOwedMax = 50;

export class Player {
  private text = "";
  private pieces: Pieces = tokensOf("");
  private at = 0;
  private pace: Pace = { rate: 50, unit: "tokens" };
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tickedAt = 0;
  private owed = 0;
  private waiting = true;
  private running = false;
  private stepsOwed = 0;

  constructor(
    // The next part of the text; `to` is how much has then been fed.
    private readonly feed: (part: string, to: number) => void,
    // Everything has been fed and taken in.
    private readonly ended: () => void,
  ) {}

  // From the beginning, in the pieces that the pace counts. Nothing is fed until `fed` is called for the first time: the
  // receiver is ready.
  load(text: string, pieces: Pieces): void {
    this.stop();
    this.text = text;
    this.pieces = pieces;
    this.at = 0;
    this.owed = 0;
    this.waiting = true;
  }

  // `pieces` where the unit is another one.
  setPace(pace: Pace, pieces = this.pieces): void {
    this.pace = pace;
    this.pieces = pieces;
  }

  play(): void {
    if (this.running) return;
    this.running = true;
    this.tickedAt = performance.now();
    this.tick();
  }

  pause(): void {
    this.running = false;
    this.stepsOwed = 0;
    clearTimeout(this.timer);
  }

  // One piece more; the end, when there is none.
  step(): void {
    this.running = false;
    clearTimeout(this.timer);
    if (this.waiting) this.stepsOwed = Math.min(this.stepsOwed + 1, stepsOwedMax);
    else this.give(1);
  }

  stop(): void {
    this.pause();
    this.waiting = true;
  }

  fed(): void {
    this.waiting = false;
    if (this.at === this.text.length) {
      this.stop();
      this.ended();
    } else if (this.stepsOwed > 0) {
      --this.stepsOwed;
      this.give(1);
    }
  }

  private tick(): void {
    clearTimeout(this.timer);
    if (!this.running) return;
    const now = performance.now();
    const { rate } = this.pace;
    if (rate === 0) this.owed = Math.max(8, Math.ceil(this.pieces.count / fullSpeedTicks));
    else this.owed += (Math.min(now - this.tickedAt, catchUpMaxMs) * rate) / 1000;
    this.tickedAt = now;
    if (!this.waiting && this.owed >= 1) {
      const count = Math.floor(this.owed);
      this.owed -= count;
      this.give(count);
    }
    this.timer = setTimeout(() => this.tick(), tickMs);
  }

  private give(count: number): void {
    const { ends } = this.pieces;
    // The piece under way, when the text was cut otherwise before, is finished first.
    const done = this.at === 0 ? 0 : begunAt(ends, this.at);
    const last = Math.min(done + count, ends.length) - 1;
    const from = this.at;
    const to = last < 0 ? this.text.length : Math.max(ends[last] ?? this.text.length, from);
    this.at = to;
    this.waiting = true;
    this.feed(this.text.slice(from, to), to);
  }
}
