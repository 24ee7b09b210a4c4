// What calls and runs are at: what their tables say, and what docs/architecture.md draws of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "native/base/file_bytes.hpp"
#include "native/host/run_phase.hpp"
#include "native/proxy/answer_phase.hpp"
#include "native/proxy/call_phase.hpp"
#include "tests/native/source_dir.hpp"

using plumb::may_follow;
using plumb::host::run_holders;
using plumb::host::run_phases;
using plumb::host::RunHolder;
using plumb::host::RunPhase;
using plumb::proxy::answer_phases;
using plumb::proxy::AnswerPhase;
using plumb::proxy::call_phases;
using plumb::proxy::CallPhase;

namespace {

template <class Rows>
std::size_t rows_out_of_order(const Rows& rows) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += static_cast<std::size_t>(rows[i].phase) == i ? 0 : 1;
  }
  return out;
}

// A line for each row from which anything else follows.
template <class Rows>
std::string drawn(const Rows& rows) {
  std::size_t wide = 0;
  for (const auto& row : rows) {
    wide = std::max(wide, row.name.size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::set<std::string> told;
    std::string line = std::string(row.name) + std::string(wide - row.name.size(), ' ') + " ->";
    for (const auto next : row.next) {
      const std::string name(rows[static_cast<std::size_t>(next)].name);
      if (told.insert(name).second) {
        line += (told.size() == 1 ? " " : ", ") + name;
      }
    }
    if (told != std::set<std::string>{std::string(row.name)}) {
      out += "   " + line + "\n";
    }
  }
  return out;
}

std::string architecture() {
  const plumb::Result<std::string> page =
      plumb::read_file(plumb::test::source_dir() + "/docs/architecture.md", std::size_t{1} << 20);
  REQUIRE(static_cast<bool>(page));
  return page.value();
}

}  // namespace

TEST_CASE("phases: each row is its phase's") {
  CHECK(rows_out_of_order(call_phases) == 0);
  CHECK(rows_out_of_order(answer_phases) == 0);
  CHECK(rows_out_of_order(run_phases) == 0);
  CHECK(rows_out_of_order(run_holders) == 0);
}

TEST_CASE("phases: every call can end, once") {
  for (const auto& row : call_phases) {
    CHECK(may_follow(call_phases, row.phase, CallPhase::over));
    CHECK(may_follow(call_phases, CallPhase::over, row.phase) == (row.phase == CallPhase::over));
    CHECK_FALSE(may_follow(call_phases, row.phase, CallPhase::reading));
  }
}

TEST_CASE("phases: an answer is begun once, ends or is cut once, and only one that has ended has another behind it") {
  for (const auto& row : answer_phases) {
    const bool open = row.phase == AnswerPhase::none || row.phase == AnswerPhase::begun;
    CHECK(may_follow(answer_phases, row.phase, AnswerPhase::ended) == open);
    CHECK(may_follow(answer_phases, row.phase, AnswerPhase::cut) == (open || row.phase == AnswerPhase::cut));
    CHECK(may_follow(answer_phases, AnswerPhase::ended, row.phase) == (row.phase == AnswerPhase::none));
    CHECK(may_follow(answer_phases, row.phase, AnswerPhase::begun) == (row.phase == AnswerPhase::none));
  }
}

TEST_CASE("phases: every run can end and be given up, and none that has ended is anything else") {
  for (const auto& row : run_phases) {
    CHECK(may_follow(run_phases, row.phase, RunPhase::ended));
    CHECK(may_follow(run_phases, row.phase, RunPhase::given_up) == (row.phase != RunPhase::ended));
    CHECK(may_follow(run_phases, RunPhase::ended, row.phase) == (row.phase == RunPhase::ended));
    CHECK_FALSE(may_follow(run_phases, row.phase, RunPhase::fresh));
  }
}

TEST_CASE("phases: a run is worked on only out of the queue, and not while the store has it") {
  for (const auto& row : run_holders) {
    const bool from = row.phase == RunHolder::queue || row.phase == RunHolder::both;
    CHECK(may_follow(run_holders, row.phase, RunHolder::worker) == from);
    CHECK(may_follow(run_holders, row.phase, RunHolder::queue) == (row.phase == RunHolder::nobody));
    CHECK_FALSE(may_follow(run_holders, row.phase, row.phase));
  }
}

TEST_CASE("phases: the documentation draws what the tables say") {
  const std::string page = architecture();
  for (const std::string& table : {drawn(call_phases), drawn(answer_phases), drawn(run_phases), drawn(run_holders)}) {
    INFO(table);
    CHECK(page.find(table) != std::string::npos);
  }
}
