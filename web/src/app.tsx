import { signal, useComputed, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { layout } from "./layout";
import { ArtifactPane } from "./panes/artifact_pane";
import { ContractPane } from "./panes/contract_pane";
import { keepOffline } from "./offline";
import { Dialog } from "./panes/dialog";
import { HistoryDialog, historyOpen } from "./panes/history_dialog";
import { Brand, Icon, SeverityIcon } from "./panes/icons";
import { ShareDialog, shareOpen } from "./panes/share_dialog";
import { Splitter, columns } from "./panes/splitter";
import { Toasts } from "./panes/toasts";
import { VerdictPane } from "./panes/verdict_pane";
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
  version,
  type Pane,
} from "./studio";
import { streaming } from "./streaming";
import { theme, toggleTheme } from "./theme";
import { show, view, type View } from "./view";

const helpOpen = signal(false);

const keys: [string, string][] = [
  ["F8", "Next problem"],
  ["Shift F8", "Previous problem"],
  ["F9", "Stream the artifact; pause, and go on"],
  ["Shift F9", "Stream one token more"],
  ["Arrow keys", "From problem to problem in the list; about the tree"],
  ["Enter", "Go to the place of the problem"],
  ["Ctrl F", "Search in an editor"],
  ["Tab", "Leave an editor: it never keeps the focus"],
  ["Escape", "Close a card or the search"],
  ["Left Right", "In Runs: one entry back or forward; with Shift one line of the log"],
  ["Home End", "In Runs: to the first and the last entry"],
  ["Up Down", "In Discovery: through the list; with Alt the opportunity itself while the order is changed"],
  ["Left Right", "In Budget: the part or the window that has the focus; with Shift finer"],
  ["?", "This list, outside the editors"],
];

function Help() {
  return (
    <Dialog open={helpOpen} title="Keyboard" class="help">
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        Everything stays in this browser: artifacts, contracts and context are never sent anywhere. Only a job that you
        give to the server goes there.
        {version.value && ` Plumbline ${version.value}.`}
      </p>
    </Dialog>
  );
}

const views: Record<View, string> = {
  studio: "Studio",
  runs: "Runs",
  research: "Research",
  discovery: "Discovery",
  proxy: "Proxy",
  budget: "Budget",
  story: "Story",
  intake: "Intake",
  roles: "Roles",
};
const taglines: Record<View, string> = {
  studio: "Does it keep its contract?",
  runs: "What has it asked, and what came back?",
  research: "What is known, and from where?",
  discovery: "What is worth building, and why?",
  proxy: "Who calls, and at what cost?",
  budget: "Does it fit, and what is cut?",
  story: "Can it be read to an end?",
  intake: "Is it clear what is asked?",
  roles: "Does it pass its gates?",
};

// How far a row must be scrolled to the right for a part of it to be seen whole. The row is scrolled by itself, not with
// scrollIntoView(): in some versions of Chromium that makes the part the place where Tab goes on from, behind the skip links.
function beyond(row: DOMRect, part: DOMRect): number {
  return Math.min(0, part.left - row.left) + Math.max(0, part.right - row.right);
}

function Top() {
  const next = theme.value === "dark" ? "light" : "dark";
  const chosen = useRef<HTMLElement>(null);
  useSignalEffect(() => {
    if (!view.value) return;
    requestAnimationFrame(() => {
      const row = chosen.current;
      const button = row?.querySelector<HTMLElement>("[aria-current]");
      if (row && button) row.scrollLeft += beyond(row.getBoundingClientRect(), button.getBoundingClientRect());
    });
  });
  return (
    <header class="top">
      <h1 class="brand">
        <Brand />
        <span>Plumbline</span>
      </h1>
      <nav class="views" aria-label="Views" ref={chosen}>
        {(Object.keys(views) as View[]).map((one) => (
          <button
            key={one}
            type="button"
            aria-current={view.value === one ? "page" : undefined}
            onClick={() => show(one)}
          >
            {views[one]}
          </button>
        ))}
      </nav>
      <p class="tagline">{taglines[view.value]}</p>
      <div class="top-tools">
        {view.value === "studio" && (
          <>
            <button
              type="button"
              class="button ghost"
              aria-label="Share"
              title="Take it elsewhere: link, command, code"
              onClick={() => (shareOpen.value = true)}
            >
              <Icon name="link" />
              <span class="wide-only">Share</span>
            </button>
            <button
              type="button"
              class="button ghost"
              aria-label="History"
              title="History"
              onClick={() => (historyOpen.value = true)}
            >
              <Icon name="history" />
            </button>
          </>
        )}
        <button
          type="button"
          class="button ghost keys-button"
          aria-label="Keyboard"
          title="Keyboard"
          onClick={() => (helpOpen.value = true)}
        >
          <Icon name="keys" />
        </button>
        <button
          type="button"
          class="button ghost"
          aria-label={`Use the ${next} theme`}
          title={`Use the ${next} theme`}
          onClick={toggleTheme}
        >
          <Icon name={theme.value === "dark" ? "sun" : "moon"} />
        </button>
      </div>
    </header>
  );
}

