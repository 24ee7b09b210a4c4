// What an opportunity came from, side by side: findings, brief, solution, specification; the evidence one click away.
import { useState } from "preact/hooks";

import { Icon } from "../panes/icons";
import { listOf, textOf, words, type Artifact, type Evidence, type Finding, type Found, type Opportunity, type Pointer } from "./found";
import { discovery as t } from "../strings";

const fieldsOf = {
  brief: ["affected_area", "counterfactual", "explorer_coverage", "opportunity_nature", "recommended_response"],
  solution: ["success_metrics", "build_experiment_decision", "decision_rationale", "experiment_plan", "experience_direction", "skip_rationale"],
  spec: ["effort_estimate", "dependencies", "acceptance_criteria", "constraints"],
  infeasible: ["feasibility_assessment", "infeasibility_reason", "constraints_identified"],
};

// Words of a fixed list, written with underscores.
const coded = new Set(["build_experiment_decision", "feasibility_assessment", "recommended_response"]);

const leftOut = (one: Opportunity): string => (one.left_out ? t.leftOutBecause(one.left_out) : "");

const noteOf = (solution: Artifact): string => {
  const note = textOf(solution["convergence_note"]).replace(/\.$/, "");
  return note ? `: ${note}` : "";
};

// Pieces of evidence that are named at once; the others when they are asked for.
const evidence_first = 6;

function place(evidence: Evidence): string {
  const file = evidence.path ?? "";
  return [evidence.source, file && (evidence.line ? `${file}:${evidence.line}` : file)].filter(Boolean).join(" · ");
}

// Where nothing says which service it is from, it is at least from one of the sources that were named.
const sourceOf = (one: Pointer, found: Found): string =>
  one.source_type && one.source_type !== "other" ? one.source_type : (found.evidence?.[one.source_id ?? ""]?.source ?? one.source_type ?? t.sourceWord);

function EvidenceList({ pointers, found, of }: { pointers: Pointer[]; found: Found; of: string }) {
  const [shown, setShown] = useState("");
  const [all, setAll] = useState(pointers.length <= evidence_first);
  if (pointers.length === 0) return null;
  const evidence = found.evidence?.[shown];
  const box = `evidence-${of}`;
  return (
    <div class="evidence">
      <h5>{t.evidence}</h5>
      <ul>
        {(all ? pointers : pointers.slice(0, evidence_first)).map((one, i) => {
          const id = one.source_id ?? "";
          return (
            <li key={`${id}-${i}`}>
              <button
                type="button"
                class="evidence-chip"
                aria-expanded={shown === id}
                aria-controls={box}
                onClick={() => setShown(shown === id ? "" : id)}
              >
                <span class="fact">{sourceOf(one, found)}</span> {id}
              </button>
            </li>
          );
        })}
        {!all && (
          <li>
            <button type="button" class="evidence-chip" onClick={() => setAll(true)}>
              {t.moreEvidence(pointers.length - evidence_first)}
            </button>
          </li>
        )}
      </ul>
      <div id={box} hidden={shown === ""}>
        {shown !== "" &&
          (evidence ? (
            <figure>
              <blockquote>{evidence.text ?? ""}</blockquote>
              <figcaption>
                <code>{place(evidence) || shown}</code>
              </figcaption>
            </figure>
          ) : (
            <p class="is-bad">{t.noEvidence(shown)}</p>
          ))}
      </div>
    </div>
  );
}

