// Replay: runs a stored journal again from its first entry, with the stored replies, and compares the new journal with
// the stored one, byte for byte.
//
//   Result<JournalFile> file = JournalFile::read(text);
//   Result<Replayed> again = replay(pipeline, file.value());
//   if (!again.value().same) ... again.value().entry, .stored, .now
//
// No effect is fulfilled. Attempts, replies, signals and cancels come from the journal. Everything else (requests,
// notes, results and the end) must come from the pipeline again. So one test shows that a journal has the same meaning
// on another host, with another compiler, or in another version of the pipeline. A journal that stops in the middle is
// compared as far as it goes. In a journal older than stored reasons (reasons.hpp), reasons are not compared.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"

namespace plumb::run {

struct Replayed {
  bool same = true;
  std::uint64_t entries = 0;  // number of entries that were compared and are equal
  // The first pair of entries that differs, if any. One of them is empty if that entry is missing.
  std::string stored;
  std::string now;
};

// An error if the journal cannot be read, or is of another pipeline.
Result<Replayed> replay(const Pipeline& pipeline, const JournalFile& file);

}  // namespace plumb::run
