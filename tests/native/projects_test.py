#!/usr/bin/env python3
"""Projects, as their keys and the operator see them: `plumb serve` with runs of two projects and of nobody.

    PLUMB_BIN=build/bin/plumb tests/native/projects_test.py [WORD...]     only tests whose sentence has all words

Every route of /openapi.json, which is held to be the table of routes, is in ROUTES with what a key of another project
gets there: a route that is not there fails. The last line is `suite projects: ...`.
"""
import base64
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import cli_test
from cli_test import Folder, code, equal, has, lacks, plumb
from server_test import TOKEN, WAIT, Control
from story_test import recorded_outline
from workflow_server_test import plan
from workflow_test import Repository

TESTS = []
MARK = "Zanzibarwarbler"  # is in what A's runs and the operator's are made of, and nowhere else
SOURCE = f"# {MARK}\n\nA {MARK} is a small bird. It weighs 12 grams. It eats seeds and sings at dawn.\n"
JOB = {"artifact_type": "quiz", "content": SOURCE, "user_id": "ada", "options": {"num_questions": 1}}
MISSING = "r" + "z" * 20
LONG = f"{MARK} " * 2000  # stored once, by its hash


def test(function):
    TESTS.append(function)
    return function


# What `plumb mcp` offers, none of which reads a store.
TOOLS = ["check", "derive", "edits", "explain", "lint", "samples"]

# What a key of project beta gets, by route, where the ids are of project acme or of nobody. A function gives the body.
#   open       the same for everybody: nothing of anybody's runs
#   operator   403, whatever is named
#   hidden     404, byte for byte as for an id that there never was
#   lists      its own runs
#   begins     a run of its own, though acme has made the same request with the same Idempotency-Key
#   follows    events of its own runs
#   elsewhere  what a server without any repository answers
def no_body(_):
    return None


