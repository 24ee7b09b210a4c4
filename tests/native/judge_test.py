#!/usr/bin/env python3
"""`plumb judge calibrate`, and jobs whose judge was measured, driven as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/judge_test.py [WORD...]     only tests whose sentence has all words

The judge is scripted (scripted_models.py); all else is real. The last line is `suite judge: N passed, M failed`.
"""
import json
import os
import sys
import time

import cli_test
import driven
from scripted_models import GOOD_QUIZ, SOURCE, Models, claims

TESTS = []
RULES = ("answerable", "no-invention", "answer-correct")


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("judge")

    def labels(self, *entries):
        """A file with an entry a line, beside its source and its artifact; a text is a line as it is."""
        self.file("labels/s.md", SOURCE)
        self.file("labels/quiz.json", json.dumps(GOOD_QUIZ))
        lines = [one if isinstance(one, str) else json.dumps({"contract": "quiz", "source": "s.md",
                                                              "artifact": "quiz.json", **one}) for one in entries]
        return self.file("labels/labels.jsonl", "\n".join(lines) + "\n")

    def calibrate(self, models, *arguments, **options):
        return self.run("judge", "calibrate", self.path("labels/labels.jsonl"), *arguments,
                        env=models.environment(), **options)

    def make(self, models, *arguments):
        return self.run("make", "quiz", "-s", self.file("s.md", SOURCE), *arguments, env=models.environment())


def liar(every):
    """A judge that answers each `every`th claim wrongly; all claims are true."""
    asked = [0]

    def judge(text):
        out = claims(text)
        for one in out["claims"]:
            asked[0] += 1
            if asked[0] % every == 0:
                one.update(holds=False, quote=None, reason="The source does not say so.")
        return out
    return judge


TRUE = {"labels": {"questions[0]": True}}
FALSE = {"labels": {"Question 1": False}}


@test
def a_judge_that_lies_in_a_fifth_of_claims_is_measured_kept_and_shown_by_later_jobs():
    with Place() as place, Models() as models:
        models.judge = liar(5)
        place.labels(*[TRUE] * 20, *[FALSE] * 20)
        done = place.calibrate(models, "--format", "json")
        assert done.returncode == 0, done
        measured = json.loads(done.stdout)
        assert measured["judge"] == "openai/test" and measured["contract"] == "quiz", measured
        assert measured["contract_hash"].startswith("sha256:") and measured["prompt_hash"].startswith("sha256:")
        # One of five is rejected: of the true claims wrongly, of the false ones rightly.
        result = measured["result"]
        assert result["labels"] == 120 and result["artifacts"] == 40, result
        for name in ("true_positive_rate", "false_positive_rate"):
            rate = result[name]
            assert rate["of"] == 60 and rate["count"] == 12 and rate["rate"] == 0.2, rate
            assert rate["low"] < 0.2 < rate["high"], rate
        assert len(result["differences"]) == 12 + 48
        assert result["differences"][0]["name"].endswith("labels/labels.jsonl:2"), result["differences"][0]
        assert models.calls == ["judge"] * 40, models.calls

        models.judge = claims
        job = json.loads(place.make(models, "--json").stdout)
        assert job["decision"] == "accept", job
        assert job["judge"]["name"] == "openai/test" and job["judge"]["run"] == measured["run_id"], job
        assert job["judge"]["true_positive_rate"] == result["true_positive_rate"], job
        shown = place.run("runs", "show", job["job_id"])
        assert "Judge openai/test: catches 20 % (12 of 60; 95 % interval 10.7 % to 32.4 %) of false claims" in shown.stdout, shown
        replayed = place.run("runs", "replay", job["job_id"])
        assert replayed.returncode == 0, replayed


