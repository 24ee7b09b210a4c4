// The view of Intake: the element <plumb-intake>, in the colours of this page, with its fields in the address.
import { useEffect, useRef } from "preact/hooks";

import type { PlumbIntake } from "plumbline/intake";
import "plumbline/intake";
import { putInAddress, shownIn } from "./address";
import "./roles.css";

const example = {
  objective: "Learn about electric cars in Norway.",
  criteria: ["At least three sources from 2023 or later are cited.", "Good quality"],
  constraints: [] as string[],
};

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

export function IntakeView() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = "Intake – Plumbline";
    const element: PlumbIntake = document.createElement("plumb-intake");
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
      <div class="pane intake-host" ref={host} />
    </main>
  );
}
