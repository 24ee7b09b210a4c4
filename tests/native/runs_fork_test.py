#!/usr/bin/env python3
"""`plumb runs fork` and POST /v1/runs/{id}/fork, from outside: nothing settled is asked for again, the old run stays as it
is, and where a run comes from is shown.

    PLUMB_BIN=build/bin/plumb tests/native/runs_fork_test.py [WORD...]     only tests whose sentence has all words
"""
import json
import os
import signal
import subprocess
import sys

import cli_test
import driven
from driven import PLUMB, ROOT, Server, equal, holds

TESTS = []
CHAPTER = os.path.join(ROOT, "docs", "examples", "chapter.md")


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("fork")

    def runs(self, *arguments, code=0):
        done = self.run("runs", *arguments)
        equal((done.returncode, done.stderr if done.returncode != code else ""), (code, ""))
        return done

    def made(self):
        """A quiz made without a model, and its run."""
        done = self.run("make", "quiz", "--source", CHAPTER, "--output", self.path("quiz.json"))
        equal(done.returncode, 0)
        return json.loads(self.runs("list", "--json").stdout)["runs"][0]["id"]

    def entries(self, run):
        lines = [json.loads(line) for line in self.runs("export", run).stdout.splitlines()]
        return [line for line in lines if "n" in line]


def keys(entries, kind):
    return [entry.get("key") for entry in entries if entry["kind"] == kind]


@test
def a_fork_makes_one_part_anew_and_what_comes_behind_it_and_ends_as_the_old_run_did():
    with Place() as place:
        old = place.made()
        before = place.runs("export", old).stdout
        new = place.runs("fork", old, "--redo", "generate").stdout.strip()
        holds(new and new != old, new)
        place.runs("resume", new, "-o", place.path("again.json"))
        with open(place.path("quiz.json"), encoding="utf-8") as one, open(place.path("again.json"), encoding="utf-8") as two:
            equal(json.load(one), json.load(two))
        entries = place.entries(new)
        fork = entries[0]["data"]["fork"]
        equal((fork["run"], fork["without"]), (old, ["generate"]))
        asked = [entry["key"] for entry in entries[fork["taken"] + 1:] if entry["kind"] == "attempt"]
        equal(asked, keys(place.entries(old), "attempt")[len(asked) * -1:])
        holds("plan:0" not in asked and "generate:0" in asked, asked)
        equal(before, place.runs("export", old).stdout)


@test
def where_a_run_comes_from_is_shown_listed_exported_and_played_to_the_byte():
    with Place() as place:
        old = place.made()
        new = json.loads(place.runs("fork", old, "--at", "4", "--json").stdout)
        equal((new["forked_from"], new["left"]), (old, []))
        new = new["id"]
        holds(f"forked from {old}, " in place.runs("show", new).stdout, "show")
        equal(json.loads(place.runs("show", new, "--json").stdout)["forked_from"], old)
        holds(f"from {old}" in place.runs("list").stdout, "list")
        rows = {row["id"]: row for row in json.loads(place.runs("list", "--json").stdout)["runs"]}
        equal((rows[new].get("forked_from"), rows[old].get("forked_from")), (old, None))
        place.runs("resume", new)
        holds("every byte is the same" in place.runs("replay", new).stdout, "replay")
        # In another store too, where nobody knows the old run; and it can be forked again.
        exported = place.file("fork.ndjson", place.runs("export", new).stdout)
        with Place() as other:
            other.runs("import", exported)
            equal(json.loads(other.runs("list", "--json").stdout)["runs"][0]["forked_from"], old)
            place_again = other.runs("fork", new, "--at", "4").stdout.strip()
            other.runs("resume", place_again)
            holds("every byte is the same" in other.runs("replay", place_again).stdout, "replay")


