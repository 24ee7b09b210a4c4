#!/usr/bin/env python3
"""`plumb search` and `plumb corpus` as a user drives them, and the questions about Debian's documentation.

    PLUMB_BIN=build/bin/plumb tests/native/search_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite search: N passed, M failed, K skipped`.
"""
import json
import os
import signal
import subprocess
import sys
import time

import cli_test
import debian_corpus
from cli_test import Folder, code, equal, has, lacks, plumb

TESTS = []
RIGHT_FILE_AT_LEAST = 0.8   # of the questions, within the first five passages


def test(function):
    TESTS.append(function)
    return function


def search(folder, *words):
    return plumb(*words, cwd=folder.path, env={"XDG_CACHE_HOME": os.path.join(folder.path, "cache")})


def cats_and_dogs(folder):
    os.makedirs(os.path.join(folder.path, "docs"))
    for name, text in (("cats.md", "# Cats\n\nA cat sleeps sixteen hours a day.\n"),
                       ("dogs.txt", "Dogs\n====\n\nDogs bark at the moon in 1999.\n")):
        with open(os.path.join(folder.path, "docs", name), "w", encoding="utf-8") as file:
            file.write(text)


@test
def a_question_is_answered_with_quote_file_and_line():
    with Folder() as folder:
        cats_and_dogs(folder)
        result = search(folder, "search", "--corpus", "docs", "how", "long", "does", "a", "cat", "sleep?")
        code(result, 0)
        has(result.out, "1. Cats")
        has(result.out, "cats.md:3")
        has(result.out, '"A cat sleeps sixteen hours a day."')
        lacks(result.out, "dogs.txt")
        nothing = search(folder, "search", "--corpus", "docs", "zebra")
        code(nothing, 1)
        has(nothing.out, "in no document: zebra")


@test
def the_answer_keeps_the_contract_search():
    with Folder() as folder:
        cats_and_dogs(folder)
        answer = search(folder, "search", "--corpus", "docs", "--answer", "when do dogs bark")
        code(answer, 0)
        folder.write("answer.json", answer.out)
        verdict = plumb("check", "--contract", "search", "--format", "jsonl", "answer.json", cwd=folder.path)
        equal(json.loads(verdict.out)["valid"], True)
        reply = json.loads(search(folder, "search", "--corpus", "docs", "--json", "when do dogs bark").out)
        equal(reply["status"], "success")
        equal(reply["results"][0]["file"], "dogs.txt")
        equal(reply["results"][0]["quote_line"], 4)
        equal(reply["results"][0]["uri"], "file://" + os.path.realpath(os.path.join(folder.path, "docs/dogs.txt")))


@test
def several_readings_are_told():
    with Folder() as folder:
        os.makedirs(os.path.join(folder.path, "docs"))
        folder.write("docs/a.md", "# Planets\n\nMercury is the planet nearest the sun. The planet has no moon.\n")
        folder.write("docs/b.md", "# Metals\n\nMercury is a liquid metal. The metal was used in thermometers.\n")
        result = search(folder, "search", "--corpus", "docs", "mercury")
        code(result, 0)
        has(result.out, "This may mean several things. Add ")
        has(result.out, "mercury (planet): Planets")
        reply = json.loads(search(folder, "search", "--corpus", "docs", "--json", "mercury").out)
        equal(reply["status"], "insufficient_specificity")
        equal(sorted(reply["insufficient_specificity"]["separator"].split(" or ")), ["metal", "planet"])
        equal([len(one["results"]) for one in reply["insufficient_specificity"]["readings"]], [1, 1])


@test
def wrong_usage_is_told():
    with Folder() as folder:
        has(search(folder, "search", "x").err, "--corpus DIR, or --searxng URL")
        has(search(folder, "search", "--corpus", "none", "x").err, "there is no such folder")
        os.makedirs(os.path.join(folder.path, "docs"))
        has(search(folder, "search", "--corpus", "docs", "??").err, "no word to look for")
        has(search(folder, "search", "--corpus", "docs", "--limit", "51", "x").err, "--limit")
        has(search(folder, "search", "--searxng", "ftp://x", "x").err, "--searxng")
        has(search(folder, "corpus", "status", "docs", "--index", "none.db").err, "plumb corpus index makes it")
        for words in (("search", "--corpus", "docs", "??"), ("search", "x"), ("corpus", "index", "none")):
            code(search(folder, *words), 2)


