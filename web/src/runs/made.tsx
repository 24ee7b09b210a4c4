// An artifact as what it is: a quiz as questions, flashcards as cards, a mindmap as a tree; and ways to take it along.
import { useSignal } from "@preact/signals";

import type { ExportFormat } from "@plumbline/plumbline";

import { Icon } from "../panes/icons";
import { Menu } from "../panes/menu";
import { downloadAs, openInCheck } from "../studio";
import { runs as t } from "../strings";

type Stored = Record<string, unknown>;
const record = (value: unknown): Stored => (value !== null && typeof value === "object" ? (value as Stored) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));

const itemsMax = 500;
const depthMax = 40;

// What of a type can be shown, and how its items read as plain text.
interface Shown {
  title: string;
  items: (value: unknown) => unknown[];
  plain: (item: unknown, index: number) => string;
}

function plainTree(node: unknown, depth = 0): string {
  const { label, children } = record(node);
  const below = depth < depthMax ? list(children).map((child) => plainTree(child, depth + 1)) : [];
  return [`${"  ".repeat(depth)}- ${text(label)}`, ...below].join("\n");
}

const letter = (index: number): string => String.fromCharCode(97 + (index % 26));

export const shownTypes: Readonly<Record<string, Shown>> = {
  quiz: {
    title: t.quiz,
    items: (value) => list(record(value).questions),
    plain: (item, index) => {
      const { question, options, correct_answer, explanation } = record(item);
      const answers = list(options).map((one, i) => `   ${letter(i)}) ${text(one)}`);
      const right = list(options).findIndex((one) => one === correct_answer);
      const answer = right < 0 ? text(correct_answer) : `${letter(right)}) ${text(correct_answer)}`;
      return [
        `${index + 1}. ${text(question)}`,
        ...answers,
        t.answerIs(answer),
        ...(explanation ? [`   ${text(explanation)}`] : []),
      ].join("\n");
    },
  },
  flashcards: {
    title: t.cards,
    items: (value) => list(record(value).flashcards),
    plain: (item) => `${text(record(item).front)}\t${text(record(item).back).replace(/\s+/g, " ")}`,
  },
  mindmap: {
    title: t.map,
    items: (value) => (record(value).root === undefined ? [] : [record(value).root]),
    plain: (item) => plainTree(item),
  },
};

// The value where it can be shown as its type; else null.
export function readMade(type: string, artifact: string): unknown {
  try {
    const value: unknown = JSON.parse(artifact);
    return (shownTypes[type]?.items(value).length ?? 0) > 0 ? value : null;
  } catch {
    return null;
  }
}

function Question({ item, index }: { item: unknown; index: number }) {
  const { question, options, correct_answer, explanation } = record(item);
  const known = list(options).includes(correct_answer);
  return (
    <li>
      <p class="quiz-question">
        <span class="quiz-number">{index + 1}</span>
        {text(question)}
      </p>
      <ul class="quiz-options">
        {list(options).map((one, i) => {
          const right = one === correct_answer;
          return (
            <li key={i} class={right ? "is-right" : ""}>
              <span class="quiz-mark" aria-hidden="true">
                {right ? <Icon name="check" /> : null}
              </span>
              {text(one)}
              {right && <span class="visually-hidden"> {t.correct}</span>}
            </li>
          );
        })}
      </ul>
      {!known && correct_answer !== undefined && <p class="quiz-odd">{t.answerNotOption(text(correct_answer))}</p>}
      {explanation ? <p class="quiz-why">{text(explanation)}</p> : null}
    </li>
  );
}

function Branch({ node, depth }: { node: unknown; depth: number }) {
  const { label, children } = record(node);
  const below = depth < depthMax ? list(children).slice(0, itemsMax) : [];
  return (
    <li>
      <span class="map-label">{text(label)}</span>
      {below.length > 0 && (
        <ul>
          {below.map((one, i) => (
            <Branch key={i} node={one} depth={depth + 1} />
          ))}
        </ul>
      )}
    </li>
  );
}

export function MadeView({ type, value }: { type: string; value: unknown }) {
  const all = shownTypes[type]?.items(value) ?? [];
  const items = all.slice(0, itemsMax);
  const more = all.length > items.length && <p class="hint">{t.andMore(all.length - items.length)}</p>;
  if (type === "quiz") {
    return (
      <>
        <ol class="quiz" aria-label={t.questions}>
          {items.map((item, index) => (
            <Question key={index} item={item} index={index} />
          ))}
        </ol>
        {more}
      </>
    );
  }
  if (type === "flashcards") {
    return (
      <>
        <ul class="cards" aria-label={t.cards}>
          {items.map((item, index) => (
            <li key={index}>
              <p class="card-front">{text(record(item).front)}</p>
              <p class="card-back">{text(record(item).back)}</p>
            </li>
          ))}
        </ul>
        {more}
      </>
    );
  }
  return (
    <ul class="map" aria-label={t.map}>
      {items.map((item, index) => (
        <Branch key={index} node={item} depth={0} />
      ))}
    </ul>
  );
}

function Copy({ title, of }: { title: string; of: () => string }) {
  const told = useSignal("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(of());
      told.value = t.copied;
    } catch {
      told.value = t.notCopied;
    }
    setTimeout(() => (told.value = ""), 1800);
  };
  return (
    <button type="button" class="button small" onClick={() => void copy()}>
      <Icon name={told.value === "Copied" ? "check" : "copy"} />
      <span aria-live="polite">{told.value || title}</span>
    </button>
  );
}

const formatsOf: Readonly<Record<string, readonly (readonly [ExportFormat, string])[]>> = {
  quiz: [["gift", t.exportGift], ["moodle-xml", t.exportMoodleXml]],
  flashcards: [["anki", t.exportAnki], ["csv", t.exportCsv]],
  mindmap: [["opml", t.exportOpml], ["freemind", t.exportFreemind]],
};

function DownloadAs({ type, artifact, run }: { type: string; artifact: string; run: object }) {
  const problem = useSignal("");
  const formats = [...(formatsOf[type] ?? []), ["review", t.exportReview] as const];
  return (
    <>
      <Menu id="download-as" title={t.downloadAs} icon="save" small>
        {formats.map(([format, title]) => (
          <button
            key={format}
            type="button"
            onClick={() => void downloadAs(type, artifact, format, run).then((why) => (problem.value = why))}
          >
            {title}
          </button>
        ))}
      </Menu>
      <span class="hint" aria-live="polite">
        {problem.value}
      </span>
    </>
  );
}

interface Taken {
  type: string;
  value: unknown;
  artifact: string;
  run: object | null; // the view of the run that accepted this artifact
}

export function TakeAlong({ type, value, artifact, run }: Taken) {
  const shown = shownTypes[type];
  return (
    <div class="take-along">
      {shown && run && <DownloadAs type={type} artifact={artifact} run={run} />}
      {shown && value !== null && <Copy title={t.copy} of={() => shown.items(value).map(shown.plain).join("\n\n")} />}
      <Copy title={t.copyJson} of={() => artifact} />
      {shown && (
        <button
          type="button"
          class="button small"
          title={t.openInCheckAbout}
          onClick={() =>
            openInCheck(
              { contract: { kind: "built_in", name: type }, artifact, context: null },
              t.openedResult,
            )
          }
        >
          <Icon name="to" />
          {t.openInCheck}
        </button>
      )}
    </div>
  );
}
