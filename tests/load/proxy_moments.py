#!/usr/bin/env python3
"""How long the proxy takes for what is no matter of load: to start, to stop a provider whose client has left, to hand on
what hold-back has decided; whether a reload drops a stream; and what TLS to the provider costs.

    proxy_moments.py PLUMB PROXY_LOAD
"""
import json
import os
import queue
import socket
import statistics
import subprocess
import threading
import time

from servers import (LOAD, PLUMB, cpu_s, end_all, folder, free_port, load, start, start_nginx, start_plumb, wait_for)

WAIT = 20
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def tell(name, value, unit, bound=None):
    verdict = "" if bound is None else ("reached " if value <= bound else "missed  ")
    print(f"{verdict:8}{name}: {value:.2f} {unit}" + ("" if bound is None else f" (<= {bound})"), flush=True)


def chunk(text):
    return f"{len(text):x}\r\n".encode() + text + b"\r\n"


def event(text):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return chunk(b"data: " + json.dumps({"id": "c", "model": "m", "choices": [choice]}).encode() + b"\n\n")


def request(key, stream, fields=""):
    body = json.dumps({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "Make a quiz."}]})
    return (f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {key}\r\n{fields}"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}").encode()


class Provider:
    """A listening socket whose connections a test answers by hand."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.listener.settimeout(WAIT)
        self.port = self.listener.getsockname()[1]

    def take(self):
        call, _ = self.listener.accept()
        call.settimeout(WAIT)
        got = b""
        while b"\r\n\r\n" not in got or not got.endswith(b"}"):
            got += call.recv(65536)
        return call


def client_of(port):
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(WAIT)
    return client


def starting(upstream):
    """From the process's beginning to the end of its first answer."""
    took = []
    for number in range(5):
        port = free_port()
        config = f"{folder}/start.yaml"
        with open(config, "w", encoding="ascii") as file:
            file.write(f'providers: {{one: {{speaks: openai, base_url: "http://127.0.0.1:{upstream}/v1"}}}}\n'
                       f"proxy: {{listen: 127.0.0.1:{port}, models: {{m: one/m}}, keys: none, "
                       f"counters: {folder}/start-counters.json}}\n")
        began = time.monotonic()
        process = start(PLUMB, "serve", "--config", config, "--port", "0", "--store", f"{folder}/start{number}.db",
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
        while time.monotonic() < began + WAIT:
            try:
                client = client_of(port)
                break
            except OSError:
                time.sleep(0.001)
        client.sendall(request("none", False))
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        took.append((time.monotonic() - began) * 1000)
        process.terminate()
        process.wait()
    tell("from the process's start to the end of its first answer", statistics.median(took), "ms", 100)


def leaving(provider, port, key):
    """From the moment that a client leaves to the one at which its provider is told."""
    def before(stream, sent):
        took = []
        for _ in range(20):
            client = client_of(port)
            client.sendall(request(key, stream))
            call = provider.take()
            call.sendall(sent)
            if sent:
                client.recv(1)
            client.close()
            left = time.monotonic()
            while call.recv(65536):
                pass
            took.append((time.monotonic() - left) * 1000)
            call.close()
        return max(took)

    for name, stream, sent in (("in the middle of a stream", True, HEAD + event("a")),
                               ("in a silent gap after many events", True, HEAD + event("a") * 50),
                               ("before the first token", True, b""), ("of an answer in one piece", False, b"")):
        tell(f"a client leaves {name}: until its provider knows, longest of 20", before(stream, sent), "ms", 50)


def holding_back(provider, port, key):
    """From the byte that decides a question to the question's arrival, against the same bytes passed on unread."""
    questions = [json.dumps({"question": f"What is said in paragraph {n}?", "options": ["A", "B", "C", f"D{n}"],
                             "correct_answer": "A", "explanation": f"Paragraph {n} says so, at some length."})
                 for n in range(40)]

    def delays(fields):
        client = client_of(port)
        client.sendall(request(key, True, fields))
        call = provider.take()
        call.sendall(HEAD + event('{"questions":['))
        took = []
        got = b""
        for number, question in enumerate(questions):
            call.sendall(event("," * (number > 0) + question[:-1]))
            time.sleep(0.005)  # a pace: what is measured begins below
            began = time.monotonic()
            call.sendall(event("}"))
            mark = f"Paragraph {number} says".encode() if fields else b'"content": "}"'
            while mark not in got:
                got += client.recv(65536)
            took.append((time.monotonic() - began) * 1000)
            if not fields:
                got = b""
        client.close()
        call.close()
        return statistics.median(took)

    # Without a contract the piece behind which a question is whole passes as it is.
    plain = delays("")
    held = delays("x-plumb-contract: quiz\r\nx-plumb-mode: hold-back\r\n")
    tell("a piece that passes unread, from provider to client", plain, "ms")
    tell("a question under hold-back, from the byte that decides it to its arrival", held, "ms")


def reloading(port, key):
    """plumb.yaml is written anew under 500 streams; proxy_load fails where one of them is cut."""
    done = queue.Queue()
    thread = threading.Thread(target=lambda: done.put(load("streams", port, 500, 4, key)))
    thread.start()
    with open(f"{folder}/plumb.yaml", encoding="ascii") as file:
        text = file.read()
    reloads = 0
    while thread.is_alive():
        reloads += 1
        with open(f"{folder}/plumb.yaml", "w", encoding="ascii") as file:
            file.write(text + f"  max_output_tokens: {1000 + reloads}\n")
        thread.join(0.7)
    tell(f"streams cut by {reloads} changes of plumb.yaml, of {done.get(timeout=1)['streams']}", 0, "streams", 0)


def beside_a_key_flood(port, key):
    """What calls with a good key take while another client tries keys that are none."""
    alone = load("paced", port, 16, 3, 1000, key)
    flood = subprocess.Popen([LOAD, "flood", str(port), "32", "4", "plumb_guessed"], stdout=subprocess.PIPE, text=True)
    time.sleep(0.5)
    beside = load("paced", port, 16, 3, 1000, key)
    refused = json.loads(flood.communicate(timeout=60)[0])
    print(f"        1,000 good calls/s: p50 {alone['p50_us']} us, p99 {alone['p99_us']} us; beside {refused['per_s']} refused "
          f"keys/s: p50 {beside['p50_us']} us, p99 {beside['p99_us']} us", flush=True)


def failing_over(upstream):
    """The first provider does not answer: what the call that goes to the second takes longer."""
    dead = free_port()
    port = free_port()
    config = f"{folder}/failover.yaml"
    with open(config, "w", encoding="ascii") as file:
        file.write("providers:\n"
                   f"  dead: {{speaks: openai, base_url: 'http://127.0.0.1:{dead}/v1'}}\n"
                   f"  alive: {{speaks: openai, base_url: 'http://127.0.0.1:{upstream}/v1'}}\n"
                   "proxy:\n"
                   f"  listen: 127.0.0.1:{port}\n  keys: none\n  threads: 1\n  counters: {folder}/failover-counters.json\n"
                   "  models:\n    one: alive/m\n    m: {targets: [dead/m], fallbacks: [alive/m]}\n")
    start(PLUMB, "serve", "--config", config, "--port", "0", "--store", f"{folder}/failover.db",
          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    wait_for(f"http://127.0.0.1:{port}/healthz")
    took = {}
    for model in (b"one", b"m"):
        times = []
        with client_of(port) as client:
            for _ in range(200):
                text = request("none", False).replace(b'"model": "m"', b'"model": "' + model + b'"')
                body = text.split(b"\r\n\r\n", 1)[1]
                text = text.replace(b"content-length: %d" % (len(body) + 1 - len(model)), b"content-length: %d" % len(body))
                began = time.monotonic()
                client.sendall(text)
                got = b""
                while not got.endswith(b"}}"):
                    got += client.recv(65536)
                assert got.startswith(b"HTTP/1.1 200"), got[:200]
                times.append((time.monotonic() - began) * 1000)
        took[model] = times
    tell("a call to a provider that answers, median", statistics.median(took[b"one"]), "ms")
    tell("a call that fails over, the first", took[b"m"][0], "ms")
    tell("the longest of 200 in a row", max(took[b"m"]), "ms")
    tell("their median (the dead one is left alone)", statistics.median(took[b"m"]), "ms")


def speaking_tls(upstream):
    """The provider behind TLS: nginx in front of it, and each proxy before that."""
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/tls.key",
                           "-out", f"{folder}/tls.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                           "subjectAltName=IP:127.0.0.1"], capture_output=True, check=False)
    if made.returncode != 0:
        print("TLS was not measured: there is no openssl")
        return
    behind, _ = start_nginx(upstream, "tls", f"ssl; ssl_certificate {folder}/tls.pem; "
                                             f"ssl_certificate_key {folder}/tls.key;")
    nginx, nginx_pid = start_nginx(behind, "before-tls", passes="https")
    plumb, plumb_pid, key = start_plumb(behind, "before-tls", "https",
                                        environment={"SSL_CERT_FILE": f"{folder}/tls.pem"})
    for kind, number, count in (("requests", 32, 3), ("streams", 500, 2)):
        told = {}
        for name, port, pid, rest in (("nginx", nginx, nginx_pid, []), ("plumb", plumb, plumb_pid, [key])):
            before = cpu_s(pid)
            row = load(kind, port, number, count, *rest)
            used = (cpu_s(pid) - before) * 1e6
            told[name] = (row.get("per_s", 0), used / (row["events"] if kind == "streams" else row["requests"] / 0.9))
        if kind == "requests":
            tell("TLS to the provider, requests/s at 32: plumb", told["plumb"][0], "")
            tell("TLS to the provider, requests/s at 32: nginx", told["nginx"][0], "")
        else:
            tell("TLS to the provider, CPU an event at 500 streams: plumb", told["plumb"][1], "us")
            tell("TLS to the provider, CPU an event at 500 streams: nginx", told["nginx"][1], "us")


def hostile_body(number):
    """Schemas that cost as much as they can, never the same twice."""
    patterns = [{"pattern": "[A-Za-z ,.]*e[A-Za-z ,.]{%d}%d" % ((9_000, 1_200, 300)[number % 3], number * 1000 + i)}
                for i in range(100)]
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 50}], "response_format": {
        "type": "json_schema", "json_schema": {"name": "x", "schema": {"allOf": patterns}}}})


