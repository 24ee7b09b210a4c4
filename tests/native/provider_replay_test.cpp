// The providers without a network: extract from an effect's task, and recordings.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/extract/chunks.hpp"
#include "native/provider/recording.hpp"
#include "tests/native/provider_host.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::test;
using Json = nlohmann::json;
using run::Status;

namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("plumb_replay_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

Json chapter_chunks() {
  const std::string chapter = read_all(plumb::test::source_dir() + "/docs/examples/chapter.md");
  return Json::parse(extract::chunks_json(extract::chunks(chapter).value()));
}

Json request_for(const std::string& phase, Json task) {
  return {{"phase", phase}, {"messages", {{{"role", "user"}, {"content", "unread"}}}}, {"task", std::move(task)}};
}

}  // namespace

TEST_CASE("extract: it plans, writes, judges and repairs from an effect's task, at once and without tokens") {
  HostSetup setup;
  setup.provider = "extract";
  setup.model = "";
  Host host(setup);
  const Json chunks = chapter_chunks();
  for (const char* kind : {"quiz", "flashcards", "mindmap"}) {
    CAPTURE(kind);
    Asked plan = host.ask_request(request_for(
        "plan", {{"name", "artifact.plan"}, {"kind", kind}, {"chunks", chunks}, {"options", {{"count", 4}}}}));
    REQUIRE_MESSAGE(plan.status() == Status::ok, plan.error());
    CHECK(plan.value()["provider"] == "extract");
    CHECK(plan.value()["usage"] == Json{{"input_tokens", 0}, {"output_tokens", 0}});
    CHECK(plan.all_told("text").size() == 1);
    const Json planned = Json::parse(plan.value()["text"].get<std::string>());
    Asked generate = host.ask_request(request_for(
        "generate", {{"name", "artifact.generate"}, {"kind", kind}, {"chunks", chunks}, {"plan", planned}}));
    REQUIRE_MESSAGE(generate.status() == Status::ok, generate.error());
    const Json artifact = Json::parse(generate.value()["text"].get<std::string>());
    CHECK(artifact["made_by"] == "extract");
    if (std::string(kind) == "quiz")
      CHECK(artifact["questions"].size() == 4);
    Asked judge = host.ask_request(
        request_for("judge", {{"name", "artifact.judge"}, {"kind", kind}, {"chunks", chunks}, {"artifact", artifact}}));
    REQUIRE_MESSAGE(judge.status() == Status::ok, judge.error());
    CHECK(!Json::parse(judge.value()["text"].get<std::string>())["claims"].empty());
    const Json task = {{"name", "artifact.repair"}, {"kind", kind},         {"chunks", chunks},
                       {"plan", planned},           {"artifact", artifact}, {"verdict", {{"findings", Json::array()}}}};
    Asked repair = host.ask_request(request_for("repair", task));
    REQUIRE_MESSAGE(repair.status() == Status::ok, repair.error());
    CHECK(Json::parse(repair.value()["text"].get<std::string>()) == artifact);
    // What somebody else wrote was no JSON: it is written anew.
    Json no_json = task;
    no_json.erase("artifact");
    no_json["text"] = "Sorry, I cannot do that.";
    Asked again = host.ask_request(request_for("repair", no_json));
    REQUIRE_MESSAGE(again.status() == Status::ok, again.error());
    CHECK(Json::parse(again.value()["text"].get<std::string>()) == artifact);
  }
}

TEST_CASE("extract: a task that is missing, incomplete or of another kind is refused with what to do") {
  HostSetup setup;
  setup.provider = "extract";
  setup.model = "";
  Host host(setup);
  const Json one = Json::array({"Stroma is the fluid around the grana."});
  for (const auto& [task, says] : std::vector<std::pair<Json, std::string>>{
           {Json(), "this request has none: choose a provider with a model"},
           {{{"name", "artifact.plan"}, {"kind", "poem"}, {"chunks", one}},
            "not 'poem': choose a provider with a model"},
           {{{"name", "artifact.plan"}, {"kind", "quiz"}}, "the task has no chunks"},
           {{{"name", "artifact.plan"}, {"kind", "quiz"}, {"chunks", 3}}, ""},
           {{{"name", "story.frame"}, {"kind", "quiz"}, {"chunks", one}}, "does not know the task 'story.frame'"},
           {{{"name", "research.sing"}}, "does not know the task 'research.sing'"},
           {{{"name", "artifact.generate"}, {"kind", "quiz"}, {"chunks", one}}, "the task has no plan"},
           {{{"name", "artifact.judge"}, {"kind", "quiz"}, {"chunks", one}}, "the task has no artifact"}}) {
    Asked asked = host.ask_request(request_for("plan", task));
    const auto& about = says;
    CAPTURE(about);
    CHECK(asked.status() == Status::failed);
    CHECK_MESSAGE(asked.error().find(says) != std::string::npos, asked.error());
    CHECK(asked.value()["retryable"] == false);
  }
}

