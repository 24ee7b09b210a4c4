#!/usr/bin/env python3
"""`plumb boundary`, and a boundary over HTTP, driven as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/boundary_test.py [WORD...]     only tests whose sentence has all words

The model is scripted; all else is real. The last line is `suite boundary: N passed, M failed`.
"""
import http.server
import json
import re
import socketserver
import sys
import threading

import cli_test
import driven
from driven import equal

CONTRACT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Brief", "itemId": "/area", "type": "object",
    "required": ["area", "problem"],
    "properties": {"area": {"type": "string", "notBlank": True}, "problem": {"type": "string", "minLength": 1}},
    "rules": [{"id": "actionable", "title": "Actionability", "ask": "Can a developer identify a concrete surface?",
               "action": "Name the screen."}],
}
BRIEFS = [{"area": "checkout button", "problem": "is too small"}, {"area": "everything", "problem": "glitches"},
          {"area": "search box", "problem": "finds nothing"}]
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Model:
    """An upstream that speaks OpenAI's chat completions: `answer(phase, text)` gives what the model says."""

    def __init__(self, answer, input_tokens=10):
        self.calls = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = "\n".join(message["content"] for message in body["messages"])
                phase = "revise" if "has sent one item of yours back" in text else "validate"
                model.calls.append((phase, text))
                said = answer(phase, text)
                piece = {"choices": [{"index": 0, "delta": {"content": said}, "finish_reason": "stop"}],
                         "usage": {"prompt_tokens": input_tokens, "completion_tokens": 5}}
                out = ("data: " + json.dumps(piece) + "\n\ndata: [DONE]\n\n").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(out)))
                self.end_headers()
                self.wfile.write(out)

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a caller that has left at its limit

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def environment(self):
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{self.server.server_port}/v1", "OPENAI_API_KEY": "k"}


class Place(driven.Place):
    def __init__(self):
        super().__init__("boundary")

    def __enter__(self):
        super().__enter__()
        self.contract = self.file("brief.json", json.dumps(CONTRACT))
        self.items = self.file("briefs.json", json.dumps(BRIEFS))
        return self

    def plumb(self, *arguments, **options):
        done = self.run(*arguments, **options)
        return done.returncode, done.stdout, done.stderr


def picky(phase, text):
    if phase == "revise":
        return json.dumps({"items": [{"area": "start page", "problem": "glitches"}]})
    rejected = [{"item_id": "2", "rule": "actionable", "rejection_reason": "no surface is named"}] if '"area":"everything"' in text else []
    return json.dumps({"accepted_items": [], "rejected_items": rejected})


@test
def a_rejected_item_is_revised_and_all_are_accepted():
    """an item that is sent back is revised, and the list comes out in its order with exit code 0"""
    with Place() as place, Model(picky) as model:
        code, out, log = place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o",
                                     env=model.environment())
        equal(code, 0)
        equal([one["area"] for one in json.loads(out)], ["checkout button", "start page", "search box"])
        equal([phase for phase, _ in model.calls], ["validate", "revise", "validate"])
        equal("2 (everything): actionable: no surface is named" in log, True)


@test
def what_stays_rejected_has_a_warning():
    """what stays rejected comes last with its warning, and the exit code is 1"""
    def stubborn(phase, text):
        if phase == "revise":
            return json.dumps(BRIEFS[1])
        return json.dumps({"rejected_items": [{"item_id": "2", "rule": "actionable", "rejection_reason": "too broad"}]})
    with Place() as place, Model(stubborn) as model:
        code, out, _ = place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o",
                                   "--quiet", env=model.environment())
        equal(code, 1)
        equal(json.loads(out)[2]["validation_warnings"], ["Rejected after 2 retries: too broad"])
        code, shown, _ = place.plumb("runs", "list", "--json")
        run = json.loads(shown)["runs"][0]["id"]
        code, shown, _ = place.plumb("runs", "show", run, "--json")
        account = json.loads(shown)
        equal([(one["produced"], one["validation_rejections"], one["validation_retries"], one["share_percent"],
                one["marked"]) for one in account["boundaries"]], [(3, 1, 2, 34, True)])
        equal(account["boundaries"][0]["items"][0]["rejections"], 3)
        code, shown, _ = place.plumb("runs", "show", run, "--share", "50")
        equal("Boundaries" in shown and "its prompt may need work" not in shown, True)
        equal("2 (everything): sent back 3 times, revised 2 times, warned" in shown, True)


