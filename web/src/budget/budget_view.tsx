// The view of budgets: a window by its parts, what is cut from it, how full it gets, and other models beside it.
import { signal, useSignalEffect } from "@preact/signals";
import { Words } from "../panes/words";
import { createElement } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { loadBudget, type AssembleElement, type ModelProfile, type PlumbBudget } from "@plumbline/plumbline/budget";

import { FileButton } from "../panes/file_button";
import { Icon } from "../panes/icons";
import { view } from "../view";
import "./budget.css";
import { example } from "./example";
import { asKind, budget, change, changeElement, linkOf, openAddress, problem, tokensOf, value } from "./state";
import { budget as t } from "../strings";

const grouped = (tokens: number): string => tokens.toLocaleString("en");

const layoutFields = [
  ["system", t.systemPrompt, 2000],
  ["task_output", t.taskOutput, 0],
  ["working_memory", t.workingMemory, 6000],
  ["output", t.output, 1000],
] as const;

const kinds = [
  ["sop", t.kindSop],
  ["decision", t.kindDecision],
  ["file_summary", t.kindFileSummary],
  ["convention", t.kindConvention],
] as const;

function Tokens(props: { label: string; value: number; least?: number; onValue: (tokens: number) => void; id?: string }) {
  return (
    <input
      id={props.id}
      type="number"
      class="field number"
      aria-label={props.label}
      min={props.least ?? 0}
      max={1e12}
      step={100}
      value={props.value}
      onInput={(event) => {
        const tokens = event.currentTarget.valueAsNumber;
        if (Number.isFinite(tokens)) props.onValue(Math.max(props.least ?? 0, Math.round(tokens)));
      }}
    />
  );
}

function LayoutForm() {
  const now = value.value;
  const models = budget.value?.models();
  const known: readonly Required<ModelProfile>[] = models?.valid ? models.models : [];
  return (
    <section aria-labelledby="budget-window-title" class="budget-section">
      <h3 id="budget-window-title">{t.window}</h3>
      <div class="budget-row">
        <label for="budget-model">{t.windowOf}</label>
        <select
          id="budget-model"
          class="field"
          value=""
          onChange={(event) => {
            const tokens = Number(event.currentTarget.value);
            event.currentTarget.value = "";
            if (tokens > 0) change({ window: tokens });
          }}
        >
          <option value="">{t.chooseModel}</option>
          {known.map((one) => (
            <option key={one.name} value={one.context_window ?? ""}>
              {one.name} ({grouped(one.context_window ?? 0)})
            </option>
          ))}
        </select>
      </div>
      <div class="budget-row">
        <label for="budget-window">{t.tokens}</label>
        <Tokens
          id="budget-window"
          label={t.window}
          least={1}
          value={now.window ?? 0}
          onValue={(tokens) => change({ window: tokens })}
        />
      </div>
      {layoutFields.map(([member, title, otherwise]) => (
        <div class="budget-row" key={member}>
          <label for={`budget-${member}`}>{title}</label>
          <Tokens
            id={`budget-${member}`}
            label={title}
            value={typeof now[member] === "number" ? now[member] : otherwise}
            onValue={(tokens) => change({ [member]: tokens })}
          />
        </div>
      ))}
      <div class="budget-row">
        <label for="budget-margin">{t.safetyMargin}</label>
        <input
          id="budget-margin"
          type="number"
          class="field number"
          min={0}
          max={100}
          value={now.margin_percent ?? 15}
          onInput={(event) => {
            const percent = event.currentTarget.valueAsNumber;
            if (percent >= 0 && percent <= 100) change({ margin_percent: Math.round(percent * 100) / 100 });
          }}
        />
      </div>
    </section>
  );
}