@test
def an_index_says_what_it_holds():
    with Folder() as folder:
        cats_and_dogs(folder)
        with open(os.path.join(folder.path, "docs", "image.png"), "wb") as file:
            file.write(b"\x89PNG\0\0")
        os.symlink("/etc", os.path.join(folder.path, "docs", "out"))
        made = search(folder, "corpus", "index", "docs")
        code(made, 0)
        has(made.out, "3 added, 0 changed, 0 removed, 0 as they were")
        has(made.out, "out is a link that leads out of the folder, to /etc")
        has(made.out, "image.png: is not text")
        state = json.loads(search(folder, "corpus", "status", "docs", "--json").out)
        equal((state["files"], state["skipped_count"]), (2, 1))
        equal(state["skipped"][0]["reason"], "binary")


@test
def a_killed_indexing_goes_on():
    with Folder() as folder:
        docs = os.path.join(folder.path, "docs")
        os.makedirs(docs)
        for number in range(6000):
            with open(os.path.join(docs, f"{number}.txt"), "w", encoding="utf-8") as file:
                file.write(f"Stone {number} lies on the beach. " + "It is grey and smooth, and older than any shell. " * 40 + "\n")
            os.utime(os.path.join(docs, f"{number}.txt"), (1_600_000_000, 1_600_000_000))
        index = os.path.join(folder.path, "index.db")
        words = [os.path.abspath(os.environ.get("PLUMB_BIN", "build/bin/plumb")), "corpus", "index", docs, "--index", index]
        kills = 0
        end = time.monotonic() + 120
        while kills < 3 and time.monotonic() < end:
            child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # As soon as it has written something more.
            before = os.path.getsize(index + "-wal") if os.path.exists(index + "-wal") else 0
            while child.poll() is None and time.monotonic() < end:
                if os.path.exists(index + "-wal") and os.path.getsize(index + "-wal") > before:
                    break
                time.sleep(0.002)
            if child.poll() is not None:
                break
            child.send_signal(signal.SIGKILL)
            child.wait()
            kills += 1
        if kills == 0:
            raise AssertionError("it was never killed")
        code(search(folder, "corpus", "index", docs, "--index", index), 0)
        whole = json.loads(search(folder, "corpus", "status", docs, "--index", index, "--json").out)
        code(search(folder, "corpus", "index", docs, "--index", index + "2"), 0)
        other = json.loads(search(folder, "corpus", "status", docs, "--index", index + "2", "--json").out)
        for member in ("files", "passages", "text_bytes"):
            equal(whole[member], other[member])
        equal(whole["files"], 6000)
        found = json.loads(search(folder, "search", "--corpus", docs, "--index", index, "--json", "--limit", "50", "stone 4711").out)
        equal([one["file"] for one in found["results"]][:1], ["4711.txt"])
        equal(len({(one["file"], one["passage"]) for one in found["results"]}), len(found["results"]))


@test
def questions_about_debian_find_the_right_file():
    with debian_corpus.made() as corpus:
        index = os.path.join(os.path.dirname(corpus.folder), "index.db")
        asked = [one for one in debian_corpus.questions() if corpus.has(one["files"])]
        if len(asked) < 30:
            for text in corpus.missing:
                print(f"  absent: {text}")
            raise cli_test.Skip("the corpus of Debian documentation is absent: " + ", ".join(corpus.missing))
        right = 0
        for one in asked:
            result = plumb("search", "--corpus", corpus.folder, "--index", index, "--limit", "5", "--json", one["question"])
            code(result, 0)
            hits = json.loads(result.out)["results"]
            right += any(hit["file"] in one["files"] for hit in hits)
            for hit in hits:   # whatever it is, it is there
                if hit["quote"] not in hit["passage"]:
                    raise AssertionError(f"a quote that is not in its passage: {hit['quote']}")
        if right < RIGHT_FILE_AT_LEAST * len(asked):
            raise AssertionError(f"the right file was found for {right} of {len(asked)} questions")


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("search", TESTS, sys.argv[1:]))
