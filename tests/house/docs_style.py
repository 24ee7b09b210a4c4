"""The style of README.md, CONTRIBUTING.md and docs/: short sentences, and links that lead somewhere.

    tests/house/docs_style.py [FILE...]     figures of each page, then what is wrong

A sentence ends at `.`, `!` or `?` before a blank; code blocks, tables and headings are not sentences. house_test.py runs both
checks.
"""
import glob
import os
import re
import statistics
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORDS_MAX = 35
MEDIAN_BELOW = 16


def pages():
    return ["README.md", "CONTRIBUTING.md", "docs/examples/README.md",
            *sorted(os.path.relpath(one, TOP) for one in glob.glob(os.path.join(TOP, "docs", "*.md")))]


def text_of(page):
    with open(os.path.join(TOP, page), encoding="utf-8") as file:
        return file.read()


def without_code(text):
    """The text with as many lines, those of code blocks and comments empty."""
    out, fence = [], None   # the fence that ends the block
    for line in text.split("\n"):
        begins = re.match(r" *(```+)", line)
        apart = line.startswith(("<!--", "    ")) and not line.lstrip().startswith(("-", "*"))
        out.append("" if fence or begins or apart else line)
        if begins and fence is None:
            fence = begins[1]
        elif begins and line.strip() == fence:
            fence = None
    return out


def sentences(text):
    """(line, words) of each sentence."""
    paragraphs, current = [], None
    for number, line in enumerate(without_code(text), 1):
        bare = line.strip()
        if not bare or bare.startswith(("|", "#")):
            current = None
            continue
        if current is None or re.match(r"(?:[-*]|\d+\.) ", bare):
            current = (number, [])
            paragraphs.append(current)
        current[1].append(re.sub(r"^(?:[-*]|\d+\.) ", "", bare))
    for number, lines in paragraphs:
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(lines))
        words = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\u00a0"), words)   # code is one word
        for sentence in re.split(r"(?<=[.!?])[*_)\"]*\s+(?=\S)", words):
            count = len(re.findall(r"[^ ]*[\w`][^ ]*", sentence))
            if count:
                yield number, count, sentence


def anchor(heading):
    """As the places where the files are read make their anchors."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip())
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text.lower().replace("`", "")).strip())


def anchors(text):
    seen = {}
    for line in without_code(text):
        if found := re.match(r"#+ (.+)", line):
            name = anchor(found[1])
            seen[name] = seen.get(name, -1) + 1
            yield name if seen[name] == 0 else f"{name}-{seen[name]}"


def docs_have_short_sentences():
    """no sentence of the documentation has more than 35 words, and half of a page's have less than 16"""
    for page in pages():
        counts = []
        for line, words, sentence in sentences(text_of(page)):
            counts.append(words)
            if words > WORDS_MAX:
                yield f"{page}:{line}: {words} words: {sentence[:60]}..."
        if statistics.median(counts or [0]) >= MEDIAN_BELOW:
            yield f"{page}: the median sentence has {statistics.median(counts)} words"


def docs_have_no_dead_links():
    """every link of the documentation leads to a file that is there, and to a heading in it"""
    for page in pages():
        folder = os.path.dirname(os.path.join(TOP, page))
        for number, line in enumerate(without_code(text_of(page)), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, place = target.partition("#")
                path = os.path.normpath(os.path.join(folder, name)) if name else os.path.join(TOP, page)
                if not os.path.exists(path):
                    yield f"{page}:{number}: there is no {target}"
                elif place and place not in anchors(text_of(os.path.relpath(path, TOP))):
                    yield f"{page}:{number}: no heading is #{place} in {os.path.relpath(path, TOP)}"


def main(wanted):
    all_counts = []
    for page in pages():
        counts = [words for _, words, _ in sentences(text_of(page))]
        all_counts += counts
        if not wanted or page in wanted:
            print(f"{page:32} {text_of(page).count(chr(10)):4} lines  {len(counts):4} sentences  median {statistics.median(counts or [0]):4}  "
                  f"longest {max(counts or [0]):3}  over {WORDS_MAX}: {sum(one > WORDS_MAX for one in counts)}")
    print(f"{len(all_counts)} sentences, median {statistics.median(all_counts)}")
    wrong = [one for check in (docs_have_short_sentences, docs_have_no_dead_links) for one in check()
             if not wanted or one.split(":")[0] in wanted]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
