/** How full the window was after each iteration, with the thresholds as lines. */
import type { Color, PressureAnswer, Thresholds } from "../budgeting.js";
import { svg } from "./dom.js";

const width = 640;
const height = 140;
const top = 8;
const left = 34;
const right = 74;
const low = height - 18;

export function gauge(answer: PressureAnswer, thresholds: Thresholds): SVGElement {
  const states = answer.history;
  const highest = Math.max(100, ...states.map((one) => one.context_utilization ?? 0));
  const y = (percent: number): number => low - (percent / highest) * (low - top);
  const x = (i: number): number =>
    states.length < 2 ? (left + width - right) / 2 : left + (i * (width - right - left)) / (states.length - 1);
  const limits: [number, Color][] = [
    [thresholds.yellow_percent ?? 50, "yellow"],
    [thresholds.orange_percent ?? 65, "orange"],
    [thresholds.red_percent ?? 75, "red"],
    [thresholds.critical_percent ?? 85, "critical"],
  ];
  const told = states.map((one, i) => `${i + 1}: ${one.context_utilization ?? "?"} % ${one.color}`).join(", ");
  const root = svg("svg", {
    class: "gauge",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `Utilisation after each iteration: ${told}`,
  });
  for (const [percent, color] of limits) {
    root.append(
      svg("line", { class: "limit", x1: left, x2: width - right, y1: y(percent), y2: y(percent) }),
      svg("text", { x: width - right + 8, y: y(percent) + 4, style: `fill: var(--${color})` }, `${percent} ${color}`),
    );
  }
  root.append(
    svg("text", { x: 0, y: y(0) + 4 }, "0 %"),
    svg("text", { x: 0, y: y(highest) + 4 }, `${Math.round(highest)} %`),
    svg("polyline", {
      class: "line",
      points: states.map((one, i) => `${x(i)},${y(one.context_utilization ?? 0)}`).join(" "),
    }),
  );
  states.forEach((one, i) => {
    const dot = svg("circle", {
      cx: x(i),
      cy: y(one.context_utilization ?? 0),
      r: i === states.length - 1 ? 6 : 4,
      style: `fill: var(--${one.color})`,
    });
    dot.append(svg("title", {}, `${one.context_tokens_used} tokens, ${one.context_utilization ?? "?"} %: ${one.action}`));
    root.append(dot);
  });
  return root;
}
