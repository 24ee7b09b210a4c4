#!/usr/bin/env python3
"""The small builds for edges, beside the whole command.

    tests/packaging/edge_test.py PLUMB ARCH=EDGE[,RUNNER...]...

PLUMB is the whole command; each EDGE is a small one for an architecture, run by RUNNER and its arguments where it is not this
machine's. The last line is `suite edge: N passed, M failed, K skipped`.
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(TOP, "build", "edge-test")
SEED = os.path.join(TOP, "tests", "cases", "seed")
BYTES_MAX = 8 << 20
BOUND_S = 120
MACHINES = {"amd64": "X86-64", "arm64": "AArch64"}
CLEAN = {**{name: value for name, value in os.environ.items() if not name.startswith("PLUMB_")}, "LANG": "C.UTF-8",
         "XDG_STATE_HOME": FOLDER}
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Edge:
    def __init__(self, word):
        self.arch, rest = word.split("=", 1)
        self.file, *self.runner = rest.split(",")

    def ran(self, *words):
        return subprocess.run([*self.runner, self.file, *words], capture_output=True, timeout=BOUND_S, env=CLEAN, cwd=FOLDER)


def whole(*words):
    return subprocess.run([PLUMB, *words], capture_output=True, timeout=BOUND_S, env=CLEAN, cwd=FOLDER)


@test
def small(edge):
    """is stripped, below 8 MB, for its machine, hardened, and brings libstdc++ with it"""
    size = os.path.getsize(edge.file)
    print(f"  {edge.arch}: {size:,} bytes")
    assert size < BYTES_MAX, f"{size:,} bytes"
    told = subprocess.run(["readelf", "-hldSW", edge.file], capture_output=True, text=True, check=True).stdout
    assert re.search(rf"Machine: .*{MACHINES[edge.arch]}", told)
    assert ".symtab" not in told and ".debug_info" not in told
    assert "GNU_RELRO" in told and "BIND_NOW" in told and re.search(r"Type: +DYN", told)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told)
    assert needed and not [name for name in needed if name.startswith("libstdc++")], needed


@test
def same_bytes(edge):
    """gives the same bytes and exit codes as the whole command: verdicts in every format, edits, contracts, explanations"""
    artifacts = [os.path.join(SEED, name) for name in sorted(os.listdir(SEED)) if name.endswith(".json")]
    assert len(artifacts) > 5
    words = [["check", "--contract", contract, "--format", format, *artifacts]
             for contract in ("quiz", "flashcards", "mindmap") for format in ("text", "json", "sarif", "junit", "llm")]
    words += [["check", "--contract", "quiz", "--fix=guess", "--diff", path] for path in artifacts]
    broken = os.path.join(FOLDER, "broken.yaml")   # an exception of a library of Debian's, caught in the command
    with open(broken, "w", encoding="utf-8") as file:
        file.write("proxy: {listen: [\n")
    words += [["serve", "--config", broken], ["keys", "list", "--config", broken]]
    words += [["contracts", "list"], ["contracts", "show", "quiz"], ["explain"], ["explain", "distinct"], ["models", "list"],
              ["check", "--contract", "nothing", artifacts[0]], ["check", "--help"], ["--version"]]
    for one in words:
        here, there = whole(*one), edge.ran(*one)
        assert here.stdout or here.stderr, one
        assert without_times(here.stdout) == without_times(there.stdout), f"{' '.join(one)}\n{there.stdout[:500]}"
        assert (here.returncode, here.stderr) == (there.returncode, there.stderr), f"{' '.join(one)}\n{there.stderr[:500]}"


def without_times(said):
    return re.sub(rb'time="[0-9.]+"', b"", said)


@test
def what_it_lacks(edge):
    """says of a command that only the whole build has that it is not in this one, and lists those it has"""
    for words in (["serve", "--port", "0", "--repository", "a=."],):
        run = edge.ran(*words)
        assert run.returncode == 2 and b"'--repository' is not in this build of plumb" in run.stderr, run
    for words in (["make", "quiz"], ["story", "make"], ["contracts", "derive", "quiz"], ["help", "workflow"], ["lsp"]):
        run = edge.ran(*words)
        assert run.returncode == 2 and b"is not in this build of plumb" in run.stderr, (words, run)
        assert whole(*words, "--help").returncode == 0, words
    listed = edge.ran("help").stdout.decode()
    for name in ("check", "contracts", "serve", "keys", "version"):
        assert re.search(rf"^ +{name} ", listed, re.M), listed
    assert "workflow" not in listed and "lsp" not in listed, listed


class Model(http.server.BaseHTTPRequestHandler):
    """An upstream that answers as OpenAI's interface does, with a quiz that breaks its contract."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        with open(os.path.join(SEED, "quiz_faulty.json"), encoding="utf-8") as file:
            message = {"role": "assistant", "content": file.read()}
        body = json.dumps({"id": "a", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                           "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def asked(url, body, **headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=BOUND_S) as answer:
            return answer.status, dict(answer.headers.items()), json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, dict(refused.headers.items()), json.load(refused)


@test
def serves(edge):
    """makes a key, serves checks, and judges a model's answer in its proxy for who has that key and nobody else"""
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    keys = os.path.join(FOLDER, f"{edge.arch}-keys.json")
    with open(os.path.join(FOLDER, f"{edge.arch}.yaml"), "w", encoding="utf-8") as file:
        file.write(f"providers:\n  local: {{speaks: openai, base_url: 'http://127.0.0.1:{model.server_port}/v1'}}\n"
                   f"proxy:\n  listen: 127.0.0.1:0\n  keys: {keys}\n  models: {{fast: local/m}}\n")
    made = edge.ran("keys", "create", "web", "--config", file.name)
    assert made.returncode == 0, made
    key = made.stdout.decode().strip()
    server = subprocess.Popen([*edge.runner, edge.file, "serve", "--port", "0", "--config", file.name, "--store", os.path.join(FOLDER, f"{edge.arch}.db"), "--log", "off"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=CLEAN, cwd=FOLDER)
    try:
        ports = []
        for line in server.stdout:
            ports += re.findall(r"http://127\.0\.0\.1:\d+", line)
            if len(ports) == 2:
                break
        assert len(ports) == 2, ports
        wrong = []
        for port in ports:
            status, headers, said = asked(port + "/v1/chat/completions", {"model": "fast", "messages": [{"role": "user", "content": "A quiz."}]},
                                          authorization=f"Bearer {key}", **{"x-plumb-contract": "quiz", "x-plumb-mode": "observe"})
            wrong.append((status, said.get("plumb", {}).get("decision"), headers.get("x-plumb-verdict")))
            if status == 200:
                assert asked(port + "/v1/chat/completions", {"model": "fast", "messages": [{"role": "user", "content": "A quiz."}]})[0] == 401
        assert (200, "revise", "invalid") in wrong, wrong
        judged = [asked(port + "/v1/check", {"contract": "quiz", "text": "{}"}) for port in ports]
        assert any(status == 200 and said["decision"] == "revise" for status, _, said in judged), judged
        left_out = [asked(port + "/api/workflow/runs", {"plan": "x"}) for port in ports]
        assert any(status == 404 and "small one for edges" in said.get("detail", "") for status, _, said in left_out), left_out
    finally:
        server.terminate()
        assert server.wait(BOUND_S) == 0
        model.shutdown()


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    passed = failed = 0
    for edge in map(Edge, sys.argv[2:]):
        for one in TESTS:
            try:
                one(edge)
                passed += 1
            except Exception as problem:
                failed += 1
                print(f"FAILED: {edge.arch}: {one.__doc__}\n  {type(problem).__name__}: {problem}")
    print(f"suite edge: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


PLUMB = os.path.abspath(sys.argv[1])
if __name__ == "__main__":
    sys.exit(main())
