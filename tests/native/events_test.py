#!/usr/bin/env python3
"""What `plumb serve` tells and hears on NATS, seen by a client that speaks the protocol itself: a real nats-server, real git.

    PLUMB_BIN=build/bin/plumb tests/native/events_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite events: N passed, M failed, K skipped`.
"""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import cli_test
from cli_test import Skip, code, equal, has, lacks
from server_test import Control
from workflow_server_test import begun, ended, mended, plan, until
from workflow_test import Repository

TESTS = []
WAIT = 30
PATH = os.environ.get("PATH", "") + ":/usr/sbin"
EVENTS = 'events: {nats: "nats://127.0.0.1:PORT"MORE}\n'


def test(function):
    TESTS.append(function)
    return function


class NatsServer:
    """On a port of its own, which outlives it; kill() loses the process, again() starts it with what it had."""

    def __init__(self, more=""):
        program = shutil.which("nats-server", path=PATH)
        if not program:
            raise Skip("nats-server is not installed (apt install nats-server)")
        self.folder = tempfile.TemporaryDirectory(prefix="plumb_events_")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        with open(os.path.join(self.folder.name, "conf"), "w", encoding="utf-8") as file:
            file.write(f"listen: 127.0.0.1:{self.port}\njetstream {{store_dir: \"{self.folder.name}/kept\"}}\n{more}\n")
        self.words = [program, "-c", os.path.join(self.folder.name, "conf")]
        self.process = None

    def __enter__(self):
        self.again()
        return self

    def again(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + WAIT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < ends, "the nats-server does not answer"
                time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()


class Client:
    """A client of NATS, by its protocol: subscribes, publishes, asks."""

    def __init__(self, port, *subjects, login=None):
        self.socket = socket.create_connection(("127.0.0.1", port), WAIT)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        options = {"verbose": False, "headers": True, "no_responders": True}
        if login:
            options["user"], options["pass"] = login.split(":")
        self.send(b"CONNECT " + json.dumps(options).encode() + b"\r\n")
        for number, subject in enumerate(subjects, 1):
            self.send(f"SUB {subject} {number}\r\n".encode())
        self.send(b"PING\r\n")
        equal(self.file.readline().strip(), b"PONG")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def publish(self, subject, body, id=None, reply=""):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        if id is None:
            self.send(f"PUB {subject} {reply} {len(body)}\r\n".encode() + body + b"\r\n")
        else:
            head = f"NATS/1.0\r\nNats-Msg-Id: {id}\r\n\r\n".encode()
            self.send(f"HPUB {subject} {reply} {len(head)} {len(head) + len(body)}\r\n".encode() + head + body + b"\r\n")

    def next(self, wait=WAIT):
        """(id, subject, body), or None when nothing comes."""
        ends = time.monotonic() + wait
        while True:
            self.socket.settimeout(max(0.01, ends - time.monotonic()))
            try:
                words = self.file.readline().split()
            except TimeoutError:
                return None
            if not words:
                return None
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                size = int(words[-1])
                data = self.file.read(size + 2)[:size]
                head = int(words[-2]) if words[0] == b"HMSG" else 0
                lines = dict(line.split(": ", 1) for line in data[:head].decode().split("\r\n") if ": " in line)
                return lines.get("Nats-Msg-Id"), words[1].decode(), data[head:].decode()

    def until(self, subject):
        """All messages up to the first of this subject."""
        out = []
        while not out or out[-1][1] != subject:
            one = self.next()
            assert one, ("nothing more comes", [message[:2] for message in out])
            out.append(one)
        return out

    def ask(self, subject, body, id=None):
        self.send(b"SUB inbox.mine 99\r\n")
        self.publish(subject, body, id, "inbox.mine")
        while True:
            one = self.next()
            assert one, "nobody answers"
            if one[1] == "inbox.mine":
                return one[2]


def stored(port, stream="plumb-events"):
    """How many messages the stream has."""
    with Client(port) as client:
        return json.loads(client.ask(f"$JS.API.STREAM.INFO.{stream}", b""))["state"]["messages"]


def serve(r, nats, more="", **options):
    with open(os.path.join(r.repo, "plumb.yaml"), encoding="utf-8") as file:
        text = file.read()
    if "events:" not in text:
        r.write("repo/plumb.yaml", text + EVENTS.replace("PORT", str(nats.port)).replace("MORE", more))
    env = {**r.env, **options.pop("env", {})}
    code(cli_test.plumb("trust", "--yes", cwd=r.repo, env=env), 0)
    return Control("--repository", f"demo={r.repo}", "--isolation", "partial", "--log-level", "info", *options.pop("words", ()),
                   env=env, cwd=r.repo, **options)


def again():
    return plan("Again")


def log_of(server):
    server.process.send_signal(signal.SIGTERM)
    return server.process.communicate(timeout=WAIT)[1].decode()


@test
def a_whole_run_is_told_in_its_order_with_ids_of_its_entries():
    with NatsServer() as nats, Repository() as r, serve(r, nats) as server:
        with Client(nats.port, "workflow.>", "agent.>", "user.>") as client:
            run = begun(server, mended(repository="demo"))
            told = client.until("workflow.events.plan.execution_complete")
        equal(ended(until(server, run, ended)), True)
        numbers = [int(id.split(".")[1]) for id, _, _ in told]
        equal(numbers, sorted(numbers))
        equal(len({id for id, _, _ in told}), len(told))
        subjects = [subject for _, subject, _ in told]
        equal(subjects[:3], ["workflow.events.run.begun", "workflow.events.plan.approved", "workflow.events.task.ready"])
        equal(subjects.count("agent.task.development"), 2)
        equal(subjects.count("workflow.events.task.validation_failed"), 1)
        for subject in ("workflow.events.task.validation_passed", "agent.task.review", "workflow.review.validate",
                        "workflow.task.complete", "workflow.events.task.execution_complete"):
            equal(subjects.count(subject), 1)
        for id, _, body in told:
            value = json.loads(body)
            equal((value["run_id"], value["entry"]), (run, int(id.split(".")[1])))
        # Each is an entry that the journal has.
        entries = int(server.json("GET", f"/v1/runs/{run}")[2]["entries"])
        equal(numbers[-1], entries - 1)
        has(server.request("GET", "/metrics")[2].decode(), f'plumb_events_told_total{{known="false"}} {len(told)}\n',
            "plumb_events_away 0\n")


@test
def servers_that_are_away_delay_no_run_and_are_told_all_when_they_are_back_also_after_kill_9():
    with NatsServer() as nats, Repository() as r, serve(r, nats) as server:
        nats.kill()
        run = begun(server, mended(repository="demo"))
        until(server, run, ended)
        has(server.request("GET", "/metrics")[2].decode(), "plumb_events_away 1\n")
        # Killed between stored and told.
        server.process.kill()
        server.again()
        nats.again()
        ends = time.monotonic() + WAIT
        wanted = int(server.json("GET", f"/v1/runs/{run}")[2]["entries"]) - 1
        with Client(nats.port) as client:
            while True:
                last = json.loads(client.ask("$JS.API.STREAM.MSG.GET.plumb-events",
                                             {"last_by_subj": "workflow.events.plan.execution_complete"}))
                if "message" in last:
                    break
                assert time.monotonic() < ends, last
                time.sleep(0.1)
        # Killed once more, it goes on behind its mark: nothing is there twice, nothing is put again.
        count = stored(nats.port)
        time.sleep(0.3)
        server.process.kill()
        server.again()
        second = begun(server, mended(repository="demo", plan=again()))
        until(server, second, ended)
        while "plumb_events_runs_due 0" not in server.request("GET", "/metrics")[2].decode() or stored(nats.port) < 2 * count - 2:
            assert time.monotonic() < ends, stored(nats.port)
            time.sleep(0.1)
        has(server.request("GET", "/metrics")[2].decode(), 'plumb_events_told_total{known="true"} 0\n')
        assert wanted > 20, wanted


@test
def loops_of_others_are_judged_told_counted_and_shown():
    with NatsServer() as nats, Repository() as r, serve(r, nats) as server:
        with Client(nats.port, "user.signal.>") as client:
            ends = time.monotonic() + WAIT
            while "plumb_events_away 0\n" not in server.request("GET", "/metrics")[2].decode():
                assert time.monotonic() < ends
                time.sleep(0.05)
            for body in (b"\xff\xfe", {"iteration": 1}, [1, 2]):
                client.publish("agent.monitor.a", body)
            loop = {"loop_id": "a", "task_id": "T9", "iteration": 1, "retries": 1, "context_tokens_used": 71, "window": 100,
                    "files_written": ["x.c"], "task_files": ["x.c"], "tool": "read", "arguments": {"path": "x.c"}}
            client.publish("agent.monitor.a", loop)
            _, subject, body = client.next()
            equal(subject, "user.signal.pause")
            value = json.loads(body)
            equal((value["loop_id"], value["task_id"], value["response"]), ("a", "T9", "pause"))
            client.publish("agent.monitor.a", {**loop, "iteration": 2, "retries": 4})
            _, subject, body = client.next()
            equal(subject, "user.signal.escalate")
            has(body, "4 retries, more than 3: escalate")
        shown = server.conforms("GET", "/v1/loops?response=warn")
        equal((len(shown["loops"]), shown["loops"][0]["last"]["response"]), (1, "escalate"))
        equal((shown["counts"]["malformed"], shown["counts"]["heard"]), (3, 5))
        equal(server.json("GET", "/v1/loops?response=loud")[0], 400)
        has(server.request("GET", "/metrics")[2].decode(), 'plumb_loop_messages_total{outcome="malformed"} 3\n',
            'plumb_loop_signals_total{response="escalate"} 1\n')
        log = log_of(server)
        has(log, "a message on agent.monitor.a is malformed (1 since this was last said)")
        equal(log.count("is malformed"), 1)


@test
def triggers_begin_runs_where_they_are_named_once_for_each_id_and_answer_what_is_wrong():
    with NatsServer() as nats, Repository() as r:
        with serve(r, nats, ", triggers: [plan-and-execute]") as server, Client(nats.port, "workflow.result.>") as client:
            ends = time.monotonic() + WAIT
            while "plumb_events_away 0\n" not in server.request("GET", "/metrics")[2].decode():
                assert time.monotonic() < ends
                time.sleep(0.05)
            subject = "workflow.trigger.plan-and-execute"
            first = json.loads(client.ask(subject, {**mended(repository="demo"), "request_id": "q1"}))
            equal((first["fresh"], first["request_id"]), (True, "q1"))
            until(server, first["run_id"], ended)
            again = json.loads(client.ask(subject, {**mended(repository="demo"), "request_id": "q1"}))
            equal((again["run_id"], again["fresh"]), (first["run_id"], False))
            for wrong in (b"\xff", b"[]", {"plan": {}}, {"repository": "elsewhere", "idea": "x"}):
                has(client.ask(subject, wrong), '"error"')
            client.publish("workflow.trigger.other", mended(repository="demo"))
            client.publish("workflow.trigger.plan-and-execute.more", mended(repository="demo"))
            time.sleep(0.3)
            equal(len(server.json("GET", "/v1/runs")[2]["runs"]), 1)
    with NatsServer() as nats, Repository() as r:
        with serve(r, nats) as server, Client(nats.port) as client:
            client.publish("workflow.trigger.plan-and-execute", mended(repository="demo"))
            time.sleep(0.5)
            equal(server.json("GET", "/v1/runs")[2]["runs"], [])


@test
def a_login_that_is_wrong_is_said_once_and_the_server_serves():
    with NatsServer("authorization {user: ann, password: right}") as nats, Repository() as r:
        with serve(r, nats, env={"PLUMB_NATS_LOGIN": "ann:wr0ng"}) as server:
            run = begun(server, mended(repository="demo"))
            until(server, run, ended)
            log = log_of(server)
            has(log, "the servers do not let us in: see PLUMB_NATS_LOGIN")
            equal(log.count("PLUMB_NATS_LOGIN"), 1)
            lacks(log, "wr0ng")
        with Client(nats.port, "workflow.>", login="ann:right") as client:
            server = serve(r, nats, env={"PLUMB_NATS_LOGIN": "ann:right"})
            with server:
                begun(server, mended(repository="demo"))
                client.until("workflow.events.plan.execution_complete")


@test
def two_hosts_on_a_store_on_nats_tell_each_event_once_and_the_one_that_is_left_tells_what_the_other_has_not():
    with NatsServer() as nats, NatsServer() as others, Repository() as r:
        store = f"nats://127.0.0.1:{others.port}/runs"
        first = serve(r, nats, store=store, env={"XDG_STATE_HOME": r.at("one")})
        with first, serve(r, nats, store=store, env={"XDG_STATE_HOME": r.at("two")}) as second:
            with Client(nats.port, "workflow.>") as client:
                run = begun(first, mended(repository="demo"))
                told = client.until("workflow.events.plan.execution_complete")
                equal([id for id, _, _ in told if not id.startswith(run)], [])
                equal(len({id for id, _, _ in told}), len(told))
            # One is told by nobody: its host is lost before the servers are back. The other has its copy of the store.
            nats.kill()
            left = begun(first, mended(repository="demo", plan=again()))
            until(first, left, ended)
            first.process.kill()
            nats.again()
            ends = time.monotonic() + 2 * WAIT
            with Client(nats.port) as client:
                while True:
                    last = json.loads(client.ask("$JS.API.STREAM.MSG.GET.plumb-events",
                                                 {"last_by_subj": "workflow.events.plan.execution_complete"}))
                    if left in base64.b64decode(last.get("message", {}).get("data", "")).decode():
                        break
                    assert time.monotonic() < ends, last
                    time.sleep(0.2)
            has(second.request("GET", "/metrics")[2].decode(), 'plumb_events_told_total{known="true"} 0\n')


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("events", TESTS, sys.argv[1:]))
