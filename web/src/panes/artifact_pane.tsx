import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";

import type { RuleSite } from "../authoring/told";
import type { JsonEditor } from "../editor/json_editor";
import { lost } from "../last";
import { presets } from "../presets";
import { streaming } from "../streaming";
import {
  activeId,
  addEditor,
  artifactChanged,
  artifactSize,
  breakable,
  choosePreset,
  contextChanged,
  contextOpen,
  cursorMoved,
  downloadArtifact,
  facts,
  formatArtifact,
  isShown,
  jumpTo,
  jumpToRefusal,
  makeSample,
  notice,
  openFile,
  outcome,
  presetId,
  sampleId,
  setWrap,
  toggleContext,
  toggleStream,
  wantAuthor,
  wrapped,
} from "../studio";
import { PaneFrame } from "./drop_zone";
import { EditorHost } from "./editor_host";
import { FileButton } from "./file_button";
import { showCard } from "./finding_card";
import { Icon, SeverityIcon } from "./icons";
import { StreamBar } from "./stream_bar";
import { TreePanel } from "./tree_panel";
import { checking as t } from "../strings";

const groups = [...new Set(presets.map((preset) => preset.group))];

function Examples() {
  return (
    <label class="select">
      <span class="visually-hidden">{t.example}</span>
      <select
        value={presetId.value}
        onChange={(event) => choose(event.currentTarget.value)}
        onFocus={wantAuthor}
        onPointerEnter={wantAuthor}
      >
        <option value="" disabled={presetId.value !== ""}>
          {presetId.value === "" ? t.yourOwn : t.examples}
        </option>
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {presets
              .filter((preset) => preset.group === group)
              .map((preset) => (
                <option key={preset.id} value={preset.id}>
                  {preset.title}
                </option>
              ))}
          </optgroup>
        ))}
        <optgroup label={t.fromContract}>
          <option value="sample:minimal">{t.minimalSample}</option>
          <option value="sample:rich">{t.richSample}</option>
          {breakable.value.slice(0, sitesMax).map((site) => (
            <option key={sampleId(site)} value={sampleId(site)}>
              {t.breaks(site.rule, siteWords(site))}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}

const sitesMax = 80;

function choose(id: string): void {
  if (id.startsWith("sample:")) void makeSample(id);
  else choosePreset(id);
}

// The place of a rule, in few words: the members on the way to it.
function siteWords({ rule, schemaLocation = "", property }: RuleSite): string {
  const tokens = schemaLocation.split("/").filter((token) => !/^(|properties|items|\$defs|\d+)$/.test(token));
  const way = tokens.filter((token) => token !== rule).slice(-2);
  return `${way.length > 0 ? `: ${way.join(" ")}` : ""}${property ? ` ${property}` : ""}`;
}

function Another() {
  if (!presetId.value.startsWith("sample:")) return null;
  return (
    <button
      type="button"
      class="button small"
      aria-label={t.anotherSample}
      title={t.anotherSample}
      onClick={() => void makeSample(presetId.value)}
    >
      <Icon name="restart" />
    </button>
  );
}

function StreamButton() {
  const open = streaming.value !== null;
  const now = outcome.value.kind;
  return (
    <button
      type="button"
      class="button small"
      title={t.streamAbout}
      aria-expanded={open}
      disabled={!open && now !== "verdict"}
      onClick={toggleStream}
    >
      <Icon name={open ? "close" : "play"} />
      <span>{t.stream}</span>
    </button>
  );
}

function Tools() {
  const blank = artifactSize.value.characters === 0;
  const fixed = streaming.value?.phase === "playing" || streaming.value?.phase === "paused";
  return (
    <span class="text-tools" role="group" aria-label={t.artifactText}>
      <button type="button" class="link" disabled={blank || fixed} title={t.formatAbout} onClick={formatArtifact}>
        {t.format}
      </button>
      <button type="button" class="link" aria-pressed={wrapped.value} title={t.wrapAbout} onClick={() => setWrap(!wrapped.value)}>
        {t.wrap}
      </button>
      <button type="button" class="link" disabled={blank} title={t.downloadAbout} onClick={downloadArtifact}>
        {t.download}
      </button>
    </span>
  );
}

function Context() {
  const now = outcome.value;
  const wanted = facts.value?.contextRead.length ?? 0;
  const refused = now.kind === "context_refused" ? now.refusal : null;
  return (
    <div class={`context ${contextOpen.value ? "open" : ""}`}>
      <div class="context-bar">
        <button
          type="button"
          class="link context-toggle"
          aria-expanded={contextOpen.value}
          aria-controls="context-body"
          onClick={toggleContext}
        >
          <Icon name={contextOpen.value ? "down" : "up"} />
          {t.context}
        </button>
        <span class="hint">
          {wanted > 0
            ? t.contextRead(wanted)
            : contextOpen.value
              ? t.contextAbout
              : ""}
        </span>
        <Tools />
        <span class="fact size">
          {t.nLines(artifactSize.value.lines)}, {t.nCharacters(artifactSize.value.characters)}
        </span>
      </div>
      <div id="context-body" hidden={!contextOpen.value}>
        <EditorHost
          options={{ label: t.contextJson, onChange: (_doc, byHand) => byHand && contextChanged() }}
          onReady={(editor) => addEditor("context", editor)}
        />
        {refused && (
          <p class="pane-foot foot-error">
            <SeverityIcon severity="error" />
            <span>{refused.message}</span>
            <button type="button" class="link" onClick={jumpToRefusal}>
              {refused.line > 0 ? t.line(refused.line) : t.show}
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

export function ArtifactPane() {
  const editor = useRef<JsonEditor | null>(null);
  useSignalEffect(() => {
    const id = activeId.value;
    editor.current?.setActive(id);
  });
  return (
    <PaneFrame
      id="artifact-pane"
      label={t.artifact}
      class="artifact-pane"
      hidden={!isShown("artifact")}
      onFile={(file) => void openFile(file, "artifact")}
      dropHint={t.dropArtifact}
    >
      <header class="pane-head">
        <h2>{t.artifact}</h2>
        <Examples />
        <Another />
        <div class="pane-tools">
          <FileButton label={t.openArtifact} onFile={(file) => void openFile(file, "artifact")} />
          <StreamButton />
        </div>
      </header>
      {lost.value && (
        <p class="notice" role="status">
          {t.lostOnReload}{" "}
          <button type="button" class="link" onClick={downloadArtifact}>
            {t.saveIt}
          </button>
        </p>
      )}
      {notice.value && (
        <p class="notice" role="alert">
          {notice.value}
        </p>
      )}
      <StreamBar />
      <EditorHost
        options={{
          label: t.artifactJson,
          onChange: artifactChanged,
          onCursor: cursorMoved,
          onJump: jumpTo,
          showCard,
        }}
        onReady={(made) => {
          editor.current = made;
          addEditor("artifact", made);
        }}
      />
      <TreePanel />
      <Context />
    </PaneFrame>
  );
}
