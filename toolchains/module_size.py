#!/usr/bin/env python3
"""module_size.py BUILD_FOLDER: the size of plumb-check.wasm, raw and gzip, and what each folder of the core adds to it.

Shares are read from the linker's map (plumb-check.map), by the object file that each function and each piece of data
came from; the optimiser that runs after the linker makes the whole smaller, so the shares are told in per cent.
"""
import gzip
import os
import re
import sys

CHUNK = re.compile(r"^\s*\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s{9}(\S.*?):\((.*)\)$")
SECTION = re.compile(r"^\s*\S+\s+[0-9a-f]+\s+[0-9a-f]+ (\S+)$")


def folder_of(object_name, folders):
    member = re.search(r"([^/(]+)\.cpp\.o\)?$", object_name)
    if object_name.startswith("lto.tmp") or object_name.endswith("lto.tmp"):
        return "linked as one"
    if member and "/sysroot/" not in object_name:
        name = member.group(1)
        if name == "built_in":
            return "core/contracts"
        if name == "exports":
            return "wasm"
        return " or ".join(sorted(folders.get(name, {"other"})))
    return "standard library"


def main():
    build = sys.argv[1]
    module = open(os.path.join(build, "bin", "plumb-check.wasm"), "rb").read()
    packed = gzip.compress(module, 9, mtime=0)
    print(f"plumb-check.wasm  {len(module):,} bytes, {len(packed):,} gzip")
    folders = {}
    for folder, _, files in os.walk("core"):
        for file in files:
            if file.endswith(".cpp"):
                folders.setdefault(file[:-4], set()).add(folder)
    shares = {}
    counted = False
    with open(os.path.join(build, "plumb-check.map"), encoding="utf-8", errors="replace") as rows:
        for row in rows:
            row = row.rstrip("\n")
            chunk = CHUNK.match(row)
            if chunk:
                if counted:
                    folder = folder_of(chunk.group(3), folders)
                    shares[folder] = shares.get(folder, 0) + int(chunk.group(2), 16)
                continue
            section = SECTION.match(row)
            if section:
                counted = section.group(1) == "CODE" or section.group(1).startswith((".rodata", ".data"))
    total = sum(shares.values())
    for folder, size in sorted(shares.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {folder:<18} {100 * size / total:5.1f} %  {size:>9,} bytes before optimising")


if __name__ == "__main__":
    main()
