#include "scripted_runs.hpp"

#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/json/writer.hpp"
#include "core/run/run.hpp"

namespace plumb::test {

namespace {

using run::Data;
using run::Effect;
using run::EffectKind;
using run::Reply;
using run::Run;

std::uint64_t number_at(const Data& data, std::string_view name, std::uint64_t otherwise) {
  const json::Value* value = data.value().find(name);
  return value == nullptr ? otherwise : std::stoull(std::string(value->str()));
}

std::string text_at(const Data& data, std::string_view name) {
  const json::Value* value = data.value().find(name);
  return value == nullptr ? std::string() : std::string(value->str());
}

Effect question(std::string prompt, std::uint64_t deadline_ms = 0) {
  Effect effect;
  effect.deadline_ms = deadline_ms;
  effect.request = [prompt = std::move(prompt)] {
    std::string json;
    json::Writer(json)
        .begin_object()
        .member("phase", "generate")
        .key("messages")
        .begin_array()
        .begin_object()
        .member("role", "user")
        .member("content", prompt)
        .end_object()
        .end_array()
        .end_object();
    return Data::written(std::move(json));
  };
  return effect;
}

Effect asking(EffectKind kind, std::string json, std::uint64_t deadline_ms = 0) {
  Effect effect;
  effect.kind = kind;
  effect.deadline_ms = deadline_ms;
  effect.request = [json = std::move(json)] { return Data::written(json); };
  return effect;
}

std::string said(const Reply& reply) {
  return reply.ok() ? text_at(reply.value, "text") : std::string(run::status_name(reply.status)) + "!";
}

Result<Data> chain(Run& run) {
  const std::uint64_t count = number_at(run.input(), "count", 3);
  const std::uint64_t bytes = number_at(run.input(), "bytes", 10);
  std::string last;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Reply& reply = run.ask(question(std::to_string(i) + " " + last + std::string(bytes, 'x')));
    last = said(reply);
    run.emit("progress", Data::written(std::to_string(i)));
  }
  return Data::string(last);
}

Result<Data> tree(Run& run) {
  const std::uint64_t items = number_at(run.input(), "items", 3);
  const Reply& claimed = run.ask(asking(EffectKind::claim, "{\"name\":\"one\"}"));
  run.emit("claimed", Data::written(std::string(claimed.value.text())));
  const std::vector<Data> parts = run.each("part", items, [](Run& scope, std::size_t i) {
    const Reply& first = scope.ask(question("first of " + std::to_string(i) + std::string(600, 'p')));
    scope.emit("half", Data::string(said(first)));
    const Reply& second = scope.ask(question("second after " + said(first)));
    return Data::string(said(first) + "+" + said(second));
  });
  std::vector<Effect> three;
  for (int i = 0; i < 3; ++i) {
    three.push_back(question("all " + std::to_string(i) + std::string(20000, 'b')));
  }
  const std::vector<const Reply*> all = run.ask_all(std::move(three));
  const Data closing = run.scope("closing", [&](Run& scope) {
    std::string joined;
    for (const Data& part : parts) {
      joined += text_at(Data::written("{\"t\":" + std::string(part.text()) + "}"), "t") + ";";
    }
    const Reply& reply = scope.ask(question("close " + joined));
    return Data::string(joined + said(reply));
  });
  std::string json;
  json::Writer writer(json);
  writer.begin_object().key("closing").raw(closing.text()).key("all").begin_array();
  for (const Reply* reply : all) {
    writer.string(said(*reply));
  }
  writer.end_array().end_object();
  return Data::written(std::move(json));
}

// One person effect after the other, each answered by the signal of its name.
Result<Data> people(run::Run& run) {
  std::string out = "[";
  for (const json::Value& name : run.input().value().find("questions")->array()) {
    run::Effect effect;
    effect.kind = run::EffectKind::person;
    effect.request = [&] {
      std::string json;
      json::Writer(json).begin_object().member("signal", name.str()).end_object();
      return Data::written(std::move(json));
    };
    out += (out.size() == 1 ? "" : ",") + std::string(run.ask(std::move(effect)).value.text());
  }
  return Data::written(out + "]");
}

Result<Data> person(Run& run) {
  const Reply& reply =
      run.ask(asking(EffectKind::person, std::string(run.input().text()), number_at(run.input(), "deadline_ms", 0)));
  if (!reply.ok()) {
    return Data::string(run::status_name(reply.status));
  }
  return Data::written(std::string(reply.value.text()));
}

Result<Data> race(Run& run) {
  std::vector<Effect> two;
  two.push_back(question("slow"));
  two.push_back(question("fast"));
  const Reply* first = nullptr;
  const std::size_t which = run.ask_any(std::move(two), &first);
  return Data::written(std::to_string(which));
}

Result<Data> deadline(Run& run) {
  const Reply& reply = run.ask(question("hello", number_at(run.input(), "deadline_ms", 50)));
  return Data::string(std::string(run::status_name(reply.status)) + (reply.error.empty() ? "" : ": " + reply.error));
}

Result<Data> broken(Run& run) {
  const std::uint64_t after = number_at(run.input(), "after", 0);
  for (std::uint64_t i = 0; i < after; ++i) {
    run.ask(question(std::to_string(i)));
  }
  PLUMB_REQUIRE(after > 1000, "this never holds");
  return Data();
}

Result<Data> endless(Run& run) {
  for (;;) {
    run.ask(question("more"));
  }
}

constexpr std::array<pipelines::Known, 8> table = {{
    {{"chain", 1, chain}, "Questions one after the other.", nullptr, nullptr, nullptr},
    {{"tree", 1, tree}, "Parts, questions at once, a scope.", nullptr, nullptr, nullptr},
    {{"person", 1, person}, "Asks a person.", nullptr, nullptr, nullptr},
    {{"people", 1, people}, "Asks people one after the other.", nullptr, nullptr, nullptr},
    {{"race", 1, race}, "The first answer counts.", nullptr, nullptr, nullptr},
    {{"deadline", 1, deadline}, "A question with a deadline.", nullptr, nullptr, nullptr},
    {{"broken", 1, broken}, "A bug.", nullptr, nullptr, nullptr},
    {{"endless", 1, endless}, "Questions without end.", nullptr, nullptr, nullptr},
}};
constexpr std::array<pipelines::Known, 1> later_table = {{
    {{"chain", 2, chain}, "Questions one after the other.", nullptr, nullptr, nullptr},
}};

}  // namespace

