// What went wrong in a pane, in a line at its foot, until it is put away.
import type { Signal } from "@preact/signals";

import { Icon } from "./icons";
import { Words } from "./words";
import { messages as t } from "../strings";

export const Problem = ({ of }: { of: Signal<string> }) =>
  of.value === "" ? null : (
    <p class="pane-foot foot-error" role="alert">
      <Icon name="close" />
      <span>
        <Words text={of.value} />
      </span>
      <button type="button" class="button ghost small" aria-label={t.dismiss} onClick={() => (of.value = "")}>
        <Icon name="close" />
      </button>
    </p>
  );
