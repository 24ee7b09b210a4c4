import { useRef } from "preact/hooks";

import { Icon } from "./icons";

export function FileButton({ label, onFile }: { label: string; onFile: (file: File) => void }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button small" title={label} onClick={() => field.current?.click()}>
        <Icon name="open" />
        <span class="may-hide">Open</span>
      </button>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={label}
        accept=".json,.jsonl,.txt,application/json,text/plain"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
    </>
  );
}
