// A recorded discovery run with authored answers, from exported conversations to decisions: tests/cases/runs has it,
// and every host replays it. PLUMB_REWRITE=1 writes the file instead of comparing.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "core/json/arena.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"
#include "core/run/reasons.hpp"
#include "core/run/replay.hpp"
#include "discovery_runs.hpp"
#include "tests/native/recorded_before.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

const std::string file_name = plumb::test::source_dir() + "/tests/cases/runs/discovery_revised.ndjson";

struct Recorded {
  std::string file;
  std::string view;
};

Recorded record() {
  const pipelines::Known& known = *pipelines::known_pipeline("discovery");
  pipelines::Prepared prepared = prepared_discovery(true);
  std::uint64_t now = 1'770'546'600'000;
  run::Machine machine =
      run::Machine::start(known.pipeline, "r" + std::string(20, 'd'), prepared.input, prepared.pins, {}, now);
  AuthoredDiscovery answers;
  Recorded out;
  const auto store = [&] {
    for (const run::Stored& one : machine.take())
      run::append_to_file(out.file, one);
  };
  const auto go = [&] {
    while (machine.step(now += 3) == run::State::waiting) {
      store();
      for (const run::Want& want : machine.wanted())
        REQUIRE(machine.attempt(want.key, now += 2));
      store();
      const std::vector<run::Want> under_way = machine.under_way();
      if (under_way.empty())
        break;
      REQUIRE(machine.reply(under_way.front().key, answers.reply(under_way.front().kind, under_way.front().request),
                            now += 800));
      store();
    }
    store();
  };
  const auto review = [&](const char* said) {
    REQUIRE(machine.signal("review", run::Data::written(said), now += 60'000));
    store();
    go();
  };
  go();
  review(R"({"kind":"decide","opportunity_id":"O1","decision":"accepted",)"
         R"("reasoning":"Everybody on a phone.","by":"Ada"})");
  review(R"({"kind":"decide","opportunity_id":"O1","decision":"deferred","reasoning":"After the sale.","by":"Bob"})");
  review(R"({"kind":"decide","opportunity_id":"O3.2","decision":"sent_back",)"
         R"("send_back_to_stage":"feasibility_risk","reasoning":"What do two retries cost?","by":"Bob"})");
  review(R"({"kind":"rank","order":["O2","O1","O3.2"],"by":"Ada"})");
  review(R"({"kind":"complete","by":"Ada"})");
  CHECK(machine.state() == run::State::done);
  out.view = known.view(machine.journal());
  return out;
}

}  // namespace

TEST_CASE("cases: the recorded discovery run is made again to the byte, and replays") {
  const Recorded made = record();
  if (const char* rewrite = std::getenv("PLUMB_REWRITE"); rewrite != nullptr && *rewrite == '1') {
    std::ofstream(file_name, std::ios::binary) << run::without_reasons(test::without_outcome(made.file));
  }
  std::ifstream in(file_name, std::ios::binary);
  const std::string stored{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  // It is of before reasons and outcomes were journalled.
  CHECK(made.file != stored);
  CHECK_MESSAGE(run::without_reasons(test::without_outcome(made.file)) == stored, "PLUMB_REWRITE=1 writes it");
  const Result<run::JournalFile> file = run::JournalFile::read(stored);
  REQUIRE(file);
  CHECK(run::replay(pipelines::known_pipeline("discovery")->pipeline, file.value()).value().same);
}

TEST_CASE("cases: a discovery that was recorded in an earlier version replays to the byte in this one") {
  std::ifstream in(plumb::test::source_dir() + "/tests/cases/runs/discovery_reviewed.ndjson", std::ios::binary);
  const std::string stored{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const Result<run::JournalFile> file = run::JournalFile::read(stored);
  REQUIRE(file);
  const run::Pipeline& pipeline = pipelines::known_pipeline("discovery")->pipeline;
  CHECK(stored.find("\"version\":" + std::to_string(pipeline.version)) == std::string::npos);
  const run::Replayed again = run::replay(pipeline, file.value()).value();
  CHECK_MESSAGE(again.same, again.stored, again.now);
}

TEST_CASE(
    "discovery: the recorded run has a split brief, a warned spec, an infeasible one, and two people who disagree") {
  const run::Data view = run::Data::written(record().view);
  const auto at = [&](std::string_view pointer) {
    const json::Value* found = json::resolve(view.value(), pointer);
    return found == nullptr                ? std::string("-")
           : found->is(json::Kind::string) ? std::string(found->str())
                                           : json::value_text(*found);
  };
  CHECK(at("/status") == "completed");
  CHECK(at("/coverage/conversations_skipped") == "1");
  CHECK(at("/result/order") == R"(["O2","O1","O3.2"])");
  CHECK(at("/opportunities/1/opportunity_id") == "O1");
  CHECK(at("/opportunities/1/spec/validation_warnings/0").find("Rejected after 2 retries: The risk does not say") == 0);
  CHECK(at("/opportunities/3/infeasible/infeasibility_reason") ==
        "The index is larger than the memory of the machines.");
  CHECK(at("/signals/1/why") == "Ada has decided already: accepted");
  CHECK(at("/signals/1/reason") == "decided");  // which the journals of then have in words alone
  CHECK(at("/stages/1/quality_flags") == R"({"briefs_produced":3,"validation_rejections":1,"validation_retries":1})");
  CHECK(at("/stages/3/quality_flags") == R"({"specs_produced":3,"validation_rejections":1,"validation_retries":2})");
}

// The journal of a run as it was before a send-back kept what it does not concern.
TEST_CASE("discovery: a journal of before goes on from every entry, and what it had passed goes the old way") {
  std::ifstream in(plumb::test::source_dir() + "/tests/cases/discovery/reviewed_before.ndjson", std::ios::binary);
  const std::string stored{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const Result<run::JournalFile> file = run::JournalFile::read(stored);
  REQUIRE(file);
  const Result<run::Journal> whole = file.value().journal();
  REQUIRE(whole);
  const pipelines::Known& known = *pipelines::known_pipeline("discovery");
  const auto& entries = whole.value().entries();
  AuthoredDiscovery answers;
  for (std::size_t cut = 1; cut < entries.size(); ++cut) {
    std::uint64_t now = entries[cut - 1].at_ms;
    Result<run::Machine> resumed = run::Machine::resume(known.pipeline, whole.value().prefix(cut), {}, now);
    REQUIRE(resumed);
    run::Machine& machine = resumed.value();
    std::size_t next = cut;  // signals that had not come
    while (machine.step(now += 3) == run::State::waiting) {
      for (const run::Want& want : machine.wanted())
        REQUIRE(machine.attempt(want.key, now += 2));
      const std::vector<run::Want> under_way = machine.under_way();
      if (!under_way.empty()) {
        REQUIRE(machine.reply(under_way.front().key, answers.reply(under_way.front().kind, under_way.front().request),
                              now += 800));
        continue;
      }
      while (next < entries.size() && entries[next].kind != run::EntryKind::signal)
        ++next;
      REQUIRE(next < entries.size());
      REQUIRE(machine.signal(entries[next].name, entries[next].data, now += 60'000));
      ++next;
    }
    INFO("cut before entry " << cut);
    CHECK(machine.state() == run::State::done);
    CHECK(machine.result().text().find(R"("order":["O2","O1","O3.2"])") != std::string::npos);
  }
}
