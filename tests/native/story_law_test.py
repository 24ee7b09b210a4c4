#!/usr/bin/env python3
"""Laws of `plumb story check`, held against an interpreter of its own of a small part of SugarCube's macros.

    PLUMB_BIN=build/bin/plumb tests/native/story_law_test.py [COUNT] [SEED]     COUNT stories of each kind (1500)

Stories are made at random, of macros that the interpreter carries out and of macros that it does not know.
- Where it knows all: a story with a reading that cannot end is never accepted, one without is never trapped, and most
  stories are decided.
- Where it does not: the story is never accepted, and what is called a trap, an ending that nobody reaches or a way that
  nobody is offered is one even if each unknown macro may set every variable and lead anywhere, as far as it could.
- Harlowe: accepted only where no passage holds code and every reading can end, and no trap where a passage that holds code may
  lead anywhere.

The last line is `suite story-law: N passed, M failed, K skipped`.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
DATA = ':: StoryData\n{"ifid":"5E8F0B1C-6C7D-4E0B-9A57-0B7B9A1B2C3D","format":"%s","start":"P0"}\n\n'
TRUTHS = ["true", "false"]
TEXTS = ['"red"', '"blue"', '"it\'s; so, yes"', '""']
NUMBERS = ["0", "1", "2", "5.5", "-3"]
# A variable has values of one kind, as a reader would write it.
VARIABLES = {"a": TRUTHS, "b": TRUTHS, "c": TEXTS, "n": NUMBERS}

# What is not read: text, whether it may lead anywhere (and not only where its links do), and whether it may set variables. @: a passage, #: a variable.
UNKNOWN = [
    ("<<back>>", True, False), ("[[x->$dest]]", True, False),
    ('<<link "x" $dest>><</link>>', True, False), ('<<link "x" `setup.next`>><</link>>', True, False), ("<<goto $dest>>", True, False),
    ('<<print "[" + "[@]]">>', True, False), ("<<= setup.link>>", True, False),
    ("<<dice>>", True, True), ("<<fight 3>>[[@]]<</fight>>", True, True), ("<<run setup.go()>>", True, True),
    ('<<script>>Engine.play("@");<</script>>', True, True), ("<<set $# to setup.luck()>>", True, True), ("<<set setup.x to 1>>", True, True),
    ('<a data-passage="@" data-setter="$# to true">x</a>', True, True), ('<span onclick="go()">x</span>', True, True),
    ('<<replace "#x">>[[@]]<</replace>>', False, False),
    ("<<for _i to 0; _i lt 2; _i++>>[[@]]<</for>>", False, False), ('<<actions "@">>', False, False),
    ("<<if setup.open()>>[[@]]<</if>>", True, True), ("<<widgetry>>", True, True),
]
# The same, where only a condition over the variable tells it.
SETTERS = ['<<textbox "$#" "">>', '<<listbox "$#">><<option "x">><</listbox>>', "<<set $#.push(1)>>", "<<set $# to [1, 2].random()>>",
           "<<for $# to 0; $# lt 2; $#++>>x<</for>>"]
HARMLESS = ['<<audio "x" play>>', "<<nobr>>words<</nobr>>", "''words''", "<<timed 2s>>words<</timed>>", "<<if visited() gt 1>>words<</if>>", "<!-- [[P0]] -->",
            "/* [[P0]] */", "{{{[[P0]]}}}", '"""[[P0]]"""', "<<set $unasked += 1>>", "<<print 5 + 1>>", "<em>words</em>", "[[mail|mailto:x@example.com]]"]


def condition(random_):
    def one():
        name = random_.choice(sorted(VARIABLES))
        value = random_.choice(VARIABLES[name])
        kinds = [f"${name}", f"not ${name}", f"${name} is {value}", f"${name} isnot {value}", f"def ${name}", f"${name} eq {value}", f"${name} neq {value}"]
        if name == "n":
            kinds += [f"$n {sign} {value}" for sign in ("gt", "gte", "lt", "lte", ">", "<=")]
        return random_.choice(kinds)
    return random_.choice([one(), one(), f"{one()} and {one()}", f"{one()} or {one()}", f"({one()} or {one()}) and {one()}"])


def setting(random_):
    name = random_.choice(sorted(VARIABLES))
    return random_.choice([f"${name} to {random_.choice(VARIABLES[name])}"] * 3 + [f"${name} = {random_.choice(VARIABLES[name])}"])


def link(random_, names):
    to = random_.choice(names)
    return random_.choice([f"[[{to}]]", f"[[words->{to}]]", f"[[words|{to}]]", f"[[words|{to}][{setting(random_)}]]", f'<<link "words" "{to}">><</link>>',
                           f'<<link "words" "{to}">><<set {setting(random_)}>><</link>>', f'<<button "words">><<set {setting(random_)}>><<goto "{to}">><</button>>'])


def piece(random_, names, depth=0):
    kind = random_.randrange(12)
    if kind < 4:
        return link(random_, names)
    if kind < 8 and depth < 3:
        inside = lambda: piece(random_, names, depth + 1)
        more = f"<<elseif {condition(random_)}>>{inside()}" if random_.random() < 0.3 else ""
        more += f"<<else>>{inside()}" if random_.random() < 0.4 else ""
        return f"<<if {condition(random_)}>>{inside()}{more}{random_.choice(['<</if>>', '<<endif>>'])}"
    if kind == 8 and depth < 3:
        name = random_.choice("cn")
        cases = "".join(f"<<case {value}>>{piece(random_, names, depth + 1)}" for value in random_.sample(VARIABLES[name], 2))
        return f"<<switch ${name}>>{cases}" + ("<<default>>" + link(random_, names) if random_.random() < 0.5 else "") + "<</switch>>"
    if kind == 9 and random_.random() < 0.3:
        return f'<<goto "{random_.choice(names)}">>'
    if kind == 10:
        return f"<<set {setting(random_)}>>" if random_.random() < 0.8 else f"<<unset ${random_.choice(sorted(VARIABLES))}>>"
    return random_.choice(HARMLESS) if random_.random() < 0.6 else f"<<silently>><<set {setting(random_)}>>[[{random_.choice(names)}]]<</silently>>"


def made(random_, unknown):
    names = [f"P{i}" for i in range(random_.randrange(2, 7))]
    bodies = {}
    for name in names:
        count = random_.randrange(0, 4) if name != "P0" else random_.randrange(1, 5)
        start = [f"<<set {', '.join(setting(random_) for _ in range(random_.randrange(1, 3)))}>>"] if random_.random() < 0.5 else []
        bodies[name] = start + [piece(random_, names) for _ in range(count)]
    leads, secret, touched, boxes = set(), set(), {}, {}
    for _ in range(random_.randrange(1, 3) if unknown else 0):
        name = random_.choice(names)
        variable = random_.choice(sorted(VARIABLES))
        if random_.random() < 0.35:
            text = random_.choice(SETTERS)
            boxes.setdefault(name, {})[text.replace("#", variable).split(">>")[0] + ">>"] = variable
        else:
            text, leading, setting_ = random_.choice(UNKNOWN)
            secret.add(name)
            if leading:
                leads.add(name)
            if setting_:
                touched.setdefault(name, set()).update(VARIABLES)
        bodies[name].insert(random_.randrange(len(bodies[name]) + 1), text.replace("@", random_.choice(names)).replace("#", variable))
    texts = {name: "words\n" + "\n".join(parts) for name, parts in bodies.items()}
    return texts, leads, secret, touched, boxes


# The interpreter: a passage's text as macros, links and words, carried out in order.
TOKEN = re.compile(r"<!--.*?-->|/\*.*?\*/|\{\{\{.*?\}\}\}|\"\"\".*?\"\"\"|<<(?:\"(?:\\.|[^\"])*\"|.)*?>>|\[\[.*?\]\]", re.S)
UNSET = object()
OTHERS = {"c": ["other"], "n": [99.0, -99.0]}  # values that no text of a story has


def literal(text):
    return {"true": True, "false": False}[text] if text in TRUTHS else text[1:-1] if text[0] == '"' else float(text)


def holds(text, held):
    """The condition as Python's own expression over held variables."""
    def same(value, text_):
        other = literal(text_)
        return value is not UNSET and type(value) is type(other) and value == other
    words = re.findall(r'"[^"]*"|\(|\)|\$\w+|[<>]=?|[\w.-]+', text)
    out = []
    i = 0
    while i < len(words):
        word = words[i]
        if word == "def":
            out.append(str(held.get(words[i + 1][1:], UNSET) is not UNSET))
            i += 2
        elif word.startswith("$"):
            value = held.get(word[1:], UNSET)
            sign = words[i + 1] if i + 1 < len(words) else ""
            if sign in ("is", "eq", "isnot", "neq"):
                out.append(str(same(value, words[i + 2]) == (sign in ("is", "eq"))))
                i += 3
            elif sign in ("gt", "gte", "lt", "lte", ">", "<="):
                other = literal(words[i + 2])
                out.append(str(value is not UNSET and {"gt": value > other, ">": value > other, "gte": value >= other, "lt": value < other, "lte": value <= other,
                                                       "<=": value <= other}[sign] if value is not UNSET else False))
                i += 3
            else:
                out.append(str(value is not UNSET and bool(value)))
                i += 1
        else:
            out.append(word)
            i += 1
    return eval(" ".join(out), {"__builtins__": {}})  # words of our own: True, False, and, or, not, brackets


