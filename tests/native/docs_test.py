#!/usr/bin/env python3
"""README.md and docs/*.md, followed word for word by somebody who has a clone and nothing else.

    PLUMB_BIN=build/bin/plumb tests/native/docs_test.py [PAGE...]     only these pages: getting-started ci

Every page gets a fresh folder: a git repository that has docs/examples, a home without anything, `plumb` on the PATH, and
free ports. Its blocks are taken from top to bottom:

    sh         every command runs and ends with 0; `plumb serve` runs on until the page ends
    console    the same, and each command prints what follows it; `...` stands for anything, a line of it for any lines
    json yaml  must parse; a contract must be one (`plumb contracts check`), a plumb.yaml is read by `plumb check --config`
    js         must parse (`node --check`)

A comment in front of a block says what is different about it:

    <!-- file: NAME -->       the block is written to NAME, where the commands of the page find it; so it is where a line with
                              nothing but `NAME` is above it
    <!-- exit: N -->          its commands end with N
    <!-- not run: REASON -->  it is not run; these are printed, and there are at most NOT_RUN_MAX

Blocks that another test runs are in RUN_BY. No model is asked: what makes a quiz gets scripted answers, and everything else those of
the sample provider.
"""
import concurrent.futures
import glob
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import scripted_models

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
NOT_RUN_MAX = 24
WAIT = 40

# (page, language) -> the test that runs these blocks; it names the page. A page of "*" is every page.
RUN_BY = {
    ("*", "case"): "tests/native/case_file.cpp",
    ("*", "budget"): "tests/native/budget_cases_test.cpp",
    ("lint", "json"): "tests/native/lint_doc_test.cpp",
    ("roles", "json"): "tests/native/roles_test.cpp",
    ("comparing", "json"): "tests/native/diff_test.py",
    ("comparing", "text"): "tests/native/diff_test.py",
    ("server", "console"): "tests/native/server_test.py",
    ("workflow", "console"): "tests/native/workflow_server_test.py",
    ("boundaries", "js"): "tests/native/boundary_test.py",
    ("boundaries", "c"): "tests/native/boundary_test.py",
    ("linking", "cmake"): "tests/packaging/packaging_test.py",
    ("linking", "cpp"): "tests/packaging/packaging_test.py",
    ("linking", "c"): "tests/packaging/packaging_test.py",
    ("linking", "sh"): "tests/packaging/packaging_test.py",
    ("bundlers", "*"): "tests/bundlers/bundlers.test.mjs",
    ("architecture", "mermaid"): "tests/native/phases_test.cpp",
}
# Languages that are shown and not read by anything here.
SHOWN = {"text", "html", "jsx"}


class Block:
    def __init__(self, line, language, text, notes):
        self.line, self.language, self.text, self.notes = line, language, text, notes


class Wrong(Exception):
    pass


def blocks_of(text):
    """The fenced blocks of a page, each with the comments right above it: {"file": "plumb.yaml"}."""
    blocks, notes, fence = [], {}, None
    for number, line in enumerate(text.split("\n"), 1):
        if fence is not None:
            if line.startswith(fence[3]):
                blocks.append(Block(fence[0], fence[1], "".join(one + "\n" for one in fence[2]), notes))
                fence, notes = None, {}
            else:
                fence[2].append(line)
        elif line.startswith("```"):
            fence = (number, (line.strip("`").split() or [""])[0], [], re.match("`+", line)[0])
        elif note := re.fullmatch(r"<!-- ([a-z ]+): (.+) -->", line):
            notes[note[1]] = note[2]
        elif note := re.fullmatch(r"`([\w./-]+\.\w+)`:?", line):
            notes["file"] = note[1]
        elif line.strip():
            notes = {}
    if fence is not None:
        raise Wrong(f"line {fence[0]}: a block without an end")
    return blocks