ROUTES = {
    "GET /healthz": ("open", no_body),
    "GET /readyz": ("open", no_body),
    "GET /version": ("open", no_body),
    "GET /server.json": ("open", no_body),
    "GET /v1/server": ("open", no_body),
    "GET /metrics": ("operator", no_body),
    "GET /openapi.json": ("open", no_body),
    "POST /v1/check": ("open", lambda _: {"contract": "quiz", "artifact": {}}),
    "POST /v1/budget/{operation}": ("open", lambda _: {}),
    "POST /ai/artifact/generate": ("begins", lambda _: JOB),
    "GET /ai/artifact/user/jobs": ("lists", no_body),
    "GET /ai/artifact/events/stream": ("follows", no_body),
    "GET /ai/artifact/status/{id}": ("hidden", no_body),
    "GET /ai/artifact/{id}": ("hidden", no_body),
    "DELETE /ai/artifact/{id}": ("hidden", no_body),
    "GET /ai/artifact/{id}/events": ("hidden", no_body),
    "GET /v1/runs": ("lists", no_body),
    "POST /v1/runs": ("begins", lambda _: {"pipeline": "artifact", "request": {**JOB, "content": SOURCE + "It nests."}, "owner": "ada"}),
    "GET /v1/runs/{id}": ("hidden", no_body),
    "DELETE /v1/runs/{id}": ("hidden", no_body),
    "GET /v1/runs/{id}/result": ("hidden", no_body),
    "GET /v1/runs/{id}/journal": ("hidden", no_body),
    "GET /v1/runs/{id}/events": ("hidden", no_body),
    "POST /v1/runs/{id}/cancel": ("hidden", lambda _: {"why": "no"}),
    "POST /v1/runs/{id}/resume": ("hidden", lambda _: {"here": True}),
    "POST /v1/runs/{id}/fork": ("hidden", lambda _: {}),
    "POST /v1/runs/{id}/signals/{name}": ("hidden", lambda _: {"decision": "approve"}),
    "GET /v1/runs/{id}/asks": ("hidden", no_body),
    "POST /v1/runs/{id}/asks/{ask}": ("hidden", lambda _: {"rejected": []}),
    "POST /api/discovery/runs": ("begins", lambda _: {"sources": {"conversations": "talks"}}),
    "POST /v1/client-tokens": ("open", lambda _: {}),
    "GET /v1/keys": ("operator", no_body),
    "POST /v1/keys": ("operator", lambda _: {"name": "more"}),
    "POST /v1/keys/revoke": ("operator", lambda _: {"keys": ["acme"]}),
    "GET /api/discovery/runs": ("lists", no_body),
    "GET /api/discovery/runs/{id}": ("hidden", no_body),
    "GET /api/discovery/runs/{id}/opportunities": ("hidden", no_body),
    "GET /api/discovery/runs/{id}/opportunities/{opportunity_id}": ("hidden", no_body),
    "POST /api/discovery/runs/{id}/opportunities/{opportunity_id}/decide":
        ("hidden", lambda _: {"decision": "approve", "by": "bo", "words": "yes"}),
    "POST /api/discovery/runs/{id}/rank": ("hidden", lambda _: {"order": ["O1"], "by": "bo"}),
    "POST /api/discovery/runs/{id}/experiments": ("hidden", lambda _: {"results": []}),
    "POST /api/discovery/runs/{id}/complete": ("hidden", lambda _: {"by": "bo"}),
    "POST /api/story/projects": ("begins", lambda its: {"outline": its.outline}),
    "GET /api/story/projects": ("lists", no_body),
    "GET /api/story/projects/{id}": ("hidden", no_body),
    "GET /api/story/projects/{id}/inspect": ("hidden", no_body),
    "GET /api/story/projects/{id}/graph": ("hidden", no_body),
    "GET /api/story/projects/{id}/exports/{format}": ("hidden", no_body),
    "POST /api/story/projects/{id}/rewind": ("hidden", lambda _: {"to": "seed/analyses"}),
    "POST /api/workflow/plans": ("elsewhere", lambda its: {"plan": plan(), "repository": its.repository}),
    "GET /api/workflow/plans": ("lists", no_body),
    "GET /api/workflow/plans/{id}": ("hidden", no_body),
    "POST /api/workflow/plans/{id}/promote": ("hidden", lambda _: {"by": "bo"}),
    "POST /api/workflow/runs": ("elsewhere", lambda its: {"plan": plan(), "repository": its.repository}),
    "GET /api/workflow/runs": ("lists", no_body),
    "GET /api/workflow/runs/{id}": ("hidden", no_body),
    "GET /api/workflow/runs/{id}/tasks": ("hidden", no_body),
    "GET /api/workflow/runs/{id}/diff": ("hidden", no_body),
    "POST /api/workflow/runs/{id}/answer": ("hidden", lambda _: {"decision": "promote"}),
    "POST /api/workflow/runs/{id}/land": ("hidden", lambda _: {"branch": "release"}),
    "GET /api/workflow/sops": ("elsewhere", no_body),
    "GET /api/workflow/conventions": ("elsewhere", no_body),
    "POST /api/workflow/conventions/{id}/confirm": ("elsewhere", lambda its: {"repository": its.repository, "by": "bo"}),
    "POST /api/workflow/conventions/{id}/retire": ("elsewhere", lambda its: {"repository": its.repository}),
    "GET /v1/loops": ("operator", no_body),
    "GET /v1/proxy": ("operator", no_body),
    "GET /v1/proxy/events": ("operator", no_body),
    "GET /v1/proxy/calls/{id}": ("operator", no_body),
}


def made_key(state, name, *words):
    made = plumb("keys", "create", name, *words, env={"XDG_STATE_HOME": state})
    code(made, 0)
    return made.out.strip()


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


