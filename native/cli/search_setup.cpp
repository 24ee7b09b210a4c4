#include "native/cli/search_setup.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <system_error>

#include <utility>

#include "native/cli/terminal.hpp"
#include "native/provider/endpoint.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t told_from = 2'000;  // files: fewer are done before anybody would read it
constexpr std::chrono::seconds told_after{2};

// Ctrl-C, where it is blocked for a run that will take it.
bool interrupted() {
  sigset_t pending;
  sigemptyset(&pending);
  return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}

}  // namespace

std::vector<OptionSpec> search_options() {
  return {
      {"--corpus", 0, "DIR", {}, "", "The folder of documents that is searched.", Completes::directory, false},
      {"--index",
       0,
       "FILE",
       {},
       "",
       "The folder's index file. Default: a file in ~/.cache/plumb/corpus.",
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
    if (!corpus) {
      return corpus.error();
    }
    options.corpus = std::move(corpus).value();
    ready.corpus = options.corpus;
    ready.providers.emplace_back("corpus");
    ready.asked_of.push_back(
        {std::string(host::search_part), "corpus", "", "", ready.corpus->folder(), true, "--corpus"});
  }
  if (arguments.has("--searxng")) {
    Result<provider::BaseUrl> base = provider::read_base_url(arguments.text("--searxng"));
    if (!base) {
      return Error{ErrorCode::invalid_argument, base.error().message, "--searxng", 0, 0};
    }
    const provider::Origin& origin = base.value().origin;
    ready.asked_of.push_back({std::string(host::search_part), "searxng", "", "searxng",
                              (origin.tls ? "https://" : "http://") + origin.text(), true, "--searxng"});
    options.searxng = search::SearxngSettings{.base = std::move(base).value()};
    ready.providers.emplace_back("searxng");
  }
  if (!ready.providers.empty()) {
    ready.fulfiller = std::make_unique<search::SearchFulfiller>(std::move(options));
  }
  return ready;
}

OptionSpec root_option() {
  return {"--root",
          0,
          "NAME=DIR",
          {},
          "",
          "A folder that runs may read under this name, and nothing else: a source of discovery.",
          Completes::nothing,
          true};
}

Result<std::map<std::string, std::string>> declared_roots(const Arguments& arguments) {
  std::map<std::string, std::string> out;
  for (const std::string& one : arguments.list("--root")) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::invalid_argument, "must be NAME=DIR, for example docs=/srv/docs, not '" + one + "'",
                   "--root", 0, 0};
    }
    const std::string folder = one.substr(equals + 1);
    std::error_code failed;
    if (!std::filesystem::is_directory(folder, failed)) {
      return Error{ErrorCode::invalid_argument, "is not a folder (--root " + one.substr(0, equals) + ")", folder, 0, 0};
    }
    out[one.substr(0, equals)] = folder;
  }
  return out;
}

host::AskedOf asked_of_roots(const std::map<std::string, std::string>& roots) {
  host::AskedOf out;
  for (const auto& [name, folder] : roots) {
    std::error_code failed;
    const std::filesystem::path real = std::filesystem::canonical(folder, failed);
    out.push_back({std::string(host::read_part), name, "", "", failed ? folder : real.string(), true, "--root"});
  }
  return out;
}

Result<search::Refresh> index_now(search::Corpus& corpus) {
  search::RefreshWatch watch;
  bool told = false;
  const auto begun = std::chrono::steady_clock::now();
  watch.progress = [&told, begun](std::uint64_t done, std::uint64_t all) {
    const bool long_now = std::chrono::steady_clock::now() - begun > told_after;
    if (all >= told_from && is_terminal(STDERR_FILENO)) {
      write_all(STDERR_FILENO, done == all
                                   ? "\r\x1b[K"
                                   : "\rindexing: " + std::to_string(done) + " of " + std::to_string(all) + " files");
    } else if (long_now && !told) {
      note("the folder is indexed first: " + std::to_string(all) + " files");
      told = true;
    }
    return !interrupted();
  };
  Result<search::Refresh> done = corpus.refresh(watch);
  if (!done) {
    return done;
  }
  if (done.value().stopped) {
    return Error{ErrorCode::unavailable, "interrupted while it was indexed; what is done of it is kept",
                 corpus.folder(), 0, 0};
  }
  if (done.value().busy) {
    note("the index " + done.value().busy_why + "; it is searched as it is");
  }
  for (const std::string& bound : done.value().bounds) {
    note(bound);
  }
  return done;
}

}  // namespace plumb::cli
