// The phases of a proxied call: what the table says, and what docs/architecture.md draws of it.
#include "native/proxy/call_phase.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "native/base/file_bytes.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb::proxy;

TEST_CASE("call phases: each row is its phase's, and every call can end") {
  for (std::size_t i = 0; i < call_phases.size(); ++i) {
    CHECK(static_cast<std::size_t>(call_phases[i].phase) == i);
    CHECK(may_follow(call_phases[i].phase, CallPhase::over));
  }
  for (const PhaseRow& row : call_phases) {
    CHECK(may_follow(CallPhase::over, row.phase) == (row.phase == CallPhase::over));
    CHECK_FALSE(may_follow(row.phase, CallPhase::reading));
  }
}

TEST_CASE("call phases: the documentation draws what the table says") {
  std::string drawn;
  for (const PhaseRow& row : call_phases) {
    if (row.phase == CallPhase::over) {
      continue;
    }
    std::string line(row.name);
    line.append(line.size() < 7 ? 7 - line.size() : 0, ' ').append(" ->");
    std::set<CallPhase> told;
    for (const CallPhase next : row.next) {
      if (told.insert(next).second) {
        line.append(told.size() == 1 ? " " : ", ").append(call_phases[static_cast<std::size_t>(next)].name);
      }
    }
    drawn.append("   ").append(line).append("\n");
  }
  const plumb::Result<std::string> page =
      plumb::read_file(plumb::test::source_dir() + "/docs/architecture.md", std::size_t{1} << 20);
  REQUIRE(static_cast<bool>(page));
  INFO(drawn);
  CHECK(page.value().find(drawn) != std::string::npos);
}
