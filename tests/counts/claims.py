#!/usr/bin/env python3
"""Counts the claims about an artifact that are accepted and refused, by scenario and wire.

    PLUMB_BIN=build/bin/plumb tests/counts/claims.py       fails where tests/counts/claims.txt differs, or a false claim
                                                           is accepted
    PLUMB_REWRITE=1 ...                                    writes it

A row has how the job ended, the items in what it handed over, and the claims of the last judgement: accepted, of these
false, refused, open. A claim is false if its rule does not hold for its item: the source says something else, or nothing.
"""
import concurrent.futures
import copy
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "native"))
import driven  # noqa: E402
import stored_table  # noqa: E402
from claim_models import WIRES, Wires, artifact_in, asked_in, at, honest_claims, passages_in  # noqa: E402

CHAPTER = open(os.path.join(driven.ROOT, "docs", "examples", "chapter.md"), encoding="utf-8").read()
RUSSIAN = ("# Хлоропласт\n\nХлоропласт — это органоид, в котором происходит фотосинтез. Фотосинтез происходит в "
           "хлоропластах. Хлорофилл — это зелёный пигмент, поглощающий свет.\n")
GERMAN = ("# Die Behörde\n\nDie Behörde ist ein Amt des Landes. Die Aufgabe der Behörde ist die Pflege öffentlicher "
          "Grünflächen. Sie wurde 1952 in Kassel gegründet.\n")
METERS = "# Meters\n\n" + "".join(f"The glimber {n} is a device that measures the flow of water in canal {n}.\n\n"
                                  for n in range(1, 51))


def asked(question, options, correct, explanation):
    return {"question": question, "options": options, "correct_answer": correct, "explanation": explanation}


PROCESS = "The process by which plants convert light energy into chemical energy"
GOOD = [
    asked("What is photosynthesis?", [PROCESS, "Uptake of water by roots", "Loss of water from leaves",
                                      "Breakdown of sugar"], PROCESS,
          "Photosynthesis is the process by which plants, algae and some bacteria convert light energy into chemical "
          "energy stored in sugar."),
    asked("What is an autotroph?", ["An organism that makes its own food", "An organism that eats plants",
                                    "A green pigment", "A pore of the leaf"], "An organism that makes its own food",
          "An autotroph is an organism that makes its own food from simple inorganic substances."),
    asked("What does the xylem carry?", ["Water and minerals", "Sugar", "Oxygen", "Pollen"], "Water and minerals",
          "The xylem is the tissue that carries water and minerals from the roots to the leaves."),
    asked("What is a stack of thylakoids called?", ["A granum", "A stroma", "A stoma", "A photon"], "A granum",
          "A stack of thylakoids is called a granum."),
    asked("What is the stroma?", ["The dense fluid that surrounds the thylakoids", "A waxy film", "A pigment",
                                  "A kind of sugar"], "The dense fluid that surrounds the thylakoids",
          "The stroma is the dense fluid that surrounds the thylakoids."),
    asked("What is the epidermis?", ["The outer layer of cells", "A waxy film", "A pigment", "A tissue of roots"],
          "The outer layer of cells", "The epidermis is the outer layer of cells that covers both sides of the leaf."),
    asked("What does the phloem carry?", ["Sugar", "Pollen", "Minerals", "Light"], "Sugar",
          "The phloem is the tissue that carries sugar from the leaves to the other parts of the plant."),
]
FALSE = [
    asked("What is photosynthesis?", GOOD[0]["options"], "Loss of water from leaves", "It is the loss of water."),
    asked("What is an autotroph?", GOOD[1]["options"], "An organism that eats plants", "An autotroph eats plants."),
    asked("What does the xylem carry?", GOOD[2]["options"], "Sugar", "The xylem carries sugar."),
    asked("What is a stack of thylakoids called?", GOOD[3]["options"], "A photon", "It is a photon."),
    asked("What is the stroma?", GOOD[4]["options"], "A waxy film", "The stroma is a waxy film."),
]
NAPOLEON = asked("Who discovered photosynthesis in 1802?", ["Napoleon", "Caesar", "Plato", "Kant"], "Napoleon",
                 "Napoleon discovered photosynthesis in 1802.")
