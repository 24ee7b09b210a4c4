#include "native/workflow/declared.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/workflow/settings.hpp"
#include "core/workflow/changes.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/front_matter.hpp"
#include "native/command/work_folders.hpp"
#include "native/git/git.hpp"

namespace plumb::workflow {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t sop_bytes_max = std::uint64_t{1} << 20U;
constexpr std::uint64_t config_bytes_max = std::uint64_t{1} << 20U;
constexpr std::uint64_t conventions_bytes_max = std::uint64_t{4} << 20U;

// The Markdown files below a folder, in the order of their paths.
std::vector<std::string> markdown_below(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(error) && at->path().extension() == ".md") {
      out.push_back(at->path().string());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<SopFile> read_sop_file(const std::string& path, const std::string& shown) {
  const Result<std::string> text = read_file(path, sop_bytes_max);
  if (!text) {
    return text.error();
  }
  const Result<FrontMatter> front = front_matter(text.value(), shown);
  if (!front) {
    return front.error();
  }
  SopFile out;
  out.path = shown;
  out.text = text.value().substr(front.value().bytes);
  out.front_matter = front.value().json;
  out.line = static_cast<std::uint32_t>(front.value().lines) + 1;
  if (!front.value().members.empty()) {
    json::Writer json(out.lines);
    json.begin_object();
    for (const auto& [name, line] : front.value().members) {
      json.member_uint(name, line);
    }
    json.end_object();
  }
  return out;
}

}  // namespace

Result<std::vector<SopFile>> sop_files(const WorkflowSection& section, const DeclaredAt& at) {
  std::vector<std::pair<std::string, std::string>> folders = {
      {at.repository + "/.semspec/sources/docs/sops", ".semspec/sources/docs/sops"}};
  for (const std::string& one : section.sops) {
    folders.emplace_back(one.front() == '/' ? one : at.config + one, one);
  }
  std::vector<SopFile> out;
  for (const auto& [folder, shown] : folders) {
    for (const std::string& path : markdown_below(folder)) {
      if (out.size() == sops_max) {
        return Error{ErrorCode::limit, "there are more than " + std::to_string(sops_max) + " SOPs", shown, 0, 0};
      }
      Result<SopFile> one = read_sop_file(path, shown + path.substr(folder.size()));
      if (!one) {
        return one.error();
      }
      out.push_back(std::move(one).value());
    }
  }
  return out;
}

Result<ConfigFile> semspec_config(const std::string& repository) {
  ConfigFile out;
  const std::string path = repository + "/.semspec/config.yaml";
  if (::access(path.c_str(), F_OK) != 0) {
    return out;
  }
  const Result<std::string> text = read_file(path, config_bytes_max);
  if (!text) {
    return text.error();
  }
  Result<WorkflowSection> read = read_semspec_gates(path, text.value());
  if (!read) {
    return read.error();
  }
  out.path = path;
  out.text = text.value();
  out.workflow = std::move(read).value();
  for (std::size_t i = 0; i < out.workflow.commands.size(); ++i) {
    out.proposals.push_back({"workflow." + out.workflow.commands[i].name,
                             command::command_text(out.workflow.commands[i]), out.workflow.lines[i].line});
  }
  return out;
}

std::string conventions_file(const DeclaredAt& at) {
  return at.beside + "/conventions/" + json::sha256_hex(at.repository).substr(0, 32) + ".json";
}

Result<std::vector<Convention>> kept_conventions(const DeclaredAt& at) {
  const std::string file = conventions_file(at);
  if (::access(file.c_str(), F_OK) != 0) {
    return std::vector<Convention>{};
  }
  const Result<std::string> text = read_file(file, conventions_bytes_max);
  return text ? read_conventions(text.value()) : Result<std::vector<Convention>>(text.error());
}

Result<bool> change_conventions(const DeclaredAt& at,
                                const std::function<Result<bool>(std::vector<Convention>& all)>& change) {
  if (Result<bool> made = command::WorkFolders::make(at.beside + "/conventions"); !made) {
    return made;
  }
  struct Alone {
    int file;
    ~Alone() { ::close(file); }
  } const alone{::open((at.beside + "/conventions/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (alone.file < 0 || ::flock(alone.file, LOCK_EX) != 0) {
    return Error{ErrorCode::unavailable, "cannot be locked", at.beside + "/conventions/lock", 0, 0};
  }
  Result<std::vector<Convention>> all = kept_conventions(at);
  if (!all) {
    return all.error();
  }
  const Result<bool> changed = change(all.value());
  return changed ? write_file(conventions_file(at), conventions_json(all.value())) : changed;
}

namespace {

constexpr std::size_t host_name_max = 256;

// "HOST:/real/path/of/.git": the same for all work trees of a repository, and for no other. Empty: there is none.
std::string claims_of(const std::string& folder) {
  const Result<git::Users> users = git::find_repository(folder);
  std::array<char, host_name_max + 1> host{};
  if (!users || ::gethostname(host.data(), host_name_max) != 0) {
    return {};
  }
  std::error_code failed;
  const fs::path real = fs::canonical(users.value().common_dir, failed);
  return std::string(host.data()) + ":" + (failed ? users.value().common_dir : real.string());
}

}  // namespace

std::vector<std::string> protected_of(const WorkflowSection& section) {
  std::vector<std::string> out = section.protect;
  if (!section.protect_said) {
    const auto usual = protected_configuration();
    out.assign(usual.begin(), usual.end());
  }
  out.push_back(section.waivers);
  for (const std::string& folder : section.path) {
    if (!folder.starts_with('/') && !folder.starts_with('~')) {
      out.push_back(folder + "/**");
    }
  }
  return out;
}

Result<std::string> declared_settings(const WorkflowSection& section, const DeclaredAt& at) {
  const Result<std::vector<SopFile>> sops = sop_files(section, at);
  if (!sops) {
    return sops.error();
  }
  const Result<std::vector<Convention>> conventions = kept_conventions(at);
  if (!conventions) {
    return conventions.error();
  }
  const bool setup = std::any_of(section.commands.begin(), section.commands.end(),
                                 [](const command::DeclaredCommand& one) { return one.name == "setup"; });
  pipelines::workflow::Settings out;
  out.gates = run::Data::written(gates_json(section.gates));
  out.setup = setup;
  out.caches = section.caches;
  out.developers = section.developers;
  out.developer_reads = section.developer_reads;
  out.tests = section.tests;
  out.protect = protected_of(section);
  out.developer = section.developer;
  out.base_failures = section.base_failures;
  out.isolation = at.partial ? "partial" : "full";
  out.claims = claims_of(at.repository);
  std::string times;
  json::Writer json(times);
  json.begin_object();
  for (const auto& [name, ms] : section.times) {
    json.member_uint(name, ms);
  }
  json.end_object();
  out.times = run::Data::written(std::move(times));
  out.sops = sops.value();
  out.conventions = run::Data::written(conventions_json(conventions.value()));
  return json::record_text(out);
}

}  // namespace plumb::workflow
