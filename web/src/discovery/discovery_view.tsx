// The view of discovery: opportunities in their order, what each came from, and the decision about it.
import { untracked, useSignalEffect } from "@preact/signals";
import { Words } from "../panes/words";

import { PaneFrame } from "../panes/drop_zone";
import { FileButton } from "../panes/file_button";
import { Icon } from "../panes/icons";
import { Problem } from "../panes/problem";
import { stateAt, stateWords } from "../runs/run_state";
import { address, view } from "../view";
import { Chain, Conversation } from "./chain";
import { Decide } from "./decide";
import "./discovery.css";
import { titleOf, words, type Found, type Opportunity } from "./found";
import {
  busy,
  choose,
  chosen,
  finish,
  found,
  from,
  keepOrder,
  mayDecide,
  move,
  openAddressed,
  openFramed,
  openExample,
  openText,
  opportunities,
  order,
  problem,
  reviewer,
  told,
} from "./state";
import { Boundaries, Coverage, Failures, LeftOut, Stages } from "./tables";
import { messages, discovery as t } from "../strings";

async function openFile(file: File): Promise<void> {
  if (file.size > 64 << 20) problem.value = messages.fileTooLarge(file.name);
  else openText(await file.text(), "file");
}

const stateOfView = ({ status, current_stage }: Found) =>
  ["completed", "failed", "cancelled"].includes(status) ? (status as "completed") : stateAt(null, { status, current_stage });

const OpenView = () => (
  <FileButton large title={t.openFile} label={t.openDiscovery} accept=".json,application/json" onFile={(file) => void openFile(file)} />
);

// "Passed the boundaries of briefs, solutions and specs without a judgement."
function unjudged(boundaries: readonly string[]): string {
  const names = boundaries.map(words);
  const last = names.pop() ?? "";
  const all = names.length > 0 ? t.boundaries(names.join(", "), last) : t.boundary(last);
  return t.notJudged(all);
}

function mark(one: Opportunity): string {
  if (one.decision) return words(one.decision.decision);
  if (one.infeasible) return t.infeasibleMark;
  return one.rank == null ? t.leftOutMark : t.openMark;
}

function Row({ one, place, last }: { one: Opportunity; place: number; last: number }) {
  const id = one.opportunity_id;
  const warnings = one.warnings?.length ?? 0;
  const ordering = order.value !== null && one.rank != null;
  return (
    <li class={`is-${(one.decision?.decision ?? mark(one)).replaceAll(" ", "-")}`}>
      <button type="button" class="opportunity" aria-current={chosen.value?.opportunity_id === id ? "true" : undefined} onClick={() => choose(id)}>
        <span class="rank">{one.rank == null ? "–" : ordering ? place + 1 : one.rank}</span>
        <span class="opportunity-words">
          <span class="opportunity-title">{titleOf(one)}</span>
          <span class="fact">
            {id}
            {one.revised_from && t.revisedFrom(one.revised_from)} · {mark(one)}
            {warnings > 0 && (
              <span class="is-warned">
                {" "}
                · {t.nWarnings(warnings)}
              </span>
            )}
            {(one.unverified?.length ?? 0) > 0 && <span class="is-warned"> {t.notJudgedMark}</span>}
          </span>
        </span>
      </button>
      {ordering && (
        <span class="moves">
          <button type="button" class="button ghost small" aria-label={t.moveUp(id)} disabled={place === 0} onClick={() => move(id, -1)}>
            <Icon name="up" />
          </button>
          <button type="button" class="button ghost small" aria-label={t.moveDown(id)} disabled={place === last} onClick={() => move(id, 1)}>
            <Icon name="down" />
          </button>
        </span>
      )}
    </li>
  );
}

function Ordering() {
  if (!mayDecide.value) return null;
  const ranked = opportunities.value.filter((one) => one.rank != null);
  if (ranked.length < 2) return null;
  if (!order.value)
    return (
      <button type="button" class="button small" onClick={() => (order.value = ranked.map((one) => one.opportunity_id))}>
        {t.changeOrder}
      </button>
    );
  return (
    <span class="ordering">
      <button type="button" class="button primary small" disabled={busy.value || !reviewer.value.trim()} onClick={() => void keepOrder()}>
        {t.saveOrder}
      </button>
      <button type="button" class="button ghost small" onClick={() => (order.value = null)}>
        {t.cancelOrder}
      </button>
      {!reviewer.value.trim() && <span class="fact">{t.giveNameBelow}</span>}
    </span>
  );
}

function List() {
  const all = opportunities.value;
  const last = all.filter((one) => one.rank != null).length - 1;
  return (
    <section class="opportunities" aria-labelledby="opportunities-title">
      <header>
        <h3 id="opportunities-title">{t.opportunities}</h3>
        <Ordering />
      </header>
      {all.length === 0 ? (
        <p class="hint">{t.noneYet}</p>
      ) : (
        <ol onKeyDown={onListKey}>
          {all.map((one, i) => (
            <Row key={one.opportunity_id} one={one} place={i} last={last} />
          ))}
        </ol>
      )}
    </section>
  );
}

