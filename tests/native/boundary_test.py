#!/usr/bin/env python3
"""`plumb boundary`, and a boundary over HTTP, driven as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/boundary_test.py [WORD...]     only tests whose sentence has all words

The model is scripted; all else is real. The last line is `suite boundary: N passed, M failed`.
"""
import ctypes
import http.server
import json
import os
import re
import shutil
import socketserver
import subprocess
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



def clear_first(question):
    """What a program answers: it rejects what is everywhere, by its name, and makes it the start page."""
    if question["what"] == "judge":
        return {"rejected": [{"id": one["name"], "rule": "actionable", "reason": "no surface is named"}
                             for one in question["items"] if one["item"]["area"] == "everything"]}
    return {"item": dict(question["item"], area="start page"), "usage": {"input_tokens": 7, "output_tokens": 2}}


def ask_of(server, path, **more):
    """The first open question of a run; it waits for one."""
    status, told = server.ask("GET", path + "/asks?wait=20")
    equal(status, 200)
    return told["asks"][0] if told["asks"] else None


def serve_asks(server, path, answers=clear_first):
    """Answers until the run has ended; what was asked."""
    asked = []
    while True:
        status, told = server.ask("GET", path + "/asks?wait=20")
        equal(status, 200)
        if told["ended"]:
            return asked
        for ask in told["asks"]:
            asked.append(ask)
            equal(server.ask("POST", f"{path}/asks/{ask['ask']}", answers(ask))[0], 202)


def begin_client(server, items=BRIEFS, **more):
    status, begun = server.ask("POST", "/v1/runs", {"pipeline": "boundary", "request": {
        "contract": CONTRACT, "items": items, "judge": "client", "revise": "client", **more}})
    equal(status, 202)
    return f"/v1/runs/{begun['id']}"


def journal_of(server, path):
    return [json.loads(line) for line in server.text(path + "/journal").splitlines()]


@test
def a_client_judges_and_revises_over_http():
    """a client gets questions with items and no prompt, answers them, and the boundary goes its way"""
    with Place() as place, driven.Server(place) as server:
        path = begin_client(server, upstream=["a", "b", "c"], context={"topic": "shop"})
        asked = serve_asks(server, path)
        equal([(one["what"], one["cycle"]) for one in asked], [("judge", 0), ("revise", 1), ("judge", 1)])
        equal([one["id"] for one in asked[0]["items"]], ["1", "2", "3"])
        equal((asked[0]["rules"], asked[0]["context"]),
              ([{"id": "actionable", "title": "Actionability", "ask": "Can a developer identify a concrete surface?"}],
               {"topic": "shop"}))
        equal((asked[1]["item"], asked[1]["upstream"], asked[1]["rejection"]),
              (BRIEFS[1], "b", {"rule": "actionable", "reason": "no surface is named", "action": "Name the screen."}))
        equal([one["item"]["area"] for one in asked[2]["items"]], ["start page"])
        status, result = server.ask("GET", path + "/result?envelope=true")
        equal((status, result["decision"], [one["area"] for one in result["items"]], result["tokens"], result["tokens_wasted"]),
              (200, "accept", ["checkout button", "start page", "search box"], 9, 0))
        equal(server.ask("GET", path + "/asks?wait=0"), (200, {"asks": [], "ended": True}))
        calls = [one for one in journal_of(server, path) if one.get("kind") == "attempt"]
        equal([one["data"]["messages"] for one in calls],
              [[{"role": "user", "content": what}] for what in ("judge", "revise", "judge")])


@test
def questions_outlive_a_server():
    """a server that is killed loses no question, asks none twice, and takes the answer when it is there again"""
    with Place() as place:
        server = driven.Server(place)
        path = begin_client(server)
        before = ask_of(server, path)
        server.process.kill()
        server.process.wait()
        server.process.stdout.close()
        with driven.Server(place) as server:
            equal(ask_of(server, path), before)
            equal(server.ask("POST", f"{path}/asks/{before['ask']}", clear_first(before))[0], 202)
            second = ask_of(server, path)
        with driven.Server(place) as server:
            equal(ask_of(server, path), second)
            serve_asks(server, path)
            equal(server.ask("GET", path + "/result?envelope=true")[1]["decision"], "accept")
            keys = [one["key"] for one in journal_of(server, path) if one.get("kind") == "attempt"]
            equal((len(keys), len(set(keys))), (3, 3))


