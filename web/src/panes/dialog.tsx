// A dialog over the page: closed by Escape, by a click beside it, and by its button.
import { useSignalEffect, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

import { Icon } from "./icons";
import { page as t } from "../strings";

export function Dialog({
  open,
  title,
  class: name,
  children,
}: {
  open: Signal<boolean>;
  title: string;
  class: string;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useSignalEffect(() => {
    if (open.value) dialog.current?.showModal();
    else dialog.current?.close();
  });
  return (
    <dialog
      ref={dialog}
      class={`dialog ${name}`}
      aria-labelledby={id}
      onClose={() => (open.value = false)}
      onClick={(event) => event.target === dialog.current && (open.value = false)}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="button ghost" aria-label={t.close} onClick={() => (open.value = false)}>
            <Icon name="close" />
          </button>
        </header>
        {open.value && children}
      </div>
    </dialog>
  );
}
