// What the commands of `plumb runs` take.
#include "native/cli/command_specs.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/work_setup.hpp"

namespace plumb::cli {

namespace {

OptionSpec flag(std::string_view name, std::string_view help) {
  return {name, 0, "", {}, "", help, Completes::nothing, false};
}

OptionSpec valued(std::string_view name, std::string_view value, std::string_view otherwise, std::string_view help) {
  return {name, 0, value, {}, otherwise, help, Completes::nothing, false};
}

CommandSpec command(std::string_view path, std::string_view summary, std::string_view description) {
  CommandSpec c;
  c.path = path;
  c.summary = summary;
  c.description = description;
  return c;
}

void finish(CommandSpec& c, bool json) {
  c.options.push_back(store_option());
  if (json) {
    c.options.push_back(flag("--json", "As JSON."));
  }
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
}

}  // namespace

std::vector<CommandSpec> runs_commands() {
  std::vector<CommandSpec> out;
  {
    CommandSpec c =
        command("runs list", "List the runs of the store, newest first",
                "One line a run: its id, pipeline, state, when it was begun, how many entries its journal "
                "has, and why it failed, or waits and does not go on. A server may be at work on the store meanwhile.");
    c.options = {
        valued("--pipeline", "NAME", "", "Only runs of this pipeline."),
        valued("--owner", "NAME", "", "Only runs of this owner."),
        valued("--project", "NAME", "", "Only runs of this project, begun with a key of it (plumb keys)."),
        {"--state",
         0,
         "STATE",
         {"waiting", "done", "failed", "cancelled"},
         "",
         "Only runs in this state; waiting are those that go on.",
         Completes::choice,
         false},
        valued("--limit", "N", "20", "Runs of one page, up to 1000."),
        valued("--before", "NUMBER", "", "The next page: what the page before has told."),
    };
    finish(c, true);
    c.examples = {"plumb runs list --state failed", "plumb runs list --json --limit 1000"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs show", "Show what a run has done: its log, calls, tokens, findings and entries",
        "RUN is the id of a run in the store, or a journal file (a name with a `/` or a dot, or - for standard "
        "input). Times are from the stamps of the journal: what a call took is from its first attempt to its reply.");
    c.arguments = {{"RUN", "A run's id, or a journal file.", Completes::file, false, true}};
    c.options = {flag("--entries", "Every entry of the journal as a line."),
                 valued("--share", "PERCENT", "30",
                        "Mark a producer that had more of its items sent back at a boundary, in this run and in the "
                        "last 20.")};
    finish(c, true);
    c.examples = {"plumb runs show rk2w7zq4c5d6e7f2a3b4c", "plumb runs show --entries run.ndjson"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs replay", "Run a stored journal through its pipeline again, and compare every byte",
        "Nothing is asked of anybody: the replies come from the journal, all else must come of itself. Says that "
        "every byte is the same, or where the first other one is. Where only requests are other than stored (a prompt "
        "was changed), the stored replies are used; the result then decides, unless --strict asks for every byte.\n\n"
        "Exit code 0: the same; 1: not; 2: the journal cannot be played.");
    c.arguments = {{"RUN", "Ids of runs, or journal files.", Completes::file, true, true}};
    c.options = {flag("--strict", "Another request than the stored one is a difference too.")};
    finish(c, true);
    c.examples = {"plumb runs replay rk2w7zq4c5d6e7f2a3b4c", "plumb runs replay --strict recorded/*.ndjson"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs resume", "Go on with runs that have not ended",
        "Takes up the named runs, or every run that waits, and goes on until they have ended. Calls whose reply is "
        "stored are not made again. Of one run what it was begun for goes to standard output, what happens to standard "
        "error; of several, each line to standard output ('plumb runs result' has the rest). Ctrl-C ends it after the "
        "calls under way, or after ten seconds; a second one at once; the runs stay in the store. A server does this "
        "by "
        "itself when it starts.\n\n"
        "A run asks whom it was begun with: the same provider and model at the same address, the same corpus and "
        "search. Where that is not what is set up here it waits, and says what differs. What is chosen here in words "
        "(--provider, --provider-PHASE, --corpus, --searxng, --root) lets it go on with that, and its journal notes "
        "it. `extract` never goes on with what a model began.\n\n"
        "Exit code 0: all have ended well; 1: one has failed; 2: one waits still, wrong usage.");
    c.arguments = {{"RUN", "Ids of runs; without one: all that wait.", Completes::nothing, true, false}};
    c.options = provider_options();
    for (OptionSpec& one : search_options()) {
      c.options.push_back(one);
    }
    c.options.push_back(root_option());
    for (OptionSpec& one : work_options()) {
      c.options.push_back(std::move(one));
    }
    c.options.push_back(
        flag("--adopt",
             "The named runs were imported: let them run commands and change repositories here. Look at "
             "them first ('plumb runs show --entries RUN')."));
    c.options.push_back(record_option());
    c.options.push_back(
        {"--output", 'o', "FILE", {}, "standard output", "Write the result there.", Completes::file, false});
    finish(c, false);
    c.examples = {"plumb runs resume", "plumb runs resume rk2w7zq4c5d6e7f2a3b4c --provider ollama/qwen3:8b",
                  "plumb runs resume rk2w7zq4c5d6e7f2a3b4c --corpus docs -o report.md"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs fork", "Begin a run with what another one had settled",
        "A new run, for another prompt, another input or another try; the old one stays as it is. Parts that had "
        "finished are taken over whole, with their notes and calls; outside of them a reply is, where its request is "
        "the same to the byte. Nothing of that is asked for again. It asks whom the old run asked.\n\n"
        "RUN may have ended or wait. Writes the new run's id; 'plumb runs resume' goes on with it. What the new input "
        "does not enter any more is left behind and named. A fork that would end at once is refused, with the reason. "
        "On a server: POST /v1/runs/ID/fork.");
    c.arguments = {{"RUN", "A run's id.", Completes::nothing, false, true}};
    c.options = {valued("--at", "ENTRY", "", "Take over what comes before this entry of the journal; else all."),
                 {"--redo",
                  0,
                  "PART",
                  {},
                  "",
                  "Make this part anew, with what comes behind it; parts beside it stay.",
                  Completes::nothing,
                  true},
                 {"--pin",
                  0,
                  "NAME=FILE",
                  {},
                  "",
                  "Pin this instead: 'prompt-plan=plan.md'. The first entry of a journal names the pins of its run.",
                  Completes::file,
                  true},
                 {"--input",
                  0,
                  "FILE",
                  {},
                  "",
                  "This as its input, in the form of the one in the journal's first entry.",
                  Completes::file,
                  false}};
    finish(c, true);
    c.examples = {"plumb runs fork rk2w7zq4c5d6e7f2a3b4c --at 12",
                  "plumb runs fork rk2w7zq4c5d6e7f2a3b4c --redo stage.1 --pin prompt-generate=generate.md"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs result", "Write what a run was begun for: the artifact, the items, the report",
        "Of a run that has ended, in the store or in a journal file, what its command would have written.\n\n"
        "Exit code 0: it is there; 1: the run has failed; 2: it has not ended, was cancelled, or is not there, or "
        "nobody verified the artifact.");
    c.arguments = {{"RUN", "A run's id, or a journal file.", Completes::file, false, true}};
    c.options = {
        {"--output", 'o', "FILE", {}, "standard output", "Write it there.", Completes::file, false},
        flag("--envelope",
             "Of a boundary: an object instead of the list: items, warnings, held_back and the decision."),
        flag("--rejected",
             "Of a run that failed: the best artifact that was made and rejected, in an object that says so and "
             "lists what is wrong with it.")};
    finish(c, false);
    c.examples = {"plumb runs result rk2w7zq4c5d6e7f2a3b4c -o quiz.json",
                  "plumb runs result --rejected rk2w7zq4c5d6e7f2a3b4c"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command("runs cancel", "Cancel runs that have not ended",
                            "Each run gives its last result and ends as cancelled. No call is made. A run that a "
                            "server works on is cancelled there: DELETE /ai/artifact/ID.");
    c.arguments = {{"RUN", "Ids of runs.", Completes::nothing, true, true}};
    c.options = {valued("--why", "TEXT", "cancelled from the command line", "The reason, kept in the journal.")};
    finish(c, false);
    c.examples = {"plumb runs cancel rk2w7zq4c5d6e7f2a3b4c --why 'wrong chapter'"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs delete", "Delete runs that have ended, with their journals",
        "What they held is overwritten in the store; texts that other runs use stay. A run that waits is cancelled "
        "first. A server deletes by itself what is older than --keep-runs; of a running one: DELETE /v1/runs/ID.");
    c.arguments = {{"RUN", "Ids of runs.", Completes::nothing, true, false}};
    c.options = {valued("--ended-before", "WHILE", "", "Instead of ids: all that ended so long ago: 90d, 12h.")};
    finish(c, false);
    c.examples = {"plumb runs delete rk2w7zq4c5d6e7f2a3b4c", "plumb runs delete --ended-before 90d"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs export", "Write a run's journal and its texts as one file",
        "One JSON object a line (docs/journal.md): what the page, the npm package and `plumb runs import` read. It "
        "holds all that the run was given and got, prompts and source included.");
    c.arguments = {{"RUN", "The id of a run.", Completes::nothing, false, true}};
    c.options = {{"--output", 'o', "FILE", {}, "standard output", "Write it there.", Completes::file, false}};
    finish(c, false);
    c.examples = {"plumb runs export rk2w7zq4c5d6e7f2a3b4c -o run.ndjson"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command("runs import", "Put exported journals into the store",
                            "Each becomes a run of the store under its own id; one that is there already is refused. "
                            "A run that has not ended can be gone on with here (`plumb runs resume`), and must not be "
                            "gone on with where it came from.");
    c.arguments = {{"FILE", "Journal files, or - for standard input.", Completes::file, true, true}};
    finish(c, false);
    c.examples = {"plumb runs import run.ndjson"};
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace plumb::cli
