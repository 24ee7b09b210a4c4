// The runs that this page makes, entry by entry, so that none is lost with its tab. Kept in IndexedDB, which all tabs of this
// browser share, and not where keeping is switched off. An entry is here before the run uses it.
import { onClear, pastOn } from "../past";
import type { Proxy } from "./messages";

// The proxy that a run asks, without its token.
export type Via = Omit<Proxy, "token">;

export interface Kept {
  id: string;
  lines: string[];
  via?: Via | undefined;
}

interface Piece {
  lines: string[];
  via?: Via | undefined;
}

const name = "plumbline-runs";
const pieces = "pieces"; // by [run, number of lines before]
const runsMax = 12;

let opening: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => void request.result.createObjectStore(pieces);
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error ?? new Error());
  });
  opening.catch(() => (opening = undefined));
  return opening;
}

async function change(act: (store: IDBObjectStore) => void): Promise<void> {
  const transaction = (await database()).transaction(pieces, "readwrite", { durability: "strict" });
  act(transaction.objectStore(pieces));
  await new Promise<void>((done, failed) => {
    transaction.oncomplete = () => done();
    transaction.onabort = () => failed(transaction.error ?? new Error());
  });
}

const allOf = (id: string): IDBKeyRange => IDBKeyRange.bound([id], [id, []]);

// False where it could not be kept.
export async function keepLines(id: string, before: number, lines: string[], via?: Via): Promise<boolean> {
  if (!pastOn.value) return true;
  try {
    await change((store) => store.put({ lines, via } satisfies Piece, [id, before]));
    return true;
  } catch {
    return false;
  }
}

export async function dropKept(...ids: readonly string[]): Promise<void> {
  try {
    await change((store) => ids.forEach((id) => store.delete(allOf(id))));
  } catch {
    // There is nothing.
  }
}

onClear(() => void change((store) => store.clear()).catch(() => undefined));

const result = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error ?? new Error());
  });

// Newest first, without those that another tab is working on. Those over the bound are gone from now on.
export async function keptRuns(): Promise<Kept[]> {
  if (!pastOn.value) return [];
  try {
    const store = (await database()).transaction(pieces).objectStore(pieces);
    const [keys, all] = await Promise.all([result(store.getAllKeys()), result(store.getAll() as IDBRequest<Piece[]>)]);
    const runs = new Map<string, Kept>();
    keys.forEach((key, i) => {
      const [id] = key as [string, number];
      const run = runs.get(id) ?? { id, lines: [] };
      run.lines.push(...(all[i]?.lines ?? []));
      run.via ??= all[i]?.via;
      runs.set(id, run);
    });
    const begun = ({ lines }: Kept): number => Number(/"at":(\d+)/.exec(lines.find((line) => line.startsWith('{"n":0,')) ?? "")?.[1] ?? 0);
    const sorted = [...runs.values()].sort((a, b) => begun(b) - begun(a));
    if (sorted.length > runsMax) void dropKept(...sorted.slice(runsMax).map(({ id }) => id));
    const locks = ((await (navigator.locks as LockManager | undefined)?.query())?.held ?? []).map((lock) => lock.name);
    return sorted.slice(0, runsMax).filter(({ id }) => !locks.includes(lockOf(id)));
  } catch {
    return [];
  }
}

// A run goes on in one tab alone: true where it is this one from now on, until the tab ends or `letGo` is called.
const held = new Map<string, () => void>();
const lockOf = (id: string): string => `plumbline-run-${id}`;

export async function takeHold(id: string): Promise<boolean> {
  const locks = navigator.locks as LockManager | undefined; // not there over plain HTTP
  if (!locks || held.has(id)) return true;
  return new Promise((told) => {
    void locks.request(lockOf(id), { ifAvailable: true }, (lock) => {
      told(lock !== null);
      return lock === null ? undefined : new Promise<void>((end) => held.set(id, end));
    });
  });
}

export function letGo(id: string): void {
  held.get(id)?.();
  held.delete(id);
}
