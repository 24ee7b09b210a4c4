#!/usr/bin/env python3
"""What an earlier version left behind is opened by this one: its store, its journals, its keys and counters, its plumb.yaml.

    PLUMB_BIN=build/bin/plumb tests/native/upgrade_test.py [WORD...]     only tests whose sentence has all words

The folders of tests/cases/upgrade were made by the version they are named after (upgrade_fixtures.py) and are never made
anew. The last line is `suite upgrade: N passed, M failed`.
"""
import gzip
import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import cli_test
import driven
import upgrade_fixtures
from driven import PLUMB, ROOT, equal, holds
from scripted_models import GOOD_QUIZ, Models

KEPT = os.path.join(ROOT, "tests", "cases", "upgrade")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    """A folder as a version has left it."""

    def __init__(self, version):
        super().__init__("upgrade")
        self.version = version

    def __enter__(self):
        super().__enter__()
        with gzip.open(self.kept("runs.db.gz")) as file:
            self.file("runs.db", file.read())
        with open(self.kept("made.json"), encoding="utf-8") as file:
            self.made = json.load(file)
        self.ids = self.made["runs"]
        for name, text in upgrade_fixtures.DOCUMENTS.items():
            self.file(name, text)
        return self

    def kept(self, name):
        return os.path.join(KEPT, self.version, name)

    def plumb(self, *words, code=0, **options):
        done = self.run(*words, **options)
        holds(code is None or done.returncode == code, f"{words}: {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
        return done

    def rows(self):
        return {row["id"]: row for row in json.loads(self.plumb("runs", "list", "--json").stdout)["runs"]}

    def configured(self, upstream):
        with open(self.kept("plumb.yaml"), encoding="utf-8") as file:
            self.file("plumb.yaml", file.read().replace("UPSTREAM", upstream))


def versions():
    found = sorted(name for name in os.listdir(KEPT) if os.path.isdir(os.path.join(KEPT, name)))
    holds(found, "there are versions to come from")
    return found


@test
def a_store_of_every_earlier_version_is_listed_shown_and_exported_as_it_was():
    for version in versions():
        with Place(version) as place:
            rows = place.rows()
            for name, id in place.ids.items():
                equal(rows[id]["state"], "done" if name.startswith("ended") else "waiting")
                with gzip.open(place.kept(name + ".ndjson.gz")) as file:
                    equal(place.plumb("runs", "export", id).stdout, file.read().decode())
                place.plumb("runs", "show", "--entries", id)


@test
def journals_of_every_earlier_version_are_read_imported_and_played():
    for version in versions():
        with Place(version) as place:
            for name, id in place.ids.items():
                with gzip.open(place.kept(name + ".ndjson.gz")) as file:
                    journal = place.file(name + ".ndjson", file.read())
                place.plumb("runs", "show", journal)
                equal(place.plumb("runs", "import", "--store", "other.db", journal).stdout.split()[0], id)
                if name.startswith("ended"):
                    place.plumb("runs", "result", journal, code=None)
                    # Prompts may have changed since; the replies still lead to the same end, or the journal says why not.
                    holds(place.plumb("runs", "replay", journal, code=None).returncode in (0, 1), "it is played")


@test
def runs_that_waited_go_on_with_the_flag_and_their_stored_replies_are_not_asked_for_again():
    for version in versions():
        with Place(version) as place, Models() as models:
            environment = models.environment()
            judge, plan = place.ids["waits_for_judge"], place.ids["waits_for_plan"]
            said = place.plumb("runs", "resume", judge, code=2, env=environment)
            holds("its journal does not say where" in said.stderr and "--provider" in said.stderr, said.stderr)
            equal(models.calls, [])
            done = place.plumb("runs", "resume", judge, "--provider", "openai/test", env=environment)
            equal((json.loads(done.stdout), models.calls), (GOOD_QUIZ, ["judge"]))
            done = place.plumb("runs", "resume", plan, "--provider", "openai/test", code=None, env=environment)
            equal(models.calls[1:3], ["plan", "generate"])
            rows = place.rows()
            equal(rows[judge]["state"], "done")
            holds(rows[plan]["state"] in ("done", "failed"), rows[plan])


@test
def a_run_of_extract_alone_waits_too_and_the_flag_lets_it_go_on():
    for version in versions():
        with Place(version) as place:
            run = place.ids["waits_with_extract"]
            said = place.plumb("runs", "resume", run, code=2)
            holds("what its journal does not say" in said.stderr and "--provider" in said.stderr, said.stderr)
            equal(place.rows()[run]["state"], "waiting")
            done = place.plumb("runs", "resume", run, "--provider", "extract", code=None)
            holds(place.rows()[run]["state"] in ("done", "failed"), done.stderr)
            noted = [json.loads(line) for line in place.plumb("runs", "export", run).stdout.splitlines()]
            equal([one["data"]["chosen_by"] for one in noted if one.get("kind") == "signal"],
                  ["plumb runs resume --provider extract"])


@test
def a_server_takes_up_the_store_asks_nobody_unasked_and_people_and_questions_are_still_waited_for():
    for version in versions():
        with Place(version) as place, Models() as models:
            with driven.Server(place, "--corpus", "corpus", env=models.environment()) as server:
                for name in ("waits_for_judge", "waits_for_plan"):
                    row = server.until(f"/v1/runs/{place.ids[name]}", lambda answer: "problem" in answer)
                    equal(row["state"], "waiting")
                people = place.ids["waits_for_people"]
                view = server.until(f"/api/discovery/runs/{people}",
                                    lambda answer: answer.get("current_stage") == "human_review")
                if view["opportunities"]:
                    decision = {"kind": "decide", "opportunity_id": view["opportunities"][0]["opportunity_id"],
                                "decision": "accepted", "reasoning": "It is asked for.", "by": "ada"}
                    equal(server.ask("POST", f"/v1/runs/{people}/signals/review", decision)[0], 202)
                    server.until(f"/api/discovery/runs/{people}",
                                 lambda answer: [one["accepted"] for one in answer["signals"]] == [True])
                asks = server.ask("GET", f"/v1/runs/{place.ids['waits_for_answer']}")[1]["view"]["asks"]
                holds(asks["question"], asks)
                equal(models.calls, [])


@test
def keys_counters_and_settings_of_every_earlier_version_serve_the_proxy():
    for version in versions():
        with Place(version) as place, Models() as models:
            place.configured(models.url)
            with open(place.kept("client-keys.json"), encoding="utf-8") as file:
                place.file("client-keys.json", file.read())
            with open(place.kept("proxy-counters.json"), encoding="utf-8") as file:
                counters = json.load(file)
            counters["day"] = int(time.time() // 86400)  # as if it had been made today
            place.file("proxy-counters.json", json.dumps(counters))
            listed = json.loads(place.plumb("keys", "list", "--all", "--json").stdout)
            equal([key["name"] for key in listed], ["web", "gone"])
            process = subprocess.Popen([PLUMB, "serve", "--port", "0", "--config", "plumb.yaml"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True, cwd=place.folder.name,
                                       env=place.environment({"PROVIDER_KEY": "sk-none"}))
            try:
                process.stdout.readline()
                port = int(re.search(r"http://[^:/]+:(\d+)", process.stdout.readline()).group(1))
                statuses = []
                for key in (place.made["key"], place.made["key"], "plumb_wrong"):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "You plan. Say yes."}]})
                    connection.request("POST", "/v1/chat/completions", body,
                                       {"Content-Type": "application/json", "Authorization": "Bearer " + key})
                    statuses.append(connection.getresponse().status)
                    connection.close()
                # Three of four requests of the day are counted already.
                equal(statuses, [200, 429, 401])
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(60)
                process.stdout.close()


@test
def a_store_of_a_later_version_is_refused_by_name():
    for version in versions():
        with Place(version) as place:
            place.plumb("runs", "cancel", place.ids["waits_for_plan"])
            database = sqlite3.connect(place.store)
            now = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version = {now + 1}")
            database.commit()
            database.close()
            for words in (("runs", "list"), ("runs", "resume"), ("serve", "--port", "0")):
                said = place.plumb(*words, code=2).stderr
                holds(f"runs.db: is a store of version {now + 1}, this plumb knows versions up to {now}" in said, said)


@test
def a_journal_of_a_later_format_is_refused_by_name():
    with Place(versions()[0]) as place:
        with gzip.open(place.kept("ended_model.ndjson.gz")) as file:
            text = file.read().decode()
        later = place.file("later.ndjson", text.replace('"format":1', '"format":2', 1))
        said = place.plumb("runs", "show", later, code=2).stderr
        holds("the journal has format 2, this program reads format 1" in said, said)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("upgrade", TESTS, sys.argv[1:]))
