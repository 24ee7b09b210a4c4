// A contract kept in a stream, with the first seed's faulty quiz and with small artifacts whose every byte matters.
#include "core/guard/guard.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/guard/guard_answer.hpp"
#include "core/wire/reply.hpp"
#include "seed_artifacts.hpp"

using namespace plumb;
using namespace plumb::guard;

namespace {

std::shared_ptr<const contract::Contract> compiled(std::string_view text) {
  Result<contract::Contract> read = contract::Contract::read(text);
  REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
  return std::make_shared<const contract::Contract>(std::move(read).value());
}

GuardOptions options_of(std::string_view schema, Mode mode) {
  GuardOptions options;
  options.text = {compiled(schema), "test", "", mode};
  return options;
}

GuardOptions quiz(Mode mode) {
  GuardOptions options = options_of(contract::built_in_contract("quiz")->text, mode);
  options.text.name = "quiz";
  return options;
}

// A client, a model that follows a script, and what was between them.
struct Talk {
  std::string got;  // all texts in the order in which they were released
  std::string thinking;
  std::vector<std::string> calls;  // arguments
  std::vector<std::size_t> sizes;  // of `got`, after each delta that released something
  std::vector<wire::ModelRequest> repairs;
  std::size_t given = 0;  // bytes of the first answer until it was stopped
  GuardOutcome outcome;
};

void take(Talk& talk, const GuardStep& step) {
  for (const ReleasedDelta& one : step.released) {
    if (one.kind == wire::DeltaKind::text) {
      talk.got += one.text;
      talk.sizes.push_back(talk.got.size());
    } else if (one.kind == wire::DeltaKind::thinking) {
      talk.thinking += one.text;
    } else if (one.kind == wire::DeltaKind::call_begin) {
      REQUIRE(one.index == talk.calls.size());
      talk.calls.emplace_back();
    } else if (one.kind == wire::DeltaKind::call_arguments) {
      talk.calls.at(one.index) += one.text;
    }
  }
}

wire::ModelReply reply_of(std::string_view text) {
  wire::ModelReply reply;
  reply.id = "r";
  reply.model = "m";
  reply.text = text;
  reply.finish = wire::Finish::stop;
  return reply;
}

// The answers in turn, in pieces of this size.
Talk talk(GuardOptions options, const std::vector<std::string>& answers, std::size_t piece = 7) {
  Guard guard(std::move(options));
  Talk out;
  wire::ModelRequest original;
  original.model = "m";
  original.messages.push_back(wire::text_message(wire::Role::user, "A quiz, please."));
  GuardStep step;
  for (std::size_t i = 0; step.want != Want::finished; ++i) {
    REQUIRE(i < answers.size());
    const std::string& answer = answers[i];
    step.clear();
    for (std::size_t at = 0; at < answer.size() && step.want == Want::more; at += piece) {
      step.clear();
      guard.take({wire::DeltaKind::text, 0, std::string_view(answer).substr(at, piece), {}, {}}, step);
      take(out, step);
      out.given += i == 0 ? std::min(piece, answer.size() - at) : 0;
    }
    if (step.want == Want::more) {
      step.clear();
      guard.end(reply_of(answer), step);
      take(out, step);
    }
    if (step.want == Want::repair) {
      out.repairs.push_back(guard.repair_request(original));
    }
  }
  out.outcome = guard.outcome();
  CHECK((!out.outcome.ok || out.outcome.reply.text == out.got));
  return out;
}

std::string faulty() { return std::string(seed_artifacts::quiz_faulty); }
std::string repaired() { return std::string(seed_artifacts::quiz_repaired); }

}  // namespace

TEST_CASE("guard: observe passes the seed's faulty quiz on as it comes and tells what is wrong with it") {
  const Talk seen = talk(quiz(Mode::observe), {faulty()});
  CHECK(seen.got == faulty());
  CHECK(seen.outcome.ok);
  CHECK_FALSE(seen.outcome.valid);
  CHECK(seen.outcome.decision == contract::Decision::revise);
  CHECK(seen.outcome.attempts == 0);
  REQUIRE(seen.outcome.parts.size() == 1);
  CHECK(seen.outcome.parts[0].verdict.findings.size() == 3);
}

