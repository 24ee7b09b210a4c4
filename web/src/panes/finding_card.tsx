// What is known of a finding: in the problem list and in the card under the mouse.
import { Fragment, render } from "preact";
import type { Finding } from "@plumbline/plumbline";

import { findings, isInContract, jumpTo, jumpToSchema } from "../studio";
import { SeverityIcon } from "./icons";
import { checking as t } from "../strings";

const causesMax = 5;

export const severityWords = { error: t.error, warning: t.warning, info: t.note } as const;

// A finding is certain before its value has ended; until then it has no message.
export function messageOf(finding: Finding): string {
  if (finding.message) return finding.message;
  const place = finding.item ? `${finding.item}: ` : "";
  const what = t.partial[finding.rule] ?? (finding.requirement ? `${finding.rule}: ${finding.requirement}` : finding.rule);
  return `${place}${what} …`;
}

export function placeOf(finding: Finding): string {
  return `${finding.span.line}:${finding.span.column}`;
}

// A pointer may be broken after each of its slashes, and only there.
export function Pointer({ pointer }: { pointer: string }) {
  return (
    <code class="pointer">
      {pointer.split("/").map((token, index) => (
        <Fragment key={index}>
          {index > 0 && (
            <>
              /<wbr />
            </>
          )}
          {token}
        </Fragment>
      ))}
    </code>
  );
}

export function SchemaLink({ location }: { location: string }) {
  if (!isInContract(location)) return <Pointer pointer={location} />;
  return (
    <button type="button" class="link" title={t.goToRule} onClick={() => jumpToSchema(location)}>
      {location === "" ? t.wholeContract : <Pointer pointer={location} />}
    </button>
  );
}

export function FindingDetails({ finding }: { finding: Finding }) {
  const allowed = (finding.allowed ?? []).map((value) => JSON.stringify(value));
  return (
    <dl class="details">
      {finding.requirement && (
        <>
          <dt>{t.requirement}</dt>
          <dd>{finding.requirement}</dd>
        </>
      )}
      {finding.provided && (
        <>
          <dt>{t.provided}</dt>
          <dd class="provided">
            <code>{finding.provided}</code>
          </dd>
        </>
      )}
      {allowed.length > 0 && (
        <>
          <dt>{t.allowed}</dt>
          <dd class="values">
            {allowed.map((value) => (
              <code key={value}>{value}</code>
            ))}
          </dd>
        </>
      )}
      {finding.action && (
        <>
          <dt>{t.toDo}</dt>
          <dd>{finding.action}</dd>
        </>
      )}
      <dt>{t.at}</dt>
      <dd>{finding.at === "" ? t.wholeArtifact : <Pointer pointer={finding.at} />}</dd>
      {finding.schemaLocation !== "" && (
        <>
          <dt>{t.rule}</dt>
          <dd>
            <SchemaLink location={finding.schemaLocation} />
          </dd>
        </>
      )}
      <dt>{t.decided}</dt>
      <dd>
        {t.decidedAfter(finding.decidedAt, finding.partial === true)}
      </dd>
      {(finding.causes?.length ?? 0) > 0 && (
        <>
          <dt>{t.because}</dt>
          <dd>
            <ul class="causes">
              {finding.causes?.slice(0, causesMax).map((cause, index) => (
                <li key={index}>
                  {messageOf(cause)} <code class="chip">{cause.rule}</code>
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </dl>
  );
}

function HoverCards({ ids }: { ids: number[] }) {
  const shown = ids.flatMap((id) => findings.value.find((finding) => finding.id === id) ?? []);
  return (
    <div class="cards">
      {shown.map((finding, index) => (
        <article key={finding.id} class={`card sev-edge-${finding.severity}`}>
          <h3>
            <SeverityIcon severity={finding.severity} />
            <span>
              <span class="visually-hidden">{severityWords[finding.severity]}: </span>
              {messageOf(finding)}
            </span>
            <code class="chip">{finding.rule}</code>
          </h3>
          {index === 0 ? (
            <FindingDetails finding={finding} />
          ) : (
            <button type="button" class="link" onClick={() => jumpTo(finding.id)}>
              {t.showThis}
            </button>
          )}
        </article>
      ))}
    </div>
  );
}

export function showCard(ids: number[], into: HTMLElement): () => void {
  render(<HoverCards ids={ids} />, into);
  return () => render(null, into);
}
