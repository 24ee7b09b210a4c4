#!/usr/bin/env python3
"""Artifacts as files of other programs, read by other people's readers.

    PLUMB_BIN=build/bin/plumb tests/native/exports_test.py [WORD...]     only tests whose sentence has all words

Python's csv and xml.etree read what is written; GIFT is read as Moodle's documentation and importer describe it.
"""
import csv
import html
import html.parser
import io
import json
import os
import re
import sys
import urllib.request
import xml.etree.ElementTree as xml

import cli_test
import driven
from driven import ROOT
from scripted_models import SOURCE, Models

CHAPTER = os.path.join(ROOT, "docs", "examples", "chapter.md")
TESTS = []

# Every text that a format gives a meaning, alone and among others.
TEXTS = [
    "plain",
    *[f"a{c}b" for c in "{}~=#:\\<>&\"'%[]/$,;|`*_\t\n"],
    *[c + "b" for c in "{}~=#:\\<>&\"'%[]/$,;|`*_"],
    "{~wrong =right}", "a -> b", "####general", "::title::", "// comment", "$CATEGORY: x", "%50%half", "%-100%no",
    "[plain]text", "[html]<b>x</b>", "\\n is not a line", "\\\\", "\\=", "\\:\\#", "&&058; &&092; &amp; &lt;b&gt;", "<br>", "<script>alert(1)</script>", "]]>",
    "TRUE", "T", "=1+1", "#separator:comma", "#a comment", "two\nlines", "two\n\nblocks", "a\r\nb", "\"quoted\", \"\"twice\"\"", "a\tb\tc",
    "\\(\\frac{1}{2} \\times x^{2}\\)", "$\\theta = \\{1:2\\}$", "😀 🧑‍🌾 🇩🇪", "عملية البناء", "日本語", "é é", "x²", "\u00a0", "a" * 5000,
]


def test(function):
    TESTS.append(function)
    return function


class Place(driven.Place):
    def __init__(self):
        super().__init__("exports")

    def exported(self, artifact, format):
        name = self.file("artifact.json", json.dumps(artifact))
        done = self.run("export", name, "--as", format, "-o", self.path("out"))
        assert done.returncode == 0 and done.stderr == "" and done.stdout == "", done
        with open(self.path("out"), "rb") as file:
            return file.read()


def quiz_of(text):
    options = [text + "!", "b", text + "?", "d"]
    return {"question": text + " Q", "options": options, "correct_answer": options[2], "explanation": text + " E"}


def as_html(text):
    """What a text is in the formats that say html, with what a reader trims."""
    return html.escape(text.replace("\r\n", "\n"), quote=True).replace("&#x27;", "'").replace("\n", "<br>")


def seen(markup):
    return html.unescape(markup.replace("<br>", "\n"))


# ---------------------------------------------------------------- GIFT


BLANKS = " \t\n\r\0\x0b"  # that PHP's trim takes


class Gift:
    """A reader of GIFT as Moodle documents it: docs.moodle.org/en/GIFT_format and its importer."""

    escapes = {":": "&&058;", "#": "&&035;", "=": "&&061;", "{": "&&123;", "}": "&&125;", "~": "&&126;", "n": "&&010"}

    def __init__(self, text):
        self.questions = []
        for block in re.split(r"\n\s*\n", text):
            lines = ["" if line.strip(BLANKS).startswith("//") else line for line in block.split("\n")]
            block = "\n".join(lines).strip(BLANKS)
            if block:
                self.questions.append(self.question(block))

    def hidden(self, text):
        text = text.replace("\\\\", "&&092;")
        for character, mark in self.escapes.items():
            text = text.replace("\\" + character, mark)
        return text.replace("&&092;", "\\")

    def shown(self, text):
        for character, mark in self.escapes.items():
            text = text.replace(mark, "\n" if character == "n" else character)
        return text

    def formatted(self, text):
        name = "moodle"
        match = re.match(r"\[(html|moodle|plain|markdown)\]", text)
        if match:
            name, text = match.group(1), text[match.end():]
        return name, self.shown(text).strip(BLANKS)

    def question(self, block):
        text = self.hidden(block)
        assert not text.startswith("$CATEGORY:") and not text.startswith("::"), block
        assert text.count("{") == 1 and text.count("}") == 1 and text.endswith("}"), block
        before, answers = text[:-1].split("{")
        answers, _, general = answers.rpartition("####")
        answers = answers.strip(BLANKS)
        assert not answers.startswith("#") and "~" in answers, "multiple choice only"
        out = {"question": self.formatted(before), "general": self.formatted(general), "options": [], "right": []}
        for answer in answers.replace("=", "~=").split("~"):
            answer = answer.strip(BLANKS)
            if not answer:
                continue
            right = answer.startswith("=")
            answer = answer[1:] if right else answer
            assert not re.match(r"^%-*([0-9]{1,2})\.?([0-9]*)%", answer), "no weights"
            assert "#" not in answer, "no feedback of an answer"
            out["options"].append(self.formatted(answer.strip(BLANKS)))
            out["right"].append(right)
        return out


