#!/usr/bin/env python3
"""module_size.py BUILD_FOLDER: the size of each module, raw and gzip, what each folder of the core adds to it, and what a
page fetches for the parts that it wants.

Shares are read from the linker's map (plumb-check.map for bin/plumb-check.wasm), by the namespace in the symbol of each
function and each piece of data; a template of the standard library counts for the folder whose types it is made for. The
optimiser that runs after the linker makes the whole smaller, so the shares are told in per cent.
"""
import gzip
import os
import re
import sys

CHUNK = re.compile(r"^\s*\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s{9}(\S.*?):\((.*)\)$")
SECTION = re.compile(r"^\s*\S+\s+[0-9a-f]+\s+[0-9a-f]+ (\S+)$")
NAMESPACE = re.compile(r"5plumb\d+(json|text|contract|repair|derive|lint|sample|run|extract|pipelines|story|wasm)")


def folder_of(object_name, symbol):
    if re.search(r"(contract|schema)_\d+E$", symbol):
        return "core/contracts"
    namespace = NAMESPACE.search(symbol)
    if namespace:
        return "wasm" if namespace.group(1) == "wasm" else "core/" + namespace.group(1)
    if symbol.startswith("plumb_"):
        return "wasm"
    if "/sysroot/" in object_name or symbol.startswith("_ZNSt") or symbol.startswith("_ZNKSt"):
        return "standard library"
    return "shared"   # string literals, and what has no name


# parts of load({ parts }): the modules that are fetched (wasm/package/src/plumb.ts).
FETCHED = {
    "": ["schema"],
    "text": ["check"],
    "author": ["author"],
    "runs": ["runs"],
    "author, runs": ["author", "runs"],
    "budget": ["schema", "budget"],
    "text, story": ["check", "story"],
}


def tell(build, name):
    """Prints a module's sizes; gives what it has as gzip."""
    with open(os.path.join(build, "bin", name + ".wasm"), "rb") as file:
        module = file.read()
    packed = len(gzip.compress(module, 9, mtime=0))
    print(f"{name}.wasm  {len(module):,} bytes, {packed:,} gzip")
    shares = {}
    counted = False
    with open(os.path.join(build, name + ".map"), encoding="utf-8", errors="replace") as rows:
        for row in rows:
            row = row.rstrip("\n")
            chunk = CHUNK.match(row)
            if chunk:
                if counted:
                    folder = folder_of(chunk.group(3), chunk.group(4))
                    shares[folder] = shares.get(folder, 0) + int(chunk.group(2), 16)
                continue
            section = SECTION.match(row)
            if section:
                counted = section.group(1) == "CODE" or section.group(1).startswith((".rodata", ".data"))
    total = sum(shares.values())
    for folder, size in sorted(shares.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {folder:<18} {100 * size / total:5.1f} %  {size:>9,} bytes before optimising")
    return packed


if __name__ == "__main__":
    sizes = {name: tell(sys.argv[1], "plumb-" + name) for name in ("schema", "check", "author", "runs", "budget", "story")}
    print("what load({ parts }) fetches, gzip")
    for parts, modules in FETCHED.items():
        print(f"  {'[' + parts + ']':<18} {sum(sizes[name] for name in modules):>9,} bytes  {' + '.join(modules)}")
