// Going on, in this page, with a run that stopped before its end.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { Words } from "../panes/words";
import { hereRun } from "./here";
import { enteredProxy, proxy, proxyProblem, ProxyFields } from "./new_run";
import { busy, continueHere, origin, stopsHere } from "./state";
import { runs as t } from "../strings";

const wrong = signal("");

function go(): void {
  const via = stopsHere.value === "proxy" ? enteredProxy() : undefined;
  wrong.value = via ? proxyProblem(via) : "";
  if (wrong.value === "") void continueHere(via);
}

function Form() {
  const asks = stopsHere.value;
  const id = origin.value?.name ?? "";
  useEffect(() => {
    wrong.value = "";
    const via = hereRun(id)?.via;
    if (via) proxy.value = { ...proxy.value, ...via };
  }, [id]);
  return (
    <form
      class="notice run-held"
      aria-label={t.continueForm}
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <p>
        <Words text={asks === "proxy" ? t.stoppedAsks : t.stoppedHere} />
      </p>
      {asks === "proxy" && <ProxyFields />}
      {wrong.value && <p role="alert">{wrong.value}</p>}
      <button type="submit" class="button small" disabled={busy.value !== ""}>
        {t.continueInPage}
      </button>
    </form>
  );
}

export const Continuing = () => (stopsHere.value === "" ? null : <Form />);