def assign(text, held):
    for name, value in re.findall(r'\$(\w+) (?:to|=) ("[^"]*"|true|false|-?[\d.]+)(?=[,;]|$)', text):
        held[name] = literal(value)


def known_after(text):
    """Variables that a setting gives values that are read."""
    return set(re.findall(r'\$(\w+) (?:to|=) (?:"[^"]*"|true|false|-?[\d.]+)(?=[,;]|$)', text))


class Passage:
    """`free`: variables whose values are not known; a condition over one of them goes both ways."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)

    def ends(self):
        """No link, whatever is held."""
        quiet = 0
        for token in self.tokens:
            quiet += (token == "<<silently>>") - (token == "<</silently>>")
            if token.startswith(("<<goto", "<<link", "<<button", "<<actions")) or (token.startswith("[[") and not quiet and "mailto:" not in token):
                return False
        return True

    def carry_out(self, held, free=frozenset(), here_free=None, boxes=None):
        """(moves, what is held): each move is a passage and what is held there before it is shown. `boxes`: macros that set a variable
        to something from their place on, and while the passage is read."""
        held = dict(held)
        free, here_free, boxes = set(free), here_free or set(), boxes or {}
        typed = {name for macro, name in boxes.items() if macro.startswith(("<<textbox", "<<listbox"))}
        moves, jumps, links = [], [], []
        stack = []  # [does the branch hold: 0, 1, 2 (either), has one held: 0, 1, 2, subject]
        quiet, certain = 0, ""
        for token in self.tokens:
            live = min([1 if frame[0] == 2 else frame[0] for frame in stack], default=1)
            inside = token[2:-2].strip() if token.startswith("<<") else ""
            name, _, rest = inside.partition(" ")
            if token in boxes:
                free.add(boxes[token])

            def decide(text):
                if re.search(r"\(\)|gt \$", text):
                    return 2
                open_ = sorted(free & set(re.findall(r"\$(\w+)", text)))
                found = {holds(text, {**held, **dict(zip(open_, values))})
                         for values in itertools.product(*([UNSET, *map(literal, VARIABLES[one]), *OTHERS.get(one, [])] for one in open_))}
                return 2 if len(found) > 1 else int(found.pop())
            if token.startswith("[["):
                if live and not quiet and not links and "mailto:" not in token:
                    text, _, setter = token[2:-2].partition("][")
                    to = re.split(r"->|\|", text)[-1].strip()
                    moves.append((to, setter))
            elif name == "if":
                stack.append([0, 0, ""])
                stack[-1][0] = stack[-1][1] = decide(rest)
            elif name == "switch":
                stack.append([0, 0, rest])
            elif name in ("elseif", "case", "else", "default"):
                frame = stack[-1]
                text = rest if name == "elseif" else f"{frame[2]} is {rest}" if name == "case" else "True"
                now = 0 if frame[1] == 1 else decide(text)
                frame[0] = 2 if now and frame[1] == 2 else now
                frame[1] = max(frame[1], now, key=lambda one: (one == 1, one == 2))
            elif name in ("/if", "endif", "/switch"):
                stack.pop()
            elif name in ("link", "button"):
                found = re.findall(r'"([^"]*)"', rest)
                links.append([found[1] if len(found) > 1 else "", "", live])
            elif name in ("/link", "/button"):
                to, setter, was_live = links.pop()
                if was_live and to:
                    moves.append((to, setter))
            elif name == "set":
                if links:
                    links[-1][1] = rest
                elif live:
                    assign(rest, held)
                    free -= known_after(rest) - typed if not here_free and all(frame[0] == 1 for frame in stack) else set()
            elif name == "unset":
                if live:
                    held.pop(rest[1:], None)
            elif name == "actions":
                moves.append((rest.strip('"'), ""))
            elif name == "goto":
                to = rest.strip('"')
                if to.startswith("$"):
                    continue
                if links:
                    links[-1][0] = to
                elif live:
                    jumps.append(to)
                    certain = to if all(frame[0] == 1 for frame in stack) else certain
            elif name in ("silently", "/silently"):
                quiet += 1 if name == "silently" else -1
        out = []
        if certain:  # it goes at once: the last <<goto>>, or one of those after it that may be there
            moves = [(to, "") for to in jumps[len(jumps) - 1 - jumps[::-1].index(certain):]]
        else:
            moves += [(to, "") for to in jumps]
        for to, setter in moves:
            then = dict(held)
            assign(setter, then)
            if free or "?" in then:
                then["?"] = tuple(sorted(free - known_after(setter)))
            out.append((to, then))
        return out


def assignments(text, free):
    """Each way to give the variables of which a passage's values are not known a value, of those that its text names."""
    named = sorted(set(free) & set(re.findall(r"\$(\w+)", text)))
    return [dict(zip(named, values)) for values in
            itertools.product(*([UNSET, *map(literal, VARIABLES[one]), *OTHERS.get(one, [])] for one in named))]