std::span<const pipelines::Known> scripted_pipelines() { return table; }
std::span<const pipelines::Known> later_pipelines() { return later_table; }

pipelines::Prepared prepared(std::string input, std::string fingerprint) {
  pipelines::Prepared out;
  out.input = Data::written(std::move(input));
  out.pins.emplace_back("note", Data::string("a text that the run is pinned to"));
  out.fingerprint = std::move(fingerprint);
  return out;
}

run::Reply echo(const run::Data& request) {
  std::string json;
  json::Writer(json).begin_object().member("text", "re: " + request.hash().substr(7, 12)).end_object();
  Reply reply;
  reply.value = Data::written(std::move(json));
  return reply;
}

ScriptedFulfiller::ScriptedFulfiller(Script script, std::uint64_t delay_ms)
    : script_(std::move(script)), delay_ms_(delay_ms) {
  if (!script_) {
    script_ = [](const host::EffectCall& call) { return echo(call.request); };
  }
}

void ScriptedFulfiller::begin(host::EffectCall call, std::function<void(run::Reply)> done) {
  const std::string name = call.run + " " + call.key;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++calls_[name];
    under_way_[name] = Held{std::move(call), std::move(done)};
    most_ = std::max(most_, under_way_.size());
    if (holding_) {
      return;
    }
  }
  if (delay_ms_ == 0) {
    workers_.give([this, name] { answer(name); });
  } else {
    timer_.after(delay_ms_, [this, name] { answer(name); });
  }
}

void ScriptedFulfiller::answer(const std::string& name) {
  Held held;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = under_way_.find(name);
    if (found == under_way_.end()) {
      return;
    }
    held = std::move(found->second);
    under_way_.erase(found);
  }
  run::Reply reply = script_(held.call);
  held.done(std::move(reply));
}

void ScriptedFulfiller::stop(std::string_view run, std::string_view key) {
  const std::string name = std::string(run) + " " + std::string(key);
  Held held;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = under_way_.find(name);
    if (found == under_way_.end()) {
      return;
    }
    ++stopped_[name];
    held = std::move(found->second);
    under_way_.erase(found);
  }
  run::Reply reply;
  reply.status = run::Status::cancelled;
  reply.error = "stopped";
  held.done(std::move(reply));
}

void ScriptedFulfiller::hold(bool yes) {
  std::vector<std::string> names;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    holding_ = yes;
    if (!yes) {
      for (const auto& [name, held] : under_way_) {
        names.push_back(name);
      }
    }
  }
  for (const std::string& name : names) {
    answer(name);
  }
}

std::map<std::string, int> ScriptedFulfiller::calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return calls_;
}
std::map<std::string, int> ScriptedFulfiller::stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopped_;
}
std::size_t ScriptedFulfiller::most_at_once() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return most_;
}
std::size_t ScriptedFulfiller::held() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return under_way_.size();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "plumb_test_XXXXXX").string();
  PLUMB_REQUIRE(::mkdtemp(name.data()) != nullptr, "a temporary folder can be made");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace plumb::test
