// The file of waivers in a repository: `.plumb/waivers.yaml`, or what `workflow.waivers` names.
//
//   waivers:
//     - {gate: lint, owner: ann, reason: the linter is being replaced, expires: 2027-02-28}
//     - {rule: no-eval, files: ["legacy/**"], owner: ben, reason: goes with version 3, expires: 2027-01-31}
//
// What is wrong with an entry, and what cannot be read at all, is a finding with the line. core/workflow/waivers.hpp
// says what a waiver does.
#pragma once

#include <string>
#include <vector>

#include "core/workflow/waivers.hpp"
#include "native/config/config_file.hpp"

namespace plumb::workflow {

struct WaiverFile {
  std::vector<WaiverText> waivers;
  std::vector<FileFinding> findings;  // rule `waiver`, errors
};
// `path`: as it is shown, from the top of the repository.
WaiverFile read_waiver_file(const std::string& path, const std::string& text);
FileFinding waiver_finding(const std::string& path, std::uint32_t line, contract::Severity severity,
                           std::string message);

// The file as one that proposes its waivers, for `plumb workflow trust`. Without proposals where there is none.
ConfigFile proposed_waivers(const std::string& top, const std::string& path);
// Whether a person trusted exactly this text.
bool text_is_trusted(const std::string& top, const std::string& path, const std::string& text);

}  // namespace plumb::workflow
