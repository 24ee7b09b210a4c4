#!/usr/bin/env python3
"""House tests: what the sources themselves must hold. Prints `suite house: N passed, M failed, K skipped`.

A test is a function whose docstring is a sentence; it yields one text for each place that breaks it.
"""
import inspect
import os
import re
import subprocess
import sys

import docs_style
import http_page

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.chdir(TOP)

# Headers that may have 150 lines or more, each with its reason.
LONG_HEADERS = {
    "core/text/token_features.hpp": "a template over its sink: the implementation stands in the header",
    "core/json/scanner.hpp": "a template over its handler: the implementation stands in the header",
    "core/contract/program.hpp": "the compiled contract: a struct for each kind of keyword, read side by side",
    "core/repair/reader.hpp": "one automaton, private to the edits, whose steps stand in seven sources",
}

FUNCTION_LINES_MAX = 100
FILE_LINES_MAX = 600

# Functions that may be longer, each with its reason: (file, what its name ends with).
LONG_FUNCTIONS = {
    ("core/json/scanner.hpp", "Scanner<Handler>::scan_string"): "one loop over the bytes, whose state stands in registers",
    ("core/json/scanner.hpp", "Scanner<Handler>::push"): "one loop over the bytes, whose state stands in registers",
    ("core/contract/engine/fast_path_walking.cpp", "fast_walk"): "one loop over the bytes, whose state stands in registers",
    ("native/cli/command_table.cpp", "check_command"): "a table: the options of a command, in the order of its help",
    ("native/cli/runs_spec.cpp", "runs_commands"): "a table: the options of commands, in the order of their help",
    ("native/cli/serve_spec.cpp", "serve_command"): "a table: the options of a command, in the order of its help",
    ("native/cli/workflow_spec.cpp", "workflow_commands"): "a table: the options of commands, in the order of their help",
}

# Sources and headers that may be longer, each with its reason.
LONG_FILES = {
    "core/json/scanner.hpp": "a template over its handler: the implementation stands in the header",
    "core/text/unicode_tables.cpp": "tables, written by toolchains/unicode/generate.py",
}

# What the core may include besides its own files: the standard library without input and output, clock, randomness,
# threads, locale and regular expressions, and the vector instructions of each target.
CORE_SYSTEM_INCLUDES = {
    "algorithm", "array", "bit", "cmath", "compare", "concepts", "cstddef", "cstdint", "cstdlib", "cstring",
    "functional", "initializer_list", "iterator", "limits", "map", "memory", "new", "numeric", "optional", "set",
    "span", "string", "string_view", "tuple", "type_traits", "unordered_map", "unordered_set", "utility", "variant",
    "vector", "deque", "charconv",
    "emmintrin.h", "tmmintrin.h", "smmintrin.h", "immintrin.h", "wasm_simd128.h", "arm_neon.h", "cpuid.h",
}

# Inside the room of pipelines a folder for each seed document, over what they share: what of the room each may include.
PIPELINE_FOLDERS = {
    "core/pipelines/" + seed: ["core/pipelines/" + name for name in (
        seed + "/", "boundary/", "pipelines.hpp", "preparation.hpp", "model_call.hpp", "call_monitor.hpp",
        "pipeline_contracts.hpp", "conversation.hpp", "tool_envelope.hpp", "work_call.hpp")]
    for seed in ("artifact", "boundary", "discovery", "research", "story")
}

