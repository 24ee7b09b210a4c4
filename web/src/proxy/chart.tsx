// Ten minutes as a small chart: stacked bars, or lines. Drawn as SVG; said in words for who cannot see it.
import { useId } from "preact/hooks";

import type { Step } from "./server";
import { server as t } from "../strings";

export interface Series {
  name: string;
  tone: "calm" | "good" | "bad" | "brass";
  of(step: Step): number;
}

interface Props {
  title: string;
  steps: Step[];
  series: Series[];
  kind: "bars" | "lines";
  show(value: number): string;
}

const width = 360;
const height = 96;

// The next of 1, 2 and 5 times a power of ten.
function ceiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((times) => times * power).find((top) => top >= value) ?? value;
}

// Where nothing was measured the line ends and begins anew; a value by itself becomes a dot.
function line(steps: Step[], series: Series, top: number): { lines: string; dots: string } {
  const between = width / Math.max(1, steps.length - 1);
  const values = steps.map((step) => series.of(step));
  const point = (i: number, value: number): string =>
    `${(i * between).toFixed(1)} ${(height - (value / top) * height).toFixed(1)}`;
  let lines = "";
  let dots = "";
  values.forEach((value, i) => {
    if (value === 0) return;
    const before = (values[i - 1] ?? 0) > 0;
    if (!before && !values[i + 1]) dots += `M${point(i, value)}h0.01`;
    else lines += `${before ? "L" : "M"}${point(i, value)}`;
  });
  return { lines, dots };
}

export function Chart({ title, steps, series, kind, show }: Props) {
  const id = useId();
  const sums = steps.map((step) =>
    kind === "bars" ? series.reduce((sum, one) => sum + one.of(step), 0) : Math.max(...series.map((one) => one.of(step))),
  );
  const most = Math.max(0, ...sums);
  const top = ceiling(most);
  const bar = width / Math.max(1, steps.length);
  const words = series
    .map((one) => {
      const values = steps.map((step) => one.of(step));
      return kind === "bars"
        ? t.sumInTenMinutes(one.name, show(values.reduce((sum, value) => sum + value, 0)))
        : t.mostOf(one.name, show(Math.max(0, ...values)));
    })
    .join(", ");
  return (
    <figure class="chart">
      <figcaption id={id}>
        <span class="chart-title">{title}</span>
        {series.length > 1 && (
          <span class="chart-legend">
            {series.map((one) => (
              <span key={one.name} class={`tone-${one.tone}`}>
                {one.name}
              </span>
            ))}
          </span>
        )}
        <span class="chart-top">{most > 0 ? show(top) : ""}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${words}`}>
        <path class="chart-grid" d={`M0 0.5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}`} />
        {kind === "bars"
          ? steps.map((step, i) => {
              let foot = height;
              return series.map((one) => {
                const tall = (one.of(step) / top) * height;
                foot -= tall;
                return tall === 0 ? null : (
                  <rect
                    key={`${one.name}${i}`}
                    class={`tone-${one.tone}`}
                    x={i * bar + 0.3}
                    y={foot}
                    width={Math.max(0.5, bar - 0.6)}
                    height={Math.max(tall, 0.75)}
                  />
                );
              });
            })
          : series.map((one) => {
              const { lines, dots } = line(steps, one, top);
              return [
                <path key={`${one.name} line`} class={`chart-line tone-${one.tone}`} d={lines} />,
                <path key={`${one.name} dots`} class={`chart-dots tone-${one.tone}`} d={dots} />,
              ];
            })}
      </svg>
      <p class="chart-foot" aria-hidden="true">
        <span>{t.tenMinutesAgo}</span>
        <span>{t.now}</span>
      </p>
    </figure>
  );
}
