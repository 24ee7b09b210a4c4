// A new run of whatever kind: an artifact from a text, in the page or on its server; and what only a server does: research,
// a discovery, a story, a workflow.
import { signal } from "@preact/signals";
import { Words } from "../panes/words";
import { useEffect, useRef } from "preact/hooks";

import { refusalOf } from "../file_kind";
import { Icon } from "../panes/icons";
import { address, addressedNames, goToLink, linkTo, view } from "../view";
import { exampleSource } from "./example";
import { about, busy, lookAbout, noServer, server, startHere, startProblem, startThere, type Job } from "./state";
import type { Proxy } from "./messages";
import { readPlan } from "./plan_text";
import { runs as t } from "../strings";

type Made = "quiz" | "flashcards" | "mindmap";
type Told = "boundary" | "research" | "discovery" | "story" | "workflow";
type Kind = Made | Told;

const made: Record<Made, { title: string; of: string; count: string; option: string; initial: number; min: number; max: number }> = {
  quiz: { title: t.quiz, of: t.makeQuiz, count: t.questions, option: "num_questions", initial: 5, min: 1, max: 20 },
  flashcards: { title: t.flashcards, of: t.makeFlashcards, count: t.cards, option: "num_cards", initial: 8, min: 1, max: 50 },
  mindmap: { title: t.mindmap, of: t.makeMindmap, count: t.levels, option: "depth", initial: 3, min: 2, max: 5 },
};
const titles: Record<Kind, [title: string, about: string]> = {
  quiz: [t.quiz, t.quizAbout],
  flashcards: [t.flashcards, t.flashcardsAbout],
  mindmap: [t.mindmap, t.mindmapAbout],
  boundary: [t.boundary, t.boundaryAbout],
  research: [t.research, t.researchAbout],
  discovery: [t.discovery, t.discoveryAbout],
  story: [t.story, t.storyAbout],
  workflow: [t.workflow, t.workflowAbout],
};
const kinds = Object.keys(titles) as Kind[];
const anywhere: readonly Place[] = ["page", "proxy", "server"];
const isMade = (kind: Kind): kind is Made => kind in made;

const sourceMax = 4 * 1024 * 1024;

const counts = signal<Record<Made, number>>({ quiz: 5, flashcards: 8, mindmap: 3 });
export const source = signal("");
type Place = "page" | "proxy" | "server";
const where = signal<Place | null>(null); // null: the server where there is one
// The proxy that a run in the page asks. The token is kept nowhere else.
export const proxy = signal<Proxy>({ url: "", model: "", token: "" });

function placeOf(offered: readonly Place[]): Place {
  const there = offered.filter((one) => one !== "server" || server.value !== null);
  const wished = where.value ?? "server";
  return there.includes(wished) ? wished : (there.includes("server") ? "server" : there[0]!);
}

// What is wrong with the proxy that was named.
export function proxyProblem({ url, model }: Proxy): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return t.noProxyAddress;
  return model.trim() === "" ? t.noProxyModel : "";
}

// Begins it where it was chosen to be made.
function begin(kind: Kind, pipeline: string, place: Place, request: object, path: string, body: object): void {
  if (place === "server") return void startThere(pipeline, path, body);
  const via = enteredProxy();
  if (place === "proxy") wrong.value = proxyProblem(via);
  if (wrong.value === "") void startHere(kind, pipeline, request, place === "proxy" ? via : undefined);
}

const placeTitles: Record<Place, [title: string, about: string]> = {
  page: [t.byPage, t.byPageAbout],
  proxy: [t.byProxy, t.byProxyAbout],
  server: [t.byServer, t.byServerAbout],
};

function ProxyField({ name, label, hidden = false, placeholder = "" }: { name: keyof Proxy; label: string; hidden?: boolean; placeholder?: string }) {
  return (
    <label class="start-field">
      <span>{label}</span>
      <input
        type={hidden ? ("password" as "text") : "text"}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        value={proxy.value[name]}
        onInput={(event) => (proxy.value = { ...proxy.value, [name]: event.currentTarget.value })}
      />
    </label>
  );
}

export function ProxyFields() {
  return (
    <fieldset class="start-proxy">
      <legend class="visually-hidden">{t.proxy}</legend>
      <ProxyField name="url" label={t.proxyAddress} placeholder={t.proxyExample} />
      <ProxyField name="model" label={t.proxyModel} />
      <ProxyField name="token" label={t.proxyToken} hidden />
    </fieldset>
  );
}

// The proxy as it was entered, without what is around.
export const enteredProxy = (): Proxy => ({ url: proxy.value.url.trim(), model: proxy.value.model.trim(), token: proxy.value.token.trim() });

