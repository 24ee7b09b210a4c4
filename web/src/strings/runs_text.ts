// Runs.
import { count, plural } from "../plural";

const times = (n: number): string => (n === 1 ? "once" : n === 2 ? "twice" : `${count(n)} times`);

// Versions of the artifact.
export const nothingChanged = "Nothing changed.";
export const diffLines = "lines, compared with the version before";
export const whatChanged = "What changed";
export const problems = "Problems";
export const judge = "judge";
export const noProblems = "No problems.";
export const structureSound = "No structural problems. Not judged yet.";
export const inProgressLabel = "In progress";
export const charactersSoFar = (n: number) => `${count(n)} characters so far`;
export const certainAlready = "Problems so far";
export const textSoFar = "Text so far";
export const noArtifactYet = "No artifact yet at this entry.";
export const noArtifactMade = "The run ended before it had made an artifact.";
export const json = "JSON";
export const versions = "Versions";
export const notKept = "not kept";
export const entryN = (n: number) => `Entry ${n}`;
export const showAs = "Show as";
export const artifact = "Artifact";

// A boundary.
export const boundary = "Boundary";
export const boundaryAbout = "items between two steps, checked one by one";
export const items = "Items";
export const itemsLater = "The items are listed with their verdicts once the boundary has settled them.";
export const itemAccepted = "accepted";
export const itemWarned = "passed with a warning";
export const itemFailed = "held back";
export const itemId = (id: string) => `item ${id}`;
export const itemFrom = (id: string) => `, revised from ${id}`;
export const itemHistory = (rejections: number, revisions: number) => `, rejected ${times(rejections)}${revisions ? `, revised ${times(revisions)}` : ""}`;
export const itemNotJudged = ", not judged";
export const itemValue = (name: string) => `Value of ${name}`;
export const boundaryOf = (n: number, producer: string, consumer: string) =>
  `${plural(n, "item")}${producer && ` from ${producer}`}${consumer && ` for ${consumer}`}:`;
export const boundaryCame = (accepted: number, warned: number, failed: number) =>
  `${count(accepted)} accepted, ${count(warned)} with a warning, ${count(failed)} held back`;
export const cycles = "Cycles";
export const noCyclesYet = "No cycle has ended yet at this entry.";
export const firstCycle = "First judgement:";
export const cycleN = (n: number) => `After revision ${n}:`;
export const cycleCame = (accepted: number, rejected: number, unverified: number, skipped: number) =>
  `${count(accepted)} accepted, ${count(rejected)} rejected${unverified ? `, ${count(unverified)} not judged` : ""}${skipped ? `, ${plural(skipped, "revision")} could not be used` : ""}`;

// Calls.
export const inOut = (about: string, input: number, output: number) => `${about}${count(input)} in, ${count(output)} out`;
export const noTokens = "no tokens";
export const tried = (n: number) => `tried ${n} times`;
export const sentAt = (n: number) => `sent at ${n}`;
export const answeredAt = (n: number) => `answered at ${n}`;
export const stoppedEarly = (why: string) => `Stopped early (${why})`;
export const afterBytes = (n: number) => ` after ${count(n)} bytes`;
export const tokensSaved = (n: number) => `: about ${count(n)} tokens saved`;
export const request = "Request";
export const messageOf = (role: string) => `Message of ${role}`;
export const answerTitle = "answer";
export const answer = "Answer";
export const noCallsYet = "No calls yet at this entry.";


export const prices = "Price of a million tokens, in dollars";
export const priceIn = "in";
export const priceOut = "out";
export const money = (sum: string) => `$${sum}`;
export const allCalls = (sum: string) => `${sum} for all calls`;
export const callsNow = "Calls in progress";
export const tryN = (n: number) => `try ${n}`;
export const retryIn = (long: string) => `sent in ${long}`;
export const ofLimit = (limit: string) => ` of at most ${limit}`;

