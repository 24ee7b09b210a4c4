#include "core/run/run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"
#include "core/run/machine.hpp"

using namespace plumb;
using namespace plumb::run;

namespace {

Effect model(std::string prompt, std::uint64_t deadline_ms = 0) {
  Effect effect;
  effect.deadline_ms = deadline_ms;
  effect.request = [prompt] {
    std::string text;
    json::Writer json(text);
    json.begin_object().member("phase", "generate").key("messages").begin_array();
    json.begin_object().member("role", "user").member("content", prompt).end_object().end_array().end_object();
    return Data::written(text);
  };
  return effect;
}

Reply answer(std::string_view text) {
  std::string json;
  json::Writer(json).begin_object().member("text", text).end_object();
  Reply reply;
  reply.value = Data::written(json);
  return reply;
}

std::string_view text_of(const Reply& reply) {
  const json::Value* text = reply.value.value().find("text");
  return text == nullptr ? std::string_view() : text->str();
}

std::string_view prompt_of(const Want& want) {
  return want.request.value().find("messages")->array().front().find("content")->str();
}

// A store: lines and blobs, as they would be on a disk.
struct Store {
  std::vector<std::string> lines;
  std::map<std::string, std::string, std::less<>> blobs;

  void keep(std::vector<Stored> stored) {
    for (Stored& one : stored) {
      CHECK(one.number == lines.size());
      lines.push_back(one.line);
      for (Blob& blob : one.blobs) {
        blobs.emplace(blob.hash, blob.text);
      }
    }
  }
  Result<Journal> journal(std::size_t count) const {
    std::vector<std::string_view> views(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count));
    return Journal::read(views, [this](std::string_view hash) {
      const auto found = blobs.find(hash);
      return found == blobs.end() ? nullptr : &found->second;
    });
  }
};

// Answers every want with "re: PROMPT", the last one first, until the run ends or nothing is left to do.
State drive(Machine& machine, Store& store, std::uint64_t& now, std::map<std::string, int>* calls = nullptr,
            std::size_t steps_max = 100000) {
  while (steps_max-- > 0) {
    const State state = machine.step(++now);
    store.keep(machine.take());
    if (state != State::waiting) {
      return state;
    }
    std::vector<Want> wanted = machine.wanted();
    for (const Want& want : wanted) {
      CHECK(machine.attempt(want.key, ++now));
    }
    store.keep(machine.take());
    wanted = machine.under_way();
    if (wanted.empty()) {
      return state;
    }
    const Want& last = wanted.back();
    if (calls != nullptr) {
      ++(*calls)[last.key];
    }
    CHECK(machine.reply(last.key, answer("re: " + std::string(prompt_of(last))), ++now));
    store.keep(machine.take());
  }
  return State::waiting;
}

Result<Data> two_steps(Run& run) {
  const Reply& first = run.ask(model("one"));
  run.emit("progress", Data::written("50"));
  const Reply& second = run.ask(model(std::string(text_of(first)) + " two"));
  return Data::string(text_of(second));
}
constexpr Pipeline two_steps_pipeline{"two_steps", 1, two_steps};

Result<Data> many(Run& run) {
  const std::vector<Data> parts = run.each(
      "write", 7,
      [](Run& scope, std::size_t i) {
        const Reply& draft = scope.ask(model("draft " + std::to_string(i)));
        scope.emit("drafted", Data::written(std::to_string(i)));
        const Reply& revised = scope.ask(model(std::string(text_of(draft)) + "!"));
        return Data::string(text_of(revised));
      },
      3);
  std::string text = "[";
  for (const Data& part : parts) {
    text += (text.size() > 1 ? "," : "") + std::string(part.text());
  }
  const Data closing = run.scope("close", [&](Run& scope) {
    const std::vector<const Reply*> both = scope.ask_all({model("a"), model(std::string(20000, 'b'))});
    return Data::string(std::string(text_of(*both[0])) + std::to_string(text_of(*both[1]).size()));
  });
  return Data::written(text + "," + std::string(closing.text()) + "]");
}
constexpr Pipeline many_pipeline{"many", 1, many};

Machine start(const Pipeline& pipeline, const MachineOptions& options = {}) {
  return Machine::start(pipeline, "r1", Data::written(R"({"topic":"light"})"), {}, options, 1000);
}

}  // namespace

