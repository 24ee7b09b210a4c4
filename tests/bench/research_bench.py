"""How well `plumb research` answers without a model: 40 questions over Debian documentation (./dev bench research).

Each question has the files that answer it, and words that the answer says. A question counts as answered where the run
has ended with one of these files among its citations.
"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "native"))
import debian_corpus  # noqa: E402

PLUMB = os.environ.get("PLUMB_BIN", "build/bin/plumb")


def ask(corpus, index, question):
    done = subprocess.run(
        [PLUMB, "research", "--store", "none", "--quiet", "--json", "--no-ask", "--corpus", corpus, "--index", index,
         question], capture_output=True, text=True, timeout=120, check=False)
    return json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def main():
    with debian_corpus.made() as corpus:
        index = os.path.join(os.path.dirname(corpus.folder), "index.db")
        subprocess.run([PLUMB, "corpus", "index", corpus.folder, "--index", index], check=True, capture_output=True)
        questions = [one for one in debian_corpus.questions() if corpus.has(one["files"])]
        answered = first = said = citations = searches = 0
        began = time.monotonic()
        for one in questions:
            view = ask(corpus.folder, index, one["question"])
            result = view.get("result", {})
            cited = result.get("citations", [])
            files = [citation["file"] for citation in cited]
            right = any(name in one["files"] for name in files)
            answered += right
            first += bool(files) and files[0] in one["files"]
            words = " ".join(" ".join(citation["quote"].split()) for citation in cited).lower()
            says = one["says"].lower() in words
            said += says
            citations += len(cited)
            searches += view.get("searches", 0)
            if not right or "-v" in sys.argv:
                print(f'{"right" if right else "WRONG"}: {one["question"]}\n    wanted {one["files"]}, cited {files}'
                      f', says {says}')
                if "-v" in sys.argv:
                    for citation in cited:
                        print("      -", " ".join(citation["quote"].split())[:160])
        took = time.monotonic() - began
        for absent in corpus.missing:
            print("absent:", absent)
        count = max(1, len(questions))
        print(f"questions {len(questions)}, answered with the right file among the citations {answered} "
              f"({answered / count:.2f}), the first citation from it {first} ({first / count:.2f}), the words of the "
              f"answer quoted {said} ({said / count:.2f})")
        print(f"citations an answer {citations / count:.1f}, searches {searches / count:.1f}, "
              f"{1000 * took / count:.0f} ms a question with its process")
        print(f"suite research_bench: {1 if answered / count >= 0.8 else 0} passed, "
              f"{0 if answered / count >= 0.8 else 1} failed")
    return 0 if answered / count >= 0.8 else 1


if __name__ == "__main__":
    sys.exit(main())
