// What this host declares of workflows in a repository: gates, developers, SOPs and conventions, as pipelines take it
// (Texts::workflow).
//
//   {"gates": [...], "setup", "caches", "developers": [NAME], "developer"?, "protected"?, "developer_reads",
//    "base_failures"?, "times"?, "isolation", "sops": [{"path", "text", "front_matter", "line", "lines"}],
//    "conventions": [...]}
//
// SOPs are the Markdown files below .semspec/sources/docs/sops of the repository, and below `workflow.sops`.
// Conventions lie beside the store, a file a repository.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/workflow/convention.hpp"
#include "core/workflow/sop.hpp"
#include "native/config/config_file.hpp"

namespace plumb::workflow {

struct DeclaredAt {
  std::string repository;  // its folder
  std::string config;      // the folder of plumb.yaml, with its `/`
  std::string beside;      // the folder beside the store
  bool partial = false;    // isolation
};
// What no task changes that does not name it: what is said, else the usual configuration; and folders of the tree that
// come first in PATH.
std::vector<std::string> protected_of(const WorkflowSection& section);
Result<std::string> declared_settings(const WorkflowSection& section, const DeclaredAt& at);

// `gates` of .semspec/config.yaml, as a file that proposes; without a path where there is none.
Result<ConfigFile> semspec_config(const std::string& repository);

Result<std::vector<SopFile>> sop_files(const WorkflowSection& section, const DeclaredAt& at);

std::string conventions_file(const DeclaredAt& at);
Result<std::vector<Convention>> kept_conventions(const DeclaredAt& at);
// Reads, changes and keeps them, one at a time over all processes. Nothing is kept where `change` gives an error.
Result<bool> change_conventions(const DeclaredAt& at,
                                const std::function<Result<bool>(std::vector<Convention>& all)>& change);

}  // namespace plumb::workflow
