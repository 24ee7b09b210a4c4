#include "virtual_servers.hpp"

#include <algorithm>

#include "core/reason.hpp"

namespace plumb::test {

namespace {

Error away() {
  return Error{ErrorCode::unavailable, "cannot be reached: so the seed says", "virtual", 0, 0, Reason::unreachable};
}

bool matches(const std::string& pattern, const std::string& subject) {
  return pattern.ends_with(".*") ? subject.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == subject;
}

}  // namespace

std::uint64_t Dice::next() {  // splitmix64
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

void VirtualTime::at(std::uint64_t when_ms, std::function<void()> what) {
  due_.push({std::max(when_ms, now_ms_), order_++, std::move(what)});
}

bool VirtualTime::step() {
  if (due_.empty()) {
    return false;
  }
  const std::function<void()> what = due_.top().what;
  now_ms_ = due_.top().when_ms;
  due_.pop();
  what();
  return true;
}

class VirtualClient final : public store::SharedLog {
 public:
  VirtualClient(VirtualServers& servers, VirtualServers::Place place)
      : servers_(servers), place_(std::move(place)), self_(std::make_shared<VirtualClient*>(this)) {
    visible_ = servers_.log_.size();
    servers_.clients_.push_back(self_);
  }
  ~VirtualClient() override { *self_ = nullptr; }

  std::size_t message_bytes_max() const override { return 2'500; }

  void put(store::LogPut put, std::function<void(const store::LogAnswer&)> done) override {
    const auto answered = std::make_shared<bool>(false);
    const auto answer = [answered, done = std::move(done)](const store::LogAnswer& what) {
      if (!std::exchange(*answered, true)) {
        done(what);
      }
    };
    send([&servers = servers_, self = self_, put, answer] { come(servers, self, put, answer); });
    if (servers_.dice_.percent(servers_.faults_.twice)) {
      servers_.time_.after(servers_.dice_.between(1, 3'000), [&servers = servers_, put] { (void)servers.store(put); });
    }
    servers_.time_.after(VirtualServers::answer_ms, [self = self_, answer] {
      if (*self != nullptr) {
        (*self)->place_.give([answer] { answer({store::LogAnswer::What::away, 0, "not answered"}); });
      }
    });
  }

  Result<store::LogHead> head() override {
    if (fails()) {
      return away();
    }
    const auto there = std::count(servers_.erased_.begin(), servers_.erased_.end(), false);
    return store::LogHead{"virtual", 1, servers_.log_.size(), static_cast<std::uint64_t>(there)};
  }

  Result<store::LogMessage> last(const std::string& subject) override {
    if (fails()) {
      return away();
    }
    const std::vector<std::uint64_t>& there = servers_.subjects_[subject];
    if (there.empty()) {
      return Error{ErrorCode::not_found, "there is no " + subject, "virtual", 0, 0};
    }
    return servers_.log_[there.back() - 1];
  }

  Result<bool> erase(std::uint64_t sequence) override {
    if (fails()) {
      return away();
    }
    servers_.erased_.at(sequence - 1) = true;
    std::vector<std::uint64_t>& there = servers_.subjects_[servers_.log_[sequence - 1].subject];
    there.erase(std::remove(there.begin(), there.end(), sequence), there.end());
    return true;
  }

  Result<std::vector<store::LogMessage>> next(std::uint64_t after, std::size_t messages_max, std::uint64_t) override {
    if (servers_.cuts_[place_.host] == Cut::told || servers_.dice_.percent(servers_.faults_.away)) {
      return away();
    }
    std::vector<store::LogMessage> out;
    const std::size_t count = 1 + servers_.dice_.below(std::min<std::size_t>(messages_max, 16));
    for (std::uint64_t at = after; at < visible_ && out.size() < count; ++at) {
      if (!servers_.erased_[at]) {
        out.push_back(servers_.log_[at]);
      }
    }
    return out;
  }

  void put_text(std::string name, std::string text, std::function<void(const store::LogAnswer&)> done) override {
    const auto answered = std::make_shared<bool>(false);
    const auto answer = [answered, done = std::move(done)](store::LogAnswer::What what) {
      if (!std::exchange(*answered, true)) {
        done({what, 0, "as the seed says"});
      }
    };
    send([&servers = servers_, self = self_, name = std::move(name), text = std::move(text), answer] {
      if (servers.dice_.percent(servers.faults_.lost)) {
        return;
      }
      servers.texts_[name] = {text, servers.time_.now_ms() + VirtualServers::since_1970_ms};
      if (!servers.dice_.percent(servers.faults_.unsaid)) {
        receive(servers, self, [answer] { answer(store::LogAnswer::What::stored); });
      }
    });
    servers_.time_.after(VirtualServers::answer_ms, [self = self_, answer] {
      if (*self != nullptr) {
        (*self)->place_.give([answer] { answer(store::LogAnswer::What::away); });
      }
    });
  }
  Result<std::string> text(const std::string& name) override {
    if (fails()) {
      return away();
    }
    const auto found = servers_.texts_.find(name);
    if (found == servers_.texts_.end()) {
      return Error{ErrorCode::not_found, "there is no text " + name, "virtual", 0, 0};
    }
    return found->second.first;
  }
  Result<bool> remove_text(const std::string& name, std::uint64_t before_ms) override {
    const auto found = servers_.texts_.find(name);
    if (fails() || found == servers_.texts_.end() || found->second.second >= before_ms) {
      return false;
    }
    servers_.texts_.erase(found);
    return true;
  }
  Result<std::vector<std::string>> text_names() override {
    std::vector<std::string> out;
    for (const auto& [name, text] : servers_.texts_) {
      out.push_back(name);
    }
    return out;
  }

  void say(const std::string& subject, const std::string& text) override {
    send([&servers = servers_, subject, text] {
      for (const auto& client : servers.clients_) {
        if (*client != nullptr && !servers.dice_.percent(servers.faults_.lost)) {
          receive(servers, client, [client, subject, text] {
            if (*client != nullptr) {
              (*client)->heard(subject, text);
            }
          });
        }
      }
    });
  }
  Result<std::string> ask(const std::string&, const std::string&, std::uint64_t) override {
    return Error{ErrorCode::not_found, "nobody answers here", "virtual", 0, 0};
  }
  Result<bool> hear(const std::string& subject, Hearer hearer) override {
    hearers_.emplace_back(subject, std::move(hearer));
    return true;
  }
  void stop_hearing() override { hearers_.clear(); }
  std::string problem() override { return servers_.cuts_[place_.host] == Cut::told ? "cut off" : ""; }
  std::uint64_t reconnects() override { return reconnects_; }

  std::size_t host() const { return place_.host; }
  void stored(std::uint64_t sequence) {
    receive(servers_, self_, [self = self_, sequence] {
      if (*self != nullptr) {
        (*self)->sees(sequence);
      }
    });
  }
  // The cut has become another one.
  void cut_was(Cut before, Cut now) {
    if (now != Cut::none) {
      return;
    }
    reconnects_ += before == Cut::told ? 1 : 0;
    for (const std::function<void()>& one : std::exchange(outward_, {})) {
      send(one);
    }
    for (const std::function<void()>& one : std::exchange(inward_, {})) {
      receive(servers_, self_, one);
    }
    stored(servers_.log_.size());
  }

 private:
  using Self = std::shared_ptr<VirtualClient*>;

  bool fails() { return servers_.cuts_[place_.host] != Cut::none || servers_.dice_.percent(servers_.faults_.away); }
  void heard(const std::string& subject, const std::string& text) {
    for (const auto& [pattern, hearer] : hearers_) {
      if (matches(pattern, subject)) {
        hearer(subject, text, {});
      }
    }
  }
  void sees(std::uint64_t sequence) {
    visible_ = std::max(visible_, sequence);
    place_.comes();
  }
  // What goes to the servers arrives in the order in which it was sent, also when this client is gone by then.
  void send(std::function<void()> what) {
    const Cut cut = servers_.cuts_[place_.host];
    if (cut != Cut::none) {
      if (cut == Cut::silent || servers_.dice_.percent(50)) {  // the client keeps some of it until it is back
        outward_.push_back(std::move(what));
      }
      return;
    }
    sent_ms_ = std::max(sent_ms_, servers_.time_.now_ms() + servers_.latency_ms());
    servers_.time_.at(sent_ms_, std::move(what));
  }
  static void receive(VirtualServers& servers, const Self& self, std::function<void()> what) {
    if (*self == nullptr) {
      return;
    }
    VirtualClient& client = **self;
    const Cut cut = servers.cuts_[client.place_.host];
    if (cut == Cut::silent) {
      client.inward_.push_back(std::move(what));
    } else if (cut == Cut::none) {
      client.received_ms_ = std::max(client.received_ms_, servers.time_.now_ms() + servers.latency_ms());
      servers.time_.at(client.received_ms_, [self, what = std::move(what)] {
        if (*self != nullptr) {
          (*self)->place_.give(what);
        }
      });
    }
  }
  template <class Answer>
  static void come(VirtualServers& servers, const Self& self, const store::LogPut& put, const Answer& answer) {
    if (servers.dice_.percent(servers.faults_.lost)) {
      return;
    }
    const store::LogAnswer stored = servers.store(put);
    if (!servers.dice_.percent(servers.faults_.unsaid)) {
      receive(servers, self, [answer, stored] { answer(stored); });
    }
  }

  VirtualServers& servers_;
  const VirtualServers::Place place_;
  const Self self_;
  std::vector<std::pair<std::string, Hearer>> hearers_;
  std::vector<std::function<void()>> outward_, inward_;  // while it is cut
  std::uint64_t visible_ = 0, sent_ms_ = 0, received_ms_ = 0, reconnects_ = 0;
};

std::unique_ptr<store::SharedLog> VirtualServers::client(Place place) {
  return std::make_unique<VirtualClient>(*this, std::move(place));
}

void VirtualServers::cut(std::size_t host, Cut how) {
  const Cut before = std::exchange(cuts_[host], how);
  for (const auto& client : std::vector<std::shared_ptr<VirtualClient*>>(clients_)) {
    if (before != how && *client != nullptr && (*client)->host() == host) {
      (*client)->cut_was(before, how);
    }
  }
}

std::string VirtualServers::text_of(const std::string& name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::string() : found->second.first;
}

store::LogAnswer VirtualServers::store(const store::LogPut& put) {
  const std::uint64_t now = time_.now_ms();
  if (const auto known = ids_.find(put.id); known != ids_.end() && now < known->second.second + same_ms) {
    return {store::LogAnswer::What::stored, known->second.first, ""};
  }
  std::vector<std::uint64_t>& there = subjects_[put.subject];
  const std::uint64_t last = there.empty() ? 0 : there.back();
  if (put.expected && *put.expected != last) {
    return {store::LogAnswer::What::refused, 0, "wrong last sequence: " + std::to_string(last)};
  }
  const std::uint64_t sequence = log_.size() + 1;
  log_.push_back({sequence, now + since_1970_ms, put.subject, put.id, put.by, put.body});
  erased_.push_back(false);
  there.push_back(sequence);
  ids_[put.id] = {sequence, now};
  for (const auto& client : clients_) {
    if (*client != nullptr) {
      (*client)->stored(sequence);
    }
  }
  return {store::LogAnswer::What::stored, sequence, ""};
}

}  // namespace plumb::test
