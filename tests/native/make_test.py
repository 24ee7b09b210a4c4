#!/usr/bin/env python3
"""`plumb make` and `plumb prompts`, driven as a user drives them.

    PLUMB_BIN=build/bin/plumb tests/native/make_test.py [WORD...]     only tests whose sentence has all words

The model is scripted (scripted_models.py); all else is real. The last line is `suite make: N passed, M failed`.
"""
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time

import cli_test
import driven
from driven import PLUMB, ROOT
from scripted_models import BAD_QUIZ, GOOD_QUIZ, SOURCE, Models

CHAPTER = os.path.join(ROOT, "docs", "examples", "chapter.md")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("make")

    def plumb(self, *arguments, **options):
        return self.run(*arguments, **options)


def lines_of(done):
    """Log lines without their time."""
    return [line.split("] ", 1)[1] for line in done.stderr.splitlines() if line.startswith("[") and "] " in line]


@test
def each_type_comes_from_the_chapter_without_a_model_and_what_it_says_stands_there():
    chapter = " ".join(open(CHAPTER, encoding="utf-8").read().replace("**", "").split())
    with Place() as place:
        for kind in ("quiz", "flashcards", "mindmap"):
            done = place.plumb("make", kind, "--source", CHAPTER, "--json")
            assert done.returncode == 0, done
            job = json.loads(done.stdout)
            assert job["status"] == "completed" and job["progress"] == 100 and job["decision"] == "accept", job
            assert job["tokens_used"] == 0 and job["artifact_type"] == kind
            assert len(job["evidence"]) >= 3
            for proof in job["evidence"]:
                quote = " ".join(proof["quote"].replace("**", "").lstrip("# -").split())
                assert quote in chapter, proof
            check = place.plumb("check", "--contract", kind, "-", stdin=json.dumps(job["result"]))
            assert check.returncode == 0, check
        assert "with extract: no model, no key, no tokens" in done.stderr


@test
def the_artifact_alone_is_on_standard_output_and_goes_to_a_file_where_one_is_named():
    with Place() as place:
        done = place.plumb("make", "quiz", "-s", CHAPTER, "-O", "num_questions=3", "--quiet")
        assert done.returncode == 0 and done.stderr == "", done
        assert len(json.loads(done.stdout)["questions"]) == 3
        into = place.file("quiz.json")
        done = place.plumb("make", "quiz", "-s", CHAPTER, "-o", into)
        assert done.returncode == 0 and done.stdout == "", done
        assert len(json.load(open(into, encoding="utf-8"))["questions"]) == 5
        done = place.plumb("make", "quiz", "-s", "-", stdin=open(CHAPTER, encoding="utf-8").read(), env={"LANG": "C"})
        assert done.returncode == 0 and "[ok] Phase 3: Validating quiz..." in done.stderr, done


@test
def a_source_that_says_too_little_ends_with_both_lists_and_exit_code_1():
    with Place() as place:
        done = place.plumb("make", "quiz", "--source", place.file("s.txt", "Photosynthesis occurs in plants."))
        assert done.returncode == 1 and done.stdout == "", done
        assert "→ Status: failed (progress: 100%)" in lines_of(done)
        assert "→ Error: Validation failed after 2 repair attempts." in done.stderr
        assert "            Violations: [" in done.stderr
        assert '            Issues: ["Question 1: Not answerable from source"' in done.stderr


