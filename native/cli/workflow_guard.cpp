#include "native/cli/workflow_guard.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "native/base/file_bytes.hpp"
#include "native/command/work_folders.hpp"
#include "native/git/tree_files.hpp"
#include "native/process/command.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t ignored_bytes_max = std::uint64_t{256} << 20U;
constexpr std::size_t ignored_files_max = 20'000;

// Whether what lies there is small enough to be copied; what it has is taken off what is left.
bool takes_room(const fs::path& path, std::uint64_t& bytes_left, std::size_t& files_left) {
  std::error_code error;
  if (fs::is_symlink(path, error) || fs::is_regular_file(path, error)) {
    const std::uint64_t size = fs::is_symlink(path, error) ? 0 : fs::file_size(path, error);
    const bool fits = files_left > 0 && size <= bytes_left;
    bytes_left -= fits ? size : 0;
    files_left -= fits ? 1 : 0;
    return fits;
  }
  std::uint64_t bytes = bytes_left;
  std::size_t files = files_left;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    const bool plain = at->is_regular_file(error) && !at->is_symlink(error);
    const std::uint64_t size = plain ? at->file_size(error) : 0;
    if (files == 0 || size > bytes) {
      return false;
    }
    --files;
    bytes -= size;
  }
  bytes_left = bytes;
  files_left = files;
  return true;
}

}  // namespace

std::optional<std::string> CheckBase::text(const std::string& path) const {
  const Result<std::optional<std::string>> said = view.text_in(since, path);
  return said ? said.value() : std::nullopt;
}

std::optional<std::string> CheckBase::text_now(const std::string& path) const {
  const Result<std::optional<std::string>> said = view.text(path);
  return said ? said.value() : std::nullopt;
}

std::string CheckBase::tree() const {
  const Result<std::string> said = checkout.says({"rev-parse", "--verify", "-q", since + "^{tree}"});
  return said ? said.value().substr(0, said.value().find('\n')) : std::string();
}

Result<bool> lay_guarded(const CheckBase& base, const workflow::Guarded& guarded, const std::string& folder,
                         bool back) {
  for (const auto& [paths, fresh] : {std::pair(&guarded.paths, false), std::pair(&guarded.fresh, true)}) {
    for (const std::string& path : *paths) {
      (void)git::remove_in(folder, path);
      const std::optional<std::string> text = back && fresh ? std::nullopt
                                              : back        ? base.text(path)
                                                            : base.text_now(path);
      if (!text) {
        continue;
      }
      if (Result<bool> written = git::write_in(folder, path, *text, text->starts_with("#!")); !written) {
        return written;
      }
    }
  }
  return true;
}

void bring_ignored(const CheckBase& base, const std::string& folder, const std::vector<std::string>* wanted) {
  const Result<std::string> listed =
      base.checkout.says({"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"});
  std::uint64_t bytes_left = ignored_bytes_max;
  std::size_t files_left = ignored_files_max;
  for (std::string path : git::pieces_of(listed ? listed.value() : std::string())) {
    while (!path.empty() && path.back() == '/') {
      path.pop_back();
    }
    const auto holds = [](const std::string& one, const std::string& other) {
      return one == other || other.starts_with(one + "/");
    };
    if (wanted != nullptr) {  // `path` may lie below a wanted one, or have one in it
      const auto found = std::find_if(wanted->begin(), wanted->end(),
                                      [&](const std::string& one) { return holds(one, path) || holds(path, one); });
      path = found == wanted->end() ? std::string() : holds(*found, path) ? path : *found;
    }
    const fs::path there = fs::path(base.checkout.top) / path, here = fs::path(folder) / path;
    std::error_code error;
    if (path.empty() || fs::exists(fs::symlink_status(here, error))) {
      continue;
    }
    fs::create_directories(here.parent_path(), error);
    if (!takes_room(there, bytes_left, files_left)) {
      fs::create_symlink(there, here, error);
      continue;
    }
    process::Command copy;
    copy.argv = {"cp", "-a", "--", there.string(), here.string()};
    copy.folder = folder;
    copy.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    copy.writable = {folder};
    copy.most = process::Isolation::partial;
    (void)process::run(copy);  // what could not be copied is missing there, which `checked` shows
  }
}

Bring bring_of(const std::optional<process::Isolation>& isolation) {
  return isolation ? Bring::nothing : Bring::caches;
}

bool declares_caches(const WorkflowSection& section) {
  return !section.caches.empty() || std::any_of(section.gates.begin(), section.gates.end(),
                                                [](const workflow::Gate& one) { return !one.caches.empty(); });
}

Result<std::string> lay_out_copy(const CheckBase& base, const WorkflowSection& section, const std::string& scratch,
                                 Bring bring, const git::KeptCopy* kept) {
  std::string folder = scratch + "/tree";
  for (const char* inner : {"/tree", "/home", "/tmp"}) {
    if (const Result<bool> made = command::WorkFolders::make(scratch + inner); !made) {
      return made.error();
    }
  }
  if (kept != nullptr && kept->become(base.view)) {
    folder = kept->tree();
  } else if (const Result<bool> laid = base.view.lay_out(folder); !laid) {
    return laid.error();
  }
  std::vector<std::string> caches = section.caches;
  for (const workflow::Gate& gate : section.gates) {
    caches.insert(caches.end(), gate.caches.begin(), gate.caches.end());
  }
  if (bring == Bring::all || (bring == Bring::caches && !caches.empty())) {
    bring_ignored(base, folder, bring == Bring::all ? nullptr : &caches);
  }
  return folder;
}

Compared compare_with_base(const CheckBase& base, const workflow::Guarded& guarded,
                           std::span<const workflow::Gate> gates, contract::Severity severity, bool checked,
                           const RunIn& run) {
  Compared out;
  const std::vector<std::uint32_t> which = workflow::gates_again(gates, guarded.again);
  if (which.empty() || (guarded.paths.empty() && guarded.fresh.empty())) {
    return out;
  }
  const auto laid = [&](bool back) {
    return run(which, [&, back](const std::string& folder) { return lay_guarded(base, guarded, folder, back); });
  };
  Result<std::vector<workflow::GateResult>> before = laid(true);
  if (!before) {
    out.told.push_back("the gates were not run with the files of the base: " + before.error().message);
    return out;
  }
  out.results = std::move(before).value();
  std::vector<workflow::FileFinding> found = failures_with_base(guarded, out.results, severity);
  if (!found.empty() && checked) {
    const Result<std::vector<workflow::GateResult>> now = laid(false);
    for (const workflow::GateResult& one : now ? now.value() : out.results) {
      if (!one.passed()) {
        out.told.push_back("gate '" + one.gate +
                           "' fails in a copy of the checkout too, so it was not compared with the base");
        found.erase(std::remove_if(found.begin(), found.end(),
                                   [&](const workflow::FileFinding& finding) {
                                     return finding.finding.item == "Gate " + one.gate;
                                   }),
                    found.end());
      }
    }
  }
  out.findings = std::move(found);
  return out;
}

}  // namespace plumb::cli
