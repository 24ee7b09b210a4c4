#!/usr/bin/env python3
"""`plumb keys` as a user drives it: keys made, listed and revoked, and a running proxy that knows of it.

    PLUMB_BIN=build/bin/plumb tests/native/keys_test.py [WORD...]     only tests whose sentence has all words

The last line is `suite keys: N passed, M failed, K skipped`.
"""
import hashlib
import json
import os
import re
import signal
import stat
import sys

import cli_test
from cli_test import Folder, code, equal, has, lacks, plumb
from proxy_test import Provider, Proxy, config, until
from server_test import TOKEN, WAIT, Control

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def keys(folder, *words, env=None):
    return plumb("keys", *words, cwd=folder.path, env={"XDG_STATE_HOME": folder.path, "PLUMB_KEYS": "", **(env or {})})


def listed(folder, *words):
    result = keys(folder, "list", "--json", *words)
    code(result, 0)
    return json.loads(result.out)


def file_of(folder):
    return os.path.join(folder.path, "plumb", "client-keys.json")


@test
def a_key_is_printed_once_and_its_digest_kept_for_its_owner_alone():
    with Folder() as folder:
        result = keys(folder, "create", "web")
        code(result, 0)
        assert re.fullmatch(r"plumb_[0-9A-Za-z]{49}\n", result.out), result.out
        has(result.err, "it is shown this once")
        lacks(result.err, result.out.strip()[6:])
        text = open(file_of(folder), encoding="utf-8").read()
        lacks(text, result.out.strip()[6:])
        has(text, hashlib.sha256(result.out.strip().encode()).hexdigest())
        equal(stat.S_IMODE(os.stat(file_of(folder)).st_mode), 0o600)
        other = keys(folder, "create", "second").out
        assert other != result.out
        equal([one["name"] for one in listed(folder)], ["web", "second"])


@test
def what_a_key_may_do_is_listed_as_it_was_said():
    with Folder() as folder:
        result = keys(folder, "create", "shop", "--model", "fast", "--model", "safe", "--contract", "quiz", "--origin",
                      "https://app.example.org", "--limit", "usd_per_day=1.50", "--limit", "requests_per_minute=60",
                      "--expires", "2999-12-31", "--response-format", "enforce", "--tools", "off", "--json")
        code(result, 0)
        made = json.loads(result.out)
        assert made["key"].startswith("plumb_")
        one = listed(folder)[0]
        equal(one, {key: value for key, value in made.items() if key not in ("key", "file")})
        equal(one["models"], ["fast", "safe"])
        equal(one["limits"], {"requests_per_minute": 60, "usd_per_day": 1.5})
        equal(one["expires"], "2999-12-31T00:00:00Z")
        equal([one["responseFormat"], one["tools"]], ["enforce", "off"])
        text = keys(folder, "list").out
        has(text, "shop")
        has(text, "2999-12-31")
        has(text, "requests_per_minute=60, usd_per_day=1.5")


@test
def the_project_of_a_key_is_listed_and_has_a_name():
    with Folder() as folder:
        code(keys(folder, "create", "plain"), 0)
        lacks(keys(folder, "list").out, "project")
        made = keys(folder, "create", "theirs", "--project", "acme-2_X", "--json")
        code(made, 0)
        equal(json.loads(made.out)["project"], "acme-2_X")
        equal([one.get("project") for one in listed(folder)], [None, "acme-2_X"])
        table = [re.split(" {2,}", line) for line in keys(folder, "list").out.splitlines()]
        equal([table[0][2], table[2][2]], ["project", "acme-2_X"])
        for name in ("", "a b", "a.b", "x" * 33, "../a", "ä"):
            refused = keys(folder, "create", "other", "--project", name)
            code(refused, 2)
            has(refused.err, "1 to 32 letters, digits, '-' and '_'")
        equal(len(listed(folder)), 2)
        text = open(file_of(folder), encoding="utf-8").read()
        folder.write("plumb/client-keys.json", text.replace("acme-2_X", "acme 2"))
        has(keys(folder, "list").err, "/keys/1: 'project' has 1 to 32 letters")


