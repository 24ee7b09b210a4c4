/**
 * `usePlumb`: a text that grows, judged while it does, with its value so far; the elements as components; and their types in JSX.
 *
 *     const { completion, isLoading, error } = useCompletion(...);
 *     const { value, findings, verdict } = usePlumb("quiz", completion, { done: !isLoading });
 *     <Preview contract="quiz" format="quiz" text={completion} done={!isLoading} failed={error} />
 */
import {
  createElement,
  forwardRef,
  useEffect,
  useRef,
  useState,
  type DetailedHTMLProps,
  type ForwardRefExoticComponent,
  type HTMLAttributes,
  type RefAttributes,
} from "react";
import type { BudgetRequest, PlumbBudget } from "./budget_element.js";
import type { CheckOptions, Contract, Schema, Stream } from "./contract.js";
import type { EditEvents, PlumbEdit } from "./edit.js";
import type { PlumbIntake } from "./intake.js";
import type { Plumb } from "./plumb.js";
import type { PlumbPreview, PreviewEvents } from "./preview.js";
import type { RunOptions } from "./run.js";
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
  readonly error: Error | undefined;
}

const nothing = { findings: [], verdict: null, value: undefined, valueState: "empty", growing: undefined, error: undefined } as const;

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error), { cause: error }));

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
          show({ ...nothing, state: "failed", error: errorOf(error) });
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
      show({ ...nothing, state: "failed", error: errorOf(error) });
    }
  }, [text, done, reading]);

  return shown;
}

type Own<Names extends string> = Omit<HTMLAttributes<HTMLElement>, Names | "children" | "dangerouslySetInnerHTML">;

export interface PreviewProps extends Own<"onError" | "onSelect"> {
  contract?: string | Schema;
  context?: unknown;
  /** An artifact that is whole. */
  value?: unknown;
  /** Instead: what has arrived so far. What goes on from the text before is pushed, anything else begins anew. */
  text?: string;
  /** `text` is whole. */
  done?: boolean;
  /** Why `text` does not go on: an error, or a sentence. */
  failed?: unknown;
  format?: "json" | "quiz" | "cards" | "tree" | "story" | undefined;
  edits?: "none" | "certain" | "guess" | undefined;
  label?: string;
  show?: string;
  module?: string;
  name?: string;
  required?: boolean;
  onFinding?(finding: PreviewEvents["plumb-finding"]["detail"]): void;
  onVerdict?(verdict: PreviewEvents["plumb-verdict"]["detail"]): void;
  onError?(error: PreviewEvents["plumb-error"]["detail"]): void;
  onSelect?(finding: PreviewEvents["plumb-select"]["detail"]): void;
}

export interface EditProps extends Own<"onChange" | "onError" | "onSelect"> {
  contract?: string | Schema;
  context?: unknown;
  /** The text; whatever else is given is written as JSON. */
  value?: unknown;
  label?: string;
  module?: string;
  name?: string;
  required?: boolean;
  readOnly?: boolean;
  /** Somebody has typed, or made a fix: the text as it is now. */
  onChange?(text: string): void;
  onVerdict?(verdict: EditEvents["plumb-verdict"]["detail"]): void;
  onError?(error: EditEvents["plumb-error"]["detail"]): void;
  onSelect?(finding: EditEvents["plumb-select"]["detail"]): void;
  onFix?(fix: EditEvents["plumb-fix"]["detail"]): void;
}

/** The element that a component has drawn, once its script is there; and what is told to whoever listens now. */
function useElement<Element extends HTMLElement>(
  tag: string,
  define: () => Promise<unknown>,
  ref: unknown,
  listeners: Readonly<Record<string, ((event: CustomEvent) => void) | undefined>>,
): [node: React.RefObject<Element | null>, take: (element: Element | null) => void, ready: boolean] {
  const node = useRef<Element | null>(null);
  const heard = useRef(listeners);
  heard.current = listeners;
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let wanted = true;
    const element = node.current!;
    const names = Object.keys(heard.current);
    const hear = (event: Event): void => heard.current[event.type]?.(event as CustomEvent);
    names.forEach((name) => element.addEventListener(name, hear));
    void define().then(() => wanted && customElements.whenDefined(tag).then(() => wanted && setReady(true)));
    return () => {
      wanted = false;
      names.forEach((name) => element.removeEventListener(name, hear));
    };
  }, []);
  const [take] = useState(() => (element: Element | null) => {
    node.current = element;
    if (typeof ref === "function") {
      (ref as (element: Element | null) => void)(element);
    } else if (ref !== null && ref !== undefined) {
      (ref as { current: Element | null }).current = element;
    }
  });
  return [node, take, ready];
}

