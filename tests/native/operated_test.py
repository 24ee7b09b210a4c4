#!/usr/bin/env python3
"""The proxy as it is operated: behind nginx and Caddy, on a full disk, through a restart, watched by Prometheus.

    PLUMB_BIN=build/bin/plumb tests/native/operated_test.py [WORD...]     only tests whose sentence has all words

nginx, Caddy and promtool are the real ones; what is not installed is counted as skipped. The last line is
`suite operated: N passed, M failed, K skipped`.
"""
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time

import cli_test
from cli_test import ROOT, Folder, code, equal, has, lacks, plumb
from proxy_test import KEY, WAIT, Provider, Proxy, config, read_all, until

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def needs(name):
    if shutil.which(name) is None:
        raise cli_test.Skip(f"{name} is not installed")


def document(name):
    with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as file:
        return file.read()


def block(kind):
    """The one block of this kind in the page about operation."""
    return re.search(rf"```{kind}\n(.*?)```", document("proxy-operate.md"), re.DOTALL).group(1)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Started:
    """A program that listens on a port."""

    def __init__(self, folder, port, *command, env=None):
        self.log = open(folder.at(command[0] + ".log"), "wb")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=folder.path,
                                        env={**os.environ, **(env or {})})
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    return
            assert self.process.poll() is None, open(folder.at(command[0] + ".log"), encoding="utf-8").read()
            time.sleep(0.02)
        raise AssertionError(f"{command[0]} does not listen")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def nginx(folder, proxy_port):
    needs("nginx")
    port = free_port()
    temporary = " ".join(f"{kind}_temp_path {folder.path}/{kind};"
                         for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root; " if os.geteuid() == 0 else ""
    folder.write("nginx.conf",
                 f"daemon off; {user}worker_processes 1; pid {folder.path}/nginx.pid; error_log stderr warn;\n"
                 f"events {{}}\nhttp {{ access_log off; {temporary}\nserver {{ listen 127.0.0.1:{port};\n"
                 f"{block('nginx').replace('127.0.0.1:8788', f'127.0.0.1:{proxy_port}')}}} }}\n")
    return port, Started(folder, port, "nginx", "-c", folder.at("nginx.conf"), "-e", "stderr")


def caddy(folder, proxy_port):
    needs("caddy")
    port = free_port()
    text = block("caddyfile").replace("127.0.0.1:8788", f"127.0.0.1:{proxy_port}")
    folder.write("Caddyfile", "{\n  admin off\n  auto_https off\n}\n" + text.replace("plumb.example.org", f"http://127.0.0.1:{port}"))
    return port, Started(folder, port, "caddy", "run", "--config", folder.at("Caddyfile"), "--adapter", "caddyfile",
                         env={"XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path})


def holds_behind(front):
    """Streams arrive as they are written, bodies of 20 MB pass, and the log has the client's address."""
    more = "  trusted_proxies: [127.0.0.1]\n  log: json\n"
    with Folder() as folder, Provider() as provider, Proxy(
            config(provider.base("t", "gap=120,piece=6"), more), "--log-level", "info") as proxy:
        env = {"XDG_STATE_HOME": proxy.f.path}
        key = plumb("keys", "create", "web", "--config", proxy.f.at("plumb.yaml"), env={**KEY, **env}).out.strip()
        known = {"authorization": "Bearer " + key}
        until(lambda: proxy.request("GET", "/v1/models", headers=known)[0] == 200 and proxy.request("GET", "/v1/models")[0] == 401,
              "the key is wanted")
        port, started = front(folder, proxy.port)
        headers = {"authorization": "Bearer " + key, "content-type": "application/json", "x-forwarded-for": "203.0.113.7"}
        with started:
            elsewhere = ("127.0.0.2", 0)  # the client is not on the address of the server in front
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT, source_address=elsewhere)
            text = "one two three four five six seven eight nine ten"
            connection.request("POST", "/v1/chat/completions", json.dumps(
                {"model": "m", "stream": True, "messages": [{"role": "user", "content": "say: " + text}]}), headers)
            answer = connection.getresponse()
            equal(answer.status, 200)
            times = []
            while line := answer.readline():
                if line.startswith(b"data: {"):
                    times.append(time.monotonic())
            # Held back until the end, they would all come at once.
            assert times[-1] - times[0] > 0.5 and times[len(times) // 2] - times[0] > 0.2, [t - times[0] for t in times]
            connection.close()
            image = "data:image/png;base64," + "A" * 20_000_000
            body = {"model": "m", "messages": [{"role": "user", "content": [
                {"type": "text", "text": "say: seen"}, {"type": "image_url", "image_url": {"url": image}}]}]}
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT, source_address=elsewhere)
            connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
            answer = connection.getresponse()
            got = answer.read()
            connection.close()
            equal((answer.status, json.loads(got)["choices"][0]["message"]["content"]), (200, "seen"))
            until(lambda: proxy.log().count('"event":"call"') == 2, "both calls are in the log")
            for line in proxy.log().splitlines():
                one = json.loads(line)
                if one["event"] == "call":
                    # What a client itself says of its address is not believed.
                    equal(one["client"], "127.0.0.2")
                    equal(one["status"], 200)


@test
def behind_nginx_as_documented_streams_are_not_held_back_and_large_bodies_pass():
    holds_behind(nginx)


@test
def behind_caddy_as_documented_streams_are_not_held_back_and_large_bodies_pass():
    holds_behind(caddy)


@test
def the_alert_rules_are_sound_and_name_metrics_that_there_are():
    needs("promtool")
    rules = document("examples/alerts.yaml")
    with Folder() as folder, Provider() as provider, Proxy(config(provider.base("t"))) as proxy:
        folder.write("alerts.yaml", rules)
        shutil.copy(os.path.join(ROOT, "tests/native/alerts.test.yaml"), folder.path)
        for words in (("check", "rules", "alerts.yaml"), ("test", "rules", "alerts.test.yaml")):
            done = subprocess.run(["promtool", *words], cwd=folder.path, capture_output=True, text=True)
            equal((done.returncode, done.stderr), (0, ""))
        proxy.ask()
        text = proxy.request("GET", "/metrics", port=proxy.control)[2]
        told = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE)) | {"plumb_proxy_sharing_away"}  # where it is shared
        named = set(re.findall(r"\bplumb_\w+", "".join(re.findall(r"expr:((?:.|\n)*?)\n +(?:for|labels):", rules))))
        assert len(named) > 8 and named <= told, named - told
        # Prometheus' own reader takes all of it.
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        lacks(done.stderr, "error while linting", "parsing error")
        assert done.returncode in (0, 3), done  # 3: it would name something otherwise


