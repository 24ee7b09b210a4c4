// Dark or light: as the system says, until the reader chooses. The choice is kept in this browser only.
import { signal } from "@preact/signals";

export type Theme = "light" | "dark";

const key = "plumbline-theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | null {
  const attribute = document.documentElement.dataset.theme;
  return attribute === "light" || attribute === "dark" ? attribute : null;
}

function current(): Theme {
  return chosen() ?? (systemDark.matches ? "dark" : "light");
}

export const theme = signal<Theme>(current());

systemDark.addEventListener("change", () => {
  theme.value = current();
});

export function toggleTheme(): void {
  const next: Theme = theme.value === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  theme.value = next;
  try {
    localStorage.setItem(key, next);
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
}
