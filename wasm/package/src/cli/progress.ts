/** A line on standard error while there is much to do: only on a terminal, only after a third of a second. */
import { isatty } from "node:tty";
import { writeAll } from "./terminal.js";

const firstAfterMs = 333;
const againAfterMs = 100;

export class Progress {
  readonly #shown: boolean;
  #next = performance.now() + firstAfterMs;
  #drawn = false;
  #artifacts = 0;

  constructor(
    quiet: boolean,
    private readonly files: number,
  ) {
    this.#shown = !quiet && isatty(2);
  }

  /** Told of each artifact, with the number of files that are done. */
  artifact(filesDone: number): void {
    ++this.#artifacts;
    if (!this.#shown || performance.now() < this.#next) {
      return;
    }
    this.#next = performance.now() + againAfterMs;
    this.#drawn = true;
    writeAll(2, `\r\x1b[K${this.#artifacts} artifacts judged, ${filesDone} of ${this.files} files`);
  }

  /** Takes the line away; to be called before anything else is written. */
  wipe(): void {
    if (this.#drawn) {
      writeAll(2, "\r\x1b[K");
      this.#drawn = false;
    }
  }
}