# Folder of native -> the other folders of native that it may include: what is below it.
NATIVE_MAY_INCLUDE = {"base": [], "process": ["base"], "store": ["base"], "outcome": ["base"]}
NATIVE_MAY_INCLUDE["host"] = ["base", "store"]
NATIVE_MAY_INCLUDE["events"] = ["host", *NATIVE_MAY_INCLUDE["host"]]
NATIVE_MAY_INCLUDE["story"] = ["host", *NATIVE_MAY_INCLUDE["host"]]
NATIVE_MAY_INCLUDE["provider"] = ["host", *NATIVE_MAY_INCLUDE["host"]]
NATIVE_MAY_INCLUDE["command"] = ["process", "host", *NATIVE_MAY_INCLUDE["host"]]
NATIVE_MAY_INCLUDE["git"] = ["command", *NATIVE_MAY_INCLUDE["command"]]
NATIVE_MAY_INCLUDE["config"] = ["provider", "command", *NATIVE_MAY_INCLUDE["provider"]]
NATIVE_MAY_INCLUDE["workflow"] = ["config", "git", *NATIVE_MAY_INCLUDE["config"]]
NATIVE_MAY_INCLUDE["search"] = ["process", "provider", *NATIVE_MAY_INCLUDE["provider"]]
NATIVE_MAY_INCLUDE["control"] = ["outcome", "workflow", *NATIVE_MAY_INCLUDE["workflow"]]
NATIVE_MAY_INCLUDE["proxy"] = ["control", *NATIVE_MAY_INCLUDE["control"]]
NATIVE_MAY_INCLUDE["mcp"] = ["proxy", *NATIVE_MAY_INCLUDE["proxy"]]
NATIVE_MAY_INCLUDE["lsp"] = ["mcp", "base"]
NATIVE_MAY_INCLUDE["cli"] = ["events", "lsp", "mcp", "search", "outcome", "command", "git", "process", "story", "workflow", *NATIVE_MAY_INCLUDE["mcp"]]


def core_rooms():
    """The rooms as cmake/rooms.cmake declares them: name -> {links, files, headers}; `links` with what those link."""
    rooms = {}
    for call in re.findall(r"^plumb_library\(([^()]*)\)", read("cmake/rooms.cmake"), re.M):
        said = {}
        for word in re.sub(r"\$\{[^}]*\}", "", call).split():
            if word.isupper():
                said[word] = []
            else:
                said[list(said)[-1]].append(word)
        folder = said.get("FOLDER", ["core/" + said["NAME"][0]])[0]
        named = {f"{folder}/{file.removesuffix('.cpp')}" for file in said.get("FILES", [])}
        others = {f"{folder}/{file.removesuffix('.cpp')}" for file in said.get("EXCEPT", [])}
        inside = [name for name in files(folder + "/", ".hpp", ".cpp")]
        if folder == "core":   # what every part of the core may include
            inside = [name for name in inside if os.path.dirname(name) == folder]
        elif named:
            inside = [name for name in inside if os.path.splitext(name)[0] in named]
        rooms[said["NAME"][0]] = {
            "files": [name for name in inside if os.path.splitext(name)[0] not in others],
            "links": set(said.get("LINKS", [])),
            "headers": [f"{folder}/{name}" for name in said["HEADERS"]],
        }
    for room in rooms.values():   # each names only rooms above it in the file
        room["links"] |= {far for near in room["links"] for far in rooms[near]["links"]}
    return rooms


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
    """dependencies go down only: a room of the core includes what it links (cmake/rooms.cmake), and nothing else"""
    rooms = core_rooms()
    room_of = {name: room for room, what in rooms.items() for name in what["files"]}
    for name in files("core/", ".hpp", ".cpp"):
        if name not in room_of:
            yield f"{name}: in no room; add a plumb_library() to cmake/rooms.cmake"
            continue
        room = room_of[name]
        inside = PIPELINE_FOLDERS.get(os.path.dirname(name))
        for line, kind, what in includes(name):
            if kind == "<":
                continue
            if what not in room_of or room_of[what] not in {room} | rooms[room]["links"]:
                yield f"{name}:{line}: includes {what}, of a room that {room} does not link"
            elif inside and room_of[what] == room and not what.startswith(tuple(inside)):
                yield f"{name}:{line}: includes {what}"
    for name in files("wasm/", ".hpp", ".cpp"):
        for line, kind, what in includes(name):
            if kind == '"' and not what.startswith(("core/", "wasm/")):
                yield f"{name}:{line}: includes {what}"


def native_has_a_floor():
    """what is native includes the core and what is below it: nobody includes the command, and the floor includes nobody"""
    for name in files("native/", ".hpp", ".cpp"):
        folder = name.split("/")[1]
        if folder not in NATIVE_MAY_INCLUDE:
            yield f"{name}: NATIVE_MAY_INCLUDE in tests/house/house_test.py does not know this folder"
            continue
        allowed = ("core/", *(f"native/{below}/" for below in [folder, *NATIVE_MAY_INCLUDE[folder]]))
        for line, kind, what in includes(name):
            if kind == '"' and not what.startswith(allowed):
                yield f"{name}:{line}: includes {what}"


