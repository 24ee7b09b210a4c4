#!/usr/bin/env python3
"""Discovery with a model behind a server: what people have decided, and what is told where somebody failed.

    PLUMB_BIN=build/bin/plumb tests/native/discovery_model_test.py [WORD...]     only tests whose sentence has all words

The model knows only what it was sent (discovery_models.py). The last line is `suite discovery_model: N passed, M failed`.
"""
import json
import sys

import cli_test
import driven
from discovery_models import Models, explore, fenced, rank
from driven import equal, holds

TALKS = ["The checkout button does nothing on my phone.", "Invoices are exported without their last page.",
         "The search never ends for old orders."]
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("discovery_model")

    def __enter__(self):
        super().__enter__()
        self.talks(TALKS)
        return self

    def talks(self, texts):
        self.file("talks/a.ndjson", "".join(json.dumps({"id": f"c{i + 1}", "text": text}) + "\n"
                                            for i, text in enumerate(texts)))


class Review:
    """A run on a server, as far as its first review."""

    def __init__(self, server):
        self.server = server
        status, begun = server.ask("POST", "/api/discovery/runs", {"sources": {"conversations": "talks"}})
        equal(status, 202)
        self.base = "/api/discovery/runs/" + begun["run_id"]
        self.reviews = 0
        self.view = {}
        self.until_review()

    def until_review(self):
        self.reviews += 1
        self.view = self.server.until(self.base, lambda view: view.get("status") not in ("pending", "running") or (
            view.get("current_stage") == "human_review" and
            sum(one["stage"] == "human_review" for one in view["stages"]) == self.reviews))
        equal(self.view["status"], "running")

    def decide(self, id, decision, **more):
        status, told = self.server.ask("POST", f"{self.base}/opportunities/{id}/decide",
                                       {"decision": decision, "reasoning": "Because.", "by": "Ada", **more})
        equal((status, told.get("accepted")), (200, True))

    def send_back(self, id, stage):
        self.decide(id, "sent_back", send_back_to_stage=stage)
        self.until_review()

    def rank(self, *order):
        equal(self.server.ask("POST", self.base + "/rank", {"order": order, "by": "Ada"})[0], 200)

    def ids(self):
        return [one["opportunity_id"] for one in self.view["opportunities"]]

    def one(self, id):
        return next(one for one in self.view["opportunities"] if one["opportunity_id"] == id)

    def decisions(self):
        return {one["opportunity_id"]: one["decision"]["decision"] for one in self.view["opportunities"] if one.get("decision")}


def serve(place, models):
    return driven.Server(place, "--root", "talks=talks", env=models.environment())


@test
def order_and_decisions_outlive_every_send_back():
    """order, decisions and priorities of people are there after a send-back to any stage, also where the model ranks otherwise"""
    def turned(prompt, time):
        return {"rankings": list(reversed(rank(prompt, time)["rankings"]))} if time % 2 == 0 else rank(prompt, time)

    for stage in ("prioritization", "feasibility_risk", "solution_validation"):
        with Place() as place, Models(rank=turned) as models, serve(place, models) as server:
            run = Review(server)
            equal(run.ids(), ["O1", "O2", "O3"])
            run.rank("O3", "O1", "O2")
            run.decide("O2", "accepted")
            run.decide("O3", "rejected")
            before = {id: run.one(id) for id in ("O2", "O3")}
            run.send_back("O1", stage)
            equal((stage, run.ids()), (stage, ["O3", "O1", "O2"]))
            equal((stage, run.decisions()), (stage, {"O2": "accepted", "O3": "rejected"}))
            for id, was in before.items():
                for part in ("brief", "solution", "spec"):
                    equal((stage, id, part, run.one(id)[part]), (stage, id, part, was[part]))
            run.decide("O2", "priority_adjusted", adjusted_priority=1, revises=True)
            run.send_back("O1", stage)
            equal((stage, run.ids()), (stage, ["O2", "O3", "O1"]))
            equal(run.decisions()["O2"], "priority_adjusted")


@test
def a_second_look_concerns_what_was_sent_back():
    """sent back to exploration, one opportunity is framed anew; the others keep ids, evidence, decisions and order"""
    def looks(prompt, time):
        found = explore(prompt, time)
        for one in found["findings"] if time > 1 else []:
            one["pattern_name"] = "seen anew: " + one["pattern_name"]
        return found

    with Place() as place, Models(explore=looks) as models, serve(place, models) as server:
        run = Review(server)
        run.rank("O3", "O1", "O2")
        run.decide("O2", "accepted")
        run.decide("O3", "deferred")
        was = {id: run.one(id) for id in ("O2", "O3")}
        evidence = dict(run.view["evidence"])
        place.talks(TALKS + ["The receipt has the wrong name on it."])
        calls = len(models.calls)
        run.send_back("O1", "exploration")
        for id, before in was.items():
            for part in ("brief", "solution", "spec"):
                equal((id, part, run.one(id)[part]), (id, part, before[part]))
            holds(models.calls[calls:].count("propose") < 3 + 4, "they are not designed again")
        equal(run.decisions(), {"O2": "accepted", "O3": "deferred"})
        equal([id for id in run.ids() if id in was], ["O3", "O2"])
        fresh = [one for one in run.view["opportunities"] if one["opportunity_id"] not in ("O1", "O2", "O3")]
        holds(all(int(one["opportunity_id"][1:].split(".")[0]) > 3 for one in fresh), "ids are never used again")
        # What anything names is there.
        names = {one["id"] for one in run.view["findings"]}
        for one in run.view["opportunities"]:
            holds(set(one["brief"]["source_findings"]) <= names, (one["brief"], names))
            for pointer in one["brief"]["evidence"] + one["solution"]["evidence"]:
                holds(pointer["source_id"] in run.view["evidence"], pointer)
        for id, text in evidence.items():
            equal(run.view["evidence"][id], text)
        equal(len(names), len(run.view["findings"]))


