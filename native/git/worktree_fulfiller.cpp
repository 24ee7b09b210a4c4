#include "native/git/worktree_fulfiller.hpp"

#include <array>
#include <mutex>
#include <utility>

#include "core/json/members.hpp"
#include "native/git/operations.hpp"

namespace plumb::git {

namespace {

struct Row {
  std::string_view name;
  Outcome (*does)(Operation& what);
  bool needs_tree;
  bool needs_room;
};

constexpr std::array<Row, 11> operations = {{
    {"open", open_tree, true, true},
    {"read", read_tree, false, false},
    {"init", init_tree, true, true},
    {"change", change_tree, true, true},
    {"take", take_tree, true, true},
    {"keep", keep_folders, true, true},
    {"diff", diff_commits, false, false},
    {"merge", merge_commits, false, true},
    {"reset", reset_tree, true, true},
    {"land", land_commit, false, true},
    {"close", close_tree, true, false},
}};

run::Reply failed(const std::string& why) {
  run::Reply reply;
  reply.status = run::Status::failed;
  reply.error = why;
  return reply;
}

}  // namespace

struct WorktreeFulfiller::Shared {
  Shared(WorktreeSettings wanted, command::WorkFolders where)
      : settings(std::move(wanted)), folders(std::move(where)) {}

  run::Reply answer(const host::EffectCall& call);

  const WorktreeSettings settings;
  const command::WorkFolders folders;
  struct Repository {
    std::mutex one_at_a_time;
    Remembered remembered;
  };
  std::map<std::string, Repository> repositories;  // by name; never changed
};

WorktreeFulfiller::WorktreeFulfiller(WorktreeSettings settings, command::WorkFolders folders)
    : shared_(std::make_shared<Shared>(std::move(settings), std::move(folders))),
      workers_(std::max<std::size_t>(1, shared_->settings.at_once)) {
  for (const auto& [name, folder] : shared_->settings.repositories) {
    shared_->repositories[name];
  }
}

WorktreeFulfiller::~WorktreeFulfiller() {
  workers_.stop();
  shared_->folders.remove_spares();
}

void WorktreeFulfiller::begin(host::EffectCall call, std::function<void(run::Reply)> done) {
  const auto held = std::make_shared<host::EffectCall>(std::move(call));
  workers_.give([shared = shared_, held, done = std::move(done)] { done(shared->answer(*held)); });
}

void WorktreeFulfiller::stop(std::string_view /*run*/, std::string_view /*key*/) {}

run::Reply WorktreeFulfiller::Shared::answer(const host::EffectCall& call) {
  const json::Value& request = call.request.value();
  const std::string name(json::text_of(request, "repository"));
  const auto repository = settings.repositories.find(name);
  if (repository == settings.repositories.end()) {
    std::string names;
    for (const auto& [known, folder] : settings.repositories) {
      names += (names.empty() ? "" : ", ") + known;
    }
    return failed("this host knows no repository '" + json::excerpt(name, 60) + "'; " +
                  (names.empty() ? "there is none" : "there are: " + names) + " (--repository NAME=DIR)");
  }
  const std::string_view operation = json::text_of(request, "operation");
  for (const Row& row : operations) {
    if (row.name != operation) {
      continue;
    }
    if (row.needs_tree && !command::WorkFolders::good_name(json::text_of(request, "tree"))) {
      return failed("'" + std::string(operation) + "' needs a `tree`: letters, digits, '-', '_' and '.', at most 100");
    }
    if (row.needs_room) {
      if (const Result<bool> room = folders.room(); !room) {
        return failed(room.error().where + ": " + room.error().message);
      }
    }
    Repository& known = repositories.at(name);
    const std::lock_guard<std::mutex> lock(known.one_at_a_time);
    Operation what{request, folders, settings.limits, settings.between, call.run, repository->second, known.remembered};
    const Outcome outcome = row.does(what);
    if (!outcome) {
      return failed(std::string(operation) + " in '" + name + "': " + outcome.error().message);
    }
    run::Reply reply;
    reply.value = run::Data::written(outcome.value());
    return reply;
  }
  return failed("there is no operation '" + json::excerpt(operation, 60) + "' on a work tree");
}

}  // namespace plumb::git
