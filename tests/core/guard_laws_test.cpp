// What must hold whatever a model does: thousands of seeds, each a contract, a mode and a hostile model.
//
// The seed is the whole of a failure's report: `core_tests -tc="guard laws*"` names it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/contract/check.hpp"
#include "core/guard/guard.hpp"
#include "core/guard/guard_answer.hpp"
#include "core/json/scanner.hpp"
#include "seed_artifacts.hpp"

using namespace plumb;
using namespace plumb::guard;

namespace {

constexpr std::uint64_t seeds = 4'000;
constexpr std::size_t steps_max = 200'000;

struct Numbers {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
};

struct Subject {
  std::string_view schema;
  std::vector<std::string> good;
};

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {contract::built_in_contract("quiz")->text, {std::string(seed_artifacts::quiz_repaired)}},
      {R"({"type":"array","minItems":2,"maxItems":5,"uniqueItems":true,"items":{"type":"integer","minimum":0}})",
       {"[1,2]", "[5, 4, 3]", "[10,20,30,40,50]"}},
      {R"({"type":"object","required":["pick","options","meta"],"additionalProperties":false,"properties":{
        "pick":{"type":"string","memberOf":{"in":"1/options/*"}},
        "options":{"type":"array","minItems":1,"items":{"type":"string","maxLength":6},"distinct":{}},
        "meta":{"type":"object","required":["n"],"properties":{"n":{"type":"number"},"s":{"enum":["a","b"]}}}}})",
       {R"({"pick":"x","options":["x","y"],"meta":{"n":1.5,"s":"b"}})",
        R"({"meta":{"n":0},"options":["q"],"pick":"q"})"}},
      {R"({"oneOf":[
        {"type":"object","required":["a"],"properties":{"a":{"type":"string"}},"additionalProperties":false},
        {"type":"object","required":["b"],"properties":{"b":{"type":"boolean"}},"additionalProperties":false}
        ]})",
       {R"({"a":"é\u00e9\ud83d\ude00"})", R"({"b":true})"}},
      {R"({"type":"string","pattern":"^[a-z]+$"})", {R"("word")"}},
  };
  return all;
}

