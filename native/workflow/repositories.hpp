// The git repositories that runs of this host may work on, by name, and what holds for work on each of them: its own
// `workflow` section where it has one, else that of the plumb.yaml which the host was started with.
//
//   Result<const Repository*> shop = repositories.find("shop");   // not_found: which there are
//   Result<std::string> settings = repositories.settings("shop"); // an error where what it proposes is not trusted
//
// The section is looked for from the top of the repository, never from a folder in it. A file in or above a repository
// only proposes (native/config/trust.hpp), and one that cannot be read holds nobody up but who wants to work there. Of
// one that was trusted the text that was kept holds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "native/workflow/declared.hpp"
#include "native/workflow/trusted_section.hpp"

namespace plumb::workflow {

struct Repository {
  std::string name, folder;
  std::string real;  // the folder without links, as runs are pinned to it
  std::string top;   // of the repository; the folder itself where there is none
  WorkflowSection section;
  std::string config;                   // the folder of the plumb.yaml that it is in, with its `/`
  std::optional<Error> not_held;        // why it does not hold
  bool never_trusted = false;           // because nobody has trusted it on this machine yet
  std::string told;                     // what people should know of it
  std::vector<TrustedSection> trusted;  // whose kept text is the section
  std::optional<Error> edited;          // with HostConfig::kept: the files say something else now
};

// The plumb.yaml that the host was started with.
struct HostConfig {
  const ConfigFile* file = nullptr;  // nullptr: none
  bool named = false;                // in words (--config): where it has a section, that holds for every repository
  bool look = true;                  // for a repository's own; false: --no-config
  bool kept = false;                 // the text that was trusted holds while its file is edited, else nothing does
};
Repository repository_at(const std::string& name, const std::string& folder, const HostConfig& host);

struct Repositories {
  std::map<std::string, Repository, std::less<>> by_name;
  std::string beside;    // the folder beside the store
  bool partial = false;  // isolation

  Result<const Repository*> find(std::string_view name) const;
  DeclaredAt at(const Repository& one) const { return {one.top, one.config, beside, partial}; }
  // declared_settings() of it, where it holds.
  Result<std::string> settings(std::string_view name) const;
};

}  // namespace plumb::workflow
