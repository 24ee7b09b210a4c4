// A job is started here: from pasted text or a file, in the page or on its server.
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { Icon } from "../panes/icons";
import { exampleSource } from "./example";
import { busy, server, startHere, startOnServer, type Job } from "./state";

type Kind = "quiz" | "flashcards" | "mindmap";

const kinds: Record<Kind, { title: string; count: string; option: string; initial: number; min: number; max: number }> = {
  quiz: { title: "Quiz", count: "Questions", option: "num_questions", initial: 5, min: 1, max: 20 },
  flashcards: { title: "Flashcards", count: "Cards", option: "num_cards", initial: 8, min: 1, max: 50 },
  mindmap: { title: "Mindmap", count: "Levels", option: "depth", initial: 3, min: 2, max: 5 },
};

const sourceMax = 4 * 1024 * 1024;

const kind = signal<Kind>("quiz");
const count = signal(kinds.quiz.initial);
export const source = signal("");
const where = signal<"page" | "server" | null>(null); // null: the server where there is one
const wrong = signal("");

export async function takeSource(file: File): Promise<void> {
  if (file.size > sourceMax) {
    wrong.value = `${file.name} is larger than 4 MiB, the most that a source may have.`;
    return;
  }
  const bytes = await file.arrayBuffer();
  try {
    source.value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    wrong.value = "";
  } catch {
    wrong.value = `${file.name} is no text in UTF-8. A PDF or another binary file must be made text first.`;
  }
}

export function start(): void {
  if (source.value.trim() === "") {
    wrong.value = "There is no source yet: paste a text, or open a file.";
    return;
  }
  wrong.value = "";
  const { option } = kinds[kind.value];
  const job: Job = { artifact_type: kind.value, content: source.value, options: { [option]: count.value } };
  const chosen = where.value ?? (server.value ? "server" : "page");
  void (chosen === "server" ? startOnServer(job) : startHere(job));
}

export function startExample(): void {
  source.value = exampleSource;
  kind.value = "quiz";
  count.value = 4;
  where.value = "page";
  start();
}

export function StartForm() {
  const field = useRef<HTMLInputElement>(null);
  const chosen = kinds[kind.value];
  const place = where.value ?? (server.value ? "server" : "page");
  return (
    <form
      class="start"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <fieldset class="segments">
        <legend class="visually-hidden">What to make</legend>
        {(Object.keys(kinds) as Kind[]).map((one) => (
          <label key={one} class={one === kind.value ? "on" : ""}>
            <input
              type="radio"
              name="kind"
              value={one}
              checked={one === kind.value}
              onChange={() => {
                kind.value = one;
                count.value = kinds[one].initial;
              }}
            />
            {kinds[one].title}
          </label>
        ))}
      </fieldset>
      <div class="start-source">
        <label for="run-source">Source</label>
        <span class="pane-tools">
          <button type="button" class="button small" onClick={() => field.current?.click()}>
            <Icon name="open" />
            Open
          </button>
          <button type="button" class="button small" onClick={() => (source.value = exampleSource)}>
            Example
          </button>
        </span>
        <input
          ref={field}
          type="file"
          hidden
          aria-label="Open a source"
          accept=".md,.txt,.markdown,text/plain,text/markdown"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (file) void takeSource(file);
          }}
        />
      </div>
      <textarea
        id="run-source"
        value={source.value}
        spellcheck={false}
        placeholder="Paste a chapter, notes, an article&hellip; or drop a file here."
        onInput={(event) => (source.value = event.currentTarget.value)}
      />
      <div class="start-row">
        <label>
          <span>{chosen.count}</span>
          <input
            type="number"
            min={chosen.min}
            max={chosen.max}
            required
            value={count.value}
            onInput={(event) => {
              const number = event.currentTarget.valueAsNumber;
              if (Number.isInteger(number)) count.value = number;
            }}
          />
        </label>
        <label class="start-where">
          <span>Made by</span>
          <span class="select">
            <select
              value={place}
              onChange={(event) => (where.value = event.currentTarget.value as "page" | "server")}
            >
              <option value="page">This page, without a model</option>
              {server.value && <option value="server">The server, with its models</option>}
            </select>
          </span>
        </label>
      </div>
      <p class="hint">
        {place === "page"
          ? "Extracted from the source's own sentences. Nothing leaves this browser."
          : "The source is sent to the server that this page came from."}
      </p>
      {wrong.value && (
        <p class="notice" role="alert">
          {wrong.value}
        </p>
      )}
      <button type="submit" class="button primary start-button" disabled={busy.value !== ""}>
        <Icon name="play" />
        Make {kind.value === "quiz" ? "a quiz" : kind.value === "mindmap" ? "a mindmap" : "flashcards"}
      </button>
    </form>
  );
}
