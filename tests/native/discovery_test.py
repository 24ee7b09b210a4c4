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
                     "is a file of more than 8 MB (first: huge.csv)", "is no UTF-8 text (first: picture.txt)",
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
        for arguments, said in [((), "say where to look"), (("--repo", "nowhere"), "is no folder"),
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
        status, first = server.ask("GET", base + "/opportunities/0")
        equal((status, first["idx"]), (200, 0))
        for member in ("brief", "solution", "spec", "rationale"):
            equal(member in first, True)
        # Two at once on the same opportunity: one counts.
        answers = []

        def decide(who):
            answers.append(server.ask("POST", base + "/opportunities/0/decide",
                                      {"decision": "accepted", "reasoning": "good", "by": who}))
        people = [threading.Thread(target=decide, args=(who,)) for who in ("Ada", "Bob")]
        for one in people:
            one.start()
        for one in people:
            one.join()
        equal(sorted(status for status, _ in answers), [200, 409])
        told = next(body for status, body in answers if status == 409)
        equal("has decided already: accepted" in json.dumps(told), True)
        equal(server.ask("POST", base + "/opportunities/1/decide", {"decision": "sent_back", "reasoning": "x", "by": "Ada"})[0], 422)
        equal(server.ask("POST", base + "/opportunities/99/decide", {"decision": "accepted", "reasoning": "x", "by": "A"})[0], 404)
        order = [one["opportunity_id"] for one in view["opportunities"]][::-1]
        equal(server.ask("POST", base + "/rank", {"order": order, "by": "Ada"})[0], 200)
        equal([one["opportunity_id"] for one in server.ask("GET", base + "/opportunities")[1]["opportunities"]], order)
        equal(server.ask("POST", base + "/opportunities/0/decide",
                         {"decision": "sent_back", "send_back_to_stage": "feasibility_risk", "reasoning": "look again",
                          "by": "Ada"})[0], 200)
        server.until(run, lambda view: sum(one["stage"] == "human_review" for one in view["stages"]) == 2)
        equal(server.ask("POST", base + "/complete", {"by": "Ada"})[0], 200)
        view = server.until(run, lambda view: view["status"] == "completed")
        equal([one["attempt"] for one in view["stages"] if one["stage"] == "feasibility_risk"], [1, 2])
        equal(server.ask("POST", base + "/complete", {})[0], 409)
        equal(server.ask("GET", "/api/discovery/runs/rnone")[0], 404)
        equal([one["id"] for one in server.ask("GET", "/api/discovery/runs")[1]["runs"]], [run])


@test
def roots_are_what_the_server_declared():
    """over HTTP nothing is read but the roots that the server declared"""
    with Place() as place, Server(place, "--root", "talks=talks") as server:
        _, begun = server.ask("POST", "/api/discovery/runs", {"sources": {"docs": "/etc"}, "review": False})
        view = server.until(begun["run_id"], lambda view: view["status"] in ("completed", "failed"))
        equal("no root '/etc' is declared" in json.dumps(view), True)
        status, told = server.ask("POST", "/api/discovery/runs", {"sources": {"tickets": "talks"}})
        equal((status, told.get("where")), (422, "/sources/tickets"))
        status, told = server.ask("POST", "/v1/runs", {"pipeline": "boundary", "request": {"items": [1], "contract": {
            "type": "integer"}}})
        equal(status, 202)
        status, told = server.ask("POST", "/v1/runs", {"pipeline": "nothing", "request": {}})
        equal((status, "boundary" in json.dumps(told)), (422, True))


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("discovery", TESTS, sys.argv[1:]))