@test
def a_second_look_that_fails_takes_nothing_away():
    """where the provider is down at a second look the run goes on with what was there, and says so"""
    with Place() as place, Models() as models, serve(place, models) as server:
        run = Review(server)
        run.decide("O2", "accepted")
        models.answers["explore"] = lambda *_: (401, '{"error":{"message":"Incorrect API key provided"}}')
        run.send_back("O1", "exploration")
        equal(run.decisions(), {"O2": "accepted"})
        equal(len(run.view["opportunities"]), 3)
        holds(any("Incorrect API key" in one["why"] for one in run.view["failures"]), run.view["failures"])


@test
def the_machine_sends_nothing_back_that_people_have_decided():
    """what somebody has decided on is not sent back by the agent that ranks"""
    def sends_back(prompt, time):
        out = rank(prompt, time)
        if time > 1:
            out["send_back"] = [{"opportunity_id": "O2", "reason": "No effort."}]
        return out

    with Place() as place, Models(rank=sends_back) as models, serve(place, models) as server:
        run = Review(server)
        run.decide("O2", "accepted")
        was = run.one("O2")
        run.send_back("O1", "feasibility_risk")
        equal((run.one("O2")["spec"], run.decisions()), (was["spec"], {"O2": "accepted"}))


@test
def parts_say_what_they_were_split_from():
    """a brief, a solution and a specification that are split say so, with the id that each part came from"""
    for item, mark in (("brief", '"counterfactual"'), ("solution", '"success_metrics"'), ("specification", '"effort_estimate"')):
        def rejects(prompt, time, mark=mark):
            ids = [json.loads(line)["id"] for line in fenced(prompt, "items").splitlines() if line.startswith("{")]
            rules = [line[2:].split(" ")[0].rstrip(":") for line in prompt.splitlines() if line.startswith("- ")]
            is_it = mark in fenced(prompt, "items") and not (mark != '"effort_estimate"' and '"effort_estimate"' in fenced(prompt, "items"))
            return {"accepted_items": [], "rejected_items": [
                {"item_id": "O1", "rule": rules[0], "rejection_reason": "Two things in one."}] if is_it and "O1" in ids else []}

        def splits(prompt, _):
            one = json.loads(fenced(prompt, "item"))
            return {"items": [one, dict(one)]}

        with Place() as place, Models(validate=rejects, revise=splits) as models:
            done = place.run("discover", "--conversations", "talks", "--provider", "openai/test", "--json",
                             env=models.environment())
            equal((item, done.returncode), (item, 0))
            view = json.loads(done.stdout)
            parts = {one["opportunity_id"]: one for one in view["opportunities"] if one["opportunity_id"].startswith("O1.")}
            equal((item, sorted(parts)), (item, ["O1.1", "O1.2"]))
            for id, one in parts.items():
                equal((item, id, one.get("revised_from")), (item, id, "O1"))
                for part in ("solution", "spec"):
                    equal((item, part, one[part]["opportunity_id"]), (item, part, id))
            report = place.run("runs", "result", view["run_id"])
            holds("from O1" in report.stdout, report.stdout)


@test
def who_failed_is_told():
    """an explorer of two, a judge, a reviser, a challenge and a ranking that failed are in log, report, view and exit code"""
    down = lambda *_: (401, '{"error":{"message":"Incorrect API key provided"}}')
    unreadable = lambda *_: "I would rather not."

    def one_source(prompt, time):
        return explore(prompt, time) if "customer_voice" in prompt else down()

    def rejects(prompt, _):
        rules = [line[2:].split(" ")[0].rstrip(":") for line in prompt.splitlines() if line.startswith("- ")]
        return {"accepted_items": [], "rejected_items": [{"item_id": "O1", "rule": rules[0], "rejection_reason": "No."}]}

    cases = [("explorer", "Incorrect API key", {"explore": one_source}), ("rank", "Incorrect API key", {"rank": down}),
             ("rank said nothing", "no JSON", {"rank": unreadable}), ("judge", "Incorrect API key", {"validate": down}),
             ("judge said nothing", "rejected_items", {"validate": unreadable}),
             ("challenge", "Incorrect API key", {"challenge": down}), ("risk", "Incorrect API key", {"risk": down}),
             ("reviser", "Incorrect API key", {"validate": rejects, "revise": down})]
    for name, why, answers in cases:
        with Place() as place, Models(**answers) as models:
            place.file("docs/a.md", "# Limits\n\nAn export has at most 100 rows.\n")
            done = place.run("discover", "--conversations", "talks", "--docs", "docs", "--provider", "openai/test",
                             env=models.environment())
            equal((name, done.returncode), (name, 2))
            for where, text in (("log", done.stderr), ("report", done.stdout)):
                holds("failed" in text and why in text, f"{name}: not in the {where}:\n{text}")
            run = json.loads(place.run("runs", "list", "--json").stdout)["runs"][0]["id"]
            view = json.loads(place.run("runs", "show", run, "--json").stdout)["view"]
            holds(any(why in one["why"] for one in view["failures"]), f"{name}: {view.get('failures')}")
            equal((name, view["status"]), (name, "completed"))


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("discovery_model", TESTS, sys.argv[1:]))
