// What goes into a window, and what is cut when not all of it does (seed 004, "Reviewer Context Assembly").
//
// The layout says what the window is for: system prompt 2,000, working memory 6,000 and output 1,000 reserved, a margin
// of 15 % of the window (rounded up), the task's output as large as it is; the rest is for context (004-1). Context has
// four kinds of elements, from the most to the least important:
//
//   sop           parents are kept; chunks by the shares of their severity (core/budget/shares.hpp)
//   decision      kept
//   file_summary  trimmed, at one of its cuts
//   convention    dropped first, whole
//
// When it is too much, conventions go from the last one on; then file summaries are trimmed from the last one on; then
// chunks of SOPs. SOP parents and decisions stay: when these alone exceed the budget the answer is `too_large` with the
// overrun, never a silent cut (004-2). Everything cut is told, with the reason. A window that is not known cuts nothing
// and is `unknown`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/budget/shares.hpp"
#include "core/budget/tokens_of.hpp"

namespace plumb::budget {

enum class ElementKind : std::uint8_t { sop, decision, file_summary, convention };
constexpr std::string_view element_kind_names[] = {"sop", "decision", "file_summary", "convention"};
constexpr std::string_view element_kind_name(ElementKind kind) {
  return element_kind_names[static_cast<std::uint8_t>(kind)];
}
constexpr std::span<const std::string_view> names_of(ElementKind) { return element_kind_names; }

struct Layout {
  std::optional<Tokens> window;
  Tokens system = 2'000;
  Tokens working_memory = 6'000;
  Tokens output = 1'000;
  Tokens task_output = 0;
  Share margin = percent(15);
};

struct LayoutParts {
  Tokens margin = 0;
  Tokens context = 0;  // what is left for context; 0 where the rest exceeds the window
  Tokens overrun = 0;  // by how much
};
// `layout.window` is known.
LayoutParts layout_parts(const Layout& layout);

struct Element {
  ElementKind kind = ElementKind::convention;
  Tokens tokens = 0;         // all of it
  Source source;             // of an SOP
  std::vector<Tokens> cuts;  // of a file summary: what it costs up to each place where it may end; none: anywhere
};

enum class Cut : std::uint8_t { whole, trimmed, dropped };
constexpr std::string_view cut_names[] = {"whole", "trimmed", "dropped"};
constexpr std::string_view cut_name(Cut cut) { return cut_names[static_cast<std::uint8_t>(cut)]; }
constexpr std::span<const std::string_view> names_of(Cut) { return cut_names; }

struct Placed {
  Cut cut = Cut::whole;
  Tokens tokens = 0;               // that are in
  std::uint32_t chunks_taken = 0;  // of an SOP
  std::uint32_t cuts_taken = 0;    // of a file summary: it ends after this many of its cuts
};

enum class AssemblyFit : std::uint8_t { fits, trimmed, too_large, unknown };

struct Assembly {
  AssemblyFit fit = AssemblyFit::unknown;
  Tokens budget = 0;   // for context
  Tokens used = 0;     // of it
  Tokens needed = 0;   // with nothing cut
  Tokens overrun = 0;  // too_large: by how much what must be in exceeds it
  Shares shares;
  std::vector<Placed> placed;  // one for each element
};

// `budget` is what is left for context. Elements are in the order of their importance within a kind.
Assembly assemble(std::optional<Tokens> budget, std::span<const Element> elements,
                  const SeverityShares& shares = severity_shares_default);

}  // namespace plumb::budget
