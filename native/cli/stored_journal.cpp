#include "native/cli/stored_journal.hpp"

#include <utility>

#include "native/cli/store_file.hpp"
#include "native/store/sqlite_store.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t entries_at_once = 1000;
constexpr std::uint64_t bytes_at_once = std::uint64_t{32} << 20U;

}  // namespace

Result<std::unique_ptr<store::Store>> open_store(const Arguments& arguments, bool read_only) {
  const Result<std::string> file = store_file(arguments);
  if (!file)
    return file.error();
  store::SqliteSettings settings;
  settings.file = file.value();
  settings.read_only = read_only;
  return store::open_sqlite(settings);
}

Result<run::JournalFile> stored_file(store::Store& store, std::string_view id) {
  run::JournalFile file;
  for (;;) {
    Result<store::JournalPart> part = store.journal(id, file.entries.size(), entries_at_once, bytes_at_once);
    if (!part)
      return part.error();
    if (part.value().entries.empty())
      return file;
    for (run::Stored& entry : part.value().entries)
      file.entries.push_back(std::move(entry));
  }
}

}  // namespace plumb::cli
