#!/usr/bin/env python3
"""The Debian package as it is operated: in a clean system, as the user and in the sandbox of its service.

    tests/packaging/deb_test.py PACKAGE [FOLDER]     build/plumbline_VERSION_ARCH.deb; FOLDER keeps the clean system

Needs root, debootstrap and the network for the clean system; without them everything is skipped. There is no systemd in
it: what the unit says is read from the installed unit and done with namespaces, capabilities and a user without a name.
Not done: what the unit filters by seccomp (SystemCallFilter, RestrictAddressFamilies, RestrictNamespaces), which only
systemd-analyze reads. The container file's steps are run in a second clean system. The last line is
`suite deb: N passed, M failed, K skipped`.
"""
import ctypes
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WAIT = 30
USER = "61184"  # the first that DynamicUser takes
STATE = "/var/lib/plumbline"
ENVIRONMENT = "/etc/plumbline/environment"
CONFIG = "/etc/plumbline/plumb.yaml"
TOKEN = "control-token-of-the-operator"
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def ran(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **more)


def done(*command, **more):
    run = ran(*command, **more)
    assert run.returncode == 0, f"{' '.join(command)}\n{(run.stdout + run.stderr)[-3000:]}"
    return run.stdout


def until(condition, what):
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"not within {WAIT} s: {what}")


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers as OpenAI does; a stream takes its time."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert self.headers["authorization"] == "Bearer sk-of-the-provider", self.headers
        if not body.get("stream"):
            answer = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{
                "index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for i in range(30):
            delta = {"choices": [{"index": 0, "delta": {"content": f"{i} "}, "finish_reason": "stop" if i == 29 else None}]}
            self.wfile.write(f"data: {json.dumps(delta)}\n\n".encode())
            time.sleep(0.1)
        self.wfile.write(b"data: [DONE]\n\n")


class System:
    """The clean system, and the service in it."""

    def __init__(self, root):
        self.root = root
        self.process = None

    def at(self, path):
        return self.root + path

    def write(self, path, text, mode=0o644):
        with open(self.at(path), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.at(path), mode)

    def unit(self):
        """The directives of the installed unit, of a name that is said twice the last."""
        with open(self.at("/usr/lib/systemd/system/plumb.service"), encoding="utf-8") as file:
            return dict(re.findall(r"^(\w+)=(.*)$", file.read(), re.MULTILINE))

    def variables(self):
        unit = self.unit()
        out = dict(one.split("=", 1) for one in unit["Environment"].split())
        if os.path.exists(self.at(ENVIRONMENT)):  # by systemd, as root
            with open(self.at(ENVIRONMENT), encoding="utf-8") as file:
                out.update(line.strip().split("=", 1) for line in file if "=" in line)
        return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **out}

    def as_root(self, *command, **variables):
        return ran("/usr/sbin/chroot", self.root, *command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                                                       "LANG": "C.UTF-8", **variables})

    def as_service(self, *command):
        return ["/usr/sbin/chroot", self.root, "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs",
                "--bounding-set=-all", "--inh-caps=-all", "/bin/sh", "-c", f"umask 077; cd {STATE}; exec {' '.join(command)}"]

    def start(self):
        unit = self.unit()
        for name, wanted in {"ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "PrivateDevices": "yes",
                             "NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "DynamicUser": "yes", "UMask": "0077",
                             "StateDirectory": "plumbline", "ProtectProc": "invisible", "MemoryDenyWriteExecute": "yes"}.items():
            assert unit[name] == wanted, (name, unit[name])
        # What systemd does before ExecStart: the state directory is the service's.
        os.makedirs(self.at(STATE), exist_ok=True)
        os.chmod(self.at(STATE), 0o700)
        for folder, _, files in os.walk(self.at(STATE)):
            for path in [folder] + [os.path.join(folder, name) for name in files]:
                os.chown(path, int(USER), int(USER))
        root = self.root
        sandbox = f"""set -e
mount --make-rprivate /
mount --rbind {root} {root}
mount -o remount,bind,ro {root}
mount -t proc -o hidepid=invisible,subset=pid,nosuid,nodev,noexec proc {root}/proc
for one in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmp {root}$one; done
for one in /root /home; do mount -t tmpfs -o mode=000,ro home {root}$one; done
mount -t tmpfs -o mode=755 dev {root}/dev
for one in null zero full random urandom; do touch {root}/dev/$one; mount --bind /dev/$one {root}/dev/$one; done
exec "$@" """

        def refuse_executable_memory():
            ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)  # PR_SET_MDWE: where the kernel knows it

        self.log = open(os.path.join(os.path.dirname(root), "service.log"), "ab")
        self.process = subprocess.Popen(
            ["unshare", "-m", "--", "/bin/sh", "-c", sandbox, "sandbox", *self.as_service(*unit["ExecStart"].split())],
            env=self.variables(), stdout=self.log, stderr=self.log, preexec_fn=refuse_executable_memory)
        until(lambda: self.process.poll() is not None or (
            self.status("/healthz") == 200 and self.status("/healthz", port=8787) == 200), "the service answers")
        assert self.process.poll() is None, self.told()

    def told(self):
        with open(os.path.join(os.path.dirname(self.root), "service.log"), encoding="utf-8") as file:
            return file.read()[-3000:]

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(60) == 0, self.told()

    def ask(self, method, path, body=None, key="", port=8788):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
        headers = {"content-type": "application/json", **({"authorization": "Bearer " + key} if key else {})}
        connection.request(method, path, body=json.dumps(body) if body else None, headers=headers)
        return connection.getresponse()

    def status(self, path, key="", port=8788):
        try:
            return self.ask("GET", path, key=key, port=port).status
        except OSError:
            return 0

    def call(self, key, stream=False):
        return self.ask("POST", "/v1/chat/completions",
                        {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "x"}]}, key)

    def accepts(self, key):
        # Within a second of the first key nobody else is answered any more.
        until(lambda: self.call(key).status == 200 and self.call("").status == 401, "the key is accepted: " + self.told())

    def key(self, run):
        assert run.returncode == 0, run
        return run.stdout.strip()


