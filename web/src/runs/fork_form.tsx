// From where a run is forked, and with what else than it had. The run itself stays as it is.
import { useState } from "preact/hooks";

import { atPosition, begun, finishedParts, fork, forkBusy, forking, forkProblem } from "./forking";
import { position } from "./state";
import { runs as t } from "../strings";

// Why a text is no JSON, or "".
function wrongJson(text: string | undefined): string {
  try {
    if (text !== undefined) JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function ForkForm() {
  const [from, setFrom] = useState("");
  const [input, setInput] = useState<string | null>(null);
  const [pins, setPins] = useState<Record<string, string>>({});
  const [name, setName] = useState("");
  const pin = begun.value.pins.find((one) => one.name === name);
  const badPin = begun.value.pins.find((one) => !one.plain && wrongJson(pins[one.name]) !== "");
  const wrong =
    input !== null && wrongJson(input) !== ""
      ? t.inputNotJson(wrongJson(input))
      : badPin
        ? t.pinNotJson(badPin.name, wrongJson(pins[badPin.name]))
        : "";
  const changed = begun.value.pins.filter((one) => pins[one.name] !== undefined && pins[one.name] !== one.text);
  return (
    <form
      class="fork"
      aria-label={t.forkRun}
      onSubmit={(event) => {
        event.preventDefault();
        if (wrong === "") void fork({ from, input, pins });
      }}
    >
      <p class="hint">
        {t.forkAbout}
      </p>
      <div class="fork-row">
        <label>
          <span>{t.redo}</span>
          <span class="select">
            <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
              <option value="">{t.redoChanged}</option>
              {finishedParts.value.map((part) => (
                <option key={part} value={part}>
                  {t.redoFrom(part)}
                </option>
              ))}
              <option value={atPosition}>{t.redoFromEntry(Math.max(1, position.value))}</option>
            </select>
          </span>
        </label>
        <label>
          <span>{t.otherText}</span>
          <span class="select">
            <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
              <option value="">{t.nothing}</option>
              {begun.value.pins.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name}
                  {changed.includes(one) && t.changedMark}
                </option>
              ))}
            </select>
          </span>
        </label>
        <label class="fork-check">
          <input
            type="checkbox"
            checked={input !== null}
            onChange={(event) => setInput(event.currentTarget.checked ? begun.value.input : null)}
          />
          <span>{t.otherInput}</span>
        </label>
      </div>
      {pin && (
        <textarea
          aria-label={t.textOf(name)}
          spellcheck={false}
          value={pins[name] ?? pin.text}
          onInput={(event) => setPins({ ...pins, [name]: event.currentTarget.value })}
        />
      )}
      {input !== null && (
        <textarea
          aria-label={t.forkInput}
          spellcheck={false}
          value={input}
          onInput={(event) => setInput(event.currentTarget.value)}
        />
      )}
      {(wrong || forkProblem.value) && (
        <p class="notice" role="alert">
          {wrong || forkProblem.value}
        </p>
      )}
      <div class="fork-acts">
        <button type="submit" class="button primary small" disabled={forkBusy.value || wrong !== ""}>
          {t.startFork}
        </button>
        <button type="button" class="button ghost small" onClick={() => (forking.value = false)}>
          {t.cancel}
        </button>
        {changed.length > 0 && <span class="fact">{t.withChanged(changed.map((one) => one.name).join(", "))}</span>}
      </div>
    </form>
  );
}
