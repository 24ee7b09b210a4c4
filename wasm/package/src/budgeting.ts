/** What the operations of `plumb.budget()` take and give; docs/budget.md tells what each member means. */

/** A number of tokens, or a text that is estimated. */
export type Amount = number | string;

export type Encoding = "o200k_base" | "cl100k_base" | "unknown";
export type Color = "unknown" | "green" | "yellow" | "orange" | "red" | "critical";
export type RiskResponse = "observe" | "log" | "warn" | "pause" | "halt" | "escalate";
export type SopSeverity = "error" | "warning" | "info";
export type ElementKind = "sop" | "decision" | "file_summary" | "convention";

/** Something wrong with a request, or worth knowing about it. */
export interface BudgetFinding {
  readonly rule: string;
  readonly severity: "error" | "warning";
  /** JSON Pointer into the request. */
  readonly at: string;
  readonly message: string;
}

/** The answer, or what is wrong with the request. */
export type BudgetAnswer<Answer> =
  | (Answer & { readonly valid: true; readonly findings: readonly BudgetFinding[] })
  | { readonly valid: false; readonly findings: readonly BudgetFinding[]; readonly findings_more?: number };

export interface ContextProfile {
  context_window?: number | null;
  effective_context?: number | null;
  sweet_spot?: number | null;
  system_prompt_overhead?: number;
  recommended_max_file_tokens?: number | null;
}

export interface ModelProfile extends ContextProfile {
  name: string;
  encoding?: Encoding;
  capabilities?: readonly string[];
}

/** What every request may say. */
export interface AboutModel {
  model?: string;
  encoding?: Encoding;
  /** A registry: these come before the built-in ones. */
  models?: readonly ModelProfile[];
}

/** What requests about a window may say. */
export interface AboutWindow extends AboutModel {
  window?: number | null;
  profile?: ContextProfile;
}

export interface WindowPart {
  readonly name: string;
  readonly tokens: number;
}

export interface TokensRequest extends AboutModel {
  text?: string;
  texts?: readonly string[];
}
export interface TokenCost {
  readonly likely: number;
  readonly safe: number;
  readonly bytes: number;
}
export interface TokensAnswer extends Partial<TokenCost> {
  readonly encoding: Encoding;
  readonly texts?: readonly TokenCost[];
}

export interface WindowRequest extends AboutWindow {
  system?: Amount;
  plan?: Amount;
  task?: Amount;
  output?: Amount;
  margin_percent?: number;
  available_min?: number;
}
export interface WindowAnswer {
  readonly fit: "fits" | "decompose" | "unknown";
  readonly reason: string;
  readonly encoding: Encoding;
  readonly context_window: number | null;
  readonly window: number | null;
  readonly parts: readonly WindowPart[];
  readonly available: number | null;
  readonly available_min: number;
}

export interface SizeFile {
  path: string;
  tokens?: number;
  text?: string;
  after?: readonly string[];
}
export interface SizeRequest extends AboutWindow {
  files: readonly SizeFile[];
  working_memory?: number;
  system?: Amount;
  plan?: Amount;
  task?: Amount;
  output?: Amount;
  margin_percent?: number;
  files_warn?: number;
  files_max?: number;
  share_percent?: number;
}
export interface SizeAnswer {
  readonly size: "fits" | "warn" | "too_large";
  readonly reason: string;
  readonly files: number;
  readonly tokens: number;
  readonly working_memory: number | null;
  readonly tokens_max: number | null;
  readonly parts: readonly { readonly files: readonly string[]; readonly tokens: number; readonly too_large: boolean }[];
  readonly cycle?: readonly string[];
}

export interface Chunk {
  chunk_index: number;
  tokens?: number;
  text?: string;
}
export interface SopSource {
  id: string;
  severity: SopSeverity;
  parent?: Amount | readonly Amount[];
  summary?: Amount | readonly Amount[];
  requirements?: Amount | readonly Amount[];
  chunks?: readonly Chunk[];
}
export type SeverityShares = { readonly [severity in SopSeverity]?: number };

export interface SharesRequest extends AboutModel {
  total: number;
  sources: readonly SopSource[];
  severity_shares?: SeverityShares;
}
export interface SharedOut {
  readonly parents: number;
  readonly remaining: number;
  readonly shares: { readonly [severity in SopSeverity]: { readonly share: number; readonly used: number } };
  readonly left: number;
}
export interface SharesAnswer extends SharedOut {
  readonly fit: "fits" | "too_large";
  readonly reason: string;
  readonly total: number;
  readonly overrun: number;
  readonly sources: readonly {
    readonly id: string;
    readonly severity: SopSeverity;
    readonly parent: number;
    readonly chunks_in: readonly number[];
    readonly chunks_out: readonly number[];
  }[];
}

export type AssembleElement =
  | ({ kind: "sop" } & SopSource)
  | { kind: "decision" | "file_summary" | "convention"; id: string; tokens?: number; text?: string };
