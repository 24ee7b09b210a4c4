#include "native/events/teller.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/pipelines/workflow/telling.hpp"
#include "native/host/contained.hpp"
#include "native/store/sharing.hpp"

namespace plumb::events {

namespace {

using Clock = std::chrono::steady_clock;
using pipelines::workflow::Telling;
using pipelines::workflow::ToldEvent;
using store::LogAnswer;
using store::StoreTold;

constexpr std::size_t entries_at_once = 64;
constexpr std::uint64_t bytes_at_once = 1U << 20U;
constexpr std::size_t rows_at_once = 500;
constexpr std::size_t broken_max = 1'000;
constexpr std::size_t due_max = 20'000;  // names of runs that wait; beyond, the next sweep finds them

std::uint64_t wall_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

// A run as far as it was told.
struct RunProgress {
  explicit RunProgress(const std::string& id) : telling(id) {}
  Telling telling;
  std::uint64_t from = 0;    // entries before it were told before
  std::uint64_t marked = 0;  // that the store knows of
  // Of the entry that was read last: events that are not told yet.
  std::vector<ToldEvent> left = {};
  std::size_t next = 0;
  bool anything = false;  // was told since the mark
};

enum class How : std::uint8_t { done, away, gone };

class StoreTeller final : public Teller {
 public:
  StoreTeller(store::Store& store, store::ToldMarks& marks, store::MessageBus& bus, TellerSettings settings)
      : settings_(std::move(settings)), store_(store), marks_(marks), bus_(bus) {}
  ~StoreTeller() override { stop(0); }

  void begin() {
    thread_ = std::thread([this] { work(); });
  }

  void stored(std::string_view id) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (due_.size() < due_max) {
        due_.emplace(std::string(id), false);
      } else {
        swept_ = Clock::time_point();
      }
    }
    changed_.notify_one();
  }

  TellerCounts counts() const override {
    TellerCounts out;
    out.told = told_count_;
    out.known = known_count_;
    out.refused = refused_count_;
    const std::lock_guard<std::mutex> lock(mutex_);
    out.runs_due = due_.size();
    return out;
  }

  void stop(std::uint64_t grace_ms) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!stopping_) {
        stopping_ = true;
        until_ = Clock::now() + std::chrono::milliseconds(grace_ms);
      }
    }
    changed_.notify_one();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  void work();
  bool sweep();
  How tell(const std::string& id, bool found);
  How read_on(const std::string& id, RunProgress& run, bool& more);
  How put_left(RunProgress& run);
  RunProgress* told_of(const std::string& id, How& how);
  void forget(const std::string& id);
  bool over_time() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return stopping_ && Clock::now() >= until_;
  }
  void say(StoreTold kind, const std::string& text) const {
    if (settings_.told) {
      settings_.told(kind, text);
    }
  }
  // The same is said once in a minute.
  void problem(const std::string& what) {
    if (what != problem_ || Clock::now() >= said_ + std::chrono::minutes(1)) {
      say(StoreTold::error, what);
      problem_ = what;
      said_ = Clock::now();
    }
  }
  // What cannot be read will not be read in five seconds either.
  void give_up(const std::string& id, const std::string& why) {
    say(StoreTold::error, "no more events of run " + id + " are published: " + why);
    if (broken_.size() < broken_max) {
      broken_.insert(id);
    }
  }

  const TellerSettings settings_;
  store::Store& store_;
  store::ToldMarks& marks_;
  store::MessageBus& bus_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, bool, std::less<>> due_;  // found by a sweep, not told of by the host
  Clock::time_point swept_;                       // none yet
  bool stopping_ = false;
  Clock::time_point until_;
  std::atomic<std::uint64_t> told_count_{0}, known_count_{0}, refused_count_{0};

  // Of the thread.
  std::optional<std::uint64_t> since_;
  std::uint64_t settled_before_ = 0;  // runs of a lower number have ended and are told
  std::string problem_, last_;
  Clock::time_point said_;
  std::set<std::string, std::less<>> broken_;
  std::list<std::pair<std::string, RunProgress>> runs_;  // the one that was told last first
  std::map<std::string, std::list<std::pair<std::string, RunProgress>>::iterator, std::less<>> by_id_;
  std::thread thread_;
};

