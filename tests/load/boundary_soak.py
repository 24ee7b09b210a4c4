#!/usr/bin/env python3
"""boundary_soak.py PLUMB [SEEDS]: boundaries over HTTP whose clients do what clients do, and worse.

Each seed is a run: its client says that it failed, stays silent until the time is over, names ids that nobody has, answers in other forms,
answers twice, and answers late. Every 500 runs the server is killed and started again. What must hold is checked for each run: nothing is lost,
the order is that of the input, only open questions take answers and each only one, every token is counted, no question is asked twice.
"""
import concurrent.futures
import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

CONTRACT = {"itemId": "/name", "type": "object", "required": ["n"],
            "properties": {"n": {"type": "integer"}, "name": {"type": "string"}, "text": {"type": "string", "minLength": 1}},
            "rules": [{"id": "clear", "ask": "Is it clear?"}, {"id": "single", "ask": "Is it one thing?"}]}
SHAPES = [[], {}, {"rejected": "none"}, {"rejected": [7]}, {"items": {}}, {"error": 7}, {"verdict": 1}, {"rejected": [], "usage": 1}]
RESTART_EVERY = 500


class Server:
    def __init__(self, plumb, store):
        self.plumb, self.store, self.lock, self.starts = plumb, store, threading.Lock(), 0
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.plumb, "serve", "--port", "0", "--store", self.store], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))
        self.starts += 1

    def again(self):
        with self.lock:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.start()

    def ask(self, method, path, body=None):
        """Again as long as the server is not there: every request here may be repeated."""
        for _ in range(400):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                data = answer.read()
                connection.close()
                if answer.status != 503:
                    return answer.status, data
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.05)
        raise AssertionError("the server does not answer")


def item(dice):
    return {"n": "x" if dice.random() < 0.1 else 1, "name": dice.choice(["cart", "cart", "search", ""]),
            "text": dice.choice(["slow", "wrong", "wrong", ""])}


def good_answer(dice, ask):
    usage = {"input_tokens": dice.randrange(5), "output_tokens": dice.randrange(5)}
    if dice.random() < 0.1:
        return {"error": "it threw", "usage": usage}
    if ask["what"] == "revise":
        return {"item": item(dice), "usage": usage} if dice.random() < 0.5 else {"items": [item(dice) for _ in range(dice.randrange(7))], "usage": usage}
    rejected = [{"id": dice.choice([one["id"], one.get("name", ""), "nobody", {}]), "rule": dice.choice(["clear", "single", "none"]),
                 "reason": dice.choice(["vague", " "])} for one in ask["items"] if dice.random() < 0.6]
    return {"rejected": rejected, "usage": usage}


def play(server, seed, counts):
    dice = random.Random(seed)
    items = [item(dice) for _ in range(dice.randrange(7))]
    hangs = dice.random() < 0.15
    request = {"contract": CONTRACT, "items": items, "judge": "client", "revise": "client", "name": f"seed {seed}",
               "limits_ms": {"validate": 200, "revise": 200} if hangs else {"validate": 600_000, "revise": 600_000}}
    status, data = server.ask("POST", "/v1/runs", {"pipeline": "boundary", "request": request})
    assert status == 202, (status, data)
    path = "/v1/runs/" + json.loads(data)["id"]
    tokens, answered, silent = 0, {}, set()
    while True:
        status, data = server.ask("GET", path + "/asks?wait=5")
        assert status == 200, (status, data)
        told = json.loads(data)
        if told["ended"]:
            break
        asks = [ask for ask in told["asks"] if ask["ask"] not in silent]
        assert not any(ask["ask"] in answered for ask in asks), "an answered question is asked again"
        if not asks:
            time.sleep(0.02)
            continue
        ask = dice.choice(asks)
        at = f"{path}/asks/{ask['ask']}"
        counts["questions"] += 1
        if hangs and dice.random() < 0.4:
            silent.add(ask["ask"])
            counts["left without an answer"] += 1
            continue
        if dice.random() < 0.3:
            status, data = server.ask("POST", at, dice.choice(SHAPES))
            assert status in (422, 409), (status, data)
            counts["refused for their form"] += 1
        answer = good_answer(dice, ask)
        restarts = server.starts
        status, data = server.ask("POST", at, answer)
        if status == 409 and hangs:
            counts["too late"] += 1
            silent.add(ask["ask"])
            continue
        assert status == 202, (status, data, ask, restarts)
        answered[ask["ask"]] = answer
        tokens += sum(answer["usage"].values())
        if dice.random() < 0.3:
            once, _ = server.ask("POST", at, answer)
            other, data = server.ask("POST", at, {"error": "another"})
            assert (once, other) == (202, 409), (once, other, data)
            counts["answered twice"] += 1
    for name in silent:
        status, _ = server.ask("POST", f"{path}/asks/{name}", {"error": "late"})
        assert status in (409, 202 if answered.get(name) else 409), status
    status, data = server.ask("GET", path)
    view = json.loads(data)["view"]
    assert view["status"] == "completed", view
    result = view["result"]
    assert result["tokens"] == tokens, (result["tokens"], tokens)
    ranks = [(["accepted", "warned", "failed"].index(one["passed"]), one["index"]) for one in result["items"]]
    assert ranks == sorted(ranks), ranks
    assert {index for _, index in ranks} == set(range(len(items))), ranks
    status, data = server.ask("GET", path + "/journal")
    keys = [one["key"] for one in map(json.loads, data.splitlines()) if one.get("kind") == "attempt"]
    assert len(keys) == len(set(keys)) <= view["boundary"]["calls_max"], keys
    counts["runs"] += 1


def main():
    plumb, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    counts = dict.fromkeys(["runs", "questions", "refused for their form", "answered twice", "left without an answer", "too late"], 0)
    broken = 0
    with tempfile.TemporaryDirectory(prefix="plumb_boundary_soak_") as folder:
        server = Server(plumb, os.path.join(folder, "runs.db"))
        try:
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                for first in range(1, seeds + 1, RESTART_EVERY):
                    playing = {pool.submit(play, server, seed, counts): seed for seed in range(first, min(first + RESTART_EVERY, seeds + 1))}
                    time.sleep(1)
                    server.again()
                    for done in concurrent.futures.as_completed(playing):
                        if done.exception():
                            broken += 1
                            print(f"seed {playing[done]}: {done.exception()!r}"[:1000])
        finally:
            server.process.kill()
            server.process.wait()
    print("\nclients over HTTP")
    for what, number in {**counts, "servers killed": server.starts - 1, "runs that broke a law": broken}.items():
        print(f"{what:<44} {number:>12}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
