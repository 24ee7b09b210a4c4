// Replay: a stored run is made again from its first entry, with the replies that it had then, and what it journals now
// is held against what is stored, byte for byte.
//
//   Result<JournalFile> file = JournalFile::read(text);
//   Result<Replayed> again = replay(pipeline, file.value());
//   if (!again.value().same) ... again.value().entry, .stored, .now
//
// Nothing is asked of anybody: attempts, replies, signals and cancels come from the journal, all else (the pipeline's
// requests, notes, results and its end) must come of itself. So one test shows that a journal means the same to another
// host, compiler or version of the pipeline. A journal that ends in the middle is the same as far as it goes. One of
// before reasons were journalled (reasons.hpp) is the same without them.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"

namespace plumb::run {

struct Replayed {
  bool same = true;
  std::uint64_t entries = 0;  // that were held against each other and are equal
  // The first that differs, where one does. Either is empty where there is none.
  std::string stored;
  std::string now;
};

// An error when the journal cannot be read or is of another pipeline.
Result<Replayed> replay(const Pipeline& pipeline, const JournalFile& file);

}  // namespace plumb::run
