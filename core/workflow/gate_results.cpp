#include "core/workflow/gate_results.hpp"

#include <algorithm>
#include <array>

#include "core/json/field_as.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/text/utf8.hpp"
#include "core/wording.hpp"
#include "core/workflow/failure.hpp"

namespace plumb::workflow {

namespace {

constexpr std::array<std::string_view, 11> outcome_names = {
    "passed",      "failed",      "timed_out", "killed", "too_much_output", "not_found",
    "not_started", "fewer_tests", "skipped",   "lost",   "bad_report"};

std::string seconds(std::uint64_t ms) {
  return ms < 1'000 ? std::to_string(ms) + " ms"
                    : std::to_string(ms / 1'000) + "." + std::to_string(ms / 100 % 10) + " s";
}

std::string gate_of(const std::string& name) { return "gate '" + name + "'"; }

int integer(const json::Value& value) {
  std::string_view text = value.str();
  const bool negative = !text.empty() && text.front() == '-';
  std::uint64_t number = 0;
  text.remove_prefix(negative ? 1 : 0);
  if (!json::read_uint(text, number) || number > 0x7FFFFFFFU) {
    return 0;
  }
  return negative ? -static_cast<int>(number) : static_cast<int>(number);
}

int integer_of(const json::Value& object, std::string_view key) {
  const json::Value* const value = object.find(key);
  return value == nullptr ? 0 : integer(*value);
}

constexpr json::FieldType integer_type = {
    [](const json::Value& value, void* at) {
      *static_cast<int*>(at) = integer(value);
      return true;
    },
    [](json::Writer& json, const void* at) { json.integer(*static_cast<const int*>(at)); },
    [](const void* at) { return *static_cast<const int*>(at) != 0; }};

std::string both_outputs(const json::Value& value) {
  std::string out(json::text_of(value, "stdout"));
  const std::string_view complaint = json::text_of(value, "stderr");
  if (!out.empty() && !complaint.empty() && out.back() != '\n') {
    out += '\n';
  }
  return out + std::string(complaint);
}

// A fence that nothing in the text closes.
std::string fenced(std::string_view text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "\n" + std::string(text) + (text.empty() || text.back() == '\n' ? "" : "\n") + fence + "\n";
}

const GateResult* find_result(std::span<const GateResult> results, std::string_view gate) {
  const auto at = std::find_if(results.begin(), results.end(), [&](const GateResult& one) { return one.gate == gate; });
  return at == results.end() ? nullptr : &*at;
}

std::string ended_how(const GateResult& result) {
  return result.outcome == GateOutcome::failed ? "exit code " + std::to_string(result.exit_code)
                                               : std::string(gate_outcome_name(result.outcome));
}

// Whether a failure is no worse than one before any change.
bool no_worse(const GateResult& base, const GateResult& now) {
  if (base.outcome == GateOutcome::skipped || now.outcome == GateOutcome::skipped) {
    return base.outcome == now.outcome;
  }
  if (base.tests && now.tests) {
    const bool known = base.tests->failing.size() == base.tests->failed;
    const bool no_new = std::all_of(now.tests->failing.begin(), now.tests->failing.end(), [&](const std::string& one) {
      return std::find(base.tests->failing.begin(), base.tests->failing.end(), one) != base.tests->failing.end();
    });
    return now.tests->failed <= base.tests->failed && (!known || no_new) && worse_than(*base.tests, *now.tests).empty();
  }
  return base.fingerprint == now.fingerprint;
}

// What the gate's report says, and whether that is what its exit code says.
void take_report(GateResult& out, const Gate& gate, std::optional<std::string_view> report, Reports reports) {
  std::string wrong;
  if (!report) {
    wrong = "it left no report " + gate.report;
  } else if (Result<TestCounts> counts = read_junit(*report); !counts) {
    wrong = "its report " + gate.report + " cannot be read: " + counts.error().message;
  } else {
    out.tests = std::move(counts).value();
    const TestCounts& tests = *out.tests;
    out.words += ": " + std::to_string(tests.ran()) + " tests ran, " + std::to_string(tests.failed) + " failed" +
                 (tests.skipped > 0 ? ", " + std::to_string(tests.skipped) + " skipped" : "");
    if (reports == Reports::decide && (tests.failed > 0 || tests.ran() == 0)) {
      wrong = "its report " + gate.report + " tells of " +
              (tests.failed > 0 ? counted(tests.failed, "failed test") : "no test that ran");
    } else {
      return;
    }
  }
  if (reports == Reports::decide && out.passed()) {
    out.outcome = GateOutcome::bad_report;
    out.words = gate_of(gate.name) + " ended with 0, but " + wrong;
  } else if (!out.tests) {
    out.words += "; " + wrong;
  }
}

}  // namespace

std::string_view gate_outcome_name(GateOutcome outcome) { return outcome_names[static_cast<std::size_t>(outcome)]; }

std::span<const std::string_view> names_of(GateOutcome) { return outcome_names; }

std::span<const json::Field> GateResult::fields() {
  using json::field;
  using json::field_if_set;
  static constexpr json::Field table[] = {field<&GateResult::gate>("gate"),
                                          field<&GateResult::required>("required"),
                                          field<&GateResult::outcome>("outcome"),
                                          json::field_as<&GateResult::exit_code>("exit_code", integer_type),
                                          field<&GateResult::duration_ms>("duration_ms"),
                                          field<&GateResult::words>("words"),
                                          field_if_set<&GateResult::output>("output"),
                                          field_if_set<&GateResult::fingerprint>("fingerprint"),
                                          field_if_set<&GateResult::tests>("tests")};
  return table;
}

GateResult gate_result(const Gate& gate, const CommandReply& reply, std::optional<std::string_view> report,
                       Reports reports) {
  GateResult out;
  out.gate = gate.name;
  out.required = gate.required;
  static const json::Value none = {};
  const json::Value& value = reply.value == nullptr ? none : *reply.value;
  const std::string_view end = json::text_of(value, "end");
  const std::string name = gate_of(gate.name);
  out.exit_code = integer_of(value, "exit_code");
  out.duration_ms = json::number_of(value, "duration_ms");
  out.output = both_outputs(value);
  const std::string after = " after " + seconds(out.duration_ms);
  if (reply.status == "interrupted" || reply.status == "cancelled") {
    out.outcome = GateOutcome::lost;
    out.words = name + (reply.status == "cancelled" ? " was cancelled" : " was lost when its host ended");
  } else if (reply.status == "timed_out" || end == "timed_out") {
    out.outcome = GateOutcome::timed_out;
    out.words = name + " was not done in " +
                (reply.time_ms == 0 ? "its time of " + seconds(gate.timeout_ms)
                                    : "the " + seconds(reply.time_ms) +
                                          " that were left of the time of all gates (`times: {gates: 30m}`)");
  } else if (reply.status != "ok") {
    const bool absent = reply.reason == Reason::no_program;
    out.outcome = absent ? GateOutcome::not_found : GateOutcome::not_started;
    out.words = name + (absent ? ": its command is not found: " : " could not be started: ") + std::string(reply.error);
  } else if (end == "signalled") {
    out.outcome = GateOutcome::killed;
    out.words = name + " was killed by signal " + std::to_string(integer_of(value, "signal")) + after;
  } else if (end == "too_much_output") {
    out.outcome = GateOutcome::too_much_output;
    out.words = name + " was ended because it wrote more than is taken" + after;
  } else if (end == "stopped") {
    out.outcome = GateOutcome::lost;
    out.words = name + " was stopped";
  } else if (gate.shell && (out.exit_code == 127 || out.exit_code == 126)) {
    out.outcome = out.exit_code == 127 ? GateOutcome::not_found : GateOutcome::not_started;
    const std::string_view path = json::text_of(value, "path");
    out.words = name + (out.exit_code == 127 ? ": the shell did not find its command (exit code 127)" +
                                                   (path.empty() ? "" : " in PATH (" + std::string(path) + ")")
                                             : ": the shell could not start its command (exit code 126)");
  } else if (out.exit_code != 0) {
    out.outcome = GateOutcome::failed;
    out.words = name + " failed with exit code " + std::to_string(out.exit_code) + after;
  } else {
    out.words = name + " passed" + after;
  }
  if (!gate.report.empty() && out.outcome != GateOutcome::lost) {
    take_report(out, gate, report, reports);
  }
  if (!out.passed() && out.outcome != GateOutcome::lost) {
    out.fingerprint = failure_fingerprint(gate.name, out.exit_code, out.output);
  }
  return out;
}

std::string first_and_last(std::string_view text, std::size_t max) {
  if (text.size() <= max) {
    return std::string(text);
  }
  std::size_t head = max / 3, tail = text.size() - (max - head);
  const std::size_t line = text.rfind('\n', head);
  head = line != std::string_view::npos && line + 200 > head ? line : head;
  while (head > 0 && text::is_continuation(text[head])) {
    --head;
  }
  const std::size_t next = text.find('\n', tail);
  tail = next != std::string_view::npos && next < tail + 200 ? next + 1 : tail;
  while (tail < text.size() && text::is_continuation(text[tail])) {
    ++tail;
  }
  return std::string(text.substr(0, head)) + "\n[... " + std::to_string(tail - head) + " bytes left out ...]\n" +
         std::string(text.substr(tail));
}

GateResult skipped_gate(const Gate& gate, std::string_view because_of) {
  GateResult out;
  out.gate = gate.name;
  out.required = gate.required;
  out.outcome = GateOutcome::skipped;
  out.words = gate_of(gate.name) + " was skipped: it comes after '" + std::string(because_of) + "', which did not pass";
  return out;
}

void write_gate_result(json::Writer& json, const GateResult& result) { json::write_record(json, result); }

Result<GateResult> read_gate_result(const json::Value& value) {
  GateResult out = json::record_of<GateResult>(value);
  std::size_t outcome = 0;
  const json::Value* const named = value.find("outcome");
  if (out.gate.empty() || named == nullptr || !json::read_name(*named, outcome_names, outcome)) {
    return Error{ErrorCode::invalid_argument, "this is not a gate's result: 'gate' or 'outcome' is missing", "", 0, 0};
  }
  return out;
}

std::optional<std::string> held_up_by(const Gate& gate, std::span<const GateResult> results) {
  for (const std::string& one : gate.after) {
    const GateResult* const before = find_result(results, one);
    if (before != nullptr && !before->passed() && !before->waived) {
      return one;
    }
  }
  return std::nullopt;
}

std::vector<GateResult> ask_in_order(std::span<const Gate> gates, std::span<const std::uint32_t> which,
                                     const std::function<GateResult(const Gate& gate)>& ask,
                                     const std::function<bool(const GateResult& result)>& ends) {
  std::vector<GateResult> out;
  for (const std::uint32_t i : which) {
    if (const auto because = held_up_by(gates[i], out)) {
      out.push_back(skipped_gate(gates[i], *because));
      continue;
    }
    out.push_back(ask(gates[i]));
    if (ends && ends(out.back())) {
      break;
    }
  }
  return out;
}

GatesVerdict judge_gates(std::span<const GateResult> results, std::size_t output_max) {
  GatesVerdict out;
  if (results.empty()) {
    out.warnings.emplace_back(no_gates_warning);
  }
  for (const GateResult& one : results) {
    if (one.passed()) {
      continue;
    }
    if (!one.required) {
      out.warnings.push_back(one.words);
      continue;
    }
    out.passed = false;
    if (one.outcome == GateOutcome::lost) {
      out.lost = true;
      continue;
    }
    out.failed.push_back(one.gate);
    out.feedback += "## " + one.words + "\n\n";
    if (one.tests && !one.tests->failing.empty()) {
      out.feedback += "Failing tests: " + some_of(one.tests->failing, 20) + "\n\n";
    }
    if (!one.output.empty()) {
      out.feedback += fenced(first_and_last(one.output, output_max)) + "\n";
    }
  }
  return out;
}

std::span<const std::string_view> names_of(BaseFailures) {
  static constexpr std::string_view names[] = {"refuse", "warn"};
  return names;
}

std::optional<std::string> refused_by_base(const Task& task, std::span<const GateResult> base, BaseFailures policy) {
  if (policy == BaseFailures::warn) {
    return std::nullopt;
  }
  for (const GateResult& one : base) {
    const bool failed =
        one.required && !one.passed() && one.outcome != GateOutcome::skipped && one.outcome != GateOutcome::lost;
    if (failed && std::find(task.fixes.begin(), task.fixes.end(), one.gate) == task.fixes.end()) {
      return gate_of(one.gate) + " fails before any change (" + ended_how(one) + "): name it in the 'fixes' of task " +
             task.id + ", make it optional (required: false), or let it be with --base-failures warn";
    }
  }
  return std::nullopt;
}

std::vector<GateResult> against_base(const Task& task, std::span<const GateResult> base,
                                     std::vector<GateResult> results, const AgainstBase& how) {
  for (GateResult& now : results) {
    const GateResult* const before = find_result(base, now.gate);
    if (how.unknown_told && now.tests && (before == nullptr || !before->tests)) {
      now.words += "; how many ran before the change is not known";
    }
    if (before == nullptr) {
      continue;
    }
    if (now.passed() && before->tests) {
      const std::vector<std::string> worse =
          now.tests ? worse_than(*before->tests, *now.tests) : worse_than(*before->tests, TestCounts());
      if (!worse.empty() && how.tests_named) {
        now.words += "; " + some_of(worse) + ", and the task names tests";
      } else if (!worse.empty()) {
        now.outcome = GateOutcome::fewer_tests;
        now.words = gate_of(now.gate) + " ended with 0, but " + some_of(worse);
        now.fingerprint = failure_fingerprint(now.gate, 0, now.words);
      }
      continue;
    }
    const bool fixes = std::find(task.fixes.begin(), task.fixes.end(), now.gate) != task.fixes.end();
    const bool failed = !now.passed() && now.outcome != GateOutcome::lost;
    if (how.policy == BaseFailures::warn && failed && !before->passed() && !fixes && no_worse(*before, now)) {
      now.required = false;
      now.words += ", as it did before any change";
    }
  }
  return results;
}

std::vector<GateResult> base_after(std::vector<GateResult> base, std::span<const GateResult> whole) {
  for (GateResult& before : base) {
    const GateResult* const now = find_result(whole, before.gate);
    const bool failed =
        now != nullptr && (now->outcome == GateOutcome::failed || now->outcome == GateOutcome::timed_out);
    if (now != nullptr && (now->passed() || (failed && !before.passed() && no_worse(before, *now)))) {
      before = *now;
    }
  }
  return base;
}

}  // namespace plumb::workflow
