#include "native/cli/search_setup.hpp"

#include <utility>

#include "native/provider/endpoint.hpp"

namespace plumb::cli {

std::vector<OptionSpec> search_options() {
  return {
      {"--corpus", 0, "DIR", {}, "", "The folder of documents that is searched.", Completes::directory, false},
      {"--index",
       0,
       "FILE",
       {},
       "",
       "Where the index of the folder is kept (otherwise a file of its own in ~/.cache/plumb/corpus).",
       Completes::file,
       false},
      {"--searxng",
       0,
       "URL",
       {},
       "",
       "A SearXNG instance that is asked, after the folder. Nothing but this address is asked.",
       Completes::nothing,
       false},
  };
}

Result<ReadySearch> ready_search(const Arguments& arguments) {
  ReadySearch ready;
  search::SearchOptions options;
  if (arguments.has("--corpus")) {
    search::CorpusSettings settings;
    settings.folder = arguments.text("--corpus");
    settings.index_file = arguments.text("--index");
    Result<std::unique_ptr<search::Corpus>> corpus = search::Corpus::open(std::move(settings));
    if (!corpus)
      return corpus.error();
    options.corpus = std::move(corpus).value();
    ready.providers.emplace_back("corpus");
  }
  if (arguments.has("--searxng")) {
    Result<provider::BaseUrl> base = provider::read_base_url(arguments.text("--searxng"));
    if (!base)
      return Error{ErrorCode::invalid_argument, base.error().message, "--searxng", 0, 0};
    options.searxng = search::SearxngSettings{.base = std::move(base).value()};
    ready.providers.emplace_back("searxng");
  }
  if (!ready.providers.empty())
    ready.fulfiller = std::make_unique<search::SearchFulfiller>(std::move(options));
  return ready;
}

}  // namespace plumb::cli
