#include "native/command/command_fulfiller.hpp"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/reasons.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::command {

namespace {

constexpr std::size_t journal_first = std::size_t{8} << 10U;
constexpr std::size_t journal_last = std::size_t{24} << 10U;
constexpr std::size_t input_max = std::size_t{16} << 20U;

std::size_t cores() { return std::max<std::size_t>(1, std::thread::hardware_concurrency()); }

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

using Environment = std::vector<std::pair<std::string, std::string>>;

// What a command sees of the environment: little, and what it is declared to.
Environment environment_of(const DeclaredCommand& what, const std::string& scratch, const std::string& root) {
  Environment out = {{"HOME", scratch + "/home"},
                     {"TMPDIR", scratch + "/tmp"},
                     {"LANG", "C.UTF-8"},
                     {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                     {"GIT_CEILING_DIRECTORIES", std::filesystem::path(root).parent_path().string()}};
  for (const std::string& variable : what.env) {
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr) {
      continue;
    }
    const auto own = std::find_if(out.begin(), out.end(), [&](const auto& one) { return one.first == variable; });
    if (own != out.end()) {
      own->second = value;
    } else {
      out.emplace_back(variable, value);
    }
  }
  return out;
}

}  // namespace

struct CommandFulfiller::Shared {
  Shared(CommandSettings wanted, WorkFolders where) : settings(std::move(wanted)), folders(std::move(where)) {}

  run::Reply answer(const host::EffectCall& call, process::Stop& stop) const;
  run::Reply reply_of(const std::string& run, const DeclaredCommand& what, const process::Outcome& outcome) const;

  const CommandSettings settings;
  const WorkFolders folders;
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<process::Stop>, std::less<>> under_way;
};

CommandFulfiller::CommandFulfiller(CommandSettings settings, WorkFolders folders)
    : shared_(std::make_shared<Shared>(std::move(settings), std::move(folders))),
      workers_(shared_->settings.at_once > 0 ? shared_->settings.at_once : cores()) {}

void CommandFulfiller::begin(host::EffectCall call, std::function<void(run::Reply)> done) {
  auto stop = std::make_shared<process::Stop>();
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->under_way[{call.run, call.key}] = stop;
  }
  const auto held = std::make_shared<host::EffectCall>(std::move(call));
  workers_.give([shared = shared_, held, stop, done = std::move(done)] {
    run::Reply reply = shared->answer(*held, *stop);
    {
      const std::lock_guard<std::mutex> lock(shared->mutex);
      const auto found = shared->under_way.find(std::pair(held->run, held->key));
      if (found != shared->under_way.end() && found->second == stop) {
        shared->under_way.erase(found);
      }
    }
    done(std::move(reply));
  });
}

void CommandFulfiller::stop(std::string_view run, std::string_view key) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  const auto found = shared_->under_way.find(std::pair(std::string(run), std::string(key)));
  if (found != shared_->under_way.end()) {
    found->second->now();
  }
}

