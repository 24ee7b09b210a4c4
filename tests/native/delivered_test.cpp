// The law of delivery: bytes that are not what a run's end judged do not leave. Held against recorded runs, with texts
// that differ.

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "core/json/indented.hpp"
#include "core/json/writer.hpp"
#include "core/run/journal_file.hpp"
#include "native/outcome/deliverable.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

namespace {

run::Journal recorded(const std::string& name) {
  std::ifstream in(test::source_dir() + "/tests/cases/runs/" + name + ".ndjson", std::ios::binary);
  REQUIRE(in);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const Result<run::JournalFile> file = run::JournalFile::read(text);
  REQUIRE(file);
  Result<run::Journal> journal = file.value().journal();
  REQUIRE(journal);
  return std::move(journal).value();
}

std::string artifact_of(const run::Journal& journal) {
  return json::value_text(*journal.entries().back().data.value().find("artifact"));
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

// The journal with another artifact in its end, as a store that was tampered with would have it.
run::Journal with_artifact(const run::Journal& journal, const std::string& artifact) {
  run::Journal out = journal.prefix(journal.entries().size() - 1);
  run::Entry end = journal.entries().back();
  std::string data;
  json::Writer json(data);
  json.begin_object();
  for (const json::Member& member : end.data.value().object()) {
    json.key(member.key).raw(member.key == "artifact" ? artifact : json::value_text(member.value));
  }
  json.end_object();
  end.data = run::Data::written(std::move(data));
  out.append(std::move(end));
  return out;
}

}  // namespace

TEST_CASE("delivered: what a run judged leaves, on one line or several") {
  for (const std::string name : {"artifact_extract", "artifact_repaired", "artifact_repaired_twice"}) {
    CAPTURE(name);
    const run::Journal journal = recorded(name);
    const std::string artifact = artifact_of(journal);
    CHECK(outcome::is_as_judged(journal, artifact));
    CHECK(outcome::is_as_judged(journal, json::indented(artifact)));
    const pipelines::Known& known = *pipelines::known_pipeline("artifact");
    const Result<std::string> text = outcome::deliverable(known, journal, {});
    REQUIRE(text);
    CHECK(text.value() == json::indented(artifact) + "\n");
    CHECK(outcome::view_of(known, journal));
  }
}

TEST_CASE("delivered: bytes that are read as another value do not leave") {
  const run::Journal journal = recorded("artifact_repaired");
  const std::string artifact = artifact_of(journal);
  const std::string words = R"("explanation":")";
  for (const std::string& other :
       {replaced(artifact, words, words + "not "), replaced(artifact, R"("questions")", R"("Questions")"),
        artifact.substr(0, artifact.size() - 2), std::string("{}"), std::string()}) {
    CAPTURE(other);
    const Result<bool> judged = outcome::is_as_judged(journal, other);
    REQUIRE_FALSE(judged);
    CHECK(judged.error().message.starts_with("what would be handed over is not what was judged"));
  }
}

TEST_CASE(
    "delivered: bytes that the run's contract refuses do not leave, though the end says that they were accepted") {
  const run::Journal journal = recorded("artifact_repaired");
  const std::string broken =
      R"({"questions":[{"question":"Where?","options":["a","b"],"correct_answer":"a","explanation":"x"}]})";
  const run::Journal other = with_artifact(journal, broken);
  const Result<bool> judged = outcome::is_as_judged(other, broken);
  REQUIRE_FALSE(judged);
  CHECK(judged.error().message.find("its contract finds 1 error in it") != std::string::npos);
  const pipelines::Known& known = *pipelines::known_pipeline("artifact");
  CHECK_FALSE(outcome::deliverable(known, other, {}));
  CHECK_FALSE(outcome::view_of(known, other));
}

TEST_CASE("delivered: the best of what was rejected is told apart, and keeps its value") {
  const run::Journal journal = recorded("artifact_failed");
  CHECK(outcome::has_rejected_artifact(journal));
  const Result<std::string> text = outcome::rejected_artifact(journal);
  REQUIRE(text);
  CHECK(text.value().starts_with("{\n  \"rejected\": true"));
  const pipelines::Known& known = *pipelines::known_pipeline("artifact");
  const Result<std::string> nothing = outcome::deliverable(known, journal, {});
  REQUIRE(nothing);
  CHECK(nothing.value().empty());
}
