#!/usr/bin/env python3
"""search_questions.py PLUMB: the questions of tests/cases/research asked of `plumb search`, without anything else.

Prints how many have the right file among the first five passages, and first; and in how many the words that answer are in
one of these passages of the right file.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "native"))
import debian_corpus  # noqa: E402


def main():
    plumb = os.path.abspath(sys.argv[1])
    asked = found = first = said = 0
    with debian_corpus.made() as corpus:
        for text in corpus.missing:
            print(f"absent: {text}")
        index = os.path.join(os.path.dirname(corpus.folder), "index.db")
        for one in debian_corpus.questions():
            if not corpus.has(one["files"]):
                print(f"not asked, its document is absent: {one['question']}")
                continue
            asked += 1
            result = subprocess.run([plumb, "search", "--corpus", corpus.folder, "--index", index, "--limit", "5", "--json",
                                     one["question"]], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            results = json.loads(result.stdout)["results"]
            right = [hit["file"] in one["files"] for hit in results]
            found += any(right)
            first += right[:1] == [True]
            said += any(is_right and one["says"].lower() in hit["passage"].lower() for is_right, hit in zip(right, results))
            if not any(right):
                print(f"missed: {one['question']} ({', '.join(one['files'])})")
    if asked == 0:
        print("no question was asked: the corpus of Debian documentation is absent (./dev bench installs it)")
        return
    print("| questions | right file in the first five | right file first | the words that answer are there |")
    print("| --: | --: | --: | --: |")
    print(f"| {asked} | {found} ({found / asked:.2f}) | {first} ({first / asked:.2f}) | {said} ({said / asked:.2f}) |")


main()
