#include "native/command/command_fulfiller.hpp"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "core/json/members.hpp"
#include "core/run/reasons.hpp"
#include "native/command/command_run.hpp"

namespace plumb::command {

namespace {

constexpr std::size_t input_max = std::size_t{16} << 20U;

std::size_t cores() { return std::max<std::size_t>(1, std::thread::hardware_concurrency()); }

}  // namespace

struct CommandFulfiller::Shared {
  Shared(CommandSettings wanted, WorkFolders where) : settings(std::move(wanted)), folders(std::move(where)) {}

  run::Reply answer(const host::EffectCall& call, process::Stop& stop) const;

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
  Place place{root, std::string(json::text_of(request, "dir")), scratch.value(),
              json::text_of(request, "isolation") == "full" ? process::Isolation::full : settings.least};
  place.hidden = folders.base();
  place.input = input;
  Result<process::Command> command = command_at(*what, place);
  if (!command) {
    return run::failed_reply(command.error().message);
  }
  std::uint64_t& time_ms = command.value().limits.time_ms;
  time_ms = std::min(time_ms, json::number_of(request, "time_ms", time_ms));
  time_ms = call.deadline_ms > 0 ? std::min(time_ms, call.deadline_ms) : time_ms;
  const Result<process::Outcome> outcome = run_on(command.value(), json::texts_of(request, "files"), &stop);
  if (!outcome) {
    return run::failed_reply("the command '" + what->name + "': " + outcome.error().message, outcome.error().reason);
  }
  run::Reply reply;
  reply.value = run::Data::written(outcome_json(*what, command.value(), outcome.value(), [&](const std::string& text) {
    return folders.keep_output(call.run, text);
  }));
  return reply;
}

}  // namespace plumb::command