TEST_CASE("guard: enforce stops the faulty quiz at its first certain error and gives the repaired one") {
  const Talk seen = talk(quiz(Mode::enforce), {faulty(), repaired()});
  CHECK(seen.got == repaired());
  CHECK(seen.sizes.size() == 1);
  CHECK(seen.given < faulty().size() / 2);
  CHECK(seen.outcome.valid);
  // The quiz has rules for a judge, and there is none.
  CHECK(seen.outcome.decision == contract::Decision::accept_unverified);
  CHECK(seen.outcome.attempts == 1);
  REQUIRE(seen.outcome.stopped.size() == 1);
  CHECK(seen.outcome.stopped[0].rule == "minItems");
  CHECK(seen.outcome.stopped[0].at == "/questions/0/options");
  CHECK(seen.outcome.tokens_saved > 50);
  REQUIRE(seen.repairs.size() == 1);
  const std::string& asked = seen.repairs[0].messages.back().content[0].text;
  CHECK(asked.find("Must have at least 4 options (has 3)") != std::string::npos);
  CHECK(asked.find("<<<artifact ") != std::string::npos);
  CHECK(seen.repairs[0].messages[1].content[0].text == "A quiz, please.");
}

TEST_CASE("guard: hold-back releases the quiz question by question, and what follows a broken one is repaired") {
  // The first question is good, the second is the seed's.
  std::string first = repaired();
  std::string second = faulty();
  const std::size_t cut = first.find("},\n    {") + 1;
  const std::string half = first.substr(0, cut) + second.substr(second.find("},\n    {") + 1);
  const Talk seen = talk(quiz(Mode::hold_back), {half, repaired()});
  CHECK(seen.got.substr(0, cut) == first.substr(0, cut));
  REQUIRE(seen.sizes.size() == 2);
  CHECK(seen.sizes[0] == cut);
  CHECK(seen.outcome.ok);
  CHECK(seen.outcome.valid);
  CHECK(seen.outcome.stopped[0].rule == "distinct");
  CHECK(seen.repairs[0].messages.back().content[0].text.find("must begin with exactly these values") !=
        std::string::npos);
}

TEST_CASE("guard: hold-back repairs the seed's quiz before its first question is released") {
  const Talk seen = talk(quiz(Mode::hold_back), {faulty(), repaired()});
  CHECK(seen.got == repaired());
  CHECK(seen.outcome.valid);
}

TEST_CASE("guard: a valid artifact passes byte for byte in every mode") {
  for (const Mode mode : {Mode::observe, Mode::enforce, Mode::hold_back}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{64}, std::size_t{100'000}}) {
      const Talk seen = talk(quiz(mode), {repaired()}, piece);
      CHECK(seen.got == repaired());
      CHECK(seen.outcome.valid);
      CHECK(seen.outcome.decision ==
            (mode == Mode::observe ? contract::Decision::accept : contract::Decision::accept_unverified));
      CHECK(seen.outcome.attempts == 0);
      CHECK(seen.outcome.stopped.empty());
    }
  }
}

TEST_CASE("guard: fences and prose around an artifact are taken away where that is allowed") {
  const std::string dressed = "Here is the quiz:\n```json\n" + repaired() + "```\nEnjoy!";
  for (const Mode mode : {Mode::enforce, Mode::hold_back}) {
    const Talk seen = talk(quiz(mode), {dressed});
    CHECK(seen.outcome.attempts == 0);
    CHECK(seen.outcome.valid);
    CHECK(seen.got.find("```") == std::string::npos);
    CHECK_FALSE(seen.outcome.parts[0].verdict.edits.empty());
  }
  GuardOptions strict = quiz(Mode::enforce);
  strict.edits.level = contract::EditLevel::none;
  CHECK(talk(strict, {dressed, repaired()}).outcome.attempts == 1);
}

TEST_CASE("guard: an answer that is an option but for its case is mended without a model, released or held") {
  std::string almost = repaired();
  almost.replace(almost.find("\"correct_answer\": \"Chloroplasts\""), 32, "\"correct_answer\": \"chloroplasts\"");
  for (const Mode mode : {Mode::enforce, Mode::hold_back}) {
    const Talk seen = talk(quiz(mode), {almost});
    CHECK(seen.got == repaired());
    CHECK(seen.outcome.attempts == 0);
    REQUIRE(seen.outcome.parts[0].fixes.size() == 1);
    CHECK(seen.outcome.parts[0].fixes[0] ==
          R"({"op":"replace","path":"/questions/1/correct_answer","value":"Chloroplasts"})");
  }
}

