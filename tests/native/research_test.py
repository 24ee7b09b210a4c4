#!/usr/bin/env python3
"""`plumb research`, and research over HTTP, driven as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/research_test.py [WORD...]     only tests whose sentence has all words

The documents are three small files; store, index and sockets are real. The last line is `suite research: N passed, M failed`.
"""
import http.server
import json
import os
import sys
import threading

import cli_test
import driven
from driven import equal, holds

DOCUMENTS = {
    "apt/apt-get.md": "# apt-get\n\nThe command apt-get handles packages.\n\n"
                      "The option --purge of apt-get removes configuration files together with the package.\n",
    "apt/sources.md": "# Sources\n\nThe file /etc/apt/sources.list names the archives that packages are fetched from.\n",
    "history.txt": "History of dpkg\n\nThe tool dpkg was written by Ian Murdock in 1994.\n",
}
PURGE = "Which option of apt-get removes configuration files?"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class World(driven.Place):
    """A folder with documents, and what a command leaves behind."""

    def __init__(self):
        super().__init__("research")

    def __enter__(self):
        super().__enter__()
        self.docs = self.path("docs")
        for name, text in DOCUMENTS.items():
            self.file("docs/" + name, text)
        return self

    def plumb(self, *words, corpus=True, **options):
        place = ["--corpus", self.docs] if corpus else []
        return self.run(*words[:1], *place, *words[1:], **options)

    def serve(self, *more):
        return Server(self, "--corpus", self.docs, *more)


class Limited:
    """A SearXNG that has too many questions."""

    def __enter__(self):
        outer = self
        self.asked = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.asked += 1
                self.send_response(429)
                self.send_header("retry-after", "7")
                self.send_header("content-length", "0")
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Server(driven.Server):
    def until(self, run, what):
        """The view, as soon as `what` holds of it."""
        return super().until(f"/v1/runs/{run}", lambda answer: what(answer.get("view", {})))["view"]


@test
def a_question_is_answered_with_file_and_line_and_exit_code_0():
    with World() as world:
        done = world.plumb("research", *PURGE.split())
        equal(done.returncode, 0)
        holds("--purge" in done.stdout and "apt/apt-get.md:5" in done.stdout, done.stdout)
        holds("no model, no key, no tokens" in done.stderr, done.stderr)
        holds("Question 1 answered" in done.stderr, done.stderr)


@test
def json_gives_rounds_searches_gates_and_metrics_and_a_file_takes_the_report():
    with World() as world:
        done = world.plumb("research", "--json", "-q", PURGE)
        equal(done.returncode, 0)
        view = json.loads(done.stdout)
        equal(view["status"], "completed")
        equal(view["result"]["citations"][0]["file"], "apt/apt-get.md")
        holds(view["result"]["citations"][0]["quote"] in view["result"]["citations"][0]["passage"], "the passage has its quote")
        equal(view["result"]["metrics"]["questions"], 1)
        equal([one["round"] for one in view["rounds"]], [1, 2])
        world.plumb("research", "-q", "-o", "report.md", PURGE)
        with open(os.path.join(world.folder.name, "report.md"), encoding="utf-8") as file:
            holds(file.read().startswith("# Which option"), "the report is in the file")


@test
def what_no_document_says_is_said_to_be_missing_with_exit_code_1():
    with World() as world:
        done = world.plumb("research", "-q", "Which colour has the helmet of the submarine Nautilus?")
        equal(done.returncode, 1)
        holds("Nothing was found" in done.stdout and "unmet" in done.stdout and "Missing" in done.stdout, done.stdout)


@test
def what_a_document_is_near_but_does_not_state_is_not_decided_with_exit_code_2_and_the_nearest_passages():
    with World() as world:
        done = world.plumb("research", "-q", "When was the tool apt-get written?")
        equal(done.returncode, 2)
        holds("not decided: " in done.stdout and "## Nearest passages" in done.stdout, done.stdout)
        holds("- met: " not in done.stdout, done.stdout)
        equal(world.plumb("research", "-q", "Who wrote the tool dpkg?").returncode, 0)
        equal(world.plumb("research", "-q", "When was the tool dpkg written?").returncode, 0)


@test
def a_search_that_is_down_is_an_outage_with_exit_code_2_that_says_when_it_may_be_asked_again():
    with World() as world, Limited() as searxng:
        done = world.plumb("research", "--searxng", searxng.url, "How heavy is an adult ocelot?", corpus=False)
        equal(done.returncode, 2)
        holds("The run ended early: search." in done.stdout and "again after 7 s" in done.stdout, done.stdout)
        holds("Ended early: search" in done.stderr, done.stderr)
        equal(searxng.asked, 1)