class Projects(Control):
    """A server that wants a token, with keys of the projects acme and beta."""

    def __init__(self, state, *arguments, store=None, token=TOKEN):
        self.state = state
        self.acme = bearer(made_key(state, "acme's", "--project", "acme"))
        self.beta = bearer(made_key(state, "beta's", "--project", "beta"))
        self.operator = bearer(TOKEN)
        self.repository = "demo"
        self.outline = json.loads(recorded_outline())
        super().__init__(*arguments, store=store, env={"XDG_STATE_HOME": state, **({"PLUMB_TOKEN": token} if token else {})})

    def asks(self, who, method, path, body=None, **more):
        status, headers, data = self.request(method, path, None if body is None else json.dumps(body),
                                             {**({} if body is None else {"Content-Type": "application/json"}), **who, **more})
        return status, headers.get("content-type"), data.decode()

    def begun(self, who, path, body, key=None):
        status, _, data = self.asks(who, "POST", path, body, **({"Idempotency-Key": key} if key else {}))
        equal((status, data if status != 202 else ""), (202, ""))
        got = json.loads(data)
        return got.get("job_id") or got.get("run_id") or got["id"]

    def row(self, who, id):
        status, _, data = self.asks(who, "GET", f"/v1/runs/{id}")
        equal((status, data if status != 200 else ""), (200, ""))
        return json.loads(data)

    def until(self, who, id, enough):
        ends = time.monotonic() + WAIT
        while not enough(row := self.row(who, id)):
            assert time.monotonic() < ends, row
            time.sleep(0.03)
        return row

    def listed(self, who, query=""):
        status, _, data = self.asks(who, "GET", "/v1/runs" + query)
        equal(status, 200)
        return [one["id"] for one in json.loads(data)["runs"]]


def ended(row):
    return row["state"] != "waiting"


def sources(folder):
    for one in "abc":
        folder.write(f"talks/{one}.txt", f"user: The {MARK} export to CSV fails every time I try it.\n\nuser: Export to CSV is broken.\n")
    return "--root", "talks=" + folder.at("talks")


def everything_of_acme(server, repository):
    """A run of each pipeline that acme begins, and a plan and a job of the operator's, by name."""
    ids = {
        "job": server.begun(server.acme, "/ai/artifact/generate", JOB, "/ai/artifact/generate"),
        "run": server.begun(server.acme, "/v1/runs", ROUTES["POST /v1/runs"][1](server), "/v1/runs"),
        "discovery": server.begun(server.acme, "/api/discovery/runs", {"sources": {"conversations": "talks"}}, "/api/discovery/runs"),
        "story": server.begun(server.acme, "/api/story/projects", {"outline": server.outline}, "/api/story/projects"),
        "operator's": server.begun(server.operator, "/ai/artifact/generate", {**JOB, "user_id": "olga"}, "olgas"),
    }
    if repository:
        ids["plan"] = server.begun(server.operator, "/api/workflow/plans", {"plan": plan(MARK), "repository": "demo"})
        server.until(server.operator, ids["plan"], lambda row: "asks" in row["view"])
    for name in ("job", "run", "story"):
        server.until(server.acme, ids[name], ended)
    server.until(server.operator, ids["operator's"], ended)
    # Until it waits for a person: it has opportunities while they are still being ranked.
    found = server.until(server.acme, ids["discovery"], lambda row: row["view"].get("current_stage") == "human_review")
    return ids, found["view"]["opportunities"][0]["opportunity_id"]


def filled(pattern, id, opportunity):
    """A path of the pattern with these ids."""
    values = {"id": id, "opportunity_id": opportunity, "name": "review", "format": "json", "operation": "tokens", "ask": "judge:0"}
    return re.sub(r"\{(\w+)\}", lambda name: values[name.group(1)], pattern)


