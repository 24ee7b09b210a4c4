// The bars between the panes: dragged with the mouse, moved with the arrow keys, set back with a double click.
import { signal } from "@preact/signals";
import { page as t } from "../strings";

const initial = { contract: 29, verdict: 36 };
const shareMin = 16;
const shareMax = 46;

// Widths in hundredths of the page; the artifact has the rest.
export const columns = signal({ ...initial });

export function Splitter({ edge }: { edge: "contract" | "verdict" }) {
  const side = edge === "contract" ? 1 : -1;
  const set = (share: number) => {
    columns.value = { ...columns.value, [edge]: Math.min(Math.max(share, shareMin), shareMax) };
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t.widthOf[edge]}
      aria-controls={`${edge}-pane`}
      aria-valuemin={shareMin}
      aria-valuemax={shareMax}
      aria-valuenow={Math.round(columns.value[edge])}
      onDblClick={() => set(initial[edge])}
      onKeyDown={(event) => {
        const step = event.key === "ArrowRight" ? side : event.key === "ArrowLeft" ? -side : 0;
        if (step === 0) return;
        event.preventDefault();
        set(columns.value[edge] + step * 2);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        const bar = event.currentTarget;
        bar.setPointerCapture(event.pointerId);
        const from = event.clientX;
        const share = columns.value[edge];
        const width = bar.parentElement?.clientWidth ?? 1;
        bar.onpointermove = (move) => set(share + (side * (move.clientX - from) * 100) / width);
        bar.onpointerup = bar.onpointercancel = () => {
          bar.onpointermove = null;
        };
      }}
    />
  );
}
