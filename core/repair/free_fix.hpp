// Fixes that cost nothing: a value that must be one of several others (`memberOf`) and is exactly one of them but for
// case and white space becomes that one. Each has a receipt. They change nothing that a person would call meaning, and
// no guess is among them: where two would do, or not all that is allowed is known, nothing is fixed.
//
//   FreeFixes fixed = free_fixes(verdict, text);
//   if (!fixed.fixes.empty()) { judge(fixed.text); }
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"
#include "core/contract/verdict.hpp"

namespace plumb::repair {

struct FreeFix {
  std::string rule;
  std::string at;          // JSON Pointer
  std::string from;        // JSON text, as it was
  std::string to;          // JSON text
  std::uint64_t byte = 0;  // where `from` was in the text
};

struct FreeFixes {
  std::string text;  // with all fixes made; formatting kept
  std::vector<FreeFix> fixes;
};

// What would mend this finding, as JSON text. `value`: the JSON text that the finding is about.
std::optional<std::string> free_fix(const contract::Finding& finding, std::string_view value);

// All of them in `text`, which is strict JSON and what the verdict is about.
FreeFixes free_fixes(const contract::Verdict& verdict, std::string_view text);

}  // namespace plumb::repair
