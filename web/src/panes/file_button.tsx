import { useRef } from "preact/hooks";

import { Icon } from "./icons";

const texts = ".json,.jsonl,.txt,application/json,text/plain";

interface Given {
  label: string;
  onFile: (file: File) => void;
  accept?: string;
  title?: string;
}

export function FileButton({ label, onFile, accept = texts, title = "Open" }: Given) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button small" title={label} onClick={() => field.current?.click()}>
        <Icon name="open" />
        <span class="may-hide">{title}</span>
      </button>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
    </>
  );
}
