// What the list of the server does not say of its runs: the title of a boundary, which its journal begins with, and whether a run
// waits for a person.
import { fetchServer } from "../server_token";
import { nameOf } from "./run_title";
import { stateAt } from "./run_state";
import type { ServerRun } from "./server";

const lookedMax = 50;
const headMax = 8 * 1024 * 1024;

const titles = new Map<string, string>();
const waiting = new Map<string, boolean>(); // by run and number of entries

// The first entry of a journal, with the texts before it; the rest is not read.
async function beginOf(id: string): Promise<{ name?: string; data?: { input?: unknown } }> {
  const answer = await fetchServer(`/v1/runs/${encodeURIComponent(id)}/journal`);
  const reader = answer.ok ? answer.body?.getReader() : undefined;
  if (!reader) return {};
  const decoder = new TextDecoder();
  const blobs = new Map<string, string>();
  let text = "";
  try {
    for (let read = 0; read < headMax; ) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.length;
      const lines = (text + decoder.decode(value, { stream: true })).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const told = JSON.parse(line) as { blob?: string; text?: string; n?: number };
        if (told.blob !== undefined) blobs.set(told.blob, told.text ?? "null");
        else if (told.n === 0) return whole(told, blobs) as { name?: string; data?: { input?: unknown } };
      }
    }
    return {};
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

// With its texts in the places that refer to them.
function whole(value: unknown, blobs: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => whole(one, blobs));
  if (value === null || typeof value !== "object") return value;
  const { $blob } = value as { $blob?: string };
  if (typeof $blob === "string") return JSON.parse(blobs.get($blob) ?? "null") as unknown;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, whole(one, blobs)]));
}

async function lookAt(run: ServerRun): Promise<void> {
  if (run.pipeline === "boundary" && !run.title && !titles.has(run.id)) {
    const { data } = await beginOf(run.id);
    titles.set(run.id, nameOf("boundary", data?.input).title);
  }
  const now = `${run.id} ${run.entries}`;
  if (run.state !== "waiting" || run.problem || waiting.has(now)) return;
  const answer = await fetchServer(`/v1/runs/${encodeURIComponent(run.id)}`);
  if (!answer.ok) return;
  const { view } = (await answer.json()) as { view?: Record<string, unknown> };
  waiting.set(now, stateAt(null, view ?? {}) === "waits");
}

// Looks closer at the runs that are listed, and lists them with what was found.
export async function lookCloser(list: { value: ServerRun[] | null }): Promise<void> {
  const runs = list.value ?? [];
  await Promise.all(runs.slice(0, lookedMax).map((run) => lookAt(run).catch(() => undefined)));
  const more = runs.map((run) => {
    const title = run.title || titles.get(run.id);
    const asks = waiting.get(`${run.id} ${run.entries}`) === true;
    return title === run.title && asks === (run.asks ?? false) ? run : { ...run, ...(title && { title }), asks };
  });
  if (list.value === runs && more.some((run, i) => run !== runs[i])) list.value = more;
}
