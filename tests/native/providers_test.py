#!/usr/bin/env python3
"""`plumb providers` as a user drives it: levels, plumb.yaml, near misses, keys, and whether a provider is there.

    PLUMB_BIN=build/bin/plumb tests/native/providers_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite providers: N passed, M failed, K skipped`.
"""
import json
import os
import subprocess
import sys

import cli_test
from cli_test import Folder, code, equal, has, lacks, plumb

TESTS = []
KEY = "sk-test-0123456789abcdefSECRET"


def test(function):
    TESTS.append(function)
    return function


class Upstream:
    """tests/native/scripted_upstream.py."""

    def __enter__(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripted_upstream.py")
        self.process = subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def base(self, tag, script="ok"):
        return f"http://127.0.0.1:{self.port}/{tag}/{script}"


PHASES = ("plan", "generate", "judge", "repair", "explore", "frame", "design", "assess", "rank", "validate", "revise",
          "intake", "brain", "researcher", "finish", "develop", "review")


def states(result):
    return {one["phase"]: one for one in json.loads(result.out)}


@test
def without_anything_said_every_phase_is_extract():
    with Folder() as folder:
        result = plumb("providers", cwd=folder.path)
        code(result, 0)
        equal(
            [line.split() for line in result.out.splitlines()],
            [[phase, "extract", "built", "in", "ready"] for phase in PHASES],
        )
        equal(result.err, "")
        one = states(plumb("providers", "--json", cwd=folder.path))["judge"]
        equal(one, {"phase": "judge", "provider": "extract", "model": "", "text": "extract", "level": 7,
                    "chosenBy": "built in", "state": "ready"})


@test
def all_six_levels_are_shown_by_name_and_place():
    with Folder() as folder:
        folder.write("plumb.yaml", "fail_on: warning\nproviders:\n  default: ollama/six\n  repair: ollama/five\n")
        arguments = ["providers", "--json", "--provider-plan", "ollama/one"]
        by = lambda result: {phase: (one["text"], one["level"], one["chosenBy"]) for phase, one in states(result).items()}
        result = plumb(*arguments, cwd=folder.path, env={"PLUMB_PROVIDER_GENERATE": "ollama/three"})
        code(result, 0)
        six = ("ollama/six", 6, "plumb.yaml:3 providers.default")
        equal(by(result), {
            **{phase: six for phase in PHASES},
            "plan": ("ollama/one", 1, "--provider-plan"),
            "generate": ("ollama/three", 3, "PLUMB_PROVIDER_GENERATE"),
            "repair": ("ollama/five", 5, "plumb.yaml:4 providers.repair"),
        })
        result = plumb(*arguments, "--provider", "ollama/two", cwd=folder.path, env={"PLUMB_PROVIDER": "ollama/four"})
        equal(by(result)["judge"], ("ollama/two", 2, "--provider"))
        result = plumb(*arguments, cwd=folder.path, env={"PLUMB_PROVIDER": "ollama/four"})
        equal(by(result)["repair"], ("ollama/four", 4, "PLUMB_PROVIDER"))
        result = plumb("providers", "--no-config", "--json", cwd=folder.path)
        equal(by(result)["repair"], ("extract", 7, "built in"))
        folder.write("other.yaml", "providers: {judge: ollama/other}\n")
        result = plumb("providers", "--config", "other.yaml", "--json", cwd=folder.path)
        equal(by(result)["judge"][2], "other.yaml:1 providers.judge")


@test
def mistakes_are_told_with_their_place_and_what_was_nearest():
    for arguments, env, says in (
        (["--provider", "olama/x"], {}, "--provider: there is no provider 'olama' (did you mean 'ollama'?)"),
        (["--provider-jugde", "extract"], {}, "'--provider-jugde' of 'plumb providers' (did you mean '--provider-judge'?)"),
        ([], {"PLUMB_PROVIDER_PLANS": "extract"}, "PLUMB_PROVIDER_PLANS: there is no phase 'plans' (did you mean 'plan'?)"),
        ([], {"PLUMB_PROVIDER": "openai"}, "PLUMB_PROVIDER: 'openai' names no model: write openai/MODEL"),
    ):
        with Folder() as folder:
            result = plumb("providers", *arguments, cwd=folder.path, env=env)
            code(result, 2)
            has(result.err, says)
            equal(result.out, "")
    for yaml, says in (
        ("providers:\n  jugde: extract\n", "plumb.yaml:2:3: there is no phase 'jugde' (did you mean 'judge'?)"),
        ("providers:\n  default: opnai/x\n", "plumb.yaml:2:12: there is no provider 'opnai' (did you mean 'openai'?)"),
        ("providers:\n  judge: {a: b}\n", "plumb.yaml:2:10: 'judge' must be a text, not a map"),
        ("providers:\n  openai: gpt-4o\n", "plumb.yaml:2:11: the settings of 'openai' must be a map, not a text; to choose it, "
         "write 'default: openai/MODEL'"),
        ("providers:\n  openai: {base_ulr: x}\n", "plumb.yaml:2:12: unknown key 'base_ulr' in the settings of 'openai' "
         "(did you mean 'base_url'?)"),
        ("providers: [extract]\n", "plumb.yaml:1:12: 'providers' must be a map"),
        ("providers:\n  judge: extract\n  judge: extract\n", "is there twice"),
        ("providers:\n  default: mine/x\n  mine: {base_url: 'http://x'}\n", "plumb.yaml:3:3: there is no provider 'mine'"),
        ("providers:\n  default: ollama/x\n  ollama: {base_url: 'http://u:p@x'}\n", "plumb.yaml:3:22: the address has a user name"),
        ("providers:\n  default: ollama/x\n  ollama: {calls_max: lots}\n", "plumb.yaml:3:23: 'calls_max: lots': must be a whole number"),
    ):
        with Folder() as folder:
            folder.write("plumb.yaml", yaml)
            result = plumb("providers", "--config", "plumb.yaml", cwd=folder.path)
            code(result, 2)
            has(result.err, says)


@test
def a_plumb_yaml_with_providers_changes_nothing_for_other_commands():
    with Folder() as folder:
        folder.write("plumb.yaml", "providers:\n  default: ollama/qwen3:8b\n  openai:\n    key_file: no-such-file\n")
        folder.write("a.json", {"questions": []})
        code(plumb("check", "--contract", "quiz", "a.json", cwd=folder.path), 1)


@test
def a_missing_key_is_told_before_anything_is_asked_and_a_key_is_never_shown():
    with Folder() as folder:
        result = plumb("providers", "--provider", "openai/gpt-4o", cwd=folder.path)
        code(result, 2)
        has(result.out, "incomplete: openai needs a key: set OPENAI_API_KEY")
        for arguments in ([], ["--json"]):
            result = plumb("providers", "--provider", "openai/gpt-4o", *arguments, cwd=folder.path, env={"OPENAI_API_KEY": KEY})
            code(result, 0)
            has(result.out, "OPENAI_API_KEY", "https://api.openai.com/v1")
            lacks(result.out + result.err, "SECRET", KEY)
        folder.write("key", KEY + "\n")
        folder.write("plumb.yaml", "providers:\n  default: anthropic/claude\n  anthropic: {key_file: key}\n")
        result = plumb("providers", "--json", "--config", "plumb.yaml", cwd=folder.path)
        code(result, 0)
        equal(states(result)["plan"]["keyFrom"], "key")
        lacks(result.out + result.err, "SECRET")
        folder.write("key", "two words " + KEY)
        result = plumb("providers", "--config", "plumb.yaml", cwd=folder.path)
        code(result, 2)
        has(result.err, "plumb.yaml:3:", "the key has a blank")
        lacks(result.out + result.err, "SECRET")
        result = plumb("providers", "--provider", "openai/x", cwd=folder.path, env={"OPENAI_API_KEY": "a\nb " + KEY})
        code(result, 2)
        lacks(result.out + result.err, "SECRET")


@test
def check_asks_each_provider_once_and_says_whether_it_is_there():
    with Upstream() as upstream, Folder() as folder:
        env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": upstream.base("o") + "/v1", "OLLAMA_HOST": upstream.base("l"),
               "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": upstream.base("a")}
        result = plumb("providers", "--check", "--json", "--provider", "openai/scripted-1", "--provider-judge",
                       "ollama/scripted-1", "--provider-repair", "anthropic/other", cwd=folder.path, env=env)
        code(result, 0)
        got = states(result)
        equal([one["state"] for one in got.values()], ["reachable"] * len(PHASES))
        assert "reason" not in got["plan"] and isinstance(got["plan"]["tookMs"], int), got["plan"]
        equal(got["repair"]["reason"], "it does not list the model other")
        for tag, path, header in (("o", "GET /o/ok/v1/models", "authorization"), ("l", "GET /l/ok/api/tags", None),
                                  ("a", "GET /a/ok/v1/models?limit=1000", "x-api-key")):
            stats = stats_of(upstream, tag)
            equal(stats["requests"], 1)
            equal(stats["paths"], [path])
            if header:
                has(stats["headers"][0][header], KEY)
        # Ollama says what it has: another model is not there.
        result = plumb("providers", "--check", "--provider", "ollama/qwen3:8b", cwd=folder.path, env=env)
        code(result, 2)
        has(result.out, "unreachable", "the model qwen3:8b is not there: ollama pull qwen3:8b")
        for script, says in (("status=401,key_told", "answered 401: scripted failure"), ("close", "closed the connection"),
                             ("status=500", "answered 500")):
            result = plumb("providers", "--check", "--provider", "openai/x", cwd=folder.path,
                           env={**env, "OPENAI_BASE_URL": upstream.base("f-" + script, script) + "/v1"})
            code(result, 2)
            has(result.out, "unreachable", says)
            lacks(result.out + result.err, "SECRET")
        result = plumb("providers", "--check", "--provider", "openai/x", cwd=folder.path,
                       env={**env, "OPENAI_BASE_URL": upstream.base("n", "status=404") + "/v1"})
        code(result, 0)
        has(result.out, "it is there, and has no list of models")
    with Folder() as folder:
        result = plumb("providers", "--check", "--provider", "ollama/x", cwd=folder.path, env={"OLLAMA_HOST": "127.0.0.1:9"})
        code(result, 2)
        has(result.out, "unreachable", "no connection to 127.0.0.1:9")
        # Without --check nothing is asked.
        code(plumb("providers", "--provider", "ollama/x", cwd=folder.path, env={"OLLAMA_HOST": "127.0.0.1:9"}), 0)