/** Properties that React before 19 would write as attributes. */
const attribute = (on: boolean | undefined): "" | undefined => (on === true ? "" : undefined);
const detailOf =
  <Detail,>(tell: ((detail: Detail) => void) | undefined) =>
  (event: CustomEvent): void =>
    tell?.(event.detail as Detail);

/** `<plumb-preview>` in React 18 and later. The element's script is loaded when it is first drawn in a page. */
export const Preview: ForwardRefExoticComponent<PreviewProps & RefAttributes<PlumbPreview>> = /* @__PURE__ */ forwardRef<PlumbPreview, PreviewProps>(
  function Preview(props, ref) {
    const { contract, context, value, text, done = false, failed, required, onFinding, onVerdict, onError, onSelect, className, ...rest } = props;
    const [node, take, ready] = useElement<PlumbPreview>("plumb-preview", () => import("./preview.js"), ref, {
      "plumb-finding": detailOf(onFinding),
      "plumb-verdict": detailOf(onVerdict),
      "plumb-error": detailOf(onError),
      "plumb-select": detailOf(onSelect),
    });
    const pushed = useRef<string | undefined>(undefined);
    const key = JSON.stringify([contract, context]);
    useEffect(() => {
      if (ready) {
        Object.assign(node.current!, { contract, context });
      }
    }, [ready, key]);
    useEffect(() => {
      if (ready && value !== undefined) {
        node.current!.value = value;
      }
    }, [ready, typeof value === "string" ? value : JSON.stringify(value)]);
    useEffect(() => {
      const element = node.current;
      if (!ready || element === null || text === undefined) {
        return;
      }
      if (pushed.current === undefined || !text.startsWith(pushed.current)) {
        element.reset();
        pushed.current = "";
      }
      if (text.length > pushed.current.length) {
        element.push(text.slice(pushed.current.length));
        pushed.current = text;
      }
      if (failed !== undefined && failed !== null && failed !== false) {
        element.fail(failed);
        pushed.current = undefined;
      } else if (done && text !== "") {
        element.end().catch(() => undefined); // told as an event
        pushed.current = undefined;
      }
    }, [ready, text, done, failed]);
    return createElement("plumb-preview", { ...rest, class: className, required: attribute(required), ref: take } as never);
  },
);

/** `<plumb-edit>` in React 18 and later, likewise. */
export const Edit: ForwardRefExoticComponent<EditProps & RefAttributes<PlumbEdit>> = /* @__PURE__ */ forwardRef<PlumbEdit, EditProps>(
  function Edit(props, ref) {
    const { contract, context, value, required, readOnly, onChange, onVerdict, onError, onSelect, onFix, className, ...rest } = props;
    const [node, take, ready] = useElement<PlumbEdit>("plumb-edit", () => import("./edit.js"), ref, {
      input: (event) => onChange?.((event.currentTarget as PlumbEdit).value),
      "plumb-verdict": detailOf(onVerdict),
      "plumb-error": detailOf(onError),
      "plumb-select": detailOf(onSelect),
      "plumb-fix": detailOf(onFix),
    });
    const key = JSON.stringify([contract, context]);
    useEffect(() => {
      if (ready) {
        Object.assign(node.current!, { contract, context });
      }
    }, [ready, key]);
    useEffect(() => {
      // What was typed comes back as a property: then the text is there already, and so is the cursor.
      if (ready && value !== undefined && value !== node.current!.value) {
        node.current!.value = value;
      }
    }, [ready, typeof value === "string" ? value : JSON.stringify(value)]);
    const attributes = { required: attribute(required), readonly: attribute(readOnly) };
    return createElement("plumb-edit", { ...rest, class: className, ...attributes, ref: take } as never);
  },
);

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
      "plumb-edit": ElementProps<
        PlumbEdit,
        {
          contract?: string | Schema;
          value?: unknown;
          context?: unknown;
          module?: string;
          label?: string;
          name?: string;
          required?: boolean;
          readonly?: boolean;
        }
      >;
      "plumb-intake": ElementProps<PlumbIntake, { objective?: string; criteria?: readonly string[]; module?: string; price?: string; fulfil?: RunOptions["fulfil"] }>;
      "plumb-budget": ElementProps<PlumbBudget, { value?: unknown; readonly?: boolean; price?: string; request?: BudgetRequest; fulfil?: RunOptions["fulfil"] }>;
    }
  }
}
