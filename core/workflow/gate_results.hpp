// What gates said: one result a gate, which gates could not be asked, and what all of it means for the task.
//
//   GateResult result = gate_result(gate, {.status = "ok", .value = reply});     // of the `command` effect
//   GatesVerdict verdict = judge_gates(gates, results);
//   if (!verdict.passed) send(verdict.feedback);
//
// A gate passes when its command ended with 0 in its time and, where it has a `report`, that can be read and tells of
// at least one test that ran and of none that failed (004-10). All others have failed, each in words of its own
// (004-15). Fewer tests than on the base, or more skipped, fail it too, unless the task names tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/reason.hpp"
#include "core/workflow/gates.hpp"
#include "core/workflow/junit.hpp"
#include "core/workflow/plan.hpp"

namespace plumb::workflow {

enum class GateOutcome : std::uint8_t {
  passed,
  failed,           // it ended with another code than 0
  timed_out,        // it was not done in its time
  killed,           // a signal ended it
  too_much_output,  // it was ended because it wrote more than is taken
  not_found,        // there is no such program
  not_started,      // it could not be started
  fewer_tests,      // it ended with 0 and its report is worse than the base's
  skipped,          // a gate of its `after` did not pass
  lost,             // its host was lost under it: counts for nobody
  bad_report,       // it ended with 0, and its report does not say so
};
std::string_view gate_outcome_name(GateOutcome outcome);  // "timed_out"
std::span<const std::string_view> names_of(GateOutcome);

struct GateResult {
  std::string gate;
  bool required = true;
  GateOutcome outcome = GateOutcome::passed;
  int exit_code = 0;
  std::uint64_t duration_ms = 0;
  std::string words;        // "gate 'test' failed with exit code 2 after 1.2 s"
  std::string output;       // both outputs, the complaint last
  std::string fingerprint;  // of a failure (core/workflow/failure.hpp)
  std::optional<TestCounts> tests;
  bool waived = false;  // gates after it run although it failed
  bool passed() const { return outcome == GateOutcome::passed; }
  static std::span<const json::Field> fields();
};

// A reply of the `command` effect: the name of its status, its value and error. `report`: the text of the report's
// file.
struct CommandReply {
  std::string_view status;
  const json::Value* value = nullptr;
  std::string_view error = {};
  std::uint64_t time_ms = 0;  // that was left of the time of all gates, where that is less than the gate's own
  Reason reason = Reason::none;
};
// Whether a report decides, or is only told of, as in runs that were begun when it was so.
enum class Reports : std::uint8_t { decide, told };
GateResult gate_result(const Gate& gate, const CommandReply& reply, std::optional<std::string_view> report = {},
                       Reports reports = Reports::decide);
// The first third and the last two thirds of what is shown of a long text, at line ends where there are some near:
// compilers say what is wrong first, test runners last.
std::string first_and_last(std::string_view text, std::size_t bytes_max);
inline constexpr std::size_t shown_output_max = 4'000;  // of a gate's output in a finding
GateResult skipped_gate(const Gate& gate, std::string_view because_of);
void write_gate_result(json::Writer& json, const GateResult& result);
Result<GateResult> read_gate_result(const json::Value& value);

// Whether a gate can be asked now: nothing where it can, else the gate of its `after` that did not pass, whose results
// are there already. Gates that changed files do not call for hold nobody up.
std::optional<std::string> held_up_by(const Gate& gate, std::span<const GateResult> results);

// Asks gates in their order, of which those that are held up are skipped. `ends`: nothing is asked after that result.
std::vector<GateResult> ask_in_order(std::span<const Gate> gates, std::span<const std::uint32_t> which,
                                     const std::function<GateResult(const Gate& gate)>& ask,
                                     const std::function<bool(const GateResult& result)>& ends = {});

struct GatesVerdict {
  bool passed = true;                 // all required ones
  bool lost = false;                  // one that is required was lost: ask again
  std::vector<std::string> failed;    // required
  std::vector<std::string> warnings;  // a sentence for each optional one that did not pass
  std::string feedback;               // for the developer: name, how it ended, output with its middle left out, fenced
};
// `output_max`: bytes of output of each gate in the feedback. No results: passed, with the warning "No gates are
// configured. Structural validation skipped." (004-18).
GatesVerdict judge_gates(std::span<const GateResult> results, std::size_t output_max = 8'000);
inline constexpr std::string_view no_gates_warning = "No gates are configured. Structural validation skipped.";

// 004-16. What a gate that fails on the base means for a task: nothing, a refusal in words with the ways out, or, with
// `warn`, that it must not get worse.
enum class BaseFailures : std::uint8_t { refuse, warn };
std::span<const std::string_view> names_of(BaseFailures);
std::optional<std::string> refused_by_base(const Task& task, std::span<const GateResult> base, BaseFailures policy);
// The results of a tree, against those of the base: a report with fewer tests or more skipped becomes `fewer_tests`;
// under `warn` a failure that the base has too and that got no worse is no longer required, unless the task `fixes` it.
struct AgainstBase {
  AgainstBase(BaseFailures failures) : policy(failures) {}  // alone it is enough
  BaseFailures policy;
  bool tests_named = false;   // the task names tests: there may be fewer
  bool unknown_told = false;  // where the base's count is not known, the words of the result say so
};
std::vector<GateResult> against_base(const Task& task, std::span<const GateResult> base,
                                     std::vector<GateResult> results, const AgainstBase& how);
// The base of the tasks that begin with `whole`, the results of what was merged: what passes there may not fail again,
// and a failure that got less may not grow again. What was not asked there stays as it was, and so does what passed
// before: a person may approve a failure, which is not the next task's to begin with.
std::vector<GateResult> base_after(std::vector<GateResult> base, std::span<const GateResult> whole);

}  // namespace plumb::workflow