@test
def a_vague_question_waits_for_an_answer_and_the_same_command_with_one_goes_on():
    with World() as world:
        done = world.plumb("research", "-q", "Explore apt-get.")
        equal(done.returncode, 2)
        equal(done.stdout, "")
        holds("waits for an answer: What about apt-get" in done.stderr, done.stderr)
        again = world.plumb("research", "-q", "Explore apt-get.", "--answer", PURGE)
        equal(again.returncode, 0)
        holds("goes on" in again.stderr and "--purge" in again.stdout, again.stdout + again.stderr)
        listed = json.loads(world.plumb("runs", "list", "--json", corpus=False).stdout.splitlines()[0])
        holds(listed, "the run is in the store")
        equal(world.plumb("research", "-q", "Explore apt-get.", "--answer", PURGE).returncode, 0)
        holds(world.plumb("research", "-q", "--no-ask", "Explore apt-get.").returncode in (0, 1, 2), "it asks nobody")


@test
def mistakes_are_said_with_their_place():
    with World() as world:
        for words, said in [((PURGE,), "--corpus DIR"), (("--limit", "round=2", PURGE), "did you mean 'rounds'?"),
                            (("--limit", "rounds", PURGE), "NAME=NUMBER"), (("--searxng", "ftp://x", PURGE), "--searxng"),
                            (("--provider", "nobody/x", PURGE), "there is no provider 'nobody'")]:
            done = world.plumb("research", *words, corpus="--limit" in words or "--provider" in words)
            equal(done.returncode, 2)
            holds(said in done.stderr, done.stderr)
        holds("no such" in world.plumb("research", "--corpus", "nowhere", PURGE, corpus=False).stderr.lower()
              or world.plumb("research", "--corpus", "nowhere", PURGE, corpus=False).returncode == 2, "a folder that is not there")


@test
def over_http_a_question_of_the_intake_is_answered_by_a_signal_and_a_second_answer_is_told_the_first():
    with World() as world:
        with world.serve() as server:
            status, begun = server.ask("POST", "/v1/runs", {"pipeline": "research", "request": {"question": "Explore apt-get."}})
            equal(status, 202)
            view = server.until(begun["id"], lambda one: "asks" in one)
            equal(view["status"], "asking")
            equal(view["asks"]["signal"], "answer-1")
            equal(server.ask("POST", f"/v1/runs/{begun['id']}/signals/answer-1", {"decision": PURGE})[0], 202)
            status, told = server.ask("POST", f"/v1/runs/{begun['id']}/signals/answer-1", {"decision": "something else"})
            equal(status, 409)
            equal(told["detail"], f'This question was answered already: "{PURGE}"')
            equal(server.ask("POST", f"/v1/runs/{begun['id']}/signals/answer-1", {"decision": PURGE})[0], 202)
            view = server.until(begun["id"], lambda one: "result" in one)
            equal(view["result"]["objective"], PURGE)
            holds("--purge" in view["result"]["report"], view["result"]["report"])
            equal(server.ask("POST", "/v1/runs", {"pipeline": "research", "request": {"question": " "}})[0], 422)


@test
def over_http_a_stop_ends_the_run_with_a_report():
    with World() as world:
        with world.serve() as server:
            begun = server.ask("POST", "/v1/runs", {"pipeline": "research", "request": {"question": "Explore apt-get."}})[1]
            server.until(begun["id"], lambda one: "asks" in one)
            server.ask("POST", f"/v1/runs/{begun['id']}/signals/stop", {})
            server.ask("POST", f"/v1/runs/{begun['id']}/signals/answer-1", {"decision": PURGE})
            view = server.until(begun["id"], lambda one: "result" in one)
            equal(view["result"]["ended"], "stopped")
            equal(view["searches"], 0)


@test
def a_run_that_waits_for_an_answer_outlives_its_server():
    with World() as world:
        with world.serve() as server:
            run = server.ask("POST", "/v1/runs", {"pipeline": "research", "request": {"question": "Explore apt-get."}})[1]["id"]
            server.until(run, lambda one: "asks" in one)
            server.process.kill()
        with world.serve() as server:
            server.until(run, lambda one: "asks" in one)
            server.ask("POST", f"/v1/runs/{run}/signals/answer-1", {"decision": PURGE})
            holds("--purge" in server.until(run, lambda one: "result" in one)["result"]["report"], "it goes on")


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("research", TESTS, sys.argv[1:]))
