// An envelope is an object around the artifact: {"quiz": {...}}, the shape of its own schema with the answer in it,
// {"type": "object", "properties": {...}}, or a call of a tool, {"name": "submit", "arguments": {...}}.
//
// An object is an envelope if all of this is true. The contract's root requires members. The object's first member is
// unknown to the contract. That member's value begins like an artifact, and nothing else is in the object. At its end,
// the inner value has all required members. So an artifact that keeps its contract is never taken for an envelope.

#include "core/ascii.hpp"
#include "core/json/pointer.hpp"
#include "core/json/scan_simd.hpp"
#include "core/json/writer.hpp"
#include "core/repair/reader.hpp"

namespace plumb::repair {

namespace {

constexpr std::uint64_t key_max = 256;

// Members of a schema that are no part of the answer.
bool is_schema_word(std::string_view key) {
  constexpr std::string_view words[] = {
      "$schema", "$id", "title", "description", "type", "required", "additionalProperties"};
  for (std::string_view word : words) {
    if (word == key) {
      return true;
    }
  }
  return false;
}

// Members of a call of a tool: the arguments, and what goes with them.
bool is_call_word(std::string_view key) {
  return key == "name" || key == "id" || key == "type" || key == "tool" || key == "tool_name" || key == "function";
}
bool is_arguments(std::string_view key) {
  return key == "arguments" || key == "parameters" || key == "input" || key == "args";
}

// The JSON Patch that replaces the whole by the member.
std::string envelope_patch(std::string_view from) {
  std::string out;
  json::Writer json(out);
  json.begin_array().begin_object();
  json.member("op", "move").member("from", from).member("path", "");
  json.end_object().end_array();
  return out;
}

}  // namespace

// Decides whether the object at `i` may be an envelope. `inner` is then the offset where the artifact would begin.
Reader::Look Reader::envelope_begins(std::uint64_t i, std::uint64_t& inner) {
  const std::uint8_t types = places_.types();
  const bool list = types == contract::type_array;
  if (!list && (types != contract::type_object || !places_.requires_members())) {
    return Look::ended;
  }
  envelope_.kind = Envelope::Kind::member;
  bool of_schema = true;  // all members so far
  bool of_call = true;
  envelope_.missing.clear();
  std::uint64_t p = i + 1;
  for (unsigned members = 0; members < 8; ++members) {
    std::uint64_t open = 0;
    Look look = visible(p, open);
    if (look != Look::found || byte(open) != '"') {
      return look == Look::wait ? look : Look::ended;
    }
    std::uint64_t behind = 0;
    scan_ = Scan();
    look = string_end(open, key_max, behind);
    if (look != Look::found || scan_.backslash) {
      return look == Look::wait ? look : Look::ended;
    }
    const std::string_view key = slice(open + 1, behind - 1);
    std::uint64_t colon = 0;
    look = visible(behind, colon);
    if (look != Look::found || byte(colon) != ':') {
      return look == Look::wait ? look : Look::ended;
    }
    std::uint64_t value = 0;
    look = visible(colon + 1, value);
    if (look != Look::found || places_.knows(key)) {
      return look == Look::wait ? look : Look::ended;
    }
    const char c = byte(value);
    const bool schema = !list && of_schema && key == "properties";
    const bool call = of_call && is_arguments(key);
    if (c == (list ? '[' : '{') && (members == 0 || schema || call)) {
      if (!list) {
        std::uint64_t first = 0;
        look = visible(value + 1, first);
        if (look != Look::found || byte(first) != '"') {
          return look == Look::wait ? look : Look::ended;
        }
        scan_ = Scan();
        look = string_end(first, key_max, behind);
        if (look != Look::found || !places_.knows(slice(first + 1, behind - 1))) {
          return look == Look::wait ? look : Look::ended;
        }
      }
      envelope_.kind = schema ? Envelope::Kind::schema : call ? Envelope::Kind::call : Envelope::Kind::member;
      envelope_.key = std::string(key);
      places_.required(envelope_.missing);
      inner = value;
      return Look::found;
    }
    of_schema = of_schema && !list && is_schema_word(key);
    of_call = of_call && is_call_word(key);
    if ((!of_schema && !of_call) || c != '"') {
      return Look::ended;  // before the answer, only short texts of a schema or of a call may come
    }
    scan_ = Scan();
    look = string_end(value, key_max, behind);
    if (look != Look::found) {
      return look;
    }
    std::uint64_t comma = 0;
    look = visible(behind, comma);
    if (look != Look::found || byte(comma) != ',') {
      return look == Look::wait ? look : Look::ended;
    }
    p = comma + 1;
  }
  return Look::ended;
}

// Looks past the inner value for the end of the object. Before it, only members of a schema or of a call may come.
// Otherwise `ended`.
Reader::Look Reader::look_past(std::uint64_t i, std::uint64_t& behind) const {
  const std::uint64_t most = i + comments_max;
  unsigned depth = 0;
  bool key_next = false;
  for (std::uint64_t p = i; p < most; ++p) {
    if (p >= end()) {
      return final_ ? Look::ended : Look::wait;
    }
    const char c = byte(p);
    if (c == '"') {
      std::uint64_t q = p + 1;
      while (q < end() && q < most && byte(q) != '"' && byte(q) != '\\') {
        ++q;
      }
      if (q >= end()) {
        return final_ ? Look::ended : Look::wait;
      }
      const auto is_allowed = envelope_.kind == Envelope::Kind::call ? is_call_word : is_schema_word;
      if (byte(q) != '"' || (key_next && depth == 0 && !is_allowed(slice(p + 1, q)))) {
        return Look::ended;
      }
      key_next = false;
      p = q;
    } else if (c == '}' && depth == 0) {
      behind = p + 1;
      return key_next ? Look::ended : Look::found;
    } else if (!ascii::is_space(c) && envelope_.kind == Envelope::Kind::member) {
      return Look::ended;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    } else if (c == ',' && depth == 0) {
      key_next = true;
    }
  }
  return Look::ended;
}

bool Reader::step_envelope_end() {
  std::uint64_t behind = 0;
  const Look look = look_past(r_.pos, behind);
  if (look == Look::wait) {
    return false;
  }
  const bool full = r_.edits.size() >= options_.edits_max;
  if (look != Look::found || !envelope_.missing.empty() || r_.raw || full) {
    forget_envelope();
    return true;
  }
  const bool made = allowed(Class::envelope, true);
  if (made) {
    flush(r_.pos);
  }
  const Part parts[] = {{envelope_.from, envelope_.inner, ""}, {r_.pos, behind, ""}};
  const json::Place from = envelope_.saved.place;
  const json::Place to = r_.origins.ahead(window(), behind);
  std::string path;
  json::append_token(path, envelope_.key);
  const std::size_t index = envelope_.saved.edits;
  if (!made) {
    forget_envelope();  // only an offer, so the object is read again as itself
  }
  record(Class::envelope, true, made, from, to, parts, 2).patch = envelope_patch(path);
  if (!made) {
    return true;
  }
  // Its place in the list of edits is before those inside it.
  for (std::size_t i = r_.edits.size() - 1; i > index; --i) {
    std::swap(r_.edits[i], r_.edits[i - 1]);
  }
  r_.pos = behind;
  r_.copied = behind;
  r_.origins.place(window(), behind);
  envelope_.open = false;
  r_.value_end = r_.pos;
  r_.at = At::after_root;
  give(envelope_.held);
  std::string().swap(envelope_.held);
  return true;
}

// It is not an envelope: returns to where it opens.
void Reader::forget_envelope() {
  static_cast<Marks&>(r_) = envelope_.saved.marks;
  r_.levels.clear();
  r_.offers.clear();
  r_.edits.resize(envelope_.saved.edits);
  r_.origins.back_to(envelope_.saved.origins);
  envelope_ = Envelope();
  envelope_.tried = true;
  places_.reset();
  scan_ = Scan();
}

}  // namespace plumb::repair
