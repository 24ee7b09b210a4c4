// A message of ours, in which commands, keys of plumb.yaml and keywords are in backticks: shown as code. A backtick that
// nothing closes stays one.
export function Words({ text }: { text: string }) {
  return <>{text.split(/(`[^`]+`)/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part.slice(1, -1)}</code> : part))}</>;
}
