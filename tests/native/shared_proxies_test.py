#!/usr/bin/env python3
"""Proxies of two hosts that share client keys, limits and Idempotency-Keys over a real nats-server, with TLS and a login, killed
and cut off; only the model is scripted.

    PLUMB_BIN=build/bin/plumb tests/native/shared_proxies_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite shared proxies: N passed, M failed, K skipped`.
"""
import http.client
import json
import shutil
import subprocess
import sys
import threading
import time

import cli_test
from cli_test import Folder, Skip, code, equal, has, lacks, plumb
from events_test import NatsServer
from proxy_test import KEY, Provider, Proxy, config, until

TESTS = []
LOGIN = "plumb:s3cret"


def test(function):
    TESTS.append(function)
    return function


def certificates(folder):
    """An authority, another one, and certificates of the first: of this machine, and of a host that is elsewhere."""
    if not shutil.which("openssl"):
        raise Skip("openssl is not installed")

    def make(name, subject, *more):
        result = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout",
             folder.at(name + ".key"), "-out", folder.at(name + ".pem"), "-subj", "/CN=" + subject, *more],
            capture_output=True, check=False)
        equal(result.returncode, 0)

    make("ca", "authority")
    make("other", "another authority")
    for name, of in (("here", "DNS:localhost,IP:127.0.0.1"), ("number", "IP:127.0.0.1"), ("elsewhere", "DNS:elsewhere.example")):
        make(name, "nats", "-CA", folder.at("ca.pem"), "-CAkey", folder.at("ca.key"), "-addext", "subjectAltName=" + of,
             "-addext", "basicConstraints=critical,CA:FALSE")


def with_tls(folder, name):
    user, password = LOGIN.split(":")
    return (f'tls {{cert_file: "{folder.at(name + ".pem")}", key_file: "{folder.at(name + ".key")}"}}\n'
            f"authorization {{user: {user}, password: {password}}}\n")


def shared(provider, nats, more="", script="ok", scheme="nats"):
    return config(provider.base("t", script), f"  share: {scheme}://localhost:{nats.port}/shared\n{more}")


def metric(proxy, name):
    lines = proxy.request("GET", "/metrics", port=proxy.control)[2].splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


def cut_off(proxy, **more):
    """A call whose proxy is lost."""
    try:
        proxy.ask(**more)
    except (OSError, http.client.HTTPException):
        pass


def keyed(key, client=None):
    return {"Idempotency-Key": key, **({"Authorization": "Bearer " + client} if client else {})}


@test
def two_proxies_share_keys_limits_and_answers_over_tls_with_a_login_and_an_authority():
    with Folder() as f:
        certificates(f)
        env = {"PLUMB_NATS_LOGIN": LOGIN, "PLUMB_NATS_CA": f.at("ca.pem")}
        with Provider() as provider, NatsServer(with_tls(f, "here")) as nats:
            text = shared(provider, nats, "  limits: {requests_per_minute: 20}\n  limits_all: {requests_per_minute: 20}\n", scheme="tls")
            with Proxy(text, env=env) as a, Proxy(text, env=env) as b:
                names = {}
                for name in ("ann", "bob"):
                    made = plumb("keys", "create", name, "--config", a.f.at("plumb.yaml"), cwd=a.f.path,
                                 env={**KEY, "XDG_STATE_HOME": a.f.path})
                    code(made, 0)
                    names[name] = next(word for word in made.out.split() if word.startswith("plumb_"))
                for proxy in (a, b):
                    until(lambda proxy=proxy: proxy.request("GET", "/v1/models")[0] == 401, "keys are wanted")
                    until(lambda proxy=proxy: all(proxy.request("GET", "/v1/models", headers={"Authorization": "Bearer " + key})[0] == 200
                                                  for key in names.values()), "a key of one host is the other's")
                equal(b.ask(headers=keyed("first", names["ann"]))[0], 200)
                asked = provider.stats("t")["requests"]
                # What b has answered a answers too: for that key and request, and for no other client.
                until(lambda: a.ask(headers=keyed("first", names["ann"]))[0] == 200, "b has told it")
                status, heads, body = a.ask(headers=keyed("first", names["ann"]))
                equal((status, heads.get("x-plumb-replayed")), (200, "true"))
                equal(body, b.ask(headers=keyed("first", names["ann"]))[2])
                equal(a.ask("else", headers=keyed("first", names["ann"]))[0], 422)
                equal(provider.stats("t")["requests"], asked)
                status, heads, _ = a.ask(headers=keyed("first", names["bob"]))
                equal((status, heads.get("x-plumb-replayed")), (200, None))
                equal(provider.stats("t")["requests"], asked + 1)
                # All together let in what the limit allows, and not one call more.
                let_in = sum(proxy.ask(headers={"Authorization": "Bearer " + names["bob"]})[0] == 200
                             for _ in range(20) for proxy in (a, b))
                assert 1 <= let_in < 20, let_in
                for proxy in (a, b):
                    equal(metric(proxy, "plumb_proxy_sharing_away "), 0)
                    lacks(proxy.log(), "s3cret")
            # A store of runs there, too; of several servers each has a certificate of its own name.
            store = {"PLUMB_STORE": f"tls://localhost:{nats.port}/runs", "XDG_STATE_HOME": f.path}
            code(plumb("runs", "list", env={**env, **store}), 0)
            with NatsServer(with_tls(f, "number")) as second, NatsServer(with_tls(f, "elsewhere")) as wrong:
                several = f"tls://localhost:{wrong.port},127.0.0.1:{second.port}/runs"
                for _ in range(3):
                    code(plumb("runs", "list", env={**env, **store, "PLUMB_STORE": several}), 0)
            refused = plumb("runs", "list", env={**env, **store, "PLUMB_NATS_CA": f.at("other.pem")})
            code(refused, 2)
            has(refused.err, "certificate is not believed")


