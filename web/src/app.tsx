import { signal, useComputed, useSignalEffect } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { layout } from "./layout";
import { ArtifactPane } from "./panes/artifact_pane";
import { ContractPane } from "./panes/contract_pane";
import { keepOffline } from "./offline";
import { CheckBar } from "./panes/check_bar";
import { HistoryDialog } from "./panes/history_dialog";
import { Icon, SeverityIcon } from "./panes/icons";
import { ShareDialog } from "./panes/share_dialog";
import { Splitter, columns } from "./panes/splitter";
import { Toasts } from "./panes/toasts";
import { Help, helpOpen, Top } from "./panes/top";
import { VerdictPane } from "./panes/verdict_pane";
import { askPresence } from "./presence";
import {
  activeFinding,
  choosePreset,
  counts,
  decision,
  goTo,
  keepNow,
  nextProblem,
  openFromAddress,
  outcome,
  pane,
  playOrPause,
  resume,
  showRuleOf,
  shown,
  start,
  stepStream,
  summary,
  contractOpen,
  showPane,
} from "./studio";
import { streaming } from "./streaming";
import { placeOf, view, type View } from "./view";
import { checking, page as t } from "./strings";

const tabs = ["artifact", "verdict"] as const;
const paneTitles = { artifact: t.artifact, verdict: t.verdict };

