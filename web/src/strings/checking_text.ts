// Check: contract, artifact, stream and verdict.
import { count, plural } from "../plural";

// The bar above the editors.
export const contract = "Contract";
export const builtIn = "Built in";
export const researchRoles = "Roles of a research loop";
export const own = "Own";
export const ownContract = "Own contract";
export const contractIs = "Contract:";
export const closeContract = "Close the contract";
export const openContractText = "Read or edit the contract";
export const fillForm = "Fill in a form";
export const share = "Share";
export const shareAbout = "Share a link, a command or code";
export const history = "History";

// The contract.
export const line = (n: number) => `Line ${n}`;
export const show = "Show";
export const reads = "reads";
export const inLine = (n: number) => ` (line ${n})`;
export const dropContract = "Drop a contract";
export const readOnly = "read-only";
export const editCopy = "Edit a copy";
export const openContract = "Open a contract";
export const close = "Close";
export const contractJson = "Contract, JSON";

// What comes of a contract.
export const viewText = "Text";
export const viewDerived = "Derived";
export const viewLint = "Lint";
export const contractViews = "Contract views";
export const moreLines = (n: number) => `and ${plural(n, "more line")}`;
export const loading = "Loading …";
export const copied = "Copied";
export const notCopied = "Could not copy";
export const target = "Target";
export const aboutTokens = (n: number) => `≈ ${count(n)} tokens`;
export const copy = "Copy";
export const derivedText = "Derived text";
export const notEnforced = "Not enforced by the target";
export const allEnforced = "The target enforces the whole contract.";
export const narrower = "Stricter than the contract";
export const nowhere = "Nowhere.";
export const lintRefused = "Linting needs a valid contract.";
export const lintClean = "No lint findings.";
export const lintFindings = (n: number) => plural(n, "lint finding");
export const fixSafe = (n: number) => `Apply ${plural(n, "safe fix", "safe fixes")}`;
export const decides = (when: string) => `Decided: ${when}`;
export const vocabulary = "Plumbline vocabulary";
export const targetPrompt = "Prompt";
export const targetOpenAiStrict = "OpenAI, strict";
export const targetOpenAi = "OpenAI";
export const targetAnthropic = "Anthropic";
export const targetGemini = "Gemini";
export const targetGbnf = "GBNF grammar";
export const targetJsonSchema = "JSON Schema";
export const targetTypeScript = "TypeScript";
export const targetMarkdown = "Page, Markdown";
export const targetHtml = "Page, HTML";

// The artifact.
export const example = "Example";
export const yourOwn = "Your own";
export const examples = "Examples";
export const fromContract = "Made from the contract";
export const minimalSample = "Valid, minimal";
export const richSample = "Valid, rich";
export const breaks = (rule: string, place: string) => `Breaks ${rule}${place}`;
export const anotherSample = "Make another one";
export const streamAbout = "Play the artifact as a model writes it, and see when each problem becomes certain (F9)";
export const stream = "Stream it";
export const artifactText = "Artifact text";
export const formatAbout = "Pretty-print the artifact";
export const format = "Format";
export const wrapAbout = "Break long lines at the edge";
export const wrap = "Wrap";
export const downloadAbout = "Save the artifact as a file";
export const download = "Download";
export const context = "Context";
export const contextRead = (places: number) => `the contract reads ${plural(places, "value")} from it`;
export const contextAbout = "extra data that rules can read";
export const contextJson = "Context, JSON";
export const artifact = "Artifact";
export const dropArtifact = "Drop an artifact";
export const openArtifact = "Open an artifact";
export const artifactJson = "Artifact, JSON";
export const nLines = (n: number) => plural(n, "line");
export const nCharacters = (n: number) => plural(n, "character");

// The artifact as a tree.
export const emptyLabel = "empty";
export const artifactTree = "Artifact as a tree";
export const tree = "Tree";
export const showText = "Show the text too";
export const showTree = "Show only the tree";
export const nProblems = (n: number) => plural(n, "problem");
export const nNodes = (n: number) => plural(n, "node");
export const nLevels = (n: number) => plural(n, "level");
export const noLabel = "no label";
export const aList = "a list";

