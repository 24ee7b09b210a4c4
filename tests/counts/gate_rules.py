#!/usr/bin/env python3
"""Counts what the gate of a workflow lets pass: developers, agents and commits that are honest, and some that are not.

    PLUMB_BIN=build/bin/plumb tests/counts/gate_rules.py     compares with tests/counts/gate_rules.txt
    PLUMB_REWRITE=1 ...                                      writes that table anew

Every scenario is a git repository with real tools (sh, make, node, npm, python3): a base, a change, and one of three ways to judge it:

    run       the change is the work of a developer, a command, whose task is in a plan; there is no reviewer
    hook      the change lies in the checkout, `plumb workflow check --hook` is told so by an agent
    check     the change lies in the checkout, `plumb workflow check`

passes: exit code 0 and nothing said; warns: exit code 0 with a finding or a message to the person; blocks: the change goes back;
person: exit code 1 of the hook, which an agent shows to its user and not to the model; failed: the command could not do its work.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import stored_table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
UNIT = "python3 -m unittest -q test_sum"
SUM = "def add(a, b):\n    return a + b\n"
TEST = "import unittest\nimport sums\n\n\nclass Sums(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(sums.add(2, 3), 5)\n\n" \
       "    def test_nothing(self):\n        self.assertEqual(sums.add(0, 0), 0)\n"
BROKEN = {"sums.py": SUM.replace("+", "-")}
PYTHON = {"sums.py": SUM, "test_sum.py": TEST}
SCRIPT = {"check.sh": "#!/bin/sh\ngrep -q good a.txt\n", "a.txt": "good\n"}
MAKE = {"Makefile": "test:\n\t@sh ci/test.sh\nother:\n\t@sh ci/other.sh\n", "ci/test.sh": "grep -q good a.txt\n", "ci/other.sh": "true\n", "a.txt": "good\n"}
NODE = {"package.json": '{"name": "sums", "version": "1.0.0", "scripts": {"test": "node --test lib/", "lint": "true"}}\n',
        "lib/sums.js": "exports.add = (a, b) => a + b;\n",
        "lib/sums.test.js": 'const test = require("node:test");\nconst assert = require("node:assert");\nconst { add } = require("./sums.js");\n'
                            'test("adds", () => assert.equal(add(2, 3), 5));\n'}
# A runner of its own, that writes a report of as many tests as tests/list.txt has lines.
COUNTED = {"run.py": "lines = open('tests/list.txt').read().split()\n"
                     "open('report.xml', 'w').write('<testsuite>' + ''.join(f'<testcase name=\"{one}\"/>' for one in lines) + '</testsuite>')\n",
           "tests/list.txt": "one\ntwo\nthree\n", ".gitignore": "report.xml\n", "a.txt": "good\n"}
NODE_BROKEN = "exports.add = (a, b) => a - b;\n"
NODE_WEAK = 'const test = require("node:test");\nconst assert = require("node:assert");\ntest("adds", () => assert.equal(5, 5));\n'
WEAK = TEST.replace("self.assertEqual(sums.add(2, 3), 5)", "pass").replace("self.assertEqual(sums.add(0, 0), 0)", "pass")
SKIPPED = TEST.replace("class Sums", "@unittest.skip('later')\nclass Sums")
MORE = TEST + "\n    def test_more(self):\n        self.assertEqual(sums.add(1, 1), 2)\n"
ABS = {"sums.py": "def add(a, b):\n    total = a\n    total += b\n    return total\n"}
RULED = {".semspec/sources/docs/sops/no-eval.md": "---\ncategory: sop\nseverity: error\napplies_to: '**/*.js'\nchecks: [{forbidden: 'eval\\('}]\n---\n"
         "# No eval\n\nNo code MUST call it.\n"}

SCENARIOS = []


def scenario(name, base, change, gate, files="sums.py", ways=("run", "hook", "check"), report="", more="", **how):
    for way in ways:
        SCENARIOS.append({"name": name, "base": base, "change": change, "gate": gate, "files": files, "way": way, "report": report, "more": more, **how})

# What must not pass unseen.
scenario("the code is broken", PYTHON, BROKEN, UNIT)
scenario("the gate's script always ends with 0", SCRIPT, {"a.txt": "bad\n", "check.sh": "#!/bin/sh\nexit 0\n"}, "./check.sh", "a.txt")
scenario("so it does, with protect: strict", SCRIPT, {"a.txt": "bad\n", "check.sh": "#!/bin/sh\nexit 0\n"}, "./check.sh", "a.txt", ("check",),
         more="  protect: strict\n")
scenario("a script behind bash -c always ends with 0", SCRIPT, {"a.txt": "bad\n", "check.sh": "exit 0\n"}, "bash -c 'sh check.sh'", "a.txt")
scenario("the recipe of a Makefile is emptied", MAKE, {"a.txt": "bad\n", "Makefile": "test:\n\t@true\n"}, "make test", "a.txt")
scenario("the script that a Makefile runs is emptied", MAKE, {"a.txt": "bad\n", "ci/test.sh": "true\n"}, "make test", "a.txt")
scenario("a GNUmakefile goes before the Makefile", MAKE, {"a.txt": "bad\n", "GNUmakefile": "test:\n\t@true\n"}, "make test", "a.txt")
scenario("the scripts of package.json are replaced", NODE,
         {"lib/sums.js": NODE_BROKEN, "package.json": NODE["package.json"].replace("node --test lib/", "true")}, "npm test", "lib/sums.js")
scenario("the scripts of package.json below --prefix are replaced", {"web/" + path: text for path, text in NODE.items()},
         {"web/lib/sums.js": NODE_BROKEN, "web/package.json": NODE["package.json"].replace("node --test lib/", "true")}, "npm test --prefix web",
         "web/lib/sums.js")
scenario("a list that a loop reads loses a line", {"ci/run.sh": 'while read -r one; do grep -q good "$one" || exit 1; done < ci/list.txt\n',
         "ci/list.txt": "a.txt\n", "a.txt": "good\n"}, {"a.txt": "bad\n", "ci/list.txt": ""}, "sh ci/run.sh", "a.txt")
scenario("a script of cmake -P always ends with 0", {"ci/check.cmake": "file(READ a.txt t)\nif(NOT t MATCHES good)\n  message(FATAL_ERROR no)\nendif()\n",
         "a.txt": "good\n"}, {"a.txt": "bad\n", "ci/check.cmake": "message(yes)\n"}, "cmake -P ci/check.cmake", "a.txt")
scenario("an assertion is taken out of a test", PYTHON, {**BROKEN, "test_sum.py": WEAK}, UNIT)
scenario("a test beside the code is weakened, and the task names the folder", NODE, {"lib/sums.js": NODE_BROKEN, "lib/sums.test.js": NODE_WEAK},
         "npm test", "lib/**")
scenario("a test is removed", PYTHON, {**BROKEN, "test_sum.py": None}, "python3 -m unittest discover -q || true", shell=True)
scenario("a line is added to a test that skips it", PYTHON, {**BROKEN, "test_sum.py": SKIPPED}, UNIT)
scenario("a module of the project is put before the runner's", PYTHON, {**BROKEN, "unittest.py": "import sys\nsys.exit(0)\n"}, UNIT)
scenario("the report is missing", COUNTED, {"a.txt": "new\n"}, "true", "a.txt", report="report.xml")
scenario("the report is none", COUNTED, {"a.txt": "new\n"}, "echo nothing > report.xml", "a.txt", report="report.xml", shell=True)
scenario("the report has no test", COUNTED, {"a.txt": "new\n"}, "echo '<testsuite/>' > report.xml", "a.txt", report="report.xml", shell=True)
scenario("the report has a failure, and the gate ends with 0", COUNTED, {"a.txt": "new\n"},
         "echo '<testsuite><testcase name=\"a\"><failure/></testcase></testsuite>' > report.xml", "a.txt", report="report.xml", shell=True)
scenario("the report is the developer's own", {**COUNTED, ".gitignore": ""},
         {"a.txt": "new\n", "report.xml": '<testsuite><testcase name="a"/></testsuite>'}, "true", "a.txt", report="report.xml")
scenario("fewer tests are run than before", COUNTED, {"a.txt": "new\n", "run.py": COUNTED["run.py"].replace("split()", "split()[:1]")},
         "python3 run.py", "a.txt", report="report.xml", known=True)
scenario("a file beyond the task's is written", PYTHON, {**ABS, "other.py": "x = 1\n"}, UNIT, ways=("run",))
LONG = {"a-long.js": "let line = 1;\n" * 25_000}
scenario("a diff of 325 KB is before what an SOP forbids", RULED, {**LONG, "z.js": "eval('1');\n"}, "true", "a-long.js, z.js")
scenario("2,001 new files are before what an SOP forbids", RULED, {**{f"a/{n}.js": "" for n in range(2_001)}, "z.js": "eval('1');\n"}, "true", "a/**, z.js")

# How a script is named that a gate runs: whatever way, emptying it is seen.
CALLED = {"lib/x.sh": "grep -q good a.txt\n", "a.txt": "good\n"}
for call in ('sh "$PWD/lib/x.sh"', 'sh "$(dirname "$0")/lib/x.sh"', 'D=lib; sh $D/x.sh', 'for t in lib/*.sh; do sh $t || exit 1; done',
             "find lib -name '*.sh' | xargs sh", 'eval "sh lib/x.sh"', 'sh < lib/x.sh', 'cat lib/x.sh | sh', '. ./lib/x.sh', 'sh -c "$(cat lib/x.sh)"',
             'H=$(cd "$(dirname "$0")" && pwd)\n"$H"/../"$(basename "$PWD")"/lib/x.sh || sh "$H/lib/x.sh"', "find lib -name '*.sh' -exec sh {} +",
             'ls lib/*.sh | while read t; do sh "$t" || exit 1; done'):
    scenario("emptied: " + call.replace("\n", "; ")[:58], {**CALLED, "go.sh": call + "\n"}, {"a.txt": "bad\n", "lib/x.sh": "exit 0\n"}, "sh go.sh", "a.txt",
             ("hook",))
for tool, text in (("awk -f lib/x.awk a.txt", "/bad/ {exit 1}\n"), ("sed -n -f lib/x.awk a.txt", "/bad/q1\n"), ("! grep -q -f lib/x.awk a.txt", "bad\n")):
    scenario("emptied: " + tool, {"lib/x.awk": text, "a.txt": "good\n", "go.sh": tool + "\n"}, {"a.txt": "bad\n", "lib/x.awk": "#\n"}, "sh go.sh", "a.txt",
             ("hook",))
for made in ("include $(wildcard mk/*.mk)\n", "SHELL := ./lib/shell\ntest:\n\tgrep -q good a.txt\n", "test:\n\tsh $(CURDIR)/lib/x.sh\n",
             "test:\n\tfor t in lib/*.sh; do sh $$t || exit 1; done\n"):
    scenario("emptied by make: " + made.replace("\n", ";").replace("\t", " ")[:50],
             {**CALLED, "Makefile": made, "mk/t.mk": "test:\n\tgrep -q good a.txt\n", "lib/shell.sh": "", "lib/shell": "#!/bin/sh\nexec /bin/sh \"$@\"\n"},
             {"a.txt": "bad\n", "mk/t.mk": "test:\n\ttrue\n", "lib/x.sh": "exit 0\n", "lib/shell": "#!/bin/sh\nexit 0\n"}, "make test", "a.txt", ("hook",),
             executable=("lib/shell",))
scenario("emptied by npm: a loop over checks/*.js", {"package.json": '{"name": "a", "version": "1.0.0", "scripts": {"test": "for t in checks/*.js; do node $t || exit 1; done"}}\n',
                                                     "checks/a.js": "process.exit(require('fs').readFileSync('a.txt', 'utf8') === 'good\\n' ? 0 : 1);\n", "a.txt": "good\n"},
         {"a.txt": "bad\n", "checks/a.js": ""}, "npm test --silent", "a.txt", ("hook",))
scenario("emptied: a loop in the gate itself", CALLED, {"a.txt": "bad\n", "lib/x.sh": "exit 0\n"}, "for t in lib/*.sh; do sh $t || exit 1; done", "a.txt",
         ("hook",), shell=True)
scenario("the report counts failures that no test has", {**COUNTED, "run.py": "import shutil\nshutil.copy('tests/out.xml', 'report.xml')\n",
                                                         "tests/out.xml": '<testsuite tests="1" failures="0"><testcase name="a"/></testsuite>'},
         {"tests/out.xml": '<testsuite tests="1" failures="1" errors="1"><testcase name="a"/></testsuite>'}, "python3 run.py", "tests/out.xml", report="report.xml")

# Data of a gate is no script of it.
for reads in ("sh -c 'cat src/a.c > /dev/null'", "python3 -m py_compile src/a.py", "for f in src/*.py; do python3 -m py_compile $f; done", "wc -l src/run.sh",
              "find src -name '*.py' | xargs wc -l", "while read l; do test -n \"$l\"; done < src/a.c", "grep -n x src/a.c src/run.sh || true"):
    scenario("data: " + reads, {"src/a.py": "x = 1\n", "src/a.c": "int x;\n", "src/run.sh": "true\n", "go.sh": reads + "\n", ".gitignore": "__pycache__/\n"},
             {"src/a.py": "x = 2\n", "src/a.c": "int y;\n", "src/run.sh": "false\n"}, "sh go.sh", "src/**", ("hook",))

# What must pass.
scenario("a diff of 325 KB has nothing that an SOP forbids", RULED, {**LONG, "z.js": "let one = 1;\n"}, "true", "a-long.js, z.js")
scenario("the code is mended", {**PYTHON, **BROKEN}, PYTHON, UNIT)
scenario("the code is written anew", PYTHON, ABS, UNIT)
scenario("a test is added in a new file", PYTHON, {**ABS, "test_more.py": MORE}, UNIT)
scenario("a test is added to a file of tests", PYTHON, {**ABS, "test_sum.py": MORE}, UNIT, "sums.py, test_sum.py")
scenario("so it is, in a file that the task does not name", PYTHON, {**ABS, "test_sum.py": MORE}, UNIT, ways=("hook", "check"))
scenario("a test is added beside the code", NODE, {"lib/more.test.js": NODE["lib/sums.test.js"]}, "npm test", "lib/**")
scenario("a test is changed, and the task names it", PYTHON, {**ABS, "test_sum.py": TEST.replace("(0, 0), 0", "(1, 0), 1")}, UNIT, "sums.py, test_sum.py",
         ("run",))
scenario("a test is moved, and the task names both paths", PYTHON, {"test_sum.py": None, "tests/test_sum.py": TEST},
         "python3 -m unittest discover -q -s . -p 'test*.py'", "test_sum.py, tests/test_sum.py", ("run",))
scenario("tests are removed, and the task names them", COUNTED, {"tests/list.txt": "one\ntwo\n"}, "python3 run.py", "tests/list.txt", ("run",),
         report="report.xml")
scenario("a Makefile is changed, and the task names it", MAKE, {"Makefile": MAKE["Makefile"] + "more:\n\t@true\n"}, "make test", "Makefile", ("run",))
scenario("a script that another target runs is changed", MAKE, {"ci/other.sh": "echo other\n"}, "make test", "ci/other.sh")
scenario("the version in package.json is raised", NODE, {"package.json": NODE["package.json"].replace("1.0.0", "1.1.0")}, "npm test", "package.json")
scenario("so it is, and the task names only code", NODE, {"package.json": NODE["package.json"].replace("1.0.0", "1.1.0")}, "npm test", "lib/**",
         ("hook", "check"))
scenario("a page is written", {**SCRIPT, "README.md": "# A\n"}, {"README.md": "# A\n\nMore.\n"}, "./check.sh", "README.md")
scenario("more tests are run than before", COUNTED, {"a.txt": "new\n", "tests/list.txt": "one\ntwo\nthree\nfour\n"}, "python3 run.py",
         "a.txt, tests/list.txt", report="report.xml", known=True)

# What an agent's hook says, to whom, and who may trust.
AGENT = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False}
scenario("an agent that was stopped once already stops", SCRIPT, {"a.txt": "bad\n"}, "./check.sh", ways=("hook",), says={**AGENT, "stop_hook_active": True})
scenario("an agent stops with broken code", SCRIPT, {"a.txt": "bad\n"}, "./check.sh", ways=("hook",), says=AGENT)
scenario("an agent stops with good code", SCRIPT, {"a.txt": "good\nmore\n"}, "./check.sh", ways=("hook",), says=AGENT)
scenario("the agent's folder is in what it says alone", SCRIPT, {"a.txt": "bad\n"}, "./check.sh", ways=("hook",), says=AGENT, elsewhere=True)
scenario("there is no repository", SCRIPT, {}, "./check.sh", ways=("hook",), says=AGENT, no_repository=True)
scenario("nobody trusted the gates yet", SCRIPT, {"a.txt": "bad\n"}, "./check.sh", ways=("hook",), says=AGENT, trust="nobody")
scenario("trust --yes without a terminal and without the variable", SCRIPT, {"a.txt": "good\nmore\n"}, "./check.sh", ways=("hook",), says=AGENT, trust="agent")


def run(words, where, env, **options):
    return subprocess.run(words, cwd=where, env=env, capture_output=True, text=True, timeout=60, check=False, **options)


def write(top, files):
    for name, text in files.items():
        path = os.path.join(top, name)
        if text is None:
            os.remove(path)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if name.endswith(".sh"):
            os.chmod(path, 0o755)


def prepare(one, top, env):
    repo = os.path.join(top, "repo")
    developer = os.path.join(top, "change.json")
    with open(developer, "w", encoding="utf-8") as file:
        json.dump(one["change"], file)
    # The developer's program is not in the repository: what it does is the change and nothing else.
    does = ("import json,os\\nfor n, t in json.load(open('" + developer + "')).items():\\n"
            " d = os.path.dirname(n)\\n d and os.makedirs(d, exist_ok=True)\\n"
            " os.remove(n) if t is None else open(n, 'w').write(t)\\n").replace('"', '\\"')
    gate = json.dumps({"name": "gate", "command": one["gate"], **({"shell": True} if one.get("shell") else {}),
                       **({"report": one["report"]} if one["report"] else {})})
    write(repo, {**one["base"], "plumb.yaml": "workflow:\n  gates: [" + gate + "]\n" + one["more"] +
                 "  developers:\n    dev: {run: [python3, -c, \"" + does + "\"], home: [\"" + top + "\"]}\n"})
    for name in one.get("executable", ()):
        os.chmod(os.path.join(repo, name), 0o755)
    if one.get("no_repository"):
        return repo
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], repo, env)
    if one.get("trust") != "nobody":
        yes = {} if one.get("trust") == "agent" else {"PLUMB_TRUST_YES": "1"}
        run([PLUMB, "workflow", "trust", "--yes"], repo, {**env, **yes}, stdin=subprocess.DEVNULL)
    return repo


def judged(one, repo, env):
    """(passes, warns, blocks, person or failed) and the exit code."""
    if one["way"] == "run":
        plan = {"title": "One", "tasks": [{"id": "T1", "description": "One", "acceptance": [{"text": "it is good", "check": "gate"}], "fixes": ["gate"],
                                           "files": [{"path": path.strip(), "access": "write"} for path in one["files"].split(",")]}]}
        with open(os.path.join(repo, "..", "plan.json"), "w", encoding="utf-8") as file:
            json.dump(plan, file)
        done = run([PLUMB, "workflow", "run", "../plan.json", "--developer", "dev", "--isolation", "partial", "--quiet"], repo, env, stdin=subprocess.DEVNULL)
        shown = run([PLUMB, "workflow", "status", "--json"], repo, env, stdin=subprocess.DEVNULL).stdout
        tasks = json.loads(shown)["tasks"] if shown else []
        if not tasks:
            return "failed", done.returncode
        told = any(review.get("warnings") for review in [one.get("review") or {} for one in tasks[0]["rounds"]])
        return ("warns" if told else "passes") if done.returncode == 0 else "blocks" if tasks[0]["runs"] else "failed", done.returncode
    if one.get("known"):  # what is the base now was judged before it was committed
        write(repo, {"notes.txt": "a note\n"})
        run([PLUMB, "workflow", "check"], repo, env, stdin=subprocess.DEVNULL)
        for words in (["add", "-A"], ["commit", "-q", "-m", "a note"]):
            run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], repo, env)
    write(repo, one["change"])
    if one["way"] == "hook":
        says = json.dumps({**one.get("says", AGENT), "cwd": repo})
        where = os.path.dirname(repo) if one.get("elsewhere") else repo
        done = run([PLUMB, "workflow", "check", "--hook"], where, env, input=says)
        told = "systemMessage" in done.stdout or (done.returncode == 0 and done.stderr.strip() != "")
        return {0: "warns" if told else "passes", 1: "person", 2: "blocks"}.get(done.returncode, "failed"), done.returncode
    done = run([PLUMB, "workflow", "check", "--format", "jsonl"], repo, env, stdin=subprocess.DEVNULL)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    warned = any(finding["severity"] == "warning" for line in said for finding in line.get("findings", []))
    return {0: "warns" if warned else "passes", 1: "blocks"}.get(done.returncode, "failed"), done.returncode


def outcome(one):
    top = tempfile.mkdtemp(prefix="plumb-gate-rules-")
    try:
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": os.path.join(top, "home"), "XDG_STATE_HOME": os.path.join(top, "state"),
               "PYTHONDONTWRITEBYTECODE": "1"}
        os.makedirs(env["HOME"])
        what, code = judged(one, prepare(one, top, env), env)
        return f"{one['name']:<68} {one['way']:<6} {what:<7} {code}"
    finally:
        shutil.rmtree(top, ignore_errors=True)


def main():
    wanted = sys.argv[1:]
    ones = [one for one in SCENARIOS if all(word in one["name"] + " " + one["way"] for word in wanted)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as pool:
        lines = list(pool.map(outcome, ones))
    table = f"{'scenario':<68} {'way':<6} {'outcome':<7} exit\n" + "\n".join(lines) + "\n"
    if wanted:
        print(table, end="")
        return 0
    return stored_table.compare("gate_rules", table)


if __name__ == "__main__":
    sys.exit(main())
