#!/usr/bin/env python3
"""Counts which changes pass `plumb workflow check`, `plumb check --staged` and the shipped pre-commit hook, and whether that is right.

    PLUMB_BIN=build/bin/plumb tests/counts/gate_view.py [WORD...]     only scenarios whose name has all words

The table is gate_view.txt. It differs: exit code 1; PLUMB_REWRITE=1 writes it anew. Git itself makes every change and every commit.
"""
import concurrent.futures
import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import stored_table

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(TOP, "build", "bin", "plumb")))
SCENARIOS = []
GATES = "workflow:\n  gates:\n    - {name: test, command: make -s test}\n"
SOP = "---\ncategory: sop\nseverity: error\napplies_to: '*.js'\nchecks: [{forbidden: 'eval\\('}]\n---\n# No eval\n\nNo code MUST call it.\n"
EVIL = "eval('1');\n"
OUTCOME = {0: "passes", 1: "blocks", 2: "undecided"}


def scenario(wanted):
    def take(function):
        SCENARIOS.append((function.__name__.replace("_", " "), wanted, function))
        return function
    return take


class Repo:
    """A repository whose gate wants `good` in a.txt and whose SOP forbids eval in *.js; its plumb.yaml is trusted."""

    def __init__(self, gates=GATES, trust=True):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="plumb-count-"))
        self.top = self.folder + "/repo"
        os.makedirs(self.top)
        self.env = {"PATH": os.path.dirname(PLUMB) + ":" + os.environ["PATH"], "HOME": self.folder + "/home", "LC_ALL": "C.UTF-8",
                    "XDG_STATE_HOME": self.folder + "/state", "TMPDIR": self.folder + "/tmp"}
        for name in ("home", "tmp"):
            os.makedirs(f"{self.folder}/{name}")
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Somebody")
        self.git("config", "user.email", "somebody@example.org")
        self.write("a.txt", "good\n")
        self.write("b.js", "let one = 1;\n")
        self.write("Makefile", "test:\n\t@grep -q good a.txt\n")
        self.write(".semspec/sources/docs/sops/no-eval.md", SOP)
        if gates:
            self.write("plumb.yaml", gates)
        self.commit()
        if trust:
            self.trust()

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def at(self, path):
        return os.path.join(self.top, path)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
        with open(self.at(path), "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, *words, cwd=None, env=None):
        return subprocess.run(words, cwd=cwd or self.top, env={**self.env, **(env or {})}, capture_output=True, text=True,
                              errors="replace", check=False, timeout=120, stdin=subprocess.DEVNULL)

    def git(self, *words, cwd=None):
        done = self.run("git", *words, cwd=cwd)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", "more")

    def trust(self):
        done = self.run(PLUMB, "workflow", "trust", "--yes", env={"PLUMB_TRUST_YES": "1"})
        assert done.returncode == 0, done.stderr

    def check(self, *words, cwd=None):
        return self.run(PLUMB, "workflow", "check", *words, cwd=cwd).returncode

    def hook(self, text=None):
        """The shipped pre-commit (or another one), and its exit code kept in a file."""
        shipped = self.folder + "/shipped"
        if text is None:
            shutil.copy(TOP + "/docs/examples/workflow/pre-commit", shipped)
        else:
            with open(shipped, "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(shipped, 0o755)
        self.code_file = self.folder + "/hook-code"
        with open(self.top + "/.git/hooks/pre-commit", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{shipped} \"$@\"\ncode=$?\necho $code >> {self.code_file}\nexit $code\n")
        os.chmod(self.top + "/.git/hooks/pre-commit", 0o755)

    def commits(self, *words, cwd=None):
        """`git commit` with these words: the hook's exit code, which git must have obeyed."""
        before = self.git("rev-parse", "HEAD", cwd=cwd)
        done = self.run("git", "commit", "-q", "-m", "one", *words, cwd=cwd)
        with open(self.code_file, encoding="utf-8") as file:
            code = int(file.read().split()[-1])
        made = self.git("rev-parse", "HEAD", cwd=cwd) != before
        assert made == (code == 0), (code, done.stderr)
        return code


def lines(count, start=0):
    return "".join(f"const line{start + i} = 'a line of ordinary text in a file, number {start + i}';\n" for i in range(count))


# What is read of a large change.

@scenario("blocks")
def a_padded_file_before_the_one_with_eval_staged(r):
    r.write("c.js", lines(6000))
    r.write("d.js", EVIL)
    r.write("e.js", lines(6000))
    r.git("add", "-A")
    return r.check("--staged")


@scenario("blocks")
def a_padded_file_before_the_one_with_eval_in_the_checkout(r):
    r.write("b.js", lines(6000))
    r.write("c.js", EVIL)
    r.write("d.js", lines(6000))
    r.git("add", "-N", ".")
    return r.check()


@scenario("passes")
def an_ordinary_change_of_550_KB(r):
    for i in range(11):
        r.write(f"part{i}.js", lines(700, i * 700))
    r.git("add", "-A")
    return r.check("--staged")


@scenario("passes")
def an_ordinary_change_of_20_MB_in_the_checkout(r):
    for i in range(8):
        r.write(f"part{i}.txt", lines(35000, i))
    return r.check()


@scenario("blocks")
def eval_in_the_last_of_2001_new_files(r):
    for i in range(2001):
        r.write(f"new/f{i:04}.js", EVIL if i == 2000 else "let a = 1;\n")
    return r.check("--no-gates")


@scenario("passes")
def two_thousand_and_one_good_new_files(r):
    for i in range(2001):
        r.write(f"new/f{i:04}.js", "let a = 1;\n")
    return r.check("--no-gates")


@scenario("passes")
def a_gate_that_needs_the_last_of_7001_files_isolated(r):
    for i in range(7001):
        r.write(f"a-folder-whose-name-is-long-enough/and-another-one/file-{i:04}.txt", "x\n")
    r.write("Makefile", "test:\n\t@test $$(ls a-folder-whose-name-is-long-enough/and-another-one | wc -l) = 7001\n")
    return r.check("--isolation", "partial")


@scenario("blocks")
def eval_in_a_new_file_of_more_than_1_MB(r):
    r.write("big.js", lines(20000) + EVIL)
    return r.check()


@scenario("passes")
def a_good_new_file_of_more_than_1_MB(r):
    r.write("big.js", lines(20000))
    return r.check()


@scenario("passes")
def a_new_picture(r):
    with open(r.at("a.png"), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n\0\0" + bytes(range(256)) * 8000)
    return r.check()


@scenario("undecided")
def a_new_text_beyond_every_bound(r):
    with open(r.at("big.js"), "wb") as file:
        file.write(b"let a = 'some text that makes it long';\n" * (3 << 20))
    return r.check("--no-gates")


@scenario("blocks")
def attributes_that_call_code_binary(r):
    r.write(".gitattributes", "*.js -diff\n")
    r.write("c.js", EVIL)
    return r.check()


@scenario("blocks")
def a_NUL_in_code_that_calls_eval(r):
    r.write("c.js", "let a = 1; // \0\n" + EVIL)
    return r.check()


@scenario("blocks")
def a_changed_file_that_git_was_told_not_to_look_at(r):
    r.git("update-index", "--assume-unchanged", "b.js")
    r.write("b.js", EVIL)
    return r.check()


@scenario("blocks")
def a_changed_file_that_is_marked_as_left_out_of_the_checkout(r):
    r.git("update-index", "--skip-worktree", "b.js")
    r.write("b.js", EVIL)
    return r.check()


@scenario("blocks")
def eval_under_a_name_with_a_line_break(r):
    r.write("a \"name\"\n\tof é.js", EVIL)
    return r.check()


@scenario("blocks")
def eval_in_a_renamed_file(r):
    r.git("mv", "b.js", "new name.js")
    r.write("new name.js", "let one = 1;\n" + EVIL)
    return r.check()


@scenario("passes")
def a_good_change_among_odd_names_links_and_modes(r):
    r.write("a \"name\"\n\tof é.js", "let a = 2;\n")
    r.git("mv", "b.js", "bb.js")
    os.symlink("a.txt", r.at("link"))
    os.chmod(r.at("a.txt"), 0o755)
    return r.check()


@scenario("blocks")
def eval_before_the_first_commit(r):
    other = Repo.__new__(Repo)
    other.__dict__.update(r.__dict__)
    other.top = r.folder + "/fresh"
    os.makedirs(other.top)
    other.git("init", "-q")
    other.write("plumb.yaml", GATES)
    other.write("Makefile", "test:\n\t@true\n")
    other.write(".semspec/sources/docs/sops/no-eval.md", SOP)
    other.trust()
    other.write("c.js", EVIL)
    other.git("add", "c.js")
    return other.check("--staged")


# The index.

@scenario("blocks")
def staged_is_bad_and_the_checkout_good(r):
    r.write("a.txt", "bad\n")
    r.git("add", "a.txt")
    r.write("a.txt", "good\n")
    return r.check("--staged")


@scenario("passes")
def staged_is_good_and_the_checkout_bad(r):
    r.write("c.js", "let a = 1;\n")
    r.git("add", "c.js")
    r.write("a.txt", "bad\n")
    return r.check("--staged")


@scenario("passes")
def staged_is_good_and_an_untracked_file_breaks_the_gate(r):
    r.write("Makefile", "test:\n\t@test ! -e extra\n")
    r.git("add", "Makefile")
    r.write("extra", "x\n")
    return r.check("--staged")


@scenario("blocks")
def staged_lacks_a_file_that_the_gate_needs(r):
    r.write("Makefile", "test:\n\t@test -e extra\n")
    r.git("add", "Makefile")
    r.write("extra", "x\n")
    return r.check("--staged")


@scenario("blocks")
def staged_lacks_a_file_that_is_only_promised(r):
    r.write("Makefile", "test:\n\t@test -e extra\n")
    r.git("add", "Makefile")
    r.write("extra", "x\n")
    r.git("add", "-N", "extra")
    return r.check("--staged")


@scenario("passes")
def nothing_is_staged(r):
    r.write("a.txt", "bad\n")
    return r.check("--staged")


@scenario("blocks")
def an_SOP_is_staged_and_removed_from_the_checkout(r):
    r.write("c.js", EVIL)
    r.git("add", "c.js")
    os.unlink(r.at(".semspec/sources/docs/sops/no-eval.md"))
    return r.check("--staged")


@scenario("undecided")
def the_index_has_conflicts(r):
    r.git("checkout", "-q", "-b", "side")
    r.write("b.js", "let one = 2;\n")
    r.commit()
    r.git("checkout", "-q", "main")
    r.write("b.js", "let one = 3;\n")
    r.commit()
    r.run("git", "merge", "side")
    return r.check("--staged")


# Commits, with the shipped hook.

@scenario("passes")
def commit_of_a_good_change(r):
    r.hook()
    r.write("c.js", "let a = 1;\n")
    r.git("add", "c.js")
    return r.commits()


@scenario("blocks")
def commit_of_a_bad_change(r):
    r.hook()
    r.write("a.txt", "bad\n")
    r.git("add", "a.txt")
    return r.commits()


@scenario("blocks")
def commit_all_of_a_bad_change(r):
    r.hook()
    r.write("a.txt", "bad\n")
    return r.commits("-a")


@scenario("passes")
def commit_all_of_a_good_change(r):
    r.hook()
    r.write("a.txt", "good and better\n")
    return r.commits("-a")


@scenario("blocks")
def commit_of_a_bad_file_by_name(r):
    r.hook()
    r.write("a.txt", "bad\n")
    return r.commits("a.txt")


@scenario("passes")
def commit_of_a_good_file_by_name_beside_a_bad_staged_one(r):
    r.hook()
    r.write("a.txt", "bad\n")
    r.git("add", "a.txt")
    r.write("b.js", "let one = 2;\n")
    return r.commits("b.js")


@scenario("blocks")
def commit_that_amends_with_a_bad_change(r):
    r.hook()
    r.write("b.js", EVIL)
    r.git("add", "b.js")
    return r.commits("--amend")


@scenario("blocks")
def commit_of_a_part_that_is_bad(r):
    r.hook()
    r.write("b.js", EVIL)
    r.git("add", "b.js")
    r.write("b.js", "let one = 1;\n")
    return r.commits()


@scenario("blocks")
def commit_in_a_work_tree_of_its_own(r):
    r.hook()
    r.git("worktree", "add", "-q", "-b", "side", r.folder + "/side")
    r.top, main = r.folder + "/side", r.top
    r.trust()
    r.write("b.js", EVIL)
    code = r.commits("-a")
    r.top = main
    return code


@scenario("passes")
def good_commit_in_a_work_tree_of_its_own(r):
    r.hook()
    r.git("worktree", "add", "-q", "-b", "side", r.folder + "/side")
    r.top, main = r.folder + "/side", r.top
    r.trust()
    r.write("b.js", "let one = 2;\n")
    code = r.commits("-a")
    r.top = main
    return code


@scenario("blocks")
def commit_that_ends_a_merge_with_bad_work(r):
    r.git("checkout", "-q", "-b", "side")
    r.write("c.js", EVIL)
    r.write("b.js", "let one = 2;\n")
    r.commit()
    r.git("checkout", "-q", "main")
    r.write("b.js", "let one = 3;\n")
    r.commit()
    r.hook()
    r.run("git", "merge", "side")
    r.write("b.js", "let one = 4;\n")
    r.git("add", "b.js")
    return r.commits()


@scenario("passes")
def commit_of_a_good_change_from_a_subfolder(r):
    r.hook()
    r.write("sub/c.js", "let a = 1;\n")
    r.git("add", "-A")
    return r.commits(cwd=r.at("sub"))


# Which configuration holds.

def replaced(r, text):
    r.write("plumb.yaml", text)
    r.write("a.txt", "bad\n")


@scenario("blocks")
def a_plumb_yaml_nearer_to_the_working_folder(r):
    r.write("sub/plumb.yaml", GATES.replace("make -s test", "true"))
    r.run(PLUMB, "trust", "sub/plumb.yaml", "--yes", env={"PLUMB_TRUST_YES": "1"})
    r.write("a.txt", "bad\n")
    return r.check(cwd=r.at("sub"))


@scenario("passes")
def a_good_change_checked_in_a_subfolder(r):
    r.write("sub/c.js", "let a = 1;\n")
    return r.check(cwd=r.at("sub"))


@scenario("blocks")
def the_workflow_section_is_gone(r):
    replaced(r, "fail_on: warning\n")
    return r.check()


@scenario("blocks")
def the_plumb_yaml_is_gone(r):
    r.write("a.txt", "bad\n")
    os.unlink(r.at("plumb.yaml"))
    return r.check()


@scenario("blocks")
def the_command_of_a_gate_is_replaced(r):
    replaced(r, GATES.replace("make -s test", "true"))
    return r.check()


@scenario("blocks")
def a_gate_is_made_optional(r):
    replaced(r, GATES.replace("make -s test}", "make -s test, required: false}"))
    return r.check()


@scenario("blocks")
def a_replaced_gate_is_staged_and_the_checkout_has_the_old_one(r):
    replaced(r, GATES.replace("make -s test", "true"))
    r.git("add", "-A")
    r.write("plumb.yaml", GATES)
    return r.check("--staged")


@scenario("passes")
def a_comment_and_a_contract_are_added_to_plumb_yaml(r):
    r.write("plumb.yaml", "# ours\n" + GATES + "contracts:\n  - {files: quiz/*.json, contract: quiz}\n")
    return r.check()


@scenario("passes")
def a_replaced_gate_that_was_trusted_again(r):
    r.write("plumb.yaml", GATES.replace("make -s test", "grep -q good a.txt"))
    r.trust()
    return r.check()


@scenario("passes")
def trust_of_which_only_the_hash_was_kept(r):
    only_hash(r)
    r.write("b.js", "let one = 2;\n")
    return r.check()


@scenario("undecided")
def a_replaced_gate_where_only_the_hash_was_kept(r):
    only_hash(r)
    replaced(r, GATES.replace("make -s test", "true"))
    return r.check()


def only_hash(r):
    place = r.folder + "/state/plumb/trusted.json"
    with open(place, encoding="utf-8") as file:
        kept = json.load(file)
    for path, one in kept.items():
        kept[path] = one["hash"] if isinstance(one, dict) else one
    with open(place, "w", encoding="utf-8") as file:
        json.dump(kept, file)


# `plumb check` in a commit.

QUIZ = {"questions": [{"question": "What is two?", "options": ["1", "2", "3", "4"], "correct_answer": "2", "explanation": "It is."}]}


def artifacts(r, staged, lying):
    r.write("plumb.yaml", GATES + "contracts:\n  - {files: quiz/*.json, contract: quiz}\n")
    r.commit()
    r.hook("#!/bin/sh\nexec plumb check --staged --format short --skip-unmatched\n")
    for good in (staged, lying):
        r.write("quiz/one.json", json.dumps(QUIZ if good else {"questions": []}))
        if good is staged:
            r.git("add", "-A")
    return r.commits()


@scenario("blocks")
def commit_of_a_bad_artifact_that_is_good_in_the_checkout(r):
    return artifacts(r, False, True)


@scenario("passes")
def commit_of_a_good_artifact_that_is_bad_in_the_checkout(r):
    return artifacts(r, True, False)


@scenario("blocks")
def commit_all_of_a_bad_artifact(r):
    artifacts(r, True, True)
    r.write("quiz/one.json", "{}")
    return r.commits("-a")


@scenario("passes")
def commit_without_an_artifact(r):
    artifacts(r, True, True)
    r.write("b.js", "let one = 2;\n")
    return r.commits("-a")


# What hides from git or behind its settings.

STRICT = GATES + "  protect: strict\n"


def nested(r, add):
    r.write("in/x.js", EVIL)
    r.git("init", "-q", r.at("in"))
    r.git("add", "x.js", cwd=r.at("in"))
    r.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "inner", cwd=r.at("in"))
    if add:
        r.run("git", "add", "in")
        assert r.git("ls-files", "--stage", "in").startswith("160000 ")


@scenario("blocks")
def a_repository_inside_that_is_not_added(r):
    nested(r, False)
    return r.check()


@scenario("blocks")
def a_repository_inside_that_is_added(r):
    nested(r, True)
    return r.check()


@scenario("blocks")
def a_repository_inside_that_is_added_staged(r):
    nested(r, True)
    return r.check("--staged")


@scenario("blocks")
def a_repository_inside_that_is_committed(r):
    nested(r, True)
    r.git("commit", "-q", "-m", "more")
    r.write("b.js", "let one = 2;\n")
    return r.check()


@scenario("passes")
def a_submodule_with_its_entry_in_gitmodules(r):
    nested(r, False)
    r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.at("in"), "sub")
    shutil.rmtree(r.at("in"))
    return r.check()


@scenario("undecided")
def the_index_has_conflicts_and_the_checkout_is_checked(r):
    the_index_has_conflicts(r)
    assert r.git("ls-files", "--unmerged")
    return r.check()


@scenario("blocks")
def a_key_that_is_twice_in_plumb_yaml(r):
    r.write("plumb.yaml", GATES + "workflow: {gates: [{name: test, command: ls}]}\n")
    return r.check()


def no_case(r):
    r.git("config", "core.ignorecase", "true")


@scenario("blocks")
def a_new_file_beside_one_of_the_same_letters(r):
    no_case(r)
    r.write("B.js", EVIL)
    return r.check()


@scenario("blocks")
def a_new_folder_beside_one_of_the_same_letters(r):
    r.write("src/one.js", "let one = 1;\n")
    r.commit()
    no_case(r)
    r.write("SRC/two.js", EVIL)
    return r.check()


@scenario("blocks")
def a_graft_makes_the_change_a_part_of_its_base(r):
    r.git("checkout", "-q", "-b", "side")
    r.write("b.js", EVIL)
    r.commit()
    r.write(".git/info/grafts", r.git("rev-parse", "main").strip() + " " + r.git("rev-parse", "HEAD").strip() + "\n")
    return r.check("--base", "main")


@scenario("blocks")
def a_name_that_git_does_not_take(r):
    r.write("src/.GIT/config", EVIL)
    return r.check()


@scenario("blocks")
def gitmodules_in_other_letters(r):
    r.write(".GITMODULES", "")
    return r.check()


def linked(r, *targets):
    os.makedirs(r.at("dir"), exist_ok=True)
    for i, target in enumerate(targets):
        os.symlink(target, r.at(f"dir/link{i}"))
    return r.check()


@scenario("blocks")
def a_link_that_leaves_the_repository(r):
    r.write("../outside.js", EVIL)
    return linked(r, "../../outside.js")


@scenario("blocks")
def a_file_that_becomes_a_link_out_of_the_repository_staged(r):
    r.write("../outside.js", EVIL)
    os.unlink(r.at("b.js"))
    os.symlink(r.folder + "/outside.js", r.at("b.js"))
    r.git("add", "-A")
    return r.check("--staged")


@scenario("blocks")
def a_link_that_leaves_through_another_one(r):
    return linked(r, ".", "link0/../../outside.js")


@scenario("blocks")
def a_link_into_the_folder_of_git(r):
    return linked(r, "../.git/config")


@scenario("passes")
def links_within_the_repository(r):
    return linked(r, "../a.txt", "link0", "../dir/../b.js", "nothing-yet", ".", "link4/link0")


@scenario("passes")
def a_change_beside_an_old_link_out_of_the_repository(r):
    os.symlink("/etc/hostname", r.at("old"))
    r.commit()
    r.write("b.js", "let one = 2;\n")
    return r.check()


# Protected files and SOPs.

@scenario("passes")
def a_protected_file_is_changed(r):  # a warning
    r.write(".github/workflows/ci.yml", "on: push\n")
    return r.check()


@scenario("blocks")
def a_protected_file_is_changed_and_protect_is_strict(r):
    r.write("plumb.yaml", STRICT)
    r.trust()
    r.commit()
    r.write(".github/workflows/ci.yml", "on: push\n")
    return r.check()


@scenario("blocks")
def a_program_in_a_folder_of_path_and_protect_is_strict(r):
    r.write("plumb.yaml", STRICT + "  path: [tools/bin]\n")
    r.trust()
    r.commit()
    r.write("tools/bin/grep", "#!/bin/sh\n")
    return r.check()


RULE = ".semspec/sources/docs/sops/no-eval.md"


@scenario("blocks")
def an_SOP_is_removed_with_the_breach(r):
    r.write("c.js", EVIL)
    os.unlink(r.at(RULE))
    return r.check()


@scenario("blocks")
def an_SOP_is_lowered_with_the_breach(r):
    r.write("c.js", EVIL)
    r.write(RULE, SOP.replace("severity: error", "severity: info"))
    return r.check()


@scenario("blocks")
def an_SOP_is_narrowed_with_the_breach(r):
    r.write("c.js", EVIL)
    r.write(RULE, SOP.replace("'*.js'", "nowhere/**"))
    return r.check()


@scenario("blocks")
def an_SOP_of_the_project_is_renamed_and_emptied_with_the_breach(r):
    r.write("plumb.yaml", GATES + "  sops: docs/sops\n")
    r.git("rm", "-q", RULE)
    r.write("docs/sops/no-eval.md", SOP)
    r.trust()
    r.commit()
    r.write("c.js", EVIL)
    r.git("mv", "docs/sops/no-eval.md", "docs/sops/rule.md")
    r.write("docs/sops/rule.md", SOP.replace("eval", "never"))
    r.git("add", "-A")
    return r.check("--staged")


@scenario("passes")
def the_prose_of_an_SOP_is_changed(r):
    r.write(RULE, SOP.replace("No code MUST call it.", "No code MUST call it. It is slow."))
    return r.check()


# Work trees and bases.

def side(r):
    r.git("worktree", "add", "-q", "-b", "side", r.folder + "/side")
    return r.folder + "/side"


@scenario("passes")
def a_good_change_in_a_work_tree_of_a_trusted_repository(r):
    top = side(r)
    r.write("../side/b.js", "let one = 2;\n")
    return r.check(cwd=top)


@scenario("blocks")
def a_bad_change_in_a_work_tree_of_a_trusted_repository(r):
    top = side(r)
    r.write("../side/a.txt", "bad\n")
    return r.check(cwd=top)


@scenario("blocks")
def other_gates_in_a_work_tree_of_a_trusted_repository(r):
    top = side(r)
    r.write("../side/a.txt", "bad\n")
    r.write("../side/plumb.yaml", GATES.replace("make -s test", "true"))
    return r.check(cwd=top)


@scenario("undecided")
def a_folder_that_only_says_it_is_a_work_tree_of_a_trusted_repository(r):
    top = side(r)
    shutil.copytree(top, r.folder + "/copy", symlinks=True)
    r.write("../copy/b.js", "let one = 2;\n")
    return r.check(cwd=r.folder + "/copy")


def own_gates(r):
    r.git("checkout", "-q", "-b", "side")
    r.write("plumb.yaml", STRICT.replace("make -s test", "ls"))
    r.write("a.txt", "bad\n")
    r.commit()


@scenario("blocks")
def the_change_brings_its_own_gates_by_name(r):
    own_gates(r)
    return r.check("--config", "plumb.yaml", "--base", "main")


@scenario("blocks")
def the_gates_of_the_base_judge_the_change(r):
    own_gates(r)
    r.write("plumb.yaml", r.git("show", "main:plumb.yaml"))
    return r.check("--config", "plumb.yaml", "--base", "main")


@scenario("undecided")
def a_tag_has_the_name_of_the_base(r):
    r.git("checkout", "-q", "-b", "side")
    r.write("b.js", EVIL)
    r.commit()
    r.git("tag", "main")
    return r.check("--base", "main")


@scenario("blocks")
def the_full_name_of_the_base_where_a_tag_has_the_short_one(r):
    r.git("checkout", "-q", "-b", "side")
    r.write("b.js", EVIL)
    r.commit()
    r.git("tag", "main")
    return r.check("--base", "refs/heads/main")


@scenario("blocks")
def a_gate_that_is_ended_leaves_no_folder(r):
    """Blocks: every signal ended it, and nothing is left."""
    r.write("Makefile", "test:\n\t@sleep 20\n")
    r.git("add", "Makefile")   # the copy of --staged has it too
    left = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with subprocess.Popen([PLUMB, "workflow", "check", "--staged"] if number == signal.SIGINT else [PLUMB, "workflow", "check"], cwd=r.top, env=r.env,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
            for _ in range(500):
                if os.listdir(r.folder + "/tmp"):
                    break
                time.sleep(0.01)
            time.sleep(0.5)
            process.send_signal(number)
            assert process.wait(20) == -number, process.returncode
        left += os.listdir(r.folder + "/tmp")
    return 0 if left else 1


# Hooks: changed files as words of a gate, fixes, gates side by side, gates that a variable skips.

# A formatter whose rule is that no line ends with a blank: it mends its files, or complains.
FORMAT = "#!/usr/bin/env python3\nimport sys\nbad = 0\nopen(sys.argv[1], 'a').write(repr(sys.argv[3:]) + '\\n')\nfor name in sys.argv[3:]:\n" \
         "    text = open(name).read()\n    mended = ''.join(line.rstrip() + '\\n' for line in text.splitlines())\n" \
         "    if text != mended:\n        bad = 1\n        if sys.argv[2] == 'mend':\n            open(name, 'w').write(mended)\n" \
         "sys.exit(bad if sys.argv[2] == 'look' else 0)\n"
MODULE = "".join(f"line {i}\n" for i in range(20))


def formatted(r, more="trigger: '*.py'", command="./format {log} look {files}", fix="./format {log} mend {files}"):
    """A repository with the formatter as a gate and as its fix; what it was given is in r.log."""
    r.log = r.folder + "/log"
    r.write("format", FORMAT)
    os.chmod(r.at("format"), 0o755)
    words = {"command": command.replace("{log}", r.log), "fix": fix.replace("{log}", r.log)}
    r.write("plumb.yaml", f"workflow:\n  gates:\n    - {{name: format, command: \"{words['command']}\", fix: \"{words['fix']}\", {more}}}\n")
    r.write("m.py", MODULE)
    r.commit()
    r.trust()


def given(r):
    """The words that the formatter was started with, a list for each start."""
    if not os.path.exists(r.log):
        return []
    with open(r.log, encoding="utf-8") as file:
        return [eval(line) for line in file]  # pylint: disable=eval-used


def text(r, path):
    with open(r.at(path), encoding="utf-8") as file:
        return file.read()


def staged(r, path):
    return r.git("show", ":" + path)


def shown(r, *words, env=None):
    done = r.run(PLUMB, "workflow", "check", *words, env=env)
    return done.returncode, done.stdout + done.stderr


@scenario("blocks")
def a_gate_is_given_the_changed_files_that_fit(r):
    formatted(r)
    r.write("m.py", MODULE + "bad \n")
    r.write("new.py", "good\n")
    r.write("other.txt", "bad \n")
    os.remove(r.at("b.js"))
    code = r.check()
    assert given(r) == [["m.py", "new.py"]], given(r)
    return code


@scenario("passes")
def names_of_files_with_blanks_quotes_and_signs_are_one_word_each(r):
    formatted(r)
    names = ["a b.py", "-rf.py", "--fix=x.py", "$(touch gone).py", "'q\".py", "new\nline.py", "@x.py", ";x.py", "é.py"]
    for name in names:
        r.write(name, "good\n")
    code = r.check()
    bare = [name[2:] if name.startswith("./") else name for name in given(r)[0]]
    assert sorted(bare) == sorted(names) and "--fix=x.py" not in given(r)[0] and not os.path.exists(r.at("gone")), given(r)
    return code


@scenario("passes")
def names_of_files_are_one_word_each_for_a_shell(r):
    formatted(r, "trigger: '*.py', shell: true", "true && ./format {log} look {files}", "true && ./format {log} mend {files}")
    for name in ("a b.py", "$(touch gone).py", "`touch gone`.py", "'.py"):
        r.write(name, "good\n")
    code = r.check()
    assert len(given(r)[0]) == 4 and not os.path.exists(r.at("gone")), given(r)
    return code


@scenario("undecided")
def the_place_of_files_in_quotes_of_a_shell(r):
    r.write("plumb.yaml", "workflow:\n  gates:\n    - {name: x, shell: true, command: 'lint \"{files}\"'}\n")
    done = r.run(PLUMB, "workflow", "trust", "--yes", env={"PLUMB_TRUST_YES": "1"})
    assert "outside quotes" in done.stderr and "plumb.yaml:3" in done.stderr, done.stderr
    return done.returncode


@scenario("undecided")
def a_member_named_as_other_tools_name_it(r):
    r.write("plumb.yaml", "workflow:\n  gates:\n    - {name: x, command: lint, glob: '*.js'}\n")
    done = r.run(PLUMB, "workflow", "trust", "--yes", env={"PLUMB_TRUST_YES": "1"})
    assert "'glob' is called 'trigger' here" in done.stderr, done.stderr
    return done.returncode


@scenario("blocks")
def two_thousand_long_names_are_given_in_several_starts(r):
    formatted(r)
    for i in range(2000):
        r.write(f"a-folder-whose-name-is-long/and-another-one-below-it/file-{i:04}.py", "bad \n" if i == 7 else "good\n")
    code = r.check()
    starts = given(r)
    assert len(starts) == 2 and sum(map(len, starts)) == 2000, [len(one) for one in starts]
    return code


@scenario("passes")
def a_gate_whose_filter_fits_no_changed_file_is_reported_as_skipped(r):
    formatted(r, "trigger: '*.py', exclude: 'old/**'")
    r.write("old/x.py", "bad \n")
    r.write("other.txt", "x\n")
    for kind in ("text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"):
        code, out = shown(r, "--format", kind)
        assert "no changed file calls for it" in out and code == 0, (kind, code, out)
    assert given(r) == []
    return code


@scenario("blocks")
def files_below_the_folder_of_a_gate_are_named_from_there(r):
    formatted(r, "dir: sub", "../format {log} look {files}", "../format {log} mend {files}")
    r.write("sub/x.py", "bad \n")
    r.write("m.py", MODULE + "bad \n")
    code = r.check()
    assert given(r) == [["x.py"]], given(r)
    return code


@scenario("passes")
def fix_mends_files_of_the_checkout(r):
    formatted(r)
    r.write("m.py", MODULE + "bad \n")
    os.chmod(r.at("m.py"), 0o755)
    r.write("untouched.txt", "bad \n")
    code = r.check("--fix")
    assert text(r, "m.py") == MODULE + "bad\n" and os.stat(r.at("m.py")).st_mode & 0o777 == 0o755
    return code


@scenario("passes")
def fix_mends_and_stages_a_file_that_is_wholly_staged(r):
    formatted(r)
    r.write("m.py", MODULE + "bad \n")
    r.git("add", "m.py")
    code, out = shown(r, "--staged", "--fix")
    assert text(r, "m.py") == staged(r, "m.py") == MODULE + "bad\n" and "fixed and staged m.py" in out, out
    assert r.git("status", "--porcelain").split() == ["M", "m.py"]
    return code


@scenario("passes")
def fix_leaves_unstaged_lines_unstaged(r):
    formatted(r)
    r.write("m.py", "first \n" + MODULE)
    r.git("add", "m.py")
    r.write("m.py", "first \n" + MODULE + "mine and not staged \n")
    r.write("other.py", "bad and not staged \n")
    code = r.check("--staged", "--fix")
    assert staged(r, "m.py") == "first\n" + MODULE, staged(r, "m.py")
    assert text(r, "m.py") == "first\n" + MODULE + "mine and not staged \n", text(r, "m.py")
    assert text(r, "other.py") == "bad and not staged \n"
    return code


@scenario("blocks")
def fix_of_a_line_that_is_changed_and_not_staged_leaves_both(r):
    formatted(r)
    r.write("m.py", "first \n" + MODULE)
    r.git("add", "m.py")
    r.write("m.py", "first but otherwise\n" + MODULE)
    code, out = shown(r, "--staged", "--fix")
    assert staged(r, "m.py") == "first \n" + MODULE and text(r, "m.py") == "first but otherwise\n" + MODULE
    assert "touches lines that you changed and did not stage" in out, out
    return code


@scenario("passes")
def fix_keeps_the_line_ends_of_the_checkout(r):
    formatted(r)
    r.git("config", "core.autocrlf", "true")
    with open(r.at("m.py"), "wb") as file:
        file.write((MODULE + "bad \n").replace("\n", "\r\n").encode())
    r.git("add", "m.py")
    code = r.check("--staged", "--fix")
    with open(r.at("m.py"), "rb") as file:
        assert file.read() == (MODULE + "bad\n").replace("\n", "\r\n").encode()
    assert staged(r, "m.py") == MODULE + "bad\n"
    return code


@scenario("passes")
def a_fix_that_also_writes_other_files_changes_only_those_of_the_change(r):
    formatted(r, "trigger: '*.py', shell: true", fix="./format {log} mend {files}; echo x > a.txt; echo y > made.txt; rm b.js")
    r.write("m.py", MODULE + "bad \n")
    code = r.check("--fix")
    assert text(r, "a.txt") == "good\n" and not os.path.exists(r.at("made.txt")) and os.path.exists(r.at("b.js"))
    assert text(r, "m.py") == MODULE + "bad\n"
    return code


@scenario("undecided")
def a_fix_that_is_ended_early_changes_nothing(r):
    formatted(r, "trigger: '*.py', shell: true, timeout_ms: 1000", fix="./format {log} mend {files}; sleep 20")
    r.write("m.py", MODULE + "bad \n")
    r.git("add", "m.py")
    code = r.check("--staged", "--fix")
    assert text(r, "m.py") == staged(r, "m.py") == MODULE + "bad \n"
    return code


@scenario("passes")
def nothing_is_lost_when_a_fix_is_killed_at_any_time(r):
    """Passes: after each kill the unstaged line is there, and the next call mends."""
    formatted(r)
    mine = MODULE.replace("line 19", "mine and not staged")
    for i in range(12):
        r.write("m.py", f"first {i} \n" + MODULE)
        r.git("add", "m.py")
        r.write("m.py", f"first {i} \n" + mine)
        with subprocess.Popen([PLUMB, "workflow", "check", "--staged", "--fix"], cwd=r.top, env=r.env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as process:
            time.sleep(0.03 * (i + 1))
            process.kill()
        after = text(r, "m.py")
        assert after in (f"first {i} \n" + mine, f"first {i}\n" + mine), after
        if os.path.exists(r.at(".git/index.lock")):
            os.remove(r.at(".git/index.lock"))
        code = r.check("--staged", "--fix")
        assert code == 0 and text(r, "m.py") == f"first {i}\n" + mine and staged(r, "m.py") == f"first {i}\n" + MODULE
    return code


FIXING = "#!/bin/sh\nexec plumb workflow check --staged --fix --format short --quiet\n"


@scenario("passes")
def git_commit_a_with_a_hook_that_fixes(r):
    formatted(r)
    r.hook(FIXING)
    r.write("m.py", MODULE + "bad \n")
    code = r.commits("-a")
    assert r.git("show", "HEAD:m.py") == text(r, "m.py") == MODULE + "bad\n" and r.git("status", "--porcelain") == ""
    return code


@scenario("passes")
def git_commit_with_a_hook_that_fixes_and_unstaged_lines(r):
    formatted(r)
    r.hook(FIXING)
    r.write("m.py", "first \n" + MODULE)
    r.git("add", "m.py")
    r.write("m.py", "first \n" + MODULE + "mine\n")
    code = r.commits()
    assert r.git("show", "HEAD:m.py") == "first\n" + MODULE and text(r, "m.py") == "first\n" + MODULE + "mine\n"
    assert r.git("status", "--porcelain").split() == ["M", "m.py"]
    return code


@scenario("passes")
def git_commit_FILE_with_a_hook_that_fixes_takes_a_second_try(r):
    formatted(r)
    r.hook(FIXING)
    r.write("m.py", MODULE + "bad \n")
    assert r.commits("m.py") == 1 and text(r, "m.py") == MODULE + "bad\n"
    code = r.commits("m.py")
    assert r.git("show", "HEAD:m.py") == MODULE + "bad\n" and r.git("status", "--porcelain") == ""
    return code


@scenario("passes")
def git_commit_in_a_work_tree_with_a_hook_that_fixes(r):
    formatted(r)
    r.hook(FIXING)
    r.git("worktree", "add", "-q", r.folder + "/side", "-b", "side")
    with open(r.folder + "/side/m.py", "w", encoding="utf-8") as file:
        file.write(MODULE + "bad \n")
    code = r.commits("-a", cwd=r.folder + "/side")
    assert r.git("show", "side:m.py") == MODULE + "bad\n" and text(r, "m.py") == MODULE
    return code


SIDES = "  parallel: true\n  gates:\n    - {name: one, command: sh one.sh}\n    - {name: two, command: sh two.sh}\n" \
        "    - {name: three, command: sh three.sh, after: [one, two]}\n"


def sides(r, one, two, three="echo three >> order"):
    for name, script in (("one.sh", one), ("two.sh", two), ("three.sh", three)):
        r.write(name, script + "\n")
    r.write(".gitignore", "order\n*.ran\n")
    r.write("plumb.yaml", "workflow:\n" + SIDES)
    r.commit()
    r.trust()
    r.write("a.txt", "better\n")


WAITS = "for i in $(seq 400); do test -e {0}.ran && break; sleep 0.02; done; test -e {0}.ran"


@scenario("passes")
def gates_run_side_by_side_and_after_holds(r):
    """Passes: each of two gates waits for the other, which no order lets end."""
    sides(r, "touch one.ran; " + WAITS.format("two") + " && echo one >> order", "touch two.ran; " + WAITS.format("one") + " && sleep 0.3 && echo two >> order")
    code = r.check()
    assert text(r, "order").split()[-1] == "three", text(r, "order")
    return code


@scenario("blocks")
def outputs_of_gates_side_by_side_are_not_mixed(r):
    loop = "for i in $(seq 200); do echo {0} >&2; done; exit 1"
    sides(r, loop.format("ONE"), loop.format("TWO"))
    code, out = shown(r, "--format", "json")
    assert "TWO" not in out[out.index("ONE"):out.rindex("ONE")] and "skipped: it comes after 'one'" in out, out
    return code


@scenario("passes")
def a_variable_skips_a_gate_and_every_format_reports_it(r):
    r.write("a.txt", "bad\n")
    skip = {"PLUMB_SKIP": "lint, test"}
    for kind in ("text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"):
        code, out = shown(r, "--format", kind, env=skip)
        assert "gate 'test' was skipped: PLUMB_SKIP names it" in out.replace("&apos;", "'") and code == 0, (kind, code, out)
        assert "PLUMB_SKIP names 'lint', which is no gate" in out, out
    return code


@scenario("blocks")
def a_skipped_gate_is_a_warning_in_CI(r):
    r.write("a.txt", "bad\n")
    assert shown(r, "--fail-on", "warning", env={"PLUMB_SKIP": "test"})[0] == 0
    assert shown(r, env={"PLUMB_SKIP": "test", "CI": "true"})[0] == 0
    return shown(r, "--fail-on", "warning", env={"PLUMB_SKIP": "test", "CI": "true"})[0]


@scenario("passes")
def a_skipped_gate_is_shown_to_the_person_by_an_agents_hook(r):
    r.write("a.txt", "bad\n")
    done = r.run(PLUMB, "workflow", "check", "--hook", env={"PLUMB_SKIP": "test"})
    assert "gate 'test' was skipped" in json.loads(done.stdout)["systemMessage"], done.stdout
    return done.returncode


@scenario("blocks")
def a_backslash_in_a_name_is_no_folder(r):
    formatted(r)
    r.write("x\\y.py", "bad \n")
    return r.check()


@scenario("blocks")
def a_name_with_a_backslash_is_outside_the_folder_that_it_seems_to_be_in(r):
    r.write("src\\conftest.py", "x\n")
    return r.check("--files", "src/**")


@scenario("blocks")
def the_script_of_a_fix_is_guarded(r):
    formatted(r, fix="sh ./mend.sh {files}")
    r.write("mend.sh", "exit 0\n")
    r.commit()
    r.write("mend.sh", "echo evil > m.py\n")
    done = r.run(PLUMB, "workflow", "check", "--hook")
    assert "mend.sh" in done.stderr, done.stderr
    return 1 if done.returncode == 2 else 0


@scenario("blocks")
def a_gate_that_writes_to_what_is_judged_fails_in_a_copy(r):
    formatted(r, command="sed -i s/bad/good/ m.py")
    r.write("m.py", MODULE + "bad\n")
    r.git("add", "m.py")
    code, out = shown(r, "--staged")
    assert "wrote to 'm.py'" in out or "wrote to m.py" in out, out
    return code


@scenario("passes")
def a_fix_writes_through_no_link(r):
    formatted(r)
    os.makedirs(r.folder + "/elsewhere")
    for name in ("out.txt", "x.py"):
        with open(r.folder + "/elsewhere/" + name, "w", encoding="utf-8") as file:
            file.write("bad \n")
    r.write("d/x.py", "bad \n")
    r.git("add", "-A")
    shutil.rmtree(r.at("d"))
    os.symlink(r.folder + "/elsewhere", r.at("d"))
    code = r.check("--staged", "--fix")
    with open(r.folder + "/elsewhere/x.py", encoding="utf-8") as file:
        assert file.read() == "bad \n"
    assert staged(r, "d/x.py") == "bad\n", staged(r, "d/x.py")
    return code


# Waivers.

def day(ahead):
    return (datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=ahead)).isoformat()


def waivers(r, *entries, commit=True):
    r.write(".plumb/waivers.yaml", "waivers:\n" + "".join(f"  - {one}\n" for one in entries))
    if commit:
        r.commit()


WAIVED_GATE = "{gate: test, owner: ann, reason: it is replaced, expires: %s}"
WAIVED_RULE = "{rule: no-eval, files: ['c.js'], owner: ann, reason: it goes, expires: %s}"


@scenario("passes")
def a_waived_gate_fails_and_is_shown_in_every_format(r):
    waivers(r, WAIVED_GATE % day(12))
    r.write("a.txt", "bad\n")
    for kind in ("text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"):
        code, out = shown(r, "--format", kind)
        assert "waived by ann for 12 more days (it is replaced)" in out and code == 0, (kind, code, out)
    return code


@scenario("passes")
def gates_after_a_waived_one_run(r):
    with open(r.at("plumb.yaml"), "a", encoding="utf-8") as file:
        file.write("    - {name: after, command: 'touch ran', shell: true, after: [test]}\n")
    r.trust()
    waivers(r, WAIVED_GATE % day(12))
    r.write("a.txt", "bad\n")
    code = r.check()
    assert os.path.exists(r.at("ran"))
    return code


@scenario("passes")
def a_plumb_yaml_that_a_person_has_trusted_blocks_no_agent(r):
    with open(r.at("plumb.yaml"), "a", encoding="utf-8") as file:
        file.write("    - {name: after, command: 'true', after: [test]}\n")
    r.trust()
    return r.run(PLUMB, "workflow", "check", "--hook").returncode


@scenario("passes")
def a_waived_finding_in_its_place(r):
    waivers(r, WAIVED_RULE % day(0))
    r.write("c.js", EVIL)
    code, out = shown(r)
    assert "waived by ann for today (it goes)" in out, out
    return code


@scenario("blocks")
def a_waived_finding_in_another_place(r):
    waivers(r, WAIVED_RULE % day(5))
    r.write("d.js", EVIL)
    return r.check()


@scenario("passes")
def an_agents_user_sees_what_is_waived(r):
    waivers(r, WAIVED_GATE % day(3))
    r.write("a.txt", "bad\n")
    done = r.run(PLUMB, "workflow", "check", "--hook")
    assert "waived by ann for 3 more days" in json.loads(done.stdout)["systemMessage"], done.stdout
    return done.returncode


@scenario("passes")
def trust_shows_what_a_waiver_says_without_control_characters(r):
    waivers(r, '{gate: test, owner: ann, reason: "one\\e[2K\\r", expires: %s}' % day(5), commit=False)
    done = r.run(PLUMB, "workflow", "trust", "--yes", env={"PLUMB_TRUST_YES": "1"})
    assert "waiver of gate 'test'" in done.stdout and "until " in done.stdout, done.stdout
    assert not set(done.stdout) & {"\x1b", "\r"}, ascii(done.stdout)
    return done.returncode


@scenario("blocks")
def a_waiver_that_has_expired(r):
    waivers(r, WAIVED_GATE % day(-1))
    r.write("a.txt", "bad\n")
    code, out = shown(r)
    assert f"the waiver by ann expired on {day(-1)}" in out and ".plumb/waivers.yaml:2" in out, out
    return code


@scenario("blocks")
def a_waiver_that_has_expired_of_a_gate_that_passes(r):
    waivers(r, WAIVED_GATE % day(-1))
    r.write("a.txt", "good and better\n")
    return r.check()


@scenario("blocks")
def a_change_brings_its_own_waiver(r):
    waivers(r, WAIVED_GATE % day(5), commit=False)
    r.write("a.txt", "bad\n")
    code, out = shown(r)
    assert "is new in this change, so it does not count yet" in out and "is protected" in out, out
    return code


@scenario("passes")
def a_change_brings_a_waiver_that_a_person_trusts(r):
    waivers(r, WAIVED_GATE % day(5), commit=False)
    r.write("a.txt", "bad\n")
    r.trust()
    code, out = shown(r)
    assert "is protected" not in out, out
    return code


@scenario("blocks")
def a_trusted_waiver_is_changed_afterwards(r):
    waivers(r, WAIVED_GATE % day(5), commit=False)
    r.trust()
    waivers(r, WAIVED_GATE % day(300), commit=False)
    r.write("a.txt", "bad\n")
    return r.check()


@scenario("blocks")
def a_waiver_is_committed_on_a_branch_and_judged_with_its_base(r):
    r.git("checkout", "-q", "-b", "side")
    waivers(r, WAIVED_GATE % day(5))
    r.write("a.txt", "bad\n")
    r.commit()
    return r.check("--base", "main")


@scenario("blocks")
def waivers_without_owner_reason_day_or_with_an_unknown_rule(r):
    waivers(r, "{gate: test, reason: x, expires: %s}" % day(5), "{gate: test, owner: a, expires: %s}" % day(5), "{gate: test, owner: a, reason: x}",
            "{gate: test, owner: a, reason: x, expires: %s}" % day(400), "{rule: no-evil, files: ['*'], owner: a, reason: x, expires: %s}" % day(5),
            "{gate: lint, owner: a, reason: x, expires: %s}" % day(5), "{rule: configuration, files: ['*'], owner: a, reason: x, expires: %s}" % day(5),
            "{gate: test, ownr: a, reason: x, expires: %s}" % day(5), "{rule: scope, owner: a, reason: x, expires: soon, files: a}")
    r.write("b.js", "let two = 2;\n")
    code, out = shown(r, "--format", "short")
    for line, words in ((2, "needs an 'owner'"), (3, "needs a 'reason'"), (4, "needs a day on which it 'expires'"), (5, "more than a year ahead"),
                        (6, "did you mean 'no-eval'"), (7, "is no gate"), (8, "is no rule that can be waived"), (9, "ownr"), (10, "'soon' is not a day")):
        assert any(one.startswith(f".plumb/waivers.yaml:{line}:") and words in one for one in out.splitlines()), (line, words, out)
    return code


# A gate in ten minutes.

def project(r, files):
    """A repository with these files alone, and nothing of ours."""
    other = Repo.__new__(Repo)
    other.__dict__.update(r.__dict__)
    other.top = r.folder + "/project"
    os.makedirs(other.top)
    other.git("init", "-q", "-b", "main")
    other.git("config", "user.name", "Somebody")
    other.git("config", "user.email", "somebody@example.org")
    for name, content in files.items():
        other.write(name, content)
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "first")
    return other


def init(r, *words):
    done = r.run(PLUMB, "workflow", "init", *words)
    return done.returncode, done.stdout + done.stderr


UNITTEST = {"sums.py": "def add(a, b):\n    return a + b\n", "tests/test_sums.py": "import sys, unittest\nsys.path.insert(0, '.')\nimport sums\n\n\n"
            "class T(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(sums.add(2, 3), 5)\n"}


@scenario("blocks")
def from_a_clone_of_python_to_a_hook_that_holds(r):
    p = project(r, UNITTEST)
    code, out = init(p, "--hook", "git")
    assert code == 0 and "gate 'compile' passed" in out and "gate 'test' passed" in out, out
    assert sorted(p.git("status", "--porcelain").split()) == ["??", "plumb.yaml"], p.git("status", "--porcelain")
    p.trust()
    p.git("add", "-A")
    p.git("commit", "-q", "-m", "gates")
    p.write("sums.py", UNITTEST["sums.py"].replace("+", "-"))
    p.git("add", "-A")
    done = p.run("git", "commit", "-q", "-m", "broken")
    assert "gate 'test' failed" in done.stderr + done.stdout, done.stderr
    return done.returncode


@scenario("passes")
def from_a_clone_of_make_cmake_and_a_monorepo_to_gates_that_pass(r):
    p = project(r, {"Makefile": "all:\n\ttrue\ncheck: all\n\ttrue\n"})
    code, out = init(p)
    assert "gate 'build' passed" in out and "gate 'test' passed" in out, out
    p.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(small NONE)\nenable_testing()\nadd_test(NAME one COMMAND ${CMAKE_COMMAND} -E true)\n")
    os.remove(p.at("plumb.yaml"))
    code, out = init(p)
    assert "gate 'configure' passed" in out and "1 tests ran" in out, out
    for name in ("Makefile", "CMakeLists.txt", "plumb.yaml"):
        os.remove(p.at(name))
    for name, content in UNITTEST.items():
        p.write("py/" + name, content)
    p.write("py/pytest.ini", "")
    p.write("web/package.json", '{"name": "web", "version": "1.0.0", "scripts": {"test": "node --test"}}\n')
    p.write("web/a.test.js", "require('node:test')('one', () => {});\n")
    p.write("docs/a.md", "x\n")
    p.git("add", "-A")
    code, out = init(p)
    with open(p.at("plumb.yaml"), encoding="utf-8") as file:
        yaml = file.read()
    assert "name: py-compile" in yaml and 'dir: "web"' in yaml and "gate 'web-test' passed" in out, out + yaml
    return code


@scenario("passes")
def a_gate_that_fails_when_it_is_found_says_why(r):
    p = project(r, {**UNITTEST, "sums.py": UNITTEST["sums.py"].replace("+", "-")})
    code, out = init(p)
    assert "gate 'test' failed with exit code 1" in out and "AssertionError: -1 != 5" in out, out
    return code


@scenario("passes")
def with_no_run_nothing_of_the_project_runs(r):
    p = project(r, {"Makefile": "all:\n\ttouch ran\ntest:\n\ttouch " + r.folder + "/ran\n"})
    code, out = init(p, "--no-run")
    assert "passed" not in out and not os.path.exists(r.folder + "/ran"), out
    return code


@scenario("passes")
def a_plumb_yaml_that_is_there_stays_and_nothing_runs(r):
    before = text(r, "plumb.yaml")
    code, out = init(r)
    assert text(r, "plumb.yaml") == before and "is there already" in out and "passed" not in out, out
    return code


@scenario("passes")
def settings_of_an_agent_are_merged_and_stay_as_they_were_written(r):
    for place, name in (("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")):
        for before in (None, "{}\n", '{\n    "model": "x",   "n": 1.50\n}\n', '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}]}}',
                       '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], "a": 1}}', '{"hooks": {"Stop": []}}'):
            if before is None:
                shutil.rmtree(os.path.dirname(r.at(name)), ignore_errors=True)
            else:
                r.write(name, before)
            code, out = init(r, "--hook", place)
            assert code == 0, out
            after = text(r, name)
            was, now = json.loads(before or "{}"), json.loads(after)
            stop = now["hooks"]["Stop"]
            assert stop[-1]["hooks"][0]["command"].startswith("plumb workflow check --hook"), after
            assert stop[:-1] == was.get("hooks", {}).get("Stop", []) and all(now[key] == was[key] for key in was if key != "hooks"), after
            assert before is None or "1.50" not in before or '"model": "x",   "n": 1.50' in after, after
            code, out = init(r, "--hook", place)
            assert code == 0 and "has the hook already" in out and text(r, name) == after, out
    return code


@scenario("passes")
def a_hook_that_does_not_hold_is_not_taken_for_one(r):
    for before in ('{"permissions": {"deny": ["Bash(plumb workflow check --hook)"]}}',
                   '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "plumb workflow check --hook || true"}]}]}}'):
        r.write(".claude/settings.json", before)
        code, out = init(r, "--hook", "claude")
        assert code == 0 and "added the hook" in out, out
    for before in ("#!/bin/sh\n# plumb workflow check was here\n", "#!/bin/sh\nexit 0\nplumb workflow check --staged\n",
                   "#!/bin/sh\nplumb workflow check --staged || true\n"):
        r.write(".git/hooks/pre-commit", before)
        os.chmod(r.at(".git/hooks/pre-commit"), 0o755)
        code, out = init(r, "--hook", "git")
        assert code == 2 and "Add this line to it" in out, out
    r.write(".git/hooks/pre-commit", "#!/bin/sh\nplumb workflow check --staged || exit $?\n")
    os.chmod(r.at(".git/hooks/pre-commit"), 0o644)
    code, out = init(r, "--hook", "git")
    assert code == 2 and "chmod +x" in out, out
    return 0


@scenario("undecided")
def what_cannot_be_merged_stays_and_the_error_says_what_to_add(r):
    r.write(".claude/settings.json", '{"hooks": {}, // mine\n}')
    r.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
    r.write(".gitlab-ci.yml", "test: {}\n")
    for place, name in (("claude", ".claude/settings.json"), ("git", ".git/hooks/pre-commit"), ("ci", ".gitlab-ci.yml")):
        before = text(r, name)
        code, out = init(r, "--hook", place)
        assert text(r, name) == before and code == 2 and "plumb workflow check" in out and "stays as it is" in out, (place, code, out)
    return code


@scenario("passes")
def the_workflow_for_CI_is_the_one_of_the_examples(r):
    code, out = init(r, "--hook", "ci")
    with open(TOP + "/docs/examples/workflow/ci.yml", encoding="utf-8") as file:
        assert text(r, ".github/workflows/plumb.yml") == file.read(), out
    return code


# What hides a change from the check, or from its gates.

SUBMODULE = "workflow:\n  gates:\n    - {name: test, command: sh library/check.sh, trigger: 'library/**'}\n"


def with_library(r):
    """A submodule `library` whose second commit breaks the gate; its folder is at the first one."""
    library = r.folder + "/library"
    r.git("init", "-q", library)
    for name, said in (("user.name", "Somebody"), ("user.email", "somebody@example.org")):
        r.git("config", name, said, cwd=library)
    for code in (0, 1):
        with open(library + "/check.sh", "w", encoding="utf-8") as file:
            file.write(f"exit {code}\n")
        r.git("add", "-A", cwd=library)
        r.git("commit", "-q", "-m", str(code), cwd=library)
    r.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "library")
    r.git("checkout", "-q", "HEAD~1", cwd=r.at("library"))
    r.write("plumb.yaml", SUBMODULE)
    r.commit()
    r.trust()


