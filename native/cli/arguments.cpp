#include "native/cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "native/base/near_miss.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

Error usage(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

// CLI11 takes the words apart; every value stays a string, so that the table alone says what is allowed.
struct Bound {
  const CommandSpec* spec = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::map<std::string, std::size_t, std::less<>> flags;
  std::vector<std::string> positionals;
};

std::string option_names(const OptionSpec& option) {
  std::string names(option.name);
  if (option.letter != 0) {
    names = std::string("-") + option.letter + "," + names;
  }
  return names;
}

void bind(Bound& bound, CLI::App& app, const CommandSpec& spec) {
  bound.spec = &spec;
  bound.app = &app;
  app.allow_extras();
  for (const OptionSpec& option : spec.options) {
    if (option.name == "--help") {
      app.set_help_flag(option_names(option), std::string(option.help));
    } else if (option.value.empty()) {
      app.add_flag(option_names(option), bound.flags[std::string(option.name)])
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else {
      app.add_option(option_names(option), bound.values[std::string(option.name)])
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  if (!spec.arguments.empty()) {
    app.add_option("words", bound.positionals)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

std::vector<std::string_view> option_list(const CommandSpec& spec) {
  std::vector<std::string_view> names;
  for (const OptionSpec& option : spec.options) {
    names.push_back(option.name);
  }
  return names;
}

std::vector<std::string_view> first_words() {
  std::vector<std::string_view> words;
  for (const CommandSpec& command : command_table()) {
    const std::string_view word = command.path.substr(0, command.path.find(' '));
    if (words.empty() || words.back() != word) {
      words.push_back(word);
    }
  }
  return words;
}

std::vector<std::string_view> second_words(std::string_view group) {
  std::vector<std::string_view> words;
  for (const CommandSpec& command : command_table()) {
    if (command.path.size() > group.size() && command.path.starts_with(group) && command.path[group.size()] == ' ') {
      words.push_back(command.path.substr(group.size() + 1));
    }
  }
  return words;
}

std::string choices_text(const std::vector<std::string_view>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    text += i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

// CLI11 says what is wrong in its own words; ours name the command and where to read on.
Error from_cli11(const CLI::ParseError& error, const std::string& path) {
  std::string message = error.what();
  const std::size_t end = message.find('\n');
  if (end != std::string::npos) {
    message.resize(end);
  }
  return usage(message + "; see 'plumb " + path + " --help'");
}

// Why there is no command that begins with this word.
Error no_command(const std::string& first) {
  if (is_left_out(first)) {
    return usage(left_out_text(first));
  }
  if (!first.empty() && first.front() == '-') {
    return usage("unknown option '" + first + "'" + did_you_mean(first, {"--help", "--version"}) +
                 "; options come after a command: plumb check " + first + " ...");
  }
  return usage("unknown command '" + first + "'" + did_you_mean(first, first_words()) + "; commands are " +
               choices_text(first_words()));
}

// An option whose value may be left out is given the first of its choices.
std::vector<std::string> with_usual_choices(const CommandSpec& spec, std::vector<std::string> rest) {
  for (std::string& word : rest) {
    if (word == "--") {
      break;
    }
    for (const OptionSpec& option : spec.options) {
      if (option.optional && word == option.name) {
        word += "=" + std::string(option.choices.front());
      }
    }
  }
  return rest;
}

// What the command does not take.
std::optional<Error> wrong_extra(const std::vector<std::string>& extras, const CommandSpec& spec,
                                 const std::string& path) {
  for (const std::string& extra : extras) {
    if (extra == "--") {
      continue;  // what comes after it are arguments, whatever they look like
    }
    if (extra.size() > 1 && extra.front() == '-') {
      const std::string name = extra.substr(0, extra.find('='));
      return usage("unknown option '" + name + "' of 'plumb " + path + "'" + did_you_mean(name, option_list(spec)) +
                   "; see 'plumb " + path + " --help'");
    }
    return usage("'plumb " + path + "' does not take '" + extra + "'; see 'plumb " + path + " --help'");
  }
  return std::nullopt;
}

using Values = std::map<std::string, std::vector<std::string>, std::less<>>;

std::optional<Error> take_values(const CommandSpec& spec, const Bound& bound, Values& values) {
  for (const OptionSpec& option : spec.options) {
    const auto flag = bound.flags.find(option.name);
    if (flag != bound.flags.end() && flag->second > 0) {
      values[std::string(option.name)] = {};
    }
    const auto value = bound.values.find(option.name);
    if (value == bound.values.end() || value->second.empty()) {
      continue;
    }
    if (!option.repeats && value->second.size() > 1) {
      return usage("'" + std::string(option.name) + "' is given more than once");
    }
    for (const std::string& text : value->second) {
      if (!option.choices.empty() &&
          std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end()) {
        return usage("'" + std::string(option.name) + " " + text + "'" + did_you_mean(text, option.choices) +
                     ": must be " + choices_text(option.choices));
      }
    }
    values[std::string(option.name)] = value->second;
  }
  return std::nullopt;
}

std::optional<Error> wrong_positionals(const CommandSpec& spec, const std::string& path,
                                       const std::vector<std::string>& given) {
  const std::vector<ArgumentSpec>& wanted = spec.arguments;
  if (!wanted.empty()) {
    if (wanted[0].required && given.empty()) {
      return usage("'plumb " + path + "' needs " + std::string(wanted[0].name) + "; see 'plumb " + path + " --help'");
    }
    const std::size_t most = wanted.size();
    if (!wanted.back().repeats && given.size() > most) {
      return usage("'plumb " + path + "' takes one " + std::string(wanted.back().name) + "; '" + given[most] +
                   "' is one too many");
    }
    if (!wanted[0].choices.empty()) {
      for (const std::string& text : given) {
        if (std::find(wanted[0].choices.begin(), wanted[0].choices.end(), text) == wanted[0].choices.end()) {
          return usage("'" + text + "'" + did_you_mean(text, wanted[0].choices) + ": must be " +
                       choices_text(wanted[0].choices));
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Arguments> Arguments::parse(const std::vector<std::string>& words) {
  Arguments arguments;
  if (words.empty()) {
    return arguments;
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") {
    arguments.help_wanted_ = true;
    return arguments;
  }
  if (first == "--version" || first == "-V") {
    arguments.version_wanted_ = true;
    return arguments;
  }

  // The command is one or two words; what follows is CLI11's.
  std::size_t used = 1;
  const CommandSpec* spec = find_command(first);
  if (spec == nullptr) {
    const std::vector<std::string_view> seconds = second_words(first);
    if (seconds.empty()) {
      return no_command(first);
    }
    arguments.group_ = first;
    if (words.size() == 1) {
      return arguments;
    }
    if (words[1] == "--help" || words[1] == "-h") {
      arguments.help_wanted_ = true;
      return arguments;
    }
    spec = find_command(first + " " + words[1]);
    if (spec == nullptr) {
      if (is_left_out(first + " " + words[1])) {
        return usage(left_out_text(first + " " + words[1]));
      }
      return usage("unknown command '" + first + " " + words[1] + "'" + did_you_mean(words[1], seconds) + "; it is " +
                   choices_text(seconds));
    }
    used = 2;
  }

  const std::string path(spec->path);
  CLI::App app("", "plumb " + path);
  Bound bound;
  bind(bound, app, *spec);
  std::vector<std::string> rest =
      with_usual_choices(*spec, {words.begin() + static_cast<std::ptrdiff_t>(used), words.end()});
  std::reverse(rest.begin(), rest.end());  // as CLI11 wants them
  try {
    app.parse(std::move(rest));
  } catch (const CLI::CallForHelp&) {
    arguments.command_ = spec;
    arguments.help_wanted_ = true;
    return arguments;
  } catch (const CLI::ParseError& error) {
    return from_cli11(error, path);
  }

  if (std::optional<Error> wrong = wrong_extra(app.remaining(), *spec, path)) {
    return std::move(*wrong);
  }
  arguments.command_ = spec;
  arguments.positionals_ = std::move(bound.positionals);
  if (std::optional<Error> wrong = take_values(*spec, bound, arguments.values_)) {
    return std::move(*wrong);
  }
  if (std::optional<Error> wrong = wrong_positionals(*spec, path, arguments.positionals_)) {
    return std::move(*wrong);
  }
  return arguments;
}

std::string Arguments::text(std::string_view option, std::string_view otherwise) const {
  const auto found = values_.find(option);
  return found == values_.end() || found->second.empty() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::list(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<std::uint64_t> Arguments::number(std::string_view option, std::uint64_t otherwise, std::uint64_t min,
                                        std::uint64_t max) const {
  if (!has(option)) {
    return otherwise;
  }
  const std::string given = text(option);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (failed != std::errc() || end != given.data() + given.size() || value < min || value > max) {
    return usage("'" + std::string(option) + " " + given + "': must be a whole number from " + std::to_string(min) +
                 " to " + std::to_string(max));
  }
  return value;
}

Result<std::uint64_t> Arguments::size(std::string_view option, std::uint64_t otherwise, std::uint64_t max) const {
  if (!has(option)) {
    return otherwise;
  }
  const std::string given = text(option);
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(given.data(), given.data() + given.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(given.data() + given.size() - end));
  const std::uint64_t factor = unit.empty()                 ? 1
                               : unit == "K" || unit == "k" ? std::uint64_t{1} << 10
                               : unit == "M" || unit == "m" ? std::uint64_t{1} << 20
                               : unit == "G" || unit == "g" ? std::uint64_t{1} << 30
                                                            : 0;
  if (failed != std::errc() || factor == 0 || value == 0 || value > max / factor) {
    return usage("'" + std::string(option) + " " + given + "': must be a size such as 65536, 64K, 16M or 1G, at most " +
                 std::to_string(max >> 20) + "M");
  }
  return value * factor;
}

Arguments Arguments::with_config_folder(std::string folder) const {
  Arguments out = *this;
  out.config_folder_ = std::move(folder);
  return out;
}

std::string config_path(const Arguments& arguments) {
  if (arguments.has("--no-config")) {
    return {};
  }
  return arguments.has("--config") ? arguments.text("--config") : find_config_file(arguments.config_folder());
}

}  // namespace plumb::cli
