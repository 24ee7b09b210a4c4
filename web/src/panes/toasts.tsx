// What the page offers to do, at its foot, until it is done or put away.
import { newVersion, takeNewVersion } from "../offline";
import { undo, undoReplace } from "../studio";
import { Icon } from "./icons";

export function Toasts() {
  const offer = undo.value;
  return (
    <section class="toasts" aria-label="Offers" aria-live="polite">
      {offer && (
        <div class="toast">
          <span>{offer.said}</span>
          <button type="button" class="button small" onClick={undoReplace}>
            <Icon name="undo" />
            Undo
          </button>
          <button type="button" class="button ghost small" aria-label="Put away" onClick={() => (undo.value = null)}>
            <Icon name="close" />
          </button>
        </div>
      )}
      {newVersion.value && (
        <div class="toast">
          <span>A newer version of this page is there.</span>
          <button type="button" class="button small primary" onClick={takeNewVersion}>
            Reload
          </button>
          <button
            type="button"
            class="button ghost small"
            aria-label="Not now"
            onClick={() => (newVersion.value = false)}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </section>
  );
}
