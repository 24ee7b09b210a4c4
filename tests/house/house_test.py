#!/usr/bin/env python3
"""House tests: what the sources themselves must hold. Prints `suite house: N passed, M failed, K skipped`.

A test is a function whose docstring is a sentence; it yields one text for each place that breaks it.
"""
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(TOP)

# Headers that may have 150 lines or more, each with its reason.
LONG_HEADERS = {
    "core/text/token_features.hpp": "a template over its sink: the implementation stands in the header",
    "core/json/scanner.hpp": "a template over its handler: the implementation stands in the header",
    "core/contract/program.hpp": "the compiled contract: a struct for each kind of keyword, read side by side",
    "core/contract/engine_types.hpp": "the engine's records, private to it, read side by side",
    "core/contract/engine.hpp": "one class, private to the engine, whose parts are compiled together",
}

# What the core may include besides its own files: the standard library without input and output, clock, randomness,
# threads, locale and regular expressions, and the vector instructions of each target.
CORE_SYSTEM_INCLUDES = {
    "algorithm", "array", "bit", "cmath", "compare", "concepts", "cstddef", "cstdint", "cstdlib", "cstring",
    "functional", "initializer_list", "iterator", "limits", "map", "memory", "new", "numeric", "optional", "set",
    "span", "string", "string_view", "tuple", "type_traits", "unordered_map", "unordered_set", "utility", "variant",
    "vector", "deque", "charconv",
    "emmintrin.h", "tmmintrin.h", "smmintrin.h", "immintrin.h", "wasm_simd128.h", "arm_neon.h",
}

# What every part of the core may include.
CORE_TOP = ["core/result.hpp", "core/require.hpp", "core/stable_sort.hpp"]

# Folder of the core -> what it may include from the core.
CORE_MAY_INCLUDE = {
    "core": [],
    "core/json": [],
    "core/text": ["core/json/"],
    "core/contract": ["core/text/", "core/json/"],
    "core/repair": ["core/contract/", "core/text/", "core/json/"],
    "core/derive": ["core/contract/", "core/text/", "core/json/"],
    "core/budget": ["core/text/", "core/json/"],
    "core/sample": ["core/contract/", "core/text/", "core/json/"],
    "core/lint": ["core/derive/", "core/contract/", "core/text/", "core/json/"],
    "core/run": ["core/contract/", "core/text/", "core/json/"],
    "core/wire": ["core/run/data.hpp", "core/text/", "core/json/"],
    "core/extract": ["core/roles/", "core/contract/", "core/text/", "core/json/"],
    "core/roles": ["core/contract/", "core/text/", "core/json/"],
    "core/judge": ["core/contract/", "core/text/", "core/json/"],
    "core/pipelines": ["core/run/", "core/budget/", "core/repair/", "core/derive/", "core/judge/", "core/extract/",
                       "core/roles/", "core/contract/", "core/text/", "core/json/"],
}
CORE_MAY_INCLUDE["core/guard"] = ["core/wire/", "core/judge/", "core/pipelines/prompt.hpp", "core/repair/", "core/derive/", "core/contract/",
                                  "core/run/data.hpp", "core/text/", "core/json/"]
# A folder for each seed document, over what they share.
for seed in ("artifact", "boundary", "discovery", "research"):
    CORE_MAY_INCLUDE["core/pipelines/" + seed] = ["core/pipelines/prompt.hpp", "core/pipelines/pipelines.hpp",
                                                  "core/pipelines/preparation.hpp", "core/pipelines/model_call.hpp",
                                                  "core/pipelines/call_monitor.hpp",
                                                  "core/pipelines/pipeline_contracts.hpp",
                                                  "core/pipelines/boundary/",
                                                  *CORE_MAY_INCLUDE["core/pipelines"]]
# And, each, its own folder and these.
for folder, may in CORE_MAY_INCLUDE.items():
    may += CORE_TOP if folder == "core" else [folder + "/", *CORE_TOP]

# A run that has to wait leaves its pipeline by an exception; nothing else in the core throws.
CORE_MAY_THROW = ("core/run/",)
THROWS = r"\bthrow\b|\btry\s*\{"

# Calls and names that make output depend on something other than the input. Read in code without comments and strings.
CORE_FORBIDDEN_CODE = [
    (r"\b(?:std::)?(?:rand|srand|random|time|clock|gettimeofday|getenv|setlocale|localeconv|system)\s*\(",
     "depends on the world"),
    (r"\b(?:std::)?(?:printf|fprintf|sprintf|snprintf|vsnprintf|puts|putchar|fputs|fopen|fwrite)\s*\(",
     "prints, or depends on the locale"),
    (r"\bstd::hash\s*<", "std::hash differs between libraries"),
    (r"\b(?:std::)?(?:stod|stof|strtod|strtof|atof)\s*\(", "depends on the locale"),
    (r"\b(?:std::)?(?:pow|powf|exp|exp2|log|log2|log10|sin|cos|tan|sqrt|cbrt|hypot|lgamma|tgamma)\s*\(",
     "libm differs between machines"),
    (r"\bstd::thread\b|\bstd::mutex\b|\bthread_local\b|\bstd::atomic\b", "the core has no threads"),
    (THROWS, "the core throws nothing"),
    (r"\bstd::cout\b|\bstd::cerr\b", "the core has no output"),
]