// Streaming.
export const play = "Play";
export const fromBeginning = "From the beginning";
export const pause = "Pause";
export const oneToken = "One more token";
export const oneCharacter = "One more character";
export const toEnd = "To the end";
export const speed = "Speed";
export const speedUnit = "Unit of speed";
export const tokensPerSecond = "tokens/s";
export const charactersPerSecond = "characters/s";
export const playHint = "Play it to see when each problem becomes certain.";
export const neverStopped = "Nothing would have stopped it.";
export const notStoppedYet = "Nothing would have stopped it so far.";
export const couldStopAt = (byte: number) => `A model could have been stopped at byte ${count(byte)}`;
export const stopSavesNothing = ", at the end: nothing saved.";
export const streamBar = "Stream";
export const aboutTokenCount = (n: number) => `about ${plural(n, "token")}`;
export const bytesOf = (done: number, all: number) => `${count(done)} of ${plural(all, "byte")}`;

// Problems.
export const lineColumn = (line: number, column: number) => `Line ${line}, column ${column}`;
export const atLineColumn = "at line and column";
export const showMore = (n: number, all: number) => `Show ${n} more of ${count(all)}`;
export const shadowed = (n: number) => `${plural(n, "problem")} that follow from these (not counted)`;
export const error = "Error";
export const warning = "Warning";
export const note = "Note";
// What is wrong, while the value is still arriving and has no message yet.
export const partial = { distinct: "Duplicate values", uniqueItems: "Duplicate values", maxLength: "Too long", maxItems: "Too many items" } as Record<
  string,
  string | undefined
>;
export const goToRule = "Go to this rule in the contract";
export const wholeContract = "the whole contract";
export const requirement = "Requirement";
export const provided = "Provided";
export const allowed = "Allowed";
export const toDo = "To do";
export const at = "At";
export const wholeArtifact = "the whole artifact";
export const rule = "Rule";
export const decided = "Decided";
export const decidedAfter = (bytes: number, partial: boolean) => `after ${plural(bytes, "byte")}${partial ? ", before its value ended" : ""}`;
export const because = "Because";
export const showThis = "Show this one";

// Fixes.
export const fixFence = "Code fence";
export const fixProse = "Text around the JSON";
export const fixThinking = "Thinking before the JSON";
export const fixSeveralValues = "Several values";
export const fixEnvelope = "Envelope around the answer";
export const fixComment = "Comment";
export const fixTrailingComma = "Trailing comma";
export const fixMissingComma = "Missing comma";
export const fixMissingColon = "Missing colon";
export const fixMissingEnd = "Missing end";
export const fixSingleQuotes = "Single quotes";
export const fixTypographicQuotes = "Typographic quotes";
export const fixInnerQuote = "Unescaped quote";
export const fixControlInString = "Line break or tab in a string";
export const fixBadEscape = "Backslash before an apostrophe";
export const fixUnquotedKey = "Unquoted key";
export const fixPythonLiteral = "Python literal";
export const fixMissingZero = "Missing zero";
export const fixOddSpace = "No-break space";
export const fixListOfOne = "Single value instead of a list";
export const fixNumberInString = "Number in a string";
export const fixBooleanInString = "Boolean in a string";
export const fixEnumSpelling = "Spelling of an allowed value";
export const fixDoubleEncoded = "JSON in a string";
export const fixNullMember = "Null for an optional member";
export const fixExtraComma = "Comma after a comma";
export const fixWrongBracket = "Wrong closing bracket";
export const fixJoinedStrings = "Strings joined with +";
export const fixEscapedQuotes = "Escaped quotes around a key or string";
export const fixEllipsis = "Dots for something left out";
export const fixSuspectEscape = "Control character where a backslash was meant";
export const safe = "safe";
export const guess = "guess";
export const fixOne = (what: string, line: number) => `Fix: ${what}, line ${line}`;
export const fix = "Fix";
export const moreChanges = (n: number) => `and ${plural(n, "more change")}`;
export const fixAllOf = (what: string, n: number) => `Fix all: ${what}, ${n}`;
export const fixThese = "Fix these";
export const oneByOne = "One by one";
export const moreFixes = (n: number) => `and ${plural(n, "more fix", "more fixes")}`;
export const fixes = "Fixes";
export const fixAll = "Fix all";
export const fixAllGuesses = "Fix all, including guesses";

