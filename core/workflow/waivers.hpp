// Waivers: findings and gates that a person lets be for a time. Each has an owner, a reason and a last day.
//
//   Result<Waiver> waiver = waiver_of(written, WaiverNames{gates, sops}, today);     // error: what is wrong with it
//   if (const Waiver* waives = waiver_for(waivers, path, finding)) {
//     waive(finding, *waives, today);        // lowered to info, with owner, reason and the days that are left
//   }
//
// A waiver names a gate, or a rule and the files that it is about. The rule is one of waivable_rules(), or the slug
// of an SOP. A waiver that has expired lowers nothing, and the finding tells of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/workflow/findings.hpp"
#include "core/workflow/gate_results.hpp"

namespace plumb::workflow {

inline constexpr std::int64_t waiver_days_max = 366;  // how far ahead a waiver may expire

// A day: how many there were since 1970-01-01.
Result<std::int64_t> read_day(std::string_view text);  // "2027-02-28"
std::string day_text(std::int64_t day);

// As it is written.
struct WaiverText {
  std::string rule, gate, owner, reason, expires;
  std::vector<std::string> files;  // globs
  std::uint32_t line = 0;
  bool operator==(const WaiverText& other) const;  // whatever their lines are
};

struct Waiver {
  WaiverText text;
  std::int64_t expires = 0;  // the last day on which it counts
  bool expired(std::int64_t today) const { return today > expires; }
  std::string name() const;  // "gate 'lint'", "rule 'scope' in old/**"
};

std::span<const std::string_view> waivable_rules();
struct WaiverNames {
  std::vector<std::string> gates, sops;
};
Result<Waiver> waiver_of(const WaiverText& text, const WaiverNames& names, std::int64_t today);

// The waiver of a finding in a file, or of a gate; of several the one that expires last; nullptr: none.
const Waiver* waiver_for(std::span<const Waiver> waivers, std::string_view path, const contract::Finding& finding);
const Waiver* waiver_for(std::span<const Waiver> waivers, const GateResult& result);
// Lowers a finding to info, or tells that its waiver has expired.
void waive(contract::Finding& finding, const Waiver& waiver, std::int64_t today);
// "waived by ann for 12 more days (moves away in March)"; "the waiver by ann expired on 2026-10-01"
std::string waived_words(const Waiver& waiver, std::int64_t today);

}  // namespace plumb::workflow
