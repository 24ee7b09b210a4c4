// Completion scripts from the command table: static text, so that a shell asks plumb only for what changes (contracts
// and rules).
#include <string>

#include "core/contract/contract.hpp"
#include "core/contract/explain.hpp"
#include "core/lint/rules.hpp"
#include "core/wording.hpp"
#include "native/cli/help_text.hpp"
#include "native/provider/profile.hpp"

namespace plumb::cli {

namespace {

std::string contract_names() {
  std::string out;
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    if (!out.empty()) {
      out += ' ';
    }
    out += built_in.name;
  }
  return out;
}

std::string rule_names() {
  std::string out;
  for (const contract::Explanation& explanation : contract::explanations()) {
    if (!out.empty()) {
      out += ' ';
    }
    // `$ref` would be a variable to the shells.
    for (char c : explanation.rule) {
      if (c == '$') {
        out += '\\';
      }
      out += c;
    }
  }
  for (const lint::LintRule& rule : lint::lint_rules()) {
    out += ' ';
    out += rule.id;
  }
  return out;
}

// What needs a model or a file after it ends with its slash.
std::string provider_names() {
  std::string out;
  for (const provider::KnownProvider& known : provider::known_providers()) {
    const std::size_t slash = known.form.find('/');
    out += (out.empty() ? "" : " ") + std::string(known.form.substr(0, slash)) +
           (slash == std::string_view::npos ? "" : "/");
  }
  return out;
}

std::vector<std::string_view> words_at(std::string_view group) {
  std::vector<std::string_view> words;
  for (const CommandSpec& command : command_table()) {
    if (group.empty()) {
      const std::string_view word = command.path.substr(0, command.path.find(' '));
      if (words.empty() || words.back() != word) {
        words.push_back(word);
      }
    } else if (command.path.substr(0, group.size() + 1) == std::string(group) + " ") {
      words.push_back(command.path.substr(group.size() + 1));
    }
  }
  return words;
}

std::string_view summary_of(std::string_view word) {
  const CommandSpec* command = find_command(word);
  return command != nullptr ? command->summary : group_summary(word);
}

// The words that have commands of their own after them.
std::vector<std::string_view> groups() {
  std::vector<std::string_view> out;
  for (std::string_view word : words_at("")) {
    if (find_command(word) == nullptr) {
      out.push_back(word);
    }
  }
  return out;
}

// What bash and zsh's bash mode run to fill COMPREPLY for one kind of thing.
std::string bash_reply(Completes kind, const std::vector<std::string_view>& choices) {
  switch (kind) {
    case Completes::file:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Completes::directory:
      return "COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Completes::contract:
      return "COMPREPLY=($(compgen -W '" + contract_names() + "' -- \"$cur\") $(compgen -f -- \"$cur\"))";
    case Completes::rule:
      return "COMPREPLY=($(compgen -W '" + rule_names() + "' -- \"$cur\"))";
    case Completes::provider:
      return "COMPREPLY=($(compgen -W '" + provider_names() + "' -- \"$cur\")); compopt -o nospace 2>/dev/null";
    case Completes::choice:
      return "COMPREPLY=($(compgen -W '" + joined(choices, " ") + "' -- \"$cur\"))";
    case Completes::nothing:
      break;
  }
  return "COMPREPLY=()";
}

std::string bash_script() {
  std::string out =
      "# bash completion for plumb\n"
      "_plumb() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" command=\"${COMP_WORDS[1]}\"\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      joined(words_at(""), " ") +
      "\" -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$command\" in\n";
  for (std::string_view group : groups()) {
    out += "    " + std::string(group) +
           ")\n"
           "      if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
           "        COMPREPLY=($(compgen -W \"" +
           joined(words_at(group), " ") +
           "\" -- \"$cur\"))\n"
           "        return\n"
           "      fi\n"
           "      command=\"" +
           std::string(group) + " ${COMP_WORDS[2]}\" ;;\n";
  }
  out +=
      "  esac\n"
      "  case \"$command\" in\n";
  for (const CommandSpec& command : command_table()) {
    out += "    '" + std::string(command.path) + "')\n";
    out += "      case \"$prev\" in\n";
    std::vector<std::string_view> names;
    for (const OptionSpec& option : command.options) {
      names.push_back(option.name);
      if (option.value.empty() || option.optional) {
        continue;
      }
      out += "        " + std::string(option.name);
      if (option.letter != 0) {
        out += std::string("|-") + option.letter;
      }
      out += ") " + bash_reply(option.completes, option.choices) + "; return ;;\n";
    }
    out += "      esac\n";
    out += "      case \"$cur\" in\n        -*) COMPREPLY=($(compgen -W \"" + joined(names, " ") +
           "\" -- \"$cur\")); return ;;\n";
    out += "      esac\n";
    if (!command.arguments.empty()) {
      out += "      " + bash_reply(command.arguments[0].completes, command.arguments[0].choices) + " ;;\n";
    } else {
      out += "      COMPREPLY=() ;;\n";
    }
  }
  out +=
      "  esac\n"
      "}\n"
      "complete -F _plumb plumb\n";
  return out;
}

// A description inside zsh's [...] or ':...'.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c != '`') {
      out += c;
    }
  }
  return out;
}

