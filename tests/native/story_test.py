#!/usr/bin/env python3
"""`plumb story` as an author drives it, and the commands of docs/story.md.

    PLUMB_BIN=build/bin/plumb tests/native/story_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite story: N passed, M failed, K skipped`.
"""
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import time

import cli_test
from driven import Place, Server
from cli_test import Folder, code, equal, has, lacks, plumb

TESTS = []
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIGHTHOUSE = os.path.join(TOP, "docs", "examples", "lighthouse.yaml")


def test(function):
    TESTS.append(function)
    return function


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def recorded_outline():
    """The outline of the example as JSON, as its recorded run was begun with: large texts come first, by their hash."""
    texts = {}

    def whole(value):
        if isinstance(value, dict):
            return json.loads(texts[value["$blob"]]) if "$blob" in value else {key: whole(one) for key, one in value.items()}
        return [whole(one) for one in value] if isinstance(value, list) else value

    for line in read(TOP, "tests", "cases", "runs", "story_lighthouse.ndjson").splitlines():
        entry = json.loads(line)
        if "blob" in entry:
            texts[entry["blob"]] = entry["text"]
        elif entry["kind"] == "begin":
            return json.dumps(whole(entry["data"])["input"]["outline"])
    raise AssertionError("the recording has no beginning")


def written(folder, name, text):
    path = os.path.join(folder.path, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


@test
def the_commands_of_the_documentation_do_what_it_says():
    with Folder() as folder:
        os.symlink(os.path.join(TOP, "docs"), os.path.join(folder.path, "docs"))
        commands = [line for block in re.findall(r"```sh\n(.*?)```", read(TOP, "docs", "story.md"), re.S) for line in block.splitlines()]
        assert len(commands) == 13, commands
        for language, name in (("css", "night.css"), ("yaml", "words.yaml")):
            written(folder, name, re.search(rf"```{language}\n(.*?)```", read(TOP, "docs", "story.md"), re.S).group(1))
        for command in commands:
            code(plumb(*shlex.split(command)[1:], cwd=folder.path), 0)
        kept = {name.removesuffix("-shm").removesuffix("-wal") for name in os.listdir(os.path.join(folder.path, "ferry"))}
        equal(sorted(kept), ["graph.db", "journal.db", "journal.db.lock"])
        has(read(folder.path, "night", "story.html"), "--paper: #101418")
        has(read(folder.path, "night", "story.html"), ">Inizia</button>")
        for name in ("tale", "lighthouse", "book", "night"):
            equal(sorted(os.listdir(os.path.join(folder.path, name))), ["gamebook.html", "story.html", "story.json", "story.twee"])


@test
def the_outline_that_new_writes_has_no_finding():
    with Folder() as folder:
        code(plumb("story", "new", "tale.yaml", cwd=folder.path), 0)
        made = plumb("story", "make", "tale.yaml", "--format", "jsonl", cwd=folder.path)
        code(made, 0)
        equal(json.loads(made.out)["findings"], [])
        again = plumb("story", "new", "tale.yaml", cwd=folder.path)
        code(again, 2)
        has(again.err, "is there already")


@test
def the_lighthouse_has_four_endings_and_is_the_same_each_time():
    with Folder() as folder:
        for name in ("a", "b"):
            code(plumb("story", "make", LIGHTHOUSE, "-o", name, cwd=folder.path), 0)
        for name in os.listdir(os.path.join(folder.path, "a")):
            equal(read(folder.path, "a", name), read(folder.path, "b", name))
        told = json.loads(plumb("story", "inspect", LIGHTHOUSE).out)
        equal(told["play"]["complete"], True)
        equal(told["play"]["endings_reached"], 4)
        equal([one["complies"] for one in told["dilemmas"]], [True, True, True])
        equal(told["prose"]["passages_with_prose"], told["counts"]["passage"])
        for address in ("http://", "https://", "src=", "<link"):
            lacks(read(folder.path, "a", "story.html"), address)


@test
def a_broken_gate_is_told_with_the_shortest_way_into_the_trap_and_nothing_is_written():
    with Folder() as folder:
        broken = read(LIGHTHOUSE).replace("  - id: keep_oil\n", "  - id: keep_oil\n    gate: [brother/hide]\n")
        path = written(folder, "broken.yaml", broken)
        made = plumb("story", "make", path, "-o", "out", "--format", "short", cwd=folder.path)
        code(made, 1)
        has(made.out, "at 'keep_watch' no choice is open, and it is not an ending, holding brother/send, garment/coat, lamp/keep")
        has(made.out, "\"Show him the north channel\" to send_north, \"Climb back")
        has(made.out, "What is shut then: at 'keep_watch' the way to 'keep_oil' asks for brother/hide")
        lacks(made.out, "garment__coat_committed")
        line = broken[:broken.index("  - id: keep_watch")].count("\n") + 1
        has(made.out, f"broken.yaml:{line}:5: error: ")
        assert not os.path.exists(os.path.join(folder.path, "out"))
        code(plumb("story", "check", path, cwd=folder.path), 1)


@test
def errors_of_an_outline_have_their_line_and_what_is_there():
    with Folder() as folder:
        text = read(LIGHTHOUSE)
        path = written(folder, "typo.yaml", text.replace("paths: [lamp/keep]\n    commits", "paths: [lamp/kep]\n    commits"))
        told = plumb("story", "make", path, "--format", "jsonl", cwd=folder.path)
        code(told, 1)
        finding = json.loads(told.out)["findings"][0]
        equal((finding["rule"], finding["class"], finding["allowed"][0]), ("reference", "reference", "lamp/keep"))
        equal(finding["span"]["line"], read(path)[:read(path).index("lamp/kep")].count("\n") + 1)
        has(finding["message"], "did you mean 'lamp/keep'?")
        twice = written(folder, "twice.yaml", text.replace("title: The", "title: Other\ntitle: The", 1))
        refused = plumb("story", "make", twice)
        code(refused, 2)
        has(refused.err, "'title' is given twice")
        bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(7))
        refused = plumb("story", "make", written(folder, "bomb.yaml", bomb))
        code(refused, 2)
        has(refused.err, "a million values")


