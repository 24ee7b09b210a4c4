// The head of the page: its three places as links, the tools and the help beside them.
import { signal } from "@preact/signals";

import { hasServer } from "../presence";
import { theme, toggleTheme } from "../theme";
import { version } from "../studio";
import { linkTo, placeOf, view, type Place, type View } from "../view";
import { Dialog } from "./dialog";
import { Brand, Icon } from "./icons";
import { Menu } from "./menu";

export const helpOpen = signal(false);

const keys: [string, string][] = [
  ["F8", "Next problem"],
  ["Shift F8", "Previous problem"],
  ["F9", "Stream the artifact; pause, and go on"],
  ["Shift F9", "Stream one token more"],
  ["Arrow keys", "From problem to problem in the list; about the tree"],
  ["Enter", "Go to the place of the problem"],
  ["Ctrl F", "Search in an editor"],
  ["Tab", "Leave an editor: it never keeps the focus"],
  ["Escape", "Close the contract, a card, a menu or the search"],
  ["Left Right", "In a run: one entry back or forward; with Shift one line of the log"],
  ["Home End", "In a run: to the first and the last entry"],
  ["Up Down", "In a discovery: through the list; with Alt the opportunity itself while the order is changed"],
  ["Left Right", "In Budget: the part or the window that has the focus; with Shift finer"],
  ["?", "This list, outside the editors"],
];

export function Help() {
  return (
    <Dialog open={helpOpen} title="Keyboard" class="help">
      <dl>
        {keys.map(([key, what]) => (
          <div key={`${key} ${what}`}>
            <dt>
              {key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        Everything stays in this browser: artifacts, contracts and context are never sent anywhere. Only a job that you
        give to the server goes there.
        {version.value && ` Plumbline ${version.value}.`}
      </p>
    </Dialog>
  );
}

const places: [Exclude<Place, "tools">, View, string][] = [
  ["check", "studio", "Check"],
  ["runs", "runs", "Runs"],
  ["server", "server", "Server"],
];

const taglines: Record<View, string> = {
  studio: "Does it keep its contract?",
  intake: "Is it clear what is asked?",
  runs: "What has it asked, and what came back?",
  research: "What is known, and from where?",
  discovery: "What is worth building, and why?",
  story: "Can it be read to an end?",
  server: "Who calls, and at what cost?",
  budget: "Does it fit, and what is cut?",
};

export function Top() {
  const next = theme.value === "dark" ? "light" : "dark";
  const place = placeOf[view.value];
  return (
    <header class="top">
      <h1 class="brand">
        <Brand />
        <span>Plumbline</span>
      </h1>
      <nav class="views" aria-label="Places">
        {places.map(
          ([one, leads, name]) =>
            (one !== "server" || hasServer.value || place === "server") && (
              <a key={one} href={linkTo(leads)} aria-current={place === one ? "page" : undefined}>
                {name}
              </a>
            ),
        )}
      </nav>
      <p class="tagline">{taglines[view.value]}</p>
      <div class="top-tools">
        <Menu id="tools-menu" title="Tools" icon="mend" current={place === "tools"}>
          <nav aria-label="Tools">
            <a href={linkTo("budget")} aria-current={view.value === "budget" ? "page" : undefined}>
              Budget <span class="hint">what fits a model's window</span>
            </a>
            <a href={linkTo("intake")} aria-current={view.value === "intake" ? "page" : undefined}>
              Intake form <span class="hint">an objective and its scorecard</span>
            </a>
          </nav>
        </Menu>
        <Menu id="help-menu" title="Help" icon="help">
          <nav aria-label="Help">
            <a href="./docs/index.html" target="_blank" rel="noopener">
              Documentation <span class="hint">in a tab of its own</span>
            </a>
            <a href="./docs/page.html" target="_blank" rel="noopener">
              About this page
            </a>
            <button type="button" onClick={() => (helpOpen.value = true)}>
              Keyboard
            </button>
          </nav>
          {version.value && <p class="hint">Plumbline {version.value}</p>}
        </Menu>
        <button
          type="button"
          class="button ghost"
          aria-label={`Use the ${next} theme`}
          title={`Use the ${next} theme`}
          onClick={toggleTheme}
        >
          <Icon name={theme.value === "dark" ? "sun" : "moon"} />
        </button>
      </div>
    </header>
  );
}
