// From the command line to who fulfils searches: --corpus DIR, --index FILE and --searxng URL.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/cli/arguments.hpp"
#include "native/host/asked_of.hpp"
#include "native/search/search_fulfiller.hpp"

namespace plumb::cli {

std::vector<OptionSpec> search_options();

struct ReadySearch {
  std::vector<std::string> providers;                  // "corpus", "searxng": those that there are
  host::AskedOf asked_of;                              // the same with their places, as runs are pinned to it
  std::shared_ptr<search::Corpus> corpus;              // nullptr where there is none
  std::unique_ptr<search::SearchFulfiller> fulfiller;  // nullptr where there is none
};
// The error: a folder that is not there, an address that is none.
Result<ReadySearch> ready_search(const Arguments& arguments);

// --root NAME=DIR: what runs may read, and nothing else.
OptionSpec root_option();
Result<std::map<std::string, std::string>> declared_roots(const Arguments& arguments);
// Folders by the names of their roots, as runs are pinned to what they read.
host::AskedOf asked_of_roots(const std::map<std::string, std::string>& roots);

// Brings the index up to date, and tells of it on standard error where that takes its time, and of what was left out.
// Ctrl-C ends it, also where signals are blocked: the error then says so.
Result<search::Refresh> index_now(search::Corpus& corpus);

}  // namespace plumb::cli
