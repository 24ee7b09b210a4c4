// A task goes from provider to provider: the corpus is asked on a worker, SearXNG by the transport, and take() looks at
// what came. finish() ends it, whoever comes first.

#include "native/search/search_fulfiller.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/research/search_effect.hpp"
#include "core/wording.hpp"
#include "native/search/search_value.hpp"

namespace plumb::search {

namespace {

using Clock = std::chrono::steady_clock;
namespace research = pipelines::research;

constexpr std::chrono::milliseconds fresh_wait{2'000};  // for an index that was up to date before
constexpr std::chrono::milliseconds wait_slice{100};

run::Reply reply_with(run::Status status, std::string error) {
  run::Reply reply;
  reply.status = status;
  reply.error = std::move(error);
  return reply;
}

run::Reply reply_of(std::string value) {
  run::Reply reply;
  reply.value = run::Data::written(std::move(value));
  return reply;
}

std::string_view status_in(const run::Data& value) {
  const json::Value* status = value.value().find("status");
  return status == nullptr ? std::string_view() : status->str();
}

}  // namespace

struct SearchFulfiller::Task {
  host::EffectCall call;
  std::function<void(run::Reply)> done;
  std::string query;
  std::size_t limit = research::search_limit_default;
  std::vector<std::string> providers;
  std::optional<Clock::time_point> deadline;
  std::size_t next = 0;  // provider
  std::string failed;    // the value of the last that did
  std::string nothing;   // of the last that found nothing
  std::atomic<bool> over{false};
  std::atomic<bool> stopped{false};
  std::atomic<provider::ExchangeId> exchange{0};

  bool late() const { return deadline && Clock::now() >= *deadline; }
};

SearchFulfiller::SearchFulfiller(SearchOptions options)
    : options_(std::move(options)), workers_(std::max<std::size_t>(1, options_.threads)) {
  if (options_.corpus != nullptr) {
    names_.emplace_back("corpus");
  }
  if (options_.searxng) {
    names_.emplace_back("searxng");
    transport_ = std::make_unique<provider::Transport>();
    web_ = std::make_unique<Searxng>(*options_.searxng, *transport_);
  }
}

SearchFulfiller::~SearchFulfiller() {
  std::vector<std::shared_ptr<Task>> left;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [key, task] : tasks_) {
      left.push_back(task);
    }
  }
  for (const std::shared_ptr<Task>& task : left) {
    finish(task, reply_with(run::Status::cancelled, "the host ends"));
  }
  if (transport_ != nullptr) {
    transport_->end_all();
  }
  ending_ = true;
  refresher_.stop();
  workers_.stop();
}

void SearchFulfiller::begin(host::EffectCall call, std::function<void(run::Reply)> done) {
  auto task = std::make_shared<Task>();
  task->call = std::move(call);
  task->done = std::move(done);
  if (task->call.deadline_ms != 0) {
    task->deadline = Clock::now() + std::chrono::milliseconds(task->call.deadline_ms);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_[{task->call.run, task->call.key}] = task;
  }
  workers_.give([this, task] {
    const json::Value& request = task->call.request.value();
    if (const json::Value* query = request.find("query"); query != nullptr) {
      task->query = std::string(query->str());
    }
    if (const json::Value* limit = request.find("limit"); limit != nullptr) {
      std::uint64_t number = 0;
      if (json::read_uint(limit->str(), number)) {
        task->limit = static_cast<std::size_t>(std::clamp<std::uint64_t>(number, 1, research::search_limit_max));
      }
    }
    if (const json::Value* providers = request.find("providers"); providers != nullptr) {
      for (const json::Value& one : providers->array()) {
        task->providers.emplace_back(one.str());
      }
    }
    if (task->providers.empty()) {
      task->providers = names_;
    }
    go_on(task);
  });
}

void SearchFulfiller::stop(std::string_view run, std::string_view key) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = tasks_.find(std::pair(std::string(run), std::string(key)));
    if (found == tasks_.end()) {
      return;
    }
    task = found->second;
  }
  task->stopped = true;
  const provider::ExchangeId exchange = task->exchange;
  if (exchange != 0 && transport_ != nullptr) {
    transport_->cancel(exchange);
  }
  // `done` is not called from inside stop(): who called it may hold what `done` needs.
  workers_.give([this, task] { finish(task, {}); });
}

void SearchFulfiller::finish(const std::shared_ptr<Task>& task, run::Reply reply) {
  if (task->over.exchange(true)) {
    return;
  }
  // What comes of a call that was cut off for it is no result.
  if (task->stopped) {
    reply = reply_with(run::Status::cancelled, "the search was stopped");
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = tasks_.find({task->call.run, task->call.key});
    if (found != tasks_.end() && found->second == task) {
      tasks_.erase(found);
    }
  }
  task->done(std::move(reply));
}