def beside_a_hostile_client(port, key, hostile_key):
    """What others wait while one client sends schemas that cost as much as they can."""
    sent = [0]
    ends = threading.Event()

    def attack(which):
        number = which
        while not ends.is_set():
            body = hostile_body(number).encode()
            number += 16
            try:
                with client_of(port) as client:
                    client.sendall(f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
                                   f"authorization: Bearer {hostile_key}\r\ncontent-type: application/json\r\n"
                                   f"content-length: {len(body)}\r\n\r\n".encode() + body)
                    while client.recv(65536):
                        pass
            except OSError:
                pass
            sent[0] += 1

    alone = load("requests", port, 4, 4, key)
    threads = [threading.Thread(target=attack, args=(which,)) for which in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    beside = load("requests", port, 4, 4, key)
    ends.set()
    for thread in threads:
        thread.join()
    print(f"        others alone: p99 {alone['p99_us'] / 1000:.2f} ms; beside: p99 {beside['p99_us'] / 1000:.2f} ms; "
          f"{sent[0]} hostile calls were answered")
    tell("what one hostile client adds to the others' p99", (beside["p99_us"] - alone["p99_us"]) / 1000, "ms", 5)


def main():
    process = start(LOAD, "upstream", "0", stdout=subprocess.PIPE, text=True)
    upstream = int(process.stdout.readline())
    provider = Provider()
    by_hand, _, hand_key = start_plumb(provider.port, "by-hand")
    loaded, _, key = start_plumb(upstream)
    starting(upstream)
    leaving(provider, by_hand, hand_key)
    holding_back(provider, by_hand, hand_key)
    reloading(loaded, key)
    beside_a_key_flood(loaded, key)
    failing_over(upstream)
    made = subprocess.run([PLUMB, "keys", "create", "hostile", "--config", f"{folder}/plumb.yaml", "--json"],
                          capture_output=True, text=True, check=True, env={**os.environ, "PLUMB_BENCH_KEY": "sk-bench"})
    time.sleep(2)  # until it is known
    beside_a_hostile_client(loaded, key, json.loads(made.stdout)["key"])
    speaking_tls(upstream)


try:
    main()
finally:
    end_all()
