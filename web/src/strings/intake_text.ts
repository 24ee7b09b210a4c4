// The intake form.
// The intake form.
export const opened = "Your artifact was replaced by the form's content.";
export const title = "Intake – Plumbline";
export const heading = "Intake";
export const backToCheck = "Back to Check";
export const openInCheck = "Open in Check";
