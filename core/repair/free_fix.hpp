// Free fixes need no model. A value that must be one of several others (`memberOf`), and equals exactly one of them
// except for case and white space, becomes that one. Each fix has a receipt. A fix changes no meaning and is never a
// guess: if two values would do, or not all allowed values are known, nothing is fixed.
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
  std::string from;        // JSON text before
  std::string to;          // JSON text after
  std::uint64_t byte = 0;  // offset of `from` in the text
};

struct FreeFixes {
  std::string text;  // with all fixes made; formatting is kept
  std::vector<FreeFix> fixes;
};

// The JSON text that would fix this finding, if there is one. `value` is the JSON text that the finding is about.
std::optional<std::string> free_fix(const contract::Finding& finding, std::string_view value);

// Makes all fixes in `text`, which must be strict JSON, and the text that the verdict is about.
FreeFixes free_fixes(const contract::Verdict& verdict, std::string_view text);

}  // namespace plumb::repair
