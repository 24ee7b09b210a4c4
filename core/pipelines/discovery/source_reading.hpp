// Reads a source through the run: one effect for the listing of its folder, one for each file. Internal to this folder.
//
// Of more units than are looked at the newest stay, and where a window of days is asked for only what is in it, counted
// back from the newest. What has no day is always in the window.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/discovery/job.hpp"

namespace plumb::pipelines::discovery {

// `unread`: why the folder could not be looked into; empty: it could.
Read read_source(run::Run& run, const Job& job, SourceKind kind, std::vector<std::string>& warnings,
                 std::string& unread);

// The days of the oldest and the newest unit that has one; empty: none has.
struct Days {
  std::string oldest, newest;
};
Days days_of(const Read& read);
// From the oldest to the newest, both counted; 0 where there is none.
std::uint64_t days_between(std::string_view oldest, std::string_view newest);

}  // namespace plumb::pipelines::discovery