@test
def a_wrong_authority_name_or_login_is_told_at_the_start():
    with Folder() as f:
        certificates(f)
        with NatsServer(with_tls(f, "here")) as nats, NatsServer(with_tls(f, "elsewhere")) as elsewhere, NatsServer() as plain:
            right = {"PLUMB_NATS_LOGIN": LOGIN, "PLUMB_NATS_CA": f.at("ca.pem")}
            for server, scheme, env, words in (
                    (nats, "tls", {"PLUMB_NATS_CA": f.at("other.pem")}, ("certificate is not believed", "PLUMB_NATS_CA")),
                    (nats, "tls", {"PLUMB_NATS_CA": f.at("none.pem")}, ("PLUMB_NATS_CA names '", "none.pem' which is not there")),
                    (nats, "tls", {"PLUMB_NATS_LOGIN": "plumb:wr0ng"}, ("do not let us in: see PLUMB_NATS_LOGIN",)),
                    (nats, "nats", {}, ("the servers want TLS", "tls://")),
                    (elsewhere, "tls", {}, ("of another host", "expected=localhost")),
                    (plain, "tls", {}, ("speak no TLS", "nats://"))):
                f.write("plumb.yaml", config("http://127.0.0.1:1/v1", f"  share: {scheme}://localhost:{server.port}/shared\n"))
                result = plumb("serve", "--port", "0", "--store", f.at("runs.db"), "--config", f.at("plumb.yaml"), cwd=f.path,
                               env={**KEY, "XDG_STATE_HOME": f.path, **right, **env})
                code(result, 2)
                has(result.err.replace("',", "'"), f"{scheme}://localhost:{server.port}/shared", *words)
                lacks(result.err, "wr0ng", "s3cret")


@test
def a_proxy_that_is_killed_in_the_middle_of_a_call_costs_one_more_call_and_no_more():
    with Provider() as provider, NatsServer() as nats:
        with Proxy(shared(provider, nats, script="hang")) as a, Proxy(shared(provider, nats)) as b, \
                Proxy(shared(provider, nats)) as c:
            lost = threading.Thread(target=cut_off, args=(a,), kwargs={"headers": keyed("k")})
            lost.start()
            until(lambda: provider.stats("t")["requests"] == 1, "the call is under way")
            status, heads, body = b.ask(headers=keyed("k"))
            equal((status, json.loads(body)["error"]["code"], heads["retry-after"]), (409, "idempotency_in_progress", "1"))
            a.process.kill()
            killed = time.monotonic()
            lost.join()
            until(lambda: b.ask(headers=keyed("k"))[0] == 200, "the claim of a process that died ends")
            took = time.monotonic() - killed
            assert 5 < took < 40, took
            for proxy in (b, c):
                equal(proxy.ask(headers=keyed("k"))[1].get("x-plumb-replayed"), "true")
            equal(provider.stats("t")["requests"], 2)


@test
def with_the_servers_stopped_in_the_middle_of_a_call_each_goes_on_and_what_was_answered_is_shared_afterwards():
    with Provider() as provider, NatsServer() as nats:
        text = shared(provider, nats, script="delay=1500")
        with Proxy(text) as a, Proxy(text) as b:
            given = []
            one = threading.Thread(target=lambda: given.append(a.ask("of a", headers=keyed("k"))))
            one.start()
            until(lambda: provider.stats("t")["requests"] == 1, "the call is under way")
            nats.kill()
            one.join()
            equal(given[0][0], 200)
            equal(a.ask("of a", headers=keyed("k"))[1].get("x-plumb-replayed"), "true")
            for proxy in (a, b):
                until(lambda proxy=proxy: metric(proxy, "plumb_proxy_sharing_away ") == 1, "it is told in metrics")
                until(lambda proxy=proxy: "goes on with the shares of limits that it holds" in proxy.log(), "and in the log")
            nats.again()
            for proxy in (a, b):
                until(lambda proxy=proxy: metric(proxy, "plumb_proxy_sharing_away ") == 0, "it is told in metrics")
                until(lambda proxy=proxy: "shared again" in proxy.log(), "it is told in the log")
            until(lambda: b.ask("of a", headers=keyed("k"))[0] == 200, "b has it")
            equal(b.ask("of a", headers=keyed("k"))[2], given[0][2])
            equal(provider.stats("t")["requests"], 1)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("shared proxies", TESTS, sys.argv[1:]))