@test
def a_key_is_revoked_by_id_by_name_or_by_itself_and_stays_in_the_list_of_all():
    with Folder() as folder:
        by_itself = keys(folder, "create", "one").out.strip()
        keys(folder, "create", "two")
        keys(folder, "create", "three")
        ids = {one["name"]: one["id"] for one in listed(folder)}
        result = keys(folder, "revoke", by_itself, "two", ids["three"])
        code(result, 0)
        equal(result.out, "".join(f"revoked {ids[name]} ({name})\n" for name in ("one", "two", "three")))
        equal(listed(folder), [])
        equal([one["state"] for one in listed(folder, "--all")], ["revoked"] * 3)
        has(keys(folder, "list").out, "--all shows the others")
        code(keys(folder, "create", "two"), 0)  # the name is free again
        code(keys(folder, "revoke", "two"), 0)


@test
def what_cannot_be_is_told_with_what_to_do_and_changes_nothing():
    with Folder() as folder:
        code(keys(folder, "create", "web"), 0)
        before = open(file_of(folder), encoding="utf-8").read()
        for words, says in (
            (["create", "web"], "there is a key 'web' already"),
            (["create", "x", "--limit", "usd_per_dya=1"], "did you mean 'usd_per_day'?"),
            (["create", "x", "--limit", "usd_per_day"], "usd_per_day=VALUE is required"),
            (["create", "x", "--limit", "calls_at_once=1.5"], "a whole number above 0"),
            (["create", "x", "--expires", "soon"], "2026-12-31"),
            (["create", "x", "--expires", "2001-01-01"], "has passed already"),
            (["create", "x", "--origin", "app.example.org"], "is not an origin"),
            (["create", "x\ny"], "without line ends"),
            (["create", ""], "1 to 100 bytes"),
            (["create"], "NAME"),
            (["create", "x", "--tools", "sometimes"], "sometimes"),
            (["revoke", "wbe"], "did you mean 'web'?"),
            (["revoke", "web", "nobody"], "there is no key 'nobody'"),
        ):
            result = keys(folder, *words)
            code(result, 2)
            has(result.err, says)
            equal(open(file_of(folder), encoding="utf-8").read(), before)
        unknown = "plumb_" + "1" * 49
        result = keys(folder, "revoke", unknown)
        code(result, 2)
        lacks(result.err, unknown[6:])


@test
def the_file_is_where_the_flag_the_variable_or_plumb_yaml_says():
    with Folder() as folder:
        folder.write("plumb.yaml", "proxy:\n  keys: mine/keys.json\n")
        os.mkdir(os.path.join(folder.path, "mine"))
        keys(folder, "create", "yaml")
        keys(folder, "create", "variable", env={"PLUMB_KEYS": os.path.join(folder.path, "v.json")})
        keys(folder, "create", "flag", "--file", "f.json", env={"PLUMB_KEYS": os.path.join(folder.path, "v.json")})
        keys(folder, "create", "state", "--no-config")
        for name, file in (("yaml", "mine/keys.json"), ("variable", "v.json"), ("flag", "f.json"),
                           ("state", "plumb/client-keys.json")):
            found = json.load(open(os.path.join(folder.path, file), encoding="utf-8"))
            equal([one["name"] for one in found["keys"]], [name])


@test
def a_file_that_is_none_of_keys_is_not_written_over():
    with Folder() as folder:
        os.mkdir(os.path.join(folder.path, "plumb"))
        for text, says in (("{}", "is not a file of client keys"), ("{", "client-keys.json"),
                           ('{"plumb_keys":1,"keys":[{"id":"k1","name":"n","sha256":"00"}]}', "64 lower-case")):
            with open(file_of(folder), "w", encoding="utf-8") as file:
                file.write(text)
            for words in (["create", "x"], ["list"], ["revoke", "x"]):
                result = keys(folder, *words)
                code(result, 2)
                has(result.err, says)
            equal(open(file_of(folder), encoding="utf-8").read(), text)


@test
def what_is_no_ordinary_file_is_refused_at_once_and_stays():
    with Folder() as folder:
        os.mkdir(os.path.join(folder.path, "plumb"))
        other = os.path.join(folder.path, "pipe")
        os.mkfifo(other)
        os.symlink(other, file_of(folder))
        for words in (["create", "x"], ["list"]):
            result = keys(folder, *words)
            code(result, 2)
            has(result.err, "not in a pipe, device or folder")
        assert stat.S_ISFIFO(os.stat(file_of(folder)).st_mode)


