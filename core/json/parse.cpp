// Builds the tree from the scanner's events. Items and members of what is still open wait on two stacks; when an array
// or object ends, its own part of the stack moves into the arena in one piece.
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/json/positions.hpp"
#include "core/json/scanner.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb::json {

namespace {

// Up to this many members a key is looked for among them; beyond, in a tree of keys. Not in a hash table: no seed is at
// hand, and without one keys can be crafted that all collide.
constexpr std::size_t few_members = 16;

constexpr std::size_t key_excerpt_max = 60;

class Builder {
 public:
  // Room for what most messages need: of a small text, growing would take half of the time.
  explicit Builder(Arena& arena) : arena_(arena) {
    open_.reserve(8);
    items_.reserve(8);
    members_.reserve(16);
  }

  void begin_object(std::uint64_t from) { open_.push_back({from, members_.size(), true, nullptr}); }
  void end_object(std::uint64_t to) {
    const Open& open = open_.back();
    const std::size_t count = members_.size() - open.start;
    Value value = container(Kind::object, count, open.from, to);
    if (count != 0) {
      auto* const copy = arena_.array<Member>(count);
      std::uninitialized_copy(members_.end() - static_cast<std::ptrdiff_t>(count), members_.end(), copy);
      value.members = copy;
    }
    members_.resize(open.start);
    open_.pop_back();
    add(value);
  }
  void begin_array(std::uint64_t from) { open_.push_back({from, items_.size(), false, nullptr}); }
  void end_array(std::uint64_t to) {
    const Open& open = open_.back();
    const std::size_t count = items_.size() - open.start;
    Value value = container(Kind::array, count, open.from, to);
    if (count != 0) {
      auto* const copy = arena_.array<Value>(count);
      std::uninitialized_copy(items_.end() - static_cast<std::ptrdiff_t>(count), items_.end(), copy);
      value.items = copy;
    }
    items_.resize(open.start);
    open_.pop_back();
    add(value);
  }

  void key(std::string_view decoded, std::uint64_t from, std::uint64_t to) {
    if (!failed_ && is_repeated(decoded)) {
      message_ = "The key ";
      append_string(message_, excerpt(decoded, key_excerpt_max));
      message_ += " appears twice in this object";
      fail(from);
    }
    Member member;
    member.key = arena_.copy(decoded);
    member.key_from = from;
    member.key_to = to;
    members_.push_back(member);
    if (Keys* const keys = open_.back().keys.get()) {
      keys->insert(member.key);
    }
  }

  void string(std::string_view decoded, std::uint64_t from, std::uint64_t to) {
    add(scalar(Kind::string, arena_.copy(decoded), from, to));
  }
  bool string_decoded(std::string_view /*text*/, std::uint64_t /*from*/, std::uint64_t /*to*/) { return false; }
  StringWant string_begin(std::uint64_t /*from*/) { return StringWant::whole; }
  void string_piece(std::string_view /*decoded*/, std::uint64_t /*from*/, std::uint64_t /*to*/, bool /*verbatim*/) {}
  void string_end(std::string_view decoded, std::uint64_t from, std::uint64_t to) { string(decoded, from, to); }
  void scalar_begin(Kind /*kind*/, std::uint64_t /*from*/) {}
  void number(std::string_view text, std::uint64_t from, std::uint64_t to, std::uint64_t /*decided*/) {
    add(scalar(Kind::number, arena_.copy(text), from, to));
  }
  void literal(Kind kind, bool value, std::uint64_t from, std::uint64_t to) {
    Value literal = scalar(kind, {}, from, to);
    literal.boolean = value;
    add(literal);
  }
  void lone_surrogate(std::uint64_t /*from*/, std::uint64_t /*to*/, std::uint64_t /*decided*/) {}
  void broken(ScanError what, std::uint64_t at, std::uint64_t /*decided*/) {
    if (!failed_) {
      message_ = scan_error_message(what);
      limit_ = is_limit(what);
      fail(at);
    }
  }

  bool failed() const { return failed_; }
  const Value& root() const { return root_; }
  Error error(std::string_view text) const {
    const Place place = place_at(text, failed_at_);
    return Error{limit_ ? ErrorCode::limit : ErrorCode::invalid_argument, message_, "", place.line, place.column};
  }

 private:
  using Keys = std::set<std::string_view>;
  struct Open {
    std::uint64_t from = 0;
    std::size_t start = 0;  // where its part of the stack begins
    bool object = false;
    std::unique_ptr<Keys> keys;  // once there are more than a few
  };

  static Value scalar(Kind kind, std::string_view text, std::uint64_t from, std::uint64_t to) {
    Value value;
    value.kind = kind;
    value.size = static_cast<std::uint32_t>(text.size());
    value.text = text.data();
    value.from = from;
    value.to = to;
    return value;
  }
  static Value container(Kind kind, std::size_t count, std::uint64_t from, std::uint64_t to) {
    Value value = scalar(kind, {}, from, to);
    value.size = static_cast<std::uint32_t>(count);
    return value;
  }

  void add(const Value& value) {
    if (open_.empty()) {
      root_ = value;
    } else if (open_.back().object) {
      members_.back().value = value;
    } else {
      items_.push_back(value);
    }
  }

  bool is_repeated(std::string_view key) {
    Open& open = open_.back();
    if (open.keys != nullptr) {
      return open.keys->count(key) != 0;
    }
    for (std::size_t i = open.start; i < members_.size(); ++i) {
      if (members_[i].key == key) {
        return true;
      }
    }
    if (members_.size() - open.start == few_members) {
      open.keys = std::make_unique<Keys>();
      for (std::size_t i = open.start; i < members_.size(); ++i) {
        open.keys->insert(members_[i].key);
      }
    }
    return false;
  }

  void fail(std::uint64_t at) {
    failed_ = true;
    failed_at_ = at;
  }

  Arena& arena_;
  std::vector<Open> open_;
  std::vector<Value> items_;
  std::vector<Member> members_;
  Value root_;
  bool failed_ = false;
  bool limit_ = false;
  std::uint64_t failed_at_ = 0;
  std::string message_;
};

}  // namespace

Result<Value> parse(std::string_view text, Arena& arena, ParseLimits limits) {
  // Sizes in a Value have 32 bits.
  if (text.size() > limits.bytes_max || text.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorCode::limit, "The text is too long", "", 0, 0};
  }
  const Arena::Mark mark = arena.mark();
  Builder builder(arena);
  Scanner<Builder> scanner(builder, limits.depth_max);
  // In pieces, so that a repeated key early in a long text ends the work early.
  constexpr std::size_t piece_max = std::size_t{1} << 20;
  bool fine = true;
  for (std::size_t at = 0; at < text.size() && fine; at += piece_max) {
    const std::string_view piece = text.substr(at, piece_max);
    fine = scanner.push(piece.data(), piece.size()) && !builder.failed();
  }
  if (fine) {
    scanner.end();
  }
  if (builder.failed()) {
    Error error = builder.error(text);
    arena.release(mark);
    return error;
  }
  return builder.root();
}

}  // namespace plumb::json
