// What the commands of `plumb budget` and `plumb models` take.
#include "native/cli/command_specs.hpp"

namespace plumb::cli {

namespace {

OptionSpec json_option() { return {"--json", 0, "", {}, "", "The answer as JSON.", Completes::nothing, false}; }

OptionSpec registry_option() {
  return {"--registry",
          0,
          "FILE",
          {},
          "",
          "Models of your own, as JSON (also PLUMB_MODELS, or `budget: {models: FILE}` in plumb.yaml).",
          Completes::file,
          false};
}

std::vector<OptionSpec> budget_options() {
  std::vector<OptionSpec> out = {
      {"--model", 0, "NAME", {}, "", "The model that the request is about.", Completes::nothing, false},
      {"--encoding",
       0,
       "NAME",
       {"o200k_base", "cl100k_base", "unknown"},
       "the model's",
       "The vocabulary that texts are estimated with; `unknown` takes the larger.",
       Completes::choice,
       false},
      registry_option(),
      json_option(),
  };
  for (OptionSpec& one : look_options()) {
    out.push_back(std::move(one));
  }
  out.push_back(help_option());
  return out;
}

constexpr std::string_view about_requests =
    "\n\nA REQUEST is a JSON file, - for standard input, or NAME=VALUE; what is said last holds. VALUE is JSON or a "
    "text, "
    "@FILE the text of a file (its JSON where it is a .json). An amount of tokens is a number, or a text that is "
    "estimated. docs/budget.md has all members.\n\nExit code 0: answered, whatever the answer is; 2: the request is "
    "wrong, and every fault is told with its place.";

struct BudgetCommand {
  std::string_view path;
  std::string_view summary;
  std::string_view description;
  std::vector<std::string_view> examples;
};

std::vector<BudgetCommand> commands() {
  return {
      {"budget window",
       "What a task leaves free in a model's window, before anything is done",
       "The window without system, plan, task, output and a margin of 20 %. When fewer than 8,000 tokens are left, the "
       "task is to be decomposed. A window that is not known is `unknown`, never a default.",
       {"plumb budget window --model gpt-4o system=2000 task=@task.md output=4000",
        "plumb budget window window=32000 system=2000 plan=1500 task=6000 output=1000 --json"}},
      {"budget size",
       "Whether a task's files are too many or too large, and how to cut it",
       "More than three files warn, more than four are too large; together they stay under 40 % of the working memory. "
       "A task that is too large is cut into parts, in an order that keeps `after`.",
       {"plumb budget size task.json --model gpt-4o",
        "plumb budget size working_memory=16000 'files=[{\"path\":\"a.go\",\"tokens\":7000}]'"}},
      {"budget shares",
       "How a budget for documents is shared out by severity",
       "Parents are always in; what is left goes to chunks of error, warning and info, 50, 35 and 15 %. What one does "
       "not use is handed on.",
       {"plumb budget shares sops.json total=8000"}},
      {"budget assemble",
       "What goes into a window, and what is cut when not all of it does",
       "SOPs, decisions, file summaries and conventions: conventions are dropped first, then summaries trimmed, then "
       "chunks of SOPs. SOP parents and decisions stay; when they are too much, the overrun is told.",
       {"plumb budget assemble review.json window=32000"}},
      {"budget assign",
       "Which model a task goes to, and why",
       "By capability; the task must fit the window as `plumb budget window` says it, and the sweet spot where one is "
       "known; then history, then best fit. Without a registry the built-in models are asked.",
       {"plumb budget assign task=12000 capability=coding --registry models.json"}},
      {"budget pressure",
       "How full a window is while a run goes on, and what that calls for",
       "`readings` is the size of the context after each iteration, as estimated and as reported: the larger counts. "
       "Colours begin at 50, 65 and 75 %, above 85 % is critical; above 70 % the run pauses.",
       {"plumb budget pressure window=128000 'readings=[21000,34000,{\"estimated\":48000,\"reported\":51000}]'"}},
      {"budget risk",
       "Signals of a run that goes wrong, and what each calls for",
       "Retries, utilisation, files beyond the task's, files that parallel tasks both write, and loops; each climbs "
       "the "
       "ladder observe, log, warn, pause, halt, escalate as `policy` says (also `budget: {policy: ...}` in "
       "plumb.yaml).",
       {"plumb budget risk retries=4", "plumb budget risk run.json utilization_percent=71"}},
      {"budget loops",
       "Calls that go round in circles",
       "The same call three times, or four calls that say the same, among the last 20. Tools named in `polling`, calls "
       "with other results and calls with a change between them are no loop.",
       {"plumb budget loops calls.json", "plumb budget loops calls.json 'polling=[\"job_status\"]'"}},
  };
}

}  // namespace

std::vector<CommandSpec> budget_commands() {
  static const std::vector<std::string> descriptions = [] {
    std::vector<std::string> out;
    for (const BudgetCommand& one : commands()) {
      out.push_back(std::string(one.description) + std::string(about_requests));
    }
    return out;
  }();
  std::vector<CommandSpec> out;
  std::size_t number = 0;
  for (const BudgetCommand& one : commands()) {
    CommandSpec c;
    c.path = one.path;
    c.summary = one.summary;
    c.description = descriptions[number++];
    c.arguments = {{"REQUEST", "A JSON file, -, or NAME=VALUE.", Completes::file, true, false}};
    c.options = budget_options();
    c.examples = one.examples;
    out.push_back(std::move(c));
  }
  return out;
}

CommandSpec budget_tokens_command() {
  CommandSpec c;
  c.path = "budget tokens";
  c.summary = "What files cost in tokens, likely and safe";
  c.description =
      "An estimate for a model's vocabulary, or with --tokenizer the exact count: the file holds the ranks of a "
      "vocabulary, a base64 token and its rank a line (the format of tiktoken), for o200k_base or cl100k_base.";
  c.arguments = {{"FILE", "Text files, or - for standard input.", Completes::file, true, true}};
  c.options = budget_options();
  c.options.insert(c.options.begin() + 2, {"--tokenizer",
                                           0,
                                           "FILE",
                                           {},
                                           "",
                                           "The ranks of the vocabulary: counts instead of estimates.",
                                           Completes::file,
                                           false});
  c.examples = {"plumb budget tokens prompt.md --model gpt-4o",
                "plumb budget tokens --tokenizer o200k_base.tiktoken --encoding o200k_base prompt.md"};
  return c;
}

CommandSpec models_list_command() {
  CommandSpec c;
  c.path = "models list";
  c.summary = "What is known of each model: window, encoding, capabilities, how it did";
  c.description =
      "The models of the registry, then the built-in ones, then those that only runs have met, with the history of the "
      "runs in the store: for each phase calls, how many were valid at first, repairs, tokens and time. A model has "
      "one name, with or without its provider and the date of a snapshot.";
  c.options = {registry_option(), store_option(), json_option()};
  for (OptionSpec& one : look_options()) {
    c.options.push_back(std::move(one));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb models list", "plumb models list --registry models.json --json"};
  return c;
}

}  // namespace plumb::cli
