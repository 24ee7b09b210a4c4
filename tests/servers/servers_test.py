#!/usr/bin/env python3
"""A store on three nats-servers that replicate, and hosts that share it, while servers and hosts are killed.

    PLUMB_BIN=build/bin/plumb tests/servers/servers_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite servers: N passed, M failed, K skipped`.
"""
import os
import sys
import threading

import cluster
from cluster import STORE, Calls, Cluster, Host, until

sys.path.insert(0, os.path.join(cluster.ROOT, "tests", "native"))
import cli_test  # noqa: E402
from cli_test import equal  # noqa: E402

RUNS = 24
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def begin_runs(hosts, numbers):
    """A user for each: asks a host, and asks again elsewhere until one has said which run it is. Ids, by number."""
    ids = {}

    def user(number):
        def said():
            for host in hosts[number % len(hosts):] + hosts[:number % len(hosts)]:
                try:
                    status, answer = host.begin_run(number, f"key-{number}")
                except OSError:
                    continue
                if status in (200, 202):
                    return answer["job_id"]
            return None
        ids[number] = until(said, f"run {number} is begun")

    users = [threading.Thread(target=user, args=(number,)) for number in numbers]
    for one in users:
        one.start()
    for one in users:
        one.join()
    equal(len(ids), len(numbers))
    return ids


def wait_for_ends(host, ids):
    def ended():
        try:
            runs = host.runs()
        except (AssertionError, OSError):
            return False
        return all(runs.get(id, "waiting") != "waiting" for id in ids)
    until(ended, f"all runs have ended\n{host.said()}", 90)
    equal({host.runs()[id] for id in ids}, {"done"})


def result_of(host, id):
    got = host.result(id)
    return {name: got[name] for name in ("status", "artifact_type", "result", "decision", "evidence", "unverified")}


@test
def a_server_and_a_host_are_killed_in_the_middle_and_every_run_ends_as_it_would_have():
    with Cluster() as servers, Calls(0.3) as calls, Host(servers, calls, "a") as a, Host(servers, calls, "b") as b, \
            Host(servers, calls, "c") as c:
        equal({name: one["config"]["num_replicas"] for name, one in servers.streams().items()},
              {f"{STORE}-runs": 3, f"{STORE}-texts": 3})
        before = begin_runs([a], [0])
        wait_for_ends(b, before.values())
        wanted = result_of(b, before[0])
        ids = begin_runs([a, b, c], range(1, RUNS + 1))
        equal(len(set(ids.values())), RUNS)
        calls.wait_for("generate", RUNS // 3)
        lost = servers.leader(f"{STORE}-runs")
        servers.kill(lost)
        a.kill()
        wait_for_ends(b, ids.values())
        wait_for_ends(c, ids.values())
        # Nothing is lost, whoever is asked.
        equal(b.runs(), c.runs())
        equal(len(b.runs()), RUNS + 1)
        for id in ids.values():
            equal(result_of(c, id), wanted)
            equal(b.journal(id), c.journal(id))
        # Of each run three calls; one that was under way at the host that died is made once more.
        made = calls.made()
        equal(len(made), 3 * (RUNS + 1))
        assert max(made.values()) <= 2, made.most_common(3)
        again = sum(made.values()) - len(made)
        assert again <= RUNS, again
        # The same request is the same run, wherever it is asked again.
        equal(begin_runs([c, b], range(1, RUNS + 1)), ids)
        # A server that is back has what it missed: with it another one may go, and a host begins without a copy.
        servers.begin(lost)
        servers.wait_for(lost)
        servers.kill((lost + 1) % 3)
        with Host(servers, calls, "d") as d:
            until(lambda: len(d.runs()) == RUNS + 1, "a host without a copy has all runs")
            for id in ids.values():
                equal(d.journal(id), b.journal(id))
            wait_for_ends(d, begin_runs([d, b, c], [RUNS + 1]).values())


@test
def a_lost_server_costs_no_call_while_the_others_choose_who_leads():
    with Cluster() as servers, Calls(0.5) as calls, Host(servers, calls, "a") as a, Host(servers, calls, "b") as b:
        ids = begin_runs([a, b], range(12))
        servers.kill(servers.leader(f"{STORE}-runs"))
        for host in (a, b):
            wait_for_ends(host, ids.values())
            assert "is not driven here any more" not in host.said(), host.said()
        made = calls.made()
        equal((len(made), max(made.values())), (36, 1))


@test
def with_two_of_three_servers_lost_runs_wait_and_go_on_when_one_is_back():
    with Cluster() as servers, Calls(0.2) as calls, Host(servers, calls, "a") as a, Host(servers, calls, "b") as b:
        ids = begin_runs([a, b], range(4))
        servers.kill(1)
        servers.kill(2)
        until(lambda: a.ask("GET", "/readyz")[0] == 503, "a host without servers is not ready", 30)
        servers.begin(2)
        servers.wait_for(2)
        for host in (a, b):
            until(lambda host=host: host.ask("GET", "/readyz")[0] == 200, "a host is ready again", 60)
            wait_for_ends(host, ids.values())
        made = calls.made()
        equal((len(made), max(made.values())), (12, 1))


if __name__ == "__main__":
    if cluster.nats_server() is None:
        print("skip: nats-server is not installed (apt install nats-server)")
        print(f"suite servers: 0 passed, 0 failed, {len(TESTS)} skipped")
        sys.exit(0)
    sys.exit(cli_test.run_tests("servers", TESTS, sys.argv[1:]))
