/** What an element judges by: the module at its address, which the page's elements share, and its contract. */
import type { CheckOptions, Contract, Schema } from "../contract.js";
import { PlumbError } from "../error.js";
import { load } from "../index.js";
import type { Plumb } from "../plumb.js";

/** One module a page and address; another attempt after a failure. */
const modules = new Map<string, Promise<Plumb>>();

export function moduleAt(address: string): Promise<Plumb> {
  let module = modules.get(address);
  if (module === undefined) {
    module = load(address === "" ? undefined : address);
    module.catch(() => modules.delete(address));
    modules.set(address, module);
  }
  return module;
}

/** An element that judges. */
export interface Judging extends HTMLElement {
  readonly contract: string | Schema | undefined;
  readonly context: unknown;
}

export class Judge {
  readonly #host: Judging;
  #read: { key: unknown; plumb: Plumb; contract: Contract } | undefined;

  constructor(host: Judging) {
    this.#host = host;
  }

  /** The title of the contract that was read last. */
  get title(): string {
    const contract = this.#read?.contract;
    return contract?.title || contract?.name || "";
  }

  /** The module is on its way while the page still decides what to show. */
  prepare(): void {
    moduleAt(this.#address).catch(() => undefined);
  }

  /** The contract, read again only where it is another one. */
  async read(): Promise<Contract> {
    const plumb = await moduleAt(this.#address);
    const key = this.#host.contract;
    if (key === undefined) {
      throw new PlumbError(
        "invalid_argument",
        `no contract is named; there are ${plumb.contracts.map(({ name }) => name).join(", ")}`,
      );
    }
    if (this.#read?.key !== key || this.#read.plumb !== plumb) {
      this.#read?.contract.dispose();
      this.#read = undefined;
      this.#read = { key, plumb, contract: plumb.contract<unknown>(key) };
    }
    return this.#read.contract;
  }

  options(): CheckOptions {
    const { context } = this.#host;
    const edits = this.#host.getAttribute("edits") ?? "";
    if (edits !== "" && edits !== "none" && edits !== "certain" && edits !== "guess") {
      throw new PlumbError("invalid_argument", `edits="${edits}": it is none, certain or guess`);
    }
    return {
      ...(context === undefined || context === "" ? {} : { context }),
      ...(edits === "" ? {} : { edits }),
    };
  }

  /** What was thrown as an error of ours. An instance that has trapped is not used again. */
  failure(error: unknown): PlumbError {
    const failure =
      error instanceof PlumbError
        ? error
        : new PlumbError("unavailable", error instanceof Error ? error.message : String(error), {}, error);
    if (failure.code === "trap") {
      modules.delete(this.#address);
      this.#read = undefined;
    }
    return failure;
  }

  get #address(): string {
    return this.#host.getAttribute("module") ?? "";
  }
}
