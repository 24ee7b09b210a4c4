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
       "The JSON Schema dialect of a contract that has no `$schema`; v1, which is not published yet, is read only with "
       "this.",
       Completes::choice,
       false},
      {"--assert-formats",
       0,
       "",
       {},
       "",
       "`format` breaks a value; without it, it only describes.",
       Completes::nothing,
       false},
      {"--schema",
       0,
       "URI=FILE",
       {},
       "",
       "A document that the contract may refer to by this URI. Nothing is ever fetched.",
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
       "No symbols outside ASCII (also when the locale is not UTF-8).",
       Completes::nothing,
       false},
      {"--color",
       0,
       "WHEN",
       {"auto", "always", "never"},
       "auto",
       "Colours in text. `auto`: on a terminal, unless NO_COLOR is set.",
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
      "Reads each artifact, judges it under its contract and reports what is wrong: which rule, where (file, line and "
      "column), what was there, what is required.\n\n"
      "PATH is a file, a directory (searched for *.json, *.jsonl and *.ndjson; hidden directories and node_modules are "
      "left out), a quoted glob (*, ?, [abc], {a,b}, ** for any directories), '!GLOB' for what is to be left out, or - "
      "for standard input. A .jsonl or "
      ".ndjson file holds one artifact a line, named FILE:LINE. Files are read in pieces; a file of any size takes "
      "little memory.\n\n"
      "The contract is given by --contract, or by the globs in plumb.yaml, which is looked for here and in the "
      "directories above. Without PATH everything that plumb.yaml names is checked.";
  c.arguments = {{"PATH", "Files, directories, quoted globs, or - for standard input.", Completes::file, true, false}};
  c.options = {
      {"--contract",
       'c',
       "NAME|FILE",
       {},
       "",
       "A built-in contract by its name, or a contract file.",
       Completes::contract,
       false},
      {"--context",
       0,
       "FILE",
       {},
       "",
       "A JSON document that the contract's `context:` pointers read.",
       Completes::file,
       false},
      {"--format",
       'f',
       "FORMAT",
       {"text", "short", "json", "jsonl", "sarif", "junit", "github", "llm", "scorecard"},
       "text",
       "text for people, short a line FILE:LINE:COLUMN a finding, json one document, jsonl one verdict a line, sarif "
       "2.1.0, junit XML, github workflow commands, llm feedback for a model, scorecard the lines of a role's "
       "scorecard with reasons and labels.",
       Completes::choice,
       false},
      {"--output",
       'o',
       "FILE",
       {},
       "",
       "Write the report there instead of to standard output.",
       Completes::file,
       false},
      {"--tool",
       0,
       "NAME",
       {},
       "",
       "With llm: the tool that the model shall call again with corrected data.",
       Completes::nothing,
       false},
      {"--action",
       0,
       "TEXT",
       {},
       "",
       "With llm: what the model shall do, in your own words.",
       Completes::nothing,
       false},
      {"--fail-on",
       0,
       "LEVEL",
       {"error", "warning", "info", "never"},
       "error",
       "The least severity of a finding that gives exit code 1.",
       Completes::choice,
       false},
      {"--exit-zero",
       0,
       "",
       {},
       "",
       "Exit with 0 though there are findings. Exit code 2 stays 2.",
       Completes::nothing,
       false},
      {"--quiet",
       'q',
       "",
       {},
       "",
       "Findings only: no clean artifacts, summary, notes or progress in text.",
       Completes::nothing,
       false},
      {"--stream",
       0,
       "",
       {},
       "",
       "Read one artifact from standard input as it comes; print each finding the moment it is certain, with the byte "
       "that made it so, then the verdict. With text or jsonl.",
       Completes::nothing,
       false},
      {"--fix",
       0,
       "LEVEL",
       {"certain", "guess"},
       "",
       "Edit what is around the JSON or no JSON, or not in the form the contract asks for, and write the files back. "
       "`certain`: edits that allow no other reading; `guess`: the likeliest reading too. The edited text of - goes to "
       "standard output and the report to standard error.",
       Completes::choice,
       false,
       true},
      {"--edits",
       0,
       "LEVEL|CLASS=LEVEL",
       {},
       "none",
       "Judge the text as edited, and write nothing back: none, certain or guess, for all classes of edits or for one.",
       Completes::nothing,
       true},
      {"--diff",
       0,
       "",
       {},
       "",
       "Show what the edits change, and write nothing back. With text.",
       Completes::nothing,
       false},
      {"--lines",
       0,
       "",
       {},
       "",
       "Every input holds one artifact a line, whatever its name.",
       Completes::nothing,
       false},
      {"--from",
       0,
       "PARTY",
       {"openai", "anthropic", "otlp", "plumb"},
       "",
       "Every input is a log of recorded calls of models, a record a line or all in one JSON document; what was "
       "answered "
       "is judged. openai: chat completions, responses, batch output; anthropic: messages, batch results; otlp: spans "
       "and logs by OpenTelemetry's GenAI conventions; plumb: what the proxy recorded, and exported runs.",
       Completes::choice,
       false},
      {"--calls",
       0,
       "TOOL",
       {},
       "",
       "With --from: judge the arguments of the calls of this tool, not the texts.",
       Completes::nothing,
       false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  const std::vector<OptionSpec> rest = {
      {"--max-depth", 0, "N", {}, "1024", "Levels of nesting; deeper is a `limit` finding.", Completes::nothing, false},
      {"--max-bytes",
       0,
       "N",
       {},
       "1G",
       "Bytes of one artifact; more is a `limit` finding. K, M and G are understood.",
       Completes::nothing,
       false},
      {"--max-steps",
       0,
       "N",
       {},
       "0",
       "Steps of work for one artifact, some ten nanoseconds each; more is a `limit` finding. 0: no bound.",
       Completes::nothing,
       false},
      {"--jobs",
       'j',
       "N",
       {},
       "all cores",
       "Artifacts judged at the same time. The output does not depend on it.",
       Completes::nothing,
       false},
      {"--exclude",
       0,
       "GLOB",
       {},
       "",
       "Leave out what matches, and all below a directory that matches: a name at any depth, or with a / a path. Also "
       "as PATH "
       "'!GLOB'.",
       Completes::file,
       true},
      {"--staged",
       0,
       "",
       {},
       "",
       "Read artifacts, contracts and plumb.yaml from git's index, as they will be committed. Without PATH: every "
       "staged file that an entry of plumb.yaml matches. For a pre-commit hook.",
       Completes::nothing,
       false},
      {"--skip-unmatched",
       0,
       "",
       {},
       "",
       "Leave out a PATH that no entry of plumb.yaml matches, where it would be an error: for hooks that name every "
       "changed file.",
       Completes::nothing,
       false},
      {"--gitignore",
       0,
       "",
       {},
       "",
       "Leave out what .gitignore files leave out, of what is searched. Not so by default: artifacts are often "
       "ignored.",
       Completes::nothing,
       false},
      {"--config", 0, "FILE", {}, "", "Read this instead of looking for plumb.yaml.", Completes::file, false},
      {"--no-config", 0, "", {}, "", "Do not look for plumb.yaml.", Completes::nothing, false},
  };
  c.options.insert(c.options.end(), rest.begin(), rest.end());
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {
      "plumb check --contract quiz answer.json\tone file",
      "plumb check --contract flashcards 'out/**/cards-*.jsonl' --format jsonl\ta quoted glob, one verdict a line",
      "model | plumb check --contract quiz --stream\tfindings while the model is still writing",
      "plumb check --contract quiz --fix answer.json\tedits it, as far as that is certain, and writes it back",
      "plumb check --contract quiz --from openai yesterday.jsonl\twhat was answered yesterday, judged again",
      "plumb check\teverything that plumb.yaml names",
      "plumb check --format sarif --output plumb.sarif\tfor code scanning",
  };
  return c;
}

CommandSpec contracts_list_command() {
  CommandSpec c;
  c.path = "contracts list";
  c.summary = "List the built-in contracts and those of plumb.yaml";
  c.description = "One line a contract: its name, its title and the hash that verdicts carry.";
  c.options = look_options();
  c.options.push_back({"--json", 0, "", {}, "", "As one JSON document.", Completes::nothing, false});
  c.options.push_back(help_option());
  c.examples = {"plumb contracts list"};
  return c;
}

CommandSpec contracts_show_command() {
  CommandSpec c;
  c.path = "contracts show";
  c.summary = "Show what a contract asks for";
  c.description =
      "Title, hash, the rules of its scorecard, what it says for each broken keyword, the context it reads and the "
      "documents it refers to.";
  c.arguments = {
      {"NAME|FILE", "A built-in contract by its name, or a contract file.", Completes::contract, false, true}};
  c.options = contract_reading_options();
  c.options.push_back({"--json", 0, "", {}, "", "Print the contract's text instead.", Completes::nothing, false});
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb contracts show quiz", "plumb contracts show quiz --json > my-quiz.json\ta start for your own"};
  return c;
}

CommandSpec contracts_check_command() {
  CommandSpec c;
  c.path = "contracts check";
  c.summary = "Is this file a contract? Where not, and why";
  c.description =
      "Reads each file as a contract. Errors and warnings are printed as FILE:LINE:COLUMN. Exit code 0: contracts all; "
      "1: one is no contract; 2: one could not be read.";
  c.arguments = {{"FILE", "Contract files.", Completes::file, true, true}};
  c.options = contract_reading_options();
  c.options.push_back({"--strict", 0, "", {}, "", "Warnings give exit code 1 too.", Completes::nothing, false});
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
  c.summary = "Write what tells a model or a program beforehand what a contract wants";
  c.description =
      "Prints the target on standard output. On standard error it tells the cost in tokens, the rules that the "
      "target does not enforce, and what it forbids though the contract allows it, each with its place in the "
      "contract. "
      "Whatever the target allows and the residual accepts, the contract accepts.\n\n"
      "A contract that the target cannot express is an error that names the place: exit code 2.";
  c.arguments = {
      {"NAME|FILE", "A built-in contract by its name, or a contract file.", Completes::contract, false, true}};
  c.options = {
      {"--to",
       't',
       "TARGET",
       {"prompt", "openai-strict", "openai", "anthropic", "gemini", "gbnf", "json-schema", "typescript", "zod",
        "pydantic", "page", "html"},
       "",
       "prompt text for a model; openai-strict, openai a response_format; anthropic a tool definition; gemini a "
       "responseSchema; gbnf a grammar for llama.cpp; json-schema the contract for any validator, its own keywords as "
       "x-plumb-NAME; typescript types; zod, pydantic schemas for these libraries; page, html documentation.",
       Completes::choice,
       false},
      {"--residual",
       0,
       "",
       {},
       "",
       "Print a contract of the rules that the target does not enforce instead of the target.",
       Completes::nothing,
       false},
      {"--format",
       'f',
       "FORMAT",
       {"text", "json"},
       "text",
       "text the target alone; json target, residual, its contract, narrowings and tokens in one document.",
       Completes::choice,
       false},
      {"--quiet", 'q', "", {}, "", "Nothing on standard error but errors.", Completes::nothing, false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {
      "plumb contracts derive quiz --to openai-strict\ta response_format, and what it leaves out",
      "plumb contracts derive quiz --to gbnf --residual > rest.json\twhat to check after the grammar",
      "plumb contracts derive quiz --to typescript -q > quiz.ts",
  };
  return c;
}

CommandSpec explain_command() {
  CommandSpec c;
  c.path = "explain";
  c.summary = "What a rule means and how to fix what breaks it";
  c.description =
      "RULE is a keyword of JSON Schema (minItems), a keyword of the Plumbline vocabulary (memberOf) or a built-in "
      "kind "
      "of finding (syntax, duplicateKey, limit), or a rule of `plumb contracts lint` (never-holds). Without RULE all "
      "are listed.";
  c.arguments = {{"RULE", "The rule, as a finding names it.", Completes::rule, false, false}};
  c.options = look_options();
  c.options.push_back(help_option());
  c.examples = {"plumb explain distinct", "plumb explain\tlist all"};
  return c;
}

CommandSpec completion_command() {
  CommandSpec c;
  c.path = "completion";
  c.summary = "Print the completion script of a shell";
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
  c.description = "The manual page plumb(1), as roff.";
  c.options = {help_option()};
  c.examples = {"plumb man | man -l -"};
  return c;
}

CommandSpec version_command() {
  CommandSpec c;
  c.path = "version";
  c.summary = "Print the version";
  c.description = "The version of plumb.";
  c.options = {help_option()};
  return c;
}

CommandSpec help_command() {
  CommandSpec c;
  c.path = "help";
  c.summary = "Show help, of a command when one is named";
  c.description = "The same as COMMAND --help.";
  c.arguments = {{"COMMAND", "The command to show help of.", Completes::nothing, true, false}};
  c.options = {help_option()};
  return c;
}

}  // namespace

namespace {

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
  // What an edge build is without. `run` gives the function: where nobody calls it, the linker leaves out what it
  // names.
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
         "' is not in this build of plumb, the small one for edges; the whole one has it, with the same contracts, "
         "stores "
         "and journals";
}

std::string_view group_summary(std::string_view group) {
  static constexpr std::pair<std::string_view, std::string_view> groups[] = {
      {"contracts", "List, show, check, compare and derive from contracts"},
      {"budget", "Tokens, windows, pressure and risk: what fits, what is cut, what it calls for"},
      {"corpus", "Make and show the index of a folder of documents"},
      {"models", "What is known of each model"},
      {"keys", "Create, list and revoke client keys of the proxy"},
      {"prompts", "List, show, export and check prompts"},
      {"story", "Make, check and ship branching stories"},
      {"workflow", "Carry out plans in a repository, and judge what was changed in it"},
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
