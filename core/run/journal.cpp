#include "core/run/journal.hpp"

#include <algorithm>
#include <array>

#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"

namespace plumb::run {

namespace {

using json::Kind;
using json::Value;
using json::Writer;

constexpr std::array<std::string_view, 11> kinds = {"begin", "attempt", "reply",  "note", "scope",   "version",
                                                    "drift", "signal",  "cancel", "end",  "handover"};

std::string_view text_of(std::string_view text, const Value& value) {
  return text.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
}

void put_blob(std::string& out, std::string_view text, std::vector<Blob>& blobs) {
  Blob blob{"sha256:" + json::sha256_hex(text), std::string(text)};
  Writer(out).begin_object().member("$blob", blob.hash).member_uint("size", text.size()).end_object();
  if (std::none_of(blobs.begin(), blobs.end(), [&](const Blob& b) { return b.hash == blob.hash; })) {
    blobs.push_back(std::move(blob));
  }
}

bool marked(const Value& value) {
  return value.is(Kind::object) && value.size > 0 && value.object().front().key == "$blob";
}

bool holds_mark(const Value& value) {
  if (marked(value)) {
    return true;
  }
  for (const json::Member& member : value.object()) {
    if (holds_mark(member.value)) {
      return true;
    }
  }
  for (const Value& item : value.array()) {
    if (holds_mark(item)) {
      return true;
    }
  }
  return false;
}

// Writes a text as it is, or by its hash: if it is large, looks like a mark, or has line ends. An entry is one line,
// and a text must not change.
void put(std::string& out, std::string_view text, const Value& value, std::size_t large, std::vector<Blob>& blobs) {
  const std::string_view own = text_of(text, value);
  if (own.size() >= large || own.find('\n') != std::string_view::npos || holds_mark(value)) {
    put_blob(out, own, blobs);
  } else {
    out.append(own);
  }
}

Error bad(std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  return error;
}

// Writes `value` with its blobs in place. False if one is missing; `missing` is then its hash.
bool join(std::string& out, std::string_view text, const Value& value, const Journal::FindBlob& blob,
          std::string& missing) {
  if (!holds_mark(value)) {
    out.append(text_of(text, value));
    return true;
  }
  if (marked(value)) {
    const Value& hash = value.object().front().value;
    const std::string* found = blob ? blob(hash.str()) : nullptr;
    if (found == nullptr) {
      missing = std::string(hash.str());
      return false;
    }
    out.append(*found);
    return true;
  }
  bool first = true;
  out += value.is(Kind::array) ? '[' : '{';
  for (const Value& item : value.array()) {
    if (!first) {
      out += ',';
    }
    first = false;
    if (!join(out, text, item, blob, missing)) {
      return false;
    }
  }
  for (const json::Member& member : value.object()) {
    if (!first) {
      out += ',';
    }
    first = false;
    json::append_string(out, member.key);
    out += ':';
    if (!join(out, text, member.value, blob, missing)) {
      return false;
    }
  }
  out += value.is(Kind::array) ? ']' : '}';
  return true;
}

std::string line_of(const Entry& entry, std::uint64_t number, std::vector<Blob>& blobs) {
  std::string line;
  Writer json(line);
  json.begin_object().member_uint("n", number).member_uint("at", entry.at_ms);
  json.member("kind", entry_kind_name(entry.kind));
  if (entry.kind == EntryKind::begin) {
    json.member_uint("format", journal_format);
  }
  if (!entry.key.empty()) {
    json.member("key", entry.key);
  }
  if (!entry.name.empty()) {
    json.member("name", entry.name);
  }
  if (!entry.hash.empty()) {
    json.member("hash", entry.hash);
  }
  if (entry.kind == EntryKind::reply || entry.kind == EntryKind::end) {
    json.member("status", status_name(entry.status));
  }
  if (!entry.error.empty()) {
    json.member("error", entry.error);
  }
  if (entry.count != 0) {
    json.member_uint("count", entry.count);
  }
  if (entry.deadline_ms != 0) {
    json.member_uint("deadline_ms", entry.deadline_ms);
  }
  if (!entry.signals.empty()) {
    json.member("signals", entry.signals);
  }
  if (!entry.outcome.is_null()) {
    json.key("outcome").raw(entry.outcome.text());
  }
  if (!entry.data.is_null()) {
    json.key("data").raw(with_blobs(entry.data, blobs));
  }
  json.end_object();
  return line;
}

// Reads the whole number at `name`. True if it is absent; false if it is something else.
bool read_count(const Value& line, std::string_view name, std::uint64_t& out) {
  const Value* value = line.find(name);
  if (value == nullptr) {
    return true;
  }
  if (!value->is(Kind::number) || value->str().size() > 18) {
    return false;
  }
  out = 0;
  for (const char c : value->str()) {
    if (c < '0' || c > '9') {
      return false;
    }
    out = out * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

bool read_string(const Value& line, std::string_view name, std::string& out) {
  const Value* value = line.find(name);
  if (value != nullptr && !value->is(Kind::string)) {
    return false;
  }
  out = value == nullptr ? std::string() : std::string(value->str());
  return true;
}

}  // namespace

std::string_view entry_kind_name(EntryKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::string with_blobs(const Data& data, std::vector<Blob>& blobs) {
  std::string out;
  const std::string_view text = data.text();
  // Most entries are not read again, so the tree is dropped at the end of this function.
  json::Arena arena;
  Value own;
  if (!data.has_tree() && !data.is_null()) {
    Result<Value> parsed = json::parse(text, arena);
    PLUMB_REQUIRE(static_cast<bool>(parsed), "data that was written here is JSON");
    own = parsed.value();
  }
  const Value& value = data.has_tree() ? data.value() : own;
  auto listed = [](const json::Member& member) {
    return (member.key == "messages" || member.key == "pins") && member.value.is(Kind::array);
  };
  const std::span<const json::Member> members = value.object();
  if (marked(value) || std::none_of(members.begin(), members.end(), listed)) {
    put(out, text, value, blob_bytes, blobs);
    return out;
  }
  // Messages of a conversation, which grows by one at a time, and pins, which many runs share: each is stored once.
  Writer json(out);
  json.begin_object();
  for (const json::Member& member : members) {
    json.key(member.key);
    std::string part;
    if (listed(member)) {
      for (const Value& item : member.value.array()) {
        part += part.empty() ? '[' : ',';
        put(part, text, item, message_bytes, blobs);
      }
      part += part.empty() ? "[]" : "]";
    } else {
      put(part, text, member.value, blob_bytes, blobs);
    }
    json.raw(part);
  }
  json.end_object();
  return out;
}

Result<Data> without_blobs(std::string_view text, const json::Value& value, const Journal::FindBlob& blob) {
  std::string out;
  std::string missing;
  if (!join(out, text, value, blob, missing)) {
    return bad("the text " + missing + " is not in the store");
  }
  json::Arena arena;
  const Result<Value> parsed = json::parse(out, arena);
  if (!parsed) {
    return parsed.error();
  }
  return Data::written(std::move(out));
}

std::uint64_t Journal::append(Entry entry) {
  if (!entries_.empty()) {
    entry.at_ms = std::max(entry.at_ms, entries_.back().at_ms);
  }
  Stored stored;
  stored.number = entries_.size();
  stored.line = line_of(entry, stored.number, stored.blobs);
  // The store gets each blob once.
  auto known = [&](const Blob& blob) {
    const auto at = std::lower_bound(known_.begin(), known_.end(), blob.hash);
    if (at != known_.end() && *at == blob.hash) {
      return true;
    }
    known_.insert(at, blob.hash);
    return false;
  };
  stored.blobs.erase(std::remove_if(stored.blobs.begin(), stored.blobs.end(), known), stored.blobs.end());
  bytes_ += stored.line.size();
  for (const Blob& blob : stored.blobs) {
    bytes_ += blob.text.size();
  }
  fresh_.push_back(std::move(stored));
  entries_.push_back(std::move(entry));
  return entries_.size() - 1;
}

Journal Journal::copy_of(std::uint64_t count) const {
  Journal copy;
  copy.known_ = known_;
  copy.bytes_ = bytes_;
  for (std::size_t i = 0; i < entries_.size() && i < count; ++i) {
    Entry entry = entries_[i];
    if (!entry.data.is_null()) {
      entry.data = entry.data.deep_copy();
      (void)entry.data.value();  // read now, because several threads may read it later
    }
    if (!entry.outcome.is_null()) {
      entry.outcome = entry.outcome.deep_copy();
      (void)entry.outcome.value();
    }
    copy.entries_.push_back(std::move(entry));
  }
  return copy;
}

std::vector<Stored> Journal::take() {
  std::vector<Stored> out = std::move(fresh_);
  fresh_.clear();
  return out;
}

Result<Entry> read_entry(std::string_view text, std::uint64_t expected, const Journal::FindBlob& blob) {
  auto fails = [&](const std::string& message) {
    Error error = bad("entry " + std::to_string(expected) + ": " + message);
    error.line = static_cast<std::size_t>(expected) + 1;
    return error;
  };
  json::Arena arena;
  const Result<Value> parsed = json::parse(text, arena);
  if (!parsed) {
    return fails(parsed.error().message);
  }
  const Value& line = parsed.value();
  Entry entry;
  std::string kind;
  std::string status;
  std::uint64_t number = 0;
  std::uint64_t format = journal_format;
  if (!line.is(Kind::object) || line.find("n") == nullptr || !read_count(line, "n", number) ||
      !read_count(line, "at", entry.at_ms) || !read_string(line, "kind", kind) ||
      !read_string(line, "key", entry.key) || !read_string(line, "name", entry.name) ||
      !read_string(line, "hash", entry.hash) || !read_string(line, "status", status) ||
      !read_string(line, "error", entry.error) || !read_string(line, "signals", entry.signals) ||
      !read_count(line, "count", entry.count) || !read_count(line, "deadline_ms", entry.deadline_ms) ||
      !read_count(line, "format", format)) {
    return fails("this is no journal entry");
  }
  if (number != expected) {
    return fails("expected entry " + std::to_string(expected) + ", this is " + std::to_string(number));
  }
  if (format != journal_format) {
    return fails("the journal has format " + std::to_string(format) + ", this program reads format " +
                 std::to_string(journal_format));
  }
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  if (found == kinds.end()) {
    return fails("'" + kind + "' is no kind of entry that this program knows; a later version may");
  }
  entry.kind = static_cast<EntryKind>(found - kinds.begin());
  if ((expected == 0) != (entry.kind == EntryKind::begin)) {
    return fails("a journal has one entry of kind begin, and it is the first");
  }
  if (!status.empty() && !status_of(status, entry.status)) {
    return fails("'" + status + "' is no status");
  }
  if (entry.kind == EntryKind::attempt && effect_type(entry.name) == nullptr) {
    return fails("'" + entry.name + "' is no effect that this program knows");
  }
  if (const Value* outcome = line.find("outcome")) {
    entry.outcome = Data::written(std::string(text_of(text, *outcome)));
  }
  if (const Value* data = line.find("data")) {
    Result<Data> read = without_blobs(text, *data, blob);
    if (!read) {
      return fails(read.error().message);
    }
    entry.data = std::move(read).value();
  }
  return entry;
}

Result<Journal> Journal::read(const std::vector<std::string_view>& lines, const FindBlob& blob) {
  Journal journal;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Result<Entry> entry = read_entry(lines[i], i, blob);
    if (!entry) {
      return entry.error();
    }
    journal.append(std::move(entry).value());
  }
  if (journal.entries_.empty()) {
    return bad("the journal is empty");
  }
  journal.fresh_.clear();
  return journal;
}

Journal Journal::prefix(std::size_t count) const {
  Journal journal;
  const std::size_t kept = std::min(std::max<std::size_t>(count, 1), entries_.size());
  journal.entries_.assign(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(kept));
  return journal;
}

}  // namespace plumb::run