// Where there is room for one pane, tabs choose it; the contract, in its drawer, lies over both.
function Tabs() {
  const bar = useRef<HTMLDivElement>(null);
  if (layout.value !== "one" || contractOpen.value) return null;
  const chosen = pane.value;
  const move = (event: KeyboardEvent) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    const next = chosen === "artifact" ? "verdict" : "artifact";
    pane.value = next;
    bar.current?.querySelector<HTMLElement>(`#${next}-tab`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={t.panes} ref={bar} onKeyDown={move}>
      {tabs.map((one) => (
        <button
          key={one}
          id={`${one}-tab`}
          type="button"
          role="tab"
          aria-selected={chosen === one}
          aria-controls={`${one}-pane`}
          tabIndex={chosen === one ? 0 : -1}
          onClick={() => (pane.value = one)}
        >
          {paneTitles[one]}
          {one === "verdict" && shown.value.length > 0 && (
            <span class={`count ${counts.value.error > 0 ? "bad" : ""}`}>
              {shown.value.length.toLocaleString("en")}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}

// At the foot of a small screen: the verdict in a line, or the problem that was come to, and the way to the next one.
function SummaryBar() {
  if (layout.value !== "one" || view.value !== "studio") return null;
  const active = pane.value === "artifact" ? activeFinding.value : null;
  const many = shown.value.length > 0;
  return (
    <footer class={`summary tone-${decision.value ?? "plain"}`}>
      <button type="button" class="summary-text" onClick={() => showPane("verdict")}>
        {active ? (
          <>
            <SeverityIcon severity={active.severity} />
            <span>{active.message ?? active.rule}</span>
          </>
        ) : (
          <span>{summary.value}</span>
        )}
      </button>
      <button
        type="button"
        class="button ghost"
        aria-label={t.previousProblem}
        disabled={!many}
        onClick={() => nextProblem(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="button ghost"
        aria-label={t.nextProblem}
        disabled={!many}
        onClick={() => nextProblem(1)}
      >
        <Icon name="down" />
      </button>
    </footer>
  );
}

function onKey(event: KeyboardEvent): void {
  if (view.value !== "studio" && event.key !== "?") return;
  if (event.key === "F8" && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    nextProblem(event.shiftKey ? -1 : 1);
    return;
  }
  if (event.key === "F9" && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    if (event.shiftKey) stepStream();
    else playOrPause();
    return;
  }
  const target = event.target as HTMLElement;
  if (event.key === "?" && !target.closest(".cm-editor, input, select, textarea")) {
    event.preventDefault();
    helpOpen.value = true;
  }
}

const runsView = () => import("./runs/runs_view").then((loaded) => loaded.RunsView);

// The other views are loaded when they are first looked at; what a run is shown as lies beside the list of runs.
const loaders: Record<Exclude<View, "studio">, () => Promise<ComponentType>> = {
  runs: runsView,
  research: runsView,
  discovery: runsView,
  story: runsView,
  server: () => import("./proxy/server_view").then((loaded) => loaded.ServerView),
  budget: () => import("./budget/budget_view").then((loaded) => loaded.BudgetView),
  intake: () => import("./roles/intake_view").then((loaded) => loaded.IntakeView),
};
const loadedViews = signal<Partial<Record<View, ComponentType>>>({});
const runsPlace = signal<ComponentType<{ children: ComponentChildren }> | null>(null);
const viewProblem = signal("");

async function loadView(wanted: Exclude<View, "studio">): Promise<void> {
  viewProblem.value = "";
  try {
    const [loaded, place] = await Promise.all([
      loaders[wanted](),
      placeOf[wanted] === "runs" ? import("./runs/runs_place").then((one) => one.RunsPlace) : null,
    ]);
    if (place) runsPlace.value = place;
    loadedViews.value = { ...loadedViews.value, [wanted]: loaded };
  } catch {
    viewProblem.value = t.viewNotLoaded;
  }
}

function Other({ wanted }: { wanted: Exclude<View, "studio"> }) {
  useEffect(() => {
    if (!loadedViews.value[wanted]) void loadView(wanted);
  }, [wanted]);
  const Shown = loadedViews.value[wanted];
  const coming = viewProblem.value && <p class="notice">{viewProblem.value}</p>;
  const Place = placeOf[wanted] === "runs" ? runsPlace.value : null;
  if (Place) return <Place>{Shown ? <Shown /> : coming}</Place>;
  return Shown ? <Shown /> : <main class="runs-coming">{coming}</main>;
}

// What a missed drop would do: the browser would leave the page for the file.
function swallow(event: DragEvent): void {
  event.preventDefault();
}

// A status that changes with every key would never be heard to its end: it speaks when things have settled, and while a
// stream plays only at its start and end.
const spoken = signal("");
let speakTimer: ReturnType<typeof setTimeout> | undefined;

export function App() {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    document.addEventListener("dragover", swallow);
    document.addEventListener("drop", swallow);
    addEventListener("hashchange", () => view.value === "studio" && void openFromAddress());
    addEventListener("pagehide", keepNow);
    choosePreset("quiz-faulty");
    start();
    resume();
    void openFromAddress();
  }, []);
  // What the page keeps for later must not be in the way of its first verdict.
  const begun = useComputed(() => outcome.value.kind !== "loading" || view.value !== "studio");
  useSignalEffect(() => {
    if (!begun.value) return;
    void keepOffline();
    void askPresence();
  });
  useSignalEffect(() => {
    const stop = streaming.value?.stop;
    const text =
      outcome.value.kind !== "streaming"
        ? summary.value
        : stop
          ? `${t.streaming}: ${checking.couldStopAt(stop.bytes)}`
          : t.streaming;
    clearTimeout(speakTimer);
    speakTimer = setTimeout(() => (spoken.value = text), 700);
  });
  useSignalEffect(() => {
    showRuleOf(activeFinding.value);
  });
  useSignalEffect(() => {
    if (view.value !== "studio") return;
    document.title = outcome.value.kind === "verdict" ? t.titleOf(summary.value) : t.product;
  });
  useSignalEffect(() => {
    document.documentElement.dataset.layout = layout.value;
  });
  return (
    <>
      <nav class="skips" aria-label={t.skip} hidden={view.value !== "studio"}>
        {(["artifact", "verdict"] as const).map((to) => (
          <a
            key={to}
            href={`#${to}-pane`}
            onClick={(event) => {
              event.preventDefault();
              goTo(to, () => document.getElementById(`${to}-pane`)?.focus());
            }}
          >
            {t.skipTo[to]}
          </a>
        ))}
      </nav>
      <Top />
      <main
        class={`checking ${contractOpen.value ? "with-contract" : ""}`}
        hidden={view.value !== "studio"}
        style={{ "--contract-share": columns.value.contract, "--verdict-share": columns.value.verdict }}
      >
        <CheckBar />
        <Tabs />
        <ContractPane />
        {contractOpen.value && <Splitter edge="contract" />}
        <ArtifactPane />
        <Splitter edge="verdict" />
        <VerdictPane />
      </main>
      {view.value !== "studio" && <Other key={placeOf[view.value]} wanted={view.value} />}
      <SummaryBar />
      <div role="status" class="visually-hidden">
        {spoken.value}
      </div>
      <Toasts />
      <Help />
      <ShareDialog />
      <HistoryDialog />
    </>
  );
}
