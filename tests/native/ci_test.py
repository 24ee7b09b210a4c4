#!/usr/bin/env python3
"""action.yml and .pre-commit-hooks.yaml, done as a runner and pre-commit do them.

    PLUMB_BIN=build/bin/plumb tests/native/ci_test.py [WORD...]     only tests whose sentence has all words
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import cli_test
from cli_test import PLUMB, ROOT, SEED, Folder, Skip, code, equal, has, plumb

TESTS = []
TOOLS = ("bash", "head", "sed", "cat", "env", "chmod", "cp", "mkdir")


def test(function):
    TESTS.append(function)
    return function


def block(text, indent):
    """The lines that are deeper than `indent`, without what they have in common."""
    lines = []
    for line in text.split("\n"):
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        lines.append(line)
    width = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[width:] for line in lines)


def scalar(text):
    return text[1:-1].replace("''", "'") if text[:1] == "'" else text


def action():
    """Inputs with their defaults, outputs and steps of action.yml, which keeps to this much of YAML."""
    with open(os.path.join(ROOT, "action.yml"), encoding="utf-8") as file:
        text = file.read()
    sections = dict(re.findall(r"^(\w+):\n((?:  .*\n|\n)*)", text, re.M))
    inputs = dict(re.findall(r"^  ([\w-]+):\n    description: .*\n    default: (.*)$", sections["inputs"], re.M))
    outputs = dict(re.findall(r"^  ([\w-]+):\n    description: .*\n    value: (.*)$", sections["outputs"], re.M))
    steps = []
    for part in re.split(r"^    - name: ", sections["runs"], flags=re.M)[1:]:
        step = {"id": re.search(r"^      id: (\w+)$", part, re.M).group(1), "env": {}}
        equal(re.search(r"^      shell: (\w+)$", part, re.M).group(1), "bash")
        for name, value in re.findall(r"^        (\w+): (\$\{\{.*\}\})$", part, re.M):
            step["env"][name] = value
        step["run"] = block(part.split("      run: |\n", 1)[1], 6)
        steps.append(step)
    return {name: scalar(value) for name, value in inputs.items()}, outputs, steps


def outputs_of(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("=", 1) for line in file)


def run_action(folder, said, with_plumb=True, action_path=ROOT, tools=TOOLS):
    """As a runner does: the exit code of the step that failed (or 0), what was written, outputs and summary."""
    inputs, outputs, steps = action()
    for name in said:
        assert name in inputs, name
    values = {f"inputs.{name}": said.get(name, default) for name, default in inputs.items()}
    values["github.action_path"] = action_path
    runner = os.path.join(folder.path, ".runner")
    shutil.rmtree(runner, ignore_errors=True)
    bin_folder = os.path.join(runner, "bin")
    os.makedirs(bin_folder)
    for tool in tools:
        os.symlink(shutil.which(tool), os.path.join(bin_folder, tool))
    if with_plumb:
        os.symlink(PLUMB, os.path.join(bin_folder, "plumb"))

    def evaluated(text):
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: values.get(match.group(1), ""), text)

    summary = os.path.join(runner, "summary.md")
    open(summary, "w", encoding="utf-8").close()
    out = ""
    result = 0
    for step in steps:
        given = os.path.join(runner, step["id"] + ".out")
        open(given, "w", encoding="utf-8").close()
        script = os.path.join(runner, step["id"] + ".sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(step["run"])
        env = {"PATH": bin_folder, "HOME": runner, "RUNNER_TEMP": runner, "GITHUB_OUTPUT": given, "GITHUB_STEP_SUMMARY": summary,
               **{name: evaluated(value) for name, value in step["env"].items()}}
        done = subprocess.run([shutil.which("bash"), "--noprofile", "--norc", "-e", "-o", "pipefail", script], cwd=folder.path, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        out += done.stdout + done.stderr
        for name, value in outputs_of(given).items():
            values[f"steps.{step['id']}.outputs.{name}"] = value
        if done.returncode != 0:
            result = done.returncode
            break
    with open(summary, encoding="utf-8") as file:
        return result, out, {name: evaluated(value) for name, value in outputs.items()}, file.read()


@test
def the_action_annotates_writes_sarif_and_a_summary():
    with Folder() as folder:
        shutil.copy(os.path.join(SEED, "quiz_faulty.json"), os.path.join(folder.path, "a quiz.json"))
        shutil.copy(os.path.join(SEED, "quiz_repaired.json"), os.path.join(folder.path, "good.json"))
        result, out, outputs, summary = run_action(folder, {"files": "a quiz.json\n\n  \ngood.json\n", "contract": "quiz"})
        equal((result, outputs["exit-code"]), (1, "1"))
        has(out, "::error file=a quiz.json,line=5,", plumb("version").out.strip())
        equal(out.count("::error"), 3)
        with open(outputs["report"], encoding="utf-8") as file:
            results = json.load(file)["runs"][0]["results"]
        equal([one["ruleId"] for one in results], ["minItems", "distinct", "memberOf"])
        has(summary, "### Plumbline", "Must have at least 4 options", "a quiz.json:5:18")
        result, out, outputs, summary = run_action(folder, {"files": "*.json\n!a quiz.json", "contract": "quiz"})
        equal((result, outputs["exit-code"]), (0, "0"))
        with open(outputs["report"], encoding="utf-8") as file:
            equal(json.load(file)["runs"][0]["results"], [])


@test
def the_action_takes_plumb_yaml_formats_and_words_that_a_shell_would_read():
    with Folder() as folder:
        folder.write("$(touch never) 'x.json", '{"n": "1"}')
        folder.write("c.json", '{"properties": {"n": {"type": "integer"}}}')
        folder.write("sub.yaml", "contracts:\n  - {files: '*x.json', contract: c.json}\n")
        result, _, outputs, _ = run_action(folder, {"config": "sub.yaml", "format": "junit"})
        equal(result, 1)
        has(open(outputs["report"], encoding="utf-8").read(), "<testsuite", "x.json")
        result, out, _, summary = run_action(folder, {"files": "$(touch never) 'x.json", "contract": "c.json", "format": "short"})
        equal(result, 1)
        has(out, "x.json:1:7: error:")
        has(summary, "x.json")
        assert not os.path.exists(os.path.join(folder.path, "never"))
        result, _, outputs, _ = run_action(folder, {"config": "sub.yaml", "fail-on": "never"})
        equal((result, outputs["exit-code"]), (0, "0"))
        result, out, outputs, _ = run_action(folder, {"files": "absent.json", "contract": "c.json"})
        equal((result, outputs["exit-code"]), (2, "2"))
        has(out, "absent.json")


@test
def the_action_finds_plumb_or_builds_it_or_says_what_is_missing():
    with Folder() as folder:
        shutil.copy(os.path.join(SEED, "quiz_repaired.json"), os.path.join(folder.path, "good.json"))
        said = {"files": "good.json", "contract": "quiz"}
        empty = os.path.join(folder.path, "action")
        os.mkdir(empty)
        result, out, outputs, _ = run_action(folder, {**said, "plumb": PLUMB}, with_plumb=False, action_path=empty)
        equal((result, outputs["plumb"]), (0, PLUMB))
        result, out, _, _ = run_action(folder, {**said, "plumb": "/bin/false"}, with_plumb=False, action_path=empty)
        equal(result, 2)
        has(out, "::error::'/bin/false' is no plumb")
        result, out, _, _ = run_action(folder, said, with_plumb=False, action_path=empty)
        equal(result, 2)
        has(out, "::error::plumb is not in PATH and cannot be built: cmake is missing")
        os.makedirs(os.path.join(empty, "build", "bin"))
        os.symlink(PLUMB, os.path.join(empty, "build", "bin", "plumb"))
        result, _, outputs, _ = run_action(folder, said, with_plumb=False, action_path=empty)
        equal((result, outputs["plumb"]), (0, os.path.join(empty, "build", "bin", "plumb")))


@test
def the_action_builds_what_its_presets_say():
    if any(shutil.which(tool) is None for tool in ("cmake", "ninja", "c++")):
        raise Skip("cmake, ninja or c++ is not installed")
    with Folder() as folder:
        shutil.copy(os.path.join(SEED, "quiz_repaired.json"), os.path.join(folder.path, "good.json"))
        # The preset of this repository over a project whose target `plumb` takes no minutes.
        source = os.path.join(folder.path, "source")
        os.mkdir(source)
        shutil.copy(os.path.join(ROOT, "CMakePresets.json"), source)
        folder.write("source/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES NONE)\n"
                     f'add_custom_target(plumb COMMAND ${{CMAKE_COMMAND}} -E copy "{PLUMB}" "${{PLUMB_BIN_DIR}}/plumb")\n')
        result, out, outputs, _ = run_action(folder, {"files": "good.json", "contract": "quiz"}, with_plumb=False, action_path=source,
                                             tools=(*TOOLS, "cmake", "ninja", "c++"))
        assert result == 0, out
        equal(outputs["plumb"], os.path.join(source, "build", "bin", "plumb"))


def hooks():
    with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as file:
        parts = ("\n" + file.read()).split("\n- ")[1:]
    return {hook["id"]: hook for hook in (dict(re.findall(r"^ *(\w+): (.*)$", part, re.M)) for part in parts)}


def run_hook(folder, hook, files, *arguments):
    """As pre-commit does: the entry, its arguments, and the files whose names match."""
    equal((hook["language"], hook["require_serial"]), ("system", "true"))
    words = shlex.split(hook["entry"])
    equal(words[0], "plumb")
    return plumb(*words[1:], *arguments, *[name for name in files if re.search(hook["files"], name)], cwd=folder.path)


@test
def the_hook_checks_changed_files_and_leaves_out_what_no_entry_matches():
    hook = hooks()["plumb-check"]
    with Folder() as folder:
        os.mkdir(os.path.join(folder.path, "out"))
        shutil.copy(os.path.join(SEED, "quiz_faulty.json"), os.path.join(folder.path, "out", "q.json"))
        shutil.copy(os.path.join(SEED, "quiz_repaired.json"), os.path.join(folder.path, "out", "good.json"))
        folder.write("package.json", "{}")
        folder.write("README.md", "# x\n")
        folder.write("plumb.yaml", "contracts:\n  - {files: 'out/*.json', contract: quiz}\n")
        done = run_hook(folder, hook, ["package.json", "README.md", "out/q.json"])
        code(done, 1)
        has(done.out, "out/q.json:5:18: error: Question 1: Must have at least 4 options (has 3) [minItems]")
        code(run_hook(folder, hook, ["package.json", "out/good.json", "README.md"]), 0)
        done = run_hook(folder, hook, ["package.json"])
        code(done, 0)
        has(done.err, "1 file matches no entry of plumb.yaml and was left out")
        code(plumb("check", "package.json", cwd=folder.path), 2)   # named by a person it is an error
        code(run_hook(folder, hook, ["out/q.json"], "--contract", "quiz"), 1)
        code(run_hook(folder, hook, ["package.json", "out/absent.json"]), 2)


@test
def the_hook_looks_over_contracts():
    hook = hooks()["plumb-lint"]
    with Folder() as folder:
        os.mkdir(os.path.join(folder.path, "contracts"))
        folder.write("contracts/bad.json", '{"type": "string", "then": {"minLength": 1}, "maxLength": 9}')
        shutil.copy(os.path.join(ROOT, "core", "contracts", "quiz.json"), os.path.join(folder.path, "contracts", "good.json"))
        folder.write("other.json", "no contract")
        done = run_hook(folder, hook, ["other.json", "contracts/bad.json", "contracts/good.json"])
        code(done, 1)
        has(done.out, "contracts/bad.json:1:", "unread-keyword")
        done = run_hook(folder, hook, ["contracts/good.json"])
        assert done.code in (0, 1) and "no-contract" not in done.out, done


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("ci", TESTS, sys.argv[1:]))