def stats_of(upstream, tag):
    import urllib.request
    with urllib.request.urlopen(f"http://127.0.0.1:{upstream.port}/{tag}/stats") as answer:
        return json.load(answer)


@test
def a_key_of_the_environment_does_not_go_to_an_address_of_plumb_yaml():
    with Upstream() as upstream, Folder() as folder:
        folder.write("plumb.yaml", f"providers:\n  default: openai/scripted-1\n  openai:\n    base_url: {upstream.base('y')}/v1\n")
        result = plumb("providers", "--check", "--config", "plumb.yaml", cwd=folder.path, env={"OPENAI_API_KEY": KEY})
        code(result, 0)
        has(result.out, "none is sent", "(plumb.yaml:4)")
        assert "authorization" not in stats_of(upstream, "y")["headers"][0]
        folder.write("plumb.yaml", f"providers:\n  default: vllm/scripted-1\n  vllm: {{speaks: openai, base_url: '{upstream.base('v')}/v1', "
                     "key_env: OPENAI_API_KEY, calls_max: 64}\n")
        result = plumb("providers", "--check", "--config", "plumb.yaml", cwd=folder.path, env={"OPENAI_API_KEY": KEY})
        code(result, 0)
        has(result.out, "at most 64 at once")
        has(stats_of(upstream, "v")["headers"][0]["authorization"], KEY)


