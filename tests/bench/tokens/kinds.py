"""Kinds of text that no package brings as such, or that are in few files: what is encoded, minified, padded, and scripts
that vocabularies know little of. corpus.py takes them up; half of their files are
held out. Nothing is drawn: the same machine gives the same texts.

    for kind, lang, files in sources(top, read, tree, catalogues): ...
"""
import base64
import glob
import hashlib
import json
import os
import subprocess
import unicodedata

# Kind, and the locales whose message catalogues and names (names_of_scripts.mjs) are of it.
SCRIPTS = {
    "greek": ["el"], "khmer": ["km"], "burmese": ["my"], "sinhala": ["si"], "ethiopic": ["am", "ti", "wal", "byn"],
    "tibetan": ["dz", "bo"], "odia": ["or"], "lao": ["lo"], "cherokee": ["chr"],
    "rare scripts": ["vai", "ii", "zgh", "sat", "ff-Adlm", "nqo", "syr", "kab-Tfng", "mni-Mtei"],
}
RUN_UNITS = ["\n", "\r\n", "\r", "\0", "\t", " ", "-", "=", "#", "*", ".", "_", "~", "/", "0", "a", "A", "x", "\x01", "\x1b", "\x7f",
             "\u00a0", "\u3000", "\u2500", "\u2588", "\u2026", "\U0001F642", "\u03b1", "\u00e9", "\n ", "\n\t", "- ", ". ",
             " \n", "a\n", "\0\0\0\x01"]
RUN_LENGTHS = [4, 12, 40, 64, 100, 333, 4096]
WORDS = "name value total address offset region file begin end page section count".split()