TEST_CASE("guard: without a repair that helps the answer is an error that carries the findings") {
  for (const Mode mode : {Mode::enforce, Mode::hold_back}) {
    const Talk seen = talk(quiz(mode), {faulty(), faulty(), faulty()});
    CHECK_FALSE(seen.outcome.ok);
    CHECK(seen.got.empty());
    CHECK(seen.outcome.attempts == 2);
    REQUIRE(seen.outcome.failure);
    CHECK(seen.outcome.failure->status == 406);
    CHECK(seen.outcome.failure->code == "contract_not_kept");
    CHECK(seen.outcome.failure->message.find("Question 1: Must have at least 4 options (has 3)") != std::string::npos);
    std::string error;
    append_whole_answer(error, wire::Wire::openai, seen.outcome, {});
    CHECK(error.find(R"("type":"contract_error")") != std::string::npos);
    CHECK(error.find(R"("rule":"minItems")") != std::string::npos);
  }
}

TEST_CASE("guard: on_error pass gives the best version, visibly unverified, and stops nothing for a finding") {
  GuardOptions options = quiz(Mode::enforce);
  options.on_error = OnError::pass;
  const Talk seen = talk(options, {faulty(), "no JSON at all", "[]"});
  CHECK(seen.outcome.ok);
  CHECK(seen.got == faulty());
  CHECK_FALSE(seen.outcome.valid);
  CHECK(seen.outcome.decision == contract::Decision::accept_unverified);
  CHECK(seen.outcome.stopped.empty());
  CHECK(plumb_headers(seen.outcome)[0].second == "invalid");
  CHECK(plumb_headers(seen.outcome)[1].second == "accept_unverified");
}

TEST_CASE("guard: the number of repairs and of tokens is bounded, and the bound is told") {
  GuardOptions options = quiz(Mode::enforce);
  options.attempts_max = 0;
  CHECK(talk(options, {faulty()}).outcome.attempts == 0);
  options.attempts_max = 10;
  options.tokens_max = 500;
  options.input_tokens = 20;
  const Talk seen = talk(options, std::vector<std::string>(11, faulty()));
  CHECK_FALSE(seen.outcome.ok);
  CHECK(seen.outcome.attempts > 0);
  CHECK(seen.outcome.attempts < 10);
  CHECK(seen.outcome.tokens_spent <= 500);
  CHECK(seen.outcome.note == "another repair would exceed tokens_max");
}

TEST_CASE("guard: a repair that changes nothing is told so the next time") {
  const Talk seen = talk(quiz(Mode::hold_back), {faulty(), faulty(), repaired()});
  REQUIRE(seen.repairs.size() == 2);
  CHECK(seen.outcome.valid);
}

TEST_CASE("guard: hold-back refuses a repair that changes or drops what was released") {
  constexpr std::string_view schema =
      R"({"type":"array","maxItems":3,"items":{"type":"integer","minimum":1,"maximum":9}})";
  const Talk dropped = talk(options_of(schema, Mode::hold_back), {"[1,2,77]", "[2,3]", "[1,2,3]"}, 1);
  CHECK(dropped.got == "[1,2,3]");
  CHECK(dropped.outcome.attempts == 2);
  CHECK(dropped.repairs[1].messages.back().content[0].text.find("/0: This item has been delivered and must stay") !=
        std::string::npos);
  const Talk lost = talk(options_of(schema, Mode::hold_back), {"[1,2,77]", "[1]", "[2]"}, 100);
  CHECK_FALSE(lost.outcome.ok);
  CHECK(lost.got == "[1,2");
}

TEST_CASE("guard: fields are released when nothing waits for what comes later") {
  constexpr std::string_view schema = R"({"type":"object","required":["pick","options","note"],"properties":{
    "pick":{"type":"string","memberOf":{"in":"1/options/*"}},
    "options":{"type":"array","items":{"type":"string"}},"note":{"type":"string"}}})";
  const std::string answer = R"({"pick":"a","options":["a","b"],"note":"n"})";
  const Talk seen = talk(options_of(schema, Mode::hold_back), {answer}, 1);
  CHECK(seen.got == answer);
  const std::size_t list_end = answer.find(']') + 1;
  REQUIRE(seen.sizes.size() >= 2);
  CHECK(seen.sizes[0] == list_end);  // `pick` waited for the list
  const std::string wrong = R"({"pick":"c","options":["a","b"],"note":"n"})";
  const Talk mended = talk(options_of(schema, Mode::hold_back), {wrong, answer}, 1);
  CHECK(mended.got == answer);
  CHECK(mended.outcome.valid);
}

