#include "native/lsp/spot.hpp"

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/contract/schema_documents.hpp"

namespace plumb::lsp {

namespace {

using contract::Below;

// What a value is to the contract: a schema, what is below a keyword, one of `rules`, or mere data.
enum class Role : std::uint8_t { data, schema, schemas, schema_map, schema_or_schemas, dependencies, rules, rule };

Role role_below(Below below) {
  switch (below) {
    case Below::nothing:
      return Role::data;
    case Below::schema:
      return Role::schema;
    case Below::schemas:
      return Role::schemas;
    case Below::schema_map:
      return Role::schema_map;
    case Below::schema_or_schemas:
      return Role::schema_or_schemas;
    case Below::dependencies:
      return Role::dependencies;
    case Below::our_rules:
      return Role::rules;
  }
  return Role::data;
}

enum class Wants : std::uint8_t { key, colon, value, comma };

struct Frame {
  bool object = false;
  Role role = Role::data;
  std::string of;  // a list: the keyword of a schema whose value it is; empty: of none
  Wants wants = Wants::key;
  std::string key;
  std::size_t number = 0;  // each object has its own
};

class SpotReader {
 public:
  SpotReader(std::string_view text, std::size_t byte) : text_(text), byte_(byte) {}

  Spot read() {
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (ascii::is_space(c)) {
        ++at;
        continue;
      }
      if (!found_ && byte_ <= at && !(byte_ == at && is_word(c))) {
        nothing_here();
      }
      std::size_t end = at + 1;
      if (c == '"') {
        end = string_end(at);
        token(at, end, true);
      } else if (is_word(c)) {
        while (end < text_.size() && is_word(text_[end]) && text_[end] != '"') {
          ++end;
        }
        token(at, end, false);
      } else {
        sign(c);
      }
      at = end;
    }
    if (!found_) {
      nothing_here();
    }
    if (spot_.what == Spot::What::keyword) {
      for (const auto& [number, name] : names_) {
        if (number == frame_) {
          spot_.beside.push_back(name);
        }
      }
    }
    spot_.dialect = dialect_;
    return std::move(spot_);
  }

 private:
  static bool is_word(char c) { return std::string_view(" \t\r\n{}[]:,").find(c) == std::string_view::npos; }

  std::size_t string_end(std::size_t at) const {
    for (std::size_t i = at + 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        return i + 1;
      }
      if (text_[i] == '\n' || text_[i] == '\r') {
        return i;
      }
      if (text_[i] == '\\' && i + 1 < text_.size()) {
        ++i;
      }
    }
    return text_.size();
  }

  // Names with escapes are nobody's keywords: taken as they are written.
  std::string inner(std::size_t from, std::size_t to) const {
    std::string_view out = text_.substr(from, to - from);
    if (!out.empty() && out.front() == '"') {
      out.remove_prefix(1);
    }
    if (!out.empty() && out.back() == '"') {
      out.remove_suffix(1);
    }
    return std::string(out);
  }

  // The role of the value that comes now.
  Role next_role() const {
    if (open_.empty()) {
      return Role::schema;
    }
    const Frame& top = open_.back();
    switch (top.role) {
      case Role::schema:
        return role_below(contract::below_keyword(top.key, dialect_));
      case Role::schema_map:
      case Role::schemas:
      case Role::dependencies:
        return Role::schema;
      case Role::rules:
        return Role::rule;
      case Role::rule:
        return top.key == "check" ? Role::schema : Role::data;
      case Role::data:
      case Role::schema_or_schemas:
        break;
    }
    return Role::data;
  }

  std::string keyword_here() const {
    if (open_.empty()) {
      return {};
    }
    const Frame& top = open_.back();
    return !top.object ? top.of : top.role == Role::schema ? top.key : std::string();
  }

