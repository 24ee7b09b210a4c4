#include "core/guard/splice.hpp"

#include <vector>

#include "core/json/pointer.hpp"
#include "core/json/scanner.hpp"
#include "core/json/value.hpp"

namespace plumb::guard {

namespace {

constexpr std::uint32_t depth_max = 1'024;

// What is open at the end of what was released: the scanner's handler.
struct Open {
  struct Level {
    bool object = false;
    std::string key;                 // the member that is open or was the last
    std::vector<std::string> names;  // members that have been released
    std::vector<std::size_t> items;  // where items begin and end, in turn
  };
  std::vector<Level> levels;

  void value(std::uint64_t from, std::uint64_t to) {
    if (!levels.empty() && !levels.back().object) {
      levels.back().items.push_back(static_cast<std::size_t>(from));
      levels.back().items.push_back(static_cast<std::size_t>(to));
    }
  }
  void begin_object(std::uint64_t from) { begin(true, from); }
  void begin_array(std::uint64_t from) { begin(false, from); }
  void begin(bool object, std::uint64_t from) {
    from_.push_back(from);
    levels.push_back({object, {}, {}, {}});
  }
  void end_object(std::uint64_t to) { end(to); }
  void end_array(std::uint64_t to) { end(to); }
  void end(std::uint64_t to) {
    levels.pop_back();
    value(from_.back(), to);
    from_.pop_back();
  }
  void key(std::string_view text, std::uint64_t, std::uint64_t) {
    levels.back().key = text;
    levels.back().names.emplace_back(text);
  }
  void string(std::string_view, std::uint64_t from, std::uint64_t to) { value(from, to); }
  bool string_decoded(std::string_view, std::uint64_t from, std::uint64_t to) {
    value(from, to);
    return true;
  }
  static json::StringWant string_begin(std::uint64_t) { return json::StringWant::nothing; }
  static void string_piece(std::string_view, std::uint64_t, std::uint64_t, bool) {}
  void string_end(std::string_view, std::uint64_t from, std::uint64_t to) { value(from, to); }
  static void scalar_begin(json::Kind, std::uint64_t) {}
  void number(std::string_view, std::uint64_t from, std::uint64_t to, std::uint64_t) { value(from, to); }
  void literal(json::Kind, bool, std::uint64_t from, std::uint64_t to) { value(from, to); }
  static void lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t) {}
  static void broken(json::ScanError, std::uint64_t, std::uint64_t) {}

 private:
  std::vector<std::uint64_t> from_;
};

bool has(const std::vector<std::string>& names, std::string_view name) {
  for (const std::string& one : names) {
    if (one == name) {
      return true;
    }
  }
  return false;
}

std::string_view written(std::string_view text, const json::Value& value) {
  return text.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
}

// The repaired values at the places that are open, the root first; null where there is none of that kind.
std::vector<const json::Value*> counterparts(const std::vector<Open::Level>& levels, const json::Value& root) {
  std::vector<const json::Value*> out;
  const json::Value* at = &root;
  for (const Open::Level& level : levels) {
    const json::Kind kind = level.object ? json::Kind::object : json::Kind::array;
    out.push_back(at != nullptr && at->is(kind) ? at : nullptr);
    // Only members are open above: an item goes as a whole.
    at = out.back() == nullptr ? nullptr : out.back()->find(level.key);
  }
  return out;
}

std::string place_of(const std::vector<Open::Level>& levels, std::size_t depth, std::size_t item) {
  std::string place;
  for (std::size_t i = 0; i < depth; ++i) {
    json::append_token(place, levels[i].key);
  }
  json::append_token(place, std::uint64_t{item});
  return place;
}

Error changed(std::string place, std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(place), 0, 0};
}

// The released items of a list are in the repaired list as they were.
Result<bool> keeps_items(std::string_view released, const std::vector<Open::Level>& levels, std::size_t depth,
                         const json::Value* list) {
  const std::vector<std::size_t>& items = levels[depth].items;
  for (std::size_t i = 0; 2 * i < items.size(); ++i) {
    if (list == nullptr || i >= list->array().size()) {
      return changed(place_of(levels, depth, i), "This item has been delivered and is missing now");
    }
    json::Arena arena;
    const Result<json::Value> was = json::parse(released.substr(items[2 * i], items[2 * i + 1] - items[2 * i]), arena);
    if (!was || !json::equal(was.value(), list->array()[i])) {
      return changed(place_of(levels, depth, i), "This item has been delivered and must stay as it was");
    }
  }
  return true;
}

void append_rest(std::string& out, const Open::Level& level, const json::Value* repaired, std::string_view text) {
  bool any = level.object ? !level.names.empty() : !level.items.empty();
  if (repaired == nullptr) {
    return;
  }
  const std::span<const json::Value> items = repaired->array();
  for (std::size_t i = level.items.size() / 2; i < items.size(); ++i) {
    out += any ? "," : "";
    out += written(text, items[i]);
    any = true;
  }
  for (const json::Member& member : repaired->object()) {
    if (!has(level.names, member.key)) {
      out += any ? "," : "";
      out += text.substr(static_cast<std::size_t>(member.key_from),
                         static_cast<std::size_t>(member.value.to - member.key_from));
      any = true;
    }
  }
}

}  // namespace

Result<std::string> continued(std::string_view released, std::string_view repaired) {
  json::Arena arena;
  const Result<json::Value> root = json::parse(repaired, arena);
  if (!root) {
    return root.error();
  }
  if (released.empty()) {
    return std::string(repaired);
  }
  Open open;
  json::Scanner<Open> scanner(open, depth_max);
  scanner.push(released.data(), released.size());
  scanner.push(" ", 1);  // a number that comes last has ended
  const std::vector<const json::Value*> other = counterparts(open.levels, root.value());
  std::string out(released);
  for (std::size_t depth = open.levels.size(); depth > 0; --depth) {
    const Open::Level& level = open.levels[depth - 1];
    if (!level.object) {
      const Result<bool> kept = keeps_items(released, open.levels, depth - 1, other[depth - 1]);
      if (!kept) {
        return kept.error();
      }
    }
    append_rest(out, level, other[depth - 1], repaired);
    out += level.object ? '}' : ']';
  }
  return out;
}

}  // namespace plumb::guard
