#!/usr/bin/env python3
"""`plumb lsp`, driven by a client that knows only the protocol, and by Neovim.

    PLUMB_BIN=build/bin/plumb tests/native/lsp_test.py [WORD...]     only tests whose sentence has all words
"""
import glob
import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import time
import urllib.parse

import cli_test
from cli_test import PLUMB, ROOT, SEED, Folder, Skip, code, environment, equal, has, plumb

TESTS = []
WAIT_S = 60   # the longest that an answer may take


def test(function):
    TESTS.append(function)
    return function


def holds(yes, what):
    assert yes, what


def uri_of(path):
    return "file://" + urllib.parse.quote(path)


CAPABILITIES = {   # as an editor of today sends them, shortened where we do not look
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "configuration": True},
    "textDocument": {
        "synchronization": {"didSave": True, "dynamicRegistration": False},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {"completionItem": {"documentationFormat": ["markdown"], "snippetSupport": True}},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}}},
    },
}


class Client:
    """One session. What comes is kept in order; every wait has a bound."""

    def __init__(self, folder, *arguments, encodings=("utf-16",), start=True):
        self.process = subprocess.Popen([PLUMB, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=folder, env=environment())
        os.set_blocking(self.process.stdout.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.bytes = b""
        self.ids = 0
        self.versions = {}
        self.texts = {}
        self.notes = []        # notifications
        self.diagnostics = {}  # the newest, by URI
        if start:
            capabilities = json.loads(json.dumps(CAPABILITIES))
            capabilities["general"]["positionEncodings"] = list(encodings)
            self.server = self.ask("initialize", {"processId": os.getpid(), "rootUri": uri_of(folder),
                                                  "capabilities": capabilities, "clientInfo": {"name": "test"}})
            self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(WAIT_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self, until):
        """The next message; None at the end of the output."""
        while True:
            head, found, rest = self.bytes.partition(b"\r\n\r\n")
            if found:
                length = int(re.fullmatch(rb"Content-Length: (\d+)", head).group(1))
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return json.loads(rest[:length])
            holds(self.selector.select(max(0, until - time.monotonic())), "nothing comes from the server")
            piece = self.process.stdout.read(1 << 20)
            if not piece:
                return None
            self.bytes += piece

    def take(self, message):
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]
        elif "method" in message:
            self.notes.append(message)

    def reply(self, method, params):
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        until = time.monotonic() + WAIT_S
        while True:
            message = self.receive(until)
            holds(message is not None, "the server has ended")
            if message.get("id") == self.ids and "method" not in message:
                return message
            self.take(message)

    def ask(self, method, params):
        message = self.reply(method, params)
        holds("error" not in message, message)
        return message["result"]

    def open(self, path, text=None):
        if text is None:
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
        uri = uri_of(path)
        self.versions[uri] = 1
        self.texts[uri] = text
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "json", "version": 1, "text": text}})
        return uri

    def change(self, uri, text):
        self.versions[uri] += 1
        self.texts[uri] = text
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]},
                                             "contentChanges": [{"text": text}]})

    def said(self, uri):
        """The diagnostics of the newest version."""
        until = time.monotonic() + WAIT_S
        while self.diagnostics.get(uri, {}).get("version") != self.versions[uri]:
            message = self.receive(until)
            holds(message is not None, "the server has ended")
            self.take(message)
        return self.diagnostics[uri]["diagnostics"]

    def actions(self, uri, start=(0, 0), end=(1 << 20, 0), only=None):
        context = {"diagnostics": []} if only is None else {"diagnostics": [], "only": only}
        return self.ask("textDocument/codeAction", {"textDocument": {"uri": uri}, "context": context, "range": {
            "start": {"line": start[0], "character": start[1]}, "end": {"line": end[0], "character": end[1]}}})

    def at(self, method, uri, line, character):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": uri},
                                                   "position": {"line": line, "character": character}})

    def end(self):
        equal(self.ask("shutdown", None), None)
        self.send({"method": "exit"})
        return self.process.wait(WAIT_S)


def lines_of(text):
    return re.split("\r\n|\n|\r", text)


