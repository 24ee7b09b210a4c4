#include "native/workflow/results.hpp"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/plan.hpp"
#include "core/workflow/review.hpp"

namespace plumb::workflow {

namespace {

using json::text_of;

constexpr std::size_t branch_bytes_max = 250;

// One request to the work tree effect, outside of a run. Every operation ends by itself.
run::Reply ask_tree(host::Fulfiller& trees, const std::string& run, std::string request) {
  std::mutex mutex;
  std::condition_variable done;
  std::optional<run::Reply> reply;
  host::EffectCall call;
  call.run = run;
  call.key = "result";
  call.kind = run::EffectKind::worktree;
  call.request = run::Data::written(std::move(request));
  trees.begin(std::move(call), [&](run::Reply said) {
    const std::lock_guard<std::mutex> lock(mutex);
    reply = std::move(said);
    done.notify_all();
  });
  std::unique_lock<std::mutex> lock(mutex);
  done.wait(lock, [&] { return reply.has_value(); });
  return std::move(*reply);
}

// As git has it (check-ref-format): names of refs apart from branches are none.
bool is_branch_name(std::string_view name) {
  if (name.empty() || name.size() > branch_bytes_max || name.front() == '-' || name == "@" || name == "HEAD" ||
      name.starts_with("refs/")) {
    return false;
  }
  const bool odd = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
           std::string_view("~^:?*[\\").find(c) != std::string_view::npos;
  });
  const auto holds = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (odd || holds("..") || holds("//") || holds("/.") || holds("@{") || holds(".lock/") || name.front() == '/' ||
      name.front() == '.') {
    return false;
  }
  return name.back() != '/' && name.back() != '.' && (name.size() < 5 || name.substr(name.size() - 5) != ".lock");
}

Error unavailable(const std::string& run, std::string why) {
  return Error{ErrorCode::unavailable, std::move(why), "run " + run, 0, 0};
}

}  // namespace

std::optional<Commits> commits_of(const run::Journal& journal, const json::Value& view, std::string_view task) {
  const json::Value* result = view.find("result");
  if (result != nullptr && task.empty()) {
    Commits whole{std::string(text_of(*result, "base")), std::string(text_of(*result, "commit"))};
    return whole.to.empty() ? std::nullopt : std::optional<Commits>(std::move(whole));
  }
  Commits out;
  std::string head;  // where approved work is
  for (const run::Entry& entry : journal.entries()) {
    if (entry.kind != run::EntryKind::scope) {
      continue;
    }
    const json::Value& value = entry.data.value();
    const std::string commit(text_of(value, "commit"));
    const std::string_view of = text_of(value, "task").empty() ? text_of(value, "id") : text_of(value, "task");
    if (entry.key == "base" || entry.key.starts_with("merge-")) {
      head = commit.empty() ? head : commit;
    }
    if (entry.key == "base" && task.empty()) {
      out.from = commit;
    }
    if (commit.empty() || entry.key == "base" || (!task.empty() && of != task)) {
      continue;
    }
    out.to = commit;
    if (!task.empty() && !text_of(value, "from").empty()) {
      out.from = text_of(value, "from");
    } else if (out.from.empty()) {
      out.from = head;
    }
  }
  return out.from.empty() || out.to.empty() ? std::nullopt : std::optional<Commits>(std::move(out));
}

Result<run::Data> diff_of(host::Fulfiller& trees, const std::string& run, std::string_view repository,
                          const Commits& change) {
  std::string request;
  json::Writer json(request);
  json.begin_object().member("operation", "diff").member("repository", repository);
  json.member("from", change.from).member("to", change.to).end_object();
  run::Reply reply = ask_tree(trees, run, std::move(request));
  return reply.ok() ? Result<run::Data>(std::move(reply.value)) : Result<run::Data>(unavailable(run, reply.error));
}

std::vector<LeftTree> left_trees(host::Fulfiller& trees, const command::WorkFolders& folders, const std::string& run,
                                 std::string_view repository, bool remove) {
  std::vector<LeftTree> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folders.base() + "/trees/" + run, error), end; !error && at != end;
       at.increment(error)) {
    LeftTree one;
    one.tree = at->path().filename().string();
    one.folder = at->path().string();
    if (remove && one.tree != "gates") {
      std::string request;
      json::Writer json(request);
      json.begin_object().member("operation", "take").member("repository", repository).member("tree", one.tree);
      json.member("message", "Task " + one.tree + ": what lay in its folder").member_boolean("publish", true);
      json.end_object();
      const run::Reply reply = ask_tree(trees, run, std::move(request));
      const json::Value* taken = reply.ok() ? &reply.value.value() : nullptr;
      if (taken == nullptr) {
        one.problem = reply.error;
      } else if (text_of(*taken, "commit").empty()) {
        one.problem = "it holds what cannot be committed: look at it, and remove it by hand";
      } else if (!json::flag_of(*taken, "empty")) {
        one.commit = text_of(*taken, "commit");
      }
    }
    out.push_back(std::move(one));
  }
  std::sort(out.begin(), out.end(), [](const LeftTree& a, const LeftTree& b) { return a.tree < b.tree; });
  for (LeftTree& one : out) {
    if (remove && one.problem.empty() && !command::WorkFolders::remove(one.folder)) {
      one.problem = "it cannot be removed whole";
    }
  }
  return out;
}

