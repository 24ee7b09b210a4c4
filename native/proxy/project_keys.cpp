#include "native/proxy/project_keys.hpp"

#include <utility>
#include <vector>

#include "native/proxy/key_file.hpp"

namespace plumb::proxy {

namespace {

constexpr std::chrono::milliseconds blank_for(300);

}  // namespace

control::FoundKey project_of_key(std::string_view text, const KeyTable& keys, std::uint64_t now_ms) {
  const KeyForm form = key_form(text);
  if (form == KeyForm::not_ours) {
    return {};
  }
  CallerPtr caller;
  const KeyState state = keys.find(text, now_ms, caller);
  if (form == KeyForm::misspelt || state == KeyState::unknown) {
    return {"", form == KeyForm::misspelt ? "This key is misspelt." : "This key is not known here."};
  }
  const ClientKey& key = caller->key;
  if (key.project.empty()) {
    return {"", "", state == KeyState::good};
  }
  if (state != KeyState::good) {
    return {"", state == KeyState::revoked ? "This key has been revoked." : "This key has expired."};
  }
  if (!key.models.empty() || !key.contracts.empty() || !key.origins.empty()) {
    return {"",
            "This key is held to models, contracts or pages, which runs could not be held to: take one of the " +
                std::string("project that is not."),
            true};
  }
  return {key.project, "", true};
}

KeyBook::KeyBook(std::string file, std::function<void(std::string_view problem)> told)
    : file_(std::move(file)), told_(std::move(told)), keys_(std::make_shared<const KeyTable>()) {}

std::shared_ptr<const KeyTable> KeyBook::keys() {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Before it is read, so that what changes meanwhile is read again.
  const FileMark now = mark_of(file_);
  if (now == mark_) {
    return keys_;
  }
  bool blank = false;
  const Result<std::vector<ClientKey>> read = now.there ? read_keys_file(file_, &blank) : std::vector<ClientKey>();
  // An editor empties the file before it writes it: what is empty for longer has lost its keys.
  if (blank && keys_->size() != 0) {
    const auto at = std::chrono::steady_clock::now();
    blank_since_ = blank_since_.value_or(at);
    if (at - *blank_since_ < blank_for) {
      return keys_;
    }
  }
  blank_since_.reset();
  mark_ = now;
  if (read) {
    keys_ = std::make_shared<const KeyTable>(read.value());
  } else {
    told_(file_ + ": " + read.error().message);
  }
  if (read && wrong_) {
    told_("");
  }
  wrong_ = !read;
  return keys_;
}

}  // namespace plumb::proxy