@test
def the_text_has_both_rates_and_the_claims_of_which_judge_and_person_differ():
    with Place() as place, Models() as models:
        place.labels(TRUE, FALSE)
        done = place.calibrate(models)
        assert done.returncode == 0, done
        assert done.stdout.splitlines()[:4] == [
            "Judge openai/test on quiz: 6 labels in 2 artifacts",
            "  false claims: catches 0 % (0 of 3; 95 % interval 0 % to 70.8 %)",
            "  true claims: rejects 0 % (0 of 3; 95 % interval 0 % to 70.8 %)",
            "  undecided: 0"], done.stdout
        assert "labels.jsonl:2 /questions/0 answerable: false, but accepted" in done.stdout, done.stdout
        assert "Measuring the judge openai/test with 2 labelled artifacts" in done.stderr, done.stderr
        listed = json.loads(place.run("runs", "list", "--json").stdout)
        run = (listed["runs"] if isinstance(listed, dict) else listed)[0]["id"]
        assert place.run("runs", "result", run).stdout == done.stdout


@test
def a_job_says_nothing_of_a_judge_that_was_measured_about_another_contract_or_prompt():
    with Place() as place, Models() as models:
        place.labels(TRUE, FALSE)
        assert place.calibrate(models).returncode == 0
        prompts = place.path("prompts")
        place.run("prompts", "export", prompts)
        with open(os.path.join(prompts, "artifact-judge.md"), "a", encoding="utf-8") as file:
            file.write("Be strict.\n")
        assert "judge" not in json.loads(place.make(models, "--json", "--prompts", prompts).stdout)
        assert "judge" in json.loads(place.make(models, "--json").stdout)


@test
def a_threshold_in_plumb_yaml_makes_what_a_worse_or_unmeasured_judge_accepts_unverified():
    with Place() as place, Models() as models:
        def make():
            config = place.path("plumb.yaml")
            done = place.run("make", "quiz", "-s", place.file("s.md", SOURCE), "--json", env=models.environment(),
                             cwd=os.path.dirname(config))
            return done.returncode, json.loads(done.stdout)

        place.file("plumb.yaml", "judge: {must_be_measured: true}\n")
        code, job = make()
        assert (code, job["decision"], job["outcome"]) == (2, "accept_unverified", "undecided"), job
        assert job["reasons"][0]["code"] == "judge_not_trusted" and job["result"] == GOOD_QUIZ, job
        assert "was never measured for this contract and prompt" in job["unverified_reason"], job
        place.labels(*[TRUE] * 3, *[FALSE] * 3)
        done = place.calibrate(models, cwd=os.path.dirname(place.path("plumb.yaml")))
        assert done.returncode == 0, done
        code, job = make()
        assert (code, job["decision"]) == (0, "accept"), job

        place.file("plumb.yaml", "judge: {max_false_accept: 0.4}\n")
        code, job = make()
        assert (code, job["decision"]) == (2, "accept_unverified"), job
        assert "100 % (9 of 9; 95 % interval 66.3 % to 100 %), and plumb.yaml allows 40 %" in job["unverified_reason"], job
        done = place.calibrate(models, cwd=os.path.dirname(place.path("plumb.yaml")))
        assert done.returncode == 1 and "  not trusted: the judge openai/test may accept" in done.stdout, done
        # A judge that catches them all; the end of the interval counts, so a few labels do not suffice.
        models.judge = lambda text: {"claims": [{**one, "holds": False, "reason": "No."} for one in claims(text)["claims"]]}
        place.labels(*[TRUE] * 3, *[FALSE] * 3)
        done = place.calibrate(models, cwd=os.path.dirname(place.path("plumb.yaml")))
        assert done.returncode == 0 and "catches 100 % (9 of 9; 95 % interval 66.3 % to 100 %)" in done.stdout, done
        models.judge = claims
        code, job = make()
        assert (code, job["decision"]) == (0, "accept"), job
        place.file("plumb.yaml", "judge: {max_false_accept: 0.1}\n")
        assert make()[1]["decision"] == "accept_unverified"