SETTINGS = """providers:
  one: {speaks: openai, base_url: "http://127.0.0.1:PORT/v1", key_env: ONE_KEY}
proxy:
  listen: 127.0.0.1:8788
  models: {m: one/m}
  record: /var/lib/plumbline/records
LIMITS"""


@test
def the_unit_is_one_that_systemd_takes(system):
    if shutil.which("systemd-analyze"):
        run = ran("systemd-analyze", "verify", "--man=no", system.at("/usr/lib/systemd/system/plumb.service"))
        told = [line for line in run.stderr.splitlines() if "plumb.service" in line and "is not executable" not in line]
        assert not told, told


@test
def what_is_installed_runs_in_its_sandbox_and_refuses_callers_with_the_reason_until_there_is_a_key(system):
    system.write(CONFIG, system.settings(""))
    system.write(ENVIRONMENT, f"ONE_KEY=sk-of-the-provider\nPLUMB_TOKEN={TOKEN}\n", 0o600)
    system.start()
    assert system.status("/readyz") == 200 and system.call("").status == 200  # this machine, without keys
    with open(f"/proc/{system.process.pid}/status", encoding="utf-8") as file:
        status = file.read()
    assert re.search(rf"^Uid:\s+{USER}\s", status, re.MULTILINE), status
    assert re.search(r"^CapBnd:\s+0+$", status, re.MULTILINE) and re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)


@test
def keys_that_the_service_root_or_the_control_port_makes_are_all_accepted(system):
    file = STATE + "/plumb/client-keys.json"
    first = system.key(system.as_root("plumb", "keys", "create", "first", "--file", file))
    system.accepts(first)
    own = system.key(ran(*system.as_service("plumb", "keys", "create", "own"), env=system.variables()))
    system.accepts(own)
    served = system.key(system.as_root("plumb", "keys", "create", "served", "--server", "http://127.0.0.1:8787",
                                       PLUMB_TOKEN=TOKEN))
    system.accepts(served)
    refused = system.as_root("plumb", "keys", "create", "x", "--server", "http://127.0.0.1:8787")
    assert refused.returncode != 0, refused
    for key in (first, own, served):
        system.accepts(key)
    told = os.stat(system.at(file))
    assert (told.st_uid, told.st_mode & 0o777) == (int(USER), 0o600), told
    system.keys = {"first": first, "own": own, "served": served}


