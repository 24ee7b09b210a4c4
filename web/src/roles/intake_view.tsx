// The form of Intake: the element <plumb-intake>, in the colours of this page, with its fields in the address.
import { useEffect, useRef } from "preact/hooks";

import type { PlumbIntake } from "@plumbline/plumbline/intake";
import "@plumbline/plumbline/intake";
import { openInCheck } from "../studio";
import { linkTo } from "../view";
import { putInAddress, shownIn } from "./address";
import "./roles.css";
import { intake as t } from "../strings";

const example = {
  objective: "Learn about electric cars in Norway.",
  criteria: ["At least three sources from 2023 or later are cited.", "Good quality"],
  constraints: [] as string[],
};

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

// What the fields come to, under the contract that they are held against.
function check({ objective, criteria, constraints }: PlumbIntake): void {
  const call = { tool: "startResearch", arguments: { objective, successCriteria: criteria } };
  openInCheck(
    {
      contract: { kind: "built_in", name: "intake" },
      artifact: JSON.stringify([call], null, 2),
      context: JSON.stringify({ constraints, lookups: [] }, null, 2),
    },
    t.opened,
  );
}

export function IntakeView() {
  const host = useRef<HTMLDivElement>(null);
  const form = useRef<PlumbIntake | null>(null);
  useEffect(() => {
    document.title = t.title;
    const element: PlumbIntake = document.createElement("plumb-intake");
    form.current = element;
    const fill = (): void => {
      const shown = shownIn("intake");
      const given = typeof shown.objective === "string" ? shown : example;
      element.objective = String(given.objective);
      element.criteria = texts(given.criteria);
      element.constraints = texts(given.constraints);
    };
    fill();
    element.addEventListener("plumb-verdict", () => {
      if (!location.hash.startsWith("#intake")) return;
      const { objective, criteria, constraints } = element;
      putInAddress("intake", { objective, criteria, constraints });
    });
    host.current?.append(element);
    addEventListener("hashchange", fill);
    return () => {
      removeEventListener("hashchange", fill);
      element.remove();
    };
  }, []);
  return (
    <main class="roles">
      <div class="pane intake-host" ref={host}>
        <header class="pane-head">
          <h2>{t.heading}</h2>
          <div class="pane-tools">
            <a class="button small" href={linkTo("studio")}>
              {t.backToCheck}
            </a>
            <button type="button" class="button small" onClick={() => form.current && check(form.current)}>
              {t.openInCheck}
            </button>
          </div>
        </header>
      </div>
    </main>
  );
}
