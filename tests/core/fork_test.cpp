#include "core/run/fork.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/run/run.hpp"

using namespace plumb;
using namespace plumb::run;

namespace {

Effect model(std::string prompt) {
  Effect effect;
  effect.request = [prompt] {
    std::string text;
    json::Writer json(text);
    json.begin_object().member("phase", "generate").key("messages").begin_array();
    json.begin_object().member("role", "user").member("content", prompt).end_object().end_array().end_object();
    return Data::written(text);
  };
  return effect;
}

std::string text_of(const Reply& reply) {
  const json::Value* text = reply.value.value().find("text");
  return text == nullptr ? std::string() : std::string(text->str());
}

struct Driven {
  Machine machine;
  std::uint64_t now = 5000;
  std::vector<std::string> asked = {};  // prompts
  std::vector<Stored> stored = {};

  // Answers what is wanted, the last first, until it ends or waits for something else.
  State go(const std::function<std::string(std::string_view prompt)>& answer = {}) {
    for (;;) {
      const State state = machine.step(++now);
      keep();
      if (state != State::waiting)
        return state;
      for (const Want& want : machine.wanted())
        machine.attempt(want.key, ++now);
      const std::vector<Want> all = machine.under_way();
      if (all.empty())
        return state;
      const Want& want = all.back();
      const std::string prompt(want.request.value().find("messages")->array().front().find("content")->str());
      asked.push_back(prompt);
      std::string json;
      json::Writer(json).begin_object().member("text", answer ? answer(prompt) : "re " + prompt).end_object();
      machine.reply(want.key, {Status::ok, Data::written(json), ""}, ++now);
      keep();
    }
  }
  void keep() {
    for (Stored& one : machine.take())
      stored.push_back(std::move(one));
  }
  // As it would be read from a store.
  Journal journal(std::size_t count) const {
    std::vector<std::string_view> lines;
    std::map<std::string, std::string, std::less<>> blobs;
    for (const Stored& one : stored) {
      for (const Blob& blob : one.blobs)
        blobs.emplace(blob.hash, blob.text);
      if (lines.size() < count)
        lines.emplace_back(one.line);
    }
    return Journal::read(lines,
                         [&](std::string_view hash) {
                           const auto found = blobs.find(hash);
                           return found == blobs.end() ? nullptr : &found->second;
                         })
        .value();
  }
};

std::string member(const Data& input, std::string_view name) {
  const json::Value* value = input.value().find(name);
  return value == nullptr ? std::string() : std::string(value->str());
}

// A plan, four parts side by side, notes that the rest is folded from, an optional part, and a close.
Result<Data> book(Run& run) {
  const std::string style(run.pin("style").value().str());
  const Reply& plan = run.ask(model("plan " + member(run.input(), "topic")));
  run.emit("planned", Data::string(text_of(plan)));
  const std::vector<Data> parts = run.each("write", 4, [&](Run& scope, std::size_t i) {
    const Reply& draft = scope.ask(model(style + " draft " + std::to_string(i)));
    scope.emit("graph", Data::string("node " + std::to_string(i) + " " + scope.derived("id").substr(0, 4)));
    const Reply& revised = scope.ask(model("revise " + text_of(draft)));
    return Data::string(text_of(revised));
  });
  if (member(run.input(), "cover") == "yes") {
    run.scope("cover", [&](Run& scope) { return Data::string(text_of(scope.ask(model("cover")))); });
  }
  const Data close = run.scope("close", [&](Run& scope) {
    std::string all;
    for (const Data& part : parts)
      all += std::string(part.value().str()) + "; ";
    return Data::string(text_of(scope.ask(model("close " + all))));
  });
  std::string graph;
  for (const Data& note : run.notes("graph", 100, [](std::string_view) { return true; }))
    graph += std::string(note.value().str()) + "|";
  return Data::string(std::string(close.value().str()) + "#" + graph);
}
constexpr Pipeline book_pipeline{"book", 1, book};

Driven started(std::string_view input, std::string_view style) {
  return {Machine::start(book_pipeline, "r1", Data::written(std::string(input)), {{"style", Data::string(style)}}, {},
                         1000)};
}
constexpr std::string_view light = R"({"topic":"light","cover":"yes"})";

std::size_t entry_of(const Journal& journal, EntryKind kind, std::string_view key) {
  for (std::size_t i = 0; i < journal.entries().size(); ++i) {
    if (journal.entries()[i].kind == kind && journal.entries()[i].key == key)
      return i;
  }
  return 0;
}

Result<Forked> forked(const Journal& journal, std::string_view input, std::string_view style, std::uint64_t at,
                      std::vector<std::string> without = {}) {
  return fork(book_pipeline, "r2", Data::written(std::string(input)), {{"style", Data::string(style)}},
              {&journal, at, std::move(without)}, {}, 9000);
}

}  // namespace

