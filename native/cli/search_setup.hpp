// From the command line to who fulfils searches: --corpus DIR, --index FILE and --searxng URL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/search/search_fulfiller.hpp"

namespace plumb::cli {

std::vector<OptionSpec> search_options();

struct ReadySearch {
  std::vector<std::string> providers;                  // "corpus", "searxng": those that there are
  std::unique_ptr<search::SearchFulfiller> fulfiller;  // nullptr where there is none
};
// The error: a folder that is not there, an address that is none.
Result<ReadySearch> ready_search(const Arguments& arguments);

}  // namespace plumb::cli