@test
def a_plumb_yaml_that_was_found_proposes_addresses_and_keys_and_they_hold_once_it_is_trusted():
    with Upstream() as upstream, Folder() as folder:
        own = {"OPENAI_API_KEY": KEY, "XDG_STATE_HOME": folder.at("state")}
        below = folder.at("a/b")
        os.makedirs(below)

        def yaml(path, more=""):
            folder.write("plumb.yaml", f"{more}providers:\n  default: vllm/scripted-1\n  vllm: {{speaks: openai, "
                         f"base_url: '{upstream.base(path)}/v1', key_env: OPENAI_API_KEY}}\n")

        def refused(says="providers.vllm.base_url"):
            result = plumb("providers", "--check", cwd=below, env=own)
            code(result, 2)
            has(result.err, "plumb.yaml:", says, "can review it at a terminal")
            lacks(result.out + result.err, KEY)

        def asked():
            result = plumb("providers", "--check", cwd=below, env=own)
            code(result, 0)

        yaml("one")
        refused()
        result = plumb("trust", cwd=below, env=own)   # nobody is there to ask
        code(result, 1)
        has(result.out, "providers.vllm.base_url", "providers.vllm.key_env", upstream.base("one"))
        refused()
        equal(json.loads(plumb("trust", "--json", cwd=below, env=own).out)["trusted"], False)
        code(plumb("trust", "--yes", cwd=below, env=own), 0)
        equal(oct(os.stat(folder.at("state/plumb/trusted.json")).st_mode & 0o777), "0o600")
        asked()
        has(stats_of(upstream, "one")["headers"][0]["authorization"], KEY)
        # What else is in the file does not ask again, another address does, and so does another place.
        yaml("one", "fail_on: warning\n")
        asked()
        yaml("two")
        refused("other than what you trusted")
        equal(stats_of(upstream, "two")["headers"], [])
        yaml("one")
        asked()
        folder.write("other/plumb.yaml", folder.read("plumb.yaml"))
        result = plumb("providers", cwd=folder.at("other"), env=own)
        code(result, 2)
        # What is chosen in words is no proposal, and a file that is named holds.
        code(plumb("providers", "--provider", "extract", cwd=folder.at("other"), env=own), 0)
        code(plumb("providers", "--config", "plumb.yaml", cwd=folder.at("other"), env=own), 0)
        code(plumb("trust", "--forget", cwd=below, env=own), 0)
        refused()
        # A list of trust that others can write counts for nothing.
        code(plumb("trust", "--yes", cwd=below, env=own), 0)
        os.chmod(folder.at("state/plumb/trusted.json"), 0o666)
        result = plumb("providers", "--check", cwd=below, env=own)
        code(result, 2)
        has(result.err, "is not a file that you alone can write")


@test
def a_recording_is_looked_at_from_where_it_was_named():
    with Folder() as folder:
        line = json.dumps({"recording": 1, "hash": "sha256:0", "phase": "plan", "request": {}, "status": "ok", "value": {"text": ""}})
        folder.write("records/a.jsonl", line + "\n")
        folder.write("plumb.yaml", "providers: {default: replay/records/a.jsonl}\n")
        folder.write("below/x", "")
        result = plumb("providers", cwd=folder.at("below"))
        code(result, 0)
        has(result.out, "ready: 1 answers")
        result = plumb("providers", "--provider", "replay/none.jsonl", cwd=folder.path)
        code(result, 2)
        has(result.out, "incomplete: none.jsonl: the recording cannot be read")


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("providers", TESTS, sys.argv[1:]))
