#!/usr/bin/env python3
"""`plumb mcp` as a client drives it over standard input: what its tools give, beside what the command line says.

    PLUMB_BIN=build/bin/plumb tests/native/mcp_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite mcp-tools: N passed, M failed`. The suite mcp has the official clients.
"""
import json
import sys

import cli_test
from driven import Place, equal, holds

TESTS = []
BROKEN = {"questions": [{"question": "What is it?", "options": ["a", "b", "c"], "correct_answer": "d", "explanation": "x"}]}


def test(function):
    TESTS.append(function)
    return function


def called(place, tool, arguments, *words):
    """The result of one call."""
    asked = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in (
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                     "clientInfo": {"name": "t", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}))
    done = place.run("mcp", *words, stdin=asked)
    return next(one for one in map(json.loads, done.stdout.splitlines()) if one.get("id") == 2)["result"]


def envelope(result):
    """What the text of a result holds: one object with `result` first and `action` last, twice the same."""
    said = json.loads(result["content"][0]["text"])
    equal(list(said)[0], "result")
    equal(list(said)[-1], "action")
    if not result.get("isError"):
        equal(result["structuredContent"], said)
    return said


@test
def a_contract_has_one_hash():
    """check gives the hash and the findings of the command line, for built-in contracts and those of plumb.yaml"""
    with Place("mcp") as place:
        place.file("plumb.yaml", "artifacts: {poem: poem.json}\n")
        place.file("poem.json", '{\n  "type": "string",\n  "maxLength": 3\n}\n\n')
        for contract, artifact in (("quiz", BROKEN), ("poem", "long")):
            place.file("artifact.json", json.dumps(artifact))
            line = place.run("check", "-c", contract, "artifact.json", "--format", "jsonl").stdout
            by_command = json.loads(line)
            said = envelope(called(place, "check", {"contract": contract, "artifact": artifact}))
            equal((said["result"], said["data"]["hash"]), ("validation_failed", by_command["hash"]))
            equal([one["rule"] for one in said["data"]["findings"]], [one["rule"] for one in by_command["findings"]])


@test
def results_are_envelopes():
    """every tool gives result, data and action, and no action asks for the same call once more"""
    with Place("mcp") as place:
        for tool, arguments, result in (
                ("check", {"contract": {"type": "integer"}, "artifact": 1}, "success"),
                ("check", {"contract": {"type": "integer"}, "text": "[1"}, "validation_failed"),
                ("check", {"contract": {"memberOf": {"in": "context:/names/*"}}, "artifact": "x"}, "undecided"),
                ("explain", {"rule": "minItems"}, "success"),
                ("derive", {"contract": "quiz", "target": "typescript"}, "success"),
                ("lint", {"contract": {"type": "object"}}, "success"),
                ("edits", {"text": "Sure:\n[1,]", "level": "guess"}, "success"),
                ("samples", {"contract": {"type": "integer"}}, "success")):
            said = envelope(called(place, tool, arguments))
            equal((tool, list(said), said["result"]), (tool, ["result", "data", "action"], result))
            for again in ("try again", "retry", "once more"):
                holds(again not in said["action"].lower(), said["action"])


@test
def errors_have_one_form():
    """arguments that break their schema get what --format llm writes, anything else result, error and action"""
    with Place("mcp") as place:
        result = called(place, "check", {"contract": "quizz", "artifact": 1})
        said = envelope(result)
        equal((result["isError"], list(said), said["result"]), (True, ["result", "error", "action"], "error"))
        holds("did you mean 'quiz'" in said["error"], said["error"])
        result = called(place, "derive", {"contract": "quiz", "targett": "page"})
        said = envelope(result)
        equal((result["isError"], said["result"], said["issue_count"]), (True, "validation_failed", 2))
        equal((said["issues"]["missing"][0]["field"], said["issues"]["unknown"]), ("target", ["targett"]))


@test
def a_misspelled_member_is_unknown():
    """a member that no schema names, near one that is missing, is unknown in feedback"""
    with Place("mcp") as place:
        contract = place.file("c.json", json.dumps({
            "type": "object", "required": ["question", "options"],
            "properties": {"question": {"type": "string"}, "options": {"type": "array"}, "option": {"type": "string"}}}))
        artifact = place.file("a.json", '{"questionn": "x", "option": "y", "other": 1}')
        said = json.loads(place.run("check", "-c", contract, artifact, "--format", "llm").stdout)
        equal(said["issues"]["unknown"], ["questionn"])  # `option` is named by the contract, `other` is near nothing
        equal([one["field"] for one in said["issues"]["missing"]], ["question", "options"])
        equal(said["issue_count"], 3)
        strict = json.loads(open(contract, encoding="utf-8").read())
        strict["additionalProperties"] = False
        place.file("c.json", json.dumps(strict))
        said = json.loads(place.run("check", "-c", contract, artifact, "--format", "llm").stdout)
        equal((sorted(said["issues"]["unknown"]), said["issue_count"]), (["other", "questionn"], 4))


@test
def check_says_what_fix_would_do():
    """check says how many findings --fix would fix, certain edits and guesses, and --fix then fixes so many"""
    with Place("mcp") as place:
        contract = place.file("c.json", '{"type": "object", "properties": {"n": {"type": "integer"}, "s": {"maxLength": 1}}}')
        place.file("a.json", '{"n": "5", "s": "long"}')
        place.file("b.json", '{"n": "\\d",}')
        place.file("c1.json", '[1,,2]')
        done = place.run("check", "-c", contract, "a.json")
        equal((done.returncode, "'--fix' would fix 1 of 2 findings" in done.stderr), (1, True))
        done = place.run("check", "-c", contract, "a.json", "--fix")
        equal((done.returncode, open(place.path("a.json"), encoding="utf-8").read()), (1, '{"n": 5, "s": "long"}'))
        done = place.run("check", "-c", contract, "a.json")
        holds("would fix" not in done.stderr, done.stderr)
        done = place.run("check", "-c", contract, "c1.json")
        holds("'--fix=guess' would fix 1 of 2 findings" in done.stderr, done.stderr)
        place.file("lines.jsonl", '{"n": "5"}\n{"n": 5,}\n{"n": 5}\n{"s": "ab"}\n')
        done = place.run("check", "-c", contract, "lines.jsonl")
        holds("would fix" in done.stderr, done.stderr)
        for quiet in (("-q",), ("--format", "jsonl")):
            holds("would fix" not in place.run("check", "-c", contract, "lines.jsonl", *quiet).stderr, quiet)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("mcp-tools", TESTS, sys.argv[1:]))