void SearchFulfiller::go_on(const std::shared_ptr<Task>& task) {
  if (names_.empty()) {
    finish(task, reply_with(run::Status::failed, "this host cannot search: it has neither a corpus nor a SearXNG"));
    return;
  }
  if (task->over) {
    return;
  }
  if (task->late()) {
    finish(task, reply_with(run::Status::timed_out, "the time of the search is used up"));
    return;
  }
  if (task->next == task->providers.size()) {
    finish(task, reply_of(task->failed.empty() ? task->nothing : task->failed));
    return;
  }
  const std::string& name = task->providers[task->next++];
  if (name == "corpus" && options_.corpus != nullptr) {
    ask_corpus(task);
  } else if (name == "searxng" && web_ != nullptr) {
    ask_searxng(task);
  } else {
    std::string there = joined(names_);
    take(task, failed_value(task->query, name, "this host has no search provider '" + name + "'; it has " + there));
  }
}

void SearchFulfiller::prepare() {
  if (options_.corpus == nullptr) {
    return;
  }
  const std::lock_guard<std::mutex> lock(refresh_mutex_);
  begin_refresh();
}

void SearchFulfiller::begin_refresh() {
  if (refreshing_ || (refreshed_ && Clock::now() - *refreshed_ < std::chrono::milliseconds(options_.refresh_ms))) {
    return;
  }
  refreshing_ = true;
  indexed_ = to_index_ = 0;
  refresher_.give([this] { refresh(); });
}

void SearchFulfiller::refresh() {
  RefreshWatch watch;
  watch.progress = [this](std::uint64_t done, std::uint64_t all) {
    indexed_ = done;
    to_index_ = all;
    return !ending_;
  };
  const Result<Refresh> done = options_.corpus->refresh(watch);
  {
    const std::lock_guard<std::mutex> lock(refresh_mutex_);
    refreshing_ = false;
    refresh_error_ = done ? std::nullopt : std::optional<Error>(done.error());
    if (done && !done.value().stopped) {
      refreshed_ = Clock::now();
    }
  }
  refresh_ended_.notify_all();
}

std::optional<Error> SearchFulfiller::bring_up_to_date(const Task& task) {
  std::unique_lock<std::mutex> lock(refresh_mutex_);
  begin_refresh();
  const Clock::time_point begun = Clock::now();
  const std::chrono::milliseconds tell_every(options_.tell_ms);
  Clock::time_point tell_at = begun + tell_every;
  while (refreshing_ && !task.over && !task.late() && !(refreshed_ && Clock::now() - begun >= fresh_wait)) {
    if (Clock::now() >= tell_at && task.call.told) {
      tell_at = Clock::now() + tell_every;
      std::string json;
      json::Writer(json).begin_object().member_uint("done", indexed_).member_uint("all", to_index_).end_object();
      lock.unlock();
      task.call.told("index", std::move(json));
      lock.lock();
    }
    refresh_ended_.wait_for(lock, wait_slice, [&] { return !refreshing_; });
  }
  return refreshing_ ? std::nullopt : refresh_error_;
}

void SearchFulfiller::ask_corpus(const std::shared_ptr<Task>& task) {
  workers_.give([this, task] {
    // What cannot be brought up to date may still be searched.
    const std::optional<Error> stale = bring_up_to_date(*task);
    if (task->late() || task->over) {
      finish(task,
             reply_with(run::Status::timed_out, "the time of the search was used up while its corpus was indexed (" +
                                                    std::to_string(indexed_) + " of " + std::to_string(to_index_) +
                                                    " documents); indexing continues"));
      return;
    }
    const Result<Hits> hits = options_.corpus->search(task->query, task->limit);
    if (hits) {
      take(task, corpus_value(task->query, hits.value(), options_.corpus->folder()));
    } else {
      const Error& error = stale ? *stale : hits.error();
      take(task, failed_value(task->query, "corpus", (error.where.empty() ? "" : error.where + ": ") + error.message));
    }
  });
}

void SearchFulfiller::ask_searxng(const std::shared_ptr<Task>& task) {
  std::uint64_t left_ms = 0;
  if (task->deadline) {
    left_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::milliseconds>(*task->deadline - Clock::now()).count()));
  }
  task->exchange = web_->ask(task->query, task->limit, left_ms, [this, task](std::string value) {
    task->exchange = 0;
    take(task, std::move(value));
  });
}

void SearchFulfiller::take(const std::shared_ptr<Task>& task, std::string value) {
  const run::Data read = run::Data::written(value);
  const std::string_view status = status_in(read);
  if (status == "success" || status == "insufficient_specificity") {
    finish(task, reply_of(std::move(value)));
    return;
  }
  (status == "no_results" ? task->nothing : task->failed) = std::move(value);
  go_on(task);
}

}  // namespace plumb::search
