#include "native/store/log_texts.hpp"

namespace plumb::store {

namespace {

constexpr std::size_t kept_max = 100'000;  // beyond, all are forgotten, and given once more

}  // namespace

std::set<std::string> LogTexts::given_again(const LoggedOp& op) {
  std::set<std::string> again, first;
  if (op.entries == nullptr) {
    return again;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const run::Stored& entry : *op.entries) {
    for (const run::Blob& blob : entry.blobs) {
      if (blob.text.size() > often_bytes && blob.text.size() <= inline_bytes) {
        (given_.count(blob.hash) != 0 ? again : first).insert(blob.hash);
      }
    }
  }
  if (given_.size() + first.size() > kept_max) {
    given_.clear();
  }
  given_.insert(first.begin(), first.end());
  return again;
}

bool LogTexts::is_fresh(const std::string& hash, std::uint64_t now_ms) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = fresh_.find(hash);
  return found != fresh_.end() && now_ms < found->second + fresh_ms_;
}

void LogTexts::made_fresh(const std::string& hash, std::uint64_t now_ms) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (fresh_.size() >= kept_max) {
    fresh_.clear();
  }
  fresh_[hash] = now_ms;
}

}  // namespace plumb::store