// Up and down go through the list; with Alt they move what has the focus while the order is being changed.
function onListKey(event: KeyboardEvent): void {
  const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
  const button = (event.target as HTMLElement).closest<HTMLButtonElement>(".opportunity");
  if (by === 0 || !button) return;
  event.preventDefault();
  const list = event.currentTarget as HTMLElement;
  const buttons = [...list.querySelectorAll<HTMLButtonElement>(".opportunity")];
  const at = buttons.indexOf(button);
  const one = opportunities.value[at];
  if (event.altKey && order.value && one) {
    move(one.opportunity_id, by);
    requestAnimationFrame(() => list.querySelectorAll<HTMLButtonElement>(".opportunity")[Math.max(0, at + by)]?.focus());
    return;
  }
  const next = opportunities.value[at + by];
  if (!next) return;
  choose(next.opportunity_id);
  buttons[at + by]?.focus();
}

function Chosen({ now }: { now: Found }) {
  const one = chosen.value;
  if (!one) return <p class="hint empty-part">{t.nothingToShow}</p>;
  const ranked = opportunities.value.filter((other) => other.rank != null).length;
  return (
    <article class="chosen" aria-labelledby="chosen-title">
      <header>
        <h3 id="chosen-title">{titleOf(one)}</h3>
        <p class="fact">
          {one.opportunity_id}
          {one.revised_from && t.madeFrom(one.revised_from)}
          {one.rank != null && t.rankOf(one.rank, ranked)}
          {one.stage && t.reached(words(one.stage))}
        </p>
      </header>
      {((one.warnings?.length ?? 0) > 0 || (one.unverified?.length ?? 0) > 0) && (
        <ul class="warnings" aria-label={t.lookClosely}>
          {(one.warnings ?? []).map((text) => (
            <li key={text}>
              <Icon name="warn" />
              <span>{text}</span>
            </li>
          ))}
          {(one.unverified?.length ?? 0) > 0 && (
            <li>
              <Icon name="warn" />
              <span>{unjudged(one.unverified ?? [])}</span>
            </li>
          )}
        </ul>
      )}
      {one.rationale && (
        <p class="rationale">
          <b>{t.whyThisRank}</b> {one.rationale}
          {(one.flags ?? []).map((flag) => (
            <span key={flag} class="flag">
              {words(flag)}
            </span>
          ))}
        </p>
      )}
      <Chain one={one} found={now} key={one.opportunity_id} />
      <Conversation one={one} />
      <Decide one={one} count={ranked} />
    </article>
  );
}

function Welcome() {
  return (
    <div class="discovery-welcome">
      <h2>{t.welcome}</h2>
      <p>
        {t.welcomeAbout}
      </p>
      <div class="welcome-acts">
        <button type="button" class="button primary" onClick={() => void openExample()}>
          <Icon name="play" />
          {t.seeExample}
        </button>
        <OpenView />
      </div>
      <p class="hint">
        <Words text={t.welcomeSources} />
      </p>
    </div>
  );
}

function Finishing({ now }: { now: Found }) {
  if (!mayDecide.value) return null;
  const open = (now.opportunities ?? []).filter((one) => one.rank != null && !one.decision).length;
  return (
    <p class="discovery-head">
      <span class="fact">{t.toDecide(open)}</span>
      <button type="button" class="button" disabled={busy.value || !reviewer.value.trim()} onClick={() => void finish()}>
        {t.completeReview}
      </button>
    </p>
  );
}

function Review({ now }: { now: Found }) {
  return (
    <>
      <div role="status" class={told.value ? "told" : "visually-hidden"}>
        {told.value}
      </div>
      {now.error && <p class="is-bad">{now.error}</p>}
      <Failures found={now} />
      <div class="review">
        <List />
        <Chosen now={now} />
      </div>
      <Boundaries found={now} />
      <Stages found={now} />
      <Coverage found={now} />
      <LeftOut found={now} />
    </>
  );
}

// In the frame of a run, which has its title, its state and its journal.
export function DiscoveryReview() {
  useSignalEffect(openFramed);
  useSignalEffect(() => {
    void address.value;
    untracked(() => void openAddressed());
  });
  const now = found.value;
  return (
    <div class="discovery">
      <Problem of={problem} />
      {now?.opportunities && (
        <>
          <Finishing now={now} />
          <Review now={now} />
        </>
      )}
    </div>
  );
}

// The result of a discovery from a file, which has no journal, and the example.
export function DiscoveryView() {
  useSignalEffect(() => {
    void address.value;
    untracked(() => void openAddressed());
  });
  useSignalEffect(() => {
    if (view.value === "discovery") document.title = found.value ? t.titleOf(found.value.run_id) : t.title;
  });
  const now = from.value === "server" ? null : found.value;
  return (
    <div class="discovery">
      <PaneFrame
        id="discovery-pane"
        class="discovery-pane"
        label={t.heading}
        onFile={(file) => void openFile(file)}
        dropHint={t.dropHere}
      >
        <Problem of={problem} />
        {now?.opportunities ? (
          <>
            <header class="discovery-head">
              <h2>{from.value === "example" ? t.anExample : now.config?.target_domain || t.aDiscovery}</h2>
              <p class="fact">{stateWords[stateOfView(now)]}</p>
              <div class="discovery-tools">
                <OpenView />
              </div>
            </header>
            <Review now={now} />
          </>
        ) : (
          <Welcome />
        )}
      </PaneFrame>
    </div>
  );
}
