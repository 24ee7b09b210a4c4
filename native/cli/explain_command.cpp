// `plumb explain`: core/contract/explain.hpp, laid out for people.
#include <unistd.h>

#include <algorithm>

#include "core/contract/explain.hpp"
#include "core/lint/rules.hpp"
#include "core/story/rules.hpp"
#include "native/base/near_miss.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

int out(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) {
    return exit_clean;
  }
  return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

std::string all_rules(const contract::TextStyle& style, std::size_t columns) {
  std::string text;
  std::string_view kind;
  for (const contract::Explanation& one : contract::explanations()) {
    if (contract::kind_title(one.kind) != kind) {
      kind = contract::kind_title(one.kind);
      text += (text.empty() ? "" : "\n") + bold(kind, style) + "\n";
    }
    std::string name(one.rule);
    const std::size_t pad = name.size() < 22 ? 22 - name.size() : 1;
    const std::string_view meaning = one.meaning.substr(0, one.meaning.find(". "));
    text += "  " + cyan(name, style) + std::string(pad, ' ') + "  " + wrapped(meaning, 26, columns);
    if (text.back() != '.') {
      text += '.';
    }
    text += "\n";
  }
  text += "\n" + bold("Lint of contracts", style) + "\n";
  for (const lint::LintRule& one : lint::lint_rules()) {
    const std::string name(one.id);
    const std::size_t pad = name.size() < 22 ? 22 - name.size() : 1;
    text += "  " + cyan(name, style) + std::string(pad, ' ') + "  " + wrapped(one.title, 26, columns) + ".\n";
  }
  text += "\n" + bold("Stories", style) + "\n";
  for (const story::StoryRule& one : story::story_rules()) {
    const std::string name(one.id);
    const std::size_t pad = name.size() < 22 ? 22 - name.size() : 1;
    const std::string_view meaning = one.meaning.substr(0, one.meaning.find(". "));
    text += "  " + cyan(name, style) + std::string(pad, ' ') + "  " + wrapped(meaning, 26, columns);
    text += text.back() == '.' ? "\n" : ".\n";
  }
  return text + "\n'plumb explain RULE' tells when a rule decides and how to fix what breaks it.\n";
}

std::string one_rule(const contract::Explanation& one, const contract::TextStyle& style, std::size_t columns) {
  std::string text = bold(one.rule, style) + "  " + dim(contract::kind_title(one.kind), style) + "\n\n";
  text += wrapped(one.meaning, 0, columns) + "\n\n";
  const auto part = [&](std::string_view name, std::string_view says) {
    if (says.empty()) {
      return;
    }
    std::string label(name);
    label.append(9 - std::min<std::size_t>(label.size(), 9), ' ');
    text += cyan(label, style) + " " + wrapped(says, 10, columns) + "\n";
  };
  part("decides", one.decides);
  part("fix", one.fix);
  if (!one.contract.empty()) {
    text += "\n" + cyan("contract ", style) + " " + std::string(one.contract) + "\n";
    text += cyan(one.breaks ? "breaks   " : "fits     ", style) + " " + std::string(one.artifact) + "\n";
  }
  return text;
}

std::string one_lint_rule(const lint::LintRule& one, const contract::TextStyle& style, std::size_t columns) {
  std::string text = bold(one.id, style) + "  " +
                     dim("Lint of contracts, " + std::string(contract::severity_name(one.severity)), style) + "\n\n";
  text += wrapped(std::string(one.title) + ". " + std::string(one.why), 0, columns) + "\n\n";
  text += cyan("has it    ", style) + std::string(one.bad) + "\n";
  text += cyan("has not   ", style) + std::string(one.good) + "\n";
  return text;
}

std::string one_story_rule(const story::StoryRule& one, const contract::TextStyle& style, std::size_t columns) {
  return bold(one.id, style) + "  " + dim("Stories", style) + "\n\n" + wrapped(one.meaning, 0, columns) + "\n\n" +
         cyan("fix      ", style) + " " + wrapped(one.fix, 10, columns) + "\n";
}

}  // namespace

int run_explain(const Arguments& arguments) {
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  const std::size_t columns = std::min<std::size_t>(terminal_columns(STDOUT_FILENO), 100);
  if (arguments.positionals().empty()) {
    return out(all_rules(style, columns));
  }
  const std::string& wanted = arguments.positionals().front();
  if (const contract::Explanation* one = contract::explanation_of(wanted)) {
    return out(one_rule(*one, style, columns));
  }
  if (const lint::LintRule* one = lint::lint_rule(wanted)) {
    return out(one_lint_rule(*one, style, columns));
  }
  if (const story::StoryRule* one = story::story_rule(wanted)) {
    return out(one_story_rule(*one, style, columns));
  }
  std::vector<std::string_view> names;
  for (const story::StoryRule& one : story::story_rules()) {
    names.push_back(one.id);
  }
  for (const contract::Explanation& one : contract::explanations()) {
    names.push_back(one.rule);
  }
  for (const lint::LintRule& one : lint::lint_rules()) {
    names.push_back(one.id);
  }
  return fail(
      Error{ErrorCode::not_found,
            "no rule is called '" + wanted + "'" + did_you_mean(wanted, names) +
                "; a rule of a contract's own is shown by 'plumb contracts show NAME', and 'plumb explain' lists "
                "the others",
            "", 0, 0});
}

}  // namespace plumb::cli