std::string zsh_action(Completes kind, const std::vector<std::string_view>& choices) {
  switch (kind) {
    case Completes::file:
      return "_files";
    case Completes::directory:
      return "_files -/";
    case Completes::contract:
      return "_plumb_contracts";
    case Completes::rule:
      return "_plumb_rules";
    case Completes::provider:
      return "(" + provider_names() + ")";
    case Completes::choice:
      return "(" + joined(choices, " ") + ")";
    case Completes::nothing:
      break;
  }
  return " ";
}

std::string first_sentence(std::string_view text) {
  const std::size_t end = text.find_first_of(".;");
  return std::string(text.substr(0, end));
}

std::string zsh_script() {
  std::string out =
      "#compdef plumb\n"
      "# zsh completion for plumb\n"
      "_plumb_contracts() { local -a names; names=(" +
      contract_names() +
      "); _describe contract names; _files }\n"
      "_plumb_rules() { local -a names; names=(" +
      rule_names() +
      "); _describe rule names }\n"
      "_plumb() {\n"
      "  local command=\"${words[2]}\"\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands\n"
      "    commands=(\n";
  for (std::string_view word : words_at("")) {
    out += "      '" + std::string(word) + ":" + zsh_text(summary_of(word)) + "'\n";
  }
  out +=
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local group=\n";
  for (std::string_view group : groups()) {
    out += "  if [[ $command == " + std::string(group) +
           " ]]; then\n"
           "    if (( CURRENT == 3 )); then\n"
           "      local -a commands\n"
           "      commands=(\n";
    for (std::string_view word : words_at(group)) {
      const std::string path = std::string(group) + " " + std::string(word);
      out += "        '" + std::string(word) + ":" + zsh_text(summary_of(path)) + "'\n";
    }
    out +=
        "      )\n"
        "      _describe command commands\n"
        "      return\n"
        "    fi\n"
        "    group=$command\n"
        "  fi\n";
  }
  out +=
      "  if [[ -n $group ]]; then\n"
      "    command=\"$group ${words[3]}\"\n"
      "    shift words; (( CURRENT-- ))\n"
      "  fi\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandSpec& command : command_table()) {
    out += "    '" + std::string(command.path) + "')\n      _arguments";
    for (const OptionSpec& option : command.options) {
      const std::string star = option.repeats ? "*" : "";
      const std::string help = "[" + zsh_text(first_sentence(option.help)) + "]";
      const std::string value = option.value.empty() ? ""
                                                     : (option.optional ? "::" : ":") + zsh_text(option.value) + ":" +
                                                           zsh_action(option.completes, option.choices);
      out += " \\\n        '" + star + std::string(option.name) + (option.optional ? "=-" : "") + help + value + "'";
      if (option.letter != 0) {
        out += " \\\n        '" + star + "-" + option.letter + help + value + "'";
      }
    }
    if (!command.arguments.empty()) {
      const ArgumentSpec& argument = command.arguments[0];
      out += " \\\n        '" + std::string(argument.repeats ? "*" : "1") + ":" + zsh_text(argument.name) + ":" +
             zsh_action(argument.completes, argument.choices) + "'";
    }
    out += " ;;\n";
  }
  // Both as a file in fpath and through `source <(plumb completion zsh)`.
  out +=
      "  esac\n"
      "}\n"
      "if [ \"${funcstack[1]}\" = \"_plumb\" ]; then _plumb \"$@\"; else compdef _plumb plumb; fi\n";
  return out;
}