def promised_headers_are_there():
    """every header that cmake/rooms.cmake promises to other programs is a file of its room"""
    for name, room in core_rooms().items():
        for header in room["headers"]:
            if header not in room["files"]:
                yield f"cmake/rooms.cmake: {name}: there is no {header}"


# Room -> what says that a keyword has its row there: {name} as contracts write it, {kw} as the sources do.
KEYWORD_ROOMS = {
    "core/contract/explain.cpp": ('{{"{name}", K::',),
    "core/derive/": ('"{name}"',),
    "core/lint/": ('"{name}"', "Kw::{kw}"),
    "core/sample/keywords.cpp": ("{{Kw::{kw},",),
    "core/compare/keywords.cpp": ("Kw::{kw}",),
    "docs/keywords.md": ("| `{name}` |", "### {name}\n"),
    "tests/cases/": ('"{name}"',),
}
# (keyword, room) -> why it has no row there.
KEYWORDS_WITHOUT = {
    ("countOf", "core/lint/"): "what is counted stands in the artifact: no contract contradicts itself by it",
    ("sumOf", "core/lint/"): "what is added up stands in the artifact: no contract contradicts itself by it",
    ("distinct", "core/lint/"): "what has to differ stands in the artifact: no contract contradicts itself by it",
    ("acyclic", "core/lint/"): "what must have no circle stands in the artifact: no contract contradicts itself by it",
    ("pointers", "core/lint/"): "its schemas are looked at as all others, where they stand",
    ("allOf", "core/sample/keywords.cpp"): "all its schemas hold at once: a view (core/sample/view.cpp) joins them",
    ("propertyNames", "core/sample/keywords.cpp"): "a name is wished for as a text is: name_wish()",
    **{(name, "core/sample/keywords.cpp"): "its schemas are steps of the program (StepKind), by which they are made and broken"
       for name in ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "prefixItems", "items",
                    "additionalItems", "unevaluatedItems", "if", "dependentSchemas", "pointers")},
}


def words_are_kept():
    """the table of words in CONTRIBUTING.md names files that are there, and no name of its last column is an identifier"""
    rows = re.findall(r"^\| (.+?) \| .+? \| `(\S+)` \| (.*?)\|$", read("CONTRIBUTING.md").split("## Words", 1)[1].split("\n## ", 1)[0],
                      re.MULTILINE)
    if len(rows) < 40:
        yield f"CONTRIBUTING.md: the table of words has {len(rows)} rows that can be read, not 40"
    words = {}
    for word, path, instead in rows:
        if not os.path.exists(path):
            yield f"CONTRIBUTING.md: {word}: {path} is not there"
        # A name with a remark behind it is wrong for that thing alone, which no test can see.
        words.update({name: word for name in re.findall(r"`(\w+)`(?! (?:for|of) )", instead)})
    one = re.compile(r"\b(" + "|".join(words) + r")\b")
    for folder in ("core/", "native/", "wasm/"):
        for source in files(folder, ".cpp", ".hpp"):
            if one.search(read(source)):
                for name in sorted(set(one.findall(code_only(read(source))))):
                    yield f"{source}: `{name}` is called {words[name]} (CONTRIBUTING.md, Words)"


def keywords_have_their_rows():
    """every keyword of core/contract/keywords.cpp is compiled by its own file, and has its row in each room, or a reason"""
    rows = read("core/contract/keywords.cpp") + read("core/contract/keywords/text_list.cpp")
    listed = re.findall(r"\{Kw::(\w+),(?:\{\}|[^{}&])*&(\w+)\}", rows)
    if not listed:
        yield "core/contract/keywords.cpp: no row {Kw::name, ..., &name_keyword}"
    enum = re.search(r"enum class Kw [^{]*\{(.*?)\bcount_\b", code_only(read("core/contract/keywords.hpp")), re.DOTALL).group(1)
    names = dict(re.findall(r'\{Kw::(\w+),\s+"([^"]+)",\s+KwGroup::', rows))
    for kw in sorted(set(re.findall(r"\w+", enum)) ^ {"none", *names}):
        yield f"core/contract/keywords.cpp: the rows and the enumerators of Kw differ in {kw}"
    own = "".join(read(name) for name in files("core/contract/keywords/", ".cpp"))
    rooms = {room: "".join(read(name) for name in files(room, ".cpp", ".md", ".case")) for room in KEYWORD_ROOMS}
    for kw, constant in listed:
        name = names[kw]
        if f"const Keyword {constant} = {{" not in own:
            yield f"{name}: no file of core/contract/keywords defines {constant}"
        for room, forms in KEYWORD_ROOMS.items():
            there = any(form.format(name=name, kw=kw) in rooms[room] for form in forms)
            if not there and (name, room) not in KEYWORDS_WITHOUT:
                yield f"{name}: no row in {room}, and no reason in KEYWORDS_WITHOUT"
            if there and (name, room) in KEYWORDS_WITHOUT:
                yield f"{name}: has a row in {room}, so its reason in KEYWORDS_WITHOUT goes"


