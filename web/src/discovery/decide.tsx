// What people say about an opportunity: the decision that there is, and the form for one.
import { useEffect, useState } from "preact/hooks";

import { Icon } from "../panes/icons";
import { Words } from "../panes/words";
import { stages, words, type Opportunity } from "./found";
import type { Decided } from "./server";
import { busy, conflict, from, mayDecide, nameReviewer, reviewer, takeDecision } from "./state";
import { discovery as t } from "../strings";

const decisions = [
  ["accepted", t.accept, t.acceptAbout],
  ["rejected", t.reject, t.rejectAbout],
  ["deferred", t.defer, t.deferAbout],
  ["sent_back", t.sendBack, t.sendBackAbout],
  ["priority_adjusted", t.changePriority, t.changePriorityAbout],
] as const;

const day = (at: string | undefined): string => (at ? new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }) : "");

function Standing({ one }: { one: Opportunity }) {
  const decision = one.decision;
  if (!decision) return null;
  return (
    <div class={`standing is-${decision.decision}`}>
      <p>
        <b>{words(decision.decision)}</b>
        {decision.adjusted_priority !== undefined && t.toRank(decision.adjusted_priority)}
        {decision.send_back_to_stage && t.toRank(words(decision.send_back_to_stage))}
        <span class="fact">
          {" "}
          {t.by(decision.by || t.someone, day(decision.at))}
        </span>
      </p>
      <p>{decision.reasoning}</p>
    </div>
  );
}

export function Decide({ one, count }: { one: Opportunity; count: number }) {
  const [decision, setDecision] = useState("");
  const [reasoning, setReasoning] = useState("");
  const [stage, setStage] = useState<string>("solution_validation");
  const [priority, setPriority] = useState(1);
  const [missing, setMissing] = useState("");
  useEffect(() => {
    setDecision("");
    setReasoning("");
    setMissing("");
  }, [one.opportunity_id]);
  const clash = conflict.value?.id === one.opportunity_id ? conflict.value : null;
  const send = async (event: Event) => {
    event.preventDefault();
    const by = reviewer.value.trim();
    const lacks = !decision ? t.chooseDecision : !reasoning.trim() ? t.giveReason : !by ? t.giveName : "";
    setMissing(lacks);
    if (lacks) return;
    const what: Decided = { decision, reasoning: reasoning.trim(), by };
    if (decision === "priority_adjusted") what.adjusted_priority = priority;
    if (decision === "sent_back") what.send_back_to_stage = stage;
    if (one.decision) what.revises = true;
    if (await takeDecision(one, what)) {
      setDecision("");
      setReasoning("");
    }
  };
  return (
    <section class="decide" aria-labelledby="decide-title">
      <h3 id="decide-title">{one.decision ? t.theDecision : t.yourDecision}</h3>
      <Standing one={one} />
      {clash && (
        <div class="clash" role="alert">
          <p>
            <Icon name="warn" /> <span>{clash.message}</span>
          </p>
          <button type="button" class="button small" onClick={() => void takeDecision(one, { ...clash.what, revises: true })}>
            {t.overwrite}
          </button>
          <button type="button" class="button ghost small" onClick={() => (conflict.value = null)}>
            {t.keepTheirs}
          </button>
        </div>
      )}
      {mayDecide.value ? (
        <form onSubmit={(event) => void send(event)}>
          <fieldset class="decisions">
            <legend>{one.decision ? t.changeTo : t.decideWhat}</legend>
            {decisions.map(([value, name, hint]) => (
              <label key={value} class={decision === value ? "is-chosen" : ""}>
                <input type="radio" name="decision" value={value} checked={decision === value} onChange={() => setDecision(value)} />
                <span>
                  <b>{name}</b> <span class="fact">{hint}</span>
                </span>
              </label>
            ))}
          </fieldset>
          {decision === "sent_back" && (
            <label class="asked">
              <span>{t.whichStage}</span>
              <select value={stage} onChange={(event) => setStage(event.currentTarget.value)}>
                {stages.slice(0, -1).map((name) => (
                  <option key={name} value={name}>
                    {words(name)}
                  </option>
                ))}
              </select>
            </label>
          )}
          {decision === "priority_adjusted" && (
            <label class="asked">
              <span>{t.whichRank}</span>
              <input
                type="number"
                min={1}
                max={Math.max(1, count)}
                value={priority}
                required
                onInput={(event) => setPriority(Number(event.currentTarget.value))}
              />
            </label>
          )}
          <label class="asked">
            <span>{decision === "sent_back" ? t.reasonSent : t.reason}</span>
            <textarea rows={3} value={reasoning} onInput={(event) => setReasoning(event.currentTarget.value)} />
          </label>
          <label class="asked">
            <span>{t.yourName}</span>
            <input type="text" autocomplete="name" value={reviewer.value} onInput={(event) => nameReviewer(event.currentTarget.value)} />
          </label>
          {missing && (
            <p class="is-bad" role="alert">
              {missing}
            </p>
          )}
          <button type="submit" class="button primary" disabled={busy.value}>
            <Icon name="check" />
            {t.decide}
          </button>
        </form>
      ) : (
        <p class="hint">
          <Words text={from.value === "server" ? t.notInReview : t.readOnlyExample} />
        </p>
      )}
    </section>
  );
}
