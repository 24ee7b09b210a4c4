#!/usr/bin/env python3
"""The command `plumb`, driven as a user drives it: every flag, every exit code, every bad input.

    PLUMB_BIN=build/bin/plumb tests/native/cli_test.py [WORD...]     only tests whose sentence has all words

The binary is $PLUMB_BIN, else build/bin/plumb of this checkout. The last line is
`suite cli: N passed, M failed, K skipped`.
"""
import errno
import gzip
import http.client
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
SEED = os.path.join(ROOT, "tests", "cases", "seed")
# Sanitizers need address space of their own and are slower; limits are not measured under them.
SANITIZED = os.path.exists(PLUMB) and re.search(rb"__[at]san_init", open(PLUMB, "rb").read()) is not None

TESTS = []


class Skip(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out[:3000]}\n--- stderr\n{self.err[:3000]}"


def environment(extra=None):
    # Whoever runs these tests owns the machine, and has no terminal to say `trust --yes` at.
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": "/nonexistent", "PLUMB_TRUST_YES": "1"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    env.update(extra or {})
    return env


def plumb(*arguments, stdin=b"", cwd=None, env=None, timeout=120, user=None, limit_bytes=None, text=True):
    """Runs plumb to its end."""
    if isinstance(stdin, str):
        stdin = stdin.encode()

    def limited():
        if limit_bytes and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))

    options = {"user": user} if user is not None else {}
    done = subprocess.run(
        [PLUMB, *arguments],
        input=stdin,
        cwd=cwd,
        env=environment(env),
        timeout=timeout,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=limited,
        **options,
    )
    if text:
        return Result(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
    return Result(done.returncode, done.stdout, done.stderr)


def equal(got, wanted):
    if got != wanted:
        first, second = repr(got), repr(wanted)
        differ = next((n for n, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
        at = max(0, differ - 2000)  # of a long one the part where they begin to differ
        shown = "from character %d of %d and %d, which differ from %d on:\n" % (at, len(first), len(second), differ) if at else ""
        raise AssertionError(f"{shown}got    {first[at:at + 4000]}\nwanted {second[at:at + 4000]}")


def has(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in:\n{text[:4000]}"


def lacks(text, *parts):
    for part in parts:
        assert part not in text, f"{part!r} is in:\n{text[:4000]}"


def code(result, wanted):
    assert result.code == wanted, f"exit code {wanted} wanted\n{result!r}"
    lacks(result.err, "this is a bug in plumb", "nothing handles")


class Folder:
    """A directory of its own for a test, also the working directory of its runs."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="plumb-cli-")
        os.chmod(self.path, 0o755)
        return self

    def __exit__(self, *_):
        subprocess.run(["chmod", "-R", "u+rwX", self.path], check=False)
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name, content):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def at(self, name):
        return os.path.join(self.path, name)

    def read(self, name, newline=None):
        with open(self.at(name), encoding="utf-8", newline=newline) as file:
            return file.read()

    def plumb(self, *arguments, **options):
        return plumb(*arguments, cwd=self.path, **options)


GOOD_QUIZ = {
    "questions": [
        {"question": "Where?", "options": ["a", "b", "c", "d"], "correct_answer": "a", "explanation": "Because."}
    ]
}
BAD_QUIZ = {
    "questions": [{"question": "Where?", "options": ["a", "b", "c"], "correct_answer": "a", "explanation": "Because."}]
}
SEED_MESSAGES = [
    "Question 1: Must have at least 4 options (has 3)",
    "Question 2: Options must be unique (found duplicates)",
    "Question 2: correct_answer 'Chloroplasts' must be one of the options",
]


def verdicts(out):
    return [json.loads(line) for line in out.splitlines()]


def place(name, contract=None):
    return os.path.join(SEED, name)


# ------------------------------------------------------------------------------------------------ the seed


@test
def the_seeds_faulty_quiz_gives_its_three_messages_in_order():
    result = plumb("check", "--contract", "quiz", place("quiz_faulty.json"))
    code(result, 1)
    positions = [result.out.find(message) for message in SEED_MESSAGES]
    assert all(position >= 0 for position in positions), result
    equal(positions, sorted(positions))
    has(result.out, "quiz_faulty.json:5:18")


@test
def the_seeds_flashcards_give_the_true_length_and_the_duplicate():
    result = plumb("check", "-c", "flashcards", place("flashcards_faulty.json"), "-f", "jsonl")
    code(result, 1)
    messages = [finding["message"] for finding in verdicts(result.out)[0]["findings"]]
    equal(messages, ["Flashcard 1: Back too long (354 chars, max 300)", "Duplicate term found: 'ATP'"])


@test
def a_mindmap_with_a_cycle_is_told_so():
    result = plumb("check", "-c", "mindmap", place("mindmap_cycle.json"))
    code(result, 1)
    has(result.out, "appears in its own ancestry")


@test
def the_seeds_repaired_quiz_is_accepted():
    result = plumb("check", "-c", "quiz", place("quiz_repaired.json"), "-f", "jsonl")
    code(result, 0)
    equal(verdicts(result.out)[0]["valid"], True)


# ------------------------------------------------------------------------------------------------ contracts


@test
def a_contract_is_found_by_name_before_a_file_of_the_same_name():
    with Folder() as f:
        f.write("quiz", {"$id": "plumb:mine", "type": "string"})
        f.write("a.json", GOOD_QUIZ)
        code(f.plumb("check", "-c", "quiz", "a.json"), 0)
        result = f.plumb("check", "-c", "./quiz", "a.json", "-f", "jsonl")
        code(result, 1)
        equal(verdicts(result.out)[0]["contract"], "mine")


@test
def a_contract_file_without_id_is_called_by_its_file_name():
    with Folder() as f:
        f.write("contracts/card.json", {"type": "string"})
        f.write("a.json", "1")
        equal(
            verdicts(f.plumb("check", "-c", "contracts/card.json", "a.json", "-f", "jsonl").out)[0]["contract"], "card"
        )


@test
def an_unknown_contract_is_a_usage_error_with_a_near_miss():
    result = plumb("check", "-c", "quizz", "-", stdin="{}")
    code(result, 2)
    has(result.err, "did you mean 'quiz'?", "flashcards")
    equal(result.out, "")


@test
def a_contract_that_is_none_is_refused_with_file_line_and_column():
    with Folder() as f:
        f.write("c.json", '{\n  "type": "strin"\n}')
        result = f.plumb("check", "-c", "c.json", "-", stdin="{}")
        code(result, 2)
        has(result.err, "c.json:2:")
        f.write("c.json", '{\n  "type": \n}')
        result = f.plumb("check", "-c", "c.json", "-", stdin="{}")
        code(result, 2)
        has(result.err, "c.json:3:")


@test
def a_directory_as_contract_or_context_is_refused():
    with Folder() as f:
        os.mkdir(os.path.join(f.path, "d"))
        code(f.plumb("check", "-c", "d", "-", stdin="{}"), 2)
        result = f.plumb("check", "-c", "quiz", "--context", "d", "-", stdin="{}")
        code(result, 2)
        has(result.err, "is a directory")


@test
def an_unknown_keyword_near_one_of_ours_is_a_warning_with_did_you_mean():
    with Folder() as f:
        f.write("c.json", '{"$id": "plumb:c",\n "minItem": 3}')
        result = f.plumb("check", "-c", "c.json", "-", stdin="[]")
        code(result, 0)
        has(result.err, "c.json:2:", "warning", "minItem", "minItems")
        equal(f.plumb("check", "-q", "-c", "c.json", "-", stdin="[]").err, "")


@test
def a_typo_in_a_rule_turns_no_gate_off():
    with Folder() as f:
        f.write("c.json", '{"rules": [{"id": "gate", "check": {"minItems": 1}, "blocsk": true}]}')
        for words in (("check", "-c", "c.json", "-"), ("contracts", "check", "c.json")):
            result = f.plumb(*words, stdin="[]")
            assert result.code != 0, result.code
            has(result.out + result.err, "c.json:1:", "blocsk", "known are id title check ask")


@test
def an_artifact_given_as_the_contract_is_told():
    with Folder() as f:
        f.write("quiz.json", {"questions": [{"question": "Why?"}]})
        f.write("schema.json", {"type": "object", "required": ["questions"]})
        result = f.plumb("check", "-c", "quiz.json", "schema.json")
        code(result, 2)
        has(result.err, "quiz.json", "'questions'", "is it the artifact?", "PATH the artifacts")
        code(f.plumb("check", "-c", "schema.json", "quiz.json"), 0)
        f.write("any.json", {"title": "Anything"})
        code(f.plumb("check", "-c", "any.json", "quiz.json"), 0)


@test
def a_report_as_json_carries_the_warnings_of_contracts():
    with Folder() as f:
        f.write("c.json", '{"type": "array",\n "minItem": 3}')
        report = json.loads(f.plumb("check", "-q", "-c", "c.json", "-", "--format", "json", stdin="[]").out)
        equal(list(report), ["verdicts", "warnings", "summary"])
        equal([(w["contract"], w["file"], w["at"], w["line"]) for w in report["warnings"]], [("c", "c.json", "/minItem", 2)])
        has(report["warnings"][0]["message"], "did you mean 'minItems'")
        f.write("d.json", '{"type": "array"}')
        lacks(f.plumb("check", "-c", "d.json", "-", "--format", "json", stdin="[]").out, '"warnings":[')


@test
def the_dialect_of_a_contract_without_schema_is_an_option():
    with Folder() as f:
        f.write("c.json", {"items": [{"type": "string"}], "additionalItems": False})
        result = f.plumb("check", "-c", "c.json", "--dialect", "draft-07", "-", stdin='["a", 1]')
        code(result, 1)
        code(f.plumb("check", "-c", "c.json", "--dialect", "draft-07", "-", stdin='["a"]'), 0)
        code(f.plumb("check", "-c", "c.json", "--dialect", "2019-09", "-", stdin='["a", 1]'), 1)
        code(f.plumb("check", "-c", "c.json", "-", stdin='["a"]'), 2)
        code(f.plumb("check", "-c", "c.json", "--dialect", "draft-08", "-", stdin='["a"]'), 2)


@test
def formats_break_only_when_they_are_asserted():
    with Folder() as f:
        f.write("c.json", {"format": "date"})
        code(f.plumb("check", "-c", "c.json", "-", stdin='"yesterday"'), 0)
        result = f.plumb("check", "-c", "c.json", "--assert-formats", "-", stdin='"yesterday"')
        code(result, 1)
        has(result.out, "format")


@test
def documents_for_references_are_given_by_schema():
    with Folder() as f:
        f.write("c.json", {"$ref": "https://example.org/word"})
        f.write("word.json", {"type": "string"})
        result = f.plumb("check", "-c", "c.json", "-", stdin="1")
        code(result, 2)
        has(result.err, "https://example.org/word")
        code(f.plumb("check", "-c", "c.json", "--schema", "https://example.org/word=word.json", "-", stdin='"a"'), 0)
        code(f.plumb("check", "-c", "c.json", "--schema", "https://example.org/word=word.json", "-", stdin="1"), 1)
        for bad in ("https://example.org/word", "=word.json", "https://example.org/word="):
            result = f.plumb("check", "-c", "c.json", "--schema", bad, "-", stdin="1")
            code(result, 2)
            has(result.err, "URI=FILE")
        code(f.plumb("check", "-c", "c.json", "--schema", "https://example.org/word=none.json", "-", stdin="1"), 2)


@test
def context_is_read_and_what_is_missing_is_undecided():
    with Folder() as f:
        f.write("c.json", {"properties": {"id": {"memberOf": {"in": "context:/ids/*"}}}})
        f.write("context.json", {"ids": ["a", "b"]})
        f.write("broken.json", '{"ids": ')
        f.write("empty.json", "")
        code(f.plumb("check", "-c", "c.json", "--context", "context.json", "-", stdin='{"id": "a"}'), 0)
        code(f.plumb("check", "-c", "c.json", "--context", "context.json", "-", stdin='{"id": "c"}'), 1)
        result = f.plumb("check", "-c", "c.json", "-", stdin='{"id": "a"}')
        code(result, 2)
        has(result.out, "context:/ids")
        result = f.plumb("check", "-c", "c.json", "--context", "broken.json", "-", stdin='{"id": "a"}')
        code(result, 2)
        has(result.err, "broken.json:1:")
        code(f.plumb("check", "-c", "c.json", "--context", "empty.json", "-", stdin='{"id": "a"}'), 2)
        code(f.plumb("check", "-c", "c.json", "--context", "none.json", "-", stdin='{"id": "a"}'), 2)


# ------------------------------------------------------------------------------------------------ inputs


@test
def a_directory_is_searched_for_json_and_json_lines_without_hidden_ones():
    with Folder() as f:
        for name in ("d/a.json", "d/sub/b.JSON", "d/.hidden/c.json", "d/node_modules/x/d.json", "d/e.txt", "d/.f.json"):
            f.write(name, GOOD_QUIZ)
        f.write("d/g.jsonl", json.dumps(GOOD_QUIZ) + "\n" + json.dumps(BAD_QUIZ))
        f.write("d/h.ndjson", json.dumps(GOOD_QUIZ) + "\n")
        result = f.plumb("check", "-c", "quiz", "d", "-f", "jsonl")
        code(result, 1)
        equal(
            [v["file"] for v in verdicts(result.out)],
            ["d/.f.json", "d/a.json", "d/g.jsonl:1", "d/g.jsonl:2", "d/h.ndjson:1", "d/sub/b.JSON"],
        )


@test
def quoted_globs_are_matched_by_plumb():
    with Folder() as f:
        names = ["a1.json", "a2.json", "b1.json", "x/a3.json", "x/y/a4.json", "x/y/a5.txt", ".h/a6.json", "x/[z].json"]
        for name in names:
            f.write(name, GOOD_QUIZ)

        def found(*patterns):
            result = f.plumb("check", "-c", "quiz", "-f", "jsonl", *patterns)
            code(result, 0)
            return [v["file"] for v in verdicts(result.out)]

        equal(found("a*.json"), ["a1.json", "a2.json"])
        equal(found("a?.json"), ["a1.json", "a2.json"])
        equal(found("[ab]1.json"), ["a1.json", "b1.json"])
        equal(found("[!a]*.json"), ["b1.json"])
        equal(found("**/a*.json"), ["a1.json", "a2.json", "x/a3.json", "x/y/a4.json"])
        equal(found("x/**"), ["x/[z].json", "x/a3.json", "x/y/a4.json", "x/y/a5.txt"])
        equal(found("x/**/a*.json"), ["x/a3.json", "x/y/a4.json"])
        equal(found("{a1,b1,x/a3}.json"), ["a1.json", "b1.json", "x/a3.json"])
        equal(found("x/{y/a4,a{3,9}}.json"), ["x/a3.json", "x/y/a4.json"])
        equal(found(".h/*.json"), [".h/a6.json"])
        equal(found("./a1.json", "a*.json", "a1.json"), ["a1.json", "a2.json"])
        equal(found("x/[z].json"), ["x/[z].json"])
        equal(
            found(os.path.join(f.path, "a*.json")), [os.path.join(f.path, "a1.json"), os.path.join(f.path, "a2.json")]
        )


@test
def bad_globs_and_globs_without_files_are_told():
    with Folder() as f:
        f.write("a.json", GOOD_QUIZ)
        for pattern, message in (
            ("z*.json", "no file matches this glob"),
            ("{a,b.json", "'{' without '}'"),
            ("a**b", "'**' beside other characters"),
            ("{a,b}" * 10, "256 alternatives"),
        ):
            result = f.plumb("check", "-c", "quiz", "a.json", pattern)
            code(result, 2)
            has(result.err, message)
            has(result.out, "a.json")


@test
def standard_input_is_a_dash():
    result = plumb("check", "-c", "quiz", "-", "-f", "jsonl", stdin=json.dumps(BAD_QUIZ))
    code(result, 1)
    equal(verdicts(result.out)[0]["file"], "-")
    has(plumb("check", "-c", "quiz", "-", stdin=json.dumps(BAD_QUIZ)).out, "stdin:1:")


@test
def json_lines_are_named_by_line_and_blank_lines_are_no_artifacts():
    with Folder() as f:
        f.write("a.jsonl", '1\r\n\n  \t\n"x"\n{\n2')
        f.write("c.json", {"type": "number"})
        result = f.plumb("check", "-c", "c.json", "a.jsonl", "-f", "jsonl")
        code(result, 1)
        got = [(v["file"], [x["rule"] for x in v["findings"]]) for v in verdicts(result.out)]
        equal([file for file, _ in got], ["a.jsonl:1", "a.jsonl:4", "a.jsonl:5", "a.jsonl:6"])
        equal([rules for _, rules in got if "syntax" not in rules], [[], ["type"], []])
        text = f.plumb("check", "-c", "c.json", "a.jsonl").out
        has(text, "a.jsonl:4:1", "2 of 4 artifacts invalid")


@test
def lines_makes_json_lines_of_any_input():
    result = plumb(
        "check",
        "-c",
        "quiz",
        "--lines",
        "-",
        "-f",
        "jsonl",
        stdin=json.dumps(GOOD_QUIZ) + "\n" + json.dumps(BAD_QUIZ) + "\n",
    )
    code(result, 1)
    equal([(v["file"], v["valid"]) for v in verdicts(result.out)], [("-:1", True), ("-:2", False)])


@test
def json_lines_from_a_pipe_are_judged_as_they_come():
    process = subprocess.Popen(
        [PLUMB, "check", "-c", "quiz", "--lines", "-", "-f", "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )
    try:
        for i in range(3):
            process.stdin.write(json.dumps(GOOD_QUIZ).encode() + b"\n")
            process.stdin.flush()
            assert select.select([process.stdout], [], [], 20)[0], "no verdict before the pipe ends"
            has(os.read(process.stdout.fileno(), 65536).decode(), f'"file":"-:{i + 1}"')
        process.stdin.close()
        equal(process.wait(20), 0)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


@test
def a_line_that_is_too_long_to_hold_is_judged_in_pieces():
    with Folder() as f:
        f.write("c.json", {"type": "array", "maxItems": 2})
        long = "[" + ",".join(['"' + "x" * 1000 + '"'] * 12000) + "]"
        f.write("a.jsonl", "[1]\n" + long + "\n[1,2,3]\n" + " " * 6_000_000 + "\n" + long)
        for jobs in ("1", "3"):
            result = f.plumb("check", "-c", "c.json", "a.jsonl", "-f", "jsonl", "-j", jobs)
            code(result, 1)
            equal(
                [(v["file"], v["valid"]) for v in verdicts(result.out)],
                [("a.jsonl:1", True), ("a.jsonl:2", False), ("a.jsonl:3", False), ("a.jsonl:5", False)],
            )


def fed(arguments, head, block, count, tail, limit_bytes, cwd=None):
    """Runs plumb with more on standard input than it has address space for."""
    if SANITIZED:
        raise Skip("address space cannot be limited under a sanitizer")
    assert len(block) * count > limit_bytes * 1.2

    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))

    process = subprocess.Popen(
        [PLUMB, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=limited,
        cwd=cwd,
    )
    try:
        process.stdin.write(head)
        for _ in range(count):
            process.stdin.write(block)
        process.stdin.write(tail)
    except BrokenPipeError:
        pass
    out, err = process.communicate(timeout=120)
    return Result(process.returncode, out.decode(), err.decode())


@test
def json_lines_of_any_size_take_little_memory():
    line = (json.dumps({"questions": GOOD_QUIZ["questions"] * 200}) + "\n").encode()
    block = line * (8_000_000 // len(line))
    result = fed(["check", "-c", "quiz", "--lines", "-", "-j", "2"], b"", block, 40, b"", 250 << 20)
    code(result, 0)
    equal(result.out.split()[1], str(40 * (8_000_000 // len(line))))


@test
def an_artifact_of_any_size_takes_little_memory():
    with Folder() as f:
        f.write("c.json", {"items": {"type": "string", "maxLength": 100}})
        block = b',"something to read here"' * 300_000
        result = fed(["check", "-c", "c.json", "-"], b'["a"', block, 45, b"]", 250 << 20, cwd=f.path)
        code(result, 0)
        result = fed(["check", "-c", "c.json", "-"], b'["a"', block, 45, b",1]", 250 << 20, cwd=f.path)
        code(result, 1)


@test
def output_is_sorted_by_path_and_the_same_for_any_number_of_jobs():
    with Folder() as f:
        for i in range(120):
            f.write(f"d/{i % 7}/q{i}.json", GOOD_QUIZ if i % 3 else BAD_QUIZ)
        f.write("d/3/l.jsonl", "\n".join(json.dumps(GOOD_QUIZ if i % 2 else BAD_QUIZ) for i in range(5000)))
        for format in ("text", "jsonl", "sarif"):
            outs = {jobs: f.plumb("check", "-c", "quiz", "d", "-f", format, "--jobs", jobs) for jobs in ("1", "2", "7")}
            for result in outs.values():
                code(result, 1)
                equal(result.out == outs["1"].out, True)
            if format == "jsonl":
                files = [v["file"].split(":")[0] for v in verdicts(outs["1"].out)]
                equal(files, sorted(files))


@test
def many_clean_files_are_counted_and_few_are_listed():
    with Folder() as f:
        for i in range(30):
            f.write(f"d/{i}.json", GOOD_QUIZ)
        result = f.plumb("check", "-c", "quiz", "d")
        code(result, 0)
        equal(len(result.out.splitlines()), 1)
        has(result.out, "30 artifacts valid")
        has(f.plumb("check", "-c", "quiz", "d/1.json", "d/2.json").out, "d/1.json", "d/2.json", "2 artifacts valid")


# ------------------------------------------------------------------------------------------------ bad inputs


@test
def what_cannot_be_read_is_told_and_the_rest_goes_on():
    with Folder() as f:
        f.write("good.json", GOOD_QUIZ)
        os.symlink("nowhere", os.path.join(f.path, "broken.json"))
        os.symlink("loop.json", os.path.join(f.path, "loop.json"))
        os.mkdir(os.path.join(f.path, "empty"))
        result = f.plumb(
            "check", "-c", "quiz", "broken.json", "good.json", "loop.json", "missing.json", "empty", "good.json/x"
        )
        code(result, 2)
        has(
            result.err,
            "broken.json: cannot be read: a symbolic link to something that is not there",
            "loop.json: cannot be read: a symbolic link that leads to itself",
            "missing.json: cannot be read: no such file",
            "empty: no *.json, *.jsonl or *.ndjson in this directory",
            "good.json/x",
        )
        has(result.out, "good.json")
        # Found in a directory, a broken link is as much of a problem.
        result = f.plumb("check", "-c", "quiz", ".", "-f", "jsonl")
        code(result, 2)
        by_file = {v["file"]: v for v in verdicts(result.out)}
        equal(by_file["good.json"]["valid"], True)
        equal(by_file["broken.json"]["decision"], "undecided")
        has(by_file["broken.json"]["undecided"][0]["reason"], "symbolic link")


def restricted_user():
    """Whom to run the command as so that permissions count: root, for whom they do not, becomes nobody."""
    if os.geteuid() != 0:
        return None
    try:
        if plumb("version", user=65534).code == 0:
            return 65534
    except OSError:
        pass
    raise Skip("the tests run as root, and nobody else may run the command where it is")


@test
def files_and_directories_without_permission_are_told():
    user = restricted_user()
    with Folder() as f:
        f.write("d/good.json", GOOD_QUIZ)
        f.write("d/secret.json", GOOD_QUIZ)
        f.write("d/closed/x.json", GOOD_QUIZ)
        os.chmod(os.path.join(f.path, "d/secret.json"), 0)
        os.chmod(os.path.join(f.path, "d/closed"), 0)
        result = f.plumb("check", "-c", "quiz", "d", user=user)
        code(result, 2)
        has(
            result.err,
            "d/secret.json: cannot be read: permission denied",
            "d/closed: this directory cannot be read: permission",
        )
        has(result.out, "d/good.json")


@test
def a_text_that_is_empty_is_broken_and_json_lines_without_a_line_are_undecided():
    with Folder() as f:
        f.write("empty.json", "")
        f.write("blank.json", " \n ")
        f.write("empty.jsonl", "")
        f.write("blank.jsonl", "\n\n")
        for name in ("empty.json", "blank.json"):
            result = f.plumb("check", "-c", "quiz", name)
            code(result, 1)
            has(result.out, "empty", "syntax")
        for name in ("empty.jsonl", "blank.jsonl"):
            result = f.plumb("check", "-c", "quiz", name)
            code(result, 2)
            has(result.err, "holds no artifact")
        code(plumb("check", "-c", "quiz", "-", stdin=""), 1)


@test
def broken_utf_8_has_a_place():
    with Folder() as f:
        f.write("a.json", b'{"questions": "\xff\xfe"}')
        result = f.plumb("check", "-c", "quiz", "a.json")
        code(result, 1)
        has(result.out, "UTF-8", "a.json:1:")


@test
def what_a_model_wraps_around_json_is_a_syntax_finding_with_a_place():
    for text in ("```json\n{}\n```", "{} and more", "{'a': 1}", '{"a": 1,}', "\ufeff{}", "{", '{"a": tru', "nul"):
        result = plumb("check", "-c", "quiz", "-f", "jsonl", "-", stdin=text)
        code(result, 1)
        findings = verdicts(result.out)[0]["findings"]
        assert any(x["rule"] == "syntax" for x in findings), (text, findings)


def brackets(contract, amount, cwd):
    source = subprocess.Popen(
        ["sh", "-c", f"yes '{'[' * 4000}' | tr -d '\\n' | head -c {amount}"], stdout=subprocess.PIPE
    )

    def limited():
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

    started = time.time()
    done = subprocess.run(
        [PLUMB, "check", "-c", contract, "-"],
        stdin=source.stdout,
        env=environment(),
        timeout=60,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=limited,
    )
    source.stdout.close()
    source.wait()
    assert time.time() - started < 30, "it takes too long"
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@test
def a_gigabyte_of_brackets_is_undecided_in_bounded_time_and_memory():
    with Folder() as f:
        f.write("any.json", {})
        result = brackets("any.json", 100 << 20 if SANITIZED else 1 << 30, f.path)
        code(result, 2)
        has(result.out, "limit", "undecided")
        # Under the quiz the first byte is wrong already: that is decided, limit or not.
        result = brackets("quiz", 1 << 20, f.path)
        code(result, 1)
        has(result.out, "limit", "revise")


@test
def a_hundred_thousand_levels_are_a_limit_that_can_be_raised():
    with Folder() as f:
        f.write("c.json", {})
        text = "[" * 100_000 + "]" * 100_000
        f.write("a.json", text)
        result = f.plumb("check", "-c", "c.json", "a.json", "-f", "jsonl")
        code(result, 2)
        verdict = verdicts(result.out)[0]
        equal(verdict["findings"][0]["rule"], "limit")
        equal(verdict["decision"], "undecided")
        code(f.plumb("check", "-c", "c.json", "--max-depth", "100000", "a.json"), 0)
        code(f.plumb("check", "-c", "c.json", "--max-depth", "99999", "a.json"), 2)
        code(f.plumb("check", "-c", "c.json", "--max-depth", "2", "-", stdin="[[]]"), 0)
        code(f.plumb("check", "-c", "c.json", "--max-depth", "2", "-", stdin="[[[]]]"), 2)


@test
def more_bytes_than_allowed_are_a_limit():
    text = json.dumps(GOOD_QUIZ)
    code(plumb("check", "-c", "quiz", "--max-bytes", str(len(text)), "-", stdin=text), 0)
    result = plumb("check", "-c", "quiz", "--max-bytes", str(len(text) - 1), "-", "-f", "jsonl", stdin=text)
    code(result, 2)
    equal(verdicts(result.out)[0]["decision"], "undecided")
    code(plumb("check", "-c", "quiz", "--max-bytes", "1K", "-", stdin=text), 0)


@test
def a_string_of_fifty_megabytes_is_judged():
    with Folder() as f:
        f.write("c.json", {"items": {"maxLength": 100}})
        f.write("a.json", b'["' + b"x" * 50_000_000 + b'"]')
        result = f.plumb("check", "-c", "c.json", "a.json", limit_bytes=300 << 20)
        code(result, 1)
        has(result.out, "maxLength")
        assert len(result.out) < 5000, "the string is in the output"


@test
def a_pattern_bomb_costs_nothing_and_what_cannot_run_so_is_refused_with_its_place():
    with Folder() as f:
        f.write("c.json", {"pattern": "^(a+)+$"})
        started = time.time()
        code(f.plumb("check", "-c", "c.json", "-", stdin='"' + "a" * 200_000 + 'b"'), 1)
        assert time.time() - started < 10, "it takes too long"
        f.write("d.json", '{\n "pattern": "(a)\\\\1"}')
        result = f.plumb("check", "-c", "d.json", "-", stdin='"a"')
        code(result, 2)
        has(result.err, "d.json:2:")


@test
def a_reference_loop_ends():
    with Folder() as f:
        f.write("c.json", {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}})
        result = f.plumb("check", "-c", "c.json", "-", stdin="1", timeout=30)
        assert result.code in (0, 1, 2), result
        lacks(result.err, "bug")
        f.write(
            "d.json",
            {
                "$defs": {
                    "x": {"anyOf": [{"$ref": "#/$defs/y"}, {"$ref": "#/$defs/y"}]},
                    "y": {"items": {"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/x"}]}},
                },
                "$ref": "#/$defs/x",
            },
        )
        f.plumb("check", "-c", "d.json", "-", stdin="[" * 22 + "1" + "]" * 22, timeout=30)


@test
def odd_file_names_neither_break_a_line_nor_command_a_terminal():
    with Folder() as f:
        f.write("a\nb\x1b[31m.json", BAD_QUIZ)
        f.write("ü ö.json", BAD_QUIZ)
        result = f.plumb("check", "-c", "quiz", ".")
        code(result, 1)
        lacks(result.out, "\x1b", "a\nb")
        has(result.out, "ü ö.json")
        with open(os.path.join(f.path.encode(), b"\xff.json"), "wb") as file:
            file.write(b"{}")
        result = f.plumb("check", "-c", "quiz", ".", "-f", "jsonl", text=False)
        equal(len([json.loads(line.decode()) for line in result.out.splitlines()]), 3)


@test
def an_output_that_takes_nothing_is_an_error():
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [PLUMB, "check", "-c", "quiz", "-"], input=b"{}", stdout=full, stderr=subprocess.PIPE, env=environment()
            )
            equal(done.returncode, 2)
            has(done.stderr.decode(), "no space left")
            done = subprocess.run([PLUMB, "explain"], stdout=full, stderr=subprocess.PIPE, env=environment())
            equal(done.returncode, 2)
    with Folder() as f:
        f.write("a.json", BAD_QUIZ)
        result = f.plumb("check", "-c", "quiz", "a.json", "--output", "no/such/dir/report")
        code(result, 2)
        has(result.err, "no/such/dir/report: cannot be written")


@test
def a_closed_pipe_ends_it_quietly():
    with Folder() as f:
        f.write("a.jsonl", (json.dumps(BAD_QUIZ) + "\n") * 20000)
        done = subprocess.run(
            ["sh", "-c", f"'{PLUMB}' check -c quiz a.jsonl -f jsonl | head -n 1 | wc -l"],
            cwd=f.path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=60,
        )
        equal(done.stdout.decode().strip(), "1")
        lacks(done.stderr.decode(), "bug")


# ------------------------------------------------------------------------------------------------ formats


def mixed(f):
    f.write("bad.json", BAD_QUIZ)
    f.write("good.json", GOOD_QUIZ)
    return "bad.json", "good.json"


@test
def json_is_one_document():
    with Folder() as f:
        result = f.plumb("check", "-c", "quiz", *mixed(f), "--format", "json")
        code(result, 1)
        document = json.loads(result.out)
        equal([v["file"] for v in document["verdicts"]], ["bad.json", "good.json"])
        equal(document["summary"]["invalid"], 1)


@test
def jsonl_is_one_verdict_a_line_with_the_file_in_front():
    with Folder() as f:
        result = f.plumb("check", "-c", "quiz", *mixed(f), "--format", "jsonl")
        code(result, 1)
        assert all(line.startswith('{"file":') for line in result.out.splitlines()), result
        finding = verdicts(result.out)[0]["findings"][0]
        equal(finding["rule"], "minItems")
        equal(finding["at"], "/questions/0/options")


@test
def sarif_is_2_1_0_with_a_region():
    with Folder() as f:
        result = f.plumb("check", "-c", "quiz", *mixed(f), "--format", "sarif")
        code(result, 1)
        document = json.loads(result.out)
        equal(document["version"], "2.1.0")
        found = document["runs"][0]["results"][0]
        equal(found["level"], "error")
        equal(found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "bad.json")
        assert found["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1


@test
def junit_is_xml_with_a_failure():
    with Folder() as f:
        os.symlink("nowhere", os.path.join(f.path, "broken.json"))
        result = f.plumb("check", "-c", "quiz", *mixed(f), "broken.json", "--format", "junit")
        code(result, 2)
        root = xml.etree.ElementTree.fromstring(result.out)
        equal(len(root.findall(".//failure")), 1)
        equal(len(root.findall(".//error")), 1)


@test
def github_is_workflow_commands():
    with Folder() as f:
        result = f.plumb("check", "-c", "quiz", *mixed(f), "--format", "github")
        code(result, 1)
        has(result.out, "::error file=bad.json,line=1,col=")
        lacks(result.out, "good.json")


@test
def llm_is_feedback_with_the_action_last():
    with Folder() as f:
        bad, good = mixed(f)
        result = f.plumb("check", "-c", "quiz", bad, "--format", "llm", "--tool", "submit_quiz")
        code(result, 1)
        feedback = json.loads(result.out)
        equal(list(feedback), ["result", "issues", "issue_count", "action"])
        has(feedback["action"], "submit_quiz()")
        f.write("short.json", {"items": [{"type": "string"}, 1]})
        f.write("c.json", {"properties": {"items": {"minItems": 3}, "of": {"memberOf": {"in": "1/items/*/type"}}}})
        one = json.loads(f.plumb("check", "-c", "c.json", "short.json", "--format", "llm").out)["issues"]["invalid"][0]
        equal(one["provided"], '[{"type":"string"},1]')  # the value itself, and not its size
        line = '{"items": [{"type": "a"}, {"type": "b"}, 1], "of": "c"}\n'
        one = json.loads(f.plumb("check", "-c", "c.json", "--lines", "-", "--format", "llm", stdin=line).out)["issues"]["invalid"][0]
        equal((one["provided"], one["allowed"]), ('"c"', ["a", "b"]))
        one = json.loads(f.plumb("check", "-c", "c.json", "-", "--format", "llm", stdin="[\u00a0]").out)["issues"]["invalid"][0]
        equal(one["provided"], "a no-break space (U+00A0) behind [")
        feedback = json.loads(f.plumb("check", "-c", "quiz", bad, "--format", "llm", "--action", "Send it to Ann.").out)
        equal(feedback["action"], "Send it to Ann.")
        equal(json.loads(f.plumb("check", "-c", "quiz", good, "--format", "llm").out)["result"], "success")
        result = f.plumb("check", "-c", "quiz", bad, "--tool", "x")
        code(result, 2)
        has(result.err, "--format llm")


@test
def output_writes_the_report_to_a_file_without_colours():
    with Folder() as f:
        bad, _ = mixed(f)
        plain = f.plumb("check", "-c", "quiz", bad).out
        result = f.plumb("check", "-c", "quiz", bad, "--output", "report.txt")
        code(result, 1)
        equal(result.out, "")
        equal(open(os.path.join(f.path, "report.txt"), encoding="utf-8").read(), plain)
        f.plumb("check", "-c", "quiz", bad, "-o", "report.txt", "--color", "always")
        has(open(os.path.join(f.path, "report.txt"), encoding="utf-8").read(), "\x1b[")


@test
def the_same_input_gives_the_same_bytes():
    with Folder() as f:
        bad, good = mixed(f)
        for format in ("text", "json", "jsonl", "sarif", "junit", "github", "llm"):
            first = f.plumb("check", "-c", "quiz", bad, good, "-f", format, text=False)
            second = f.plumb(
                "check",
                "-c",
                "quiz",
                good,
                bad,
                "-f",
                format,
                text=False,
                env={"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"},
            )
            equal(first.out, second.out)


# ------------------------------------------------------------------------------------------------ exit codes

LEVELS = {
    "properties": {
        "e": {"maximum": 1},
        "w": {"maximum": 1, "severity": "warning"},
        "i": {"maximum": 1, "severity": "info"},
    }
}


@test
def fail_on_says_which_severity_fails():
    with Folder() as f:
        f.write("c.json", LEVELS)
        table = {
            "error": {"e": 1, "w": 0, "i": 0},
            "warning": {"e": 1, "w": 1, "i": 0},
            "info": {"e": 1, "w": 1, "i": 1},
            "never": {"e": 0, "w": 0, "i": 0},
        }
        for level, wanted in table.items():
            for member, exit_code in wanted.items():
                result = f.plumb("check", "-c", "c.json", "--fail-on", level, "-", stdin=json.dumps({member: 5}))
                code(result, exit_code)
                has(result.out, "maximum")
            code(f.plumb("check", "-c", "c.json", "--fail-on", level, "-", stdin="{}"), 0)
        code(f.plumb("check", "-c", "c.json", "--fail-on", "fatal", "-", stdin="{}"), 2)


@test
def exit_zero_hides_findings_and_never_the_undecided():
    with Folder() as f:
        bad, _ = mixed(f)
        result = f.plumb("check", "-c", "quiz", "--exit-zero", bad)
        code(result, 0)
        has(result.out, "at least 4 options")
        code(f.plumb("check", "-c", "quiz", "--exit-zero", bad, "missing.json"), 2)
        code(f.plumb("check", "-c", "quiz", "--exit-zero", "--max-bytes", "5", bad), 2)


@test
def undecided_wins_over_findings():
    with Folder() as f:
        bad, _ = mixed(f)
        code(f.plumb("check", "-c", "quiz", bad, "missing.json"), 2)


@test
def quiet_prints_findings_only():
    with Folder() as f:
        bad, good = mixed(f)
        result = f.plumb("check", "-c", "quiz", "-q", bad, good)
        code(result, 1)
        has(result.out, "at least 4 options")
        lacks(result.out, "good.json", "artifacts")
        equal(f.plumb("check", "-c", "quiz", "--quiet", good).out, "")


@test
def usage_errors_are_2_and_say_what_to_do():
    cases = [
        (["check"], "no contract"),
        (["check", "-c", "quiz"], "no PATH"),
        (["check", "--contarct", "quiz", "-"], "'--contract'"),
        (["check", "-c", "quiz", "-", "--format", "jsn"], "'json'"),
        (["check", "-c", "quiz", "-", "--format"], "--format"),
        (["check", "-c", "quiz", "-c", "quiz", "-"], "more than once"),
        (["check", "-c", "quiz", "-", "--jobs", "0"], "--jobs 0"),
        (["check", "-c", "quiz", "-", "--jobs", "x"], "whole number"),
        (["check", "-c", "quiz", "-", "--max-depth", "-1"], "--max-depth"),
        (["check", "-c", "quiz", "-", "--max-bytes", "5X"], "64K"),
        (["check", "-c", "quiz", "-", "--max-bytes", "9999999G"], "at most"),
        (["check", "-c", "quiz", ""], "empty path"),
        (["chek"], "did you mean 'check'"),
        (["contracts", "lst"], "did you mean 'list'"),
        (["contracts", "show"], "needs NAME|FILE"),
        (["contracts", "show", "quiz", "mindmap"], "one too many"),
        (["completion"], "needs SHELL"),
        (["completion", "tcsh"], "bash, zsh or fish"),
        (["--contract"], "after a command"),
        (["version", "x"], "does not take"),
        (["explain", "minItem"], "did you mean 'minItems'"),
        (["help", "nothing"], "unknown command"),
        (["check", "-c", "quiz", "--config", "a", "--no-config", "-"], "exclude each other"),
        (["check", "-c", "quiz", "--color", "blue", "-"], "auto, always or never"),
    ]
    with Folder() as f:
        for arguments, message in cases:
            result = f.plumb(*arguments)
            code(result, 2)
            has(result.err, message)
            equal(result.out, "")


@test
def options_may_stand_anywhere_and_take_an_equals_sign():
    text = json.dumps(GOOD_QUIZ)
    code(plumb("check", "-", "--contract=quiz", "--format=jsonl", stdin=text), 0)
    code(plumb("check", "-cquiz", "-", stdin=text), 0)
    with Folder() as f:
        f.write("-odd.json", GOOD_QUIZ)
        f.write("check", GOOD_QUIZ)
        code(f.plumb("check", "-c", "quiz", "--", "-odd.json"), 0)
        code(f.plumb("check", "-c", "quiz", "check"), 0)


# ------------------------------------------------------------------------------------------------ looks


@test
def ascii_is_asked_for_or_follows_from_the_locale():
    with Folder() as f:
        bad, _ = mixed(f)
        assert not f.plumb("check", "-c", "quiz", bad).out.isascii()
        equal(f.plumb("check", "-c", "quiz", bad, "--ascii").out.isascii(), True)
        for env in ({"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LANG": ""}, {"LC_CTYPE": "de_DE.ISO-8859-1"}):
            equal(f.plumb("check", "-c", "quiz", bad, env=env).out.isascii(), True)
        assert not f.plumb("check", "-c", "quiz", bad, env={"LC_ALL": "en_US.utf8"}).out.isascii()
        equal(f.plumb("explain", "--ascii").out.isascii(), True)


@test
def colours_are_for_terminals_and_no_color_is_kept():
    with Folder() as f:
        bad, _ = mixed(f)
        lacks(f.plumb("check", "-c", "quiz", bad).out, "\x1b")
        has(f.plumb("check", "-c", "quiz", bad, "--color", "always").out, "\x1b[")
        lacks(on_terminal([PLUMB, "check", "-c", "quiz", bad, "--color", "never"], f.path), "\x1b")
        has(on_terminal([PLUMB, "check", "-c", "quiz", bad], f.path), "\x1b[")
        lacks(on_terminal([PLUMB, "check", "-c", "quiz", bad], f.path, {"NO_COLOR": "1"}), "\x1b")
        lacks(on_terminal([PLUMB, "check", "-c", "quiz", bad], f.path, {"TERM": "dumb"}), "\x1b")
        has(f.plumb("check", "-c", "quiz", bad, "--color", "always", env={"NO_COLOR": "1"}).out, "\x1b[")


def open_terminal():
    """The two ends of a new pseudo-terminal; the test is skipped where the machine has none."""
    try:
        return pty.openpty()
    except OSError as error:
        raise Skip(f"this machine gives no pseudo-terminal: {error}")


def on_terminal(command, cwd, env=None, columns=100):
    """Runs a command with a terminal as standard output and error, and gives what the terminal got."""
    import fcntl
    import struct
    import termios

    leader, follower = open_terminal()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env=environment({"TERM": "xterm-256color", **(env or {})}),
    )
    os.close(follower)
    got = b""
    deadline = time.time() + 60
    while time.time() < deadline:
        if select.select([leader], [], [], 0.2)[0]:
            try:
                data = os.read(leader, 65536)
            except OSError:
                break
            if not data:
                break
            got += data
        elif process.poll() is not None:
            break
    os.close(leader)
    process.wait(20)
    return got.decode(errors="replace")


def open_when_read(pipe, seconds=20):
    """The writing end of a named pipe, as soon as somebody reads it."""
    deadline = time.time() + seconds
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO or time.time() > deadline:
                raise
            time.sleep(0.02)


@test
def there_is_a_progress_bar_on_a_terminal_when_there_is_much_to_do():
    with Folder() as f:
        f.write("a.jsonl", (json.dumps(GOOD_QUIZ) + "\n") * 2000)
        # A pipe that is fed slowly takes as long as is wanted, on any machine.
        pipe = os.path.join(f.path, "slow.jsonl")

        def run(*options):
            os.mkfifo(pipe)

            def feed():
                file = open_when_read(pipe)
                for _ in range(12):
                    os.write(file, (json.dumps(GOOD_QUIZ) + "\n").encode())
                    time.sleep(0.1)
                os.close(file)

            feeder = threading.Thread(target=feed, daemon=True)
            feeder.start()
            try:
                return on_terminal([PLUMB, "check", "-c", "quiz", "a.jsonl", "slow.jsonl", *options], f.path)
            finally:
                feeder.join(30)
                os.unlink(pipe)

        got = run()
        assert re.search(r"\d+%", got), got[-2000:]
        has(got, "1 of 2 files", "checked", "/s", "\r\x1b[K", "2012 artifacts valid")
        # Wiped before the report: the last line is the summary alone.
        assert re.search(r"\r\x1b\[K[^\r]*2012 artifacts valid", got), got[-500:]
        assert not re.search(r"\d+%", run("-q"))
        has(run("--ascii", "--color", "never"), "#", "100%")
        f.write("one.json", GOOD_QUIZ)
        lacks(on_terminal([PLUMB, "check", "-c", "quiz", "one.json"], f.path), "%", "checked")


# ------------------------------------------------------------------------------------------------ streams


class Stream:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [PLUMB, "check", "--stream", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )

    def send(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def receive(self, seconds=10.0):
        """What comes within the time, at least one read."""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return ""
        return os.read(self.process.stdout.fileno(), 65536).decode()

    def finish(self):
        self.process.stdin.close()
        rest = self.process.stdout.read().decode()
        self.process.stdout.close()
        err = self.process.stderr.read().decode()
        self.process.stderr.close()
        return Result(self.process.wait(20), rest, err)


@test
def stream_prints_a_finding_the_moment_it_is_certain_with_its_byte():
    stream = Stream("-c", "quiz")
    text = json.dumps(BAD_QUIZ)
    byte = text.index("]") + 1
    stream.send(text[: byte - 1])
    equal(stream.receive(0.5), "")
    stream.send(text[byte - 1])
    line = stream.receive()
    has(line, "Must have at least 4 options (has 3)", f" {byte} ", "minItems")
    stream.send(text[byte:])
    result = stream.finish()
    code(result, 1)
    has(result.out, "stdin", "Question 1: Must have at least 4 options (has 3)")


@test
def stream_as_jsonl_gives_certain_findings_and_then_the_verdict():
    stream = Stream("-c", "flashcards", "-f", "jsonl", "-")
    stream.send('{"flashcards": [{"front": "ATP", "back": "' + "x" * 301)
    first = json.loads(stream.receive())["certain"]
    equal(first["rule"] in ("length", "maxLength"), True)
    equal(first["partial"], True)
    stream.send("x" * 10 + '"}]}')
    result = stream.finish()
    code(result, 1)
    lines = verdicts(result.out)
    completed = [line["certain"] for line in lines if "certain" in line and line["certain"]["id"] == first["id"]]
    equal([finding["message"] for finding in completed], ["Flashcard 1: Back too long (311 chars, max 300)"])
    equal(lines[-1]["file"], "-")
    equal(
        [finding["message"] for finding in lines[-1]["findings"]], ["Flashcard 1: Back too long (311 chars, max 300)"]
    )


@test
def stream_and_check_give_the_same_verdict():
    for name, contract in (
        ("quiz_faulty.json", "quiz"),
        ("flashcards_faulty.json", "flashcards"),
        ("mindmap_cycle.json", "mindmap"),
    ):
        text = open(place(name), encoding="utf-8").read()
        whole = plumb("check", "-c", contract, "-f", "jsonl", "-", stdin=text)
        stream = Stream("-c", contract, "-f", "jsonl")
        for i in range(0, len(text), 7):
            stream.send(text[i : i + 7])
        result = stream.finish()
        equal(result.out.splitlines()[-1], whole.out.splitlines()[0])
        equal(result.code, whole.code)


@test
def stream_tells_of_a_degenerate_stream():
    stream = Stream("-c", "quiz")
    stream.send('{"questions": ' + " " * 400_000)
    got = stream.receive()
    has(got, "degenerate")
    stream.send("[]}")
    code(stream.finish(), 1)


@test
def stream_refuses_what_it_cannot_do():
    for arguments, message in (
        (["-c", "quiz", "a.json"], "reads standard input"),
        (["-c", "quiz", "--lines"], "--lines"),
        (["-c", "quiz", "-f", "sarif"], "text or jsonl"),
        ([], "needs '--contract"),
    ):
        with Folder() as f:
            result = f.plumb("check", "--stream", *arguments)
            code(result, 2)
            has(result.err, message)


@test
def stream_exits_as_check_does():
    good = Stream("-c", "quiz")
    good.send(json.dumps(GOOD_QUIZ))
    code(good.finish(), 0)
    cut = Stream("-c", "quiz")
    cut.send(json.dumps(GOOD_QUIZ)[:30])
    code(cut.finish(), 1)
    deep = Stream("-c", "quiz", "--max-depth", "3")
    deep.send(json.dumps(GOOD_QUIZ))
    code(deep.finish(), 2)


# ------------------------------------------------------------------------------------------------ plumb.yaml


def checked(result):
    """The files of a report in JSON lines."""
    return [one["file"] for one in verdicts(result.out)]


@test
def what_is_taken_out_is_not_checked_and_the_number_is_told():
    with Folder() as f:
        for name in ("out/a.json", "out/b.part.json", "out/drafts/c.json", "out/deep/drafts/d.json", "out/deep/e.json"):
            f.write(name, GOOD_QUIZ)
        check = ("check", "-c", "quiz", "-f", "jsonl")
        equal(checked(f.plumb(*check, "out", "!*.part.json", "!out/drafts")), ["out/a.json", "out/deep/drafts/d.json", "out/deep/e.json"])
        result = f.plumb(*check, "out/**/*.json", "--exclude", "drafts/", "--exclude", "*.part.json")
        equal(checked(result), ["out/a.json", "out/deep/e.json"])
        has(result.err, "3 files and directories were left out")
        # A file that is named is taken out too, and so is one in a directory that is.
        equal(checked(f.plumb(*check, "out/a.json", "out/drafts/c.json", "--exclude", "./out/drafts")), ["out/a.json"])
        result = f.plumb(*check, "out/a.json", "!out/a.json")
        code(result, 2)
        has(result.err, "nothing was checked")
        result = f.plumb(*check, "out", "--exclude", "{a")
        code(result, 2)
        has(result.err, "'--exclude'", "a '{' without '}'")
        # A file whose name begins so is reached by its path.
        f.write("!odd.json", GOOD_QUIZ)
        equal(checked(f.plumb(*check, "./!odd.json")), ["!odd.json"])


@test
def gitignore_counts_only_when_asked_for_and_then_as_git_reads_it():
    with Folder() as f:
        os.mkdir(f.at(".git"))
        f.write(".gitignore", "# made\n*.tmp.json\n/top.json\nbuild/\n!keep.tmp.json\nlogs/**/deep.json\nodd{x}.json\n")
        f.write("in/.gitignore", "!again.tmp.json\n/own.json\n")
        f.write("above.txt", "")
        every = ("top.json", "in/top.json", "a.tmp.json", "keep.tmp.json", "in/again.tmp.json", "in/own.json", "in/deep/own.json",
                 "build/b.json", "in/build/c.json", "logs/x/y/deep.json", "logs/deep.json", "odd{x}.json", "oddx.json")
        for name in every:
            f.write(name, GOOD_QUIZ)
        check = ("check", "-c", "quiz", "-f", "jsonl")
        equal(sorted(checked(f.plumb(*check, "."))), sorted(every))
        kept = sorted(["in/top.json", "keep.tmp.json", "in/again.tmp.json", "in/deep/own.json", "oddx.json"])
        equal(sorted(checked(f.plumb(*check, ".", "--gitignore"))), kept)
        equal(sorted(checked(f.plumb(*check, "**/*.json", "--gitignore"))), kept)
        # Named, it is checked; so is what is in a directory that is named.
        equal(checked(f.plumb(*check, "a.tmp.json", "build", "--gitignore")), ["a.tmp.json", "build/b.json"])
        # The files of the directories above count too, up to the top of the work tree.
        below = plumb(*check, ".", "--gitignore", cwd=f.at("in"))
        equal(sorted(checked(below)), ["again.tmp.json", "deep/own.json", "top.json"])


@test
def short_is_a_line_a_finding_and_text_is_broken_at_the_width_of_a_terminal():
    with Folder() as f:
        f.write("bad.json", BAD_QUIZ)
        result = f.plumb("check", "-c", "quiz", "bad.json", "-f", "short")
        code(result, 1)
        assert re.fullmatch(r"bad\.json:1:\d+: error: Question 1: Must have at least 4 options \(has 3\) \[minItems\]\n", result.out), result.out
        equal(f.plumb("check", "-c", "quiz", "none.json", "-f", "short").out, "")
        shown = on_terminal([PLUMB, "check", "-c", "quiz", "bad.json", "--color", "always"], f.path, columns=50)
        lines = re.sub(r"\x1b\[[0-9;]*[mK]", "", shown).replace("\r", "").splitlines()
        assert all(len(line) <= 50 for line in lines), lines
        has(" ".join(line.strip() for line in lines), "Must have at least 4 options (has 3)", "bad.json:1:", "minItems")
        equal(len(f.plumb("check", "-c", "quiz", "bad.json").out.splitlines()), 2)


@test
def plumb_yml_is_found_too_and_an_entry_takes_files_out():
    with Folder() as f:
        f.write("plumb.yml", "contracts:\n  - files: ['*.json', '!draft-*.json']\n    contract: quiz\n")
        f.write("a.json", GOOD_QUIZ)
        f.write("draft-b.json", BAD_QUIZ)
        equal(checked(f.plumb("check", "-f", "jsonl")), ["a.json"])
        result = f.plumb("check", "draft-b.json")
        code(result, 2)
        has(result.err, "no entry of plumb.yml matches it")
        f.write("plumb.yaml", "contracts:\n  - files: '!a.json'\n    contract: quiz\n")
        result = f.plumb("check")
        code(result, 2)
        has(result.err, "plumb.yaml:2:12:", "only takes files out")


@test
def plumb_yaml_is_found_upwards_and_names_contracts_by_globs():
    with Folder() as f:
        f.write(
            "plumb.yaml",
            "contracts:\n  - files: artifacts/quiz-*.json\n    contract: quiz\n"
            "  - files: ['cards/**/*.json', 'cards/*.jsonl']\n    contract: flashcards\n",
        )
        f.write("artifacts/quiz-1.json", BAD_QUIZ)
        f.write("artifacts/other.json", "{}")
        f.write("cards/deep/er/a.json", {"flashcards": [{"front": "ATP", "back": "Energy."}]})
        f.write("cards/b.jsonl", '{"flashcards": []}\n')
        result = f.plumb("check", "-f", "jsonl")
        code(result, 1)
        equal(
            [(v["file"], v["contract"], v["valid"]) for v in verdicts(result.out)],
            [
                ("artifacts/quiz-1.json", "quiz", False),
                ("cards/b.jsonl:1", "flashcards", False),
                ("cards/deep/er/a.json", "flashcards", True),
            ],
        )
        inside = plumb("check", "-f", "jsonl", cwd=os.path.join(f.path, "cards", "deep"))
        equal([v["file"] for v in verdicts(inside.out)], ["../../artifacts/quiz-1.json", "../b.jsonl:1", "er/a.json"])
        # What is found in a directory and has no entry is left out, with a note; what is named is a problem.
        result = f.plumb("check", "artifacts")
        code(result, 1)
        has(result.err, "1 file matches no entry")
        lacks(f.plumb("check", "artifacts", "-q").err, "matches")
        result = f.plumb("check", "artifacts/other.json")
        code(result, 2)
        has(result.err, "no entry of plumb.yaml matches it")
        code(f.plumb("check", "-", stdin="{}"), 2)


@test
def the_first_entry_that_matches_decides_and_the_command_line_wins():
    with Folder() as f:
        f.write("a.json", BAD_QUIZ)
        f.write("any.json.contract", {"$id": "plumb:any"})
        f.write(
            "plumb.yaml",
            "contracts:\n  - {files: a.json, contract: any.json.contract}\n  - {files: '*.json', contract: quiz}\n"
            "format: jsonl\nfail_on: never\n",
        )
        result = f.plumb("check")
        code(result, 0)
        equal(verdicts(result.out)[0]["contract"], "any")
        result = f.plumb("check", "-c", "quiz", "a.json")
        code(result, 0)
        equal(verdicts(result.out)[0]["valid"], False)
        result = f.plumb("check", "-c", "quiz", "a.json", "--format", "text", "--fail-on", "error")
        code(result, 1)
        has(result.out, "at least 4 options")
        result = f.plumb("check", "--no-config", "-c", "quiz", "a.json")
        code(result, 1)
        code(f.plumb("check", "--no-config"), 2)


@test
def plumb_yaml_gives_documents_context_and_contract_files_relative_to_itself():
    with Folder() as f:
        f.write(
            "p/plumb.yaml",
            "contracts:\n  - files: x/*.json\n    contract: c/mine.json\n    context: c/context.json\n"
            "documents:\n  https://example.org/id: c/id.json\n",
        )
        f.write("p/c/mine.json", {"properties": {"id": {"$ref": "https://example.org/id"}}})
        f.write("p/c/id.json", {"memberOf": {"in": "context:/ids/*"}})
        f.write("p/c/context.json", {"ids": ["a"]})
        f.write("p/x/good.json", {"id": "a"})
        f.write("p/x/bad.json", {"id": "b"})
        for cwd in ("p", "p/x"):
            result = plumb("check", "-f", "jsonl", cwd=os.path.join(f.path, cwd))
            code(result, 1)
            equal([v["valid"] for v in verdicts(result.out)], [False, True])
        result = f.plumb("check", "--config", "p/plumb.yaml", "-f", "jsonl")
        code(result, 1)
        equal([v["file"] for v in verdicts(result.out)], ["p/x/bad.json", "p/x/good.json"])


@test
def mistakes_in_plumb_yaml_have_file_line_column_and_a_near_miss():
    cases = [
        ("contract:\n  - files: a\n    contract: quiz\n", "plumb.yaml:1:1:", "did you mean 'contracts'?"),
        ("contracts:\n  - file: a\n    contract: quiz\n", "plumb.yaml:2:5:", "did you mean 'files'?"),
        ("fail_on: waring\n", "plumb.yaml:1:10:", "did you mean 'warning'?"),
        ("format: xml\n", "plumb.yaml:1:9:", "one of text"),
        ("contracts: quiz\n", "plumb.yaml:1:12:", "must be a list"),
        ("contracts:\n  - quiz\n", "plumb.yaml:2:5:", "must be a map"),
        ("contracts:\n  - files: a\n", "plumb.yaml:2:5:", "no 'contract'"),
        ("contracts:\n  - contract: quiz\n", "plumb.yaml:2:5:", "no 'files'"),
        ("contracts:\n  - files: a\n    contract: quizz\n", "plumb.yaml:3:15:", "did you mean 'quiz'?"),
        ("contracts:\n  - files: '{a'\n    contract: quiz\n", "plumb.yaml:2:12:", "'{' without '}'"),
        ("contracts:\n  - files: []\n    contract: quiz\n", "plumb.yaml:2:12:", "empty list"),
        ("contracts:\n  - files: {a: b}\n    contract: quiz\n", "plumb.yaml:2:12:", "must be a text"),
        ("format: text\nformat: json\n", "plumb.yaml:2:1:", "twice"),
        ("- a\n- b\n", "plumb.yaml:1:1:", "must be a map"),
        ("documents: [a]\n", "plumb.yaml:1:12:", "must be a map from URI"),
        ("contracts: [\n", "plumb.yaml:", "is not YAML"),
        ("a: b: c\n", "plumb.yaml:", "is not YAML"),
        ("contracts: " + "[" * 5000 + "\n", "plumb.yaml", "64 levels"),
        ("- " * 5000 + "a\n", "plumb.yaml", "64 levels"),
        (
            "documents:\n  https://example.org/x: none.json\ncontracts:\n  - {files: '*.json', contract: quiz}\n",
            "none.json",
            "cannot be read",
        ),
    ]
    with Folder() as f:
        f.write("a.json", GOOD_QUIZ)
        for text, where, message in cases:
            f.write("plumb.yaml", text)
            result = f.plumb("check", "-c", "quiz", "a.json")
            code(result, 2)
            has(result.err, where, message)
        f.write("plumb.yaml", "")
        code(f.plumb("check", "-c", "quiz", "a.json"), 0)
        result = f.plumb("check")
        code(result, 2)
        has(result.err, "has no 'contracts'")
        f.write("plumb.yaml", "contracts:\n  - {files: 'z*.json', contract: quiz}\n")
        result = f.plumb("check")
        code(result, 2)
        has(result.err, "nothing was checked")
        code(f.plumb("check", "--config", "none.yaml", "-c", "quiz", "a.json"), 2)


# ------------------------------------------------------------------------------------------------ contracts, explain


@test
def contracts_list_names_the_built_in_ones_and_those_of_plumb_yaml():
    with Folder() as f:
        out = f.plumb("contracts", "list")
        code(out, 0)
        names = [line.split()[0] for line in out.out.splitlines()]
        assert {"quiz", "flashcards", "mindmap"} <= set(names), names
        equal(names, sorted(names))
        f.write("plumb.yaml", "contracts:\n  - {files: '*.json', contract: mine.schema}\n")
        f.write("mine.schema", {"$id": "plumb:mine", "title": "My own"})
        has(f.plumb("contracts", "list").out, "mine", "My own", "mine.schema")
        listed = json.loads(f.plumb("contracts", "list", "--json").out)
        equal(listed[-1]["name"], "mine")
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", listed[0]["hash"]), listed


@test
def contracts_show_tells_title_rules_context_and_hash():
    out = plumb("contracts", "show", "quiz")
    code(out, 0)
    has(out.out, "Quiz", "sha256:", "answerable", "Must have at least", "context")
    with Folder() as f:
        f.write("c.json", {"title": "Mine", "properties": {"id": {"memberOf": {"in": "context:/ids/*"}}}})
        has(f.plumb("contracts", "show", "c.json").out, "Mine", "context:/ids/*", "c.json")
        equal(json.loads(f.plumb("contracts", "show", "c.json", "--json").out)["title"], "Mine")
        code(f.plumb("contracts", "show", "none.json"), 2)
    text = plumb("contracts", "show", "quiz", "--json").out
    with open(os.path.join(ROOT, "core", "contracts", "quiz.json"), encoding="utf-8") as file:
        equal(text.strip(), file.read().strip())


@test
def contracts_check_tells_errors_and_warnings_with_their_place():
    with Folder() as f:
        f.write("good.json", {"type": "string"})
        f.write("bad.json", '{\n  "minItems": "three"\n}')
        f.write("warn.json", '{"$id": "plumb:w",\n  "minItem": 3}')
        result = f.plumb("contracts", "check", "good.json")
        code(result, 0)
        has(result.out, "good.json: ", "a contract")
        result = f.plumb("contracts", "check", "good.json", "bad.json")
        code(result, 1)
        has(result.out, "bad.json:2:", "error")
        result = f.plumb("contracts", "check", "warn.json")
        code(result, 0)
        has(result.out, "warn.json:2:", "warning", "minItems")
        code(f.plumb("contracts", "check", "--strict", "warn.json"), 1)
        result = f.plumb("contracts", "check", "good.json", "missing.json", "bad.json")
        code(result, 2)
        has(result.err, "missing.json")
        has(result.out, "bad.json:2:")
        f.write("ref.json", {"$ref": "urn:x"})
        code(f.plumb("contracts", "check", "ref.json"), 1)
        code(f.plumb("contracts", "check", "ref.json", "--schema", "urn:x=good.json"), 0)
    code(plumb("contracts", "check", os.path.join(ROOT, "core", "contracts", "quiz.json")), 0)


VOCABULARY = [
    "itemLabel",
    "errorMessage",
    "severity",
    "stopAt",
    "rules",
    "memberOf",
    "distinct",
    "acyclic",
    "countOf",
    "sumOf",
    "sameSetAs",
    "notBlank",
    "length",
    "maxSentences",
    "avoids",
    "singleUnknown",
    "mentions",
    "facts",
    "novel",
    "quotedFrom",
    "pointers",
    "role",
    "itemId",
    "edits",
]


def schema_keywords():
    names = set()
    folder = os.path.join(ROOT, "core", "contracts", "meta")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            document = json.load(file)
        if str(document.get("$id", "")).startswith(("https://json-schema.org/", "http://json-schema.org/")):
            names |= set(document.get("properties", {}))
    return names


@test
def the_vocabulary_that_these_tests_know_is_the_one_that_explain_lists():
    section = plumb("explain").out.split("\nPlumbline vocabulary\n")[1].split("\n\n")[0]
    assert re.findall(r"^  (\w+)", section, re.MULTILINE) == VOCABULARY, section


@test
def contracts_lint_tells_place_and_rule_and_gives_an_exit_code():
    with Folder() as f:
        f.write("bad.json", '{\n  "type": "string",\n  "maxLength": 5,\n  "maximum": 3\n}')
        f.write("never.json", {"type": "string", "maxLength": 5, "minLength": 9})
        f.write("fine.json", {"type": "string", "maxLength": 5})
        f.write("none.json", '{"type": "strng"}')
        result = f.plumb("contracts", "lint", "bad.json")
        code(result, 1)
        has(result.out, "bad.json:4:3: warning: 'maximum' speaks of numbers", "other-kind", "Remove 'maximum'", "1 warning")
        code(f.plumb("contracts", "lint", "bad.json", "--fail-on", "error"), 0)
        code(f.plumb("contracts", "lint", "never.json", "--fail-on", "error"), 1)
        result = f.plumb("contracts", "lint", "fine.json")
        code(result, 0)
        has(result.out, "nothing to say")
        result = f.plumb("contracts", "lint", "none.json", "fine.json")
        code(result, 1)
        has(result.out, "none.json:1:", "no-contract")
        code(f.plumb("contracts", "lint", "missing.json"), 2)
        code(f.plumb("contracts", "lint"), 0)


@test
def contracts_lint_writes_json_sarif_and_github_annotations():
    with Folder() as f:
        f.write("bad.json", '{\n  "type": "string",\n  "maxLength": 5,\n  "maximum": 3\n}')
        report = json.loads(f.plumb("contracts", "lint", "bad.json", "--format", "json").out)
        finding = report["findings"][0]
        equal((finding["rule"], finding["at"], finding["span"]["line"]), ("other-kind", "/maximum", 4))
        assert finding["why"] and finding["fix"]["certain"] is True, finding
        sarif = json.loads(f.plumb("contracts", "lint", "bad.json", "--format", "sarif").out)
        equal(sarif["runs"][0]["results"][0]["ruleId"], "other-kind")
        equal(sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 4)
        has(f.plumb("contracts", "lint", "bad.json", "--format", "github").out, "::warning file=bad.json,line=4,col=3")


@test
def contracts_lint_fixes_what_is_certain_and_keeps_the_form_of_all_else():
    with Folder() as f:
        text = '{\n    "type":  "string",\n    "maximum": 3,\n    "maxLength": 5\n}\n'
        f.write("bad.json", text)
        result = f.plumb("contracts", "lint", "bad.json", "--fix")
        code(result, 0)
        has(result.out, "1 fix made")
        has(result.err, "Remove 'maximum'")
        with open(os.path.join(f.path, "bad.json"), encoding="utf-8") as file:
            equal(file.read(), text.replace('    "maximum": 3,\n', ""))
        equal(os.listdir(f.path), ["bad.json"])
        # Looked at again there is nothing to do.
        has(f.plumb("contracts", "lint", "bad.json", "--fix").out, "nothing to say")


@test
def contracts_lint_tells_what_a_target_drops_and_what_a_prompt_costs():
    with Folder() as f:
        f.write("c.json", '{"type": "object", "required": ["a"], "additionalProperties": false,\n'
                ' "properties": {"a": {"type": "string", "maxLength": 9, "notBlank": true}}}')
        has(f.plumb("contracts", "lint", "c.json").out, "nothing to say")
        result = f.plumb("contracts", "lint", "c.json", "--target", "openai-strict")
        code(result, 0)
        has(result.out, "c.json:2:", "openai-strict does not enforce 'notBlank'", "target-drops")
        has(f.plumb("contracts", "lint", "c.json", "--prompt-tokens", "5").out, "prompt-costs")
        code(f.plumb("contracts", "lint", "c.json", "--target", "openai-strikt"), 2)


@test
def contracts_sample_makes_artifacts_that_check_accepts():
    with Folder() as f:
        for kind in ("minimal", "rich"):
            result = f.plumb("contracts", "sample", "quiz", "--kind", kind)
            code(result, 0)
            f.write("a.json", result.out)
            code(f.plumb("check", "--contract", "quiz", "a.json"), 0)
        result = f.plumb("contracts", "sample", "flashcards", "--count", "20", "--seed", "7")
        code(result, 0)
        equal(len(result.out.splitlines()), 20)
        equal(len(set(result.out.splitlines())), 20)
        f.write("many.jsonl", result.out)
        code(f.plumb("check", "--contract", "flashcards", "many.jsonl"), 0)
        equal(f.plumb("contracts", "sample", "flashcards", "--count", "20", "--seed", "7").out, result.out)


@test
def contracts_sample_breaks_each_rule_alone():
    with Folder() as f:
        result = f.plumb("contracts", "sample", "quiz", "--each-rule", "--format", "record")
        code(result, 0)
        records = [json.loads(line) for line in result.out.splitlines()]
        assert len(records) > 15, len(records)
        for record in records:
            f.write("a.json", json.dumps(record["artifact"]))
            verdict = json.loads(f.plumb("check", "--contract", "quiz", "--format", "jsonl", "a.json").out)
            found = [x["schemaLocation"] for x in verdict["findings"] if "shadowedBy" not in x]
            equal(found, [record["schemaLocation"]])
        result = f.plumb("contracts", "sample", "quiz", "--rule", "memberOf")
        code(result, 0)
        f.write("a.json", result.out)
        has(f.plumb("check", "--contract", "quiz", "a.json").out, "must be one of the options")
        code(f.plumb("contracts", "sample", "quiz", "--each-rule", "--output", "faulty"), 0)
        equal(len(os.listdir(os.path.join(f.path, "faulty"))), len(records))


@test
def contracts_sample_tells_what_it_cannot_make():
    with Folder() as f:
        f.write("c.json", {"type": "integer", "minimum": 5, "maximum": 3})
        result = f.plumb("contracts", "sample", "c.json")
        code(result, 2)
        equal(result.out, "")
        has(result.err, "not made: rich: no number was found between its bounds")
        result = f.plumb("contracts", "sample", "quiz", "--rule", "minItem")
        code(result, 2)
        has(result.err, "did you mean 'minItems'")
        code(f.plumb("contracts", "sample", "quiz", "--kind", "rich", "--each-rule"), 2)
        code(f.plumb("contracts", "sample", "quiz", "--count", "0"), 2)


@test
def contracts_sample_makes_a_context_or_uses_the_one_given():
    with Folder() as f:
        f.write("c.json", {"type": "object", "required": ["id"], "properties": {"id": {"memberOf": {"in": "context:/ids/*"}}}})
        record = json.loads(f.plumb("contracts", "sample", "c.json", "--format", "record").out)
        assert record["artifact"]["id"] in record["context"]["ids"], record
        f.write("context.json", {"ids": ["x7"]})
        given = f.plumb("contracts", "sample", "c.json", "--context", "context.json")
        equal(json.loads(given.out), {"id": "x7"})
        lacks(given.err, "leaves out the context")
        has(f.plumb("contracts", "sample", "c.json", "--each-rule").err, "leaves out the context", "--format record")


@test
def explain_knows_the_rules_of_lint():
    result = plumb("explain", "never-holds")
    code(result, 0)
    has(result.out, "Lint of contracts", "No value can satisfy this", "has it", "has not")
    has(plumb("explain").out, "Lint of contracts", "endless-text")
    has(plumb("explain", "never-hold").err, "never-holds")


@test
def explain_knows_every_keyword_and_every_kind_of_finding():
    names = schema_keywords() | set(VOCABULARY) | {"syntax", "duplicateKey", "loneSurrogate", "limit"}
    assert len(names) > 70, names
    listed = plumb("explain").out
    for name in sorted(names):
        result = plumb("explain", name)
        code(result, 0)
        assert result.out.startswith(name + "  "), result
        has(listed, f"  {name} ")
    has(plumb("explain", "minItems").out, "decides", "fix", "contract", "breaks")


@test
def contracts_derive_writes_the_target_and_tells_what_it_leaves_out():
    for target in ("prompt", "openai-strict", "openai", "anthropic", "gemini", "gbnf", "json-schema", "typescript", "zod", "pydantic",
                   "page", "html"):
        result = plumb("contracts", "derive", "quiz", "--to", target)
        code(result, 0)
        has(result.err, target + ": about ", " tokens", "not enforced", "answerable /rules/0")
        equal(plumb("contracts", "derive", "quiz", "-t", target, "-q").err, "")
        whole = json.loads(plumb("contracts", "derive", "quiz", "--to", target, "--format", "json").out)
        equal(whole["text"], result.out)
        equal(whole["residualContract"], plumb("contracts", "derive", "quiz", "--to", target, "--residual").out)
        assert {"target", "contract", "hash", "tokens", "residual", "narrows"} < set(whole)
    has(plumb("contracts", "derive", "quiz", "--to", "gbnf").err, "order of members", "/properties/questions/items")
    with Folder() as f:
        f.write("rest.json", plumb("contracts", "derive", "quiz", "--to", "typescript", "--residual").out)
        code(f.plumb("contracts", "check", "--strict", "rest.json"), 0)


@test
def contracts_derive_says_where_a_contract_cannot_be_expressed():
    with Folder() as f:
        f.write("list.json", {"properties": {"a": {"prefixItems": [{"type": "string"}, {"type": "number"}]}}})
        result = f.plumb("contracts", "derive", "list.json", "--to", "openai-strict")
        code(result, 2)
        has(result.err, "list.json /properties/a", "prefixItems")
        equal(result.out, "")
        f.write("array.json", {"type": "array"})
        result = f.plumb("contracts", "derive", "array.json", "--to", "anthropic")
        code(result, 2)
        has(result.err, "array.json: ", "wants an object at the top")
        result = f.plumb("contracts", "derive", "array.json")
        code(result, 2)
        has(result.err, "--to: prompt, openai-strict")
        code(f.plumb("contracts", "derive", "array.json", "--to", "yaml"), 2)
        deep = {"type": "string"}
        for _ in range(120):
            deep = {"type": "object", "properties": {"a": deep}}
        f.write("deep.json", deep)
        for target in ("typescript", "gbnf", "openai", "prompt"):
            result = f.plumb("contracts", "derive", "deep.json", "--to", target)
            code(result, 2)
            has(result.err, "/properties/a/properties/a", "more than 100 deep")


@test
def explain_says_where_to_look_for_a_rule_of_a_contracts_own():
    result = plumb("explain", "answerable")
    code(result, 2)
    has(result.err, "plumb contracts show")


# ------------------------------------------------------------------------------------------------ help, completion, man


@test
def help_is_there_for_plumb_and_every_command():
    overview = plumb("--help")
    code(overview, 0)
    equal(plumb("help").out, overview.out)
    result = plumb()
    code(result, 2)
    equal(result.out, "")
    equal(result.err, overview.out)
    for command in (
        "check",
        "contracts list",
        "contracts show",
        "contracts check",
        "contracts derive",
        "contracts lint",
        "contracts sample",
        "explain",
        "providers",
        "serve",
        "completion",
        "man",
        "version",
        "help",
    ):
        result = plumb(*command.split(), "--help")
        code(result, 0)
        has(result.out, f"plumb {command}", "--help")
        equal(plumb("help", *command.split()).out, result.out)
        equal(plumb(*command.split(), "-h").out, result.out)
        assert all(len(line) <= 80 for line in result.out.splitlines()), result.out
    # Five commands first, then every other one, by its name or by its group.
    listed = re.findall(r"^  (\w+(?: \w+)?) {2,}\S", overview.out, re.M)
    equal(listed[:5], ["check", "explain", "contracts derive", "make", "serve"])
    synopsis = plumb("man").out.split(".SH SYNOPSIS")[1].split(".SH DESCRIPTION")[0]
    for command in re.findall(r"^\.B plumb (.*)$", synopsis, re.M):
        assert listed.count(command) + (command != command.split()[0] and listed.count(command.split()[0])) >= 1, command
    equal(len(listed), len(set(listed)))
    has(plumb("contracts").err, "contracts list", "contracts show", "contracts check")
    code(plumb("contracts"), 2)
    code(plumb("contracts", "--help"), 0)
    has(plumb("check", "--help").out, "It wins over 1")


@test
def the_version_is_told():
    out = plumb("version")
    code(out, 0)
    assert re.fullmatch(r"plumb \d+\.\d+\.\d+\n", out.out), out
    equal(plumb("--version").out, out.out)


@test
def the_manual_page_is_the_one_in_docs_and_roff_takes_it():
    page = plumb("man")
    code(page, 0)
    with open(os.path.join(ROOT, "docs", "plumb.1"), encoding="utf-8") as file:
        assert file.read() == page.out, "docs/plumb.1 is old: plumb man > docs/plumb.1"
    if shutil.which("groff") is None:
        raise Skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-z"],
        input=page.out.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    equal(done.stderr.decode(), "")


def completed(*words):
    script = plumb("completion", "bash").out
    words_text = " ".join("'" + word + "'" for word in words)
    done = subprocess.run(
        [
            "bash",
            "-c",
            f"{script}\nCOMP_WORDS=({words_text}); COMP_CWORD={len(words) - 1}; _plumb; "
            'printf "%s\\n" "${COMPREPLY[@]}"',
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
    )
    equal(done.stderr.decode(), "")
    return done.stdout.decode().split()


@test
def bash_completes_commands_options_choices_contracts_and_rules():
    equal(completed("plumb", "che"), ["check"])
    equal(completed("plumb", "contracts", ""), ["list", "show", "check", "derive", "diff", "lint", "sample"])
    equal(completed("plumb", "check", "--fo"), ["--format"])
    equal(completed("plumb", "check", "--format", "js"), ["json", "jsonl"])
    equal(completed("plumb", "check", "-c", "qui"), ["quiz"])
    equal(completed("plumb", "contracts", "show", "mind"), ["mindmap"])
    equal(completed("plumb", "explain", "minIt"), ["minItems"])
    equal(completed("plumb", "completion", "z"), ["zsh"])
    equal(completed("plumb", "providers", "--provider-judge", "o"), ["ollama/", "openai/"])
    assert "/usr" in completed("plumb", "check", "/us"), "files are not completed"


@test
def zsh_reads_its_completion():
    if shutil.which("zsh") is None:
        raise Skip("zsh is not installed")
    script = plumb("completion", "zsh").out
    with Folder() as f:
        f.write("_plumb", script)
        done = subprocess.run(
            [
                "zsh",
                "-f",
                "-c",
                f"fpath=({f.path} $fpath); autoload -Uz compinit; compinit -u -D; "
                "print ${_comps[plumb]}; source ./_plumb && print ok",
            ],
            cwd=f.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        equal(done.stderr.decode(), "")
        equal(done.stdout.decode().split(), ["_plumb", "ok"])


@test
def fish_completes():
    if shutil.which("fish") is None:
        raise Skip("fish is not installed")
    with Folder() as f:
        f.write("plumb.fish", plumb("completion", "fish").out)

        def offered(line):
            done = subprocess.run(
                ["fish", "-N", "-c", f"source plumb.fish; complete -C '{line}'"],
                cwd=f.path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment({"HOME": f.path}),
            )
            equal(done.stderr.decode(), "")
            return [entry.split("\t")[0] for entry in done.stdout.decode().splitlines()]

        equal(offered("plumb che"), ["check"])
        equal(offered("plumb check --format js"), ["json", "jsonl"])
        equal(offered("plumb contracts sh"), ["show"])
        equal(offered("plumb explain minIt"), ["minItems"])


# ---------------------------------------------------------------- edits

MODEL_SAYS = """Here is the quiz:

```json
{
  'questions': [
    {
      'question': 'What?',
      'options': ['a', 'b', 'c', 'd'],
      'correct_answer': 'a',
      'explanation': 'It is.',
    },
  ]
}
```
"""
EDITED = """{
  "questions": [
    {
      "question": "What?",
      "options": ["a", "b", "c", "d"],
      "correct_answer": "a",
      "explanation": "It is."
    }
  ]
}
"""


@test
def check_fix_writes_a_file_back_in_one_step_and_keeps_its_mode():
    with Folder() as folder:
        folder.write("answer.json", MODEL_SAYS)
        os.chmod(folder.at("answer.json"), 0o640)
        os.symlink("answer.json", folder.at("link.json"))
        code(folder.plumb("check", "--contract", "quiz", "answer.json"), 1)
        before = folder.read("answer.json")
        equal(before, MODEL_SAYS)
        result = folder.plumb("check", "--contract", "quiz", "--fix", "link.json")
        code(result, 0)
        has(result.out, "edited: turn single quotes into double quotes (12 times)", "fence")
        has(result.err, "1 file was edited")
        equal(folder.read("answer.json").strip(), EDITED.strip())
        equal(os.stat(folder.at("answer.json")).st_mode & 0o777, 0o640)
        assert os.path.islink(folder.at("link.json"))
        equal(sorted(os.listdir(folder.path)), ["answer.json", "link.json"])
        again = folder.plumb("check", "--contract", "quiz", "--fix", "answer.json")
        code(again, 0)
        lacks(again.out + again.err, "edited")


@test
def check_fix_of_standard_input_writes_the_text_to_standard_output_and_the_report_to_standard_error():
    result = plumb("check", "--contract", "quiz", "--fix", "-", stdin=MODEL_SAYS)
    code(result, 0)
    equal(result.out.strip(), EDITED.strip())
    has(result.err, "stdin (quiz)", "edited: ")
    untouched = plumb("check", "--contract", "quiz", "--fix", "-", stdin='{"questions": [1 2]}')
    code(untouched, 1)
    equal(untouched.out, '{"questions": [1 2]}')
    has(untouched.err, "offered: put a comma between two items or members", "(a guess)")


@test
def check_fix_leaves_a_guess_alone_unless_guesses_are_wanted():
    with Folder() as folder:
        folder.write("any.json", "true")
        folder.write("a.json", '["he said "hi" there"]')
        folder.write("b.json", '{"a": [1, 2')
        code(folder.plumb("check", "-c", "./any.json", "--fix", "a.json", "b.json"), 1)
        equal(folder.read("a.json"), '["he said "hi" there"]')
        code(folder.plumb("check", "-c", "./any.json", "--edits", "innerQuote=guess", "a.json"), 0)
        equal(folder.read("a.json"), '["he said "hi" there"]')
        code(folder.plumb("check", "-c", "./any.json", "--fix=guess", "a.json", "b.json"), 1)
        equal(folder.read("a.json"), '["he said \\"hi\\" there"]')
        equal(folder.read("b.json"), '{"a": [1, 2')


@test
def check_fix_edits_the_lines_of_json_lines_and_no_others():
    with Folder() as folder:
        folder.write("any.json", "true")
        text = '{"a": true,}\r\n\n[1 2]\n{b: 1}'
        folder.write("l.jsonl", text)
        diff = folder.plumb("check", "-c", "./any.json", "--diff", "l.jsonl")
        code(diff, 1)
        has(diff.out, "--- l.jsonl\n", '\n-{"a": true,}', '\n+{"a": true}', "@@ -4 +4 @@\n-{b: 1}", '+{"b": 1}')
        equal(folder.read("l.jsonl", newline=""), text)
        code(folder.plumb("check", "-c", "./any.json", "--fix", "l.jsonl"), 1)
        equal(folder.read("l.jsonl", newline=""), '{"a": true}\r\n\n[1 2]\n{"b": 1}')


@test
def check_diff_is_a_patch_that_gives_the_fixed_file():
    with Folder() as folder:
        folder.write("answer.json", MODEL_SAYS)
        folder.write("as_fixed.json", MODEL_SAYS)
        result = folder.plumb("check", "--contract", "quiz", "--diff", "answer.json")
        code(result, 0)
        equal(folder.read("answer.json"), MODEL_SAYS)
        folder.plumb("check", "--contract", "quiz", "--fix", "as_fixed.json")
        if shutil.which("patch"):
            subprocess.run(["patch", "-s", "answer.json"], input=result.out.encode(), cwd=folder.path, check=True)
            equal(folder.read("answer.json"), folder.read("as_fixed.json"))
        colored = folder.plumb("check", "--contract", "quiz", "--diff", "--color", "always", "as_fixed.json")
        lacks(colored.out, "+++")


@test
def check_edits_are_refused_where_they_make_no_sense():
    with Folder() as folder:
        folder.write("a.json", "[]")
        for words, message in (
            (["--stream", "--fix"], "use '--edits'"),
            (["--diff", "--format", "jsonl", "a.json"], "--diff"),
            (["--fix=all", "a.json"], "certain or guess"),
            (["--edits", "some", "a.json"], "there are none, certain and guess"),
            (["--edits", "innerQuotes=guess", "a.json"], "did you mean 'innerQuote'?"),
        ):
            result = folder.plumb("check", "--contract", "quiz", *words)
            code(result, 2)
            has(result.err, message)


@test
def check_fix_of_a_file_that_cannot_be_written_says_so():
    user = restricted_user()
    with Folder() as folder:
        folder.write("answer.json", MODEL_SAYS)
        os.chmod(folder.at("answer.json"), 0o444)
        result = folder.plumb("check", "--contract", "quiz", "--fix", "answer.json", user=user)
        code(result, 2)
        has(result.err, "answer.json: cannot be fixed: permission denied")


@test
def check_edits_stand_in_json_lines_and_sarif():
    line = json.loads(plumb("check", "--contract", "quiz", "--edits", "certain", "--format", "jsonl", "-", stdin=MODEL_SAYS).out)
    equal(line["valid"], True)
    equal(line["edits"][0]["class"], "prose")
    sarif = json.loads(plumb("check", "--contract", "quiz", "--edits", "certain", "--format", "sarif", "-", stdin=MODEL_SAYS).out)
    result = sarif["runs"][0]["results"][0]
    equal(result["ruleId"], "edit/prose")
    replaced = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    equal(replaced["deletedRegion"], {"byteOffset": 0, "byteLength": MODEL_SAYS.index("```")})


@test
def check_ten_megabytes_of_prose_before_the_json_take_bounded_time_and_memory():
    prose = b"This is a long story about nothing. " * 300000
    started = time.monotonic()
    result = plumb("check", "--contract", "quiz", "--edits", "certain", "--format", "jsonl", "-",
                   stdin=prose + EDITED.encode(), limit_bytes=400 << 20)
    code(result, 0)
    assert time.monotonic() - started < 20, "10 MB of prose take too long"
    equal(json.loads(result.out)["edits"][0]["span"]["to"], len(prose))


# ------------------------------------------------------------------------------------------------ serve


POST_CHECK = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Server:
    def __init__(self, *arguments, web=True, env=None, store=True, cwd=None):
        self.folder = Folder()
        f = self.folder.__enter__()
        f.write("web/index.html", "<!doctype html><title>Plumbline</title>")
        f.write("web/assets/index-Ab12_-xy.js", "export const a = 1;\n" * 200)
        f.write("web/assets/plain.css", "a{}")
        f.write("web/plumb-check.wasm", b"\0asm\1\0\0\0")
        f.write("web/.secret", "no")
        f.write("secret.txt", "no")
        os.symlink("../secret.txt", os.path.join(f.path, "web/link.txt"))
        os.symlink("/etc", os.path.join(f.path, "web/etc"))
        if web:
            arguments = ("--web", os.path.join(f.path, "web"), *arguments)
        if store:
            arguments = ("--store", os.path.join(f.path, "runs.db"), *arguments)
        self.process = subprocess.Popen(
            [PLUMB, "serve", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(env),
            cwd=cwd,
            restore_signals=False,
        )
        self.line = self.process.stdout.readline().decode()
        found = re.search(r"http://[^:/]+:(\d+)/", self.line)
        assert found, (self.line, self.process.stderr.read())
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.__exit__()

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, data

    def check(self, body, headers=None):
        status, _, data = self.request(
            "POST",
            "/v1/check",
            json.dumps(body) if not isinstance(body, (bytes, str)) else body,
            {"Content-Type": "application/json", **(headers or {})},
        )
        return status, json.loads(data)

    def raw(self, data, seconds=10.0):
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as s:
            s.sendall(data)
            got = b""
            try:
                while True:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    got += piece
            except (socket.timeout, ConnectionResetError):
                pass
            return got

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(20)


@test
def serve_says_where_it_is_in_one_line_and_serves_the_page():
    with Server() as server:
        assert re.fullmatch(r"Plumbline is at http://127\.0\.0\.1:\d+/\. Ctrl-C ends it\.\n", server.line), server.line
        status, headers, body = server.request("GET", "/")
        equal(status, 200)
        has(body.decode(), "Plumbline")
        equal(headers["content-type"], "text/html; charset=utf-8")
        equal(headers["cache-control"], "no-cache")
        equal(headers["x-content-type-options"], "nosniff")
        has(headers["content-security-policy"], "'wasm-unsafe-eval'", "default-src 'none'", "frame-ancestors 'none'")
        lacks(headers["content-security-policy"], "'unsafe-eval'")
        for path, kind, cache in (
            ("/assets/index-Ab12_-xy.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
            ("/assets/plain.css", "text/css; charset=utf-8", "no-cache"),
            ("/plumb-check.wasm", "application/wasm", "no-cache"),
        ):
            status, headers, body = server.request("GET", path)
            equal((status, headers["content-type"], headers["cache-control"]), (200, kind, cache))
            head = server.request("HEAD", path)
            equal((head[0], head[2], int(head[1]["content-length"])), (200, b"", len(body)))
            again = server.request("GET", path, headers={"If-None-Match": headers["etag"]})
            equal((again[0], again[2]), (304, b""))
        equal(server.end(), 0)


@test
def serve_gives_the_coding_that_was_made_with_the_page_and_makes_none():
    with Server() as server:
        f = server.folder
        plain = ("export const a = 1;\n" * 200).encode()
        path = "/assets/index-Ab12_-xy.js"
        for ending, text in (("br", "as brotli"), ("gz", "as gzip")):
            f.write("web" + path + "." + ending, text)
        f.write("web/plumb-check.wasm.br", "wasm as brotli")

        def asked(accepted, method="GET", path=path, **more):
            headers = {"Accept-Encoding": accepted, **{k.replace("_", "-"): v for k, v in more.items()}}
            return server.request(method, path, headers=headers)

        tags = set()
        for accepted, coding, wanted in (
            ("gzip, deflate, br", "br", b"as brotli"),
            ("br;q=0.5, gzip", "gzip", b"as gzip"),
            ("br;q=0, *", "gzip", b"as gzip"),
            ("identity, br;q=0.9", None, plain),
            ("deflate", None, plain),
        ):
            status, headers, body = asked(accepted)
            equal((status, headers.get("content-encoding"), body), (200, coding, wanted))
            equal((headers["vary"], headers["content-type"]), ("Accept-Encoding", "text/javascript; charset=utf-8"))
            tags.add(headers["etag"])
            head = asked(accepted, "HEAD")
            equal((head[0], head[1]["content-length"], head[1]["etag"]), (200, str(len(wanted)), headers["etag"]))
            known = asked(accepted, If_None_Match='"x", W/' + headers["etag"])
            equal((known[0], known[2], known[1]["vary"]), (304, b"", "Accept-Encoding"))
            other = asked("gzip" if coding == "br" else "br", If_None_Match=headers["etag"])
            equal(other[0], 200)
            part = asked(accepted, Range="bytes=3-5", If_Range=headers["etag"])
            equal((part[0], part[2], part[1].get("content-encoding")), (206, wanted[3:6], coding))
            equal(part[1]["content-range"], f"bytes 3-5/{len(wanted)}")
            equal(asked(accepted, Range="bytes=3-5", If_Range='"old"')[2], wanted)
        equal(len(tags), 3)
        module = asked("br", path="/plumb-check.wasm")
        equal((module[2], module[1]["content-type"]), (b"wasm as brotli", "application/wasm"))
        # What has no coding beside it, has one of an older build, or one that leads elsewhere, is given as it is.
        equal(asked("br, gzip", path="/assets/plain.css")[2], b"a{}")
        old = f.at("web" + path + ".br")
        os.utime(old, (1, 1))
        equal(asked("br")[2], plain)
        os.remove(old)
        os.symlink("../../secret.txt", old)
        equal(asked("br")[2], plain)


@test
def serve_gives_nothing_outside_the_folder():
    with Server() as server:
        for path in (
            "/nope",
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/link.txt",
            "/etc/passwd",
            "/.secret",
            "/assets/../../secret.txt",
            "/assets",
            "/%00",
            "/a%00.html",
            "//etc/passwd",
            "/assets//plain.css",
            "/\\..\\secret.txt",
            "/" + "a" * 5000,
            "/index.html/",
            "/%zz",
        ):
            got = server.raw(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode()
            )
            assert re.match(rb"HTTP/1\.1 4\d\d ", got), (path, got[:200])
            assert b"no\n" not in got.split(b"\r\n\r\n", 1)[-1] and b"root:" not in got, path


@test
def serve_refuses_other_hosts_origins_methods_and_many_ranges():
    with Server() as server:
        for host, wanted in (
            ("evil.example", 421),
            ("127.0.0.1.evil.example", 421),
            ("localhost", 200),
            ("LOCALHOST:80", 200),
            ("[::1]:1", 200),
            ("", 421),
        ):
            equal((host, server.request("GET", "/healthz", headers={"Host": host})[0]), (host, wanted))
        equal(server.request("GET", "/healthz", headers={"Origin": "http://evil.example"})[0], 403)
        equal(server.request("GET", "/healthz", headers={"Origin": "null"})[0], 403)
        equal(server.request("GET", "/healthz", headers={"Origin": f"http://127.0.0.1:{server.port}"})[0], 200)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            status, headers, _ = server.request(method, "/")
            equal((method, status), (method, 405))
            equal(headers["allow"], "GET, HEAD")
        equal(server.request("GET", "/v1/check")[0], 405)
        equal(server.request("GET", "/", headers={"Range": "bytes=0-3"})[2], b"<!do")
        equal(server.request("GET", "/", headers={"Range": "bytes=0-1,1-2,2-3"})[0], 416)


@test
def serve_with_a_host_of_its_own_takes_that_host():
    with Server("--host", "0.0.0.0", env={"PLUMB_TOKEN": "0123456789abcdef"}) as server:
        equal(server.request("GET", "/healthz", headers={"Host": "plumb.example"})[0], 200)
    with Server("--host", "localhost") as server:
        equal(server.request("GET", "/healthz", headers={"Host": "plumb.example"})[0], 421)


@test
def serve_tells_health_and_version():
    with Server() as server:
        equal(json.loads(server.request("GET", "/healthz")[2]), {"status": "ok"})
        equal("plumb " + json.loads(server.request("GET", "/version")[2])["version"] + "\n", plumb("version").out)


@test
def the_check_route_gives_the_verdict_that_the_command_gives():
    text = open(place("quiz_faulty.json"), encoding="utf-8").read()
    wanted = verdicts(plumb("check", "-c", "quiz", "-f", "jsonl", "-", stdin=text).out)[0]
    del wanted["file"]
    with Server() as server:
        status, got = server.check({"contract": "quiz", "text": text})
        equal(status, 200)
        equal(got, wanted)
        # An artifact is judged as it is in the body.
        status, got = server.check('{"contract": "quiz", "artifact": ' + text.strip() + "}")
        equal([finding["span"] for finding in got["findings"]], [finding["span"] for finding in wanted["findings"]])
        with open(os.path.join(ROOT, "core", "contracts", "quiz.json"), encoding="utf-8") as file:
            status, got = server.check('{"contract": ' + file.read() + ', "artifact": {}}')
        equal((status, got["contract"], got["valid"]), (200, "quiz", False))
        status, got = server.check(
            {"contract": {"memberOf": {"in": "context:/ids/*"}}, "artifact": "b", "context": {"ids": ["a"]}}
        )
        equal((status, got["findings"][0]["rule"]), (200, "memberOf"))
        status, got = server.check({"contract": {"format": "date"}, "artifact": "b", "assertFormats": True})
        equal((status, got["findings"][0]["rule"]), (200, "format"))
        status, got = server.check('{"contract": {"type": "string"}, "artifact": 1e400}')
        equal((status, got["valid"]), (200, False))


@test
def the_check_route_says_what_is_wrong_with_a_request():
    with Server() as server:
        for body, wanted, message in (
            ("{", 400, "one JSON object"),
            ("[]", 400, "must be a JSON object"),
            ({"artifact": 1}, 400, "contract"),
            ({"contract": "quiz"}, 400, "artifact"),
            ({"contract": "quiz", "artifact": 1, "text": "1"}, 400, "one of"),
            ({"contract": "quizz", "artifact": 1}, 404, "quizz"),
            ({"contract": 5, "artifact": 1}, 400, "name or a JSON Schema"),
            ({"contract": {"type": "strin"}, "artifact": 1}, 422, ""),
            ({"contract": "quiz", "artifac": 1}, 400, "did you mean"),
            ({"contract": "quiz", "text": 1}, 400, "string"),
            ({"contract": "quiz", "text": "1", "assertFormats": 1}, 400, "true or false"),
            ('{"contract": "quiz", "artifact": {"a": 1, "a": 2}}', 400, "text"),
        ):
            status, got = server.check(body)
            equal((body, status), (body, wanted))
            has(got["detail"], message)
            equal((got["status"], got["instance"]), (wanted, "/v1/check"))
            assert re.fullmatch("plumb:problem/[a-z_]+", got["type"]), got
        status, _, body = server.request("POST", "/v1/check", "{}", {"Content-Type": "text/plain"})
        equal(status, 415)
        equal(server.request("POST", "/v1/check", "", {"Content-Type": "application/json"})[0], 400)


@test
def serve_bounds_bodies_however_they_are_sent():
    with Server("--max-body", "64K") as server:
        headers = {"Content-Type": "application/json"}
        big = b'{"contract": "quiz", "text": "' + b"x" * 200_000 + b'"}'
        got = server.raw(POST_CHECK + b"Content-Length: 999999999999\r\n\r\nxx")
        has(got.decode(), " 413 ")
        chunks = (
            b"".join(b"%x\r\n%s\r\n" % (len(big[i : i + 5000]), big[i : i + 5000]) for i in range(0, len(big), 5000))
            + b"0\r\n\r\n"
        )
        got = server.raw(POST_CHECK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        has(got.decode(), " 413 ")
        packed = gzip.compress(b'{"contract": "quiz", "text": "' + b"x" * 50_000_000 + b'"}')
        assert len(packed) < 65536
        got = server.raw(
            POST_CHECK
            + b"Content-Encoding: gzip\r\nContent-Length: "
            + str(len(packed)).encode()
            + b"\r\n\r\n"
            + packed
        )
        assert got == b"" or re.match(rb"HTTP/1\.1 4\d\d ", got), got[:200]
        got = server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100_000 + b"\r\n\r\n")
        assert got == b"" or re.match(rb"HTTP/1\.1 4\d\d ", got), got[:200]
        equal(server.request("GET", "/healthz")[0], 200)
        equal(server.check({"contract": "quiz", "artifact": {}})[0], 200)
        del headers


@test
def serve_answers_while_others_keep_their_connections_open():
    with Server() as server:
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(48)]
        for s in idle[:24]:
            s.sendall(b"GET / HTTP/1.1\r\nHost:")
        started = time.time()
        equal(server.request("GET", "/healthz")[0], 200)
        assert time.time() - started < 2, "idle connections hold the server up"
        for s in idle:
            s.close()
        results = []

        def ask():
            results.append(server.check({"contract": "quiz", "artifact": BAD_QUIZ})[1]["valid"])

        threads = [threading.Thread(target=ask) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(results, [False] * 100)


@test
def serve_ends_at_sigint_and_sigterm_after_the_request_under_way():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Server() as server:
            s = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            body = json.dumps({"contract": "quiz", "artifact": {}}).encode()
            s.sendall(POST_CHECK + b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body[:5])
            time.sleep(0.3)
            server.process.send_signal(number)
            time.sleep(0.3)
            s.sendall(body[5:])
            has(s.recv(65536).decode(), " 200 OK")
            s.close()
            equal(server.process.wait(20), 0)


@test
def serve_without_a_page_still_checks_and_a_wrong_folder_is_an_error():
    with Folder() as f:
        result = f.plumb("serve", "--port", "0", "--web", f.path)
        code(result, 2)
        has(result.err, "no index.html")
        copied = os.path.join(f.path, "bin", "plumb")
        os.makedirs(os.path.dirname(copied))
        shutil.copy(PLUMB, copied)
        for page in (False, True):
            if page:
                f.write("web/index.html", "beside")
            process = subprocess.Popen(
                [copied, "serve", "--port", "0", "--store", f.at("runs.db")],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
            )
            line = process.stdout.readline().decode()
            port = int(re.search(r":(\d+)/", line).group(1))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/")
            equal(connection.getresponse().status, 200 if page else 404)
            connection.close()
            equal("no page" in line, not page)
            process.terminate()
            equal(process.wait(20), 0)
            process.stdout.close()


@test
def serve_says_when_the_port_or_address_cannot_be_had():
    with Server() as server:
        result = plumb("serve", "--port", str(server.port), timeout=20)
        code(result, 2)
        has(result.err, "the port is in use", "--port")
    result = plumb("serve", "--host", "203.0.113.7", "--port", "0", env={"PLUMB_TOKEN": "0123456789abcdef"}, timeout=20)
    code(result, 2)
    has(result.err, "no such address", "--host")
    code(plumb("serve", "--port", "70000", timeout=20), 2)


@test
def serve_logs_requests_as_json_lines_when_asked():
    with Server("--log", "json", "--log-level", "info") as server:
        server.request("GET", "/healthz")
        server.raw(b'GET /%22%0a"x HTTP/1.1\r\nHost: localhost\r\n\r\n')
        server.request("GET", "/caf%C3%A9/%E2%82%AC")
        equal(server.end(), 0)
        lines = [json.loads(line) for line in server.process.stderr.read().decode().splitlines()]
        assert any(line["message"].startswith("GET /healthz 200") for line in lines), lines
        # What comes in comes out: a name that is not ASCII is that name in the log.
        assert any(line["message"].startswith("GET /café/€ 404") for line in lines), lines
        assert all({"time", "level", "event", "message"} <= set(line) for line in lines), lines
        first = next(line for line in lines if line["event"] == "request")
        equal((first["method"], first["path"], first["status"]), ("GET", "/healthz", 200))
    with Server() as server:
        server.request("GET", "/healthz")
        server.end()
        equal(server.process.stderr.read(), b"")


# ------------------------------------------------------------------------------------------------ run


# No test takes longer: one that waits for what never comes fails, and the suite goes on.
TEST_SECONDS_MAX = 300


def out_of_time(*_):
    raise TimeoutError(f"the test took longer than {TEST_SECONDS_MAX} s")


def run_tests(suite, tests, words):
    """Runs those tests whose sentence has all words, and prints what came of them; gives the exit code."""
    signal.signal(signal.SIGALRM, out_of_time)
    if not os.access(PLUMB, os.X_OK):
        print(f"{PLUMB} is not there: build it, or set PLUMB_BIN")
        print(f"suite {suite}: 0 passed, 1 failed, 0 skipped")
        return 1
    passed = failed = skipped = 0
    for function in tests:
        name = function.__doc__ or function.__name__.replace("_", " ")
        if not all(word in name for word in words):
            continue
        started = time.time()
        signal.alarm(TEST_SECONDS_MAX)
        try:
            function()
            passed += 1
        except Skip as why:
            skipped += 1
            print(f"skip: {name}: {why}")
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED   {name}")
            print("         " + traceback.format_exc().strip().replace("\n", "\n         "))
        finally:
            signal.alarm(0)
        took = time.time() - started
        if took > 10:
            print(f"slow     {name}: {took:.1f} s")
        sys.stdout.flush()
    print(f"suite {suite}: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_tests("cli", TESTS, sys.argv[1:]))
