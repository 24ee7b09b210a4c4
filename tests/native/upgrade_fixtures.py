#!/usr/bin/env python3
"""Makes what a plumb leaves behind, for later versions to open: a store with runs that wait and runs that have ended, their
journals, client keys, counters and a plumb.yaml.

    PLUMB_BIN=build/bin/plumb tests/native/upgrade_fixtures.py FOLDER      # tests/cases/upgrade/VERSION

Run once, by the version whose name the folder has. tests/native/upgrade_test.py opens the folders in every later version;
what was released is never made anew.
"""
import gzip
import json
import os
import re
import signal
import shutil
import subprocess
import sys
import time

import driven
import scripted_models
from driven import PLUMB, ROOT, holds

DOCUMENTS = {
    "corpus/apt.md": "# apt-get\n\nThe option --purge of apt-get removes configuration files together with the package.\n",
    "docs/roadmap.md": "# Roadmap\n\nExport to CSV is missing and users ask for it every week.\n\n"
                       "TODO: the import of old calendars fails without an error.\n",
    "conversations/a.txt": "user: The export to CSV fails every time I try it.\n\nuser: Export to CSV is broken again.\n",
    "conversations/b.txt": "user: I cannot export to CSV, it fails.\n\nuser: The CSV export fails for our whole team.\n",
    "cards.schema.json": '{"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}\n',
    "models.json": '{"models": []}\n',
}
YAML = """contracts:
  - files: made/quiz-*.json
    contract: quiz
  - files: [cards/*.json, more/*.json]
    contract: cards.schema.json
documents:
  https://example.org/cards.json: cards.schema.json
artifacts:
  cards: cards.schema.json
fail_on: warning
format: text
store: runs.db
providers:
  default: extract
  judge: here/test
  here: {speaks: openai, base_url: "UPSTREAM", key_env: PROVIDER_KEY}
budget:
  policy: {retries: {over: 2, response: pause}}
  thresholds: {pause_percent: 80}
proxy:
  listen: 127.0.0.1:0
  models: {m: here/test}
  limits: {requests_per_day: 5}
  contracts: {quiz: quiz}
  mode: observe
  keys: client-keys.json
  counters: proxy-counters.json
  log: "off"
"""


def run(place, *words, code=0, **options):
    done = place.run(*words, **options)
    holds(code is None or done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def killed_while(place, models, phase, *words):
    """A command whose process is killed while a model is asked."""
    models.shut(phase)
    before = models.calls.count(phase)
    process = subprocess.Popen([PLUMB, *words], env=place.environment(models.environment()), cwd=place.folder.name,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    models.wait_for(phase, before + 1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    models.open(phase)
    del models.gates[phase]


def half_of_a_recorded_run(place):
    """A run of `extract` that was killed before its artifact was judged."""
    out = []
    with open(os.path.join(ROOT, "tests/cases/runs/artifact_extract.ndjson"), encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            if value.get("kind") == "scope" and value.get("key") == "generate":
                break
            out.append(line)
    while "n" not in json.loads(out[-1]):
        out.pop()
    return place.file("half.ndjson", "".join(out))


def proxied(place, upstream):
    place.file("plumb.yaml", YAML.replace("UPSTREAM", upstream))
    key = run(place, "keys", "create", "web", "--limit", "requests_per_day=4").stdout.strip()
    run(place, "keys", "create", "gone", "--expires", "1m")
    # On a store of its own: it would go on with the runs that are to wait.
    process = subprocess.Popen([PLUMB, "serve", "--port", "0", "--store", place.path("served.db")],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=place.environment({"PROVIDER_KEY": "sk-none"}), cwd=place.folder.name)
    found = [re.search(r"http://[^/\s]+", process.stdout.readline()).group(0) for _ in range(2)]
    for _ in range(3):
        import urllib.request
        asked = urllib.request.Request(
            found[1] + "/v1/chat/completions",
            json.dumps({"model": "m", "messages": [{"role": "user", "content": "You plan. Say yes."}]}).encode(),
            {"Content-Type": "application/json", "Authorization": "Bearer " + key})
        urllib.request.urlopen(asked, timeout=60).read()
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    process.stdout.close()
    return key


def main(folder):
    with driven.Place("upgrade") as place, scripted_models.Models(quiz=scripted_models.GOOD_QUIZ) as models:
        for name, text in DOCUMENTS.items():
            place.file(name, text)
        place.file("source.txt", scripted_models.SOURCE)
        named = {}

        def newest(name):
            named[name] = json.loads(run(place, "runs", "list", "--json").stdout)["runs"][0]["id"]

        run(place, "make", "quiz", "-s", "source.txt", code=None)
        newest("ended_extract")
        run(place, "make", "quiz", "-s", "source.txt", env=models.environment())
        newest("ended_model")
        killed_while(place, models, "judge", "make", "quiz", "-s", "source.txt", "-O", "num_questions=1")
        newest("waits_for_judge")
        killed_while(place, models, "plan", "make", "quiz", "-s", "source.txt", "-O", "num_questions=2")
        newest("waits_for_plan")
        run(place, "runs", "import", half_of_a_recorded_run(place))
        newest("waits_with_extract")
        run(place, "research", "--corpus", "corpus", "-q", "Explore apt-get.", code=2)
        newest("waits_for_answer")
        run(place, "discover", "--conversations", "conversations", "--docs", "docs", "--review", code=None)
        newest("waits_for_people")
        key = proxied(place, models.url)

        os.makedirs(folder, exist_ok=True)
        for name, id_ in named.items():
            with gzip.GzipFile(os.path.join(folder, name + ".ndjson.gz"), "wb", mtime=0) as file:
                file.write(run(place, "runs", "export", id_).stdout.encode())
        run(place, "runs", "cancel", "rnone", code=2)  # who only reads leaves the log of the store open
        left = [name for name in os.listdir(place.folder.name) if name.startswith("runs.db")]
        holds(sorted(left) == ["runs.db", "runs.db.lock"], f"the store is closed: {left}")
        with open(place.store, "rb") as store, gzip.GzipFile(os.path.join(folder, "runs.db.gz"), "wb", mtime=0) as file:
            file.write(store.read())
        shutil.copy(place.path("client-keys.json"), folder)
        shutil.copy(place.path("proxy-counters.json"), folder)
        with open(os.path.join(folder, "plumb.yaml"), "w", encoding="utf-8") as file:
            file.write(YAML)
        with open(os.path.join(folder, "made.json"), "w", encoding="utf-8") as file:
            json.dump({"version": run(place, "--version").stdout.split()[-1], "runs": named, "key": key,
                       "at_ms": int(time.time() * 1000)}, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
