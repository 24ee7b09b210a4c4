// The page around its views: head, help, sharing, history.
import { count, plural } from "../plural";

// The page as a whole.
export const artifact = "Artifact";
export const verdict = "Verdict";
export const panes = "Panes";
export const previousProblem = "Previous problem";
export const nextProblem = "Next problem";
export const viewNotLoaded = "This view could not be loaded. Is the server still running?";
export const streaming = "Streaming";
export const titleOf = (what: string) => `${what} – Plumbline`;
export const product = "Plumbline";
export const skip = "Skip links";
export const skipTo = { artifact: "Skip to the artifact", verdict: "Skip to the verdict" };

// Head, places and keyboard.
// Keys, and what each does.
export const keys = [
  ["F8", "Next problem"],
  ["Shift F8", "Previous problem"],
  ["F9", "Stream the artifact, pause, resume"],
  ["Shift F9", "Stream one more token"],
  ["Arrow keys", "Move through the problems or the tree"],
  ["Enter", "Go to the problem's place"],
  ["Ctrl F", "Search in an editor"],
  ["Tab", "Leave an editor"],
  ["Escape", "Close the contract, a card, a menu or the search"],
  ["Left Right", "Run: one entry back or forward. Shift: one log line."],
  ["Home End", "Run: first or last entry"],
  ["Up Down", "Discovery: move through the list. Alt+Up/Down: move the opportunity when reordering."],
  ["Left Right", "Budget: resize the focused part or window. Shift: smaller steps."],
  ["?", "Show this list"],
] as [key: string, what: string][];
export const keyboard = "Keyboard";
export const staysHere = "Artifacts, contracts and context stay in this browser. Only jobs that you give to the server are sent there.";
export const versionSentence = (version: string) => ` Plumbline ${version}.`;
export const check = "Check";
export const runs = "Runs";
export const server = "Server";
export const taglineCheck = "Does it keep its contract?";
export const taglineIntake = "Is it clear what is asked?";
export const taglineRuns = "What was asked, what came back";
export const taglineResearch = "What is known, and from where";
export const taglineDiscovery = "What is worth building, and why";
export const taglineStory = "Can readers reach an ending?";
export const taglineServer = "Who calls, and at what cost";
export const taglineBudget = "What fits, and what is cut";
export const places = "Places";
export const tools = "Tools";
export const budget = "Budget";
export const budgetAbout = "what fits a model's window";
export const intakeForm = "Intake form";
export const intakeFormAbout = "an objective and its scorecard";
export const help = "Help";
export const documentation = "Documentation";
export const documentationAbout = "(new tab)";
export const aboutPage = "About this page";
export const versionOf = (version: string) => `Plumbline ${version}`;
export const useTheme = { light: "Use the light theme", dark: "Use the dark theme" };

// Offers at the foot.
export const offers = "Offers";
export const undo = "Undo";
export const newVersion = "A newer version of this page is available.";
export const reload = "Reload";
export const notNow = "Not now";
export const close = "Close";
export const widthOf = { contract: "Width of the contract", verdict: "Width of the verdict" };

// Sharing.
export const link = "Link";
export const commandLine = "Command line";
export const javaScript = "JavaScript";
export const http = "HTTP";
export const tooLargeForLink = (most: number) => `Too large for a link, which holds at most ${count(most)} characters. Share a file instead.`;
export const characters = (n: number) => `${plural(n, "character")}.`;
export const longLink = (size: string) => `${size} Some programs cut links of this length. The page tells a reader who opens a cut link.`;
export const linkStays = (size: string) => `${size} The link itself holds everything, after #, which browsers never send to a server.`;
export const copied = "Copied";
export const notCopiedSelect = "Could not copy. Select the text instead.";
export const shareAs = "Share as";
export const withArtifact = "Include the artifact";
export const copy = "Copy";
export const share = "Share";
export const commandLineNote = "Exit code 0: clean. 1: problems found. 2: undecided or an error. In a pipeline, add --format sarif, junit or github.";
export const javaScriptNote = (packageName: string) =>
  `Needs the package ${packageName} (./dev build makes its tarball).`;
export const httpNote = "Start plumb serve on this machine. It answers with the verdict as JSON.";
export const brokenLink = "This link is incomplete. Ask the sender for the full link.";
export const linkTooLarge = (n: number, most: number) => `This link is too large: ${count(n)} characters of at most ${count(most)}.`;
export const linkOfNewer = (form: number) => `This page does not know links of version ${form}. Reload the page and try again.`;
export const linkUnpacksTooLarge = "This link was not opened: it unpacks to more than 8 MB.";

// History.
export const yesterday = (time: string) => `Yesterday ${time}`;
export const notChecked = "Not checked";
export const contractRefused = "Contract refused";
export const noArtifact = "no artifact";
export const forget = (title: string, when: string) => `Forget ${title}, ${when}`;
export const historyEmpty = "Nothing yet. Your work appears here. It is kept in this browser only.";
export const historyOff = "History is off. Nothing is kept.";
export const keepHistory = "Keep a history in this browser";
export const historySize = (entries: number, kb: number) => `${entries} of 40, ${count(kb)} KB`;
export const clear = "Clear";
export const history = "History";
export const nProblems = (n: number) => plural(n, "problem");
export const tooLargeToKeep = "This artifact is too large for the history.";
export const formatTooLarge = "This page formats at most 8,000,000 characters.";
export const formatNoJson = "Not valid JSON, so it cannot be formatted.";
