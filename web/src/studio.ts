// The state of the page and what can be done with it. Views read the signals and call the functions; only this file
// talks to the checker.
import { batch, computed, signal } from "@preact/signals";
import type { Text } from "@codemirror/state";
import type { Decision, Explanation, ExportFormat, Finding, MeasuredHistory, SampleOptions, Signal, Target, Verdict } from "@plumbline/plumbline";

import type { Change, Derived, Edit, LintFinding, LintReport, Mends, RuleSite } from "./authoring/told";
import { Checker } from "./checker";
import type { JsonEditor } from "./editor/json_editor";
import { refusalOf } from "./file_kind";
import { beginLast, handOverLast, keepLast, readLast, type Last } from "./last";
import { layout } from "./layout";
import type { BuiltIn, ContractFacts, ContractSource, Input, Refusal, ReportFormat } from "./messages";
import { beginSitting, keep } from "./past";
import { formatted } from "./format";
import { Player, type Pace } from "./player";
import { presets, type Preset } from "./presets";
import { roleContracts } from "./roles/role_contracts";
import { openLink, sharePrefix, type Shared } from "./share";
import { readTree, type Tree, type TreeNode } from "./tree/read_tree";
import { treeRuleOf } from "./tree/tree_rule";
import { Measure, pace, readyToStream, stopOf, streaming } from "./streaming";
import { piecesOf, unitsAt, type PieceUnit, type Pieces } from "./tokens";
import { shownIn } from "./roles/address";
import { goToLink, linkTo } from "./view";
import { checking as t } from "./strings";

export type Pane = "contract" | "artifact" | "verdict";
// Those that are there always; the contract is in a drawer.
export type SteadyPane = Exclude<Pane, "contract">;

// What the verdict pane has to show.
export type Outcome =
  | { kind: "loading" }
  | { kind: "unavailable"; message: string }
  | { kind: "empty" }
  | { kind: "contract_refused"; refusal: Refusal }
  | { kind: "context_refused"; refusal: Refusal }
  | { kind: "broken_down"; message: string }
  | { kind: "streaming"; share: number; findings: Finding[]; signals: Signal[] }
  | { kind: "verdict"; verdict: Verdict; elapsedMs: number; streamed: boolean };

export const outcome = signal<Outcome>({ kind: "loading" });
export const busy = signal(false);
export const builtIns = signal<readonly BuiltIn[]>([]);
export const version = signal("");
export const contractName = signal("quiz"); // a built-in contract's name; '' is one's own
export const ownContract = signal("");
export const facts = signal<ContractFacts | null>(null);
export const presetId = signal(""); // '' once the artifact or the contract has been changed by hand
export const activeId = signal<number | null>(null);
export const pane = signal<SteadyPane>("artifact");
export const contractOpen = signal(false);
export const contextOpen = signal(false);
export const artifactSize = signal({ characters: 0, lines: 1 });
export const notice = signal(""); // about the last file or link opened
// What has just been replaced, and can be had back.
export const undo = signal<{ said: string; work: Shared } | null>(null);

export const cursorAt = signal(0); // in the artifact
export const arrivedTo = signal<number | null>(null); // in the artifact, while it is streamed
// The artifact as a tree, where the contract says that it is one.
export const tree = signal<Tree | null>(null);
export const treeSize = signal<"closed" | "half" | "full">("half");

// Another contract has been accepted when this is another one.
export const contractHash = computed(() => facts.value?.hash ?? "");
// What the package does beside checks is a module of its own, larger than all that a verdict needs: it is loaded when it
// is first wanted.
export const author = signal<"unasked" | "coming" | "here">("unasked");
export type ContractView = "text" | "derived" | "lint";
export const contractView = signal<ContractView>("text");
export const target = signal<Target>("prompt");
export const derived = signal<Derived | { problem: string } | null>(null);
export const lintReport = signal<LintReport | null>(null);
export const breakable = signal<readonly RuleSite[]>([]);
// How the artifact could be mended; null when it need not or cannot be.
export const mends = signal<(Mends & { artifact: string }) | null>(null);

// The editors, once they are on the page.
const editors: Partial<Record<"contract" | "artifact" | "context", JsonEditor>> = {};

