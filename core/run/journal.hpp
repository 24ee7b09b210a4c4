// The journal of a run: what it asked for and what came back, in order, append-only.
//
// A journal is a list of entries, one JSON object on a line each (docs/journal.md is the format, version 1), and a
// store of large texts by hash beside it. It is the run: whoever holds it can go on. Reading checks the version, the
// order and the form of every entry; an entry of a kind that a later version added is an error, never skipped.
//
// Keys: an effect is found by the path of its scope and its ordinal there, "revise/3:0"; the root's path is empty.
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
// Values from this many bytes on are stored once, by hash; so are messages of a conversation and pins from
// `message_bytes` on, and texts with line ends, since an entry is one line.
inline constexpr std::size_t blob_bytes = 16384;
inline constexpr std::size_t message_bytes = 512;

enum class EntryKind : std::uint8_t {
  begin,     // name: pipeline; data: {run, version, input, pins, fork?}
  attempt,   // an effect is about to be tried: name: its kind; data: the request; hash: of the request
  reply,     // data: the value
  note,      // emitted by the pipeline: name: its kind; data: the value
  scope,     // a named part has finished: data: its result
  version,   // name: of the change; count: which way the run goes
  drift,     // the request of an entry is another one than journalled: data: {was, now}
  signal,    // unasked, from people or other runs: name; data
  cancel,    // error: why
  end,       // status ok, failed or cancelled; outcome: what it came to (outcome.hpp); data: the result; error
  handover,  // a host that was told to stop gave up the attempt: it is wanted again, and counts as no loss
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
  Reason reason{};                // end, while it is written: `outcome` says it
  std::uint64_t count = 0;        // attempt: which; version: the way
  std::uint64_t deadline_ms = 0;  // attempt
  std::string signals;            // scope: how many signals it has read, "decide=2,stop=1"
  Data outcome;                   // end
  Data data;
};

// A text that is stored by its hash.
struct Blob {
  std::string hash;
  std::string text;
};

// An entry as it is stored. Blobs may be known to the store already.
struct Stored {
  std::uint64_t number = 0;
  std::string line;  // without line end
  std::vector<Blob> blobs;
};

class Journal {
 public:
  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t bytes() const { return bytes_; }  // of all lines and blobs
  const Entry& begin() const { return entries_.front(); }

  // Appends and returns the number of the entry. Stamps never go back: an earlier `at_ms` is taken as the last one.
  std::uint64_t append(Entry entry);
  // A copy of the first `count` entries that another thread may read: it shares no text with this one.
  Journal copy_of(std::uint64_t count) const;

  // What has been appended since the last call, for the store. Nothing of it may be used before it is stored.
  std::vector<Stored> take();

  // Reads what was stored. `blob` gives a text by hash, or nullptr.
  using FindBlob = std::function<const std::string*(std::string_view hash)>;
  static Result<Journal> read(const std::vector<std::string_view>& lines, const FindBlob& blob);

  // The first `count` entries, at least one, to show the state of a run then: it has no bytes() and nothing to store.
  Journal prefix(std::size_t count) const;

 private:
  std::vector<Entry> entries_;
  std::vector<Stored> fresh_;
  std::vector<std::string> known_;  // hashes of blobs that were given to the store, sorted
  std::uint64_t bytes_ = 0;
};

// One entry by itself, with the number that it must have.
Result<Entry> read_entry(std::string_view text, std::uint64_t expected, const Journal::FindBlob& blob);

// Text with its large parts replaced by {"$blob": hash, "size": bytes}, and back. What could be taken for such a mark
// is stored by its hash too.
std::string with_blobs(const Data& data, std::vector<Blob>& blobs);
Result<Data> without_blobs(std::string_view text, const json::Value& value, const Journal::FindBlob& blob);

}  // namespace plumb::run
