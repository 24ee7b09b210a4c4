#!/usr/bin/env python3
"""`plumb runs`, driven as a user drives it, on real stores and recorded journals.

    PLUMB_BIN=build/bin/plumb tests/native/runs_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite runs: N passed, M failed, K skipped`.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

import cli_test
import driven
from driven import PLUMB, ROOT

RECORDED = os.path.join(ROOT, "tests", "cases", "runs")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("runs")

    def plumb(self, *arguments, **options):
        return self.run(*arguments, **options)

    def runs(self, *arguments, code=0, **options):
        done = self.plumb("runs", *arguments, **options)
        assert done.returncode == code, f"exit code {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}"
        return done


def recorded(name):
    return os.path.join(RECORDED, name + ".ndjson")


def recorded_text(name):
    with open(recorded(name), encoding="utf-8") as file:
        return file.read()


def renamed(place, name):
    """The journal under an id of its own: the recorded runs have all the same. Gives id and file."""
    text = recorded_text(name)
    run = "r" + name.replace("_", "")[-5:] * 4
    return run, place.file(name + ".ndjson", text.replace('"run":"' + run_of(name) + '"', '"run":"' + run + '"', 1))


def entries_of(text):
    return [line for line in (json.loads(one) for one in text.splitlines()) if "n" in line]


def run_of(name):
    return entries_of(recorded_text(name))[0]["data"]["run"]


def half_of(name, keep):
    """The journal without what comes after the entry for which `keep` first says no."""
    out = []
    for line in recorded_text(name).splitlines():
        value = json.loads(line)
        if "n" in value and not keep(value):
            break
        out.append(line)
    while "n" not in json.loads(out[-1]):
        out.pop()
    return "\n".join(out) + "\n"


def until(condition, what):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what}")


@test
def what_is_imported_is_listed_newest_first_and_exported_byte_for_byte():
    with Place() as place:
        runs = [renamed(place, name) for name in ("artifact_repaired", "artifact_failed", "artifact_extract")]
        for run, file in runs:
            said = place.runs("import", file).stdout
            assert said == f"{run} {'failed' if 'failed' in file else 'done'}\n", said
        listed = json.loads(place.runs("list", "--json").stdout)
        assert [row["id"] for row in listed["runs"]] == [run for run, _ in reversed(runs)], listed
        assert "next" not in listed
        for run, name in runs:
            with open(name, encoding="utf-8") as file:
                assert place.runs("export", run).stdout == file.read(), name
        out = place.file("out.ndjson")
        place.runs("export", runs[0][0], "--output", out)
        with open(out, encoding="utf-8") as file, open(runs[0][1], encoding="utf-8") as was:
            assert file.read() == was.read()
        assert os.stat(out).st_mode & 0o077 == 0


@test
def pages_and_filters_of_the_list():
    with Place() as place:
        for name in ("artifact_repaired", "artifact_failed", "artifact_stopped"):
            place.runs("import", renamed(place, name)[1])
        first = json.loads(place.runs("list", "--json", "--limit", "2").stdout)
        second = json.loads(place.runs("list", "--json", "--limit", "2", "--before", str(first["next"])).stdout)
        assert len(first["runs"]) == 2 and len(second["runs"]) == 1 and "next" not in second
        text = place.runs("list", "--limit", "2").stdout
        assert f"more: plumb runs list --before {first['next']}" in text, text
        failed = json.loads(place.runs("list", "--json", "--state", "failed").stdout)["runs"]
        assert [row["id"] for row in failed] == [renamed(place, "artifact_failed")[0]]
        assert json.loads(place.runs("list", "--json", "--pipeline", "story").stdout)["runs"] == []
        assert place.runs("list", "--owner", "nobody").stdout == "no runs\n"
        place.runs("list", "--limit", "0", code=2)
        place.runs("list", "--state", "gone", code=2)


@test
def where_there_is_no_store_there_are_no_runs_but_a_named_one_must_be_there():
    with Place() as place:
        assert place.runs("list").stdout == "no runs\n"
        assert "there is no store of runs here yet" in place.runs("list", "--store", place.file("x.db"), code=2).stderr
        assert "there is no store of runs here yet" in place.runs("show", "rnone", code=2).stderr


@test
def the_store_is_the_flags_the_variables_the_files_or_the_usual_one():
    with Place() as place:
        name = "artifact_stopped"
        flagged, said, filed = (place.file(one) for one in ("flag.db", "variable.db", "yaml.db"))
        place.file("plumb.yaml", "store: yaml.db\n")
        place.runs("import", recorded(name), "--store", flagged, env={"PLUMB_STORE": said})
        assert os.path.exists(flagged) and not os.path.exists(said)
        place.runs("import", recorded(name), env={"PLUMB_STORE": said})
        assert os.path.exists(said) and not os.path.exists(filed)
        place.runs("import", recorded(name), env={"PLUMB_STORE": None})
        assert os.path.exists(filed)
        os.remove(place.file("plumb.yaml"))
        place.runs("import", recorded(name), env={"PLUMB_STORE": None, "XDG_STATE_HOME": place.file("state")})
        assert os.path.exists(place.file("state/plumb/runs.db"))
        place.runs("import", recorded(name), env={"PLUMB_STORE": None})
        assert os.path.exists(place.file(".local/state/plumb/runs.db"))


@test
def show_tells_log_effects_findings_and_entries_of_a_run_and_of_a_file_alike():
    with Place() as place:
        place.runs("import", recorded("artifact_repaired"))
        run = run_of("artifact_repaired")
        stored = place.runs("show", run, "--entries").stdout
        assert stored == place.runs("show", recorded("artifact_repaired"), "--entries").stdout
        assert stored == place.runs("show", "-", "--entries", stdin=recorded_text("artifact_repaired")).stdout
        assert "Repair attempt 1/2" in stored
        assert "Question 1: Must have at least 4 options (has 3)  minItems" in stored, stored
        assert re.search(r"model generate +1 +0 +0 +0 ", stored), stored
        for entry in entries_of(recorded_text("artifact_repaired")):
            assert re.search(rf"^ +{entry['n']} +\+\d+\.\d{{3}} s  {entry['kind']}\b", stored, re.M), entry["n"]
        document = json.loads(place.runs("show", run, "--json").stdout)
        assert document["id"] == run and document["state"] == "done"
        used = sum(effect["input_tokens"] + effect["output_tokens"] for effect in document["effects"])
        assert used == document["view"]["tokens_used"], document
        assert [line["text"] for line in document["log"]][0].endswith("(type=quiz)")
        ascii_text = place.runs("show", run, "--ascii").stdout
        assert ascii_text.isascii(), [c for c in ascii_text if not c.isascii()][:5]


@test
def a_recorded_run_played_again_is_the_same_to_the_byte():
    with Place() as place:
        names = [name for name in sorted(os.listdir(RECORDED)) if name.startswith("artifact_")]
        said = place.runs("replay", "--strict", *[os.path.join(RECORDED, name) for name in names]).stdout
        assert said.count("every byte is the same") == len(names) >= 5, said
        place.runs("import", recorded("artifact_failed"))
        rows = place.runs("replay", "--json", run_of("artifact_failed")).stdout.splitlines()
        row = json.loads(rows[0])
        assert row["same"] and row["bytes"] and row["entries"] == len(entries_of(recorded_text("artifact_failed")))


@test
def a_journal_that_was_changed_is_found_at_the_byte():
    with Place() as place:
        text = recorded_text("artifact_repaired")
        changed = place.file("changed.ndjson", text.replace('"attempt":1,"errors":0', '"attempt":1,"errors":3'))
        said = place.runs("replay", changed, code=1).stdout
        number = next(entry["n"] for entry in entries_of(text)
                      if entry["kind"] == "note" and entry["name"] == "structure" and entry["data"]["attempt"] == 1)
        assert f"entry {number} is another one" in said, said
        assert '"errors":3' in said and '"errors":0' in said
        lines = text.splitlines(keepends=True)
        blob = next(i for i, line in enumerate(lines) if line.startswith('{"blob"') and "the" in line)
        lines[blob] = lines[blob].replace("the", "teh", 1)
        hurt = place.file("hurt.ndjson", "".join(lines))
        assert re.search(r"hurt\.ndjson:\d+: the text is not the one that sha256:", place.runs("replay", hurt, code=2).stderr)
        cut = place.file("cut.ndjson", text[: len(text) * 2 // 3])
        assert "cut.ndjson" in place.runs("replay", cut, code=2).stderr
        missing = place.file("missing.ndjson", "".join(text.splitlines(keepends=True)[3:]))
        place.runs("show", missing, code=2)
        assert "this program has no pipeline 'tale'" in place.runs("replay", recorded("tale_signed"), code=2).stderr


@test
def a_request_that_has_changed_is_a_difference_only_with_strict_when_the_end_is_the_same():
    with Place() as place:
        out = []
        done = False
        for line in recorded_text("artifact_repaired").splitlines():
            if not done and '"kind":"attempt"' in line:
                line = re.sub(r'"hash":"sha256:[0-9a-f]{64}"', '"hash":"sha256:' + "0" * 64 + '"', line)
                done = True
            out.append(line)
        drifted = place.file("drifted.ndjson", "\n".join(out) + "\n")
        said = place.runs("replay", drifted).stdout
        assert "the requests have changed (1), with the stored replies it comes to the same end" in said, said
        place.runs("replay", "--strict", drifted, code=1)


@test
def a_run_is_gone_on_with_from_its_journal_and_stored_replies_are_not_asked_for_again():
    with Place() as place:
        half = half_of("artifact_extract", lambda entry: not (entry["kind"] == "scope" and entry.get("key") == "generate"))
        place.runs("import", place.file("half.ndjson", half))
        run = run_of("artifact_extract")
        assert json.loads(place.runs("list", "--json").stdout)["runs"][0]["state"] == "waiting"
        done = place.runs("resume", "--provider", "extract")
        assert done.stderr.splitlines()[-1] == f"{run} done", done.stderr
        exported = place.runs("export", run).stdout
        assert exported.startswith(half.rstrip("\n"))
        now, was = entries_of(exported), entries_of(recorded_text("artifact_extract"))
        assert now[-1]["kind"] == "end" and now[-1]["status"] == "ok"
        keys = [entry["key"] for entry in now if entry["kind"] == "attempt"]
        assert len(keys) == len(set(keys)), keys
        assert now[-1]["data"] == was[-1]["data"]
        assert json.loads(done.stdout) == json.loads(place.runs("show", run, "--json").stdout)["view"]["result"]
        assert "the run has ended (done)" in place.runs("resume", run, code=2).stderr
        assert "no run waits" in place.runs("resume").stderr


@test
def a_waiting_run_is_cancelled_with_its_reason_and_an_ended_one_stays_as_it_is():
    with Place() as place:
        half = half_of("artifact_extract", lambda entry: entry["n"] < 3)
        place.runs("import", place.file("half.ndjson", half))
        run = run_of("artifact_extract")
        assert place.runs("cancel", run, "--why", "wrong chapter").stdout == f"{run} cancelled\n"
        row = json.loads(place.runs("list", "--json").stdout)["runs"][0]
        assert row["state"] == "cancelled" and row["error"] == "wrong chapter"
        assert "had ended already" in place.runs("cancel", run).stderr
        assert "there is no run 'rnone'" in place.runs("cancel", "rnone", code=2).stderr
        kinds = [entry["kind"] for entry in entries_of(place.runs("export", run).stdout)]
        assert "cancel" in kinds and kinds[-1] == "end"


@test
def a_run_of_a_pipeline_that_is_not_there_is_kept_and_can_be_cancelled():
    with Place() as place:
        place.runs("import", recorded("tale_half"))
        run = run_of("tale_half")
        assert "this program has no pipeline 'tale'" in place.runs("resume", code=2).stderr
        assert json.loads(place.runs("list", "--json").stdout)["runs"][0]["state"] == "waiting"
        assert place.runs("cancel", run).stdout == f"{run} cancelled\n"


@test
def what_is_there_already_and_what_is_no_journal_is_refused_and_the_rest_is_imported():
    with Place() as place:
        bad = place.file("bad.ndjson", '{"n":0}\n')
        empty = place.file("empty.ndjson", "")
        done = place.runs("import", bad, empty, recorded("artifact_failed"), recorded("artifact_failed"),
                          place.file("none.ndjson"), code=2)
        assert done.stdout == f"{run_of('artifact_failed')} failed\n"
        for part in ("bad.ndjson", "empty.ndjson: the file has no entry", "is in the store already", "none.ndjson"):
            assert part in done.stderr, (part, done.stderr)


@test
def while_a_server_has_the_store_it_is_shown_and_not_written_and_the_second_is_told_who():
    with Place() as place:
        run, file = renamed(place, "artifact_failed")
        _, other = renamed(place, "artifact_repaired")
        place.runs("import", file)
        server = subprocess.Popen([PLUMB, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  env=place.environment(), text=True)
        try:
            assert "http://" in server.stdout.readline()
            until(lambda: place.plumb("runs", "resume").returncode == 2, "the lock")
            for command in (("resume",), ("cancel", "rx"), ("import", other)):
                said = place.runs(*command, code=2).stderr
                assert f"is in use by process {server.pid}, since 20" in said, said
            assert run in place.runs("list").stdout
            place.runs("show", run)
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait()
            server.stdout.close()
        place.runs("import", other)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("runs", TESTS, sys.argv[1:]))