TEST_CASE("fork: cut at any entry, nothing settled is asked for again and the result is the same") {
  Driven old = started(light, "plain");
  REQUIRE(old.go() == State::done);
  const Journal journal = old.journal(old.stored.size());
  for (std::size_t at = 1; at < journal.entries().size(); ++at) {
    CAPTURE(at);
    Result<Forked> made = forked(journal, light, "plain", at);
    // Where all was answered, there is nothing to go on with.
    const bool complete = entry_of(journal, EntryKind::reply, "close:0") < at;
    REQUIRE(static_cast<bool>(made) != complete);
    if (complete) {
      CHECK(made.error().message.find("nothing is left to ask for") != std::string::npos);
      continue;
    }
    Driven run{std::move(made.value().machine)};
    CHECK(run.go() == State::done);
    CHECK(run.machine.result().text() == old.machine.result().text());
    std::size_t answered = 0;
    for (std::size_t i = 1; i < at; ++i)
      answered += journal.entries()[i].kind == EntryKind::reply ? 1 : 0;
    CHECK(run.asked.size() + answered == old.asked.size());
    CHECK(forked_from(run.machine.journal()) == "r1");
  }
}

TEST_CASE("fork: read from a store at any entry, it goes on to the same result") {
  Driven old = started(light, "plain");
  REQUIRE(old.go() == State::done);
  const Journal journal = old.journal(old.stored.size());
  Driven whole{std::move(forked(journal, light, "terse", 0, {"write.1"}).value().machine)};
  whole.keep();
  const std::size_t begun = whole.stored.size();
  REQUIRE(whole.go() == State::done);
  for (std::size_t count = begun; count < whole.stored.size(); ++count) {
    CAPTURE(count);
    Result<Machine> machine = Machine::resume(book_pipeline, whole.journal(count), {}, 9999);
    REQUIRE(machine);
    Driven run{std::move(machine).value()};
    CHECK(run.go() == State::done);
    CHECK(run.machine.result().text() == whole.machine.result().text());
  }
}

TEST_CASE("fork: parts side by side of the one that is made anew stay, whenever they ended") {
  Driven old = started(light, "plain");
  REQUIRE(old.go() == State::done);  // the last is answered first: write.3 ends before write.0
  const Journal journal = old.journal(old.stored.size());
  Result<Forked> made = forked(journal, light, "plain", 0, {"write.3"});
  REQUIRE(made);
  CHECK(made.value().left == std::vector<std::string>{"cover", "close"});  // what comes behind
  Driven run{std::move(made.value().machine)};
  REQUIRE(run.go([](std::string_view prompt) { return "new " + std::string(prompt); }) == State::done);
  CHECK(run.asked == std::vector<std::string>{"plain draft 3", "revise new plain draft 3", "cover",
                                              "close re revise re plain draft 0; re revise re plain draft 1; re revise "
                                              "re plain draft 2; new revise new plain draft 3; "});
}

TEST_CASE("fork: with other pins finished parts keep result and notes, and unchanged requests their replies") {
  Driven old = started(light, "plain");
  REQUIRE(old.go() == State::done);
  const Journal journal = old.journal(old.stored.size());
  // write.3 has finished, of the others nothing more than a draft is there.
  const std::size_t at = entry_of(journal, EntryKind::scope, "write.3") + 1;
  Result<Forked> made = forked(journal, light, "terse", at);
  REQUIRE(made);
  Driven run{std::move(made.value().machine)};
  REQUIRE(run.go() == State::done);
  const auto asked = [&](std::string_view prompt) {
    return std::find(run.asked.begin(), run.asked.end(), prompt) != run.asked.end();
  };
  CHECK_FALSE(asked("plan light"));     // the style is not in it
  CHECK_FALSE(asked("terse draft 3"));  // its part is kept as it was
  CHECK(asked("terse draft 0"));        // this one is no reply to what is asked now
  CHECK(run.machine.result().text().find("re revise re plain draft 3") != std::string::npos);
  CHECK(run.machine.result().text().find("re revise re terse draft 0") != std::string::npos);
  // The graph is whole, each node once, and what is derived is derived as before.
  const std::string was(old.machine.result().text().substr(old.machine.result().text().find('#')));
  const std::string is(run.machine.result().text().substr(run.machine.result().text().find('#')));
  for (std::size_t from = 1; from < was.size() - 1; from = was.find('|', from) + 1) {
    const std::string node = was.substr(from, was.find('|', from) - from);
    CHECK(is.find(node) != std::string::npos);
    CHECK(is.find(node) == is.rfind(node));
  }
}

TEST_CASE("fork: a part that the new input does not enter is left behind and named") {
  Driven old = started(light, "plain");
  REQUIRE(old.go() == State::done);
  const Journal journal = old.journal(old.stored.size());
  const std::size_t at = entry_of(journal, EntryKind::reply, "close:0");
  Result<Forked> made = forked(journal, R"({"topic":"light","cover":"no"})", "plain", at);
  REQUIRE(made);
  CHECK(made.value().left == std::vector<std::string>{"cover"});
  Driven run{std::move(made.value().machine)};
  CHECK(run.go() == State::done);
  CHECK(run.asked.size() == 1);
}

