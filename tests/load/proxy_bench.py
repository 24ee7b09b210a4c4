#!/usr/bin/env python3
"""What the proxy adds: beside a direct call and nginx as a plain reverse proxy, each with one core.

    proxy_bench.py PLUMB PROXY_LOAD [SECONDS] [ROUNDS]

All are measured in turn in each round, so that what else the machine does falls on all of them; a table shows medians
over the rounds, and the ratio of ours to nginx. Client key, limits, metrics and access log are on. CPU is of the
proxy's process alone. Portkey's gateway is a peer where PORTKEY names its start-server.js. What is no ratio to another
server (starting, cancelling, holding back, reloading, TLS) is in proxy_moments.py.
"""
import os
import statistics
import subprocess
import sys
import time

from servers import LOAD, cpu_s, end_all, load, memory_mb, start, start_nginx, start_plumb, start_portkey

SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 3
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
CONNECTIONS = [int(n) for n in os.environ.get("PLUMB_BENCH_CONNECTIONS", "1 32 256 1000").split()]
REST_SECONDS = 60
STREAMS = [int(n) for n in os.environ.get("PLUMB_BENCH_STREAMS", "100 1000 2000").split()]


def median(rows, name):
    return statistics.median(row[name] for row in rows)


def paced(who, rate):
    """At half of what nginx does at most, each request at its moment."""
    print()
    print(f"| {rate:.0f} requests/s, 64 connections | p50 us: direct | nginx | plumb | added, of nginx's | p99 us: direct | "
          "nginx | plumb | added, of nginx's |")
    print("| --- |" + " --: |" * 8)
    rows = {name: [] for name in who}
    for _ in range(ROUNDS):
        for name, (port, _, rest) in who.items():
            rows[name].append(load("paced", port, 64, SECONDS, f"{rate:.0f}", *rest))
    cells, ratios = [], []
    for what in ("p50_us", "p99_us"):
        value = {name: median(rows[name], what) for name in who}
        added = (value["plumb"] - value["direct"]) / max(1, value["nginx"] - value["direct"])
        cells += [f"{value[name]:.0f}" for name in who] + [f"{added:.2f}"]
        ratios.append((f"added {what[:3]} at half of nginx's most", added, "<=", 1.3))
    print("| | " + " | ".join(cells) + " |", flush=True)
    return ratios


def prompts(who):
    print()
    print("| prompts, 32 connections | requests/s: direct | nginx | plumb | of nginx | p50 us: direct | nginx | plumb |")
    print("| --- |" + " --: |" * 7)
    for tokens in (1_000, 10_000, 100_000):
        rows = {name: [load("requests", port, 32, SECONDS, rest[0] if rest else "none", tokens * 4)
                       for _ in range(ROUNDS)] for name, (port, _, rest) in who.items()}
        speed = {name: median(rows[name], "per_s") for name in who}
        print(f"| {tokens} tokens | " + " | ".join(f"{speed[name]:.0f}" for name in who)
              + f" | {speed['plumb'] / speed['nginx']:.2f} | "
              + " | ".join(f"{median(rows[name], 'p50_us'):.0f}" for name in who) + " |", flush=True)


