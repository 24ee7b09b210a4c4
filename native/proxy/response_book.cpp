#include "native/proxy/response_book.hpp"

#include "core/json/sha256.hpp"

namespace plumb::proxy {

namespace {

std::string key_of(std::string_view client, std::string_view id) {
  std::string text = "response\n";
  text.append(client).append("\n").append(id);
  return json::sha256_hex(text).substr(0, 32);
}

}  // namespace

void ResponseBook::set(const KeptSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

// What is too old, and what is too much: of the order, in which an entry that was put again, or erased, remains.
void ResponseBook::drop_old(std::uint64_t now_ms) {
  while (!order_.empty()) {
    const auto& [key, number] = order_.front();
    const auto found = entries_.find(key);
    const bool current = found != entries_.end() && found->second.number == number;
    if (current && found->second.until_ms > now_ms && order_.size() <= settings_.entries_max) {
      return;
    }
    if (current) {
      entries_.erase(found);
    }
    order_.pop_front();
  }
}

void ResponseBook::keep(const std::string& key, KeptResponse response, std::uint64_t until_ms) {
  const std::uint64_t number = ++number_;
  order_.emplace_back(key, number);
  entries_.insert_or_assign(key, Entry{std::move(response), until_ms, number});
}

void ResponseBook::put(std::string_view client, std::string_view id, const KeptResponse& response, TimePoint now) {
  const std::string key = key_of(client, id);
  std::shared_ptr<const Told> told;
  {
    const std::lock_guard lock(mutex_);
    keep(key, response, now.steady_ms() + settings_.ttl_ms);
    drop_old(now.steady_ms());
    told = told_;
  }
  if (told != nullptr) {
    (*told)(key, &response);
  }
}

std::optional<KeptResponse> ResponseBook::find(std::string_view client, std::string_view id, TimePoint now) {
  const std::lock_guard lock(mutex_);
  drop_old(now.steady_ms());
  const auto found = entries_.find(key_of(client, id));
  // One that another proxy told late may be older than what was put before it.
  return found == entries_.end() || found->second.until_ms <= now.steady_ms() ? std::nullopt
                                                                              : std::optional(found->second.response);
}

void ResponseBook::erase(std::string_view client, std::string_view id) {
  const std::string key = key_of(client, id);
  std::shared_ptr<const Told> told;
  {
    const std::lock_guard lock(mutex_);
    told = entries_.erase(key) != 0 ? told_ : nullptr;
  }
  if (told != nullptr) {
    (*told)(key, nullptr);
  }
}

void ResponseBook::share(Told told) {
  const std::lock_guard lock(mutex_);
  told_ = told ? std::make_shared<const Told>(std::move(told)) : nullptr;
}

void ResponseBook::take(const std::string& key, std::optional<KeptResponse> response, std::uint64_t age_ms,
                        TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (!response) {
    entries_.erase(key);
  } else if (age_ms < settings_.ttl_ms) {
    keep(key, std::move(*response), now.steady_ms() + settings_.ttl_ms - age_ms);
  }
  drop_old(now.steady_ms());
}

std::size_t ResponseBook::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace plumb::proxy
