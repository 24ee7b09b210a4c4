#!/usr/bin/env python3
"""`plumb research`, and research over HTTP, driven as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/research_test.py [WORD...]     only tests whose sentence has all words

The documents are three small files; store, index and sockets are real. The last line is `suite research: N passed, M failed`.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
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


def equal(is_, should):
    if is_ != should:
        raise AssertionError(f"is {is_!r}, should be {should!r}")


def holds(yes, what):
    if not yes:
        raise AssertionError(what)


class World:
    """A folder with documents, and what a command leaves behind."""

    def __init__(self, folder):
        self.folder = folder
        self.docs = os.path.join(folder, "docs")
        for name, text in DOCUMENTS.items():
            os.makedirs(os.path.dirname(os.path.join(self.docs, name)), exist_ok=True)
            with open(os.path.join(self.docs, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.env = {key: value for key, value in os.environ.items() if not key.startswith("PLUMB_")}
        self.env.update(HOME=folder, XDG_STATE_HOME=folder, XDG_CACHE_HOME=folder)

    def run(self, *words, corpus=True):
        place = ["--corpus", self.docs] if corpus else []
        return subprocess.run([PLUMB, *words[:1], *place, *words[1:]], cwd=self.folder, env=self.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)

    def serve(self, *more):
        return Server(self, *more)


class Server:
    def __init__(self, world, *more):
        self.process = subprocess.Popen([PLUMB, "serve", "--port", "0", "--corpus", world.docs, *more], cwd=world.folder,
                                        env=world.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.process.stdout.readline()
        self.origin = re.search(r"http://[^/\s]+", line).group(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.process.stdout.close()

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.origin + path, data=data, headers={"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")

    def until(self, run, what):
        """The view, as soon as `what` holds of it; at most 30 seconds."""
        end = time.monotonic() + 30
        while True:
            view = self.ask(f"/v1/runs/{run}")[1].get("view", {})
            if what(view):
                return view
            holds(time.monotonic() < end, f"nothing comes of it: {view}")
            time.sleep(0.02)


@test
def a_question_is_answered_with_file_and_line_and_exit_code_0(world):
    done = world.run("research", *PURGE.split())
    equal(done.returncode, 0)
    holds("--purge" in done.stdout and "apt/apt-get.md:5" in done.stdout, done.stdout)
    holds("no model, no key, no tokens" in done.stderr, done.stderr)
    holds("Question 1 answered" in done.stderr, done.stderr)


@test
def json_gives_rounds_searches_gates_and_metrics_and_a_file_takes_the_report(world):
    done = world.run("research", "--json", "-q", PURGE)
    equal(done.returncode, 0)
    view = json.loads(done.stdout)
    equal(view["status"], "completed")
    equal(view["result"]["citations"][0]["file"], "apt/apt-get.md")
    holds(view["result"]["citations"][0]["quote"] in view["result"]["citations"][0]["passage"], "the passage has its quote")
    equal(view["result"]["metrics"]["questions"], 1)
    equal([one["round"] for one in view["rounds"]], [1, 2])
    world.run("research", "-q", "-o", "report.md", PURGE)
    with open(os.path.join(world.folder, "report.md"), encoding="utf-8") as file:
        holds(file.read().startswith("# Which option"), "the report is in the file")


@test
def what_no_document_says_is_said_to_be_missing_with_exit_code_1(world):
    done = world.run("research", "-q", "Which colour has the helmet of the submarine Nautilus?")
    equal(done.returncode, 1)
    holds("Nothing was found" in done.stdout and "unmet" in done.stdout and "Missing" in done.stdout, done.stdout)


@test
def a_vague_question_waits_for_an_answer_and_the_same_command_with_one_goes_on(world):
    done = world.run("research", "-q", "Explore apt-get.")
    equal(done.returncode, 2)
    equal(done.stdout, "")
    holds("waits for an answer: What about apt-get" in done.stderr, done.stderr)
    again = world.run("research", "-q", "Explore apt-get.", "--answer", PURGE)
    equal(again.returncode, 0)
    holds("goes on" in again.stderr and "--purge" in again.stdout, again.stdout + again.stderr)
    listed = json.loads(world.run("runs", "list", "--json", corpus=False).stdout.splitlines()[0])
    holds(listed, "the run is in the store")
    equal(world.run("research", "-q", "Explore apt-get.", "--answer", PURGE).returncode, 0)
    holds(world.run("research", "-q", "--no-ask", "Explore apt-get.").returncode in (0, 1), "it asks nobody")


@test
def mistakes_are_said_with_their_place(world):
    for words, said in [((PURGE,), "--corpus DIR"), (("--limit", "round=2", PURGE), "did you mean 'rounds'?"),
                        (("--limit", "rounds", PURGE), "NAME=NUMBER"), (("--searxng", "ftp://x", PURGE), "--searxng"),
                        (("--provider", "nobody/x", PURGE), "there is no provider 'nobody'")]:
        done = world.run("research", *words, corpus="--limit" in words or "--provider" in words)
        equal(done.returncode, 2)
        holds(said in done.stderr, done.stderr)
    holds("no such" in world.run("research", "--corpus", "nowhere", PURGE, corpus=False).stderr.lower()
          or world.run("research", "--corpus", "nowhere", PURGE, corpus=False).returncode == 2, "a folder that is not there")


@test
def over_http_a_question_of_the_intake_is_answered_by_a_signal_and_a_second_answer_changes_nothing(world):
    with world.serve() as server:
        status, begun = server.ask("/v1/runs", {"pipeline": "research", "request": {"question": "Explore apt-get."}})
        equal(status, 202)
        view = server.until(begun["id"], lambda one: "asks" in one)
        equal(view["status"], "asking")
        equal(view["asks"]["signal"], "answer-1")
        equal(server.ask(f"/v1/runs/{begun['id']}/signals/answer-1", {"decision": PURGE})[0], 202)
        server.ask(f"/v1/runs/{begun['id']}/signals/answer-1", {"decision": "something else"})
        view = server.until(begun["id"], lambda one: "result" in one)
        equal(view["result"]["objective"], PURGE)
        holds("--purge" in view["result"]["report"], view["result"]["report"])
        equal(server.ask("/v1/runs", {"pipeline": "research", "request": {"question": " "}})[0], 422)


@test
def over_http_a_stop_ends_the_run_with_a_report(world):
    with world.serve() as server:
        begun = server.ask("/v1/runs", {"pipeline": "research", "request": {"question": "Explore apt-get."}})[1]
        server.until(begun["id"], lambda one: "asks" in one)
        server.ask(f"/v1/runs/{begun['id']}/signals/stop", {})
        server.ask(f"/v1/runs/{begun['id']}/signals/answer-1", {"decision": PURGE})
        view = server.until(begun["id"], lambda one: "result" in one)
        equal(view["result"]["ended"], "stopped")
        equal(view["searches"], 0)


@test
def a_run_that_waits_for_an_answer_outlives_its_server(world):
    with world.serve() as server:
        run = server.ask("/v1/runs", {"pipeline": "research", "request": {"question": "Explore apt-get."}})[1]["id"]
        server.until(run, lambda one: "asks" in one)
        server.process.kill()
    with world.serve() as server:
        server.until(run, lambda one: "asks" in one)
        server.ask(f"/v1/runs/{run}/signals/answer-1", {"decision": PURGE})
        holds("--purge" in server.until(run, lambda one: "result" in one)["result"]["report"], "it goes on")


def main():
    words = sys.argv[1:]
    passed = failed = 0
    for function in TESTS:
        name = function.__name__.replace("_", " ")
        if not all(word in name for word in words):
            continue
        with tempfile.TemporaryDirectory(prefix="plumb-research-") as folder:
            try:
                function(World(folder))
                passed += 1
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"FAILED: {name}\n  {type(error).__name__}: {error}")
    print(f"suite research: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
