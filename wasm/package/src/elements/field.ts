/** An element as a field of a form: only an artifact that keeps its contract can be sent. */
import type { Finding, Verdict } from "../verdict.js";

export interface FieldState {
  readonly state: string;
  readonly text: string;
  readonly verdict: Verdict | null;
  readonly findings: readonly Finding[];
  readonly failure: string | undefined;
  readonly required: boolean;
  /** What the browser points at. */
  readonly anchor: HTMLElement | undefined;
}

export function tellForm(internals: ElementInternals, field: FieldState): void {
  const { state, verdict, failure } = field;
  try {
    internals.states?.clear();
    internals.states?.add(state);
    if (verdict !== null) {
      internals.states?.add(verdict.valid ? "valid" : "invalid");
    }
  } catch {
    // A browser of the time when states began with two dashes.
  }
  internals.setFormValue(field.text);
  let flags: ValidityStateFlags = { customError: true };
  let message = "";
  if (state === "empty") {
    if (field.required) {
      flags = { valueMissing: true };
      message = "There is no artifact yet.";
    }
  } else if (verdict === null) {
    message = failure ?? "The artifact is not complete yet.";
  } else if (!verdict.valid) {
    message = field.findings.find(({ severity }) => severity === "error")?.message ?? "It breaks its contract.";
  }
  if (message === "") {
    internals.setValidity({});
  } else {
    internals.setValidity(flags, message, field.anchor);
  }
}
