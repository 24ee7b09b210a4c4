// Which of two versions of an artifact is the better one, what a repair may change, and what is kept in the end.
//
// Better never prefers less: a version that is no complete JSON, lacks members that are required, or has fewer items
// than the one before without having been asked to drop them, is not better, whatever else it has. Then: sound
// structure before broken structure, fewer structural errors, more of the items that are missing, fewer issues of
// meaning where both were judged, fewer entries of the plan that nothing is about. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pipelines/artifact/version.hpp"

namespace plumb::pipelines::artifact {

struct Comparison {
  bool better = false;
  std::string why;               // it is not: "it has 2 questions where there were 5"
  Reason reason = Reason::none;  // not_better: nothing got worse, and nothing better
};
Comparison compare(const run::Run& run, const Job& job, const Counted& made, const Version& next,
                   const Version& before);

bool same_artifact(const Version& a, const Version& b);

// A repaired text, held to the items of the version before that nothing was wrong with: where they were changed or left
// out, they are put back.
struct Held {
  std::string text;
  std::uint64_t put_back = 0;
};
Held hold_items(const run::Run& run, const Job& job, const Counted& made, const Version& before, std::string repaired);

// The version without the items that something is wrong with, or that the judge did not settle.
struct Kept {
  std::string text;  // JSON; empty where nothing is left, or it cannot be taken apart
  std::uint64_t items = 0;
  std::vector<std::pair<std::string, std::string>> places;  // of each item: before, and now
};
Kept kept_items(const run::Run& run, const Job& job, const Counted& made, const Version& version);

}  // namespace plumb::pipelines::artifact
