// Opening and starting runs, and what a journal holds.
import { count, plural } from "../plural";

export const titleOfItems = (n: number, names: readonly string[]) => `${plural(n, "item")}${names.length > 0 ? `: ${names.join(", ")}` : ""}`;

export const readingJournal = "Reading the journal";
export const journalTooLarge = (file: string, size: number, most: number) => `${file} has ${count(size)} bytes. The limit here is ${count(most)}.`;
export const askingServer = "Loading from the server";
export const verifying = "Repeating the run";
export const runNotKept = "This browser has no room to keep this run. Save its journal, or it is lost with this tab.";
export const inOtherTab = "Another tab of this browser is working on this run.";
export const startingRun = "Starting the run";
export const noOlderRuns = "The server has no older runs.";
export const generated = "Generated";
export const repairN = (n: number) => `Repair ${n}`;
export const fixedFree = "Fixed without a model";
export const plan = "Plan";
export const generate = "Generate";
export const validate = "Validate";
export const repair1 = "Repair 1";
export const repair2 = "Repair 2";
export const about = "about ";
export const tokensOf = (about: string, n: number) => `${about}${count(n)} tokens`;
export const milliseconds = (n: number) => `${n} ms`;
export const seconds = (n: string) => `${n} s`;
export const minutes = (n: number, seconds: number) => `${n} min ${seconds} s`;
export const hours = (n: number, minutes: number) => `${n} h ${minutes} min`;
