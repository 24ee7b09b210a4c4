/**
 * `usePlumb`: a text that grows, judged while it does, with its value so far; and the types of the elements in JSX.
 *
 *     const { completion, isLoading } = useCompletion(...);
 *     const { value, findings, verdict } = usePlumb("quiz", completion, { done: !isLoading });
 */
import { useEffect, useRef, useState, type DetailedHTMLProps, type HTMLAttributes } from "react";
import type { PlumbBudget } from "./budget_element.js";
import type { CheckOptions, Contract, Schema, Stream } from "./contract.js";
import type { PlumbIntake } from "./intake.js";
import type { Plumb } from "./plumb.js";
import type { PlumbPreview } from "./preview.js";
import type { StreamedValue, ValueState } from "./value.js";
import type { Finding, Judged } from "./verdict.js";

export interface UsePlumbOptions extends CheckOptions {
  /** The text is whole: then there is a verdict. Default: as long as there is none, it is arriving. */
  done?: boolean;
  /** What `load()` gave; without it the package's own module is loaded, once for all hooks. */
  plumb?: Plumb | Promise<Plumb>;
}

export interface PlumbState<T> {
  readonly state: "loading" | "empty" | "arriving" | "judged" | "failed";
  /** What is certain by now, by the order in which it became so; without what another finding hides. */
  readonly findings: readonly Finding[];
  /** On the whole text; null until it is `done`. */
  readonly verdict: Judged<T> | null;
  /**
   * What has arrived, as `stream.value()` gives it; undefined until there is something. It is always the same object, which
   * grows: what is drawn of it must not be remembered by it (`memo`, lists of dependencies).
   */
  readonly value: StreamedValue<T>["value"];
  readonly valueState: ValueState;
  /** JSON Pointer of the innermost place that is growing: it and all that holds it; the rest is complete. */
  readonly growing: string | undefined;
  /** Why it failed: the contract was refused, or the module cannot be had. */
  readonly error: unknown;
}

const nothing = { findings: [], verdict: null, value: undefined, valueState: "empty", growing: undefined, error: undefined } as const;

let shared: Promise<Plumb> | undefined;

function sharedPlumb(): Promise<Plumb> {
  shared ??= import("./index.js").then(({ load }) => load());
  shared.catch(() => (shared = undefined));
  return shared;
}

/** What a hook has in the module between two of its effects. */
interface Held<T> {
  contract: Contract<T>;
  stream: Stream<T> | undefined;
  pushed: string;
  findings: Map<number, Finding>;
}

/**
 * Judges `text` under a contract: its name, its schema or the contract itself. Where the new text goes on from the old one only
 * what is new is judged, so that it costs the same however often the component is drawn.
 */
export function usePlumb<T = unknown>(
  contract: string | Schema | Contract<T>,
  text: string,
  options: UsePlumbOptions = {},
): PlumbState<T> {
  const { done = false, plumb, ...check } = options;
  const [shown, show] = useState<PlumbState<T>>({ ...nothing, state: "loading" });
  const held = useRef<Held<T> | undefined>(undefined);
  const [reading, setReading] = useState(0);
  // A schema or a context that is written in the component is another object each time it is drawn, and says the same.
  const own = typeof contract === "object" && "check" in contract && typeof contract.check === "function";
  const key = own ? contract : JSON.stringify(contract);
  const checkKey = JSON.stringify(check);

  useEffect(() => {
    let wanted = true;
    const read = own
      ? Promise.resolve(contract as Contract<T>)
      : Promise.resolve(plumb ?? sharedPlumb()).then((module) => module.contract<T>(contract as string | Schema));
    read.then(
      (contract) => {
        if (wanted) {
          held.current = { contract, stream: undefined, pushed: "", findings: new Map() };
          setReading((count) => count + 1);
        }
      },
      (error: unknown) => {
        if (wanted) {
          show({ ...nothing, state: "failed", error });
        }
      },
    );
    return () => {
      wanted = false;
      held.current?.stream?.dispose();
      held.current = undefined;
    };
  }, [key, plumb, checkKey]);

  useEffect(() => {
    const now = held.current;
    if (now === undefined) {
      return;
    }
    try {
      if (now.stream === undefined || !text.startsWith(now.pushed)) {
        now.stream?.dispose();
        now.stream = now.contract.stream(check);
        now.pushed = "";
        now.findings.clear();
      }
      const found = now.stream.push(text.slice(now.pushed.length));
      now.pushed = text;
      found.forEach((finding) => now.findings.set(finding.id, finding));
      const { stream } = now;
      stream.value(); // from here on
      let verdict: Judged<T> | null = null;
      if (done && text !== "") {
        verdict = stream.end();
        now.stream = undefined;
      }
      const { value, state: valueState, growing } = stream.value();
      const findings = (verdict?.findings ?? [...now.findings.values()]).filter((one) => one.shadowedBy === undefined);
      const state = verdict !== null ? "judged" : text === "" ? "empty" : "arriving";
      show({ state, findings, verdict, value, valueState, growing, error: undefined });
    } catch (error) {
      show({ ...nothing, state: "failed", error });
    }
  }, [text, done, reading]);

  return shown;
}

type ElementProps<Element extends HTMLElement, Own> = DetailedHTMLProps<HTMLAttributes<Element>, Element> & Own & { class?: string };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "plumb-preview": ElementProps<
        PlumbPreview,
        {
          contract?: string | Schema;
          value?: unknown;
          context?: unknown;
          module?: string;
          show?: string;
          edits?: string;
          format?: string;
          label?: string;
          name?: string;
          required?: boolean;
        }
      >;
      "plumb-intake": ElementProps<PlumbIntake, { objective?: string; criteria?: readonly string[]; module?: string }>;
      "plumb-budget": ElementProps<PlumbBudget, { value?: unknown; readonly?: boolean }>;
    }
  }
}
