#!/usr/bin/env python3
"""lint_sources.py BUILD < SOURCES: clang-tidy over these sources, as many at a time as there are processors.

BUILD has compile_commands.json. A source in which nothing was found is not looked at again until it, a file of the
repository that it includes, its command, .clang-tidy or the compiler's version changes: build/lint keeps a mark of each.
Fails where something was found, and after a source that takes longer than SECONDS_MAX.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time

MARKS = "build/lint"
SECONDS_MAX = 600
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


class Texts:
    """Files of the repository, each read once, and what they include."""

    def __init__(self):
        self.known = {}

    def included(self, path):
        """The files that this one is made of, itself among them."""
        found, open_ = set(), [path]
        while open_:
            one = open_.pop()
            if one in found:
                continue
            found.add(one)
            for name in self.of(one)[1]:
                beside = os.path.normpath(os.path.join(os.path.dirname(one), name))
                open_ += [at for at in (name, beside) if os.path.isfile(at)][:1]
        return sorted(found)

    def of(self, path):
        if path not in self.known:
            with open(path, "rb") as file:
                text = file.read()
            self.known[path] = hashlib.sha256(text).hexdigest(), [name.decode() for name in INCLUDE.findall(text)]
        return self.known[path]


def mark_of(source, command, common, texts):
    whole = hashlib.sha256(common + command.encode())
    for path in texts.included(source):
        whole.update(f"{path} {texts.of(path)[0]}\n".encode())
    return os.path.join(MARKS, whole.hexdigest())


def look(source, mark, build):
    """What was found in it, or nothing."""
    try:
        done = subprocess.run(["clang-tidy", "-p", build, "--quiet", source], timeout=SECONDS_MAX, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except subprocess.TimeoutExpired:
        return f"{source}: clang-tidy takes longer than {SECONDS_MAX} s"
    if done.returncode != 0 or done.stdout.strip():
        return done.stdout.strip() or f"{source}: clang-tidy ended with {done.returncode}\n{done.stderr}"
    with open(mark, "w", encoding="utf-8") as file:
        file.write(source + "\n")
    return ""


def main():
    build = sys.argv[1]
    sources = sys.stdin.read().split()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = {os.path.relpath(one["file"]): one["command"] for one in json.load(file)}
    with open(".clang-tidy", "rb") as file:
        common = file.read() + subprocess.check_output(["clang-tidy", "--version"]) + subprocess.check_output(["g++", "--version"])
    os.makedirs(MARKS, exist_ok=True)
    texts = Texts()
    # One that is compiled as a part of another has no command: clang-tidy takes that of the file most like it.
    marks = {source: mark_of(source, commands.get(source, ""), common, texts) for source in sources}
    open_ = [source for source, mark in marks.items() if not os.path.exists(mark)]
    started = time.monotonic()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, said in enumerate(pool.map(lambda source: look(source, marks[source], build), open_), 1):
            failed += bool(said)
            if said:
                print(said, flush=True)
            if number % 50 == 0:
                print(f"{number} of {len(open_)} sources, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(f"clang-tidy: {len(open_)} sources in {time.monotonic() - started:.0f} s, {len(marks) - len(open_)} known to be clean, "
          f"{failed} with findings")
    return 1 if failed else 0


sys.exit(main())
