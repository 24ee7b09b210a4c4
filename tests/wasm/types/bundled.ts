// As bundlers resolve it, in a page.
import { load } from "@plumbline/plumbline";
import authorWasm from "@plumbline/plumbline/plumb-author.wasm";
import wasm from "@plumbline/plumbline/plumb-check.wasm";

void load(fetch("plumb-check.wasm")).then((plumb) => plumb.contract({}).check(location.href).valid);
void load(wasm);
void load({ module: wasm, authorModule: authorWasm });
void load({ authorModule: () => fetch("plumb-author.wasm") });

// The element, in a page.
import "@plumbline/plumbline/preview";
import { PlumbPreview, type PreviewState } from "@plumbline/plumbline/preview";

const preview: PlumbPreview = document.createElement("plumb-preview");
preview.contract = { type: "object" };
preview.value = { any: ["value"] };
const text: string = preview.value;
const state: PreviewState = preview.state;
preview.addEventListener("plumb-finding", ({ detail }) => detail.decidedAt.toFixed());
preview.addEventListener("plumb-verdict", (event) => event.detail.decision === "accept");
// @ts-expect-error no such member of a finding
preview.addEventListener("plumb-finding", ({ detail }) => detail.nothing);
preview.push(text + state);
preview.push(new Uint8Array(2));
void preview.end().then((verdict) => verdict.valid);

// Runs, in a page.
import runsWasm from "@plumbline/plumbline/plumb-runs.wasm";

const stop = new AbortController();
void load({ module: wasm, runsModule: runsWasm }).then((plumb) =>
  plumb.run("artifact", {}, {
    signal: stop.signal,
    fulfil: async ({ request, signal }) => {
      const answer = await fetch("/model", { method: "POST", body: JSON.stringify(request), signal });
      return answer.ok ? { value: { text: await answer.text() } } : { error: `status ${answer.status}` };
    },
  }),
);

// All elements by their names, with what they tell.
import "@plumbline/plumbline/edit";
import "@plumbline/plumbline/budget";
import "@plumbline/plumbline/intake";
document.querySelector("plumb-edit")!.addEventListener("plumb-fix", ({ detail }) => detail.title.trim());
document.querySelector("plumb-budget")!.addEventListener("plumb-budget-change", ({ detail }) => detail.elements.length);
document.querySelector("plumb-intake")!.addEventListener("plumb-verdict", ({ detail }) => detail.decision === "accept");
// @ts-expect-error no such member of a fix
document.querySelector("plumb-edit")!.addEventListener("plumb-fix", ({ detail }) => detail.nothing);
document.querySelector("plumb-preview")!.fail("lost");
