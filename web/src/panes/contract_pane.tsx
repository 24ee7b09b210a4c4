import { signal } from "@preact/signals";
import { render } from "preact";

import {
  addEditor,
  builtIns,
  closeContract,
  contractChanged,
  contractName,
  contractView,
  editCopy,
  facts,
  helpWithContract,
  isShown,
  jumpToRefusal,
  openFile,
  outcome,
} from "../studio";
import { ContractViewBody, LintCards, useContractViews, ViewTabs } from "./contract_views";
import { PaneFrame } from "./drop_zone";
import { EditorHost } from "./editor_host";
import { FileButton } from "./file_button";
import { Icon, SeverityIcon } from "./icons";
import { checking as t } from "../strings";

const warningsOpen = signal(false);

function Foot() {
  const now = outcome.value;
  if (now.kind === "contract_refused") {
    const { refusal } = now;
    return (
      <footer class="pane-foot foot-error">
        <SeverityIcon severity="error" />
        <p>{refusal.message}</p>
        <button type="button" class="link" onClick={jumpToRefusal}>
          {refusal.line > 0 ? t.line(refusal.line) : t.show}
        </button>
      </footer>
    );
  }
  const read = facts.value;
  if (!read) return <footer class="pane-foot" />;
  const warnings = read.warnings;
  return (
    <footer class="pane-foot">
      <span class="fact" title={read.hash}>
        <code>{read.hash.slice(0, 19)}…</code>
      </span>
      {read.contextRead.length > 0 && (
        <span class="fact">
          {t.reads} <code>{read.contextRead.join(", ")}</code>
        </span>
      )}
      {warnings.length > 0 && (
        <details
          class="foot-warnings"
          open={warningsOpen.value}
          onToggle={(event) => (warningsOpen.value = event.currentTarget.open)}
        >
          <summary>
            <SeverityIcon severity="warning" /> {t.nRemarks(warnings.length)}
          </summary>
          <ul>
            {warnings.map((warning) => (
              <li key={`${warning.at} ${warning.message}`}>
                {warning.message}
                {warning.line > 0 && t.inLine(warning.line)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </footer>
  );
}

function showLintCard(ids: number[], into: HTMLElement): () => void {
  render(<LintCards ids={ids} />, into);
  return () => render(null, into);
}

export function ContractPane() {
  const builtIn = contractName.value !== "";
  useContractViews();
  return (
    <PaneFrame
      id="contract-pane"
      label={t.contract}
      class="contract-pane"
      hidden={!isShown("contract")}
      onFile={(file) => void openFile(file, "contract")}
      dropHint={t.dropContract}
      onKeyDown={(event) => {
        const inside = (event.target as HTMLElement).closest(".cm-editor");
        if (event.key === "Escape" && !inside && !event.defaultPrevented) closeContract();
      }}
    >
      <header class="pane-head">
        <h2>{t.contract}</h2>
        <div class="pane-tools">
          {builtIn ? (
            <>
              <span class="badge may-hide">{t.readOnly}</span>
              <button type="button" class="button small" onClick={editCopy} disabled={builtIns.value.length === 0}>
                {t.editCopy}
              </button>
            </>
          ) : (
            <FileButton label={t.openContract} onFile={(file) => void openFile(file, "contract")} />
          )}
          <button type="button" class="button ghost small" aria-label={t.closeContract} title={t.close} onClick={closeContract}>
            <Icon name="close" />
          </button>
        </div>
      </header>
      <ViewTabs />
      <div id="contract-view" role="tabpanel" aria-labelledby={`view-${contractView.value}`}>
        <div class="editor-frame" hidden={contractView.value !== "text"}>
          <EditorHost
            options={{
              label: t.contractJson,
              readOnly: true,
              onChange: (doc, byHand) => byHand && contractChanged(doc),
              onFocus: () => void helpWithContract(),
              showCard: showLintCard,
            }}
            onReady={(editor) => addEditor("contract", editor)}
          />
        </div>
        <ContractViewBody />
      </div>
      <Foot />
    </PaneFrame>
  );
}
