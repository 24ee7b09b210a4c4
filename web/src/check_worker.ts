// The worker: the one place that calls the package. It answers requests in the order in which they come and keeps the
// contract it read last, so that typing in an artifact never reads a contract again.
import { load, PlumbError, type Contract, type MeasuredHistory, type Plumb, type Stream, type Verdict } from "@plumbline/plumbline";

import type { Change, Edit, Mended, Mends } from "./authoring/told";
import type { Ask, Asks, Begin, ContractFacts, ContractSource, FromWorker, Input, Refusal, ToWorker } from "./messages";
import type { FromRuns, ToRuns } from "./runs/messages";
import type { RunsOfWorker } from "./runs/runs_worker";
import { piecesOf } from "./tokens";
import { worker as t } from "./strings";

const port = self as unknown as {
  postMessage(message: FromWorker | FromRuns): void;
  onmessage: ((event: MessageEvent<Begin | ToWorker | ToRuns>) => void) | null;
};

let plumb: Plumb | undefined;
let kept: { key: string; contract: Contract } | undefined;
let open: { id: number; stream: Stream; facts: ContractFacts; elapsedMs: number } | undefined;

function keyOf(source: ContractSource): string {
  return source.kind === "built_in" ? `built-in ${source.name}` : `own ${source.text}`;
}

function contractOf(source: ContractSource): Contract {
  const key = keyOf(source);
  if (kept?.key !== key) {
    if (!plumb) throw new Error(t.checkerNotLoadedError);
    // As bytes, an own text is never taken for the name of a built-in contract.
    const contract = plumb.contract(source.kind === "built_in" ? source.name : new TextEncoder().encode(source.text));
    kept?.contract.dispose();
    kept = { key, contract };
  }
  return kept.contract;
}

function factsOf(contract: Contract): ContractFacts {
  return {
    name: contract.name,
    title: contract.title,
    hash: contract.hash,
    contextRead: [...contract.context],
    warnings: contract.warnings.map(({ message, at, line, column }) => ({ message, at, line, column })),
  };
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof PlumbError) {
    return { message: error.message, at: error.where, line: error.line, column: error.column };
  }
  return { message: error instanceof Error ? error.message : String(error), at: "", line: 0, column: 0 };
}

// A trap leaves the module unusable: the page then starts another worker.
function isBreakdown(error: unknown): boolean {
  return !(error instanceof PlumbError) || error.code === "trap";
}

// Tells the page why a step failed. A refusal is the contract's or the context's fault; anything else is a breakdown.
function guard(id: number, step: () => void, refused?: (refusal: Refusal) => FromWorker): void {
  try {
    step();
  } catch (error) {
    const refusal = refusalOf(error);
    port.postMessage(
      refused && !isBreakdown(error) ? refused(refusal) : { kind: "broken_down", id, message: refusal.message },
    );
  }
}

// What is wrong with the contract and what is wrong with the context are told apart by when it is refused: the contract
// is read first.
function withContract(id: number, input: Input, step: (contract: Contract) => void): void {
  let contract: Contract | undefined;
  guard(
    id,
    () => {
      contract = contractOf(input.contract);
    },
    (refusal) => ({ kind: "contract_refused", id, refusal }),
  );
  if (!contract) return;
  const read = contract;
  guard(
    id,
    () => step(read),
    (refusal) => ({ kind: "context_refused", id, refusal, contract: factsOf(read) }),
  );
}

function contextOf(input: Input): { context?: string } {
  return input.context === null ? {} : { context: input.context };
}

function closeStream(): void {
  open?.stream.dispose();
  open = undefined;
}

// What is about writing and showing is a module of its own, loaded with the first question that needs it.
async function tell(ask: Ask): Promise<Asks[keyof Asks]["told"] | null> {
  if (!plumb) throw new Error(t.checkerNotLoadedError);
  if (ask.what === "edits") return mendsOf(contractOf(ask.input.contract), ask.artifact, contextOf(ask.input));
  if (ask.what === "pieces") return piecesOf(ask.text, ask.unit);
  if (ask.what === "measure") return measureHistory(ask.context);
  const author = await plumb.author();
  switch (ask.what) {
    case "report":
      return author.render(contractOf(ask.input.contract).check(ask.artifact, contextOf(ask.input)), ask.format);
    case "explain":
      return author.explanations;
    case "author":
      return true;
    case "derive":
      return orProblem(() => author.derive(contractOf(ask.input.contract), ask.target));
    case "lint":
      return author.lint(ask.text);
    case "fix_contract":
      return author.fix(ask.text);
    case "breakable":
      return author.breakableRules(contractOf(ask.input.contract));
    case "sample":
      return orProblem(() =>
        author.sample(contractOf(ask.input.contract), { ...ask.options, ...contextOf(ask.input) }),
      );
    case "export":
      return orProblem(() => author.export(contractOf(ask.input.contract), ask.artifact, ask.format, ask.run));
  }
}