@test
def wrong_answers_are_refused_and_late_ones_do_not_count():
    """an answer in another form leaves the question open; one that comes twice, late or to nothing is refused with its reason"""
    with Place() as place, driven.Server(place) as server:
        path = begin_client(server)
        ask = ask_of(server, path)
        at = f"{path}/asks/{ask['ask']}"
        for body, where, said in [
            ({}, "/rejected", "no list `rejected`"), ({"rejected": {}}, "/rejected", "no list"), ([], "", "is an object"),
            ({"rejected": [7]}, "/rejected/0", "`id`, `rule` and `reason`"), ({"rejected": [], "accepted": 1}, "/accepted", "ids"),
            ({"verdict": 1}, "", "no member 'verdict'"), ({"error": 1}, "/error", "text"),
            ({"rejected": [], "usage": 3}, "/usage", "input_tokens"),
        ]:
            status, problem = server.ask("POST", at, body)
            equal((status, problem.get("where", ""), said in problem["detail"]), (422, where, True))
        equal(server.ask("POST", path + "/asks/nothing:0", {})[0], 404)
        equal(server.ask("POST", "/v1/runs/rnone/asks/a", {})[0], 404)
        equal(server.ask("GET", "/v1/runs/rnone/asks")[0], 404)
        equal(server.ask("GET", path + "/asks?wait=61")[0], 400)
        equal(ask_of(server, path), ask)
        strangers = {"rejected": [{"id": "nobody", "rule": "actionable", "reason": "r"}, {"id": "1", "rule": "other", "reason": "r"}]}
        equal(server.ask("POST", at, strangers)[0], 202)
        equal(server.ask("POST", at, strangers)[0], 202)
        status, problem = server.ask("POST", at, {"rejected": []})
        equal((status, "answered already" in problem["detail"]), (409, True))
        view = server.until(path, lambda told: told["state"] == "done")["view"]
        equal((view["decision"], view["cycles"][0]["unknown_ids"], view["cycles"][0]["unverified_item_ids"]),
              ("accept_unverified", 1, ["1"]))

        path = begin_client(server, limits_ms={"validate": 300})
        ask = ask_of(server, path)
        view = server.until(path, lambda told: told["state"] == "done")["view"]
        equal((view["result"]["unverified"], view["cycles"][0]["call_error"]), (3, "no answer within 300 ms"))
        status, problem = server.ask("POST", f"{path}/asks/{ask['ask']}", {"rejected": []})
        equal((status, "too late" in problem["detail"]), (409, True))

        path = begin_client(server, items=BRIEFS[1:2])
        ask = ask_of(server, path)
        equal(server.ask("POST", f"{path}/asks/{ask['ask']}", clear_first(ask))[0], 202)
        for _ in range(2):
            ask = ask_of(server, path)
            equal(server.ask("POST", f"{path}/asks/{ask['ask']}", {"rejected": []})[1]["where"], "/item")
            equal(server.ask("POST", f"{path}/asks/{ask['ask']}", {"items": [], "usage": {"input_tokens": 4}})[0], 202)
        result = server.until(path + "/result?envelope=true", lambda told: "decision" in told)
        equal((result["decision"], result["items"][0]["area"], result["tokens"], result["tokens_wasted"]),
              ("accept_with_warnings", "everything", 8, 8))
        path = begin_client(server)
        ask = ask_of(server, path)
        equal(server.ask("POST", path + "/cancel")[0], 200)
        status, problem = server.ask("POST", f"{path}/asks/{ask['ask']}", {"rejected": []})
        equal((status, "ended" in problem["detail"]), (409, True))
        equal(server.ask("POST", "/v1/runs", {"pipeline": "boundary", "request": {
            "contract": CONTRACT, "items": [], "judge": "ollama/x"}})[1]["where"], "/judge")


