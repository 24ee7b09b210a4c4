// A recorded run of a boundary with a scripted judge and reviser: tests/cases/runs has it, and every host replays it;
// and one of the version before. PLUMB_REWRITE=1 writes the file instead of comparing.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/journal_file.hpp"
#include "core/run/machine.hpp"
#include "core/run/replay.hpp"
#include "tests/native/recorded_before.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

namespace {

const std::string folder = plumb::test::source_dir() + "/tests/cases/";
const std::string file_name = folder + "runs/boundary_revised.ndjson";

std::string bytes_of(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// One whose revisions break it, one that comes in two parts, one that never was valid, and one that carries what its
// contract does not name and comes back inside of a string.
constexpr std::string_view tickets = R"({"contract":{"$schema":"https://json-schema.org/draft/2020-12/schema",
  "type":"object","itemId":"/place","required":["place","trouble"],
  "properties":{"place":{"type":"string","notBlank":true},"trouble":{"type":"string","minLength":3}},
  "rules":[{"id":"concrete","title":"Concrete","ask":"Does it name a place?"}]},
  "items":[{"place":"order page","trouble":"The button is hidden."},{"place":"somewhere","trouble":"It is slow."},
  {"place":"lists","trouble":"Two things."},{"place":"cart page"},
  {"place":"everywhere","trouble":"It flickers.","ticket":17}]})";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> vague = {
    {{"2", "\"somewhere\""}, {"3", "\"lists\""}, {"5", "\"everywhere\""}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> revisions = {{
    {"\"somewhere\"", R"({"items":[{"place":"","trouble":5}]})"},
    {"\"lists\"", R"({"items":[{"place":"import","trouble":"It stops."},{"place":"export","trouble":"It is slow."}]})"},
    {"\"cart page\"", R"({"items":[{"place":"cart page","trouble":""}]})"},
    {"\"everywhere\"", R"({"items":["{\"place\":\"head line\",\"trouble\":\"It flickers.\"}"]})"},
}};

std::string said_to(const run::Want& want) {
  const json::Value& request = want.request.value();
  const std::string_view asked = request.find("messages")->array().back().find("content")->str();
  if (request.find("phase")->str() == "revise") {
    for (const auto& [mark, answer] : revisions) {
      if (asked.find(mark) != std::string_view::npos)
        return std::string(answer);
    }
    return {};
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().key("accepted_items").begin_array().end_array().key("rejected_items").begin_array();
  for (const auto& [id, mark] : vague) {
    if (asked.find(mark) != std::string_view::npos) {
      json.begin_object().member("item_id", id).member("rule", "concrete");
      json.member("rejection_reason", "It names no place.").end_object();
    }
  }
  json.end_array().end_object();
  return out;
}

struct Recorded {
  std::string file;
  run::Data result;
};

Recorded record() {
  const pipelines::Known& known = *pipelines::known_pipeline("boundary");
  json::Arena arena;
  Result<pipelines::Prepared> prepared = known.prepare(json::parse(tickets, arena).value(), {});
  REQUIRE(prepared);
  std::uint64_t now = 1'770'546'600'000;
  run::Machine machine = run::Machine::start(known.pipeline, "r" + std::string(20, 'b'), prepared.value().input,
                                             prepared.value().pins, {}, now);
  Recorded out;
  const auto store = [&] {
    for (const run::Stored& one : machine.take())
      run::append_to_file(out.file, one);
  };
  while (machine.step(now += 3) == run::State::waiting) {
    store();
    for (const run::Want& want : machine.wanted())
      REQUIRE(machine.attempt(want.key, now += 2));
    store();
    const run::Want want = machine.under_way().front();
    std::string value;
    json::Writer json(value);
    json.begin_object().member("text", said_to(want)).member("finish", "stop").member("model", "scripted");
    json.member("provider", "scripted").key("usage").raw(R"({"input_tokens":100,"output_tokens":50})").end_object();
    run::Reply reply;
    reply.value = run::Data::written(std::move(value));
    REQUIRE(machine.reply(want.key, std::move(reply), now += 800));
    store();
  }
  store();
  REQUIRE(machine.state() == run::State::done);
  out.result = run::Data::written(std::string(machine.result().text()));
  return out;
}

run::Replayed replayed(const std::string& text) {
  const Result<run::JournalFile> file = run::JournalFile::read(text);
  REQUIRE(file);
  const run::Replayed again = run::replay(pipelines::known_pipeline("boundary")->pipeline, file.value()).value();
  CHECK(again.entries == file.value().entries.size());
  return again;
}

}  // namespace

TEST_CASE("cases: the recorded boundary is made again to the byte, and replays") {
  const Recorded made = record();
  if (const char* rewrite = std::getenv("PLUMB_REWRITE"); rewrite != nullptr && *rewrite == '1') {
    std::ofstream(file_name, std::ios::binary) << test::without_outcome(made.file);
  }
  CHECK_MESSAGE(test::without_outcome(made.file) == bytes_of(file_name), "PLUMB_REWRITE=1 writes it");
  CHECK(replayed(made.file).same);
  const std::span<const json::Value> items = json::list_of(made.result.value(), "items");
  std::string order;
  for (const json::Value& item : items) {
    order += std::string(item.find("id")->str()) + " " + std::string(item.find("passed")->str()) + ", ";
  }
  CHECK(order == "1 accepted, 3.1 accepted, 3.2 accepted, 5 accepted, 2 warned, 4 failed, ");
  CHECK(json::value_text(*items[3].find("value")) == R"({"place":"head line","trouble":"It flickers.","ticket":17})");
  CHECK(json::text_of(*items[4].find("value"), "place") == "somewhere");
}

TEST_CASE("cases: a boundary of the version before replays to the byte in this one") {
  const std::string text = bytes_of(folder + "upgrade/boundary_first_way.ndjson");
  const run::Replayed again = replayed(text);
  CHECK_MESSAGE(again.same, again.stored, again.now);
}
