#include "native/proxy/secret.hpp"

#include <algorithm>
#include <cstring>

namespace plumb::proxy {

namespace {

constexpr std::size_t bytes_min = 8;

// How often a byte is met in answers, JSON around natural language: the letters and marks of keys, the rarest first.
std::size_t commonness(char c) {
  constexpr std::string_view order = "QXZJKVWYUGHqzxjBFPDLMORNCEISTA_kvbwypg7968354201fmucdlhrsniaote-";
  return order.find(c);
}

}  // namespace

Secret::Secret(std::string_view text) {
  if (text.size() < bytes_min) {
    return;
  }
  text_ = text;
  const auto rare =
      std::min_element(text.begin(), text.end(), [](char a, char b) { return commonness(a) < commonness(b); });
  rare_ = static_cast<std::size_t>(rare - text.begin());
}

std::size_t Secret::find(std::string_view bytes, std::size_t from) const {
  if (text_.empty()) {
    return std::string_view::npos;
  }
  const char rare = text_[rare_];
  for (std::size_t at = from + rare_; at < bytes.size(); ++at) {
    const void* const met = std::memchr(bytes.data() + at, rare, bytes.size() - at);
    if (met == nullptr) {
      return std::string_view::npos;
    }
    at = static_cast<std::size_t>(static_cast<const char*>(met) - bytes.data());
    if (bytes.substr(at - rare_, text_.size()) == text_) {
      return at - rare_;
    }
  }
  return std::string_view::npos;
}

std::string_view Secret::hidden(std::string_view bytes, std::string& changed) const {
  std::size_t at = find(bytes);
  if (at == std::string_view::npos) {
    return bytes;
  }
  std::string out;
  std::size_t from = 0;
  for (; at != std::string_view::npos; at = find(bytes, from)) {
    out.append(bytes.substr(from, at - from)).append(shown);
    from = at + text_.size();
  }
  out.append(bytes.substr(from));
  changed = std::move(out);
  return changed;
}

std::size_t Secret::begun_at_end(std::string_view bytes) const {
  if (text_.empty()) {
    return 0;
  }
  for (std::size_t size = std::min(bytes.size(), text_.size() - 1); size > 0; --size) {
    if (bytes.ends_with(std::string_view(text_).substr(0, size))) {
      return size;
    }
  }
  return 0;
}

}  // namespace plumb::proxy
