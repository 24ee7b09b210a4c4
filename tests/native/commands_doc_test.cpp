// docs/commands.md is written from the command table. PLUMB_REWRITE=1 writes it.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/command_table.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/help_text.hpp"
#include "tests/native/generated_page.hpp"
#include "tests/native/wrapped_text.hpp"

using namespace plumb;
using namespace plumb::cli;
using plumb::test::markdown;

namespace {

constexpr std::string_view head = R"(# Commands

Look up a command of `plumb`: its arguments, options and examples. `plumb help COMMAND` prints the same.

```sh
plumb help check
```

Brackets mean that an argument is optional, and `...` that it may be repeated. Write the value of an option after a
space or `=`: `--format json` and `--format=json` are the same. [Settings](settings.md) lists the keys of plumb.yaml.
This page is generated from the tables of the code.
)";

// An option that this many commands have is described once.
constexpr std::size_t sharers_min = 6;

bool same(const OptionSpec& a, const OptionSpec& b) {
  return a.name == b.name && a.letter == b.letter && a.value == b.value && a.choices == b.choices &&
         a.default_text == b.default_text && a.help == b.help && a.repeats == b.repeats && a.optional == b.optional;
}

std::size_t sharers_of(const OptionSpec& option) {
  const auto has_it = [&](const CommandSpec& command) {
    return std::any_of(command.options.begin(), command.options.end(),
                       [&](const OptionSpec& other) { return same(option, other); });
  };
  return static_cast<std::size_t>(std::count_if(command_table().begin(), command_table().end(), has_it));
}

// In the order in which commands have them. Of several with one name, the one that most commands have.
std::vector<const OptionSpec*> make_shared() {
  std::vector<const OptionSpec*> out;
  for (const CommandSpec& command : command_table()) {
    for (const OptionSpec& option : command.options) {
      const auto at = std::find_if(out.begin(), out.end(), [&](auto* other) { return other->name == option.name; });
      const std::size_t sharers = sharers_of(option);
      if (at == out.end() && sharers >= sharers_min) {
        out.push_back(&option);
      } else if (at != out.end() && sharers > sharers_of(**at)) {
        *at = &option;
      }
    }
  }
  return out;
}

const std::vector<const OptionSpec*>& shared_options() {
  static const std::vector<const OptionSpec*> shared = make_shared();
  return shared;
}

bool is_shared(const OptionSpec& option) {
  return std::any_of(shared_options().begin(), shared_options().end(),
                     [&](const OptionSpec* other) { return same(option, *other); });
}

// Each command once, in the first section that has it.
std::vector<std::vector<const CommandSpec*>> commands_by_section() {
  std::vector<std::vector<const CommandSpec*>> out;
  std::vector<const CommandSpec*> seen;
  for (const HelpSection& section : help_sections()) {
    out.emplace_back();
    for (const std::string_view word : section.words) {
      for (const CommandSpec& command : command_table()) {
        const bool named = command.path == word || command.path.starts_with(std::string(word) + " ");
        if (named && std::find(seen.begin(), seen.end(), &command) == seen.end()) {
          seen.push_back(&command);
          out.back().push_back(&command);
        }
      }
    }
  }
  return out;
}

std::string anchor(std::string_view path) {
  std::string out = "#plumb-" + std::string(path);
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

std::string code(std::string_view text) { return "`" + markdown(text, true) + "`"; }

std::string option_row(const OptionSpec& option) {
  std::string value(option.value);
  if (!option.choices.empty()) {
    value.clear();
    for (const std::string_view choice : option.choices) {
      value += (value.empty() ? "" : ", ") + std::string(choice);
    }
  }
  if (option.optional) {
    value += "; without a value: " + std::string(option.choices.front());
  }
  std::string out = "| " + code(option.name);
  out += option.letter != 0 ? ", `-" + std::string(1, option.letter) + "`" : "";
  out += " | " + markdown(value, true) + " | ";
  out += markdown(option.help, true) + (option.repeats ? " May be repeated." : "") + " | ";
  return out + markdown(option.default_text, true) + " |\n";
}

constexpr std::string_view option_table = "\n| option | value | meaning | default |\n| --- | --- | --- | --- |\n";

std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    out += "\n" + test::wrapped(markdown(text.substr(0, end))) + "\n";
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

std::string arguments_of(const CommandSpec& command) {
  std::string out;
  for (const ArgumentSpec& one : command.arguments) {
    out += "| " + code(one.name) + (one.required ? " (required)" : "") + " | " + markdown(one.help, true) + " |\n";
  }
  return out.empty() ? out : "\n| argument | meaning |\n| --- | --- |\n" + out;
}

std::string options_of(const CommandSpec& command) {
  std::string own;
  std::string shared;
  for (const OptionSpec& option : command.options) {
    if (is_shared(option)) {
      shared += (shared.empty() ? "" : ", ") + std::string("`") + std::string(option.name) + "`";
    } else {
      own += option_row(option);
    }
  }
  own = own.empty() ? own : std::string(option_table) + own;
  return own + (shared.empty() ? "" : "\n" + test::wrapped("[Shared options](#shared-options): " + shared) + "\n");
}

std::string examples_of(const CommandSpec& command) {
  std::string out;
  for (const std::string_view example : command.examples) {
    const std::size_t tab = example.find('\t');
    out += tab == std::string_view::npos ? "" : "# " + std::string(example.substr(tab + 1)) + "\n";
    out += std::string(example.substr(0, tab)) + "\n";
  }
  return out.empty() ? out : "\n```text\n" + out + "```\n";
}

std::string section_of(const CommandSpec& command) {
  std::string out = "\n## plumb " + std::string(command.path) + "\n\n" + std::string(command.summary) + ".\n";
  out += "\n```text\n" + usage_line(command) + "\n```\n" + paragraphs(command.description);
  return out + arguments_of(command) + options_of(command) + examples_of(command);
}

std::string contents() {
  std::string out = "\n| | command | purpose |\n| --- | --- | --- |\n";
  std::size_t section = 0;
  for (const auto& commands : commands_by_section()) {
    std::string_view title = help_sections()[section++].title;
    for (const CommandSpec* one : commands) {
      out += "| " + std::string(title) + " | [`plumb " + std::string(one->path) + "`](" + anchor(one->path) + ") | " +
             markdown(one->summary, true) + " |\n";
      title = {};
    }
  }
  return out;
}

std::string shared_section() {
  std::string out = "\n## Shared options\n\nMany commands have these options.\n" + std::string(option_table);
  for (const OptionSpec* option : shared_options()) {
    out += option_row(*option);
  }
  return out;
}

std::string commands_page() {
  std::string out(head);
  out += contents() + "\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n";
  for (const ExitCode& one : exit_codes()) {
    out += "| " + std::string(1, one.digit) + " | " + markdown(one.meaning, true) + " |\n";
  }
  out += shared_section();
  for (const auto& commands : commands_by_section()) {
    for (const CommandSpec* one : commands) {
      out += section_of(*one);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("docs: the page of commands is what the command table says") {
  test::hold_page("docs/commands.md", commands_page());
}

TEST_CASE("docs: every command is in a section of the help, and so on the page of commands") {
  std::size_t listed = 0;
  for (const auto& commands : commands_by_section()) {
    listed += commands.size();
  }
  CHECK(listed == command_table().size());
}
