#include "core/repair/suspect_escape.hpp"

#include <algorithm>
#include <iterator>

#include "core/ascii.hpp"

namespace plumb::repair {

namespace {

// Commands of TeX that begin with n or t, sorted. A carriage return before letters is suspect in any case.
constexpr std::string_view commands[] = {
    "nRightarrow", "nabla",       "natural", "ncong",     "ne",     "nearrow",  "neg",       "neq",      "newcommand",
    "newline",     "nexists",     "ngeq",    "nleq",      "nmid",   "nolimits", "nonumber",  "not",      "notin",
    "nparallel",   "nrightarrow", "nsim",    "nsubseteq", "nu",     "nwarrow",  "tan",       "tanh",     "tau",
    "tbinom",      "text",        "textbf",  "textit",    "textrm", "textsf",   "textstyle", "texttt",   "tfrac",
    "therefore",   "theta",       "tilde",   "times",     "to",     "top",      "triangle",  "triangleq"};

constexpr std::size_t command_max = 11;

// The letter of the escape and the letters after it.
std::string_view name_of(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && size <= command_max && ascii::is_letter(text[size])) {
    ++size;
  }
  return text.substr(0, size);
}

// Looks for a sign of TeX up to the end of the string.
Suspicion sign_in(std::string_view text, bool ended) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i >= sign_reach || text[i] == '"') {
      return Suspicion::no;
    }
    if (text[i] == '$') {
      return Suspicion::yes;
    }
    if (text[i] != '\\') {
      continue;
    }
    const bool doubled = i + 1 < text.size() && text[i + 1] == '\\';
    const std::size_t behind = i + (doubled ? 2 : 1);
    if (behind >= text.size()) {
      break;
    }
    if (is_tex_bracket(text[behind])) {
      return Suspicion::yes;
    }
    ++i;
  }
  return ended ? Suspicion::no : Suspicion::wait;
}

}  // namespace

bool begins_tex_command(std::string_view text) {
  return std::binary_search(std::begin(commands), std::end(commands), name_of(text));
}

bool stands_for_itself(std::string_view text) {
  if (text.empty() || static_cast<unsigned char>(text[0]) < 0x20) {
    return false;
  }
  if (text[0] != 'u') {
    return !is_control_letter(text[0]) && text[0] != '"' && text[0] != '\\' && text[0] != '/' && text[0] != '\'';
  }
  // One byte of \u00e9 that is lost or changed leaves most of its digits.
  unsigned others = 0;
  for (std::size_t i = 1; i <= 4; ++i) {
    others += i < text.size() && ascii::is_hex(text[i]) ? 0 : 1;
  }
  return others >= 2 && (text.size() < 2 || !ascii::is_hex(text[1]));
}

Suspicion suspect_escape(bool first, bool signed_before, std::string_view text, bool ended) {
  if (text.size() < 3 && !ended) {
    return Suspicion::wait;
  }
  const char c = text[0];
  const std::string_view behind = text.substr(1, 2);
  if (c == 'r' && behind == "\\n") {
    return Suspicion::no;
  }
  if (c == 'b' || c == 'f' || c == 'r') {
    const bool alone = first && behind.starts_with('"');
    const bool listed = behind.size() == 2 && behind[0] == '\\' &&
                        std::string_view("bfnrtu/\"").find(behind[1]) != std::string_view::npos;
    return alone || listed ? Suspicion::no : Suspicion::yes;
  }
  const std::string_view name = name_of(text);
  if (name.size() == text.size() && !ended) {
    return Suspicion::wait;
  }
  if (!begins_tex_command(name)) {
    return Suspicion::no;
  }
  return signed_before ? Suspicion::yes : sign_in(text.substr(name.size()), ended);
}

}  // namespace plumb::repair