# A case of a switch, a comparison by the order of the enumerators, and their count, which ranges end at.
KEYWORDS_TOLD_APART = re.compile(r"\bcase (?:contract::)?Kw::|[<>]=? (?:contract::)?Kw::|\bKw::count_\b")


def keywords_are_not_told_apart_elsewhere():
    """no switch has a keyword as its case and no range goes over Kw: what a room knows of a keyword is in its table"""
    for folder in ("core/", "native/", "wasm/", "tests/"):
        for name in files(folder, ".cpp", ".hpp"):
            text = code_only(read(name))
            for match in KEYWORDS_TOLD_APART.finditer(text):
                if not (name.startswith("core/contract/keywords") and match.group(0).endswith("count_")):
                    yield f"{name}:{line_of(text, match.start())}: {match.group(0)}: facets_of(), or a row in the room's table"


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


def functions(text):
    """(line, lines, what is before the brace) of each function in C++ as clang-format leaves it."""
    code = re.sub(r"^[ \t]*#[^\n]*", lambda match: " " * len(match.group(0)), code_only(text), flags=re.M)
    open_braces = []   # (whether a function's, place, what is before it)
    start = 0
    for match in re.finditer(r"[{};]", code):
        place = match.start()
        if match.group(0) == "{":
            head = code[start:place].strip()
            inside = any(of_function for of_function, _, _ in open_braces)
            scope = re.search(r"\bnamespace\b[^()]*$", head) or re.match(
                r"(template\s*<[^{}]*>\s*)?(class|struct|union|enum|extern)\b[^()=]*$", head)
            called = re.search(r"\)\s*(const|noexcept|override|final|->\s*[\w:<>&*, ]+|\s)*$|\)\s*:\s*\w", head)
            of_function = bool(called) and not inside and not scope
            open_braces.append((of_function, place, head))
            start = place + 1 if of_function or scope else start
        elif match.group(0) == "}" and open_braces:
            of_function, begin, head = open_braces.pop()
            start = place + 1
            if of_function:
                yield line_of(code, begin), code.count("\n", begin, place) + 1, head
        else:
            start = place + 1


def functions_are_short():
    """a function of core, native and wasm has at most 100 lines"""
    unused = set(LONG_FUNCTIONS)
    for name in files("core/", ".hpp", ".cpp") + files("native/", ".hpp", ".cpp") + files("wasm/", ".hpp", ".cpp"):
        for line, lines, head in functions(read(name)):
            if lines <= FUNCTION_LINES_MAX:
                continue
            known = [one for one in LONG_FUNCTIONS if one[0] == name and re.search(rf"(?<!\w){re.escape(one[1])}\(", head)]
            unused.difference_update(known)
            if not known:
                yield f"{name}:{line}: {lines} lines"
    for name, function in sorted(unused):
        yield f"{name}: {function} is in LONG_FUNCTIONS and need not be"


def files_are_short():
    """a file of core, native and wasm has at most 600 lines"""
    for name in files("core/", ".hpp", ".cpp") + files("native/", ".hpp", ".cpp") + files("wasm/", ".hpp", ".cpp"):
        lines = read(name).count("\n")
        if lines > FILE_LINES_MAX and name not in LONG_FILES:
            yield f"{name}: {lines} lines"
        if lines <= FILE_LINES_MAX and name in LONG_FILES:
            yield f"{name}: is in LONG_FILES and need not be"


