// Research runs of the server that this page came from.
import { fetchServer } from "../server_token";
import { messages } from "../strings";

async function ask(path: string, body?: object): Promise<unknown> {
  const answer = await fetchServer(path, {
    ...(body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (!answer.ok) {
    const said = (await answer.json().catch(() => ({}))) as { title?: string; detail?: string };
    throw new Error(said.detail ?? said.title ?? messages.serverAnswered(answer.status));
  }
  return answer.json();
}

const of = (id: string): string => `/v1/runs/${encodeURIComponent(id)}`;

export const send = (id: string, signal: string, value: unknown): Promise<unknown> =>
  ask(`${of(id)}/signals/${encodeURIComponent(signal)}`, { decision: value });
