#include "core/workflow/guarded.hpp"

#include <algorithm>

#include "core/budget/risk.hpp"
#include "core/json/excerpt.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t paths_max = 100;

bool has(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

std::string item_of(const Task& task) { return task.id.empty() ? "" : "Task " + task.id; }

// "nothing names it", "Task T1 does not name it"
std::string not_named(const Task& task) {
  return task.id.empty() ? "no task names it" : "Task " + task.id + " does not name it";
}

// What counts of a file that a gate runs, for a person.
std::string part_of(const RunFile& file) {
  std::string words;
  for (const std::string& one : file.words) {
    words += one.starts_with('+') ? "" : (words.empty() ? "" : ", ") + one;
  }
  return file.counts == Counts::whole ? "" : " (" + words + ")";
}

class Judge {
 public:
  Judge(const Task& task, const Guards& guards, const Versions& versions, contract::Severity severity)
      : task_(task), guards_(guards), versions_(versions), severity_(severity) {}

  Guarded run(const Changes& changes) {
    for (const GateFiles& gate : guards_.gates) {
      if (gate.cut) {
        out_.cut.push_back(gate.gate);
      }
    }
    for (const Change& one : changes.files) {
      if (!by_gate(one) && is_test_file(one.path, guards_.tests)) {
        test(one);
      }
    }
    return std::move(out_);
  }

 private:
  void find(const std::string& path, std::string_view rule, std::string message) {
    out_.findings.push_back(in_file(
        path, 0,
        make_finding(rule, severity_, contract::FindingClass::reference, "", item_of(task_), std::move(message))));
  }

  void guard(const Change& change, bool named) {
    std::vector<std::string>& list = change.kind == ChangeKind::added ? out_.fresh : out_.paths;
    if (list.size() < paths_max && !has(list, change.path)) {
      list.push_back(change.path);
    }
    out_.named = out_.named && named;
  }

  bool by_gate(const Change& change) {
    std::vector<std::string> gates;
    std::string part;
    for (const GateFiles& gate : guards_.gates) {
      for (const RunFile& file : gate.files) {
        if (!has(gates, gate.gate) && fits(file, change.path) && counts(file, change)) {
          gates.push_back(gate.gate);
          part = part_of(file);
        }
      }
    }
    if (gates.empty()) {
      return false;
    }
    const bool named = names_file(task_, change.path);
    guard(change, named);
    for (const std::string& one : gates) {
      if (!has(out_.again, one)) {
        out_.again.push_back(one);
      }
    }
    if (!named) {
      find(change.path, "gate-file",
           "'" + change.path + "'" + part + " was " + std::string(change_kind_name(change.kind)) + ". Gate '" +
               some_of(gates, 3) + "' runs it, and " + not_named(task_) + ". Put it back, or have the task name it.");
    }
    return true;
  }

  bool counts(const RunFile& file, const Change& change) const {
    if (file.counts == Counts::whole) {
      return true;
    }
    const auto [was, is] = versions_(change.path);
    return differs(file, was, is);
  }

  void test(const Change& change) {
    if (change.kind == ChangeKind::added) {
      return;
    }
    const bool named = names_test(task_, change.path, guards_.tests);
    const bool less = change.kind == ChangeKind::removed || change.removed > 0 || change.binary;
    if (less || change.added > 0) {
      guard(change, named);
      all_again();
    }
    if (less && !named) {
      const std::string lines = change.kind == ChangeKind::removed ? "was removed"
                                : change.binary                    ? "was changed"
                                : change.removed == 1
                                    ? "had 1 line removed or changed"
                                    : "had " + std::to_string(change.removed) + " lines removed or changed";
      find(change.path, "test-changed",
           "'" + change.path + "' is a test and " + lines + ", and " + not_named(task_) +
               ". Put these lines back, or have the task name the test. New tests are free.");
    }
  }

  void all_again() {
    for (const GateFiles& gate : guards_.gates) {
      if (!has(out_.again, gate.gate)) {
        out_.again.push_back(gate.gate);
      }
    }
  }

  const Task& task_;
  const Guards& guards_;
  const Versions& versions_;
  contract::Severity severity_;
  Guarded out_;
};

}  // namespace

std::span<const json::Field> GateFiles::fields() {
  static constexpr json::Field table[] = {json::field<&GateFiles::gate>("gate"),
                                          json::field<&GateFiles::files>("files"),
                                          json::field_if_set<&GateFiles::cut>("cut")};
  return table;
}

std::span<const json::Field> Guards::fields() {
  static constexpr json::Field table[] = {json::field<&Guards::gates>("gates"),
                                          json::field_if_set<&Guards::tests>("tests")};
  return table;
}

Guards guards_of(std::span<const Gate> gates, std::vector<std::string> tests, const ReadText& read) {
  Guards out;
  out.tests = std::move(tests);
  for (const Gate& one : gates) {
    GateFiles files{one.name, {}};
    files.files = files_run_by(one, read, &files.cut);
    out.gates.push_back(std::move(files));
  }
  return out;
}

Guarded guarded_changes(const Task& task, const Guards& guards, const Changes& changes, const Versions& versions,
                        contract::Severity severity) {
  return Judge(task, guards, versions, severity).run(changes);
}

std::vector<std::uint32_t> gates_again(std::span<const Gate> gates, const std::vector<std::string>& again) {
  std::vector<std::string> wanted = again;
  std::vector<std::uint32_t> out;
  for (std::size_t i = gates.size(); i > 0; --i) {  // what a gate comes after stands before it
    const Gate& gate = gates[i - 1];
    if (has(wanted, gate.name)) {
      wanted.insert(wanted.end(), gate.after.begin(), gate.after.end());
      out.insert(out.begin(), static_cast<std::uint32_t>(i - 1));
    }
  }
  return out;
}

std::vector<FileFinding> failures_with_base(const Guarded& guarded, std::span<const GateResult> results,
                                            contract::Severity severity) {
  std::vector<FileFinding> out;
  std::vector<std::string> all = guarded.paths;
  all.insert(all.end(), guarded.fresh.begin(), guarded.fresh.end());
  for (const GateResult& one : results) {
    if (one.passed() || !one.required || one.outcome == GateOutcome::lost || one.outcome == GateOutcome::skipped) {
      continue;
    }
    out.push_back(
        in_file(all.empty() ? "" : all.front(), 0,
                make_finding("base-file", guarded.named ? contract::Severity::warning : severity,
                             contract::FindingClass::reference, "", "Gate " + one.gate,
                             "Gate '" + one.gate + "' passes only with the change of " + some_of(all, 3) +
                                 ". With what was there before: " + one.words + "." +
                                 (one.output.empty() ? "" : "\n" + first_and_last(one.output, shown_output_max)))));
  }
  return out;
}

std::vector<FileFinding> beyond_files(const Task& task, std::span<const std::string> tests, const Changes& changes,
                                      contract::Severity severity) {
  Changes others;
  for (const Change& one : changes.files) {
    if (one.kind != ChangeKind::added || !is_test_file(one.path, tests)) {
      others.files.push_back(one);
    }
  }
  std::vector<FileFinding> out = task.written().empty() ? std::vector<FileFinding>() : beyond_task(task, others);
  for (FileFinding& one : out) {
    one.finding.severity = severity;
  }
  return out;
}

}  // namespace plumb::workflow
