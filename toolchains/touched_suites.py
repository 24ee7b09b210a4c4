#!/usr/bin/env python3
"""touched_suites.py < PATHS: the suites that files at these paths touch, a line each, without sanitizers, for `./dev test --quick`.

A line is a suite's name and, where a suite is one file a subject, the files: those that share a word of their names with a
path (native/cli/story_make.cpp: tests/native/story_test.py), or the one that tries most. `./dev test` is what decides; this is
what somebody runs while writing.
"""
import glob
import os
import re
import sys

# What begins so touches these; cli and web stand for files chosen by words.
TOUCHES = [
    ("core/contract/", "core cli"),
    ("core/repair/", "core cli"),
    ("core/run/", "core native"),
    ("core/pipelines/", "core native cli"),
    ("core/wire/", "core proxy"),
    ("core/", "core"),
    ("prompts/", "core"),
    ("tests/core/", "core"),
    ("tests/cases/", "core"),
    ("tests/runs/", "core native"),
    ("native/proxy/", "native proxy"),
    ("native/mcp/", "native mcp"),
    ("native/", "native cli"),
    ("tests/native/kill/", "kill"),
    ("tests/native/", "cli"),
    ("tests/proxy/", "proxy"),
    ("tests/mcp/", "mcp"),
    ("tests/packaging/", "packaging"),
    ("tests/adapters/", "adapters"),
    ("wasm/", "npm"),
    ("tests/wasm/", "npm"),
    ("web/", "web"),
    ("tests/web/", "web"),
    ("docs/", "cli"),
]
CHOSEN = {"cli": ("tests/native/*_test.py", "_test.py", "cli"), "web": ("tests/web/*.test.mjs", ".test.mjs", "verdict")}


def words(path):
    return set(re.split(r"[^a-z0-9]+", path.lower()))


def chosen(suite, paths):
    pattern, ending, otherwise = CHOSEN[suite]
    out = set()
    for path in paths:
        if path in glob.glob(pattern):
            out.add(path)
            continue
        most = os.path.join(os.path.dirname(pattern), otherwise + ending)
        named = {one for one in glob.glob(pattern) if words(os.path.basename(one)[: -len(ending)]) <= words(path)}
        out |= named - {most} or {most}
    return sorted(out)


def suites_of(path):
    if path.startswith("tests/native/") and path.endswith((".cpp", ".hpp")) and not path.startswith("tests/native/kill/"):
        return ["native"]
    return next((names.split() for start, names in TOUCHES if path.startswith(start)), [])


def main():
    touched = {"house": []}
    for path in sys.stdin.read().split("\n"):
        for suite in suites_of(path):
            touched.setdefault(suite, []).append(path)
    for suite in ("house", "core", "native", "kill", "cli", "packaging", "proxy", "mcp", "npm", "adapters", "web"):
        if suite in touched:
            print(" ".join([suite, *(chosen(suite, touched[suite]) if suite in CHOSEN else [])]))


main()