function PlaceField({ offered }: { offered: readonly Place[] }) {
  const place = placeOf(offered);
  return (
    <>
      <label class="start-where start-field">
        <span>{t.madeBy}</span>
        <span class="select">
          <select value={place} onChange={(event) => (where.value = event.currentTarget.value as Place)}>
            {offered
              .filter((one) => one !== "server" || server.value)
              .map((one) => (
                <option key={one} value={one}>
                  {placeTitles[one][0]}
                </option>
              ))}
          </select>
        </span>
      </label>
      {place === "proxy" && <ProxyFields />}
      <p class="hint start-about">
        <Words text={placeTitles[place][1]} />
      </p>
    </>
  );
}
const wrong = signal("");

// The kind that the address names: `#runs/new/story`.
function kindShown(): Kind {
  if (view.value === "research") return "research";
  const [first, kind = ""] = address.value.startsWith("#runs/") ? addressedNames("runs") : [];
  return first === "new" && (kinds as string[]).includes(kind) ? (kind as Kind) : "quiz";
}

async function textOf(file: File): Promise<string | null> {
  if (file.size > sourceMax) {
    wrong.value = t.sourceTooLarge(file.name);
    return null;
  }
  const bytes = await file.arrayBuffer();
  const refusal = refusalOf(file.name, bytes);
  if (refusal) {
    wrong.value = refusal;
    return null;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    wrong.value = "";
    return text;
  } catch {
    wrong.value = t.sourceNotUtf8(file.name);
    return null;
  }
}

export async function takeSource(file: File): Promise<void> {
  const text = await textOf(file);
  if (text === null) return;
  const kind = kindShown();
  if (kind === "story") outline.value = text;
  else if (kind === "workflow") plan.value = text;
  else source.value = text;
}

function start(kind: Made): void {
  if (source.value.trim() === "") {
    wrong.value = t.noSource;
    return;
  }
  wrong.value = "";
  const job: Job = { artifact_type: kind, content: source.value, options: { [made[kind].option]: counts.value[kind] } };
  begin(kind, "artifact", placeOf(anywhere), job, "/ai/artifact/generate", job);
}

function startExample(): void {
  source.value = exampleSource;
  counts.value = { ...counts.value, quiz: 4 };
  where.value = "page";
  start("quiz");
}

function OpenText({ label, accept }: { label: string; accept: string }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button small" onClick={() => field.current?.click()}>
        <Icon name="open" />
        {t.open}
      </button>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) void takeSource(file);
        }}
      />
    </>
  );
}

function Wrong() {
  const said = wrong.value || startProblem.value;
  return said === "" ? null : (
    <p class="notice" role="alert">
      {said}
    </p>
  );
}

function Begin({ children, disabled = false }: { children: string; disabled?: boolean }) {
  return (
    <button type="submit" class="button primary start-button" disabled={disabled || busy.value !== ""}>
      <Icon name="play" />
      {children}
    </button>
  );
}

function MadeForm({ kind }: { kind: Made }) {
  const chosen = made[kind];
  return (
    <form
      class="start"
      onSubmit={(event) => {
        event.preventDefault();
        start(kind);
      }}
    >
      <div class="start-source">
        <label for="run-source">{t.source}</label>
        <span class="pane-tools">
          <OpenText label={t.openSource} accept=".md,.txt,.markdown,text/plain,text/markdown" />
          <button type="button" class="button small" onClick={() => (source.value = exampleSource)}>
            {t.example}
          </button>
        </span>
      </div>
      <textarea
        id="run-source"
        value={source.value}
        spellcheck={false}
        placeholder={t.sourcePlaceholder}
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
            value={counts.value[kind]}
            onInput={(event) => {
              const number = event.currentTarget.valueAsNumber;
              if (Number.isInteger(number)) counts.value = { ...counts.value, [kind]: number };
            }}
          />
        </label>
        <PlaceField offered={anywhere} />
      </div>
      <Wrong />
      <Begin>{chosen.of}</Begin>
    </form>
  );
}

const contract = signal("");
const items = signal("");

// JSON, or one JSON value on each line.
function readItems(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    try {
      return text.split("\n").filter((line) => line.trim() !== "").map((line): unknown => JSON.parse(line));
    } catch {
      return null;
    }
  }
}

function beginBoundary(place: Place): void {
  const list = readItems(items.value);
  try {
    const asked: unknown = JSON.parse(contract.value);
    if (asked === null || typeof asked !== "object" || Array.isArray(asked)) throw new Error();
    if (items.value.trim() === "") wrong.value = t.noItems;
    else if (!list) wrong.value = t.itemsNotList;
    else {
      const request = { contract: asked, items: list };
      begin("boundary", "boundary", place, request, "/v1/runs", { pipeline: "boundary", request });
    }
  } catch {
    wrong.value = contract.value.trim() === "" ? t.noContract : t.contractNotJson;
  }
}