PROGRAM = """import json, sys
question = json.loads(sys.stdin.readline())
if question["what"] == "judge":
    answer = {"rejected": [{"id": one["name"], "rule": "actionable", "reason": "no surface is named"}
                           for one in question["items"] if one["item"]["area"] == "everything"]}
else:
    answer = {"item": dict(question["item"], area="start page"), "usage": {"input_tokens": 7, "output_tokens": 2}}
print(json.dumps(answer))
"""


@test
def programs_judge_and_revise():
    """programs judge and revise by JSON lines; one that fails, hangs or writes something else is the conservative fallback"""
    with Place() as place:
        program = f"{sys.executable} {place.file('client.py', PROGRAM)}"
        command = ("boundary", "-c", place.contract, place.items)
        code, out, log = place.plumb(*command, "--judge", program, "--revise", program, "--envelope")
        equal((code, [one["area"] for one in json.loads(out)["items"]], json.loads(out)["tokens"]),
              (0, ["checkout button", "start page", "search box"], 9))
        equal("to judge" in log and "client.py" in log, True)
        for judge, said in [("sh -c 'echo broken >&2; exit 3'", "exit code 3: broken"), ("kill -9 $$", "signal 9"),
                            ("echo nothing", "did not write one line of JSON"), ("echo {}", "no list `rejected`"),
                            ("true ", "did not write one line of JSON")]:
            code, out, log = place.plumb(*command, "--judge", judge, "--revise", program, "--json")
            equal((code, json.loads(out)["result"]["unverified"], said in json.loads(out)["cycles"][0]["call_error"]), (2, 3, True))
        code, out, _ = place.plumb(*command, "--judge", "sleep 60", "--time-limit", "validate=300ms", "--json")
        equal((code, json.loads(out)["result"]["unverified"]), (2, 3))
        code, out, _ = place.plumb(*command, "--judge", program, "--revise", "sh -c 'exit 1'", "--envelope")
        equal((code, json.loads(out)["decision"], len(json.loads(out)["items"])), (1, "accept_with_warnings", 3))


@test
def gates_can_be_observed():
    """an observed rule judges, counts and changes nothing, and `plumb runs show` has its rate"""
    with Place() as place:
        program = f"{sys.executable} {place.file('client.py', PROGRAM)}"
        for text, decision, observed in [("gates: observe\n", "accept", 1), ("gates: {observe: [actionable]}\n", "accept", 1),
                                         ("gates: {observe: [items]}\n", "accept", 1), ("gates: {observe: [other]}\n", "accept_with_warnings", 0),
                                         ("gates: bind\n", "accept_with_warnings", 0)]:
            config = place.file("gates.yaml", text)
            code, out, _ = place.plumb("boundary", "-c", place.contract, place.items, "--judge", program, "--revise", "cat /dev/null",
                                       "--config", config, "--json")
            view = json.loads(out)
            equal((view["decision"], view["boundary"].get("observed", 0), code), (decision, observed, 1 - observed))
            equal([one["value"] for one in view["result"]["items"]][:observed * 3], BRIEFS[:observed * 3])
            if observed:
                equal([(one["id"], one["rule"]) for one in view["cycles"][0]["observations"]], [("2", "actionable")])
                run = json.loads(place.plumb("runs", "list", "--json")[1])["runs"][0]["id"]
                equal("observed rules would have rejected 1 item (34%)" in place.plumb("runs", "show", run)[1], True)
        code, _, error = place.plumb("boundary", "-c", place.contract, place.items, "--config", place.file("gates.yaml", "gates: seen\n"))
        equal((code, "gates" in error), (2, True))


