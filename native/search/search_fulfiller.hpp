// The Fulfiller of `search` effects: a corpus, a SearXNG instance, or both.
//
//   SearchFulfiller searches({.corpus = std::move(corpus), .searxng = settings});
//   routes.add(run::EffectKind::search, searches);
//
// The providers that a request names (all that there are, corpus first, where it names none) are asked one after
// another until one has results. When none has, and one of them failed, the reply says so: a search that failed is not
// one that found nothing. A provider that this host does not have is an error that names those it has; a host without
// any fails the effect itself.
//
// The index of the corpus is brought up to date in the background with the first search, or before it by prepare(), and
// then again when `refresh_ms` have passed since. The first search waits for it to its deadline, a later one for at
// most two seconds: then the index as it was serves. While a search waits it tells `index` {done, all}, documents. A
// reply that was stored is never asked for again; a search whose host was lost is made again once (it may be counted by
// others, and costs nothing to repeat).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/host/fulfil.hpp"
#include "native/host/workers.hpp"
#include "native/provider/transport.hpp"
#include "native/search/corpus.hpp"
#include "native/search/searxng.hpp"

namespace plumb::search {

struct SearchOptions {
  std::shared_ptr<Corpus> corpus = {};  // or nullptr
  std::optional<SearxngSettings> searxng = {};
  std::uint64_t refresh_ms = 60'000;
  std::uint64_t tell_ms = 1'000;  // how long a search waits for the index before it tells so, and then again
  std::size_t threads = 2;
};

class SearchFulfiller final : public host::Fulfiller {
 public:
  explicit SearchFulfiller(SearchOptions options);
  // Answers what is under way with `cancelled`, before it returns.
  ~SearchFulfiller() override;

  // Begins to bring the corpus up to date, where there is one, and returns at once.
  void prepare();

  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override;
  void stop(std::string_view run, std::string_view key) override;

 private:
  struct Task;
  void go_on(const std::shared_ptr<Task>& task);
  void ask_corpus(const std::shared_ptr<Task>& task);
  void ask_searxng(const std::shared_ptr<Task>& task);
  void take(const std::shared_ptr<Task>& task, std::string value);
  void finish(const std::shared_ptr<Task>& task, run::Reply reply);
  std::optional<Error> bring_up_to_date(const Task& task);
  void begin_refresh();  // with refresh_mutex_ held
  void refresh();

  SearchOptions options_;
  std::vector<std::string> names_;  // of the providers that there are
  std::mutex refresh_mutex_;        // of those below, to refresh_error_
  std::condition_variable refresh_ended_;
  bool refreshing_ = false;
  std::optional<std::chrono::steady_clock::time_point> refreshed_;
  std::optional<Error> refresh_error_;
  std::atomic<std::uint64_t> indexed_{0};  // documents, of
  std::atomic<std::uint64_t> to_index_{0};
  std::atomic<bool> ending_{false};
  std::mutex mutex_;  // of `tasks_`
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Task>, std::less<>> tasks_;
  std::unique_ptr<provider::Transport> transport_;
  std::unique_ptr<Searxng> web_;
  host::Workers workers_;
  host::Workers refresher_{1};
};

}  // namespace plumb::search
