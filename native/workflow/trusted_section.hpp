// The `workflow` section that a person trusted, stored as text. `check` uses it while the file differs.
//
// An edited, incomplete or deleted file takes no effect: `check` reports the difference, and runs do not start.
// Comments and other sections may change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/workflow/findings.hpp"
#include "native/config/workflow_section.hpp"
#include "native/git/checkout.hpp"

namespace plumb::workflow {

// The section of a plumb.yaml, or the gates of a .semspec/config.yaml.
struct SectionText {
  WorkflowSection section;  // `there` is false if the text has none
  std::string canonical;    // equal for sections with the same meaning
};
Result<SectionText> section_of(const std::string& path, const std::string& text);

struct TrustedSection {
  std::string path;  // absolute
  SectionText kept;
  std::string edit;  // how the file differs now; empty if it does not
};
// Returns the trusted section of this file; nullopt if no text with a section was stored.
// `kept_of`: the path of the same file in another work tree, whose stored text is used.
std::optional<TrustedSection> trusted_section(const std::string& path, const std::string& kept_of = {});
// Describes how a text differs from the trusted one. `text`: nullopt if the file is gone.
std::string edit_of(const TrustedSection& trusted, const std::optional<std::string>& text);

// Findings for edited configuration, in the judged tree or on disk, and for a plumb.yaml with a `workflow` section
// between the working folder and the top, which has no effect.
Result<std::vector<FileFinding>> configuration_findings(const std::vector<TrustedSection>& trusted,
                                                        const git::View& view, const std::vector<std::string>& changed,
                                                        const std::string& top, const std::string& folder);

}  // namespace plumb::workflow