def conceals(server, repository):
    ids, opportunity = everything_of_acme(server, repository)
    secrets = [MARK, "acme", *ids.values()]
    journals = {id: server.asks(server.operator, "GET", f"/v1/runs/{id}/journal") for id in ids.values()}
    rows = {id: server.asks(server.operator, "GET", f"/v1/runs/{id}") for id in ids.values()}
    routes = [(method.upper(), pattern) for pattern, path in server.document()["paths"].items() for method in path
              if method != "parameters"]
    seen = {}  # of routes that tell of a run: whether those are told whose it is
    for method, pattern in routes:
        route = f"{method} {pattern}"
        assert route in ROUTES, f"{route} is new: say in ROUTES what a key of another project gets there"
        way, body_of = ROUTES[route]
        body = body_of(server)
        if way == "follows":
            continue
        if way == "hidden":
            missing = server.asks(server.beta, method, filled(pattern, MISSING, opportunity), body)
            equal((route, missing[0]), (route, 404))
            for name, id in ids.items():
                path = filled(pattern, id, opportunity)
                got = server.asks(server.beta, method, path, body)
                equal((route, name, got[0], got[1], got[2].replace(id, MISSING)), (route, name, *missing))
                if method == "GET" and not pattern.endswith("/events"):
                    seen[route] = seen.get(route, False) or 200 in (server.asks(who, method, path)[0] for who in (server.acme, server.operator))
        elif way == "operator":
            for id in (*ids.values(), MISSING):
                got = server.asks(server.beta, method, filled(pattern, id, opportunity), body)
                equal((route, got[0], json.loads(got[2])["type"]), (route, 403, "plumb:problem/of_operator"))
                lacks(got[2].replace(id, ""), *secrets)
        elif way == "begins":
            status, _, got = server.asks(server.beta, method, pattern, body, **{"Idempotency-Key": pattern})
            equal((route, status), (route, 202))
            lacks(got, *ids.values(), "active already")
            own = json.loads(got).get("job_id") or json.loads(got).get("run_id") or json.loads(got)["id"]
            row = server.row(server.beta, own)
            equal((row["project"], row["id"] in ids.values()), ("beta", False))
            # The same again is the same.
            equal(server.begun(server.beta, pattern, body, pattern), own)
            server.asks(server.beta, "POST", f"/v1/runs/{own}/cancel", {})
            server.until(server.beta, own, ended)
            equal(server.asks(server.beta, "DELETE", f"/v1/runs/{own}")[0], 204)
        elif way == "lists":
            query = "?user_id=ada" if pattern.endswith("/jobs") else "?owner=ada" if pattern == "/v1/runs" else ""
            for asked in {"", query}:
                status, _, got = server.asks(server.beta, method, pattern + asked)
                equal((route, status, next(iter(json.loads(got).values()))), (route, 200, []))
            mine = server.asks(server.acme, method, pattern)[2]
            if "workflow" not in pattern:
                has(mine, *[id for name, id in ids.items() if name == ("job" if "artifact" in pattern else "story" if "story" in pattern
                                                                       else "discovery" if "discovery" in pattern else "run")])
            lacks(mine, ids["operator's"], ids.get("plan", "none"))
        else:
            got = server.asks(server.beta, method, filled(pattern, ids["run"], opportunity), body)
            if way == "elsewhere":
                equal((route, got[0]), (route, 422))
                status, _, none = server.asks(server.beta, method, filled(pattern, MISSING, opportunity),
                                              body and {**body, "repository": "none"})
                equal((route, status, none.replace("none", "demo").replace(MISSING, ids["run"])), (route, 422, got[2].replace("none", "demo")))
            lacks(got[2].replace(ids["run"], "") if pattern != "/openapi.json" else "", *secrets, "demo" if way == "open" else MARK)
    # A draft has no diff yet.
    assert all(told or route.endswith("/diff") or ("workflow" in route and not repository) for route, told in seen.items()), seen
    # Nothing that beta has sent has reached any of them.
    for id in ids.values():
        equal(server.asks(server.operator, "GET", f"/v1/runs/{id}/journal"), journals[id])
        equal(server.asks(server.operator, "GET", f"/v1/runs/{id}"), rows[id])
    equal(set(ROUTES) - {f"{method} {pattern}" for method, pattern in routes}, set())


@test
def what_is_of_a_project_is_not_there_for_another_on_any_route():
    with Repository() as r:
        code(r.workflow("trust", "--yes"), 0)
        with Projects(r.at("state"), "--repository", f"demo={r.repo}", "--isolation", "partial", *sources(r)) as server:
            conceals(server, True)