TEST_CASE("run: a pipeline goes on from reply to reply and its result is the last entry") {
  Machine machine = start(two_steps_pipeline);
  Store store;
  std::uint64_t now = 1000;
  CHECK(drive(machine, store, now) == State::done);
  CHECK(machine.result().text() == R"("re: re: one two")");
  std::vector<std::string> kinds;
  for (const Entry& entry : machine.journal().entries()) {
    kinds.emplace_back(entry_kind_name(entry.kind));
  }
  CHECK(kinds == std::vector<std::string>{"begin", "attempt", "reply", "note", "attempt", "reply", "end"});
  CHECK(store.lines[1].find(R"("key":":0","name":"model","hash":"sha256:)") != std::string::npos);
  CHECK(machine.step(now) == State::done);
  CHECK_FALSE(machine.reply(":1", answer("late"), now));
}

TEST_CASE(
    "run: stopped after any entry and resumed, a run gives the same result, and no stored reply is asked for again") {
  Machine whole = start(many_pipeline);
  Store complete;
  std::uint64_t now = 1000;
  REQUIRE(drive(whole, complete, now) == State::done);
  const std::string expected(whole.result().text());
  CHECK(complete.blobs.size() == 2);  // the long message and the reply to it
  for (std::size_t count = 1; count <= complete.lines.size(); ++count) {
    Result<Journal> journal = complete.journal(count);
    REQUIRE(journal);
    std::vector<std::string> answered;
    std::map<std::string, int> attempts;
    for (const Entry& entry : journal.value().entries()) {
      if (entry.kind == EntryKind::reply) {
        answered.push_back(entry.key);
      } else if (entry.kind == EntryKind::attempt) {
        ++attempts[entry.key];
      }
    }
    Result<Machine> resumed = Machine::resume(many_pipeline, std::move(journal).value(), {}, now);
    REQUIRE(resumed);
    Store store = complete;
    store.lines.resize(count);
    std::uint64_t later = now;
    std::map<std::string, int> calls;
    CHECK(drive(resumed.value(), store, later, &calls) == State::done);
    CHECK(resumed.value().result().text() == expected);
    for (const std::string& key : answered) {
      CHECK_MESSAGE(calls[key] == 0, key << " was answered and is asked for again");
    }
    for (const auto& [key, made] : calls) {
      CHECK(made + (attempts.count(key) != 0 ? 1 : 0) <= 2);
    }
    // Notes are told once.
    std::map<std::string, int> notes;
    for (const Entry& entry : resumed.value().journal().entries()) {
      notes[entry.key] += entry.kind == EntryKind::note ? 1 : 0;
    }
    for (const auto& note : notes) {
      CHECK(note.second <= 1);
    }
  }
}

TEST_CASE("run: what was under way when the host was lost is made once more, then it is interrupted") {
  Store store;
  Machine machine = start(two_steps_pipeline);
  CHECK(machine.step(1001) == State::waiting);
  CHECK(machine.attempt(":0", 1002));
  CHECK_FALSE(machine.attempt(":0", 1002));  // it is under way
  store.keep(machine.take());
  Result<Machine> second = Machine::resume(two_steps_pipeline, store.journal(store.lines.size()).value(), {}, 2000);
  REQUIRE(second);
  CHECK(second.value().step(2000) == State::waiting);
  REQUIRE(second.value().wanted().size() == 1);
  CHECK(second.value().wanted()[0].attempts == 1);
  CHECK(second.value().wanted()[0].since_ms == 1002);
  CHECK(second.value().attempt(":0", 2001));
  store.keep(second.value().take());
  Result<Machine> third = Machine::resume(two_steps_pipeline, store.journal(store.lines.size()).value(), {}, 3000);
  REQUIRE(third);
  CHECK(third.value().journal().entries().back().kind == EntryKind::reply);
  CHECK(third.value().journal().entries().back().status == Status::interrupted);
  CHECK(third.value().step(3000) == State::waiting);
  CHECK(third.value().wanted()[0].key == ":1");
}

TEST_CASE("run: what was handed over counts as no loss, and takes back none that was before it") {
  Store store;
  Machine first = start(two_steps_pipeline);
  first.step(1001);
  CHECK(first.attempt(":0", 1002));
  store.keep(first.take());  // and is lost
  const auto resumed = [&](std::uint64_t now) {
    return Machine::resume(two_steps_pipeline, store.journal(store.lines.size()).value(), {}, now);
  };
  for (std::uint64_t now = 2000; now < 5000; now += 1000) {
    Result<Machine> next = resumed(now);
    REQUIRE(next);
    CHECK(next.value().step(now) == State::waiting);
    CHECK(next.value().attempt(":0", now));
    CHECK(next.value().hand_over(":0", now));
    store.keep(next.value().take());
  }
  Result<Machine> second = resumed(6000);
  REQUIRE(second);
  CHECK(second.value().step(6000) == State::waiting);
  REQUIRE(second.value().wanted().size() == 1);
  CHECK(second.value().wanted()[0].anew);
  CHECK(second.value().attempt(":0", 6000));
  store.keep(second.value().take());  // and is lost too
  Result<Machine> third = resumed(7000);
  REQUIRE(third);
  CHECK(third.value().journal().entries().back().status == Status::interrupted);
}

TEST_CASE("run: a command is never run twice") {
  const Pipeline pipeline{"command", 1, [](Run& run) -> Result<Data> {
                            Effect effect;
                            effect.kind = EffectKind::command;
                            effect.request = [] { return Data::written(R"({"argv":["make"]})"); };
                            return Data::string(status_name(run.ask(effect).status));
                          }};
  Store store;
  Machine machine = start(pipeline);
  machine.step(1001);
  CHECK(machine.attempt(":0", 1002));
  store.keep(machine.take());
  Result<Machine> resumed = Machine::resume(pipeline, store.journal(store.lines.size()).value(), {}, 2000);
  REQUIRE(resumed);
  CHECK(resumed.value().step(2000) == State::done);
  CHECK(resumed.value().result().text() == "\"interrupted\"");
}

TEST_CASE("run: a changed prompt uses the stored reply and notes the drift once; strict, it ends the run") {
  static std::string prompt;
  const Pipeline pipeline{"drifts", 1, [](Run& run) -> Result<Data> {
                            const Reply& first = run.ask(model(prompt));
                            run.ask(model("second"));
                            return Data::string(text_of(first));
                          }};
  prompt = "as it was";
  Store store;
  std::uint64_t now = 1000;
  Machine machine = start(pipeline);
  drive(machine, store, now, nullptr, 1);
  prompt = "as it is now";
  for (int i = 0; i < 2; ++i) {
    Result<Machine> resumed = Machine::resume(pipeline, store.journal(store.lines.size()).value(), {}, now);
    REQUIRE(resumed);
    CHECK(resumed.value().step(++now) == State::waiting);
    store.keep(resumed.value().take());
    CHECK(std::count_if(store.lines.begin(), store.lines.end(), [](const std::string& line) {
            return line.find(R"("kind":"drift")") != std::string::npos;
          }) == 1);
  }
  MachineOptions strict;
  strict.strict = true;
  Result<Machine> refused = Machine::resume(pipeline, store.journal(store.lines.size()).value(), strict, now);
  REQUIRE(refused);
  CHECK(refused.value().step(++now) == State::failed);
  CHECK(refused.value().error().message.find("journal_mismatch") == 0);
  CHECK(refused.value().error().where == ":0");
}

TEST_CASE("run: another kind of effect under a key, or a key that is not reached, does not fit") {
  static bool search;
  static bool second;
  const Pipeline pipeline{"fits", 1, [](Run& run) -> Result<Data> {
                            Effect effect = model("x");
                            if (search) {
                              effect.kind = EffectKind::search;
                            }
                            run.ask(effect);
                            if (second) {
                              run.ask(model("y"));
                              run.ask(model("z"));
                            }
                            return Data();
                          }};
  search = false;
  second = true;
  Store store;
  std::uint64_t now = 1000;
  Machine machine = start(pipeline);
  drive(machine, store, now, nullptr, 2);
  search = true;
  Result<Machine> other = Machine::resume(pipeline, store.journal(store.lines.size()).value(), {}, now);
  CHECK(other.value().step(now) == State::failed);
  CHECK(other.value().error().message.find("'model'") != std::string::npos);
  search = false;
  second = false;
  Result<Machine> shorter = Machine::resume(pipeline, store.journal(store.lines.size()).value(), {}, now);
  CHECK(shorter.value().step(now) == State::failed);
  CHECK(shorter.value().error().where == ":1");
}

TEST_CASE("run: ask_any takes the first reply, cancels the others, and a replay takes the same") {
  const Pipeline pipeline{
      "any", 1, [](Run& run) -> Result<Data> {
        const Reply* first = nullptr;
        const std::size_t which = run.ask_any({model("slow"), model("fast"), model("never")}, &first);
        const Reply& next = run.ask(model("next"));
        return Data::string(std::to_string(which) + " " + std::string(text_of(*first)) + " " +
                            std::string(text_of(next)));
      }};
  Store store;
  std::uint64_t now = 1000;
  Machine machine = start(pipeline);
  machine.step(++now);
  CHECK(machine.wanted().size() == 3);
  machine.attempt(":0", ++now);
  machine.attempt(":1", ++now);
  machine.reply(":1", answer("quick"), ++now);
  CHECK(machine.step(++now) == State::waiting);
  CHECK(machine.abandoned() == std::vector<std::string>{":0"});
  CHECK_FALSE(machine.reply(":0", answer("too late"), ++now));
  store.keep(machine.take());
  Result<Machine> resumed = Machine::resume(pipeline, store.journal(store.lines.size()).value(), {}, now);
  REQUIRE(resumed);
  CHECK(drive(resumed.value(), store, now) == State::done);
  CHECK(resumed.value().result().text() == R"("1 quick re: next")");
}

TEST_CASE("run: cancelling answers what is under way, starts nothing, and lets the pipeline give its last result") {
  const Pipeline pipeline{"cancel", 1, [](Run& run) -> Result<Data> {
                            const Reply& one = run.ask(model("one"));
                            const Reply& two = run.ask(model("two"));
                            return Data::string(std::string(status_name(one.status)) + " " +
                                                std::string(status_name(two.status)) +
                                                (run.cancelled() ? " cancelled" : ""));
                          }};
  Store store;
  std::uint64_t now = 1000;
  Machine machine = start(pipeline);
  machine.step(++now);
  machine.attempt(":0", ++now);
  machine.cancel("by hand", ++now);
  CHECK(machine.step(++now) == State::cancelled);
  CHECK(machine.abandoned() == std::vector<std::string>{":0"});
  CHECK(machine.wanted().empty());
  CHECK(machine.result().text() == R"("cancelled cancelled cancelled")");
  store.keep(machine.take());
  Result<Machine> again = Machine::resume(pipeline, store.journal(store.lines.size() - 1).value(), {}, now);
  REQUIRE(again);
  CHECK(again.value().step(++now) == State::cancelled);
  CHECK(again.value().result().text() == machine.result().text());
}

// A command that was under way when the run was cancelled is `cancelled` for whoever goes on with the run, not
// `interrupted`; and what precedes it does not see that the run was cancelled, however often it is called.
TEST_CASE("run: a run that was cancelled and lost goes on as it was cancelled, from every entry") {
  const Pipeline pipeline{"cancelled_and_lost", 1, [](Run& run) -> Result<Data> {
                            (void)run.ask(model("first"));
                            run.emit(run.cancelled() ? "too soon" : "begun", Data::written("1"));
                            Effect effect;
                            effect.kind = EffectKind::command;
                            effect.request = [] { return Data::written(R"({"command":"work"})"); };
                            const Reply& reply = run.ask(std::move(effect));
                            const std::string how(status_name(reply.status));
                            run.emit(how, Data::written("2"));
                            run.scope(run.cancelled() ? "cancelled" : "other", [](Run&) { return Data::written("3"); });
                            return Data::string(how);
                          }};
  Store store;
  std::uint64_t now = 1;
  Machine machine = Machine::start(pipeline, "r1", Data::written("{}"), {}, {}, now);
  CHECK(machine.step(++now) == State::waiting);
  CHECK(machine.attempt(machine.wanted().front().key, ++now));
  CHECK(machine.reply(machine.under_way().front().key, answer("done"), ++now));
  CHECK(machine.step(++now) == State::waiting);
  CHECK(machine.attempt(machine.wanted().front().key, ++now));
  machine.cancel("by hand", ++now);
  store.keep(machine.take());
  const std::size_t cancelled = store.lines.size();
  CHECK(machine.step(++now) == State::cancelled);
  store.keep(machine.take());
  CHECK(machine.result().text() == R"("cancelled")");
  for (std::size_t count = cancelled; count < store.lines.size(); ++count) {
    CAPTURE(count);
    Result<Journal> journal = store.journal(count);
    REQUIRE(journal);
    Result<Machine> again = Machine::resume(pipeline, std::move(journal).value(), {}, ++now);
    REQUIRE(again);
    CHECK(again.value().step(++now) == State::cancelled);
    CHECK(again.value().result().text() == R"("cancelled")");
    CHECK(again.value().journal().entries().size() == store.lines.size());
  }
}

TEST_CASE("run: signals are seen from the entry on that was read last, and waited for one by one") {
  const Pipeline pipeline{"signals", 1, [](Run& run) -> Result<Data> {
                            const std::size_t before = run.signals("note").size();
                            run.ask(model("one"));
                            const std::size_t between = run.signals("note").size();
                            const Data first = run.scope("part", [](Run& part) { return part.next_signal("decide"); });
                            const Data second = run.next_signal("decide");
                            return Data::string(std::to_string(before) + std::to_string(between) +
                                                std::string(first.text()) + std::string(second.text()));
                          }};
  Store store;
  std::uint64_t now = 1000;
  Machine machine = start(pipeline);
  machine.step(++now);
  CHECK(machine.signal("note", Data::written("1"), ++now));
  machine.attempt(":0", ++now);
  machine.reply(":0", answer("x"), ++now);
  CHECK(machine.signal("note", Data::written("2"), ++now));
  CHECK(machine.step(++now) == State::waiting);
  CHECK(machine.wanted().empty());
  CHECK(machine.signal("decide", Data::written("7"), ++now));
  CHECK(machine.step(++now) == State::waiting);
  CHECK(machine.signal("decide", Data::written("8"), ++now));
  CHECK(machine.step(++now) == State::done);
  CHECK(machine.result().text() == R"("0178")");
  store.keep(machine.take());
  for (std::size_t count = 3; count < store.lines.size(); ++count) {
    Result<Machine> resumed = Machine::resume(pipeline, store.journal(count).value(), {}, now);
    REQUIRE(resumed);
    const State state = resumed.value().step(now);
    CHECK((state == State::done ? resumed.value().result().text() : machine.result().text()) == R"("0178")");
  }
}

TEST_CASE("run: stamps are those of the entries that were read, on a replay too") {
  const Pipeline pipeline{"stamps", 1, [](Run& run) -> Result<Data> {
                            const std::uint64_t begun = run.now_ms();
                            run.ask(model("one"));
                            const std::uint64_t after = run.now_ms();
                            run.ask(model("two"));
                            return Data::written("[" + std::to_string(begun) + "," + std::to_string(after) + "," +
                                                 std::to_string(run.now_ms()) + "]");
                          }};
  Store store;
  std::uint64_t now = 1000;
  Machine machine = start(pipeline);
  REQUIRE(drive(machine, store, now) == State::done);
  Result<Machine> again = Machine::resume(pipeline, store.journal(store.lines.size() - 1).value(), {}, now + 100000);
  CHECK(again.value().step(now + 100000) == State::done);
  CHECK(again.value().result().text() == machine.result().text());
}

TEST_CASE("run: a run that had passed a change goes the old way, a new one the new way") {
  static bool changed;
  const Pipeline pipeline{"changes", 1, [](Run& run) -> Result<Data> {
                            run.ask(model("one"));
                            const std::uint64_t way = changed ? run.version("shorter", 1) : 0;
                            run.ask(model("two"));
                            return Data::written(std::to_string(way));
                          }};
  changed = false;
  Store store;
  std::uint64_t now = 1000;
  Machine old = start(pipeline);
  drive(old, store, now, nullptr, 2);
  changed = true;
  Result<Machine> resumed = Machine::resume(pipeline, store.journal(store.lines.size()).value(), {}, now);
  CHECK(drive(resumed.value(), store, now) == State::done);
  CHECK(resumed.value().result().text() == "0");
  Store fresh_store;
  Machine fresh = start(pipeline);
  CHECK(drive(fresh, fresh_store, now) == State::done);
  CHECK(fresh.result().text() == "1");
}

TEST_CASE("run: a change is seen as passed where only scopes and notes lie behind it") {
  static bool changed;
  const Pipeline pipeline{"changes", 1, [](Run& run) -> Result<Data> {
                            (void)run.next_signal("go");
                            const std::uint64_t way = changed ? run.version("shorter", 1) : 0;
                            run.emit("told", Data::written("1"));
                            (void)run.scope("part", [](Run& part) {
                              part.ask(model("two"));
                              return Data::written("2");
                            });
                            return Data::written(std::to_string(way));
                          }};
  const auto way_of = [&](bool begun_with) -> std::string {
    changed = begun_with;
    Store store;
    std::uint64_t now = 1000;
    Machine machine = start(pipeline);
    store.keep(machine.take());
    machine.signal("go", Data(), ++now);
    machine.step(++now);
    store.keep(machine.take());
    changed = true;
    Result<Machine> resumed = Machine::resume(pipeline, store.journal(store.lines.size()).value(), {}, now);
    REQUIRE(resumed);
    CHECK(drive(resumed.value(), store, now) == State::done);
    return std::string(resumed.value().result().text());
  };
  CHECK(way_of(true) == "1");
  CHECK(way_of(false) == "0");
}

TEST_CASE("run: pins are stored with the run and read from its journal") {
  const Pipeline pipeline{"pins", 1, [](Run& run) -> Result<Data> {
                            const Reply& reply = run.ask(model(std::string(run.pin("prompt").value().str())));
                            return Data::written(run.judge(reply, run.contract("answer")).valid ? "true" : "false");
                          }};
  Store store;
  std::uint64_t now = 1000;
  const std::string long_prompt(3000, 'p');
  Machine machine = Machine::start(
      pipeline, "r1", Data(), {{"prompt", Data::string(long_prompt)}, {"answer", Data::written(R"({"type":"array"})")}},
      {}, now);
  store.keep(machine.take());
  CHECK(store.lines[0].find(long_prompt) == std::string::npos);
  CHECK(store.blobs.size() == 1);
  Result<Machine> resumed = Machine::resume(pipeline, store.journal(1).value(), {}, now);
  REQUIRE(resumed);
  CHECK(resumed.value().step(++now) == State::waiting);
  CHECK(prompt_of(resumed.value().wanted()[0]) == long_prompt);
  resumed.value().attempt(":0", ++now);
  resumed.value().reply(":0", answer("[1]"), ++now);
  CHECK(resumed.value().step(++now) == State::done);
  CHECK(resumed.value().result().text() == "true");
}

TEST_CASE("run: bounds end the run with an error that names them, and paid replies are kept") {
  MachineOptions options;
  options.bounds.entries_max = 6;
  Machine machine = start(many_pipeline, options);
  Store store;
  std::uint64_t now = 1000;
  for (int i = 0; i < 10 && machine.step(++now) == State::waiting; ++i) {
    for (const Want& want : machine.wanted()) {
      machine.attempt(want.key, ++now);
    }
    for (const Want& want : machine.under_way()) {
      CHECK(machine.reply(want.key, answer("x"), ++now));
    }
  }
  CHECK(machine.state() == State::failed);
  CHECK(machine.error().code == ErrorCode::limit);
  CHECK(machine.error().message.find("entries; there may be") != std::string::npos);
  MachineOptions narrow;
  narrow.bounds.outstanding_max = 2;
  Machine crowded = start(many_pipeline, narrow);
  CHECK(crowded.step(++now) == State::failed);
  CHECK(crowded.error().message.find("2 effects under way") != std::string::npos);
}

TEST_CASE("run: scopes in each other and the bytes of a journal have bounds too") {
  const Pipeline nested{"nested", 1, [](Run& run) -> Result<Data> {
                          const std::function<Data(Run&)> down = [&](Run& scope) { return scope.scope("down", down); };
                          return down(run);
                        }};
  Machine deep = start(nested);
  CHECK(deep.step(1001) == State::failed);
  CHECK(deep.error().code == ErrorCode::limit);
  CHECK(deep.error().message.find("32 levels deep") != std::string::npos);
  CHECK(deep.error().where.find("down/down") == 0);
  MachineOptions narrow;
  narrow.bounds.bytes_max = 2000;
  Machine machine = start(many_pipeline, narrow);
  std::uint64_t now = 1000;
  for (int i = 0; i < 10 && machine.step(++now) == State::waiting; ++i) {
    for (const Want& want : machine.wanted()) {
      machine.attempt(want.key, ++now);
    }
    for (const Want& want : machine.under_way()) {
      CHECK(machine.reply(want.key, answer(std::string(900, 'x')), ++now));
    }
  }
  CHECK(machine.state() == State::failed);
  CHECK(machine.error().message.find("bytes; there may be") != std::string::npos);
}

TEST_CASE("run: a reply that is not what its kind promises is a failed reply") {
  Machine machine = start(two_steps_pipeline);
  machine.step(1001);
  machine.attempt(":0", 1002);
  Reply reply;
  reply.value = Data::written(R"({"content":"x"})");
  CHECK(machine.reply(":0", reply, 1003));
  CHECK(machine.journal().entries().back().status == Status::failed);
  CHECK(machine.journal().entries().back().error.find("'model' promises") != std::string::npos);
}

TEST_CASE("run: a journal of another version, another pipeline or another order is refused, and says why") {
  Store store;
  std::uint64_t now = 1000;
  Machine machine = start(two_steps_pipeline);
  drive(machine, store, now);
  const auto refused = [&](std::size_t line, const std::string& from, const std::string& to) {
    Store changed = store;
    const std::size_t at = changed.lines[line].find(from);
    REQUIRE(at != std::string::npos);
    changed.lines[line].replace(at, from.size(), to);
    const Result<Journal> journal = changed.journal(changed.lines.size());
    return journal ? std::string() : journal.error().message;
  };
  CHECK(refused(0, R"("format":1)", R"("format":2)") ==
        "entry 0: the journal has format 2, this program reads format 1");
  CHECK(refused(2, R"("n":2)", R"("n":3)") == "entry 2: expected entry 2, this is 3");
  CHECK(refused(2, R"("kind":"reply")", R"("kind":"hint")") ==
        "entry 2: 'hint' is no kind of entry that this program knows; a later version may");
  CHECK(refused(1, R"("name":"model")", R"("name":"magic")") ==
        "entry 1: 'magic' is no effect that this program knows");
  CHECK(refused(3, "{", "").find("entry 3: ") == 0);
  Journal journal = store.journal(store.lines.size()).value();
  CHECK(Machine::resume(many_pipeline, journal, {}, now).error().message ==
        "journal_mismatch: the journal is of the pipeline 'two_steps', not of 'many'");
  Pipeline older = two_steps_pipeline;
  older.version = 0;
  CHECK(Machine::resume(older, journal, {}, now).error().message.find("version 1") != std::string::npos);
}

TEST_CASE("run: data that looks like the mark of a stored text, or has line ends, comes back as it was") {
  for (const std::string& text :
       {std::string(R"({"$blob":"sha256:0"})"), std::string(R"({"a":[{"$blob":1}]})"),
        std::string(R"({"messages":[{"$blob":"x"},{"role":"user","content":"y"}],"more":{"$blob":2}})"),
        std::string(R"({"pins":7})"), "\"" + std::string(blob_bytes, 'x') + "\"", std::string("{\n  \"a\": 1\n}"),
        std::string("{\"pins\":[{\n}],\"b\":[1,\n2]}")}) {
    std::vector<Blob> blobs;
    const std::string stored = with_blobs(Data::written(text), blobs);
    CHECK(stored.find('\n') == std::string::npos);  // an entry is one line
    const Data read = Data::written(stored);
    const Result<Data> back = without_blobs(stored, read.value(), [&](std::string_view hash) -> const std::string* {
      for (const Blob& blob : blobs) {
        if (blob.hash == hash) {
          return &blob.text;
        }
      }
      return nullptr;
    });
    REQUIRE(back);
    CHECK(back.value().text() == text);
    CHECK(stored.size() < 2000);
  }
}