@test
def a_refused_key_is_an_outage():
    """a judge or a producer that answers 401 is an outage with exit code 2"""
    class Refusing(Model):
        def __init__(self, phase):
            super().__init__(picky)
            handler = self.server.RequestHandlerClass
            usual = handler.do_POST

            def do_POST(asked):
                body = asked.rfile.peek(int(asked.headers["Content-Length"]))
                if (b"has sent one item of yours back" in body) == (phase == "revise"):
                    asked.send_response(401)
                    asked.send_header("Content-Length", "2")
                    asked.end_headers()
                    asked.wfile.write(b"{}")
                    asked.close_connection = True
                else:
                    usual(asked)
            handler.do_POST = do_POST

    for phase in ("validate", "revise"):
        with Place() as place, Refusing(phase) as model:
            code, out, error = place.plumb("boundary", "-c", place.contract, place.items, "--provider", "openai/gpt-4o",
                                           "--envelope", env=model.environment())
            equal((phase, code), (phase, 2))
            equal(json.loads(place.plumb("runs", "list", "--json")[1])["runs"][0]["outcome"], "outage")


def same_journal(lines):
    """A journal without its ids and times: entries, and the texts that they name by hash."""
    out = []
    for line in lines:
        one = dict(line)
        one.pop("at", None)
        if one.get("kind") == "begin":
            one["data"] = {**one["data"], "run": "r"}
            one["data"]["pins"] = [pin for pin in one["data"]["pins"] if pin.get("name") != "asked_of"]
        out.append(json.dumps(one, sort_keys=True))
    return out


@test
def every_door_writes_the_same_journal():
    """the same items and the same answers give the same journal over HTTP, by the command, in C and in Node"""
    with Place() as place:
        program = f"{sys.executable} {place.file('client.py', PROGRAM)}"
        with driven.Server(place) as server:
            path = begin_client(server)
            serve_asks(server, path)
            journals = {"HTTP": server.text(path + "/journal")}
            envelopes = {"HTTP": server.ask("GET", path + "/result?envelope=true")[1]}
        _, out, _ = place.plumb("boundary", "-c", place.contract, place.items, "--judge", program, "--revise", program, "--envelope")
        envelopes["command"] = json.loads(out)
        run = json.loads(place.plumb("runs", "list", "--json")[1])["runs"][0]["id"]
        place.plumb("runs", "export", run, "-o", place.path("command.ndjson"))
        with open(place.path("command.ndjson"), encoding="utf-8") as file:
            journals["command"] = file.read()
        if library := c_library():
            envelopes["C"], journals["C"] = by_c(library, {"contract": CONTRACT, "items": BRIEFS})
        if package := npm_package():
            journals["Node"] = by_node(place, package)
        usual = same_journal(json.loads(line) for line in journals["HTTP"].splitlines())
        for door, text in journals.items():
            lines = same_journal(json.loads(line) for line in text.splitlines())
            for mine, other in zip(lines, usual):
                if mine != other:
                    raise AssertionError(f"{door}: {mine[:1500]}\n  and not {other[:1500]}")
            equal((door, len(lines)), (door, len(usual)))
        for door, envelope in envelopes.items():
            equal((door, envelope), (door, envelopes["HTTP"]))


def c_library():
    """libplumbline.so beside the command, if it was built."""
    folder = os.path.dirname(os.path.realpath(driven.PLUMB))
    build = os.path.join(os.path.dirname(folder), "cmake", {"bin": "release"}.get(os.path.basename(folder), os.path.basename(folder)))
    return next((one for one in (os.environ.get("PLUMB_LIBRARY", ""), os.path.join(build, "libplumbline.so")) if os.path.exists(one)), "")


def by_c(library, request):
    """The envelope and the journal of a boundary in the C library."""
    plumbline = ctypes.CDLL(library)
    plumbline.plumb_frame.restype = ctypes.POINTER(ctypes.c_size_t)
    plumbline.plumb_buffer.restype = ctypes.c_void_p
    frame = plumbline.plumb_frame()
    kept = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
    def answer(_, question):
        kept.append(ctypes.create_string_buffer(json.dumps(clear_first(json.loads(question))).encode()))
        return ctypes.addressof(kept[-1])

    text = json.dumps(request).encode()
    ctypes.memmove(plumbline.plumb_buffer(len(text), 0), text, len(text))
    done = plumbline.plumb_boundary(len(text), answer, answer, None)
    envelope = ctypes.string_at(frame[0], frame[1]).decode()
    equal((done, envelope if not done else ""), (1, ""))
    plumbline.plumb_boundary_journal()
    return json.loads(envelope), ctypes.string_at(frame[0], frame[1]).decode()


