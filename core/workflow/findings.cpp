#include "core/workflow/findings.hpp"

#include <algorithm>

namespace plumb::workflow {

contract::Finding make_finding(std::string_view rule, contract::Severity severity, contract::FindingClass finding_class,
                               std::string at, std::string item, std::string message) {
  contract::Finding out;
  out.rule = rule;
  out.severity = severity;
  out.finding_class = finding_class;
  out.at = std::move(at);
  out.item = std::move(item);
  out.message = std::move(message);
  out.schema_location = "/workflow/" + out.rule;
  return out;
}

FileFinding in_file(std::string path, std::uint32_t line, contract::Finding finding) {
  finding.span.line = finding.span.line_to = std::max<std::uint32_t>(line, 1);
  return {std::move(path), std::move(finding)};
}

void settle(contract::Verdict& verdict) {
  std::uint32_t id = 0;
  bool warned = false;
  verdict.valid = true;
  for (contract::Finding& one : verdict.findings) {
    one.id = ++id;
    verdict.valid = verdict.valid && one.severity != contract::Severity::error;
    warned = warned || one.severity == contract::Severity::warning;
  }
  verdict.decision = !verdict.valid               ? contract::Decision::revise
                     : !verdict.undecided.empty() ? contract::Decision::undecided
                     : warned                     ? contract::Decision::accept_with_warnings
                                                  : contract::Decision::accept;
}

std::string some_of(const std::vector<std::string>& names, std::size_t shown) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > shown ? out + " and " + std::to_string(names.size() - shown) + " more" : out;
}

}  // namespace plumb::workflow