@test
def with_a_model_a_broken_quiz_is_repaired_and_the_log_tells_it():
    with Place() as place, Models(quiz=BAD_QUIZ) as models:
        done = place.plumb("make", "quiz", "-s", place.file("s.md", SOURCE), env=models.environment())
        assert done.returncode == 0, done
        assert json.loads(done.stdout) == GOOD_QUIZ
        assert models.calls == ["plan", "generate", "judge", "repair", "judge"], models.calls
        assert lines_of(done)[5:] == [
            "✅ Phase 3: Validating quiz...", "  → Step 1: Structural validation...", "  ✗ 1 violation found",
            "  → Step 2: Semantic validation...", "  ✓ Semantics valid",
            "⚠️  Validation failed: 1 structural violation, 0 semantic issues",
            "  → Step 3: Attempting automatic repair...", "🔧 Repair attempt 1/2", "  → Revalidating structure...",
            "  ✓ Structure valid", "  → Revalidating semantics...", "  ✓ Semantics valid",
            "✓ Repair successful after 1 attempt(s)", lines_of(done)[-1]], lines_of(done)
        assert lines_of(done)[-1].endswith("completed successfully (progress: 100%)")
        assert "with openai/test: at most 10 calls (more only where one fails) and 47,190 tokens" in done.stderr, done.stderr
        assert "sk-test" not in done.stdout + done.stderr


LONG_QUIZ = {"questions": [{
    "question": "What is the process by which plants convert light energy into chemical energy that is stored in glucose?",
    "options": ["Photosynthesis", "Water", "Light", "Glucose"], "correct_answer": "Photosynthesis",
    "explanation": "Photosynthesis is the process by which plants convert light energy into chemical energy stored in glucose, in chloroplasts."}]}


@test
def the_language_is_the_sources_or_what_is_asked_for_in_every_prompt_and_another_one_is_a_warning():
    with Place() as place, Models(quiz=LONG_QUIZ, repaired=LONG_QUIZ) as models:
        source = place.file("s.md", SOURCE)
        job = json.loads(place.plumb("make", "quiz", "-s", source, "--json", env=models.environment()).stdout)
        assert job["decision"] == "accept" and "warnings" not in job, job
        assert "Write names in English." in models.prompts[0] and "Write in English." in models.prompts[1], models.prompts
        models.prompts.clear()
        job = json.loads(place.plumb("make", "quiz", "-s", source, "--json", "--language", "de-AT",
                                     env=models.environment()).stdout)
        assert job["decision"] == "accept_with_warnings", job
        assert job["warnings"] == ["The artifact is in English, and German is wanted"], job
        assert "Write names in German." in models.prompts[0] and "Write in German." in models.prompts[1], models.prompts
        models.prompts.clear()
        done = place.plumb("make", "quiz", "-s", place.file("few.md", "E = mc^2. Chloroplasts."), "--json", env=models.environment())
        assert not any("Write in " in one or "Write names in" in one for one in models.prompts), models.prompts
        # Asked for though nobody can tell it, by name or by tag; then nothing is checked.
        for tag, name in (("da", "Danish"), ("gsw", "the language with the tag gsw")):
            models.prompts.clear()
            job = json.loads(place.plumb("make", "quiz", "-s", source, "--json", "--language", tag,
                                         env=models.environment()).stdout)
            assert "warnings" not in job and f"Write in {name}." in models.prompts[1], (job, models.prompts[1])
        for wrong in ("german", "xx", "de_AT", ""):
            done = place.plumb("make", "quiz", "-s", source, "--language", wrong, env=models.environment())
            assert done.returncode == 2 and "--language: `language` is a tag of BCP 47" in done.stderr, (wrong, done)


@test
def a_repair_is_told_the_language_and_that_the_artifact_is_in_another_one():
    bad = json.loads(json.dumps(LONG_QUIZ))
    bad["questions"][0]["options"].pop()
    with Place() as place, Models(quiz=bad, repaired=LONG_QUIZ) as models:
        done = place.plumb("make", "quiz", "-s", place.file("s.md", SOURCE), "--language", "fr", "--json", env=models.environment())
        assert done.returncode == 0, done
        repair = models.prompts[models.calls.index("repair")]
        assert "Write in French." in repair and "The artifact is in English, and French is wanted" in repair, repair


