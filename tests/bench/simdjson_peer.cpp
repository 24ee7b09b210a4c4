// Written as one would by hand for speed: fields looked up in the order in which models write them, strings compared in
// place, scratch memory kept between artifacts, the ASCII case in front of the Unicode case.
#include <simdjson.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/text/fold.hpp"
#include "tests/bench/peers.hpp"

namespace plumb::bench {

namespace {

using simdjson::ondemand::array;
using simdjson::ondemand::document;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trim_ascii(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool is_ascii(std::string_view text) {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + i, 8);
    if ((eight & 0x8080808080808080ULL) != 0) {
      return false;
    }
  }
  for (; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80) {
      return false;
    }
  }
  return true;
}

bool is_blank(std::string_view text) {
  // Nearly always decided by the first byte.
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80) {
      return text::is_blank(text);
    }
    if (!is_space(text[i])) {
      return false;
    }
  }
  return true;
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ text.size();
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + i, 8);
    h = (h ^ eight) * 0xbf58476d1ce4e5b9ULL;
    h ^= h >> 29U;
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data() + i, text.size() - i);
  h = (h ^ rest) * 0x94d049bb133111ebULL;
  return h ^ (h >> 32U);
}

// A set of texts: open addressing over (hash, place in one buffer).
class TextSet {
 public:
  void clear() {
    entries_.clear();
    bytes_.clear();
    if (slots_.size() > 4096) {
      slots_.assign(64, 0);
    } else {
      slots_.assign(slots_.size() < 64 ? 64 : slots_.size(), 0);
    }
  }
  // False when it was there.
  bool insert(std::string_view text) {
    const std::uint64_t h = hash_of(text);
    std::size_t at = h & (slots_.size() - 1);
    while (slots_[at] != 0) {
      const Entry& entry = entries_[slots_[at] - 1];
      if (entry.hash == h && std::string_view(bytes_.data() + entry.from, entry.size) == text) {
        return false;
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    entries_.push_back({h, bytes_.size(), text.size()});
    bytes_.append(text);
    slots_[at] = static_cast<std::uint32_t>(entries_.size());
    if (entries_.size() * 2 > slots_.size()) {
      grow();
    }
    return true;
  }

 private:
  struct Entry {
    std::uint64_t hash;
    std::size_t from;
    std::size_t size;
  };
  void grow() {
    slots_.assign(slots_.size() * 4, 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t at = entries_[i].hash & (slots_.size() - 1);
      while (slots_[at] != 0) {
        at = (at + 1) & (slots_.size() - 1);
      }
      slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
  }
  std::vector<Entry> entries_;
  std::string bytes_;
  std::vector<std::uint32_t> slots_;
};

// Code points of the trimmed text.
std::size_t trimmed_length(std::string_view text) {
  if (!text.empty() &&
      (static_cast<unsigned char>(text.front()) >= 0x80 || static_cast<unsigned char>(text.back()) >= 0x80)) {
    const std::string folded = text::fold(text, {true, false});
    std::size_t count = 0;
    for (const char c : folded) {
      count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
    }
    return count;
  }
  std::size_t count = 0;
  for (const char c : trim_ascii(text)) {
    count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
  }
  return count;
}

}  // namespace

struct SimdJsonPeer::State {
  simdjson::ondemand::parser parser;
  TextSet seen;
  std::string scratch;
  std::vector<std::string_view> options;
  std::vector<std::string> folded;
  std::uint64_t broken = 0;

  // Lower case, trimmed when asked, in `scratch`.
  std::string_view fold(std::string_view text, bool trim) {
    if (!is_ascii(text)) {
      scratch = text::fold(text, {trim, true});
      return scratch;
    }
    if (trim) {
      text = trim_ascii(text);
    }
    scratch.assign(text);
    for (char& c : scratch) {
      c = static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 32 : 0));
    }
    return scratch;
  }

  bool text_field(object& from, std::string_view name, std::string_view& text, bool& there) {
    value v;
    if (from.find_field_unordered(name).get(v) != simdjson::SUCCESS) {
      there = false;
      ++broken;
      return false;
    }
    if (v.get_string().get(text) != simdjson::SUCCESS) {
      ++broken;
      return false;
    }
    return true;
  }

