#include "core/contract/verdict.hpp"

#include <doctest/doctest.h>

using namespace plumb::contract;

TEST_CASE("verdict: every decision, outcome, severity and class has the name that is documented") {
  CHECK(decision_name(Decision::accept) == "accept");
  CHECK(decision_name(Decision::accept_with_warnings) == "accept_with_warnings");
  CHECK(decision_name(Decision::accept_unverified) == "accept_unverified");
  CHECK(decision_name(Decision::undecided) == "undecided");
  CHECK(decision_name(Decision::revise) == "revise");
  CHECK(decision_name(Decision::block) == "block");
  CHECK(outcome_name(Outcome::holds) == "holds");
  CHECK(outcome_name(Outcome::broken) == "broken");
  CHECK(outcome_name(Outcome::undecided) == "undecided");
  CHECK(severity_name(Severity::error) == "error");
  CHECK(severity_name(Severity::warning) == "warning");
  CHECK(severity_name(Severity::info) == "info");
  CHECK(class_name(FindingClass::inner) == "inner");
  CHECK(class_name(FindingClass::reference) == "reference");
  CHECK(class_name(FindingClass::count) == "count");
  CHECK(class_name(FindingClass::meaning) == "meaning");
}

TEST_CASE("verdict: counts are of findings that nothing shadows, by severity") {
  Verdict verdict;
  const auto add = [&verdict](Severity severity, std::uint32_t shadowed_by) {
    Finding finding;
    finding.severity = severity;
    finding.shadowed_by = shadowed_by;
    verdict.findings.push_back(finding);
  };
  CHECK(verdict.count(Severity::error) == 0);
  add(Severity::error, 0);
  add(Severity::error, 1);
  add(Severity::error, 0);
  add(Severity::warning, 0);
  add(Severity::info, 1);
  CHECK(verdict.count(Severity::error) == 2);
  CHECK(verdict.count(Severity::warning) == 1);
  CHECK(verdict.count(Severity::info) == 0);
}
