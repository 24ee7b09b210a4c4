#include "native/workflow/repositories.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/json/writer.hpp"
#include "native/config/trust.hpp"
#include "native/git/checkout.hpp"

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
  out.never_trusted = out.not_held && !kept_trust(file.path);
  return true;
}

void set_edited(Repository& out, const std::string& path, const std::string& edit) {
  if (!edit.empty() && !out.edited) {
    out.edited =
        Error{ErrorCode::unavailable, edit + ": put it back, or have the owner of this machine review it", path, 0, 0};
  }
}

// What was trusted in another work tree of the same repository holds in a linked one, as long as this one has the file
// or had it in its last commit.
std::optional<TrustedSection> kept_elsewhere(const Repository& here, const std::string& name) {
  const std::vector<std::string> others = git::other_work_trees(here.top);
  if (others.empty()) {
    return std::nullopt;
  }
  const Result<git::Checkout> checkout = git::find_checkout(here.top, true);
  std::error_code failed;
  const bool there =
      std::filesystem::exists(here.top + name, failed) || (checkout && checkout.value().text("HEAD", name.substr(1)));
  for (const std::string& other : there ? others : std::vector<std::string>()) {
    if (std::optional<TrustedSection> kept = trusted_section(here.top + name, other + name)) {
      return kept;
    }
  }
  return std::nullopt;
}

// The text that was kept of the nearest file with a section, from the top of the repository upwards.
bool take_kept(Repository& out) {
  const std::string found = find_config_file(out.top);
  const std::string now = found.empty() ? "" : absolute_path(found);
  for (std::string folder = out.top;; folder.resize(folder.rfind('/'))) {
    for (const char* name : {"/plumb.yaml", "/plumb.yml"}) {
      std::optional<TrustedSection> kept = trusted_section(folder + name);
      if (!kept && folder == out.top && !kept_trust(folder + name)) {
        kept = kept_elsewhere(out, name);
      }
      if (!kept) {
        continue;
      }
      if (!now.empty() && now != kept->path && kept->edit.empty()) {
        const Result<ConfigFile> nearer = read_config_file(now);
        kept->edit = !nearer || nearer.value().workflow.there
                         ? "is trusted, and '" + now + "', which is not, would be used in its place"
                         : "";
      }
      out.section = kept->kept.section;
      out.config = folder + "/";
      set_edited(out, kept->path, kept->edit);
      out.trusted.push_back(std::move(*kept));
      return true;
    }
    if (folder.rfind('/') == std::string::npos) {
      return false;
    }
  }
}

// What lies there now, where it holds.
bool take_found(Repository& out) {
  const std::string path = find_config_file(out.top);
  if (path.empty()) {
    return false;
  }
  const Result<ConfigFile> own = read_config_file(path);
  if (!own) {
    out.not_held = own.error();
    return true;
  }
  if (!take_section(out, own.value(), false)) {
    return false;
  }
  if (const auto kept = kept_trust(path); !out.not_held && kept && kept->text.empty()) {
    out.told = path + " was trusted by an earlier version, which kept no text: trust it again";
  }
  return true;
}

void take_gates(Repository& out, const WorkflowSection& theirs) {
  out.section.gates = theirs.gates;
  out.section.gates_said = true;
  out.section.commands.insert(out.section.commands.end(), theirs.commands.begin(), theirs.commands.end());
}

// Gates of .semspec/config.yaml, where no other file says any.
void take_semspec(Repository& out) {
  constexpr std::string_view both = "both plumb.yaml and .semspec/config.yaml have gates: those of plumb.yaml are used";
  constexpr const char* name = "/.semspec/config.yaml";
  std::optional<TrustedSection> kept = trusted_section(out.top + name);
  if (!kept && !kept_trust(out.top + name)) {
    kept = kept_elsewhere(out, name);
  }
  if (kept) {
    if (out.section.gates_said && !out.not_held) {
      out.told = both;
      return;
    }
    if (out.not_held) {  // a plumb.yaml that came later, and nobody has trusted
      out.section = {};
      out.edited = std::exchange(out.not_held, std::nullopt);
    }
    take_gates(out, kept->kept.section);
    set_edited(out, kept->path, kept->edit);
    out.trusted.push_back(std::move(*kept));
    return;
  }
  Result<ConfigFile> semspec = semspec_config(out.top);
  if (!semspec) {
    out.not_held = out.not_held ? out.not_held : semspec.error();
    return;
  }
  if (!semspec.value().workflow.gates_said) {
    return;
  }
  if (out.section.gates_said) {
    out.told = both;
    return;
  }
  if (out.not_held) {
    return;
  }
  out.not_held = not_trusted(semspec.value(), "workflow.");
  out.never_trusted = out.not_held && !kept_trust(semspec.value().path);
  take_gates(out, semspec.value().workflow);
}

}  // namespace

Repository repository_at(const std::string& name, const std::string& folder, const HostConfig& host) {
  Repository out;
  out.name = name;
  out.folder = folder;
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(folder, failed);
  out.real = failed ? folder : real.string();
  out.top = git::top_of(folder);
  bool taken = host.file != nullptr && host.named && take_section(out, *host.file, true);
  if (!taken && host.look) {
    taken = take_kept(out) || take_found(out);
  }
  if (!taken && host.file != nullptr) {
    (void)take_section(out, *host.file, host.named);
  }
  take_semspec(out);
  if (!host.kept && out.edited && !out.not_held) {
    out.not_held = out.edited;
  }
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