// What the history of a role's context measures. A context that is none was refused before.
function measureHistory(context: string): MeasuredHistory | null {
  const { history } = JSON.parse(context) as { history?: unknown };
  return plumb && Array.isArray(history) && history.length > 0 ? plumb.measure(history) : null;
}

function orProblem<Told>(make: () => Told): Told | { problem: string } {
  try {
    return make();
  } catch (error) {
    if (isBreakdown(error)) throw error;
    return { problem: refusalOf(error).message };
  }
}

// A text with some of its bytes replaced.
function withChanges(text: string, changes: readonly Change[]): string {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let made = "";
  let at = 0;
  for (const change of [...changes].sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (change.from < at) continue;
    made += decoder.decode(bytes.subarray(at, change.from)) + change.text;
    at = change.to;
  }
  return made + decoder.decode(bytes.subarray(at));
}

// What could be made of a text that breaks its contract, with certain edits and with guesses. What comes of it is judged
// as strictly as the text itself.
function mendsOf(contract: Contract, artifact: string, context: { context?: string }): Mends {
  const mended = (verdict: Verdict, edits: readonly Edit[]): Mended => {
    const changes = edits.flatMap((edit) => edit.changes);
    const text = verdict.text ?? withChanges(artifact, changes);
    const judged = contract.check(text, context);
    const problems = judged.findings.filter(({ shadowedBy }) => shadowedBy === undefined).length;
    return { text, decision: judged.decision, problems };
  };
  const first = contract.check(artifact, { ...context, edits: "certain" });
  const { edits } = first;
  const certain = edits.filter((edit) => edit.certain);
  const guesses = edits.length > certain.length;
  const second = guesses ? contract.check(artifact, { ...context, edits: "guess" }) : null;
  return {
    edits: second && second.edits.length > edits.length ? second.edits : edits,
    certain: certain.length > 0 ? mended(first, certain) : null,
    guess: second ? mended(second, second.edits) : null,
  };
}

let runs: Promise<RunsOfWorker> | undefined; // loaded when first wanted

function answerRuns(of: Plumb, request: ToRuns): void {
  runs ??= import("./runs/runs_worker").then(
    (loaded) => new loaded.RunsOfWorker(of, (message) => port.postMessage(message)),
  );
  runs.then(
    (loaded) => loaded.answer(request),
    (error: unknown) => {
      runs = undefined;
      port.postMessage({ kind: "runs_refused", id: request.id, message: String(error) });
    },
  );
}

function answer(request: ToWorker | ToRuns): void {
  const { id } = request;
  switch (request.kind) {
    case "runs":
      if (plumb) answerRuns(plumb, request);
      break;
    case "check":
      withContract(id, request.input, (contract) => {
        const started = performance.now();
        const verdict = contract.check(request.artifact, contextOf(request.input));
        const elapsedMs = performance.now() - started;
        port.postMessage({ kind: "verdict", id, verdict, contract: factsOf(contract), elapsedMs });
      });
      break;
    case "ask":
      tell(request.ask).then(
        (told) => port.postMessage({ kind: "told", id, told }),
        () => port.postMessage({ kind: "told", id, told: null }),
      );
      break;
    case "stream_open":
      closeStream();
      withContract(id, request.input, (contract) => {
        open = { id, stream: contract.stream(contextOf(request.input)), facts: factsOf(contract), elapsedMs: 0 };
        port.postMessage({ kind: "stream_opened", id, contract: open.facts });
      });
      break;
    case "stream_push": {
      const current = open;
      if (current?.id !== id) break;
      guard(id, () => {
        const started = performance.now();
        const findings = current.stream.push(request.chunk);
        current.elapsedMs += performance.now() - started;
        port.postMessage({ kind: "certain", id, findings, signals: current.stream.signals });
      });
      break;
    }
    case "stream_end": {
      const current = open;
      if (current?.id !== id) break;
      guard(id, () => {
        const verdict = current.stream.end();
        const { facts, elapsedMs } = current;
        port.postMessage({ kind: "verdict", id, verdict, contract: facts, elapsedMs });
      });
      closeStream();
      break;
    }
    case "stream_drop":
      if (open?.id === id) closeStream();
      break;
  }
}

// Requests that arrive while the module is loading wait here.
const waiting: (ToWorker | ToRuns)[] = [];

function begin(module: WebAssembly.Module | null): void {
  load(module ?? undefined).then(
    (loaded) => {
      plumb = loaded;
      guard(0, () => port.postMessage({ kind: "ready", version: loaded.version, contracts: loaded.contracts }));
      waiting.splice(0).forEach(answer);
    },
    (error: unknown) => port.postMessage({ kind: "unavailable", message: refusalOf(error).message }),
  );
}

port.onmessage = ({ data }) => {
  if (data.kind === "begin") begin(data.module);
  else if (plumb) answer(data);
  else waiting.push(data);
};
