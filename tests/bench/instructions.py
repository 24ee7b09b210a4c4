#!/usr/bin/env python3
"""instructions.py PLUMB_INSTRUCTIONS DATA-FOLDER CONTRACTS-FOLDER [OTHER]: instructions by file and way, as callgrind
counts them, which noise of the machine does not change. OTHER: another build's plumb_instructions, to compare with; it
is counted with the same data, and a row that needs over 3 % more than there is marked, and the exit code is 1.
"""
import re
import subprocess
import sys

MORE_MAX = 1.03
FILES = [("quiz", "quiz_8kb"), ("quiz", "quiz_1000"), ("flashcards", "flashcards_10"),
         ("flashcards", "flashcards_1000"), ("mindmap", "mindmap_50"), ("mindmap", "mindmap_5000")]
WAYS = ["whole", "pieces", "broken", "broken_pieces"]


def count(program, contract, file, way):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=measured*", program, contract, file, way]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit("%s\n%s" % (" ".join(command), done.stderr))
    return int(found.group(1))


def main():
    program, data, contracts = sys.argv[1:4]
    other = sys.argv[4] if len(sys.argv) > 4 else None
    rows = [("contract " + name, "%s/%s.json" % (contracts, name), "-", "contract")
            for name in ("quiz", "flashcards", "mindmap")]
    for way in WAYS:
        for contract, file in FILES:
            rows.append(("%s %s" % (way, file), "%s/%s.json" % (contracts, contract), "%s/%s.json" % (data, file), way))
    print("| what | instructions |" + (" other | ratio |" if other else ""))
    print("| --- | ---: |" + (" ---: | ---: |" if other else ""))
    worse = 0
    for name, contract, file, way in rows:
        now = count(program, contract, file, way)
        line = "| %s | %s |" % (name, format(now, ","))
        if other:
            before = count(other, contract, file, way)
            line += " %s | %.3f |" % (format(before, ","), now / before)
            if now > before * MORE_MAX:
                worse += 1
                line += " more than 3 %"
        print(line, flush=True)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
