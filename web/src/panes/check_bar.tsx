// What the artifact is held against, above the panes: the contract by its name, its drawer, and what can be done with the
// whole of it.
import { builtIns, chooseContract, contractName, contractOpen, toggleContract } from "../studio";
import { linkTo } from "../view";
import { historyOpen } from "./history_dialog";
import { Icon } from "./icons";
import { roleContracts } from "../roles/role_contracts";
import { shareOpen } from "./share_dialog";

function Picker() {
  const usual = builtIns.value.filter(({ name }) => !roleContracts.has(name));
  const roles = builtIns.value.filter(({ name }) => roleContracts.has(name));
  return (
    <label class="select">
      <span class="visually-hidden">Contract</span>
      <select
        id="contract-choice"
        value={contractName.value}
        disabled={builtIns.value.length === 0}
        onChange={(event) => chooseContract(event.currentTarget.value)}
      >
        <optgroup label="Built in">
          {usual.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
        </optgroup>
        {roles.length > 0 && (
          <optgroup label="Roles of a research loop">
            {roles.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="Own">
          <option value="">Own contract</option>
        </optgroup>
      </select>
    </label>
  );
}

export function CheckBar() {
  const open = contractOpen.value;
  return (
    <div class="check-bar">
      <span class="check-words" aria-hidden="true">
        Held against
      </span>
      <Picker />
      <button
        type="button"
        id="contract-toggle"
        class="button small"
        aria-expanded={open}
        aria-controls="contract-pane"
        title={open ? "Close the contract" : "Read or write the contract"}
        onClick={toggleContract}
      >
        <Icon name={open ? "close" : "contract"} />
        <span>Contract</span>
      </button>
      {contractName.value === "intake" && (
        <a class="check-link" href={linkTo("intake")}>
          Fill in a form
        </a>
      )}
      <div class="pane-tools">
        <button
          type="button"
          class="button ghost small"
          aria-label="Share"
          title="Take it elsewhere: link, command, code"
          onClick={() => (shareOpen.value = true)}
        >
          <Icon name="link" />
          <span class="wide-only">Share</span>
        </button>
        <button
          type="button"
          class="button ghost small"
          aria-label="History"
          title="History"
          onClick={() => (historyOpen.value = true)}
        >
          <Icon name="history" />
        </button>
      </div>
    </div>
  );
}