# What a source does not make for itself, and what there is instead.
SMALL_HELPERS = [
    (r"^[ ]*(?:static |inline |constexpr )*\w[\w:]* (?:is_digit|is_letter|is_alpha|is_alphanumeric|is_upper|is_lower|is_hex|hex_value|"
     r"to_lower_ascii)\((?:char|char32_t|unsigned char) \w+\)", "core/ascii.hpp"),
    (r"^[ ]*(?:static |inline )*std::string (?:lower|upper|lower_case)\((?:const )?std::string(?:_view)?&? \w+\) \{", "core/ascii.hpp"),
    (r"^[ ]*(?:static |inline )*bool (?:starts_with|begins_with|ends_with)\(std::string_view \w+, std::string_view \w+\) \{\s*return \w+\."
     r"(?:size|substr)\([^;]*==[^;]*;\s*\}", "starts_with() and ends_with() of std::string_view"),
    (r"\.substr\(0, (?:\d+|\w+\.size\(\))\) [!=]= \"", "starts_with() of std::string_view"),
    (r"^std::string counted\(std::(?:size_t|uint64_t) \w+, (?:std::string_view|const char\*) \w+(?:, [\w:*]+ \w+)?\) \{", "core/wording.hpp"),
]


def small_helpers_stand_once():
    """no source of core, native or wasm makes for itself what core/ascii.hpp, core/wording.hpp and the library have"""
    for name in files("core/", ".hpp", ".cpp") + files("native/", ".hpp", ".cpp") + files("wasm/", ".hpp", ".cpp"):
        if name.startswith(("core/ascii.", "core/wording.")):
            continue
        text = read(name)
        for pattern, instead in SMALL_HELPERS:
            for match in re.finditer(pattern, text, re.M):
                yield f"{name}:{line_of(text, match.start())}: there is {instead}"


def headers_begin_with_their_manual():
    """a header begins with a comment that is its manual, then #pragma once"""
    for name in files("core/", ".hpp") + files("native/", ".hpp"):
        text = read(name)
        if not text.startswith("//"):
            yield f"{name}: the first line is no comment"
        elif not re.match(r"(//[^\n]*\n)+#pragma once\n", text):
            yield f"{name}: no #pragma once after the comment"


def built(*targets):
    """What building these in the release build says, where it fails."""
    folder = "build/cmake/release"
    commands = [["cmake", "--preset", "release"]] if not os.path.exists(folder + "/build.ninja") else []
    commands.append(["cmake", "--build", folder, "--target", *targets])
    for command in commands:
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            yield (run.stdout + run.stderr)[-3000:]
            return


def headers_compile_alone():
    """every header of the core compiles alone, twice in one file"""
    yield from built("core_headers")


def rooms_link_alone():
    """every room of the core links with the rooms that it names and nothing else"""
    yield from built("core_rooms")


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


def the_error_of_token_estimates_is_told_once():
    """what estimates of tokens err by stands in docs/budget.md alone, is as promised there, and says what is not reached"""
    with open("docs/budget.md", encoding="utf-8") as file:
        text = file.read()
    rows = re.findall(r"^\| ([a-z0-9 ]+) \| \d+ \| ([\d.]+) % \| ([\d.]+) % \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \| (\d+) \|", text, re.M)
    if len(rows) < 20:
        yield f"docs/budget.md has {len(rows)} rows of what estimates err by"
    missed = set(re.findall(r"\*([a-z ]+)\*", text.split("Not reached:")[1].split("\n\n")[0]))
    with open("tests/bench/tokens/tokens_bench.mjs", encoding="utf-8") as file:
        allowed = set(re.findall(r"(\w+): \{ mean", file.read().split("const near =")[1].split(";")[0]))
    if missed != allowed:
        yield f"docs/budget.md does not reach {sorted(missed)}, tests/bench/tokens/tokens_bench.mjs allows {sorted(allowed)}"
    for name, *numbers in rows:
        means, p95s, unders = numbers[0::3], numbers[1::3], numbers[2::3]
        if any(int(n) > 0 for n in unders):
            yield f"docs/budget.md: {name}: a safe number is under the count"
        if (max(map(float, means)) > 5 or max(map(float, p95s)) > 12) != (name in missed):
            yield f"docs/budget.md: {name}: {numbers} and what is said not to be reached do not agree"
    for path in ["core/text/tokens.hpp", "docs/derived-targets.md"]:
        with open(path, encoding="utf-8") as file:
            told = file.read()
        if "docs/budget.md" not in told and "budget.md#tokens" not in told:
            yield f"{path} does not say where the error of estimates stands"
        if re.search(r"(?i)(likely|safe|estimate)[^.|\n]{0,200}\d %", told):
            yield f"{path} tells the error of estimates too"


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


