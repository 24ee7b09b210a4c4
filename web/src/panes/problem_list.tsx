// The problems in the order of the contract. One of them is active: its details are open, and it is the one under the
// cursor in the artifact. One stop for Tab; arrow keys go from problem to problem, Enter goes to the place.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Finding } from "@plumbline/plumbline";

import { activeId, jumpTo, shadowed, shown } from "../studio";
import { FindingDetails, messageOf, placeOf, severityWords } from "./finding_card";
import { SeverityIcon } from "./icons";
import { checking as t } from "../strings";

const pageSize = 100;

function Problem({ finding, active, tabStop }: { finding: Finding; active: boolean; tabStop: boolean }) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (active) item.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <li ref={item} class={`problem sev-edge-${finding.severity} ${active ? "active" : ""}`}>
      <button
        type="button"
        class="problem-head"
        data-problem={finding.id}
        tabIndex={tabStop ? 0 : -1}
        aria-expanded={active}
        aria-current={active ? "true" : undefined}
        onClick={() => jumpTo(finding.id)}
        onFocus={() => (activeId.value = finding.id)}
      >
        <SeverityIcon severity={finding.severity} />
        <span class="visually-hidden">{severityWords[finding.severity]}: </span>
        <span class="message">{messageOf(finding)}</span>
        <span class="where">
          <code class="chip">{finding.rule}</code>
          <span class="line-place" title={t.lineColumn(finding.span.line, finding.span.column)}>
            <span class="visually-hidden">{t.atLineColumn} </span>
            {placeOf(finding)}
          </span>
        </span>
      </button>
      {active && <FindingDetails finding={finding} />}
    </li>
  );
}

export function ProblemList() {
  const list = useRef<HTMLOListElement>(null);
  const pages = useSignal(1);
  const all = shown.value;
  const activeAt = all.findIndex((finding) => finding.id === activeId.value);
  const count = Math.max(pages.value * pageSize, activeAt + 1);
  const visible = all.slice(0, count);
  const tabStop = activeAt >= 0 ? activeAt : 0;

  function move(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    const from = Number((event.target as HTMLElement).closest<HTMLElement>("[data-problem]")?.dataset.problem ?? NaN);
    const at = visible.findIndex((finding) => finding.id === from);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = visible[Math.min(Math.max(at + step, 0), visible.length - 1)];
    list.current?.querySelector<HTMLElement>(`[data-problem="${next?.id}"]`)?.focus();
  }

  return (
    <>
      <ol class="problems" ref={list} onKeyDown={move}>
        {visible.map((finding, index) => (
          <Problem key={finding.id} finding={finding} active={index === activeAt} tabStop={index === tabStop} />
        ))}
      </ol>
      {all.length > count && (
        <p>
          <button type="button" class="button small" onClick={() => ++pages.value}>
            {t.showMore(Math.min(pageSize, all.length - count), all.length)}
          </button>
        </p>
      )}
      {shadowed.value.length > 0 && (
        <details class="shadowed">
          <summary>{t.shadowed(shadowed.value.length)}</summary>
          <ul>
            {shadowed.value.slice(0, pageSize).map((finding) => (
              <li key={finding.id}>
                {messageOf(finding)} <code class="chip">{finding.rule}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