def carried_out(passage, held, values):
    """The moves with these values; what the passage has not set is not known after it either."""
    free = held.get("?", ())
    given = {name: value for name, value in {**held, **values}.items() if name != "?" and value is not UNSET}
    for to, then in passage.carry_out(given):
        still = [name for name in free if name not in values or then.get(name, UNSET) is values[name]]
        yield to, {**{name: value for name, value in then.items() if name not in still}, **({"?": tuple(sorted(still))} if still else {})}


def walked(bodies, leads=frozenset(), touched=None, boxes=None):
    """{state: {states}} from the beginning; a state is a passage and what is held there, but for the variables that a passage
    on the way has `touched`, up to a setting that is read; "?" names them."""
    touched = touched or {}
    passages = {name: Passage(text) for name, text in bodies.items()}
    key = lambda name, held: (name, tuple(sorted((k, str(type(v)), v) for k, v in held.items() if k not in held.get("?", ()))))
    come = lambda name, held: {**held, "?": tuple(sorted(touched[name] | set(held.get("?", ()))))} if name in touched else held
    todo = [("P0", come("P0", {}))]
    graph = {key(name, held): set() for name, held in todo}
    while todo:
        name, held = todo.pop()
        here = key(name, held)
        if name in touched or name in (boxes or {}):
            moves = passages[name].carry_out(held, held.get("?", ()), touched.get(name), (boxes or {}).get(name))
        else:
            moves = [move for values in assignments(bodies[name], held.get("?", ())) for move in carried_out(passages[name], held, values)]
        if name in leads:  # with whatever is held: of what is read, as it is now
            moves = moves + [(other, held) for other in bodies]
        for to, then in moves:
            if to not in bodies:
                continue  # by an expression
            then = come(to, then)
            there = key(to, then)
            graph[here].add(there)
            if there not in graph:
                graph[there] = set()
                todo.append((to, then))
    return graph, passages