def bytes_of(patterns, files_max, size=9000):
    """Bytes that do not compress, or hardly: pictures, archives and programs, from behind their heads."""
    paths = sorted(path for pattern in patterns for path in glob.glob(pattern, recursive=True)
                   if os.path.isfile(path) and os.path.getsize(path) > 2 * size)
    for path in paths[::max(1, len(paths) // files_max)][:files_max]:
        with open(path, "rb") as file:
            head = file.read(size // 3)
            file.seek(os.path.getsize(path) // 2)
            yield path, head + file.read(size - size // 3)


def binaries():
    yield from bytes_of(["/usr/share/**/*.png"], 40)
    yield from bytes_of(["/usr/share/man/**/*.gz", "/usr/share/doc/**/*.gz"], 30)
    yield from bytes_of(["/usr/lib/x86_64-linux-gnu/*.so*"], 30)


def wrapped(text, width):
    return "\n".join(text[i:i + width] for i in range(0, len(text), width)) + "\n"


def base64_files(texts):
    """As they come: in one line, wrapped, for URLs, in JSON, as a data URI, as a certificate; of bytes and of text."""
    for i, (name, data) in enumerate(list(binaries()) + [(n, t.encode("utf-8")[:9000]) for n, t in texts]):
        plain = base64.b64encode(data).decode()
        url = base64.urlsafe_b64encode(data).decode().rstrip("=")
        forms = [plain, wrapped(plain, 76), url, json.dumps({"name": os.path.basename(name), "data": plain}),
                 '<img src="data:image/png;base64,' + plain + '">', wrapped(plain, 64).replace("\n", "\\n")]
        yield f"base64/{i % len(forms)}{name}", forms[i % len(forms)]
    for path in sorted(glob.glob("/usr/share/ca-certificates/mozilla/*.crt"))[:60]:
        with open(path, encoding="utf-8") as file:
            yield "base64" + path, file.read() * 3


def hash_of(*parts):
    return hashlib.sha256("/".join(map(str, parts)).encode()).digest()


def jwt_files():
    """Signed tokens as servers give them, one a line, in a header, in JSON."""
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")
    for i in range(120):
        algorithm, signature = [("HS256", 32), ("RS256", 256), ("ES256", 64)][i % 3]
        lines = []
        for k in range(12):
            noise = hash_of("jwt", i, k)
            claims = {"sub": str(int.from_bytes(noise[:4], "big")), "name": ["Ada Byron", "Li Wei", "Jos\u00e9 P\u00e9rez"][i % 3],
                      "iat": 1700000000 + noise[5] * 997, "exp": 1700003600 + noise[5] * 997, "iss": f"https://id{i}.example.org/",
                      "aud": ["api", f"client-{noise[6]}"], "scope": " ".join(WORDS[n % 12] + ":read" for n in noise[7:7 + i % 9]),
                      "jti": noise[:16].hex()}
            signed = b"".join(hash_of("sign", i, k, n) for n in range(8))[:signature]
            token = ".".join([part({"alg": algorithm, "typ": "JWT", **({"kid": noise[:5].hex()} if i % 2 else {})}), part(claims),
                              base64.urlsafe_b64encode(signed).decode().rstrip("=")])
            lines.append([token, "Authorization: Bearer " + token, json.dumps({"access_token": token, "expires_in": 3600})][i // 3 % 3])
        yield f"jwt/{i}", "\n".join(lines)


def hex_files():
    """Digests with names and alone, dumps of memory, UUIDs, colours and escapes."""
    for i, (name, data) in enumerate(list(binaries())[:90]):
        digests = [hash_of(name, n).hex() for n in range(200)]
        forms = ["\n".join(f"{d}  {WORDS[n % 12]}-{n}.bin" for n, d in enumerate(digests)), data.hex(), data.hex().upper(),
                 "\n".join(f"{n:08x}  {data[n:n + 16].hex(' ')}" for n in range(0, len(data), 16)),
                 "\n".join(f"{d[:8]}-{d[8:12]}-{d[12:16]}-{d[16:20]}-{d[20:32]}" for d in digests),
                 "\n".join(f'"integrity": "sha1-{d[:40]}",' for d in digests)]
        yield f"hex/{i % 6}{name}", forms[i % 6]


def minified_files(top, patterns_found):
    """Scripts and style sheets as they are shipped, by esbuild."""
    esbuild = top + "/tests/bench/node_modules/.bin/esbuild"
    for path in patterns_found:
        run = subprocess.run([esbuild, "--minify", "--log-level=silent", path], capture_output=True, check=False)
        if run.returncode == 0 and len(run.stdout) > 4096:
            yield "minified/" + path.replace(top + "/", ""), run.stdout.decode("utf-8", "replace")


def scripts_to_minify(top):
    for folder in ("tests/bench", "web", "wasm/package"):
        for package in sorted(glob.glob(f"{top}/{folder}/node_modules/*") + glob.glob(f"{top}/{folder}/node_modules/@*/*")):
            paths = [p for e in ("js", "mjs", "css") for p in glob.glob(f"{package}/**/*.{e}", recursive=True)
                     if os.path.isfile(p) and 6000 < os.path.getsize(p) < 1 << 20 and p.count("node_modules") == 1]
            yield from sorted(paths)[::max(1, len(paths) // 6)][:6]


def run_files():
    """One thing again and again, alone and with words between, as padding, rulers and broken output have it."""
    for unit in RUN_UNITS:
        for length in RUN_LENGTHS:
            run = unit * length
            pieces = [run + ("" if length > 4000 else WORDS[(length + k) % 12]) for k in range(max(2, 6000 // len(run.encode())))]
            yield f"run/{unit!r}/{length}", "".join(pieces)
    for k in range(12):
        wide = "".join(WORDS[b % 12] + " " * (b % 3) for b in hash_of("wide", k))
        yield f"run/wide/{k}", "\0".join(wide * 10)
        yield f"run/padded/{k}", "".join(WORDS[b % 12] + "\0" * (1 + b % (5 + 7 * k)) for i in range(40) for b in hash_of("padded", k, i))
    for unit in RUN_UNITS:
        for k in range(10):  # of every length, the longer the rarer
            lengths = [1 + (b * c >> 6) % (8 << k % 5 * 2) for b in hash_of(unit, k) for c in hash_of(k, unit)]
            yield f"run/lengths/{unit!r}/{k}", "".join(unit * n + WORDS[(n + k) % 12] for n in lengths[:20000 // sum(lengths[:100]) * 100 + 100])
    for k in range(24):
        yield f"run/mixed/{k}", "".join(RUN_UNITS[b % 24] * (1 + hash_of(k, i)[1] % 40) + WORDS[b % 12]
                                        for i in range(400) for b in hash_of("mixed", k, i)[:1])


def polytonic(text):
    """Greek as it was written until 1982: breathings on what begins a word, and three accents."""
    out = []
    for i, c in enumerate(text):
        parts = unicodedata.normalize("NFD", c)
        first = i == 0 or not text[i - 1].isalpha()
        vowel = parts[0] in "\u03b1\u03b5\u03b7\u03b9\u03bf\u03c5\u03c9\u0391\u0395\u0397\u0399\u039f\u03a9"
        accent = ["\u0301", "\u0300", "\u0342" if parts[0] in "\u03b1\u03b7\u03b9\u03c5\u03c9" else "\u0301"][i % 3] if "\u0301" in parts else ""
        breathing = ("\u0313" if i % 4 else "\u0314") if first and vowel else ""
        out.append(unicodedata.normalize("NFC", parts[0] + breathing + accent) if vowel else c)
    return "".join(out)


def names_of_scripts(top, locales):
    """What Node's tables of languages, places, units and days say in these locales, a text for each kind of name."""
    run = subprocess.run(["node", top + "/tests/bench/tokens/names_of_scripts.mjs"] + locales, capture_output=True, check=True)
    for line in run.stdout.decode().splitlines():
        row = json.loads(line)
        yield f"names/{row['locale']}/{row['kind']}", row["text"]


def sources(top, read, tree, catalogues):
    """(kind, language, files as (name, text))"""
    texts = list(tree(["/usr/share/doc/*/README*"]))[:60]
    yield "base64", "base64", base64_files(texts)
    yield "jwt", "jwt", jwt_files()
    yield "hex", "hex", hex_files()
    yield "minified", "minified", minified_files(top, scripts_to_minify(top))
    yield "runs", "runs", run_files()
    for kind, locales in SCRIPTS.items():
        for locale in locales:
            yield kind, locale, catalogues(locale)
            yield kind, locale, names_of_scripts(top, [locale])
    yield "greek", "polytonic", ((name + "/polytonic", polytonic(text)) for name, text in catalogues("el"))