class Nats:
    """A nats-server of one's own."""

    def __enter__(self):
        program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        if not os.access(program, os.X_OK):
            raise cli_test.Skip("no nats-server (apt install nats-server)")
        self.folder = Folder().__enter__()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([program, "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", self.folder.path],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + WAIT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                assert time.monotonic() < ends, "no nats-server answers"
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.__exit__()


@test
def hosts_that_share_a_store_conceal_the_same_and_both_know_whose_a_run_is():
    with Nats() as nats, Folder() as one, Folder() as two:
        store = f"nats://127.0.0.1:{nats.port}/runs"
        with Projects(one.path, *sources(one), store=store) as server:
            conceals(server, False)
            run = server.listed(server.acme)[0]
            shutil.copytree(one.at("plumb"), two.at("plumb"), ignore=lambda _, names: [n for n in names if n.startswith("runs-")])
            with Control(store=store, env={"XDG_STATE_HOME": two.path, "PLUMB_TOKEN": TOKEN}) as other:
                status, _, data = other.request("GET", f"/v1/runs/{run}", headers=server.acme)
                equal((status, json.loads(data)["project"]), (200, "acme"))
                equal(other.request("GET", f"/v1/runs/{run}", headers=server.beta)[0], 404)
                # One request of one project at two hosts is one run; of two projects it is two.
                body, same = json.dumps(JOB), {"Content-Type": "application/json", "Idempotency-Key": "both"}
                ids = []
                for host, who in ((server, server.acme), (other, server.acme), (server, server.beta), (other, server.beta)):
                    status, _, data = host.request("POST", "/ai/artifact/generate", body, {**who, **same})
                    equal(status, 202)
                    ids.append(json.loads(data)["job_id"])
                equal((ids[0] == ids[1], ids[2] == ids[3], ids[0] == ids[2]), (True, True, False))


@test
def every_tool_of_mcp_works_on_what_it_is_given_and_tells_of_no_run():
    asked = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in (
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                     "clientInfo": {"name": "t", "version": "1"}}},
        {"method": "notifications/initialized"}, {"id": 2, "method": "tools/list"}))
    said = plumb("mcp", stdin=asked)
    listed = next(one for one in map(json.loads, said.out.splitlines()) if one.get("id") == 2)["result"]["tools"]
    # A tool that reads a store would have to be asked with a key: none does.
    equal(sorted(one["name"] for one in listed), TOOLS)


@test
def a_stream_of_all_jobs_tells_a_project_of_its_own():
    with Folder() as f, Projects(f.path) as server:
        with server.stream("/ai/artifact/events/stream", server.beta) as stream:
            equal(stream.status, 200)
            equal(stream.next()[2]["type"], "connected")
            for who in (server.acme, server.operator):
                server.until(who, server.begun(who, "/ai/artifact/generate", JOB), ended)
            own = server.begun(server.beta, "/ai/artifact/generate", JOB)
            equal(stream.next()[2]["job_id"], own)


@test
def the_operator_sees_all_and_whose_each_is():
    with Folder() as f, Projects(f.path) as server:
        runs = {name: server.begun(who, "/ai/artifact/generate", JOB)
                for name, who in (("acme", server.acme), ("beta", server.beta), ("", server.operator))}
        for id in runs.values():
            server.until(server.operator, id, ended)
        equal(len(set(runs.values())), 3)
        equal(set(server.listed(server.operator)), set(runs.values()))
        for name in ("acme", "beta"):
            equal(server.listed(server.operator, f"?project={name}"), [runs[name]])
        equal(server.listed(server.operator, "?project=none"), [])
        page = server.conforms("GET", "/v1/runs", headers=server.operator)
        equal({one["id"]: one.get("project", "") for one in page["runs"]}, {id: name for name, id in runs.items()})
        equal(server.conforms("GET", f"/v1/runs/{runs['acme']}", headers=server.operator)["project"], "acme")
        # A fork belongs to whom the run belongs, whoever makes it.
        fork = json.loads(server.asks(server.operator, "POST", f"/v1/runs/{runs['acme']}/fork", {"at": 4})[2])["id"]
        equal(server.row(server.acme, fork)["project"], "acme")
        equal(server.asks(server.beta, "GET", f"/v1/runs/{fork}")[0], 404)
        listed = json.loads(plumb("runs", "list", "--store", server.store, "--project", "acme", "--json").out)["runs"]
        equal([(one["id"], one["project"]) for one in listed], [(fork, "acme"), (runs["acme"], "acme")])
        has(plumb("runs", "list", "--store", server.store).out, "of acme; ", "of beta; ")
        has(plumb("runs", "show", runs["acme"], "--store", server.store).out, "of the project acme\n")
        equal(json.loads(plumb("runs", "show", runs["acme"], "--store", server.store, "--json").out)["project"], "acme")
        lacks(plumb("runs", "show", runs[""], "--store", server.store, "--json").out, '"project"')


