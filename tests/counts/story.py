#!/usr/bin/env python3
"""Counts what `plumb story check` says of stories: proven, trapped, undecided or broken, and whether that is right.

    PLUMB_BIN=build/bin/plumb tests/counts/story.py     compares with tests/counts/story.txt
    PLUMB_REWRITE=1 ...                                 writes that table anew

Each scenario names what a reader of the story would say: proven (every reading can end), trapped (some reading cannot
end), broken (a link or the file is wrong), undecided (only the story's own engine could say). A story that is proven or
trapped may be called undecided, which is counted apart; nothing else may differ.
"""
import json
import os
import subprocess
import sys
import tempfile
import stored_table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUMB = os.path.abspath(os.environ.get("PLUMB_BIN", os.path.join(ROOT, "build", "bin", "plumb")))
END = "\n\n:: End\nIt is over.\n"
LOOP = "\n\n:: Loop\nRound. [[Loop]]\n"
LOCK = ":: Start\n{}\n[[In->Hall]]\n\n:: Hall\n{}" + END

SCENARIOS = []


def story(truth, name, passages, format_name="SugarCube"):
    data = f':: StoryData\n{{"ifid":"5E8F0B1C-6C7D-4E0B-9A57-0B7B9A1B2C3D","format":"{format_name}","start":"Start"}}\n\n' if format_name else ""
    SCENARIOS.append((truth, name, data + passages))


def lock(truth, name, settings, condition, **how):
    story(truth, name, LOCK.format(settings, f"<<if {condition}>>[[Out->End]]<</if>>"), **how)


# What is read.
story("proven", "links alone", ":: Start\n[[Go->End]]" + END)
story("trapped", "a circle", ":: Start\n[[Loop]] [[End]]" + LOOP + END)
lock("proven", "true, asked for", "<<set $key to true>>", "$key")
lock("trapped", "false, asked for", "<<set $key to false>>", "$key")
lock("trapped", "never set", "A door.", "$key")
lock("proven", "true is true", "<<set $key to true>>", "$key is true")
lock("proven", "false is false", "<<set $key to false>>", "$key is false")
lock("trapped", "what was never set is not false", "A door.", "$key is false")
lock("trapped", "another text", '<<set $door to "shut">>', '$door is "open"')
lock("proven", "the same text", '<<set $door to "open">>', "$door is 'open'")
lock("proven", "a text is not another", '<<set $door to "shut">>', '$door isnot "open"')
lock("trapped", "too small a number", "<<set $gold to 3>>", "$gold gte 5")
lock("proven", "large enough a number", "<<set $gold to 7>>", "$gold gte 5")
lock("proven", "two at once", '<<set $a to true, $b to "x, y">>', '$a and $b is "x, y"')
story("trapped", "an inner condition is kept", ":: Start\n<<set $a to false, $b to true>><<if $a>><<if $b>>[[X->End]]<</if>><<else>>[[Loop]]<</if>>" + LOOP + END)
story("proven", "else of a text", LOCK.format('<<set $d to "up">>', '<<if $d is "down">>[[Loop]]<<elseif $d is "up">>[[End]]<<else>>[[Loop]]<</if>>') + LOOP)
story("proven", "endif closes if", LOCK.format("<<set $a to true>>", "<<if $a>>[[End]]<<endif>>"))
story("proven", "a link that goes by goto", ':: Start\n<<link "On">><<set $a to true>><<goto "Hall">><</link>>\n\n:: Hall\n<<if $a>>[[End]]<</if>>' + END)
story("trapped", "goto comes before links", ':: Start\n[[End]] <<goto "Loop">>' + LOOP + END)
story("trapped", "links in silence are not offered", ":: Start\n<<silently>>[[End]]<</silently>>[[Loop]]" + LOOP + END)
story("proven", "a picture that is a link", ":: Start\n[img[a.png][End]]" + END)
story("proven", "a circle back from the end", ":: Start\n[[End]]\n\n:: End [ending]\nYou died. [[Play again->Start]]\n")
# What is right about names and marks.
story("broken", "a link to nowhere", ":: Start\n[[Kitchn]] [[End]]" + END)
story("broken", "a link without a passage", ":: Start\n[[text|]] [[End]]" + END)
story("proven", "mail and web addresses", ":: Start\n[[mail|mailto:a@b.c]] [[web->https://example.com/]] [[End]]" + END)
story("proven", "a link in code marks", ":: Start\n{{{[[Nowhere]]}}} [[End]]" + END)
story("proven", "words inside of a macro", ":: Start\n[[End]]\n\n:: End\n<<timed 2s>>It is over.<</timed>>\n")
story("proven", "a link in Harlowe's code marks", ":: Start\n`[[Nowhere]]` [[End]]" + END, "Harlowe")
# What only the engine knows.
lock("undecided", "set by a function", "<<set $a to setup.luck()>>", "$a")
lock("trapped", "a counter", "<<set $n += 1>>", "$n gte 1")
lock("trapped", "a condition by visits", "A door.", "visited() gt 1")
lock("trapped", "set in a condition", "<<if $b>><<set $a to true>><</if>>", "$a")
lock("undecided", "typed in by the reader", '<<textbox "$name" "">>', '$name is "Ada"')
lock("undecided", "set by a macro of its own", "<<dice>>", "$luck")
lock("undecided", "set by script", "<<script>>State.variables.a = true<</script>>", "$a")
lock("undecided", "set by code in a header", "x", "$a")
SCENARIOS[-1] = (*SCENARIOS[-1][:2], ":: PassageHeader\n<<run State.variables.a = true>>\n\n" + SCENARIOS[-1][2])
story("undecided", "a link by a variable", ':: Start\n[[Fight]] [[End]]\n\n:: Fight\n<<link "Again" "Fight">><</link>>\n<<link "Exit" $back>><</link>>' + END)
story("proven", "a link by an expression", ":: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Back|previous()]] [[Fight]]" + END)
story("undecided", "a macro of its own beside a circle", ":: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] <<fightmenu>>" + END)
story("undecided", "a macro of its own instead of links", ":: Start\n<<mainmenu>>" + END)
story("undecided", "a printed link", ':: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] <<print "[[End]]">>' + END)
story("undecided", "a variable that holds a link", ":: Start\n<<set $out to \"[[End]]\">>[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] $out" + END)
story("proven", "a link in the footer", ":: PassageFooter\n[[Leave->Out]]\n\n:: Start\n[[First]]\n\n:: First\n[[Start]]\n\n:: Out\nThe end.\n")
story("proven", "a passage in another", ':: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] <<include "Menu">>\n\n:: Menu\n[[End]]' + END)
story("proven", "a link that comes later", ":: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] <<timed 5s>>[[End]]<</timed>>" + END)
story("undecided", "an element that is a link", ':: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] <a @data-passage="$x">x</a>' + END)
story("undecided", "links by script", ':: Js [script]\n$(document).on("click", ".x", () => Engine.play("End"));\n\n:: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]]' + END)
story("undecided", "all endings behind script", ":: Start\n<<go>>\n\n" + "\n\n".join(f":: E{i} [ending]\nx" for i in range(18)))
story("undecided", "Harlowe: a condition", ":: Start\n(set: $door to false)\n(if: $door)[ [[End]] ]" + END, "Harlowe")
story("undecided", "Harlowe: a display", ":: Start\n[[Fight]] [[End]]\n\n:: Fight\n[[Fight]] (display: \"Menu\")\n\n:: Menu\n[[End]]" + END, "Harlowe")
story("proven", "Harlowe: links alone", ":: Start\n[[Go->End]]" + END, "Harlowe")
story("undecided", "Harlowe without its name", ":: Start\n[[First]]\n\n:: First\n[[Start]] (live: 1s)[(goto: \"End\")]" + END, "")
story("undecided", "Snowman", ":: Start\n<%= story.render(\"Menu\") %> [[First]]\n\n:: First\n[[Start]]\n\n:: Menu\n[[End]]" + END, "Snowman")
story("undecided", "Chapbook", ":: Start\n{embed passage: 'Menu'}\n[[First]]\n\n:: First\n[[Start]]\n\n:: Menu\n[[End]]" + END, "Chapbook")
# What nobody needs to know: it shows words, plays sounds, or is of the page's look.
lock("proven", "sounds and looks", '<<set $key to true>><<audio "a" play>><<addclass "#x" "y">><<nobr>>\nA hall.\n<</nobr>>', "$key")
lock("proven", "a counter that nothing asks for", "<<set $key to true>><<set $n += 1>>You have $n.", "$key")
lock("proven", "words in a condition over a counter", "<<set $key to true>><<set $n += 1>><<if $n gt 3>>Many.<</if>>", "$key")


