// A button that opens a file of this machine, with the browser's own chooser behind it.
import { useRef } from "preact/hooks";

import { Icon } from "./icons";
import { messages as t } from "../strings";

const texts = ".json,.jsonl,.txt,application/json,text/plain";

interface Given {
  label: string;
  onFile: (file: File) => void;
  accept?: string;
  title?: string;
  large?: boolean; // among other buttons of a view, not in the head of a pane
}

export function FileButton({ label, onFile, accept = texts, title = t.open, large = false }: Given) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={large ? "button" : "button small"} title={label} onClick={() => field.current?.click()}>
        <Icon name="open" />
        <span class={large ? undefined : "may-hide"}>{title}</span>
      </button>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = ""; // so that the same file can be opened again
          if (file) onFile(file);
        }}
      />
    </>
  );
}