@test
def missing_prose_is_refused_in_the_seeds_words_and_drafts_are_marked():
    with Folder() as folder:
        text = read(LIGHTHOUSE)
        start = text.index("    prose: |\n      It comes down to your boots")
        path = written(folder, "draft.yaml", text[:start] + text[text.index("    location: the foot of the stair\n    entities: [mara]\n  - id: oilskin"):])
        refused = plumb("story", "make", path, "-o", "out", cwd=folder.path)
        code(refused, 2)
        has(refused.err, "1 passage(s) missing prose. Run FILL stage first. Examples: [coat]")
        code(plumb("story", "make", path, "-o", "out", "--drafts", cwd=folder.path), 0)
        has(read(folder.path, "out", "story.twee"), "(draft) Mara puts on her father's coat.")


@test
def a_theme_or_a_file_of_words_that_cannot_be_used_is_refused_by_name_and_nothing_is_written():
    with Folder() as folder:
        for option, name, text, reason in (
            ("--theme", "a.css", "a { content: '</style>' }", "a.css: a theme may not contain '</'"),
            ("--theme", "b.css", " " * 70_000, "b.css: "),
            ("--theme", "none.css", None, "none.css: "),
            ("--words", "c.yaml", "beginn: x\n", "c.yaml: there is no word 'beginn'. The words are: begin, resume, back"),
            ("--words", "d.json", "{\"passage\": \"x\"}", "d.json: the word 'passage' must contain '%'"),
        ):
            if text is not None:
                written(folder, name, text)
            refused = plumb("story", "make", LIGHTHOUSE, "-o", "out", option, name, cwd=folder.path)
            code(refused, 2)
            has(refused.err, reason)
            lacks(refused.err, "--drafts")
            assert not os.path.exists(os.path.join(folder.path, "out"))
        alone = plumb("story", "make", LIGHTHOUSE, "--theme", "a.css", cwd=folder.path)
        code(alone, 2)
        has(alone.err, "'--theme' wants '--output DIR'")