def can_end(graph, passages, leads=frozenset()):
    done = {state for state in graph if state[0] in leads or passages[state[0]].ends()}
    grown = True
    while grown:
        more = {state for state, to in graph.items() if state not in done and to & done}
        done |= more
        grown = bool(more)
    return done


def checked(stories, form):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, bodies in enumerate(stories):
            names.append(f"{i:05}.twee")
            with open(os.path.join(folder, names[-1]), "w", encoding="utf-8") as file:
                file.write(DATA % form + "\n\n".join(f":: {name}\n{text}" for name, text in bodies.items()) + "\n")
        for at in range(0, len(names), 250):
            told = subprocess.run([PLUMB, "story", "check", *names[at:at + 250], "--format", "json"], cwd=folder, capture_output=True, text=True, check=False)
            yield from json.loads(told.stdout)["verdicts"]


FAILED = []


def fail(law, bodies, verdict):
    FAILED.append(law)
    if len(FAILED) <= 3:
        print(f"BROKEN: {law}\n" + "\n".join(f":: {name}\n{text}" for name, text in bodies.items()))
        print([f"{one['rule']} {one.get('item', one['at'])}: {one['message']}" for one in verdict["findings"] if one["severity"] != "info"], verdict["decision"], "\n")


def errors(verdict, rule):
    return [one for one in verdict["findings"] if one["rule"] == rule]


def passage_of(finding):
    return finding["at"].split("passage::")[1]