def commands_of(text):
    """The commands of a block: lines, with what belongs to them: continued lines, open quotes, here-documents."""
    commands, held, until = [], "", None
    for line in text.split("\n"):
        if not held and (not line.strip() or line.startswith("#")):
            continue
        held += line + "\n"
        if until is not None:
            until = None if line.strip() == until else until
        elif here := re.search(r"<<-?\s*'?(\w+)'?", line):
            until = here[1]
        bare = re.sub(r"\\.|\"(?:[^\"\\]|\\.)*\"|'[^']*'", "", held if until is None and "<<" not in held else "")
        if until is None and not line.endswith("\\") and "'" not in bare and '"' not in bare:
            commands.append(held.rstrip("\n"))
            held = ""
    if held:
        raise Wrong(f"a command without an end: {held}")
    return commands


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


QUOTE = "In plants and algae, photosynthesis takes place in chloroplasts."
QUIZ = {"questions": [{"question": "Where does photosynthesis take place?", "options": ["Mitochondria", "Chloroplasts", "Nucleus", "Cell wall"],
                       "correct_answer": "Chloroplasts", "explanation": QUOTE}]}


def scripted(text):
    """What a good model answers to a prompt of the artifact pipeline about docs/examples/chapter.md, or as the consumer at a boundary;
    None for other prompts."""
    if "which items you can work with and which you send back" in text:
        return {"rejected_items": []}
    if "You plan quizzes" in text:
        return {"concepts": ["photosynthesis takes place in chloroplasts"]}
    if "You write learning material" in text or "You repair JSON artifacts" in text:
        return QUIZ
    if "You check learning material" not in text:
        return None
    claims = scripted_models.claims(text)["claims"]
    return {"claims": [{**one, "quote": QUOTE} for one in claims]}


def texts_in(value):
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(one)