TEST_CASE("guard: a degenerate stream is stopped but where it is only observed") {
  const std::string endless = R"({"questions":[)" + std::string(100'000, ' ');
  CHECK(talk(quiz(Mode::observe), {endless}).got == endless);
  for (const Mode mode : {Mode::enforce, Mode::hold_back}) {
    const Talk seen = talk(quiz(mode), {endless, repaired()}, 100);
    CHECK(seen.given < 3'000);
    CHECK(seen.outcome.stopped[0].why == "degenerate");
    CHECK(seen.got == repaired());
  }
}

TEST_CASE("guard: a plain text beside tools that are not called is nothing to judge, and not invalid") {
  for (const Mode mode : {Mode::observe, Mode::enforce, Mode::hold_back}) {
    GuardOptions options;
    options.tools.push_back({"make_quiz", {compiled(R"({"type":"object"})"), "make_quiz", "", mode}});
    Guard guard(options);
    GuardStep step;
    guard.whole(reply_of("It is sunny."), step);
    REQUIRE(step.want == Want::finished);
    CHECK(guard.outcome().ok);
    CHECK(guard.outcome().valid);
    CHECK(guard.outcome().decision == contract::Decision::accept);
    CHECK(guard.outcome().note == "no tool was called: there was nothing to judge");
    CHECK(plumb_headers(guard.outcome()).front().second == "valid");
  }
}

TEST_CASE("guard: calls of tools are judged by the tool's own schema, and the text beside them passes") {
  GuardOptions options = quiz(Mode::enforce);
  const auto compile = [](std::string_view schema,
                          std::string_view) -> Result<std::shared_ptr<const contract::Contract>> {
    Result<contract::Contract> read = contract::Contract::read(schema);
    if (!read) {
      return read.error();
    }
    return std::make_shared<const contract::Contract>(std::move(read).value());
  };
  add_tool_contracts(options, R"([{"type":"function","function":{"name":"add","parameters":{"type":"object",
    "required":["a"],"properties":{"a":{"type":"integer"}}}}},
    {"type":"function","function":{"name":"odd","parameters":{"type":"strng"}}}])",
                     wire::Wire::openai, Mode::enforce, compile);
  REQUIRE(options.tools.size() == 2);
  CHECK(options.tools[1].arguments.reason.find("its schema cannot be used") == 0);
  wire::ModelReply reply = reply_of("Let me add.");
  reply.finish = wire::Finish::tool_calls;
  reply.calls = {{"1", "add", R"({"a":"x"})"}};
  Guard guard(options);
  GuardStep step;
  guard.whole(reply, step);
  CHECK(step.want == Want::repair);
  Talk out;
  take(out, step);
  CHECK(out.got == "Let me add.");
  CHECK(out.calls.empty());
  wire::ModelRequest original;
  original.tools.push_back({"add", "", "{}", false});
  const wire::ModelRequest request = guard.repair_request(original);
  CHECK(request.tools.empty());
  CHECK(request.messages.back().content[0].text.find("The arguments of your call of add()") == 0);
  step.clear();
  guard.whole(reply_of(R"({"a":5})"), step);
  take(out, step);
  REQUIRE(step.want == Want::finished);
  CHECK(out.calls == std::vector<std::string>{R"({"a":5})"});
  CHECK(guard.outcome().reply.calls[0].arguments == R"({"a":5})");
  CHECK(guard.outcome().reply.finish == wire::Finish::tool_calls);
}

TEST_CASE("guard: a schema that cannot be compiled is undecided in observe and an error where it is enforced") {
  GuardOptions options;
  options.text = {nullptr, "broken", "its schema cannot be used", Mode::observe};
  const Talk seen = talk(options, {"anything"});
  CHECK(seen.got == "anything");
  CHECK(seen.outcome.decision == contract::Decision::undecided);
  CHECK(plumb_json(seen.outcome).find(R"("verdict":null,"reason":"its schema cannot be used")") != std::string::npos);
  options.text.mode = Mode::enforce;
  const Talk refused = talk(options, {"anything"});
  CHECK_FALSE(refused.outcome.ok);
  CHECK(refused.outcome.failure->code == "contract_undecided");
  options.on_error = OnError::pass;
  CHECK(talk(options, {"anything"}).got == "anything");
}