const paneTitles: Record<Pane, string> = { contract: "Contract", artifact: "Artifact", verdict: "Verdict" };

function Tabs() {
  const bar = useRef<HTMLDivElement>(null);
  if (layout.value === "three") return null;
  const panes: Pane[] = layout.value === "two" ? ["contract", "artifact"] : ["contract", "artifact", "verdict"];
  const chosen: Pane = layout.value === "two" && pane.value === "verdict" ? "artifact" : pane.value;
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = panes[(panes.indexOf(chosen) + step + panes.length) % panes.length] ?? chosen;
    pane.value = next;
    bar.current?.querySelector<HTMLElement>(`#${next}-tab`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Panes" ref={bar} onKeyDown={move}>
      {panes.map((one) => (
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
      <button type="button" class="summary-text" onClick={() => (pane.value = "verdict")}>
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
        aria-label="Previous problem"
        disabled={!many}
        onClick={() => nextProblem(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="button ghost"
        aria-label="Next problem"
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

// The other views are loaded when they are first looked at.
const loaders: Record<Exclude<View, "studio">, () => Promise<ComponentType>> = {
  runs: () => import("./runs/runs_view").then((loaded) => loaded.RunsView),
  research: () => import("./research/research_view").then((loaded) => loaded.ResearchView),
  discovery: () => import("./discovery/discovery_view").then((loaded) => loaded.DiscoveryView),
  proxy: () => import("./proxy/proxy_view").then((loaded) => loaded.ProxyView),
  budget: () => import("./budget/budget_view").then((loaded) => loaded.BudgetView),
  story: () => import("./story/story_view").then((loaded) => loaded.StoryView),
  intake: () => import("./roles/intake_view").then((loaded) => loaded.IntakeView),
  roles: () => import("./roles/roles_view").then((loaded) => loaded.RolesView),
};
const loadedViews = signal<Partial<Record<View, ComponentType>>>({});
const viewProblem = signal("");

function Other({ wanted }: { wanted: Exclude<View, "studio"> }) {
  useEffect(() => {
    if (loadedViews.value[wanted]) return;
    viewProblem.value = "";
    loaders[wanted]().then(
      (loaded) => (loadedViews.value = { ...loadedViews.value, [wanted]: loaded }),
      () => (viewProblem.value = `The view of ${wanted === "proxy" ? "the proxy" : wanted} could not be loaded. Is the server of this page still there?`),
    );
  }, [wanted]);
  const Shown = loadedViews.value[wanted];
  if (Shown) return <Shown />;
  return <main class="runs-coming">{viewProblem.value && <p class="notice">{viewProblem.value}</p>}</main>;
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
    if (begun.value) void keepOffline();
  });
  useSignalEffect(() => {
    const stop = streaming.value?.stop;
    const text =
      outcome.value.kind !== "streaming"
        ? summary.value
        : stop
          ? `Streaming: would have been stopped after byte ${stop.bytes}`
          : "Streaming";
    clearTimeout(speakTimer);
    speakTimer = setTimeout(() => (spoken.value = text), 700);
  });
  useSignalEffect(() => {
    showRuleOf(activeFinding.value);
  });
  useSignalEffect(() => {
    if (view.value !== "studio") return;
    document.title = outcome.value.kind === "verdict" ? `${summary.value} – Plumbline` : "Plumbline";
  });
  useSignalEffect(() => {
    document.documentElement.dataset.layout = layout.value;
  });
  return (
    <>
      <nav class="skips" aria-label="Skip" hidden={view.value !== "studio"}>
        {(["artifact", "verdict"] as const).map((to) => (
          <a
            key={to}
            href={`#${to}-pane`}
            onClick={(event) => {
              event.preventDefault();
              goTo(to, () => document.getElementById(`${to}-pane`)?.focus());
            }}
          >
            Skip to the {to}
          </a>
        ))}
      </nav>
      <Top />
      <main
        hidden={view.value !== "studio"}
        style={{ "--contract-share": columns.value.contract, "--verdict-share": columns.value.verdict }}
      >
        <Tabs />
        <ContractPane />
        <Splitter edge="contract" />
        <ArtifactPane />
        <Splitter edge="verdict" />
        <VerdictPane />
      </main>
      {view.value !== "studio" && <Other key={view.value} wanted={view.value} />}
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