TEST_CASE("replay: what was recorded is given again by the request, in order, and without the network") {
  const Folder folder;
  const std::string file = folder.path / "run.jsonl";
  std::vector<std::string> values;
  {
    HostSetup setup;
    setup.base = Upstream::shared().base("rec", "ok") + "/v1";
    setup.record = file;
    Host host(setup);
    for (const char* say : {"first", "second", "first"})
      values.push_back(host.ask(say).value().dump());
    // A failure is an answer too; keys that were asked with are nowhere.
    HostSetup failing = setup;
    failing.base = Upstream::shared().base("rec-fail", "status=401,key_told") + "/v1";
    Host other(failing);
    CHECK(other.ask("third").status() == Status::failed);
    CHECK(other.ask(std::string("told: ") + secret_key).status() == Status::failed);
    CHECK(host.problems.count() == 0);
  }
  const std::string text = read_all(file);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  CHECK(text.find("SECRET") == std::string::npos);
  CHECK(text.find("[key]") != std::string::npos);
  CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::group_read) ==
        std::filesystem::perms::none);

  HostSetup setup;
  setup.provider = "replay";
  setup.model = file;
  Host host(setup);
  Asked first = host.ask("first");
  REQUIRE_MESSAGE(first.status() == Status::ok, first.error());
  CHECK(first.value().dump() == values[0]);
  CHECK(first.value()["provider"] == "openai");
  CHECK(first.all_told("text").at(0)["text"] == "first");
  CHECK(host.ask("second").value().dump() == values[1]);
  CHECK(host.ask("first").value().dump() == values[2]);
  CHECK(host.ask("first").value().dump() == values[2]);  // after the last one, that again
  Asked third = host.ask("third");
  CHECK(third.status() == Status::failed);
  CHECK(third.value()["class"] == "unauthorised");
  CHECK(third.error().find("answered 401") != std::string::npos);
  CHECK(Upstream::shared().stats("rec")["requests"] == 3);

  Asked unknown = host.ask("secant");
  CHECK(unknown.status() == Status::failed);
  CHECK(unknown.value()["class"] == "not_found");
  CHECK(unknown.error().find("the recording has no answer to this request of the phase generate") != std::string::npos);
  CHECK_MESSAGE(unknown.error().find("the nearest one is of the phase generate, on line 2") != std::string::npos,
                unknown.error());
}

TEST_CASE("replay: a recording that is none is refused with its line, and one that cannot be written is told") {
  const Folder folder;
  const std::string file = folder.path / "bad.jsonl";
  for (const auto& [text, says, line] : std::vector<std::tuple<std::string, std::string, std::size_t>>{
           {"", "the recording is empty", 0},
           {"{\n", "is not JSON", 1},
           {"\n{\"a\":1}\n", "no member 'recording'", 2},
           {R"({"recording":2})", "of format 2; format 1 is understood", 1},
           {R"({"recording":1,"hash":"x"})", "lacks a hash, a request or a status", 1}}) {
    const auto& about = text;
    CAPTURE(about);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
    const auto recording = provider::Recording::read(file);
    REQUIRE(!recording);
    CHECK(recording.error().message.find(says) != std::string::npos);
    CHECK(recording.error().line == line);
    CHECK(recording.error().where == file);
  }
  CHECK(!provider::Recording::read(folder.path / "none.jsonl"));
  CHECK(!provider::Recorder::open(folder.path / "none" / "x.jsonl", {}));
  if (std::filesystem::exists("/dev/full")) {
    HostSetup setup;
    setup.base = Upstream::shared().base("full", "ok") + "/v1";
    setup.record = "/dev/full";
    Host host(setup);
    CHECK(host.ask("heard").status() == Status::ok);  // the answer is not lost
    CHECK(host.problems.get().find("/dev/full: the answer could not be recorded: ") == 0);
  }
}