def offset_of(text, position, encoding="utf-16"):
    """The index of a position in a text."""
    starts = [0] + [match.end() for match in re.finditer("\r\n|\n|\r", text)]
    start = starts[position["line"]]
    line = lines_of(text)[position["line"]]
    for index in range(len(line) + 1):
        size = len(line[:index].encode("utf-16-le")) // 2 if encoding == "utf-16" else len(line[:index].encode())
        if size >= position["character"]:
            return start + index
    raise AssertionError(f"{position} is behind the end of its line")


def applied(client, uri, action, encoding="utf-16"):
    """The text after an action, as an editor makes it: edits of one version, none over another."""
    changes = action["edit"]["documentChanges"]
    equal([one["textDocument"] for one in changes], [{"uri": uri, "version": client.versions[uri]}])
    text = client.texts[uri]
    edits = [(offset_of(text, edit["range"]["start"], encoding), offset_of(text, edit["range"]["end"], encoding), edit["newText"])
             for edit in changes[0]["edits"]]
    edits.sort()
    for one, other in zip(edits, edits[1:]):
        holds(one[1] <= other[0], "edits over one another")
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


SEVERITIES = {"error": 1, "warning": 2, "info": 3}


def as_diagnostic(finding):
    """What a finding of the command's JSON is in an editor."""
    span = finding["span"]
    line, column = span["line"], span["column"]
    line_to, column_to = span.get("lineTo", line), span.get("columnTo", column)
    return (finding["rule"], SEVERITIES[finding["severity"]], finding["message"],
            max(line, 1) - 1, max(column, 1) - 1, max(line_to, 1) - 1, max(column_to, 1) - 1)


def flat(diagnostics):
    for one in diagnostics:
        equal(one["source"], "plumb")
    return [(one["code"], one["severity"], one["message"], one["range"]["start"]["line"], one["range"]["start"]["character"],
             one["range"]["end"]["line"], one["range"]["end"]["character"]) for one in diagnostics]


def of_check(path, cwd, *arguments):
    done = plumb("check", path, "--format", "json", *arguments, cwd=cwd)
    verdicts = json.loads(done.out)["verdicts"]
    return [as_diagnostic(one) for verdict in verdicts for one in verdict["findings"] if not one.get("shadowedBy")]


def of_lint(path, cwd):
    done = plumb("contracts", "lint", path, "--format", "json", cwd=cwd)
    return [as_diagnostic(one) for one in json.loads(done.out)["findings"]]


def cases():
    """Contracts and artifacts of the golden cases: (contract, artifact) texts."""
    out = []
    for name in sorted(glob.glob(os.path.join(ROOT, "tests", "cases", "*", "*.case"))):
        with open(name, encoding="utf-8") as file:
            for part in file.read().split("\n=== ")[1:]:
                contract = re.search(r"^contract: (\{.*\})$", part, re.M)
                artifacts = re.findall(r"^artifact: (.*)$", part, re.M)
                out += [(contract.group(1), one) for one in artifacts[:1] if contract]
    return out


@test
def an_artifact_says_what_check_says():
    with Folder() as folder:
        folder.write("plumb.yaml", "contracts:\n  - {files: 'quiz*.json', contract: quiz}\n"
                                   "  - {files: 'flash*.json', contract: flashcards}\n"
                                   "  - {files: 'mind*.json', contract: mindmap}\n")
        count = 0
        with Client(folder.path) as client:
            for file in sorted(glob.glob(os.path.join(SEED, "*.json"))):
                path = os.path.join(folder.path, os.path.basename(file))
                shutil.copy(file, path)
                uri = client.open(path)
                wanted = of_check(os.path.basename(path), folder.path)
                equal(flat(client.said(uri)), wanted)
                count += len(wanted)
            equal(client.end(), 0)
        holds(count >= 20, f"only {count} findings were compared")