@test
def a_quiz_as_gift_is_read_back_by_a_reader_of_moodles_rules_whatever_its_texts_are():
    questions = [quiz_of(text) for text in TEXTS]
    with Place() as place:
        text = place.exported({"questions": questions}, "gift").decode()
        read = Gift(text).questions
        assert len(read) == len(questions)
        for one, was in zip(read, questions):
            assert one["question"] == ("html", as_html(was["question"]).strip(BLANKS)), (one, was)
            assert one["general"] == ("html", as_html(was["explanation"]).strip(BLANKS)), (one, was)
            assert one["options"] == [("html", as_html(option).strip(BLANKS)) for option in was["options"]], (one, was)
            assert one["right"] == [False, False, True, False], one
            assert seen(one["options"][2][1]) == was["correct_answer"].replace("\r\n", "\n").strip(BLANKS), (one, was)


@test
def a_quiz_as_moodle_xml_is_read_back_by_python_whatever_its_texts_are():
    questions = [quiz_of(text) for text in TEXTS]
    with Place() as place:
        root = xml.fromstring(place.exported({"questions": questions}, "moodle-xml"))
        assert root.tag == "quiz" and len(root) == len(questions)
        for one, was in zip(root, questions):
            assert one.get("type") == "multichoice" and one.findtext("single") == "true"
            for member, text in (("questiontext", was["question"]), ("generalfeedback", was["explanation"])):
                assert one.find(member).get("format") == "html"
                assert seen(one.findtext(member + "/text")) == text.replace("\r\n", "\n"), was
            name = one.findtext("name/text")
            assert 0 < len(name) <= 80 and "\n" not in name, name
            answers = one.findall("answer")
            assert [seen(answer.findtext("text")) for answer in answers] == [
                option.replace("\r\n", "\n") for option in was["options"]]
            assert [answer.get("fraction") for answer in answers] == ["0", "0", "100", "0"]


@test
def flashcards_are_read_back_by_pythons_csv_in_both_formats():
    cards = [{"front": text + " front", "back": text[:290] + " b"} for text in TEXTS]
    with Place() as place:
        rows = list(csv.reader(io.StringIO(place.exported({"flashcards": cards}, "csv").decode("utf-8-sig"), newline="")))
        assert rows[0] == ["front", "back"] and rows[1:] == [[card["front"], card["back"]] for card in cards]
        text = place.exported({"flashcards": cards}, "anki").decode()
        head = "#separator:tab\n#html:false\n"
        assert text.startswith(head)
        rows = list(csv.reader(io.StringIO(text[len(head):], newline=""), delimiter="\t"))
        assert rows == [[card["front"], card["back"]] for card in cards]
        # Anki leaves out lines that begin with #: none does.
        assert not [line for line in text[len(head):].split("\n") if line.startswith("#")] or '"' in text


@test
def a_mind_map_is_read_back_by_python_as_opml_and_as_freemind():
    def node(label, children):
        return {"label": label, "children": children}

    leaves = [node(f"{n} {text}", []) for n, text in enumerate(TEXTS)]
    artifact = {"root": node("root <&>", [node("all", leaves), node("deep", [node("deeper", [node("deepest", [])])])])}

    def labels(element, name):
        return node(element.get(name), [labels(child, name) for child in element])

    with Place() as place:
        opml = xml.fromstring(place.exported(artifact, "opml"))
        assert opml.tag == "opml" and opml.get("version") == "2.0" and opml.findtext("head/title") == "root <&>"
        assert labels(opml.find("body/outline"), "text") == artifact["root"]
        text = place.exported(artifact, "freemind")
        assert text.isascii()
        mind = xml.fromstring(text)
        assert mind.tag == "map" and mind.get("version") == "1.0.1"
        assert labels(mind.find("node"), "TEXT") == artifact["root"]


@test
def only_an_accepted_artifact_is_exported_from_a_file_and_the_findings_say_why():
    with Place() as place:
        bad = place.file("bad.json", json.dumps({"questions": [{**quiz_of("x"), "correct_answer": "none"}]}))
        done = place.run("export", bad, "--as", "gift")
        assert done.returncode == 1 and done.stdout == "", done
        assert "must be one of the options" in done.stderr and "only an accepted artifact" in done.stderr, done
        done = place.run("export", place.file("cut.json", '{"questions": ['), "--as", "gift")
        assert done.returncode in (1, 2) and done.stdout == "", done
        done = place.run("export", "-", "--as", "gift", stdin=json.dumps({"questions": [quiz_of("x")]}))
        assert done.returncode == 0 and done.stdout.startswith("[html]x Q{\n"), done
        done = place.run("export", bad, "--as", "gifft")
        assert done.returncode == 2 and "gift" in done.stderr, done
        done = place.run("export", bad)
        assert done.returncode == 2 and "name the format: gift, moodle-xml, anki" in done.stderr, done
        done = place.run("export", bad, "--as", "review")
        assert done.returncode == 2 and "plumb runs result RUN --as review" in done.stderr, done
        cards = place.file("cards.json", json.dumps({"flashcards": [{"front": "ab", "back": "a\u0001"}]}))
        done = place.run("export", cards, "--as", "csv")
        assert done.returncode == 2 and "cards.json: /flashcards/0/back: contains U+0001" in done.stderr, done


