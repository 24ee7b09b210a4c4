#!/usr/bin/env python3
"""`plumb budget` and `plumb models list` as a user drives them, and budgets over HTTP.

    PLUMB_BIN=build/bin/plumb tests/native/budget_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite budget: N passed, M failed, K skipped`.
"""
import base64
import json
import os
import re
import sys

import cli_test
from cli_test import Folder, code, equal, has, plumb
from server_test import JSON, Control

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def cases():
    """(title, operation, request, answer), as tests/native/budget_cases_test.cpp reads them."""
    texts = []
    folder = os.path.join(TOP, "tests/cases/budget")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts.append(file.read())
    with open(os.path.join(TOP, "docs/budget.md"), encoding="utf-8") as file:
        texts += re.findall(r"^```budget\n(.*?)^```", file.read(), re.M | re.S)
    for text in texts:
        for one in re.split(r"^=== ", text, flags=re.M)[1:]:
            title, *asked, answer = one.rstrip("\n").split("\n")
            operation, request = "\n".join(asked).split(" ", 1)
            yield title, operation, request, answer


def objects():
    """The cases that a program can ask: a request that is a JSON object."""
    for title, operation, request, answer in cases():
        try:
            if isinstance(json.loads(request), dict):
                yield title, operation, request, answer
        except ValueError:
            pass


@test
def every_golden_case_comes_out_of_the_command_line_byte_for_byte():
    told = 0
    for title, operation, request, answer in objects():
        if operation in ("tokens", "models"):
            continue   # there the command line takes files, and the history of a store
        result = plumb("budget", operation, "-", "--json", stdin=request)
        equal((title, result.out.rstrip("\n")), (title, answer))
        code(result, 0 if answer.startswith('{"valid":true') else 2)
        told += 1
    assert told > 40, told


@test
def every_golden_case_comes_over_http_byte_for_byte():
    with Control() as server:
        told = 0
        for title, operation, request, answer in cases():
            status, headers, body = server.request("POST", f"/v1/budget/{operation}", request.encode(), JSON)
            equal((title, body.decode()), (title, answer))
            equal((status, headers["content-type"]),
                  (200 if answer.startswith('{"valid":true') else 422, "application/json"))
            told += 1
        assert told > 50, told
        equal(server.conforms("POST", "/v1/budget/window", {"window": 32000})["available"], 25600)
        equal(server.conforms("POST", "/v1/budget/wages", {}, wanted=404)["detail"][:33],
              "there is no operation 'wages'; th")


@test
def members_are_said_one_by_one_as_json_text_or_file():
    with Folder() as folder:
        folder.write("task.md", "Fix the build.\n" * 20)
        folder.write("request.json", {"window": 1000, "system": 5})
        result = plumb("budget", "window", "request.json", "window=32000", "task=@task.md", "plan=Two steps.", "--json",
                       "--model", "gpt-4o", cwd=folder.path)
        code(result, 0)
        answer = json.loads(result.out)
        equal((answer["window"], answer["encoding"], answer["parts"][0]["tokens"]), (32000, "o200k_base", 5))
        assert 60 < answer["parts"][2]["tokens"] < 140, answer
        assert 2 < answer["parts"][1]["tokens"] < 9, answer


@test
def for_people_the_verdict_comes_first_and_then_the_figures():
    result = plumb("budget", "window", "window=32000", "system=2000", "plan=1500", "task=6000", "output=1000")
    code(result, 0)
    equal(result.out.splitlines()[0], "fits: 15,100 tokens are left to work with, at least 8,000")
    has(result.out, "margin                     6,400", "available                 15,100")
    has(plumb("budget", "risk", "retries=4").out, "escalate: 4 retries, more than 3: escalate")
    has(plumb("budget", "pressure", "window=1000", "readings=[701]").out, "orange, consider a checkpoint (pause)")


@test
def what_is_wrong_is_told_with_its_place_and_exit_code_2():
    for words, said in (
        (["window", "windw=1"], "/windw: is not known here; did you mean 'window'?"),
        (["window", "window=-5"], "/window: must not be below 0, and is -5"),
        (["size"], "/files: is missing"),
        (["risk", "policy={\"retries\":{\"response\":\"panic\"}}"], "/policy/retries/response: must be observe"),
        (["window", "no-such-file.json"], "no-such-file.json"),
        (["window", "task=@no-such-file.md"], "no-such-file.md"),
    ):
        result = plumb("budget", *words)
        code(result, 2)
        has(result.err, said)
        equal(result.out, "")
    has(plumb("budget", "window", "model=nobody/knows").err, "note: /model: nothing is known of 'nobody/knows'")


