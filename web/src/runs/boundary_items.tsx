// A boundary: what became of each item, and what each cycle of judging and revising came to.
import { Icon } from "../panes/icons";
import { shownView } from "./state";
import { runs as t } from "../strings";

const itemsMax = 500;

interface Item {
  id: string;
  name?: string;
  passed: "accepted" | "warned" | "failed";
  unverified?: boolean;
  rejections?: number;
  revisions?: number;
  revised_from?: string;
  why?: { rule?: string; reason?: string };
  value?: unknown;
}
interface Rejection {
  id: string;
  name?: string;
  rule?: string;
  reason?: string;
}
interface Cycle {
  cycle: number;
  accepted: number;
  rejected: number;
  unverified?: number;
  skipped?: number;
  rejections?: Rejection[];
}
interface View {
  cycles?: Cycle[];
  boundary?: { agent?: string; producer?: string; produced?: number; accepted?: number; warned?: number; failed?: number };
  result?: { items?: Item[]; held_back?: Item[] };
}

const verdicts = { accepted: t.itemAccepted, warned: t.itemWarned, failed: t.itemFailed };
const tones = { accepted: "is-good", warned: "is-warned", failed: "is-bad" };
const icons = { accepted: "check", warned: "warn", failed: "close" } as const;

function One({ item }: { item: Item }) {
  const { id, name, passed, unverified, rejections = 0, revisions = 0, revised_from, why, value } = item;
  return (
    <li>
      <details>
        <summary>
          <span class={`item-verdict ${tones[passed]}`}>
            <Icon name={icons[passed]} />
            {verdicts[passed]}
          </span>
          <b>{name || id}</b>
          <span class="fact">
            {t.itemId(id)}
            {revised_from && t.itemFrom(revised_from)}
            {rejections > 0 && t.itemHistory(rejections, revisions)}
            {unverified && t.itemNotJudged}
          </span>
          {why && <span class="item-why">{[why.rule, why.reason].filter(Boolean).join(": ")}</span>}
        </summary>
        <pre tabIndex={0} aria-label={t.itemValue(name || id)}>
          {JSON.stringify(value, null, 2)}
        </pre>
      </details>
    </li>
  );
}

export function BoundaryItems() {
  const { cycles = [], boundary, result } = shownView.value as View;
  const items = [...(result?.items ?? []), ...(result?.held_back ?? [])];
  const producer = boundary?.producer;
  return (
    <div class="boundary">
      {boundary && (
        <p class="boundary-between">
          {t.boundaryOf(boundary.produced ?? 0, producer ?? "", boundary.agent ?? "")}{" "}
          <b>{t.boundaryCame(boundary.accepted ?? 0, boundary.warned ?? 0, boundary.failed ?? 0)}</b>
        </p>
      )}
      <h3>{t.items}</h3>
      {items.length === 0 ? (
        <p class="hint">{t.itemsLater}</p>
      ) : (
        <ul class="items" aria-label={t.items}>
          {items.slice(0, itemsMax).map((item) => (
            <One key={item.id} item={item} />
          ))}
        </ul>
      )}
      {items.length > itemsMax && <p class="hint">{t.andMore(items.length - itemsMax)}</p>}
      <h3>{t.cycles}</h3>
      {cycles.length === 0 && <p class="hint">{t.noCyclesYet}</p>}
      <ol class="boundary-cycles" aria-label={t.cycles}>
        {cycles.map((one) => (
          <li key={one.cycle}>
            <p>
              <b>{one.cycle === 0 ? t.firstCycle : t.cycleN(one.cycle)}</b>{" "}
              {t.cycleCame(one.accepted, one.rejected, one.unverified ?? 0, one.skipped ?? 0)}
            </p>
            {(one.rejections?.length ?? 0) > 0 && (
              <ul>
                {one.rejections?.slice(0, itemsMax).map(({ id, name, rule, reason }) => (
                  <li key={id}>
                    <b>{name || id}</b> {rule && <code class="chip">{rule}</code>} {reason}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
