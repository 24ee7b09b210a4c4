#include "core/pipelines/call_monitor.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/run/replay.hpp"
#include "tests/core/scripted_discovery.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using namespace plumb::pipelines::discovery;

namespace {

// The window of this model is 128,000 tokens.
std::string watched() {
  std::string out(with_model);
  for (std::size_t at = out.find("m/m"); at != std::string::npos; at = out.find("m/m")) {
    out.replace(at, 3, "openai/gpt-4o");
  }
  return out;
}

// The provider reports so many tokens for the calls of one task.
Model reporting(std::string_view task, std::string_view tokens) {
  return [task = std::string(task), tokens = std::string(tokens)](std::string_view asked, std::string_view prompt) {
    const std::string said = able(asked, prompt);
    return asked == task ? "USAGE {\"input_tokens\":" + tokens + ",\"output_tokens\":0}\n" + said : said;
  };
}

std::vector<Data> notes(const Found& found, std::string_view prompt) {
  std::vector<Data> out;
  for (const run::Entry& entry : found.machine.journal().entries()) {
    if (entry.kind == run::EntryKind::note && entry.name == "model_call" &&
        entry.data.value().find("prompt")->str() == prompt) {
      out.push_back(entry.data);
    }
  }
  return out;
}

std::string member(const Data& note, std::string_view pointer) {
  const Value* found = json::resolve(note.value(), pointer);
  return found == nullptr ? "-" : found->is(json::Kind::string) ? std::string(found->str()) : json::value_text(*found);
}

}  // namespace

TEST_CASE("call monitor: each model call has a note with its budget, the pressure and the metrics") {
  const Found found(watched(), exports, reporting("discovery.frame", "70000"));
  CHECK(found.at("/current_stage") == "human_review");
  const std::vector<Data> frames = notes(found, "prompt-frame");
  REQUIRE(frames.size() == 1);
  CHECK(member(frames[0], "/window") == "128000");
  CHECK(member(frames[0], "/context_tokens_used") == "70000");
  CHECK(member(frames[0], "/context_utilization") == "54.68");
  CHECK(member(frames[0], "/color") == "yellow");
  CHECK(member(frames[0], "/response") == "log");
  CHECK(member(frames[0], "/budget/fit") == "fits");
  CHECK(member(frames[0], "/budget/margin") == "25600");
  CHECK(member(frames[0], "/tokens_per_iteration") == "null");
  std::size_t calls = 0;
  for (const run::Entry& entry : found.machine.journal().entries()) {
    calls += entry.kind == run::EntryKind::attempt && entry.name == "model" ? 1 : 0;
  }
  CHECK(found.at("/budget/calls") == json::uint_text(calls));
  CHECK(found.at("/budget/responses/log") == "1");
  CHECK(found.at("/budget/context_utilization") == "54.68");
  CHECK(found.at("/budget/notes/0/phase") == "frame");
}

TEST_CASE("call monitor: the estimate counts where the provider reports less, and growth is told over the rounds") {
  std::size_t round = 0;
  const Model model = [&](std::string_view task, std::string_view prompt) -> std::string {
    if (task == "discovery.challenge") {
      return R"({"assessment":"challenge","critique":"no"})";
    }
    if (task == "discovery.propose" && prompt.find("does not react") != std::string_view::npos) {
      return "USAGE {\"input_tokens\":" + json::uint_text(40'000 + 10'000 * ++round) + ",\"output_tokens\":0}\n" +
             able(task, prompt);
    }
    return able(task, prompt);
  };
  const Found found(watched(), exports, model);
  std::vector<std::string> grown;
  for (const Data& note : notes(found, "prompt-propose")) {
    if (member(note, "/context_tokens_used").size() == 5) {
      grown.push_back(member(note, "/tokens_per_iteration") + " " + member(note, "/iterations_remaining_estimate"));
    }
  }
  CHECK(grown == std::vector<std::string>{"null null", "10000 6", "10000 5"});
  const std::vector<Data> assessed = notes(found, "prompt-assess");
  REQUIRE(!assessed.empty());
  CHECK(member(assessed[0], "/context_tokens_used").size() >= 3);  // 15 were reported
}

