// From where a run is forked, and with what else than it had. The run itself stays as it is.
import { useState } from "preact/hooks";

import { atPosition, begun, finishedParts, fork, forkBusy, forking, forkProblem } from "./forking";
import { position } from "./state";

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
      ? `The input is no JSON: ${wrongJson(input)}`
      : badPin
        ? `${badPin.name} is no JSON: ${wrongJson(pins[badPin.name])}`
        : "";
  const changed = begun.value.pins.filter((one) => pins[one.name] !== undefined && pins[one.name] !== one.text);
  return (
    <form
      class="fork"
      aria-label="Fork the run"
      onSubmit={(event) => {
        event.preventDefault();
        if (wrong === "") void fork({ from, input, pins });
      }}
    >
      <p class="hint">
        A new run begins with what this one had settled, and asks for the rest. This one stays as it is.
      </p>
      <div class="fork-row">
        <label>
          <span>Make anew</span>
          <span class="select">
            <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
              <option value="">what changes below only</option>
              {finishedParts.value.map((part) => (
                <option key={part} value={part}>
                  {part}, and what comes behind it
                </option>
              ))}
              <option value={atPosition}>all from entry {Math.max(1, position.value)} on</option>
            </select>
          </span>
        </label>
        <label>
          <span>Another text for</span>
          <span class="select">
            <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
              <option value="">nothing</option>
              {begun.value.pins.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name}
                  {changed.includes(one) && " (changed)"}
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
          <span>Another input</span>
        </label>
      </div>
      {pin && (
        <textarea
          aria-label={`Text of ${name}`}
          spellcheck={false}
          value={pins[name] ?? pin.text}
          onInput={(event) => setPins({ ...pins, [name]: event.currentTarget.value })}
        />
      )}
      {input !== null && (
        <textarea
          aria-label="Input of the fork"
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
          Begin the fork
        </button>
        <button type="button" class="button ghost small" onClick={() => (forking.value = false)}>
          Leave it
        </button>
        {changed.length > 0 && <span class="fact">with {changed.map((one) => one.name).join(", ")} changed</span>}
      </div>
    </form>
  );
}