@test
def a_key_is_rotated_without_a_call_that_is_refused(system):
    new = system.key(system.as_root("plumb", "keys", "create", "second", "--server", "http://127.0.0.1:8787", PLUMB_TOKEN=TOKEN))
    system.accepts(new)
    run = system.as_root("plumb", "keys", "revoke", "first", "--server", "http://127.0.0.1:8787", PLUMB_TOKEN=TOKEN)
    assert run.returncode == 0, run
    until(lambda: system.call(system.keys["first"]).status == 401, "the old key is refused")
    system.accepts(new)
    system.keys["second"] = new


@test
def a_limit_is_changed_by_a_reload(system):
    assert system.unit()["ExecReload"] == "/bin/kill -HUP $MAINPID"
    system.write(CONFIG, system.settings("  limits: {requests_per_minute: 1}\n"))
    system.process.send_signal(signal.SIGHUP)
    key = system.keys["own"]
    until(lambda: system.call(key).status == 429, "the limit is known")
    answer = system.call(key)
    assert int(answer.headers["retry-after"]) > 0 and answer.headers["x-should-retry"] != "true", dict(answer.headers)
    system.write(CONFIG, system.settings("  limits: {nonsense: 1}\n"))
    system.process.send_signal(signal.SIGHUP)
    until(lambda: "nonsense" in system.told(), "a mistake is told")
    assert system.call(key).status == 429  # the settings before it stay in force
    system.write(CONFIG, system.settings(""))
    system.process.send_signal(signal.SIGHUP)
    until(lambda: system.call(key).status == 200, "the limit is gone")


@test
def an_upgrade_while_a_stream_runs_ends_neither_it_nor_the_settings(system):
    key = system.keys["own"]
    stream = system.call(key, stream=True)
    assert stream.readline().startswith(b"data: ")
    folder = os.path.join(os.path.dirname(system.root), "next")
    shutil.rmtree(folder, ignore_errors=True)
    done("dpkg-deb", "-R", system.package, folder)
    done("sed", "-i", "s/^Version: .*/Version: 99.0/", folder + "/DEBIAN/control")
    done("dpkg-deb", "-b", "-Znone", folder, system.at("/tmp/next.deb"))
    shutil.rmtree(folder)
    run = system.as_root("dpkg", "-i", "/tmp/next.deb")
    assert run.returncode == 0 and "99.0" in run.stdout, run
    os.remove(system.at("/tmp/next.deb"))
    with open(system.at(CONFIG), encoding="utf-8") as file:
        assert file.read() == system.settings("")
    system.process.send_signal(signal.SIGTERM)  # as `systemctl restart` does
    got = stream.read()
    assert got.endswith(b"data: [DONE]\n\n"), got[-200:]
    assert system.process.wait(60) == 0, system.told()
    system.start()
    system.accepts(key)


@test
def on_a_full_disk_calls_are_answered_and_what_is_not_kept_is_counted(system):
    key = system.keys["own"]
    with open(system.at(STATE + "/ballast"), "wb") as file:
        try:
            while True:
                file.write(b"x" * 65536)
                file.flush()
        except OSError:
            pass

    def dropped():
        answer = system.call(key)
        got = answer.read()
        assert answer.status == 200 and b"hello" in got, (answer.status, got, system.told())
        metrics = system.ask("GET", "/metrics", key=TOKEN, port=8787).read().decode()
        return int(re.search(r"^plumb_proxy_records_dropped_total (\d+)", metrics, re.MULTILINE)[1]) > 0
    until(dropped, "a call is not kept, and counted")  # the file's last page had room
    assert system.status("/readyz") == 200
    run = system.as_root("plumb", "keys", "create", "full", "--server", "http://127.0.0.1:8787", PLUMB_TOKEN=TOKEN)
    if run.returncode != 0:
        assert run.stderr.strip(), run
    system.accepts(key)  # whoever had a key still has it
    os.remove(system.at(STATE + "/ballast"))
    system.accepts(system.key(system.as_root("plumb", "keys", "create", "room", "--server", "http://127.0.0.1:8787",
                                             PLUMB_TOKEN=TOKEN)))