@test
def what_is_written_is_what_check_reads_and_every_format_is_a_report():
    with Folder() as folder:
        code(plumb("story", "make", LIGHTHOUSE, "-o", "out", cwd=folder.path), 0)
        for name in ("story.twee", "story.json", "story.html"):
            code(plumb("story", "check", os.path.join("out", name), cwd=folder.path), 0)
        twee = read(folder.path, "out", "story.twee").replace("[[Step out on the gallery->gallery]]", "[[Step out on the gallery->nowhere]]", 1)
        path = written(folder, "old.twee", twee)
        told = plumb("story", "check", path, "--format", "sarif", cwd=folder.path)
        code(told, 1)
        results = json.loads(told.out)["runs"][0]["results"]
        broken = [one for one in results if one["ruleId"].endswith("broken_link")]
        equal(broken[0]["locations"][0]["physicalLocation"]["region"]["startLine"], twee[:twee.index("[[Step out on the gallery->nowhere]]")].count("\n") + 1)
        for form in ("text", "short", "json", "jsonl", "junit", "github", "llm"):
            code(plumb("story", "check", path, "--format", form, cwd=folder.path), 1)
        nothing = plumb("story", "check", written(folder, "note.txt", "nothing of a story\n"), cwd=folder.path)
        code(nothing, 2)
        has(nothing.err, "is not Twee")


@test
def a_story_that_was_not_read_whole_is_undecided_with_each_place_and_an_error_is_one_all_the_same():
    head = ':: StoryData\n{"ifid":"5E8F0B1C-6C7D-4E0B-9A57-0B7B9A1B2C3D","format":"SugarCube","start":"Start"}\n\n'
    with Folder() as folder:
        path = written(folder, "fight.twee", head + ':: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] <<link "Out" $back>><</link>>\n\n:: End\nOver.\n')
        told = plumb("story", "check", path, "--format", "json", cwd=folder.path)
        code(told, 2)
        verdict = json.loads(told.out)["verdicts"][0]
        equal(verdict["decision"], "undecided")
        equal([(one["rule"], one["severity"], one["span"]["line"], one["span"]["column"]) for one in verdict["findings"]], [("unread", "info", 8, 11)])
        equal([one["rule"] for one in verdict["undecided"]], ["coverage"])
        has(verdict["undecided"][0]["reason"], "1 place was not read: line 8, column 11.", "reaches 3 of 3 passages and 1 of 1 endings")
        for form in ("text", "short", "jsonl", "junit", "github", "sarif", "llm"):
            code(plumb("story", "check", path, "--format", form, cwd=folder.path), 2)
        code(plumb("story", "check", written(folder, "gone.twee", read(path) + "[[Nowhere]]\n"), cwd=folder.path), 1)
        code(plumb("story", "check", written(folder, "whole.twee", read(path).replace('<<link "Out" $back>><</link>>', "[[End]]")), cwd=folder.path), 0)


@test
def a_folder_and_files_of_which_one_has_story_data_are_one_story():
    head = ':: StoryData\n{"ifid":"5E8F0B1C-6C7D-4E0B-9A57-0B7B9A1B2C3D","format":"SugarCube","start":"Start"}\n\n:: Start\n[[Other]]\n'
    with Folder() as folder:
        os.makedirs(os.path.join(folder.path, "src", "deep"))
        written(folder, "src/a.twee", ":: Other\n[[Dor]] [[End]]\n\n:: Door\n[[End]]")
        written(folder, "src/deep/b.tw", head)
        written(folder, "src/deep/c.twee", ":: End\nOver.\n")
        for given in (["src"], ["src/a.twee", "src/deep/b.tw", "src/deep/c.twee"]):
            told = plumb("story", "check", *given, "--format", "jsonl", cwd=folder.path)
            code(told, 1)
            by_file = {line["file"]: line for line in map(json.loads, told.out.splitlines())}
            equal(sorted(by_file), ["src/a.twee", "src/deep/b.tw", "src/deep/c.twee"])
            equal([(one["rule"], one["span"]["line"], one["span"]["column"]) for one in by_file["src/a.twee"]["findings"]],
                  [("broken_link", 2, 1), ("orphan", 4, 1)])
            has(by_file["src/a.twee"]["findings"][0]["message"], "did you mean 'Door'?")
            equal([by_file[name]["findings"] for name in ("src/deep/b.tw", "src/deep/c.twee")], [[], []])
        written(folder, "src/a.twee", ":: Other\n<<dance>> [[Door]]\n\n:: Door\n[[End]]")
        told = plumb("story", "check", "src", "--format", "json", cwd=folder.path)
        code(told, 2)
        has("".join(one["reason"] for verdict in json.loads(told.out)["verdicts"] for one in verdict["undecided"]), "src/a.twee, line 2, column 1")
        written(folder, "src/second.twee", head)
        told = plumb("story", "check", "src", cwd=folder.path)
        code(told, 2)
        has(told.out + told.err, "has 2 stories")
        os.makedirs(os.path.join(folder.path, "none"))
        code(plumb("story", "check", "none", cwd=folder.path), 2)


