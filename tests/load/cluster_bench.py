#!/usr/bin/env python3
"""What hosts that share a store on NATS cost, and what is lost while some of them are killed.

    PLUMB_BIN=build/bin/plumb tests/load/cluster_bench.py kills [SECONDS [RUNS [CALL_SECONDS]]]
        three servers, three hosts, RUNS (1000) whose calls take CALL_SECONDS (2), begun over SECONDS (300), while every
        5 s one host or one server is killed and begun again: what was lost, paid again, and differs
    ... append NATIVE_TESTS          the median append of one host on one server, and on three
    ... cpu [RUNS]       CPU of a finished run with one host on three servers, and with three
    ... throughput [RUNS [CORES]]    finished runs a second with one host and with three, each held to CORES (0.2)
    ... holds [RUNS]     what one host takes for a run that has ended and for one that waits: CPU, disk, messages and
                         memory, with its store in a file and on one server

Calls are answered by this process, whose CPU is not counted, but on a small machine is missed.
"""
import collections
import concurrent.futures
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "servers"))
from cluster import Calls, Cluster, Host, until  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
GROUPS = "/sys/fs/cgroup/cpu"


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


@contextlib.contextmanager
def held_to(cores, process, name):
    """A group of version 1 for the process, with so much of a core; an error where this user may make none."""
    group = os.path.join(GROUPS, f"plumb-bench-{os.getpid()}-{name}")
    os.mkdir(group)
    try:
        for key, value in (("cpu.cfs_period_us", 50_000), ("cpu.cfs_quota_us", int(50_000 * cores)), ("cgroup.procs", process.pid)):
            with open(os.path.join(group, key), "w", encoding="ascii") as file:
                file.write(str(value))
        yield
    finally:
        process.kill()
        process.wait()
        for _ in range(50):
            with contextlib.suppress(OSError):
                os.rmdir(group)
                break
            time.sleep(0.1)


def begin(hosts, number):
    """The id of run `number`: asked again, at another host too, until one says it. `hosts`: those that there are now."""
    while True:
        for host in random.sample(list(hosts), len(hosts)):
            with contextlib.suppress(OSError, ValueError):
                status, answer = host.begin_run(number, f"key-{number}")
                if status in (200, 202):
                    return answer["job_id"]
        time.sleep(0.2)


def begin_all(hosts, count, at_once=16, seconds=0):
    """Their ids; spread over so many seconds."""
    began = time.monotonic()

    def user(number):
        time.sleep(max(0.0, began + seconds * number / count - time.monotonic()))
        return begin(hosts, number)
    with concurrent.futures.ThreadPoolExecutor(at_once) as users:
        return list(users.map(user, range(count)))


def states(hosts):
    for host in hosts:
        with contextlib.suppress(AssertionError, OSError, ValueError):
            return host.runs()
    return {}


def results(host, ids):
    keep = ("status", "artifact_type", "result", "decision", "evidence", "unverified")
    with concurrent.futures.ThreadPoolExecutor(8) as users:
        return collections.Counter(repr([job.get(key) for key in keep]) for job in users.map(host.result, ids))


def kills(seconds=300, runs=1000, call_seconds=2.0):
    random.seed(1)
    killed = collections.Counter()
    with Cluster() as servers, Calls(call_seconds) as calls:
        hosts = {name: Host(servers, calls, name) for name in "abc"}
        ids = {}
        feeder = threading.Thread(target=lambda: ids.update(enumerate(begin_all(hosts.values(), runs, 16, 0.9 * seconds))), daemon=True)
        began = time.monotonic()
        feeder.start()
        while time.monotonic() < began + seconds:
            time.sleep(5)
            what = "host" if random.random() < 0.5 else "server"
            killed[what] += 1
            if what == "host":
                name = random.choice("abc")
                hosts[name].kill()
                with contextlib.suppress(AssertionError):
                    hosts[name] = Host(servers, calls, name)
            else:
                number = random.randrange(3)
                servers.kill(number)
                time.sleep(1)
                servers.begin(number)
        feeder.join(120)
        try:
            until(lambda: len(ids) == runs and all(states(hosts.values()).get(id) not in (None, "waiting") for id in ids.values()),
                  "all runs have ended", 300, 1)
        finally:
            took = time.monotonic() - began
            got = collections.Counter(states(hosts.values()).values())
            made = calls.made()
            print(f"{runs} runs of 3 calls of {call_seconds} s in {took:.0f} s, killed: {dict(killed)}; begun {len(ids)}, "
                  f"different {len(set(ids.values()))}; states {dict(got)}; calls {sum(made.values())}, different {len(made)}, "
                  f"made twice {sum(n == 2 for n in made.values())}, more often {sum(n > 2 for n in made.values())}", flush=True)
        host = next(iter(hosts.values()))
        ended = states([host])
        failed = [host.result(id).get("error") for id in ids.values() if ended[id] != "done"]
        print(f"different results of runs that are done: {len(results(host, [id for id in ids.values() if ended[id] == 'done']))}; "
              f"of those that failed: {dict(collections.Counter(failed))}")
        for host in hosts.values():
            host.kill()


