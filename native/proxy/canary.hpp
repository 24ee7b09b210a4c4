// Canary: a contract that is enforced for a share of the calls and observed for the rest, so that operators see what
// enforcing would refuse before they enforce everything.
//
//   contracts: {quiz: {enforce: 10%}}
//
//   if (contract.enforced_ppm && !is_enforced(*contract.enforced_ppm, call_id)) { observe }
//   counts.add(record);                                   // when the call has ended
//
// The id of a call (x-request-id) decides, so everyone can repeat the decision: the first four bytes of the id's
// SHA-256, as a number, divided by 2^32, are below the share.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "native/proxy/call_record.hpp"

namespace plumb::proxy {

inline constexpr std::uint32_t ppm_all = 1'000'000;  // parts per million: 10% is 100,000

// "10%", "0.5%": from 0% to 100%, with at most four decimals. Nothing for any other text.
std::optional<std::uint32_t> read_percent(std::string_view text);

bool is_enforced(std::uint32_t share_ppm, std::string_view call_id);

// The verdicts on answers under canaries, by contract. At most one row per configured contract. Any thread may call it.
class CanaryCounts {
 public:
  // Ignores calls outside a canary, and calls without a verdict.
  void add(const CallRecord& record);
  // Prometheus' text: the share and the verdicts of each contract with a canary.
  void append_metrics(std::string& out, const Guarding& guarding) const;
  // "canary": [{contract, share, enforced, observed}, ...] for GET /v1/proxy.
  void append_json(json::Writer& json, const Guarding& guarding) const;

 private:
  // kept: the first answer satisfied the contract, perhaps with edits. repaired: a later one did. broken: none did.
  enum class Result : std::uint8_t { kept, repaired, broken, undecided, count_ };
  using Row = std::array<std::uint64_t, static_cast<std::size_t>(Result::count_)>;
  struct Rows {
    Row enforced = {};
    Row observed = {};
  };
  static constexpr std::array<std::string_view, static_cast<std::size_t>(Result::count_)> names = {
      "kept", "repaired", "broken", "undecided"};
  static Result result_of(const CallRecord& record);
  static void append_row(json::Writer& json, const Row& row);
  Rows rows_of(const std::string& contract) const;

  mutable std::mutex mutex_;
  std::map<std::string, Rows, std::less<>> rows_;
};

}  // namespace plumb::proxy