@scenario("blocks")
def a_submodule_that_moved_calls_the_gates_about_its_files(r):
    with_library(r)
    r.git("checkout", "-q", "-", cwd=r.at("library"))
    r.git("add", "library")
    return r.check("--staged")


@scenario("blocks")
def a_submodule_that_moved_in_the_checkout_calls_them_too(r):
    with_library(r)
    r.git("checkout", "-q", "-", cwd=r.at("library"))
    return r.check()


@scenario("blocks")
def core_worktree_leads_to_a_clean_copy(r):
    r.git("worktree", "add", "-q", "--detach", r.folder + "/clean")
    r.git("config", "core.worktree", r.folder + "/clean")
    r.write("a.txt", "bad\n")
    return r.run(PLUMB, "workflow", "check").returncode


@scenario("blocks")
def a_test_of_the_same_size_and_times_changes_in_the_second_in_which_git_looked(r):
    r.write("plumb.yaml", GATES + "  protect: strict\n")
    r.write("tests/a_test.sh", "exit 1\n")
    r.commit()
    r.trust()
    r.git("config", "core.trustctime", "false")
    test = r.at("tests/a_test.sh")
    for _ in range(20):
        r.write("tests/a_test.sh", "exit 1\n")
        os.utime(test, (1e9, 1e9))
        r.git("update-index", "--refresh")
        seen = int(os.stat(test).st_ctime)
        r.write("tests/a_test.sh", "exit 0\n")
        os.utime(test, (1e9, 1e9))
        if int(os.stat(test).st_ctime) == seen:
            break
    return r.check()


