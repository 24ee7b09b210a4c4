#!/usr/bin/env python3
"""lint_sources.py BUILD < SOURCES: clang-tidy over these sources, as many at a time as there are processors.

BUILD has compile_commands.json. A source in which nothing was found is not looked at again until it, a file of the
repository that it includes, its command, .clang-tidy or the compiler's version changes: build/lint keeps a mark of each.
Fails where something was found, and after a look that takes longer than SECONDS_MAX.

Most of a look goes into the headers that a source includes. So where there are many, neighbours that are compiled alike and
spoil no name of each other (units.py) are looked at as one: a fifth of the time. What such a look misses, a using-declaration that only a
neighbour uses, is found when the source changes and is looked at alone.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

from units import Source

MARKS = "build/lint"
UNITS = "build/lint/units"
UNIT_SOURCES_MAX = 10
ALONE_MAX = 20   # no more sources than this: each alone
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


def units_of(sources, commands):
    """Lists of sources that can be looked at as one."""
    units, open_ = [], {}
    for path in sources:
        flags = commands[path].replace(path, "").replace(os.path.basename(path), "")
        room = "/".join(path.split("/")[:2])
        fitting = open_.setdefault((room, re.sub(r" -o \S+", "", flags)), [])
        source = Source(path)
        for unit in fitting:
            if len(unit) < UNIT_SOURCES_MAX and not any(source.spoils(other) or other.spoils(source) for other in unit):
                unit.append(source)
                break
        else:
            fitting.append([source])
            units.append(fitting[-1])
    return [[source.path for source in unit] for unit in units]


class Units:
    """Sources that include others, so that these are looked at as one; each is written when it is wanted."""

    def __init__(self, build, commands):
        self.directory, self.commands = os.path.abspath(build), commands
        self.lock = threading.Lock()
        self.rows = []
        shutil.rmtree(UNITS, ignore_errors=True)

    def write(self, unit):
        """The folder of its compile_commands.json, and its file."""
        with self.lock:
            number = len(self.rows)
            self.rows.append(unit)
        folder = os.path.join(UNITS, str(number))
        os.makedirs(folder)
        file = os.path.abspath(os.path.join(folder, "unit.cpp"))
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(f'#include "{source}"  // NOLINT\n' for source in unit)
        # What is shadowed there may be a neighbour's; the build tells it of each source.
        command = self.commands[unit[0]].replace(os.path.abspath(unit[0]), file) + " -Wno-shadow"
        with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as out:
            json.dump([{"directory": self.directory, "file": file, "command": command}], out)
        return folder, file


def found_in(source, build):
    """What clang-tidy says of it, or nothing."""
    # In a unit a declaration may be redundant that its source needs.
    left_out = ["--checks=-readability-redundant-declaration"] if build.startswith(UNITS) else []
    try:
        done = subprocess.run(["clang-tidy", "-p", build, "--quiet", *left_out, source], timeout=SECONDS_MAX, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except subprocess.TimeoutExpired:
        return f"{source}: clang-tidy takes longer than {SECONDS_MAX} s"
    if done.returncode != 0 or done.stdout.strip():
        return done.stdout.strip() or f"{source}: clang-tidy ended with {done.returncode}\n{done.stderr}"
    return ""


def look(unit, units, marks, build):
    """What was found in the sources of a unit, and in how many; those in which nothing was found get their marks."""
    if len(unit) == 1:
        said = found_in(unit[0], build)
    else:
        folder, file = units.write(unit)
        said = found_in(file, folder)
    if len(unit) > 1 and "clang-diagnostic-error" in said:
        # Perhaps they cannot be compiled as one.
        middle = len(unit) // 2
        halves = [look(half, units, marks, build) for half in (unit[:middle], unit[middle:])]
        return "\n".join(half[0] for half in halves if half[0]), sum(half[1] for half in halves)
    wrong = [source for source in unit if source in said]
    for source in unit:
        if not said or (wrong and source not in wrong):
            with open(marks[source], "w", encoding="utf-8") as out:
                out.write(source + "\n")
    return said, len(wrong or (unit if said else []))


def main():
    build = sys.argv[1]
    sources = sys.stdin.read().split()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = {os.path.relpath(one["file"]): one["command"] for one in json.load(file)}
    with open(".clang-tidy", "rb") as file:
        common = file.read() + subprocess.check_output(["clang-tidy", "--version"]) + subprocess.check_output(["g++", "--version"])
    os.makedirs(MARKS, exist_ok=True)
    texts = Texts()
    # One that is compiled as a part of another has no command: it gets that of a neighbour, as clang-tidy would give it.
    for source in sources:
        if source not in commands:
            other = max(commands, key=lambda one: (len(os.path.commonprefix([one, source])), one))
            commands[source] = commands[other].replace(other, source)
    marks = {source: mark_of(source, commands[source], common, texts) for source in sources}
    open_ = [source for source, mark in marks.items() if not os.path.exists(mark)]
    started = time.monotonic()
    units = units_of(open_, commands) if len(open_) > ALONE_MAX else [[source] for source in open_]
    writer = Units(build, commands)
    looked = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for unit, (said, count) in zip(units, pool.map(lambda one: look(one, writer, marks, build), units)):
            failed += count
            if said:
                print(said, flush=True)
            looked += len(unit)
            if sys.stderr.isatty() or looked % 100 < len(unit):
                print(f"{looked} of {len(open_)} sources, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(f"clang-tidy: {len(open_)} sources in {time.monotonic() - started:.0f} s, {len(marks) - len(open_)} known to be clean, "
          f"{failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
