#!/usr/bin/env python3
"""`plumb discover`, and /api/discovery, driven as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/discovery_test.py [WORD...]     only tests whose sentence has all words

No model is asked: `extract` finds the patterns. The last line is `suite discovery: N passed, M failed`.
"""
import json
import os
import sys
import threading

import cli_test
import driven
from driven import equal

SAID = ["The checkout button does nothing. My cart is lost.", "I cannot hit the checkout button on my phone.",
        "The checkout button is broken on Safari.", "Export of invoices fails with an error.",
        "Invoices cannot be exported: the export fails.", "How do I change my address?"]
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("discovery")

    def __enter__(self):
        super().__enter__()
        self.talks = os.path.join(self.folder.name, "talks")
        self.code = os.path.join(self.folder.name, "code")
        os.makedirs(self.talks)
        os.makedirs(os.path.join(self.code, "shop"))
        self.file("talks/a.ndjson", "".join(json.dumps({"id": f"c{i + 1}", "text": text}) + "\n"
                                            for i, text in enumerate(SAID)) + "{broken\n")
        self.file("talks/picture.txt", b"\xff\xfe\x00")
        self.file("talks/old.csv", b"id,text\nb1,The caf\xe9 page is slow.\nb2,Where is my receipt?\n")
        self.file("code/shop/cart.py", "def pay():\n    # FIXME: the checkout button is covered by the banner\n    pass\n")
        with open(os.path.join(self.talks, "huge.csv"), "wb") as huge:
            huge.truncate(2 << 30)   # sparse: 2 GB that nobody reads
        os.symlink("/etc", os.path.join(self.code, "etc"))
        return self

    def plumb(self, *arguments):
        done = self.run(*arguments)
        return done.returncode, done.stdout, done.stderr


class Server(driven.Server):
    def until(self, run, enough):
        return super().until(f"/api/discovery/runs/{run}", enough)


@test
def discover_reads_folders_and_reports():
    """plumb discover reports opportunities with quotes and places, and tells what it skipped"""
    with Place() as place:
        code, out, log = place.plumb("discover", "--conversations", "talks", "--repo", "code")
        equal(code, 0)
        for said in ("checkout button", "c1 (a.ndjson:1)", "shop/cart.py:2", "is no JSON",
                     "is a file of more than 8 MB (first: huge.csv)", "is not UTF-8 text (first: picture.txt)",
                     "is a line that is not valid UTF-8 (first: old.csv:2)",
                     "unverified at: briefs, solutions, specs"):
            if said not in out:
                raise AssertionError(f"{said!r} is not in the report:\n{out}")
        equal("etc" in out, False)
        equal("Exploring" in log, True)
        run = json.loads(place.plumb("runs", "list", "--json")[1])["runs"][0]["id"]
        equal(place.plumb("runs", "replay", run)[0], 0)
        code, shown, _ = place.plumb("runs", "show", run, "--json")
        equal([one["producer"] for one in json.loads(shown)["boundaries"]],
              ["OpportunityPM", "SolutionDesigner", "FeasibilityDesigner"])


@test
def coverage_adds_up():
    """what was reviewed and what was skipped is what there was, in every explorer"""
    with Place() as place:
        code, out, _ = place.plumb("discover", "--conversations", "talks", "--repo", "code", "--json", "-q")
        equal(code, 0)
        coverage = json.loads(out)["coverage"]
        equal(coverage["conversations_reviewed"] + coverage["conversations_skipped"], coverage["conversations_available"])
        for one in coverage["explorers"]:
            equal(one["reviewed"] + one["skipped"], one["available"])
            equal(sum(why["count"] for why in one["skipped_why"]), one["skipped"])


@test
def mistakes_say_what_to_do():
    """wrong usage says what to do"""
    with Place() as place:
        for arguments, said in [((), "say where to look"), (("--repo", "nowhere"), "is not a folder"),
                                (("--repo", "code", "--days", "0"), "--days"),
                                (("--repo", "code", "--provider", "nobody"), "there is no provider 'nobody'")]:
            code, _, error = place.plumb("discover", *arguments)
            if code != 2 or said not in error:
                raise AssertionError(f"{arguments}: exit {code}, {error!r} has no {said!r}")


