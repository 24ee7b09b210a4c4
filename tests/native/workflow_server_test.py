#!/usr/bin/env python3
"""The routes of workflows, as a client drives them: `plumb serve` on loopback, real git, g++ and a test runner.

    PLUMB_BIN=build/bin/plumb tests/native/workflow_server_test.py [WORD...]     only tests whose sentence has all words

What a route answers is held against /openapi.json. How often a developer was started it counts itself, a line in a file of its tree.
The last line is `suite workflow server: ...`.
"""
import os
import re
import signal
import subprocess
import sys
import time

import cli_test
from cli_test import ROOT, code, environment, equal, has, lacks
from scripted_models import Models
from server_test import WAIT, Control, as_pattern
from workflow_test import Repository, git

TESTS = []
RUNS, PLANS = "/api/workflow/runs", "/api/workflow/plans"


def test(function):
    TESTS.append(function)
    return function


def plan(title="sum adds", **task):
    return {"title": title, "tasks": [{"id": "T1", "description": title, "fixes": ["test"], "acceptance": ["it adds"],
                                       "files": [{"path": "src/**", "access": "write"}], **task}]}


def mended(**more):
    return {"plan": plan(), "developer": "fixer", **more}


def serve(repository, *words, name="demo", env=None, **options):
    named = ("--repository", f"{name}={repository.repo}") if name else ()
    return Control(*named, "--isolation", "partial", *words, env={**repository.env, **(env or {})}, **options)


def begun(server, body, at=RUNS):
    return server.conforms("POST", at, body, wanted=202)["id"]


def until(server, run, enough):
    """The view of a run, as soon as it is enough."""
    ends = time.monotonic() + WAIT
    while True:
        status, _, view = server.json("GET", f"{RUNS}/{run}")
        equal(status, 200)
        if enough(view):
            return view
        assert view["status"] not in ("completed", "failed", "stopped"), view
        assert time.monotonic() < ends, view
        time.sleep(0.03)


def ended(view):
    return view["status"] in ("completed", "failed", "stopped")


def refused(server, method, path, body, wanted, *words):
    problem = server.conforms(method, path, body, wanted=wanted)
    has(problem["detail"], *words)
    return problem


@test
def a_plan_is_carried_out_watched_looked_at_and_landed_by_fast_forward():
    with Repository() as r:
        before = r.untouched()
        code(r.workflow("trust", "--yes"), 0)
        with serve(r) as server:
            run = begun(server, mended(repository="demo"))
            view = until(server, run, ended)
            equal((view["decision"], view["tasks"][0]["state"], view["tasks"][0]["runs"]), ("accept_unverified", "landed", 2))
            equal(server.conforms("GET", f"{RUNS}/{run}")["result"], view["result"])
            equal(server.conforms("GET", f"{RUNS}/{run}/tasks")["tasks"], view["tasks"])
            listed = server.conforms("GET", RUNS)["runs"]
            equal([(one["id"], one["state"], one["decision"]) for one in listed], [(run, "done", "accept_unverified")])
            equal(server.conforms("GET", PLANS), {"plans": []})
            names = [name for _, name, _ in server.stream(f"/v1/runs/{run}/events").rest()]
            equal((names[0], names[-1]), ("entry", "end"))
            equal(r.started(), 2)
            for query in ("", "?task=T1"):
                diff = server.conforms("GET", f"{RUNS}/{run}/diff{query}")
                has(diff["patch"], "-int sum(int a, int b) { return a - b; }", "+int sum(int a, int b) { return 5 - 5 + a + b; }")
                equal([one["path"] for one in diff["changed"]], ["src/starts", "src/sum.cpp"])
            refused(server, "GET", f"{RUNS}/{run}/diff?task=T7", None, 404, "There is no task 'T7'", "T1")
            equal(r.untouched(), before)
            # What nobody proved is looked at first; what is checked out is its owner's to move.
            refused(server, "POST", f"{RUNS}/{run}/land", {"branch": "release"}, 409, "not everything is verified", '"on_unverified": "pass"')
            out = refused(server, "POST", f"{RUNS}/{run}/land", {"branch": "main", "on_unverified": "pass"}, 409, "is checked out")
            equal(out["command"], "git merge --ff-only " + view["result"]["commit"])
            equal(r.untouched(), before)
            landed = server.conforms("POST", f"{RUNS}/{run}/land", {"branch": "release", "on_unverified": "pass"})
            equal((landed["landed"], landed["was"]), (True, git(r.repo, "rev-parse", "main").strip()))
            equal(git(r.repo, "rev-parse", "release").strip(), view["result"]["commit"])
            git(r.repo, *out["command"].split()[1:])
            has(r.read("repo/src/sum.cpp"), "a + b")
            git(r.repo, "checkout", "-q", "-b", "beside", "main~1")
            r.write("repo/other.txt", "other\n")
            git(r.repo, "add", "-A")
            git(r.repo, "commit", "-q", "-m", "beside")
            git(r.repo, "checkout", "-q", "main")
            for branch, words in (("-x", "not a name of a branch"), ("refs/heads/release", "not a name of a branch"), ("refs/plumb/x", "not a name"),
                                  ("a b", "not a name"), ("../x", "not a name"), ("release\n", "not a name"), ("", "not a name"), ("x" * 5000, "not a name")):
                refused(server, "POST", f"{RUNS}/{run}/land", {"branch": branch, "on_unverified": "pass"}, 422, words)
            none = refused(server, "POST", f"{RUNS}/{run}/land", {"branch": "x;touch$IFS'pwned", "on_unverified": "pass"}, 409, "there is no branch")
            equal(subprocess.run(["sh", "-c", none["command"]], cwd=r.repo, check=True).returncode, 0)
            equal(git(r.repo, "rev-parse", "x;touch$IFS'pwned").strip(), view["result"]["commit"])
            beside = refused(server, "POST", f"{RUNS}/{run}/land", {"branch": "beside", "on_unverified": "pass"}, 409, "only a fast-forward lands")
            has(beside["command"], "git merge ")