@test
def what_clients_send_does_not_make_the_metrics_grow():
    with Provider() as provider, Proxy(config(provider.base("t")).replace("{m: one/real-m}", "{m: one/real-m, '*': one}")) as proxy:
        def hostile(word):
            proxy.request("POST", "/v1/chat/completions",
                          {"model": f"m-{word}", "messages": [{"role": "user", "content": "x"}]},
                          {"x-plumb-contract": f"c-{word}", "x-plumb-mode": f"mode-{word}", "idempotency-key": word})
            proxy.ask(headers={"x-plumb-contract": f"c-{word}"})
            proxy.ask(model=f"n-{word}")
            proxy.request("GET", f"/v1/{word}")
            proxy.request(f"M{word}", "/v1/chat/completions")
            proxy.request("GET", "/v1/models", headers={"authorization": f"Bearer {word}", "origin": f"https://{word}.example"})
            proxy.request("GET", f"/{word}", port=proxy.control)
            proxy.request(f"M{word}", f"/v1/runs/{word}", port=proxy.control)

        def series():
            text = proxy.request("GET", "/metrics", port=proxy.control)[2]
            return {line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")}

        for word in ("a1", "a2"):
            hostile(word)
        until(lambda: any('model="*"' in one for one in series()), "calls are counted")
        time.sleep(0.3)
        before = series()
        for number in range(60):
            hostile(f"b{number}")
        time.sleep(0.3)
        equal(sorted(series() - before)[:5], [])


@test
def where_records_go_is_checked_at_the_start_and_after_a_change():
    with Folder() as folder, Provider() as provider:
        folder.write("file", "")
        for place in ("file", "missing/folder", "/proc/plumb"):
            folder.write("plumb.yaml", config(provider.base("t"), f"  record: {place}\n"))
            done = plumb("serve", "--port", "0", "--store", folder.at("r.db"), "--config", folder.at("plumb.yaml"),
                         env={**KEY, "XDG_STATE_HOME": folder.path})
            code(done, 2)
            has(done.err, "`record` in plumb.yaml", place.rpartition("/")[2])
        folder.write("plumb.yaml", config(provider.base("t"), "  record: kept\n"))
        with Proxy(None, "--config", folder.at("plumb.yaml")) as proxy:
            equal(os.stat(folder.at("kept")).st_mode & 0o777, 0o700)
            folder.write("plumb.yaml", config(provider.base("t"), "  record: file\n"))
            until(lambda: "`record` in plumb.yaml" in json.loads(
                proxy.request("GET", "/v1/proxy", port=proxy.control)[2])["config"]["problem"], "the change is refused")
            equal(proxy.ask()[0], 200)


@test
def on_a_full_disk_every_answer_arrives_and_what_is_not_kept_is_told():
    more = "  record: kept\n  counters: counters.json\n  limits: {requests_per_day: 1000}\n"
    with Folder() as folder, Provider() as provider:
        folder.write("plumb.yaml", config(provider.base("t"), more))
        with Proxy(None, "--config", folder.at("plumb.yaml")) as proxy:
            metric = lambda name: int(re.search(rf"^{name} (\d+)", proxy.request(
                "GET", "/metrics", port=proxy.control)[2], re.MULTILINE).group(1))
            kept = lambda: [open(folder.at("kept/" + name), encoding="utf-8").read() for name in os.listdir(folder.at("kept"))]
            equal(proxy.ask("first " * 100)[0], 200)
            until(lambda: len(kept()) == 1, "the first call is kept")
            before = kept()[0]
            # As if the disk were full: files may not grow. (The test and so the server ignore SIGXFSZ.)
            resource.prlimit(proxy.process.pid, resource.RLIMIT_FSIZE, (len(before) + 100, resource.RLIM_INFINITY))
            for stream in (False, True):
                status, _, body = proxy.ask("second " * 100, stream)
                equal(status, 200)
                has(body, "[DONE]" if stream else "second second")
            until(lambda: metric("plumb_proxy_records_dropped_total") == 2, "what is not kept is counted")
            until(lambda: "cannot be written" in proxy.log(), "it is told")
            equal(kept()[0], before)  # and no half of a line
            equal(proxy.request("GET", "/readyz")[0], 200)
            resource.prlimit(proxy.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            equal(proxy.ask("third")[0], 200)
            until(lambda: "third" in kept()[0], "there is room again")
            for line in kept()[0].splitlines():
                json.loads(line)


@test
def an_upgrade_while_streams_run_ends_none_of_them_and_keeps_the_counts():
    more = "  counters: counters.json\n  limits: {requests_per_day: 4}\n"
    with Folder() as folder, Provider() as provider:
        port = free_port()
        text = config(provider.base("t", "gap=40,piece=2"), more).replace("127.0.0.1:0", f"127.0.0.1:{port}")
        folder.write("plumb.yaml", text)
        with Proxy(None, "--config", folder.at("plumb.yaml")) as old:
            streams = [old.stream("all of this is still said " * 3) for _ in range(3)]
            old.process.send_signal(signal.SIGTERM)
            ended = [read_all(one, got) for one, got in streams]
            for got in ended:
                has(got.decode(), "[DONE]")
            equal(old.process.wait(WAIT), 0)
        with Proxy(None, "--config", folder.at("plumb.yaml")) as new:
            equal(new.port, port)
            equal([new.ask()[0] for _ in range(2)], [200, 429])


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("operated", TESTS, sys.argv[1:]))