// Comparing.
export const compare = "Compare";
export const compareAbout = "Compare this run with another one";
export const compareWith = "Compare with";
export const chooseRun = "Choose a run";
export const choiceOf = (type: string, title: string, at: string) => `${type}: ${title}, ${at}`;
export const originOf = (title: string) => `The run that this one was forked from: ${title}`;
export const nothingToCompare = "There is no other run in the list.";
export const theOther = "The other run";
export const thisRun = "This run";
export const state = "State";
export const took = "Duration";
export const tokens = "Tokens";
export const entriesTitle = "Entries";
export const comparedFigures = "Figures of both runs";
export const inputTitle = "Input";
export const resultTitle = "Result";

// Forks.
export const inputNotJson = (why: string) => `The input is not valid JSON: ${why}`;
export const pinNotJson = (name: string, why: string) => `${name} is not valid JSON: ${why}`;
export const forkRun = "Fork the run";
export const forkAbout = "A fork is a new run. It reuses the finished parts of this one and does the rest again. This run does not change.";
export const redo = "Redo";
export const redoChanged = "only what the changes below affect";
export const redoFrom = (part: string) => `${part} and everything after it`;
export const redoFromEntry = (n: number) => `everything from entry ${n}`;
export const otherText = "Change the text of";
export const nothing = "nothing";
export const changedMark = " (changed)";
export const otherInput = "Change the input";
export const textOf = (name: string) => `Text of ${name}`;
export const forkInput = "Input of the fork";
export const startFork = "Start the fork";
export const cancel = "Cancel";
export const withChanged = (names: string) => `changed: ${names}`;
export const unknownPipeline = (pipeline: string) =>
  `This page does not know the pipeline “${pipeline}”, so it shows no log. Entries and calls are still available.`;
export const log = "Log";

// The artifact as it is used.
export const quiz = "Quiz";
export const answerIs = (answer: string) => `   Answer: ${answer}`;
export const cards = "Cards";
export const map = "Map";
export const correct = "(correct)";
export const answerNotOption = (answer: string) => `Answer: ${answer}, which is not an option.`;
export const andMore = (n: number) => `and ${count(n)} more`;
export const questions = "Questions";
export const copied = "Copied";
export const notCopied = "Could not copy";
export const copy = "Copy";
export const copyJson = "Copy JSON";
export const downloadAs = "Download as";
export const exportGift = "GIFT for Moodle";
export const exportMoodleXml = "Moodle XML";
export const exportAnki = "Text for Anki";
export const exportCsv = "CSV";
export const exportOpml = "OPML";
export const exportFreemind = "FreeMind";
export const exportReview = "Review sheet";
export const openInCheckAbout = "Open it in Check, with its contract";
export const openedResult = "Your artifact was replaced by the run's result.";
export const openInCheck = "Open in Check";

