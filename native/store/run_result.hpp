// What a finished run decided, read from its last entry alone: for lists.
#pragma once

#include <cstdint>
#include <string>

#include "core/json/writer.hpp"
#include "native/store/store.hpp"

namespace plumb::store {

struct RunResult {
  std::string decision;     // "accept_unverified"; empty where the run has none
  std::uint64_t asked = 0;  // of a result that is a part of what was asked for
  std::uint64_t kept = 0;

  // Members of the row, where there is something to tell.
  void write(json::Writer& json) const;
};

// `last`: the run's last entry. Only runs that are done have a result.
RunResult result_in(const RunRow& row, const JournalPart& last);

}  // namespace plumb::store