class Models(http.server.BaseHTTPRequestHandler):
    """Stands where Ollama, OpenAI and Anthropic are. Scripted answers come from scripted_upstream.py, which speaks all three; all
    other calls go to the sample provider, which is asked to be obedient, whatever model was named."""
    protocol_version = "HTTP/1.1"
    sample = script = 0

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        answer = scripted("\n".join(texts_in(request)))
        request["model"] = "obedient-typical"
        if answer is None:
            self.passed_on("POST", Models.sample, self.path, request)
        else:
            request["messages"] = [{"role": "user", "content": "say: " + json.dumps(answer)}]
            self.passed_on("POST", Models.script, "/docs/piece=200" + self.path, request)

    def do_GET(self):
        names = ["qwen3:8b", "gpt-4o", "gpt-4o-mini", "claude-sonnet-4", "claude-sonnet-4-5"]
        self.answer(200, json.dumps({"models": [{"name": one, "model": one} for one in names], "data": [{"id": one} for one in names]}).encode())

    def passed_on(self, method, port, path, request):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length", "accept-encoding")}
        connection.request(method, path, request if request is None else json.dumps(request).encode(), headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        self.answer(answer.status, data, answer.getheader("content-type", "application/json"))

    def answer(self, status, data, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Served:
    """A `plumb serve` in a folder until it is stopped."""

    def __init__(self, command, folder, env, ports, shell="/nonexistent"):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(["bash", "-c", f"[ ! -f {shell} ] || . {shell}\nexec {command}"], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        for port in ports:
            end = time.monotonic() + WAIT
            while self.process.poll() is None and time.monotonic() < end:
                with socket.socket() as one:
                    if one.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            if self.process.poll() is not None:
                raise Wrong(f"{command}\n{self.told()}")

    def told(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


def pattern(line):
    """A shown line as a regular expression: `...` is anything, a time of day any time, blanks may be more."""
    out = r".*".join(re.escape(part) for part in line.rstrip().split("..."))
    out = re.sub(r"\\?\[\d\d:\d\d:\d\d\\?\]", r"\\[\\d\\d:\\d\\d:\\d\\d\\]", out)
    out = re.sub(r"\d{4}\\-\d\d\\-\d\d", r"\\d{4}\\-\\d\\d\\-\\d\\d", out)
    out = re.sub(r"T\d\d:\d\d:\d\dZ", r"T\\d\\d:\\d\\d:\\d\\dZ", out)
    return re.sub(r"(?:\\ )+", r"\\s+", out)


def shows(wanted, printed):
    """Whether these lines are what is shown; a line `...` stands for any number of them."""
    lines = [line for line in wanted.rstrip("\n").split("\n")] if wanted.strip() else []
    expression = ""
    for line in lines:
        expression += r"(?:[^\n]*\n)*?" if line.strip() == "..." else pattern(line) + r"\s*\n"
    return not lines or re.fullmatch(expression, printed.rstrip("\n") + "\n") is not None


class Page:
    """One page in a folder of its own."""

    def __init__(self, path, model_port):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.folder = tempfile.mkdtemp(prefix=f"plumb_docs_{self.name}_")
        self.clone = os.path.join(self.folder, "plumbline")
        home = os.path.join(self.folder, "home")
        os.makedirs(home)
        shutil.copytree(os.path.join(ROOT, "docs", "examples"), os.path.join(self.clone, "docs", "examples"))
        self.ports = {port: free_port() for port in (8787, 8788, 8789)}
        binary = os.path.join(self.folder, "bin")
        os.makedirs(binary)
        os.symlink(PLUMB, os.path.join(binary, "plumb"))
        self.env = {"PATH": binary + ":" + os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "HOME": home, "COLUMNS": "160", "NO_COLOR": "1",
                    "OLLAMA_HOST": f"127.0.0.1:{model_port}", "OPENAI_BASE_URL": f"http://127.0.0.1:{model_port}/v1",
                    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model_port}", "OPENAI_API_KEY": "any", "ANTHROPIC_API_KEY": "any",
                    "GIT_CONFIG_GLOBAL": os.path.join(self.folder, "gitconfig"), "PLUMB_PORT": str(self.ports[8787])}
        with open(self.env["GIT_CONFIG_GLOBAL"], "w", encoding="utf-8") as file:
            file.write("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")
        self.servers = []
        self.ids = {}
        self.not_run = []
        self.ran = self.read = 0
        self.shell("git init -q . && git add -A && git commit -qm Begin")

    def done(self):
        for one in self.servers:
            one.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def real(self, text):
        for shown, found in [*self.ports.items(), *self.ids.items()]:
            text = text.replace(str(shown), str(found))
        return text

    def shell(self, command):
        """Runs it where the one before ended, with the variables that it left."""
        kept = os.path.join(self.folder, "shell")
        script = (f"[ ! -f {kept} ] || . {kept}\n{command}\ncode=$?\n"
                  f"{{ printf 'cd %q\\n' \"$PWD\"; export -p | grep -v ' PWD=\\| OLDPWD='; }} >{kept}; exit $code")
        process = subprocess.Popen(["bash", "-c", script], cwd=self.clone, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            out, err = process.communicate(timeout=WAIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Wrong(f"$ {command}\nis not done after {WAIT} s") from None
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def serve(self, command):
        for one in self.servers:
            one.stop()
        ports = [self.ports[8789]] if "--sample" in command else [self.ports[8787]]
        kept = os.path.join(self.folder, "shell")
        where = subprocess.run(["bash", "-c", f". {kept}; pwd"], capture_output=True, text=True, check=True, cwd=self.clone).stdout.strip()
        settings = os.path.join(where, "plumb.yaml")
        opened = os.path.exists(settings) and re.search(r"^proxy:", open(settings, encoding="utf-8").read(), re.M)
        if "--proxy" in command or opened:
            ports.append(self.ports[8788])
            command += "" if "--proxy" in command else f" --proxy {self.ports[8788]}"
        self.servers.append(Served(self.real(command), where, self.env, ports, kept))

    def run(self, command, code, shown=None):
        self.ran += 1
        if re.match(r"(?:build/bin/)?plumb serve\b(?!.*--help)", command):
            self.serve(command)
            return
        command = self.real(command)
        if changes := re.search(r"^(?:sudo|apt|apt-get|systemctl|npm|pip|\./dev|exec)\b", command):
            raise Wrong(f"$ {command}\nchanges the machine or takes minutes ({changes[0]}): it is not run here")
        # Who trusts says so at a terminal.
        command = re.sub(r"^(plumb(?: workflow)? trust)\b.*$", r"set -o pipefail; echo y | script -qec '\1' /dev/null | tr -d '\\r'", command)
        done = self.shell(command)
        if done.returncode != code:
            raise Wrong(f"$ {command}\nended with {done.returncode}, not {code}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
        if shown is None:
            return
        done.stdout = re.sub(r"^y\n", "", done.stdout)   # what was typed at the terminal
        printed = done.stdout + done.stderr if "2>&1" not in command else done.stdout
        for a, b in zip(re.findall(r"\br[a-z2-7]{20}\b", shown), re.findall(r"\br[a-z2-7]{20}\b", printed)):
            self.ids.setdefault(a, b)
        if not any(shows(self.real(shown), text) for text in (done.stdout, done.stderr, printed, done.stderr + done.stdout)):
            raise Wrong(f"$ {command}\nprints\n{printed}\nand is shown with\n{shown}")

    def json(self, block):
        lines = block.text.strip().split("\n")
        text = block.text
        try:
            value = json.loads(text if not text.lstrip().startswith('"') else "{" + text + "}")
        except ValueError as error:
            values = []
            for line in lines:   # a file of JSON lines
                try:
                    values.append(json.loads(line))
                except ValueError:
                    raise Wrong(f"no JSON: {error}") from None
            value = values
        if isinstance(value, dict) and "$schema" in value:
            contract = os.path.join(self.folder, "contract.json")
            with open(contract, "w", encoding="utf-8") as file:
                file.write(text)
            done = self.shell(f"plumb contracts check {contract} && plumb contracts lint {contract}")
            if done.returncode == 2:
                raise Wrong(done.stdout + done.stderr)

    def yaml(self, block):
        file = os.path.join(self.folder, "read.yaml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(block.text)
        with open(os.path.join(self.folder, "empty.json"), "w", encoding="utf-8") as out:
            out.write("{}")
        done = self.shell(f"echo '{{}}' | plumb check --config {file} --contract search -")
        if "is not YAML" in done.stderr or ("read.yaml" in done.stderr and not re.search(r"unknown key '(?:waivers|begin|permissions|steps|repos|name|on|title|role|id|-)", done.stderr)
                                           and not block.text.lstrip().startswith("-")):
            raise Wrong(done.stderr)

    def js(self, block):
        file = os.path.join(self.folder, "read.mjs")
        with open(file, "w", encoding="utf-8") as out:
            out.write(block.text)
        done = subprocess.run(["node", "--check", file], capture_output=True, text=True, check=False)
        if done.returncode and "await" in block.text and "Unexpected" not in done.stderr:
            raise Wrong(done.stderr)
        if done.returncode and "require(" in block.text:
            shutil.move(file, file[:-3] + "cjs")
            done = subprocess.run(["node", "--check", file[:-3] + "cjs"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Wrong(done.stderr)

    def take(self, block):
        if "not run" in block.notes:
            self.not_run.append(f"{self.path}:{block.line}: {block.notes['not run']}")
            return
        code = int(block.notes.get("exit", 0))
        if "file" in block.notes:
            name = os.path.join(self.clone, block.notes["file"])
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "w", encoding="utf-8") as out:
                out.write(self.real(block.text))
        if any(key in RUN_BY for key in ((self.name, block.language), (self.name, "*"), ("*", block.language))):
            return
        if block.language == "sh":
            for command in commands_of(block.text):
                self.run(command, code)
        elif block.language == "console":
            for step in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
                lines = step.split("\n")
                count = 1
                while lines[count - 1].endswith("\\") or len(commands_or_none("\n".join(lines[:count]))) != 1:
                    count += 1
                self.run("\n".join(lines[:count]), code, "\n".join(lines[count:]))
        elif block.language in ("json", "yaml", "js"):
            self.read += 1
            getattr(self, block.language)(block)
        elif block.language not in SHOWN and "file" not in block.notes:
            raise Wrong(f"nothing here knows what to do with a block of `{block.language}`: run it, or say why not")

    def follow(self):
        """What is wrong with the page; empty where all of it does what it says."""
        wrong = []
        try:
            with open(os.path.join(ROOT, self.path), encoding="utf-8") as file:
                blocks = blocks_of(file.read())
        except Wrong as error:
            return [f"{self.path}: {error}"]
        for block in blocks:
            try:
                self.take(block)
            except Wrong as error:
                wrong.append(f"{self.path}:{block.line}: {error}")
        return wrong


def commands_or_none(text):
    try:
        return commands_of(text)
    except Wrong:
        return []


def run_by_others(pages):
    """Tests of RUN_BY that are not there, or do not name the page whose blocks they are said to run."""
    for (page, _), test in RUN_BY.items():
        path = os.path.join(ROOT, test)
        if not os.path.exists(path):
            yield f"RUN_BY: there is no {test}"
        elif page != "*" and f"{page}.md" not in open(path, encoding="utf-8").read():
            yield f"RUN_BY: {test} does not name {page}.md"
        if page != "*" and f"docs/{page}.md" not in pages:
            yield f"RUN_BY: there is no page {page}"


def cannot_fail():
    """What of this test would let a wrong page pass."""
    if commands_of("a \\\n  b\n# c\nd 'e\nf'\ncat <<X\ng 'h\nX\n") != ["a \\\n  b", "d 'e\nf'", "cat <<X\ng 'h\nX"]:
        yield "commands are not told apart"
    blocks = blocks_of("<!-- exit: 1 -->\n```sh\na\n```\n`b.json`\n\n````text\n```\n````\n")
    if [(one.line, one.language, one.text, one.notes) for one in blocks] != [(2, "sh", "a\n", {"exit": "1"}), (7, "text", "```\n", {"file": "b.json"})]:
        yield "blocks are not told apart"
    for wanted, printed, same in (("a  b", "a b", True), ("a...c", "abc", True), ("a\n...\nd", "a\nb\nc\nd", True), ("a", "a\nb", False),
                                  ("at 2026-01-01", "at 2027-02-03", True), ("a 1", "a 2", False), ("...\nd", "a\ne", False)):
        if shows(wanted, printed) != same:
            yield f"{wanted!r} and {printed!r} are taken for {'different' if same else 'the same'}"


def installs_ours(pages):
    """Lines that install a package which is not the tarball that ./dev build leaves, of this version."""
    with open(os.path.join(ROOT, "wasm", "package", "package.json"), encoding="utf-8") as file:
        tarball = f"build/npm-pack/plumbline-plumbline-{json.load(file)['version']}.tgz"
    for page in pages:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            for package in re.findall(r"npm (?:install|i|add) ([^\s`]*plumbline[^\s`]*)", file.read()):
                if not package.endswith(tarball):
                    yield f"{page}: installs {package}, and not {tarball}"


def main(words):
    pages = ["README.md", "docs/examples/README.md", *sorted(os.path.relpath(one, ROOT) for one in glob.glob(os.path.join(ROOT, "docs", "*.md")))]
    wrong = list(cannot_fail()) + ([] if words else [*run_by_others(pages), *installs_ours(pages)])
    if words:
        pages = [page for page in pages if os.path.splitext(os.path.basename(page))[0] in words]
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    Models.sample = free_port()
    sample = Served(f"{PLUMB} serve --sample {Models.sample} --log off", tempfile.gettempdir(), env, [Models.sample])
    script = subprocess.Popen([sys.executable, os.path.join(ROOT, "tests", "native", "scripted_upstream.py")], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    Models.script = int(script.stdout.readline())
    models = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=models.serve_forever, daemon=True).start()

    def follow(path):
        page = Page(path, models.server_address[1])
        try:
            started = time.monotonic()
            found = page.follow()
            if time.monotonic() - started > 15:
                print(f"slow     {path}: {time.monotonic() - started:.1f} s")
            return page, found
        finally:
            page.done()

    not_run, ran, read, failed = [], 0, 0, 0
    try:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for page, found in pool.map(follow, pages):
                not_run += page.not_run
                ran, read = ran + page.ran, read + page.read
                failed += bool(found)
                wrong += found
    finally:
        models.shutdown()
        sample.stop()
        script.stdin.close()
        script.wait(10)
    for one in not_run:
        print(f"not run  {one}")
    print(f"{ran} commands run, {read} blocks read, {len(not_run)} not run")
    if len(not_run) > NOT_RUN_MAX:
        wrong.append(f"{len(not_run)} blocks are not run; at most {NOT_RUN_MAX} may be")
    for one in wrong:
        print("FAILED   " + one.replace("\n", "\n         "))
    print(f"suite docs: {len(pages) - failed} passed, {max(failed, 1 if wrong else 0)} failed, 0 skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
