// What workers report: to be shown, and in journals.
export const checkerNotLoadedError = "The checker is not loaded.";
export const noJournal = "No journal is open.";
export const cancelledHere = "cancelled in the page";
export const replacedHere = "another run was started in the page";
export const notReadable = "This story is not far enough along to be played.";
export const anOutline = "an outline";
export const otherPipeline = (pipeline: string) => `This journal is of a run of ${pipeline}, not of a story.`;
export const thisPage = "the page";
export const aRun = "a run";
export const keptByPolicy = (origin: string) =>
  `This page may not call ${origin}: the policy that its server sends (Content-Security-Policy, connect-src) does not list it. Add it there, or open the page from a server whose policy has it.`;
