// The artifact as it was made and mended: each version, what changed, and what was found in it.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { SeverityIcon } from "../panes/icons";
import { around, diffLines } from "./diff";
import type { Version } from "./facts";
import { MadeView, readMade, shownTypes, TakeAlong } from "./made";
import { entry, goTo, heard, shownView, versions } from "./state";
import { runs as t } from "../strings";

// The version that was chosen, by its entry; null: the newest.
const chosen = signal<number | null>(null);
// How it is shown: as what it is, against the version before, or as it is written. Where one is not to be had, the next.
type Form = "made" | "changes" | "json";
const form = signal<Form>("made");

export function Diff({ before, after }: { before: string; after: string }) {
  const lines = diffLines(before, after);
  const out = lines.filter(({ kind }) => kind === "out").length;
  const put = lines.filter(({ kind }) => kind === "in").length;
  if (out + put === 0) return <p class="hint diff-none">{t.nothingChanged}</p>;
  return (
    <>
      <p class="diff-tally">
        <span class="diff-in">+{put}</span> <span class="diff-out">−{out}</span>{" "}
        <span class="fact">{t.diffLines}</span>
      </p>
      <pre class="diff" tabIndex={0} aria-label={t.whatChanged}>
        {around(lines).map((line, index) =>
          line.kind === "skipped" ? (
            <span key={index} class="skipped">
              ⋯ {t.sameLines(line.count)}{"\n"}
            </span>
          ) : line.kind === "out" ? (
            <del key={index}>
              <span aria-hidden="true">−</span> {line.text}
              {"\n"}
            </del>
          ) : line.kind === "in" ? (
            <ins key={index}>
              <span aria-hidden="true">+</span> {line.text}
              {"\n"}
            </ins>
          ) : (
            <span key={index}>
              {"  "}
              {line.text}
              {"\n"}
            </span>
          ),
        )}
      </pre>
    </>
  );
}

function Found({ version }: { version: Version }) {
  const { findings, semantic, judged, judgeError } = version;
  const shown = findings.filter(({ shadowedBy }) => shadowedBy === undefined);
  return (
    <ul class="found" aria-label={t.problems}>
      {shown.map((finding) => (
        <li key={finding.id}>
          <SeverityIcon severity={finding.severity} />
          <span>{finding.message ?? finding.rule}</span>
          <code class="chip">{finding.rule}</code>
        </li>
      ))}
      {semantic.map((issue, index) => (
        <li key={`s${index}`}>
          <SeverityIcon severity="error" />
          <span>{issue}</span>
          <span class="chip">{t.judge}</span>
        </li>
      ))}
      {shown.length === 0 && semantic.length === 0 && (
        <li class="fact">{judged ? t.noProblems : judgeError || t.structureSound}</li>
      )}
    </ul>
  );
}

function Heard() {
  const text = useRef<HTMLPreElement>(null);
  const now = heard.value;
  useEffect(() => {
    if (text.current) text.current.scrollTop = text.current.scrollHeight;
  }, [now?.size]);
  if (!now) return null;
  return (
    <section class="heard" aria-label={t.inProgressLabel}>
      <p>
        <span class="pulse" aria-hidden="true" />
        {t.charactersSoFar(now.size)}
      </p>
      {now.findings.length > 0 && (
        <ul class="found" aria-label={t.certainAlready}>
          {now.findings.map((finding) => (
            <li key={finding.id}>
              <SeverityIcon severity={finding.severity} />
              <span>{finding.message ?? finding.rule}</span>
              <code class="chip">{finding.rule}</code>
            </li>
          ))}
        </ul>
      )}
      <pre ref={text} tabIndex={0} aria-label={t.textSoFar}>
        {now.text}
      </pre>
    </section>
  );
}

// Only the artifact that the run accepted can be exported.
function isResult(value: unknown): boolean {
  const { result } = shownView.value;
  return value !== null && result !== undefined && JSON.stringify(result) === JSON.stringify(value);
}

export function ArtifactVersions() {
  const all = versions.value;
  const index = Math.max(
    chosen.value === null ? all.length - 1 : all.findIndex(({ n }) => n === chosen.value),
    chosen.value === null ? -1 : 0,
  );
  const version = all[index];
  if (!version) {
    return (
      <>
        <Heard />
        {!heard.value && <p class="hint empty-part">{entry.value?.kind === "end" ? t.noArtifactMade : t.noArtifactYet}</p>}
      </>
    );
  }
  const before = all[index - 1];
  const type = typeof shownView.value.artifact_type === "string" ? shownView.value.artifact_type : "";
  const value = readMade(type, version.text);
  const titles: Partial<Record<Form, string>> = {
    ...(value !== null && { made: shownTypes[type]?.title ?? "" }),
    ...(before && { changes: t.whatChanged }),
    json: t.json,
  };
  const forms = Object.keys(titles) as Form[];
  const shown = forms.includes(form.value) ? form.value : (forms[0] ?? "json");
  return (
    <>
      <Heard />
      <div class="versions" role="group" aria-label={t.versions}>
        {all.map((one, i) => (
          <button
            key={one.n}
            type="button"
            aria-pressed={i === index}
            onClick={() => (chosen.value = i === all.length - 1 ? null : one.n)}
          >
            {one.title}
            {one.kept === false && <span class="chip">{t.notKept}</span>}
          </button>
        ))}
        <button type="button" class="link version-at" onClick={() => goTo(version.n)}>
          {t.entryN(version.n)}
        </button>
      </div>
      <Found version={version} />
      <div class="made-bar">
        {forms.length > 1 && (
          <div class="choices" role="group" aria-label={t.showAs}>
            {forms.map((one) => (
              <button key={one} type="button" aria-pressed={one === shown} onClick={() => (form.value = one)}>
                {titles[one]}
              </button>
            ))}
          </div>
        )}
        <TakeAlong type={type} value={value} artifact={version.text} run={isResult(value) ? shownView.value : null} />
      </div>
      {shown === "made" ? (
        <div class="made" tabIndex={0} role="group" aria-label={titles.made ?? ""}>
          <MadeView type={type} value={value} />
        </div>
      ) : shown === "changes" && before ? (
        <Diff before={before.text} after={version.text} />
      ) : (
        <pre class="whole-text" tabIndex={0} aria-label={t.artifact}>
          {version.text}
        </pre>
      )}
    </>
  );
}
