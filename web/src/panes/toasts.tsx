// What the page offers to do, at its foot, until it is done or put away.
import { newVersion, takeNewVersion } from "../offline";
import { undo, undoReplace } from "../studio";
import { Icon } from "./icons";
import { messages, page as t } from "../strings";

export function Toasts() {
  const offer = undo.value;
  return (
    <section class="toasts" aria-label={t.offers} aria-live="polite">
      {offer && (
        <div class="toast">
          <span>{offer.said}</span>
          <button type="button" class="button small" onClick={undoReplace}>
            <Icon name="undo" />
            {t.undo}
          </button>
          <button type="button" class="button ghost small" aria-label={messages.dismiss} onClick={() => (undo.value = null)}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {newVersion.value && (
        <div class="toast">
          <span>{t.newVersion}</span>
          <button type="button" class="button small primary" onClick={takeNewVersion}>
            {t.reload}
          </button>
          <button
            type="button"
            class="button ghost small"
            aria-label={t.notNow}
            onClick={() => (newVersion.value = false)}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </section>
  );
}
