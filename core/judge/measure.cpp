#include "core/judge/measure.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"

namespace plumb::judge {

namespace {

constexpr double tail = 0.025;     // on each side
constexpr int halvings = 60;       // more than a double has digits
constexpr double lost_in = 1e-18;  // a term that no longer changes a sum

double count_of(std::uint64_t number) { return static_cast<double>(number); }

// The chance of exactly `count` of `of`, each with the chance `each`. Small and large factors take turns, so that the
// product neither vanishes nor overflows before its end.
double exactly(std::uint64_t count, std::uint64_t of, double each) {
  double out = 1;
  std::uint64_t others = of - count;
  for (std::uint64_t i = 1; i <= count; ++i) {
    out *= count_of(of - count + i) / count_of(i) * each;
    for (; others > 0 && out > 1; --others) {
      out *= 1 - each;
    }
  }
  for (; others > 0 && out > 0; --others) {
    out *= 1 - each;
  }
  return out;
}

// The chance of `count` or more, where `count` is above the mean: from there on terms only become smaller.
double at_least(std::uint64_t count, std::uint64_t of, double each) {
  double term = exactly(count, of, each);
  double sum = 0;
  for (std::uint64_t i = count; i <= of && term > sum * lost_in; ++i) {
    sum += term;
    term *= count_of(of - i) / count_of(i + 1) * each / (1 - each);
  }
  return sum;
}

// The smallest rate at which `count` or more of `of` are not rarer than the tail.
double lowest(std::uint64_t count, std::uint64_t of) {
  double low = 0;
  double high = count_of(count) / count_of(of);
  for (int i = 0; i < halvings && count > 0; ++i) {
    const double middle = (low + high) / 2;
    (middle > 0 && middle < 1 && at_least(count, of, middle) > tail ? high : low) = middle;
  }
  return low;
}

// A share with a point, without zeros at its end: "0.925".
std::string decimal_text(std::uint64_t share) {
  std::string out = json::uint_text(whole_share + share % whole_share);
  out = json::uint_text(share / whole_share) + "." + out.substr(1);
  out.erase(out.find_last_not_of('0') + 1);
  return out.back() == '.' ? out.substr(0, out.size() - 1) : out;
}

std::uint64_t share_of(const Rate& rate) { return (2 * rate.count * whole_share + rate.of) / (2 * rate.of); }

}  // namespace

Rate rate_of(std::uint64_t count, std::uint64_t of) {
  Rate out{count, of, 0, whole_share};
  if (of == 0 || of > tally_max || count > of) {
    return out;
  }
  const double whole = count_of(whole_share);
  out.low = static_cast<std::uint64_t>(lowest(count, of) * whole);
  out.high = whole_share - static_cast<std::uint64_t>(lowest(of - count, of) * whole);
  return out;
}

Rate catch_rate(const Tally& tally) { return rate_of(tally.caught, tally.caught + tally.missed); }
Rate reject_rate(const Tally& tally) { return rate_of(tally.rejected, tally.rejected + tally.confirmed); }
Rate miss_rate(const Tally& tally) { return rate_of(tally.missed, tally.caught + tally.missed); }

std::string percent_text(std::uint64_t share) {
  const std::uint64_t tenths = (share + 5) / 10;
  return json::uint_text(tenths / 10) + (tenths % 10 == 0 ? "" : "." + json::uint_text(tenths % 10)) + " %";
}

std::string rate_text(const Rate& rate) {
  if (rate.of == 0) {
    return "not known (no such claim was decided)";
  }
  return percent_text(share_of(rate)) + " (" + json::uint_text(rate.count) + " of " + json::uint_text(rate.of) +
         "; 95 % interval " + percent_text(rate.low / 10 * 10) + " to " +
         percent_text(std::min((rate.high + 9) / 10 * 10, whole_share)) + ")";
}

void write_rate(json::Writer& json, std::string_view name, const Rate& rate) {
  json.key(name).begin_object();
  if (rate.of > 0) {
    json.key("rate").raw(decimal_text(share_of(rate)));
  }
  json.member_uint("count", rate.count).member_uint("of", rate.of);
  json.key("low").raw(decimal_text(rate.low)).key("high").raw(decimal_text(rate.high)).end_object();
}

std::string distrust(std::string_view judge, const Tally* measured, const JudgeLimits& limits) {
  const std::string name = "the judge " + std::string(judge);
  if (measured == nullptr) {
    return limits.must_be_measured ? name +
                                         " was never measured for this contract and prompt, and plumb.yaml demands it "
                                         "(judge.must_be_measured)"
                                   : std::string();
  }
  const Rate missed = miss_rate(*measured);
  if (missed.high <= limits.missed_max) {
    return {};
  }
  return name + " may accept too many false claims: measured were " + rate_text(missed) + ", and plumb.yaml allows " +
         percent_text(limits.missed_max) + " (judge.max_false_accept)";
}

std::span<const json::Field> Tally::fields() {
  static constexpr json::Field table[] = {
      json::field<&Tally::caught>("caught"),         json::field<&Tally::missed>("missed"),
      json::field<&Tally::rejected>("rejected"),     json::field<&Tally::confirmed>("confirmed"),
      json::field<&Tally::false_open>("false_open"), json::field<&Tally::true_open>("true_open")};
  return table;
}

std::span<const json::Field> JudgeKey::fields() {
  static constexpr json::Field table[] = {
      json::field<&JudgeKey::judge>("judge"), json::field<&JudgeKey::contract>("contract"),
      json::field<&JudgeKey::contract_hash>("contract_hash"), json::field<&JudgeKey::prompt_hash>("prompt_hash"),
      json::field<&JudgeKey::way>("way")};
  return table;
}

std::span<const json::Field> Measured::fields() {
  static constexpr json::Field table[] = {json::field<&Measured::run>("run"), json::field<&Measured::at_ms>("at_ms"),
                                          json::field<&Measured::tally>("tally")};
  return table;
}

std::span<const json::Field> JudgeLimits::fields() {
  static constexpr json::Field table[] = {json::field<&JudgeLimits::missed_max>("missed_max"),
                                          json::field<&JudgeLimits::must_be_measured>("must_be_measured")};
  return table;
}

}  // namespace plumb::judge
