#!/usr/bin/env python3
"""`plumb workflow` with models: a developer that answers, one that converses, a planner and a reviewer, behind OpenAI's interface on loopback.

    PLUMB_BIN=build/bin/plumb tests/native/workflow_model_test.py [WORD...]     only tests whose sentence has all words

What the scripted models say they work out of what they were sent, and of nothing else. The last line is `suite workflow-model: ...`.
"""
import http.server
import json
import os
import re
import socketserver
import subprocess
import sys
import threading

import cli_test
from cli_test import code, equal, has, plumb
from workflow_test import Repository, git

TESTS = []
MODELS = json.dumps([{"name": "openai/test", "context_window": 32000}])
PARTIAL = ("--isolation", "partial")


def test(function):
    TESTS.append(function)
    return function


class Models:
    """`answer(who, request, text)` gives a text, a list of (tool, arguments), or (either, input tokens reported)."""

    def __init__(self, answer):
        self.calls = []
        self.errors = []
        models = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = "\n".join(message.get("content") or "" for message in request["messages"])
                system = request["messages"][0]["content"]
                who = re.match(r"You are a (reviewer of plans|\w+)", system).group(1)
                models.calls.append((who, request, text))
                try:
                    said = answer(who, request, text)
                except Exception as error:  # told by the test, at its end
                    models.errors.append(error)
                    self.send_error(400)
                    return
                said, used = said if isinstance(said, tuple) else (said, 10)
                delta = {"content": said} if isinstance(said, str) else {"tool_calls": [
                    {"index": i, "id": f"c{len(models.calls)}-{i}", "type": "function",
                     "function": {"name": name, "arguments": json.dumps(arguments)}} for i, (name, arguments) in enumerate(said)]}
                piece = {"choices": [{"index": 0, "delta": delta, "finish_reason": "stop" if isinstance(said, str) else "tool_calls"}],
                         "usage": {"prompt_tokens": used, "completion_tokens": 5}}
                out = ("data: " + json.dumps(piece) + "\n\ndata: [DONE]\n\n").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a caller that was killed

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.server.shutdown()
        self.server.server_close()
        if self.errors:
            raise self.errors[0]

    def environment(self):
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{self.server.server_port}/v1", "OPENAI_API_KEY": "sk-test-0123456789"}

    def of(self, who):
        return [(request, text) for one, request, text in self.calls if one == who]


def run(repository, models, *words, provider=("--provider", "openai/test")):
    repository.env.update(models.environment())
    return repository.workflow("run", *words, *PARTIAL, *provider, "--base-failures", "warn", timeout=120)


def edit(path, find, replace, **more):
    return json.dumps({"result": "done", "changes_summary": "Changed.", "files_modified": [path],
                       "edits": [{"path": path, "find": find, "replace": replace}], **more})


def expression(text):
    """What sum() returns in the file as it was shown."""
    return re.findall(r"int sum\(int a, int b\) \{ return ([^;]*); \}", text)[-1]


def developer(text):
    """First a wrong guess; then the number that the gate wanted; then the comment that the reviewer asked for."""
    now = expression(text)
    wanted = re.findall(r"expected (\d+), got (-?\d+)", text)
    if "say what it returns" in text:
        return edit("src/sum.cpp", "int sum(int a", "// The sum of both.\nint sum(int a")
    if wanted:
        return edit("src/sum.cpp", f"return {now};", f"return {wanted[-1][0]} - 5 + a + b;")
    return edit("src/sum.cpp", f"return {now};", "return a * b;")


def review(text, **more):
    """Approves what it is given, with a changed line for each criterion, and an entry for each SOP."""
    ids = re.search(r"`criteria`: one entry for each of these: ([^.]*)\.", text).group(1).split(", ")
    sops = re.search(r"and for no other: ([^.]*?\.?[^.]*)\. `status`", text)
    line = re.findall(r"^\+(?!\+)(.*return.*)$", text, re.M)[-1]
    said = {"verdict": "approved", "rejection_type": None, "confidence": 0.9, "feedback": "Good.", "patterns": [],
            "sop_review": [{"sop_id": one, "status": "passed", "evidence": line} for one in (sops.group(1).split(", ") if sops else [])],
            "criteria": [{"criterion": one, "met": True, "evidence": line} for one in ids]}
    return json.dumps({**said, **more})