@test
def golden_cases_say_what_the_commands_say():
    chosen = cases()
    chosen = chosen[:: max(1, len(chosen) // 24)]
    holds(len(chosen) >= 12, f"{len(chosen)} cases")
    with Folder() as folder:
        entries = ""
        for index, (contract, artifact) in enumerate(chosen):
            folder.write(f"c{index}.json", contract)
            folder.write(f"a{index}.json", artifact)
            entries += f"  - {{files: a{index}.json, contract: c{index}.json}}\n"
        folder.write("plumb.yaml", "contracts:\n" + entries)
        compared = 0
        with Client(folder.path) as client:
            for index in range(len(chosen)):
                contract = client.open(os.path.join(folder.path, f"c{index}.json"))
                equal(flat(client.said(contract)), of_lint(f"c{index}.json", folder.path))
                artifact = client.open(os.path.join(folder.path, f"a{index}.json"))
                done = plumb("check", f"a{index}.json", "--format", "json", cwd=folder.path)
                said = flat(client.said(artifact))
                if done.out:
                    equal(said, of_check(f"a{index}.json", folder.path))
                else:   # a contract that is refused: the command's own sentence
                    equal(["plumb: " + one[2] for one in said], [done.err.strip().splitlines()[-1]])
                compared += len(said)
        holds(compared >= 5, f"only {compared} findings were compared")


@test
def contracts_of_the_examples_and_broken_ones_say_what_lint_says():
    texts = ['{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "strin"}',
             '{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"é😀": {"minimum": 1, "type": "string"}}}',
             '{"$id": "plumb:x",\r\n "type": "object", "requird": ["a"]}', '{"$id": "plumb:x", "$ref": "#/nowhere"}',
             '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",']
    for name in ("quiz", "flashcards", "mindmap", "intake", "search"):
        with open(os.path.join(ROOT, "core", "contracts", name + ".json"), encoding="utf-8") as file:
            texts.append(file.read())
    with Folder() as folder, Client(folder.path) as client:
        for index, text in enumerate(texts):
            folder.write(f"{index}.json", text)
            uri = client.open(os.path.join(folder.path, f"{index}.json"))
            said = flat(client.said(uri))
            equal(said, of_lint(f"{index}.json", folder.path))
            holds(said or index >= 5, text)
            if said and said[0][0] == "no-contract":   # and what `contracts check` says
                has(plumb("contracts", "check", f"{index}.json", cwd=folder.path).out, said[0][2])


@test
def lines_of_a_jsonl_file_are_artifacts():
    with Folder() as folder:
        folder.write("plumb.yaml", "contracts:\n  - {files: '*.jsonl', contract: c.json}\n")
        folder.write("c.json", '{"properties": {"n": {"type": "integer"}}}')
        folder.write("a.jsonl", '{"n": 1}\n\n{"n": "x"}\r\n{"t": "😀", "n": "y"}\n')
        with Client(folder.path) as client:
            uri = client.open(os.path.join(folder.path, "a.jsonl"))
            equal([one[:1] + one[3:] for one in flat(client.said(uri))], [("type", 2, 6, 2, 9), ("type", 3, 17, 3, 20)])


@test
def columns_are_of_the_encoding_that_the_client_prefers():
    text = '{"t": "😀é😀", "n": "x",\n "é": "😀", "n": 2}'
    with Folder() as folder:
        folder.write("c.json", '{"properties": {"n": {"type": "integer"}}}')
        for encodings, chosen in [(("utf-16",), "utf-16"), (("utf-8", "utf-16"), "utf-8"), (("utf-32", "utf-16"), "utf-16"),
                                  (("utf-32",), "utf-16")]:
            with Client(folder.path, "--contract", "c.json", encodings=encodings) as client:
                equal(client.server["capabilities"]["positionEncoding"], chosen)
                uri = client.open(os.path.join(folder.path, "a.json"), text)
                for one in client.said(uri):
                    start = offset_of(text, one["range"]["start"], chosen)
                    end = offset_of(text, one["range"]["end"], chosen)
                    wanted = {"type": ['"x"'], "duplicateKey": ['"n"', '"n": 2', '2']}[one["code"]]
                    holds(text[start:end] in wanted, (one, text[start:end]))
                equal(sorted({one["code"] for one in client.diagnostics[uri]["diagnostics"]}), ["duplicateKey", "type"])


@test
def certain_edits_are_actions_and_all_of_them_give_the_text_that_fix_writes():
    wrapped = 'Here you are 😀:\n```json\n{"question": "é😀", "n": "5", // five\n "m": 5}\n```\n'
    with Folder() as folder:
        folder.write("c.json", '{"type": "object", "properties": {"question": {"type": "string"}, "n": {"type": "integer"}}}')
        for encoding in ("utf-16", "utf-8"):
            folder.write("a.json", wrapped)
            with Client(folder.path, "-c", "c.json", encodings=(encoding,)) as client:
                uri = client.open(os.path.join(folder.path, "a.json"))
                actions = client.actions(uri)
                every = [one for one in actions if one["kind"].startswith("source.fixAll")]
                single = [one for one in actions if one["kind"] == "quickfix"]
                equal(len(every), 1)
                holds(len(single) >= 2, [one["title"] for one in actions])
                code(plumb("check", "-c", "c.json", "--fix", "a.json", cwd=folder.path), 0)
                with open(os.path.join(folder.path, "a.json"), encoding="utf-8", newline="") as file:
                    fixed = file.read()
                equal(applied(client, uri, every[0], encoding), fixed)
                equal([one["kind"] for one in client.actions(uri, only=["source.fixAll"])], ["source.fixAll.plumb"])
                equal({one["kind"] for one in client.actions(uri, only=["quickfix"])}, {"quickfix"})
                equal(client.actions(uri, only=["refactor"]), [])
                # One after the other they come to the same text.
                for _ in range(30):
                    single = client.actions(uri, only=["quickfix"])
                    if not single:
                        break
                    client.change(uri, applied(client, uri, single[0], encoding))
                equal(client.texts[uri], fixed)
                equal(client.said(uri), [])


@test
def fixes_of_a_contract_are_those_of_lint_fix():
    contract = '{\n  "$id": "plumb:é😀",\n  "type": "string",\n  "then": {"minLength": 2},\n  "maxContains": 3,\n  "maxLength": 9\n}\n'
    with Folder() as folder:
        path = os.path.join(folder.path, "c.json")
        folder.write("c.json", contract)
        with Client(folder.path) as client:
            uri = client.open(path)
            plumb("contracts", "lint", "c.json", "--fix", cwd=folder.path)
            with open(path, encoding="utf-8") as file:
                fixed = file.read()
            holds(fixed != contract, "nothing was fixed")
            every = client.actions(uri, only=["source.fixAll"])
            equal(applied(client, uri, every[0]), fixed)
            here = client.actions(uri, (3, 4), (3, 4), only=["quickfix"])
            equal([one["title"] for one in here], ["Remove 'then'"])
            equal(json.loads(applied(client, uri, here[0])), {key: value for key, value in json.loads(contract).items() if key != "then"})


@test
def keywords_are_completed_where_one_may_stand():
    def labels(client, uri, text):
        byte = text.index("|")
        client.change(uri, text.replace("|", ""))
        before = text[:byte].split("\n")
        return client.at("completion", uri, len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)["items"]
    with Folder() as folder, Client(folder.path) as client:
        uri = client.open(os.path.join(folder.path, "c.json"), "{}")
        head = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "é😀", '
        for text in (head + '"min|"}', head + '"min|', head + '|}', head + '"properties": {"a": {"|"}}}', head + '"items": {|}}',
                     head + '"allOf": [{"type": "object"}, {"|": 1}]}', head + '"rules": [{"id": "x", "check": {"|"}}]}'):
            items = labels(client, uri, text)
            names = [one["label"] for one in items]
            holds("minItems" in names and "memberOf" in names, (text, names[:5]))
            one = next(item for item in items if item["label"] == "minItems")
            has(one["documentation"]["value"], "items")
            plain = client.texts[uri]
            start = offset_of(plain, one["textEdit"]["range"]["start"])
            end = offset_of(plain, one["textEdit"]["range"]["end"])
            after = plain[:start] + one["textEdit"]["newText"] + plain[end:]
            has(after, '"minItems":')
            holds('""' not in after and '"min"' not in after, after)
        holds("type" not in [one["label"] for one in labels(client, uri, head + '"type": "string", |}')], "it is there")
        for text in (head + '"properties": {"|"}}', head + '"enum": [{"|"}]}', head + '"const": {"a": "|"}}', head + '"title": "|"}'):
            equal(labels(client, uri, text), [])
        equal([one["label"] for one in labels(client, uri, head + '"type": "|"}')],
              ["array", "boolean", "integer", "null", "number", "object", "string"])
        equal([one["label"] for one in labels(client, uri, head + '"type": ["string", "|"]}')][:2], ["array", "boolean"])
        old = labels(client, uri, '{"$schema": "http://json-schema.org/draft-07/schema#", "|"}')
        holds("prefixItems" not in [one["label"] for one in old], "a keyword of a later draft")
        built_in = [one["name"] for one in json.loads(plumb("contracts", "list", "--json").out)]
        yaml = client.open(os.path.join(folder.path, "plumb.yaml"), "")
        equal([one["label"] for one in labels(client, yaml, "contracts:\n  - files: a.json\n    contract: qu|\n")], built_in)
        equal(labels(client, yaml, "contracts:\n  - files: qu|\n"), [])


@test
def hover_is_explain():
    with Folder() as folder:
        folder.write("plumb.yaml", "contracts:\n  - {files: a.json, contract: c.json}\n")
        contract = '{"$id": "plumb:é😀", "properties": {"minItems": {"minItems": 2}}, "type": "object"}'
        folder.write("c.json", contract)
        with Client(folder.path) as client:
            uri = client.open(os.path.join(folder.path, "c.json"))
            inner = contract.rindex('"minItems"')
            found = client.at("hover", uri, 0, len(contract[:inner + 3].encode("utf-16-le")) // 2)
            equal(contract[offset_of(contract, found["range"]["start"]):offset_of(contract, found["range"]["end"])], '"minItems"')
            said = re.sub(r"\s+", " ", plumb("explain", "minItems").out)
            for part in re.sub(r"```json|```|[*\n]+", "\n", found["contents"]["value"]).split("\n"):
                has(said, re.sub(r"\s+", " ", part).strip())
            # A member of `properties` of that name is none; in an artifact it is the finding's rule.
            outer = client.at("hover", uri, 0, len(contract[:contract.index('"minItems"') + 2].encode("utf-16-le")) // 2)
            holds(outer is None or "plumb explain" not in json.dumps(outer), outer)
            artifact = client.open(os.path.join(folder.path, "a.json"), '{"minItems": [1]}')
            has(client.at("hover", artifact, 0, 14)["contents"]["value"], "minItems", "at least")
            equal(client.at("hover", artifact, 0, 1), None)


@test
def a_hundred_rapid_edits_end_in_the_verdict_of_the_last():
    with Folder() as folder:
        with Client(folder.path, "-c", "quiz") as client:
            with open(os.path.join(SEED, "quiz_faulty.json"), encoding="utf-8") as file:
                text = file.read()
            path = os.path.join(folder.path, "q.json")
            uri = client.open(path, text)
            for count in range(100):
                client.change(uri, text[:count * 5] if count < 99 else text)
            folder.write("q.json", text)
            equal(flat(client.said(uri)), of_check("q.json", folder.path, "-c", "quiz"))
            # An older version that comes late changes nothing.
            client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"text": "[]"}]})
            client.change(uri, text + "\n")
            equal(len(client.said(uri)), 3)
            client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
            client.reply("nosuch", {})
            equal(client.diagnostics[uri]["diagnostics"], [])
            equal(client.end(), 0)


