// A pane that takes a dropped file.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

export interface PaneProps {
  id: string;
  label: string;
  class?: string;
  hidden?: boolean;
  role?: "tabpanel" | "region";
  labelledBy?: string;
  onFile?: (file: File) => void;
  dropHint?: string;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: ComponentChildren;
}

function carriesFile(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

export function PaneFrame(props: PaneProps) {
  const over = useSignal(false);
  const drop = props.onFile
    ? {
        onDragOver: (event: DragEvent) => {
          if (!carriesFile(event)) return;
          event.preventDefault();
          over.value = true;
        },
        onDragLeave: (event: DragEvent) => {
          if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) over.value = false;
        },
        onDropCapture: (event: DragEvent) => {
          over.value = false;
          const file = event.dataTransfer?.files[0];
          if (!file) return;
          event.preventDefault();
          event.stopPropagation();
          props.onFile?.(file);
        },
      }
    : {};
  return (
    <section
      id={props.id}
      class={`pane ${props.class ?? ""}`}
      hidden={props.hidden ?? false}
      role={props.role ?? "region"}
      aria-label={props.label}
      tabIndex={-1}
      {...(props.onKeyDown && { onKeyDown: props.onKeyDown })}
      {...drop}
    >
      {props.children}
      {over.value && (
        <div class="drop-hint" aria-hidden="true">
          <p>{props.dropHint}</p>
        </div>
      )}
    </section>
  );
}