def the_maps_name_what_is_there():
    """docs/architecture.md and CONTRIBUTING.md name files and folders that are there, and every room of the core"""
    for page in ["docs/architecture.md", "CONTRIBUTING.md"]:
        text = read(page)
        for name in sorted(set(re.findall(r"`((?:core|native|wasm|web|tests|cmake|docs)/[\w./-]+)`", text))):
            if "NAME" not in name and not os.path.exists(name):
                yield f"{page}: there is no {name}"
    named = set(re.findall(r"`((?:core|native)/\w+)`", read("CONTRIBUTING.md")))
    for folder in sorted({os.path.dirname(name) for name in files("core/", ".cpp") + files("native/", ".cpp")}):
        room = "/".join(folder.split("/")[:2])
        if room != "core" and room not in named:
            yield f"CONTRIBUTING.md: the map does not have {room}"


def every_command_is_told():
    """./dev help tells every command that ./dev knows, and ./dev leaves the work to toolchains/dev"""
    text = read("dev")
    told = subprocess.run(["./dev", "help"], capture_output=True, text=True).stdout
    for command in re.findall(r"^command_(\w+)\(\)", text, re.M):
        if not re.search(rf"^  {command}\b", told, re.M):
            yield f"dev: {command} is not in the help"
    if subprocess.run(["./dev", "nosuch", "--help"], capture_output=True, text=True).stdout != told:
        yield "dev: a command with --help does not print the help"
    if text.count("\n") > 200:
        yield "dev: more than 200 lines; what a command does is a script in toolchains/dev"


def every_suite_is_in_the_table():
    """a suite is a row of toolchains/dev/suites and a function of suite.sh, and what it needs is a step of a build"""
    rows = [row.split() for row in read("toolchains/dev/suites").split("\n") if row and not row.startswith("#")]
    suites = re.findall(r"^suite_([\w-]+)\(\)", read("toolchains/dev/suite.sh"), re.M)
    steps = set(re.findall(r"^build_([\w-]+)\(\)", read("toolchains/dev/steps.sh"), re.M)) | {"-"}
    for name in sorted({row[0] for row in rows} ^ set(suites)):
        yield f"toolchains/dev: {name} is in one of suites and suite.sh and not in the other"
    for row in rows:
        if len(row) != 4 or not row[1].isdigit() or not set(row[2].split(",")) <= steps:
            yield f"toolchains/dev/suites: {row}: a name, seconds, steps of steps.sh, and labels"


