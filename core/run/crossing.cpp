// A crossing as JSON, and what is counted in it.

#include <algorithm>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/boundary.hpp"
#include "core/run/boundary_answers.hpp"

namespace plumb::run {

namespace {

using json::number_of;
using json::text_of;
using json::Value;

BoundaryCycle read_cycle(const Value& object) {
  BoundaryCycle out;
  out.judged = number_of(object, "judged");
  out.accepted = number_of(object, "accepted");
  out.rejected = number_of(object, "rejected");
  out.carried = number_of(object, "carried");
  out.revised = number_of(object, "revised");
  out.skipped = number_of(object, "skipped");
  out.revision_calls = number_of(object, "revision_calls");
  out.open = number_of(object, "open");
  out.batches = number_of(object, "validation_calls");
  out.calls_failed = number_of(object, "calls_failed");
  out.too_large = number_of(object, "too_large");
  out.unverified = number_of(object, "unverified");
  out.unmentioned = number_of(object, "unmentioned");
  out.unknown_ids = number_of(object, "unknown_ids");
  out.unfounded = number_of(object, "unfounded");
  out.call_error = text_of(object, "call_error");
  return out;
}

}  // namespace

std::string_view passed_name(Passed passed) {
  return passed == Passed::accepted ? "accepted" : passed == Passed::warned ? "warned" : "failed";
}

std::uint64_t Crossing::count(Passed passed) const {
  return static_cast<std::uint64_t>(
      std::count_if(items.begin(), items.end(), [&](const Crossed& item) { return item.passed == passed; }));
}

std::uint64_t Crossing::unverified() const {
  return static_cast<std::uint64_t>(
      std::count_if(items.begin(), items.end(), [](const Crossed& item) { return item.unverified; }));
}

std::string Crossing::call_error() const {
  for (const BoundaryCycle& cycle : cycles) {
    if (!cycle.call_error.empty()) {
      return cycle.call_error;
    }
  }
  return {};
}

std::string quality_flags_json(const Crossing& crossing, std::string_view produced, std::uint64_t count) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint(produced, count).member_uint("validation_rejections", crossing.rejections);
  json.member_uint("validation_retries", crossing.retries).end_object();
  return out;
}

Data crossing_data(const Crossing& crossing) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("items").begin_array();
  for (const Crossed& item : crossing.items) {
    json.begin_object().member("id", item.id).member("name", item.name).member_uint("input", item.input);
    json.member("passed", passed_name(item.passed)).member_boolean("unverified", item.unverified);
    if (item.revisions > 0 || item.rejections > 0) {
      json.member("revised_from", item.revised_from).member_uint("revisions", item.revisions);
      json.member_uint("rejections", item.rejections).member("warning", item.warning).key("why").begin_object();
      write_rejection(json, item.why);
      json.end_object();
    }
    if (!item.revise_error.empty()) {
      json.member("revise_error", item.revise_error);
    }
    json.key("value").raw(item.value.text()).end_object();
  }
  json.end_array().key("cycles").begin_array();
  for (const BoundaryCycle& cycle : crossing.cycles) {
    json.begin_object().member_uint("accepted", cycle.accepted).member_uint("rejected", cycle.rejected);
    write_cycle(json, cycle);
    json.end_object();
  }
  json.end_array().member_uint("rejections", crossing.rejections).member_uint("retries", crossing.retries);
  json.member_uint("calls", crossing.calls).member_uint("calls_max", crossing.calls_max);
  json.member_uint("tokens", crossing.tokens).end_object();
  return Data::written(std::move(out));
}

Crossing crossing_of(const Data& data) {
  const Value& value = data.value();
  Crossing out;
  const std::span<const Value> items = value.find("items")->array();
  out.items.reserve(items.size());
  for (const Value& one : items) {
    Crossed& item = out.items.emplace_back();
    item.id = text_of(one, "id");
    item.name = text_of(one, "name");
    item.input = static_cast<std::size_t>(number_of(one, "input"));
    item.revised_from = text_of(one, "revised_from");
    item.revisions = static_cast<std::size_t>(number_of(one, "revisions"));
    item.rejections = static_cast<std::size_t>(number_of(one, "rejections"));
    item.unverified = one.find("unverified")->boolean;
    const std::string_view passed = text_of(one, "passed");
    item.passed = passed == "warned" ? Passed::warned : passed == "failed" ? Passed::failed : Passed::accepted;
    item.warning = text_of(one, "warning");
    item.revise_error = text_of(one, "revise_error");
    if (const Value* why = one.find("why")) {
      item.why = read_rejection(*why);
    }
    item.value = Data::part(data, one.find("value"));
  }
  for (const Value& one : value.find("cycles")->array()) {
    out.cycles.push_back(read_cycle(one));
  }
  out.rejections = number_of(value, "rejections");
  out.retries = number_of(value, "retries");
  out.calls = number_of(value, "calls");
  out.calls_max = number_of(value, "calls_max");
  out.tokens = number_of(value, "tokens");
  return out;
}

}  // namespace plumb::run
