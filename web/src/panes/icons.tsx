// The drawings of the page. Shapes differ, not only colours.
import type { Severity } from "@plumbline/plumbline";

export function SeverityIcon({ severity }: { severity: Severity }) {
  return (
    <svg class={`icon sev-${severity}`} viewBox="0 0 16 16" aria-hidden="true">
      {severity === "error" && (
        <>
          <circle cx="8" cy="8" r="7" fill="currentColor" />
          <path d="M5.3 5.3l5.4 5.4m0-5.4l-5.4 5.4" stroke="var(--sheet)" stroke-width="1.7" stroke-linecap="round" />
        </>
      )}
      {severity === "warning" && (
        <>
          <path
            d="M8 1.2l7 12.6H1z"
            fill="currentColor"
            stroke="currentColor"
            stroke-width="1.4"
            stroke-linejoin="round"
          />
          <path d="M8 5.8v3.8m0 2.1v.2" stroke="var(--sheet)" stroke-width="1.7" stroke-linecap="round" />
        </>
      )}
      {severity === "info" && (
        <>
          <rect x="1.2" y="1.2" width="13.6" height="13.6" rx="3.2" fill="currentColor" />
          <path d="M8 7.4v4m0-6.6v.2" stroke="var(--sheet)" stroke-width="1.7" stroke-linecap="round" />
        </>
      )}
    </svg>
  );
}

export function OutcomeIcon({ outcome }: { outcome: "holds" | "broken" | "undecided" }) {
  return (
    <svg
      class={`icon out-${outcome}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
    >
      {outcome === "holds" && <path d="M3 8.5l3.4 3.4L13 4.6" stroke-linecap="round" stroke-linejoin="round" />}
      {outcome === "broken" && <path d="M4 4l8 8m0-8l-8 8" stroke-linecap="round" />}
      {outcome === "undecided" && <circle cx="8" cy="8" r="5" stroke-dasharray="2.4 2.2" />}
    </svg>
  );
}

const paths = {
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.4 3.4",
  open: "M2.5 12.5v-9h4l1.5 2h5.5v7zM8 11V7.4M6.3 9 8 7.3 9.7 9",
  play: "M4.5 3l8 5-8 5z",
  stop: "M4 4h8v8H4z",
  pause: "M4.5 3.5h2.2v9H4.5zM9.3 3.5h2.2v9H9.3z",
  step: "M4 3l6 5-6 5zM11 3.5h1.5v9H11z",
  first: "M12.5 3v10L6.5 8zM3.5 3.5H5v9H3.5z",
  back: "M11 3v10L4.5 8z",
  forward: "M5 3v10l6.5-5z",
  last: "M3.5 3v10l6-5zM11 3.5h1.5v9H11z",
  save: "M8 2.5v7M5 6.8 8 9.8l3-3M3 13h10",
  restart: "M3.2 8a4.8 4.8 0 1 0 1.6-3.6M3 2.6v2.6h2.6",
  close: "M4 4l8 8m0-8l-8 8",
  link: "M6.6 9.4l2.8-2.8M7.4 4.6l1-1a2.7 2.7 0 0 1 4 4l-1 1M8.6 11.4l-1 1a2.7 2.7 0 0 1-4-4l1-1",
  history: "M2.8 8a5.2 5.2 0 1 0 1.7-3.9M2.6 2.4v2.6h2.6M8 5.2V8l2 1.4",
  undo: "M3 6.2h6a3.4 3.4 0 0 1 0 6.8H6.4M5.4 3.6 2.8 6.2l2.6 2.6",
  grow: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.2 2.8 9 7M2.8 13.2 7 9",
  shrink: "M13.4 6.5h-4v-4M2.6 9.5h4v4M9.6 6.3l4-4M6.4 9.7l-4 4",
  sun:
    "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6" +
    "M8 1.2v1.6m0 10.4v1.6M1.2 8h1.6m10.4 0h1.6M3.2 3.2l1.1 1.1m7.4 7.4 1.1 1.1m0-9.6-1.1 1.1m-7.4 7.4-1.1 1.1",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z",
  copy: "M6 5.5h7v8H6zM10 5.5v-3H3v8h3",
  keys: "M1.5 4.5h13v8h-13zM4 7h.5m2 0H7m2 0h.5m2 0h.5M5 10h6",
  up: "M3.5 10 8 5.5l4.5 4.5",
  down: "M3.5 6 8 10.5 12.5 6",
  check: "M3 8.5l3.4 3.4L13 4.6",
  gear: "M8 5.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M8 1.6v2m0 8.8v2M1.6 8h2m8.8 0h2M3.5 3.5l1.4 1.4m6.2 6.2 1.4 1.4m0-9-1.4 1.4m-6.2 6.2-1.4 1.4",
  list: "M3.5 2.5h9v11h-9zM6 6h4M6 8.5h4M6 11h2.5",
  make: "M2.5 5.5v-2h7l2 2v2h-3v-1h-2v7h-2v-7z",
  warn: "M8 2.2l6 11H2zM8 6.4v3.2m0 1.6v.3",
  mend: "M10.2 2.6a3.4 3.4 0 0 0-3.5 4.6l-4 4a1.4 1.4 0 0 0 2 2l4-4a3.4 3.4 0 0 0 4.4-4.1L11 7.2 9 6.8l-.5-2z",
  help: "M5.8 6a2.3 2.3 0 1 1 3.3 2.1c-.8.4-1.1.8-1.1 1.6M8 11.8v.3M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8",
  add: "M8 3v10M3 8h10",
  left: "M10 3.5 5.5 8l4.5 4.5",
  contract: "M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5",
  to: "M3 8h9.5M9 4.5 12.5 8 9 11.5",
};

const solid = new Set<keyof typeof paths>(["play", "stop", "pause", "step", "first", "back", "forward", "last"]);

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill={solid.has(name) ? "currentColor" : "none"}
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}

export function Brand() {
  return (
    <svg class="brand-mark" viewBox="0 0 24 32" aria-hidden="true">
      <path d="M3 2h18" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />
      <path d="M12 2v15" stroke="currentColor" stroke-width="1.4" />
      <path class="bob" d="M8.2 16h7.6l1.6 4.8L12 30 6.6 20.8z" />
    </svg>
  );
}

export type Lean = "true" | "slight" | "open" | "off" | "far" | "none";

// The courses of the wall, then its joints.
const courses =
  "M16 29.4h31M16 44.8h31M16 60.2h31M16 75.6h31" +
  "M31.5 14v15.4M24 29.4v15.4M39 29.4v15.4M31.5 44.8v15.4M24 60.2v15.4M39 60.2v15.4M31.5 75.6v15.4";

// The instrument of the verdict: the line always hangs true; what leans is the wall beside it.
export function Instrument({ lean, swing }: { lean: Lean; swing: string }) {
  return (
    <svg class={`instrument lean-${lean}`} viewBox="0 0 84 96" aria-hidden="true">
      <path class="ground" d="M6 91.5h72" />
      <g class="wall">
        <rect x="16" y="14" width="31" height="77" />
        <path d={courses} />
      </g>
      <path class="peg" d="M53 5.5h14" />
      <g class="pendulum" key={swing}>
        <path class="line" d="M60 5.5v62" />
        <path class="bob" d="M55.5 67h9l2 6L60 86l-6.5-13z" />
      </g>
    </svg>
  );
}
