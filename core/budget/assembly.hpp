// Assembly: decides what goes into a model's window, and what is cut if not everything fits (seed 004, "Reviewer
// Context Assembly").
//
// The layout divides the window: system prompt 2,000 tokens, working memory 6,000 and output 1,000 are reserved, with
// a margin of 15 % of the window (rounded up) and the output of the task. The rest is for context (004-1). Context has
// four kinds of elements, the most important first:
//
//   sop           parents are kept; chunks by the shares of their severity (core/budget/shares.hpp)
//   decision      kept
//   file_summary  trimmed, at one of its cuts
//   convention    dropped first, whole
//
// If there is too much, conventions are dropped from the last one on, then file summaries are trimmed from the last
// one on, then chunks of SOPs are dropped. SOP parents and decisions stay. If these alone exceed the budget, the
// answer is `too_large` with the overrun, never a silent cut (004-2). Every cut is reported with its reason. If the
// window is unknown, nothing is cut and the answer is `unknown`.
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
  Tokens context = 0;  // left for context; 0 if the rest exceeds the window
  Tokens overrun = 0;  // by how much the rest exceeds the window
};
// `layout.window` must be known.
LayoutParts layout_parts(const Layout& layout);

struct Element {
  ElementKind kind = ElementKind::convention;
  Tokens tokens = 0;  // of the whole element
  Source source;      // for an SOP
  // For a file summary: its size up to each place where it may end; empty: it may end anywhere.
  std::vector<Tokens> cuts;
};

enum class Cut : std::uint8_t { whole, trimmed, dropped };
constexpr std::string_view cut_names[] = {"whole", "trimmed", "dropped"};
constexpr std::string_view cut_name(Cut cut) { return cut_names[static_cast<std::uint8_t>(cut)]; }
constexpr std::span<const std::string_view> names_of(Cut) { return cut_names; }

struct Placed {
  Cut cut = Cut::whole;
  Tokens tokens = 0;               // tokens in the window
  std::uint32_t chunks_taken = 0;  // for an SOP
  std::uint32_t cuts_taken = 0;    // for a file summary: it ends after this many of its cuts
};

enum class AssemblyFit : std::uint8_t { fits, trimmed, too_large, unknown };

struct Assembly {
  AssemblyFit fit = AssemblyFit::unknown;
  Tokens budget = 0;   // for context
  Tokens used = 0;     // part of `budget` that is used
  Tokens needed = 0;   // with nothing cut
  Tokens overrun = 0;  // too_large: by how much the required elements exceed the budget
  Shares shares;
  std::vector<Placed> placed;  // one per element
};

// `budget` is the room for context. Elements of a kind are in the order of their importance.
Assembly assemble(std::optional<Tokens> budget, std::span<const Element> elements,
                  const SeverityShares& shares = severity_shares_default);

}  // namespace plumb::budget