// Verdict.
export const formatText = "Text";
export const formatJson = "JSON";
export const formatSarif = "SARIF";
export const formatJunit = "JUnit";
export const formatGithub = "GitHub annotations";
export const formatLlm = "Feedback for a model";
export const stillChecking = "Still checking …";
export const stop = "Stop";
export const counts = "Counts";
export const noProblems = "no problems";
export const copyHash = (hash: string) => `${hash} – copy`;
export const hashCopied = "copied";
export const copyContractHash = "copy the contract's hash";
export const copiedAs = (format: string) => `Copied as ${format}`;
export const copyVerdictAs = "Copy the verdict as";
export const copyAs = "Copy as";
export const passes = "Passes";
export const fails = "Fails";
export const undecided = "Undecided";
export const scorecard = "Scorecard";
export const gate = "gate";
export const forJudge = "for a judge";
export const judgeQuestion = " a question for a judge";
export const needsContext = " needs the context value ";
export const moreRules = (n: number) => `and ${plural(n, "more rule")}`;
export const searchHistory = "Search history";
export const searchesTable = "Searches, one by one";
export const columnSearch = "Search";
export const columnEvidence = "Evidence";
export const columnQuery = "Query";
export const columnGrounding = "Grounding";
export const columnFacts = "New facts";
export const columnSources = "New sources";
export const beyondListed = "More than listed:";
export const labels = "Labels";
export const signals = "Signals";
export const atByte = (byte: number) => `at byte ${count(byte)}`;
export const streamed = ", streamed";
export const rules = "Rules";
export const problems = "Problems";
export const loadingTitle = "Loading";
export const loadingText = "Loading the checker (250 KB). Your text never leaves this browser.";
export const notLoadedTitle = "Checker not loaded";
export const tryAgain = "Retry";
export const emptyTitle = "Nothing to check yet";
export const emptyText = "Write or paste an artifact, drop a file, or start with an example.";
export const faultyQuiz = "A faulty quiz";
export const cleanMindmap = "A clean mindmap";
export const contractUnusable = "The contract is not valid";
export const contextUnusable = "The context is not valid";
export const goToLine = (line: number, column: number) => `Go to line ${line}, column ${column}`;
export const goToPlace = "Go to the place";
export const endedEarly = "The check stopped early";
export const streaming = "Streaming";
export const problemsSoFar = "Problems so far";
export const verdict = "Verdict";
export const nErrors = (n: number) => plural(n, "error");
export const nWarnings = (n: number) => plural(n, "warning");
export const nNotes = (n: number) => plural(n, "note");

