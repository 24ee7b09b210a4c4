#include "native/command/command_run.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/json/writer.hpp"
#include "core/workflow/gates.hpp"
#include "native/base/file_bytes.hpp"
#include "native/command/tool_path.hpp"

namespace plumb::command {

namespace {

constexpr std::size_t journal_first = std::size_t{8} << 10U;
constexpr std::size_t journal_last = std::size_t{24} << 10U;
constexpr int shell_not_found = 127;
constexpr std::size_t names_bytes_max = std::size_t{128} << 10U;  // in one start; systems take 2 MB with the variables

std::string own_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// A folder in the tree, whatever links lie in it.
Result<std::string> folder_in(const std::string& tree, std::string_view dir) {
  const auto wrong = [&](const std::string& why) {
    return Error{ErrorCode::invalid_argument, "the folder '" + json::excerpt(dir, 100) + "' " + why, "", 0, 0};
  };
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(tree, error);
  if (error) {
    return Error{ErrorCode::not_found, "the folder of the tree has vanished", "", 0, 0};
  }
  if (dir.find('\0') != std::string_view::npos || (!dir.empty() && dir.front() == '/')) {
    return wrong("is not a path below its tree");
  }
  const std::filesystem::path folder = std::filesystem::canonical(root / dir, error);
  if (error) {
    return wrong("is not there");
  }
  const auto [end, at] = std::mismatch(root.begin(), root.end(), folder.begin(), folder.end());
  if (end != root.end()) {
    return wrong("leads out of its tree");
  }
  return folder.string();
}

// What a command reads on its standard input lies in a file too, where its declaration says {task_file}.
Result<bool> tell_task(std::vector<std::string>& argv, const std::string& file, const std::string& input) {
  constexpr std::string_view place = "{task_file}";
  bool wanted = false;
  for (std::string& word : argv) {
    for (std::size_t at = word.find(place); at != std::string::npos; at = word.find(place, at + file.size())) {
      word.replace(at, place.size(), file);
      wanted = true;
    }
  }
  return wanted ? write_file(file, input) : Result<bool>(true);
}

// What a command sees of the environment: little, and what it is declared to.
void set_environment(process::Command& command, const DeclaredCommand& what, const Place& place) {
  const ToolPath tools = tool_path(what.path, place.root);
  auto& out = command.environment;
  const auto set = [&](const std::string& name, const std::string& value) {
    const auto own = std::find_if(out.begin(), out.end(), [&](const auto& one) { return one.first == name; });
    if (own != out.end()) {
      own->second = value;
    } else {
      out.emplace_back(name, value);
    }
  };
  for (const char* name : {"HOME", "TMPDIR"}) {
    const std::string own = place.isolation ? place.scratch + (name[0] == 'H' ? "/home" : "/tmp") : own_variable(name);
    if (!own.empty()) {
      set(name, own);
    }
  }
  set("LANG", "C.UTF-8");
  set("PATH", tools.text());
  set("GIT_CEILING_DIRECTORIES", std::filesystem::path(place.root).parent_path().string());
  for (const auto& [name, value] : tools.variables) {
    set(name, value);
  }
  for (const std::string& name : what.env) {
    if (const char* value = std::getenv(name.c_str())) {
      set(name, value);
    }
  }
  command.readable = tools.readable;
}

// What it may write, and what it sees of homes.
Result<bool> set_folders(process::Command& command, const DeclaredCommand& what, const Place& place) {
  const std::string home = own_variable("HOME");
  command.writable = {place.root};
  if (place.isolation) {
    command.writable.insert(command.writable.end(), {place.scratch + "/home", place.scratch + "/tmp"});
  } else {
    command.writable.emplace_back("/tmp");
    for (const char* name : {"HOME", "TMPDIR"}) {
      if (const std::string folder = own_variable(name); folder.starts_with('/')) {
        command.writable.push_back(folder);
      }
    }
  }
  for (const std::string& path : what.home) {
    command.readable.push_back(path.front() == '/' ? path : home + "/" + path);
  }
  for (const std::string& path : what.writable) {
    const std::string beside = path.starts_with("~/") ? home + path.substr(1) : path;
    struct stat about {};
    if (::stat(beside.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
      return Error{ErrorCode::invalid_argument,
                   "the command '" + what.name + "' may write '" + path + "', and there is no such folder: make it", "",
                   0, 0};
    }
    command.writable.push_back(beside);
  }
  if (!place.hidden.empty()) {
    command.hidden = {place.hidden};
  }
  return true;
}

}  // namespace

Result<process::Command> command_at(const DeclaredCommand& what, const Place& place) {
  process::Command command;
  Result<std::string> folder = folder_in(place.root, place.dir);
  if (!folder) {
    return folder.error();
  }
  command.folder = std::move(folder).value();
  command.argv = what.argv;
  const Result<bool> written =
      place.isolation ? tell_task(command.argv, place.scratch + "/tmp/task.md", place.input) : Result<bool>(true);
  if (!written) {
    return written.error();
  }
  command.input = place.input;
  set_environment(command, what, place);
  if (const Result<bool> set = set_folders(command, what, place); !set) {
    return set.error();
  }
  command.limits.time_ms = what.time_ms;
  command.limits.processes_max = what.processes_max;
  if (place.isolation) {
    command.network = what.network;
    command.least = *place.isolation;
  } else {
    command.network = true;
    command.as_user = true;
    command.most = process::Isolation::partial;
  }
  return command;
}

Result<process::Outcome> run_on(process::Command command, const std::vector<std::string>& files, process::Stop* stop) {
  const auto place = std::find(command.argv.begin(), command.argv.end(), workflow::files_place);
  if (place == command.argv.end()) {
    return process::run(command, stop);
  }
  const std::vector<std::string> before(command.argv.begin(), place), after(place + 1, command.argv.end());
  std::optional<process::Outcome> all;
  for (std::size_t i = 0; i < files.size() || !all;) {
    command.argv = before;
    std::size_t count = 0;
    for (std::size_t bytes = 0; i < files.size() && (count == 0 || bytes + files[i].size() < names_bytes_max); ++i) {
      struct stat about {};
      if (::lstat((command.folder + "/" + files[i]).c_str(), &about) == 0 && !S_ISDIR(about.st_mode)) {
        command.argv.push_back(files[i]);
        bytes += files[i].size() + 1;
        ++count;
      }
    }
    if (count == 0) {
      break;
    }
    command.argv.insert(command.argv.end(), after.begin(), after.end());
    Result<process::Outcome> one = process::run(command, stop);
    if (!one) {
      return one;
    }
    process::Outcome& now = one.value();
    command.limits.time_ms -= std::min(command.limits.time_ms - 1, now.duration_ms);
    if (!all) {
      all = std::move(now);
    } else {
      all->out.add(now.out.text());
      all->err.add(now.err.text());
      all->duration_ms += now.duration_ms;
      all->end = now.end;
      all->signal = now.signal;
      all->exit_code = all->exit_code == 0 ? now.exit_code : all->exit_code;
    }
    if (all->end != process::End::exited) {
      break;
    }
  }
  if (!all) {
    all.emplace();
    all->exit_code = 0;
  }
  return std::move(*all);
}

std::string outcome_json(const DeclaredCommand& what, const process::Command& command, const process::Outcome& outcome,
                         const KeepOutput& keep) {
  std::string text;
  json::Writer json(text);
  json.begin_object().member("command", what.name).member("end", process::end_name(outcome.end));
  json.key("exit_code").integer(outcome.exit_code);
  if (outcome.signal != 0) {
    json.key("signal").integer(outcome.signal);
  }
  std::string left_out;
  json::Writer left(left_out);
  left.begin_object();
  for (const auto& [name, kept] : {std::pair{"stdout", &outcome.out}, std::pair{"stderr", &outcome.err}}) {
    const std::string all = kept->text();
    if (all.size() <= journal_first + journal_last) {
      json.member(name, all);
      continue;
    }
    json.member(name, all.substr(0, journal_first) + "\n[... " +
                          std::to_string(kept->bytes() - journal_first - journal_last) + " bytes left out ...]\n" +
                          all.substr(all.size() - journal_last));
    left.key(name).begin_object().member_uint("bytes", kept->bytes());
    if (keep) {
      const Result<std::string> file = keep(all);
      left.member(file ? "kept" : "not_kept", file ? file.value() : file.error().message);
    }
    left.end_object();
  }
  left.end_object();
  if (left_out != "{}") {
    json.key("left_out").raw(left_out);
  }
  if (what.shell && outcome.exit_code == shell_not_found) {
    const auto path = std::find_if(command.environment.begin(), command.environment.end(),
                                   [](const auto& one) { return one.first == "PATH"; });
    json.member("path", path == command.environment.end() ? std::string() : path->second);
  }
  json.member_uint("duration_ms", outcome.duration_ms).key("isolation").begin_object();
  json.member("is", process::isolation_name(outcome.in_force.isolation)).key("parts").begin_array();
  for (const std::string& part : outcome.in_force.parts) {
    json.string(part);
  }
  json.end_array();
  if (!outcome.in_force.lacking.empty()) {
    json.member("lacking", outcome.in_force.lacking);
  }
  json.end_object().end_object();
  return text;
}

}  // namespace plumb::command