Result<Landing> land(host::Fulfiller& trees, const json::Value& view, std::string_view repository,
                     std::string_view branch, bool passes) {
  const std::string id(text_of(view, "run_id"));
  if (!is_branch_name(branch)) {
    return Error{ErrorCode::invalid_argument, "'" + json::excerpt(branch, 60) + "' is not a name of a branch",
                 "/branch", 0, 0};
  }
  const json::Value* result = view.find("result");
  Landing out;
  if (result == nullptr) {
    out.how = Landing::How::not_ended;
    out.why = "has not ended: there is nothing to land";
    return out;
  }
  const std::string_view decision = text_of(*result, "decision");
  out.commit = text_of(*result, "commit");
  if (decision == "revise") {
    out.how = Landing::How::not_approved;
    out.why = "not all of its tasks are approved";
    return out;
  }
  if (decision == "accept_unverified" && !passes) {
    out.how = Landing::How::unverified;
    out.why = "not everything is verified";
    return out;
  }
  std::string request;
  json::Writer json(request);
  json.begin_object().member("operation", "land").member("repository", repository);
  json.member("commit", out.commit).member("branch", branch).end_object();
  const run::Reply reply = ask_tree(trees, id, std::move(request));
  if (!reply.ok()) {
    return unavailable(id, reply.error);
  }
  const json::Value& said = reply.value.value();
  out.how = json::flag_of(said, "landed") ? Landing::How::landed : Landing::How::refused;
  out.why = text_of(said, "why");
  out.command = text_of(said, "command");
  out.was = text_of(said, "was");
  return out;
}

namespace {

// A review of a task, and the conventions that it was shown.
struct Reviewed {
  std::string key, by;    // "RUN/TASK"
  bool accepted = false;  // the task is approved, and this is its last review
  std::string number;
  Review review;
  std::string words;
  std::vector<std::string> shown;
};

std::vector<Reviewed> reviewed_in(const json::Value& view) {
  std::vector<Reviewed> out;
  for (const json::Value& task : json::list_of(view, "tasks")) {
    const auto rounds = json::list_of(task, "rounds");
    const bool accepted = text_of(task, "state") == "landed" || text_of(task, "state") == "approved";
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const json::Value* told = rounds[i].find("review");
      const json::Value* review = told == nullptr ? nullptr : told->find("review");
      if (review == nullptr) {
        continue;
      }
      Reviewed one;
      one.key = std::string(text_of(view, "run_id")) + "/" + std::string(text_of(task, "id"));
      one.number = std::to_string(i + 1);
      one.by = text_of(*told, "by");
      one.accepted = accepted && i + 1 == rounds.size();
      one.review = read_review(*review);
      one.words = json::value_text(*review);
      if (const json::Value* context = told->find("context")) {
        for (const json::Value& element : json::list_of(*context, "elements")) {
          if (text_of(element, "kind") == "convention" && text_of(element, "cut") != "dropped") {
            one.shown.emplace_back(text_of(element, "id"));
          }
        }
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace

Result<bool> learn(const DeclaredAt& at, const json::Value& view) {
  const std::vector<Reviewed> found = reviewed_in(view);
  const bool any = std::any_of(found.begin(), found.end(), [](const Reviewed& one) {
    return !one.shown.empty() || (one.accepted && !one.review.patterns.empty());
  });
  if (!any) {
    return false;
  }
  const std::string project = slug_of(at.repository.substr(at.repository.rfind('/') + 1));
  return change_conventions(at, [&](std::vector<Convention>& all) {
    for (const Reviewed& one : found) {
      note_uses(all, one.shown, {one.key + "/" + one.number, one.words, one.review.approved, one.review.patterns});
      for (const NotedPattern& pattern : one.accepted ? one.review.patterns : std::vector<NotedPattern>()) {
        (void)note_convention(all, project, pattern, one.key, one.by);
      }
    }
    return Result<bool>(true);
  });
}

}  // namespace plumb::workflow
