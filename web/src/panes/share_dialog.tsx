// What is on the page, to be taken elsewhere: as a link, as a command, as code. Nothing is sent.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";

import { linkOf, linkUnitsMax, linkUnitsSafe, type Shared } from "../share";
import { commandLine, http, javaScript } from "../snippets";
import { currentWork } from "../studio";
import { Dialog } from "./dialog";
import { Icon } from "./icons";
import { page as t } from "../strings";

export const shareOpen = signal(false);

const forms = [t.link, t.commandLine, t.javaScript, t.http] as const;
type Form = (typeof forms)[number];
const form = signal<Form>(t.link);
const withArtifact = signal(true);

interface Told {
  text: string;
  note: string;
}

// The server of the page, when it is `plumb serve` on this machine; else where that usually is.
function server(): string {
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname) ? location.origin : "http://127.0.0.1:8787";
}

async function told(wanted: Form, work: Shared): Promise<Told> {
  if (wanted === "Command line") return commandLine(work);
  if (wanted === "JavaScript") return javaScript(work);
  if (wanted === "HTTP") return http(work, server());
  const shared = withArtifact.value ? work : { ...work, artifact: "", context: null };
  const made = await linkOf(shared, location.href);
  if ("tooLarge" in made) {
    return {
      text: "",
      note: t.tooLargeForLink(linkUnitsMax),
    };
  }
  const size = t.characters(made.link.length);
  return {
    text: made.link,
    note:
      made.link.length > linkUnitsSafe
        ? t.longLink(size)
        : t.linkStays(size),
  };
}

function Body() {
  const [made, setMade] = useState<Told & { of: string }>({ of: "", text: "", note: "" });
  const [copied, setCopied] = useState("");
  const bar = useRef<HTMLDivElement>(null);
  const wanted = form.value;
  const whole = withArtifact.value;
  // Never the text of another form under this one's name.
  const of = `${wanted} ${whole}`;
  const now = made.of === of ? made : { text: "", note: "" };
  useEffect(() => {
    let current = true;
    setCopied("");
    void told(wanted, currentWork()).then((text) => current && setMade({ of, ...text }));
    return () => {
      current = false;
    };
  }, [of]);
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = forms[(forms.indexOf(wanted) + step + forms.length) % forms.length] ?? wanted;
    form.value = next;
    bar.current?.querySelectorAll("button")[forms.indexOf(next)]?.focus();
  };
  const copy = async () => {
    const done = await navigator.clipboard.writeText(now.text).then(
      () => true,
      () => false,
    );
    setCopied(done ? t.copied : t.notCopiedSelect);
  };
  return (
    <>
      <div class="choices" role="tablist" aria-label={t.shareAs} ref={bar} onKeyDown={move}>
        {forms.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`share-${one}`}
            aria-selected={one === wanted}
            aria-controls="share-text"
            tabIndex={one === wanted ? 0 : -1}
            onClick={() => (form.value = one)}
          >
            {one}
          </button>
        ))}
      </div>
      <div id="share-text" role="tabpanel" aria-labelledby={`share-${wanted}`}>
        <textarea
          class={`share-text ${wanted === "Link" ? "as-link" : ""}`}
          readOnly
          aria-label={wanted}
          spellcheck={false}
          wrap={wanted === "Link" ? "soft" : "off"}
          value={now.text}
        />
        <p class="hint share-note">{now.note}</p>
      </div>
      <footer class="dialog-foot">
        {wanted === "Link" && (
          <label class="check">
            <input
              type="checkbox"
              checked={whole}
              onChange={(event) => (withArtifact.value = event.currentTarget.checked)}
            />
            {t.withArtifact}
          </label>
        )}
        <span class="said" role="status">
          {copied}
        </span>
        <button type="button" class="button primary" disabled={now.text === ""} onClick={() => void copy()}>
          <Icon name="copy" />
          {t.copy}
        </button>
      </footer>
    </>
  );
}

export function ShareDialog() {
  return (
    <Dialog open={shareOpen} title={t.share} class="share">
      <Body />
    </Dialog>
  );
}