FORBIDDEN_NAMES = ("util", "utils", "helper", "helpers", "common", "manager", "misc")


def tracked():
    """Files that are or would be committed."""
    rows = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    return [row for row in sorted(set(rows.stdout.splitlines())) if os.path.isfile(row)]


FILES = tracked()


def files(folder, *endings):
    return [name for name in FILES if name.startswith(folder) and name.endswith(endings or ("",))]


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def code_only(text):
    """The text with comments and string literals blanked, line ends kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    raw = re.compile(r'R"([^()\\ ]{0,16})\(.*?\)\1"', re.S)
    text = raw.sub(blank, text)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def includes(name):
    text = read(name)
    for match in INCLUDE.finditer(text):
        yield line_of(text, match.start()), match.group(1), match.group(2)


def core_includes_nothing_that_reaches_out():
    """the core includes nothing with input, output, time, randomness, threads, locale or regular expressions"""
    for name in files("core/", ".hpp", ".cpp"):
        for line, kind, what in includes(name):
            if kind == "<" and what not in CORE_SYSTEM_INCLUDES:
                yield f"{name}:{line}: includes <{what}>"


def core_depends_on_its_input_alone():
    """the core calls nothing whose answer depends on clock, locale, library or machine, and throws nothing"""
    for name in files("core/", ".hpp", ".cpp"):
        text = code_only(read(name))
        for pattern, reason in CORE_FORBIDDEN_CODE:
            if pattern == THROWS and name.startswith(CORE_MAY_THROW):
                continue
            for match in re.finditer(pattern, text):
                yield f"{name}:{line_of(text, match.start())}: {match.group(0).strip()} ({reason})"


def dependencies_go_down_only():
    """dependencies go down only: json under text under contract under run, repair and the like, the core under native and wasm"""
    for name in files("core/", ".hpp", ".cpp"):
        allowed = CORE_MAY_INCLUDE.get(os.path.dirname(name))
        if allowed is None:
            yield f"{name}: CORE_MAY_INCLUDE in tests/house/house_test.py does not know this folder"
            continue
        for line, kind, what in includes(name):
            if kind == '"' and not what.startswith(tuple(allowed)):
                yield f"{name}:{line}: includes {what}"
    for top, allowed in (("native/", ("core/", "native/")), ("wasm/", ("core/", "wasm/"))):
        for name in files(top, ".hpp", ".cpp"):
            for line, kind, what in includes(name):
                if kind == '"' and not what.startswith(allowed):
                    yield f"{name}:{line}: includes {what}"


def no_iteration_over_unordered_containers():
    """no loop of the core runs over an unordered container"""
    for name in files("core/", ".hpp", ".cpp"):
        text = code_only(read(name))
        unordered = set(re.findall(r"unordered_(?:map|set)<[^;{}()]*>\s*&?\s*(\w+)\s*[;={(]", text))
        for match in re.finditer(r"for\s*\([^;()]*:\s*(?:\w+(?:\.|->))?(\w+)\s*\)", text):
            if match.group(1) in unordered:
                yield f"{name}:{line_of(text, match.start())}: the order of {match.group(1)} is not defined"


def headers_are_short():
    """a header has under 150 lines"""
    for name in files("core/", ".hpp") + files("native/", ".hpp") + files("wasm/", ".hpp"):
        lines = read(name).count("\n")
        if lines >= 150 and name not in LONG_HEADERS:
            yield f"{name}: {lines} lines"
        if lines < 150 and name in LONG_HEADERS:
            yield f"{name}: is in LONG_HEADERS and need not be"


def headers_begin_with_their_manual():
    """a header begins with a comment that is its manual, then #pragma once"""
    for name in files("core/", ".hpp") + files("native/", ".hpp"):
        text = read(name)
        if not text.startswith("//"):
            yield f"{name}: the first line is no comment"
        elif not re.match(r"(//[^\n]*\n)+#pragma once\n", text):
            yield f"{name}: no #pragma once after the comment"