  // The place is in white space, or at a sign.
  void nothing_here() {
    found_ = true;
    spot_.token = {byte_, byte_};
    if (open_.empty()) {
      return;
    }
    const Frame& top = open_.back();
    if (top.object && top.role == Role::schema && top.wants == Wants::key) {
      keyword_at({}, top);
    } else if ((!top.object || top.wants == Wants::value) && !keyword_here().empty()) {
      value_at({});
    }
  }

  void keyword_at(std::string name, const Frame& frame) {
    spot_.what = Spot::What::keyword;
    spot_.keyword = std::move(name);
    frame_ = frame.number;
  }
  void value_at(Bytes token) {
    spot_.what = Spot::What::value;
    spot_.keyword = keyword_here();
    if (token.to > token.from) {
      spot_.token = token;
    }
  }

  void token(std::size_t from, std::size_t to, bool string) {
    const bool here = !found_ && byte_ >= from && byte_ <= to;
    if (here) {
      found_ = true;
      spot_.token = {from, to};
      std::size_t next = to;
      while (next < text_.size() && std::string_view(" \t\r\n").find(text_[next]) != std::string_view::npos) {
        ++next;
      }
      spot_.colon_follows = next < text_.size() && text_[next] == ':';
    }
    if (open_.empty()) {
      return;
    }
    Frame& top = open_.back();
    if (top.object && top.wants != Wants::value) {
      top.key = inner(from, to);
      top.wants = Wants::colon;
      if (here && top.role == Role::schema) {
        keyword_at(top.key, top);
      } else if (top.role == Role::schema) {
        names_.emplace_back(top.number, top.key);
      }
      return;
    }
    if (here && !keyword_here().empty()) {
      value_at({from, to});
    }
    if (open_.size() == 1 && top.object && top.key == "$schema" && string) {
      if (const contract::DialectName* named = contract::dialect_of_uri(inner(from, to))) {
        dialect_ = named->dialect;
      }
    }
    top.wants = Wants::comma;
  }

  void sign(char c) {
    if (c == '{' || c == '[') {
      Frame frame;
      frame.object = c == '{';
      frame.number = ++frames_;
      const Role role = next_role();
      frame.role = role;
      if (frame.object) {
        // A list of schemas is no object, one of them is; `dependencies` names keys in lists.
        if (role == Role::schemas || role == Role::rules) {
          frame.role = Role::data;
        } else if (role == Role::schema_or_schemas) {
          frame.role = Role::schema;
        }
      } else {
        frame.of = open_.empty() ? std::string() : open_.back().object ? keyword_here() : std::string();
        frame.role = role == Role::schema_or_schemas                ? Role::schemas
                     : role == Role::schemas || role == Role::rules ? role
                                                                    : Role::data;
      }
      if (!open_.empty()) {
        open_.back().wants = Wants::comma;
      }
      open_.push_back(std::move(frame));
      return;
    }
    if (open_.empty()) {
      return;
    }
    Frame& top = open_.back();
    if (c == ':') {
      if (top.object && top.wants == Wants::colon) {
        top.wants = Wants::value;
      }
    } else if (c == ',') {
      top.wants = Wants::key;
    } else {
      // What closes something further out closes what was left open within.
      const auto same =
          std::find_if(open_.rbegin(), open_.rend(), [&](const Frame& frame) { return frame.object == (c == '}'); });
      if (same != open_.rend()) {
        open_.erase(same.base() - 1, open_.end());
      }
    }
  }

  std::string_view text_;
  std::size_t byte_;
  Spot spot_;
  bool found_ = false;
  std::vector<Frame> open_;
  std::vector<std::pair<std::size_t, std::string>> names_;  // of members of schemas, by the object's number
  std::size_t frames_ = 0;
  std::size_t frame_ = 0;
  contract::Dialect dialect_ = contract::Dialect::draft2020_12;
};

}  // namespace

Spot spot_at(std::string_view text, std::uint64_t byte) {
  return SpotReader(text, std::min<std::size_t>(text.size(), static_cast<std::size_t>(byte))).read();
}

}  // namespace plumb::lsp
