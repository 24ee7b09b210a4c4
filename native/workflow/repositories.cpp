#include "native/workflow/repositories.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/json/writer.hpp"
#include "native/config/trust.hpp"

namespace plumb::workflow {

namespace {

// The workflow section of the file, where it has one, and why it does not hold.
bool take_section(Repository& out, const ConfigFile& file, bool named) {
  if (!file.workflow.there) {
    return false;
  }
  out.section = file.workflow;
  out.config = file.directory;
  out.not_held = named ? std::nullopt : not_trusted(file, "workflow.");
  out.never_trusted = out.not_held && !was_trusted(file);
  return true;
}

// Gates of .semspec/config.yaml, where no other file says any.
void take_semspec(Repository& out) {
  Result<ConfigFile> semspec = semspec_config(out.folder);
  if (!semspec) {
    out.not_held = out.not_held ? out.not_held : semspec.error();
    return;
  }
  const WorkflowSection& theirs = semspec.value().workflow;
  if (!theirs.gates_said) {
    return;
  }
  if (out.section.gates_said) {
    out.told = "both plumb.yaml and .semspec/config.yaml have gates: those of plumb.yaml are used";
    return;
  }
  if (out.not_held) {
    return;
  }
  out.not_held = not_trusted(semspec.value(), "workflow.");
  out.never_trusted = out.not_held && !was_trusted(semspec.value());
  out.section.gates = theirs.gates;
  out.section.gates_said = true;
  out.section.commands.insert(out.section.commands.end(), theirs.commands.begin(), theirs.commands.end());
}

}  // namespace

Repository repository_at(const std::string& name, const std::string& folder, const HostConfig& host) {
  Repository out;
  out.name = name;
  out.folder = folder;
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(folder, failed);
  out.real = failed ? folder : real.string();
  bool taken = host.file != nullptr && host.named && take_section(out, *host.file, true);
  if (const std::string path = taken || !host.look ? std::string() : find_config_file(folder); !path.empty()) {
    const Result<ConfigFile> own = read_config_file(path);
    if (!own) {
      out.not_held = own.error();
    }
    taken = !own || take_section(out, own.value(), false);
  }
  if (!taken && host.file != nullptr) {
    (void)take_section(out, *host.file, host.named);
  }
  take_semspec(out);
  return out;
}

Result<const Repository*> Repositories::find(std::string_view name) const {
  const auto found = by_name.find(name);
  if (found != by_name.end()) {
    return &found->second;
  }
  std::string names;
  for (const auto& [known, one] : by_name) {
    names += (names.empty() ? "" : ", ") + known;
  }
  return Error{ErrorCode::not_found,
               "this host knows no repository '" + json::excerpt(name, 60) + "'; " +
                   (names.empty() ? "there is none" : "there are: " + names) + " (--repository NAME=DIR)",
               "/repository", 0, 0};
}

Result<std::string> Repositories::settings(std::string_view name) const {
  const Result<const Repository*> found = find(name);
  if (!found) {
    return found.error();
  }
  if (found.value()->not_held) {
    return *found.value()->not_held;
  }
  return declared_settings(found.value()->section, at(*found.value()));
}

}  // namespace plumb::workflow
