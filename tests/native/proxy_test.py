#!/usr/bin/env python3
"""The data port of `plumb serve`, as its users start, configure, reload and stop it; only the model is scripted.

    PLUMB_BIN=build/bin/plumb tests/native/proxy_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite proxy command: N passed, M failed, K skipped`.
"""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import cli_test
from cli_test import ROOT, Folder, code, environment, equal, has, lacks, plumb

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
        equal(status, 401)
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


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("proxy command", TESTS, sys.argv[1:]))
