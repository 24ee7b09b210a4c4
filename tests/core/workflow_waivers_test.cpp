// Waivers: what is wrong with one, which finding it is for, and what it makes of it. The day is a parameter.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/workflow/waivers.hpp"

using namespace plumb;            // NOLINT(google-build-using-namespace)
using namespace plumb::workflow;  // NOLINT(google-build-using-namespace)

namespace {

const WaiverNames names = {{"lint", "test"}, {"no-eval"}};

std::int64_t day(std::string_view text) { return read_day(text).value(); }

WaiverText written(std::string_view expires) {
  WaiverText out;
  out.rule = "no-eval";
  out.files = {"old/**"};
  out.owner = "ann";
  out.reason = "moves away";
  out.expires = expires;
  return out;
}

std::string refused(const WaiverText& text) {
  const auto read = waiver_of(text, names, day("2027-01-01"));
  return read ? "" : read.error().message;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("waivers: days are counted from 1970, with leap years") {
  CHECK(day("1970-01-01") == 0);
  CHECK(day("2000-03-01") - day("2000-02-28") == 2);
  CHECK(day("2100-03-01") - day("2100-02-28") == 1);
  CHECK(day("2027-01-01") == 20'819);
  for (const char* bad : {"2027-02-29", "2027-13-01", "2027-00-01", "2027-1-1", "tomorrow", "", "2027-01-01T00"}) {
    CHECK_FALSE(read_day(bad));
  }
  for (std::int64_t one = 0; one < 60'000; one += 17) {
    CHECK(day(day_text(one)) == one);
  }
}

TEST_CASE("waivers: what one lacks is an error") {
  CHECK(refused(written("2027-03-01")).empty());
  WaiverText text = written("2027-03-01");
  text.owner = " ";
  CHECK(has(refused(text), "needs an 'owner'"));
  text = written("2027-03-01");
  text.reason.clear();
  CHECK(has(refused(text), "needs a 'reason'"));
  CHECK(has(refused(written("")), "needs a day on which it 'expires', such as 2027-04-01"));
  CHECK(has(refused(written("soon")), "'soon' is not a day"));
  CHECK(refused(written("2028-01-02")).empty());
  CHECK(has(refused(written("2028-01-03")), "more than a year ahead: 2028-01-02 is the last day"));
  CHECK(refused(written("2020-01-01")).empty());  // it has expired
  text = written("2027-03-01");
  text.rule = "no-evil";
  CHECK(has(refused(text), "did you mean 'no-eval'?"));
  text.rule = "configuration";
  CHECK(has(refused(text), "is no rule that can be waived"));
  text = written("2027-03-01");
  text.files.clear();
  CHECK(has(refused(text), "needs 'files'"));
  text.gate = "lint";
  CHECK(has(refused(text), "name one of them"));
  text.rule.clear();
  CHECK(refused(text).empty());
  text.gate = "lnt";
  CHECK(has(refused(text), "did you mean 'lint'?"));
}

TEST_CASE("waivers: a finding is lowered until the last day, and then says that it is no longer") {
  const auto finding = [] {
    return make_finding("sop-check", contract::Severity::error, contract::FindingClass::meaning, "",
                        "source.doc.sops.no-eval", "eval");
  };
  const std::vector<Waiver> waivers = {waiver_of(written("2026-12-01"), names, day("2026-11-01")).value(),
                                       waiver_of(written("2027-01-10"), names, day("2026-11-01")).value()};
  CHECK(waiver_for(waivers, "new/a.js", finding()) == nullptr);
  const Waiver* const found = waiver_for(waivers, "old/a.js", finding());
  REQUIRE(found == &waivers[1]);
  for (const auto& [today, words] : {std::pair{"2027-01-01", "waived by ann for 9 more days (moves away): eval"},
                                     std::pair{"2027-01-09", "waived by ann for 1 more day (moves away): eval"},
                                     std::pair{"2027-01-10", "waived by ann for today (moves away): eval"},
                                     std::pair{"2027-01-11", "the waiver by ann expired on 2027-01-10: eval"}}) {
    contract::Finding one = finding();
    waive(one, *found, day(today));
    CHECK(one.message == words);
    CHECK((one.severity == contract::Severity::info) == (day(today) <= found->expires));
  }
}