def finished(servers, count, runs, cores=None):
    """Seconds, and CPU of the hosts, for so many runs with `count` hosts."""
    with Calls(0.0) as calls, contextlib.ExitStack() as all_of:
        hosts = [all_of.enter_context(Host(servers, calls, f"{count}-{n}")) for n in range(count)]
        begin_all(hosts, 3)
        if cores:
            for host in hosts:
                all_of.enter_context(held_to(cores, host.process, host.name))
        before = sum(cpu_s(host.process.pid) for host in hosts)
        began = time.monotonic()
        ids = begin_all(hosts, runs + 3, 32)
        until(lambda: not hosts[0].is_waiting(), "all runs are done", 600, 0.2)
        took, cpu = time.monotonic() - began, sum(cpu_s(host.process.pid) for host in hosts) - before
        ended = states(hosts)
        assert all(ended[id] == "done" for id in ids), collections.Counter(ended.values())
        return took, cpu


def compare(runs, cores=None):
    rows = {}
    for count in (1, 3):
        with Cluster() as servers:
            rows[count] = finished(servers, count, runs, cores)
            seconds, cpu = rows[count]
            print(f"{count} host{'s' if count > 1 else ''}{f', {cores} of a core each' if cores else ''}: {runs} runs in {seconds:.1f} s, "
                  f"{runs / seconds:.1f} a second, {1000 * cpu / runs:.2f} ms of CPU a run", flush=True)
    print(f"three of one: {rows[1][0] / rows[3][0]:.2f} times the runs a second, {rows[3][1] / rows[1][1]:.2f} times the CPU a run")


class File:
    """In place of servers: a host's store in a file."""

    def __init__(self, folder):
        self.folder = folder

    def store(self):
        return os.path.join(self.folder, "runs.db")


def memory_mb(host):
    with open(f"/proc/{host.process.pid}/status", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024


def size_kb(folder, *, ending=""):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names
               if ending in name) / 1024


def held(what, servers, runs, disk):
    """`runs` that end, then as many that wait for answers of models. `disk` tells what is kept by now."""
    with Calls(0.0) as calls, Host(servers, calls, "one") as host:
        begin_all([host], 100)
        until(lambda: not host.is_waiting(), "the first runs are done", 60)
        cpu, before, began = cpu_s(host.process.pid), disk(), time.monotonic()
        ids = begin_all([host], runs + 100, 32)[100:]
        until(lambda: not host.is_waiting(), "all runs are done", 600, 0.2)
        took, cpu = time.monotonic() - began, cpu_s(host.process.pid) - cpu
        entries = sum(len(host.journal(id).splitlines()) for id in ids[:20]) / 20
        print(f"{what}: {runs} runs of {entries:.0f} entries that end, {runs / took:.0f} a second; a run takes {1000 * cpu / runs:.1f} ms of CPU"
              + "".join(f", {(now - then) / runs:.1f} {name}" for (name, now), (_, then) in zip(disk(), before))
              + f"; the host then has {memory_mb(host):.0f} MB", flush=True)
        calls.stall = 3600
        with concurrent.futures.ThreadPoolExecutor(32) as users:
            list(users.map(lambda number: begin([host], number), range(runs + 100, 2 * runs + 100)))
        time.sleep(2)
        print(f"{what}: with {runs} runs that wait it has {memory_mb(host):.0f} MB", flush=True)
        host.kill()


def holds(runs=2000):
    with tempfile.TemporaryDirectory() as folder:
        held("a file", File(folder), runs, lambda: [("KB of disk", size_kb(folder, ending="runs.db"))])
    with Cluster(1) as servers:
        def kept():
            streams = [one["state"] for one in servers.streams().values()]
            return [("messages", sum(one["messages"] for one in streams)), ("KB at the server", sum(one["bytes"] for one in streams) / 1024),
                    ("KB in the host's copy", size_kb(os.path.join(servers.folder, "host-one", "state")))]
        held("one server", servers, runs, kept)


def append(native_tests):
    with Cluster() as servers:
        environment = {**os.environ, "PLUMB_TEST_SERVERS": ",".join(f"127.0.0.1:{port}" for port in servers.clients)}
        done = subprocess.run([native_tests, "--test-case=nats: an append*"], env=environment, capture_output=True, text=True, check=True)
        print("\n".join(line.split("MESSAGE: ")[1] for line in done.stdout.splitlines() if "MESSAGE: " in line))


def main(words):
    if words[:1] == ["append"]:
        append(words[1])
        return
    number = [float(word) for word in words[1:]]
    if words[:1] == ["kills"]:
        kills(*number[:1], *(int(n) for n in number[1:2]), *number[2:3])
    elif words[:1] == ["cpu"]:
        compare(int(number[0]) if number else 300)
    elif words[:1] == ["throughput"]:
        compare(int(number[0]) if number else 100, number[1] if len(number) > 1 else 0.2)
    elif words[:1] == ["holds"]:
        holds(int(number[0]) if number else 2000)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
