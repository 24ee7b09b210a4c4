#!/usr/bin/env python3
"""What `plumb workflow check` and `plumb check` see of a change is what git says of it: git's own names, trees and commits are compared.

    PLUMB_BIN=build/bin/plumb tests/native/workflow_view_test.py [WORD...]     only tests whose sentence has all words

Git is the other party: `git diff --cached --name-only`, `git write-tree` and the commits that it makes. The last line is `suite view: ...`.
"""
import datetime
import json
import os
import re
import subprocess
import sys

import cli_test
from cli_test import ROOT, Folder, code, equal, has, lacks, plumb

TESTS = []
# The gate says which tree of git the files are that it was given.
GATE = ("workflow:\n  gates:\n    - name: tree\n      shell: true\n      command: "
        "'git init -q . && git -c core.autocrlf=false add -A -f . && git write-tree && exit 1'\n")


def test(function):
    TESTS.append(function)
    return function


class Repository(Folder):
    """A repository with a trusted gate that tells the tree it was run on, and with odd files."""

    def __enter__(self):
        super().__enter__()
        self.repo = self.at("repo")
        os.makedirs(self.repo)
        self.env = {"XDG_STATE_HOME": self.at("state"), "PLUMB_TRUST_YES": "1"}
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Somebody")
        self.git("config", "user.email", "somebody@example.org")
        self.put("plumb.yaml", GATE)
        self.put("src/a.txt", "one\ntwo\n")
        self.put("b with blanks.txt", "one\n")
        self.put("removed.txt", "one\n")
        self.put("kept.sh", "#!/bin/sh\n")
        os.symlink("src/a.txt", os.path.join(self.repo, "link"))
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        code(self.workflow("trust", "--yes"), 0)
        return self

    def put(self, path, text):
        full = os.path.join(self.repo, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def git(self, *words, env=None, cwd=None):
        done = subprocess.run(["git", *words], cwd=cwd or self.repo, capture_output=True, check=False,
                              env={"PATH": os.environ["PATH"], "HOME": self.at(""), "LC_ALL": "C", **(env or {})})
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.decode()

    def workflow(self, *words, **options):
        return plumb("workflow", *words, cwd=options.pop("cwd", self.repo), env={**self.env, **options.pop("env", {})}, **options)

    def judged(self, *words, **options):
        """The paths that were judged, and the tree that the gate was run on."""
        done = self.workflow("check", "--format", "jsonl", *words, **options)
        code(done, 1)
        verdicts = [json.loads(line) for line in done.out.splitlines()]
        verdicts = {one["file"]: one for one in verdicts if "file" in one}
        tree = None
        for finding in verdicts.pop("gate tree", {"findings": []})["findings"]:
            tree = [word for word in finding["message"].split() if len(word) == 40 and not word.strip("0123456789abcdef")][-1]
        return sorted(verdicts), tree

    def staged(self):
        """The same, as git tells it."""
        names = self.git("diff", "--cached", "--name-only", "--no-renames", "-z").split("\0")[:-1]
        return sorted(names), self.git("write-tree").strip()

    def odd_change(self):
        self.put("src/ä \"quoted\"\\\n\tname.txt", "new\n")
        self.put("src/a.txt", "one\n2\n")
        self.git("mv", "b with blanks.txt", "moved here.txt")
        os.unlink(os.path.join(self.repo, "removed.txt"))
        os.chmod(os.path.join(self.repo, "kept.sh"), 0o755)
        os.unlink(os.path.join(self.repo, "link"))
        os.symlink("kept.sh", os.path.join(self.repo, "link"))
        self.put("picture.bin", b"\0\1\2\xff" * 500)
        self.put("empty", "")


@test
def what_is_staged_is_judged_path_by_path_and_laid_out_as_git_would_commit_it():
    with Repository() as r:
        r.odd_change()
        r.git("add", "-A")
        # Beside it lie changes that are not staged, a file that is only promised and one that is new.
        r.put("src/a.txt", "something else\n")
        r.put("promised", "x\n")
        r.git("add", "-N", "promised")
        r.put("new", "x\n")
        os.unlink(os.path.join(r.repo, "kept.sh"))
        with open(os.path.join(r.repo, ".git", "index"), "rb") as file:
            index = file.read()
        judged = r.judged("--staged")
        with open(os.path.join(r.repo, ".git", "index"), "rb") as file:
            equal(file.read(), index)
        equal(judged, r.staged())


@test
def what_lies_in_the_checkout_is_judged_as_git_would_add_it():
    with Repository() as r:
        r.odd_change()
        r.put(".gitignore", "ignored\n")
        r.put("ignored", "x\n")
        r.put("more/new", "x\n")
        objects = sorted(os.listdir(os.path.join(r.repo, ".git", "objects")))
        judged = r.judged("--isolation", "partial")
        equal(sorted(os.listdir(os.path.join(r.repo, ".git", "objects"))), objects)
        r.git("add", "-A")
        equal(judged, r.staged())


@test
def the_index_that_git_names_to_its_hook_is_the_one_that_is_judged():
    with Repository() as r:
        seen = r.at("seen")
        hook = os.path.join(r.repo, ".git", "hooks", "pre-commit")
        r.put(hook, f"#!/bin/sh\n{cli_test.PLUMB} workflow check --staged --format jsonl > {seen}\n"
                    f"git diff --cached --name-only --no-renames -z > {seen}.names\ngit write-tree > {seen}.tree\nexit 0\n")
        os.chmod(hook, 0o755)
        r.git("worktree", "add", "-q", "-b", "side", r.at("side"))
        code(r.workflow("trust", "--yes", cwd=r.at("side")), 0)
        for where in (r.repo, r.at("side")):
            for words in (("-a",), ("src/a.txt",), ("--amend", "-a"), ("-i", "src/a.txt")):
                for name in ("src/a.txt", "b with blanks.txt"):
                    with open(os.path.join(where, name), "a", encoding="utf-8") as file:
                        file.write(" ".join(words) + "\n")
                if words[0] == "src/a.txt":
                    r.git("add", "b with blanks.txt", cwd=where)
                r.git("commit", "-q", "-m", "more", *words, cwd=where,
                      env={"XDG_STATE_HOME": r.at("state")})
                with open(seen, encoding="utf-8") as file:
                    verdicts = [json.loads(line) for line in file]
                with open(seen + ".names", encoding="utf-8") as file:
                    names = file.read().split("\0")[:-1]
                with open(seen + ".tree", encoding="utf-8") as file:
                    tree = file.read().strip()
                equal(sorted(one["file"] for one in verdicts if one.get("file") not in (None, "gate tree")), sorted(names))
                gate = [one for one in verdicts if one.get("file") == "gate tree"][0]
                has(gate["findings"][0]["message"], tree)
                equal(r.git("rev-parse", "HEAD^{tree}", cwd=where).strip(), tree)


@test
def a_merge_with_conflicts_is_not_judged_and_a_resolved_one_is():
    with Repository() as r:
        r.git("checkout", "-q", "-b", "other")
        r.put("src/a.txt", "theirs\n")
        r.put("theirs.txt", "x\n")
        r.git("add", "-A")
        r.git("commit", "-q", "-m", "theirs")
        r.git("checkout", "-q", "main")
        r.put("src/a.txt", "ours\n")
        r.git("commit", "-q", "-a", "-m", "ours")
        subprocess.run(["git", "merge", "other"], cwd=r.repo, capture_output=True, check=False)
        done = r.workflow("check", "--staged")
        code(done, 2)
        has(done.err, "conflicts")
        r.put("src/a.txt", "both\n")
        r.git("add", "src/a.txt")
        equal(r.judged("--staged"), r.staged())


@test
def a_submodule_comes_with_its_files_at_the_commit_that_is_staged():
    with Repository() as r:
        r.git("init", "-q", r.at("library"))
        r.put(r.at("library/inner.txt"), "one\n")
        r.git("add", "-A", cwd=r.at("library"))
        r.git("-c", "user.name=S", "-c", "user.email=s@example.org", "commit", "-q", "-m", "x", cwd=r.at("library"))
        r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", r.at("library"), "library")
        r.put("library/inner.txt", "other\n")
        r.put("plumb.yaml", "workflow:\n  gates: [{name: test, command: grep -q one library/inner.txt}]\n")
        code(r.workflow("trust", "--yes"), 0)
        r.git("add", "plumb.yaml")
        code(r.workflow("check", "--staged"), 0)


@test
def nothing_that_a_repository_configures_is_run():
    with Repository() as r:
        mark = r.at("mark")
        r.put(".gitattributes", "* filter=mine diff=mine\n")
        r.put("src/a.txt", "changed\n")
        for name in ("filter.mine.clean", "filter.mine.smudge", "filter.mine.process", "diff.mine.textconv", "diff.mine.command",
                     "core.fsmonitor"):
            r.git("config", name, f"sh -c 'touch {mark}; cat'")
        r.git("config", "filter.mine.required", "true")
        for words in ((), ("--isolation", "partial"), ("--staged",)):
            r.workflow("check", "--no-gates", *words)
        assert not os.path.exists(mark)


@test
def a_repository_among_the_files_is_told_since_its_files_are_not_read():
    with Repository() as r:
        r.git("init", "-q", os.path.join(r.repo, "nested"))
        r.put("nested/evil.js", "eval(1)\n")
        done = r.workflow("check", "--no-gates", "--format", "short")
        code(done, 1)
        has(done.out, "'nested' is a git repository of its own")


@test
def another_repository_that_the_environment_names_does_not_count_where_a_folder_is_named():
    with Repository() as r:
        other = r.at("other")
        r.git("init", "-q", other)
        r.put("src/a.txt", "changed\n")
        r.git("add", "-A")
        names = r.judged("--staged", "--repo", r.repo, cwd=other, env={"GIT_DIR": other + "/.git", "GIT_INDEX_FILE": other + "/.git/index"})
        equal(names, r.staged())


@test
def the_text_that_was_trusted_judges_and_the_edit_is_told():
    with Repository() as r:
        r.put("plumb.yaml", "workflow:\n  gates: [{name: test, command: grep -q one src/a.txt}]\n")
        code(r.workflow("trust", "--yes"), 0)
        r.git("commit", "-q", "-a", "-m", "a gate")
        with open(r.at("state/plumb/trusted.json"), encoding="utf-8") as file:
            kept = json.load(file)[r.repo + "/plumb.yaml"]
        equal(sorted(kept), ["hash", "text"])
        for text in ("workflow:\n  gates: [{name: test, command: echo}]\n", "fail_on: never\n", "workflow: [", None):
            r.put("src/a.txt", "bad\n")
            os.unlink(os.path.join(r.repo, "plumb.yaml")) if text is None else r.put("plumb.yaml", text)
            done = r.workflow("check", "--format", "short")
            code(done, 1)
            has(done.out, "gate test", "[configuration]", "plumb.yaml")
            assert "plumb trust" not in done.out + done.err and "workflow trust" not in done.out + done.err, done.err
            # A run begins with nothing but what holds.
            code(r.workflow("run", "--task", "x", "--files", "src/**", "--developer", "extract"), 2)
            r.git("checkout", "-q", "plumb.yaml")
            r.put("src/a.txt", "one and more\n")
            code(r.workflow("check"), 0)
        code(r.workflow("trust", "--forget"), 0)
        code(r.workflow("check"), 2)


@test
def what_is_gone_is_trusted_until_somebody_takes_it_back():
    with Repository() as r:
        os.unlink(os.path.join(r.repo, "plumb.yaml"))
        code(r.workflow("check", "--no-gates"), 1)
        code(r.workflow("trust", "--forget"), 0)
        code(r.workflow("check", "--no-gates"), 0)


@test
def staged_artifacts_are_checked_by_the_staged_contract():
    with Repository() as r:
        contract = {"type": "object", "required": ["a"]}
        r.put("plumb.yaml", GATE + "contracts:\n  - {files: out/*.json, contract: contracts/one.json}\n")
        r.put("contracts/one.json", json.dumps(contract))
        r.put("out/one.json", '{"a": 1}')
        r.put("out/two words.json", '{"b": 1}')
        r.git("add", "-A")
        r.put("contracts/one.json", "{}")
        r.put("out/two words.json", '{"a": 1}')
        done = plumb("check", "--staged", "--format", "jsonl", cwd=r.repo, env=r.env)
        code(done, 1)
        equal({one["file"]: one["valid"] for one in map(json.loads, done.out.splitlines())},
              {"out/one.json": True, "out/two words.json": False})
        # From a folder, by name, and with a report where the command was started.
        done = plumb("check", "--staged", "--format", "json", "--output", "report.json", "two words.json", cwd=os.path.join(r.repo, "out"),
                     env=r.env)
        code(done, 1)
        assert os.path.exists(os.path.join(r.repo, "out", "report.json"))
        code(plumb("check", "--staged", "--contract", "contracts/one.json", "out/one.json", cwd=r.repo, env=r.env), 0)
        for words in (("--fix",), ("-", "--contract", "quiz")):
            code(plumb("check", "--staged", *words, cwd=r.repo, env=r.env), 2)
        r.git("commit", "-q", "-m", "all")
        code(plumb("check", "--staged", cwd=r.repo, env=r.env), 0)



@test
def every_yaml_block_of_the_documentation_is_read_by_the_command_that_it_is_for():
    # docs_test.py runs the commands of the page, and workflow_server_test.py those over HTTP.
    with open(os.path.join(ROOT, "docs", "workflow.md"), encoding="utf-8") as file:
        text = file.read()
    soon = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()
    blocks = [re.sub(r"\b20\d\d-\d\d-\d\d\b", soon, one) for one in re.findall(r"```yaml\n(.*?)```", text, re.S)]
    kinds = []
    for block in blocks:
        kinds.append(re.search(r"^(waivers|tasks|workflow):", block, re.M)[1])
        with Repository() as r:
            if kinds[-1] == "tasks":
                r.put(r.at("plan.yaml"), block)
                r.put("plumb.yaml", "workflow:\n  gates: [{name: test, command: 'true'}]\n")
                code(r.workflow("trust", "--yes"), 0)
                has(r.workflow("plan", r.at("plan.yaml")).err, "a draft of 2 tasks")
            elif kinds[-1] == "workflow":
                r.put(r.at("given.yaml"), block)
                r.put("src/a.txt", "changed\n")
                done = r.workflow("check", "--no-gates", "--config", r.at("given.yaml"))
                lacks(done.err, "given.yaml")
                assert done.code in (0, 1), done
            else:
                r.put("plumb.yaml", "workflow:\n  gates: [{name: lint, command: 'false'}]\n")
                r.put(".plumb/waivers.yaml", block)
                r.git("add", "-A")
                r.git("commit", "-q", "-m", "waivers")
                code(r.workflow("trust", "--yes"), 0)
                r.put("src/a.txt", "changed\n")
                done = r.workflow("check", "--format", "short")
                code(done, 0)
                has(done.out, "waived")
    equal(sorted(set(kinds)), ["tasks", "waivers", "workflow"])


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("view", TESTS, sys.argv[1:]))