function Fields({ artifact, names }: { artifact: Artifact; names: string[] }) {
  const rows = names.map((name) => [name, coded.has(name) ? words(textOf(artifact[name])) : textOf(artifact[name])] as const).filter(([, text]) => text !== "");
  if (rows.length === 0) return null;
  return (
    <dl>
      {rows.map(([name, text]) => (
        <div key={name}>
          <dt>{words(name)}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Warnings({ artifact }: { artifact: Artifact }) {
  const warnings = listOf<string>(artifact["validation_warnings"]);
  if (warnings.length === 0) return null;
  return (
    <ul class="chain-warnings" aria-label={t.warnings}>
      {warnings.map((one) => (
        <li key={one}>
          <Icon name="warn" />
          <span>{textOf(one)}</span>
        </li>
      ))}
    </ul>
  );
}

function Card({ title, lead, artifact, names, found, of, children }: {
  title: string;
  lead: string;
  artifact: Artifact;
  names: string[];
  found: Found;
  of: string;
  children?: preact.ComponentChildren;
}) {
  return (
    <section class="artifact-card" aria-label={title}>
      <h4>{title}</h4>
      <p class="lead">{lead}</p>
      <Warnings artifact={artifact} />
      <Fields artifact={artifact} names={names} />
      {children}
      <EvidenceList pointers={listOf<Pointer>(artifact["evidence"])} found={found} of={of} />
    </section>
  );
}

function FindingsCard({ findings, found }: { findings: Finding[]; found: Found }) {
  return (
    <section class="artifact-card" aria-label={t.findings}>
      <h4>{t.findings}</h4>
      {findings.length === 0 && <p class="hint">{t.noFindings}</p>}
      {findings.map((one, i) => (
        <article key={one.id ?? i}>
          <h5 class="finding-name">
            {one.pattern_name ?? one.id} <span class="fact">{one.confidence}</span>
          </h5>
          <p>{one.description}</p>
          <p class="fact">
            {[one.severity_assessment && t.severity(one.severity_assessment), one.affected_users_estimate]
              .filter(Boolean)
              .join(", ")}
          </p>
          <EvidenceList pointers={one.evidence ?? []} found={found} of={`finding-${one.id ?? i}`} />
        </article>
      ))}
    </section>
  );
}

function Risks({ spec }: { spec: Artifact }) {
  const risks = listOf<Artifact>(spec["risks"]);
  if (risks.length === 0) return null;
  return (
    <div class="risks">
      <h5>{t.risks}</h5>
      <ul>
        {risks.map((one, i) => (
          <li key={i}>
            <b>{textOf(one["severity"])}</b> {textOf(one["description"])}
            <span class="fact"> – {textOf(one["mitigation"])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Nothing({ title, why }: { title: string; why: string }) {
  return (
    <section class="artifact-card is-empty" aria-label={title}>
      <h4>{title}</h4>
      <p class="hint">{why}</p>
    </section>
  );
}

export function Chain({ one, found }: { one: Opportunity; found: Found }) {
  const { brief, solution, spec, infeasible } = one;
  const sources = new Set(listOf<string>(brief?.["source_findings"]));
  const findings = (found.findings ?? []).filter((finding) => finding.id !== undefined && sources.has(finding.id));
  const id = one.opportunity_id;
  return (
    <div class="chain" role="region" aria-label={t.chain} tabIndex={0}>
      <FindingsCard findings={findings} found={found} />
      {brief ? (
        <Card title={t.brief} lead={textOf(brief["problem_statement"])} artifact={brief} names={fieldsOf.brief} found={found} of={`brief-${id}`} />
      ) : (
        <Nothing title={t.brief} why={leftOut(one) || t.notFramed} />
      )}
      {solution ? (
        <Card title={t.solution} lead={textOf(solution["proposed_solution"])} artifact={solution} names={fieldsOf.solution} found={found} of={`solution-${id}`}>
          {solution["convergence_forced"] === true && (
            <p class="forced">
              <Icon name="warn" /> <span>{t.noAgreement(noteOf(solution))}</span>
            </p>
          )}
        </Card>
      ) : (
        <Nothing title={t.solution} why={leftOut(one) || t.noSolution} />
      )}
      {spec ? (
        <Card title={t.specification} lead={textOf(spec["approach"])} artifact={spec} names={fieldsOf.spec} found={found} of={`spec-${id}`}>
          <Risks spec={spec} />
        </Card>
      ) : infeasible ? (
        <Card title={t.infeasible} lead={textOf(infeasible["solution_summary"])} artifact={infeasible} names={fieldsOf.infeasible} found={found} of={`infeasible-${id}`} />
      ) : (
        <Nothing title={t.specification} why={leftOut(one) || t.noSpecification} />
      )}
    </div>
  );
}

export function Conversation({ one }: { one: Opportunity }) {
  const turns = one.conversation ?? [];
  if (turns.length === 0) return null;
  return (
    <details class="conversation">
      <summary>
        {t.dialogue}{" "}
        <span class="fact">
          {t.nTurns(turns.length)}
        </span>
      </summary>
      <ol>
        {turns.map((turn, i) => (
          <li key={i}>
            <b>{turn.agent}</b>{" "}
            <span class="fact">
              {words(turn.stage)}
              {turn.round !== undefined && t.inRound(turn.round)}
            </span>
            <p>{turn.text}</p>
          </li>
        ))}
      </ol>
    </details>
  );
}
