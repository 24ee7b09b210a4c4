// One list of all runs: those that the server keeps, and those that this page has.
import { signal } from "@preact/signals";

import { Icon } from "../panes/icons";
import { Words } from "../panes/words";
import { presence } from "../presence";
import { tokenWanted, useToken } from "../server_token";
import { address } from "../view";
import { dropHere, goesOnHere, hereRuns, linkToRun, underWay } from "./here";
import { stateOfListed, stateWords, type RunState } from "./run_state";
import { typeWord } from "./run_title";
import type { Outcome, ServerRun } from "./server";
import { lookForServer, moreRuns, noServer, olderRuns, server } from "./state";
import { runList as t } from "../strings";

function when(at: string | number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return today
    ? date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

// What is said beside the state.
const outcomeWords: Partial<Record<Outcome, string>> = {
  accepted_with_warnings: t.withWarnings,
  partial: t.inPart,
  undecided: t.undecided,
  outage: t.noAnswer,
};
const types = ["quiz", "flashcards", "mindmap", "boundary", "research", "discovery", "story", "workflow"];

interface Line {
  id: string;
  here: boolean;
  pipeline: string;
  type: string;
  title: string;
  state: RunState;
  at: number;
  from: string;
  run?: ServerRun;
  less?: boolean;
}

const wantedType = signal("");
const wantedState = signal<RunState | "">("");
const wantedText = signal("");
const wantedDays = signal(0); // 0: whenever

const dayMs = 86_400_000;
const days: readonly (readonly [number, string])[] = [
  [0, t.anyTime],
  [1, t.lastDay],
  [7, t.lastWeek],
  [30, t.lastMonth],
];

// Every word is in its title, its id, its kind or its problem.
function isWanted({ id, type, title, state, at, run }: Line): boolean {
  const text = `${title} ${id} ${type} ${run?.error ?? ""} ${run?.problem ?? ""}`.toLowerCase();
  const words = wantedText.value.toLowerCase().split(/\s+/);
  return (
    (wantedType.value === "" || type === wantedType.value) &&
    (wantedState.value === "" || state === wantedState.value) &&
    (wantedDays.value === 0 || at > Date.now() - wantedDays.value * dayMs) &&
    words.every((word) => text.includes(word))
  );
}

const isSearched = (): boolean => wantedType.value !== "" || wantedState.value !== "" || wantedText.value.trim() !== "" || wantedDays.value !== 0;

function Choice<Value extends string | number>({ label, of, all }: { label: string; of: { value: Value }; all: readonly (readonly [Value, string])[] }) {
  return (
    <label class="select">
      <span class="visually-hidden">{label}</span>
      <select
        value={String(of.value)}
        onChange={(event) => {
          const chosen = all.find(([value]) => String(value) === event.currentTarget.value);
          if (chosen) of.value = chosen[0];
        }}
      >
        {all.map(([value, title]) => (
          <option key={String(value)} value={String(value)}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Search({ known }: { known: readonly string[] }) {
  return (
    <div class="run-search" role="search" aria-label={t.searchRuns}>
      <input
        type="search"
        aria-label={t.searchText}
        placeholder={t.searchText}
        value={wantedText.value}
        onInput={(event) => (wantedText.value = event.currentTarget.value)}
      />
      <Choice label={t.kindWanted} of={wantedType} all={[["", t.allKinds], ...known.map((one) => [one, typeWord(one)] as const)]} />
      <Choice
        label={t.stateWanted}
        of={wantedState}
        all={[["", t.allStates], ...(Object.entries(stateWords) as [RunState, string][])]}
      />
      <Choice label={t.timeWanted} of={wantedDays} all={days} />
    </div>
  );
}

function linesOf(): Line[] {
  const listed = (server.value ?? []).map((run) => ({
    id: run.id,
    here: false,
    pipeline: run.pipeline,
    type: run.type ?? run.pipeline,
    title: run.title ?? "",
    state: stateOfListed(run.state, Boolean(run.problem) || run.asks === true),
    at: Date.parse(run.created_at),
    from: "",
    run,
  }));
  const own = hereRuns.value.map((run) => ({ ...run, state: stateOfListed(run.state, goesOnHere(run.pipeline) && run.id !== underWay.value), here: true, from: run.made ? t.thisPage : t.aFile }));
  return [...own, ...listed].sort((a, b) => (a.here && b.here ? 0 : b.at - a.at));
}

function stateOf({ state, run }: Line): string {
  const more = run?.outcome === "partial" && run.kept ? t.keptOf(run.kept, run.asked ?? 0) : run?.outcome && outcomeWords[run.outcome];
  return [stateWords[state], more].filter(Boolean).join(", ");
}

const isLessThanAll = ({ run, less }: Line): boolean => less === true || (run?.outcome !== undefined && run.outcome in outcomeWords);

// Which run the address names, whatever it is shown as.
const shownRun = (): string => address.value.split("/").slice(1).map(decoded).join("/");

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function Row({ line }: { line: Line }) {
  const { id, here, type, title, run } = line;
  const shown = shownRun();
  const named = here ? `here/${id}` : id;
  const open = shown === named || shown.startsWith(`${named}/`);
  return (
    <li>
      <a
        class={`server-run is-${line.state} ${isLessThanAll(line) ? "is-less" : ""}`}
        href={linkToRun(line.pipeline, id, here)}
        aria-current={open ? "page" : undefined}
        title={title ? `${title}\n${id}` : id}
        data-run={id}
      >
        <span class="run-dot" aria-hidden="true" />
        <span class="run-line-title">{title || id}</span>
        <span class="fact run-line-facts">
          <span class="run-type">{typeWord(type)}</span>
          <span>{stateOf(line)}</span>
          <span>{[when(line.at), line.from].filter(Boolean).join(", ")}</span>
        </span>
        {run?.forked_from && <span class="fact run-waits">{t.forkOf(run.forked_from)}</span>}
        {run?.problem && <span class="run-waits"><Words text={run.problem} /></span>}
      </a>
      {here && line.state !== "running" && (
        <button
          type="button"
          class="button ghost small"
          aria-label={t.removeRun(title || id)}
          title={t.removeFromList}
          onClick={() => dropHere(id)}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

const token = signal("");

// The server refuses this page without one.
function AskToken() {
  if (!tokenWanted.value) return null;
  return (
    <form
      class="ask-token"
      onSubmit={(event) => {
        event.preventDefault();
        useToken(token.value.trim());
        token.value = "";
        void lookForServer();
      }}
    >
      <label>
        {t.tokenOfServer}
        <input type="password" autoComplete="off" value={token.value} onInput={(event) => (token.value = event.currentTarget.value)} />
      </label>
      <button type="submit" class="button small" disabled={token.value.trim() === ""}>
        {t.sendToken}
      </button>
    </form>
  );
}

function ServerWords() {
  if (server.value) return null;
  if (noServer.value === "") return null;
  return (
    <p class="hint server-words">
      {noServer.value === "none" ? (
        <>
          <Words text={t.noRunStore} />
        </>
      ) : (
        noServer.value
      )}
      {presence.value === "unreachable" && (
        <>
          {" "}
          <button type="button" class="link" onClick={() => void lookForServer()}>
            {t.retry}
          </button>
        </>
      )}
    </p>
  );
}

export function RunList() {
  const all = linesOf();
  const known = types.filter((one) => all.some(({ type }) => type === one));
  const lines = all.filter(isWanted);
  return (
    <div class="server-runs">
      {(all.length > 1 || isSearched()) && <Search known={known} />}
      {lines.length === 0 ? (
        <p class="hint run-none">{all.length === 0 ? t.noneYet : t.noneFound}</p>
      ) : (
        <ul aria-label={t.runs}>
          {lines.map((line) => (
            <Row key={`${line.here} ${line.id}`} line={line} />
          ))}
        </ul>
      )}
      {moreRuns.value !== "" && (
        <>
        {isSearched() && <p class="hint run-none">{t.searchedOnly(all.length)}</p>}
        <button type="button" class="button small run-older" onClick={() => void olderRuns()}>
          {t.olderRuns}
        </button>
        </>
      )}
      <ServerWords />
      <AskToken />
    </div>
  );
}
