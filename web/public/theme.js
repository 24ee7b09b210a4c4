// Before the first paint: the theme that was chosen on an earlier visit.
try {
  const theme = localStorage.getItem("plumbline-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage, no choice: the system's theme.
}