@scenario("blocks")
def a_removed_test_that_is_marked_as_left_out_of_the_checkout(r):
    r.write("plumb.yaml", GATES + "  protect: strict\n")
    r.write("tests/a_test.sh", "exit 0\n")
    r.commit()
    r.trust()
    r.git("update-index", "--skip-worktree", "tests/a_test.sh")
    os.remove(r.at("tests/a_test.sh"))
    return r.check()


@scenario("blocks")
def tests_that_a_sparse_checkout_leaves_out(r):
    r.write("plumb.yaml", GATES + "  protect: strict\n")
    r.write("tests/a_test.sh", "exit 0\n")
    r.write("src/x.txt", "x\n")
    r.commit()
    r.trust()
    r.git("sparse-checkout", "set", "src")
    r.write("src/x.txt", "y\n")
    return r.check()


@scenario("passes")
def documents_that_a_sparse_checkout_leaves_out(r):
    r.write("plumb.yaml", GATES + "  protect: strict\n")
    r.write("docs/a.md", "a\n")
    r.write("src/x.txt", "x\n")
    r.commit()
    r.trust()
    r.git("sparse-checkout", "set", "src")
    r.write("src/x.txt", "y\n")
    return r.check()


@scenario("passes")
def a_comment_in_plumb_yaml_with_protect_strict(r):
    r.write("plumb.yaml", GATES + "  protect: strict\n")
    r.commit()
    r.trust()
    r.write("plumb.yaml", "# ours\n" + GATES + "  protect: strict\n")
    return r.check()


