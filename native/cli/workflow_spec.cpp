// What the commands of `plumb workflow` take.
#include "native/cli/command_specs.hpp"
#include "native/cli/run_command.hpp"
#include "native/cli/work_setup.hpp"

namespace plumb::cli {

namespace {

OptionSpec choice(std::string_view name, std::string_view value, std::vector<std::string_view> choices,
                  std::string_view otherwise, std::string_view help) {
  return {name, 0, value, std::move(choices), otherwise, help, Completes::choice, false};
}

OptionSpec repo_option() {
  OptionSpec out = plain_option("--repo", "DIR", "The git repository (otherwise the working directory).");
  out.completes = Completes::directory;
  return out;
}
OptionSpec isolation_option() {
  return choice(
      "--isolation", "HOW", {"full", "partial"}, "full",
      "How far commands must be kept apart from this machine: what cannot be is not run, or it is run with what "
      "there is, and that is told.");
}
OptionSpec unverified_option() {
  return choice("--on-unverified", "HOW", {"hold", "pass"}, "hold",
                "What nobody proved: it waits for a look (exit code 2), or it passes.");
}
OptionSpec config_option() {
  OptionSpec out = plain_option("--config", "FILE", "This plumb.yaml; it needs no trust.");
  out.completes = Completes::file;
  return out;
}

CommandSpec command(std::string_view path, std::string_view summary, std::string_view description,
                    std::vector<ArgumentSpec> arguments, std::vector<OptionSpec> options,
                    std::vector<std::string_view> examples, bool store = true) {
  CommandSpec c;
  c.path = path;
  c.summary = summary;
  c.description = description;
  c.arguments = std::move(arguments);
  c.options = std::move(options);
  c.options.insert(c.options.begin(), repo_option());
  c.options.push_back(config_option());
  if (store) {
    c.options.push_back(store_option());
  }
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = std::move(examples);
  return c;
}

std::vector<OptionSpec> work_of_run() {
  return {
      plain_option("--developer", "NAME",
                   "Who develops: extract (fixes that gates print: -fdiagnostics-parseable-fixits of g++ and clang, "
                   "SARIF, unified "
                   "diffs), model, conversation (a model with tools), person, or a command of workflow.developers."),
      choice("--reviewer", "WHO", {"extract", "model"}, "",
             "Who reviews (otherwise the model of the phase, else extract)."),
      choice("--base-failures", "HOW", {"refuse", "warn"}, "",
             "Where a required gate fails before any change: its tasks are refused, or nothing may get worse."),
      plain_option("--at", "COMMIT", "The commit that all begins at (otherwise HEAD)."),
      token_budget_option("2000000"),
      isolation_option(),
      unverified_option()};
}

CommandSpec run_of(std::string_view path, std::string_view summary, std::string_view description, ArgumentSpec argument,
                   std::vector<OptionSpec> own, std::vector<std::string_view> examples) {
  CommandSpec c;
  c.path = path;
  c.summary = summary;
  c.description = description;
  c.arguments = {std::move(argument)};
  c.options = {repo_option()};
  for (OptionSpec& o : own) {
    c.options.push_back(std::move(o));
  }
  for (OptionSpec& o : work_of_run()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(config_option());
  add_run_options(c, {"plan", "develop", "review"}, "Write the view there instead of to standard output.",
                  "The whole run: tasks, rounds, gates, reviews.");
  c.examples = std::move(examples);
  return c;
}

ArgumentSpec run_argument(bool required = false) {
  return {"RUN", required ? "The run." : "The run (otherwise the newest).", Completes::nothing, false, required};
}

std::vector<OptionSpec> answering() {
  std::vector<OptionSpec> out = {plain_option("--words", "TEXT", "What is said with it: to the developer, or why."),
                                 plain_option("--by", "NAME", "Who says so (otherwise the user's name)."),
                                 plain_option("--model", "NAME", "With `model`: one of providers.also."),
                                 isolation_option(), unverified_option()};
  return out;
}

}  // namespace

std::vector<CommandSpec> workflow_commands() {
  std::vector<CommandSpec> out;
  out.push_back(command("workflow init", "Find a project's gates, and write them into plumb.yaml",
                        "Looks at the files of the repository (CMakeLists.txt, package.json, go.mod, pyproject.toml, "
                        "Makefile) and writes a plumb.yaml with the commands that they call for. One that is there "
                        "already stays as it is.",
                        {}, {}, {"plumb workflow init"}, false));
  out.push_back(command(
      "workflow trust", "Show what the repository proposes to run, and let it hold",
      "Gates, setup and developers of the plumb.yaml at the top of the repository and of .semspec/config.yaml hold "
      "once you have said so. The text is kept: it judges while the file says something else. A change of it asks "
      "again.",
      {},
      {plain_option("--yes", "",
                    "Do not ask: it holds. Without a terminal only where the environment has PLUMB_TRUST_YES=1."),
       plain_option("--forget", "", "It holds no more.")},
      {"plumb workflow trust", "PLUMB_TRUST_YES=1 plumb workflow trust --yes\tin a script"}, false));
  out.push_back(
      run_of("workflow plan", "Begin a plan as a draft",
             "A plan in a file, or a sentence of which a model makes one. It is read by the rules of plans, held "
             "against the SOPs of plans, and waits until it is promoted.",
             {"PLAN", "A file in YAML or JSON, or what is wanted.", Completes::file, false, true}, {},
             {"plumb workflow plan plan.yaml",
              "plumb workflow plan --provider ollama/qwen3:8b \"Tell the line of an error\""}));
  std::vector<OptionSpec> promote = answering();
  CommandSpec promotes;
  promotes.path = "workflow promote";
  promotes.summary = "Promote a draft, and carry it out";
  promotes.description = "The plan of the run is no draft any more, and its tasks are begun.";
  promotes.arguments = {run_argument(true)};
  promotes.options = {repo_option()};
  for (OptionSpec& o : promote) {
    promotes.options.push_back(std::move(o));
  }
  promotes.options.push_back(config_option());
  add_run_options(promotes, {"plan", "develop", "review"}, "Write the view there.", "The whole run.");
  promotes.examples = {"plumb workflow promote rk2w7zq4c5d6e7f2a3b4c"};
  out.push_back(std::move(promotes));
  out.push_back(run_of(
      "workflow run", "Carry out a plan: develop, gate and review its tasks",
      "Each task goes through a developer, the project's gates and a reviewer, a bounded number of times, until it is "
      "approved, or a person is asked. Work is done beside the store; what is approved lies on the branch plumb/SLUG. "
      "Nothing runs that you have not declared.\n\n"
      "Exit code 0: all tasks are approved; 1: one is rejected, halted or failed; 2: somebody is waited for, not "
      "everything is verified, wrong usage.",
      {"PLAN", "A plan in YAML or JSON.", Completes::file, false, false},
      {plain_option("--task", "TEXT", "A plan of one task, in place of a file."),
       plain_option("--files", "GLOB", "What that task may write.", true)},
      {"plumb workflow run plan.yaml --developer fixer",
       "plumb workflow run --task \"Mend the parser\" --files 'src/**'"}));
  std::vector<OptionSpec> check = {
      plain_option("--staged", "",
                   "Judge what is in the index: gates run on a copy of exactly the files that would be committed."),
      plain_option("--base", "REF", "What was changed since the commit that HEAD shares with REF."),
      plain_option("--files", "GLOB", "What may be changed, tests and files that gates run too; other files block.",
                   true),
      plain_option("--isolated", "", "Gates run on a copy of the files, kept apart from this machine."),
      plain_option("--no-gates", "", "SOPs and scope only."),
      plain_option(
          "--hook", "",
          "For hooks of agents: reads their JSON. Exit code 2: feedback for the agent; 1: trouble for its user."),
      choice("--format", "FORMAT", {"text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"}, "text",
             "The report's form, as in `plumb check`."),
      choice("--fail-on", "LEVEL", {"error", "warning", "info", "never"}, "error",
             "The least severity of a finding that gives exit code 1."),
      plain_option("--output", "FILE", "Write the report there."),
      plain_option("--quiet", "", "Findings only."),
      isolation_option()};
  out.push_back(command(
      "workflow check", "Judge what is changed in a checkout: gates, SOPs, scope",
      "The policy of a workflow at three borders: an agent's hook, a commit, CI. Gates run in the checkout, or with "
      "--staged and --isolated on a copy. The plumb.yaml at the top of the repository decides, by the text that "
      "you trusted. No model is asked, and the store is not needed.\n\n"
      "Exit code 0: nothing is wrong; 1: something is; 2: it could not be judged, wrong usage.",
      {}, std::move(check),
      {"plumb workflow check", "plumb workflow check --staged --format short",
       "plumb workflow check --base origin/main --format github"},
      true));
  out.push_back(
      command("workflow status", "The tasks of a run, and where they stand",
              "A line a task: state, developer runs, reviews, and why. Exit codes as of `plumb workflow run`.",
              {run_argument()}, {plain_option("--json", "", "The whole view.")}, {"plumb workflow status"}));
  out.push_back(command("workflow diff", "What a run has changed", "The patch of the whole run, or of one task.",
                        {run_argument()}, {plain_option("--task", "ID", "Of this task only.")},
                        {"plumb workflow diff"}));
  CommandSpec answer;
  answer.path = "workflow answer";
  answer.summary = "Answer a run that waits for a person";
  answer.description =
      "retry (with --words for the developer), approve (with --words as the reason), decompose, model (with --model), "
      "reject, stop; of a task that is yours: done, or \"give up\". The run goes on.";
  answer.arguments = {run_argument(true), {"ANSWER", "What is decided.", Completes::nothing, false, true}};
  answer.options = {repo_option()};
  for (OptionSpec& o : answering()) {
    answer.options.push_back(std::move(o));
  }
  answer.options.push_back(config_option());
  add_run_options(answer, {"plan", "develop", "review"}, "Write the view there.", "The whole run.");
  answer.examples = {"plumb workflow answer rk2w7zq4c5d6e7f2a3b4c retry --words \"Leave the tests alone.\""};
  out.push_back(std::move(answer));
  out.push_back(command("workflow land", "Move a branch to what a run has approved",
                        "By fast-forward, and never a branch that is checked out: then the command that does it is "
                        "written. Exit code 0: landed; 1: not all is approved; 2: it is for you to do.",
                        {run_argument()},
                        {plain_option("--onto", "BRANCH", "The branch (otherwise main)."), unverified_option()},
                        {"plumb workflow land --onto main"}));
  out.push_back(command("workflow clean", "List refs of runs that have ended, and remove them",
                        "refs/plumb/RUN/TASK of runs that have ended. Without --yes nothing is removed.", {},
                        {plain_option("--yes", "", "Remove them.")}, {"plumb workflow clean"}));
  out.push_back(command("workflow sops", "List the SOPs of the repository",
                        "From .semspec/sources/docs/sops and workflow.sops, with what is wrong with them.", {},
                        {plain_option("--json", "", "As entities source.doc.sops.SLUG."),
                         plain_option("--prefix", "ID", "With --json: of entities that begin so.")},
                        {"plumb workflow sops", "plumb workflow sops --json --prefix source.doc.sops"}));
  out.push_back(command(
      "workflow conventions", "List, confirm and retire conventions",
      "Patterns of approved reviews. They reach reviews after two approved tasks, or when you confirm them.", {},
      {plain_option("--confirm", "ID", "It reaches reviews from now on."),
       plain_option("--retire", "ID", "It reaches none any more."), plain_option("--by", "NAME", "Who confirms it."),
       plain_option("--json", "", "As entities.")},
      {"plumb workflow conventions --confirm table-driven-tests"}));
  return out;
}

}  // namespace plumb::cli
