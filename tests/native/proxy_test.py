#!/usr/bin/env python3
"""The data port of `plumb serve`, as its users start, configure, reload and stop it; only the model is scripted.

    PLUMB_BIN=build/bin/plumb tests/native/proxy_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite proxy command: N passed, M failed, K skipped`.
"""
import hashlib
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import cli_test
from cli_test import ROOT, Folder, code, environment, equal, has, lacks, plumb
from hostile_schemas import SCHEMAS

WAIT = 60  # seconds for what comes at its own time; only a failure ever takes so long
TESTS = []
KEY = {"PROVIDER_KEY": "sk-the-provider's"}


def test(function):
    TESTS.append(function)
    return function


class Provider:
    """tests/native/scripted_upstream.py on a port of its own."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, os.path.join(ROOT, "tests/native/scripted_upstream.py")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def base(self, tag, script="ok"):
        return f"http://127.0.0.1:{self.port}/{tag}/{script}/v1"

    def stats(self, tag):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        connection.request("GET", f"/{tag}/stats")
        return json.loads(connection.getresponse().read())


def config(base, proxy="", wire="openai"):
    return (f'providers:\n  one: {{speaks: {wire}, base_url: "{base}", key_env: PROVIDER_KEY}}\n'
            f"proxy:\n  listen: 127.0.0.1:0\n  models: {{m: one/real-m}}\n{proxy}")


class Proxy:
    """`plumb serve` with that plumb.yaml."""

    def __init__(self, text, *arguments, env=None):
        self.folder = Folder()
        self.f = self.folder.__enter__()
        if text is not None:
            self.f.write("plumb.yaml", text)
            arguments = ("--config", self.f.at("plumb.yaml"), *arguments)
        self.process = subprocess.Popen(
            [cli_test.PLUMB, "serve", "--port", "0", "--store", self.f.at("runs.db"), *arguments],
            stdout=subprocess.PIPE, stderr=open(self.f.at("log"), "wb"), cwd=self.f.path,
            env=environment({**KEY, "XDG_STATE_HOME": self.f.path, **(env or {})}), restore_signals=False)
        self.lines = [self.process.stdout.readline().decode(), self.process.stdout.readline().decode()]
        found = [re.search(r"http://[^:/]+:(\d+)/", line) for line in self.lines]
        assert all(found), (self.lines, self.log())
        self.control, self.port = int(found[0].group(1)), int(found[1].group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.__exit__()

    def log(self):
        with open(self.f.at("log"), encoding="utf-8") as file:
            return file.read()

    def request(self, method, path, body=None, headers=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=WAIT)
        connection.request(method, path, json.dumps(body) if isinstance(body, dict) else body, headers or {})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, data.decode()

    def ask(self, say="hello", stream=False, headers=None, path="/v1/chat/completions", **more):
        body = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "say: " + say}], **more}
        return self.request("POST", path, body, headers)

    def stream(self, say):
        """An open stream, whose head has come."""
        body = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "say: " + say}]})
        one = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)
        one.sendall(f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n\r\n"
                    f"{body}".encode())
        got = b""
        while b"data: " not in got:
            piece = one.recv(65536)
            assert piece, got
            got += piece
        return one, got


def until(condition, what):
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("never: " + what)


def read_all(one, got=b""):
    while True:
        try:
            piece = one.recv(65536)
        except ConnectionResetError:
            return got
        if not piece:
            return got
        got += piece
        if got.endswith(b"\r\n0\r\n\r\n"):
            return got


@test
def both_ports_are_told_and_answer_their_health_checks():
    with Provider() as provider, Proxy(config(provider.base("t"))) as proxy:
        has(proxy.lines[1], "The proxy is at http://127.0.0.1:", "/v1", "plumb keys create")
        for port in (proxy.port, proxy.control):
            equal(proxy.request("GET", "/healthz", port=port)[0], 200)
        status, _, body = proxy.ask("hello there")
        equal((status, json.loads(body)["choices"][0]["message"]["content"]), (200, "hello there"))


@test
def each_client_may_speak_its_own_format_whatever_the_provider_speaks():
    with Provider() as provider:
        for wire, base in (("openai", provider.base("o")), ("anthropic", provider.base("a")),
                           ("ollama", provider.base("l").removesuffix("/v1"))):
            with Proxy(config(base, wire=wire)) as proxy:
                for stream in (False, True):
                    status, _, body = proxy.ask("to openai", stream)
                    equal((wire, status), (wire, 200))
                    if stream:
                        text = "".join(json.loads(line[6:])["choices"][0]["delta"].get("content") or ""
                                       for line in body.splitlines() if line.startswith("data: {"))
                        has(body, "data: [DONE]")
                    else:
                        text = json.loads(body)["choices"][0]["message"]["content"]
                    equal((wire, stream, text), (wire, stream, "to openai"))
                    status, _, body = proxy.ask("to anthropic", stream, path="/v1/messages", max_tokens=100)
                    equal((wire, status), (wire, 200))
                    if stream:
                        has(body, "event: message_stop")
                        text = "".join(json.loads(line[6:]).get("delta", {}).get("text", "")
                                       for line in body.splitlines() if line.startswith("data: {"))
                    else:
                        text = "".join(part["text"] for part in json.loads(body)["content"])
                    equal((wire, stream, text), (wire, stream, "to anthropic"))


@test
def no_schema_in_a_request_ends_the_proxy():
    with Provider() as provider, Proxy(config(provider.base("t"))) as proxy:
        for schema, words in SCHEMAS:
            in_format = {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}
            in_tool = {"tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}]}
            # Observed, a schema that cannot be used refuses no call; enforced, it is told why.
            for own in (in_format, in_tool):
                status, _, body = proxy.ask("{}", **own)
                equal((schema, status), (schema, 200))
            status, _, body = proxy.ask("{}", **in_format, plumb={"mode": "enforce"})
            equal((schema, status == 200), (schema, words is None))
            status, _, body = proxy.ask("{}", plumb={"contract": schema})
            equal((schema, status), (schema, 200 if words is None else 400))
            if words is not None:
                has(body, words)
            equal(proxy.request("GET", "/healthz")[0], 200)
        equal(proxy.process.poll(), None)
        equal(json.loads(proxy.ask("still here")[2])["choices"][0]["message"]["content"], "still here")


@test
def models_are_listed_with_those_of_a_provider_that_all_other_names_go_to():
    with Provider() as provider:
        for wire, base in (("openai", provider.base("o")), ("anthropic", provider.base("a")),
                           ("ollama", provider.base("l").removesuffix("/v1"))):
            text = config(base, wire=wire).replace("{m: one/real-m}", "{m: one/real-m, '*': one}")
            with Proxy(text) as proxy:
                ask = lambda path, **headers: json.loads(proxy.request("GET", path, headers=headers)[2])
                equal([one["id"] for one in ask("/v1/models")["data"]], ["m", "scripted-1"])
                listed = ask("/v1/models", **{"anthropic-version": "2023-06-01"})
                equal([listed["first_id"], listed["last_id"], listed["has_more"]], ["m", "scripted-1", False])
                equal([one["name"] for one in ask("/api/tags")["models"]], ["m", "scripted-1"])
                # Ollama's clients show `error` as it is, so it is a text there.
                status, _, body = proxy.request("POST", "/api/show", b"{}")
                equal((status, type(json.loads(body)["error"])), (404, str))
                equal(ask("/v1/models/scripted-1")["id"], "scripted-1")
                status, _, body = proxy.request("GET", "/v1/models/nothing%2Felse")
                equal(status, 404)
                has(body, "there is no model 'nothing/else' here")
                # A key that is limited to models sees these alone, and no provider is asked.
                env = {**KEY, "XDG_STATE_HOME": proxy.f.path}
                key = plumb("keys", "create", "few", "--model", "other", "--config", proxy.f.at("plumb.yaml"), env=env).out
                until(lambda p=proxy: p.request("GET", "/v1/models")[0] == 401, "the key is wanted")
                asked = provider.stats(base.split("/")[3])["requests"]
                equal([one["id"] for one in ask("/v1/models", **{"x-api-key": key.strip()})["data"]], ["other"])
                equal(provider.stats(base.split("/")[3])["requests"], asked)
        # A provider that has no list leaves what plumb.yaml names.
        text = config(provider.base("n", "status=404")).replace("{m: one/real-m}", "{m: one/real-m, '*': one}")
        with Proxy(text) as proxy:
            equal([one["id"] for one in json.loads(proxy.request("GET", "/v1/models")[2])["data"]], ["m"])
            equal(json.loads(proxy.request("GET", "/v1/models/anything")[2])["id"], "anything")


@test
def clients_of_ollama_are_answered_in_lines_whatever_the_provider_speaks():
    with Provider() as provider:
        for wire, base in (("openai", provider.base("o")), ("anthropic", provider.base("a")),
                           ("ollama", provider.base("l").removesuffix("/v1"))):
            with Proxy(config(base, wire=wire)) as proxy:
                ask = lambda **more: proxy.request("POST", "/api/chat", {
                    "model": "m", "messages": [{"role": "user", "content": "say: hello there"}], **more})
                status, headers, body = ask(options={"temperature": 0.5, "num_predict": 77, "num_ctx": 4096})
                equal((wire, status, headers["content-type"]), (wire, 200, "application/x-ndjson"))
                lines = [json.loads(line) for line in body.splitlines()]
                equal("".join(one["message"]["content"] for one in lines), "hello there")
                equal([one["done"] for one in lines], [False] * (len(lines) - 1) + [True])
                assert lines[-1]["eval_count"] > 0 and lines[-1]["done_reason"] == "stop", lines[-1]
                sent = provider.stats(base.split("/")[3])["bodies"][-1]
                sent = json.loads(sent) if isinstance(sent, str) else sent
                if wire == "ollama":
                    equal(sent["options"], {"temperature": 0.5, "num_predict": 77, "num_ctx": 4096})
                else:
                    equal((sent["temperature"], sent["max_tokens"]), (0.5, 77))
                    equal(headers["x-plumb-lost"], "options.num_ctx")
                status, _, body = ask(stream=False)
                equal((status, json.loads(body)["message"]["content"]), (200, "hello there"))
                # A contract holds here too: in the last line, or as an error that is one text.
                body = ask(plumb={"contract": "quiz", "mode": "observe"})[2]
                equal(json.loads(body.splitlines()[-1])["plumb"]["valid"], False)
                status, headers, body = ask(plumb={"contract": "quiz", "attempts": 0})
                equal((status, headers["x-should-retry"]), (406, "false"))
                assert isinstance(json.loads(body)["error"], str) and json.loads(body)["plumb"]["valid"] is False, body
                status, _, body = ask(format={"type": "object", "required": ["a"]}, plumb={"mode": "enforce", "attempts": 0})
                equal(status, 406)
                status, _, body = proxy.request("POST", "/api/chat", {"model": "m"})
                equal((status, json.loads(body)["error"]), (400, "The body has no messages (at /messages) (line 1, column 1)"))
                status, _, body = proxy.request("POST", "/api/chat", {"model": "x", "messages": [{"role": "user", "content": ""}]})
                equal(status, 404)
                assert isinstance(json.loads(body)["error"], str), body


class Echo:
    """A provider that answers each request with what it got: method, path, headers and body, as they are."""

    def __enter__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                self.server.got.append((self.command, self.path, dict(self.headers.items()), body))
                status = 429 if self.path.endswith("/busy") else 200
                sent = b'{"error": {"message": "too busy"}}' if status == 429 else b"\x00\xff\r\n" + body
                self.send_response(status)
                self.send_header("content-type", "application/json" if status == 429 else "audio/mpeg")
                self.send_header("content-disposition", "attachment; filename=a.mp3")
                self.send_header("set-cookie", "a=b")
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.got = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@test
def files_audio_images_and_batches_pass_byte_for_byte_with_key_limit_and_log():
    with Echo() as echo:
        base = f"http://127.0.0.1:{echo.server.server_port}/v1"
        more = "  passthrough: one\n  log: json\n  limits: {requests_per_day: 6}\n"
        with Proxy(config(base, more), "--log-level", "info") as proxy:
            env = {**KEY, "XDG_STATE_HOME": proxy.f.path}
            make = lambda *words: plumb("keys", "create", *words, "--config", proxy.f.at("plumb.yaml"), env=env).out.strip()
            key, few = make("web"), make("few", "--model", "m")
            until(lambda: proxy.request("GET", "/v1/models")[0] == 401, "the key is wanted")

            def ask(method, path, body=None, **headers):
                connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=WAIT)
                connection.request(method, path, body, {"authorization": f"Bearer {key}", **headers})
                answer = connection.getresponse()
                return answer.status, dict(answer.getheaders()), answer.read()

            upload = b"--x\r\ncontent-disposition: form-data; name=file\r\n\r\n\xff\x00\r\n--x--\r\n"
            kind = "multipart/form-data; boundary=x"
            status, headers, got = ask("POST", "/v1/files?purpose=batch", upload, **{"content-type": kind, "cookie": "c=d"})
            equal((status, headers["content-type"], got), (200, "audio/mpeg", b"\x00\xff\r\n" + upload))
            equal(headers["content-disposition"], "attachment; filename=a.mp3")
            assert "set-cookie" not in headers, headers
            method, path, sent, body = echo.server.got[-1]
            equal((method, path, body, sent["content-type"]), ("POST", "/v1/files?purpose=batch", upload, kind))
            equal(sent["authorization"], "Bearer " + KEY["PROVIDER_KEY"])
            assert "cookie" not in sent and key not in str(sent), sent
            for method, path in (("GET", "/v1/files/file-1/content"), ("DELETE", "/v1/files/file-1"),
                                 ("GET", "/v1/batches")):
                equal(ask(method, path)[0], 200)
                equal(echo.server.got[-1][:2], (method, path))
            # A failure is told in our form, and nothing is asked twice.
            asked = len(echo.server.got)
            status, _, got = ask("POST", "/v1/audio/busy", b"x")
            equal((status, json.loads(got)["error"]["message"], len(echo.server.got)), (429, "The provider answered 429: too busy", asked + 1))
            for path in ("/v1/files/../models", "/v1/files//x", "/v1/files/%2e%2e/models", "/v1/filesystem"):
                equal((path, ask("GET", path)[0]), (path, 404))
            until(lambda: ask("GET", "/v1/images", **{"authorization": "Bearer " + few})[0] == 403, "a limited key is refused")
            equal(ask("GET", "/v1/images")[0], 200)
            status, _, got = ask("GET", "/v1/images")
            equal((status, json.loads(got)["error"]["code"]), (429, "rate_limit_exceeded"))
            until(lambda: proxy.log().count('"event":"call"') == 6, "each is in the log")
            line = json.loads(next(line for line in proxy.log().splitlines() if '"event":"call"' in line))
            equal((line["route"], line["model"], line["status"]), ("/v1/files", "passthrough", 200))
        with Proxy(config(base)) as proxy:
            status, _, got = proxy.request("POST", "/v1/files", "x")
            equal(status, 404)
            has(got, "passthrough: PROVIDER")


def token_for(proxy, key=None, wanted=201, **more):
    body = {"origin": "https://app.example.org", "models": ["m"], "tokens": 20_000, **more}
    status, _, got = proxy.request("POST", "/v1/client-tokens", body, {
        "authorization": "Bearer " + (key or OPERATOR), "content-type": "application/json"}, port=proxy.control)
    equal((status, got if status != wanted else ""), (wanted, ""))
    return json.loads(got)


OPERATOR = "the-operators-own-token"
PAGE = "https://app.example.org"


@test
def a_client_token_is_for_one_page_some_models_and_a_budget_and_ends():
    with Provider() as provider, Proxy(config(provider.base("t"), "  log: json\n").replace(
            "{m: one/real-m}", "{m: one/real-m, n: one/n}"), "--log-level", "info", env={"PLUMB_TOKEN": OPERATOR}) as proxy:
        made = token_for(proxy)
        token = made["token"]

        def ask(token=token, origin=PAGE, **more):
            status, headers, body = proxy.ask("hello", headers={"authorization": "Bearer " + token, "origin": origin}, **more)
            # The page may read whatever it gets.
            equal(headers["access-control-allow-origin"], origin)
            return status, json.loads(body)["error"]["code"] if status != 200 else ""

        equal(ask(max_tokens=100), (200, ""))
        equal(ask(model="n", max_tokens=100), (403, "model_not_allowed"))
        equal(ask(origin="https://evil.example", max_tokens=100), (403, "origin_not_allowed"))
        equal(ask(max_tokens=50_000), (403, "client_token_spent"))
        short = token_for(proxy, seconds=1)["token"]
        small = token_for(proxy, tokens=150)["token"]
        got = [ask(small, max_tokens=100) for _ in range(40)]
        equal((got[0], got[-1]), ((200, ""), (403, "client_token_spent")))
        head, payload, signature = token.split(".")
        for wrong in (f"{head}.{payload}x.{signature}", f"{head}.{payload}.{signature[::-1]}", f"{head}.{payload}", head + "."):
            equal(ask(wrong, max_tokens=10), (401, "invalid_client_token"))
        until(lambda: ask(short, max_tokens=10)[1] == "client_token_expired", "the token has expired")
        equal([one["id"] for one in json.loads(proxy.request("GET", "/v1/models", headers={
            "authorization": "Bearer " + token, "origin": PAGE})[2])["data"]], ["m"])
        # A preflight has no token: the page is known when the request comes.
        status, headers, _ = proxy.request("OPTIONS", "/v1/chat/completions", headers={
            "origin": PAGE, "access-control-request-method": "POST", "access-control-request-headers": "authorization"})
        equal((status, headers["access-control-allow-origin"]), (204, PAGE))
        lacks(proxy.log(), payload, signature)
        has(proxy.log(), made["id"], '"event":"client_token"')
        for more, says in (({"origin": "app"}, "'origin' must be"), ({"models": []}, "1 to 20 names"), ({"tokens": 0}, "'tokens'"),
                           ({"seconds": 901}, "from 1 to 900"), ({"models": ["x"]}, "there is no model 'x'"),
                           ({"contract": "quizz"}, "there is no contract"), ({"orgin": "a"}, "did you mean 'origin'?")):
            has(token_for(proxy, wanted=422, **more)["detail"], says)
        kept = {name for name in os.listdir(proxy.f.path)}
        for name in kept:
            if os.path.isfile(proxy.f.at(name)):
                assert signature.encode() not in open(proxy.f.at(name), "rb").read(), name


@test
def a_client_token_has_no_more_rights_than_the_key_that_asked_for_it_and_ends_with_it():
    with Provider() as provider, Proxy(config(provider.base("t"), "  attempts: 0\n"), env={"PLUMB_TOKEN": OPERATOR}) as proxy:
        env = {**KEY, "XDG_STATE_HOME": proxy.f.path}
        run = lambda *words: plumb("keys", *words, "--config", proxy.f.at("plumb.yaml"), env=env).out.strip()
        key = run("create", "site", "--model", "m", "--contract", "quiz", "--origin", PAGE, "--limit", "requests_per_day=3")
        until(lambda: proxy.ask()[0] == 401, "the key is wanted")
        has(token_for(proxy, key, 422, origin="https://b.example", contract="quiz")["detail"], "is not for pages of https://b.example")
        has(token_for(proxy, key, 422)["detail"], "name one of them in 'contract'")
        has(token_for(proxy, key, 422, contract="mindmap")["detail"], "may not use the contract 'mindmap'")
        token_for(proxy, "plumb_" + "1" * 49, 401)
        token_for(proxy, "nothing-that-is-known", 401)
        token = token_for(proxy, key, contract="quiz")["token"]
        ask = lambda **headers: proxy.ask("{}", max_tokens=10, headers={
            "authorization": "Bearer " + token, "origin": PAGE, **headers})
        code_of = lambda got: json.loads(got[2])["error"]["code"]
        # Every call is held to the contract, and nothing weakens it.
        equal(code_of(ask()), "contract_not_kept")
        equal(code_of(ask(**{"x-plumb-contract": "flashcards"})), "contract_not_allowed")
        equal(code_of(ask(**{"x-plumb-mode": "observe"})), "mode_not_allowed")
        for _ in range(2):
            ask()
        equal(code_of(ask()), "rate_limit_exceeded")
        run("revoke", "site")
        until(lambda: code_of(ask()) == "key_revoked", "the token ends with its key")


FETCH = """
const [control, proxy, operator] = process.argv.slice(1);
const origin = "https://app.example.org";
const made = await fetch(`http://127.0.0.1:${control}/v1/client-tokens`, {
  method: "POST",
  headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
  body: JSON.stringify({ origin, models: ["m"], tokens: 20000, seconds: 60 }),
});
const { token } = await made.json();
const ask = async (from, model, max_tokens) => {
  const answer = await fetch(`http://127.0.0.1:${proxy}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", origin: from },
    body: JSON.stringify({ model, max_tokens, messages: [{ role: "user", content: "say: hello" }] }),
  });
  const body = await answer.json();
  return [answer.status, answer.headers.get("access-control-allow-origin"), body.error?.code ?? body.choices[0].message.content];
};
console.log(JSON.stringify([
  await ask(origin, "m", 50), await ask("https://b.example", "m", 50), await ask(origin, "x", 50), await ask(origin, "m", 1e6),
]));
"""


@test
def a_client_token_works_with_fetch():
    if shutil.which("node") is None:
        raise cli_test.Skip("node is not installed")
    with Provider() as provider, Proxy(config(provider.base("t")), env={"PLUMB_TOKEN": OPERATOR}) as proxy:
        done = subprocess.run(["node", "--input-type=module", "-e", FETCH, "--", str(proxy.control), str(proxy.port), OPERATOR],
                              capture_output=True, text=True, timeout=WAIT)
        equal((done.returncode, done.stderr), (0, ""))
        equal(json.loads(done.stdout), [[200, PAGE, "hello"], [403, "https://b.example", "origin_not_allowed"],
                                        [404, PAGE, "model_not_found"], [403, PAGE, "client_token_spent"]])


@test
def pages_of_an_allowed_origin_use_the_control_port_with_the_token():
    with Folder() as folder, Provider() as provider:
        folder.write("plumb.yaml", config(provider.base("t")))
        serve = ("serve", "--port", "0", "--store", folder.at("r.db"), "--config", folder.at("plumb.yaml"))
        for words, says in ((("--allow-origin", PAGE), "only with a token"), (("--allow-origin", "app"), "is not an origin")):
            done = plumb(*serve, *words, env={**KEY, "XDG_STATE_HOME": folder.path})
            code(done, 2)
            has(done.err, says)
        with Proxy(None, "--config", folder.at("plumb.yaml"), "--allow-origin", PAGE, env={"PLUMB_TOKEN": OPERATOR}) as proxy:
            ask = lambda method, origin, **headers: proxy.request(method, "/v1/runs", headers={
                "origin": origin, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", **headers}, port=proxy.control)
            token = {"authorization": "Bearer " + OPERATOR}
            status, headers, _ = ask("GET", PAGE, **token)
            equal((status, headers["access-control-allow-origin"]), (200, PAGE))
            status, headers, _ = ask("GET", PAGE)
            equal((status, headers["access-control-allow-origin"]), (401, PAGE))
            status, headers, _ = ask("OPTIONS", PAGE, **{"access-control-request-method": "POST"})
            equal((status, headers["access-control-allow-origin"]), (204, PAGE))
            has(headers["access-control-allow-methods"], "POST")
            # The page of this server may call its proxy.
            has(headers_of(proxy), f"connect-src 'self' http://127.0.0.1:{proxy.port};")
            for method in ("GET", "OPTIONS"):
                status, headers, _ = ask(method, "https://evil.example", **token, **{"access-control-request-method": "POST"})
                equal((status, headers.get("access-control-allow-origin")), (403, None))


def headers_of(proxy):
    return proxy.request("GET", "/healthz", port=proxy.control)[1]["content-security-policy"]


def canary_of(proxy):
    return {one["contract"]: one
            for one in json.loads(proxy.request("GET", "/v1/proxy", port=proxy.control)[2])["canary"]}


@test
def a_share_of_the_calls_is_enforced_by_their_ids_and_the_rest_observed():
    contracts = "  attempts: 0\n  contracts: {quiz: {enforce: 30%}, small: {contract: small.json, enforce: 0.5%}}\n"
    with Folder() as folder, Provider() as provider:
        folder.write("plumb.yaml", config(provider.base("t"), contracts))
        folder.write("small.json", '{"type": "object", "maxProperties": 1}')
        with Proxy(None, "--config", folder.at("plumb.yaml")) as proxy:
            seen = {"enforce": 0, "observe": 0}
            for number in range(40):
                status, headers, _ = proxy.ask("{}", stream=number % 2 == 1, headers={"x-plumb-contract": "quiz"})
                digest = hashlib.sha256(headers["x-request-id"].encode()).digest()
                mode = "enforce" if int.from_bytes(digest[:4], "big") / 2**32 < 0.3 else "observe"
                equal((headers["x-plumb-canary"], status), (mode, 406 if mode == "enforce" else 200))
                seen[mode] += 1
            assert seen["enforce"] and seen["observe"], seen
            # The client's own mode decides before the share, and other contracts are as they were.
            status, headers, _ = proxy.ask("{}", headers={"x-plumb-contract": "quiz", "x-plumb-mode": "observe"})
            equal((status, headers.get("x-plumb-canary")), (200, None))
            equal(proxy.ask("{}", headers={"x-plumb-contract": "small", "x-plumb-mode": "enforce"})[0], 200)
            # One call, twice: the answer that is given again tells how it was made.
            once = {"x-plumb-contract": "small", "idempotency-key": "one"}
            first, again = (proxy.ask("{}", headers=once)[1] for _ in range(2))
            equal((again["x-plumb-replayed"], again["x-plumb-canary"]), ("true", first["x-plumb-canary"]))
            until(lambda: sum(canary_of(proxy)["quiz"]["observed"][name] for name in ("kept", "broken")) ==
                  seen["observe"], "all calls are counted")
            canary = canary_of(proxy)
            equal((canary["quiz"]["share"], canary["small"]["share"]), (0.3, 0.005))
            for name, mode in (("enforced", "enforce"), ("observed", "observe")):
                equal((canary["quiz"][name]["broken"], canary["quiz"][name]["broken_rate"]), (seen[mode], 1))
                has(proxy.request("GET", "/metrics", port=proxy.control)[2],
                    f'plumb_proxy_canary_total{{contract="quiz",mode="{mode}",result="broken"}} {seen[mode]}',
                    'plumb_proxy_canary_share{contract="quiz"} 0.3')


def costly(count, states=9_000):
    """A schema under which each letter of a text is worth `count * states` steps."""
    return {"allOf": [{"pattern": "[ab]*a[ab]{%d}%d" % (states, number)} for number in range(count)]}


def letters(size):
    return json.dumps("".join("ab"[bin(number * 2654435761 % 4294967296).count("1") % 2] for number in range(size)))


def formatted(schema):
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}


@test
def what_is_too_much_work_is_undecided_and_nobody_else_waits_for_it():
    limits = "  bounds: {steps: 3000000}\n  judge: {to: one/judge, on_unverified: pass}\n"
    with Provider() as provider, Proxy(config(provider.base("t"), limits)) as proxy:
        text = letters(12_000)
        for stream in (False, True):
            for schema in (costly(100), costly(3, 400)):
                observed = proxy.ask(text, stream=stream, **formatted(schema))
                equal(observed[0], 200)
                has(observed[2], "undecided", "more than 3000000 steps")
                enforced = proxy.ask(text, stream=stream, **formatted(schema), plumb={"mode": "enforce"})
                has(enforced[2], "contract_undecided", "more than 3000000 steps")
            inline = proxy.ask(text, stream=stream, plumb={"contract": costly(100), "mode": "hold-back"})
            has(inline[2], "contract_undecided", "more than 3000000 steps")
        # Several of them at once, each of another text, and one that asks for nothing but an answer.
        calls = [threading.Thread(target=proxy.ask, args=(text,), kwargs=formatted(costly(100, 9_000 - number)))
                 for number in range(12)]
        for call in calls:
            call.start()
        for number in range(20):
            equal(json.loads(proxy.ask("hello")[2])["choices"][0]["message"]["content"], "hello")
        for call in calls:
            call.join()
        # What is quick to judge is judged as ever, also in patterns.
        good = proxy.ask('{"a":"xyz"}', **formatted({"properties": {"a": {"pattern": "^[a-z]{1,200}$"}}}), plumb={"mode": "enforce"})
        equal((good[0], json.loads(good[2])["plumb"]["decision"]), (200, "accept"))


@test
def schemas_of_clients_can_be_switched_off():
    with Provider() as provider, Proxy(config(provider.base("t"), "  own_contracts: false\n")) as proxy:
        status, headers, body = proxy.ask("{}", **formatted({"required": ["a"]}))
        equal((status, "plumb" in json.loads(body), headers.get("x-plumb-verdict")), (200, False, None))
        tool = {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"required": ["a"]}}}]}
        status, _, body = proxy.ask("{}", **tool, headers={"x-plumb-contract": "quiz", "x-plumb-mode": "observe"})
        equal((status, json.loads(body)["plumb"]["contract"]), (200, "quiz"))
        status, _, body = proxy.ask("{}", plumb={"contract": {"required": ["a"]}})
        equal(status, 403)
        has(body, "takes no contracts in a request")


@test
def without_plumb_yaml_every_model_is_passed_on_to_the_chosen_provider():
    with Provider() as provider:
        env = {"OPENAI_API_KEY": "sk-mine", "OPENAI_BASE_URL": provider.base("t")}
        with Proxy(None, "--proxy", "0", "--provider", "openai/gpt-4o", env=env) as proxy:
            status, _, body = proxy.ask("passed on")
            equal(status, 200)
            has(body, "passed on")


@test
def an_address_without_anybody_to_ask_says_to_give_a_provider():
    with Folder() as f:
        done = plumb("serve", "--port", "0", "--store", f.at("r.db"), "--no-config", "--proxy", "0",
                     env={"XDG_STATE_HOME": f.path})
        code(done, 2)
        has(done.err, "--proxy:", "--provider ollama/NAME")
        lacks(done.err, "'models'")


@test
def an_address_that_is_taken_or_none_is_told_before_anything_is_served():
    with Folder() as f, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        f.write("plumb.yaml", config("http://127.0.0.1:9/v1"))
        env = {**KEY, "XDG_STATE_HOME": f.path}
        for said, parts in ((str(port), ["in use", str(port)]), ("300000", ["--proxy"]), ("x:y:z", ["--proxy"])):
            done = plumb("serve", "--port", "0", "--store", f.at("r.db"), "--config", f.at("plumb.yaml"), "--proxy",
                         said, env=env)
            code(done, 2)
            has(done.err, *parts)
        f.write("plumb.yaml", config("http://127.0.0.1:9/v1", "  modles: {}\n"))
        done = plumb("serve", "--port", "0", "--store", f.at("r.db"), "--config", f.at("plumb.yaml"), env=env)
        code(done, 2)
        has(done.err, "modles", "models", "plumb.yaml:6")


@test
def an_address_that_others_can_reach_wants_a_client_key():
    with Folder() as f:
        f.write("plumb.yaml", config("http://127.0.0.1:9/v1"))
        done = plumb("serve", "--port", "0", "--store", f.at("r.db"), "--config", f.at("plumb.yaml"), "--proxy",
                     "0.0.0.0:0", env={**KEY, "XDG_STATE_HOME": f.path})
        code(done, 2)
        has(done.err, "plumb keys create")


@test
def a_changed_plumb_yaml_is_taken_without_dropping_a_stream_and_one_with_an_error_is_not_taken():
    with Provider() as provider, Proxy(config(provider.base("t", "gap=30,piece=1"))) as proxy:
        one, got = proxy.stream("a stream that goes on " * 4)
        proxy.f.write("plumb.yaml", config(provider.base("t"), "").replace("{m: one", "{other: one"))
        until(lambda: proxy.ask()[0] == 404, "the new settings")
        proxy.f.write("plumb.yaml", config(provider.base("t"), "  modles: {}\n"))
        proxy.process.send_signal(signal.SIGHUP)
        until(lambda: "modles" in proxy.log() or "modles" in proxy.request(
            "GET", "/v1/proxy", port=proxy.control)[2], "the error is told")
        equal(proxy.request("POST", "/v1/chat/completions", {
            "model": "other", "messages": [{"role": "user", "content": "say: still here"}]})[0], 200)
        got = read_all(one, got)
        one.close()
        has(got.decode(), "[DONE]")
        assert got.endswith(b"\r\n0\r\n\r\n")


@test
def sighup_reads_the_file_again_at_once_and_the_server_goes_on():
    with Provider() as provider, Proxy(config(provider.base("t"))) as proxy:
        for name in ("one", "two", "three"):
            proxy.f.write("plumb.yaml", config(provider.base("t")).replace("{m: one", f"{{{name}: one"))
            proxy.process.send_signal(signal.SIGHUP)
            until(lambda: f'"id":"{name}"' in proxy.request("GET", "/v1/models")[2], name)
        equal(proxy.process.poll(), None)


@test
def sigterm_lets_open_streams_end_within_the_grace_time():
    with Provider() as provider, Proxy(config(provider.base("t", "gap=30,piece=2"))) as proxy:
        one, got = proxy.stream("all of this is still said " * 3)
        proxy.process.send_signal(signal.SIGTERM)
        got = read_all(one, got)
        one.close()
        has(got.decode(), "[DONE]")
        equal(proxy.process.wait(WAIT), 0)


@test
def sigterm_tells_streams_that_do_not_end_in_time():
    text = config("BASE", "  bounds: {grace_ms: 300}\n")
    with Provider() as provider, Proxy(text.replace("BASE", provider.base("t", "silent_after=2"))) as proxy:
        streams = [proxy.stream("never said to its end") for _ in range(20)]
        proxy.process.send_signal(signal.SIGTERM)
        for one, got in streams:
            got = read_all(one, got)
            one.close()
            has(got.decode(), '"error"', "being stopped")
            lacks(got.decode(), "[DONE]")
        equal(proxy.process.wait(WAIT), 0)


@test
def a_client_that_leaves_stops_the_provider():
    with Provider() as provider, Proxy(config(provider.base("t", "gap=50,piece=1"))) as proxy:
        one, _ = proxy.stream("a long answer " * 100)
        one.close()
        until(lambda: provider.stats("t")["gone"] == 1, "the provider is told")


@test
def a_client_key_is_wanted_once_there_is_one_and_its_provider_key_is_never_told():
    with Provider() as provider, Proxy(config(provider.base("t", "status=401,key_told")), "--log", "json",
                                       "--log-level", "debug") as proxy:
        env = {**KEY, "XDG_STATE_HOME": proxy.f.path}
        made = plumb("keys", "create", "mine", "--config", proxy.f.at("plumb.yaml"), env=env)
        code(made, 0)
        key = made.out.strip().splitlines()[-1]
        until(lambda: proxy.ask()[0] == 401 and "missing_api_key" in proxy.ask()[2], "the key is wanted")
        status, _, body = proxy.ask(headers={"Authorization": "Bearer " + key})
        equal(status, 502)
        lacks(body, KEY["PROVIDER_KEY"])
        lacks(body, "missing_api_key")
        lacks(proxy.log(), KEY["PROVIDER_KEY"], key)


@test
def two_thousand_open_streams_leave_the_health_checks_answering():
    text = config("BASE", "  bounds: {connections_each: 5000}\n")
    with Provider() as provider, Proxy(text.replace("BASE", provider.base("t", "silent_after=1"))) as proxy:
        streams, lock = [], threading.Lock()

        def some():
            for _ in range(250):
                one = proxy.stream("more than one piece, and then nothing")
                with lock:
                    streams.append(one)

        threads = [threading.Thread(target=some) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(len(streams), 2000)
        for port in (proxy.port, proxy.control):
            equal(proxy.request("GET", "/healthz", port=port)[0], 200)
        for one, _ in streams:
            one.close()
        until(lambda: provider.stats("t")["gone"] == 2000, "all are stopped")


@test
def sigterm_leaves_time_to_be_noticed_before_the_ports_close():
    with Provider() as provider, Proxy(config(provider.base("t"), "  bounds: {stop_delay_ms: 3000}\n")) as proxy:
        for port in (proxy.port, proxy.control):
            equal(proxy.request("GET", "/readyz", port=port)[0], 200)
        proxy.process.send_signal(signal.SIGTERM)
        until(lambda: proxy.request("GET", "/readyz")[0] == 503, "the data port says that it is not ready")
        equal(proxy.request("GET", "/readyz", port=proxy.control)[0], 503)
        equal(proxy.request("GET", "/healthz")[0], 200)
        equal(proxy.ask("still here")[0], 200)
        equal(proxy.process.wait(timeout=WAIT), 0)


@test
def a_second_signal_does_not_wait_for_the_delay():
    with Provider() as provider, Proxy(config(provider.base("t"), "  bounds: {stop_delay_ms: 600000}\n")) as proxy:
        proxy.process.send_signal(signal.SIGTERM)
        until(lambda: proxy.request("GET", "/readyz")[0] == 503, "it is not ready")
        proxy.process.send_signal(signal.SIGTERM)
        proxy.process.wait(timeout=WAIT)


@test
def a_kill_loses_no_usage_of_its_last_second():
    with Provider() as provider:
        text = config(provider.base("t"), "  limits: {requests_per_day: 5}\n  counters: counters.json\n")
        with Proxy(text) as proxy:
            for _ in range(4):
                equal(proxy.ask()[0], 200)
            proxy.process.kill()
            proxy.process.wait()
            kept = {name: open(proxy.f.at(name), "rb").read() for name in ("counters.json", "counters.json.live")}
        for files, left in ((kept, 1), ({"counters.json": kept["counters.json"], "counters.json.live": b"garbage"}, 5),
                            ({"counters.json.live": kept["counters.json.live"]}, 5)):
            folder = Folder()
            with folder as f:
                for name, data in files.items():
                    with open(f.at(name), "wb") as file:
                        file.write(data)
                with Proxy(text.replace("counters.json", f.at("counters.json"))) as proxy:
                    equal([proxy.ask()[0] for _ in range(left + 1)], [200] * left + [429])


@test
def all_lines_of_the_log_have_one_format():
    with Provider() as provider:
        for kind in ("json", "text"):
            with Proxy(config(provider.base("t"), f"  log: {kind}\n"), "--log-level", "info") as proxy:
                proxy.ask()
                proxy.request("GET", "/v1/version", port=proxy.control)
                proxy.request("GET", "/v1/models", headers={"host": "evil.example"})
                until(lambda p=proxy: "host_not_ours" in p.log() and "/v1/version" in p.log(), "all is in the log")
                for line in proxy.log().splitlines():
                    if kind == "json":
                        one = json.loads(line)
                        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["time"]), line
                        assert one["level"] in ("info", "warning", "error") and one["event"], line
                    else:
                        assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning|error) \w+: ", line), line


@test
def the_metrics_say_what_the_process_takes():
    with Provider() as provider, Proxy(config(provider.base("t"))) as proxy:
        text = proxy.request("GET", "/metrics", port=proxy.control)[2]
        for name in ("process_cpu_seconds_total", "process_resident_memory_bytes", "process_virtual_memory_bytes",
                     "process_threads", "process_open_fds", "process_max_fds", "process_start_time_seconds"):
            found = re.search(rf"^{name} ([0-9.]+)$", text, re.MULTILINE)
            assert found and float(found.group(1)) > 0, name
        started = float(re.search(r"^process_start_time_seconds ([0-9.]+)$", text, re.MULTILINE).group(1))
        assert abs(time.time() - started) < 600, started


def memory_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024


class Bulk:
    """A provider whose every answer is whole and 50 MB long."""
    BODY = (b'{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":'
            b'{"role":"assistant","content":"' + b"w" * 50_000_000 + b'"},"finish_reason":"stop"}]}')

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                one, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(one,), daemon=True).start()

    def answer(self, one):
        try:
            got = b""
            while b"]}" not in got:
                got += one.recv(65536)
            one.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(self.BODY))
            one.sendall(self.BODY)
        except OSError:
            pass


@test
def long_answers_that_nobody_reads_take_little_memory_and_those_that_are_read_give_it_back():
    with Bulk() as bulk, Proxy(config(f"http://127.0.0.1:{bulk.port}/v1")) as proxy:
        body = '{"model": "m", "messages": [{"role": "user", "content": "x"}]}'
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n\r\n{body}"
        before = memory_mb(proxy.process.pid)
        clients = []
        for _ in range(20):
            clients.append(socket.create_connection(("127.0.0.1", proxy.port), timeout=WAIT))
            clients[-1].sendall(head.encode())
        for one in clients:
            assert one.recv(10), "the answer has begun"
        highest = 0
        for _ in range(30):
            highest = max(highest, memory_mb(proxy.process.pid))
            time.sleep(0.05)
        assert highest - before < 150, f"{before:.0f} MB before, {highest:.0f} MB with 20 unread answers"
        read = 0
        while piece := clients[0].recv(1 << 20):
            read += len(piece)
            if piece.endswith(b"\r\n0\r\n\r\n"):
                break
        assert read > len(Bulk.BODY), read
        for one in clients:
            one.close()
        until(lambda: memory_mb(proxy.process.pid) - before < 30, "the memory goes back")


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("proxy command", TESTS, sys.argv[1:]))
