// Reports of tests in JUnit's XML: how many ran, and which failed.
//
//   Result<TestCounts> counts = read_junit(xml);
//   for (const std::string& worse : worse_than(base, now)) ...      // "11 tests ran, 12 ran before"
//
// A bounded reader of its own: elements, attributes, the five entities and numbers, CDATA and comments. A DOCTYPE is
// refused, so there are no entities to unfold and nothing is fetched. Counted are <testcase> elements, never what a
// <testsuite> says of itself. Bounds: 16 MB, 64 levels, 200,000 tests; of names 300 bytes, of failing tests 200 names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/result.hpp"

namespace plumb::workflow {

struct TestCounts {
  std::uint64_t tests = 0;           // that are in the report
  std::uint64_t skipped = 0;         // of these
  std::uint64_t failed = 0;          // failures and errors
  std::vector<std::string> failing;  // "suite.name", the first 200 in their order
  std::uint64_t ran() const { return tests - skipped; }
  static std::span<const json::Field> fields();
};

// The error has the line.
Result<TestCounts> read_junit(std::string_view xml);

// What got worse: fewer tests ran, more are skipped. A sentence each.
std::vector<std::string> worse_than(const TestCounts& base, const TestCounts& now);

}  // namespace plumb::workflow