@test
def people_decide_over_http():
    """over HTTP a run is begun at once, people decide, the second of two is told, and the review ends it"""
    with Place() as place, Server(place, "--root", "talks=talks", "--root", "code=code") as server:
        status, begun = server.ask("POST", "/api/discovery/runs", {"sources": {"conversations": "talks", "repo": "code"}})
        equal(status, 202)
        run = begun["run_id"]
        view = server.until(run, lambda view: view.get("current_stage") == "human_review")
        equal((view["status"], len(view["opportunities"]) >= 3), ("running", True))
        base = f"/api/discovery/runs/{run}"
        ids = [one["opportunity_id"] for one in view["opportunities"]]
        status, first = server.ask("GET", f"{base}/opportunities/{ids[0]}")
        equal((status, first["opportunity_id"]), (200, ids[0]))
        for member in ("brief", "solution", "spec", "rationale"):
            equal(member in first, True)
        # Two at once on the same opportunity: one counts.
        answers = []

        def decide(who):
            answers.append(server.ask("POST", f"{base}/opportunities/{ids[0]}/decide",
                                      {"decision": "accepted", "reasoning": "good", "by": who}))
        people = [threading.Thread(target=decide, args=(who,)) for who in ("Ada", "Bob")]
        for one in people:
            one.start()
        for one in people:
            one.join()
        equal(sorted(status for status, _ in answers), [200, 409])
        told = next(body for status, body in answers if status == 409)
        equal("has decided already: accepted" in json.dumps(told), True)
        equal(server.ask("POST", f"{base}/opportunities/{ids[1]}/decide", {"decision": "sent_back", "reasoning": "x", "by": "Ada"})[0], 422)
        status, told = server.ask("POST", base + "/opportunities/O99/decide", {"decision": "accepted", "reasoning": "x", "by": "A"})
        equal((status, "there are: " + ", ".join(ids) in told["detail"]), (404, True))
        # A position says nothing about which opportunity is meant, and decides nothing.
        for method, path, body in (("GET", "/opportunities/0", None),
                                   ("POST", "/opportunities/1/decide", {"decision": "rejected", "reasoning": "x", "by": "A"})):
            status, told = server.ask(method, base + path, body)
            equal((status, "not by its position" in told["detail"]), (400, True))
        status, told = server.ask("POST", f"{base}/opportunities/{ids[1]}/decide",
                                  {"opportunity_id": ids[0], "decision": "rejected", "reasoning": "x", "by": "A"})
        equal((status, "the body about another opportunity" in told["detail"]), (422, True))
        order = [one["opportunity_id"] for one in view["opportunities"]][::-1]
        equal(server.ask("POST", base + "/rank", {"order": order, "by": "Ada"})[0], 200)
        equal([one["opportunity_id"] for one in server.ask("GET", base + "/opportunities")[1]["opportunities"]], order)
        equal(server.ask("POST", f"{base}/opportunities/{order[0]}/decide",
                         {"decision": "sent_back", "send_back_to_stage": "feasibility_risk", "reasoning": "look again",
                          "by": "Ada"})[0], 200)
        view = server.until(run, lambda view: sum(one["stage"] == "human_review" for one in view["stages"]) == 2)
        # What was sent back is where people put it, and so are the others.
        equal([one["opportunity_id"] for one in view["opportunities"]], order)
        equal({one["opportunity_id"] for one in view["opportunities"] if one["decision"]}, {ids[0]})
        equal(server.ask("POST", base + "/complete", {"by": "Ada"})[0], 200)
        view = server.until(run, lambda view: view["status"] == "completed")
        equal([one["attempt"] for one in view["stages"] if one["stage"] == "feasibility_risk"], [1, 2])
        equal(server.ask("POST", base + "/complete", {})[0], 409)
        equal(server.ask("GET", "/api/discovery/runs/rnone")[0], 404)
        equal([one["id"] for one in server.ask("GET", "/api/discovery/runs")[1]["runs"]], [run])


RESULT = {"opportunity_id": "O1", "experiment_plan_executed": "A larger button for a week.",
          "success_criteria": "95% of taps work", "measured_outcome": "97%", "observations": "Nobody complained.",
          "outcome_vs_criteria": "met", "recommendation": "scale_up"}