TEST_CASE("call monitor: above 70% of the window the run pauses until a person lets it go on, and is replayed so") {
  const Model model = reporting("discovery.frame", "100000");
  Found found(watched(), exports, model);
  REQUIRE(found.questions.size() == 1);
  CHECK(found.machine.state() == State::waiting);
  CHECK(found.at("/current_stage") == "opportunity_framing");
  CHECK(found.at("/budget/open/0/response") == "pause");
  CHECK(found.at("/budget/open/0/question").find("100000 of 128000 tokens, 78.12 %") != std::string::npos);
  CHECK(found.questions[0].second.value().find("signal")->str() == "resume");
  Found other(watched(), exports, model);
  found.answer("go on", exports, model);
  CHECK(found.at("/current_stage") == "human_review");
  CHECK(found.at("/budget/open") == "[]");
  other.answer("stop", exports, model);
  CHECK(other.machine.state() == State::failed);
  CHECK(other.at("/error").find("stopped by a person: the context takes 100000 of 128000 tokens") == 0);
}

TEST_CASE("call monitor: windows are those of the host's registry, as `window` answers them, before built-in ones") {
  Texts texts;
  texts.models =
      R"([{"name":"gpt-4o","context_window":90000,"effective_context":70000,"system_prompt_overhead":5000}])";
  const Found found(watched(), exports, reporting("discovery.frame", "70000"), texts);
  const std::vector<Data> frames = notes(found, "prompt-frame");
  REQUIRE(frames.size() == 1);
  CHECK(member(frames[0], "/window") == "75000");
  json::Arena arena;
  texts.models = R"([{"context_window":90000}])";
  const Result<Prepared> refused = known_pipeline("discovery")->prepare(json::parse(watched(), arena).value(), texts);
  REQUIRE(!refused);
  CHECK(refused.error().where == "the registry of models /models/0/name");
}

TEST_CASE("call monitor: policies halt a run, turn a signal off, or ask a person after retries") {
  Texts texts;
  texts.monitor = R"({"policy":{"utilization":{"over":50,"response":"halt"}}})";
  const Found halted(watched(), exports, reporting("discovery.frame", "70000"), texts);
  CHECK(halted.at("/status") == "failed");
  CHECK(halted.at("/error").find("halted: the context takes 70000 of 128000 tokens") == 0);

  texts.monitor = R"({"policy":{"utilization":[]},)"
                  R"("thresholds":{"pause_percent":95,"red_percent":96,"critical_percent":97}})";
  const Found calm(watched(), exports, reporting("discovery.frame", "100000"), texts);
  CHECK(calm.at("/current_stage") == "human_review");

  texts.monitor = R"({"policy":{"retries":{"over":0,"response":"escalate"}}})";
  bool first = true;
  const Model slips = [&](std::string_view task, std::string_view prompt) -> std::string {
    if (task == "discovery.frame" && first) {
      first = false;
      return "no JSON";
    }
    return able(task, prompt);
  };
  Found asked(watched(), exports, slips, texts);
  REQUIRE(asked.questions.size() == 1);
  CHECK(asked.questions[0].second.value().find("signal")->str() == "escalation");
  asked.answer("go on", exports, slips);
  CHECK(asked.at("/current_stage") == "human_review");

  json::Arena arena;
  texts.monitor = R"({"policy":{"retry":{"over":0,"response":"escalate"}}})";
  const Result<Prepared> refused = known_pipeline("discovery")->prepare(json::parse(watched(), arena).value(), texts);
  REQUIRE(!refused);
  CHECK(refused.error().where == "budget/policy/retry");
}

TEST_CASE("call monitor: what cannot fit in the window is not asked, and a longer answer than fits is asked shorter") {
  CHECK(answer_within(std::nullopt, 1'000'000, 2'000, 500) == 2'000);
  CHECK(answer_within(10'000, 7'000, 2'000, 500) == 2'000);
  CHECK(answer_within(10'000, 9'000, 2'000, 500) == 1'000);
  CHECK(answer_within(10'000, 9'800, 2'000, 500) == std::nullopt);
}

TEST_CASE("call monitor: the same question with the same answer three times is a loop, and is told") {
  Found found(watched(), exports, able);
  const std::string back = R"({"kind":"decide","opportunity_id":"O1","decision":"sent_back",)"
                           R"("send_back_to_stage":"solution_validation","reasoning":"again","by":"Ada"})";
  found.review(back, exports, able);
  CHECK(found.at("/budget/responses/warn") == "-");
  // The solution comes back as it was, so its feasibility is asked for as before, for the third time.
  found.review(back, exports, able);
  CHECK(found.at("/budget/responses/warn") != "-");
  CHECK(found.at("/budget/notes/0/phase") == "assess");
  CHECK(found.at("/budget/notes/0/reason").find("3") != std::string::npos);
}

TEST_CASE("call monitor: a run without a model is not watched") {
  const Found found(std::string(by_rule), exports);
  CHECK(found.at("/status") == "completed");
  CHECK(found.at("/budget") == "-");
}
