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
  OptionSpec out = plain_option("--repo", "DIR", "The git repository. Default: the working directory.");
  out.completes = Completes::directory;
  return out;
}
OptionSpec isolation_option() {
  return choice("--isolation", "HOW", {"full", "partial"}, "full",
                "How strictly commands must be isolated from this machine. If isolation is not possible, the command "
                "is refused, or runs with what is available, and that is reported.");
}
OptionSpec gate_isolation_option() {
  return choice("--isolation", "HOW", {"none", "partial", "full"}, "none",
                "How strictly gates are isolated from this machine. partial and full run them on a copy of the files.");
}
OptionSpec unverified_option() {
  return choice("--on-unverified", "HOW", {"hold", "pass"}, "hold",
                "What to do with unverified work: wait for a review (exit code 2), or pass.");
}
OptionSpec config_option() {
  OptionSpec out = plain_option("--config", "FILE", "Use this plumb.yaml; it needs no trust.");
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
      plain_option(
          "--developer", "NAME",
          "The developer: extract (fixes that gates print: -fdiagnostics-parseable-fixits of g++ and clang, SARIF, "
          "unified diffs), model, conversation (a model with tools), person, or a command in workflow.developers."),
      choice("--reviewer", "WHO", {"extract", "model"}, "", "The reviewer. Default: the phase's model, else extract."),
      choice("--base-failures", "HOW", {"refuse", "warn"}, "",
             "If a required gate fails before any change: refuse its tasks, or only require that nothing gets worse."),
      plain_option("--at", "COMMIT", "The commit to start from. Default: HEAD."),
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
  add_run_options(c, {"plan", "develop", "review"}, "Write the view to this file instead of standard output.",
                  "Print the whole run: tasks, rounds, gates, reviews.");
  c.examples = std::move(examples);
  return c;
}

ArgumentSpec run_argument(bool required = false) {
  return {"RUN", required ? "The run." : "The run. Default: the newest.", Completes::nothing, false, required};
}

std::vector<OptionSpec> answering() {
  std::vector<OptionSpec> out = {plain_option("--words", "TEXT", "Words for the developer, or the reason."),
                                 plain_option("--by", "NAME", "The person who decides. Default: the user's name."),
                                 plain_option("--model", "NAME", "With `model`: a provider in providers.also."),
                                 isolation_option(), unverified_option()};
  return out;
}

}  // namespace