def main():
    provider = start(LOAD, "upstream", "0", stdout=subprocess.PIPE, text=True)
    upstream = int(provider.stdout.readline())
    nginx_port, nginx_pid = start_nginx(upstream)
    plumb_port, plumb_pid, key = start_plumb(upstream)
    logging_port, logging_pid = start_nginx(upstream, "logging", logs=True)
    who = {"direct": (upstream, provider.pid, []), "nginx": (nginx_port, nginx_pid, []),
           "plumb": (plumb_port, plumb_pid, [key])}
    time.sleep(2)
    idle_mb = memory_mb(plumb_pid)
    peer = start_portkey(upstream)
    ratios = []
    print("| 1 KB answers | requests/s: direct | nginx | plumb | of nginx | p50 us: direct | nginx | plumb | added, of nginx's "
          "| p99 us: nginx | plumb | CPU us: nginx | plumb | of nginx |")
    print("| --- |" + " --: |" * 13)
    fastest = 0
    for connections in CONNECTIONS:
        rows = {name: [] for name in who}
        for _ in range(ROUNDS):
            for name, (port, pid, rest) in who.items():
                before = cpu_s(pid)
                row = load("requests", port, connections, SECONDS, *rest)
                row["cpu_us"] = (cpu_s(pid) - before) * 1e6 / max(1, row["requests"] / 0.9)
                rows[name].append(row)
        speed = statistics.median(p["per_s"] / n["per_s"] for p, n in zip(rows["plumb"], rows["nginx"]))
        p50 = {name: median(rows[name], "p50_us") for name in who}
        cpu = {name: median(rows[name], "cpu_us") for name in who}
        added = (p50["plumb"] - p50["direct"]) / max(1, p50["nginx"] - p50["direct"])
        print(f"| {connections} connections | " + " | ".join(f"{median(rows[n], 'per_s'):.0f}" for n in who)
              + f" | {speed:.2f} | " + " | ".join(f"{p50[n]:.0f}" for n in who) + f" | {added:.2f} | "
              + f"{median(rows['nginx'], 'p99_us'):.0f} | {median(rows['plumb'], 'p99_us'):.0f} | "
              + f"{cpu['nginx']:.1f} | {cpu['plumb']:.1f} | {cpu['plumb'] / cpu['nginx']:.2f} |", flush=True)
        ratios.append(("requests/s at %d" % connections, speed, ">=", 0.9))
        logged = statistics.median(p["per_s"] for p in [load("requests", logging_port, connections, SECONDS)
                                                        for _ in range(ROUNDS)])
        print(f"| {connections}, nginx with its log buffered | | {logged:.0f} | | "
              f"{median(rows['plumb'], 'per_s') / logged:.2f} | | | | | | | | | |", flush=True)
        fastest = max(fastest, median(rows["nginx"], "per_s"))
        ratios.append(("CPU a request at %d" % connections, cpu["plumb"] / cpu["nginx"], "<=", 1.25))
        if peer and connections <= 256:
            row = load("requests", peer[0], connections, SECONDS, peer[2])
            print(f"| Portkey's gateway, {connections} | | | {row['per_s']:.0f} | | | | {row['p50_us']} | | | {row['p99_us']} | | | "
                  f"{memory_mb(peer[1]):.0f} MB |", flush=True)
    ratios += paced(who, fastest / 2)
    prompts(who)
    print()
    print("| 50 events at 20 ms | p50 us of an event: direct | nginx | plumb | CPU us an event: nginx | plumb | of nginx "
          "| MB: nginx | plumb | jitter, p99 us: direct | nginx | plumb |")
    print("| --- |" + " --: |" * 11)
    for streams in STREAMS:
        rows = {name: [] for name in who}
        for _ in range(ROUNDS):
            for name, (port, pid, rest) in who.items():
                before = cpu_s(pid)
                row = load("streams", port, streams, 2, *rest)
                row["cpu_us"] = (cpu_s(pid) - before) * 1e6 / row["events"]
                row["mb"] = memory_mb(pid)
                rows[name].append(row)
        cpu = statistics.median(p["cpu_us"] / max(0.1, n["cpu_us"]) for p, n in zip(rows["plumb"], rows["nginx"]))
        print(f"| {streams} streams | " + " | ".join(f"{median(rows[n], 'p50_us'):.0f}" for n in who) + " | "
              + " | ".join(f"{median(rows[n], 'cpu_us'):.1f}" for n in ("nginx", "plumb")) + f" | {cpu:.2f} | "
              + " | ".join(f"{median(rows[n], 'mb'):.0f}" for n in ("nginx", "plumb")) + " | "
              + " | ".join(f"{median(rows[n], 'jitter_p99_us'):.0f}" for n in who) + " |", flush=True)
        ratios.append(("CPU an event at %d streams" % streams, cpu, "<=", 1.2))
        if streams == 1000:
            quiz = {"nginx": [], "plumb": []}
            for _ in range(ROUNDS):
                for name, made in quiz.items():
                    port, pid, rest = who[name]
                    before = cpu_s(pid)
                    row = load("quizzes", port, streams, 2, *rest)
                    made.append((cpu_s(pid) - before) * 1e6 / row["events"])
            enforced = statistics.median(p / max(0.1, n) for p, n in zip(quiz["plumb"], quiz["nginx"]))
            print(f"| {streams} quizzes, enforced | | | | {statistics.median(quiz['nginx']):.1f} | "
                  f"{statistics.median(quiz['plumb']):.1f} | {enforced:.2f} | | {memory_mb(plumb_pid):.0f} |", flush=True)
            ratios.append(("CPU an event with the quiz contract enforced", enforced, "<=", 1.6))
            ratios.append(("MB at 1000 streams", median(rows["plumb"], "mb"), "<=", 30))
    time.sleep(REST_SECONDS)
    ratios += [("MB idle, before traffic", idle_mb, "<=", 12),
               (f"MB {REST_SECONDS} s after it", memory_mb(plumb_pid), "<=", 20)]
    print()
    for name, value, sign, bound in ratios:
        kept = value >= bound if sign == ">=" else value <= bound
        print(f"{'reached' if kept else 'missed '}  {name}: {value:.2f} ({sign} {bound})")


try:
    main()
finally:
    end_all()
