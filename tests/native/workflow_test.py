#!/usr/bin/env python3
"""`plumb workflow` as somebody with a repository drives it: real git, g++ and a test runner, the installed command.

    PLUMB_BIN=build/bin/plumb tests/native/workflow_test.py [WORD...]     only tests whose sentence has all words

How often a developer was started it counts itself, a line in a file of its tree, outside of the journal. The last line is `suite workflow: ...`.
"""
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time

import cli_test
from cli_test import Folder, code, equal, has, lacks, plumb

TESTS = []
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TEST = r"""#include <cstdio>
#include "../src/sum.hpp"
int main() {
  if (sum(2, 3) != 5) { std::printf("FAIL sum(2,3): expected 5, got %d\n", sum(2, 3)); return 1; }
  std::puts("ok");
}
"""
MAKE = """test: build/test
\t./build/test
build/test: src/sum.cpp src/sum.hpp tests/test.cpp
\tmkdir -p build && g++ -Isrc -o $@ src/sum.cpp tests/test.cpp
"""
# The second try is computed from what the gate wrote: the number that it wanted.
FIX = """#!/bin/sh
echo developer >> src/starts
sleep WAIT
want=$(SEEN | sed -n 's/.*expected \\([0-9]*\\), got.*/\\1/p' | head -1)
if [ -z "$want" ]; then body='a * b'; else body="$want - 5 + a + b"; fi
printf '#include "sum.hpp"\\nint sum(int a, int b) { return %s; }\\n' "$body" > src/sum.cpp
"""


def test(function):
    TESTS.append(function)
    return function


