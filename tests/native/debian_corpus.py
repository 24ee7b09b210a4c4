"""The corpus of Debian documentation that the questions of tests/cases/research are about.

    with debian_corpus.made() as corpus:    # a folder with the documents that this machine has
        corpus.folder, corpus.missing       # what is absent, by package
    for one in debian_corpus.questions(): one["question"], one["files"], one["says"]
    for one in debian_corpus.answers():     # 40 that the documents answer: one["says"] is a list, any of which will do;
        one["says"], one["held"]            # 20 that they do not: one["says"] is None; half of both is held out
    with debian_corpus.made(debian_corpus.FRESH) as corpus:   # other documents, and 30 questions put beside them before
        debian_corpus.fresh()               # they were first asked: 20 that they answer and 10 close to them that they do not
"""
import fnmatch
import json
import os
import shutil
import tempfile

CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases", "research")
FRESH = "fresh_corpus.json"


class Corpus:
    def __init__(self, folder, missing):
        self.folder = folder
        self.missing = missing

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(os.path.dirname(self.folder), ignore_errors=True)

    def has(self, files):
        return any(os.path.exists(os.path.join(self.folder, name)) for name in files)


def questions():
    return lines_of("questions.jsonl")


def answers():
    return lines_of("answers.jsonl")


def fresh():
    return lines_of("fresh.jsonl")


def lines_of(name):
    with open(os.path.join(CASES, name), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def made(documents="corpus.json"):
    folder = os.path.join(tempfile.mkdtemp(prefix="plumb-debian-"), "documents")
    missing = []
    with open(os.path.join(CASES, documents), encoding="utf-8") as file:
        parts = json.load(file)
    for part in parts:
        names = os.listdir(part["from"]) if os.path.isdir(part["from"]) else []
        patterns = part["files"] if isinstance(part["files"], list) else [part["files"]]
        wanted = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
        if not wanted:
            missing.append(f'{part["from"]} (package {part["package"]})')
        os.makedirs(os.path.join(folder, part["to"]), exist_ok=True)
        for name in wanted:
            shutil.copy(os.path.join(part["from"], name), os.path.join(folder, part["to"], name))
    return Corpus(folder, missing)