@test
def the_file_keeps_its_mode():
    with Folder() as folder:
        code(keys(folder, "create", "first"), 0)
        os.chmod(file_of(folder), 0o640)
        code(keys(folder, "create", "second"), 0)
        equal(stat.S_IMODE(os.stat(file_of(folder)).st_mode), 0o640)


@test
def what_root_makes_belongs_to_the_owner_of_the_folder_and_nothing_else_changes_its_owner():
    if os.geteuid() != 0:
        raise cli_test.Skip("only root may give a file away, and this is not root")
    with Folder() as folder:
        home = os.path.join(folder.path, "plumb")
        os.mkdir(home)
        os.chown(home, 1234, 1235)
        code(keys(folder, "create", "first"), 0)
        for name in (file_of(folder), file_of(folder) + ".lock"):
            equal([os.stat(name).st_uid, os.stat(name).st_gid], [1234, 1235])
        os.chown(file_of(folder), 1236, 1235)
        code(keys(folder, "create", "second"), 0)
        equal([os.stat(file_of(folder)).st_uid, os.stat(file_of(folder)).st_gid], [1236, 1235])
        # A lock that is a link is not followed: the folder's owner may have made it.
        os.remove(file_of(folder) + ".lock")
        target = os.path.join(folder.path, "of_root")
        with open(target, "w", encoding="utf-8") as file:
            file.write("kept")
        os.symlink(target, file_of(folder) + ".lock")
        result = keys(folder, "create", "third")
        code(result, 2)
        has(result.err, ".lock")
        equal(os.stat(target).st_uid, 0)
        equal([one["name"] for one in listed(folder)], ["first", "second"])


@test
def a_name_that_plumb_yaml_does_not_know_is_noted():
    with Folder() as folder:
        folder.write("plumb.yaml", "providers:\n  near: {speaks: openai, base_url: 'http://127.0.0.1:1/v1'}\n"
                                   "proxy:\n  models: {fast: near/x}\n")
        result = keys(folder, "create", "x", "--model", "fasst", "--contract", "quizz")
        code(result, 0)
        has(result.err, "plumb.yaml has no model 'fasst'")
        has(result.err, "plumb.yaml has no contract 'quizz'")


@test
def keys_of_a_server_are_made_listed_and_revoked_with_its_token():
    with Folder() as folder, Folder() as other, Provider() as provider:
        folder.write("plumb.yaml", config(provider.base("t"), "  keys: at/keys.json\n"))
        os.mkdir(folder.at("at"))
        if os.geteuid() == 0:
            os.chown(folder.at("at"), 1234, 1235)
        with Proxy(None, "--config", folder.at("plumb.yaml"), env={"PLUMB_TOKEN": TOKEN}) as proxy:
            address = f"http://127.0.0.1:{proxy.control}"
            far = lambda *words, token=TOKEN: plumb("keys", *words, "--server", address, cwd=other.path,
                                                    env={"PLUMB_TOKEN": token, "PLUMB_KEYS": "", "XDG_STATE_HOME": other.path})
            ask = lambda key: proxy.ask(headers={"authorization": "Bearer " + key})
            equal(proxy.request("GET", "/readyz")[0], 503)
            made = far("create", "web", "--model", "fasst", "--limit", "usd_per_day=1.50", "--expires", "90d", "--json")
            code(made, 0)
            has(made.err, "plumb.yaml has no model 'fasst'")
            equal(json.loads(made.out)["limits"], {"usd_per_day": 1.5})
            equal(json.loads(made.out)["file"], folder.at("at/keys.json"))
            key = far("create", "ci").out.strip()
            until(lambda: ask(key)[0] == 200, "the key is accepted")
            equal(proxy.request("GET", "/readyz")[0], 200)
            shown = json.loads(far("list", "--json").out)
            equal([(one["name"], one["state"], one["models"]) for one in shown],
                  [("web", "good", ["fasst"]), ("ci", "good", [])])
            lacks(far("list", "--all", "--json").out, key[6:])
            for words, says in ((("create", "ci"), "there is a key 'ci' already"),
                                (("create", "x", "--origin", "app"), "is not an origin"),
                                (("revoke", "webb"), "did you mean 'web'?"),
                                (("list", "--file", "k.json"), "--file and --server exclude each other")):
                result = far(*words)
                code(result, 2)
                has(result.err, says)
            for token, says in (("", "Set PLUMB_TOKEN to it."), (TOKEN[:-1] + "-", "PLUMB_TOKEN is another one.")):
                result = far("create", "more", token=token)
                code(result, 2)
                has(result.err, "Send the server's token", says)
            equal(far("revoke", key).out, f"revoked {shown[1]['id']} (ci)\n")
            until(lambda: ask(key)[0] == 401, "the key is refused")
            equal(json.loads(ask(key)[2])["error"]["code"], "key_revoked")
            status = os.stat(folder.at("at/keys.json"))
            equal(stat.S_IMODE(status.st_mode), 0o600)
            if os.geteuid() == 0:
                equal([status.st_uid, status.st_gid], [1234, 1235])
            equal(os.listdir(other.path), [])


