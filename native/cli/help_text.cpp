#include "native/cli/help_text.hpp"

#include <algorithm>

#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

std::string option_left(const OptionSpec& option) {
  std::string left = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";
  left += option.name;
  if (!option.value.empty()) {
    left += option.optional ? "[=" : " ";
    left += option.value;
    left += option.optional ? "]" : "";
  }
  return left;
}

std::string option_right(const OptionSpec& option) {
  std::string right(option.help);
  if (!option.choices.empty() && option.help.find(option.choices.front()) == std::string_view::npos) {
    right += " One of";
    for (std::size_t i = 0; i < option.choices.size(); ++i) {
      right += i == 0 ? " " : ", ";
      right += option.choices[i];
    }
    right += '.';
  }
  if (option.repeats) {
    right += " May be repeated.";
  }
  if (!option.default_text.empty()) {
    right += " Default: " + std::string(option.default_text) + ".";
  }
  return right;
}

void two_columns(std::string& out, const std::string& left, std::size_t left_width, const std::string& shown_left,
                 std::string_view right, std::size_t columns) {
  out += "  " + shown_left;
  const std::size_t indent = left_width + 4;
  if (left.size() > left_width) {
    out += "\n" + std::string(indent, ' ');
  } else {
    out.append(indent - 2 - left.size(), ' ');
  }
  out += wrapped(right, indent, columns);
  out += '\n';
}

}  // namespace

const std::vector<HelpSection>& help_sections() {
  static const std::vector<HelpSection> sections = {
      {"Most used", {"check", "explain", "contracts derive", "make", "serve"}},
      {"Check and contracts", {"contracts", "lsp", "budget"}},
      {"Serve", {"mcp", "keys", "providers", "models", "trust"}},
      {"Pipelines",
       {"research", "discover", "boundary", "workflow", "story", "runs", "judge", "export", "prompts", "search",
        "corpus"}},
      {"Help", {"help", "man", "completion", "version"}},
  };
  return sections;
}

std::string usage_line(const CommandSpec& command) {
  std::string line = "plumb " + std::string(command.path);
  if (command.options.size() > 1) {
    line += " [OPTIONS]";
  }
  for (const ArgumentSpec& argument : command.arguments) {
    std::string name(argument.name);
    if (argument.repeats) {
      name += "...";
    }
    line += argument.required ? " " + name : " [" + name + "]";
  }
  return line;
}

std::string help_overview(std::string_view group, const contract::TextStyle& style, std::size_t columns) {
  columns = std::min<std::size_t>(columns, 100);
  std::string out;
  if (group.empty()) {
    out += bold("plumb", style) + " checks what a model produced, and repairs it.\n\n";
  }
  out += bold("Usage", style) + "\n  plumb " + (group.empty() ? std::string() : std::string(group) + " ") +
         "COMMAND [OPTIONS] ...\n";
  const auto line = [&](std::string_view left, std::string_view summary) {
    const std::string shown(left);
    two_columns(out, shown, 16, cyan(shown, style), summary, columns);
  };
  if (!group.empty()) {
    out += "\n" + bold("Commands", style) + "\n";
    for (const CommandSpec& command : command_table()) {
      if (command.path.starts_with(std::string(group) + " ")) {
        line(command.path, command.summary);
      }
    }
  } else {
    for (const HelpSection& section : help_sections()) {
      out += "\n" + bold(section.title, style) + "\n";
      for (const std::string_view word : section.words) {
        if (const CommandSpec* command = find_command(word)) {
          line(word, command->summary);
        } else if (!is_left_out(word)) {
          line(word, group_summary(word));
        }
      }
    }
  }
  out += "\n'plumb help COMMAND' shows more.\n";
  return out;
}

std::string help_of(const CommandSpec& command, const contract::TextStyle& style, std::size_t columns) {
  columns = std::min<std::size_t>(columns, 100);
  std::string out(command.summary);
  out += ".\n\n" + bold("Usage", style) + "\n  " + usage_line(command) + "\n\n";
  out += wrapped(command.description, 0, columns) + "\n";
  if (!command.options.empty()) {
    out += "\n" + bold("Options", style) + "\n";
    for (const OptionSpec& option : command.options) {
      const std::string left = option_left(option);
      two_columns(out, left, 24, cyan(left, style), option_right(option), columns);
    }
  }
  if (command.path == "check") {
    out += "\n" + bold("Exit codes", style) + "\n";
    for (const ExitCode& code : exit_codes()) {
      two_columns(out, std::string(1, code.digit), 1, cyan(std::string(1, code.digit), style), code.meaning, columns);
    }
  }
  if (!command.examples.empty()) {
    out += "\n" + bold("Examples", style) + "\n";
    for (std::string_view example : command.examples) {
      const std::size_t tab = example.find('\t');
      out += "  " + std::string(example.substr(0, tab)) + "\n";
      if (tab != std::string_view::npos) {
        out += "      " + dim(example.substr(tab + 1), style) + "\n";
      }
    }
  }
  return out;
}

}  // namespace plumb::cli