@test
def the_diff_of_a_task_is_what_that_task_has_changed_also_while_it_is_worked_on():
    with Repository() as r:
        r.workflow("trust", "--yes")
        two = plan()
        two["tasks"].append({**two["tasks"][0], "id": "T2", "description": "a note", "fixes": [], "after": ["T1"],
                             "files": [{"path": "notes/**", "access": "write"}]})
        with serve(r) as server:
            run = begun(server, mended(plan=two, developer="person", base_failures="warn"))
            for task, path, text in (("T1", "src/sum.cpp", '#include "sum.hpp"\nint sum(int a, int b) { return a + b; }\n'),
                                     ("T2", "notes/a.txt", "a\n"), ("T2", None, None)):
                view = until(server, run, lambda view: view.get("asks", {}).get("task") == task and (path or len(view["tasks"][1]["rounds"]) > 0))
                if path is None:
                    break
                folder = server.conforms("GET", f"{RUNS}/{run}")["folder"]
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(text)
                if task == "T2":  # and the gate fails: it is asked for again
                    with open(os.path.join(folder, "Makefile"), "w", encoding="utf-8") as file:
                        file.write("test:\n\tfalse\n")
                server.conforms("POST", f"{RUNS}/{run}/answer", {"decision": "done", "task": task})
            paths = {query: [one["path"] for one in server.conforms("GET", f"{RUNS}/{run}/diff{query}")["changed"]] for query in ("", "?task=T1", "?task=T2")}
            equal(paths, {"": ["Makefile", "notes/a.txt", "src/sum.cpp"], "?task=T1": ["src/sum.cpp"], "?task=T2": ["Makefile", "notes/a.txt"]})


