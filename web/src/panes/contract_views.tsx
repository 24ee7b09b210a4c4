// What comes of a contract, beside its text: what can be derived from it, and what is worth a second look in it.
import { untracked, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";

import { targets, type LintFinding } from "../authoring/told";
import {
  author,
  contractHash,
  contractName,
  contractView,
  derived,
  jumpToLint,
  lintReport,
  outcome,
  makeLintFix,
  makeLintFixes,
  readBreakable,
  readDerived,
  readLint,
  target,
  wantAuthor,
  type ContractView,
} from "../studio";
import { SchemaLink, severityWords } from "./finding_card";
import { Icon, SeverityIcon } from "./icons";
import { Words } from "./words";
import { checking as t } from "../strings";

const linesMax = 200;

// Reads anew what is on the screen when another contract has been accepted.
export function useContractViews(): void {
  const able = useComputed(() => author.value === "here");
  useSignalEffect(() => {
    void target.value;
    if (contractHash.value !== "" && contractView.value === "derived" && able.value) untracked(readDerived);
  });
  useSignalEffect(() => {
    if (contractHash.value === "") lintReport.value = null;
    else if (able.value) untracked(readLint);
  });
  useSignalEffect(() => {
    if (contractHash.value !== "" && able.value) untracked(readBreakable);
  });
  // A contract of one's own is worth a second look; a built-in one has had it.
  useSignalEffect(() => {
    if (contractView.value !== "text" || (contractName.value === "" && contractHash.value !== "")) untracked(wantAuthor);
  });
}

export function ViewTabs() {
  const bar = useRef<HTMLDivElement>(null);
  const views: ContractView[] = ["text", "derived", "lint"];
  const found = lintReport.value?.findings.length ?? 0;
  const titles: Record<ContractView, string> = { text: t.viewText, derived: t.viewDerived, lint: t.viewLint };
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = views[(views.indexOf(contractView.value) + step + views.length) % views.length] ?? "text";
    contractView.value = next;
    bar.current?.querySelector<HTMLElement>(`#view-${next}`)?.focus();
  };
  return (
    <div class="choices contract-views" role="tablist" aria-label={t.contractViews} ref={bar} onKeyDown={move}>
      {views.map((view) => (
        <button
          key={view}
          id={`view-${view}`}
          type="button"
          role="tab"
          aria-selected={contractView.value === view}
          aria-controls="contract-view"
          tabIndex={contractView.value === view ? 0 : -1}
          onClick={() => (contractView.value = view)}
        >
          {titles[view]}
          {view === "lint" && found > 0 && <span class="count">{found}</span>}
        </button>
      ))}
    </div>
  );
}

interface Line {
  keyword?: string;
  kind?: string;
  schemaLocation: string;
  sentence: string;
}

function Lines({ title, lines, none }: { title: string; lines: readonly Line[]; none: string }) {
  return (
    <section class="verdict-section" aria-label={title}>
      <h3>
        {title}
        <span class="count">{lines.length.toLocaleString("en")}</span>
      </h3>
      {lines.length === 0 && <p class="hint">{none}</p>}
      <ul class="undecided">
        {lines.slice(0, linesMax).map((line, index) => (
          <li key={index}>
            <p>{line.sentence}</p>
            <p class="hint">
              <code class="chip">{line.keyword ?? line.kind}</code> <SchemaLink location={line.schemaLocation} />
            </p>
          </li>
        ))}
      </ul>
      {lines.length > linesMax && <p class="hint">{t.moreLines(lines.length - linesMax)}</p>}
    </section>
  );
}

function Coming() {
  return author.value === "coming" ? <p class="hint">{t.loading}</p> : null;
}

