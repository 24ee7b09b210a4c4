#!/usr/bin/env python3
"""table.py HOST RESULTS: speeds in MB/s beside each other, ratios, and what is meant to be reached.

HOST is native (RESULTS is Google Benchmark's JSON), node or chromium (one JSON row a line). A ratio that misses its
mark is followed by an exclamation mark.
"""
import json
import sys


def native(path):
    rows = {}
    for one in json.load(open(path, encoding="utf-8"))["benchmarks"]:
        side, _, file = one["name"].partition("/")
        unit = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}[one["time_unit"]]
        ms = one["cpu_time"] * unit
        if side == "contract":
            rows[(one["name"], "")] = (0, ms)
        else:
            rows[(side, file)] = (one["bytes_per_second"] * ms / 1e3, ms)
    return rows


def script(path):
    rows = {}
    for line in open(path, encoding="utf-8"):
        one = json.loads(line)
        rows[(one["side"], one["file"])] = (one["bytes"], one["ms"])
    return rows


def kind(file):
    return file.split("_")[0]


def table(rows, sides, ratios):
    """ratios: (title, our side, their side, file -> least ratio or None), and a fifth where it is the most"""
    files = []
    for _, file in rows:
        if file and file not in files:
            files.append(file)
    width = max([len(file) for file in files] + [4])
    print("MB/s".ljust(width), *(side.rjust(max(len(side), 7)) for side in sides),
          *(title.rjust(max(len(title), 6)) for title, *_ in ratios), sep="  ")
    misses = []
    for file in files:
        cells = []
        for side in sides:
            size, ms = rows.get((side, file), (0, 0))
            cells.append((f"{size / ms / 1e3:.0f}" if ms else "-").rjust(max(len(side), 7)))
        for title, ours, theirs, bound, *most in ratios:
            a, b = rows.get((ours, file)), rows.get((theirs, file))
            if not a or not b:
                cells.append("-".rjust(max(len(title), 6)))
                continue
            ratio = b[1] / a[1]
            mark = bound(file)
            missed = mark is not None and (ratio > mark if most else ratio < mark)
            if missed:
                misses.append(f"{file}: {title} is {ratio:.2f}, meant to be {'at most ' if most else ''}{mark:.2f}")
            cells.append((f"{ratio:.2f}" + ("!" if missed else "")).rjust(max(len(title), 6)))
        print(file.ljust(width), *cells, sep="  ")
    return misses


def limit(rows, name, key, most_ms, misses):
    if key not in rows:
        return
    ms = rows[key][1]
    print(f"{name}: {ms * 1000:.1f} us" if ms < 1 else f"{name}: {ms:.2f} ms", f"(at most {most_ms * 1000:g} us)"
          if most_ms < 1 else f"(at most {most_ms:g} ms)", sep=" ")
    if ms > most_ms:
        misses.append(f"{name}: {ms:.3f} ms, meant to be at most {most_ms:g} ms")


def main():
    host, path = sys.argv[1:]
    print(f"\n{host}")
    if host == "native":
        rows = native(path)
        misses = table(rows, ["plumb", "plumb check_text", "plumb 20 bytes", "rapidjson", "simdjson"], [
            ("/rapidjson", "plumb", "rapidjson", lambda file: 1.5 if kind(file) == "mindmap" else 2.0),
            ("/simdjson", "plumb", "simdjson", lambda file: 0.5),
            ("20 bytes/whole", "plumb 20 bytes", "plumb", lambda file: 1 / 3),
        ])
        limit(rows, "8 KB artifact", ("plumb", "quiz_8kb"), 0.012, misses)
        limit(rows, "contract quiz", ("contract/quiz", ""), 1, misses)
        limit(rows, "contract of 1 MB", ("contract/schema_1mb", ""), 100, misses)
    else:
        rows = script(path)
        chromium = host == "chromium"
        misses = table(rows, ["plumb bytes", "plumb string", "plumb 20 bytes", "value each piece", "ajv bytes", "ajv string",
                              "zod bytes", "zod string"], [
            ("bytes/ajv", "plumb bytes", "ajv bytes",
             lambda file: (4 if kind(file) == "mindmap" else 6) if chromium else None),
            ("string/ajv", "plumb string", "ajv string", lambda file: 1 if chromium else None),
            ("bytes/zod", "plumb bytes", "zod bytes", lambda file: None),
            ("20 bytes/whole", "plumb 20 bytes", "plumb bytes", lambda file: 0.25),
        ])
        print("\na value that was parsed already")
        misses += table(rows, ["plumb value", "by hand", "ajv value", "stringify", "plumb written"], [
            ("value/ajv", "plumb value", "ajv value", lambda file: None),
            ("value/by hand", "by hand", "plumb value", lambda file: None),
            ("value/(stringify + written)", "stringify and written", "plumb value", lambda file: 1.15, "most"),
        ])
        if chromium:
            files = [file for side, file in rows if side == "plumb string"]
            well = [file for file in files
                    if rows[("ajv string", file)][1] >= 1.5 * rows[("plumb string", file)][1]]
            print(f"string/ajv is at least 1.5 on {len(well)} of {len(files)} files")
            if 2 * len(well) <= len(files):
                misses.append(f"string/ajv is at least 1.5 on {len(well)} of {len(files)} files, meant to be on most")
        limit(rows, "8 KB artifact", ("plumb bytes", "quiz_8kb"), 0.025, misses)
        limit(rows, "8 KB artifact as a string", ("plumb string", "quiz_8kb"), 0.025, misses)
        limit(rows, "contract quiz", ("contract/quiz", ""), 1, misses)
        limit(rows, "contract of 1 MB", ("contract/schema_1mb", ""), 100, misses)
        limit(rows, "module instantiated", ("load", ""), 20, misses)
    for miss in misses:
        print("missed:", miss)


if __name__ == "__main__":
    main()