def every_file_is_formatted():
    """sources and headers are as clang-format leaves them (./dev fmt --all)"""
    sources = [name for name in FILES if name.endswith((".cpp", ".hpp"))]
    try:
        done = subprocess.run(["xargs", "-0", "-P2", "-n100", "clang-format", "--dry-run", "-Werror"], check=False,
                              input="\0".join(sources).encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except FileNotFoundError:
        yield "xargs is not installed"
        return
    said = done.stderr.decode(errors="replace")
    wrong = re.findall(r"^(\S+:\d+):\d+: error: code should be clang-formatted", said, re.M)
    yield from sorted(set(wrong))
    if done.returncode != 0 and not wrong:
        yield said.strip()[:500] or f"clang-format ended with {done.returncode}; is it installed?"


# Names of what people read, and how a text is looked into.
MESSAGES = r"(?:message|error|problem|failed|failure|words|detail|description|warning|unread|cause|reason|why)"
OF_IT = r"(?:\(\)|(?:\.|->)(?:value|str|error|text|message)\(\)|_|\)|\?)*"
TEXT_DECIDES = [
    # error.starts_with("window_exceeded"), why.find(" has decided already: "); error.find("member") is of a JSON object
    rf"\b{MESSAGES}{OF_IT}\.(?:starts_with|ends_with|compare)\(",
    rf"\b{MESSAGES}{OF_IT}\.(?:find|rfind|contains)\((?!\s*(?:\"\w+\"|'[^']*'|name|key|std::move)\s*\))",
    rf"\b{MESSAGES}{OF_IT}\.r?find\(\s*\"\w+\"\s*\)\s*[!=]=\s*(?:std::string(?:_view)?::npos|0)",
    # message == "the disk is full"; reason == "length" is a code
    rf"\b{MESSAGES}{OF_IT}\s*[=!]==?\s*\"[^\"]*[^\"\w][^\"]*\"",
    rf"\b(?:message|error|problem|failed){OF_IT}\s*[=!]==?\s*\"\w+\"",
    # error.message.includes("..."), /.../.test(error.message)
    rf"\b{MESSAGES}{OF_IT}\.(?:startsWith|endsWith|includes|indexOf|match|matchAll|search)\(",
    rf"/\w*\.(?:test|exec)\([^()]*\b{MESSAGES}\)",
]
# Who may look into a text, and why.
READERS_OF_TEXTS = {
    "core/derive/requirement_text.cpp": "shortens a sentence of the contract for people and prompts",
    "core/pipelines/artifact/view.cpp": "puts lists within a message on lines of their own",
    "core/pipelines/research/intake.cpp": "reads what a person asks",
    "core/run/boundary_laws.cpp": "holds a warning to the words that it must have",
    "core/wire/failure.cpp": "gives what providers only say in words a reason",
    "native/proxy/call.cpp": "`error` is a code",
    "native/search/readings.cpp": "`words` is a set",
    "native/search/searxng.cpp": "gives what SearXNG only says in words a flag",
    "native/store/nats/client.cpp": "words what OpenSSL says for people",
    "native/store/nats/servers.cpp": "gives what the servers only say in words a reason",
}


def texts_that_decide(text):
    for pattern in TEXT_DECIDES:
        for match in re.finditer(pattern, text):
            line = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
            if not re.match(r"\s*(?://|\*)", line) and not re.search(r"typeof\s+[\w.?]*$", line):
                yield line_of(text, match.start())


def no_text_of_a_message_decides():
    """no source looks into the text of a message to decide something: that has a code or a reason (core/reason.hpp)"""
    for name in files("core/", ".hpp", ".cpp") + files("native/", ".hpp", ".cpp") + files("wasm/", ".hpp", ".cpp", ".ts") + files("web/src/", ".ts", ".tsx"):
        lines = sorted(set(texts_that_decide(read(name))))
        if name in READERS_OF_TEXTS and not lines:
            yield f"{name} looks into no text, and is in READERS_OF_TEXTS"
        elif name not in READERS_OF_TEXTS:
            yield from (f"{name}:{line}: looks into a message; a reason or a code decides" for line in lines)


def the_log_is_behind_one_header():
    """only native/base/log.cpp includes spdlog: its headers would be most of what a file compiles"""
    for name in files("native/", ".hpp", ".cpp") + files("tests/", ".hpp", ".cpp"):
        if name != "native/base/log.cpp" and re.search(r"^\s*#include <(?:spdlog|fmt)/", read(name), re.M):
            yield f"{name} includes spdlog; native/base/log.hpp and concat.hpp have what is needed"


FOREIGN_PACKAGE = re.compile(
    r"""npm (?:install|i|add|exec)\b[^\n`]*[ "']plumbline(?![\w/.-])|npx (?:-\S+ )*plumbline\b"""
    r"""|(?:from|import|require\(|import\()\s*["']plumbline["'/]|node_modules/(?:plumbline)\b|"plumbline": ?"(?!(?:\./)?dist/)""")


def nothing_installs_a_foreign_package():
    """our npm package is @plumbline/plumbline; `plumbline` without the scope is somebody else's, and nothing installs or imports it"""
    for name in FILES:
        # Documentation for people has a test of its own: each of its commands is run.
        if name == "README.md" or name.startswith("docs/") and name.endswith(".md"):
            continue
        try:
            text = read(name)
        except UnicodeDecodeError:
            continue
        for found in FOREIGN_PACKAGE.finditer(text):
            yield f"{name}:{line_of(text, found.start())}: {found.group()}"


TESTS = [
    docs_style.docs_have_short_sentences,
    docs_style.docs_have_no_dead_links,
    http_page.the_page_of_routes_is_what_the_server_describes,
    every_file_is_formatted,
    core_includes_nothing_that_reaches_out,
    core_depends_on_its_input_alone,
    dependencies_go_down_only,
    native_has_a_floor,
    no_iteration_over_unordered_containers,
    headers_are_short,
    functions_are_short,
    files_are_short,
    small_helpers_stand_once,
    words_are_kept,
    keywords_have_their_rows,
    keywords_are_not_told_apart_elsewhere,
    headers_begin_with_their_manual,
    promised_headers_are_there,
    rooms_link_alone,
    names_explain_themselves,
    lines_are_at_most_120_columns,
    nothing_names_a_machine_or_a_registry,
    the_error_of_token_estimates_is_told_once,
    the_maps_name_what_is_there,
    every_command_is_told,
    every_suite_is_in_the_table,
    no_text_of_a_message_decides,
    the_log_is_behind_one_header,
    nothing_installs_a_foreign_package,
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
    for sample in ("    case contract::Kw::items:", "kw >= Kw::type", "i < static_cast<std::size_t>(Kw::count_)"):
        if not KEYWORDS_TOLD_APART.search(sample):
            yield f"KEYWORDS_TOLD_APART does not find {sample}"
    helpers = ["bool is_digit(char c) { return true; }", "std::string lower(std::string_view text) {", 'if (a.substr(0, 2) == "./") {',
               "std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {",
               "bool ends_with(std::string_view text, std::string_view end) {\n  return text.size() >= end.size() && "
               "text.substr(text.size() - end.size()) == end;\n}"]
    for helper in helpers:
        if not any(re.search(pattern, helper, re.M) for pattern, _ in SMALL_HELPERS):
            yield f"no pattern of SMALL_HELPERS finds {helper}"
    long_function = "struct A {\n  template <class B>\n  bool f(B b) const {\n" + "    if (b) {\n    }\n" * 50 + "  }\n};\n"
    if [(line, lines) for line, lines, _ in functions(long_function + "int g() { return 1; }\n")] != [(3, 102), (106, 1)]:
        yield "the lines of functions are not counted"
    prose = "One two.\n- " + "word " * 36 + "end. See [this](x.md).\n\n```sh\n" + "word " * 50 + "\n```\n| " + "word " * 50 + "|\n"
    if [words for _, words, _ in docs_style.sentences(prose)] != [2, 37, 2]:
        yield "the words of sentences are not counted"
    if list(docs_style.anchors("# A `b`: c\n\n## A b c\n")) != ["a-b-c", "a-b-c-1"]:
        yield "headings are not read as anchors"
    for sample in ['if (lock.error().message.rfind("is in use by", 0) == 0) {', 'error->str().starts_with("Validation failed after ");',
                   'reply.error.find("UTF-8") != std::string::npos;', 'ended_by(error, error == "cancelled");', 'if (problem.starts_with("the transfer")) {',
                   'warnings.some(({ at, message }) => message.startsWith(all))', 'why.find(" has decided already: ") != npos', 'if (/taken/.test(error.message)) {']:
        if not list(texts_that_decide(sample)):
            yield f"no pattern of TEXT_DECIDES finds {sample}"
    for sample in ['const json::Value* said = error.find("message");', 'if (reason == "content_filter") {', '  // message == "a b"', 'typeof message === "string"']:
        if list(texts_that_decide(sample)):
            yield f"a pattern of TEXT_DECIDES finds {sample}"
    # A generator of this file without parameters is a test; one that nobody calls holds nothing.
    for name, test in globals().items():
        if inspect.isgeneratorfunction(test) and not inspect.signature(test).parameters and test not in [*TESTS, headers_compile_alone, the_tests_can_fail]:
            yield f"{name} is not in TESTS"
    for line in ("npm install {}", "npx {} check", 'import {{ load }} from "{}"', "require('{}/react')", '"{}": "^1.0.0"'):
        if not FOREIGN_PACKAGE.search(line.format("plumbline")) or FOREIGN_PACKAGE.search(line.format("@plumbline/plumbline")):
            yield f"the foreign package is not told from ours: {line}"
    if re.search(r"time", code_only('// time(\nconst char* a = "time(";')):
        yield "comments and strings are read as code"


def main():
    passed = failed = 0
    for test in [headers_compile_alone] if "--headers" in sys.argv[1:] else TESTS + [the_tests_can_fail]:
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
