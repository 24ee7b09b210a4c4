"""A folder and a server of its own for a test that drives `plumb` as a user does; what is compared, and how a suite ends.

    with Place("boundary") as place, Server(place, "--corpus", "docs") as server:
        place.file("docs/a.md", "# A\n")
        done = place.run("search", "--corpus", "docs", "a")
        status, answer = server.ask("GET", "/v1/runs")
"""
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))


def equal(is_, should):
    if is_ != should:
        raise AssertionError(f"is {is_!r}, should be {should!r}")


def holds(yes, what):
    if not yes:
        raise AssertionError(what)


class Place:
    """A folder with a store in it, and nothing of the caller's environment but what it needs to run."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix=f"plumb_{self.name}_")
        self.store = self.path("runs.db")
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def file(self, name, text=None):
        """The path; with the text in it where there is one."""
        if text is not None:
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def environment(self, extra=None):
        """A variable whose value is None is not there."""
        env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": self.folder.name,
               "PLUMB_STORE": self.store}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(extra or {})
        return {name: value for name, value in env.items() if value is not None}

    def run(self, *arguments, env=None, stdin=None, cwd=None):
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        return subprocess.run([PLUMB, *arguments], capture_output=True, text=True, timeout=120, check=False,
                              cwd=cwd or self.folder.name, env=self.environment(env), **given)


class Server:
    """`plumb serve` on a free port."""

    def __init__(self, place, *arguments, env=None):
        self.process = subprocess.Popen([PLUMB, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, cwd=place.folder.name,
                                        env=place.environment(env))
        self.base = re.search(r"http://[^/\s]+", self.process.stdout.readline()).group(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.process.stdout.close()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")

    def text(self, path):
        with urllib.request.urlopen(self.base + path, timeout=60) as answer:
            return answer.read().decode()

    def until(self, path, enough):
        """What a path answers, as soon as it is enough; at most a minute."""
        end = time.monotonic() + 60
        while True:
            _, answer = self.ask("GET", path)
            if enough(answer):
                return answer
            holds(time.monotonic() < end, "it does not come so far: " + json.dumps(answer)[:500])
            time.sleep(0.02)
