#include "tests/runs/hostile_boundary.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/run/boundary_laws.hpp"

namespace plumb::test {

namespace {

using json::Value;
using run::BoundaryItem;
using run::Data;

struct Dice {
  std::uint64_t state;
  std::uint64_t next() {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state;
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
};

std::string_view text_in(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found == nullptr ? std::string_view() : found->str();
}

// Items say themselves what the rules without a model think of them: "bad" is meaning, "broken" structure, "sure" is
// decided.
run::Gate gate(const BoundaryItem& item) {
  run::Gate out;
  const std::string_view state = text_in(item.value.value(), "state");
  if (state == "bad" || state == "broken") {
    out.rejected = run::Rejection{"state", "its state is " + std::string(state), "", "", state == "broken"};
  }
  out.open = state != "sure";
  return out;
}

Data request(std::string_view phase, std::span<const BoundaryItem* const> items) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("phase", phase).key("messages").begin_array().begin_object().member("role", "user");
  json.member("content", "judge").end_object().end_array().key("ids").begin_array();
  for (const BoundaryItem* item : items) {
    json.string(item->id);
  }
  json.end_array().end_object();
  return Data::written(std::move(out));
}

// The pipeline: the items of the input over one boundary.
Result<Data> hostile_pipeline(run::Run& run) {
  run::Boundary boundary;
  boundary.name = "items";
  boundary.agent = "consumer";
  boundary.producer = "producer";
  boundary.batch_tokens = 90 + json::uint_text(0).size() + (run.input().value().size % 7) * 60;
  boundary.rules = {"clear", "single"};
  boundary.gate = gate;
  boundary.validate_request = [](std::span<const BoundaryItem* const> items, std::size_t) {
    return request("validate", items);
  };
  boundary.revise_request = [](const BoundaryItem& item, const run::Rejection&, std::string_view, std::size_t) {
    const BoundaryItem* one = &item;
    return request("revise", std::span(&one, 1));
  };
  std::vector<BoundaryItem> items;
  for (const Value& value : run.input().value().array()) {
    items.push_back({"", std::string(text_in(value, "name")), Data::part(run.input(), &value), {}});
  }
  run::give_ids(items);
  return run::crossing_data(run::cross_boundary(run, boundary, items));
}

std::string some_item(Dice& dice) {
  static constexpr std::string_view states[] = {"open", "open", "open", "sure", "bad", "broken"};
  static constexpr std::string_view names[] = {"checkout", "checkout", "search", "", "login"};
  return R"({"name":")" + std::string(names[dice.below(5)]) + R"(","state":")" + std::string(states[dice.below(6)]) +
         R"(","n":)" + json::uint_text(dice.below(1000)) + "}";
}

std::string some_input(Dice& dice) {
  const std::uint64_t count = dice.one_in(20) ? 0 : dice.below(13);
  std::string out = "[";
  for (std::uint64_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") + some_item(dice);
  }
  return out + "]";
}

std::string validation_answer(Dice& dice, const Value& ids) {
  switch (dice.below(14)) {
    case 0:
      return "I cannot judge these.";
    case 1:
      return "{\"rejected_items\":[";
    case 2:
      return "{}";
    case 3:
      return R"({"rejected_items":"none"})";
    case 4:
      return R"({"rejected_items":[null,7,"1",[]]})";
    default:
      break;
  }
  const bool all = dice.one_in(5);
  std::string out;
  json::Writer json(out);
  json.begin_object().key("accepted_items").begin_array();
  for (const Value& id : ids.array()) {
    if (dice.one_in(3)) {
      dice.one_in(4) ? json.string("item_" + std::string(id.str())) : json.string(id.str());
    }
  }
  json.end_array().key("rejected_items").begin_array();
  for (const Value& id : ids.array()) {
    const std::uint64_t times = all ? 1 + dice.below(2) : dice.below(3) / 2;
    for (std::uint64_t k = 0; k < times; ++k) {
      json.begin_object();
      if (!dice.one_in(10)) {
        std::uint64_t number = 0;
        json.key("item_id");
        dice.one_in(5) && json::read_uint(id.str(), number) ? json.uint(number)
        : dice.one_in(10)                                   ? json.string("checkout")
                                                            : json.string(id.str());
      }
      json.member("rule", dice.one_in(8) ? "made-up" : dice.one_in(2) ? "clear" : "single");
      if (!dice.one_in(8)) {
        json.member("rejection_reason", dice.one_in(10) ? "  " : "it is vague");
      }
      json.end_object();
    }
  }
  json.end_array().end_object();
  return out;
}

std::string revision_answer(Dice& dice) {
  switch (dice.below(10)) {
    case 0:
      return "Sorry, no.";
    case 1:
      return R"({"items":[]})";
    case 2:
      return "[]";
    case 3:
      return "\"checkout\"";
    case 4:
      return R"({"items":["a","b"]})";
    case 5:
      return some_item(dice);
    default:
      break;
  }
  const std::uint64_t parts = 1 + (dice.one_in(3) ? dice.below(7) : 0);
  std::string out = R"({"items":[)";
  for (std::uint64_t i = 0; i < parts; ++i) {
    out += (i == 0 ? "" : ",") + some_item(dice);
  }
  return out + "]}";
}

