// The view of roles: a decision, the history it was made from, and the gates that it passes or does not.
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { MeasuredHistory, ScorecardLine, Verdict } from "plumbline";

import type { RoleTold } from "../messages";
import { judgeRole } from "../studio";
import { putInAddress, shownIn } from "./address";
import { roles, type Role } from "./examples";
import "./roles.css";

const first = roles[0]!;
const role = signal(first.contract);
const artifact = signal(first.artifact);
const context = signal(first.context);
const told = signal<RoleTold | { problem: string } | null>(null);
const waitMs = 80;

function choose(one: Role): void {
  role.value = one.contract;
  artifact.value = one.artifact;
  context.value = one.context;
}

function readAddress(): void {
  const shown = shownIn("roles");
  const known = roles.find(({ contract }) => contract === shown.role);
  if (!known) return;
  role.value = known.contract;
  artifact.value = typeof shown.artifact === "string" ? shown.artifact : known.artifact;
  context.value = typeof shown.context === "string" ? shown.context : known.context;
}

const signs = { holds: "✓", broken: "✗", undecided: "?" } as const;
const words = { holds: "Pass", broken: "Fail", undecided: "Open" } as const;
const decisions: Record<Verdict["decision"], string> = {
  accept: "Passes its gates",
  accept_with_warnings: "Passes its gates, with warnings",
  accept_unverified: "Passes, unverified",
  undecided: "Not decided",
  revise: "To be revised",
  block: "Blocked",
};

function Line({ line, verdict }: { line: ScorecardLine; verdict: Verdict }) {
  const ask = verdict.undecided.find(({ rule, at }) => rule === line.id && at === line.at)?.ask;
  const reason = line.outcome === "holds" ? undefined : (line.reason ?? ask);
  return (
    <li data-outcome={line.outcome} data-rule={line.id}>
      <span class="sign" aria-hidden="true">
        {signs[line.outcome]}
      </span>
      <div>
        <p class="line-title">
          <span class="visually-hidden">{words[line.outcome]}: </span>
          {line.title ?? line.id}
          {line.at ? <code>{line.at}</code> : null}
          {line.blocks && line.outcome === "broken" ? <span class="gate">gate</span> : null}
        </p>
        {reason ? <p class="reason">{line.asks && reason === ask ? `For a judge: ${reason}` : reason}</p> : null}
        {line.outcome === "broken" && line.action ? <p class="action">→ {line.action}</p> : null}
      </div>
    </li>
  );
}

function History({ measured }: { measured: MeasuredHistory }) {
  return (
    <section aria-labelledby="history-title">
      <h3 id="history-title">What the history measures</h3>
      <p class="reason">
        {measured.searches} searches, {measured.duplicate_queries} asked again, {measured.no_change_streak} at the end
        without progress; {measured.facts} facts from {measured.sources} sources on {measured.domains} hosts
      </p>
      <div class="history" tabIndex={0} role="region" aria-label="Searches, one by one">
        <table>
          <thead>
            <tr>
              {["Search", "Evidence", "Query", "Grounding", "New facts", "New sources"].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {measured.cycles.map((cycle, index) => (
              <tr key={index}>
                <th scope="row">{index + 1}</th>
                <td data-delta={cycle.evidence_delta}>{cycle.evidence_delta}</td>
                <td>{cycle.novelty}</td>
                <td>{cycle.grounding}</td>
                <td class="number">{cycle.facts_new}</td>
                <td class="number">{cycle.sources_new}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Card({ answer }: { answer: RoleTold }) {
  const { verdict, measured, feedback } = answer;
  const scored = new Set(verdict.scorecard.map(({ id }) => id));
  const others = verdict.findings.filter(({ rule, shadowedBy }) => !scored.has(rule) && shadowedBy === undefined);
  const labels = Object.entries(verdict.labels);
  return (
    <>
      <p class={`decision tone-${verdict.valid ? "ok" : "error"}`}>{decisions[verdict.decision]}</p>
      <ul class="lines">
        {others.map((finding) => (
          <li data-outcome="broken" data-rule={finding.rule} key={finding.id}>
            <span class="sign" aria-hidden="true">
              ✗
            </span>
            <div>
              <p class="line-title">
                {finding.message}
                {finding.at ? <code>{finding.at}</code> : null}
              </p>
            </div>
          </li>
        ))}
        {verdict.scorecard.map((line, index) => (
          <Line key={index} line={line} verdict={verdict} />
        ))}
      </ul>
      {labels.length > 0 && (
        <dl class="labels" aria-label="Labels, computed">
          {labels.map(([name, label]) => (
            <div key={name}>
              <dt>{name.replace("_", " ")}</dt>
              <dd>{label}</dd>
            </div>
          ))}
        </dl>
      )}
      {measured && measured.searches > 0 && <History measured={measured} />}
      {!verdict.valid && (
        <details>
          <summary>What goes back to the model</summary>
          <pre tabIndex={0}>{JSON.stringify(JSON.parse(feedback), null, 2)}</pre>
        </details>
      )}
    </>
  );
}

export function RolesView() {
  useEffect(() => {
    document.title = "Roles – Plumbline";
    readAddress();
    addEventListener("hashchange", readAddress);
    return () => removeEventListener("hashchange", readAddress);
  }, []);
  useSignalEffect(() => {
    const asked = { role: role.value, artifact: artifact.value, context: context.value };
    let dropped = false;
    const timer = setTimeout(() => {
      if (location.hash.startsWith("#roles")) putInAddress("roles", asked);
      void judgeRole(asked.role, asked.artifact, asked.context).then((answer) => {
        if (!dropped) told.value = answer ?? { problem: "The check module could not be loaded." };
      });
    }, waitMs);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  });
  const answer = told.value;
  return (
    <main class="roles two">
      <section class="pane" aria-label="Decision">
        <div class="role-fields">
          <div class="segments" role="group" aria-label="Role">
            {roles.map((one) => (
              <button
                key={one.contract}
                type="button"
                aria-pressed={role.value === one.contract}
                onClick={() => choose(one)}
              >
                {one.title}
              </button>
            ))}
          </div>
          <label for="role-artifact">Decision, as JSON</label>
          <textarea
            id="role-artifact"
            spellcheck={false}
            value={artifact.value}
            onInput={(event) => (artifact.value = event.currentTarget.value)}
          />
          <label for="role-context">Context: the history it was made from</label>
          <textarea
            id="role-context"
            spellcheck={false}
            value={context.value}
            onInput={(event) => (context.value = event.currentTarget.value)}
          />
        </div>
      </section>
      <section class="pane" aria-label="Gates" aria-live="polite">
        <div class="role-card">
          <h2>Gates</h2>
          {answer === null ? null : "problem" in answer ? (
            <p class="notice">{answer.problem}</p>
          ) : (
            <Card answer={answer} />
          )}
        </div>
      </section>
    </main>
  );
}
