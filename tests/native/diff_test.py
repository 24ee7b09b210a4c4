#!/usr/bin/env python3
"""`plumb contracts diff`: two contracts beside each other, and real documents under both.

    PLUMB_BIN=build/bin/plumb tests/native/diff_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite diff: N passed, M failed`.
"""
import json
import os
import re
import sys

import cli_test
from cli_test import BAD_QUIZ, GOOD_QUIZ, ROOT, Folder, code, equal, has, lacks

TESTS = []
CARD = {"type": "object", "required": ["n"], "additionalProperties": False,
        "properties": {"n": {"type": "integer", "minimum": 1}, "t": {"type": "string"}}}
LOOSER = {**CARD, "properties": {"n": {"type": "integer", "minimum": 0}, "t": {"type": "string"}}}
PATTERN_A = {"type": "string", "pattern": "^(a|b)$"}
PATTERN_B = {"type": "string", "pattern": "^[ab]$"}


def test(function):
    TESTS.append(function)
    return function


def diff(f, *arguments, **options):
    return f.plumb("contracts", "diff", *arguments, **options)


def accepts(f, contract, document):
    f.write("witness.json", document)
    return f.plumb("check", "-c", contract, "--no-config", "-q", "witness.json").code == 0


@test
def contracts_that_accept_the_same_give_exit_code_0():
    with Folder() as f:
        f.write("a.json", CARD)
        f.write("b.json", {"title": "A card", "$defs": {"c": CARD}, "$ref": "#/$defs/c"})
        done = diff(f, "a.json", "b.json")
        code(done, 0)
        equal(done.out.splitlines(), [
            "a.json → b.json: yes, every document that a.json accepts is accepted by b.json",
            "b.json → a.json: yes, every document that b.json accepts is accepted by a.json"])
        equal(done.err, "")
        lacks(diff(f, "a.json", "b.json", "--ascii").out, "→")


@test
def every_built_in_contract_beside_itself_is_yes():
    with Folder() as f:
        names = [line.split()[0] for line in f.plumb("contracts", "list").out.splitlines() if line and line[0] != " "]
        assert len(names) > 5, names
        for name in names:
            shown = f.plumb("contracts", "show", name, "--json")
            if shown.code != 0:
                continue
            f.write("copy.json", shown.out + "\n")
            done = diff(f, name, "copy.json")
            code(done, 0)


@test
def a_no_shows_a_document_that_plumb_check_judges_so():
    with Folder() as f:
        f.write("a.json", LOOSER)
        f.write("b.json", CARD)
        done = diff(f, "a.json", "b.json", "--format", "json")
        code(done, 1)
        said = json.loads(done.out)
        equal((said["first"]["name"], said["second"]["name"]), ("a.json", "b.json"))
        equal((said["there"]["answer"], said["back"]["answer"]), ("no", "yes"))
        witness = said["there"]["witness"]
        equal(witness["document"], {"n": 0})
        assert accepts(f, "a.json", witness["document"]) and not accepts(f, "b.json", witness["document"])
        finding = witness["findings"][0]
        equal((finding["rule"], finding["at"], finding["schemaLocation"]), ("minimum", "/n", "/properties/n/minimum"))
        text = diff(f, "a.json", "b.json").out
        has(text, "a.json → b.json: no", '{"n":0}', "/n: ", "minimum", "b.json → a.json: yes")


@test
def what_could_not_be_proven_is_unknown_with_its_place_and_exit_code_2():
    with Folder() as f:
        f.write("a.json", {"properties": {"list": {"items": PATTERN_A}}})
        f.write("b.json", {"properties": {"list": {"items": PATTERN_B}}})
        done = diff(f, "a.json", "b.json")
        code(done, 2)
        has(done.out, "unknown", "/properties/list/items/pattern", "at /list/*")
        said = json.loads(diff(f, "a.json", "b.json", "-f", "json").out)
        equal(said["there"]["unproven"][0]["keyword"], "pattern")
        equal(said["there"]["unproven"][0]["at"], "/list/*")


