// The routes of discovery on the server that this page came from.
import type { Found } from "./found";
import { fetchServer } from "../server_token";
import { messages as t } from "../strings";

const root = "/api/discovery/runs";

// A refusal that the page can do something about: somebody was faster.
export class Conflict extends Error {}

async function said(answer: Response): Promise<string> {
  try {
    const { title, detail } = (await answer.json()) as { title?: string; detail?: string };
    return detail ?? title ?? t.serverAnswered(answer.status);
  } catch {
    return t.serverAnswered(answer.status);
  }
}

async function ask(path: string, body?: object): Promise<unknown> {
  const answer = await fetchServer(root + path, {
    ...(body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (answer.status === 409) throw new Conflict(await said(answer));
  if (!answer.ok) throw new Error(await said(answer));
  return answer.json();
}

const of = (run: string): string => `/${encodeURIComponent(run)}`;

export const viewOf = async (run: string): Promise<Found> => (await ask(of(run))) as Found;

export interface Decided {
  decision: string;
  reasoning: string;
  by: string;
  adjusted_priority?: number;
  send_back_to_stage?: string;
  revises?: boolean;
}

export const decide = (run: string, opportunity: string, what: Decided): Promise<unknown> =>
  ask(`${of(run)}/opportunities/${encodeURIComponent(opportunity)}/decide`, what);
export const rank = (run: string, order: string[], by: string): Promise<unknown> =>
  ask(`${of(run)}/rank`, { order, by });
export const complete = (run: string, by: string): Promise<unknown> => ask(`${of(run)}/complete`, { by });