@test
def a_registry_and_the_policy_of_plumb_yaml_are_used():
    with Folder() as folder:
        folder.write("models.json", {"models": [{"name": "local", "context_window": 20000, "sweet_spot": 9000,
                                                 "capabilities": ["coding"]}]})
        folder.write("plumb.yaml", "budget:\n  models: models.json\n  policy:\n    retries: {over: 1, response: pause}\n"
                                   "  thresholds: {pause_percent: 20}\n")
        equal(json.loads(plumb("budget", "window", "model=local", "--json", cwd=folder.path).out)["window"], 20000)
        equal(json.loads(plumb("budget", "risk", "retries=2", "--json", cwd=folder.path).out)["response"], "pause")
        pressed = json.loads(plumb("budget", "pressure", "window=100", "readings=[21]", "--json", cwd=folder.path).out)
        equal((pressed["color"], pressed["response"]), ("green", "pause"))
        equal(json.loads(plumb("budget", "assign", "task=7000", "--json", cwd=folder.path).out)["model"], "local")
        folder.write("other.json", [{"name": "local", "context_window": 30000}])
        other = plumb("budget", "window", "model=local", "--registry", "other.json", "--json", cwd=folder.path)
        equal(json.loads(other.out)["window"], 30000)
        folder.write("plumb.yaml", "budget:\n  polcy: {}\n")
        result = plumb("budget", "risk", "retries=2", cwd=folder.path)
        code(result, 2)
        has(result.err, "unknown key 'polcy' in 'budget' (did you mean 'policy'?)")


def windows_of_a_run(folder, *words, env=None):
    """What the run that this makes says of the windows of its models, and the run's result."""
    made = plumb("make", "quiz", "--source", os.path.join(TOP, "docs/examples/chapter.md"), "--store", "runs.db",
                 "--output", "quiz.json", "--quiet", *words, cwd=folder.path, env=env)
    listed = json.loads(plumb("runs", "list", "--store", "runs.db", "--json", cwd=folder.path).out)
    run = (listed if isinstance(listed, list) else listed["runs"])[0]["id"]
    exported = plumb("runs", "export", run, "--store", "runs.db", cwd=folder.path).out
    begin = next(json.loads(line) for line in exported.splitlines() if '"kind":"begin"' in line)
    return begin["data"]["input"]["monitor"]["windows"], made


@test
def a_run_looks_its_models_up_in_the_registry_that_window_uses():
    phases = ("plan", "generate", "judge", "repair")
    with Folder() as folder:
        folder.write("plumb.yaml", "budget:\n  models: models.json\n")
        folder.write("models.json", {"models": [{"name": "obedient-7", "context_window": 40000, "effective_context": 30000,
                                                 "system_prompt_overhead": 1000}]})
        said = json.loads(plumb("budget", "window", "model=sample/obedient-7", "--json", cwd=folder.path).out)["window"]
        windows, _ = windows_of_a_run(folder, "--provider", "sample/obedient-7")
        equal((said, windows), (31000, dict.fromkeys(phases, 31000)))
        # Its history is found under the one name that the model has in the registry.
        listed = json.loads(plumb("models", "list", "--store", "runs.db", "--json", cwd=folder.path).out)["models"]
        equal([one["name"] for one in listed if one["history"]], ["obedient-7"])
        assert {row["phase"] for row in listed[0]["history"]} >= {"plan", "generate"}, listed[0]
        history = [dict(row, model="sample/obedient-7") for row in listed[0]["history"]]
        chosen = json.loads(plumb("budget", "assign", "task=1000", f"history={json.dumps(history)}", "--json",
                                  cwd=folder.path).out)
        equal((chosen["model"], chosen["candidates"][0]["calls"]), ("obedient-7", sum(row["calls"] for row in history)))
        # The variable goes before plumb.yaml; a window that is too small is told before anything is asked.
        folder.write("small.json", [{"name": "sample/obedient-7", "context_window": 900}])
        windows, made = windows_of_a_run(folder, "--provider", "sample/obedient-7",
                                         env={"PLUMB_MODELS": "small.json"})
        equal(windows, dict.fromkeys(phases, 900))
        assert made.code != 0, made
        has(made.err, "900")
        folder.write("models.json", {"models": [{"name": "sample/obedient-7", "context_window": -1}]})
        refused = plumb("make", "quiz", "--source", os.path.join(TOP, "docs/examples/chapter.md"), "--store", "runs.db",
                        "--provider", "sample/obedient-7", cwd=folder.path)
        code(refused, 2)
        has(refused.err, "models.json", "/models/0/context_window")