@test
def a_model_mends_what_its_gate_and_its_reviewer_say_and_is_approved_with_proof():
    def answer(who, _, text):
        if who == "developer":
            return developer(text)
        if "The sum of both" not in text:
            return review(text, verdict="rejected", rejection_type="fixable", feedback="A comment should say what it returns.")
        return review(text)

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        done = run(r, models, "--task", "sum adds", "--files", "src/sum.cpp")
        code(done, 0)
        view = r.status()
        task = view["tasks"][0]
        equal((view["decision"], task["state"], task["runs"], task["reviews"]), ("accept", "landed", 3, 2))
        equal([one["review"]["outcome"] for one in task["rounds"] if "review" in one], ["developer", "approved"])
        equal(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"),
              '#include "sum.hpp"\n// The sum of both.\nint sum(int a, int b) { return 5 - 5 + a + b; }\n')
        equal(len(models.of("developer")), 3)
        for _, text in models.of("reviewer"):
            assert "a * b" not in text and "expected 5, got 6" not in text, text  # nothing of tries that were not its own


@test
def a_review_that_quotes_what_is_not_there_approves_nothing():
    def answer(who, _, text):
        if who == "developer":
            return edit("src/sum.cpp", f"return {expression(text)};", f"return {'a + b' if 'a - b' in expression(text) else 'b + a'};")
        return review(text, criteria=[{"criterion": "A1", "met": True, "evidence": "all tests of the project passed"}])

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        code(run(r, models, "--task", "sum adds", "--files", "src/sum.cpp"), 2)
        task = r.status()["tasks"][0]
        equal(task["state"], "escalated")
        assert task["reviews"] <= 3, task["reviews"]
        assert all(one["review"]["outcome"] != "approved" for one in task["rounds"] if "review" in one)


FORMS = {
    "a code fence around the JSON": lambda now, then: "Here you are:\n```json\n" + edit("src/sum.cpp", now, then) + "\n```\nIt adds now.",
    "a trailing comma": lambda now, then: edit("src/sum.cpp", now, then)[:-1] + ",}",
    "another indentation": lambda now, then: edit("src/sum.cpp", "  int sum(int a, int b) { " + now + " } ", "  int sum(int a, int b) { " + then + " }"),
    "a whole file": lambda _, then: f'src/sum.cpp\n```cpp\n#include "sum.hpp"\nint sum(int a, int b) {{ {then} }}\n```\n',
    "a SEARCH block": lambda now, then: f"src/sum.cpp\n<<<<<<< SEARCH\nint sum(int a, int b) {{ {now} }}\n=======\nint sum(int a, int b) {{ {then} }}\n>>>>>>> REPLACE\n",
    "a diff with wrong numbers": lambda now, then: "```diff\n--- a/src/sum.cpp\n+++ b/src/sum.cpp\n@@ -71,9 +80,3 @@\n #include \"sum.hpp\"\n"
                                                   f"-int sum(int a, int b) {{ {now} }}\n+int sum(int a, int b) {{ {then} }}\n```\n",
}