class Cells(html.parser.HTMLParser):
    """The rows of a page's table, as a browser reads them."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.inside = [], False
        self.feed(page)

    def handle_starttag(self, tag, _):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside = True
        if tag == "br":
            self.rows[-1][-1] += "\n"
        assert tag in ("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ul", "li", "table", "tr", "td", "th", "br"), tag

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


@test
def a_run_is_exported_by_make_by_runs_result_and_over_http_with_the_same_bytes():
    with Place() as place:
        done = place.run("make", "quiz", "--source", CHAPTER, "--json", "--export", "gift=" + place.path("quiz.gift"),
                         "--export", "review=" + place.path("review.html"))
        assert done.returncode == 0, done
        job = json.loads(done.stdout)
        gift = open(place.path("quiz.gift"), encoding="utf-8").read()
        read = Gift(gift).questions
        assert [seen(one["question"][1]) for one in read] == [one["question"] for one in job["result"]["questions"]]
        sheet = open(place.path("review.html"), encoding="utf-8").read()
        rows = Cells(sheet).rows[1:]
        assert len(rows) == len(job["evidence"]) >= 5
        for row, proof in zip(rows, job["evidence"]):
            assert row[0] == proof["at"] and row[2] == proof["rule"], (row, proof)
            assert row[3] == f"Passage {proof['chunk']}: “{proof['quote']}”", (row, proof)
            question = job["result"]["questions"][int(proof["at"].split("/")[2])]
            assert question["question"] in row[1] and question["correct_answer"] in row[1], row
        run = job["job_id"]
        assert place.run("runs", "result", run, "--as", "gift").stdout == gift
        assert place.run("runs", "result", run, "--as", "review").stdout == sheet
        done = place.run("runs", "result", run, "--as", "csv")
        assert done.returncode == 2 and done.stdout == "" and "/flashcards: this format is for flashcards" in done.stderr, done
        with driven.Server(place) as server:
            with urllib.request.urlopen(f"{server.base}/v1/runs/{run}/result?as=gift") as answer:
                assert answer.headers["Content-Type"].startswith("text/plain"), answer.headers
                assert answer.headers["Content-Disposition"] == f'attachment; filename="{run}.gift.txt"'
                assert answer.read().decode() == gift
            assert server.text(f"/v1/runs/{run}/result?as=review") == sheet
            status, problem = server.ask("GET", f"/v1/runs/{run}/result?as=gifft")
            assert status == 400 and "did you mean 'gift'" in problem["detail"], problem
            status, problem = server.ask("GET", f"/v1/runs/{run}/result?as=anki")
            assert status == 400 and "/flashcards" in problem["detail"], problem


@test
def an_export_that_cannot_be_written_is_refused_before_a_model_is_asked():
    with Place() as place:
        for said, why in (("gift", "FORMAT=FILE"), ("gifft=x", "did you mean 'gift'"), ("gift=/nowhere/x", "/nowhere"),
                          ("csv=x", "csv is a format for the type flashcards, and this makes quiz")):
            done = place.run("make", "quiz", "--source", CHAPTER, "--export", said)
            assert done.returncode == 2 and why in done.stderr and "Phase 1" not in done.stderr, done


@test
def an_unverified_artifact_is_exported_with_its_mark_on_standard_error_and_a_failed_run_has_none():
    with Place() as place, Models() as models:
        models.refuses["judge"] = 404
        arguments = ["make", "quiz", "--source", place.file("s.md", SOURCE)]
        done = place.run(*arguments, "--on-unverified", "pass", "--json", "--export", "gift=" + place.path("out.gift"),
                         env=models.environment())
        job = json.loads(done.stdout)
        assert job["decision"] == "accept_unverified", done
        assert "exported with this mark: not verified by a judge" in done.stderr, done
        assert Gift(open(place.path("out.gift"), encoding="utf-8").read()).questions
        done = place.run("runs", "result", job["job_id"], "--as", "gift")
        assert done.returncode == 2 and "not verified by a judge" in done.stderr and Gift(done.stdout).questions, done
        os.remove(place.path("out.gift"))
        done = place.run(*arguments, "--export", "gift=" + place.path("out.gift"), env=models.environment())
        assert done.returncode == 2 and not os.path.exists(place.path("out.gift")), done


if __name__ == "__main__":
    sys.exit(cli_test.run_tests("exports", TESTS, sys.argv[1:]))