@test
def mistakes_in_labels_are_told_with_their_line_before_anybody_is_asked():
    with Place() as place, Models() as models:
        entry = {"contract": "quiz", "source": "s.md", "artifact": "quiz.json", "labels": {"questions[0]": True}}
        for lines, wanted in (
            ([], "labels.jsonl: there are no labels"),
            ([TRUE, "{"], "labels.jsonl:2: not valid JSON: "),
            ([TRUE, "[]"], "labels.jsonl:2: each artifact with labels is an object"),
            ([json.dumps({**entry, "label": 1})], "labels.jsonl:1: there is no member 'label'; members are contract, source, artifact, labels"),
            ([json.dumps({"contract": "quiz"})], "labels.jsonl:1: 'source' is missing; an entry looks like"),
            ([TRUE, {"source": "gone.md", **TRUE}], "labels.jsonl:2: the source "),
            ([TRUE, {"artifact": "s.md", **TRUE}], "labels.jsonl:2: the artifact "),
            ([TRUE, {"contract": "mindmap", **TRUE}], "labels.jsonl:2: the labels of a file are about one contract"),
            ([{"contract": "poem", **TRUE}], "labels.jsonl:1: there is no contract for artifacts of type 'poem'"),
            ([TRUE, {"artifact": {"questions": []}, **TRUE}], "labels.jsonl:2: /artifact: the artifact breaks its contract"),
            ([TRUE, {"labels": {"questions[1]": True}}], "labels.jsonl:2: /labels/questions[1]: nothing is judged at 'questions[1]'"),
            ([{"labels": {"questions[0]": {"corect": True}}}], "labels.jsonl:1: /labels/questions[0]/corect: the judge is not asked"),
        ):
            place.labels(*lines)
            done = place.calibrate(models)
            assert done.returncode == 2 and wanted in done.stderr and done.stdout == "", (wanted, done)
        done = place.run("judge", "calibrate", place.path("none.jsonl"), env=models.environment())
        assert done.returncode == 2 and "none.jsonl" in done.stderr, done
        for text, wanted in (("judge: 1\n", "plumb.yaml:1:8: 'judge' must be a map"),
                             ("judge: {max_false_accept: 2}\n", "'max_false_accept' must be a number from 0 to 1"),
                             ("judge: {must_be_measured: perhaps}\n", "must_be_measured"),
                             ("judge: {max_false_acept: 0.1}\n", "max_false_accept")):
            config = place.file("plumb.yaml", text)
            done = place.run("check", "--config", config, "-", stdin="{}")
            assert done.returncode == 2 and wanted in done.stderr, (wanted, done)
        assert models.calls == [], models.calls


@test
def labels_in_a_list_with_artifacts_written_out_are_read_and_a_judge_that_is_down_is_not_measured():
    with Place() as place, Models() as models:
        place.labels(TRUE)
        entry = {"contract": "quiz", "source": "s.md", "artifact": GOOD_QUIZ,
                 "labels": {"questions[0]": {"answerable": True, "answer-correct": False}}}
        place.file("labels/labels.jsonl", json.dumps([entry, entry], indent=2))
        done = place.calibrate(models, "-q")
        assert done.returncode == 0 and "4 labels in 2 artifacts" in done.stdout, done
        lines = json.dumps([entry, entry], indent=2).splitlines()
        second = [i + 1 for i, line in enumerate(lines) if line == "  {"][1]
        assert f"labels.jsonl:{second} /questions/0 answer-correct: false, but accepted" in done.stdout, done
        models.refuses["judge"] = 404
        done = place.calibrate(models, "-q")
        assert done.returncode == 2 and done.stdout == "", done


@test
def what_was_measured_outlives_the_retention_of_runs_and_a_server_knows_it_too():
    with Place() as place, Models() as models:
        place.labels(TRUE, FALSE)
        assert place.calibrate(models, "-q").returncode == 0
        assert place.make(models, "-q").returncode == 0
        time.sleep(1.1)
        with driven.Server(place, "--keep-runs", "1s", env=models.environment()) as server:
            kept = server.until("/v1/runs", lambda answer: len(answer["runs"]) == 1)["runs"]
            driven.equal([one["pipeline"] for one in kept], ["calibration"])
            _, begun = server.ask("POST", "/v1/runs", {"pipeline": "artifact",
                                                       "request": {"artifact_type": "quiz", "content": SOURCE}})
            ended = server.until("/v1/runs/" + begun["id"], lambda answer: answer["state"] != "waiting")
            driven.equal(ended["view"]["judge"]["run"], kept[0]["id"])


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("judge", TESTS, sys.argv[1:]))