def npm_package():
    """The built package, with its module of runs, and Node."""
    folder = os.environ.get("PLUMB_NPM", os.path.join(driven.ROOT, "build", "npm"))
    there = os.path.exists(os.path.join(folder, "dist", "node.js")) and shutil.which("node")
    return folder if there else ""


def by_node(place, package):
    script = place.file("door.mjs", """
import { readFileSync } from "node:fs";
const { load } = await import(process.argv[2]);
const plumb = await load();
const [contract, items] = process.argv.slice(3).map((file) => JSON.parse(readFileSync(file, "utf8")));
const { journal } = await plumb.boundary(items, {
  contract,
  judge: (asked) => ({ rejected: asked.filter(({ item }) => item.area === "everything").map(({ name }) => ({ id: name, rule: "actionable", reason: "no surface is named" })) }),
  revise: (item, rejection, upstream, { spent }) => (spent({ input_tokens: 7, output_tokens: 2 }), { ...item, area: "start page" }),
});
process.stdout.write(journal.text);
""")
    done = subprocess.run(["node", script, os.path.join(package, "dist", "node.js"), place.contract, place.items], capture_output=True,
                          text=True, check=False, timeout=120)
    equal((done.returncode, done.stderr), (0, ""))
    return done.stdout



def page_block(language):
    """The program of docs/boundaries.md in this language."""
    with open(os.path.join(driven.ROOT, "docs", "boundaries.md"), encoding="utf-8") as file:
        return re.search(rf"^```{language}\n(.*?)^```", file.read(), re.M | re.S).group(1)


@test
def the_programs_of_the_page_are_short_and_do_what_it_says():
    """the programs of docs/boundaries.md in C and JavaScript have at most 15 lines and split or mend the second brief"""
    with Place() as place:
        with open(os.path.join(driven.ROOT, "docs", "boundaries.md"), encoding="utf-8") as file:
            text = file.read()
        for code in re.findall(r"^```(?:python|c|js)\n(.*?)^```", text, re.M | re.S):
            driven.holds(code.count("\n") <= 15, "more than 15 lines: " + code)
        contract, briefs = re.findall(r"^```json\n(.*?)^```", text, re.M | re.S)[:2]
        place.file("brief.json", contract)
        place.file("briefs.json", briefs)
        if (library := c_library()) and shutil.which("cc"):
            source = place.file("example.c", page_block("c"))
            done = subprocess.run(["cc", "-Wall", "-Werror", "-o", place.path("example"), source, "-I", os.path.join(driven.ROOT, "wasm"), library,
                                   "-Wl,-rpath," + os.path.dirname(library)], capture_output=True, text=True, check=False)
            equal((done.returncode, done.stderr), (0, ""))
            done = subprocess.run([place.path("example")], input=json.dumps({"contract": json.loads(contract), "items": json.loads(briefs)}),
                                  capture_output=True, text=True, check=False)
            result = json.loads(done.stdout)
            equal((done.returncode, result["decision"], result["items"][1]),
                  (0, "accept", {"affected_area": "checkout", "problem_statement": "is slow"}))
        if package := npm_package():
            script = place.file("example.mjs", page_block("js").replace('"@plumbline/plumbline"', json.dumps(os.path.join(package, "dist", "node.js"))))
            done = subprocess.run(["node", script], capture_output=True, text=True, check=False, cwd=place.folder.name)
            equal((done.returncode, done.stderr), (0, ""))
            equal([one["problem_statement"] for one in json.loads(done.stdout)[1:]], ["is slow", "the total is wrong"])


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("boundary", TESTS, sys.argv[1:]))
