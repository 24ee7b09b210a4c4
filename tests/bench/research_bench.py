"""How well `plumb research` answers without a model, over Debian documentation (./dev bench research).

Two sets of questions (tests/cases/research). `questions`: 40, each with the files that answer it; a question counts as
answered where the run has ended with one of these files among its citations or nearest passages. `answers`: 40 that the documents answer,
each with what the answer says, and 20 near them that no document answers; one counts as right where the run says that it
is met and what it says is in a quote, or where nothing answers it and the run says that it is not decided. A run that
says met without the answer in a quote is a wrong one: there may be none. `fresh` is a set like `answers` over other
documents: 20 that they answer, 10 that they do not.

    research_bench.py [-v] [open|held|fresh]      open, held: only this half of `answers`; fresh: only that set
"""
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "native"))
import debian_corpus  # noqa: E402

PLUMB = os.environ.get("PLUMB_BIN", "build/bin/plumb")
RIGHT_MIN = 0.85


def ask(corpus, index, question):
    done = subprocess.run(
        [PLUMB, "research", "--store", "none", "--quiet", "--json", "--no-ask", "--corpus", corpus, "--index", index,
         question], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def citations_of(view):
    return view.get("result", {}).get("citations", [])


def flat(text):
    return " ".join(text.split())


def says(quote, wanted):
    """Whether one of the texts is in the quote as words of their own."""
    return any(re.search(r"(?<![\w-])" + re.escape(one.lower()) + r"(?!\w)", flat(quote).lower()) for one in wanted)


def run_questions(corpus, index):
    questions = [one for one in debian_corpus.questions() if corpus.has(one["files"])]
    answered = first = said = citations = searches = 0
    began = time.monotonic()
    for one in questions:
        view = ask(corpus.folder, index, one["question"])[1]
        cited = citations_of(view) + view.get("result", {}).get("nearest", [])
        files = [citation["file"] for citation in cited]
        right = any(name in one["files"] for name in files)
        answered += right
        first += bool(files) and files[0] in one["files"]
        stands = one["says"].lower() in " ".join(flat(citation["quote"]) for citation in cited).lower()
        said += stands
        citations += len(cited)
        searches += view.get("searches", 0)
        if not right or "-v" in sys.argv:
            print(f'{"right" if right else "WRONG"}: {one["question"]}\n    wanted {one["files"]}, cited {files}'
                  f', says {stands}')
            if "-v" in sys.argv:
                for citation in cited:
                    print("      -", flat(citation["quote"])[:160])
    took = time.monotonic() - began
    count = max(1, len(questions))
    print(f"questions {len(questions)}, answered with the right file among the citations {answered} "
          f"({answered / count:.2f}), the first citation from it {first} ({first / count:.2f}), the words of the "
          f"answer quoted {said} ({said / count:.2f})")
    print(f"citations an answer {citations / count:.1f}, searches {searches / count:.1f}, "
          f"{1000 * took / count:.0f} ms a question with its process")
    return answered / count >= 0.8


def run_answers(corpus, index, name, asked):
    questions = [one for one in asked if one["says"] is None or corpus.has(one["files"])]
    right = wrong_met = met = undecided = 0
    for one in questions:
        code, view = ask(corpus.folder, index, one["question"])
        cited = citations_of(view)
        stands = one["says"] is not None and any(says(citation["quote"], one["says"]) for citation in cited)
        good = code == 0 and stands if one["says"] else code == 2 or (code == 1 and not cited)
        wrong = code == 0 and not stands
        met += code == 0
        undecided += code == 2
        right += good
        wrong_met += wrong
        if not good or "-v" in sys.argv:
            print(f'{"WRONGLY MET" if wrong else "right" if good else "missed"} (exit {code}): {one["question"]}\n'
                  f'    wanted {one["says"]}')
            for citation in (cited or view.get("result", {}).get("nearest", []))[:5]:
                print("      -" if cited else "      ~", citation["file"], "|", flat(citation["quote"])[:160])
    count = max(1, len(questions))
    print(f"{name} {len(questions)}, right {right} ({right / count:.2f}), said to be met {met}, wrongly {wrong_met}, "
          f"not decided {undecided}")
    return wrong_met == 0 and right / count >= RIGHT_MIN


def indexed(corpus):
    index = os.path.join(os.path.dirname(corpus.folder), "index.db")
    subprocess.run([PLUMB, "corpus", "index", corpus.folder, "--index", index], check=True, capture_output=True)
    for absent in corpus.missing:
        print("absent:", absent)
    return index


def main():
    part = next((one for one in sys.argv[1:] if one in ("open", "held", "fresh")), "")
    parts = []
    if part != "fresh":
        with debian_corpus.made() as corpus:
            index = indexed(corpus)
            asked = [one for one in debian_corpus.answers() if not part or one["held"] == (part == "held")]
            parts.append(run_answers(corpus, index, "answers", asked))
            if not part:
                parts.append(run_questions(corpus, index))
    if part in ("", "fresh"):
        with debian_corpus.made(debian_corpus.FRESH) as corpus:
            parts.append(run_answers(corpus, indexed(corpus), "fresh", debian_corpus.fresh()))
    print(f"suite research_bench: {parts.count(True)} passed, {parts.count(False)} failed")
    return 0 if all(parts) else 1


if __name__ == "__main__":
    sys.exit(main())
