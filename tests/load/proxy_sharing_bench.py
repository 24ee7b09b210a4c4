#!/usr/bin/env python3
"""What a proxy loses to sharing its limits over NATS: the same proxy alone and as one of two, in turn.

    proxy_sharing_bench.py PLUMB PROXY_LOAD [SECONDS] [ROUNDS] [CONNECTIONS...]

The last line is the median over all pairs of rounds, of requests a second and of CPU a request (asked: under 3 %).
"""
import statistics
import sys

from servers import LOAD, cpu_s, end_all, folder, free_port, load, start, start_plumb, wait_for_port

import subprocess

SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 3
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 7
CONNECTIONS = [int(n) for n in sys.argv[5:]] or [1, 32, 256]


def main():
    provider = start(LOAD, "upstream", "0", stdout=subprocess.PIPE, text=True)
    upstream = int(provider.stdout.readline())
    nats = free_port()
    with open(f"{folder}/nats.conf", "w", encoding="ascii") as file:
        file.write(f'listen: 127.0.0.1:{nats}\njetstream {{store_dir: "{folder}/nats"}}\n')
    start("nats-server", "-c", f"{folder}/nats.conf", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_port(nats)
    share = f"  share: nats://127.0.0.1:{nats}/bench\n"
    who = {"alone": start_plumb(upstream, "alone"), "shares": start_plumb(upstream, "shares", more=share)}
    start_plumb(upstream, "other", more=share)  # the second host
    speeds, costs = [], []
    for connections in CONNECTIONS:
        speed, cost = [], []
        for turn in range(ROUNDS):
            rows = {}
            names = list(who) if turn % 2 == 0 else list(reversed(who))
            for name in names:
                port, pid, key = who[name]
                before = cpu_s(pid)
                row = load("requests", port, connections, SECONDS, key)
                row["cpu_us"] = (cpu_s(pid) - before) * 1e6 / max(1, row["requests"])
                rows[name] = row
            speed.append(rows["shares"]["per_s"] / rows["alone"]["per_s"])
            cost.append(rows["shares"]["cpu_us"] / rows["alone"]["cpu_us"])
        speeds += speed
        costs += cost
        print(f"{connections} connections: of the requests/s of a proxy alone {statistics.median(speed):.3f}, of its CPU "
              f"a request {statistics.median(cost):.3f}", flush=True)
    print(f"lost to sharing: {100 * (1 - statistics.median(speeds)):.1f} % of requests/s, "
          f"{100 * (statistics.median(costs) - 1):.1f} % more CPU a request")


try:
    main()
finally:
    end_all()
