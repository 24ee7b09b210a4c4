#!/usr/bin/env python3
"""corpus.py FOLDER: texts to measure token estimates with, as FOLDER/train.jsonl and FOLDER/test.jsonl.

A line is a chunk of 2,048 bytes (a few fewer where a character would be cut): {"class", "lang", "source", "text"}. They
are taken from what Debian packages and npm packages bring: the Debian Administrator's Handbook in 26 languages, manual
pages in seven, message catalogues in 40, README files, JSON files and program text; kinds.py adds what is encoded,
minified or padded, and rare scripts. Packages that are not installed are fetched with apt-get download, and left out
with a note where that does not work.

A file, and the same file in another language, is either all for training or all for testing (of the kinds of kinds.py
half is held out, of the others a third). Nothing is drawn: the
same packages give the same chunks.
"""
import fnmatch
import glob
import gzip
import hashlib
import html
import itertools
import json
import os
import re
import struct
import subprocess
import sys

import kinds

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CHUNK = 2048
PACKAGES = ["debian-handbook", "manpages-fr", "manpages-de", "manpages-pl", "manpages-ja", "manpages-zh", "manpages-ru"]
LATIN = ["fr", "de", "es", "it", "pl", "cs", "pt_BR", "sv", "hu", "tr", "vi", "ro", "nl", "da", "fi", "hr", "ca", "sk"]
CJK = ["ja", "zh_CN", "zh_TW", "ko"]
OTHERS = ["ru", "uk", "bg", "el", "sr", "he", "ar", "fa", "hi", "bn", "ta", "te", "th", "ka", "kk", "ml", "gu", "pa",
          "kn", "mr", "ur", "hy", "be", "mk"]
# Files for each class and language, and chunks of each file, so that no source outweighs the others.
FILES_MAX = {"prose": 500, "latin": 60, "json": 400, "code": 140, "cjk": 160, "others": 60, "structured": 200}
FILES_MAX_OF_KIND = 600
CHUNKS_OF_FILE = 6
CHUNKS_OF_SCRIPT = 20  # where there are few files


def fetched(folder):
    """The packages' files, unpacked."""
    where = os.path.join(folder, "packages")
    os.makedirs(where, exist_ok=True)
    for package in PACKAGES:
        into = os.path.join(where, package)
        if os.path.isdir(into):
            continue
        run = subprocess.run(["apt-get", "download", "-q", package], cwd=where, capture_output=True, text=True)
        files = glob.glob(os.path.join(where, package + "_*.deb"))
        if run.returncode != 0 or not files:
            print(f"not fetched, left out: {package}", file=sys.stderr)
            continue
        subprocess.run(["dpkg-deb", "-x", files[0], into + ".new"], check=True)
        os.rename(into + ".new", into)
        os.remove(files[0])
    return where


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            return file.read(4_000_000).decode("utf-8")
    except (UnicodeDecodeError, OSError, EOFError):
        return ""


def plain(page):
    """The words of an HTML page, a block a line."""
    page = re.sub(r"(?s)<(script|style|head).*?</\1>", " ", page)
    page = re.sub(r"</(p|div|h\d|li|pre|tr|dt|dd)>|<br ?/?>", "\n", page)
    page = html.unescape(re.sub(r"(?s)<[^>]*>", "", page))
    return re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", page)).strip()