@test
def a_request_of_two_projects_is_two_runs_also_after_a_restart():
    with Folder() as f, Projects(f.path) as server:
        first = {name: server.begun(who, "/ai/artifact/generate", JOB, "k1") for name, who in
                 (("acme", server.acme), ("beta", server.beta), ("", server.operator))}
        equal(len(set(first.values())), 3)
        server.again()
        again = {name: server.begun(who, "/ai/artifact/generate", JOB, "k1") for name, who in
                 (("acme", server.acme), ("beta", server.beta), ("", server.operator))}
        equal(again, first)
        other = {**JOB, "content": SOURCE + "It is green."}
        server.again()
        status, _, told = server.asks(server.acme, "POST", "/ai/artifact/generate", other, **{"Idempotency-Key": "k1"})
        equal((status, json.loads(told)["type"]), (422, "plumb:problem/key_reused"))
        lacks(told, first["beta"], first[""])


@test
def pages_of_a_project_say_nothing_of_how_many_runs_others_have():
    with Folder() as f, Projects(f.path) as server:
        own = []
        for number in range(3):
            server.begun(server.acme, "/ai/artifact/generate", {**JOB, "user_id": str(number), "content": f"{SOURCE} {number}"})
            own.append(server.begun(server.beta, "/ai/artifact/generate", {**JOB, "content": f"{SOURCE} {number}"}))
        for at, key in (("/v1/runs", "runs"), ("/ai/artifact/user/jobs", "jobs")):
            seen, cursor = [], ""
            while True:
                got = server.conforms("GET", f"{at}?limit=1{cursor}", headers=server.beta)
                seen += [one.get("id") or one["job_id"] for one in got[key]]
                if "next_cursor" not in got:
                    break
                equal(got["next_cursor"], seen[-1])
                cursor = "&cursor=" + got["next_cursor"]
            equal(seen, own[::-1])
        foreign = server.listed(server.acme)[0]
        refused = [server.asks(server.beta, "GET", f"/v1/runs?cursor={id}")[2].replace(id, MISSING) for id in (foreign, MISSING, "2")]
        equal(refused[0], refused[1])
        has(refused[2], "must be the next_cursor of a page before")


@test
def a_text_is_read_by_its_hash_in_no_run_that_was_not_given_it():
    with Folder() as f, Projects(f.path, *sources(f)) as server:
        theirs = server.begun(server.acme, "/ai/artifact/generate", {**JOB, "content": SOURCE + LONG})
        server.until(server.acme, theirs, ended)
        texts = [json.loads(line) for line in server.asks(server.acme, "GET", f"/v1/runs/{theirs}/journal")[2].splitlines()]
        mark = next({"$blob": one["blob"], "size": len(one["text"].encode())} for one in texts if "blob" in one and MARK in one["text"])
        f.write("talks/a.txt", "user: The export to CSV fails every time I try it.\n\nuser: Export to CSV is broken.\n")
        f.write("talks/b.txt", "user: The export to CSV fails.\n")
        f.write("talks/c.txt", "user: I cannot export to CSV.\n")
        own = server.begun(server.beta, "/api/discovery/runs", {"sources": {"conversations": "talks"}})
        server.until(server.beta, own, lambda row: row["view"].get("opportunities"))
        equal(server.asks(server.beta, "POST", f"/v1/runs/{own}/signals/note", mark)[0], 202)
        for value in (mark, {"request": mark}, [mark]):
            server.asks(server.beta, "POST", f"/v1/runs/{own}/fork", {"input": value})
        server.asks(server.beta, "POST", "/ai/artifact/generate", {**JOB, "content": mark})
        server.asks(server.beta, "POST", "/v1/runs", {"pipeline": "artifact", "request": {**JOB, "content": json.dumps(mark)}})
        for id in server.listed(server.beta):
            for what in ("", "/journal", "/result"):
                lacks(server.asks(server.beta, "GET", f"/v1/runs/{id}{what}")[2], MARK)
        has(server.asks(server.beta, "GET", f"/v1/runs/{own}/journal")[2], mark["$blob"])