// New runs.
export const makeQuiz = "Make a quiz";
export const flashcards = "Flashcards";
export const makeFlashcards = "Make flashcards";
export const mindmap = "Mindmap";
export const makeMindmap = "Make a mindmap";
export const levels = "Levels";
export const quizAbout = "questions from a text";
export const flashcardsAbout = "terms from a text";
export const mindmapAbout = "a text as a tree";
export const research = "Research";
export const researchAbout = "answer a question from sources";
export const discovery = "Discovery";
export const discoveryAbout = "what is worth building";
export const story = "Story";
export const storyAbout = "a branching story from an outline";
export const workflow = "Workflow";
export const workflowAbout = "carry out a plan in a repository";
export const sourceTooLarge = (file: string) => `${file} is larger than 4 MiB, the limit here.`;
export const sourceNotUtf8 = (file: string) => `${file} is not UTF-8 text. Convert a PDF or another binary file to text first.`;
export const noSource = "There is no source yet. Paste a text or open a file.";
export const open = "Open";
export const source = "Source";
export const openSource = "Open a source";
export const example = "Example";
export const sourcePlaceholder = "Paste a chapter, notes or an article, or drop a file here.";
export const madeBy = "Made by";
export const byPage = "This page, without a model";
export const byServer = "The server, with its models";
export const byProxy = "This page, with a model through a proxy";
export const byProxyAbout = "The text goes from this browser to the proxy at this address. The proxy must list this page in `origins`. The token is kept until you close the page.";
export const proxy = "Proxy";
export const proxyAddress = "Address of the proxy";
export const proxyModel = "Model";
export const proxyToken = "Token, if the proxy requires one";
export const noProxyAddress = "Enter the address of the proxy, for example http://127.0.0.1:8786.";
export const noProxyModel = "Enter the name of a model that the proxy knows.";
export const startBoundary = "Check the items";
export const boundaryHint = "Without a model, only the rules that need none are checked. Rules with `ask` are left unjudged.";
export const itemContract = "Contract of one item, JSON";
export const itemsJson = "Items, as a JSON list or one JSON value on each line";
export const noContract = "There is no contract yet.";
export const contractNotJson = "The contract is not a JSON object.";
export const noItems = "There are no items yet.";
export const itemsNotList = "The items are not valid: give a JSON list, or one JSON value on each line.";
export const byPageAbout = "Built from the source's own sentences. The text never leaves this browser.";
export const byServerAbout = "The source is sent to this page's server.";
export const conversations = "Conversations";
export const figures = "Figures";
export const sourceCode = "Source code";
export const documents = "Documents";
export const start = "Start";
export const researchHint = "The server answers from its documents. It may ask you a question first.";
export const noQuestion = "There is no question yet.";
export const question = "What do you want to find out?";
export const noCorpus = "This server has no documents to search. Give it some with `plumb serve --corpus DIR`.";
export const startDiscovery = "Start the discovery";
export const discoveryHint = "Choose from the folders the server has. People decide at the end.";
export const noSources = "Choose at least one source.";
export const domain = "What is it about?";
export const none = "none";
export const noFolders = "This server has no folders to read. Give it one with `plumb serve --root conversations=DIR`.";
export const makeStory = "Make the story";
export const storyHint = "Needs an outline as JSON: dilemmas, answers, beats.";
export const noOutline = "There is no outline yet.";
export const outlineNotJson = "The outline is not valid JSON.";
export const outlineJson = "Outline, JSON";
export const openOutline = "Open an outline";
export const startWorkflow = "Start the workflow";
export const workflowHint = "The work happens in a copy of the repository. Your branches change only when you land it.";
export const noIdea = "There is no idea yet.";
export const repository = "Repository";
export const chooseOne = "Choose one";
export const startFrom = "Start from";
export const fromIdea = "An idea, drafted first";
export const fromPlan = "A plan, as JSON";
export const idea = "Idea";
export const planJson = "Plan, JSON";
export const openPlan = "Open a plan";
export const noRepository = "This server has no repository. Give it one with `plumb serve --repository NAME=DIR`.";
export const needsServer = "This needs a server. Start `plumb serve` and open the page from there.";
export const seeExample = "See an example";
export const newRun = "New run";
export const newRunAbout = "A run's journal keeps everything it asked and every answer. Step through it to see each repair as a diff, each call with its messages, and the cost.";
export const whatToStart = "Kind of run";
export const quizFromText = "Make a quiz from a short text";
export const dropJournalToo = "You can also drop a journal here. It stays in this browser and works offline.";
export const noPlan = "There is no plan yet.";
export const planShape = "A plan is an object with a title and tasks.";
export const planNotJson = "The plan is not valid JSON. For YAML, use `plumb workflow run`.";

// The list of runs.
export const inProgress = "in progress";
export const done = "done";
export const dropJournal = "Drop a journal here";
export const titleOf = (run: string) => `Run ${run} – Plumbline`;
export const title = "Runs – Plumbline";
export const dropSource = "Drop a source or a journal here";
export const run = "Run";
export const starting = "Starting …";