export interface AssembleRequest extends AboutWindow {
  elements: readonly AssembleElement[];
  budget?: number;
  system?: Amount;
  working_memory?: number;
  output?: Amount;
  task_output?: Amount;
  margin_percent?: number;
  severity_shares?: SeverityShares;
}
export interface AssembledElement {
  readonly id: string;
  readonly kind: ElementKind;
  readonly cut: "whole" | "trimmed" | "dropped";
  readonly tokens: number;
  readonly tokens_whole: number;
  readonly severity?: SopSeverity;
  readonly parent?: number;
  readonly chunks_in?: readonly number[];
  readonly chunks_out?: readonly number[];
  readonly reason?: string;
}
export interface AssembleAnswer {
  readonly fit: "fits" | "trimmed" | "too_large" | "unknown";
  readonly reason: string;
  readonly window: number | null;
  readonly parts: readonly WindowPart[];
  readonly budget: number | null;
  readonly needed: number;
  readonly used: number;
  readonly overrun: number;
  readonly sops?: SharedOut;
  readonly elements: readonly AssembledElement[];
  /** All that is in as one text, where every element came as a text. */
  readonly context?: string;
}

export interface ModelHistory {
  model: string;
  phase?: string;
  calls?: number;
  valid_at_first?: number;
  repairs?: number;
  tokens?: number;
  time_ms?: number;
}
export interface AssignRequest extends AboutModel {
  task: Amount;
  capability?: string;
  phase?: string;
  calls_min?: number;
  system?: Amount;
  plan?: Amount;
  output?: Amount;
  margin_percent?: number;
  available_min?: number;
  history?: readonly ModelHistory[];
}
export interface AssignAnswer {
  readonly model: string | null;
  readonly reason: string;
  readonly beyond_sweet_spot: boolean;
  readonly task: number;
  readonly candidates: readonly {
    readonly model: string;
    readonly capable: boolean;
    readonly capacity: "sweet_spot" | "effective_context" | "too_small" | "unknown";
    readonly calls: number;
    readonly valid_at_first: number;
    readonly repairs: number;
    readonly reason: string;
  }[];
}

export interface Thresholds {
  yellow_percent?: number;
  orange_percent?: number;
  red_percent?: number;
  critical_percent?: number;
  pause_percent?: number;
}
export interface PressureRequest extends AboutWindow {
  /** The size of the context after each iteration. */
  readings: readonly (Amount | { estimated?: Amount; reported?: number })[];
  thresholds?: Thresholds;
  rate_of?: number;
}
export interface PressureState {
  readonly context_tokens_used: number;
  readonly context_utilization: number | null;
  readonly color: Color;
  readonly action: string;
  readonly response: RiskResponse;
  readonly checkpoint: boolean;
}
export interface PressureAnswer extends PressureState {
  readonly reason: string;
  readonly window: number | null;
  readonly tokens_per_iteration: number | null;
  readonly iterations_remaining_estimate: number | null;
  readonly iterations_until_pause: number | null;
  readonly history: readonly PressureState[];
}

export interface ToolCall {
  tool: string;
  arguments?: unknown;
  result?: unknown;
  changes?: boolean;
}
export interface LoopSettings {
  polling?: readonly string[];
  identical_min?: number;
  near_min?: number;
  calls_looked_at?: number;
}
export interface FoundLoop {
  readonly kind: "identical" | "near_identical";
  readonly tool: string;
  readonly calls: readonly number[];
  readonly explanation: string;
}
export interface LoopsRequest extends AboutModel, LoopSettings {
  calls: readonly ToolCall[];
}
export interface LoopsAnswer {
  readonly looping: boolean;
  readonly reason: string;
  readonly calls: number;
  readonly loops: readonly FoundLoop[];
}

export type RiskSignalName = "retries" | "utilization" | "scope_creep" | "conflict" | "loop";
export interface RiskStep {
  over?: number;
  response: RiskResponse;
}
export interface RiskRequest extends AboutWindow, LoopSettings {
  retries?: number;
  utilization_percent?: number;
  used?: number;
  written?: readonly string[];
  task_files?: readonly string[];
  tasks?: readonly { name: string; files: readonly string[] }[];
  calls?: readonly ToolCall[];
  policy?: { readonly [signal in RiskSignalName]?: RiskStep | readonly RiskStep[] };
}
export interface RiskAnswer {
  readonly response: RiskResponse;
  readonly reason: string;
  readonly signals: readonly {
    readonly signal: RiskSignalName;
    readonly known: boolean;
    readonly response: RiskResponse;
    readonly explanation: string;
    readonly value?: number;
    readonly over?: number;
    readonly files?: readonly string[];
  }[];
  readonly loops: readonly FoundLoop[];
}

export interface ModelsRequest extends AboutModel {
  history?: readonly ModelHistory[];
}
export interface ModelsAnswer {
  readonly models: readonly (Required<ModelProfile> & { readonly history: readonly Omit<ModelHistory, "model">[] })[];
}