@test
def what_was_saved_counts_for_what_is_open():
    with Folder() as folder:
        folder.write("plumb.yaml", "contracts:\n  - {files: a.json, contract: c.json}\n")
        folder.write("c.json", '{"type": "object"}')
        with Client(folder.path) as client:
            uri = client.open(os.path.join(folder.path, "a.json"), "{}")
            equal(client.said(uri), [])
            folder.write("c.json", '{"type": "object", "required": ["a"]}')
            del client.diagnostics[uri]
            client.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(os.path.join(folder.path, "c.json"))}})
            equal([one["code"] for one in client.said(uri)], ["required"])
            folder.write("plumb.yaml", "contracts: [\n")
            del client.diagnostics[uri]
            client.tell("textDocument/didSave", {"textDocument": {"uri": uri}})
            has(client.said(uri)[0]["message"], "plumb.yaml")
            other = client.open("/nowhere/x.json", '{"a": 1,}')
            equal(client.said(other), [])


@test
def requests_out_of_turn_and_unknown_ones_are_answered_with_their_code():
    with Folder() as folder, Client(folder.path, start=False) as client:
        equal(client.reply("textDocument/hover", {})["error"]["code"], -32002)
        client.ask("initialize", {"capabilities": {}, "processId": None, "rootUri": None})
        equal(client.reply("initialize", {"capabilities": {}})["error"]["code"], -32600)
        equal(client.reply("textDocument/rename", {})["error"]["code"], -32601)
        equal(client.reply("textDocument/hover", {})["error"]["code"], -32602)
        client.tell("$/setTrace", {"value": "off"})
        client.tell("$/cancelRequest", {"id": 1})
        client.write(b"Content-Length: 9\r\n\r\n{nothing}")
        message = client.receive(time.monotonic() + WAIT_S)
        equal((message["id"], message["error"]["code"]), (None, -32700))
        client.write(b"content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n[]")
        equal(client.receive(time.monotonic() + WAIT_S)["error"]["code"], -32600)
        uri = client.open(os.path.join(folder.path, "a.json"), "{}")
        equal(client.reply("textDocument/hover", {"textDocument": {"uri": uri}, "position": {}})["error"]["code"], -32602)
        client.tell("textDocument/didOpen", {"textDocument": {"uri": 4}})
        client.ask("shutdown", None)
        equal(client.reply("textDocument/hover", {})["error"]["code"], -32600)
        client.tell("exit", None)
        equal(client.process.wait(WAIT_S), 0)


