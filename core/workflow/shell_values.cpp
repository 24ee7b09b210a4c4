#include "core/workflow/shell_values.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/workflow/shell_commands.hpp"

namespace plumb::workflow {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t values_max = 100;
constexpr std::size_t value_bytes_max = 4'096;

bool is_name(std::string_view text) {
  return !text.empty() && !ascii::is_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return ascii::is_word(c); });
}

// The `)` or `}` that closes what opens at `at`.
std::size_t closing(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '{' ? 1 : 0;
    depth -= (text[i] == ')' || text[i] == '}') && depth > 0 ? 1 : 0;
    if ((text[i] == ')' || text[i] == '}') && depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

bool names_script(std::string_view text) {
  return text.find("$0") != std::string_view::npos || text.find("${0") != std::string_view::npos ||
         text.find("BASH_SOURCE") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> found_patterns(const Words& find) {
  Words folders, names, out;
  std::size_t at = 1;
  for (; at < find.size() && find[at].find_first_of("-(!") != 0; ++at) {
    folders.push_back(find[at]);
  }
  for (; at + 1 < find.size(); ++at) {
    if (find[at] == "-name" || find[at] == "-iname") {
      names.push_back(find[at + 1]);
    }
  }
  folders.resize(std::max<std::size_t>(folders.size(), 1), ".");
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      out.push_back(folder + "/**/" + name);
    }
    if (names.empty()) {
      out.push_back(folder + "/**");
    }
  }
  return out;
}

void ShellValues::learn(const Words& command, const std::string& dir) {
  const auto is = [&](std::string_view name) { return !command.empty() && command.front() == name; };
  if (is("for") && command.size() > 3 && command[2] == "in") {
    Words values;
    for (std::size_t i = 3; i < command.size() && values.size() < values_max; ++i) {
      for (std::string& one : expanded(command[i], dir)) {
        values.push_back(std::move(one));
      }
    }
    variables_[command[1]] = std::move(values);
    return;
  }
  if (is("read")) {
    for (std::size_t i = 1; i < command.size(); ++i) {
      if (is_name(command[i])) {
        variables_[command[i]] = {std::string(from_input)};
      }
    }
    return;
  }
  const bool declares = is("export") || is("readonly") || is("local") || is("declare") || is("typeset");
  for (std::size_t i = declares ? 1 : 0; i < command.size(); ++i) {
    const std::size_t equals = command[i].find('=');
    if (equals != std::string::npos && is_name(std::string_view(command[i]).substr(0, equals))) {
      variables_[command[i].substr(0, equals)] = expanded(command[i].substr(equals + 1), dir);
    } else if (!declares) {
      break;
    }
  }
}

// What stands in `$(...)` or `${...}`; empty: it is not known.
std::vector<std::string> ShellValues::value_of(std::string_view expression, bool command,
                                               const std::string& dir) const {
  expression = ascii::trim(expression);
  if (!command) {
    const std::size_t end = std::min(expression.find_first_of(":-%#/"), expression.size());
    const std::string name(expression.substr(0, end));
    if ((name == "0" || name.starts_with("BASH_SOURCE")) && expression.find("%/*") != std::string_view::npos) {
      return {from_top + self_};
    }
    const auto known = variables_.find(name);
    if (known != variables_.end()) {
      return known->second;
    }
    const std::size_t otherwise = expression.find(":-");
    return name == "PWD"                         ? Words{from_top + dir}
           : otherwise == std::string_view::npos ? Words{}
                                                 : expanded(std::string(expression.substr(otherwise + 2)), dir);
  }
  const std::vector<Words> commands = shell_commands(expression);
  if (commands.empty()) {
    return {};
  }
  const Words& first = commands.front();
  if (first[0] == "cd" && first.size() > 1 && commands.size() > 1 && commands[1][0] == "pwd") {
    Words out;
    for (const std::string& one : expanded(first.back(), dir)) {
      const bool placed = !one.empty() && (one.front() == from_top || one.front() == '/');
      out.push_back(placed ? one : from_top + dir + "/" + one);
    }
    return out;
  }
  if (first[0] == "pwd") {
    return {from_top + dir};
  }
  if (first[0] == "dirname" && names_script(expression)) {
    return {from_top + self_};
  }
  if (first[0] == "git" && expression.find("--show-toplevel") != std::string_view::npos) {
    return {std::string(1, from_top)};
  }
  if ((first[0] == "realpath" || first[0] == "readlink" || first[0] == "echo") && first.size() > 1) {
    return expanded(first.back(), dir);
  }
  return first[0] == "find" ? found_patterns(first)
         : first[0] == "ls" ? Words(first.begin() + 1, first.end())
                            : Words{};
}

std::vector<std::string> ShellValues::expanded(const std::string& word, const std::string& dir) const {
  if (word.size() > value_bytes_max) {
    return {word};
  }
  Words out = {""};
  for (std::size_t at = 0; at < word.size(); ++at) {
    Words values;
    std::size_t end = at;
    const char next = word[at] == '$' && at + 1 < word.size() ? word[at + 1] : '\0';
    if (next == '(' || next == '{') {
      end = closing(word, at + 1);
      if (end != std::string::npos) {
        values = value_of(std::string_view(word).substr(at + 2, end - at - 2), next == '(', dir);
      }
    } else if (ascii::is_word(next)) {
      end = at + 1;
      while (end + 1 < word.size() && ascii::is_word(word[end + 1])) {
        ++end;
      }
      values = value_of(std::string_view(word).substr(at + 1, end - at), false, dir);
    }
    if (values.empty()) {
      end = at;
      values = {std::string(1, word[at])};
    }
    Words more;
    for (const std::string& one : out) {
      for (const std::string& value : values) {
        if (more.size() < values_max && one.size() + value.size() <= value_bytes_max) {
          more.push_back(one + value);
        }
      }
    }
    if (more.empty()) {
      return {word};
    }
    out = std::move(more);
    at = end;
  }
  return out;
}

std::vector<std::vector<std::string>> ShellValues::commands(const Words& words, const std::string& dir) const {
  std::vector<Words> out = {{}};
  for (const std::string& word : words) {
    const Words values = expanded(word, dir);
    std::vector<Words> more;
    for (const Words& one : out) {
      for (std::size_t i = 0; i < values.size() && more.size() < values_max; ++i) {
        more.push_back(one);
        more.back().push_back(values[i]);
      }
    }
    out = std::move(more);
  }
  return out;
}

}  // namespace plumb::workflow