@scenario("blocks")
def a_merge_that_brings_a_broken_commit_with_the_installed_hooks(r):
    code, out = init(r, "--hook", "git")
    assert code == 0 and "pre-commit" in out and "pre-merge-commit" in out, out
    before = r.git("rev-parse", "HEAD")
    r.git("checkout", "-q", "-b", "side")
    r.write("a.txt", "bad\n")
    r.commit()
    r.git("checkout", "-q", "main")
    done = r.run("git", "merge", "-q", "--no-ff", "-m", "one", "side")
    assert done.returncode != 0 and r.git("rev-parse", "HEAD") == before, done.stderr
    return 1


@scenario("passes")
def a_merge_of_good_work_with_the_installed_hooks(r):
    init(r, "--hook", "git")
    r.git("checkout", "-q", "-b", "side")
    r.write("b.js", "let two = 2;\n")
    r.commit()
    r.git("checkout", "-q", "main")
    done = r.run("git", "merge", "-q", "--no-ff", "-m", "one", "side")
    assert done.returncode == 0 and len(r.git("rev-list", "--parents", "-1", "HEAD").split()) == 3, done.stderr
    return 0


@scenario("blocks")
def the_time_of_all_gates_is_up(r):
    r.write("plumb.yaml", "workflow:\n  times: {gates: 2s}\n  gates:\n    - {name: one, command: sleep 1.5}\n    - {name: two, command: sleep 1.5}\n")
    r.commit()
    r.trust()
    r.write("b.js", "let two = 2;\n")
    code, out = shown(r, "--format", "short")
    assert "gate 'two'" in out and "gate 'one'" not in out, out
    return code


