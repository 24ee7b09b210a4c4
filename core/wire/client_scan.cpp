#include "core/wire/client_scan.hpp"

#include <algorithm>
#include <cstring>

namespace plumb::wire {

namespace {

// Objects of at most so many members are looked through at each key, larger ones once, when they have ended.
constexpr std::size_t few_keys = 16;

constexpr const char* repeated_member = "A member appears twice in this object";

// The bytes that are no ASCII, eight at a time: a count for each place in a word, which 31 words cannot make overflow
// when the eight are added up.
std::uint64_t count_other_bytes(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  std::uint64_t count = 0;
  while (text.size() >= sizeof ones) {
    const std::size_t words = std::min<std::size_t>(text.size() / sizeof ones, 31);
    std::uint64_t places = 0;
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i * sizeof word, sizeof word);
      places += (word >> 7U) & ones;
    }
    count += (places * ones) >> 56U;
    text.remove_prefix(words * sizeof ones);
  }
  for (const char c : text) {
    count += static_cast<unsigned char>(c) >> 7U;
  }
  return count;
}

}  // namespace

void ClientScan::begin_value(std::uint64_t from) {
  if (levels_.size() == 1 && !members_.empty()) {
    members_.back().from = static_cast<std::size_t>(from);
  } else if (levels_.size() == 2 && in_messages_) {
    ++messages_;
  }
}

void ClientScan::end_value(std::uint64_t to) {
  if (levels_.size() == 1 && !members_.empty()) {
    members_.back().to = static_cast<std::size_t>(to);
    counts_ = false;
    in_messages_ = false;
  }
}

void ClientScan::enter(bool object, std::uint64_t from) {
  begin_value(from);
  if (levels_.empty()) {
    object_ = object;
  }
  levels_.push_back({object, keys_.size()});
  image_key_ = images_key_ && !object;
  images_key_ = false;
}

void ClientScan::begin_object(std::uint64_t from) { enter(true, from); }
void ClientScan::begin_array(std::uint64_t from) { enter(false, from); }

void ClientScan::find_repeated(std::size_t keys_from) {
  const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(keys_from);
  std::sort(first, keys_.end(),
            [](const Key& a, const Key& b) { return a.hash != b.hash ? a.hash < b.hash : a.at < b.at; });
  const auto twice =
      std::adjacent_find(first, keys_.end(), [](const Key& a, const Key& b) { return a.hash == b.hash; });
  if (twice != keys_.end()) {
    fail(repeated_member, (twice + 1)->at);
  }
}

void ClientScan::end_object(std::uint64_t to) {
  const std::size_t keys_from = levels_.back().keys_from;
  if (keys_.size() - keys_from > few_keys) {
    find_repeated(keys_from);
  }
  keys_.resize(keys_from);
  levels_.pop_back();
  end_value(to);
}

void ClientScan::end_array(std::uint64_t to) {
  levels_.pop_back();
  image_key_ = false;
  end_value(to);
}

void ClientScan::key(std::string_view text, std::uint64_t from, std::uint64_t /*to*/) {
  const std::size_t keys_from = levels_.back().keys_from;
  const std::uint64_t hash = json::hash_text(text, seed_);
  if (keys_.size() - keys_from <= few_keys) {
    for (std::size_t i = keys_from; i < keys_.size(); ++i) {
      if (keys_[i].hash == hash) {
        fail(repeated_member, from);
      }
    }
  }
  keys_.push_back({hash, static_cast<std::size_t>(from)});
  if (levels_.size() == 1) {
    if (members_.size() == members_max) {
      fail("The body has more than 1000 members", from);
      return;
    }
    Top& member = members_.emplace_back();
    member.key = text;
    member.key_from = static_cast<std::size_t>(from);
    in_messages_ = text == "messages" || text == "input";
    counts_ = in_messages_ || text == "system" || text == "instructions" || text == "tools";
  } else {
    images_key_ = in_messages_ && text == "images";
    image_key_ = in_messages_ && (text == "url" || text == "data" || text == "image_url" || text == "file_data");
    if (counts_) {
      ascii_ += text.size();
    }
  }
}

void ClientScan::string(std::string_view text, std::uint64_t from, std::uint64_t to) {
  begin_value(from);
  if (counts_ && !levels_.empty()) {
    if (image_key_) {
      ++images_;
    } else {
      const std::uint64_t other = count_other_bytes(text);
      other_ += other;
      ascii_ += text.size() - other + 1;
    }
  }
  image_key_ = false;
  end_value(to);
}

void ClientScan::broken(json::ScanError what, std::uint64_t at, std::uint64_t /*decided*/) {
  fail(scan_error_message(what).data(), at);
}

}  // namespace plumb::wire
