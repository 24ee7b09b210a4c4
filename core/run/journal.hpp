// Journal: everything that a run has asked for and received, in order, append-only.
//
// A journal is a list of entries, each a JSON object on a line, and a store of large texts by hash. docs/journal.md
// has the format, version 1. The journal is the run: any host that has it can continue the run. Reading checks the
// version, the order and the form of every entry. An entry whose kind is unknown, because a later version added it, is
// an error.
//
// Keys: an effect is identified by the path of its scope and its ordinal there, such as "revise/3:0". The root's path
// is empty.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "core/run/effect.hpp"

namespace plumb::run {

inline constexpr std::uint64_t journal_format = 1;
// Values of at least `blob_bytes` are stored once, by hash. So are messages of a conversation and pins of at least
// `message_bytes`, and texts with line ends, because an entry is one line.
inline constexpr std::size_t blob_bytes = 16384;
inline constexpr std::size_t message_bytes = 512;

enum class EntryKind : std::uint8_t {
  begin,     // name: pipeline; data: {run, version, input, pins, fork?}
  attempt,   // an effect will be tried; name: its kind; data: the request; hash: of the request
  reply,     // data: the value
  note,      // the pipeline emitted it; name: its kind; data: the value
  scope,     // a named part has finished; data: its result
  version,   // name: of the change; count: the version that the run uses
  drift,     // a request differs from the journalled one; data: {was, now}
  signal,    // sent by people or other runs; name; data
  cancel,    // error: why
  end,       // status ok, failed or cancelled; outcome (outcome.hpp); data: the result; error
  handover,  // the host stopped and gave up the attempt, which will be tried again and does not count as lost
};
std::string_view entry_kind_name(EntryKind kind);

struct Entry {
  EntryKind kind = EntryKind::note;
  std::uint64_t at_ms = 0;  // stamped by the host, milliseconds since 1970
  std::string key;          // of effects, scopes, notes and versions
  std::string name;
  std::string hash;
  Status status = Status::ok;
  std::string error;
  Reason reason{};                // end, only while it is written; `outcome` stores it
  std::uint64_t count = 0;        // attempt: its number; version: the version
  std::uint64_t deadline_ms = 0;  // attempt
  std::string signals;            // scope: the number of signals it has read, "decide=2,stop=1"
  Data outcome;                   // end
  Data data;
};

// A text that is stored by its hash.
struct Blob {
  std::string hash;
  std::string text;
};

// An entry in its stored form. The store may have the blobs already.
struct Stored {
  std::uint64_t number = 0;
  std::string line;  // without line end
  std::vector<Blob> blobs;
};

class Journal {
 public:
  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t bytes() const { return bytes_; }  // of all lines and blobs together
  const Entry& begin() const { return entries_.front(); }

  // Appends an entry and returns its number. Stamps never decrease: an earlier `at_ms` is replaced by the last one.
  std::uint64_t append(Entry entry);
  // A copy of the first `count` entries for another thread. It shares no text with this journal.
  Journal copy_of(std::uint64_t count) const;

  // Returns the entries appended since the last call, for the store. Do not act on an entry before it is stored.
  std::vector<Stored> take();

  // Reads stored entries. `blob` returns a text by its hash, or nullptr.
  using FindBlob = std::function<const std::string*(std::string_view hash)>;
  static Result<Journal> read(const std::vector<std::string_view>& lines, const FindBlob& blob);

  // The first `count` entries, at least one, to show the state of a run at that time. It has no bytes() and nothing to
  // store.
  Journal prefix(std::size_t count) const;

 private:
  std::vector<Entry> entries_;
  std::vector<Stored> fresh_;
  std::vector<std::string> known_;  // hashes of blobs that the store was given, sorted
  std::uint64_t bytes_ = 0;
};

// Reads one entry, which must have the number `expected`.
Result<Entry> read_entry(std::string_view text, std::uint64_t expected, const Journal::FindBlob& blob);

// Replaces large parts of a text by {"$blob": hash, "size": bytes}, and restores them. A value that looks like such a
// mark is stored by its hash too.
std::string with_blobs(const Data& data, std::vector<Blob>& blobs);
Result<Data> without_blobs(std::string_view text, const json::Value& value, const Journal::FindBlob& blob);

}  // namespace plumb::run
