import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";

import type { RuleSite } from "../authoring/told";
import type { JsonEditor } from "../editor/json_editor";
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
  plural,
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

const groups = [...new Set(presets.map((preset) => preset.group))];

function Examples() {
  return (
    <label class="select">
      <span class="visually-hidden">Example</span>
      <select
        value={presetId.value}
        onChange={(event) => choose(event.currentTarget.value)}
        onFocus={wantAuthor}
        onPointerEnter={wantAuthor}
      >
        <option value="" disabled={presetId.value !== ""}>
          {presetId.value === "" ? "Your own" : "Examples"}
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
        <optgroup label="Made from the contract">
          <option value="sample:minimal">A minimal valid one</option>
          <option value="sample:rich">A rich valid one</option>
          {breakable.value.slice(0, sitesMax).map((site) => (
            <option key={sampleId(site)} value={sampleId(site)}>
              Breaks {site.rule}
              {siteWords(site)}
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
      aria-label="Another one"
      title="Make another one"
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
      title="Let the artifact arrive as a model writes it, and see when each finding becomes certain (F9)"
      aria-expanded={open}
      disabled={!open && now !== "verdict"}
      onClick={toggleStream}
    >
      <Icon name={open ? "close" : "play"} />
      <span>Stream it</span>
    </button>
  );
}

function Tools() {
  const blank = artifactSize.value.characters === 0;
  const fixed = streaming.value?.phase === "playing" || streaming.value?.phase === "paused";
  return (
    <span class="text-tools" role="group" aria-label="Text of the artifact">
      <button type="button" class="link" disabled={blank || fixed} title="Each member on a line of its own" onClick={formatArtifact}>
        Format
      </button>
      <button type="button" class="link" aria-pressed={wrapped.value} title="Break long lines at the edge" onClick={() => setWrap(!wrapped.value)}>
        Wrap
      </button>
      <button type="button" class="link" disabled={blank} title="Save the artifact as a file" onClick={downloadArtifact}>
        Download
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
          Context
        </button>
        <span class="hint">
          {wanted > 0
            ? `the contract reads ${plural(wanted, "place")} of it`
            : contextOpen.value
              ? "what rules may read beside the artifact"
              : ""}
        </span>
        <Tools />
        <span class="fact size">
          {plural(artifactSize.value.lines, "line")}, {plural(artifactSize.value.characters, "character")}
        </span>
      </div>
      <div id="context-body" hidden={!contextOpen.value}>
        <EditorHost
          options={{ label: "Context, JSON", onChange: (_doc, byHand) => byHand && contextChanged() }}
          onReady={(editor) => addEditor("context", editor)}
        />
        {refused && (
          <p class="pane-foot foot-error">
            <SeverityIcon severity="error" />
            <span>{refused.message}</span>
            <button type="button" class="link" onClick={jumpToRefusal}>
              {refused.line > 0 ? `Line ${refused.line}` : "Show"}
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
      label="Artifact"
      class="artifact-pane"
      hidden={!isShown("artifact")}
      onFile={(file) => void openFile(file, "artifact")}
      dropHint="Drop an artifact"
    >
      <header class="pane-head">
        <h2>Artifact</h2>
        <Examples />
        <Another />
        <div class="pane-tools">
          <FileButton label="Open an artifact" onFile={(file) => void openFile(file, "artifact")} />
          <StreamButton />
        </div>
      </header>
      {notice.value && (
        <p class="notice" role="alert">
          {notice.value}
        </p>
      )}
      <StreamBar />
      <EditorHost
        options={{
          label: "Artifact, JSON",
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
