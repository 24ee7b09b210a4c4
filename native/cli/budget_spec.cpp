// What the commands of `plumb budget` and `plumb models` take.
#include "native/cli/command_specs.hpp"

namespace plumb::cli {

namespace {

OptionSpec json_option() { return {"--json", 0, "", {}, "", "Print JSON.", Completes::nothing, false}; }

OptionSpec registry_option() {
  return {"--registry",
          0,
          "FILE",
          {},
          "",
          "A JSON file with your own models. Also: PLUMB_MODELS, or `budget: {models: FILE}` in plumb.yaml.",
          Completes::file,
          false};
}

std::vector<OptionSpec> budget_options() {
  std::vector<OptionSpec> out = {
      {"--model", 0, "NAME", {}, "", "The model to compute for.", Completes::nothing, false},
      {"--encoding",
       0,
       "NAME",
       {"o200k_base", "cl100k_base", "unknown"},
       "the model's",
       "The tokenizer to estimate texts with; `unknown` takes the largest estimate.",
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
    "\n\nREQUEST is a JSON file, - for standard input, or NAME=VALUE; later values override earlier ones. VALUE is "
    "JSON or text; @FILE reads a text file, or JSON from a .json file. A token amount is a number, or a text to "
    "estimate. docs/budget.md lists all members.\n\nExit code 0: computed, whatever the result; 2: the request is "
    "wrong; every fault is reported with its place.";

struct BudgetCommand {
  std::string_view path;
  std::string_view summary;
  std::string_view description;
  std::vector<std::string_view> examples;
};

std::vector<BudgetCommand> commands() {
  return {
      {"budget window",
       "Compute how many tokens a task leaves free in a model's context window",
       "Subtracts system, plan, task and output from the window, and a margin of 20 %. If fewer than 8,000 tokens "
       "remain, the advice is to decompose the task. If the window is unknown, the result is `unknown`; no default is "
       "assumed.",
       {"plumb budget window --model gpt-4o system=2000 task=@task.md output=4000",
        "plumb budget window window=32000 system=2000 plan=1500 task=6000 output=1000 --json"}},
      {"budget size",
       "Check whether a task has too many or too large files, and how to split it",
       "More than three files give a warning; more than four are too large. Together they must stay under 40 % of the "
       "working memory. A task that is too large is split into parts, in an order that respects `after`.",
       {"plumb budget size task.json --model gpt-4o",
        "plumb budget size working_memory=16000 'files=[{\"path\":\"a.go\",\"tokens\":7000}]'"}},
      {"budget shares",
       "Divide a token budget among documents by severity",
       "Parents are always included. The rest goes to chunks of severity error, warning and info: 50, 35 and 15 %. "
       "Tokens that one severity does not use go to the next.",
       {"plumb budget shares sops.json total=8000"}},
      {"budget assemble",
       "Choose what goes into a window, and what is cut",
       "Packs SOPs, decisions, file summaries and conventions. If they do not fit, conventions are dropped first, then "
       "summaries are shortened, then chunks of SOPs are dropped. SOP parents and decisions always stay; if they alone "
       "exceed the window, the excess is reported.",
       {"plumb budget assemble review.json window=32000"}},
      {"budget assign",
       "Choose a model for a task, and explain why",
       "Chooses by capability. The task must fit the window as `plumb budget window` computes it, and the model's "
       "sweet spot if it is known. Then history decides, then best fit. Without a registry, the built-in models are "
       "considered.",
       {"plumb budget assign task=12000 capability=coding --registry models.json"}},
      {"budget pressure",
       "Show how full a window is during a run, and what to do about it",
       "`readings` is the context size after each iteration, estimated or reported; the larger counts. Colours change "
       "at 50, 65 and 75 %; above 85 % is critical. Above 70 % the run pauses.",
       {"plumb budget pressure window=128000 'readings=[21000,34000,{\"estimated\":48000,\"reported\":51000}]'"}},
      {"budget risk",
       "Detect signs that a run is going wrong, and what to do about each",
       "Looks at retries, utilisation, files outside the task, files that parallel tasks both write, and loops. Each "
       "climbs the ladder observe, log, warn, pause, halt, escalate, as `policy` says (also `budget: {policy: ...}` in "
       "plumb.yaml).",
       {"plumb budget risk retries=4", "plumb budget risk run.json utilization_percent=71"}},
      {"budget loops",
       "Detect tool calls that go round in circles",
       "A loop is the same call three times, or four equivalent calls, among the last 20. Tools named in `polling`, "
       "calls with different results, and calls with a change between them are not loops.",
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
  c.summary = "Count the tokens of files: likely and upper estimate";
  c.description =
      "Estimates for a model's tokenizer, or counts exactly with --tokenizer. That file holds a vocabulary's ranks in "
      "tiktoken's format: one base64 token and its rank per line, for o200k_base or cl100k_base.";
  c.arguments = {{"FILE", "Text files, or - for standard input.", Completes::file, true, true}};
  c.options = budget_options();
  c.options.insert(c.options.begin() + 2, {"--tokenizer",
                                           0,
                                           "FILE",
                                           {},
                                           "",
                                           "The vocabulary's ranks. Gives exact counts instead of estimates.",
                                           Completes::file,
                                           false});
  c.examples = {"plumb budget tokens prompt.md --model gpt-4o",
                "plumb budget tokens --tokenizer o200k_base.tiktoken --encoding o200k_base prompt.md"};
  return c;
}

CommandSpec models_list_command() {
  CommandSpec c;
  c.path = "models list";
  c.summary = "List what is known about each model: window, encoding, capabilities, history";
  c.description =
      "Lists the registry's models, then the built-in ones, then models seen only in runs. For each, the history from "
      "the stored runs, per phase: calls, how many were valid at once, repairs, tokens and time. A model has one name, "
      "with or without its provider and the date of a snapshot.";
  c.options = {registry_option(), store_option(), json_option()};
  for (OptionSpec& one : look_options()) {
    c.options.push_back(std::move(one));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb models list", "plumb models list --registry models.json --json"};
  return c;
}

}  // namespace plumb::cli