EVE = asked("Who first ate a plant leaf?", ["Adam", "Eve", "Cain", "Abel"], "Eve", "Nobody knows.")
NOTHING = [asked(f"x{n}", ["a", "b", "c", "d"], "a", "because a") for n in range(5)]
WRONG_YEAR = asked("When did Mereschkowski propose this origin?", ["1905", "1967", "1802", "2001"], "1967",
                   "Konstantin Mereschkowski proposed this origin in 1967.")
WRONG_NUMBER = asked("How many molecules of water does the reaction use?", ["Six", "Twelve", "One", "Four"], "Twelve",
                     "The overall reaction uses twelve molecules of water.")
WRONG_WHO = asked("Who proposed this origin in 1905?", ["Lynn Margulis", "Konstantin Mereschkowski", "Melvin Calvin",
                                                        "Charles Darwin"], "Charles Darwin",
                  "Charles Darwin proposed this origin in 1905.")
PLAN = {"concepts": ["Photosynthesis", "Autotroph", "Xylem", "Granum", "Stroma"]}
WRONG = (*FALSE, WRONG_YEAR, WRONG_NUMBER, WRONG_WHO)
INVENTED = (NAPOLEON, EVE, *NOTHING)


def is_false(rule, item):
    """Whether this rule does not hold for the item. A question may be answerable although its answer is wrong."""
    def is_one_of(items):
        return any(item["question"] == one["question"] and item["correct_answer"] == one["correct_answer"] for one in items)
    return is_one_of(INVENTED) or (rule != "answerable" and is_one_of(WRONG))


def quiz(items):
    return {"questions": items}


def all_hold(text, quote, chunk=0):
    return {"claims": [{"rule": rule, "at": place, "holds": True, "quote": quote, "chunk": chunk, "reason": None}
                       for rule, place in asked_in(text)]}


def judged(change):
    """A judge that changes each claim of the honest one."""
    def judge(_, text):
        claims = honest_claims(text)
        for claim in claims:
            change(claim, at(artifact_in(text), claim["at"]))
        return {"claims": claims}
    return judge


def honest(_, text):
    return {"claims": honest_claims(text)}


def by_question(_, text):
    """Proves each question by the sentence that is nearest to its words, whatever its answer says."""
    return {"claims": honest_claims(text, lambda item: item["question"])}


def model(items, judge=honest, repaired=None, plan=PLAN):
    """A model whose artifact has these items; whose repairs, where they differ, have those."""
    def scenario(phase, number, text):
        if phase == "plan":
            return plan
        if phase == "judge":
            return judge(number, text)
        return quiz(items if phase == "generate" or repaired is None else repaired)
    return scenario


def dotted(claim, _):
    words = claim["quote"].split()
    claim["quote"] = " ".join(words[:4]) + " ... " + " ".join(words[-3:])


def unmarked(claim, _):
    claim["quote"] = claim["quote"].replace("*", "").replace("\n", " ")


def indexed(claim, _):
    claim["at"] = re.sub(r"^/questions/(\d+)", r"questions[\1]", claim["at"])


def numbered(claim, _):
    claim["at"] = re.sub(r"^/questions/(\d+)", lambda found: f"Question {int(found[1]) + 1}", claim["at"])


def in_words(claim, _):
    claim["holds"], claim["chunk"] = "true", str(claim["chunk"])


def unquoted(claim, _):
    claim["quote"] = None


def unsure(claim, item):
    if "Eve" in json.dumps(item):
        claim.update(holds=None, quote=None, reason="The source does not say who ate a leaf")


def all_unsure(claim, _):
    claim.update(holds=None, quote=None, reason="The source does not say")


def self_quoted(claim, item):
    claim["quote"] = item["explanation"]


def unreasoned(claim, _):
    claim.update(holds=False, quote=None)


def denied(number, text):
    claims = honest_claims(text)
    return {"claims": claims + [{**claims[0], "holds": False, "reason": "It is not in the source"}]}


