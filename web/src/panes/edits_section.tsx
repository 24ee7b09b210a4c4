// What could be mended in an artifact that is no JSON or is bent: each edit with its place and what it changes, to be made
// one by one or all at once.
import { decisionWords, jumpToEdit, makeAllEdits, makeEdit, mends } from "../studio";
import type { EditClass } from "@plumbline/plumbline";

import type { Change, Edit, Mended } from "../authoring/told";
import { unitsAt } from "../tokens";
import { Icon } from "./icons";
import { checking as t } from "../strings";

const editsMax = 50; // shown of a class
const openMax = 4;
const aroundUnits = 18;
const changeUnits = 120;

const titles: Record<EditClass, string> = {
  fence: t.fixFence,
  prose: t.fixProse,
  thinking: t.fixThinking,
  severalValues: t.fixSeveralValues,
  envelope: t.fixEnvelope,
  comment: t.fixComment,
  trailingComma: t.fixTrailingComma,
  missingComma: t.fixMissingComma,
  missingColon: t.fixMissingColon,
  missingEnd: t.fixMissingEnd,
  singleQuotes: t.fixSingleQuotes,
  typographicQuotes: t.fixTypographicQuotes,
  innerQuote: t.fixInnerQuote,
  controlInString: t.fixControlInString,
  badEscape: t.fixBadEscape,
  unquotedKey: t.fixUnquotedKey,
  pythonLiteral: t.fixPythonLiteral,
  missingZero: t.fixMissingZero,
  oddSpace: t.fixOddSpace,
  listOfOne: t.fixListOfOne,
  numberInString: t.fixNumberInString,
  booleanInString: t.fixBooleanInString,
  enumSpelling: t.fixEnumSpelling,
  doubleEncoded: t.fixDoubleEncoded,
  nullMember: t.fixNullMember,
  extraComma: t.fixExtraComma,
  wrongBracket: t.fixWrongBracket,
  joinedStrings: t.fixJoinedStrings,
  escapedQuotes: t.fixEscapedQuotes,
  ellipsis: t.fixEllipsis,
  suspectEscape: t.fixSuspectEscape,
};

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

function Piece({ text, change }: { text: string; change: Change & { fromUnit: number; toUnit: number } }) {
  const gone = text.slice(change.fromUnit, change.toUnit);
  const cut = (part: string): string => (part.length > changeUnits ? `${part.slice(0, changeUnits)}…` : part);
  const before = text.slice(Math.max(0, change.fromUnit - aroundUnits), change.fromUnit);
  const after = text.slice(change.toUnit, change.toUnit + aroundUnits);
  return (
    <code class="diff">
      <span>{oneLine(before)}</span>
      {gone !== "" && <del>{cut(gone.trim() === "" ? "␣" : oneLine(gone))}</del>}
      {change.text !== "" && <ins>{cut(oneLine(change.text))}</ins>}
      <span>{oneLine(after)}</span>
    </code>
  );
}

const piecesMax = 3;

function Row({ edit, artifact }: { edit: Edit; artifact: string }) {
  const changes = edit.changes.slice(0, piecesMax);
  const units = unitsAt(
    artifact,
    changes.flatMap(({ from, to }) => [from, to]),
  );
  return (
    <li class="edit">
      <div class="edit-head">
        <button type="button" class="link quiet" onClick={() => jumpToEdit(edit)}>
          {titles[edit.class]}
        </button>
        <span class="badge">{edit.certain ? t.safe : t.guess}</span>
        <span class="line-place">
          {edit.span.line}:{edit.span.column}
        </span>
        <button
          type="button"
          class="button small"
          aria-label={t.fixOne(titles[edit.class], edit.span.line)}
          onClick={() => makeEdit(edit.changes)}
        >
          {t.fix}
        </button>
      </div>
      {changes.map((change, index) => (
        <Piece
          key={index}
          text={artifact}
          change={{ ...change, fromUnit: units[2 * index] ?? 0, toUnit: units[2 * index + 1] ?? 0 }}
        />
      ))}
      {edit.changes.length > piecesMax && (
        <p class="hint">{t.moreChanges(edit.changes.length - piecesMax)}</p>
      )}
    </li>
  );
}

// The edits of a class, together: three fences are one thing to decide on, and forty quotes too.
function Group({ edits, artifact }: { edits: readonly Edit[]; artifact: string }) {
  const title = titles[edits[0]?.class ?? "fence"];
  const rows = edits.slice(0, editsMax).map((edit, index) => <Row key={index} edit={edit} artifact={artifact} />);
  if (edits.length === 1) return <ol class="edits">{rows}</ol>;
  return (
    <div class="edit-group" role="group" aria-label={title}>
      <div class="edit-head">
        <span>{title}</span>
        <span class="count">{edits.length.toLocaleString("en")}</span>
        <button
          type="button"
          class="button small"
          aria-label={t.fixAllOf(title, edits.length)}
          onClick={() => makeEdit(edits.flatMap(({ changes }) => changes))}
        >
          {t.fixThese}
        </button>
      </div>
      <details open={edits.length <= openMax}>
        <summary class="hint">{t.oneByOne}</summary>
        <ol class="edits">{rows}</ol>
        {edits.length > editsMax && <p class="hint">{t.moreFixes(edits.length - editsMax)}</p>}
      </details>
    </div>
  );
}

function after({ decision, problems }: Mended): string {
  return `${decisionWords[decision].title}${problems > 0 ? `, ${t.nProblems(problems)}` : ""}`;
}

export function EditsSection() {
  const now = mends.value;
  if (!now) return null;
  // In the order in which each class is met first.
  const classes = new Map<EditClass, Edit[]>();
  for (const edit of now.edits) {
    const others = classes.get(edit.class);
    if (others) others.push(edit);
    else classes.set(edit.class, [edit]);
  }
  return (
    <section id="edits" class="verdict-section" aria-label={t.fixes}>
      <h3>
        {t.fixes}
        <span class="count">{now.edits.length.toLocaleString("en")}</span>
      </h3>
      <div class="edit-all">
        {now.certain && (
          <button type="button" class="button small primary" onClick={() => makeAllEdits(false)}>
            <Icon name="check" />
            {t.fixAll}
          </button>
        )}
        {now.guess && (
          <button type="button" class="button small" onClick={() => makeAllEdits(true)}>
            {t.fixAllGuesses}
          </button>
        )}
        <span class="fact">
          {t.afterFixes(now.certain ? after(now.certain) : "", now.guess ? after(now.guess) : "")}
        </span>
      </div>
      {[...classes].map(([of, edits]) => (
        <Group key={of} edits={edits} artifact={now.artifact} />
      ))}
    </section>
  );
}