std::string fish_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'' || c == '\\') {
      out += '\\';
    }
    if (c != '`') {
      out += c;
    }
  }
  return out;
}

std::string fish_arguments(Completes kind, const std::vector<std::string_view>& choices) {
  switch (kind) {
    case Completes::file:
      return " -r -F";
    case Completes::directory:
      return " -x -a '(__fish_complete_directories)'";
    case Completes::contract:
      return " -r -F -a '" + contract_names() + "'";
    case Completes::rule:
      return " -x -a '" + rule_names() + "'";
    case Completes::provider:
      return " -x -a '" + provider_names() + "'";
    case Completes::choice:
      return " -x -a '" + joined(choices, " ") + "'";
    case Completes::nothing:
      break;
  }
  return " -x";
}

std::string fish_script() {
  std::string out =
      "# fish completion for plumb\n"
      "complete -c plumb -f\n";
  for (std::string_view word : words_at("")) {
    out += "complete -c plumb -n __fish_use_subcommand -a " + std::string(word) + " -d '" +
           fish_text(summary_of(word)) + "'\n";
  }
  for (std::string_view group : groups()) {
    const std::string seconds = joined(words_at(group), " ");
    for (std::string_view word : words_at(group)) {
      const std::string path = std::string(group) + " " + std::string(word);
      out += "complete -c plumb -n '__fish_seen_subcommand_from " + std::string(group) +
             "; and not __fish_seen_subcommand_from " + seconds + "' -a " + std::string(word) + " -d '" +
             fish_text(summary_of(path)) + "'\n";
    }
  }
  for (const CommandSpec& command : command_table()) {
    const std::size_t space = command.path.find(' ');
    std::string when = "'__fish_seen_subcommand_from " + std::string(command.path.substr(0, space));
    if (space != std::string_view::npos) {
      when += "; and __fish_seen_subcommand_from " + std::string(command.path.substr(space + 1));
    } else {
      when += "; and not __fish_seen_subcommand_from " + joined(groups(), " ");
    }
    when += "'";
    for (const OptionSpec& option : command.options) {
      out += "complete -c plumb -n " + when + " -l " + std::string(option.name.substr(2));
      if (option.letter != 0) {
        out += std::string(" -s ") + option.letter;
      }
      if (!option.value.empty() && !option.optional) {
        out += fish_arguments(option.completes, option.choices);
      }
      out += " -d '" + fish_text(first_sentence(option.help)) + "'\n";
    }
    if (!command.arguments.empty() && command.arguments[0].completes != Completes::nothing) {
      std::string what = fish_arguments(command.arguments[0].completes, command.arguments[0].choices);
      // After -n an argument list has no -r or -x: those are about an option's value.
      for (std::string_view mark : {" -r", " -x"}) {
        const std::size_t at = what.find(mark);
        if (at != std::string::npos) {
          what.erase(at, mark.size());
        }
      }
      out += "complete -c plumb -n " + when + what + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "zsh") {
    return zsh_script();
  }
  if (shell == "fish") {
    return fish_script();
  }
  return bash_script();
}

}  // namespace plumb::cli