std::vector<CommandSpec> workflow_commands() {
  std::vector<CommandSpec> out;
  out.push_back(command(
      "workflow init", "Detect a project's gates, and write them to plumb.yaml",
      "Recognises Go, CMake, Cargo, npm, pnpm, Yarn, Python (uv, a venv, pytest, unittest), make, and the parts of a "
      "monorepo. It writes a plumb.yaml with gates for them, runs each gate once on a copy of the checkout, and prints "
      "which pass, which fail and why. An existing plumb.yaml is kept, and then nothing runs.",
      {},
      {plain_option("--no-run", "", "Do not run the gates and the setup."),
       choice("--hook", "WHERE", {"claude", "codex", "git", "ci"}, "",
              "Also install the check: in .claude/settings.json, in .codex/hooks.json, as git's hooks for commits and "
              "merges, or as a GitHub workflow. Settings are merged; a file that cannot be merged stays as it is.")},
      {"plumb workflow init", "plumb workflow init --hook claude"}, false));
  out.push_back(command(
      "workflow trust", "Review and trust what the repository may run",
      "The gates, setup and developers in the repository's top plumb.yaml and in .semspec/config.yaml take effect only "
      "after you trust them. The trusted text is kept, and is used while the file differs. A change asks again.",
      {},
      {plain_option("--yes", "", "Trust without asking. Without a terminal, this also needs PLUMB_TRUST_YES=1."),
       plain_option("--forget", "", "Remove the trust.")},
      {"plumb workflow trust", "PLUMB_TRUST_YES=1 plumb workflow trust --yes\tin a script"}, false));
  out.push_back(run_of(
      "workflow plan", "Create a plan as a draft",
      "PLAN is a file, or a sentence from which a model writes a plan. The plan is checked against the rules for plans "
      "and the SOPs for plans, and waits until it is promoted.",
      {"PLAN", "A file in YAML or JSON, or a sentence that says what is wanted.", Completes::file, false, true}, {},
      {"plumb workflow plan plan.yaml",
       "plumb workflow plan --provider ollama/qwen3:8b \"Tell the line of an error\""}));
  std::vector<OptionSpec> promote = answering();
  CommandSpec promotes;
  promotes.path = "workflow promote";
  promotes.summary = "Promote a draft, and carry it out";
  promotes.description = "The run's plan is accepted, and its tasks start.";
  promotes.arguments = {run_argument(true)};
  promotes.options = {repo_option()};
  for (OptionSpec& o : promote) {
    promotes.options.push_back(std::move(o));
  }
  promotes.options.push_back(config_option());
  add_run_options(promotes, {"plan", "develop", "review"}, "Write the view to this file.", "Print the whole run.");
  promotes.examples = {"plumb workflow promote rk2w7zq4c5d6e7f2a3b4c"};
  out.push_back(std::move(promotes));
  out.push_back(
      run_of("workflow run", "Carry out a plan: develop, gate and review its tasks",
             "Each task goes through a developer, the project's gates and a reviewer, a limited number of times, until "
             "it is approved or a person is asked. The work happens outside your checkout; approved work is on the "
             "branch plumb/SLUG. Only commands that you declared are run.\n\nExit code 0: all tasks are approved; 1: "
             "one is rejected, halted or failed; 2: a person is awaited, something is unverified, or wrong usage.",
             {"PLAN", "A plan in YAML or JSON.", Completes::file, false, false},
             {plain_option("--task", "TEXT", "A one-task plan, instead of a file."),
              plain_option("--files", "GLOB", "The files that the task may write.", true)},
             {"plumb workflow run plan.yaml --developer fixer",
              "plumb workflow run --task \"Mend the parser\" --files 'src/**'"}));
  std::vector<OptionSpec> check = {
      plain_option("--staged", "",
                   "Check what is in the index. Gates run on a copy of exactly the files that would be committed."),
      plain_option("--base", "REF", "Check what changed since the merge base of HEAD and REF."),
      plain_option("--files", "GLOB",
                   "The files that may be changed, including tests and files that gates run. Changes to other files "
                   "are blocked.",
                   true),
      plain_option("--no-gates", "", "Check only SOPs and scope."),
      plain_option("--fix", "",
                   "First run the `fix` commands of gates on a copy, and take over what they change in changed files. "
                   "With --staged, also into the index."),
      plain_option(
          "--hook", "",
          "For agent hooks: reads the hook's JSON. Exit code 2: feedback for the agent; 1: an error for its user."),
      choice("--format", "FORMAT", {"text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"}, "text",
             "The report's format, as in `plumb check`."),
      choice("--fail-on", "LEVEL", {"error", "warning", "info", "never"}, "error",
             "The lowest severity that gives exit code 1."),
      plain_option("--output", "FILE", "Write the report to this file."),
      plain_option("--quiet", "", "Print only findings."),
      gate_isolation_option()};
  out.push_back(
      command("workflow check", "Check the changes in a checkout: gates, SOPs, scope",
              "Applies a workflow's policy in an agent's hook, before a commit, or in CI. Gates run in the "
              "checkout, or with --staged and --isolation on a copy. The repository's top plumb.yaml decides, "
              "in the text that you trusted. No model is asked, and the store is not needed.\n\nExit code 0: "
              "no problems; 1: problems were found; 2: it could not be judged, or wrong usage.",
              {}, std::move(check),
              {"plumb workflow check", "plumb workflow check --staged --format short",
               "plumb workflow check --base origin/main --format github"},
              true));
  out.push_back(
      command("workflow prove", "Prove that the gates notice a break",
              "Plants breaks in a copy of the checkout: a broken assertion in every test, then a syntax error in "
              "every source file. Files that a gate runs are left alone. A gate that passes with them checks "
              "nothing. The result is kept, and `plumb workflow check` shows when a gate was last "
              "proven.\n\nExit code 0: every gate is proven; 1: a gate is hollow; 2: a gate could not be "
              "proven, or wrong usage.",
              {}, {gate_isolation_option()}, {"plumb workflow prove"}));
  out.push_back(command("workflow status", "Show a run's tasks and their state",
                        "Prints one line per task: state, developer runs, reviews, and the reason. Exit codes as in "
                        "`plumb workflow run`.",
                        {run_argument()}, {plain_option("--json", "", "Print the whole view.")},
                        {"plumb workflow status"}));
  out.push_back(command("workflow diff", "Show what a run has changed",
                        "Prints the patch of the whole run, or of one task.", {run_argument()},
                        {plain_option("--task", "ID", "Print only this task's patch.")}, {"plumb workflow diff"}));
  CommandSpec answer;
  answer.path = "workflow answer";
  answer.summary = "Answer a run that waits for a person";
  answer.description =
      "The decisions are retry (with --words for the developer), approve (with --words as the reason), decompose, "
      "model (with --model), reject and stop. For a task that is yours: done, or \"give up\". The run then continues.";
  answer.arguments = {run_argument(true), {"ANSWER", "The decision.", Completes::nothing, false, true}};
  answer.options = {repo_option()};
  for (OptionSpec& o : answering()) {
    answer.options.push_back(std::move(o));
  }
  answer.options.push_back(config_option());
  add_run_options(answer, {"plan", "develop", "review"}, "Write the view to this file.", "Print the whole run.");
  answer.examples = {"plumb workflow answer rk2w7zq4c5d6e7f2a3b4c retry --words \"Leave the tests alone.\""};
  out.push_back(std::move(answer));
  out.push_back(
      command("workflow land", "Move a branch to a run's approved work",
              "Moves the branch by fast-forward. A branch that is checked out is never moved; the command to do it is "
              "printed instead. Exit code 0: moved; 1: not everything is approved; 2: you have to do it yourself.",
              {run_argument()}, {plain_option("--onto", "BRANCH", "The branch. Default: main."), unverified_option()},
              {"plumb workflow land --onto main"}));
  out.push_back(command("workflow clean", "List or remove the refs of ended runs",
                        "Lists refs/plumb/RUN/TASK of runs that have ended. With --yes they are removed.", {},
                        {plain_option("--yes", "", "Remove them.")}, {"plumb workflow clean"}));
  out.push_back(command("workflow sops", "List the SOPs of the repository",
                        "Lists the SOPs from .semspec/sources/docs/sops and workflow.sops, with their problems.", {},
                        {plain_option("--json", "", "Print them as entities source.doc.sops.SLUG."),
                         plain_option("--prefix", "ID", "With --json: only entities with this prefix.")},
                        {"plumb workflow sops", "plumb workflow sops --json --prefix source.doc.sops"}));
  out.push_back(command(
      "workflow conventions", "List, confirm and retire conventions",
      "Conventions are patterns from approved reviews. Reviewers see them after two approved tasks, or once "
      "you confirm them. Each is listed with the reviews that it was shown to, that cited it, and that named it "
      "when they rejected the work (contradicted), out of the latest 100.",
      {},
      {plain_option("--confirm", "ID", "Show this convention to reviewers from now on."),
       plain_option("--retire", "ID", "Stop showing this convention to reviewers."),
       plain_option("--by", "NAME", "The person who confirms it."), plain_option("--json", "", "As entities.")},
      {"plumb workflow conventions --confirm table-driven-tests"}));
  return out;
}

}  // namespace plumb::cli