run::Reply CommandFulfiller::Shared::answer(const host::EffectCall& call, process::Stop& stop) const {
  pollfd told{stop.file(), POLLIN, 0};
  if (::poll(&told, 1, 0) > 0) {
    run::Reply reply = run::failed_reply("it was stopped before its turn");
    reply.status = run::Status::cancelled;
    return reply;
  }
  const json::Value& request = call.request.value();
  const std::string_view name = json::text_of(request, "command");
  const DeclaredCommand* what = find_command(settings.commands, name);
  if (what == nullptr) {
    return run::failed_reply(no_such_command(settings.commands, name).message);
  }
  const run::Data* pin = call.pin ? call.pin(command_pin(name)) : nullptr;
  // Repositories may declare different ones under a name.
  for (const DeclaredCommand& one : settings.commands) {
    if (pin != nullptr && one.name == name && command_text(one) == pin->text()) {
      what = &one;
    }
  }
  if (pin == nullptr || pin->text() != command_text(*what)) {
    return run::failed_reply(
        "the command '" + what->name + "' is not run: the run is " +
        (pin == nullptr ? std::string("not pinned to it") : "pinned to " + std::string(pin->text())) +
        ", and this host declares " + command_text(*what));
  }
  const std::string_view input = json::text_of(request, "input");
  if (input.size() > input_max) {
    return run::failed_reply("its input has " + std::to_string(input.size()) + " bytes; there may be " +
                             std::to_string(input_max));
  }
  if (const Result<bool> room = folders.room(); !room) {
    return run::failed_reply(room.error().where + ": " + room.error().message);
  }
  const Result<std::string> scratch = folders.scratch();
  if (!scratch) {
    return run::failed_reply(scratch.error().where + ": " + scratch.error().message);
  }
  struct Gone {
    const std::string& folder;
    ~Gone() { WorkFolders::remove(folder); }
  } const gone{scratch.value()};

  process::Command command;
  const std::string_view tree = json::text_of(request, "tree");
  std::string root = scratch.value() + "/tree";
  if (!tree.empty()) {
    root = folders.tree(call.run, tree);
    struct stat about {};
    if (!WorkFolders::good_name(tree) || ::lstat(root.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
      return run::failed_reply("the run has no open tree '" + json::excerpt(tree, 60) + "'");
    }
  } else if (const Result<bool> made = WorkFolders::make(root); !made) {
    return run::failed_reply(made.error().message);
  }
  const Result<std::string> folder = folder_in(root, json::text_of(request, "dir"));
  if (!folder) {
    return run::failed_reply(folder.error().message);
  }
  command.argv = what->argv;
  const Result<bool> written = tell_task(command.argv, scratch.value() + "/tmp/task.md", std::string(input));
  if (!written) {
    return run::failed_reply(written.error().message);
  }
  command.folder = folder.value();
  command.input = input;
  command.environment = environment_of(*what, scratch.value(), root);
  const char* home = std::getenv("HOME");
  for (const std::string& path : what->home) {
    command.readable.push_back(path.front() == '/' ? path : std::string(home == nullptr ? "" : home) + "/" + path);
  }
  command.writable = {root, scratch.value() + "/home", scratch.value() + "/tmp"};
  for (const std::string& path : what->writable) {
    const std::string beside =
        path.starts_with("~/") ? std::string(home == nullptr ? "" : home) + path.substr(1) : path;
    struct stat about {};
    if (::stat(beside.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
      return run::failed_reply("the command '" + what->name + "' may write '" + path +
                               "', and there is no such folder: make it");
    }
    command.writable.push_back(beside);
  }
  command.hidden = {folders.base()};
  command.network = what->network;
  command.least = json::text_of(request, "isolation") == "full" ? process::Isolation::full : settings.least;
  command.limits.time_ms = std::min(what->time_ms, json::number_of(request, "time_ms", what->time_ms));
  if (call.deadline_ms > 0) {
    command.limits.time_ms = std::min(command.limits.time_ms, call.deadline_ms);
  }
  command.limits.processes_max = what->processes_max;
  const Result<process::Outcome> outcome = process::run(command, &stop);
  if (!outcome) {
    return run::failed_reply("the command '" + what->name + "': " + outcome.error().message, outcome.error().reason);
  }
  return reply_of(call.run, *what, outcome.value());
}

run::Reply CommandFulfiller::Shared::reply_of(const std::string& run, const DeclaredCommand& what,
                                              const process::Outcome& outcome) const {
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
    const Result<std::string> file = folders.keep_output(run, all);
    left.member(file ? "kept" : "not_kept", file ? file.value() : file.error().message).end_object();
  }
  left.end_object();
  if (left_out != "{}") {
    json.key("left_out").raw(left_out);
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
  run::Reply reply;
  reply.value = run::Data::written(std::move(text));
  return reply;
}

}  // namespace plumb::command