@test
def the_routes_of_keys_are_those_of_the_document_and_closed_without_a_token():
    with Folder() as folder:
        env = {"XDG_STATE_HOME": folder.path, "PLUMB_KEYS": ""}
        with Control(env={**env, "PLUMB_TOKEN": TOKEN}) as server:
            operator = {"Authorization": "Bearer " + TOKEN}
            ask = lambda *words, **more: server.conforms(*words, headers=operator, **more)
            equal(ask("GET", "/v1/keys")["keys"], [])
            made = ask("POST", "/v1/keys", {"name": "web", "models": ["fast"], "limits": {"requests_per_minute": 60},
                                            "expires": "2999-12-31", "response_format": "off"}, wanted=201)
            equal(ask("GET", "/v1/keys")["keys"], made["keys"])
            equal(made["keys"][0]["limits"], {"requests_per_minute": "60"})
            lacks(json.dumps(ask("GET", "/v1/keys")), made["key"][6:])
            for body, says in (({"name": "x", "id": "kabcdefgh"}, "'id' cannot be chosen"), ({}, "has no 'name'"),
                               ({"name": "x", "expires": "2001-01-01"}, "'expires' has passed already"),
                               ({"name": "x", "modles": []}, "did you mean 'models'?"), ([], "must be an object"),
                               ({"name": "x", "limits": {"usd_per_day": 0}}, "must be a number above 0"),
                               ({"name": "web"}, "there is a key 'web' already")):
                has(ask("POST", "/v1/keys", body, wanted=422)["detail"], says)
            for body in ({}, {"keys": []}, {"keys": [1]}, {"keys": ["a"], "all": True}):
                ask("POST", "/v1/keys/revoke", body, wanted=400)
            ask("POST", "/v1/keys/revoke", {"keys": ["web", "nobody"]}, wanted=404)
            equal(ask("POST", "/v1/keys/revoke", {"keys": ["web"]})["keys"][0]["state"], "revoked")
        with Control(env=env) as server:
            for method, path, body in (("GET", "/v1/keys", None), ("POST", "/v1/keys", {"name": "x"}),
                                       ("POST", "/v1/keys/revoke", {"keys": ["web"]})):
                has(server.conforms(method, path, body, wanted=403)["detail"], "PLUMB_TOKEN")


@test
def a_pipe_in_the_place_of_the_key_file_holds_nobody_up():
    with Folder() as folder, Provider() as provider:
        pipe = folder.at("pipe.json")
        os.mkfifo(pipe)
        os.symlink("/dev/zero", folder.at("device.json"))
        os.symlink(pipe, folder.at("link.json"))
        for name in ("pipe.json", "device.json", "link.json"):
            result = keys(folder, "create", "x", "--file", folder.at(name))
            code(result, 2)
            has(result.err, "not in a pipe, device or folder")
        folder.write("plumb.yaml", config(provider.base("t"), "  keys: keys.json\n"))
        key = keys(folder, "create", "x", "--file", folder.at("keys.json")).out.strip()
        with Proxy(None, "--config", folder.at("plumb.yaml")) as proxy:
            ask = lambda: proxy.ask(headers={"x-api-key": key})
            equal(ask()[0], 200)
            os.rename(pipe, folder.at("keys.json"))
            until(lambda: ask()[0] == 401, "nobody is answered")
            until(lambda: "not in a pipe, device or folder" in proxy.log(), "the reason is told")
            proxy.process.send_signal(signal.SIGTERM)
            equal(proxy.process.wait(WAIT), 0)


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("keys", TESTS, sys.argv[1:]))