// The open run.
export const toCome = "to do";
export const notPassed = "not passed";
export const sameEntries = (n: number) => `Same ${n} entries, byte for byte`;
export const differsAt = "Differs at";
export const entryLink = (n: number) => `entry ${n}`;
export const notVerified = (why: string) => `Not verified by a judge${why}`;
export const keptOf = (kept: number, asked: number) => `${kept} of ${asked} kept`;
export const budgetReadsAll = (n: number) => `; a budget of ${count(n)} tokens reads them all`;
export const passagesLeftOut = (left: number, all: number, more: string) => `${left} of ${all} passages of the source left out${more}`;
type Rate = { count: number; of: number };
export const judgeRates = (name: string, caught: Rate, rejected: Rate) =>
  `Judge ${name} caught ${caught.count} of ${caught.of} false claims and rejected ${rejected.count} of ${rejected.of} true ones when measured`;
export const checksNotRun = (names: string) => `Checks not run: ${names}`;
export const forkOfStart = "a fork of";
export const verifyAbout = "Repeat the run from its journal and compare every byte";
export const verify = "Verify";
export const forkTitle = "Start a new run from the finished parts of this one";
export const fork = "Fork";
export const save = "Save";
export const closeRun = "Close the run";
export const close = "Close";
export const progress = "Progress";
export const phases = "Phases";
export const ofBudget = (n: number) => ` of ${count(n)}`;
export const savedByStop = (n: number) => `about ${count(n)} tokens saved by early stop`;
export const leftBehind = (parts: string) => `Parts not reused, because this run does not reach them: ${parts}`;
export const continueHere = "Continue with this server's";
export const calls = "Calls";
export const entry = "Entry";
export const runParts = "Views of the run";
export const tasks = "Tasks";
export const boundaryLess = (failed: number, warned: number) =>
  [failed && `${plural(failed, "item")} held back`, warned && `${plural(warned, "item")} passed with a warning`].filter(Boolean).join(", ");
export const theEntry = "The entry";
export const runLog = "Log of the run";

// The journal, entry by entry.
export const entryBegin = "the run starts";
export const entryAttempt = "a call starts";
export const entryReply = "its reply";
export const entryNote = "a note";
export const entryScope = "a part is finished";
export const entryVersion = "a version is chosen";
export const entryDrift = "a request has drifted";
export const entrySignal = "a signal";
export const entryCancel = "cancelled";
export const entryEnd = "the end";
export const stepThrough = "Step through the journal";
export const firstEntry = "First entry";
export const keyHome = "Home";
export const entryBack = "One entry back";
export const keyLeft = "Left";
export const pause = "Pause";
export const playLines = "Play line by line";
export const entryForward = "One entry forward";
export const keyRight = "Right";
export const lastEntry = "Last entry";
export const keyEnd = "End";
export const position = "Position in the journal";
export const positionText = (n: number, last: number, what: string) => `Entry ${n} of ${last}, ${what}`;
export const timeOf = (now: string, all: string) => `${now} of ${all}`;
export const pauseOf = (long: string) => `A pause of ${long}: no call was in progress`;
export const follow = "Follow";

// Tasks of a workflow.
export const roundN = (n: number) => `Round ${n}`;
export const nothingChangedHere = "nothing changed";
export const andMoreFiles = (n: number) => ` and ${n} more`;
export const gatesOfRound = (n: number) => `Gates of round ${n}`;
export const reviewBy = (who: string, outcome: string) => `Review by ${who}: ${outcome}`;
export const decisionNeeded = "Decision needed";
export const waitsForDecision = "The run is waiting for a decision.";
export const aboutTask = (task: string) => `about ${task}`;
export const answerWords = "Message or reason";
export const yourName = "Your name";
export const answers = "Answers";
export const answerElsewhere = "Answer it on the server that runs it.";
export const onBranch = "on branch";
export const noPlanHere = "No plan yet at this entry.";
export const afterTasks = (tasks: string) => `after ${tasks}`;
export const acceptanceOf = (task: string) => `Acceptance of ${task}`;
export const nRounds = (n: number) => plural(n, "round");
export const sameLines = (n: number) => plural(n, "unchanged line");
export const nCalls = (n: number) => plural(n, "call");
