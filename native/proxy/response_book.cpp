#include "native/proxy/response_book.hpp"

namespace plumb::proxy {

void ResponseBook::set(const KeptSettings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
}

// What is too old, and what is too much: of the order, in which an entry that was put again, or erased, still stands.
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

void ResponseBook::put(std::string_view client, std::string_view id, KeptResponse response, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = ++number_;
  Key key{std::string(client), std::string(id)};
  order_.emplace_back(key, number);
  entries_.insert_or_assign(std::move(key), Entry{std::move(response), now.steady_ms() + settings_.ttl_ms, number});
  drop_old(now.steady_ms());
}

std::optional<KeptResponse> ResponseBook::find(std::string_view client, std::string_view id, TimePoint now) {
  const std::lock_guard lock(mutex_);
  drop_old(now.steady_ms());
  const auto found = entries_.find(Key{std::string(client), std::string(id)});
  return found == entries_.end() ? std::nullopt : std::optional(found->second.response);
}

void ResponseBook::erase(std::string_view client, std::string_view id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(Key{std::string(client), std::string(id)});
}

std::size_t ResponseBook::entries() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace plumb::proxy
