#!/usr/bin/env python3
"""units.py count LIST SIZE: how many units the sources of LIST need. units.py write LIST SIZE FOLDER COUNT: writes them.

A unit is a file, FOLDER/unit_N.cpp, that includes several sources, so that their common headers are compiled once. A unit has
at most SIZE sources. Two sources share a unit only if their names do not collide: no source may define a local name that another
one defines or calls, and no `using namespace` may bring in a name that another one uses for something else. Sources keep their
order. An unchanged unit is not written again. LIST is a file with one path a line, relative to the checkout, which is the current
folder.
"""
import functools
import glob
import os
import re
import sys

SPARE = 2   # empty units, for names that collide after a later edit, until CMake configures again
# What a source has for itself: in a namespace without a name, and what it calls by a short name.
ALIAS = re.compile(r"^using (\w+) = ([^;]+);", re.MULTILINE)
NAMELESS = re.compile(r"^namespace \{\n(.*?)^\}  // namespace\n", re.MULTILINE | re.DOTALL)
# Functions, constants and types: what is defined at the beginning of a line.
OWN_NAME = re.compile(r"^(?:(?:struct|class|enum(?: class)?|union) (\w+)(?!\w*;)|using (\w+) = |"
                      r"(?!using|namespace|return|template|#|//| )[\w:<>,&*\[\] ]*?"
                      r"[ &*](\w+)(?:\(|\[\w*\](?: =|\{)| =(?= |$)|\{))", re.MULTILINE)
CONSTANTS = re.compile(r"^constexpr [^;]*;", re.MULTILINE)   # one line may define several
CONSTANT = re.compile(r"\b(\w+) = ")
DEFINED = re.compile(r"^#define (\w+)", re.MULTILINE)
USING = re.compile(r"^using (?:::)?(?:plumb::)?((?:\w+::)+(\w+));", re.MULTILINE)
DIRECTIVE = re.compile(r"^using namespace (?:::)?([\w:]+);", re.MULTILINE)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
USING_ENUM = re.compile(r"^using enum ", re.MULTILINE)
# What it may have from elsewhere: a function that is called, a namespace, a type, a constant.
CALLED = re.compile(r"(?<![\w.>:\"])(\w+)(?:\(|::)|(?<![\w:\"])([A-Z]\w+)\b|(?<![\w.>:\"])(\w+_(?:max|min|last|first|ms|bytes))\b")


@functools.cache
def declared():
    """What the headers declare: namespace -> name -> what that is elsewhere, or nothing."""
    names = {}
    for header in sorted(glob.glob("core/**/*.hpp", recursive=True) + glob.glob("native/**/*.hpp", recursive=True)
                         + glob.glob("tests/**/*.hpp", recursive=True)):
        with open(header, encoding="utf-8") as file:
            text = file.read()
        found = {name: whole for whole, name in USING.findall(text)} | {name: "" for row in OWN_NAME.findall(text) for name in row if name}
        for namespace in NAMESPACE.findall(text):
            names.setdefault(namespace, {}).update(found)
            parts = namespace.split("::")
            for depth in range(1, len(parts)):
                names.setdefault("::".join(parts[:depth]), {})[parts[depth]] = ""
    return names


class Source:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.path = path
        self.own = {name: whole for whole, name in USING.findall(text)}   # name -> what that is elsewhere
        self.own |= {name: "= " + whole for name, whole in ALIAS.findall(text)}
        for part in NAMELESS.findall(text):
            self.own |= {name: "" for found in OWN_NAME.findall(part) for name in found if name}
            self.own |= {name: "" for line in CONSTANTS.findall(part) if "{" not in line for name in CONSTANT.findall(line)}
        self.own |= {name: "" for name in DEFINED.findall(text)}
        self.called = {name for found in CALLED.findall(text) for name in found if name} - self.own.keys()
        self.directives = set(DIRECTIVE.findall(text))
        # All enumerators become names of its own; or a name has one meaning only as long as a header is not included.
        self.alone = (bool(USING_ENUM.search(text)) or any(self.brings(namespace, self) for namespace in self.directives)
                      or any(self.hides(namespace) for namespace in NAMESPACE.findall(text)))

    def hides(self, namespace):
        """Whether a type of its own is another there, which headers would mean."""
        names = declared().get(namespace, {})
        return any(name[0].isupper() and name in names and (not what or what != names[name]) for name, what in self.own.items())

    def spoils(self, other):
        """Whether a name of its own is another's, or would be taken for what another calls; or what it brings would."""
        return (self.alone
                or any(name in other.called and (not what or what[0] == "=") or name in other.own and (not what or what != other.own[name])
                       for name, what in self.own.items())
                or any(self.brings(namespace, other) for namespace in self.directives - other.directives))

    def brings(self, namespace, other):
        names = declared().get(namespace, {}).keys()
        return bool(names & other.own.keys()) or any(
            names & other.called & declared().get(theirs, {}).keys()
            for theirs in self.directives | other.directives if theirs != namespace)


def units_of(sources, size):
    """Lists of sources that can be compiled as one."""
    units = []
    for source in map(Source, sources):
        for unit in units:
            if len(unit) < size and not any(source.spoils(other) or other.spoils(source) for other in unit):
                unit.append(source)
                break
        else:
            units.append([source])
    return [[source.path for source in unit] for unit in units]


def write(units, folder, count):
    if len(units) > count:
        print(f"{folder}: {len(units)} units are needed and there are {count}: configure again with cmake --preset",
              file=sys.stderr)
        return 1
    os.makedirs(folder, exist_ok=True)
    for number in range(count):
        text = "".join(f'#include "{source}"  // NOLINT\n' for source in units[number]) if number < len(units) else ""
        path = os.path.join(folder, f"unit_{number}.cpp")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == text:
                    continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        sources = file.read().split()
    units = units_of(sources, int(sys.argv[3]))
    if sys.argv[1] == "count":
        print(len(units) + SPARE)
        return 0
    return write(units, sys.argv[4], int(sys.argv[5]))


if __name__ == "__main__":
    sys.exit(main())
