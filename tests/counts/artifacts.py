#!/usr/bin/env python3
"""Counts what each outlet hands over of an artifact: by script, whether it is what was judged; by scenario, what came of it.

    PLUMB_BIN=build/bin/plumb tests/counts/artifacts.py       fails where tests/counts/artifacts.txt differs
    PLUMB_REWRITE=1 ...                                       writes it

An outlet is counted as `same` where Python's json reads what it gives as the value that the scripted model wrote (of
`contracts sample`: as the value on one line), and as `damaged` otherwise.
"""
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "native"))
import driven  # noqa: E402
from scripted_models import GOOD_QUIZ, SOURCE, Models  # noqa: E402
from scripts_text import PHRASES, quiz_of, source_of, text_of  # noqa: E402
import stored_table  # noqa: E402

LENGTHS = [16, 40, 70, 78, 79, 80, 81, 82, 83, 84, 85, 120]


def same(text, value):
    try:
        return "same" if json.loads(text) == value else "damaged"
    except ValueError:
        return "damaged"


def begun_job(server, source, options):
    status, job = server.ask("POST", "/ai/artifact/generate",
                             {"artifact_type": "quiz", "content": source, "options": options})
    assert status == 202, (status, job)
    return server.until("/ai/artifact/" + job["job_id"], lambda one: one.get("progress") == 100)


def outlets(script):
    """(outlet, same or damaged) of one quiz in this script."""
    quiz = quiz_of(script, LENGTHS)
    with driven.Place("counts") as place, Models(quiz=quiz, repaired=quiz) as models:
        env = models.environment()
        source = place.file("s.md", source_of(SOURCE, quiz))
        make = ("make", "quiz", "-s", source, "-O", f"num_questions={len(LENGTHS)}", "-q")
        place.run(*make, "-o", place.path("o.json"), env=env)
        yield "make -o", same(open(place.path("o.json"), encoding="utf-8").read(), quiz)
        yield "make", same(place.run(*make, env=env).stdout, quiz)
        job = json.loads(place.run(*make, "--json", env=env).stdout)
        yield "make --json", same(json.dumps(job.get("result")), quiz)
        yield "runs result", same(place.run("runs", "result", job["job_id"]).stdout, quiz)
        contract = {"type": "array", "minItems": 4, "maxItems": 4,
                    "prefixItems": [{"const": text_of(script, 23, i)} for i in range(4)]}
        sample = ("contracts", "sample", place.file("c.json", json.dumps(contract)))
        record = json.loads(place.run(*sample, "--format", "record").stdout)["artifact"]
        yield "contracts sample", same(place.run(*sample).stdout, record)
        with driven.Server(place, "--store", place.path("served.db"), env=env) as server:
            job = begun_job(server, source_of(SOURCE, quiz), {"num_questions": len(LENGTHS)})
            yield "GET job", same(json.dumps(job.get("result")), quiz)
            yield "GET result", same(server.text("/v1/runs/" + job["job_id"] + "/result"), quiz)


def script_rows():
    head = None
    for script in PHRASES:
        row = dict(outlets(script))
        if head is None:
            head = list(row)
            yield f"{'script':<10}" + "".join(f"{name:<18}" for name in head)
        yield f"{script:<10}" + "".join(f"{row[name]:<18}" for name in head)


FEW = {"questions": [dict(GOOD_QUIZ["questions"][0], question=f"Where does photosynthesis occur, {n}?") for n in range(3)]}
THREE_OPTIONS = {"questions": [dict(GOOD_QUIZ["questions"][0], options=["Nucleus", "Chloroplasts", "Cell wall"])]}
UNSETTLED = {"claims": []}
SCENARIOS = [
    # name, what the model answers by phase, what refuses by phase, options
    ("good at once", {}, {}, ()),
    ("good after a repair", {"generate": THREE_OPTIONS}, {}, ()),
    ("never good", {"generate": THREE_OPTIONS, "repair": THREE_OPTIONS}, {}, ()),
    ("3 of 5", {"generate": FEW, "repair": FEW}, {}, ("-O", "num_questions=5")),
    ("3 of 5, salvaged", {"generate": FEW, "repair": FEW}, {}, ("-O", "num_questions=5", "--salvage")),
    ("plan not covered", {"plan": {"concepts": ["photosynthesis process", "gravitation"]}}, {}, ()),
    ("judge unsettled", {"judge": UNSETTLED}, {}, ()),
    ("judge unsettled, passed", {"judge": UNSETTLED}, {}, ("--on-unverified", "pass")),
    ("no plan", {"plan": {"other": 1}}, {}, ()),
    ("key refused", {}, {"generate": 401}, ()),
    ("provider down", {}, {"generate": 500}, ()),
    ("budget spent", {}, {}, ("--token-budget", "1000")),
]


def listed(place, run_id):
    runs = json.loads(place.run("runs", "list", "--json").stdout)["runs"]
    row = next(one for one in runs if one["id"] == run_id)
    return row.get("outcome") or (row["state"] + (" " + row["decision"] if "decision" in row else ""))


def resumed(models, options, refuses):
    """The exit code of `runs resume` for the same run, left when its artifact was asked for."""
    with driven.Place("counts") as place:
        models.refuses = {}
        models.shut("generate")
        running = subprocess.Popen([driven.PLUMB, "make", "quiz", "-s", place.file("s.md", SOURCE), "-q", *options],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=place.folder.name,
                                   env=place.environment(models.environment()))
        before = models.calls.count("generate")
        end = time.monotonic() + 20
        while models.calls.count("generate") == before and running.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
        models.refuses = refuses
        models.open("generate")
        models.gates.clear()
        runs = json.loads(place.run("runs", "list", "--json").stdout)["runs"]
        if runs[0]["state"] != "waiting":
            return "-"
        return str(place.run("runs", "resume", runs[0]["id"], env=models.environment()).returncode)


def scenario_rows():
    yield (f"{'scenario':<26}{'make':<6}{'written':<9}{'result':<8}{'resume':<8}{'GET':<5}listed")
    for name, answers, refuses, options in SCENARIOS:
        with driven.Place("counts") as place, Models() as models:
            models.answers.update(answers)
            models.refuses = dict(refuses)
            made = place.run("make", "quiz", "-s", place.file("s.md", SOURCE), "-q", "--json", *options,
                             env=models.environment())
            run_id = json.loads(made.stdout)["job_id"]
            result = place.run("runs", "result", run_id)
            with driven.Server(place) as server:
                status, _ = server.ask("GET", f"/v1/runs/{run_id}/result")
            row = listed(place, run_id)
            again = resumed(models, options, dict(refuses))
        yield (f"{name:<26}{made.returncode:<6}{'yes' if result.stdout else 'no':<9}{result.returncode:<8}{again:<8}"
               f"{status:<5}{row}").rstrip()


def main():
    table = "\n".join([*script_rows(), "", *scenario_rows()]) + "\n"
    return stored_table.compare("artifacts", table)


if __name__ == "__main__":
    sys.exit(main())
