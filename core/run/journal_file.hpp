// JournalFile: a journal in a file, with one line per entry and per text that entries refer to (docs/journal.md).
//
//   std::string file;
//   for (const Stored& entry : part.entries) append_to_file(file, entry);   // as they are read from a store
//   Result<JournalFile> again = JournalFile::read(file);
//   Result<Journal> journal = again.value().journal();
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run/journal.hpp"

namespace plumb::run {

// Appends the texts that this entry is the first to need, then the entry.
void append_to_file(std::string& file, const Stored& entry);

struct JournalFile {
  std::vector<Stored> entries;  // each with the texts before it

  // Checks the form of the lines, the numbers and the hashes. journal() reads the entries themselves. Errors have the
  // line.
  static Result<JournalFile> read(std::string_view text);
  Result<Journal> journal() const;
};

}  // namespace plumb::run