def headers_compile_alone():
    """every header of the core compiles alone, twice in one file"""
    folder = "build/cmake/release"
    commands = [["cmake", "--preset", "release"]] if not os.path.exists(folder + "/build.ninja") else []
    commands.append(["cmake", "--build", folder, "--target", "core_headers"])
    for command in commands:
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            yield (run.stdout + run.stderr)[-3000:]
            return


def names_explain_themselves():
    """files and folders are named in snake_case, and none is called a helper of something"""
    for name in files("core/") + files("native/") + files("tests/core/") + files("tests/native/"):
        base = os.path.basename(name)
        if re.search(r"\.(cpp|hpp)$", base) and not re.fullmatch(r"[a-z0-9_]+\.(cpp|hpp)", base):
            yield f"{name}: not snake_case"
        for part in re.split(r"[/_.]", name):
            if part.lower() in FORBIDDEN_NAMES:
                yield f"{name}: '{part}' says nothing"


def lines_are_at_most_120_columns():
    """lines of our C++ have at most 120 columns, no tabs and no trailing white space"""
    for name in FILES:
        if not name.endswith((".cpp", ".hpp")) or "unicode_tables" in name:
            continue
        text = read(name)
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > 120:
                yield f"{name}:{number}: {len(line)} columns"
            if "\t" in line or line != line.rstrip():
                yield f"{name}:{number}: a tab or trailing white space"
        if not text.endswith("\n"):
            yield f"{name}: no line end at the end"


def nothing_names_a_machine_or_a_registry():
    """no file names a path of one machine, the host of a package registry, or where a package was downloaded"""
    patterns = {re.escape(os.path.dirname(TOP) + "/")} if os.path.dirname(TOP) not in ("/", "/root", "/tmp") else set()
    home = os.path.expanduser("~")
    if home not in ("/", "/root"):
        patterns.add(re.escape(home + "/"))
    hosts = set()
    registry = subprocess.run("npm config get registry 2>/dev/null", shell=True, capture_output=True, text=True).stdout
    hosts.update(re.findall(r"https?://([^/\s]+)", registry))
    for folder, _, names in os.walk("/etc/apt"):
        for name in names:
            if name.endswith((".list", ".sources")):
                try:
                    hosts.update(re.findall(r"https?://([^/\s]+)", read(os.path.join(folder, name))))
                except (OSError, UnicodeDecodeError):
                    pass
    patterns.update(re.escape(host) for host in hosts if "." in host)
    matcher = re.compile("|".join(sorted(patterns))) if patterns else None
    for name in FILES:
        try:
            text = read(name)
        except UnicodeDecodeError:
            continue   # a binary file, or a test's broken UTF-8
        for match in matcher.finditer(text) if matcher else ():
            yield f"{name}:{line_of(text, match.start())}: {match.group(0)}"
        if os.path.basename(name) in ("package-lock.json", "npm-shrinkwrap.json"):
            for match in re.finditer(r'"resolved": "https?:', text):
                yield f"{name}:{line_of(text, match.start())}: a download address"


def every_suite_and_command_is_told():
    """./dev help tells every command that ./dev knows"""
    text = read("dev")
    told = subprocess.run(["./dev", "help"], capture_output=True, text=True).stdout
    for command in re.findall(r"^command_(\w+)\(\)", text, re.M):
        if not re.search(rf"^  {command}\b", told, re.M):
            yield f"dev: {command} is not in the help"
    if subprocess.run(["./dev", "nosuch", "--help"], capture_output=True, text=True).stdout != told:
        yield "dev: a command with --help does not print the help"


TESTS = [
    core_includes_nothing_that_reaches_out,
    core_depends_on_its_input_alone,
    dependencies_go_down_only,
    no_iteration_over_unordered_containers,
    headers_are_short,
    headers_begin_with_their_manual,
    headers_compile_alone,
    names_explain_themselves,
    lines_are_at_most_120_columns,
    nothing_names_a_machine_or_a_registry,
    every_suite_and_command_is_told,
]


def the_tests_can_fail():
    """the tests of the house find what they look for"""
    samples = {
        "int x = time(nullptr);": CORE_FORBIDDEN_CODE[0][0],
        "y = std::pow(2, 3);": r"\b(?:std::)?(?:pow)\s*\(",
    }
    for sample, pattern in samples.items():
        if not re.search(pattern, code_only(sample)):
            yield f"{pattern} does not find {sample}"
    if re.search(r"time", code_only('// time(\nconst char* a = "time(";')):
        yield "comments and strings are read as code"


def main():
    passed = failed = 0
    for test in TESTS + [the_tests_can_fail]:
        problems = list(test())
        if problems:
            failed += 1
            print(f"FAILED: {test.__doc__}")
            for problem in problems[:40]:
                print(f"  {problem}")
            if len(problems) > 40:
                print(f"  and {len(problems) - 40} more")
        else:
            passed += 1
    print(f"suite house: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