@test
def what_is_too_large_is_told_and_the_session_goes_on():
    with Folder() as folder, Client(folder.path, "-c", "quiz") as client:
        large = "[" + "1," * (3 << 20) + "1]"
        uri = client.open(os.path.join(folder.path, "a.json"), large)
        equal([one["code"] for one in client.said(uri)], ["limit"])
        equal(client.actions(uri), [])
        client.change(uri, "{}")
        equal([one["code"] for one in client.said(uri)], ["required"])
        client.write(b"Content-Length: 70000000\r\n\r\n" + b" " * 70_000_000)
        client.change(uri, "[]")
        equal([one["code"] for one in client.said(uri)], ["type"])
        has(json.dumps(client.notes), "70000000 bytes")
        equal(client.end(), 0)


@test
def what_is_no_frame_ends_it_with_a_sentence():
    for data, words in [(b'{"jsonrpc": "2.0"}\n', "Content-Length: N"), (b"Content-Length: many\r\n\r\n", "many"),
                        (b"Content-Length: -1\r\n\r\n", "-1"), (b"\r\n\r\n", "Content-Length"),
                        (b"Content-Length: 99999999999999\r\n\r\n", "99999999999999"), (b"x" * 10_000, "Content-Length"),
                        (b"Content-Length: 10\r\n\r\n{}", "within a message"), (b"Content-Len", "within a message"),
                        (os.urandom(2000).replace(b"\r", b"") + b"\n", "Content-Length")]:
        done = plumb("lsp", stdin=data)
        code(done, 2)
        has(done.err, "standard input", words)
        equal(len(done.err.strip().splitlines()), 1)