@test
def every_form_of_an_answer_costs_no_retry_and_files_named_by_a_pattern_are_shown():
    for name, form in FORMS.items():
        def answer(who, _, text, form=form):
            return form("return a - b;", "return a + b;") if who == "developer" else "```json\n" + review(text) + "\n```"

        with Repository() as r, Models(answer) as models:
            r.workflow("trust", "--yes")
            done = run(r, models, "--task", "sum adds", "--files", "src/**")
            assert done.code == 0, (name, done.out, done.err)
            task = r.status()["tasks"][0]
            equal((name, task["state"], task["runs"], task["reviews"]), (name, "landed", 1, 1))
            equal(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"), '#include "sum.hpp"\nint sum(int a, int b) { return a + b; }\n')
            equal((len(models.of("developer")), len(models.of("reviewer"))), (1, 1))
            has(models.of("developer")[0][1], "int sum(int a, int b) { return a - b; }")
            has(models.of("developer")[0][1], "File src/sum.hpp:")


@test
def an_edit_that_does_not_apply_is_told_and_changes_nothing():
    def answer(who, _, text):
        if who != "developer":
            return review(text)
        if "is not in the file" in text:
            return FORMS["a SEARCH block"]("return a - b;", "return a + b;")
        return FORMS["a SEARCH block"]("return a % b;", "return a + b;")

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        code(run(r, models, "--task", "sum adds", "--files", "src/*.cpp"), 0)
        equal(r.status()["tasks"][0]["runs"], 2)
        has(models.of("developer")[1][1], "edit 1, of 'src/sum.cpp': what it replaces is not in the file")


@test
def a_lazy_or_contradictory_review_is_asked_again_of_the_reviewer_and_not_of_the_developer():
    lazy = {"no evidence": {"criteria": [{"criterion": "A1", "met": True, "evidence": "I looked at it"}]},
            "no entry": {"criteria": []},
            "approved and not met": {"criteria": [{"criterion": "A1", "met": False, "evidence": "it fails"}]}}
    for name, more in lazy.items():
        def answer(who, _, text, more=more):
            if who == "developer":
                return edit("src/sum.cpp", "return a - b;", "return a + b;")
            return review(text) if "cannot be used" in text else review(text, **more)

        with Repository() as r, Models(answer) as models:
            r.workflow("trust", "--yes")
            done = run(r, models, "--task", "sum adds", "--files", "src/sum.cpp")
            assert done.code == 0, (name, done.out, done.err)
            task = r.status()["tasks"][0]
            equal((name, task["runs"], task["reviews"]), (name, 1, 1))
            equal((len(models.of("developer")), len(models.of("reviewer"))), (1, 2))


@test
def conventions_are_listed_with_how_often_they_were_shown_cited_and_contradicted():
    pattern = {"name": "Sums in place", "pattern": "A sum is computed in place.", "applies_to": ["src/*.cpp"]}
    asks = []

    def answer(who, _, text):
        if who == "developer":
            return edit("src/sum.cpp", f"return {expression(text)};", f"return {'b + a' if 'a + b' in expression(text) else 'a + b'};")
        asks.append(text)
        if len(asks) == 3:
            return review(text, verdict="rejected", rejection_type="fixable", feedback="This breaks the convention 'Sums in place'.")
        return review(text, patterns=[pattern] if len(asks) < 3 else [])

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        code(run(r, models, "--task", "sum adds", "--files", "src/sum.cpp"), 0)
        has(r.workflow("conventions").out, "seen once  shown 0, cited 0, contradicted 0")
        r.workflow("conventions", "--confirm", "sums-in-place", "--by", "ann")
        code(run(r, models, "--task", "sum adds again", "--files", "src/sum.cpp"), 0)
        has(r.workflow("conventions").out, "in use  shown 1, cited 1, contradicted 0")
        run(r, models, "--task", "sum adds once more", "--files", "src/sum.cpp")
        has(r.workflow("conventions").out, "in use  shown 3, cited 2, contradicted 1")
        run(r, models, "--task", "sum adds once more", "--files", "src/sum.cpp")  # the same run, told again
        has(r.workflow("conventions").out, "in use  shown 3, cited 2, contradicted 1")


class Converser:
    """Works with its tools, a step a turn; what it does next it works out of the answers that it has got."""

    def __init__(self, used=lambda turns: 10):
        self.used = used

    def __call__(self, who, request, text):
        if who != "developer":
            return review(text)
        messages = request["messages"]
        turns = sum(1 for one in messages if one["role"] == "assistant")
        return self.next(messages, text), self.used(turns)

    @staticmethod
    def next(messages, text):
        answers = [json.loads(one["content"]) for one in messages if one["role"] == "tool"]
        names = {call["id"]: call["function"]["name"] for one in messages if one["role"] == "assistant" for call in one.get("tool_calls", [])}
        asked = [names[one["tool_call_id"]] for one in messages if one["role"] == "tool"]
        if not asked:
            return [("list_files", {"under": "src"}), ("search", {"text": "RETURN ", "under": "src/", "ignore_case": True}),
                    ("search", {"text": "no line has this"}), ("search", {"text": "x", "under": "../.."}), ("read_file", {"path": "src/sum.cpp"})]
        now = [one["text"] for one in answers if "text" in one]
        if asked[-1] in ("read_file", "list_files"):
            found, none, refused = [one for one, name in zip(answers, asked) if name == "search"][:3]
            assert [(one["path"], one["line"]) for one in found["found"]] == [("src/sum.cpp", 2)], found
            assert "return" in found["found"][0]["text"] and none["result"] == "no_results" and refused["result"] == "error", (none, refused)
            guess = "a + b" if "earlier conversation" in text else "a * b"
            return [("note_decision", {"id": "D1", "text": "The sum is computed in place.", "why": "ZEBRA was said to be slower."}),
                    ("edit_files", {"edits": [{"path": "src/sum.cpp", "find": f"return {expression(now[-1])};", "replace": f"return {guess};"}]})]
        if asked[-1] == "edit_files":
            assert answers[-1]["result"] == "success", answers[-1]
            return [("run_gates", {})]
        if asked[-1] == "run_gates" and not answers[-1]["passed"]:
            assert "expected 5, got 6" in answers[-1]["output"], answers[-1]
            return [("read_file", {"path": "src/sum.cpp"}), ("edit_files", {"edits": [
                {"path": "src/sum.cpp", "find": "return a * b;", "replace": "return a + b;"}]})]
        if asked[-1] == "run_gates":
            return [("note_met", {"criterion": "A1", "evidence": "int sum(int a, int b) { return a + b; }"})]
        return [("submit", {"result": "done", "changes_summary": "sum() adds.", "files_modified": ["src/sum.cpp"]})]


@test
def a_model_converses_edits_runs_gates_and_submits_and_no_gate_is_run_twice():
    with Repository() as r, Models(Converser()) as models:
        r.workflow("trust", "--yes")
        done = run(r, models, "--task", "sum adds", "--files", "src/sum.cpp", "--developer", "conversation")
        code(done, 0)
        view = r.status()
        task = view["tasks"][0]
        equal((task["state"], task["runs"], task["reviews"]), ("landed", 1, 1))
        has(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"), "return a + b;")
        equal(task["rounds"][0]["gates"][0]["outcome"], "passed")
        entries = [json.loads(line) for line in plumb("runs", "export", view["run_id"], cwd=r.repo, env=r.env).out.splitlines()]
        equal(sum(one.get("kind") == "attempt" and one.get("name") == "command" for one in entries), 3)  # the base, and the two trees
        has(done.err, "conversation: 7 turns")


@test
def a_conversation_whose_window_fills_is_checkpointed_and_a_fresh_one_knows_only_what_was_noted():
    # The third turn of the first conversation reports 72 % of its window.
    first = {"left": True}

    def used(turns):
        if first["left"] and turns == 2:
            first["left"] = False
            return 23_000
        return 10

    with Repository(more="budget: {models: models.json}\n") as r, Models(Converser(used)) as models:
        r.write("repo/models.json", MODELS)
        r.workflow("trust", "--yes")
        done = run(r, models, "--task", "sum adds", "--files", "src/sum.cpp", "--developer", "conversation")
        code(done, 0)
        task = r.status()["tasks"][0]
        equal((task["state"], task["runs"]), ("landed", 1))
        kept = task["checkpoints"]
        equal([(one["number"], one["open"], one["files"]) for one in kept], [(1, ["A1"], ["src/sum.cpp"])])
        equal(kept[0]["decisions"][0]["text"], "The sum is computed in place.")
        fresh = [request for request, text in models.of("developer") if "An earlier conversation has worked on this" in text]
        assert fresh
        equal(len(fresh[0]["messages"]), 2)
        told = fresh[0]["messages"][1]["content"]
        has(told, "The sum is computed in place.", "changed: src/sum.cpp", "Continuation 1")
        for request in fresh:
            for sentence in ("expected 5, got 6", "c1-0"):
                assert sentence not in json.dumps(request["messages"]), sentence
        equal(git(r.repo, "for-each-ref", "refs/plumb/"), "")


@test
def at_red_without_a_criterion_met_a_person_is_asked_and_the_work_so_far_is_kept():
    with Repository(more="budget: {models: models.json}\n") as r, Models(Converser(lambda turns: 26_000 if turns == 2 else 10)) as models:
        r.write("repo/models.json", MODELS)
        r.workflow("trust", "--yes")
        code(run(r, models, "--task", "sum adds", "--files", "src/sum.cpp", "--developer", "conversation"), 2)
        view = r.status()
        equal(view["tasks"][0]["state"], "escalated")
        has(view["asks"]["question"], "no criterion was met")
        has(git(r.repo, "for-each-ref", "refs/plumb/"), "refs/plumb/" + view["run_id"])
        has(r.workflow("diff", view["run_id"]).out, "return a * b;")


@test
def a_conversation_killed_at_any_time_goes_on_where_it_was_and_pays_nothing_twice():
    with Repository() as r:
        r.workflow("trust", "--yes")
        lag = 0.12

        def slow(who, request, text):
            threading.Event().wait(lag)
            return Converser()(who, request, text)

        with Models(slow) as models:
            code(run(r, models, "--task", "sum adds", "--files", "src/sum.cpp", "--developer", "conversation"), 0)
            whole = len(models.calls)
            wanted = git(r.repo, "show", "plumb/sum-adds:src/sum.cpp")
        for step in range(6):
            git(r.repo, "update-ref", "-d", "refs/heads/plumb/sum-adds")
            store = r.at(f"runs-{step}.db")
            with Models(slow) as models:
                r.env.update(models.environment())
                words = [cli_test.PLUMB, "workflow", "run", "--task", "sum adds", "--files", "src/sum.cpp", "--developer", "conversation",
                         *PARTIAL, "--provider", "openai/test", "--base-failures", "warn", "--store", store]
                process = subprocess.Popen(words, cwd=r.repo, env=cli_test.environment(r.env), stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                try:
                    process.wait(timeout=0.5 + 0.35 * step)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(timeout=30)
                shown = r.workflow("status", "--json", "--store", store)
                if not shown.out:
                    continue  # killed before it was begun
                resumed = plumb("runs", "resume", "--store", store, "--repository", "here=.", *PARTIAL, "--provider", "openai/test",
                                cwd=r.repo, env=r.env, timeout=120)
                task = json.loads(r.workflow("status", "--json", "--store", store).out)["tasks"][0]
                equal((step, task["state"]), (step, "landed"))
                equal(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"), wanted)
                # The one that was under way is asked again, and no other.
                assert whole <= len(models.calls) <= whole + 1, (step, len(models.calls), whole, resumed.err)


@test
def a_task_that_asks_for_the_wrong_thing_is_revised_once_and_the_planner_sees_no_diff():
    def answer(who, _, text):
        if who == "planner":
            assert "+int sum" not in text and "diff --git" not in text, text
            has(text, "sum() is declared elsewhere")
            return json.dumps({"id": "T1", "description": "sum adds, and its header says so",
                               "files": [{"path": "src/sum.cpp", "access": "write"}, {"path": "src/sum.hpp", "access": "write"}],
                               "acceptance": ["The header says that sum adds", "sum(2, 3) is 5"]})
        if who == "developer":
            if "src/sum.hpp:" in text:
                return edit("src/sum.hpp", "int sum(", "// Returns the sum; to return it is all it does.\nint sum(")
            return edit("src/sum.cpp", "return a - b;", "return a + b;")
        if "A2" not in text:
            return review(text, verdict="rejected", rejection_type="misscoped", feedback="sum() is declared elsewhere: the header has to say it.")
        return review(text)

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        done = run(r, models, "--task", "sum adds", "--files", "src/sum.cpp")
        code(done, 0)
        task = r.status()["tasks"][0]
        equal((task["state"], task["runs"], task["reviews"], task["description"]), ("landed", 2, 2, "sum adds, and its header says so"))
        has(git(r.repo, "show", "plumb/sum-adds:src/sum.hpp"), "Returns the sum")
        has(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"), "a + b")
        equal(len(models.of("planner")), 1)
        has(done.err, "the task was revised")


@test
def a_task_that_is_wrong_a_second_time_goes_to_a_person():
    def answer(who, _, text):
        if who == "planner":
            return json.dumps({"id": "T1", "description": "another", "files": [{"path": "src/sum.cpp"}], "acceptance": ["It adds"]})
        if who == "developer":
            now = expression(text)
            return edit("src/sum.cpp", f"return {now};", "return a + b;" if now != "a + b" else "return b + a;")
        return review(text, verdict="rejected", rejection_type="architectural", feedback="Not so.")

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        code(run(r, models, "--task", "sum adds", "--files", "src/sum.cpp"), 2)
        view = r.status()
        equal((view["tasks"][0]["state"], view["tasks"][0]["reviews"], len(models.of("planner"))), ("escalated", 2, 1))
        has(view["asks"]["question"], "was revised once already")


@test
def a_task_that_writes_too_many_files_is_cut_by_a_planner_and_every_criterion_goes_to_one_part():
    files = [f"src/f{i}.txt" for i in range(6)]

    def answer(who, _, text):
        if who == "planner":
            has(text, "A1: The even ones are there", "A2: The odd ones are there", "src/f5.txt")
            if "could not be used" not in text:  # a criterion is left out: it is told, and asked again
                return json.dumps({"parts": [{"part": "a", "description": "x"}, {"part": "b", "description": "y"}],
                                   "criteria": [{"id": "A1", "part": "a"}], "scenarios": [],
                                   "files": [{"path": one, "part": "ab"[i % 2]} for i, one in enumerate(files)]})
            has(text, "missing A2")
            return json.dumps({"parts": [{"part": "a", "description": "The first"}, {"part": "b", "description": "The others", "after": ["a"]}],
                               "criteria": [{"id": "A1", "part": "a"}, {"id": "A2", "part": "b"}], "scenarios": [],
                               "files": [{"path": one, "part": "ab"[i % 2]} for i, one in enumerate(files)]})
        if who == "developer":
            mine = re.findall(r"^File (\S+) is not there yet", text, re.M)
            return json.dumps({"result": "done", "changes_summary": "Made.", "files_created": mine,
                               "edits": [{"path": one, "text": f"this will return {one}\n"} for one in mine]})
        return review(text)

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        plan = r.write("plan.yaml", "title: many\ntasks:\n  - id: T1\n    description: six files\n    acceptance: [The even ones are there, The odd ones are there]\n"
                                    "    files: [" + ", ".join(f"{{path: {one}, access: write}}" for one in files) + "]\n")
        r.env.update(models.environment())
        done = r.workflow("run", plan, *PARTIAL, "--provider", "openai/test", "--base-failures", "warn", timeout=120)
        code(done, 0)
        tasks = {one["id"]: one for one in r.status()["tasks"]}
        equal({name: one["state"] for name, one in tasks.items()}, {"T1": "rejected", "T1a": "landed", "T1b": "landed"})
        equal(tasks["T1b"]["after"], ["T1a"])
        equal(git(r.repo, "ls-tree", "--name-only", "plumb/many", "src/").split()[:6], sorted(files))
        equal(len(models.of("planner")), 2)


@test
def what_one_task_decided_is_known_to_the_reviewer_of_the_next_and_to_no_other():
    def answer(who, _, text):
        if who == "developer":
            name = re.search(r"Task (T\d)", text).group(1)
            return json.dumps({"result": "done", "changes_summary": "Made.", "edits": [{"path": f"src/{name}.txt", "text": f"this will return {name}\n"}],
                               "decisions": [{"id": "D1", "text": f"{name} counts from ZERO.", "why": "It is shorter."}]})
        return review(text)

    with Repository() as r, Models(answer) as models:
        r.workflow("trust", "--yes")
        task = "  - {{id: {0}, description: makes {0}, acceptance: [It is there], files: [{{path: src/{0}.txt}}]{1}}}\n"
        plan = r.write("plan.yaml", "title: three\ntasks:\n" + task.format("T1", "") + task.format("T2", "") + task.format("T3", ", after: [T1]"))
        r.env.update(models.environment())
        code(r.workflow("run", plan, *PARTIAL, "--provider", "openai/test", "--base-failures", "warn", timeout=120), 0)
        told = {re.search(r"Task (T\d)", text).group(1): [one for one in ("T1", "T2", "T3") if f"{one} counts from ZERO" in text]
                for _, text in models.of("reviewer")}
        equal(told, {"T1": [], "T2": [], "T3": ["T1"]})


@test
def a_developer_may_have_a_git_repository_of_its_own_and_nothing_of_it_is_taken():
    with Repository() as r:
        r.write("repo/agent.sh", "#!/bin/sh\nset -e\ngit log --oneline | wc -l > src/commits\n"
                                 "printf '#include \"sum.hpp\"\\nint sum(int a, int b) { return a + b; }\\n' > src/sum.cpp\n"
                                 "git diff --stat > src/diff\ngit add -A\ngit commit -q -m mine\ngit config core.hooksPath /tmp\n")
        os.chmod(r.at("repo/agent.sh"), 0o755)
        r.write("repo/plumb.yaml", "workflow:\n  gates:\n    - {name: test, command: make test}\n  developers:\n    agent: {run: [./agent.sh], git: true}\n"
                                   "    nested: {run: \"mkdir -p src/x && git init -q src/x && echo 1 > src/y\", shell: true}\n")
        git(r.repo, "add", "-A")
        git(r.repo, "commit", "-q", "-m", "an agent")
        r.workflow("trust", "--yes")
        before = r.untouched()
        done = r.workflow("run", "--task", "sum adds", "--files", "src/**", "--developer", "agent", *PARTIAL, "--base-failures", "warn",
                          "--on-unverified", "pass")
        code(done, 0)
        equal(git(r.repo, "show", "plumb/sum-adds:src/commits").strip(), "1")
        has(git(r.repo, "show", "plumb/sum-adds:src/diff"), "src/sum.cpp | 2 +-")
        equal([one for one in git(r.repo, "ls-tree", "-r", "--name-only", "plumb/sum-adds").split() if ".git/" in one], [])
        equal(r.untouched(), before)
        done = r.workflow("run", "--task", "nested", "--files", "src/**", "--developer", "nested", *PARTIAL, "--base-failures", "warn")
        code(done, 2)
        has(done.err, "src/x/.git")


@test
def presets_name_agents_and_what_is_said_beside_them_goes_before():
    with Repository() as r:
        r.write("repo/plumb.yaml", "workflow:\n  gates: [{name: test, command: make test}]\n  developers:\n    a: {preset: cursor}\n")
        done = r.workflow("trust", "--yes")
        code(done, 2)
        has(done.err, "plumb.yaml:4", "claude-code", "codex", "aider")
        r.write("repo/plumb.yaml", "workflow:\n  gates: [{name: test, command: make test}]\n  developers:\n    a: {preset: codex, time: 5m}\n")
        done = r.workflow("trust")
        has(done.out + done.err, "codex", "exec", "OPENAI_API_KEY", "300000")


@test
def a_gate_may_write_a_folder_beside_its_tree_where_it_is_declared():
    with Repository() as r:
        cache = r.at("cache")
        os.mkdir(cache)
        r.write("repo/plumb.yaml", "workflow:\n  gates:\n    - {name: test, command: \"sh -c 'date > " + cache + "/x'\", writable: [" + cache + "]}\n"
                                   "    - {name: other, command: \"sh -c '! touch " + cache + "/y'\"}\n")
        r.workflow("trust", "--yes")
        done = r.workflow("check", *PARTIAL)
        code(done, 0)
        assert os.path.exists(cache + "/x") and not os.path.exists(cache + "/y"), os.listdir(cache)
        r.write("repo/plumb.yaml", "workflow:\n  gates:\n    - {name: test, command: 'true', writable: [../up]}\n")
        done = r.workflow("check")  # the text that was trusted judges, and the edit is a finding
        code(done, 1)
        has(done.out, "'../up' is no folder beside the tree")


def main():
    wanted = [word.lower() for word in sys.argv[1:]]
    passed = failed = 0
    for one in TESTS:
        name = one.__name__.replace("_", " ")
        if not all(word in name for word in wanted):
            continue
        try:
            one()
            passed += 1
        except Exception as error:  # a test that fails says why, and the next one runs
            failed += 1
            print(f"FAILED: {name}\n  {type(error).__name__}: {error}")
    print(f"suite workflow-model: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
