#include "native/cli/workflow_waivers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "native/workflow/waiver_file.hpp"

namespace plumb::cli {

namespace {

std::int64_t today_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::hours>(now).count() / 24;
}

}  // namespace

bool Waivers::waives(const std::string& gate) const {
  workflow::GateResult result;
  result.gate = gate;
  const workflow::Waiver* one = workflow::waiver_for(counting, result);
  return one != nullptr && !one->expired(today);
}

void Waivers::apply(std::vector<workflow::GateResult>& results) {
  for (workflow::GateResult& one : results) {
    const workflow::Waiver* waiver = one.passed() ? nullptr : workflow::waiver_for(counting, one);
    if (waiver != nullptr) {
      one.words = workflow::waived_words(*waiver, today) + ": " + one.words;
      one.required = one.required && waiver->expired(today);
      told.push_back(one.words);
    }
  }
}

void Waivers::apply(std::vector<workflow::FileFinding>& found) {
  for (workflow::FileFinding& one : found) {
    if (const workflow::Waiver* waiver = workflow::waiver_for(counting, one.path, one.finding)) {
      workflow::waive(one.finding, *waiver, today);
      told.push_back(one.path + ": " + one.finding.message);
    }
  }
}

Waivers waivers_of(const CheckBase& base, const WorkflowSection& section, const std::vector<std::string>& sops,
                   contract::Severity severity, bool agent) {
  using workflow::waiver_finding;
  Waivers out;
  out.today = today_now();
  const std::string& path = section.waivers;
  const std::optional<std::string> now = base.text_now(path);
  if (!now) {
    return out;
  }
  workflow::WaiverNames names;
  for (const workflow::Gate& one : section.gates) {
    names.gates.push_back(one.name);
  }
  names.sops = sops;
  workflow::WaiverFile file = workflow::read_waiver_file(path, *now);
  out.findings = std::move(file.findings);
  const std::optional<std::string> was = base.text(path);
  const std::vector<workflow::WaiverText> before =
      was ? workflow::read_waiver_file(path, *was).waivers : std::vector<workflow::WaiverText>();
  out.trusted = workflow::text_is_trusted(base.checkout.top, path, *now);
  for (const workflow::WaiverText& one : file.waivers) {
    Result<workflow::Waiver> waiver = workflow::waiver_of(one, names, out.today);
    if (!waiver) {
      out.findings.push_back(waiver_finding(path, one.line, contract::Severity::error, waiver.error().message));
    } else if (!out.trusted && std::find(before.begin(), before.end(), one) == before.end()) {
      out.findings.push_back(waiver_finding(path, one.line, severity,
                                            "the waiver of " + waiver.value().name() +
                                                " is new in this change, so it does not count yet: it counts once it "
                                                "is in the base, or once a person has "
                                                "trusted it (plumb workflow trust)"));
    } else {
      if (waiver.value().expired(out.today)) {
        out.findings.push_back(waiver_finding(path, one.line,
                                              agent ? contract::Severity::warning : contract::Severity::error,
                                              "the waiver of " + waiver.value().name() + " by " + one.owner +
                                                  " expired on " + one.expires + ": remove it, or agree on a new day"));
      }
      out.counting.push_back(std::move(waiver).value());
    }
  }
  return out;
}

}  // namespace plumb::cli