export const findings = computed<Finding[]>(() => {
  const now = outcome.value;
  return now.kind === "verdict" ? now.verdict.findings : now.kind === "streaming" ? now.findings : [];
});
// What counts: a finding that another one hides stays out of counts, marks and navigation.
export const shown = computed(() => findings.value.filter((finding) => !finding.shadowedBy));
export const shadowed = computed(() => findings.value.filter((finding) => finding.shadowedBy));
export const counts = computed(() => {
  const all = { error: 0, warning: 0, info: 0 };
  for (const finding of shown.value) ++all[finding.severity];
  return all;
});
export const decision = computed<Decision | null>(() =>
  outcome.value.kind === "verdict" ? outcome.value.verdict.decision : null,
);
export const activeFinding = computed(() => shown.value.find((finding) => finding.id === activeId.value) ?? null);

export const decisionWords: Record<Decision, { title: string; sense: string }> = {
  accept: { title: t.accept, sense: t.acceptAbout },
  accept_with_warnings: {
    title: t.acceptWarnings,
    sense: t.acceptWarningsAbout,
  },
  accept_unverified: { title: t.acceptUnverified, sense: t.acceptUnverifiedAbout },
  undecided: { title: t.undecided, sense: t.undecidedAbout },
  revise: { title: t.revise, sense: t.reviseAbout },
  block: { title: t.block, sense: t.blockAbout },
};

export const countsText = computed(() => {
  const { error, warning, info } = counts.value;
  const parts = [];
  if (error) parts.push(t.nErrors(error));
  if (warning) parts.push(t.nWarnings(warning));
  if (info) parts.push(t.nNotes(info));
  return parts.length ? parts.join(", ") : t.noProblems;
});

// One sentence for screen readers and for the bar at the foot of a small screen.
export const summary = computed(() => {
  const now = outcome.value;
  switch (now.kind) {
    case "loading":
      return t.loadingChecker;
    case "unavailable":
      return t.checkerNotLoaded;
    case "empty":
      return t.emptyTitle;
    case "contract_refused":
      return t.contractUnusable;
    case "context_refused":
      return t.contextUnusable;
    case "broken_down":
      return t.checkFailed;
    case "streaming":
      return t.streamingSoFar(countsText.value);
    case "verdict":
      return `${decisionWords[now.verdict.decision].title}: ${countsText.value}`;
  }
});

const checker = new Checker({
  ready(answer) {
    batch(() => {
      builtIns.value = answer.contracts;
      version.value = answer.version;
      if (outcome.value.kind === "loading") showContract();
    });
    if (outcome.value.kind === "loading") check(true);
  },
  unavailable(message) {
    outcome.value = { kind: "unavailable", message };
  },
  answered(answer) {
    batch(() => {
      switch (answer.kind) {
        case "verdict": {
          facts.value = answer.contract;
          const { verdict, elapsedMs } = answer;
          const streamed = streaming.value?.phase === "ended";
          if (streamed) noteStop(verdict.findings, verdict.signals ?? []);
          show({ kind: "verdict", verdict, elapsedMs, streamed });
          break;
        }
        case "contract_refused":
          facts.value = null;
          show({ kind: "contract_refused", refusal: answer.refusal });
          break;
        case "context_refused":
          facts.value = answer.contract;
          contextOpen.value = true;
          show({ kind: "context_refused", refusal: answer.refusal });
          break;
        case "stream_opened":
          facts.value = answer.contract;
          player.fed();
          break;
        case "certain":
          if (outcome.value.kind === "streaming") {
            const byId = new Map(outcome.value.findings.map((finding) => [finding.id, finding]));
            for (const finding of answer.findings) byId.set(finding.id, finding);
            const known = [...byId.values()];
            noteStop(known, answer.signals);
            show({ ...outcome.value, findings: known, signals: [...answer.signals] });
            player.fed();
          }
          break;
      }
    });
  },
  brokenDown(message) {
    show({ kind: "broken_down", message });
  },
  busy(isBusy) {
    busy.value = isBusy;
  },
});

export function start(): void {
  checker.start();
}

export function retry(): void {
  outcome.value = { kind: "loading" };
  checker.start();
}

export function stopCheck(): void {
  checker.stop();
  outcome.value = { kind: "broken_down", message: t.stopped };
}

export function addEditor(role: "contract" | "artifact" | "context", editor: JsonEditor): void {
  editors[role] = editor;
}

function source(): ContractSource {
  const name = contractName.value;
  return name === "" ? { kind: "own", text: ownContract.value } : { kind: "built_in", name };
}

function input(): Input {
  const context = contextOpen.value ? (editors.context?.text() ?? "") : "";
  return { contract: source(), context: context.trim() === "" ? null : context };
}