@test
def a_run_goes_on_with_experiments():
    """a run goes on from a completed one with experiment results, on the command line and over HTTP"""
    with Place() as place:
        code, out, _ = place.plumb("discover", "--conversations", "talks", "--json", "-q")
        equal(code, 0)
        parent = json.loads(out)["run_id"]
        file = place.file("results.json", json.dumps([RESULT]))
        code, out, _ = place.plumb("discover", "--go-on", parent, "--results", file, "--json", "-q")
        equal(code, 0)
        view = json.loads(out)
        equal((view["parent_run_id"], view["stages"][0]["stage"], view["status"]),
              (parent, "solution_validation", "completed"))
        equal(view["experiment_results"], [RESULT])
        for arguments, said in [(("--go-on", parent), "wants --results FILE"), (("--results", file), "wants --go-on RUN"),
                                (("--go-on", "rnone", "--results", file), "rnone"),
                                (("--go-on", parent, "--results", place.file("bad.json", "[{}]")), "/experiment/results/0")]:
            code, _, error = place.plumb("discover", *arguments)
            if code != 2 or said not in error:
                raise AssertionError(f"{arguments}: exit {code}, {error!r} has no {said!r}")
    with Place() as place, Server(place, "--root", "talks=talks") as server:
        run = server.ask("POST", "/api/discovery/runs", {"sources": {"conversations": "talks"}})[1]["run_id"]
        base = f"/api/discovery/runs/{run}"
        server.until(run, lambda view: view.get("current_stage") == "human_review")
        status, told = server.ask("POST", base + "/experiments", {"results": [RESULT]})
        equal((status, "complete its review first" in told["detail"]), (409, True))
        equal(server.ask("POST", base + "/complete", {"by": "Ada"})[0], 200)
        server.until(run, lambda view: view["status"] == "completed")
        status, told = server.ask("POST", base + "/experiments", {"results": [dict(RESULT, opportunity_id="O9")]})
        equal((status, told["where"]), (422, "/experiment/results/0/opportunity_id"))
        status, told = server.ask("POST", base + "/experiments", {"results": [RESULT]})
        equal(status, 202)
        view = server.until(told["run_id"], lambda view: view.get("current_stage") == "human_review")
        equal(view["parent_run_id"], run)
        # Deciding in a run that has ended is refused with its reason.
        status, told = server.ask("POST", base + "/opportunities/O1/decide",
                                  {"decision": "accepted", "reasoning": "late", "by": "Bob"})
        equal((status, "has ended" in told["detail"]), (409, True))


@test
def a_decision_meets_the_opportunity_that_was_looked_at():
    """what somebody looks at and decides on is the same opportunity, also where another one has taken its place"""
    with Place() as place, Server(place, "--root", "talks=talks", "--root", "code=code") as server:
        run = server.ask("POST", "/api/discovery/runs", {"sources": {"conversations": "talks", "repo": "code"}})[1]["run_id"]
        base = f"/api/discovery/runs/{run}"
        view = server.until(run, lambda view: view.get("current_stage") == "human_review")
        ids = [one["opportunity_id"] for one in view["opportunities"] if one.get("rank")]
        # Ada reads the list, Bob turns it round, Ada decides on the first that she has read.
        equal(server.ask("POST", base + "/rank", {"order": ids[::-1], "by": "Bob"})[0], 200)
        equal(server.ask("POST", f"{base}/opportunities/{ids[0]}/decide",
                         {"decision": "accepted", "reasoning": "first of all", "by": "Ada"})[0], 200)
        decided = {one["opportunity_id"]: (one.get("decision") or {}).get("decision")
                   for one in server.ask("GET", base + "/opportunities")[1]["opportunities"]}
        equal({id for id, what in decided.items() if what}, {ids[0]})


@test
def roots_are_what_the_server_declared():
    """over HTTP nothing is read but the roots that the server declared"""
    with Place() as place, Server(place, "--root", "talks=talks", "--root", "code=code") as server:
        for root in ("/etc", "../../etc", "docs"):
            for path, body in (("/api/discovery/runs", {"sources": {"docs": root}}),
                               ("/v1/runs", {"pipeline": "discovery", "request": {"sources": {"docs": root}}})):
                status, told = server.ask("POST", path, body)
                equal((status, told.get("where")), (422, "/sources/docs"))
                equal(told["detail"], f"no root '{root}' is declared; there are: code, talks (plumb serve --root NAME=DIR)")
        equal(server.ask("GET", "/api/discovery/runs")[1]["runs"], [])
        os.rename(place.code, place.code + "_gone")
        status, told = server.ask("POST", "/api/discovery/runs", {"sources": {"conversations": "talks", "repo": "code"}})
        equal((status, told.get("where")), (422, "/sources/repo"))
        equal("the root 'code' cannot be read: No such file or directory" in told["detail"], True)
        status, told = server.ask("POST", "/api/discovery/runs", {"sources": {"tickets": "talks"}})
        equal((status, told.get("where")), (422, "/sources/tickets"))
        status, told = server.ask("POST", "/v1/runs", {"pipeline": "boundary", "request": {"items": [1], "contract": {
            "type": "integer"}}})
        equal(status, 202)
        status, told = server.ask("POST", "/v1/runs", {"pipeline": "nothing", "request": {}})
        equal((status, "boundary" in json.dumps(told)), (422, True))


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("discovery", TESTS, sys.argv[1:]))
