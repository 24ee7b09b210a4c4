// A button with a list of links and acts below it. The browser closes it by Escape and by a click elsewhere.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "./icons";

interface Given {
  id: string;
  title: string;
  icon: Parameters<typeof Icon>[0]["name"];
  current?: boolean; // the view that is shown is one of its links
  small?: boolean; // one of a row of small buttons, and not of the page's head
  children: ComponentChildren;
}

export function Menu({ id, title, icon, current = false, small = false, children }: Given) {
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const open = useSignal(false);
  useEffect(() => {
    const shown = list.current;
    if (!shown) return undefined;
    const toggled = (event: Event): void => {
      open.value = (event as ToggleEvent).newState === "open";
      const place = button.current?.getBoundingClientRect();
      if (!open.value || !place) return;
      shown.style.top = `${place.bottom + 6}px`;
      shown.style.right = `${innerWidth < 480 ? 8 : Math.max(8, innerWidth - place.right)}px`;
    };
    shown.addEventListener("beforetoggle", toggled);
    return () => shown.removeEventListener("beforetoggle", toggled);
  }, []);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={small ? "button small" : `button ghost menu-button ${current ? "is-current" : ""}`}
        aria-label={title}
        aria-expanded={open.value}
        aria-controls={id}
        title={title}
        onClick={() => list.current?.togglePopover()}
      >
        <Icon name={icon} />
        <span class={small ? "" : "menu-word"}>{title}</span>
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        popover="auto"
        onClick={(event) => (event.target as HTMLElement).closest("a, button") && list.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}
