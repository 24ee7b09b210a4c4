// What is looked at while an answer streams: its contract, with the edits that are allowed, and whether it is worth
// paying for what follows.
//
//   StreamWatch watch(contract, EarlyStop::finding);
//   if (std::optional<Stop> stop = watch.push(text, certain)) { ... the call is ended ... }
//
// A degenerate stream (white space, digits or the same text without end) is always a reason, unless nothing is to stop
// it. With EarlyStop::finding the first certain error is one too, unless an allowed edit or a free fix mends it: edits
// are made before the text is judged, so what they mend is never found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/degenerate.hpp"
#include "core/contract/finding.hpp"
#include "core/repair/check.hpp"
#include "native/provider/structured_output.hpp"

namespace plumb::provider {

enum class EarlyStop : std::uint8_t { none, degenerate, finding };

struct Stop {
  std::string_view why;  // "degenerate" or "finding"
  std::string detail;    // a sentence
  std::string rule;      // of the finding, and where
  std::string at;
  std::uint64_t decided_at = 0;  // the byte of the answer after which it was certain
};

class StreamWatch {
 public:
  // Without a contract any text will do that has an end.
  StreamWatch(std::shared_ptr<const KnownContract> contract, EarlyStop early_stop);

  // Appends what has become certain.
  std::optional<Stop> push(std::string_view text, std::vector<contract::Finding>& certain);
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const KnownContract> contract_;
  EarlyStop early_stop_;
  std::optional<repair::Check> check_;
  contract::DegenerateWatch degenerate_;  // of the answer as it came: the check sees nothing of prose around JSON
  std::uint64_t bytes_ = 0;
};

// A fix without a model (core/repair/free_fix.hpp) mends it, or may do so once its value is whole.
bool may_be_mended(const contract::Finding& finding);

}  // namespace plumb::provider