void StoreTeller::work() {
  for (;;) {
    std::string id;
    bool found = false;
    bool sweeps = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      const auto next_sweep =
          swept_ == Clock::time_point() ? Clock::time_point() : swept_ + std::chrono::milliseconds(settings_.sweep_ms);
      changed_.wait_until(lock, next_sweep, [&] { return stopping_ || !due_.empty(); });
      if (stopping_ && (due_.empty() || Clock::now() >= until_)) {
        return;
      }
      sweeps = !stopping_ && Clock::now() >= next_sweep;
      if (!sweeps && !due_.empty()) {
        // In turn, so that none waits behind one that cannot be told.
        auto next = due_.upper_bound(last_);
        next = next == due_.end() ? due_.begin() : next;
        id = last_ = next->first;
        found = next->second;
        due_.erase(next);
      }
    }
    bool away = false;
    if (sweeps) {
      away = !sweep();
      const std::lock_guard<std::mutex> lock(mutex_);
      swept_ = away ? Clock::time_point() : Clock::now();
    } else if (!id.empty()) {
      How how = How::gone;
      // A journal that breaks an assumption of ours must not end the server.
      if (const std::optional<std::string> broken = host::contained([&] { how = tell(id, found); })) {
        give_up(id, *broken);
        how = How::gone;
      }
      if (how == How::gone) {
        forget(id);
      }
      away = how == How::away;
      if (away) {
        const std::lock_guard<std::mutex> lock(mutex_);
        due_.emplace(id, found);
      }
    }
    if (away) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(settings_.again_ms), [&] { return stopping_; });
      if (stopping_) {
        return;  // the next who tells goes on behind the mark
      }
    }
  }
}

// Finds runs of which something is not told. False: the store could not be asked.
bool StoreTeller::sweep() {
  const auto fails = [&](const Error& error) {
    problem("what is to be told cannot be found: the store " + error.message);
    return false;
  };
  if (!since_) {
    const Result<store::Page> newest = store_.list({.limit = 1});
    const Result<std::vector<store::RunRow>> waiting = store_.waiting();
    if (!newest || !waiting) {
      return fails(newest ? waiting.error() : newest.error());
    }
    std::vector<std::string> ids;
    for (const store::RunRow& row : waiting.value()) {
      if (row.pipeline == pipeline) {
        ids.push_back(row.id);
      }
    }
    const std::uint64_t number = newest.value().runs.empty() ? 0 : newest.value().runs.front().number;
    const Result<std::uint64_t> since = marks_.begin(number, ids);
    if (!since) {
      return fails(since.error());
    }
    since_ = since.value();
  }
  store::ListQuery query;
  query.pipeline = pipeline;
  query.limit = rows_at_once;
  std::uint64_t settled_before = 0;  // the lowest number of a run that is not settled
  std::uint64_t highest = 0;
  bool below = false;
  do {
    const Result<store::Page> page = store_.list(query);
    if (!page) {
      return fails(page.error());
    }
    for (const store::RunRow& row : page.value().runs) {
      below = row.number < settled_before_;
      if (below) {
        break;
      }
      highest = std::max(highest, row.number);
      const Result<std::optional<std::uint64_t>> mark = marks_.told(row.id);
      if (!mark) {
        return fails(mark.error());
      }
      const bool waits = row.state == run::State::waiting;
      const bool passed_over =
          row.imported || broken_.find(row.id) != broken_.end() || (!mark.value() && !waits && row.number <= *since_);
      const bool told = passed_over || mark.value().value_or(0) >= row.entries;
      if (waits || !told) {
        settled_before = row.number;
      }
      store::Sharing* const sharing = store_.sharing();
      const bool others =
          sharing != nullptr && (waits ? sharing->elsewhere(row.id) : row.changed_ms + settings_.left_ms > wall_ms());
      if (!told && !others) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (due_.size() < due_max) {
          due_.emplace(row.id, true);
        }
      }
    }
    query.before = page.value().next;
  } while (!below && query.before != 0);
  settled_before_ = settled_before != 0 ? settled_before : std::max(settled_before_, highest);
  marks_.sweep([&](const std::string& id) {
    const Result<store::RunRow> row = store_.find(id);
    return row || row.error().code != ErrorCode::not_found;
  });
  return true;
}

void StoreTeller::forget(const std::string& id) {
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) {
    runs_.erase(found->second);
    by_id_.erase(found);
  }
}