  void question(object one) {
    bool there = true;
    std::string_view asked;
    if (text_field(one, "question", asked, there)) {
      broken += is_blank(asked) ? 1U : 0U;
    }
    options.clear();
    value list;
    if (one.find_field_unordered("options").get(list) != simdjson::SUCCESS) {
      ++broken;
      return;
    }
    array items;
    if (list.get_array().get(items) != simdjson::SUCCESS) {
      ++broken;
    } else {
      for (auto item : items) {
        std::string_view option;
        if (item.get_string().get(option) != simdjson::SUCCESS) {
          ++broken;
          continue;
        }
        broken += is_blank(option) ? 1U : 0U;
        options.push_back(option);
      }
      broken += options.size() < 4 ? 1U : 0U;
      if (folded.size() < options.size()) {
        folded.resize(options.size());
      }
      bool repeated = false;
      for (std::size_t i = 0; i < options.size(); ++i) {
        folded[i].assign(fold(options[i], true));
        for (std::size_t k = 0; k < i; ++k) {
          repeated = repeated || folded[k] == folded[i];
        }
      }
      broken += repeated ? 1U : 0U;
    }
    std::string_view answer;
    if (text_field(one, "correct_answer", answer, there)) {
      bool found = false;
      for (const std::string_view option : options) {
        found = found || option == answer;
      }
      broken += found ? 0U : 1U;
    }
    std::string_view explanation;
    if (text_field(one, "explanation", explanation, there)) {
      broken += is_blank(explanation) ? 1U : 0U;
    }
  }

  void card(object one) {
    bool there = true;
    std::string_view front;
    if (text_field(one, "front", front, there)) {
      if (is_blank(front)) {
        ++broken;
      } else {
        broken += trimmed_length(front) < 2 ? 1U : 0U;
      }
      broken += seen.insert(fold(front, true)) ? 0U : 1U;
    }
    std::string_view back;
    if (text_field(one, "back", back, there)) {
      if (is_blank(back)) {
        ++broken;
      } else {
        broken += trimmed_length(back) > 300 ? 1U : 0U;
      }
    }
  }

  // `above`: the folded labels of the ancestors, asked only when a label comes again.
  void node(object one, std::vector<std::string>& above, std::size_t depth) {
    bool there = true;
    std::string_view label;
    if (above.size() <= depth) {
      above.emplace_back();
    }
    above[depth].clear();
    if (text_field(one, "label", label, there)) {
      broken += is_blank(label) ? 1U : 0U;
      above[depth].assign(fold(label, false));
      if (!seen.insert(above[depth])) {
        ++broken;
        for (std::size_t i = 0; i < depth; ++i) {
          broken += above[i] == above[depth] ? 1U : 0U;
        }
      }
    }
    value list;
    if (one.find_field_unordered("children").get(list) != simdjson::SUCCESS) {
      ++broken;
      return;
    }
    array children;
    if (list.get_array().get(children) != simdjson::SUCCESS) {
      ++broken;
      return;
    }
    for (auto child : children) {
      object next;
      if (child.get_object().get(next) != simdjson::SUCCESS) {
        ++broken;
        continue;
      }
      node(next, above, depth + 1);
    }
  }

  std::vector<std::string> ancestors;
};

std::uint64_t SimdJsonPeer::padding() { return simdjson::SIMDJSON_PADDING; }
SimdJsonPeer::SimdJsonPeer() : state_(std::make_unique<State>()) {}
SimdJsonPeer::~SimdJsonPeer() = default;

std::uint64_t SimdJsonPeer::broken(Artifact artifact, std::string_view padded_text) {
  State& state = *state_;
  state.broken = 0;
  state.seen.clear();
  document text;
  object top;
  if (state.parser.iterate(padded_text.data(), padded_text.size(), padded_text.size() + simdjson::SIMDJSON_PADDING)
              .get(text) != simdjson::SUCCESS ||
      text.get_object().get(top) != simdjson::SUCCESS) {
    return 1;
  }
  const std::string_view wanted = artifact == Artifact::quiz         ? "questions"
                                  : artifact == Artifact::flashcards ? "flashcards"
                                                                     : "root";
  bool there = false;
  for (auto field : top) {
    std::string_view key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) {
      return state.broken + 1;
    }
    if (key != wanted) {
      continue;
    }
    there = true;
    if (artifact == Artifact::mindmap) {
      object root;
      if (field.value().get_object().get(root) != simdjson::SUCCESS) {
        return state.broken + 1;
      }
      state.node(root, state.ancestors, 0);
      continue;
    }
    array items;
    if (field.value().get_array().get(items) != simdjson::SUCCESS) {
      return state.broken + 1;
    }
    std::size_t count = 0;
    for (auto item : items) {
      object one;
      ++count;
      if (item.get_object().get(one) != simdjson::SUCCESS) {
        ++state.broken;
      } else if (artifact == Artifact::quiz) {
        state.question(one);
      } else {
        state.card(one);
      }
    }
    state.broken += count == 0 ? 1U : 0U;
  }
  state.broken += there ? 0U : 1U;
  // On-demand looks at nothing after the value: what is there is found by asking where the parser is.
  state.broken += text.current_location().error() == simdjson::OUT_OF_BOUNDS ? 0U : 1U;
  return state.broken;
}

}  // namespace plumb::bench