def manual(page):
    """A manual page without its macros and escapes."""
    lines = []
    for line in page.split("\n"):
        if line.startswith((".\\\"", "'\\\"")):
            continue
        line = re.sub(r"^[.'][A-Za-z]+ ?", "", line)
        line = re.sub(r"\\f[A-Z]|\\f\([A-Z]{2}|\\[&,/|^]|\\s[-+]?\d", "", line)
        lines.append(re.sub(r"\\\(..", "", line.replace("\\-", "-").replace("\\e", "\\")))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def catalogue(path):
    """What a message catalogue says in its language."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 28:
        return ""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, _, table = struct.unpack(order + "III", data[8:20])
    texts = []
    for i in range(1, min(count, 3000)):
        size, at = struct.unpack(order + "II", data[table + 8 * i:table + 8 * i + 8])
        texts.append(data[at:at + size].split(b"\0")[0])
    try:
        return b"\n".join(texts).decode("utf-8")
    except UnicodeDecodeError:
        return ""


def chunks(text, whole_min, most):
    data = text.encode("utf-8")
    whole = max(len(data) // CHUNK, whole_min if len(data) >= CHUNK // 4 else 0)
    step = max(1, whole // most)
    for i in range(0, whole, step):
        piece = data[i * CHUNK:(i + 1) * CHUNK]
        while piece and piece[0] & 0xC0 == 0x80:
            piece = piece[1:]
        yield piece.decode("utf-8", "ignore")


def handbook(folder, lang):
    for path in sorted(glob.glob(f"{folder}/debian-handbook/usr/share/doc/debian-handbook/html/{lang}*/*.html")):
        yield "handbook/" + os.path.basename(path), plain(read(path))


def manuals(folder, lang):
    for path in sorted(glob.glob(f"{folder}/manpages-{lang}/usr/share/man/*/*.gz")):
        yield "man/" + os.path.basename(path), manual(read(path))


def catalogues(lang):
    for path in sorted(glob.glob(f"/usr/share/locale/{lang}/LC_MESSAGES/*.mo")):
        yield "mo/" + os.path.basename(path), catalogue(path)


def found(pattern):
    """The files that fit: `ROOT/**/NAME` is searched without following links, which may lead in circles."""
    if "/**/" not in pattern:
        return sorted(glob.glob(pattern))
    root, name = pattern.split("/**/")
    paths = []
    for folder, below, names in os.walk(root):
        below.sort()
        paths += [os.path.join(folder, one) for one in fnmatch.filter(names, name)]
    return sorted(paths)


def tree(patterns, under_mb=2):
    for pattern in patterns:
        for path in found(pattern):
            if os.path.isfile(path) and os.path.getsize(path) < under_mb << 20 and "/test/fixtures/" not in path:
                yield path.replace(TOP + "/", ""), read(path)


def enough_letters(text, lang):
    """A catalogue may be half English: what is measured as a language must be in it."""
    if lang not in OTHERS and lang not in CJK and not any(lang in locales for locales in kinds.SCRIPTS.values()):
        return True
    return sum(c > "\u0250" for c in text) * 3 > len(text)


def compact(sources):
    """Each other file as JSON without white space, as it travels."""
    for i, (name, text) in enumerate(sources):
        if i % 2:
            try:
                text = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
            except ValueError:
                pass
        yield name, text


def marked(sources):
    return ((name, text) for name, text in sources if text.count("\n") > 20 or len(text) > 8000)


def sources(folder):
    """(class, language, [(name, text)])"""
    modules = [TOP + "/tests/bench/node_modules", TOP + "/web/node_modules", TOP + "/wasm/package/node_modules"]
    yield "prose", "en", handbook(folder, "en-US")
    yield "prose", "en man", ((n, manual(t)) for n, t in tree(["/usr/share/man/man[1578]/*.gz"]))
    yield "prose", "en doc", tree(["/usr/share/doc/*/README*", "/usr/share/doc/*/*.txt*", "/usr/share/doc/*/copyright"])
    yield "prose", "en readme", marked(tree([m + "/**/README.md" for m in modules]))
    for lang in LATIN:
        short = lang.split("_")[0] if lang != "pt_BR" else "pt-BR"
        yield "latin", lang, handbook(folder, short)
        yield "latin", lang, manuals(folder, lang)
        yield "latin", lang, catalogues(lang)
    for lang in CJK:
        yield "cjk", lang, handbook(folder, lang.replace("_", "-"))
        yield "cjk", lang, manuals(folder, "zh" if lang.startswith("zh_CN") else lang)
        yield "cjk", lang, catalogues(lang)
    for lang in OTHERS:
        yield "others", lang, handbook(folder, lang)
        yield "others", lang, manuals(folder, lang)
        yield "others", lang, catalogues(lang)
    files = [m + "/**/*.json" for m in modules]
    yield "json", "npm", compact(tree(files))
    yield "json", "debian", compact(tree(["/usr/share/iso-codes/json/*.json", "/usr/share/**/*.json", "/usr/lib/**/*.json"]))
    yield "json", "own", compact(tree([TOP + "/core/contracts/**/*.json", TOP + "/native/**/*.json",
                                       TOP + "/tests/cases/**/*.json", "/usr/share/**/*.geojson"]))
    for lang, patterns in (
            ("c", ["/usr/include/**/*.h"]), ("c++", ["/usr/include/c++/**/*", "/usr/include/boost/**/*.hpp"]),
            ("python", ["/usr/lib/python3*/*.py", "/usr/lib/python3/dist-packages/**/*.py"]),
            ("javascript", [m + "/**/*.mjs" for m in modules] + [m + "/**/*.js" for m in modules]),
            ("typescript", [m + "/**/*.d.ts" for m in modules] + [TOP + "/web/src/**/*.ts*", TOP + "/wasm/package/src/*.ts"]),
            ("perl", ["/usr/share/perl/**/*.p[lm]", "/usr/share/perl5/**/*.pm"]),
            ("cmake", ["/usr/share/cmake*/**/*.cmake"]), ("shell", ["/etc/init.d/*", "/usr/bin/*.sh", "/usr/lib/git-core/git-*"]),
            ("css", [TOP + "/web/src/**/*.css", "/usr/share/**/*.css"]),
            ("ours", [TOP + "/core/**/*.cpp", TOP + "/native/**/*.cpp"])):
        yield "code", lang, (s for s in tree(patterns) if "\0" not in s[1])
    yield "structured", "html", tree([f"{folder}/debian-handbook/usr/share/doc/debian-handbook/html/{lang}/*.html"
                                      for lang in ("en-US", "fr-FR")])
    yield "structured", "xml", tree(["/usr/share/**/*.xml", "/usr/share/**/*.svg"])
    yield "structured", "yaml", tree(["/usr/share/**/*.y*ml", "/etc/**/*.y*ml"] + [m + "/**/*.yml" for m in modules])
    yield "structured", "tables", tree(["/usr/share/**/*.csv", "/usr/share/**/*.tsv", "/usr/share/**/*.tab",
                                        "/usr/share/zoneinfo/*.tab", "/etc/services", "/etc/protocols", "/etc/mime.types"])


def main():
    folder = sys.argv[1]
    packages = fetched(folder)
    counts = {}
    out = {name: open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") for name in ("train", "test")}
    seen = set()  # a chunk that two files have counts once, so that what is tested was not learned
    added = kinds.sources(TOP, read, tree, catalogues)
    for cls, lang, files in itertools.chain(sources(packages), added):
        used = 0
        of_kind = cls not in FILES_MAX
        for name, text in files:
            if used >= FILES_MAX.get(cls, FILES_MAX_OF_KIND):
                break
            some = False
            half = "test" if hashlib.sha256(name.encode()).digest()[0] % 3 == 0 else "train"
            if of_kind:  # to the half that has less
                half = "test" if counts.get((cls, "test"), 0) < counts.get((cls, "train"), 0) else "train"
            most = CHUNKS_OF_SCRIPT if cls in kinds.SCRIPTS and cls != "greek" else CHUNKS_OF_FILE
            for piece in chunks(text, 1 if of_kind else 0, most):
                digest = hashlib.sha256(piece.encode()).digest()
                if digest in seen:
                    continue
                seen.add(digest)
                # JavaScript takes a byte order mark for white space; the encoders themselves do not, and nor do we.
                if not enough_letters(piece, lang) or "\ufeff" in piece:
                    continue
                some = True
                row = {"class": cls, "lang": lang, "source": name, "text": piece}
                out[half].write(json.dumps(row, ensure_ascii=False) + "\n")
                key = (cls, half)
                counts[key] = counts.get(key, 0) + 1
            used += some
    for file in out.values():
        file.close()
    for key in sorted(counts):
        print(f"{key[0]:<12} {key[1]:<6} {counts[key]:>6} chunks", file=sys.stderr)


main()
