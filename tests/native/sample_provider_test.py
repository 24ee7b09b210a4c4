#!/usr/bin/env python3
"""`plumb serve --sample` and `--provider sample/HOW` as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/sample_provider_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite sample-provider: N passed, M failed, K skipped`.
"""
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import cli_test
from cli_test import Folder, code, equal, has, lacks, plumb

TESTS = []
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHAPTER = os.path.join(ROOT, "docs", "examples", "chapter.md")


def test(function):
    TESTS.append(function)
    return function


class Sample:
    """A server on a free port."""

    def __enter__(self):
        self.process = subprocess.Popen([cli_test.PLUMB, "serve", "--sample", "0"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.base = line.split(" ")[5].removesuffix("/v1")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(30), 0)
        self.process.stdout.close()

    def post(self, path, body, headers=()):
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(),
                                         {"content-type": "application/json", **dict(headers)})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode()


MESSAGES = [{"role": "user", "content": "Copper conducts heat."}]


@test
def a_sample_server_speaks_ollama_too():
    with Sample() as sample:
        schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
        status, _, text = sample.post("/api/chat", {"model": "obedient", "messages": MESSAGES, "format": schema})
        equal(status, 200)
        lines = [json.loads(line) for line in text.splitlines()]
        assert lines[-1]["done"] and lines[-1]["done_reason"] == "stop", lines[-1]
        assert isinstance(json.loads("".join(line["message"]["content"] for line in lines))["n"], int)
        status, _, text = sample.post("/api/chat", {"model": "sloppy-fence", "messages": MESSAGES, "stream": False})
        has(json.loads(text)["message"]["content"], "```")
        with urllib.request.urlopen(sample.base + "/api/tags", timeout=30) as answer:
            has(answer.read().decode(), '"name":"obedient"')


@test
def a_foreign_host_and_an_unknown_path_are_refused():
    with Sample() as sample:
        status, _, text = sample.post("/v1/chat/completions", {"model": "obedient", "messages": MESSAGES},
                                      {"host": "evil.example"})
        equal(status, 403)
        status, _, text = sample.post("/v1/embeddings", {})
        equal(status, 404)
        has(text, "POST /api/chat")


@test
def what_serves_something_else_is_refused_beside_a_sample():
    for more in (["--port", "1"], ["--proxy", "1"], ["--provider", "extract"]):
        out = plumb("serve", "--sample", "0", *more)
        code(out, 2)
        has(out.err, "--sample")
    out = plumb("serve", "--sample", "many")
    code(out, 2)
    has(out.err, "0 to 65535")


@test
def a_name_that_says_nothing_is_told_with_what_was_meant():
    out = plumb("providers", "--provider", "sample/slopy-3")
    code(out, 2)
    has(out.err, "did you mean 'sloppy'")


@test
def a_sample_is_a_provider_that_is_ready_and_needs_no_key():
    out = plumb("providers", "--provider", "sample/sloppy-3", "--json", "--check")
    code(out, 0)
    equal({(one["provider"], one["state"]) for one in json.loads(out.out)}, {("sample", "ready")})


@test
def a_run_with_a_sample_that_is_down_or_refuses_fails_by_name():
    with Folder() as folder:
        for how, said in (("down-broken", "the server had an error"), ("refusing", "")):
            out = plumb("make", "quiz", "--source", CHAPTER, "--provider", "sample/" + how, "--store", folder.at("runs.db"))
            assert out.code != 0, out.out
            has((out.out + out.err).lower(), said)
            lacks(out.err, "broken assumption")


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("sample-provider", TESTS, sys.argv[1:]))