@test
def a_model_that_only_runs_have_met_is_listed_with_its_history():
    with Folder() as folder:
        windows_of_a_run(folder, "--provider", "sample/obedient-7")
        listed = json.loads(plumb("models", "list", "--store", "runs.db", "--json", cwd=folder.path).out)["models"]
        equal([(one["name"], one["context_window"]) for one in listed if one["history"]], [("sample/obedient-7", None)])


@test
def utf_16_is_told_as_such_with_its_mark_and_without():
    with Folder() as folder:
        folder.write("good.json", {"type": "object"})
        for name, encoding in (("marked", "utf-16"), ("little", "utf-16-le"), ("big", "utf-16-be")):
            path = os.path.join(folder.path, name + ".json")
            with open(path, "wb") as file:
                file.write('{"type": "object"}'.encode(encoding))
            told = "The text seems to be UTF-16, and JSON must be UTF-8"
            for words in (("check", path, "-c", "good.json"), ("check", "good.json", "-c", path), ("contracts", "check", path),
                          ("budget", "window", path), ("budget", "window", "window=1000", "--registry", path)):
                result = plumb(*words, cwd=folder.path)
                assert result.code != 0, words
                has(result.out + result.err, told)
        with open(os.path.join(folder.path, "mark.json"), "wb") as file:
            file.write(b"\xef\xbb\xbf{}")
        has(plumb("check", "mark.json", "-c", "good.json", cwd=folder.path).out, "must not begin with a byte order mark")


@test
def models_are_listed_with_what_the_runs_of_the_store_show():
    with Folder() as folder:
        text = plumb("models", "list", "--store", "none.db", cwd=folder.path)
        code(text, 2)   # a store that was named must be there
        code(plumb("make", "quiz", "--source", os.path.join(TOP, "docs/examples/chapter.md"), "--store", "runs.db",
                   "--output", "quiz.json", "--quiet", cwd=folder.path), 0)
        listed = json.loads(plumb("models", "list", "--store", "runs.db", "--json", cwd=folder.path).out)
        equal(listed["valid"], True)
        names = [one["name"] for one in listed["models"]]
        assert "gpt-4o" in names, names
        has(plumb("models", "list", "--store", "runs.db", cwd=folder.path).out, "gpt-4o")


@test
def files_are_estimated_and_with_ranks_counted():
    with Folder() as folder:
        folder.write("a.txt", "Every question needs four options.\n")
        folder.write("empty.txt", "")
        result = plumb("budget", "tokens", "a.txt", "empty.txt", "--model", "gpt-4o", "--json", cwd=folder.path)
        code(result, 0)
        answer = json.loads(result.out)
        equal((answer["encoding"], answer["exact"], answer["files"][1]["likely"]), ("o200k_base", False, 0))
        assert 5 <= answer["files"][0]["likely"] <= 9, answer
        ranks = [bytes([byte]) for byte in range(256)] + [b"Ev", b"er", b"Ever", b"Every", b" q"]
        lines = "".join(f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(ranks))
        folder.write("ranks.tiktoken", lines)
        exact = plumb("budget", "tokens", "a.txt", "--tokenizer", "ranks.tiktoken", "--json", cwd=folder.path)
        # 35 bytes; "Every" is one token, " q" another.
        equal(json.loads(exact.out)["files"][0]["likely"], 35 - 4 - 1)
        for text, said in (("AA== 0\n", "no token for byte 1"), ("nonsense\n", "line"), ("QQ== x\n", "no rank")):
            folder.write("bad.tiktoken", text)
            wrong = plumb("budget", "tokens", "a.txt", "--tokenizer", "bad.tiktoken", cwd=folder.path)
            code(wrong, 2)
            has(wrong.err, "bad.tiktoken", said.replace("line", "base64"))


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("budget", TESTS, sys.argv[1:]))
