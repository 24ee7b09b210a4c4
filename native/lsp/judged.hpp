// What is said of a document, and the edits that `--fix` would make: those of `plumb check` for an artifact, of
// `plumb contracts lint` for a contract.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"
#include "native/lsp/positions.hpp"
#include "native/lsp/project.hpp"

namespace plumb::lsp {

// Work on one document; more is a finding of the rule `limit`.
inline constexpr std::uint64_t steps_max = 1'000'000'000;
inline constexpr std::size_t document_bytes_max = std::size_t{4} << 20;
inline constexpr std::size_t actions_max = 20;                      // edits that are offered one by one,
inline constexpr std::size_t looked_at_max = std::size_t{2} << 20;  // as far as so many bytes can be judged for it

struct Diagnostic {
  std::string rule;
  contract::Severity severity = contract::Severity::error;
  std::string message;
  Bytes bytes;
  Range range;
};

std::vector<Diagnostic> judged(const Project& project, const std::string& path, std::string_view text, Units units);

// The document with one edit made.
struct Offer {
  std::string title;
  Bytes bytes;  // what it is about
  std::string text;
};

struct Offers {
  std::vector<Offer> each;  // those that meet `about`, within these bounds
  std::string all;          // the text that `--fix` writes
  std::size_t count = 0;    // edits in it; 0: there is none
};

Offers offers(const Project& project, const std::string& path, std::string_view text, Bytes about);

}  // namespace plumb::lsp
