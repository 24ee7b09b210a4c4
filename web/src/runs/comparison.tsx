// The open run beside another one, or beside the run that it is a fork of: what each came to, and what differs.
import { signal } from "@preact/signals";
import type { Entry, Tokens } from "@plumbline/plumbline";

import { Words } from "../panes/words";
import { Diff } from "./artifact_versions";
import { ask } from "./engine";
import { callsUpTo, durationText, pretty, tokensText, versionsUpTo } from "./facts";
import { hereRun, hereRuns } from "./here";
import { stateAt, stateWords } from "./run_state";
import { nameOf, typeWord } from "./run_title";
import { journalOf } from "./server";
import { entries, forkedFrom, opened, part, server, snapshot } from "./state";
import { runs as t } from "../strings";

interface Other {
  id: string;
  entries: readonly Entry[];
  tokens: Tokens;
}

export const comparing = signal(false);
const other = signal<Other | null>(null);
const problem = signal("");
let wanted = "";

async function choose(id: string): Promise<void> {
  wanted = id;
  other.value = null;
  problem.value = "";
  if (id === "") return;
  try {
    const here = hereRun(id);
    const told = await ask("look_open", { text: here ? here.lines.join("\n") : await journalOf(id) });
    if (wanted === id) other.value = told;
  } catch (error) {
    if (wanted === id) problem.value = error instanceof Error ? error.message : String(error);
  }
}

// With the run that it is a fork of, where it is one.
export function startComparing(): void {
  comparing.value = !comparing.value;
  part.value = comparing.value ? "compare" : "artifact";
  void choose(comparing.value ? forkedFrom.value : "");
}

interface Choice {
  id: string;
  title: string;
}

function choices(): Choice[] {
  const all = [
    ...hereRuns.value.map(({ id, type, title, at }) => ({ id, type, title, at })),
    ...(server.value ?? []).map(({ id, pipeline, type = pipeline, title = "", created_at }) => ({ id, type, title, at: Date.parse(created_at) })),
  ];
  const known = new Map(all.filter(({ id }) => id !== opened.value?.id).map(({ id, type, title, at }) => [id, { id, title: t.choiceOf(typeWord(type), title || id, new Date(at).toLocaleString("en-GB")) }]));
  const from = forkedFrom.value;
  if (from) known.set(from, { id: from, title: t.originOf(known.get(from)?.title ?? from) });
  return [...known.values()];
}

// What it was given, and what it came to, as texts.
const inputOf = (all: readonly Entry[]): string => pretty((all[0]?.data as { input?: unknown } | undefined)?.input ?? null);
function resultOf(all: readonly Entry[]): string {
  const end = all.at(-1);
  if (end?.kind !== "end") return "";
  return versionsUpTo(all, all.length - 1).at(-1)?.text ?? (end.error ? end.error : pretty(end.data ?? null));
}

function Figures({ sides }: { sides: readonly [Other, Other] }) {
  const titleOf = ({ id, entries: all }: Other): string =>
    nameOf(all[0]?.name ?? "", (all[0]?.data as { input?: unknown } | undefined)?.input).title || id;
  const rows: [string, (of: Other) => string][] = [
    [t.state, ({ entries: all }) => stateWords[stateAt(all.at(-1) ?? null, {})]],
    [t.took, ({ entries: all }) => durationText((all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0))],
    [t.calls, ({ entries: all }) => String(callsUpTo(all, all.length - 1).length)],
    [t.tokens, ({ tokens }) => (tokens.input + tokens.output > 0 ? tokensText(tokens) : t.noTokens)],
    [t.entriesTitle, ({ entries: all }) => String(all.length)],
  ];
  return (
    <div class="compare-figures" tabIndex={0} role="region" aria-label={t.comparedFigures}>
      <table>
        <thead>
          <tr>
            <td />
            {sides.map((side, index) => (
              <th key={side.id} scope="col">
                {index === 0 ? t.theOther : t.thisRun}
                <span class="fact">{titleOf(side)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, of]) => (
            <tr key={title} class={of(sides[0]) === of(sides[1]) ? "" : "differs"}>
              <th scope="row">{title}</th>
              <td>{of(sides[0])}</td>
              <td>{of(sides[1])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Comparison() {
  const all = choices();
  const seen = other.value;
  const own: Other = { id: opened.value?.id ?? "", entries: entries.value, tokens: snapshot.value?.tokens ?? { input: 0, output: 0, saved: 0, estimated: false } as Tokens };
  return (
    <div class="compare">
      <label class="start-field">
        <span>{t.compareWith}</span>
        <span class="select">
          <select value={wanted} onChange={(event) => void choose(event.currentTarget.value)}>
            <option value="">{t.chooseRun}</option>
            {all.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </span>
      </label>
      {all.length === 0 && <p class="hint">{t.nothingToCompare}</p>}
      {problem.value && (
        <p class="notice" role="alert">
          <Words text={problem.value} />
        </p>
      )}
      {seen && (
        <>
          <Figures sides={[seen, own]} />
          <h3>{t.inputTitle}</h3>
          <Diff before={inputOf(seen.entries)} after={inputOf(own.entries)} />
          <h3>{t.resultTitle}</h3>
          <Diff before={resultOf(seen.entries)} after={resultOf(own.entries)} />
        </>
      )}
    </div>
  );
}