function check(now = false): void {
  if (outcome.value.kind === "loading" && builtIns.value.length === 0) return;
  if (outcome.value.kind === "unavailable") return;
  const artifact = editors.artifact;
  leaveStream();
  // The contract is worth reading all the same: what is wrong with it is shown before there is an artifact.
  if (!artifact || artifact.isBlank()) show({ kind: "empty" });
  checker.check(input(), () => artifact?.text() ?? "", now);
}

// Shows an outcome, its marks in the artifact and, where the contract or the context is to blame, the place there.
function show(next: Outcome): void {
  const blank = editors.artifact?.isBlank() ?? true;
  const wanted = blank && (next.kind === "verdict" || next.kind === "streaming") ? ({ kind: "empty" } as const) : next;
  outcome.value = wanted;
  if (wanted.kind !== "streaming" && !(wanted.kind === "verdict" && wanted.streamed)) leaveStream();
  if (wanted.kind !== "streaming") drawTree(wanted.kind === "verdict");
  editors.artifact?.setMarks(shown.value);
  // Another verdict, other ids: where the cursor is says better than an id which problem is meant.
  if (editors.artifact?.hasFocus()) cursorMoved(editors.artifact.idsAtCursor());
  else if (activeId.value !== null && !shown.value.some(({ id }) => id === activeId.value)) activeId.value = null;
  if (wanted.kind !== "streaming") keepSoon();
  if (wanted.kind === "contract_refused") editors.contract?.setRefusal(wanted.refusal);
  else markLint();
  askForMends(wanted);
  measureHistory(wanted);
  editors.context?.setRefusal(wanted.kind === "context_refused" ? wanted.refusal : null);
}

let treeRule: { contract: string; rule: ReturnType<typeof treeRuleOf> } = { contract: "", rule: null };

const treeAgainMs = 300;
let treeTimer: ReturnType<typeof setTimeout> | undefined;

function drawTree(wanted: boolean): void {
  clearTimeout(treeTimer);
  const contract = contractText();
  if (treeRule.contract !== contract) treeRule = { contract, rule: treeRuleOf(contract) };
  const view = editors.artifact?.view;
  const { rule } = treeRule;
  tree.value = wanted && view && rule ? readTree(view.state, rule) : null;
  // Drawn again when the editor has read more of the text.
  if (wanted && rule && tree.value?.whole === false) treeTimer = setTimeout(() => drawTree(true), treeAgainMs);
}

// --- Contract ---------------------------------------------------------------------------------------------------

function contractText(): string {
  const name = contractName.value;
  return name === "" ? ownContract.value : (builtIns.value.find((one) => one.name === name)?.text ?? "");
}

function showContract(): void {
  editors.contract?.setText(contractText());
  editors.contract?.setReadOnly(contractName.value !== "");
}

export function chooseContract(name: string): void {
  leaveLink();
  // A decision of a role is nothing without what it was made from: an example brings both.
  const example = roleContracts.get(name);
  if (example !== undefined && presetId.value !== "") {
    choosePreset(example);
    return;
  }
  if (name === "" && ownContract.value === "") ownContract.value = contractText();
  batch(() => {
    contractName.value = name;
    presetId.value = "";
    if (name === "") contractOpen.value = true;
    if (example !== undefined) contextOpen.value = true;
    showContract();
  });
  check(true);
}

export function editCopy(): void {
  batch(() => {
    ownContract.value = contractText();
    contractName.value = "";
    presetId.value = "";
    contractOpen.value = true;
    showContract();
  });
  check(true);
  requestAnimationFrame(() => editors.contract?.focus());
}

export function contractChanged(doc: Text): void {
  if (contractName.value !== "") return;
  ownContract.value = doc.toString();
  changedByHand();
  check();
}

function changedByHand(): void {
  beginLast();
  presetId.value = "";
  undo.value = null;
  leaveLink();
}

// --- Artifact and context ---------------------------------------------------------------------------------------

export function artifactChanged(doc: Text, byHand: boolean): void {
  artifactSize.value = { characters: doc.length, lines: doc.lines };
  if (!byHand) {
    cursorAt.value = 0;
    return;
  }
  changedByHand();
  notice.value = "";
  check();
}

export function contextChanged(): void {
  changedByHand();
  check();
}

export function toggleContext(): void {
  contextOpen.value = !contextOpen.value;
  check(true);
}

export function choosePreset(id: string): void {
  const preset = presets.find((one) => one.id === id);
  if (preset) applyPreset(preset);
}

function applyPreset(preset: Preset): void {
  replace(t.openedExample(preset.title), () => {
    put({ contract: preset.contract, artifact: preset.artifact(), context: preset.context ?? null });
    presetId.value = preset.id;
  });
}