TEST_CASE("guard: a refusal passes, and thinking comes before the answer it belongs to") {
  Guard guard(quiz(Mode::enforce));
  GuardStep step;
  guard.take({wire::DeltaKind::thinking, 0, "hm", {}, {}}, step);
  guard.take({wire::DeltaKind::refusal, 0, "No.", {}, {}}, step);
  CHECK(step.released.empty());
  wire::ModelReply reply = reply_of("");
  reply.finish = wire::Finish::refusal;
  guard.end(reply, step);
  CHECK(step.want == Want::finished);
  REQUIRE(step.released.size() == 2);
  CHECK(step.released[0].text == "hm");
  CHECK(guard.outcome().ok);
  CHECK(guard.outcome().reply.refusal == "No.");
  CHECK(guard.outcome().decision == contract::Decision::undecided);
}

TEST_CASE(
    "guard: an upstream that fails ends the answer with its failure, or is asked again when nothing was released") {
  Guard guard(quiz(Mode::enforce));
  GuardStep step;
  guard.take({wire::DeltaKind::text, 0, "{\"questions\":[", {}, {}}, step);
  CHECK(guard.restart());
  guard.whole(reply_of(repaired()), step);
  CHECK(step.want == Want::finished);
  CHECK(guard.outcome().valid);
  CHECK(guard.outcome().tokens_estimated);

  Guard cut(quiz(Mode::observe));
  step.clear();
  cut.take({wire::DeltaKind::text, 0, "{\"questions\":[", {}, {}}, step);
  CHECK_FALSE(cut.restart());
  cut.fail(wire::make_failure(wire::FailureClass::cut, "The stream ended early"), step);
  CHECK(step.want == Want::finished);
  CHECK_FALSE(cut.outcome().ok);
  CHECK(cut.outcome().failure->failure_class == wire::FailureClass::cut);
  CHECK(cut.outcome().reply.text == "{\"questions\":[");
}

TEST_CASE("guard: what was done is told before the protocol's own end, and in the error of a stream") {
  const Talk seen = talk(quiz(Mode::enforce), {faulty(), repaired()});
  for (const auto& [client, events] :
       {std::pair(wire::Wire::openai, true), std::pair(wire::Wire::openai, false),
        std::pair(wire::Wire::anthropic, true), std::pair(wire::Wire::anthropic, false)}) {
    wire::StreamWriter writer(client, {"id", "model", 1, 20, true, events});
    std::string out;
    writer.begin(out);
    writer.delta(out, {wire::DeltaKind::text, 0, seen.got, {}, {}});
    append_stream_end(out, writer, seen.outcome);
    // Only whoever asks for events of ours gets any.
    const std::size_t told = out.find(!events                        ? "\n: plumb {\"valid\":true"
                                      : client == wire::Wire::openai ? R"("choices":[],"plumb":{"valid":true)"
                                                                     : "event: plumb\ndata: {\"type\":\"plumb\"");
    const std::size_t end = out.find(client == wire::Wire::openai ? "data: [DONE]" : "event: message_stop");
    REQUIRE(told != std::string::npos);
    REQUIRE(end != std::string::npos);
    CHECK(told < end);
    // Those who read the wire pass it over.
    wire::ReplyStream reader(client);
    reader.push(out);
    for (wire::ModelDelta delta; reader.next(delta);) {
    }
    reader.end();
    CHECK(reader.done());
    CHECK_FALSE(reader.failure());
    CHECK(reader.reply().text == repaired());
  }
  const Talk failed = talk(quiz(Mode::enforce), {faulty(), faulty(), faulty()});
  for (const wire::Wire client : {wire::Wire::openai, wire::Wire::anthropic}) {
    wire::StreamWriter writer(client, {"id", "model", 1, 20, true});
    std::string out;
    append_stream_end(out, writer, failed.outcome);
    CHECK(out.find("[DONE]") == std::string::npos);
    CHECK(out.find("message_stop") == std::string::npos);
    CHECK(out.find(R"("plumb":{"valid":false)") != std::string::npos);
    wire::ReplyStream reader(client);
    reader.push(out);
    for (wire::ModelDelta delta; reader.next(delta);) {
    }
    CHECK(reader.failure());
  }
}
