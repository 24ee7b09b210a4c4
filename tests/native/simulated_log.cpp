#include "simulated_log.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/reason.hpp"

namespace plumb::test {

namespace {

Error away() {
  return Error{ErrorCode::unavailable, "cannot be reached: so the seed says", "simulated", 0, 0, Reason::unreachable};
}

bool matches(const std::string& pattern, const std::string& subject) {
  return pattern.ends_with(".*") ? subject.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == subject;
}

}  // namespace

class SimulatedClient final : public store::SharedLog {
 public:
  SimulatedClient(SimulatedServers& servers, const SlowHead* slow)
      : servers_(servers), slow_(slow), alive_(std::make_shared<Alive>()) {}
  ~SimulatedClient() override {
    stop_hearing();
    const std::lock_guard<std::mutex> lock(alive_->mutex);
    alive_->yes = false;
  }

  std::size_t message_bytes_max() const override { return 20'000; }

  void put(store::LogPut put, std::function<void(const store::LogAnswer&)> done) override {
    later([this, put = std::move(put), done = std::move(done)] {
      const auto [lost, unsaid, twice] = faults();
      store::LogAnswer answer{store::LogAnswer::What::away, 0, "not answered, as the seed says"};
      if (!lost) {
        const store::LogAnswer stored = servers_.store(put);
        answer = unsaid ? answer : stored;
      }
      if (twice) {
        later([this, put] { (void)servers_.store(put); });
      }
      done(answer);
    });
  }

  Result<store::LogHead> head() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(slow_ == nullptr ? 0 : slow_->ms.load()));
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    if (fails()) {
      return away();
    }
    const auto there =
        std::count_if(servers_.log_.begin(), servers_.log_.end(), [](const auto& one) { return !one.gone; });
    return store::LogHead{"simulated", 1, servers_.log_.size(), static_cast<std::uint64_t>(there)};
  }

  Result<store::LogMessage> last(const std::string& subject) override {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    if (fails()) {
      return away();
    }
    for (auto one = servers_.log_.rbegin(); one != servers_.log_.rend(); ++one) {
      if (!one->gone && one->message.subject == subject) {
        return one->message;
      }
    }
    return Error{ErrorCode::not_found, "there is no " + subject, "simulated", 0, 0};
  }

  Result<bool> erase(std::uint64_t sequence) override {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    if (fails()) {
      return away();
    }
    servers_.log_.at(sequence - 1).gone = true;
    return true;
  }

  Result<std::vector<store::LogMessage>> next(std::uint64_t after, std::size_t messages_max,
                                              std::uint64_t timeout_ms) override {
    std::unique_lock<std::mutex> lock(servers_.mutex_);
    servers_.changed_.wait_for(lock, std::chrono::milliseconds(std::min<std::uint64_t>(timeout_ms, 20)),
                               [&] { return servers_.log_.size() > after; });
    if (fails()) {
      return away();
    }
    std::vector<store::LogMessage> out;
    const std::size_t count = 1 + servers_.random_() % messages_max;
    for (std::uint64_t at = after; at < servers_.log_.size() && out.size() < count; ++at) {
      if (!servers_.log_[at].gone) {
        out.push_back(servers_.log_[at].message);
      }
    }
    return out;
  }

  void put_text(std::string name, std::string text, std::function<void(const store::LogAnswer&)> done) override {
    later([this, name = std::move(name), text = std::move(text), done = std::move(done)] {
      const auto [lost, unsaid, twice] = faults();
      (void)twice;
      if (!lost) {
        const std::lock_guard<std::mutex> lock(servers_.mutex_);
        servers_.texts_[name] = text;
      }
      const bool told = !lost && !unsaid;
      done({told ? store::LogAnswer::What::stored : store::LogAnswer::What::away, 0, told ? "" : "as the seed says"});
    });
  }
  Result<std::string> text(const std::string& name) override {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    if (fails()) {
      return away();
    }
    const auto found = servers_.texts_.find(name);
    if (found == servers_.texts_.end()) {
      return Error{ErrorCode::not_found, "there is no text " + name, "simulated", 0, 0};
    }
    return found->second;
  }
  Result<bool> remove_text(const std::string& name, std::uint64_t) override {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    return servers_.texts_.erase(name) > 0;
  }
  Result<std::vector<std::string>> text_names() override {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    std::vector<std::string> out;
    for (const auto& [name, text] : servers_.texts_) {
      out.push_back(name);
    }
    return out;
  }