@test
def with_another_prompt_finished_parts_stay_and_with_a_pin_that_is_none_it_is_refused_with_the_names():
    with Place() as place:
        old = place.made()
        said = place.runs("fork", old, "--at", "4", "--pin", f"prompt-x={CHAPTER}", code=2).stderr
        holds("the run is pinned to no 'prompt-x'; it is to: " in said and "prompt-generate" in said, said)
        for name, text, words in (("prompt-generate", "no front matter", "cannot be pinned to this 'prompt-generate'"),
                                  ("contract-plan", '{"type": 7}', "cannot be pinned to this 'contract-plan'"),
                                  ("contract-plan", "{", "the pin 'contract-plan' is JSON"),
                                  ("asked_of", "{}", "cannot be pinned to this 'asked_of'")):
            said = place.runs("fork", old, "--at", "4", "--pin", f"{name}={place.file('pin', text)}", code=2).stderr
            holds(words in said, (words, said))
        prompt = place.file("generate.md", '---\n{"about": "otherwise"}\n---\nWrite it otherwise: {{source}}\n')
        new = place.runs("fork", old, "--redo", "generate", "--pin", f"prompt-generate={prompt}").stdout.strip()
        entries = place.entries(new)
        holds("Write it otherwise" in place.runs("export", new).stdout, "the prompt")
        holds("plan:0" in keys(entries, "reply"), keys(entries, "reply"))


@test
def what_cannot_be_forked_is_told_before_anything_is_stored():
    with Place() as place:
        old = place.made()
        count = len(place.entries(old))
        for arguments, words in (
                (("--at", str(count + 9)), f"the run has {count} entries; it cannot be cut at entry {count + 9}"),
                (("--redo", "nowhere"), "the run has no part 'nowhere'"),
                ((), "the fork would end at once: nothing is left to ask for; cut it earlier"),
                (("--pin", "prompt-plan"), "is NAME=FILE, not 'prompt-plan'"),
                (("--input", place.file("broken.json", "{")), "broken.json")):
            said = place.runs("fork", old, *arguments, code=2).stderr
            holds(words in said, (words, said))
        holds("rnowhere" in place.runs("fork", "rnowhere", code=2).stderr, "not found")
        equal(len(json.loads(place.runs("list", "--json").stdout)["runs"]), 1)


@test
def a_server_forks_a_run_and_goes_on_with_it_and_says_what_is_wrong_with_a_wish():
    with Place() as place:
        old = place.made()
        with Server(place) as server:
            path = f"/v1/runs/{old}/fork"
            status, made = server.ask("POST", path, {"redo": ["generate"]})
            equal((status, made["forked_from"], sorted(made)), (201, old, ["forked_from", "id", "left", "taken"]))
            done = server.until("/v1/runs/" + made["id"], lambda run: run["state"] != "waiting")
            equal((done["state"], done["forked_from"]), ("done", old))
            for wish, code in (({"at": 0}, 422), ({"at": -1}, 422), ({"at": 99999}, 422), ({"redo": "generate"}, 422),
                               ({"other": 1}, 422), ([], 422), ({"pins": {"prompt-x": "y"}}, 404),
                               ({"input": 7, "redo": ["plan"]}, 422), ({"input": {}, "redo": ["plan"]}, 422),
                               ({"input": {"x": 1}, "redo": ["plan"]}, 422), ({"pins": {"asked_of": "{}"}}, 422)):
                status, answer = server.ask("POST", path, wish)
                equal((wish, status), (wish, code))
                holds(answer["detail"], answer)
            equal(server.ask("POST", "/v1/runs/rnowhere/fork", {})[0], 404)


@test
def a_fork_that_is_killed_goes_on_where_it_was():
    with Place() as place:
        old = place.made()
        new = place.runs("fork", old, "--redo", "plan").stdout.strip()
        for _ in range(3):
            process = subprocess.Popen([PLUMB, "runs", "resume", new], env=place.environment(),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            process.send_signal(signal.SIGKILL)
            process.wait()
        done = place.run("runs", "resume", new)
        holds(done.returncode == 0 or "has ended" in done.stderr, done.stderr)
        holds("every byte is the same" in place.runs("replay", new).stdout, "replay")


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("runs-fork", TESTS, sys.argv[1:]))