run::Reply reply_to(Dice& dice, const run::Want& want) {
  run::Reply reply;
  if (dice.one_in(12)) {
    static constexpr run::Status bad[] = {run::Status::failed, run::Status::timed_out, run::Status::interrupted};
    reply.status = bad[dice.below(3)];
    reply.error = "down";
    return reply;
  }
  const Value& request = want.request.value();
  const std::string text =
      text_in(request, "phase") == "validate" ? validation_answer(dice, *request.find("ids")) : revision_answer(dice);
  std::string value;
  json::Writer(value)
      .begin_object()
      .member("text", text)
      .member("finish", "stop")
      .key("usage")
      .raw(R"({"input_tokens":3,"output_tokens":2})")
      .end_object();
  reply.value = Data::written(std::move(value));
  return reply;
}

bool is_broken(const Value& value) { return text_in(value, "state") == "broken"; }

// A valid item is never lost to its revisions, and nothing broken is handed on.
std::string broken_lot(const Data& input, const run::Crossing& crossing) {
  for (const run::Crossed& item : crossing.items) {
    if (is_broken(item.value.value()) != (item.passed == run::Passed::failed)) {
      return "'" + item.id + "' is " + std::string(passed_name(item.passed)) + ": " + std::string(item.value.text());
    }
    if (item.passed == run::Passed::failed && !is_broken(input.value().array()[item.input])) {
      return "'" + item.id + "' was valid, and is held back";
    }
  }
  return {};
}

// What the journal says of the calls, held against what the crossing says of itself.
std::string compare(const run::Journal& journal, const Data& input, const run::Crossing& crossing) {
  std::uint64_t calls = 0;
  std::uint64_t tokens = 0;
  std::set<std::string> judged;
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind == run::EntryKind::attempt) {
      ++calls;
    }
    if (entry.kind == run::EntryKind::reply && entry.status == run::Status::ok) {
      tokens += 5;
    }
  }
  if (calls != crossing.calls) {
    return "the journal has " + json::uint_text(calls) + " calls, the crossing tells " +
           json::uint_text(crossing.calls);
  }
  if (tokens != crossing.tokens) {
    return "tokens of some call are not booked";
  }
  std::vector<BoundaryItem> items;
  for (const Value& value : input.value().array()) {
    items.push_back({"", "", Data::part(input, &value), {}});
  }
  run::give_ids(items);
  const std::vector<std::string> broken = run::broken_laws(items, crossing);
  return broken.empty() ? broken_lot(input, crossing) : broken.front();
}

}  // namespace

std::string play_hostile(std::uint64_t seed, HostileCounts& counts) {
  Dice dice{seed * 0x9E3779B97F4A7C15U + 1};
  const run::Pipeline pipeline{"hostile", 1, hostile_pipeline};
  const Data input = Data::written(some_input(dice));
  std::uint64_t now = 1;
  run::Machine machine = run::Machine::start(pipeline, "r" + json::uint_text(seed), input, {}, {}, now);
  for (int steps = 0; machine.step(++now) == run::State::waiting; ++steps) {
    (void)machine.take();
    std::vector<run::Want> wanted = machine.wanted();
    if (steps > 200 || (wanted.empty() && machine.under_way().empty())) {
      return "the run does not end";
    }
    for (const run::Want& want : wanted) {
      (void)machine.attempt(want.key, ++now);
    }
    // Replies come in any order, and seldom all at once.
    std::vector<run::Want> open = machine.under_way();
    const std::size_t first = static_cast<std::size_t>(dice.below(open.size()));
    std::rotate(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
    const std::size_t answered = dice.one_in(2) ? open.size() : 1;
    for (std::size_t i = 0; i < answered; ++i) {
      (void)machine.reply(open[i].key, reply_to(dice, open[i]), ++now);
    }
  }
  if (machine.state() != run::State::done) {
    return "the run failed: " + machine.error().message;
  }
  const run::Crossing crossing = run::crossing_of(machine.result());
  ++counts.runs;
  counts.items += input.value().size;
  counts.accepted += crossing.count(run::Passed::accepted);
  counts.warned += crossing.count(run::Passed::warned);
  counts.failed += crossing.count(run::Passed::failed);
  counts.unverified += crossing.unverified();
  for (const run::Crossed& item : crossing.items) {
    counts.parts += item.revised_from.empty() ? 0 : 1;
  }
  for (const run::BoundaryCycle& cycle : crossing.cycles) {
    counts.validations += cycle.batches;
    counts.revisions += cycle.revision_calls;
    counts.skipped += cycle.skipped;
    counts.unknown_ids += cycle.unknown_ids;
    counts.unfounded += cycle.unfounded;
    counts.unmentioned += cycle.unmentioned;
    counts.calls_failed += cycle.calls_failed;
  }
  return compare(machine.journal(), input, crossing);
}

}  // namespace plumb::test
