// The scripted provider of tests/native/scripted_upstream.py as a child process, and what tests of providers wait with.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "native/host/fulfil.hpp"
#include "native/provider/settings.hpp"

namespace plumb::test {

// Long enough for a slow and busy machine; what is waited for comes at once on others.
inline constexpr auto patience = std::chrono::seconds(60);

class Upstream {
 public:
  explicit Upstream(const std::vector<std::string>& arguments = {});
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  // One for all tests of the process.
  static Upstream& shared();

  std::uint16_t port() const { return port_; }
  // "http://127.0.0.1:PORT/TAG/SCRIPT"
  std::string base(std::string_view tag, std::string_view script, bool tls = false) const;
  nlohmann::json stats(const std::string& tag) const;
  // True as soon as the stats are as wanted; false when they never were.
  bool sees(const std::string& tag, const std::function<bool(const nlohmann::json&)>& wanted) const;

 private:
  int to_child_ = -1;
  int child_ = -1;
  std::uint16_t port_ = 0;
};

// A port of loopback that nobody listens on.
std::uint16_t closed_port();

// A value that comes from another thread.
template <class Value>
class Coming {
 public:
  void set(Value value) {
    const std::lock_guard lock(shared_->mutex);
    shared_->values.push_back(std::move(value));
    shared_->changed.notify_all();
  }
  bool wait(std::size_t count = 1) {
    std::unique_lock lock(shared_->mutex);
    return shared_->changed.wait_for(lock, patience, [&] { return shared_->values.size() >= count; });
  }
  Value get(std::size_t index = 0) {
    if (!wait(index + 1))
      return {};
    const std::lock_guard lock(shared_->mutex);
    return shared_->values[index];
  }
  std::size_t count() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->values.size();
  }
  std::vector<Value> all() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->values;
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Value> values;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace plumb::test