// The run as it was told; nullptr: `how` says why there is none.
RunProgress* StoreTeller::told_of(const std::string& id, How& how) {
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) {
    runs_.splice(runs_.begin(), runs_, found->second);
    return &runs_.front().second;
  }
  const Result<store::RunRow> row = store_.find(id);
  if (!row || row.value().pipeline != pipeline || row.value().imported) {
    how = row || row.error().code == ErrorCode::not_found ? How::gone : How::away;
    return nullptr;
  }
  const Result<std::optional<std::uint64_t>> mark = marks_.told(id);
  if (!mark) {
    problem("what was told cannot be read: " + mark.error().message);
    how = How::away;
    return nullptr;
  }
  while (runs_.size() >= settings_.runs_max) {
    by_id_.erase(runs_.back().first);
    runs_.pop_back();
  }
  runs_.emplace_front(id, RunProgress(id));
  by_id_.emplace(id, runs_.begin());
  RunProgress& run = runs_.front().second;
  run.from = run.marked = mark.value().value_or(0);
  return &run;
}

How StoreTeller::put_left(RunProgress& run) {
  for (; run.next < run.left.size(); ++run.next) {
    if (over_time()) {
      return How::away;
    }
    const ToldEvent& event = run.left[run.next];
    const store::BusAnswer answer = bus_.put({event.subject, event.id, settings_.by, event.body});
    if (answer.what == LogAnswer::What::never) {
      ++refused_count_;
      say(StoreTold::error, "event " + event.id + " (" + event.subject + ") cannot be told: " + answer.why);
    } else if (answer.what == LogAnswer::What::stored) {
      ++told_count_;
      known_count_ += answer.known ? 1 : 0;
    } else {
      if (bus_.problem().empty()) {  // else who connects says it
        problem("no events are published: " + answer.why);
      }
      return How::away;
    }
    run.anything = true;
  }
  run.left.clear();
  run.next = 0;
  return How::done;
}

How StoreTeller::read_on(const std::string& id, RunProgress& run, bool& more) {
  const Result<store::JournalPart> part = store_.journal(id, run.telling.entries(), entries_at_once, bytes_at_once);
  if (!part) {
    return part.error().code == ErrorCode::not_found ? How::gone : How::away;
  }
  std::optional<run::Journal> whole;
  for (const run::Stored& stored : part.value().entries) {
    Result<run::Entry> entry = run::read_entry(stored.line, stored.number, [&](std::string_view hash) {
      for (const run::Stored& one : part.value().entries) {
        for (const run::Blob& blob : one.blobs) {
          if (blob.hash == hash) {
            return &blob.text;
          }
        }
      }
      return static_cast<const std::string*>(nullptr);
    });
    // A text of it was given with an earlier entry: the whole journal has it.
    if (!entry && !whole) {
      Result<run::Journal> read = store::read_journal(store_, id);
      if (!read) {
        if (read.error().code == ErrorCode::unavailable) {
          return How::away;
        }
        give_up(id, read.error().message);
        return How::gone;
      }
      whole = std::move(read).value();
    }
    if (!entry && stored.number >= whole->entries().size()) {
      return How::away;
    }
    const std::uint64_t number = stored.number;
    run.left = run.telling.next(entry ? entry.value() : whole->entries()[static_cast<std::size_t>(number)]);
    run.next = number < run.from ? run.left.size() : 0;  // it was told before
    if (const How how = put_left(run); how != How::done) {
      return how;
    }
  }
  more = !part.value().entries.empty() && run.telling.entries() < part.value().total;
  return How::done;
}

How StoreTeller::tell(const std::string& id, bool found) {
  How how = How::done;
  RunProgress* const run = told_of(id, how);
  if (run == nullptr) {
    return how;
  }
  how = put_left(*run);
  for (bool more = true; more && how == How::done;) {
    more = false;
    how = read_on(id, *run, more);
  }
  // What is told stays told, also where the rest has to wait.
  const std::uint64_t entries = run->telling.entries() - (run->left.empty() ? 0 : 1);
  const Result<store::RunRow> row = store_.find(id);
  const bool ended = row && row.value().state != run::State::waiting && entries >= row.value().entries;
  // A mark for each entry would be a write for each: what is no event is marked when a sweep comes by.
  if (how != How::gone && entries > run->marked && (run->anything || ended || found)) {
    const Result<bool> marked = marks_.mark(id, entries);
    if (!marked) {
      problem("what was told cannot be marked: " + marked.error().message);
      return How::away;
    }
    run->marked = entries;
    run->anything = false;
  }
  return how == How::done && ended ? How::gone : how;  // nothing more comes of it
}

}  // namespace

Result<std::unique_ptr<Teller>> Teller::open(store::Store& store, store::ToldMarks& marks, store::MessageBus& bus,
                                             TellerSettings settings) {
  auto teller = std::make_unique<StoreTeller>(store, marks, bus, std::move(settings));
  teller->begin();
  return std::unique_ptr<Teller>(std::move(teller));
}

}  // namespace plumb::events
