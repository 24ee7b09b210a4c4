#!/usr/bin/env python3
"""Counts which changes pass `plumb workflow check`, `plumb check --staged` and the shipped pre-commit hook, and whether that is right.

    PLUMB_BIN=build/bin/plumb tests/counts/gate_view.py [WORD...]     only scenarios whose name has all words

The table is gate_view.txt. It differs: exit code 1; PLUMB_REWRITE=1 writes it anew. Git itself makes every change and every commit.
"""
import concurrent.futures
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
