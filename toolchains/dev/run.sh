#!/usr/bin/env bash
# run.sh [--page]: what ./dev run does before it serves: builds the command, makes a quiz from the example chapter and checks a
# faulty one. With --page the page is built too; without, it is built only if that is an update of one that is there.
. "$(dirname "$(readlink -f "$0")")/base.sh"
. toolchains/dev/steps.sh

build_command
say "build/bin/plumb make quiz --source docs/examples/chapter.md --output build/quiz.json"
build/bin/plumb make quiz --source docs/examples/chapter.md --output build/quiz.json --store build/runs.db
say "the first of its questions"
python3 - <<'TEXT'
import json
question = json.load(open("build/quiz.json", encoding="utf-8"))["questions"][0]
print("  " + question["question"])
for option in question["options"]:
    print(("  * " if option == question["correct_answer"] else "    ") + option)
TEXT
say "build/bin/plumb check --contract quiz tests/cases/seed/quiz_faulty.json"
code=0
build/bin/plumb check --contract quiz tests/cases/seed/quiz_faulty.json || code=$?
[ "$code" = 1 ] || fail "expected findings and exit code 1, got exit code $code"
if [ "${1:-}" = --page ] || page_is_there; then
  toolchains/dev/step.sh page
else
  mkdir -p build/web
  cp web/being_built.html build/web/index.html
fi
