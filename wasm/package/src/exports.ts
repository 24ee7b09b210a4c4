/** What the package gives, in every environment, beside `load`. */
export type { Author, Derived, Explanation, Exported, ExportFormat, Narrowing, ReportOptions, ResidualRule, Target } from "./author.js";
export type {
  Fixed,
  LintFinding,
  LintOptions,
  LintReport,
  LintRule,
  RuleSite,
  Sample,
  SampleOptions,
  Samples,
  TextEdit,
} from "./authoring.js";
export type {
  BoundaryOptions,
  Crossing,
  HeldBackItem,
  JudgeContext,
  JudgedItem,
  Judgement,
  Rejection,
  ReviseContext,
  SpentTokens,
  UnverifiedItem,
  WarnedItem,
} from "./boundary.js";
export type { Budget, BudgetOperation } from "./budget.js";
export type * from "./budgeting.js";
export type {
  Artifact,
  CheckOptions,
  Contract,
  ContractOptions,
  ContractWarning,
  Dialect,
  Limits,
  NotMistaken,
  Schema,
  Stream,
} from "./contract.js";
export { PlumbError, type PlumbErrorCode } from "./error.js";
export type { FromSchema } from "./infer.js";
export type { JsonSchemaTarget } from "./json_schema.js";
export type { Entry, EntryKind, Journal, JournalSource, Outcome, ReplyStatus, StoredEntry } from "./journal.js";
export { keywords } from "./keywords.js";
export type { BuiltInName, LiteralContract, LiteralSchema, LiteralSource } from "./literal.js";
export type { BuiltInContract, ContractSource, Plumb } from "./plumb.js";
export type { FileVerdict, Format, RenderOptions, ReportFormat, Verdicts } from "./render.js";
export type { LogLine, Position, Replay, Replayed, Tokens, WantedEffect } from "./replay.js";
export type { AbortSignalLike, Effect, Follower, Note, Reply, Run, RunOptions, RunResult } from "./run.js";
export type { Clarification, EvidenceDelta, Grounding, MeasuredCycle, MeasuredHistory, Novelty } from "./roles.js";
export type { Pipeline } from "./runs.js";
export type { LoadSource, Part, ResponseLike, Source, Sources } from "./source.js";
export type {
  StandardIssue,
  StandardJsonSchemaLike,
  StandardJsonSchemaOptions,
  StandardProps,
  StandardResult,
} from "./standard.js";
export type {
  Story,
  StoryBook,
  StoryChecked,
  StoryCoverage,
  StoryFinding,
  StoryGraph,
  StoryMade,
  StoryNote,
  StoryOperation,
  StoryPlay,
  StoryReading,
  StoryRow,
  StoryVerdict,
} from "./story.js";
export type { DeepPartial, PlaceState, StreamedValue, ValueChange, ValueState } from "./value.js";
export type {
  CompleteFinding,
  Decision,
  Edit,
  EditClass,
  EditLevel,
  Finding,
  Judged,
  ScorecardLine,
  Severity,
  Signal,
  Span,
  Undecided,
  Verdict,
} from "./verdict.js";
export type { ViaProxyOptions } from "./via_proxy.js";