@test
def every_rule_that_a_story_can_break_is_explained():
    named = set()
    for name in sorted(os.listdir(os.path.join(TOP, "core", "story"))):
        if name.endswith(".cpp"):
            text = read(TOP, "core", "story", name)
            for form in (r'"([a-z_]{4,})",\s*(?:(?:true|false|[\w:&?> 1]*Severity::\w+(?: : Severity::\w+)?),\s*)?(?:contract::)?FindingClass::',
                         r'\.rule = "([a-z_]+)"'):
                named |= set(re.findall(form, text))
    assert len(named) > 25, sorted(named)
    for rule in sorted(named):
        told = plumb("explain", rule)
        code(told, 0)
        has(told.out, rule)


@test
def audit_filters_by_stage_phase_operation_and_target():
    rows = [json.loads(line) for line in plumb("story", "audit", LIGHTHOUSE, "--limit", "100000").out.splitlines()]
    assert len(rows) > 200
    for option, member in (("--stage", "stage"), ("--phase", "phase"), ("--operation", "operation")):
        for value in sorted({row[member] for row in rows}):
            some = plumb("story", "audit", LIGHTHOUSE, "--limit", "100000", option, value).out.splitlines()
            equal(len(some), sum(row[member] == value for row in rows))
    about = plumb("story", "audit", LIGHTHOUSE, "--limit", "100000", "--target", "passage::cutter").out.splitlines()
    equal(len(about), sum("passage::cutter" in (row["target"], row.get("to")) for row in rows))
    equal(plumb("story", "audit", LIGHTHOUSE, "--summary").out.splitlines()[-1], f"total {len(rows)}")
    equal(plumb("story", "audit", LIGHTHOUSE, "--phase", "grow/choices").out, plumb("story", "audit", LIGHTHOUSE, "--phase", "choices").out)
    for option, wrong, near in (("--phase", "choises", "choices"), ("--phase", "seed/choices", ""), ("--target", "passage::cuter", "passage::cutter")):
        refused = plumb("story", "audit", LIGHTHOUSE, option, wrong)
        code(refused, 2)
        has(refused.err, f"'{option} {wrong}': the story has nothing of that name" + (f"; did you mean '{near}'?" if near else ""))


