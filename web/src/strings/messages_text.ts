// Of parts, servers and files in more than one view.
export const serverAnswered = (status: number) => `The server answered ${status}.`;
export const needsToken = "This server requires a token.";
export const connectionLost = "The connection to the server was lost. Reconnecting.";
export const journalGone = (id: string) => `This tab no longer holds the journal of ${id}. Open its file again.`;
export const fileTooLarge = (file: string) => `${file} is larger than 64 MB.`;
export const runsNotStarted = "The worker for runs could not be started.";
export const open = "Open";
export const dismiss = "Dismiss";
export const unreachable = "The server does not answer. It may have been stopped, or the network is down.";

// Files that hold no text.
export const isOffice = (file: string) => `${file} is a document or an archive, not text. Open it in its program, save it as plain text (.txt) or Markdown, and open that file.`;
export const isPdf = (file: string) => `${file} is a PDF. Copy its text, or convert it with pdftotext, and open that file.`;
export const isPicture = (file: string) => `${file} is a picture. Type or copy its text, or convert it with text recognition, and open that file.`;
