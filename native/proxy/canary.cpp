#include "native/proxy/canary.hpp"

#include "native/base/concat.hpp"
#include "native/control/metrics.hpp"
#include "native/proxy/client_keys.hpp"

namespace plumb::proxy {

namespace {

constexpr unsigned percent_digits = 4;
constexpr std::uint64_t percent_all = 1'000'000;  // 100 with four decimals

std::string share_text(std::uint32_t ppm) { return general(static_cast<double>(ppm) / ppm_all); }

}  // namespace

std::optional<std::uint32_t> read_percent(std::string_view text) {
  if (!text.ends_with('%')) {
    return std::nullopt;
  }
  text.remove_suffix(1);
  const std::optional<std::uint64_t> value = read_decimal(text, percent_digits);
  if (!value || *value > percent_all) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*value);
}

bool is_enforced(std::uint32_t share_ppm, std::string_view call_id) {
  const KeyDigest digest = key_digest(call_id);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8U | digest[i];
  }
  return number * ppm_all < std::uint64_t{share_ppm} << 32U;
}

CanaryCounts::Result CanaryCounts::result_of(const CallRecord& record) {
  if (record.decision == "undecided") {
    return Result::undecided;
  }
  if (!record.decision.starts_with("accept")) {
    return Result::broken;
  }
  return record.repairs == 0 ? Result::kept : Result::repaired;
}

void CanaryCounts::add(const CallRecord& record) {
  if (!record.canary || record.decision.empty()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  Rows& rows = rows_[record.contract];
  Row& row = record.mode == mode_name(Mode::observe) ? rows.observed : rows.enforced;
  ++row[static_cast<std::size_t>(result_of(record))];
}

CanaryCounts::Rows CanaryCounts::rows_of(const std::string& contract) const {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(contract);
  return found == rows_.end() ? Rows{} : found->second;
}

void CanaryCounts::append_metrics(std::string& out, const Guarding& guarding) const {
  constexpr std::string_view share = "plumb_proxy_canary_share";
  constexpr std::string_view total = "plumb_proxy_canary_total";
  const auto contract_label = [](const NamedContract& one) { return control::metric_label("contract", one.name); };
  control::append_heading(out, share, "gauge", "Share of calls for which a contract is enforced, by its canary.");
  for (const NamedContract& one : guarding.contracts) {
    if (one.enforced_ppm) {
      out += concat(share, "{", contract_label(one), "} ", share_text(*one.enforced_ppm), "\n");
    }
  }
  control::append_heading(out, total, "counter",
                          "Verdicts on answers under a canary, by mode and by whether the answer kept the contract.");
  for (const NamedContract& one : guarding.contracts) {
    if (!one.enforced_ppm) {
      continue;
    }
    const Rows rows = rows_of(one.name);
    for (const auto& [mode, row] : {std::pair("enforce", &rows.enforced), std::pair("observe", &rows.observed)}) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        control::append_sample(out, total,
                               concat(contract_label(one), ",", control::metric_label("mode", mode), ",",
                                      control::metric_label("result", names[i])),
                               (*row)[i]);
      }
    }
  }
}

// `refused_rate`: of answers with a verdict, the share that keeps the contract neither at once nor after repairs.
void CanaryCounts::append_row(json::Writer& json, const Row& row) {
  std::uint64_t judged = 0;
  json.begin_object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    judged += row[i];
    json.member_uint(names[i], row[i]);
  }
  const auto rate = [&](std::uint64_t count) {
    return fixed(judged == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(judged), 4);
  };
  const std::uint64_t refused =
      row[static_cast<std::size_t>(Result::broken)] + row[static_cast<std::size_t>(Result::undecided)];
  json.key("first_broken_rate").raw(rate(row[static_cast<std::size_t>(Result::repaired)] + refused));
  json.key("broken_rate").raw(rate(refused)).end_object();
}

void CanaryCounts::append_json(json::Writer& json, const Guarding& guarding) const {
  json.key("canary").begin_array();
  for (const NamedContract& one : guarding.contracts) {
    if (!one.enforced_ppm) {
      continue;
    }
    const Rows rows = rows_of(one.name);
    json.begin_object().member("contract", one.name).key("share").raw(share_text(*one.enforced_ppm));
    json.key("enforced");
    append_row(json, rows.enforced);
    json.key("observed");
    append_row(json, rows.observed);
    json.end_object();
  }
  json.end_array();
}

}  // namespace plumb::proxy