def half(number, text):
    claims = honest_claims(text)
    return {"claims": claims[:len(claims) // 2] if number == 0 else claims}


def whole(_, text):
    quote = passages_in(text)[0][1][:200]
    return {"claims": [{"rule": rule, "at": "", "holds": True, "quote": quote, "chunk": 0, "reason": None}
                       for rule in sorted({rule for rule, _ in asked_in(text)})]}


def three_options(items):
    items = copy.deepcopy(items)
    items[2]["options"].pop()
    return items


def meter(n):
    return asked(f"What does the glimber {n} measure?", [f"The {what} in canal {n}" for what in (
        "flow of water", "depth of mud", "colour of stones", "length of weeds")], f"The flow of water in canal {n}",
        f"The glimber {n} is a device that measures the flow of water in canal {n}.")


SPACED = [dict(GOOD[0], question=GOOD[0]["question"] + " " * n) for n in range(5)]
ZERO_WIDTH = [dict(GOOD[0], question="What is photo" + "\u200b" * n + "synthesis?") for n in range(5)]
GIVEN_AWAY = [dict(one, options=[one["correct_answer"], "x", "y", "z"]) for one in GOOD[:5]]
RUSSIAN_QUIZ = [asked("Где происходит фотосинтез?", ["в хлоропластах", "в ядре клетки", "на рибосомах", "в митохондриях"],
                      "в хлоропластах", "Фотосинтез происходит в хлоропластах."),
                asked("Что такое хлорофилл?", ["зелёный пигмент", "фермент", "запасное вещество", "красный белок"],
                      "зелёный пигмент", "Хлорофилл — это зелёный пигмент, поглощающий свет.")]
GERMAN_QUIZ = [asked("Was ist die Aufgabe der Behörde?", ["Die Pflege öffentlicher Grünflächen", "Die Prüfung von Brücken",
                                                          "Die Förderung des Landes", "Die Überwachung der Bäume"],
                     "Die Pflege öffentlicher Grünflächen",
                     "Die Aufgabe der Behörde ist die Pflege öffentlicher Grünflächen.")]
ENGLISH_OF_GERMAN = [asked("In which year was the authority founded?", ["1952", "1802", "1900", "2001"], "1952",
                           "The authority was founded in 1952 in Kassel.")]


def founded(claim, _):
    claim.update(quote="Sie wurde 1952 in Kassel gegründet.", chunk=0)


SCENARIOS = [
    # name, model, source, options
    ("good quiz", model(GOOD[:5]), CHAPTER, ()),
    ("quotes with an ellipsis", model(GOOD[:5], judged(dotted)), CHAPTER, ()),
    ("quotes without Markdown", model(GOOD[:5], judged(unmarked)), CHAPTER, ()),
    ("claims as a bare list", model(GOOD[:5], lambda _, text: honest_claims(text)), CHAPTER, ()),
    ("claims in a fence", model(GOOD[:5], lambda _, text: "Here it is:\n```json\n" +
                                json.dumps({"claims": honest_claims(text)}) + "\n```\nDone."), CHAPTER, ()),
    ("numbers and verdicts as text", model(GOOD[:5], judged(in_words)), CHAPTER, ()),
    ("places as questions[0]", model(GOOD[:5], judged(indexed)), CHAPTER, ()),
    ("places as Question 1", model(GOOD[:5], judged(numbered)), CHAPTER, ()),
    ("half of the claims at first", model(GOOD[:5], half), CHAPTER, ()),
    ("one claim for all places", model(GOOD[:5], whole), CHAPTER, ()),
    ("no quotes", model(GOOD[:5], judged(unquoted)), CHAPTER, ()),
    ("quotes of the artifact", model(GOOD[:5], judged(self_quoted)), CHAPTER, ()),
    ("all unsure", model(GOOD[:5], judged(all_unsure)), CHAPTER, ()),
    ("one unsure, then repaired", model(GOOD[:4] + [EVE], judged(unsure), GOOD[:5]), CHAPTER, ()),
    ("false without a reason", model(GOOD[:5], judged(unreasoned)), CHAPTER, ()),
    ("holds and does not hold", model(GOOD[:5], denied), CHAPTER, ()),
    ("quote 'the'", model(GOOD[:5], lambda _, text: all_hold(text, "the")), CHAPTER, ()),
    ("lies, quote 'Photosynthesis'", model([FALSE[0], NAPOLEON],
                                           lambda _, text: all_hold(text, "Photosynthesis")), CHAPTER, ()),
    ("lies, quote 'rate of photosynthesis'", model([FALSE[0], NAPOLEON], lambda _, text: all_hold(
        text, "rate of photosynthesis", 10)), CHAPTER, ()),
    ("lies, quotes of the question", model(FALSE, by_question), CHAPTER, ()),
    ("lies, nearest quotes", model(FALSE), CHAPTER, ()),
    ("a wrong year, number and name", model([WRONG_YEAR, WRONG_NUMBER, WRONG_WHO]), CHAPTER, ()),
    ("an invention, quoting the prompt", model([NAPOLEON, GOOD[1]], lambda _, text: all_hold(
        text, "Every claim holds")), CHAPTER, ()),
    ("nothing said, nearest quotes", model(NOTHING), CHAPTER, ()),
    ("repaired with nothing", model(three_options(GOOD[:5]), honest, NOTHING), CHAPTER, ()),
    ("three options, then repaired", model(three_options(GOOD[:5]), honest, GOOD[:5]), CHAPTER, ()),
    ("three options, the judge is down", model(three_options(GOOD[:5]), lambda *_: 503, GOOD[:5]), CHAPTER,
     ("--on-unverified", "pass")),
    ("seven for usually five", model(GOOD), CHAPTER, ()),
    ("repaired with one more", model(three_options(GOOD[:5]), honest, GOOD[:6]), CHAPTER, ()),
    ("two, then four, of five", model(GOOD[:2], honest, GOOD[:4]), CHAPTER, ("-O", "num_questions=5", "--salvage")),
    ("five times the same question", model([GOOD[0]] * 5), CHAPTER, ()),
    ("the same but for blanks", model(SPACED), CHAPTER, ()),
    ("the same but for zero width", model(ZERO_WIDTH), CHAPTER, ()),
    ("options that say nothing", model(GIVEN_AWAY), CHAPTER, ()),
    ("Russian", model(RUSSIAN_QUIZ, plan={"concepts": ["Хлоропласт", "Хлорофилл"]}), RUSSIAN, ()),
    ("German", model(GERMAN_QUIZ, plan={"concepts": ["Behörde"]}), GERMAN, ()),
    ("English of a German source", model(ENGLISH_OF_GERMAN, judged(founded), plan={"concepts": ["Behörde"]}), GERMAN, ()),
    ("twenty questions", model([meter(n) for n in range(1, 21)], plan={"concepts": [f"glimber {n}" for n in range(1, 21)]}),
     METERS, ("-O", "num_questions=20")),
]


def last_judgement(place, run_id):
    """The text that was judged last, and what the judge said of it."""
    text, judgement = None, {}
    for line in place.run("runs", "export", run_id).stdout.splitlines():
        entry = json.loads(line)
        if entry.get("name") == "structure":
            latest = entry["data"]["text"]
        elif entry.get("name") == "meaning" and entry["data"].get("judgement"):
            text, judgement = latest, entry["data"]["judgement"]
    return text, judgement


def row_of(scenario, wire, source, options):
    with driven.Place("claims") as place, Wires(scenario) as wires:
        made = place.run("make", "quiz", "-s", place.file("s.md", source), "-q", "--json", *options,
                         env=wires.environment(wire))
        job = json.loads(made.stdout)
        text, judgement = last_judgement(place, job["job_id"])
    artifact = json.loads(text) if text and judgement else {}
    proofs = judgement.get("proofs", [])
    lies = [one for one in proofs if is_false(one["rule"], at(artifact, one["at"]))]
    items = len((job.get("result") or {}).get("questions", []))
    return (job.get("decision") or f"exit {made.returncode}", items, len(proofs), len(lies),
            len(judgement.get("issues", [])), len(judgement.get("undecided", []))), len(lies)


def rows():
    head = ("scenario", "wire", "ended", "items", "accepted", "false", "refused", "open")
    form = "{:<38}{:<11}{:<24}{:<7}{:<10}{:<7}{:<9}{}"
    yield form.format(*head), 0
    for name, scenario, source, options in SCENARIOS:
        with concurrent.futures.ThreadPoolExecutor(len(WIRES)) as pool:
            found = list(pool.map(lambda wire: row_of(scenario, wire, source, options), WIRES))  # noqa: B023
        same = all(one == found[0] for one in found)
        for wire, (row, lies) in [("all", found[0])] if same else zip(WIRES, found):
            yield form.format(name, wire, *row), lies


def main():
    table = list(rows())
    lies = sum(one for _, one in table)
    print(f"{lies} false claims were accepted" if lies else "no false claim was accepted")
    return max(stored_table.compare("claims", "\n".join(line for line, _ in table) + "\n"), 1 if lies else 0)


if __name__ == "__main__":
    sys.exit(main())
