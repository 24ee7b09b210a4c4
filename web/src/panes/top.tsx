// The head of the page: its three places as links, the tools and the help beside them.
import { signal } from "@preact/signals";

import { hasServer } from "../presence";
import { theme, toggleTheme } from "../theme";
import { version } from "../studio";
import { linkTo, placeOf, view, type Place, type View } from "../view";
import { Dialog } from "./dialog";
import { Brand, Icon } from "./icons";
import { Menu } from "./menu";
import { page as t } from "../strings";

export const helpOpen = signal(false);

export function Help() {
  return (
    <Dialog open={helpOpen} title={t.keyboard} class="help">
      <dl>
        {t.keys.map(([key, what]) => (
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
        {t.staysHere}
        {version.value && t.versionSentence(version.value)}
      </p>
    </Dialog>
  );
}

const places: [Exclude<Place, "tools">, View, string][] = [
  ["check", "studio", t.check],
  ["runs", "runs", t.runs],
  ["server", "server", t.server],
];

const taglines: Record<View, string> = {
  studio: t.taglineCheck,
  intake: t.taglineIntake,
  runs: t.taglineRuns,
  research: t.taglineResearch,
  discovery: t.taglineDiscovery,
  story: t.taglineStory,
  server: t.taglineServer,
  budget: t.taglineBudget,
};

export function Top() {
  const next = theme.value === "dark" ? "light" : "dark";
  const place = placeOf[view.value];
  return (
    <header class="top">
      <h1 class="brand">
        <Brand />
        <span>{t.product}</span>
      </h1>
      <nav class="views" aria-label={t.places}>
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
        <Menu id="tools-menu" title={t.tools} icon="mend" current={place === "tools"}>
          <nav aria-label={t.tools}>
            <a href={linkTo("budget")} aria-current={view.value === "budget" ? "page" : undefined}>
              {t.budget} <span class="hint">{t.budgetAbout}</span>
            </a>
            <a href={linkTo("intake")} aria-current={view.value === "intake" ? "page" : undefined}>
              {t.intakeForm} <span class="hint">{t.intakeFormAbout}</span>
            </a>
          </nav>
        </Menu>
        <Menu id="help-menu" title={t.help} icon="help">
          <nav aria-label={t.help}>
            <a href="./docs/index.html" target="_blank" rel="noopener">
              {t.documentation} <span class="hint">{t.documentationAbout}</span>
            </a>
            <a href="./docs/page.html" target="_blank" rel="noopener">
              {t.aboutPage}
            </a>
            <button type="button" onClick={() => (helpOpen.value = true)}>
              {t.keyboard}
            </button>
          </nav>
          {version.value && <p class="hint">{t.versionOf(version.value)}</p>}
        </Menu>
        <button
          type="button"
          class="button ghost"
          aria-label={t.useTheme[next]}
          title={t.useTheme[next]}
          onClick={toggleTheme}
        >
          <Icon name={theme.value === "dark" ? "sun" : "moon"} />
        </button>
      </div>
    </header>
  );
}