@test
def a_request_names_what_this_host_has_and_nothing_that_could_be_run():
    with Repository() as r:
        r.workflow("trust", "--yes")
        with serve(r) as server:
            for body, where, words in (
                    (mended(repository="shop"), "/repository", ("no repository 'shop'", "there are: demo", "--repository NAME=DIR")),
                    (mended(repository=r.repo), "/repository", ("this host knows no repository",)),
                    (mended(command="make test"), "/command", ("there is no member 'command'",)),
                    (mended(gates=[{"name": "x", "command": "touch x"}]), "/gates", ("'gates'",)),
                    (mended(developer="./fix.sh"), "/developer", ("no developer './fix.sh' is declared", "fixer")),
                    (mended(developer="gate.test"), "/developer", ("no developer 'gate.test' is declared",)),
                    (mended(isolation="partial"), "/isolation", ("'isolation'",)),
                    (mended(promoted=True), "/promoted", ("leave this out",)),
                    ({"idea": "mend it"}, "/idea", ("POST /api/workflow/plans",)),
                    (mended(token_budget=-1), "/token_budget", ("a whole number",)),
                    ({"developer": "fixer"}, "/plan", ("a `plan`",)),
                    (mended(plan=plan(fixes=["tset"])), None, ("tset",)),
                    (mended(providers={"develop": "ollama/x"}), "/providers", ("leave this out",))):
                problem = refused(server, "POST", RUNS, body, 422, *words)
                assert where is None or problem["where"] == where, problem
            refused(server, "POST", PLANS, {"idea": "mend it"}, 422, "--provider")
            refused(server, "POST", RUNS, "[]", 400, "object")
            refused(server, "GET", f"{RUNS}/{'r' * 21}", None, 404, "Workflow run not found")
            refused(server, "GET", f"{RUNS}?repository=demo", None, 400, "limit, cursor")
            equal(server.conforms("GET", RUNS)["runs"], [])
        assert not os.path.exists(os.path.join(r.repo, "build"))


@test
def nothing_of_a_repository_holds_before_its_owner_has_said_so():
    with Repository() as r:
        r.write("repo/.semspec/sources/docs/sops/zebra.md", "# Zebras\n\nSources MUST say zebra.\n")
        with serve(r) as server:
            for method, path, body, wanted in (("POST", RUNS, mended(), 422), ("POST", PLANS, mended(), 422),
                                               ("GET", "/api/workflow/sops", None, 409), ("GET", "/api/workflow/conventions", None, 409)):
                refused(server, method, path, body, wanted, "proposes workflow.gate.test", "can review it at a terminal", "start the server again")
            status, _, problem = server.json("POST", "/v1/runs", {"pipeline": "workflow", "request": mended(repository="demo", promoted=True)})
            equal(status, 422)
            has(problem["detail"], "proposes workflow.gate.test")
            server.process.send_signal(signal.SIGTERM)
            has(server.process.stderr.read().decode(), "no workflow is begun in the repository 'demo'", "proposes workflow.gate.test")
            r.workflow("trust", "--yes")
            server.again()
            equal(until(server, begun(server, mended()), ended)["tasks"][0]["state"], "landed")
            # Another text than the one that was trusted proposes again.
            r.write("repo/plumb.yaml", r.read("repo/plumb.yaml").replace("make test", "make -s test"))
            server.again()
            refused(server, "POST", RUNS, mended(repository="demo"), 422, "other than what you trusted")


@test
def a_person_is_asked_and_an_answer_has_what_the_command_demands_of_it():
    with Repository(seen="true") as r:
        r.workflow("trust", "--yes")
        with serve(r) as server:
            run = begun(server, mended())
            view = until(server, run, lambda view: "asks" in view)
            equal((view["status"], view["tasks"][0]["state"]), ("waiting", "escalated"))
            equal(view["asks"]["options"], ["retry", "approve", "decompose", "model", "reject", "stop"])
            at = f"{RUNS}/{run}/answer"
            for body, wanted, words in (({"decision": "yes"}, 422, ("'yes' is not an answer", "retry, approve, decompose, model, reject, stop")),
                                        ({}, 422, ("is not an answer",)),
                                        ({"decision": "approve", "by": "Ada"}, 422, ("a reason (`words`)",)),
                                        ({"decision": "approve", "words": "fine"}, 422, ("a name (`by`)",)),
                                        ({"decision": "model", "model": "openai/x"}, 422, ("providers.also", "none")),
                                        ({"decision": "retry", "command": "make"}, 422, ("the body takes decision, words, by, model, task",)),
                                        ({"decision": "retry", "task": "T2"}, 409, ("It asks something else now",)),
                                        ({"decision": 1}, 422, ("must be a text",))):
                refused(server, "POST", at, body, wanted, *words)
            refused(server, "POST", f"{RUNS}/{run}/land", {"branch": "release", "on_unverified": "pass"}, 409, "has not ended")
            refused(server, "POST", f"{PLANS}/{run}/promote", None, 409, "it is promoted")
            runs, key = view["tasks"][0]["runs"], view["asks"]["key"]
            equal(server.conforms("POST", at, {"decision": "retry", "words": "expected 5, got 6", "by": "Ada", "task": "T1"})["task"], "T1")
            view = until(server, run, lambda view: view.get("asks", {}).get("key", key) != key)
            assert view["tasks"][0]["runs"] > runs, view["tasks"][0]
            equal(server.conforms("POST", at, {"decision": "approve", "words": "good enough", "by": "Ada"})["accepted"], True)
            view = until(server, run, ended)
            has(view["tasks"][0]["why"] + str(view["result"]), "Ada: good enough")
            refused(server, "POST", at, {"decision": "retry"}, 409, "It waits for nobody's answer")
            rejected = begun(server, mended(plan=plan("another sum")))
            until(server, rejected, lambda view: "asks" in view)
            server.conforms("POST", f"{RUNS}/{rejected}/answer", {"decision": "reject", "words": "no", "by": "Ada"})
            equal(until(server, rejected, ended)["decision"], "revise")
            refused(server, "POST", f"{RUNS}/{rejected}/land", {"branch": "release", "on_unverified": "pass"}, 409, "not all of its tasks are approved")


