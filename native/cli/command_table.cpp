#include "native/cli/command_table.hpp"

#include <algorithm>
#include <utility>

#include "native/base/edge_build.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"

namespace plumb::cli {

OptionSpec plain_option(std::string_view name, std::string_view value, std::string_view help, bool repeats) {
  return {name, 0, value, {}, "", help, Completes::nothing, repeats};
}

OptionSpec help_option() { return {"--help", 'h', "", {}, "", "Show this help.", Completes::nothing, false}; }

std::vector<OptionSpec> contract_reading_options() {
  return {
      {"--dialect",
       0,
       "DRAFT",
       {"2020-12", "2019-09", "draft-07", "draft-06", "draft-04", "v1"},
       "2020-12",
       "The JSON Schema dialect of a contract without `$schema`. v1 is not published yet and must be chosen here.",
       Completes::choice,
       false},
      {"--assert-formats",
       0,
       "",
       {},
       "",
       "Report values that do not match `format`. By default `format` is only an annotation.",
       Completes::nothing,
       false},
      {"--schema",
       0,
       "URI=FILE",
       {},
       "",
       "A document that the contract refers to by this URI. Nothing is ever fetched.",
       Completes::file,
       true},
  };
}

std::vector<OptionSpec> look_options() {
  return {
      {"--ascii",
       0,
       "",
       {},
       "",
       "Use only ASCII symbols. Default in a locale that is not UTF-8.",
       Completes::nothing,
       false},
      {"--color",
       0,
       "WHEN",
       {"auto", "always", "never"},
       "auto",
       "Use colours. `auto`: on a terminal, unless NO_COLOR is set.",
       Completes::choice,
       false},
  };
}

namespace {

CommandSpec check_command() {
  CommandSpec c;
  c.path = "check";
  c.summary = "Check artifacts against their contracts";
  c.description =
      "Checks each artifact against its contract. Each problem is reported with its rule, its place (file, line and "
      "column), the value found and what is required.\n\nPATH is a file, a directory, a quoted glob (*, ?, [abc], "
      "{a,b}, ** for any directories), '!GLOB' to exclude, or - for standard input. A directory is searched for "
      "*.json, *.jsonl and *.ndjson, without hidden directories and node_modules. A .jsonl or .ndjson file holds one "
      "artifact per line, named FILE:LINE. Files are read in pieces, so memory use does not depend on their "
      "size.\n\nThe contract comes from --contract, or from the globs in plumb.yaml, which is looked for here and in "
      "the directories above. Without PATH, everything named in plumb.yaml is checked.";
  c.arguments = {{"PATH", "Files, directories, quoted globs, or - for standard input.", Completes::file, true, false}};
  c.options = {
      {"--contract",
       'c',
       "NAME|FILE",
       {},
       "",
       "The name of a built-in contract, or a contract file.",
       Completes::contract,
       false},
      {"--context",
       0,
       "FILE",
       {},
       "",
       "A JSON document for the contract's `context:` pointers.",
       Completes::file,
       false},
      {"--format",
       'f',
       "FORMAT",
       {"text", "short", "json", "jsonl", "sarif", "junit", "github", "llm", "scorecard"},
       "text",
       "text: for people. short: FILE:LINE:COLUMN for each finding. json: one document. jsonl: one verdict per line. "
       "sarif: SARIF 2.1.0. junit: XML. github: workflow commands. llm: feedback for a model. scorecard: a role's "
       "scorecard with reasons and labels.",
       Completes::choice,
       false},
      {"--output",
       'o',
       "FILE",
       {},
       "",
       "Write the report to this file instead of standard output.",
       Completes::file,
       false},
      {"--tool",
       0,
       "NAME",
       {},
       "",
       "With --format llm: the tool that the model should call again with corrected data.",
       Completes::nothing,
       false},
      {"--action",
       0,
       "TEXT",
       {},
       "",
       "With --format llm: what the model should do, in your own words.",
       Completes::nothing,
       false},
      {"--fail-on",
       0,
       "LEVEL",
       {"error", "warning", "info", "never"},
       "error",
       "The lowest severity that gives exit code 1.",
       Completes::choice,
       false},
      {"--exit-zero",
       0,
       "",
       {},
       "",
       "Exit with 0 even if there are findings. Exit code 2 stays 2.",
       Completes::nothing,
       false},
      {"--quiet",
       'q',
       "",
       {},
       "",
       "Print only findings: no valid artifacts, summary, notes or progress.",
       Completes::nothing,
       false},
      {"--stream",
       0,
       "",
       {},
       "",
       "Read one artifact from standard input as it arrives. Print each finding as soon as it is certain, with the "
       "byte that decided it, then the verdict. With --format text or jsonl.",
       Completes::nothing,
       false},
      {"--fix",
       0,
       "LEVEL",
       {"certain", "guess"},
       "",
       "Strip text around the JSON, repair invalid JSON, convert values to the required type, and save the files. "
       "`certain`: only edits with one possible reading; `guess`: also the likeliest reading. For -, the edited text "
       "goes to standard output and the report to standard error.",
       Completes::choice,
       false,
       true},
      {"--edits",
       0,
       "LEVEL|CLASS=LEVEL",
       {},
       "none",
       "Check the text as edited, without saving it: none, certain or guess, for all classes of edits or for one.",
       Completes::nothing,
       true},
      {"--diff",
       0,
       "",
       {},
       "",
       "Show what the edits change, without saving it. With --format text.",
       Completes::nothing,
       false},
      {"--lines",
       0,
       "",
       {},
       "",
       "Read one artifact per line from every input, whatever its name.",
       Completes::nothing,
       false},
      {"--from",
       0,
       "PROVIDER",
       {"openai", "anthropic", "otlp", "plumb"},
       "",
       "Read recorded model calls, one record per line or all in one JSON document, and check the model's answers. "
       "openai: chat completions, responses, batch output. anthropic: messages, batch results. otlp: spans and logs by "
       "OpenTelemetry's GenAI conventions. plumb: records of the proxy, and exported runs.",
       Completes::choice,
       false},
      {"--calls",
       0,
       "TOOL",
       {},
       "",
       "With --from: check the arguments of this tool's calls, not the texts.",
       Completes::nothing,
       false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  const std::vector<OptionSpec> rest = {
      {"--max-depth",
       0,
       "N",
       {},
       "1024",
       "Maximum nesting depth; exceeding it is reported as `limit`.",
       Completes::nothing,
       false},
      {"--max-bytes",
       0,
       "N",
       {},
       "1G",
       "Maximum bytes of one artifact (K, M or G); exceeding it is reported as `limit`.",
       Completes::nothing,
       false},
      {"--max-steps",
       0,
       "N",
       {},
       "0",
       "Maximum steps of work for one artifact, about ten nanoseconds each; exceeding it is reported as `limit`. 0: "
       "unlimited.",
       Completes::nothing,
       false},
      {"--jobs",
       'j',
       "N",
       {},
       "all cores",
       "Artifacts checked in parallel. The output is the same for any number.",
       Completes::nothing,
       false},
      {"--exclude",
       0,
       "GLOB",
       {},
       "",
       "Exclude matching files, and everything below a matching directory. A pattern with a / is a path; without one, "
       "a name at any depth. Also: PATH '!GLOB'.",
       Completes::file,
       true},
      {"--staged",
       0,
       "",
       {},
       "",
       "Read artifacts, contracts and plumb.yaml from git's index, as they will be committed. Without PATH: every "
       "staged file that plumb.yaml names. For pre-commit hooks.",
       Completes::nothing,
       false},
      {"--skip-unmatched",
       0,
       "",
       {},
       "",
       "Skip each PATH that plumb.yaml does not name, instead of reporting an error. For hooks that pass every changed "
       "file.",
       Completes::nothing,
       false},
      {"--gitignore",
       0,
       "",
       {},
       "",
       "Skip files that .gitignore excludes when searching directories. Off by default, as artifacts are often ignored "
       "by git.",
       Completes::nothing,
       false},
      {"--config", 0, "FILE", {}, "", "Read this file instead of looking for plumb.yaml.", Completes::file, false},
      {"--no-config", 0, "", {}, "", "Do not look for plumb.yaml.", Completes::nothing, false},
  };
  c.options.insert(c.options.end(), rest.begin(), rest.end());
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {
      "plumb check --contract quiz answer.json\tone file",
      "plumb check --contract flashcards 'out/**/cards-*.jsonl' --format jsonl\ta quoted glob, one verdict per line",
      "model | plumb check --contract quiz --stream\tfindings while the model is still writing",
      "plumb check --contract quiz --fix answer.json\tapplies the certain edits and saves the file",
      "plumb check --contract quiz --from openai yesterday.jsonl\tchecks recorded answers",
      "plumb check\teverything named in plumb.yaml",
      "plumb check --format sarif --output plumb.sarif\tfor code scanning",
  };
  return c;
}

CommandSpec contracts_list_command() {
  CommandSpec c;
  c.path = "contracts list";
  c.summary = "List the built-in contracts and those of plumb.yaml";
  c.description = "Prints one line per contract: name, title, and the hash that verdicts carry.";
  c.options = look_options();
  c.options.push_back({"--json", 0, "", {}, "", "Print one JSON document.", Completes::nothing, false});
  c.options.push_back(help_option());
  c.examples = {"plumb contracts list"};
  return c;
}

CommandSpec contracts_show_command() {
  CommandSpec c;
  c.path = "contracts show";
  c.summary = "Show what a contract requires";
  c.description =
      "Prints the contract's title, hash, scorecard rules, messages for broken keywords, context pointers and "
      "referenced documents.";
  c.arguments = {
      {"NAME|FILE", "The name of a built-in contract, or a contract file.", Completes::contract, false, true}};
  c.options = contract_reading_options();
  c.options.push_back({"--json", 0, "", {}, "", "Print the contract's source instead.", Completes::nothing, false});
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb contracts show quiz",
                "plumb contracts show quiz --json > my-quiz.json\ta starting point for your own"};
  return c;
}

CommandSpec contracts_check_command() {
  CommandSpec c;
  c.path = "contracts check";
  c.summary = "Check that files are valid contracts, and report where and why not";
  c.description =
      "Errors and warnings are printed as FILE:LINE:COLUMN. Exit code 0: all files are valid contracts; 1: some are "
      "not; 2: a file could not be read.";
  c.arguments = {{"FILE", "Contract files.", Completes::file, true, true}};
  c.options = contract_reading_options();
  c.options.push_back({"--strict", 0, "", {}, "", "Exit with 1 for warnings too.", Completes::nothing, false});
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb contracts check contracts/*.json"};
  return c;
}

CommandSpec contracts_derive_command() {
  CommandSpec c;
  c.path = "contracts derive";
  c.summary = "Generate prompts, provider schemas, grammars and types from a contract";
  c.description =
      "Prints the target on standard output. Standard error reports its cost in tokens, the rules that the target does "
      "not enforce, and the values that it forbids though the contract allows them, each with its place in the "
      "contract. Every value that the target allows and the residual contract accepts is accepted by the "
      "contract.\n\nIf the target cannot express the contract, the error names the place, with exit code 2.";
  c.arguments = {
      {"NAME|FILE", "The name of a built-in contract, or a contract file.", Completes::contract, false, true}};
  c.options = {
      {"--to",
       't',
       "TARGET",
       {"prompt", "openai-strict", "openai", "anthropic", "gemini", "gbnf", "json-schema", "typescript", "zod",
        "pydantic", "page", "html"},
       "",
       "prompt: text for a model. openai-strict, openai: a response_format. anthropic: a tool definition. gemini: a "
       "responseSchema. gbnf: a grammar for llama.cpp. json-schema: for any validator, with our keywords as "
       "x-plumb-NAME. typescript: types. zod, pydantic: schemas for these libraries. page, html: documentation.",
       Completes::choice,
       false},
      {"--residual",
       0,
       "",
       {},
       "",
       "Instead of the target, print a contract with the rules that the target does not enforce.",
       Completes::nothing,
       false},
      {"--format",
       'f',
       "FORMAT",
       {"text", "json"},
       "text",
       "text: the target alone. json: target, residual, its contract, narrowings and tokens in one document.",
       Completes::choice,
       false},
      {"--quiet", 'q', "", {}, "", "Print only errors on standard error.", Completes::nothing, false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {
      "plumb contracts derive quiz --to openai-strict\ta response_format, and the rules it does not enforce",
      "plumb contracts derive quiz --to gbnf --residual > rest.json\tthe rules to check after generating with the "
      "grammar",
      "plumb contracts derive quiz --to typescript -q > quiz.ts",
  };
  return c;
}

CommandSpec explain_command() {
  CommandSpec c;
  c.path = "explain";
  c.summary = "Explain a rule, and how to fix a value that breaks it";
  c.description =
      "RULE is a JSON Schema keyword (minItems), a keyword of the Plumbline vocabulary (memberOf), a built-in kind of "
      "finding (syntax, duplicateKey, limit), or a rule of `plumb contracts lint` (never-holds). Without RULE, all are "
      "listed.";
  c.arguments = {{"RULE", "The rule's name, as findings show it.", Completes::rule, false, false}};
  c.options = look_options();
  c.options.push_back(help_option());
  c.examples = {"plumb explain distinct", "plumb explain\tlists all rules"};
  return c;
}

CommandSpec completion_command() {
  CommandSpec c;
  c.path = "completion";
  c.summary = "Print a shell's completion script";
  c.description =
      "bash: plumb completion bash > /etc/bash_completion.d/plumb. zsh: plumb completion zsh > "
      "\"${fpath[1]}/_plumb\". fish: plumb completion fish > ~/.config/fish/completions/plumb.fish.";
  c.arguments = {{"SHELL", "bash, zsh or fish.", Completes::choice, false, true, {"bash", "zsh", "fish"}}};
  c.options = {help_option()};
  c.examples = {"eval \"$(plumb completion bash)\""};
  return c;
}

CommandSpec man_command() {
  CommandSpec c;
  c.path = "man";
  c.summary = "Print the manual page";
  c.description = "Prints the manual page plumb(1) as roff.";
  c.options = {help_option()};
  c.examples = {"plumb man | man -l -"};
  return c;
}

CommandSpec version_command() {
  CommandSpec c;
  c.path = "version";
  c.summary = "Print the version";
  c.description = "Prints the version of plumb.";
  c.options = {help_option()};
  return c;
}

CommandSpec help_command() {
  CommandSpec c;
  c.path = "help";
  c.summary = "Show help for plumb or for one command";
  c.description = "The same as COMMAND --help.";
  c.arguments = {{"COMMAND", "The command to show help for.", Completes::nothing, true, false}};
  c.options = {help_option()};
  return c;
}

struct Tables {
  std::vector<CommandSpec> commands;
  std::vector<std::string_view> left_out;
};

Tables make_tables() {
  Tables tables;
  const auto add_all = [&tables](std::vector<CommandSpec> group, int (*run)(const Arguments&)) {
    for (CommandSpec& command : group) {
      command.run = run;
      tables.commands.push_back(std::move(command));
    }
  };
  const auto add = [&add_all](CommandSpec command, int (*run)(const Arguments&)) {
    add_all({std::move(command)}, run);
  };
  // What an edge build is without. `run` gives the function, so that the linker leaves out what it names.
  const auto add_all_of_whole = [&](const std::vector<CommandSpec>& group, auto run) {
    if constexpr (edge_build) {
      for (const CommandSpec& command : group) {
        tables.left_out.push_back(command.path);
      }
    } else {
      add_all(group, run());
    }
  };
  const auto add_of_whole = [&](CommandSpec command, auto run) { add_all_of_whole({std::move(command)}, run); };
  add(check_command(), run_check);
  add(contracts_list_command(), run_contracts_list);
  add(contracts_show_command(), run_contracts_show);
  add(contracts_check_command(), run_contracts_check);
  add_of_whole(contracts_derive_command(), [] { return run_contracts_derive; });
  add_of_whole(contracts_diff_command(), [] { return run_contracts_diff; });
  add_of_whole(contracts_lint_command(), [] { return run_contracts_lint; });
  add_of_whole(contracts_sample_command(), [] { return run_contracts_sample; });
  add(explain_command(), run_explain);
  add_of_whole(make_command(), [] { return run_make; });
  add_of_whole(judge_calibrate_command(), [] { return run_judge_calibrate; });
  add_of_whole(export_command(), [] { return run_export; });
  add_of_whole(research_command(), [] { return run_research; });
  add_of_whole(boundary_command(), [] { return run_boundary; });
  add_of_whole(discover_command(), [] { return run_discover; });
  add(providers_command(), run_providers);
  add_of_whole(trust_command(), [] { return run_trust; });
  add_of_whole(prompts_list_command(), [] { return run_prompts_list; });
  add_of_whole(prompts_show_command(), [] { return run_prompts_show; });
  add_of_whole(prompts_export_command(), [] { return run_prompts_export; });
  add_of_whole(prompts_check_command(), [] { return run_prompts_check; });
  add(serve_command(), run_serve);
  add_of_whole(mcp_command(), [] { return run_mcp; });
  add_of_whole(lsp_command(), [] { return run_lsp; });
  add_of_whole(budget_tokens_command(), [] { return run_budget_tokens; });
  add_all_of_whole(budget_commands(), [] { return run_budget; });
  add(models_list_command(), run_models_list);
  add_of_whole(search_command(), [] { return run_search; });
  add_of_whole(corpus_index_command(), [] { return run_corpus_index; });
  add_of_whole(corpus_status_command(), [] { return run_corpus_status; });
  add_all_of_whole(story_commands(), [] { return run_story; });
  add_all_of_whole(workflow_commands(), [] { return run_workflow; });
  add_all_of_whole(runs_commands(), [] { return run_runs; });
  add_all(keys_commands(), run_keys);
  add(completion_command(), run_completion);
  add(man_command(), run_man);
  add(version_command(), run_version);
  add(help_command(), run_help);
  return tables;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

}  // namespace

const std::vector<CommandSpec>& command_table() { return tables().commands; }

bool is_left_out(std::string_view path) {
  const auto known = [path](std::string_view one) {
    return one == path || (one.starts_with(path) && one[path.size()] == ' ');
  };
  return std::any_of(tables().left_out.begin(), tables().left_out.end(), known) &&
         std::none_of(tables().commands.begin(), tables().commands.end(),
                      [&](const CommandSpec& one) { return known(one.path); });
}

std::string left_out_text(std::string_view path) {
  return "'" + std::string(path) +
         "' is not in this build of plumb, the small one for edges. The full build has it, with the same contracts, "
         "stores and journals";
}

std::string_view group_summary(std::string_view group) {
  static constexpr std::pair<std::string_view, std::string_view> groups[] = {
      {"contracts", "List, show, check, compare and derive from contracts"},
      {"budget", "Compute tokens, context windows, pressure and risk"},
      {"judge", "Measure how often the judge of artifacts is wrong"},
      {"corpus", "Build and show the index of a folder of documents"},
      {"models", "List what is known about each model"},
      {"keys", "Create, list and revoke client keys of the proxy"},
      {"prompts", "List, show, export and check prompts"},
      {"story", "Make, check and ship branching stories"},
      {"workflow", "Carry out plans in a git repository, and check its changes"},
      {"runs", "List, show, replay, resume, cancel, export and import runs"},
  };
  for (const auto& [name, summary] : groups) {
    if (name == group) {
      return summary;
    }
  }
  return {};
}

const CommandSpec* find_command(std::string_view path) {
  for (const CommandSpec& command : command_table()) {
    if (command.path == path) {
      return &command;
    }
  }
  return nullptr;
}

}  // namespace plumb::cli