def known_law(count, seed):
    stories = [made(random.Random(f"known {seed} {i}"), False)[0] for i in range(count)]
    decided = trapped = proven = 0
    for bodies, verdict in zip(stories, checked(stories, "SugarCube")):
        graph, passages = walked(bodies)
        traps = set(graph) - can_end(graph, passages)
        accepted = verdict["decision"].startswith("accept")
        if accepted and traps:
            fail(f"accepted, and {sorted(traps)[0]} cannot end", bodies, verdict)
        for one in errors(verdict, "play_trap"):
            if not any(state[0] == passage_of(one) for state in traps):
                fail("called a trap, and every reading can end", bodies, verdict)
        reached = {state[0] for state in graph}
        for one in errors(verdict, "play_ending_unreached"):
            if passage_of(one) in reached:
                fail("called unreached, and it is reached", bodies, verdict)
        decided += verdict["decision"] != "undecided"
        trapped += bool(traps)
        proven += accepted
    if decided < count * 0.6 or trapped < count * 0.1 or proven < count * 0.05:
        fail(f"of {count} stories {decided} are decided, {trapped} trapped, {proven} proven: the law says little", {}, {"findings": [], "decision": ""})
    return f"known: {count} stories, {decided} decided, {trapped} with a trap, {proven} proven"


def unknown_law(count, seed):
    stories = [made(random.Random(f"unknown {seed} {i}"), True) for i in range(count)]
    trapped = 0
    for (bodies, leads, secret, touched, boxes), verdict in zip(stories, checked([one[0] for one in stories], "SugarCube")):
        if verdict["decision"].startswith("accept") and secret & {state[0] for state in walked(bodies)[0]}:
            fail("accepted, and something that a reader comes to was not read", bodies, verdict)
        graph, passages = walked(bodies, leads, touched, boxes)
        done = can_end(graph, passages, leads)
        for one in errors(verdict, "play_trap"):
            trapped += 1
            if all(state in done for state in graph if state[0] == passage_of(one)):
                fail("called a trap, and a way may exist", bodies, verdict)
        reached = {state[0] for state in graph}
        for one in errors(verdict, "play_ending_unreached"):
            if passage_of(one) in reached:
                fail("called unreached, and a way may lead there", bodies, verdict)
    return f"unknown: {count} stories, {trapped} traps that hold whatever the macros do"


def harlowe_law(count, seed):
    macros = ["(set: $a to true)", "(if: $a)[[[@]]]", "(link: \"x\")[(goto: \"@\")]", "(display: \"@\")", "(else:)[ [[@]] ]", "(either: \"x\", \"y\")", "{(print: $x)}",
              "(live: 1s)[(go-to: \"@\")]", "(link-goto: \"x\", \"@\")", "|a>[words]", "<script>go()</script>", "(unknown:)", "$a", "[[x->$to]]", "(click: ?a)[(undo:)]"]
    stories = []
    for i in range(count):
        random_ = random.Random(f"harlowe {seed} {i}")
        names = [f"P{k}" for k in range(random_.randrange(2, 7))]
        stories.append({name: "words\n" + "\n".join(random_.choice(["[[@]]", "[[words->@]]", "words", random_.choice(macros)]).replace("@", random_.choice(names))
                                                    for _ in range(random_.randrange(0 if name != "P0" else 1, 3))) for name in names})
    trapped = accepted = 0
    for bodies, verdict in zip(stories, checked(stories, "Harlowe")):
        links = {name: set(re.findall(r"(?:->|\[\[)(P\d)\]\]", text)) for name, text in bodies.items()}
        open_ = {name for name, text in bodies.items() if re.search(r"[(|<$]|\{", text)}
        done = open_ | {name for name, to in links.items() if not to}
        while True:
            more = {name for name, to in links.items() if name not in done and to & done}
            if not more:
                break
            done |= more
        reached, open_ways = set(), ["P0"]
        while open_ways:
            name = open_ways.pop()
            if name in links and name not in reached:
                reached.add(name)
                open_ways += links[name]
        if verdict["decision"].startswith("accept"):
            accepted += 1
            if open_ or reached - done:
                fail("Harlowe: accepted, and code was not read or a reading cannot end", bodies, verdict)
        for one in errors(verdict, "play_trap"):
            trapped += 1
            if passage_of(one) in done:
                fail("Harlowe: called a trap, and a way may exist", bodies, verdict)
    if accepted == 0:
        fail("Harlowe: no story of links alone is accepted", {}, {"findings": [], "decision": "none accepted"})
    return f"Harlowe: {count} stories, {accepted} accepted, {trapped} traps of links alone"


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    seed = sys.argv[2] if len(sys.argv) > 2 else "1"
    passed = 0
    for law in (known_law, unknown_law, harlowe_law):
        before = len(FAILED)
        print(law(count, seed))
        passed += len(FAILED) == before
    print(f"suite story-law: {passed} passed, {3 - passed} failed, 0 skipped")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