// Messages.
export const accept = "Accept";
export const acceptAbout = "It meets the contract.";
export const acceptWarnings = "Accept, with warnings";
export const acceptWarningsAbout = "It meets the contract. Look at the warnings.";
export const acceptUnverified = "Accept, unverified";
export const acceptUnverifiedAbout = "No rule is broken, but a judge has not settled every rule.";
export const undecidedAbout = "No rule is broken, but some rules could not be decided.";
export const revise = "Revise";
export const reviseAbout = "It breaks the contract. Send it back.";
export const block = "Block";
export const blockAbout = "It breaks a blocking rule.";
export const loadingChecker = "Loading the checker";
export const checkerNotLoaded = "The checker could not be loaded";
export const checkFailed = "The check failed";
export const streamingSoFar = (counts: string) => `Streaming: ${counts} so far`;
export const stopped = "You stopped the check. It restarts with your next change.";
export const openedExample = (title: string) => `Opened the example “${title}”.`;
export const openedFile = (file: string) => `Opened ${file}.`;
export const restoredEarlier = "Restored your earlier work.";
export const linkUnknownContract = (name: string) => `This link names the contract "${name}", which this page does not have.`;
export const openedLink = "Opened the link.";
export const fileTooLarge = (file: string) => `${file} is larger than 64 MB. Use plumb check, which takes files of any size.`;
export const fileNotUtf8 = (file: string) => `${file} is not valid UTF-8. Invalid bytes are shown as \uFFFD.`;
export const mixedLineEnds = (file: string) => `${file} mixes line endings. They are shown and checked as LF.`;
export const authoringNotLoaded = "The authoring module could not be loaded. Is the server still running?";
export const nothingMade = "nothing was made";
export const noSample = (why: string) => `No such artifact could be made: ${why}`;
export const openedSample = "Opened an artifact made from the contract.";
export const workerNotStarted = "The checker's worker could not be started.";

// Examples.
export const groupQuiz = "Quiz";
export const exampleQuizFaulty = "Quiz with three faults";
export const exampleQuizAll = "Quiz with every kind of fault";
export const exampleQuizCut = "Quiz cut off in mid-sentence";
export const exampleQuizRepaired = "Quiz, repaired";
export const exampleQuizLarge = "Quiz with 3,000 questions";
export const groupFlashcards = "Flashcards";
export const exampleCardsFaulty = "Flashcards, too long and duplicated";
export const exampleCardsRepaired = "Flashcards, repaired";
export const groupMindmap = "Mindmap";
export const exampleMapCycle = "Mindmap with a cycle";
export const exampleMapClean = "Mindmap, clean";
export const exampleReply = "Reply checked with a context";
export const exampleRoleResearcher = "Researcher: a vague query";
export const exampleRolePlanner = "Planner: a question that does not stand alone";
export const exampleRoleSearch = "Search: an answer without sources";
export const exampleRoleIntake = "Intake: two calls instead of one";
export const nRemarks = (n: number) => plural(n, "remark");
export const fixesAvailable = (n: number, remaining: number) =>
  `${plural(n, "fix", "fixes")} available${remaining > 0 ? ` (${plural(remaining, "problem")} ${remaining === 1 ? "remains" : "remain"})` : ""}`;
export const searchesMeasured = (searches: number, repeated: number, stuck: number, facts: number, sources: number, hosts: number) =>
  `${plural(searches, "search", "searches")}, ${repeated} repeated, the last ${stuck} without progress; ` +
  `${plural(facts, "fact")} from ${plural(sources, "source")} on ${plural(hosts, "host")}`;
export const countOfRule = (n: number) => `${count(n)} of `;
export const streamedSoFar = (counts: string, percent: number) => `${counts} so far, at ${percent}% of the text`;
export const nodeName = (label: string, problems: number, words: string, hidden: number) =>
  `${label}${words && `, ${plural(problems, "problem")}: ${words}`}${hidden > 0 ? `, ${plural(hidden, "child", "children")} not drawn` : ""}`;
export const faultyNodes = (n: number) => `, ${n} with problems`;
export const drawnNodes = (n: number) => `, ${count(n)} drawn`;
export const afterFixes = (safe: string, guess: string) =>
  [safe && `then: ${safe}`, guess && `with guesses: ${guess}`].filter(Boolean).join("; ");
export const stopSaves = ", saving ";
export const bytesAndTokens = (bytes: number, tokens: number) => `: ${plural(bytes, "byte")}, ≈ ${plural(tokens, "token")}`;
export const keyF9 = "F9";
export const keyShiftF9 = "Shift F9";
export const underOneMs = "< 1 ms";
export const lostOnReload = "This artifact is too large to be kept in the browser. A reload loses it.";
export const saveIt = "Download it";
