// What runs have come to: read from recorded journals, and what hosts make of it.

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/record.hpp"
#include "core/pipelines/outcomes.hpp"
#include "core/run/journal_file.hpp"
#include "native/outcome/outcome_table.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(test::source_dir() + "/" + path, std::ios::binary);
  REQUIRE_MESSAGE(in, path);
  return {std::istreambuf_iterator<char>(in), {}};
}

run::Journal recorded(const std::string& name) {
  const Result<run::JournalFile> file = run::JournalFile::read(text_of("tests/cases/runs/" + name + ".ndjson"));
  REQUIRE(file);
  Result<run::Journal> journal = file.value().journal();
  REQUIRE(journal);
  return std::move(journal).value();
}

}  // namespace

TEST_CASE("outcomes: of recorded runs") {
  const std::pair<std::string, std::string_view> all[] = {
      {"artifact_extract", R"({"came_to":"accepted","reasons":[]})"},
      {"artifact_repaired", R"({"came_to":"accepted","reasons":[]})"},
      {"artifact_failed", R"({"came_to":"failed","reasons":[{"code":"not_valid_after_repairs",)"
                          R"("data":{"attempts":2,"violations":0,"issues":2}}]})"},
      {"story_lighthouse", R"({"came_to":"accepted","reasons":[]})"},
      {"tale_cancelled", R"({"came_to":"cancelled","reasons":[]})"},
      {"tale_failed", R"({"came_to":"undecided","reasons":[{"code":"ended_by_an_error"}]})"},
      {"tale_signed", R"({"came_to":"accepted","reasons":[]})"}};
  for (const auto& one : all) {
    CAPTURE(one.first);
    const run::Journal journal = recorded(one.first);
    CHECK(json::record_text(pipelines::outcome_of(journal)) == one.second);
  }
  const run::Outcome trap = pipelines::outcome_of(recorded("story_trap"));
  CHECK(trap.came_to == run::CameTo::failed);
  REQUIRE(trap.reasons.size() == 1);
  CHECK(trap.reasons.front().code == "not_valid");
}

TEST_CASE("outcomes: from the end alone it is the same, where the end tells it") {
  std::size_t told = 0;
  for (const std::string name :
       {"artifact_extract", "artifact_repaired", "artifact_failed", "story_trap", "story_lighthouse",
        "research_extract", "workflow_reviewed", "tale_cancelled", "discovery_reviewed"}) {
    CAPTURE(name);
    const Result<run::JournalFile> file = run::JournalFile::read(text_of("tests/cases/runs/" + name + ".ndjson"));
    REQUIRE(file);
    const run::Journal journal = recorded(name);
    const std::optional<run::Outcome> alone = pipelines::outcome_in(journal.begin().name, file.value().entries.back());
    if (alone) {
      CHECK(json::record_text(*alone) == json::record_text(pipelines::outcome_of(journal)));
      ++told;
    }
    CHECK(alone.has_value() == (name != "artifact_failed" && name != "discovery_reviewed"));
  }
  CHECK(told == 7);
}

TEST_CASE("outcomes: the documentation and the interface have the rows of the table") {
  const std::string docs = text_of("docs/runs.md");
  const std::string api = text_of("native/control/openapi.json");
  std::string names;
  for (const outcome::OutcomeRow& row : outcome::outcome_rows) {
    const std::string name(run::came_to_name(row.came_to));
    names += (names.empty() ? "\"" : ", \"") + name + "\"";
    CAPTURE(name);
    const std::size_t at = docs.find("| `" + name + "` |");
    REQUIRE(at != std::string::npos);
    const std::string line = docs.substr(at, docs.find('\n', at) - at);
    CHECK(line.find("| " + std::to_string(row.exit_code) + " | " + std::to_string(row.status)) != std::string::npos);
    CHECK(line.find("`artifact." + std::string(row.event) + "`") != std::string::npos);
    CHECK(&outcome::row_of(row.came_to) == &row);
  }
  CHECK(api.find("\"enum\": [" + names + "]") != std::string::npos);
}

TEST_CASE("outcomes: in words, with the numbers of their reasons") {
  run::Outcome partial{run::CameTo::partial, {{"fewer_than_asked", run::Data::written(R"({"asked":5,"kept":3})")}}};
  CHECK(outcome::outcome_words(partial) == "partial (asked 5, kept 3)");
  CHECK(outcome::outcome_words({run::CameTo::accepted, {}}).empty());
  CHECK(outcome::outcome_words({run::CameTo::cancelled, {}}) == "cancelled");
}