def git(path, *words):
    done = subprocess.run(["git", *words], cwd=path, capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C"})
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


class Repository(Folder):
    """A repository with a seeded bug, gates, and a developer that is a script."""

    def __init__(self, seen="cat", wait="0", more=""):
        self.seen, self.wait, self.more = seen, wait, more

    def __enter__(self):
        super().__enter__()
        self.env = {"XDG_STATE_HOME": self.at("state")}
        self.repo = self.at("repo")
        self.write("repo/src/sum.hpp", "#pragma once\nint sum(int a, int b);\n")
        self.write("repo/src/sum.cpp", '#include "sum.hpp"\nint sum(int a, int b) { return a - b; }\n')
        self.write("repo/tests/test.cpp", TEST)
        self.write("repo/Makefile", MAKE)
        self.write("repo/.gitignore", "build\n")
        os.chmod(self.write("repo/fix.sh", FIX.replace("WAIT", self.wait).replace("SEEN", self.seen)),
                 0o755)
        self.write("repo/plumb.yaml",
                   "workflow:\n  gates:\n    - {name: test, command: make test}\n  developers:\n"
                   "    fixer: {run: [./fix.sh], time: 1m}\n" + self.more)
        git(self.repo, "init", "-q", "-b", "main")
        git(self.repo, "config", "user.name", "Somebody")
        git(self.repo, "config", "user.email", "somebody@example.org")
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-q", "-m", "first")
        git(self.repo, "branch", "release")
        return self

    def workflow(self, *words, **options):
        return plumb("workflow", *words, cwd=self.repo, env=self.env, **options)

    def run(self, *words):
        return self.workflow("run", "--task", "sum adds", "--files", "src/**", "--developer", "fixer", "--isolation", "partial",
                             *words)

    def status(self):
        return json.loads(self.workflow("status", "--json").out)

    def started(self, branch="plumb/sum-adds"):
        return len(git(self.repo, "show", branch + ":src/starts").split())

    def untouched(self):
        """All of the repository that nobody may change, as text."""
        with open(os.path.join(self.repo, ".git", "config"), encoding="utf-8") as file:
            config = file.read()
        refs = [line for line in git(self.repo, "for-each-ref").splitlines() if "\trefs/plumb/" not in line and "/plumb/" not in line]
        with open(os.path.join(self.repo, ".git", "index"), "rb") as file:
            index = file.read()
        return (config, refs, index, git(self.repo, "rev-parse", "HEAD"), git(self.repo, "stash", "list"),
                sorted(os.listdir(self.repo)))


@test
def the_second_try_comes_from_the_gates_output_and_lands_on_a_branch_of_ours():
    with Repository() as r:
        before = r.untouched()
        r.workflow("trust", "--yes")
        done = r.run("--base-failures", "warn", "--on-unverified", "pass")
        code(done, 0)
        view = r.status()
        task = view["tasks"][0]
        equal((task["state"], task["runs"], task["reviews"]), ("landed", 2, 1))
        equal(r.started(), 2)
        equal(task["rounds"][0]["changed"], ["src/starts", "src/sum.cpp"])
        has(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"), "5 - 5 + a + b")
        equal(r.untouched(), before)


@test
def a_branch_that_the_work_could_not_land_on_is_told_before_the_developer_is_asked():
    with Repository() as r:
        r.workflow("trust", "--yes")
        code(r.run("--base-failures", "warn", "--on-unverified", "pass"), 0)
        first = git(r.repo, "rev-parse", "plumb/sum-adds")
        r.write("repo/README", "on it goes\n")
        git(r.repo, "add", "README")
        git(r.repo, "commit", "-q", "-m", "second")
        r.env = {"XDG_STATE_HOME": r.at("another")}  # a host that knows nothing of the first run
        r.workflow("trust", "--yes")
        done = r.run("--base-failures", "warn", "--on-unverified", "pass")
        code(done, 2)
        has(done.err, "the branch 'plumb/sum-adds' is there already, at " + first[:12], "git merge plumb/sum-adds",
            "git branch -D plumb/sum-adds", "another `slug`")
        equal(r.status()["tasks"][0]["runs"], 0)
        equal(git(r.repo, "rev-parse", "plumb/sum-adds"), first)
        git(r.repo, "branch", "-D", "plumb/sum-adds")
        code(r.run("--base-failures", "warn", "--on-unverified", "pass"), 0)


@test
def approved_work_that_its_branch_does_not_take_is_told_as_approved_with_its_commit():
    with Repository(wait="2") as r:
        r.workflow("trust", "--yes")
        words = ["workflow", "run", "--task", "sum adds", "--files", "src/**", "--developer", "fixer", "--isolation", "partial",
                 "--base-failures", "warn", "--on-unverified", "pass"]
        with subprocess.Popen([cli_test.PLUMB, *words], cwd=r.repo, env=cli_test.environment(r.env), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                shown = r.workflow("status", "--json").out
                if shown and [one["state"] for one in json.loads(shown)["tasks"]] == ["developing"]:
                    break
                time.sleep(0.05)
            git(r.repo, "commit", "-q", "--allow-empty", "-m", "somebody else's")
            git(r.repo, "branch", "plumb/sum-adds")
            told = process.communicate(timeout=60)[1]
            equal(process.returncode, 1)
        view = r.status()
        equal(view["tasks"][0]["state"], "approved")
        commit = view["result"]["commit"]
        has(told, "All tasks are approved, but not all of their work is on branch plumb/sum-adds", "has gone on beside it", commit)
        has(view["result"]["not_landed"]["command"], "git merge " + commit)
        git(r.repo, "merge", "-q", "--no-edit", commit)
        has(git(r.repo, "show", "HEAD:src/sum.cpp"), "5 - 5 + a + b")


@test
def with_the_output_withheld_the_same_developer_is_never_done_and_a_person_is_asked():
    with Repository(seen="true") as r:
        r.workflow("trust", "--yes")
        done = r.run("--base-failures", "warn")
        code(done, 2)
        task = r.status()["tasks"][0]
        equal(task["state"], "escalated")
        assert 2 <= task["runs"] <= 4, task["runs"]
        equal(task["reviews"], 0)


@test
def a_gate_that_fails_before_any_change_refuses_the_task_with_the_ways_out():
    with Repository() as r:
        r.workflow("trust", "--yes")
        done = r.run()
        code(done, 1)
        has(done.err, "fails before any change (exit code 2)", "'fixes'", "--base-failures warn")
        equal(r.status()["tasks"][0]["runs"], 0)


@test
def what_one_task_has_mended_the_next_one_begins_with_and_may_not_break_again():
    with Repository() as r:
        r.workflow("trust", "--yes")
        files = "files: [{path: 'src/**', access: write}]"
        plan = r.write("plan.yaml", "title: sum adds\ntasks:\n  - {id: T1, description: sum adds, fixes: [test], acceptance: [it adds], "
                                    f"{files}}}\n  - {{id: T2, description: and again, after: [T1], acceptance: [it adds], {files}}}\n")
        code(r.workflow("run", plan, "--developer", "fixer", "--isolation", "partial", "--on-unverified", "pass"), 0)
        # The second one's first try breaks the test: it is told so, and tries again.
        equal([(one["state"], one["runs"]) for one in r.status()["tasks"]], [("landed", 2), ("landed", 2)])


@test
def nothing_that_a_repository_proposes_is_run_before_its_owner_has_said_so():
    with Repository() as r:
        for words in (("run", "--task", "x", "--files", "src/**", "--developer", "fixer"), ("check",)):
            done = r.workflow(*words)
            code(done, 2)
            has(done.err, "proposes")
        assert not os.path.exists(os.path.join(r.repo, "build"))


@test
def check_judges_the_checkout_for_a_hook_a_commit_and_ci():
    with Repository() as r:
        r.workflow("trust", "--yes")
        r.write("repo/src/sum.cpp", '#include "sum.hpp"\nint sum(int a, int b) { return b - a; }\n')
        done = r.workflow("check", "--hook")
        code(done, 2)
        has(done.err, "FAIL sum(2,3): expected 5, got 1")
        code(r.workflow("check", "--format", "github"), 1)
        r.write("repo/src/sum.cpp", '#include "sum.hpp"\nint sum(int a, int b) { return a + b; }\n')
        code(r.workflow("check", "--hook"), 0)
        code(r.workflow("check", "--isolation", "partial"), 0)
        r.write("repo/.semspec/sources/docs/sops/todo.md",
                "---\nseverity: error\napplies_to: '*.cpp'\nchecks: [{forbidden: 'TODO'}]\n---\n# No TODO\n\nNone MUST be left.\n")
        r.write("repo/src/sum.cpp", '#include "sum.hpp"\n// TODO\nint sum(int a, int b) { return a + b; }\n')
        done = r.workflow("check", "--format", "short")
        code(done, 1)
        has(done.out, "src/sum.cpp:2:1: error:")
        # What is staged is judged, and not what lies beside it.
        git(r.repo, "add", "src/sum.cpp")
        r.write("repo/src/sum.cpp", '#include "sum.hpp"\nint sum(int a, int b) { return a + b; }\n')
        code(r.workflow("check", "--staged", "--no-gates"), 1)
        code(r.workflow("check", "--base", "main", "--no-gates"), 0)


@test
def trust_without_a_terminal_needs_the_variable_and_no_message_tells_how():
    with Repository() as r:
        r.env["PLUMB_TRUST_YES"] = ""
        for words in (("workflow", "trust", "--yes"), ("trust", "--yes"), ("workflow", "trust"), ("trust",)):
            done = plumb(*words, cwd=r.repo, env=r.env)
            code(done, 1)
            has(done.err, "Nothing was trusted")
            lacks(done.err, "PLUMB_TRUST_YES", "plumb trust")
        done = r.workflow("check", "--hook", stdin="{}")
        code(done, 1)  # the agent goes on, and its user is told
        has(done.err, "the work was not checked", "proposes")
        lacks(done.err, "plumb trust", "--config")
        r.env["PLUMB_TRUST_YES"] = "1"
        code(r.workflow("trust", "--yes"), 0)


@test
def an_agents_hook_is_answered_by_what_the_agent_says():
    with Repository() as r, Folder() as other:
        r.workflow("trust", "--yes")
        r.write("repo/src/sum.cpp", '#include "sum.hpp"\nint sum(int a, int b) { return b - a; }\n')
        says = {"hook_event_name": "Stop", "stop_hook_active": False, "cwd": r.repo}
        done = r.workflow("check", "--hook", stdin=json.dumps(says))
        code(done, 2)
        equal(done.out, "")
        # It was held back once, and is let go: its user is told.
        done = r.workflow("check", "--hook", stdin=json.dumps({**says, "stop_hook_active": True}))
        code(done, 0)
        has(json.loads(done.out)["systemMessage"], "held back once", "FAIL sum(2,3): expected 5, got 1")
        # Where the agent is, it says; where nobody is in a repository, that is no fault of its.
        code(plumb("workflow", "check", "--hook", cwd=other.path, env=r.env, stdin=json.dumps(says)), 2)
        code(plumb("workflow", "check", "--hook", cwd=other.path, env=r.env, stdin="not JSON"), 1)
        # A Makefile that always passes is what it changed, and so is a test without its lines.
        for name, text in (("Makefile", "test:\n\t@true\n"), ("tests/test.cpp", "int main() {}\n")):
            with open(r.at("repo/" + name), encoding="utf-8") as file:
                was = file.read()
            r.write("repo/" + name, text)
            done = r.workflow("check", "--hook", stdin=json.dumps(says))
            code(done, 2)
            has(done.err, f"'{name}'", "no task names it", "With what was there before", "expected 5, got 1")
            code(r.workflow("check", "--format", "short"), 0)
            r.write("repo/" + name, was)
        equal(git(r.repo, "status", "--short", "--", "tests", "Makefile"), "")


@test
def a_person_develops_in_the_tree_and_another_one_rejects():
    with Repository() as r:
        r.workflow("trust", "--yes")
        done = r.workflow("run", "--task", "mend", "--files", "src/**", "--developer", "person", "--isolation", "partial",
                          "--base-failures", "warn")
        code(done, 2)
        run = r.status()["run_id"]
        tree = re.search(r"its files lie in (\S+)", done.err).group(1)
        with open(os.path.join(tree, "src", "sum.cpp"), "w", encoding="utf-8") as file:
            file.write('#include "sum.hpp"\nint sum(int a, int b) { return a + b; }\n')
        done = r.workflow("answer", run, "done", "--isolation", "partial", "--on-unverified", "pass")
        code(done, 0)
        done = r.workflow("run", "--task", "more", "--files", "src/**", "--developer", "extract", "--isolation", "partial",
                          "--base-failures", "warn")
        code(done, 2)
        run = r.status()["run_id"]
        done = r.workflow("answer", run, "approve", "--words", "fine", "--by", "Ada", "--isolation", "partial")
        has(done.err, "nothing was changed, and nothing can be approved")
        done = r.workflow("answer", run, "reject", "--words", "not needed", "--by", "Ada", "--isolation", "partial")
        code(done, 1)
        equal(r.status()["tasks"][0]["state"], "rejected")


def at_a_terminal(repository, words, answer):
    """The command at a terminal of its own. `answer(said)` is asked with what it said since, and gives a line."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(repository.repo)
        os.execve(cli_test.PLUMB, ["plumb", *words], {**os.environ, **repository.env})
    said, since, end = b"", 0, time.monotonic() + 120
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # its other side is closed
            piece = b""
        if not piece:
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode("utf-8", "replace")
        said += piece
        if said.endswith(b"words> "):
            os.write(terminal, answer(said[since:].decode("utf-8", "replace")).encode() + b"\n")
            since = len(said)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise AssertionError("not ended within 120 s: " + said.decode("utf-8", "replace")[-2000:])


@test
def a_person_at_the_terminal_is_told_the_task_and_what_a_gate_said_and_no_gate_moves_the_cursor():
    with Repository() as r:
        r.write("repo/Makefile", MAKE.replace("\t./build/test", "\t@printf '\\033]0;mine\\007\\033[2J'; ./build/test"))
        git(r.repo, "commit", "-q", "-a", "-m", "a gate that writes to terminals")
        r.workflow("trust", "--yes")
        asked = []

        def person(said):
            asked.append(said)
            tree = re.findall(r"Its files lie in (\S+)", said)[-1]
            body = "a * b" if len(asked) == 1 else "a + b"
            with open(os.path.join(tree, "src", "sum.cpp"), "w", encoding="utf-8") as file:
                file.write('#include "sum.hpp"\nint sum(int a, int b) { return %s; }\n' % body)
            return "1" if len(asked) < 3 else "2 enough"

        ended, said = at_a_terminal(r, ["workflow", "run", "--task", "sum adds", "--files", "src/**", "--developer", "person",
                                        "--isolation", "partial", "--base-failures", "warn", "--on-unverified", "pass"], person)
        assert ended == 0, said[-2000:]
        equal(len(asked), 2)
        has(asked[0], "# Task T1: sum adds")
        has(asked[1], "expected 5, got 6")
        assert "\x1b]0;" not in said and "\x1b[2J" not in said and "\x07" not in said, repr(said[-2000:])
        equal(r.status()["tasks"][0]["state"], "landed")


@test
def a_fix_it_hint_of_the_compiler_is_applied_without_a_model():
    with Repository(more="  developer: extract\n") as r:
        r.write("repo/src/sum.cpp", '#include "sum.hpp"\nstruct P { int value; };\nint sum(int a, int b) { P p{a}; return p.valeu + b; }\n')
        r.write("repo/Makefile", MAKE.replace("g++ ", "g++ -fdiagnostics-parseable-fixits "))
        git(r.repo, "commit", "-q", "-a", "-m", "a typo")
        r.workflow("trust", "--yes")
        done = r.workflow("run", "--task", "mend the typo", "--files", "src/**", "--isolation", "partial", "--base-failures", "warn",
                          "--on-unverified", "pass")
        code(done, 0)
        has(git(r.repo, "show", "plumb/mend-the-typo:src/sum.cpp"), "p.value + b")


@test
def killed_at_any_time_and_resumed_it_comes_to_the_same_tree_and_runs_no_developer_twice():
    with Repository(wait="0.15") as r:
        r.workflow("trust", "--yes")
        plan = r.write("plan.yaml", "title: sum adds\ntasks:\n  - {id: T1, description: sum adds, fixes: [test], acceptance: [it adds],"
                                    " files: [{path: 'src/**', access: write}]}\n")
        words = ["workflow", "run", plan, "--developer", "fixer", "--isolation", "partial", "--on-unverified", "pass"]
        code(plumb(*words, cwd=r.repo, env=r.env), 0)
        wanted = git(r.repo, "show", "plumb/sum-adds:src/sum.cpp")
        ended = 0
        for step in range(12):
            git(r.repo, "update-ref", "-d", "refs/heads/plumb/sum-adds")
            store = r.at(f"runs-{step}.db")
            process = subprocess.Popen([cli_test.PLUMB, *words, "--store", store], cwd=r.repo, env=cli_test.environment(r.env),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.08 + 0.2 * step)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=30)
            # As its own note says it: in the project, no repository needs to be named.
            resumed = plumb("runs", "resume", "--store", store, "--isolation", "partial", cwd=r.repo,
                            env=r.env, timeout=120)
            shown = r.workflow("status", "--json", "--store", store)
            if not shown.out:
                continue  # killed before it was begun
            task = json.loads(shown.out)["tasks"][0]
            assert task["state"] in ("landed", "escalated"), (step, task["state"], resumed.err)
            if task["state"] == "escalated":  # lost before it changed anything: a person is asked, and nothing is run twice
                has(task["why"], "interrupted before it changed anything")
                continue
            ended += 1
            equal(git(r.repo, "show", "plumb/sum-adds:src/sum.cpp"), wanted)
            equal(r.started(), len(task["rounds"]))
        assert ended >= 8, ended


@test
def gates_begin_with_what_setup_built_and_build_only_what_has_changed():
    with Repository() as r:
        r.write("repo/CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(x CXX)\nadd_executable(t a.cpp b.cpp)\n")
        r.write("repo/a.cpp", "int b();\nint main() { return b() == 3 ? 0 : 1; }\n")
        r.write("repo/b.cpp", "int b() { return 2; }\n")
        r.write("repo/plumb.yaml",
                "workflow:\n  setup: {run: 'cmake -S . -B build && cmake --build build', shell: true}\n  caches: [build]\n"
                "  gates:\n    - {name: build, command: cmake --build build}\n    - {name: test, command: ./build/t, after: [build]}\n"
                "  developers:\n    fixer: {run: \"echo 'int b() { return 3; }' > b.cpp\", shell: true}\n")
        git(r.repo, "add", "-A")
        git(r.repo, "commit", "-q", "-m", "cmake")
        r.workflow("trust", "--yes")
        done = r.workflow("run", "--task", "b is three", "--files", "b.cpp", "--developer", "fixer", "--base-failures", "warn",
                          "--isolation", "partial", "--on-unverified", "pass")
        code(done, 0)
        built = r.status()["tasks"][0]["rounds"][0]["gates"][0]["output"]
        has(built, "b.cpp")
        assert "a.cpp" not in built, built


@test
def a_missing_program_is_reported_alike_by_check_and_run_with_the_folders_that_were_searched():
    with Repository() as r:
        r.write("repo/plumb.yaml",
                "workflow:\n  path: [tools]\n  gates:\n    - {name: test, command: no-such-tool --now}\n"
                "    - {name: shell, command: no-such-tool, shell: true}\n  developers: {fixer: {run: [./fix.sh]}}\n")
        os.mkdir(r.at("repo/tools"))
        r.workflow("trust", "--yes")
        done = r.workflow("check", "--format", "short")
        code(done, 1)
        for gate in ("gate 'test': its command is not found", "gate 'shell': the shell did not find its command"):
            has(done.out, gate)
        has(done.out, "no-such-tool' in PATH (" + r.at("repo/tools") + ":", ":/usr/bin")
        done = r.run()
        code(done, 2)
        has(done.err, "its command is not found: the command 'gate.test': there is no program 'no-such-tool' in PATH (")


@test
def programs_of_go_nvm_pyenv_uv_cargo_and_a_venv_are_found_without_a_shells_profile():
    with Repository() as r:
        home, tools = r.at("home"), {"go/bin": "gotool", ".nvm/versions/node/v20.9.0/bin": "node20", ".nvm/versions/node/v9.1.0/bin": "node9",
                                     ".pyenv/shims": "pytool", ".local/bin": "uvtool", ".cargo/bin": "cargotool"}
        names = []
        for place, name in tools.items():
            os.chmod(r.write(f"home/{place}/{name}", "#!/bin/sh\nexit 0\n"), 0o755)
            names.append(name)
        os.chmod(r.write("repo/.venv/bin/venvtool", "#!/bin/sh\ntest \"$LANG\" = C.UTF-8\n"), 0o755)
        r.write("repo/.gitignore", "build\n.venv\n")
        gates = "".join(f"    - {{name: {name}, command: {name}}}\n" for name in names if name != "node9")
        r.write("repo/plumb.yaml", "workflow:\n  path: [.venv/bin]\n  caches: [.venv]\n  gates:\n    - {name: venv, command: venvtool}\n"
                "    - {name: older, command: node9, required: false}\n" + gates + "  developers: {fixer: {run: [./fix.sh]}}\n")
        r.env.update({"HOME": home, "PATH": "/usr/bin:/bin"})
        r.workflow("trust", "--yes")
        for words in ((), ("--staged",)):  # in the checkout, and on a copy, which gets the caches
            git(r.repo, "add", "-A")
            done = r.workflow("check", "--format", "short", *words)
            code(done, 0)
            has(done.out, "gate 'older': its command is not found")  # nvm's newest version is the one that counts
        git(r.repo, "commit", "-qm", "gates")
        r.write("repo/plumb.yaml", "workflow:\n  gates:\n" + gates + "  developers: {fixer: {run: [./fix.sh]}}\n")
        git(r.repo, "commit", "-qam", "without the venv")
        r.workflow("trust", "--yes")
        r.run("--on-unverified", "pass")
        equal(r.status()["tasks"][0]["state"], "landed")


@test
def the_first_and_the_last_lines_of_a_gates_output_are_shown_in_every_format():
    with Repository() as r:
        r.write("repo/long.sh", "echo first-line\nseq 100000 120000\necho last-line >&2\nexit 3\n")
        r.write("repo/plumb.yaml", "workflow:\n  gates:\n    - {name: long, command: sh long.sh}\n")
        r.workflow("trust", "--yes")
        for format in ("text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"):
            done = r.workflow("check", "--format", format)
            code(done, 1)
            has(done.out, "first-line", "last-line", "bytes left out")
        done = r.workflow("check", "--hook", stdin="{}")
        has(done.err, "first-line", "last-line")
        done = r.workflow("check", "--hook", stdin='{"stop_hook_active": true}')
        has(json.loads(done.out)["systemMessage"], "first-line", "last-line")


def begun_by_a_person(repository, *words, until):
    """A run that waits for a person: what it had said when it said `until`, and it is ended then."""
    words = ["workflow", "run", "--task", "mend it", "--files", "src/**", "--developer", "person", "--isolation", "partial",
             "--base-failures", "warn", *words]
    with subprocess.Popen([cli_test.PLUMB, *words], cwd=repository.repo, env=cli_test.environment(repository.env),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        said, end = b"", time.monotonic() + 60
        while until.encode() not in said and time.monotonic() < end:
            if select.select([process.stderr], [], [], 0.2)[0]:
                piece = os.read(process.stderr.fileno(), 65536)
                if not piece:
                    break
                said += piece
        process.send_signal(signal.SIGINT)
        return (said + process.communicate(timeout=60)[1]).decode("utf-8", "replace")


@test
def files_are_claimed_by_repository_and_its_work_trees_share_them():
    with Repository() as one, Repository() as other:
        other.env = one.env  # one store for both
        for r in (one, other):
            r.workflow("trust", "--yes")
        code(one.workflow("run", "--task", "mend it", "--files", "src/**", "--developer", "person", "--isolation", "partial",
                          "--base-failures", "warn"), 2)
        has(begun_by_a_person(other, until="it waits: Task"), "it waits: Task")
        git(one.repo, "worktree", "add", "-q", "-b", "side", one.at("side"))
        one.repo = one.at("side")
        one.workflow("trust", "--yes")
        said = begun_by_a_person(one, until="held by run")
        has(said, "held by run", os.path.realpath(one.at("repo/.git")))


@test
def a_gate_that_no_break_turns_red_is_hollow_and_an_honest_one_is_proven():
    with Repository() as r:
        r.write("repo/src/sum.cpp", '#include "sum.hpp"\nint sum(int a, int b) { return a + b; }\n')
        r.write("repo/plumb.yaml",
                "workflow:\n  gates:\n    - {name: test, command: make test}\n    - {name: hollow, command: 'make test || true', shell: true}\n"
                "    - {name: compiles, command: 'mkdir -p build && g++ -Isrc -c src/sum.cpp -o build/x.o', shell: true, category: compile}\n"
                "    - {name: test-compiles, command: 'g++ -Isrc -fsyntax-only tests/test.cpp', category: test}\n"
                "    - {name: script, command: sh ci.sh}\n    - {name: red, command: 'false'}\n")
        r.write("repo/ci.sh", "exit 0\n")
        r.workflow("trust", "--yes")
        has(r.workflow("check", "--format", "short").err, "gates not proven: test, hollow, compiles", "plumb workflow prove")
        before = r.untouched()
        done = r.workflow("prove")
        code(done, 1)
        told = dict(re.findall(r"^gate '([\w-]+)' (is proven|is hollow|is not proven|fails before)", done.out, re.M))
        equal(told, {"test": "is proven", "hollow": "is hollow", "compiles": "is proven", "test-compiles": "is hollow",
                     "script": "is hollow", "red": "fails before"})
        equal(r.untouched(), before)
        has(r.workflow("check", "--format", "short").err, "gates proven: test on 20", "compiles on 20", "hollow (hollow on 20")
        r.write("repo/plumb.yaml", "workflow:\n  gates:\n    - {name: test, command: make test}\n")
        r.workflow("trust", "--yes")
        code(r.workflow("prove"), 0)
        r.write("repo/plumb.yaml", "workflow:\n  gates:\n    - {name: test, command: make -s test}\n")
        r.workflow("trust", "--yes")
        has(r.workflow("check").err, "gates not proven: test")  # an edited gate is another one


PROJECTS = {
    "cmake": {
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(sum CXX)\nenable_testing()\n"
                          "add_executable(sum_test sum_test.cpp sum.cpp)\nadd_test(NAME sum COMMAND sum_test)\n",
        "sum.cpp": "int sum(int a, int b) { return a - b; }\n",
        "sum_test.cpp": "int sum(int, int);\nint main() { return sum(2, 3) == 5 ? 0 : 1; }\n"},
    "npm": {
        "package.json": '{"name": "sum", "version": "1.0.0", "scripts": {"test": "node test.js"}}\n',
        "sum.js": "module.exports = (a, b) => a - b;\n",
        "test.js": 'if (require("./sum.js")(2, 3) !== 5) { console.log("no sum"); process.exit(1); }\n'},
    "make": {
        "Makefile": "test: sum\n\t./sum\nsum: sum.c\n\tcc -o sum sum.c\n",
        "sum.c": "int sum(int a, int b) { return a - b; }\nint main(void) { return sum(2, 3) == 5 ? 0 : 1; }\n"},
}


def first_five_minutes(kind):
    """From a project that knows nothing of us to a mended bug on a branch, and a check of what is changed by hand."""
    with Folder() as folder:
        repo, env = folder.at(kind), {"XDG_STATE_HOME": folder.at("state")}
        for name, text in {**PROJECTS[kind], ".gitignore": "build\nnode_modules\n/sum\n"}.items():
            folder.write(f"{kind}/{name}", text)
        git(repo, "init", "-q", "-b", "main")
        git(repo, "config", "user.name", "Somebody")
        git(repo, "config", "user.email", "somebody@example.org")
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", "first")
        begun = time.monotonic()
        done = plumb("workflow", "init", cwd=repo, env=env)
        code(done, 0)
        has(done.err, f"gates of {kind}")
        with open(os.path.join(repo, "plumb.yaml"), "a", encoding="utf-8") as file:
            file.write("  developers:\n    mender: {run: \"sed -i 's/a - b/a + b/' sum.*\", shell: true}\n")
        code(plumb("workflow", "trust", "--yes", cwd=repo, env=env), 0)
        done = plumb("workflow", "run", "--task", "sum adds", "--files", "sum.*", "--developer", "mender", "--isolation", "partial",
                     "--base-failures", "warn", "--on-unverified", "pass", cwd=repo, env=env, timeout=300)
        code(done, 0)
        has("".join(git(repo, "show", f"plumb/sum-adds:{name}") for name in PROJECTS[kind] if name.startswith("sum.")), "a + b")
        # What somebody changes by hand is judged by the same gates: wrong first, then right.
        code(plumb("workflow", "check", cwd=repo, env=env, timeout=300), 1)
        git(repo, "merge", "-q", "--ff-only", "plumb/sum-adds")
        code(plumb("workflow", "check", "--base", "HEAD~1", cwd=repo, env=env, timeout=300), 0)
        seconds = time.monotonic() - begun
        print(f"first success with {kind}: {seconds:.1f} s")
        assert seconds < 300, seconds


@test
def the_first_success_with_cmake_takes_less_than_five_minutes():
    first_five_minutes("cmake")


@test
def the_first_success_with_npm_takes_less_than_five_minutes():
    first_five_minutes("npm")


@test
def the_first_success_with_make_takes_less_than_five_minutes():
    first_five_minutes("make")


def asked_of_models(repository):
    """The requests of all model calls of the newest run, as (part, text)."""
    texts, out = {}, []

    def whole(value):
        if isinstance(value, dict):
            return json.loads(texts[value["$blob"]]) if "$blob" in value else {key: whole(one) for key, one in value.items()}
        return [whole(one) for one in value] if isinstance(value, list) else value

    done = plumb("runs", "export", repository.status()["run_id"], cwd=repository.repo, env=repository.env)
    for line in done.out.splitlines():
        entry = json.loads(line)
        if "blob" in entry:
            texts[entry["blob"]] = entry["text"]
        elif entry.get("kind") == "attempt" and entry.get("name") == "model":
            request = whole(entry["data"])
            out.append((request["phase"], "\n".join(message["content"] for message in request["messages"])))
    return out


@test
def a_developer_reads_no_sop_and_no_word_of_the_review_and_a_reviewer_nothing_of_the_developers_tries():
    with Repository() as r:
        r.write("repo/.semspec/sources/docs/sops/zebra.md",
                "---\nseverity: error\napplies_to: '*.cpp'\n---\n# Zebras\n\nSources MUST say zebra.\n")
        r.workflow("trust", "--yes")
        words = ("run", "--task", "sum adds", "--isolation", "partial", "--base-failures", "warn")
        code(r.workflow(*words, "--files", "src/sum.cpp", "--provider", "sample/obedient"), 2)
        developers = [text for phase, text in asked_of_models(r) if phase == "develop"]
        assert 1 <= len(developers) <= 4, len(developers)  # what a sample makes up is of no use, and a person is asked
        for text in developers:
            assert "zebra" not in text and "You are a reviewer" not in text and "sop_review" not in text, text
        r.workflow(*words, "--files", "src/**", "--developer", "fixer", "--reviewer", "model", "--provider-review", "sample/obedient")
        reviewers = [text for phase, text in asked_of_models(r) if phase == "review"]
        assert reviewers
        for text in reviewers:
            has(text, "Sources MUST say zebra", "source.doc.sops.zebra", "sum(int a, int b)")
            assert "What the last try came to" not in text and "expected 5, got" not in text, text


@test
def what_lies_in_the_folder_of_a_cancelled_run_is_committed_before_it_is_cleaned_away():
    with Repository() as r:
        r.workflow("trust", "--yes")
        done = r.workflow("run", "--task", "mend", "--files", "src/**", "--developer", "person", "--isolation", "partial",
                          "--base-failures", "warn")
        code(done, 2)
        run = r.status()["run_id"]
        tree = re.search(r"its files lie in (\S+)", done.err).group(1)
        with open(os.path.join(tree, "src", "sum.cpp"), "w", encoding="utf-8") as file:
            file.write("// half done\n")
        listed = r.workflow("clean")
        assert tree not in listed.out, listed.out  # it waits
        code(plumb("runs", "cancel", run, cwd=r.repo, env=r.env), 0)
        listed = r.workflow("clean")
        has(listed.out, tree)
        has(listed.err, "would go")
        assert os.path.exists(tree)
        cleaned = r.workflow("clean", "--yes")
        has(cleaned.err, f"refs/plumb/{run}/T1")
        assert not os.path.exists(tree)
        equal(git(r.repo, "show", f"refs/plumb/{run}/T1:src/sum.cpp"), "// half done\n")
        has(r.workflow("clean", "--yes").out, f"refs/plumb/{run}/T1")
        equal(git(r.repo, "for-each-ref", "refs/plumb/"), "")


@test
def what_a_halted_task_has_done_lies_under_a_ref():
    with Repository() as r:
        r.workflow("trust", "--yes")
        done = r.workflow("run", "--task", "sum adds", "--files", "src/sum.cpp", "--developer", "fixer", "--isolation", "partial",
                          "--base-failures", "warn", "--config", r.write("repo/halt.yaml", open(r.at("repo/plumb.yaml"), encoding="utf-8").read() +
                                                                         "budget: {policy: {scope_creep: {over: 0, response: halt}}}\n"))
        code(done, 1)
        task = r.status()["tasks"][0]
        equal(task["state"], "halted")
        has(git(r.repo, "show", f"refs/plumb/{r.status()['run_id']}/T1:src/starts"), "developer")


@test
def the_example_repository_is_mended_without_a_model_as_its_own_words_say():
    with Folder() as f:
        env = {"XDG_STATE_HOME": f.at("state"), "HOME": f.at("home")}
        repo = f.at("shapes")
        made = subprocess.run([os.path.join(TOP, "docs/examples/workflow/make_repository"), repo], capture_output=True, text=True,
                              check=True, env={**os.environ, **env})
        said = re.findall(r"^  (plumb workflow .*)$", made.stdout, re.M)
        equal(len(said), 2)
        code(plumb(*shlex.split(said[0])[1:], env=env), 0)
        done = plumb(*shlex.split(said[1])[1:], "--isolation", "partial", env=env, stdin="")
        code(done, 0)
        has(done.err, "T1 developing: a required gate failed: a retry", "changed: src/report.cpp, src/shapes.cpp",
            "T2 rejected: it is replaced by its parts: it writes 5 files", "T2b landed",
            "All tasks are on branch plumb/demo; not everything is verified")
        changed = git(repo, "diff", "--name-only", "main", "plumb/demo").split()
        equal(changed, [f"docs/{name}.md" for name in ("area", "edges", "index", "report", "units")] + ["src/report.cpp", "src/shapes.cpp"])
        git(repo, "checkout", "-q", "plumb/demo")
        subprocess.run(["make", "-s"], cwd=repo, check=True, capture_output=True)
        subprocess.run(["out/test"], cwd=repo, check=True)
        subprocess.run(["./lint.sh"], cwd=repo, check=True)


@test
def after_a_commit_a_plan_begins_anew_and_says_whom_it_waits_for():
    with Repository() as r:
        r.workflow("trust", "--yes")
        words = ["run", "--task", "sum adds", "--files", "src/**", "--developer", "extract", "--isolation", "partial",
                 "--base-failures", "warn", "--on-unverified", "pass"]
        code(r.workflow(*words, stdin=""), 2)   # no gate prints a fix: it waits for a person, and holds src/**
        first = r.status()["run_id"]
        again = r.workflow(*words, stdin="")
        has(again.err, "this job was begun before and not ended")
        equal(r.status()["run_id"], first)
        git(r.repo, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "Something else")
        other = r.workflow(*words, stdin="")
        code(other, 2)
        has(other.err, f"/.git:src/**', held by run {first} until that one has ended", f"plumb runs cancel {first}")
        code(plumb("runs", "cancel", first, cwd=r.repo, env=r.env), 0)
        gone = r.workflow(*words, stdin="")
        has(gone.err, "this job was begun before and not ended", "no gate printed a fix")


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
    print(f"suite workflow: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