@test
def watching_makes_the_story_again_when_the_outline_changes():
    with Folder() as folder:
        path = written(folder, "tale.yaml", read(LIGHTHOUSE))
        child = subprocess.Popen([cli_test.PLUMB, "story", "make", path, "-o", "out", "--watch", "--quiet"], cwd=folder.path,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            html = os.path.join(folder.path, "out", "story.html")
            until = time.monotonic() + 60
            while time.monotonic() < until and not os.path.exists(html):
                time.sleep(0.05)
            written(folder, "tale.yaml", read(LIGHTHOUSE).replace("title: The Light on Carrick Stone", "title: Another Light"))
            while time.monotonic() < until and "Another Light" not in read(html):
                time.sleep(0.05)
            has(read(html), "<title>Another Light</title>")
        finally:
            child.kill()
            child.wait()


def rows_of(path, times=False):
    """All that graph.db holds, without the times at which it was made and the run's name."""
    out = {}
    with sqlite3.connect(path) as database:
        for table in ("nodes", "edges", "mutations", "phase_history", "meta"):
            names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            kept = [name for name in names if times or name != "at_ms"]
            out[table] = sorted(map(repr, database.execute(f"SELECT {', '.join(kept)} FROM {table}" + (" WHERE key <> 'run'" if table == "meta" else ""))))
    return out


def lines_of(project):
    told = plumb("story", "status", project).out
    return [line[2:].split()[0] for line in told[told.index("lines:\n"):].splitlines()[1:]]


@test
def a_project_is_a_folder_that_can_be_moved_and_whose_tables_can_be_deleted():
    with Folder() as folder:
        project = os.path.join(folder.path, "tale")
        code(plumb("story", "make", LIGHTHOUSE, "--project", project), 0)
        before = rows_of(os.path.join(project, "graph.db"), times=True)
        told = json.loads(plumb("story", "inspect", project).out)
        equal((told.pop("run"), told.pop("entry") > 32), (lines_of(project)[0], True))
        equal(told, json.loads(plumb("story", "inspect", LIGHTHOUSE).out))
        equal(len(before["nodes"]), sum(count for name, count in told["counts"].items() if name != "edges"))
        equal(len(before["edges"]), told["counts"]["edges"])
        equal(len(before["phase_history"]), 32)
        moved = os.path.join(folder.path, "elsewhere")
        os.rename(project, moved)
        os.remove(os.path.join(moved, "graph.db"))
        again = plumb("story", "make", LIGHTHOUSE, "--project", moved)
        code(again, 0)
        has(again.err, "is of this outline already")
        equal(rows_of(os.path.join(moved, "graph.db"), times=True), before)
        rows = [json.loads(line) for line in plumb("story", "audit", moved, "--limit", "100000").out.splitlines()]
        equal(len(rows), len(before["mutations"]))
        assert all(row["at_ms"] > 1_600_000_000_000 for row in rows)
        for form in ("dot", "mermaid", "svg"):
            drawn = plumb("story", "graph", moved, "--format", form).out
            named = re.search(r"run (\w+), entry \d+, ", drawn)
            equal(named[1], lines_of(moved)[0])
            equal(drawn.replace(named[0], ""), plumb("story", "graph", LIGHTHOUSE, "--format", form).out)
        out = os.path.join(folder.path, "out")
        code(plumb("story", "ship", moved, "-o", out), 0)
        code(plumb("story", "make", LIGHTHOUSE, "-o", out + "2"), 0)
        for name in os.listdir(out):
            equal(read(out, name), read(out + "2", name))


@test
def rewinding_is_a_line_that_takes_over_what_stands_before_and_leaves_the_former_one():
    with Folder() as folder:
        project = os.path.join(folder.path, "tale")
        code(plumb("story", "make", LIGHTHOUSE, "--project", project), 0)
        first = lines_of(project)[0]
        was = plumb("story", "status", project).out
        other = written(folder, "other.yaml", read(LIGHTHOUSE).replace("policy: flavor", "policy: soft"))
        done = plumb("story", "rewind", project, "--to", "seed/analyses", "--outline", other)
        code(done, 0)
        has(done.err, f"goes on from {first}, which stays; made again: seed/analyses and 26 phases behind it")
        equal(lines_of(project)[1], first)
        equal(len(lines_of(project)), 2)
        old = plumb("story", "status", project, "--run", first).out
        equal(old[:old.index("lines:")], was[:was.index("lines:")])
        new = plumb("story", "status", project).out
        equal([a == b for a, b in zip(was.splitlines()[:32], new.splitlines()[:32])].index(False), 5)
        equal(json.loads(plumb("story", "inspect", project).out)["graph"], json.loads(plumb("story", "inspect", other).out)["graph"])
        fresh = os.path.join(folder.path, "fresh")
        code(plumb("story", "make", other, "--project", fresh), 0)
        same = rows_of(os.path.join(project, "graph.db"))
        equal(same, rows_of(os.path.join(fresh, "graph.db")))
        refused = plumb("story", "rewind", project, "--to", "grow/choices", "--outline", LIGHTHOUSE)
        code(refused, 2)
        has(refused.err, f"{project}: the outline is another one at 'seed/analyses'")
        refused = plumb("story", "rewind", project, "--to", "grow/choises")
        code(refused, 2)
        has(refused.err, "did you mean 'grow/choices'?")
        code(plumb("story", "rewind", project), 2)
        store = os.path.join(project, "journal.db")
        equal(len(json.loads(plumb("runs", "list", "--json", "--store", store).out)["runs"]), 2)
        has(plumb("runs", "replay", "--store", store, lines_of(project)[0]).out, "same")


@test
def a_story_with_a_trap_is_kept_and_not_shipped_and_goes_on_when_its_gate_is_mended():
    with Folder() as folder:
        project, out = os.path.join(folder.path, "tale"), os.path.join(folder.path, "out")
        path = written(folder, "tale.yaml", read(LIGHTHOUSE).replace("  - id: keep_oil\n", "  - id: keep_oil\n    gate: [brother/hide]\n"))
        code(plumb("story", "make", path, "--project", project, "-o", out), 1)
        refused = plumb("story", "ship", project, "-o", out)
        code(refused, 1)
        has(refused.err, "no choice is open, and it is not an ending")
        assert not os.path.exists(out)
        written(folder, "tale.yaml", read(LIGHTHOUSE))
        mended = plumb("story", "make", path, "--project", project, "-o", out)
        code(mended, 0)
        has(mended.err, "made again: seed/beats and 27 phases behind it")
        equal(len(os.listdir(out)), 4)


@test
def what_is_no_project_of_ours_is_refused_and_stays():
    with Folder() as folder:
        old = os.path.join(folder.path, "old")
        os.mkdir(old)
        written(folder, "old/graph.json", "{}")
        refused = plumb("story", "make", LIGHTHOUSE, "--project", old)
        code(refused, 2)
        has(refused.err, "is a project of an older kind (graph.json), which is not understood")
        equal(os.listdir(old), ["graph.json"])
        empty = os.path.join(folder.path, "empty")
        os.mkdir(empty)
        refused = plumb("story", "status", empty)
        code(refused, 2)
        has(refused.err, "holds no story yet; `plumb story make OUTLINE --project DIR` begins one")
        refused = plumb("story", "make", LIGHTHOUSE, "--project", os.path.join(old, "graph.json"))
        code(refused, 2)
        has(refused.err, "is not a folder")
        project = os.path.join(folder.path, "tale")
        code(plumb("story", "make", LIGHTHOUSE, "--project", project), 0)
        graph = os.path.join(project, "graph.db")
        with sqlite3.connect(graph) as database:
            database.execute("PRAGMA user_version=9")
        refused = plumb("story", "make", LIGHTHOUSE, "--project", project)
        code(refused, 2)
        has(refused.err, "is a graph of version 9, this plumb knows version 1; delete it")
        os.remove(graph)
        with sqlite3.connect(graph) as database:
            database.execute("CREATE TABLE mine (a)")
        refused = plumb("story", "make", LIGHTHOUSE, "--project", project)
        code(refused, 2)
        has(refused.err, "is an SQLite file of another program")
        written(folder, "tale/graph.db", "no table of anybody\n" * 200)
        refused = plumb("story", "make", LIGHTHOUSE, "--project", project)
        code(refused, 2)
        has(refused.err, "the file may be deleted, it is made again from the journal")
        os.remove(graph)
        code(plumb("story", "make", LIGHTHOUSE, "--project", project), 0)


@test
def an_outline_is_known_by_what_it_holds_and_another_story_is_refused_by_name():
    with Folder() as folder:
        text = read(LIGHTHOUSE)
        for name in ("tale.txt", "TALE.YAML", "tale"):
            code(plumb("story", "make", written(folder, name, text), "-o", "out", cwd=folder.path), 0)
        for name, form in (("story.twee", "Twee"), ("story.json", "story.json"), ("story.html", "HTML")):
            for command in ("make", "inspect", "status", "graph", "audit"):
                refused = plumb("story", command, os.path.join("out", name), cwd=folder.path)
                code(refused, 2)
                has(refused.err, f"is a story already, as {form}, not an outline; `plumb story check` checks it")
        book = json.loads(read(folder.path, "out", "story.json"))
        code(plumb("story", "check", written(folder, "sorted.json", json.dumps(book, sort_keys=True))), 0)
        code(plumb("story", "check", written(folder, "marked.json", "\ufeff" + json.dumps(book))), 0)


@test
def an_outline_that_is_no_utf8_is_refused_with_its_line():
    with Folder() as folder:
        path = os.path.join(folder.path, "latin.yaml")
        with open(path, "wb") as file:
            file.write(read(LIGHTHOUSE).replace("name: Jonah", "name: Jon\u00e1\u00df").encode("latin-1"))
        refused = plumb("story", "make", path)
        code(refused, 2)
        line = read(LIGHTHOUSE)[:read(LIGHTHOUSE).index("name: Jonah")].count("\n") + 1
        has(refused.err, f"latin.yaml:{line}: is not UTF-8 from here on: save it as UTF-8")
        again = "word " * 5000
        told = plumb("story", "make", written(folder, "again.yaml", read(LIGHTHOUSE).replace("The wind takes", again + "The wind takes", 1)), "--format", "jsonl")
        at = json.loads(told.out)["signals"][0]["atByte"]
        text = read(folder.path, "again.yaml").encode()
        assert text[:at].rindex(b"- id: ") == text.index(b"- id: gallery"), at


@test
def over_http_a_story_is_made_told_drawn_exported_and_rewound():
    with Place("story") as place, Server(place) as server:
        outline = json.loads(recorded_outline())
        status, begun = server.ask("POST", "/api/story/projects", {"outline": outline})
        equal(status, 202)
        at = "/api/story/projects/" + begun["id"]
        until = time.monotonic() + 30
        view = server.ask("GET", at)[1]
        while view["status"] != "completed" and time.monotonic() < until:
            time.sleep(0.05)
            view = server.ask("GET", at)[1]
        equal((view["status"], view["decision"], len(view["phases"])), ("completed", "accept", 32))
        graph = server.ask("GET", at + "/graph")[1]
        equal(len(graph["edges"]), server.ask("GET", at + "/inspect")[1]["counts"]["edges"])
        equal(server.ask("GET", at + "/graph?phases=0")[1], {"nodes": [], "edges": []})
        equal(server.ask("GET", at + "/exports/json")[1]["title"], outline["title"])
        equal(server.ask("GET", at + "/exports/pdf")[0], 404)
        equal(server.ask("GET", "/api/story/projects/nobody")[0], 404)
        equal(server.ask("GET", "/api/story/projects")[1]["runs"][0]["id"], begun["id"])
        for dilemma in outline["dilemmas"]:
            dilemma["policy"] = "hard" if dilemma["policy"] == "flavor" else dilemma["policy"]
        status, other = server.ask("POST", at + "/rewind", {"to": "seed/analyses", "outline": outline})
        equal((status, other["forked_from"], other["behind"][0]), (201, begun["id"], "seed/analyses"))
        status, told = server.ask("POST", at + "/rewind", {"to": "grow", "outline": outline})
        equal(status, 422)
        has(json.dumps(told), "the outline is another one at 'seed/analyses'")
        equal(server.ask("POST", at + "/rewind", {"to": "growth"})[0], 422)
        equal(server.ask("POST", "/api/story/projects", {"outline": {"title": "T"}})[0], 422)
        status, told = server.ask("POST", "/api/story/projects", {"outline": {"version": "5.0", "nodes": {}, "edges": []}})
        equal(status, 422)
        has(told["detail"], "is a graph of an older kind of project, which is not understood")


@test
def the_table_of_nodes_in_the_documentation_is_that_of_the_graph():
    rows = [json.loads(line) for line in plumb("story", "audit", LIGHTHOUSE, "--limit", "100000").out.splitlines()]
    table = {}
    for name, stages, fields in re.findall(r"^\| `(\w+)` \| ([a-z, ]+) \| (`.*`) \|$", read(TOP, "docs", "story.md"), re.M):
        table[name] = (stages.split(", "), set(re.findall(r"`(\w+)`", fields)))
    equal(len(table), 20)
    for row in rows:
        if row["operation"] == "create_node":
            stages, fields = table[row["target"].split("::")[0]]
            assert row["stage"] in stages, row
            assert set(row["delta"]) <= fields, row


def main():
    words = sys.argv[1:]
    passed = failed = 0
    for one in TESTS:
        if not all(word in one.__name__ for word in words):
            continue
        try:
            one()
            passed += 1
        except Exception as error:  # a test that fails says why, and the next one runs
            failed += 1
            print(f"FAILED: {one.__name__.replace('_', ' ')}\n  {type(error).__name__}: {error}")
    print(f"suite story: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
