#include "native/host/measured_judges.hpp"

#include <algorithm>

#include "core/pipelines/artifact/calibration.hpp"

namespace plumb::host {

namespace {

constexpr std::size_t runs_max = 100;

// One entry of a journal, read by itself.
Result<run::Entry> entry_at(store::Store& store, const store::RunRow& row, std::uint64_t number) {
  const Result<store::JournalPart> part = store.journal(row.id, number, 1, 1);
  if (!part) {
    return part.error();
  }
  if (part.value().entries.empty()) {
    return Error{ErrorCode::not_found, "the run '" + row.id + "' has lost an entry", "", 0, 0};
  }
  const run::Stored& stored = part.value().entries.front();
  return run::read_entry(stored.line, stored.number, [&](std::string_view hash) -> const std::string* {
    const auto found =
        std::find_if(stored.blobs.begin(), stored.blobs.end(), [&](const run::Blob& one) { return one.hash == hash; });
    return found == stored.blobs.end() ? nullptr : &found->text;
  });
}

}  // namespace

Result<std::optional<judge::Measured>> measured_judge(store::Store& store, const judge::JudgeKey& key) {
  store::ListQuery query;
  query.pipeline = "calibration";
  query.state = run::State::done;
  query.limit = runs_max;
  const Result<store::Page> page = store.list(query);
  if (!page) {
    return page.error();
  }
  for (const store::RunRow& row : page.value().runs) {
    if (!row.project.empty() || row.imported || row.entries == 0) {
      continue;
    }
    const Result<run::Entry> begin = entry_at(store, row, 0);
    if (!begin) {
      return begin.error();
    }
    const json::Value* input = begin.value().data.value().find("input");
    if (input == nullptr || !(pipelines::calibration::key_of(*input) == key)) {
      continue;
    }
    const Result<run::Entry> end = entry_at(store, row, row.entries - 1);
    if (!end) {
      return end.error();
    }
    return std::optional(
        judge::Measured{row.id, end.value().at_ms, pipelines::calibration::tally_of(end.value().data.value())});
  }
  return std::optional<judge::Measured>();
}

}  // namespace plumb::host