// What a model may make of a good artifact.
std::string damaged(const Subject& subject, Numbers& numbers) {
  std::string text = subject.good[numbers.below(subject.good.size())];
  switch (numbers.below(10)) {
    case 0:
      return text;
    case 1:
      return "Sure!\n```json\n" + text + "\n```\n";
    case 2:
      return text.substr(0, numbers.below(text.size() + 1));
    case 3:
      return text + text;
    case 4:
      return std::string(numbers.below(3'000), ' ') + text;
    case 5:
      return text.substr(0, numbers.below(text.size())) + std::string(5'000, "1 \n\""[numbers.below(4)]);
    case 6:
      text.insert(numbers.below(text.size() + 1), 1, static_cast<char>(numbers.below(256)));
      return text;
    case 7:
      text.erase(numbers.below(text.size()), 1 + numbers.below(4));
      return text;
    default:
      for (std::size_t i = 0; i < 1 + numbers.below(3); ++i) {
        text[numbers.below(text.size())] = "{}[]\",:01ax \\"[numbers.below(13)];
      }
      return text;
  }
}

struct Run {
  std::string got;
  GuardOutcome outcome;
  std::uint32_t repairs = 0;
  bool fine = true;  // only texts came, a want came with a stop, and it came to an end
};

// Released text is only ever added to: it is the concatenation of what came.
Run told_by(const GuardOptions& options, const std::vector<std::string>& answers, Numbers cuts, unsigned way) {
  Guard guard(options);
  Run out;
  GuardStep step;
  const auto take = [&] {
    for (const ReleasedDelta& one : step.released) {
      out.fine = out.fine && one.kind == wire::DeltaKind::text;
      out.got += one.text;
    }
  };
  wire::ModelRequest original;
  original.model = "m";
  for (std::size_t i = 0, steps = 0; step.want != Want::finished; ++i) {
    const std::string& answer = answers[i % answers.size()];
    step.clear();
    for (std::size_t at = 0; at < answer.size() && step.want == Want::more;) {
      const std::size_t size = way == 0 ? answer.size() : way == 1 ? 1 : 1 + cuts.below(40);
      step.clear();
      guard.take({wire::DeltaKind::text, 0, std::string_view(answer).substr(at, size), {}, {}}, step);
      take();
      out.fine = out.fine && (step.want == Want::more || step.stop) && ++steps < steps_max;
      at += size;
    }
    if (step.want == Want::more) {
      wire::ModelReply reply;
      reply.text = answer;
      reply.finish = wire::Finish::stop;
      step.clear();
      guard.end(reply, step);
      take();
    }
    if (step.want == Want::repair) {
      ++out.repairs;
      REQUIRE(guard.repair_request(original).messages.size() == 2);
    }
  }
  REQUIRE(out.fine);
  out.outcome = guard.outcome();
  return out;
}

// The beginning of one text of JSON.
struct Nothing {
  void begin_object(std::uint64_t) {}
  void end_object(std::uint64_t) {}
  void begin_array(std::uint64_t) {}
  void end_array(std::uint64_t) {}
  void key(std::string_view, std::uint64_t, std::uint64_t) {}
  void string(std::string_view, std::uint64_t, std::uint64_t) {}
  bool string_decoded(std::string_view, std::uint64_t, std::uint64_t) { return true; }
  json::StringWant string_begin(std::uint64_t) { return json::StringWant::nothing; }
  void string_piece(std::string_view, std::uint64_t, std::uint64_t, bool) {}
  void string_end(std::string_view, std::uint64_t, std::uint64_t) {}
  void scalar_begin(json::Kind, std::uint64_t) {}
  void number(std::string_view, std::uint64_t, std::uint64_t, std::uint64_t) {}
  void literal(json::Kind, bool, std::uint64_t, std::uint64_t) {}
  void lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t) {}
  void broken(json::ScanError, std::uint64_t, std::uint64_t) {}
};
bool begins_json(std::string_view text) {
  Nothing nothing;
  json::Scanner<Nothing> scanner(nothing, 1'024);
  return scanner.push(text.data(), text.size());
}

}  // namespace

TEST_CASE(
    "guard laws: whatever a model does, what is given keeps the contract or is an error, and no bound is passed") {
  std::size_t good = 0;
  std::size_t failed = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    Numbers numbers{seed};
    const Subject& subject = subjects()[numbers.below(subjects().size())];
    GuardOptions options;
    Result<contract::Contract> read = contract::Contract::read(subject.schema);
    REQUIRE(read);
    options.text = {std::make_shared<const contract::Contract>(std::move(read).value()), "c", "",
                    static_cast<Mode>(numbers.below(3))};
    options.attempts_max = static_cast<std::uint32_t>(numbers.below(4));
    options.early_stop = numbers.below(4) != 0;
    options.edits.level = static_cast<contract::EditLevel>(numbers.below(3));
    options.on_error = numbers.below(4) == 0 ? OnError::pass : OnError::fail;
    std::vector<std::string> answers;
    for (std::size_t i = 0; i < 5; ++i) {
      answers.push_back(damaged(subject, numbers));
    }
    const Run whole = told_by(options, answers, numbers, 0);
    const bool observed = options.text.mode == Mode::observe;

    // Bounds.
    CHECK(whole.repairs <= options.attempts_max);
    CHECK(whole.repairs == whole.outcome.attempts);
    // What was given is what the outcome says, and it keeps the contract unless that is said.
    if (whole.outcome.ok) {
      ++good;
      CHECK(whole.got == whole.outcome.reply.text);
    } else {
      ++failed;
      CHECK_FALSE(observed);
      CHECK(options.on_error == OnError::fail);
      CHECK(whole.outcome.failure);
    }
    if (observed) {
      CHECK(whole.got == answers[0]);
      CHECK_FALSE(whole.outcome.failure);
    } else if (whole.outcome.ok && (whole.outcome.decision != contract::Decision::accept_unverified ||
                                    whole.outcome.valid)) {  // where only a judge is missing
      const contract::Verdict verdict = contract::check_text(*options.text.contract, whole.got);
      CHECK(verdict.valid);
      CHECK(whole.outcome.valid);
    } else if (options.on_error == OnError::fail) {
      CHECK_FALSE(whole.outcome.ok);
      CHECK((options.text.mode == Mode::hold_back || whole.got.empty()));
    }
    if (!observed && options.on_error == OnError::fail) {
      CHECK(begins_json(whole.got));
    }
    // Cutting the deltas in other ways changes nothing.
    for (const unsigned way : {1U, 2U}) {
      const Run cut = told_by(options, answers, numbers, way);
      CHECK(cut.got == whole.got);
      CHECK(cut.outcome.ok == whole.outcome.ok);
      CHECK(cut.outcome.decision == whole.outcome.decision);
      CHECK(cut.outcome.attempts == whole.outcome.attempts);
      CHECK(cut.outcome.stopped.size() == whole.outcome.stopped.size());
      if (whole.outcome.failure && cut.outcome.failure) {
        CHECK(cut.outcome.failure->message == whole.outcome.failure->message);
      }
    }
    json::Arena arena;
    const std::string told = plumb_json(whole.outcome);
    const Result<json::Value> parsed = json::parse(told, arena);
    CHECK_MESSAGE(static_cast<bool>(parsed), told);
  }
  // The laws are not kept by giving nothing, nor by giving everything.
  CHECK(good > seeds / 3);
  CHECK(failed > seeds / 10);
}

TEST_CASE("guard laws: a good artifact that comes after any number of bad ones within the bound is given") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Numbers numbers{seed * 7'919};
    const Subject& subject = subjects()[numbers.below(3)];
    Result<contract::Contract> read = contract::Contract::read(subject.schema);
    GuardOptions options;
    options.text = {std::make_shared<const contract::Contract>(std::move(read).value()), "c", "", Mode::enforce};
    options.attempts_max = 2;
    const std::vector<std::string> answers = {damaged(subject, numbers), damaged(subject, numbers), subject.good[0]};
    const Run seen = told_by(options, answers, numbers, 2);
    CHECK(seen.outcome.ok);
    CHECK(seen.outcome.valid);
  }
}
