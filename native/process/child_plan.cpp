#include "native/process/child_plan.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/reason.hpp"

namespace plumb::process {

namespace {

constexpr std::string_view usual_path = "/usr/local/bin:/usr/bin:/bin";
// Users that distributions leave to services without an account; one for each command that runs at once.
constexpr uid_t users_from = 61184, users_count = 4096;

// Without links; empty: not there.
std::string real(const std::string& path) {
  char* found = ::realpath(path.c_str(), nullptr);
  std::string text = found == nullptr ? "" : found;
  std::free(found);  // NOLINT(cppcoreguidelines-no-malloc): as realpath gives it
  return text;
}

bool is_folder(const std::string& path) {
  struct stat what {};
  return ::stat(path.c_str(), &what) == 0 && S_ISDIR(what.st_mode);
}

bool within(std::string_view path, std::string_view folder) {
  return path == folder ||
         (path.size() > folder.size() && path.starts_with(folder) && (folder == "/" || path[folder.size()] == '/'));
}

// Every folder above `path`, the root left out, the nearest to it first.
std::vector<std::string> above(const std::string& path) {
  std::vector<std::string> all;
  for (std::size_t end = 1; (end = path.find('/', end)) != std::string::npos; ++end) {
    all.push_back(path.substr(0, end));
  }
  return all;
}

// Folders that others than their owner may not enter hide what is in them from the program's user, and are hidden
// whole.
void hide_closed(const std::string& path, std::vector<std::string>& hidden) {
  for (const std::string& folder : above(path)) {
    struct stat what {};
    if (::stat(folder.c_str(), &what) == 0 && (what.st_mode & S_IXOTH) == 0) {
      hidden.push_back(folder);
      return;
    }
  }
}

std::string home_of_host() {
  const char* said = std::getenv("HOME");
  if (said != nullptr && *said == '/') {
    return said;
  }
  return "/root";
}

void find_hidden(const Command& command, ChildPlan& plan) {
  std::vector<std::string> wanted = {"/tmp", "/var/tmp", "/run", "/home", "/root", home_of_host()};
  wanted.insert(wanted.end(), command.hidden.begin(), command.hidden.end());
  std::vector<std::string> found;
  for (const std::string& path : wanted) {
    const std::string place = real(path);
    if (place.size() > 1 && is_folder(place)) {
      found.push_back(place);
    }
  }
  if (plan.as_root) {
    for (const Shown& shown : plan.shown) {
      hide_closed(shown.path, found);
    }
    hide_closed(plan.program, found);
  }
  std::sort(found.begin(), found.end());
  for (const std::string& path : found) {
    const bool inside = std::any_of(plan.hidden.begin(), plan.hidden.end(),
                                    [&](const std::string& other) { return within(path, other); });
    if (!inside) {
      plan.hidden.push_back(path);
    }
  }
}

void find_shown(const Command& command, ChildPlan& plan) {
  const auto add = [&](const std::string& path, bool writable) {
    const std::string place = real(path);
    if (place.size() > 1) {
      plan.shown.push_back({place, writable});
    }
  };
  for (const std::string& path : command.readable) {
    add(path, false);
  }
  for (const std::string& path : command.writable) {
    add(path, true);
  }
  std::sort(plan.shown.begin(), plan.shown.end(), [](const Shown& one, const Shown& other) {
    return one.path != other.path ? one.path < other.path : one.writable > other.writable;
  });
  plan.shown.erase(std::unique(plan.shown.begin(), plan.shown.end(),
                               [](const Shown& one, const Shown& other) { return one.path == other.path; }),
                   plan.shown.end());
}

// What lies in a hidden folder and is to be seen: the program itself, and places for what is shown.
void find_made(ChildPlan& plan) {
  const auto hiding = [&](const std::string& path) -> const std::string* {
    for (const std::string& folder : plan.hidden) {
      if (within(path, folder)) {
        return &folder;
      }
    }
    return nullptr;
  };
  const bool covered = std::any_of(plan.shown.begin(), plan.shown.end(),
                                   [&](const Shown& shown) { return within(plan.program, shown.path); });
  const std::string program = real(plan.program);
  if (!covered && hiding(program) != nullptr) {
    plan.shown.push_back({program, false});
  }
  for (const Shown& shown : plan.shown) {
    const std::string* folder = hiding(shown.path);
    if (folder == nullptr) {
      continue;
    }
    for (const std::string& place : above(shown.path)) {
      if (place != *folder && within(place, *folder)) {
        plan.made.push_back({place, true});
      }
    }
    if (shown.path != *folder) {
      plan.made.push_back({shown.path, is_folder(shown.path)});
    }
  }
}

void make_maps(ChildPlan& plan, const Command& command) {
  plan.as_root = ::geteuid() == 0 && !command.as_user;
  if (!plan.as_root) {
    const auto line = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; };
    plan.user = ::geteuid();
    plan.user_map = line(plan.user);
    plan.group_map = line(::getegid());
    return;
  }
  plan.user = users_from + static_cast<uid_t>(::syscall(SYS_gettid)) % users_count;
  plan.user_map = plan.group_map = "0 " + std::to_string(plan.user) + " 1\n";
}

}  // namespace

std::string program_path(std::string_view name, std::string_view path) {
  struct stat what {};
  const auto runs = [&](const std::string& file) {
    return ::access(file.c_str(), X_OK) == 0 && ::stat(file.c_str(), &what) == 0 && S_ISREG(what.st_mode);
  };
  if (name.find('/') != std::string_view::npos) {
    return runs(std::string(name)) ? std::string(name) : "";
  }
  for (std::size_t from = 0; from <= path.size() && !name.empty();) {
    const std::size_t to = std::min(path.find(':', from), path.size());
    std::string file = std::string(path.substr(from, to - from)) + "/" + std::string(name);
    if (to > from && runs(file)) {
      return file;
    }
    from = to + 1;
  }
  return {};
}

Result<ChildPlan> plan_of(const Command& command) {
  ChildPlan plan;
  const auto refuse = [](ErrorCode code, std::string why) { return Error{code, std::move(why), "", 0, 0}; };
  if (command.argv.empty() || command.argv.front().empty()) {
    return refuse(ErrorCode::invalid_argument, "a command without a program");
  }
  for (const std::string& word : command.argv) {
    if (word.find('\0') != std::string::npos) {
      return refuse(ErrorCode::invalid_argument, "an argument of '" + command.argv.front() + "' holds a zero byte");
    }
  }
  if (!is_folder(command.folder)) {
    return refuse(ErrorCode::invalid_argument, "the folder " + command.folder + " is not there");
  }
  plan.folder = real(command.folder);
  std::string path(usual_path);
  for (const auto& [name, value] : command.environment) {
    if (name == "PATH") {
      path = value;
    }
    plan.variables.push_back(name + "=" + value);
  }
  std::string program = command.argv.front();
  if (program.find('/') != std::string::npos && program.front() != '/') {
    program = plan.folder + "/" + program;
  }
  plan.program = program_path(program, path);
  if (plan.program.empty()) {
    Error error = refuse(ErrorCode::not_found, program.find('/') != std::string::npos
                                                   ? "there is no program " + program
                                                   : "there is no program '" + program + "' in PATH (" + path + ")");
    error.reason = Reason::no_program;
    return error;
  }
  make_maps(plan, command);
  plan.network = command.network;
  plan.limits = command.limits;
  find_shown(command, plan);
  if (command.most == Isolation::full) {
    find_hidden(command, plan);
    find_made(plan);
  } else {
    plan.no_reaper = command.no_reaper;
  }
  plan.words = command.argv;
  return plan;
}

}  // namespace plumb::process
