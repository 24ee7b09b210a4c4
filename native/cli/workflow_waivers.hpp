// The waivers of `plumb workflow check`: those that count, and what is wrong with the file of waivers.
//
//   Waivers waivers = waivers_of(base, section, sops, severity);
//   waivers.apply(results);      // a waived gate is no longer required
//   waivers.apply(found);        // a waived finding becomes an info
//
// A waiver counts if the base has it too, or if a person trusted the file as it is (`plumb workflow trust`). So no
// change waives itself.
#pragma once

#include <string>
#include <vector>

#include "core/workflow/waivers.hpp"
#include "native/cli/workflow_guard.hpp"

namespace plumb::cli {

struct Waivers {
  std::int64_t today = 0;
  std::vector<workflow::Waiver> counting;
  std::vector<workflow::FileFinding> findings;  // about the file
  std::vector<std::string> told;                // what was waived, and what has expired, for people
  bool trusted = false;                         // a person trusts the file as it is

  bool waives(const std::string& gate) const;  // until today or later
  void apply(std::vector<workflow::GateResult>& results);
  void apply(std::vector<workflow::FileFinding>& found);
};
// `severity`: of waivers that do not count yet. `agent`: an expired waiver is not the agent's fault, so that alone is
// no error.
Waivers waivers_of(const CheckBase& base, const WorkflowSection& section, const std::vector<std::string>& sops,
                   contract::Severity severity, bool agent);

}  // namespace plumb::cli