@scenario("blocks")
def a_file_of_waivers_beyond_its_bound(r):
    began = time.time()
    r.write(".plumb/waivers.yaml", "waivers:\n" + "  - {rule: no-eval, files: ['c.js'], owner: ann, reason: it goes, expires: 2027-01-01}\n" * 400_000)
    r.git("add", "-A")
    code, out = shown(r, "--staged", "--format", "short")
    assert "a file of waivers may have 1048576" in out and time.time() - began < 20, out[-2000:]
    return code


# The copy of the index that is kept.

KEPT = "workflow:\n  gates:\n    - {name: test, command: ./gate, shell: true}\n"


def kept(r, gate):
    r.write("gate", "#!/bin/sh\n" + gate)
    os.chmod(r.at("gate"), 0o755)
    for i in range(30):
        r.write(f"src/f{i}.txt", f"{i}\n")
    os.symlink("a.txt", r.at("link"))
    r.write("plumb.yaml", KEPT)
    r.commit()
    r.trust()
    r.write("b.js", "let two = 2;\n")
    r.git("add", "-A")


def copies(r):
    folder = r.folder + "/state/plumb/runs.db.work/copies"
    return [f"{folder}/{one}" for one in os.listdir(folder)] if os.path.isdir(folder) else []


@scenario("passes")
def what_a_gate_leaves_in_the_kept_copy_is_gone_at_the_next_check(r):
    """The gate fails where the copy is not the index; then it spoils everything in it, with the times put back."""
    kept(r, "test \"$(ls src | wc -l)\" = 30 && test -L link && test -f b.js && test ! -e junk && test ! -e .git && test ! -e src/.git || exit 1\n"
            "grep -qx 7 src/f7.txt || exit 1\n"
            "touch -r src/f7.txt \"$TMPDIR/t\"; printf '8\\n' > src/f7.txt; touch -r \"$TMPDIR/t\" src/f7.txt\n"
            "rm src/f8.txt; chmod 777 src/f9.txt; mkdir -p junk/deep; echo x > junk/deep/x; rm link; ln -s /etc link; mv src/f10.txt src/g\n"
            "ln src/f11.txt hard; mkdir empty; git init -q . && git init -q src && git init -q repo\n")
    for i in range(3):
        code, out = shown(r, "--staged", "--format", "short")
        assert code == 0, (i, out)
    assert len(copies(r)) == 1
    return code


