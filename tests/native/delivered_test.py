#!/usr/bin/env python3
"""What each outlet hands over is what was judged: held against Python's json, on values in twelve scripts.

    PLUMB_BIN=build/bin/plumb tests/native/delivered_test.py [WORD...]     only tests whose sentence has all words

The outlets: `make` to standard output and to a file, `--json`, `runs result`, `runs show --json`, the routes of jobs and
runs, `contracts sample`. The last line is `suite delivered: N passed, M failed`.
"""
import json
import os
import random
import sys

import cli_test
import driven
from scripted_models import SOURCE, Models
from scripts_text import PHRASES, quiz_of, source_of, text_of

TESTS = []
NUMBERS = ["12345678901234567890123456789", "1.10", "-0", "1e400", "0.1000000000000000055511151231257827", "-7E+2", "3"]


def test(function):
    TESTS.append(function)
    return function


def exactly(text):
    """What Python reads, numbers as they are written."""
    return json.loads(text, parse_int=str, parse_float=str)


class Number(str):
    """A number, as it is to be written."""


def written(value):
    """JSON by Python, with these numbers: a mark stands for each until all is written."""
    numbers = []

    def marked(one):
        if isinstance(one, Number):
            numbers.append(one)
            return f"\x00{len(numbers) - 1}\x00"
        if isinstance(one, dict):
            return {name: marked(child) for name, child in one.items()}
        return [marked(child) for child in one] if isinstance(one, list) else one

    text = json.dumps(marked(value), ensure_ascii=False)
    for n, number in enumerate(numbers):
        text = text.replace(f'"\\u0000{n}\\u0000"', number)
    return text


def generated(script, dice, depth=0):
    """A value: texts of every length around the widths where a line breaks, escapes, numbers, nested to five levels."""
    kind = dice.randrange(7 if depth < 5 else 4)
    if kind < 2:
        return text_of(script, dice.choice([1, 7, 20, 45, 88, 96, 97, 98, 99, 100, 101, 130]), dice.randrange(9))
    if kind == 2:
        return dice.choice([True, False, None, "", "\"\\/\b\f\n\r\t\u0001\u007f\u2028", [], {}])
    if kind == 3:
        return Number(dice.choice(NUMBERS))
    size = dice.choice([1, 2, 3, 4, 6])
    if kind == 4:
        return {text_of(script, 3 + n, n): generated(script, dice, depth + 1) for n in range(size)}
    if kind == 5:  # a flat list as wide as a line may be
        wide = dice.randrange(84, 104)
        return [text_of(script, wide // size, n) for n in range(size)]
    return [generated(script, dice, depth + 1) for _ in range(size)]


def values_of(script, count):
    dice = random.Random("delivered " + script)
    return [generated(script, dice) for _ in range(count)]


@test
def a_sample_of_a_contract_with_one_value_is_that_value_in_every_script_on_one_line_and_on_several():
    with driven.Place("delivered") as place:
        for script in PHRASES:
            value = written(values_of(script, 120))
            contract = place.file("c.json", '{"const": ' + value + "}")
            for arguments in ([], ["--count", "2"]):
                done = place.run("contracts", "sample", contract, *arguments)
                assert done.returncode == 0, (script, done.stderr)
                first = done.stdout if not arguments else done.stdout.split("\n")[0]
                assert exactly(first) == exactly(value), script
            place.run("contracts", "sample", contract, "--output", place.path("out"))
            assert exactly(open(place.path("out/c-rich-1.json"), encoding="utf-8").read()) == exactly(value), script


def wide_quiz(script):
    """A quiz that has lines of every width, and values beside it that its contract says nothing of."""
    lengths = [8, 60, *range(70, 90), 120]
    return json.dumps(quiz_of(script, lengths), ensure_ascii=False)[:-1] + ', "beside": ' + written(
        values_of(script, 12)) + "}", len(lengths)


@test
def an_artifact_in_any_script_is_the_same_at_every_outlet_and_its_contract_says_the_same_of_it():
    with driven.Place("delivered") as place:
        made = {}
        for script in PHRASES:
            quiz, questions = wide_quiz(script)
            value = exactly(quiz)
            with Models(quiz=quiz, repaired=quiz) as models:
                source = source_of(SOURCE, json.loads(quiz))
                make = ("make", "quiz", "-s", place.file("s.md", source), "-O", f"num_questions={questions}", "-q")
                done = place.run(*make, "--json", env=models.environment())
                assert done.returncode == 0, (script, done.stderr)
                job = exactly(done.stdout)
                assert job["result"] == value and job["decision"].startswith("accept"), script
                into = place.path("quiz.json")
                done = place.run(*make, "-o", into, env=models.environment())
                assert done.returncode == 0 and done.stdout == "", (script, done.stderr)
                texts = {"make -o": open(into, encoding="utf-8").read(),
                         "make": place.run(*make, env=models.environment()).stdout,
                         "runs result": place.run("runs", "result", job["job_id"]).stdout}
            shown = exactly(place.run("runs", "show", job["job_id"], "--json").stdout)
            assert shown["view"]["result"] == value, script
            made[script] = (job["job_id"], value, texts)
        with driven.Server(place) as server:
            for script, (run, value, texts) in made.items():
                texts["GET result"] = server.text(f"/v1/runs/{run}/result")
                assert exactly(server.text(f"/v1/runs/{run}"))["view"]["result"] == value, script
                assert exactly(server.text("/ai/artifact/" + run))["result"] == value, script
        for script, (_, value, texts) in made.items():
            for outlet, text in texts.items():
                assert exactly(text) == value, (script, outlet)
                assert text == texts["make"], (script, outlet)
            assert place.run("check", "-c", "quiz", "-", stdin=texts["GET result"]).returncode == 0, script


@test
def what_a_run_accepted_and_its_contract_refuses_is_written_nowhere_and_reported_as_a_bug():
    quiz = quiz_of("russian", [60, 80])
    with driven.Place("delivered") as place, Models(quiz=quiz, repaired=quiz) as models:
        done = place.run("make", "quiz", "-s", place.file("s.md", source_of(SOURCE, quiz)), "-O", "num_questions=2", "-q", "--json",
                         env=models.environment())
        run = json.loads(done.stdout)["job_id"]
        # As a store would have it in which an option has gone from the artifact, in the run's end alone.
        lines = place.run("runs", "export", run).stdout.splitlines()
        end = json.loads(lines[-1])
        end["data"]["artifact"]["questions"][1]["options"].pop()
        lines[-1] = json.dumps(end, ensure_ascii=False, separators=(",", ":"))
        journal = place.file("run.ndjson", "\n".join(lines) + "\n")
        place.run("runs", "delete", run)
        assert place.run("runs", "import", journal).returncode == 0
        into = place.path("quiz.json")
        for outlet in (["runs", "result", journal], ["runs", "result", run, "-o", into], ["runs", "show", "--json", run]):
            done = place.run(*outlet)
            assert done.returncode == 2 and done.stdout == "" and not os.path.exists(into), (outlet, done)
            assert "what would be handed over is not what was judged" in done.stderr, done.stderr
            assert "this is a bug in plumb" in done.stderr, done.stderr
        with driven.Server(place) as server:
            for path in (f"/v1/runs/{run}/result", "/ai/artifact/" + run):
                status, answer = server.ask("GET", path)
                assert status == 500 and "not what was judged" in answer["detail"], (path, status, answer)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("delivered", TESTS, sys.argv[1:]))