@test
def a_closed_input_ends_it():
    equal(plumb("lsp").code, 1)
    done = plumb("lsp", stdin=b'Content-Length: 33\r\n\r\n{"jsonrpc":"2.0","method":"exit"}')
    equal((done.code, done.err), (1, ""))
    with Folder() as folder, Client(folder.path) as client:
        client.ask("shutdown", None)
        client.process.stdin.close()
        equal(client.process.wait(WAIT_S), 0)
    with Folder() as folder, Client(folder.path, "-c", "quiz") as client:   # nobody reads
        client.process.stdout.close()
        client.open(os.path.join(folder.path, "a.json"), "{}")
        holds(client.process.wait(WAIT_S) in (0, 1), "it goes on")


NEOVIM = r"""
local function fail(why) io.stderr:write(why .. "\n") vim.cmd("cquit") end
local done, why = pcall(function()
  local id = (vim.lsp.start or vim.lsp.start_client)({ name = "plumb", cmd = { vim.env.PLUMB, "lsp" }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, id)
  local function said() return vim.diagnostic.get(0) end
  assert(vim.wait(30000, function() return #said() > 0 end, 20), "no diagnostics")
  local out = { diagnostics = {} }
  for _, one in ipairs(said()) do
    table.insert(out.diagnostics, { one.lnum, one.col, one.end_lnum, one.end_col, one.message, one.severity })
  end
  local function ask(method, params)
    local answers = assert(vim.lsp.buf_request_sync(0, method, params, 30000), method)
    return answers[id].result
  end
  vim.api.nvim_win_set_cursor(0, { said()[1].lnum + 1, said()[1].col })
  out.hover = ask("textDocument/hover", vim.lsp.util.make_position_params()).contents.value
  local whole = vim.lsp.util.make_given_range_params({ 1, 0 }, { vim.api.nvim_buf_line_count(0), 0 })
  whole.context = { diagnostics = {}, only = { "source.fixAll" } }
  local actions = ask("textDocument/codeAction", whole)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  out.text = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  assert(vim.wait(30000, function() return #said() == 0 end, 20), "diagnostics stay")
  local file = io.open(vim.env.OUT, "w")
  file:write(vim.fn.json_encode(out))
  file:close()
  vim.lsp.stop_client(id)
  assert(vim.wait(10000, function() return vim.lsp.client_is_stopped(id) end, 20), "the server stays")
end)
if not done then fail(tostring(why)) end
vim.cmd("qall!")
"""


