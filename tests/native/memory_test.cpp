// What a process gives back of the code that it has mapped.
#include "native/base/memory.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "core/json/value.hpp"

namespace {

// Of files that are mapped, the kilobytes that this process has at hand.
long mapped_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:"))
      return std::stol(line.substr(8));
  }
  return 0;
}

}  // namespace

TEST_CASE("memory: code that is given back is there when it is called again") {
  plumb::json::Arena arena;
  REQUIRE(static_cast<bool>(plumb::json::parse(R"({"title": "Rivers"})", arena)));
  const long before = mapped_kb();
  plumb::give_back_code();
  CHECK((mapped_kb() < before) != doctest::detail::isDebuggerActive());  // a debugger's own marks are in it
  CHECK(static_cast<bool>(plumb::json::parse(R"({"title": "Rivers"})", arena)));
}
