#!/usr/bin/env python3
"""A run goes on with whom it was begun with, and nobody else: `plumb runs resume`, `plumb runs result` and the server.

    PLUMB_BIN=build/bin/plumb tests/native/resume_test.py [WORD...]     only tests whose sentence has all words

The models are scripted (scripted_models.py); processes, kills, stores and sockets are real. The last line is
`suite resume: N passed, M failed`.
"""
import json
import os
import signal
import subprocess
import sys
import time

import cli_test
import driven
import runs_test
from driven import PLUMB, equal, holds
from runs_test import entries_of, half_of, recorded, run_of
from scripted_models import BAD_QUIZ, GOOD_QUIZ, SOURCE, Models

DOCUMENT = "# apt-get\n\nThe option --purge of apt-get removes configuration files together with the package.\n"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("resume")

    def plumb(self, *words, code=None, **options):
        done = self.run(*words, **options)
        holds(code is None or done.returncode == code, f"{words}: {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
        return done

    def rows(self):
        return json.loads(self.plumb("runs", "list", "--json", code=0).stdout)["runs"]

    def journal(self, run):
        return entries_of(self.plumb("runs", "export", run, code=0).stdout)

    def begin(self, models, *words):
        return subprocess.Popen([PLUMB, *words], env=self.environment(models.environment()), cwd=self.folder.name,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def killed(self, models, phase="judge", how=signal.SIGKILL):
        """A quiz whose process is killed while a phase is asked for. Gives the run's id."""
        source = self.file("source.txt", SOURCE)
        models.shut(phase)
        process = self.begin(models, "make", "quiz", "-s", source)
        models.wait_for(phase)
        process.send_signal(how)
        process.communicate(timeout=60)
        models.open(phase)
        del models.gates[phase]
        row = self.rows()[0]
        equal(row["state"], "waiting")
        return row["id"]


def waits(place, run, done, *parts):
    """The command has refused, says all that is to be said, and the run is what it was."""
    equal(done.returncode, 2)
    for part in parts:
        holds(part in done.stderr, f"{part!r} is not in {done.stderr!r}")
    row = next(row for row in place.rows() if row["id"] == run)
    equal(row["state"], "waiting")
    for part in parts:
        holds(part in row["problem"], row)
        holds(part.split(":")[0] in place.plumb("runs", "list").stdout, part)


def chosen(entries):
    return [entry["data"] for entry in entries if entry["kind"] == "signal" and entry["name"] == "asked_of"]


@test
def whom_a_run_asks_is_pinned_in_it_by_phase_with_its_address_and_without_a_key():
    with Place() as place, Models() as models:
        done = place.plumb("make", "quiz", "-s", place.file("source.txt", SOURCE), "--provider-judge", "extract", code=None,
                           env=models.environment())
        entries = place.journal(place.rows()[0]["id"])
        text = place.plumb("runs", "export", place.rows()[0]["id"]).stdout
        holds("sk-test" not in text and "sk-test" not in done.stderr, "a key is nowhere")
        # As a text of its own, or in the first entry.
        pins = [json.loads(line["text"]) for line in map(json.loads, text.splitlines()) if "blob" in line]
        pins = [pin for pin in pins + entries[0]["data"]["pins"] if isinstance(pin, dict) and pin.get("name") == "asked_of"]
        asked = pins[0]["text"]["asked"]
        origin = models.url[:-len("/v1")]
        equal(asked, [{"part": phase, "provider": "openai", "model": "test", "wire": "openai", "at": origin}
                      if phase != "judge" else {"part": "judge", "provider": "extract"}
                      for phase in ("plan", "generate", "judge", "repair")])


@test
def the_same_name_at_another_address_is_somebody_else():
    with Place() as place, Models() as models, Models() as cloud:
        run = place.killed(models)
        said = place.plumb("runs", "resume", env=cloud.environment())
        waits(place, run, said, models.url[:-len("/v1")], cloud.url[:-len("/v1")], "--provider")
        equal(cloud.calls, [])
        before = list(models.calls)
        done = place.plumb("runs", "resume", run, "-o", "quiz.json", code=0, env=models.environment())
        equal((done.stdout, cloud.calls), ("", []))
        equal(models.calls, before + ["judge"])
        with open(place.path("quiz.json"), encoding="utf-8") as file:
            equal(json.load(file), GOOD_QUIZ)
        equal(chosen(place.journal(run)), [])


@test
def extract_never_takes_over_a_models_run_not_even_in_words():
    with Place() as place, Models() as models:
        run = place.killed(models)
        waits(place, run, place.plumb("runs", "resume"), "openai/test", "`extract` cannot continue what a model began")
        waits(place, run, place.plumb("runs", "resume", run, "--provider", "extract"), "`extract` cannot continue")
        equal([entry["kind"] for entry in place.journal(run)].count("reply"), 2)


@test
def a_choice_in_words_lets_it_go_on_is_noted_and_gives_the_deliverable():
    with Place() as place, Models() as models, Models() as cloud:
        run = place.killed(models)
        done = place.plumb("runs", "resume", run, "--provider", "openai/other", code=0, env=cloud.environment())
        equal(json.loads(done.stdout), GOOD_QUIZ)
        holds(f"{run} done" in done.stderr, done.stderr)
        noted = chosen(place.journal(run))
        equal(len(noted), 1)
        holds("--provider openai/other" in noted[0]["chosen_by"], noted)
        equal({one["at"] for one in noted[0]["asked"]}, {cloud.url[:-len("/v1")]})
        equal(cloud.calls, ["judge"])


@test
def a_choice_for_one_phase_does_not_choose_for_the_others():
    with Place() as place, Models(quiz=BAD_QUIZ) as models, Models() as cloud:
        run = place.killed(models)
        environment = cloud.environment()
        said = place.plumb("runs", "resume", run, "--provider-judge", "openai/test", env=environment)
        equal(said.returncode, 2)
        holds("repair" in said.stderr and "judge," not in said.stderr, said.stderr)
        equal(cloud.calls, ["judge"])


@test
def another_job_of_the_same_source_with_another_provider_is_another_run():
    with Place() as place, Models() as models, Models() as cloud:
        run = place.killed(models)
        done = place.plumb("make", "quiz", "-s", place.path("source.txt"), code=0, env=cloud.environment())
        equal(json.loads(done.stdout), GOOD_QUIZ)
        equal([row["state"] for row in place.rows()], ["done", "waiting"])
        done = place.plumb("make", "quiz", "-s", place.path("source.txt"), code=0, env=models.environment())
        holds("it goes on" in done.stderr, done.stderr)
        equal([row["state"] for row in place.rows() if row["id"] == run], ["done"])


@test
def a_journal_from_before_this_was_kept_waits_and_a_flag_lets_it_go_on():
    with Place() as place:
        half = half_of("artifact_extract", lambda entry: not (entry["kind"] == "scope" and entry.get("key") == "generate"))
        place.plumb("runs", "import", place.file("half.ndjson", half), code=0)
        run = run_of("artifact_extract")
        waits(place, run, place.plumb("runs", "resume"), "its journal does not say", "--provider")
        done = place.plumb("runs", "resume", "--provider", "extract", code=0)
        holds("questions" in json.loads(done.stdout), done.stdout)
        equal(len(chosen(place.journal(run))), 1)


@test
def a_server_leaves_such_a_run_waiting_with_the_reason_and_goes_on_when_it_is_told_to():
    with Place() as place, Models() as models, Models() as cloud:
        run = place.killed(models)
        with driven.Server(place, env=cloud.environment()) as server:
            row = server.until(f"/v1/runs/{run}", lambda answer: "problem" in answer)
            equal(row["state"], "waiting")
            for answer in (row, server.ask("GET", "/v1/runs")[1]["runs"][0], server.ask("GET", f"/ai/artifact/{run}")[1]):
                holds(models.url[:-len("/v1")] in answer["problem"], answer)
            metrics = server.text("/metrics")
            holds("plumb_runs_held 1\n" in metrics, metrics)
            status, refused = server.ask("POST", f"/v1/runs/{run}/resume")
            equal(status, 409)
            holds('{"here": true}' in refused["detail"], refused)
            status, refused = server.ask("POST", f"/v1/runs/{run}/signals/asked_of", {"asked": []})
            holds(status in (400, 409, 422), (status, refused))
            equal(server.ask("POST", f"/v1/runs/{run}/resume", {"there": True})[0], 422)
            equal(cloud.calls, [])
            equal(server.ask("POST", f"/v1/runs/{run}/resume", {"here": True})[0], 200)
            job = server.until(f"/ai/artifact/{run}", lambda answer: answer["status"] == "completed")
            equal((job["result"], "problem" in job, cloud.calls), (GOOD_QUIZ, False, ["judge"]))
        noted = chosen(place.journal(run))
        equal([one["chosen_by"] for one in noted], [f"POST /v1/runs/{run}/resume"])


@test
def a_held_run_can_be_cancelled_and_says_so_no_more():
    with Place() as place, Models() as models:
        run = place.killed(models)
        with driven.Server(place) as server:
            server.until(f"/v1/runs/{run}", lambda answer: "problem" in answer)
            equal(server.ask("DELETE", f"/ai/artifact/{run}")[0], 200)
            row = server.ask("GET", f"/v1/runs/{run}")[1]
            equal((row["state"], "problem" in row), ("cancelled", False))


@test
def research_waits_for_its_corpus_and_goes_on_with_one_that_is_named():
    with Place() as place:
        place.file("docs/apt.md", DOCUMENT)
        place.file("other/apt.md", DOCUMENT)
        asked = place.plumb("research", "--corpus", "docs", "-q", "Explore apt-get.", code=2)
        holds("waits for an answer" in asked.stderr, asked.stderr)
        run = place.rows()[0]["id"]
        with driven.Server(place) as server:
            key = server.ask("GET", f"/v1/runs/{run}")[1]["view"]["asks"]["key"]
            answer = {"decision": "Which option of apt-get removes configuration files?"}
            status, told = server.ask("POST", f"/v1/runs/{run}/signals/{asks_signal(server, run, key)}", answer)
            equal(status, 202)
            row = server.until(f"/v1/runs/{run}", lambda answer: "problem" in answer)
            holds("search was given corpus " in row["problem"] and "only with the same choices" in row["problem"], row)
            equal(row["state"], "waiting")
        waits(place, run, place.plumb("runs", "resume", run), "search was given corpus ", "--corpus DIR")
        done = place.plumb("runs", "resume", run, "--corpus", "other", code=0)
        holds("--purge" in done.stdout and done.stdout.startswith("# "), done.stdout)
        noted = chosen(place.journal(run))
        equal([one["at"] for one in noted[0]["asked"] if one["part"] == "search"], [os.path.realpath(place.path("other"))])


def asks_signal(server, run, key):
    """The signal that answers the question of that key."""
    for line in server.text(f"/v1/runs/{run}/journal").splitlines():
        entry = json.loads(line)
        if entry.get("kind") == "attempt" and entry.get("key") == key:
            return entry["data"].get("signal", "decide")
    raise AssertionError(f"no question {key}")


@test
def people_decide_on_a_server_without_the_provider_and_what_needs_a_model_waits():
    with Place() as place:
        half = half_of("discovery_reviewed", lambda entry: not (entry["kind"] == "signal" and entry["n"] > 150))
        place.plumb("runs", "import", place.file("half.ndjson", half), code=0)
        run = run_of("discovery_reviewed")
        before = place.journal(run)
        with driven.Server(place) as server:
            view = server.until(f"/api/discovery/runs/{run}",
                                lambda answer: answer.get("current_stage") == "human_review" and answer["opportunities"])
            first, second = (one["opportunity_id"] for one in view["opportunities"][:2])
            for decision in ({"opportunity_id": first, "decision": "accepted"},
                             {"opportunity_id": second, "decision": "sent_back",
                              "send_back_to_stage": "solution_validation"}):
                status, told = server.ask("POST", f"/v1/runs/{run}/signals/review",
                                          {"kind": "decide", "reasoning": "It is.", "by": "ada", **decision})
                equal((status, told), (202, {"id": run, "signal": "review"}))
            view = server.until(f"/api/discovery/runs/{run}", lambda answer: len(answer.get("signals", [])) >= 2)
            equal([one["accepted"] for one in view["signals"]], [True, True])
            row = server.until(f"/v1/runs/{run}", lambda answer: "problem" in answer)
            equal(row["state"], "waiting")
        after = place.journal(run)
        replies = [sum(1 for entry in all if entry["kind"] == "reply") for all in (before, after)]
        equal(replies[0], replies[1])


@test
def what_a_run_was_begun_for_is_written_of_any_run_that_has_ended():
    with Place() as place:
        run, file = runs_test.renamed(place, "artifact_repaired")
        place.plumb("runs", "import", file, code=0)
        quiz = place.plumb("runs", "result", run, code=0).stdout
        shown = json.loads(place.plumb("runs", "show", run, "--json", code=0).stdout)
        equal(json.loads(quiz), shown["view"]["result"])
        equal(place.plumb("runs", "result", recorded("artifact_repaired"), code=0).stdout, quiz)
        equal(place.plumb("runs", "result", recorded("artifact_repaired"), "-o", "q.json", code=0).stdout, "")
        with open(place.path("q.json"), encoding="utf-8") as file:
            equal(file.read(), quiz)
        holds(place.plumb("runs", "result", recorded("research_extract"), code=0).stdout.startswith("# "), "a report")
        # Of a discovery in which somebody failed: the report, that says so, and exit code 2.
        report = place.plumb("runs", "result", recorded("discovery_reviewed"), code=2).stdout
        holds(report.startswith("Failed\n") and "Opportunities" in report, report)


@test
def of_a_run_that_failed_the_best_that_was_rejected_can_be_had_marked_as_that():
    with Place() as place:
        failed = place.plumb("runs", "result", recorded("artifact_failed"), code=1)
        equal(failed.stdout, "")
        holds("failed: Validation failed" in failed.stderr and "--rejected" in failed.stderr, failed.stderr)
        told = json.loads(place.plumb("runs", "result", "--rejected", recorded("artifact_failed"), code=1).stdout)
        holds(told["rejected"] is True and told["issues"] and "Validation failed" in told["error"], told)
        holds(isinstance(told["artifact"], dict) and told["artifact"], told)
        holds(told["asked"] > 0 and told["kept"] >= 0, told)
        place.plumb("runs", "result", "--rejected", recorded("artifact_repaired"), code=2)
        half = place.file("half.ndjson", half_of("artifact_extract", lambda entry: entry["n"] < 5))
        holds("has not ended yet" in place.plumb("runs", "result", half, code=2).stderr, "a run that waits")


@test
def where_the_output_cannot_be_written_nothing_is_asked():
    with Place() as place, Models() as models:
        source = place.file("source.txt", SOURCE)
        os.mkdir(place.path("folder"))
        for target in ("no/such/quiz.json", "folder"):
            done = place.plumb("make", "quiz", "-s", source, "-o", target, code=2, env=models.environment())
            holds("cannot be written" in done.stderr, done.stderr)
        equal(models.calls, [])
        equal(sorted(os.listdir(place.folder.name)), ["folder", "source.txt"])


@test
def sigterm_leaves_a_command_s_run_in_the_store_and_its_call_counts_as_no_loss():
    with Place() as place, Models() as models:
        run = place.killed(models, how=signal.SIGTERM)
        holds([entry["key"] for entry in place.journal(run) if entry["kind"] == "handover"], "its call is handed over")
        done = place.plumb("runs", "resume", run, code=0, env=models.environment())
        equal(json.loads(done.stdout), GOOD_QUIZ)
        shown = json.loads(place.plumb("runs", "show", run, "--json").stdout)
        equal([effect["again"] for effect in shown["effects"]], [0] * len(shown["effects"]))


@test
def a_call_of_extract_that_was_lost_twice_is_made_again():
    with Place() as place:
        half = half_of("artifact_extract", lambda entry: not (entry["kind"] == "reply" and entry["key"] == "plan:0"))
        lines = half.splitlines()
        last = json.loads(lines[-1])
        equal((last["kind"], last["key"]), ("attempt", "plan:0"))
        for count in range(2, 6):
            lines.append(json.dumps({"n": last["n"] + count - 1, "at": last["at"], "kind": "attempt", "key": "plan:0",
                                     "name": "model", "count": count}))
        place.plumb("runs", "import", place.file("lost.ndjson", "\n".join(lines) + "\n"), code=0)
        done = place.plumb("runs", "resume", run_of("artifact_extract"), "--provider", "extract", code=0)
        holds("questions" in json.loads(done.stdout), done.stdout)


@test
def commands_run_side_by_side_on_one_store_and_the_same_job_waits_for_itself():
    with Place() as place, Models() as models:
        source = place.file("source.txt", SOURCE)
        models.shut("judge")
        running = [place.begin(models, "make", "quiz", "-s", source, "-O", "num_questions=1", "-O", f"difficulty=d{n}")
                   for n in range(3)]
        models.wait_for("judge", 3)  # all of them at once
        same = place.begin(models, "make", "quiz", "-s", source, "-O", "num_questions=1", "-O", "difficulty=d0")
        line = same.stderr.readline()
        while "waits for" not in line:
            holds(line, "it waits for the one that does the same")
            line = same.stderr.readline()
        holds("does the same job" in line and "--store none" in line, line)
        equal(place.plumb("runs", "list").returncode, 0)
        refused = place.plumb("runs", "resume", code=2)
        holds("is in use by process" in refused.stderr, refused.stderr)
        models.open("judge")
        for process in (*running, same):
            out, err = process.communicate(timeout=120)
            equal(process.returncode, 0)
            equal(json.loads(out), GOOD_QUIZ)
        equal([row["state"] for row in place.rows()], ["done"] * 4)
        place.plumb("runs", "replay", *[row["id"] for row in place.rows()], code=0)


@test
def a_server_does_not_start_on_a_store_that_a_command_writes_and_a_killed_command_leaves_nothing_locked():
    with Place() as place, Models() as models:
        source = place.file("source.txt", SOURCE)
        models.shut("judge")
        first = place.begin(models, "make", "quiz", "-s", source)
        models.wait_for("judge")
        done = place.plumb("serve", "--port", "0", code=2)
        holds(f"is in use by process {first.pid}" in done.stderr, done.stderr)
        first.kill()
        first.communicate()
        models.open("judge")
        done = place.plumb("make", "quiz", "-s", source, code=0, env=models.environment())
        holds("was begun before and not ended: it goes on" in done.stderr, done.stderr)


@test
def a_server_that_has_the_store_is_handed_the_run_where_it_would_do_the_same():
    with Place() as place, Models() as models, Models() as cloud:
        source = place.file("source.txt", SOURCE)
        with driven.Server(place, env=models.environment()) as server:
            done = place.plumb("make", "quiz", "-s", source, code=0, env=models.environment())
            equal(json.loads(done.stdout), GOOD_QUIZ)
            holds("handed over as run" in done.stderr and "completed successfully" in done.stderr, done.stderr)
            equal([run["state"] for run in server.ask("GET", "/v1/runs")[1]["runs"]], ["done"])
            refused = place.plumb("make", "quiz", "-s", source, "-O", "num_questions=1", code=2, env=cloud.environment())
            for part in (server.base, "does not take this run", "other providers", "--store none"):
                holds(part in refused.stderr, refused.stderr)
            equal((cloud.calls, len(server.ask("GET", "/v1/runs")[1]["runs"])), ([], 1))
            place.plumb("make", "quiz", "-s", source, "--store", "none", code=0, env=cloud.environment())
            models.shut("judge")
            process = place.begin(models, "make", "quiz", "-s", source, "-O", "num_questions=1")
            models.wait_for("judge", 2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            models.open("judge")
            equal((process.returncode, out), (2, ""))
            holds("Cancelled: interrupted by the user" in err, err)


@test
def runs_are_deleted_when_they_have_ended_and_what_they_held_is_gone_from_the_file():
    with Place() as place:
        gone, file = runs_test.renamed(place, "artifact_failed")
        place.plumb("runs", "import", file, code=0)
        half = half_of("artifact_extract", lambda entry: entry["n"] < 3)
        place.plumb("runs", "import", place.file("half.ndjson", half), code=0)
        waiting = run_of("artifact_extract")
        holds("has not ended" in place.plumb("runs", "delete", waiting, code=2).stderr, "a run that waits stays")
        equal(place.plumb("runs", "delete", gone, code=0).stdout, f"{gone} deleted\n")
        equal([row["id"] for row in place.rows()], [waiting])
        with open(place.store, "rb") as file:
            holds(gone.encode() not in file.read(), "its id is nowhere")
        place.plumb("runs", "delete", gone, code=2)
        place.plumb("runs", "delete", code=2)
        equal(place.plumb("runs", "delete", "--ended-before", "1d", code=0).stdout, "0 deleted\n")
        with driven.Server(place, "--keep-runs", "forever") as server:
            equal(server.ask("DELETE", f"/v1/runs/{waiting}")[0], 409)
            equal(server.ask("DELETE", "/v1/runs/rnone")[0], 404)


@test
def how_long_runs_are_kept_is_a_setting_of_flag_variable_and_file():
    with Place() as place:
        for words, env, said in [(("--keep-runs", "2x"), {}, "--keep-runs"), ((), {"PLUMB_KEEP_RUNS": "never"}, "PLUMB_KEEP_RUNS"),
                                 (("--stop-grace", "forever"), {}, "--stop-grace")]:
            done = place.plumb("serve", "--port", "0", *words, env=env)
            equal(done.returncode, 2)
            holds(said in done.stderr, done.stderr)
        place.file("plumb.yaml", "runs: {keep: soon}\n")
        holds("plumb.yaml:1" in place.plumb("serve", "--port", "0", code=2).stderr, "the line is told")
        os.remove(place.path("plumb.yaml"))
        place.plumb("runs", "import", recorded("artifact_failed"), code=0)
        place.file("plumb.yaml", "runs: {keep: 1s, stop_grace: 1s}\n")
        time.sleep(1.1)
        with driven.Server(place) as server:
            server.until("/v1/runs", lambda answer: answer["runs"] == [])


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("resume", TESTS, sys.argv[1:]))
