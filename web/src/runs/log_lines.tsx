// The lines of the log up to the position. A line leads to its entry.
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "../panes/icons";
import { goTo, log, opened, position } from "./state";
import { runs as t } from "../strings";

const time = (at: number): string => new Date(at).toISOString().slice(11, 19);

// The symbols of log lines, drawn: not every machine has letters for them. The text stays as it is for whoever reads or
// copies it.
const symbols: [string, Parameters<typeof Icon>[0]["name"], string][] = [
  ["\u2699\ufe0f", "gear", "plain"],
  ["\u{1f4cb}", "list", "plain"],
  ["\u{1f528}", "make", "plain"],
  ["\u2705", "check", "good"],
  ["\u26a0\ufe0f", "warn", "warn"],
  ["\u{1f527}", "mend", "brass"],
  ["\u2713", "check", "good"],
  ["\u2717", "close", "bad"],
  ["\u2192", "to", "plain"],
];

export function LineText({ text }: { text: string }) {
  const indent = /^ */.exec(text)?.[0] ?? "";
  const rest = text.slice(indent.length);
  const found = symbols.find(([symbol]) => rest.startsWith(symbol));
  if (!found) return <span class="log-text">{text}</span>;
  const [symbol, icon, tone] = found;
  return (
    <span class="log-text">
      {indent}
      <span class={`sign ${tone}`}>
        <Icon name={icon} />
        <span class="sign-text">{symbol}</span>
      </span>
      {rest.slice(symbol.length)}
    </span>
  );
}

export function LogLines() {
  const list = useRef<HTMLOListElement>(null);
  const lines = log.value;
  const current = lines[lines.length - 1];
  useEffect(() => {
    const box = list.current;
    const line = box?.lastElementChild as HTMLElement | null | undefined;
    if (box && line) box.scrollTop = line.offsetTop;
  }, [lines.length]);
  if (opened.value && !opened.value.known) {
    return (
      <p class="hint log-none">
        {t.unknownPipeline(opened.value.pipeline)}
      </p>
    );
  }
  return (
    <ol class="log" ref={list} aria-label={t.log} tabIndex={0}>
      {lines.map((line, index) => (
        <li key={index} class={line === current && line.entry === position.value ? "now" : ""}>
          <button type="button" onClick={() => goTo(line.entry)} title={t.entryN(line.entry)}>
            <time class="fact">{time(line.at)}</time>
            <LineText text={line.text} />
          </button>
        </li>
      ))}
    </ol>
  );
}
