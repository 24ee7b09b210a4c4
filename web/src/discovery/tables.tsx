// What happened on the way: stages and their attempts, what was read, and what was sent back at each boundary.
import type { ComponentChildren } from "preact";

import { Icon } from "../panes/icons";
import { textOf, words, type Boundary, type Found } from "./found";
import { discovery as t } from "../strings";

// Above this share of rejected artifacts a producer is marked: its prompt may need another look.
const share_marked = 0.3;

function Frame({ title, note, children }: { title: string; note?: string; children: ComponentChildren }) {
  return (
    <section class="part">
      <h3>
        {title}
        {note && <span class="fact">{note}</span>}
      </h3>
      <div class="table-frame" tabIndex={0} role="region" aria-label={title}>
        {children}
      </div>
    </section>
  );
}

const percent = (part: number, all: number): string => (all === 0 ? "–" : `${Math.round((part / all) * 100)} %`);

function Cycles({ one }: { one: Boundary }) {
  const cycles = one.cycles ?? [];
  if (cycles.length === 0) return <>–</>;
  return (
    <ol class="cycles">
      {cycles.map((cycle) => (
        <li key={cycle.cycle}>
          {t.rejectedOf(cycle.rejected, cycle.accepted + cycle.rejected)}
          {cycle.rejected_item_ids && cycle.rejected_item_ids.length > 0 && <code>{cycle.rejected_item_ids.join(" ")}</code>}
          {(cycle.rejections ?? []).map((rejection, i) => (
            <p key={i} class="fact">
              {textOf(rejection["id"])}: {textOf(rejection["reason"])}
            </p>
          ))}
        </li>
      ))}
    </ol>
  );
}

export function Boundaries({ found }: { found: Found }) {
  const all = found.boundaries ?? [];
  if (all.length === 0) return null;
  return (
    <Frame title={t.boundariesTitle} note={t.markedAbove(share_marked * 100)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.columnBoundary}</th>
            <th scope="col">{t.columnProducer}</th>
            <th scope="col">{t.columnJudge}</th>
            <th scope="col" class="number">{t.columnProduced}</th>
            <th scope="col" class="number">{t.columnAccepted}</th>
            <th scope="col" class="number">{t.columnWarned}</th>
            <th scope="col" class="number">{t.columnNotJudged}</th>
            <th scope="col" class="number">{t.columnFailed}</th>
            <th scope="col" class="number">{t.columnRejections}</th>
            <th scope="col" class="number">{t.columnShare}</th>
            <th scope="col" class="number">{t.columnRetries}</th>
            <th scope="col">{t.columnCycles}</th>
          </tr>
        </thead>
        <tbody>
          {all.map((one) => {
            const marked = one.produced > 0 && one.validation_rejections / one.produced > share_marked;
            return (
              <tr key={`${one.boundary}-${one.attempt ?? 1}`}>
                <th scope="row">
                  {words(one.boundary)}
                  {(one.attempt ?? 1) > 1 && <span class="fact">{t.attempt(one.attempt ?? 1)}</span>}
                </th>
                <td>{one.producer}</td>
                <td>{one.agent}</td>
                <td class="number">{one.produced}</td>
                <td class="number">{one.accepted}</td>
                <td class={`number ${one.warned > 0 ? "is-warned" : ""}`}>{one.warned}</td>
                <td class={`number ${(one.unverified ?? 0) > 0 ? "is-warned" : ""}`}>{one.unverified ?? 0}</td>
                <td class={`number ${(one.failed ?? 0) > 0 ? "is-bad" : ""}`}>{one.failed ?? 0}</td>
                <td class="number">{one.validation_rejections}</td>
                <td class={`number ${marked ? "is-bad" : ""}`}>
                  {percent(one.validation_rejections, one.produced)}
                  {marked && <span class="visually-hidden"> {t.marked}</span>}
                </td>
                <td class="number">{one.validation_retries}</td>
                <td>
                  <Cycles one={one} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Frame>
  );
}

// What did not work comes above what it left behind: a ranking that nobody made looks like one.
export function Failures({ found }: { found: Found }) {
  const failures = found.failures ?? [];
  if (failures.length === 0) return null;
  return (
    <ul class="warnings" aria-label={t.failed}>
      {failures.map((one) => (
        <li key={`${one.stage} ${one.agent} ${one.why}`}>
          <Icon name="warn" />
          <span>
            {t.failedIn(one.agent ?? "", words(one.stage), (one.opportunities ?? []).join(", "), one.why ?? "")}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function Stages({ found }: { found: Found }) {
  const all = found.stages ?? [];
  if (all.length === 0) return null;
  return (
    <section class="part">
      <h3>{t.stages}</h3>
      <ol class="stages">
        {all.map((one) => (
          <li key={`${one.stage}-${one.attempt ?? 1}`} class={`is-${one.status}`}>
            <b>{words(one.stage)}</b>
            <span class="fact">
              {words(one.status)}
              {(one.attempt ?? 1) > 1 && t.inAttempt(one.attempt ?? 1)}
            </span>
            {one.send_back_reason && (
              <p>
                {t.sentBackFrom(words(one.sent_back_from), one.send_back_reason)}
              </p>
            )}
            {(one.warnings ?? []).map((text) => (
              <p key={text} class="is-warned">
                {text}
              </p>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Coverage({ found }: { found: Found }) {
  const explorers = found.coverage?.explorers ?? [];
  if (explorers.length === 0) return null;
  return (
    <Frame title={t.coverage}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.columnExplorer}</th>
            <th scope="col" class="number">{t.columnAvailable}</th>
            <th scope="col" class="number">{t.columnReviewed}</th>
            <th scope="col" class="number">{t.columnSkipped}</th>
            <th scope="col">{t.columnWhy}</th>
          </tr>
        </thead>
        <tbody>
          {explorers.map((one) => {
            const odd = (one.reviewed ?? 0) + (one.skipped ?? 0) !== (one.available ?? 0);
            return (
              <tr key={one.agent_name}>
                <th scope="row">{words(one.agent_name)}</th>
                <td class={`number ${odd ? "is-bad" : ""}`}>{one.available ?? 0}</td>
                <td class="number">{one.reviewed ?? 0}</td>
                <td class="number">{one.skipped ?? 0}</td>
                <td>
                  {odd && <p class="is-bad">{t.coverageOdd}</p>}
                  {(one.skipped_why ?? []).map((why) => (
                    <p key={why.why}>
                      {why.count} {why.why} {why.where && <code>{why.where}</code>}
                    </p>
                  ))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Frame>
  );
}

export function LeftOut({ found }: { found: Found }) {
  const left = found.left_out ?? [];
  const refused = (found.signals ?? []).filter((one) => one.accepted === false);
  if (left.length === 0 && refused.length === 0) return null;
  return (
    <section class="part">
      {left.length > 0 && (
        <>
          <h3>{t.leftOut}</h3>
          <ul class="left-out">
            {left.map((one, i) => (
              <li key={i}>
                <code>{one.id}</code> {t.inStage(words(one.stage), one.why ?? "")}
              </li>
            ))}
          </ul>
        </>
      )}
      {refused.length > 0 && (
        <>
          <h3>{t.notApplied}</h3>
          <ul class="left-out">
            {refused.map((one, i) => (
              <li key={i}>
                {words(one.kind)} {one.opportunity_id && <code>{one.opportunity_id}</code>} {t.byBecause(one.by || t.someone, one.why ?? "")}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
