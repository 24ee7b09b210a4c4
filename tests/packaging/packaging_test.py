#!/usr/bin/env python3
"""Plumbline as other programs have it: installed and found, taken in as a folder, and refused where it is used wrongly.

    tests/packaging/packaging_test.py BUILD PLUMB [TEST...]     a build folder with all libraries, the command, and which tests (all)

What docs/linking.md tells a reader to write is what is built here, in a clean folder. The last line is
`suite packaging: N passed, M failed, K skipped`.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD, PLUMB = (os.path.abspath(name) for name in sys.argv[1:3])
FOLDER = os.path.join(TOP, "build", "packaging")
PREFIX = os.path.join(FOLDER, "prefix")
GUIDE = os.path.join(TOP, "docs", "linking.md")
SEED = os.path.join(TOP, "tests", "cases", "seed")
ARTIFACTS = [os.path.join(SEED, name) for name in ("quiz_faulty.json", "quiz_repaired.json")]
BOUND_S = 600
# What the command needs and the libraries must not.
FOREIGN = ("Threads", "PkgConfig", "OpenSSL", "CLI11", "spdlog", "yaml-cpp", "SQLiteCpp", "ZLIB")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def ran(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, **more)


def done(*command, **more):
    run = ran(*command, **more)
    assert run.returncode == 0, f"{' '.join(command)}\n{(run.stdout + run.stderr)[-3000:]}"
    return run.stdout


def guide(language, heading):
    """The first block of code in this language under this heading of docs/linking.md."""
    with open(GUIDE, encoding="utf-8") as file:
        section = file.read().split(f"\n## {heading}\n")[1]
    return re.search(rf"^```{language}\n(.*?)^```", section, re.M | re.S)[1]


def project(name, **texts):
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder)
    for file, text in texts.items():
        with open(os.path.join(folder, file.replace("__", ".")), "w", encoding="utf-8") as out:
            out.write(text)
    return folder


def installed():
    """The prefix, installed once."""
    if not os.path.exists(PREFIX):
        for component in ("development", "library"):
            done("cmake", "--install", BUILD, "--component", component, "--prefix", PREFIX)
    return PREFIX


def built(folder, *options):
    out = os.path.join(folder, "out")
    environment = dict(os.environ)
    if shutil.which("ccache"):
        environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    done("cmake", "-S", folder, "-B", out, "-G", "Ninja", *options, env=environment)
    done("cmake", "--build", out, "--target", "example", "-j", os.environ.get("PLUMB_JOBS", "2"))
    return out


def judges(program, contract="quiz", **environment):
    """The program says of each artifact what the command says."""
    for artifact in ARTIFACTS:
        told = ran(program, contract, artifact, env={**os.environ, **environment})
        expected = ran(PLUMB, "check", "--contract", "quiz", "--format", "jsonl", artifact)
        assert told.returncode == expected.returncode, (told, expected)
        verdict = json.loads(expected.stdout)
        del verdict["file"]
        assert verdict["valid"] == (told.returncode == 0)
        if told.stdout or not verdict["valid"]:   # the C library writes no verdict that says nothing but its decision
            assert json.loads(told.stdout) == verdict, (told.stdout, expected.stdout)


@test
def found():
    """a project that finds the installed package builds and gives the verdict of the command"""
    heading = "From C++, installed"
    folder = project("found", CMakeLists__txt=guide("cmake", heading), example__cpp=guide("cpp", heading))
    judges(os.path.join(built(folder, f"-DCMAKE_PREFIX_PATH={installed()}"), "example"))


@test
def taken_in():
    """a project that takes the checkout in builds with a compiler alone, keeps its own flags, and gives the same verdict"""
    folder = project("taken_in", CMakeLists__txt=guide("cmake", "From C++, as a part of your own build"),
                     example__cpp=guide("cpp", "From C++, installed"))
    options = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in FOREIGN]
    out = built(folder, f"-DPLUMBLINE={TOP}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
    judges(os.path.join(out, "example"))
    with open(os.path.join(out, "compile_commands.json"), encoding="utf-8") as file:
        commands = [entry["command"] for entry in json.load(file)]
    assert commands and not any(" -W" in command or " -O" in command for command in commands), commands[0]
    assert not os.path.exists(os.path.join(out, "generated")), "generated files are in the foreign build folder itself"


def compiled_c(source, program, *options):
    """What pkg-config says is enough to compile and link it."""
    environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(installed(), "lib", "pkgconfig")}
    flags = done("pkg-config", "--cflags", "--libs", "plumbline", env=environment).split()
    done(os.environ.get("CC", "gcc"), "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", *options, "-o", program, source,
         *flags)
    return program


LOADED = {"LD_LIBRARY_PATH": os.path.join(PREFIX, "lib")}
CONTRACT = os.path.join(TOP, "core", "contracts", "quiz.json")


@test
def from_c():
    """a C program that pkg-config compiles gives the same verdict, and says so where a contract is none"""
    folder = project("from_c", example__c=guide("c", "From C"))
    program = compiled_c(os.path.join(folder, "example.c"), os.path.join(folder, "example"))
    judges(program, CONTRACT, **LOADED)
    run = ran(program, GUIDE, GUIDE, env={**os.environ, **LOADED})
    assert run.returncode == 2 and json.loads(run.stderr)["line"] == 1, run


@test
def threads_of_c():
    """each thread of a C program has an instance of its own, and a number that is not in use ends the process by name"""
    folder = project("threads")
    program = compiled_c(os.path.join(TOP, "tests", "packaging", "threads.c"), os.path.join(folder, "threads"), "-pthread")
    run = ran(program, CONTRACT, ARTIFACTS[0], env={**os.environ, **LOADED})
    expected = json.loads(ran(PLUMB, "check", "--contract", "quiz", "--format", "jsonl", ARTIFACTS[0]).stdout)
    del expected["file"]
    assert run.returncode == 0 and json.loads(run.stdout) == expected, run
    run = ran(program, env={**os.environ, **LOADED})
    assert run.returncode == -6 and "the number is in use" in run.stderr, run


@test
def abi():
    """libplumbline.so shows what plumbline.h declares, by a SONAME with the version, and nothing else"""
    with open(os.path.join(installed(), "include", "plumbline", "plumbline.h"), encoding="utf-8") as file:
        declared = set(re.findall(r"^PLUMB_API [^(]*\b(plumb_\w+)\(", file.read(), re.M))
    library = os.path.join(installed(), "lib", "libplumbline.so")
    table = done("nm", "-D", "--defined-only", library)
    shown = {line.split()[2].split("@")[0] for line in table.splitlines() if line.split()[1] != "A"}
    assert len(declared) > 10 and shown == declared, shown ^ declared
    version = done(PLUMB, "--version").split()[-1].split(".")
    assert f"Library soname: [libplumbline.so.{'.'.join(version[:2])}]" in done("readelf", "-d", library)
    assert os.path.realpath(library).endswith(".so." + ".".join(version))


@test
def guarded():
    """the command and the library are position independent, their tables are read only and no stack can be executed"""
    for file, kind in ((PLUMB, "DYN (Position-Independent Executable file)"),
                       (os.path.join(installed(), "lib", "libplumbline.so"), "DYN (Shared object file)")):
        told = done("readelf", "--wide", "-h", "-l", "-d", file)
        assert re.search(r"Type: +" + re.escape(kind), told), (file, told)
        assert "GNU_RELRO" in told and re.search(r"FLAGS_1\) +Flags: NOW", told), (file, told)
        assert re.search(r"GNU_STACK .* RW +0x", told), (file, told)


def packed():
    """The tree that the .deb has: the component `command`, installed once."""
    root = os.path.join(FOLDER, "root")
    if not os.path.exists(root):
        done("cmake", "--install", BUILD, "--component", "command", "--prefix", "/usr", env={**os.environ, "DESTDIR": root})
    return root


@test
def as_a_service():
    """the installed command runs, with its manual, its completions and a service whose options it knows"""
    root = packed()
    plumb = os.path.join(root, "usr", "bin", "plumb")
    assert done(plumb, "--version").startswith("plumb ")
    with open(os.path.join(root, "usr/lib/systemd/system/plumb.service"), encoding="utf-8") as file:
        unit = file.read()
    with open(os.path.join(TOP, "native", "service", "Containerfile"), encoding="utf-8") as file:
        container = ["plumb", *json.loads(re.search(r"^CMD (.*)$", file.read(), re.M)[1])]
    for command in (re.search(r"^ExecStart=(.*)$", unit, re.M)[1].split(), container):
        options = [word for word in command if word.startswith("--")]
        known = done(plumb, command[1], "--help")
        assert options and command[1] == "serve", command
        for option in options:
            assert re.search(rf"^ +(-\w, )?{option} ", known, re.M), f"{option} is no option of plumb serve"
        assert os.path.exists(root + command[command.index("--config") + 1]), command
    for name in ("share/man/man1/plumb.1", "share/bash-completion/completions/plumb", "share/doc/plumbline/server.md"):
        assert os.path.getsize(os.path.join(root, "usr", name)) > 1000, name


@test
def page_is_packed_compressed():
    """the page in the package has each of its files as brotli and gzip too, and the installed command serves them so"""
    root = packed()
    page = os.path.join(root, "usr", "share", "plumbline", "web")
    assert os.path.exists(os.path.join(page, "index.html")), "the page is not built: ./dev build"
    missing, names = [], []
    for folder, _, files in os.walk(page):
        for name in files:
            path = os.path.join(folder, name)
            # What is small, or hardly smaller when it is compressed, has none: web/scripts/compress.mjs.
            if os.path.splitext(name)[1] in (".html", ".js", ".css", ".wasm") and os.path.getsize(path) >= 2048:
                names.append("/" + os.path.relpath(path, page))
                missing += [path + coding for coding in (".br", ".gz") if not os.path.exists(path + coding)]
    assert len(names) > 20 and any(name.endswith(".wasm") for name in names), names
    assert not missing, missing
    server = subprocess.Popen([os.path.join(root, "usr", "bin", "plumb"), "serve", "--port", "0", "--no-config", "--log", "off",
                               "--store", os.path.join(FOLDER, "served.db")], stdout=subprocess.PIPE, text=True, cwd=FOLDER)
    try:
        origin = re.search(r"http://[^/\s]+", server.stdout.readline())[0]
        for name in names:
            for asked, coding in (("br, gzip", "br"), ("gzip", "gzip")):
                request = urllib.request.Request(origin + name, headers={"Accept-Encoding": asked})
                with urllib.request.urlopen(request, timeout=BOUND_S) as answer:
                    size = len(answer.read())
                    assert answer.headers["Content-Encoding"] == coding, (name, asked, dict(answer.headers))
                assert size < os.path.getsize(page + name), (name, coding)
    finally:
        server.kill()
        server.wait()


@test
def rooms_that_are_not_there():
    """a room that is not there, and a version that is not this one, are said when the package is looked for"""
    text = 'cmake_minimum_required(VERSION 3.25)\nproject(none LANGUAGES NONE)\nfind_package(plumbline {} REQUIRED)\n'
    for name, wanted, said in (("room", "0.1 COMPONENTS contract nosuch", "has no room 'nosuch'"),
                               ("version", "99.0", "compatible with requested version")):
        folder = project("none_" + name, CMakeLists__txt=text.format(wanted))
        run = ran("cmake", "-S", folder, "-B", folder + "/out", f"-DCMAKE_PREFIX_PATH={installed()}")
        assert run.returncode != 0 and said in re.sub(r"\s+", " ", run.stderr), run.stderr


def compiled(source, *options):
    return ran(os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-I",
               os.path.join(installed(), "include", "plumbline"), *options, source)


@test
def headers_are_complete():
    """every header that is promised compiles from the installed folder, and none that is installed is missing"""
    with open(os.path.join(TOP, "cmake", "rooms.cmake"), encoding="utf-8") as file:
        rooms = re.findall(r"^plumb_library\(NAME (\w+)\n(.*?)\)$", file.read(), re.M | re.S)
    lines = []
    for name, said in rooms:
        folder = re.search(r"FOLDER (\S+)", said)
        folder = folder[1] if folder else "core/" + name
        lines += [f'#include "{folder}/{header}"\n' for header in said.split("HEADERS")[1].split()]
    assert len(lines) > 80
    folder = project("headers", all__cpp="".join(lines) + "int main() {}\n")
    run = compiled(os.path.join(folder, "all.cpp"))
    assert run.returncode == 0, run.stderr[-3000:]


@test
def misuse():
    """what is used wrongly does not compile, and the same used rightly does"""
    folder = os.path.join(TOP, "tests", "packaging", "refused")
    names = sorted(os.listdir(folder))
    assert len(names) >= 5
    for name in names:
        source = os.path.join(folder, name)
        with open(source, encoding="utf-8") as file:
            reason = re.match(r"// refused: (.*)\n", file.read())[1]
        wrong, right = compiled(source), compiled(source, "-DRIGHT")
        assert right.returncode == 0, f"{name}: used rightly: {right.stderr[-2000:]}"
        assert wrong.returncode != 0, f"{name}: compiles"
        assert re.search(reason, wrong.stderr), f"{name}: refused for another reason: {wrong.stderr[-2000:]}"


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    passed = failed = 0
    names = sys.argv[3:]
    unknown = set(names) - {one.__name__ for one in TESTS}
    assert not unknown, f"no test {unknown}"
    for one in (one for one in TESTS if not names or one.__name__ in names):
        try:
            one()
            passed += 1
        except Exception as problem:
            failed += 1
            print(f"FAILED: {one.__doc__}\n  {type(problem).__name__}: {problem}")
    print(f"suite packaging: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
