#!/usr/bin/env python3
"""Counts what becomes of items that a boundary sends back: by wire, structured mode and the way in which the model revises.

    PLUMB_BIN=build/bin/plumb tests/counts/boundary.py [WORD...]    compares with tests/counts/boundary.txt
    PLUMB_REWRITE=1 ...                                             writes that table

The provider is scripted (tests/counts/grammar_provider.py). Where a request has a schema that its interface enforces, the
provider says only what the grammar of that schema allows. Columns:

    revised     items that were sent back, and are accepted with what the revision made of them
    warned      items that are handed on although they were rejected
    told        of these, how many have their warning in what `plumb boundary` prints (both outputs)
    held        items that are not handed on, and are listed
    lost        items of the input that met their contract's form and of which nothing is handed on
    members     members of the input's items that nothing handed on has any more
    unverified  items that nobody judged
"""
import concurrent.futures
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "native"))
sys.path.insert(0, HERE)
import driven  # noqa: E402
from grammar_provider import Provider  # noqa: E402
import stored_table  # noqa: E402

DRAFT = "https://json-schema.org/draft/2020-12/schema"
RULES = [{"id": "concrete", "title": "Concrete", "ask": "Does it name a place where the problem is seen?"}]


def contract(properties, required, **more):
    return {"$schema": DRAFT, "type": "object", "itemId": "/place", "required": required,
            "properties": {"place": {"type": "string", "notBlank": True}, "trouble": {"type": "string", "minLength": 3},
                           **properties}, "rules": RULES, **more}


TICKET = contract({}, ["place", "trouble"])
CLOSED = contract({}, ["place", "trouble"], additionalProperties=False)
NESTED = contract({"reporter": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
                   "steps": {"type": "array", "items": {"type": "string"}}}, ["place", "trouble", "reporter", "steps"])
OPEN = contract({"seen": {}}, ["place", "trouble", "seen"])
MAP = contract({"labels": {"type": "object", "additionalProperties": {"type": "string"}}}, ["place", "trouble", "labels"])
LINES = {"$schema": DRAFT, "type": "string", "minLength": 3, "rules": RULES}
PAIRS = {"$schema": DRAFT, "type": "array", "minItems": 2, "items": {"type": "string", "minLength": 3}, "rules": RULES}

GOOD = {"place": "order page", "trouble": "The button is hidden."}
VAGUE = {"place": "somewhere vague", "trouble": "It is slow."}
THIRD = {"place": "search box", "trouble": "It finds nothing."}


def with_all(more):
    return [dict(GOOD, **more), dict(VAGUE, **more), dict(THIRD, **more)]


def mended(item):
    text = json.dumps(item)
    return json.loads(text.replace("somewhere vague", "cart page").replace("vague", "plain"))


# name: (contract, items, what the model makes of an item that was sent back, in `items`)
SCENARIOS = {
    "whole object": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [mended(item)]),
    "object in a string": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [json.dumps(mended(item))]),
    "nested objects and lists": (NESTED, with_all({"reporter": {"name": "Ada"}, "steps": ["open", "press"]}),
                                 lambda item, _: [mended(item)]),
    "members without a name": (TICKET, with_all({"ticket": 17, "by": {"name": "Ada"}}), lambda item, _: [mended(item)]),
    "members without a name below": (NESTED, with_all({"reporter": {"name": "Ada", "mail": "a@b.c"}, "steps": ["open"]}),
                                     lambda item, _: [mended(item)]),
    "a place for anything": (OPEN, with_all({"seen": {"on": ["phone", 2], "at": {"day": 3}}}), lambda item, _: [mended(item)]),
    "a map": (MAP, with_all({"labels": {"team": "web", "area": "cart"}}), lambda item, _: [mended(item)]),
    "closed objects": (CLOSED, [GOOD, VAGUE, THIRD], lambda item, _: [mended(item)]),
    "items are texts": (LINES, ["order page: hidden", "somewhere vague", "search: nothing"], lambda item, _: [mended(item)]),
    "items are lists": (PAIRS, [["order page", "hidden"], ["somewhere vague", "slow"], ["search", "nothing"]],
                        lambda item, _: [mended(item)]),
    "two parts": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [dict(mended(item), trouble="One thing."), mended(item)]),
    "parts, one of them broken": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [mended(item), {"place": "", "trouble": ""}]),
    "six parts": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [mended(item)] * 6),
    "broken once": (TICKET, [GOOD, VAGUE, THIRD],
                    lambda item, times: [{"place": "", "trouble": ""}] if times == 1 else [mended(VAGUE)]),
    "broken always": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [{"place": "", "trouble": ""}]),
    "another kind": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [7]),
    "the same again": (TICKET, [GOOD, VAGUE, THIRD], lambda item, _: [item]),
    "the same again, closed": (CLOSED, [GOOD, VAGUE, THIRD], lambda item, _: [item]),
    "the same again, texts": (LINES, ["order page: hidden", "somewhere vague", "search: nothing"], lambda item, _: [item]),
    "never valid": (TICKET, [GOOD, {"place": "cart page"}, THIRD], lambda item, _: [{"place": "cart page", "trouble": ""}]),
    "not valid at first": (TICKET, [GOOD, {"place": "cart page"}, THIRD],
                           lambda item, _: [{"place": "cart page", "trouble": "It is slow."}]),
    "the judge is down": (TICKET, [GOOD, VAGUE, THIRD], None),
}
WIRES = ("openai", "anthropic", "ollama")
MODES = ("strict", "schema", "json", "none")
# Here it matters what a schema can carry; in the other scenarios what becomes of an answer.
CARRIED = ("whole object", "object in a string", "nested objects and lists", "members without a name", "members without a name below",
           "a place for anything", "a map", "items are lists")


