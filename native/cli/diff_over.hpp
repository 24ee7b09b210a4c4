// Real documents under two contracts: how many would get another verdict, and which. Used by `plumb contracts diff`.
//
// Files are read as `plumb check` reads them: whole, a document a line, or as a log of recorded calls.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/repair/edit_options.hpp"
#include "native/cli/inputs.hpp"
#include "native/cli/recorded_traffic.hpp"

namespace plumb::cli {

struct OverSettings {
  std::vector<std::string> paths;
  InputOptions inputs;
  std::optional<RecordedReading> recorded;
  repair::EditOptions edits;
  std::string context;  // JSON text, or empty
};

// A document whose verdict changes.
struct Changed {
  std::string name;     // FILE or FILE:LINE
  std::string finding;  // of the contract that refuses it: "/name: Must have at least 1 character  minLength"
};

struct Changes {
  static constexpr std::size_t listed_max = 5;
  std::uint64_t count = 0;
  std::vector<Changed> first;  // at most listed_max
  std::string document;        // the smallest of those that are short enough to be shown, and its name
  std::string document_name;
};

struct OverCounts {
  std::uint64_t documents = 0;
  std::uint64_t accepted = 0;          // by both
  std::uint64_t refused = 0;           // by both
  std::uint64_t undecided = 0;         // by one at least
  std::uint64_t left = 0;              // records that hold no document, and need not
  Changes lost;                        // accepted by the first, refused by the second
  Changes gained;                      // and the other way
  std::vector<InputProblem> problems;  // at most problems_max; what could not be read, or is not there to be judged
  std::uint64_t more_problems = 0;
  static constexpr std::size_t problems_max = 100;
};

OverCounts judge_over(const OverSettings& settings, const contract::Contract& first, const contract::Contract& second);

}  // namespace plumb::cli