function ElementRow({ element, index }: { element: AssembleElement; index: number }) {
  const remove = () => change({ elements: value.value.elements.filter((_, i) => i !== index) });
  const setTokens = (tokens: number) => {
    if (element.kind !== "sop") return changeElement(index, { tokens });
    // Of an SOP the parent stays; the chunks share the rest evenly.
    const parent = typeof element.parent === "number" ? element.parent : 0;
    const count = Math.max(1, element.chunks?.length ?? 1);
    const rest = Math.max(0, tokens - parent);
    const chunks = Array.from({ length: count }, (_, chunk_index) => ({
      chunk_index,
      tokens: Math.floor(rest / count) + (chunk_index < rest % count ? 1 : 0),
    }));
    changeElement(index, { parent: Math.min(parent, tokens), chunks });
  };
  return (
    <li class="budget-element">
      <select
        class="field"
        aria-label={t.kindOf(element.id)}
        value={element.kind}
        onChange={(event) => {
          const kind = event.currentTarget.value as AssembleElement["kind"];
          change({ elements: value.value.elements.map((one, i) => (i === index ? asKind(one, kind) : one)) });
        }}
      >
        {kinds.map(([kind, title]) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </select>
      <input
        class="field"
        aria-label={t.nameOfItem(index + 1)}
        value={element.id}
        maxLength={200}
        onInput={(event) => changeElement(index, { id: event.currentTarget.value })}
      />
      {element.kind === "sop" && (
        <select
          class="field severity"
          aria-label={t.severityOf(element.id)}
          value={element.severity}
          onChange={(event) => changeElement(index, { severity: event.currentTarget.value as "error" })}
        >
          {(["error", "warning", "info"] as const).map((one) => (
            <option key={one} value={one}>
                {t.severities[one]}
              </option>
          ))}
        </select>
      )}
      <Tokens label={t.tokensOf(element.id)} value={tokensOf(element)} onValue={setTokens} />
      <button type="button" class="button ghost small" aria-label={t.remove(element.id)} onClick={remove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

function ElementsForm() {
  const add = () =>
    change({
      elements: [
        ...value.value.elements,
        { kind: "file_summary", id: t.newItem(value.value.elements.length + 1), tokens: 1000 },
      ],
    });
  return (
    <section aria-labelledby="budget-elements-title" class="budget-section">
      <h3 id="budget-elements-title">{t.items}</h3>
      <ul class="budget-elements">
        {value.value.elements.map((element, index) => (
          <ElementRow key={index} element={element} index={index} />
        ))}
      </ul>
      <button type="button" class="button small" onClick={add}>
        {t.addItem}
      </button>
    </section>
  );
}

const shownReading = (one: NonNullable<typeof value.value.readings>[number]): string =>
  typeof one === "object" ? `${one.estimated ?? ""}/${one.reported ?? ""}` : String(one);

// "9800, 13400, 20000/20600": the size of the context after each iteration, as estimated and as reported.
function readReadings(text: string): NonNullable<typeof value.value.readings> {
  return text
    .split(/[\s,;]+/)
    .filter((one) => /^\d+(\/\d+)?$/.test(one))
    .slice(0, readingsMax)
    .map((one) => {
      const [estimated, reported] = one.split("/").map(Number);
      return reported === undefined ? (estimated ?? 0) : { estimated: estimated ?? 0, reported };
    });
}

const readingsMax = 200;

// What each answer in a run's journal left in the window: what was asked and what came back, together.
function readingsOf(journal: string): NonNullable<typeof value.value.readings> {
  const found: { estimated?: number; reported?: number }[] = [];
  for (const line of journal.split("\n")) {
    if (!line.includes('"usage"') || !line.includes('"reply"')) continue;
    try {
      const { kind, data } = JSON.parse(line) as { kind?: string; data?: { usage?: Record<string, unknown> } };
      const { input_tokens: input, output_tokens: output, estimated } = data?.usage ?? {};
      if (kind !== "reply" || typeof input !== "number" || typeof output !== "number") continue;
      found.push(estimated === true ? { estimated: input + output } : { reported: input + output });
    } catch {
      // A line that was cut off says nothing.
    }
  }
  return found.slice(-readingsMax);
}

function ReadingsForm() {
  const field = useRef<HTMLTextAreaElement>(null);
  const take = async (file: File) => {
    const readings = readingsOf(await file.text());
    problem.value = readings.length > 0 ? "" : t.noReadings(file.name);
    if (readings.length === 0) return;
    change({ readings });
    if (field.current) field.current.value = readings.map(shownReading).join(", ");
  };
  return (
    <section aria-labelledby="budget-readings-title" class="budget-section">
      <h3 id="budget-readings-title">{t.runSoFar}</h3>
      <p class="hint" id="budget-readings-hint">
        <Words text={t.readingsHint} />
      </p>
      <textarea
        ref={field}
        class="field"
        rows={2}
        aria-labelledby="budget-readings-title"
        aria-describedby="budget-readings-hint"
        defaultValue={(value.value.readings ?? []).map(shownReading).join(", ")}
        onInput={(event) => change({ readings: readReadings(event.currentTarget.value) })}
      />
      <FileButton
        label={t.openJournal}
        title={t.openJournal}
        accept=".ndjson,.jsonl,.journal,.json,application/x-ndjson"
        onFile={(file) => void take(file)}
      />
    </section>
  );
}

// The same elements in the window of every model that is known.
function Models() {
  const known = budget.value?.models();
  if (!budget.value || !known?.valid) return null;
  const { readings: _, thresholds: __, ...request } = value.value;
  const rows = known.models.map((model) => {
    const answer = budget.value!.assemble({ ...request, window: model.context_window });
    return { model, answer };
  });
  const words = { fits: t.fits, trimmed: t.trimmed, too_large: t.tooLarge, unknown: t.unknown };
  return (
    <section aria-labelledby="budget-models-title" class="budget-section budget-models">
      <h3 id="budget-models-title">{t.otherModels}</h3>
      <div class="table-frame" tabIndex={0} role="group" aria-label={t.modelsTable}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.columnModel}</th>
              <th scope="col">{t.columnWindow}</th>
              <th scope="col">{t.columnContext}</th>
              <th scope="col">{t.columnUsed}</th>
              <th scope="col">{t.columnResult}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ model, answer }) => (
              <tr key={model.name} class={answer.valid ? `is-${answer.fit}` : "is-unknown"}>
                <th scope="row">{model.name}</th>
                <td class="figure">{grouped(model.context_window ?? 0)}</td>
                <td class="figure">{answer.valid && answer.budget !== null ? grouped(answer.budget) : "–"}</td>
                <td class="figure">{answer.valid ? grouped(answer.used) : "–"}</td>
                <td>
                  <span class="fit">{answer.valid ? words[answer.fit] : t.notAnswered}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Stage() {
  const element = useRef<PlumbBudget>(null);
  useEffect(() => {
    const moved = (event: Event) => change((event as CustomEvent<typeof value.value>).detail);
    const shown = element.current;
    shown?.addEventListener("plumb-budget-change", moved);
    return () => shown?.removeEventListener("plumb-budget-change", moved);
  }, []);
  useSignalEffect(() => {
    const now = value.value;
    if (element.current && element.current.value !== now) element.current.value = now;
  });
  return createElement("plumb-budget", { ref: element as never });
}

const copied = signal("");

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(linkOf());
    copied.value = t.linkCopied;
  } catch {
    copied.value = t.linkNotCopied;
  }
}

export function BudgetView() {
  useEffect(() => {
    openAddress();
    addEventListener("hashchange", openAddress);
    loadBudget().then(
      (loaded) => (budget.value = loaded),
      (error: unknown) => (problem.value = t.notLoaded(String((error as Error).message))),
    );
    return () => removeEventListener("hashchange", openAddress);
  }, []);
  useSignalEffect(() => {
    if (view.value === "budget") document.title = t.title;
  });
  return (
    <main class="budget">
      <div class="budget-form">
        <header class="pane-head">
          <h2>{t.heading}</h2>
          <div class="budget-tools">
            <button type="button" class="button ghost small" onClick={() => change(example)}>
              {t.example}
            </button>
            <button type="button" class="button small" onClick={() => void copyLink()}>
              <Icon name="link" />
              {t.copyLink}
            </button>
          </div>
        </header>
        <p class="budget-said" role="status">
          {copied.value}
        </p>
        <div class="budget-scroll" tabIndex={-1}>
          <LayoutForm />
          <ElementsForm />
          <ReadingsForm />
        </div>
      </div>
      <div class="budget-stage">
        {problem.value && (
          <p class="notice" role="alert">
            {problem.value}
          </p>
        )}
        <section aria-label={t.theWindow} class="budget-section">
          <Stage />
        </section>
        <Models />
      </div>
    </main>
  );
}