@test
def a_full_window_pauses_the_run():
    """above 70% of the window the run pauses, says so with exit code 2, and goes on when it is resumed"""
    with Place() as place, Model(picky, input_tokens=100_000) as model:
        code, out, log = place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o",
                                     "-q", env=model.environment())
        equal((code, out), (2, ""))
        run = re.search(r"plumb runs resume (\S+)'", log).group(1)
        equal("The run is paused (validate): the context takes 100005 of 128000 tokens, 78.12 %" in log, True)
        calls = len(model.calls)
        shown = place.plumb("runs", "show", run)[1]
        for said in ("Context", "pause    validate: the context takes 100005", "waits: The run is paused"):
            if said not in shown:
                raise AssertionError(f"{said!r} is not in:\n{shown}")
        budget = json.loads(place.plumb("runs", "show", run, "--json")[1])["budget"]
        equal((budget["calls"], budget["responses"], len(budget["open"])), (1, {"pause": 1}, 1))
        for _ in range(4):   # each call of this model is as full
            code, out, log = place.plumb("runs", "resume", run, "--provider", "openai/gpt-4o", env=model.environment())
            if f"{run} done" in log:
                break
        if f"{run} done" not in log:
            raise AssertionError(out + log)
        equal(len(json.loads(out)), 3)
        equal(len(model.calls) > calls, True)
        # A project may have another policy.
        place.file("plumb.yaml", "budget:\n  policy: {utilization: []}\n"
                                 "  thresholds: {pause_percent: 99, red_percent: 99, critical_percent: 99}\n")
        code, out, log = place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o",
                                     env=model.environment())
        equal((code, len(json.loads(out))), (0, 3))


@test
def a_boundary_over_http():
    """over HTTP a boundary is a run: begun at once, its view has the items, and a paused one is resumed"""
    with Place() as place, Model(picky, input_tokens=100_000) as model:
        with driven.Server(place, "--provider", "openai/gpt-4o", env=model.environment()) as server:
            status, begun = server.ask("POST", "/v1/runs", {"pipeline": "boundary", "request": {
                "contract": CONTRACT, "items": BRIEFS, "name": "brief", "consumer": {"agent": "SolutionDesigner"}}})
            equal(status, 202)
            path = f"/v1/runs/{begun['id']}"
            for _ in range(6):
                told = server.until(path, lambda told: told["state"] == "done" or told.get("budget", {}).get("open"))
                if told["state"] == "done":
                    break
                key = told["budget"]["open"][0]["key"]
                equal(server.ask("POST", path + "/resume")[0], 200)
                server.until(path, lambda told: all(one["key"] != key for one in told["budget"]["open"]))
            view = told["view"]
            equal((view["decision"], view["result"]["quality_flags"]),
                  ("accept", {"items_produced": 3, "validation_rejections": 1, "validation_retries": 1}))
            equal([cycle["rejected_item_ids"] for cycle in view["cycles"]], [["2"], []])
            equal(server.ask("POST", path + "/resume")[0], 409)


@test
def the_time_limit_of_a_phase_holds():
    """the limit in all that is said of a phase ends a call of a boundary, and a request over HTTP goes before the server's"""
    gate = threading.Event()

    def silent(phase, text):
        gate.wait(60)
        return picky(phase, text)

    with Place() as place, Model(silent) as model:
        try:
            code, out, log = place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o",
                                         "--time-limit", "1h", "--time-limit", "validate=200ms", "--json", env=model.environment())
            equal((code, json.loads(out)["result"]["unverified"]), (2, 3))
            with driven.Server(place, "--provider", "openai/gpt-4o", "--time-limit", "1h", env=model.environment()) as server:
                run = server.ask("POST", "/v1/runs", {"pipeline": "boundary", "request": {
                    "contract": CONTRACT, "items": BRIEFS, "limits_ms": {"validate": 200}}})[1]["id"]
                told = server.until(f"/v1/runs/{run}", lambda told: told["state"] != "waiting")
                equal(told["view"]["result"]["unverified"], 3)
        finally:
            gate.set()


