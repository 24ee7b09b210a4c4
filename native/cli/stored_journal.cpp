#include "native/cli/stored_journal.hpp"

#include <utility>

#include "native/cli/store_file.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t entries_at_once = 1000;
constexpr std::uint64_t bytes_at_once = std::uint64_t{32} << 20U;

}  // namespace

Result<std::unique_ptr<store::Store>> open_store(const Arguments& arguments, bool read_only) {
  const Result<store::StoreSettings> settings = store_settings(arguments, read_only);
  if (!settings) {
    return settings.error();
  }
  return store::open_store(settings.value());
}

Result<run::JournalFile> stored_file(store::Store& store, std::string_view id) {
  run::JournalFile file;
  for (;;) {
    Result<store::JournalPart> part = store.journal(id, file.entries.size(), entries_at_once, bytes_at_once);
    if (!part) {
      return part.error();
    }
    if (part.value().entries.empty()) {
      return file;
    }
    for (run::Stored& entry : part.value().entries) {
      file.entries.push_back(std::move(entry));
    }
  }
}

}  // namespace plumb::cli