namespace {

// Reads reviews one after the other, in a part and then outside of it.
Result<Data> reviewed(Run& run) {
  const std::string style(run.pin("style").value().str());
  const Data two = run.scope("first", [&](Run& scope) {
    const Data one = scope.next_signal("review");
    const Data other = scope.next_signal("review");
    return Data::string(std::string(one.value().str()) + std::string(other.value().str()));
  });
  const Reply& reply = run.ask(model(style));
  const Data third = run.next_signal("review");
  return Data::string(std::string(two.value().str()) + text_of(reply) + std::string(third.value().str()));
}
constexpr Pipeline reviewed_pipeline{"reviewed", 1, reviewed};

}  // namespace

TEST_CASE("fork: signals that were read stay read, and the next one is not passed over") {
  Driven old{Machine::start(reviewed_pipeline, "r1", Data(), {{"style", Data::string("plain")}}, {}, 1000)};
  old.machine.signal("review", Data::string("a"), 1001);
  old.machine.signal("review", Data::string("b"), 1002);
  REQUIRE(old.go() == State::waiting);
  old.machine.signal("review", Data::string("c"), 6000);
  REQUIRE(old.go() == State::done);
  const Journal journal = old.journal(old.stored.size());
  const std::size_t at = entry_of(journal, EntryKind::scope, "first") + 1;
  Result<Forked> made =
      fork(reviewed_pipeline, "r2", Data(), {{"style", Data::string("terse")}}, {&journal, at, {}}, {}, 9000);
  REQUIRE(made);
  Driven run{std::move(made.value().machine)};
  REQUIRE(run.go() == State::waiting);
  run.machine.signal("review", Data::string("new"), 9500);
  REQUIRE(run.go() == State::done);
  CHECK(run.machine.result().text() == R"("abre tersenew")");
}

namespace {

Result<Data> long_one(Run& run) {
  std::string last;
  for (std::size_t i = 0; i < 10000; ++i) {
    const Reply& reply = run.ask(model(std::to_string(i)));
    last = text_of(reply);
  }
  const Reply& end = run.ask(model("end"));
  return Data::string(text_of(end));
}
constexpr Pipeline long_pipeline{"long", 1, long_one};

// Of two effects the one that came second wins when the first is asked for by itself.
Result<Data> raced(Run& run) {
  const Reply* first = nullptr;
  const std::size_t which = run.ask_any({model("slow"), model("fast")}, &first);
  const Reply& last = run.ask(model("after " + std::to_string(which)));
  return Data::string(text_of(last));
}
constexpr Pipeline raced_pipeline{"raced", 1, raced};

}  // namespace

TEST_CASE("fork: of a journal of 20,000 entries, and of a race the one that had won") {
  Journal journal = Machine::start(long_pipeline, "r1", Data(), {}, {}, 1000).journal().prefix(1);
  for (std::size_t i = 0; i < 10000; ++i) {
    Entry entry;
    entry.kind = EntryKind::attempt;
    entry.key = ":" + std::to_string(i);
    entry.name = "model";
    entry.count = 1;
    entry.data = model(std::to_string(i)).request();
    entry.hash = entry.data.hash();
    journal.append(entry);
    entry = {};
    entry.kind = EntryKind::reply;
    entry.key = ":" + std::to_string(i);
    entry.data = Data::written(R"({"text":"x"})");
    journal.append(entry);
  }
  Result<Forked> made = fork(long_pipeline, "r2", Data(), {}, {&journal, 0, {}}, {}, 2000);
  REQUIRE(made);
  CHECK(made.value().taken == 20000);
  CHECK(made.value().machine.wanted().size() == 1);

  Driven old{Machine::start(raced_pipeline, "r1", Data(), {}, {}, 1000)};
  REQUIRE(old.go() == State::done);  // the last is answered first
  CHECK(old.machine.result().text() == R"("re after 1")");
  const Journal race = old.journal(old.stored.size());
  Result<Forked> again =
      fork(raced_pipeline, "r2", Data(), {}, {&race, entry_of(race, EntryKind::attempt, ":2"), {}}, {}, 2000);
  REQUIRE(again);
  Driven run{std::move(again.value().machine)};
  CHECK(run.go() == State::done);
  CHECK(run.asked == std::vector<std::string>{"after 1"});
}

TEST_CASE("fork: what cannot be is refused before it begins") {
  Driven old = started(light, "plain");
  REQUIRE(old.go() == State::done);
  const Journal journal = old.journal(old.stored.size());
  CHECK(forked(journal, light, "plain", 10'000).error().message.find("entries; it cannot be cut at entry 10000") !=
        std::string::npos);
  CHECK(forked(journal, light, "plain", 0, {"write.9"}).error().message == "the run has no part 'write.9'");
  CHECK(forked(journal, light, "plain", 0, {""}).error().code == ErrorCode::invalid_argument);
  CHECK(fork(reviewed_pipeline, "r2", Data(), {}, {&journal, 0, {}}, {}, 1).error().message ==
        "the run is of the pipeline 'book', not of 'reviewed'");
  MachineOptions options;
  options.bounds.entries_max = 5;
  const Result<Forked> small = fork(book_pipeline, "r2", Data::written(std::string(light)),
                                    {{"style", Data::string("plain")}}, {&journal, 20, {}}, options, 9000);
  CHECK(small.error().message.find("there may be 5") != std::string::npos);
}