@test
def warnings_reach_everybody():
    """a warning that an item cannot hold, and an item that is held back, are told: on standard error, in the envelope and over HTTP"""
    closed = dict(CONTRACT, additionalProperties=False)
    items = [BRIEFS[0], BRIEFS[1], {"area": "cart"}]

    def stubborn(phase, text):
        if phase == "revise":
            return json.dumps({"items": [{"area": "cart"}]})
        return json.dumps({"rejected_items": [{"item_id": "2", "rule": "actionable", "rejection_reason": "too broad"}]})

    with Place() as place, Model(stubborn) as model:
        command = ("boundary", "-c", place.file("closed.json", json.dumps(closed)), place.file("three.json", json.dumps(items)),
                   "--provider", "openai/gpt-4o", "-q")
        code, out, error = place.plumb(*command, env=model.environment())
        equal((code, json.loads(out)), (1, BRIEFS[:2]))
        equal(error, "plumb: item 2 (everything) has a warning: Rejected after 2 retries: too broad\n"
                     "plumb: item 3 (cart) is held back: Missing the member 'problem'\n")
        code, out, error = place.plumb(*command, "--envelope", env=model.environment())
        envelope = json.loads(out)
        equal((code, envelope["decision"], envelope["items"]), (1, "revise", BRIEFS[:2]))
        equal(envelope["warnings"], [{"at": 1, "id": "2", "name": "everything", "index": 1,
                                      "warning": "Rejected after 2 retries: too broad"}])
        equal([(one["id"], one["why"]["rule"], one["value"]) for one in envelope["held_back"]], [("3", "required", {"area": "cart"})])
        run = json.loads(place.plumb("runs", "list", "--json")[1])["runs"][0]["id"]
        equal(place.plumb("runs", "result", run, "--envelope")[1:], (out, error))
        equal(place.plumb("runs", "result", run)[2], error)
        with driven.Server(place, "--provider", "openai/gpt-4o", env=model.environment()) as server:
            equal(server.ask("GET", f"/v1/runs/{run}/result?envelope=true"), (200, envelope))
            equal(server.ask("GET", f"/v1/runs/{run}/result"), (200, BRIEFS[:2]))
            result = server.ask("GET", f"/v1/runs/{run}")[1]["view"]["result"]
            equal([one["warning"] for one in result["warnings"]], ["Rejected after 2 retries: too broad"])
            equal([one["reason"] for one in result["held_back"]], ["Missing the member 'problem'"])


@test
def a_fork_by_another_contract_revises_by_it():
    """a fork that is pinned to another contract asks for revisions by that contract too"""
    other = dict(CONTRACT, properties=dict(CONTRACT["properties"], urgency={"type": "string"}))
    with Place() as place, Model(picky) as model:
        place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o", "-q", env=model.environment())
        run = json.loads(place.plumb("runs", "list", "--json")[1])["runs"][0]["id"]
        code, out, error = place.plumb("runs", "fork", run, "--at", "2", "--pin", "contract=" + place.file("other.json", json.dumps(other)))
        equal((code, len(out.split())), (0, 1))
        place.plumb("runs", "export", out.strip(), "-o", place.path("fork.ndjson"))
        with open(place.path("fork.ndjson"), encoding="utf-8") as file:
            texts = [json.loads(line).get("text", "") for line in file if '"blob"' in line]
        equal(sum("urgency" in text for text in texts), 2)
        equal(["contract-revise-of-contract" in text for text in texts if "urgency" in text].count(True), 1)


@test
def without_a_provider_rules_decide():
    """without a provider the rules that need no model decide, and the rest is unverified with exit code 2"""
    with Place() as place:
        code, out, _ = place.plumb("boundary", "-c", place.contract, place.items, "-q", "--json")
        equal(code, 2)
        view = json.loads(out)
        equal((view["decision"], view["result"]["unverified"]), ("accept_unverified", 3))
        ruled = dict(CONTRACT, rules=[])
        code, out, _ = place.plumb("boundary", "-c", place.file("ruled.json", json.dumps(ruled)), place.items, "-q")
        equal((code, json.loads(out)), (0, BRIEFS))


@test
def json_lines_and_standard_input():
    """items may be JSON lines, from standard input"""
    with Place() as place, Model(picky) as model:
        lines = "\n".join(json.dumps(one) for one in BRIEFS) + "\n\n"
        code, out, _ = place.plumb("boundary", "-c", place.contract, "-", "--judge", "openai/gpt-4o", "--provider-revise",
                                   "openai/gpt-4o", "-q", env=model.environment(), stdin=lines)
        equal((code, len(json.loads(out))), (0, 3))


@test
def mistakes_say_where():
    """wrong usage says where and what to do"""
    with Place() as place:
        for arguments, said in [
            ((place.items,), "--contract FILE"),
            (("-c", place.contract, place.file("bad.json", "[1,\n2,,3]")), "bad.json:2:3"),
            (("-c", place.contract, place.file("bad.jsonl", "{}\n{nope}\n")), "bad.jsonl:2"),
            (("-c", place.file("no.json", '{"type": 7}'), place.items), "no.json"),
            (("-c", "quizz", place.items), "quizz"),
            (("-c", place.contract, place.items, "--id", "area"), "JSON Pointer"),
            (("-c", place.contract, place.items, "--judge", "nobody"), "there is no provider 'nobody'"),
        ]:
            code, _, error = place.plumb("boundary", *arguments)
            if code != 2 or said not in error:
                raise AssertionError(f"{arguments}: exit {code}, {error!r} has no {said!r}")


@test
def the_same_run_replays():
    """the run is kept, and replays to the byte"""
    with Place() as place, Model(picky) as model:
        place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o", "-q",
                    env=model.environment())
        run = json.loads(place.plumb("runs", "list", "--json")[1])["runs"][0]["id"]
        code, out, error = place.plumb("runs", "replay", run)
        equal((code, error), (0, ""))


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("boundary", TESTS, sys.argv[1:]))
