// The rules of lint, in the order of docs/lint.md, each with a contract that it speaks of and one that it does not.
#pragma once

#include <span>
#include <string_view>

#include "core/contract/finding.hpp"

namespace plumb::lint {

struct LintRule {
  std::string_view id;
  contract::Severity severity = contract::Severity::warning;
  std::string_view title;  // one line
  std::string_view why;    // why it matters and what to do
  std::string_view bad;    // a contract that has it,
  std::string_view good;   // and one that has not
};

std::span<const LintRule> lint_rules();
// nullptr when no rule is called so.
const LintRule* lint_rule(std::string_view id);

}  // namespace plumb::lint
