// A crossing as JSON, and its counts.

#include <algorithm>
#include <array>

#include "core/json/record.hpp"
#include "core/run/boundary.hpp"

namespace plumb::run {

namespace {

using json::Field;
using json::field;
using json::field_if_set;
using json::Value;

// The number of members of Crossed before those about revisions, which are written only if there were any.
constexpr std::size_t before_revisions = 5;
constexpr std::size_t of_revisions = 5;

}  // namespace

std::span<const Field> Rejection::fields() {
  static constexpr Field table[] = {field<&Rejection::rule>("rule"), field<&Rejection::reason>("reason"),
                                    field_if_set<&Rejection::suggestion>("suggested_improvement"),
                                    field_if_set<&Rejection::action>("action"),
                                    field_if_set<&Rejection::structural>("structural")};
  return table;
}

std::span<const Field> Crossed::fields() {
  static constexpr Field table[] = {field<&Crossed::id>("id"),
                                    field<&Crossed::name>("name"),
                                    field<&Crossed::input>("input"),
                                    field<&Crossed::passed>("passed"),
                                    field<&Crossed::unverified>("unverified"),
                                    field<&Crossed::revised_from>("revised_from"),
                                    field<&Crossed::revisions>("revisions"),
                                    field<&Crossed::rejections>("rejections"),
                                    field<&Crossed::warning>("warning"),
                                    field<&Crossed::why>("why"),
                                    field_if_set<&Crossed::revise_error>("revise_error")};
  return table;
}

std::span<const Field> BoundaryCycle::fields() {
  static constexpr Field table[] = {field<&BoundaryCycle::accepted>("accepted"),
                                    field<&BoundaryCycle::rejected>("rejected"),
                                    field<&BoundaryCycle::judged>("judged"),
                                    field<&BoundaryCycle::carried>("carried"),
                                    field<&BoundaryCycle::revised>("revised"),
                                    field<&BoundaryCycle::skipped>("skipped"),
                                    field<&BoundaryCycle::revision_calls>("revision_calls"),
                                    field<&BoundaryCycle::open>("open"),
                                    field<&BoundaryCycle::batches>("validation_calls"),
                                    field<&BoundaryCycle::calls_failed>("calls_failed"),
                                    field<&BoundaryCycle::too_large>("too_large"),
                                    field<&BoundaryCycle::unverified>("unverified"),
                                    field<&BoundaryCycle::unmentioned>("unmentioned"),
                                    field<&BoundaryCycle::unknown_ids>("unknown_ids"),
                                    field<&BoundaryCycle::unfounded>("unfounded"),
                                    field_if_set<&BoundaryCycle::observed>("observed"),
                                    field_if_set<&BoundaryCycle::call_error>("call_error")};
  return table;
}

std::span<const Field> Crossing::fields() {
  static constexpr Field table[] = {
      field<&Crossing::cycles>("cycles"),           field<&Crossing::rejections>("rejections"),
      field<&Crossing::retries>("retries"),         field<&Crossing::calls>("calls"),
      field<&Crossing::calls_max>("calls_max"),     field<&Crossing::tokens>("tokens"),
      field_if_set<&Crossing::observed>("observed")};
  return table;
}

std::span<const std::string_view> names_of(Passed) {
  static constexpr std::array<std::string_view, 3> names = {"accepted", "warned", "failed"};
  return names;
}

std::string_view passed_name(Passed passed) { return names_of(passed)[static_cast<std::size_t>(passed)]; }

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
  const std::span<const Field> fields = Crossed::fields();
  for (const Crossed& item : crossing.items) {
    json.begin_object();
    json::write_members(json, &item, fields.first(before_revisions));
    if (item.revisions > 0 || item.rejections > 0) {
      json::write_members(json, &item, fields.subspan(before_revisions, of_revisions));
    }
    json::write_members(json, &item, fields.subspan(before_revisions + of_revisions));
    json.key("value").raw(item.value.text()).end_object();
  }
  json.end_array();
  write_fields(json, crossing);
  json.end_object();
  return Data::written(std::move(out));
}

Crossing crossing_of(const Data& data) {
  const Value& value = data.value();
  Crossing out = json::record_of<Crossing>(value);
  const std::span<const Value> items = value.find("items")->array();
  out.items.reserve(items.size());
  for (const Value& one : items) {
    out.items.push_back(json::record_of<Crossed>(one));
    out.items.back().value = Data::part(data, one.find("value"));
  }
  return out;
}

}  // namespace plumb::run
