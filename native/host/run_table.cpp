#include "native/host/run_table.hpp"

#include <utility>

namespace plumb::host {

namespace {

std::string request_name(std::string_view owner, std::string_view key) {
  return std::to_string(owner.size()) + '\n' + std::string(owner) + std::string(key);
}

Error stopping() { return Error{ErrorCode::unavailable, "the host is being stopped", "", 0, 0}; }

}  // namespace

RunRef RunTable::find(std::string_view id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = runs_.find(std::string(id));
  return found == runs_.end() ? nullptr : found->second;
}

std::string RunTable::same(std::string_view fingerprint, std::string_view owner, std::string_view request_key) const {
  if (!request_key.empty()) {
    const auto found = by_request_.find(request_name(owner, request_key));
    if (found != by_request_.end()) {
      return found->second;
    }
  }
  const auto found = by_fingerprint_.find(std::string(fingerprint));
  return fingerprint.empty() || found == by_fingerprint_.end() ? std::string() : found->second;
}

std::string RunTable::same_as(std::string_view fingerprint, std::string_view owner, std::string_view request_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return same(fingerprint, owner, request_key);
}

void RunTable::name(const store::RunRow& row) {
  if (!row.fingerprint.empty()) {
    by_fingerprint_[row.fingerprint] = row.id;
  }
  if (!row.request_key.empty()) {
    by_request_[request_name(row.owner, row.request_key)] = row.id;
  }
}

void RunTable::remember(const store::RunRow& row) {
  const std::lock_guard<std::mutex> lock(mutex_);
  name(row);
}

Result<std::string> RunTable::add(const RunRef& run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) {
    return stopping();
  }
  if (std::string there = same(run->row.fingerprint, run->row.owner, run->row.request_key); !there.empty()) {
    return there;
  }
  if (runs_.size() >= runs_max_) {
    return Error{ErrorCode::limit,
                 "there are " + std::to_string(runs_.size()) +
                     " runs going on, the most there may be; try again when some have ended",
                 "", 0, 0};
  }
  runs_.emplace(run->id, run);
  name(run->row);
  return std::string();
}

Result<RunRef> RunTable::take_up(const RunRef& run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) {
    return stopping();
  }
  if (const auto [there, fresh] = runs_.emplace(run->id, run); !fresh) {
    // What had to be given up is taken up anew; else there is nothing to do.
    bool given_up = false;
    {
      const std::lock_guard<std::mutex> its(there->second->mutex);
      given_up = there->second->phase.is(RunPhase::given_up);
    }
    if (!given_up) {
      return there->second;
    }
    there->second = run;
  }
  name(run->row);
  return run;
}

void RunTable::forget(const RunRef& run) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = runs_.find(run->id);
  if (found != runs_.end() && found->second == run) {
    runs_.erase(found);
  }
  auto drop = [&](auto& map, const std::string& named) {
    const auto at = map.find(named);
    if (at != map.end() && at->second == run->id) {
      map.erase(at);
    }
  };
  drop(by_fingerprint_, run->row.fingerprint);
  drop(by_request_, request_name(run->row.owner, run->row.request_key));
}

std::vector<RunRef> RunTable::all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<RunRef> out;
  out.reserve(runs_.size());
  for (const auto& [id, run] : runs_) {
    out.push_back(run);
  }
  return out;
}

std::size_t RunTable::size() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return runs_.size();
}

bool RunTable::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !std::exchange(closed_, true);
}

}  // namespace plumb::host