def judge(items):
    """Sends back whatever says `vague`."""
    return {"accepted_items": [], "rejected_items": [
        {"item_id": one["id"], "rule": "concrete", "rejection_reason": "It names no place.", "suggested_improvement": None}
        for one in items if "vague" in json.dumps(one["item"])]}


def valid_form(schema, item):
    if schema.get("type") == "object":
        return isinstance(item, dict) and all(isinstance(item.get(name), str) and len(item[name]) > 2 for name in ("place", "trouble"))
    return True


def members_of(value, at=""):
    if isinstance(value, dict):
        return {name for key, one in value.items() for name in {f"{at}/{key}"} | members_of(one, f"{at}/{key}")}
    return set()


def count(wire, mode, name):
    schema, items, revised = SCENARIOS[name]
    with driven.Place("counts") as place, Provider(judge, revised) as provider:
        place.file("plumb.yaml", f"providers:\n  {wire}: {{structured: {mode}}}\n")
        rules = place.file("contract.json", json.dumps(schema))
        given = place.file("items.json", json.dumps(items))
        command = ("boundary", "-c", rules, given, "--provider", wire + "/scripted")
        done = place.run(*command, "-q", env=provider.environment())
        view = json.loads(place.run(*command, "--json", "-q", env={**provider.environment(), "PLUMB_STORE": place.path("2.db")}).stdout)
        out = json.loads(done.stdout)
    said = done.stdout + done.stderr
    result = view["result"]["items"] + view["result"]["held_back"]
    handed = [one for one in result if one["passed"] != "failed"]
    warned = [one for one in result if one["passed"] == "warned"]
    told = [one for one in warned if one["validation_warnings"][0] in said]
    held = [one for one in result if one["passed"] == "failed"]
    lost = [i for i, item in enumerate(items) if valid_form(schema, item) and all(one["index"] != i for one in handed)]
    sent = set().union(*map(members_of, items))
    for i in range(len(items)):
        made = [one["value"] for one in result if one["index"] == i]
        sent -= set() if made else members_of(items[i])
    missing = sum(1 for i, item in enumerate(items) if any(one["index"] == i for one in handed)
                  for member in members_of(item) if not any(member in members_of(one["value"]) for one in handed if one["index"] == i))
    changed = [one for one in handed if one["passed"] == "accepted" and one.get("revisions", 0) > 0]
    assert len(out) == len(handed), (wire, mode, name, done.stdout, handed)
    return [wire, mode, name, len(changed), len(warned), len(told), len(held), len(lost), missing, view["result"]["unverified"],
            done.returncode]


HEAD = ["wire", "mode", "scenario", "revised", "warned", "told", "held", "lost", "members", "unverified", "exit"]


def table(words):
    todo = [(wire, mode, name) for name in SCENARIOS for wire in WIRES for mode in (MODES if name in CARRIED else MODES[::3])
            if all(word in f"{wire} {mode} {name}" for word in words)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda one: count(*one), todo))
    sums = [sum(row[i] for row in rows) for i in range(3, 10)]
    rows.append(["all", "", "", *sums, ""])
    widths = [max(len(str(row[i])) for row in [HEAD, *rows]) for i in range(len(HEAD))]
    return "".join("  ".join(str(cell).ljust(width) if i < 3 else str(cell).rjust(width)
                             for i, (cell, width) in enumerate(zip(row, widths))).rstrip() + "\n" for row in [HEAD, *rows])


def main():
    made = table(sys.argv[1:])
    if sys.argv[1:]:
        print(made, end="")
        return 0
    return stored_table.compare("boundary", made)


if __name__ == "__main__":
    sys.exit(main())