@test
def a_run_that_was_killed_goes_on_without_asking_again():
    with Place() as place, Models() as models:
        models.shut("judge")
        source = place.file("s.md", SOURCE)
        running = subprocess.Popen([PLUMB, "make", "quiz", "-s", source, "-q"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=place.environment(models.environment()))
        models.wait_for("judge")
        running.send_signal(signal.SIGKILL)
        running.wait()
        models.open("judge")
        done = place.plumb("make", "quiz", "-s", source, env=models.environment())
        assert done.returncode == 0, done
        assert "this job was begun before and not ended: it goes on" in done.stderr
        assert json.loads(done.stdout) == GOOD_QUIZ
        assert models.calls == ["plan", "generate", "judge", "judge"], models.calls
        listed = json.loads(place.plumb("runs", "list", "--json").stdout)
        assert len(listed["runs"] if isinstance(listed, dict) else listed) == 1, listed


@test
def an_interrupt_cancels_the_run_and_the_store_says_so():
    with Place() as place, Models() as models:
        models.shut("generate")
        running = subprocess.Popen([PLUMB, "make", "quiz", "-s", place.file("s.md", SOURCE)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=place.environment(models.environment()), text=True)
        models.wait_for("generate")
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        assert running.returncode == 2 and out == "", (running.returncode, out, err)
        assert "Cancelled: interrupted by the user" in err and "→ Status: cancelled" in err, err
        assert "cancelled" in place.plumb("runs", "list").stdout


@test
def a_provider_that_is_down_ends_the_job_after_one_more_try_with_exit_code_2():
    with Place() as place:
        env = {"PLUMB_PROVIDER": "openai/test", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-x-0123456789"}
        done = place.plumb("make", "quiz", "-s", place.file("s.md", SOURCE), env=env)
        assert done.returncode == 2 and done.stdout == "", done
        assert "⚠️  Plan call failed: provider failed - " in done.stderr and "trying once more" in done.stderr, done
        assert "→ Error: provider failed - " in done.stderr, done


@test
def what_cannot_work_is_said_before_anything_is_asked():
    with Place() as place:
        source = place.file("s.md", SOURCE)
        empty = place.file("empty.md", "")
        binary = place.file("binary")
        with open(binary, "wb") as file:
            file.write(b"\x00\xff\xfe" * 1000)
        for arguments, wanted in (
            (["make", "quiz"], "say what to make it from with --source FILE"),
            (["make"], "TYPE"),
            (["make", "poem", "-s", source], "there is no contract for artifacts of type 'poem'; built in are"),
            (["make", "quiz", "-s", place.file("nothing.md")], "no such file"),
            (["make", "quiz", "-s", empty], "empty.md"),
            (["make", "quiz", "-s", binary], "binary"),
            (["make", "quiz", "-s", source, "-O", "num_question=3"], "did you mean 'num_questions'?"),
            (["make", "quiz", "-s", source, "-O", "questions"], "must be NAME=VALUE"),
            (["make", "quiz", "-s", source, "--repair", "all"], "whole"),
            (["make", "quiz", "-s", source, "--token-budget", "0"], "--token-budget"),
            (["make", "quiz", "-s", source, "--provider", "olama/x"], "did you mean 'ollama'?"),
            (["make", "quiz", "-s", source, "--prompts", place.file("none")], "no such directory of prompts (--prompts)"),
            (["make", "quiz", "-s", source, "--store", "/nowhere/runs.db"], "--store none"),
        ):
            done = place.plumb(*arguments)
            assert done.returncode == 2 and done.stdout == "", (arguments, done)
            assert wanted in done.stderr, (arguments, done.stderr)


@test
def prompts_of_ones_own_are_used_and_a_mistake_in_one_is_told_with_file_and_line():
    with Place() as place, Models() as models:
        done = place.plumb("prompts", "export", "mine", "artifact-generate", "artifact-judge")
        assert done.returncode == 0 and done.stdout.splitlines() == ["mine/artifact-generate.md", "mine/artifact-judge.md"]
        path = place.file("mine/artifact-generate.md")
        text = open(path, encoding="utf-8").read()
        open(path, "w", encoding="utf-8").write(text.replace("Plan:\n", "Be brief, says the owner.\n\nPlan:\n"))
        source = place.file("s.md", SOURCE)
        for extra, arguments in (({}, ["--prompts", "mine"]), ({"PLUMB_PROMPTS": "mine"}, [])):
            done = place.plumb("make", "quiz", "-s", source, "--store", "none", *arguments,
                               env={**models.environment(), **extra})
            assert done.returncode == 0, done
            generate = models.prompts[models.calls.index("generate")]
            assert "Be brief, says the owner." in generate, generate
            models.calls.clear()
            models.prompts.clear()
        place.file("plumb.yaml", "prompts: mine\n")
        listed = json.loads(place.plumb("prompts", "list", "--json").stdout)
        own = {one["name"]: one["from"] for one in listed}
        assert own["artifact-generate"].endswith("mine/artifact-generate.md") and own["artifact-repair"] == "built in", own
        open(path, "w", encoding="utf-8").write(text.replace("{{plan}}", "{{plans}}"))
        line = text[:text.index("{{plan}}")].count("\n") + 1
        for arguments in (["prompts", "check"], ["prompts", "check", path], ["make", "quiz", "-s", source]):
            done = place.plumb(*arguments)
            assert done.returncode == 2, done
            assert f"artifact-generate.md:{line}:1: there is no variable 'plans'; did you mean 'plan'?" in done.stderr, done
        done = place.plumb("prompts", "export", "mine", "artifact-generate")
        assert done.returncode == 2 and "is there already; it is left as it is" in done.stderr, done
        assert place.plumb("prompts", "show", "artifact-plans").returncode == 2


@test
def every_built_in_prompt_is_well_made_and_can_be_shown():
    with Place() as place:
        done = place.plumb("prompts", "check")
        assert done.returncode == 0 and done.stdout.endswith("prompts are well made\n"), done
        for one in json.loads(place.plumb("prompts", "list", "--json").stdout):
            shown = place.plumb("prompts", "show", one["name"])
            assert shown.returncode == 0 and shown.stdout.startswith("---\n"), one
            assert one["valid"] and one["about"].endswith("."), one


@test
def a_type_of_ones_own_is_a_contract_and_a_prompt():
    contract = {"$id": "my:glossary", "type": "object", "required": ["entries"], "properties": {"entries": {
        "type": "array", "minItems": 1, "items": {"itemLabel": "Entry {n}", "type": "object", "required": ["word"],
                                                   "properties": {"word": {"type": "string", "notBlank": True}}}}}}
    prompt = ('---\n{"about": "Plans a glossary.", "planned": {"at": "/words/*", "one": "word", "many": "words"},\n'
              '"made": {"at": "/entries/*", "one": "entry", "many": "entries"},\n'
              '"answer": {"type": "object", "required": ["words"]}}\n---\nYou plan a glossary of {{source}}\n')
    with Place() as place, Models(quiz={"entries": [{"word": "chloroplast"}]}) as models:
        models.answers["plan"] = {"words": ["chloroplast"]}
        place.file("glossary.json", json.dumps(contract))
        place.file("mine/artifact-plan-glossary.md", prompt)
        place.file("plumb.yaml", "prompts: mine\nartifacts:\n  glossary: glossary.json\n")
        done = place.plumb("make", "glossary", "-s", place.file("s.md", SOURCE), env=models.environment())
        assert done.returncode == 0, done
        assert "✓ Plan created: 1 word" in lines_of(done) and "✓ Generated artifact: 1 entry" in lines_of(done), done
        assert json.loads(done.stdout) == {"entries": [{"word": "chloroplast"}]}
        listed = place.plumb("contracts", "list")
        assert listed.returncode == 0 and "glossary.json" in listed.stdout, listed
        for artifact, code in (('{"entries": [{"word": "leaf"}]}', 0), ('{"entries": []}', 1)):
            checked = place.plumb("check", "-c", "glossary", "-", stdin=artifact)
            assert checked.returncode == code, checked


@test
def fewer_than_asked_for_is_no_success_and_salvage_gives_out_what_stands():
    with Place() as place, Models() as models:
        source = place.file("s.md", SOURCE)
        two = ["make", "quiz", "-s", source, "-O", "num_questions=2", "--json"]
        done = place.plumb(*two, env=models.environment())
        job = json.loads(done.stdout)
        assert done.returncode == 1 and job["status"] == "failed", done
        assert (job["asked"], job["kept"]) == (2, 1) and "Must have exactly 2 questions (has 1)" in job["error"], job
        assert "→ Kept: 1 of 2" in done.stderr, done
        done = place.plumb(*two, "--salvage", env=models.environment())
        job = json.loads(done.stdout)
        assert done.returncode == 1 and job["status"] == "completed_partial", done
        assert (job["asked"], job["kept"]) == (2, 1) and job["result"] == GOOD_QUIZ, job
        listed = place.plumb("runs", "list")
        assert "partial (asked 2, kept 1)" in listed.stdout, listed
        rows = json.loads(place.plumb("runs", "list", "--json").stdout)["runs"]
        assert {"completed_partial"} == {row["decision"] for row in rows if row["state"] == "done"}, rows


@test
def a_job_that_fails_since_the_source_has_no_more_says_what_was_left_out_and_why():
    with Place() as place:
        source = place.file("s.md", "Photosynthesis is the process by which plants make sugar from light. Chlorophyll is the green "
                                    "pigment that absorbs light in leaves. A stoma is a pore in the leaf through which gas passes.\n")
        done = place.plumb("make", "quiz", "-s", source, "-O", "num_questions=5", "--json")
        job = json.loads(done.stdout)
        assert (done.returncode, job["status"]) == (1, "failed"), done
        assert job["fewer"].startswith("0 of 5 questions"), job
        first = job["left_out"][0]
        told = f"{first['name']}: {first['reason']}"
        assert told in job["error"] and job["fewer"] in job["error"], job
        assert f"→ Left out: {told}" in done.stderr, done.stderr
        shown = place.plumb("runs", "show", job["job_id"])
        assert f"→ Left out: {told}" in shown.stdout, shown
        rejected = json.loads(place.plumb("runs", "result", "--rejected", job["job_id"]).stdout)
        assert (rejected["asked"], rejected["fewer"], rejected["left_out"]) == (5, job["fewer"], job["left_out"]), rejected


@test
def the_numbers_that_are_taken_stand_in_the_prompts_the_help_and_the_documentation_alike():
    with open(os.path.join(ROOT, "docs", "artifacts.md"), encoding="utf-8") as file:
        documented = file.read()
    with Place() as place:
        said = " ".join(place.plumb("make", "--help").stdout.split())
        source = place.file("s.md", SOURCE)
        for kind in ("quiz", "flashcards", "mindmap"):
            with open(os.path.join(ROOT, "prompts", f"artifact-plan-{kind}.md"), encoding="utf-8") as file:
                front = json.loads(file.read().split("---\n")[1])
            for option, (least, most) in front["limits"].items():
                usual = front["options"][option]
                assert f"| {kind} | `{option}` | {least} | {most} | {usual} |" in documented, option
                assert f"{option} ({least} to {most}, usually {usual})" in said, said
                for number in (least - 1, most + 1):
                    done = place.plumb("make", kind, "-s", source, "-O", f"{option}={number}")
                    assert done.returncode == 2 and f"from {least} to {most}" in done.stderr, done


@test
def a_slow_steady_stream_is_let_finish_and_a_silence_is_not():
    with Place() as place, Models() as models:
        source = place.file("s.md", SOURCE)
        models.pieces, models.pause = 60, 0.3
        limits = ["--idle-limit", "2s", "--time-limit", "60s"]
        done = place.plumb("make", "quiz", "-s", source, *limits, env=models.environment())
        assert done.returncode == 0, done
        models.pause, models.stall = 0, 4
        done = place.plumb("make", "quiz", "-s", source, "--store", "none", "--idle-limit", "plan=500ms",
                           env=models.environment())
        assert done.returncode == 2 and "no further token came in 500 ms" in done.stderr, done
        for wrong, wanted in ((["--idle-limit", "soon"], "is not a time"), (["--time-limit", "plans=3s"], "did you mean 'plan'?")):
            done = place.plumb("make", "quiz", "-s", source, *wrong)
            assert done.returncode == 2 and wanted in done.stderr, done
        place.file("plumb.yaml", "limits:\n  generate: {idel: 3s}\n")
        done = place.plumb("make", "quiz", "-s", source)
        assert done.returncode == 2 and "plumb.yaml:2" in done.stderr and "'idel'" in done.stderr, done


@test
def on_a_terminal_a_bar_shows_progress_and_phase_and_leaves_nothing_behind():
    with Place() as place, Models() as models:
        models.shut("judge")
        parent, child = cli_test.open_terminal()
        env = place.environment(models.environment())
        env["TERM"] = "xterm"
        running = subprocess.Popen([PLUMB, "make", "quiz", "-s", place.file("s.md", SOURCE)], stdout=subprocess.DEVNULL,
                                   stderr=child, env=env)
        os.close(child)
        models.wait_for("judge")
        time.sleep(1)
        models.open("judge")
        shown = b""
        end = time.time() + 60
        while time.time() < end:
            if select.select([parent], [], [], 1)[0]:
                try:
                    piece = os.read(parent, 65536)
                except OSError:
                    break
                if not piece:
                    break
                shown += piece
        assert running.wait(timeout=60) == 0
        text = shown.decode()
        assert "80%  validating" in text, text
        assert text.endswith("\r\x1b[K"), text[-200:]


GERMAN = ("# Photosynthese\n\nPhotosynthese ist der Vorgang, durch den Pflanzen Licht in chemische Energie umwandeln. "
          "Chlorophyll ist ein grüner Farbstoff, der Licht aufnimmt – für 5 €.\n")


@test
def a_source_that_is_not_utf8_is_refused_with_its_encoding_and_converted_where_that_is_declared():
    with Place() as place:
        latin = GERMAN.replace("–", "-").replace("€", "EUR")
        for encoding, named in (("utf-16-le", "utf-16le"), ("utf-16-be", "utf-16be"), ("utf-32-le", "utf-32le"),
                                ("utf-32-be", "utf-32be"), ("latin-1", "iso-8859-1"), ("cp1252", "windows-1252")):
            text = latin if named == "iso-8859-1" else GERMAN
            for mark in ("\ufeff", "") if named.startswith("utf-16") else ("\ufeff",) if named.startswith("utf") else ("",):
                source = place.file("source.txt", (mark + text).encode(encoding))
                done = place.plumb("make", "flashcards", "--source", source)
                assert done.returncode == 2 and done.stdout == "", done
                assert f"source.txt: is not UTF-8 (byte 0x" in done.stderr, done
                assert f"it looks like {named}. Read it with --encoding {named}, or save it as UTF-8" in done.stderr, done
                done = place.plumb("make", "flashcards", "--source", source, "--encoding", named, "--json")
                assert done.returncode in (0, 1), done
                run = json.loads(done.stdout)["job_id"]
                journal = place.plumb("runs", "export", run).stdout
                assert "\ufffd" not in journal and "\\ufffd" not in journal, journal
                assert json.dumps(text, ensure_ascii=False)[3:40] in journal, journal
        done = place.plumb("make", "quiz", "--source", place.file("s.txt", GERMAN.encode("cp1252")), "--encoding", "ascii")
        assert done.returncode == 2 and "is not ascii (byte 0xFC at offset" in done.stderr, done
        done = place.plumb("make", "quiz", "--source", place.file("s.txt", b"a"), "--encoding", "klingon")
        assert done.returncode == 2 and "knows no encoding 'klingon'" in done.stderr, done
        done = place.plumb("make", "quiz", "--source", place.file("s.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9))
        assert done.returncode == 2 and "is not text (byte 0x00" in done.stderr, done
        # A mark of UTF-8 is none of the text.
        with_mark = place.file("s.txt", ("\ufeff" + open(CHAPTER, encoding="utf-8").read()).encode())
        done = place.plumb("make", "quiz", "--source", with_mark)
        assert done.returncode == 0 and done.stdout == place.plumb("make", "quiz", "--source", CHAPTER).stdout, done


@test
def a_source_may_be_html_or_pdf_and_a_page_says_its_own_encoding():
    page = ("<html><head><meta charset='windows-1252'><title>t</title><style>p{}</style></head><body><nav>Home</nav>"
            "<h1>Photosynthese</h1><p>Photosynthese ist der Vorgang, durch den Pflanzen Licht in chemische Energie "
            "umwandeln.</p><h2>Chlorophyll</h2><p>Chlorophyll ist ein gr\u00fcner Farbstoff &amp; nimmt Licht auf.</p>")
    with Place() as place:
        def source_of(name, data, *more):
            done = place.plumb("make", "mindmap", "--source", place.file(name, data), "--json", *more)
            return place.plumb("runs", "export", json.loads(done.stdout)["job_id"]).stdout  # whatever was made of it

        journal = source_of("page.html", page.encode("cp1252"))
        assert "# Photosynthese" in journal and "## Chlorophyll" in journal and "gr\u00fcner Farbstoff & nimmt" in journal, journal
        assert "<p>" not in journal and "Home" not in journal and "\ufffd" not in journal, journal
        assert "gr\u00fcner" in source_of("page", page.replace("windows-1252", "utf-8").encode())
        done = place.plumb("make", "quiz", "--source", place.file("page.html", page.replace("charset", "x").encode("cp1252")))
        assert done.returncode == 2 and "it looks like iso-8859-1" in done.stderr, done
        pdf = pdf_of("Photosynthesis is the process by which plants convert light energy into chemical energy.")
        done = place.plumb("make", "flashcards", "--source", place.file("chapter.pdf", pdf), env={"PATH": "/nowhere"})
        assert done.returncode == 2 and "chapter.pdf: is a PDF, and there is no pdftotext" in done.stderr, done


@test
def the_text_of_a_pdf_is_a_source_and_a_pdf_without_text_is_refused():
    if shutil.which("pdftotext") is None:
        raise cli_test.Skip("pdftotext is not installed (Debian: poppler-utils)")
    with Place() as place:
        pdf = pdf_of("Photosynthesis is the process by which plants convert light energy into chemical energy.")
        done = place.plumb("make", "mindmap", "--source", place.file("chapter.pdf", pdf), "--json")
        journal = place.plumb("runs", "export", json.loads(done.stdout)["job_id"]).stdout  # whatever was made of it
        assert "Photosynthesis is the process by which plants convert light" in journal and "page 1" not in journal
        done = place.plumb("make", "quiz", "--source", place.file("scan.pdf", pdf_of("")))
        assert done.returncode == 2 and "is a PDF without text" in done.stderr, done


def pdf_of(text):
    """One page with one line, as small as a PDF can be."""
    stream = f"BT /F1 9 Tf 20 500 Td ({text}) Tj ET".encode()
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 700 600]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
               b"<</Length %d>>stream\n" % len(stream) + stream + b"\nendstream",
               b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    out = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + one + b"\nendobj\n"
    at = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % at


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("make", TESTS, sys.argv[1:]))
