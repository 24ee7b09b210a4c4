"""A table of counts, compared with the one that is stored beside the scripts."""
import difflib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def compare(name, table):
    """Compares the table with NAME.txt, prints what differs and a suite line, and returns the exit code. PLUMB_REWRITE=1 stores it."""
    path = os.path.join(HERE, name + ".txt")
    if os.environ.get("PLUMB_REWRITE") == "1":
        with open(path, "w", encoding="utf-8") as file:
            file.write(table)
    with open(path, encoding="utf-8") as file:
        stored = file.read()
    sys.stdout.writelines(difflib.unified_diff(stored.splitlines(True), table.splitlines(True), "stored", "now", n=0))
    rows = len(stored.splitlines())
    same = stored == table
    print(f"suite counts-{name}: {rows if same else 0} passed, {0 if same else 1} failed")
    return 0 if same else 1
