// What the artifact is held against, above the panes: the contract by its name, its drawer, and what can be done with the
// whole of it.
import { builtIns, chooseContract, contractName, contractOpen, toggleContract } from "../studio";
import { linkTo } from "../view";
import { historyOpen } from "./history_dialog";
import { Icon } from "./icons";
import { roleContracts } from "../roles/role_contracts";
import { shareOpen } from "./share_dialog";
import { checking as t } from "../strings";

function Picker() {
  const usual = builtIns.value.filter(({ name }) => !roleContracts.has(name));
  const roles = builtIns.value.filter(({ name }) => roleContracts.has(name));
  return (
    <label class="select">
      <span class="visually-hidden">{t.contract}</span>
      <select
        id="contract-choice"
        value={contractName.value}
        disabled={builtIns.value.length === 0}
        onChange={(event) => chooseContract(event.currentTarget.value)}
      >
        <optgroup label={t.builtIn}>
          {usual.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
        </optgroup>
        {roles.length > 0 && (
          <optgroup label={t.researchRoles}>
            {roles.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label={t.own}>
          <option value="">{t.ownContract}</option>
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
        {t.contractIs}
      </span>
      <Picker />
      <button
        type="button"
        id="contract-toggle"
        class="button small"
        aria-expanded={open}
        aria-controls="contract-pane"
        title={open ? t.closeContract : t.openContractText}
        onClick={toggleContract}
      >
        <Icon name={open ? "close" : "contract"} />
        <span>{t.contract}</span>
      </button>
      {contractName.value === "intake" && (
        <a class="check-link" href={linkTo("intake")}>
          {t.fillForm}
        </a>
      )}
      <div class="pane-tools">
        <button
          type="button"
          class="button ghost small"
          aria-label={t.share}
          title={t.shareAbout}
          onClick={() => (shareOpen.value = true)}
        >
          <Icon name="link" />
          <span class="wide-only">{t.share}</span>
        </button>
        <button
          type="button"
          class="button ghost small"
          aria-label={t.history}
          title={t.history}
          onClick={() => (historyOpen.value = true)}
        >
          <Icon name="history" />
        </button>
      </div>
    </div>
  );
}