  void say(const std::string& subject, const std::string& text) override {
    std::vector<Hearer> hearers;
    {
      const std::lock_guard<std::mutex> lock(servers_.mutex_);
      for (const auto& [who, all] : servers_.hearers_) {
        for (const auto& [pattern, hearer] : all) {
          if (matches(pattern, subject) && servers_.percent() >= servers_.faults_.lost) {
            hearers.push_back(hearer);
          }
        }
      }
    }
    for (const Hearer& one : hearers) {
      one(subject, text, {});
    }
  }
  Result<std::string> ask(const std::string&, const std::string&, std::uint64_t) override {
    return Error{ErrorCode::not_found, "nobody answers here", "simulated", 0, 0};
  }
  Result<bool> hear(const std::string& subject, Hearer hearer) override {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    servers_.hearers_[this].emplace_back(
        subject, [alive = alive_, hearer = std::move(hearer)](const std::string& to, std::string text, auto answer) {
          const std::lock_guard<std::mutex> its(alive->mutex);
          if (alive->yes) {
            hearer(to, std::move(text), std::move(answer));
          }
        });
    return true;
  }
  void stop_hearing() override {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    servers_.hearers_.erase(this);
  }
  std::string problem() override { return {}; }
  std::uint64_t reconnects() override { return slow_ == nullptr ? 0 : slow_->reconnects.load(); }

 private:
  struct Alive {
    std::mutex mutex;
    bool yes = true;
  };
  struct Put {
    bool lost, unsaid, twice;
  };

  bool fails() { return servers_.percent() < servers_.faults_.away; }
  Put faults() {
    const std::lock_guard<std::mutex> lock(servers_.mutex_);
    const LogFaults& f = servers_.faults_;
    return {servers_.percent() < f.lost, servers_.percent() < f.unsaid, servers_.percent() < f.twice};
  }
  // What a client that is gone has sent comes all the same, but nobody is told.
  void later(std::function<void()> work) {
    std::uint64_t ms = 0;
    {
      const std::lock_guard<std::mutex> lock(servers_.mutex_);
      ms = servers_.faults_.late_ms == 0 ? 0 : servers_.random_() % (servers_.faults_.late_ms + 1);
    }
    servers_.timer_.after(ms, [alive = alive_, work = std::move(work)] {
      const std::lock_guard<std::mutex> lock(alive->mutex);
      if (alive->yes) {
        work();
      }
    });
  }

  SimulatedServers& servers_;
  const SlowHead* const slow_;
  std::shared_ptr<Alive> alive_;
};

std::unique_ptr<store::SharedLog> SimulatedServers::client(const SlowHead* slow) {
  return std::make_unique<SimulatedClient>(*this, slow);
}

void SimulatedServers::no_more_faults() {
  const std::lock_guard<std::mutex> lock(mutex_);
  faults_ = {};
}

std::size_t SimulatedServers::bodies_with(const std::string& part) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      log_.begin(), log_.end(), [&](const Kept& one) { return one.message.body.find(part) != std::string::npos; }));
}

std::size_t SimulatedServers::messages(const std::string& subject) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<std::size_t>(std::count_if(log_.begin(), log_.end(), [&](const Kept& one) {
    return !one.gone && (subject.empty() || one.message.subject == subject);
  }));
}

unsigned SimulatedServers::percent() { return static_cast<unsigned>(random_() % 100); }

store::LogAnswer SimulatedServers::store(const store::LogPut& put) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto known = ids_.find(put.id); known != ids_.end()) {
    return {store::LogAnswer::What::stored, known->second, ""};
  }
  std::uint64_t last = 0;
  for (const Kept& one : log_) {
    last = !one.gone && one.message.subject == put.subject ? one.message.sequence : last;
  }
  if (put.expected && *put.expected != last) {
    return {store::LogAnswer::What::refused, 0, "wrong last sequence: " + std::to_string(last)};
  }
  const std::uint64_t sequence = log_.size() + 1;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto at_ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  log_.push_back({{sequence, at_ms, put.subject, put.id, put.by, put.body}, false});
  ids_[put.id] = sequence;
  changed_.notify_all();
  return {store::LogAnswer::What::stored, sequence, ""};
}

}  // namespace plumb::test