function JsonField({ id, label, of }: { id: string; label: string; of: { value: string } }) {
  return (
    <>
      <div class="start-source">
        <label for={id}>{label}</label>
      </div>
      <textarea id={id} spellcheck={false} value={of.value} onInput={(event) => (of.value = event.currentTarget.value)} />
    </>
  );
}

const question = signal("");
const domain = signal("");
const roots = signal<Record<string, string>>({});
const outline = signal("");
const plan = signal("");
const idea = signal("");
const asIdea = signal(false);
const repository = signal("");

const sources: Record<string, string> = {
  conversations: t.conversations,
  analytics: t.figures,
  repo: t.sourceCode,
  docs: t.documents,
};

// What was chosen; the server's only folder stands at the source whose name it has, else at the first.
function rootOf(name: string): string {
  const all = about.value?.roots ?? [];
  const only = all.length === 1 ? all[0]! : "";
  const home = Object.hasOwn(sources, only) ? only : "conversations";
  return roots.value[name] ?? (name === home ? only : "");
}

// Each form says what it lacks; the server's own words come where it refuses.
interface Form {
  begin: string;
  example: string;
  words: string;
  // Where it can be made; left out: only on a server.
  offered?: readonly Place[];
  body: (place: Place) => void;
  Fields: () => preact.JSX.Element;
}