@test
def the_container_file_makes_a_system_that_serves_as_its_own_user_and_needs_a_token(system):
    system.stop()
    root, said = system.root.replace("/root", "/container"), container_file()
    variables = {"PATH": "/usr/bin:/bin", **dict(re.findall(r"^ENV (\w+)=(\S+)$", said, re.MULTILINE))}
    program = json.loads(re.search(r"^ENTRYPOINT (.*)$", said, re.MULTILINE)[1]) + json.loads(
        re.search(r"^CMD (.*)$", said, re.MULTILINE)[1])
    user = re.search(r"^USER (\w+)$", said, re.MULTILINE)[1]
    for volume in re.findall(r"^VOLUME (\S+)$", said, re.MULTILINE):
        assert os.stat(root + volume).st_uid != 0, volume
    command = ["/usr/sbin/chroot", f"--userspec={user}", root, *program]
    refused = ran(*command, env=variables)
    assert refused.returncode != 0 and "token" in refused.stderr, refused
    with subprocess.Popen(command, env={**variables, "PLUMB_TOKEN": TOKEN}, stdout=subprocess.DEVNULL) as process:
        try:
            until(lambda: system.status("/healthz", port=8787) == 200, "the container answers")
            assert system.status("/v1/runs", port=8787) == 401 and system.status("/v1/runs", TOKEN, port=8787) == 200
            assert re.search(r"^Uid:\s+(?!0\s)", open(f"/proc/{process.pid}/status", encoding="utf-8").read(), re.MULTILINE)
        finally:
            process.terminate()
        assert process.wait(60) == 0
    system.start()


@test
def what_is_removed_leaves_settings_and_state_and_purging_takes_the_settings(system):
    system.stop()
    assert system.as_root("dpkg", "-r", "plumbline").returncode == 0
    assert os.path.exists(system.at(CONFIG)) and not os.path.exists(system.at("/usr/bin/plumb"))
    assert system.as_root("dpkg", "-P", "plumbline").returncode == 0
    assert not os.path.exists(system.at(CONFIG)) and os.path.exists(system.at(STATE + "/plumb/client-keys.json"))


def container_file():
    with open(os.path.join(TOP, "native", "service", "Containerfile"), encoding="utf-8") as file:
        return file.read().replace("\\\n", "")


def clean(base, root, package, *commands):
    """A clean system at `root` in which these have been run, with the package in /tmp."""
    if os.path.exists(root):
        assert is_unused(root), "something is mounted in the system of a run before"
        shutil.rmtree(root)
    done("cp", "-a", base, root)
    shutil.copy(package, root + "/tmp/")
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copy(name, root + name)
    for command in commands:
        done("chroot", root, "/bin/sh", "-ec", command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def prepare(folder, package):
    """The systems with the package, from a base that is made once."""
    base, root = os.path.join(folder, "base"), os.path.join(folder, "root")
    if not os.path.exists(base):
        done("debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", base)
    clean(base, root, package, "apt-get update && apt-get install -y --no-install-recommends /tmp/plumbline_*.deb")
    clean(base, os.path.join(folder, "container"), package, *re.findall(r"^RUN (.*)$", container_file(), re.MULTILINE))
    return root


def is_unused(root):
    with open("/proc/mounts", encoding="utf-8") as file:
        return root not in file.read()


def main():
    package = os.path.abspath(sys.argv[1])
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print(f"suite deb: 0 passed, 0 failed, {len(TESTS)} skipped")
        return 0
    if os.environ.get("PLUMB_DEB_ROOT") is None:
        folder = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="plumb-deb-")
        root = prepare(folder, package)
        # Its own network, so that the usual ports are free, and mounts that end with it.
        code = subprocess.run(["unshare", "-m", "-n", sys.executable, __file__, package],
                              env={**os.environ, "PLUMB_DEB_ROOT": root}).returncode
        if len(sys.argv) <= 2:
            shutil.rmtree(folder)
        return code
    done("ip", "link", "set", "lo", "up")
    system = System(os.environ["PLUMB_DEB_ROOT"])
    system.package = package
    os.makedirs(system.at(STATE), exist_ok=True)
    done("mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "state", system.at(STATE))  # a disk that can be full
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    port = str(provider.server_address[1])
    system.settings = lambda limits: SETTINGS.replace("PORT", port).replace("LIMITS", limits)
    passed = failed = 0
    try:
        for one in TESTS:
            try:
                one(system)
                passed += 1
            except Exception as problem:
                failed += 1
                print(f"FAILED: {one.__name__.replace('_', ' ')}\n  {type(problem).__name__}: {problem}")
    finally:
        if system.process and system.process.poll() is None:
            system.process.kill()
    print(f"suite deb: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