@test
def dialects_are_compared_by_what_they_mean():
    with Folder() as f:
        f.write("a.json", {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}],
                           "additionalItems": False, "dependencies": {"a": ["b"]}})
        f.write("b.json", {"prefixItems": [{"type": "string"}], "items": False, "dependentRequired": {"a": ["b"]}})
        code(diff(f, "a.json", "b.json"), 0)
        f.write("four.json", {"type": "integer"})
        done = diff(f, "a.json", "four.json", "--dialect", "draft-04")
        code(done, 1)
        f.write("d.json", {"format": "date", "type": "string"})
        f.write("e.json", {"type": "string"})
        code(diff(f, "d.json", "e.json"), 0)
        code(diff(f, "d.json", "e.json", "--assert-formats"), 1)


@test
def over_counts_the_documents_whose_verdict_changes_and_names_them():
    with Folder() as f:
        f.write("a.json", LOOSER)
        f.write("b.json", CARD)
        f.write("docs/one.json", {"n": 1})
        f.write("docs/many.jsonl", '{"n": 0}\n\n{"n": 2, "t": "x"}\n{"n": "x"}\n{"n":0,"t":"y"}\nno JSON\n')
        f.write("docs/left.txt", "not looked at")
        done = diff(f, "a.json", "b.json", "--over", "docs")
        code(done, 1)
        has(done.out, "6 documents: 2 accepted by both, 2 refused by both", "2 accepted by a.json and refused by b.json",
            "docs/many.jsonl:1  /n: ", "docs/many.jsonl:5", "0 refused by a.json and accepted by b.json")
        over = json.loads(diff(f, "a.json", "b.json", "--over", "docs/*.jsonl", "--over", "docs/one.json", "-f", "json").out)["over"]
        equal({key: over[key] for key in ("documents", "accepted", "refused", "undecided", "left")},
              {"documents": 6, "accepted": 2, "refused": 2, "undecided": 0, "left": 0})
        equal((over["lost"]["count"], over["gained"]["count"]), (2, 0))
        equal([one["file"] for one in over["lost"]["first"]], ["docs/many.jsonl:1", "docs/many.jsonl:5"])
        done = diff(f, "b.json", "a.json", "--over", "-", stdin='{"n": 0}')
        code(done, 1)
        has(done.out, "1 refused by b.json and accepted by a.json")


@test
def a_real_document_refutes_what_no_made_one_did():
    with Folder() as f:
        f.write("a.json", {"type": "string", "pattern": "^(a|b|qwertyuiop)$"})
        f.write("b.json", {"type": "string", "pattern": "^(a|b)$"})
        f.write("seen.jsonl", '"a"\n"qwertyuiop"\n')
        done = diff(f, "a.json", "b.json", "--over", "seen.jsonl", "--format", "json")
        code(done, 1)
        witness = json.loads(done.out)["there"]["witness"]
        equal((witness["name"], witness["document"]), ("seen.jsonl:2", "qwertyuiop"))
        has(diff(f, "a.json", "b.json", "--over", "seen.jsonl").out, "refuses seen.jsonl:2")