@scenario("passes")
def a_folder_of_the_kept_copy_that_became_a_link(r):
    """The next check must not find the spoiled file that the link leads to."""
    kept(r, "grep -q bad src/f3.txt && exit 1\ntest -d src && test ! -L src || exit 1\n"
            "mv src \"$TMPDIR/moved-$$\"; echo bad > \"$TMPDIR/moved-$$/f3.txt\"; ln -s \"$TMPDIR/moved-$$\" src\nexit 0\n")
    for _ in range(3):
        code, out = shown(r, "--staged", "--format", "short")
        assert code == 0, out
    return code


@scenario("passes")
def two_checks_at_once_do_not_share_the_kept_copy(r):
    kept(r, "test ! -e mine && touch mine && sleep 1 && exit 0\nexit 1\n")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(lambda _: r.check("--staged"), range(2)))
    return max(codes)


@scenario("passes")
def the_kept_copy_of_a_checkout_that_is_gone_goes(r):
    kept(r, "exit 0\n")
    r.git("worktree", "add", "-q", "-b", "side", r.folder + "/side")
    with open(r.folder + "/side/b.js", "w", encoding="utf-8") as file:
        file.write("let three = 3;\n")
    r.git("add", "-A", cwd=r.folder + "/side")
    assert r.check("--staged", cwd=r.folder + "/side") == 0 and len(copies(r)) == 1
    shutil.rmtree(r.folder + "/side")
    code = r.check("--staged")
    assert len(copies(r)) == 1, copies(r)
    return code


