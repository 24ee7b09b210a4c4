#!/usr/bin/env python3
"""What the proxy adds: beside a direct call and nginx as a plain reverse proxy, each with one core.

    proxy_bench.py PLUMB PROXY_LOAD [SECONDS] [ROUNDS]

All are measured in turn in each round, so that what else the machine does falls on all of them; a table shows medians
over the rounds, and the ratio of ours to nginx. Client key, limits, metrics and access log are on. CPU is of the
proxy's process alone. Portkey's gateway is a peer where PORTKEY names its start-server.js.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

PLUMB, LOAD = sys.argv[1:3]
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 3
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
CONNECTIONS = [int(n) for n in os.environ.get("PLUMB_BENCH_CONNECTIONS", "1 32 256 1000").split()]
STREAMS = [int(n) for n in os.environ.get("PLUMB_BENCH_STREAMS", "100 1000 2000").split()]
TICK = os.sysconf("SC_CLK_TCK")
folder = tempfile.mkdtemp(prefix="plumb-bench-")
started = []


def start(*command, **options):
    process = subprocess.Popen(command, **options)
    started.append(process)
    return process


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.01)
    sys.exit(f"{url} does not answer")


def cpu_s(pid):
    """Of the process, and of a worker it may have."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0


def start_nginx(upstream):
    port = free_port()
    temporary = " ".join(f"{name}_temp_path {folder}/{name};" for name in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w", encoding="ascii") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.err error;
worker_rlimit_nofile 20000; events {{ worker_connections 16000; }}
http {{ access_log off; {temporary} keepalive_requests 1000000000;
  upstream provider {{ server 127.0.0.1:{upstream}; keepalive 2048; keepalive_requests 1000000000; }}
  server {{ listen 127.0.0.1:{port} backlog=4096;
    location / {{ proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection "";
                  proxy_buffering off; }} }} }}
""")
    process = start("nginx", "-c", f"{folder}/nginx.conf")
    wait_for(f"http://127.0.0.1:{port}/")
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout
    return port, int(children.split()[0])


def start_plumb(upstream):
    port = free_port()
    config = f"{folder}/plumb.yaml"
    with open(config, "w", encoding="ascii") as file:
        file.write(f"""providers: {{provider: {{speaks: openai, base_url: "http://127.0.0.1:{upstream}/v1", key_env: PLUMB_BENCH_KEY}}}}
proxy:
  listen: 127.0.0.1:{port}
  threads: 1
  models: {{m: provider/m}}
  limits: {{requests_per_minute: 100000000, tokens_per_minute: 1000000000000}}
  keys: {folder}/keys.json
  counters: {folder}/counters.json
  log: json
  bounds: {{connections_each: 10000}}
""")
    made = subprocess.run([PLUMB, "keys", "create", "bench", "--config", config, "--json"], capture_output=True,
                          text=True, check=True, env={**os.environ, "PLUMB_BENCH_KEY": "sk-bench"})
    key = json.loads(made.stdout)["key"]
    log = open(f"{folder}/access.log", "w", encoding="utf-8")
    process = start(PLUMB, "serve", "--config", config, "--port", "0", "--store", f"{folder}/runs.db", "--log", "json",
                    "--log-level", "info", stdout=subprocess.DEVNULL, stderr=log,
                    env={**os.environ, "PLUMB_BENCH_KEY": "sk-bench"})
    wait_for(f"http://127.0.0.1:{port}/healthz")
    return port, process.pid, key


def start_portkey(upstream):
    script = os.environ.get("PORTKEY")
    if not script:
        return None
    port = free_port()
    process = start("node", script, f"--port={port}", "--headless", stdout=subprocess.DEVNULL)
    wait_for(f"http://127.0.0.1:{port}/")
    return port, process.pid


def load(kind, port, *rest):
    run = subprocess.run([LOAD, kind, str(port), *map(str, rest)], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def median(rows, name):
    return statistics.median(row[name] for row in rows)


def main():
    provider = start(LOAD, "upstream", "0", stdout=subprocess.PIPE, text=True)
    upstream = int(provider.stdout.readline())
    nginx_port, nginx_pid = start_nginx(upstream)
    plumb_port, plumb_pid, key = start_plumb(upstream)
    who = {"direct": (upstream, provider.pid, []), "nginx": (nginx_port, nginx_pid, []),
           "plumb": (plumb_port, plumb_pid, [key])}
    ratios = []
    print("| 1 KB answers | requests/s: direct | nginx | plumb | of nginx | p50 us: direct | nginx | plumb | added, of nginx's "
          "| CPU us: nginx | plumb | of nginx |")
    print("| --- |" + " --: |" * 11)
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
              + f"{cpu['nginx']:.1f} | {cpu['plumb']:.1f} | {cpu['plumb'] / cpu['nginx']:.2f} |", flush=True)
        ratios.append(("requests/s at %d" % connections, speed, ">=", 0.9))
        ratios.append(("added p50 at %d" % connections, added, "<=", 1.3))
    print()
    print("| 50 events at 20 ms | p50 us of an event: direct | nginx | plumb | CPU us an event: nginx | plumb | of nginx "
          "| MB: nginx | plumb |")
    print("| --- |" + " --: |" * 8)
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
              + " | ".join(f"{median(rows[n], 'mb'):.0f}" for n in ("nginx", "plumb")) + " |", flush=True)
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
    print()
    for name, value, sign, bound in ratios:
        kept = value >= bound if sign == ">=" else value <= bound
        print(f"{'reached' if kept else 'missed '}  {name}: {value:.2f} ({sign} {bound})")


try:
    main()
finally:
    for process in reversed(started):
        process.terminate()
    for process in started:
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)