// What is on the page, as it is shared and kept.
export function currentWork(): Shared {
  return { contract: source(), artifact: editors.artifact?.text() ?? "", context: input().context };
}

function put(work: Shared): "kept line ends" | "changed line ends" {
  notice.value = "";
  activeId.value = null;
  if (work.contract.kind === "own") {
    contractName.value = "";
    ownContract.value = work.contract.text;
  } else {
    contractName.value = work.contract.name;
  }
  showContract();
  const ends = editors.artifact?.setText(work.artifact) ?? "kept line ends";
  editors.context?.setText(work.context ?? "");
  contextOpen.value = work.context !== null;
  presetId.value = "";
  return ends;
}

// Puts something else on the page. What was written there by hand is kept first, and can be had back at once.
function replace(said: string, act: () => void): void {
  beginLast();
  const before = currentWork();
  const isOwn = presetId.value === "" && before.artifact.trim() !== "";
  keepNow();
  leaveStream();
  leaveLink();
  batch(() => {
    act();
    undo.value = isOwn ? { said, work: before } : null;
  });
  beginSitting();
  check(true);
}

export function undoReplace(): void {
  const before = undo.value?.work;
  if (!before) return;
  replace("", () => put(before));
  undo.value = null;
}

// Something that was made or found elsewhere on the page is looked at here.
export function openInCheck(work: Shared, said: string): void {
  replace(said, () => put(work));
  showPane("artifact");
  goToLink(linkTo("studio"));
}

export function restore(work: Shared): void {
  replace(t.restoredEarlier, () => put(work));
}

let keepTimer: ReturnType<typeof setTimeout> | undefined;
const keepAfterMs = 900;

function keepSoon(): void {
  clearTimeout(keepTimer);
  keepTimer = setTimeout(keepNow, keepAfterMs);
}

const lastWork = (): Last => ({
  ...currentWork(),
  preset: presetId.value,
  pace: pace.value,
  wrap: wrapped.value,
  drawer: contractOpen.value,
});

// Keeps what is on the page for a reload, and in the history if somebody has written it.
export function keepNow(): void {
  clearTimeout(keepTimer);
  const now = outcome.value;
  if (now.kind !== "loading" && now.kind !== "unavailable") keepLast(lastWork());
  if (presetId.value !== "" || (now.kind !== "verdict" && now.kind !== "contract_refused")) return;
  // While a check is under way, what is shown was found in an earlier text.
  const found = busy.value ? { problems: 0 } : { decision: decision.value, problems: shown.value.length };
  keep(currentWork(), { title: facts.value?.title || facts.value?.name || t.ownContract, ...found });
}

// Opens what the address holds after `#`. False when it holds nothing of ours.
export async function openFromAddress(): Promise<boolean> {
  const { hash } = location;
  if (openRole()) return true;
  if (!hash.startsWith(sharePrefix)) return false;
  const opened = await openLink(hash);
  if ("problem" in opened) {
    clearAddress();
    notice.value = opened.problem;
    return false;
  }
  const { shared } = opened;
  const { contract } = shared;
  if (contract.kind === "built_in" && builtIns.value.length > 0 && !knowsContract(contract.name)) {
    clearAddress();
    notice.value = t.linkUnknownContract(contract.name);
    return false;
  }
  replace(t.openedLink, () => put(shared));
  linkOpen = true;
  history.replaceState(null, "", hash);
  return true;
}

// `#roles/...`: a decision of a role, with what it was made from.
function openRole(): boolean {
  const { role, artifact, context } = shownIn("roles");
  const example = roleContracts.get(typeof role === "string" ? role : "");
  if (location.hash !== "#roles" && !location.hash.startsWith("#roles/")) return false;
  if (example === undefined || typeof artifact !== "string") {
    choosePreset(example ?? "role-researcher");
  } else {
    const contract: ContractSource = { kind: "built_in", name: role as string };
    replace(t.openedLink, () =>
      put({ contract, artifact, context: typeof context === "string" && context !== "" ? context : null }),
    );
  }
  clearAddress();
  return true;
}

function knowsContract(name: string): boolean {
  return builtIns.value.some((one) => one.name === name);
}

// The address names what is on the page, until that is changed.
let linkOpen = false;

function leaveLink(): void {
  if (linkOpen) clearAddress();
  linkOpen = false;
}

function clearAddress(): void {
  history.replaceState(null, "", location.pathname + location.search);
}

// --- Another version of the page ---------------------------------------------------------------------------------

