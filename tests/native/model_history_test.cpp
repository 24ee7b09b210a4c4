#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/run/journal_file.hpp"
#include "native/host/model_history.hpp"
#include "tests/native/source_dir.hpp"

namespace {

plumb::run::Journal recorded(const std::string& name, const std::string& of = {}, const std::string& with = {}) {
  std::ifstream file(plumb::test::source_dir() + "/tests/cases/runs/" + name, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!of.empty()) {
    REQUIRE(text.find(of) != std::string::npos);
    text.replace(text.find(of), of.size(), with);
  }
  const auto read = plumb::run::JournalFile::read(text);
  REQUIRE(static_cast<bool>(read));
  auto journal = read.value().journal();
  REQUIRE(static_cast<bool>(journal));
  return std::move(journal).value();
}

const plumb::budget::History* row(const std::vector<plumb::budget::History>& rows, std::string_view phase) {
  for (const auto& one : rows) {
    if (one.phase == phase)
      return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("history: a run that was repaired counts its first answer as not valid, and one repair") {
  std::vector<plumb::budget::History> rows;
  plumb::host::add_history(rows, recorded("artifact_repaired.ndjson"));
  const auto* generate = row(rows, "generate");
  REQUIRE(generate != nullptr);
  CHECK(generate->calls == 1);
  CHECK(generate->valid_at_first == 0);
  CHECK(generate->repairs == 1);
  CHECK(generate->tokens > 0);
  CHECK(generate->time_ms > 0);
  const auto* repair = row(rows, "repair");
  REQUIRE(repair != nullptr);
  CHECK(repair->calls == 1);
  CHECK(repair->valid_at_first == 1);
  CHECK(row(rows, "plan")->valid_at_first == 1);
}

TEST_CASE("history: a model has the name that the run asked it by, whatever the server that answers calls it") {
  std::vector<plumb::budget::History> rows;
  plumb::host::add_history(
      rows, recorded("artifact_repaired.ndjson", "\"providers\":{}", R"("providers":{"generate":"scripted/mine"})"));
  CHECK(row(rows, "generate")->model == "scripted/mine");
  CHECK(row(rows, "plan")->model == "scripted");
}

TEST_CASE("history: runs add up, a row for each model and phase") {
  std::vector<plumb::budget::History> rows;
  plumb::host::add_history(rows, recorded("artifact_repaired.ndjson"));
  const std::size_t size = rows.size();
  plumb::host::add_history(rows, recorded("artifact_repaired.ndjson"));
  CHECK(rows.size() == size);
  CHECK(row(rows, "generate")->calls == 2);
  CHECK(row(rows, "generate")->repairs == 2);
}
