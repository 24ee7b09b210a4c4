"""The servers that proxy_bench.py and proxy_moments.py measure, each a process that ends with this one."""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PLUMB, LOAD = sys.argv[1:3]
TICK = os.sysconf("SC_CLK_TCK")
folder = tempfile.mkdtemp(prefix="plumb-bench-")
started = []


def start(*command, **options):
    process = subprocess.Popen(command, **options)
    started.append(process)
    return process


def free_port():
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


def wait_for_port(port):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.01)
    sys.exit(f"port {port} does not answer")


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


def start_nginx(upstream, name="nginx", listen="", passes="http", logs=False):
    """`listen`: more of its server, such as a certificate; `passes`: https where the upstream speaks TLS; `logs`: a line
    a call as usual, buffered."""
    port = free_port()
    temporary = " ".join(f"{kind}_temp_path {folder}/{name}-{kind};" for kind in
                         ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/{name}.conf", "w", encoding="ascii") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/{name}.pid; error_log {folder}/{name}.err error;
worker_rlimit_nofile 20000; events {{ worker_connections 16000; }}
http {{ access_log {f"{folder}/{name}.access combined buffer=64k flush=1s" if logs else "off"}; {temporary} keepalive_requests 1000000000;
  client_max_body_size 16m; client_body_buffer_size 1m;
  upstream provider {{ server 127.0.0.1:{upstream}; keepalive 2048; keepalive_requests 1000000000; }}
  server {{ listen 127.0.0.1:{port} {listen or "backlog=4096;"}
    location / {{ proxy_pass {passes}://provider; proxy_http_version 1.1; proxy_set_header Connection "";
                  proxy_buffering off; }} }} }}
""")
    process = start("nginx", "-c", f"{folder}/{name}.conf")
    wait_for_port(port)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout
    return port, int(children.split()[0])


def start_plumb(upstream, name="plumb", scheme="http", more="", environment=None):
    port = free_port()
    config = f"{folder}/{name}.yaml"
    with open(config, "w", encoding="ascii") as file:
        file.write(f"""providers: {{provider: {{speaks: openai, base_url: "{scheme}://127.0.0.1:{upstream}/v1", key_env: PLUMB_BENCH_KEY}}}}
proxy:
  listen: 127.0.0.1:{port}
  threads: 1
  models: {{m: provider/m}}
  limits: {{requests_per_minute: 100000000, tokens_per_minute: 1000000000000}}
  keys: {folder}/{name}-keys.json
  counters: {folder}/{name}-counters.json
  log: json
  bounds: {{connections_each: 10000}}
{more}""")
    made = subprocess.run([PLUMB, "keys", "create", "bench", "--config", config, "--json"], capture_output=True,
                          text=True, check=True, env={**os.environ, "PLUMB_BENCH_KEY": "sk-bench"})
    key = json.loads(made.stdout)["key"]
    log = open(f"{folder}/{name}.log", "w", encoding="utf-8")
    process = start(PLUMB, "serve", "--config", config, "--port", "0", "--store", f"{folder}/{name}.db", "--log", "json",
                    "--log-level", "info", stdout=subprocess.DEVNULL, stderr=log,
                    env={**os.environ, "PLUMB_BENCH_KEY": "sk-bench", **(environment or {})})
    wait_for(f"http://127.0.0.1:{port}/healthz")
    return port, process.pid, key


def start_portkey(upstream):
    script = os.environ.get("PORTKEY")
    if not script:
        return None
    port = free_port()
    process = start("node", script, f"--port={port}", "--headless", stdout=subprocess.DEVNULL)
    wait_for(f"http://127.0.0.1:{port}/")
    # proxy_load's key is the end of a header line: what follows it are lines of their own.
    return port, process.pid, ("sk-bench\r\nx-portkey-provider: openai\r\n"
                               f"x-portkey-custom-host: http://127.0.0.1:{upstream}/v1")


def load(kind, port, *rest):
    run = subprocess.run([LOAD, kind, str(port), *map(str, rest)], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def end_all():
    for process in reversed(started):
        process.terminate()
    for process in started:
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)