// Before the page is loaded anew what is on it is handed to the next one.
export function handOver(): void {
  keepNow();
  if (presetId.value === "") handOverLast(lastWork());
}

// What was on the page before it was loaded anew. An example is taken as it is now.
export function resume(): void {
  const last = readLast();
  if (!last) return;
  pace.value = last.pace;
  setWrap(last.wrap);
  contractOpen.value = last.drawer;
  if (presets.some(({ id }) => id === last.preset)) {
    choosePreset(last.preset);
    return;
  }
  replace("", () => {
    put(last);
    presetId.value = last.preset;
  });
}

// --- The artifact's text -----------------------------------------------------------------------------------------

// Long lines are broken where the editor ends.
export const wrapped = signal(false);

export function setWrap(wanted: boolean): void {
  wrapped.value = wanted;
  editors.artifact?.setWrap(wanted);
  keepSoon();
}

// On lines of its own, token by token: numbers and strings stay as they were written. One step to undo.
export function formatArtifact(): void {
  const text = editors.artifact?.text() ?? "";
  const told = formatted(text);
  notice.value = "problem" in told ? told.problem : "";
  if ("text" in told && told.text !== text) editors.artifact?.change([{ from: 0, to: text.length, text: told.text }]);
}

export function downloadArtifact(): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([editors.artifact?.text() ?? ""], { type: "application/json" }));
  link.download = `${contractName.value || "artifact"}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const fileBytesMax = 64 * 1024 * 1024;

export async function openFile(file: File, role: "contract" | "artifact" | "context"): Promise<void> {
  if (file.size > fileBytesMax) {
    notice.value = t.fileTooLarge(file.name);
    return;
  }
  const bytes = await file.arrayBuffer();
  const refusal = refusalOf(file.name, bytes);
  if (refusal) {
    notice.value = refusal;
    return;
  }
  let text: string;
  let remark = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    remark = t.fileNotUtf8(file.name);
  }
  replace(t.openedFile(file.name), () => {
    activeId.value = null;
    presetId.value = "";
    if (role === "contract") {
      contractName.value = "";
      ownContract.value = text;
      showContract();
    } else {
      if (role === "context") contextOpen.value = true;
      if (editors[role]?.setText(text) === "changed line ends") {
        remark = t.mixedLineEnds(file.name);
      }
    }
    showPane(role === "contract" ? "contract" : "artifact");
    notice.value = remark;
  });
}

// --- Getting about ----------------------------------------------------------------------------------------------

// Goes to the place of a finding, which becomes the active one.
export function jumpTo(id: number): void {
  activeId.value = id;
  goTo("artifact", () => editors.artifact?.jumpToMark(id));
}

// Whether a pane is on the screen. Where there is room the drawer of the contract is beside the others; of two columns
// it has that of the artifact, else the whole.
export function isShown(which: Pane): boolean {
  if (which === "contract") return contractOpen.value;
  switch (layout.value) {
    case "three":
      return true;
    case "two":
      return which === "verdict" || !contractOpen.value;
    case "one":
      return !contractOpen.value && pane.value === which;
  }
}

export function showPane(which: Pane): void {
  batch(() => {
    if (which === "contract") {
      contractOpen.value = true;
      keepSoon();
      return;
    }
    if (layout.value !== "three" && !(layout.value === "two" && which === "verdict")) contractOpen.value = false;
    pane.value = which;
  });
}

export function toggleContract(): void {
  contractOpen.value = !contractOpen.value;
  keepSoon();
}

// Closed from inside: the focus goes back to what opens it.
export function closeContract(): void {
  toggleContract();
  document.querySelector<HTMLElement>("#contract-toggle")?.focus();
}

// Does something in a pane as soon as it is on the screen: an editor that is hidden cannot scroll.
export function goTo(wanted: Pane, act: () => void): void {
  const underTree = wanted === "artifact" && tree.value !== null && treeSize.value === "full";
  const hidden = !isShown(wanted) || underTree || (wanted === "contract" && contractView.value !== "text");
  const underView = wanted === "contract" && contractView.value !== "text";
  if (underTree) treeSize.value = "half";
  if (underView) contractView.value = "text";
  showPane(wanted);
  if (hidden) requestAnimationFrame(() => requestAnimationFrame(act));
  else act();
}

// Goes to a node's place in the text, or to the problem there.
export function goToNode(node: TreeNode, problem?: number): void {
  cursorAt.value = node.at;
  if (problem !== undefined) jumpTo(problem);
  else goTo("artifact", () => editors.artifact?.jumpToPosition(node.at));
  activeId.value = problem ?? null;
}

export function cursorMoved(idsAtCursor: number[], position = cursorAt.value): void {
  cursorAt.value = position;
  if (activeId.value !== null && idsAtCursor.includes(activeId.value)) return;
  activeId.value = idsAtCursor[0] ?? null;
}

export function nextProblem(step: 1 | -1): void {
  const id = editors.artifact?.neighbour(activeId.value, step);
  if (id !== undefined) jumpTo(id);
}

// True when the location is in the contract on the page, and not in a document that it refers to.
export function isInContract(schemaLocation: string): boolean {
  return schemaLocation === "" || schemaLocation.startsWith("/") || schemaLocation.startsWith("#");
}

// Shows beside the artifact where in the contract the active finding comes from.
export function showRuleOf(finding: Finding | null): void {
  const location = finding?.schemaLocation;
  const here = location !== undefined && isInContract(location) && location !== "";
  editors.contract?.showRule(here ? location.replace(/^#/, "") : null);
}

export function jumpToSchema(schemaLocation: string): void {
  goTo("contract", () => editors.contract?.jumpToPointer(schemaLocation.replace(/^#/, "")));
}

export function jumpToRefusal(): void {
  const now = outcome.value;
  if (now.kind === "contract_refused") {
    goTo("contract", () => editors.contract?.jumpToRefusal());
  } else if (now.kind === "context_refused") {
    contextOpen.value = true;
    goTo("artifact", () => editors.context?.jumpToRefusal());
  }
}

// --- The artifact as a stream -----------------------------------------------------------------------------------

let measure = new Measure("", piecesOf("", "tokens"));

const player = new Player(
  (part, to) => {
    const arrived = measure.upTo(to);
    batch(() => {
      if (streaming.value) streaming.value = { ...streaming.value, arrived };
      if (outcome.value.kind === "streaming") {
        outcome.value = { ...outcome.value, share: arrived.bytes / Math.max(1, measure.total.bytes) };
      }
    });
    arrivedTo.value = editors.artifact?.setArrived(to) ?? null;
    checker.push(part);
  },
  () => {
    if (!streaming.value) return;
    streaming.value = { ...streaming.value, phase: "ended" };
    releaseArtifact();
    checker.endStream();
  },
);

// Opens what a stream is played with, and plays; closes it again.
export function toggleStream(): void {
  if (streaming.value === null) {
    playOrPause();
  } else {
    closeStream();
  }
}

export function playOrPause(): void {
  switch (streaming.value?.phase) {
    case "playing":
      player.pause();
      streaming.value = { ...streaming.value, phase: "paused" };
      break;
    case "paused":
      streaming.value = { ...streaming.value, phase: "playing" };
      player.play();
      break;
    default:
      openStream("playing");
  }
}

// One token or character more; from the beginning, when nothing is under way.
export function stepStream(): void {
  const phase = streaming.value?.phase;
  if (streaming.value && (phase === "playing" || phase === "paused")) {
    streaming.value = { ...streaming.value, phase: "paused" };
    player.step();
  } else {
    openStream("paused");
  }
}

export function restartStream(): void {
  openStream("playing");
}

export function setPace(wanted: Pace): void {
  const recut = wanted.unit !== pace.value.unit;
  pace.value = wanted;
  if (recut && isUnderWay()) {
    cut(editors.artifact?.text() ?? "", wanted.unit, (pieces) => {
      if (pace.value.unit === wanted.unit) player.setPace(pace.value, pieces);
    });
  } else {
    player.setPace(wanted);
  }
  keepSoon();
}

export function closeStream(): void {
  const wasUnderWay = isUnderWay();
  leaveStream();
  editors.artifact?.setStop(null);
  streaming.value = null;
  if (wasUnderWay) check(true);
}

// The verdict at once, without waiting for the rest of the text.
export function finishStream(): void {
  if (isUnderWay()) check(true);
}

function isUnderWay(): boolean {
  return streaming.value?.phase === "playing" || streaming.value?.phase === "paused";
}

// A text of megabytes takes a second to cut: the worker does it, and the page goes on.
const cutHereUnitsMax = 200_000;

function cut(text: string, unit: PieceUnit, then: (pieces: Pieces) => void): void {
  if (text.length <= cutHereUnitsMax) then(piecesOf(text, unit));
  else void checker.ask("pieces", { text, unit }).then((pieces) => pieces && then(pieces));
}

let opening = 0; // which stream is wanted

function openStream(phase: "playing" | "paused"): boolean {
  const artifact = editors.artifact;
  if (!artifact || artifact.isBlank()) return false;
  player.stop();
  const text = artifact.text();
  const { unit } = pace.value;
  const wanted = ++opening;
  checker.forget(); // a verdict that is still on its way would end the stream
  batch(() => {
    activeId.value = null;
    showPane("artifact");
    streaming.value = { ...readyToStream(), phase };
    show({ kind: "streaming", share: 0, findings: [], signals: [] });
  });
  artifact.setReadOnly(true);
  artifact.setStop(null);
  arrivedTo.value = artifact.setArrived(0);
  drawTree(true);
  const begin = (tokens: Pieces, pieces: Pieces): void => {
    if (wanted !== opening || !streaming.value) return;
    if (pace.value.unit !== unit) {
      openStream(streaming.value.phase === "playing" ? "playing" : "paused");
      return;
    }
    measure = new Measure(text, tokens);
    streaming.value = { ...streaming.value, total: measure.total };
    player.setPace(pace.value);
    player.load(text, pieces);
    checker.openStream(input());
    if (streaming.value.phase === "playing") player.play();
  };
  cut(text, "tokens", (tokens) => {
    if (unit === "tokens") begin(tokens, tokens);
    else cut(text, unit, (pieces) => begin(tokens, pieces));
  });
  return true;
}

function noteStop(known: readonly Finding[], signals: readonly Signal[]): void {
  const now = streaming.value;
  if (!now) return;
  const stop = stopOf(measure, known, signals);
  streaming.value = { ...now, stop };
  editors.artifact?.setStop(stop && stop.utf16);
}

function releaseArtifact(): void {
  arrivedTo.value = null;
  editors.artifact?.setArrived(null);
  editors.artifact?.setReadOnly(false);
}

// Whatever is checked next is not the stream that was played.
function leaveStream(): void {
  if (!streaming.value || streaming.value.phase === "ready") return;
  player.stop();
  ++opening;
  const wasUnderWay = isUnderWay();
  streaming.value = readyToStream();
  editors.artifact?.setStop(null);
  if (!wasUnderWay) return;
  releaseArtifact();
  outcome.value = { kind: "empty" };
}

// --- Edits of the artifact ---------------------------------------------------------------------------------------

const mendsUnitsMax = 2_000_000;

function askForMends(now: Outcome): void {
  mends.value = null;
  if (now.kind !== "verdict" || now.verdict.valid) return;
  const artifact = editors.artifact?.text() ?? "";
  if (artifact.length > mendsUnitsMax) return;
  void checker.ask("edits", { input: input(), artifact }).then((told) => {
    if (told && told.edits.length > 0 && outcome.value === now) mends.value = { ...told, artifact };
  });
}

function changed(editor: JsonEditor | undefined, text: string, changes: readonly Change[]): void {
  const sorted = [...changes].sort((a, b) => a.from - b.from || a.to - b.to);
  const places = unitsAt(
    text,
    sorted.flatMap(({ from, to }) => [from, to]),
  );
  editor?.change(
    sorted.map((one, index) => ({ ...one, from: places[2 * index] ?? 0, to: places[2 * index + 1] ?? 0 })),
  );
}

// Makes an edit in the artifact; it can be undone there as anything that is typed.
export function makeEdit(changes: readonly Change[]): void {
  const now = mends.value;
  if (now && editors.artifact?.text() === now.artifact) changed(editors.artifact, now.artifact, changes);
}

export function jumpToEdit(edit: Edit): void {
  goTo("artifact", () => editors.artifact?.jumpToPlace(edit.span.utf16From));
}

export function makeAllEdits(guesses: boolean): void {
  const now = mends.value;
  const mended = guesses ? now?.guess : now?.certain;
  if (!now || !mended || editors.artifact?.text() !== now.artifact) return;
  editors.artifact.change([{ from: 0, to: now.artifact.length, text: mended.text }]);
}

// --- What comes of a contract --------------------------------------------------------------------------------------

export function wantAuthor(): void {
  if (author.value !== "unasked") return;
  author.value = "coming";
  void checker.ask("author", {}).then((told) => {
    author.value = told ? "here" : "unasked";
    if (!told) notice.value = t.authoringNotLoaded;
  });
}

// Read anew whenever another contract has been accepted, for what is on the screen.
export function readDerived(): void {
  const hash = facts.value?.hash;
  const wanted = target.value;
  if (!hash || author.value !== "here") return;
  void checker.ask("derive", { input: input(), target: wanted }).then((told) => {
    if (facts.value?.hash === hash && target.value === wanted) derived.value = told;
  });
}

export function readLint(): void {
  const text = contractText();
  if (author.value !== "here" || text.trim() === "") return;
  void checker.ask("lint", { text }).then((told) => {
    if (contractText() !== text) return;
    lintReport.value = told;
    if (outcome.value.kind !== "contract_refused") markLint();
  });
}

function markLint(): void {
  const report = lintReport.value?.findings ?? [];
  editors.contract?.setMarks(report.map(({ severity, span }, index) => ({ id: index + 1, severity, span })));
}

export function jumpToLint(index: number): void {
  goTo("contract", () => editors.contract?.jumpToMark(index + 1));
}

export function makeLintFix(finding: LintFinding): void {
  if (!finding.fix || contractName.value !== "") return;
  contractView.value = "text";
  changed(editors.contract, contractText(), finding.fix.edits);
}

export async function makeLintFixes(): Promise<void> {
  const text = contractText();
  const told = await checker.ask("fix_contract", { text });
  if (!told || contractText() !== text || contractName.value !== "") return;
  contractView.value = "text";
  editors.contract?.change([{ from: 0, to: text.length, text: told.text }]);
}

export function readBreakable(): void {
  const hash = facts.value?.hash;
  if (!hash || author.value !== "here") return;
  void checker.ask("breakable", { input: input() }).then((told) => {
    if (facts.value?.hash === hash) breakable.value = told ?? [];
  });
}

let sampleSeed = 0;

// Puts an artifact on the page that was made from its contract: `minimal`, `rich`, or one that breaks a rule.
export async function makeSample(wanted: string): Promise<void> {
  const site = breakable.value.find((one) => sampleId(one) === wanted);
  const kind = wanted === "sample:minimal" ? "minimal" : "rich";
  const options: SampleOptions = {
    ...(site ? { kind: "broken", rule: site.schemaLocation ?? site.rule } : { kind }),
    seed: ++sampleSeed,
    indent: true,
  };
  const told = await checker.ask("sample", { input: input(), options });
  const made = told && "made" in told ? told.made[0] : undefined;
  if (!made) {
    const why = told && "problem" in told ? told.problem : (told?.notMade[0]?.reason ?? t.nothingMade);
    notice.value = t.noSample(why);
    return;
  }
  const context = made.context ?? input().context;
  replace(t.openedSample, () => {
    put({ contract: source(), artifact: made.artifact, context });
    presetId.value = wanted;
  });
}

export function sampleId(site: RuleSite): string {
  return `sample:${site.rule} ${site.schemaLocation ?? ""} ${site.property ?? ""}`;
}

// --- Help while a contract is written ----------------------------------------------------------------------------

let explanations = new Map<string, Explanation>();
let helping = false;

// Loaded when it is first wanted: completion, what keywords mean.
export async function helpWithContract(): Promise<void> {
  wantAuthor();
  if (helping) return;
  helping = true;
  const [{ contractHelp }, told] = await Promise.all([import("./authoring/completion"), checker.ask("explain", {})]);
  explanations = new Map((told ?? []).map((one) => [one.rule, one]));
  editors.contract?.extend(contractHelp((rule) => explanations.get(rule)));
}

// --- Reports ----------------------------------------------------------------------------------------------------

export async function copyReport(format: ReportFormat): Promise<boolean> {
  const artifact = editors.artifact;
  if (!artifact || outcome.value.kind !== "verdict") return false;
  const text = await checker.ask("report", { input: input(), artifact: artifact.text(), format });
  if (text === null) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// --- What a role's history measures ------------------------------------------------------------------------------

export const measured = signal<MeasuredHistory | null>(null);

function measureHistory(now: Outcome): void {
  measured.value = null;
  const { context } = input();
  if (now.kind !== "verdict" || !roleContracts.has(contractName.value) || context === null) return;
  void checker.ask("measure", { context }).then((told) => {
    if (outcome.value === now) measured.value = told;
  });
}

// --- Files of other programs --------------------------------------------------------------------------------------

// Empty, or why there is no file.
export async function downloadAs(type: string, artifact: string, format: ExportFormat, run?: object): Promise<string> {
  const told = await checker.ask("export", {
    input: { contract: { kind: "built_in", name: type }, context: null },
    artifact,
    format,
    run,
  });
  if (!told) return t.authoringNotLoaded;
  if ("problem" in told) return told.problem;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([told.text], { type: told.mediaType }));
  link.download = `${type}${told.extension}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return "";
}