const forms: Record<Told, Form> = {
  boundary: {
    begin: t.startBoundary,
    example: "",
    words: t.boundaryHint,
    offered: anywhere,
    body: beginBoundary,
    Fields: () => (
      <>
        <JsonField id="run-contract" label={t.itemContract} of={contract} />
        <JsonField id="run-items" label={t.itemsJson} of={items} />
      </>
    ),
  },
  research: {
    begin: t.start,
    example: linkTo("research", "example"),
    words: t.researchHint,
    body: () => {
      if (question.value.trim() === "") wrong.value = t.noQuestion;
      else void startThere("research", "/v1/runs", { pipeline: "research", request: { question: question.value.trim() } });
    },
    Fields: () => (
      <>
        <label class="start-field">
          <span>{t.question}</span>
          <textarea rows={4} value={question.value} onInput={(event) => (question.value = event.currentTarget.value)} />
        </label>
        {about.value && !about.value.searches && (
          <p class="hint">
            <Words text={t.noCorpus} />
          </p>
        )}
      </>
    ),
  },
  discovery: {
    begin: t.startDiscovery,
    example: linkTo("discovery", "example"),
    words: t.discoveryHint,
    body: () => {
      const chosen = Object.fromEntries(Object.keys(sources).map((name) => [name, rootOf(name)]).filter(([, root]) => root !== ""));
      const about = domain.value.trim();
      if (Object.keys(chosen).length === 0) wrong.value = t.noSources;
      else void startThere("discovery", "/api/discovery/runs", { sources: chosen, ...(about && { target_domain: about }) });
    },
    Fields: () => (
      <>
        <label class="start-field">
          <span>{t.domain}</span>
          <input type="text" value={domain.value} onInput={(event) => (domain.value = event.currentTarget.value)} />
        </label>
        <div class="start-sources">
          {Object.entries(sources).map(([name, title]) => (
            <label key={name} class="start-field">
              <span>{title}</span>
              <span class="select">
                <select
                  value={rootOf(name)}
                  onChange={(event) => (roots.value = { ...roots.value, [name]: event.currentTarget.value })}
                >
                  <option value="">{t.none}</option>
                  {about.value?.roots.map((one) => (
                    <option key={one} value={one}>
                      {one}
                    </option>
                  ))}
                </select>
              </span>
            </label>
          ))}
        </div>
        {about.value?.roots.length === 0 && (
          <p class="hint">
            <Words text={t.noFolders} />
          </p>
        )}
      </>
    ),
  },
  story: {
    begin: t.makeStory,
    example: linkTo("story", "example"),
    words: t.storyHint,
    offered: anywhere,
    body: (place) => {
      try {
        const value: unknown = JSON.parse(outline.value);
        begin("story", "story", place, { outline: value }, "/api/story/projects", { outline: value });
      } catch {
        wrong.value = outline.value.trim() === "" ? t.noOutline : t.outlineNotJson;
      }
    },
    Fields: () => (
      <>
        <div class="start-source">
          <label for="run-outline">{t.outlineJson}</label>
          <span class="pane-tools">
            <OpenText label={t.openOutline} accept=".json,application/json" />
          </span>
        </div>
        <textarea
          id="run-outline"
          spellcheck={false}
          value={outline.value}
          onInput={(event) => (outline.value = event.currentTarget.value)}
        />
      </>
    ),
  },
  workflow: {
    begin: t.startWorkflow,
    example: "",
    words: t.workflowHint,
    body: () => {
      const on = repository.value || (about.value?.repositories.length === 1 ? about.value.repositories[0] : "");
      const named = on ? { repository: on } : {};
      if (asIdea.value) {
        if (idea.value.trim() === "") wrong.value = t.noIdea;
        else void startThere("workflow", "/api/workflow/plans", { idea: idea.value.trim(), ...named });
        return;
      }
      const read = readPlan(plan.value);
      if ("problem" in read) wrong.value = read.problem;
      else void startThere("workflow", "/api/workflow/runs", { plan: read.plan, ...named });
    },
    Fields: () => (
      <>
        <label class="start-field">
          <span>{t.repository}</span>
          <span class="select">
            <select value={repository.value} onChange={(event) => (repository.value = event.currentTarget.value)}>
              {about.value?.repositories.length !== 1 && <option value="">{t.chooseOne}</option>}
              {about.value?.repositories.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </span>
        </label>
        <fieldset class="segments of-two">
          <legend class="visually-hidden">{t.startFrom}</legend>
          {[false, true].map((one) => (
            <label key={String(one)} class={asIdea.value === one ? "on" : ""}>
              <input type="radio" name="plan-kind" checked={asIdea.value === one} onChange={() => (asIdea.value = one)} />
              {one ? t.fromIdea : t.fromPlan}
            </label>
          ))}
        </fieldset>
        {asIdea.value ? (
          <textarea
            rows={4}
            aria-label={t.idea}
            value={idea.value}
            onInput={(event) => (idea.value = event.currentTarget.value)}
          />
        ) : (
          <>
            <div class="start-source">
              <label for="run-plan">{t.planJson}</label>
              <span class="pane-tools">
                <OpenText label={t.openPlan} accept=".json,application/json" />
              </span>
            </div>
            <textarea
              id="run-plan"
              spellcheck={false}
              value={plan.value}
              onInput={(event) => (plan.value = event.currentTarget.value)}
            />
          </>
        )}
        {about.value?.repositories.length === 0 && (
          <p class="hint">
            <Words text={t.noRepository} />
          </p>
        )}
      </>
    ),
  },
};

function Told({ kind }: { kind: Told }) {
  const { begin, example, words, offered, body, Fields } = forms[kind];
  const there = offered !== undefined || server.value !== null;
  return (
    <form
      class="start"
      onSubmit={(event) => {
        event.preventDefault();
        wrong.value = "";
        body(placeOf(offered ?? ["server"]));
      }}
    >
      {there ? (
        <>
          <Fields />
          {offered && <PlaceField offered={offered} />}
          <p class="hint">
            <Words text={words} />
          </p>
          <Wrong />
        </>
      ) : (
        <p class="hint start-absent">
          {noServer.value === "none" || noServer.value === "" ? (
            <>
              <Words text={t.needsServer} />
            </>
          ) : (
            noServer.value
          )}
        </p>
      )}
      <div class="start-acts">
        {there && <Begin>{begin}</Begin>}
        {example && (
          <a class="button" href={example}>
            <Icon name="play" />
            {t.seeExample}
          </a>
        )}
      </div>
    </form>
  );
}

export function NewRun() {
  const kind = kindShown();
  // When it is left; who comes back from a run that could not be begun is told why.
  useEffect(
    () => () => {
      wrong.value = "";
      startProblem.value = "";
    },
    [kind],
  );
  useEffect(() => void lookAbout(), [server.value === null]);
  return (
    <div class="welcome">
      <h2>{t.newRun}</h2>
      <p class="welcome-words">
        {t.newRunAbout}
      </p>
      <fieldset class="kinds">
        <legend class="visually-hidden">{t.whatToStart}</legend>
        {kinds.map((one) => (
          <label key={one} class={one === kind ? "on" : ""}>
            <input
              type="radio"
              name="kind"
              value={one}
              checked={one === kind}
              onChange={() => goToLink(linkTo("runs", "new", one))}
            />
            <span class="kind-title">{titles[one][0]}</span>
            <span class="kind-about">{titles[one][1]}</span>
          </label>
        ))}
      </fieldset>
      {isMade(kind) ? <MadeForm kind={kind} /> : <Told kind={kind} />}
      {kind === "quiz" && (
        <p class="welcome-acts">
          <button type="button" class="button" onClick={startExample}>
            <Icon name="play" />
            {t.quizFromText}
          </button>
          <span class="hint">{t.dropJournalToo}</span>
        </p>
      )}
    </div>
  );
}
