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
    CommandSpec c = command("runs list", "List the runs of the store, newest first",
                            "Prints one line per run: id, pipeline, state, start time, number of journal entries, and "
                            "the reason if it failed or is blocked. A server may be using the store at the same time.");
    c.options = {
        valued("--pipeline", "NAME", "", "List only runs of this pipeline."),
        valued("--owner", "NAME", "", "List only runs of this owner."),
        valued("--project", "NAME", "", "List only runs of this project, started with one of its keys (plumb keys)."),
        {"--state",
         0,
         "STATE",
         {"waiting", "done", "failed", "cancelled"},
         "",
         "List only runs in this state. Unfinished runs are `waiting`.",
         Completes::choice,
         false},
        valued("--limit", "N", "20", "Runs per page, up to 1000."),
        valued("--before", "NUMBER", "", "Show the page after this cursor, which the previous page printed."),
    };
    finish(c, true);
    c.examples = {"plumb runs list --state failed", "plumb runs list --json --limit 1000"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs show", "Show what a run has done: its log, calls, tokens, findings and entries",
        "RUN is the id of a run in the store, or a journal file (a name with a `/` or a dot, or - for standard input). "
        "Times come from the journal's time stamps. A call's time runs from its first attempt to its reply.");
    c.arguments = {{"RUN", "A run's id, or a journal file.", Completes::file, false, true}};
    c.options = {
        flag("--entries", "Print every journal entry as a line."),
        valued("--share", "PERCENT", "30",
               "Mark producers with more items rejected at a boundary than this, in this run and in the last 20.")};
    finish(c, true);
    c.examples = {"plumb runs show rk2w7zq4c5d6e7f2a3b4c", "plumb runs show --entries run.ndjson"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c =
        command("runs replay", "Replay a journal through its pipeline, and compare every byte",
                "Makes no calls: the replies come from the journal, and everything else is computed again. Reports "
                "that every byte is the same, or the place of the first difference. If only requests differ (a prompt "
                "was changed), the stored replies are used and the result is compared, unless --strict is "
                "given.\n\nExit code 0: the same; 1: different; 2: the journal cannot be replayed.");
    c.arguments = {{"RUN", "Run ids, or journal files.", Completes::file, true, true}};
    c.options = {flag("--strict", "Report changed requests as differences too.")};
    finish(c, true);
    c.examples = {"plumb runs replay rk2w7zq4c5d6e7f2a3b4c", "plumb runs replay --strict recorded/*.ndjson"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs resume", "Resume runs that have not ended",
        "Resumes the named runs, or every unfinished run, until they have ended. Calls with a stored reply are not "
        "repeated. For one run, its result goes to standard output and progress to standard error. For several, "
        "progress goes to standard output ('plumb runs result' prints the results). Ctrl-C stops after the calls in "
        "progress, or after ten seconds; a second Ctrl-C stops at once. The runs stay in the store. A server resumes "
        "runs when it starts.\n\nA run uses the provider, model, address, corpus and search it was started with. If "
        "the current set-up differs, the run is not resumed, and the difference is reported. Options given here "
        "(--provider, --provider-PHASE, --corpus, --searxng, --root) override this, and the journal notes it. "
        "`extract` never continues a run that a model started.\n\nExit code 0: all have ended well; 1: one has failed; "
        "2: one has not ended, or wrong usage.");
    c.arguments = {{"RUN", "Run ids. Default: all unfinished runs.", Completes::nothing, true, false}};
    c.options = provider_options();
    for (OptionSpec& one : search_options()) {
      c.options.push_back(one);
    }
    c.options.push_back(root_option());
    for (OptionSpec& one : work_options()) {
      c.options.push_back(std::move(one));
    }
    c.options.push_back(flag("--adopt",
                             "Let the named runs, which were imported, run commands and change repositories here. "
                             "Inspect them first ('plumb runs show --entries RUN')."));
    c.options.push_back(record_option());
    c.options.push_back(
        {"--output", 'o', "FILE", {}, "standard output", "Write the result to this file.", Completes::file, false});
    finish(c, false);
    c.examples = {"plumb runs resume", "plumb runs resume rk2w7zq4c5d6e7f2a3b4c --provider ollama/qwen3:8b",
                  "plumb runs resume rk2w7zq4c5d6e7f2a3b4c --corpus docs -o report.md"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c =
        command("runs fork", "Start a new run from the finished part of another run",
                "Starts a new run with another prompt, another input or another attempt. The old run is unchanged. "
                "Finished parts are copied whole, with their notes and calls. Outside them a reply is reused if its "
                "request is identical to the byte. Reused calls are not repeated. The new run uses the old run's "
                "provider.\n\nRUN may have ended or not. Prints the new run's id; 'plumb runs resume' continues it. "
                "Parts that the new input no longer reaches are dropped and listed. A fork that would end at once is "
                "refused, with the reason. On a server: POST /v1/runs/ID/fork.");
    c.arguments = {{"RUN", "A run's id.", Completes::nothing, false, true}};
    c.options = {valued("--at", "ENTRY", "", "Copy only what precedes this journal entry. Default: all."),
                 {"--redo",
                  0,
                  "PART",
                  {},
                  "",
                  "Redo this part and everything after it. Parallel parts are kept.",
                  Completes::nothing,
                  true},
                 {"--pin",
                  0,
                  "NAME=FILE",
                  {},
                  "",
                  "Replace a pin: 'prompt-plan=plan.md'. The journal's first entry lists the run's pins.",
                  Completes::file,
                  true},
                 {"--input",
                  0,
                  "FILE",
                  {},
                  "",
                  "Use this input, in the form that the journal's first entry shows.",
                  Completes::file,
                  false}};
    finish(c, true);
    c.examples = {"plumb runs fork rk2w7zq4c5d6e7f2a3b4c --at 12",
                  "plumb runs fork rk2w7zq4c5d6e7f2a3b4c --redo stage.1 --pin prompt-generate=generate.md"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command("runs result", "Print a run's result: the artifact, the items or the report",
                            "Prints what the command of an ended run would have written. The run is in the store or in "
                            "a journal file.\n\nExit code 0: there is a result; 1: the run has failed; 2: it has not "
                            "ended, was cancelled or is not there, or its artifact was not verified.");
    c.arguments = {{"RUN", "A run's id, or a journal file.", Completes::file, false, true}};
    c.options = {
        {"--output", 'o', "FILE", {}, "standard output", "Write to this file.", Completes::file, false},
        export_format_option(),
        flag("--envelope",
             "For a boundary: print an object instead of the list: items, warnings, held_back and the decision."),
        flag("--rejected",
             "For a failed run: print the best rejected artifact, in an object that says so and lists its problems.")};
    finish(c, false);
    c.examples = {"plumb runs result rk2w7zq4c5d6e7f2a3b4c -o quiz.json",
                  "plumb runs result rk2w7zq4c5d6e7f2a3b4c --as gift -o quiz.gift.txt",
                  "plumb runs result --rejected rk2w7zq4c5d6e7f2a3b4c"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command("runs cancel", "Cancel runs that have not ended",
                            "Each run delivers its latest result and ends as cancelled. No calls are made. To cancel a "
                            "run that a server is working on, use DELETE /ai/artifact/ID there.");
    c.arguments = {{"RUN", "Ids of runs.", Completes::nothing, true, true}};
    c.options = {valued("--why", "TEXT", "cancelled from the command line", "The reason, stored in the journal.")};
    finish(c, false);
    c.examples = {"plumb runs cancel rk2w7zq4c5d6e7f2a3b4c --why 'wrong chapter'"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c =
        command("runs delete", "Delete runs that have ended, with their journals",
                "Their data is overwritten in the store; texts that other runs use are kept. Cancel an unfinished run "
                "first. A server deletes runs older than --keep-runs; on a running one, use DELETE /v1/runs/ID.");
    c.arguments = {{"RUN", "Ids of runs.", Completes::nothing, true, false}};
    c.options = {valued("--ended-before", "WHILE", "",
                        "Instead of ids: delete all runs that ended longer ago than this: 90d, 12h.")};
    finish(c, false);
    c.examples = {"plumb runs delete rk2w7zq4c5d6e7f2a3b4c", "plumb runs delete --ended-before 90d"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c = command(
        "runs export", "Export a run's journal and texts as one file",
        "Prints one JSON object per line (docs/journal.md), which the page, the npm package and `plumb runs import` "
        "read. The file contains everything that the run was given and received, including prompts and source.");
    c.arguments = {{"RUN", "A run's id.", Completes::nothing, false, true}};
    c.options = {{"--output", 'o', "FILE", {}, "standard output", "Write to this file.", Completes::file, false}};
    finish(c, false);
    c.examples = {"plumb runs export rk2w7zq4c5d6e7f2a3b4c -o run.ndjson"};
    out.push_back(std::move(c));
  }
  {
    CommandSpec c =
        command("runs import", "Import exported journals into the store",
                "Each becomes a run in the store under its own id; an id that exists is refused. An unfinished run can "
                "be continued here (`plumb runs resume`), and must then not be continued where it came from.");
    c.arguments = {{"FILE", "Journal files, or - for standard input.", Completes::file, true, true}};
    finish(c, false);
    c.examples = {"plumb runs import run.ndjson"};
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace plumb::cli
