// How many panes are side by side. Where there are fewer than three, tabs choose which one is seen.
import { signal } from "@preact/signals";

export type Layout = "one" | "two" | "three";

const three = matchMedia("(min-width: 1100px)");
const two = matchMedia("(min-width: 740px)");

function current(): Layout {
  return three.matches ? "three" : two.matches ? "two" : "one";
}

export const layout = signal<Layout>(current());

for (const query of [three, two]) {
  query.addEventListener("change", () => {
    layout.value = current();
  });
}