function Derived() {
  const copied = useSignal("");
  const told = derived.value;
  const text = told && "text" in told ? told.text : "";
  const copy = async () => {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    copied.value = done ? t.copied : t.notCopied;
    setTimeout(() => (copied.value = ""), 1800);
  };
  return (
    <div class="view-body">
      <div class="view-bar">
        <label class="select">
          <span class="visually-hidden">{t.target}</span>
          <select
            value={target.value}
            onChange={(event) => (target.value = event.currentTarget.value as typeof target.value)}
          >
            {targets.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <span class="fact">{told && "tokens" in told && t.aboutTokens(told.tokens.likely)}</span>
        <span class="said" role="status">
          {copied.value}
        </span>
        <button type="button" class="button small" disabled={text === ""} onClick={() => void copy()}>
          <Icon name="copy" />
          {t.copy}
        </button>
      </div>
      {told && "problem" in told && <p class="notice">{told.problem}</p>}
      <Coming />
      {told && "text" in told && (
        <>
          <pre class="derived-text" tabIndex={0} role="group" aria-label={t.derivedText}>
            {told.text}
          </pre>
          <Lines
            title={t.notEnforced}
            lines={told.residual}
            none={t.allEnforced}
          />
          <Lines title={t.narrower} lines={told.narrows} none={t.nowhere} />
        </>
      )}
    </div>
  );
}

function LintRow({ finding, index }: { finding: LintFinding; index: number }) {
  const isOwn = contractName.value === "";
  return (
    <li class={`lint-row sev-edge-${finding.severity}`}>
      <button type="button" class="problem-head" onClick={() => jumpToLint(index)}>
        <SeverityIcon severity={finding.severity} />
        <span class="visually-hidden">{severityWords[finding.severity]}: </span>
        <span class="message">
          <Words text={finding.message} />
        </span>
        <span class="where">
          <code class="chip">{finding.rule}</code>
          <span class="line-place">
            {finding.span.line}:{finding.span.column}
          </span>
        </span>
      </button>
      {(finding.why || (finding.fix && isOwn)) && (
        <div class="lint-why">
          {finding.why && (
            <p>
              <Words text={finding.why} />
            </p>
          )}
          {finding.fix && isOwn && (
            <button type="button" class="button small" onClick={() => makeLintFix(finding)}>
              {finding.fix.title}
            </button>
          )}
        </div>
      )}
    </li>
  );
}

function Lint() {
  const findings = lintReport.value?.findings ?? [];
  const fixable = findings.filter(({ fix }) => fix?.certain).length;
  const now = outcome.value;
  const words =
    now.kind === "contract_refused"
      ? t.lintRefused
      : lintReport.value === null
        ? ""
        : findings.length === 0
          ? t.lintClean
          : t.lintFindings(findings.length);
  return (
    <div class="view-body">
      <div class="view-bar">
        <span class="fact">{words}</span>
        {fixable > 0 && contractName.value === "" && (
          <button type="button" class="button small" onClick={() => void makeLintFixes()}>
            {t.fixSafe(fixable)}
          </button>
        )}
      </div>
      {now.kind === "contract_refused" && <p class="notice">{now.refusal.message}</p>}
      <Coming />
      <ol class="problems">
        {findings.slice(0, linesMax).map((finding, index) => (
          <LintRow key={`${finding.at} ${finding.rule} ${index}`} finding={finding} index={index} />
        ))}
      </ol>
    </div>
  );
}

export function ContractViewBody() {
  switch (contractView.value) {
    case "derived":
      return <Derived />;
    case "lint":
      return <Lint />;
    case "text":
      return null;
  }
}

// The card under the mouse about what lint has found.
export function LintCards({ ids }: { ids: number[] }) {
  const findings = lintReport.value?.findings ?? [];
  const shown = ids.flatMap((id) => findings[id - 1] ?? []);
  if (shown.length === 0) return null;
  return (
    <div class="cards">
      {shown.map((finding) => (
        <article key={`${finding.rule} ${finding.at}`} class={`card sev-edge-${finding.severity}`}>
          <h3>
            <SeverityIcon severity={finding.severity} />
            <span>
              <Words text={finding.message} />
            </span>
            <code class="chip">{finding.rule}</code>
          </h3>
          {finding.why && (
            <p class="lint-card-why">
              <Words text={finding.why} />
            </p>
          )}
          {finding.fix && contractName.value === "" && (
            <button type="button" class="button small" onClick={() => makeLintFix(finding)}>
              {finding.fix.title}
            </button>
          )}
        </article>
      ))}
    </div>
  );
}