@test
def neovim_shows_findings_hover_and_makes_the_edits():
    nvim = shutil.which("nvim")
    if nvim is None:
        raise Skip("nvim is not installed")
    text = '{\n  "t": "é😀", "n": "5", // five\n  "list": [1, 2]\n}\n'
    with Folder() as folder:
        folder.write("plumb.yaml", "contracts:\n  - {files: a.json, contract: c.json}\n")
        folder.write("c.json", '{"type": "object", "properties": {"n": {"type": "integer"}}}')
        folder.write("a.json", text)
        folder.write("run.lua", NEOVIM)
        out = os.path.join(folder.path, "out.json")
        home = {"HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_DATA_HOME": folder.path, "XDG_STATE_HOME": folder.path,
                "XDG_CACHE_HOME": folder.path, "PLUMB": PLUMB, "OUT": out}
        done = subprocess.run([nvim, "--headless", "--clean", "-n", "-c", "luafile run.lua", "a.json"], cwd=folder.path,
                              env=environment(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
        holds(done.returncode == 0 and os.path.exists(out), f"exit code {done.returncode}: {done.stderr[-2000:]}")
        with open(out, encoding="utf-8") as file:
            said = json.load(file)
        wanted = of_check("a.json", folder.path)
        equal([(one[0], one[4], one[5]) for one in said["diagnostics"]], [(one[3], one[2], one[1]) for one in wanted])
        line = lines_of(text)[wanted[0][3]]
        equal(said["diagnostics"][0][1], len(line.encode("utf-16-le")[:wanted[0][4] * 2].decode("utf-16-le").encode()))
        has(said["hover"], wanted[0][0])
        code(plumb("check", "--fix", "a.json", cwd=folder.path), 0)
        with open(os.path.join(folder.path, "a.json"), encoding="utf-8") as file:
            equal("\n".join(said["text"]) + "\n", file.read())


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("lsp", TESTS, sys.argv[1:]))