@test
def recorded_traffic_is_read_as_check_reads_it():
    def completion(identifier, content, finish="stop", **message):
        return json.dumps({"id": identifier, "object": "chat.completion", "model": "gpt-4.1", "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}]})

    with Folder() as f:
        shown = json.loads(f.plumb("contracts", "show", "quiz", "--json").out)
        shown["properties"]["questions"]["items"]["properties"]["options"]["minItems"] = 3
        f.write("three.json", shown)
        f.write("log.jsonl", "".join(line + "\n" for line in [
            completion("c1", json.dumps(GOOD_QUIZ)), completion("c2", json.dumps(BAD_QUIZ)),
            completion("c3", "```json\n" + json.dumps(BAD_QUIZ) + "\n```"),
            completion("c4", None, "tool_calls", tool_calls=[
                {"id": "t", "type": "function", "function": {"name": "search", "arguments": "{}"}}])]))
        done = diff(f, "quiz", "three.json", "--over", "log.jsonl", "--from", "openai")
        code(done, 1)
        has(done.out, "3 documents: 1 accepted by both, 1 refused by both", "1 refused by quiz and accepted by three.json",
            "log.jsonl:2  /questions/0/options: ")
        has(done.err, "1 record holds no such answer")
        done = diff(f, "quiz", "three.json", "--over", "log.jsonl", "--from", "openai", "--edits", "certain")
        has(done.out, "2 refused by quiz and accepted by three.json")


@test
def a_context_is_read_by_both():
    with Folder() as f:
        f.write("a.json", {"type": "string", "memberOf": {"in": "context:/names/*"}})
        f.write("b.json", {"type": "string", "memberOf": {"in": "context:/names/*"}, "maxLength": 3})
        f.write("context", {"names": ["abcd", "ef"]})
        done = diff(f, "a.json", "b.json", "--context", "context", "-f", "json")
        code(done, 1)
        said = json.loads(done.out)
        equal((said["there"]["answer"], said["back"]["answer"]), ("no", "yes"))
        equal((said["there"]["witness"]["document"], said["there"]["witness"]["context"]), ("abcd", {"names": ["abcd", "ef"]}))
        f.write("context", "{")
        code(diff(f, "a.json", "b.json", "--context", "context"), 2)


@test
def what_cannot_be_read_is_told_and_gives_exit_code_2():
    with Folder() as f:
        f.write("a.json", CARD)
        f.write("b.json", {"type": "strng"})
        f.write("artifact.json", {"name": "x", "cards": []})
        for arguments, said in ((("a.json",), "two contracts"), ((), "needs A"), (("a.json", "none.json"), "none.json"),
                                (("none.json", "a.json"), "none.json"), (("a.json", "b.json"), "b.json:1"),
                                (("a.json", "artifact.json"), "is it an artifact?"), (("a.json", "quizz"), "quiz"),
                                (("a.json", "a.json", "a.json"), "one too many"),
                                (("a.json", "a.json", "--from", "openai"), "'--over'"),
                                (("a.json", "a.json", "--edits", "certain"), "'--over'"),
                                (("a.json", "a.json", "--over", "a.json", "--calls", "t"), "'--from'")):
            done = diff(f, *arguments)
            code(done, 2)
            has(done.err, said)
            equal(done.out, "")
        done = diff(f, "a.json", "a.json", "--over", "nowhere.json")
        code(done, 2)
        has(done.err, "nowhere.json")
        has(done.out, "yes")


@test
def a_broken_plumb_yaml_is_told():
    with Folder() as f:
        f.write("a.json", CARD)
        f.write("plumb.yaml", "contracts: [\n")
        done = diff(f, "a.json", "a.json")
        code(done, 2)
        has(done.err, "plumb.yaml")
        f.write("plumb.yaml", "artifacts:\n  card: a.json\n")
        code(diff(f, "card", "a.json"), 0)


@test
def the_example_of_the_documentation_is_what_the_command_says():
    with open(os.path.join(ROOT, "docs", "comparing.md"), encoding="utf-8") as file:
        text = file.read()
    files = re.findall(r"^`([\w.]+)`\n\n```json\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    equal([name for name, _ in files], ["old.json", "new.json", "answers.jsonl"])
    command, wanted = re.search(r"^`plumb (contracts diff [^`]*)`\n\n```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE).groups()
    with Folder() as f:
        for name, content in files:
            f.write(name, content)
        done = f.plumb(*command.split())
        code(done, 1)
        equal(done.out, wanted)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("diff", TESTS, sys.argv[1:]))