# Staged again while fixes run.

@scenario("passes")
def a_line_that_is_staged_while_a_fix_runs_is_not_lost(r):
    formatted(r, "trigger: '*.py', shell: true", fix="sleep 2; ./format {log} mend {files}")
    r.write("m.py", MODULE + "bad \n")
    r.write("n.py", MODULE + "bad \n")
    r.git("add", "m.py", "n.py")
    with subprocess.Popen([PLUMB, "workflow", "check", "--staged", "--fix"], cwd=r.top, env=r.env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        time.sleep(1)
        r.write("m.py", MODULE + "bad \nadded meanwhile\n")
        r.git("add", "m.py")
        r.write("m.py", MODULE)
        _, err = process.communicate()
    assert staged(r, "m.py") == MODULE + "bad \nadded meanwhile\n" and text(r, "m.py") == MODULE, staged(r, "m.py")
    assert staged(r, "n.py") == text(r, "n.py") == MODULE + "bad\n" and "others were staged of m.py" in err, err
    assert not os.path.exists(r.at(".git/index.lock")) and not os.path.exists(r.at(".git/index.plumb"))
    r.git("checkout", "m.py")
    code = r.check("--staged", "--fix")
    assert staged(r, "m.py") == text(r, "m.py") == MODULE + "bad\nadded meanwhile\n"
    return code


# Where init writes.

@scenario("undecided")
def init_does_not_write_through_links_that_lead_nowhere_or_wait_for_a_pipe(r):
    outside = r.folder + "/outside"
    for place, name in (("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json"), ("ci", ".github/workflows/plumb.yml"),
                        ("git", ".git/hooks/pre-commit"), ("git", ".git/hooks/pre-merge-commit")):
        os.makedirs(os.path.dirname(r.at(name)), exist_ok=True)
        for lay in (lambda path: os.symlink(outside, path), os.mkfifo, os.mkdir):
            if os.path.exists(r.at(".git/hooks/pre-commit")) and name.endswith("merge-commit"):
                os.remove(r.at(".git/hooks/pre-commit"))
            lay(r.at(name))
            code, out = init(r, "--hook", place)
            assert code == 2 and "nothing was written" in out and not os.path.exists(outside), (place, name, code, out)
            (os.rmdir if os.path.isdir(r.at(name)) and not os.path.islink(r.at(name)) else os.remove)(r.at(name))
    os.makedirs(outside)
    os.rmdir(r.at(".claude"))
    os.symlink(outside, r.at(".claude"))
    code, out = init(r, "--hook", "claude")
    assert code == 2 and "outside this repository" in out and os.listdir(outside) == [], out
    p = project(r, {"a.txt": "a\n"})
    for lay in (lambda path: os.symlink(outside + "/x", path), os.mkfifo):
        lay(p.at("plumb.yaml"))
        code, out = init(p, "--no-run")
        assert code == 2 and "nothing was written" in out and os.listdir(outside) == [], out
        os.remove(p.at("plumb.yaml"))
    os.mkfifo(p.at("package.json"))
    assert init(p, "--no-run")[0] == 0
    return code


@scenario("undecided")
def hooks_of_all_repositories_stay_as_they_are(r):
    everyones = r.folder + "/hooks"
    os.makedirs(everyones)
    r.git("config", "--global", "core.hooksPath", everyones)
    code, out = init(r, "--hook", "git")
    assert code == 2 and "all your repositories" in out and os.listdir(everyones) == [] and not os.path.exists(r.at(".git/hooks/pre-commit")), out
    r.git("config", "--local", "core.hooksPath", r.at(".git/hooks"))
    again, out = init(r, "--hook", "git")
    assert again == 0 and os.path.exists(r.at(".git/hooks/pre-commit")) and os.listdir(everyones) == [], out
    return code



def outcome(one):
    name, wanted, function = one
    repo = Repo()
    try:
        code = function(repo)
    finally:
        repo.close()
    came = OUTCOME.get(code, f"exit code {code}")
    return name, came, wanted, "right" if came == wanted else "wrong"


def main():
    words = sys.argv[1:]
    chosen = [one for one in SCENARIOS if all(word in one[0] for word in words)]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        rows = list(pool.map(outcome, chosen))
    table = f"{'scenario':72} {'outcome':10} {'wanted':10}\n"
    table += "".join(f"{name:72} {came:10} {wanted:10} {right}\n" for name, came, wanted, right in rows)
    table += f"\n{sum(row[3] == 'right' for row in rows)} of {len(rows)} right; wrongly passed: "
    table += f"{sum(row[3] == 'wrong' and row[1] == 'passes' for row in rows)}; wrongly blocked or undecided: "
    table += f"{sum(row[3] == 'wrong' and row[1] != 'passes' for row in rows)}\n"
    sys.stdout.write(table)
    if words:
        return 0
    return stored_table.compare("gate_view", table)


if __name__ == "__main__":
    sys.exit(main())
