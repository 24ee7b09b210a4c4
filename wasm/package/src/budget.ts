/**
 * plumb-budget.wasm: budgets as functions of their requests, described in core/budget/operations.hpp; nothing is kept
 * between calls. Names are those of the command line and of HTTP: the same request gives the same bytes there.
 */
import type {
  AssembleAnswer,
  AssembleRequest,
  AssignAnswer,
  AssignRequest,
  BudgetAnswer,
  LoopsAnswer,
  LoopsRequest,
  ModelsAnswer,
  ModelsRequest,
  PressureAnswer,
  PressureRequest,
  RiskAnswer,
  RiskRequest,
  SharesAnswer,
  SharesRequest,
  SizeAnswer,
  SizeRequest,
  TokensAnswer,
  TokensRequest,
  WindowAnswer,
  WindowRequest,
} from "./budgeting.js";
import { PlumbError } from "./error.js";
import { Instance, type Kind, type SharedExports } from "./instance.js";
import { notStarted, sameVersion } from "./source.js";

interface BudgetExports extends SharedExports {
  plumb_budget_about(size: number): number;
  plumb_budget(size: number): number;
}

const kind: Kind = {
  file: "plumb-budget.wasm",
  mark: "plumb_budget",
  again: "Call budget() for a new one.",
};

class BudgetModule extends Instance<BudgetExports> {
  constructor(compiled: WebAssembly.Module, instance: WebAssembly.Instance) {
    super(kind, compiled, instance);
  }

  about(): { version: string; operations: BudgetOperation[] } {
    return JSON.parse(this.answer((size) => this.wasm.plumb_budget_about(size), "{}")) as never;
  }

  call(operation: string, request: string): string {
    return this.answer((size) => this.wasm.plumb_budget(size), JSON.stringify({ operation, request }));
  }

  /** This instance, or a fresh one when it has grown. */
  freshIfGrown(): BudgetModule {
    const fresh = this.freshInstance();
    return fresh === undefined ? this : new BudgetModule(...fresh);
  }
}

/** @internal */
export async function startBudget(compiled: WebAssembly.Module, version?: string): Promise<Budget> {
  try {
    const module = new BudgetModule(compiled, await Instance.instantiate(compiled));
    const mine = module.about();
    if (version !== undefined) {
      sameVersion(kind.file, mine.version, version);
    }
    return new Budget(module, mine.operations);
  } catch (error) {
    throw notStarted(error);
  }
}

/** What `answer` can be asked. */
export interface BudgetOperation {
  readonly name: string;
  readonly summary: string;
}

/**
 * Budgets. Get it from `plumb.budget()`. Every answer has `valid` and `findings`; what is wrong with a request is told
 * there, with its place, and nothing is thrown for it. docs/budget.md has every member.
 */
export class Budget {
  #module: BudgetModule;
  /** All operations, in the order of the reference. */
  readonly operations: readonly BudgetOperation[];

  /** @internal */
  constructor(module: BudgetModule, operations: BudgetOperation[]) {
    this.#module = module;
    this.operations = Object.freeze(operations);
  }

  /** What texts cost in tokens, likely and safe. */
  tokens(request: TokensRequest): BudgetAnswer<TokensAnswer> {
    return this.#ask("tokens", request);
  }

  /** Compute how many tokens a task leaves free in a model's context window. */
  window(request: WindowRequest): BudgetAnswer<WindowAnswer> {
    return this.#ask("window", request);
  }

  /** Check whether a task has too many or too large files, and how to split it. */
  size(request: SizeRequest): BudgetAnswer<SizeAnswer> {
    return this.#ask("size", request);
  }

  /** Divide a token budget among documents by severity. */
  shares(request: SharesRequest): BudgetAnswer<SharesAnswer> {
    return this.#ask("shares", request);
  }

  /** Choose what goes into a window, and what is cut. */
  assemble(request: AssembleRequest): BudgetAnswer<AssembleAnswer> {
    return this.#ask("assemble", request);
  }

  /** Choose a model for a task, and explain why. */
  assign(request: AssignRequest): BudgetAnswer<AssignAnswer> {
    return this.#ask("assign", request);
  }

  /** Show how full a window is during a run, and what to do about it. */
  pressure(request: PressureRequest): BudgetAnswer<PressureAnswer> {
    return this.#ask("pressure", request);
  }

  /** Detect signs that a run is going wrong, and what to do about each. */
  risk(request: RiskRequest): BudgetAnswer<RiskAnswer> {
    return this.#ask("risk", request);
  }

  /** Detect tool calls that go round in circles. */
  loops(request: LoopsRequest): BudgetAnswer<LoopsAnswer> {
    return this.#ask("loops", request);
  }

  /** What is known of each model. */
  models(request: ModelsRequest = {}): BudgetAnswer<ModelsAnswer> {
    return this.#ask("models", request);
  }

  /** An operation by its name, from JSON text to JSON text: the bytes that the command line and HTTP give too. */
  answer(operation: string, request: string): string {
    if (!this.operations.some((one) => one.name === operation)) {
      const names = this.operations.map((one) => one.name).join(", ");
      throw new PlumbError("not_found", `there is no operation "${operation}"; there are ${names}`);
    }
    const answer = this.#module.call(operation, request);
    this.#module = this.#module.freshIfGrown();
    return answer;
  }

  /**
   * It has trapped and is not used again: `plumb.budget()` gives another one.
   * @internal
   */
  get broken(): boolean {
    return this.#module.broken;
  }

  #ask<Answer>(operation: string, request: object): Answer {
    // What JSON cannot say (undefined, NaN) becomes null there, which is as absent.
    return JSON.parse(this.answer(operation, JSON.stringify(request) ?? "null")) as Answer;
  }
}
