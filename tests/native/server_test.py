#!/usr/bin/env python3
"""The control port of `plumb serve`, driven over HTTP as its users drive it; only the model is scripted.

    PLUMB_BIN=build/bin/plumb tests/native/server_test.py [WORD...]     only tests whose sentence has all words

What a route answers is held against /openapi.json by plumb's own check. The last line is
`suite server: N passed, M failed, K skipped`.
"""
import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time

import cli_test
from cli_test import ROOT, Folder, Server, code, environment, equal, has, lacks, plumb
from hostile_schemas import SCHEMAS
from scripted_models import BAD_QUIZ, GOOD_QUIZ, SOURCE, Models

TOKEN = "0123456789abcdef0123456789abcdef"
JOB = {"artifact_type": "quiz", "content": SOURCE, "options": {"num_questions": 1}}
JSON = {"Content-Type": "application/json"}
WAIT = 120  # seconds for what comes at its own time; only a failure ever takes so long
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def chapter():
    with open(os.path.join(ROOT, "docs/examples/chapter.md"), encoding="utf-8") as file:
        return file.read()


class Control(Server):
    """`plumb serve` on a store of its own, which outlives the process: again() starts it once more."""

    def __init__(self, *arguments, env=None, store=None, cwd=None):
        self.arguments, self.env, self.cwd = arguments, env, cwd
        if store:
            arguments = ("--store", store, *arguments)
        super().__init__(*arguments, env=env, store=store is None, cwd=cwd)
        self.store = store or os.path.join(self.folder.path, "runs.db")

    def again(self):
        """The same server once more, on the same store, with another port."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process = subprocess.Popen(
            [cli_test.PLUMB, "serve", "--port", "0", "--store", self.store, *self.arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(self.env), cwd=self.cwd,
        )
        self.line = self.process.stdout.readline().decode()
        found = re.search(r"http://[^:/]+:(\d+)/", self.line)
        assert found, (self.line, self.process.stderr.read())
        self.port = int(found.group(1))

    def json(self, method, path, body=None, headers=None):
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        headers = {**(JSON if body is not None else {}), **(headers or {})}
        status, got, data = self.request(method, path, body, headers)
        return status, got, json.loads(data) if data else None

    def conforms(self, method, path, body=None, headers=None, wanted=200):
        """Asks, and holds status, type and body against the OpenAPI document."""
        document = self.document()
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        headers = {**(JSON if body is not None else {}), **(headers or {})}
        status, got, data = self.request(method, path, body, headers)
        assert status == wanted, f"{method} {path}: {status}, not {wanted}: {data[:2000]!r}"
        pattern = next(
            (p for p in sorted(document["paths"], key=lambda p: ("{id}/" in p, "{" in p))
             if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", p), path.partition("?")[0])), None)
        assert pattern, f"{path} fits no path of the document"
        operation = document["paths"][pattern].get(method.lower())
        # What a route does not have is answered the same everywhere.
        answers = operation["responses"] if operation else {"405": {"$ref": "#/components/responses/BadRequest"}}
        assert str(status) in answers, f"{method} {pattern}: the document does not know status {status}"
        answer = resolved(document, answers[str(status)])
        kind = got.get("content-type", "").partition(";")[0]
        if "content" not in answer:
            assert not data, data
            return None
        assert kind in answer["content"], f"{method} {pattern} {status}: {kind} is not in {list(answer['content'])}"
        if not kind.endswith("json") or kind == "application/x-ndjson":
            return data.decode()
        contract = {**answer["content"][kind]["schema"], "components": document["components"]}
        verdict = self.check_with(contract, data)
        assert verdict["valid"], f"{method} {path} {status}: {verdict['findings']}\n{data.decode()[:3000]}"
        got = json.loads(data)
        if kind == "application/problem+json":
            equal((got["status"], got["instance"]), (status, path.partition("?")[0]))
        return got

    def document(self):
        if not hasattr(self, "_document"):
            status, _, got = self.json("GET", "/openapi.json")
            equal(status, 200)
            self._document = got
        return self._document

    def check_with(self, contract, data):
        body = b'{"assertFormats": true, "contract": ' + json.dumps(contract).encode() + b', "artifact": ' + data + b"}"
        status, _, got = self.json("POST", "/v1/check", body, self.token_header())
        equal((status, got.get("detail")), (200, None))
        return got

    def token_header(self):
        token = (self.env or {}).get("PLUMB_TOKEN")
        return {"Authorization": f"Bearer {token}"} if token else {}

    def start(self, **more):
        status, _, got = self.json("POST", "/ai/artifact/generate", {**JOB, **more})
        assert status == 202, got
        return got["job_id"]

    def job(self, id):
        status, _, got = self.json("GET", f"/ai/artifact/{id}")
        equal(status, 200)
        return got

    def until(self, id, *statuses):
        """The body of a job once it has one of these."""
        ends = time.monotonic() + WAIT
        while True:
            got = self.job(id)
            if got["status"] in statuses:
                return got
            assert got["status"] not in ("completed", "failed", "cancelled"), got
            assert time.monotonic() < ends, f"still {got}"
            time.sleep(0.02)

    def journal(self, id):
        status, _, data = self.request("GET", f"/v1/runs/{id}/journal")
        equal(status, 200)
        return [json.loads(line) for line in data.decode().splitlines()]

    def entries(self, id):
        return [line for line in self.journal(id) if "n" in line]

    def metric(self, line):
        text = self.request("GET", "/metrics")[2].decode()
        found = re.search("^" + re.escape(line) + r" (\S+)$", text, re.M)
        assert found, f"no {line} in\n{text}"
        return float(found.group(1))

    def stream(self, path, headers=None):
        return Stream(self.port, path, headers)


def resolved(document, node):
    if "$ref" in node:
        for part in node["$ref"].split("/")[1:]:
            document = document[part]
        return document
    return node


class Stream:
    """An event stream: events are (id, name, data), comments are counted."""

    def __init__(self, port, path, headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
        self.connection.request("GET", path, headers=headers or {})
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.comments = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.response.close()
        self.connection.close()

    def next(self):
        """The next event; nothing at the end of the stream."""
        id = name = None
        data = []
        while True:
            line = self.response.readline().decode()
            if not line:
                return None
            line = line.rstrip("\n")
            if line.startswith(":"):
                self.comments.append(line)
            elif line.startswith("id: "):
                id = int(line[4:])
            elif line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data.append(line[6:])
            elif not line and (data or name):
                return id, name, json.loads("\n".join(data))

    def rest(self):
        events = []
        while (event := self.next()) is not None:
            events.append(event)
        return events


# ------------------------------------------------------------------------------------------------ about


@test
def the_server_tells_health_readiness_version_metrics_and_its_interface():
    with Control() as server:
        equal(server.conforms("GET", "/healthz"), {"status": "ok"})
        equal(server.conforms("GET", "/readyz"), {"status": "ready"})
        equal("plumb " + server.conforms("GET", "/version")["version"] + "\n", plumb("version").out)
        equal(server.conforms("GET", "/server.json"), {"server": "plumb"})
        about = server.conforms("GET", "/v1/server")
        equal((about["proxy"], about["roots"], about["repositories"]), (False, [], []))
        equal(about["version"], server.conforms("GET", "/version")["version"])
        has(server.conforms("GET", "/metrics"), "# TYPE plumb_http_requests_total counter", "plumb_build_info{version=")
        now = time.time()
        equal(0 < server.metric("process_resident_memory_bytes") < server.metric("process_virtual_memory_bytes"), True)
        equal(0 < server.metric("process_open_fds") < server.metric("process_max_fds"), True)
        equal(server.metric("process_threads") > 0, True)
        equal(now - 60 < server.metric("process_start_time_seconds") < now + 2, True)
        equal(server.metric("process_cpu_seconds_total") < 60, True)
        equal(server.conforms("GET", "/openapi.json")["openapi"], "3.1.0")
        for path in ("/healthz", "/readyz", "/version", "/metrics", "/openapi.json"):
            status, headers, body = server.request("HEAD", path)
            equal((status, body, headers["cache-control"]), (200, b"", "no-store"))
            got = server.conforms("POST", path, {}, wanted=405)
            equal(got["type"], "plumb:problem/method_not_allowed")


@test
def the_proxy_that_runs_beside_it_is_shown_once_and_as_it_goes_on():
    with Control() as server:
        for path in ("/v1/proxy", "/v1/proxy/events"):
            has(server.conforms("GET", path, wanted=404)["detail"], "No proxy runs here")
        lacks(server.conforms("GET", "/metrics"), "plumb_proxy_calls_total")
    with Folder() as f:
        config = f.write("plumb.yaml", "providers:\n  gone: {speaks: openai, base_url: 'http://127.0.0.1:1/v1'}\n"
                                       "proxy:\n  listen: 127.0.0.1:0\n  retries: {max: 0}\n"
                                       "  models: {m: gone/x}\n  limits: {tokens_per_day: 100000}\n")
        with Control("--config", config, env={"XDG_STATE_HOME": f.path}) as server:
            proxy = int(re.search(r":(\d+)/v1", server.process.stdout.readline().decode()).group(1))
            equal(server.conforms("GET", "/v1/proxy")["totals"]["calls"], 0)
            server.conforms("GET", "/v1/proxy?since=1", wanted=400)
            with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as stream:
                stream.sendall(b"GET /v1/proxy/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                events = stream.makefile("rb")
                told = lambda: json.loads(next(line for line in events if line.startswith(b"data: "))[6:])
                equal(told()["totals"]["calls"], 0)
                for model, status in (("m", 502), ("n", 404)):
                    call = http.client.HTTPConnection("127.0.0.1", proxy, timeout=WAIT)
                    call.request("POST", "/v1/chat/completions",
                                 json.dumps({"model": model, "messages": [{"role": "user", "content": "x"}]}), JSON)
                    equal(call.getresponse().status, status)
                    call.close()
                while told()["totals"]["failed"] == 0:
                    pass
            state = server.conforms("GET", "/v1/proxy")
            equal((state["totals"]["calls"], state["refused"]), (1, {"model_not_found": 1}))
            equal(state["calls"][0]["error"], "unreachable")
            equal(sorted(one["scope"] for one in state["used"]), ["all", "key:local", "model:m"])
            has(server.conforms("GET", "/metrics"),
                'plumb_proxy_calls_total{key="local",model="m",result="failed"} 1',
                'plumb_proxy_upstream_failures_total{upstream="gone",class="unreachable"} 1')


@test
def every_schema_of_the_interface_is_a_contract_without_lint():
    with Control() as server:
        document = server.document()
        for name, schema in document["components"]["schemas"].items():
            with Folder() as f:
                contract = f.write("c.json", {**schema, "components": document["components"]})
                code(f.plumb("contracts", "check", contract), 0)


@test
def every_error_is_a_problem():
    with Control() as server:
        id = server.start()
        server.until(id, "completed", "failed")
        many = "x" * 101
        for method, path, body, headers, wanted, kind, words in (
            ("GET", "/nothing", None, {}, 404, "not_found", "nothing at this address"),
            ("PUT", "/", "x", {}, 405, "method_not_allowed", "GET, HEAD"),
            ("GET", "/healthz", None, {"Host": "evil.example"}, 421, "wrong_host", "--host"),
            ("GET", "/healthz", None, {"Origin": "http://evil.example"}, 403, "foreign_origin", "other origins"),
            ("GET", "/v1/runs", None, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403,
             "foreign_origin", "other sites"),
            ("GET", "/", None, {"Range": "bytes=0-1,1-2"}, 416, "bad_range", "one range"),
            ("GET", "/ai/artifact/rnone", None, {}, 404, "not_found", "Job not found: rnone"),
            ("GET", "/ai/artifact/status/rnone", None, {}, 404, "not_found", "Job not found: rnone"),
            ("DELETE", "/ai/artifact/rnone", None, {}, 404, "not_found", "Job not found: rnone"),
            ("GET", "/ai/artifact/rnone/events", None, {}, 404, "not_found", "Job not found: rnone"),
            ("GET", "/ai/artifact/" + many, None, {}, 404, "not_found", "nothing"),
            ("GET", "/ai/artifact/a%2e%2e%2fb", None, {}, 404, "not_found", "nothing"),
            ("GET", "/ai/artifact/generate", None, {}, 405, "method_not_allowed", "POST"),
            ("PATCH", f"/ai/artifact/{id}", "{}", {}, 405, "method_not_allowed", "GET, HEAD, DELETE"),
            ("DELETE", f"/ai/artifact/{id}", None, {}, 409, "conflict", "ended already"),
            ("GET", f"/ai/artifact/{id}?verbose=1", None, {}, 400, "bad_request", "takes no query"),
            ("GET", "/ai/artifact/user/jobs?limit=0", None, {}, 400, "bad_request", "from 1 to 200"),
            ("GET", "/ai/artifact/user/jobs?limit=201", None, {}, 400, "bad_request", "from 1 to 200"),
            ("GET", "/ai/artifact/user/jobs?cursor=x", None, {}, 400, "bad_request", "whole number"),
            ("GET", "/ai/artifact/user/jobs?user=x", None, {}, 400, "bad_request", "user_id"),
            ("GET", f"/ai/artifact/{id}/events?from=-1", None, {}, 400, "bad_request", "whole number"),
            ("GET", f"/ai/artifact/{id}/events?from=1000", None, {}, 400, "bad_request", "entries"),
            ("GET", f"/v1/runs/{id}/events", None, {"Last-Event-ID": "x"}, 400, "bad_request", "journal entry"),
            ("GET", f"/v1/runs/{id}/events", None, {"Last-Event-ID": "9" * 30}, 400, "bad_request", "journal entry"),
            ("GET", "/ai/artifact/events/stream?x=1", None, {}, 400, "bad_request", "user_id"),
            ("GET", "/v1/runs?state=running", None, {}, 400, "bad_request", "waiting, done, failed or cancelled"),
            ("GET", "/v1/runs?limit=1001", None, {}, 400, "bad_request", "from 1 to 1000"),
            ("GET", "/v1/runs/rnone", None, {}, 404, "not_found", "rnone"),
            ("GET", "/v1/runs/rnone/journal", None, {}, 404, "not_found", "rnone"),
            ("GET", f"/v1/runs/{id}/journal?from=3", None, {}, 400, "bad_request", "no query"),
            ("GET", "/v1/runs/rnone/events", None, {}, 404, "not_found", "rnone"),
            ("POST", "/v1/runs/rnone/cancel", None, {}, 404, "not_found", "rnone"),
            ("POST", f"/v1/runs/{id}/cancel", None, {}, 409, "conflict", "ended already"),
            ("POST", f"/v1/runs/{id}/cancel", "{", {}, 400, "bad_request", ""),
            ("POST", f"/v1/runs/{id}/cancel", '{"because": "x"}', {}, 422, "not_processable", "why"),
            ("POST", f"/v1/runs/{id}/cancel", '{"why": 1}', {}, 422, "not_processable", "why"),
            ("POST", f"/v1/runs/{id}/cancel", "why=1", {"Content-Type": "text/plain"}, 415, "wrong_type", "json"),
            ("POST", "/v1/runs/rnone/resume", None, {}, 404, "not_found", "rnone"),
            ("POST", f"/v1/runs/{id}/resume", None, {}, 409, "conflict", "has ended"),
            ("POST", "/v1/runs/rnone/signals/stop", "1", {}, 404, "not_found", "rnone"),
            ("POST", f"/v1/runs/{id}/signals/stop", "1", {}, 409, "conflict", "ended"),
            ("POST", f"/v1/runs/{id}/signals/stop", "[1,", {}, 400, "bad_request", ""),
            ("POST", f"/v1/runs/{id}/signals/stop", "1", {"Idempotency-Key": "k" * 256}, 400, "bad_request", "255"),
        ):
            headers = {**(JSON if body is not None else {}), **headers}
            status, got, data = server.request(method, path, body, headers)
            assert data, f"{method} {path}: {status}, and no body"
            problem = json.loads(data)
            equal((method, path, status, problem["type"]), (method, path, wanted, "plumb:problem/" + kind))
            equal(got["content-type"], "application/problem+json")
            equal(set(problem) - {"where", "line", "column"}, {"type", "title", "status", "detail", "instance"})
            equal(problem["status"], status)
            has(problem["detail"], words)
            if wanted == 405:
                equal(got["allow"], problem["detail"].removeprefix("This address takes ").removesuffix("."))
        # A range is for files: it cuts nothing else.
        whole = server.request("GET", "/ai/artifact/rnone")
        equal(server.request("GET", "/ai/artifact/rnone", headers={"Range": "bytes=0-3"})[2], whole[2])
        # Those that httplib itself refuses.
        for raw, wanted in ((b"nonsense\r\n\r\n", b" 400 "), (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n", b" 414 ")):
            got = server.raw(raw)
            assert wanted in got[:20] and b"application/problem+json" in got, got[:400]


@test
def no_contract_in_a_request_ends_the_server():
    with Control() as server:
        first = server.process.pid
        for schema, words in SCHEMAS:
            status, _, answer = server.json("POST", "/v1/check", {"contract": schema, "artifact": {}})
            equal((schema, status), (schema, 200 if words is None else 422))
            if words is not None:
                has(answer["detail"], words)
            equal(server.request("GET", "/healthz")[0], 200)
        itself = {"contract": {"pointers": {"context:/a": {"$ref": "#"}}}, "artifact": {}, "context": {"a": [1]}}
        equal(server.json("POST", "/v1/check", itself)[0], 200)
        equal((server.process.poll(), server.process.pid), (None, first))


# ------------------------------------------------------------------------------------------------ access


@test
def an_address_that_others_can_reach_wants_a_token():
    with Folder() as f:
        for host in ("0.0.0.0", "::", "192.0.2.1"):
            result = f.plumb("serve", "--port", "0", "--host", host, "--store", "runs.db", timeout=60)
            code(result, 2)
            has(result.err, "--host " + host, "PLUMB_TOKEN", "openssl rand -hex 32")
        result = f.plumb("serve", "--port", "0", "--token", "short", "--store", "runs.db", timeout=60)
        code(result, 2)
        has(result.err, "16 to 1024 visible ASCII characters")
        lacks(result.err, "short")
        equal(os.path.exists(f.at("runs.db")), False)


@test
def with_a_token_every_route_but_the_open_ones_wants_it():
    with Control(env={"PLUMB_TOKEN": TOKEN}) as server:
        document = server.document()
        for pattern, operations in document["paths"].items():
            for method, operation in operations.items():
                if method == "parameters":
                    continue
                path = pattern
                for name, value in {"id": "rnone", "opportunity_id": "O1", "name": "stop", "operation": "window",
                                    "format": "html", "ask": "judge:0"}.items():
                    path = path.replace("{%s}" % name, value)
                assert "{" not in path, f"{path}: give this test a value for it"
                body = "{}" if "requestBody" in operation else None
                for header in (None, "", "Bearer", "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x", "Basic " + TOKEN):
                    headers = {"Authorization": header} if header is not None else {}
                    if operation.get("security") == []:
                        server.conforms(method.upper(), path, body, headers)
                    else:
                        got = server.conforms(method.upper(), path, body, headers, wanted=401)
                        equal(got["type"], "plumb:problem/unauthorised")
        status, headers, _ = server.request("GET", "/v1/runs")
        equal((status, headers["www-authenticate"]),
              (401, 'Bearer realm="plumb", Basic realm="plumb", charset="UTF-8"'))
        basic = base64.b64encode(b"anybody:" + TOKEN.encode()).decode()
        equal(server.request("GET", "/v1/runs", headers={"Authorization": "Basic " + basic})[0], 200)
        equal(server.conforms("GET", "/v1/runs", headers={"Authorization": "Bearer " + TOKEN}), {"runs": []})
        # The page is files that hold nothing of anybody.
        equal(server.request("GET", "/")[0], 200)
    with Control("--host", "0.0.0.0", "--token", TOKEN) as server:
        equal(server.request("GET", "/v1/runs", headers={"Host": "plumb.example"})[0], 401)
        equal(server.request("GET", "/v1/runs",
                             headers={"Host": "plumb.example", "Authorization": "Bearer " + TOKEN})[0], 200)


@test
def a_name_that_a_proxy_has_is_taken_where_it_was_given():
    with Control("--allow-host", "plumb.example", "--allow-host", "other.example") as server:
        for name, wanted in (("plumb.example", 200), ("OTHER.example:443", 200), ("localhost", 200), ("third.example", 421)):
            equal((name, server.request("GET", "/v1/runs", headers={"Host": name})[0]), (name, wanted))
        headers = {"Host": "plumb.example", "Origin": "https://plumb.example"}
        equal(server.request("GET", "/v1/runs", headers=headers)[0], 200)
        equal(server.request("GET", "/v1/runs", headers={**headers, "Origin": "https://other.example"})[0], 403)


@test
def a_flag_wins_over_its_variable_and_a_wrong_variable_is_named():
    with Folder() as f:
        result = f.plumb("serve", "--store", "runs.db", env={"PLUMB_PORT": "80x"}, timeout=60)
        code(result, 2)
        has(result.err, "PLUMB_PORT", "80x")
        result = f.plumb("serve", env={"HOME": "", "PLUMB_PORT": "0"}, timeout=60)
        code(result, 2)
        has(result.err, "--store FILE")
        for where in ("XDG_STATE_HOME", "PLUMB_STORE"):
            value = f.at("state") if where == "XDG_STATE_HOME" else f.at("other.db")
            process = subprocess.Popen([cli_test.PLUMB, "serve"], stdout=subprocess.PIPE,
                                       env=environment({where: value, "PLUMB_PORT": "0"}))
            has(process.stdout.readline().decode(), "Plumbline is at")
            process.terminate()
            equal(process.wait(60), 0)
            process.stdout.close()
            assert os.path.exists(f.at("state/plumb/runs.db") if where == "XDG_STATE_HOME" else value)


# ------------------------------------------------------------------------------------------------ jobs


@test
def a_job_made_by_extract_completes_and_can_be_read_everywhere():
    with Control() as server:
        started = server.conforms("POST", "/ai/artifact/generate",
                                  {"artifact_type": "quiz", "content": chapter(), "user_id": "u1", "notebook_id": "n1"},
                                  wanted=202)
        id = started["job_id"]
        assert re.fullmatch("r[a-z2-7]{20}", id), id
        equal(started, {"job_id": id, "status": "pending", "message": "Job created"})
        server.until(id, "completed")
        job = server.conforms("GET", f"/ai/artifact/{id}")
        equal(server.request("GET", f"/ai/artifact/{id}")[2], server.request("GET", f"/ai/artifact/status/{id}")[2])
        server.conforms("GET", f"/ai/artifact/status/{id}")
        equal((job["status"], job["progress"], job["artifact_type"]), ("completed", 100, "quiz"))
        assert server.check({"contract": "quiz", "artifact": job["result"]})[1]["valid"]
        equal(server.conforms("GET", "/ai/artifact/user/jobs?user_id=u1"), {"jobs": [job]})
        equal(server.conforms("GET", "/ai/artifact/user/jobs?user_id=u2"), {"jobs": []})
        run = server.conforms("GET", f"/v1/runs/{id}")
        equal((run["state"], run["owner"], run["view"]["calls"], run["under_way"]), ("done", "u1", 3, 0))
        entries = server.entries(id)
        equal([entry["n"] for entry in entries], list(range(run["entries"])))
        equal((entries[0]["kind"], entries[-1]["kind"], entries[-1]["status"]), ("begin", "end", "ok"))
        text = server.conforms("GET", f"/v1/runs/{id}/journal")
        equal(len(text.splitlines()), len(server.journal(id)))
        hashes = {line["blob"] for line in server.journal(id) if "blob" in line}
        for found in re.findall(r'"\$blob":"(sha256:[0-9a-f]{64})"', text):
            assert found in hashes, found


@test
def a_long_source_costs_nothing_where_no_model_is_asked():
    with Control() as server:
        id = server.start(content=chapter() * 20, token_budget=1000)
        equal(server.until(id, "completed", "failed")["status"], "completed")


@test
def prompts_and_types_of_artifacts_are_those_of_the_project():
    with Models() as models, Folder() as f:
        os.mkdir(f.at("mine"))
        with open(os.path.join(ROOT, "prompts", "artifact-generate.md"), encoding="utf-8") as file:
            f.write("mine/artifact-generate.md", file.read().replace("<!-- user -->", "<!-- user -->\nWrite in French."))
        with Control("--prompts", f.at("mine"), env=models.environment()) as server:
            server.until(server.start(), "completed")
            has(models.prompts[models.calls.index("generate")], "Write in French.")
        f.write("mine/artifact-generate.md", "no front matter")
        with Control("--prompts", f.at("mine"), env=models.environment()) as server:
            got = server.conforms("POST", "/ai/artifact/generate", JOB, wanted=422)
            has(got["detail"] + got.get("where", ""), "artifact-generate")


@test
def the_body_of_a_job_is_that_of_the_document():
    with Models(quiz=BAD_QUIZ) as models, Control(env=models.environment()) as server:
        for phase in ("plan", "generate", "judge", "repair"):
            models.shut(phase)
        id = server.start()

        def body(status, progress):
            stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
            return (f'{{"job_id":"{id}","status":"{status}","progress":{progress},"artifact_type":"quiz",'
                    f'"created_at":"{stamp}","updated_at":"{stamp}"}}')

        for phase, status, progress in (("plan", "planning", 0), ("generate", "generating", 20),
                                        ("judge", "validating", 80), ("repair", "validating", 85)):
            models.wait_for(phase)
            for path in (f"/ai/artifact/{id}", f"/ai/artifact/status/{id}"):
                got = server.request("GET", path)[2].decode()
                assert re.fullmatch(body(status, progress).replace("{", r"\{").replace(r"\d\{", r"\d{"), got), got
            models.open(phase)
        done = server.until(id, "completed")
        equal(list(done)[:5], ["job_id", "status", "progress", "artifact_type", "result"])
        equal((done["progress"], done["result"], "error" in done), (100, GOOD_QUIZ, False))
        equal(models.calls, ["plan", "generate", "judge", "repair", "judge"])


@test
def a_job_that_fails_says_why():
    with Models(quiz=BAD_QUIZ, repaired=BAD_QUIZ) as models, Control(env=models.environment()) as server:
        id = server.start()
        server.until(id, "failed")
        job = server.conforms("GET", f"/ai/artifact/{id}")
        equal(job["progress"], 100)
        has(job["error"], "Validation failed after 2 repair attempts. Violations: ",
            "Question 1: Must have at least 4 options (has 3)")


@test
def the_result_of_a_run_is_what_the_command_writes_and_a_rejected_one_is_never_taken_for_it():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("judge")
        id = server.start()
        models.wait_for("judge")
        has(server.conforms("GET", f"/v1/runs/{id}/result", wanted=409)["detail"], "has not ended yet", "/events")
        models.open("judge")
        server.until(id, "completed")
        status, headers, data = server.request("GET", f"/v1/runs/{id}/result")
        equal((status, headers["content-type"], headers["x-plumb-decision"]), (200, "application/json", "accept"))
        equal(data.decode(), plumb("runs", "result", id, "--store", server.store).out)
        equal(server.conforms("GET", f"/v1/runs/{id}/result"), GOOD_QUIZ)
        server.conforms("GET", "/v1/runs/rnothing/result", wanted=404)
        server.conforms("GET", f"/v1/runs/{id}/result?rejected=1", wanted=400)
        models.answers["generate"] = models.answers["repair"] = BAD_QUIZ
        failed = server.start(options={"num_questions": 2})
        server.until(failed, "failed")
        told = server.conforms("GET", f"/v1/runs/{failed}/result", wanted=409)
        has(told["detail"], "The run has failed: Validation failed")
        equal("result" in told, False)
        equal(told["rejected"], json.loads(plumb("runs", "result", "--rejected", failed, "--store", server.store).out))
        equal((told["rejected"]["rejected"], told["rejected"]["asked"], told["rejected"]["kept"]), (True, 2, 0))
        models.shut("plan")
        gone = server.start(options={"num_questions": 3})
        models.wait_for("plan")
        server.conforms("POST", f"/v1/runs/{gone}/cancel", {"why": "no longer wanted"})
        told = server.conforms("GET", f"/v1/runs/{gone}/result", wanted=409)
        has(told["detail"], "The run was cancelled")
        models.open("plan")


@test
def results_of_other_pipelines_are_items_and_reports():
    with Control() as server:
        run = server.conforms("POST", "/v1/runs", {"pipeline": "boundary", "request": {
            "items": [1, 2], "contract": {"type": "integer"}, "name": "numbers"}}, wanted=202)["id"]
        for _ in range(WAIT * 20):
            status, _, data = server.request("GET", f"/v1/runs/{run}/result")
            if status != 409:
                break
            time.sleep(0.05)
        equal((status, json.loads(data)), (200, [1, 2]))
        equal(data.decode(), plumb("runs", "result", run, "--store", server.store).out)


@test
def the_same_request_while_active_gives_the_same_job():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("generate")
        id = server.start()
        models.wait_for("generate")
        got = server.conforms("POST", "/ai/artifact/generate", JOB, wanted=202)
        equal((got["job_id"], got["status"]), (id, "generating"))
        has(got["message"], "active already")
        other = server.start(options={"num_questions": 2})
        assert other != id
        models.open("generate")
        server.until(id, "completed")
        assert server.start() != id, "a job that has ended is made anew"


@test
def sources_that_cannot_be_used_are_refused_with_what_to_do():
    with Control() as server:
        for body, wanted, words in (
            ({"artifact_type": "quiz", "content": ""}, 422, "content"),
            ({"artifact_type": "quiz", "content": " \n\t "}, 422, ""),
            ({"artifact_type": "quiz", "content": "%PDF-1.4\n\0\1\2\3\0\0 binary \0"}, 422, "text"),
            ({"artifact_type": "quiz"}, 422, "content"),
            ({"artifact_type": "quiz", "content": 5}, 422, "content"),
            ({"artifact_type": "quizz", "content": SOURCE}, 422, "quiz"),
            ({"content": SOURCE}, 422, "artifact_type"),
            ({**JOB, "opptions": {}}, 422, "did you mean"),
            ({**JOB, "options": {"num_question": 5}}, 422, "did you mean"),
            ({**JOB, "options": {"num_questions": 0}}, 422, "from 1"),
            ({**JOB, "token_budget": -1}, 422, "token_budget"),
            ({**JOB, "providers": {"generate": "extract"}}, 422, "where the server is started"),
            ([], 400, "JSON object"),
            ("", 400, "JSON object"),
            (b'{"artifact_type": "quiz", "content": "\xff\xfe\x00binary"}', 400, "made text first"),
            (b"\x7fELF\x02\x01\x01\x00\x00", 400, "made text first"),
        ):
            got = server.conforms("POST", "/ai/artifact/generate", body, JSON, wanted=wanted)
            has(got["detail"] + got.get("where", ""), words)
        equal(server.conforms("POST", "/ai/artifact/generate", "{}", {"Content-Type": "text/plain"}, 415)["status"], 415)
        equal(server.conforms("GET", "/v1/runs"), {"runs": []})


@test
def a_source_of_100_MB_is_refused_to_clients_that_send_all_of_it_first():
    with Control() as server:
        body = json.dumps({"artifact_type": "quiz", "content": "A cell is small. " * 6_000_000})
        assert len(body) > 100_000_000
        got = server.conforms("POST", "/ai/artifact/generate", body, wanted=413)
        has(got["detail"], "--max-body", "16777216")
        del body
        resident = re.search(r"VmHWM:\s+(\d+) kB", open(f"/proc/{server.process.pid}/status").read())
        assert cli_test.SANITIZED or int(resident.group(1)) < 300_000, resident.group(0)
    with Control("--max-body", "1K") as server:
        chunks = (("%x\r\n" % 4096).encode() + b"x" * 4096 + b"\r\n") * 300 + b"0\r\n\r\n"
        got = server.raw(b"POST /ai/artifact/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n" + chunks)
        has(got.decode(), " 413 ", "plumb:problem/too_large")


@test
def jobs_and_runs_are_listed_by_page_newest_first():
    with Control() as server:
        ids = [server.start(notebook_id=str(i), user_id="u" + str(i % 2)) for i in range(7)]
        for id in ids:
            server.until(id, "completed", "failed")
        newest = server.conforms("GET", "/v1/runs?limit=1")["runs"][0]
        equal(newest["type"], "quiz")
        equal(0 < len(newest["title"]) <= 100 and "\n" not in newest["title"], True)
        for path, member, name, wanted in (
            ("/v1/runs?limit=3", "runs", "id", ids),
            ("/v1/runs?limit=3&pipeline=artifact", "runs", "id", ids),
            ("/v1/runs?limit=2&owner=u1", "runs", "id", ids[1::2]),
            ("/ai/artifact/user/jobs?limit=3", "jobs", "job_id", ids),
            ("/ai/artifact/user/jobs?limit=2&user_id=u0", "jobs", "job_id", ids[0::2]),
        ):
            got, cursor = [], ""
            while True:
                page = server.conforms("GET", path + cursor)
                assert page[member], page
                got += [row[name] for row in page[member]]
                if "next_cursor" not in page:
                    break
                cursor = "&cursor=" + page["next_cursor"]
            equal(got, wanted[::-1])
        equal(server.conforms("GET", "/v1/runs?pipeline=none"), {"runs": []})
        equal(server.conforms("GET", "/v1/runs?state=waiting"), {"runs": []})


@test
def a_job_is_cancelled_once_and_says_so():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("generate")
        first = server.start()
        models.wait_for("generate")
        job = server.conforms("DELETE", f"/ai/artifact/{first}")
        equal((job["status"], job["progress"]), ("cancelled", 100))
        equal(server.conforms("DELETE", f"/ai/artifact/{first}")["status"], "cancelled")
        equal([entry["kind"] for entry in server.entries(first)].count("cancel"), 1)
        second = server.start(notebook_id="other")
        models.wait_for("generate", 2)
        run = server.conforms("POST", f"/v1/runs/{second}/cancel", {"why": "nobody wants it"})
        equal(run["state"], "cancelled")
        equal([entry["error"] for entry in server.entries(second) if entry["kind"] == "cancel"], ["nobody wants it"])
        third = server.start(notebook_id="third")
        models.wait_for("generate", 3)
        # Without a body, and without saying that there is none.
        got = server.raw(f"POST /v1/runs/{third}/cancel HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        has(got.decode(), " 200 OK", '"state":"cancelled"')


@test
def a_signal_is_a_journal_entry():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("generate")
        id = server.start()
        models.wait_for("generate")
        got = server.conforms("POST", f"/v1/runs/{id}/signals/re-rank", {"first": [3, 1]}, wanted=202)
        equal(got, {"id": id, "signal": "re-rank"})
        server.conforms("POST", f"/v1/runs/{id}/signals/stop", wanted=202)
        signals = [(entry["name"], entry.get("data")) for entry in server.entries(id) if entry["kind"] == "signal"]
        equal(signals, [("re-rank", {"first": [3, 1]}), ("stop", None)])


@test
def asks_of_a_run_and_their_answers_are_as_the_document_says():
    contract = {"type": "object", "itemId": "/name", "rules": [{"id": "clear", "title": "Clear", "ask": "Is it clear?"}]}
    with Control() as server:
        begun = server.conforms("POST", "/v1/runs", {"pipeline": "boundary", "request": {
            "contract": contract, "items": [{"name": "a"}], "judge": "client", "revise": "client", "context": 1}}, wanted=202)
        path = f"/v1/runs/{begun['id']}/asks"
        ask = server.conforms("GET", path + "?wait=20")["asks"][0]
        equal((ask["what"], ask["items"]), ("judge", [{"id": "1", "name": "a", "item": {"name": "a"}}]))
        server.conforms("POST", f"{path}/{ask['ask']}", {"rejected": 1}, wanted=422)
        server.conforms("POST", f"{path}/{ask['ask']}", "[1,", wanted=400)
        rejected = {"rejected": [{"id": "a", "rule": "clear", "reason": "no"}]}
        equal(server.conforms("POST", f"{path}/{ask['ask']}", rejected, wanted=202), {"id": begun["id"], "ask": ask["ask"]})
        server.conforms("POST", f"{path}/{ask['ask']}", {"error": "no"}, wanted=409)
        revision = server.conforms("GET", path + "?wait=20")["asks"][0]
        equal(revision["rejection"], {"rule": "clear", "reason": "no"})
        server.conforms("POST", f"{path}/other:0", {"item": 1}, wanted=404)
        server.conforms("GET", path + "?wait=no", wanted=400)
        server.conforms("GET", "/v1/runs/rnone/asks", wanted=404)


# ------------------------------------------------------------------------------------------------ keys


@test
def an_idempotency_key_gives_the_same_answer_and_no_second_job():
    with Control() as server:
        key = {"Idempotency-Key": "k-1"}
        body = json.dumps(JOB)
        first = server.request("POST", "/ai/artifact/generate", body, {**JSON, **key})
        equal(first[0], 202)
        id = json.loads(first[2])["job_id"]
        server.until(id, "completed", "failed")
        again = server.request("POST", "/ai/artifact/generate", body, {**JSON, **key})
        equal((again[0], again[2], again[1]["location"]), (202, first[2], first[1]["location"]))
        got = server.conforms("POST", "/ai/artifact/generate", {**JOB, "notebook_id": "n"}, key, wanted=422)
        equal(got["type"], "plumb:problem/key_reused")
        # A refusal is an answer too; another place has keys of its own.
        refused = server.conforms("POST", "/ai/artifact/generate", {}, {"Idempotency-Key": "k-2"}, wanted=422)
        equal(server.conforms("POST", "/ai/artifact/generate", {}, {"Idempotency-Key": "k-2"}, wanted=422), refused)
        server.conforms("POST", f"/v1/runs/{id}/cancel", headers=key, wanted=409)
        equal(len(server.conforms("GET", "/v1/runs")["runs"]), 1)
        equal(server.metric("plumb_idempotency_keys"), 3)


@test
def an_idempotency_key_holds_across_a_restart():
    with Control() as server:
        key = {"Idempotency-Key": "k-1"}
        first = server.json("POST", "/ai/artifact/generate", JOB, key)
        server.until(first[2]["job_id"], "completed", "failed")
        server.again()
        equal(server.json("POST", "/ai/artifact/generate", JOB, key)[2], first[2])
        server.arguments = ("--provider", "ollama/other")
        server.again()
        equal(server.json("POST", "/ai/artifact/generate", JOB, key)[2], first[2])
        server.again()
        got = server.conforms("POST", "/ai/artifact/generate", {**JOB, "notebook_id": "n"}, key, wanted=422)
        equal(got["type"], "plumb:problem/key_reused")
        equal(len(server.conforms("GET", "/v1/runs")["runs"]), 1)


@test
def requests_at_the_same_time_with_one_key_make_one_job():
    with Control() as server:
        def ask(_):
            return server.json("POST", "/ai/artifact/generate", JOB, {"Idempotency-Key": "same"})

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(ask, range(16)))
        made = {answer[2]["job_id"] for answer in answers if answer[0] == 202}
        equal(len(made), 1)
        equal({answer[0] for answer in answers} - {202, 409}, set())
        equal(len(server.conforms("GET", "/v1/runs")["runs"]), 1)


# ------------------------------------------------------------------------------------------------ events


def numbered(events):
    return [event for event in events if event[0] is not None]


@test
def a_stream_resumed_at_every_position_repeats_nothing_and_loses_nothing():
    with Control() as server:
        id = server.start()
        server.until(id, "completed", "failed")
        total = server.conforms("GET", f"/v1/runs/{id}")["entries"]
        for path, name in ((f"/v1/runs/{id}/events", "entry"), (f"/ai/artifact/{id}/events", "update")):
            with server.stream(path) as stream:
                equal(stream.status, 200)
                equal(stream.response.getheader("content-type"), "text/event-stream")
                equal(stream.response.getheader("content-encoding"), None)
                whole = stream.rest()
            equal(whole[-1][:2], (None, "end"))
            events = numbered(whole)
            equal({event[1] for event in events}, {name})
            ids = [event[0] for event in events]
            equal(ids, sorted(set(ids)))
            for position in range(total):
                with server.stream(path, {"Last-Event-ID": str(position)}) as stream:
                    if position == total - 1:
                        equal((stream.status, stream.response.read()), (204, b""))
                        continue
                    equal(numbered(stream.rest()), [event for event in events if event[0] > position])
                with server.stream(f"{path}?from={position}") as stream:
                    equal(numbered(stream.rest()), [event for event in events if event[0] >= position])
                with server.stream(f"{path}?from=0", {"Last-Event-ID": str(total - 2)}) as stream:
                    equal([event[0] for event in numbered(stream.rest())], [total - 1])
        with server.stream(f"/v1/runs/{id}/events") as stream:
            events = numbered(stream.rest())
        equal([event[2]["entry"] for event in events], server.entries(id))
        texts = {line["blob"]: line["text"] for line in server.journal(id) if "blob" in line}
        told = {}
        for event in events:
            told.update(event[2].get("texts", {}))
        equal(told, texts)


@test
def a_stream_that_is_cut_while_the_job_goes_on_is_taken_up_without_a_gap():
    with Models(quiz=BAD_QUIZ) as models, Control(env=models.environment()) as server:
        for phase in ("plan", "generate", "judge", "repair"):
            models.shut(phase)
        id = server.start()
        got, last = [], None
        for phase in ("plan", "generate", "judge", "repair"):
            models.wait_for(phase)
            # Reads one event after the other, each over a connection of its own, up to what there is now.
            now = server.conforms("GET", f"/v1/runs/{id}")["entries"]
            while last is None or last < now - 1:
                with server.stream(f"/v1/runs/{id}/events", {} if last is None else {"Last-Event-ID": str(last)}) as stream:
                    event = stream.next()
                    while event[0] is None:
                        event = stream.next()
                got.append(event)
                last = event[0]
            models.open(phase)
        with server.stream(f"/v1/runs/{id}/events", {"Last-Event-ID": str(last)}) as stream:
            got += numbered(stream.rest())
        equal([event[0] for event in got], list(range(len(got))))
        equal([event[2]["entry"] for event in got], server.entries(id))
        equal(got[-1][2]["entry"]["kind"], "end")


@test
def updates_show_the_states_progress_and_log_of_the_document():
    with Models(quiz=BAD_QUIZ) as models, Control(env=models.environment()) as server:
        models.shut("plan")
        id = server.start()
        with server.stream(f"/ai/artifact/{id}/events") as stream:
            models.open("plan")
            events = stream.rest()
        updates = [event[2] for event in numbered(events)]
        progress = [update["job"]["progress"] for update in updates]
        equal(sorted(set(progress)), [0, 20, 60, 70, 80, 85, 100])
        equal(progress, sorted(progress))
        log = [line for update in updates for line in update["log"]]
        equal(log, [
            f"⚙️ Processing job {id} (type=quiz)",
            "📋 Phase 1: Planning quiz structure...",
            "✓ Plan created: 2 concepts",
            "🔨 Phase 2: Generating quiz content...",
            "✓ Generated artifact: 1 question",
            "✅ Phase 3: Validating quiz...",
            "  → Step 1: Structural validation...",
            "  ✗ 1 violation found",
            "  → Step 2: Semantic validation...",
            "  ✓ Semantics valid",
            "⚠️  Validation failed: 1 structural violation, 0 semantic issues",
            "  → Step 3: Attempting automatic repair...",
            "🔧 Repair attempt 1/2",
            "  → Revalidating structure...",
            "  ✓ Structure valid",
            "  → Revalidating semantics...",
            "  ✓ Semantics valid",
            "✓ Repair successful after 1 attempt(s)",
            f"✅ Job {id} completed successfully (progress: 100%)",
        ])
        equal(updates[-1]["job"]["result"], GOOD_QUIZ)
        # What happens inside calls is told between, without an id, and is told once.
        told = [event for event in events if event[1] == "told"]
        assert all(event[0] is None and set(event[2]) == {"key", "what", "data"} for event in told)
        text = "".join(event[2]["data"]["text"] for event in told
                       if event[2]["what"] == "text" and event[2]["key"].startswith("generate"))
        equal(json.loads(text), BAD_QUIZ)
        with server.stream(f"/ai/artifact/{id}/events") as stream:
            equal([event[:2] for event in stream.rest() if event[0] is None], [(None, "end")])


@test
def a_silent_stream_is_kept_open_by_comments_and_a_client_that_leaves_frees_its_place():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("plan")
        id = server.start()
        models.wait_for("plan")
        stream = server.stream(f"/ai/artifact/{id}/events")
        equal(server.metric("plumb_streams_open"), 1)
        while ": keepalive" not in stream.comments:
            line = stream.response.readline().decode().rstrip("\n")
            assert stream.response.fp is not None
            if line.startswith(":"):
                stream.comments.append(line)
        stream.close()
        ends = time.monotonic() + WAIT
        while server.metric("plumb_streams_open") > 0:
            assert time.monotonic() < ends, "the place is not given back"
            time.sleep(0.1)
        equal(server.metric("plumb_watches"), 0)


@test
def the_201st_stream_is_refused_while_everything_else_answers():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("plan")
        id = server.start()
        models.wait_for("plan")
        paths = (f"/ai/artifact/{id}/events", f"/v1/runs/{id}/events", "/ai/artifact/events/stream")
        streams = [server.stream(paths[i % 3]) for i in range(200)]
        equal({stream.status for stream in streams}, {200})
        for path in paths:
            with server.stream(path) as refused:
                equal((refused.status, refused.response.getheader("retry-after")), (503, "5"))
                has(json.loads(refused.response.read())["detail"], "200 event streams are open")
        started = time.monotonic()
        equal(server.conforms("GET", "/healthz"), {"status": "ok"})
        equal(server.job(id)["status"], "planning")
        assert time.monotonic() - started < 10, "open streams hold the server up"
        equal(server.metric("plumb_streams_open"), 200)
        equal(server.metric("plumb_streams_refused_total"), 3)
        streams.pop().close()
        ends = time.monotonic() + WAIT
        while server.metric("plumb_streams_open") > 199:
            assert time.monotonic() < ends
            time.sleep(0.1)
        with server.stream(paths[0]) as again:
            equal(again.status, 200)
        models.open("plan")
        for stream, path in zip(streams, [paths[i % 3] for i in range(199)]):
            events = stream.rest() if path != paths[2] else []
            stream.close()
            # Whoever is too slow for what happens inside of a call is told to come back, and misses nothing.
            while events and events[-1][1] == "dropped":
                seen = max(event[0] for event in events if event[0] is not None)
                with server.stream(path, headers={"Last-Event-ID": str(seen)}) as back:
                    events = events + back.rest() if back.status == 200 else [(seen, "end", {})]
            if events:
                equal(events[-1][1], "end")


@test
def jobs_are_told_as_they_end():
    with Models() as models, Control(env=models.environment()) as server:
        with server.stream("/ai/artifact/events/stream?user_id=u1") as mine, \
                server.stream("/ai/artifact/events/stream") as all_of_them:
            equal(mine.next(), (None, None, {"type": "connected", "user_id": "u1"}))
            equal(all_of_them.next(), (None, None, {"type": "connected", "user_id": ""}))
            other = server.start(user_id="u2")
            server.until(other, "completed")
            id = server.start(user_id="u1", notebook_id="n7")
            server.until(id, "completed")
            models.shut("plan")
            last = server.start(user_id="u1", notebook_id="n8")
            server.conforms("DELETE", f"/ai/artifact/{last}")
            models.answers["generate"] = models.answers["repair"] = BAD_QUIZ
            models.open("plan")
            bad = server.start(user_id="u1", notebook_id="n9")
            server.until(bad, "failed")
            number, name, data = mine.next()
            equal((number, name), (None, "artifact.completed"))
            stamp = data.pop("timestamp")
            equal(data, {"job_id": id, "user_id": "u1", "artifact_type": "quiz", "notebook_id": "n7",
                         "outcome": "accepted", "result": GOOD_QUIZ, "decision": "accept"})
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp), stamp
            equal((mine.next()[1], ), ("artifact.cancelled",))
            _, name, data = mine.next()
            equal((name, data["job_id"], data["retry_count"]), ("artifact.failed", bad, 0))
            has(data["error"], "Validation failed after 2 repair attempts.")
            equal((data["outcome"], data["reasons"][0]["code"]), ("failed", "not_valid_after_repairs"))
            equal([all_of_them.next()[2]["job_id"] for _ in range(4)], [other, id, last, bad])


# ------------------------------------------------------------------------------------------------ ends


@test
def at_sigterm_streams_are_told_and_jobs_stay_in_the_store():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("generate")
        id = server.start()
        models.wait_for("generate")
        streams = [server.stream(path) for path in (f"/ai/artifact/{id}/events", f"/v1/runs/{id}/events",
                                                    "/ai/artifact/events/stream")]
        seen = [streams[0].next()[0], streams[1].next()[0], streams[2].next()[0]]
        server.process.send_signal(signal.SIGTERM)
        for stream in streams:
            events = stream.rest()
            equal(events[-1][:2], (None, "stopping"))
            stream.close()
        equal(server.process.wait(60), 0)
        equal(seen, [0, 0, None])
        with contextlib.suppress(ConnectionRefusedError):
            server.request("GET", "/healthz")
            raise AssertionError("a server that has ended answers")
        models.open("generate")
        server.again()
        done = server.until(id, "completed")
        equal(done["result"], GOOD_QUIZ)
        # The call that was under way was handed over and is made once more, the one before it is not.
        equal(models.calls, ["plan", "generate", "generate", "judge"])
        equal(server.metric("plumb_effects_again_total"), 0)
        equal([entry["kind"] for entry in server.entries(id)].count("handover"), 1)


@test
def two_graceful_restarts_in_a_row_lose_no_job():
    with Models() as models, Control("--stop-grace", "1s", env=models.environment()) as server:
        models.shut("generate")
        id = server.start()
        for restart in range(1, 4):
            models.wait_for("generate", restart)
            server.process.send_signal(signal.SIGTERM)
            equal(server.process.wait(60), 0)
            server.again()
        models.wait_for("generate", 4)
        models.open("generate")
        equal(server.until(id, "completed")["result"], GOOD_QUIZ)
        kinds = [entry["kind"] for entry in server.entries(id)]
        equal((kinds.count("handover"), kinds.count("reply")), (3, 3))
        equal(models.calls, ["plan"] + ["generate"] * 4 + ["judge"])


@test
def jobs_of_extract_survive_any_number_of_kills():
    with Control() as server:
        made = []
        with open(os.path.join(cli_test.ROOT, "docs", "examples", "chapter.md"), encoding="utf-8") as file:
            chapter = file.read()
        for round_ in range(4):
            made += [server.start(notebook_id=f"{round_}.{i}", content=chapter) for i in range(20)]
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(60)
            server.again()
        for id in made:
            server.until(id, "completed")


@test
def a_killed_server_goes_on_with_its_jobs_and_pays_for_no_answer_twice():
    for phase in ("plan", "generate", "judge", "repair"):
        with Models(quiz=BAD_QUIZ) as models, Control(env=models.environment()) as server:
            models.shut(phase)
            id = server.start()
            models.wait_for(phase)
            before = list(models.calls)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait(60)
            models.open(phase)
            server.again()
            done = server.until(id, "completed")
            equal((done["job_id"], done["result"]), (id, GOOD_QUIZ))
            whole = ["plan", "generate", "judge", "repair", "judge"]
            equal(models.calls, before + whole[len(before) - 1:])
            kinds = [entry["kind"] for entry in server.entries(id)]
            equal((kinds.count("attempt"), kinds.count("reply"), kinds.count("end")), (6, 5, 1))
            with server.stream(f"/v1/runs/{id}/events") as stream:
                equal([event[0] for event in numbered(stream.rest())], list(range(len(kinds))))


@test
def a_request_that_never_ends_does_not_keep_the_server_from_ending():
    with Control() as server:
        s = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
        s.sendall(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  b"Content-Length: 1000000\r\n\r\n{")
        equal(server.conforms("GET", "/readyz"), {"status": "ready"})
        server.process.send_signal(signal.SIGTERM)
        # A byte now and then, for ever: each of them in time.
        with contextlib.suppress(OSError):
            while server.process.poll() is None:
                s.sendall(b" ")
                time.sleep(0.5)
        s.close()
        equal(server.process.wait(WAIT), 0)


@test
def at_sigterm_a_request_whose_head_has_come_is_answered_and_another_is_told():
    first = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    body = b'{"contract":true,"artifact":[1]}'
    announced = first + b"Content-Length: %d\r\n\r\n" % len(body)
    with Control() as server:
        begun = [announced + body[:5], first, announced + b" ", first + b"Transfer-Encoding: chunked\r\n\r\n"]
        clients = []
        for bytes_ in begun:
            clients.append(socket.create_connection(("127.0.0.1", server.port), timeout=WAIT))
            clients[-1].sendall(bytes_)
        equal(server.conforms("GET", "/readyz"), {"status": "ready"})
        server.process.send_signal(signal.SIGTERM)
        ends, no_head, silent, in_chunks = clients
        answer = no_head.recv(65536).decode()
        has(answer, "HTTP/1.1 503", "plumb:problem/stopping", "Retry-After", "\r\nConnection: close")
        ends.sendall(body[5:])
        has(ends.recv(65536).decode(), "HTTP/1.1 200")
        # A part now and then, each of them in time, for ever.
        in_chunks.settimeout(0.3)
        told = b""
        with contextlib.suppress(OSError):
            while b"}" not in told:
                in_chunks.sendall(b"1\r\n \r\n")
                with contextlib.suppress(TimeoutError):
                    told += in_chunks.recv(65536)
        has(told.decode(), "HTTP/1.1 503", "plumb:problem/stopping")
        has(silent.recv(65536).decode(), "HTTP/1.1 503", "plumb:problem/stopping")
        for client in clients:
            client.close()
        equal(server.process.wait(WAIT), 0)


@test
def clients_that_send_a_byte_now_and_then_hold_nobody_up():
    with Control() as server:
        slow = []
        for number in range(400):
            s = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
            s.sendall(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n" if number % 2 else
                      b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      b"Content-Length: 1000\r\n\r\n{")
            slow.append(s)
        for path in ("/healthz", "/readyz", "/v1/runs"):
            equal((path, server.request("GET", path)[0]), (path, 200))
        # Each byte comes in time, and the whole of it does not.
        answers = {}
        began = time.monotonic()
        while len(answers) < 2 and time.monotonic() < began + WAIT:
            for number in (0, 1):
                if number in answers:
                    continue
                with contextlib.suppress(OSError):
                    slow[number].sendall(b"a")
                slow[number].settimeout(0.5)
                with contextlib.suppress(TimeoutError):
                    answers[number] = slow[number].recv(65536)
        for number in (0, 1):
            has(answers[number].decode(), "HTTP/1.1 408", "did not come in time")
        has(server.request("GET", "/metrics")[2].decode(), 'plumb_http_refused_total{why="too_slow"}')
        for s in slow:
            s.close()


def raw_answer(server, sent):
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as s:
        s.sendall(sent)
        got = b""
        with contextlib.suppress(OSError):
            while piece := s.recv(65536):
                got += piece
        return got


@test
def a_head_that_can_be_read_in_two_ways_is_refused():
    first = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with Control() as server:
        for fields, says in (
            (b"Content-Length: 2\r\nContent-Length: 2\r\n", "two lengths"),
            (b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "a length and a transfer encoding"),
            (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "`chunked` is taken, once"),
            (b"Transfer-Encoding: gzip, chunked\r\n", "`chunked` is taken, once"),
            (b"Content-Length: +2\r\n", "not a number"),
            (b"Content-Length: 2\r\nX-A: a\0b\r\n", "a NUL"),
            (b"Content-Length: 2\r\nX-A: a\rX-B: b\r\n", "carriage return that ends no line"),
            (b"Content-Length: 2\nX-A: a\r\n", "without a carriage return"),
            (b"Content-Length: 2\r\n more\r\n", "folded"),
            (b"Content-Length : 2\r\n", "no name before a colon"),
        ):
            got = raw_answer(server, first + fields + b"\r\n{}").decode()
            has(got, "HTTP/1.1 400", "plumb:problem/bad_request", says)
        got = raw_answer(server, first + b"X-Long: " + b"a" * 40_000 + b"\r\n\r\n").decode()
        has(got, "HTTP/1.1 431")
        # As it is usual, it is read.
        got = raw_answer(server, first + b"Content-Length: 34\r\n\r\n" + b'{"contract": true, "artifact": [1]}'[:34]).decode()
        has(got, "HTTP/1.1 400", "the body must be one JSON object")
        body = b'{"contract":true,"artifact":[1]}'
        has(raw_answer(server, first + b"Content-Length: %d\r\n\r\n" % len(body) + body).decode(), "HTTP/1.1 200")
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        has(raw_answer(server, first + b"Transfer-Encoding: chunked\r\n\r\n" + chunked).decode(), "HTTP/1.1 200")


@test
def who_is_refused_is_counted_and_in_the_log_with_address_and_reason():
    with Control("--token", TOKEN) as server:
        server.request("GET", "/v1/runs")
        server.request("GET", "/v1/runs", headers={"Origin": "http://evil.example"})
        server.request("GET", "/v1/runs", headers={"Host": "evil.example"})
        got = server.request("GET", "/metrics", headers={"Authorization": "Bearer " + TOKEN})[2].decode()
        for why in ("unauthorised", "foreign_origin", "wrong_host"):
            has(got, 'plumb_http_refused_total{why="%s"} 1' % why)
        server.process.send_signal(signal.SIGTERM)
        log = server.process.stderr.read().decode()
        for why in ("unauthorised", "foreign_origin", "wrong_host"):
            assert re.search(r"refused %s from 127\.0\.0\.1:\d+: GET /v1/runs" % why, log), log
        lacks(log, TOKEN)


@test
def a_token_for_metrics_reads_metrics_and_nothing_else():
    reader = "reads-metrics-and-nothing-else"
    headers = {"Authorization": "Bearer " + reader}
    with Control("--token", TOKEN, env={"PLUMB_METRICS_TOKEN": reader}) as server:
        equal(server.request("GET", "/metrics", headers=headers)[0], 200)
        for method, path in (("GET", "/v1/runs"), ("GET", "/v1/proxy"), ("POST", "/v1/check")):
            equal((path, server.request(method, path, headers=headers)[0]), (path, 401))
        equal(server.request("GET", "/metrics", headers={"Authorization": "Bearer " + TOKEN})[0], 200)
        equal(server.request("GET", "/metrics")[0], 401)
    with Folder() as f:
        for token in ("short", TOKEN):
            result = f.plumb("serve", "--port", "0", "--token", TOKEN, "--metrics-token", token, timeout=60)
            code(result, 2)
            has(result.err, "--metrics-token")


@test
def a_link_of_another_site_opens_the_page_and_its_images_and_scripts_do_not():
    with Control() as server:
        site = {"Sec-Fetch-Site": "cross-site", "Referer": "https://other.example/"}
        link = {**site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        equal(server.request("GET", "/", headers=link)[0], 200)
        equal(server.request("GET", "/", headers={**link, "Origin": "null"})[0], 200)
        equal(server.request("GET", "/v1/runs", headers={**site, "Sec-Fetch-Mode": "no-cors"})[0], 403)
        frame = {**site, "Origin": "https://other.example", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        equal(server.request("GET", "/", headers=frame)[0], 403)
        equal(server.request("POST", "/v1/runs", "{}", {**JSON, **link, "Origin": "null"})[0], 403)


def hostile_check(count, size=9_000):
    letters = "".join("ab"[bin(number * 2654435761 % 4294967296).count("1") % 2] for number in range(size))
    patterns = [{"pattern": "[ab]*a[ab]{%d}%d" % (size, number)} for number in range(count)]
    return json.dumps({"contract": {"allOf": patterns}, "artifact": letters * 2})


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@test
def a_check_has_a_budget_of_steps_and_beyond_it_is_undecided():
    with Control("--check-steps", "500000") as server:
        status, _, verdict = server.json("POST", "/v1/check", hostile_check(3, 400))
        equal((status, verdict["decision"], verdict["valid"]), (200, "undecided", False))
        equal([one["rule"] for one in verdict["findings"]], ["limit"])
        has(verdict["findings"][0]["message"], "more than 500000 steps")
        status, _, problem = server.json("POST", "/v1/check", hostile_check(100))
        equal((status, problem["type"]), (422, "plumb:problem/not_processable"))
        has(problem["detail"], "more than 500000 steps")
        before = processor_seconds(server.process)
        for _ in range(5):
            server.json("POST", "/v1/check", hostile_check(100))
        spent = processor_seconds(server.process) - before
        assert spent < 5, spent


@test
def a_check_whose_client_has_left_ends():
    with Control("--check-steps", "0") as server:
        body = hostile_check(20).encode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as s:
            s.sendall(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      b"Content-Length: %d\r\n\r\n" % len(body) + body)
            before = processor_seconds(server.process)
            while processor_seconds(server.process) < before + 0.3:
                time.sleep(0.05)
        time.sleep(1)
        before = processor_seconds(server.process)
        time.sleep(2)
        spent = processor_seconds(server.process) - before
        assert spent < 0.5, spent
        equal(server.request("GET", "/readyz")[0], 200)


@test
def a_full_disk_is_said_and_what_was_stored_goes_on_when_there_is_room():
    with Models() as models, Control("--log", "off", env=models.environment()) as server:
        models.shut("plan")
        made = [server.start(notebook_id=str(i)) for i in range(4)]
        models.wait_for("plan", 4)
        # As if the disk were full: files may not grow any more. (Python ignores SIGXFSZ, which would end the server; so
        # does the server that it starts.)
        room = os.path.getsize(server.store + "-wal")
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        got = server.conforms("POST", "/ai/artifact/generate", {**JOB, "content": SOURCE + os.urandom(50_000).hex()},
                              wanted=503)
        equal(got["type"], "plumb:problem/unavailable")
        models.open("plan")
        ends = time.monotonic() + WAIT
        for id in made:
            while "problem" not in server.conforms("GET", f"/ai/artifact/{id}"):
                assert time.monotonic() < ends, server.conforms("GET", f"/v1/runs/{id}")
                time.sleep(0.05)
            equal(server.job(id)["problem"], server.conforms("GET", f"/v1/runs/{id}")["problem"])
        equal(server.conforms("GET", "/healthz"), {"status": "ok"})
        has(server.conforms("GET", "/readyz", wanted=503)["detail"], "The store cannot be")
        assert server.metric("plumb_store_failures_total") > 0
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        for id in made:
            # It is tried again by itself too, so that the run may have ended meanwhile.
            status, _, got = server.json("POST", f"/v1/runs/{id}/resume")
            assert status == 200 or (status == 409 and "has ended (done)" in got["detail"]), got
            assert "problem" not in server.until(id, "completed")
        equal(len(server.conforms("GET", "/v1/runs?limit=1000")["runs"]), len(made))
        equal(server.conforms("GET", "/readyz"), {"status": "ready"})


@test
def a_large_request_of_a_client_that_waits_to_be_told_to_go_on_is_read():
    with Control() as server:
        body = json.dumps({"contract": "quiz", "text": "x" * 5_000_000}).encode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as s:
            s.sendall(b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      b"Expect: 100-continue\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n")
            has(s.recv(100).decode(), "100 Continue")
            s.sendall(body)
            has(s.recv(100).decode(), " 200 OK")


@test
def a_second_server_on_the_same_store_says_who_has_it():
    with Control() as server:
        result = plumb("serve", "--port", "0", "--store", server.store, timeout=60)
        code(result, 2)
        has(result.err, server.store, str(server.process.pid))
        equal(server.conforms("GET", "/readyz"), {"status": "ready"})
        equal(server.end(), 0)
        process = subprocess.Popen([cli_test.PLUMB, "serve", "--port", "0", "--store", server.store],
                                   stdout=subprocess.PIPE, env=environment())
        has(process.stdout.readline().decode(), "Plumbline is at")
        process.terminate()
        equal(process.wait(60), 0)
        process.stdout.close()


@test
def a_store_that_cannot_be_is_an_error_before_anything_is_served():
    with Folder() as f:
        f.write("text.db", "this is no database, and never was one")
        for name in ("none/runs.db", "text.db", "."):
            result = f.plumb("serve", "--port", "0", "--store", name, timeout=60)
            code(result, 2)
            has(result.err, name)
            lacks(result.out, "Plumbline is at")


@test
def a_port_in_use_takes_up_no_runs():
    with Models() as models, Control(env=models.environment()) as server:
        models.shut("plan")
        id = server.start()
        models.wait_for("plan")
        server.process.kill()
        server.process.wait(60)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            result = plumb("serve", "--port", str(taken.getsockname()[1]), "--store", server.store,
                           env=models.environment(), timeout=60)
        code(result, 2)
        has(result.err, "the port is in use")
        equal(models.calls, ["plan"])
        models.open("plan")
        server.again()
        server.until(id, "completed")


# ------------------------------------------------------------------------------------------------ seen from outside


@test
def metrics_count_requests_runs_effects_and_tokens():
    with Models() as models, Control(env=models.environment()) as server:
        id = server.start()
        server.until(id, "completed")
        server.request("GET", "/ai/artifact/rnone")
        server.request("GET", "/nothing/at/all")
        equal(server.metric('plumb_http_requests_total{route="/ai/artifact/generate",method="POST",status="202"}'), 1)
        equal(server.metric('plumb_http_requests_total{route="/ai/artifact/{id}",method="GET",status="404"}'), 1)
        equal(server.metric('plumb_http_requests_total{route="page",method="GET",status="404"}'), 1)
        equal(server.metric('plumb_http_request_seconds_count{route="/ai/artifact/generate"}'), 1)
        equal(server.metric('plumb_effect_replies_total{kind="model",status="ok"}'), 3)
        equal(server.metric('plumb_tokens_total{provider="openai",model="test",direction="input",estimated="false"}'), 300)
        equal(server.metric('plumb_tokens_total{provider="openai",model="test",direction="output",estimated="false"}'), 30)
        equal(server.metric('plumb_runs_total{state="done"}'), 1)
        equal(server.metric("plumb_runs_waiting"), 0)
        equal(server.metric("plumb_effects_total"), 3)


@test
def the_log_has_no_token_no_key_and_nothing_of_what_is_sent():
    with Models() as models, Control("--log", "json", "--log-level", "debug",
                                     env={"PLUMB_TOKEN": TOKEN, **models.environment()}) as server:
        headers = {"Authorization": "Bearer " + TOKEN, **JSON}
        status, _, got = server.json("POST", "/ai/artifact/generate", JOB, headers)
        equal(status, 202)
        ends = time.monotonic() + WAIT
        while server.json("GET", f"/ai/artifact/{got['job_id']}", headers=headers)[2]["status"] != "completed":
            assert time.monotonic() < ends
            time.sleep(0.05)
        server.request("GET", "/v1/runs?owner=secret-owner", headers=headers)
        server.request("GET", "/v1/runs", headers={"Authorization": "Bearer wrong-wrong-wrong-wrong"})
        equal(server.end(), 0)
        log = server.process.stderr.read().decode()
        for line in log.splitlines():
            assert {"time", "level", "event", "message"} <= set(json.loads(line)), line
        has(log, "POST /ai/artifact/generate 202", "GET /v1/runs 401")
        lacks(log, TOKEN, "sk-test", "hotosynthesis", "hloroplast", "secret-owner", "wrong-wrong", "You plan")


# ------------------------------------------------------------------------------------------------ docs


def as_pattern(shown):
    """What a document shows as a regular expression: `...` is anything, times and hashes are any, ids are named."""
    pattern = re.escape(shown).replace(r"\.\.\.", ".*")
    return re.sub(r"\d{4}\\-\d\d\\-\d\dT\d\d:\d\d:\d\dZ", r"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", pattern)


@test
def the_commands_of_the_document_do_what_it_shows():
    with open(os.path.join(ROOT, "docs", "server.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```console\n(.*?)^```$", file.read(), re.M | re.S)
    assert len(blocks) >= 7
    ran = 0
    with Control() as server, Folder() as f:
        os.symlink(os.path.join(ROOT, "docs"), f.at("docs"))
        names = {}  # an id of the document -> the real one

        def real(text):
            for shown, found in names.items():
                text = text.replace(shown, found)
            return text.replace("127.0.0.1:8787", f"127.0.0.1:{server.port}")

        for block in blocks:
            for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, shown = step.partition("\n")
                done = subprocess.run(["bash", "-c", real(command)], cwd=f.path, capture_output=True, text=True,
                                      env=environment(), timeout=WAIT, check=False)
                equal((command, done.returncode, done.stderr), (command, 0, ""))
                started = re.match(r'\{"job_id":"(r[a-z2-7]{20})","status":"pending"', done.stdout)
                if started:
                    names.setdefault(re.search('"job_id":"([^"]+)"', shown).group(1), started.group(1))
                    server.until(started.group(1), "completed")
                lines, wanted = done.stdout.splitlines(), real(shown).splitlines()
                if wanted and wanted[-1].endswith(",..."):
                    lines = lines[:len(wanted)]
                equal((command, len(lines)), (command, len(wanted)))
                for line, pattern in zip(lines, wanted):
                    assert re.fullmatch(as_pattern(pattern), line), f"{command}\n{line[:3000]}\nis not\n{pattern}"
                ran += 1
    assert ran >= 15, ran


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("server", TESTS, sys.argv[1:]))