def outlines():
    """Stories of ours, made of outlines, as the Twee that is shipped."""
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "out")
        subprocess.run([PLUMB, "story", "make", os.path.join(ROOT, "docs", "examples", "lighthouse.yaml"), "-o", made], check=True, capture_output=True)
        for name in ("story.twee", "story.json", "story.html"):
            with open(os.path.join(made, name), encoding="utf-8") as file:
                SCENARIOS.append(("proven", "lighthouse as " + name, file.read()))


def verdict(text, folder):
    path = os.path.join(folder, "story.twee")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([PLUMB, "story", "check", path, "--format", "json"], capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    one = told["verdicts"][0]
    rules = {f["rule"] for f in one["findings"] if f["severity"] == "error"}
    said = "undecided" if done.returncode == 2 else "proven" if done.returncode == 0 else "trapped" if all(r.startswith("play_") for r in rules) else "broken"
    return done.returncode, said, rules


def rows():
    outlines()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for truth, name, text in SCENARIOS:
            status, said, _ = verdict(text, folder)
            right = "right" if said == truth else "careful" if said == "undecided" and truth in ("proven", "trapped") else "WRONG"
            counts[right] = counts.get(right, 0) + 1
            yield f"{name:44} {truth:10} {said:10} {status}  {right}"
    yield ""
    yield "  ".join(f"{word} {counts.get(word, 0)}" for word in ("right", "careful", "WRONG")) + f"  of {len(SCENARIOS)}"


def main():
    text = f"{'story':44} {'truth':10} {'said':10} exit\n" + "\n".join(rows()) + "\n"
    return stored_table.compare("story", text)


if __name__ == "__main__":
    sys.exit(main())