@test
def keys_that_do_not_open_the_control_port_say_why_and_never_count_as_none():
    with Folder() as f:
        held = {name: bearer(made_key(f.path, name, *words)) for name, words in {
            "plain": (), "paged": ("--project", "acme", "--origin", "https://a.example"), "gone": ("--project", "acme"),
            "model": ("--project", "acme", "--model", "m")}.items()}
        unknown = bearer(made_key(f.at("elsewhere"), "x", "--project", "acme"))
        with Projects(f.path) as server:
            equal(server.asks(held["gone"], "GET", "/v1/runs")[0], 200)
            code(plumb("keys", "revoke", "gone", env={"XDG_STATE_HOME": f.path}), 0)
            misspelt = bearer(server.acme["Authorization"][7:-1] + "_")
            for who, words in ((held["paged"], "held to models, contracts or pages"), (held["model"], "held to"),
                               (held["gone"], "revoked"), (unknown, "not known here"), (misspelt, "misspelt"),
                               (held["plain"], "a key of a project"), ({}, "a key of a project")):
                status, _, told = server.asks(who, "GET", "/v1/runs")
                equal((words, status), (words, 401))
                has(json.loads(told)["detail"], words)
            # As the password of any user, as browsers send it.
            basic = {"Authorization": "Basic " + base64.b64encode(b"any:" + server.acme["Authorization"][7:].encode()).decode()}
            equal(server.asks(basic, "GET", "/v1/runs")[0], 200)
            equal(server.asks(server.acme, "GET", "/metrics")[0], 403)
            # What follows its runs as they go on ends with it.
            following = bearer(made_key(f.path, "following", "--project", "acme"))
            with server.stream("/ai/artifact/events/stream", following) as stream:
                equal(stream.next()[2]["type"], "connected")
                code(plumb("keys", "revoke", "following", env={"XDG_STATE_HOME": f.path}), 0)
                try:
                    equal(stream.rest(), [])
                except http.client.IncompleteRead:
                    pass
            # One that is made while the server runs is known at once.
            equal(server.asks(bearer(made_key(f.path, "new", "--project", "acme")), "GET", "/v1/runs")[0], 200)
        # Without a token this machine is the operator, but for who comes with a key of a project.
        with Projects(f.at("other"), token=None) as server:
            id = server.begun({}, "/ai/artifact/generate", JOB)
            equal((server.listed({}), server.listed(server.acme)), ([id], []))
            equal(server.asks(server.acme, "GET", f"/v1/runs/{id}")[0], 404)
            equal(server.asks(unknown, "GET", "/v1/runs")[0], 401)
            plain = bearer(made_key(f.at("other"), "plain"))
            equal(server.listed(plain), [id])


@test
def with_a_proxy_the_control_port_knows_the_proxys_keys():
    with Folder() as f:
        config = f.write("plumb.yaml", "providers:\n  gone: {speaks: openai, base_url: 'http://127.0.0.1:1/v1'}\n"
                                       "proxy:\n  listen: 127.0.0.1:0\n  models: {m: gone/x}\n  keys: mine.json\n"
                                       "  projects: {acme: {requests_per_day: 1}}\n")
        made = plumb("keys", "create", "a", "--project", "acme", "--config", config, cwd=f.path)
        code(made, 0)
        with Control("--config", config, env={"XDG_STATE_HOME": f.path, "PLUMB_TOKEN": TOKEN}) as server:
            who = bearer(made.out.strip())
            equal(server.json("GET", "/v1/runs", headers=who)[0], 200)
            equal(server.json("GET", "/v1/server", headers=who)[2]["proxy"], False)
            equal(server.json("GET", "/v1/proxy", headers=who)[0], 403)
            code(plumb("keys", "revoke", "a", "--config", config, cwd=f.path), 0)
            ends = time.monotonic() + WAIT
            while server.json("GET", "/v1/runs", headers=who)[0] != 401:
                assert time.monotonic() < ends
                time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("projects", TESTS, sys.argv[1:]))
