// The states of a run: the same words in lists and in the head of an open run.
export const running = "running";
export const waits = "waits for you";
export const completed = "completed";
export const failed = "failed";
export const cancelled = "cancelled";
