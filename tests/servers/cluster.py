"""Three nats-servers that replicate, and hosts of one store on them: processes on loopback that can be killed.

    with Cluster() as cluster, Calls() as calls:
        hosts = [Host(cluster, calls, name) for name in "abc"]
        cluster.kill(cluster.leader("runs"))
        hosts[0].kill()

Calls is the upstream: it answers every call of the artifact pipeline as one model, and knows how often each was made.
"""
import collections
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "native"))
from scripted_models import GOOD_QUIZ, SOURCE, Models  # noqa: E402

PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
STORE = "runs"


def nats_server():
    """The program; None where it is not installed."""
    return shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin")


def free_ports(count):
    with contextlib.ExitStack() as all_of:
        sockets = [all_of.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def until(true, what, seconds=60, pause=0.05):
    """Asks again until it is so."""
    ends = time.monotonic() + seconds
    while True:
        value = true()
        if value:
            return value
        assert time.monotonic() < ends, f"not within {seconds} s: {what}"
        time.sleep(pause)


def get_json(url, timeout=5):
    """None where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


class Cluster:
    def __init__(self, servers=3):
        self.folder = tempfile.mkdtemp(prefix="plumb_cluster_")
        ports = free_ports(3 * servers)
        self.clients, self.routes, self.monitors = ports[:servers], ports[servers:2 * servers], ports[2 * servers:]
        self.processes = [None] * servers

    def __enter__(self):
        for number in range(len(self.processes)):
            self.begin(number)
        for number in range(len(self.processes)):
            self.wait_for(number)
        return self

    def __exit__(self, *_):
        for number in range(len(self.processes)):
            self.kill(number)
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self, number):
        """Also once more, with what it had."""
        routes = ", ".join(f"nats://127.0.0.1:{port}" for port in self.routes)
        cluster = f"cluster {{name: plumb, listen: 127.0.0.1:{self.routes[number]}, routes: [{routes}]}}\n"
        path = os.path.join(self.folder, f"{number}.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"server_name: s{number}\nlisten: 127.0.0.1:{self.clients[number]}\n"
                       f"http: 127.0.0.1:{self.monitors[number]}\n"
                       f'jetstream {{store_dir: "{self.folder}/{number}", max_mem: 64MB, max_file: 4GB}}\n'
                       + (cluster if len(self.processes) > 1 else ""))
        with open(os.path.join(self.folder, f"{number}.log"), "ab") as log:
            self.processes[number] = subprocess.Popen([nats_server(), "-c", path], stdout=log, stderr=log)

    def wait_for(self, number):
        """Until it knows who leads, and is as far as the others."""
        def ready():
            jsz = get_json(f"http://127.0.0.1:{self.monitors[number]}/jsz") or {}
            health = get_json(f"http://127.0.0.1:{self.monitors[number]}/healthz") or {}
            return health.get("status") == "ok" and (len(self.processes) == 1 or jsz.get("meta_cluster", {}).get("leader"))
        until(ready, f"server {number} is ready")

    def kill(self, number):
        process, self.processes[number] = self.processes[number], None
        if process is not None:
            process.kill()
            process.wait()

    def alive(self):
        return [number for number, process in enumerate(self.processes) if process is not None]

    def leader(self, stream):
        """The number of the server that leads the store's stream of that name."""
        def found():
            for number in self.alive():
                jsz = get_json(f"http://127.0.0.1:{self.monitors[number]}/jsz?streams=true") or {}
                for account in jsz.get("account_details", []):
                    for one in account.get("stream_detail", []):
                        leader = one.get("cluster", {}).get("leader", "")
                        if one.get("name") == stream and re.fullmatch(r"s\d+", leader):
                            return [int(leader[1:])]
            return None
        return until(found, f"stream {stream} has a leader")[0]

    def streams(self):
        number = self.alive()[0]
        jsz = get_json(f"http://127.0.0.1:{self.monitors[number]}/jsz?streams=true&config=true") or {}
        return {one["name"]: one for account in jsz.get("account_details", []) for one in account.get("stream_detail", [])}

    def store(self):
        servers = ",".join(f"127.0.0.1:{port}" for port in self.clients)
        return f"nats://{servers}/{STORE}"


class Host:
    """`plumb serve` on the cluster's store, as another machine would: with a copy and a folder of its own."""

    def __init__(self, cluster, calls, name, *options):
        self.name = name
        self.folder = os.path.join(cluster.folder, "host-" + name)
        os.makedirs(self.folder, exist_ok=True)
        self.errors = os.path.join(self.folder, "errors")
        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": self.folder,
                       "XDG_STATE_HOME": os.path.join(self.folder, "state"), "PLUMB_STORE": cluster.store(),
                       **calls.environment()}
        with open(self.errors, "ab") as errors:
            self.process = subprocess.Popen([PLUMB, "serve", "--port", "0", *options], stdout=subprocess.PIPE,
                                            stderr=errors, env=environment, cwd=self.folder)
        line = self.process.stdout.readline().decode()
        found = re.search(r"http://[^:/]+:(\d+)/", line)
        assert found, (line, self.said())
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def said(self):
        with open(self.errors, encoding="utf-8") as file:
            return file.read()

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def ask(self, method, path, body=None, headers=None, timeout=60):
        """Status and bytes."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def begin_run(self, number, key):
        """The run of a quiz whose source is that number's."""
        body = {"artifact_type": "quiz", "content": f"{SOURCE} This is text number {number}.", "options": {"num_questions": 1}}
        status, data = self.ask("POST", "/ai/artifact/generate", body, {"Idempotency-Key": key})
        return status, json.loads(data)

    def runs(self):
        """Every run, by id, with its state."""
        found, cursor = {}, ""
        while True:
            status, data = self.ask("GET", f"/v1/runs?limit=100{cursor}")
            assert status == 200, data
            page = json.loads(data)
            found.update({run["id"]: run["state"] for run in page["runs"]})
            if not page.get("next_cursor"):
                return found
            cursor = f"&cursor={page['next_cursor']}"

    def is_waiting(self):
        """Whether any run is."""
        status, data = self.ask("GET", "/v1/runs?limit=1&state=waiting")
        assert status == 200, data
        return bool(json.loads(data)["runs"])

    def journal(self, id):
        status, data = self.ask("GET", f"/v1/runs/{id}/journal")
        assert status == 200, data
        return data

    def result(self, id):
        """What the run gives, without what is its own: the id, and when."""
        status, data = self.ask("GET", f"/ai/artifact/{id}")
        assert status == 200, data
        return json.loads(data)


class Calls(Models):
    """`seconds`: how long each call takes."""

    def __init__(self, seconds=0.3):
        super().__init__(quiz=GOOD_QUIZ)
        self.stall = seconds

    def made(self):
        """How often each call was made: runs have different sources, so that what is asked twice was made again."""
        with self.changed:
            return collections.Counter(self.prompts)