@test
def a_person_develops_in_the_folder_that_the_run_tells():
    with Repository() as r:
        r.workflow("trust", "--yes")
        with serve(r) as server:
            run = begun(server, mended(developer="person"))
            view = until(server, run, lambda view: "asks" in view)
            view = server.conforms("GET", f"{RUNS}/{run}")
            with open(os.path.join(view["folder"], "src", "sum.cpp"), "w", encoding="utf-8") as file:
                file.write('#include "sum.hpp"\nint sum(int a, int b) { return a + b; }\n')
            server.conforms("POST", f"{RUNS}/{run}/answer", {"decision": "done", "by": "Ada"})
            equal(until(server, run, ended)["tasks"][0]["state"], "landed")
            has(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"), "a + b")


@test
def a_plan_is_a_draft_until_it_is_promoted():
    with Repository() as r:
        r.workflow("trust", "--yes")
        with serve(r) as server:
            drafts = [begun(server, mended(plan=plan(f"sum {n}")), PLANS) for n in ("one", "two", "three")]
            run = begun(server, mended())
            for draft in drafts:
                until(server, draft, lambda view: "asks" in view)
            until(server, run, ended)
            told = server.conforms("GET", f"{PLANS}/{drafts[0]}")
            equal((told["state"], told["title"], told["tasks"], told["plan"]["tasks"][0]["id"], told["repository"]),
                  ("draft", "sum one", 1, "T1", "demo"))
            equal([task["state"] for task in server.conforms("GET", f"{RUNS}/{drafts[0]}/tasks")["tasks"]], ["draft"])
            refused(server, "GET", f"{RUNS}/{drafts[0]}/diff", None, 409, "Nothing was changed yet")
            listed, cursor, pages = [], "", 0
            while cursor is not None:
                page = server.conforms("GET", f"{PLANS}?limit=2" + (f"&cursor={cursor}" if cursor else ""))
                listed += [(one["id"], one["state"]) for one in page["plans"]]
                cursor, pages = page.get("next_cursor"), pages + 1
            equal(listed, [(draft, "draft") for draft in reversed(drafts)])
            equal(pages, 2)
            refused(server, "GET", f"{PLANS}?limit=51", None, 400, "1 to 50")
            server.conforms("POST", f"{PLANS}/{drafts[0]}/promote", {"by": "Ada"})
            equal(until(server, drafts[0], ended)["tasks"][0]["state"], "landed")
            server.conforms("POST", f"{RUNS}/{drafts[1]}/answer", {"decision": "reject"})
            until(server, drafts[1], ended)
            server.json("POST", f"/v1/runs/{drafts[2]}/cancel")
            until(server, drafts[2], ended)
            equal([server.conforms("GET", f"{PLANS}/{draft}")["state"] for draft in drafts], ["promoted", "rejected", "stopped"])
            equal(server.conforms("GET", f"{PLANS}/{run}")["state"], "promoted")
            refused(server, "POST", f"{PLANS}/{drafts[1]}/promote", None, 409, "it is rejected")


@test
def sops_are_entities_and_a_changed_document_counts_from_the_next_run_on():
    with Repository(more="  sops: docs/sops\n") as r:
        r.write("repo/docs/sops/zebra.md", "---\nseverity: error\napplies_to: '*.cpp'\nchecks: [{forbidden: 'TODO'}]\n---\n# Zebras\n\nSources MUST say zebra.\n\n"
                "## Why\n\n" + "Zebras are striped. " * 400)
        r.workflow("trust", "--yes")
        with serve(r) as server:
            told = server.conforms("GET", "/api/workflow/sops")
            ids = [one["id"] for one in told["entities"]]
            equal(ids[:2], ["source.doc.sops.zebra", "source.doc.sops.zebra.chunk.1"])
            equal([one["id"] for one in server.conforms("GET", "/api/workflow/sops?repository=demo&prefix=source.doc.sops")["entities"]], ids[:1])
            equal(server.conforms("GET", "/api/workflow/sops?prefix=source.doc.sops.lion")["entities"], [])
            r.write("repo/docs/sops/broken.md", "---\nseverity: awful\n---\n# Broken\n\nIt MUST be read.\n")
            told = server.conforms("GET", "/api/workflow/sops")
            assert any(one["path"] == "docs/sops/broken.md" and one["severity"] == "error" for one in told["findings"]), told["findings"]
            refused(server, "GET", "/api/workflow/sops?repository=shop", None, 422, "there are: demo")


@test
def patterns_of_reviews_become_conventions_that_a_person_confirms_and_retires():
    review = {"verdict": "approved", "rejection_type": None, "sop_review": [], "confidence": 0.9, "feedback": "Good.",
              "criteria": [{"criterion": "A1", "met": True, "evidence": "int sum(int a, int b)"}],
              "patterns": [{"name": "Sums are one line", "pattern": "A sum is written in one line.", "applies_to": ["src/**"]}]}
    with Repository() as r, Models(quiz=review) as models:
        r.workflow("trust", "--yes")
        with serve(r, env=models.environment()) as server:
            run = begun(server, mended())
            view = until(server, run, ended)
            equal(view["tasks"][0]["state"], "landed")
            ends = time.monotonic() + WAIT
            while not (kept := server.conforms("GET", "/api/workflow/conventions")["conventions"]):
                assert time.monotonic() < ends, view
                time.sleep(0.05)
            equal([(one["name"], one["source_tasks"], one["used"]) for one in kept], [("Sums are one line", [f"{run}/T1"], False)])
            at = "/api/workflow/conventions/" + kept[0]["id"]
            refused(server, "POST", at + "/confirm", {}, 422, "by a person, by name")
            refused(server, "POST", "/api/workflow/conventions/none/confirm", {"by": "Ada"}, 404, "none")
            equal(server.conforms("POST", at + "/confirm", {"by": "Ada", "repository": "demo"})["conventions"][0]["used"], True)
            until(server, begun(server, mended(plan=plan("sums again", fixes=[]), base_failures="warn")), ended)
            has(models.prompts[-1], "A sum is written in one line.")
            retired = server.conforms("POST", at + "/retire", None)
            equal((retired["conventions"][0]["retired"], retired["conventions"][0]["used"]), (True, False))


@test
def killed_in_the_middle_and_started_again_it_goes_on_and_starts_no_developer_twice():
    review = {"verdict": "approved", "rejection_type": None, "sop_review": [], "confidence": 0.9, "feedback": "Good.",
              "criteria": [{"criterion": "A1", "met": True, "evidence": "int sum(int a, int b)"}], "patterns": []}
    with Repository(wait="0.15") as r:
        r.workflow("trust", "--yes")
        wanted, landed = None, 0
        for step in range(7):
            with Models(quiz=review) as models, serve(r, env=models.environment()) as server:
                if step > 0:
                    git(r.repo, "update-ref", "-d", "refs/heads/plumb/sum-adds")
                run = begun(server, mended())
                if step > 0:
                    time.sleep(0.32 * step - 0.2)
                    server.process.send_signal(signal.SIGKILL)
                    server.process.wait(timeout=30)
                    server.again()
                view = until(server, run, lambda view: ended(view) or "asks" in view)
                task = view["tasks"][0]
                if "asks" in view:  # lost before it changed anything: a person is asked, and nothing is run twice
                    has(task["why"], "interrupted before it changed anything")
                    server.conforms("POST", f"{RUNS}/{run}/answer", {"decision": "stop", "by": "Ada"})
                    until(server, run, ended)
                    continue
                text = git(r.repo, "show", "plumb/sum-adds:src/sum.cpp")
                wanted = wanted or text
                equal((text, task["state"]), (wanted, "landed"))
                equal(r.started(), task["runs"])
                attempts = [entry["key"] for entry in server.entries(run) if entry["kind"] == "attempt" and entry["name"] == "model"]
                equal(len(set(attempts)), task["reviews"])
                # Only the call that was under way is made once more.
                assert len(set(attempts)) <= len(models.calls) <= len(attempts) <= len(set(attempts)) + 1, (step, models.calls, attempts)
                landed += 1
        assert landed >= 4, landed


@test
def a_host_without_the_repository_leaves_a_run_waiting_and_says_why():
    with Repository(wait="3") as r:
        r.workflow("trust", "--yes")
        other = r.at("other")
        git(r.path, "clone", "-q", r.repo, other)
        with serve(r) as server:
            run = begun(server, mended())
            until(server, run, lambda view: view["tasks"] and view["tasks"][0]["state"] == "developing")
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(timeout=30)
            for named in ((), ("--repository", f"shop={r.repo}"), ("--repository", f"demo={other}")):
                server.arguments = (*named, "--isolation", "partial")
                server.again()
                view = until(server, run, lambda view: "problem" in view)
                has(view["problem"], "the run waits", f"the repository {r.repo} (demo)", "--repository demo=DIR")
                assert view["status"] in ("running", "waiting"), view["status"]
                equal(server.conforms("GET", f"{RUNS}/{run}")["problem"], view["problem"])
                row = server.conforms("GET", RUNS)["runs"][0]
                equal((row["id"], row["state"], row["problem"]), (run, "waiting", view["problem"]))
                equal(server.conforms("GET", f"/v1/runs/{run}")["problem"], view["problem"])
                refused(server, "GET", f"{RUNS}/{run}/diff", None, 409, "repository")
                time.sleep(0.3)
                equal(until(server, run, lambda view: True)["tasks"][0]["state"], "developing")
            server.arguments = ("--repository", f"demo={r.repo}", "--isolation", "partial")
            server.again()
            view = until(server, run, lambda view: ended(view) or "asks" in view)
            if "asks" in view:
                server.conforms("POST", f"{RUNS}/{run}/answer", {"decision": "retry", "by": "Ada"})
                view = until(server, run, ended)
            equal(view["tasks"][0]["state"], "landed")


@test
def a_run_that_was_killed_under_a_gate_asks_no_host_without_its_repository_for_that_gate():
    with Repository() as r:
        r.write("repo/Makefile", r.read("repo/Makefile").replace("\t./build/test", "\tsleep 2 && ./build/test"))
        git(r.repo, "commit", "-q", "-a", "-m", "a slow gate")
        r.workflow("trust", "--yes")
        with serve(r) as server:
            run = begun(server, mended())
            until(server, run, lambda view: view["tasks"] and view["tasks"][0]["state"] == "gating")
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(timeout=30)
            server.arguments = ("--isolation", "partial")
            server.again()
            view = until(server, run, lambda view: "problem" in view)
            has(view["problem"], f"the repository {r.repo} (demo)")
            time.sleep(0.3)
            equal(until(server, run, lambda view: True)["tasks"][0]["state"], "gating")
            server.arguments = ("--repository", f"demo={r.repo}", "--isolation", "partial")
            server.again()
            task = until(server, run, ended)["tasks"][0]
            equal((task["state"], r.started()), ("landed", task["runs"]))


@test
def each_repository_has_its_own_gates_and_developers():
    with Repository() as a, Repository() as b:
        b.env = a.env
        b.write("repo/plumb.yaml", "workflow:\n  gates:\n    - {name: test, command: grep -q good word.txt}\n"
                                   "  developers:\n    fixer: {run: \"echo good > word.txt\", shell: true}\n")
        b.write("repo/word.txt", "bad\n")
        git(b.repo, "add", "-A")
        git(b.repo, "commit", "-q", "-m", "words")
        a.workflow("trust", "--yes")
        with serve(a, "--repository", f"words={b.repo}") as server:
            words = plan("a good word", files=[{"path": "word.txt", "access": "write"}])
            refused(server, "POST", RUNS, {"plan": words, "developer": "fixer", "repository": "words"}, 422, "proposes workflow.gate.test")
            refused(server, "POST", RUNS, mended(), 422, "there are: demo, words")
            b.workflow("trust", "--yes")
            server.again()
            one = begun(server, {"plan": words, "developer": "fixer", "repository": "words"})
            two = begun(server, mended(repository="demo"))
            equal([until(server, run, ended)["tasks"][0]["state"] for run in (one, two)], ["landed", "landed"])
            equal(git(b.repo, "show", "plumb/a-good-word:word.txt"), "good\n")
            has(git(a.repo, "show", "plumb/sum-adds:src/sum.cpp"), "a + b")


@test
def what_the_host_names_itself_holds_and_a_broken_file_of_a_repository_holds_up_nobody_else():
    with Repository() as r, Repository() as broken:
        named = r.write("host.yaml", r.read("repo/plumb.yaml"))
        with serve(r, "--config", named) as server:
            equal(until(server, begun(server, mended()), ended)["tasks"][0]["state"], "landed")
        broken.write("repo/plumb.yaml", "workflow: [")
        r.workflow("trust", "--yes")
        with serve(r, "--repository", f"broken={broken.repo}") as server:
            refused(server, "POST", RUNS, mended(repository="broken"), 422, "is not YAML")
            git(r.repo, "update-ref", "-d", "refs/heads/plumb/sum-adds")
            equal(until(server, begun(server, mended(repository="demo")), ended)["tasks"][0]["state"], "landed")


@test
def a_server_that_is_started_in_a_project_works_on_that_project_as_here():
    with Repository() as r:
        with serve(r, name=None, cwd=os.path.join(r.repo, "src")) as server:
            refused(server, "POST", RUNS, mended(), 422, "proposes workflow.gate.test")
            r.workflow("trust", "--yes")
            server.again()
            run = begun(server, mended())
            equal(until(server, run, ended)["tasks"][0]["state"], "landed")
            equal(server.conforms("GET", RUNS)["runs"][0]["id"], run)
            # The command has the same name for it, and shows and lands what the server did.
            has(r.workflow("diff", run, "--store", server.store).out, "a + b")
            code(r.workflow("land", run, "--store", server.store, "--onto", "release", "--on-unverified", "pass"), 0)
        with serve(r, name=None, cwd=r.path) as server:
            refused(server, "POST", RUNS, mended(), 422, "there is none")


@test
def the_commands_of_the_documentation_do_what_it_says():
    with open(os.path.join(ROOT, "docs", "workflow.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```console\n(.*?)```", file.read(), re.S)
    ran = 0
    with Repository() as r:
        r.workflow("trust", "--yes")
        with serve(r, name="sums") as server:
            names = {}

            def real(text):
                for shown, found in names.items():
                    text = text.replace(shown, found)
                return text.replace("127.0.0.1:8787", f"127.0.0.1:{server.port}")

            for block in blocks:
                for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
                    command, _, shown = step.partition("\n")
                    if command.startswith("plumb serve"):
                        equal(command, "plumb serve --repository sums=. --isolation partial")
                        continue
                    done = subprocess.run(["bash", "-c", real(command)], cwd=r.repo, capture_output=True, text=True, env=environment(r.env),
                                          timeout=WAIT, check=False)
                    equal((command, done.returncode, done.stderr), (command, 0, ""))
                    if found := re.match(r'\{"id":"(r[a-z2-7]{20})","fresh":true', done.stdout):
                        names.setdefault(re.search('"id":"([^"]+)"', shown).group(1), found.group(1))
                        until(server, found.group(1), lambda view: ended(view) or "asks" in view)
                    if "/promote" in command:
                        until(server, re.search(r"/(r[a-z2-7]{20})/", real(command)).group(1), ended)
                    for line, pattern in zip(done.stdout.splitlines(), real(shown).splitlines()):
                        assert re.fullmatch(as_pattern(pattern), line), f"{command}\n{line[:3000]}\nis not\n{pattern}"
                    ran += 1
            lacks(git(r.repo, "log", "-1", "--format=%s", "release"), "first")
    assert ran >= 7, ran


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("workflow_server", TESTS, sys.argv[1:]))
