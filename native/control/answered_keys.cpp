#include "native/control/answered_keys.hpp"

#include "core/json/sha256.hpp"

namespace plumb::control {

namespace {

std::string full_key(std::string_view scope, std::string_view key) {
  return std::string(scope) + '\n' + std::string(key);
}

}  // namespace

void AnsweredKeys::drop_old(Clock::time_point now) {
  while (!order_.empty() && now - order_.front().first >= kept) {
    const auto found = kept_.find(order_.front().second);
    // A key that was forgotten and used again is further on in the order.
    if (found != kept_.end() && found->second.at == order_.front().first) {
      kept_.erase(found);
    }
    order_.pop_front();
  }
}

AnsweredKeys::Found AnsweredKeys::begin(std::string_view scope, std::string_view key, std::string_view body,
                                        Answer& answer, Clock::time_point now) {
  const std::string digest = json::sha256_hex(body);
  const std::string name = full_key(scope, key);
  const std::lock_guard<std::mutex> lock(mutex_);
  drop_old(now);
  const auto found = kept_.find(name);
  if (found != kept_.end()) {
    if (found->second.digest != digest) {
      return Found::other_body;
    }
    if (!found->second.over) {
      return Found::under_way;
    }
    answer = found->second.answer;
    return Found::answered;
  }
  if (kept_.size() >= keys_max_ || order_.size() >= keys_max_ * 2) {
    return Found::full;
  }
  kept_.emplace(name, Kept{digest, now, false, {}});
  order_.emplace_back(now, name);
  return Found::fresh;
}

void AnsweredKeys::end(std::string_view scope, std::string_view key, const Answer& answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = kept_.find(full_key(scope, key));
  if (found == kept_.end()) {
    return;
  }
  found->second.over = true;
  found->second.answer = answer;
}

void AnsweredKeys::forget(std::string_view scope, std::string_view key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  kept_.erase(full_key(scope, key));
}

std::size_t AnsweredKeys::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return kept_.size();
}

}  // namespace plumb::control
