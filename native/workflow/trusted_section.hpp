// The `workflow` section that a person has trusted, kept as text: it judges while the file says something else.
//
// A file that was edited, has lost its section or is gone decides nothing: that it differs is a finding of `check`, and
// runs are refused. Comments and other sections may change freely.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/workflow/findings.hpp"
#include "native/config/workflow_section.hpp"
#include "native/git/checkout.hpp"

namespace plumb::workflow {

// A plumb.yaml, or the gates of a .semspec/config.yaml, as a text.
struct SectionText {
  WorkflowSection section;  // `there` is false where the text has none
  std::string canonical;    // equal for texts that say the same
};
Result<SectionText> section_of(const std::string& path, const std::string& text);

struct TrustedSection {
  std::string path;  // absolute
  SectionText kept;
  std::string edit;  // how the file that lies there now differs; empty: it does not
};
// What was kept of this file; nothing: no text with a section was.
std::optional<TrustedSection> trusted_section(const std::string& path);
// How a text differs from what was trusted; `text`: nothing where the file is gone.
std::string edit_of(const TrustedSection& trusted, const std::optional<std::string>& text);

// Edited configuration, as errors: where the view has it edited, or where the file is edited and not in the view. Files
// nearer to the working folder than the top, with a section that does not count.
Result<std::vector<FileFinding>> configuration_findings(const std::vector<TrustedSection>& trusted,
                                                        const git::View& view, const std::vector<std::string>& changed,
                                                        const std::string& top, const std::string& folder);

}  // namespace plumb::workflow
